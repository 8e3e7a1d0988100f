//! Rules for the files of the repository.

mod boundary;
mod dependencies;
mod errors;
mod links;
mod map;
mod size;
mod theory;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Findings;
use crate::project::{self, Project};
use crate::rust_text;

/// A file longer than this holds more than one idea.
const MAX_LINES: usize = 900;

/// Places that exist on one machine only. In two parts each, or this file would break its own rule.
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp/", "agents")];

/// What unfinished or unchecked code looks like.
const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];

/// The one crate with lints of its own, and the one file in it that may be unsafe.
const UNSAFE_CRATE: &str = "package.name = \"sioco-solve\"";
const UNSAFE_FILE: &str = "crates/sioco-solve/src/smt/z3/lib.rs";

pub fn check(project: &Project) -> Result<Findings, String> {
    let files = project.files()?;
    let mut findings = examples(&files);
    let mut texts = Vec::new();
    for path in &files {
        let text = project::read(&project.root.join(path))?;
        let mut found = machine_paths(&text);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => {
                found.extend(length(&text));
                found.extend(unfinished(&text));
                found.extend(unsafe_code(path, &text));
                found.extend(boundary::check(path, &text));
                found.extend(size::check(path, &text));
                found.extend(errors::check(path, &text));
            }
            Some("md") => {
                found.extend(links::check(path, &text, &|target| target_of(&project.root, target)));
                found.extend(map::check(path, &text, &|file| project::read(&project.root.join(file)).ok()));
            }
            _ => {}
        }
        findings.extend(found.into_iter().map(|finding| format!("{}:{finding}", path.display())));
        if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            texts.push((path.as_path(), text));
        }
    }
    let texts: Vec<(&Path, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    findings.extend(theory::check(&texts));
    findings.extend(size::stale(&texts));
    findings.extend(dependencies::check(project)?);
    for package in &project.crates {
        let found = manifest(&project::read(&package.dir.join("Cargo.toml"))?);
        findings.extend(found.into_iter().map(|finding| format!("crate {}: {finding}", package.name)));
    }
    Ok(findings)
}

fn target_of(root: &Path, path: &Path) -> links::Target {
    let path = root.join(path);
    match project::read(&path) {
        Ok(text) => links::Target::File(text),
        Err(_) if path.is_dir() => links::Target::Directory,
        Err(_) => links::Target::Missing,
    }
}

fn machine_paths(text: &str) -> Findings {
    let mut findings = Vec::new();
    for place in MACHINE_PATHS {
        for (at, _) in text.match_indices(place) {
            // Part of a longer path, relative or on another host, that only looks alike.
            let longer = text[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~}".contains(c));
            if !longer {
                let line = rust_text::line_of(text, at);
                findings.push(format!("{line}: {place} is a place on one machine only"));
            }
        }
    }
    findings
}

fn length(text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > MAX_LINES).then(|| format!("{MAX_LINES}: {lines} lines; split the file at a concept"))
}

fn unfinished(text: &str) -> Findings {
    let code = rust_text::code_only(text);
    let mut findings = Vec::new();
    for mark in UNFINISHED {
        for (at, _) in code.match_indices(mark) {
            let longer_name = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !longer_name {
                let line = rust_text::line_of(&code, at);
                findings.push(format!("{line}: {mark} marks something unfinished or untested"));
            }
        }
    }
    findings
}

fn unsafe_code(path: &Path, text: &str) -> Findings {
    let code = rust_text::code_only(text);
    let allowances = code.match_indices("allow(unsafe_code").filter(|_| path != Path::new(UNSAFE_FILE));
    allowances.map(|(at, _)| format!("{}: only {UNSAFE_FILE} may be unsafe", rust_text::line_of(&code, at))).collect()
}

fn examples(files: &[PathBuf]) -> Findings {
    let parts: BTreeSet<&Path> = files
        .iter()
        .filter(|path| path.starts_with("examples") && path.components().count() > 2)
        .filter_map(|path| path.ancestors().find(|ancestor| ancestor.components().count() == 2))
        .collect();
    parts
        .into_iter()
        .filter(|example| !files.contains(&example.join("README.md")))
        .map(|example| format!("{}: has no README.md", example.display()))
        .collect()
}

