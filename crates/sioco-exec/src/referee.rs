//! The verdict rules on one run (T-V2 to T-V8; S3 rules 1 to 5; S0 algorithm 1, lines 24 to 39).
//!
//! A referee is told what happens, in order, and says when that is the end. It chooses nothing and knows no clock, so
//! that a recorded run gets the same verdict again.

mod explain;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use sioco_model::GateId;
use sioco_model::model::{CLOSED, CRASHED, Direction, Label, Model};
use sioco_model::semantics::interpreter::{Interpreter, Quiescence, StepError};
use sioco_model::semantics::oracle::Oracle;
use sioco_model::semantics::state::State;
use sioco_symbolic::path::SolverFactory;
use sioco_symbolic::step::Step;

use crate::account::Bits;
use crate::belief::{Belief, Hypothesis, Mind, Place};
use crate::block::{Block, broken_word};
use crate::event::{GateValue, Observation};
use crate::explanation::{MOST, Narrowed};
use crate::open::Breaks;
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
}

/// A purpose that hypotheses accept.
struct Accepting {
    purpose: usize,
    /// How many are surely there.
    sure: usize,
    /// The number of the last of these.
    last: usize,
    /// Whether one of those that accept rests on no open question.
    certain: bool,
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
    pub(crate) belief: Belief,
    pub(crate) under_way: Option<UnderWay>,
    pub(crate) misordered: bool,
    /// The deltas since the last input or output, if there are any.
    pub(crate) block: Option<Block>,
    /// What would be believed without the silences by the clock, where that is more.
    pub(crate) patient: Option<Patient>,
    /// All inputs that were sent in this run, where it is not known when they were taken.
    pub(crate) queue: Vec<GateValue>,
    /// The last inputs of this run that only some hypotheses specify.
    narrowed: VecDeque<Narrowed>,
    /// What was observed last and ended the run.
    pub(crate) broken_by: Option<Observation>,
    closed: Option<GateId>,
    crashed: Option<GateId>,
    /// Whether a refused input counts (S2 definition 6).
    pub(crate) refusals: bool,
    /// Deltas that were withdrawn since an output came after all.
    pub withdrawn: u64,
    /// How many of them would have been failures.
    pub hidden: u64,
}

