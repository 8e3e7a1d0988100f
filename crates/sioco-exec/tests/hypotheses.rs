//! The hypotheses of a belief: which there are, what each took, and which purposes they reach.

mod support;

use std::sync::{Arc, Mutex};

use sioco_exec::belief::{Hypothesis, HypothesisState};
use sioco_exec::reliance::Reliance;
use sioco_exec::suite::Suite;
use sioco_exec::verdict::Cause;
use sioco_exec::{Crash, GateValue, Observation, Order, Referee, Verdict};
use sioco_model::model::Label;
use sioco_model::semantics::State;
use sioco_model::semantics::closure::CLOSURE_LIMIT;
use sioco_model::{Id, Model};
use sioco_plan::PurposeId;
use sioco_plan::purpose::Node;
use sioco_solve::values::Choice;
use sioco_solve::{BackEnd, StateOracle};
use sioco_symbolic::step::Step;
use support::told::{self, ORDERS};
use support::{builtin, event, model, planned};

/// Tells a referee what happens: `?a` and `!o`, `delta` by the clock, `quiescent`.
#[track_caller]
fn tell(referee: &mut Referee<'_>, words: &str) {
    for word in words.split_whitespace() {
        let cause = say(referee, word);
        assert_eq!(cause, None, "{word} of {words}");
    }
}

fn say(referee: &mut Referee<'_>, word: &str) -> Option<Cause> {
    let model = referee.model();
    match word {
        "delta" => {
            referee.clock_delta(Reliance::Full);
            None
        }
        "quiescent" => referee.observe(&Observation::Delta),
        _ if word.starts_with('?') => referee.input(&event(model, word)),
        _ => referee.observe(&Observation::Output(event(model, word))),
    }
}

/// Whether all of it is allowed, for sure.
fn allows(referee: &mut Referee<'_>, words: &str) -> bool {
    let cause = referee.start().or_else(|| words.split_whitespace().find_map(|word| say(referee, word)));
    let cause = cause.or_else(|| referee.conclude());
    match referee.close(cause.unwrap_or(Cause::Reached)) {
        Cause::Reached => true,
        Cause::Failure(_) => false,
        cause => panic!("{words}: {cause:?}"),
    }
}

#[track_caller]
fn after<'m>(model: &'m Model, order: Order, words: &str) -> Referee<'m> {
    let mut referee = Referee::new(model, &builtin, order);
    assert_eq!(referee.start(), None);
    tell(&mut referee, words);
    referee
}

/// The locations of the hypotheses, in order.
fn locations(referee: &Referee<'_>) -> Vec<String> {
    let name = |h: &Hypothesis| match &h.place {
        HypothesisState::Known(state) => {
            let names: Vec<String> = state.locations().iter().map(|l| referee.model().location_name(*l)).collect();
            names.join(" ")
        }
        HypothesisState::Open(_) => "open".to_owned(),
    };
    let mut found: Vec<String> = referee.belief().hypotheses().map(name).collect();
    found.sort();
    found
}

/// The switches that were surely taken, and those that were only possibly.
fn taken<'m>(referee: &Referee<'m>) -> (Vec<&'m str>, Vec<&'m str>) {
    let (surely, possibly) = referee.account();
    let named = |wanted: &dyn Fn(usize) -> bool| -> Vec<&'m str> {
        let all = referee.model().switches.iter();
        all.filter(|(id, _)| wanted(id.index())).map(|(_, s)| s.name.as_str()).collect()
    };
    (named(&|i| surely.has(i)), named(&|i| possibly.has(i) && !surely.has(i)))
}

/// Two ways lead to `b`, one of them longer.
const WAYS: &str = "input go\ninput x\noutput o\nprocess P {\n  init l0 { go: ?go -> a }\n  \
    state a { t1: tau -> b   t2: tau -> c   ?x -> a }\n  state b { t4: tau -> d   ?x -> b }\n  \
    state c { t3: tau -> b   ?x -> c }\n  state d { out: !o -> l0 }\n}\n";

/// T-B4, T-C3: what both ways took is sure, what one took is possible, also behind the place where they meet.
#[test]
fn ways_that_meet_are_merged() {
    let model = model(WAYS);
    let referee = after(&model, Order::Sut, "?go");
    assert_eq!(locations(&referee), ["a", "b", "c", "d"]);
    // Nobody knows yet whether internal steps have happened.
    assert_eq!(taken(&referee), (vec!["go"], vec!["t1", "t2", "t4", "t3"]));
    let referee = after(&model, Order::Sut, "?go !o");
    assert_eq!(taken(&referee), (vec!["go", "t4", "out"], vec!["t1", "t2", "t3"]));
    assert_eq!(locations(&referee), ["l0"]);
}

