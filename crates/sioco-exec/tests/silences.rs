//! Quiescence by the clock and announced quiescence, as tables: a model, what happens, and what the referee says about it
//! (T-Q1 to T-Q7).

mod support;

use sioco_exec::{GateValue, Order};
use support::model;
use support::told::{ORDERS, check, check_withdrawn, name, referee, run};

/// After `?a` the system may answer late, or fall quiet for good; it takes `?b` in both cases.
const LATE: &str = "input a\ninput b\noutput late\noutput ok\noutput never\nprocess P {\n  init l0 { ?a -> l1   ?b -> l0 }\n  \
    state l1 { late: !late -> l0   rest: tau -> l2   wait: ?b -> l1 }\n  state l2 { next: ?b -> l3 }\n  \
    state l3 { ok: !ok -> l0 }\n}\n";

/// T-Q2 to T-Q5: a block of deltas by the clock is withdrawn by an output, and final before an input; what it ruled out is
/// followed beside the belief.
#[test]
fn silences_by_the_clock_may_be_withdrawn() {
    let model = model(LATE);
    check_withdrawn(
        &model,
        &[Order::Sut, Order::Certain, Order::Sent],
        &[
            ("?a delta", "pass", 0, 0),
            ("?a delta delta ?b !ok", "pass", 0, 0),
            ("?a delta !late", "pass", 1, 0),
            ("?a delta delta !late", "pass", 1, 0),
            ("?a delta !never", "unexpected output", 1, 0),
            // The silence was none, since only who did not fall quiet gives this output.
            ("?a delta ?b !late", "pass", 1, 0),
            ("?a delta ?b !late ?a delta ?b !late", "pass", 2, 0),
            ("?a delta ?b !never", "unexpected output", 0, 0),
            // Nothing was ruled out at first, so that there is one silence to be withdrawn, not two.
            ("delta ?a delta ?b !late", "pass", 1, 0),
            ("?a delta ?b !ok delta ?a delta ?b !late", "pass", 1, 0),
            // Announced quiescence is certain.
            ("?a quiescent ?b !ok", "pass", 0, 0),
            ("?a quiescent ?b !late", "unexpected output", 0, 0),
            ("?a delta quiescent ?b !late", "unexpected output", 0, 0),
            ("?a quiescent delta ?b !late", "unexpected output", 0, 0),
            ("?a quiescent ?b delta", "unexpected silence", 0, 0),
            ("?a quiescent ?b delta !ok", "pass", 1, 1),
            // Who did not fall quiet before may do so now.
            ("?a delta ?b delta", "pass", 1, 0),
            ("?a delta ?b delta ?b !ok", "pass", 1, 0),
            ("?a delta ?b delta ?b !late", "pass", 2, 0),
            ("?a delta ?b quiescent ?b !ok", "pass", 1, 0),
            ("?a delta ?b quiescent ?b !late", "unexpected output", 1, 0),
            ("?a delta ?b delta !ok", "pass", 1, 0),
        ],
    );
    check(
        &model,
        &[Order::Sut, Order::Sent],
        &[
            ("?a quiescent !late", "error of the adapter"),
            ("?a delta quiescent !late", "error of the adapter"),
            ("?a quiescent delta !late", "error of the adapter"),
            ("?a quiescent quiescent !late", "error of the adapter"),
            ("?a delta ?b quiescent !late", "error of the adapter"),
        ],
    );
}

/// The same where the state is not known: a free variable that nobody has seen yet.
#[test]
fn silences_by_the_clock_may_be_withdrawn_in_states_that_are_not_known() {
    let text = LATE
        .replace("output never", "output never\noutput tell(v: Int)")
        .replace("  init l0 {", "  var m: Int = any\n  init l0 { tell: !tell(m) [m > 5] -> told ")
        .replace("state l2 {", "state told { ?b -> told }\n  state l2 {");
    let model = model(&text);
    check_withdrawn(
        &model,
        &[Order::Sut, Order::Sent],
        &[
            ("?a delta", "pass", 0, 0),
            ("?a delta !late", "pass", 1, 0),
            ("?a delta ?b !ok", "pass", 0, 0),
            ("?a delta ?b !late", "pass", 1, 0),
            ("?a delta ?b !never", "unexpected output", 0, 0),
            ("?a quiescent ?b !late", "unexpected output", 0, 0),
            ("!tell(6)", "pass", 0, 0),
            ("!tell(5)", "unexpected output", 0, 0),
            ("?a !late !tell(7) delta", "pass", 0, 0),
            ("?a delta ?b !ok !tell(7)", "pass", 0, 0),
        ],
    );
}

/// Where the belief and those who were slow come to the same hidden choice, there is nothing more to be followed beside it:
/// only the silence after that is withdrawn.
#[test]
fn hidden_choices_after_a_silence() {
    let model = model(
        "input a\ninput b\noutput late\noutput ok(v: Int)\nprocess P {\n  var v: Int = 0\n  init l0 { ?a -> l1 }\n  \
         state l1 { !late -> l0   rest: tau -> l2 }\n  state l2 { ?b -> c }\n  \
         state c { now: !late -> l0   choose: tau any k: Int [k > 3] / v := k -> l3 }\n  \
         state l3 { ok: !ok(v) -> l0   more: tau -> l4   ?b -> l3 }\n  state l4 { ?b -> l4 }\n}\n",
    );
    check_withdrawn(
        &model,
        &[Order::Sut],
        &[
            ("?a delta ?b !ok(5)", "pass", 0, 0),
            ("?a delta ?b !ok(3)", "unexpected output", 0, 0),
            ("?a delta ?b delta ?b !ok(5)", "pass", 1, 0),
            ("?a delta ?b delta ?b !ok(3)", "unexpected output", 0, 0),
        ],
    );
}

