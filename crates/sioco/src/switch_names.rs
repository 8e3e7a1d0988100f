//! Names of switches that somebody mistyped.

use sioco_lang::diagnostic::did_you_mean;
use sioco_model::model::{Model, Switch};

/// The nearest name of a switch, with its process or without, or the nearest of some others.
pub fn near_switch<'a>(model: &'a Model, name: &str, others: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let full = model.switches.values().map(|s| s.name.as_str());
    let near = did_you_mean(name, full.chain(others));
    near.or_else(|| {
        // Without its process: that of the name is right, or there is none in it.
        let short = |s: &Switch| {
            let process = &model.processes[s.process].name;
            Some(s.name.strip_prefix(process)?.strip_prefix('.')?.to_owned())
        };
        let mut shorts: Vec<String> = model.switches.values().filter_map(short).collect();
        shorts.sort();
        shorts.dedup();
        did_you_mean(name, shorts.iter().map(String::as_str))
    })
}
