//! Where few values are left, everything is decided without a back-end: conditions on sequences, variants, records,
//! enumerations, texts and small numbers, with quantifiers and their negations, against brute force. A failure prints
//! the seed.

mod support;

use sioco_model::eval::Env;
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{TermId, Value};
use sioco_solve::chain::Chain;
use sioco_solve::{Answer, Finite, Limits, Solver};
use support::rich::Rich;
use support::{Rng, World, seeds};

/// A world with few symbols, a chain on which conditions are asserted, and which assignments satisfy them.
struct Walk {
    rich: Rich,
    rng: Rng,
    leaves: Vec<(TermId, sioco_model::SortId)>,
    bounds: Vec<TermId>,
    all: Vec<Vec<Value>>,
}

/// At most so many assignments are tried.
const MOST: usize = 600;

fn world(seed: u64) -> Option<Walk> {
    let mut rng = Rng(seed);
    let mut rich = Rich::new();
    let (mut leaves, mut bounds) = (Vec::new(), Vec::new());
    for _ in 0..1 + rng.below(3) {
        let (leaf, bound) = rich.symbol(&mut rng);
        leaves.push(leaf);
        bounds.extend(bound);
    }
    let size: usize = rich.symbols.values().map(|s| rich.values(s.sort).len()).product();
    (size <= MOST).then(|| Walk { all: rich.all(), rich, rng, leaves, bounds })
}

impl Walk {
    fn holds(&self, condition: TermId) -> Vec<bool> {
        let truth = |a: &Vec<Value>| self.rich.truth(condition, Env { symbols: a, ..Env::default() }) == Some(true);
        self.all.iter().map(truth).collect()
    }
}

#[test]
fn everything_small_is_decided() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in seeds(0, 150) {
        let Some(mut walk) = world(seed) else { continue };
        let mut chain = Chain::new(None);
        let mut conditions = walk.bounds.clone();
        let mut left = vec![true; walk.all.len()];
        walk.bounds.iter().for_each(|c| chain.assert(walk.rich.terms(), *c));
        for step in 0..4 {
            let condition = walk.rich.condition(&mut walk.rng, &walk.leaves, 2);
            let truth = walk.holds(condition);
            left.iter_mut().zip(truth).for_each(|(l, t)| *l &= t);
            conditions.push(condition);
            chain.assert(walk.rich.terms(), condition);
            let terms = walk.rich.terms();
            let afresh = chain.check_afresh(terms, &Limits::default(), true);
            let answer = chain.check(terms, &Limits::default(), true);
            for answer in [afresh, answer] {
                let shown: Vec<String> = conditions.iter().map(|c| walk.rich.show(*c)).collect();
                let context = || format!("seed {seed}, step {step}: {answer:?}, {}", shown.join(" and "));
                match &answer {
                    Answer::Sat(witness) => {
                        let witness = witness.as_ref().expect("it was asked for");
                        let at = walk.all.iter().position(|a| a == witness);
                        assert!(at.is_some_and(|at| left[at]), "{}", context());
                        sat += 1;
                    }
                    Answer::Unsat(core) => {
                        assert!(!left.contains(&true), "{}", context());
                        let core = core.as_ref().expect("it is told");
                        assert!(core.iter().all(|c| conditions.contains(c)), "{}", context());
                        unsat += 1;
                    }
                    Answer::Unknown(_) => {
                        panic!("{}: {} values fulfil it", context(), left.iter().filter(|l| **l).count())
                    }
                }
            }
            if !left.contains(&true) {
                break;
            }
        }
    }
    assert!(sat > 100 && unsat > 40, "{sat} sat, {unsat} unsat");
}

