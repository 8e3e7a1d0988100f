//! Hypotheses whose state is not known: which of them stand for others, how many are followed, and what is said where the
//! model is undefined. The free variable `x` is shown by an output, so that no value of it stands for another one.

mod support;

use std::fmt::Write as _;
use std::sync::Arc;

use sioco_exec::symbolic_hypothesis::Trail;
use sioco_exec::verdict::{Cause, OpenCause};
use sioco_exec::{Order, Referee};
use sioco_model::{Model, Value};
use sioco_symbolic::step::Step;
use support::told::{check, run};
use support::{builtin, forgetful, model as model_of};

/// A model with the free variable `x` that something may show, and these switches at the start.
fn shown(switches: &str) -> Model {
    model_of(&format!(
        "input a
input b
input c(p: Int)
output p
output o(v: Int)
process P {{
  var x: Int = any
  var y: Int in 0..9 = 0
  init l0 {{ {switches} }}
  state l1 {{ show: !o(x) [x + x != 1] -> l0   also: ?b -> l1 }}
  state l2 {{ show2: !o(x) [x + x != 1] -> l0 }}
}}"
    ))
}

/// What a referee believes after some words.
#[track_caller]
fn after<'m>(model: &'m Model, order: Order, words: &str) -> Referee<'m> {
    let mut referee = Referee::new(model, &builtin, order);
    assert_eq!(run(&mut referee, words), None, "{words}");
    referee
}

/// A trail of switches by name, each with the value of its parameter if it has one.
fn trail(model: &Model, steps: &[(&str, Option<i64>)]) -> Trail {
    let step = |trail: Trail, (name, value): &(&str, Option<i64>)| {
        let switch = model.switch(name).unwrap_or_else(|| panic!("no switch {name}"));
        trail.with(Step::Switch(switch), Some(value.iter().map(|n| Value::Int(*n)).collect()))
    };
    steps.iter().fold(Trail::initial(Vec::new()), step)
}

/// Which of two trails stands for the other: obviously, or as a solver says.
#[test]
fn which_trails_stand_for_others() {
    let model = shown(
        "all: ?a -> l1   three: ?a [x > 3] -> l1   five: ?a [x > 5] -> l1   both: ?a [x > 3 && x < 9] -> l1   \
         there: ?a -> l2   divided: ?a [10 div (x - 7) < 99] -> l1   seven: ?a [x == 7] -> l1   \
         more: ?c(n) [x != n] -> l0",
    );
    let mut referee = after(&model, Order::Sut, "");
    let tracker = referee.mind.tracker();
    for (general, special, obvious, follows) in [
        ("all", "all", true, true),
        ("all", "three", true, true),
        ("three", "all", false, false),
        ("three", "three", true, true),
        ("three", "five", false, true),
        ("five", "three", false, false),
        ("three", "both", true, true),
        ("both", "three", false, false),
        // At another location.
        ("there", "all", false, false),
        ("there", "three", false, false),
        // What is undefined for a value is not true for it.
        ("divided", "seven", false, false),
        ("five", "divided", false, false),
    ] {
        let (g, s) = (trail(&model, &[(general, None)]), trail(&model, &[(special, None)]));
        let extents = (tracker.extent(&g), tracker.extent(&s));
        assert_eq!(tracker.covers(&extents.0, &extents.1), obvious, "{general} covers {special}");
        assert_eq!(tracker.follows(&extents.0, &extents.1, &s), follows, "{special} is in {general}");
    }
    // The more conditions, the longer it takes to ask.
    let three = tracker.extent(&trail(&model, &[("three", None)]));
    for (inputs, last, conditions, follows) in [(29, "both", 60, true), (30, "five", 61, false)] {
        // Each of them has a guard and a value.
        let mut steps: Vec<(&str, Option<i64>)> = (0..inputs).map(|n| ("more", Some(n))).collect();
        steps.push((last, None));
        let special = trail(&model, &steps);
        assert_eq!(tracker.conditions(&special), conditions);
        let extent = tracker.extent(&special);
        assert_eq!(tracker.follows(&three, &extent, &special), follows, "{conditions}");
    }
}

