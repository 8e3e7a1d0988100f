//! Conditions on sets, maps and changed sequences: whatever a layer, or the solver behind them, says about one is what
//! trying all values says. Unknown is never wrong.

mod support;

use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::sort::Sort;
use sioco_model::term::{Each, Op};
use sioco_model::{BinderId, SortId, TermId, Value};
use sioco_solve::chain::{Chain, Switches};
use sioco_solve::logic::{defined, eliminate, not_true, total};
use sioco_solve::{Answer, BackEnd, Solver};
use support::{Rng, World, limits, seeds};

/// What random conditions are made of.
struct Data {
    w: World,
    int: SortId,
    set: SortId,
    map: SortId,
    seq: SortId,
    ints: Vec<TermId>,
    sets: Vec<TermId>,
    maps: Vec<TermId>,
    symbols: Vec<SortId>,
}

impl Data {
    fn new() -> Data {
        let mut w = World::new(0, 0, 0, true);
        let range =
            |w: &mut World, lo: i64, hi: i64| w.sorts.intern(Sort::Int { lo: Some(lo.into()), hi: Some(hi.into()) });
        let (bit, digit) = (range(&mut w, 0, 1), range(&mut w, -1, 2));
        let (bits, table) = (w.sorts.set(bit), w.sorts.map(bit, bit));
        let symbols = vec![digit, digit, bits, table];
        let names: Vec<TermId> =
            ["x", "y", "s", "m"].iter().zip(&symbols).map(|(n, sort)| w.symbol(n, *sort)).collect();
        let int = w.sorts.int;
        let (set, map, seq) = (w.sorts.set(int), w.sorts.map(int, int), w.sorts.seq(int));
        Data { w, int, set, map, seq, ints: names[..2].to_vec(), sets: vec![names[2]], maps: vec![names[3]], symbols }
    }

    fn app(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        self.w.pool.app(op, args, sort)
    }

    fn int(&mut self, rng: &mut Rng, depth: u32) -> TermId {
        if depth == 0 || rng.below(3) == 0 {
            return match rng.below(4) {
                0 => self.w.int(rng.between(-1, 2)),
                _ => self.ints[rng.below(self.ints.len() as u64) as usize],
            };
        }
        let (d, int) = (depth - 1, self.int);
        match rng.below(9) {
            0 => {
                let args = [self.int(rng, d), self.int(rng, d)];
                self.app(Op::Add, &args, int)
            }
            1 | 2 => {
                let args = [self.map(rng, d), self.int(rng, d)];
                self.app(Op::Lookup, &args, int)
            }
            3 => {
                let args = [self.seq(rng, d), self.int(rng, d)];
                self.app(Op::Index, &args, int)
            }
            4 => {
                let args = [self.set(rng, d)];
                self.app(Op::Size, &args, int)
            }
            5 => {
                let args = [self.map(rng, d)];
                self.app(Op::Size, &args, int)
            }
            6 => {
                let args = [self.int(rng, d), self.int(rng, d)];
                self.app(Op::Apart, &args, int)
            }
            7 => {
                let args = [self.condition(rng, d), self.int(rng, d), self.int(rng, d)];
                self.app(Op::Ite, &args, int)
            }
            _ => self.each(rng, d, false),
        }
    }

    fn set(&mut self, rng: &mut Rng, depth: u32) -> TermId {
        if depth == 0 || rng.below(3) == 0 {
            return self.sets[0];
        }
        let (d, set) = (depth - 1, self.set);
        let (op, args) = match rng.below(6) {
            0 => (Op::SetLit, vec![self.int(rng, d), self.int(rng, d)]),
            1 => (Op::Include, vec![self.set(rng, d), self.int(rng, d)]),
            2 => (Op::Exclude, vec![self.set(rng, d), self.int(rng, d)]),
            3 => (Op::Keys, vec![self.map(rng, d)]),
            4 => (Op::Union, vec![self.set(rng, d), self.set(rng, d)]),
            _ => (Op::Difference, vec![self.set(rng, d), self.set(rng, d)]),
        };
        self.app(op, &args, set)
    }

