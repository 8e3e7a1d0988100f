//! The lines of a journal while a campaign runs: nearly all of them are inputs, outputs and silences.
//!
//! These are put together from pieces that are made once for each gate. They are the same lines as [`write`] makes, where
//! hidden characters are escaped. All other records are left to it.

use std::borrow::Cow;

use sioco_model::model::Model;
use sioco_model::sort::Sorts;
use sioco_model::{GateId, IdVec, SortId, Value, visible};
use sioco_plan::value::{SAFE, Valued};

use super::event::sort;
use super::head::micros;
use super::write::write;
use crate::event::{GateValue, Observation};
use crate::record::{Record, Stamped, Why};
use crate::reliance::Reliance;

/// See the [module](self).
#[derive(Debug)]
pub struct Lines<'m> {
    model: &'m Model,
    gates: IdVec<GateId, GateText>,
    /// The line that was made last. Its room is used again.
    line: String,
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
        Lines { model, gates, line: String::with_capacity(256) }
    }

    /// The line of a record, with its line break. Nothing is hidden in it, so that it can be shown to anybody.
    pub fn line(&mut self, stamped: &Stamped) -> &str {
        self.line.clear();
        if !self.is_common(stamped) {
            let mut bytes = std::mem::take(&mut self.line).into_bytes();
            bytes.clear();
            write(self.model, stamped, &mut bytes);
            let text = String::from_utf8(bytes).expect("JSON is text");
            self.line = match visible::json(&text) {
                Cow::Borrowed(_) => text,
                Cow::Owned(shown) => shown,
            };
        }
        &self.line
    }

    /// Makes the line of a record, if it is of a kind that is common. Otherwise nobody wants what is there.
    fn is_common(&mut self, stamped: &Stamped) -> bool {
        let to = &mut self.line;
        to.push_str("{\"at\":");
        number(to, micros(stamped.at));
        match &stamped.record {
            Record::Input { id, input, why } => {
                to.push_str(",\"type\":\"input\",\"id\":");
                number(to, *id);
                if !self.gates[input.gate].write(&self.model.sorts, input, to) {
                    return false;
                }
                to.push_str(",\"why\":");
                reason(to, why);
                to.push_str("}\n");
            }
            Record::Accepted { id } => {
                to.push_str(",\"type\":\"accepted\",\"id\":");
                number(to, *id);
                to.push_str("}\n");
            }
            Record::Observed(Observation::Output(output)) => {
                to.push_str(",\"type\":\"output\"");
                if !self.gates[output.gate].write(&self.model.sorts, output, to) {
                    return false;
                }
                to.push_str("}\n");
            }
            Record::Observed(Observation::Delta) => to.push_str(",\"type\":\"quiescent\"}\n"),
            Record::TimedOut(Reliance::Full) => to.push_str(",\"type\":\"quiescent\",\"timed\":true}\n"),
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
        let text = |(n, (at, param)): (usize, (usize, _))| {
            let mut start = if n == 0 { String::new() } else { ",".to_owned() };
            let param: &sioco_model::model::Param = param;
            string(&mut start, &param.name);
            start.push(':');
            ParamText { start, at, sort: sort(model, param) }
        };
        let params = params.into_iter().enumerate().map(text).collect();
        let mut start = ",\"gate\":".to_owned();
        string(&mut start, &gate.name);
        start.push_str(",\"args\":{");
        GateText { start, params }
    }

    /// Adds the gate and its values, if there is one for each parameter.
    fn write(&self, sorts: &Sorts, event: &GateValue, to: &mut String) -> bool {
        if event.args.len() != self.params.len() {
            return false;
        }
        to.push_str(&self.start);
        for param in &self.params {
            to.push_str(&param.start);
            match &event.args[param.at] {
                Value::Int(n) if n.unsigned_abs() <= SAFE => {
                    if *n < 0 {
                        to.push('-');
                    }
                    number(to, n.unsigned_abs());
                }
                Value::Bool(b) => to.push_str(if *b { "true" } else { "false" }),
                value => {
                    let value = Valued { sorts, sort: param.sort, value };
                    // Only maps whose keys are no texts cannot be written.
                    let Ok(text) = serde_json::to_string(&value) else { return false };
                    to.push_str(&visible::json(&text));
                }
            }
        }
        to.push('}');
        true
    }
}

/// Adds why an input is sent.
fn reason(to: &mut String, why: &Why) {
    let (name, purpose) = match *why {
        Why::Walk => return to.push_str("\"walk\""),
        Why::Replay => return to.push_str("\"replay\""),
        Why::Purpose(n) => ("{\"purpose\":", n),
        Why::Guess(n) => ("{\"guess\":", n),
        Why::Probe(n) => ("{\"probe\":", n),
    };
    to.push_str(name);
    number(to, purpose as u64);
    to.push('}');
}

/// Adds a text as JSON.
fn string(to: &mut String, text: &str) {
    to.push_str(&visible::json(&serde_json::Value::from(text).to_string()));
}

/// Adds a number. The machinery for formats takes several times as long, and each line has several numbers.
fn number(to: &mut String, mut number: u64) {
    /// The digits of the largest number.
    const MOST: usize = 20;
    let mut digits = [b'0'; MOST];
    let mut first = MOST - 1;
    loop {
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
        first -= 1;
    }
    to.push_str(std::str::from_utf8(&digits[first..]).expect("digits are text"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_all_their_digits() {
        for n in [0, 1, 9, 10, 99, 100, 12_345, SAFE, u64::MAX - 1, u64::MAX] {
            let mut text = String::new();
            number(&mut text, n);
            assert_eq!(text, n.to_string());
        }
    }
}
