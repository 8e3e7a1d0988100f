//! Records as lines.

use serde_json::{Value as Json, json};
use sioco_model::model::Model;

use super::cause::{cause, of_crash, of_reliance};
use super::event::args;
use crate::event::Observation;
use crate::record::{Aim, Record, Stamped, Why};

/// The line of a record, with its line break.
pub fn line(model: &Model, stamped: &Stamped) -> String {
    let mut fields = Fields::new(stamped);
    let f = &mut fields;
    match &stamped.record {
        Record::Run { run, seed, aim, order } => {
            f.kind("run").put("run", json!(run)).put("seed", json!(seed));
            f.put("aim", of_aim(aim)).put("order", json!(order.name()));
        }
        Record::Input { id, input, why } => {
            f.kind("input").put("id", json!(id)).put("gate", json!(model.gates[input.gate].name));
            f.put("args", args(model, input)).put("why", of_why(why));
        }
        Record::Accepted { id } => {
            f.kind("accepted").put("id", json!(id));
        }
        Record::Refused { id, why } => {
            f.kind("refused").put("id", json!(id)).put("why", json!(why));
        }
        Record::Observed(seen) => observed(model, f, seen),
        Record::TimedOut(reliance) => {
            f.kind("quiescent").put("timed", json!(true));
            of_reliance(*reliance).into_iter().for_each(|(name, value)| {
                f.put(name, value);
            });
        }
        Record::Hurried => {
            f.kind("hurried");
        }
        Record::Purpose { purpose, verdict, cause: why, alone, doubt } => {
            f.kind("purpose").put("purpose", json!(purpose)).put("verdict", json!(verdict.name()));
            f.put("cause", cause(model, why)).put("alone", json!(alone)).put("doubt", json!(doubt));
        }
        Record::Verdict { verdict, cause: why, steps, doubt } => {
            f.kind("verdict").put("verdict", json!(verdict.name())).put("cause", cause(model, why));
            f.put("steps", json!(steps)).put("doubt", json!(doubt));
        }
        Record::Fault(fault) => {
            f.kind("fault").put("kind", json!(fault.kind.name())).put("message", json!(fault.message));
            f.put("stderr", json!(fault.stderr)).put("again", json!(fault.again));
        }
        Record::Again { run, rate } => {
            f.kind("again").put("run", json!(run)).put("failed", json!(rate.failed)).put("of", json!(rate.of));
        }
        Record::End { why, stale, waiting } => {
            f.kind("end").put("why", json!(why.name())).put("stale", json!(stale));
            if let Some(waiting) = waiting {
                f.put("waiting", json!(waiting.name()));
            }
        }
    }
    fields.line()
}

fn observed(model: &Model, f: &mut Fields, seen: &Observation) {
    match seen {
        Observation::Output(output) => {
            f.kind("output").put("gate", json!(model.gates[output.gate].name)).put("args", args(model, output));
        }
        Observation::Delta => {
            f.kind("quiescent");
        }
        Observation::Closed => {
            f.kind("closed");
        }
        Observation::Crashed(crash) => {
            f.kind("crashed");
            of_crash(crash).into_iter().for_each(|(name, value)| {
                f.put(name, value);
            });
        }
        Observation::Malformed { gate, why, raw } => {
            f.kind("malformed").put("gate", json!(gate.map(|gate| &model.gates[gate].name)));
            f.put("why", json!(why)).put("raw", json!(raw));
        }
    }
}

fn of_aim(aim: &Aim) -> Json {
    match aim {
        Aim::Purpose(n) => json!({ "purpose": n }),
        Aim::Walk => json!("walk"),
        Aim::Replay => json!("replay"),
        Aim::Shrunk(run) => json!({ "shrunk": run }),
    }
}

fn of_why(why: &Why) -> Json {
    match why {
        Why::Purpose(n) => json!({ "purpose": n }),
        Why::Guess(n) => json!({ "guess": n }),
        Why::Walk => json!("walk"),
        Why::Replay => json!("replay"),
        Why::Probe(n) => json!({ "probe": n }),
    }
}

/// An object whose fields keep their order, since people read journals, too.
struct Fields(String);

impl Fields {
    fn new(stamped: &Stamped) -> Self {
        Fields(format!("{{\"at\":{}", stamped.at.as_micros()))
    }

    fn kind(&mut self, name: &str) -> &mut Self {
        self.put("type", json!(name))
    }

    fn put(&mut self, name: &str, value: Json) -> &mut Self {
        self.0.push_str(&format!(",\"{name}\":{value}"));
        self
    }

    fn line(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}
