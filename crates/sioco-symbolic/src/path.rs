//! A path through the symbolic execution tree, and all that is known on it.
//!
//! This is the one place where switches are executed symbolically (T-X3; S0 definition 12, S3 9). A [`Path`] stands
//! at a symbolic state; [`probe`](Path::probe) says whether a step is possible from there, [`advance`](Path::advance)
//! takes it, [`retreat`](Path::retreat) takes it back. Nodes of a graph need not hold any state: a path goes from one
//! node to the next over their common ancestor and recomputes what changes on the way.
//!
//! The value of a variable is a value as long as it is known, otherwise a small term over symbols. A value that would
//! become a large term gets a symbol of its own and a condition that defines it, so that the questions to a solver
//! stay small however long the path is. Symbols are numbered by the step at which they appear (S1; S0 writes primes),
//! so that paths with the same steps share their terms.

mod advance;
mod given;
mod instance;
mod probe;
mod start;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::model::{Label, Model};
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::program::Memory;
use sioco_model::semantics::state::State;
use sioco_model::term::{Term, TermPool};
use sioco_model::{Id, LocationId, ProcessId, SwitchId, SymbolId, TermId, Value, VarId};
use sioco_solve::values::Bounds;
use sioco_solve::{Answer, Finite, Limits, Reason, Symbols, Terms};

use crate::divergence::FromTo;
use crate::opaque::is_large;
use crate::prepare::{Origin, Prepared, Signatures, prepare};
use crate::stats::Counters;
use crate::step::{Outgoing, Step};
use crate::symbols::Names;
use sioco_model::semantics::live::Live;

/// A value whose term has more parts than this gets a symbol of its own. Measured, planning for Redis: 7.3 s of
/// computing with half of it, 3.6 s with this, 2.1 s with twice as much, and the same plan.
const NAMED_FROM: usize = 6;

/// Whether a step is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Possible {
    /// Some values make it happen.
    Yes,
    /// No values do.
    No,
    /// It was not found out.
    Unknown(Reason),
}

/// Which cheap ways are used; all of them, except for measurements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortcuts {
    /// Conditions on known values are evaluated; terms are computed as far as possible.
    pub evaluation: bool,
    /// A condition on fresh parameters alone is decided once, whatever path leads to it.
    pub independence: bool,
}

impl Default for Shortcuts {
    fn default() -> Self {
        Shortcuts { evaluation: true, independence: true }
    }
}

/// A condition on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathCondition {
    /// A Bool term over symbols.
    pub term: TermId,
    /// Where it comes from.
    pub origin: Origin,
    /// The step (from 1) that brought it.
    pub step: usize,
}

/// A step on the path, and how to take it back.
struct Frame {
    step: Step,
    /// Different for every frame there ever was.
    serial: u64,
    undo: usize,
    locations: usize,
    conditions: usize,
    /// The values of the free parameters, if there are any.
    free: Option<Arc<[TermId]>>,
    /// The values of all parameters.
    args: Option<Box<[TermId]>>,
    /// Why a condition was left out: values for the path do not prove this step.
    unproved: Option<Reason>,
}

/// A way to make solvers; every path and every worker has its own.
pub type SolverFactory<'a> = &'a (dyn Fn() -> Box<dyn Bounds> + Sync);

/// The solvers of a path, and what they were told.
pub(crate) struct Solvers {
    /// It has the path condition on its stack.
    pub(crate) main: Box<dyn Bounds>,
    /// For questions that do not depend on the path.
    pub(crate) side: Box<dyn Bounds>,
    pub(crate) limits: Limits,
    /// The frames that the solver knows, by serial number.
    synced: Vec<u64>,
    /// What it said of conditions that do not depend on the path.
    alone: FxHashMap<(u32, Box<[TermId]>), Possible>,
}

/// The steps of the model, prepared when they are first needed.
struct Steps {
    outgoing: Arc<Outgoing>,
    switches: Vec<Option<Arc<Prepared>>>,
    handshakes: FxHashMap<(SwitchId, SwitchId), Arc<Prepared>>,
    signatures: Signatures,
}

