//! Declarations and systems.

use super::{Parser, starts_item};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Fix, did_you_mean};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

const ITEM_WORDS: [&str; 10] =
    ["import", "type", "const", "fun", "input", "output", "channel", "process", "system", "purpose"];

/// Words of other languages, and what they are here.
pub(super) const SYNONYMS: [(&str, &str); 11] = [
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
        "purpose" => Tok::Purpose,
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
            if self.confused && !starts_item(self.peek()) && !self.starts_purpose() {
                // The rest of a declaration that was not understood.
                self.bump();
                self.skip_to(Self::starts_item);
                while self.eat(Tok::RBrace) {}
                continue;
            }
            self.confused = false;
            if self.stray_semicolon("a declaration") {
                continue;
            }
            let mut tok = if self.slice(start) == "purpose" { Tok::Purpose } else { self.peek() };
            if !starts_item(tok) {
                let Some(meant) = self.unexpected_word("a declaration", &ITEM_WORDS) else {
                    self.bump();
                    self.skip_to(Self::starts_item);
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
    pub(super) fn stray_semicolon(&mut self, after: &str) -> bool {
        let span = self.span();
        let found = self.eat(Tok::Semi);
        if found && !self.confused {
            let message = format!("no `;` is needed after {after}");
            let d = Diagnostic::new(Code::UnexpectedToken, span, message);
            self.diagnostics.push(d.help("remove it").fix(span, ""));
        }
        found
    }

    /// Reports a word that should have been one of `words`, and says which of them if that is clear.
    pub(super) fn unexpected_word(&mut self, what: &str, words: &[&'static str]) -> Option<Tok> {
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
    pub(super) fn item(&mut self, word: Tok) -> ItemKind {
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
                let bound = self.starts_call_bound().then(|| {
                    self.bump();
                    self.bound()
                });
                let body = self.value_after_equals(Some(&result));
                ItemKind::Fun(FunDecl { name, params, result, bound, body })
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
            Tok::Purpose => ItemKind::Purpose(self.purpose()),
            _ => ItemKind::System(self.system()),
        }
    }

    /// `= value`; without the `=`, what follows is not read.
    pub(super) fn value_after_equals(&mut self, ty: Option<&TypeExpr>) -> Expr {
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

    pub(super) fn string(&mut self, what: &str) -> StrLit {
        if matches!(self.peek(), Tok::Str | Tok::OpenStr) {
            let span = self.bump().span;
            return StrLit { value: self.unescape(span), span };
        }
        self.expected(what);
        StrLit { value: String::new(), span: self.span() }
    }

    pub(super) fn optional_params(&mut self) -> Vec<ParamDecl> {
        if self.eat(Tok::LParen) { self.param_list(Tok::RParen) } else { Vec::new() }
    }

    pub(super) fn param_list(&mut self, close: Tok) -> Vec<ParamDecl> {
        self.list(close, Self::param)
    }

    pub(super) fn param(&mut self) -> ParamDecl {
        let name = self.ident("the name of a parameter");
        let ty = self.type_after_colon();
        let tolerance = self.eat(Tok::Tolerance).then(|| self.bound());
        ParamDecl { name, ty, tolerance }
    }

    pub(super) fn system(&mut self) -> SystemDecl {
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
                self.diagnostics.push(d.help("write `||` between processes that run in parallel").fix(span, "||"));
            } else if !self.eat(Tok::OrOr) {
                break;
            }
        }
        SystemDecl { name, instances }
    }
}
