//! Everything that is counted in a campaign (T-C2, T-C3, T-V10): verdicts, coverage, attempts, probes, and what is left to the
//! system. It is a fold over [`Record`]s, besides a few things that no record says.
//!
//! The ledger knows neither the belief nor what will be done next, so that it works on the records of any campaign.

use std::collections::BTreeMap;
use std::time::Duration;

use sioco_model::model::Model;
use sioco_model::{GateId, Id, IdVec};
use sioco_plan::{Intent, PurposeId};

use crate::account::{Bits, covered};
use crate::event::GateValue;
use crate::explanation::Explanation;
use crate::record::{Aim, End, Record, Waiting, Why};
use crate::run_number::RunNumber;
use crate::settings::{Settings, Walks};
use crate::suite::{NodeId, Suite};
use crate::summary::{BadRun, Pauses, Probed, PurposeResult, Summary, at_least, make_room};
use crate::sut::Fault;
use crate::verdict::{Cause, OpenCause, Trouble, Verdict};

/// At most this many deadlocks are kept for the summary, which shows a line for each: a screen.
const DEADLOCKS: usize = 20;

/// What controllers note, besides what they choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// The model has a deadlock in this state.
    Deadlock(String),
    /// A solver looked for values in the middle of a run.
    Solved,
    /// Not all ways on were looked at, or not to the end, since that would have taken too long.
    Hurried,
    /// An input was chosen by mistake, and not sent.
    Dropped,
    /// A probe is over, with what came of it.
    Probed(Probed),
}

/// What came in besides what was waited for, counted by the connection with the system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leftovers {
    /// Outputs of older runs that came during later ones.
    pub stale: u64,
    /// Outputs after the end of their run, before the next one.
    pub unheard: u64,
    /// Crashes after the end of their run, before the next one.
    pub crashes: u64,
    /// What was odd about what the system sent.
    pub remarks: Vec<String>,
}

/// The run that is under way, as far as records say.
#[derive(Clone, Debug, Default)]
struct Running {
    run: RunNumber,
    aim: Option<Aim>,
    /// Whether something happened in it that was judged.
    begun: bool,
    /// Whether a probe is under way, and whether the run is a probe and nothing else.
    probing: bool,
    only_probe: bool,
    last_input: Option<GateValue>,
    /// What was known of purposes before they were reached in it: silence by the clock may be withdrawn (T-Q3).
    before: BTreeMap<PurposeId, PurposeResult>,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Which purposes are reached for the sake of a probe.
    probes: IdVec<PurposeId, bool>,
    now: Running,
    purposes: IdVec<PurposeId, PurposeResult>,
    /// The switches that were surely and possibly taken.
    taken: (Bits, Bits),
    runs: [u64; 5],
    probing: u64,
    unbegun: u64,
    worst: Option<Verdict>,
    /// The verdict of a run that does not count as the worst unless something in it was overdue.
    excused: Option<Verdict>,
    steps: u64,
    inputs: u64,
    bad: Vec<BadRun>,
    probed: Vec<Probed>,
    deadlocks: Vec<String>,
    late: BTreeMap<Option<GateId>, u64>,
    dropped: u64,
    pauses: Pauses,
    leftovers: Leftovers,
    end: Option<End>,
    waiting: Option<Waiting>,
}

impl Ledger {
    /// Of a campaign with a plan, for a model with so many switches. For each purpose, whether it is there for a probe.
    pub fn new(switches: usize, probes: Vec<bool>) -> Ledger {
        Ledger {
            now: Running::default(),
            purposes: probes.iter().map(|_| PurposeResult::default()).collect(),
            probes: probes.into_iter().collect(),
            taken: (Bits::new(switches), Bits::new(switches)),
            runs: [0; 5],
            probing: 0,
            unbegun: 0,
            worst: None,
            excused: None,
            steps: 0,
            inputs: 0,
            bad: Vec::new(),
            probed: Vec::new(),
            deadlocks: Vec::new(),
            late: BTreeMap::new(),
            dropped: 0,
            pauses: Pauses::default(),
            leftovers: Leftovers::default(),
            end: None,
            waiting: None,
        }
    }

