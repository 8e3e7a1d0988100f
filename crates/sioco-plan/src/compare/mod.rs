//! Gray-box testing: a specification and a model of the implementation together (S2; T-G1 to T-G7).
//!
//! - [`join()`]: both models as one, over the same gates;
//! - [`Conformance`]: whether the implementation model conforms, with a shortest sequence of inputs if not;
//! - [`Composition`]: the transitions that both have together (S2 definition 17);
//! - [`Suite`]: the tests that follow from it (S2 definitions 19 and 20), as a [plan](crate::Plan).

mod composition;
mod conform;
mod explicit;
mod join;
mod points;
mod polynomial;
mod same;
mod sets;
mod suite;
mod trace;
mod walk;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sioco_model::{Model, SwitchId};
use sioco_solve::Limits;
use sioco_solve::values::Choice;
use sioco_symbolic::analysis;
use sioco_symbolic::explore::{self, Stop};
use sioco_symbolic::path::{Path, Shortcuts, SolverFactory};
use sioco_symbolic::stats::Counters;

pub use composition::{Composition, Defined, Pair, Transition};
pub use conform::{Conformance, Difference, Work};
pub use join::{Joined, Mismatch, Side, join};
pub use suite::{NoDegree, Suite};
pub use trace::Exchange;

use crate::event::Event;

/// Which paths of the composition are tested (T-G7): S2 leaves open what to do where loops make them infinitely many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cover {
    /// A path to every transition; a state that is included in another one, wherever that is, is not followed again.
    Transitions,
    /// All paths, each until its state is included in one that it has passed.
    Inclusion,
    /// All paths with so many inputs.
    Length(usize),
}

impl Cover {
    /// Whether states are compared.
    fn merges(self) -> bool {
        !matches!(self, Cover::Length(_))
    }
}

/// How far to look.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Which paths are tested.
    pub cover: Cover,
    /// The greatest number of inputs in a sequence, if the cover does not say it.
    pub length: Option<usize>,
    /// The greatest number of pairs of states, and of transitions.
    pub nodes: usize,
    /// How many inputs tell outputs apart whose degree is not known.
    pub uniformity: Option<usize>,
    /// How values are chosen.
    pub values: Choice,
    /// Where random values start.
    pub seed: u64,
    /// Whether paths end where the outputs differ whatever the inputs are: S2 follows them further.
    pub until_different: bool,
    /// Whether the conditions of transitions are told.
    pub describe: bool,
    /// How many steps the answer to an input may have.
    pub internal: usize,
    /// Set from outside when the search for a difference has taken long enough; the composition goes on.
    pub enough_conformance: Option<Arc<AtomicBool>>,
    /// Set from outside when the search has taken long enough: tests are made of what it has.
    pub enough: Option<Arc<AtomicBool>>,
    /// The limits of each question to a solver; its `cancel` ends everything with what there is.
    pub limits: Limits,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            cover: Cover::Transitions,
            length: None,
            nodes: 20_000,
            uniformity: None,
            values: Choice::Min,
            seed: 0,
            until_different: false,
            describe: false,
            internal: 100,
            enough_conformance: None,
            enough: None,
            limits: Limits::default(),
        }
    }
}

impl CompareOptions {
    /// The greatest number of inputs in a sequence.
    fn most(&self) -> Option<usize> {
        match self.cover {
            Cover::Length(n) => Some(self.length.map_or(n, |most| most.min(n))),
            _ => self.length,
        }
    }

    fn is_over(&self) -> bool {
        self.limits.cancelled() || is_set(&self.enough)
    }
}

fn is_set(flag: &Option<Arc<AtomicBool>>) -> bool {
    flag.as_ref().is_some_and(|e| e.load(Ordering::Relaxed))
}

/// What a comparison is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// It looks for a difference.
    Comparing,
    /// It composes both models.
    Composing,
    /// It finds values for tests.
    Testing,
}

/// How far a comparison is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompareProgress {
    /// What it is doing.
    pub stage: Stage,
    /// Pairs of states so far.
    pub pairs: usize,
    /// Inputs in the sequences that are looked at.
    pub depth: usize,
    /// Pairs that are not looked at yet.
    pub open: usize,
    /// Inputs with their answers so far.
    pub steps: usize,
}

impl std::fmt::Display for CompareProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CompareProgress { stage, pairs, depth, open, steps } = self;
        let what = match stage {
            Stage::Comparing => "comparing",
            Stage::Composing => "composing",
            Stage::Testing => return write!(f, "finding tests: {steps} of {} transitions", steps + open),
        };
        write!(f, "{what}: {pairs} pairs of states, {steps} steps, {depth} inputs, {open} open")
    }
}

/// Why there is no comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompareError {
    /// The models do not have the same gates.
    Mismatch(Mismatch),
    /// A variable of the specification may begin with any value.
    Free(String),
    /// A model never answers an input with an output.
    Silent(Side),
    /// The answer of a model to an input does not end: these switches lead back to the same state.
    Endless(Side, Vec<SwitchId>),
    /// The answer of a model to an input has more steps than [it may have](CompareOptions::internal), of which these are the last.
    Long(Side, Vec<SwitchId>),
    /// A model has too many answers to an input, of which one ends with these switches for now.
    Many(Side, Vec<SwitchId>),
}

