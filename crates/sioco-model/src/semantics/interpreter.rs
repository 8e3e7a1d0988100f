//! What can be done in a state: enabled switches, successors, internal closure, quiescence.
//!
//! The product of parallel processes is never built: a step moves one process, or two of them by a handshake (T-M5; S4
//! section 2.1), and only the states that are asked for exist.

mod cycles;
mod fit;
mod handshake;
mod open_parameters;
mod quiescence;
mod sample;
mod states;

use self::cycles::Cycles;
use self::fit::Fit;
use std::fmt;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::choice;
use super::explain::{Leaf, conjuncts, leaves};
use super::live::Live;
use super::oracle::{Asked, Oracle, Question};
use super::program::{Context, Memory, Program};
use super::state::State;
use crate::eval::{Env, EvalError};
use crate::id::{ChannelId, GateId, Id, IdVec, LocationId, ProcessId, SortId, SwitchId, TermId, VarId};
use crate::model::{Direction, Label, Model};
use crate::number;
use crate::term::Term;
use crate::value::Value;

/// A model, compiled for running.
#[derive(Clone, Debug)]
pub struct Interpreter<'m> {
    model: &'m Model,
    switches: IdVec<SwitchId, Compiled>,
    locations: IdVec<LocationId, Outgoing>,
    memory: Memory,
    /// New values, before they are assigned at once.
    pending: Vec<(VarId, Value)>,
    /// Who answers what takes a solver.
    pub(super) oracle: Asked,
    /// What was found out about silence.
    cycles: Cycles,
    live: Option<Arc<Live>>,
}

#[derive(Clone, Debug)]
struct Compiled {
    /// `None` if the guard is `true`.
    guard: Option<Arc<Program>>,
    /// The value of a parameter that has a term.
    terms: Vec<Option<Program>>,
    update: Vec<(VarId, Program)>,
    /// Whether some parameter has no term.
    chooses: bool,
    /// An update of one variable, which needs no intermediate store.
    single: bool,
    /// Which values each parameter can have.
    fits: Box<[Fit]>,
    /// An internal switch that leads to the same state whatever it chooses.
    idle_choice: bool,
}

/// The switches of a location, by what they do.
#[derive(Clone, Debug, Default)]
struct Outgoing {
    inputs: Vec<(GateId, SwitchId)>,
    outputs: Vec<(GateId, SwitchId)>,
    internal: Vec<SwitchId>,
    sends: Vec<(ChannelId, SwitchId)>,
    receives: Vec<(ChannelId, SwitchId)>,
    /// Whether steps that nobody sees might lead back to it, whatever their guards say.
    may_return: bool,
}

/// Finds the locations that internal steps might lead back to: what is left when all others are taken away, again and
/// again, that none of them leads to. There may be some too many, never too few.
fn mark_cycles(model: &Model, locations: &mut IdVec<LocationId, Outgoing>) {
    let unseen = |s: &SwitchId| !matches!(model.switches[*s].label, Label::Gate(_));
    let targets = |l: LocationId| {
        let out = &model.locations[l].outgoing;
        out.iter().filter(|s| unseen(s)).map(|s| model.switches[*s].target)
    };
    let mut into: IdVec<LocationId, u32> = model.locations.values().map(|_| 0).collect();
    model.locations.ids().flat_map(targets).for_each(|t| into[t] += 1);
    let mut open: Vec<LocationId> = model.locations.ids().filter(|l| into[*l] == 0).collect();
    while let Some(location) = open.pop() {
        for target in targets(location) {
            into[target] -= 1;
            if into[target] == 0 {
                open.push(target);
            }
        }
    }
    for location in model.locations.ids() {
        locations[location].may_return = into[location] > 0;
    }
}

/// One step of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The switch; for a handshake, the sending one.
    pub switch: SwitchId,
    /// The receiving switch of a handshake.
    pub receive: Option<SwitchId>,
    /// The values of the parameters.
    pub args: Vec<Value>,
}

