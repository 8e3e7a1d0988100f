//! The rules that give a verdict on one run, as tables: a model, what happens, and what the referee says about it.

mod support;

use sioco_exec::verdict::{Cause, OpenCause};
use sioco_exec::{GateValue, Observation, Order, Referee};
use sioco_model::{Id, Value};
use support::told::{ORDERS, check, limited, name, referee, run, verdict};
use support::{event, ignorant, model};

const ECHO: &str = "input a(p: Int in 0..9)\ninput zz\noutput b(p: Int in 0..9)\noutput extra\nprocess P {\n  \
    var x: Int = 0\n  init l0 { take: ?a(p) / x := p -> l1 }\n  state l1 { give: !b(x) -> l0 }\n}\n";

/// T-V2, T-V3, T-E1, T-E2: what no hypothesis allows is a failure.
#[test]
fn what_nothing_explains_is_a_failure() {
    let model = model(ECHO);
    check(
        &model,
        &ORDERS,
        &[
            ("", "pass"),
            ("delta", "pass"),
            ("quiescent", "pass"),
            ("?a(1)", "pass"),
            ("?a(1) !b(1)", "pass"),
            ("?a(1) !b(1) ?a(2) !b(2)", "pass"),
            ("?a(1) !b(2)", "unexpected output"),
            ("!b(0)", "unexpected output"),
            ("?a(1) !extra", "unexpected output"),
            ("?a(1) delta", "unexpected silence"),
            ("?a(1) quiescent", "unexpected silence"),
            ("closed", "closed"),
            ("crashed", "crashed"),
            ("?a(1) closed", "closed"),
            ("bad", "malformed"),
            ("?a(1) bad", "malformed"),
            ("?zz", "unspecified"),
        ],
    );
}

/// An output whose values do not fit its gate is malformed, and such an input is none of the model's.
#[test]
fn values_that_do_not_fit() {
    let model = model(ECHO);
    let wrong = [vec![], vec![Value::Int(10)], vec![Value::Bool(true)], vec![Value::Int(1), Value::Int(1)]];
    for order in ORDERS {
        for args in &wrong {
            let mut referee = referee(&model, order);
            assert_eq!(run(&mut referee, "?a(1)"), None);
            let output = GateValue { gate: model.gate("b").expect("a gate"), args: args.clone() };
            let cause = referee.observe(&Observation::Output(output));
            assert_eq!(cause.as_ref().map(name), Some("malformed"), "{order:?}: {args:?}");
            assert_eq!(run(&mut referee, ""), None);
            let input = GateValue { gate: model.gate("a").expect("a gate"), args: args.clone() };
            assert_eq!(referee.input(&input).as_ref().map(name), Some("unspecified"), "{order:?}: {args:?}");
        }
    }
}

const ENDS: &str = "input a\ninput b\noutput o\noutput closed\noutput crashed\nprocess P {\n  \
    init l0 { ?a -> l1   ?b -> l2 }\n  state l1 { end: !closed -> over }\n  state l2 { fall: !crashed -> over }\n  \
    final over\n}\n";

/// T-E1, T-E2: the end of the system is allowed where the model has it; an orderly one is no crash, and a crash no orderly
/// one.
#[test]
fn ends_are_allowed_where_the_model_has_them() {
    check(
        &model(ENDS),
        &ORDERS,
        &[
            ("?a closed", "pass"),
            ("?a crashed", "crashed"),
            ("?b crashed", "pass"),
            ("?b closed", "closed"),
            ("?a delta", "unexpected silence"),
            ("?a delta closed", "pass"),
            ("?b delta crashed", "pass"),
            ("closed", "closed"),
        ],
    );
}