/// What a comparison came to.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Whether the implementation model conforms to the specification.
    pub conformance: Conformance,
    /// What that took.
    pub work: Work,
    /// What was asked to find that out.
    pub asked: Counters,
    /// What both models do together.
    pub composition: Composition,
    /// What was asked to compose them.
    pub composed: Counters,
    /// The tests; or the outputs that have no degree.
    pub suite: Result<Suite, Vec<NoDegree>>,
    /// All that was asked.
    pub counters: Counters,
    /// Switches that compute a value which is undefined or outside its range for some inputs, by the model that they are
    /// in: what is true then is not compared.
    pub undefined: Vec<(Side, SwitchId)>,
}

/// Compares two models.
pub fn compare(
    spec: &Model,
    implementation: &Model,
    solvers: SolverFactory<'_>,
    options: &CompareOptions,
    progress: &mut dyn FnMut(CompareProgress),
) -> Result<Compared, CompareError> {
    let joined = join(spec, implementation).map_err(CompareError::Mismatch)?;
    if let Some(var) = spec.free_variables().next() {
        return Err(CompareError::Free(spec.variable_name(var)));
    }
    let over = || options.is_over();
    let path = Path::with(&joined.model, solvers, Shortcuts::default(), options.limits.clone());
    let either = || options.is_over() || is_set(&options.enough_conformance);
    let mut walk = walk::Walk::new(&joined, path, options.internal, &either);
    let endless = |halt| endless(&joined, halt);
    let (mut conformance, mut work, several) = conform::conform(&mut walk, spec, options, progress).map_err(endless)?;
    // Where the observations do not determine what the specification does, or something is left open, few states are
    // looked at one by one.
    let settled = match &conformance {
        Conformance::Differs(_) => true,
        Conformance::Conforms { stop, .. } => matches!(stop, Stop::Complete | Stop::Depth),
        Conformance::Unknown { .. } => false,
    };
    let by_states = match several || !settled {
        true => explicit::conform(spec, implementation, options, progress),
        false => None,
    };
    match by_states {
        Some(found) => (conformance, work) = found,
        None if several => {
            (conformance, work) = sets::conform(&mut walk, spec, options, progress).map_err(endless)?;
        }
        None => {}
    }
    let asked = walk.path.counters();
    // The composition is asked for with a path of its own, so that what it takes can be told.
    let path = Path::with(&joined.model, solvers, Shortcuts::default(), options.limits.clone());
    let mut walk = walk::Walk::new(&joined, path, options.internal, &over);
    let mut composition = composition::compose(&mut walk, options, progress).map_err(endless)?;
    let composed = walk.path.counters();
    if options.describe {
        composition.describe(&mut walk);
    }
    for side in [Side::Spec, Side::Impl] {
        if composition.stop == Stop::Complete && composition.is_silent(side) {
            return Err(CompareError::Silent(side));
        }
    }
    let suite = suite::suite(&mut walk, &composition, options, progress);
    let mut counters = asked;
    counters.add(&walk.path.counters());
    let mut undefined = Vec::new();
    for (side, model) in [(Side::Spec, spec), (Side::Impl, implementation)] {
        undefined.extend(errors(model, solvers, options).into_iter().map(|switch| (side, switch)));
    }
    Ok(Compared { conformance, work, asked, composition, composed, suite, counters, undefined })
}

/// Composes two models, and says at the ends of which transitions each of some sequences of inputs may be (S2 definition
/// 18): of deterministic models, at most one.
pub fn compose(
    joined: &Joined,
    solvers: SolverFactory<'_>,
    options: &CompareOptions,
    sequences: &[Vec<Event>],
) -> Result<(Composition, Vec<Vec<usize>>), CompareError> {
    let over = || options.is_over();
    let path = Path::with(&joined.model, solvers, Shortcuts::default(), options.limits.clone());
    let mut walk = walk::Walk::new(joined, path, options.internal, &over);
    let composition = composition::compose(&mut walk, options, &mut |_| {}).map_err(|halt| endless(joined, halt))?;
    let taken = sequences.iter().map(|inputs| composition.taken_by(&mut walk, inputs)).collect();
    Ok((composition, taken))
}

fn endless(joined: &Joined, halt: walk::Halt) -> CompareError {
    let own = |side, switches: Vec<_>| switches.into_iter().map(|s| joined.own_switch(side, s)).collect();
    match halt {
        walk::Halt::Endless(side, switches) => CompareError::Endless(side, own(side, switches)),
        walk::Halt::Long(side, switches) => CompareError::Long(side, own(side, switches)),
        walk::Halt::Many(side, switches) => CompareError::Many(side, own(side, switches)),
        walk::Halt::Over | walk::Halt::Several => unreachable!("a search that is over has a result"),
    }
}

/// Model errors are looked for in this many states: those near the start, where most show. The whole search is for
/// `sioco analyze`.
const ERRORS_AMONG: usize = 200;

/// The switches of a model that compute a value, or have a guard, which is undefined for some values, as far as they are found quickly.
fn errors(model: &Model, solvers: SolverFactory<'_>, options: &CompareOptions) -> Vec<SwitchId> {
    let terms = model.switches.values().flat_map(|s| {
        let computed = s.update.iter().map(|(_, t)| *t).chain(s.params.iter().filter_map(|p| p.term));
        computed.chain([s.guard])
    });
    if options.is_over() || !terms.into_iter().any(|t| model.terms.is_partial(t)) {
        return Vec::new();
    }
    let explore = explore::ExploreOptions {
        nodes: ERRORS_AMONG,
        workers: 1,
        limits: options.limits.clone(),
        ..explore::ExploreOptions::default()
    };
    let found = explore::explore(model, solvers, &explore, &mut |_| {});
    analysis::model_errors(model, &found, ERRORS_AMONG, solvers, &options.limits).switches
}
