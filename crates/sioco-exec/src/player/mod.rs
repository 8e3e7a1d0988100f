//! A model played as a system under test (T-E6).
//!
//! The player keeps all states that the model may be in, and gives an output, or silence, that some of them allow. So it
//! always conforms to its model, and to every model to which that one conforms: that is what mutants are tried with.
//!
//! Of free variables, and of hidden choices among too many values, it follows only some values. That is still a system
//! that conforms: what it does, the model allows. But an input that none of these values
//! specifies may be specified for others. Then the player asks for all states after the same trace, and goes on with some
//! that take the input. So an input is *unspecified* only if no possible state takes it, and it is handled in the same way
//! with hidden values and without ([`Unspecified`]). If that is not known, the player reports a fault instead of an answer.
//!
//! A player can [follow](Sut::follow) a recorded run: then it chooses what was recorded, as long as the model allows it.

mod draw;
mod hidden;
mod script;
mod whole;
mod world;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sioco_model::model::{CLOSED, CRASHED, Model};
use sioco_model::number::{self, BigInt};
use sioco_model::semantics::{State, StepError};
use sioco_model::{GateId, SwitchId, Value};
use sioco_solve::values::{Bounds, Random};
use sioco_solve::{BackEnd, StateOracle};
use sioco_symbolic::path::SolverFactory;

use self::hidden::Hidden;
use self::script::Script;
use self::whole::{Answer, Whole};
use self::world::{Belief, BeliefOutput, World};
use crate::crash::Crash;
use crate::event::{Action, GateValue, Observation};
use crate::run_number::RunNumber;
use crate::sut::{Fault, FaultKind, Order, Polled, Sut, SutEvent};

/// After this many outputs, an input that nothing specifies waits for no more: a played system that never stops would
/// otherwise never take it.
const OVERTAKEN: u32 = 100;

/// Other values of the free variables are drawn this often. If one in fifty fits the trace, one is found nearly always
/// (98 %); where fewer do, drawing does not help.
const REDRAWN: u32 = 200;
/// Up to this long a trace is tried on other values: each draw walks the whole trace again.
const REMEMBERED: usize = 10_000;

/// What becomes of an input that nothing specifies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unspecified {
    /// It is taken, and changes nothing, as in a system that takes every input. Outputs that are under way may come first
    /// and lead to where it is specified: how many is left to [chance](Manners::waits), so that whatever is wrong behind
    /// it is seen even where outputs never end.
    Ignore,
    /// It waits for outputs that are under way, and is then refused unless they led to where it is specified: a model is
    /// asked for what it takes where it waits (S2 definition 6).
    Refuse,
}

/// How a model is played, where it leaves a choice. Chances are in percent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manners {
    /// The chance of silence where outputs are allowed, too.
    pub silence: u8,
    /// The chance that an output comes before an input that is waiting.
    pub outputs_first: u8,
    /// The chance that an output is there at once, for a tester that does not wait. If it is not, the input that the tester
    /// sends then is taken first.
    pub prompt: u8,
    /// The chance that an output comes before an input that is waiting, and that nothing specifies yet. It is drawn for
    /// each output.
    pub waits: u8,
    /// What becomes of an input that nothing specifies.
    pub unspecified: Unspecified,
}

impl Default for Manners {
    fn default() -> Self {
        // Where both an input and an output are possible, either may win: what follows an input is to be seen, too. An
        // input that is taken where nothing specifies it mostly ends the run, so it rather waits.
        Manners { silence: 30, outputs_first: 50, prompt: 50, waits: 50, unspecified: Unspecified::Ignore }
    }
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// What happened in a run, for trying other values of what is hidden.
#[derive(Clone, Debug)]
enum Event {
    At(GateValue),
    Delta,
}

/// See the [module](self).
pub struct Player<'m> {
    model: &'m Model,
    manners: Manners,
    world: World<'m>,
    belief: Belief,
    /// Where every run begins, if that is the same each time.
    start: Option<Belief>,
    /// Inputs that were sent and not taken.
    queue: VecDeque<(u64, GateValue)>,
    /// Memory for the values of inputs, used again.
    spare: Vec<Vec<Value>>,
    /// How many outputs overtook the first input of the queue.
    overtaken: u32,
    /// An output would have come, but an input may come first.
    held: bool,
    /// Silence was announced, and nothing happened since.
    silent: bool,
    /// The model said that the system ended.
    ended: bool,
    closed: Option<GateId>,
    crashed: Option<GateId>,
    hidden: Hidden,
    /// What happened, if something may be hidden.
    history: Option<Vec<Event>>,
    oracle: Option<Arc<Mutex<StateOracle>>>,
    solvers: SolverFactory<'m>,
    /// Made when it is first asked.
    whole: Option<Box<Whole<'m>>>,
    /// What is done again.
    script: Option<Script>,
    places: Option<Box<dyn Fn(SwitchId) -> String + 'm>>,
}

