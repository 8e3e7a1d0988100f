//! What a tester may conclude that does not see when inputs are taken (T-O3: order `sent`).
//!
//! What happened at the system is one of several traces: inputs are taken in the order sent, after they were sent, and
//! outputs are seen in the order given, after they were given. Each of these traces has its own set of states. A trace in
//! which an input is taken that the specification does not allow there excuses everything that follows. The system fails
//! if every trace is one that a conforming system does not have.

use std::collections::BTreeSet;

use sioco_exec::Order;

use super::lts::{Act, Lts, Set};

/// The traces that may have happened, by the states after them and the inputs that were sent and not taken.
#[derive(Clone, Debug)]
pub struct Crossing<'l> {
    lts: &'l Lts,
    traces: BTreeSet<(Set, Vec<Act>)>,
    /// Whether one of the traces excuses everything.
    excused: bool,
}

impl<'l> Crossing<'l> {
    /// Before anything happened.
    pub fn new(lts: &'l Lts) -> Crossing<'l> {
        Crossing { lts, traces: [(lts.start(), Vec::new())].into(), excused: false }
    }

    /// An input was sent.
    pub fn send(&mut self, input: Act) {
        self.traces = self.traces.iter().map(|(set, queue)| (set.clone(), [&queue[..], &[input]].concat())).collect();
    }

    /// Everything that was sent has been taken.
    pub fn take_all(&mut self) {
        self.traces = self.taken().into_iter().filter(|(_, queue)| queue.is_empty()).collect();
    }

    /// Whether one of the traces excuses everything.
    pub fn excused(&self) -> bool {
        let mut all = self.clone();
        all.taken();
        all.excused
    }

    /// Whether an input is specified after one of the traces, all that was sent before taken.
    pub fn specifies(&self, input: Act) -> bool {
        let taken = self.clone().taken();
        taken.iter().any(|(set, queue)| queue.is_empty() && self.lts.takes(set, input))
    }

    /// The same traces, with any number of inputs taken from the queue.
    fn taken(&mut self) -> BTreeSet<(Set, Vec<Act>)> {
        let mut all = self.traces.clone();
        let mut todo: Vec<(Set, Vec<Act>)> = all.iter().cloned().collect();
        while let Some((set, queue)) = todo.pop() {
            let Some((first, rest)) = queue.split_first() else { continue };
            if !self.lts.takes(&set, *first) {
                self.excused = true;
                continue;
            }
            let next = (self.lts.after(&set, *first), rest.to_vec());
            if all.insert(next.clone()) {
                todo.push(next);
            }
        }
        all
    }

    /// Something was seen; silence is seen when everything that was sent has been taken. False: the system fails.
    pub fn see(&mut self, act: Act) -> bool {
        let mut next = BTreeSet::new();
        for (set, queue) in self.taken() {
            let waits = act == Act::Delta && !queue.is_empty();
            if !waits && self.lts.out(&set).contains(&act) {
                next.insert((self.lts.after(&set, act), queue));
            }
        }
        self.traces = next;
        self.excused || !self.traces.is_empty()
    }
}

/// What the oracle knows after a trace in which all silence is announced: it is certain, and two silences in a row say
/// nothing new.
#[derive(Clone, Debug)]
pub struct Known<'l> {
    pub now: Crossing<'l>,
    /// Whether silence was seen last. Then an output that is not allowed shows that it was announced too soon, which is a
    /// mistake of whoever did so.
    pub quiet: bool,
}

impl<'l> Known<'l> {
    /// Before anything happened.
    pub fn at_start(lts: &'l Lts) -> Known<'l> {
        Known { now: Crossing::new(lts), quiet: false }
    }

    /// Something was seen. False: it is not allowed.
    pub fn see(&mut self, act: Act) -> bool {
        if act == Act::Delta && self.quiet {
            return true;
        }
        self.quiet = act == Act::Delta;
        self.now.see(act)
    }

    /// An input was taken, or sent, as the order has it.
    pub fn input(&mut self, act: Act, order: Order) {
        self.quiet = false;
        self.now.send(act);
        if order.is_of_system() {
            self.now.take_all();
        }
    }
}
