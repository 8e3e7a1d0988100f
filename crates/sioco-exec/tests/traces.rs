//! Trace coverage: what S1 says about its figures (chapters 3 and 5), with systems that answer exactly as its text has it.

#[path = "../benches/support/industrial.rs"]
mod industrial;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sioco_exec::player::Player;
use sioco_exec::record::End;
use sioco_exec::verdict::{Cause, Failure, OpenCause};
use sioco_exec::{Driver, GateValue, Record, RunNumber, Settings, Summary, Verdict};
use sioco_model::{Id, Model, Value};
use sioco_plan::{Cover, Plan, PlanOptions, Purpose, plan};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{BackEnd, Cancellation, Reason};
use support::{Scripted, builtin, campaign, example, trace};

/// A test for each trace of a length, with the least values (S1 section 3.1.4, *min*).
fn tests(model: &Model, length: usize) -> Plan {
    let tests = Some(Choice::Min);
    let options = PlanOptions { strict: true, steering: false, tests, ..PlanOptions::new(Cover::Traces(length)) };
    plan(model, &builtin, &options, &mut |_| {}).expect("a plan")
}

/// The test of a purpose as S1 writes it.
fn shown(model: &Model, purpose: &Purpose) -> String {
    let accept = purpose.accepts().next().expect("an accept");
    let mut values = purpose.test.as_deref().expect("a test").iter();
    let steps = purpose.line(accept).into_iter().filter(|l| l.step.is_observable(model)).map(|leg| {
        let switch = leg.step.switches().next().expect("a switch");
        let gate = sioco_exec::course::gate_of(model, leg.step).expect("a gate");
        let args: Vec<Value> = values.by_ref().take(model.switches[switch].params.len()).cloned().collect();
        GateValue { gate, args }.show(model)
    });
    steps.collect::<Vec<_>>().join(" ")
}

/// One run towards the trace whose test begins like this; the script is asked at the start and after each input.
fn towards(
    figure: &str,
    length: usize,
    begins: &str,
    script: impl FnMut(&[GateValue]) -> Vec<String>,
) -> (Vec<String>, Summary, Vec<String>) {
    let model = example(&format!("trace-figures/{figure}"));
    let mut plan = tests(&model, length);
    // The trace at hand is the first one in the plan.
    plan.purposes.sort_by_key(|p| !shown(&model, p).starts_with(begins));
    let names: Vec<String> = plan.purposes.iter().map(|p| shown(&model, p)).collect();
    assert!(names[0].starts_with(begins), "{names:?}");
    // As many steps as a run has: what other runs do is not looked at.
    let max_steps = Some(length as u64);
    let settings = Settings { values: Choice::Min, attempts: 1, max_steps, ..Settings::default() };
    let mut tester = Driver::new(&model, &builtin, &plan, settings);
    let mut sut = Scripted::new(&model, script);
    let (records, summary) = campaign(&mut tester, &mut sut);
    let first: Vec<Record> =
        records.iter().take_while(|r| !matches!(r, Record::Run { run: RunNumber(2), .. })).cloned().collect();
    let reached = first.iter().filter_map(|r| match r {
        Record::Purpose { purpose, verdict, .. } if *verdict <= Verdict::WeakPass => {
            Some(names[purpose.index()].clone())
        }
        _ => None,
    });
    (trace(&model, &first), summary, reached.collect())
}

/// The system of figure 3.8: it says `!a` with a number of its choice, then what belongs to the input that it gets.
fn figure_3_8(number: i64) -> (Vec<String>, Summary, Vec<String>) {
    towards("fig-3-08", 3, "!a(3)", move |inputs| match inputs.last() {
        None => vec![format!("!a({number})")],
        Some(input) => {
            vec![["!e", "!f", "!g"][[1, 2, 3].iter().position(|g| *g == gate_number(input)).unwrap_or(0)].into()]
        }
    })
}

/// The place of an input gate in the declarations: `a`, `b`, `c`, `d` are 0 to 3.
fn gate_number(input: &GateValue) -> usize {
    input.gate.index()
}

#[test]
fn s1_figure_3_8_the_tests() {
    let model = example("trace-figures/fig-3-08");
    let mut found: Vec<String> = tests(&model, 3).purposes.iter().map(|p| shown(&model, p)).collect();
    found.sort();
    assert_eq!(found, ["!a(22) ?c(1) !f", "!a(3) ?b(3) !e", "!a(41) ?d(1) !g"].map(String::from));
}

