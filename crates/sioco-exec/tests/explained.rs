//! How a failure is explained: what each hypothesis allows, and what all of them do together.

mod support;

use sioco_exec::explanation::{Allowed, Explanation, Left, Offer, Values};
use sioco_exec::{Order, Referee};
use sioco_model::{Model, Value};
use support::model;
use support::told::{referee, run};

fn outputs<'m>(model: &'m Model, left: &Left) -> Vec<(&'m str, Vec<Value>, bool)> {
    let of = |a: &Allowed| match a {
        Allowed::Output { switch, args, fixed } => Some((model.switches[*switch].name.as_str(), args.clone(), *fixed)),
        Allowed::Silence => None,
    };
    left.allowed.iter().filter_map(of).collect()
}

fn silence(left: &Left) -> bool {
    left.allowed.contains(&Allowed::Silence)
}

/// The switches that are named, with whether there is a reason.
fn named<'m>(model: &'m Model, left: &Left) -> Vec<(&'m str, bool)> {
    left.switches.iter().map(|(s, why)| (model.switches[*s].name.as_str(), !why.is_empty())).collect()
}

/// What a failing run is explained by.
fn explained<'m>(model: &'m Model, order: Order, words: &str) -> (Vec<Left>, Referee<'m>) {
    let mut referee = referee(model, order);
    let cause = run(&mut referee, words).or_else(|| referee.conclude());
    assert!(cause.is_some(), "{words}");
    let explanation = referee.explain();
    assert_eq!(explanation.all, referee.belief().len());
    (explanation.hypotheses, referee)
}

/// A failure is explained by what each hypothesis allows, and by the switches that could have explained it.
#[test]
fn failures_are_explained_by_known_states() {
    let model = model(
        "input a(p: Int in 0..9)\noutput o(v: Int)\noutput p\nchannel c\nprocess P {\n  var x: Int = 0\n  \
         init l0 { ?a(v) / x := v -> l1 }\n  state l1 { give: !o(x) [x > 2] -> l0   free: !o(any v) [v > 90] -> l0   \
         rest: tau [x > 5] -> l2   shut: !p [x > 99] -> l0   hear: recv c -> l0   ?a(_) -> l1 }\n  state l2 { ?a(_) -> l2 }\n}\n\
         process Q {\n  init q0 { say: send c -> q1 }\n  state q1 { tau [false] -> q0 }\n}\nsystem S = P || Q\n",
    );
    let (left, _) = explained(&model, Order::Sut, "?a(3) !o(5)");
    let at_l1 = left.iter().find(|l| l.shown.contains("l1") && l.shown.contains("q0")).expect("a hypothesis");
    assert_eq!(outputs(&model, at_l1)[0], ("P.give", vec![Value::Int(3)], true));
    assert!(!outputs(&model, at_l1)[1].2 && !silence(at_l1));
    assert_eq!(named(&model, at_l1), [("P.give", true), ("P.free", true)]);
    assert!(at_l1.state.is_some() && at_l1.under_way.is_empty() && at_l1.locations.len() == 2);
    // After the handshake it rests, and nobody has an output.
    let at_l0 = left.iter().find(|l| l.shown.contains("l0")).expect("the handshake may have happened");
    assert!(outputs(&model, at_l0).is_empty() && silence(at_l0) && named(&model, at_l0).is_empty());

    let only = self::model(
        "input a(p: Int in 0..9)\noutput o(v: Int)\noutput p\nprocess P {\n  var x: Int = 0\n  \
         init l0 { ?a(v) / x := v -> l1 }\n  state l1 { give: !o(x) [x > 2] -> l0   shut: !p [x > 99] -> l0   \
         rest: tau [x > 5] -> l3   ?a(_) -> l1 }\n  state l3 { turn: !p -> l1 }\n}\n",
    );
    let (left, _) = explained(&only, Order::Sut, "?a(7) quiescent");
    assert_eq!(named(&only, &left[0]), [("give", false), ("rest", false)], "what is enabled and does not need anybody");
    assert_eq!((named(&only, &left[1]), silence(&left[1])), (vec![("turn", false)], false));
    let (left, _) = explained(&only, Order::Sut, "!o(1)");
    assert!(outputs(&only, &left[0]).is_empty() && silence(&left[0]) && named(&only, &left[0]).is_empty());
}