    /// Something happened.
    pub fn add(&mut self, record: &Record) {
        match record {
            Record::Run { run, aim, .. } => {
                self.now = Running { run: *run, aim: Some(aim.clone()), ..Running::default() }
            }
            Record::Input { why: Why::Probe(_), .. } => self.now.probing = true,
            Record::Input { input, .. } => match &mut self.now.last_input {
                Some(last) => last.clone_from(input),
                none => *none = Some(input.clone()),
            },
            Record::Accepted { .. } => self.answered(),
            Record::Refused { .. } => {
                // A refusal ends a run, which does not count it.
                self.steps += u64::from(!self.now.probing);
                self.answered();
            }
            Record::Observed(_) | Record::TimedOut(_) => {
                self.steps += u64::from(self.now.probing);
                self.now.begun |= !self.now.probing;
            }
            Record::Hurried => self.pauses.clock += 1,
            Record::Purpose { purpose, verdict, cause, alone, doubt } => {
                self.purpose(*purpose, *verdict, cause, *alone, *doubt);
            }
            Record::Verdict { verdict, cause, steps, doubt } => self.ended(*verdict, cause, *steps, *doubt),
            Record::Fault(fault) => self.fault(fault),
            Record::End { why, waiting, .. } => {
                (self.end, self.waiting) = (Some(why.clone()), *waiting);
                // Nothing makes up for a run that was cut while something was overdue.
                if self.is_overdue() {
                    self.worst = self.worst.max(self.excused);
                }
            }
            Record::Again { .. } => {}
        }
    }

    /// An input was accepted, or refused.
    fn answered(&mut self) {
        let probing = u64::from(self.now.probing);
        (self.steps, self.inputs) = (self.steps + probing, self.inputs + probing);
        self.now.begun |= !self.now.probing;
    }

    fn purpose(&mut self, purpose: PurposeId, verdict: Verdict, cause: &Cause, alone: bool, doubt: bool) {
        let attempts = self.purposes[purpose].attempts;
        let result = &mut self.purposes[purpose];
        match cause {
            Cause::Reached => {
                self.now.before.insert(purpose, result.clone());
                let reached =
                    PurposeResult { verdict: Some(verdict), alone, run: Some(self.now.run), ..result.clone() };
                *result = PurposeResult { cause: None, doubt: false, ..reached };
                let probe = self.probes[purpose];
                self.now.only_probe |= probe && !self.now.begun;
                // From here on everything belongs to the probe, also what is still to come for an input before it.
                self.now.probing |= probe;
            }
            Cause::Open(open) if open.is_withdrawn() => {
                // Who was reached in an earlier run has no new result that could be taken back.
                if let Some(before) = self.now.before.remove(&purpose) {
                    *result = PurposeResult { attempts, ..before };
                }
            }
            cause => {
                (result.verdict, result.cause, result.doubt) = (Some(verdict), Some(cause.clone()), doubt);
            }
        }
    }

    fn ended(&mut self, verdict: Verdict, cause: &Cause, steps: u64, doubt: bool) {
        self.steps += steps;
        match self.now.only_probe && verdict <= Verdict::WeakPass {
            true => self.probing += 1,
            false => self.runs[verdict as usize] += 1,
        }
        // A purpose that was not reached may still be, in another attempt: what counts is what becomes of it.
        // Nor is anything lost by a walk that an output crossed, or that was stopped before it showed anything.
        let crossed = matches!(cause, Cause::Open(OpenCause::Crossed | OpenCause::Stopped));
        // But where what was observed may not be allowed, or whether it fell silent is not known (T-Q10), nothing can make
        // up for it.
        let unclear = doubt || matches!(cause, Cause::Open(OpenCause::Silence(_)));
        let aimed = matches!(self.now.aim, Some(Aim::Purpose(_)));
        let open = verdict == Verdict::Inconclusive && !unclear && (crossed || aimed);
        self.excused = open.then_some(verdict);
        self.worst = self.worst.max(Some(if open { Verdict::Pass } else { verdict }));
        if verdict >= Verdict::Error {
            self.bad(self.now.run, verdict, cause.clone(), steps);
        }
    }