/// Case 1: 9 mod 6 is 3, so the rest of the test still works, and nothing has to be computed.
#[test]
fn s1_figure_3_8_the_rest_of_the_test() {
    let (steps, summary, reached) = figure_3_8(9);
    assert_eq!(steps, ["!a(9)", "?b(3)", "!e"]);
    assert_eq!(reached, ["!a(3) ?b(3) !e"]);
    assert_eq!(summary.pauses.solved, 0, "{summary:?}");
}

/// The same for values that the plan does not have, but were found at the start of the run.
#[test]
fn s1_figure_3_8_the_rest_of_a_new_test() {
    let model = example("trace-figures/fig-3-08");
    let mut plan = tests(&model, 3);
    plan.purposes.sort_by_key(|p| !shown(&model, p).starts_with("!a(3)"));
    plan.purposes.iter_mut().for_each(|p| p.test = None);
    let settings = Settings { values: Choice::Min, attempts: 1, max_steps: Some(3), ..Settings::default() };
    let mut tester = Driver::new(&model, &builtin, &plan, settings);
    let mut sut = Scripted::new(&model, |inputs: &[GateValue]| match inputs.last() {
        None => vec!["!a(9)".into()],
        Some(_) => vec!["!e".into()],
    });
    let (records, summary) = campaign(&mut tester, &mut sut);
    assert_eq!(trace(&model, &records), ["!a(9)", "?b(3)", "!e"]);
    assert_eq!(summary.pauses.solved, 0, "{summary:?}");
}

/// Case 2: 11 mod 6 is 5: the rest of the trace needs another value.
#[test]
fn s1_figure_3_8_the_rest_of_the_trace() {
    let (steps, summary, reached) = figure_3_8(11);
    assert_eq!(steps, ["!a(11)", "?b(5)", "!e"]);
    assert_eq!(reached, ["!a(3) ?b(3) !e"]);
    assert!(summary.pauses.solved > 0, "{summary:?}");
}

/// A failure after the system went elsewhere is one of the trace that it went to: that one fails, what begins in the same
/// way is dropped, and the trace that the run was for at first is tried again, and found to be right (S1 section 3.2.4).
#[test]
fn who_failed_is_who_was_there() {
    let model = support::model(
        "input a\ninput d\noutput b\noutput c\noutput e\noutput f\noutput g\nprocess P {\n  init l0 { ?a -> l1 }\n  \
         state l1 { !c -> l2  !b -> l4 }\n  state l2 { ?d -> l3 }\n  state l3 { !f -> l6 }\n  \
         state l4 { ?d -> l5 }\n  state l5 { !e -> l6  !g -> l6 }\n  state l6 { }\n}\n",
    );
    let plan = tests(&model, 4);
    let names: Vec<String> = plan.purposes.iter().map(|p| shown(&model, p)).collect();
    assert_eq!(names, ["?a !c ?d !f", "?a !b ?d !e", "?a !b ?d !g"]);
    // `!b` in the first two runs, and wrong after it; `!c` from the third on, and right.
    let mut resets = 0;
    let mut sut = Scripted::new(&model, move |inputs: &[GateValue]| match inputs.len() {
        0 => {
            resets += 1;
            vec![]
        }
        1 => vec![if resets <= 2 { "!b".into() } else { "!c".into() }],
        _ => vec!["!f".into()],
    });
    let settings = Settings { values: Choice::Min, attempts: 5, ..Settings::default() };
    let mut tester = Driver::new(&model, &builtin, &plan, settings);
    let (_, summary) = campaign(&mut tester, &mut sut);
    let verdicts: Vec<Option<Verdict>> = summary.purposes.iter().map(|p| p.verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail, Verdict::Inconclusive].map(Some), "{summary:?}");
    assert!(
        matches!(summary.purposes[2].cause, Some(Cause::Open(OpenCause::Dropped { run: RunNumber(1) }))),
        "{summary:?}"
    );
    assert_eq!(summary.verdict, Some(Verdict::Fail));
    assert_eq!(summary.runs[Verdict::Fail as usize], 1, "what failed is not tried again: {summary:?}");
}

