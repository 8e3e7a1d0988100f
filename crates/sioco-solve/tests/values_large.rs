//! Choosing numbers that do not fit 64 bits: they take longer, and are the same as any others. With and without a back-end.

mod support;

use std::collections::BTreeSet;

use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sort::{Constructor, DataType, Field, Sort};
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};
use sioco_solve::values::{Choice, Chosen, Random, Request, choose, choose_in_turn};
use sioco_solve::{BackEnd, Solver};
use support::{World, limits, symbol_id};

fn back_ends() -> Vec<BackEnd> {
    let z3 = BackEnd::Z3.open().is_ok().then_some(BackEnd::Z3);
    [BackEnd::BuiltIn].into_iter().chain(z3).collect()
}

/// `sign * 2^power + by`
fn near(power: usize, sign: i64, by: i64) -> BigInt {
    BigInt::from(sign) * (BigInt::ONE << power) + BigInt::from(by)
}

/// A world with one symbol of a sort.
fn with(sort: impl FnOnce(&mut World) -> SortId) -> (World, TermId) {
    let mut world = World::new(0, 0, 0, false);
    let sort = sort(&mut world);
    let term = world.symbol("v", sort);
    (world, term)
}

fn range(lo: Option<BigInt>, hi: Option<BigInt>) -> (World, TermId) {
    with(|w| w.sorts.intern(Sort::Int { lo, hi }))
}

fn pick(world: &mut World, back_end: &BackEnd, conditions: &[TermId], choice: Choice) -> Chosen {
    let mut chain = back_end.chain();
    conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
    let symbols: Vec<_> = (0..world.symbols.len()).map(symbol_id).collect();
    let request = Request { symbols: &symbols, choice, used: &[], guard: None, limits: &limits() };
    let chosen = choose(&mut chain, &mut world.pool, &world.sorts, &world.symbols, request)
        .unwrap_or_else(|e| panic!("{choice:?} by {back_end}: {e:?}"));
    assert!(world.terms().satisfies(&chosen.witness, conditions), "{choice:?} by {back_end}: {chosen:?}");
    for (y, value) in symbols.iter().zip(&chosen.values) {
        assert!(world.sorts.contains(world.symbols[*y].sort, value), "{choice:?} by {back_end}: {value}");
    }
    chosen
}

/// Ranges around the powers of two where machine integers end, and far beyond them.
fn ranges() -> Vec<(BigInt, BigInt)> {
    let mut found = Vec::new();
    for power in [62, 63, 64, 100] {
        found.push((BigInt::ZERO, near(power, 1, 0)));
        found.push((near(power, -1, -1), BigInt::from(7)));
        found.push((near(power, 1, -5), near(power, 1, 6)));
        found.push((near(power, -1, -6), near(power, -1, 5)));
        found.push((near(power, -1, 0), near(power, 1, 0)));
        found.push((near(power, 1, 1), near(power + 1, 1, 0)));
    }
    found
}

#[test]
fn ends_middles_and_random_values_are_those_of_the_range() {
    for back_end in back_ends() {
        for (lo, hi) in ranges() {
            let (mut world, x) = range(Some(lo.clone()), Some(hi.clone()));
            let middle = number::halfway(&lo, &hi);
            // A condition that speaks of it, so that somebody has to be asked, and that excludes nothing of interest.
            let other = world.pool.constant(number::int(&hi + BigInt::from(9)), world.sorts.int);
            let same = world.test(Op::Eq, &[x, other]);
            let unlike = world.pool.not(&world.sorts, same);
            for conditions in [vec![], vec![unlike]] {
                let mut at = |choice| pick(&mut world, &back_end, &conditions, choice);
                for (choice, expected) in [(Choice::Min, &lo), (Choice::Max, &hi), (Choice::Middle, &middle)] {
                    let chosen = at(choice);
                    assert_eq!(chosen.values, [number::int(expected.clone())], "{choice:?} by {back_end}: {lo}..{hi}");
                    assert!(chosen.unbounded.is_empty(), "{choice:?} by {back_end}: {lo}..{hi}");
                }
                let drawn: BTreeSet<Value> = (0..40).map(|seed| at(Choice::Random(seed)).values.remove(0)).collect();
                let least = if &hi - &lo < BigInt::from(100) { 8 } else { 38 };
                assert!(drawn.len() >= least, "by {back_end}: {lo}..{hi}: {drawn:?}");
            }
        }
    }
}

/// Conditions move the ends, also where no range says that there are any.
#[test]
fn ends_are_found_where_only_conditions_say_so() {
    for back_end in back_ends() {
        for power in [63, 64, 100, 300] {
            for sign in [1, -1] {
                let (lo, hi) = (near(power, sign, 0), near(power, sign, 1_000));
                let (mut world, x) = range(None, None);
                let [least, most] = [&lo, &hi].map(|n| world.pool.constant(number::int(n.clone()), world.sorts.int));
                let conditions = [world.test(Op::Le, &[least, x]), world.test(Op::Le, &[x, most])];
                if back_end == BackEnd::BuiltIn {
                    // It does not compute with these: it may not know, and says so, and takes no wrong value.
                    let mut chain = back_end.chain();
                    conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
                    let request = Request {
                        symbols: &[symbol_id(0)],
                        choice: Choice::Min,
                        used: &[],
                        guard: None,
                        limits: &limits(),
                    };
                    let chosen = choose(&mut chain, &mut world.pool, &world.sorts, &world.symbols, request);
                    assert!(chosen.is_err() || world.terms().satisfies(&chosen.expect("values").witness, &conditions));
                    continue;
                }
                let mut at = |choice| pick(&mut world, &back_end, &conditions, choice);
                assert_eq!(at(Choice::Min).values, [number::int(lo.clone())], "{back_end}");
                assert_eq!(at(Choice::Max).values, [number::int(hi.clone())], "{back_end}");
                let drawn: BTreeSet<Value> = (0..20).map(|seed| at(Choice::Random(seed)).values.remove(0)).collect();
                assert!(drawn.len() > 15, "{drawn:?}");
                // One end alone: the other side has none.
                let (mut world, x) = range(None, None);
                let least = world.pool.constant(number::int(lo.clone()), world.sorts.int);
                let above = world.test(Op::Le, &[least, x]);
                let chosen = pick(&mut world, &back_end, &[above], Choice::Min);
                assert_eq!((chosen.values, chosen.unbounded), (vec![number::int(lo)], vec![]), "{back_end}");
                assert_eq!(pick(&mut world, &back_end, &[above], Choice::Max).unbounded, [symbol_id(0)]);
            }
        }
    }
}

