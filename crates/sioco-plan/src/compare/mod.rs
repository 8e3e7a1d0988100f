//! Gray-box testing: a specification and a model of the implementation together (S2; `theory`, section 7).
//!
//! - [`join()`]: both models as one, over the same gates;
//! - [`conform`](mod@conform): whether the implementation model conforms, with a shortest sequence of inputs if not.

mod conform;
mod join;
mod trace;
mod walk;

use sioco_model::{Model, SwitchId};
use sioco_solve::Limits;
use sioco_symbolic::path::{Path, Shortcuts, SolverFactory};
use sioco_symbolic::stats::Counters;

pub use conform::{Conformance, Difference, Work};
pub use join::{Joined, Mismatch, Side, join};
pub use trace::{Event, Exchange};

/// How far to look.
#[derive(Clone, Debug)]
pub struct Options {
    /// The greatest number of inputs in a sequence.
    pub length: Option<usize>,
    /// The greatest number of pairs of states.
    pub nodes: usize,
    /// How many steps the answer to an input may have.
    pub internal: usize,
    /// Set from outside when the search has taken long enough: what it has is then used.
    pub enough: Option<std::sync::Arc<std::sync::atomic::AtomicBool>>,
    /// The limits of each question to a solver.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options { length: None, nodes: 20_000, internal: 100, enough: None, limits: Limits::default() }
    }
}

impl Options {
    fn is_over(&self) -> bool {
        self.limits.cancelled() || self.enough.as_ref().is_some_and(|e| e.load(std::sync::atomic::Ordering::Relaxed))
    }
}

/// How far a comparison is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Pairs of states so far.
    pub pairs: usize,
    /// Inputs in the sequences that are looked at.
    pub depth: usize,
    /// Pairs that are not looked at yet.
    pub open: usize,
    /// Inputs with their answers so far.
    pub steps: usize,
}

/// Why there is no comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompareError {
    /// The models do not have the same gates.
    Mismatch(Mismatch),
    /// A variable of the specification may begin with any value.
    Free(String),
    /// The answer of a model to an input does not end: these switches are taken again and again, or there are too many.
    Endless(Side, Vec<SwitchId>),
}

/// What a comparison came to.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Whether the implementation model conforms to the specification.
    pub conformance: Conformance,
    /// What that took.
    pub work: Work,
    /// The questions that were asked.
    pub counters: Counters,
}

/// Compares two models.
pub fn compare(
    spec: &Model,
    implementation: &Model,
    solvers: SolverFactory<'_>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Compared, CompareError> {
    let joined = join(spec, implementation).map_err(CompareError::Mismatch)?;
    if let Some(var) = spec.free_variables().next() {
        return Err(CompareError::Free(spec.variable_name(var)));
    }
    let over = || options.is_over();
    let path = Path::with(&joined.model, solvers, Shortcuts::default(), options.limits.clone());
    let mut walk = walk::Walk::new(&joined, path, options.internal, &over);
    let endless = |halt| match halt {
        walk::Halt::Endless(side, switches) => {
            CompareError::Endless(side, switches.into_iter().map(|s| joined.own_switch(side, s)).collect())
        }
        walk::Halt::Over => unreachable!("a search that is over has a result"),
    };
    let (conformance, work, _several) = conform::conform(&mut walk, spec, options, progress).map_err(endless)?;
    let counters = walk.path.counters();
    Ok(Compared { conformance, work, counters })
}
