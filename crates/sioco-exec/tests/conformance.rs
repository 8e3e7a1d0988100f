//! The tester against an independent oracle for ioco, on random small specifications and implementations of them.

mod oracle;

use std::collections::BTreeMap;

use oracle::campaign::{Strategy, builtin, judge};
use oracle::cases::{Case, for_cases};
use oracle::crossing::Known;
use oracle::lts::{Act, Lts};
use oracle::machine::Machine;
use oracle::mutate::mutant;
use oracle::rng::Rng;
use sioco_exec::referee::Referee;
use sioco_exec::verdict::{Cause, Failure, Open};
use sioco_exec::{Order, Verdict};

/// How often what happened; shown at the end, so that one can see what a property was about.
type Counts = BTreeMap<&'static str, u64>;

fn count(counts: &mut Counts, what: &'static str) {
    *counts.entry(what).or_default() += 1;
}

fn tell(referee: &mut Referee<'_>, case: &Case, act: Act) -> Option<Cause> {
    match act {
        Act::In(..) => referee.input(&case.names.gate_value(act)),
        _ => referee.observe(&case.names.observation(act)),
    }
}

/// The referee after a trace, all of which is allowed.
fn follow(referee: &mut Referee<'_>, case: &Case, trace: &[Act]) -> Result<(), String> {
    if let Some(cause) = referee.start() {
        return Err(format!("at the start: {cause:?}"));
    }
    for (i, act) in trace.iter().enumerate() {
        if let Some(cause) = tell(referee, case, *act) {
            return Err(format!("{trace:?}, step {i}: {cause:?}"));
        }
    }
    Ok(())
}

/// After every step of a random trace, the referee allows exactly what the oracle does.
fn referee_agrees(case: &Case, order: Order, counts: &mut Counts) -> Result<(), String> {
    let mut referee = Referee::new(&case.model, &builtin, order);
    let mut rng = case.rng(1);
    let mut known = Known::at_start(&case.lts);
    let mut trace: Vec<Act> = Vec::new();
    for _ in 0..if case.is_wide() { 4 } else { 10 } {
        let mut next = Vec::new();
        for act in case.lts.outputs.iter().copied().chain([Act::Delta]) {
            follow(&mut referee, case, &trace)?;
            let cause = tell(&mut referee, case, act);
            let allowed = known.clone().see(act);
            match &cause {
                None if allowed => count(counts, "allowed"),
                // Where nothing can be said any more, it may say so.
                Some(Cause::Open(Open::Crossed)) if known.now.excused() => count(counts, "excused"),
                Some(Cause::Failure(Failure::Output(_))) if !allowed && act != Act::Delta => count(counts, "failed"),
                Some(Cause::Failure(Failure::Silence)) if !allowed && act == Act::Delta => count(counts, "silent"),
                Some(Cause::Open(Open::Cut | Open::Other(_))) if !allowed && case.is_wide() => {
                    count(counts, "undecided")
                }
                _ => return Err(format!("{trace:?} {act:?}: allowed {allowed}, but {cause:?}")),
            }
            if cause.is_none() {
                next.push(act);
            }
        }
        for input in &case.lts.inputs {
            let specified = known.now.specifies(*input);
            follow(&mut referee, case, &trace)?;
            let cause = tell(&mut referee, case, *input);
            match &cause {
                None if specified => {
                    next.push(*input);
                    count(counts, "specified");
                }
                Some(Cause::Open(Open::Unspecified(_))) if !specified => count(counts, "unspecified"),
                Some(Cause::Open(Open::Crossed)) if !specified => count(counts, "crossed"),
                _ => return Err(format!("{trace:?} {input:?}: specified {specified}, but {cause:?}")),
            }
        }
        let Some(act) = (!next.is_empty()).then(|| *rng.pick(&next)) else { break };
        match act {
            Act::In(..) => known.input(act, order),
            _ => {
                known.see(act);
            }
        }
        trace.push(act);
    }
    Ok(())
}

#[test]
fn the_referee_allows_what_the_oracle_allows() {
    let mut counts = Counts::new();
    for_cases(500, |case| referee_agrees(case, Order::Sut, &mut counts));
    println!("{counts:?}");
    for what in ["allowed", "failed", "silent", "specified", "unspecified"] {
        assert!(counts.get(what).is_some_and(|n| *n > 100), "{what} is rare: {counts:?}");
    }
}