/// Which part of a switch could not be evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The guard.
    Guard,
    /// The n-th argument of the label.
    Argument(usize),
    /// The n-th assignment of the update.
    Update(usize),
}

/// Why a question about a state has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepError {
    /// The model is undefined here: a model error that names the switch.
    Undefined {
        /// The switch.
        switch: SwitchId,
        /// What of it.
        part: Part,
        /// Why.
        error: EvalError,
        /// The variables and parameters in it, with their values as far as they are known.
        values: Vec<(Leaf, Value)>,
    },
    /// The answer quantifies over values that cannot be tried one by one, and there is no oracle, or it does not know.
    NeedsSolver {
        /// The switch.
        switch: SwitchId,
        /// Why.
        why: String,
    },
}

impl StepError {
    /// Part of a switch has no value for these values of variables and parameters.
    pub(super) fn new(model: &Model, env: Env<'_>, switch: SwitchId, part: Part, error: EvalError) -> StepError {
        if let EvalError::NeedsSolver(why) = error {
            return StepError::NeedsSolver { switch, why };
        }
        let s = &model.switches[switch];
        let context = Context { terms: &model.terms, sorts: &model.sorts };
        let term = match part {
            // `else` has the guards of others in it, and there is nothing to mend at `else` itself.
            Part::Guard if s.is_else => {
                let culprit = undefined_beside(model, env, switch);
                return culprit.unwrap_or_else(|| {
                    let values = leaves(context, s.guard, env);
                    StepError::Undefined { switch, part, error, values }
                });
            }
            Part::Guard => Some(undefined_conjunct(context, s.guard, env)),
            Part::Argument(i) => s.params[i].term,
            Part::Update(i) => Some(s.update[i].1),
        };
        let values = term.map(|t| leaves(context, t, env)).unwrap_or_default();
        StepError::Undefined { switch, part, error, values }
    }

    /// The same with the values that the undefined part has no value for: `…, where k = 0`. Names that the program made
    /// up would tell nothing.
    pub fn describe_with_values(&self, model: &Model) -> String {
        let what = self.describe(model);
        let StepError::Undefined { switch, values, .. } = self else { return what };
        let show = |(leaf, value): &(Leaf, Value)| match leaf {
            Leaf::Var(v) if model.variables[*v].hidden => None,
            Leaf::Var(v) => {
                let sort = model.variables[*v].sort;
                Some(format!("{} = {}", model.variable_name(*v), model.sorts.show(sort, value)))
            }
            Leaf::Param(i) => {
                let p = &model.switches[*switch].params[*i as usize];
                Some(format!("{} = {}", p.name, model.sorts.show(p.sort, value)))
            }
        };
        let shown: Vec<String> = values.iter().filter_map(show).collect();
        if shown.is_empty() { what } else { format!("{what}, where {}", shown.join(", ")) }
    }

    /// The error in words, with the names of the model.
    pub fn describe(&self, model: &Model) -> String {
        match self {
            StepError::Undefined { switch, part, error, .. } => {
                let s = &model.switches[*switch];
                let what = match part {
                    Part::Guard => "the guard".to_string(),
                    Part::Argument(i) => format!("the argument `{}`", s.params[*i].name),
                    Part::Update(i) => format!("the new value of `{}`", model.variables[s.update[*i].0].name),
                };
                match error {
                    EvalError::OutOfRange { .. } => format!("{what} of `{}`: {}", s.name, error.describe(&model.sorts)),
                    _ => format!("{what} of `{}` is undefined: {}", s.name, error.describe(&model.sorts)),
                }
            }
            StepError::NeedsSolver { switch, why } => {
                format!("it is unknown whether `{}` is enabled: {why}", model.switches[*switch].name)
            }
        }
    }
}

