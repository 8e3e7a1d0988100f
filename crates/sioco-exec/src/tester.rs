//! The tester: what to do next, given all that happened so far (S0 algorithm 1; S3 rules 0 to 6; S1 section 3.2).
//!
//! It is a machine that is [asked](Tester::decide) what to do and told what happened. It has no clock and talks to nobody:
//! [`drive`](mod@crate::drive) connects it with a system under test. The same answers and the same seed give the same run.

use std::sync::{Arc, Mutex};

use sioco_model::Id;
use sioco_model::model::Model;
use sioco_model::semantics::oracle::Oracle;
use sioco_plan::walker::Walker;
use sioco_plan::{Leg, Plan};
use sioco_solve::Limits;
use sioco_solve::values::{Choice, Random};
use sioco_symbolic::path::{Path, Shortcuts, SolverFactory};

use crate::account::Bits;
use crate::belief::Place;
use crate::course::{self, Ahead, Course, NoCourse};
use crate::event::{GateValue, Observation};
use crate::inputs::Inputs;
use crate::record::{Aim, End, Record, Why};
use crate::referee::{Reached, Referee};
use crate::settings::{Interaction, Settings, Walks as Walking};
use crate::suite::{NodeId, Suite};
use crate::summary::{BadRun, PurposeResult, Summary, make_room};
use crate::sut::{Fault, FaultKind, Order};
use crate::verdict::{Cause, Open, Trouble, Verdict};
use crate::walk::{Move, Walks};

