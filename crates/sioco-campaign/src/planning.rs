//! The plan of a campaign. Somebody waits for the first test, so planning has little time and few nodes; what was found by
//! then is used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sioco_model::Model;
use sioco_model::names::did_you_mean;
use sioco_plan::file::{self, Loaded};
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, InputValues, Kind, Plan, PlanError, PlanOptions, Purpose, plan};
use sioco_solve::values::Choice;
use sioco_solve::{BackEnd, Cancellation, Limits};
use sioco_symbolic::ExploreProgress;
use sioco_symbolic::path::{Path, Shortcuts};

use crate::budget::{Budget, Flags, Leave, wait_for_it, within};
use crate::cover::Covered;
use crate::engine::Engine;

/// How long planning takes; what was found by then is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time {
    /// The search ends.
    search: Duration,
    /// Questions about what was found end, too.
    all: Duration,
    /// The whole campaign ends, if it ends by the clock.
    campaign: Option<Duration>,
}

impl Default for Time {
    fn default() -> Self {
        Time { search: Duration::from_secs(20), all: Duration::from_secs(30), campaign: None }
    }
}

impl Time {
    /// How long one question may take: there are others.
    fn question(self) -> Duration {
        let usual = Limits::default().wall;
        if self.search == Time::default().search { usual } else { usual.min(self.search / 4) }
    }

    /// Planning that does not listen takes time from the campaign, and ends with it.
    fn budget(self, memory: usize) -> Budget {
        Budget { search: self.search, all: self.all, last: self.campaign, memory }
    }

    /// Where the whole campaign has so much time: half of it is for testing.
    pub fn of(campaign: Option<Duration>) -> Time {
        let usual = Time::default();
        match campaign {
            None => usual,
            Some(all) => Time { search: usual.search.min(all / 3), all: usual.all.min(all / 2), campaign: Some(all) },
        }
    }

    /// Whether planning has less time than usual, since the campaign has little.
    pub fn is_short(self) -> bool {
        self.search < Time::default().search
    }
}

/// Paths of a plan have at most this many steps, unless something else is said. The longest path that a switch of the
/// examples needs has far fewer; without a bound, a counter could lead to purposes that no run gets to.
pub const DEPTH: usize = 200;
/// A campaign looks at no more than this many nodes to plan. Somebody waits for the first test, and the clock must not
/// decide what is planned. Measured on SMTP: 500 nodes give 64 purposes, 1,000 give 69, and 2,000 give 70.
pub const NODES: usize = 1_000;
/// This many steps are walked after a plan, unless something else is said. In the benchmark of detection, 96.4 % of the
/// mutants of the examples are found within 100 steps, 99.9 % within 1,000 and all within 10,000.
pub const WALKED: u64 = 1000;
/// All traces of a length may take this many bytes, if the system does not say how much memory it has: half of a small
/// machine.
pub const MEMORY: usize = 2 << 30;

/// Where purposes of a plan end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ending {
    /// With the answer to the last input.
    #[default]
    Answered,
    /// Right after the last input.
    Strict,
}

/// How to plan.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Where purposes end.
    pub ending: Ending,
    /// The seed of random walks.
    pub seed: u64,
    /// How values are chosen.
    pub values: Choice,
    /// How much memory all traces of a length may take, in bytes.
    pub memory: usize,
    /// How much memory the whole program may use, in bytes.
    pub resident: usize,
}

impl Wanted {
    /// The usual plan with random values. The rest of the process is none of its business.
    pub fn seeded(seed: u64) -> Wanted {
        let (ending, values) = (Ending::default(), Choice::Random(seed));
        Wanted { ending, seed, values, memory: MEMORY, resident: usize::MAX }
    }
}

/// What a clock decided besides the pauses, which the summary of a campaign has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Planning was ended after this time.
    pub planning: Option<Duration>,
    /// So many questions to solvers were ended.
    pub questions: u64,
}

/// A plan, and what became of planning.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// What a clock decided.
    pub clock: Clock,
    /// How long it took.
    pub took: Duration,
    /// Whether all the time for the search was used, which is less than usual.
    pub spent: bool,
}

impl Planned {
    fn at_once(plan: Plan) -> Planned {
        Planned { plan, clock: Clock::default(), took: Duration::ZERO, spent: false }
    }
}

/// Makes plans for a model.
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    model: &'a Model,
    back_end: &'a BackEnd,
    time: Time,
    interrupted: &'a Arc<AtomicBool>,
    leave: Leave,
}

