//! Hypotheses whose state is not known: variables that are free at the start, or hidden choices among too many values
//! (T-B1; S3 definition 14: a context is a symbolic state and what was observed).
//!
//! Such a hypothesis is a trail: where it started, and the steps since with the values that were observed. One symbolic
//! path goes from trail to trail. As soon as what was observed leaves only one value for everything that still matters,
//! the state is known.

mod extent;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::eval::{Env, eval};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::interpreter::StepError;
use sioco_model::semantics::live::Live;
use sioco_model::semantics::state::State;
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{GateId, SwitchId, SymbolId, TermId, Value, VarId, print};
use sioco_solve::values::Choice;
use sioco_solve::{Answer, Reason};
use sioco_symbolic::assume::has_value;
use sioco_symbolic::key::Key;
use sioco_symbolic::path::{Path, Possible};
use sioco_symbolic::step::Step;

pub use self::extent::Extent;

/// Trails with more conditions are not compared by asking: that would take longer than it saves.
const MOST_CONDITIONS: usize = 60;

/// With more conditions than this, values that are gone are not eliminated: the elimination of each may double the
/// conditions, while keeping them only makes questions longer.
const MOST_PROJECTED: usize = 40;

/// Where a trail starts.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Start {
    /// In the initial state of the model, where some of what is free has values.
    Initial(Arc<Vec<(VarId, Value)>>),
    /// In a known state.
    At(Arc<State>),
}

/// A hypothesis whose state is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trail {
    /// Where it starts.
    start: Start,
    /// The steps, each with the observed values if it can be observed.
    steps: Arc<Vec<(Step, Option<Vec<Value>>)>>,
}

impl Trail {
    /// From the initial state of the model, where some of what is free has these values.
    pub fn initial(known: Vec<(VarId, Value)>) -> Trail {
        Trail { start: Start::Initial(Arc::new(known)), steps: Arc::new(Vec::new()) }
    }

    /// From a known state.
    pub fn at(state: State) -> Trail {
        Trail { start: Start::At(Arc::new(state)), steps: Arc::new(Vec::new()) }
    }

    /// One step further.
    pub fn with(&self, step: Step, args: Option<Vec<Value>>) -> Trail {
        let mut steps = Vec::clone(&self.steps);
        steps.push((step, args));
        Trail { start: self.start.clone(), steps: Arc::new(steps) }
    }
}

/// The values that a switch may be taken with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// Some of them.
    pub example: Vec<Value>,
    /// Whether there are no others.
    pub only: bool,
    /// A parameter with its least and its greatest value, if they are known.
    pub ends: Option<(usize, Value, Value)>,
}

/// Whether the model is undefined for some of the states of a trail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Breaks {
    /// For none.
    No,
    /// For one, with this error.
    Yes(StepError),
    /// That is an open question.
    Unknown,
}

/// Follows trails.
pub struct Tracker<'m> {
    model: &'m Model,
    /// The path, which is recorded.
    pub path: Path<'m>,
    at: Trail,
    live: Live,
    /// The last extent that was asked for.
    last: Option<(Trail, Extent)>,
}

impl<'m> Tracker<'m> {
    /// At the initial state.
    pub fn new(mut path: Path<'m>) -> Self {
        path.record();
        path.merge_states();
        let model = path.model();
        Tracker { model, path, at: Trail::initial(Vec::new()), live: Live::of(model), last: None }
    }

    /// Goes where a trail leads.
    pub fn visit(&mut self, trail: &Trail) {
        if self.at.start != trail.start {
            match &trail.start {
                Start::At(state) => self.path.start_at(state),
                Start::Initial(known) => self.path.start_with(known),
            }
            self.at = Trail { start: trail.start.clone(), steps: Arc::new(Vec::new()) };
        }
        let common = self.at.steps.iter().zip(trail.steps.iter()).take_while(|(a, b)| a == b).count();
        while self.path.len() > common {
            self.path.retreat();
        }
        for (step, args) in &trail.steps[common..] {
            self.path.advance(*step);
            if let Some(args) = args {
                self.observe(*step, args, Possible::Yes);
            }
        }
        self.at = trail.clone();
    }

