//! A campaign: a checked model, a plan and a system become a summary, and failing runs in their shortest form.

use std::time::{Duration, Instant};

use sioco_exec::drive::{Bench, NoClock};
use sioco_exec::journal::{About, Header, Lines};
use sioco_exec::record::{End, Stamped};
use sioco_exec::settings::Walks;
use sioco_exec::{Clock, Settings, Summary, Sut};
use sioco_model::Model;
use sioco_plan::Plan;
use sioco_solve::BackEnd;

use crate::deadline::Deadline;
use crate::drive::{Drive, Since};
use crate::engine::Engine;
use crate::failing::{ByGate, FailingRun, Likeness, failing};
use crate::gate::{Demand, Gate};
use crate::journal::Writer;
use crate::observer::Observer;
use crate::shrink::{Shrinking, Shrinks};
use crate::trails::Trails;
use crate::watch::Watched;

/// What is tested against what, and within which bounds. See the [module](self).
#[derive(Clone, Copy)]
pub struct Campaign<'a> {
    model: &'a Model,
    plan: &'a Plan,
    settings: &'a Settings,
    back_end: &'a BackEnd,
    deadline: &'a Deadline,
    demands: &'a [Demand],
    likeness: &'a dyn Likeness,
    /// How long shrinking may take; nothing, if failing runs stay as they are.
    shrinking: Option<Duration>,
    pace: Pace,
}

/// Whether a campaign takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pace {
    Timed,
    Untimed,
}

/// What came of a campaign.
pub struct CampaignOutcome {
    /// What the runs came to, with the verdict.
    pub summary: Summary,
    /// How long they took, without shrinking.
    pub took: Duration,
    /// So many questions to solvers were ended by the clock.
    pub late: u64,
    /// What became of the demands.
    pub gates: Vec<Gate>,
    /// The steps of failing runs, and what else was seen on the way.
    pub trails: Trails,
    /// What became of failing runs that were shrunk.
    pub shrinks: Shrinks,
    /// Whether somebody had interrupted when the last run was over.
    pub interrupted: bool,
    /// Whether the runs could not all be recorded.
    pub unrecorded: bool,
}

impl CampaignOutcome {
    /// The runs that did not pass; those in their shortest form come first.
    pub fn failures(&self) -> Vec<FailingRun<'_>> {
        self.shrinks.show(failing(&self.summary, &self.trails))
    }

    /// Whether what was demanded was reached.
    pub fn meets_gates(&self) -> bool {
        self.gates.iter().all(|gate| gate.met)
    }
}

/// Where what happens goes: the journal, if there is one, and whoever listens.
struct Recording<'r, 'o> {
    lines: Lines<'r>,
    journal: Option<&'r mut Writer>,
    observer: &'o mut dyn Observer,
}

impl Recording<'_, '_> {
    /// Writes a record; whether it is written. Its line is made once, for the journal and for whoever listens.
    fn write(&mut self, stamped: &Stamped) -> bool {
        let Some(journal) = &mut self.journal else { return true };
        let line = self.lines.line(stamped);
        journal.write(line);
        self.observer.line(line);
        journal.broken.is_none()
    }

    /// Sees to it that everything is on the disk; whether it is.
    fn finish(&mut self) -> bool {
        let Some(journal) = &mut self.journal else { return true };
        journal.finish();
        journal.broken.is_none()
    }
}

