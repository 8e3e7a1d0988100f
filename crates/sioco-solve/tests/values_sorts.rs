//! Choosing values of all sorts: ends and middles, and how random values are spread. A failure prints the seed.

mod support;

use std::collections::BTreeSet;

use sioco_model::number::{Rational, parse_decimal};
use sioco_model::sort::{Constructor, DataType, Field, Sort};
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};
use sioco_solve::values::{Choice, Chosen, Request, boundaries, choose, choose_in_turn};
use sioco_solve::{BackEnd, Solver};
use support::{World, limits, symbol_id};

/// The solvers that are there.
fn back_ends() -> Vec<BackEnd> {
    match BackEnd::Z3.open() {
        Ok(_) => vec![BackEnd::BuiltIn, BackEnd::Z3],
        Err(why) => {
            eprintln!("without Z3: {why}");
            vec![BackEnd::BuiltIn]
        }
    }
}

/// Whether there is a Z3, which knows about lengths.
fn z3() -> bool {
    back_ends().contains(&BackEnd::Z3)
}

fn pick(world: &mut World, back_end: &BackEnd, conditions: &[TermId], choice: Choice) -> Chosen {
    pick_used(world, back_end, conditions, choice, &[])
}

fn pick_used(world: &mut World, back_end: &BackEnd, conditions: &[TermId], choice: Choice, used: &[Value]) -> Chosen {
    let mut chain = back_end.chain();
    conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
    let request = Request { symbols: &[symbol_id(0)], choice, used, guard: None, limits: &limits() };
    let chosen = choose(&mut chain, &mut world.pool, &world.sorts, &world.symbols, request)
        .unwrap_or_else(|e| panic!("{choice:?} by {back_end}: {e:?}"));
    assert!(world.terms().satisfies(&chosen.witness, conditions), "{choice:?} by {back_end}: {chosen:?}");
    chosen
}

fn number(text: &str) -> Rational {
    let digits = parse_decimal(text.trim_start_matches('-')).expect("a decimal");
    if text.starts_with('-') { -digits } else { digits }
}

/// `lo <= len(term) && len(term) <= hi`
fn long(world: &mut World, term: TermId, lo: i64, hi: i64) -> TermId {
    let length = world.arith(Op::Len, &[term]);
    world.between(length, lo, hi)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Str(s) => s.chars().count(),
        Value::Seq(items) => items.len(),
        other => panic!("{other} has no length"),
    }
}

/// A world with one symbol of a sort.
fn with(sort: impl FnOnce(&mut World) -> SortId) -> (World, TermId) {
    let mut world = World::new(0, 0, 0, false);
    let sort = sort(&mut world);
    let term = world.symbol("v", sort);
    (world, term)
}

fn real(world: &mut World, text: &str) -> TermId {
    world.pool.constant(Value::real(number(text)), world.sorts.real)
}

