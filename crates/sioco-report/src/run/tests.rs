mod campaign;

use std::time::Duration;

use insta::assert_snapshot;
use sioco_campaign::failing::Likeness;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::explanation::Explanation;
use sioco_exec::judge::judge;
use sioco_exec::log::{LoggedRun, LoggedStep};
use sioco_exec::record::{End, Waiting};
use sioco_exec::reliance::Reliance;
use sioco_exec::summary::{BadRun, Pauses, PurposeResult, Summary};
use sioco_exec::verdict::{Cause, Failure, OpenCause, Trouble, Verdict};
use sioco_exec::{Crash, FaultKind, Order, Referee, RunNumber};
use sioco_lang::check::{Checked, CheckedModel};
use sioco_lang::value::parse_value;
use sioco_model::model::Model;
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

use super::*;
use crate::analysis::Source;

const ACCUMULATOR: &str = "\
input  inX(p: Int in 1..10)
output outX(p: Int)
output done

process Accumulator {
  var x: Int = 0

  init l0 {
    add:    ?inX(p)             / x := x + p   -> l1
    finish: !done   [x > 15]                   -> l2
  }
  state l1 {
    tell:   !outX(x)                           -> l0
  }
  final l2
}
";

const PAGE: Page = Page { width: 80, style: Style { on: false } };

fn checked(text: &str) -> (Checked, CheckedModel) {
    let mut checked = sioco_lang::check_text("model.sts", text);
    let model = checked.model.take().unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    (checked, model)
}

fn event(model: &Model, text: &str) -> Action {
    match text {
        "delta" => return Action::Seen(Observation::Delta),
        "closed" => return Action::Seen(Observation::Closed),
        _ => {}
    }
    let (name, args) = text[1..].split_once('(').map_or((&text[1..], ""), |(n, a)| (n, a.trim_end_matches(')')));
    let gate = model.gate(name).expect("a gate");
    let params = &model.gates[gate].params;
    let args = params.iter().zip(args.split(", ").filter(|a| !a.is_empty()));
    let args = args.map(|(p, a)| parse_value(&model.sorts, model.sorts.base(p.sort), a).expect("a value")).collect();
    let value = GateValue { gate, args };
    match text.starts_with('?') {
        true => Action::Input(value),
        false => Action::Seen(Observation::Output(value)),
    }
}

