//! Expressions, by precedence climbing; operators of one level become one chain.

use super::Parser;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

/// The longest number that is read: to make one of its digits takes time that grows with their square, and so does to
/// show it.
pub(crate) const MAX_DIGITS: usize = 100_000;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Expr {
        let expr = self.expr_at(BinOp::Implies.level());
        if self.peek() == Tok::Question && !self.starts_line() && !matches!(expr.kind, ExprKind::Error) {
            return self.conditional(expr);
        }
        expr
    }

    /// `c ? a : b`, as other languages write it.
    fn conditional(&mut self, condition: Expr) -> Expr {
        let question = self.bump().span;
        let before = self.diagnostics.len();
        let then = self.nested(Self::expr, error_at);
        if self.peek() != Tok::Colon {
            self.expected("an operator or the end of the expression");
            return error_at(condition.span);
        }
        self.bump();
        let otherwise = self.nested(Self::expr, error_at);
        let span = condition.span.to(otherwise.span);
        const MESSAGE: &str = "expected `if … then … else`, found `?`";
        // A choice inside of this one is the same mistake, and mended with it.
        let inside = self.diagnostics.split_off(before);
        let (same, other): (Vec<_>, Vec<_>) = inside.into_iter().partition(|d| d.message == MESSAGE);
        self.diagnostics.extend(other);
        let mended = same.into_iter().filter_map(|d| d.fix).find(|f| f.span == otherwise.span);
        let last = mended.map_or_else(|| self.slice(otherwise.span).to_owned(), |f| f.replacement);
        let fix = format!("if {} then {} else {last}", self.slice(condition.span), self.slice(then.span));
        let d = Diagnostic::new(Code::UnexpectedToken, question, MESSAGE);
        self.understood(d.help("a choice is written `if c then a else b`").fix(span, fix));
        Expr { kind: ExprKind::If(vec![(condition, then)], Box::new(otherwise)), span }
    }

    /// An expression whose operators all bind at least as tightly as `level`.
    pub(super) fn expr_at(&mut self, level: u8) -> Expr {
        self.nested(|p| p.expr_at_inner(level), error_at)
    }

    fn expr_at_inner(&mut self, min: u8) -> Expr {
        let mut left = self.unary();
        // From the tightest level to the loosest, so that each loop sees complete operands.
        while let Some(op) = self.operator().filter(|op| op.level() >= min) {
            let level = op.level();
            let mut rest = Vec::new();
            while let Some(op) = self.operator().filter(|op| op.level() == level) {
                let span = self.operator_span();
                let right = self.expr_at(level + 1);
                rest.push((op, span, right));
                if matches!(self.peek(), Tok::Eof) {
                    break;
                }
            }
            let span = rest.last().map_or(left.span, |(_, _, last)| left.span.to(last.span));
            self.check_chain(&rest);
            left = Expr { kind: ExprKind::Chain(Box::new(left), rest), span };
        }
        left
    }

    /// The operator here, or the one that was meant.
    fn operator(&self) -> Option<BinOp> {
        self.foreign().map(|(op, _, _)| op).or_else(|| self.binary_operator())
    }

    /// An operator of other languages, which can be nothing else here: what was meant, what it is for, and of how
    /// many tokens it is made.
    fn foreign(&self) -> Option<(BinOp, &'static str, usize)> {
        if self.starts_line() {
            return None;
        }
        match (self.peek(), self.peek_at(1)) {
            (Tok::Ident, _) if self.slice(self.span()) == "and" => Some((BinOp::And, "`&&` is “and”", 1)),
            (Tok::Ident, _) if self.slice(self.span()) == "or" => Some((BinOp::Or, "`||` is “or”", 1)),
            (Tok::Pipe, _) => Some((BinOp::Or, "`||` is “or”", 1)),
            (Tok::Less, Tok::Greater) if self.joined() => Some((BinOp::Ne, "`!=` is “not equal”", 2)),
            (Tok::NotEq, Tok::Equals) if self.joined() => Some((BinOp::Ne, "`!=` is “not equal”", 2)),
            (Tok::EqEq, Tok::Equals) if self.joined() => Some((BinOp::Eq, "`==` is “equal”", 2)),
            // After a bound, `=` starts the value of the declaration.
            (Tok::Equals, _) if self.no_index => None,
            (Tok::Equals, Tok::Less) if self.joined() => Some((BinOp::Le, "`<=` is “at most”", 2)),
            (Tok::Equals, _) => Some((BinOp::Eq, "`==` compares, `:=` assigns in an update", 1)),
            (Tok::FatArrow, _) if !self.in_update => Some((BinOp::Ge, "`>=` is “at least”", 1)),
            _ => None,
        }
    }

    /// Passes over the operator. One of another language is reported, and then read as what it means.
    fn operator_span(&mut self) -> Span {
        let Some((op, help, tokens)) = self.foreign() else { return self.bump().span };
        let mut span = self.bump().span;
        for _ in 1..tokens {
            span = span.to(self.bump().span);
        }
        let message = format!("expected `{}`, found `{}`", op.text(), self.slice(span));
        self.understood(Diagnostic::new(Code::UnexpectedToken, span, message).help(help).fix(span, op.text()));
        span
    }

    fn binary_operator(&self) -> Option<BinOp> {
        if self.peek() == Tok::Slash && self.peek_at(1) == Tok::Ident && self.assigns_at(2) {
            // The update of a switch begins.
            return None;
        }
        Some(match self.peek() {
            Tok::Implies => BinOp::Implies,
            Tok::OrOr => BinOp::Or,
            Tok::AndAnd => BinOp::And,
            Tok::EqEq => BinOp::Eq,
            Tok::NotEq => BinOp::Ne,
            Tok::Less => BinOp::Lt,
            Tok::LessEq => BinOp::Le,
            Tok::Greater => BinOp::Gt,
            Tok::GreaterEq => BinOp::Ge,
            Tok::PlusPlus => BinOp::Concat,
            Tok::Plus => BinOp::Add,
            Tok::Minus => BinOp::Sub,
            Tok::Star => BinOp::Mul,
            Tok::Slash => BinOp::Quot,
            Tok::Div => BinOp::Div,
            Tok::Mod => BinOp::Mod,
            _ => return None,
        })
    }

    /// Whether `:=` stands here, perhaps behind steps to a part of a value: `[i].f :=`.
    pub(super) fn assigns_at(&self, mut n: usize) -> bool {
        loop {
            match self.peek_at(n) {
                Tok::Assign => return true,
                Tok::Dot if self.peek_at(n + 1) == Tok::Ident => n += 2,
                Tok::LBracket => {
                    let mut open = 1;
                    n += 1;
                    while open > 0 {
                        match self.peek_at(n) {
                            Tok::LBracket => open += 1,
                            Tok::RBracket => open -= 1,
                            Tok::Eof | Tok::Arrow | Tok::LBrace | Tok::RBrace => return false,
                            _ => {}
                        }
                        n += 1;
                    }
                }
                _ => return false,
            }
        }
    }

    /// `a < b <= c` reads as in mathematics; `a < b > c` and `a == b == c` do not.
    fn check_chain(&mut self, rest: &[(BinOp, Span, Expr)]) {
        let [(first, _, _), others @ ..] = rest else { return };
        if first.level() != BinOp::Lt.level() {
            return;
        }
        let up = |op: &BinOp| matches!(op, BinOp::Lt | BinOp::Le);
        let down = |op: &BinOp| matches!(op, BinOp::Gt | BinOp::Ge);
        for (op, span, _) in others {
            if !(up(first) && up(op) || down(first) && down(op)) {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::MixedChain,
                        *span,
                        format!("`{}` and `{}` cannot be chained", first.text(), op.text()),
                    )
                    .help("write two comparisons joined with `&&`"),
                );
                return;
            }
        }
    }

    fn unary(&mut self) -> Expr {
        let start = self.span();
        match self.peek() {
            Tok::Bang => {
                self.bump();
                let operand = self.nested(Self::unary, error_at);
                let span = start.to(operand.span);
                Expr { kind: ExprKind::Not(Box::new(operand)), span }
            }
            Tok::Minus => {
                self.bump();
                let operand = self.nested(Self::unary, error_at);
                let span = start.to(operand.span);
                Expr { kind: ExprKind::Neg(Box::new(operand)), span }
            }
            Tok::Ident
                if self.slice(start) == "not" && matches!(self.peek_at(1), Tok::Ident | Tok::True | Tok::False) =>
            {
                self.bump();
                if !self.confused {
                    let d = Diagnostic::new(Code::UnexpectedToken, start, "expected `!`, found `not`");
                    self.diagnostics.push(d.help("`!` is “not”").fix(start, "!"));
                }
                let operand = self.nested(Self::unary, error_at);
                let span = start.to(operand.span);
                Expr { kind: ExprKind::Not(Box::new(operand)), span }
            }
            _ => self.postfix(),
        }
    }

    fn postfix(&mut self) -> Expr {
        let mut expr = self.primary();
        // Each suffix nests the expression one level deeper.
        let depth = self.depth;
        loop {
            match self.peek() {
                Tok::Dot => {
                    self.bump();
                    let field = self.ident("the name of a field");
                    let span = expr.span.to(field.span);
                    expr = Expr { kind: ExprKind::Field(Box::new(expr), field), span };
                }
                Tok::LBracket if !self.no_index => {
                    self.bump();
                    let index = self.unrestricted(Self::expr);
                    self.expect(Tok::RBracket);
                    let span = expr.span.to(self.previous());
                    expr = Expr { kind: ExprKind::Index(Box::new(expr), Box::new(index)), span };
                }
                Tok::With => {
                    self.bump();
                    let fields = if self.expect(Tok::LBrace) { self.path_inits() } else { Vec::new() };
                    let span = expr.span.to(self.previous());
                    expr = Expr { kind: ExprKind::With(Box::new(expr), fields), span };
                }
                Tok::Is => {
                    self.bump();
                    let name = self.ident("a constructor");
                    let span = expr.span.to(name.span);
                    expr = Expr { kind: ExprKind::Is(Box::new(expr), name), span };
                }
                _ => break,
            }
            self.depth += 1;
            if self.depth >= MAX_NESTING {
                expr = self.nested(|_| unreachable!("too deep"), error_at);
                break;
            }
        }
        self.depth = depth;
        expr
    }

    /// Inside brackets, records and indexing are allowed again.
    fn unrestricted<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (self.no_record, self.no_index, self.in_update);
        (self.no_record, self.no_index, self.in_update) = (false, false, false);
        let result = parse(self);
        (self.no_record, self.no_index, self.in_update) = outer;
        result
    }

    fn field_inits(&mut self) -> Vec<FieldInit> {
        self.unrestricted(|p| {
            p.list(Tok::RBrace, |p| {
                let name = p.ident("the name of a field");
                p.colon();
                FieldInit { name, value: p.expr() }
            })
        })
    }

    /// `x: e, [i].y: e` after `with {`.
    fn path_inits(&mut self) -> Vec<PathInit> {
        self.unrestricted(|p| {
            p.list(Tok::RBrace, |p| {
                let mut path = Vec::new();
                if !matches!(p.peek(), Tok::LBracket | Tok::Dot) {
                    path.push(PathStep::Field(p.ident("a field or `[`")));
                }
                p.steps(&mut path);
                p.colon();
                PathInit { path, value: p.expr() }
            })
        })
    }

    /// `[i].f[j]`: the steps to a part of a value.
    pub(super) fn steps(&mut self, path: &mut Vec<PathStep>) {
        loop {
            let start = self.span();
            match self.peek() {
                Tok::Dot => {
                    self.bump();
                    path.push(PathStep::Field(self.ident("the name of a field")));
                }
                Tok::LBracket => {
                    self.bump();
                    let key = self.unrestricted(Self::expr);
                    self.expect(Tok::RBracket);
                    path.push(PathStep::Item(key, start.to(self.previous())));
                }
                _ => return,
            }
        }
    }

    /// The `:` after a field.
    fn colon(&mut self) {
        if matches!(self.peek(), Tok::Equals | Tok::Assign) {
            let span = self.bump().span;
            let message = format!("expected `:`, found `{}`", self.slice(span));
            let d = Diagnostic::new(Code::UnexpectedToken, span, message);
            self.understood(d.help("a field is written `name: value`").fix(span, ":"));
        } else {
            self.expect(Tok::Colon);
        }
    }

    fn primary(&mut self) -> Expr {
        let start = self.span();
        let text = self.slice(start);
        let kind = match self.peek() {
            Tok::Int | Tok::Real if text.len() > MAX_DIGITS => {
                self.bump();
                let message = format!("this number has more than {MAX_DIGITS} digits");
                self.understood(
                    Diagnostic::new(Code::TooLargeTerm, start, message).help("write a shorter number, or compute it"),
                );
                ExprKind::Error
            }
            Tok::Int => {
                self.bump();
                ExprKind::Int(text.into())
            }
            Tok::Real => {
                self.bump();
                ExprKind::Real(text.into())
            }
            Tok::Str | Tok::OpenStr => {
                self.bump();
                ExprKind::Str(self.unescape(start))
            }
            Tok::True | Tok::False => ExprKind::Bool(self.bump().tok == Tok::True),
            Tok::Ident => {
                let name = self.ident("a name");
                match self.peek() {
                    Tok::LParen => {
                        self.bump();
                        if self.starts_names() {
                            self.unrestricted(|p| p.each_expr(name))
                        } else {
                            let args = self.unrestricted(|p| p.list(Tok::RParen, Self::expr));
                            ExprKind::Call(name, args)
                        }
                    }
                    Tok::LBrace if !self.no_record && self.looks_like_record() => {
                        self.bump();
                        ExprKind::Record(name, self.field_inits())
                    }
                    _ => ExprKind::Name(name.name),
                }
            }
            Tok::LParen => {
                self.bump();
                let inner = self.unrestricted(Self::expr);
                self.expect(Tok::RParen);
                ExprKind::Paren(Box::new(inner))
            }
            Tok::LBracket if !self.no_index => {
                self.bump();
                ExprKind::Seq(self.unrestricted(|p| p.list(Tok::RBracket, Self::expr)))
            }
            Tok::LBrace if !self.no_record && self.lacks_its_type() => return self.nameless_record(None),
            Tok::LBrace if !self.no_record => {
                self.bump();
                self.unrestricted(Self::braces)
            }
            Tok::If => self.if_expr(),
            Tok::Let => self.let_expr(),
            Tok::Match => self.match_expr(),
            _ => {
                self.expected("an expression");
                if self.peek() == Tok::Equals && !self.starts_line() {
                    self.bump();
                }
                return error_at(start);
            }
        };
        Expr { kind, span: start.to(self.previous()) }
    }

    /// Whether names that an operation over a collection binds stand here: `x in`, `k, v in`.
    fn starts_names(&self) -> bool {
        self.peek() == Tok::Ident
            && (self.peek_at(1) == Tok::In
                || (self.peek_at(1) == Tok::Comma && self.peek_at(2) == Tok::Ident && self.peek_at(3) == Tok::In))
    }

    /// `x in c: e)`, `x in c, acc = start: e)` after the name of what is asked.
    fn each_expr(&mut self, name: Ident) -> ExprKind {
        let mut names = vec![self.ident("a name")];
        if self.eat(Tok::Comma) {
            names.push(self.ident("a name"));
        }
        self.expect(Tok::In);
        let over = self.expr();
        let to = self.eat(Tok::DotDot).then(|| self.expr());
        let acc = self.eat(Tok::Comma).then(|| {
            let name = self.ident("a name for the result so far");
            self.expect_equals();
            (name, self.expr())
        });
        self.expect(Tok::Colon);
        let body = self.expr();
        self.expect(Tok::RParen);
        ExprKind::Each(Box::new(EachExpr { name, names, over, to, acc, body }))
    }

    /// `a, b}` or `a: 1, b: 2}` after the `{`: a set or a map.
    fn braces(&mut self) -> ExprKind {
        let mut entries: Vec<(Expr, Option<Expr>)> = self.list(Tok::RBrace, |p| {
            let key = p.expr();
            let value = p.eat(Tok::Colon).then(|| p.expr());
            (key, value)
        });
        let map = entries.first().is_some_and(|(_, value)| value.is_some());
        if let Some((odd, value)) = entries.iter().find(|(_, value)| value.is_some() != map) {
            let span = value.as_ref().map_or(odd.span, |v| odd.span.to(v.span));
            let message = if map { "this entry of a map has no value" } else { "a set has no values under its items" };
            let d = Diagnostic::new(Code::UnexpectedToken, span, message);
            self.understood(d.help("a map is written `{key: value}`, a set `{item, item}`"));
            return ExprKind::Error;
        }
        if map {
            ExprKind::Map(entries.into_iter().filter_map(|(k, v)| v.map(|v| (k, v))).collect())
        } else {
            ExprKind::Set(entries.drain(..).map(|(k, _)| k).collect())
        }
    }

    /// `{ name = `: a record without the name of its type, in the way of other languages.
    fn lacks_its_type(&self) -> bool {
        matches!((self.peek_at(1), self.peek_at(2)), (Tok::Ident, Tok::Equals))
    }

    /// `{ name:` or `{ }` after a name: a record. Anything else is a block.
    fn looks_like_record(&self) -> bool {
        matches!((self.peek_at(1), self.peek_at(2)), (Tok::Ident, Tok::Colon | Tok::Equals) | (Tok::RBrace, _))
    }

    /// The value of a declaration, with the type that it has.
    pub(super) fn value_of(&mut self, ty: Option<&TypeExpr>) -> Expr {
        if self.peek() == Tok::LBrace && self.lacks_its_type() {
            return self.nameless_record(ty);
        }
        self.expr()
    }

    /// `{ x: 1 }` without the name of the type before it.
    fn nameless_record(&mut self, ty: Option<&TypeExpr>) -> Expr {
        let open = self.bump().span;
        let d = Diagnostic::new(Code::UnexpectedToken, open, "a record starts with the name of its type");
        let place = Span { end: open.start, ..open };
        let name = match ty.map(|ty| &ty.kind) {
            Some(TypeExprKind::Name(name)) => Some(name.name.as_str()),
            _ => None,
        };
        let was_confused = self.confused;
        let fields = self.field_inits();
        let span = open.to(self.previous());
        let d = match name {
            Some(name) => d.help(format!("write `{name} {}`", self.slice(span))).fix(place, format!("{name} ")),
            None => d.help("write `Name { … }`, with the name of the type as it was declared"),
        };
        if !was_confused {
            self.diagnostics.push(d);
        }
        match name {
            Some(name) => {
                let name = Ident { name: name.into(), span: open };
                Expr { kind: ExprKind::Record(name, fields), span }
            }
            None => error_at(span),
        }
    }

    fn if_expr(&mut self) -> ExprKind {
        let mut arms = Vec::new();
        loop {
            self.bump();
            let condition = self.expr();
            self.expect(Tok::Then);
            let then = self.expr();
            arms.push((condition, then));
            if !self.expect(Tok::Else) {
                return ExprKind::If(arms, Box::new(error_at(self.span())));
            }
            if self.peek() != Tok::If {
                return ExprKind::If(arms, Box::new(self.expr()));
            }
        }
    }

    fn let_expr(&mut self) -> ExprKind {
        let mut bindings = Vec::new();
        while self.eat(Tok::Let) {
            let name = self.ident("a name");
            self.expect_equals();
            let value = self.expr();
            bindings.push((name, value));
            if !self.expect(Tok::In) {
                return ExprKind::Let(bindings, Box::new(error_at(self.span())));
            }
        }
        ExprKind::Let(bindings, Box::new(self.expr()))
    }

    fn match_expr(&mut self) -> ExprKind {
        self.bump();
        let outer = std::mem::replace(&mut self.no_record, true);
        let scrutinee = self.expr();
        self.no_record = outer;
        let arms = if self.expect(Tok::LBrace) {
            self.unrestricted(|p| {
                p.list(Tok::RBrace, |p| {
                    let pattern = p.pattern();
                    p.expect(Tok::FatArrow);
                    MatchArm { pattern, body: p.expr() }
                })
            })
        } else {
            Vec::new()
        };
        ExprKind::Match(Box::new(scrutinee), arms)
    }

    /// What stands before the `=>` of a case. A literal is no more than that: an operand that goes on would take the `=>`
    /// for an operator, unless it began a line.
    fn pattern(&mut self) -> Pattern {
        let start = self.span();
        let kind = match self.peek() {
            Tok::Ident if self.slice(start) == "_" => {
                self.bump();
                PatternKind::Wildcard
            }
            Tok::Ident => {
                let name = self.ident("a constructor");
                let fields = if self.eat(Tok::LParen) {
                    self.list(Tok::RParen, |p| {
                        let name = p.ident("a name or `_`");
                        let span = name.span;
                        ((name.name != "_").then_some(name), span)
                    })
                } else {
                    Vec::new()
                };
                PatternKind::Constructor(name, fields)
            }
            Tok::Int | Tok::Real | Tok::Str | Tok::OpenStr | Tok::True | Tok::False => {
                PatternKind::Literal(Box::new(self.primary()))
            }
            Tok::Minus if matches!(self.peek_at(1), Tok::Int | Tok::Real) => {
                self.bump();
                let number = self.primary();
                let span = start.to(number.span);
                PatternKind::Literal(Box::new(Expr { kind: ExprKind::Neg(Box::new(number)), span }))
            }
            _ => {
                self.expected("a pattern: a constructor, a literal or `_`");
                self.skip_to(|p| p.peek() == Tok::FatArrow);
                PatternKind::Error
            }
        };
        Pattern { kind, span: start.to(self.previous()) }
    }

    /// The value of a string literal.
    pub(super) fn unescape(&mut self, span: Span) -> String {
        let raw = self.slice(span);
        let inner = raw.strip_prefix('"').unwrap_or(raw);
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        let mut out = String::with_capacity(inner.len());
        let mut rest = inner.char_indices();
        while let Some((at, c)) = rest.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            let escaped = rest.next();
            let value = match escaped {
                Some((_, 'n')) => Some('\n'),
                Some((_, 'r')) => Some('\r'),
                Some((_, 't')) => Some('\t'),
                Some((_, '"')) => Some('"'),
                Some((_, '\\')) => Some('\\'),
                Some((i, 'u')) => {
                    let digits = inner[i + 1..].strip_prefix('{').and_then(|s| s.split_once('}')).map(|(d, _)| d);
                    let value = digits
                        .filter(|d| d.len() <= 6)
                        .and_then(|d| u32::from_str_radix(d, 16).ok())
                        .and_then(char::from_u32);
                    if value.is_some() {
                        let skip = digits.map_or(0, str::len) + 2;
                        rest.nth(skip - 1);
                    }
                    value
                }
                _ => None,
            };
            match value {
                Some(c) => out.push(c),
                None => {
                    let start = span.start + 1 + at as u32;
                    // The character after the backslash may have several bytes.
                    let end = escaped.map_or(start + 1, |(_, c)| start + 1 + c.len_utf8() as u32);
                    let place = Span { start, end: end.min(span.end), ..span };
                    self.diagnostics.push(
                        Diagnostic::new(Code::BadEscape, place, "a string has no such escape")
                            .help(r#"the escapes are \n \r \t \" \\ and \u{…} with a Unicode number in hexadecimal"#),
                    );
                }
            }
        }
        out
    }
}

fn error_at(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
