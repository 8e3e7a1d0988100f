//! Inputs that are chosen and cannot be sent, since they are no gate values of the model: a mistake of sioco. Such a choice
//! is dropped, and something else is chosen.

use super::Driver;
use crate::sut::Fault;
use crate::verdict::{Cause, Trouble};

/// After this many choices in a row that the model does not allow, the run ends: whoever chooses would make the same
/// mistake for ever. A choice by chance may well be wrong a few times.
const DROPS: u32 = 16;

impl Driver<'_> {
    /// Drops what was chosen, for the n-th time in a row.
    pub(super) fn drop_choice(&mut self, mistake: Fault, drops: u32) {
        self.stage.ledger.dropped_input();
        self.purpose.lose_course();
        self.walk.lose_course();
        if drops >= DROPS {
            let Fault { kind, message, stderr, .. } = mistake;
            self.finish(Cause::Trouble(Trouble::Fault { kind, message, stderr }));
        }
    }
}