/// The same where the state is not known.
#[test]
fn failures_are_explained_by_states_that_are_not_known() {
    let model = model(
        "input a\ninput b\noutput o(v: Int)\noutput p\noutput q\nprocess P {\n  var m: Int = any\n  var n: Int = 4\n  \
         init l0 { ?a -> l1   ?b -> l2 }\n  state l1 { give: !o(m) [m > 2] -> l0   other: !o(m + n) [m > 9] -> l0   \
         never: !p [m > m + 1] -> l0   ?b -> l1 }\n  state l2 { calm: !q [m > 0] -> l0   full: !o(m) [m <= 0 ] -> l0 }\n}\n",
    );
    let (left, _) = explained(&model, Order::Sut, "?a !p");
    let names = |left: &Left| outputs(&model, left).iter().map(|o| o.0).collect::<Vec<_>>();
    assert_eq!((names(&left[0]), silence(&left[0])), (vec!["give", "other"], true));
    assert_eq!(named(&model, &left[0]), [("never", false)]);
    assert_eq!((left[0].locations.len(), left[0].state.is_none()), (1, true));
    assert_eq!(left[0].shown, "l1, m unknown, n = 4");
    let (left, _) = explained(&model, Order::Sut, "?a !o(1)");
    assert_eq!(named(&model, &left[0]), [("give", false), ("other", false)]);
    let (left, _) = explained(&model, Order::Sut, "?b quiescent");
    assert_eq!((names(&left[0]), silence(&left[0])), (vec!["calm", "full"], false));
    assert_eq!(named(&model, &left[0]), [("calm", false), ("full", false)]);
    let (left, _) = explained(&model, Order::Sut, "!q");
    assert!(names(&left[0]).is_empty() && silence(&left[0]) && named(&model, &left[0]).is_empty());
}

/// What is known of a state that is not known is shown with the values that were observed.
#[test]
fn open_states_are_shown_by_what_was_observed() {
    let model = model(
        "input a(p: Int)\noutput o(v: Int)\nprocess P {\n  var m: Int = any\n  var x: Int = 0\n  var y: Int = 0\n  \
         init l0 { ?a(p) / x := p, y := p + m -> l1 }\n  state l1 { !o(y) -> l0   ?a(_) -> l1 }\n}\n",
    );
    let mut referee = referee(&model, Order::Sut);
    assert_eq!(run(&mut referee, "?a(5)"), None);
    let shown = referee.explain().hypotheses[0].shown.clone();
    assert_eq!(shown, "l1, m unknown, x = 5, y = 5 + m#0");
}

/// Inputs that are under way are named, and who has some is not silent.
#[test]
fn inputs_under_way_are_named() {
    let model = model(
        "input a\ninput b\noutput o(n: Int)\noutput p\nprocess P {\n  var n: Int = 0\n  init l0 { ?a / n := n + 1 -> l0   tell: ?b -> l1 }\n  \
         state l1 { !o(n) -> l0   ?a / n := n + 10 -> l1 }\n}\n",
    );
    let (left, referee) = explained(&model, Order::Sent, "?a ?a !p");
    let found: Vec<(usize, bool)> = left.iter().map(|l| (l.under_way.len(), silence(l))).collect();
    assert_eq!(found, [(2, false), (1, false), (0, true)]);
    assert_eq!(referee.ready().map(|(at, _)| at).collect::<Vec<_>>(), [2]);
    // Everything was taken when it answered, or was quiet.
    let (left, referee) = explained(&model, Order::Sent, "?a delta ?b !o(1) !p");
    let found: Vec<(usize, bool)> = left.iter().map(|l| (l.under_way.len(), silence(l))).collect();
    assert_eq!((found, referee.ready().count()), (vec![(0, true)], 1));
}

/// What all hypotheses together allow: gates with values, in intervals where they are all known, and silence.
fn offers(model: &Model, explanation: &Explanation) -> Vec<String> {
    let of = |offer: &Offer| {
        let name = &model.switches[offer.switch].name;
        let args: Vec<String> = offer.args.iter().map(ToString::to_string).collect();
        match &offer.values {
            Values::Only => format!("{name} only {}", args.join(",")),
            Values::Within { param, parts } => format!("{name} {param} {parts:?}"),
            Values::Some { ends: None } => format!("{name} some"),
            Values::Some { ends: Some((param, least, greatest)) } => format!("{name} {param} {least}..{greatest}"),
        }
    };
    let mut found: Vec<String> = explanation.offers.iter().map(of).collect();
    found.extend(explanation.silence.then(|| "silence".to_owned()));
    found
}

