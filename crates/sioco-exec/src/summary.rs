//! What a campaign came to (T-C2, T-C3: a-posteriori coverage).

use std::time::Duration;

use sioco_model::{GateId, Id, LocationId, Model, SwitchId};
use sioco_plan::{Plan, PurposeId};

use crate::event::{GateValue, Observation};
use crate::explanation::Explanation;
use crate::record::{End, Waiting};
use crate::run_number::RunNumber;
use crate::verdict::{Cause, Verdict};

/// At most this many bad runs are kept for the summary: four times as many as are explained, so that there is a choice
/// among those with different causes.
const BAD: usize = 20;

/// What became of a purpose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PurposeResult {
    /// The best verdict that is no fail, or the fail; nothing if it was never tried.
    pub verdict: Option<Verdict>,
    /// What the last attempt rests on, where it was not reached.
    pub cause: Option<Cause>,
    /// Whether it passed with exactly one hypothesis (S0: conservative).
    pub alone: bool,
    /// Whether what was observed in the last attempt is allowed is an open question.
    pub doubt: bool,
    /// How often it was aimed at.
    pub attempts: u32,
    /// Whether it does not count that it was not reached: in every attempt that it gets, the system did something else
    /// that it may do as well (T-B10: over-specification). So it is in guided campaigns and in
    /// suites of comparisons only; whoever asks for certain purposes wants to know.
    pub otherwise: bool,
    /// The run in which it was reached.
    pub run: Option<RunNumber>,
}

/// A probe and what came of it (S2 definition 19, case 3): nobody judges it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probed {
    /// The purpose that it belongs to.
    pub purpose: PurposeId,
    /// The run.
    pub run: RunNumber,
    /// Each input with what was seen before the next one; the last one may have been refused.
    pub seen: Vec<(GateValue, Vec<Observation>)>,
    /// If so, what the adapter says about it.
    pub refused: Option<String>,
}

/// What was computed while the system waited for the next action (T-B9: nothing expensive should be).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pauses {
    /// The longest time between something that came from the system and the next input, by the clock of the campaign.
    pub longest: Duration,
    /// The run and the step of the run before that input.
    pub at: (RunNumber, u64),
    /// How often a solver had to find values in the middle of a run, since the system did something else than was
    /// foreseen.
    pub solved: u64,
    /// How often not all ways on were looked at, or not to the end, since that would have taken too long.
    pub hurried: u64,
    /// How often it was the clock that decided so, and not counted work: with the same seed, another campaign may go on
    /// otherwise from there.
    pub clock: u64,
}

/// A run that failed, or broke down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRun {
    /// Its number.
    pub run: RunNumber,
    /// Its verdict: fail or error.
    pub verdict: Verdict,
    /// Why.
    pub cause: Cause,
    /// Steps of the run up to and with the one that failed.
    pub steps: u64,
    /// What the model allows instead, where an observation is not allowed.
    pub explanation: Option<Explanation>,
}

/// The worst verdict, or inconclusive if no run came to an end that says anything, be it that all were probes.
pub fn at_least(worst: Verdict, runs: &[u64; 5]) -> Verdict {
    let passed = runs[Verdict::Pass as usize] + runs[Verdict::WeakPass as usize] > 0;
    if passed { worst } else { worst.max(Verdict::Inconclusive) }
}

/// Of runs with these verdicts and numbers of steps, the failing one that tells most: the shortest, and of these the
/// first. It is the one that reports show first, and the one that is run again if nobody chooses another.
pub fn most_telling(runs: impl IntoIterator<Item = (Verdict, u64)>) -> Option<usize> {
    let failed = runs.into_iter().enumerate().filter(|(_, (verdict, _))| *verdict == Verdict::Fail);
    failed.min_by_key(|(_, (_, steps))| *steps).map(|(i, _)| i)
}

