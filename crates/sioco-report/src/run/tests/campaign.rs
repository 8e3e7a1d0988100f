//! Campaigns as people see them.

use sioco_campaign::gate::Gate;
use sioco_campaign::planning::Clock;
use sioco_campaign::trails::Reasons;

use super::*;

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
        waiting: None,
        last_input: None,
        probing: 0,
        unbegun: 0,
        runs: [10, 1, 2, 0, 1],
        steps: 1034,
        inputs: 400,
        purposes: vec![
            PurposeResult {
                verdict: Some(Verdict::Pass),
                alone: true,
                attempts: 1,
                run: Some(RunNumber(1)),
                ..Default::default()
            },
            PurposeResult {
                verdict: Some(Verdict::Pass),
                doubt: true,
                attempts: 1,
                run: Some(RunNumber(2)),
                ..Default::default()
            },
            PurposeResult {
                verdict: Some(Verdict::WeakPass),
                attempts: 2,
                run: Some(RunNumber(4)),
                ..Default::default()
            },
            PurposeResult {
                verdict: Some(Verdict::Inconclusive),
                cause: Some(Cause::Open(OpenCause::Deviation)),
                attempts: 3,
                ..Default::default()
            },
            PurposeResult::default(),
        ],
        switches: vec![(true, true), (false, true), (false, false)],
        locations: vec![(true, true), (true, true), (false, false)],
        bad: vec![BadRun { run: RunNumber(14), verdict: Verdict::Fail, cause, steps: 2, explanation: None }],
        deadlocks: vec!["l1, x = 3".into()],
        withdrawn: 2,
        hidden: 0,
        late: vec![(model.gate("inX"), 1), (None, 1)],
        stale: 1,
        unheard: 2,
        unheard_crashes: 2,
        remarks: vec!["once, the server sent extra data after a response".into()],
        unknown: 3,
        pauses: Pauses { longest: Duration::from_millis(300), at: (RunNumber(3), 4), solved: 2, hurried: 1, clock: 0 },
    }
}

#[test]
fn a_campaign_in_a_few_lines() {
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let found = a_summary(&model.model);
    let gates = [Gate { text: "switch>=95%".into(), percent: 33.3, met: false }];
    let mut reasons = Reasons::default();
    for why in [OpenCause::Deviation, OpenCause::Crossed, OpenCause::Crossed] {
        reasons.add(&Cause::Open(why));
    }
    reasons.add(&Cause::Reached);
    let campaign = CampaignReport {
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
      ended      the step limit was reached (1000 steps)
      open       2 runs: an input and an output crossed, and the model does not say
                 what happens then; use `--interaction fair` to wait for outputs
                 first
                 1 run: the system did something that is allowed, but leads away
                 from the purpose
      not tried  the budget ended before 1 purpose was tried; raise `--max-steps`
      coverage   1 of 3 switches surely taken (33%), 2 possibly
      purposes   2 of 5 reached, 1 of these with a single hypothesis, 1 more
                 possibly
                 4. inconclusive, the system did something that is allowed, but
                 leads away from the purpose (3 attempts)
      gate       switch>=95% missed: 33%
      unknown    the solver left 3 questions of the tester unanswered; 1 purpose
                 depends on it
      deadlock   nothing more can happen in l1, x = 3; `sioco analyze` shows the way
                 there
      silence    quiescence was withdrawn 2 times, because outputs came after it:
                 after ?inX (1), at the beginning of a run (1); use `--quiescence-at
                 inX=2s --quiescence-at l0=2s` to wait longer there, or raise
                 `--quiescence` (now 100 ms)
      stale      an output of an earlier run came during a later run and was dropped
      unheard    2 outputs came after the end of their runs: they were not judged; a
                 longer `--quiescence` may catch them
      crashes    the SUT crashed 2 times after the end of a run: that was not
                 judged; a longer `--quiescence` may catch it in a run
      odd        once, the server sent extra data after a response
      pause      the system waited at most 300 ms for an input (run 3, after step
                 4); sioco searched 2 times for values during a run; sioco tried
                 only some continuations once, to keep the wait short
      not taken  tell
      seed       42
      journal    .sioco/runs/k7Qp2.jsonl
      replay     sioco replay k7Qp2
    ");
    // A few are nothing to speak of; and those that came later count, too.
    for (runs, stale, unheard, told) in [(14, 0, 1, false), (14, 2, 0, true), (30, 1, 2, false), (29, 3, 0, true)] {
        let found = Summary { runs: [runs, 0, 0, 0, 0], stale, unheard, ..found.clone() };
        let text = summary(&CampaignReport { summary: &found, ..campaign }, PAGE);
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
        hidden: 0,
        stale: 0,
        unheard: 0,
        unheard_crashes: 0,
        remarks: Vec::new(),
        unknown: 0,
        pauses: Pauses::default(),
        ..a_summary(&model.model)
    };
    let campaign = CampaignReport {
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

/// Who was interrupted has a verdict on what was observed until then, and no more; what was overdue is told.
#[test]
fn the_first_line_says_that_a_campaign_was_interrupted() {
    let (checked, model) = checked(ACCUMULATOR);
    let source = Source { checked: &model, sources: &checked.sources };
    let reasons = Reasons::default();
    let gate = |met| [Gate { text: "switch>=95%".into(), percent: 50.0, met }];
    for (verdict, met, waiting, head, ended) in [
        (Some(Verdict::Pass), true, None, "PASS, INTERRUPTED  ", "it was interrupted; the verdict covers only"),
        (
            Some(Verdict::Pass),
            false,
            None,
            "PASS, GATE MISSED, INTERRUPTED  ",
            "it was interrupted; the verdict covers",
        ),
        (Some(Verdict::Fail), true, None, "FAIL, INTERRUPTED  ", "it was interrupted; the verdict covers only"),
        (None, true, Some(Waiting::Reset), "NOTHING RUN, INTERRUPTED  ", "it was interrupted, while the SUT was being"),
        (
            Some(Verdict::Inconclusive),
            true,
            Some(Waiting::Observed),
            "INCONCLUSIVE, INTERRUPTED  ",
            "it was interrupted, while nothing came, but an output must",
        ),
    ] {
        let found = Summary { verdict, waiting, end: End::Interrupted, ..a_summary(&model.model) };
        let gates = gate(met);
        let campaign = CampaignReport {
            source,
            summary: &found,
            plan: None,
            sut: "`python3 sut.py`",
            seed: None,
            quiescence: Duration::from_millis(100),
            took: Some(Duration::from_millis(2100)),
            planned: None,
            clock: Clock::default(),
            budget: "",
            journal: None,
            replay: None,
            gates: &gates,
            reasons: &reasons,
            dead_ends: &[],
            again: None,
            eager: true,
            shrunk: &[],
        };
        let text = summary(&campaign, PAGE);
        assert!(text.starts_with(head) && text.contains(&format!("  ended      {ended}")), "{text}");
        // Whoever was not interrupted is not said to be.
        let done = Summary { end: End::Done, waiting: None, ..found.clone() };
        let text = summary(&CampaignReport { summary: &done, ..campaign }, PAGE);
        assert!(!text.contains("INTERRUPTED") && !text.contains("interrupted"), "{text}");
    }
}
