//! What became of purposes, of runs, and of the campaign (S3 rules 4 to 6; S1 section 3.2.4).

use sioco_model::GateId;
use sioco_plan::PurposeId;

use super::Driver;
use crate::position::Position;
use crate::record::{Aim, End, Record};
use crate::referee::Referee;
use crate::referee::weak_pass::Reached;
use crate::run::Mode;
use crate::summary::Summary;
use crate::verdict::{Cause, Failure, OpenCause, Trouble, Verdict};

impl Driver<'_> {
    /// Gives verdicts on purposes that were reached (S3 rules 4 and 5).
    pub(super) fn look_at_purposes(&mut self) {
        if self.stage.referee.is_misordered() {
            return;
        }
        for Reached { purpose, verdict, alone } in self.stage.referee.reached() {
            if !self.probe.reached(&mut self.stage.situation(), purpose) {
                continue;
            }
            self.grant(purpose);
            self.stage.referee.suite.close(purpose);
            self.stage.run.reached = Some(self.stage.run.reached.map_or(verdict, |r| r.min(verdict)));
            if self.stage.run.repeated
                && self.stage.ledger.result(purpose).verdict.is_some_and(|v| v <= Verdict::WeakPass)
            {
                continue;
            }
            self.record(Record::Purpose { purpose, verdict, cause: Cause::Reached, alone, doubt: false });
        }
    }

    /// The run ends.
    pub(super) fn finish(&mut self, cause: Cause) {
        let misordered = self.stage.referee.is_misordered();
        self.keep_granted();
        let cause = self.stage.referee.close(cause);
        let mut verdict = cause.verdict();
        if verdict == Verdict::Pass {
            verdict = self.stage.run.reached.unwrap_or(Verdict::Pass);
        }
        self.stage.run.ends();
        let doubt = matches!(cause, Cause::Open(OpenCause::Undecided(_)));
        // Whether it fell silent is not known either (T-Q10): that it did not the next time does not make up for it.
        let unsure = matches!(cause, Cause::Open(OpenCause::Silence(_)));
        self.repeat.ended(&cause, &self.stage.run, self.spot());
        if let Aim::Purpose(purpose) = self.stage.run.aim {
            // What went wrong after the system had gone elsewhere says nothing about this purpose.
            let elsewhere = verdict == Verdict::Fail && !self.still_fits(purpose);
            if self.stage.ledger.result(purpose).verdict.is_none_or(|v| v > Verdict::WeakPass) {
                let open = verdict <= Verdict::WeakPass || elsewhere;
                let became = if open { Verdict::Inconclusive } else { verdict };
                let deviated = cause == Cause::Reached || elsewhere;
                let cause = if deviated { Cause::Open(OpenCause::Deviation) } else { cause.clone() };
                self.record(Record::Purpose { purpose, verdict: became, cause, alone: false, doubt });
            }
        }
        if verdict == Verdict::Fail {
            self.drop_prefix(&cause);
        }
        if !misordered {
            self.stage.ledger.cover(&self.stage.referee.account());
        }
        self.record(Record::Verdict { verdict, cause: cause.clone(), steps: self.stage.run.steps, doubt });
        if verdict >= Verdict::Error {
            self.stage.ledger.explain(|| self.stage.referee.explain());
        }
        let silent = cause == Cause::Failure(Failure::Silence);
        // A model that is undefined before anything happens is so in every run.
        let stillborn = self.stage.run.steps == 0 && matches!(cause, Cause::Trouble(Trouble::Model { .. }));
        if silent {
            self.silent_spots.add(self.spot());
        }
        if self.mute.ended(silent || unsure, self.stage.referee.belief()) {
            self.stop(End::Mute);
        }
        if verdict == Verdict::Fail && self.stage.settings.fail_fast {
            self.stop(End::FailFast);
        }
        if verdict != Verdict::Error {
            self.breakdowns.answered();
        }
        let spoiled = misordered && verdict == Verdict::Error;
        let enough = [spoiled.then(|| self.breakdowns.misordered()), stillborn.then(|| self.breakdowns.undefined())];
        if let Some(end) = enough.into_iter().flatten().flatten().next_back() {
            self.stop(end);
        }
    }

    /// Whether the trace of the run is a beginning of a purpose.
    fn still_fits(&self, purpose: PurposeId) -> bool {
        let suite = &self.stage.referee.suite;
        let marks = || self.stage.referee.belief().hypotheses().flat_map(|h| &h.marks);
        suite.accepts_of(purpose).iter().any(|accept| marks().any(|m| suite.line(m.node, *accept).is_some()))
    }

    /// Gives up the purposes that the failing trace was a beginning of: they would fail in the same way (S1 section
    /// 3.2.4). Where the system gave an output with wrong values, those that expect this output; others it may still take
    /// another time. The one that the run was after in the end is the one that failed.
    pub(super) fn drop_prefix(&mut self, cause: &Cause) {
        let (model, suite) = (self.stage.referee.model(), &self.stage.referee.suite);
        let expecting = |gate: Option<GateId>| -> Vec<PurposeId> {
            let marks = self.stage.referee.belief().hypotheses().flat_map(|h| &h.marks);
            marks.flat_map(|m| suite.expecting(model, m.node, gate)).collect()
        };
        let gate = match cause {
            Cause::Failure(Failure::Output(output)) => Some(output.gate),
            Cause::Failure(Failure::Malformed { gate, .. }) => *gate,
            _ => None,
        };
        let mut dropped = gate.map(|g| expecting(Some(g))).filter(|d| !d.is_empty()).unwrap_or_else(|| expecting(None));
        let wanted = match self.stage.run.mode {
            Mode::Purpose(purpose) if self.still_fits(purpose) => Some(purpose),
            _ => None,
        };
        dropped.extend(wanted);
        if let Aim::Purpose(purpose) = self.stage.run.aim {
            dropped.extend(self.still_fits(purpose).then_some(purpose));
        }
        dropped.sort_unstable();
        dropped.dedup();
        for purpose in dropped {
            self.stage.referee.suite.close(purpose);
            let known =
                self.stage.ledger.result(purpose).verdict.is_some_and(|v| v <= Verdict::WeakPass || v == Verdict::Fail);
            if self.stage.run.repeated || known || self.stage.run.aim == Aim::Purpose(purpose) {
                continue;
            }
            let (verdict, cause) = match wanted == Some(purpose) {
                true => (Verdict::Fail, cause.clone()),
                false => (Verdict::Inconclusive, Cause::Open(OpenCause::Dropped { run: self.stage.run.number })),
            };
            self.record(Record::Purpose { purpose, verdict, cause, alone: false, doubt: false });
        }
    }

    /// What the campaign came to.
    pub fn summary(&self) -> Summary {
        let Referee { position: Position { suite, mind, .. }, withdrawn, hidden, .. } = &self.stage.referee;
        let counted =
            self.stage.ledger.summary(self.stage.referee.model(), suite, &self.stage.settings, self.stage.intent);
        Summary { withdrawn: *withdrawn, hidden: *hidden, unknown: mind.unknown, ..counted }
    }
}