/// A wrong value of one output says nothing about the traces with another one: they are tried (S1 section 3.2.4).
#[test]
fn a_wrong_value_drops_what_expects_this_output() {
    let model = support::model(
        "input a\noutput x(p: Int)\noutput y\noutput z\nprocess P {\n  init l0 { ?a -> l1 }\n  \
         state l1 { !x(1) -> l2  tau -> l3 }\n  state l3 { !y -> l2 }\n  state l2 { ?a -> l4 }\n  \
         state l4 { !y -> l5  !z -> l5 }\n  state l5 { }\n}\n",
    );
    let mut plan = tests(&model, 4);
    plan.purposes.sort_by_key(|p| shown(&model, p));
    let names: Vec<String> = plan.purposes.iter().map(|p| shown(&model, p)).collect();
    assert_eq!(names, ["?a !x(1) ?a !y", "?a !x(1) ?a !z", "?a !y ?a !y", "?a !y ?a !z"]);
    // `!x` with a wrong value in the first run, and what is right from then on.
    let mut resets = 0;
    let mut sut = Scripted::new(&model, move |inputs: &[GateValue]| match inputs.len() {
        0 => {
            resets += 1;
            vec![]
        }
        1 => vec![if resets == 1 { "!x(2)".into() } else { "!y".into() }],
        _ => vec![if resets % 2 == 0 { "!y".into() } else { "!z".into() }],
    });
    let settings = Settings { values: Choice::Min, attempts: 5, ..Settings::default() };
    let mut tester = Driver::new(&model, &builtin, &plan, settings);
    let (_, summary) = campaign(&mut tester, &mut sut);
    let verdicts: Vec<Option<Verdict>> = summary.purposes.iter().map(|p| p.verdict).collect();
    let (fail, open, pass) = (Verdict::Fail, Verdict::Inconclusive, Verdict::Pass);
    assert_eq!(verdicts, [fail, open, pass, pass].map(Some), "{summary:?}");
    assert!(
        matches!(summary.purposes[1].cause, Some(Cause::Open(OpenCause::Dropped { run: RunNumber(1) }))),
        "{summary:?}"
    );
}

/// The same without any time to compute: the value that is missing is not found, and everything says so.
#[test]
fn who_must_hurry_says_so() {
    let model = example("trace-figures/fig-3-08");
    let mut plan = tests(&model, 3);
    plan.purposes.sort_by_key(|p| !shown(&model, p).starts_with("!a(3)"));
    for (pause, trace_is) in [(Duration::MAX, vec!["!a(11)", "?b(5)", "!e"]), (Duration::ZERO, vec!["!a(11)"])] {
        let settings = Settings { values: Choice::Min, attempts: 1, max_steps: Some(3), pause, ..Settings::default() };
        let mut tester = Driver::new(&model, &builtin, &plan, settings);
        let mut sut = Scripted::new(&model, |inputs: &[GateValue]| match inputs.last() {
            None => vec!["!a(11)".into()],
            Some(_) => vec!["!e".into()],
        });
        let (records, summary) = campaign(&mut tester, &mut sut);
        let first: Vec<Record> =
            records.iter().take_while(|r| !matches!(r, Record::Run { run: RunNumber(2), .. })).cloned().collect();
        assert_eq!(trace(&model, &first), trace_is);
        let hurried = first.contains(&Record::Hurried);
        assert_eq!((hurried, summary.pauses.hurried > 0), (pause.is_zero(), pause.is_zero()), "{summary:?}");
        assert!(summary.verdict <= Some(Verdict::Inconclusive), "{summary:?}");
    }
}

/// From the reset on the system waits, so that the values of a first input have to be there in time, too.
#[test]
fn who_must_hurry_says_so_from_the_start() {
    let model = support::model(
        "input a(p: Int)\noutput b\nprocess P {\n  init l0 { ?a(p) [p > 3 && p < 9] -> l1 }\n  state l1 { !b -> l0 }\n}\n",
    );
    let mut plan = tests(&model, 2);
    plan.purposes.iter_mut().for_each(|p| p.test = None);
    for (pause, trace_is) in [(Duration::MAX, vec!["?a(4)", "!b"]), (Duration::ZERO, vec![])] {
        let settings = Settings { values: Choice::Min, attempts: 1, pause, ..Settings::default() };
        let mut tester = Driver::new(&model, &builtin, &plan, settings);
        let mut sut =
            Scripted::new(&model, |inputs: &[GateValue]| inputs.last().map(|_| "!b".into()).into_iter().collect());
        let (records, summary) = campaign(&mut tester, &mut sut);
        assert_eq!(trace(&model, &records), trace_is);
        assert_eq!(records.contains(&Record::Hurried), pause.is_zero());
        let cause = summary.purposes[0].cause.clone();
        let unknown = Cause::Open(OpenCause::Unknown(Reason::Time));
        assert_eq!(cause, pause.is_zero().then_some(unknown), "{summary:?}");
    }
}

