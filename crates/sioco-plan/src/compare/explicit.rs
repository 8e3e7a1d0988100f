//! Conformance of models with few states, state by state.
//!
//! The implementation model is in one state, the specification in all that explain what was observed (`theory`, section 5:
//! belief). Inputs are those with which the specification says something, value by value. When every such pair was
//! looked at, the models conform; nothing is symbolic, so there is nothing that a solver could leave open. Whatever is too
//! much, or takes a solver, or is undefined, is left to those who go on symbolically.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::interpreter::{Interpreter, Quiescence};
use sioco_model::semantics::state::State;
use sioco_model::{GateId, Value};
use sioco_symbolic::explore::Stop;

use super::conform::{Conformance, Difference, Work, conforms};
use super::trace::{self, Exchange, Says};
use super::{Options, Progress, Stage};
use crate::event::Event;

/// How many steps of the models are taken. A step is some microseconds, so that this is a fraction of a second.
const STEPS: usize = 50_000;

/// States of the specification.
type Belief = BTreeSet<State>;

/// A state of the implementation model, and what the specification may be doing.
struct Pair {
    state: State,
    belief: Rc<Belief>,
    /// The exchange that led here, and from where.
    by: Option<(usize, Exchange)>,
    depth: usize,
}

struct Search<'m> {
    spec: Interpreter<'m>,
    implementation: Interpreter<'m>,
    /// The gates of the implementation model, by those of the specification; and the other way round.
    gates: FxHashMap<GateId, GateId>,
    own_gates: FxHashMap<GateId, GateId>,
    /// How many steps an answer may have.
    longest: usize,
    steps: usize,
    pairs: Vec<Pair>,
    seen: FxHashSet<(State, Rc<Belief>)>,
}

/// What the implementation model does until it waits.
type Answer = (Vec<Event>, State);