/// Trails are known by the same words if they lead to the same, by whatever way.
#[test]
fn trails_that_lead_to_the_same_have_the_same_key() {
    let model = shown("one: ?a [x > 3] -> l1   other: ?b [x > 3] -> l1   than: ?c(n) [x > n] -> l1");
    let mut referee = after(&model, Order::Sut, "");
    let tracker = referee.mind.tracker();
    let mut key = |name: &str, value: Option<i64>| tracker.key(&trail(&model, &[(name, value)])).expect("a short one");
    assert_eq!(key("one", None), key("other", None));
    assert_ne!(key("one", None), key("than", Some(4)));
}

/// Of what an event leads to, the more general ones are looked at first, since they stand for others. Otherwise hypotheses
/// come in the order of the model.
#[test]
fn the_general_ones_come_first() {
    let model = shown("?a [x > 5] -> l1   ?a -> l1   ?b [x > 5] -> l1   ?b -> l0");
    let referee = after(&model, Order::Sut, "?a");
    assert_eq!(referee.belief().len(), 1);
    let ends = model_of(
        "input a\noutput o(v: Int)\nprocess P {\n  var x: Int = any\n  init l0 { ?a [x > 5] -> l1   ?a -> l2 }\n  \
         state l1 { !o(x) [x + x != 1] -> l0 }\n  state l2 { ?a -> l2 }\n}\n",
    );
    let referee = after(&ends, Order::Sut, "?a");
    let known: Vec<bool> = referee.belief().hypotheses().map(|h| h.state().is_some()).collect();
    assert_eq!(known, [false, true]);
}

/// A solver is asked about so many others, and no more.
#[test]
fn only_so_many_are_compared() {
    // Intervals that have nothing to do with each other, and one that is part of one of them.
    let intervals = |count: i32, inside: i32| {
        let interval = |lo: i32, hi: i32| format!("?a [{lo} < x && x < {hi}] -> l1   ");
        let all: String = (0..count).map(|i| interval(10 * i, 10 * i + 9)).collect();
        let model = shown(&(all + &interval(10 * inside + 2, 10 * inside + 5)));
        after(&model, Order::Sut, "?a").belief().len()
    };
    assert_eq!(intervals(17, 0), 17);
    assert_eq!(intervals(17, 15), 17);
    assert_eq!(intervals(17, 16), 18);
    assert_eq!(intervals(17, 100), 18);
}

/// Internal steps are followed until so many conditions were looked at.
#[test]
fn internal_steps_with_many_conditions_are_cut() {
    let chain = |length: usize| {
        let mut states = String::new();
        for i in 1..length {
            let _ = writeln!(states, "  state s{i} {{ tau -> s{}   !o(x) -> l0 }}", i + 1);
        }
        model_of(&format!(
            "input a\ninput c(p: Int)\noutput o(v: Int)\nprocess P {{\n  var x: Int = any\n  \
             init l0 {{ ?c(n) [x != n] -> l0   ?a -> s1 }}\n{states}  state s{length} {{ !o(x) [x + x != 1] -> l0 }}\n}}\n"
        ))
    };
    // Each of them has 24 conditions, and counts once more.
    let inputs: String = (0..12).map(|n| format!("?c({n}) ")).collect();
    for (length, cut) in [(80, false), (81, true)] {
        let model = chain(length);
        let referee = after(&model, Order::Sut, &format!("{inputs} ?a"));
        assert_eq!((referee.belief().len(), referee.belief().cut), (length, cut));
    }
}

/// Where inputs may be under way, so many hypotheses without a known state are followed.
#[test]
fn only_so_many_are_followed() {
    let model = model_of(
        "input a\noutput o(v: Int)\nprocess P {\n  var k: Int in 0..63 = any\n  var x: Int = any\n  \
         init l0 { ?a -> l0   !o(x + k) -> l0 }\n}\n",
    );
    for (words, count, cut) in
        [("", 64, false), ("?a ?a ?a", 256, false), ("?a ?a ?a ?a", 320, false), ("?a ?a ?a ?a ?a", 320, true)]
    {
        let mut referee = Referee::new(&model, &builtin, Order::Sent);
        let cause = run(&mut referee, words);
        assert_eq!((referee.belief().len(), referee.belief().cut), (count, cut), "{words}");
        assert_eq!(cause, cut.then_some(Cause::Open(OpenCause::Cut)), "{words}");
    }
}

