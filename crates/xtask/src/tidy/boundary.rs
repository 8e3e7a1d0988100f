//! What is done in one place only, because a stranger's text, file or command passes there.

use std::path::Path;

use crate::Findings;
use crate::rust_text;

/// Something that only some files may do.
struct Only {
    /// What it looks like.
    marks: &'static [&'static str],
    /// The files, and folders, that it is a rule for.
    within: &'static [&'static str],
    /// The files that may.
    files: &'static [&'static str],
    /// What to do instead.
    instead: &'static str,
}

/// The crates that people run; the others are for those who develop sioco.
const PRODUCT: &[&str] = &[
    "crates/sioco/src",
    "crates/sioco-adapter/src",
    "crates/sioco-campaign/src",
    "crates/sioco-exec/src",
    "crates/sioco-lang/src",
    "crates/sioco-model/src",
    "crates/sioco-plan/src",
    "crates/sioco-report/src",
    "crates/sioco-solve/src",
    "crates/sioco-symbolic/src",
    "crates/sioco-test/src",
];

const RULES: &[Only] = &[
    Only {
        marks: &[
            "print!",
            "println!",
            "eprint!",
            "eprintln!",
            "io::stdout",
            "io::stderr",
            "io::{stdout",
            "io::{stderr",
        ],
        within: PRODUCT,
        // The last one speaks the protocol, in lines of JSON.
        files: &["crates/sioco/src/output.rs", "crates/sioco/src/bug.rs", "crates/sioco-adapter/src/server.rs"],
        instead: "text of others may be in it, which `Output` makes visible",
    },
    Only {
        marks: &["line(serde_json", "print(serde_json"],
        within: &["crates/sioco/src"],
        files: &[],
        instead: "`Output::json` keeps it JSON",
    },
    Only {
        marks: &["json!"],
        within: &["crates"],
        // Whoever writes an adapter writes JSON as they like.
        files: &["crates/sioco-adapter/examples/websocket.rs"],
        instead: "a type that serde writes has a schema, and cannot be written in two ways",
    },
    Only {
        marks: &["fs::read(", "fs::read_to_string(", "File::open("],
        within: PRODUCT,
        // A journal's first bytes are looked at before it is written over, and the system tells in files who listens.
        files: &[
            "crates/sioco-lang/src/source.rs",
            "crates/sioco-campaign/src/journal.rs",
            "crates/sioco-adapter/src/owner.rs",
        ],
        instead: "`read_limited` of sioco-lang reads files only, and within a limit",
    },
    Only {
        marks: &["child::Program", "Program::new(", ".connector()"],
        within: &["crates/sioco/src"],
        files: &["crates/sioco/src/permission.rs", "crates/sioco/src/run/described.rs"],
        instead: "what is started has to be permitted, in permission.rs",
    },
];

/// Each as `line: message`.
pub fn check(path: &Path, text: &str) -> Findings {
    let is_test = path.file_stem().is_some_and(|stem| stem == "tests") || path.iter().any(|part| part == "tests");
    let rules: Vec<&Only> = RULES.iter().filter(|rule| !is_test && rule.is_for(path)).collect();
    if rules.is_empty() {
        return Findings::new();
    }
    let code = rust_text::without_tests(&rust_text::code_only(text));
    let mut findings = Findings::new();
    for rule in rules {
        for mark in rule.marks {
            for (at, _) in code.match_indices(mark) {
                let whole = mark.starts_with('.') || !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                if whole {
                    findings.push(format!("{}: no `{mark}` here: {}", rust_text::line_of(&code, at), rule.instead));
                }
            }
        }
    }
    findings
}

impl Only {
    fn is_for(&self, path: &Path) -> bool {
        self.within.iter().any(|folder| path.starts_with(folder))
            && !self.files.iter().any(|file| path == Path::new(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn found(path: &str, text: &str, count: usize) {
        let found = check(Path::new(path), text);
        assert_eq!(found.len(), count, "{path}: {found:?}");
    }

    #[test]
    fn only_one_file_prints() {
        for text in
            ["println!(\"{}\", x);", "eprint!(\"a\")", "let out = std::io::stdout();", "use std::io::{stdout, Read};"]
        {
            found("crates/sioco/src/commands/check.rs", text, 1);
            found("crates/sioco-exec/src/drive.rs", text, 1);
            found("crates/sioco/src/output.rs", text, 0);
            found("crates/xtask/src/main.rs", text, 0);
            found("crates/sioco/tests/cli.rs", text, 0);
        }
        found("crates/sioco/src/a.rs", "// println!\nlet a = \"print!\"; my_print!(); x.stderr();", 0);
        found("crates/sioco/src/a.rs", "#[cfg(test)]\nmod tests { fn f() { eprintln!(\"skipped\"); } }", 0);
        found("crates/sioco/src/a.rs", "out.line(json!({}))", 1);
    }

    #[test]
    fn formats_are_types() {
        for text in ["let a = json!({ \"a\": 1 });", "serde_json::json!(1)"] {
            found("crates/sioco-exec/src/journal/write.rs", text, 1);
            found("crates/sioco-exec/src/journal/tests.rs", text, 0);
            found("crates/sioco-trust/src/driver.rs", text, 1);
            found("crates/xtask/src/mutants/results.rs", text, 1);
            found("crates/sioco-exec/tests/journal.rs", text, 0);
        }
        found("crates/sioco-plan/src/value.rs", "schemars::json_schema!({}); #[cfg(test)] mod tests { json!(1) }", 0);
    }

    #[test]
    fn only_one_file_reads() {
        for text in ["std::fs::read(path)", "fs::read_to_string(path)", "File::open(path)"] {
            found("crates/sioco/src/project.rs", text, 1);
            found("crates/sioco-lang/src/source.rs", text, 0);
        }
        found("crates/sioco/src/project.rs", "fs::read_dir(path); read_limited(path, 1)", 0);
    }

    #[test]
    fn only_what_is_permitted_is_started() {
        for text in ["use sioco_adapter::child::Program;", "Program::new(words)", "spec.connector()"] {
            found("crates/sioco/src/commands/replay.rs", text, 1);
            found("crates/sioco/src/permission.rs", text, 0);
            found("crates/sioco-adapter/src/spec.rs", text, 0);
        }
    }
}
