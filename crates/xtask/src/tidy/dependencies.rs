//! Whether `docs/dependencies.md` has a reason for each crate from elsewhere, and for no others.

use std::collections::{BTreeMap, BTreeSet};

use toml::Table;

use crate::Findings;
use crate::project::{self, Project};

const PAGE: &str = "docs/dependencies.md";

/// The number of a line, what it says the crate is for, and who uses it.
type Row = (usize, String, BTreeSet<String>);

/// The crates from elsewhere, each with those of ours that use it.
type Used = BTreeMap<String, BTreeSet<String>>;

pub fn check(project: &Project) -> Result<Findings, String> {
    let mut used = Used::new();
    for package in &project.crates {
        let manifest = project::read(&package.dir.join("Cargo.toml"))?;
        let manifest: Table = manifest.parse().map_err(|error| format!("crate {}: {error}", package.name))?;
        for name in named(&manifest).into_iter().filter(|name| !project.has_crate(name)) {
            used.entry(name).or_default().insert(package.name.clone());
        }
    }
    Ok(compare(&project::read(&project.root.join(PAGE))?, &used))
}

/// Everything that a manifest depends on: for building, for tests, and on some systems only.
fn named(manifest: &Table) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(|targets| targets.as_table());
    let parts = targets.into_iter().flat_map(|targets| targets.values().filter_map(|part| part.as_table()));
    let parts = parts.chain([manifest]);
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = parts.flat_map(|part| kinds.into_iter().filter_map(|kind| part.get(kind)?.as_table()));
    tables.flat_map(|table| table.keys().cloned()).collect()
}

fn compare(page: &str, used: &Used) -> Findings {
    let mut findings = Findings::new();
    let rows: BTreeMap<String, Row> = page.lines().enumerate().filter_map(|(i, line)| row(i + 1, line)).collect();
    for (name, by) in used {
        match rows.get(name) {
            None => findings.push(format!("{PAGE}:1: {name} is not there; say what it is for")),
            Some((line, reason, _)) if reason.is_empty() => {
                findings.push(format!("{PAGE}:{line}: {name} has no reason"));
            }
            Some((line, _, said)) if said != by => {
                let by: Vec<&str> = by.iter().map(String::as_str).collect();
                findings.push(format!("{PAGE}:{line}: {name} is used by {}", by.join(", ")));
            }
            Some(_) => {}
        }
    }
    let gone = rows.iter().filter(|(name, _)| !used.contains_key(*name));
    findings.extend(gone.map(|(name, (line, ..))| format!("{PAGE}:{line}: nothing uses {name} any more")));
    findings
}

/// A line of the table: the crate, what it is for, and who uses it.
fn row(number: usize, line: &str) -> Option<(String, Row)> {
    let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
    let [name, reason, by] = cells[..] else { return None };
    let name = name.strip_prefix('`')?.strip_suffix('`')?;
    let by = by.split(',').map(|crate_name| crate_name.trim().trim_matches('`').to_owned()).collect();
    Some((name.to_owned(), (number, reason.to_owned(), by)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(pairs: &[(&str, &[&str])]) -> Used {
        let set = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        pairs.iter().map(|(name, by)| (name.to_string(), set(by))).collect()
    }

    #[test]
    fn every_kind_of_dependency_counts() {
        let manifest = "[dependencies]\na = \"1\"\n[dev-dependencies]\nb.workspace = true\n[build-dependencies]\nc = \"1\"\n\
                        [target.'cfg(unix)'.dependencies]\nd = { version = \"1\" }\n";
        assert_eq!(named(&manifest.parse().unwrap()), ["a", "b", "c", "d"].map(String::from).into());
    }

    #[test]
    fn the_table_is_held_to_the_manifests() {
        let page = "| crate | for | used by |\n| --- | --- | --- |\n| `a` | this | `x`, `y` |\n| `b` |  | `x` |\n| `c` | z | `x` |\n";
        assert_eq!(
            compare(page, &used(&[("a", &["x", "y"]), ("c", &["x"])])),
            ["docs/dependencies.md:4: nothing uses b any more"]
        );
        let found = compare(page, &used(&[("a", &["x"]), ("b", &["x"]), ("d", &["x"]), ("c", &["x"])]));
        assert_eq!(
            found,
            [
                "docs/dependencies.md:3: a is used by x",
                "docs/dependencies.md:4: b has no reason",
                "docs/dependencies.md:1: d is not there; say what it is for",
            ]
        );
    }
}