/// States that are only passed by are no hypotheses; what was taken on the way is sure when something is observed.
#[test]
fn states_that_are_passed_by_are_left_out() {
    let line = model(
        "input a\nprocess P {\n  init l0 { take: ?a -> p1 }\n  state p1 { t1: tau -> p2 }\n  state p2 { t2: tau -> l1 }\n  \
         state l1 { ?a -> l1 }\n}\n",
    );
    let mut referee = after(&line, Order::Sut, "?a");
    assert_eq!(locations(&referee), ["l1"]);
    assert_eq!(taken(&referee), (vec!["take"], vec!["t1", "t2"]));
    tell(&mut referee, "quiescent");
    assert_eq!(taken(&referee), (vec!["take", "t1", "t2"], vec![]));
    let fork = model(
        "input a\noutput o\nprocess P {\n  init l0 { take: ?a -> f }\n  state f { t1: tau -> l1   t2: tau -> l2 }\n  \
         state l1 { ?a -> l1 }\n  state l2 { !o -> l0 }\n}\n",
    );
    let mut referee = after(&fork, Order::Sut, "?a");
    assert_eq!(locations(&referee), ["l1", "l2"]);
    assert_eq!(taken(&referee), (vec!["take"], vec!["t1", "t2"]));
    tell(&mut referee, "quiescent");
    assert_eq!((locations(&referee), taken(&referee).0), (vec!["l1".to_owned()], vec!["take", "t1"]));
    // What all ways took before they part is not sure either, as long as nothing was observed.
    let late = model(
        "input a\noutput o\nprocess P {\n  init l0 { take: ?a -> p }\n  state p { t0: tau -> f }\n  \
         state f { t1: tau -> l1   t2: tau -> l2 }\n  state l1 { ?a -> l1 }\n  state l2 { !o -> l0 }\n}\n",
    );
    let mut referee = after(&late, Order::Sut, "?a");
    assert_eq!(locations(&referee), ["l1", "l2"]);
    assert_eq!(taken(&referee), (vec!["take"], vec!["t0", "t1", "t2"]));
    tell(&mut referee, "quiescent");
    assert_eq!(taken(&referee).0, ["take", "t0", "t1"]);
    // Where what follows does not fit, the place before it stays.
    let mut referee = Referee::with(&fork, &builtin, Order::Sut, Suite::default(), None, 1);
    assert_eq!(referee.start(), None);
    tell(&mut referee, "?a");
    assert!(referee.belief().cut && locations(&referee).contains(&"f".to_owned()), "{:?}", locations(&referee));
}

/// A step of one process may make a step of two others possible, or of itself with another one.
#[test]
fn processes_go_on_together() {
    let model = model(
        "input a\ninput b\noutput o\nchannel c(n: Int)\nprocess P {\n  var n: Int = 0\n  init p0 { ?a -> p1 }\n  \
         state p1 { recv c(m) / n := m -> p2 }\n  state p2 { !o [n == 7] -> p0 }\n}\n\
         process Q {\n  init q0 { send c(7) -> q1 }\n  state q1 { ?b -> q0 }\n}\nsystem S = P || Q\n",
    );
    let mut referee = after(&model, Order::Sut, "?a");
    assert_eq!(locations(&referee), ["P.p1 Q.q0", "P.p2 Q.q1"]);
    assert!(!referee.allows_silence());
    tell(&mut referee, "!o ?b ?a !o");
    assert!(referee.allows_silence());
}

/// What is free at the start has each of its values, if they are few; the rest is not known.
#[test]
fn free_variables_at_the_start() {
    for (declared, count, known) in
        [("Bool", 2, true), ("Int in 0..511", 512, true), ("Int in 0..512", 1, true), ("Int", 1, true)]
    {
        let text = format!(
            "input a\noutput o(v: {declared})\nprocess P {{\n  var m: {declared} = any\n  init l0 {{ ?a -> l1 }}\n  \
             state l1 {{ !o(m) -> l0 }}\n}}\n"
        );
        let model = model(&text);
        let referee = after(&model, Order::Sut, "");
        assert_eq!(referee.belief().len(), count, "{declared}");
        assert_eq!(referee.belief().hypotheses().all(|h| h.state().is_some()), known, "{declared}");
        // What was seen is known from then on.
        let value = if declared == "Bool" { "true" } else { "5" };
        let referee = after(&model, Order::Sut, &format!("?a !o({value})"));
        assert_eq!(locations(&referee), ["l0"], "{declared}");
    }
    // Nobody can tell which value it has where nothing reads it.
    let unread = model("input a\nprocess P {\n  var m: Int = any\n  init l0 { ?a -> l0 }\n}\n");
    assert_eq!(locations(&after(&unread, Order::Sut, "")), ["l0"]);
    // Two of them together may be too many.
    let pair = |first: &str, second: &str| {
        format!(
            "input a\noutput o(v: Int)\nprocess P {{\n  var m: {first} = any\n  var n: {second} = any\n  init l0 {{ ?a -> l1 }}\n  \
             state l1 {{ !o(m + n) -> l0 }}\n}}\n"
        )
    };
    for (first, second, count, known) in [
        ("Int in 0..7", "Int in 0..7", 64, true),
        ("Int in 0..7", "Int in 0..64", 8, false),
        ("Int", "Int in 0..8", 9, false),
    ] {
        let model = model(&pair(first, second));
        let referee = after(&model, Order::Sut, "");
        assert_eq!(referee.belief().len(), count, "{first}, {second}");
        assert_eq!(referee.belief().hypotheses().all(|h| h.state().is_some()), known, "{first}, {second}");
    }
}

