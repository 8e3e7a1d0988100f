//! Diagnostics: one inert value per problem, rendered elsewhere.

use crate::code::Code;
use crate::source::Span;

/// How bad it is. A model with an error cannot be used; one with warnings can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used, but is probably not what was meant.
    Warning,
}

/// A place in the source, with what is to be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; may be empty.
    pub text: String,
}

/// A change of the source that certainly mends the problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

/// One problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Its kind; `sioco explain` knows more.
    pub code: Code,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where; `None` when a file as a whole, or no file, is the place.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Facts.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// The mend, where it is certain.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A problem at a place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { primary: Some(Label { span, text: String::new() }), ..Self::global(code, message) }
    }

    /// A problem without a place in a source text.
    pub fn global(code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Says something at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Points to another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Gives the mend.
    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    /// Error or warning; the code decides.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Whether one of the problems is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity() == Severity::Error)
}

/// The name that was probably meant: the nearest of the candidates, if it is near enough and no other is as near.
///
/// Near is a Damerau-Levenshtein distance of at most a third of the length, or equality up to case.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    let mut tie = false;
    for c in candidates {
        if c == name || c.is_empty() || c.len().abs_diff(name.len()) > 4 * limit {
            continue;
        }
        let near = if c.eq_ignore_ascii_case(name) { 0 } else { distance(name, c) };
        if near > limit || near >= c.chars().count() {
            continue;
        }
        match best {
            Some((d, other)) if near > d || (near == d && other == c) => {}
            Some((d, _)) if near == d => tie = true,
            _ => (best, tie) = (Some((near, c)), false),
        }
    }
    best.filter(|_| !tie).map(|(_, c)| c.to_string())
}

/// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 3 || a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near_or_absent() {
        let names = ["amount", "balance", "done", "x"];
        assert_eq!(did_you_mean("amuont", names), Some("amount".into()));
        assert_eq!(did_you_mean("Balance", names), Some("balance".into()));
        assert_eq!(did_you_mean("dune", names), Some("done".into()));
        assert_eq!(did_you_mean("withdraw", names), None);
        assert_eq!(did_you_mean("y", names), None);
        // One of three equally near names is a guess nobody should make.
        assert_eq!(did_you_mean("l3", ["l0", "l1", "l2"]), None);
        assert_eq!(did_you_mean("l3", ["l0", "L3", "l2"]), Some("L3".into()));
    }
}
