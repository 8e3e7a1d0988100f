//! The numbers of `docs/theory.md`: each exists once, each citation leads to one, and what is built is cited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Findings;
use crate::rust_text::line_of;

/// The page with the definitions.
const PAGE: &str = "docs/theory.md";

/// What every number begins with. In two parts, or the numbers in the tests below would be citations.
const PREFIX: &str = concat!("T", "-");

/// How the definitions were cited before they had numbers.
const OLD: &[&str] = &[concat!("the", "ory, section"), concat!("`the", "ory`,"), concat!("`the", "ory`:")];

/// The crate whose sources do not count: it checks the theory, and implements nothing of it.
const CHECKER: &str = "crates/xtask";

/// Whether the program has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Built,
    Planned,
    Notion,
}

/// One numbered definition or rule.
#[derive(Debug)]
struct Definition {
    line: usize,
    number: String,
    /// Nothing if the page does not say.
    state: Option<State>,
}

/// Each finding as `path:line: message`, about all files of the repository with their texts.
pub fn check(files: &[(&Path, &str)]) -> Findings {
    let Some((_, page)) = files.iter().find(|(path, _)| *path == Path::new(PAGE)) else {
        return vec![format!("{PAGE}: is missing")];
    };
    let mut findings = Vec::new();
    let definitions = definitions(page, &mut findings);
    let known: BTreeSet<&str> = definitions.iter().map(|d| d.number.as_str()).collect();
    let mut cited: BTreeSet<&str> = BTreeSet::new();
    for (path, text) in files {
        for (at, number) in citations(text) {
            match known.get(number) {
                Some(number) if is_source(path) => drop(cited.insert(*number)),
                Some(_) => {}
                None => findings.push(at_line(path, text, at, &format!("{PAGE} has no {number}"))),
            }
        }
        for (at, old) in old_citations(text) {
            let message = format!("\"{old}\" leads nowhere: cite a number of {PAGE}");
            findings.push(at_line(path, text, at, &message));
        }
    }
    for d in definitions.iter().filter(|d| d.state == Some(State::Built) && !cited.contains(d.number.as_str())) {
        let (line, number) = (d.line, &d.number);
        findings.push(format!("{PAGE}:{line}: {number} is built, but no source in crates/ cites it"));
    }
    findings
}

fn at_line(path: &Path, text: &str, at: usize, message: &str) -> String {
    format!("{}:{}: {message}", path.display(), line_of(text, at))
}

/// Whether a file is code of the program; what only tests say about a rule does not make it built.
fn is_source(path: &Path) -> bool {
    let is_code = path.extension().is_some_and(|extension| extension == "rs");
    let mut folders = path.components().map(|folder| folder.as_os_str());
    is_code && path.starts_with("crates") && !path.starts_with(CHECKER) && folders.any(|folder| folder == "src")
}

/// The definitions of the page, in its order.
fn definitions(page: &str, findings: &mut Findings) -> Vec<Definition> {
    let mut definitions: Vec<Definition> = Vec::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut chapter = None;
    let lines: Vec<&str> = page.lines().collect();
    for (index, text) in lines.iter().enumerate() {
        let line = index + 1;
        let mut say = |message: String| findings.push(format!("{PAGE}:{line}: {message}"));
        if let Some(title) = text.strip_prefix("## ") {
            chapter = title.split_once(':').map(|(letter, _)| letter.trim());
        }
        let Some(title) = text.strip_prefix("### ") else { continue };
        let (number, name) = title.split_once(' ').unwrap_or((title, ""));
        let Some(rest) = number_of(number) else {
            say(format!("\"{title}\" has no number"));
            continue;
        };
        if name.trim().is_empty() {
            say(format!("{number} has no name"));
        }
        if chapter != rest.get(..1) {
            say(format!("{number} stands in another chapter"));
        }
        match first.get(number) {
            Some(before) => say(format!("{number} is also the number of line {before}")),
            None => drop(first.insert(number.to_owned(), line)),
        }
        let origin = lines[index + 1..].iter().find(|text| !text.is_empty()).copied().unwrap_or_default();
        let state = state(origin);
        if state.is_none() {
            let form = "\"From S0 definition 3. Built.\" (or Planned, or Notion; or From the project)";
            say(format!("below {number} stands no line such as {form}"));
        }
        definitions.push(Definition { line, number: number.to_owned(), state });
    }
    definitions
}

/// The letter and digits of a number that is nothing else.
fn number_of(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(PREFIX)?;
    let is_whole = citations(text).next() == Some((0, text));
    is_whole.then_some(rest)
}

/// What the line below a heading says, if it also says where the definition comes from.
fn state(origin: &str) -> Option<State> {
    let from = origin.strip_prefix("From ")?;
    let names_one = ["S0 ", "S1 ", "S2 ", "S3 ", "S4 ", "the project"].iter().any(|paper| from.starts_with(paper));
    let states = [(" Built.", State::Built), (" Planned.", State::Planned), (" Notion.", State::Notion)];
    let (_, state) = states.into_iter().find(|(word, _)| from.ends_with(word))?;
    names_one.then_some(state)
}

