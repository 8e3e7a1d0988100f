//! The parts of a plan that do not fit a model any more.

use sioco_lang::diagnostic::did_you_mean;
use sioco_plan::file::Misfit;

use super::Page;
use crate::analysis::{Source, clashing};

/// The misfits, a line each; at most so many, with what shows all of them.
pub fn misfits(source: Source<'_>, misfits: &[Misfit], most: usize, all: &str, page: Page) -> String {
    let model = &source.checked.model;
    let style = page.style;
    let mut out = String::new();
    // A switch that a purpose misses is not missed a second time as a goal.
    let said = |m: &Misfit| match m {
        Misfit::NoGoal { kind: "switch", name: goal } => {
            misfits.iter().any(|m| matches!(m, Misfit::NoSwitch { name, .. } if name == goal))
        }
        _ => false,
    };
    let misfits: Vec<&Misfit> = misfits.iter().filter(|m| !said(m)).collect();
    for misfit in misfits.iter().copied().take(most) {
        let mut text = misfit.describe(model);
        let near = match misfit {
            Misfit::NoSwitch { name, .. } | Misfit::NoGoal { kind: "switch", name } => {
                did_you_mean(name, model.switches.values().map(|s| s.name.as_str()))
            }
            Misfit::NoGoal { kind: "location", name } => {
                let names: Vec<String> = model.locations.ids().map(|l| model.location_name(l)).collect();
                did_you_mean(name, names.iter().map(String::as_str))
            }
            Misfit::Gate { gate, is: None, .. } => did_you_mean(gate, model.gates.values().map(|g| g.name.as_str())),
            _ => None,
        };
        if let Some(near) = near {
            text.push_str(&format!("; did you mean `{near}`?"));
        }
        if let Misfit::Impossible { clash, .. } = misfit {
            if !clash.is_empty() {
                text.push_str(&format!(": {}", clashing(clash)));
            }
            let places = clash.iter().filter_map(|c| match c.origin {
                sioco_symbolic::Origin::Guard(s, _) => source.checked.spans.switches.get(s),
                _ => None,
            });
            let mut places: Vec<String> = places.map(|s| source.sources.show(s.guard.unwrap_or(s.label))).collect();
            places.dedup();
            if !places.is_empty() {
                text.push_str(&format!(" ({})", places.join(", ")));
            }
        }
        out.push_str(&format!("{}: {text}\n", style.yellow("misfit")));
    }
    if misfits.len() > most {
        out.push_str(&format!("… and {} more; {all} shows them\n", misfits.len() - most));
    }
    out
}
