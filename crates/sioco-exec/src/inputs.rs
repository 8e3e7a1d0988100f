//! Values for the inputs of a walk (T-B6). Most guards are easy: values are drawn, and only if none fits a solver is
//! asked. Which values are drawn matters: faults hide where values are equal, at the ends of ranges, and next to the
//! numbers that the model speaks of.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::model::{Label, Model};
use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sample::{self, Draw, Plain};
use sioco_model::semantics::choice::Unknown;
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::state::State;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, Term};
use sioco_model::{GateId, Id, SortId, SwitchId, TermId, Value};
use sioco_plan::Leg;
use sioco_plan::walker::Walker;
use sioco_solve::values::{Choice, Random};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::pattern::Patterns;

/// Values are drawn this often before a solver is asked. If one in five fits, a draw finds it nearly always (93 %).
/// Measured: half and twice as many reach the same purposes of the examples; only the values of the prepaid card become
/// others.
const DRAWS: usize = 12;
/// This many values that were used are remembered for each sort, to be used again: equality of values matters in many
/// models, and the most recent ones are the most likely to.
const USED: usize = 16;

/// Where values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taste {
    /// Any value, all with the same chance as far as there are finitely many.
    Plain,
    /// Also values that were used before, ends of ranges, and numbers of the model and their neighbours.
    Keen,
}

/// The parameters of a gate whose values are to be equal, by position.
type Pattern = (GateId, (usize, usize));

/// The parameters of a switch that have no term, by position, with their sorts.
type Unknowns = Arc<[(usize, SortId)]>;

/// See the [module](self).
pub struct Inputs {
    /// The constants of the model, by base sort.
    constants: FxHashMap<SortId, Vec<Value>>,
    /// Values that were sent or seen, by base sort: the last ones.
    used: FxHashMap<SortId, Vec<Value>>,
    unknowns: Vec<Option<Unknowns>>,
    /// Which values are to be equal.
    pub patterns: Patterns,
}

impl Inputs {
    /// For a model.
    pub fn new(model: &Model) -> Inputs {
        let mut constants: FxHashMap<SortId, Vec<Value>> = FxHashMap::default();
        for (id, s) in model.switches.iter() {
            let guard = model.written_guard(id);
            let roots = s.params.iter().filter_map(|p| p.term).chain(s.update.iter().map(|(_, t)| *t)).chain([guard]);
            let mut open: Vec<TermId> = roots.collect();
            let mut seen: rustc_hash::FxHashSet<TermId> = rustc_hash::FxHashSet::default();
            while let Some(t) = open.pop() {
                if !seen.insert(t) {
                    continue;
                }
                match model.terms.get(t) {
                    Term::Const(value, _) if !matches!(value, Value::Bool(_)) => {
                        let list = constants.entry(model.sorts.base(model.terms.sort(t))).or_default();
                        if !list.contains(value) && list.len() < 64 {
                            list.push(value.clone());
                        }
                    }
                    Term::App(Op::Exists { .. }, args) => open.extend(args.iter().copied()),
                    Term::App(_, args) => open.extend(args.iter().copied()),
                    _ => {}
                }
            }
        }
        // The order must not depend on ids of terms.
        for list in constants.values_mut() {
            list.sort();
        }
        Inputs {
            constants,
            used: FxHashMap::default(),
            unknowns: vec![None; model.switches.len()],
            patterns: Patterns::new(model),
        }
    }

    /// Remembers values that were sent or seen.
    pub fn remember(&mut self, model: &Model, gate: sioco_model::GateId, args: &[Value]) {
        for (p, v) in model.gates[gate].params.iter().zip(args) {
            if matches!(v, Value::Bool(_)) {
                continue;
            }
            let list = self.used.entry(model.sorts.base(p.sort)).or_default();
            match list.iter().position(|u| u == v) {
                Some(at) => list[at..].rotate_left(1),
                None => {
                    if list.len() >= USED {
                        list.remove(0);
                    }
                    list.push(v.clone());
                }
            }
        }
    }