impl<'a> Campaign<'a> {
    /// A plan for a model. Unless something else is said, nothing ends the campaign but its settings, there are no demands,
    /// and failing runs are shrunk.
    pub fn new(model: &'a Model, plan: &'a Plan, settings: &'a Settings, deadline: &'a Deadline) -> Campaign<'a> {
        Campaign {
            model,
            plan,
            settings,
            back_end: &BackEnd::Auto,
            deadline,
            demands: &[],
            likeness: &ByGate,
            shrinking: Some(crate::shrink::TIME),
            pace: Pace::Timed,
        }
    }

    /// Asks this solver what the cheap answers do not decide.
    pub fn solver(self, back_end: &'a BackEnd) -> Campaign<'a> {
        Campaign { back_end, ..self }
    }

    /// Demands coverage.
    pub fn demands(self, demands: &'a [Demand]) -> Campaign<'a> {
        Campaign { demands, ..self }
    }

    /// Tells runs apart that fail for different reasons.
    pub fn alike_by(self, likeness: &'a dyn Likeness) -> Campaign<'a> {
        Campaign { likeness, ..self }
    }

    /// Takes so long at most to shrink failing runs.
    pub fn shrink_for(self, time: Duration) -> Campaign<'a> {
        Campaign { shrinking: Some(time), ..self }
    }

    /// Leaves failing runs as they are.
    pub fn unshrunk(self) -> Campaign<'a> {
        Campaign { shrinking: None, ..self }
    }

    /// No time passes: for systems in this process, whose answers do not depend on it.
    pub fn untimed(self) -> Campaign<'a> {
        Campaign { pace: Pace::Untimed, ..self }
    }

    /// The first line of its journal.
    pub fn header(&self, model: About, sut: &str) -> Header {
        let header = Header {
            sioco: env!("CARGO_PKG_VERSION").into(),
            model,
            sut: sut.to_owned(),
            settings: self.settings.clone(),
            ..Header::default()
        };
        // Random walks have no plan.
        if self.settings.walks == Walks::Random { header } else { header.with_plan(self.plan) }
    }

    /// Tests a system, and shrinks runs that fail. A journal gets every record before the next thing happens; what cannot
    /// be recorded is not worth testing.
    pub fn run(self, sut: &mut dyn Sut, journal: Option<&mut Writer>, observer: &mut dyn Observer) -> CampaignOutcome {
        let (mut trails, lines) = (Trails::default(), Lines::new(self.model));
        let mut recording = Recording { lines, journal, observer };
        let begun = Instant::now();
        let mut clock: Box<dyn Clock> = match self.pace {
            Pace::Timed => Box::new(Since(begun)),
            Pace::Untimed => Box::new(NoClock),
        };
        let mut watched;
        let sut: &mut dyn Sut = if self.deadline.is_bounded() {
            watched = Watched { sut, cancellation: self.deadline.waits() };
            &mut watched
        } else {
            sut
        };
        let (summary, late) = self.test(sut, &mut *clock, &mut trails, &mut recording);
        let took = begun.elapsed();
        let interrupted = self.deadline.is_interrupted();
        let mut summary = summary.of_plan(self.plan);
        // Nobody interrupted where the campaign ended itself.
        if summary.end == End::Interrupted && !interrupted {
            summary.end = if self.deadline.is_out_of_memory() { End::Memory } else { End::Unrecorded };
        }
        recording.observer.tested();
        let unrecorded = !recording.finish();
        if let Some(journal) = &recording.journal {
            summary.verdict = journal.verdict(summary.verdict);
        }
        // Whatever comes of shrinking changes nothing about the campaign.
        let gates = self.demands.iter().map(|demand| demand.look(self.model, &summary, Some(self.plan))).collect();
        let wanted = self.shrinking.filter(|_| summary.end != End::Broken && !interrupted);
        let shrinks = wanted.map(|time| {
            let bench = Bench { sut, clock: &mut *clock };
            let shrinks = self.shrinks(time).shrink(&summary, &trails, bench, &mut |run, progress| {
                recording.observer.shrinking(run, progress);
            });
            recording.observer.finished();
            for stamped in shrinks.records(begun.elapsed()) {
                recording.write(&stamped);
                recording.observer.shrunk(&stamped);
            }
            shrinks
        });
        recording.finish();
        let shrinks = shrinks.unwrap_or_default();
        CampaignOutcome { summary, took, late, gates, trails, shrinks, interrupted, unrecorded }
    }

    /// Runs all tests; what they came to, and how many questions were ended by the clock.
    fn test(
        &self,
        sut: &mut dyn Sut,
        clock: &mut dyn Clock,
        trails: &mut Trails,
        recording: &mut Recording<'_, '_>,
    ) -> (Summary, u64) {
        // Planning has used some of the time.
        let settings = Settings { time: self.deadline.left().or(self.settings.time), ..self.settings.clone() };
        let cancellation = &self.deadline.questions();
        let engine = Engine::new(self.back_end, cancellation);
        let drive = Drive { model: self.model, plan: self.plan, settings: &settings, engine, cancellation };
        let mut listen = |stamped: &Stamped| {
            if !recording.write(stamped) {
                self.deadline.end();
            }
            trails.record(stamped);
            recording.observer.record(stamped);
        };
        let summary = self.deadline.watch(|| drive.run(sut, clock, &mut listen));
        (summary, cancellation.late())
    }

    fn shrinks(&self, time: Duration) -> Shrinking<'a> {
        Shrinking {
            model: self.model,
            back_end: self.back_end,
            settings: self.settings,
            time,
            cancellation: self.deadline.waits(),
            likeness: self.likeness,
        }
    }
}