/// Terms that were made before.
#[derive(Default)]
struct Memo {
    instances: FxHashMap<[u32; 4], TermId>,
    large_instances: FxHashMap<Box<[u32]>, TermId>,
    with_symbols: FxHashMap<(TermId, u32, u32), TermId>,
    scratch: FxHashMap<TermId, TermId>,
    symbol_lists: FxHashMap<TermId, Arc<[SymbolId]>>,
}

/// The symbolic state at the end of a path (T-X2), and what it takes to go back to those before it.
pub(crate) struct SymbolicState {
    /// The state that the path starts at, if it is not the initial one.
    pub(crate) begun: Option<State>,
    /// The locations of the processes.
    pub(crate) locations: Vec<LocationId>,
    /// The values of the variables, and the terms of those that have none.
    values: Vec<Value>,
    terms: Vec<Option<TermId>>,
    /// What each step changed.
    undo: Vec<(VarId, Value, Option<TermId>)>,
    moved: Vec<(ProcessId, LocationId)>,
    /// New values, before they are assigned at once.
    pending: Vec<(VarId, Result<Value, TermId>)>,
    /// Whether there was a value that is nearly too large to compute with.
    grown: bool,
}

/// What tells about states whose values are known, or few.
#[derive(Default)]
pub(crate) struct Concrete<'m> {
    /// Made when it is first needed.
    pub(crate) interpreter: Option<Box<Interpreter<'m>>>,
    /// Tries values where these are few.
    pub(crate) few: Finite,
    /// Which variables something reads, once somebody asks.
    pub(crate) live: Option<Live>,
}

/// What is known of internal steps that lead back.
#[derive(Default)]
pub(crate) struct Returns {
    /// Which locations internal steps may lead back to.
    pub(crate) rounds: FxHashMap<FromTo, bool>,
    /// Whether a round of internal steps is looked for.
    pub(crate) in_rounds: bool,
    /// Whether states are one that agree on what something still reads.
    pub(crate) merging: bool,
}

/// See the [module](self).
pub struct Path<'m> {
    pub(crate) model: &'m Model,
    pub(crate) pool: TermPool,
    pub(crate) names: Names,
    pub(crate) solvers: Solvers,
    shortcuts: Shortcuts,
    steps: Steps,
    memory: Memory,
    pub(crate) state: SymbolicState,
    frames: Vec<Frame>,
    conditions: Vec<PathCondition>,
    serial: u64,
    /// Whether arguments are kept, for people.
    recording: bool,
    memo: Memo,
    counters: Counters,
    pub(crate) concrete: Concrete<'m>,
    pub(crate) divergence: Returns,
}

impl<'m> Path<'m> {
    /// The path without steps, at the initial state (T-X2): free variables are symbols (S3 definition 9).
    pub fn new(model: &'m Model, solvers: SolverFactory<'_>) -> Self {
        Self::with(model, solvers, Shortcuts::default(), Limits::default())
    }

    /// The same with settings.
    pub fn with(model: &'m Model, solvers: SolverFactory<'_>, shortcuts: Shortcuts, limits: Limits) -> Self {
        let solvers =
            Solvers { main: solvers(), side: solvers(), limits, synced: Vec::new(), alone: FxHashMap::default() };
        let steps = Steps {
            outgoing: Arc::new(Outgoing::new(model)),
            switches: vec![None; model.switches.len()],
            handshakes: FxHashMap::default(),
            signatures: Signatures::default(),
        };
        let state = SymbolicState {
            begun: None,
            locations: model.processes.values().map(|p| p.initial).collect(),
            values: Vec::new(),
            terms: Vec::new(),
            undo: Vec::new(),
            moved: Vec::new(),
            pending: Vec::new(),
            grown: model.variables.values().any(|v| v.initial.as_ref().is_some_and(is_large)),
        };
        let mut path = Path {
            model,
            pool: model.terms.clone(),
            names: Names::default(),
            solvers,
            shortcuts,
            steps,
            memory: Memory::default(),
            state,
            frames: Vec::new(),
            conditions: Vec::new(),
            serial: 0,
            recording: false,
            memo: Memo::default(),
            counters: Counters::default(),
            concrete: Concrete::default(),
            divergence: Returns::default(),
        };
        for (id, v) in model.variables.iter() {
            match &v.initial {
                Some(value) => {
                    path.state.values.push(value.clone());
                    path.state.terms.push(None);
                }
                None => {
                    path.state.values.push(model.sorts.default_value(v.sort));
                    let symbol = path.names.of_variable(&mut path.pool, &model.sorts, 0, id, v.sort);
                    path.state.terms.push(Some(symbol));
                }
            }
        }
        path
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// How many steps the path has.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether the path has no steps.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The steps of the path.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = Step> + ExactSizeIterator + '_ {
        self.frames.iter().map(|f| f.step)
    }

