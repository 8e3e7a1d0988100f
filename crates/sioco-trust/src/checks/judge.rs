//! `judge`: the verdict on a log is one that the theory allows.

use std::sync::{Arc, Mutex};

use sioco_exec::judge::{Judged, judge};
use sioco_exec::suite::Suite;
use sioco_exec::verdict::Verdict as Theirs;
use sioco_exec::{Order as EngineOrder, Referee};
use sioco_solve::values::Bounds;
use sioco_solve::{BackEnd, StateOracle};

use super::engine::Read;
use crate::oracle::judge::{Right, Verdict};
use crate::spec::{Line, Order};

/// So many hypotheses are followed, as the command does.
const HYPOTHESES: usize = 10_000;

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
pub fn engine(read: &Read, lines: &[Line], order: Order, back_end: &BackEnd) -> Judged {
    let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
    let model = &read.model;
    let oracle = Arc::new(Mutex::new(StateOracle::new(&model.terms, &model.sorts, back_end.clone())));
    let mut referee = Referee::with(model, &solvers, EngineOrder::Sut, Suite::default(), Some(oracle), HYPOTHESES);
    judge(&mut referee, &read.run(lines, order), EngineOrder::Sut)
}

/// What is wrong about a judgment, if something is.
pub fn compare(right: &Right, judged: &Judged) -> Option<String> {
    let theirs = verdict(judged.verdict);
    if !right.verdicts.contains(&theirs) {
        let kind = match theirs {
            Verdict::Inconclusive => "inconclusive where the oracle knows",
            Verdict::Fail => "wrong fail",
            Verdict::Pass => "wrong pass",
            Verdict::Error => "wrong error",
        };
        return Some(format!("{kind}: {:?} expected, got {theirs:?} ({:?})", right.verdicts, judged.cause));
    }
    if judged.doubt {
        return Some(format!("in doubt where the oracle knows: {:?} expected, got {theirs:?}", right.verdicts));
    }
    None
}