/// What the manifest of a crate must say.
fn manifest(text: &str) -> Findings {
    let mut section = String::new();
    let mut keys = BTreeSet::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            section = format!("{}.", name.trim_end_matches(']').trim());
        } else if let Some((key, value)) = line.split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            keys.insert(format!("{section}{key}"));
            keys.insert(format!("{section}{key} = {value}"));
        }
    }
    let mut findings = Vec::new();
    let mut demand = |spellings: &[&str], message: &str| {
        if !spellings.iter().any(|spelling| keys.contains(*spelling)) {
            findings.push(message.to_owned());
        }
    };
    demand(&["package.description"], "Cargo.toml has no description");
    demand(&["package.license", "package.license.workspace = true"], "Cargo.toml has no license");
    // What the workspace forbids, no file can allow.
    if keys.contains(UNSAFE_CRATE) {
        demand(&["lints.rust.unsafe_code = \"deny\""], "Cargo.toml does not deny unsafe code");
        return findings;
    }
    demand(&["lints.workspace = true"], "Cargo.toml does not take over the lints: [lints] workspace = true");
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found() {
        for place in MACHINE_PATHS {
            assert_eq!(machine_paths(&format!("a\nsee {place}x")).len(), 1);
            assert!(machine_paths(&format!("a\nsee {place}x"))[0].starts_with("2: "));
            assert!(machine_paths(&format!("docs{place}x and https://example.org{place}x")).is_empty());
        }
    }

    #[test]
    fn long_files_are_found() {
        assert_eq!(length(&"\n".repeat(MAX_LINES)), None);
        assert_eq!(length(&"\n".repeat(MAX_LINES + 1)).unwrap(), "900: 901 lines; split the file at a concept");
    }

    #[test]
    fn unfinished_code_is_found() {
        assert_eq!(unfinished("fn f() {\n    todo!()\n}"), ["2: todo! marks something unfinished or untested"]);
        assert_eq!(unfinished("unimplemented!(\"x\")").len(), 1);
        assert_eq!(unfinished("let x = dbg!(y);").len(), 1);
        assert_eq!(unfinished("#[test]\n#[ignore]\nfn f() {}").len(), 1);
        assert_eq!(unfinished("#[ignore = \"slow\"]").len(), 1);
        assert!(unfinished("// todo!()\nmy_todo!(); \"dbg!(x)\"").is_empty());
    }

    #[test]
    fn examples_have_readmes() {
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert!(examples(&files(&["examples/a/model.sts", "examples/a/README.md", "examples/b.sts"])).is_empty());
        assert_eq!(
            examples(&files(&["examples/a/model.sts", "examples/a/sut/README.md"])),
            ["examples/a: has no README.md"]
        );
    }

    #[test]
    fn one_file_may_be_unsafe() {
        let text = "\n#![allow(unsafe_code)]";
        assert!(unsafe_code(Path::new(UNSAFE_FILE), text).is_empty());
        assert_eq!(unsafe_code(Path::new("crates/sioco/src/lib.rs"), text).len(), 1);
        let own = "[package]\nname = \"sioco-solve\"\ndescription = \"d\"\nlicense.workspace = true\n[lints.rust]\n";
        assert!(manifest(&format!("{own}unsafe_code = \"deny\"")).is_empty());
        assert_eq!(manifest(&format!("{own}unsafe_code = \"allow\"")).len(), 1);
    }

    #[test]
    fn manifests_are_complete() {
        let good = "[package]\ndescription = \"d\"\nlicense.workspace = true\n\n[lints]\nworkspace = true\n";
        assert!(manifest(good).is_empty());
        assert!(manifest("lints.workspace = true\n[package]\ndescription = \"d\"\nlicense = \"MIT\"").is_empty());
        for part in ["description = \"d\"", "license.workspace = true", "workspace = true"] {
            let at = good.rfind(part).unwrap();
            let bad = format!("{}{}", &good[..at], &good[at + part.len()..]);
            assert_eq!(manifest(&bad).len(), 1, "{bad}");
        }
        assert_eq!(manifest("[dependencies]\nlicense = \"1\"\n").len(), 3);
    }
}