#[test]
fn ends_of_large_reals_are_found() {
    for back_end in back_ends().into_iter().filter(|b| *b != BackEnd::BuiltIn) {
        for sign in [1, -1] {
            let lo = Rational::from(near(100, sign, 0)) + number::rational(1.into(), 3.into()).expect("a third");
            let (mut world, x) = with(|w| w.sorts.real);
            let least = world.pool.constant(Value::real(lo.clone()), world.sorts.real);
            let above = world.test(Op::Le, &[least, x]);
            let chosen = pick(&mut world, &back_end, &[above], Choice::Min);
            assert_eq!((chosen.values, chosen.unbounded), (vec![Value::real(lo)], vec![]), "{back_end}");
        }
        let (lo, hi) = (Rational::from(near(64, 1, 0)), Rational::from(near(64, 1, 2)));
        let (mut world, _) = with(|w| w.sorts.intern(Sort::Real { lo: Some(lo.clone()), hi: Some(hi.clone()) }));
        assert_eq!(pick(&mut world, &back_end, &[], Choice::Min).values, [Value::real(lo)]);
        assert_eq!(pick(&mut world, &back_end, &[], Choice::Max).values, [Value::real(hi)]);
    }
}

/// Large numbers in records and sequences, beside small ones.
#[test]
fn large_numbers_inside_other_values_differ() {
    for back_end in back_ends() {
        let (mut world, _) = with(|w| {
            let wide = w.sorts.intern(Sort::Int { lo: Some(near(100, -1, 0)), hi: Some(near(100, 1, 0)) });
            let small = w.sorts.intern(Sort::Int { lo: Some(3.into()), hi: Some(9.into()) });
            let list = w.sorts.seq(wide);
            let field = |name: &str, sort| Field { name: name.into(), sort };
            let fields = vec![field("a", wide), field("b", small), field("c", list)];
            let constructors = vec![Constructor { name: "R".into(), fields }];
            let data = w.sorts.data.push(DataType { name: "R".into(), record: true, constructors });
            w.sorts.data_sort(data)
        });
        let drawn: BTreeSet<Value> =
            (0..30).map(|seed| pick(&mut world, &back_end, &[], Choice::Random(seed)).values.remove(0)).collect();
        assert!(drawn.len() > 25, "{back_end}: {drawn:?}");
        for (choice, first) in [(Choice::Min, near(100, -1, 0)), (Choice::Max, near(100, 1, 0))] {
            let chosen = pick(&mut world, &back_end, &[], choice).values.remove(0);
            let Value::Data(data) = chosen else { panic!("{chosen}") };
            assert_eq!(data.fields[0], number::int(first), "{choice:?} by {back_end}");
        }
    }
}

#[test]
fn borders_of_large_ranges_are_tried_in_turn() {
    for back_end in back_ends() {
        let (lo, hi) = (near(64, -1, -1), near(64, 1, 1));
        let (mut world, x) = range(Some(lo.clone()), Some(hi.clone()));
        let zero = world.int(0);
        let guard = world.test(Op::Le, &[zero, x]);
        let mut found = BTreeSet::new();
        for turn in 0..8 {
            let mut chain = back_end.chain();
            let request = Request {
                symbols: &[symbol_id(0)],
                choice: Choice::Boundary,
                used: &[],
                guard: Some(guard),
                limits: &limits(),
            };
            let chosen = choose_in_turn(&mut chain, &mut world.pool, &world.sorts, &world.symbols, request, turn);
            found.extend(chosen.expect("values").values);
        }
        for end in [lo.clone(), &lo + BigInt::ONE, hi.clone(), &hi - BigInt::ONE] {
            assert!(found.contains(&number::int(end.clone())), "{back_end}: {end} is missing in {found:?}");
        }
    }
}

#[test]
fn random_integers_of_any_size_are_uniform() {
    let mut random = Random::new(7);
    for (lo, hi) in ranges() {
        let (mut below, mut low, mut high) = (0, hi.clone(), lo.clone());
        let middle = number::halfway(&lo, &hi);
        for _ in 0..1_000 {
            let n = random.whole(&lo, &hi);
            assert!(lo <= n && n <= hi, "{lo}..{hi}: {n}");
            below += u32::from(n <= middle);
            low = low.min(n.clone());
            high = high.max(n);
        }
        assert!((400..650).contains(&below), "{lo}..{hi}: {below} of 1000 in the lower half");
        let width = &hi - &lo;
        let margin = &width / BigInt::from(50) + BigInt::ONE;
        assert!(low <= &lo + &margin && high >= &hi - &margin, "{lo}..{hi}: {low}..{high}");
    }
    assert_eq!(random.whole(&5.into(), &5.into()), BigInt::from(5));
    assert_eq!(random.whole(&near(100, 1, 0), &near(99, 1, 0)), near(100, 1, 0));
}
