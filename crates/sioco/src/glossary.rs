//! The entries of `docs/glossary.md` and `docs/theory.md`, for `sioco explain`.

/// The two documents, whose headings of the third level are entries.
const GLOSSARY: &str = include_str!("../../../docs/glossary.md");
const THEORY: &str = include_str!("../../../docs/theory.md");

/// An entry of one of the documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    heading: &'static str,
    text: &'static str,
}

/// All terms of the glossary.
pub fn terms() -> impl Iterator<Item = Entry> {
    entries(GLOSSARY)
}

/// The term with a name, in any case.
pub fn term(name: &str) -> Option<Entry> {
    terms().find(|entry| entry.names().any(|known| known.eq_ignore_ascii_case(name)))
}

/// The definition or rule of the theory with a number, in any case.
pub fn rule(number: &str) -> Option<Entry> {
    entries(THEORY).find(|entry| entry.number().is_some_and(|known| known.eq_ignore_ascii_case(number)))
}

impl Entry {
    /// The heading: the names of a term, or the number and name of a rule.
    pub fn heading(self) -> &'static str {
        self.heading
    }

    /// The names of a term; the first one counts.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.heading.split(", ")
    }

    /// The number of a rule.
    fn number(self) -> Option<&'static str> {
        self.heading.split(' ').next()
    }

    /// The first sentence, as it is shown on a terminal.
    pub fn sentence(self) -> String {
        let text = plain(self.text);
        let end = text.find(". ").map_or(text.len(), |at| at + 1);
        text[..end].to_owned()
    }

    /// The whole text as it is shown on a terminal, with the commands that lead to the rules it names.
    pub fn page(self) -> String {
        let page = plain(self.text);
        let commands: Vec<String> =
            numbers(self.text).into_iter().map(|number| format!("`sioco explain {number}`")).collect();
        if commands.is_empty() { page } else { format!("{page}\n\nMore: {}", commands.join(", ")) }
    }
}

fn entries(document: &'static str) -> impl Iterator<Item = Entry> {
    document.split("\n### ").skip(1).filter_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        // The last entry of a chapter is followed by the next chapter.
        let text = text.split("\n## ").next()?.trim();
        Some(Entry { heading: heading.trim(), text })
    })
}

/// The numbers of rules that a text links to, each once.
fn numbers(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (label, page) in links(text) {
        if page.starts_with("theory.md#") && !found.contains(&label) {
            found.push(label);
        }
    }
    found
}

/// `[label](page)`, one after the other.
fn links(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('[').skip(1).filter_map(|rest| {
        let (label, rest) = rest.split_once("](")?;
        let (page, _) = rest.split_once(')')?;
        Some((label, page))
    })
}

/// A terminal has no links and no emphasis: numbers of rules go, other pages are named, stars go outside of code.
fn plain(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts: Vec<String> =
        parts.map(|(i, part)| if i % 2 == 0 { part.replace('*', "") } else { part.into() }).collect();
    let mut out = parts.join("`");
    for (label, page) in links(text) {
        let file = page.split('#').next().unwrap_or(page);
        let instead = if file == "theory.md" { String::new() } else { format!("`docs/{file}`") };
        out = out.replace(&format!("[{label}]({page})"), &instead);
    }
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().replace("  ", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_names_and_text() {
        let belief = term("Belief").expect("a term");
        assert_eq!((belief.heading(), term("beliefs")), ("belief", None));
        assert_eq!(term("delta"), term("quiescence"));
        assert!(belief.page().ends_with("More: `sioco explain T-B2`"), "{}", belief.page());
        for entry in terms() {
            let page = entry.page();
            assert!(!page.contains("](") && !entry.sentence().is_empty(), "{entry:?}");
            assert!(entry.names().all(|name| term(name) == Some(entry)), "{entry:?} is there twice");
            for number in numbers(entry.text) {
                assert!(rule(number).is_some(), "{entry:?}");
            }
        }
    }

    #[test]
    fn rules_have_numbers() {
        let rule = rule("t-b2").expect("a rule");
        assert_eq!(rule.heading(), "T-B2 Belief");
        assert!(rule.page().starts_with("From S0 algorithm 1"), "{}", rule.page());
        assert!(!rule.page().contains("##"), "{}", rule.page());
        let last = entries(THEORY).last().expect("a rule");
        assert!(last.heading.starts_with("T-G"), "{last:?}");
    }

    #[test]
    fn links_become_text() {
        assert_eq!(plain("A [T-B2](theory.md#t-b2-belief)"), "A");
        assert_eq!(plain("[Journals](journal.md) describe it."), "`docs/journal.md` describe it.");
        assert_eq!(plain("An `a[0] * 2` and *b* (c)."), "An `a[0] * 2` and b (c).");
    }
}
