//! The layer of the chain that tries all values where these are few, and work that is counted while somebody waits.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sioco_model::TermId;
use sioco_model::term::Op;
use sioco_solve::cancellation::Cancellation;
use sioco_solve::chain::{Chain, Counters, Switches};
use sioco_solve::{Answer, Finite, Limits, Reason, Solver};
use support::World;
use support::scribe::{ALL, ALONE, NONE, UNOPENED, broken, chain, hard, is_sat, more};

/// Only this layer, and groups.
const FEW: Switches = Switches { few: true, groups: true, ..NONE };

/// `x * x * x + y == n` with `x` and `y` within bounds: there are `last * last` values to try.
fn sum(world: &mut World, x: usize, y: usize, last: i64, n: i64) -> Vec<TermId> {
    let (x, y) = (world.ints[x], world.ints[y]);
    let (cube, n) = (world.arith(Op::Mul, &[x, x, x]), world.int(n));
    let sum = world.arith(Op::Add, &[cube, y]);
    vec![world.between(x, 1, last), world.between(y, 1, last), world.test(Op::Eq, &[sum, n])]
}

fn asked(chain: &mut Chain, world: &World, conditions: &[TermId]) -> Answer {
    conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
    chain.check(world.terms(), &Limits::default(), true)
}

/// Few values are tried instead of asking a back-end, and what was found is remembered by the others.
#[test]
fn few_values_are_tried() {
    let mut world = World::new(2, 0, 0, false);
    let [possible, impossible] = [sum(&mut world, 0, 1, 6, 28), sum(&mut world, 0, 1, 6, 40)];
    for (conditions, sat) in [(&possible, true), (&impossible, false)] {
        for few in [true, false] {
            let (mut chain, told) = chain(Switches { few, ..FEW });
            match asked(&mut chain, &world, conditions) {
                Answer::Sat(Some(witness)) => assert!(sat && world.terms().satisfies(&witness, conditions)),
                Answer::Unsat(Some(core)) => assert!(!sat && core.iter().all(|c| conditions.contains(c))),
                answer => panic!("{answer:?}"),
            }
            assert_eq!(told.lock().unwrap().asked.len(), usize::from(!few));
            let (sat, unsat) = (u64::from(sat && few), u64::from(!sat && few));
            assert_eq!(chain.counters().few, Counters { asked: u64::from(few), sat, unsat, passed_on: 0 });
        }
    }
    // The last witness is one, and nobody tries anything again.
    let (mut chain, told) = chain(Switches { witness: true, ..FEW });
    assert!(is_sat(&asked(&mut chain, &world, &possible)));
    assert!(is_sat(&asked(&mut chain, &world, &[])));
    assert_eq!((chain.counters().few.asked, chain.counters().witness.sat), (1, 1));
    assert_eq!(chain.check(world.terms(), &Limits::default(), false), Answer::Sat(None), "nobody wants it");
    assert_eq!(told.lock().unwrap().asked.len(), 0);
}

/// Twice a symbol is greater than a number.
fn twice(world: &mut World, x: usize, n: i64) -> TermId {
    let sum = world.arith(Op::Add, &[world.ints[x], world.ints[x]]);
    let number = world.int(n);
    world.test(Op::Lt, &[number, sum])
}

/// What has values already need not be decided again; what has none goes on.
#[test]
fn the_rest_may_have_values_already() {
    let mut world = World::new(4, 0, 0, false);
    let few = sum(&mut world, 0, 1, 6, 28);
    let [large, huge] = [twice(&mut world, 2, 5), twice(&mut world, 3, 500)];
    let (mut chain, told) = chain(Switches { witness: true, ..FEW });
    // Unbounded, and computed with: that is not for this layer.
    assert!(is_sat(&asked(&mut chain, &world, &[large])));
    assert_eq!(told.lock().unwrap().asked, [vec![large]]);
    let Answer::Sat(Some(witness)) = asked(&mut chain, &world, &few) else { panic!("both have values") };
    assert!(world.terms().satisfies(&witness, &few) && world.terms().satisfies(&witness, &[large]));
    assert_eq!((told.lock().unwrap().asked.len(), chain.counters().few.sat), (1, 1));
    let Answer::Sat(Some(witness)) = asked(&mut chain, &world, &[huge]) else { panic!("it has values") };
    assert!(world.terms().satisfies(&witness, &few) && world.terms().satisfies(&witness, &[large, huge]));
    assert_eq!(told.lock().unwrap().asked, [vec![large], vec![huge]], "only what nobody knows");
    // The built-in solver knows them as well.
    let (mut chain, told) = self::chain(Switches { builtin: true, ..FEW });
    let (mut world, hard) = hard(UNOPENED, ALONE, true);
    let z = world.symbol("z", world.sorts.int);
    let cube = world.arith(Op::Mul, &[z, z, z]);
    let limit = world.int(70_000);
    let other = world.test(Op::Lt, &[limit, cube]);
    assert!(is_sat(&asked(&mut chain, &world, &hard)));
    assert_eq!((told.lock().unwrap().asked.len(), chain.counters().few.sat), (0, 1));
    told.lock().unwrap().script = vec![Answer::Unknown(Reason::Undecided("so".into()))];
    chain.assert(world.terms(), other);
    chain.check(world.terms(), &Limits { resources: 0, ..Limits::default() }, true);
    assert_eq!(told.lock().unwrap().asked, [vec![other]]);
}

