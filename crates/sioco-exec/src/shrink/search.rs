//! The search for a shorter form: what is tried, in which order, and how long.

use std::hash::BuildHasher;
use std::time::Duration;

use rustc_hash::{FxBuildHasher, FxHashSet};
use sioco_model::{SortId, Value};

use super::candidate::Candidate;
use super::outlook::{Outlook, may_take};
use super::simpler::simpler;
use super::trial::{Failing, Outcome, run};
use super::{Budget, Ended, Failed, Progress, Rate, alike};
use crate::drive::Bench;
use crate::event::GateValue;
use crate::record::Aim;
use crate::referee::Referee;
use crate::replay::Patience;
use crate::rerun::Frame;

/// The run is run again so often at first, and so often if it does not fail then.
const AGAIN: (u64, u64) = (3, 6);
/// Where a run does not fail each time, what does not fail is tried so often.
const ATTEMPTS: u64 = 3;
/// The shortest form is run so often in the end.
const CONFIRMED: u64 = 5;
/// The budget that may be used up after running it again, leaving out inputs, leaving out silences, and simplifying
/// values, in hundredths.
const SHARES: [u32; 4] = [30, 65, 75, 90];

/// Why a part of the search ends early.
enum Halt {
    /// Its part of the budget is used up.
    Enough(Ended),
    /// Nothing more is to be tried.
    Over(Ended),
}

type Part<T> = Result<T, Halt>;

/// See the [module](self).
pub(super) struct Search<'a, 'm> {
    referee: &'a mut Referee<'m>,
    bench: Bench<'a>,
    failed: Failed<'a>,
    patience: Patience<'a>,
    budget: Budget,
    listen: &'a mut dyn FnMut(Progress),
    began: Duration,
    pub runs: u64,
    pub again: Rate,
    pub reproduced: Option<Rate>,
    pub best: Option<Box<Failing>>,
    outlook: Option<Outlook>,
    /// What was tried, by its hash: long runs would take much room.
    tried: FxHashSet<u64>,
    attempts: u64,
    /// How much of the budget may be used up now, in hundredths.
    share: u32,
}

/// Whether a run is better than one with so many steps and these inputs: it is shorter, or of the same length with other
/// values, which are simpler then.
pub(super) fn better(found: &Failing, steps: u64, inputs: &[&GateValue]) -> bool {
    let differs = || found.inputs().ne(inputs.iter().copied());
    found.steps < steps || (found.steps == steps && differs())
}

impl<'a, 'm> Search<'a, 'm> {
    pub fn new(
        referee: &'a mut Referee<'m>,
        bench: Bench<'a>,
        failed: Failed<'a>,
        patience: Patience<'a>,
        budget: Budget,
        listen: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let began = bench.clock.now();
        Search {
            referee,
            bench,
            failed,
            patience,
            budget,
            listen,
            began,
            runs: 0,
            again: Rate::default(),
            reproduced: None,
            best: None,
            outlook: None,
            tried: FxHashSet::default(),
            attempts: 1,
            share: 100,
        }
    }

    /// Searches, and says why it ended.
    pub fn shrink(&mut self) -> Ended {
        let ended = match self.search() {
            Ok(ended) | Err(Halt::Enough(ended)) => ended,
            Err(Halt::Over(ended)) => return ended,
        };
        if self.best.is_none() {
            return ended;
        }
        match self.confirm() {
            Ok(()) | Err(Halt::Enough(_)) => ended,
            Err(Halt::Over(ended)) => ended,
        }
    }

    fn search(&mut self) -> Part<Ended> {
        match self.run_again() {
            Err(Halt::Enough(_)) if self.best.is_some() => {}
            other => other?,
        }
        if self.best.is_none() {
            return Ok(Ended::Gone);
        }
        if self.again.failed < self.again.of {
            self.attempts = ATTEMPTS;
        }
        loop {
            let before = self.best.as_ref().map(|best| best.actions.clone());
            let mut ended = Ended::Done;
            for (part, share) in SHARES.iter().enumerate().skip(1) {
                self.share = *share;
                let done = match part {
                    1 => self.leave_out_inputs(),
                    2 => self.leave_out_silences().and_then(|()| self.merge_inputs()),
                    _ => self.simplify(),
                };
                match done {
                    Ok(()) => {}
                    // The next part has a budget of its own.
                    Err(Halt::Enough(why)) => ended = why,
                    Err(over) => return Err(over),
                }
            }
            if ended != Ended::Done || self.best.as_ref().map(|best| &best.actions) == before.as_ref() {
                return Ok(ended);
            }
        }
    }

    /// How often does the run fail again?
    fn run_again(&mut self) -> Part<()> {
        let candidate = Candidate::of(self.failed.actions);
        loop {
            let Rate { failed, of } = self.again;
            if of >= AGAIN.1 || (of >= AGAIN.0 && failed > 0) {
                return Ok(());
            }
            // Without a run that fails there is nothing to do with the rest.
            self.share = if failed > 0 { SHARES[0] } else { 100 };
            // A system that chooses by its seed chooses as it did then, and after that in other ways: whatever is tried
            // later will lead it elsewhere, too.
            let found = self.run(&candidate, self.failed.seed.wrapping_add(of))?;
            self.again.of += 1;
            self.again.failed += u64::from(found.is_some());
            if let Some(found) = found
                && self.best.as_ref().is_none_or(|best| found.steps < best.steps)
            {
                self.best = Some(found);
            }
        }
    }

