//! Probes: what a system does after inputs that its specification says nothing about.

use serde_json::{Value as Json, json};
use sioco_exec::summary::Probed;
use sioco_exec::{GateValue, Observation};
use sioco_model::Model;

use super::words::{named, observation};
use crate::explore::count;

/// So many are told.
const MOST: usize = 10;

/// What came of probes, a line each.
pub(super) fn probes(model: &Model, probed: &[Probed]) -> Vec<String> {
    if probed.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("{}, beyond what the model says: told, and not judged", count(probed.len(), "probe"))];
    for p in probed.iter().take(MOST) {
        let steps = p.seen.iter().map(|(input, seen)| {
            let answer: Vec<String> = seen.iter().map(|s: &Observation| observation(model, s)).collect();
            let answer = if answer.is_empty() { "nothing".to_owned() } else { answer.join(" ") };
            format!("{}: {answer}", named(model, input, "="))
        });
        lines.push(format!("{}. {}", p.purpose + 1, steps.collect::<Vec<_>>().join("; ")));
    }
    if probed.len() > MOST {
        lines.push(format!("… and {} more; the journal has them", probed.len() - MOST));
    }
    lines
}

/// The same for programs.
pub(super) fn json(model: &Model, probed: &[Probed]) -> Vec<Json> {
    let step = |(input, seen): &(GateValue, Vec<Observation>)| {
        let seen: Vec<String> = seen.iter().map(|s| observation(model, s)).collect();
        json!({ "input": named(model, input, "="), "seen": seen })
    };
    let of = |p: &Probed| json!({ "purpose": p.purpose, "run": p.run, "steps": p.seen.iter().map(step).collect::<Vec<_>>() });
    probed.iter().map(of).collect()
}