/// T-Q6: an output after announced quiescence is an error of the adapter, except where there is none; but nobody can foresee
/// the end of the system.
#[test]
fn who_announces_quiescence_keeps_its_word() {
    let model = model(ECHO);
    let rows = [
        ("quiescent closed", "closed"),
        ("quiescent crashed", "crashed"),
        ("quiescent ?a(1) !b(1)", "pass"),
        ("quiescent ?a(1) !b(2)", "unexpected output"),
        ("quiescent ?a(1) delta", "unexpected silence"),
    ];
    check(&model, &ORDERS, &rows);
    let broken = ["quiescent !b(0)", "quiescent bad", "quiescent delta !b(0)", "delta quiescent !b(0)"];
    for order in ORDERS {
        for words in broken {
            let expected = match (order, words.contains("bad")) {
                (Order::Certain, true) => "malformed",
                (Order::Certain, false) => "unexpected output",
                _ => "error of the adapter",
            };
            check(&model, &[order], &[(words, expected)]);
        }
    }
}

/// T-Q9: what is owed, what may come, and what may come by itself.
#[test]
fn who_may_speak() {
    let model = model(
        "input a\ninput b\ninput c\ninput d\ninput e\noutput o\nprocess P {\n  var n: Int = 0\n  \
         init l0 { ?a -> owes   ?b -> rests   ?c -> shut   ?d -> turns   ?e -> steps }\n  \
         state owes { !o -> l0 }\n  state rests { !o -> l0   tau -> l0 }\n  state shut { !o [n > 0] -> l0   ?a -> shut }\n  \
         state turns { tau -> turned }\n  state turned { tau -> turns   ?a -> l0 }\n  \
         state steps { tau -> l0   ?a -> l0 }\n}\n",
    );
    // Whether silence is allowed, something may happen by itself, and an output may come.
    for (words, expected) in [
        ("", (true, false, false)),
        ("?a", (false, true, true)),
        ("?b", (true, true, true)),
        ("?c", (true, false, false)),
        ("?d", (true, true, false)),
        ("?e", (true, true, false)),
        // Nobody waits for what did not come.
        ("?a delta", (false, false, false)),
        ("?b delta", (true, false, false)),
        ("?b quiescent", (true, false, false)),
        ("?a delta !o", (true, false, false)),
    ] {
        for order in [Order::Sut, Order::Certain] {
            let mut referee = referee(&model, order);
            assert_eq!(run(&mut referee, words), None);
            let found = (referee.allows_silence(), referee.may_act(), referee.may_answer());
            assert_eq!(found, expected, "{order:?}: {words}");
            assert_eq!(referee.is_quiet(), words.ends_with("delta") || words.ends_with("quiescent"));
        }
    }
}

/// The same where the state is not known.
#[test]
fn who_may_speak_in_states_that_are_not_known() {
    let model = model(
        "input a\ninput b\noutput o(v: Int)\noutput p\nprocess P {\n  var m: Int = any\n  \
         init l0 { ?a -> owes   ?b [m > 3] -> perhaps }\n  state owes { !o(m) -> l0 }\n  \
         state perhaps { ?a -> l0   !p [m > 9] -> l0   !o(m) [m < 2] -> l0 }\n}\n",
    );
    for (words, expected) in [
        ("", (true, false, true)),
        ("?a", (false, true, true)),
        ("?b", (true, true, true)),
        ("?a !o(4) ?b", (true, false, false)),
        ("?a !o(12) ?b", (false, true, true)),
        ("?b delta ?a ?a", (false, true, true)),
    ] {
        let mut referee = referee(&model, Order::Sut);
        assert_eq!(run(&mut referee, words), None, "{words}");
        let found = (referee.allows_silence(), referee.may_act(), referee.may_act() && referee.may_answer());
        assert_eq!((found.0, found.1), (expected.0, expected.1), "{words}");
        assert!(found.2 == expected.1, "{words}");
    }
    check(
        &model,
        &[Order::Sut],
        &[
            ("?b", "pass"),
            ("?b !p", "pass"),
            ("?b !o(1)", "unexpected output"),
            ("?b delta ?a ?a !o(5)", "pass"),
            // It was silent, so that it is not above 9; and it took the input, so that it is above 3.
            ("?b quiescent ?a ?a !o(10)", "unexpected output"),
            ("?b ?a ?a !o(10)", "pass"),
            ("?b ?a ?a !o(3)", "unexpected output"),
            ("?a !o(3) ?b", "unspecified"),
        ],
    );
    // What is taken, and what is not, follows from what was seen.
    let mut referee = referee(&model, Order::Sut);
    for (words, takes) in [("", true), ("?a !o(4)", true), ("?a !o(3)", false), ("?a", false)] {
        assert_eq!(run(&mut referee, words), None);
        assert_eq!(referee.takes(&event(&model, "?b")), takes, "{words}");
    }
}

