//! What is not known never decides a run (T-V8): why a run ends, given what was left open in it.

use super::Referee;
use crate::sut::FaultKind;
use crate::verdict::{Cause, OpenCause, Trouble};

impl Referee<'_> {
    /// Why a run ends, given why it would end if everything were known. If the order of events is not known, that is an
    /// error, unless the run failed in any order. If everything rests on an open question, the run is inconclusive
    /// (T-V8).
    pub fn close(&self, cause: Cause) -> Cause {
        if matches!(cause, Cause::Failure(_) | Cause::Trouble(_)) {
            return cause;
        }
        if !self.misordered {
            let doubt = self.position.belief().doubt();
            return doubt.map_or(cause, |doubt| Cause::Open(OpenCause::Undecided(doubt.to_string())));
        }
        let message = "an answer came before the `accepted` of its input; with the order `sut`, the adapter must \
                       send `accepted` first";
        Cause::Trouble(Trouble::Fault { kind: FaultKind::Protocol, message: message.into(), stderr: Vec::new() })
    }
}
