//! What the papers say about the execution of test purposes.

#[allow(dead_code)]
#[path = "../../sioco-symbolic/tests/support/scripted.rs"]
mod scripted;
mod support;

use sioco_exec::referee::Referee;
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, Failure, OpenCause};
use sioco_exec::{Driver, GateValue, Observation, Order, Record, Settings, Verdict};
use sioco_model::term::Term;
use sioco_model::{Id, Model, TermId, Value};
use sioco_plan::{Cover, Plan, PlanOptions, PurposeId, plan};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{Reason, Terms};
use support::{Scripted, builtin, campaign, event, example, model, planned, trace};

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(n) => *n,
        other => panic!("{other:?}"),
    }
}

/// An accumulator that tells the sum after each input, changed by `answer`, and is done above 15.
fn accumulator<'m>(model: &'m Model, answer: impl Fn(usize, i64) -> i64 + 'm) -> Scripted<'m> {
    Scripted::new(model, move |inputs: &[GateValue]| {
        if inputs.is_empty() {
            return Vec::new();
        }
        let sum: i64 = inputs.iter().map(|i| int(&i.args[0])).sum();
        let mut says = vec![format!("!outX({})", answer(inputs.len(), sum))];
        if sum > 15 {
            says.push("!done".into());
        }
        says
    })
}

fn run(model: &Model, plan: &Plan, values: Choice, sut: &mut Scripted<'_>) -> (Vec<Record>, sioco_exec::Summary) {
    let settings = Settings { values, attempts: 1, ..Settings::default() };
    campaign(&mut Driver::new(model, &builtin, plan, settings), sut)
}

/// S0 example 18: `r0 r1 r0 r1 r2` is executed step by step, the second value chosen so that the sum is above 15
/// whatever the first was; an output of 7 after 6 is a fail.
#[test]
fn s0_example_18() {
    let model = example("accumulator/accumulator");
    let plan = planned(&model, "switch", true);
    for values in [Choice::Min, Choice::Max, Choice::Middle, Choice::Random(7)] {
        let (records, summary) = run(&model, &plan, values, &mut accumulator(&model, |_, sum| sum));
        let steps = trace(&model, &records);
        let first: i64 = steps[0].trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number");
        let second: i64 = steps[2].trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number");
        assert!((1..=10).contains(&first) && (1..=10).contains(&second) && first + second > 15, "{steps:?}");
        let expected = [
            format!("?inX({first})"),
            format!("!outX({first})"),
            format!("?inX({second})"),
            format!("!outX({})", first + second),
            "!done".into(),
        ];
        assert_eq!(steps, expected);
        assert_eq!(summary.verdict, Some(Verdict::Pass));
        // The a-posteriori coverage is what it was a priori, in the conservative reading: 100 %.
        assert!(summary.purposes[0].alone && summary.switches.iter().all(|s| *s == (true, true)));
    }
    // Case 2 of iteration 1.
    let (records, summary) = run(&model, &plan, Choice::Max, &mut accumulator(&model, |_, sum| sum + 1));
    assert_eq!(summary.verdict, Some(Verdict::Fail));
    assert_eq!(trace(&model, &records).len(), 2);
    let Cause::Failure(Failure::Output(output)) = &summary.bad[0].cause else { panic!("{:?}", summary.bad) };
    assert_eq!(output.show(&model), format!("!outX({})", 11));
    let left = &summary.bad[0].explanation.as_ref().expect("an explanation").hypotheses;
    assert_eq!(left.iter().map(|h| h.shown.as_str()).collect::<Vec<_>>(), ["l1, x = 10"]);
}

/// Does not know about a condition with the number 15 and at least so many symbols.
fn not_above_15(symbols: usize) -> Box<dyn Bounds> {
    let refuses = move |terms: Terms<'_>, term: TermId| {
        let (mut found, mut has_15) = (0, false);
        terms.pool.visit(term, &mut |_, t| match t {
            Term::Symbol(..) => found += 1,
            Term::Const(Value::Int(15), _) => has_15 = true,
            _ => {}
        });
        has_15 && found >= symbols
    };
    Box::new(scripted::Scripted::new(builtin(), Reason::Undecided("too hard".into()), refuses))
}

