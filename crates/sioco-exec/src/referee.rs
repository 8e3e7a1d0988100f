//! The verdict rules on one run (`theory`, section 5; S3 rules 1 to 5; S0 algorithm 1, lines 24 to 39).
//!
//! A referee is told what happens, in order, and says when that is the end. It chooses nothing and knows no clock, so
//! that a recorded run gets the same verdict again.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use sioco_model::model::{CLOSED, Direction, Label, Model};
use sioco_model::semantics::interpreter::{Interpreter, Quiescence, StepError};
use sioco_model::semantics::oracle::Oracle;
use sioco_model::semantics::state::State;
use sioco_model::{GateId, SwitchId};
use sioco_symbolic::path::SolverFactory;

use crate::account::Bits;
use crate::belief::{Belief, Hypothesis, Mind, Place};
use crate::event::{GateValue, Observation};
use crate::explanation::{Allowed, Explanation, Left, MOST};
use crate::patient::Patient;
use crate::suite::Suite;
use crate::sut::Order;
use crate::under_way::UnderWay;
use crate::verdict::{Cause, Failure, Open, Trouble, Verdict};

/// A purpose that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    /// Which one.
    pub purpose: usize,
    /// Pass if all hypotheses are at an accept, weak pass if only some are.
    pub verdict: Verdict,
    /// Whether there is just one hypothesis.
    pub alone: bool,
    /// Whether all hypotheses rest on something unknown.
    pub doubt: bool,
}

/// See the [module](self).
pub struct Referee<'m> {
    /// What changes the belief.
    pub mind: Mind<'m>,
    /// The purposes that hypotheses stand in.
    pub suite: Suite,
    /// What the order of events means in this run, and in the next one.
    order: Order,
    promised: Order,
    belief: Belief,
    pub(crate) under_way: Option<UnderWay>,
    pub(crate) misordered: bool,
    /// The belief before a delta that the next output may disprove.
    before_delta: Option<Belief>,
    /// Whether that delta is one by the clock.
    timed: bool,
    /// What would be believed without the silences by the clock, where that is more.
    patient: Option<Patient>,
    /// Whether a silence of this run was withdrawn.
    late: bool,
    /// Whether the last thing that happened was silence.
    quiet: bool,
    /// All inputs that were sent in this run, where it is not known when they were taken.
    queue: Vec<GateValue>,
    /// What was observed last and ended the run.
    broken_by: Option<Observation>,
    closed: Option<GateId>,
    /// Whether a refused input counts (S2 definition 6).
    pub(crate) refusals: bool,
    /// Deltas that were withdrawn since an output came after all.
    pub withdrawn: u64,
}

/// What was believed before a run was judged in another order.
pub(crate) struct SetAside {
    belief: Belief,
    before_delta: Option<Belief>,
    patient: Option<Patient>,
    quiet: bool,
    broken_by: Option<Observation>,
    withdrawn: u64,
}

impl<'m> Referee<'m> {
    /// A referee without purposes.
    pub fn new(model: &'m Model, solvers: SolverFactory<'m>, order: Order) -> Self {
        Self::with(model, solvers, order, Suite::default(), None, 10_000)
    }

    /// A referee that also knows where hypotheses stand in purposes, with somebody to ask about known states, following
    /// so many hypotheses at most.
    pub fn with(
        model: &'m Model,
        solvers: SolverFactory<'m>,
        order: Order,
        suite: Suite,
        oracle: Option<Arc<Mutex<dyn Oracle>>>,
        limit: usize,
    ) -> Self {
        let mut interpreter = Interpreter::new(model);
        if let Some(oracle) = oracle {
            interpreter = interpreter.with_oracle(oracle);
        }
        let closed = model.gates.iter().find(|(_, g)| g.name == CLOSED && g.direction == Direction::Output);
        Referee {
            mind: Mind::new(model, interpreter, solvers, limit),
            suite,
            order,
            promised: order,
            belief: Belief::default(),
            under_way: None,
            misordered: false,
            before_delta: None,
            timed: false,
            patient: None,
            late: false,
            quiet: false,
            queue: Vec::new(),
            broken_by: None,
            closed: closed.map(|(id, _)| id),
            refusals: false,
            withdrawn: 0,
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.mind.model()
    }

    /// What the order of events means from the next start on.
    pub fn set_order(&mut self, order: Order) {
        self.promised = order;
    }

    /// Whether an input that the model defines and the system refuses is a failure (S2 definition 6), as suites of a
    /// comparison have it; otherwise it is an error and no verdict.
    pub fn count_refusals(&mut self, count: bool) {
        self.refusals = count;
    }

    /// What the order of events means.
    pub fn order(&self) -> Order {
        self.order
    }

    /// All that explains what was observed.
    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The hypotheses that have taken all inputs, with their place among all: what is sent next, they get next. The others
    /// stand where inputs are still to come that were sent before.
    pub fn ready(&self) -> impl Iterator<Item = (usize, &Hypothesis)> + '_ {
        let taken = self.belief.groups.iter().flat_map(|g| std::iter::repeat_n(g.taken, g.hypotheses.len()));
        let all = self.belief.hypotheses().zip(taken).enumerate();
        all.filter(|(_, (_, taken))| *taken == self.queue.len()).map(|(at, (h, _))| (at, h))
    }

