//! Declarations, processes, locations and switches.

use super::{Parser, starts_item};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Fix, did_you_mean};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

const ITEM_WORDS: [&str; 9] = ["import", "type", "const", "fun", "input", "output", "channel", "process", "system"];
const MEMBER_WORDS: [&str; 4] = ["var", "init", "state", "final"];

/// Words of other languages, and what they are here.
const SYNONYMS: [(&str, &str); 11] = [
    ("include", "import"),
    ("enum", "type"),
    ("constant", "const"),
    ("function", "fun"),
    ("func", "fun"),
    ("fn", "fun"),
    ("def", "fun"),
    ("variable", "var"),
    ("initial", "init"),
    ("location", "state"),
    ("end", "final"),
];

/// Types as other languages write them, and what they are here.
const TYPE_WORDS: [(&str, &str); 12] = [
    ("int", "Int"),
    ("integer", "Int"),
    ("long", "Int"),
    ("bool", "Bool"),
    ("boolean", "Bool"),
    ("real", "Real"),
    ("float", "Real"),
    ("double", "Real"),
    ("decimal", "Real"),
    ("string", "String"),
    ("str", "String"),
    ("text", "String"),
];

/// What a switch looks like.
const SWITCH: &str = "a switch is written `label [guard] / update -> target`";

