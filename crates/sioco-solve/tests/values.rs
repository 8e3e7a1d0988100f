//! Choosing values: least, greatest, middle, random, and on borders.

mod support;

use std::collections::HashSet;

use sioco_model::sort::{Constructor, DataType, Field};
use sioco_model::term::Op;
use sioco_model::{SymbolId, TermId, Value};
use sioco_solve::builtin::Builtin;
use sioco_solve::chain::Chain;
use sioco_solve::values::{Choice, Chosen, NoValues, Random, Request, boundaries, choose};
use sioco_solve::{Limits, Solver};
use support::{HI, LO, Rng, World, both, limits, seeds, symbol_id};

fn pick(world: &mut World, solver: &mut Chain, symbols: &[SymbolId], choice: Choice) -> Result<Chosen, NoValues> {
    let request = Request { symbols, choice, used: &[], guard: None, limits: &limits() };
    choose(solver, &mut world.pool, &world.sorts, &world.symbols, request)
}

fn ints(chosen: &Chosen) -> Vec<i64> {
    let int = |v: &Value| if let Value::Int(n) = v { *n } else { panic!("{v} is no integer") };
    chosen.values.iter().map(int).collect()
}

/// `1 <= x <= 1000 && x mod 7 == 3`
fn every_seventh(world: &mut World, x: TermId) -> Vec<TermId> {
    let range = world.between(x, 1, 1000);
    let (seven, three) = (world.int(7), world.int(3));
    let rest = world.arith(Op::Mod, &[x, seven]);
    let rest = world.test(Op::Eq, &[rest, three]);
    vec![range, rest]
}

#[test]
fn least_greatest_and_middle_are_found_in_order() {
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    let mut conditions = every_seventh(&mut world, x);
    // x + y == 500, so the second follows from the first.
    let (sum, total) = (world.arith(Op::Add, &[x, y]), world.int(500));
    conditions.push(world.test(Op::Eq, &[sum, total]));
    let mut chain = Chain::new(None);
    conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
    let both = [symbol_id(0), symbol_id(1)];
    for (choice, symbols, expected) in [
        (Choice::Min, [both[0], both[1]], vec![3, 497]),
        (Choice::Max, [both[0], both[1]], vec![997, -497]),
        (Choice::Middle, [both[0], both[1]], vec![500, 0]),
        (Choice::Min, [both[1], both[0]], vec![-497, 997]),
        (Choice::Max, [both[1], both[0]], vec![497, 3]),
    ] {
        let chosen = pick(&mut world, &mut chain, &symbols, choice).unwrap();
        assert_eq!(ints(&chosen), expected, "{choice:?}");
        assert!(world.terms().satisfies(&chosen.witness, &conditions));
        assert!(chosen.unbounded.is_empty() && !chosen.uncertain);
    }
}

#[test]
fn least_and_greatest_agree_with_brute_force() {
    for seed in seeds(0, 12) {
        let mut rng = Rng(seed);
        let mut world = World::new(2, 1, 1, false);
        let all = world.all();
        let mut chain = Chain::new(None);
        let mut left = vec![true; all.len()];
        for x in world.ints.clone() {
            let c = world.between(x, LO, HI);
            chain.assert(world.terms(), c);
        }
        for _ in 0..2 {
            let c = world.bool_term(&mut rng, 2, seed.is_multiple_of(2));
            chain.assert(world.terms(), c);
            left = both(&left, &world.truth(&all, c));
        }
        let symbols: Vec<SymbolId> = (0..4).map(symbol_id).collect();
        let solutions = all.iter().zip(&left).filter(|(_, l)| **l).map(|(a, _)| a);
        for (choice, expected) in [(Choice::Min, solutions.clone().min()), (Choice::Max, solutions.clone().max())] {
            match (pick(&mut world, &mut chain, &symbols, choice), expected) {
                (Ok(chosen), Some(expected)) => {
                    assert!(chosen.uncertain || chosen.values == *expected, "seed {seed}, {choice:?}: {chosen:?}");
                }
                (Err(NoValues::Impossible), None) | (Err(NoValues::Unknown(_)), _) => {}
                (got, expected) => panic!("seed {seed}, {choice:?}: {got:?}, not {expected:?}"),
            }
        }
    }
}

#[test]
fn without_a_bound_the_value_nearest_to_zero_is_taken() {
    let mut world = World::new(1, 0, 0, false);
    let (x, five) = (world.ints[0], world.int(5));
    let above = world.test(Op::Lt, &[five, x]);
    let mut chain = Chain::new(None);
    chain.assert(world.terms(), above);
    for (choice, unbounded) in [(Choice::Min, false), (Choice::Max, true), (Choice::Middle, true)] {
        let chosen = pick(&mut world, &mut chain, &[symbol_id(0)], choice).unwrap();
        assert_eq!((ints(&chosen), !chosen.unbounded.is_empty()), (vec![6], unbounded), "{choice:?}");
    }
}

#[test]
fn random_values_are_spread_over_all_solutions() {
    let mut world = World::new(1, 0, 0, false);
    let x = world.ints[0];
    let conditions = every_seventh(&mut world, x);
    let mut builtin = Builtin::new();
    conditions.iter().for_each(|c| builtin.assert(world.terms(), *c));
    let mut seen = HashSet::new();
    for seed in 0..1_000 {
        let request = Request {
            symbols: &[symbol_id(0)],
            choice: Choice::Random(seed),
            used: &[],
            guard: None,
            limits: &Limits::default(),
        };
        let chosen = choose(&mut builtin, &mut world.pool, &world.sorts, &world.symbols, request).unwrap();
        let n = ints(&chosen)[0];
        assert!((1..=1000).contains(&n) && n % 7 == 3, "seed {seed}: {n}");
        seen.insert(n);
    }
    assert!(seen.len() >= 135, "1,000 draws hit {} of 143", seen.len());
}

