//! Conformance of models with few states, state by state.
//!
//! The implementation model is in one state, the specification in all that explain what was observed (T-B2).
//! Inputs are those with which the specification says something, value by value. An input comes when the implementation
//! model waits. Until then its answer is followed step by step, so the cost grows with its states and not with its paths.
//! When all such pairs were visited without a difference, the models conform. Nothing is symbolic, so a solver leaves
//! nothing open. A model that is too large, needs a solver or is undefined is left to the symbolic search.

use std::collections::{BTreeSet, VecDeque};
use std::mem;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::closure::Closure;
use sioco_model::semantics::interpreter::{Interpreter, Quiescence};
use sioco_model::semantics::state::State;
use sioco_model::{GateId, Value};
use sioco_symbolic::explore::Stop;

use super::conform::{Conformance, Difference, Work, conforms};
use super::trace::{self, Exchange, Says};
use super::{CompareOptions, CompareProgress, Stage};
use crate::event::Event;

/// At most this many steps of the models are taken. A step is a few microseconds, so that this is about a second; then
/// the symbolic comparison goes on.
const STEPS: usize = 400_000;

/// States of the specification, by their numbers, in order.
type Belief = Rc<[u32]>;

/// What happens at a gate.
type GateValue = (GateId, Vec<Value>);

/// The specification. What was found out about a state is not found out again: many beliefs have it.
struct Spec<'m> {
    run: Interpreter<'m>,
    states: Vec<State>,
    numbers: FxHashMap<State, u32>,
    /// The states after something at a gate, internal steps followed.
    after: FxHashMap<(u32, GateValue), Belief>,
    inputs: FxHashMap<u32, Rc<[GateValue]>>,
    waits: FxHashMap<u32, bool>,
    /// How much was found out.
    steps: usize,
}

impl Spec<'_> {
    fn number(&mut self, state: State) -> u32 {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        let new = self.states.len() as u32;
        self.numbers.insert(state.clone(), new);
        self.states.push(state);
        new
    }

    /// All states that internal steps lead to.
    fn closure(&mut self, states: Vec<State>) -> Option<Belief> {
        let closure = self.run.closure(states).ok()?;
        self.numbered(closure)
    }

    /// The numbers of its states, in order; nothing if it was cut.
    fn numbered(&mut self, closure: Closure) -> Option<Belief> {
        let closure = Some(closure).filter(|c| !c.cut)?;
        self.steps += closure.states.len();
        let found: BTreeSet<u32> = closure.states.into_iter().map(|state| self.number(state)).collect();
        Some(found.into_iter().collect())
    }

    fn after(&mut self, state: u32, event: &GateValue) -> Option<Belief> {
        let key = (state, event.clone());
        if let Some(known) = self.after.get(&key) {
            return Some(known.clone());
        }
        self.steps += 1;
        let closed = std::slice::from_ref(&self.states[state as usize]);
        let after = self.run.after_closed(closed, event.0, &event.1).ok()?;
        let found = self.numbered(after)?;
        self.after.insert(key, found.clone());
        Some(found)
    }

    /// The inputs with which a state says something.
    fn inputs(&mut self, state: u32) -> Option<Rc<[GateValue]>> {
        if let Some(known) = self.inputs.get(&state) {
            return Some(known.clone());
        }
        let at = self.states[state as usize].clone();
        let mut found: Vec<GateValue> = Vec::new();
        for switch in self.run.inputs_at(&at).collect::<Vec<_>>() {
            let Label::Gate(gate) = self.run.model().switches[switch].label else { continue };
            found.extend(self.run.choices(&at, switch).ok()?.into_iter().map(|args| (gate, args)));
        }
        self.steps += found.len();
        let found: Rc<[GateValue]> = found.into();
        self.inputs.insert(state, found.clone());
        Some(found)
    }

    fn waits(&mut self, state: u32) -> Option<bool> {
        if let Some(known) = self.waits.get(&state) {
            return Some(*known);
        }
        self.steps += 1;
        let waits = match self.run.quiescence(&self.states[state as usize]).ok()? {
            Quiescence::Quiescent => true,
            Quiescence::Active(_) => false,
            // An answer that never ends is told by others.
            Quiescence::Diverging | Quiescence::Unknown { .. } => return None,
        };
        self.waits.insert(state, waits);
        Some(waits)
    }
}

/// What the implementation model is doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    /// It answers, or goes on by itself.
    Answers,
    /// It waits for an input.
    Waits,
}

/// What led to a pair.
#[derive(Clone, Debug)]
enum By {
    Start,
    /// Something that nobody sees.
    Alone,
    Input(Event),
    Output(Event),
}