/// Whoever ends everything ends it at the next decision, and what was cut by that has no verdict.
#[test]
fn a_pulled_cancellation_ends_the_campaign() {
    let model = example("trace-figures/fig-3-08");
    let plan = tests(&model, 3);
    let stop = Arc::new(AtomicBool::new(false));
    let late = Cancellation::new([], Some(Instant::now()));
    let stopped = Cancellation::new([stop.clone()], None);
    for (cancellation, end, begins) in [(late, End::Time, false), (stopped, End::Interrupted, true)] {
        let solvers = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain().on(Some(&cancellation))) };
        let mut tester = Driver::new(&model, &solvers, &plan, Settings::default()).on(&cancellation);
        let mut sut = Scripted::new(&model, |inputs: &[GateValue]| {
            stop.store(!inputs.is_empty(), Ordering::Relaxed);
            vec!["!a(11)".into(); usize::from(inputs.is_empty())]
        });
        let (records, summary) = campaign(&mut tester, &mut sut);
        assert_eq!(summary.end, end);
        assert_eq!(records.iter().any(|r| matches!(r, Record::Run { .. })), begins);
        assert!(summary.purposes.iter().all(|p| p.verdict != Some(Verdict::Fail)), "{summary:?}");
        assert_eq!(summary.runs[Verdict::Inconclusive as usize], u64::from(begins), "{summary:?}");
    }
}

/// Case 3: with 22 the left trace is out of reach, and the test of the middle one is just right.
#[test]
fn s1_figure_3_8_another_test() {
    let (steps, _, reached) = figure_3_8(22);
    assert_eq!(steps, ["!a(22)", "?c(1)", "!f"]);
    assert_eq!(reached, ["!a(22) ?c(1) !f"]);
}

/// Case 4: with 31 it is the middle trace as well, with another value: 31 mod 7 is 3.
#[test]
fn s1_figure_3_8_another_trace() {
    let (steps, _, reached) = figure_3_8(31);
    assert_eq!(steps, ["!a(31)", "?c(3)", "!f"]);
    assert_eq!(reached, ["!a(22) ?c(1) !f"]);
}

/// Case 5: nothing goes on from 18, 27 and 54: the model has a deadlock, which is reported with its state.
#[test]
fn s1_figure_3_8_deadlocks() {
    for number in [18, 27, 54] {
        let (steps, summary, reached) = figure_3_8(number);
        assert_eq!(steps, [format!("!a({number})")]);
        assert!(reached.is_empty());
        assert_eq!(summary.deadlocks, [format!("s2, w = {number}")], "{summary:?}");
        assert!(summary.verdict <= Some(Verdict::Inconclusive), "{summary:?}");
        assert!(matches!(summary.purposes[0].cause, Some(Cause::Open(OpenCause::Deadlock { .. }))), "{summary:?}");
    }
}

/// Case 6: any other response than `!a` is an error of the system.
#[test]
fn s1_figure_3_8_an_error() {
    let (_, summary, _) = towards("fig-3-08", 3, "!a(3)", |_| vec!["!e".into()]);
    assert_eq!(summary.verdict, Some(Verdict::Fail));
    assert!(matches!(summary.bad[0].cause, Cause::Failure(Failure::Output(_))), "{summary:?}");
}

/// Figure 3.9: another output with a value that no test has, and then another output again: two deviations in a row end
/// with the trace on the right covered.
#[test]
fn s1_figure_3_9_two_deviations() {
    let (steps, _, reached) = towards("fig-3-09", 4, "?a !b(1)", |inputs| match inputs.len() {
        1 => vec!["!c(23)".into()],
        2 => vec!["!h".into()],
        _ => Vec::new(),
    });
    assert_eq!(steps, ["?a", "!c(23)", "?e(2)", "!h"]);
    assert_eq!(reached.len(), 1);
    assert!(reached[0].ends_with("!h"), "{reached:?}");
}

/// Figure 3.7: `!c` instead of `!b` covers the other trace, and not the one at hand, which is left for later.
#[test]
fn s1_figure_3_7_multiple_responses() {
    let (steps, summary, reached) = towards("fig-3-07", 2, "?a !b", |inputs| match inputs.len() {
        0 => Vec::new(),
        _ => vec!["!c".into()],
    });
    assert_eq!((steps.join(" "), reached), ("?a !c".into(), vec!["?a !c".to_owned()]));
    // The trace at hand is not covered.
    assert_eq!(summary.purposes[0].verdict, Some(Verdict::Inconclusive), "{summary:?}");
}

