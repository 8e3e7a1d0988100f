//! What each layer of the chain does: who is asked what, what is counted, what is remembered, and when it ends.

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use sioco_model::term::Op;
use sioco_model::{TermId, Value};
use sioco_solve::cancellation::Cancellation;
use sioco_solve::chain::{Cache, Chain, ChainCounters, Counters, Groups, Remembered, Seen, Simplifier, Switches};
use sioco_solve::{Answer, Limits, Reason, Solver};
use support::scribe::{ALL, NONE, Told, ask, below, chain, is_sat, less, more};
use support::{Rng, World, limits, symbol_id};

/// Without other layers, the back-end holds exactly what is on the stack whenever it is asked, in the same levels as far as
/// one can tell; and it is told nothing twice.
#[test]
fn the_back_end_holds_the_stack() {
    for seed in 0..40 {
        let mut rng = Rng(seed);
        let mut world = World::new(3, 0, 0, false);
        let (mut chain, told) = chain(NONE);
        let mut stack: Vec<Vec<TermId>> = vec![Vec::new()];
        // How many conjuncts of each level it was told.
        let mut known: Vec<usize> = vec![0];
        for step in 0..40 {
            match rng.below(6) {
                0 => {
                    chain.push();
                    stack.push(Vec::new());
                    known.push(0);
                }
                1 => {
                    // At the base level there is nothing to go back to.
                    chain.pop();
                    if stack.len() > 1 {
                        stack.pop();
                        known.pop();
                    }
                }
                2 | 3 => {
                    let c = world.bool_term(&mut rng, 1, false);
                    chain.assert(world.terms(), c);
                    stack.last_mut().expect("a level").push(c);
                }
                _ => {
                    let before = told.lock().unwrap().asserted;
                    ask(&mut chain, &world);
                    let told = told.lock().unwrap();
                    assert_eq!(*told.asked.last().unwrap(), stack.concat(), "seed {seed}, step {step}");
                    let new: usize = stack.iter().zip(&known).map(|(level, known)| level.len() - known).sum();
                    assert_eq!(told.asserted - before, new, "seed {seed}, step {step}: only what is new");
                    known = stack.iter().map(Vec::len).collect();
                }
            }
        }
        let asked = told.lock().unwrap().asked.len() as u64;
        let counted = Counters { asked, ..counters_of(&told) };
        assert_eq!(chain.counters(), ChainCounters { back_end: counted, ..ChainCounters::default() });
        assert_eq!(Solver::counters(&chain), Some(chain.counters()));
    }
}

/// What a scribe answered, as counters.
fn counters_of(told: &Mutex<Told>) -> Counters {
    let mut counters = Counters::default();
    for answer in &told.lock().expect("nobody panicked with it").answers {
        match answer {
            Answer::Sat(_) => counters.sat += 1,
            Answer::Unsat(_) => counters.unsat += 1,
            Answer::Unknown(_) => counters.passed_on += 1,
        }
    }
    counters
}

