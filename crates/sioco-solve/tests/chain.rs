//! The chain of cheap answers: the same answers with and without each layer.

mod support;

use std::time::Duration;

use sioco_model::term::Op;
use sioco_solve::builtin::Builtin;
use sioco_solve::chain::{Chain, Switches};
use sioco_solve::{Answer, Cancellation, Limits, Reason, Solver};
use support::{World, limits, seeds, walk};

fn variants() -> Vec<Switches> {
    let all = Switches::default();
    let none =
        Switches { simplification: false, witness: false, builtin: false, few: false, groups: false, cache: false };
    vec![
        Switches { simplification: false, ..all },
        Switches { witness: false, ..all },
        Switches { builtin: false, ..all },
        Switches { few: false, ..all },
        Switches { few: true, ..none },
        Switches { groups: false, ..all },
        Switches { cache: false, ..all },
        none,
        Switches { cache: true, groups: true, ..none },
        Switches { witness: true, groups: true, ..none },
    ]
}

#[test]
fn every_layer_may_be_missing() {
    for seed in seeds(0, 3) {
        for ranged in [false, true] {
            let all = walk(seed, seed % 2 == 1, ranged, &mut Chain::new(None));
            for switches in variants() {
                let mut chain = Chain::with(Some(Box::new(Builtin::new())), switches);
                let some = walk(seed, seed % 2 == 1, ranged, &mut chain);
                for (step, (a, b)) in all.iter().zip(&some).enumerate() {
                    assert!(a == b || a.is_none() || b.is_none(), "seed {seed}, step {step}, {switches:?}");
                }
            }
        }
    }
}

/// A back-end that says the same to every question, and counts them.
struct Parrot {
    answer: Answer,
    asked: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    asserted: Vec<usize>,
}

impl Solver for Parrot {
    fn name(&self) -> String {
        "parrot".into()
    }
    fn push(&mut self) {
        self.asserted.push(0);
    }
    fn pop(&mut self) {
        self.asserted.pop().expect("as many pops as pushes");
    }
    fn assert(&mut self, _: sioco_solve::Terms<'_>, _: sioco_model::TermId) {
        *self.asserted.last_mut().expect("a level") += 1;
    }
    fn check(&mut self, _: sioco_solve::Terms<'_>, _: &Limits, _: bool) -> Answer {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.answer.clone()
    }
}

fn parrot(answer: Answer) -> (Option<Box<dyn Solver>>, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let solver = Parrot { answer, asked: std::sync::Arc::clone(&asked), asserted: vec![] };
    (Some(Box::new(solver)), asked)
}

#[test]
fn without_a_back_end_the_undecided_is_unknown_for_lack_of_a_solver() {
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    // x^3 + y^3 == 4: no solution, but no bound shows it.
    let x3 = world.arith(Op::Mul, &[x, x, x]);
    let y3 = world.arith(Op::Mul, &[y, y, y]);
    let sum = world.arith(Op::Add, &[x3, y3]);
    let four = world.int(4);
    let c = world.test(Op::Eq, &[sum, four]);
    let mut chain = Chain::new(None);
    chain.assert(world.terms(), c);
    assert_eq!(chain.check(world.terms(), &limits(), true), Answer::Unknown(Reason::NoSolver));
}

