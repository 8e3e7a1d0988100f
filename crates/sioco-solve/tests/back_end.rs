//! Which back-end is chosen, and that it is opened only when it is needed.

mod support;

use sioco_model::TermId;
use sioco_model::term::Op;
use sioco_solve::smt::locate::on_path;
use sioco_solve::{Answer, BackEnd, Reason, Solver};
use support::{World, limits};

/// `x^3 + y^3 == 4`: no bound shows that there is no solution, so it reaches the back-end.
fn hard() -> (World, TermId) {
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    let x3 = world.arith(Op::Mul, &[x, x, x]);
    let y3 = world.arith(Op::Mul, &[y, y, y]);
    let sum = world.arith(Op::Add, &[x3, y3]);
    let four = world.int(4);
    let condition = world.test(Op::Eq, &[sum, four]);
    (world, condition)
}

fn missing() -> BackEnd {
    BackEnd::parse("sioco-no-such-solver -in").expect("a command line")
}

fn names_the_missing(answer: &Answer) {
    let Answer::Unknown(Reason::Broken { solver, what }) = answer else { panic!("{answer:?}") };
    assert_eq!(solver, "sioco-no-such-solver -in");
    assert!(what.contains("`sioco-no-such-solver` is not on the path"), "{what}");
}

#[test]
fn choices_are_read_and_shown() {
    let command = "cvc5 --lang smt2 --incremental";
    for (text, back_end) in [
        ("auto", BackEnd::Auto),
        ("builtin", BackEnd::BuiltIn),
        ("z3", BackEnd::Z3),
        ("z3 -in", BackEnd::Command("z3 -in".into())),
        (command, BackEnd::Command(command.into())),
    ] {
        assert_eq!(BackEnd::parse(text), Ok(back_end.clone()), "{text}");
        assert_eq!(back_end.to_string(), text);
    }
    for text in ["", "  ", "'cvc5", "cvc5 \\"] {
        assert!(BackEnd::parse(text).is_err(), "{text}");
    }
    assert_eq!(BackEnd::default(), BackEnd::Auto);
}

#[test]
fn known_solvers_get_the_arguments_that_they_need() {
    for (text, command) in [
        ("cvc5", "cvc5 --lang smt2 --incremental"),
        ("/opt/bin/cvc5", "/opt/bin/cvc5 --lang smt2 --incremental"),
        ("/usr/bin/z3", "/usr/bin/z3 -in"),
        ("yices-smt2", "yices-smt2 --incremental"),
        ("mathsat", "mathsat -input=smt2"),
        ("opensmt", "opensmt -p"),
        // Whoever gives arguments knows which.
        ("cvc5 --incremental", "cvc5 --incremental"),
        ("my-solver", "my-solver"),
    ] {
        assert_eq!(BackEnd::parse(text), Ok(BackEnd::Command(command.into())), "{text}");
    }
}

#[test]
fn what_is_missing_is_named_at_once_and_with_every_question_that_reaches_it() {
    let Err(Reason::Broken { solver, what }) = missing().open() else { panic!("there is no such program") };
    assert_eq!(solver, "sioco-no-such-solver -in");
    assert!(what.contains("not on the path"), "{what}");
    let folder = BackEnd::parse("/sioco/no such/solver").expect("a command line").open();
    assert!(matches!(folder, Err(Reason::Broken { .. })));

    let (world, condition) = hard();
    let mut chain = missing().chain();
    chain.push();
    chain.assert(world.terms(), condition);
    for _ in 0..2 {
        names_the_missing(&chain.check(world.terms(), &limits(), true));
        names_the_missing(&chain.core(world.terms(), &limits()));
    }
    chain.pop();
    let mut plain = missing().plain();
    assert_eq!(plain.name(), "sioco-no-such-solver -in");
    plain.push();
    plain.assert(world.terms(), condition);
    names_the_missing(&plain.check(world.terms(), &limits(), false));
    plain.pop();
}

#[test]
fn what_the_layers_decide_opens_nothing() {
    let mut world = World::new(1, 0, 0, false);
    let five = world.int(5);
    let x = world.ints[0];
    let below = world.test(Op::Lt, &[x, five]);
    let above = world.test(Op::Lt, &[five, x]);
    // A missing solver would be told if anybody looked for it.
    let mut chain = missing().chain();
    chain.assert(world.terms(), below);
    assert!(matches!(chain.check(world.terms(), &limits(), true), Answer::Sat(Some(_))));
    chain.assert(world.terms(), above);
    let Answer::Unsat(Some(core)) = chain.core(world.terms(), &limits()) else { panic!("they clash") };
    assert_eq!(core.len(), 2);
}

#[test]
fn the_built_in_layers_alone_say_that_no_other_was_wanted() {
    let (world, condition) = hard();
    assert!(matches!(BackEnd::BuiltIn.open(), Ok(None)));
    let mut chain = BackEnd::BuiltIn.chain();
    chain.assert(world.terms(), condition);
    let answer = chain.check(world.terms(), &limits(), false);
    assert_eq!(answer, Answer::Unknown(Reason::BuiltInAlone));
    let Answer::Unknown(why) = answer else { panic!() };
    let words = why.to_string();
    assert!(
        words.contains("no other solver was allowed") && !words.contains("install") && !words.contains("--"),
        "{words}"
    );
    assert_eq!(BackEnd::BuiltIn.plain().name(), "built-in");
}

/// `x > 2`, `y > 0` and `x * x * x == 8`: only the first and the last clash.
#[test]
fn cores_come_through_from_every_back_end() {
    let mut back_ends = Vec::new();
    match BackEnd::Z3.open() {
        Ok(_) => back_ends.extend([BackEnd::Z3, BackEnd::Auto]),
        Err(why) => eprintln!("skipped: {why}"),
    }
    for command in ["z3 -in", "cvc5 --lang smt2 --incremental"] {
        let program = command.split(' ').next().expect("a word");
        match on_path(program) {
            Some(_) => back_ends.push(BackEnd::Command(command.into())),
            None => eprintln!("skipped: there is no {program} here"),
        }
    }
    let mut world = World::new(2, 0, 0, false);
    let [x, y] = [world.ints[0], world.ints[1]];
    let [zero, two, eight] = [0, 2, 8].map(|n| world.int(n));
    let cube = world.arith(Op::Mul, &[x, x, x]);
    let large = world.test(Op::Lt, &[two, x]);
    let other = world.test(Op::Lt, &[zero, y]);
    let eight = world.test(Op::Eq, &[cube, eight]);
    for back_end in back_ends {
        let switches = sioco_solve::chain::Switches { builtin: false, groups: false, ..Default::default() };
        let mut behind = sioco_solve::chain::Chain::with(Some(back_end.plain()), switches);
        for solver in [&mut *back_end.plain(), &mut behind, &mut back_end.chain()] {
            solver.push();
            for c in [large, other, eight] {
                solver.assert(world.terms(), c);
            }
            let answer = solver.core(world.terms(), &limits());
            let Answer::Unsat(Some(mut core)) = answer else { panic!("{back_end}: {answer:?}") };
            core.sort_unstable();
            let mut expected = vec![large, eight];
            expected.sort_unstable();
            assert_eq!(core, expected, "{back_end}");
            solver.pop();
            assert!(matches!(solver.check(world.terms(), &limits(), true), Answer::Sat(Some(_))), "{back_end}");
        }
    }
}
