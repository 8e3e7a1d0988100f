//! Work that is counted while somebody waits, and questions that the clock ends.

use super::Chain;
use crate::query::{Answer, Limits, Reason};

/// What one question to the back-end counts, besides the work that it was in vain: sending it and starting the search
/// takes time as well, so that many easy questions use up what somebody waits for, too. It is ten milliseconds, by
/// [what work counts](crate::cancellation).
const QUESTION: u64 = 5_000;
/// This much work of the built-in solver counts as one unit of a back-end's: its steps are smaller.
const BUILTIN: u64 = 2;

impl Chain {
    /// Asks within what is left of the work, and counts it.
    pub(super) fn rationed(&mut self, limits: &Limits, ask: impl FnOnce(&mut Chain, &Limits) -> Answer) -> Answer {
        let limits = self.limits(limits);
        let cancellation = limits.cancellation.clone();
        let Some(most) = cancellation.most_work() else {
            let answer = ask(self, &limits);
            if answer == Answer::Unknown(Reason::Time) {
                cancellation.count_late();
            }
            return answer;
        };
        let done = |chain: &Chain| (chain.builtin.work() + chain.afresh, chain.counters.back_end.asked);
        let before = done(self);
        let answer = ask(self, &Limits { resources: limits.resources.min(most), ..limits });
        let after = done(self);
        cancellation.spend((after.0 - before.0) / BUILTIN + (after.1 - before.1) * QUESTION);
        match answer {
            // Only the back-end says this, after all its work. With more it may be answered another time: nobody should
            // remember that it was not.
            Answer::Unknown(Reason::Resources) => {
                cancellation.spend(most);
                Answer::Unknown(Reason::Spent)
            }
            answer => answer,
        }
    }
}