/// T-V7: where a closure was cut, nothing is a failure that it might explain, and nothing is refused for sure.
#[test]
fn cut_closures_make_no_failures() {
    let model = model(
        "input a\ninput b\ninput zz\noutput o(p: Int)\noutput never\nprocess P {\n  var n: Int = 0\n  \
         init l0 { ?a -> l1   ?b -> l3 }\n  state l1 { count: tau [n < 40] / n := n + 1 -> l1   tell: !o(n) -> l2   ?b -> l1 }\n  \
         state l2 { ?b -> l2 }\n  state l3 { !never -> l0 }\n}\n",
    );
    for order in ORDERS {
        for (limit, words, expected) in [
            (10, "?a !o(5)", "pass"),
            (10, "?a !o(30)", "cut"),
            (10, "?a !o(41)", "cut"),
            (10, "?a delta", "cut"),
            (10, "?a bad", "cut"),
            (10, "?a ?zz", "cut"),
            (100, "?a !o(30)", "pass"),
            (100, "?a !o(41)", "unexpected output"),
            (100, "?a delta", "unexpected silence"),
            (100, "?a ?zz", "unspecified"),
            (10, "?b delta", "unexpected silence"),
        ] {
            let mut referee = limited(&model, order, limit);
            assert_eq!(verdict(&mut referee, words), expected, "{order:?}, {limit}: {words}");
        }
        let mut referee = limited(&model, order, 10);
        assert_eq!(run(&mut referee, "?a"), None);
        assert!(referee.belief().cut && referee.allows_silence() && referee.may_act() && referee.may_answer());
        let mut referee = limited(&model, order, 100);
        assert_eq!(run(&mut referee, "?a"), None);
        assert!(!referee.belief().cut && !referee.allows_silence());
    }
    // What is refused may have been something that was left out.
    for (limit, expected) in [(10, "refused, which says nothing"), (100, "refused")] {
        let mut referee = limited(&model, Order::Sut, limit);
        referee.count_refusals(true);
        assert_eq!(verdict(&mut referee, "?a >b x"), expected);
    }
}

/// A closure that counts on without answering.
#[test]
fn steps_that_were_not_followed_may_still_come() {
    let model = model(
        "input a\noutput o\nprocess P {\n  var n: Int = 0\n  init l0 { ?a -> l1 }\n  \
         state l1 { count: tau [n < 40] / n := n + 1 -> l1   !o [n > 39] -> l0   ?a -> l1 }\n}\n",
    );
    let mut referee = limited(&model, Order::Sut, 10);
    assert_eq!(run(&mut referee, "?a"), None);
    assert!(referee.may_act() && referee.may_answer());
    let mut referee = limited(&model, Order::Sut, 100);
    assert_eq!(run(&mut referee, "?a"), None);
    assert!(referee.may_answer());
}

