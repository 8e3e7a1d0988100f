//! A refused input (T-E4): what it says about the system.

use super::Referee;
use crate::event::GateValue;
use crate::verdict::{Cause, Failure, OpenCause, Trouble};

impl Referee<'_> {
    /// Why a run ends with a refused input (T-E4).
    pub(crate) fn refusal(&mut self, overtaken: bool, input: &GateValue, why: &str) -> Cause {
        if self.refusals && !overtaken && self.position.must_take(input) {
            return Cause::Failure(Failure::Refused { input: input.clone(), why: why.to_owned() });
        }
        match overtaken && !self.position.takes(input) {
            true => Cause::Open(OpenCause::Crossed),
            false => Cause::Trouble(Trouble::Refused { input: input.clone(), why: why.to_owned() }),
        }
    }
}
