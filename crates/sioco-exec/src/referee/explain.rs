//! Explains a failure: what the model allows at this point, and why it does not allow the observation. It covers all
//! hypotheses together, and some of them one by one.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::number::BigInt;
use sioco_model::semantics::interpreter::{Quiescence, StepError};
use sioco_model::semantics::sides::Seen;
use sioco_model::semantics::state::State;
use sioco_model::sort::Sort;
use sioco_model::term::Term;
use sioco_model::{GateId, SwitchId, Value};

use super::Referee;
use crate::belief::{Hypothesis, HypothesisState, Mind};
use crate::event::{GateValue, Observation};
use crate::explanation::{Allowed, Explanation, Left, MOST_SHOWN, Offer, Values};
use crate::symbolic_hypothesis::Trail;

/// At most this many different outputs are kept. Values of one number become intervals, so that they are seldom many; a
/// report shows fewer.
const OFFERS: usize = 64;

/// At this many hypotheses all values of an output are listed, or looked for if the state is not known: each may take
/// some time, and the others usually offer the same.
const LISTED: usize = 64;

/// At most this many switches are explained, each with its reasons. A report shows the nearest few; the others only
/// take time.
const SWITCHES: usize = 256;

impl Referee<'_> {
    /// What the model allows after what was observed; and where the run ended with something that nothing explains, why
    /// not.
    pub fn explain(&mut self) -> Explanation {
        let taken = self.position.belief.groups.iter().flat_map(|g| std::iter::repeat_n(g.taken, g.hypotheses.len()));
        let all: Vec<(usize, Hypothesis)> = taken.zip(self.position.belief.hypotheses().cloned()).collect();
        let seen = self.broken_by.clone();
        let narrowed = self.narrowed.iter().cloned().collect();
        let mut found = Explanation { all: all.len(), narrowed, ..Explanation::default() };
        for (at, (taken, h)) in all.iter().enumerate() {
            let under_way = self.position.queue.get(*taken..).unwrap_or_default().to_vec();
            let (mut left, offers) = self.left(h, seen.as_ref(), at < LISTED);
            // Before it has taken everything, nobody calls it silent.
            left.allowed.retain(|a| *a != Allowed::Silence || under_way.is_empty());
            left.under_way = under_way;
            found.silence |= left.allowed.contains(&Allowed::Silence);
            for location in &left.locations {
                if !found.locations.contains(location) {
                    found.locations.push(*location);
                }
            }
            for switch in &left.switches {
                if found.switches.len() < SWITCHES && !found.switches.contains(switch) {
                    found.switches.push(switch.clone());
                }
            }
            let model = self.position.model();
            offers.into_iter().for_each(|offer| add(model, &mut found, offer));
            if at < MOST_SHOWN {
                left.shown = self.shown(h);
                found.hypotheses.push(left);
            }
        }
        found
    }

    /// A state in words. Where it stands for others, only what it has in common with them has a value.
    fn shown(&mut self, h: &Hypothesis) -> String {
        match &h.place {
            HypothesisState::Known(state) => {
                let live = self.position.mind.live(&self.position.suite);
                self.position
                    .mind
                    .show(state, &self.position.belief.seen, &|var| !h.blurred || live.matters(state, var))
            }
            HypothesisState::Open(trail) => self.position.mind.tracker().show(trail),
        }
    }

    /// What a hypothesis allows, without words; with all values if they are to be listed.
    fn left(&mut self, h: &Hypothesis, seen: Option<&Observation>, list: bool) -> (Left, Vec<Offer>) {
        let (locations, state, (offers, silence), switches) = match &h.place {
            HypothesisState::Known(state) => {
                let allowed = self.allowed_known(state, list);
                (state.locations().to_vec(), Some(state.clone()), allowed, self.switches_known(state, seen))
            }
            HypothesisState::Open(trail) => {
                let allowed = self.allowed_open(trail, list);
                (self.position.mind.tracker().locations(trail), None, allowed, self.switches_open(trail, seen))
            }
        };
        let output =
            |o: &Offer| Allowed::Output { switch: o.switch, args: o.args.clone(), fixed: o.values == Values::Only };
        let mut allowed: Vec<Allowed> = offers.iter().map(output).collect();
        allowed.extend(silence.then_some(Allowed::Silence));
        (Left { locations, state, shown: String::new(), under_way: Vec::new(), allowed, switches }, offers)
    }

    fn allowed_known(&mut self, state: &State, list: bool) -> (Vec<Offer>, bool) {
        let model = self.position.model();
        let switches: Vec<SwitchId> = self.position.mind.interpreter.outputs_at(state).collect();
        let mut offers = Vec::new();
        for switch in switches {
            let interpreter = &mut self.position.mind.interpreter;
            let free = free(model, switch);
            let sort = |param: usize| model.switches[switch].params[param].sort;
            let (args, values) = match interpreter.example(state, switch) {
                Ok(Some(args)) if free.is_empty() => {
                    let values =
                        self.position.mind.standing(state, switch, &self.position.belief.seen).unwrap_or(Values::Only);
                    (args, values)
                }
                Ok(Some(args)) => {
                    let within = match free[..] {
                        // Only values of whole numbers become intervals: of others it would list them in vain.
                        [param] if list && matches!(model.sorts.get(sort(param)), Sort::Int { .. }) => {
                            let all = interpreter.choices(state, switch).ok();
                            all.and_then(|all| parts(&all, param)).map(|parts| Values::Within { param, parts })
                        }
                        _ => None,
                    };
                    (args, within.unwrap_or(Values::Some { ends: None }))
                }
                Ok(None) | Err(StepError::Undefined { .. }) => continue,
                // Perhaps it is.
                Err(StepError::NeedsSolver { .. }) => (Vec::new(), Values::Some { ends: None }),
            };
            offers.push(Offer { switch, args, values });
        }
        let silence = matches!(
            self.position.mind.interpreter.quiescence(state),
            Ok(Quiescence::Quiescent | Quiescence::Diverging)
        );
        (offers, silence)
    }

    fn allowed_open(&mut self, trail: &Trail, list: bool) -> (Vec<Offer>, bool) {
        let model = self.position.model();
        let tracker = self.position.mind.tracker();
        let enabled: Vec<SwitchId> = tracker.enabled(trail);
        let outputs = enabled.into_iter().filter(|s| model.direction(*s) == Some(Direction::Output));
        let of = |switch: SwitchId| match list.then(|| tracker.range(trail, switch)).flatten() {
            Some(range) if range.only => Offer { switch, args: range.example, values: Values::Only },
            Some(range) => Offer { switch, args: range.example, values: Values::Some { ends: range.ends } },
            None if model.switches[switch].params.is_empty() => {
                Offer { switch, args: Vec::new(), values: Values::Only }
            }
            None => Offer { switch, args: Vec::new(), values: Values::Some { ends: None } },
        };
        let offers = outputs.map(of).collect();
        (offers, !tracker.silence(trail).is_empty())
    }

    /// The gate that something is observed at.
    fn gate_of(&self, seen: &Observation) -> Option<GateValue> {
        match seen {
            Observation::Output(output) => Some(output.clone()),
            Observation::Closed => self.closed.map(|gate| GateValue { gate, args: Vec::new() }),
            Observation::Crashed(_) => self.crashed.map(|gate| GateValue { gate, args: Vec::new() }),
            Observation::Delta | Observation::Malformed { .. } => None,
        }
    }

    fn switches_known(&mut self, state: &State, seen: Option<&Observation>) -> Switches {
        let model = self.position.model();
        let at = seen.and_then(|seen| self.gate_of(seen));
        let interpreter = &mut self.position.mind.interpreter;
        if let Some(GateValue { gate, args }) = at {
            let switches: Vec<SwitchId> = interpreter.switches_at(state, gate).into_iter().collect();
            return switches.into_iter().map(|s| (s, interpreter.why_not(state, s, Some(&args)))).collect();
        }
        if seen != Some(&Observation::Delta) {
            return Vec::new();
        }
        let own = |s: &SwitchId| match model.switches[*s].label {
            Label::Gate(g) => model.gates[g].direction == Direction::Output,
            Label::Internal | Label::Send(_) => true,
            Label::Receive(_) => false,
        };
        let all = state.locations().iter().flat_map(|l| model.locations[*l].outgoing.iter().copied());
        let enabled = |s: &SwitchId| matches!(interpreter.example(state, *s), Ok(Some(_)));
        all.filter(own).filter(enabled).map(|s| (s, Vec::new())).collect()
    }

    fn switches_open(&mut self, trail: &Trail, seen: Option<&Observation>) -> Switches {
        let model = self.position.model();
        let at = seen.and_then(|seen| self.gate_of(seen)).map(|at| at.gate);
        let tracker = self.position.mind.tracker();
        let switches: Vec<SwitchId> = match (at, seen) {
            (Some(gate), _) => {
                let locations = tracker.locations(trail);
                let all = locations.iter().flat_map(|l| model.locations[*l].outgoing.iter().copied());
                all.filter(|s| model.switches[*s].label == Label::Gate(gate)).collect()
            }
            (None, Some(Observation::Delta)) => {
                let enabled = tracker.enabled(trail).into_iter();
                enabled.filter(|s| model.direction(*s) == Some(Direction::Output)).collect()
            }
            (None, _) => Vec::new(),
        };
        switches.into_iter().map(|s| (s, Vec::new())).collect()
    }
}

