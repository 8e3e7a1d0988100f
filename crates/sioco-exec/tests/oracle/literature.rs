//! The oracle itself, on pairs of the kind that the literature on ioco discusses, with known answers.

use super::lts::{Act, Lts};
use super::machine::Machine;
use super::spec::*;

/// A specification without data, from steps such as `0 ?coin 1`, separated by commas.
fn plain(steps: &str) -> Spec {
    let mut spec = Spec {
        inputs: GATES.0.iter().map(|n| Gate { name: (*n).into(), param: None }).collect(),
        outputs: GATES.1.iter().map(|n| Gate { name: (*n).into(), param: None }).collect(),
        channel: (0, 0),
        processes: vec![Process { locations: 9, variables: Vec::new(), switches: Vec::new() }],
    };
    for step in steps.split(',').filter(|s| !s.trim().is_empty()) {
        let words: Vec<&str> = step.split_whitespace().collect();
        let [source, label, target] = words[..] else { panic!("{step} is not a step") };
        let place = |from: &[&str], name: &str| from.iter().position(|n| *n == name).expect("it is one of the gates");
        let label = match label.split_at(1) {
            ("?", name) => Label::Input(place(&GATES.0, name)),
            ("!", name) => Label::Output(place(&GATES.1, name), Carried::Nothing),
            _ => Label::Tau(None),
        };
        let number = |n: &str| n.parse().expect("locations are numbers");
        let (source, target) = (number(source), number(target));
        spec.processes[0].switches.push(Switch { source, label, guard: Cond::True, update: Vec::new(), target });
    }
    spec
}

const GATES: ([&str; 2], [&str; 3]) = (["coin", "kick"], ["coffee", "tea", "bang"]);
const COIN: Act = Act::In(0, 0);
const KICK: Act = Act::In(1, 0);
const COFFEE: Act = Act::Out(0, 0);
const TEA: Act = Act::Out(1, 0);
const BANG: Act = Act::Out(2, 0);

fn ioco(implementation: &Spec, spec: &Spec) -> Result<(), Vec<Act>> {
    Machine::play(&Lts::of(implementation)).expect("it is small").ioco(&Lts::of(spec)).expect("they are small")
}

#[test]
fn machines_that_conform() {
    let machine = "0 ?coin 1, 1 !coffee 0";
    let choice = "0 ?coin 1, 1 !coffee 0, 1 !tea 0";
    let perhaps = "0 ?coin 1, 0 ?coin 2, 1 !coffee 0";
    let quiet = "0 ?coin 1, 1 tau 2, 1 !coffee 0";
    let cycle = "0 ?coin 1, 1 tau 2, 2 tau 1, 2 tau 3, 3 !coffee 0";
    let pairs = [
        ("the same", machine, machine),
        ("fewer outputs", machine, choice),
        ("more inputs", "0 ?coin 1, 1 !coffee 0, 0 ?kick 2, 2 !bang 0", machine),
        ("more inputs, later", "0 ?coin 1, 1 !coffee 0, 1 ?coin 2, 2 !bang 0", machine),
        ("always coffee where there may be none", machine, perhaps),
        ("never coffee where there may be none", "0 ?coin 1", perhaps),
        ("now and then coffee", perhaps, perhaps),
        ("an internal choice made", "0 ?coin 1, 1 !tea 0", "0 ?coin 1, 1 tau 2, 1 tau 3, 2 !coffee 0, 3 !tea 0"),
        ("an internal step to silence", "0 ?coin 1", quiet),
        ("an internal step to silence, not taken", machine, quiet),
        ("silence on an internal cycle", "0 ?coin 1", cycle),
        ("an internal cycle left", machine, cycle),
        ("a model with an internal cycle, played", cycle, cycle),
        ("nothing at all", "", "0 tau 1, 1 tau 0"),
        ("silence before an output that internal steps lead away from", "", "0 !coffee 0, 0 tau 1"),
        ("anything after an input that is not specified", "0 ?coin 1, 1 !coffee 0, 0 ?kick 2, 2 !bang 2", machine),
    ];
    for (what, implementation, spec) in pairs {
        assert_eq!(ioco(&plain(implementation), &plain(spec)), Ok(()), "{what}");
    }
}