#[test]
fn the_middle_of_reals_is_between_their_ends() {
    for back_end in back_ends() {
        let (mut world, x) = with(|w| w.sorts.real);
        let [a, b, c] = ["0.5", "7.25", "-5"].map(|n| real(&mut world, n));
        let (above, up_to) = (world.test(Op::Lt, &[a, x]), world.test(Op::Le, &[x, b]));
        let below = world.test(Op::Lt, &[x, c]);
        for (conditions, expected, bounded) in [
            // An end that is not reached is an end.
            (vec![above, up_to], "3.875", true),
            (vec![above], "0.501", false),
            (vec![below], "-5.001", false),
            (vec![up_to], "0", false),
        ] {
            let chosen = pick(&mut world, &back_end, &conditions, Choice::Middle);
            assert_eq!(chosen.values, [Value::real(number(expected))], "{back_end}");
            assert_eq!(chosen.unbounded.is_empty(), bounded, "{expected} {back_end}");
        }
    }
    if z3() {
        // Two sides, and nothing half way: the nearest.
        let (mut world, x) = with(|w| w.sorts.real);
        let [lo, a, b, hi] = ["0", "2", "7", "10"].map(|n| real(&mut world, n));
        let (from, to) = (world.test(Op::Le, &[lo, x]), world.test(Op::Le, &[x, hi]));
        let (low, high) = (world.test(Op::Le, &[x, a]), world.test(Op::Le, &[b, x]));
        let either = world.pool.or(&world.sorts, &[low, high]);
        let chosen = pick(&mut world, &BackEnd::Z3, &[from, to, either], Choice::Middle);
        assert_eq!(chosen.values, [Value::real(number("7"))]);
        // Without an end, the nearest to zero, on whichever side.
        let minus = real(&mut world, "-3");
        let far = world.test(Op::Le, &[x, minus]);
        let either = world.pool.or(&world.sorts, &[far, high]);
        let chosen = pick(&mut world, &BackEnd::Z3, &[either], Choice::Max);
        assert_eq!((chosen.values, chosen.unbounded.len()), (vec![Value::real(number("-3"))], 1));
    }
}

#[test]
fn random_reals_are_spread_over_what_is_possible() {
    for back_end in back_ends() {
        let (mut world, x) = with(|w| w.sorts.real);
        let [a, b] = ["3", "7.5"].map(|n| real(&mut world, n));
        let inside = [world.test(Op::Lt, &[a, x]), world.test(Op::Lt, &[x, b])];
        let (mut seen, mut tenths) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..100 {
            let chosen = pick(&mut world, &back_end, &inside, Choice::Random(seed));
            assert!(chosen.unbounded.is_empty(), "seed {seed}: it has ends");
            assert_eq!(chosen, pick(&mut world, &back_end, &inside, Choice::Random(seed)), "seed {seed}");
            let Value::Real(r) = &chosen.values[0] else { panic!("{chosen:?}") };
            let part = (r.as_ref() - number("3")) / number("0.45");
            tenths.insert(i64::try_from(part.floor()).expect("small"));
            seen.insert(chosen.values[0].clone());
        }
        assert!(seen.len() > 90 && tenths.len() == 10, "{} values in {tenths:?} by {back_end}", seen.len());

        // Without an end: of many sizes, and values that were used before.
        let used = [Value::real(number("1234.5"))];
        let (mut small, mut large, mut again) = (0, 0, 0);
        for seed in 0..100 {
            let chosen = pick_used(&mut world, &back_end, &inside[..1], Choice::Random(seed), &used);
            assert_eq!(chosen.unbounded.len(), 1, "seed {seed}");
            let Value::Real(r) = &chosen.values[0] else { panic!("{chosen:?}") };
            small += u32::from(**r < number("10"));
            large += u32::from(**r > number("10000"));
            again += u32::from(chosen.values[0] == used[0]);
        }
        assert!(small > 15 && large > 15 && again > 5, "{small} small, {large} large, {again} used by {back_end}");
    }
}