    /// Whether a hypothesis takes this input next, or perhaps does.
    pub fn takes(&mut self, input: &GateValue) -> bool {
        let Referee { belief, queue, mind, .. } = self;
        if !mind.interpreter.is_gate_value(input.gate, &input.args) {
            return false;
        }
        let (mut enabled, mut unsure) = (Vec::new(), Vec::new());
        let ready = belief.groups.iter().filter(|g| g.taken == queue.len());
        for h in ready.flat_map(|g| &g.hypotheses) {
            let takes = match &h.place {
                Place::Known(state) => {
                    let found =
                        mind.interpreter.enabled_switches(state, input.gate, &input.args, &mut enabled, &mut unsure);
                    found.is_err() || !enabled.is_empty() || !unsure.is_empty()
                }
                Place::Open(trail) => !mind.tracker().next(trail, input.gate, &input.args).is_empty(),
            };
            if takes {
                return true;
            }
        }
        false
    }

    /// Whether every hypothesis takes this input next, for sure (`theory`, section 5: refused inputs).
    pub fn must_take(&mut self, input: &GateValue) -> bool {
        let Referee { belief, queue, mind, .. } = self;
        let (mut enabled, mut unsure) = (Vec::new(), Vec::new());
        let mut any = false;
        // Where something was not followed to its end, there may be others.
        if belief.cut || belief.groups.iter().any(|g| g.taken != queue.len()) {
            return false;
        }
        for h in belief.groups.iter().flat_map(|g| &g.hypotheses) {
            let Place::Known(state) = &h.place else { return false };
            enabled.clear();
            let found = mind.interpreter.enabled_switches(state, input.gate, &input.args, &mut enabled, &mut unsure);
            if found.is_err() || enabled.is_empty() {
                return false;
            }
            any = true;
        }
        any
    }

    /// Whether inputs may be under way.
    pub fn is_waiting(&self) -> bool {
        self.belief.groups.iter().any(|g| g.taken < self.queue.len())
    }