/// A state of the implementation model, and what the specification may be doing.
struct Pair {
    phase: Phase,
    state: State,
    belief: Belief,
    /// The pair before, itself for the first ones.
    from: usize,
    by: By,
}

struct Search<'m> {
    spec: Spec<'m>,
    implementation: Interpreter<'m>,
    /// The gates of the implementation model, by those of the specification; and the other way round.
    gates: FxHashMap<GateId, GateId>,
    own_gates: FxHashMap<GateId, GateId>,
    steps: usize,
    pairs: Vec<Pair>,
    seen: FxHashMap<(Phase, State, Belief), usize>,
    /// Which pair led to which, while the implementation model answers.
    answers: Vec<(usize, usize)>,
    /// The pairs to look at before the next input, those that wait for it, and those after it. An answer shows a difference
    /// with fewer inputs than a refusal of the next one, so that all answers are looked at first.
    now: VecDeque<usize>,
    waits: VecDeque<usize>,
    later: VecDeque<usize>,
    waiting: usize,
}

/// A trace that shows a difference, if there is one; nothing at all if it cannot be told.
type Looked = Option<Option<Vec<Exchange>>>;

/// Searches for a difference; nothing if there is too much to look at.
pub(crate) fn conform(
    spec: &Model,
    implementation: &Model,
    options: &CompareOptions,
    progress: &mut dyn FnMut(CompareProgress),
) -> Option<(Conformance, Work)> {
    let by_name = |model: &Model, name: &str| model.gates.iter().find(|(_, g)| g.name == name).map(|(id, _)| id);
    let pairs: Vec<(GateId, GateId)> =
        spec.gates.iter().map(|(id, g)| Some((id, by_name(implementation, &g.name)?))).collect::<Option<_>>()?;
    let mut search = Search {
        spec: Spec {
            run: Interpreter::new(spec),
            states: Vec::new(),
            numbers: FxHashMap::default(),
            after: FxHashMap::default(),
            inputs: FxHashMap::default(),
            waits: FxHashMap::default(),
            steps: 0,
        },
        implementation: Interpreter::new(implementation),
        gates: pairs.iter().copied().collect(),
        own_gates: pairs.iter().map(|(a, b)| (*b, *a)).collect(),
        steps: 0,
        pairs: Vec::new(),
        seen: FxHashMap::default(),
        answers: Vec::new(),
        now: VecDeque::new(),
        waits: VecDeque::new(),
        later: VecDeque::new(),
        waiting: 0,
    };
    search.start(implementation)?;
    let (mut found, mut depth, mut stop) = (None, 0, Stop::Complete);
    loop {
        let Some(at) = search.now.pop_front().or_else(|| search.waits.pop_front()) else {
            if search.later.is_empty() {
                break;
            }
            search.now = mem::take(&mut search.later);
            depth += 1;
            continue;
        };
        if options.limits.cancelled() {
            return None;
        }
        let waits = search.pairs[at].phase == Phase::Waits;
        if waits && options.most().is_some_and(|most| depth >= most) {
            stop = Stop::Depth;
            continue;
        }
        progress(CompareProgress {
            stage: Stage::Comparing,
            pairs: search.waiting,
            depth,
            open: search.now.len() + search.waits.len() + search.later.len(),
            steps: search.steps + search.spec.steps,
        });
        found = if waits { search.stimulate(at)? } else { search.answer(at)? };
        if found.is_some() {
            break;
        }
    }
    let work = Work { pairs: search.waiting, steps: search.steps + search.spec.steps, together: true };
    let Some(mut trace) = found else {
        // An answer that never ends is told by others.
        return search.every_answer_ends().then(|| (conforms(depth, stop, None), work));
    };
    // The same question once more, on the trace alone.
    let Ok(Says::Forbids(at)) = trace::run(spec, &trace) else { return None };
    trace.truncate(at + 1);
    trace::tell(spec, &mut trace);
    let inputs = trace.iter().filter(|e| e.input.is_some()).count();
    Some((Conformance::Differs(Difference { trace, inputs, perhaps_longer: false }), work))
}

