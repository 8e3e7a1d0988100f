//! How the chain divides the work between the built-in solver and a back-end, and what it does where answers must not depend
//! on what was asked before.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sioco_model::term::Op;
use sioco_model::{TermId, Value};
use sioco_solve::builtin::Builtin;
use sioco_solve::chain::{Chain, ChainCounters, Counters, Switches};
use sioco_solve::{Answer, Limits, Reason, Solver};
use support::scribe::{ALONE, NONE, OPENED, UNOPENED, ask, broken, chain, hard, is_sat, less, more};
use support::{World, limits, scribe};

/// All layers but the one that tries few values, which would answer most of these questions.
const ALL: Switches = Switches { few: false, ..scribe::ALL };

/// What nobody else decides, the built-in solver gets more time for; and what it finds then counts as its answer.
#[test]
fn the_built_in_solver_takes_its_time_where_it_is_alone() {
    for sat in [true, false] {
        let (world, conditions) = hard(UNOPENED, ALONE, sat);
        let found = Counters { asked: 1, sat: u64::from(sat), unsat: u64::from(!sat), passed_on: 0 };
        let passed_on = Counters { asked: 1, passed_on: 1, ..Counters::default() };
        // A back-end that does not know decides it as well as none; one that has an answer is believed.
        for (given, alone) in [(broken(), true), (Answer::Unknown(Reason::Resources), false)] {
            let (mut chain, told) = chain(ALL);
            told.lock().unwrap().script = vec![given.clone()];
            conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
            let answer = chain.check(world.terms(), &Limits::default(), true);
            assert_eq!(told.lock().unwrap().asked.len(), 1);
            assert_eq!(chain.counters().builtin, if alone { found } else { passed_on });
            match answer {
                Answer::Sat(Some(witness)) => assert!(alone && sat && world.terms().satisfies(&witness, &conditions)),
                Answer::Unsat(_) => assert!(alone && !sat),
                answer => assert_eq!((answer, alone), (given, false)),
            }
        }
        // Limits of the question hold for it all the same.
        let (mut chain, told) = chain(ALL);
        told.lock().unwrap().script = vec![broken()];
        conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
        let answer = chain.check(world.terms(), &Limits { resources: UNOPENED, ..Limits::default() }, true);
        assert_eq!((answer, chain.counters().builtin), (broken(), passed_on));
    }
}

/// Before a back-end is opened, which is dear, the built-in solver works longer than afterwards.
#[test]
fn a_back_end_is_opened_late() {
    for sat in [true, false] {
        let (world, conditions) = hard(OPENED, UNOPENED, sat);
        for opened in [false, true] {
            let (mut chain, told) = chain(ALL);
            if opened {
                // With no work at all, everything reaches it.
                chain.push();
                conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
                let undecided = Answer::Unknown(Reason::Undecided("so".into()));
                told.lock().unwrap().script = vec![undecided.clone()];
                let nothing = Limits { resources: 0, ..Limits::default() };
                assert_eq!(chain.check(world.terms(), &nothing, true), undecided);
                chain.pop();
            }
            let before = told.lock().unwrap().asked.len();
            assert_eq!(before, usize::from(opened));
            told.lock().unwrap().work = Some(UNOPENED);
            conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
            let answer = chain.check(world.terms(), &Limits::default(), true);
            assert!(matches!(answer, Answer::Sat(_)) == sat, "{answer:?}");
            assert_eq!(told.lock().unwrap().asked.len() - before, usize::from(opened));
        }
    }
}

/// What the built-in solver found, and what the last witness satisfied since, is not asked about again.
#[test]
fn whoever_knows_more_conditions_counts() {
    for (want_witness, second) in [(false, false), (true, false), (true, true)] {
        let (mut world, hard) = hard(UNOPENED, ALONE, true);
        for name in ["z", "w"] {
            let symbol = world.symbol(name, world.sorts.int);
            world.ints.push(symbol);
        }
        let [large, other] = [more(&mut world, 2, 5), less(&mut world, 3, 50)];
        let (mut chain, told) = chain(ALL);
        chain.assert(world.terms(), large);
        assert!(matches!(chain.check(world.terms(), &Limits::default(), want_witness), Answer::Sat(_)));
        if second {
            // The witness has some value of it already.
            chain.assert(world.terms(), other);
            assert!(is_sat(&chain.check(world.terms(), &Limits::default(), true)));
            assert_eq!((chain.counters().witness.sat, chain.counters().builtin.asked), (1, 1));
        }
        hard.iter().for_each(|c| chain.assert(world.terms(), *c));
        told.lock().unwrap().work = Some(ALONE);
        let Answer::Sat(Some(witness)) = chain.check(world.terms(), &Limits::default(), true) else { panic!("it is") };
        assert!(world.terms().satisfies(&witness, &hard) && world.terms().satisfies(&witness, &[large]));
        assert_eq!(told.lock().unwrap().asked, [hard], "{want_witness}, {second}");
    }
}