#[test]
fn random_pairs_are_uniform_over_the_pairs() {
    // x <= y in 0..3: ten pairs, each about a tenth of the time; choosing x first would make (3, 3) a quarter.
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    let conditions = [world.between(x, 0, 3), world.between(y, 0, 3), world.test(Op::Le, &[x, y])];
    let mut chain = Chain::new(None);
    conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
    let mut last = 0;
    for seed in 0..400 {
        let chosen = pick(&mut world, &mut chain, &[symbol_id(0), symbol_id(1)], Choice::Random(seed)).unwrap();
        last += u32::from(ints(&chosen) == [3, 3]);
    }
    assert!((20..=65).contains(&last), "{last} of 400");
}

#[test]
fn unbounded_sets_give_small_and_large_and_used_values() {
    let mut world = World::new(1, 0, 0, false);
    let (x, zero) = (world.ints[0], world.int(0));
    let c = world.test(Op::Lt, &[zero, x]);
    let mut chain = Chain::new(None);
    chain.assert(world.terms(), c);
    let used = [Value::Int(4242)];
    let mut found = Vec::new();
    for seed in 0..100 {
        let choice = Choice::Random(seed);
        let request = Request { symbols: &[symbol_id(0)], choice, used: &used, guard: None, limits: &limits() };
        let chosen = choose(&mut chain, &mut world.pool, &world.sorts, &world.symbols, request).unwrap();
        assert_eq!(chosen.unbounded, [symbol_id(0)]);
        found.push(ints(&chosen)[0]);
    }
    assert!(found.iter().all(|n| *n > 0));
    assert!(found.iter().any(|n| *n < 20) && found.iter().any(|n| *n > 1_000_000) && found.contains(&4242));
}

#[test]
fn borders_are_where_atoms_flip() {
    let mut world = World::new(1, 1, 0, false);
    let (x, b, fifteen) = (world.ints[0], world.bools[0], world.int(15));
    let above = world.test(Op::Lt, &[fifteen, x]);
    let guard = world.pool.and(&world.sorts, &[b, above]);
    for (hi, expected) in [(100, vec![15, 16, 17]), (16, vec![15, 16])] {
        let mut chain = Chain::new(None);
        let range = world.between(x, 0, hi);
        chain.assert(world.terms(), range);
        chain.assert(world.terms(), b);
        let request = Request {
            symbols: &[symbol_id(0)],
            choice: Choice::Boundary,
            used: &[],
            guard: Some(guard),
            limits: &limits(),
        };
        let all = boundaries(&mut chain, &mut world.pool, &world.sorts, &world.symbols, request).unwrap();
        let mut values: Vec<i64> = all.iter().map(|c| ints(c)[0]).collect();
        values.retain(|n| (14..=18).contains(n));
        values.sort_unstable();
        assert_eq!(values, expected);
    }
}

#[test]
fn all_sorts_have_values() {
    let mut world = World::new(0, 0, 0, false);
    let field = |name: &str, sort| Field { name: name.into(), sort };
    let point = world.sorts.data.push(DataType {
        name: "Point".into(),
        record: true,
        constructors: vec![Constructor {
            name: "Point".into(),
            fields: vec![field("x", world.sorts.int), field("label", world.sorts.string)],
        }],
    });
    let point = world.sorts.data_sort(point);
    let (int, real, string, boolean) = (world.sorts.int, world.sorts.real, world.sorts.string, world.sorts.bool);
    let seq = world.sorts.seq(int);
    let colour = world.colour;
    let sorts = [boolean, colour, real, string, seq, point];
    let terms: Vec<TermId> = sorts.iter().enumerate().map(|(i, s)| world.symbol(&format!("v{i}"), *s)).collect();
    // 3 <= p.x <= 9, s != ""
    let px = world.arith(Op::Field(0, 0), &[terms[5]]);
    let range = world.between(px, 3, 9);
    let empty = world.pool.constant(Value::string(""), string);
    let same = world.test(Op::Eq, &[terms[3], empty]);
    let named = world.pool.not(&world.sorts, same);
    let mut chain = Chain::new(None);
    chain.assert(world.terms(), range);
    chain.assert(world.terms(), named);
    let symbols: Vec<SymbolId> = (0..sorts.len()).map(symbol_id).collect();
    for (choice, x) in
        [(Choice::Min, Some(3)), (Choice::Max, Some(9)), (Choice::Middle, Some(6)), (Choice::Random(7), None)]
    {
        let chosen = pick(&mut world, &mut chain, &symbols, choice).unwrap();
        assert!(world.terms().satisfies(&chosen.witness, &[range, named]), "{choice:?}: {chosen:?}");
        let Value::Data(d) = &chosen.values[5] else { panic!() };
        if let Some(x) = x {
            assert_eq!(d.fields[0], Value::Int(x), "{choice:?}: {chosen:?}");
        }
    }
}

#[test]
fn impossible_conditions_have_no_values() {
    let mut world = World::new(1, 0, 0, false);
    let x = world.ints[0];
    let c = world.between(x, 2, 1);
    let mut chain = Chain::new(None);
    chain.assert(world.terms(), c);
    assert_eq!(pick(&mut world, &mut chain, &[symbol_id(0)], Choice::Min), Err(NoValues::Impossible));
}

#[test]
fn random_numbers_are_the_same_everywhere() {
    let mut random = Random::new(1);
    assert_eq!([random.bits(), random.bits()], [0x910a_2dec_8902_5cc1, 0xbeeb_8da1_658e_ec67]);
    let mut random = Random::new(2);
    assert!((0..1000).all(|_| (-3..=4).contains(&random.between(-3, 4))));
}