#[test]
fn a_wrong_witness_of_the_back_end_is_not_passed_on() {
    let mut world = World::new(1, 0, 0, false);
    let (x, one) = (world.ints[0], world.int(1));
    let c = world.test(Op::Lt, &[one, x]);
    let (back_end, asked) = parrot(Answer::Sat(Some(vec![sioco_model::Value::Int(0)])));
    let mut chain = Chain::with(back_end, Switches { builtin: false, few: false, ..Switches::default() });
    chain.assert(world.terms(), c);
    let answer = chain.check(world.terms(), &Limits::default(), true);
    assert!(matches!(answer, Answer::Unknown(Reason::Broken { .. })), "{answer:?}");
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn the_cache_answers_what_was_asked_before() {
    let mut world = World::new(1, 0, 0, false);
    let (x, one) = (world.ints[0], world.int(1));
    let c = world.test(Op::Lt, &[one, x]);
    let (back_end, asked) = parrot(Answer::Unsat(None));
    let mut chain = Chain::with(back_end, Switches { builtin: false, few: false, ..Switches::default() });
    for _ in 0..3 {
        chain.push();
        chain.assert(world.terms(), c);
        assert!(matches!(chain.check(world.terms(), &Limits::default(), false), Answer::Unsat(_)));
        chain.pop();
    }
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
    assert_eq!(chain.counters().cache.unsat, 2);
}

#[test]
fn what_is_plain_to_see_needs_no_solver() {
    let mut world = World::new(1, 1, 0, false);
    let (x, b, two) = (world.ints[0], world.bools[0], world.int(2));
    let same = world.test(Op::Le, &[x, x]);
    let less = world.test(Op::Lt, &[x, x]);
    let not_b = world.pool.not(&world.sorts, b);
    let quotient = world.arith(Op::Div, &[two, x]);
    let undefined = world.test(Op::Lt, &[quotient, quotient]);
    let only = Switches { witness: false, builtin: false, groups: false, cache: false, ..Switches::default() };
    let mut chain = Chain::with(None, only);
    chain.assert(world.terms(), same);
    for (conjuncts, unsat) in [(vec![less], true), (vec![undefined], true), (vec![b, not_b], true), (vec![b], false)] {
        chain.push();
        conjuncts.iter().for_each(|c| chain.assert(world.terms(), *c));
        let answer = chain.check(world.terms(), &Limits::default(), false);
        assert_eq!(matches!(answer, Answer::Unsat(Some(_))), unsat, "{answer:?}");
        chain.pop();
    }
}

#[test]
fn groups_keep_the_values_of_the_others() {
    let mut world = World::new(3, 0, 0, false);
    let [x, y, z] = [world.ints[0], world.ints[1], world.ints[2]];
    let first = world.between(x, 5, 6);
    let second = world.test(Op::Lt, &[y, z]);
    let third = world.between(y, 7, 7);
    let mut chain =
        Chain::with(Some(Box::new(Builtin::new())), Switches { builtin: false, few: false, ..Switches::default() });
    chain.assert(world.terms(), first);
    assert!(matches!(chain.check(world.terms(), &Limits::default(), true), Answer::Sat(Some(_))));
    chain.assert(world.terms(), second);
    chain.assert(world.terms(), third);
    let Answer::Sat(Some(witness)) = chain.check(world.terms(), &Limits::default(), true) else { panic!() };
    assert!(world.terms().satisfies(&witness, &[first, second, third]));
    assert_eq!(chain.counters().grouped, 1);
}

/// A question that was on its way when somebody gave up is counted; one that is asked afterwards is not.
#[test]
fn questions_without_an_answer_are_counted() {
    let (world, conditions) = hard(2);
    for (cancelled, unanswered) in [(false, 2), (true, 0)] {
        let asked = std::sync::Arc::default();
        let parrot = Parrot { answer: Answer::Unknown(Reason::Cancelled), asked, asserted: vec![0] };
        let mut chain = Chain::with(Some(Box::new(parrot)), Switches { builtin: false, ..Switches::default() });
        let cancel = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(cancelled));
        ask_all(
            &mut chain,
            &world,
            &conditions,
            &Limits { cancellation: Cancellation::by(cancel), ..Limits::default() },
        );
        assert_eq!(chain.counters().unanswered, unanswered);
    }
}