fn explanation(model: &Model, order: Order, words: &str) -> Explanation {
    let mut referee = referee(model, order);
    run(&mut referee, words);
    referee.explain()
}

/// Values of the same number are put together, whichever hypotheses and switches they come from.
#[test]
fn what_all_hypotheses_allow_is_put_together() {
    let model = model(
        "input a\ninput b\ninput c\ninput d\ninput e\noutput o(v: Int in 0..99)\noutput p(v: Int in 0..99, w: Int in 0..99)\n\
         output s(t: String)\noutput q\nprocess P {\n  var n: Int in 0..3 = any\n  \
         init l0 { ?a -> l1   ?b -> l2   ?c -> l3   ?d -> l4   ?e -> l5 }\n  \
         state l1 { one: !o(n) -> l0   ten: !o(10) -> l0 }\n  \
         state l2 { some: !o(any v) [20 <= v <= 25 || v == 27] -> l0   next: !o(26) -> l0   more: !o(any v) [v > 40 && v < 43] -> l0 }\n  \
         state l3 { pair: !p(any v, 7) [v < 3] -> l0   both: !p(any v, any w) [v < w] -> l0   fix: !p(1, n) -> l0 }\n  \
         state l4 { text: !s(any t) [t == \"x\" || t == \"y\"] -> l0   word: !s(\"z\") -> l0   again: !s(\"z\") -> l0   quiet: tau -> l0 }\n  \
         state l5 { same: !o(5) -> l0   twin: !o(5) -> l0   none: !q [n > 5] -> l0 }\n}\n",
    );
    for (words, expected) in [
        ("", &["silence"][..]),
        ("?a", &["one 0 [(0, 3), (10, 10)]"]),
        ("?b", &["some 0 [(20, 27), (41, 42)]"]),
        ("?c", &["pair 0 [(0, 2)]", "both some", "fix only 1,0", "fix only 1,1", "fix only 1,2", "fix only 1,3"]),
        ("?d", &["text some", "word only \"z\"", "silence"]),
        ("?e", &["same only 5"]),
    ] {
        let explanation = explanation(&model, Order::Sut, words);
        assert_eq!(offers(&model, &explanation), expected, "{words}");
        assert!(!explanation.more);
        let names: Vec<String> = explanation.locations.iter().map(|l| model.location_name(*l)).collect();
        assert_eq!(names.len(), if words == "?d" { 2 } else { 1 }, "each location once: {names:?}");
    }
    // Of all hypotheses, not only of those that are shown.
    let many = self::model(
        "input a\noutput o(v: Int)\noutput p(v: Int, w: Int)\nprocess P {\n  var n: Int in 0..49 = any\n  init l0 { ?a -> l1 }\n  \
         state l1 { twice: !o(2 * n) -> l0   pair: !p(n, n) -> l0 }\n}\n",
    );
    let explanation = self::explanation(&many, Order::Sut, "?a !o(1)");
    assert_eq!(explanation.all, 50);
    let parts: Vec<(i64, i64)> = (0..50).map(|n| (2 * n, 2 * n)).collect();
    assert_eq!(explanation.offers[0].values, Values::Within { param: 0, parts });
    assert_eq!((explanation.offers.len(), explanation.more), (51, false));
    assert_eq!(explanation.switches.len(), 50, "one switch, for a different reason each");
    // So many outputs are kept; that there are more is said.
    let more = self::model(
        "input a\noutput p(v: Int, w: Int)\nprocess P {\n  var n: Int in 0..63 = any\n  init l0 { ?a -> l1 }\n  \
         state l1 { pair: !p(n, n) -> l0   other: !p(n, 100) -> l0 }\n}\n",
    );
    let explanation = self::explanation(&more, Order::Sut, "?a");
    assert_eq!((explanation.offers.len(), explanation.more), (64, true));
    assert_eq!(explanation.locations.len(), 1);
}

/// The same where the state is not known: the least and the greatest value, or the only one.
#[test]
fn what_is_allowed_where_the_state_is_not_known() {
    let model = model(
        "input a\ninput b\noutput o(v: Int)\noutput p(v: Int)\noutput q\nprocess P {\n  var m: Int = any\n  \
         init l0 { ?a [3 <= m <= 9 && m + m != 5] -> l1   ?b -> l2 }\n  \
         state l1 { tell: !o(m) -> l0   fix: !p(7) [m > 5] -> l0   sign: !q [m > 4] -> l0 }\n  state l2 { tell2: !o(m) [m > 0] -> l0   ?a -> l2 }\n}\n",
    );
    assert_eq!(offers(&model, &explanation(&model, Order::Sut, "?a")), ["tell 0 3..9", "fix only 7", "sign only "]);
    assert_eq!(offers(&model, &explanation(&model, Order::Sut, "?b")), ["tell2 some", "silence"]);
    assert_eq!(offers(&model, &explanation(&model, Order::Sut, "")), ["silence"]);
}

