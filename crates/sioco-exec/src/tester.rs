//! The tester: what to do next, given all that happened so far (S0 algorithm 1; S3 rules 0 to 6; S1 section 3.2).
//!
//! It is a machine that is [asked](Tester::decide) what to do and told what happened. It has no clock and talks to nobody:
//! [`drive`](mod@crate::drive) connects it with a system under test. Same answers and seed, same run (T-C10).

mod cut;
mod drop;
mod listen;
mod onward;
mod outcome;
mod repeat;
mod silent;
mod told;
mod towards;
mod withdraw;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sioco_model::model::Model;
use sioco_model::semantics::oracle::Oracle;
use sioco_plan::{Cover, Plan};
use sioco_solve::Cancellation;
use sioco_symbolic::path::SolverFactory;

use crate::border;
use crate::breakdowns::Breakdowns;
use crate::controller::probe::{ProbeController, ProbeMove};
use crate::course::Course;
use crate::event::GateValue;
use crate::ledger::{Intent, Ledger};
use crate::mute::Mute;
use crate::record::{End, Record, Waiting, Why};
use crate::referee::Referee;
use crate::run::{Mode, Run};
use crate::schedule::{Next, Schedule};
use crate::settings::{Interaction, Settings, Walks as Walking};
use crate::slower::Slower;
use crate::suite::{NodeId, Suite};
use crate::sut::Order;
use crate::tools::Tools;
use crate::verdict::{Cause, Open};
use crate::walk::{Move, Walks};
use listen::Listening;
use repeat::Repeats;
use silent::Silent;

/// How many ways are tried to find one that leads to a purpose.
const WAYS: usize = 32;
/// How many steps a walk has after a purpose, or if it is a short one: at least so many, and up to so many more.
const AFTER: (u64, u64) = (2, 9);
/// So many steps before its end, a walk may as well end by an input.
const CLOSING: u64 = 3;
/// After how many outputs in a row a tester that waits for them sends something all the same: some systems never stop.
const HEARD: u64 = 4;

/// What to do next.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// Bring the system to its initial state.
    Reset {
        /// The number of the run.
        run: u64,
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

/// See the [module](self).
pub struct Tester<'m> {
    referee: Referee<'m>,
    settings: Settings,
    intent: Intent,
    tools: Tools<'m>,
    run: Run,
    schedule: Schedule,
    /// Everything that is counted.
    ledger: Ledger,
    /// Records that nobody has taken yet.
    records: Vec<Record>,
    course: Option<(NodeId, Course)>,
    walks: Walks,
    probe: ProbeController,
    repeats: Repeats,
    listening: Listening,
    interaction: Interaction,
    slower: Slower,
    breakdowns: Breakdowns,
    mute: Mute,
    silent: Silent,
    /// What was overdue when the campaign was ended.
    waiting: Option<Waiting>,
}

