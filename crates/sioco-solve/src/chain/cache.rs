//! Answers to questions that were asked before, by the set of conditions.

use sioco_model::{SymbolId, TermId, Value};

use super::memory::Memory;

/// What is remembered of a set of conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remembered {
    /// They can be true, with these values of their symbols.
    Sat(Vec<(SymbolId, Value)>),
    /// They cannot.
    Unsat,
}

/// Answers by sets of conditions; the ids of hash-consed terms make equal conditions equal.
pub struct Cache {
    answers: Memory<Box<[TermId]>, Remembered>,
}

/// At most this many answers are kept, which only bounds the memory. Searches ask about neighbours of what they asked
/// last, so that older answers are seldom of use.
const MAX_REMEMBERED: usize = 1 << 16;

impl Default for Cache {
    fn default() -> Self {
        Cache { answers: Memory::new(MAX_REMEMBERED) }
    }
}

impl Cache {
    /// The key of a set of conditions.
    pub fn key(conditions: &[TermId]) -> Box<[TermId]> {
        let mut key = conditions.to_vec();
        key.sort_unstable();
        key.dedup();
        key.into()
    }

    /// What is remembered.
    pub fn get(&self, key: &[TermId]) -> Option<&Remembered> {
        self.answers.get(key)
    }

    /// Remembers an answer.
    pub fn put(&mut self, key: Box<[TermId]>, answer: Remembered) {
        self.answers.put(key, answer);
    }
}
