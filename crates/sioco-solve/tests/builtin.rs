//! The built-in solver against brute force: never sat against unsat, and every witness satisfies.

mod support;

use sioco_model::number::BigInt;
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{TermId, Value};
use sioco_solve::builtin::Builtin;
use sioco_solve::{Answer, Limits, Reason, Solver};
use support::{Rng, World, limits, seeds, walk};

fn agrees(seeds: std::ops::Range<u64>, rich: bool, most_undecided: f64) {
    let (mut checks, mut undecided) = (0, 0);
    for seed in seeds {
        for ranged in [false, true] {
            let answers = walk(seed, rich, ranged, &mut Builtin::new());
            checks += answers.len();
            undecided += answers.iter().filter(|a| a.is_none()).count();
        }
    }
    println!("rich {rich}: {checks} checks, {undecided} undecided");
    assert!(undecided as f64 <= most_undecided * checks as f64, "{undecided} of {checks} undecided");
}

#[test]
fn linear_conditions_agree_with_brute_force() {
    agrees(seeds(0, 16), false, 0.0);
}

#[test]
fn partial_and_nonlinear_conditions_agree_with_brute_force() {
    agrees(seeds(1_000, 12), true, 0.05);
}

fn ask(world: &World, conjuncts: &[TermId]) -> Answer {
    let mut solver = Builtin::new();
    conjuncts.iter().for_each(|c| solver.assert(world.terms(), *c));
    let answer = solver.check(world.terms(), &limits(), true);
    if let Answer::Sat(Some(witness)) = &answer {
        assert!(world.terms().satisfies(witness, conjuncts), "{answer:?}");
    }
    answer
}

#[test]
fn contradictions_without_bounds_end() {
    let mut world = World::new(3, 0, 0, false);
    let [x, y, z] = [world.ints[0], world.ints[1], world.ints[2]];
    let one = world.int(1);
    let (xy, yx) = (world.test(Op::Lt, &[x, y]), world.test(Op::Lt, &[y, x]));
    let (yz, zx) = (world.test(Op::Lt, &[y, z]), world.test(Op::Lt, &[z, x]));
    let next = world.arith(Op::Add, &[x, one]);
    let successor = world.test(Op::Eq, &[x, next]);
    let product = world.arith(Op::Mul, &[x, y]);
    let nonlinear = world.test(Op::Eq, &[product, next]);
    for conjuncts in [vec![xy, yx], vec![xy, yz, zx], vec![successor], vec![nonlinear, xy, yx]] {
        let answer = ask(&world, &conjuncts);
        assert!(!matches!(answer, Answer::Sat(_)), "{answer:?}");
    }
    // Bounds that creep towards each other one by one, a milliard steps.
    let wide = [world.between(x, 0, 1_000_000_000), world.between(y, 0, 1_000_000_000)];
    let answer = ask(&world, &[wide[0], wide[1], xy, yx]);
    assert!(!matches!(answer, Answer::Sat(_)), "{answer:?}");
    // Cycles of differences are found, with why.
    for cycle in [vec![xy, yx], vec![xy, yz, zx]] {
        let mut asked = cycle.clone();
        asked.insert(1, wide[0]);
        assert_eq!(ask(&world, &asked), Answer::Unsat(Some(cycle)));
    }
    // Cancelling out is seen at once.
    assert!(matches!(ask(&world, &[successor]), Answer::Unsat(_)));
}

#[test]
fn the_ends_of_64_bits_are_not_the_end() {
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    let (max, min, one) = (world.int(i64::MAX), world.int(i64::MIN), world.int(1));
    let above = world.test(Op::Lt, &[max, x]);
    let below = world.test(Op::Lt, &[x, min]);
    let at_max = world.test(Op::Eq, &[x, max]);
    let at_min = world.test(Op::Eq, &[x, min]);
    let sum = world.arith(Op::Add, &[x, y]);
    let sum_above = world.test(Op::Lt, &[max, sum]);
    let next = world.arith(Op::Add, &[x, one]);
    let beyond = world.test(Op::Lt, &[max, next]);
    let double = world.arith(Op::Mul, &[x, max]);
    let huge = world.test(Op::Lt, &[max, double]);
    // All of these have solutions; some only outside of 64 bits.
    for conjuncts in [
        vec![above],
        vec![below],
        vec![at_max],
        vec![at_min],
        vec![sum_above],
        vec![at_max, beyond],
        vec![at_max, sum_above],
        vec![at_min, sum_above],
        vec![huge],
        vec![below, sum_above],
    ] {
        let answer = ask(&world, &conjuncts);
        assert!(!matches!(answer, Answer::Unsat(_)), "{conjuncts:?}: {answer:?}");
    }
    for conjuncts in [vec![above, below], vec![above, at_max], vec![at_max, at_min], vec![below, at_min]] {
        let answer = ask(&world, &conjuncts);
        assert!(!matches!(answer, Answer::Sat(_)), "{conjuncts:?}: {answer:?}");
    }
}

