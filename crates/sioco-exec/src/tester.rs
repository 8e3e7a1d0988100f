//! The tester: what to do next, given all that happened so far (S0 algorithm 1; S3 rules 0 to 6; S1 section 3.2).
//!
//! It is a machine that is [asked](Tester::decide) what to do and told what happened. It has no clock and talks to nobody:
//! [`drive`](mod@crate::drive) connects it with a system under test. Same answers and seed, same run (T-C10).

mod cut;
mod drop;
mod listen;
mod onward;
mod outcome;
mod probe;
mod repeat;
mod silent;
mod told;
mod towards;
mod withdraw;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sioco_model::GateId;
use sioco_model::model::Model;
use sioco_model::semantics::oracle::Oracle;
use sioco_plan::along::Drawer;
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, Event, Plan};
use sioco_solve::values::Random;
use sioco_solve::{Cancellation, Limits};
use sioco_symbolic::path::{Path, Shortcuts, SolverFactory};

use crate::border;
use crate::course::Course;
use crate::event::GateValue;
use crate::inputs::Inputs;
use crate::ledger::{Intent, Ledger};
use crate::mute::Mute;
use crate::record::{Aim, End, Record, Waiting, Why};
use crate::referee::Referee;
use crate::settings::{Interaction, Settings, Walks as Walking};
use crate::slower::Slower;
use crate::suite::{NodeId, Suite};
use crate::summary::PurposeResult;
use crate::sut::Order;
use crate::verdict::{Cause, Open, Verdict};
use crate::walk::{Move, Walks};
use listen::Listening;
use probe::Probing;
use repeat::Repeats;
use silent::Silent;
use withdraw::Granted;

/// How many ways are tried to find one that leads to a purpose.
const WAYS: usize = 32;
/// How much memory the solver's terms may take, besides those of the model, before they are forgotten: a long walk has
/// ever new values.
const TERMS: usize = 4 << 20;
/// How many steps a walk has after a purpose, or if it is a short one: at least so many, and up to so many more.
const AFTER: (u64, u64) = (2, 9);
/// So many steps before its end, a walk may as well end by an input.
const CLOSING: u64 = 3;
/// How likely a walk begins with a purpose again: once in so many.
const REPEATED: u64 = 4;
/// After how many outputs in a row a tester that waits for them sends something all the same: some systems never stop.
const HEARD: u64 = 4;
/// How many faults of an adapter, or refusals, end a campaign if nothing else happens between them.
const FAULTS: u32 = 3;
/// How many runs in a row that end since an adapter does not answer end a campaign: each takes all of its patience.
const HANGS: u32 = 3;
/// How many runs that an adapter spoils end a campaign, whatever comes between them: by time-outs, by dying, or by
/// answers that it tells before the input.
const SPOILED: u32 = 10;

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

/// An input that was sent and not yet accepted.
struct Pending {
    id: u64,
    input: GateValue,
}

/// What the run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Towards this purpose.
    Purpose(usize),
    /// A walk.
    Walk,
}

