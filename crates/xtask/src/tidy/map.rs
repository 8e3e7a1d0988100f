//! The map in `docs/architecture.md`: every concept is in the file that the map names.

use std::path::Path;

use crate::Findings;

/// The page with the map, and how the table begins.
pub const PAGE: &str = "docs/architecture.md";
const BEGIN: &str = "| concept | file | name there |";

/// Each finding as `line: message`; `read` gives the text of a file, if there is one.
pub fn check(path: &Path, text: &str, read: &dyn Fn(&str) -> Option<String>) -> Findings {
    if path != Path::new(PAGE) {
        return Findings::new();
    }
    let Some(begin) = text.lines().position(|line| line == BEGIN) else {
        return vec!["1: the map of concepts is missing".into()];
    };
    let rows = text.lines().enumerate().skip(begin + 2).take_while(|(_, line)| line.starts_with('|'));
    let mut findings: Findings =
        rows.filter_map(|(at, row)| Some(format!("{}: {}", at + 1, wrong(row, read)?))).collect();
    let rows = text.lines().skip(begin + 2).take_while(|line| line.starts_with('|')).count();
    if rows < 20 {
        findings.push(format!("{}: the map has only {rows} concepts", begin + 1));
    }
    findings
}

/// What is wrong with a row.
fn wrong(row: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let code = |cell: &str| Some(cell.strip_prefix('`')?.strip_suffix('`')?.to_owned());
    let [concept, file, name] = cells[..] else { return Some("a row has a concept, a file and a name".into()) };
    let (Some(file), Some(name)) = (code(file), code(name)) else {
        return Some(format!("file and name of {concept} stand in backquotes"));
    };
    let Some(text) = read(&file) else { return Some(format!("there is no {file}")) };
    (!has(&text, &name)).then(|| format!("{file} has no `{name}`"))
}

/// Whether the text has these words, and not only the beginning of longer ones.
fn has(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| ends(&text[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &str) -> Findings {
        let filler = "| filler | `a.rs` | `fn good` |\n".repeat(20);
        let text = format!("# Page\n\n{BEGIN}\n| --- | --- | --- |\n{filler}{rows}\nmore\n");
        let read = |file: &str| (file == "a.rs").then(|| "pub fn good() {} fn goodness() {} struct Best;".to_owned());
        check(Path::new(PAGE), &text, &read)
    }

    #[test]
    fn every_row_leads_to_a_name() {
        assert_eq!(found("| belief | `a.rs` | `struct Best` |"), Findings::new());
        for (row, expected) in [
            ("| belief | `b.rs` | `struct Best` |", "25: there is no b.rs"),
            ("| belief | `a.rs` | `struct Worst` |", "25: a.rs has no `struct Worst`"),
            ("| belief | `a.rs` | `struct Be` |", "25: a.rs has no `struct Be`"),
            ("| belief | a.rs | `fn good` |", "25: file and name of belief stand in backquotes"),
            ("| belief | `a.rs` |", "25: a row has a concept, a file and a name"),
        ] {
            assert_eq!(found(row), [expected], "{row}");
        }
    }

    #[test]
    fn a_map_that_is_gone_is_missed() {
        let nothing = |_: &str| None;
        assert_eq!(check(Path::new(PAGE), "# Page\n", &nothing), ["1: the map of concepts is missing"]);
        assert!(check(Path::new("docs/other.md"), "# Page\n", &nothing).is_empty());
        let short = format!("{BEGIN}\n| --- | --- | --- |\n");
        assert_eq!(check(Path::new(PAGE), &short, &nothing), ["1: the map has only 0 concepts"]);
    }
}