#[test]
fn ranges_larger_than_64_bits_are_understood() {
    let mut world = World::new(0, 0, 0, false);
    let far = BigInt::from(i64::MAX) * BigInt::from(4);
    let wide = world.sorts.intern(Sort::Int { lo: Some(-far.clone()), hi: Some(far.clone()) });
    let outside = world.sorts.intern(Sort::Int { lo: Some(far), hi: None });
    let (x, y) = (world.symbol("x", wide), world.symbol("y", outside));
    let checked = world.arith(Op::Checked(wide), &[y]);
    let (min, zero) = (world.int(i64::MIN), world.int(0));
    let deep = world.test(Op::Lt, &[x, min]);
    let positive = world.test(Op::Lt, &[zero, checked]);
    let negative = world.test(Op::Lt, &[y, zero]);
    for c in [deep, positive] {
        assert!(!matches!(ask(&world, &[c]), Answer::Unsat(_)));
    }
    assert!(!matches!(ask(&world, &[negative]), Answer::Sat(_)));
}

#[test]
fn random_bounds_near_the_ends_agree_with_wide_arithmetic() {
    // lo <= x + k <= hi with constants near the ends of 64 bits: x in lo - k ..= hi - k.
    for seed in seeds(5_000, 300) {
        let mut rng = Rng(seed);
        let mut near = || [i64::MIN, i64::MAX, 0][rng.below(3) as usize].saturating_add(rng.between(-2, 2));
        let (lo, hi, k) = (near(), near(), near());
        let mut world = World::new(1, 0, 0, false);
        let (x, k_term) = (world.ints[0], world.int(k));
        let sum = world.arith(Op::Add, &[x, k_term]);
        let c = world.between(sum, lo, hi);
        match ask(&world, &[c]) {
            Answer::Sat(_) => assert!(lo <= hi, "seed {seed}"),
            Answer::Unsat(_) => assert!(lo > hi, "seed {seed}: {lo} {hi} {k}"),
            Answer::Unknown(_) => {}
        }
    }
}

#[test]
fn a_long_path_is_cheap_and_its_core_is_small() {
    let mut world = World::new(0, 0, 0, false);
    let mut solver = Builtin::new();
    let mut x = world.int(0);
    for i in 0..60 {
        let p = world.symbol(&format!("p{i}"), world.sorts.int);
        let range = world.between(p, 1, 10);
        x = world.arith(Op::Add, &[x, p]);
        solver.assert(world.terms(), range);
    }
    let q = world.symbol("q", world.sorts.int);
    let (six_hundred, minus) = (world.int(600), world.int(-1));
    let reachable = world.test(Op::Eq, &[x, six_hundred]);
    let too_far = world.test(Op::Lt, &[six_hundred, x]);
    let low = world.between(q, 0, 5);
    let negative = world.test(Op::Eq, &[q, minus]);
    solver.push();
    solver.assert(world.terms(), reachable);
    assert!(matches!(solver.check(world.terms(), &limits(), true), Answer::Sat(Some(_))));
    solver.pop();
    solver.push();
    solver.assert(world.terms(), too_far);
    let Answer::Unsat(Some(core)) = solver.check(world.terms(), &limits(), false) else { panic!() };
    assert_eq!(core.len(), 61);
    solver.pop();
    solver.assert(world.terms(), low);
    solver.assert(world.terms(), negative);
    let Answer::Unsat(Some(core)) = solver.check(world.terms(), &limits(), false) else { panic!() };
    assert_eq!(core, [low, negative]);
}

#[test]
fn strings_are_decided_by_equality() {
    let mut world = World::new(0, 0, 0, false);
    let string = world.sorts.string;
    let [s, t] = ["s", "t"].map(|n| world.symbol(n, string));
    let [a, b] = ["a", "b"].map(|v| world.pool.constant(Value::string(v), string));
    let [sa, tb, st] = [(s, a), (t, b), (s, t)].map(|(l, r)| world.test(Op::Eq, &[l, r]));
    let differ = world.pool.not(&world.sorts, st);
    let length = world.arith(Op::Len, &[s]);
    let (two, three) = (world.int(2), world.int(3));
    let (short, long) = (world.test(Op::Lt, &[length, two]), world.test(Op::Lt, &[three, length]));
    assert!(matches!(ask(&world, &[sa, tb, differ]), Answer::Sat(_)));
    assert!(matches!(ask(&world, &[sa, tb, st]), Answer::Unsat(Some(core)) if core.len() == 3));
    assert!(matches!(ask(&world, &[short, long]), Answer::Unsat(_)));
    assert!(matches!(ask(&world, &[differ]), Answer::Sat(_)));
    assert!(!matches!(ask(&world, &[sa, long]), Answer::Sat(_)));
}

#[test]
fn giving_up_has_its_reason() {
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    // 2 x == 3 y + 1 && x x y y < y: nothing that shows at once.
    let (one, two, three) = (world.int(1), world.int(2), world.int(3));
    let (xx, yyy) = (world.arith(Op::Mul, &[two, x]), world.arith(Op::Mul, &[three, y]));
    let next = world.arith(Op::Add, &[yyy, one]);
    let lt = world.test(Op::Eq, &[xx, next]);
    let product = world.arith(Op::Mul, &[x, x, y, y]);
    let gt = world.test(Op::Lt, &[product, y]);
    let mut solver = Builtin::new();
    solver.assert(world.terms(), lt);
    solver.assert(world.terms(), gt);
    let few = Limits { resources: 10, ..Limits::default() };
    assert_eq!(solver.check(world.terms(), &few, false), Answer::Unknown(Reason::Resources));
    let cancel = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let cancelled = Limits { cancel: Some(cancel), ..Limits::default() };
    assert_eq!(solver.check(world.terms(), &cancelled, false), Answer::Unknown(Reason::Cancelled));
}