/// Every question is counted once by each layer that it reaches, and what a layer does not answer reaches the next one.
#[test]
fn every_question_is_counted_once_per_layer() {
    let mut sums = [0; 6];
    for seed in 0..60 {
        let mut rng = Rng(seed);
        let mut world = World::new(3, 1, 1, false);
        let (mut chain, told) = chain(ALL);
        let (mut depth, mut asked) = (0, 0);
        for _ in 0..30 {
            match rng.below(6) {
                0 => {
                    chain.push();
                    depth += 1;
                }
                1 if depth > 0 => {
                    chain.pop();
                    depth -= 1;
                }
                2 | 3 => {
                    let c = world.bool_term(&mut rng, 1, false);
                    chain.assert(world.terms(), c);
                }
                _ => {
                    // So little work that the built-in solver passes some of them on.
                    chain.check(world.terms(), &Limits { resources: seed % 4, ..Limits::default() }, true);
                    asked += 1;
                }
            }
        }
        let ChainCounters { simplification, witness, builtin, few, cache, back_end, grouped, unanswered } =
            chain.counters();
        for layer in [simplification, witness, builtin, few, cache, back_end] {
            assert_eq!(layer.asked, layer.sat + layer.unsat + layer.passed_on, "seed {seed}: {layer:?}");
        }
        let asked_next = [witness, builtin, few, cache, back_end].map(|l| l.asked);
        let passed_on = [simplification, witness, builtin, few, cache].map(|l| l.passed_on);
        assert_eq!((simplification.asked, asked_next), (asked, passed_on), "seed {seed}");
        assert_eq!(back_end, Counters { asked: back_end.asked, ..counters_of(&told) });
        assert_eq!((simplification.sat, unanswered), (0, 0));
        assert!(grouped <= cache.asked);
        let answered = [simplification.unsat, witness.sat, builtin.sat + builtin.unsat, cache.sat + cache.unsat];
        let answered = answered.into_iter().chain([back_end.sat + back_end.unsat, grouped]);
        sums.iter_mut().zip(answered).for_each(|(sum, n)| *sum += n);
    }
    assert!(sums.iter().all(|n| *n > 0), "each layer answers some: {sums:?}");
}

/// What shares no symbols with the new conditions is not asked about again, and keeps its values.
#[test]
fn only_what_is_tied_to_new_conditions_is_asked() {
    let mut world = World::new(4, 0, 0, false);
    let alone = more(&mut world, 0, 5);
    let pair = below(&mut world, 1, 2);
    let third = more(&mut world, 2, 100);
    let bridge = below(&mut world, 0, 1);
    for (groups, expected) in [
        (true, vec![vec![alone], vec![pair], vec![pair, third], vec![alone, pair, third, bridge]]),
        (false, vec![vec![alone], vec![alone, pair], vec![alone, pair, third], vec![alone, pair, third, bridge]]),
    ] {
        let (mut chain, told) = chain(Switches { witness: true, groups, ..NONE });
        for (at, c) in [alone, pair, third, bridge].into_iter().enumerate() {
            chain.assert(world.terms(), c);
            let Answer::Sat(Some(witness)) = ask(&mut chain, &world) else { panic!("{at}") };
            assert!(world.terms().satisfies(&witness, &[alone, pair, third, bridge][..=at]));
        }
        assert_eq!(told.lock().unwrap().asked, expected);
        assert_eq!(chain.counters().grouped, if groups { 2 } else { 0 });
    }
}

/// Groups in general: the least set of conditions that holds the new ones and all that share a symbol with one in it.
#[test]
fn groups_are_closed_under_common_symbols() {
    for seed in 0..50 {
        let mut rng = Rng(seed);
        let mut world = World::new(7, 0, 0, false);
        let conditions: Vec<TermId> = (0..8)
            .map(|_| {
                let (x, y) = (rng.below(7) as usize, rng.below(7) as usize);
                below(&mut world, x, y)
            })
            .collect();
        let first_new = rng.below(9) as usize;
        let mut groups = Groups::default();
        let mut inside: Vec<bool> = (0..8).map(|i| i >= first_new).collect();
        let mut share = |a: TermId, b: TermId| {
            let of_a = groups.symbols(world.terms(), a).to_vec();
            groups.symbols(world.terms(), b).iter().any(|y| of_a.contains(y))
        };
        while let Some(i) =
            (0..8).find(|i| !inside[*i] && (0..8).any(|j| inside[j] && share(conditions[*i], conditions[j])))
        {
            inside[i] = true;
        }
        let expected: Vec<TermId> = conditions.iter().zip(inside).filter(|(_, t)| *t).map(|(c, _)| *c).collect();
        let found = Groups::default().connected(world.terms(), &conditions, first_new);
        assert_eq!(found, expected, "seed {seed}");
    }
}