/// So many values are tried as a question to a back-end costs; where there is none, more of them.
#[test]
fn more_values_are_tried_where_nobody_else_answers() {
    let mut world = World::new(2, 0, 0, false);
    for (last, with_back_end, alone) in [(20, true, true), (100, false, true), (2_000, false, false)] {
        let conditions = sum(&mut world, 0, 1, last, 28);
        let (mut chain, told) = chain(FEW);
        assert!(is_sat(&asked(&mut chain, &world, &conditions)) || !with_back_end);
        assert_eq!(told.lock().unwrap().asked.is_empty(), with_back_end, "{last}");
        let mut chain = Chain::with(None, FEW);
        assert_eq!(is_sat(&asked(&mut chain, &world, &conditions)), alone, "{last}");
        // Within the limits of the question.
        let mut chain = Chain::with(None, FEW);
        conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
        let answer = chain.check(world.terms(), &Limits { resources: 10, ..Limits::default() }, true);
        assert_eq!(answer, Answer::Unknown(Reason::NoSolver), "{last}");
    }
}

/// Afresh, few values are tried first, unless work alone decides; the rest is solved apart, and gets together with them.
#[test]
fn few_values_are_tried_afresh() {
    let mut world = World::new(4, 0, 0, false);
    let few = sum(&mut world, 0, 1, 6, 28);
    let impossible = sum(&mut world, 0, 1, 6, 40);
    let [large, twice] = [more(&mut world, 2, 5), twice(&mut world, 3, 5)];
    let afresh = |chain: &mut Chain, conditions: &[TermId]| {
        conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
        chain.check_afresh(world.terms(), &Limits::default(), true)
    };
    let (mut chain, told) = chain(ALL);
    assert!(is_sat(&afresh(&mut chain, &few)));
    assert_eq!((chain.counters().few.sat, chain.counters().builtin.asked), (1, 0));
    let (mut chain, _) = self::chain(ALL);
    assert!(matches!(afresh(&mut chain, &impossible), Answer::Unsat(Some(_))));
    assert_eq!(chain.counters().few.unsat, 1);
    let (mut chain, _) = self::chain(ALL);
    assert!(is_sat(&afresh(&mut chain, &[large])));
    assert_eq!((chain.counters().few.asked, chain.counters().builtin.sat), (0, 1), "it is exact");
    assert_eq!(told.lock().unwrap().asked.len(), 0);
    let mut chain = Chain::with(None, ALL);
    let all = [&few[..], &[twice]].concat();
    let Answer::Sat(Some(witness)) = afresh(&mut chain, &all) else { panic!("both have values") };
    assert!(world.terms().satisfies(&witness, &all));
    assert_eq!((chain.counters().few.passed_on, chain.counters().builtin.sat), (1, 1));
    // Who gives up is told so, and nothing is tried.
    let (mut chain, _) = self::chain(ALL);
    few.iter().for_each(|c| chain.assert(world.terms(), *c));
    let limits = Limits { cancellation: Cancellation::by(Arc::new(AtomicBool::new(true))), ..Limits::default() };
    assert_eq!(chain.check_afresh(world.terms(), &limits, true), Answer::Unknown(Reason::Cancelled));
    // Without the layer, somebody else decides.
    let (mut chain, _) = self::chain(Switches { few: false, ..ALL });
    assert!(is_sat(&afresh(&mut chain, &few)));
    assert_eq!(chain.counters().few.asked, 0);
    assert_eq!(Finite::default().valuations(world.terms(), &few, &[], 0, 10), None, "nothing for no work");
}

