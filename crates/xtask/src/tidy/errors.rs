//! Errors have types: what is wrong, where, and whose fault it is. A `Result` with a `String` for its error says that to
//! people only, and whoever calls can but pass it on.

use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::Findings;

/// Crates that nobody calls: what goes wrong in them is printed for whoever develops sioco, and the run ends.
const EXEMPT: &[&str] = &["crates/sioco-fuzz", "crates/sioco-trust", "crates/xtask"];

/// Each finding as `line: message`.
pub fn check(path: &Path, text: &str) -> Findings {
    let name = path.to_string_lossy();
    let is_test = name.ends_with("tests.rs") || name.contains("/tests/") || name.contains("/benches/");
    if !name.starts_with("crates/") || is_test || EXEMPT.iter().any(|folder| path.starts_with(folder)) {
        return Findings::new();
    }
    // What does not parse is told by the compiler.
    let Ok(file) = syn::parse_file(text) else { return Findings::new() };
    let mut looker = Looker { findings: Findings::new() };
    looker.visit_file(&file);
    looker.findings
}

struct Looker {
    findings: Findings,
}

/// Whether a type is `String`, or a list of them.
fn is_text(argument: &syn::GenericArgument) -> bool {
    let syn::GenericArgument::Type(syn::Type::Path(path)) = argument else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    match &last.arguments {
        syn::PathArguments::AngleBracketed(inside) if last.ident == "Vec" => inside.args.iter().all(is_text),
        _ => path.path.is_ident("String"),
    }
}

impl<'ast> Visit<'ast> for Looker {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !super::size::is_test(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        if !super::size::is_test(&node.attrs) {
            visit::visit_item_fn(self, node);
        }
    }

    fn visit_path_segment(&mut self, node: &'ast syn::PathSegment) {
        if let syn::PathArguments::AngleBracketed(arguments) = &node.arguments
            && node.ident == "Result"
            && arguments.args.iter().nth(1).is_some_and(is_text)
        {
            let line = node.span().start().line;
            self.findings.push(format!("{line}: an error is a type that says whose fault it is, and no `String`"));
        }
        visit::visit_path_segment(self, node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(Path::new(path), text).len()
    }

    #[test]
    fn errors_that_are_texts_are_found() {
        let plain = "crates/sioco-exec/src/a.rs";
        for text in [
            "fn f() -> Result<u8, String> { Ok(1) }",
            "type Line = Result<u8, String>;",
            "struct S { place: Option<(u8, Result<String, String>)> }",
            "trait T { fn f(&self) -> std::result::Result<\n    u8,\n    String,\n>; }",
            "fn f() { let g = || -> Result<u8, String> { Ok(1) }; }",
            "fn f() -> Result<u8, Vec<String>> { Ok(1) }",
        ] {
            assert_eq!(found(plain, text), 1, "{text}");
        }
        let line = check(Path::new(plain), "\nfn f() -> Result<u8, String> { Ok(1) }");
        assert!(line[0].starts_with("2: "), "{line:?}");
    }

    #[test]
    fn texts_that_are_no_errors_are_not() {
        let bad = "fn f() -> Result<u8, String> { Ok(1) }";
        for text in [
            "fn f() -> Result<String, E> { g() }",
            "fn f() -> io::Result<String> { g() }",
            "fn f() -> Result<Vec<String>, Vec<E>> { g() }",
        ] {
            assert_eq!(found("crates/sioco-exec/src/a.rs", text), 0, "{text}");
        }
        assert_eq!(found("crates/sioco-exec/src/a.rs", &format!("#[cfg(test)]\nmod tests {{ {bad} }}")), 0);
        for path in ["crates/xtask/src/a.rs", "crates/sioco-exec/tests/a.rs", "crates/sioco-exec/src/a/tests.rs"] {
            assert_eq!(found(path, bad), 0, "{path}");
        }
    }
}