#[test]
fn machines_that_do_not() {
    let machine = "0 ?coin 1, 1 !coffee 0";
    let cases: [(&str, &str, &str, &[Act]); 10] = [
        ("another output", "0 ?coin 1, 1 !tea 0", machine, &[COIN, TEA]),
        ("an output more", "0 ?coin 1, 1 !coffee 0, 1 !tea 0", machine, &[COIN, TEA]),
        ("no output", "0 ?coin 1", machine, &[COIN, Act::Delta]),
        ("perhaps no output", "0 ?coin 1, 0 ?coin 2, 1 !coffee 0", machine, &[COIN, Act::Delta]),
        ("an output at the start", "0 !tea 1, 1 ?coin 2, 2 !coffee 1", machine, &[TEA]),
        ("no output at the start", "", "0 !coffee 0", &[Act::Delta]),
        ("an output too often", "0 ?coin 1, 1 !coffee 2, 2 !coffee 0", machine, &[COIN, COFFEE, COFFEE]),
        ("silence on a cycle that passes an output", "", "0 tau 1, 1 tau 0, 1 !coffee 0", &[Act::Delta]),
        ("an output on a silent cycle", "0 !bang 0", "0 tau 1, 1 tau 0", &[BANG]),
        (
            "a second coin counts",
            "0 ?coin 1, 1 ?coin 2, 1 !coffee 0, 2 !tea 0",
            "0 ?coin 1, 1 ?coin 1, 1 !coffee 0",
            &[COIN, COIN, TEA],
        ),
    ];
    for (what, implementation, spec, trace) in cases {
        assert_eq!(ioco(&plain(implementation), &plain(spec)), Err(trace.to_vec()), "{what}");
    }
}

/// The pair that only silence in the middle of a trace tells apart: one must kick twice, with a pause in between, for
/// tea; in the other, that may also give coffee.
#[test]
fn silence_in_the_middle_counts() {
    let strict = plain("0 ?kick 1, 0 ?kick 2, 1 !coffee 0, 1 ?kick 3, 3 !coffee 0, 2 ?kick 4, 4 !tea 0");
    let loose = plain("0 ?kick 1, 0 ?kick 2, 1 !coffee 0, 1 ?kick 3, 3 !coffee 0, 2 ?kick 4, 4 !tea 0, 2 ?kick 3");
    assert_eq!(ioco(&strict, &loose), Ok(()));
    assert_eq!(ioco(&loose, &strict), Err(vec![KICK, Act::Delta, KICK, COFFEE]));
}

/// One process with data: `x` starts as given, `?a(p)` and `!o(p)` carry 0 to 2.
fn with_data(initial: Option<i64>, switches: Vec<Switch>) -> Spec {
    let gate = |name: &str| vec![Gate { name: name.into(), param: Some((0, 2)) }];
    let variables = vec![Variable { range: (0, 2), initial }];
    let processes = vec![Process { locations: 2, variables, switches }];
    Spec { inputs: gate("a"), outputs: gate("o"), channel: (0, 0), processes }
}

fn switch(source: usize, label: Label, guard: Cond, update: Vec<(usize, Expr)>, target: usize) -> Switch {
    Switch { source, label, guard, update, target }
}

fn input(update: Vec<(usize, Expr)>) -> Switch {
    switch(0, Label::Input(0), Cond::True, update, 1)
}

fn output(carried: Carried, guard: Cond) -> Switch {
    switch(1, Label::Output(0, carried), guard, Vec::new(), 0)
}

#[test]
fn data_counts() {
    let next = |by: i64| {
        let sum = Expr::Add(Box::new(Expr::Param), Box::new(Expr::Const(by)));
        let update = vec![(0, Expr::Mod(Box::new(sum), 3))];
        with_data(Some(0), vec![input(update), output(Carried::Term(Expr::Var(0)), Cond::True)])
    };
    assert_eq!(ioco(&next(1), &next(1)), Ok(()));
    assert_eq!(ioco(&next(2), &next(1)), Err(vec![Act::In(0, 0), Act::Out(0, 2)]));
}

