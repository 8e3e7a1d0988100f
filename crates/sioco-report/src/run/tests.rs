use std::time::Duration;

use insta::assert_snapshot;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::explanation::Explanation;
use sioco_exec::judge::judge;
use sioco_exec::log::{LoggedRun, LoggedStep};
use sioco_exec::record::End;
use sioco_exec::summary::{BadRun, Pauses, PurposeResult, Summary};
use sioco_exec::verdict::{Cause, Failure, Open, Trouble, Verdict};
use sioco_exec::{FaultKind, Order, Referee};
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
        LoggedStep { line: i + 1, at, action: event(model, text), waited: 0, timed: false }
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
    let run = LoggedRun { steps: steps.clone(), ..LoggedRun::new(1, 1) };
    let judged = judge(&mut Referee::new(&model.model, &builtin, order), &run, order);
    let source = Source { checked: &model, sources: &checked.sources };
    let bad = Bad {
        source,
        run: 1,
        verdict: judged.verdict,
        cause: &judged.cause,
        explanation: judged.explanation.as_ref(),
        steps: &steps[..judged.steps],
        begun: None,
        unaccepted: unaccepted.as_ref(),
        seed: Some(42),
        file: None,
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
       │                   ━ is 6, the SUT sent 7
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
    error[sioco::V002]: the SUT is silent, and silence is not allowed here
       ╭▸ model.sts:13:13
       │
    13 │     tell:   !outX(x)                           -> l0
       │             ━━━━━━━━ something has to come: `tell` is enabled
       │
       ├ note: allowed here: !outX(p = 6)
       ├ note: hypotheses: 1 (l1, x = 6)
       ╰ help: if the SUT is only slow, `--quiescence-at GATE=TIME` waits longer after an input; `sioco adapter check` says where and how long
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
       ╰ help: where the SUT may end, the model says so with `output closed`
       replay: sioco replay k7Qp2
    ");
}