impl<'m> Tester<'m> {
    /// A tester that follows a plan and goes on as the settings say.
    pub fn new(model: &'m Model, solvers: SolverFactory<'m>, plan: &Plan, settings: Settings) -> Tester<'m> {
        Self::with(model, solvers, plan, settings, None)
    }

    /// The same, with somebody to ask about known states where that takes a solver.
    pub fn with(
        model: &'m Model,
        solvers: SolverFactory<'m>,
        plan: &Plan,
        settings: Settings,
        oracle: Option<Arc<Mutex<dyn Oracle>>>,
    ) -> Tester<'m> {
        let suite = Suite::new(model, plan);
        let purposes = suite.len();
        let mut referee = Referee::with(model, solvers, Order::Sut, suite, oracle, settings.hypotheses);
        referee.count_refusals(plan.cover == Cover::Compare);
        Tester {
            referee,
            tools: Tools::new(model, solvers, settings.seed),
            walks: Walks::new(model),
            interaction: settings.interaction.unwrap_or(Interaction::Eager),
            slower: Slower::new(model, &settings.slower),
            schedule: Schedule::new(purposes, settings.attempts),
            settings,
            ledger: Ledger::new(model.switches.len(), plan.purposes.iter().map(|p| !p.probe.is_empty()).collect()),
            probe: ProbeController::new(plan),
            intent: Intent::of(&plan.cover),
            records: Vec::new(),
            run: Run::default(),
            course: None,
            breakdowns: Breakdowns::default(),
            mute: Mute::default(),
            listening: Listening::new(model),
            silent: Silent::default(),
            repeats: Repeats::default(),
            waiting: None,
        }
    }

    /// The same, with the cancellation that all its solvers have: the one of its `solvers` and of its oracle. Otherwise only
    /// what it asks itself to find values ends in time.
    pub fn on(mut self, cancellation: &Cancellation) -> Tester<'m> {
        self.tools.end_with(cancellation);
        self.referee.mind.end = cancellation.clone();
        self
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.referee.model()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How long nothing must come now before that is silence.
    pub fn quiescence(&self) -> Duration {
        self.slower.time(self.settings.quiescence, self.run.last, self.referee.belief())
    }

    /// The records since this was asked last.
    pub fn records(&mut self) -> std::vec::Drain<'_, Record> {
        self.records.drain(..)
    }

    /// Inputs, outputs and silences so far.
    pub fn steps(&self) -> u64 {
        self.ledger.steps() + if self.run.begun { self.run.steps } else { 0 }
    }

    /// Something happened.
    fn record(&mut self, record: Record) {
        self.ledger.add(&record);
        self.records.push(record);
    }

    /// What to do next.
    pub fn decide(&mut self) -> Decision {
        if !self.run.begun || self.run.steps == 0 || self.run.mode == Mode::Walk {
            self.tools.forget_terms();
        }
        // Before a run nobody waits; from the reset on the system does.
        self.tools.cancellation.hurry(self.run.begun.then_some(self.settings.pause));
        let decision = self.choose();
        // What is observed is judged however long that takes.
        self.tools.cancellation.hurry(None);
        decision
    }

    fn choose(&mut self) -> Decision {
        let (mut in_time, mut drops) = (true, 0);
        loop {
            if self.ledger.end().is_some() {
                return Decision::Stop;
            }
            if let Some(pending) = &self.run.pending {
                return Decision::Await { id: pending.id };
            }
            if !self.run.begun {
                if let Some(end) = self.over() {
                    self.stop(end);
                    continue;
                }
                if let Some(decision) = self.next_run() {
                    return decision;
                }
                self.stop(End::Done);
                continue;
            }
            match self.probe.select(self.referee.model()) {
                None => {}
                Some(ProbeMove::Wait) => return Decision::Wait,
                Some(ProbeMove::Send(input, purpose)) => {
                    self.run.choice = Some((input.clone(), Why::Probe(purpose)));
                    return Decision::Send { id: self.run.ids + 1, input, at_once: true };
                }
                Some(ProbeMove::Drop) => {
                    self.ledger.dropped_input();
                    continue;
                }
                Some(ProbeMove::Over(found)) => {
                    self.ledger.probed(found);
                    self.finish(Cause::Reached);
                    continue;
                }
            }
            if std::mem::take(&mut self.run.probe_waits) && !self.referee.is_quiet() {
                return Decision::Wait;
            }
            if let Some(cause) = self.listening.ending.take() {
                // What came last may have reached the purpose after all.
                let reached = matches!(cause, Cause::Open(_)) && self.run.is_content();
                self.finish(if reached { Cause::Reached } else { cause });
                continue;
            }
            // What is repeated has been paid for.
            let most = self.settings.max_steps.filter(|_| !self.is_repeating());
            if most.is_some_and(|most| self.steps() >= most) {
                self.stop(End::Steps);
                continue;
            }
            let then =
                self.listening.then.take().filter(|(input, _)| self.referee.is_quiet() && self.referee.takes(input));
            let scripted = then.map(|(input, why)| Chosen::Send(input, why)).or_else(|| self.repeat());
            let chosen = match (scripted, self.run.mode) {
                (Some(chosen), _) => chosen,
                (None, Mode::Purpose(purpose)) => self.pursue(purpose),
                (None, Mode::Walk) => self.walk(),
            };
            let chosen = match chosen {
                // It is silent already, and something else is waited for.
                Chosen::Wait if self.referee.is_quiet() => self.go_on().unwrap_or(Chosen::Wait),
                other => other,
            };
            // What was cut short by the end of everything decides nothing.
            if let Some(end) = self.over() {
                self.stop(end);
                continue;
            }
            if in_time && (self.tools.cancellation.is_late() || self.tools.cancellation.is_spent()) {
                in_time = false;
                self.ledger.hurried();
                if self.tools.cancellation.is_late() {
                    self.record(Record::Hurried);
                }
            }
            match chosen {
                Chosen::Send(input, _) if let Err(mistake) = border::check(self.model(), &input) => {
                    drops += 1;
                    self.drop_choice(mistake, drops);
                }
                // The answer to the last input is to be judged, too.
                Chosen::Send(..) if self.steps() > 0 && most.is_some_and(|m| self.steps() + 1 >= m) => {
                    self.stop(End::Steps);
                }
                Chosen::Send(input, why) if self.listens_before(&input) => {
                    self.listening.then = Some((input, why));
                    return Decision::Wait;
                }
                Chosen::Send(input, why) => {
                    self.run.choice = Some((input.clone(), why));
                    return Decision::Send { id: self.run.ids + 1, input, at_once: self.run.heard >= HEARD };
                }
                // It is silent already: what is waited for will not come.
                Chosen::Wait if self.referee.is_quiet() => {
                    let done = self.run.is_content();
                    self.finish(if done { Cause::Reached } else { Cause::Open(Open::Deviation) });
                }
                Chosen::Wait => return Decision::Wait,
                Chosen::Again => {}
                Chosen::End(cause) if self.owes() || self.listens(&cause) => {
                    self.listening.ending = Some(cause);
                    return Decision::Wait;
                }
                Chosen::End(cause) => self.finish(cause),
            }
        }
    }

    /// The next run, if there is anything left to do.
    fn next_run(&mut self) -> Option<Decision> {
        if let Some(decision) = self.next_repeat() {
            return Some(decision);
        }
        let Tester { schedule, referee, ledger, settings, tools, .. } = self;
        let Next { mode, aim, repeated } = schedule.next(&mut referee.suite, ledger, settings, &mut tools.random)?;
        self.run.plan(mode, aim, repeated);
        if self.settings.max_steps.is_some_and(|most| self.ledger.steps() >= most) {
            self.stop(End::Steps);
            return Some(Decision::Stop);
        }
        Some(self.reset(self.settings.seed.wrapping_add(self.run.number + 1)))
    }

    /// Brings the system to its initial state for the next run.
    fn reset(&mut self, seed: u64) -> Decision {
        self.run.resets(seed);
        self.ledger.resets(self.run.number);
        Decision::Reset { run: self.run.number, seed }
    }

    /// The system is in its initial state.
    pub fn started(&mut self, order: Order) {
        self.interaction = self.settings.interaction.unwrap_or(match order {
            Order::Sut | Order::Certain => Interaction::Eager,
            Order::Sent => Interaction::Fair,
        });
        self.referee.set_order(order);
        self.probe.stop();
        self.course = None;
        self.mute.start();
        self.repeats.start();
        (self.listening.ending, self.listening.then) = (None, None);
        self.walks.start(&mut self.tools.random);
        // Now and then a short walk: what is possible only at the start wants to be tried with many values.
        let walk_end = match self.settings.walks == Walking::Guided && self.tools.random.below(4) == 0 {
            true => self.settings.walk.min(AFTER.0 + self.tools.random.below(AFTER.1)),
            false => self.settings.walk,
        };
        self.run.begins(walk_end);
        let seed = self.run.seed;
        self.record(Record::Run { run: self.run.number, seed, aim: self.run.aim.clone(), order });
        match self.referee.start() {
            None => self.look_at_purposes(),
            Some(cause) => self.finish(cause),
        }
    }

    /// What a walk does next.
    fn walk(&mut self) -> Chosen {
        if self.run.steps >= self.run.walk_end {
            // What the last input led to is seen only if somebody looks.
            return if self.run.owed { Chosen::Wait } else { Chosen::End(Cause::Reached) };
        }
        let guided = self.settings.walks == Walking::Guided;
        let fair = self.is_fair();
        self.walks.closing = self.run.steps + CLOSING >= self.run.walk_end;
        let Tester { referee, tools: Tools { walker, inputs, random, .. }, walks, settings, .. } = self;
        match walks.next(referee, walker, inputs, random, (guided, settings.values), fair) {
            Move::Send(input) => Chosen::Send(input, Why::Walk),
            Move::Wait => Chosen::Wait,
            Move::Enough => Chosen::End(Cause::Reached),
            Move::Stuck => {
                self.look_for_deadlock();
                Chosen::End(Cause::Reached)
            }
        }
    }

    /// Whether to wait for outputs that may be under way before anything is sent.
    fn is_fair(&self) -> bool {
        self.interaction == Interaction::Fair && self.run.heard < HEARD
    }

    /// The campaign ends here.
    pub fn stop(&mut self, end: End) {
        if self.ledger.end().is_some() {
            return;
        }
        if self.run.begun {
            // A run in which nothing was observed has shown nothing; nor has one shown that the system goes on in which
            // something was overdue.
            let shown = (self.mute.observed || self.run.reached.is_some()) && !self.is_overdue();
            let cause = if shown && self.run.is_content() { Cause::Reached } else { Cause::Open(Open::Stopped) };
            self.finish(cause);
        }
        if self.ledger.end().is_none() {
            self.record(Record::End { why: end, stale: self.ledger.stale(), waiting: self.waiting });
        }
    }
}

enum Chosen {
    Send(GateValue, Why),
    Wait,
    /// Things have changed: decide again.
    Again,
    End(Cause),
}
