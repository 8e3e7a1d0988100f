//! The oracle on models and logs whose verdicts follow from the theory by hand.

use sioco_trust::oracle::belief::World;
use sioco_trust::oracle::judge::{Verdict, judge};
use sioco_trust::spec::{Event, Gate, Guard, Label, Line, Order, Process, Spec, Switch};

const A: usize = 0;
const U: usize = 0;

/// A model with an input `a`, the outputs `u` and `closed`, and these switches: source, label, target.
fn model(locations: usize, switches: &[(usize, Label, usize)]) -> Spec {
    let gate = |name: &str| Gate { name: name.into(), params: Vec::new() };
    let switch = |(source, label, target): &(usize, Label, usize)| Switch {
        source: *source,
        label: label.clone(),
        guard: Guard::All(Vec::new()),
        update: Vec::new(),
        target: *target,
    };
    let switches = switches.iter().map(switch).collect();
    let process = Process { locations, finals: Vec::new(), variables: Vec::new(), switches };
    let (inputs, outputs) = (vec![gate("a")], vec![gate("u"), gate("closed")]);
    Spec { inputs, outputs, processes: vec![process], ..Spec::default() }
}

fn input() -> Label {
    Label::Input(A)
}

fn output(gate: usize) -> Label {
    Label::Output(gate, Vec::new())
}

fn tau() -> Label {
    Label::Tau(Vec::new())
}

/// A log: `a` is the input, `u` the output, `.` silence by the clock, `!` announced silence, `c` closed.
fn log(text: &str) -> Vec<Line> {
    let event = || Event { gate: 0, args: Vec::new() };
    let line = |c| match c {
        'a' => Line::Input(event()),
        'u' => Line::Output(event()),
        '.' => Line::Delta,
        '!' => Line::Announced,
        'c' => Line::Closed,
        other => panic!("{other} is no line"),
    };
    text.chars().map(line).collect()
}

fn check(spec: &Spec, order: Order, text: &str, expected: &[Verdict]) {
    let right = judge(&World::new(spec), &log(text), order).expect("it is small");
    let found: Vec<Verdict> = right.verdicts.into_iter().collect();
    assert_eq!(found, expected, "{text} in {order:?}\n{}", spec.text());
}

#[test]
fn silence() {
    use Verdict::*;
    // An answer that is owed.
    let answer = model(2, &[(0, input(), 1), (1, output(U), 0)]);
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        for (text, verdict) in [("au", Pass), (".au.", Pass), ("a.", Fail), ("a.u", Pass), ("a..u", Pass), ("a!", Fail)]
        {
            check(&answer, order, text, &[verdict]);
        }
        check(&answer, order, "u", &[Fail]);
        check(&answer, order, "ac", &[Fail]);
        check(&answer, order, "!u", &[if order == Order::Certain { Fail } else { Error }]);
    }
    // Silence that the end of the system withdraws.
    check(&model(1, &[(0, output(1), 0)]), Order::Sut, ".c", &[Pass]);
    // An internal cycle may be silent; one with an output on it may not.
    check(&model(1, &[(0, tau(), 0)]), Order::Sut, ".", &[Pass]);
    check(&model(1, &[(0, tau(), 0), (0, output(U), 0)]), Order::Sut, ".", &[Fail]);
    check(&model(2, &[(0, tau(), 1), (1, tau(), 0), (1, output(U), 0)]), Order::Sut, ".", &[Fail]);
    // What a final silence by the clock ruled out still explains an output; announced silence rules it out for good.
    let choice = model(3, &[(0, tau(), 1), (0, tau(), 2), (1, output(U), 1), (1, input(), 1), (2, input(), 2)]);
    check(&choice, Order::Sut, ".au", &[Pass]);
    check(&choice, Order::Sut, "!au", &[Fail]);
}

#[test]
fn inputs() {
    use Verdict::*;
    let once = model(3, &[(0, input(), 1), (0, output(U), 2), (1, output(U), 2)]);
    check(&once, Order::Sut, "aa", &[Inconclusive]);
    check(&once, Order::Sut, "ua", &[Inconclusive]);
    // The output may have overtaken the input, after which the model does not specify it.
    check(&once, Order::Sent, "au", &[Pass]);
    check(&once, Order::Sent, "auu", &[Inconclusive]);
    check(&once, Order::Sut, "auu", &[Fail]);
    // Crossed messages that the model allows in both orders.
    let both = model(2, &[(0, input(), 0), (0, output(U), 1), (1, input(), 1)]);
    check(&both, Order::Sent, "au.", &[Pass]);
    check(&both, Order::Sent, "auu", &[Fail]);
    // Silence means that the input was taken.
    check(&both, Order::Sent, "a!", &[Fail]);
}