#[test]
fn random_reals_are_found_in_thin_sets() {
    if !z3() {
        return;
    }
    // 100 islands would be hard to hit; two are enough to see that both are found.
    let (mut world, x) = with(|w| w.sorts.real);
    let [a, b] = ["17.123", "-0.00001"].map(|n| real(&mut world, n));
    let parts = [world.test(Op::Eq, &[a, x]), world.test(Op::Eq, &[x, b])];
    let either = world.pool.or(&world.sorts, &parts);
    let seen: BTreeSet<Value> =
        (0..12).map(|seed| pick(&mut world, &BackEnd::Z3, &[either], Choice::Random(seed)).values[0].clone()).collect();
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn ends_and_middles_of_texts_are_their_lengths() {
    for back_end in back_ends() {
        let (mut world, s) = with(|w| w.sorts.string);
        for (choice, bounded) in [(Choice::Min, true), (Choice::Max, false), (Choice::Middle, false)] {
            let chosen = pick(&mut world, &back_end, &[], choice);
            assert_eq!((size(&chosen.values[0]), chosen.unbounded.is_empty()), (0, bounded), "{choice:?} {back_end}");
        }
        // What has few values has a longest one, whoever finds it.
        let few = ["de", "abc", ""].map(|t| world.pool.constant(Value::string(t), world.sorts.string));
        let few = few.map(|t| world.test(Op::Eq, &[s, t]));
        let few = world.pool.or(&world.sorts, &few);
        for (choice, length) in [(Choice::Min, 0), (Choice::Max, 3)] {
            let chosen = pick(&mut world, &back_end, &[few], choice);
            assert_eq!((size(&chosen.values[0]), chosen.unbounded.is_empty()), (length, true), "{choice:?} {back_end}");
        }
    }
    if !z3() {
        return;
    }
    let (mut world, s) = with(|w| w.sorts.string);
    let (range, fixed) = (long(&mut world, s, 3, 8), long(&mut world, s, 4, 4));
    let (mut items, q) = with(|w| {
        let item = w.sorts.intern(Sort::Int { lo: Some(0.into()), hi: Some(9.into()) });
        w.sorts.seq(item)
    });
    let some = long(&mut items, q, 1, 3);
    for (choice, in_range, sequence) in
        [(Choice::Min, 3, vec![0]), (Choice::Middle, 5, vec![4, 4]), (Choice::Max, 8, vec![9, 9, 9])]
    {
        for (condition, length) in [(range, in_range), (fixed, 4)] {
            let chosen = pick(&mut world, &BackEnd::Z3, &[condition], choice);
            assert_eq!(size(&chosen.values[0]), length, "{choice:?}");
            assert!(chosen.unbounded.is_empty() && !chosen.uncertain, "{choice:?}: {chosen:?}");
        }
        let chosen = pick(&mut items, &BackEnd::Z3, &[some], choice);
        let expected = Value::seq(sequence.into_iter().map(Value::Int).collect());
        assert_eq!((&chosen.values[0], chosen.unbounded.len()), (&expected, 0), "{choice:?}");
    }
}

#[test]
fn random_texts_differ_in_length_and_characters() {
    for back_end in back_ends() {
        let (mut world, s) = with(|w| w.sorts.string);
        let q = world.pool.constant(Value::string("q"), world.sorts.string);
        let mut guards = vec![("free", vec![], 40, 8, true)];
        if back_end == BackEnd::Z3 {
            guards.push(("3..8", vec![long(&mut world, s, 3, 8)], 40, 6, false));
            guards.push(("4", vec![long(&mut world, s, 4, 4)], 40, 1, false));
            let contains = world.test(Op::Contains, &[s, q]);
            guards.push(("with q", vec![contains], 25, 6, true));
            let (zero, one) = (world.int(0), world.int(1));
            let first = world.pool.app(Op::Slice, &[s, zero, one], world.sorts.string);
            let first = world.test(Op::Eq, &[first, q]);
            guards.push(("q and at most 4 more", vec![first, long(&mut world, s, 1, 5)], 25, 4, false));
        }
        for (name, conditions, values, lengths, unbounded) in guards {
            let (mut seen, mut long) = (BTreeSet::new(), BTreeSet::new());
            for seed in 0..50 {
                let chosen = pick(&mut world, &back_end, &conditions, Choice::Random(seed));
                assert_eq!(!chosen.unbounded.is_empty(), unbounded, "{name}, seed {seed}: {chosen:?}");
                if seed % 20 == 0 {
                    let again = pick(&mut world, &back_end, &conditions, Choice::Random(seed));
                    assert_eq!(chosen.values, again.values, "{name}, seed {seed}");
                }
                long.insert(size(&chosen.values[0]));
                seen.insert(chosen.values[0].clone());
            }
            assert!(
                seen.len() >= values && long.len() >= lengths,
                "{name} by {back_end}: {} values of lengths {long:?}",
                seen.len()
            );
        }
    }
}

#[test]
fn random_sequences_records_and_variants_differ() {
    for back_end in back_ends() {
        let (mut world, _) = with(|w| {
            let field = |name: &str, sort| Field { name: name.into(), sort };
            let point = DataType {
                name: "Point".into(),
                record: true,
                constructors: vec![Constructor {
                    name: "Point".into(),
                    fields: vec![field("x", w.sorts.int), field("r", w.sorts.real), field("s", w.sorts.string)],
                }],
            };
            let point = w.sorts.data.push(point);
            let point = w.sorts.data_sort(point);
            let reply = DataType {
                name: "Reply".into(),
                record: false,
                constructors: vec![
                    Constructor { name: "None".into(), fields: vec![] },
                    Constructor { name: "Some".into(), fields: vec![field("p", point)] },
                ],
            };
            let reply = w.sorts.data.push(reply);
            let reply = w.sorts.data_sort(reply);
            w.sorts.seq(reply)
        });
        let seen: BTreeSet<Value> =
            (0..60).map(|seed| pick(&mut world, &back_end, &[], Choice::Random(seed)).values[0].clone()).collect();
        let lengths: BTreeSet<usize> = seen.iter().map(size).collect();
        assert!(seen.len() > 30 && lengths.len() > 3, "{} values of lengths {lengths:?}", seen.len());
    }
}

#[test]
fn borders_of_reals_and_lengths_are_hit_and_missed_by_little() {
    let ranged = |w: &mut World| w.sorts.intern(Sort::Real { lo: Some(0.into()), hi: Some(10.into()) });
    for back_end in back_ends() {
        let (mut world, x) = with(ranged);
        let limit = real(&mut world, "7.5");
        let guard = world.test(Op::Le, &[x, limit]);
        let found = |world: &mut World, turn: Option<u64>| {
            let mut chain = back_end.chain();
            chain.assert(world.terms(), guard);
            let request = Request {
                symbols: &[symbol_id(0)],
                choice: Choice::Boundary,
                used: &[],
                guard: Some(guard),
                limits: &limits(),
            };
            let (pool, sorts, symbols) = (&mut world.pool, &world.sorts, &world.symbols);
            let found = match turn {
                None => boundaries(&mut chain, pool, sorts, symbols, request),
                Some(turn) => choose_in_turn(&mut chain, pool, sorts, symbols, request, turn).map(|c| vec![c]),
            };
            found.expect("possible").into_iter().map(|c| c.values[0].clone()).collect::<BTreeSet<Value>>()
        };
        let set = |texts: &[&str]| texts.iter().map(|t| Value::real(number(t))).collect::<BTreeSet<Value>>();
        assert_eq!(found(&mut world, None), set(&["7.5", "7.499"]), "{back_end}");
        // The range has borders, too; the turns go round.
        let turns: BTreeSet<Value> = (0..12).flat_map(|turn| found(&mut world, Some(turn))).collect();
        assert_eq!(turns, set(&["7.5", "7.499", "0", "0.001"]), "{back_end}");
    }
    if !z3() {
        return;
    }
    let (mut world, s) = with(|w| w.sorts.string);
    let guard = long(&mut world, s, 2, 6);
    let mut chain = BackEnd::Z3.chain();
    chain.assert(world.terms(), guard);
    let symbols = [symbol_id(0)];
    let request =
        Request { symbols: &symbols, choice: Choice::Boundary, used: &[], guard: Some(guard), limits: &limits() };
    let found = boundaries(&mut chain, &mut world.pool, &world.sorts, &world.symbols, request).expect("possible");
    let lengths: BTreeSet<usize> = found.iter().map(|c| size(&c.values[0])).collect();
    assert_eq!(lengths, BTreeSet::from([2, 3, 5, 6]));
}
