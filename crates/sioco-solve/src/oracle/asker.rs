//! A chain that stops asking a back-end that has used up its time.

use sioco_model::{SymbolId, TermId, Value};

use crate::back_end::BackEnd;
use crate::builtin::Extent;
use crate::cancellation::Cancellation;
use crate::chain::Chain;
use crate::query::{Answer, Limits, Reason, Solver, Terms};
use crate::values::Bounds;

/// At most this many questions may reach the back-end between two refills: a step asks a few, so that only a search
/// without end uses them up. What is beyond stays unknown.
const ALLOWANCE: u64 = 1000;
/// What a question costs that ran into a limit. Besides, it halves the limits of those that follow: nobody wants to wait
/// for many of them, but easy questions shall still get their answers.
const COSTLY: u64 = ALLOWANCE / 20;
/// Limits are halved at most this often: an eighth is still enough for easy questions.
const HALVED: u32 = 3;

/// The chain.
pub(super) struct Asker {
    back_end: BackEnd,
    cancellation: Option<Cancellation>,
    chain: Chain,
    left: u64,
    halved: u32,
    /// Whether the last question had all the time that any has.
    patient: bool,
}

impl Asker {
    pub fn new(back_end: BackEnd) -> Self {
        let chain = back_end.chain();
        Asker { back_end, cancellation: None, chain, left: ALLOWANCE, halved: 0, patient: true }
    }

    /// All questions end with this cancellation. To be called before anything is asked.
    pub fn end_with(&mut self, cancellation: &Cancellation) {
        self.cancellation = Some(cancellation.clone());
        self.restart();
    }

    pub fn refill(&mut self) {
        self.left = ALLOWANCE;
        self.halved = 0;
    }

    /// Whether the last question had all the time that any has, which nobody took from it: asked again, its answer would be the same.
    pub fn was_patient(&self) -> bool {
        self.patient && !self.cancellation.as_ref().is_some_and(Cancellation::has_come)
    }

    /// Forgets all terms; a back-end that is left alone stays so.
    pub fn restart(&mut self) {
        let mut chain = self.back_end.chain().on(self.cancellation.as_ref());
        if let Some(why) = self.chain.given_up() {
            chain.leave_back_end(why.clone());
        }
        self.chain = chain;
    }

    fn ask(&mut self, limits: &Limits, ask: impl FnOnce(&mut Chain, &Limits) -> Answer) -> Answer {
        self.patient = self.halved == 0 && self.left > 0;
        if self.left == 0 {
            return Answer::Unknown(Reason::Resources);
        }
        let limits = Limits {
            resources: limits.resources >> self.halved,
            wall: limits.wall / (1 << self.halved),
            ..limits.clone()
        };
        let before = self.chain.counters().back_end.asked;
        let answer = ask(&mut self.chain, &limits);
        self.account(before, answer)
    }

    fn account(&mut self, before: u64, answer: Answer) -> Answer {
        let asked = self.chain.counters().back_end.asked - before;
        self.left = self.left.saturating_sub(asked);
        match answer {
            Answer::Unknown(why @ (Reason::Time | Reason::Resources)) => {
                self.left = self.left.saturating_sub(COSTLY);
                self.halved = (self.halved + 1).min(HALVED);
                Answer::Unknown(why)
            }
            answer => answer,
        }
    }
}

impl Solver for Asker {
    fn name(&self) -> String {
        self.chain.name()
    }

    fn push(&mut self) {
        self.chain.push();
    }

    fn pop(&mut self) {
        self.chain.pop();
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        self.chain.assert(terms, conjunct);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.ask(limits, |chain, limits| chain.check(terms, limits, want_witness))
    }

    fn core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        self.ask(limits, |chain, limits| chain.core(terms, limits))
    }
}

impl Bounds for Asker {
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>) {
        self.chain.bounds(symbol)
    }

    fn extent(&mut self, terms: Terms<'_>, symbol: SymbolId) -> Option<Extent> {
        self.chain.extent(terms, symbol)
    }

    fn offer(&mut self, terms: Terms<'_>, witness: &[Value]) -> bool {
        self.chain.offer(terms, witness)
    }
}