impl Mind<'_> {
    /// The values of an output that shows a variable whose value stands for others.
    fn standing(&self, state: &State, switch: SwitchId, seen: &Seen) -> Option<Values> {
        let model = self.model();
        let shown = model.switches[switch].params.iter().map(|p| match model.terms.get(p.term?) {
            Term::Var(var, _) => self.extent(state, *var, seen),
            _ => None,
        });
        let shown: Vec<Option<Option<(BigInt, BigInt)>>> = shown.collect();
        if let [Some(Some((low, high)))] = &shown[..]
            && let (Ok(low), Ok(high)) = (i64::try_from(low), i64::try_from(high))
        {
            return Some(Values::Within { param: 0, parts: vec![(low, high)] });
        }
        shown.iter().any(Option::is_some).then_some(Values::Some { ends: None })
    }
}

type Switches = Vec<(SwitchId, Vec<sioco_model::semantics::explain::Reason>)>;

/// The parameters that the system chooses.
fn free(model: &Model, switch: SwitchId) -> Vec<usize> {
    let params = &model.switches[switch].params;
    (0..params.len()).filter(|i| params[*i].term.is_none()).collect()
}

/// The values of a parameter as intervals, if they fit.
fn parts(all: &[Vec<Value>], param: usize) -> Option<Vec<(i64, i64)>> {
    let number = |args: &Vec<Value>| match args.get(param) {
        Some(Value::Int(n)) => Some((*n, *n)),
        _ => None,
    };
    let numbers: Vec<(i64, i64)> = all.iter().map(number).collect::<Option<_>>()?;
    (!numbers.is_empty()).then(|| joined(numbers))
}

