//! Systems that run, as the tester sees them: a played model on the oracle's semantics, perhaps with bad habits.
//!
//! A played model keeps every state that it may be in and does what one of them allows, so that it conforms to itself.

use std::collections::VecDeque;
use std::time::Duration;

use sioco_exec::{Fault, GateValue, Observation, Polled, RunNumber, Sut, SutEvent};

use crate::checks::engine::{Read, order_of};
use crate::oracle::belief::{Set, World};
use crate::rng::Rng;
use crate::spec::{Event, Line, Order};
use crate::systems::trace;

/// What a system does wrong, whatever its model is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Habit {
    /// Nothing.
    Good,
    /// After so many events it says nothing any more.
    Mute(usize),
    /// After so many events it closes.
    Closes(usize),
    /// After so many events it crashes.
    Crashes(usize),
    /// After so many events it says something of its own.
    Babbles(usize),
    /// Where it owes something, it is silent once, in so many of a hundred cases.
    Late(u64),
}

/// A played model.
pub struct Played<'w> {
    world: &'w World<'w>,
    read: &'w Read,
    order: Order,
    habit: Habit,
    /// Whether it says that it is silent, or just says nothing.
    announces: bool,
    /// Whether it always makes the same choices.
    steady: bool,
    seed: u64,
    rng: Rng,
    states: Set,
    events: usize,
    ended: bool,
    /// Whether it was silent where it owes something.
    late: bool,
    inbox: VecDeque<Event>,
    outbox: VecDeque<Line>,
    queue: VecDeque<SutEvent>,
    /// Whether the oracle gave up.
    pub too_large: bool,
    /// Whether it could not do what it owes, or ignored what it should take, since it has no value for that.
    pub stuck: bool,
    /// Whether it said that it is silent: then it is, until the next input.
    quiet: bool,
}