    /// How often does the shortest form fail?
    fn confirm(&mut self) -> Part<()> {
        self.share = 100;
        let Some((candidate, seed)) = self.best.as_ref().map(|best| (Candidate::of(&best.actions), best.seed)) else {
            return Ok(());
        };
        for _ in 0..CONFIRMED {
            let found = self.run(&candidate, seed)?;
            let rate = self.reproduced.get_or_insert_default();
            rate.of += 1;
            rate.failed += u64::from(found.is_some());
        }
        Ok(())
    }

    /// Whether there is budget left in this part.
    fn check(&mut self) -> Part<()> {
        let most = u128::from(self.budget.runs) * u128::from(self.share) / 100;
        if u128::from(self.runs) >= most {
            return Err(Halt::Enough(Ended::Runs));
        }
        if self.bench.clock.now() >= self.until() {
            return Err(Halt::Enough(Ended::Time));
        }
        Ok(())
    }

    /// Whether all of the time is used up.
    fn is_late(&mut self) -> bool {
        self.bench.clock.now() >= self.began.saturating_add(self.budget.time)
    }

    /// When this part has to be over.
    fn until(&self) -> Duration {
        self.began.saturating_add(self.budget.time / 100 * self.share)
    }

    /// Runs a candidate; a failure of another kind is none.
    fn run(&mut self, candidate: &Candidate, seed: u64) -> Part<Option<Box<Failing>>> {
        self.check()?;
        let number = self.failed.next.plus(self.runs);
        let (of, patience, until) = (self.failed.run, self.patience, self.until());
        self.runs += 1;
        let to = self.best.as_ref().map_or(self.failed.steps, |best| best.steps);
        let progress = Progress { runs: self.runs, from: self.failed.steps, to };
        let Search { referee, bench, listen, .. } = self;
        let frame = Frame { number, seed, aim: Aim::Shrunk(of), patience, until: Some(until) };
        match run(referee, bench.lend(), candidate, frame, &mut || listen(progress)) {
            Outcome::Failed(found) if self.is_wanted(&found) => Ok(Some(found)),
            Outcome::Failed(_) | Outcome::Not => Ok(None),
            Outcome::Late => Err(Halt::Enough(Ended::Time)),
            // Waits are cut by the same clock.
            Outcome::Interrupted if self.is_late() => Err(Halt::Enough(Ended::Time)),
            Outcome::Interrupted => Err(Halt::Over(Ended::Interrupted)),
            Outcome::Broken(fault) => Err(Halt::Over(Ended::Broken(fault))),
        }
    }

    fn is_wanted(&self, found: &Failing) -> bool {
        let Failed { failure, wanted, .. } = self.failed;
        alike(&found.failure, failure) && wanted(&found.failure, found.explanation.as_ref())
    }

    /// Tries a candidate that was not tried before. Says whether it is better than the best one so far: shorter, or just
    /// as it is, if that counts.
    fn attempt(&mut self, candidate: &Candidate, simpler: bool) -> Part<bool> {
        self.check()?;
        if !self.tried.insert(FxBuildHasher.hash_one(candidate)) {
            return Ok(false);
        }
        let Some((steps, seed)) = self.best.as_ref().map(|best| (best.steps, best.seed)) else { return Ok(false) };
        for attempt in 0..self.attempts {
            let Some(found) = self.run(candidate, seed.wrapping_add(attempt))? else { continue };
            let same = || simpler && found.steps == steps && found.inputs().eq(candidate.inputs());
            if found.steps < steps || same() {
                (self.best, self.outlook) = (Some(found), None);
                return Ok(true);
            }
            return Ok(false);
        }
        Ok(false)
    }

    fn candidate(&self) -> Candidate {
        Candidate::of(self.best.as_ref().map(|best| best.actions.as_slice()).unwrap_or_default())
    }

    fn outlook(&mut self) -> Outlook {
        let Search { referee, best, outlook, .. } = self;
        let of = || best.as_ref().map(|best| Outlook::of(referee, best)).unwrap_or_default();
        outlook.get_or_insert_with(of).clone()
    }

    /// Large parts first, then smaller ones, in the end all.
    fn leave_out_inputs(&mut self) -> Part<()> {
        let mut size = self.candidate().len();
        while size > 0 {
            let mut from = 0;
            while from < self.candidate().len() {
                if !self.leave_out_from(from, size)? {
                    from += (size / 4).max(1);
                }
            }
            size /= 2;
        }
        let mut size = self.candidate().len();
        while size > 0 {
            let (candidate, outlook) = (self.candidate(), self.outlook());
            let n = candidate.len();
            size = size.min(n);
            let mut shorter = false;
            for from in 0..=n - size {
                let to = from + size;
                if size > 0 && (to == n || outlook.takes(from, to)) && self.attempt(&candidate.cut(from, to), false)? {
                    shorter = true;
                    break;
                }
            }
            size -= usize::from(!shorter && size > 0);
        }
        Ok(())
    }