/// Figure 3.10: in two states at once, `!c(7)` instead of `!d(10)` leads to the only trace that has it.
#[test]
fn s1_figure_3_10_in_two_states() {
    let (steps, _, reached) = towards("fig-3-10", 3, "?a !d", |inputs| match inputs.len() {
        1 => vec!["!c(7)".into(), "!e".into()],
        _ => Vec::new(),
    });
    assert_eq!(steps, ["?a", "!c(7)", "!e"]);
    assert_eq!(reached, ["?a !c(5) !e"]);
}

/// Figure 3.11: with 5, `?b` is followed on both sides, and whichever answer comes is covered.
#[test]
fn s1_figure_3_11_the_same_input_twice() {
    for (answer, trace) in [("!c", "!c"), ("!d", "!d")] {
        let (steps, _, reached) = towards("fig-3-11", 3, "!a(1)", |inputs| match inputs.len() {
            0 => vec!["!a(5)".into()],
            _ => vec![answer.into()],
        });
        assert_eq!(steps, ["!a(5)", "?b", answer]);
        assert_eq!(reached.len(), 1, "{reached:?}");
        assert!(reached[0].ends_with(trace), "{reached:?}");
    }
}

/// Figure 3.12: with 5, `!b` is followed on both sides, and the tester still sends the input that it wanted to.
#[test]
fn s1_figure_3_12_no_deviation() {
    for wanted in ["?c", "?d"] {
        let model = example("trace-figures/fig-3-12");
        let mut plan = tests(&model, 3);
        plan.purposes.retain(|p| shown(&model, p).ends_with(wanted));
        // The value at which both are possible.
        plan.purposes[0].test = Some(Box::new([Value::Int(5)]));
        let settings = Settings { values: Choice::Min, attempts: 1, ..Settings::default() };
        let mut sut = Scripted::new(&model, |inputs| if inputs.len() == 1 { vec!["!b".into()] } else { Vec::new() });
        let (records, summary) = campaign(&mut Driver::new(&model, &builtin, &plan, settings), &mut sut);
        assert_eq!(trace(&model, &records), ["?a(5)", "!b", wanted]);
        assert!(summary.purposes[0].verdict <= Some(Verdict::WeakPass), "{summary:?}");
        assert_eq!(summary.runs.iter().sum::<u64>(), 1);
    }
}

/// Figure 3.13: after `?a(3) !c`, both traces with `!c` are covered together (5.2.4); after `?a(2) !c`, only the one that
/// is possible with an even number.
#[test]
fn s1_figure_3_13_where_it_can_be() {
    let model = example("trace-figures/fig-3-13");
    for (number, together) in [(3, 2), (2, 1)] {
        let mut plan = tests(&model, 2);
        let to_b = |p: &Purpose| !shown(&model, p).ends_with("!b");
        plan.purposes.sort_by_key(to_b);
        plan.purposes[0].test = Some(Box::new([Value::Int(number)]));
        let settings = Settings { values: Choice::Min, attempts: 1, ..Settings::default() };
        let mut sut = Scripted::new(&model, |inputs| if inputs.len() == 1 { vec!["!c".into()] } else { Vec::new() });
        let (records, _) = campaign(&mut Driver::new(&model, &builtin, &plan, settings), &mut sut);
        assert_eq!(trace(&model, &records), [format!("?a({number})"), "!c".into()]);
        let first = records.iter().take_while(|r| !matches!(r, Record::Run { run: RunNumber(2), .. }));
        let reached: Vec<usize> = first
            .filter_map(|r| match r {
                Record::Purpose { purpose, verdict, .. } if *verdict <= Verdict::WeakPass => Some(purpose.index()),
                _ => None,
            })
            .collect();
        assert_eq!(reached.len(), together, "{number}: {reached:?}");
    }
}

