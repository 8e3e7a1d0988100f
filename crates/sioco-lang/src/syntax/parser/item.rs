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
                ItemKind::Const(ConstDecl { name, ty, value: self.value_after_equals() })
            }
            Tok::Fun => {
                let name = self.ident("the name of the function");
                let params = if self.expect(Tok::LParen) { self.param_list(Tok::RParen) } else { Vec::new() };
                let result = self.type_after_colon();
                ItemKind::Fun(FunDecl { name, params, result, body: self.value_after_equals() })
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
    fn value_after_equals(&mut self) -> Expr {
        let span = self.span();
        if self.expect_equals() { self.expr() } else { Expr { kind: ExprKind::Error, span } }
    }

    fn expect_equals(&mut self) -> bool {
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
        let lo = (self.peek() != Tok::DotDot).then(|| Box::new(self.bound()));
        self.expect(Tok::DotDot);
        let hi = self.starts_bound().then(|| Box::new(self.bound()));
        TypeExpr { kind: TypeExprKind::Range(Box::new(base), lo, hi), span: start.to(self.previous()) }
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
        let ty = self.type_after_colon();
        let init = if matches!(self.peek(), Tok::Equals | Tok::Assign) {
            self.expect_equals();
            if self.peek() == Tok::Any { Initial::Free(self.bump().span) } else { Initial::Value(self.expr()) }
        } else {
            Initial::Missing
        };
        VarDecl { name, ty, init, span: start.to(self.previous()) }
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
                Tok::Ident => matches!(self.peek_at(1), Tok::Colon | Tok::Tag),
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
        if name.is_some() || !tags.is_empty() {
            self.expect(Tok::Colon);
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
        self.expected("`->` and the target location");
        false
    }

    fn step(&mut self) -> Option<StepDecl> {
        let start = self.span();
        let label = self.label()?;
        let guard = if self.eat(Tok::LBracket) {
            let guard = if self.peek() == Tok::Else && self.peek_at(1) == Tok::RBracket {
                GuardDecl::Else(self.bump().span)
            } else {
                let outer = std::mem::replace(&mut self.no_index, false);
                let guard = self.expr();
                self.no_index = outer;
                GuardDecl::Expr(guard)
            };
            let span = self.span();
            if self.expect(Tok::RBracket) {
                guard
            } else {
                // What was read is not all of the guard, and says nothing about its type.
                GuardDecl::Expr(Expr { kind: ExprKind::Error, span })
            }
        } else {
            GuardDecl::None
        };
        let mut update = Vec::new();
        if self.eat(Tok::Slash) {
            loop {
                let target = self.ident("a variable to assign");
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
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        Some(StepDecl { label, guard, update, span: start.to(self.previous()) })
    }

    fn label(&mut self) -> Option<LabelDecl> {
        let start = self.span();
        let kind = match self.peek() {
            Tok::Question => LabelKind::Input,
            Tok::Bang => LabelKind::Output,
            Tok::Send => LabelKind::Send,
            Tok::Recv => LabelKind::Recv,
            Tok::Tau => LabelKind::Tau,
            _ => {
                self.expected_here("a switch: `?input`, `!output`, `tau`, `send channel` or `recv channel`");
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
        let what = if matches!(kind, LabelKind::Input | LabelKind::Output) { "a gate" } else { "a channel" };
        let name = self.ident(what);
        let args = if self.eat(Tok::LParen) { self.list(Tok::RParen, Self::arg) } else { Vec::new() };
        Some(LabelDecl { kind, name, args, choices: Vec::new(), span: start.to(self.previous()) })
    }

    fn arg(&mut self) -> ArgDecl {
        match self.peek() {
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