/// The last witness answers what it satisfies, also for symbols that are new and one level further down; what it does not
/// satisfy goes on.
#[test]
fn the_last_witness_is_tried_again() {
    let mut world = World::new(1, 0, 0, false);
    let large = more(&mut world, 0, 5);
    let (mut chain, told) = chain(Switches { witness: true, ..NONE });
    chain.push();
    chain.assert(world.terms(), large);
    assert!(is_sat(&ask(&mut chain, &world)));
    let asked = || told.lock().unwrap().asked.len();
    assert_eq!(asked(), 1);
    // It is true of all numbers above 5.
    let positive = more(&mut world, 0, 0);
    chain.push();
    chain.assert(world.terms(), positive);
    let y = world.symbol("y", world.sorts.bool);
    let not_y = world.pool.not(&world.sorts, y);
    chain.assert(world.terms(), not_y);
    let Answer::Sat(Some(witness)) = ask(&mut chain, &world) else { panic!("it has some value of the new symbol") };
    assert!(world.terms().satisfies(&witness, &[large, positive, not_y]));
    assert_eq!((asked(), chain.counters().witness.sat), (1, 1));
    assert_eq!(chain.check(world.terms(), &limits(), false), Answer::Sat(None), "nobody wanted it");
    // Another value of the new symbol has to be found.
    chain.push();
    chain.assert(world.terms(), y);
    assert!(!is_sat(&ask(&mut chain, &world)));
    assert_eq!(asked(), 2);
    chain.pop();
    assert!(is_sat(&ask(&mut chain, &world)));
    chain.pop();
    // What was found on a level that is closed satisfies the levels below it as well.
    let other = more(&mut world, 0, 50);
    chain.push();
    chain.assert(world.terms(), other);
    assert!(is_sat(&ask(&mut chain, &world)));
    let before = asked();
    chain.pop();
    assert!(is_sat(&ask(&mut chain, &world)));
    assert_eq!(asked(), before);
}

/// Values that somebody offers are the last witness if they satisfy everything, and are forgotten otherwise.
#[test]
fn offered_values_are_a_witness() {
    let mut world = World::new(1, 0, 0, false);
    let large = more(&mut world, 0, 5);
    let (mut chain, told) = chain(Switches { witness: true, ..NONE });
    chain.assert(world.terms(), large);
    assert!(!chain.offer(world.terms(), &[Value::Int(5)]));
    assert!(chain.offer(world.terms(), &[Value::Int(123)]));
    assert_eq!(ask(&mut chain, &world), Answer::Sat(Some(vec![Value::Int(123)])));
    assert!(!chain.offer(world.terms(), &[Value::Int(4)]));
    assert_eq!(ask(&mut chain, &world), Answer::Sat(Some(vec![Value::Int(123)])));
    assert_eq!((told.lock().unwrap().asked.len(), chain.counters().witness.sat), (0, 2));
}

/// Without the layer of witnesses, every question is asked anew.
#[test]
fn without_witnesses_everything_is_asked() {
    let mut world = World::new(1, 0, 0, false);
    let large = more(&mut world, 0, 5);
    let (mut chain, told) = chain(NONE);
    chain.assert(world.terms(), large);
    for n in 1..4 {
        assert!(is_sat(&ask(&mut chain, &world)));
        assert_eq!(told.lock().unwrap().asked.len(), n);
    }
}

/// A set of conditions is answered once, in whatever order and however often each of them is said.
#[test]
fn the_cache_knows_sets_of_conditions() {
    let mut world = World::new(2, 0, 0, false);
    let [a, b, c] = [more(&mut world, 0, 5), less(&mut world, 0, 9), less(&mut world, 0, 3)];
    let (mut chain, told) = chain(Switches { cache: true, ..NONE });
    for (conditions, sat, asked) in [
        (vec![a, b], true, 1),
        (vec![b, a], true, 1),
        (vec![a, a, b], true, 1),
        (vec![a], true, 2),
        (vec![a, c], false, 3),
        (vec![c, a], false, 3),
        (vec![a, b, c], false, 4),
    ] {
        chain.push();
        conditions.iter().for_each(|c| chain.assert(world.terms(), *c));
        match ask(&mut chain, &world) {
            Answer::Sat(Some(witness)) => assert!(sat && world.terms().satisfies(&witness, &conditions)),
            Answer::Unsat(Some(core)) => assert!(!sat && core.iter().all(|c| conditions.contains(c)) && core.len() > 1),
            answer => panic!("{answer:?}"),
        }
        assert_eq!(told.lock().unwrap().asked.len(), asked, "{conditions:?}");
        chain.pop();
    }
    assert_eq!(chain.counters().cache, Counters { asked: 7, sat: 2, unsat: 1, passed_on: 4 });
    let mut cache = Cache::default();
    cache.put(Cache::key(&[b, a, b]), Remembered::Unsat);
    assert_eq!(cache.get(&Cache::key(&[a, b])), Some(&Remembered::Unsat));
    assert_eq!(cache.get(&Cache::key(&[a])), None);
}