/// The same where values stand for others: what they stand for is allowed.
#[test]
fn what_is_allowed_where_values_stand_for_others() {
    let model = model(
        "input a\ninput b\noutput o(v: Int)\noutput p(v: Int, w: Int)\nprocess P {\n  var m: Int = any\n  \
         init l0 { ?a [3 <= m <= 9] -> l1   ?b [m > 9] -> l1 }\n  \
         state l1 { tell: !o(m) -> l0   pair: !p(m, 1) [m == 9 || m > 9] -> l0 }\n}\n",
    );
    assert_eq!(offers(&model, &explanation(&model, Order::Sut, "?a")), ["tell 0 [(3, 9)]", "pair only 9,1"]);
    assert_eq!(offers(&model, &explanation(&model, Order::Sut, "?b")), ["tell some", "pair some"]);
    assert_eq!(offers(&model, &explanation(&model, Order::Sut, "?b !o(12) ?b")), ["tell only 12", "pair only 12,1"]);
    // Each for itself: an interval, one value between two others, one that is known, and what is none of these.
    let apart = self::model(
        "input a(n: Int)\noutput o(v: Int)\noutput s(t: String)\nprocess P {\n  var m: Int = any\n  var k: Int = any\n  var t: String = any\n  \
         init l0 {\n    ?a(n) [n == 1 && m > 3 && m < 9] -> l1\n    ?a(n) [n == 2 && m > 9 && m < 11] -> l1\n    \
         ?a(n) [n == 3 && k == 4] -> l2\n    ?a(n) [n == 5 && k != 4 && k != 5 && k != n] -> l2\n    \
         ?a(n) [n == 6 && t == \"x\"] -> l3\n    ?a(n) [n == 7 && t != \"x\"] -> l3\n  }\n  \
         state l1 { tell: !o(m) -> l0 }\n  state l2 { say: !o(k) -> l0 }\n  state l3 { write: !s(t) -> l0 }\n}\n",
    );
    for (words, expected) in [
        ("?a(1)", "tell 0 [(4, 8)]"),
        ("?a(2)", "tell only 10"),
        ("?a(3)", "say only 4"),
        ("?a(5)", "say some"),
        ("?a(6)", "write only \"x\""),
        ("?a(7)", "write some"),
        ("?a(7) !s(\"y\") ?a(7)", "write only \"y\""),
    ] {
        assert_eq!(offers(&apart, &explanation(&apart, Order::Sut, words)), [expected], "{words}");
    }
}

/// The end of the system is explained by the switches that end it.
#[test]
fn ends_are_explained() {
    for free in ["0", "any"] {
        let model = model(&format!(
            "input a\noutput o(v: Int)\noutput closed\noutput crashed\nprocess P {{\n  var m: Int = {free}\n  init l0 {{ ?a -> l1 }}\n  \
             state l1 {{ end: !closed [m > m] -> l0   fall: !crashed [m < m] -> l0   !o(m) -> l0 }}\n}}\n"
        ));
        for (seen, name) in [("closed", "end"), ("crashed", "fall")] {
            let explanation = explanation(&model, Order::Sut, &format!("?a {seen}"));
            let names: Vec<&str> = explanation.switches.iter().map(|(s, _)| &*model.switches[*s].name).collect();
            assert_eq!(names, [name], "{free}");
        }
        let explanation = explanation(&model, Order::Sut, "?a bad");
        assert!(explanation.switches.is_empty(), "{free}");
    }
}

