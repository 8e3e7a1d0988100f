//! Values that a solver chooses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::ValueEnum;
use sioco_model::Model;
use sioco_model::semantics::{Interpreter, Unanswered};
use sioco_solve::oracle::StepQuestion;
use sioco_solve::values::{Choice, Chosen};
use sioco_solve::{BackEnd, StateOracle};

/// Which of the possible values are taken where the model leaves a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Values {
    /// The least
    Min,
    /// The greatest
    Max,
    /// Half way between the least and the greatest
    Middle,
    /// At random, by the seed
    Random,
    /// Where the guard is about to become false
    Boundary,
}

/// The solver of a session, and how it chooses.
pub struct Solving {
    oracle: Arc<Mutex<StateOracle>>,
    /// How values are chosen, if that was said.
    values: Option<Values>,
    seed: u64,
}

impl Solving {
    /// For the states of a model.
    pub fn new(model: &Model, back_end: BackEnd, values: Option<Values>, seed: u64) -> Solving {
        let oracle = StateOracle::new(&model.terms, &model.sorts, back_end);
        Solving { oracle: Arc::new(Mutex::new(oracle)), values, seed }
    }

    /// An interpreter that asks the solver.
    pub fn interpreter<'m>(&self, model: &'m Model) -> Interpreter<'m> {
        Interpreter::new(model).with_oracle(self.oracle.clone())
    }

    fn oracle(&self) -> MutexGuard<'_, StateOracle> {
        self.oracle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new request has come: it may take as long as any.
    pub fn refill(&self) {
        self.oracle().refill();
    }

    /// How values are chosen after so many steps, if that was said. The same question gets the same values.
    pub fn choice(&self, steps: usize) -> Option<Choice> {
        Some(match self.values? {
            Values::Min => Choice::Min,
            Values::Max => Choice::Max,
            Values::Middle => Choice::Middle,
            Values::Random => Choice::Random(self.seed.rotate_left(32) ^ steps as u64),
            Values::Boundary => Choice::Boundary,
        })
    }

    /// Which border of a guard is chosen after so many steps.
    pub fn turn(&self, steps: usize) -> u64 {
        self.seed.wrapping_add(steps as u64)
    }

    /// Values of the parameters that a step leaves open, chosen in a certain way or the plainest ones.
    pub fn choose(
        &self,
        model: &Model,
        question: StepQuestion<'_>,
        choice: Option<Choice>,
    ) -> Result<Option<Chosen>, Unanswered> {
        self.oracle().choose_step(model, question, choice)
    }
}