/// An answer of the cache has values of its own conditions only; the others keep theirs.
#[test]
fn remembered_values_do_not_touch_others() {
    let mut world = World::new(2, 0, 0, false);
    let [x_large, y_large, y_huge] = [more(&mut world, 0, 5), more(&mut world, 1, 5), more(&mut world, 1, 500)];
    let (mut chain, told) = chain(Switches { cache: true, groups: true, witness: true, ..NONE });
    chain.push();
    chain.assert(world.terms(), x_large);
    assert!(is_sat(&ask(&mut chain, &world)));
    chain.pop();
    for y in [y_large, y_huge] {
        chain.push();
        chain.assert(world.terms(), y);
        assert!(is_sat(&ask(&mut chain, &world)));
        let asked = told.lock().unwrap().asked.len();
        chain.assert(world.terms(), x_large);
        let Answer::Sat(Some(witness)) = ask(&mut chain, &world) else { panic!("it was asked before") };
        assert!(world.terms().satisfies(&witness, &[y, x_large]));
        assert_eq!(told.lock().unwrap().asked.len(), asked, "only the group of the new condition, which is remembered");
        chain.pop();
    }
}

/// A *sat* of the back-end is believed only with values for everything that are right; and a core is one of its own, or all
/// that it was asked about.
#[test]
fn answers_of_the_back_end_are_looked_at() {
    let mut world = World::new(2, 0, 0, false);
    let [large, small] = [more(&mut world, 0, 5), less(&mut world, 0, 9)];
    let right = vec![Value::Int(7), Value::Int(0)];
    let what = |answer: &Answer| match answer {
        Answer::Unknown(Reason::Broken { solver, what }) => {
            assert_eq!(solver, "scribe");
            what.clone()
        }
        answer => panic!("{answer:?}"),
    };
    for (given, complaint) in [
        (Answer::Sat(None), "it gave no complete witness"),
        (Answer::Sat(Some(vec![Value::Int(7)])), "it gave no complete witness"),
        (Answer::Sat(Some(vec![Value::Int(10), Value::Int(0)])), "its witness does not satisfy the conditions"),
        (Answer::Sat(Some(vec![Value::Int(7), Value::Bool(true)])), "its witness does not satisfy the conditions"),
    ] {
        let (mut chain, told) = chain(NONE);
        told.lock().unwrap().script.push(given);
        chain.assert(world.terms(), large);
        chain.assert(world.terms(), small);
        assert_eq!(what(&ask(&mut chain, &world)), complaint);
    }
    for (given, answer) in [
        (Answer::Sat(Some(right.clone())), Answer::Sat(Some(right))),
        (Answer::Unsat(Some(vec![small])), Answer::Unsat(Some(vec![small]))),
        (Answer::Unsat(None), Answer::Unsat(Some(vec![large, small]))),
        (Answer::Unknown(Reason::Resources), Answer::Unknown(Reason::Resources)),
    ] {
        let (mut chain, told) = chain(NONE);
        told.lock().unwrap().script.push(given);
        chain.assert(world.terms(), large);
        chain.assert(world.terms(), small);
        assert_eq!(ask(&mut chain, &world), answer);
    }
}