    /// A step of the path, from 0.
    pub fn step(&self, i: usize) -> Option<Step> {
        self.frames.get(i).map(|f| f.step)
    }

    /// The locations where the processes are.
    pub fn locations(&self) -> &[LocationId] {
        &self.state.locations
    }

    /// The value of a variable, if it is known whatever the symbols are.
    pub fn value(&self, var: VarId) -> Option<&Value> {
        self.state.terms[var.index()].is_none().then(|| &self.state.values[var.index()])
    }

    /// The value of a variable as a term over symbols.
    pub fn term(&mut self, var: VarId) -> TermId {
        match self.state.terms[var.index()] {
            Some(term) => term,
            None => {
                let sort = self.model.sorts.base(self.model.variables[var].sort);
                self.pool.constant(self.state.values[var.index()].clone(), sort)
            }
        }
    }

    /// The path condition: all conjuncts, in the order of the steps (S1: the trace constraint).
    pub fn conditions(&self) -> &[PathCondition] {
        &self.conditions
    }

    /// The terms of this path.
    pub fn pool(&self) -> &TermPool {
        &self.pool
    }

    /// The symbols of this path, and of others that it was on before.
    pub fn symbols(&self) -> &Symbols {
        &self.names.symbols
    }

    /// What the shortcuts and the solvers did so far.
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters;
        for solver in [&self.solvers.main, &self.solvers.side] {
            if let Some(chain) = solver.counters() {
                counters.add_chain(&chain);
            }
        }
        counters
    }

    /// From here on, states that agree on what something may still read are one: whoever follows the path has merged them.
    /// Otherwise internal steps come back only where all values are the same (T-L8).
    pub fn merge_states(&mut self) {
        self.divergence.merging = true;
    }

    /// Keeps the arguments of the steps that are taken from now on.
    pub fn record(&mut self) {
        self.recording = true;
    }

    /// The arguments of a recorded step, as terms over symbols.
    pub fn args(&self, step: usize) -> &[TermId] {
        self.frames[step].args.as_deref().unwrap_or_default()
    }

    /// The free parameters of a step on the path, as terms: symbols, or constants where there is no choice.
    pub fn free(&self, step: usize) -> &[TermId] {
        self.frames[step].free.as_deref().unwrap_or_default()
    }

    /// An estimate of the memory that this path uses, in bytes.
    pub fn bytes(&self) -> usize {
        // From the sizes of entries: terms with their index, and the memo tables. For the tree of BRP with 1.6 million
        // nodes, all estimates together are 42 bytes per node, and the process takes 46.
        self.pool.len() * 160
            + (self.memo.instances.len() + self.memo.with_symbols.len()) * 40
            + (self.memo.large_instances.len() + self.solvers.alone.len()) * 100
    }

    /// The steps that leave the locations of this state, enabled or not, in a fixed order. Silence is not among them.
    pub fn outgoing(&self, steps: &mut Vec<Step>) {
        self.steps.outgoing.steps(self.model, &self.state.locations, steps);
    }

    /// The steps that leave other locations.
    pub fn outgoing_of(&self, locations: &[LocationId], steps: &mut Vec<Step>) {
        self.steps.outgoing.steps(self.model, locations, steps);
    }

    pub(crate) fn prepared(&mut self, step: Step) -> Arc<Prepared> {
        let known = match step {
            Step::Switch(s) => self.steps.switches[s.index()].as_ref(),
            Step::Handshake { send, receive } => self.steps.handshakes.get(&(send, receive)),
            Step::Delta | Step::Divergence => unreachable!("silence is not prepared"),
        };
        if let Some(prepared) = known {
            return prepared.clone();
        }
        let prepared = Arc::new(prepare(self.model, &mut self.pool, step, &mut self.steps.signatures));
        match step {
            Step::Switch(s) => self.steps.switches[s.index()] = Some(prepared.clone()),
            Step::Handshake { send, receive } => {
                self.steps.handshakes.insert((send, receive), prepared.clone());
            }
            Step::Delta | Step::Divergence => {}
        }
        prepared
    }

    /// What [`prepared`](Self::prepared) gives, to be [given back](Self::give_back): this is done for every node, and
    /// counting references takes time.
    fn lend(&mut self, step: Step) -> Arc<Prepared> {
        let known = match step {
            Step::Switch(s) => self.steps.switches[s.index()].take(),
            _ => None,
        };
        known.unwrap_or_else(|| self.prepared(step))
    }

    fn give_back(&mut self, step: Step, prepared: Arc<Prepared>) {
        if let Step::Switch(s) = step {
            self.steps.switches[s.index()] = Some(prepared);
        }
    }

    /// Whether a path condition can be true, with values for all symbols if it can.
    pub fn solve(&mut self) -> Answer {
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        let answer = self.solvers.main.check(terms, &self.solvers.limits, true);
        match self.unproved().filter(|_| matches!(answer, Answer::Sat(_))) {
            Some(reason) => Answer::Unknown(reason),
            None => answer,
        }
    }

    /// Why values for the path do not prove that it can be taken, if they do not: the first step that rests on
    /// something else.
    pub(crate) fn unproved(&mut self) -> Option<Reason> {
        self.unproved_but(|_| false)
    }

    /// The same, for those who can tell by the values whether internal steps go on for ever.
    pub(crate) fn unproved_by_values(&mut self) -> Option<Reason> {
        self.unproved_but(|reason| *reason == Reason::Divergence)
    }

    fn unproved_but(&mut self, known: impl Fn(&Reason) -> bool) -> Option<Reason> {
        let unproved = self.frames.iter().filter_map(|f| f.unproved.as_ref()).find(|r| !known(r)).cloned();
        if unproved.is_some() || !self.names.has_opaque() {
            return unproved;
        }
        let args: Vec<TermId> = (0..self.len()).flat_map(|i| self.args(i).to_vec()).collect();
        self.is_opaque(&args).then_some(Reason::TooLarge)
    }

    /// Like [`solve`](Self::solve); if it cannot, with the conjuncts that clash, if the solver can tell.
    pub fn core(&mut self) -> Answer {
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        self.solvers.main.core(terms, &self.solvers.limits)
    }

    /// The symbols of the path in order: free initial values, then the free parameters of the steps.
    pub fn open_symbols(&self) -> Vec<SymbolId> {
        let mut found = Vec::new();
        let initial = self.model.free_variables().filter_map(|v| self.names.known_variable(0, v));
        let free = self.frames.iter().flat_map(|f| f.free.iter().flat_map(|f| f.iter())).filter_map(|t| {
            match self.pool.get(*t) {
                Term::Symbol(y, _) => Some(*y),
                _ => None,
            }
        });
        for y in initial.chain(free) {
            if !found.contains(&y) {
                found.push(y);
            }
        }
        found
    }

    /// Whether an internal step leaves the locations of this state, enabled or not.
    pub fn may_move_alone(&self) -> bool {
        let mut steps = Vec::new();
        self.outgoing(&mut steps);
        steps.iter().any(|s| match s {
            Step::Switch(s) => self.model.switches[*s].label == Label::Internal,
            Step::Handshake { .. } => true,
            Step::Delta | Step::Divergence => false,
        })
    }
}

pub(crate) fn possible(answer: Answer) -> Possible {
    match answer {
        Answer::Sat(_) => Possible::Yes,
        Answer::Unsat(_) => Possible::No,
        Answer::Unknown(why) => Possible::Unknown(why),
    }
}