fn steps(model: &Model, trace: &str) -> Vec<LoggedStep> {
    let events = trace.split(' ').filter(|e| !e.is_empty()).enumerate();
    let step = |(i, text): (usize, &str)| {
        let at = Some(Duration::from_micros(1400 * i as u64));
        LoggedStep {
            line: i + 1,
            at,
            action: event(model, text),
            waited: 0,
            timed: (text == "delta").then_some(Reliance::Full),
        }
    };
    events.map(step).collect()
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// How a trace is reported that the model judges.
fn judged(text: &str, trace: &str) -> String {
    judged_in(Order::Sut, text, trace, None)
}

/// The same for an order of events, with an input that was not accepted when the last of them came.
fn judged_in(order: Order, text: &str, trace: &str, unaccepted: Option<&str>) -> String {
    let (checked, model) = checked(text);
    let unaccepted = unaccepted.map(|text| match event(&model.model, text) {
        Action::Input(input) => input,
        other => panic!("{other:?}"),
    });
    let steps = steps(&model.model, trace);
    let run = LoggedRun { steps: steps.clone(), ..LoggedRun::new(RunNumber(1), 1) };
    let judged = judge(&mut Referee::new(&model.model, &builtin, order), &run, order);
    let source = Source { checked: &model, sources: &checked.sources };
    let bad = Bad {
        source,
        run: RunNumber(1),
        verdict: judged.verdict,
        cause: &judged.cause,
        explanation: judged.explanation.as_ref(),
        steps: &steps[..judged.steps],
        begun: None,
        unaccepted: unaccepted.as_ref(),
        seed: Some(42),
        file: None,
        clock: true,
        replay: Some("sioco replay k7Qp2"),
        shrunk: None,
        notes: &[],
    };
    bad_run(&bad, PAGE)
}

#[test]
fn a_wrong_value() {
    assert_snapshot!(judged(ACCUMULATOR, "?inX(6) !outX(7)"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?inX(p=6) ───────▶ SUT    +0.0 ms
       tester ◀────── !outX(p=7) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:13:19
       │
    13 │     tell:   !outX(x)                           -> l0
       │                   ━ is 6, but the SUT sent 7
       │
       ├ note: allowed here: !outX(p = 6)
       ╰ note: hypotheses: 1 (l1, x = 6)
       replay: sioco replay k7Qp2
    ");
}

#[test]
fn a_guard_that_is_false_and_a_long_trace() {
    let trace: String = (1..11).map(|n| format!("?inX(1) !outX({n}) ")).collect();
    // One step fewer, and all of them are shown.
    let short = judged(ACCUMULATOR, &(trace.replace(" !outX(10)", "") + "!done"));
    assert_eq!((short.matches("tester").count(), short.contains("before\n")), (20, false), "{short}");
    assert_snapshot!(judged(ACCUMULATOR, &(trace + "!done")), @r"
     FAIL  run 1, step 21   seed 42
       … 9 steps before
       tester ◀─────── !outX(p=5) ── SUT    +1.4 ms
       tester ── ?inX(p=1) ────────▶ SUT    +1.4 ms
       tester ◀─────── !outX(p=6) ── SUT    +1.4 ms
       tester ── ?inX(p=1) ────────▶ SUT    +1.4 ms
       tester ◀─────── !outX(p=7) ── SUT    +1.4 ms
       tester ── ?inX(p=1) ────────▶ SUT    +1.4 ms
       tester ◀─────── !outX(p=8) ── SUT    +1.4 ms
       tester ── ?inX(p=1) ────────▶ SUT    +1.4 ms
       tester ◀─────── !outX(p=9) ── SUT    +1.4 ms
       tester ── ?inX(p=1) ────────▶ SUT    +1.4 ms
       tester ◀────── !outX(p=10) ── SUT    +1.4 ms
       tester ◀──────────── !done ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:10:22
       │
    10 │     finish: !done   [x > 15]                   -> l2
       │                      ━━━━━━ is false (x = 10)
       │
       ├ note: allowed here: silence
       ╰ note: hypotheses: 1 (l0, x = 10)
       replay: sioco replay k7Qp2
    ");
}

#[test]
fn an_output_that_no_switch_has() {
    assert_snapshot!(judged(ACCUMULATOR, "!outX(0)"), @r"
     FAIL  run 1, step 1   seed 42
       tester ◀────── !outX(p=0) ── SUT    +0.0 ms    ✗
    error[sioco::V001]: this output is not allowed here
      ╭▸ model.sts:8:8
      │
    8 │   init l0 {
      │        ━━ no `!outX` leaves `l0`
      │
      ├ note: allowed here: silence
      ╰ note: hypotheses: 1 (l0, x = 0)
       replay: sioco replay k7Qp2
    ");
}

#[test]
fn silence_and_an_end() {
    assert_snapshot!(judged(ACCUMULATOR, "delta ?inX(6) !outX(6) delta !outX(7)"), @r"
     FAIL  run 1, step 5   seed 42
       tester            (silence)            SUT    +0.0 ms
       tester ── ?inX(p=6) ─────────────────▶ SUT    +1.4 ms
       tester ◀──────────────── !outX(p=6) ── SUT    +1.4 ms
       tester      (silence, withdrawn)       SUT    +1.4 ms
       tester ◀──────────────── !outX(p=7) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
      ╭▸ model.sts:8:8
      │
    8 │   init l0 {
      │        ━━ no `!outX` leaves `l0`
      │
      ├ note: allowed here: silence
      ╰ note: hypotheses: 1 (l0, x = 6)
       replay: sioco replay k7Qp2
    ");
    assert_snapshot!(judged(ACCUMULATOR, "?inX(6) delta"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
       tester      (silence)       SUT    +1.4 ms    ✗
    error[sioco::V002]: the SUT is silent, but quiescence is not allowed here
       ╭▸ model.sts:13:13
       │
    13 │     tell:   !outX(x)                           -> l0
       │             ━━━━━━━━ an output must come: `tell` is enabled
       │
       ├ note: allowed here: !outX(p = 6)
       ├ note: hypotheses: 1 (l1, x = 6)
       ╰ help: if the SUT is only slow, wait longer after an input with `--quiescence-at GATE=TIME`; `sioco adapter check` suggests where and how long
       replay: sioco replay k7Qp2
    ");
    assert_snapshot!(judged(ACCUMULATOR, "?inX(6) closed"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
       tester ◀───────── closed ── SUT    +1.4 ms    ✗
    error[sioco::V003]: the SUT ended, which is not allowed here
       ╭▸ model.sts:12:9
       │
    12 │   state l1 {
       │         ━━ in `l1`
       │
       ├ note: allowed here: !outX(p = 6)
       ├ note: hypotheses: 1 (l1, x = 6)
       ╰ help: if the SUT may end here, declare `output closed` and add it to the model
       replay: sioco replay k7Qp2
    ");
}

/// How it crashed is told, in whatever words the system has for it.
#[test]
fn a_crash() {
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let shown = |crash: Crash, steps: &str, explained: bool| {
        let mut steps = self::steps(&model.model, steps);
        let action = Action::Seen(Observation::Crashed(crash));
        steps.push(LoggedStep { line: 9, at: None, action, waited: 0, timed: None });
        let run = LoggedRun { steps, ..LoggedRun::new(RunNumber(1), 1) };
        let solvers = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain()) };
        let mut referee = Referee::new(&model.model, &solvers, Order::Sut);
        let found = judge(&mut referee, &run, Order::Sut);
        let bad = Bad {
            source,
            run: RunNumber(1),
            verdict: found.verdict,
            cause: &found.cause,
            explanation: found.explanation.as_ref().filter(|_| explained),
            steps: &run.steps,
            begun: None,
            unaccepted: None,
            seed: Some(42),
            file: None,
            clock: true,
            replay: Some("sioco replay k7Qp2"),
            shrunk: None,
            notes: &["fails in 5 of 5 runs".to_owned()],
        };
        (
            bad_run(&bad, PAGE),
            source.key(&found.cause, found.explanation.as_ref()),
            cause_in_words(&model.model, &found.cause),
        )
    };
    let traceback =
        ["Traceback (most recent call last):", "  File \"tank.py\", line 3, in fill", "KeyError: \u{1b}[31m7"];
    let crash = Crash::new("KeyError: 7").at("tank.py:3").ended("exit status: 1").with(traceback.map(String::from));
    let (text, one, words) = shown(crash, "?inX(6)", true);
    assert_snapshot!(text, @r#"
     FAIL  run 1, step 2   seed 42
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
       tester ◀──────── crashed ── SUT               ✗
    error[sioco::V006]: the SUT crashed: KeyError: 7
       ╭▸ model.sts:12:9
       │
    12 │   state l1 {
       │         ━━ in `l1`
       │
       ├ note: it crashed at tank.py:3
       ├ note: its process ended: exit status: 1
       ├ note: allowed here: !outX(p = 6)
       ├ note: hypotheses: 1 (l1, x = 6)
       ╰ help: fix the crash; if a crash is allowed, declare `output crashed` and add it to the model
       how it crashed:
       │ Traceback (most recent call last):
       │   File "tank.py", line 3, in fill
       │ KeyError: \u{1b}[31m7
       fails in 5 of 5 runs
       replay: sioco replay k7Qp2
    "#);
    assert_eq!(words, "the SUT crashed: KeyError: 7");
    // Whatever the values are and wherever it happens in the model, it is one and the same.
    let crash = || Crash::new("KeyError: 9").at("tank.py:3").ended("exit status: 1");
    let (_, other, _) = shown(crash(), "?inX(6) !outX(6)", true);
    assert_eq!(one, other);
    for crash in [crash().at("tank.py:4"), crash().ended("exit status: 2"), Crash::new("ValueError: 9")] {
        assert_ne!(one, shown(crash, "?inX(6)", true).1);
    }
    let (text, _, words) = shown(Crash::default(), "?inX(6)", false);
    assert_snapshot!(text, @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
       tester ◀──────── crashed ── SUT               ✗
    error[sioco::V006]: the SUT crashed
     │
     ╰ help: fix the crash; if a crash is allowed, declare `output crashed` and add it to the model
       fails in 5 of 5 runs
       replay: sioco replay k7Qp2
    ");
    assert_eq!(words, "the SUT crashed");
}

/// Where it is not known when inputs were taken, that is said, and nothing is called allowed that is not.
#[test]
fn inputs_that_are_under_way() {
    let text = judged_in(Order::Sent, ACCUMULATOR, "?inX(6) delta", None);
    assert_snapshot!(text, @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
       tester      (silence)       SUT    +1.4 ms    ✗
    error[sioco::V002]: the SUT is silent, but quiescence is not allowed here
       ╭▸ model.sts:13:13
       │
    13 │     tell:   !outX(x)                           -> l0
       │             ━━━━━━━━ an output must come: `tell` is enabled
       │
       ├ note: allowed here: !outX(p = 6)
       ├ note: hypotheses: 2
       │       l0, x = 0; the SUT may not have taken ?inX(p=6) yet
       │       l1, x = 6
       ╰ help: if the SUT is only slow, wait longer after an input with `--quiescence-at GATE=TIME`; `sioco adapter check` suggests where and how long
       replay: sioco replay k7Qp2
    ");
    let text = judged_in(Order::Sent, ACCUMULATOR, "?inX(6) !outX(6) ?inX(1) !outX(8)", None);
    assert_snapshot!(text, @r"
     FAIL  run 1, step 4   seed 42
       tester ── ?inX(p=6) ───────▶ SUT    +0.0 ms
       tester ◀────── !outX(p=6) ── SUT    +1.4 ms
       tester ── ?inX(p=1) ───────▶ SUT    +1.4 ms
       tester ◀────── !outX(p=8) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:13:19
       │
    13 │     tell:   !outX(x)                           -> l0
       │                   ━ is 7, but the SUT sent 8
       │
       ├ note: allowed here: !outX(p = 7)
       ╰ note: hypotheses: 2
               l0, x = 6; the SUT may not have taken ?inX(p=1) yet
               l1, x = 7
       replay: sioco replay k7Qp2
    ");
    let text = judged_in(Order::Sut, ACCUMULATOR, "?inX(6) !outX(6) !outX(8)", Some("?inX(1)"));
    assert_snapshot!(text, @r"
     FAIL  run 1, step 3   seed 42
       tester ── ?inX(p=6) ───────▶ SUT    +0.0 ms
       tester ◀────── !outX(p=6) ── SUT    +1.4 ms
       tester ◀────── !outX(p=8) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
      ╭▸ model.sts:8:8
      │
    8 │   init l0 {
      │        ━━ no `!outX` leaves `l0`
      │
      ├ note: ?inX(p=1) was not yet accepted when this came; an adapter must print `accepted` before it passes an input on
      ├ note: allowed here: silence
      ╰ note: hypotheses: 1 (l0, x = 6)
       replay: sioco replay k7Qp2
    ");
}

/// Two hypotheses, and values that the system chooses.
const CHOICE: &str = "\
input  go(n: Int in 0..20)
output low(v: Int in 0..20)
output high(v: Int)
output name(s: String)

process P {
  var n: Int = 0

  init a {
    left:  ?go(k) / n := k -> b
    right: ?go(k) / n := k -> c
  }
  state b { lower: !low(any v) [v < n && v != 3] -> a }
  state c {
    higher: !high(any v) [v > n] -> a
    called: !name(any s) [s != \"x\"] -> a
  }
}
";

#[test]
fn several_hypotheses_and_open_values() {
    assert_snapshot!(judged(CHOICE, "?go(6) !low(9)"), @r#"
     FAIL  run 1, step 2   seed 42
       tester ── ?go(n=6) ───────▶ SUT    +0.0 ms
       tester ◀────── !low(v=9) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:13:33
       │
    13 │   state b { lower: !low(any v) [v < n && v != 3] -> a }
       │                                 ━━━━━ is false (v = 9, n = 6)
       │
       ├ note: allowed here:
       │       !low(v in 0..2, 4..5)
       │       !high(v) where `v > n`, such as v = 7
       │       !name(s) where `s != "x"`, such as s = ""
       ╰ note: hypotheses: 2
               b, n = 6
               c, n = 6
       replay: sioco replay k7Qp2
    "#);
    assert_snapshot!(judged(CHOICE, "?go(6) !high(2)"), @r#"
     FAIL  run 1, step 2   seed 42
       tester ── ?go(n=6) ────────▶ SUT    +0.0 ms
       tester ◀────── !high(v=2) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:15:27
       │
    15 │     higher: !high(any v) [v > n] -> a
       │                           ━━━━━ is false (n = 6, v = 2)
       │
       ├ note: allowed here:
       │       !low(v in 0..2, 4..5)
       │       !high(v) where `v > n`, such as v = 7
       │       !name(s) where `s != "x"`, such as s = ""
       ╰ note: hypotheses: 2
               b, n = 6
               c, n = 6
       replay: sioco replay k7Qp2
    "#);
}

/// Twelve places that it may be in, of which only the last ones may end it, and the others say different things.
const MANY: &str = "\
input  go
output say(n: Int)
output pair(a: Int, b: Int)
output closed
output other
process P {
  var n: Int in 0..11 = 0
  init a { go: ?go -> b }
  state b { pick: tau any k: Int in 0..11 / n := k -> c }
  state c {
    early: !say(n) [n < 4 || n == 6]  -> d
    both:  !pair(n, n + 1) [n == 7]   -> d
    some:  !say(any v) [v > 100 && v < 103 && n == 8] -> d
    late:  !closed [n > 9]            -> d
    never: !other [n > 20]            -> d
  }
  final d
}
";

#[test]
fn what_is_allowed_is_said_of_all_hypotheses() {
    assert_snapshot!(judged(MANY, "?go !say(5)"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?go ────────────▶ SUT    +0.0 ms
       tester ◀────── !say(n=5) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:11:17
       │
    11 │     early: !say(n) [n < 4 || n == 6]  -> d
       │                 ┯
       │                 │
       │                 is 0, but the SUT sent 5
       │                 is 1, but the SUT sent 5
       │
       ├ note: allowed here:
       │       !say(n in 0..3, 6, 101..102)
       │       !pair(a = 7, b = 8)
       │       !closed
       │       silence
       ╰ note: hypotheses: 13
               b, n = 0
               c, n = 0
               c, n = 1
               c, n = 2
               c, n = 3
               c, n = 4
               c, n = 5
               c, n = 6
               … and 5 more
       replay: sioco replay k7Qp2
    ");
    assert_snapshot!(judged(&MANY.replace("!closed [n > 9]", "!closed [n > 9 && n < 5]"), "?go closed"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?go ─────────▶ SUT    +0.0 ms
       tester ◀────── closed ── SUT    +1.4 ms    ✗
    error[sioco::V003]: the SUT ended, which is not allowed here
       ╭▸ model.sts:14:21
       │
    14 │     late:  !closed [n > 9 && n < 5]            -> d
       │                     ┯━━━━    ┬────
       │                     │        │
       │                     │        is false (n = 5)
       │                     │        is false (n = 6)
       │                     is false (n = 0)
       │                     is false (n = 1)
       │
       ├ note: allowed here:
       │       !say(n in 0..3, 6, 101..102)
       │       !pair(a = 7, b = 8)
       │       silence
       ╰ note: hypotheses: 13
               b, n = 0
               c, n = 0
               c, n = 1
               c, n = 2
               c, n = 3
               c, n = 4
               c, n = 5
               c, n = 6
               … and 5 more
       replay: sioco replay k7Qp2
    ");
    // Of what nothing else allows, the end is said, too.
    let ends = MANY.replace("early:", "early: !other [n < 0] -> d\n    none:").replace("n < 4 || n == 6", "n < 0");
    let ends = ends.replace("both:  !pair(n, n + 1) [n == 7]", "both: !other [n < 0]").replace("&& n == 8", "&& n < 0");
    assert_snapshot!(judged(&ends, "?go !say(5)"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?go ────────────▶ SUT    +0.0 ms
       tester ◀────── !say(n=5) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:12:20
       │
    12 │     none: !say(n) [n < 0]  -> d
       │                    ┯━━━━
       │                    │
       │                    is false (n = 0)
       │                    is false (n = 1)
    13 │     both: !other [n < 0]   -> d
    14 │     some:  !say(any v) [v > 100 && v < 103 && n < 0] -> d
       │                         ┬──────               ┬────
       │                         │                     │
       │                         │                     is false (n = 0)
       │                         │                     is false (n = 1)
       │                         is false (v = 5)
       │
       ├ note: allowed here:
       │       !closed
       │       silence
       ╰ note: hypotheses: 13
               b, n = 0
               c, n = 0
               c, n = 1
               c, n = 2
               c, n = 3
               c, n = 4
               c, n = 5
               c, n = 6
               … and 5 more
       replay: sioco replay k7Qp2
    ");
}

/// Values of a state that is not known, as far as a solver says them.
#[test]
fn values_of_states_that_are_not_known() {
    let text = "\
input  go
output low(v: Int)
output one(v: Int)
output sum(v: Int)
output open(v: Int)
process P {
  var m: Int = any
  init a { go: ?go [m >= 3 && m <= 200] -> b }
  state b {
    low:  !low(any v) [v > m && v <= 300] -> c
    one:  !one(any v) [2 * v == 14 && v != m] -> c
    sum:  !sum(m + 1) [m < 10] -> c
    open: !open(any v) [v > m] -> c
  }
  final c
}
";
    assert_snapshot!(judged(text, "?go !low(1)"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?go ────────────▶ SUT    +0.0 ms
       tester ◀────── !low(v=1) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:10:11
       │
    10 │     low:  !low(any v) [v > m && v <= 300] -> c
       │           ━━━━━━━━━━━ cannot give this output, whatever the unknown values are
       │
       ├ note: allowed here:
       │       !low(v) where `v > m && v <= 300`, from 4 to 300
       │       !one(v = 7)
       │       !sum(m + 1) where `m < 10`, such as v = 10
       │       !open(v) where `v > m`, such as v = 4
       ╰ note: hypotheses: 1 (b, m unknown)
       replay: sioco replay k7Qp2
    ");
}

/// Nothing is known about the account at the start.
const FREE: &str = "\
input  amount(a: Int in 0..)
output cash(x: Int)
output refused

process ATM {
  var m: Int = any
  var x: Int = 0

  init q0 { ask: ?amount(a) / x := a -> q1 }
  state q1 {
    pay:    !cash(x) [x <= m] / m := m - x -> q0
    refuse: !refused [x > m]               -> q0
  }
}
";

#[test]
fn states_that_are_not_known() {
    assert_snapshot!(judged(FREE, "?amount(5) !cash(5) ?amount(3) !cash(4)"), @r"
     FAIL  run 1, step 4   seed 42
       tester ── ?amount(a=5) ──────▶ SUT    +0.0 ms
       tester ◀──────── !cash(x=5) ── SUT    +1.4 ms
       tester ── ?amount(a=3) ──────▶ SUT    +1.4 ms
       tester ◀──────── !cash(x=4) ── SUT    +1.4 ms    ✗
    error[sioco::V001]: this output is not allowed here
       ╭▸ model.sts:11:13
       │
    11 │     pay:    !cash(x) [x <= m] / m := m - x -> q0
       │             ━━━━━━━━ cannot give this output, whatever the unknown values are
       │
       ├ note: allowed here:
       │       !cash(x = 3)
       │       !refused
       ╰ note: hypotheses: 1 (q1, m = m#0 - 5, x = 3)
       replay: sioco replay k7Qp2
    ");
    assert_snapshot!(judged(FREE, "?amount(5) delta"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?amount(a=5) ──────▶ SUT    +0.0 ms
       tester        (silence)        SUT    +1.4 ms    ✗
    error[sioco::V002]: the SUT is silent, but quiescence is not allowed here
       ╭▸ model.sts:11:13
       │
    11 │     pay:    !cash(x) [x <= m] / m := m - x -> q0
       │             ━━━━━━━━ an output must come: `pay` is enabled
    12 │     refuse: !refused [x > m]               -> q0
       │             ──────── an output must come: `refuse` is enabled
       │
       ├ note: allowed here:
       │       !cash(x = 5)
       │       !refused
       ├ note: hypotheses: 1 (q1, m unknown, x = 5)
       ╰ help: if the SUT is only slow, wait longer after an input with `--quiescence-at GATE=TIME`; `sioco adapter check` suggests where and how long
       replay: sioco replay k7Qp2
    ");
}

#[test]
fn what_is_not_a_verdict_on_the_system() {
    assert_snapshot!(judged(ACCUMULATOR, "?inX(6) ?inX(6)"), @r"
     INCONCLUSIVE  run 1, step 2   seed 42
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
       tester ── ?inX(p=6) ──────▶ SUT    +1.4 ms
    warning[inconclusive]: the model does not say what happens after ?inX(p=6)
       ╭▸ model.sts:12:9
       │
    12 │   state l1 {
       │         ━━ in `l1`
       │
       ╰ note: hypotheses: 1 (l1, x = 6)
    ");
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let stderr = vec!["Traceback (most recent call last):".to_owned(), "ValueError: \u{1b}[31mno".to_owned()];
    let message = "the adapter ended in the middle of run 1".to_owned();
    let cause = Cause::Trouble(Trouble::Fault { kind: FaultKind::Died, message, stderr });
    let steps = steps(&model.model, "?inX(6)");
    let bad = Bad {
        source,
        run: RunNumber(1),
        verdict: Verdict::Error,
        cause: &cause,
        explanation: None,
        steps: &steps,
        begun: None,
        unaccepted: None,
        seed: None,
        file: Some("trace.txt"),
        clock: true,
        replay: Some("sioco replay k7Qp2"),
        shrunk: None,
        notes: &[],
    };
    assert_snapshot!(bad_run(&bad, PAGE), @r"
     ERROR  run 1, step 1, trace.txt:1
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
    error[adapter]: the adapter ended in the middle of run 1
     │
     ╰ help: run the adapter by itself and see why it ends. If the system runs inside the adapter, an exit, an abort or a signal of the system ends both. To see it as a crash of the system, run the system in its own process
       the last lines on standard error:
       │ Traceback (most recent call last):
       │ ValueError: \u{1b}[31mno
    ");
}

#[test]
fn values_that_do_not_fit() {
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let gate = model.model.gate("outX").expect("a gate");
    let why = "\"six\" is not a value of `p: Int`".to_owned();
    let raw = "{\"p\":\"six\"}".to_owned();
    let cause = Cause::Failure(Failure::Malformed { gate: Some(gate), why: why.clone(), raw: raw.clone() });
    let mut steps = steps(&model.model, "?inX(6)");
    let action = Action::Seen(Observation::Malformed { gate: Some(gate), why, raw });
    steps.push(LoggedStep { line: 2, at: None, action, waited: 0, timed: None });
    let bad = Bad {
        source,
        run: RunNumber(3),
        verdict: Verdict::Fail,
        cause: &cause,
        explanation: Some(&Explanation::default()),
        steps: &steps,
        begun: None,
        unaccepted: None,
        seed: None,
        file: None,
        clock: true,
        replay: None,
        shrunk: Some(40),
        notes: &["fails in 4 of 5 runs".into()],
    };
    assert_snapshot!(bad_run(&bad, PAGE), @r#"
     FAIL  run 3, step 2, shrunk from 40
       tester ── ?inX(p=6) ──────────────▶ SUT    +0.0 ms
       tester ◀────── !outX {"p":"six"} ── SUT               ✗
    error[sioco::V004]: the SUT sent values that do not fit `!outX`
      ╭▸ model.sts:2:8
      │
    2 │ output outX(p: Int)
      │        ━━━━ "six" is not a value of `p: Int`
      │
      ╰ note: received: {"p":"six"}
       fails in 4 of 5 runs
    "#);
    let simpler = bad_run(&Bad { shrunk: Some(2), ..bad }, PAGE);
    assert!(simpler.starts_with(" FAIL  run 3, step 2, shrunk to simpler values\n"), "{simpler}");
}