/// Where it is not known when inputs were taken, that is said, and nothing is called allowed that is not.
#[test]
fn inputs_that_are_under_way() {
    let text = judged_in(Order::Sent, ACCUMULATOR, "?inX(6) delta", None);
    assert_snapshot!(text, @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
       tester      (silence)       SUT    +1.4 ms    ✗
    error[sioco::V002]: the SUT is silent, and silence is not allowed here
       ╭▸ model.sts:13:13
       │
    13 │     tell:   !outX(x)                           -> l0
       │             ━━━━━━━━ something has to come: `tell` is enabled
       │
       ├ note: allowed here: !outX(p = 6)
       ├ note: hypotheses: 2
       │       l0, x = 0; the SUT may not have taken ?inX(p=6) yet
       │       l1, x = 6
       ╰ help: if the SUT is only slow, `--quiescence-at GATE=TIME` waits longer after an input; `sioco adapter check` says where and how long
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
       │                   ━ is 7, the SUT sent 8
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
      ├ note: ?inX(p=1) was not yet accepted when this came; an adapter prints `accepted` before it passes an input on
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
       │             ━━━━━━━━ does not give this, whatever the values are that are not known
       │
       ├ note: allowed here:
       │       !cash(x) where `x <= m`
       │       !refused
       ╰ note: hypotheses: 1 (q1, m = m#0 - 5, x = 3)
       replay: sioco replay k7Qp2
    ");
    assert_snapshot!(judged(FREE, "?amount(5) delta"), @r"
     FAIL  run 1, step 2   seed 42
       tester ── ?amount(a=5) ──────▶ SUT    +0.0 ms
       tester        (silence)        SUT    +1.4 ms    ✗
    error[sioco::V002]: the SUT is silent, and silence is not allowed here
       ╭▸ model.sts:11:13
       │
    11 │     pay:    !cash(x) [x <= m] / m := m - x -> q0
       │             ━━━━━━━━ something has to come: `pay` is enabled
    12 │     refuse: !refused [x > m]               -> q0
       │             ──────── something has to come: `refuse` is enabled
       │
       ├ note: allowed here:
       │       !cash(x) where `x <= m`
       │       !refused
       ├ note: hypotheses: 1 (q1, m unknown, x = 5)
       ╰ help: if the SUT is only slow, `--quiescence-at GATE=TIME` waits longer after an input; `sioco adapter check` says where and how long
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
        run: 1,
        verdict: Verdict::Error,
        cause: &cause,
        explanation: None,
        steps: &steps,
        begun: None,
        unaccepted: None,
        seed: None,
        file: Some("trace.txt"),
        replay: Some("sioco replay k7Qp2"),
        shrunk: None,
        notes: &[],
    };
    assert_snapshot!(bad_run(&bad, PAGE), @r"
     ERROR  run 1, step 1, trace.txt:1
       tester ── ?inX(p=6) ──────▶ SUT    +0.0 ms
    error[adapter]: the adapter ended in the middle of run 1
     │
     ╰ help: run the adapter by itself and see why it ends
       the last lines of the adapter on standard error:
       │ Traceback (most recent call last):
       │ ValueError:  [31mno
    ");
}

#[test]
fn values_that_do_not_fit() {
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let gate = model.model.gate("outX").expect("a gate");
    let why = "\"six\" is no value of `p: Int`".to_owned();
    let raw = "{\"p\":\"six\"}".to_owned();
    let cause = Cause::Failure(Failure::Malformed { gate: Some(gate), why: why.clone(), raw: raw.clone() });
    let mut steps = steps(&model.model, "?inX(6)");
    let action = Action::Seen(Observation::Malformed { gate: Some(gate), why, raw });
    steps.push(LoggedStep { line: 2, at: None, action, waited: 0, timed: false });
    let bad = Bad {
        source,
        run: 3,
        verdict: Verdict::Fail,
        cause: &cause,
        explanation: Some(&Explanation::default()),
        steps: &steps,
        begun: None,
        unaccepted: None,
        seed: None,
        file: None,
        replay: None,
        shrunk: Some(40),
        notes: &["fails in 4 of 5 runs".into()],
    };
    assert_snapshot!(bad_run(&bad, PAGE), @r#"
     FAIL  run 3, step 2, shrunk from 40
       tester ── ?inX(p=6) ──────────────▶ SUT    +0.0 ms
       tester ◀────── !outX {"p":"six"} ── SUT               ✗
    error[sioco::V004]: the SUT sent values that `!outX` does not have
      ╭▸ model.sts:2:8
      │
    2 │ output outX(p: Int)
      │        ━━━━ "six" is no value of `p: Int`
      │
      ╰ note: received: {"p":"six"}
       fails in 4 of 5 runs
    "#);
    let simpler = bad_run(&Bad { shrunk: Some(2), ..bad }, PAGE);
    assert!(simpler.starts_with(" FAIL  run 3, step 2, shrunk to simpler values\n"), "{simpler}");
}

fn a_summary(model: &Model) -> Summary {
    let output = match event(model, "!outX(7)") {
        Action::Seen(Observation::Output(output)) => output,
        other => panic!("{other:?}"),
    };
    let cause = Cause::Failure(Failure::Output(output));
    Summary {
        probes: Vec::new(),
        verdict: Some(Verdict::Fail),
        end: End::Steps,
        probing: 0,
        runs: [10, 1, 2, 0, 1],
        steps: 1034,
        inputs: 400,
        purposes: vec![
            PurposeResult {
                verdict: Some(Verdict::Pass),
                alone: true,
                attempts: 1,
                run: Some(1),
                ..Default::default()
            },
            PurposeResult {
                verdict: Some(Verdict::Pass),
                doubt: true,
                attempts: 1,
                run: Some(2),
                ..Default::default()
            },
            PurposeResult { verdict: Some(Verdict::WeakPass), attempts: 2, run: Some(4), ..Default::default() },
            PurposeResult {
                verdict: Some(Verdict::Inconclusive),
                cause: Some(Cause::Open(Open::Deviation)),
                attempts: 3,
                ..Default::default()
            },
            PurposeResult::default(),
        ],
        switches: vec![(true, true), (false, true), (false, false)],
        locations: vec![(true, true), (true, true), (false, false)],
        bad: vec![BadRun { run: 14, verdict: Verdict::Fail, cause, steps: 2, explanation: None }],
        deadlocks: vec!["l1, x = 3".into()],
        withdrawn: 2,
        late: vec![(model.gate("inX"), 1), (None, 1)],
        stale: 1,
        unheard: 2,
        unknown: 3,
        pauses: Pauses { longest: Duration::from_millis(300), at: (3, 4), solved: 2, hurried: 1, clock: 0 },
    }
}

#[test]
fn a_campaign_in_a_few_lines() {
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let found = a_summary(&model.model);
    let gates = [Gate { text: "switch>=95%".into(), percent: 33.3, met: false }];
    let mut reasons = Reasons::default();
    for why in [Open::Deviation, Open::Crossed, Open::Crossed] {
        reasons.add(&Cause::Open(why));
    }
    reasons.add(&Cause::Reached);
    let campaign = Campaign {
        source,
        summary: &found,
        plan: None,
        sut: "`python3 sut.py`",
        seed: Some(42),
        quiescence: Duration::from_millis(100),
        took: Some(Duration::from_millis(2100)),
        planned: None,
        clock: Clock::default(),
        budget: "1000 steps",
        journal: Some(".sioco/runs/k7Qp2.jsonl"),
        replay: Some("sioco replay k7Qp2"),
        gates: &gates,
        reasons: &reasons,
        dead_ends: &[],
        again: None,
        eager: true,
        shrunk: &[],
    };
    assert_snapshot!(summary(&campaign, PAGE), @r"
    FAIL  Accumulator against `python3 sut.py`: 14 runs, 1034 steps in 2.1 s
      runs       10 pass, 1 weak pass, 2 inconclusive, 1 fail
      ended      the steps are used up (1000 steps)
      open       2 runs: an input and an output crossed, and the model does not say
                 what happens then; `--interaction fair` waits for outputs first
                 1 run: what was observed is allowed, but leads elsewhere
      not tried  the budget ended before 1 purpose was tried; raise `--max-steps`
      coverage   1 of 3 switches surely taken (33%), 2 possibly
      purposes   2 of 5 reached, 1 of these with a single hypothesis, 1 more perhaps
                 4. inconclusive, what was observed is allowed, but leads elsewhere
                 (3 attempts)
      gate       switch>=95% missed: 33%
      unknown    3 questions of the tester had no answer from the solver; 1 purpose
                 rests on it
      deadlock   nothing can happen any more in l1, x = 3; `sioco analyze` shows the
                 way there
      silence    2 silences were withdrawn, since outputs came after all: after ?inX
                 (1), at the beginning of a run (1); `--quiescence-at inX=2s
                 --quiescence-at l0=2s` waits longer there, or raise `--quiescence`,
                 which is 100 ms
      stale      an output of an earlier run came during a later one and was dropped
      unheard    2 outputs after the end of their runs were not waited for: they
                 were not judged; a longer `--quiescence` may hear them
      pause      300 ms at most before an input (run 3, after step 4); 2 times
                 values were looked for in the middle of a run; once not all ways on
                 were tried, so that the system need not wait
      not taken  tell
      seed       42
      journal    .sioco/runs/k7Qp2.jsonl
      replay     sioco replay k7Qp2
    ");
    // A few are nothing to speak of; and those that came later count, too.
    for (runs, stale, unheard, told) in [(14, 0, 1, false), (14, 2, 0, true), (30, 1, 2, false), (29, 3, 0, true)] {
        let found = Summary { runs: [runs, 0, 0, 0, 0], stale, unheard, ..found.clone() };
        let text = summary(&Campaign { summary: &found, ..campaign }, PAGE);
        assert_eq!(text.contains("were not judged"), told, "{text}");
    }
    let object = json::summary(&campaign, 1);
    assert_eq!(object["verdict"], "fail");
    assert_eq!(object["bad"][0]["code"], "sioco::V001");
    assert_eq!(object["coverage"]["switches"]["possibly"], 2);
    assert_eq!(object["coverage"]["taken"][1]["taken"], "possibly");
    assert_eq!(object["runs"]["weak pass"], 1);
    assert_eq!(object["gates"][0]["met"], false);
}

#[test]
fn a_campaign_without_a_run() {
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let found = Summary {
        verdict: None,
        end: End::Done,
        runs: [0; 5],
        steps: 0,
        inputs: 0,
        purposes: Vec::new(),
        switches: vec![(false, false); 3],
        bad: Vec::new(),
        deadlocks: Vec::new(),
        withdrawn: 0,
        stale: 0,
        unheard: 0,
        unknown: 0,
        pauses: Pauses::default(),
        ..a_summary(&model.model)
    };
    let campaign = Campaign {
        source,
        summary: &found,
        plan: None,
        sut: "it",
        seed: None,
        quiescence: Duration::ZERO,
        took: None,
        planned: None,
        clock: Clock::default(),
        budget: "",
        journal: None,
        replay: None,
        gates: &[],
        reasons: &Reasons::default(),
        dead_ends: &[],
        again: None,
        eager: false,
        shrunk: &[],
    };
    assert_snapshot!(summary(&campaign, PAGE), @"NOTHING RUN  Accumulator against it: 0 runs, 0 steps");
}

#[test]
fn times_are_short() {
    for (micros, text) in
        [(0, "0.0 ms"), (1_400, "1.4 ms"), (250_000, "250 ms"), (2_500_000, "2.5 s"), (720_000_000, "12 min")]
    {
        assert_eq!(time(Duration::from_micros(micros)), text);
    }
}