impl Search<'_> {
    fn spend(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps + self.spec.steps <= STEPS).then_some(())
    }

    /// Where both are before the first input.
    fn start(&mut self, implementation: &Model) -> Option<()> {
        let first = self.spec.run.initial_default();
        let belief = self.spec.closure(vec![first])?;
        for state in initial_states(implementation, &self.implementation)? {
            let at = self.pairs.len();
            self.keep(Pair { phase: Phase::Answers, state, belief: belief.clone(), from: at, by: By::Start });
        }
        Some(())
    }

    /// Looks at a pair later, unless it is known; the pair itself.
    fn keep(&mut self, pair: Pair) -> usize {
        let key = (pair.phase, pair.state.clone(), pair.belief.clone());
        if let Some(known) = self.seen.get(&key) {
            return *known;
        }
        let at = self.pairs.len();
        self.seen.insert(key, at);
        self.waiting += usize::from(pair.phase == Phase::Waits);
        let queue = match (&pair.by, pair.phase) {
            (By::Input(_), _) => &mut self.later,
            (_, Phase::Waits) => &mut self.waits,
            (_, Phase::Answers) => &mut self.now,
        };
        queue.push_back(at);
        self.pairs.push(pair);
        at
    }

    /// Where a pair leads while the implementation model answers.
    fn lead(&mut self, from: usize, phase: Phase, state: State, belief: Belief, by: By) {
        let to = self.keep(Pair { phase, state, belief, from, by });
        self.answers.push((from, to));
    }

    /// The next step of an answer, in every way.
    fn answer(&mut self, at: usize) -> Looked {
        let (state, belief) = (self.pairs[at].state.clone(), self.pairs[at].belief.clone());
        self.spend()?;
        match self.implementation.quiescence(&state).ok()? {
            Quiescence::Quiescent => {
                let waits = self.waits(&belief)?;
                if waits.is_empty() {
                    return Some(Some(self.trace(at, None)));
                }
                self.lead(at, Phase::Waits, state, waits, By::Alone);
                return Some(None);
            }
            Quiescence::Active(_) => {}
            Quiescence::Diverging | Quiescence::Unknown { .. } => return None,
        }
        for (_, next) in self.implementation.internal_steps(&state).ok()? {
            self.spend()?;
            self.lead(at, Phase::Answers, next, belief.clone(), By::Alone);
        }
        for switch in self.implementation.outputs_at(&state).collect::<Vec<_>>() {
            let Label::Gate(own) = self.implementation.model().switches[switch].label else { continue };
            let gate = self.own_gates[&own];
            for args in self.implementation.choices(&state, switch).ok()? {
                let mut next = state.clone();
                self.implementation.take(&mut next, switch, &args).ok()?;
                let (after, _) = self.after(&belief, &(gate, args.clone()))?;
                let output = Event { gate, args };
                if after.is_empty() {
                    let mut trace = self.trace(at, None);
                    let rest = self.rest(&next);
                    if let Some(answer) = trace.last_mut().and_then(|e| e.implementation.as_mut()) {
                        answer.push(output);
                        answer.extend(rest);
                    }
                    return Some(Some(trace));
                }
                self.lead(at, Phase::Answers, next, after, By::Output(output));
            }
        }
        Some(None)
    }

    /// All inputs of a pair that waits.
    fn stimulate(&mut self, at: usize) -> Looked {
        let (state, belief) = (self.pairs[at].state.clone(), self.pairs[at].belief.clone());
        for event in self.inputs(&belief)? {
            let (taken, all) = self.after(&belief, &event)?;
            let (gate, args) = event;
            let input = Event { gate, args: args.clone() };
            self.spend()?;
            let own = self.implementation.successors(&state, self.gates[&gate], &args).ok()?;
            // A refusal is wrong only if every state that explains what was observed takes the input.
            if own.is_empty() && all {
                return Some(Some(self.trace(at, Some(input))));
            }
            for (_, state) in own {
                let (belief, by) = (taken.clone(), By::Input(input.clone()));
                self.keep(Pair { phase: Phase::Answers, state, belief, from: at, by });
            }
        }
        Some(None)
    }

    /// What led to a pair, and an input that is not taken after that.
    fn trace(&self, at: usize, refused: Option<Event>) -> Vec<Exchange> {
        let mut way = vec![at];
        while let Some(last) = way.last()
            && self.pairs[*last].from != *last
        {
            way.push(self.pairs[*last].from);
        }
        let mut trace = vec![Exchange { implementation: Some(Vec::new()), ..Exchange::default() }];
        for pair in way.into_iter().rev() {
            match &self.pairs[pair].by {
                By::Start | By::Alone => {}
                By::Input(input) => {
                    let (input, implementation) = (Some(input.clone()), Some(Vec::new()));
                    trace.push(Exchange { input, implementation, ..Exchange::default() });
                }
                By::Output(output) => {
                    let answer = trace.last_mut().and_then(|e| e.implementation.as_mut());
                    answer.expect("an answer is under way").push(output.clone());
                }
            }
        }
        trace.extend(refused.map(|input| Exchange { input: Some(input), ..Exchange::default() }));
        trace
    }

    /// The outputs on a shortest way to where the implementation model waits; none if that takes too long.
    fn rest(&mut self, from: &State) -> Vec<Event> {
        let mut seen: FxHashSet<State> = FxHashSet::from_iter([from.clone()]);
        let mut open: VecDeque<(State, Vec<Event>)> = VecDeque::from([(from.clone(), Vec::new())]);
        while let Some((state, outs)) = open.pop_front() {
            let Ok(quiescence) = self.implementation.quiescence(&state) else { return Vec::new() };
            if quiescence == Quiescence::Quiescent {
                return outs;
            }
            let mut next: Vec<(State, Vec<Event>)> = Vec::new();
            for (_, state) in self.implementation.internal_steps(&state).unwrap_or_default() {
                next.push((state, outs.clone()));
            }
            for switch in self.implementation.outputs_at(&state).collect::<Vec<_>>() {
                let Label::Gate(own) = self.implementation.model().switches[switch].label else { continue };
                for args in self.implementation.choices(&state, switch).unwrap_or_default() {
                    let mut after = state.clone();
                    if self.implementation.take(&mut after, switch, &args).is_ok() {
                        let gate = self.own_gates[&own];
                        next.push((after, [&outs[..], &[Event { gate, args }]].concat()));
                    }
                }
            }
            for (state, outs) in next {
                if self.spend().is_none() {
                    return Vec::new();
                }
                if seen.insert(state.clone()) {
                    open.push_back((state, outs));
                }
            }
        }
        Vec::new()
    }

    /// Whether the implementation model can come to where it waits, whatever it did in an answer.
    fn every_answer_ends(&self) -> bool {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.pairs.len()];
        for (from, to) in &self.answers {
            before[*to].push(*from);
        }
        let waits = |at: &usize| self.pairs[*at].phase == Phase::Waits;
        let mut open: Vec<usize> = (0..self.pairs.len()).filter(waits).collect();
        let mut ends = vec![false; self.pairs.len()];
        open.iter().for_each(|at| ends[*at] = true);
        while let Some(at) = open.pop() {
            for &from in &before[at] {
                if !mem::replace(&mut ends[from], true) {
                    open.push(from);
                }
            }
        }
        ends.into_iter().all(|ends| ends)
    }

    /// All states of the specification after something at a gate, and whether each of them leads to one.
    fn after(&mut self, belief: &[u32], event: &GateValue) -> Option<(Belief, bool)> {
        self.spend()?;
        let (mut found, mut all) = (BTreeSet::new(), true);
        for state in belief {
            let next = self.spec.after(*state, event)?;
            all &= !next.is_empty();
            found.extend(next.iter().copied());
        }
        Some((found.into_iter().collect(), all))
    }

    /// The states in which the specification waits.
    fn waits(&mut self, belief: &[u32]) -> Option<Belief> {
        let mut waits = Vec::new();
        for state in belief {
            if self.spec.waits(*state)? {
                waits.push(*state);
            }
        }
        Some(waits.into())
    }

    /// The inputs with which some state of the specification says something.
    fn inputs(&mut self, belief: &[u32]) -> Option<Vec<GateValue>> {
        let mut found: Vec<GateValue> = Vec::new();
        let mut seen = FxHashSet::default();
        for state in belief {
            let inputs = self.spec.inputs(*state)?;
            found.extend(inputs.iter().filter(|input| seen.insert((*input).clone())).cloned());
        }
        Some(found)
    }
}

/// All initial states of a model, if these are few.
fn initial_states(model: &Model, interpreter: &Interpreter<'_>) -> Option<Vec<State>> {
    let mut choices: Vec<Vec<Value>> = vec![Vec::new()];
    for var in model.free_variables() {
        let sort = model.variables[var].sort;
        let count = model.sorts.cardinality(sort).filter(|n| n.saturating_mul(choices.len() as u64) <= STEPS as u64)?;
        let values: Vec<Value> = (0..count).filter_map(|i| model.sorts.nth_value(sort, i)).collect();
        choices =
            choices.iter().flat_map(|c| values.iter().map(|v| [&c[..], std::slice::from_ref(v)].concat())).collect();
    }
    let state = |chosen: Vec<Value>| {
        let mut chosen = chosen.into_iter();
        interpreter.initial(&mut |_| chosen.next().expect("a value for every free variable"))
    };
    Some(choices.into_iter().map(state).collect())
}