/// While somebody waits, each question to the back-end costs something, and so does the work of the built-in solver. When
/// nothing is left, nobody is asked.
#[test]
fn work_is_counted_while_somebody_waits() {
    let (world, hard) = hard(UNOPENED, ALONE, true);
    let undecided = Answer::Unknown(Reason::Undecided("so".into()));
    let hurried = |work: u64| {
        let cancellation = Cancellation::new([], None);
        cancellation.hurry(Some(Duration::from_secs(600)));
        cancellation.ration(work);
        cancellation
    };
    let switches = Switches { builtin: false, few: false, cache: false, witness: false, ..ALL };
    for (work, questions) in [(1, 1), (5_000, 1), (5_001, 2), (15_000, 3)] {
        let cancellation = hurried(work);
        let (chain, told) = chain(switches);
        let mut chain = chain.on(Some(&cancellation));
        hard.iter().for_each(|c| chain.assert(world.terms(), *c));
        told.lock().unwrap().script = vec![undecided.clone(); 10];
        for n in 0..5 {
            let answer = chain.check(world.terms(), &Limits::default(), true);
            let expected = if n < questions { &undecided } else { &Answer::Unknown(Reason::Spent) };
            assert_eq!(answer, *expected, "{work}, question {n}");
        }
        assert_eq!((told.lock().unwrap().asked.len(), cancellation.is_spent()), (questions, true), "{work}");
    }
    // A back-end that did its work in vain has used up all of it, and with more of it there may be an answer.
    let cancellation = hurried(1_000_000);
    let (back, told) = chain(switches);
    let mut back = back.on(Some(&cancellation));
    hard.iter().for_each(|c| back.assert(world.terms(), *c));
    told.lock().unwrap().script = vec![Answer::Unknown(Reason::Resources)];
    assert_eq!(back.check(world.terms(), &Limits::default(), true), Answer::Unknown(Reason::Spent));
    assert!(cancellation.is_spent());
    // Some of the work of the built-in solver counts, also of one without a past.
    for afresh in [false, true] {
        let cancellation = hurried(3_000);
        let mut chain = Chain::with(None, Switches { few: false, ..ALL }).on(Some(&cancellation));
        hard.iter().for_each(|c| chain.assert(world.terms(), *c));
        let limits = Limits { resources: 1_000, ..Limits::default() };
        let mut ask = || match afresh {
            true => chain.check_afresh(world.terms(), &limits, true),
            false => chain.check(world.terms(), &limits, true),
        };
        let asked = (0..1_000).take_while(|_| ask() == Answer::Unknown(Reason::NoSolver)).count();
        assert_eq!(ask(), Answer::Unknown(Reason::Spent));
        // Each takes at most 1000, three times that for conditions one after the other, of which half counts.
        assert!((2..200).contains(&asked) && cancellation.is_spent(), "{afresh}: {asked}");
    }
}

/// What a question costs does not depend on how many there were before: ten times the work is ten times the questions.
#[test]
fn every_question_costs_its_own_work() {
    let (world, hard) = hard(UNOPENED, ALONE, true);
    let questions = |work: u64| {
        let cancellation = Cancellation::new([], None);
        cancellation.hurry(Some(Duration::from_secs(600)));
        cancellation.ration(work);
        let mut chain = Chain::with(None, Switches { few: false, ..ALL }).on(Some(&cancellation));
        hard.iter().for_each(|c| chain.assert(world.terms(), *c));
        let limits = Limits { resources: 1_000, ..Limits::default() };
        let mut ask = || chain.check_afresh(world.terms(), &limits, true);
        (0..10_000).take_while(|_| ask() == Answer::Unknown(Reason::NoSolver)).count()
    };
    let (few, many) = (questions(5_000), questions(50_000));
    // All take the same, and the last one may take more than is left.
    assert!(few > 2 && (10 * few - 9..=10 * few).contains(&many), "{few}, {many}");
}

/// Where nobody waits, questions that the clock ended are counted, and no others.
#[test]
fn questions_that_the_clock_ended_are_counted() {
    let (world, hard) = hard(UNOPENED, ALONE, true);
    let switches = Switches { builtin: false, few: false, cache: false, witness: false, ..ALL };
    for (answer, late) in [(Answer::Unknown(Reason::Time), 1), (Answer::Unknown(Reason::Resources), 0), (broken(), 0)] {
        let cancellation = Cancellation::new([], None);
        let (chain, told) = chain(switches);
        let mut chain = chain.on(Some(&cancellation));
        hard.iter().for_each(|c| chain.assert(world.terms(), *c));
        told.lock().unwrap().script = vec![answer.clone()];
        assert_eq!(chain.check(world.terms(), &Limits::default(), true), answer);
        assert_eq!(cancellation.late(), late, "{answer:?}");
    }
}