/// Of so many hypotheses, all values of an output are listed; of the others there is an example.
#[test]
fn values_are_listed_for_some_hypotheses_only() {
    let model = model(
        "input a\noutput o(v: Int in 0..999)\nprocess P {\n  var n: Int = 0\n  init l0 { ?a -> l1 }\n  \
         state l1 { tau any k: Int in 0..66 / n := k -> l2 }\n  \
         state l2 { some: !o(any v) [10 * n <= v <= 10 * n + 1] -> l0 }\n}\n",
    );
    let explanation = explanation(&model, Order::Sut, "?a");
    // One has not moved yet, and is the first of 64.
    assert_eq!(explanation.all, 68);
    let parts: Vec<(i64, i64)> = (0..63).map(|n| (10 * n, 10 * n + 1)).collect();
    assert_eq!(offers(&model, &explanation), [format!("some 0 {parts:?}"), "some some".to_owned()]);
    // Where the state is not known, values are not even looked for. The hypotheses from 32 on are those.
    let open = self::model(
        "input a\noutput o(v: Int)\noutput q\nprocess P {\n  var n: Int in 0..299 = any\n  var m: Int = any\n  \
         init l0 { ?a -> l1   ?a -> l2 }\n  \
         state l1 { tell: !o(m) -> l0   late: !o(m) [n == 32 && m == 9] -> l0   sign: !q [n > 31] -> l0 }\n  \
         state l2 { early: !o(m) [n == 31 && m == 9] -> l0   !q [n > 31] -> l0   other: !o(m) -> l0 }\n}\n",
    );
    let explanation = self::explanation(&open, Order::Sut, "?a");
    assert_eq!(explanation.all, 600);
    assert_eq!(offers(&open, &explanation), ["tell some", "other some", "early only 9", "late some", "sign only "]);
}

/// An output whose values are not all known is named once, whatever its examples are.
#[test]
fn one_example_is_enough() {
    let model = model(
        "input a\noutput p(v: Int in 0..99, w: Int in 0..99)\nprocess P {\n  var n: Int in 0..3 = any\n  init l0 { ?a -> l1 }\n  \
         state l1 { both: !p(any v, any w) [v < w && v > n] -> l0   more: !p(any v, any w) [v > w] -> l0 }\n}\n",
    );
    let explanation = explanation(&model, Order::Sut, "?a");
    let examples = explanation.hypotheses.iter().map(|left| outputs(&model, left)[0].1.clone());
    let examples: std::collections::BTreeSet<Vec<Value>> = examples.collect();
    assert_eq!((explanation.all, examples.len()), (4, 4), "each has another example");
    assert_eq!(offers(&model, &explanation), ["both some", "more some"]);
}

/// A switch with its reasons is named once, and no more of them than anybody reads.
#[test]
fn switches_are_named_once() {
    let text = |last: u32, guard: &str| {
        model(&format!(
            "input a\noutput o(v: Int)\nprocess P {{\n  var n: Int = 0\n  init l0 {{ ?a -> l1 }}\n  \
             state l1 {{ tau any k: Int in 0..{last} / n := k -> l2 }}\n  \
             state l2 {{ give: !o(any v) [{guard}] / n := 0 -> l0   !o(n) [false] -> l0 }}\n}}\n"
        ))
    };
    for (last, guard, count) in [(9, "v > 3", 2), (9, "v > n + 3", 11), (299, "v > n + 3", 256)] {
        let model = text(last, guard);
        let explanation = explanation(&model, Order::Sut, "?a !o(1)");
        assert_eq!((explanation.all, explanation.switches.len()), (last as usize + 2, count), "{guard}, {last}");
        let mut seen = Vec::new();
        for named in &explanation.switches {
            assert!(!seen.contains(&named), "{named:?}");
            seen.push(named);
        }
    }
}

/// Only numbers have a least and a greatest value that are worth to be named, whether the state is known or not.
#[test]
fn what_is_no_number_has_no_ends() {
    for (free, number) in [("4", "only 4"), ("any", "0 3..9")] {
        let model = model(&format!(
            "type Colour = Red | Green | Blue\ninput a\noutput n(v: Int)\noutput s(t: String)\noutput b(t: Bool)\n\
             output c(t: Colour)\noutput l(t: Seq<Bool>)\nprocess P {{\n  var m: Int = {free}\n  \
             init l0 {{ ?a [3 <= m <= 9 && m + m != 5] -> l1 }}\n  state l1 {{\n    tell: !n(m) -> l0\n    \
             text: !s(any t) [t == \"x\" || t == \"y\"] -> l0\n    flag: !b(any t) -> l0\n    \
             colour: !c(any t) [t != Red] -> l0\n    list: !l(any t) [len(t) < 3] -> l0\n  }}\n}}\n"
        ));
        let explanation = explanation(&model, Order::Sut, "?a");
        assert_eq!(explanation.hypotheses[0].state.is_none(), free == "any");
        let expected = [&format!("tell {number}"), "text some", "flag some", "colour some", "list some"];
        assert_eq!(offers(&model, &explanation), expected, "{free}");
    }
}