/// T-L9: a closure follows only so many states; those that it began with all have a place.
#[test]
fn closures_have_a_limit() {
    let model = model(
        "input a\nprocess P {\n  var b: Bool = any\n  var n: Int = 0\n  \
         init l0 { count: tau [n < 100000] / n := n + 1 -> l0   ?a [b] -> l0 }\n}\n",
    );
    let start = |limit: usize| {
        let mut referee = Referee::with(&model, &builtin, Order::Sut, Suite::default(), None, limit);
        assert_eq!(referee.start(), None);
        (referee.belief().len(), referee.belief().cut)
    };
    for limit in [0, 1, 2] {
        assert_eq!(start(limit), (2, true));
    }
    assert_eq!(start(70), (70, true));
    assert_eq!(start(3 * CLOSURE_LIMIT), (2 + CLOSURE_LIMIT, true));
}

/// Hidden choices among many values, with somebody who finds states, and without.
#[test]
fn hidden_choices_leave_the_state_open() {
    let model = model(
        "input a\ninput b\noutput o(v: Int)\noutput low\nprocess P {\n  var k: Int = 0\n  init l0 { ?a -> l1   ?b -> l0 }\n  \
         state l1 { choose: tau any c: Int [c > 10] / k := c -> l2   ?b -> l1 }\n  \
         state l2 { tell: !o(k) -> l0   small: !low [k < 20] -> l3 }\n  state l3 { tau -> l4   ?b -> l3 }\n  state l4 { !o(k) -> l0   ?b -> l4 }\n}\n",
    );
    let oracle = || Arc::new(Mutex::new(StateOracle::new(&model.terms, &model.sorts, BackEnd::BuiltIn)));
    for with_oracle in [false, true] {
        for order in [Order::Sut, Order::Sent] {
            let oracle = with_oracle.then(|| oracle() as Arc<Mutex<dyn sioco_model::semantics::oracle::Oracle>>);
            let mut referee = Referee::with(&model, &builtin, order, Suite::default(), oracle, 10_000);
            for (words, allowed) in [
                ("?a !o(11)", true),
                ("?a !o(10)", false),
                ("?a !low ?b !o(12)", true),
                ("?a !low ?b !o(20)", false),
                ("?a !low !o(19) ?a !o(500)", true),
                ("?a !low !o(10)", false),
                ("?a !o(15) ?a !low !o(16) quiescent", true),
                ("?b ?a !o(30) ?a !o(40) ?b ?a !low", true),
            ] {
                assert_eq!(allows(&mut referee, words), allowed, "{order:?}, {with_oracle}: {words}");
            }
            // As soon as it was seen, it is known.
            assert_eq!(referee.start(), None);
            tell(&mut referee, "?a");
            assert!(referee.belief().hypotheses().any(|h| h.state().is_none()));
            tell(&mut referee, "!o(11)");
            assert!(referee.belief().hypotheses().all(|h| h.state().is_some()));
        }
    }
}

/// The same trail is found again, wherever others lead meanwhile.
#[test]
fn trails_are_followed_beside_each_other() {
    let model = model(
        "input a\noutput o(v: Int)\noutput p(v: Int)\nprocess P {\n  var m: Int = any\n  \
         init l0 { ?a [m > 0] -> l1   ?a [m > 5] -> l2   ?a [m < 100] -> l3 }\n  \
         state l1 { !o(m) -> l0   never: !p(m) [m < 0] -> l0 }\n  state l2 { !o(m + 1) -> l0 }\n  state l3 { !p(m) -> l0 }\n}\n",
    );
    for (words, allowed) in [
        ("?a !o(1)", true),
        ("?a !o(0)", false),
        ("?a !p(0)", true),
        ("?a !p(100)", false),
        ("?a !o(7) ?a !o(7)", true),
        ("?a !o(7) ?a !o(8)", true),
        ("?a !o(7) ?a !o(9)", false),
        ("?a !o(7) ?a !p(6)", true),
        ("?a !o(7) ?a !p(5)", false),
        ("?a !o(6) ?a !p(5)", false),
        ("?a !o(7) ?a !o(8) ?a !p(7)", true),
        ("?a !o(7) ?a !o(8) ?a !p(6)", false),
        ("?a !o(200) ?a !p(200)", false),
    ] {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        assert_eq!(allows(&mut referee, words), allowed, "{words}");
    }
    let mut referee = after(&model, Order::Sut, "?a");
    assert_eq!(referee.belief().len(), 3);
    // Each of the three says what it allows, whoever was asked before.
    for _ in 0..2 {
        let allowed: Vec<usize> = referee.explain().hypotheses.iter().map(|h| h.allowed.len()).collect();
        assert_eq!(allowed, [1, 1, 1]);
    }
    let trails: Vec<_> = referee.belief().hypotheses().map(|h| h.place.clone()).collect();
    for (place, name) in trails.iter().zip(["l1", "l2", "l3"]).rev() {
        let HypothesisState::Open(trail) = place else { panic!("{place:?}") };
        let tracker = referee.mind.tracker();
        assert_eq!(tracker.locations(trail).len(), 1);
        assert_eq!(model.location_name(tracker.locations(trail)[0]), name);
        let [switch] = tracker.enabled(trail)[..] else { panic!("one output") };
        let values = tracker.values(trail, switch, Choice::Random(1), 0).expect("it has values");
        let Label::Gate(gate) = model.switches[switch].label else { panic!("an output") };
        let output = GateValue { gate, args: values };
        assert!(!tracker.next(trail, output.gate, &output.args).is_empty(), "{name}: {}", output.show(&model));
        let never = model.switch("never").expect("it is declared");
        assert!(name != "l1" || tracker.values(trail, never, Choice::Random(1), 0).is_none());
        assert!(tracker.silence(trail).is_empty() && tracker.internal(trail).is_empty());
    }
}