/// See the [module](self).
pub struct Tester<'m> {
    referee: Referee<'m>,
    settings: Settings,
    walker: Walker<'m>,
    /// How much memory its terms take at first, in bytes.
    at_first: usize,
    solvers: SolverFactory<'m>,
    /// What ends questions when the system has waited long enough.
    cancellation: Cancellation,
    random: Random,
    drawer: Drawer,
    inputs: Inputs,
    walks: Walks,
    interaction: Interaction,
    slower: Slower,
    /// Where something happened last in the run.
    last: Option<GateId>,
    /// The probe of each purpose, the one that is under way, and what came of those before it.
    probes: Vec<Vec<Event>>,
    probing: Option<Probing>,
    /// Whether a probe begins as soon as the answer to what came before it is there.
    probe_waits: bool,
    intent: Intent,
    /// Everything that is counted.
    ledger: Ledger,
    /// The purposes that may be tried, with how often they were; some may have been reached meanwhile.
    to_try: BTreeSet<(u32, usize)>,
    /// Records that nobody has taken yet.
    records: Vec<Record>,

    run: u64,
    /// The seed that the system gets.
    run_seed: u64,
    in_run: bool,
    mode: Mode,
    aim: Aim,
    /// Whether the purpose of the run is repeated for the sake of new values.
    repeated: bool,
    /// The purpose that comes next in a round over all of them, and how many steps there were before the round.
    turn: usize,
    round: Option<u64>,
    course: Option<(NodeId, Course)>,
    /// What happened in the run as far as the course to a purpose needs it.
    trace: Vec<Option<GateValue>>,
    choice: Option<(GateValue, Why)>,
    pending: Option<Pending>,
    ids: u64,
    run_steps: u64,
    /// Whether an input was taken and nothing was seen since.
    owed: bool,
    /// How many outputs were seen since the last input.
    heard: u64,
    /// After how many steps of the run a walk ends.
    walk_end: u64,
    /// The best verdict on a purpose in this run.
    reached: Option<Verdict>,
    /// What was granted at a delta by the clock that may still be withdrawn.
    granted: Granted,

    /// How many walks have begun.
    walked: u64,
    faults: u32,
    spoiled: u32,
    /// Runs in a row that ended since the adapter did not answer.
    hangs: u32,
    mute: Mute,
    listening: Listening,
    silent: Silent,
    repeats: Repeats,
    /// What was overdue when the campaign was ended.
    waiting: Option<Waiting>,
    /// When something came that no input has followed yet.
    heard_at: Option<Duration>,
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
        let cancellation = Cancellation::default();
        let walker = walker(model, solvers, &cancellation);
        Tester {
            referee,
            at_first: walker.path.bytes(),
            walker,
            solvers,
            cancellation,
            random: Random::new(settings.seed),
            drawer: Drawer::default(),
            inputs: Inputs::new(model),
            walks: Walks::new(model),
            interaction: settings.interaction.unwrap_or(Interaction::Eager),
            slower: Slower::new(model, &settings.slower),
            last: None,
            to_try: (0..purposes).filter(|_| settings.attempts > 0).map(|purpose| (0, purpose)).collect(),
            settings,
            ledger: Ledger::new(model.switches.len(), plan.purposes.iter().map(|p| !p.probe.is_empty()).collect()),
            probes: plan.purposes.iter().map(|p| p.probe.clone()).collect(),
            probing: None,
            probe_waits: false,
            intent: Intent {
                compared: plan.cover == Cover::Compare,
                all_allowed: matches!(plan.cover, Cover::Traces(_) | Cover::Paths(_)),
            },
            records: Vec::new(),
            run: 0,
            run_seed: 0,
            in_run: false,
            mode: Mode::Walk,
            aim: Aim::Walk,
            repeated: false,
            turn: usize::MAX,
            round: None,
            course: None,
            trace: Vec::new(),
            choice: None,
            pending: None,
            ids: 0,
            run_steps: 0,
            owed: false,
            heard: 0,
            walk_end: 0,
            reached: None,
            granted: Granted::default(),
            walked: 0,
            faults: 0,
            spoiled: 0,
            hangs: 0,
            mute: Mute::default(),
            listening: Listening::new(model),
            silent: Silent::default(),
            repeats: Repeats::default(),
            waiting: None,
            heard_at: None,
        }
    }

    /// The same, with the cancellation that all its solvers have: the one of its `solvers` and of its oracle. Otherwise only
    /// what it asks itself to find values ends in time.
    pub fn on(mut self, cancellation: &Cancellation) -> Tester<'m> {
        self.cancellation = cancellation.clone();
        self.referee.mind.end = cancellation.clone();
        self.walker = walker(self.model(), self.solvers, cancellation);
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
        self.slower.time(self.settings.quiescence, self.last, self.referee.belief())
    }

    /// The records since this was asked last.
    pub fn records(&mut self) -> std::vec::Drain<'_, Record> {
        self.records.drain(..)
    }

    /// Inputs, outputs and silences so far.
    pub fn steps(&self) -> u64 {
        self.ledger.steps() + if self.in_run { self.run_steps } else { 0 }
    }

    /// Something happened.
    fn record(&mut self, record: Record) {
        self.ledger.add(&record);
        self.records.push(record);
    }

    /// What to do next.
    pub fn decide(&mut self) -> Decision {
        if !self.in_run || self.run_steps == 0 || self.mode == Mode::Walk {
            self.forget_terms();
        }
        // Before a run nobody waits; from the reset on the system does.
        self.cancellation.hurry(self.in_run.then_some(self.settings.pause));
        let decision = self.choose();
        // What is observed is judged however long that takes.
        self.cancellation.hurry(None);
        decision
    }

    fn choose(&mut self) -> Decision {
        let (mut in_time, mut drops) = (true, 0);
        loop {
            if self.ledger.end().is_some() {
                return Decision::Stop;
            }
            if let Some(pending) = &self.pending {
                return Decision::Await { id: pending.id };
            }
            if !self.in_run {
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
            if self.probing.is_some() {
                match self.probe() {
                    Some(decision) => return decision,
                    None => continue,
                }
            }
            if std::mem::take(&mut self.probe_waits) && !self.referee.is_quiet() {
                return Decision::Wait;
            }
            if let Some(cause) = self.listening.ending.take() {
                // What came last may have reached the purpose after all.
                let reached = matches!(cause, Cause::Open(_)) && self.is_content();
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
            let chosen = match (scripted, self.mode) {
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
            if in_time && (self.cancellation.is_late() || self.cancellation.is_spent()) {
                in_time = false;
                self.ledger.hurried();
                if self.cancellation.is_late() {
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
                    self.choice = Some((input.clone(), why));
                    return Decision::Send { id: self.ids + 1, input, at_once: self.heard >= HEARD };
                }
                // It is silent already: what is waited for will not come.
                Chosen::Wait if self.referee.is_quiet() => {
                    let done = self.is_content();
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
        // What was tried least comes first; otherwise in the order of the plan (S1 5.2.3; S0: the longest first).
        while let Some((_, purpose)) = self.to_try.first()
            && !self.referee.suite.is_open(*purpose)
        {
            self.to_try.pop_first();
        }
        let next = self.to_try.first().map(|(_, purpose)| *purpose);
        self.repeated = false;
        match next {
            Some(purpose) => {
                let before = self.ledger.attempt(purpose);
                self.to_try.remove(&(before, purpose));
                if before + 1 < self.settings.attempts {
                    self.to_try.insert((before + 1, purpose));
                }
                self.mode = Mode::Purpose(purpose);
                self.aim = Aim::Purpose(purpose);
            }
            None => {
                if self.settings.max_walks.is_some_and(|most| self.walked >= most) {
                    return None;
                }
                self.walked += 1;
                self.aim = Aim::Walk;
                let again = match self.settings.walks {
                    Walking::None => return None,
                    Walking::Random => None,
                    // A purpose again, with other values, is a good beginning of a walk.
                    Walking::Guided => {
                        let count = self.probes.len() as u64;
                        (count > 0 && self.random.below(REPEATED) == 0).then(|| self.random.below(count) as usize)
                    }
                    Walking::Again => Some(self.next_in_round()?),
                };
                self.mode = again.map_or(Mode::Walk, Mode::Purpose);
                self.repeated = again.is_some();
                if self.settings.walks != Walking::Again {
                    self.give_up();
                    if let Some(purpose) = again {
                        self.referee.suite.reopen(purpose);
                    }
                }
            }
        }
        if self.settings.max_steps.is_some_and(|most| self.steps() >= most) {
            self.stop(End::Steps);
            return Some(Decision::Stop);
        }
        self.run += 1;
        self.ledger.resets(self.run);
        self.run_seed = self.settings.seed.wrapping_add(self.run);
        Some(Decision::Reset { run: self.run, seed: self.run_seed })
    }

    /// The next purpose of a round over all that do not fail; one run may do for several of them.
    fn next_in_round(&mut self) -> Option<usize> {
        let dropped =
            |r: &PurposeResult| matches!(r.cause, Some(Cause::Failure(_) | Cause::Open(Open::Dropped { .. })));
        let left = (self.turn..self.probes.len()).find(|p| self.referee.suite.is_open(*p));
        let next = left.or_else(|| {
            // A round in which nothing happens would be followed by others for ever.
            if self.round.replace(self.steps()) == Some(self.steps()) {
                return None;
            }
            self.give_up();
            let again: Vec<usize> = (0..self.probes.len()).filter(|p| !dropped(self.ledger.result(*p))).collect();
            again.iter().for_each(|p| self.referee.suite.reopen(*p));
            again.first().copied()
        })?;
        self.turn = next + 1;
        Some(next)
    }

    /// Purposes that were tried often enough are given up.
    fn give_up(&mut self) {
        for purpose in 0..self.probes.len() {
            if self.referee.suite.is_open(purpose) {
                self.referee.suite.close(purpose);
            }
        }
    }

    /// The system is in its initial state.
    pub fn started(&mut self, order: Order) {
        self.interaction = self.settings.interaction.unwrap_or(match order {
            Order::Sut | Order::Certain => Interaction::Eager,
            Order::Sent => Interaction::Fair,
        });
        self.referee.set_order(order);
        self.in_run = true;
        self.heard_at = None;
        self.probing = None;
        self.probe_waits = false;
        self.course = None;
        self.trace.clear();
        self.last = None;
        self.mute.start();
        self.repeats.start();
        (self.listening.ending, self.listening.then) = (None, None);
        self.walks.start(&mut self.random);
        self.ids = 0;
        self.run_steps = 0;
        self.owed = false;
        self.heard = 0;
        self.reached = None;
        self.granted = Granted::default();
        // Now and then a short walk: what is possible only at the start wants to be tried with many values.
        self.walk_end = match self.settings.walks == Walking::Guided && self.random.below(4) == 0 {
            true => self.settings.walk.min(AFTER.0 + self.random.below(AFTER.1)),
            false => self.settings.walk,
        };
        let seed = self.run_seed;
        self.record(Record::Run { run: self.run, seed, aim: self.aim.clone(), order });
        match self.referee.start() {
            None => self.look_at_purposes(),
            Some(cause) => self.finish(cause),
        }
    }

    /// Terms that were made for values are of no use later.
    fn forget_terms(&mut self) {
        if self.walker.path.bytes() > TERMS + self.at_first {
            self.walker = walker(self.model(), self.solvers, &self.cancellation);
        }
    }

    /// What a walk does next.
    fn walk(&mut self) -> Chosen {
        if self.run_steps >= self.walk_end {
            // What the last input led to is seen only if somebody looks.
            return if self.owed { Chosen::Wait } else { Chosen::End(Cause::Reached) };
        }
        let guided = self.settings.walks == Walking::Guided;
        let fair = self.is_fair();
        self.walks.closing = self.run_steps + CLOSING >= self.walk_end;
        let Tester { referee, walker, inputs, random, walks, settings, .. } = self;
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
        self.interaction == Interaction::Fair && self.heard < HEARD
    }

    /// Whether nothing is missing if the run ends here. A purpose that is repeated has been reached before.
    fn is_content(&self) -> bool {
        self.repeated || self.mode == Mode::Walk || self.reached.is_some()
    }

    /// The campaign ends here.
    pub fn stop(&mut self, end: End) {
        if self.ledger.end().is_some() {
            return;
        }
        if self.in_run {
            // A run in which nothing was observed has shown nothing; nor has one shown that the system goes on in which
            // something was overdue.
            let shown = (self.mute.observed || self.reached.is_some()) && !self.is_overdue();
            let cause = if shown && self.is_content() { Cause::Reached } else { Cause::Open(Open::Stopped) };
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

fn walker<'m>(model: &'m Model, solvers: SolverFactory<'m>, cancellation: &Cancellation) -> Walker<'m> {
    let limits = Limits { cancellation: cancellation.clone(), ..Limits::default() };
    Walker::new(Path::with(model, solvers, Shortcuts::default(), limits))
}