/// T-E4: a refused input is a failure where that counts and every hypothesis takes the input for sure.
#[test]
fn refused_inputs() {
    let model = model(
        "input a\ninput b\ninput c\ninput d\ninput zz\noutput o\nprocess P {\n  var n: Int = 0\n  \
         init l0 { ?a -> l1   ?b -> l2   ?c -> l3 }\n  state l1 { ?d -> l0 }\n  state l2 { tau -> l1   ?a -> l0 }\n  \
         state l3 { sure: ?d -> l0   odd: ?d [1 div n > 0] -> l0 }\n}\n",
    );
    let says_nothing = "refused, which says nothing";
    for (counts, words, expected) in [
        (true, ">a x", "refused"),
        (true, "?a >d x", "refused"),
        (false, ">a x", says_nothing),
        (true, ">zz x", says_nothing),
        (true, ">d x", says_nothing),
        // One of two hypotheses does not take it.
        (true, "?b >d x", says_nothing),
        (true, "?b >a x", says_nothing),
        // Whether the model has an error there is not for the system to say.
        (true, "?c >d x", says_nothing),
    ] {
        for order in [Order::Sut, Order::Certain] {
            let mut referee = referee(&model, order);
            referee.count_refusals(counts);
            assert_eq!(verdict(&mut referee, words), expected, "{order:?}, {counts}: {words}");
        }
    }
    // Where an input before it may still be under way, it is not known what the system was in.
    let mut referee = referee(&model, Order::Sent);
    referee.count_refusals(true);
    assert_eq!(verdict(&mut referee, ">a x"), "refused");
    assert_eq!(verdict(&mut referee, "?a >d x"), says_nothing);
    // In a state that is not known, nothing is sure.
    let free = self::model(
        "input a\noutput o(v: Int)\nprocess P {\n  var m: Int = any\n  init l0 { ?a -> l1 }\n  \
         state l1 { !o(m) [m + m != 1] -> l0 }\n}\n",
    );
    let mut referee = self::referee(&free, Order::Sut);
    referee.count_refusals(true);
    assert_eq!(verdict(&mut referee, ">a x"), says_nothing);
}

/// T-O2: in the order of the system, what comes before an input is accepted came before it.
#[test]
fn outputs_overtake_inputs_that_are_not_accepted() {
    let model = model(
        "input a\ninput b\ninput zz\noutput o\noutput p\noutput never\nprocess P {\n  \
         init l0 { ?a -> l1   greet: !o -> l2 }\n  state l1 { !p -> l0 }\n  state l2 { ?b -> l2 }\n}\n",
    );
    check(
        &model,
        &[Order::Sut],
        &[
            (">a <", "pass"),
            // After the output, the model does not specify the input any more: they crossed.
            (">a !o <", "crossed"),
            ("!o ?a", "unspecified"),
            (">b !o <", "pass"),
            (">a !o x", "crossed"),
            (">b !o x", "refused, which says nothing"),
            (">a x", "refused, which says nothing"),
            // The answer came before the acceptance: the adapter mixed them up.
            (">a !p <", "error of the adapter"),
            (">a !p delta <", "error of the adapter"),
            // Wrong in any order.
            (">a !never", "unexpected output"),
            (">a !p !never", "unexpected output"),
            (">zz !never", "unexpected output"),
            (">zz !p", "unexpected output"),
            (">a bad", "malformed"),
            // Quiescence says nothing while an input is under way.
            ("!o >b delta < !never", "unexpected output"),
            (">a delta < !p", "pass"),
            (">a quiescent < !p", "pass"),
        ],
    );
    for (words, misordered) in [(">a !o", false), (">a !p", true), (">a !never", false), (">zz !never", false)] {
        let mut referee = referee(&model, Order::Sut);
        run(&mut referee, words);
        assert_eq!(referee.is_misordered(), misordered, "{words}");
        // Until the next run, where the promise counts again.
        assert_eq!(referee.order(), if misordered { Order::Sent } else { Order::Sut }, "{words}");
        assert_eq!(run(&mut referee, ""), None);
        assert!(referee.order() == Order::Sut && !referee.is_misordered());
    }
    // Where the order is certain, nobody mixes anything up.
    check(&model, &[Order::Certain], &[(">a !p", "unexpected output"), (">a !o <", "crossed")]);
    // Where it is that of sending, it is an answer like any other.
    check(&model, &[Order::Sent], &[(">a !p <", "pass"), (">a !never", "unexpected output")]);
    let mut referee = referee(&model, Order::Sent);
    assert_eq!(run(&mut referee, ">a"), None);
    assert!(!referee.is_counted());
    assert_eq!(referee.observe(&Observation::Output(event(&model, "!p"))), None);
    assert!(referee.is_counted());
    assert_eq!(referee.accepted(), None);
    assert!(!referee.is_counted());
}

/// A failure that rests on no order is explained in the order that the adapter promises.
#[test]
fn a_failure_is_explained_in_the_promised_order() {
    let model = model(ECHO);
    let mut referee = referee(&model, Order::Sut);
    assert_eq!(run(&mut referee, ">a(1) !b(2)").as_ref().map(name), Some("unexpected output"));
    let explanation = referee.explain();
    assert_eq!(explanation.all, 1);
    assert!(explanation.hypotheses[0].shown.starts_with("l0") && explanation.hypotheses[0].under_way.is_empty());
}

