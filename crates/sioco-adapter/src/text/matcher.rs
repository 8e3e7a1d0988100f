//! Which template matches what was received, as soon as one does.
//!
//! One deterministic automaton combines all templates. After every byte, it tells which of three cases holds: a
//! template matches all of it, a template still may, or no template does any more. The same automaton tells in
//! advance which templates match the same bytes.

use std::collections::HashSet;

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};

use super::error::MatcherError;

/// At most this many bytes the automaton may have. Some hundred templates take far less; a template with large
/// alternatives could fill the memory, and is an error instead.
const AUTOMATON_BYTES: usize = 16 << 20;
/// At most this many states are looked at to find templates that overlap. It is far more than the automata of usual
/// dialects have. Beyond it, an overlap is not told, and the first template that fits is taken.
const SEARCHED_STATES: usize = 500_000;
/// At most this many overlaps are looked for: nobody reads more, and each takes a search of its own.
const TOLD_OVERLAPS: usize = 200;

/// Bytes, not characters: what a system sends may be anything.
pub(super) fn bytes() -> syntax::Config {
    syntax::Config::new().unicode(false).utf8(false)
}

/// All templates.
pub(super) struct Matcher {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
}

/// What is known about some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Match {
    /// So many of them are a message, by this template.
    Message {
        /// How many.
        end: usize,
        /// Which template.
        template: usize,
    },
    /// They may be the beginning of one.
    Partial,
    /// They are not the beginning of any.
    Nothing,
}

/// What is known of bytes that were looked at before, so that none is looked at again and again: whoever sends them decides
/// in which pieces they come, and how many lines a template takes that comes to nothing in the end.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// How many bytes were taken before those that are there.
    base: u64,
    /// How many bytes from there on are the beginning of some message, and the state after them.
    going: Option<(usize, StateID)>,
    /// They are not the beginning of any.
    dead: bool,
    /// Where lines begin in them, and the states there.
    passed: Vec<(u64, StateID)>,
    /// The same of what came to nothing before: from the same state, what follows comes to nothing again.
    vain: HashSet<(u64, StateID)>,
    /// Where the last of these is.
    vain_end: u64,
}

impl Trail {
    /// So many bytes are taken.
    pub(super) fn taken(&mut self, length: usize) {
        self.base += length as u64;
        (self.going, self.dead) = (None, false);
        self.passed.clear();
        if self.base > self.vain_end {
            self.vain.clear();
        }
    }

    /// What led here comes to nothing.
    fn give_up(&mut self) -> Match {
        self.dead = true;
        self.vain_end = self.passed.last().map_or(self.vain_end, |(place, _)| self.vain_end.max(*place));
        self.vain.extend(self.passed.drain(..));
        Match::Nothing
    }
}

/// Two templates that match the same bytes, or one of which matches the beginning of what another does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Overlap {
    /// The one that counts.
    pub(super) taken: usize,
    /// The other.
    pub(super) hidden: usize,
    /// Bytes that the other one matches.
    pub(super) example: Vec<u8>,
}

impl Matcher {
    /// The automaton for regular expressions that are known to be some.
    pub(super) fn new(patterns: &[String]) -> Result<Matcher, MatcherError> {
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .match_kind(MatchKind::All)
            .dfa_size_limit(Some(AUTOMATON_BYTES))
            .determinize_size_limit(Some(AUTOMATON_BYTES));
        let dfa = dense::Builder::new()
            .configure(config)
            .syntax(bytes())
            .thompson(thompson::Config::new().utf8(false))
            .build_many(patterns)
            .map_err(|error| MatcherError::TooLarge(error.to_string()))?;
        let start = dfa
            .start_state(&start::Config::new().anchored(Anchored::Yes))
            .map_err(|error| MatcherError::Unusable(error.to_string()))?;
        Ok(Matcher { dfa, start })
    }