/// S0 example 18, second purpose: the solver does not know that `r0 r1 r2` is impossible. With the value of the first
/// input put in, it is plain to see (lines 12 to 16): inconclusive, and nothing is sent.
#[test]
fn s0_lines_12_to_16() {
    let model = example("accumulator/accumulator");
    let solver = || not_above_15(1);
    let options = PlanOptions { depth: Some(3), strict: true, ..PlanOptions::new(Cover::Switch) };
    let plan = plan(&model, &solver, &options, &mut |_| {}).expect("a plan");
    assert!(plan.purposes[0].rests_on_unknown());
    let settings = Settings { attempts: 1, ..Settings::default() };
    let mut tester = Driver::new(&model, &solver, &plan, settings);
    let (records, summary) = campaign(&mut tester, &mut accumulator(&model, |_, sum| sum));
    assert_eq!(trace(&model, &records), [""; 0]);
    assert_eq!(summary.verdict, Some(Verdict::Inconclusive));
    let cause = summary.purposes[0].cause.clone();
    assert_eq!(cause, Some(Cause::Open(OpenCause::Unknown(Reason::Undecided("too hard".into())))));
    assert!(summary.switches.iter().all(|s| *s == (false, false)), "0 % a posteriori");
}

/// S0 lines 12 to 20: as long as the solver does not know about the rest of the path, values for the guard alone are
/// sent, and said to be a guess; the purpose passes if they were good.
#[test]
fn s0_lines_17_to_20() {
    let model = example("accumulator/accumulator");
    let plan = planned(&model, "switch", true);
    let solver = || not_above_15(1);
    for (values, verdict) in [(Choice::Max, Verdict::Pass), (Choice::Min, Verdict::Inconclusive)] {
        let settings = Settings { values, attempts: 1, ..Settings::default() };
        let mut tester = Driver::new(&model, &solver, &plan, settings);
        let (records, summary) = campaign(&mut tester, &mut accumulator(&model, |_, sum| sum));
        let why = sioco_exec::record::Why::Guess(PurposeId::from_index(0));
        let guesses = records.iter().filter(|r| matches!(r, Record::Input { why: guess, .. } if *guess == why));
        assert_eq!(summary.verdict, Some(verdict));
        // The least values are allowed by the guards, but then the second one leads nowhere.
        assert_eq!(guesses.count(), if verdict == Verdict::Pass { 2 } else { 1 });
    }
}

/// The verdicts on purposes after a trace.
fn judged(model: &Model, plan: &Plan, trace: &[&str]) -> (Option<Cause>, Vec<(usize, Verdict)>) {
    let mut referee = Referee::with(model, &builtin, Order::Sut, Suite::new(model, plan), None, 1_000);
    assert_eq!(referee.start(), None);
    for text in trace {
        let end = match text {
            t if t.starts_with('?') => referee.input(&event(model, t)),
            &"delta" => referee.observe(&Observation::Delta),
            t => referee.observe(&Observation::Output(event(model, t))),
        };
        if end.is_some() {
            return (end, Vec::new());
        }
    }
    (None, referee.reached().iter().map(|r| (r.purpose.index(), r.verdict)).collect())
}