    /// Whether the last thing observed was silence.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A run begins. A cause is the end of it: the model has no defined beginning.
    pub fn start(&mut self) -> Option<Cause> {
        self.order = self.promised;
        (self.under_way, self.misordered) = (None, false);
        self.before_delta = None;
        self.patient = None;
        self.late = false;
        self.quiet = false;
        self.broken_by = None;
        self.queue.clear();
        match self.mind.start(&self.suite) {
            Ok(belief) => {
                self.belief = belief;
                None
            }
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// The system took an input, or got it sent, as the order of events has it.
    pub fn input(&mut self, input: &GateValue) -> Option<Cause> {
        self.quiet = false;
        // What a silence by the clock ruled out is followed beside the belief.
        if self.order.is_of_system() || self.timed {
            self.before_delta = None;
        }
        self.forget_queue();
        let known = self.mind.interpreter.is_gate_value(input.gate, &input.args);
        // Where nothing takes this input, that it crossed is said of inputs before it.
        let crossed = self.belief.crossed;
        let result = match self.order {
            _ if !known => Ok(false),
            Order::Sut | Order::Certain => self.mind.step(&self.suite, &mut self.belief, input),
            Order::Sent => {
                self.queue.push(input.clone());
                self.mind.sent(&self.suite, &mut self.belief, &self.queue).map(|()| {
                    // Whatever order is true, the model must say something about one of them.
                    self.belief.groups.iter().any(|g| g.taken == self.queue.len())
                })
            }
        };
        if known && let Some(mut patient) = self.patient.take() {
            let needed = patient.input(&mut self.mind, &self.suite, self.order, &self.queue, input);
            self.patient = Some(patient).filter(|p| needed && p.differs(&self.belief));
        }
        match result {
            Ok(true) => None,
            Ok(false) if crossed => Some(Cause::Open(Open::Crossed)),
            Ok(false) => Some(Cause::Open(Open::Unspecified(input.clone()))),
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// What was observed, whatever input is under way.
    pub(crate) fn look_at(&mut self, seen: &Observation) -> Option<Cause> {
        let (gate_value, failure) = match seen {
            Observation::Delta => return self.delta(false),
            Observation::Output(output) => {
                if !self.mind.interpreter.is_gate_value(output.gate, &output.args) {
                    let gate = Some(output.gate);
                    let raw = output.show(self.model());
                    return self.fail(seen, Failure::Malformed { gate, why: "values do not fit".into(), raw });
                }
                (Some(output.clone()), Failure::Output(output.clone()))
            }
            Observation::Closed => (self.closed.map(|gate| GateValue { gate, args: Vec::new() }), Failure::Closed),
            Observation::Malformed { gate, why, raw } => {
                let failure = Failure::Malformed { gate: *gate, why: why.clone(), raw: raw.clone() };
                return self.fail(seen, failure);
            }
        };
        let before = self.before_delta.take();
        let mut late = None;
        match before {
            Some(before) if std::mem::take(&mut self.quiet) => {
                // The time-out was too short: there was something under way.
                self.belief = before;
                self.withdrawn += 1;
                self.late = true;
                if let Some(patient) = &mut self.patient {
                    patient.silences = patient.silences.saturating_sub(1);
                }
            }
            // Inputs that were sent after the silence may not have been taken yet.
            other => late = other,
        }
        let Some(event) = gate_value else { return self.fail(seen, failure) };
        let mut result = match self.queue.is_empty() {
            true => self.mind.step(&self.suite, &mut self.belief, &event),
            false => self.mind.overtaken(&self.suite, &mut self.belief, &self.queue, &event),
        };
        if let (Ok(explained), Some(mut late)) = (&result, late) {
            let explained = *explained;
            result = match self.mind.overtaken(&self.suite, &mut late, &self.queue, &event) {
                Ok(true) if explained => {
                    self.belief.join(late);
                    Ok(true)
                }
                Ok(true) => {
                    self.belief = late;
                    self.withdrawn += 1;
                    self.late = true;
                    Ok(true)
                }
                Ok(false) => Ok(explained),
                Err(error) => Err(error),
            };
        }
        if let Some(mut patient) = self.patient.take() {
            let explained = patient.seen(&mut self.mind, &self.suite, &self.queue, &event);
            match &result {
                Ok(true) => {
                    self.patient = Some(patient).filter(|p| (explained || p.belief.cut) && p.differs(&self.belief))
                }
                Ok(false) if explained => {
                    self.disbelieve(patient);
                    result = Ok(true);
                }
                Ok(false) => self.patient = Some(patient),
                Err(_) => {}
            }
        }
        match result {
            Ok(true) => {
                self.forget_queue();
                None
            }
            Ok(false) => self.fail(seen, failure),
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// The silences by the clock were none: there was something under way.
    fn disbelieve(&mut self, patient: Patient) {
        self.belief = patient.belief;
        self.withdrawn += patient.silences;
        self.late = true;
    }

    /// Once all inputs are taken, nobody needs to know them any more.
    fn forget_queue(&mut self) {
        if self.before_delta.is_some() || self.queue.is_empty() {
            return;
        }
        let beliefs = || self.patient.iter().map(|p| &p.belief).chain([&self.belief]);
        if beliefs().flat_map(|b| &b.groups).all(|g| g.taken == self.queue.len()) {
            self.queue.clear();
            let beliefs = self.patient.iter_mut().map(|p| &mut p.belief).chain([&mut self.belief]);
            beliefs.flat_map(|b| &mut b.groups).for_each(|g| g.taken = 0);
        }
    }

    /// Whether silence would surely be no failure now.
    pub fn allows_silence(&mut self) -> bool {
        if self.quiet || self.belief.crossed || self.belief.cut {
            return true;
        }
        let mut belief = self.belief.clone();
        match self.mind.delta(&self.suite, &mut belief, self.queue.len()) {
            // Where that is not decided, it may be a failure for all that is known.
            Ok(allowed) => allowed && !belief.is_doubtful(),
            Err(_) => true,
        }
    }

    /// The belief that something which is seen now is judged by: what comes right after a silence disproves it.
    pub(crate) fn before_observation(&self) -> Belief {
        let quiet = self.before_delta.as_ref().filter(|_| self.quiet);
        quiet.unwrap_or(&self.belief).clone()
    }

    /// Goes on from a belief, in the order in which inputs are sent; gives back what was believed until now.
    pub(crate) fn set_aside(&mut self, belief: Belief) -> SetAside {
        let aside = SetAside {
            belief: std::mem::replace(&mut self.belief, belief),
            before_delta: self.before_delta.take(),
            patient: self.patient.take(),
            quiet: std::mem::take(&mut self.quiet),
            broken_by: self.broken_by.take(),
            withdrawn: self.withdrawn,
        };
        self.order = Order::Sent;
        aside
    }

    /// Believes again what was set aside, in the order that the adapter promises.
    pub(crate) fn restore(&mut self, aside: SetAside) {
        let SetAside { belief, before_delta, patient, quiet, broken_by, withdrawn } = aside;
        (self.belief, self.before_delta, self.patient, self.quiet) = (belief, before_delta, patient, quiet);
        (self.broken_by, self.withdrawn) = (broken_by, withdrawn);
        self.queue.clear();
        self.order = Order::Sut;
    }

    /// Silence: by the clock, or as the system or its adapter says.
    pub(crate) fn delta(&mut self, timed: bool) -> Option<Cause> {
        if self.quiet {
            // Two silences in a row say nothing new.
            return None;
        }
        let sent = self.queue.len();
        let mut before = self.belief.clone();
        let mut result = self.mind.delta(&self.suite, &mut self.belief, sent);
        let patient = self.patient.take();
        match (&result, patient) {
            (Ok(true), Some(mut patient)) if timed => {
                patient.silences += 1;
                self.patient = Some(patient);
            }
            (Ok(true), Some(mut patient)) => {
                let explained = patient.silent(&mut self.mind, &self.suite, sent);
                self.patient = Some(patient).filter(|p| (explained || p.belief.cut) && p.differs(&self.belief));
            }
            (Ok(true), None) if timed => {
                self.patient = Patient::after(&mut self.mind, before.clone(), &self.belief, sent);
            }
            (Ok(false), Some(mut patient)) => {
                let all = patient.belief.clone();
                if patient.silent(&mut self.mind, &self.suite, sent) {
                    self.disbelieve(patient);
                    if timed {
                        self.patient = Patient::after(&mut self.mind, all.clone(), &self.belief, sent);
                    }
                    before = all;
                    result = Ok(true);
                } else {
                    self.patient = Some(patient);
                }
            }
            (Ok(true), None) | (Ok(false), None) | (Err(_), _) => {}
        }
        match result {
            Ok(true) => {
                // An output may disprove this: then inputs may be under way again, and the queue is still needed.
                self.before_delta = Some(before);
                self.timed = timed;
                self.quiet = true;
                None
            }
            Ok(false) => self.fail(&Observation::Delta, Failure::Silence),
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// Nothing explains what was observed: a failure, unless something was left out that might.
    fn fail(&mut self, seen: &Observation, failure: Failure) -> Option<Cause> {
        self.broken_by = Some(seen.clone());
        if self.belief.crossed {
            return Some(Cause::Open(Open::Crossed));
        }
        if self.belief.cut {
            return Some(Cause::Open(Open::Cut));
        }
        let known = !matches!(failure, Failure::Malformed { .. });
        if let Some(excuse) = self.patient.as_ref().and_then(|p| p.excuse(self.late)).filter(|_| known) {
            return Some(excuse);
        }
        // Where states are not known, the symbolic steps leave out what is undefined, and that would be a model error.
        if known && self.may_be_undefined(seen) {
            let what = "the model may be undefined for what was observed";
            return Some(Cause::Open(Open::Other(what.into())));
        }
        Some(Cause::Failure(failure))
    }

    /// Whether a hypothesis without a known state has a switch that may be undefined where it was asked about.
    fn may_be_undefined(&mut self, seen: &Observation) -> bool {
        let model = self.model();
        let trails: Vec<_> = (self.belief.hypotheses())
            .filter_map(|h| match &h.place {
                Place::Known(_) => None,
                Place::Open(trail) => Some(trail.clone()),
            })
            .collect();
        let asked = |s: SwitchId| match (model.switches[s].label, seen) {
            (Label::Gate(g), Observation::Output(output)) => g == output.gate,
            (Label::Gate(g), Observation::Delta) => model.gates[g].direction == Direction::Output,
            (Label::Gate(g), Observation::Closed) => Some(g) == self.closed,
            (Label::Gate(_), Observation::Malformed { .. }) => false,
            (Label::Internal | Label::Send(_) | Label::Receive(_), _) => true,
        };
        let partial = |s: SwitchId| {
            let s = &model.switches[s];
            let terms = s.params.iter().filter_map(|p| p.term).chain(s.update.iter().map(|(_, t)| *t));
            terms.chain([s.guard]).any(|t| model.terms.is_partial(t))
        };
        if trails.is_empty() {
            return false;
        }
        let tracker = self.mind.tracker();
        trails.iter().any(|trail| {
            let locations = tracker.locations(trail);
            let mut switches = locations.iter().flat_map(|l| model.locations[*l].outgoing.iter().copied());
            switches.any(|s| asked(s) && partial(s))
        })
    }

    fn trouble(&self, error: &StepError) -> Cause {
        let (StepError::Undefined { switch, .. } | StepError::NeedsSolver { switch, .. }) = error;
        match error {
            StepError::NeedsSolver { .. } => Cause::Open(Open::Other(error.describe(self.model()))),
            StepError::Undefined { .. } => {
                Cause::Trouble(Trouble::Model { switch: *switch, message: error.describe(self.model()) })
            }
        }
    }

    /// The open purposes that are reached here (S3 rules 4 and 5): by all hypotheses, or by some.
    pub fn reached(&self) -> Vec<Reached> {
        let (suite, belief) = (&self.suite, &self.belief);
        // How many hypotheses are surely there, and the last of these; in the order in which purposes come up.
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        let mut all = 0;
        for h in belief.hypotheses() {
            all += 1;
            for mark in &h.marks {
                for purpose in suite.accepted(mark.node) {
                    let place = *places.entry(purpose).or_insert_with(|| {
                        found.push((purpose, 0, 0));
                        found.len() - 1
                    });
                    let (_, sure, last) = &mut found[place];
                    if mark.sure && *last != all {
                        (*sure, *last) = (*sure + 1, all);
                    }
                }
            }
        }
        let of = |(purpose, sure, _): (usize, usize, usize)| Reached {
            purpose,
            verdict: if sure == all { Verdict::Pass } else { Verdict::WeakPass },
            alone: sure == all && belief.len() == 1,
            doubt: belief.is_doubtful(),
        };
        found.into_iter().map(of).collect()
    }

    /// The switches that were surely and possibly taken in this run.
    pub fn account(&self) -> (Bits, Bits) {
        self.belief.account(self.model().switches.len())
    }

    /// Whether some hypothesis may give an output or do something by itself, so that something may still come.
    pub fn may_act(&mut self) -> bool {
        if self.is_quiet() {
            return false;
        }
        if self.is_waiting() {
            return true;
        }
        let Referee { mind, belief, .. } = self;
        belief.hypotheses().any(|h| match &h.place {
            Place::Known(state) => {
                let i = &mut mind.interpreter;
                // Most states are told by their locations.
                let may = i.may_move_alone(state) || i.outputs_at(state).next().is_some();
                may && !matches!(i.quiescence(state), Ok(Quiescence::Quiescent))
            }
            Place::Open(trail) => {
                let model = mind.model();
                mind.tracker().enabled(trail).iter().any(|s| model.direction(*s) == Some(Direction::Output))
            }
        })
    }

    /// Whether some hypothesis may give an output. What internal steps lead to is a hypothesis of its own, so that a step
    /// that is still to come is no reason to wait.
    pub fn may_answer(&mut self) -> bool {
        if self.belief.cut || !self.may_act() {
            return self.may_act();
        }
        let waiting = self.is_waiting();
        let Referee { mind, belief, .. } = self;
        waiting
            || belief.hypotheses().any(|h| match &h.place {
                Place::Known(state) => match mind.interpreter.quiescence(state) {
                    Ok(Quiescence::Quiescent | Quiescence::Diverging) => false,
                    Ok(Quiescence::Active(switch)) => mind.model().direction(switch) == Some(Direction::Output),
                    Ok(Quiescence::Unknown { .. }) | Err(_) => true,
                },
                Place::Open(_) => true,
            })
    }

    /// The state, if nothing can happen in any hypothesis and one of them is not at the end of the model.
    pub fn deadlock(&mut self) -> Option<State> {
        let Referee { mind, belief, .. } = self;
        let mut found = None;
        for h in belief.hypotheses() {
            let state = h.state()?;
            let is_final = state.locations().iter().all(|l| mind.model().locations[*l].is_final);
            match is_final {
                true => {}
                false if mind.interpreter.is_deadlock(state) == Ok(Some(true)) => found = found.or(Some(state.clone())),
                false => return None,
            }
        }
        found
    }

    /// What the model allows after what was observed, hypothesis by hypothesis; and where the run ended with something
    /// that nothing explains, why not.
    pub fn explain(&mut self) -> Explanation {
        let all = self.belief.len();
        let taken = self.belief.groups.iter().flat_map(|g| std::iter::repeat_n(g.taken, g.hypotheses.len()));
        let some: Vec<(usize, Hypothesis)> = taken.zip(self.belief.hypotheses().cloned()).take(MOST).collect();
        let seen = self.broken_by.clone();
        let of = |(taken, h): &(usize, Hypothesis)| {
            let mut left = self.left(h, seen.as_ref());
            left.under_way = self.queue.get(*taken..).unwrap_or_default().to_vec();
            // Before it has taken everything, nobody calls it silent.
            left.allowed.retain(|a| *a != Allowed::Silence || left.under_way.is_empty());
            left
        };
        let hypotheses = some.iter().map(of).collect();
        Explanation { hypotheses, all }
    }

    fn left(&mut self, h: &Hypothesis, seen: Option<&Observation>) -> Left {
        let model = self.model();
        let trail = match &h.place {
            Place::Known(state) => {
                let state = state.clone();
                return self.left_known(state, seen);
            }
            Place::Open(trail) => trail,
        };
        let tracker = self.mind.tracker();
        let shown = tracker.show(trail);
        let locations = tracker.locations(trail);
        let enabled: Vec<SwitchId> = tracker.enabled(trail);
        let outputs = enabled.into_iter().filter(|s| model.direction(*s) == Some(Direction::Output));
        let outputs: Vec<SwitchId> = outputs.collect();
        let of = |switch: &SwitchId| Allowed::Output { switch: *switch, args: Vec::new(), fixed: false };
        let mut allowed: Vec<Allowed> = outputs.iter().map(of).collect();
        if !tracker.silence(trail).is_empty() {
            allowed.push(Allowed::Silence);
        }
        let switches: Vec<SwitchId> = match seen {
            Some(Observation::Output(output)) => {
                let all = locations.iter().flat_map(|l| model.locations[*l].outgoing.iter().copied());
                all.filter(|s| model.switches[*s].label == Label::Gate(output.gate)).collect()
            }
            Some(Observation::Delta) => outputs,
            _ => Vec::new(),
        };
        let switches = switches.into_iter().map(|s| (s, Vec::new())).collect();
        Left { locations, state: None, shown, under_way: Vec::new(), allowed, switches }
    }

    fn left_known(&mut self, state: State, seen: Option<&Observation>) -> Left {
        let model = self.model();
        let interpreter = &mut self.mind.interpreter;
        let mut allowed = Vec::new();
        for offer in interpreter.outputs(&state).unwrap_or_default() {
            allowed.push(Allowed::Output { switch: offer.switch, args: offer.args, fixed: offer.fixed });
        }
        if matches!(interpreter.quiescence(&state), Ok(Quiescence::Quiescent | Quiescence::Diverging)) {
            allowed.push(Allowed::Silence);
        }
        let mut switches = Vec::new();
        match seen {
            Some(Observation::Output(output)) => {
                for switch in interpreter.switches_at(&state, output.gate) {
                    switches.push((switch, interpreter.why_not(&state, switch, Some(&output.args))));
                }
            }
            Some(Observation::Delta) => {
                let own = |s: &SwitchId| match model.switches[*s].label {
                    Label::Gate(g) => model.gates[g].direction == Direction::Output,
                    Label::Internal | Label::Send(_) => true,
                    Label::Receive(_) => false,
                };
                let all: Vec<SwitchId> =
                    state.locations().iter().flat_map(|l| model.locations[*l].outgoing.iter().copied()).collect();
                for switch in all.into_iter().filter(own) {
                    if matches!(interpreter.example(&state, switch), Ok(Some(_))) {
                        switches.push((switch, Vec::new()));
                    }
                }
            }
            _ => {}
        }
        let (shown, under_way) = (state.show(model), Vec::new());
        Left { locations: state.locations().to_vec(), state: Some(state), shown, under_way, allowed, switches }
    }
}