/// T-O3, T-O6: where it is only known that inputs were sent, they may be taken between the outputs that follow; one that
/// the model does not specify where it may have been taken makes no failures.
#[test]
fn inputs_that_were_only_sent() {
    let echo = model(ECHO);
    check(&echo, &[Order::Sent], &[("?a(1) ?a(2)", "unspecified"), ("?zz", "unspecified")]);
    let count = model(
        "input a\ninput b\ninput c\noutput o(n: Int)\nprocess P {\n  var n: Int = 0\n  \
         init l0 { ?a / n := n + 1 -> l0   tell: ?b -> l1 }\n  state l1 { !o(n) -> l0   ?a / n := n + 10 -> l1 }\n}\n",
    );
    check(
        &count,
        &[Order::Sent],
        &[
            ("?a ?b !o(1)", "pass"),
            ("?a ?b !o(0)", "unexpected output"),
            // The last input is taken before or after the output.
            ("?b ?a !o(0)", "pass"),
            ("?b ?a !o(10)", "pass"),
            ("?b ?a !o(1)", "unexpected output"),
            ("?b ?a ?a !o(10)", "pass"),
            ("?b ?a ?a !o(20)", "pass"),
            ("?b ?a ?a !o(11)", "unexpected output"),
            ("?b ?a !o(10) ?b !o(10)", "pass"),
            ("?b ?a !o(0) ?b !o(1)", "pass"),
            ("?b ?a !o(0) ?b !o(10)", "unexpected output"),
            ("?b ?a !o(10) ?b !o(1)", "unexpected output"),
            // By the time of quiescence, everything was taken.
            ("?b delta", "unexpected silence"),
            ("?b ?a delta", "unexpected silence"),
            ("?b ?a !o(0) delta ?b !o(1)", "pass"),
            ("?b !o(0) delta", "pass"),
        ],
    );
    // `?a` and `!o` may have happened in either order; only after one of them, `?b` is specified.
    let either = model(
        "input a\ninput b\ninput c\noutput o\noutput never\nprocess P {\n  init l0 { !o -> l1   ?a -> l2 }\n  \
         state l1 { ?a -> l3 }\n  state l2 { !o -> l4 }\n  state l3 { ?b -> l5 }\n  state l4 { ?c -> l4 }\n  state l5 { ?a -> l5 }\n}\n",
    );
    check(
        &either,
        &[Order::Sent],
        &[
            ("?a !o !never", "unexpected output"),
            ("?a !o ?b !never", "crossed"),
            ("?a !o ?b delta", "pass"),
            ("?a !o ?b ?a", "pass"),
            ("?a !o ?b ?c", "crossed"),
            ("?a !o ?b bad", "crossed"),
        ],
    );
    let mut referee = referee(&either, Order::Sent);
    assert_eq!(run(&mut referee, "?a !o ?b"), None);
    assert!(referee.belief().crossed && referee.allows_silence());
    // What no gate can have, nothing takes either; that inputs crossed before is still true.
    let misfit = GateValue { gate: event(&either, "?a").gate, args: vec![Value::Int(1)] };
    assert_eq!(referee.input(&misfit), Some(Cause::Open(OpenCause::Crossed)));
}

/// Nothing takes values that its gate cannot have, be they too many, too few, or out of range; the state may be unknown.
#[test]
fn inputs_that_do_not_fit_their_gate_are_taken_by_nothing() {
    for free in ["0", "any"] {
        let model = model(&format!(
            "input a(p: Int in 0..9)\noutput o(v: Int)\nprocess P {{\n  var m: Int = {free}\n  init l0 {{ ?a(_) -> l1 }}\n  \
             state l1 {{ ?a(_) -> l1   !o(m) -> l1 }}\n}}\n"
        ));
        let gate = event(&model, "?a(1)").gate;
        for order in ORDERS {
            for (args, fits) in [(vec![3], true), (vec![], false), (vec![3, 3], false), (vec![10], false)] {
                let input = GateValue { gate, args: args.iter().copied().map(Value::Int).collect() };
                let mut referee = referee(&model, order);
                assert_eq!(run(&mut referee, "?a(1)"), None);
                assert_eq!(referee.takes(&input), fits, "{free}, {order:?}, {args:?}");
                let cause = (!fits).then(|| Cause::Open(OpenCause::Unspecified(input.clone())));
                assert_eq!(referee.input(&input), cause, "{free}, {order:?}, {args:?}");
            }
        }
    }
}