    /// Something broke down, and no run is under way.
    fn fault(&mut self, fault: &Fault) {
        let Fault { kind, message, stderr, .. } = fault.clone();
        self.unbegun += 1;
        self.worst = self.worst.max(Some(Verdict::Error));
        self.bad(self.now.run, Verdict::Error, Cause::Trouble(Trouble::Fault { kind, message, stderr }), 0);
    }

    fn bad(&mut self, run: RunNumber, verdict: Verdict, cause: Cause, steps: u64) {
        if make_room(&mut self.bad, |b| (b.verdict, b.steps), verdict, steps) {
            self.bad.push(BadRun { run, verdict, cause, steps, explanation: None });
        }
    }

    /// Says what the model allows instead, where the last run ended with something that it does not allow.
    pub fn explain(&mut self, explanation: impl FnOnce() -> Explanation) {
        let run = self.now.run;
        let failed = |bad: &&mut BadRun| {
            bad.run == run && matches!(bad.cause, Cause::Failure(_) | Cause::Trouble(Trouble::Refused { .. }))
        };
        if let Some(bad) = self.bad.last_mut().filter(failed) {
            bad.explanation = Some(explanation());
        }
    }

    /// A run is about to begin. With its number, it can be told which one did not begin.
    pub fn resets(&mut self, run: RunNumber) {
        self.now = Running { run, ..Running::default() };
    }

    /// A run will be for a purpose. Says how often it was tried before.
    pub fn attempt(&mut self, purpose: PurposeId) -> u32 {
        let attempts = &mut self.purposes[purpose].attempts;
        *attempts += 1;
        *attempts - 1
    }

    /// The system took an input that is judged.
    pub fn took_input(&mut self) {
        self.inputs += 1;
    }

    /// The hypotheses at the end of a run took these switches.
    pub fn cover(&mut self, (surely, possibly): &(Bits, Bits)) {
        self.taken.0.unite(surely);
        self.taken.1.unite(possibly);
    }

    /// A probe is over.
    pub fn probed(&mut self, probed: Probed) {
        self.probed.push(probed);
    }

    /// A controller noted something.
    pub fn note(&mut self, note: Note) {
        match note {
            Note::Deadlock(state) => {
                if self.deadlocks.len() < DEADLOCKS && !self.deadlocks.contains(&state) {
                    self.deadlocks.push(state);
                }
            }
            Note::Solved => self.pauses.solved += 1,
            Note::Hurried => self.pauses.hurried += 1,
            Note::Dropped => self.dropped_input(),
            Note::Probed(probed) => self.probed(probed),
        }
    }

    /// A silence after this gate was withdrawn.
    pub fn withdrew(&mut self, after: Option<GateId>) {
        *self.late.entry(after).or_default() += 1;
    }

    /// An input was chosen by mistake, and not sent.
    pub fn dropped_input(&mut self) {
        self.dropped += 1;
    }

    /// How many inputs were chosen by mistake.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The system waited so long for its next input, after so many steps of the run.
    pub fn waited(&mut self, time: Duration, steps: u64) {
        if time > self.pauses.longest {
            (self.pauses.longest, self.pauses.at) = (time, (self.now.run, steps));
        }
    }

    /// What the connection with the system counted.
    pub fn set_leftovers(&mut self, leftovers: Leftovers) {
        self.leftovers = leftovers;
    }

    /// Why the campaign has ended, if it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Outputs of older runs so far.
    pub fn stale(&self) -> u64 {
        self.leftovers.stale
    }