#[test]
fn chosen_values_may_be_chosen() {
    let greater = Cond::Compare(Compare::Less, Expr::Var(0), Expr::Param);
    let with = |carried: Carried, guard: Cond| with_data(Some(0), vec![input(Vec::new()), output(carried, guard)]);
    let spec = with(Carried::Any, greater);
    assert_eq!(ioco(&with(Carried::Term(Expr::Const(2)), Cond::True), &spec), Ok(()));
    assert_eq!(ioco(&with(Carried::Term(Expr::Var(0)), Cond::True), &spec), Err(vec![Act::In(0, 0), Act::Out(0, 0)]));
    assert_eq!(ioco(&with(Carried::Any, Cond::True), &spec), Err(vec![Act::In(0, 0), Act::Out(0, 0)]));
}

#[test]
fn a_free_value_is_drawn_once() {
    let tells = |carried: Carried| with_data(None, vec![input(Vec::new()), output(carried, Cond::True)]);
    let spec = tells(Carried::Term(Expr::Var(0)));
    assert_eq!(ioco(&tells(Carried::Term(Expr::Const(2))), &spec), Ok(()));
    let ask = Act::In(0, 0);
    assert_eq!(ioco(&tells(Carried::Any), &spec), Err(vec![ask, Act::Out(0, 0), ask, Act::Out(0, 1)]));
}

#[test]
fn else_and_processes() {
    // `else` on an output: only where nothing else is enabled.
    let zero = Cond::Compare(Compare::Equal, Expr::Var(0), Expr::Const(0));
    let keep = vec![(0, Expr::Param)];
    let with_else = with_data(
        Some(0),
        vec![
            input(keep.clone()),
            output(Carried::Term(Expr::Const(0)), zero),
            output(Carried::Term(Expr::Const(1)), Cond::Else),
        ],
    );
    let lts = Lts::of(&with_else);
    let out = |n: i64| lts.out(&lts.after(&lts.start(), Act::In(0, n)));
    assert_eq!(out(0), [Act::Out(0, 0)].into());
    assert_eq!(out(2), [Act::Out(0, 1)].into());
    // Two processes: the value goes over the channel, and a send without partner is not enabled.
    let first = vec![input(keep.clone()), switch(1, Label::Send(Expr::Var(0)), Cond::True, Vec::new(), 0)];
    let mut spec = with_data(Some(0), first);
    spec.channel = (0, 2);
    let positive = Cond::Compare(Compare::Less, Expr::Const(0), Expr::Param);
    let second = vec![switch(0, Label::Receive, positive, keep, 1), output(Carried::Term(Expr::Var(0)), Cond::True)];
    spec.processes.push(Process { switches: second, ..spec.processes[0].clone() });
    let lts = Lts::of(&spec);
    let out = |n: i64| lts.out(&lts.after(&lts.start(), Act::In(0, n)));
    assert_eq!(out(0), [Act::Delta].into());
    assert_eq!(out(2), [Act::Out(0, 2)].into());
}

/// Outputs under way when an input is sent: what happened first is not known.
#[test]
fn crossing_messages() {
    use super::crossing::Crossing;
    let lts = Lts::of(&plain("0 !coffee 1, 0 ?coin 2, 1 ?coin 3, 3 !tea 0, 2 ?coin 4"));
    // The coin may have been taken before or after the coffee was given.
    let mut crossing = Crossing::new(&lts);
    crossing.send(COIN);
    assert!(crossing.clone().see(Act::Delta), "the coin was taken first");
    assert!(crossing.see(COFFEE), "the coffee was first");
    assert!(!crossing.clone().see(Act::Delta), "then there is tea for the coin");
    assert!(!crossing.clone().see(COFFEE));
    assert!(crossing.see(TEA));
    assert!(!crossing.excused());
    // Where the input is not specified any more after the output, nothing can be said.
    let lts = Lts::of(&plain("0 !coffee 1, 0 ?coin 2"));
    let mut crossing = Crossing::new(&lts);
    crossing.send(COIN);
    assert!(crossing.see(COFFEE) && crossing.see(BANG) && crossing.excused());
    // An output that was seen before the input was sent came first.
    let lts = Lts::of(&plain("0 !coffee 0, 0 ?coin 1"));
    let mut crossing = Crossing::new(&lts);
    assert!(crossing.see(COFFEE));
    crossing.send(COIN);
    assert!(crossing.see(COFFEE) && crossing.see(Act::Delta));
    assert!(!crossing.see(COFFEE), "after the silence, the coin was taken");
}
