//! What a campaign came to (`theory`, section 6: a-posteriori coverage).

use sioco_model::{Id, LocationId, Model, SwitchId};
use sioco_plan::Plan;

use crate::explanation::Explanation;
use crate::record::End;
use crate::verdict::{Cause, Verdict};

/// What became of a purpose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PurposeResult {
    /// The best verdict that is no fail, or the fail; nothing if it was never tried.
    pub verdict: Option<Verdict>,
    /// What the last attempt rests on, where it was not reached.
    pub cause: Option<Cause>,
    /// Whether it passed with exactly one hypothesis (S0: conservative).
    pub alone: bool,
    /// Whether what it passed with rests on an `unknown`.
    pub doubt: bool,
    /// How often it was aimed at.
    pub attempts: u32,
    /// The run in which it was reached.
    pub run: Option<u64>,
}

/// A run that failed, or broke down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRun {
    /// Its number.
    pub run: u64,
    /// Its verdict: fail or error.
    pub verdict: Verdict,
    /// Why.
    pub cause: Cause,
    /// Steps of the run up to and with the one that failed.
    pub steps: u64,
    /// What the model allows instead, where an observation is not allowed.
    pub explanation: Option<Explanation>,
}

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The worst verdict; nothing if there was no run. A run that did not reach its purpose does not count if another one
    /// did.
    pub verdict: Option<Verdict>,
    /// Why the campaign ended.
    pub end: End,
    /// How many runs there were, by verdict: pass, weak pass, inconclusive, error, fail.
    pub runs: [u64; 5],
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// Of these, inputs.
    pub inputs: u64,
    /// The purposes of the plan, in its order.
    pub purposes: Vec<PurposeResult>,
    /// For each switch, whether it was surely taken, and whether it was possibly taken.
    pub switches: Vec<(bool, bool)>,
    /// For each location, whether it was surely reached, and whether it was possibly reached.
    pub locations: Vec<(bool, bool)>,
    /// The bad runs, the first ones only.
    pub bad: Vec<BadRun>,
    /// States in which the model has a deadlock, in words, each once; the first ones only.
    pub deadlocks: Vec<String>,
    /// Deltas that were withdrawn since an output came after all.
    pub withdrawn: u64,
    /// Outputs of older runs that were dropped.
    pub stale: u64,
    /// Questions of the tester that a solver left open.
    pub unknown: u64,
}

impl Summary {
    /// Whether a switch was surely taken in some run.
    pub fn surely(&self, switch: SwitchId) -> bool {
        self.switches.get(switch.index()).is_some_and(|s| s.0)
    }

    /// Whether a switch was possibly taken in some run.
    pub fn possibly(&self, switch: SwitchId) -> bool {
        self.switches.get(switch.index()).is_some_and(|s| s.1)
    }

    /// The switches on purposes that passed (S0, the a-posteriori coverage): with exactly one hypothesis each, or, in the
    /// liberal reading, however many there were.
    pub fn on_passed(&self, model: &Model, plan: &Plan, liberal: bool) -> Vec<bool> {
        let mut found = vec![false; model.switches.len()];
        for (purpose, result) in plan.purposes.iter().zip(&self.purposes) {
            if result.verdict == Some(Verdict::Pass) && (liberal || result.alone) {
                purpose.switches().for_each(|s| found[s.index()] = true);
            }
        }
        found
    }

    /// Whether a location was surely reached in some run.
    pub fn surely_at(&self, location: LocationId) -> bool {
        self.locations.get(location.index()).is_some_and(|l| l.0)
    }
}