/// Makes room for another bad run among those that are kept, and says whether it is one of them: the first ones, but
/// failures before what broke down, and always the [most telling](most_telling) one.
pub fn make_room<T>(kept: &mut Vec<T>, of: impl Fn(&T) -> (Verdict, u64), verdict: Verdict, steps: u64) -> bool {
    if kept.len() < BAD {
        return true;
    }
    if verdict != Verdict::Fail {
        return false;
    }
    let broken = kept.iter().rposition(|b| of(b).0 != Verdict::Fail);
    let shorter = kept.iter().all(|b| steps < of(b).1);
    let longest = || (0..kept.len()).max_by_key(|i| of(&kept[*i]).1).filter(|_| shorter);
    let Some(out) = broken.or_else(longest) else { return false };
    kept.remove(out);
    true
}

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The worst verdict; nothing if there was nothing to run. A run that did not reach its purpose does not count if
    /// another one did, or if the purpose is left to the choice of the system ([`PurposeResult::otherwise`]). It is
    /// inconclusive, too, if the budget ended before every purpose was tried.
    pub verdict: Option<Verdict>,
    /// Why the campaign ended.
    pub end: End,
    /// How many runs there were, by verdict: pass, weak pass, inconclusive, error, fail.
    pub runs: [u64; 5],
    /// How many runs there were besides that were a probe and nothing else: nothing was judged in them, so that they say
    /// nothing about the system.
    pub probing: u64,
    /// How many runs did not begin, since something broke down before: they are none of those.
    pub unbegun: u64,
    /// What was overdue, if the campaign was ended while it was waited for.
    pub waiting: Option<Waiting>,
    /// The last input before that in its run, if something in a run was overdue.
    pub last_input: Option<GateValue>,
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// Of these, inputs.
    pub inputs: u64,
    /// The purposes of the plan, in its order.
    pub purposes: Vec<PurposeResult>,
    /// What the system did after inputs that the specification says nothing about.
    pub probes: Vec<Probed>,
    /// For each switch, whether it was surely taken, and whether it was possibly taken.
    pub switches: Vec<(bool, bool)>,
    /// For each location, whether it was surely reached, and whether it was possibly reached.
    pub locations: Vec<(bool, bool)>,
    /// Bad runs, in order: not all of them, but always the shortest that failed.
    pub bad: Vec<BadRun>,
    /// States in which the model has a deadlock, in words, each once; the first ones only.
    pub deadlocks: Vec<String>,
    /// Deltas that were withdrawn since an output came after all (T-Q3).
    pub withdrawn: u64,
    /// How many of them would have been failures if nothing had come.
    pub hidden: u64,
    /// After which gate of a run they were, or at its beginning, and how often; the most frequent first.
    pub late: Vec<(Option<GateId>, u64)>,
    /// Outputs of older runs that came during later ones and were dropped.
    pub stale: u64,
    /// Outputs that came after the end of their run, before the next one began: nobody waited for them.
    pub unheard: u64,
    /// Crashes after the end of their run, before the next one began: nobody waited for them either.
    pub unheard_crashes: u64,
    /// What was odd about what the system sent, and changes no verdict.
    pub remarks: Vec<String>,
    /// Questions of the tester that a solver left open.
    pub unknown: u64,
    /// What the system had to wait for.
    pub pauses: Pauses,
}

impl Summary {
    /// The same, where the plan has to be whole: if all traces of a length were asked for, and those that were run are
    /// shorter, that is inconclusive at best; so it is where a suite may need more tests than it has.
    pub fn of_plan(mut self, plan: &Plan) -> Summary {
        if plan.shorter().is_some() || plan.lacks_tests() {
            self.verdict = self.verdict.map(|v| v.max(Verdict::Inconclusive));
        }
        self
    }

    /// How many runs there were in all.
    pub fn all_runs(&self) -> u64 {
        self.runs.iter().sum::<u64>() + self.probing
    }

    /// How many purposes the budget left untried.
    pub fn untried(&self) -> usize {
        self.purposes.iter().filter(|p| p.verdict.is_none()).count()
    }

    /// Whether a switch was surely taken in some run.
    pub fn surely(&self, switch: SwitchId) -> bool {
        self.switches.get(switch.index()).is_some_and(|s| s.0)
    }

    /// Whether a switch was possibly taken in some run.
    pub fn possibly(&self, switch: SwitchId) -> bool {
        self.switches.get(switch.index()).is_some_and(|s| s.1)
    }

    /// The switches on purposes that were reached by some hypothesis (T-C4; S1: transition coverage).
    pub fn on_covered(&self, model: &Model, plan: &Plan) -> Vec<bool> {
        let mut found = vec![false; model.switches.len()];
        for (purpose, result) in plan.purposes.iter().zip(&self.purposes) {
            if result.verdict.is_some_and(|v| v <= Verdict::WeakPass) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Failure;

    fn run(run: RunNumber, verdict: Verdict, steps: u64) -> BadRun {
        BadRun { run, verdict, cause: Cause::Failure(Failure::Silence), steps, explanation: None }
    }

    fn of(bad: &BadRun) -> (Verdict, u64) {
        (bad.verdict, bad.steps)
    }

    #[test]
    fn the_shortest_failure_is_kept_and_found() {
        use Verdict::{Error, Fail};
        assert_eq!(most_telling([(Error, 1), (Fail, 9), (Fail, 4), (Fail, 4)]), Some(2));
        assert_eq!(most_telling([(Error, 1)]), None);
        let mut kept = Vec::new();
        let lengths = [(Error, 1), (Fail, 30)].into_iter().chain((0..40).map(|i| (Fail, 50 - i)));
        for (number, (verdict, steps)) in (1..).zip(lengths) {
            if make_room(&mut kept, of, verdict, steps) {
                kept.push(run(RunNumber(number), verdict, steps));
            }
        }
        assert_eq!(kept.len(), BAD);
        assert!(kept.iter().all(|b| b.verdict == Fail) && kept.is_sorted_by_key(|b| b.run));
        let found = most_telling(kept.iter().map(of));
        assert_eq!(found.map(|i| kept[i].steps), Some(11));
        // What broke down comes in only while there is room.
        assert!(!make_room(&mut kept, of, Error, 0) && !make_room(&mut kept, of, Fail, 11));
    }
}
