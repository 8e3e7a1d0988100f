//! Where a source file can be changed, and how: the operators of mutation.
//!
//! A *site* is a place in the text, and its mutants are what may stand there instead. Left alone are tests, constants,
//! patterns, and whatever stands in a macro.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ItemFn, Pat, ReturnType, Signature, UnOp};

use super::values;

/// One change of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// The function that it is in, with the type that this belongs to.
    pub function: String,
    /// What is changed, in words; no two changes of a function have the same.
    pub change: String,
    /// The line.
    pub line: usize,
    /// What stands there instead.
    pub text: String,
}

/// How the mutants of a site are switched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The expression is replaced by another one.
    Expression,
    /// The condition is replaced by `true` or by `false`.
    Condition,
    /// The arm is passed over; the place is behind its pattern.
    Arm,
    /// The function returns at once; the place is behind the brace that opens its body.
    Body,
}

/// A place with its mutants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Which bytes of the text.
    pub range: Range<usize>,
    pub shape: Shape,
    pub mutants: Vec<Mutant>,
}

/// What a file offers.
#[derive(Debug)]
pub struct MutantSites {
    /// In the order of the text; what encloses others comes first.
    pub sites: Vec<Site>,
    /// Functions that give something of which no value is known.
    pub skipped: usize,
}

/// Finds the sites of a file.
pub fn find(text: &str) -> Result<MutantSites, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut finder = Finder { text, scope: Vec::new(), sites: Vec::new(), skipped: 0 };
    finder.visit_file(&file);
    let mut sites = finder.sites;
    number_equals(&mut sites);
    Ok(MutantSites { sites, skipped: finder.skipped })
}

/// Equal changes of one function are told apart by a number.
fn number_equals(sites: &mut [Site]) {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for mutant in sites.iter_mut().flat_map(|s| &mut s.mutants) {
        let count = counts.entry((mutant.function.clone(), mutant.change.clone())).or_default();
        *count += 1;
        if *count > 1 {
            mutant.change = format!("{} (#{count})", mutant.change);
        }
    }
}

struct Finder<'t> {
    text: &'t str,
    /// The types and functions around, from the outermost.
    scope: Vec<String>,
    sites: Vec<Site>,
    skipped: usize,
}

fn bytes(span: Span) -> Range<usize> {
    span.byte_range()
}

impl Finder<'_> {
    fn source(&self, node: &impl Spanned) -> &str {
        &self.text[bytes(node.span())]
    }

    /// The same on one line.
    fn shown(&self, node: &impl Spanned) -> String {
        one_line(self.source(node))
    }

    fn add(&mut self, at: Span, range: Range<usize>, shape: Shape, changes: Vec<(String, String)>) {
        let (function, line) = (self.scope.join("::"), at.start().line);
        let mutant = |(change, text)| Mutant { function: function.clone(), change, line, text };
        let mutants: Vec<Mutant> = changes.into_iter().map(mutant).collect();
        if !mutants.is_empty() {
            self.sites.push(Site { range, shape, mutants });
        }
    }

    fn condition(&mut self, what: &str, condition: &Expr) {
        let shown = self.shown(condition);
        let change = |value: &str| (format!("{what} `{shown}` is `{value}`"), value.to_owned());
        let changes = ["true", "false"].map(change).to_vec();
        self.add(condition.span(), bytes(condition.span()), Shape::Condition, changes);
    }

    /// The condition of an `if` or a guard; of a chain with `let`, each of the others.
    fn conditions(&mut self, what: &str, condition: &Expr) {
        match condition {
            Expr::Let(_) => {}
            Expr::Binary(b) if has_let(condition) => {
                self.conditions(what, &b.left);
                self.conditions(what, &b.right);
            }
            _ => self.condition(what, condition),
        }
    }

    fn function(&mut self, attributes: &[syn::Attribute], signature: &Signature, body: &syn::Block) -> bool {
        if is_test(attributes) || signature.constness.is_some() {
            return false;
        }
        self.scope.push(signature.ident.to_string());
        let values = match &signature.output {
            ReturnType::Default => Some(vec!["()".to_owned()]),
            ReturnType::Type(_, ty) => values::of(ty),
        };
        let Some(values) = values else {
            self.skipped += 1;
            return true;
        };
        let open = bytes(body.brace_token.span.open());
        let close = bytes(body.brace_token.span.close());
        let inside = one_line(&self.text[open.end..close.start]);
        let same = |value: &String| inside == *value || (value == "()" && inside.is_empty());
        let changes = values.into_iter().filter(|v| !same(v)).map(|v| (format!("return `{v}`"), v));
        let changes: Vec<_> = changes.collect();
        self.add(signature.ident.span(), open.end..open.end, Shape::Body, changes);
        true
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether something is there for tests only.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        let cfg_test = a.path().is_ident("cfg")
            && matches!(&a.meta, syn::Meta::List(list) if list.tokens.to_string().split(|c: char| !c.is_alphanumeric())
                .any(|word| word == "test"));
        a.path().is_ident("test") || cfg_test
    })
}