/// Where an output shows that an input cannot be taken any more, nobody takes it for taken.
#[test]
fn inputs_that_are_never_taken() {
    let model = model(
        "input a\ninput b\noutput o\noutput p\nprocess P {\n  init l0 { ?a -> l1 }\n  \
         state l1 { ?b -> l2   leave: !p -> l3 }\n  state l2 { !o -> l0 }\n  state l3 { ?a -> l3 }\n}\n",
    );
    check(
        &model,
        &[Order::Sent],
        &[
            ("?a ?b !o", "pass"),
            ("?a ?b !p", "pass"),
            // After `!p`, `?b` is not specified: whatever follows is no failure, and nothing shows that it was taken.
            ("?a ?b !p delta", "crossed"),
            ("?a ?b !p !o", "crossed"),
            ("?a ?b delta", "unexpected silence"),
        ],
    );
}

/// Only so many orders are followed at once.
#[test]
fn more_orders_than_can_be_followed_are_cut() {
    let model = model(
        "input a\noutput o(n: Int)\nprocess P {\n  var n: Int = 0\n  init l0 { ?a / n := n + 1 -> l0   !o(n) [n > 90] -> l0 }\n}\n",
    );
    let sent = |count: usize| vec!["?a"; count].join(" ");
    // One for each number of inputs that were taken.
    let most = 64;
    check(
        &model,
        &[Order::Sent],
        &[(&sent(most - 1), "pass"), (&format!("{} !o(5)", sent(most - 1)), "unexpected output"), (&sent(most), "cut")],
    );
}

/// The same where states are not known: there are fewer of these.
#[test]
fn more_open_hypotheses_than_can_be_followed_are_cut() {
    // Five for each number of inputs that were taken.
    let model = model(
        "input a\noutput o(v: Int)\nprocess P {\n  var m: Int = any\n  var b: Int in 0..4 = any\n  var n: Int = 0\n  \
         init l0 { ?a / n := n + 1 -> l0   !o(m) [b == 3 && n > 90 && m + m != 1] -> l0 }\n}\n",
    );
    let sent = |count: usize| vec!["?a"; count].join(" ");
    check(&model, &[Order::Sent], &[(&sent(51), "pass"), (&sent(52), "cut")]);
}

/// T-V8, T-V9: what rests on a question without an answer is open; what does not is not.
#[test]
fn questions_without_answers() {
    let text = "input i\noutput o(p: Int, q: Int)\noutput never\nprocess P {\n  var v: Bool = any\n  \
         init l0 { ?i -> l1   ask: ?i -> l4 }\n  \
         state l1 { cubes: !o(any a, any b) [v && a*a*a + b*b*b == 42*a*b + 1729111] -> l2\n    \
         plain: !o(1, 2) [!v] / v := true -> l3\n    otherwise: !o(1, 2) [else] -> l3 }\n  \
         state l2 { ?i -> l2 }\n  state l3 { ?i -> l3 }\n  state l4 { ?i -> l4 }\n}\n";
    // Whichever of the two values comes first.
    let other = text.replace("[v &&", "[!v &&").replace("[!v] / v := true", "[v] / v := false");
    let models = [model(text), model(&other)];
    for (model, order) in models.iter().flat_map(|m| [(m, Order::Sut), (m, Order::Certain)]) {
        let mut referee = referee(model, order);
        // Quiescence is allowed, since `ask` may have been taken.
        assert_eq!(verdict(&mut referee, "?i delta"), "pass");
        assert_eq!(verdict(&mut referee, "?i !never"), "unexpected output");
        // Both ways lead to the same state, and one of them is certain.
        assert_eq!(verdict(&mut referee, "?i !o(1,2)"), "pass");
        assert_eq!(referee.belief().len(), 1);
        assert!(!referee.belief().is_doubtful());
        referee.mind.unknown = 0;
        assert_eq!(verdict(&mut referee, "?i !o(1,2)"), "pass");
        let asked = referee.mind.unknown;
        assert!(asked > 0, "and the question was counted");
        assert_eq!(verdict(&mut referee, "?i !o(1,2)"), "pass");
        assert_eq!(referee.mind.unknown, 2 * asked, "as often as it comes up");
    }
}

