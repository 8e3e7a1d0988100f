//! The layer that tries all values where these are few.

use sioco_model::{SymbolId, TermId, Value};

use super::{Chain, Reply};
use crate::finite::{Outcome, put};
use crate::query::{Answer, Limits, Terms};

/// A component may take this many evaluations of conditions before the back-end is asked: about what a back-end costs.
/// Measured, planning for Redis: 3.2 s of computing with half, 3.8 s with this, 4.2 s with twice as many, and the same
/// plan.
const WORK: u64 = 2_000;

/// A component may take this many where there is no back-end to ask: five times as many, since an open question then
/// stays open.
const WORK_ALONE: u64 = 10_000;

/// Conditions that are left, and values of the symbols of all others.
type Rest = (Vec<TermId>, Vec<(SymbolId, Value)>);

impl Chain {
    fn few_work(&self, limits: &Limits) -> u64 {
        let work = if self.behind.reply == Reply::None { WORK_ALONE } else { WORK };
        limits.resources.min(work)
    }

    /// The answer, if the values are few; what is not decided may have values already.
    pub(super) fn ask_few(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Option<Answer> {
        if !self.switches.few {
            return None;
        }
        let answer = match self.finite.decide(terms, &self.conjuncts, self.few_work(limits), limits) {
            Outcome::Sat(values) => Some(self.take_few(terms, &values, want_witness)),
            Outcome::Unsat(clash) => Some(Answer::Unsat(Some(clash))),
            Outcome::Stopped(reason) => Some(Answer::Unknown(reason)),
            Outcome::Open(rest, values) => {
                let (_, confirmed) = self.known_values();
                let known = &self.conjuncts[..confirmed];
                rest.iter().all(|c| known.contains(c)).then(|| self.take_few(terms, &values, want_witness))
            }
        };
        self.counters.few.count(answer.as_ref());
        answer
    }

    /// The same without what is known from questions before; otherwise what is left to decide.
    pub(super) fn afresh_by_few(
        &mut self,
        terms: Terms<'_>,
        limits: &Limits,
        want_witness: bool,
    ) -> Result<Answer, Rest> {
        // Where the built-in solver decides by work alone, it is the quicker one.
        if !self.switches.few || self.builtin.is_exact() {
            return Err((self.conjuncts.clone(), Vec::new()));
        }
        let outcome = self.finite.decide(terms, &self.conjuncts, self.few_work(limits), limits);
        let result = match outcome {
            Outcome::Sat(values) => Ok(self.take_few(terms, &values, want_witness)),
            Outcome::Unsat(clash) => Ok(Answer::Unsat(Some(clash))),
            Outcome::Stopped(reason) => Ok(Answer::Unknown(reason)),
            Outcome::Open(rest, values) => Err((rest, values)),
        };
        self.counters.few.count(result.as_ref().ok());
        result
    }

    /// Takes over values of all symbols that conjuncts speak of, or of those whose values of now do not satisfy them.
    fn take_few(&mut self, terms: Terms<'_>, values: &[(SymbolId, Value)], want_witness: bool) -> Answer {
        let mut witness = self.base_values(terms);
        put(&mut witness, values);
        self.builtin.adopt(terms, &witness);
        self.keep(&witness);
        Answer::Sat(want_witness.then_some(witness))
    }
}