    fn map(&mut self, rng: &mut Rng, depth: u32) -> TermId {
        if depth == 0 || rng.below(3) == 0 {
            return self.maps[0];
        }
        let (d, map) = (depth - 1, self.map);
        let (op, args) = match rng.below(5) {
            0 => (Op::MapLit, vec![self.int(rng, d), self.int(rng, d), self.int(rng, d), self.int(rng, d)]),
            1 | 2 => (Op::Put, vec![self.map(rng, d), self.int(rng, d), self.int(rng, d)]),
            3 => (Op::Exclude, vec![self.map(rng, d), self.int(rng, d)]),
            _ => (Op::Merge, vec![self.map(rng, d), self.map(rng, d)]),
        };
        self.app(op, &args, map)
    }

    fn seq(&mut self, rng: &mut Rng, depth: u32) -> TermId {
        let (d, seq) = (depth.saturating_sub(1), self.seq);
        let (op, args) = match rng.below(if depth == 0 { 1 } else { 5 }) {
            0 => (Op::SeqLit, vec![self.int(rng, d), self.int(rng, d)]),
            1 => (Op::Replace, vec![self.seq(rng, d), self.int(rng, d), self.int(rng, d)]),
            2 => (Op::RemoveAt, vec![self.seq(rng, d), self.int(rng, d)]),
            3 => (Op::InsertAt, vec![self.seq(rng, d), self.int(rng, d), self.int(rng, d)]),
            _ => (Op::Values, vec![self.map(rng, d)]),
        };
        self.app(op, &args, seq)
    }

    /// An operation over a collection: a condition, or a number.
    fn each(&mut self, rng: &mut Rng, depth: u32, truth: bool) -> TermId {
        let over = match rng.below(3) {
            0 => self.set(rng, depth),
            1 => self.map(rng, depth),
            _ => self.seq(rng, depth),
        };
        let int = self.int;
        let x: BinderId = self.w.pool.binders.push(int);
        let name = self.w.pool.bound(&self.w.sorts, x);
        self.ints.push(name);
        let each = match (truth, rng.below(4)) {
            (true, n) => [Each::Any, Each::All][n as usize % 2],
            (_, 0) => Each::Count,
            (_, 1) => Each::Sum,
            (_, 2) => Each::Least,
            _ => Each::Greatest,
        };
        let body = match each {
            Each::Any | Each::All | Each::Count => self.condition(rng, depth),
            _ => self.int(rng, depth),
        };
        self.ints.pop();
        let sort = if truth { self.w.sorts.bool } else { int };
        self.w.pool.each(&self.w.sorts, each, &[x], &[over, body], sort)
    }

    fn condition(&mut self, rng: &mut Rng, depth: u32) -> TermId {
        let (d, bool) = (depth.saturating_sub(1), self.w.sorts.bool);
        if depth > 0 {
            match rng.below(9) {
                0 => {
                    let part = self.condition(rng, d);
                    return self.w.pool.not(&self.w.sorts, part);
                }
                1 | 2 => {
                    let parts = [self.condition(rng, d), self.condition(rng, d)];
                    return match rng.below(2) {
                        0 => self.w.pool.and(&self.w.sorts, &parts),
                        _ => self.w.pool.or(&self.w.sorts, &parts),
                    };
                }
                3 => {
                    let args = [self.set(rng, d), self.int(rng, d)];
                    return self.app(Op::Has, &args, bool);
                }
                4 => {
                    let args = [self.map(rng, d), self.int(rng, d)];
                    return self.app(Op::Has, &args, bool);
                }
                5 => {
                    let args = [self.map(rng, d), self.map(rng, d)];
                    return self.app(Op::Eq, &args, bool);
                }
                6 => return self.each(rng, d, true),
                _ => {}
            }
        }
        let args = [self.int(rng, d), self.int(rng, d)];
        let op = [Op::Lt, Op::Le, Op::Eq][rng.below(3) as usize];
        self.app(op, &args, bool)
    }

    fn valuations(&self) -> Vec<Vec<Value>> {
        let mut all = vec![Vec::new()];
        for sort in &self.symbols {
            let count = self.w.sorts.cardinality(*sort).expect("a small sort");
            let values: Vec<Value> =
                (0..count).map(|i| self.w.sorts.nth_value(*sort, i).expect("below the cardinality")).collect();
            all = all.iter().flat_map(|v| values.iter().map(|x| [&v[..], std::slice::from_ref(x)].concat())).collect();
        }
        all
    }

    fn eval(&self, term: TermId, symbols: &[Value]) -> Result<Value, EvalError> {
        eval(&self.w.pool, &self.w.sorts, term, Env { symbols, ..Env::default() })
    }
}