    fn unknowns(&mut self, interpreter: &Interpreter<'_>, switch: SwitchId) -> Unknowns {
        if let Some(known) = &self.unknowns[switch.index()] {
            return known.clone();
        }
        let of = |(u, sort): (Unknown, SortId)| match u {
            Unknown::Param(i) => Some((i as usize, sort)),
            Unknown::Bound(_) | Unknown::Symbol(_) => None,
        };
        let found: Unknowns = interpreter.unknowns(switch).into_iter().filter_map(of).collect();
        self.unknowns[switch.index()] = Some(found.clone());
        found
    }

    /// Values for which an input switch is enabled in a state. Nothing if there are none, as far as could be found out.
    /// Random ones are drawn, and any others are found by a solver.
    pub fn draw(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        walker: &mut Walker<'_>,
        (state, switch): (&State, SwitchId),
        (choice, taste): (Choice, Taste),
        random: &mut Random,
    ) -> Option<Vec<Value>> {
        let model = interpreter.model();
        let unknowns = self.unknowns(interpreter, switch);
        let count = model.switches[switch].params.len();
        let drawn = matches!(choice, Choice::Random(_)) || count == 0;
        if drawn && unknowns.len() == count {
            let draws = if count == 0 { 1 } else { DRAWS };
            let mut args: Vec<Value> = Vec::with_capacity(count);
            let pattern = match (taste, model.switches[switch].label) {
                (Taste::Keen, Label::Gate(gate)) => self.patterns.pair(gate, 0).map(|pair| (gate, pair)),
                _ => None,
            };
            for draw in 0..draws {
                args.clear();
                for (_, sort) in unknowns.iter() {
                    let value = self.value(model, *sort, taste, Around { with: &args, state: Some(state) }, random);
                    args.push(value);
                }
                if let Some(pattern) = pattern.filter(|_| draw < draws / 2) {
                    self.shape(model, pattern, &unknowns, &mut args, random);
                }
                if let Ok(true) = interpreter.enabled(state, switch, &args) {
                    return Some(args);
                }
            }
            if count == 0 {
                return None;
            }
        }
        walker.start_at(state);
        if walker.take(&Leg::from(Step::Switch(switch))) == Possible::No {
            return None;
        }
        let (turn, choice) = (choice.turn(random), choice.anew(random));
        let solved = walker.path.solve_in_turn(choice, turn).ok()?;
        let values = solved.steps.into_iter().next().map(|(_, values)| values);
        values.filter(|values| interpreter.enabled(state, switch, values) != Ok(false))
    }

    /// Makes a pair of values equal and all others different, as far as a few draws can. Each stays a value of its own
    /// parameter: ranges may differ.
    fn shape(
        &self,
        model: &Model,
        (gate, pair): Pattern,
        unknowns: &[(usize, SortId)],
        args: &mut [Value],
        random: &mut Random,
    ) {
        let sorts = &model.sorts;
        let (first, second) = (unknowns[pair.0].1, unknowns[pair.1].1);
        let fits = |v: &Value| sorts.contains(first, v) && sorts.contains(second, v);
        let own = [pair.0, pair.1].into_iter().map(|i| args[i].clone()).find(fits);
        let drawn = || {
            let of = |random: &mut Random| [first, second][random.below(2) as usize];
            let plain = |random: &mut Random| self.value(model, of(random), Taste::Plain, Around::default(), random);
            common(sorts, first, second, random).or_else(|| (0..DRAWS).map(|_| plain(random)).find(fits))
        };
        let Some(same) = own.or_else(drawn) else { return };
        args[pair.0] = same.clone();
        args[pair.1] = same;
        for _ in 0..DRAWS {
            let pairs = self.patterns.pairs(gate).iter();
            let Some(&(i, j)) = pairs.filter(|p| **p != pair).find(|(i, j)| args[*i] == args[*j]) else { return };
            let other = if j == pair.1 || j == pair.0 { i } else { j };
            args[other] = self.value(model, unknowns[other].1, Taste::Plain, Around::default(), random);
        }
    }

