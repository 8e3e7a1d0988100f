//! What a campaign records says everything that matters: the same verdicts follow from the journal, and the recorded
//! runs can be run again.

use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::drive::NoClock;
use sioco_exec::journal::{About, Header, line, read};
use sioco_exec::judge::judge;
use sioco_exec::log::Log;
use sioco_exec::racer::Wires;
use sioco_exec::record::Record;
use sioco_exec::replay::{Patience, replay};
use sioco_exec::settings::{Settings, Walks};
use sioco_exec::verdict::{Cause, Verdict};
use sioco_exec::{Driver, Order, Player, Racer, Referee, RunNumber, Sut, drive};
use sioco_model::Model;
use sioco_plan::{Cover, PlanOptions, plan};
use sioco_solve::BackEnd;
use sioco_solve::values::{Bounds, Choice};

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

fn model(text: &str) -> Model {
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{text}: {:?}", checked.diagnostics)).model
}

const ACCUMULATOR: &str = include_str!("../../../examples/accumulator/accumulator.sts");
const COFFEE: &str = include_str!("../../../examples/coffee/coffee.sts");

/// Specifications, each with a text and what it becomes in the systems that are tested; the first one is right.
const PAIRS: [(&str, &[(&str, &str)]); 2] = [
    (
        ACCUMULATOR,
        &[
            ("", ""),
            ("!outX(x)", "!outX(if x > 15 then x + 1 else x)"),
            ("[x > 15]", "[x > 9]"),
            ("x := x + p", "x := if p == 7 then x else x + p"),
        ],
    ),
    (COFFEE, &[("", ""), ("!dispense_cup", "!dispense_coffee")]),
];

/// The text of the journal of a campaign.
fn campaign(model: &Model, sut: &mut dyn Sut, seed: u64) -> String {
    let options = PlanOptions { nodes: 60, workers: 1, ..PlanOptions::new(Cover::Switch) };
    let plan = plan(model, &builtin, &options, &mut |_| {}).expect("a plan");
    let settings = Settings {
        seed,
        values: Choice::Random(seed),
        walks: Walks::Random,
        max_steps: Some(200),
        walk: 30,
        ..Settings::default()
    };
    let header =
        Header { model: About::new(model, "m.sts", None, &[]), settings: settings.clone(), ..Header::default() };
    let mut text = header.with_plan(&plan).line();
    let mut tester = Driver::new(model, &builtin, &plan, settings);
    drive(&mut tester, sut, &mut NoClock, &mut |stamped| text.push_str(&line(model, stamped)));
    text
}

/// Runs campaigns of all pairs, and gives each journal to a check, with what tells it apart.
fn campaigns(mut check: impl FnMut(&Model, &Model, &str, &str)) {
    for (spec, changes) in PAIRS {
        let spec_model = model(spec);
        for (old, new) in changes {
            let text = if old.is_empty() { spec.to_owned() } else { spec.replacen(old, new, 1) };
            let sut_model = model(&text);
            for seed in 0..6 {
                let what = format!("{} with `{new}`, seed {seed}", spec_model.name);
                let mut player = Player::new(&sut_model);
                let journal = campaign(&spec_model, &mut player, seed);
                check(&spec_model, &sut_model, &journal, &what);
            }
        }
    }
}

#[test]
fn a_journal_gets_the_same_verdicts_again() {
    let (mut failed, mut passed) = (0, 0);
    campaigns(|model, _, text, what| {
        let log = Log::of(&read(text, model).unwrap_or_else(|e| panic!("{what}: {e}")));
        let mut referee = Referee::new(model, &builtin, Order::Sut);
        for run in &log.runs {
            let (verdict, cause) = run.verdict.clone().expect("every run of a whole journal has a verdict");
            let judged = judge(&mut referee, run, Order::Sut);
            match cause {
                Cause::Failure(_) => {
                    failed += 1;
                    assert_eq!((judged.verdict, &judged.cause), (Verdict::Fail, &cause), "{what}, run {}", run.number);
                    assert!(judged.explanation.is_some_and(|e| e.all > 0), "{what}, run {}", run.number);
                    assert_eq!(judged.steps, run.steps.len(), "{what}, run {}", run.number);
                }
                // A log has no purposes, so what did not reach one is no less allowed.
                _ => {
                    passed += 1;
                    assert!(verdict < Verdict::Error, "{what}, run {}", run.number);
                    assert_ne!(judged.verdict, Verdict::Fail, "{what}, run {}", run.number);
                }
            }
        }
    });
    assert!(failed > 20 && passed > 100, "{failed} {passed}");
}

