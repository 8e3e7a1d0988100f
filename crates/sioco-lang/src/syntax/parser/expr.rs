//! Expressions, by precedence climbing; operators of one level become one chain.

use super::Parser;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Expr {
        self.expr_at(BinOp::Implies.level())
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
                self.foreign_operator();
                let span = self.bump().span;
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
        self.binary_operator().or_else(|| self.foreign().map(|(op, _)| op))
    }

    /// An operator of other languages, which can be nothing else here: what was meant, and what it is for.
    fn foreign(&self) -> Option<(BinOp, &'static str)> {
        if self.starts_line() {
            return None;
        }
        match self.peek() {
            Tok::Ident if self.slice(self.span()) == "and" => Some((BinOp::And, "`&&` is “and”")),
            Tok::Ident if self.slice(self.span()) == "or" => Some((BinOp::Or, "`||` is “or”")),
            Tok::Pipe => Some((BinOp::Or, "`||` is “or”")),
            // After a bound, `=` starts the value of the declaration.
            Tok::Equals if !self.no_index => Some((BinOp::Eq, "`==` compares, `:=` assigns in an update")),
            _ => None,
        }
    }

    /// Reports an operator of another language; it is then read as what it means.
    fn foreign_operator(&mut self) {
        let Some((op, help)) = self.foreign() else { return };
        let span = self.span();
        if !self.confused {
            let message = format!("expected `{}`, found `{}`", op.text(), self.slice(span));
            let d = Diagnostic::new(Code::UnexpectedToken, span, message).help(help).fix(span, op.text());
            self.diagnostics.push(d);
        }
    }

    fn binary_operator(&self) -> Option<BinOp> {
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
                        format!("`{}` and `{}` cannot stand in one chain", first.text(), op.text()),
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
                    let fields = if self.expect(Tok::LBrace) { self.field_inits() } else { Vec::new() };
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
        let outer = (self.no_record, self.no_index);
        (self.no_record, self.no_index) = (false, false);
        let result = parse(self);
        (self.no_record, self.no_index) = outer;
        result
    }

    fn field_inits(&mut self) -> Vec<FieldInit> {
        self.unrestricted(|p| {
            p.list(Tok::RBrace, |p| {
                let name = p.ident("the name of a field");
                p.expect(Tok::Colon);
                FieldInit { name, value: p.expr() }
            })
        })
    }

    fn primary(&mut self) -> Expr {
        let start = self.span();
        let text = self.slice(start);
        let kind = match self.peek() {
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
                        let args = self.unrestricted(|p| p.list(Tok::RParen, Self::expr));
                        ExprKind::Call(name, args)
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

    /// `{ name:` or `{ }` after a name: a record. Anything else is a block.
    fn looks_like_record(&self) -> bool {
        matches!((self.peek_at(1), self.peek_at(2)), (Tok::Ident, Tok::Colon) | (Tok::RBrace, _))
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
            self.expect(Tok::Equals);
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
            Tok::Int | Tok::Real | Tok::Str | Tok::OpenStr | Tok::True | Tok::False | Tok::Minus => {
                PatternKind::Literal(Box::new(self.nested(Self::unary, error_at)))
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
                        Diagnostic::new(Code::BadEscape, place, "there is no such escape in a string")
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
