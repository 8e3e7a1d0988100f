//! A path through the symbolic execution tree, and all that is known on it.
//!
//! This is the one place where switches are executed symbolically (S0 definition 12, S3 definition 9). A [`Path`] stands
//! at a symbolic state; [`probe`](Path::probe) says whether a step is possible from there, [`advance`](Path::advance)
//! takes it, [`retreat`](Path::retreat) takes it back. Nodes of a graph need not hold any state: a path goes from one
//! node to the next over their common ancestor and recomputes what changes on the way.
//!
//! The value of a variable is a value as long as it is known, otherwise a small term over symbols. A value that would
//! become a large term gets a symbol of its own and a condition that defines it, so that the questions to a solver
//! stay small however long the path is. Symbols are numbered by the step at which they appear (S1; S0 writes primes),
//! so that paths with the same steps share their terms.

mod start;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::eval::{Env, EvalError};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::program::{Context, Memory};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, LocationId, ProcessId, SwitchId, SymbolId, TermId, Value, VarId};
use sioco_solve::values::Bounds;
use sioco_solve::{Answer, Limits, Reason, Symbols, Terms};

use crate::fold;
use crate::opaque::is_large;
use crate::prepare::{Condition, Origin, Prepared, Signatures, prepare};
use crate::stats::Counters;
use crate::step::{Outgoing, Step};
use crate::symbols::{Names, symbols_of};

/// A value whose term has more parts than this gets a symbol of its own.
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

/// See the [module](self).
pub struct Path<'m> {
    pub(crate) model: &'m Model,
    pub(crate) pool: TermPool,
    pub(crate) names: Names,
    pub(crate) solver: Box<dyn Bounds>,
    /// For questions that do not depend on the path.
    pub(crate) side: Box<dyn Bounds>,
    pub(crate) limits: Limits,
    shortcuts: Shortcuts,
    outgoing: Arc<Outgoing>,
    switches: Vec<Option<Arc<Prepared>>>,
    handshakes: FxHashMap<(SwitchId, SwitchId), Arc<Prepared>>,
    signatures: Signatures,
    memory: Memory,
    /// The locations of the processes.
    locations: Vec<LocationId>,
    /// The values of the variables, and the terms of those that have none.
    values: Vec<Value>,
    terms: Vec<Option<TermId>>,
    frames: Vec<Frame>,
    undo: Vec<(VarId, Value, Option<TermId>)>,
    moved: Vec<(ProcessId, LocationId)>,
    conditions: Vec<PathCondition>,
    serial: u64,
    /// The frames that the solver knows, by serial number, and what it said of each.
    synced: Vec<u64>,
    /// Whether arguments are kept, for people.
    recording: bool,
    instances: FxHashMap<[u32; 4], TermId>,
    large_instances: FxHashMap<Box<[u32]>, TermId>,
    with_symbols: FxHashMap<(TermId, u32, u32), TermId>,
    alone: FxHashMap<(u32, Box<[TermId]>), Possible>,
    /// Which locations internal steps may lead back to.
    pub(crate) rounds: FxHashMap<Box<[LocationId]>, bool>,
    scratch: FxHashMap<TermId, TermId>,
    symbol_lists: FxHashMap<TermId, Arc<[SymbolId]>>,
    pending: Vec<(VarId, Result<Value, TermId>)>,
    /// Whether there was a value that is nearly too large to compute with.
    grown: bool,
    counters: Counters,
    /// Made when it is first needed.
    pub(crate) interpreter: Option<Box<Interpreter<'m>>>,
}

impl<'m> Path<'m> {
    /// The path without steps, at the initial state: free variables are symbols (S3 definition 9).
    pub fn new(model: &'m Model, solvers: SolverFactory<'_>) -> Self {
        Self::with(model, solvers, Shortcuts::default(), Limits::default())
    }

