//! The verdict on a recorded run: the rules of the [referee](crate::referee), without a system under test.

use rustc_hash::FxHashMap;
use sioco_solve::Cancellation;

use crate::event::{Action, GateValue, Observation};
use crate::explanation::Explanation;
use crate::log::LoggedRun;
use crate::referee::Referee;
use crate::sut::Order;
use crate::verdict::{Cause, Failure, OpenCause, Trouble, Verdict};

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
    judge_until(referee, run, order, &Cancellation::default())
}

/// The same until everything has to end. A run that is left then has failed before, or is *stopped*: what stands in the rest
/// of it is not known.
pub fn judge_until(referee: &mut Referee<'_>, run: &LoggedRun, order: Order, end: &Cancellation) -> Judged {
    referee.set_order(run.order.unwrap_or(order));
    referee.mind.end = end.clone();
    // Whether a refusal counts depends on what was tested.
    referee.count_refusals(run.refusals);
    let mut cause = referee.start();
    let mut steps = 0;
    let sent = sent(run);
    // The place where the input that is under way is accepted.
    let mut under_way = None;
    // The first delta of the block that goes on.
    let mut delta = None;
    for (at, step) in run.steps.iter().enumerate() {
        if cause.is_some() || end.is_over() {
            break;
        }
        if under_way.is_none() {
            under_way = sent.get(&at).map(|(accepted, input)| {
                referee.sending(input);
                *accepted
            });
        }
        if matches!(step.action, Action::Input(_)) {
            cause = referee.conclude();
            if cause.is_some() {
                break;
            }
        }
        steps = at + 1;
        cause = match &step.action {
            Action::Input(_) if under_way.take_if(|accepted| *accepted == Some(at)).is_some() => referee.accepted(),
            action => referee.read(action, step.timed),
        };
        match step.action {
            Action::Seen(Observation::Delta) => delta = delta.or(Some(at)),
            _ => delta = None,
        }
    }
    // Nobody could ask what decides about the last step either.
    let cut = end.is_over() && !matches!(cause, Some(Cause::Failure(_)));
    if cut {
        cause = Some(Cause::Open(OpenCause::Stopped));
    } else if cause.is_none() {
        cause = referee.conclude();
    }
    // Quiescence that nothing explains is shown where it began.
    if let (Some(Cause::Failure(Failure::Silence) | Cause::Open(OpenCause::Silence(_))), Some(delta)) = (&cause, delta)
    {
        steps = delta + 1;
    }
    // What the system did until something broke down counts first.
    let cause = cause.unwrap_or_else(|| match &run.trouble {
        Some(Trouble::Refused { input, why }) => referee.refusal(run.overtaken, input, why),
        Some(trouble) => Cause::Trouble(trouble.clone()),
        None if run.overdue => Cause::Open(OpenCause::Stopped),
        None => Cause::Reached,
    });
    let cause = if cut { cause } else { referee.close(cause) };
    let explanation = (!cut && matches!(cause, Cause::Failure(_) | Cause::Open(_))).then(|| referee.explain());
    let verdict = cause.verdict();
    let doubt = matches!(cause, Cause::Open(OpenCause::Undecided(_)));
    Judged { verdict, cause, steps, explanation, doubt }
}

/// The inputs by after how many steps they were sent, with the place where they were accepted, if they were.
fn sent(run: &LoggedRun) -> FxHashMap<usize, (Option<usize>, &GateValue)> {
    let mut found = FxHashMap::default();
    for (at, step) in run.steps.iter().enumerate() {
        if let Action::Input(input) = &step.action {
            found.entry(at - step.waited).or_insert((Some(at), input));
        }
    }
    if let Some((at, input)) = &run.unanswered {
        found.entry(*at).or_insert((None, input));
    }
    found
}