/// `x^3 + y^3 == n` for a few `n`: no bound decides any of them.
fn hard(count: i64) -> (World, Vec<sioco_model::TermId>) {
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    let x3 = world.arith(Op::Mul, &[x, x, x]);
    let y3 = world.arith(Op::Mul, &[y, y, y]);
    let sum = world.arith(Op::Add, &[x3, y3]);
    let mut conditions = Vec::new();
    for n in 0..count {
        let n = world.int(9 * n + 4);
        conditions.push(world.test(Op::Eq, &[sum, n]));
    }
    (world, conditions)
}

fn ask_all(chain: &mut Chain, world: &World, conditions: &[sioco_model::TermId], limits: &Limits) -> Vec<Answer> {
    let ask = |c: &sioco_model::TermId| {
        chain.push();
        chain.assert(world.terms(), *c);
        let answer = chain.check(world.terms(), limits, true);
        chain.pop();
        answer
    };
    conditions.iter().map(ask).collect()
}

#[test]
fn a_back_end_that_breaks_down_twice_in_a_row_is_left_alone() {
    let (world, conditions) = hard(6);
    let broken = Answer::Unknown(Reason::Broken { solver: "parrot".into(), what: "it fell off".into() });
    for (answer, most) in [(broken, 2), (Answer::Unknown(Reason::Time), 6)] {
        let (back_end, asked) = parrot(answer.clone());
        let mut chain = Chain::new(back_end);
        for given in ask_all(&mut chain, &world, &conditions, &limits()) {
            assert_eq!(given, answer);
        }
        assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), most);
        assert_eq!(chain.given_up().is_some(), most == 2);
    }
}

#[test]
fn who_does_not_know_is_no_worse_than_nobody() {
    // p * p + r * r == w * w, small: a search finds it.
    let mut world = World::new(3, 0, 0, false);
    let [p, r, w] = [world.ints[0], world.ints[1], world.ints[2]];
    let [p2, r2, w2] = [p, r, w].map(|x| world.arith(Op::Mul, &[x, x]));
    let sum = world.arith(Op::Add, &[p2, r2]);
    let mut conditions = vec![world.test(Op::Eq, &[sum, w2]), world.test(Op::Lt, &[p, r])];
    conditions.extend([p, r, w].map(|x| world.between(x, 3, 19)));
    let ask = |chain: &mut Chain| {
        chain.push();
        conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
        chain.check_afresh(world.terms(), &limits(), true)
    };
    assert!(matches!(ask(&mut Chain::new(None)), Answer::Sat(_)));
    for answer in [Answer::Unknown(Reason::Undecided("hm".into())), Answer::Unknown(Reason::Resources)] {
        let (back_end, asked) = parrot(answer);
        let found = ask(&mut Chain::new(back_end));
        assert!(matches!(found, Answer::Sat(_)), "{found:?}");
        assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
    }
    // What nobody knows has the reason of who was asked.
    let (world, conditions) = hard(1);
    let (back_end, _) = parrot(Answer::Unknown(Reason::Resources));
    let mut chain = Chain::new(back_end);
    chain.assert(world.terms(), conditions[0]);
    assert_eq!(chain.check_afresh(world.terms(), &limits(), true), Answer::Unknown(Reason::Resources));
}

#[test]
fn a_program_that_never_says_anything_is_asked_twice() {
    if sioco_solve::smt::locate::on_path("sh").is_none() {
        eprintln!("skipped: there is no sh here");
        return;
    }
    let (world, conditions) = hard(20);
    let mut chain = sioco_solve::BackEnd::Command("sh -c 'exec sleep 1000'".into()).chain();
    let limits = Limits { wall: std::time::Duration::from_millis(300), ..limits() };
    for answer in ask_all(&mut chain, &world, &conditions, &limits) {
        let Answer::Unknown(Reason::Broken { solver, what }) = answer else { panic!("{answer:?}") };
        assert_eq!(solver, "sh -c exec sleep 1000");
        assert!(what.contains("printed nothing in its first 0.3 s"), "{what}");
    }
    assert_eq!(chain.counters().back_end.asked, 2);
}

