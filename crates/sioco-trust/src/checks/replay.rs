//! `replay` and shrinking: a failing run of a steady system fails again, and its shortest form fails by the oracle.

use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::replay::{Patience, replay};
use sioco_exec::shrink::{Budget, Failed, shrink};
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, Failure, Verdict as Theirs};
use sioco_exec::{Order as EngineOrder, Referee, RunNumber, Stamped};

use super::records::runs;
use super::solvers::Solvers;
use super::test::{Campaign, Counting, Outcome, hold};
use crate::case::Case;
use crate::oracle::belief::World;
use crate::spec::{Line, Order};
use crate::systems::sut::Played;
use crate::tally::{Finding, Tally};

/// Runs a failing run again and shrinks it.
pub fn run(case: &Case, solvers: &Solvers, tally: &mut Tally) {
    let mut campaign = Campaign::any(&case.spec, &mut case.rng(400));
    campaign.steady = true;
    campaign.strategy.settings.fail_fast = true;
    let find = |tally: &mut Tally, kind: &str, why: String| {
        let why = format!("{why} ({:?}, {:?})", campaign.order, campaign.habit);
        tally.find(Finding { check: "replay", kind: kind.into(), why, spec: case.spec.clone(), log: None });
    };
    let Ok(Outcome { records, .. }) = campaign.run(case, solvers) else { return tally.count("replay: too large") };
    let text = super::journal::text(case, &records);
    let log = match super::journal::log(case, &text) {
        Ok(log) => log,
        Err(why) => return find(tally, "the journal cannot be read", why),
    };
    let Some(recorded) = log.runs.iter().find(|r| matches!(r.verdict, Some((Theirs::Fail, _)))) else { return };
    tally.count("replay: cases");
    let Some((_, Cause::Failure(failure))) = recorded.verdict.clone() else { return };
    let world = World::new(&campaign.played);
    let mut sut = Played::new(&world, &case.read, campaign.order, campaign.habit, campaign.seed).steady();
    let make = || solvers.make();
    let model = &case.read.model;
    let mut referee = Referee::with(model, &make, EngineOrder::Sut, Suite::default(), solvers.oracle(model), 10_000);
    let patience = Patience { quiescence: Duration::from_millis(100), slower: None, accepted: Duration::from_secs(10) };
    let mut told: Vec<Stamped> = Vec::new();
    let again = replay(
        &mut referee,
        Bench { sut: &mut sut, clock: &mut Counting::default() },
        recorded,
        RunNumber(1),
        patience,
        &mut |s| {
            told.push(s.clone());
        },
    );
    let mut wrong = check(case, &told);
    // Who sees something earlier or later than then, sees another system where messages cross.
    let exact = campaign.order != Order::Sent && !matches!(campaign.habit, crate::systems::sut::Habit::Late(_));
    if wrong.is_none() && exact && again.cause == Cause::Reached && !again.deviated {
        wrong = Some(("a failure of a steady system is not replayed".into(), format!("{:?}", again.cause)));
    }
    if let Some((kind, why)) = wrong {
        return find(tally, &kind, why);
    }
    let actions: Vec<_> = recorded.steps.iter().map(|s| s.action.clone()).collect();
    let alike = |other: &Failure, _: Option<&_>| other.name() == failure.name();
    let failed = Failed {
        run: recorded.number,
        seed: recorded.seed.unwrap_or(0),
        actions: &actions,
        failure: &failure,
        steps: actions.len() as u64,
        next: RunNumber(1_000),
        wanted: &alike,
    };
    let budget = Budget { runs: 60, time: Duration::from_secs(60) };
    let shrunk = shrink(
        &mut referee,
        Bench { sut: &mut sut, clock: &mut Counting::default() },
        failed,
        patience,
        budget,
        &mut |_| {},
    );
    tally.count("shrink: cases");
    let Some(shortest) = shrunk.shortest else { return };
    tally.count("shrink: shorter");
    if let Some((kind, why)) = check(case, &shortest.records) {
        return find(tally, &format!("shrunk: {kind}"), why);
    }
    let fails = runs(&case.read, shortest.records.iter().map(|s| &s.record))
        .iter()
        .any(|r| matches!(r.verdict, Some((Theirs::Fail, _))));
    if !fails {
        find(tally, "the shortest form does not fail", format!("{:?}", shortest.failure));
    }
}

fn check(case: &Case, records: &[Stamped]) -> Option<(String, String)> {
    let found = runs(&case.read, records.iter().map(|s| &s.record));
    let lines: Vec<Line> = found.iter().flat_map(|run| run.all_lines()).collect();
    let spec = case.spec.with_values_of(&lines);
    let world = World::new(&spec);
    for run in &found {
        // A replay may end anywhere, and sends what was sent then.
        if let Ok(Some(wrong)) = hold(&world, run, false)
            && (wrong.kind.starts_with("wrong") || wrong.kind.starts_with("missed"))
        {
            return Some((wrong.kind, format!("{}: {}", wrong.why, spec.lines(&wrong.lines))));
        }
    }
    None
}
