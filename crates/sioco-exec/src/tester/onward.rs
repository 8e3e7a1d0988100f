//! Tests of a comparison where the system went another way that is allowed (S2 definition 4): a test is its inputs, and the
//! specification judges whatever is answered. So the rest of its inputs is sent all the same, as long as they are defined.

use sioco_model::model::Direction;

use super::{Chosen, HEARD, Tester};
use crate::course::gate_of;
use crate::event::GateValue;
use crate::record::{Aim, Why};
use crate::verdict::Cause;

impl Tester<'_> {
    /// What comes next of the test that the run is for, if it is one of a comparison; it ends where no more of its inputs
    /// can be sent.
    pub(super) fn go_on(&mut self) -> Option<Chosen> {
        let Aim::Purpose(purpose) = self.run.aim else { return None };
        if !self.intent.compared || !self.referee.suite.is_open(purpose) {
            return None;
        }
        let inputs = self.inputs_of(purpose)?;
        let gates = &self.model().gates;
        let sent = self.run.trace.iter().flatten().filter(|event| gates[event.gate].direction == Direction::Input);
        let sent: Vec<&GateValue> = sent.collect();
        if sent.len() > inputs.len() || !sent.iter().zip(&inputs).all(|(a, b)| **a == *b) {
            return None;
        }
        let next = inputs.into_iter().nth(sent.len());
        // The whole answer belongs to the input before.
        if self.referee.may_act() || self.is_unanswered() {
            return Some(Chosen::Wait);
        }
        self.course = None;
        Some(match next.filter(|input| self.referee.takes(input)) {
            Some(next) => Chosen::Send(next, Why::Purpose(purpose)),
            // That was all, or the specification says nothing about the rest here: every answer was allowed.
            None => {
                self.look_for_deadlock();
                Chosen::End(Cause::Reached)
            }
        })
    }

    /// Whether the answer to the last input of a test is not there yet, as far as anybody knows: also that nothing is answered
    /// is told apart only by waiting. The next input would be blamed for what comes late.
    pub(super) fn is_unanswered(&mut self) -> bool {
        let tests = self.intent.compared && self.run.heard < HEARD && !self.referee.is_quiet();
        tests && (self.run.owed || self.referee.may_act())
    }

    /// The inputs of a test, with their values; nothing if the plan does not have these.
    fn inputs_of(&self, purpose: usize) -> Option<Vec<GateValue>> {
        let (model, suite) = (self.model(), &self.referee.suite);
        let line = suite.line(0, *suite.accepts_of(purpose).first()?)?;
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
}