    /// The first template that matches exactly the bytes that led to a state.
    fn matched(&self, state: StateID) -> Option<StateID> {
        // The automaton is one byte behind, unless it is told that there is no more.
        let end = self.dfa.next_eoi_state(state);
        self.dfa.is_match_state(end).then_some(end)
    }

    fn templates(&self, end: StateID) -> Vec<usize> {
        let mut all: Vec<usize> =
            (0..self.dfa.match_len(end)).map(|i| self.dfa.match_pattern(end, i).as_usize()).collect();
        all.sort_unstable();
        all
    }

    /// Looks for a message at the beginning of some bytes.
    pub(super) fn find(&self, bytes: &[u8]) -> Match {
        self.find_on(bytes, &mut Trail::default())
    }

    /// The same, with what is known of these bytes.
    pub(super) fn find_on(&self, bytes: &[u8], trail: &mut Trail) -> Match {
        if trail.dead {
            return Match::Nothing;
        }
        let (from, mut state) = trail.going.take().unwrap_or((0, self.start));
        for (at, byte) in bytes.iter().enumerate().skip(from) {
            if at > 0 && bytes[at - 1] == b'\n' {
                let place = trail.base + at as u64;
                if trail.vain.contains(&(place, state)) {
                    return trail.give_up();
                }
                trail.passed.push((place, state));
            }
            state = self.dfa.next_state(state, *byte);
            if self.dfa.is_dead_state(state) || self.dfa.is_quit_state(state) {
                return trail.give_up();
            }
            if let Some(end) = self.matched(state) {
                return Match::Message { end: at + 1, template: self.templates(end)[0] };
            }
        }
        trail.going = Some((bytes.len(), state));
        Match::Partial
    }