    /// The same with settings.
    pub fn with(model: &'m Model, solvers: SolverFactory<'_>, shortcuts: Shortcuts, limits: Limits) -> Self {
        let mut path = Path {
            model,
            pool: model.terms.clone(),
            names: Names::default(),
            solver: solvers(),
            side: solvers(),
            limits,
            shortcuts,
            outgoing: Arc::new(Outgoing::new(model)),
            switches: vec![None; model.switches.len()],
            handshakes: FxHashMap::default(),
            signatures: Signatures::default(),
            memory: Memory::default(),
            locations: model.processes.values().map(|p| p.initial).collect(),
            values: Vec::new(),
            terms: Vec::new(),
            frames: Vec::new(),
            undo: Vec::new(),
            moved: Vec::new(),
            conditions: Vec::new(),
            serial: 0,
            synced: Vec::new(),
            recording: false,
            instances: FxHashMap::default(),
            large_instances: FxHashMap::default(),
            with_symbols: FxHashMap::default(),
            alone: FxHashMap::default(),
            rounds: FxHashMap::default(),
            scratch: FxHashMap::default(),
            symbol_lists: FxHashMap::default(),
            pending: Vec::new(),
            grown: model.variables.values().any(|v| v.initial.as_ref().is_some_and(is_large)),
            counters: Counters::default(),
            interpreter: None,
        };
        for (id, v) in model.variables.iter() {
            match &v.initial {
                Some(value) => {
                    path.values.push(value.clone());
                    path.terms.push(None);
                }
                None => {
                    path.values.push(model.sorts.default_value(v.sort));
                    let symbol = path.names.of_variable(&mut path.pool, &model.sorts, 0, id, v.sort);
                    path.terms.push(Some(symbol));
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
        &self.locations
    }

    /// The value of a variable, if it is known whatever the symbols are.
    pub fn value(&self, var: VarId) -> Option<&Value> {
        self.terms[var.index()].is_none().then(|| &self.values[var.index()])
    }

    /// The value of a variable as a term over symbols.
    pub fn term(&mut self, var: VarId) -> TermId {
        match self.terms[var.index()] {
            Some(term) => term,
            None => {
                let sort = self.model.sorts.base(self.model.variables[var].sort);
                self.pool.constant(self.values[var.index()].clone(), sort)
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
        for solver in [&self.solver, &self.side] {
            if let Some(chain) = solver.counters() {
                counters.add_chain(&chain);
            }
        }
        counters
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
            + (self.instances.len() + self.with_symbols.len()) * 40
            + (self.large_instances.len() + self.alone.len()) * 100
    }

    /// The steps that leave the locations of this state, enabled or not, in a fixed order. Silence is not among them.
    pub fn outgoing(&self, steps: &mut Vec<Step>) {
        self.outgoing.steps(self.model, &self.locations, steps);
    }

    /// The steps that leave other locations.
    pub(crate) fn outgoing_of(&self, locations: &[LocationId], steps: &mut Vec<Step>) {
        self.outgoing.steps(self.model, locations, steps);
    }

    pub(crate) fn prepared(&mut self, step: Step) -> Arc<Prepared> {
        let known = match step {
            Step::Switch(s) => self.switches[s.index()].as_ref(),
            Step::Handshake { send, receive } => self.handshakes.get(&(send, receive)),
            Step::Delta | Step::Divergence => unreachable!("silence is not prepared"),
        };
        if let Some(prepared) = known {
            return prepared.clone();
        }
        let prepared = Arc::new(prepare(self.model, &mut self.pool, step, &mut self.signatures));
        match step {
            Step::Switch(s) => self.switches[s.index()] = Some(prepared.clone()),
            Step::Handshake { send, receive } => {
                self.handshakes.insert((send, receive), prepared.clone());
            }
            Step::Delta | Step::Divergence => {}
        }
        prepared
    }

    /// What [`prepared`](Self::prepared) gives, to be [given back](Self::give_back): this is done for every node, and
    /// counting references takes time.
    fn lend(&mut self, step: Step) -> Arc<Prepared> {
        let known = match step {
            Step::Switch(s) => self.switches[s.index()].take(),
            _ => None,
        };
        known.unwrap_or_else(|| self.prepared(step))
    }

    fn give_back(&mut self, step: Step, prepared: Arc<Prepared>) {
        if let Step::Switch(s) = step {
            self.switches[s.index()] = Some(prepared);
        }
    }

    /// Whether a step that leaves the locations of this state is possible: whether the path condition and the
    /// conditions of the step can be true together (S0 definition 12). A path that ends in an impossible state has no
    /// meaning.
    pub fn probe(&mut self, step: Step) -> Possible {
        let mut open: Vec<TermId> = Vec::new();
        let mut alone = true;
        let signature = match step {
            Step::Divergence => return self.probe_divergence(),
            Step::Delta => match self.silence(true, &mut |path, condition| path.look(condition, &mut open, &mut alone))
            {
                Some(()) => 0,
                None => return Possible::No,
            },
            step => {
                let prepared = self.lend(step);
                let mut conditions = prepared.conditions.iter();
                let possible = !prepared.impossible
                    && conditions.all(|condition| self.look(condition, &mut open, &mut alone).is_some());
                let signature = prepared.signature;
                self.give_back(step, prepared);
                if !possible {
                    return Possible::No;
                }
                signature
            }
        };
        if open.is_empty() {
            self.counters.evaluated += 1;
            return Possible::Yes;
        }
        if self.is_opaque(&open) {
            return Possible::Unknown(Reason::TooLarge);
        }
        if alone && self.shortcuts.independence {
            return self.ask_alone(signature, open);
        }
        self.ask_on_path(signature, &open)
    }

    /// Looks at one condition of a step: `None` if it is false, otherwise what is left of it goes to `open`, with
    /// parameters as such.
    pub(crate) fn look(&mut self, condition: &Condition, open: &mut Vec<TermId>, alone: &mut bool) -> Option<()> {
        let known = condition.reads.iter().all(|v| self.terms[v.index()].is_none());
        if self.shortcuts.evaluation
            && known
            && let Some(program) = &condition.program
        {
            let context = Context { terms: &self.pool, sorts: &self.model.sorts };
            let env = Env { vars: &self.values, ..Env::default() };
            match program.run_bool(&mut self.memory, context, env) {
                Ok(true) => return Some(()),
                Err(EvalError::NeedsSolver(_)) => {}
                Err(EvalError::TooLarge) => self.grown = true,
                Ok(false) | Err(_) => {
                    self.counters.refuted += 1;
                    return None;
                }
            }
        }
        let term = self.instance(condition.term, &condition.reads);
        match self.pool.as_const(term) {
            Some(Value::Bool(true)) if self.shortcuts.evaluation => Some(()),
            Some(_) if self.shortcuts.evaluation => {
                self.counters.refuted += 1;
                None
            }
            _ => {
                *alone &= known;
                open.push(term);
                Some(())
            }
        }
    }

    /// Whether evaluation alone says that a condition is true: a quantifier may take a solver even where all variables
    /// have values.
    fn is_true(&mut self, condition: &Condition) -> bool {
        let known = condition.reads.iter().all(|v| self.terms[v.index()].is_none());
        let Some(program) = condition.program.as_ref().filter(|_| known) else { return false };
        let context = Context { terms: &self.pool, sorts: &self.model.sorts };
        let env = Env { vars: &self.values, ..Env::default() };
        program.run_bool(&mut self.memory, context, env) == Ok(true)
    }

    /// The conditions that nothing can happen by itself: no output, and, if wanted, no internal step (`theory`, section
    /// 3).
    pub(crate) fn silence(
        &mut self,
        internal: bool,
        each: &mut dyn FnMut(&mut Self, &Condition) -> Option<()>,
    ) -> Option<()> {
        let mut steps = Vec::new();
        self.outgoing(&mut steps);
        for step in steps {
            if step.is_own(self.model) && (internal || step.is_observable(self.model)) {
                let prepared = self.prepared(step);
                if !prepared.impossible {
                    each(self, &prepared.silent)?;
                }
            }
        }
        Some(())
    }

    /// The conditions of a step: where each comes from, what it says, and which variables it reads.
    pub(crate) fn step_conditions(&mut self, step: Step) -> Vec<(Origin, TermId, Box<[VarId]>)> {
        let of = |c: &Condition| (c.origin, c.term, c.reads.clone());
        if !step.is_silence() {
            return self.prepared(step).conditions.iter().map(of).collect();
        }
        let mut found = Vec::new();
        self.silence(step == Step::Delta, &mut |_, condition| {
            found.push(of(condition));
            Some(())
        });
        found
    }

    /// A condition that shares no symbols with the path.
    fn ask_alone(&mut self, signature: u32, open: Vec<TermId>) -> Possible {
        let key = (signature, open.into_boxed_slice());
        if let Some(answer) = self.alone.get(&key) {
            self.counters.remembered += 1;
            return answer.clone();
        }
        let symbols = self.symbols_of(0, signature);
        self.side.push();
        for &term in &key.1 {
            let condition = self.with_symbols(term, &symbols, 0, signature, true);
            let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
            self.side.assert(terms, condition);
        }
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        let answer = possible(self.side.check_afresh(terms, &self.limits, false));
        self.side.pop();
        self.counters.asked += 1;
        // What was cancelled may be asked again.
        if !matches!(answer, Possible::Unknown(Reason::Cancelled | Reason::Time)) {
            self.alone.insert(key, answer.clone());
        }
        answer
    }

    pub(crate) fn ask_on_path(&mut self, signature: u32, open: &[TermId]) -> Possible {
        let depth = self.frames.len() as u32 + 1;
        let symbols = self.symbols_of(depth, signature);
        let conditions: Vec<TermId> =
            open.iter().map(|t| self.with_symbols(*t, &symbols, depth, signature, true)).collect();
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        self.solver.push();
        for c in conditions {
            self.solver.assert(terms, c);
        }
        let answer = possible(self.solver.check_afresh(terms, &self.limits, false));
        self.solver.pop();
        self.counters.asked += 1;
        answer
    }

    /// Tells the solver about the conditions of the path. Every level is checked on the way, so that what the solver
    /// has found out depends on the path alone and not on where it was before.
    pub(crate) fn sync(&mut self) {
        let same = self.synced.iter().zip(&self.frames).take_while(|(s, f)| **s == f.serial).count();
        for _ in same..self.synced.len() {
            self.solver.pop();
        }
        self.synced.truncate(same);
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        for i in same..self.frames.len() {
            let to = self.frames.get(i + 1).map_or(self.conditions.len(), |f| f.conditions);
            let from = self.frames[i].conditions;
            self.solver.push();
            for c in &self.conditions[from..to] {
                self.solver.assert(terms, c.term);
            }
            if to > from {
                // With a witness, which is often still right for the steps that leave this state.
                self.solver.check(terms, &self.limits, true);
                self.counters.asked += 1;
            }
            self.synced.push(self.frames[i].serial);
        }
    }

    /// Adds a condition to the last step, or for good to the initial state.
    pub(crate) fn add_condition(&mut self, condition: PathCondition) {
        self.conditions.push(condition);
        match self.frames.last_mut() {
            // To the solver it is another step.
            Some(frame) => {
                self.serial += 1;
                frame.serial = self.serial;
            }
            None => {
                self.sync();
                let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
                self.solver.assert(terms, condition.term);
            }
        }
    }

    /// From the last step on, values for the path prove nothing.
    pub(crate) fn leave_unproved(&mut self, reason: Reason) {
        if let Some(frame) = self.frames.last_mut() {
            frame.unproved.get_or_insert(reason);
        }
    }

    /// A term of the model with the values of the variables; parameters stay.
    pub(crate) fn instance(&mut self, term: TermId, reads: &[VarId]) -> TermId {
        if reads.is_empty() {
            return term;
        }
        if reads.len() <= 3 {
            let mut key = [term.index() as u32, u32::MAX, u32::MAX, u32::MAX];
            for (k, v) in key[1..].iter_mut().zip(reads) {
                *k = self.term(*v).index() as u32;
            }
            if let Some(&known) = self.instances.get(&key) {
                return known;
            }
            let result = self.compute_instance(term);
            self.instances.insert(key, result);
            return result;
        }
        let mut key: Vec<u32> = vec![term.index() as u32];
        for v in reads {
            let value = self.term(*v);
            key.push(value.index() as u32);
        }
        if let Some(&known) = self.large_instances.get(&key[..]) {
            return known;
        }
        let result = self.compute_instance(term);
        self.large_instances.insert(key.into(), result);
        result
    }

    fn compute_instance(&mut self, term: TermId) -> TermId {
        let (model, values, terms) = (self.model, &self.values, &self.terms);
        let mut leaf = |pool: &mut TermPool, leaf: &Term| match leaf {
            Term::Var(v, sort) => {
                Some(terms[v.index()].unwrap_or_else(|| pool.constant(values[v.index()].clone(), *sort)))
            }
            _ => None,
        };
        if !self.shortcuts.evaluation {
            return self.pool.replace(term, &mut leaf);
        }
        self.scratch.clear();
        let result = fold::substitute(&mut self.pool, &model.sorts, term, &mut self.scratch, &mut leaf);
        if self.grown { self.hide_large(result) } else { result }
    }

    /// The symbols of the parameters of a step at a depth.
    fn symbols_of(&mut self, depth: u32, signature: u32) -> Arc<[TermId]> {
        let sorts = self.signatures.sorts(signature);
        self.names.of_params(&mut self.pool, &self.model.sorts, depth, signature, sorts)
    }

    /// A term with parameters replaced; `plain` says that they are the symbols of the depth and the signature.
    fn with_symbols(&mut self, term: TermId, free: &[TermId], depth: u32, signature: u32, plain: bool) -> TermId {
        if free.is_empty() {
            return term;
        }
        let key = (term, depth, signature);
        if plain && let Some(&known) = self.with_symbols.get(&key) {
            return known;
        }
        let mut leaf = |_: &mut TermPool, leaf: &Term| match leaf {
            Term::Param(k, _) => Some(free[*k as usize]),
            _ => None,
        };
        let result = if self.shortcuts.evaluation {
            self.scratch.clear();
            let result = fold::substitute(&mut self.pool, &self.model.sorts, term, &mut self.scratch, &mut leaf);
            if self.grown { self.hide_large(result) } else { result }
        } else {
            self.pool.replace(term, &mut leaf)
        };
        if plain {
            self.with_symbols.insert(key, result);
        }
        result
    }

    /// Takes a step that leaves the locations of this state and is possible, or perhaps possible.
    pub fn advance(&mut self, step: Step) {
        self.serial += 1;
        let mut frame = Frame {
            step,
            serial: self.serial,
            undo: self.undo.len(),
            locations: self.moved.len(),
            conditions: self.conditions.len(),
            free: None,
            args: None,
            unproved: None,
        };
        let depth = self.frames.len() + 1;
        if step.is_silence() {
            // Nobody has found out whether internal steps go on for ever, unless all values are known.
            let known = step == Step::Delta || self.terms.iter().all(Option::is_none);
            let mut unproved = (!known).then_some(Reason::Divergence);
            self.silence(step == Step::Delta, &mut |path, condition| {
                if path.shortcuts.evaluation && path.is_true(condition) {
                    return Some(());
                }
                let term = path.instance(condition.term, &condition.reads);
                if path.is_opaque(&[term]) {
                    unproved = Some(Reason::TooLarge);
                } else if path.pool.as_const(term) != Some(&Value::Bool(true)) {
                    path.conditions.push(PathCondition { term, origin: condition.origin, step: depth });
                }
                Some(())
            });
            frame.unproved = unproved;
            self.frames.push(frame);
            return;
        }
        let prepared = self.lend(step);
        let symbols =
            if prepared.free.is_empty() { None } else { Some(self.symbols_of(depth as u32, prepared.signature)) };
        let mut open: Vec<(TermId, Origin)> = Vec::new();
        for condition in &prepared.conditions {
            // What has no symbols is true, since the step is possible.
            let known = condition.program.is_some() && condition.reads.iter().all(|v| self.terms[v.index()].is_none());
            let settled = known && (!condition.quantified || self.is_true(condition));
            if !settled || !self.shortcuts.evaluation {
                let term = self.instance(condition.term, &condition.reads);
                open.push((term, condition.origin));
            }
        }
        let (kept, plain) = self.determined(symbols, &prepared, &open);
        let free: &[TermId] = kept.as_deref().unwrap_or_default();
        for (term, origin) in open {
            let term = self.with_symbols(term, free, depth as u32, prepared.signature, plain);
            if self.is_opaque(&[term]) {
                frame.unproved = Some(Reason::TooLarge);
            } else if !self.shortcuts.evaluation || self.pool.as_const(term) != Some(&Value::Bool(true)) {
                self.conditions.push(PathCondition { term, origin, step: depth });
            }
        }
        if self.recording {
            let args = prepared.args.iter().map(|t| {
                let (reads, _) = crate::prepare::leaves(&self.pool, *t);
                let term = self.instance(*t, &reads);
                self.with_symbols(term, free, depth as u32, prepared.signature, plain)
            });
            frame.args = Some(args.collect());
        }
        let mut pending = std::mem::take(&mut self.pending);
        for a in &prepared.assignments {
            let value = self.assigned(a, free, depth as u32, prepared.signature, plain);
            pending.push((a.var, value));
        }
        for (var, value) in pending.drain(..) {
            let i = var.index();
            let (value, term) = match value {
                Ok(value) => {
                    self.grown |= is_large(&value);
                    (value, None)
                }
                Err(term) => {
                    let term = self.named(term, var, depth);
                    if self.is_opaque(&[term]) {
                        // The interpreter will not take this step.
                        frame.unproved = Some(Reason::TooLarge);
                    }
                    (Value::Bool(false), Some(term))
                }
            };
            let old = std::mem::replace(&mut self.values[i], value);
            self.undo.push((var, old, self.terms[i]));
            self.terms[i] = term;
        }
        self.pending = pending;
        for (process, target) in &prepared.moves {
            let place = &mut self.locations[process.index()];
            self.moved.push((*process, *place));
            *place = *target;
        }
        frame.free = kept;
        self.frames.push(frame);
        self.give_back(step, prepared);
    }

    /// The values of the free parameters: constants where a condition says so, otherwise their symbols.
    fn determined(
        &mut self,
        symbols: Option<Arc<[TermId]>>,
        prepared: &Prepared,
        open: &[(TermId, Origin)],
    ) -> (Option<Arc<[TermId]>>, bool) {
        let Some(symbols) = symbols else { return (None, true) };
        if !self.shortcuts.evaluation {
            return (Some(symbols), true);
        }
        let mut found: Vec<(usize, TermId)> = Vec::new();
        for (term, _) in open {
            let Term::App(Op::Eq, args) = self.pool.get(*term) else { continue };
            for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                if let (Term::Param(k, _), Some(value)) = (self.pool.get(a), self.pool.as_const(b)) {
                    let k = *k as usize;
                    if self.model.sorts.contains(prepared.free[k].sort, value) && !found.iter().any(|f| f.0 == k) {
                        found.push((k, b));
                    }
                }
            }
        }
        if found.is_empty() {
            return (Some(symbols), true);
        }
        let mut free = symbols.to_vec();
        for (k, value) in found {
            free[k] = value;
        }
        (Some(free.into()), false)
    }

    fn assigned(
        &mut self,
        a: &crate::prepare::Assignment,
        free: &[TermId],
        depth: u32,
        signature: u32,
        plain: bool,
    ) -> Result<Value, TermId> {
        if let Some(k) = a.copies {
            let term = free[k as usize];
            return self.pool.as_const(term).cloned().ok_or(term);
        }
        if a.reads.iter().all(|v| self.terms[v.index()].is_none())
            && let Some(program) = &a.program
        {
            let context = Context { terms: &self.pool, sorts: &self.model.sorts };
            let env = Env { vars: &self.values, ..Env::default() };
            match program.run(&mut self.memory, context, env) {
                Ok(value) => return Ok(value),
                Err(EvalError::TooLarge) => self.grown = true,
                Err(_) => {}
            }
        }
        let term = self.instance(a.term, &a.reads);
        let term = self.with_symbols(term, free, depth, signature, plain);
        self.pool.as_const(term).cloned().ok_or(term)
    }

    /// The term itself if it is small, otherwise a symbol for it. What may be undefined always gets a symbol: the
    /// condition that defines it says that it is not.
    fn named(&mut self, term: TermId, var: VarId, depth: usize) -> TermId {
        if self.is_opaque(&[term]) {
            return self.opaque(term);
        }
        if fold::size_up_to(&self.pool, term, NAMED_FROM) <= NAMED_FROM && !self.pool.is_partial(term) {
            return term;
        }
        let sort = self.model.variables[var].sort;
        let symbol = self.names.of_variable(&mut self.pool, &self.model.sorts, depth as u32, var, sort);
        let same = self.pool.eq(&self.model.sorts, symbol, term);
        self.conditions.push(PathCondition { term: same, origin: Origin::Definition(var), step: depth });
        symbol
    }

    /// The symbols of a term.
    pub(crate) fn symbols_in(&mut self, term: TermId) -> Arc<[SymbolId]> {
        if let Some(known) = self.symbol_lists.get(&term) {
            return known.clone();
        }
        let mut found = Vec::new();
        symbols_of(&self.pool, term, &mut found);
        let found: Arc<[SymbolId]> = found.into();
        self.symbol_lists.insert(term, found.clone());
        found
    }

    /// Takes the last step back; nothing if there is none.
    pub fn retreat(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for (var, value, term) in self.undo.drain(frame.undo..).rev() {
            self.values[var.index()] = value;
            self.terms[var.index()] = term;
        }
        for (process, location) in self.moved.drain(frame.locations..).rev() {
            self.locations[process.index()] = location;
        }
        self.conditions.truncate(frame.conditions);
    }

    /// Whether a path condition can be true, with values for all symbols if it can.
    pub fn solve(&mut self) -> Answer {
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        let answer = self.solver.check(terms, &self.limits, true);
        match self.unproved().filter(|_| matches!(answer, Answer::Sat(_))) {
            Some(reason) => Answer::Unknown(reason),
            None => answer,
        }
    }

    /// Why values for the path do not prove that it can be taken, if they do not: the first step that rests on
    /// something else.
    pub(crate) fn unproved(&mut self) -> Option<Reason> {
        let unproved = self.frames.iter().find_map(|f| f.unproved.clone());
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
        self.solver.core(terms, &self.limits)
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
