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

#[test]
fn ends_of_reals_that_are_not_reached_are_told() {
    use sioco_model::number::parse_decimal;
    use sioco_model::sort::Sort;
    for back_end in [sioco_solve::BackEnd::BuiltIn, sioco_solve::BackEnd::Auto] {
        let mut world = World::new(0, 0, 0, false);
        let real = world.sorts.real;
        let speed = world.sorts.intern(Sort::Real { lo: Some(0.into()), hi: Some(350.into()) });
        let (x, v) = (world.symbol("x", real), world.symbol("v", speed));
        let number = |w: &mut World, text: &str| w.pool.constant(Value::real(parse_decimal(text).unwrap()), real);
        let [c0, c75, c7501, c99, c120] = ["0", "7.5", "7.5001", "99.99", "120.3"].map(|n| number(&mut world, n));
        let above = world.test(Op::Lt, &[c75, x]);
        let from = world.test(Op::Le, &[c75, x]);
        let just_below = world.test(Op::Lt, &[x, c7501]);
        let below = world.test(Op::Lt, &[x, c99]);
        let up_to = world.test(Op::Le, &[x, c99]);
        let moving = world.test(Op::Lt, &[c0, v]);
        let slow = world.test(Op::Lt, &[v, c120]);
        let negative = world.test(Op::Lt, &[x, c0]);
        // The value, and whether it is the end.
        for (symbol, conditions, choice, expected, reached) in [
            (0, vec![above], Choice::Min, "7.501", false),
            (0, vec![above, just_below], Choice::Min, "7.500001", false),
            (0, vec![above, just_below], Choice::Max, "7.500099", false),
            (0, vec![from], Choice::Min, "7.5", true),
            (0, vec![above, below], Choice::Max, "99.989", false),
            (0, vec![above, up_to], Choice::Max, "99.99", true),
            // No end at all: next to zero.
            (0, vec![above], Choice::Max, "7.501", false),
            (0, vec![from], Choice::Max, "7.5", false),
            (0, vec![below], Choice::Min, "0", false),
            (0, vec![negative], Choice::Min, "-0.001", false),
            (1, vec![moving], Choice::Min, "0.001", false),
            (1, vec![moving, slow], Choice::Max, "120.299", false),
            (1, vec![slow], Choice::Min, "0", true),
            (1, vec![moving], Choice::Max, "350", true),
        ] {
            let mut chain = back_end.chain();
            conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
            let chosen = pick(&mut world, &mut chain, &[symbol_id(symbol)], choice).unwrap();
            let (minus, digits) = (expected.starts_with('-'), expected.trim_start_matches('-'));
            let expected = parse_decimal(digits).unwrap();
            let expected = Value::real(if minus { -expected } else { expected });
            assert_eq!(chosen.values, [expected], "{conditions:?} {choice:?} {back_end}");
            assert_eq!(chosen.unbounded.is_empty(), reached, "{conditions:?} {choice:?} {back_end}");
            assert!(!chosen.uncertain && world.terms().satisfies(&chosen.witness, &conditions));
        }
    }
}

#[test]
fn ends_of_reals_that_follow_from_other_symbols_are_found() {
    use sioco_model::number::rational;
    if let Err(why) = sioco_solve::BackEnd::Z3.open() {
        eprintln!("skipped: {why}");
        return;
    }
    let mut world = World::new(0, 0, 0, false);
    let real = world.sorts.real;
    let (x, y) = (world.symbol("x", real), world.symbol("y", real));
    let [one, three] = [1, 3].map(|n| world.pool.constant(Value::real(n.into()), real));
    // 3 x >= 1 or 3 x > 1, and x < y < 3.
    let triple = world.pool.app(Op::Mul, &[three, x], real);
    let (closed, open) = (world.test(Op::Le, &[one, triple]), world.test(Op::Lt, &[one, triple]));
    let (order, below) = (world.test(Op::Lt, &[x, y]), world.test(Op::Lt, &[y, three]));
    let part = |n: i64, d: i64| Value::real(rational(n.into(), d.into()).unwrap());
    for (condition, choice, expected, reached) in [
        (closed, Choice::Min, part(1, 3), true),
        (open, Choice::Min, part(1_003, 3_000), false),
        (closed, Choice::Max, part(2_999, 1_000), false),
    ] {
        let mut chain = sioco_solve::BackEnd::Z3.chain();
        for c in [condition, order, below] {
            chain.assert(world.terms(), c);
        }
        let chosen = pick(&mut world, &mut chain, &[symbol_id(0)], choice).unwrap();
        assert_eq!((&chosen.values[0], chosen.unbounded.is_empty()), (&expected, reached), "{choice:?}");
        assert!(!chosen.uncertain);
    }
}
