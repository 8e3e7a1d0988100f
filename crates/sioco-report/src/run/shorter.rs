//! Plans for all traces of a length that contain only the traces of a shorter length (S1 section 5.3).

use sioco_plan::Plan;
use sioco_symbolic::Stop;

use crate::explore::count;

use super::shape::LengthLine;

/// Which traces, or paths, were planned instead of longer ones, and why, in a clause.
pub fn shorter(plan: &Plan) -> Option<String> {
    let shorter = plan.shorter()?;
    let (asked, what, want) = (shorter.asked, plan.intent().kind.noun(), want(plan.stop));
    Some(match shorter.reached {
        0 => format!("no {what} can be tested, not even those of 1 step: not enough {want}"),
        n => {
            let steps = count(n, "step");
            format!("all {what} of up to {steps} are planned, but not up to {asked}: not enough {want}")
        }
    })
}

/// The same for programs; nothing is said where nothing is missing.
pub(super) fn json(plan: &Plan) -> Option<LengthLine> {
    let shorter = plan.shorter()?;
    Some(LengthLine { asked: shorter.asked, planned: shorter.reached, want: want(plan.stop) })
}

/// What there was not enough of.
fn want(stop: Stop) -> &'static str {
    match stop {
        Stop::Cancelled => "time",
        Stop::Memory => "memory",
        _ => "room",
    }
}