/// Where conditions are defined is said by conditions that always are.
#[test]
fn definedness_is_what_the_evaluator_says() {
    let (mut yes, mut no) = (0, 0);
    for seed in seeds(0, 300) {
        let mut rng = Rng(seed);
        let mut data = Data::new();
        let c = data.condition(&mut rng, 3);
        let (pool, sorts) = (&mut data.w.pool, &data.w.sorts);
        let conditions = [defined(pool, sorts, c), total(pool, sorts, c), not_true(pool, sorts, c)];
        for (n, values) in data.valuations().iter().enumerate().filter(|(n, _)| n % 5 == seed as usize % 5) {
            let found = data.eval(c, values);
            let truth = found == Ok(Value::Bool(true));
            for (i, (condition, expected)) in conditions.iter().zip([found.is_ok(), truth, !truth]).enumerate() {
                let said = data.eval(*condition, values);
                assert_eq!(said, Ok(Value::Bool(expected)), "seed {seed}, condition {i}, valuation {n}: {values:?}");
            }
            *(if found.is_ok() { &mut yes } else { &mut no }) += 1;
        }
    }
    assert!(yes > 5_000 && no > 2_000, "{yes} defined, {no} undefined");
}

/// Quantifiers are eliminated so that the condition stays what it was.
#[test]
fn eliminated_quantifiers_change_nothing() {
    for seed in seeds(0, 200) {
        let mut rng = Rng(seed);
        let mut data = Data::new();
        let digit = data.symbols[0];
        let binder = data.w.pool.binders.push(digit);
        let name = data.w.pool.bound(&data.w.sorts, binder);
        data.ints.extend([name, name]);
        let body = data.condition(&mut rng, 2);
        let body = total(&mut data.w.pool, &data.w.sorts, body);
        let bool = data.w.sorts.bool;
        let term = data.app(Op::Exists { first: binder, count: 1 }, &[body], bool);
        let plain = eliminate(&mut data.w.pool, &data.w.sorts, term, 1_000);
        for values in data.valuations().iter().step_by(7) {
            assert_eq!(data.eval(plain, values), data.eval(term, values), "seed {seed}, {values:?}");
        }
    }
}

#[test]
fn the_layers_are_never_wrong() {
    let none =
        Switches { simplification: false, witness: false, builtin: false, few: false, groups: false, cache: false };
    let all = Switches::default();
    let mut answered = Vec::new();
    for (name, switches) in [
        ("all layers", Some(all)),
        ("built-in solver", Some(Switches { builtin: true, ..none })),
        ("few values", Some(Switches { few: true, ..none })),
        ("without few values", Some(Switches { few: false, ..all })),
        ("with a back-end", None),
    ] {
        // Terms are new in every world, and so is the solver.
        let chain = || switches.map_or_else(|| BackEnd::Auto.chain(), |switches| Chain::with(None, switches));
        let total: usize = seeds(0, 60).map(|seed| one(&mut chain(), name, seed)).sum();
        answered.push((name, total));
    }
    println!("answered: {answered:?}");
    assert!(answered[0].1 > 60, "{answered:?}");
}

/// Three conditions, one after the other: how many of the answers were known.
fn one(solver: &mut dyn Solver, name: &str, seed: u64) -> usize {
    let mut rng = Rng(seed);
    let mut data = Data::new();
    let all = data.valuations();
    let mut possible = vec![true; all.len()];
    let mut answered = 0;
    for step in 0..3 {
        let c = data.condition(&mut rng, 3);
        solver.assert(data.w.terms(), c);
        for (values, left) in all.iter().zip(&mut possible) {
            *left &= data.eval(c, values) == Ok(Value::Bool(true));
        }
        let any = possible.contains(&true);
        match solver.check(data.w.terms(), &limits(), true) {
            Answer::Sat(Some(witness)) => {
                let at = all.iter().position(|v| *v == witness);
                assert!(at.is_some_and(|at| possible[at]), "{name}, seed {seed}, step {step}: {witness:?}");
                answered += 1;
            }
            Answer::Sat(None) => assert!(any, "{name}, seed {seed}, step {step}"),
            Answer::Unsat(_) => {
                assert!(!any, "{name}, seed {seed}, step {step}: it can be true");
                answered += 1;
            }
            Answer::Unknown(_) => {}
        }
    }
    answered
}
