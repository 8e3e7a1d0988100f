//! Conditions whose truth can be seen without looking for values, remembered.

use sioco_model::TermId;
pub use sioco_model::simplify::Seen;
use sioco_model::simplify::look;

use super::memory::Memory;
use crate::query::Terms;

/// Looks at conditions, and remembers what it saw.
pub struct Simplifier {
    seen: Memory<TermId, Seen>,
}

/// At most this many conditions are remembered. When there are more, all are forgotten, and those that are needed are
/// made again: it only bounds the memory.
const MAX_REMEMBERED: usize = 1 << 17;

impl Default for Simplifier {
    fn default() -> Self {
        Simplifier { seen: Memory::new(MAX_REMEMBERED) }
    }
}

impl Simplifier {
    /// What can be seen of a condition.
    pub fn look(&mut self, terms: Terms<'_>, condition: TermId) -> Seen {
        if let Some(seen) = self.seen.get(&condition) {
            return *seen;
        }
        let seen = look(terms.pool, terms.sorts, condition, &mut |part| self.look(terms, part));
        self.seen.put(condition, seen);
        seen
    }
}