/// Only what the back-end is asked about a group is asked again for a core, and not what is one already.
#[test]
fn a_core_is_asked_for_where_it_may_be_smaller() {
    let mut world = World::new(2, 0, 0, false);
    let [large, small, other] = [more(&mut world, 0, 5), less(&mut world, 0, 3), more(&mut world, 1, 0)];
    let (mut chain, told) = chain(Switches { groups: true, witness: true, ..NONE });
    chain.assert(world.terms(), other);
    assert!(matches!(chain.core(world.terms(), &limits()), Answer::Sat(_)));
    chain.assert(world.terms(), large);
    chain.assert(world.terms(), small);
    told.lock().unwrap().script = vec![Answer::Unsat(None), Answer::Unsat(Some(vec![small]))];
    assert_eq!(chain.core(world.terms(), &limits()), Answer::Unsat(Some(vec![small])));
    assert_eq!(told.lock().unwrap().cores, [vec![large, small]]);
    // One that does not know it again does not take back what it said.
    told.lock().unwrap().script = vec![Answer::Unsat(None), Answer::Unknown(Reason::Time)];
    assert_eq!(chain.core(world.terms(), &limits()), Answer::Unsat(Some(vec![large, small])));
    // One condition that clashes with itself is a core.
    told.lock().unwrap().script = vec![Answer::Unsat(Some(vec![small]))];
    assert_eq!(chain.core(world.terms(), &limits()), Answer::Unsat(Some(vec![small])));
    assert_eq!(told.lock().unwrap().cores.len(), 2);
    // What another layer answers has its core at once.
    let never = less(&mut world, 0, 0);
    let never = world.pool.and(&world.sorts, &[never, large]);
    let (mut chain, told) = self::chain(ALL);
    chain.assert(world.terms(), never);
    assert_eq!(chain.core(world.terms(), &limits()), Answer::Unsat(Some(vec![never])));
    assert_eq!(told.lock().unwrap().asked.len(), 0);
}

/// A back-end that breaks down twice in a row is left alone; an answer between them, also one that it has not, gives it
/// another chance, and questions that do not reach it do not count.
#[test]
fn breakdowns_in_a_row_are_counted() {
    let mut world = World::new(1, 0, 0, false);
    let large = more(&mut world, 0, 5);
    let broken = |n: u32| Answer::Unknown(Reason::Broken { solver: "scribe".into(), what: n.to_string() });
    let unknown = Answer::Unknown(Reason::Resources);
    for (script, given_up) in [
        (vec![broken(1)], None),
        (vec![broken(1), broken(2)], Some(2)),
        (vec![broken(1), unknown.clone(), broken(2)], None),
        (vec![broken(1), Answer::Unsat(None), broken(2)], None),
        (vec![unknown.clone(), broken(1), unknown, broken(2), broken(3)], Some(3)),
    ] {
        let (mut chain, told) = chain(Switches { witness: true, ..NONE });
        chain.assert(world.terms(), large);
        told.lock().unwrap().script = script.clone();
        for answer in &script {
            assert!(chain.given_up().is_none());
            let given = ask(&mut chain, &world);
            assert!(given == *answer || matches!(answer, Answer::Unsat(_)), "{given:?}");
        }
        let reason = chain.given_up().cloned();
        assert_eq!(reason.clone().map(Answer::Unknown), given_up.map(broken));
        assert_eq!(chain.name(), if given_up.is_some() { "built-in" } else { "built-in, then scribe" });
        // It is asked again, or not: then every question has the reason that it was left alone for.
        let asked = told.lock().unwrap().asked.len();
        let answer = ask(&mut chain, &world);
        assert_eq!(told.lock().unwrap().asked.len() - asked, usize::from(given_up.is_none()));
        assert_eq!(reason.map(Answer::Unknown).unwrap_or(answer.clone()), answer);
    }
    // Between two breakdowns, the cache answers something.
    let (mut chain, told) = chain(Switches { cache: true, ..NONE });
    let small = less(&mut world, 0, 9);
    for (condition, script) in [(small, None), (large, Some(1)), (small, None), (large, Some(2))] {
        told.lock().unwrap().script = script.map(broken).into_iter().collect();
        chain.push();
        chain.assert(world.terms(), condition);
        ask(&mut chain, &world);
        chain.pop();
    }
    assert!(chain.given_up().is_some());
    assert_eq!(told.lock().unwrap().asked.len(), 3);
}