/// What was believed before a run was judged in another order.
pub(crate) struct SetAside {
    belief: Belief,
    block: Option<Block>,
    patient: Option<Patient>,
    broken_by: Option<Observation>,
    withdrawn: u64,
    hidden: u64,
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
        let output = |name: &str| {
            let found = model.gates.iter().find(|(_, g)| g.name == name && g.direction == Direction::Output);
            found.map(|(id, _)| id)
        };
        Referee {
            mind: Mind::new(model, interpreter, solvers, limit),
            suite,
            order,
            promised: order,
            belief: Belief::default(),
            under_way: None,
            misordered: false,
            block: None,
            patient: None,
            queue: Vec::new(),
            narrowed: VecDeque::new(),
            broken_by: None,
            closed: output(CLOSED),
            crashed: output(CRASHED),
            refusals: false,
            withdrawn: 0,
            hidden: 0,
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
        mind.tell_apart(belief, input);
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

    /// Whether every hypothesis takes this input next, for sure (T-E4: refused inputs).
    pub fn must_take(&mut self, input: &GateValue) -> bool {
        let Referee { belief, queue, mind, .. } = self;
        let (mut enabled, mut unsure) = (Vec::new(), Vec::new());
        let mut any = false;
        mind.tell_apart(belief, input);
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

    /// Whether the last thing observed was silence.
    pub fn is_quiet(&self) -> bool {
        self.block.is_some()
    }

    /// A run begins. A cause is the end of it: the model has no defined beginning.
    pub fn start(&mut self) -> Option<Cause> {
        self.order = self.promised;
        (self.under_way, self.misordered) = (None, false);
        self.block = None;
        self.patient = None;
        self.broken_by = None;
        self.queue.clear();
        self.narrowed.clear();
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
        if let Some(cause) = self.conclude() {
            return Some(cause);
        }
        self.forget_queue();
        let known = self.mind.interpreter.is_gate_value(input.gate, &input.args);
        // Where nothing takes this input, that it crossed is said of inputs before it.
        let crossed = self.belief.crossed;
        let untaken = || match crossed {
            true => Some(Cause::Open(Open::Crossed)),
            false => Some(Cause::Open(Open::Unspecified(input.clone()))),
        };
        if !known {
            return untaken();
        }
        let result = match self.order {
            Order::Sut | Order::Certain => {
                let taken = self.mind.take(&self.suite, &mut self.belief, input);
                self.narrowed.extend(self.mind.last_narrowed());
                if self.narrowed.len() > MOST {
                    self.narrowed.pop_front();
                }
                taken
            }
            Order::Sent => {
                self.queue.push(input.clone());
                self.mind.sent(&self.suite, &mut self.belief, &self.queue).map(|()| {
                    // Whatever order is true, the model must say something about one of them.
                    self.belief.groups.iter().any(|g| g.taken == self.queue.len())
                })
            }
        };
        if let Some(mut patient) = self.patient.take() {
            let needed = patient.input(&mut self.mind, &self.suite, self.order, &self.queue, input);
            self.patient = Some(patient).filter(|p| needed && p.differs(&self.belief));
        }
        match result {
            Ok(true) => None,
            Ok(false) if self.belief.cut && !crossed => Some(Cause::Open(Open::Cut)),
            Ok(false) => untaken(),
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// What was observed other than quiescence, whatever input is under way.
    pub(crate) fn look_at(&mut self, seen: &Observation) -> Option<Cause> {
        let (gate_value, failure) = match seen {
            Observation::Delta => return self.delta(None),
            Observation::Output(output) => match self.mind.interpreter.is_gate_value(output.gate, &output.args) {
                true => (Some(output.clone()), Failure::Output(output.clone())),
                false => {
                    let raw = output.show(self.model());
                    (None, Failure::Malformed { gate: Some(output.gate), why: "values do not fit".into(), raw })
                }
            },
            Observation::Closed => (self.closed.map(|gate| GateValue { gate, args: Vec::new() }), Failure::Closed),
            Observation::Crashed(crash) => {
                (self.crashed.map(|gate| GateValue { gate, args: Vec::new() }), Failure::Crashed(crash.clone()))
            }
            Observation::Malformed { gate, why, raw } => {
                (None, Failure::Malformed { gate: *gate, why: why.clone(), raw: raw.clone() })
            }
        };
        let announced = self.interrupt_block();
        let cause = self.explained_by(seen, gate_value, failure);
        // Where the system is played in this process, there is no adapter that could be wrong.
        let promised = announced && self.order != Order::Certain;
        match cause {
            // If the silence is only perhaps allowed, either it is the failure, or the adapter was wrong.
            Some(Cause::Failure(_)) if promised && !seen.is_end() => Some(match self.belief.doubt() {
                Some(doubt) => Cause::Open(Open::Undecided(doubt.to_string())),
                None => broken_word(),
            }),
            cause => cause,
        }
    }

    /// Judges an output or the end of the system.
    fn explained_by(&mut self, seen: &Observation, event: Option<GateValue>, failure: Failure) -> Option<Cause> {
        let Some(event) = event else { return self.fail(seen, failure) };
        let mut result = match self.queue.is_empty() {
            true => self.mind.step(&self.suite, &mut self.belief, &event),
            false => self.mind.overtaken(&self.suite, &mut self.belief, &self.queue, &event),
        };
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
    pub(crate) fn disbelieve(&mut self, patient: Patient) {
        self.belief = patient.belief;
        self.withdrawn += patient.silences;
    }

    /// Once all inputs are taken, nobody needs to know them any more.
    fn forget_queue(&mut self) {
        let beliefs = || self.patient.iter().map(|p| &p.belief).chain([&self.belief]);
        if beliefs().flat_map(|b| &b.groups).all(|g| g.taken == self.queue.len()) {
            self.queue.clear();
            let beliefs = self.patient.iter_mut().map(|p| &mut p.belief).chain([&mut self.belief]);
            beliefs.flat_map(|b| &mut b.groups).for_each(|g| g.taken = 0);
        }
    }

    /// Goes on from a belief, in the order in which inputs are sent; gives back what was believed until now.
    pub(crate) fn set_aside(&mut self, belief: Belief) -> SetAside {
        let aside = SetAside {
            belief: std::mem::replace(&mut self.belief, belief),
            block: self.block.take(),
            patient: self.patient.take(),
            broken_by: self.broken_by.take(),
            withdrawn: self.withdrawn,
            hidden: self.hidden,
        };
        self.order = Order::Sent;
        aside
    }

    /// Believes again what was set aside, in the order that the adapter promises.
    pub(crate) fn restore(&mut self, aside: SetAside) {
        let SetAside { belief, block, patient, broken_by, withdrawn, hidden } = aside;
        (self.belief, self.block, self.patient) = (belief, block, patient);
        (self.broken_by, self.withdrawn, self.hidden) = (broken_by, withdrawn, hidden);
        self.queue.clear();
        self.order = Order::Sut;
    }

    /// Nothing explains what was observed: a failure, unless something was left out that might.
    pub(crate) fn fail(&mut self, seen: &Observation, failure: Failure) -> Option<Cause> {
        self.broken_by = Some(seen.clone());
        if self.belief.crossed {
            return Some(Cause::Open(Open::Crossed));
        }
        if self.belief.cut {
            return Some(Cause::Open(Open::Cut));
        }
        if let Some(doubt) = &self.belief.unsure {
            return Some(Cause::Open(Open::Undecided(doubt.to_string())));
        }
        let known = !matches!(failure, Failure::Malformed { .. });
        if let Some(excuse) = self.patient.as_ref().and_then(Patient::excuse).filter(|_| known) {
            return Some(excuse);
        }
        // Where states are not known, the symbolic steps leave out what is undefined, and that would be a model error.
        if known && self.may_be_undefined(seen) {
            if let Some(error) = self.undefined_quiescence(seen) {
                return Some(self.trouble(&error));
            }
            let what = "the model may be undefined for what was observed";
            return Some(Cause::Open(Open::Other(what.into())));
        }
        Some(Cause::Failure(failure))
    }

    /// The error of the model for a delta, if it seems to be undefined for all states that explain what came before: one of
    /// each hypothesis is tried. Other events are an error as soon as the model is undefined for one of these states; a
    /// delta is not, since a guard that is undefined does not matter where another output is enabled.
    fn undefined_quiescence(&mut self, seen: &Observation) -> Option<StepError> {
        if *seen != Observation::Delta {
            return None;
        }
        let sent = self.queue.len();
        let groups = self.belief.groups.iter().filter(|g| g.taken == sent);
        let hypotheses: Vec<Hypothesis> = groups.flat_map(|g| &g.hypotheses).cloned().collect();
        let mut first = None;
        for h in hypotheses {
            let Place::Open(trail) = &h.place else { return None };
            let state = self.mind.tracker().some_state(trail, 0)?;
            let error = self.mind.interpreter.quiescence(&state).err();
            first.get_or_insert(error.filter(|e| !matches!(e, StepError::NeedsSolver { .. }))?);
        }
        first
    }

    /// Whether the model may be undefined for what was observed, in a hypothesis without a known state that was asked about
    /// it.
    fn may_be_undefined(&mut self, seen: &Observation) -> bool {
        let model = self.model();
        // Quiescence is asked of those that have taken all inputs.
        let sent = self.queue.len();
        let groups = self.belief.groups.iter().filter(|g| *seen != Observation::Delta || g.taken == sent);
        let trails: Vec<_> = (groups.flat_map(|g| &g.hypotheses))
            .filter_map(|h| match &h.place {
                Place::Known(_) => None,
                Place::Open(trail) => Some(trail.clone()),
            })
            .collect();
        let (closed, crashed) = (self.closed, self.crashed);
        let asked = |step: Step| match step.switches().next().map(|s| model.switches[s].label) {
            None => false,
            Some(Label::Internal | Label::Send(_) | Label::Receive(_)) => true,
            Some(Label::Gate(g)) => match seen {
                Observation::Output(output) => g == output.gate,
                Observation::Delta => model.gates[g].direction == Direction::Output,
                Observation::Closed => Some(g) == closed,
                Observation::Crashed(_) => Some(g) == crashed,
                Observation::Malformed { .. } => false,
            },
        };
        // What was seen was done, so that its update counts as well.
        let values = match seen {
            Observation::Output(output) => Some(&output.args[..]),
            Observation::Closed | Observation::Crashed(_) => Some(&[][..]),
            Observation::Delta | Observation::Malformed { .. } => None,
        };
        trails.iter().any(|trail| self.mind.tracker().breaks(trail, &asked, values) != Breaks::No)
    }

    pub(crate) fn trouble(&self, error: &StepError) -> Cause {
        let (StepError::Undefined { switch, .. } | StepError::NeedsSolver { switch, .. }) = error;
        match error {
            StepError::NeedsSolver { .. } => Cause::Open(Open::Other(error.describe(self.model()))),
            StepError::Undefined { .. } => {
                Cause::Trouble(Trouble::Model { switch: *switch, message: error.describe_with_values(self.model()) })
            }
        }
    }

    /// The open purposes that are reached here (S3 rules 4 and 5): by all hypotheses, or by some. A hypothesis that rests on
    /// an open question does not reach anything by itself.
    pub fn reached(&self) -> Vec<Reached> {
        let (suite, belief) = (&self.suite, &self.belief);
        // In the order in which purposes come up.
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        let mut found: Vec<Accepting> = Vec::new();
        let mut all = 0;
        for h in belief.hypotheses() {
            all += 1;
            for mark in &h.marks {
                for purpose in suite.accepted(mark.node) {
                    let place = *places.entry(purpose).or_insert_with(|| {
                        found.push(Accepting { purpose, sure: 0, last: 0, certain: false });
                        found.len() - 1
                    });
                    let accepting = &mut found[place];
                    accepting.certain |= h.doubt.is_none();
                    if mark.sure && accepting.last != all {
                        (accepting.sure, accepting.last) = (accepting.sure + 1, all);
                    }
                }
            }
        }
        let of = |a: Accepting| Reached {
            purpose: a.purpose,
            verdict: if a.sure == all { Verdict::Pass } else { Verdict::WeakPass },
            alone: a.sure == all && belief.len() == 1,
        };
        found.into_iter().filter(|a| a.certain).map(of).collect()
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
        // Inputs that are still to be taken lead to hypotheses of their own, so that waiting for them alone is of no use.
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
        let Referee { mind, belief, .. } = self;
        belief.hypotheses().any(|h| match &h.place {
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
}
