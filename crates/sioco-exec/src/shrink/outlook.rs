//! What the model predicts about a candidate before it is run: which inputs the model takes, if the system answers as
//! before.

use sioco_model::semantics::state::State;

use super::trial::Failing;
use crate::belief::HypothesisState;
use crate::event::{Action, GateValue};
use crate::record::Record;
use crate::referee::Referee;
use crate::reliance::Reliance;
use crate::sut::Order;

/// Of runs with more inputs nothing is known beforehand: looking would take longer than trying.
const INPUTS: usize = 200;
/// More hypotheses than this are not compared with each other: they seldom agree, and then nothing is known beforehand.
const HYPOTHESES: usize = 8;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Outlook {
    /// For each input the later ones that might be sent in its place.
    takes: Vec<Vec<bool>>,
    /// The states before each input, if they are known.
    states: Vec<Option<Vec<State>>>,
}

impl Outlook {
    /// Looks at a run.
    pub fn of(referee: &mut Referee<'_>, run: &Failing) -> Outlook {
        let inputs: Vec<GateValue> = run.inputs().cloned().collect();
        let mut outlook = Outlook::default();
        if inputs.len() > INPUTS {
            return outlook;
        }
        go(referee, run, &mut |referee, at| {
            let states = known(referee);
            let takes = match states {
                None => Vec::new(),
                Some(_) => inputs[at..].iter().map(|input| referee.takes(input)).collect(),
            };
            outlook.takes.push(takes);
            outlook.states.push(states.filter(|states| states.len() <= HYPOTHESES));
            true
        });
        outlook
    }

    /// Whether an input may perhaps be sent in the place of an earlier one.
    pub fn takes(&self, at: usize, input: usize) -> bool {
        self.takes.get(at).and_then(|row| row.get(input - at)).copied().unwrap_or(true)
    }

    /// Whether the model is in the same state before both.
    pub fn same(&self, at: usize, other: usize) -> bool {
        let of = |at: usize| self.states.get(at).and_then(Option::as_ref);
        of(at).is_some_and(|states| Some(states) == of(other))
    }
}

/// Whether the model perhaps takes an input where a run sent one.
pub(super) fn may_take(referee: &mut Referee<'_>, run: &Failing, at: usize, input: &GateValue) -> bool {
    let mut takes = true;
    go(referee, run, &mut |referee, i| {
        if i == at && known(referee).is_some() {
            takes = referee.takes(input);
        }
        i < at
    });
    takes
}

/// The states of the hypotheses, if all of them are known: otherwise a solver would have to be asked.
fn known(referee: &Referee<'_>) -> Option<Vec<State>> {
    let all = referee.belief().hypotheses();
    all.map(|h| match &h.place {
        HypothesisState::Known(state) => Some(state.clone()),
        HypothesisState::Open(_) => None,
    })
    .collect()
}

/// Goes through a run again without the system; stops before each input, with its number, until somebody has seen enough.
fn go<'m>(referee: &mut Referee<'m>, run: &Failing, look: &mut dyn FnMut(&mut Referee<'m>, usize) -> bool) {
    let order = run.records.iter().find_map(|stamped| match &stamped.record {
        Record::Run { order, .. } => Some(*order),
        _ => None,
    });
    referee.set_order(order.unwrap_or(Order::Sut));
    let mut cause = referee.start();
    let mut at = 0;
    for action in &run.actions {
        if cause.is_some() {
            return;
        }
        if matches!(action, Action::Input(_)) {
            if !look(referee, at) {
                return;
            }
            at += 1;
        }
        // An output that comes after a silence withdraws it.
        cause = referee.read(action, Some(Reliance::Full));
    }
}