impl<'w> Played<'w> {
    /// A played model, with choices that the seed decides.
    pub fn new(world: &'w World<'w>, read: &'w Read, order: Order, habit: Habit, seed: u64) -> Played<'w> {
        let mut rng = Rng::new(seed);
        let announces = rng.chance(50);
        Played {
            world,
            read,
            order,
            habit,
            announces,
            steady: false,
            seed,
            rng,
            states: Set::EMPTY,
            events: 0,
            ended: false,
            late: false,
            inbox: VecDeque::new(),
            outbox: VecDeque::new(),
            queue: VecDeque::new(),
            too_large: false,
            stuck: false,
            quiet: false,
        }
    }

    /// The same with the same choices in every run.
    pub fn steady(mut self) -> Self {
        self.steady = true;
        self
    }

    /// What it does next by itself; nothing is silence.
    fn next(&mut self) -> Option<Line> {
        if self.ended || self.quiet {
            return None;
        }
        match self.habit {
            Habit::Mute(after) if self.events >= after => return None,
            Habit::Closes(after) if self.events >= after => return Some(Line::Closed),
            Habit::Crashes(after) if self.events >= after => return Some(Line::Crashed),
            Habit::Babbles(after) if self.events == after => {
                return Some(trace::output(&mut self.rng, self.world.spec));
            }
            _ => {}
        }
        let outputs = self.world.outputs(self.states);
        let Ok(silent) = self.world.delta(self.states) else {
            self.too_large = true;
            return None;
        };
        self.stuck |= outputs.is_empty() && silent.states.is_empty();
        if outputs.is_empty() || (!silent.states.is_empty() && self.rng.chance(40)) {
            return None;
        }
        let event = self.rng.pick(&outputs).clone();
        Some(trace::seen(self.world.spec, event))
    }

    /// It did this.
    fn did(&mut self, line: &Line) {
        self.events += 1;
        self.late = false;
        let event = match line {
            Line::Output(event) => event.clone(),
            _ => {
                self.ended = true;
                return;
            }
        };
        match self.world.output(self.states, &event) {
            Ok(after) if !after.states.is_empty() => self.states = after.states,
            // A mistake changes nothing.
            Ok(_) => {}
            Err(_) => self.too_large = true,
        }
    }

    fn was_silent(&mut self) {
        match self.world.delta(self.states) {
            Ok(after) if !after.states.is_empty() => self.states = after.states,
            Ok(_) => {}
            Err(_) => self.too_large = true,
        }
    }

    fn take(&mut self, event: &Event) {
        self.events += 1;
        self.quiet = false;
        match self.world.input(self.states, event) {
            Ok(after) if !after.states.is_empty() => self.states = after.states,
            // The model does not say what happens: nothing does. With values that are not usual, it may say that for
            // hidden values which are not played.
            Ok(_) => self.stuck |= !self.world.spec.with_values_of([&Line::Input(event.clone())]).seen.is_empty(),
            Err(_) => self.too_large = true,
        }
    }

    fn tell(&mut self, line: &Line) {
        let seen = self.read.observation(line).expect("the engine has such an observation");
        self.queue.push_back(SutEvent::Observed(seen));
    }

    /// Something happens behind the connection; false if nothing does.
    fn progress(&mut self) -> bool {
        for _ in 0..3 {
            match self.rng.below(3) {
                0 if !self.inbox.is_empty() => {
                    let event = self.inbox.pop_front().expect("there is one");
                    self.take(&event);
                    return true;
                }
                1 => {
                    if let Some(line) = self.next() {
                        self.did(&line);
                        self.outbox.push_back(line);
                        return true;
                    }
                }
                _ => {
                    if let Some(line) = self.outbox.pop_front() {
                        self.tell(&line);
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Everything that is under way arrives; then one more thing that it does by itself, if anything.
    fn settle(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.outbox.pop_front() {
                return Some(line);
            }
            if let Some(event) = self.inbox.pop_front() {
                self.take(&event);
                continue;
            }
            let line = self.next()?;
            self.did(&line);
            return Some(line);
        }
    }

    fn owes(&mut self) -> bool {
        self.world.delta(self.states).is_ok_and(|after| after.states.is_empty())
    }
}

impl Sut for Played<'_> {
    fn order(&self) -> sioco_exec::Order {
        order_of(self.order)
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        let run = if self.steady { 0 } else { run.0.rotate_left(40) ^ seed.rotate_left(20) };
        self.rng = Rng::new(self.seed ^ run);
        (self.events, self.ended, self.late, self.quiet) = (0, false, false, false);
        self.inbox.clear();
        self.outbox.clear();
        self.queue.clear();
        match self.world.start() {
            Ok(start) => self.states = start.states,
            Err(_) => self.too_large = true,
        }
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let (_, event) = self.read.event(input);
        match self.order {
            Order::Sut | Order::Certain => {
                // What it does at once, it does before it takes the input.
                while self.rng.chance(30)
                    && let Some(line) = self.next()
                {
                    self.did(&line);
                    self.tell(&line);
                }
                self.take(&event);
                self.queue.push_back(SutEvent::Accepted { id });
            }
            Order::Sent => {
                while self.rng.chance(40) && self.progress() {}
                self.queue.push_back(SutEvent::Accepted { id });
                self.inbox.push_back(event);
            }
        }
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if let Some(event) = self.queue.pop_front() {
            return Ok(Polled::Event(event));
        }
        if wait.is_zero() {
            if self.order == Order::Sent {
                while self.rng.chance(50) && self.progress() {}
            } else if self.rng.chance(40)
                && let Some(line) = self.next()
            {
                self.did(&line);
                self.tell(&line);
            }
            return Ok(self.queue.pop_front().map_or(Polled::Nothing, Polled::Event));
        }
        if let Habit::Late(percent) = self.habit
            && !self.late
            && self.rng.chance(percent)
            && self.owes()
        {
            self.late = true;
            return Ok(Polled::Nothing);
        }
        if let Some(line) = self.settle() {
            self.tell(&line);
            return Ok(Polled::Event(self.queue.pop_front().expect("it was told")));
        }
        self.was_silent();
        if self.announces && !self.ended {
            self.quiet = true;
            return Ok(Polled::Event(SutEvent::Observed(Observation::Delta)));
        }
        Ok(Polled::Nothing)
    }
}
