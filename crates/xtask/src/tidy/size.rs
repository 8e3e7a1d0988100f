//! How much one thing may be: fields of a struct, lines of a function, parameters. What holds more than that is two things.

use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::Findings;

/// A struct with more fields is taken apart.
const FIELDS: usize = 20;
/// A function with more lines has parts with names.
const LINES: usize = 100;
/// A function with more parameters gets a struct.
const PARAMETERS: usize = 6;

/// Larger all the same: the file, the name, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/sioco/src/commands/simulate.rs", "answer", "one arm for each request"),
    ("crates/sioco/src/commands/test.rs", "Test", "the options of a command, one field each"),
    ("crates/sioco/src/simulate/request.rs", "parse", "one arm for each request"),
    ("crates/sioco-exec/src/summary.rs", "Summary", "what a campaign came to, one field each"),
    ("crates/sioco-model/src/semantics/narrow/downwards.rs", "bound", "one arm for each operation"),
    ("crates/sioco-report/src/run/shape.rs", "SummaryLine", "the fields of a line of JSON"),
    ("crates/sioco-trust/src/oracle/eval.rs", "eval", "one arm for each operation"),
];

/// Each finding as `line: message`. Tests may be as long as their tables.
pub fn check(path: &Path, text: &str) -> Findings {
    let name = path.to_string_lossy();
    if !name.contains("/src/") || name.ends_with("tests.rs") || name.contains("/tests/") {
        return Findings::new();
    }
    // What does not parse is told by the compiler.
    let Ok(file) = syn::parse_file(text) else { return Findings::new() };
    let mut looker = Looker { path: &name, findings: Findings::new() };
    looker.visit_file(&file);
    looker.findings
}

/// Whether everything that is excused is still too large.
pub fn stale(files: &[(&Path, &str)]) -> Findings {
    let is_large = |(file, name, _): &&(&str, &str, &str)| {
        let text = files.iter().find(|(path, _)| path.to_string_lossy() == *file).map_or("", |(_, text)| *text);
        let Ok(parsed) = syn::parse_file(text) else { return false };
        let mut looker = Looker { path: "", findings: Findings::new() };
        looker.visit_file(&parsed);
        looker.findings.iter().any(|finding| finding.contains(&format!("`{name}`")))
    };
    let gone = EXCEPTIONS.iter().filter(|exception| !is_large(exception));
    gone.map(|(file, name, _)| format!("crates/xtask/src/tidy/size.rs: `{name}` in {file} is no exception any more"))
        .collect()
}

struct Looker<'a> {
    path: &'a str,
    findings: Findings,
}

impl Looker<'_> {
    fn find(&mut self, line: usize, name: &str, what: String) {
        if !EXCEPTIONS.iter().any(|(file, excused, _)| *file == self.path && *excused == name) {
            self.findings.push(format!("{line}: `{name}` has {what}"));
        }
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (name, line) = (signature.ident.to_string(), signature.ident.span().start().line);
        let lines = block.span().end().line + 1 - signature.span().start().line;
        if lines > LINES {
            self.find(line, &name, format!("{lines} lines; {LINES} are enough"));
        }
        self.parameters(signature);
    }

    fn parameters(&mut self, signature: &syn::Signature) {
        let (name, line) = (signature.ident.to_string(), signature.ident.span().start().line);
        if signature.inputs.len() > PARAMETERS {
            self.find(line, &name, format!("{} parameters; {PARAMETERS} are enough", signature.inputs.len()));
        }
    }
}

pub fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list().map(|list| list.tokens.to_string());
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && list.is_ok_and(|list| list == "test")
    })
}

impl<'ast> Visit<'ast> for Looker<'_> {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !is_test(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_struct(&mut self, node: &'ast syn::ItemStruct) {
        if node.fields.len() > FIELDS {
            let what = format!("{} fields; {FIELDS} are enough", node.fields.len());
            self.find(node.ident.span().start().line, &node.ident.to_string(), what);
        }
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        if !is_test(&node.attrs) {
            self.function(&node.sig, &node.block);
            visit::visit_item_fn(self, node);
        }
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.sig, &node.block);
        visit::visit_impl_item_fn(self, node);
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        self.parameters(&node.sig);
        visit::visit_trait_item_fn(self, node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Findings {
        check(Path::new("crates/x/src/a.rs"), text)
    }

    #[test]
    fn what_is_large_is_found() {
        let fields: String = (0..21).map(|i| format!("a{i}: u8, ")).collect();
        assert_eq!(found(&format!("\nstruct Big {{ {fields} }}")), ["2: `Big` has 21 fields; 20 are enough"]);
        let lines = "    let _ = 1;\n".repeat(100);
        assert_eq!(found(&format!("fn long() {{\n{lines}}}")), ["1: `long` has 102 lines; 100 are enough"]);
        let parameters: String = (0..7).map(|i| format!("a{i}: u8, ")).collect();
        let many = "has 7 parameters; 6 are enough";
        assert_eq!(found(&format!("fn many({parameters}) {{}}")), [format!("1: `many` {many}")]);
        assert_eq!(found(&format!("trait T {{ fn many({parameters}); }}")), [format!("1: `many` {many}")]);
        assert_eq!(found(&format!("impl X {{ fn many({parameters}) {{}} }}")), [format!("1: `many` {many}")]);
    }

    #[test]
    fn tests_may_be_long() {
        let lines = "    let _ = 1;\n".repeat(100);
        let long = format!("fn long() {{\n{lines}}}");
        assert_eq!(found(&format!("#[test]\n{long}")), Findings::new());
        assert_eq!(found(&format!("#[cfg(test)]\nmod tests {{ {long} }}")), Findings::new());
        assert_eq!(check(Path::new("crates/x/tests/a.rs"), &long), Findings::new());
    }
}
