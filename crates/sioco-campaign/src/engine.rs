//! Who answers questions about a model: solvers for symbolic paths, and an oracle for concrete states.

use std::sync::{Arc, Mutex, PoisonError};

use sioco_exec::suite::Suite;
use sioco_exec::{Order, Referee};
use sioco_model::Model;
use sioco_solve::values::Bounds;
use sioco_solve::{BackEnd, Cancellation, StateOracle};
use sioco_symbolic::path::SolverFactory;

/// At most this many hypotheses are followed, if nobody says otherwise. A step of a known state takes about a
/// microsecond, so that an event takes some ten milliseconds at worst; with more, the tester would be slower than the
/// quiescence time. With fewer, runs end as inconclusive sooner (T-V7).
pub const HYPOTHESES: usize = 10_000;

/// A solver, and what ends its work. Everything that it makes ends together.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'a> {
    back_end: &'a BackEnd,
    cancellation: &'a Cancellation,
}

impl<'a> Engine<'a> {
    /// The solver behind the cheap answers, until it is cancelled.
    pub fn new(back_end: &'a BackEnd, cancellation: &'a Cancellation) -> Engine<'a> {
        Engine { back_end, cancellation }
    }

    /// Makes solvers, one for each thread that needs one.
    pub fn solvers(self) -> impl Fn() -> Box<dyn Bounds> + Sync + 'a {
        move || Box::new(self.back_end.chain().on(Some(self.cancellation)))
    }

    /// An oracle for the states of a model.
    pub fn oracle(self, model: &Model) -> SharedOracle {
        let oracle = StateOracle::new(&model.terms, &model.sorts, self.back_end.clone()).on(self.cancellation);
        SharedOracle(Arc::new(Mutex::new(oracle)))
    }
}

/// An oracle that a referee asks while others give it work.
#[derive(Clone)]
pub struct SharedOracle(pub Arc<Mutex<StateOracle>>);

impl SharedOracle {
    /// A referee without purposes who asks this oracle, and these solvers of the same engine, and follows so many hypotheses.
    pub fn referee<'m>(&self, model: &'m Model, solvers: SolverFactory<'m>, limit: usize) -> Referee<'m> {
        Referee::with(model, solvers, Order::Sut, Suite::default(), Some(self.0.clone() as _), limit)
    }

    /// Every step may ask as much as any.
    pub fn refill(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).refill();
    }
}
