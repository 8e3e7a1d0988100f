//! What happens next in a campaign, given all that happened so far. The driver asks a [`Controller`] what to do, the
//! [`Referee`] what it means, and has the [`Ledger`] count it.
//!
//! It has no clock and talks to nobody: [`drive`](mod@crate::drive) connects it with a system under test. Same answers and
//! seed, same run (T-C10).

mod events;
mod mistakes;
mod outcome;
mod session;
mod withdrawal;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sioco_model::model::Model;
use sioco_model::semantics::oracle::Oracle;
use sioco_plan::{Intent, Plan};
use sioco_solve::Cancellation;
use sioco_symbolic::path::SolverFactory;

use crate::breakdowns::Breakdowns;
use crate::controller::probe::ProbeController;
use crate::controller::purpose::PurposeController;
use crate::controller::repeat::RepeatController;
use crate::controller::walk::WalkController;
use crate::controller::{Chosen, Controller, HEARD, Situation};
use crate::drive::Session;
use crate::event::GateValue;
use crate::ledger::{Ledger, Note};
use crate::listening::Listening;
use crate::malformed;
use crate::mute::Mute;
use crate::quiescence_time::QuiescenceTimes;
use crate::record::{End, Record, Waiting, Why};
use crate::referee::Referee;
use crate::reliance::{self, Reliance};
use crate::run::Run;
use crate::run_number::RunNumber;
use crate::schedule::{Next, Schedule};
use crate::settings::{Interaction, Settings};
use crate::silent_spots::SilentSpots;
use crate::suite::Suite;
use crate::sut::Order;
use crate::tools::Tools;
use crate::verdict::{Cause, OpenCause};

/// What to do next.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// Bring the system to its initial state.
    Reset {
        /// The number of the run.
        run: RunNumber,
        /// A seed for the system.
        seed: u64,
    },
    /// Send an input, unless something comes before it does.
    Send {
        /// Its number in the run.
        id: u64,
        /// The input.
        input: GateValue,
        /// Whether to send it even if something comes: some systems never stop talking.
        at_once: bool,
    },
    /// Take what has come already, without waiting.
    Look,
    /// Wait until an input is accepted or refused.
    Await {
        /// Which one.
        id: u64,
    },
    /// Wait for something, or for silence.
    Wait,
    /// The campaign is over.
    Stop,
}

/// What judges a campaign, what counts it, and what its runs have in common.
struct Stage<'m> {
    referee: Referee<'m>,
    ledger: Ledger,
    settings: Settings,
    intent: Intent,
    interaction: Interaction,
    tools: Tools<'m>,
    run: Run,
    notes: Vec<Note>,
}

impl<'m> Stage<'m> {
    /// What controllers see.
    fn situation(&mut self) -> Situation<'_, 'm> {
        Situation {
            position: &mut self.referee.position,
            tools: &mut self.tools,
            run: &mut self.run,
            results: self.ledger.results(),
            settings: &self.settings,
            intent: self.intent,
            interaction: self.interaction,
            notes: &mut self.notes,
        }
    }

    /// Counts what controllers have noted.
    fn settle(&mut self) {
        self.notes.drain(..).for_each(|note| self.ledger.note(note));
    }

    /// Inputs, outputs and silences so far.
    fn steps(&self) -> u64 {
        self.ledger.steps() + if self.run.begun { self.run.steps } else { 0 }
    }
}

/// See the [module](self).
pub struct Driver<'m> {
    stage: Stage<'m>,
    schedule: Schedule,
    purpose: PurposeController,
    walk: WalkController,
    probe: ProbeController,
    repeat: RepeatController,
    listening: Listening,
    slower: QuiescenceTimes,
    breakdowns: Breakdowns,
    mute: Mute,
    silent_spots: SilentSpots,
    /// What was overdue when the campaign was ended.
    waiting: Option<Waiting>,
    /// Records that nobody has taken yet.
    records: Vec<Record>,
}