/// Searches for a difference; nothing if there is too much to look at.
pub(crate) fn conform(
    spec: &Model,
    implementation: &Model,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Option<(Conformance, Work)> {
    let by_name = |model: &Model, name: &str| model.gates.iter().find(|(_, g)| g.name == name).map(|(id, _)| id);
    let pairs: Vec<(GateId, GateId)> =
        spec.gates.iter().map(|(id, g)| Some((id, by_name(implementation, &g.name)?))).collect::<Option<_>>()?;
    let mut search = Search {
        spec: Interpreter::new(spec),
        implementation: Interpreter::new(implementation),
        gates: pairs.iter().copied().collect(),
        own_gates: pairs.iter().map(|(a, b)| (*b, *a)).collect(),
        longest: options.internal,
        steps: 0,
        pairs: Vec::new(),
        seen: FxHashSet::default(),
    };
    let mut found = search.start(implementation)?;
    let mut next = 0;
    let mut stop = Stop::Complete;
    while found.is_none() && next < search.pairs.len() {
        if options.limits.cancelled() {
            return None;
        }
        let depth = search.pairs[next].depth;
        if options.most().is_some_and(|most| depth >= most) {
            stop = Stop::Depth;
            break;
        }
        progress(Progress {
            stage: Stage::Comparing,
            pairs: search.pairs.len(),
            depth,
            open: search.pairs.len() - next,
            steps: search.steps,
        });
        found = search.expand(next)?;
        next += 1;
    }
    let work = Work { pairs: search.pairs.len(), steps: search.steps, together: true };
    let Some(mut trace) = found else {
        let length = search.pairs.last().map_or(0, |p| p.depth);
        return Some((conforms(length, stop, None), work));
    };
    // The same question once more, on the trace alone; it also says what the specification answers.
    let Ok(Says::Forbids(at)) = trace::run(spec, &mut trace) else { return None };
    trace.truncate(at + 1);
    let inputs = trace.iter().filter(|e| e.input.is_some()).count();
    Some((Conformance::Differs(Difference { trace, inputs, perhaps_longer: false }), work))
}

impl Search<'_> {
    fn spend(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= STEPS).then_some(())
    }

    /// What both do before the first input; a trace that shows a difference.
    fn start(&mut self, implementation: &Model) -> Option<Option<Vec<Exchange>>> {
        let first = self.spec.initial_default();
        let spec: Vec<State> = self.closure(vec![first])?;
        for state in initial_states(implementation, &self.implementation)? {
            for (outs, state) in self.answers(&state)? {
                let belief = self.follow(&spec, &outs)?;
                let exchange = Exchange { implementation: Some(outs), ..Exchange::default() };
                if belief.is_empty() {
                    return Some(Some(vec![exchange]));
                }
                self.keep(state, belief, None, exchange);
            }
        }
        Some(None)
    }

    /// All inputs of a pair.
    fn expand(&mut self, at: usize) -> Option<Option<Vec<Exchange>>> {
        let (state, belief) = (self.pairs[at].state.clone(), Rc::clone(&self.pairs[at].belief));
        for (gate, args) in self.inputs(&belief)? {
            let mut taken: Vec<State> = Vec::new();
            let mut all = true;
            for state in belief.iter() {
                self.spend()?;
                let next = self.spec.successors(state, gate, &args).ok()?;
                all &= !next.is_empty();
                taken.extend(next.into_iter().map(|(_, state)| state));
            }
            let taken = self.closure(taken)?;
            let input = Some(Event { gate, args: args.clone() });
            self.spend()?;
            let own = self.implementation.successors(&state, self.gates[&gate], &args).ok()?;
            // A refusal is wrong only if every state that explains what was observed takes the input.
            if own.is_empty() && all {
                return Some(Some(self.trace(at, Exchange { input, ..Exchange::default() })));
            }
            for (_, next) in own {
                for (outs, next) in self.answers(&next)? {
                    let belief = self.follow(&taken, &outs)?;
                    let exchange = Exchange { input: input.clone(), implementation: Some(outs), ..Exchange::default() };
                    if belief.is_empty() {
                        return Some(Some(self.trace(at, exchange)));
                    }
                    self.keep(next, belief, Some(at), exchange);
                }
            }
        }
        Some(None)
    }

    fn keep(&mut self, state: State, belief: Belief, from: Option<usize>, exchange: Exchange) {
        let belief = Rc::new(belief);
        if !self.seen.insert((state.clone(), Rc::clone(&belief))) {
            return;
        }
        let depth = from.map_or(0, |from| self.pairs[from].depth + 1);
        let by = Some((from.unwrap_or(self.pairs.len()), exchange));
        self.pairs.push(Pair { state, belief, by, depth });
    }

    /// What led to a pair, and an exchange after that.
    fn trace(&self, from: usize, last: Exchange) -> Vec<Exchange> {
        let mut trace = vec![last];
        let mut at = from;
        while let Some((from, exchange)) = &self.pairs[at].by {
            trace.push(exchange.clone());
            // The first exchange has nothing before it.
            if *from == at {
                break;
            }
            at = *from;
        }
        trace.reverse();
        trace
    }

    /// The inputs with which some state of the specification says something.
    fn inputs(&mut self, belief: &Belief) -> Option<Vec<(GateId, Vec<Value>)>> {
        let mut found: Vec<(GateId, Vec<Value>)> = Vec::new();
        let mut seen = FxHashSet::default();
        for state in belief {
            for switch in self.spec.inputs_at(state).collect::<Vec<_>>() {
                let Label::Gate(gate) = self.spec.model().switches[switch].label else { continue };
                for args in self.spec.choices(state, switch).ok()? {
                    self.spend()?;
                    if seen.insert((gate, args.clone())) {
                        found.push((gate, args));
                    }
                }
            }
        }
        Some(found)
    }

    /// All states of the specification that internal steps lead to.
    fn closure(&mut self, states: Vec<State>) -> Option<Vec<State>> {
        let closure = self.spec.closure(states).ok().filter(|c| !c.cut)?;
        self.steps += closure.states.len();
        Some(closure.states)
    }

    /// The states in which the specification waits after outputs.
    fn follow(&mut self, states: &[State], outs: &[Event]) -> Option<Belief> {
        let mut states = states.to_vec();
        for out in outs {
            let mut next = Vec::new();
            for state in &states {
                self.spend()?;
                next.extend(self.spec.successors(state, out.gate, &out.args).ok()?.into_iter().map(|(_, s)| s));
            }
            states = self.closure(next)?;
        }
        let mut belief = Belief::new();
        for state in states {
            match self.spec.quiescence(&state).ok()? {
                Quiescence::Quiescent => {
                    belief.insert(state);
                }
                Quiescence::Active(_) => {}
                // An answer that never ends is told by others.
                Quiescence::Diverging | Quiescence::Unknown { .. } => return None,
            }
        }
        Some(belief)
    }

    /// What the implementation model may do by itself from a state until it waits, in every way.
    fn answers(&mut self, from: &State) -> Option<Vec<Answer>> {
        let mut found: Vec<Answer> = Vec::new();
        let mut seen: FxHashSet<(Vec<(GateId, Vec<Value>)>, State)> = FxHashSet::default();
        let mut open: VecDeque<(Vec<Event>, State, usize)> = VecDeque::from([(Vec::new(), from.clone(), 0)]);
        while let Some((outs, state, length)) = open.pop_front() {
            self.spend()?;
            match self.implementation.quiescence(&state).ok()? {
                Quiescence::Quiescent => {
                    found.push((outs, state));
                    continue;
                }
                Quiescence::Active(_) => {}
                Quiescence::Diverging | Quiescence::Unknown { .. } => return None,
            }
            if length >= self.longest {
                return None;
            }
            let mut next: Vec<(Vec<Event>, State)> = Vec::new();
            for (_, state) in self.implementation.internal_steps(&state).ok()? {
                next.push((outs.clone(), state));
            }
            for switch in self.implementation.outputs_at(&state).collect::<Vec<_>>() {
                let Label::Gate(own) = self.implementation.model().switches[switch].label else { continue };
                let gate = self.own_gates[&own];
                for args in self.implementation.choices(&state, switch).ok()? {
                    let mut after = state.clone();
                    self.implementation.take(&mut after, switch, &args).ok()?;
                    next.push(([&outs[..], &[Event { gate, args }]].concat(), after));
                }
            }
            for (outs, state) in next {
                self.spend()?;
                let key = outs.iter().map(|e| (e.gate, e.args.clone())).collect();
                if seen.insert((key, state.clone())) {
                    open.push_back((outs, state, length + 1));
                }
            }
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
        choices = choices.iter().flat_map(|c| values.iter().map(|v| [&c[..], &[v.clone()]].concat())).collect();
    }
    let state = |chosen: Vec<Value>| {
        let mut chosen = chosen.into_iter();
        interpreter.initial(&mut |_| chosen.next().expect("a value for every free variable"))
    };
    Some(choices.into_iter().map(state).collect())
}