    /// Assumes that the last step, which is this one, had these values; says whether that is possible, where the step by
    /// itself is as possible as this.
    fn observe(&mut self, step: Step, args: &[Value], alone: Possible) -> Possible {
        let Step::Switch(switch) = step else { return alone };
        let terms: Vec<TermId> = self.path.args(self.path.len() - 1).to_vec();
        let params = &self.model.switches[switch].params;
        let all = self.path.build(|pool, sorts| {
            let mut same = Vec::new();
            for ((term, value), param) in terms.iter().zip(args).zip(params) {
                match (&param.tolerance, value) {
                    (Some(tolerance), Value::Real(r)) if param.term.is_some() => {
                        let low = pool.constant(Value::real(r.as_ref() - tolerance), sorts.real);
                        let high = pool.constant(Value::real(r.as_ref() + tolerance), sorts.real);
                        same.push(pool.app(Op::Le, &[low, *term], sorts.bool));
                        same.push(pool.app(Op::Le, &[*term, high], sorts.bool));
                    }
                    _ => same.push(has_value(pool, sorts, *term, value)),
                }
            }
            pool.and(sorts, &same)
        });
        match self.path.pool().as_const(all) {
            // The values say nothing, so that nobody is asked.
            Some(Value::Bool(true)) => alone,
            _ => self.path.assume(all),
        }
    }

    /// The switches of a gate that may be taken with these values, and why only perhaps.
    pub fn next(&mut self, trail: &Trail, gate: GateId, args: &[Value]) -> Vec<(SwitchId, Option<Reason>)> {
        self.visit(trail);
        let mut steps = Vec::new();
        self.path.outgoing(&mut steps);
        let mut found = Vec::new();
        for step in steps {
            let Step::Switch(switch) = step else { continue };
            if self.model.switches[switch].label != Label::Gate(gate) {
                continue;
            }
            let alone = self.path.probe(step);
            if alone == Possible::No {
                continue;
            }
            self.path.advance(step);
            match self.observe(step, args, alone) {
                Possible::No => {}
                Possible::Yes => found.push((switch, None)),
                Possible::Unknown(reason) => found.push((switch, Some(reason))),
            }
            self.path.retreat();
        }
        found
    }

    /// The internal steps that may be taken.
    pub fn internal(&mut self, trail: &Trail) -> Vec<(Step, Option<Reason>)> {
        self.visit(trail);
        let mut steps = Vec::new();
        self.path.outgoing(&mut steps);
        steps.retain(|s| !s.is_observable(self.model));
        let mut found = Vec::new();
        for step in steps {
            match self.path.probe(step) {
                Possible::No => {}
                Possible::Yes => found.push((step, None)),
                Possible::Unknown(reason) => found.push((step, Some(reason))),
            }
        }
        found
    }

    /// The inputs or outputs that may be taken with some values.
    pub fn enabled(&mut self, trail: &Trail) -> Vec<SwitchId> {
        self.visit(trail);
        let mut steps = Vec::new();
        self.path.outgoing(&mut steps);
        steps.retain(|s| s.is_observable(self.model));
        let mut found = Vec::new();
        for step in steps {
            if let Step::Switch(switch) = step
                && self.path.probe(step) != Possible::No
            {
                found.push(switch);
            }
        }
        found
    }

    /// Values for which a switch may be taken, chosen in this way; where borders are, another one for each turn.
    pub fn values(&mut self, trail: &Trail, switch: SwitchId, choice: Choice, turn: u64) -> Option<Vec<Value>> {
        self.visit(trail);
        self.path.advance(Step::Switch(switch));
        let solved = self.path.solve_in_turn(choice, turn).ok();
        self.path.retreat();
        solved.and_then(|s| s.steps.into_iter().last()).map(|(_, values)| values)
    }

    /// The values that a switch may be taken with: an example, and what a solver says of the others. Nothing if it knows
    /// none.
    pub fn range(&mut self, trail: &Trail, switch: SwitchId) -> Option<Range> {
        self.visit(trail);
        if self.path.probe(Step::Switch(switch)) == Possible::No {
            return None;
        }
        self.path.advance(Step::Switch(switch));
        let at = self.path.len() - 1;
        let found = self.range_of_last(at);
        self.path.retreat();
        found
    }

    fn range_of_last(&mut self, at: usize) -> Option<Range> {
        let solved = self.path.solve_with(Choice::Boundary).ok()?;
        let (_, example) = solved.steps.get(at)?.clone();
        let terms: Vec<TermId> = self.path.args(at).to_vec();
        let others: Vec<TermId> = self.path.build(|pool, sorts| {
            let different = |(term, value): (&TermId, &Value)| {
                let same = has_value(pool, sorts, *term, value);
                pool.not(sorts, same)
            };
            terms.iter().zip(&example).map(different).collect()
        });
        let another = self.path.build(|pool, sorts| pool.or(sorts, &others));
        let only = others.is_empty() || self.path.may_hold(another) == Possible::No;
        // Of several parameters, the ends of one say little.
        let ends = match (&terms[..], only) {
            ([term], false) => match *self.path.pool().get(*term) {
                // Texts and sequences have an order of their own.
                Term::Symbol(symbol, sort)
                    if matches!(self.model.sorts.get(sort), Sort::Int { .. } | Sort::Real { .. }) =>
                {
                    self.path.ends(symbol)
                }
                _ => None,
            },
            _ => None,
        };
        let ends = ends.map(|(least, greatest)| (0, least, greatest));
        Some(Range { example, only, ends })
    }

