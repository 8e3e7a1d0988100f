//! A model played as a system under test (`theory`, section 5, last point).
//!
//! The player keeps all states that the model may be in, and gives an output, or silence, that some of them allow. So it
//! always conforms to its model, and to every model to which that one conforms: that is what mutants are tried with.
//!
//! Of free variables, and of hidden choices among too many values, it follows only some values. That is still a system
//! that conforms: what it does, the model allows. Only an input that none of the followed values specify may be
//! specified for others; then other values that explain the same trace are looked for, and otherwise it is refused. Who
//! [refuses](Unspecified::Refuse) whatever is not specified says that nobody knows instead: refusals count there.

mod draw;
mod world;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sioco_model::model::{CLOSED, Model};
use sioco_model::number::{self, BigInt};
use sioco_model::semantics::{State, StepError};
use sioco_model::{GateId, SwitchId, Value};
use sioco_solve::StateOracle;
use sioco_solve::values::Random;

use self::world::{Belief, Found, World};
use crate::event::{GateValue, Observation};
use crate::sut::{Fault, FaultKind, Order, Polled, Sut, SutEvent};

/// How many outputs may come before an input that nothing specifies.
const OVERTAKEN: u32 = 100;

/// How often other values of the free variables are drawn, and up to how long a trace they are tried on.
const REDRAWN: u32 = 200;
const REMEMBERED: usize = 10_000;

/// What becomes of an input that nothing specifies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unspecified {
    /// It waits for outputs that are under way, and is then ignored unless they led to where it is specified.
    Wait,
    /// It is taken at once, and changes nothing.
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
    /// What becomes of an input that nothing specifies.
    pub unspecified: Unspecified,
}

impl Default for Manners {
    fn default() -> Self {
        // Where both an input and an output are possible, either may win: what follows an input is to be seen, too.
        Manners { silence: 30, outputs_first: 50, prompt: 50, unspecified: Unspecified::Wait }
    }
}