/// Intervals in order, those that touch made one.
fn joined(mut parts: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    parts.sort_unstable();
    let mut found: Vec<(i64, i64)> = Vec::new();
    for (low, high) in parts {
        match found.last_mut() {
            Some((_, last)) if low <= last.saturating_add(1) => *last = high.max(*last),
            _ => found.push((low, high)),
        }
    }
    found
}

fn gate(model: &Model, switch: SwitchId) -> Option<GateId> {
    match model.switches[switch].label {
        Label::Gate(gate) => Some(gate),
        _ => None,
    }
}

/// The values of an output whose only parameter is a whole number, if they are all known.
fn exact(offer: &Offer) -> Option<Vec<(i64, i64)>> {
    match (&offer.values, &offer.args[..]) {
        (Values::Only, [Value::Int(n)]) => Some(vec![(*n, *n)]),
        (Values::Within { parts, .. }, [_]) => Some(parts.clone()),
        _ => None,
    }
}

/// Adds an output to what is allowed; values of the same number are put together.
fn add(model: &Model, found: &mut Explanation, offer: Offer) {
    let same_gate = |other: &Offer| gate(model, other.switch) == gate(model, offer.switch);
    if let Some(parts) = exact(&offer)
        && let Some((known, before)) =
            found.offers.iter_mut().find_map(|o| exact(o).filter(|_| same_gate(o)).map(|parts| (o, parts)))
    {
        let all = joined([before, parts].concat());
        if !matches!(all[..], [(a, b)] if a == b) {
            known.values = Values::Within { param: 0, parts: all };
        }
        return;
    }
    let is_known = |other: &Offer| match (&offer.values, &other.values) {
        // The guard says what it asks for: one example is enough.
        (Values::Some { .. }, Values::Some { .. }) => other.switch == offer.switch,
        (a, b) => a == b && same_gate(other) && other.args == offer.args,
    };
    if found.offers.iter().any(is_known) {
        return;
    }
    match found.offers.len() < OFFERS {
        true => found.offers.push(offer),
        false => found.more = true,
    }
}
