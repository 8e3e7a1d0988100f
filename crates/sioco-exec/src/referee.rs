//! The verdict rules on one run (T-V2 to T-V8; S3 rules 1 to 5; S0 algorithm 1, lines 24 to 39).
//!
//! A referee is told what happens, in order, and says when that is the end. It chooses nothing and knows no clock, so
//! that a recorded run gets the same verdict again.

mod explain;
mod refusal;
mod unknown;
pub mod weak_pass;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

use sioco_model::GateId;
use sioco_model::model::{CLOSED, CRASHED, Direction, Label, Model};
use sioco_model::semantics::interpreter::{Interpreter, StepError};
use sioco_model::semantics::oracle::Oracle;
use sioco_symbolic::path::SolverFactory;
use sioco_symbolic::step::Step;

use crate::belief::{Belief, Hypothesis, HypothesisState, Mind};
use crate::block::{Block, broken_word};
use crate::event::{GateValue, Observation};
use crate::explanation::{MOST_SHOWN, Narrowed};
use crate::patient::Patient;
use crate::position::Position;
use crate::suite::Suite;
use crate::sut::Order;
use crate::symbolic_hypothesis::Breaks;
use crate::under_way::UnderWay;
use crate::verdict::{Cause, Failure, OpenCause, Trouble};

