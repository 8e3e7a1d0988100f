//! The verdict on a recorded run: the rules of the [referee](crate::referee), without a system under test.

use crate::event::Action;
use crate::explanation::Explanation;
use crate::log::LoggedRun;
use crate::referee::Referee;
use crate::sut::{FaultKind, Order};
use crate::verdict::{Cause, Open, Trouble, Verdict};

/// What became of a recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The verdict. A log has no purpose, so where everything is allowed, it passes.
    pub verdict: Verdict,
    /// Why.
    pub cause: Cause,
    /// How many steps were looked at, with the one that ended it.
    pub steps: usize,
    /// What the model allows instead, where an observation is not allowed; and the states in which nothing definite came
    /// of it.
    pub explanation: Option<Explanation>,
    /// Whether it rests on an `unknown` of a solver.
    pub doubt: bool,
}

/// Judges a run. Its own order counts, and this one where it has none.
pub fn judge(referee: &mut Referee<'_>, run: &LoggedRun, order: Order) -> Judged {
    referee.set_order(run.order.unwrap_or(order));
    let mut cause = referee.start();
    let mut steps = 0;
    for step in &run.steps {
        if cause.is_some() {
            break;
        }
        steps += 1;
        cause = match &step.action {
            Action::Input(input) => match referee.input(input) {
                Some(Cause::Open(Open::Unspecified(_))) if step.overtaken => Some(Cause::Open(Open::Crossed)),
                cause => cause,
            },
            Action::Seen(seen) => referee.observe(seen),
        };
    }
    // What the tester took for a fault of the adapter is none of the system.
    let adapter = matches!(run.trouble, Some(Trouble::Fault { kind: FaultKind::Protocol, .. }));
    let last = matches!(cause, Some(Cause::Failure(_))) && steps == run.steps.len();
    let cause = cause.filter(|_| !(adapter && last));
    // Otherwise what the system did until then counts first.
    let cause = cause.or_else(|| run.trouble.clone().map(Cause::Trouble)).unwrap_or(Cause::Reached);
    let explanation = matches!(cause, Cause::Failure(_) | Cause::Open(_)).then(|| referee.explain());
    let verdict = cause.verdict();
    let doubt = verdict <= Verdict::WeakPass && referee.belief().is_doubtful();
    Judged { verdict, cause, steps, explanation, doubt }
}
