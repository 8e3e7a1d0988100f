//! What controllers find values with: solvers, numbers drawn at random, and what was used before.

use std::time::Duration;

use sioco_model::model::Model;
use sioco_plan::drawn_values::Drawer;
use sioco_plan::walker::Walker;
use sioco_solve::values::Random;
use sioco_solve::{Cancellation, Limits};
use sioco_symbolic::path::{Path, Shortcuts, SolverFactory};

use crate::inputs::Inputs;

/// The solver's terms may take this many bytes, besides those of the model, before they are forgotten: a long walk has
/// ever new values. What is forgotten is made again when it is needed, so that a smaller room makes walks slower; a
/// larger one only takes memory.
const TERM_BYTES: usize = 4 << 20;

/// See the [module](self).
pub struct Tools<'m> {
    model: &'m Model,
    solvers: SolverFactory<'m>,
    /// Finds values for ways by solving.
    pub walker: Walker<'m>,
    /// How much memory its terms take at first, in bytes.
    at_first: usize,
    /// What ends questions when the system has waited long enough.
    pub cancellation: Cancellation,
    /// Random choices.
    pub random: Random,
    /// Finds values for ways by drawing them.
    pub drawer: Drawer,
    /// Values of inputs that were of use before.
    pub inputs: Inputs,
}

impl<'m> Tools<'m> {
    /// For a model.
    pub fn new(model: &'m Model, solvers: SolverFactory<'m>, seed: u64) -> Tools<'m> {
        let cancellation = Cancellation::default();
        let walker = walker(model, solvers, &cancellation);
        Tools {
            model,
            solvers,
            at_first: walker.path.bytes(),
            walker,
            cancellation,
            random: Random::new(seed),
            drawer: Drawer::default(),
            inputs: Inputs::new(model),
        }
    }

    /// What is asked from now on ends with this.
    pub fn end_with(&mut self, cancellation: &Cancellation) {
        self.cancellation = cancellation.clone();
        self.walker = walker(self.model, self.solvers, cancellation);
    }

    /// The system waits, and for so long at most, or nobody does.
    pub fn hurry(&self, pause: Option<Duration>) {
        self.cancellation.hurry(pause);
    }

    /// Terms that were made for values are of no use later.
    pub fn forget_terms(&mut self) {
        if self.walker.path.bytes() > TERM_BYTES + self.at_first {
            self.walker = walker(self.model, self.solvers, &self.cancellation);
        }
    }
}

fn walker<'m>(model: &'m Model, solvers: SolverFactory<'m>, cancellation: &Cancellation) -> Walker<'m> {
    let limits = Limits { cancellation: cancellation.clone(), ..Limits::default() };
    Walker::new(Path::with(model, solvers, Shortcuts::default(), limits))
}