/// How many deadlocks are kept for the summary.
const DEADLOCKS: usize = 20;
/// How many ways are tried to find one that leads to a purpose.
const WAYS: usize = 32;
/// How much memory the solver's terms may take before they are forgotten.
const TERMS: usize = 64 << 20;
/// How many steps a walk has after a purpose, or if it is a short one: at least so many, and up to so many more.
const AFTER: (u64, u64) = (2, 9);
/// How likely a walk begins with a purpose again: once in so many.
const REPEATED: u64 = 4;
/// How many faults of an adapter, or refusals, end a campaign if nothing else happens between them.
const FAULTS: u32 = 3;
/// How many time-outs of an adapter end a campaign in all.
const TIMEOUTS: u32 = 10;

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
    overtaken: bool,
    /// Whether it counts as sent already.
    counted: bool,
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
    solvers: SolverFactory<'m>,
    random: Random,
    inputs: Inputs,
    walks: Walks,
    interaction: Interaction,
    order: Order,
    results: Vec<PurposeResult>,
    /// Records that nobody has taken yet.
    records: Vec<Record>,

    run: u64,
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
    /// After how many steps of the run a walk ends.
    walk_end: u64,
    /// The best verdict on a purpose in this run.
    reached: Option<Verdict>,

    steps: u64,
    sent: u64,
    runs: [u64; 5],
    worst: Option<Verdict>,
    surely: Bits,
    possibly: Bits,
    bad: Vec<BadRun>,
    deadlocks: Vec<String>,
    stale: u64,
    unheard: u64,
    faults: u32,
    timeouts: u32,
    end: Option<End>,
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
        let results = vec![PurposeResult::default(); suite.len()];
        let referee = Referee::with(model, solvers, Order::Sut, suite, oracle, settings.hypotheses);
        Tester {
            referee,
            walker: walker(model, solvers),
            solvers,
            random: Random::new(settings.seed),
            inputs: Inputs::new(model),
            walks: Walks::new(model),
            interaction: settings.interaction.unwrap_or(Interaction::Eager),
            order: Order::Sut,
            settings,
            results,
            records: Vec::new(),
            run: 0,
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
            walk_end: 0,
            reached: None,
            steps: 0,
            sent: 0,
            runs: [0; 5],
            worst: None,
            surely: Bits::new(model.switches.len()),
            possibly: Bits::new(model.switches.len()),
            bad: Vec::new(),
            deadlocks: Vec::new(),
            stale: 0,
            unheard: 0,
            faults: 0,
            timeouts: 0,
            end: None,
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.referee.model()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The records since this was asked last.
    pub fn records(&mut self) -> std::vec::Drain<'_, Record> {
        self.records.drain(..)
    }

    /// Inputs, outputs and silences so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What to do next.
    pub fn decide(&mut self) -> Decision {
        loop {
            if self.end.is_some() {
                return Decision::Stop;
            }
            if let Some(pending) = &self.pending {
                return Decision::Await { id: pending.id };
            }
            if !self.in_run {
                if let Some(decision) = self.next_run() {
                    return decision;
                }
                self.stop(End::Done);
                continue;
            }
            if self.settings.max_steps.is_some_and(|most| self.steps >= most) {
                self.stop(End::Steps);
                continue;
            }
            let chosen = match self.mode {
                Mode::Purpose(purpose) => self.pursue(purpose),
                Mode::Walk => self.walk(),
            };
            match chosen {
                // The answer to the last input is to be judged, too.
                Chosen::Send(..) if self.steps > 0 && self.settings.max_steps.is_some_and(|m| self.steps + 1 >= m) => {
                    self.stop(End::Steps);
                }
                Chosen::Send(input, why) => {
                    self.choice = Some((input.clone(), why));
                    return Decision::Send { id: self.ids + 1, input };
                }
                // It is silent already: what is waited for will not come.
                Chosen::Wait if self.referee.is_quiet() => {
                    let done = self.is_content();
                    self.finish(if done { Cause::Reached } else { Cause::Open(Open::Deviation) });
                }
                Chosen::Wait => return Decision::Wait,
                Chosen::Again => {}
                Chosen::End(cause) => self.finish(cause),
            }
        }
    }

    /// The next run, if there is anything left to do.
    fn next_run(&mut self) -> Option<Decision> {
        let open = |s: &Suite, p: &usize| s.is_open(*p);
        // What was tried least comes first; otherwise in the order of the plan (S1 5.2.3; S0: the longest first).
        let next = (0..self.results.len())
            .filter(|p| open(&self.referee.suite, p))
            .min_by_key(|p| self.results[*p].attempts)
            .filter(|p| self.results[*p].attempts < self.settings.attempts);
        self.repeated = false;
        match next {
            Some(purpose) => {
                self.results[purpose].attempts += 1;
                self.mode = Mode::Purpose(purpose);
                self.aim = Aim::Purpose(purpose);
            }
            None => {
                self.aim = Aim::Walk;
                let again = match self.settings.walks {
                    Walking::None => return None,
                    Walking::Random => None,
                    // A purpose again, with other values, is a good beginning of a walk.
                    Walking::Guided => {
                        let count = self.results.len() as u64;
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
        if self.settings.max_steps.is_some_and(|most| self.steps >= most) {
            self.stop(End::Steps);
            return Some(Decision::Stop);
        }
        self.run += 1;
        Some(Decision::Reset { run: self.run, seed: self.settings.seed.wrapping_add(self.run) })
    }

    /// The next purpose of a round over all that do not fail; one run may do for several of them.
    fn next_in_round(&mut self) -> Option<usize> {
        let dropped =
            |r: &PurposeResult| matches!(r.cause, Some(Cause::Failure(_) | Cause::Open(Open::Dropped { .. })));
        let left = (self.turn..self.results.len()).find(|p| self.referee.suite.is_open(*p));
        let next = left.or_else(|| {
            // A round in which nothing happens would be followed by others for ever.
            if self.round.replace(self.steps) == Some(self.steps) {
                return None;
            }
            self.give_up();
            let again: Vec<usize> = (0..self.results.len()).filter(|p| !dropped(&self.results[*p])).collect();
            again.iter().for_each(|p| self.referee.suite.reopen(*p));
            again.first().copied()
        })?;
        self.turn = next + 1;
        Some(next)
    }

    /// Purposes that were tried often enough are given up.
    fn give_up(&mut self) {
        for purpose in 0..self.results.len() {
            if self.referee.suite.is_open(purpose) {
                self.referee.suite.close(purpose);
            }
        }
    }

    /// The system is in its initial state.
    pub fn started(&mut self, order: Order) {
        self.interaction = self.settings.interaction.unwrap_or(match order {
            Order::Sut => Interaction::Eager,
            Order::Sent => Interaction::Fair,
        });
        self.referee.set_order(order);
        self.order = order;
        self.in_run = true;
        self.course = None;
        self.trace.clear();
        self.walks.start(&mut self.random);
        self.ids = 0;
        self.run_steps = 0;
        self.owed = false;
        self.reached = None;
        // Now and then a short walk: what is possible only at the start wants to be tried with many values.
        self.walk_end = match self.settings.walks == Walking::Guided && self.random.below(4) == 0 {
            true => self.settings.walk.min(AFTER.0 + self.random.below(AFTER.1)),
            false => self.settings.walk,
        };
        if self.walker.path.bytes() > TERMS {
            self.walker = walker(self.model(), self.solvers);
        }
        let seed = self.settings.seed.wrapping_add(self.run);
        self.records.push(Record::Run { run: self.run, seed, aim: self.aim.clone(), order });
        match self.referee.start() {
            None => self.look_at_purposes(),
            Some(cause) => self.finish(cause),
        }
    }

    /// What leads towards a purpose.
    fn pursue(&mut self, purpose: usize) -> Chosen {
        let model = self.model();
        // The rest of the current course still works (S1 3.2.2, case 1).
        if let Some((target, course)) = &self.course
            && self.referee.suite.leads_on(*target)
        {
            match course.ahead(model) {
                Ahead::Input(gate, args) => {
                    let why = if course.guess { Why::Guess(purpose) } else { Why::Purpose(purpose) };
                    let input = GateValue { gate, args };
                    // Silence may have ruled out the hypotheses that the course is for.
                    if self.referee.takes(&input) {
                        return self.stimulate(input, why);
                    }
                }
                Ahead::Own => return Chosen::Wait,
                Ahead::End => {}
            }
        }
        self.course = None;
        // Otherwise the rest is solved again, for this purpose or another one that the trace still fits (cases 2 to 4).
        let mut unknown = None;
        for (at, mark, target) in self.ways(purpose) {
            match self.solve(at, mark, target) {
                // A silence that the purpose does not have may have ruled out its values.
                Ok(course) if !self.may_begin(&course) => {}
                Ok(course) => {
                    self.course = Some((target, course));
                    let aim = self.referee.suite.accepted(target).next();
                    if let Some(other) = aim.filter(|o| *o != purpose && !self.repeated) {
                        self.mode = Mode::Purpose(other);
                    }
                    return Chosen::Again;
                }
                Err(NoCourse::Impossible) => {}
                Err(NoCourse::Unknown(reason)) => unknown = Some(reason),
            }
        }
        if self.settings.walks == Walking::Guided && (self.repeated || self.reached.is_some()) {
            // The walk begins where the purpose ends; what the last step led to shows only in what follows.
            self.mode = Mode::Walk;
            self.walk_end = match self.repeated {
                true => self.walk_end,
                false => self.run_steps + AFTER.0 + self.random.below(AFTER.1),
            };
            if self.repeated {
                self.give_up();
            }
            return Chosen::Again;
        }
        if self.is_content() {
            return Chosen::End(Cause::Reached);
        }
        if self.run_steps > 0
            && let Some(state) = self.referee.deadlock()
        {
            self.look_for_deadlock();
            return Chosen::End(Cause::Open(Open::Deadlock { state: state.show(model) }));
        }
        Chosen::End(Cause::Open(match unknown {
            Some(reason) => Open::Unknown(reason),
            None if self.run_steps == 0 => Open::NoValues,
            None => Open::Deviation,
        }))
    }

    /// Whether what a course begins with is taken by a hypothesis, where it is an input.
    fn may_begin(&mut self, course: &Course) -> bool {
        match course.ahead(self.model()) {
            Ahead::Input(gate, args) => self.referee.takes(&GateValue { gate, args }),
            Ahead::Own | Ahead::End => true,
        }
    }

    /// Whether to send an input now, or to wait for outputs that may be under way.
    fn stimulate(&mut self, input: GateValue, why: Why) -> Chosen {
        match self.interaction {
            Interaction::Fair if self.referee.may_act() => Chosen::Wait,
            _ => Chosen::Send(input, why),
        }
    }

    /// Where hypotheses may go on to something that is wanted: the hypothesis, the node of its mark, and the accept; the
    /// purpose at hand first.
    fn ways(&self, purpose: usize) -> Vec<(usize, NodeId, NodeId)> {
        let suite = &self.referee.suite;
        let mut found = Vec::new();
        let mut others = Vec::new();
        for (at, h) in self.referee.ready() {
            for mark in &h.marks {
                if suite.is_open(purpose) {
                    let below = suite.accepts_of(purpose).iter().filter(|a| **a != mark.node);
                    let below = below.filter(|a| suite.line(mark.node, **a).is_some());
                    found.extend(below.map(|a| (!mark.sure, suite.is_doubtful(*a), at, mark.node, *a)));
                }
                let below = suite.targets(mark.node, WAYS).into_iter();
                others.extend(below.map(|a| (!mark.sure, suite.is_doubtful(a), at, mark.node, a)));
            }
        }
        // What is surely on its way, and surely possible, comes first.
        found.sort_by_key(|f| (f.0, f.1));
        others.sort_by_key(|f| (f.0, f.1));
        found.truncate(WAYS);
        for other in others {
            if found.len() >= 2 * WAYS {
                break;
            }
            if !found.iter().any(|f| f.2 == other.2 && f.4 == other.4) {
                found.push(other);
            }
        }
        found.into_iter().map(|(_, _, at, mark, target)| (at, mark, target)).collect()
    }

    /// Values for the way from a hypothesis to an accept.
    fn solve(&mut self, at: usize, mark: NodeId, target: NodeId) -> Result<Course, NoCourse> {
        let Tester { referee, walker, settings, random, trace, inputs, .. } = self;
        let suite = &referee.suite;
        let Some(line) = suite.line(mark, target) else { return Err(NoCourse::Impossible) };
        let legs: Vec<&Leg> = line.iter().filter_map(|n| suite.leg(*n)).collect();
        let h = referee.belief().hypotheses().nth(at).expect("the belief has not changed");
        match &h.place {
            Place::Known(state) if !suite.remembers() => {
                let keen = settings.walks == Walking::Guided && matches!(settings.values, Choice::Random(_));
                let patterns = keen.then_some(&inputs.patterns);
                course::solve(walker, state, &legs, settings.values, random, patterns)
            }
            _ => {
                let before = suite.line(0, mark).expect("the root is above everything");
                let before: Vec<&Leg> = before.iter().filter_map(|n| suite.leg(*n)).collect();
                course::solve_after(walker, &before, trace, &legs, settings.values, random)
            }
        }
    }

    /// What a walk does next.
    fn walk(&mut self) -> Chosen {
        if self.run_steps >= self.walk_end {
            // What the last input led to is seen only if somebody looks.
            return if self.owed { Chosen::Wait } else { Chosen::End(Cause::Reached) };
        }
        let guided = self.settings.walks == Walking::Guided;
        let fair = self.interaction == Interaction::Fair;
        if self.walker.path.bytes() > TERMS {
            self.walker = walker(self.model(), self.solvers);
        }
        let Tester { referee, walker, inputs, random, walks, .. } = self;
        match walks.next(referee, walker, inputs, random, guided, fair) {
            Move::Send(input) => Chosen::Send(input, Why::Walk),
            Move::Wait => Chosen::Wait,
            Move::Enough => Chosen::End(Cause::Reached),
            Move::Stuck => {
                self.look_for_deadlock();
                Chosen::End(Cause::Reached)
            }
        }
    }

    /// Whether nothing is missing if the run ends here. A purpose that is repeated has been reached before.
    fn is_content(&self) -> bool {
        self.repeated || self.mode == Mode::Walk || self.reached.is_some()
    }

    /// Nothing can be done and nothing comes: is that the end of the model, or a deadlock?
    fn look_for_deadlock(&mut self) {
        let model = self.model();
        let Some(state) = self.referee.deadlock() else { return };
        let shown = state.show(model);
        if self.deadlocks.len() < DEADLOCKS && !self.deadlocks.contains(&shown) {
            self.deadlocks.push(shown);
        }
    }

    /// The input that was decided on is being sent.
    pub fn sending(&mut self) {
        let Some((input, why)) = self.choice.take() else { return };
        self.ids += 1;
        self.records.push(Record::Input { id: self.ids, input: input.clone(), why });
        self.pending = Some(Pending { id: self.ids, input, overtaken: false, counted: false });
    }

    /// An input was accepted. Says whether it was under way.
    pub fn accepted(&mut self, id: u64) -> bool {
        let Some(pending) = self.pending.take().filter(|p| p.id == id) else { return false };
        self.records.push(Record::Accepted { id });
        if !pending.counted {
            self.took(&pending.input, pending.overtaken);
        }
        true
    }

    /// The system took an input, or got it sent.
    fn took(&mut self, input: &GateValue, overtaken: bool) {
        self.inputs.patterns.sent(input.gate);
        self.sent += 1;
        self.owed = true;
        self.walks.ended(&self.referee);
        self.step(Some(input));
        match self.referee.input(input) {
            None => self.happened(Some(input)),
            Some(Cause::Open(Open::Unspecified(_))) if overtaken => self.finish(Cause::Open(Open::Crossed)),
            Some(cause) => self.finish(cause),
        }
    }

    /// Whether silence would be no failure now.
    pub fn allows_silence(&mut self) -> bool {
        !self.in_run || self.referee.allows_silence()
    }

    /// Something came after the quiescence time, where silence would have been a failure.
    pub fn came_late(&mut self) {
        self.referee.withdrawn += 1;
    }

    /// An input was refused. Says whether it was under way.
    pub fn refused(&mut self, id: u64, why: String) -> bool {
        let Some(pending) = self.pending.take().filter(|p| p.id == id) else { return false };
        self.records.push(Record::Refused { id, why: why.clone() });
        self.finish(Cause::Trouble(Trouble::Refused { input: pending.input, why }));
        self.steps += 1;
        // Who refuses everything would be asked for ever.
        self.faults += 1;
        if self.faults >= FAULTS {
            self.stop(End::Broken);
        }
        true
    }

    /// Something was observed.
    pub fn observed(&mut self, seen: Observation) {
        self.choice = None;
        self.records.push(Record::Observed(seen.clone()));
        if let Some(pending) = &mut self.pending {
            pending.overtaken = true;
            // Where it is only known that inputs were sent, this one may have been taken before what comes now, even if the
            // adapter has not said yet that it was sent.
            if self.order == Order::Sent && !std::mem::replace(&mut pending.counted, true) {
                let input = pending.input.clone();
                self.took(&input, false);
                if !self.in_run {
                    return;
                }
            }
        }
        let output = match &seen {
            Observation::Output(output) => Some(output.clone()),
            _ => None,
        };
        self.owed = false;
        self.step(output.as_ref());
        match self.referee.observe(&seen) {
            Some(Cause::Failure(_)) if self.is_early(&seen) => {
                let message = "an answer came before `accepted` of the input that it answers; in the order `sut`, the adapter \
                               says `accepted` first";
                let trouble = Trouble::Fault { kind: FaultKind::Protocol, message: message.into(), stderr: Vec::new() };
                self.finish(Cause::Trouble(trouble));
            }
            Some(cause) => self.finish(cause),
            None => {
                self.happened(output.as_ref());
                if seen == Observation::Closed && self.in_run {
                    let cause = match self.is_content() {
                        true => Cause::Reached,
                        false => Cause::Open(Open::Deviation),
                    };
                    self.finish(cause);
                }
            }
        }
    }

    /// Whether an output that nothing explains would be explained if the input that is under way had been taken: then the
    /// adapter has told them in the wrong order, and nothing is known about the system.
    fn is_early(&mut self, seen: &Observation) -> bool {
        let Some(pending) = self.pending.as_ref().filter(|p| !p.counted) else { return false };
        let input = pending.input.clone();
        self.referee.explains_after(&input, seen)
    }

    /// The adapter or the surroundings broke down.
    pub fn fault(&mut self, fault: Fault) {
        self.choice = None;
        self.pending = None;
        let Fault { kind, message, stderr, again } = fault.clone();
        if self.in_run {
            self.finish(Cause::Trouble(Trouble::Fault { kind, message, stderr }));
        } else {
            self.records.push(Record::Fault(fault));
            self.worst = self.worst.max(Some(Verdict::Error));
            self.bad(Verdict::Error, Cause::Trouble(Trouble::Fault { kind, message, stderr }));
        }
        self.faults += 1;
        // Each of these costs a person many seconds, whatever comes in between.
        self.timeouts += u32::from(kind == FaultKind::Timeout);
        if !again || self.faults >= FAULTS || self.timeouts >= TIMEOUTS {
            self.stop(End::Broken);
        }
    }

    /// The campaign ends here.
    pub fn stop(&mut self, end: End) {
        if self.end.is_some() {
            return;
        }
        if self.in_run {
            let cause = if self.is_content() { Cause::Reached } else { Cause::Open(Open::Stopped) };
            self.finish(cause);
        }
        if self.end.is_none() {
            self.records.push(Record::End { why: end.clone(), stale: self.stale });
            self.end = Some(end);
        }
    }

    /// Outputs that were dropped so far: those of older runs during later ones, and those after the end of their run.
    pub fn set_dropped(&mut self, stale: u64, unheard: u64) {
        (self.stale, self.unheard) = (stale, unheard);
    }

    fn step(&mut self, event: Option<&GateValue>) {
        self.faults = 0;
        self.steps += 1;
        self.run_steps += 1;
        if let Some(e) = event
            && self.settings.walks == Walking::Guided
        {
            self.inputs.remember(self.referee.model(), e.gate, &e.args);
        }
    }

    /// Something happened that the model allows.
    fn happened(&mut self, event: Option<&GateValue>) {
        let model = self.referee.model();
        let seen = event.map(|e| (e.gate, &e.args[..]));
        self.walks.happened(model, event);
        if matches!(self.mode, Mode::Purpose(_)) {
            self.trace.push(event.cloned());
            let went = match &mut self.course {
                // Silence that nobody asked for changes nothing.
                Some((_, course)) if seen.is_none() && course.ahead(model) != Ahead::Own => true,
                Some((_, course)) => course.advance(model, seen),
                None => true,
            };
            if !went || self.course.as_ref().is_some_and(|(_, c)| c.guess) {
                self.course = None;
            }
            self.look_at_purposes();
        }
    }

    /// Gives verdicts on purposes that were reached (S3 rules 4 and 5).
    fn look_at_purposes(&mut self) {
        for Reached { purpose, verdict, alone, doubt } in self.referee.reached() {
            self.referee.suite.close(purpose);
            self.reached = Some(self.reached.map_or(verdict, |r| r.min(verdict)));
            let result = &mut self.results[purpose];
            if self.repeated && result.verdict.is_some_and(|v| v <= Verdict::WeakPass) {
                continue;
            }
            result.verdict = Some(verdict);
            result.cause = None;
            result.alone = alone;
            result.doubt = doubt;
            result.run = Some(self.run);
            self.records.push(Record::Purpose { purpose, verdict, cause: Cause::Reached, alone, doubt });
        }
    }

    /// The run ends.
    fn finish(&mut self, cause: Cause) {
        let mut verdict = cause.verdict();
        if verdict == Verdict::Pass {
            verdict = self.reached.unwrap_or(Verdict::Pass);
        }
        self.in_run = false;
        self.pending = None;
        self.choice = None;
        let doubt = verdict <= Verdict::WeakPass && self.referee.belief().is_doubtful();
        if let Aim::Purpose(purpose) = self.aim {
            let result = &mut self.results[purpose];
            if result.verdict.is_none_or(|v| v > Verdict::WeakPass) {
                let became = if verdict <= Verdict::WeakPass { Verdict::Inconclusive } else { verdict };
                let cause = if cause == Cause::Reached { Cause::Open(Open::Deviation) } else { cause.clone() };
                result.verdict = Some(became);
                result.cause = Some(cause.clone());
                self.records.push(Record::Purpose { purpose, verdict: became, cause, alone: false, doubt: false });
            }
        }
        if verdict == Verdict::Fail {
            self.drop_prefix();
        }
        let (surely, possibly) = self.referee.account();
        self.surely.unite(&surely);
        self.possibly.unite(&possibly);
        self.runs[verdict as usize] += 1;
        // A purpose that was not reached may still be, in another attempt: what counts is what becomes of it.
        // Nor is anything lost by a walk that an output crossed.
        let crossed = cause == Cause::Open(Open::Crossed);
        let open = verdict == Verdict::Inconclusive && (crossed || matches!(self.aim, Aim::Purpose(_)));
        self.worst = self.worst.max(Some(if open { Verdict::Pass } else { verdict }));
        self.records.push(Record::Verdict { verdict, cause: cause.clone(), steps: self.run_steps, doubt });
        if verdict >= Verdict::Error {
            self.bad(verdict, cause);
        }
        if verdict == Verdict::Fail && self.settings.fail_fast {
            self.stop(End::FailFast);
        }
    }

    /// Gives up the purposes that the failing trace was a beginning of: they would fail in the same way (S1 section
    /// 3.2.4).
    fn drop_prefix(&mut self) {
        let (model, suite) = (self.referee.model(), &self.referee.suite);
        let marks = self.referee.belief().hypotheses().flat_map(|h| &h.marks);
        let mut dropped: Vec<usize> = marks.flat_map(|m| suite.expecting(model, m.node)).collect();
        dropped.sort_unstable();
        dropped.dedup();
        for purpose in dropped {
            self.referee.suite.close(purpose);
            if self.repeated || self.aim == Aim::Purpose(purpose) {
                continue;
            }
            let (verdict, cause) = (Verdict::Inconclusive, Cause::Open(Open::Dropped { run: self.run }));
            let result = &mut self.results[purpose];
            result.verdict = Some(verdict);
            result.cause = Some(cause.clone());
            self.records.push(Record::Purpose { purpose, verdict, cause, alone: false, doubt: false });
        }
        if let Aim::Purpose(purpose) = self.aim {
            self.referee.suite.close(purpose);
        }
    }

    fn bad(&mut self, verdict: Verdict, cause: Cause) {
        if !make_room(&mut self.bad, |b| (b.verdict, b.steps), verdict, self.run_steps) {
            return;
        }
        let explanation = match &cause {
            Cause::Failure(_) | Cause::Trouble(Trouble::Refused { .. }) => Some(self.referee.explain()),
            _ => None,
        };
        self.bad.push(BadRun { run: self.run, verdict, cause, steps: self.run_steps, explanation });
    }

    /// What the campaign came to.
    pub fn summary(&self) -> Summary {
        let model = self.referee.model();
        let switches: Vec<(bool, bool)> =
            model.switches.ids().map(|s| (self.surely.has(s.index()), self.possibly.has(s.index()))).collect();
        let ran = self.runs.iter().sum::<u64>() > 0;
        let mut locations = vec![(false, false); model.locations.len()];
        for p in model.processes.values() {
            locations[p.initial.index()] = (ran, ran);
        }
        for (id, s) in model.switches.iter() {
            let (sure, possible) = switches[id.index()];
            locations[s.target.index()].0 |= sure;
            locations[s.target.index()].1 |= possible;
        }
        // A plan that the budget cut off has not shown what it is for, be it before the first run.
        let unreached = self.results.iter().any(|r| r.verdict.is_none_or(|v| v == Verdict::Inconclusive));
        let cut_off = matches!(self.end, Some(End::Steps | End::Time)).then_some(Verdict::Inconclusive);
        let verdict = match unreached {
            true => self.worst.or(cut_off).map(|v| v.max(Verdict::Inconclusive)),
            false => self.worst,
        };
        Summary {
            verdict,
            end: self.end.clone().unwrap_or(End::Done),
            runs: self.runs,
            steps: self.steps,
            inputs: self.sent,
            purposes: self.results.clone(),
            switches,
            locations,
            bad: self.bad.clone(),
            deadlocks: self.deadlocks.clone(),
            withdrawn: self.referee.withdrawn,
            stale: self.stale,
            unheard: self.unheard,
            unknown: self.referee.mind.unknown,
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

fn walker<'m>(model: &'m Model, solvers: SolverFactory<'m>) -> Walker<'m> {
    Walker::new(Path::with(model, solvers, Shortcuts::default(), Limits::default()))
}