/// See the [module](self).
pub struct Referee<'m> {
    /// Where the run is.
    pub position: Position<'m>,
    /// What the order of events means in this run, and in the next one.
    order: Order,
    promised: Order,
    pub(crate) under_way: Option<UnderWay>,
    pub(crate) misordered: bool,
    /// What would be believed without the silences by the clock, where that is more.
    pub(crate) patient: Option<Patient>,
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
            position: Position::new(Mind::new(model, interpreter, solvers, limit), suite),
            order,
            promised: order,
            under_way: None,
            misordered: false,
            patient: None,
            narrowed: VecDeque::new(),
            broken_by: None,
            closed: output(CLOSED),
            crashed: output(CRASHED),
            refusals: false,
            withdrawn: 0,
            hidden: 0,
        }
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

    /// A run begins. A cause is the end of it: the model has no defined beginning.
    pub fn start(&mut self) -> Option<Cause> {
        self.order = self.promised;
        (self.under_way, self.misordered) = (None, false);
        self.patient = None;
        self.broken_by = None;
        self.narrowed.clear();
        let error = self.position.start().err()?;
        Some(self.trouble(&error))
    }

    /// The system took an input, or got it sent, as the order of events has it.
    pub fn input(&mut self, input: &GateValue) -> Option<Cause> {
        if let Some(cause) = self.conclude() {
            return Some(cause);
        }
        self.forget_queue();
        let known = self.position.mind.interpreter.is_gate_value(input.gate, &input.args);
        // Where nothing takes this input, that it crossed is said of inputs before it.
        let crossed = self.position.belief.crossed;
        let untaken = || match crossed {
            true => Some(Cause::Open(OpenCause::Crossed)),
            false => Some(Cause::Open(OpenCause::Unspecified(input.clone()))),
        };
        if !known {
            return untaken();
        }
        let result = match self.order {
            Order::Sut | Order::Certain => {
                let taken = self.position.mind.take(&self.position.suite, &mut self.position.belief, input);
                self.narrowed.extend(self.position.mind.last_narrowed());
                if self.narrowed.len() > MOST_SHOWN {
                    self.narrowed.pop_front();
                }
                taken
            }
            Order::Sent => {
                self.position.queue.push(input.clone());
                self.position.mind.sent(&self.position.suite, &mut self.position.belief, &self.position.queue).map(
                    |()| {
                        // Whatever order is true, the model must say something about one of them.
                        self.position.belief.groups.iter().any(|g| g.taken == self.position.queue.len())
                    },
                )
            }
        };
        if let Some(mut patient) = self.patient.take() {
            let needed =
                patient.input(&mut self.position.mind, &self.position.suite, self.order, &self.position.queue, input);
            self.patient = Some(patient).filter(|p| needed && p.differs(&self.position.belief));
        }
        match result {
            Ok(true) => None,
            Ok(false) if self.position.belief.cut && !crossed => Some(Cause::Open(OpenCause::Cut)),
            Ok(false) => untaken(),
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// What was observed other than quiescence, whatever input is under way.
    pub(crate) fn look_at(&mut self, seen: &Observation) -> Option<Cause> {
        let end = |gate: Option<GateId>| gate.map(|gate| Cow::Owned(GateValue { gate, args: Vec::new() }));
        let event = match seen {
            Observation::Delta => return self.delta(None),
            Observation::Output(output) => {
                let fits = self.position.mind.interpreter.is_gate_value(output.gate, &output.args);
                fits.then_some(Cow::Borrowed(output))
            }
            Observation::Closed => end(self.closed),
            Observation::Crashed(_) => end(self.crashed),
            Observation::Malformed { .. } => None,
        };
        let announced = self.interrupt_block();
        let cause = self.explained_by(seen, event.as_deref());
        // Where the system is played in this process, there is no adapter that could be wrong.
        let promised = announced && self.order != Order::Certain;
        match cause {
            // If the silence is only perhaps allowed, either it is the failure, or the adapter was wrong.
            Some(Cause::Failure(_)) if promised && !seen.is_end() => Some(match self.position.belief.doubt() {
                Some(doubt) => Cause::Open(OpenCause::Undecided(doubt.to_string())),
                None => broken_word(),
            }),
            cause => cause,
        }
    }

    /// Judges an output or the end of the system.
    fn explained_by(&mut self, seen: &Observation, event: Option<&GateValue>) -> Option<Cause> {
        let Some(event) = event else { return self.fail(seen, self.failure(seen, event)) };
        let mut result = match self.position.queue.is_empty() {
            true => self.position.mind.step(&self.position.suite, &mut self.position.belief, event),
            false => self.position.mind.overtaken(
                &self.position.suite,
                &mut self.position.belief,
                &self.position.queue,
                event,
            ),
        };
        if let Some(mut patient) = self.patient.take() {
            let explained = patient.seen(&mut self.position.mind, &self.position.suite, &self.position.queue, event);
            match &result {
                Ok(true) => {
                    self.patient =
                        Some(patient).filter(|p| (explained || p.belief.cut) && p.differs(&self.position.belief))
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
            Ok(false) => self.fail(seen, self.failure(seen, Some(event))),
            Err(error) => Some(self.trouble(&error)),
        }
    }

    /// What is wrong with what was observed if nothing explains it. Without an event, it is none of the model.
    fn failure(&self, seen: &Observation, event: Option<&GateValue>) -> Failure {
        match seen {
            Observation::Output(output) if event.is_some() => Failure::Output(output.clone()),
            Observation::Output(output) => {
                let raw = output.show(self.position.model());
                Failure::Malformed { gate: Some(output.gate), why: "values do not fit".into(), raw }
            }
            Observation::Delta => Failure::Silence,
            Observation::Closed => Failure::Closed,
            Observation::Crashed(crash) => Failure::Crashed(crash.clone()),
            Observation::Malformed { gate, why, raw } => {
                Failure::Malformed { gate: *gate, why: why.clone(), raw: raw.clone() }
            }
        }
    }

    /// The silences by the clock were none: there was something under way.
    pub(crate) fn disbelieve(&mut self, patient: Patient) {
        self.position.belief = patient.belief;
        self.withdrawn += patient.silences;
    }

    /// Once all inputs are taken, nobody needs to know them any more.
    fn forget_queue(&mut self) {
        let beliefs = || self.patient.iter().map(|p| &p.belief).chain([&self.position.belief]);
        if beliefs().flat_map(|b| &b.groups).all(|g| g.taken == self.position.queue.len()) {
            self.position.queue.clear();
            let beliefs = self.patient.iter_mut().map(|p| &mut p.belief).chain([&mut self.position.belief]);
            beliefs.flat_map(|b| &mut b.groups).for_each(|g| g.taken = 0);
        }
    }

    /// Goes on from a belief, in the order in which inputs are sent; gives back what was believed until now.
    pub(crate) fn set_aside(&mut self, belief: Belief) -> SetAside {
        let aside = SetAside {
            belief: std::mem::replace(&mut self.position.belief, belief),
            block: self.position.block.take(),
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
        (self.position.belief, self.position.block, self.patient) = (belief, block, patient);
        (self.broken_by, self.withdrawn, self.hidden) = (broken_by, withdrawn, hidden);
        self.position.queue.clear();
        self.order = Order::Sut;
    }

    /// Nothing explains what was observed: a failure, unless something was left out that might.
    pub(crate) fn fail(&mut self, seen: &Observation, failure: Failure) -> Option<Cause> {
        self.broken_by = Some(seen.clone());
        if self.position.belief.crossed {
            return Some(Cause::Open(OpenCause::Crossed));
        }
        if self.position.belief.cut {
            return Some(Cause::Open(OpenCause::Cut));
        }
        if let Some(doubt) = &self.position.belief.unsure {
            return Some(Cause::Open(OpenCause::Undecided(doubt.to_string())));
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
            return Some(Cause::Open(OpenCause::Other(what.into())));
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
        let sent = self.position.queue.len();
        let groups = self.position.belief.groups.iter().filter(|g| g.taken == sent);
        let hypotheses: Vec<Hypothesis> = groups.flat_map(|g| &g.hypotheses).cloned().collect();
        let mut first = None;
        for h in hypotheses {
            let HypothesisState::Open(trail) = &h.place else { return None };
            let state = self.position.mind.tracker().some_state(trail, 0)?;
            let error = self.position.mind.interpreter.quiescence(&state).err();
            first.get_or_insert(error.filter(|e| !matches!(e, StepError::NeedsSolver { .. }))?);
        }
        first
    }

    /// Whether the model may be undefined for what was observed, in a hypothesis without a known state that was asked about
    /// it.
    fn may_be_undefined(&mut self, seen: &Observation) -> bool {
        let model = self.position.model();
        // Quiescence is asked of those that have taken all inputs.
        let sent = self.position.queue.len();
        let groups = self.position.belief.groups.iter().filter(|g| *seen != Observation::Delta || g.taken == sent);
        let trails: Vec<_> = (groups.flat_map(|g| &g.hypotheses))
            .filter_map(|h| match &h.place {
                HypothesisState::Known(_) => None,
                HypothesisState::Open(trail) => Some(trail.clone()),
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
        trails.iter().any(|trail| self.position.mind.tracker().breaks(trail, &asked, values) != Breaks::No)
    }

    pub(crate) fn trouble(&self, error: &StepError) -> Cause {
        let (StepError::Undefined { switch, .. } | StepError::NeedsSolver { switch, .. }) = error;
        match error {
            StepError::NeedsSolver { .. } => Cause::Open(OpenCause::Other(error.describe(self.position.model()))),
            StepError::Undefined { .. } => Cause::Trouble(Trouble::Model {
                switch: *switch,
                message: error.describe_with_values(self.position.model()),
            }),
        }
    }
}

/// What a referee knows of the run, anybody may ask.
impl<'m> Deref for Referee<'m> {
    type Target = Position<'m>;

    fn deref(&self) -> &Position<'m> {
        &self.position
    }
}

impl DerefMut for Referee<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.position
    }
}
