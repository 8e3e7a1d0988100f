//! Names that our language takes, from names that XML allows.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::FileId;
use crate::syntax::lexer::{Tok, lex};

/// Names that are taken, and how to find others.
#[derive(Clone, Default)]
pub(super) struct Names {
    taken: FxHashSet<String>,
    /// The number to try next for a name that is taken.
    next: FxHashMap<String, usize>,
}

impl Names {
    /// Makes a name one that nothing gets.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.into());
    }

    /// Takes a name if it is valid and free.
    fn take(&mut self, name: &str) -> bool {
        is_valid(name) && self.taken.insert(name.into())
    }

    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes a valid, free name that looks like this one; `kind` is for names of which nothing is left.
    pub(super) fn make(&mut self, name: &str, kind: &str) -> String {
        let base = valid(name, kind);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(2);
        loop {
            let candidate = format!("{base}_{next}");
            *next += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }

    /// Names for a list. Those that are fine keep theirs; the others get what is left.
    pub(super) fn make_all<'a>(&mut self, names: impl Iterator<Item = &'a str>, kind: &str) -> Vec<String> {
        let mut made: Vec<(&str, bool)> = names.map(|n| (n, false)).collect();
        for (name, kept) in &mut made {
            *kept = self.take(name);
        }
        made.into_iter().map(|(n, kept)| if kept { n.to_string() } else { self.make(n, kind) }).collect()
    }
}

/// Whether our language takes this as a name; `_` is one that it never looks at.
pub(super) fn is_valid(name: &str) -> bool {
    is_word(name) && name != "_"
}

/// Whether this is one token of the kind of names.
fn is_word(name: &str) -> bool {
    let lexed = lex(FileId(0), name);
    lexed.diagnostics.is_empty()
        && lexed.comments.is_empty()
        && matches!(lexed.tokens.as_slice(), [t, _] if t.tok == Tok::Ident && t.span.range() == (0..name.len()))
}

/// A valid name that looks like this one.
pub(super) fn valid(name: &str, kind: &str) -> String {
    if is_valid(name) {
        return name.into();
    }
    let mut out: String = name
        .trim()
        .chars()
        .map(|c| if is_word(c.encode_utf8(&mut [0; 4])) || c.is_ascii_digit() { c } else { '_' })
        .collect();
    if out.chars().all(|c| c == '_') {
        return kind.into();
    }
    if !is_word(&format!("{out}_")) {
        // It starts with a digit.
        out.insert_str(0, &kind[..1]);
    }
    if !is_valid(&out) {
        out.push('_');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_valid() {
        for (name, expected) in [
            ("x", "x"),
            ("in", "in_"),
            ("state", "state_"),
            ("a-b.c d", "a_b_c_d"),
            ("0", "l0"),
            ("12-x", "l12_x"),
            ("", "location"),
            ("_", "location"),
            ("--", "location"),
            ("été", "été"),
            ("a//b", "a__b"),
            ("a\u{301}", "a_"),
            ("€", "location"),
            (" x ", "x"),
            ("٣x", "_x"),
        ] {
            assert_eq!(valid(name, "location"), expected, "{name}");
            assert!(is_valid(expected), "{name}");
        }
    }

    #[test]
    fn names_stay_apart() {
        let mut names = Names::default();
        let made = names.make_all(["a-b", "a b", "a_b", "a_b_2", "in"].into_iter(), "location");
        assert_eq!(made, ["a_b_3", "a_b_4", "a_b", "a_b_2", "in_"]);
    }
}