/// S3 section 5, the worked trace: after `deposit?250 amount?50 cash!50` the machine may have taken a fee or not, so the
/// purpose whose only accept is eta_11 is perhaps reached.
#[test]
fn s3_weak_pass() {
    let model = example("atm/atm");
    let options = PlanOptions { split: true, steering: false, ..PlanOptions::new(Cover::Inclusion(1)) };
    let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("a plan");
    let line = |p: &sioco_plan::Purpose| {
        let accept = p.accepts().next().expect("an accept");
        p.line(accept).iter().map(|l| l.step.name(&model)).collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> = plan.purposes.iter().map(line).collect();
    let only = |name: &str| lines.iter().position(|l| l == name).unwrap_or_else(|| panic!("no {name} in {lines:?}"));
    let (eta_11, eta_12) = (only("put ask pay"), only("put ask pay_cost"));
    let steps = ["?deposit(250)", "?amount(50)", "!cash(50)"];
    for eta in [eta_11, eta_12] {
        let one = Plan { purposes: vec![plan.purposes[eta].clone()], ..plan.clone() };
        assert_eq!(judged(&model, &one, &steps), (None, vec![(0, Verdict::WeakPass)]));
    }
    // Both together: some hypothesis is at an accept of each.
    let (end, verdicts) = judged(&model, &plan, &steps);
    assert_eq!(end, None);
    assert!(verdicts.contains(&(eta_11, Verdict::WeakPass)) && verdicts.contains(&(eta_12, Verdict::WeakPass)));
    // The whole tree as one purpose: every hypothesis is at one of its accepts.
    let whole = planned(&model, "inclusion:1", false);
    assert_eq!(whole.purposes.len(), 1);
    assert_eq!(judged(&model, &whole, &steps), (None, vec![(0, Verdict::Pass)]));
}

/// S3 figure 3: from two contexts, an output that leads to accepts alone is a pass (1), one that leads away from them
/// is inconclusive (2), one that leads to an accept and elsewhere is a weak pass (3), and one that no context has is a
/// fail (4).
#[test]
fn s3_figure_3() {
    let model = model(
        "input go\noutput c(n: Int)\noutput d\noutput e\noutput f\n\
         process P {\n  init start {\n    left: ?go -> eta0\n    right: ?go -> eta1\n  }\n\
           state eta0 {\n    c2: !c(1) -> eta2\n    c3: !c(2) -> eta2\n    d4: !d -> eta4\n  }\n\
           state eta1 {\n    c5: !c(2) -> eta3\n  }\n\
           final eta2\n  final eta3\n  final eta4\n}\n",
    );
    // The accept is eta_2, and what leads there is in the purpose.
    let step = |name: &str| {
        let switch = model.switches.iter().find(|(_, s)| s.name == name).expect("a switch").0;
        sioco_plan::Leg::from(sioco_symbolic::Step::Switch(switch))
    };
    let mut purpose = sioco_plan::Purpose::default();
    let eta_0 = purpose.add(0, step("left"), None);
    for name in ["c2", "c3"] {
        let accept = purpose.add(eta_0, step(name), None);
        purpose.nodes[accept].accept = true;
    }
    let plan = Plan { purposes: vec![purpose], ..planned(&model, "location", false) };
    let after = |output: &str| judged(&model, &plan, &["?go", output]);
    assert_eq!(after("!c(1)"), (None, vec![(0, Verdict::Pass)]));
    assert_eq!(after("!d"), (None, vec![]));
    assert_eq!(after("!c(2)"), (None, vec![(0, Verdict::WeakPass)]));
    assert_eq!(after("!e").0, Some(Cause::Failure(Failure::Output(event(&model, "!e")))));
    // The same as runs, with their verdicts.
    for (output, verdict) in [
        ("!c(1)", Verdict::Pass),
        ("!d", Verdict::Inconclusive),
        ("!c(2)", Verdict::WeakPass),
        ("!e", Verdict::Fail),
        ("delta", Verdict::Fail),
    ] {
        let mut sut = Scripted::new(&model, |inputs: &[GateValue]| match inputs.len() {
            1 => vec![output.into()],
            _ => Vec::new(),
        });
        let (_, summary) = run(&model, &plan, Choice::Min, &mut sut);
        assert_eq!(summary.verdict, Some(verdict), "{output}");
    }
}

/// What becomes of each trace of two steps of a specification, played against a system.
fn traces(spec: &Model, sut: &Model) -> (Vec<(String, Option<Verdict>, u32)>, sioco_exec::Summary) {
    let plan = planned(spec, "traces:2", false);
    let settings = Settings { attempts: 3, ..Settings::default() };
    let mut player = sioco_exec::player::Player::new(sut);
    let (_, summary) = campaign(&mut Driver::new(spec, &builtin, &plan, settings), &mut player);
    let line = |p: &sioco_plan::Purpose| {
        let accept = p.accepts().next().expect("an accept");
        p.line(accept).iter().map(|l| l.step.name(spec)).collect::<Vec<_>>().join(" ")
    };
    let results = plan.purposes.iter().zip(&summary.purposes).map(|(p, r)| (line(p), r.verdict, r.attempts));
    let mut results: Vec<_> = results.collect();
    results.sort();
    (results, summary)
}

/// S1 figure 3.15: the specification allows `!c`, which the system never gives. That is no error, and trying ends: the trace is
/// left to the choice of the system.
#[test]
fn s1_figure_3_15() {
    let (results, summary) = traces(&example("trace-figures/fig-3-15-spec"), &example("trace-figures/fig-3-15-sut"));
    let verdicts: Vec<Option<Verdict>> = results.iter().map(|r| r.1).collect();
    assert_eq!(verdicts, [Some(Verdict::Pass), Some(Verdict::Inconclusive)], "{results:?}");
    assert_eq!(results[1].2, 3, "as often as was allowed");
    assert!(summary.purposes.iter().any(|p| p.otherwise), "{summary:?}");
    assert_eq!(summary.verdict, Some(Verdict::Pass));
}

/// S1 figure 3.16: the system gives a wrong answer to `?b`. That is reported once, and what would fail in the same way
/// is not tried again; the rest is.
#[test]
fn s1_figure_3_16() {
    let (results, summary) = traces(&example("trace-figures/fig-3-16-spec"), &example("trace-figures/fig-3-16-sut"));
    assert_eq!(summary.verdict, Some(Verdict::Fail));
    assert_eq!(summary.runs[Verdict::Fail as usize], 1, "{results:?}");
    assert!(results.iter().any(|r| r.1 == Some(Verdict::Pass)), "{results:?}");
}