/// Who is told to leave the back-end alone says why it does not know.
#[test]
fn a_back_end_may_be_left_alone() {
    let mut world = World::new(1, 0, 0, false);
    let large = more(&mut world, 0, 5);
    let (mut chain, told) = chain(NONE);
    chain.assert(world.terms(), large);
    assert!(is_sat(&ask(&mut chain, &world)));
    chain.leave_back_end(Reason::Time);
    assert_eq!(ask(&mut chain, &world), Answer::Unknown(Reason::Time));
    assert_eq!((told.lock().unwrap().asked.len(), chain.given_up()), (1, None));
    assert_eq!(Chain::new(None).given_up(), None);
}

/// Whoever gives up gets no answer, not even a cheap one. When only the time is over, what is plain to see and what the last
/// witness shows is still said.
#[test]
fn questions_end_where_somebody_gives_up() {
    let mut world = World::new(1, 0, 0, false);
    let [large, huge] = [more(&mut world, 0, 5), more(&mut world, 0, 500)];
    let not_large = world.pool.not(&world.sorts, large);
    let (stop, late) = (Arc::new(AtomicBool::new(false)), Cancellation::new([], None));
    for by_chain in [false, true] {
        for flag in [true, false] {
            stop.store(false, Ordering::Relaxed);
            late.hurry(None);
            let cancellation = if flag { Cancellation::new([stop.clone()], None) } else { late.clone() };
            let (chain, told) = chain(ALL);
            let mut chain = chain.on(by_chain.then_some(&cancellation));
            let limits =
                Limits { cancellation: if by_chain { Cancellation::default() } else { cancellation }, ..limits() };
            chain.assert(world.terms(), large);
            assert!(is_sat(&chain.check(world.terms(), &limits, true)));
            let counted = chain.counters();
            stop.store(true, Ordering::Relaxed);
            late.hurry(Some(std::time::Duration::ZERO));
            assert!(limits.is_late() || flag || by_chain);
            let mut ask = |extra: Option<TermId>| {
                chain.push();
                extra.into_iter().for_each(|c| chain.assert(world.terms(), c));
                let answers = [
                    chain.check(world.terms(), &limits, true),
                    chain.check_afresh(world.terms(), &limits, true),
                    chain.core(world.terms(), &limits),
                ];
                chain.pop();
                answers
            };
            if flag {
                for extra in [None, Some(huge), Some(not_large)] {
                    let unknown = Answer::Unknown(Reason::Cancelled);
                    assert_eq!(ask(extra), [unknown.clone(), unknown.clone(), unknown]);
                }
                assert_eq!(chain.counters(), counted, "nobody looked at anything");
            } else {
                assert!(ask(None).iter().all(|a| matches!(a, Answer::Sat(_))), "the last witness is still right");
                assert!(ask(Some(not_large)).iter().all(|a| matches!(a, Answer::Unsat(_))), "that is plain to see");
                let unknown = Answer::Unknown(Reason::Time);
                assert_eq!(ask(Some(huge)), [unknown.clone(), unknown.clone(), unknown]);
            }
            assert_eq!(told.lock().unwrap().asked.len(), 0);
        }
    }
}

