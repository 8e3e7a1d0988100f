//! The solvers that the engine is given: those that it has, and those that fail.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use sioco_model::semantics::oracle::Oracle;
use sioco_model::{Model, SymbolId, TermId};
use sioco_solve::builtin::Extent;
use sioco_solve::chain::ChainCounters;
use sioco_solve::values::Bounds;
use sioco_solve::{Answer, BackEnd, Limits, Reason, Solver, StateOracle, Terms};

use crate::rng::Rng;

/// The solver of a case.
#[derive(Clone, Debug)]
pub struct Solvers {
    /// Who is behind the chain.
    pub back_end: BackEnd,
    /// In how many of a hundred questions it says that it does not know.
    pub weary: u64,
    /// Whether it breaks down.
    breaks: bool,
    /// Questions so far.
    asked: Arc<AtomicU64>,
}

impl Solvers {
    /// A back-end that does what it can.
    pub fn of(back_end: BackEnd) -> Solvers {
        Solvers { back_end, weary: 0, breaks: false, asked: Arc::default() }
    }

    /// No other program.
    pub fn builtin() -> Solvers {
        Solvers::of(BackEnd::BuiltIn)
    }

    /// The same, but in so many of a hundred questions it does not know.
    pub fn weary(self, percent: u64) -> Solvers {
        Solvers { weary: percent, ..self }
    }

    /// The same; it is known to break down.
    pub fn broken(self) -> Solvers {
        Solvers { breaks: true, ..self }
    }

    /// Whether it leaves questions open that others decide.
    pub fn is_weary(&self) -> bool {
        self.weary > 0 || self.breaks
    }

    /// The same from its beginning.
    pub fn fresh(&self) -> Solvers {
        Solvers { asked: Arc::default(), ..self.clone() }
    }

    /// A solver.
    pub fn make(&self) -> Box<dyn Bounds> {
        let inner = Box::new(self.back_end.chain());
        Box::new(Counted { inner, asked: self.asked.clone(), weary: self.weary, rng: Rng::new(self.weary) })
    }

    /// Somebody to ask about concrete states; nobody if no question is answered anyway.
    pub fn oracle(&self, model: &Model) -> Option<Arc<Mutex<dyn Oracle>>> {
        if self.weary == 100 {
            return None;
        }
        Some(Arc::new(Mutex::new(StateOracle::new(&model.terms, &model.sorts, self.back_end.clone()))))
    }

    /// How many questions were asked.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

/// A solver that counts, and sometimes does not know.
struct Counted {
    inner: Box<dyn Bounds>,
    asked: Arc<AtomicU64>,
    weary: u64,
    rng: Rng,
}

impl Counted {
    fn refuses(&mut self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.weary > 0 && self.rng.chance(self.weary)
    }
}

fn unknown() -> Answer {
    Answer::Unknown(Reason::Undecided("this solver is weary".into()))
}

impl Solver for Counted {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn push(&mut self) {
        self.inner.push();
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        self.inner.assert(terms, conjunct);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        if self.refuses() { unknown() } else { self.inner.check(terms, limits, want_witness) }
    }

    fn check_afresh(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        if self.refuses() { unknown() } else { self.inner.check_afresh(terms, limits, want_witness) }
    }

    fn counters(&self) -> Option<ChainCounters> {
        self.inner.counters()
    }

    fn core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        if self.refuses() { unknown() } else { self.inner.core(terms, limits) }
    }
}

impl Bounds for Counted {
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>) {
        self.inner.bounds(symbol)
    }

    fn extent(&mut self, terms: Terms<'_>, symbol: SymbolId) -> Option<Extent> {
        self.inner.extent(terms, symbol)
    }

    fn mentioned(&mut self, terms: Terms<'_>) -> Option<Vec<bool>> {
        self.inner.mentioned(terms)
    }
}