/// Values that a model computes may be off by the tolerance of the gate, also where the state is not known; those that the
/// system chooses are what they are.
#[test]
fn tolerances_in_states_that_are_not_known() {
    let model = model(
        "input a\noutput o(v: Real tolerance 0.5)\noutput p(v: Real tolerance 0.5)\nprocess P {\n  var m: Real in 0..10 = any\n  \
         init l0 { ?a -> l1 }\n  state l1 { !o(m) -> l2   chosen: !p(any v) [v == m] -> l2 }\n  \
         state l2 { !o(m) -> l2   ?a -> l1 }\n}\n",
    );
    for (words, allowed) in [
        ("?a !o(4) !o(4)", true),
        // It is between 3.5 and 4.5, and may be up to 0.5 off again.
        ("?a !o(4) !o(3)", true),
        ("?a !o(4) !o(5)", true),
        ("?a !o(4) !o(2.9)", false),
        ("?a !o(4) !o(5.1)", false),
        ("?a !o(10.5)", true),
        ("?a !o(10.6)", false),
        ("?a !o(-0.5)", true),
        ("?a !o(-0.6)", false),
        // Chosen by the system: exactly that.
        ("?a !p(4) !o(4.5)", true),
        ("?a !p(4) !o(3.5)", true),
        ("?a !p(4) !o(4.6)", false),
        ("?a !p(4) !o(3.4)", false),
    ] {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        assert_eq!(allows(&mut referee, words), allowed, "{words}");
    }
}

/// Internal steps that go on for ever allow silence, also where the state is not known.
#[test]
fn silence_in_states_that_are_not_known() {
    let model = model(
        "input a\ninput b\ninput c\ninput d\noutput o(v: Int)\nprocess P {\n  var m: Int = any\n  init l0 { ?a -> l1   ?b -> l2   ?c -> l3   ?d [m > 6] -> l1 }\n  \
         state l1 { turn: tau [m > 5] -> l1   !o(m) [m < 3] -> l0 }\n  state l2 { !o(m) -> l0 }\n  \
         state l3 { step: tau [m > 5] -> l2   ?a -> l3 }\n}\n",
    );
    for (words, allowed) in [
        ("?a quiescent", true),
        ("?a !o(2) ?a quiescent", false),
        ("?b !o(4) ?a quiescent", true),
        ("?b !o(6) ?a quiescent", true),
        ("?b quiescent", false),
        ("?c quiescent", true),
        ("?c !o(6)", true),
        ("?c !o(5)", false),
        ("?b !o(6) ?c quiescent", false),
        ("?b !o(5) ?c quiescent", true),
        // It was silent, so that it is not below 3.
        ("?a quiescent quiescent", true),
    ] {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        assert_eq!(allows(&mut referee, words), allowed, "{words}");
    }
    // It is only silent if it turns for ever: nobody says that it does not.
    let mut referee = after(&model, Order::Sut, "?d");
    assert_eq!(referee.observe(&Observation::Delta), None);
}