#[test]
fn the_referee_knows_what_may_cross() {
    let mut counts = Counts::new();
    for_cases(500, |case| referee_agrees(case, Order::Sent, &mut counts));
    println!("{counts:?}");
    for what in ["allowed", "failed", "silent", "specified", "unspecified", "excused"] {
        assert!(counts.get(what).is_some_and(|n| *n > 100), "{what} is rare: {counts:?}");
    }
}

#[test]
fn conforming_systems_never_fail() {
    let mut counts = Counts::new();
    for_cases(500, |case| {
        let mut rng = case.rng(2);
        let Some(machine) = Machine::conforming(&case.lts, &mut rng) else {
            count(&mut counts, "too large");
            return Ok(());
        };
        if let Err(trace) = machine.ioco(&case.lts) {
            return Err(format!("the machine is made to conform, but {trace:?}"));
        }
        let strategy = Strategy::any(&mut rng);
        let (summary, records) = strategy.run(case, &machine, rng.next());
        judge(case, strategy.order, &records).map_err(|why| format!("{strategy:?}: {why}"))?;
        match summary.verdict {
            Some(Verdict::Fail | Verdict::Error) => return Err(format!("{strategy:?}: conforms, but {summary:?}")),
            Some(verdict) => count(&mut counts, verdict.name()),
            None => count(&mut counts, "no run"),
        }
        Ok(())
    });
    println!("{counts:?}");
    for what in ["pass", "inconclusive"] {
        assert!(counts.get(what).is_some_and(|n| *n > 20), "{what} is rare: {counts:?}");
    }
}

/// Something like an implementation, which may be wrong.
fn suspect(case: &Case, rng: &mut Rng) -> Option<Machine> {
    if rng.chance(30) {
        let mut machine = Machine::conforming(&case.lts, rng)?;
        machine.tamper(&case.lts, rng);
        return Some(machine);
    }
    let mut spec = mutant(rng, &case.spec);
    if rng.chance(30) {
        spec = mutant(rng, &spec);
    }
    let lts = Lts::of(&spec);
    if rng.chance(50) { Machine::play(&lts) } else { Machine::conforming(&lts, rng) }
}

#[test]
fn every_failure_is_one() {
    let mut counts = Counts::new();
    for_cases(400, |case| {
        let mut rng = case.rng(3);
        let Some(machine) = suspect(case, &mut rng) else { return Ok(()) };
        let conforms = machine.ioco(&case.lts).is_ok();
        let strategy = Strategy::any(&mut rng);
        let (summary, records) = strategy.run(case, &machine, rng.next());
        let failed = judge(case, strategy.order, &records).map_err(|why| format!("{strategy:?}: {why}"))?;
        if failed && conforms {
            return Err(format!("{strategy:?}: conforms, but {summary:?}"));
        }
        count(
            &mut counts,
            match (conforms, failed) {
                (true, _) => "conforms",
                (false, true) => "failed",
                (false, false) => "not found",
            },
        );
        Ok(())
    });
    println!("{counts:?}");
    for what in ["conforms", "failed"] {
        assert!(counts.get(what).is_some_and(|n| *n > 50), "{what} is rare: {counts:?}");
    }
}

#[test]
fn what_is_wrong_is_found() {
    let mut counts = Counts::new();
    let mut missed = Vec::new();
    for_cases(100, |case| {
        let mut rng = case.rng(4);
        // Of some implementations, one that is wrong.
        let wrong = (0..20).find_map(|_| suspect(case, &mut rng).filter(|m| m.ioco(&case.lts).is_err()));
        let Some(machine) = wrong else { return Ok(()) };
        count(&mut counts, "wrong");
        for attempt in 0..3 {
            let strategy = Strategy::search(rng.next(), 2_000);
            let (_, records) = strategy.run(case, &machine, rng.next());
            if judge(case, strategy.order, &records).map_err(|why| format!("{strategy:?}: {why}"))? {
                count(&mut counts, ["first", "second", "third"][attempt]);
                return Ok(());
            }
        }
        missed.push((case.seed, machine.ioco(&case.lts)));
        Ok(())
    });
    println!("{counts:?} {missed:?}");
}