/// The conjunct of a condition that has no value, as far as that can be told; the values of the others do not matter.
fn undefined_conjunct(context: Context<'_>, condition: TermId, env: Env<'_>) -> TermId {
    let parts = conjuncts(context, condition);
    // Without values for parameters nothing can be evaluated that has some.
    let known = |term: &TermId| {
        let mut known = true;
        context.terms.visit(*term, &mut |_, t| {
            known &= !matches!(t, Term::Param(i, _) if env.params.len() <= *i as usize);
        });
        known
    };
    let undefined = |term: &TermId| {
        known(term) && matches!(choice::decide(context, *term, env), Err(e) if !matches!(e, EvalError::NeedsSolver(_)))
    };
    parts.into_iter().find(undefined).unwrap_or(condition)
}

/// The guard that is undefined among those that an `else` excludes (T-M10).
fn undefined_beside(model: &Model, env: Env<'_>, switch: SwitchId) -> Option<StepError> {
    let context = Context { terms: &model.terms, sorts: &model.sorts };
    let s = &model.switches[switch];
    let input = model.direction(switch) == Some(Direction::Input);
    for &other in &model.locations[s.source].outgoing {
        let o = &model.switches[other];
        let excluded = match input {
            true => o.label == s.label,
            false => model.direction(other) != Some(Direction::Input) && !matches!(o.label, Label::Receive(_)),
        };
        if o.is_else || !excluded {
            continue;
        }
        // Where no values are at fault, but some of all there are, each guard is looked at with values of its own.
        if input && env.params.len() >= o.params.len() {
            match choice::decide(context, o.guard, env) {
                Ok(_) | Err(EvalError::NeedsSolver(_)) => continue,
                Err(error) => return Some(StepError::new(model, env, other, Part::Guard, error)),
            }
        }
        let free = o.params.iter().enumerate().filter(|(_, p)| p.term.is_none());
        let unknowns: Vec<_> = free.map(|(i, p)| (choice::Unknown::Param(i as u32), p.sort)).collect();
        let env = Env { params: &[], ..env };
        let found = choice::Search { context, unknowns: &unknowns, condition: o.guard, env }.witness();
        match found {
            Ok(_) | Err(choice::Failed { error: EvalError::NeedsSolver(_), .. }) => {}
            Err(failed) => return Some(guard_failed(model, env, other, &unknowns, failed)),
        }
    }
    None
}

/// The guard has no value, for some values of the unknowns.
fn guard_failed(
    model: &Model,
    env: Env<'_>,
    switch: SwitchId,
    unknowns: &[(choice::Unknown, SortId)],
    failed: choice::Failed,
) -> StepError {
    let mut error = StepError::new(model, env, switch, Part::Guard, failed.error);
    if let (StepError::Undefined { switch: at_fault, values, .. }, Some(at)) = (&mut error, failed.at)
        && *at_fault == switch
    {
        let params = unknowns.iter().zip(at).filter_map(|((unknown, _), value)| match unknown {
            choice::Unknown::Param(i) => Some((Leaf::Param(*i), value)),
            choice::Unknown::Bound(_) | choice::Unknown::Symbol(_) => None,
        });
        values.extend(params);
    }
    error
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::Undefined { switch, error, .. } => write!(f, "{switch:?} is undefined: {error}"),
            StepError::NeedsSolver { switch, why } => write!(f, "{switch:?} needs a solver: {why}"),
        }
    }
}

impl std::error::Error for StepError {}

/// Whether a state is silent (T-L6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Quiescence {
    /// No output and no internal switch is enabled: delta is allowed.
    Quiescent,
    /// The state is on an internal cycle that never gives an output: delta is allowed.
    Diverging,
    /// This output or internal switch is enabled: delta is not allowed.
    Active(SwitchId),
    /// Whether this switch is enabled takes a solver, and there is no oracle, or it does not know.
    Unknown {
        /// The switch.
        switch: SwitchId,
        /// Why.
        why: String,
    },
}

/// Whether a state is one that a model only passes by: it does something internal, and until then nobody can tell that it
/// is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// It is not, or that takes a closer look.
    Stays,
    /// This switch is all that can happen.
    By(SwitchId),
    /// It is, in several ways.
    Several,
}

/// What an output switch offers in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The switch.
    pub switch: SwitchId,
    /// Values that it can have: all fixed, or an example where the system chooses.
    pub args: Vec<Value>,
    /// Whether these are the only values.
    pub fixed: bool,
}