/// What the back-end found is known to the built-in solver as well: also without the layer of witnesses, it is not asked
/// about again.
#[test]
fn values_of_the_back_end_are_taken_over() {
    let (mut world, hard) = hard(UNOPENED, ALONE, true);
    let z = world.symbol("z", world.sorts.int);
    world.ints.push(z);
    let cube = world.arith(Op::Mul, &[z, z, z]);
    let limit = world.int(70_000);
    let other = world.test(Op::Lt, &[limit, cube]);
    let (mut chain, told) = chain(Switches { witness: false, ..ALL });
    told.lock().unwrap().work = Some(ALONE);
    hard.iter().for_each(|c| chain.assert(world.terms(), *c));
    assert!(is_sat(&chain.check(world.terms(), &Limits::default(), true)));
    chain.assert(world.terms(), other);
    told.lock().unwrap().script = vec![Answer::Sat(Some([0, 0, 50].map(Value::Int).to_vec()))];
    let answer = chain.check(world.terms(), &Limits { resources: 0, ..Limits::default() }, true);
    let Answer::Sat(Some(witness)) = answer else { panic!("{answer:?}") };
    assert!(world.terms().satisfies(&witness, &hard) && world.terms().satisfies(&witness, &[other]));
    assert_eq!(told.lock().unwrap().asked, [hard, vec![other]]);
    // Without both layers nobody remembers values, and everything is asked.
    let [first, second] = [more(&mut world, 0, 5), more(&mut world, 1, 5)];
    let (mut chain, told) = self::chain(Switches { groups: true, ..NONE });
    for c in [first, second] {
        chain.assert(world.terms(), c);
        assert!(is_sat(&ask(&mut chain, &world)));
    }
    assert_eq!(told.lock().unwrap().asked, [vec![first], vec![first, second]]);
}

/// A back-end that never worked is not asked by those who want the same answer again; one that did may work again.
#[test]
fn who_has_worked_may_work_again() {
    let (world, hard) = hard(ALONE, 20 * ALONE, true);
    let undecided = Answer::Unknown(Reason::Undecided("so".into()));
    let no_solver = Answer::Unknown(Reason::NoSolver);
    for (script, asked_again) in [
        (vec![broken()], false),
        (vec![no_solver.clone()], false),
        (vec![no_solver.clone(), no_solver], false),
        (vec![undecided.clone(), broken()], true),
        (vec![undecided.clone()], true),
    ] {
        let (mut chain, told) = chain(ALL);
        hard.iter().for_each(|c| chain.assert(world.terms(), *c));
        for answer in &script {
            told.lock().unwrap().script = vec![answer.clone()];
            assert_eq!(chain.check(world.terms(), &Limits::default(), true), *answer);
        }
        let before = told.lock().unwrap().asked.len();
        told.lock().unwrap().script = vec![undecided.clone()];
        let answer = chain.check_afresh(world.terms(), &Limits::default(), true);
        assert_eq!(told.lock().unwrap().asked.len() - before, usize::from(asked_again), "{script:?}");
        // Whoever was asked says why it is not known.
        let expected = if asked_again { &undecided } else { &script[0] };
        assert_eq!(answer, *expected, "{script:?}");
    }
}

