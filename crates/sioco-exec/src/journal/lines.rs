//! The lines of a journal while a campaign runs: nearly all of them are inputs, outputs and silences.
//!
//! These are put together from pieces that are made once for each gate. They are the same lines as [`write`] makes, where
//! hidden characters are escaped. All other records are left to it.

use std::borrow::Cow;

use sioco_model::model::{Model, Param};
use sioco_model::sort::Sorts;
use sioco_model::{GateId, Id, IdVec, SortId, Value, visible};
use sioco_plan::value::{SAFE, Valued};

use super::event::sort;
use super::head::micros;
use super::write::write;
use crate::event::{GateValue, Observation};
use crate::record::{Record, Stamped, Why};
use crate::reliance::Reliance;

/// Writes the lines of a journal from pieces that are made once.
#[derive(Debug)]
pub struct Lines<'m> {
    model: &'m Model,
    gates: IdVec<GateId, GateText>,
    /// The line that was made last. Its room is used again.
    line: Vec<u8>,
}

/// What is the same in all lines of a gate.
#[derive(Debug)]
struct GateText {
    /// From its name on, up to the values.
    start: String,
    /// In the order of their names.
    params: Vec<ParamText>,
}

/// What is the same for all values of a parameter.
#[derive(Debug)]
struct ParamText {
    /// Its name, with a comma after the value before it.
    start: String,
    /// Its place among the values.
    at: usize,
    sort: SortId,
}

impl<'m> Lines<'m> {
    /// Of campaigns with this model.
    pub fn new(model: &'m Model) -> Lines<'m> {
        let gates = model.gates.ids().map(|gate| GateText::new(model, gate)).collect();
        Lines { model, gates, line: Vec::with_capacity(256) }
    }

    /// The line of a record, with its line break. Nothing is hidden in it, so that it can be shown to anybody.
    pub fn line(&mut self, stamped: &Stamped) -> &str {
        self.line.clear();
        if !self.is_common(stamped) {
            self.line.clear();
            write(self.model, stamped, &mut self.line);
            if let Cow::Owned(shown) = visible::json(text(&self.line)) {
                self.line = shown.into_bytes();
            }
        }
        text(&self.line)
    }

    /// Makes the line of a record, if it is of a kind that is common. Otherwise nobody wants what is there.
    fn is_common(&mut self, stamped: &Stamped) -> bool {
        let to = &mut self.line;
        to.extend_from_slice(b"{\"at\":");
        number(to, micros(stamped.at));
        match &stamped.record {
            Record::Input { id, input, why } => {
                to.extend_from_slice(b",\"type\":\"input\",\"id\":");
                number(to, *id);
                if !self.gates[input.gate].write(&self.model.sorts, input, to) {
                    return false;
                }
                to.extend_from_slice(b",\"why\":");
                reason(to, why);
                to.extend_from_slice(b"}\n");
            }
            Record::Accepted { id } => {
                to.extend_from_slice(b",\"type\":\"accepted\",\"id\":");
                number(to, *id);
                to.extend_from_slice(b"}\n");
            }
            Record::Observed(Observation::Output(output)) => {
                to.extend_from_slice(b",\"type\":\"output\"");
                if !self.gates[output.gate].write(&self.model.sorts, output, to) {
                    return false;
                }
                to.extend_from_slice(b"}\n");
            }
            Record::Observed(Observation::Delta) => to.extend_from_slice(b",\"type\":\"quiescent\"}\n"),
            Record::TimedOut(Reliance::Full) => to.extend_from_slice(b",\"type\":\"quiescent\",\"timed\":true}\n"),
            _ => return false,
        }
        true
    }
}

impl GateText {
    fn new(model: &Model, gate: GateId) -> GateText {
        let gate = &model.gates[gate];
        let mut params: Vec<_> = gate.params.iter().enumerate().collect();
        params.sort_by(|(_, p), (_, q)| p.name.cmp(&q.name));
        let text = |(n, (at, param)): (usize, (usize, &Param))| {
            let comma = if n == 0 { "" } else { "," };
            ParamText { start: format!("{comma}{}:", string(&param.name)), at, sort: sort(model, param) }
        };
        let params = params.into_iter().enumerate().map(text).collect();
        GateText { start: format!(",\"gate\":{},\"args\":{{", string(&gate.name)), params }
    }

    /// Adds the gate and its values, if there is one for each parameter.
    fn write(&self, sorts: &Sorts, event: &GateValue, to: &mut Vec<u8>) -> bool {
        if event.args.len() != self.params.len() {
            return false;
        }
        to.extend_from_slice(self.start.as_bytes());
        for param in &self.params {
            to.extend_from_slice(param.start.as_bytes());
            match &event.args[param.at] {
                Value::Int(n) if n.unsigned_abs() <= SAFE => {
                    if *n < 0 {
                        to.push(b'-');
                    }
                    number(to, n.unsigned_abs());
                }
                Value::Bool(b) => to.extend_from_slice(if *b { b"true" } else { b"false" }),
                value => {
                    let value = Valued { sorts, sort: param.sort, value };
                    // Only maps whose keys are no texts cannot be written.
                    let Ok(text) = serde_json::to_string(&value) else { return false };
                    to.extend_from_slice(visible::json(&text).as_bytes());
                }
            }
        }
        to.push(b'}');
        true
    }
}

/// What was written.
fn text(line: &[u8]) -> &str {
    std::str::from_utf8(line).expect("JSON is text")
}

/// Adds why an input is sent.
fn reason(to: &mut Vec<u8>, why: &Why) {
    let (name, purpose): (&[u8], usize) = match *why {
        Why::Walk => return to.extend_from_slice(b"\"walk\""),
        Why::Replay => return to.extend_from_slice(b"\"replay\""),
        Why::Purpose(n) => (b"{\"purpose\":", n.index()),
        Why::Guess(n) => (b"{\"guess\":", n.index()),
        Why::Probe(n) => (b"{\"probe\":", n.index()),
    };
    to.extend_from_slice(name);
    number(to, purpose as u64);
    to.push(b'}');
}

/// A text as JSON.
fn string(text: &str) -> String {
    visible::json(&serde_json::Value::from(text).to_string()).into_owned()
}

/// Adds a number. The machinery for formats takes several times as long, and each line has several numbers.
fn number(to: &mut Vec<u8>, mut number: u64) {
    /// The digits of the largest number of a run, 2 to the power of 64.
    const MOST_DIGITS: usize = 20;
    let mut digits = [b'0'; MOST_DIGITS];
    let mut first = MOST_DIGITS;
    for place in digits.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        number /= 10;
        first -= 1;
        if number == 0 {
            break;
        }
    }
    to.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_all_their_digits() {
        for n in [0, 1, 9, 10, 99, 100, 12_345, SAFE, u64::MAX - 1, u64::MAX] {
            let mut line = Vec::new();
            number(&mut line, n);
            assert_eq!(text(&line), n.to_string());
        }
    }
}