impl<'m> Interpreter<'m> {
    /// Compiles a model.
    pub fn new(model: &'m Model) -> Self {
        let compile = |t| Program::compile(&model.terms, &model.sorts, t);
        // Every `else` of a location has the same guard, and it may be long.
        let mut guards: FxHashMap<TermId, Arc<Program>> = FxHashMap::default();
        let mut switches = IdVec::new();
        let mut locations: IdVec<LocationId, Outgoing> =
            model.locations.values().map(|_| Outgoing::default()).collect();
        for (id, s) in model.switches.iter() {
            let guard = guards.entry(s.guard).or_insert_with(|| Arc::new(compile(s.guard))).clone();
            let always = guard.constant() == Some(&Value::Bool(true));
            switches.push(Compiled {
                guard: if always { None } else { Some(guard) },
                terms: s.params.iter().map(|p| p.term.map(compile)).collect(),
                update: s.update.iter().map(|(v, t)| (*v, compile(*t))).collect(),
                chooses: s.params.iter().any(|p| p.term.is_none()),
                single: s.update.len() == 1,
                fits: (0..s.params.len()).map(|i| Fit::of(model, id, i)).collect(),
                idle_choice: s.label == Label::Internal && !s.update.iter().any(|(_, t)| model.terms.reads_param(*t)),
            });
            let out = &mut locations[s.source];
            match s.label {
                Label::Gate(g) if model.gates[g].direction == Direction::Input => out.inputs.push((g, id)),
                Label::Gate(g) => out.outputs.push((g, id)),
                Label::Internal => out.internal.push(id),
                Label::Send(c) => out.sends.push((c, id)),
                Label::Receive(c) => out.receives.push((c, id)),
            }
        }
        mark_cycles(model, &mut locations);
        Interpreter {
            model,
            switches,
            locations,
            memory: Memory::default(),
            pending: Vec::new(),
            oracle: Asked::default(),
            cycles: Cycles::default(),
            live: None,
        }
    }

    /// The same, with somebody to ask what takes a solver.
    pub fn with_oracle(mut self, oracle: Arc<Mutex<dyn Oracle>>) -> Self {
        self.oracle = Asked(Some(oracle));
        self.cycles = Cycles::default();
        self
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    fn context(&self) -> Context<'m> {
        Context { terms: &self.model.terms, sorts: &self.model.sorts }
    }

    /// The initial state, with values for the free variables from `free`.
    pub fn initial(&self, free: &mut dyn FnMut(VarId) -> Value) -> State {
        let locations = self.model.processes.values().map(|p| p.initial).collect();
        let vars = self.model.variables.iter().map(|(id, v)| v.initial.clone().unwrap_or_else(|| free(id)));
        State { locations, vars: vars.collect() }
    }

    /// The initial state of a model without free variables; with some, they get the default values of their sorts.
    pub fn initial_default(&self) -> State {
        self.initial(&mut |v| self.model.sorts.default_value(self.model.variables[v].sort))
    }

    /// Whether this is a [gate value](Model::is_gate_value) (T-L2).
    pub fn is_gate_value(&self, gate: GateId, args: &[Value]) -> bool {
        self.model.is_gate_value(gate, args)
    }

    /// Whether the switch is enabled in the state for these values (T-L3; S0 definition 7). It is not for values that its
    /// parameters cannot have.
    pub fn enabled(&mut self, state: &State, switch: SwitchId, args: &[Value]) -> Result<bool, StepError> {
        let s = &self.model.switches[switch];
        if state.location(s.process) != s.source {
            return Ok(false);
        }
        self.holds(state, switch, args)
    }