/// Which hypotheses are only perhaps some after an input, where one question is left open: the one with this number.
fn doubts(model: &Model, number: u64) -> Vec<bool> {
    let asked = Arc::default();
    let solver = || forgetful(number, &asked);
    let mut referee = Referee::new(model, &solver, Order::Sut);
    assert_eq!(run(&mut referee, "?a"), None);
    referee.belief().hypotheses().map(|h| h.doubt.is_some()).collect()
}

/// One that is only perhaps possible stands for none that is certain.
#[test]
fn what_is_certain_is_not_merged_into_what_is_not() {
    let model = shown("?a [x > 3] -> l1   ?a [x > 3 && x < 9] -> l1");
    assert!((0..6).any(|number| doubts(&model, number) == [true, false]));
    for number in 0..6 {
        let asked = Arc::default();
        let solver = || forgetful(number, &asked);
        let mut referee = Referee::new(&model, &solver, Order::Sut);
        assert_eq!(run(&mut referee, "?a !o(20)"), None, "question {number}");
    }
    // The third one is the first again, for sure. The last one is part of the second.
    let model = shown("?a [x > 3] -> l1   ?a [x > 3] -> l2   ?a [x > 3] -> l1   ?a [x > 3 && x < 9] -> l2");
    for number in 0..6 {
        let doubts = doubts(&model, number);
        assert_eq!(doubts.iter().filter(|d| !**d).count(), 2, "question {number}: {doubts:?}");
    }
}

/// Where the state is not known and the model is undefined for all that it may be, nothing explains silence, and that is
/// an error of the model. What may be undefined where an input was not taken yet counts for outputs, but not for silence.
#[test]
fn what_may_be_undefined() {
    let model = model_of(
        "input a\ninput b\ninput c\noutput p\noutput o(v: Int)\nprocess P {\n  var x: Int = any\n  \
         init l0 { ?a -> l1   ?b -> l2   early: !p [10 div x > 20] -> l1   !o(x) -> l0 }\n  \
         state l1 { !o(x) -> l0   ?c -> l1 }\n  \
         state l2 { never: !p [10 div min(abs(x), 0) > 1] -> l0   !o(x) -> l0 }\n}\n",
    );
    let both =
        [("!p", "error of the model"), ("?b quiescent", "error of the model"), ("?a quiescent", "unexpected silence")];
    check(&model, &[Order::Sut, Order::Sent], &both);
    check(&model, &[Order::Sut], &[("?a !p", "unexpected output")]);
    check(&model, &[Order::Sent], &[("?a !p", "error of the model")]);
}

/// An output whose guard is undefined in *some* of the states that explain silence is a model error, however many values
/// there are (T-M9). If another output is enabled in all of them, none explains silence.
#[test]
fn what_may_be_undefined_at_silence() {
    for range in ["Int", "Int in -9..9", "Int in 0..1000000"] {
        let of = |switches: &str| {
            model_of(&format!(
                "input a\noutput p\noutput o(v: Int)\nprocess P {{\n  var x: {range} = any\n  \
                 init l0 {{ {switches} ?a -> l1 }}\n  state l1 {{ !o(x) -> l0 }}\n}}\n"
            ))
        };
        let some = of("!p [7 div x >= 2] -> l0  ");
        check(&some, &[Order::Sut, Order::Sent], &[("quiescent", "error of the model")]);
        let guarded = of("!p [x != 0 && 7 div x > 7] -> l0  ");
        check(&guarded, &[Order::Sut, Order::Sent], &[("quiescent", "pass")]);
    }
}

/// T-M9: hidden choices that nobody can try one by one break a run as those do that can be tried.
#[test]
fn what_is_undefined_for_a_hidden_choice() {
    for range in ["Int in 0..1", "Int in 0..99999", "Int in 0..", "Int"] {
        for step in ["/ v := 1 div k", "/ v := 3, w := k", "[7 div k >= 0]"] {
            let model = model_of(&format!(
                "input a\noutput x\noutput y\nprocess P {{\n  var v: Int = 0\n  var w: Int in 1..2000000 = 1\n  \
                 init l0 {{ ?a -> l1 }}\n  state l1 {{ tau any k: {range} {step} -> l2 }}\n  state l2 {{ !x -> l0 }}\n}}\n"
            ));
            let logs = [("?a !x", "error of the model"), ("?a !y", "error of the model")];
            check(&model, &[Order::Sut, Order::Sent], &logs);
        }
    }
}
