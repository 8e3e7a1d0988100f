//! Processes, variables and locations.

use super::Parser;
use super::item::SYNONYMS;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

const MEMBER_WORDS: [&str; 4] = ["var", "init", "state", "final"];

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

impl Parser<'_> {
    pub(super) fn process(&mut self) -> ProcessDecl {
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
                tok if tok == Tok::Eof || self.starts_item() || self.too_many_errors() => {
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
    pub(super) fn member(&mut self, word: Tok, process: &mut ProcessDecl) {
        if word == Tok::Var {
            let var = self.var();
            process.vars.push(var);
        } else {
            let location = self.location(word);
            process.locations.push(location);
        }
    }

    pub(super) fn var(&mut self) -> VarDecl {
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
    pub(super) fn type_of_literal(&self) -> Option<&'static str> {
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
    pub(super) fn starts_foreign_var(&self) -> bool {
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

    pub(super) fn foreign_var(&mut self) -> VarDecl {
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

    pub(super) fn location(&mut self, word: Tok) -> LocationDecl {
        let start = self.bump().span;
        let init = word == Tok::Init;
        let is_final = word == Tok::Final || (init && self.eat(Tok::Final));
        if self.peek() == Tok::State && self.peek_at(1) == Tok::Ident && !self.confused {
            let span = self.bump().span;
            let message = "expected the name of the location, found the keyword `state`";
            let d = Diagnostic::new(Code::UnexpectedToken, span, message);
            self.diagnostics.push(d.help("write `init` or `final` instead of `state`").fix(span, ""));
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
                        || self.starts_item()
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
}