    /// Whether the parameters can have the values, and guard and arguments agree with them; the location is not looked at.
    #[inline]
    fn holds(&mut self, state: &State, switch: SwitchId, args: &[Value]) -> Result<bool, StepError> {
        let context = self.context();
        let compiled = &self.switches[switch];
        let env = Env { vars: &state.vars, params: args, bound: &[], symbols: &[], rounds: 0 };
        // Guards speak of values of the parameters; of others they say nothing.
        if args.len() != compiled.fits.len() || !compiled.fits.iter().zip(args).all(|(f, v)| f.takes(self.model, v)) {
            return Ok(false);
        }
        if let Some(guard) = &compiled.guard {
            match guard.run_bool(&mut self.memory, context, env) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(e) => {
                    let condition = self.model.switches[switch].guard;
                    let question = Question { condition, unknowns: &[], vars: &state.vars, params: args };
                    match self.oracle.whether(context, &question, Err(e)) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        Err(e) => {
                            let open = matches!(e, EvalError::NeedsSolver(_)) && !context.terms.is_partial(condition);
                            // With another value it is not enabled, whatever the guard says.
                            if open && self.same_terms(env, switch, args) == Ok(false) {
                                return Ok(false);
                            }
                            return Err(StepError::new(self.model, env, switch, Part::Guard, e));
                        }
                    }
                }
            }
        }
        self.same_terms(env, switch, args)
    }

    /// Whether the terms of a label have these values. All of them have to have one: what an output would be is undefined
    /// also if only a part of it is (T-M9).
    #[inline]
    fn same_terms(&mut self, env: Env<'_>, switch: SwitchId, args: &[Value]) -> Result<bool, StepError> {
        let context = self.context();
        let compiled = &self.switches[switch];
        let mut all = true;
        for (i, term) in compiled.terms.iter().enumerate() {
            let Some(term) = term else { continue };
            let param = &self.model.switches[switch].params[i];
            if !all && param.term.is_none_or(|t| !context.terms.is_partial(t)) {
                continue;
            }
            let tolerance = param.tolerance.as_ref();
            let same = term.gives(&mut self.memory, context, env, |value| matches(value, &args[i], tolerance));
            all &= same.map_err(|e| StepError::new(self.model, env, switch, Part::Argument(i), e))?;
        }
        Ok(all)
    }

    /// Takes a switch if it is enabled: the guard-checked step (S0 definition 7). The state is unchanged otherwise.
    #[inline]
    pub fn fire(&mut self, state: &mut State, switch: SwitchId, args: &[Value]) -> Result<bool, StepError> {
        let s = &self.model.switches[switch];
        if state.locations[s.process.index()] != s.source || !self.holds(state, switch, args)? {
            return Ok(false);
        }
        self.take(state, switch, args)?;
        Ok(true)
    }

    /// Takes the first enabled switch of a gate, in the order written; `None` if there is none.
    ///
    /// On a model that is deterministic this is the step of the model.
    pub fn step(&mut self, state: &mut State, gate: GateId, args: &[Value]) -> Result<Option<SwitchId>, StepError> {
        let input = self.model.gates[gate].direction == Direction::Input;
        for p in 0..state.locations.len() {
            let location = state.locations[p];
            for i in 0.. {
                let out = &self.locations[location];
                let list = if input { &out.inputs } else { &out.outputs };
                let Some(&(g, switch)) = list.get(i) else { break };
                if g == gate && self.holds(state, switch, args)? {
                    self.take(state, switch, args)?;
                    return Ok(Some(switch));
                }
            }
        }
        Ok(None)
    }

    /// The enabled switches of a gate for these values, in the order written, into `found`. Where it takes a solver that is not there, or does not know, the switch is in `open`.
    pub fn enabled_switches(
        &mut self,
        state: &State,
        gate: GateId,
        args: &[Value],
        found: &mut Vec<SwitchId>,
        open: &mut Vec<(SwitchId, String)>,
    ) -> Result<(), StepError> {
        let input = self.model.gates[gate].direction == Direction::Input;
        for p in 0..state.locations.len() {
            let location = state.locations[p];
            for i in 0.. {
                let out = &self.locations[location];
                let list = if input { &out.inputs } else { &out.outputs };
                let Some(&(g, switch)) = list.get(i) else { break };
                if g != gate {
                    continue;
                }
                match self.holds(state, switch, args) {
                    Ok(true) => found.push(switch),
                    Ok(false) => {}
                    Err(StepError::NeedsSolver { switch, why }) => open.push((switch, why)),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// The switches that leave the locations of a state with an input, enabled or not.
    pub fn inputs_at<'s>(&'s self, state: &'s State) -> impl Iterator<Item = SwitchId> + 's {
        state.locations.iter().flat_map(|l| self.locations[*l].inputs.iter().map(|(_, s)| *s))
    }

    /// The switches that leave the locations of a state with an output, enabled or not.
    pub fn outputs_at<'s>(&'s self, state: &'s State) -> impl Iterator<Item = SwitchId> + 's {
        state.locations.iter().flat_map(|l| self.locations[*l].outputs.iter().map(|(_, s)| *s))
    }

    /// Whether an internal step may leave the locations of a state, whatever the guards say.
    #[inline]
    pub fn may_move_alone(&self, state: &State) -> bool {
        let leaves = |l: &LocationId| !self.locations[*l].internal.is_empty() || !self.locations[*l].sends.is_empty();
        state.locations.iter().any(leaves)
    }

    /// The update and the new location of a switch, without looking at the guard.
    #[inline]
    pub fn take(&mut self, state: &mut State, switch: SwitchId, args: &[Value]) -> Result<(), StepError> {
        let context = self.context();
        let s = &self.model.switches[switch];
        let compiled = &self.switches[switch];
        let env = Env { vars: &state.vars, params: args, bound: &[], symbols: &[], rounds: 0 };
        if compiled.single {
            let (var, program) = &compiled.update[0];
            let value = program.run(&mut self.memory, context, env);
            let value = value.map_err(|e| StepError::new(self.model, env, switch, Part::Update(0), e))?;
            state.vars[var.index()] = value;
        } else if !compiled.update.is_empty() {
            self.pending.clear();
            for (i, (var, program)) in compiled.update.iter().enumerate() {
                let value = program.run(&mut self.memory, context, env);
                let value = value.map_err(|e| StepError::new(self.model, env, switch, Part::Update(i), e))?;
                self.pending.push((*var, value));
            }
            for (var, value) in self.pending.drain(..) {
                state.vars[var.index()] = value;
            }
        }
        state.locations[s.process.index()] = s.target;
        Ok(())
    }

    /// The switches of a gate that are enabled for these values, each with its successor (T-L4; S0 definition 8).
    pub fn successors(
        &mut self,
        state: &State,
        gate: GateId,
        args: &[Value],
    ) -> Result<Vec<(SwitchId, State)>, StepError> {
        let mut found = Vec::new();
        if !self.is_gate_value(gate, args) {
            return Ok(found);
        }
        for switch in self.switches_at(state, gate) {
            if self.holds(state, switch, args)? {
                let mut next = state.clone();
                self.take(&mut next, switch, args)?;
                found.push((switch, next));
            }
        }
        Ok(found)
    }

    /// The switches of a gate that leave the locations of a state, enabled or not.
    pub fn switches_at(&self, state: &State, gate: GateId) -> Vec<SwitchId> {
        let mut found = Vec::new();
        for location in &state.locations {
            let out = &self.locations[*location];
            found.extend(out.inputs.iter().chain(&out.outputs).filter(|(g, _)| *g == gate).map(|(_, s)| *s));
        }
        found
    }

    /// The process a location belongs to, for messages.
    pub fn process_of(&self, location: LocationId) -> ProcessId {
        self.model.locations[location].process
    }
}

enum Activity {
    None,
    Enabled(SwitchId),
    Unknown(SwitchId, String),
}

/// Whether an observed value is the expected one, up to the tolerance.
pub(super) fn matches(expected: &Value, observed: &Value, tolerance: Option<&number::Rational>) -> bool {
    match (tolerance, expected, observed) {
        (Some(tolerance), Value::Real(e), Value::Real(o)) => {
            let (e, o) = (e.as_ref(), o.as_ref());
            let distance = if e > o { e - o } else { o - e };
            distance <= *tolerance
        }
        _ => expected == observed,
    }
}