/// The same where the state is not known and the values that were seen say nothing about the question, or there are none.
#[test]
fn questions_that_no_value_answers() {
    let model = model(
        "input a\ninput b\noutput o\noutput p(k: Int)\nprocess P {\n  var m: Int = any\n  init l0 { ?a -> l1   ?b [m > 3] -> l2 }\n  \
         state l1 { !o [m > 3] -> l0   !p(3) [m > 3] -> l0 }\n  state l2 { !o -> l0   !p(m) [m + m != 1] -> l0 }\n}\n",
    );
    for order in ORDERS {
        for (words, expected) in [
            ("?a !o", "undecided"),
            ("?a !p(3)", "undecided"),
            ("?a !p(4)", "unexpected output"),
            ("?b !o", "undecided"),
            ("?b !o delta", "undecided"),
            // If the input was not specified, the system may do what it likes.
            ("?b closed", "undecided"),
            ("?b delta", "undecided"),
        ] {
            let mut referee = Referee::new(&model, &ignorant, order);
            assert_eq!(verdict(&mut referee, words), expected, "{order:?}: {words}");
        }
        // Somebody who knows it.
        let mut referee = referee(&model, order);
        let found = ["?a !o", "?b !o", "?b closed"].map(|words| verdict(&mut referee, words));
        assert_eq!(found, ["pass", "pass", "closed"], "{order:?}");
    }
}

/// Every question without an answer is counted, wherever it comes up.
#[test]
fn questions_without_answers_are_counted() {
    let cubes = model(
        "input i\noutput o(p: Int, q: Int)\nprocess P {\n  init l0 {\n    \
         cubes: !o(any a, any b) [a*a*a + b*b*b == 42*a*b + 1729111] -> l0\n    ?i -> l0\n  }\n}\n",
    );
    let mut referee = referee(&cubes, Order::Sut);
    assert_eq!(run(&mut referee, "?i"), None);
    assert_eq!(referee.mind.unknown, 0);
    assert_eq!(run(&mut referee, "?i quiescent"), None);
    assert_eq!(referee.mind.unknown, 1);
    // Where the state is not known, and nobody answers anything.
    let open = model(
        "input a\ninput b\noutput o(v: Int)\nprocess P {\n  var m: Int = any\n  init l0 { ?a [m > 3] -> l1   ?b -> l2 }\n  \
         state l1 { !o(m) [m > 5] -> l0 }\n  state l2 { tau [m > 7] -> l1   ?a -> l2 }\n  state l3 { ?a [m + m == 1] -> l3 }\n}\n",
    );
    for (words, expected) in [("", 0), ("?a", 1), ("quiescent", 0), ("?a quiescent", 2), ("?b", 1)] {
        let mut referee = Referee::new(&open, &ignorant, Order::Sut);
        assert_eq!(run(&mut referee, words), None);
        assert_eq!(referee.mind.unknown, expected, "{words}");
    }
}

/// The account says what every hypothesis took; where nothing is certain, that is nothing.
#[test]
fn an_empty_belief_took_nothing() {
    let model = model(ECHO);
    let mut referee = referee(&model, Order::Sut);
    assert_eq!((referee.belief().is_empty(), referee.belief().len()), (true, 0));
    let (surely, possibly) = referee.account();
    assert!(model.switches.ids().all(|s| !surely.has(s.index()) && !possibly.has(s.index())));
    assert_eq!(run(&mut referee, "?a(1)"), None);
    assert!(!referee.belief().is_empty() && referee.belief().len() == 1);
}