/// What happened in a run, for trying other values of the free variables.
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
    /// Kept where there are free variables.
    history: Option<Vec<Event>>,
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
            history: None,
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
        self.world = self.world.with_oracle(oracle);
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
        let message = format!("{place}the model that is played cannot go on: {}", error.describe(self.model));
        Fault { kind: FaultKind::Reported, message, stderr: Vec::new(), again: true }
    }

    /// Only some values are followed of what the model keeps to itself, so nobody knows whether it takes the first input.
    fn unsure(&self) -> Fault {
        let input = self.queue.front().map(|(_, input)| input.show(self.model)).unwrap_or_default();
        let message = format!(
            "the model that is played has too many hidden values to follow them all: whether it takes {input} here is not \
             known"
        );
        Fault { kind: FaultKind::Reported, message, stderr: Vec::new(), again: true }
    }

    fn remember(&mut self, event: impl FnOnce() -> Event) {
        if let Some(history) = &mut self.history
            && history.len() <= REMEMBERED
        {
            history.push(event());
        }
    }

    /// An output, if one is allowed.
    fn give(&mut self) -> Result<Result<Polled, Found>, StepError> {
        let found = match self.world.output(&mut self.belief)? {
            Found::Output(output) => output,
            none => return Ok(Err(none)),
        };
        let allowed = self.world.after(&mut self.belief, found.gate, &found.args)?;
        debug_assert!(allowed, "an output that a state offers leads on from it");
        self.remember(|| Event::At(found.clone()));
        self.overtaken += 1;
        let seen = if Some(found.gate) == self.closed {
            self.ended = true;
            Observation::Closed
        } else {
            Observation::Output(found)
        };
        Ok(Ok(Polled::Event(SutEvent::Observed(seen))))
    }

    /// Takes or refuses the first input of the queue, or lets an output come first. Nothing if it is not known whether the
    /// model specifies it.
    fn serve(&mut self, id: u64, input: GateValue) -> Result<Option<Polled>, StepError> {
        if self.ended {
            return Ok(Some(self.refuse(id, "the system has ended")));
        }
        if !self.world.fits(input.gate, &input.args) {
            return Ok(Some(self.refuse(id, "its values do not fit the gate")));
        }
        let held = std::mem::take(&mut self.held);
        // After silence nothing comes by itself.
        if !self.silent
            && !held
            && self.world.draw.percent(self.manners.outputs_first)
            && let Ok(output) = self.give()?
        {
            self.queue.push_front((id, input));
            return Ok(Some(output));
        }
        if self.world.after(&mut self.belief, input.gate, &input.args)? {
            return Ok(Some(self.take(id, input)));
        }
        let refuses = self.manners.unspecified == Unspecified::Refuse;
        let waits = self.manners.unspecified != Unspecified::Ignore && !self.silent && self.overtaken < OVERTAKEN;
        if waits && let Ok(output) = self.give()? {
            self.queue.push_front((id, input));
            return Ok(Some(output));
        }
        if self.history.is_none() && self.belief.whole {
            if refuses {
                return Ok(Some(self.refuse(id, "the model does not specify it here")));
            }
            // It changes nothing; silence after it is news.
            self.silent = false;
            self.overtaken = 0;
            self.spare.push(input.args);
            return Ok(Some(Polled::Event(SutEvent::Accepted { id })));
        }
        if self.redraw(&input) {
            return Ok(Some(self.take(id, input)));
        }
        if refuses {
            self.queue.push_front((id, input));
            return Ok(None);
        }
        Ok(Some(self.refuse(id, "no values of the free variables were found for which the model specifies it here")))
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

    /// Looks for other values of the free variables that explain what happened, and specify this input next.
    fn redraw(&mut self, input: &GateValue) -> bool {
        let Some(history) = self.history.take() else { return false };
        let happened = history.iter().filter_map(|e| match e {
            Event::At(at) => Some(at),
            Event::Delta => None,
        });
        let values = happened.chain([input]).flat_map(|at| &at.args);
        let mut seen: Vec<BigInt> = values.filter_map(number::to_big).collect();
        seen.sort_unstable();
        seen.dedup();
        let found = (0..REDRAWN).find_map(|_| {
            // What is undefined for other values is none of those that explain anything.
            let mut belief = self.world.initial(&seen);
            for event in &history {
                let allowed = match event {
                    Event::At(at) => self.world.after(&mut belief, at.gate, &at.args),
                    Event::Delta => self.world.quiet(&mut belief),
                };
                allowed.ok().filter(|allowed| *allowed)?;
            }
            let allowed = self.world.after(&mut belief, input.gate, &input.args);
            allowed.ok().filter(|allowed| *allowed).map(|_| belief)
        });
        let whole = history.len() <= REMEMBERED;
        self.history = Some(history);
        match found.filter(|_| whole) {
            Some(belief) => {
                self.belief = belief;
                true
            }
            None => false,
        }
    }

    /// Something that the system does by itself.
    fn act(&mut self, wait: bool) -> Result<Polled, StepError> {
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
            Err(Found::Nothing) if self.world.plainly_quiet(&self.belief) => {
                self.silent = true;
                self.remember(|| Event::Delta);
            }
            // What cannot be told to be silent: the tester may wait as long as it likes.
            Err(_) if !self.hush()? => return Ok(Polled::Nothing),
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

    fn reset(&mut self, _run: u64, seed: u64) -> Result<(), Fault> {
        self.world.draw.random = Random::new(seed);
        self.queue.clear();
        self.overtaken = 0;
        self.held = false;
        self.silent = false;
        self.ended = false;
        self.history = self.model.free_variables().next().map(|_| Vec::new());
        if let Some(start) = &self.start {
            self.belief.clone_from(start);
            return Ok(());
        }
        self.belief = self.world.initial(&[]);
        let closed = self.world.close(&mut self.belief);
        // Where nothing is drawn, it is the same each time.
        if closed.is_ok() && self.history.is_none() && self.belief.whole {
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
        let polled = match self.queue.pop_front() {
            Some((id, input)) => self.serve(id, input),
            None => self.act(!wait.is_zero()).map(Some),
        };
        match polled {
            Ok(Some(polled)) => Ok(polled),
            Ok(None) => Err(self.unsure()),
            Err(e) => Err(self.fault(&e)),
        }
    }
}