/// What a silence ruled out is forgotten as soon as it makes no difference any more; what makes one is not, also where
/// quiescence is announced meanwhile.
#[test]
fn silences_that_make_no_difference_are_forgotten() {
    // Whatever was the case before, the system is in `l3` after `?b`.
    let meeting = model(
        "input a\ninput b\noutput late\noutput ok\nprocess P {\n  init l0 { ?a -> l1 }\n  \
         state l1 { !late -> l0   tau -> l2 }\n  state l2 { ?b -> l3 }\n  state l3 { !ok -> l0   tau -> l4   ?b -> l3 }\n  \
         state l4 { ?b -> l4 }\n}\n",
    );
    check_withdrawn(&meeting, &[Order::Sut, Order::Certain], &[("?a delta ?b delta ?b !ok", "pass", 1, 0)]);
    // And here after `!ok`.
    let answering = model(&LATE.replace("ok: !ok -> l0", "ok: !ok -> l1"));
    check_withdrawn(&answering, &[Order::Sut, Order::Certain], &[("?a delta ?b !ok delta ?b !late", "pass", 1, 0)]);
    // Both are quiet after `?b`.
    let quiet = model(
        "input a\ninput b\ninput c\noutput late\noutput ok\noutput never\nprocess P {\n  init l0 { ?a -> l1 }\n  \
         state l1 { !late -> l0   tau -> l2   ?b -> p1 }\n  state p1 { ?c -> p2 }\n  state p2 { !late -> l0 }\n  \
         state l2 { ?b -> q1 }\n  state q1 { ?c -> q2 }\n  state q2 { !ok -> l0 }\n}\n",
    );
    check_withdrawn(
        &quiet,
        &[Order::Sut, Order::Certain],
        &[
            ("?a delta ?b quiescent ?c !late", "pass", 1, 0),
            ("?a delta ?b quiescent ?c !ok", "pass", 0, 0),
            ("?a delta ?b quiescent ?c !never", "unexpected output", 0, 0),
            ("?a quiescent ?b quiescent ?c !late", "unexpected output", 0, 0),
        ],
    );
}

/// Also where something is followed beside the belief.
#[test]
fn values_that_do_not_fit_after_a_silence() {
    let model = model(&LATE.replace("input b", "input b(p: Int in 0..9)").replace("?b", "?b(_)"));
    for order in ORDERS {
        let mut referee = referee(&model, order);
        assert_eq!(run(&mut referee, "?a delta"), None);
        let input = GateValue { gate: model.gate("b").expect("a gate"), args: Vec::new() };
        assert_eq!(referee.input(&input).as_ref().map(name), Some("unspecified"), "{order:?}");
    }
}

/// T-Q5: where nothing is known any more about those who were only slow, what is not allowed may be allowed for them.
#[test]
fn who_was_slow_may_have_an_excuse() {
    let model = model(
        "input a\ninput b\noutput late\noutput ok\noutput never\nprocess P {\n  var n: Int = 0\n  init l0 { ?a -> l1 }\n  \
         state l1 { !late -> l0   tau -> l2   wait: ?b / n := 1 div n -> l1 }\n  state l2 { next: ?b -> l3 }\n  \
         state l3 { !ok -> l0 }\n}\n",
    );
    check(
        &model,
        &[Order::Sut],
        &[
            ("?a quiescent ?b !ok", "pass"),
            ("?a quiescent ?b !never", "unexpected output"),
            ("?a delta ?b !ok", "pass"),
            ("?a delta ?b !never", "perhaps slow"),
            ("?a delta ?b delta", "perhaps slow"),
            // Nobody makes something out of this.
            ("?a delta ?b bad", "malformed"),
            // What was left open has come to its end.
            ("?a ?b", "error of the model"),
        ],
    );
    // The same where those who were slow may have got an input that the model does not specify there: if the second silence
    // was none, the system was still in `l1`.
    let model = self::model(
        "input a\noutput u\noutput v(p: Int in 1..2)\nprocess P {\n  init l0 { ?a -> l1   tau -> l0 }\n  \
         state l1 { !v(any p) -> l1   !v(1) -> l0 }\n}\n",
    );
    check(
        &model,
        &[Order::Sent],
        &[
            ("delta ?a !v(1) delta ?a !v(2) !u", "perhaps slow"),
            ("delta ?a !v(1) delta ?a !v(2) bad", "malformed"),
            ("quiescent ?a !v(1) quiescent ?a !v(2) !u", "unexpected output"),
        ],
    );
}

/// What a block of deltas ruled out is asked, too, where an answer came before the acceptance.
#[test]
fn mixed_up_answers_after_a_block() {
    let model = model(
        "input a\ninput b\noutput x\noutput y\nprocess P {\n  init l0 { ?a -> l1 }\n  \
         state l1 { tau -> l2   ?b -> l4   !y -> l0 }\n  state l2 { ?b -> l3 }\n  state l3 { !y -> l0 }\n  state l4 { !x -> l0 }\n}\n",
    );
    check(&model, &[Order::Sut], &[("?a delta >b !x <", "error of the adapter")]);
    let mut referee = referee(&model, Order::Sut);
    run(&mut referee, "?a delta >b !x");
    assert!(referee.is_misordered());
    // Announced quiescence left nobody who would answer so.
    run(&mut referee, "?a quiescent >b !x");
    assert!(!referee.is_misordered());
}