impl<'m> Player<'m> {
    /// A system that plays the model. It is not in a state before the first [`reset`](Sut::reset).
    pub fn new(model: &'m Model) -> Player<'m> {
        Player {
            model,
            manners: Manners::default(),
            world: World::new(model),
            belief: Belief::default(),
            start: None,
            queue: VecDeque::new(),
            spare: Vec::new(),
            overtaken: 0,
            held: false,
            silent: false,
            ended: false,
            closed: model.gate(CLOSED),
            crashed: model.gate(CRASHED),
            hidden: Hidden::of(model),
            history: None,
            oracle: None,
            solvers: &builtin,
            whole: None,
            script: None,
            places: None,
        }
    }

    /// The same, with these manners.
    pub fn with_manners(mut self, manners: Manners) -> Self {
        self.manners = manners;
        self
    }

    /// The same, with somebody to ask for values that cannot be found by trying.
    pub fn with_oracle(mut self, oracle: Arc<Mutex<StateOracle>>) -> Self {
        self.world = self.world.with_oracle(oracle.clone());
        self.oracle = Some(oracle);
        self
    }

    /// The same, with solvers for questions about values that are not followed: otherwise the built-in one.
    pub fn with_solvers(mut self, solvers: SolverFactory<'m>) -> Self {
        self.solvers = solvers;
        self
    }

    /// The same, with where a switch was written, for messages: `card.sts:12:5`.
    pub fn with_places(mut self, places: impl Fn(SwitchId) -> String + 'm) -> Self {
        self.places = Some(Box::new(places));
        self
    }

    /// The states that the model may be in now.
    pub fn states(&self) -> &[State] {
        &self.belief.states
    }

    fn fault(&self, error: &StepError) -> Fault {
        let (StepError::Undefined { switch, .. } | StepError::NeedsSolver { switch, .. }) = error;
        let place = self.places.as_ref().map_or(String::new(), |place| format!("{}: ", place(*switch)));
        let message = format!("{place}the played model cannot go on: {}", error.describe_with_values(self.model));
        let kind = match error {
            StepError::Undefined { .. } => FaultKind::Played,
            StepError::NeedsSolver { .. } => FaultKind::Solver,
        };
        Fault { kind, message, stderr: Vec::new(), again: true }
    }

    /// Something about the model is not known, so that nobody can say what it does.
    fn unsure(&self, what: &str) -> Fault {
        let message = format!("the played model cannot go on: {what}");
        Fault { kind: FaultKind::Solver, message, stderr: Vec::new(), again: true }
    }

    fn remember(&mut self, event: impl FnOnce() -> Event) {
        if let Some(history) = &mut self.history
            && history.len() <= REMEMBERED
        {
            history.push(event());
        }
    }

    /// An output, if one is allowed.
    fn give(&mut self) -> Result<Result<Polled, BeliefOutput>, StepError> {
        let found = match self.world.output(&mut self.belief)? {
            BeliefOutput::Output(output) => output,
            none => return Ok(Err(none)),
        };
        let allowed = self.world.after(&mut self.belief, found.gate, &found.args)?;
        debug_assert!(allowed, "an output that a state offers leads on from it");
        Ok(Ok(self.gave(found)))
    }

    /// An output was given; the belief is the one after it.
    fn gave(&mut self, output: GateValue) -> Polled {
        self.remember(|| Event::At(output.clone()));
        self.overtaken += 1;
        let seen = if Some(output.gate) == self.closed {
            self.ended = true;
            Observation::Closed
        } else if Some(output.gate) == self.crashed {
            self.ended = true;
            Observation::Crashed(Crash::default())
        } else {
            Observation::Output(output)
        };
        Polled::Event(SutEvent::Observed(seen))
    }

    /// Takes or refuses the first input of the queue, or lets an output come first.
    fn serve(&mut self, id: u64, input: GateValue) -> Result<Polled, Stuck> {
        if self.ended {
            return Ok(self.refuse(id, "the system has ended"));
        }
        if !self.world.fits(input.gate, &input.args) {
            return Ok(self.refuse(id, "its values do not fit the gate"));
        }
        let held = std::mem::take(&mut self.held);
        let now = match self.script.as_mut().and_then(Script::next) {
            Some(Action::Input(next)) if next == input => {
                self.script.as_mut().into_iter().for_each(Script::done);
                true
            }
            // Silence comes while no input is under way.
            Some(Action::Input(_) | Action::Seen(Observation::Delta)) => {
                self.script.as_mut().into_iter().for_each(Script::leave);
                false
            }
            Some(Action::Seen(next)) => {
                if let Some(seen) = self.again(&next)? {
                    self.queue.push_front((id, input));
                    return Ok(seen);
                }
                false
            }
            None => false,
        };
        // After silence nothing comes by itself.
        let may_give = !self.silent && !now;
        if may_give
            && !held
            && self.world.draw.percent(self.manners.outputs_first)
            && let Ok(output) = self.give()?
        {
            self.queue.push_front((id, input));
            return Ok(output);
        }
        match self.whether(&Event::At(input.clone()))? {
            Some(true) => return Ok(self.take(id, input)),
            Some(false) => {}
            None => {
                let what = format!("it is unknown whether it takes {} here", input.show(self.model));
                return Err(Stuck::Unknown(what));
            }
        }
        let refuses = self.manners.unspecified == Unspecified::Refuse;
        let waits = may_give && self.overtaken < OVERTAKEN && (refuses || self.world.draw.percent(self.manners.waits));
        if waits && let Ok(output) = self.give()? {
            self.queue.push_front((id, input));
            return Ok(output);
        }
        if refuses {
            return Ok(self.refuse(id, "the model does not specify it here"));
        }
        // It changes nothing; silence after it is news.
        self.silent = false;
        self.overtaken = 0;
        self.spare.push(input.args);
        Ok(Polled::Event(SutEvent::Accepted { id }))
    }

    /// Whether this may happen now, whatever the hidden values are; then it does. Nothing if that is not known.
    fn whether(&mut self, event: &Event) -> Result<Option<bool>, StepError> {
        let followed = match event {
            Event::At(at) => self.world.after(&mut self.belief, at.gate, &at.args)?,
            Event::Delta => self.world.quiet(&mut self.belief)?,
        };
        if followed || self.belief.whole {
            return Ok(Some(followed));
        }
        let Some(history) = self.history.take() else { return Ok(None) };
        // What is longer was not kept.
        let answer = match history.len() <= REMEMBERED {
            true => {
                let (model, oracle, solvers) = (self.model, &self.oracle, self.solvers);
                let whole = self.whole.get_or_insert_with(|| Box::new(Whole::new(model, oracle.clone(), solvers)));
                match whole.after(&history, event, self.world.draw.random.bits()) {
                    Answer::Unknown if self.hidden.drawn => self.redraw(&history, event),
                    known => known,
                }
            }
            false => Answer::Unknown,
        };
        self.history = Some(history);
        Ok(match answer {
            Answer::Possible(states, whole) => {
                self.belief = Belief { states, closed: false, whole };
                Some(true)
            }
            Answer::Impossible => Some(false),
            Answer::Unknown => None,
        })
    }

    fn take(&mut self, id: u64, input: GateValue) -> Polled {
        self.silent = false;
        self.overtaken = 0;
        self.remember(|| Event::At(input.clone()));
        self.spare.push(input.args);
        Polled::Event(SutEvent::Accepted { id })
    }

    fn refuse(&mut self, id: u64, why: &str) -> Polled {
        self.overtaken = 0;
        Polled::Event(SutEvent::Refused { id, why: why.into() })
    }

    /// Looks for other values of the free variables that explain what happened, and allow this next.
    fn redraw(&mut self, history: &[Event], next: &Event) -> Answer {
        let happened = history.iter().chain([next]).filter_map(|e| match e {
            Event::At(at) => Some(at),
            Event::Delta => None,
        });
        let values = happened.flat_map(|at| &at.args);
        let mut seen: Vec<BigInt> = values.filter_map(number::to_big).collect();
        seen.sort_unstable();
        seen.dedup();
        for _ in 0..REDRAWN {
            let mut belief = self.world.initial(&seen);
            let explained = history.iter().chain([next]).all(|event| {
                let allowed = match event {
                    Event::At(at) => self.world.after(&mut belief, at.gate, &at.args),
                    Event::Delta => self.world.quiet(&mut belief),
                };
                // What is undefined for other values is none of those that explain anything.
                allowed == Ok(true)
            });
            if explained {
                return Answer::Possible(belief.states, belief.whole);
            }
        }
        Answer::Unknown
    }

    /// Does what was recorded next, if the model allows it; otherwise the player goes its own way from here on.
    fn again(&mut self, next: &Observation) -> Result<Option<Polled>, Stuck> {
        let gate = |gate: GateId| Event::At(GateValue { gate, args: Vec::new() });
        let event = match next {
            Observation::Output(output) if self.world.fits(output.gate, &output.args) => {
                Some(Event::At(output.clone())).filter(|_| !self.silent)
            }
            Observation::Closed => self.closed.filter(|_| !self.silent).map(gate),
            Observation::Crashed(_) => self.crashed.filter(|_| !self.silent).map(gate),
            Observation::Delta => Some(Event::Delta),
            Observation::Output(_) | Observation::Malformed { .. } => None,
        };
        let can = match &event {
            Some(event) if !self.ended => self.whether(event)?,
            _ => Some(false),
        };
        let Some(script) = &mut self.script else { return Ok(None) };
        match (can, event) {
            (Some(true), Some(Event::At(output))) => {
                script.done();
                Ok(Some(self.gave(output)))
            }
            (Some(true), _) => {
                script.done();
                self.silent = true;
                self.remember(|| Event::Delta);
                Ok(Some(Polled::Event(SutEvent::Observed(Observation::Delta))))
            }
            (Some(false), _) => {
                script.leave();
                Ok(None)
            }
            (None, _) => {
                script.lose();
                Ok(None)
            }
        }
    }

    /// Something that the system does by itself.
    fn act(&mut self, wait: bool) -> Result<Polled, Stuck> {
        match self.script.as_mut().and_then(Script::next) {
            // What was recorded comes to who waits for it.
            Some(_) if !wait => return Ok(Polled::Nothing),
            Some(Action::Seen(next)) => {
                if let Some(seen) = self.again(&next)? {
                    return Ok(seen);
                }
            }
            Some(Action::Input(_)) => self.script.as_mut().into_iter().for_each(Script::leave),
            None => {}
        }
        if self.silent || self.ended {
            return Ok(Polled::Nothing);
        }
        self.held = !wait && !self.world.draw.percent(self.manners.prompt);
        if self.held {
            return Ok(Polled::Nothing);
        }
        if wait && self.belief.states.len() > 1 && self.world.draw.percent(self.manners.silence) && self.hush()? {
            return Ok(Polled::Event(SutEvent::Observed(Observation::Delta)));
        }
        match self.give()? {
            Ok(output) => return Ok(output),
            Err(_) if !wait => return Ok(Polled::Nothing),
            Err(BeliefOutput::Nothing) if self.world.plainly_quiet(&self.belief) => {
                self.silent = true;
                self.remember(|| Event::Delta);
            }
            // Silence would be an answer, and perhaps a wrong one.
            Err(_) if !self.hush()? => {
                let what = "it is unknown whether it gives an output here or is quiescent";
                return Err(Stuck::Unknown(what.into()));
            }
            Err(_) => {}
        }
        Ok(Polled::Event(SutEvent::Observed(Observation::Delta)))
    }

    /// Stays silent, if that is allowed.
    fn hush(&mut self) -> Result<bool, StepError> {
        if !self.world.quiet(&mut self.belief)? {
            return Ok(false);
        }
        self.silent = true;
        self.remember(|| Event::Delta);
        Ok(true)
    }
}

impl Sut for Player<'_> {
    fn order(&self) -> Order {
        Order::Certain
    }