/// Whether there is an answer afresh does not depend on what was asked before: not on values that somebody happens to
/// remember.
#[test]
fn luck_does_not_count_afresh() {
    let (mut world, hard) = hard(ALONE, 20 * ALONE, true);
    // The same with its solution: easy.
    let mut solver = Builtin::new();
    hard.iter().for_each(|c| solver.assert(world.terms(), *c));
    let found = solver.check(world.terms(), &Limits { resources: 20 * ALONE, ..Limits::default() }, true);
    let Answer::Sat(Some(solution)) = found else { panic!("{found:?}") };
    let pins: Vec<TermId> = (0..2)
        .map(|i| {
            let value = world.pool.constant(solution[i].clone(), world.sorts.int);
            world.test(Op::Eq, &[world.ints[i], value])
        })
        .collect();
    let mut chain = Chain::with(None, ALL);
    hard.iter().for_each(|c| chain.assert(world.terms(), *c));
    chain.push();
    pins.iter().for_each(|c| chain.assert(world.terms(), *c));
    assert!(is_sat(&chain.check(world.terms(), &Limits::default(), true)));
    chain.pop();
    assert!(is_sat(&chain.check(world.terms(), &Limits::default(), true)), "it remembers the solution");
    let before = chain.counters();
    assert_eq!(chain.check_afresh(world.terms(), &Limits::default(), true), Answer::Unknown(Reason::NoSolver));
    let after = chain.counters();
    assert_eq!(
        (after.witness, after.cache, after.simplification),
        (before.witness, before.cache, before.simplification)
    );
    assert_eq!(
        (after.builtin.asked, after.builtin.passed_on),
        (before.builtin.asked + 1, before.builtin.passed_on + 1)
    );
    // Who gives up meanwhile is told so.
    let limits = Limits::default().until(Some(&Arc::new(AtomicBool::new(true))));
    assert_eq!(chain.check_afresh(world.terms(), &limits, true), Answer::Unknown(Reason::Cancelled));
}

/// Where work alone decides, the layers are asked afresh as ever; and a contradiction is one.
#[test]
fn what_is_exact_is_asked_as_ever() {
    let mut world = World::new(1, 0, 0, false);
    let [large, small] = [more(&mut world, 0, 5), less(&mut world, 0, 9)];
    let not_large = world.pool.not(&world.sorts, large);
    for with_back_end in [false, true] {
        let (mut chain, told) = chain(ALL);
        if !with_back_end {
            chain = Chain::with(None, ALL);
        }
        chain.assert(world.terms(), large);
        chain.assert(world.terms(), small);
        for _ in 0..2 {
            assert!(is_sat(&chain.check_afresh(world.terms(), &limits(), true)));
        }
        assert_eq!((chain.counters().builtin.sat, chain.counters().witness.sat), (1, 1), "{with_back_end}");
        chain.assert(world.terms(), not_large);
        let before = chain.counters();
        assert_eq!(chain.check_afresh(world.terms(), &limits(), true), Answer::Unsat(Some(vec![large, not_large])));
        let simplification = Counters { asked: before.simplification.asked + 1, unsat: 1, ..before.simplification };
        assert_eq!(chain.counters(), ChainCounters { simplification, ..before });
        assert_eq!(told.lock().unwrap().asked.len(), 0);
    }
}

/// Where luck might matter, the back-end is asked before the built-in solver, and its answer is the answer.
#[test]
fn the_back_end_decides_afresh() {
    let (world, hard) = hard(OPENED, UNOPENED, true);
    let (mut chain, told) = chain(ALL);
    told.lock().unwrap().work = Some(UNOPENED);
    hard.iter().for_each(|c| chain.assert(world.terms(), *c));
    assert!(is_sat(&chain.check_afresh(world.terms(), &Limits::default(), true)));
    assert_eq!(told.lock().unwrap().asked, std::slice::from_ref(&hard));
    assert_eq!((chain.counters().builtin.asked, chain.counters().back_end.sat), (0, 1));
    // Without the built-in solver nobody else is asked.
    let (mut chain, told) = self::chain(Switches { builtin: false, ..ALL });
    told.lock().unwrap().script = vec![Answer::Unknown(Reason::Resources)];
    hard.iter().for_each(|c| chain.assert(world.terms(), *c));
    let answer = chain.check_afresh(world.terms(), &Limits::default(), true);
    assert_eq!((answer, chain.counters().builtin.asked), (Answer::Unknown(Reason::Resources), 0));
    assert_eq!(told.lock().unwrap().asked.len(), 1);
    // Its time is over: nobody goes on.
    let (mut chain, told) = self::chain(ALL);
    told.lock().unwrap().script = vec![Answer::Unknown(Reason::Time)];
    hard.iter().for_each(|c| chain.assert(world.terms(), *c));
    let answer = chain.check_afresh(world.terms(), &Limits::default(), true);
    assert_eq!((answer, chain.counters().builtin.asked), (Answer::Unknown(Reason::Time), 0));
}