/// The keyword with this text.
fn keyword(word: &str) -> Option<Tok> {
    Some(match word {
        "import" => Tok::Import,
        "type" => Tok::Type,
        "const" => Tok::Const,
        "fun" => Tok::Fun,
        "input" => Tok::Input,
        "output" => Tok::Output,
        "channel" => Tok::Channel,
        "process" => Tok::Process,
        "system" => Tok::System,
        "var" => Tok::Var,
        "init" => Tok::Init,
        "state" => Tok::State,
        "final" => Tok::Final,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek() != Tok::Eof && !self.too_many_errors() {
            let start = self.span();
            if self.confused && !starts_item(self.peek()) {
                // The rest of a declaration that was not understood.
                self.bump();
                self.skip_to(|p| starts_item(p.peek()) && p.starts_line());
                while self.eat(Tok::RBrace) {}
                continue;
            }
            self.confused = false;
            if self.stray_semicolon("a declaration") {
                continue;
            }
            let mut tok = self.peek();
            if !starts_item(tok) {
                let Some(meant) = self.unexpected_word("a declaration", &ITEM_WORDS) else {
                    self.bump();
                    self.skip_to(|p| starts_item(p.peek()) && p.starts_line());
                    while self.eat(Tok::RBrace) {}
                    continue;
                };
                tok = meant;
            }
            self.bump();
            let kind = self.item(tok);
            items.push(Item { kind, span: start.to(self.previous()) });
        }
        items
    }

    /// Passes over a `;` that other languages end things with.
    fn stray_semicolon(&mut self, after: &str) -> bool {
        let span = self.span();
        let found = self.eat(Tok::Semi);
        if found && !self.confused {
            let message = format!("{after} ends without `;`");
            let d = Diagnostic::new(Code::UnexpectedToken, span, message);
            self.diagnostics.push(d.help("take it out").fix(span, ""));
        }
        found
    }

    /// Reports a word that should have been one of `words`, and says which of them if that is clear.
    fn unexpected_word(&mut self, what: &str, words: &[&'static str]) -> Option<Tok> {
        let span = self.span();
        let text = self.slice(span);
        let was_confused = self.confused;
        let reported = self.expected_here(what);
        let synonym = SYNONYMS.iter().find(|(word, meant)| *word == text && words.contains(meant));
        let meant = match synonym {
            Some((_, meant)) => Some((*meant).to_string()),
            None => did_you_mean(text, words.iter().copied()),
        };
        // A word is followed by a name; a switch outside of a location or a stray name is something else.
        let meant = meant.filter(|_| self.peek() == Tok::Ident && matches!(self.peek_at(1), Tok::Ident | Tok::Str));
        if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
            match &meant {
                Some(word) => {
                    d.help = Some(format!("did you mean `{word}`?"));
                    d.fix = Some(Fix { span, replacement: word.clone() });
                }
                None => d.help = Some(format!("{what} starts with one of: {}", words.join(", "))),
            }
        }
        let tok = meant.and_then(|word| keyword(&word))?;
        self.confused = was_confused;
        Some(tok)
    }

    /// The rest of a declaration, after its first word.
    fn item(&mut self, word: Tok) -> ItemKind {
        match word {
            Tok::Import => ItemKind::Import(self.string("a file name in quotes")),
            Tok::Type => ItemKind::Type(self.type_decl()),
            Tok::Const => {
                let name = self.ident("the name of the constant");
                let ty = self.eat(Tok::Colon).then(|| self.type_expr());
                let value = self.value_after_equals(ty.as_ref());
                ItemKind::Const(ConstDecl { name, ty, value })
            }
            Tok::Fun => {
                let name = self.ident("the name of the function");
                let params = if self.expect(Tok::LParen) { self.param_list(Tok::RParen) } else { Vec::new() };
                let result = self.type_after_colon();
                let body = self.value_after_equals(Some(&result));
                ItemKind::Fun(FunDecl { name, params, result, body })
            }
            tok @ (Tok::Input | Tok::Output) => {
                let name = self.ident("the name of the gate");
                ItemKind::Gate(GateDecl { input: tok == Tok::Input, name, params: self.optional_params() })
            }
            Tok::Channel => {
                let name = self.ident("the name of the channel");
                ItemKind::Channel(ChannelDecl { name, params: self.optional_params() })
            }
            Tok::Process => ItemKind::Process(self.process()),
            _ => ItemKind::System(self.system()),
        }
    }

    /// `= value`; without the `=`, what follows is not read.
    fn value_after_equals(&mut self, ty: Option<&TypeExpr>) -> Expr {
        let span = self.span();
        if self.expect_equals() { self.value_of(ty) } else { Expr { kind: ExprKind::Error, span } }
    }

    pub(super) fn expect_equals(&mut self) -> bool {
        if self.peek() == Tok::Assign {
            let span = self.bump().span;
            self.diagnostics.push(
                Diagnostic::new(Code::UnexpectedToken, span, "expected `=`, found `:=`")
                    .help("declarations use `=`; `:=` is for updates in a switch")
                    .fix(span, "="),
            );
            return true;
        }
        self.expect(Tok::Equals)
    }

    fn string(&mut self, what: &str) -> StrLit {
        if matches!(self.peek(), Tok::Str | Tok::OpenStr) {
            let span = self.bump().span;
            return StrLit { value: self.unescape(span), span };
        }
        self.expected(what);
        StrLit { value: String::new(), span: self.span() }
    }

    fn optional_params(&mut self) -> Vec<ParamDecl> {
        if self.eat(Tok::LParen) { self.param_list(Tok::RParen) } else { Vec::new() }
    }

    fn param_list(&mut self, close: Tok) -> Vec<ParamDecl> {
        self.list(close, Self::param)
    }

    fn param(&mut self) -> ParamDecl {
        let name = self.ident("the name of a parameter");
        let ty = self.type_after_colon();
        let tolerance = self.eat(Tok::Tolerance).then(|| self.bound());
        ParamDecl { name, ty, tolerance }
    }

    /// `: Type`; without the colon, a type that follows is still read.
    fn type_after_colon(&mut self) -> TypeExpr {
        let colon = self.eat(Tok::Colon);
        if !colon {
            self.expected("`:` and a type");
        }
        if colon || (self.peek() == Tok::Ident && !self.starts_line()) {
            return self.type_expr();
        }
        TypeExpr { kind: TypeExprKind::Error, span: self.span() }
    }

    fn type_decl(&mut self) -> TypeDecl {
        let name = self.ident("the name of the type");
        self.expect_equals();
        if self.eat(Tok::LBrace) {
            return TypeDecl { name, body: TypeBody::Record(self.param_list(Tok::RBrace)) };
        }
        // One bare name is another name for a type; `|` before it makes it a constructor.
        let bar = self.eat(Tok::Pipe);
        let variants = bar || (self.peek() == Tok::Ident && matches!(self.peek_at(1), Tok::Pipe | Tok::LParen));
        if !variants {
            return TypeDecl { name, body: TypeBody::Alias(self.type_expr()) };
        }
        let mut all = Vec::new();
        loop {
            let name = self.ident("a constructor");
            all.push(VariantDecl { name, fields: self.optional_params() });
            if !self.eat(Tok::Pipe) {
                break;
            }
        }
        TypeDecl { name, body: TypeBody::Variants(all) }
    }

    pub(super) fn type_expr(&mut self) -> TypeExpr {
        self.nested(Self::type_expr_inner, |span| TypeExpr { kind: TypeExprKind::Error, span })
    }

    fn type_expr_inner(&mut self) -> TypeExpr {
        let start = self.span();
        if self.peek() != Tok::Ident {
            self.expected("a type");
            return TypeExpr { kind: TypeExprKind::Error, span: start };
        }
        let name = self.ident("a type");
        let kind = if name.name == "Seq" {
            if self.eat(Tok::Less) {
                let item = self.type_expr();
                self.expect(Tok::Greater);
                TypeExprKind::Seq(Box::new(item))
            } else {
                self.expected("`<` and the type of the items, as in `Seq<Int>`");
                TypeExprKind::Error
            }
        } else if self.peek() == Tok::Less && !self.starts_line() {
            // Only `Seq` has a type in `<…>`.
            if !self.confused {
                let message = format!("expected `Seq`, found `{}`", name.name);
                let d = Diagnostic::new(Code::UnexpectedToken, name.span, message);
                self.diagnostics.push(d.help("sequences are written `Seq<T>`").fix(name.span, "Seq"));
            }
            self.bump();
            let item = self.type_expr();
            self.expect(Tok::Greater);
            TypeExprKind::Seq(Box::new(item))
        } else {
            TypeExprKind::Name(name)
        };
        let base = TypeExpr { kind, span: start.to(self.previous()) };
        if !self.eat(Tok::In) {
            return base;
        }
        let lo = (self.peek() != Tok::DotDot).then(|| self.bound());
        let lo = match lo.map(|lo| self.dash_for_dots(lo)) {
            Some((lo, Some(hi))) => {
                let span = start.to(self.previous());
                let (lo, hi) = (Some(Box::new(lo)), Some(Box::new(hi)));
                return TypeExpr { kind: TypeExprKind::Range(Box::new(base), lo, hi), span };
            }
            Some((lo, None)) => Some(Box::new(lo)),
            None => None,
        };
        self.dots();
        let hi = self.starts_bound().then(|| Box::new(self.bound()));
        TypeExpr { kind: TypeExprKind::Range(Box::new(base), lo, hi), span: start.to(self.previous()) }
    }

    /// `1-10` where `1..10` was meant: the two ends, if that is clear.
    fn dash_for_dots(&mut self, lo: Expr) -> (Expr, Option<Expr>) {
        let dash = self.peek() != Tok::DotDot && matches!(&lo.kind, ExprKind::Chain(_, rest) if rest.len() == 1);
        match lo.kind {
            ExprKind::Chain(first, mut rest) if dash && rest[0].0 == BinOp::Sub => {
                let Some((_, span, last)) = rest.pop() else { return (*first, None) };
                let d = Diagnostic::new(Code::UnexpectedToken, span, "expected `..`, found `-`");
                self.understood(d.help("a range is written `lo..hi`, both included").fix(span, ".."));
                (*first, Some(last))
            }
            kind => (Expr { kind, span: lo.span }, None),
        }
    }

    /// `..`, or what other languages write.
    fn dots(&mut self) {
        let span = self.span();
        let span = match self.peek() {
            Tok::DotDot if self.peek_at(1) == Tok::Dot && self.joined() => {
                self.bump();
                span.to(self.bump().span)
            }
            Tok::Ident if self.slice(span) == "to" && !self.starts_line() => self.bump().span,
            _ => {
                self.expect(Tok::DotDot);
                return;
            }
        };
        let message = format!("expected `..`, found `{}`", self.slice(span));
        let d = Diagnostic::new(Code::UnexpectedToken, span, message);
        self.understood(d.help("a range is written `lo..hi`, both included").fix(span, ".."));
    }

    fn starts_bound(&self) -> bool {
        matches!(self.peek(), Tok::Int | Tok::Real | Tok::Minus | Tok::LParen)
            || (self.peek() == Tok::Ident && !(self.starts_line() && self.peek_at(1) == Tok::Colon))
    }

    /// An arithmetic expression without comparisons or indexing: a bound of a range, a tolerance.
    fn bound(&mut self) -> Expr {
        let outer = std::mem::replace(&mut self.no_index, true);
        let bound = self.expr_at(BinOp::Add.level());
        self.no_index = outer;
        bound
    }

    fn process(&mut self) -> ProcessDecl {
        let name = self.ident("the name of the process");
        let params = self.optional_params();
        let mut process = ProcessDecl { name, params, vars: Vec::new(), locations: Vec::new() };
        if !self.expect(Tok::LBrace) {
            self.skip_to(|p| p.peek() == Tok::LBrace);
            if !self.eat(Tok::LBrace) {
                return process;
            }
        }
        loop {
            self.confused &= !matches!(self.peek(), Tok::Var | Tok::Init | Tok::State | Tok::Final);
            match self.peek() {
                tok @ (Tok::Var | Tok::Init | Tok::State | Tok::Final) => self.member(tok, &mut process),
                Tok::Semi => {
                    self.stray_semicolon("this");
                }
                Tok::RBrace => {
                    self.bump();
                    return process;
                }
                tok if tok == Tok::Eof || (starts_item(tok) && self.starts_line()) || self.too_many_errors() => {
                    self.expected("`}` to end the process");
                    return process;
                }
                Tok::Ident if self.starts_foreign_var() => {
                    let var = self.foreign_var();
                    process.vars.push(var);
                }
                _ => match self.unexpected_word("a variable or location", &MEMBER_WORDS) {
                    Some(meant) => self.member(meant, &mut process),
                    None => {
                        self.bump();
                        self.skip_to(|p| matches!(p.peek(), Tok::Var | Tok::Init | Tok::State | Tok::Final));
                    }
                },
            }
        }
    }

    /// A variable or location, as its first word says; the word itself may be misspelt.
    fn member(&mut self, word: Tok, process: &mut ProcessDecl) {
        if word == Tok::Var {
            let var = self.var();
            process.vars.push(var);
        } else {
            let location = self.location(word);
            process.locations.push(location);
        }
    }

    fn var(&mut self) -> VarDecl {
        let start = self.bump().span;
        let name = self.ident("the name of the variable");
        let ty = match self.type_of_literal().filter(|_| !name.name.is_empty() && !self.confused) {
            Some(ty) => {
                let span = name.span.at_end();
                let message = "expected `:` and a type, found `=`";
                let d = Diagnostic::new(Code::UnexpectedToken, span, message).label("expected `:` and a type");
                let help = format!("a variable has a type: `var {}: {ty} = …`", name.name);
                self.diagnostics.push(d.help(help).fix(span, format!(": {ty}")));
                TypeExpr { kind: TypeExprKind::Name(Ident { name: ty.into(), span }), span }
            }
            None => self.type_after_colon(),
        };
        let init = if matches!(self.peek(), Tok::Equals | Tok::Assign) {
            self.expect_equals();
            if self.peek() == Tok::Any {
                Initial::Free(self.bump().span)
            } else {
                Initial::Value(self.value_of(Some(&ty)))
            }
        } else {
            Initial::Missing
        };
        VarDecl { name, ty, init, span: start.to(self.previous()) }
    }

    /// The type that a value after `=` certainly has: that of a literal.
    fn type_of_literal(&self) -> Option<&'static str> {
        if !matches!(self.peek(), Tok::Equals | Tok::Assign) {
            return None;
        }
        let minus = usize::from(self.peek_at(1) == Tok::Minus);
        match self.peek_at(1 + minus) {
            Tok::Int => Some("Int"),
            Tok::Real => Some("Real"),
            Tok::Str if minus == 0 => Some("String"),
            Tok::True | Tok::False if minus == 0 => Some("Bool"),
            _ => None,
        }
        .filter(|_| {
            let ends = [Tok::RBrace, Tok::Semi, Tok::Var, Tok::Init, Tok::State, Tok::Final];
            self.starts_line_at(2 + minus) || ends.contains(&self.peek_at(2 + minus))
        })
    }

    /// `int x = 0`, as other languages declare a variable.
    fn starts_foreign_var(&self) -> bool {
        if self.confused || self.peek_at(1) != Tok::Ident || self.starts_line_at(1) {
            return false;
        }
        let word = self.slice(self.span());
        let is_type = TYPE_WORDS.iter().any(|(name, _)| name.eq_ignore_ascii_case(word));
        match self.peek_at(2) {
            Tok::Equals | Tok::Assign => {
                is_type || (did_you_mean(word, MEMBER_WORDS).is_none() && !SYNONYMS.iter().any(|(w, _)| *w == word))
            }
            Tok::Semi => is_type,
            _ => is_type && self.starts_line_at(2),
        }
    }

    fn foreign_var(&mut self) -> VarDecl {
        let start = self.bump().span;
        let word = self.slice(start);
        let name = self.ident("the name of the variable");
        let ty = TYPE_WORDS.iter().find(|(w, _)| w.eq_ignore_ascii_case(word)).map_or(word, |(_, ty)| ty);
        let message = format!("expected a variable or location, found `{word}`");
        let d = Diagnostic::new(Code::UnexpectedToken, start, message);
        let before = self.diagnostics.len();
        let ty_expr = TypeExpr { kind: TypeExprKind::Name(Ident { name: ty.into(), span: start }), span: start };
        let (init, value) = if matches!(self.peek(), Tok::Equals | Tok::Assign) {
            self.bump();
            let e = if self.peek() == Tok::Any { None } else { Some(self.expr()) };
            match e {
                Some(e) => {
                    let value = self.slice(e.span);
                    (Initial::Value(e), value)
                }
                None => (Initial::Free(self.bump().span), "any"),
            }
        } else {
            // Other languages have a value for this; here it must be said.
            let value = match ty {
                "Int" => "0",
                "Real" => "0.0",
                "Bool" => "false",
                _ => "\"\"",
            };
            (Initial::Free(name.span), value)
        };
        self.eat(Tok::Semi);
        let span = start.to(self.previous());
        let written = format!("var {}: {ty} = {value}", name.name);
        let d = d.help(format!("a variable is declared `{written}`"));
        let clean = self.diagnostics.len() == before;
        self.diagnostics.push(if clean { d.fix(span, written) } else { d });
        VarDecl { name, ty: ty_expr, init, span }
    }

    fn location(&mut self, word: Tok) -> LocationDecl {
        let start = self.bump().span;
        let init = word == Tok::Init;
        let is_final = word == Tok::Final || (init && self.eat(Tok::Final));
        if self.peek() == Tok::State && self.peek_at(1) == Tok::Ident && !self.confused {
            let span = self.bump().span;
            let message = "expected the name of the location, found the keyword `state`";
            let d = Diagnostic::new(Code::UnexpectedToken, span, message);
            self.diagnostics.push(d.help("`init` and `final` stand instead of `state`").fix(span, ""));
        }
        let name = self.ident("the name of the location");
        let mut switches = Vec::new();
        if self.eat(Tok::LBrace) {
            loop {
                self.confused &= !self.starts_switch();
                match self.peek() {
                    Tok::RBrace => {
                        self.bump();
                        break;
                    }
                    Tok::Semi => {
                        self.stray_semicolon("a switch");
                    }
                    tok if matches!(tok, Tok::Eof | Tok::Var | Tok::Init | Tok::State | Tok::Final)
                        || (starts_item(tok) && self.starts_line())
                        || self.too_many_errors() =>
                    {
                        self.expected("`}` to end the location");
                        break;
                    }
                    _ => {
                        let before = self.pos;
                        switches.extend(self.switch());
                        if self.confused {
                            if self.pos == before {
                                self.bump();
                            }
                            self.skip_to(|p| {
                                p.starts_switch() || matches!(p.peek(), Tok::Var | Tok::Init | Tok::State | Tok::Final)
                            });
                        }
                    }
                }
            }
        }
        LocationDecl { init, is_final, name, switches, span: start.to(self.previous()) }
    }

    /// Whether the current token is at the start of a line and may start a switch.
    fn starts_switch(&self) -> bool {
        self.starts_line()
            && match self.peek() {
                Tok::Question | Tok::Bang | Tok::Tau | Tok::Send | Tok::Recv | Tok::Tag => true,
                Tok::Ident => matches!(
                    self.peek_at(1),
                    Tok::Colon | Tok::Tag | Tok::Question | Tok::Tau | Tok::Send | Tok::Recv | Tok::Bang
                ),
                _ => false,
            }
    }

    fn switch(&mut self) -> Option<SwitchDecl> {
        let start = self.span();
        let mut name = None;
        if self.peek() == Tok::Ident && matches!(self.peek_at(1), Tok::Colon | Tok::Tag) {
            name = Some(self.ident("a name"));
        }
        let mut tags = Vec::new();
        while self.peek() == Tok::Tag {
            let span = self.bump().span;
            tags.push(Ident { name: self.slice(span)[1..].into(), span });
        }
        if name.is_none()
            && tags.is_empty()
            && self.peek() == Tok::Ident
            && matches!(self.peek_at(1), Tok::Question | Tok::Bang | Tok::Tau | Tok::Send | Tok::Recv)
            && !self.starts_line_at(1)
        {
            name = Some(self.ident("a name"));
        }
        if (name.is_some() || !tags.is_empty()) && !self.eat(Tok::Colon) {
            let place = self.previous().at_end();
            if matches!(self.peek(), Tok::Question | Tok::Bang | Tok::Tau | Tok::Send | Tok::Recv) {
                let message = format!("expected `:`, found `{}`", self.slice(self.span()));
                let d = Diagnostic::new(Code::UnexpectedToken, place, message).label("expected `:`");
                self.understood(d.help("`:` stands between the name of a switch and its label").fix(place, ":"));
            } else {
                self.expect(Tok::Colon);
            }
        }
        let mut steps = vec![self.step()?];
        while self.eat(Tok::Semi) {
            steps.push(self.step()?);
        }
        let arrow = self.expect_arrow();
        let target = if arrow {
            self.ident("the target location")
        } else {
            Ident { name: String::new(), span: self.previous().at_end() }
        };
        Some(SwitchDecl { name, tags, steps, target, span: start.to(self.previous()) })
    }

    fn expect_arrow(&mut self) -> bool {
        if self.eat(Tok::Arrow) {
            return true;
        }
        let span = self.span();
        if self.peek() == Tok::FatArrow {
            self.bump();
            let d = Diagnostic::new(Code::UnexpectedToken, span, "expected `->`, found `=>`");
            self.understood(d.help("`->` leads to the target location").fix(span, "->"));
            return true;
        }
        // A name alone at the end of the line is the target.
        let last = self.starts_line_at(1) || matches!(self.peek_at(1), Tok::RBrace | Tok::Semi | Tok::Eof);
        if self.peek() == Tok::Ident && !self.starts_line() && last {
            let name = self.slice(span);
            let message = format!("expected `->` and the target location, found `{name}`");
            let d = Diagnostic::new(Code::UnexpectedToken, span, message).label("expected `->`");
            let place = Span { end: span.start, ..span };
            self.understood(d.help(format!("write `-> {name}`")).fix(place, "-> "));
            return true;
        }
        let reported = self.expected("`->` and the target location");
        if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
            d.help = Some(SWITCH.into());
        }
        false
    }

    fn step(&mut self) -> Option<StepDecl> {
        let start = self.span();
        let early = self.early_guard();
        let label = self.label()?;
        let early = early.map(|(guard, span)| {
            let (g, l) = (self.slice(span), self.slice(label.span));
            let bracket = if g.starts_with('[') { g.to_owned() } else { format!("[{g}]") };
            let d = Diagnostic::new(Code::UnexpectedToken, span, "the guard stands after the label");
            self.understood(d.help(SWITCH).fix(span.to(label.span), format!("{l} {bracket}")));
            guard
        });
        let guard = match (early, self.guard()) {
            (Some(guard), GuardDecl::None) => guard,
            (_, guard) => guard,
        };
        let mut update = Vec::new();
        let brace = (self.peek() == Tok::LBrace || (self.peek() == Tok::Slash && self.peek_at(1) == Tok::LBrace))
            && self.braces_update();
        if brace {
            self.update_in_braces(&mut update);
        } else if self.eat(Tok::Slash) {
            self.update(&mut update);
        }
        Some(StepDecl { label, guard, update, span: start.to(self.previous()) })
    }

    /// A guard where the label should be: `[x > 0] !done`, `else !done`.
    fn early_guard(&mut self) -> Option<(GuardDecl, Span)> {
        let start = self.span();
        match self.peek() {
            Tok::LBracket => {
                let guard = self.guard_in_brackets();
                Some((guard, start.to(self.previous())))
            }
            Tok::Else => {
                self.bump();
                Some((GuardDecl::Else(start), start))
            }
            _ => None,
        }
    }

    /// The guard of a switch, if there is one, in the one place for it.
    fn guard(&mut self) -> GuardDecl {
        let start = self.span();
        let word = self.slice(start);
        let foreign = match self.peek() {
            Tok::If | Tok::Else | Tok::With => true,
            Tok::Ident => matches!(word, "when" | "where" | "provided" | "guard"),
            _ => false,
        };
        if foreign && !self.starts_line() && !self.confused {
            return self.foreign_guard();
        }
        if self.peek() != Tok::LBracket {
            return GuardDecl::None;
        }
        let guard = self.guard_in_brackets();
        let first = start.to(self.previous());
        if self.peek() != Tok::LBracket || self.confused {
            return guard;
        }
        // A second one.
        let second_start = self.span();
        let second = self.guard_in_brackets();
        let span = second_start.to(self.previous());
        let d = Diagnostic::new(Code::UnexpectedToken, span, "a switch has one guard").also(first, "this is the first");
        let d = d.help("join the conditions with `&&`");
        match (guard, second) {
            (GuardDecl::Expr(a), GuardDecl::Expr(b)) if !self.confused => {
                let both = format!("[{} && {}]", self.operand(&a), self.operand(&b));
                self.diagnostics.push(d.fix(first.to(span), both));
                let all = a.span.to(b.span);
                let chain = ExprKind::Chain(Box::new(a), vec![(BinOp::And, second_start, b)]);
                GuardDecl::Expr(Expr { kind: chain, span: all })
            }
            (guard, _) => {
                self.understood(d);
                guard
            }
        }
    }

    /// The text of an expression as an operand of `&&`.
    fn operand(&self, e: &Expr) -> String {
        let text = self.slice(e.span);
        let loose = match &e.kind {
            ExprKind::Chain(_, rest) => rest.first().is_some_and(|(op, _, _)| op.level() < BinOp::And.level()),
            ExprKind::If(..) | ExprKind::Let(..) => true,
            _ => false,
        };
        if loose { format!("({text})") } else { text.to_owned() }
    }

    /// `when x > 0`, `else`, without the brackets.
    fn foreign_guard(&mut self) -> GuardDecl {
        let word = self.bump();
        let text = self.slice(word.span);
        let d = Diagnostic::new(Code::UnexpectedToken, word.span, format!("expected `[`, found `{text}`"));
        let d = d.help(format!("guards are written in brackets: {SWITCH}"));
        if self.peek() == Tok::LBracket {
            let d = d.fix(Span { end: self.span().start, ..word.span }, "");
            self.understood(d);
            return self.guard_in_brackets();
        }
        if word.tok == Tok::Else {
            self.understood(d.fix(word.span, "[else]"));
            return GuardDecl::Else(word.span);
        }
        let before = self.diagnostics.len();
        let outer = (self.no_index, self.in_update);
        (self.no_index, self.in_update) = (false, true);
        let guard = self.expr();
        (self.no_index, self.in_update) = outer;
        let fix = format!("[{}]", self.slice(guard.span));
        let clean = self.diagnostics.len() == before;
        let whole = word.span.to(guard.span);
        if matches!(guard.kind, ExprKind::Error) {
            // That there is no condition either is not said as well.
            self.diagnostics.truncate(before);
        }
        self.diagnostics.insert(before, if clean { d.fix(whole, fix) } else { d });
        GuardDecl::Expr(guard)
    }

    fn guard_in_brackets(&mut self) -> GuardDecl {
        self.bump();
        let guard = if self.peek() == Tok::Else && self.peek_at(1) == Tok::RBracket {
            GuardDecl::Else(self.bump().span)
        } else {
            let outer = std::mem::replace(&mut self.no_index, false);
            let before = (self.peek(), self.diagnostics.len());
            let guard = self.expr();
            self.no_index = outer;
            if before.0 == Tok::Else
                && let Some(d) = self.diagnostics.get_mut(before.1)
            {
                d.help = Some("a guard is a condition, or `else` alone".into());
            }
            GuardDecl::Expr(guard)
        };
        let span = self.span();
        if self.expect(Tok::RBracket) {
            guard
        } else {
            // What was read is not all of the guard, and says nothing about its type.
            GuardDecl::Expr(Expr { kind: ExprKind::Error, span })
        }
    }

    /// Whether what stands in braces is an update: `{ x := 1 }`.
    fn braces_update(&self) -> bool {
        let first = if self.peek() == Tok::Slash { 2 } else { 1 };
        self.peek_at(first) == Tok::Ident && matches!(self.peek_at(first + 1), Tok::Assign | Tok::Equals)
    }

    /// `{ x := 1 }`, as other languages write an update.
    fn update_in_braces(&mut self, update: &mut Vec<AssignDecl>) {
        let start = self.span();
        self.eat(Tok::Slash);
        let open = self.bump().span;
        let before = self.diagnostics.len();
        self.update(update);
        let inner = open.at_end().to(self.previous());
        if self.peek() == Tok::Semi && self.peek_at(1) == Tok::RBrace {
            self.bump();
        }
        if !self.expect(Tok::RBrace) {
            return;
        }
        let span = start.to(self.previous());
        let d = Diagnostic::new(Code::UnexpectedToken, open, "an update stands without braces").help(SWITCH);
        let fix = format!("/ {}", self.slice(inner).trim());
        let clean = self.diagnostics.len() == before;
        if clean {
            self.understood(d.fix(span, fix));
        } else if !self.confused {
            // What was found inside is mended first.
            self.diagnostics.push(d);
        }
    }

    /// `x := e, y := f`.
    fn update(&mut self, update: &mut Vec<AssignDecl>) {
        let outer = std::mem::replace(&mut self.in_update, true);
        loop {
            let target = self.ident("a variable to assign");
            if self.peek() == Tok::Dot && self.peek_at(1) == Tok::Ident {
                update.extend(self.field_update(target));
            } else {
                if self.peek() == Tok::Equals {
                    let span = self.bump().span;
                    self.diagnostics.push(
                        Diagnostic::new(Code::UnexpectedToken, span, "expected `:=`, found `=`")
                            .help("an update is written `x := e`")
                            .fix(span, ":="),
                    );
                } else if !self.eat(Tok::Assign) {
                    let reported = self.expected("`:=`");
                    if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                        d.help = Some("an update is written `x := e`, such as `x := x + 1`".into());
                    }
                    break;
                }
                let value = self.expr();
                update.push(AssignDecl { target, value });
            }
            if self.eat(Tok::Comma) {
                continue;
            }
            // `; !b` is an answer, `; y := 2` another assignment.
            let assigns = self.peek_at(1) == Tok::Ident && matches!(self.peek_at(2), Tok::Assign | Tok::Equals);
            if self.peek() != Tok::Semi || !assigns {
                break;
            }
            let span = self.bump().span;
            let d = Diagnostic::new(Code::UnexpectedToken, span, "expected `,`, found `;`");
            self.understood(d.help("`,` stands between the assignments of an update").fix(span, ","));
        }
        self.in_update = outer;
    }

    /// `q.x := e`: read as the record with that field changed.
    fn field_update(&mut self, target: Ident) -> Option<AssignDecl> {
        let before = self.diagnostics.len();
        self.bump();
        let field = self.ident("the name of a field");
        let place = target.span.to(field.span);
        let deeper = self.peek() == Tok::Dot;
        if !deeper && !self.eat(Tok::Equals) && !self.eat(Tok::Assign) {
            self.expected("`:=`");
            return None;
        }
        let d = Diagnostic::new(Code::UnexpectedToken, place, "an update assigns a whole variable");
        let (q, f) = (target.name.clone(), field.name.clone());
        if deeper {
            if !std::mem::replace(&mut self.confused, true) {
                self.diagnostics.push(d.help(format!("write `{q} := {q} with {{ {f}: … }}`")));
            }
            return None;
        }
        let value = self.expr();
        let whole = target.span.to(value.span);
        let written = format!("{q} := {q} with {{ {f}: {} }}", self.slice(value.span));
        let d = d.help(format!("write `{written}`"));
        if !self.confused || self.diagnostics.len() > before {
            let clean = self.diagnostics.len() == before;
            self.diagnostics.insert(before, if clean { d.fix(whole, written) } else { d });
        }
        let base = Expr { kind: ExprKind::Name(q), span: target.span };
        let fields = vec![FieldInit { name: field, value }];
        Some(AssignDecl { target, value: Expr { kind: ExprKind::With(Box::new(base), fields), span: whole } })
    }

    fn label(&mut self) -> Option<LabelDecl> {
        let start = self.span();
        let kind = match self.peek() {
            Tok::Question => LabelKind::Input,
            Tok::Bang => LabelKind::Output,
            Tok::Send => LabelKind::Send,
            Tok::Recv => LabelKind::Recv,
            Tok::Tau => LabelKind::Tau,
            Tok::Ident if !self.confused && self.sign_of(start).is_some() => {
                let (kind, sign) = self.sign_of(start)?;
                let name = self.slice(start);
                let place = Span { end: start.start, ..start };
                let d =
                    Diagnostic::new(Code::UnexpectedToken, start, format!("expected `{sign}{name}`, found `{name}`"));
                let what = if kind == LabelKind::Input { "an input" } else { "an output" };
                self.diagnostics.push(d.help(format!("`{name}` is {what}: write `{sign}{name}`")).fix(place, sign));
                return Some(self.gate_label(kind, start));
            }
            _ => {
                let reported =
                    self.expected_here("a switch: `?input`, `!output`, `tau`, `send channel` or `recv channel`");
                if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                    d.help = Some(SWITCH.into());
                }
                return None;
            }
        };
        self.bump();
        if kind == LabelKind::Tau {
            let mut choices = Vec::new();
            if self.eat(Tok::Any) {
                let outer = std::mem::replace(&mut self.no_index, true);
                loop {
                    choices.push(self.param());
                    // `, any k: Int` goes on.
                    if self.peek() == Tok::Comma {
                        self.bump();
                        self.expect(Tok::Any);
                    } else {
                        break;
                    }
                }
                self.no_index = outer;
            }
            let name = Ident { name: String::new(), span: start };
            return Some(LabelDecl { kind, name, args: Vec::new(), choices, span: start.to(self.previous()) });
        }
        Some(self.gate_label(kind, start))
    }

    /// The name of a gate or channel, and its arguments.
    fn gate_label(&mut self, kind: LabelKind, start: Span) -> LabelDecl {
        let what = if matches!(kind, LabelKind::Input | LabelKind::Output) { "a gate" } else { "a channel" };
        let name = self.ident(what);
        let args = if self.eat(Tok::LParen) { self.list(Tok::RParen, |p| p.arg(kind)) } else { Vec::new() };
        LabelDecl { kind, name, args, choices: Vec::new(), span: start.to(self.previous()) }
    }

    /// The sign that a gate of this file has before its name in a switch.
    fn sign_of(&self, name: Span) -> Option<(LabelKind, &'static str)> {
        let text = self.slice(name);
        let word = self.tokens.windows(2).find(|pair| {
            matches!(pair[0].tok, Tok::Input | Tok::Output)
                && pair[1].tok == Tok::Ident
                && self.slice(pair[1].span) == text
        })?;
        Some(if word[0].tok == Tok::Input { (LabelKind::Input, "?") } else { (LabelKind::Output, "!") })
    }

    fn arg(&mut self, kind: LabelKind) -> ArgDecl {
        match self.peek() {
            Tok::Ident if self.peek_at(1) == Tok::Equals && !self.confused => {
                let name = self.ident("a name");
                let span = self.bump().span;
                let value = self.expr();
                let (text, compared) = (self.slice(value.span), &name.name);
                let d = Diagnostic::new(Code::UnexpectedToken, name.span.to(span), "arguments have no names here");
                let binds = matches!(kind, LabelKind::Input | LabelKind::Recv);
                let d = if binds {
                    d.help(format!("an input gives names to values; compare in the guard: `[{compared} == {text}]`"))
                } else {
                    d.help(format!("arguments stand in the order of the declaration: write just `{text}`"))
                };
                self.understood(d);
                ArgDecl::Term(if binds { Expr { kind: ExprKind::Name(name.name), span: name.span } } else { value })
            }
            Tok::Any => {
                self.bump();
                ArgDecl::Any(self.ident("a name for the chosen value"))
            }
            Tok::Ident if self.slice(self.span()) == "_" => ArgDecl::Ignored(self.bump().span),
            _ => ArgDecl::Term(self.expr()),
        }
    }

    fn system(&mut self) -> SystemDecl {
        let name = self.ident("the name of the system");
        self.expect_equals();
        let mut instances = Vec::new();
        loop {
            let start: Span = self.span();
            let mut process = self.ident("a process");
            let mut name = None;
            if self.eat(Tok::Colon) {
                name = Some(process);
                process = self.ident("a process");
            }
            let args = if self.eat(Tok::LParen) { self.list(Tok::RParen, Self::expr) } else { Vec::new() };
            instances.push(InstanceDecl { name, process, args, span: start.to(self.previous()) });
            if matches!(self.peek(), Tok::Comma | Tok::Pipe) && self.peek_at(1) == Tok::Ident && !self.confused {
                let span = self.bump().span;
                let message = format!("expected `||`, found `{}`", self.slice(span));
                let d = Diagnostic::new(Code::UnexpectedToken, span, message);
                self.diagnostics.push(d.help("`||` stands between the processes that run in parallel").fix(span, "||"));
            } else if !self.eat(Tok::OrOr) {
                break;
            }
        }
        SystemDecl { name, instances }
    }
}