/// Which symbols conditions speak of, and what is known of their bounds.
#[test]
fn symbols_and_bounds_are_known() {
    let mut world = World::new(3, 0, 0, false);
    let large = more(&mut world, 0, 5);
    let pair = below(&mut world, 0, 2);
    let (mut chain, _) = chain(ALL);
    assert_eq!(chain.mentioned(world.terms()), [false; 3]);
    chain.assert(world.terms(), large);
    assert_eq!(chain.bounds(symbol_id(0)), (Some(6), None));
    chain.push();
    chain.assert(world.terms(), pair);
    assert_eq!(chain.mentioned(world.terms()), [true, false, true]);
    assert_eq!(chain.bounds(symbol_id(2)), (Some(7), None));
    chain.pop();
    assert_eq!(chain.mentioned(world.terms()), [true, false, false]);
    let (mut chain, _) = self::chain(NONE);
    chain.assert(world.terms(), large);
    assert_eq!(chain.bounds(symbol_id(0)), (None, None), "nobody knows");
}

/// What can be seen of conditions without looking for values.
#[test]
fn what_is_plain_to_see() {
    let mut world = World::new(2, 2, 0, false);
    let (x, y, b, c) = (world.ints[0], world.ints[1], world.bools[0], world.bools[1]);
    world.add_replies(1);
    let sorts = world.sorts.clone();
    let [yes, no] = [true, false].map(|v| world.pool.bool(&sorts, v));
    let [one, two] = [1, 2].map(|n| world.int(n));
    let quotient = world.arith(Op::Div, &[two, x]);
    let reply = world.pool.sort(world.data[0]);
    let nothing = world.pool.constant(world.sorts.nth_value(reply, 0).expect("it has values"), reply);
    // As they come from elsewhere: the pool would simplify some of them at once.
    let mut raw = |op: Op, args: &[TermId]| world.pool.app(op, args, sorts.bool);
    let less = raw(Op::Lt, &[x, x]);
    let odd_less = raw(Op::Lt, &[quotient, quotient]);
    let same = raw(Op::Eq, &[x, x]);
    let open = raw(Op::Lt, &[x, y]);
    // A field of a reply that has none.
    let never = raw(Op::Field(1, 1), &[nothing]);
    let cases = [
        (yes, Seen::True),
        (no, Seen::False),
        (b, Seen::Open),
        (same, Seen::True),
        (raw(Op::Le, &[x, x]), Seen::True),
        (less, Seen::False),
        (open, Seen::Open),
        // Where the number may not be defined, nothing equals itself for sure, and nothing is less than itself.
        (raw(Op::Eq, &[quotient, quotient]), Seen::Open),
        (raw(Op::Le, &[quotient, quotient]), Seen::Open),
        (odd_less, Seen::NeverTrue),
        (raw(Op::Lt, &[one, two]), Seen::True),
        (raw(Op::Lt, &[two, one]), Seen::False),
        (never, Seen::NeverTrue),
        (raw(Op::Not, &[same]), Seen::False),
        (raw(Op::Not, &[less]), Seen::True),
        (raw(Op::Not, &[never]), Seen::Open),
        (raw(Op::Not, &[b]), Seen::Open),
        (raw(Op::And, &[same, same]), Seen::True),
        (raw(Op::And, &[same, less]), Seen::False),
        // The first part may be undefined, so that the whole is not false; but it is never true.
        (raw(Op::And, &[open, less]), Seen::NeverTrue),
        (raw(Op::And, &[same, never]), Seen::NeverTrue),
        (raw(Op::And, &[never, less]), Seen::NeverTrue),
        (raw(Op::And, &[same, b]), Seen::Open),
        (raw(Op::And, &[b, same]), Seen::Open),
        (raw(Op::Or, &[less, less]), Seen::False),
        (raw(Op::Or, &[less, same]), Seen::True),
        (raw(Op::Or, &[b, same]), Seen::Open),
        (raw(Op::Or, &[never, same]), Seen::Open),
        (raw(Op::Or, &[less, b]), Seen::Open),
        (raw(Op::Or, &[b, less]), Seen::Open),
        (raw(Op::Or, &[less, never]), Seen::Open),
        (raw(Op::Ite, &[same, less, b]), Seen::False),
        (raw(Op::Ite, &[less, b, same]), Seen::True),
        (raw(Op::Ite, &[b, same, same]), Seen::Open),
        (raw(Op::Ite, &[never, same, same]), Seen::Open),
        (raw(Op::Eq, &[b, c]), Seen::Open),
    ];
    let mut simplifier = Simplifier::default();
    // The second time it is remembered.
    for _ in 0..2 {
        for (at, (condition, seen)) in cases.iter().enumerate() {
            assert_eq!(simplifier.look(world.terms(), *condition), *seen, "case {at}");
        }
    }
}

