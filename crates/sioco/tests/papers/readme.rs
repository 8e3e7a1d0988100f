//! The examples as a whole: all are clean and formatted, and their READMEs name the tests that there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sioco_lang::source::FileId;
use sioco_lang::syntax::format::format;

use crate::semantics::example;

fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            out.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
    out.sort();
    out
}

#[test]
fn every_example_is_formatted() {
    for path in files(&example(""), "sts") {
        let text = fs::read_to_string(&path).expect("a text");
        let formatted = format(FileId(0), &text).expect("no errors");
        assert!(formatted == text, "{} is not as the formatter writes it", path.display());
    }
}

/// `common.sts` is for others to import, and has nothing to run.
#[test]
fn every_example_is_clean() {
    let models: Vec<_> = files(&example(""), "sts").into_iter().filter(|p| !p.ends_with("common.sts")).collect();
    assert!(models.len() > 30);
    for path in models {
        crate::load(path.to_str().expect("a path in UTF-8"));
    }
}

#[test]
fn readmes_name_the_tests() {
    let mut named = BTreeSet::new();
    // Those with a project file are systems, and have no paper.
    for path in files(&example(""), "md").into_iter().filter(|p| !p.with_file_name("sioco.toml").exists()) {
        let text = fs::read_to_string(&path).expect("a text");
        for row in text.lines().filter(|l| l.starts_with('|') && l.ends_with("` |")) {
            named.extend(row.trim_end_matches("` |").rsplit('`').next().map(str::to_string));
        }
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/papers");
    let mut tests = BTreeSet::new();
    for path in files(&here, "rs").into_iter().filter(|p| !p.ends_with("readme.rs")) {
        let text = fs::read_to_string(&path).expect("a text");
        let names = text.split("#[test]\nfn ").skip(1).map(|t| t.split('(').next().expect("a name").to_string());
        tests.extend(names);
    }
    assert_eq!(named, tests);
}