/// Whether a chain of conditions has a `let`, which must stay where it is.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(b) if matches!(b.op, BinOp::And(_)) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}

/// Whether a pattern matches everything.
fn catches_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        // A name in capitals is a constant.
        Pat::Ident(i) => i.subpat.is_none() && i.ident.to_string().starts_with(|c: char| c.is_lowercase() || c == '_'),
        Pat::Tuple(t) => t.elems.iter().all(|p| catches_all(p) || matches!(p, Pat::Rest(_))),
        Pat::Reference(r) => catches_all(&r.pat),
        Pat::Paren(p) => catches_all(&p.pat),
        _ => false,
    }
}

/// The operator in words, and what it is replaced by.
fn others(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::BitXor(_) => &["|", "&"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["%=", "*="],
        BinOp::RemAssign(_) => &["/=", "+="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitXorAssign(_) => &["|=", "&="],
        _ => &[],
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if self.function(&item.attrs, &item.sig, &item.block) {
            visit::visit_block(self, &item.block);
            self.scope.pop();
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if self.function(&item.attrs, &item.sig, &item.block) {
            visit::visit_block(self, &item.block);
            self.scope.pop();
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default
            && self.function(&item.attrs, &item.sig, body)
        {
            visit::visit_block(self, body);
            self.scope.pop();
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let is_default = item.trait_.as_ref().is_some_and(|(_, path, _)| path.is_ident("Default"));
        // `Default` is what other bodies are replaced by.
        if is_test(&item.attrs) || is_default {
            return;
        }
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
            other => self.shown(other),
        };
        self.scope.push(name);
        item.items.iter().for_each(|i| self.visit_impl_item(i));
        self.scope.pop();
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.scope.push(item.ident.to_string());
        item.items.iter().for_each(|i| self.visit_trait_item(i));
        self.scope.pop();
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_expr_if(&mut self, item: &'ast syn::ExprIf) {
        self.conditions("condition", &item.cond);
        visit::visit_expr_if(self, item);
    }

    fn visit_expr_match(&mut self, item: &'ast syn::ExprMatch) {
        self.visit_expr(&item.expr);
        let last = item.arms.iter().position(|a| a.guard.is_none() && catches_all(&a.pat));
        for (at, arm) in item.arms.iter().enumerate() {
            match &arm.guard {
                Some((_, guard)) => {
                    self.conditions("guard", guard);
                    self.visit_expr(guard);
                }
                // The others catch what this one would.
                None if last.is_some_and(|last| at < last) => {
                    let end = bytes(arm.pat.span()).end;
                    let change = format!("delete the arm `{}`", self.shown(&arm.pat));
                    self.add(arm.pat.span(), end..end, Shape::Arm, vec![(change, String::new())]);
                }
                None => {}
            }
            self.visit_expr(&arm.body);
        }
    }

    fn visit_expr_binary(&mut self, item: &'ast syn::ExprBinary) {
        let in_chain = matches!(item.op, BinOp::And(_)) && (has_let(&item.left) || has_let(&item.right));
        if !in_chain {
            let (left, right, op) = (self.source(&item.left), self.source(&item.right), self.source(&item.op));
            let change = |other: &&str| {
                let shown = format!("{} [{op} -> {other}] {}", one_line(left), one_line(right));
                (format!("`{shown}`"), format!("({left}) {other} ({right})"))
            };
            let changes: Vec<_> = others(&item.op).iter().map(change).collect();
            self.add(item.op.span(), bytes(item.span()), Shape::Expression, changes);
        }
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'ast syn::ExprUnary) {
        let sign = match item.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => "",
        };
        if !sign.is_empty() {
            let change = format!("delete `{sign}` of `{}`", self.shown(item));
            let text = self.source(&item.expr).to_owned();
            self.add(item.span(), bytes(item.span()), Shape::Expression, vec![(change, text)]);
        }
        visit::visit_expr_unary(self, item);
    }

    fn visit_expr_repeat(&mut self, item: &'ast syn::ExprRepeat) {
        self.visit_expr(&item.expr);
    }

    // The values of these are needed while the program is built.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path_arguments(&mut self, _: &'ast syn::PathArguments) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> Vec<String> {
        let sites = find(text).unwrap().sites;
        sites.into_iter().flat_map(|s| s.mutants).map(|m| format!("{}: {}", m.function, m.change)).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(changes(text), expected, "{text}");
    }

    #[test]
    fn bodies_become_plain_values() {
        check("fn f() {}", &[]);
        check("fn f() { g() }", &["f: return `()`"]);
        check("fn f() -> bool { true }", &["f: return `false`"]);
        check("impl S { fn f(&self) -> bool { self.x } }", &["S::f: return `true`", "S::f: return `false`"]);
        check("trait T { fn f(&self) -> bool { false }  fn g(&self); }", &["T::f: return `true`"]);
        assert_eq!(find("fn f() -> &T { &X }").unwrap().skipped, 1);
    }

    #[test]
    fn operators_become_others() {
        check("fn f() -> &T { a == b }", &["f: `a [== -> !=] b`"]);
        check("fn f() -> &T { a  <\n b }", &["f: `a [< -> ==] b`", "f: `a [< -> >] b`", "f: `a [< -> <=] b`"]);
        check("fn f() -> &T { a += 1; }", &["f: `a [+= -> -=] 1`", "f: `a [+= -> *=] 1`"]);
        check("fn f() -> &T { !a }", &["f: delete `!` of `!a`"]);
        check("fn f() -> &T { -a; *b }", &["f: delete `-` of `-a`"]);
        check("fn f() -> &T { a && b && c }", &["f: `a && b [&& -> ||] c`", "f: `a [&& -> ||] b`"]);
    }

    #[test]
    fn conditions_and_guards_become_true_and_false() {
        check(
            "fn f() -> &T { if a { } else if b() { } }",
            &[
                "f: condition `a` is `true`",
                "f: condition `a` is `false`",
                "f: condition `b()` is `true`",
                "f: condition `b()` is `false`",
            ],
        );
        check(
            "fn f() -> &T { match a { A if g => 1, _ => 2 } }",
            &["f: guard `g` is `true`", "f: guard `g` is `false`"],
        );
        check("fn f() -> &T { if let A = a { } while let B = b { } }", &[]);
        check(
            "fn f() -> &T { if a && let B = b && c { } }",
            &[
                "f: condition `a` is `true`",
                "f: condition `a` is `false`",
                "f: condition `c` is `true`",
                "f: condition `c` is `false`",
            ],
        );
    }

    #[test]
    fn arms_are_deleted_where_others_catch() {
        check("fn f() -> &T { match a { A | B => 1, C(_) => 2 } }", &[]);
        check(
            "fn f() -> &T { match a { A | B => 1, C(_) => 2, other => 3 } }",
            &["f: delete the arm `A | B`", "f: delete the arm `C(_)`"],
        );
        check(
            "fn f() -> &T { match a { A => 1, B => 2, (_, _) => 3, NONE => 4 } }",
            &["f: delete the arm `A`", "f: delete the arm `B`"],
        );
        check("fn f() -> &T { match a { A => 1, NONE => 2 } }", &[]);
    }

    #[test]
    fn equal_changes_have_numbers() {
        check("fn f() -> &T { a == b; a == b; }", &["f: `a [== -> !=] b`", "f: `a [== -> !=] b` (#2)"]);
    }

    #[test]
    fn tests_constants_types_and_macros_stay() {
        check("#[cfg(test)] mod tests { fn f() { g() } }  #[test] fn t() { g() }", &[]);
        check("#[cfg(all(test, unix))] mod tests { fn f() { g() } }", &[]);
        check("const A: usize = 1 + 2; static B: bool = !C; enum E { A = 1 + 1 } const fn f() -> bool { !a }", &[]);
        check(
            "fn f(a: [u8; 1 + 1]) -> &T { [0; 1 + 1]; g::<{ 1 + 1 }>(); matches!(a, b if c == d); const { 1 + 1 }; }",
            &[],
        );
        check("impl Default for S { fn default() -> Self { g(1 + 1) } }", &[]);
    }

    #[test]
    fn ranges_count_bytes() {
        let text = "fn f() -> &T { /* ä€ */ g(\"ü\", a == b) }";
        let site = &find(text).unwrap().sites[0];
        assert_eq!(&text[site.range.clone()], "a == b");
        assert_eq!(site.mutants[0].line, 1);
    }
}