    /// In which ways silence may be observed.
    pub fn silence(&mut self, trail: &Trail) -> Vec<(Step, Option<Reason>)> {
        self.visit(trail);
        let mut found = Vec::new();
        let mut steps = vec![Step::Delta];
        if self.path.may_diverge() {
            steps.push(Step::Divergence);
        }
        for step in steps {
            match self.path.probe(step) {
                Possible::No => {}
                Possible::Yes => found.push((step, None)),
                Possible::Unknown(reason) => found.push((step, Some(reason))),
            }
        }
        found
    }

    /// Whether something is undefined when one of these steps is tried, in one of the states. Observed values are those of
    /// a step at a gate.
    pub fn breaks(&mut self, trail: &Trail, asked: &dyn Fn(Step) -> bool, observed: Option<&[Value]>) -> Breaks {
        self.visit(trail);
        let mut steps = Vec::new();
        self.path.outgoing(&mut steps);
        steps.retain(|s| asked(*s));
        let mut found = Breaks::No;
        for step in steps {
            let values = observed.filter(|_| step.is_observable(self.model));
            match self.path.may_break(step, values) {
                Possible::No => {}
                Possible::Unknown(_) => found = Breaks::Unknown,
                Possible::Yes => match self.path.error_of(step, values) {
                    Some(error) => return Breaks::Yes(error),
                    None => found = Breaks::Unknown,
                },
            }
        }
        found
    }

    /// Whether one of these switches can be taken with these values in a state for which no switch of their gate is
    /// undefined.
    pub fn may_be_defined(&mut self, trail: &Trail, switches: &[SwitchId], args: &[Value]) -> Possible {
        let Some(label) = switches.first().map(|s| self.model.switches[*s].label) else { return Possible::No };
        self.visit(trail);
        let mut steps = Vec::new();
        self.path.outgoing(&mut steps);
        steps.retain(|s| s.switches().any(|s| self.model.switches[s].label == label));
        let mut open = Possible::No;
        for switch in switches {
            match self.path.may_hold_defined(Step::Switch(*switch), &steps, args) {
                Possible::Yes => return Possible::Yes,
                Possible::No => {}
                unknown => open = unknown,
            }
        }
        open
    }

    /// What the state is known by among others; equal ones can be merged.
    pub fn key(&mut self, trail: &Trail) -> Option<Key> {
        self.visit(trail);
        self.path.key(&self.live)
    }

    /// How many conditions it has.
    pub fn conditions(&mut self, trail: &Trail) -> usize {
        self.visit(trail);
        self.path.conditions().len()
    }

    /// The states that it may have led to. What the conditions say of values that are gone is said of those that are left,
    /// so that states are the same whatever way led to them.
    pub fn extent(&mut self, trail: &Trail) -> Extent {
        if let Some((of, extent)) = &self.last
            && of == trail
        {
            return extent.clone();
        }
        let extent = self.new_extent(trail);
        self.last = Some((trail.clone(), extent.clone()));
        extent
    }

    fn new_extent(&mut self, trail: &Trail) -> Extent {
        self.visit(trail);
        let locations = self.path.locations().to_vec();
        let vars: Vec<VarId> = locations.iter().flat_map(|l| self.live.at(*l)).copied().collect();
        let mut values = Vec::with_capacity(vars.len());
        for var in vars {
            values.push(match self.path.value(var) {
                Some(value) => Ok(value.clone()),
                None => Err(self.path.term(var)),
            });
        }
        let plain: Vec<TermId> = self.path.conditions().iter().map(|c| c.term).collect();
        if plain.len() <= MOST_PROJECTED {
            let written: Vec<Result<Value, TermId>> =
                values.iter().map(|v| v.clone().map_err(|term| self.path.written(term))).collect();
            let mut left = FxHashSet::default();
            for term in written.iter().filter_map(|v| v.as_ref().err()) {
                left.extend(self.path.symbols_in(*term).iter().copied());
            }
            if let Some(conditions) = self.path.asked_of_symbols(&left) {
                return Extent { locations, values: written, conditions };
            }
        }
        Extent { locations, values, conditions: plain }
    }

    /// Whether all states of one trail are obviously among those of another.
    pub fn covers(&self, general: &Extent, special: &Extent) -> bool {
        general.covers(special, self.path.pool(), &self.model.sorts, self.path.symbols())
    }

