//! `judge`: the verdict on a log is one that the theory allows.

use sioco_exec::judge::{Judged, judge};
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, OpenCause, Verdict as Theirs};
use sioco_exec::{Order as EngineOrder, Referee};

use super::engine::Read;
use super::solvers::Solvers;
use crate::case::{Case, KNOWS};
use crate::oracle;
use crate::oracle::belief::World;
use crate::oracle::judge::{Right, Verdict};
use crate::rng::Rng;
use crate::shrink::{Pair, shrink};
use crate::spec::{Line, Order};
use crate::systems::trace::{Manner, log};
use crate::tally::{Finding, Tally};

/// At most this many hypotheses are followed, as the command does.
const HYPOTHESES: usize = 10_000;
/// This many logs are judged for each model: to make the model takes longer than a few logs.
const LOGS: u64 = 6;

/// A verdict of the engine in the oracle's form. A log has no purpose, so that a weak pass is a pass.
pub fn verdict(theirs: Theirs) -> Verdict {
    match theirs {
        Theirs::Pass | Theirs::WeakPass => Verdict::Pass,
        Theirs::Inconclusive => Verdict::Inconclusive,
        Theirs::Error => Verdict::Error,
        Theirs::Fail => Verdict::Fail,
    }
}

/// What the engine says about a log.
pub fn engine(read: &Read, lines: &[Line], order: Order, solvers: &Solvers) -> Judged {
    let make = || solvers.make();
    let (model, oracle) = (&read.model, solvers.oracle(&read.model));
    let mut referee = Referee::with(model, &make, EngineOrder::Sut, Suite::default(), oracle, HYPOTHESES);
    judge(&mut referee, &read.run(lines, order), EngineOrder::Sut)
}

/// In a few words, what a verdict rests on.
pub fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Reached => "reached".into(),
        Cause::Failure(failure) => failure.name().into(),
        Cause::Open(open) => match open {
            OpenCause::Other(text) => text.clone(),
            OpenCause::Unspecified(_) => "unspecified".into(),
            OpenCause::Unknown(_) => "unknown".into(),
            open => format!("{open:?}").split([' ', '(', '{']).next().unwrap_or_default().to_lowercase(),
        },
        Cause::Trouble(trouble) => format!("{trouble:?}").split([' ', '(', '{']).next().unwrap_or_default().into(),
    }
}

/// What is wrong about a judgment, if something is: in a few words, and in more.
pub fn compare(right: &Right, judged: &Judged, weary: bool) -> Option<(String, String)> {
    let theirs = verdict(judged.verdict);
    if weary && theirs == Verdict::Inconclusive {
        return None;
    }
    let why = format!("{:?} expected, got {theirs:?} ({})", right.verdicts, cause(&judged.cause));
    if !right.verdicts.contains(&theirs) {
        let kind = match theirs {
            Verdict::Inconclusive => "inconclusive where the oracle knows",
            Verdict::Fail => "wrong fail",
            Verdict::Pass => "wrong pass",
            Verdict::Error => "wrong error",
        };
        return Some((kind.into(), why));
    }
    if judged.doubt && theirs == Verdict::Pass {
        return Some(("in doubt where the oracle knows".into(), why));
    }
    None
}

fn manner(rng: &mut Rng) -> Manner {
    Manner {
        length: 1 + rng.below(8),
        order: *rng.pick(&[Order::Sut, Order::Sut, Order::Sent, Order::Sent, Order::Certain]),
        slow: *rng.pick(&[0, 0, 5, 20]),
        announces: rng.chance(30),
        mistakes: *rng.pick(&[0, 0, 1, 1, 2]),
        crashes: KNOWS.crashed,
    }
}

/// Judges random logs.
pub fn run(case: &Case, solvers: &Solvers, check: &'static str, tally: &mut Tally) {
    let world = case.world();
    for n in 0..LOGS {
        let mut rng = case.rng(100 + n);
        let manner = manner(&mut rng);
        let order = manner.order;
        let Ok(lines) = log(&world, &mut rng, &manner) else {
            tally.count(format!("{check}: too large"));
            return;
        };
        one(case, &lines, order, solvers, check, tally);
    }
}

/// Judges a log, and makes what is wrong about it small. Whether something is.
pub fn one(
    case: &Case,
    lines: &[Line],
    order: Order,
    solvers: &Solvers,
    check: &'static str,
    tally: &mut Tally,
) -> bool {
    let spec = case.spec.with_values_of(lines);
    let Ok(right) = oracle::judge::judge(&World::new(&spec), lines, order) else {
        tally.count(format!("{check}: too large"));
        return false;
    };
    tally.count(format!("{check}: logs"));
    if right.verdicts.len() == 1 {
        tally.count(format!("right: {:?}", right.verdicts.first().expect("there is one")));
    } else {
        tally.count("right: open in the theory");
    }
    if right.hypotheses > 1 {
        tally.count("right: two or more hypotheses");
    }
    if right.withdrawn {
        tally.count("right: withdrawn silence");
    }
    tally.count("right: all");
    tally.count(format!("order: {order:?}"));
    let judged = engine(&case.read, lines, order, solvers);
    let Some((kind, _)) = compare(&right, &judged, solvers.is_weary()) else { return false };
    let again = |pair: &Pair| -> Option<(String, String)> {
        let small = Case::with(case.seed, pair.0.clone()).ok()?;
        let spec = small.spec.with_values_of(&pair.1);
        let right = oracle::judge::judge(&World::new(&spec), &pair.1, order).ok()?;
        compare(&right, &engine(&small.read, &pair.1, order, &solvers.fresh()), solvers.is_weary())
    };
    let pair = (case.spec.clone(), lines.to_vec());
    let expected = again(&pair);
    let small = shrink(pair, &mut |pair| again(pair) == expected);
    let why = again(&small).map_or_else(String::new, |(_, why)| why);
    tally.find(Finding { check, kind, why, spec: small.0, log: Some((small.1, order)) });
    true
}