/// All numbers in a text, each with its place.
fn citations(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(PREFIX).filter_map(move |(at, _)| {
        let inside = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        let rest = &text[at + PREFIX.len()..];
        let digits = rest.strip_prefix(|c: char| c.is_ascii_uppercase())?;
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let goes_on = digits[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let end = at + PREFIX.len() + 1 + length;
        (!inside && length > 0 && !goes_on).then(|| (at, &text[at..end]))
    })
}

/// Citations by sections of a page that the repository does not have.
fn old_citations(text: &str) -> Vec<(usize, &'static str)> {
    // Bytes stay where they are.
    let lower = text.to_ascii_lowercase();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for old in OLD {
        found.extend(lower.match_indices(old).map(|(at, _)| (at, *old)));
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `#M1` is a number, and `@` the old word.
    fn numbered(text: &str) -> String {
        text.replace('@', concat!("the", "ory")).replace('#', PREFIX)
    }

    /// A page with these definitions in chapter M; headings are written with `=`.
    fn page(definitions: &str) -> String {
        let text = format!("= How to read\n\n== M: the model\n\n{definitions}");
        numbered(&text).lines().map(|line| format!("{}\n", headed(line))).collect()
    }

    fn headed(line: &str) -> String {
        let depth = line.bytes().take_while(|b| *b == b'=').count();
        format!("{}{}", "#".repeat(depth), &line[depth..])
    }

    const GATE: &str = "=== #M1 Gate\n\nFrom S0 definition 3. Built.\n\nA gate.\n";

    #[track_caller]
    fn check_with(definitions: &str, others: &[(&str, &str)], expected: &[&str]) {
        let page = page(definitions);
        let others: Vec<(&str, String)> = others.iter().map(|(path, text)| (*path, numbered(text))).collect();
        let mut files: Vec<(&Path, &str)> = vec![(Path::new(PAGE), &page)];
        files.extend(others.iter().map(|(path, text)| (Path::new(path), text.as_str())));
        let expected: Vec<String> = expected.iter().map(|text| numbered(text)).collect();
        assert_eq!(check(&files), expected);
    }

    const CITED: (&str, &str) = ("crates/a/src/gate.rs", "/// A gate (#M1).");

    #[test]
    fn a_page_and_its_citations_are_good() {
        check_with(GATE, &[CITED], &[]);
        check_with(GATE, &[CITED, ("docs/a.md", "see #M1, not X#M9 and not #M or #m1 or #M1x")], &[]);
        let others = "=== #M2 Map\n\nFrom the project. Planned.\n\n=== #M9 Idea\n\nFrom S1 chapter 6. Notion.\n";
        check_with(&format!("{GATE}{others}"), &[CITED], &[]);
    }

    #[test]
    fn a_page_that_is_missing_is_found() {
        assert_eq!(check(&[(Path::new("README.md"), "")]), ["docs/theory.md: is missing"]);
    }

    #[test]
    fn citations_that_lead_nowhere_are_found() {
        check_with(
            GATE,
            &[CITED, ("crates/a/tests/b.rs", "//\n// #M2 and #Q1"), ("docs/a.md", "as #M7 says")],
            &[
                "crates/a/tests/b.rs:2: docs/theory.md has no #M2",
                "crates/a/tests/b.rs:2: docs/theory.md has no #Q1",
                "docs/a.md:1: docs/theory.md has no #M7",
            ],
        );
        check_with(&format!("{GATE}See #M5.\n"), &[CITED], &["docs/theory.md:10: docs/theory.md has no #M5"]);
    }

    #[test]
    fn the_old_spelling_is_found() {
        for (text, old) in [
            ("//\n//! Belief (`@`, section 5).", "`@`,"),
            ("//\n/// A purpose (@, section 4).", "@, section"),
            ("//\n/// @, Section 3: preferred.", "@, section"),
            ("//\n/// The states (`@`: after).", "`@`:"),
        ] {
            let expected = format!("crates/a/src/b.rs:2: \"{old}\" leads nowhere: cite a number of docs/theory.md");
            check_with(GATE, &[CITED, ("crates/a/src/b.rs", text)], &[&expected]);
        }
        check_with(GATE, &[CITED, ("README.md", "The @ behind it is *sioco*: see @.md.")], &[]);
    }

    #[test]
    fn what_is_built_is_cited_in_the_sources() {
        let uncited = ["docs/theory.md:5: #M1 is built, but no source in crates/ cites it"];
        check_with(GATE, &[], &uncited);
        for elsewhere in ["docs/a.md", "crates/a/tests/b.rs", "crates/xtask/src/tidy.rs", "crates/a/src/page.md"] {
            check_with(GATE, &[(elsewhere, "#M1")], &uncited);
        }
        for state in ["Planned", "Notion"] {
            check_with(&GATE.replace("Built", state), &[], &[]);
        }
    }

    #[test]
    fn numbers_are_unique_and_in_their_chapter() {
        check_with(
            &format!("{GATE}\n=== #M1 Channel\n\nFrom S4 section 2.1. Planned.\n"),
            &[CITED],
            &["docs/theory.md:11: #M1 is also the number of line 5"],
        );
        check_with(
            &format!("{GATE}\n=== #L1 State\n\nFrom S0 definition 5. Planned.\n"),
            &[CITED],
            &["docs/theory.md:11: #L1 stands in another chapter"],
        );
    }

    #[test]
    fn headings_have_a_number_a_name_and_an_origin() {
        check_with(
            &format!("{GATE}\n=== Channel\n\nFrom S4 section 2.1. Built.\n"),
            &[CITED],
            &["docs/theory.md:11: \"Channel\" has no number"],
        );
        check_with(
            &format!("{GATE}\n=== #M2\n\nFrom S4 section 2.1. Planned.\n"),
            &[CITED],
            &["docs/theory.md:11: #M2 has no name"],
        );
        for origin in ["A channel.", "From S4 section 2.1.", "From elsewhere. Built.", "From S4 section 2.1. Done."] {
            let text = format!("{GATE}\n=== #M2 Channel\n\n{origin}\n");
            let page = page(&text);
            let cited = numbered(CITED.1);
            let found = check(&[(Path::new(PAGE), &page), (Path::new(CITED.0), &cited)]);
            assert_eq!(found.len(), 1, "{origin}: {found:?}");
            assert!(found[0].contains("stands no line such as"), "{found:?}");
        }
    }
}
