//! The direction of dependencies, and what each crate keeps its hands off.

use std::path::Path;

use crate::clock::{self, Source};
use crate::layers::layer;
use crate::project::{self, Crate, Project};
use crate::{Findings, rust_text};

/// A rule about packages from elsewhere: only these crates may use those whose name starts like this.
struct OnlyFor {
    package: &'static str,
    crates: &'static [&'static str],
}

const PACKAGES: &[OnlyFor] = &[
    OnlyFor { package: "clap", crates: &["sioco"] },
    OnlyFor { package: "lsp-", crates: &["sioco"] },
    OnlyFor { package: "gen-lsp-types", crates: &["sioco"] },
];

/// A rule about the standard library: who may not use what, and why.
struct Absent {
    crates: Crates,
    paths: &'static [&'static str],
    why: &'static str,
    /// Files that may all the same, each with its reason.
    except: &'static [(&'static str, &'static str)],
}

enum Crates {
    Among(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

const ABSENT: &[Absent] = &[
    Absent {
        crates: Crates::Among(&["sioco-model"]),
        paths: &["std::fs", "std::net", "std::process"],
        why: "a model has no IO and no clock",
        except: &[],
    },
    Absent {
        crates: Crates::Among(&["sioco-exec"]),
        paths: &["std::fs"],
        why: "observations come in as values, so that a journal replays exactly",
        except: &[],
    },
    Absent {
        crates: Crates::Among(clock::CRATES),
        paths: clock::CLOCKS,
        why: "time comes in as a value, so that the same work has the same result",
        except: clock::READERS,
    },
    Absent {
        crates: Crates::AllBut(&["sioco-adapter", "xtask"]),
        paths: &["std::net"],
        why: "only sioco-adapter reaches the network",
        except: &[],
    },
    Absent {
        // SMT solvers are child processes too, and not systems under test; sioco-trust has workers that may hang.
        crates: Crates::AllBut(&["sioco-adapter", "sioco-solve", "sioco-trust", "xtask"]),
        paths: &["std::process"],
        why: "only sioco-adapter reaches other processes, and sioco-solve the solvers",
        except: &[],
    },
];

/// How the command ends is its own business.
const EXCEPTIONS: &[(&str, &str)] = &[("sioco", "std::process::ExitCode"), ("sioco", "std::process::exit")];

pub fn check(project: &Project) -> Result<Findings, String> {
    let (mut findings, mut without_clock) = (Vec::new(), Vec::new());
    for package in &project.crates {
        findings.extend(directions(package));
        findings.extend(packages(package));
        findings.extend(clock::packages(&package.name, &package.dependencies));
        let source = package.dir.join("src");
        for path in project::files_under(&source, &[])? {
            if path.extension().is_some_and(|extension| extension == "rs")
                && !is_test(path.strip_prefix(&source).unwrap_or(&path))
            {
                let shown = path.strip_prefix(&project.root).unwrap_or(&path).display().to_string();
                let text = project::read(&path)?;
                let found = absences(&package.name, &shown, &text);
                findings.extend(found.into_iter().map(|finding| format!("{shown}:{finding}")));
                if clock::CRATES.contains(&package.name.as_str()) {
                    without_clock.push(Source { path: shown, text });
                }
            }
        }
    }
    findings.extend(clock::check(&without_clock));
    Ok(findings)
}

/// Files of a `#[cfg(test)] mod tests;`, relative to `src`.
fn is_test(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "tests") || path.iter().any(|part| part == "tests")
}

fn directions(package: &Crate) -> Findings {
    let Some(layer) = layer(&package.name) else {
        return vec![format!("crate {}: has no place yet; give it one in crates/xtask/src/layers.rs", package.name)];
    };
    let ours = package.dependencies.iter().filter(|name| crate::layers::layer(name).is_some());
    ours.filter(|name| !layer.may_use(name))
        .map(|name| format!("crate {}: may not depend on {name}, which is not below it", package.name))
        .collect()
}

fn packages(package: &Crate) -> Findings {
    let mut findings = Vec::new();
    for rule in PACKAGES.iter().filter(|rule| !rule.crates.contains(&package.name.as_str())) {
        for name in package.dependencies.iter().filter(|name| name.starts_with(rule.package)) {
            let crates = rule.crates.join(", ");
            findings.push(format!("crate {}: may not depend on {name}, which is only for {crates}", package.name));
        }
    }
    findings
}

/// Each as `line: message`.
fn absences(name: &str, file: &str, text: &str) -> Findings {
    let code = rust_text::without_tests(&rust_text::code_only(text));
    let mut findings = Vec::new();
    for (line, path) in rust_text::std_paths(&code) {
        let excepted = EXCEPTIONS.iter().any(|&(crate_name, exception)| crate_name == name && exception == path);
        let broken = ABSENT
            .iter()
            .find(|rule| rule.is_for(name) && !rule.is_excepted(file) && rule.paths.iter().any(|f| reaches(&path, f)));
        if let (Some(rule), false) = (broken, excepted) {
            findings.push(format!("{line}: {name} may not use {path}: {}", rule.why));
        }
    }
    findings
}

impl Absent {
    fn is_for(&self, name: &str) -> bool {
        match self.crates {
            Crates::Among(crates) => crates.contains(&name),
            Crates::AllBut(except) => !except.contains(&name),
        }
    }