    /// A value of a sort.
    fn value(&self, model: &Model, sort: SortId, taste: Taste, around: Around<'_>, random: &mut Random) -> Value {
        match taste {
            Taste::Plain => sample::value(&model.sorts, sort, &mut Plain(random)),
            Taste::Keen => {
                sample::value(&model.sorts, sort, &mut Keen { inputs: self, model, around, plain: Plain(random) })
            }
        }
    }

    /// The value of a variable of a sort.
    fn remembered(&self, model: &Model, base: SortId, state: Option<&State>, random: &mut Random) -> Option<Value> {
        let state = state?;
        let fits = |v: &&sioco_model::VarId| model.sorts.base(model.variables[**v].sort) == base;
        let ids: Vec<sioco_model::VarId> = model.variables.ids().collect();
        let vars: Vec<&sioco_model::VarId> = ids.iter().filter(fits).collect();
        let var = vars.get(random.below(vars.len() as u64) as usize)?;
        Some(state.value(**var).clone())
    }

    /// An end of a range, or the value next to it.
    fn end(&self, model: &Model, sort: SortId, random: &mut Random) -> Option<Value> {
        let (lo, hi) = match model.sorts.get(sort) {
            Sort::Int { lo, hi } => (lo.clone().map(number::int), hi.clone().map(number::int)),
            Sort::Real { lo, hi } => (lo.clone().map(Value::real), hi.clone().map(Value::real)),
            _ => return None,
        };
        match random.below(4) {
            0 => lo,
            1 => hi,
            2 => lo.map(|v| moved(&v, 1)),
            _ => hi.map(|v| moved(&v, -1)),
        }
    }
}

/// What a value is drawn for.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    /// The values of the same input before it.
    with: &'a [Value],
    /// The state in which it is sent.
    state: Option<&'a State>,
}

/// Draws values where faults hide: see the [module](self).
struct Keen<'k> {
    inputs: &'k Inputs,
    model: &'k Model,
    around: Around<'k>,
    plain: Plain<'k>,
}

impl Draw for Keen<'_> {
    fn source(&mut self) -> &mut Random {
        self.plain.source()
    }

    fn whole(&mut self, lo: Option<&BigInt>, hi: Option<&BigInt>) -> BigInt {
        self.plain.whole(lo, hi)
    }

    fn real(&mut self, lo: Option<&Rational>, hi: Option<&Rational>) -> Rational {
        self.plain.real(lo, hi)
    }

    fn text(&mut self, least: u64, most: Option<u64>) -> String {
        self.plain.text(least, most)
    }

    fn length(&mut self) -> u64 {
        self.plain.length()
    }

    fn innermost(&mut self, sorts: &Sorts, sort: SortId) -> Value {
        self.plain.innermost(sorts, sort)
    }

    fn instead(&mut self, sorts: &Sorts, sort: SortId, depth: u32) -> Option<Value> {
        let Keen { inputs, model, around, plain: Plain(random) } = self;
        // Values in values have nothing around them.
        let Around { with, state } = if depth == 0 { *around } else { Around::default() };
        let base = sorts.base(sort);
        let found = match random.below(12) {
            // Equal to another one of the same input.
            0 | 1 if !with.is_empty() => Some(with[random.below(with.len() as u64) as usize].clone()),
            0..=2 => pick(inputs.used.get(&base), random),
            3 => pick(inputs.constants.get(&base), random).map(|v| beside(&v, random)),
            4 => inputs.end(model, sort, random),
            // What the model remembers, and what is missing from there to a number that it speaks of.
            5 => inputs.remembered(model, base, state, random).map(|v| beside(&v, random)),
            6 => {
                let number = pick(inputs.constants.get(&base), random);
                let from = inputs.remembered(model, base, state, random);
                let missing = number.zip(from).and_then(|(number, from)| number::sub(&number, &from));
                missing.map(|v| beside(&v, random))
            }
            _ => None,
        };
        found.filter(|v| sorts.contains(sort, v))
    }
}