/// All values that terms can have together, as brute force finds them.
#[test]
fn valuations_are_all_there_are() {
    let mut several = 0;
    for seed in seeds(0, 100) {
        let Some(mut walk) = world(seed) else { continue };
        let mut chain = Chain::new(None);
        let mut conditions = walk.bounds.clone();
        conditions.push(walk.rich.condition(&mut walk.rng, &walk.leaves, 2));
        let mut left = vec![true; walk.all.len()];
        for c in &conditions {
            left.iter_mut().zip(walk.holds(*c)).for_each(|(l, t)| *l &= t);
            chain.assert(walk.rich.terms(), *c);
        }
        // Some of the symbols, and a term that is always defined.
        let last = walk.leaves.last().expect("at least one").0;
        let same = walk.rich.pool.eq(&walk.rich.sorts, walk.leaves[0].0, walk.leaves[0].0);
        let of = [last, same, walk.leaves[0].0];
        // What was asked before makes no difference: fewer conditions, less work, and the same again.
        let mut finite = Finite::default();
        finite.valuations(walk.rich.terms(), &conditions[..conditions.len() / 2], &of, MOST, 50_000);
        finite.valuations(walk.rich.terms(), &conditions, &of, MOST, 1);
        let found = finite.valuations(walk.rich.terms(), &conditions, &of, MOST, 50_000);
        assert_eq!(finite.valuations(walk.rich.terms(), &conditions, &of, MOST, 50_000), found, "seed {seed}");
        let value = |a: &Vec<Value>, t: TermId| {
            let env = Env { symbols: a, ..Env::default() };
            sioco_model::eval::eval(&walk.rich.pool, &walk.rich.sorts, t, env).expect("they are defined")
        };
        let fulfil = walk.all.iter().zip(&left).filter(|(_, l)| **l);
        let mut expected: Vec<Vec<Value>> = fulfil.map(|(a, _)| of.iter().map(|t| value(a, *t)).collect()).collect();
        expected.sort();
        expected.dedup();
        several += usize::from(expected.len() > 1);
        let shown: Vec<String> = conditions.iter().map(|c| walk.rich.show(*c)).collect();
        // What clashes may have nothing to do with the terms.
        if expected.is_empty() {
            assert!(
                matches!(chain.check(walk.rich.terms(), &Limits::default(), false), Answer::Unsat(_)),
                "seed {seed}"
            );
            continue;
        }
        assert_eq!(found.as_deref(), Some(&expected), "seed {seed}: {}", shown.join(" and "));
    }
    assert!(several > 20, "{several}");
}

/// A path of many steps, each of which changes a value by a choice: what it can be in the end takes work that grows with
/// the steps, not with the ways.
#[test]
fn long_paths_are_no_longer_to_decide() {
    let mut rich = Rich::new();
    let small = rich.sorts.intern(sioco_model::sort::Sort::Int { lo: Some(0.into()), hi: Some(3.into()) });
    let int = rich.sorts.int;
    let symbol = |rich: &mut Rich, name: String| {
        let y = rich.symbols.push(sioco_solve::Symbol { name, sort: small });
        rich.pool.symbol(y, int)
    };
    let four = rich.pool.constant(Value::Int(4), int);
    let mut chain = Chain::new(None);
    let mut conditions = Vec::new();
    let mut x = symbol(&mut rich, "x0".into());
    for step in 1..60 {
        let (next, k) = (symbol(&mut rich, format!("x{step}")), symbol(&mut rich, format!("k{step}")));
        let twice = rich.pool.app(Op::Mul, &[k, k, x], int);
        let sum = rich.pool.app(Op::Add, &[x, twice], int);
        let rest = rich.pool.app(Op::Mod, &[sum, four], int);
        let is = rich.pool.eq(&rich.sorts, next, rest);
        // It never becomes zero.
        let zero = rich.pool.constant(Value::Int(0), int);
        let never = rich.pool.eq(&rich.sorts, next, zero);
        let never = rich.pool.not(&rich.sorts, never);
        conditions.extend([is, never]);
        x = next;
    }
    conditions.iter().for_each(|c| chain.assert(rich.terms(), *c));
    let found = Finite::default().valuations(rich.terms(), &conditions, &[x], 8, 20_000).expect("few values");
    assert_eq!(*found, [1, 2, 3].map(|n| vec![Value::Int(n)]));
    let two = rich.pool.constant(Value::Int(2), int);
    for (value, possible) in [(two, true), (four, false)] {
        let last = rich.pool.eq(&rich.sorts, x, value);
        chain.push();
        chain.assert(rich.terms(), last);
        let answer = chain.check_afresh(rich.terms(), &Limits::default(), false);
        assert_eq!(matches!(answer, Answer::Sat(_)), possible, "{answer:?}");
        assert_eq!(matches!(answer, Answer::Unsat(_)), !possible, "{answer:?}");
        chain.pop();
    }
}