#[test]
fn recorded_failures_fail_again_and_a_right_system_mends_them() {
    let patience = Patience { quiescence: Duration::from_millis(1), slower: None, accepted: Duration::from_secs(1) };
    let mut failed = 0;
    campaigns(|model, sut_model, text, what| {
        let log = Log::of(&read(text, model).unwrap_or_else(|e| panic!("{what}: {e}")));
        let Some(run) = log.runs.iter().find(|r| matches!(r.verdict, Some((Verdict::Fail, _)))) else { return };
        failed += 1;
        let mut referee = Referee::new(model, &builtin, Order::Sut);
        let mut again = |played: &Model| {
            let mut records = Vec::new();
            let mut sut = Player::new(played);
            let sink = &mut |stamped: &sioco_exec::Stamped| records.push(stamped.record.clone());
            let replayed =
                replay(&mut referee, Bench { sut: &mut sut, clock: &mut NoClock }, run, RunNumber(1), patience, sink);
            let inputs: Vec<_> = records.iter().filter(|r| matches!(r, Record::Input { .. })).cloned().collect();
            (replayed, inputs.len())
        };
        // The same seed, the same choices.
        let (replayed, inputs) = again(sut_model);
        let cause = run.verdict.as_ref().map(|(_, cause)| cause);
        assert_eq!(replayed.verdict, Verdict::Fail, "{what}");
        assert_eq!(Some(&replayed.cause), cause, "{what}");
        assert!(!replayed.deviated && inputs == run.inputs().count(), "{what}");
        // A system that conforms never fails, whatever was recorded.
        let (replayed, _) = again(model);
        assert_ne!(replayed.verdict, Verdict::Fail, "{what}: {:?}", replayed.cause);
        assert_ne!(replayed.verdict, Verdict::Error, "{what}: {:?}", replayed.cause);
    });
    assert!(failed > 10, "{failed}");
}

/// Behind wires with delays, where the order says less.
#[test]
fn journals_of_crossing_messages_are_judged_as_they_were() {
    let (mut runs, mut crossing) = (0, 0);
    for (spec, changes) in PAIRS {
        let spec_model = model(spec);
        for (old, new) in changes {
            let text = if old.is_empty() { spec.to_owned() } else { spec.replacen(old, new, 1) };
            let sut_model = model(&text);
            for seed in 0..4 {
                let what = format!("{} with `{new}`, seed {seed}", spec_model.name);
                let mut racer = Racer::new(Player::new(&sut_model), Wires::default());
                let text = campaign(&spec_model, &mut racer, seed);
                let log = Log::of(&read(&text, &spec_model).unwrap_or_else(|e| panic!("{what}: {e}")));
                let mut referee = Referee::new(&spec_model, &builtin, Order::Sut);
                for run in &log.runs {
                    runs += 1;
                    crossing += run.steps.iter().filter(|s| s.waited > 0).count();
                    let (verdict, cause) = run.verdict.clone().expect("a verdict");
                    let judged = judge(&mut referee, run, Order::Sut);
                    assert_eq!(judged.verdict == Verdict::Fail, verdict == Verdict::Fail, "{what}, run {}", run.number);
                    if verdict == Verdict::Fail {
                        assert_eq!(judged.cause, cause, "{what}, run {}", run.number);
                    }
                }
            }
        }
    }
    assert!(runs > 100, "{runs} {crossing}");
}

/// Whatever is left of a journal, its runs can be judged: nothing panics, and nothing fails that did not.
#[test]
fn every_part_of_a_journal_is_judged() {
    let spec = model(ACCUMULATOR);
    let broken = model(&ACCUMULATOR.replace("!outX(x)", "!outX(if x > 15 then x + 1 else x)"));
    let text = campaign(&spec, &mut Player::new(&broken), 3);
    // Some runs, the first of which fails.
    let text: String = text.split_inclusive('\n').take(40).collect();
    assert!(text.contains("\"verdict\":\"fail\""), "{text}");
    let mut referee = Referee::new(&spec, &builtin, Order::Sut);
    let fails = |referee: &mut Referee<'_>, log: &Log| {
        let verdicts = log.runs.iter().map(|run| judge(referee, run, Order::Sut).verdict);
        verdicts.filter(|v| *v == Verdict::Fail).count()
    };
    let all = fails(&mut referee, &Log::of(&read(&text, &spec).expect("a journal")));
    let mut before = 0;
    for end in 0..=text.len() {
        let Ok(journal) = read(&text[..end], &spec) else { continue };
        let now = fails(&mut referee, &Log::of(&journal));
        assert!(before <= now && now <= all, "{end}: {before}, {now} of {all}");
        before = now;
    }
    assert_eq!(before, all);
}