/// Figure 3.14: after `?a(5) !b` it may be on either trace, and the next output tells; after `?a(1) !b` only on one.
#[test]
fn s1_figure_3_14_on_two_traces() {
    let model = example("trace-figures/fig-3-14");
    for (number, next, verdict) in
        [(5, "!c", Verdict::Pass), (5, "!e", Verdict::Pass), (1, "!e", Verdict::Pass), (1, "!c", Verdict::Fail)]
    {
        let mut plan = tests(&model, 3);
        plan.purposes.sort_by_key(|p| !shown(&model, p).ends_with("!d"));
        plan.purposes[0].test = Some(Box::new([Value::Int(number)]));
        plan.purposes.truncate(3);
        let settings = Settings { values: Choice::Min, attempts: 1, ..Settings::default() };
        let mut sut = Scripted::new(&model, |inputs| match inputs.len() {
            1 => vec!["!b".into(), next.into()],
            _ => Vec::new(),
        });
        let (records, _) = campaign(&mut Driver::new(&model, &builtin, &plan, settings), &mut sut);
        assert_eq!(trace(&model, &records), [format!("?a({number})"), "!b".into(), next.into()]);
        let first = records.iter().find_map(|r| match r {
            Record::Verdict { verdict, .. } => Some(*verdict),
            _ => None,
        });
        assert_eq!(first, Some(verdict), "{number} {next}");
    }
}

/// Figures 5.11 and 5.12: two runs are enough for three and four traces.
#[test]
fn s1_figures_5_11_and_5_12_two_runs() {
    for (figure, traces) in [("fig-5-11", 3), ("fig-5-12", 4)] {
        let model = example(&format!("trace-figures/{figure}"));
        let plan = tests(&model, 2);
        assert_eq!(plan.purposes.len(), traces);
        let mut runs = 0;
        let mut sut = Scripted::new(&model, |inputs| {
            runs += usize::from(inputs.is_empty());
            if inputs.is_empty() { Vec::new() } else { vec![["!b", "!c"][runs % 2].into()] }
        });
        let settings = Settings { values: Choice::Min, ..Settings::default() };
        let (_, summary) = campaign(&mut Driver::new(&model, &builtin, &plan, settings), &mut sut);
        assert_eq!(summary.runs.iter().sum::<u64>(), 2, "{figure}: {summary:?}");
        assert!(summary.purposes.iter().all(|p| p.verdict <= Some(Verdict::WeakPass)), "{figure}: {summary:?}");
    }
}

/// Figure 5.2: of the five symbolic traces up to length 4, two are possible.
#[test]
fn s1_figure_5_2_a_loop() {
    let model = example("trace-figures/fig-5-02");
    let mut found: Vec<String> = tests(&model, 4).purposes.iter().map(|p| shown(&model, p)).collect();
    found.sort();
    assert_eq!(found, ["?input_ ?input_ ?input_ !output_", "?input_ ?input_ ?input_ ?input_"]);
}

/// The model with the shape of the industrial one of S1 has its counts (tables 5.1 and 5.2), and every trace is covered by
/// the model played as the system.
#[test]
fn s1_section_5_3() {
    let model = support::model(&industrial::industrial());
    assert_eq!(model.switches.len(), 651);
    for (length, traces, covered) in [(1, 13, 84), (2, 21, 119), (3, 273, 139), (4, 441, 146)] {
        let plan = tests(&model, length);
        assert_eq!((plan.purposes.len(), plan.length), (traces, Some(length)));
        let settings = Settings { attempts: 100, ..Settings::default() };
        let mut tester = Driver::new(&model, &builtin, &plan, settings);
        let (_, summary) = campaign(&mut tester, &mut Player::new(&model));
        assert!(summary.purposes.iter().all(|p| p.verdict <= Some(Verdict::WeakPass)), "{length}");
        let switches = summary.on_covered(&model, &plan).into_iter().filter(|s| *s).count();
        assert_eq!(switches, covered, "{length}");
    }
}

/// A system that moves by itself without end: what was observed fits ten thousand traces at once, in as many states. One
/// run marks them all (S1 section 5.2.4), and does not look at every pair of them.
#[test]
fn a_run_may_fit_very_many_traces() {
    let model = support::model(
        "output u\nprocess P {\n  var x: Int = 0\n  init l0 { tau / x := x + 1 -> l0  !u [x >= 0] -> l0 }\n}\n",
    );
    let options = PlanOptions { strict: true, steering: false, nodes: 100_000, ..PlanOptions::new(Cover::Traces(2)) };
    let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("a plan");
    assert_eq!(plan.purposes.len(), 10_000);
    let settings = Settings { max_steps: Some(4), ..Settings::default() };
    let mut tester = Driver::new(&model, &builtin, &plan, settings);
    let (_, summary) = campaign(&mut tester, &mut Player::new(&model));
    assert!(summary.purposes.iter().all(|p| p.verdict == Some(Verdict::WeakPass)), "{:?}", summary.runs);
}