/// Equal hypotheses are one, also where the state is not known and only what nothing reads any more differs.
#[test]
fn open_hypotheses_are_merged() {
    let model = model(
        "input a\ninput b\noutput o(v: Int)\nprocess P {\n  var m: Int = any\n  var n: Int = 0\n  \
         init l0 { s1: ?a -> l1   s2: ?a -> l1   ?b -> l2 }\n  state l1 { !o(m) -> l0   ?b -> l1 }\n  \
         state l2 { t1: tau -> l1   t2: tau -> l1   ?b -> l2 }\n}\n",
    );
    let referee = after(&model, Order::Sut, "?a");
    assert_eq!(referee.belief().len(), 1);
    assert_eq!(taken(&referee), (vec![], vec!["s1", "s2"]));
    let referee = after(&model, Order::Sut, "?b");
    assert_eq!((referee.belief().len(), referee.belief().cut), (2, false));
    assert_eq!(taken(&referee).1, ["t1", "t2"]);
    // A variable that was free and that nothing reads any more does not matter.
    let forgets = self::model(
        "input a\noutput o(v: Int)\nprocess P {\n  var m: Int = any\n  init l0 { ?a -> l1   !o(m) -> l0 }\n  \
         state l1 { ?a -> l1 }\n}\n",
    );
    let referee = after(&forgets, Order::Sut, "?a");
    assert_eq!(locations(&referee), ["l1"], "the state is known as far as it matters");
}

/// One guard that is true settles an `else`, whichever of the others is undefined (T-M10).
#[test]
fn one_true_guard_settles_else_in_any_order() {
    let verdict = |text: &str, words: &str| {
        let model = model(text);
        let mut referee = after(&model, Order::Sut, "");
        let cause = words.split_whitespace().find_map(|word| say(&mut referee, word)).or_else(|| referee.conclude());
        referee.close(cause.unwrap_or(Cause::Reached)).verdict()
    };
    use Verdict::{Error, Fail, Pass};
    let by_zero = |first: &str, second: &str| {
        format!(
            "input a\noutput v(n: Int in 0..2)\noutput w\noutput x\nprocess P {{\n  var z: Int in 0..1 = 0\n  \
             init s {{ ?a -> l }}\n  state l {{ {first}   {second}   tau [else] -> m }}\n  state m {{ !x -> m }}\n}}\n"
        )
    };
    // `!w` is enabled, since nothing is divided; `!v` is undefined for 0 and false for the others.
    let (undefined, enabled) = ("!v(any n) [z div n == 2] -> l", "!w [z < z implies z mod z < 0] -> l");
    for text in [by_zero(undefined, enabled), by_zero(enabled, undefined)] {
        assert_eq!(verdict(&text, "?a !w !w"), Pass, "{text}");
        assert_eq!(verdict(&text, "?a !x"), Fail, "{text}");
    }
    // Where no guard is true and one is undefined, so is `else`.
    let disabled = "!w [z == z && 0 div 1 > z + 0 div (z + 1)] -> l";
    for text in [by_zero(undefined, disabled), by_zero(disabled, undefined)] {
        assert_eq!(verdict(&text, "?a !x"), Error, "{text}");
    }
    // A field that nothing makes sure of is not there.
    let field = "input a\ntype V = A(n: Int in 0..3) | B\noutput u\noutput w\noutput x\nprocess P {\n  var v: V = B\n  \
                 init s { ?a -> l }\n  state l { !u [v.n > 0] -> l   !w [match v { A(n) => 1 div n > 0, B => true }] -> l   tau [else] -> m }\n  \
                 state m { !x -> m }\n}\n";
    assert_eq!(verdict(field, "?a !w"), Pass);
    assert_eq!(verdict(field, "?a !x"), Fail);
}

/// A system chooses a value that equals one that nobody knows, and not a certain other one: whether it can depends on whether
/// the two are the same.
#[test]
fn a_chosen_value_that_has_to_differ_from_another_one_may_not_exist() {
    let verdict = |text: &str, words: &str| {
        let model = model(text);
        let mut referee = after(&model, Order::Sut, "");
        let cause = words.split_whitespace().find_map(|word| say(&mut referee, word)).or_else(|| referee.conclude());
        referee.close(cause.unwrap_or(Cause::Reached)).verdict()
    };
    use Verdict::{Fail, Pass};
    let model = |guard: &str| {
        format!(
            "output u(p: Int)\nprocess P {{\n  var x: Int = any\n  var y: Int = 5\n  init l {{ !u(any p) [{guard}] -> l }}\n}}\n"
        )
    };
    for (guard, words, expected) in [
        // Without anything else there is always a value.
        ("p == x", "delta", Fail),
        ("p != x", "delta", Fail),
        ("p == x && p != 3", "delta", Pass),
        ("p == x && p != 3", "!u(4) delta", Fail),
        ("p == x && p != 3", "!u(3)", Fail),
        ("p != 3 && p == x", "delta", Pass),
        ("p == x && p == 3", "delta", Pass),
        ("p == x && p == 3", "!u(3) delta", Fail),
        ("p == x && p != y", "delta", Pass),
        ("p == x && p != y", "!u(5)", Fail),
        ("p == x || p == 3", "delta", Fail),
        ("p != x && p == 3", "delta", Pass),
        ("p != x && p == 3", "!u(3) delta", Fail),
    ] {
        assert_eq!(verdict(&model(guard), words), expected, "{guard}: {words}");
    }
}