    /// Every pair of templates that overlap, with an example of the shortest kind; and whether these are all, since the
    /// search ends after so many states, or so many pairs.
    pub(super) fn overlaps(&self) -> (Vec<Overlap>, bool) {
        let (mut found, mut pairs): (Vec<Overlap>, HashSet<(usize, usize)>) = Default::default();
        // One byte of each kind that the automaton tells apart; letters first, so that the examples can be read.
        let mut kinds = std::collections::BTreeSet::new();
        let order = (b'a'..=b'z').chain(b' '..=b'~').chain(0..b' ').chain(0x7f..=0xff);
        let order: Vec<u8> = order.filter(|byte| kinds.insert(self.dfa.byte_classes().get(*byte))).collect();
        // Each state with the template that matched on the way, breadth first, and how it was reached: from which one
        // before it, and by which byte.
        let mut seen = HashSet::from([(self.start, None::<usize>)]);
        let mut reached = vec![(self.start, None::<usize>, 0, 0)];
        let example = |reached: &[(StateID, Option<usize>, usize, u8)], mut at: usize| {
            let mut bytes = Vec::new();
            while at > 0 {
                bytes.push(reached[at].3);
                at = reached[at].2;
            }
            bytes.reverse();
            bytes
        };
        let mut at = 0;
        while let Some(&(state, mut earlier, ..)) = reached.get(at) {
            if let Some(end) = self.matched(state).filter(|_| at > 0) {
                let all = self.templates(end);
                let taken = earlier.unwrap_or(all[0]);
                for hidden in all.into_iter().filter(|t| *t != taken) {
                    if pairs.insert((taken, hidden)) {
                        found.push(Overlap { taken, hidden, example: example(&reached, at) });
                    }
                }
                earlier = Some(taken);
            }
            for &byte in &order {
                let next = self.dfa.next_state(state, byte);
                if !self.dfa.is_dead_state(next) && seen.insert((next, earlier)) {
                    reached.push((next, earlier, at, byte));
                }
            }
            at += 1;
            if reached.len() > SEARCHED_STATES || found.len() > TOLD_OVERLAPS {
                return (found, false);
            }
        }
        (found, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(patterns: &[&str]) -> Matcher {
        Matcher::new(&patterns.iter().map(|p| p.to_string()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_message_ends_as_soon_as_a_template_matches() {
        let m = matcher(&[
            r":[0-9]+\r\n",
            r"\$-1\r\n",
            r"\$[0-9]+\r\n[^\r\n]*\r\n",
            r"(?:[0-9]{3}-.*\r\n)*[0-9]{3} .*\r\n",
        ]);
        let message = |end, template| Match::Message { end, template };
        for (bytes, expected) in [
            (&b""[..], Match::Partial),
            (b":12", Match::Partial),
            (b":12\r\n", message(5, 0)),
            (b":12\r\n:13\r\n", message(5, 0)),
            (b"$-1\r\n", message(5, 1)),
            (b"$5\r\nhel", Match::Partial),
            (b"$5\r\nhello\r\n+", message(11, 2)),
            (b"250-a\r\n250-b\r\n", Match::Partial),
            (b"250-a\r\n250 b\r\nx", message(14, 3)),
            (b"-ERR", Match::Nothing),
            (b":1x", Match::Nothing),
            (b"250-\xff\xfe\r\n250 \x80\r\n", message(15, 3)),
        ] {
            assert_eq!(m.find(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    /// With a trail, the same is found in whatever pieces bytes come, and lines that came to nothing are not looked at again.
    #[test]
    fn a_trail_changes_nothing_but_the_work() {
        let m = matcher(&[r"(?:a\n)*b\n", r"(?:a\na\n)*c\n", r"x+\n"]);
        // Takes messages, and lines that are none.
        let all = |text: &[u8], size: usize| {
            let (mut found, mut trail, mut bytes) = (Vec::new(), Trail::default(), Vec::new());
            for piece in text.chunks(size) {
                bytes.extend_from_slice(piece);
                loop {
                    let seen = m.find_on(&bytes, &mut trail);
                    assert_eq!(seen, m.find(&bytes), "{}", bytes.escape_ascii());
                    let length = match seen {
                        Match::Message { end, .. } => end,
                        Match::Partial => break,
                        Match::Nothing => match bytes.iter().position(|b| *b == b'\n') {
                            Some(end) => end + 1,
                            None => break,
                        },
                    };
                    found.push((length, seen));
                    bytes.drain(..length);
                    trail.taken(length);
                }
            }
            found
        };
        let text = b"a\na\na\nb\na\na\nc\na\nc\na\na\na\ny\na\nxx\na\na\nq\nb\n";
        for size in 1..text.len() {
            assert_eq!(all(text, size), all(text, text.len()), "{size}");
        }
        // Many lines, each the beginning of what comes to nothing: each once, and not all for each.
        let text = [b"a\n".repeat(100_000), b"y\n".to_vec()].concat();
        let (mut trail, mut at) = (Trail::default(), 0);
        while at < text.len() {
            assert_eq!(m.find_on(&text[at..], &mut trail), Match::Nothing);
            trail.taken(2);
            at += 2;
        }
    }

    #[test]
    fn templates_that_overlap_are_found() {
        let overlap = |taken, hidden, example: &str| Overlap { taken, hidden, example: example.into() };
        assert_eq!(matcher(&["a[0-9]\n", "b[0-9]\n"]).overlaps().0, []);
        assert_eq!(matcher(&["a[0-9]\n", "[ab]7\n"]).overlaps().0, [overlap(0, 1, "a7\n")]);
        assert_eq!(matcher(&["a", "ab"]).overlaps().0, [overlap(0, 1, "ab")]);
        assert_eq!(matcher(&["ab", "a"]).overlaps().0, [overlap(1, 0, "ab")]);
        // The one that is hidden in part is not hidden as a whole.
        assert_eq!(matcher(&["OK\n", "[A-Z]+\n"]).overlaps().0, [overlap(0, 1, "OK\n")]);
    }
}
