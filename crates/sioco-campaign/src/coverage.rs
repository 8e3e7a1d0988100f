//! How much of a model a campaign covered (T-C5).

use sioco_exec::Summary;
use sioco_model::Id;
use sioco_model::model::Model;
use sioco_plan::{Goal, Plan, State};

/// How much of something was covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Share {
    /// Every hypothesis says so.
    pub surely: usize,
    /// Some hypothesis says so.
    pub possibly: usize,
    /// All that is not proved to be impossible.
    pub feasible: usize,
    /// What is proved to be impossible.
    pub infeasible: usize,
}

impl Share {
    /// What is surely or possibly covered, in percent of what is feasible; all of nothing is a hundred.
    pub fn percent(&self, n: usize) -> f64 {
        if self.feasible == 0 { 100.0 } else { 100.0 * n as f64 / self.feasible as f64 }
    }
}

/// The coverage of switches and of locations. What was taken is feasible, whatever the plan says.
pub fn coverage(model: &Model, summary: &Summary, plan: Option<&Plan>) -> (Share, Share) {
    let proved = |goal: Goal| {
        let goals = plan.map(|p| p.goals.as_slice()).unwrap_or_default();
        goals.iter().any(|(g, state)| *g == goal && matches!(state, State::Infeasible(_)))
    };
    let mut switches = Share::default();
    for switch in model.switches.ids() {
        add(&mut switches, summary.surely(switch), summary.possibly(switch), || proved(Goal::Switch(switch)));
    }
    let mut locations = Share::default();
    for location in model.locations.ids().filter(|l| !model.locations[*l].hidden) {
        let (surely, possibly) = summary.locations.get(location.index()).copied().unwrap_or_default();
        add(&mut locations, surely, possibly, || proved(Goal::Location(location)));
    }
    (switches, locations)
}

fn add(share: &mut Share, surely: bool, possibly: bool, infeasible: impl FnOnce() -> bool) {
    share.surely += usize::from(surely);
    share.possibly += usize::from(possibly);
    match !possibly && infeasible() {
        true => share.infeasible += 1,
        false => share.feasible += 1,
    }
}