/// While somebody waits, questions are rationed by counted work: how many are answered is the same on any machine.
#[test]
fn whoever_waits_gets_so_much_work_and_no_more() {
    let mut world = World::new(2, 0, 0, false);
    let cubes = |world: &mut World, n: i64| {
        let [x, y] = [world.ints[0], world.ints[1]];
        let x3 = world.arith(Op::Mul, &[x, x, x]);
        let y3 = world.arith(Op::Mul, &[y, y, y]);
        let sum = world.arith(Op::Add, &[x3, y3]);
        let n = world.int(n);
        world.test(Op::Eq, &[sum, n])
    };
    let cancellation = Cancellation::new([], None);
    let limits = Limits { cancellation: cancellation.clone(), ..limits() };
    let mut counts = Vec::new();
    for _ in 0..2 {
        // As long as one likes: the clock decides nothing here.
        cancellation.hurry(Some(Duration::from_secs(10_000)));
        cancellation.ration(100_000);
        let (back_end, asked) = parrot(Answer::Unsat(None));
        let mut chain = Chain::new(back_end);
        let mut answered = 0;
        for n in 0..200 {
            let condition = cubes(&mut world, 9 * n + 4);
            chain.push();
            chain.assert(world.terms(), condition);
            let answer = chain.check(world.terms(), &limits, false);
            chain.pop();
            match answer {
                Answer::Unsat(_) => answered += 1,
                Answer::Unknown(Reason::Spent) => break,
                other => panic!("{other:?}"),
            }
        }
        counts.push((answered, asked.load(std::sync::atomic::Ordering::Relaxed)));
        assert!(cancellation.is_spent() && cancellation.late() == 0);
        // When nobody waits any more, it is answered as ever.
        cancellation.hurry(None);
        let condition = cubes(&mut world, 4);
        chain.push();
        chain.assert(world.terms(), condition);
        assert_eq!(chain.check(world.terms(), &limits, false), Answer::Unsat(Some(vec![condition])));
    }
    assert!(counts[0] == counts[1] && (5..60).contains(&counts[0].0), "{counts:?}");
    // What used up its work is not remembered as undecided.
    cancellation.hurry(Some(Duration::from_secs(10_000)));
    let (back_end, _) = parrot(Answer::Unknown(Reason::Resources));
    let condition = cubes(&mut world, 4);
    let mut chain = Chain::new(back_end);
    chain.assert(world.terms(), condition);
    assert_eq!(chain.check(world.terms(), &limits, false), Answer::Unknown(Reason::Spent));
    assert!(cancellation.is_spent());
    cancellation.hurry(None);
    assert_eq!(chain.check(world.terms(), &limits, false), Answer::Unknown(Reason::Resources));
}

/// A question that the clock ends is counted, but for those of whoever waits, and at the end of everything.
#[test]
fn what_the_clock_ends_is_counted() {
    let mut world = World::new(1, 0, 0, false);
    let (x, one) = (world.ints[0], world.int(1));
    let condition = world.test(Op::Lt, &[one, x]);
    let over = Cancellation::new([], Some(std::time::Instant::now()));
    let cancellation = Cancellation::new([], None);
    for (cancellation, pause, late) in [(&cancellation, false, 1), (&cancellation, true, 1), (&over, false, 0)] {
        let (back_end, _) = parrot(Answer::Unknown(Reason::Time));
        let mut chain = Chain::with(back_end, Switches { builtin: false, few: false, ..Switches::default() });
        chain.assert(world.terms(), condition);
        cancellation.hurry(pause.then(|| Duration::from_secs(100)));
        let limits = Limits { cancellation: cancellation.clone(), ..limits() };
        assert_eq!(chain.check(world.terms(), &limits, false), Answer::Unknown(Reason::Time));
        assert_eq!(cancellation.late(), late);
    }
}