    /// Inputs, outputs and silences, without those of the run that is under way.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What became of a purpose so far.
    pub fn result(&self, purpose: PurposeId) -> &PurposeResult {
        &self.purposes[purpose]
    }

    /// What became of all purposes so far.
    pub fn results(&self) -> &IdVec<PurposeId, PurposeResult> {
        &self.purposes
    }

    /// Whether the campaign was cut while something in a run was overdue.
    fn is_overdue(&self) -> bool {
        matches!(self.waiting, Some(Waiting::Accepted | Waiting::Observed))
    }

    /// Whether the walks of a guided campaign surely took every switch on a way of a purpose: such a campaign is there for
    /// what is covered, and not for the one way that the plan has there.
    fn is_covered_otherwise(&self, suite: &Suite, purpose: PurposeId) -> bool {
        let is_taken =
            |node: &NodeId| suite.leg(*node).is_none_or(|leg| leg.step.switches().all(|s| self.taken.0.has(s.index())));
        let is_way = |accept: &NodeId| suite.line(NodeId::ROOT, *accept).is_some_and(|line| line.iter().all(is_taken));
        suite.accepts_of(purpose).iter().any(is_way)
    }

    /// What the campaign came to. The questions that were left open, and the silences that were withdrawn, are not here.
    pub fn summary(&self, model: &Model, suite: &Suite, settings: &Settings, intent: Intent) -> Summary {
        let guided = settings.walks == Walks::Guided;
        let ran = self.runs.iter().sum::<u64>() + self.probing > 0;
        let (switches, locations) = covered(model, ran, &self.taken.0, &self.taken.1);
        let mut purposes = self.purposes.as_slice().to_vec();
        for result in &mut purposes {
            let tried = result.attempts >= settings.attempts;
            result.otherwise = tried && left_to_the_system(result, guided, intent);
        }
        // A plan that the budget cut off has not shown what it is for, be it before the first run.
        let open = |(purpose, r): (PurposeId, &PurposeResult)| match (r.verdict, &r.cause) {
            (None, _) => true,
            _ if r.otherwise => false,
            (Some(Verdict::Inconclusive), Some(Cause::Open(OpenCause::Deviation | OpenCause::Crossed))) => {
                !(guided && self.is_covered_otherwise(suite, purpose))
            }
            (Some(verdict), _) => verdict == Verdict::Inconclusive,
        };
        let unreached = self.purposes.ids().zip(&purposes).any(open);
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
            last_input: self.now.last_input.clone().filter(|_| self.is_overdue()),
            runs: self.runs,
            probing: self.probing,
            unbegun: self.unbegun,
            steps: self.steps,
            inputs: self.inputs,
            purposes,
            probes: self.probed.clone(),
            switches,
            locations,
            bad: self.bad.clone(),
            deadlocks: self.deadlocks.clone(),
            withdrawn: 0,
            hidden: 0,
            late,
            stale: self.leftovers.stale,
            unheard: self.leftovers.unheard,
            unheard_crashes: self.leftovers.crashes,
            remarks: self.leftovers.remarks.clone(),
            unknown: 0,
            pauses: self.pauses,
        }
    }
}

/// Whether a guided campaign, one for all that is allowed, or one with a suite of a comparison, is through with a purpose that
/// the system could have gone to and never did: it need not do all that the model allows (S1 section 3.2.4).
fn left_to_the_system(result: &PurposeResult, guided: bool, intent: Intent) -> bool {
    let Intent { compared, all_allowed, .. } = intent;
    let elsewhere = match &result.cause {
        Some(Cause::Open(OpenCause::Deviation)) => guided || compared || all_allowed,
        // Where it went, no input can follow; a test of a comparison is there for its inputs.
        Some(Cause::Open(OpenCause::Deadlock { .. })) => compared || all_allowed,
        _ => false,
    };
    elsewhere && result.verdict == Some(Verdict::Inconclusive)
}