/// Symbols without bounds that conditions only compare, with each other and with small numbers, perhaps one or two away,
/// are decided by the values that stand for all others.
#[test]
fn what_is_only_compared_is_decided() {
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for seed in seeds(0, 80) {
        let mut rng = Rng(seed);
        let mut world = World::new(0, 0, 0, false);
        let int = world.sorts.int;
        let mut sides: Vec<TermId> = (0..1 + rng.below(3)).map(|n| world.symbol(&format!("x{n}"), int)).collect();
        let count = sides.len();
        let few = world.sorts.intern(Sort::Int { lo: Some(0.into()), hi: Some(2.into()) });
        sides.push(world.symbol("few", few));
        let small = *sides.last().expect("just added");
        sides.extend([world.int(0), world.int(2), world.arith(Op::Mul, &[small, small])]);
        let two = world.int(2);
        let plain = sides.len();
        for i in 0..count {
            let other = if rng.below(2) == 0 { small } else { two };
            let op = if rng.below(2) == 0 { Op::Add } else { Op::Sub };
            if rng.below(3) == 0 {
                let shifted = world.arith(op, &[sides[i], other]);
                sides.push(shifted);
            }
        }
        let shifted = sides.len() > plain;
        let mut atoms = Vec::new();
        for _ in 0..8 {
            let (a, b) = (sides[rng.below(sides.len() as u64) as usize], sides[rng.below(sides.len() as u64) as usize]);
            let op = [Op::Eq, Op::Lt, Op::Le][rng.below(3) as usize];
            let atom = world.test(op, &[a, b]);
            if rng.below(4) == 0 {
                let chosen = world.arith(Op::Ite, &[atom, a, b]);
                sides.push(chosen);
            }
            atoms.push(atom);
        }
        let mut chain = Chain::new(None);
        let mut conditions = Vec::new();
        let number = |n: i64| Value::Int(n);
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        for i in 0..=count {
            // Three of them, each at most two away from the next or from a number.
            let window = if i < count { -8..=12 } else { 0..=2 };
            let with = |a: &Vec<Value>| window.clone().map(|n| [&a[..], &[number(n)]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(with).collect();
        }
        for step in 0..8 {
            let mut some = [0; 2].map(|_| atoms[rng.below(atoms.len() as u64) as usize]);
            for atom in &mut some {
                if rng.below(2) == 0 {
                    *atom = world.test(Op::Not, &[*atom]);
                }
            }
            let condition = world.test(Op::Or, &some);
            conditions.push(condition);
            let truth = world.truth(&all, condition);
            let mut truth = truth.into_iter();
            all.retain(|_| truth.next().expect("one for each"));
            chain.assert(world.terms(), condition);
            for answer in [
                chain.check_afresh(world.terms(), &Limits::default(), true),
                chain.check(world.terms(), &Limits::default(), true),
            ] {
                let context = format!("seed {seed}, step {step}: {answer:?}, {} left", all.len());
                match &answer {
                    Answer::Sat(Some(witness)) => {
                        let one = [witness.clone()];
                        assert!(conditions.iter().all(|c| world.truth(&one, *c) == [true]), "{context}");
                        sat += 1;
                    }
                    Answer::Unsat(_) => {
                        assert!(all.is_empty(), "{context}");
                        unsat += 1;
                    }
                    // Symbols that may be some way apart have many combinations.
                    Answer::Unknown(_) if shifted => open += 1,
                    _ => panic!("{context}"),
                }
            }
            if all.is_empty() {
                break;
            }
        }
    }
    assert!(sat > 200 && unsat > 20 && open * 10 < sat, "{sat} sat, {unsat} unsat, {open} open");
}