    fn reset(&mut self, _run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.world.draw.random = Random::new(seed);
        self.queue.clear();
        self.overtaken = 0;
        self.held = false;
        self.silent = false;
        self.ended = false;
        self.script = None;
        self.history = self.hidden.any.then(Vec::new);
        self.whole.as_mut().into_iter().for_each(|whole| whole.begin());
        if let Some(start) = &self.start {
            self.belief.clone_from(start);
            return Ok(());
        }
        self.belief = self.world.initial(&[]);
        let closed = self.world.close(&mut self.belief);
        // Where nothing is drawn, it is the same each time.
        if closed.is_ok() && self.belief.whole {
            self.start = Some(self.belief.clone());
        }
        closed.map_err(|e| self.fault(&e))
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let mut args = self.spare.pop().unwrap_or_default();
        args.clone_from(&input.args);
        self.queue.push_back((id, GateValue { gate: input.gate, args }));
        Ok(())
    }

    /// Nothing here takes time: a wait that is not zero ends with an output or with silence, which is announced once.
    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if let Some(oracle) = &self.oracle {
            oracle.lock().unwrap_or_else(PoisonError::into_inner).refill();
        }
        let polled = match self.queue.pop_front() {
            Some((id, input)) => self.serve(id, input),
            None => self.act(!wait.is_zero()),
        };
        polled.map_err(|stuck| match stuck {
            Stuck::Error(error) => self.fault(&error),
            Stuck::Unknown(what) => self.unsure(&what),
        })
    }

    fn follow(&mut self, recorded: &[Action]) {
        self.script = Some(Script::new(recorded));
    }

    fn follows(&self) -> Option<bool> {
        self.script.as_ref().map(Script::is_sure)
    }
}

/// Why a played model cannot go on.
enum Stuck {
    /// It is undefined.
    Error(StepError),
    /// What it does is not known.
    Unknown(String),
}

impl From<StepError> for Stuck {
    fn from(error: StepError) -> Stuck {
        Stuck::Error(error)
    }
}
