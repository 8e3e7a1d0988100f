//! What became of purposes, of runs, and of the campaign (S3 rules 4 to 6; S1 section 3.2.4).

use sioco_model::{GateId, Id};

use super::{DEADLOCKS, FAULTS, Mode, SPOILED, Tester};
use crate::account::covered;
use crate::record::{Aim, End, Record};
use crate::referee::Reached;
use crate::settings::Walks as Walking;
use crate::suite::NodeId;
use crate::summary::{BadRun, PurposeResult, Summary, at_least, make_room};
use crate::verdict::{Cause, Failure, Open, Trouble, Verdict};

impl Tester<'_> {
    /// Nothing can be done and nothing comes: is that the end of the model, or a deadlock?
    pub(super) fn look_for_deadlock(&mut self) {
        let model = self.model();
        let Some(state) = self.referee.deadlock() else { return };
        let shown = state.show(model);
        if self.deadlocks.len() < DEADLOCKS && !self.deadlocks.contains(&shown) {
            self.deadlocks.push(shown);
        }
    }

    /// Gives verdicts on purposes that were reached (S3 rules 4 and 5).
    pub(super) fn look_at_purposes(&mut self) {
        if self.referee.is_misordered() {
            return;
        }
        for Reached { purpose, verdict, alone } in self.referee.reached() {
            if !self.probes[purpose].is_empty() {
                // It is reached for the sake of its probe.
                if self.mode != Mode::Purpose(purpose) || self.probing.is_some() || self.repeated {
                    continue;
                }
                // What was judged before it is over first.
                if self.is_unanswered() {
                    self.probe_waits = true;
                    continue;
                }
                self.begin_probe(purpose);
            }
            self.grant(purpose);
            self.referee.suite.close(purpose);
            self.reached = Some(self.reached.map_or(verdict, |r| r.min(verdict)));
            let result = &mut self.results[purpose];
            if self.repeated && result.verdict.is_some_and(|v| v <= Verdict::WeakPass) {
                continue;
            }
            result.verdict = Some(verdict);
            result.cause = None;
            result.doubt = false;
            result.alone = alone;
            result.run = Some(self.run);
            self.records.push(Record::Purpose { purpose, verdict, cause: Cause::Reached, alone, doubt: false });
        }
    }

    /// The run ends.
    pub(super) fn finish(&mut self, cause: Cause) {
        let misordered = self.referee.is_misordered();
        self.keep_granted();
        let cause = self.referee.close(cause);
        let mut verdict = cause.verdict();
        if verdict == Verdict::Pass {
            verdict = self.reached.unwrap_or(Verdict::Pass);
        }
        self.in_run = false;
        self.probing = None;
        self.pending = None;
        self.choice = None;
        let doubt = matches!(cause, Cause::Open(Open::Undecided(_)));
        // Whether it fell silent is not known either (T-Q10): that it did not the next time does not make up for it.
        let unsure = matches!(cause, Cause::Open(Open::Silence(_)));
        self.repeat_if_unsure(&cause);
        if let Aim::Purpose(purpose) = self.aim {
            // What went wrong after the system had gone elsewhere says nothing about this purpose.
            let elsewhere = verdict == Verdict::Fail && !self.still_fits(purpose);
            let result = &mut self.results[purpose];
            if result.verdict.is_none_or(|v| v > Verdict::WeakPass) {
                let open = verdict <= Verdict::WeakPass || elsewhere;
                let became = if open { Verdict::Inconclusive } else { verdict };
                let deviated = cause == Cause::Reached || elsewhere;
                let cause = if deviated { Cause::Open(Open::Deviation) } else { cause.clone() };
                result.verdict = Some(became);
                result.cause = Some(cause.clone());
                result.doubt = doubt;
                self.records.push(Record::Purpose { purpose, verdict: became, cause, alone: false, doubt });
            }
        }
        if verdict == Verdict::Fail {
            self.drop_prefix(&cause);
        }
        if !misordered {
            let (surely, possibly) = self.referee.account();
            self.surely.unite(&surely);
            self.possibly.unite(&possibly);
        }
        match self.only_probe && verdict <= Verdict::WeakPass {
            true => self.probing_runs += 1,
            false => self.runs[verdict as usize] += 1,
        }
        // A purpose that was not reached may still be, in another attempt: what counts is what becomes of it.
        // Nor is anything lost by a walk that an output crossed, or that was stopped before it showed anything.
        let crossed = matches!(cause, Cause::Open(Open::Crossed | Open::Stopped));
        // But where what was observed may not be allowed, or the system may not go on, nothing can make up for it.
        let unclear = doubt || unsure || self.is_overdue();
        let open = verdict == Verdict::Inconclusive && !unclear && (crossed || matches!(self.aim, Aim::Purpose(_)));
        self.worst = self.worst.max(Some(if open { Verdict::Pass } else { verdict }));
        self.records.push(Record::Verdict { verdict, cause: cause.clone(), steps: self.run_steps, doubt });
        let silent = cause == Cause::Failure(Failure::Silence);
        // A model that is undefined before anything happens is so in every run.
        let stillborn = self.run_steps == 0 && matches!(cause, Cause::Trouble(Trouble::Model { .. }));
        if verdict >= Verdict::Error {
            self.bad(verdict, cause);
        }
        if silent {
            self.fell_silent();
        }
        if self.mute.ended(silent || unsure, self.referee.belief()) {
            self.stop(End::Mute);
        }
        if verdict == Verdict::Fail && self.settings.fail_fast {
            self.stop(End::FailFast);
        }
        if verdict != Verdict::Error {
            self.hangs = 0;
        }
        self.spoiled += u32::from(misordered && verdict == Verdict::Error);
        self.faults += u32::from(stillborn);
        if stillborn && self.faults >= FAULTS {
            self.stop(End::Undefined);
        }
        if self.spoiled >= SPOILED {
            self.stop(End::Broken);
        }
    }

    /// Whether the trace of the run is a beginning of a purpose.
    fn still_fits(&self, purpose: usize) -> bool {
        let suite = &self.referee.suite;
        let marks = || self.referee.belief().hypotheses().flat_map(|h| &h.marks);
        suite.accepts_of(purpose).iter().any(|accept| marks().any(|m| suite.line(m.node, *accept).is_some()))
    }

    /// Gives up the purposes that the failing trace was a beginning of: they would fail in the same way (S1 section
    /// 3.2.4). Where the system gave an output with wrong values, those that expect this output; others it may still take
    /// another time. The one that the run was after in the end is the one that failed.
    pub(super) fn drop_prefix(&mut self, cause: &Cause) {
        let (model, suite) = (self.referee.model(), &self.referee.suite);
        let expecting = |gate: Option<GateId>| -> Vec<usize> {
            let marks = self.referee.belief().hypotheses().flat_map(|h| &h.marks);
            marks.flat_map(|m| suite.expecting(model, m.node, gate)).collect()
        };
        let gate = match cause {
            Cause::Failure(Failure::Output(output)) => Some(output.gate),
            Cause::Failure(Failure::Malformed { gate, .. }) => *gate,
            _ => None,
        };
        let mut dropped = gate.map(|g| expecting(Some(g))).filter(|d| !d.is_empty()).unwrap_or_else(|| expecting(None));
        let wanted = match self.mode {
            Mode::Purpose(purpose) if self.still_fits(purpose) => Some(purpose),
            _ => None,
        };
        dropped.extend(wanted);
        if let Aim::Purpose(purpose) = self.aim {
            dropped.extend(self.still_fits(purpose).then_some(purpose));
        }
        dropped.sort_unstable();
        dropped.dedup();
        for purpose in dropped {
            self.referee.suite.close(purpose);
            let result = &mut self.results[purpose];
            let known = result.verdict.is_some_and(|v| v <= Verdict::WeakPass || v == Verdict::Fail);
            if self.repeated || known || self.aim == Aim::Purpose(purpose) {
                continue;
            }
            let (verdict, cause) = match wanted == Some(purpose) {
                true => (Verdict::Fail, cause.clone()),
                false => (Verdict::Inconclusive, Cause::Open(Open::Dropped { run: self.run })),
            };
            result.verdict = Some(verdict);
            result.cause = Some(cause.clone());
            self.records.push(Record::Purpose { purpose, verdict, cause, alone: false, doubt: false });
        }
    }

    pub(super) fn bad(&mut self, verdict: Verdict, cause: Cause) {
        if !make_room(&mut self.bad, |b| (b.verdict, b.steps), verdict, self.run_steps) {
            return;
        }
        let explanation = match &cause {
            Cause::Failure(_) | Cause::Trouble(Trouble::Refused { .. }) => Some(self.referee.explain()),
            _ => None,
        };
        self.bad.push(BadRun { run: self.run, verdict, cause, steps: self.run_steps, explanation });
    }

    /// Whether the walks of a guided campaign surely took every switch on a way of a purpose: such a campaign is there for
    /// what is covered, and not for the one way that the plan has there.
    fn is_covered_otherwise(&self, purpose: usize) -> bool {
        let suite = &self.referee.suite;
        let is_taken =
            |node: &NodeId| suite.leg(*node).is_none_or(|leg| leg.step.switches().all(|s| self.surely.has(s.index())));
        let is_way = |accept: &NodeId| suite.line(0, *accept).is_some_and(|line| line.iter().all(is_taken));
        self.settings.walks == Walking::Guided && suite.accepts_of(purpose).iter().any(is_way)
    }

    /// Whether a guided campaign, one for all that is allowed, or one with a suite of a comparison, is through with a purpose
    /// that the system could have gone to and never did: it need not do all that the model allows (S1 section 3.2.4).
    fn is_left_to_the_system(&self, result: &PurposeResult) -> bool {
        let elsewhere = match &result.cause {
            Some(Cause::Open(Open::Deviation)) => {
                self.settings.walks == Walking::Guided || self.compared || self.all_allowed
            }
            // Where it went, no input can follow; a test of a comparison is there for its inputs.
            Some(Cause::Open(Open::Deadlock { .. })) => self.compared || self.all_allowed,
            _ => false,
        };
        elsewhere && result.verdict == Some(Verdict::Inconclusive) && result.attempts >= self.settings.attempts
    }

    /// What the campaign came to.
    pub fn summary(&self) -> Summary {
        let model = self.referee.model();
        let ran = self.runs.iter().sum::<u64>() + self.probing_runs > 0;
        let (switches, locations) = covered(model, ran, &self.surely, &self.possibly);
        let mut purposes = self.results.clone();
        for result in &mut purposes {
            result.otherwise = self.is_left_to_the_system(result);
        }
        // A plan that the budget cut off has not shown what it is for, be it before the first run.
        let open = |(purpose, r): (usize, &PurposeResult)| match (r.verdict, &r.cause) {
            (None, _) => true,
            _ if r.otherwise => false,
            (Some(Verdict::Inconclusive), Some(Cause::Open(Open::Deviation | Open::Crossed))) => {
                !self.is_covered_otherwise(purpose)
            }
            (Some(verdict), _) => verdict == Verdict::Inconclusive,
        };
        let unreached = purposes.iter().enumerate().any(open);
        let cut_off = matches!(self.end, Some(End::Steps | End::Time)).then_some(Verdict::Inconclusive);
        let worst = self.worst.map(|worst| at_least(worst, &self.runs));
        let verdict = match unreached {
            true => worst.or(cut_off).map(|v| v.max(Verdict::Inconclusive)),
            // Nor has a campaign shown anything that was ended before its first run began.
            false => worst.or(cut_off.filter(|_| self.waiting.is_some())),
        };
        let mut late: Vec<(Option<GateId>, u64)> = self.late.iter().map(|(gate, n)| (*gate, *n)).collect();
        late.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        Summary {
            verdict,
            end: self.end.clone().unwrap_or(End::Done),
            waiting: self.waiting,
            last_input: self.last_input.clone().filter(|_| self.is_overdue()),
            runs: self.runs,
            probing: self.probing_runs,
            unbegun: self.unbegun,
            steps: self.steps,
            inputs: self.sent,
            purposes,
            probes: self.probed.clone(),
            switches,
            locations,
            bad: self.bad.clone(),
            deadlocks: self.deadlocks.clone(),
            withdrawn: self.referee.withdrawn,
            hidden: self.referee.hidden,
            late,
            stale: self.stale,
            unheard: self.unheard,
            unheard_crashes: self.unheard_crashes,
            remarks: self.remarks.clone(),
            unknown: self.referee.mind.unknown,
            pauses: self.pauses,
        }
    }
}