fn pick(list: Option<&Vec<Value>>, random: &mut Random) -> Option<Value> {
    let list = list.filter(|l| !l.is_empty())?;
    Some(list[random.below(list.len() as u64) as usize].clone())
}

/// The value, or one next to it.
fn beside(value: &Value, random: &mut Random) -> Value {
    moved(value, random.between(-1, 1))
}

/// A number that is greater by so much; any other value as it is.
fn moved(value: &Value, by: i64) -> Value {
    match value {
        Value::Real(r) => Value::real(r.as_ref() + Rational::from(BigInt::from(by))),
        _ => number::add(value, &Value::Int(by)).unwrap_or_else(|| value.clone()),
    }
}

/// A number that two parameters can both have, at random; nothing where they are no numbers, or have none in common.
fn common(sorts: &Sorts, a: SortId, b: SortId, random: &mut Random) -> Option<Value> {
    let value = match (sorts.get(a), sorts.get(b)) {
        (Sort::Int { lo: a, hi: b }, Sort::Int { lo: c, hi: d }) => {
            let (lo, hi) = (a.max(c).as_ref(), b.iter().chain(d).min());
            number::int(Plain(random).whole(lo, hi))
        }
        (Sort::Real { lo: a, hi: b }, Sort::Real { lo: c, hi: d }) => {
            let (lo, hi) = (a.max(c).as_ref(), b.iter().chain(d).min());
            Value::real(Plain(random).real(lo, hi))
        }
        _ => return None,
    };
    (sorts.contains(a, &value) && sorts.contains(b, &value)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values are made equal only within the ranges of both parameters: what is drawn needs nobody to look at it again.
    #[test]
    fn equal_values_fit_both_parameters() {
        let large = "1267650600228229401496703205376";
        for (sorts, may) in [
            ("d: Int in 1..31, m: Int in 1..12", true),
            ("d: Int in 1..31, m: Int in 32..40", false),
            ("d: Int in ..5, m: Int in 3..", true),
            ("d: Int, m: Int in 7..7, n: Int in 1..9", true),
            (&format!("d: Int in {large}.., m: Int in 0..{large}"), true),
            ("d: Real in ..1.5, m: Real in 1.0..9.0", true),
            ("d: Seq<Int in 1..3>, m: Seq<Int in 3..9>", true),
            ("d: P, m: P", true),
        ] {
            let params: Vec<&str> = sorts.split(", ").filter_map(|p| p.split(':').next()).collect();
            let text = format!(
                "type P = {{ a: Int in 1..9, s: Seq<Int in 2..4> }}\ninput i({sorts})\nprocess Q {{ init l {{ t: ?i({}) -> l }} }}",
                params.join(", ")
            );
            let model = sioco_lang::check_text("m.sts", &text).model.expect("a model").model;
            let (gate, _) = model.gates.iter().next().expect("a gate");
            let inputs = Inputs::new(&model);
            assert_eq!(inputs.patterns.pairs(gate).contains(&(0, 1)), may, "{sorts}");
            let unknowns: Vec<(usize, SortId)> = model.gates[gate].params.iter().map(|p| p.sort).enumerate().collect();
            let mut random = Random::new(1);
            let mut equal = 0;
            for _ in 0..200 {
                let mut args: Vec<Value> = (unknowns.iter())
                    .map(|(_, sort)| inputs.value(&model, *sort, Taste::Keen, Around::default(), &mut random))
                    .collect();
                assert_eq!(model.misfit(gate, &args), None);
                if !may {
                    continue;
                }
                inputs.shape(&model, (gate, (0, 1)), &unknowns, &mut args, &mut random);
                assert_eq!(model.misfit(gate, &args), None, "{sorts}");
                equal += u32::from(args[0] == args[1]);
            }
            assert!(!may || equal > 150, "{sorts}: {equal} of 200 are equal");
        }
    }
}