    fn is_excepted(&self, file: &str) -> bool {
        self.except.iter().any(|(excepted, _)| *excepted == file)
    }
}

/// Whether a path names the forbidden thing, something inside it, or a module through which it can be named.
fn reaches(path: &str, forbidden: &str) -> bool {
    let inside = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with("::"));
    path == forbidden || inside(path, forbidden) || inside(forbidden, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Crate {
        let dependencies = dependencies.iter().map(|&name| name.to_owned()).collect();
        Crate { name: name.to_owned(), dir: "crates".into(), dependencies }
    }

    #[test]
    fn dependencies_point_down() {
        assert!(directions(&package("sioco-lang", &["sioco-model", "logos"])).is_empty());
        assert!(directions(&package("sioco", &["sioco-report", "sioco-lang", "sioco-model", "sioco-exec"])).is_empty());
        assert_eq!(
            directions(&package("sioco-model", &["sioco-lang"])),
            ["crate sioco-model: may not depend on sioco-lang, which is not below it"]
        );
        assert_eq!(directions(&package("sioco-lang", &["sioco-report", "xtask"])).len(), 2);
        assert!(directions(&package("sioco-new", &[]))[0].contains("has no place yet"));
    }

    #[test]
    fn only_the_command_reads_command_lines() {
        assert!(packages(&package("sioco", &["clap", "clap_complete", "lsp-server"])).is_empty());
        assert_eq!(
            packages(&package("sioco-report", &["clap_complete", "lsp-types", "logos"])),
            [
                "crate sioco-report: may not depend on clap_complete, which is only for sioco",
                "crate sioco-report: may not depend on lsp-types, which is only for sioco",
            ]
        );
        assert_eq!(packages(&package("xtask", &["gen-lsp-types"])).len(), 1);
    }

    #[track_caller]
    fn check_absences(name: &str, text: &str, count: usize) {
        let found = absences(name, "crates/x/src/a.rs", text);
        assert_eq!(found.len(), count, "{found:?}");
    }

    #[test]
    fn models_have_no_io_and_no_clock() {
        check_absences("sioco-model", "use std::fs;", 1);
        check_absences("sioco-model", "use std::{fmt, fs::File, net::TcpStream};", 2);
        check_absences("sioco-model", "std::process::exit(1)", 1);
        check_absences("sioco-model", "use std::time::Instant; use std::time::SystemTime;", 2);
        check_absences("sioco-model", "use std::time; fn f() { time::Instant::now(); }", 1);
        check_absences("sioco-model", "use std::*;", 1);
        check_absences("sioco-model", "use std::time::Duration; use std::fmt; // std::fs", 0);
        check_absences("sioco-model", "#[cfg(test)] mod tests { use std::fs; }", 0);
        check_absences("sioco-lang", "use std::{fs, time::Instant};", 0);
        check_absences("sioco-exec", "use std::time::Instant;", 1);
    }

    #[test]
    fn below_the_campaign_there_is_no_clock_but_in_named_files() {
        for name in clock::CRATES {
            check_absences(name, "use std::time::{Duration, Instant};", 1);
            check_absences(name, "use std::time::*;", 1);
            check_absences(name, "use std::time::Duration; #[cfg(test)] mod tests { use std::time::Instant; }", 0);
        }
        check_absences("sioco-campaign", "use std::time::Instant;", 0);
        let text = "use std::time::Instant; use std::net::TcpStream;";
        let found = absences("sioco-solve", clock::READERS[0].0, text);
        assert!(found.len() == 1 && found[0].contains("std::net"), "{found:?}");
    }

    #[test]
    fn only_adapters_reach_out() {
        for text in ["use std::net::TcpStream;", "std::process::Command::new(\"ls\")"] {
            check_absences("sioco", text, 1);
            check_absences("sioco-lang", text, 1);
            check_absences("sioco-adapter", text, 0);
            check_absences("xtask", text, 0);
        }
        check_absences("sioco-solve", "std::process::Command::new(\"z3\")", 0);
        check_absences("sioco-solve", "use std::net::TcpStream;", 1);
        check_absences("sioco", "use std::process::ExitCode; std::process::exit(1)", 0);
        check_absences("sioco", "use std::process;", 1);
        check_absences("sioco-lang", "use std::process::ExitCode;", 1);
    }

    #[test]
    fn findings_name_the_line() {
        assert!(
            absences("sioco-model", "a.rs", "\n\nuse std::fs;")[0].starts_with("3: sioco-model may not use std::fs: ")
        );
    }

    #[test]
    fn test_files_are_told_by_name() {
        assert!(is_test(Path::new("b/tests.rs")) && is_test(Path::new("tests/b.rs")));
        assert!(!is_test(Path::new("test.rs")));
    }
}