/// A witness that was found on a level serves the level below it, as far as that was not satisfied before.
#[test]
fn a_witness_outlives_its_level() {
    let mut world = World::new(2, 0, 0, false);
    let [first, second, third] = [more(&mut world, 0, 5), more(&mut world, 1, 5), more(&mut world, 1, 500)];
    let (mut chain, told) = chain(Switches { witness: true, ..NONE });
    chain.assert(world.terms(), first);
    chain.push();
    chain.assert(world.terms(), second);
    assert!(is_sat(&ask(&mut chain, &world)));
    chain.pop();
    assert!(is_sat(&ask(&mut chain, &world)), "nobody looked at the first condition alone");
    assert_eq!(told.lock().unwrap().asked.len(), 1);
    // Another condition of a new level is not one that it satisfies.
    chain.push();
    chain.assert(world.terms(), third);
    let Answer::Sat(Some(witness)) = ask(&mut chain, &world) else { panic!("it is") };
    assert!(world.terms().satisfies(&witness, &[first, third]));
    assert_eq!(told.lock().unwrap().asked.len(), 2);
}

/// What was said twice is still said when one of them is taken back.
#[test]
fn a_condition_may_be_on_several_levels() {
    let world = World::new(0, 1, 0, false);
    let b = world.bools[0];
    let mut world = world;
    let not_b = world.pool.not(&world.sorts, b);
    let mut chain = Chain::with(None, Switches { simplification: true, ..NONE });
    chain.assert(world.terms(), b);
    chain.push();
    chain.assert(world.terms(), b);
    chain.pop();
    let clashes = |chain: &mut Chain| {
        chain.push();
        chain.assert(world.terms(), not_b);
        let answer = chain.check(world.terms(), &limits(), false);
        chain.pop();
        answer == Answer::Unsat(Some(vec![b, not_b]))
    };
    assert!(clashes(&mut chain));
    let mut chain = Chain::with(None, Switches { simplification: true, ..NONE });
    chain.push();
    chain.assert(world.terms(), b);
    chain.pop();
    assert!(!clashes(&mut chain), "it was taken back");
}

/// For a quantifier over more values than anybody tries, the word of the back-end counts; and nobody sees its truth.
#[test]
fn the_back_end_is_believed_about_quantifiers() {
    let mut world = World::new(1, 0, 0, false);
    let x = world.ints[0];
    let binder = world.pool.binders.push(world.sorts.int);
    let k = world.pool.bound(&world.sorts, binder);
    let body = world.test(Op::Lt, &[x, k]);
    let some = world.test(Op::Exists { first: binder, count: 1 }, &[body]);
    let plain = world.pool.bool(&world.sorts, true);
    let trivial = world.test(Op::Exists { first: binder, count: 1 }, &[plain]);
    let mut simplifier = Simplifier::default();
    assert_eq!(simplifier.look(world.terms(), some), Seen::Open);
    assert_eq!(simplifier.look(world.terms(), trivial), Seen::Open, "whether there is such a value is not looked at");
    let large = more(&mut world, 0, 500);
    let (mut chain, told) = chain(Switches { witness: true, groups: true, ..NONE });
    let value = vec![Value::Int(7)];
    told.lock().unwrap().script = vec![Answer::Sat(Some(value.clone())), Answer::Sat(Some(vec![Value::Int(3)]))];
    chain.assert(world.terms(), some);
    assert_eq!(ask(&mut chain, &world), Answer::Sat(Some(value)));
    // But not about the rest.
    chain.assert(world.terms(), large);
    let answer = ask(&mut chain, &world);
    assert!(matches!(answer, Answer::Unknown(Reason::Broken { .. })), "{answer:?}");
}
