//! A system under test with a stop-watch: how long resets, acknowledgements and answers take.

use std::time::{Duration, Instant};

use sioco_adapter::client::Client;
use sioco_exec::event::GateValue;
use sioco_exec::reliance::Start;
use sioco_exec::{Fault, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::GateId;

/// Where no answer is waited for, the wait is this many times shorter,
const IDLE_PART: u32 = 4;
/// and no longer than this: the look would otherwise be mostly waiting.
const IDLE_MOST: Duration = Duration::from_millis(500);

/// The first output after an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The input.
    pub input: GateId,
    /// The output.
    pub output: GateId,
    /// How long it took.
    pub took: Duration,
}

/// An output that does not fit its gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The gate, if it is known.
    pub gate: Option<GateId>,
    /// What is wrong.
    pub why: String,
    /// What was received.
    pub raw: String,
}

/// A system, and what was printed besides messages.
pub trait Spoken: Sut {
    /// The last lines that were no messages.
    fn logs(&self) -> Vec<String>;

    /// The last lines of its standard error.
    fn stderr(&self) -> Vec<String>;
}

impl Spoken for Client<'_> {
    fn logs(&self) -> Vec<String> {
        Client::logs(self)
    }

    fn stderr(&self) -> Vec<String> {
        Client::stderr(self)
    }
}

/// A system that prints nothing besides messages.
pub struct Mute<'a>(pub Box<dyn Sut + 'a>);

impl Sut for Mute<'_> {
    fn order(&self) -> Order {
        self.0.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.0.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.0.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        self.0.poll(wait)
    }

    fn starting(&self, start: Start) -> Duration {
        self.0.starting(start)
    }

    fn remarks(&self) -> Vec<String> {
        self.0.remarks()
    }

    fn unacknowledged(&mut self, id: u64, patience: Duration) -> Fault {
        self.0.unacknowledged(id, patience)
    }

    fn stop(&mut self) {
        self.0.stop();
    }
}

impl Spoken for Mute<'_> {
    fn logs(&self) -> Vec<String> {
        Vec::new()
    }

    fn stderr(&self) -> Vec<String> {
        Vec::new()
    }
}

/// See the [module](self).
pub struct Timed<'c> {
    /// The system.
    client: &'c mut dyn Spoken,
    /// Runs that were there before: numbers of runs only grow.
    before: u64,
    /// The number of the last run.
    last: RunNumber,
    /// When the last input was sent, and which one; nothing once it was answered.
    asked: Option<(GateId, Instant)>,
    /// The same, until it is acknowledged.
    sent: Option<(u64, Instant)>,
    /// When the run began, until something is sent or comes.
    begun: Option<Instant>,
    /// Whether something may come before anything is sent.
    greets: bool,
    /// How long first outputs took in runs that began with one.
    pub greetings: Vec<Duration>,
    /// How long resets took.
    pub resets: Vec<Duration>,
    /// How long it took until inputs were accepted.
    pub accepted: Vec<Duration>,
    /// First outputs after inputs.
    pub answers: Vec<Answer>,
    /// Whether anything came at all.
    pub heard: bool,
    /// Whether silence was ever announced.
    pub announces: bool,
    /// Outputs that do not fit their gates.
    pub malformed: Vec<Malformed>,
    /// The last lines that were no messages, as long as the adapter was there.
    pub logs: Vec<String>,
    /// The last lines of its standard error.
    pub stderr: Vec<String>,
}

impl<'c> Timed<'c> {
    /// Watches a system that had so many runs before; whether something may come in a run before anything is sent.
    pub fn new(client: &'c mut dyn Spoken, before: u64, greets: bool) -> Self {
        Timed {
            client,
            before,
            last: RunNumber::default().plus(before),
            asked: None,
            sent: None,
            begun: None,
            greets,
            greetings: Vec::new(),
            resets: Vec::new(),
            accepted: Vec::new(),
            answers: Vec::new(),
            heard: false,
            announces: false,
            malformed: Vec::new(),
            logs: Vec::new(),
            stderr: Vec::new(),
        }
    }

    /// The system without the stop-watch, and the number that its next run has.
    pub fn client(&mut self) -> (&mut dyn Sut, RunNumber) {
        (&mut *self.client, self.last.next())
    }

    fn saw(&mut self, event: &SutEvent, now: Instant) {
        self.heard |= matches!(event, SutEvent::Observed(seen) if *seen != Observation::Delta);
        self.announces |= *event == SutEvent::Observed(Observation::Delta);
        match event {
            SutEvent::Accepted { id } | SutEvent::Refused { id, .. } => {
                if let Some((_, at)) = self.sent.take_if(|(sent, _)| sent == id) {
                    self.accepted.push(now.duration_since(at));
                }
            }
            SutEvent::Observed(Observation::Output(GateValue { gate, .. })) => self.answered(*gate, now),
            SutEvent::Observed(Observation::Malformed { gate, why, raw }) => {
                if let Some(gate) = gate {
                    self.answered(*gate, now);
                }
                self.malformed.push(Malformed { gate: *gate, why: why.clone(), raw: raw.clone() });
            }
            SutEvent::Observed(Observation::Delta | Observation::Closed | Observation::Crashed(_)) => {}
        }
    }

    fn answered(&mut self, output: GateId, now: Instant) {
        self.greetings.extend(self.begun.take().map(|begun| now.duration_since(begun)));
        if let Some((input, at)) = self.asked.take() {
            self.answers.push(Answer { input, output, took: now.duration_since(at) });
        }
    }
}

impl Sut for Timed<'_> {
    fn order(&self) -> Order {
        self.client.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        (self.asked, self.sent) = (None, None);
        let begun = Instant::now();
        self.last = run.plus(self.before);
        self.client.reset(self.last, seed)?;
        self.resets.push(begun.elapsed());
        self.begun = self.greets.then(Instant::now);
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let now = Instant::now();
        self.begun = None;
        (self.asked, self.sent) = (Some((input.gate, now)), Some((id, now)));
        self.client.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        // Where nothing is to be measured, there is no need to wait as long.
        let owed = self.asked.is_some() || self.sent.is_some() || self.begun.is_some();
        let wait = if owed { wait } else { (wait / IDLE_PART).min(IDLE_MOST) };
        let found = self.client.poll(wait)?;
        if let Polled::Event(event) = &found {
            self.saw(event, Instant::now());
        }
        Ok(found)
    }

    fn stale(&self) -> u64 {
        self.client.stale()
    }

    fn starting(&self, start: Start) -> Duration {
        self.client.starting(start)
    }

    fn remarks(&self) -> Vec<String> {
        self.client.remarks()
    }

    fn unheard(&self) -> u64 {
        self.client.unheard()
    }

    fn unheard_crashes(&self) -> u64 {
        self.client.unheard_crashes()
    }

    fn unacknowledged(&mut self, id: u64, patience: Duration) -> Fault {
        // They are gone with the connection.
        (self.logs, self.stderr) = (self.client.logs(), self.client.stderr());
        self.client.unacknowledged(id, patience)
    }

    fn stop(&mut self) {
        (self.logs, self.stderr) = (self.client.logs(), self.client.stderr());
        self.client.stop();
    }
}