    /// Whether all states of a trail are among those of another one with the same values: its conditions follow. Symbols
    /// that only the other one has may be anything, so that nothing follows for them.
    pub fn follows(&mut self, general: &Extent, special: &Extent, trail: &Trail) -> bool {
        if !general.has_values_of(special) || special.conditions.len() > MOST_CONDITIONS {
            return false;
        }
        self.visit(trail);
        let others: Vec<TermId> =
            general.conditions.iter().filter(|c| !special.conditions.contains(c)).copied().collect();
        // What is undefined is not true, and its negation is not either.
        if others.iter().any(|c| self.path.pool().is_partial(*c)) {
            return false;
        }
        let not_all = self.path.build(|pool, sorts| {
            let all = pool.and(sorts, &others);
            pool.not(sorts, all)
        });
        self.path.may_hold(not_all) == Possible::No
    }

    /// The state, if only one is possible as far as it matters from here on.
    pub fn settle(&mut self, trail: &Trail) -> Option<State> {
        self.visit(trail);
        if let Some(state) = self.path.known_state() {
            return Some(state);
        }
        let Answer::Sat(Some(witness)) = self.path.solve() else { return None };
        let locations = self.path.locations().to_vec();
        let mut values = Vec::with_capacity(self.model.variables.len());
        let mut other = Vec::new();
        for (var, _) in self.model.variables.iter() {
            let term = self.path.term(var);
            let env = Env { symbols: &witness, ..Env::default() };
            let value = eval(self.path.pool(), &self.model.sorts, term, env).ok()?;
            if self.path.value(var).is_none() && self.is_live(&locations, var) {
                other.push(self.path.build(|pool, sorts| {
                    let same = has_value(pool, sorts, term, &value);
                    pool.not(sorts, same)
                }));
            }
            values.push(value);
        }
        let another = self.path.build(|pool, sorts| pool.or(sorts, &other));
        let only = other.is_empty() || self.path.may_hold(another) == Possible::No;
        only.then(|| State::new(locations, values))
    }

    /// Some state that is possible, by a seed; nothing if no values are known that lead there.
    pub fn some_state(&mut self, trail: &Trail, seed: u64) -> Option<State> {
        self.visit(trail);
        if let Some(state) = self.path.known_state() {
            return Some(state);
        }
        let Answer::Sat(Some(plain)) = self.path.solve() else { return None };
        // Values by the seed are only nicer to have.
        let witness = self.path.witness_with(Choice::Random(seed)).map_or(plain, |(_, witness)| witness);
        let mut values = Vec::with_capacity(self.model.variables.len());
        for (var, _) in self.model.variables.iter() {
            let term = self.path.term(var);
            let env = Env { symbols: &witness, ..Env::default() };
            values.push(eval(self.path.pool(), &self.model.sorts, term, env).ok()?);
        }
        Some(State::new(self.path.locations().to_vec(), values))
    }

    /// Whether something that can happen reads a variable before it gets another value.
    pub fn is_live(&self, locations: &[sioco_model::LocationId], var: VarId) -> bool {
        locations.iter().any(|l| self.live.at(*l).contains(&var))
    }

    /// The state in words: locations, and what is known of the variables. What was observed stands for itself, and what
    /// is free has the name of its variable and the step that it comes from, `m#0` at the start.
    pub fn show(&mut self, trail: &Trail) -> String {
        self.visit(trail);
        let mut observed: FxHashMap<SymbolId, String> = FxHashMap::default();
        for (i, (step, args)) in trail.steps.iter().enumerate() {
            let (Step::Switch(switch), Some(args)) = (step, args) else { continue };
            for ((term, value), param) in self.path.args(i).iter().zip(args).zip(&self.model.switches[*switch].params) {
                if let Term::Symbol(symbol, _) = self.path.pool().get(*term) {
                    observed.insert(*symbol, self.model.sorts.show(param.sort, value));
                }
            }
        }
        let mut parts: Vec<String> = self.path.locations().iter().map(|l| self.model.location_name(*l)).collect();
        for (id, v) in self.model.variables.iter().filter(|(_, v)| !v.hidden) {
            let name = self.model.variable_name(id);
            if let Some(value) = self.path.value(id) {
                parts.push(format!("{name} = {}", self.model.sorts.show(v.sort, value)));
                continue;
            }
            let term = self.path.term(id);
            let path = &self.path;
            let plain = matches!(path.pool().get(term), Term::Symbol(y, _) if !observed.contains_key(y));
            let of = |y: SymbolId| observed.get(&y).cloned().unwrap_or_else(|| path.symbol_name(y));
            let shown = print::term_in(self.model, path.pool(), None, &of, term);
            parts.push(if plain { format!("{name} unknown") } else { format!("{name} = {shown}") });
        }
        parts.join(", ")
    }

    /// The locations of a trail.
    pub fn locations(&mut self, trail: &Trail) -> Vec<sioco_model::LocationId> {
        self.visit(trail);
        self.path.locations().to_vec()
    }
}