/// `else` of an input beside a guard that is undefined for some values: to look for a deadlock there finds no values that
/// are at fault, and must not need any.
#[test]
fn a_deadlock_is_looked_for_beside_guards_that_are_undefined() {
    let text = "input a\ninput b(n: Int in -1..1)\nprocess P {\n  init l { ?a -> m }\n  \
                state m { ?b(n) [else] -> l   ?b(n) [n div n == n || n != 2] -> l }\n}\n";
    let model = model(text);
    let mut referee = after(&model, Order::Sut, "?a");
    assert_eq!(referee.position.deadlock().map(|state| state.show(&model)), None);
    let why = say(&mut referee, "?b(0)").expect("the guard is undefined for 0");
    assert_eq!(referee.close(why).verdict(), Verdict::Error);
}

/// A model is undefined for what was observed, in a state that explains the run: then nothing failed. Steps at other gates
/// do not matter.
#[test]
fn what_may_be_undefined_is_asked_of_the_steps_that_matter() {
    // Whoever is above 9 has no place in `x`.
    let text = "input a\ninput b\ninput c\ninput d\noutput o(v: Int)\noutput p\noutput q\noutput closed\noutput crashed\nprocess P {\n  \
         var m: Int = any\n  var x: Int in 0..9 = 0\n  \
         init l0 { ?a -> l1   ?b / x := m -> l2   ?c -> l3   ?d -> l4   early: !q [m > 9] / x := m -> l0 }\n  \
         state l1 { !p [m > 9] / x := m -> l0   !o(m) [m < 9] -> l0 }\n  state l2 { !p -> l0 }\n  \
         state l3 { leave: !closed [m > 9] / x := m -> l0   !o(m) -> l0 }\n  state l4 { fall: !crashed [m > 9] / x := m -> l0   !o(m) -> l0 }\n}\n";
    let (free, large) = (model(text), model(&text.replace("= any", "= 10")));
    let verdict_on = |model: &Model, order: Order, words: &str| {
        let mut referee = after(model, order, "");
        let mut happen = |word: &str| match word {
            "closed" => referee.observe(&Observation::Closed),
            "crashed" => referee.observe(&Observation::Crashed(Crash::new("so"))),
            "bad" => referee.observe(&Observation::Malformed { gate: None, why: "so".into(), raw: String::new() }),
            word => say(&mut referee, word),
        };
        let cause = words.split_whitespace().find_map(&mut happen).or_else(|| referee.conclude());
        referee.close(cause.unwrap_or(Cause::Reached)).verdict()
    };
    let verdict = |order: Order, words: &str| verdict_on(&free, order, words);
    use Verdict::{Error, Fail, Pass};
    for order in [Order::Sut, Order::Sent] {
        for (words, expected) in [
            // What is undefined in `l0` is an input.
            ("!p", Fail),
            ("!o(1)", Fail),
            ("closed", Fail),
            ("crashed", Fail),
            ("?a !o(2)", Pass),
            ("?a !o(9)", Fail),
            ("?a !p", Error),
            ("?a delta", Pass),
            ("?a closed", Fail),
            ("?a crashed", Fail),
            ("?a bad", Fail),
            ("?a !o(3) ?a delta", Fail),
            // Where the value is known, there is nothing that might be.
            ("?a !o(3) ?a !p", Fail),
            ("?c !o(9) ?a !p", Fail),
            ("?c closed", Error),
            ("?c crashed", Fail),
            ("?c !p", Fail),
            // All guards are defined, and one of them holds.
            ("?c delta", Fail),
            ("?d crashed", Error),
            ("?d closed", Fail),
            ("?d !o(1) ?d crashed", Fail),
        ] {
            assert_eq!(verdict(order, words), expected, "{order:?}: {words}");
        }
    }
    // Where inputs are only known to be sent, an output may come from where they were not taken yet.
    assert_eq!(verdict(Order::Sut, "!q"), Error);
    assert_eq!(verdict(Order::Sut, "?a !q"), Fail);
    assert_eq!(verdict(Order::Sent, "?a !q"), Error);
    // Where it is known to be too large, that is an error of the model.
    for words in ["?a !p", "?c closed", "?d crashed"] {
        assert_eq!(verdict_on(&large, Order::Sut, words), Verdict::Error, "{words}");
    }
    // The model is undefined for an input that was taken.
    for order in [Order::Sut, Order::Sent] {
        assert_eq!(verdict(order, "?b delta"), Error, "{order:?}");
        assert_eq!(verdict(order, "?b !p"), Error, "{order:?}");
        assert_eq!(verdict(order, "?b !q"), Error, "{order:?}");
    }
    // By the time of quiescence everything was taken: what is undefined where it was not does not matter.
    assert_eq!(verdict(Order::Sent, "?c delta"), Fail);
}

/// The purposes of a plan that are reached, by number.
fn reached(referee: &Referee<'_>) -> Vec<(usize, Verdict, bool)> {
    let mut found: Vec<_> = referee.reached().iter().map(|r| (r.purpose.index(), r.verdict, r.alone)).collect();
    found.sort();
    found
}

