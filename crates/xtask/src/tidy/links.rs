//! Relative links in Markdown lead somewhere.

use std::path::{Component, Path, PathBuf};

use crate::Findings;

/// What is at the end of a link.
pub enum Target {
    File(String),
    Directory,
    Missing,
}

/// Each finding as `line: message`; `target` looks up a path relative to the root of the repository.
pub fn check(path: &Path, text: &str, target: &dyn Fn(&Path) -> Target) -> Findings {
    let mut findings = Vec::new();
    for (line, link) in links(text) {
        if !is_relative(&link) {
            continue;
        }
        let (file, anchor) = link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
        let file = if file.is_empty() { Some(path.to_owned()) } else { resolve(path, file) };
        let found = file.as_ref().map_or(Target::Missing, |file| target(file));
        let is_markdown = file.is_some_and(|file| file.extension().is_some_and(|extension| extension == "md"));
        match (found, anchor) {
            (Target::Missing, _) => findings.push(format!("{line}: the link {link} leads nowhere")),
            (Target::File(text), Some(anchor)) if is_markdown && !anchors(&text).iter().any(|a| a == anchor) => {
                findings.push(format!("{line}: the link {link} names no heading of that page"));
            }
            _ => {}
        }
    }
    findings
}

fn is_relative(link: &str) -> bool {
    let scheme = link.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_ascii_alphanumeric()));
    !scheme && !link.starts_with("//")
}

/// A path from the root; `None` if the link leaves the repository.
fn resolve(from: &Path, link: &str) -> Option<PathBuf> {
    let mut path = from.parent()?.to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// The targets of all links and images outside of code, each with its line.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        for (at, mark) in line.match_indices("](") {
            links.push((number, destination(&line[at + mark.len()..], ')')));
        }
        if line.starts_with('[')
            && let Some((_, rest)) = line.split_once("]: ")
        {
            links.push((number, destination(rest, '\0')));
        }
    }
    links.retain(|(_, link)| !link.is_empty());
    links
}

/// Up to the end or a title; balanced brackets belong to it, and `<…>` around it does not.
fn destination(rest: &str, end: char) -> String {
    if let Some((inside, _)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        return inside.to_owned();
    }
    let mut depth = 0usize;
    let length = rest.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        c == end || c.is_whitespace()
    });
    rest[..length.unwrap_or(rest.len())].to_owned()
}

/// The lines outside of fenced blocks, counted from one.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let ticks = &start[..start.len() - start.trim_start_matches('`').len()];
        match fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => return Some((index + 1, line)),
            Some(open) if ticks.len() >= open.len() && start.trim_end() == ticks => fence = None,
            Some(_) => {}
        }
        None
    })
}

fn without_code(line: &str) -> String {
    // Every second part is between two backticks; a single one at the end opens nothing.
    let parts: Vec<&str> = line.split('`').collect();
    let last = parts.len() - 1;
    parts.iter().enumerate().map(|(at, part)| if at % 2 == 1 && at != last { "" } else { *part }).collect()
}

/// The anchors that Markdown viewers give to headings.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let plain: String = title.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect();
        let anchor = plain.to_lowercase().replace(' ', "-");
        let numbered = (0..).map(|n| if n == 0 { anchor.clone() } else { format!("{anchor}-{n}") });
        let free = numbered.into_iter().find(|name| !anchors.contains(name));
        anchors.push(free.expect("there are more numbers than headings"));
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository of `docs/a.md`, with two headings, and `README.md`.
    #[track_caller]
    fn check_text(from: &str, text: &str, expected: &[&str]) {
        let target = |path: &Path| match path.to_str() {
            Some("docs/a.md") => Target::File("# One\n## The `x`: two!\n```\n# no\n```\n# One\n".to_owned()),
            Some("README.md") => Target::File(String::new()),
            Some("docs") => Target::Directory,
            _ => Target::Missing,
        };
        assert_eq!(check(Path::new(from), text, &target), expected);
    }

    #[test]
    fn good_links() {
        check_text("README.md", "[a](docs/a.md) ![b](docs/) [c](https://example.org/x) [d](mailto:e@example.org)", &[]);
        check_text(
            "docs/b.md",
            "[a](a.md#one), [b](./a.md#the-x-two), [c](a.md#one-1), [d](../README.md \"title\")",
            &[],
        );
        check_text("README.md", "[a][b]\n\n[b]: docs/a.md", &[]);
        check_text("README.md", "`[a](nowhere.md)`\n```\n[a](nowhere.md)\n```\n", &[]);
        check_text("docs/a.md", "[a](<a.md>) [b](#one)", &[]);
    }

    #[test]
    fn bad_links() {
        check_text("README.md", "a\n[b](a.md)", &["2: the link a.md leads nowhere"]);
        check_text("docs/b.md", "[a](docs/a.md) [b](a.md)", &["1: the link docs/a.md leads nowhere"]);
        check_text("README.md", "[a](../README.md)", &["1: the link ../README.md leads nowhere"]);
        check_text("README.md", "[b]: nowhere.md", &["1: the link nowhere.md leads nowhere"]);
        check_text("README.md", "[a](x_(y).md)", &["1: the link x_(y).md leads nowhere"]);
        check_text("README.md", "[a](docs/a.md#no)", &["1: the link docs/a.md#no names no heading of that page"]);
        check_text("README.md", "[a](#no)", &["1: the link #no names no heading of that page"]);
    }
}