impl<'m> Driver<'m> {
    /// A driver that follows a plan and goes on as the settings say.
    pub fn new(model: &'m Model, solvers: SolverFactory<'m>, plan: &Plan, settings: Settings) -> Driver<'m> {
        Self::with(model, solvers, plan, settings, None)
    }

    /// The same, with somebody to ask about known states where that takes a solver.
    pub fn with(
        model: &'m Model,
        solvers: SolverFactory<'m>,
        plan: &Plan,
        settings: Settings,
        oracle: Option<Arc<Mutex<dyn Oracle>>>,
    ) -> Driver<'m> {
        let suite = Suite::new(model, plan);
        let intent = plan.intent();
        let schedule = Schedule::new(suite.len(), settings.attempts);
        let mut referee = Referee::with(model, solvers, Order::Sut, suite, oracle, settings.hypotheses);
        referee.count_refusals(intent.compared);
        let probes = plan.purposes.iter().map(|p| !p.probe.is_empty()).collect();
        Driver {
            slower: QuiescenceTimes::new(model, &settings.slower),
            stage: Stage {
                referee,
                ledger: Ledger::new(model.switches.len(), probes),
                interaction: settings.interaction.unwrap_or(Interaction::Eager),
                tools: Tools::new(model, solvers, settings.seed),
                settings,
                intent,
                run: Run::default(),
                notes: Vec::new(),
            },
            schedule,
            purpose: PurposeController::default(),
            walk: WalkController::new(model),
            probe: ProbeController::new(plan),
            repeat: RepeatController::default(),
            listening: Listening::new(model),
            breakdowns: Breakdowns::default(),
            mute: Mute::default(),
            silent_spots: SilentSpots::default(),
            waiting: None,
            records: Vec::new(),
        }
    }

    /// The same, with the cancellation that all its solvers have: the one of its `solvers` and of its oracle. Otherwise only
    /// what it asks itself to find values ends in time.
    pub fn on(mut self, cancellation: &Cancellation) -> Driver<'m> {
        self.stage.tools.end_with(cancellation);
        self.stage.referee.mind.end = cancellation.clone();
        self
    }

    /// Inputs, outputs and silences so far.
    pub fn steps(&self) -> u64 {
        self.stage.steps()
    }

    /// How many inputs were chosen that are no gate values of the model. None of them was sent.
    pub fn dropped(&self) -> u64 {
        self.stage.ledger.dropped()
    }

    /// How far silence by the clock can be relied on now, if the tester was held up for so long.
    fn reliance(&mut self, starved: Option<Duration>) -> Reliance {
        reliance::rate(self.stage.referee.order(), starved, || {
            let spot = self.spot();
            self.allows_silence() || self.repeat.fell_silent_at(&spot) || self.silent_spots.has(spot.as_ref())
        })
    }

    /// Where the run is, if the states are known.
    fn spot(&self) -> Option<crate::position::Spot> {
        self.stage.referee.position.spot(self.stage.run.last)
    }

    /// Something happened.
    fn record(&mut self, record: Record) {
        self.stage.ledger.add(&record);
        self.records.push(record);
    }

    fn choose(&mut self) -> Decision {
        let (mut in_time, mut drops) = (true, 0);
        loop {
            if let Some(decision) = self.is_decided() {
                return decision;
            }
            let decision = match self.stage.run.begun {
                false => self.next_run(),
                true => match self.ask_first() {
                    Some(chosen) => self.act_on(chosen),
                    None => self.go_on(&mut in_time, &mut drops),
                },
            };
            if let Some(decision) = decision {
                return decision;
            }
        }
    }

    /// What there is to do whatever anybody chooses.
    fn is_decided(&self) -> Option<Decision> {
        if self.stage.ledger.end().is_some() {
            return Some(Decision::Stop);
        }
        self.stage.run.pending.as_ref().map(|pending| Decision::Await { id: pending.id })
    }

    /// The next run, or the end of the campaign.
    fn next_run(&mut self) -> Option<Decision> {
        if let Some(end) = self.over() {
            self.stop(end);
            return None;
        }
        let Stage { referee, ledger, settings, tools, run, .. } = &mut self.stage;
        if let Some(seed) = self.repeat.next(run) {
            return Some(self.reset(seed));
        }
        match self.schedule.next(&mut referee.position.suite, ledger, settings, &mut tools.random) {
            None => self.stop(End::Done),
            Some(_) if settings.max_steps.is_some_and(|most| ledger.steps() >= most) => self.stop(End::Steps),
            Some(Next { mode, aim, repeated }) => {
                run.plan(mode, aim, repeated);
                let seed = settings.seed.wrapping_add(run.number.next().0);
                return Some(self.reset(seed));
            }
        }
        None
    }

    /// Brings the system to its initial state for the next run.
    fn reset(&mut self, seed: u64) -> Decision {
        let Stage { run, ledger, .. } = &mut self.stage;
        run.resets(seed);
        ledger.resets(run.number);
        Decision::Reset { run: run.number, seed }
    }

    /// What is done whatever anybody could object: the next move of a probe, which nobody judges; and the end of a run that
    /// was listened to.
    fn ask_first(&mut self) -> Option<Chosen> {
        let at = &mut self.stage.situation();
        let chosen = self.probe.select(at).or_else(|| self.listening.select(at));
        self.stage.settle();
        chosen
    }

    /// The run goes on as the other controllers choose, if nothing speaks against that.
    fn go_on(&mut self, in_time: &mut bool, drops: &mut u32) -> Option<Decision> {
        let most = self.most_steps();
        if most.is_some_and(|most| self.steps() >= most) {
            self.stop(End::Steps);
            return None;
        }
        let chosen = self.ask_controllers();
        self.stage.settle();
        // What was cut short by the end of everything decides nothing.
        if let Some(end) = self.over() {
            self.stop(end);
            return None;
        }
        *in_time = *in_time && self.was_in_time();
        let chosen = self.weigh(chosen, most, drops);
        self.act_on(chosen)
    }

    /// How many steps there may be. What is repeated has been paid for.
    fn most_steps(&self) -> Option<u64> {
        self.stage.settings.max_steps.filter(|_| !self.repeat.is_on())
    }

    /// The first controller that has a reason to act chooses.
    fn ask_controllers(&mut self) -> Chosen {
        let position = &mut self.stage.referee.position;
        let then = self.listening.then.take().filter(|(input, _)| position.is_quiet() && position.takes(input));
        if let Some((input, why)) = then {
            return Chosen::Send(input, why);
        }
        let at = &mut self.stage.situation();
        let controllers: [&mut dyn Controller<Situation<'_, '_>>; 3] =
            [&mut self.repeat, &mut self.purpose, &mut self.walk];
        let chosen = controllers.into_iter().find_map(|controller| controller.select(at)).unwrap_or(Chosen::Again);
        match chosen {
            // It is silent already, and something else is waited for.
            Chosen::Wait if at.position.is_quiet() => self.purpose.rest(at).unwrap_or(Chosen::Wait),
            other => other,
        }
    }

    /// Whether everything was computed in time. If the time to think was over, that is recorded.
    fn was_in_time(&mut self) -> bool {
        let cancellation = &self.stage.tools.cancellation;
        let late = cancellation.is_late();
        if !late && !cancellation.is_spent() {
            return true;
        }
        self.stage.ledger.note(Note::Hurried);
        if late {
            self.record(Record::Hurried);
        }
        false
    }

    /// What is done of what was chosen: something may speak against it, or come before it.
    fn weigh(&mut self, chosen: Chosen, most: Option<u64>, drops: &mut u32) -> Chosen {
        match chosen {
            Chosen::Send(input, _) if let Err(mistake) = malformed::check(self.stage.referee.model(), &input) => {
                *drops += 1;
                self.drop_choice(mistake, *drops);
                Chosen::Again
            }
            // The answer to the last input is to be judged, too.
            Chosen::Send(..) if self.steps() > 0 && most.is_some_and(|m| self.steps() + 1 >= m) => {
                self.stop(End::Steps);
                Chosen::Again
            }
            Chosen::Send(input, why) if self.listening.listens_before(&mut self.stage.situation(), &input) => {
                self.listening.then = Some((input, why));
                Chosen::Wait
            }
            // It is silent already: what is waited for will not come.
            Chosen::Wait if self.stage.referee.is_quiet() => {
                let done = self.stage.run.is_content();
                Chosen::End(if done { Cause::Reached } else { Cause::Open(OpenCause::Deviation) })
            }
            Chosen::End(cause) if self.waits_before(&cause) => {
                self.listening.put_off(cause);
                Chosen::Wait
            }
            other => other,
        }
    }

    /// Does something, if that is to be done outside; otherwise somebody has to choose again.
    fn act_on(&mut self, chosen: Chosen) -> Option<Decision> {
        match chosen {
            Chosen::Send(input, why) => return Some(self.send(input, why)),
            Chosen::Wait => return Some(Decision::Wait),
            Chosen::Look => return Some(Decision::Look),
            Chosen::Again => {}
            Chosen::End(cause) => self.finish(cause),
        }
        None
    }

    /// Whether to wait once more before the run ends like this.
    fn waits_before(&mut self, cause: &Cause) -> bool {
        let at = &mut self.stage.situation();
        at.owes() || self.listening.listens(at, cause)
    }

    fn send(&mut self, input: GateValue, why: Why) -> Decision {
        let run = &mut self.stage.run;
        // What comes before a probe is no matter of the specification either.
        let at_once = run.heard >= HEARD || matches!(why, Why::Probe(_));
        run.choice = Some((input.clone(), why));
        Decision::Send { id: run.ids + 1, input, at_once }
    }

    /// The campaign ends here.
    pub fn stop(&mut self, end: End) {
        if self.stage.ledger.end().is_some() {
            return;
        }
        if self.stage.run.begun {
            // A run in which nothing was observed has shown nothing; nor has one shown that the system goes on in which
            // something was overdue.
            let shown = (self.mute.observed || self.stage.run.reached.is_some()) && !self.is_overdue();
            let cause =
                if shown && self.stage.run.is_content() { Cause::Reached } else { Cause::Open(OpenCause::Stopped) };
            self.finish(cause);
        }
        if self.stage.ledger.end().is_none() {
            self.record(Record::End { why: end, stale: self.stage.ledger.stale(), waiting: self.waiting });
        }
    }

    /// Whether the run was cut while something in it was overdue: it has not shown that the system goes on.
    fn is_overdue(&self) -> bool {
        matches!(self.waiting, Some(Waiting::Accepted | Waiting::Observed))
    }
}
