//! Inputs that are chosen and cannot be sent, since they are no gate values of the model: a mistake of sioco. Such a choice
//! is dropped, and something else is chosen.

use super::Tester;
use crate::sut::Fault;
use crate::verdict::{Cause, Trouble};

/// After so many in a row, the run ends: whoever chooses would make the same mistake for ever.
const DROPS: u32 = 16;

impl Tester<'_> {
    /// Drops what was chosen, for the n-th time in a row.
    pub(super) fn drop_choice(&mut self, mistake: Fault, drops: u32) {
        self.ledger.dropped_input();
        self.course = None;
        self.walks.lose_course();
        if drops >= DROPS {
            let Fault { kind, message, stderr, .. } = mistake;
            self.finish(Cause::Trouble(Trouble::Fault { kind, message, stderr }));
        }
    }

    /// How many inputs were chosen that are no gate values of the model. None of them was sent.
    pub fn dropped(&self) -> u64 {
        self.ledger.dropped()
    }
}