impl<'a> Planner<'a> {
    /// Plans for a model, with a solver, until somebody interrupts.
    pub fn new(model: &'a Model, back_end: &'a BackEnd, interrupted: &'a Arc<AtomicBool>) -> Planner<'a> {
        Planner { model, back_end, time: Time::default(), interrupted, leave: wait_for_it }
    }

    /// It takes so long at most; what does not listen is left behind in this way.
    pub fn within(self, time: Time, leave: Leave) -> Planner<'a> {
        Planner { time, leave, ..self }
    }

    /// Makes the plan of a campaign that is to cover something. Walks have an empty one.
    pub fn make(
        &self,
        covered: &Covered,
        wanted: &Wanted,
        progress: &mut dyn FnMut(ExploreProgress),
    ) -> Result<Planned, PlanError> {
        match covered {
            Covered::Random(walks) => Ok(Planned::at_once(Plan::new(Covered::walks(*walks)))),
            Covered::Auto => {
                self.search(PlanOptions { data: true, ..PlanOptions::new(Cover::Switch) }, wanted, progress)
            }
            Covered::Plan(cover) => self.search(PlanOptions::new(cover.clone()), wanted, progress),
        }
    }

    fn search(
        &self,
        options: PlanOptions,
        wanted: &Wanted,
        progress: &mut dyn FnMut(ExploreProgress),
    ) -> Result<Planned, PlanError> {
        let (time, cancellation) = (self.time, Cancellation::default());
        let solvers = Engine::new(self.back_end, &cancellation).solvers();
        let begun = Instant::now();
        let budget = time.budget(wanted.resident);
        let (found, enough) = within(budget, self.interrupted, self.leave, Flags::default(), |flags| {
            let intent = options.cover.intent();
            let traces = intent.kind == Kind::Traces;
            let options = PlanOptions {
                strict: wanted.ending == Ending::Strict,
                depth: Some(DEPTH),
                // Where all traces of a length are wanted, memory is the limit.
                nodes: if traces { usize::MAX } else { NODES },
                memory: traces.then_some(wanted.memory),
                tests: (traces || intent.values == InputValues::OfClass).then_some(wanted.values),
                // A tree would be reached with the first of its accepts, be it silence at the start.
                split: intent.kind == Kind::Paths,
                seed: wanted.seed,
                steering: false,
                enough: Some(flags.enough.clone()),
                // Nothing is run when somebody interrupts: then nobody needs what could still be found.
                limits: self.limits(&flags),
                ..options
            };
            (plan(self.model, &solvers, &options, progress), flags.enough.load(Ordering::Relaxed))
        });
        let took = begun.elapsed();
        // Whoever interrupts knows why there is no more.
        let ended = enough && !self.interrupted.load(Ordering::Relaxed);
        let clock = Clock { planning: ended.then_some(took), questions: cancellation.late() };
        Ok(Planned { plan: found?, clock, took, spent: time.is_short() && took >= time.search })
    }

    /// Takes the paths of a plan again that was made before, perhaps for another model. What does not fit is left out.
    pub fn retake(&self, loaded: &mut Loaded, memory: usize) -> Clock {
        let cancellation = Cancellation::default();
        let solvers = Engine::new(self.back_end, &cancellation).solvers();
        let begun = Instant::now();
        let ended = within(self.time.budget(memory), self.interrupted, self.leave, Flags::default(), |flags| {
            let path = Path::with(self.model, &solvers, Shortcuts::default(), self.limits(&flags));
            file::retake(loaded, &mut Walker::new(path));
            flags.stop.load(Ordering::Relaxed)
        });
        if loaded.plan.intent().kind == Kind::Paths {
            loaded.plan.purposes = loaded.plan.purposes.iter().flat_map(Purpose::split).collect();
        }
        let ended = (ended && !self.interrupted.load(Ordering::Relaxed)).then(|| begun.elapsed());
        Clock { planning: ended, questions: cancellation.late() }
    }

    fn limits(&self, flags: &Flags) -> Limits {
        let cancellation = Cancellation::new([flags.stop.clone(), self.interrupted.clone()], None);
        Limits { cancellation, wall: self.time.question(), ..Limits::default() }
    }
}

/// The purpose that was probably meant, where there is none of a name.
pub fn near(error: &PlanError) -> Option<String> {
    match error {
        PlanError::NoSuchPurpose { name, known } => did_you_mean(name, known.iter().map(String::as_str)),
        _ => None,
    }
}