/// T-V4, T-V5: a purpose is reached by all hypotheses, or by some.
#[test]
fn purposes_are_reached_by_all_or_by_some() {
    let model = model(
        "input a\ninput b\ninput c\nprocess P {\n  init l0 { one: ?a -> l1   left: ?b -> l2   right: ?b -> l3   \
         same: ?c -> l4   twin: ?c -> l4 }\n  state l1 { ?a -> l1 }\n  state l2 { ?a -> l2 }\n  state l3 { ?a -> l3 }\n  \
         state l4 { ?a -> l4 }\n}\n",
    );
    let plan = planned(&model, "switch", true);
    let purposes = |name: &str| -> Vec<usize> {
        let switch = model.switch(name).expect("it is declared");
        let is = |p: &sioco_plan::Purpose| p.switches().any(|s| s == switch);
        (0..plan.purposes.len()).filter(|p| is(&plan.purposes[*p])).collect()
    };
    let mut referee = Referee::with(&model, &builtin, Order::Sut, Suite::new(&model, &plan), None, 10_000);
    let mut seen = |words: &str, name: &str| -> Vec<(Verdict, bool)> {
        assert_eq!(referee.start(), None);
        let mut found = Vec::new();
        for word in words.split_whitespace() {
            tell(&mut referee, word);
            let here = reached(&referee);
            found.extend(here.into_iter().filter(|(p, ..)| purposes(name).contains(p)).map(|(_, v, alone)| (v, alone)));
        }
        found.dedup();
        found
    };
    // Purposes go on to what the switch leads to, so that several are served at once.
    assert!(seen("?a ?a quiescent", "one").contains(&(Verdict::Pass, true)));
    assert!(seen("?b ?a quiescent", "left").contains(&(Verdict::WeakPass, false)), "it may have been the other one");
    assert!(seen("?c ?a quiescent", "same").contains(&(Verdict::WeakPass, false)), "both lead to the same state");
    assert_eq!(seen("?b ?a quiescent", "one"), []);
}

/// A purpose that all of several hypotheses reach is passed, but not by one alone; and who reaches it in two ways reaches it
/// once.
#[test]
fn who_reaches_a_purpose_twice_reaches_it_once() {
    let model = model(
        "input a(p: Int in 0..9)\noutput o\nprocess P {\n  var x: Int = 0\n  init l0 { take: ?a(p) / x := p -> l1 }\n  \
         state l1 { turn: tau [x > 5] -> l1   ?a(_) -> l1 }\n}\n",
    );
    let take = model.switch("take").expect("it is declared");
    let mut plan = planned(&model, "switch", false);
    plan.purposes.truncate(1);
    // After the input, it is silent in one way or in the other, which nobody can tell apart.
    let node = |parent: Option<usize>, step: Option<Step>, accept: bool| Node {
        parent,
        leg: step.map(Into::into),
        accept,
        answer: false,
        doubt: None,
    };
    plan.purposes[0].nodes = vec![
        node(None, None, false),
        node(Some(0), Some(Step::Switch(take)), false),
        node(Some(1), Some(Step::Delta), true),
        node(Some(1), Some(Step::Divergence), true),
    ];
    let mut referee = Referee::with(&model, &builtin, Order::Sut, Suite::new(&model, &plan), None, 10_000);
    assert_eq!(referee.start(), None);
    tell(&mut referee, "?a(3) quiescent");
    assert_eq!(reached(&referee), [(0, Verdict::Pass, true)]);
    // Here it may have turned meanwhile, which is another way.
    assert_eq!(referee.start(), None);
    tell(&mut referee, "?a(7) quiescent");
    assert_eq!(reached(&referee), [(0, Verdict::WeakPass, false)]);
    let choice = self::model(
        "input a\noutput o\nprocess P {\n  init l0 { take: ?a -> l1 }\n  state l1 { tau -> l2   ?a -> l1   give: !o -> l0 }\n  \
         state l2 { ?a -> l2   also: !o -> l3 }\n  state l3 { ?a -> l3 }\n}\n",
    );
    let plan = planned(&choice, "switch", true);
    let take = choice.switch("take").expect("it is declared");
    let mut referee = Referee::with(&choice, &builtin, Order::Sut, Suite::new(&choice, &plan), None, 10_000);
    assert_eq!(referee.start(), None);
    tell(&mut referee, "?a");
    assert_eq!(referee.belief().len(), 2);
    let all = referee.reached();
    let of_take = all.iter().filter(|r| plan.purposes[r.purpose.index()].switches().all(|s| s == take));
    for r in of_take {
        assert_eq!((r.verdict, r.alone), (Verdict::Pass, false));
    }
}

