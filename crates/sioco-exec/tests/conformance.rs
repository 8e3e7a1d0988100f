//! The tester against an independent oracle for ioco, on random small specifications and implementations of them.

mod oracle;

use std::collections::BTreeMap;

use oracle::cases::{Case, for_cases};
use oracle::crossing::Crossing;
use oracle::lts::Act;
use sioco_exec::Order;
use sioco_exec::referee::Referee;
use sioco_exec::verdict::{Cause, Failure, Open};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

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

/// What the oracle knows after a trace: an output right after silence withdraws the silence.
#[derive(Clone)]
struct Known<'l> {
    now: Crossing<'l>,
    before_silence: Option<Crossing<'l>>,
}

impl<'l> Known<'l> {
    fn at_start(case: &'l Case) -> Known<'l> {
        Known { now: Crossing::new(&case.lts), before_silence: None }
    }

    /// False: not allowed.
    fn see(&mut self, act: Act) -> bool {
        if act == Act::Delta {
            if self.before_silence.is_some() {
                return true;
            }
            self.before_silence = Some(self.now.clone());
        } else if let Some(before) = self.before_silence.take() {
            self.now = before;
        }
        self.now.see(act)
    }

    fn input(&mut self, act: Act, order: Order) {
        self.before_silence = None;
        self.now.send(act);
        if order == Order::Sut {
            self.now.take_all();
        }
    }
}

/// After every step of a random trace, the referee allows exactly what the oracle does.
fn referee_agrees(case: &Case, order: Order, counts: &mut Counts) -> Result<(), String> {
    let mut referee = Referee::new(&case.model, &builtin, order);
    let mut rng = case.rng(1);
    let mut known = Known::at_start(case);
    let mut trace: Vec<Act> = Vec::new();
    for _ in 0..10 {
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
