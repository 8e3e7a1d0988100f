//! A server that plays a model behind wires: inputs are acknowledged when they are received, which is long before the
//! model takes them, and outputs come meanwhile (T-O3: order *sent*).
//!
//! Two threads, as any server has: one reads and acknowledges, one is the system. What they do in which order is drawn
//! from a seed as far as it is theirs; the rest is up to the machine, and nothing waits for a time to be right.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use sioco_adapter::protocol::{AdapterMessage, Hello, TesterMessage, VERSION, gate_of};
use sioco_adapter::values::arguments;
use sioco_exec::{GateValue, Observation, Order, Player, Polled, RunNumber, Sut, SutEvent};
use sioco_model::Model;
use sioco_model::model::Direction;
use sioco_solve::values::Random;

/// For a player a wait only means that silence may be said.
const WAIT: Duration = Duration::from_secs(1);

/// How long it takes a system to give an output by itself.
const TICK: Duration = Duration::from_micros(300);

/// How the wires are. Chances are in percent.
#[derive(Clone, Copy, Debug)]
pub struct Wires {
    /// The chance that an input stays on its way while something else happens.
    pub input: u8,
    /// The chance that an output stays on its way while something else happens.
    pub output: u8,
    /// The longest pause between two steps of the system, in microseconds.
    pub pause: u64,
    /// Whether silence is said; otherwise the tester's timer has to find out.
    pub announce: bool,
}

/// What happened at the other end.
#[derive(Default, Debug)]
pub struct Seen {
    /// Outputs that were sent while inputs were acknowledged and not taken.
    pub crossings: u64,
    /// Outputs that were sent after the reset of their run.
    pub old: u64,
}

/// What the two threads share.
struct Shared {
    stream: TcpStream,
    /// Inputs that are acknowledged, and not taken.
    waiting: VecDeque<(u64, GateValue)>,
    /// A run and a seed that the system is to be reset for.
    reset: Option<(RunNumber, u64)>,
    over: bool,
}

impl Shared {
    fn say(&mut self, message: &AdapterMessage) {
        // One write for each message. A tester that is gone is noticed by whoever reads.
        let _ = self.stream.write_all(format!("{}\n", message.line()).as_bytes());
    }
}

struct Line {
    shared: Mutex<Shared>,
    changed: Condvar,
}

fn percent(random: &mut Random, chance: u8) -> bool {
    random.below(100) < u64::from(chance)
}

/// Serves one connection to its end.
pub fn serve(listener: &TcpListener, model: &Model, wires: Wires, seed: u64) -> Seen {
    let (stream, _) = listener.accept().expect("a tester");
    stream.set_nodelay(true).expect("a socket");
    let reader = BufReader::new(stream.try_clone().expect("a socket"));
    let shared = Shared { stream, waiting: VecDeque::new(), reset: None, over: false };
    let line = Line { shared: Mutex::new(shared), changed: Condvar::new() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The system ends also if something fails here.
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| acknowledge(reader, model, &line)));
            line.shared.lock().unwrap().over = true;
            line.changed.notify_all();
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
        play(model, &line, wires, seed)
    })
}

/// Reads what the tester says, and acknowledges inputs at once.
fn acknowledge(reader: impl BufRead, model: &Model, line: &Line) {
    for text in reader.lines().map_while(Result::ok) {
        let message = TesterMessage::parse(&text).expect("a tester makes no mistakes").expect("nor logs");
        let mut shared = line.shared.lock().unwrap();
        match message {
            TesterMessage::Hello { .. } => shared.say(&AdapterMessage::Hello(Hello {
                protocol: VERSION,
                oldest: None,
                name: None,
                inputs: None,
                outputs: None,
                order: Order::Sent,
                reset: true,
            })),
            TesterMessage::Reset { run, seed } => {
                shared.waiting.clear();
                shared.reset = Some((run, seed));
            }
            TesterMessage::Input { id, gate, args } => {
                let gate = gate_of(model, &gate, Direction::Input).expect("an input of the model");
                let args = arguments(model, &model.gates[gate], args.as_ref()).expect("values that fit");
                shared.waiting.push_back((id, GateValue { gate, args }));
                shared.say(&AdapterMessage::Accepted { id, run: None });
            }
            TesterMessage::Bye => return,
        }
        line.changed.notify_all();
    }
}

/// The system: takes inputs when it likes, and gives outputs when it likes.
fn play(model: &Model, line: &Line, wires: Wires, seed: u64) -> Seen {
    let mut player = Player::new(model);
    let mut random = Random::new(seed);
    let mut outputs: VecDeque<GateValue> = VecDeque::new();
    let mut seen = Seen::default();
    let mut run = None;
    let mut quiet = false;
    loop {
        {
            let mut shared = line.shared.lock().unwrap();
            if shared.over {
                return seen;
            }
            if let Some((next, seed)) = shared.reset.take() {
                // What is under way of the old run may still come.
                for output in outputs.drain(..) {
                    if percent(&mut random, 50) {
                        seen.old += 1;
                        shared.say(&AdapterMessage::output(model, &output, run));
                    }
                }
                player.reset(next, seed).expect("an initial state");
                (run, quiet) = (Some(next), false);
                shared.say(&AdapterMessage::Ready { run });
            } else if run.is_none() || (quiet && shared.waiting.is_empty()) {
                drop(line.changed.wait(shared).unwrap());
                continue;
            } else if !outputs.is_empty() && !percent(&mut random, wires.output) {
                seen.crossings += u64::from(!shared.waiting.is_empty());
                let output = outputs.pop_front().expect("there is one");
                shared.say(&AdapterMessage::output(model, &output, run));
            } else if !shared.waiting.is_empty() && !percent(&mut random, wires.input) {
                let (id, input) = shared.waiting.pop_front().expect("there is one");
                drop(shared);
                quiet = false;
                arrive(&mut player, id, &input, &mut outputs);
            } else if !quiet {
                // Silence is decided while nothing can be acknowledged.
                let wait = if outputs.is_empty() && shared.waiting.is_empty() { WAIT } else { Duration::ZERO };
                match player.poll(wait).expect("the model is never undefined") {
                    Polled::Event(SutEvent::Observed(Observation::Output(output))) => {
                        outputs.push_back(output);
                        drop(shared);
                        // A system that never stops would leave no room for anything else.
                        std::thread::sleep(TICK);
                    }
                    Polled::Event(SutEvent::Observed(Observation::Delta)) => {
                        quiet = true;
                        if wires.announce {
                            shared.say(&AdapterMessage::Quiescent { run });
                        }
                    }
                    Polled::Nothing => {}
                    other => panic!("seed {seed}: the player says {other:?}"),
                }
            }
        }
        // Nobody waits for this: it only makes other orders of events likely.
        if wires.pause > 0 && percent(&mut random, 30) {
            std::thread::sleep(Duration::from_micros(random.below(wires.pause)));
        }
    }
}

/// An input arrives: the model takes it, now or after some more outputs.
fn arrive(player: &mut Player<'_>, id: u64, input: &GateValue, outputs: &mut VecDeque<GateValue>) {
    player.send(id, input).expect("an input");
    loop {
        match player.poll(WAIT).expect("the model is never undefined") {
            // An input that nothing specifies is not taken by anybody, after it was acknowledged.
            Polled::Event(SutEvent::Accepted { .. } | SutEvent::Refused { .. }) => return,
            Polled::Event(SutEvent::Observed(Observation::Output(output))) => outputs.push_back(output),
            other => panic!("an input was sent, and the player says {other:?}"),
        }
    }
}
