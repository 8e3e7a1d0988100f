//! The rest of a comparison test after a deviation (S2 definition 4). Such a test consists of its inputs, and the
//! specification judges every answer. So the other inputs are still sent, as long as the specification defines them.

use sioco_model::model::Direction;
use sioco_plan::PurposeId;

use super::{Chosen, Situation};
use crate::course::gate_of;
use crate::event::GateValue;
use crate::record::{Aim, Why};
use crate::suite::NodeId;
use crate::verdict::Cause;

/// What comes next of the test that the run is for, if it is one of a comparison; it ends where no more of its inputs can be
/// sent.
pub(super) fn rest(at: &mut Situation<'_, '_>) -> Option<Chosen> {
    let Aim::Purpose(purpose) = at.run.aim else { return None };
    if !at.intent.compared || !at.position.suite.is_open(purpose) {
        return None;
    }
    let inputs = inputs_of(at, purpose)?;
    let gates = &at.position.model().gates;
    let sent = at.run.trace.iter().flatten().filter(|event| gates[event.gate].direction == Direction::Input);
    let sent: Vec<&GateValue> = sent.collect();
    if sent.len() > inputs.len() || !sent.iter().zip(&inputs).all(|(a, b)| **a == *b) {
        return None;
    }
    let next = inputs.into_iter().nth(sent.len());
    // The whole answer belongs to the input before.
    if at.position.may_act() || at.is_unanswered() {
        return Some(Chosen::Wait);
    }
    Some(match next.filter(|input| at.position.takes(input)) {
        Some(next) => Chosen::Send(next, Why::Purpose(purpose)),
        // That was all, or the specification says nothing about the rest here: every answer was allowed.
        None => {
            at.look_for_deadlock();
            Chosen::End(Cause::Reached)
        }
    })
}

/// The inputs of a test, with their values; nothing if the plan does not have these.
fn inputs_of(at: &Situation<'_, '_>, purpose: PurposeId) -> Option<Vec<GateValue>> {
    let (model, suite) = (at.position.model(), &at.position.suite);
    let line = suite.line(NodeId::ROOT, *suite.accepts_of(purpose).first()?)?;
    let values = suite.foreseen(model, purpose, &line);
    let steps = line.iter().filter_map(|n| suite.leg(*n)).map(|l| l.step).filter(|s| s.is_observable(model));
    let mut inputs = Vec::new();
    for (i, step) in steps.enumerate() {
        let Some(gate) = gate_of(model, step).filter(|_| !step.is_own(model)) else { continue };
        let args = match (&values, model.gates[gate].params.is_empty()) {
            (_, true) => Vec::new(),
            (Some(values), false) => (*values.get(i)?)?.to_vec(),
            (None, false) => return None,
        };
        inputs.push(GateValue { gate, args });
    }
    Some(inputs)
}
