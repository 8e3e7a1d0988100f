//! The quick evaluator says what the reference evaluator says, for all values of small symbols.

mod support;

use std::time::{Duration, Instant};

use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{TermId, Value};
use sioco_solve::chain::Chain;
use sioco_solve::quick::truth;
use sioco_solve::{Answer, Limits, Solver};
use support::{Kind, Rng, World, seeds};

#[test]
fn quick_and_reference_evaluation_agree() {
    let mut compared = 0u64;
    for seed in seeds(0, 90) {
        let mut rng = Rng(seed);
        let reals = if seed % 3 == 2 { 2 } else { 0 };
        let mut world = World::new(2 - reals / 2, 1, 1, seed % 2 == 0);
        world.add_reals(reals, true, Kind::Rich);
        let all = world.all();
        for _ in 0..4 {
            let condition = world.bool_term(&mut rng, 4, seed % 3 != 0);
            for values in &all {
                let env = Env { symbols: values, ..Env::default() };
                let reference = eval(&world.pool, &world.sorts, condition, env).map(|v| v == Value::Bool(true));
                let quick = truth(&world.pool, &world.sorts, condition, values);
                assert_eq!(quick, reference, "seed {seed}, values {values:?}");
                compared += 1;
            }
        }
    }
    println!("{compared} comparisons");
}

/// `exists` over binders of sort `Int in 0..=last`.
fn exists(world: &mut World, count: usize, last: i64, body: impl FnOnce(&mut World, &[TermId]) -> TermId) -> TermId {
    let range = world.sorts.intern(Sort::Int { lo: Some(0.into()), hi: Some(last.into()) });
    let binders: Vec<_> = (0..count).map(|_| world.pool.binders.push(range)).collect();
    let bound: Vec<TermId> = binders.iter().map(|b| world.pool.bound(&world.sorts, *b)).collect();
    let body = body(world, &bound);
    world.test(Op::Exists { first: binders[0], count: count as u32 }, &[body])
}

#[test]
fn wide_quantifiers_are_left_to_a_solver_where_they_are_reached() {
    let mut world = World::new(1, 1, 0, false);
    let (x, b) = (world.ints[0], world.bools[0]);
    // Narrow enough: as the reference evaluator says, also in each other.
    let narrow = exists(&mut world, 1, 3, |w, outer| {
        let outer = outer[0];
        exists(w, 1, 3, |w, inner| {
            let product = w.arith(Op::Mul, &[outer, inner[0]]);
            w.test(Op::Eq, &[product, x])
        })
    });
    for n in -1..10 {
        let values = [Value::Int(n), Value::Bool(false)];
        let env = Env { symbols: &values, ..Env::default() };
        let reference = eval(&world.pool, &world.sorts, narrow, env).map(|v| v == Value::Bool(true));
        assert_eq!(truth(&world.pool, &world.sorts, narrow, &values), reference, "{n}");
    }
    // Too wide: on its own, and by nesting. Nobody minds if it is not reached, or if another part decides.
    let odd = |w: &mut World, bound: &[TermId]| {
        let two = w.int(2);
        let even = w.arith(Op::Mul, &[&[two], bound].concat());
        w.test(Op::Eq, &[even, x])
    };
    let wide = exists(&mut world, 3, 39, odd);
    let nested = exists(&mut world, 1, 39, |w, outer| {
        let outer = outer[0];
        exists(w, 2, 39, |w, inner| odd(w, &[outer, inner[0], inner[1]]))
    });
    for c in [wide, nested] {
        let guarded = world.pool.and(&world.sorts, &[b, c]);
        let behind = world.pool.and(&world.sorts, &[c, b]);
        let at = |c, b| truth(&world.pool, &world.sorts, c, &[Value::Int(1_001), Value::Bool(b)]);
        assert!(matches!(at(c, true), Err(EvalError::NeedsSolver(_))));
        assert!(matches!(at(guarded, true), Err(EvalError::NeedsSolver(_))));
        assert_eq!(at(guarded, false), Ok(false));
        assert_eq!(at(behind, false), Ok(false));
    }
}

#[test]
fn a_wide_quantifier_does_not_look_like_a_hang() {
    let mut world = World::new(2, 0, 0, true);
    let [x, y] = [world.ints[0], world.ints[1]];
    // Evaluating all of them once by the reference evaluator takes longer than that; asking the chain takes two seconds.
    let started = Instant::now();
    for more in 0..30 {
        let sum_of = world.int(10_000 + more);
        let wide = exists(&mut world, 3, 39, |w, bound| {
            let product = w.arith(Op::Mul, &[bound[0], bound[1], bound[2], x]);
            let sum = w.arith(Op::Add, &[product, y]);
            w.test(Op::Eq, &[sum, sum_of])
        });
        let not_wide = world.pool.not(&world.sorts, wide);
        for c in [wide, not_wide] {
            let mut chain = Chain::new(None);
            chain.assert(world.terms(), c);
            let answer = chain.check(world.terms(), &Limits::default(), true);
            // Both can be true: for 25 * 20 * 20 * 1 and what is missing, and wherever `x` is zero.
            assert!(!matches!(answer, Answer::Unsat(_)), "{answer:?}");
        }
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn with_patience_more_values_are_tried() {
    let mut world = World::new(1, 0, 0, true);
    let (x, square) = (world.ints[0], world.int(841));
    let middling = exists(&mut world, 2, 29, |w, bound| {
        let product = w.arith(Op::Mul, &[bound[0], bound[1]]);
        let sum = w.arith(Op::Add, &[product, x]);
        w.test(Op::Eq, &[sum, square])
    });
    // 29 * 29 + 0. With nobody else to ask, 900 combinations are no more than work.
    let mut chain = Chain::new(None);
    chain.assert(world.terms(), middling);
    assert!(matches!(chain.check(world.terms(), &Limits::default(), true), Answer::Sat(Some(_))));
    // The same with little to spend.
    let mut chain = Chain::new(None);
    chain.assert(world.terms(), middling);
    let little = Limits { resources: 1_000, ..Limits::default() };
    assert!(matches!(chain.check(world.terms(), &little, true), Answer::Unknown(_)));
}