    /// Leaves out inputs from one on, up to so many: to where the model is in the same state, if there is such a place,
    /// and to where it takes the next input.
    fn leave_out_from(&mut self, from: usize, size: usize) -> Part<bool> {
        let (candidate, outlook) = (self.candidate(), self.outlook());
        let n = candidate.len();
        let most = (from + size).min(n);
        let same = (from + 1..=most).rev().find(|to| *to < n && outlook.same(from, *to));
        let next = (from + 1..=most).rev().find(|to| *to == n || outlook.takes(from, *to));
        for to in same.into_iter().chain(next) {
            if self.attempt(&candidate.cut(from, to), false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn leave_out_silences(&mut self) -> Part<()> {
        let candidate = self.candidate();
        let all = candidate.silences();
        if all.is_empty() || self.attempt(&candidate.without(&all), false)? {
            return Ok(());
        }
        let mut left = all.len();
        while left > 0 {
            left -= 1;
            let candidate = self.candidate();
            // After one is gone, those before it are where they were.
            if let Some(one) = candidate.silences().get(left) {
                self.attempt(&candidate.without(&[*one]), false)?;
            }
        }
        Ok(())
    }

    /// Two inputs become one with the sum of their numbers.
    fn merge_inputs(&mut self) -> Part<()> {
        let model = self.referee.model();
        let mut at = 0;
        while at < self.candidate().len() {
            let merged = self.candidate().merged(model, at);
            let shorter = match merged {
                Some(merged) => self.attempt(&merged, false)?,
                None => false,
            };
            at += usize::from(!shorter);
        }
        Ok(())
    }

    /// Simpler values: first for all parameters together that have the same one, since that may matter, then one by one.
    fn simplify(&mut self) -> Part<()> {
        let mut done: Vec<(SortId, Value)> = Vec::new();
        while let Some((sort, value)) = self.repeated(&done) {
            done.push((sort, value.clone()));
            self.simplify_all(sort, value)?;
        }
        for at in 0..self.candidate().len() {
            let Some(count) = self.candidate().input(at).map(|input| input.args.len()) else { break };
            for param in 0..count {
                while self.simplify_one(at, param)? {}
            }
        }
        Ok(())
    }

    /// A value that several parameters of the same sort have, and that was not looked at yet.
    fn repeated(&self, done: &[(SortId, Value)]) -> Option<(SortId, Value)> {
        let model = self.referee.model();
        let mut seen: Vec<(SortId, Value)> = Vec::new();
        for input in self.candidate().inputs() {
            for (param, value) in model.gates[input.gate].params.iter().zip(&input.args) {
                let one = (model.sorts.base(param.sort), value.clone());
                if seen.contains(&one) && !done.contains(&one) {
                    return Some(one);
                }
                seen.push(one);
            }
        }
        None
    }

    /// Gives all parameters that have a value a simpler one.
    fn simplify_all(&mut self, sort: SortId, value: Value) -> Part<()> {
        let model = self.referee.model();
        let mut value = value;
        loop {
            let candidate = self.candidate();
            let mut places = Vec::new();
            for (at, input) in candidate.inputs().enumerate() {
                for (i, (param, own)) in model.gates[input.gate].params.iter().zip(&input.args).enumerate() {
                    if model.sorts.base(param.sort) == sort && *own == value {
                        places.push((at, i, param.sort));
                    }
                }
            }
            let Some((_, _, first)) = places.first().copied() else { return Ok(()) };
            let mut found = None;
            for other in simpler(&model.sorts, first, &value) {
                let fits = places.iter().filter(|(.., sort)| model.sorts.contains(*sort, &other));
                let changed = fits.fold(candidate.clone(), |c, (at, i, _)| c.with(*at, *i, &other));
                if self.attempt(&changed, true)? {
                    found = Some(other);
                    break;
                }
            }
            match found {
                Some(other) => value = other,
                None => return Ok(()),
            }
        }
    }

    /// Gives one parameter a simpler value; says whether there is one.
    fn simplify_one(&mut self, at: usize, param: usize) -> Part<bool> {
        let model = self.referee.model();
        let candidate = self.candidate();
        let Some(input) = candidate.input(at) else { return Ok(false) };
        let Some((sort, value)) = model.gates[input.gate].params.get(param).map(|p| p.sort).zip(input.args.get(param))
        else {
            return Ok(false);
        };
        for other in simpler(&model.sorts, sort, value) {
            let changed = candidate.with(at, param, &other);
            let takes = match (&self.best, changed.input(at)) {
                (Some(best), Some(input)) => may_take(self.referee, best, at, input),
                _ => false,
            };
            if takes && self.attempt(&changed, true)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
