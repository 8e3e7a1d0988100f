//! A candidate: inputs, and where something is waited for in between.

use sioco_model::Value;
use sioco_model::model::Model;
use sioco_model::number::{self, BigInt};
use sioco_model::sort::Sort;

use crate::event::{Action, GateValue, Observation};

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Await {
    /// Anything that comes, or silence.
    Something,
    /// Silence: whatever comes before it is taken.
    Silence,
}

/// An input and what is waited for after it. The first unit has no input: the system may speak first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Unit {
    /// What is sent.
    pub input: Option<GateValue>,
    /// What is waited for then, one after the other.
    pub waits: Vec<Await>,
}

/// See the [module](self). Inputs are counted from 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Candidate {
    /// Its parts, in order.
    pub units: Vec<Unit>,
}

impl Candidate {
    /// The same as what was done. A silence that an output disproved was none.
    pub fn of(actions: &[Action]) -> Candidate {
        let mut units = vec![Unit::default()];
        for action in actions {
            if let Action::Input(input) = action {
                units.push(Unit { input: Some(input.clone()), waits: Vec::new() });
                continue;
            }
            let waits = units.last_mut().map(|unit| &mut unit.waits).expect("there is always a first unit");
            waits.pop_if(|last| *last == Await::Silence);
            waits.push(match action {
                Action::Seen(Observation::Delta) => Await::Silence,
                _ => Await::Something,
            });
        }
        Candidate { units }
    }

    /// How many inputs it has.
    pub(crate) fn len(&self) -> usize {
        self.units.len() - 1
    }

    /// The inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &GateValue> {
        self.units.iter().filter_map(|unit| unit.input.as_ref())
    }

    /// An input.
    pub fn input(&self, at: usize) -> Option<&GateValue> {
        self.units.get(at + 1)?.input.as_ref()
    }

    /// Without the inputs from one to before another, and what was waited for after them; the last wait of all stays,
    /// since that is where the failure shows.
    pub fn cut(&self, from: usize, to: usize) -> Candidate {
        let mut units = self.units.clone();
        let last = units.last().and_then(|unit| unit.waits.last().copied());
        units.drain(from + 1..to + 1);
        if to == self.len() {
            units.last_mut().into_iter().for_each(|unit| unit.waits.extend(last));
        }
        Candidate { units }
    }

    /// Where it waits for silence, but for the last wait of all.
    pub fn silences(&self) -> Vec<(usize, usize)> {
        let all = self.units.iter().enumerate().flat_map(|(u, unit)| (0..unit.waits.len()).map(move |w| (u, w)));
        let mut all: Vec<(usize, usize)> = all.collect();
        all.pop();
        all.retain(|(u, w)| self.units[*u].waits[*w] == Await::Silence);
        all
    }

    /// Without waiting there.
    pub fn without(&self, waits: &[(usize, usize)]) -> Candidate {
        let mut candidate = self.clone();
        for (u, w) in waits.iter().rev() {
            candidate.units[*u].waits.remove(*w);
        }
        candidate
    }

    /// With another value.
    pub fn with(&self, at: usize, param: usize, value: &Value) -> Candidate {
        let mut candidate = self.clone();
        if let Some(input) = &mut candidate.units[at + 1].input {
            input.args[param] = value.clone();
        }
        candidate
    }

    /// Without an input, whose numbers are added to those of others at the same gate, as far as their ranges go: what a
    /// system sums up may need all of it, and not as many steps.
    pub fn merged(&self, model: &Model, at: usize) -> Option<Candidate> {
        let gone = self.input(at)?;
        let mut candidate = self.clone();
        let mut any = false;
        for (param, (declared, value)) in model.gates[gone.gate].params.iter().zip(&gone.args).enumerate() {
            let Sort::Int { hi, .. } = model.sorts.get(declared.sort) else { continue };
            let Some(mut left) = number::to_big(value).filter(|left| *left > BigInt::ZERO) else { continue };
            // Those that come later first.
            for other in (at + 1..self.len()).chain(0..at) {
                let same = candidate.units[other + 1].input.as_mut().filter(|input| input.gate == gone.gate);
                let Some(own) = same.and_then(|input| input.args.get_mut(param)) else { continue };
                let Some(number) = number::to_big(own) else { continue };
                let room = hi.as_ref().map_or_else(|| left.clone(), |hi| hi - &number);
                let more = room.min(left.clone());
                any |= more > BigInt::ZERO;
                *own = number::int(number + &more);
                left -= more;
            }
        }
        any.then(|| candidate.cut(at, at + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sioco_model::{GateId, Id};

    fn input(n: i64) -> GateValue {
        GateValue { gate: GateId::from_index(0), args: vec![Value::Int(n)] }
    }

    fn output() -> Action {
        Action::Seen(Observation::Output(GateValue { gate: GateId::from_index(1), args: Vec::new() }))
    }

    #[test]
    fn units_are_cut_and_the_last_wait_stays() {
        let delta = || Action::Seen(Observation::Delta);
        let sent = |n| Action::Input(input(n));
        // The first silence is withdrawn by the output after it.
        let actions = [delta(), output(), sent(1), delta(), sent(2), output(), output(), sent(3), delta()];
        let all = Candidate::of(&actions);
        use Await::{Silence, Something};
        let waits = |c: &Candidate| -> Vec<Vec<Await>> { c.units.iter().map(|u| u.waits.clone()).collect() };
        assert_eq!(waits(&all), [vec![Something], vec![Silence], vec![Something, Something], vec![Silence]]);
        assert_eq!(all.silences(), [(1, 0)]);
        assert_eq!(waits(&all.without(&all.silences())), [vec![Something], vec![], vec![Something; 2], vec![Silence]]);
        let cut = all.cut(0, 2);
        assert_eq!((cut.inputs().collect::<Vec<_>>(), cut.len()), (vec![&input(3)], 1));
        let end = all.cut(1, 3);
        assert_eq!(waits(&end), [vec![Something], vec![Silence, Silence]]);
        assert_eq!(all.cut(0, 3).len(), 0);
        assert_eq!(all.with(2, 0, &Value::Int(9)).input(2), Some(&input(9)));
    }
}
