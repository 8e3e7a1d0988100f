//! Types as written, with their ranges.

use super::Parser;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

impl Parser<'_> {
    /// `: Type`; without the colon, a type that follows is still read.
    pub(super) fn type_after_colon(&mut self) -> TypeExpr {
        let colon = self.eat(Tok::Colon);
        if !colon {
            self.expected("`:` and a type");
        }
        if colon || (self.peek() == Tok::Ident && !self.starts_line()) {
            return self.type_expr();
        }
        TypeExpr { kind: TypeExprKind::Error, span: self.span() }
    }

    pub(super) fn type_decl(&mut self) -> TypeDecl {
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

    pub(super) fn type_expr_inner(&mut self) -> TypeExpr {
        let start = self.span();
        if self.peek() != Tok::Ident {
            self.expected("a type");
            return TypeExpr { kind: TypeExprKind::Error, span: start };
        }
        let name = self.ident("a type");
        let kind = if name.name == "Seq" || name.name == "Set" {
            if self.eat(Tok::Less) {
                let item = Box::new(self.type_expr());
                self.expect(Tok::Greater);
                if name.name == "Seq" { TypeExprKind::Seq(item) } else { TypeExprKind::Set(item) }
            } else {
                self.expected(&format!("`<` and the type of the items, as in `{}<Int>`", name.name));
                TypeExprKind::Error
            }
        } else if name.name == "Map" {
            if self.eat(Tok::Less) {
                self.map_type()
            } else {
                self.expected("`<` and the types of keys and values, as in `Map<String, Int>`");
                TypeExprKind::Error
            }
        } else if self.peek() == Tok::Less && !self.starts_line() {
            // Only `Seq`, `Set` and `Map` have types in `<…>`.
            let meant = match name.name.to_lowercase().as_str() {
                "map" | "dict" | "dictionary" | "hashmap" | "treemap" | "btreemap" => "Map",
                "set" | "hashset" | "treeset" | "btreeset" => "Set",
                _ => "Seq",
            };
            if meant != "Seq" {
                if !self.confused {
                    let message = format!("expected `{meant}`, found `{}`", name.name);
                    let d = Diagnostic::new(Code::UnexpectedToken, name.span, message);
                    let help =
                        if meant == "Map" { "maps are written `Map<K, V>`" } else { "sets are written `Set<T>`" };
                    self.diagnostics.push(d.help(help).fix(name.span, meant));
                }
                self.bump();
                let kind = if meant == "Map" {
                    self.map_type()
                } else {
                    let item = self.type_expr();
                    self.expect(Tok::Greater);
                    TypeExprKind::Set(Box::new(item))
                };
                return TypeExpr { kind, span: start.to(self.previous()) };
            }
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

    /// `K, V>` after `Map<`.
    fn map_type(&mut self) -> TypeExprKind {
        let key = self.type_expr();
        if !self.eat(Tok::Comma) {
            self.expected("`,` and the type of the values, as in `Map<String, Int>`");
        }
        let value = self.type_expr();
        self.expect(Tok::Greater);
        TypeExprKind::Map(Box::new(key), Box::new(value))
    }

    /// `1-10` where `1..10` was meant: the two ends, if that is clear.
    pub(super) fn dash_for_dots(&mut self, lo: Expr) -> (Expr, Option<Expr>) {
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
    pub(super) fn dots(&mut self) {
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

    /// Whether the bound of a function that calls itself starts here: `bound 50`.
    pub(super) fn starts_call_bound(&self) -> bool {
        self.peek() == Tok::Ident
            && self.slice(self.span()) == "bound"
            && matches!(self.peek_at(1), Tok::Int | Tok::Ident | Tok::LParen | Tok::Minus)
    }

    pub(super) fn starts_bound(&self) -> bool {
        matches!(self.peek(), Tok::Int | Tok::Real | Tok::Minus | Tok::LParen)
            || (self.peek() == Tok::Ident
                && !(self.starts_line() && self.peek_at(1) == Tok::Colon)
                && !self.starts_call_bound())
    }

    /// An arithmetic expression without comparisons or indexing: a bound of a range, a tolerance.
    pub(super) fn bound(&mut self) -> Expr {
        let outer = std::mem::replace(&mut self.no_index, true);
        let bound = self.expr_at(BinOp::Add.level());
        self.no_index = outer;
        bound
    }
}
