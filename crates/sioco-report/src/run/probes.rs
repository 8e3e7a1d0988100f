//! Probes: what a system does after inputs that its specification says nothing about.

use sioco_exec::summary::Probed;
use sioco_exec::{GateValue, Observation};
use sioco_model::{Id, Model};

use super::shape::{ProbeLine, ProbeStepLine};
use super::words::{named, observation, short};
use crate::explore::count;

/// At most this many probes are listed, a line each.
const MOST_LISTED: usize = 10;

/// What came of probes, a line each.
pub(super) fn probes(model: &Model, probed: &[Probed]) -> Vec<String> {
    if probed.is_empty() {
        return Vec::new();
    }
    let mut lines =
        vec![format!("{} with inputs outside the model: reported without a verdict", count(probed.len(), "probe"))];
    for p in probed.iter().take(MOST_LISTED) {
        let steps = p.seen.iter().enumerate().map(|(i, (input, seen))| {
            let mut answer: Vec<String> = seen.iter().map(|s: &Observation| observation(model, s)).collect();
            answer.extend(refusal(p, i).map(|why| match why {
                "" => "refused".to_owned(),
                why => format!("refused ({})", short(why, 200)),
            }));
            let answer = if answer.is_empty() { "nothing".to_owned() } else { answer.join(" ") };
            format!("{}: {answer}", named(model, input, "="))
        });
        lines.push(format!("{}. {}", p.purpose.number(), steps.collect::<Vec<_>>().join("; ")));
    }
    if probed.len() > MOST_LISTED {
        lines.push(format!("… and {} more; the journal has them", probed.len() - MOST_LISTED));
    }
    lines
}

/// The words with which an input of a probe was refused: that can only be the last one.
fn refusal(probed: &Probed, step: usize) -> Option<&str> {
    probed.refused.as_deref().filter(|_| step + 1 == probed.seen.len())
}

/// The same for programs.
pub(super) fn json<'a>(model: &Model, probed: &'a [Probed]) -> Vec<ProbeLine<'a>> {
    let step = |p: &'a Probed, i: usize, (input, seen): &(GateValue, Vec<Observation>)| {
        let seen = seen.iter().map(|s| observation(model, s)).collect();
        ProbeStepLine { input: named(model, input, "="), seen, refused: refusal(p, i) }
    };
    let of = |p: &'a Probed| {
        let steps = p.seen.iter().enumerate().map(|(i, s)| step(p, i, s)).collect();
        ProbeLine { purpose: p.purpose.index(), run: p.run, steps }
    };
    probed.iter().map(of).collect()
}