/// A purpose that is wanted again is noticed from the next run on, also where internal steps lead to it at the start.
#[test]
fn purposes_that_are_wanted_again() {
    let model = model(
        "input a\noutput o\nprocess P {\n  init l0 { begin: tau -> l1 }\n  state l1 { ?a -> l2 }\n  state l2 { give: !o -> l2 }\n}\n",
    );
    let plan = planned(&model, "switch", false);
    let all = (0..plan.purposes.len()).map(PurposeId::from_index);
    let mut referee = Referee::with(&model, &builtin, Order::Sut, Suite::new(&model, &plan), None, 10_000);
    let run = |referee: &mut Referee<'_>| {
        assert_eq!(referee.start(), None);
        let marked = referee.belief().hypotheses().any(|h| !h.marks.is_empty());
        let mut found = Vec::new();
        for word in ["?a", "!o", "!o"] {
            tell(referee, word);
            found.extend(referee.reached().iter().map(|r| r.purpose));
        }
        found.sort();
        found.dedup();
        (marked, found)
    };
    all.clone().for_each(|p| referee.suite.close(p));
    assert_eq!(run(&mut referee), (false, vec![]), "nothing is wanted");
    all.clone().for_each(|p| referee.suite.reopen(p));
    assert_eq!(run(&mut referee), (true, all.clone().collect()), "all are");
    assert_eq!(run(&mut referee), (true, all.clone().collect()));
    all.clone().for_each(|p| referee.suite.close(p));
    assert_eq!(run(&mut referee), (false, vec![]), "and nothing again");
}

/// T-B2: a deadlock is where nothing can happen in any hypothesis, and one of them is not at the end of the model.
#[test]
fn deadlocks() {
    let model = model(
        "input a\ninput b\ninput c\ninput d\ninput e\noutput o\nprocess P {\n  var n: Int = 0\n  \
         init l0 { ?a -> stuck   ?b -> over   ?c -> fork   ?d -> shut   ?e -> half }\n  state stuck { }\n  final over\n  \
         state fork { tau -> stuck   tau -> over }\n  state shut { ?a [n > 0] -> l0   !o [n > 0] -> l0 }\n  \
         state half { tau -> stuck   tau -> l0 }\n}\n",
    );
    for (words, expected) in
        [("", None), ("?a", Some("stuck")), ("?b", None), ("?c", Some("stuck")), ("?d", Some("shut")), ("?e", None)]
    {
        let mut referee = after(&model, Order::Sut, words);
        let found = referee.deadlock().map(|state| model.location_name(state.locations()[0]));
        assert_eq!(found.as_deref(), expected, "{words}");
    }
}

/// A value that is not known and is compared with every new input: what was compared before is only followed as far as it
/// says something, so that there are not twice as many hypotheses after each input.
#[test]
fn intervals_of_values_that_are_not_known_are_merged() {
    let timer = model(
        "input start(ms: Int)\ninput cancel\noutput fired\nprocess T {\n  var slack: Int = any\n  var ms: Int = 0\n  \
         init idle { go: ?start(m) / ms := m -> running }\n  \
         state running { ex: tau [ms <= slack] -> due   wait: tau [ms > slack] -> running   ?cancel -> idle }\n  \
         state due { !fired -> idle   ?cancel -> idle }\n}\n",
    );
    let words: String = (0..12).map(|n| format!("?start({}) ?cancel ", (n * 37) % 100)).collect();
    let referee = after(&timer, Order::Sut, &words);
    // One for each of the numbers, and for each interval between two of them.
    assert!(referee.belief().len() <= 25 && !referee.belief().cut, "{}", referee.belief().len());
}

/// T-B4: a counter that nothing reads does not make new states, so that internal steps come back and nothing is cut. One
/// that something reads does.
#[test]
fn what_nothing_reads_makes_no_hypotheses() {
    let counts = |read: &str| {
        model(&format!(
            "input go\noutput o\nprocess P {{ var n: Int = 0 var m: Int = 0\n  init s {{ t: tau / n := n + 1, m := n -> s  \
             out: !o -> s  ?go -> q }}\n  state q {{ {read} ?go -> s }} }}"
        ))
    };
    let unread = counts("");
    for order in ORDERS {
        for (words, verdict) in
            [("!o !o ?go", "pass"), ("delta", "unexpected silence"), ("!o ?go delta ?go !o", "pass")]
        {
            let mut referee = Referee::new(&unread, &builtin, order);
            assert_eq!(told::verdict(&mut referee, words), verdict, "{words} {order:?}");
        }
    }
    let mut referee = Referee::new(&unread, &builtin, Order::Sut);
    told::run(&mut referee, "!o !o");
    assert_eq!(referee.belief().hypotheses().count(), 1);
    // `m` is read, and so `n` is, one step before.
    let read = counts("!o [m == 3] -> q ");
    let mut referee = Referee::new(&read, &builtin, Order::Sut);
    told::run(&mut referee, "!o ?go !o");
    assert!(referee.belief().hypotheses().all(|h| !h.blurred && h.state().is_some_and(|s| shows(&read, s, "m = 3"))));
}

fn shows(model: &Model, state: &State, what: &str) -> bool {
    state.show(model).contains(what)
}
