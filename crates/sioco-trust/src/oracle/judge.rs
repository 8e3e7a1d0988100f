//! The verdicts that are right for a log (chapters V, Q, O and E of the theory), with what is open there left open.
//!
//! A log in the order of the system (T-O2) is one trace. One in the order in which the tester sent and received (T-O3) stands for every
//! trace in which inputs come later than they were sent: the system may give outputs before it takes them. Silence means
//! that all of them were taken.
//!
//! Where the model does not specify an input that a trace has, a conforming system may do anything from there on: as long
//! as such a trace explains the log, it does not fail.

use std::collections::BTreeSet;

use super::TooLarge;
use super::belief::{Set, World};
use crate::spec::{CLOSED, CRASHED, Event, Line, Order};

/// A verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Everything that was observed is allowed.
    Pass,
    /// Nothing definite.
    Inconclusive,
    /// The model is undefined, or the adapter broke its word.
    Error,
    /// The system does not conform.
    Fail,
}

/// What the theory says about a log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Right {
    /// The verdicts that are right; more than one where the theory leaves it open.
    pub verdicts: BTreeSet<Verdict>,
    /// The most states that explained what was seen.
    pub hypotheses: usize,
    /// Whether a silence was withdrawn.
    pub withdrawn: bool,
}

/// The states after one trace that explains the log, and the inputs that were sent and are not in that trace yet.
type Explained = (Set, Vec<Event>);

/// The traces that explain a log.
#[derive(Clone, Debug, Default)]
struct Known {
    traces: BTreeSet<Explained>,
    /// Whether a trace explains it that has an input where the model does not specify it.
    unspecified: bool,
    /// Whether something was undefined on the way, by which some states were lost.
    undefined: bool,
    /// Whether the last event was undefined for a state.
    broken: bool,
    /// Whether something was undefined that does not matter to the last event.
    needless: bool,
    /// Whether an input that is under way was undefined for a state: then anything may follow.
    lost: bool,
}

impl Known {
    fn hypotheses(&self, world: &World<'_>) -> usize {
        self.traces.iter().map(|(states, _)| world.size(*states)).sum()
    }

    fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// The same without traces.
    fn none(&self) -> Known {
        Known { traces: BTreeSet::new(), broken: false, needless: false, ..self.clone() }
    }
}

/// Where the judge stands.
#[derive(Clone, Debug)]
struct Standing {
    belief: Known,
    /// What would be possible if all silences by the clock were premature (T-Q5).
    patient: Known,
    /// Whether silences by the clock wait to be judged.
    waiting: bool,
    /// Whether the last event was silence that was announced.
    announced: bool,
}

/// What is right for a log.
pub fn judge(world: &World<'_>, lines: &[Line], order: Order) -> Result<Right, TooLarge> {
    let mut judge = Judge { world, order, right: Right::default() };
    let start = world.start()?;
    let mut known = Known { undefined: start.undefined_later, ..Known::default() };
    known.traces.insert((start.states, Vec::new()));
    let standing = Standing { belief: known.clone(), patient: known, waiting: false, announced: false };
    judge.go(standing, lines)?;
    Ok(judge.right)
}

struct Judge<'w> {
    world: &'w World<'w>,
    order: Order,
    right: Right,
}

impl Judge<'_> {
    fn say(&mut self, verdict: Verdict) {
        self.right.verdicts.insert(verdict);
    }

    fn go(&mut self, standing: Standing, lines: &[Line]) -> Result<(), TooLarge> {
        let mut now = standing;
        for line in lines {
            self.right.hypotheses = self.right.hypotheses.max(now.belief.hypotheses(self.world));
            if now.belief.undefined || now.patient.undefined {
                // The theory does not say which hypotheses have to be undefined for a run to end.
                self.say(Verdict::Error);
                self.say(Verdict::Inconclusive);
            }
            match line {
                Line::Delta if now.announced => {}
                Line::Delta => now.waiting = true,
                Line::Announced => {
                    // A certain silence; what the clock said before adds nothing.
                    (now.waiting, now.announced) = (false, true);
                    let (belief, patient) = (self.delta(&now.belief)?, self.delta(&now.patient)?);
                    if !self.settle(&mut now, belief, patient, Verdict::Fail) {
                        return Ok(());
                    }
                }
                Line::Input(event) => {
                    if !self.finish(&mut now)? {
                        return Ok(());
                    }
                    now.announced = false;
                    let (belief, patient) = (self.input(&now.belief, event)?, self.input(&now.patient, event)?);
                    if belief.is_empty() && !patient.is_empty() {
                        // Open: whether an input that only the patient belief takes withdraws the silences.
                        self.say(Verdict::Inconclusive);
                    }
                    if !self.settle(&mut now, belief, patient, Verdict::Inconclusive) {
                        return Ok(());
                    }
                    if now.belief.traces.iter().all(|(_, queue)| !queue.is_empty()) {
                        // Nothing takes the input now; perhaps outputs that overtake it lead to where it is taken.
                        self.say(Verdict::Inconclusive);
                    }
                }
                Line::Malformed(_) => {
                    if now.announced && self.order != Order::Certain {
                        self.say(Verdict::Error);
                    }
                    if now.belief.unspecified {
                        self.say(Verdict::Inconclusive);
                    }
                    self.say(Verdict::Fail);
                    return Ok(());
                }
                Line::Output(_) | Line::Closed | Line::Crashed => {
                    // Silences by the clock are withdrawn (T-Q3).
                    self.right.withdrawn |= now.waiting;
                    now.waiting = false;
                    // An output that the model does not allow after announced silence is an error of the adapter, if there
                    // is one; the end of the system is judged as usual (T-Q6).
                    let broke = now.announced && self.order != Order::Certain && matches!(line, Line::Output(_));
                    let otherwise = if broke { Verdict::Error } else { Verdict::Fail };
                    let event = match line {
                        Line::Output(event) => Some(event.clone()),
                        Line::Closed => self.ending(CLOSED),
                        _ => self.ending(CRASHED),
                    };
                    let (belief, patient) = match event {
                        Some(event) => (self.output(&now.belief, &event)?, self.output(&now.patient, &event)?),
                        None => (now.belief.none(), now.patient.none()),
                    };
                    if broke && belief.is_empty() {
                        // Open: what else explains it, silences by the clock before that were premature, or an input
                        // that the model does not specify.
                        self.say(Verdict::Error);
                    }
                    if !self.settle(&mut now, belief, patient, otherwise) {
                        return Ok(());
                    }
                    now.announced = false;
                    if now.belief.traces.iter().all(|(_, queue)| !queue.is_empty()) {
                        self.say(Verdict::Inconclusive);
                    }
                }
            }
        }
        self.right.hypotheses = self.right.hypotheses.max(now.belief.hypotheses(self.world));
        if !self.finish(&mut now)? {
            return Ok(());
        }
        if now.belief.undefined {
            self.say(Verdict::Error);
            self.say(Verdict::Inconclusive);
        }
        self.say(Verdict::Pass);
        Ok(())
    }

    fn ending(&self, name: &str) -> Option<Event> {
        Some(Event { gate: self.world.spec.output(name)?, args: Vec::new() })
    }

    /// Silences by the clock that wait to be judged are final now (T-Q4).
    fn finish(&mut self, now: &mut Standing) -> Result<bool, TooLarge> {
        if !std::mem::take(&mut now.waiting) {
            return Ok(true);
        }
        let (belief, explained) = (self.delta(&now.belief)?, self.delta(&now.patient)?);
        let patient = now.patient.clone();
        let goes_on = self.settle(now, belief, explained, Verdict::Fail);
        // The patient belief does not believe in silence by the clock.
        now.patient = patient;
        Ok(goes_on)
    }

    /// Goes on with what an event led to, or says how the run ends.
    fn settle(&mut self, now: &mut Standing, belief: Known, patient: Known, otherwise: Verdict) -> bool {
        if belief.broken && now.belief.hypotheses(self.world) == 1 {
            self.say(Verdict::Error);
            return false;
        }
        if belief.undefined || patient.undefined {
            self.say(Verdict::Error);
            self.say(Verdict::Inconclusive);
        }
        if belief.needless || patient.needless {
            // Open: a guard that is undefined beside another one that holds is a model error, or does not matter.
            self.say(Verdict::Error);
            if now.belief.hypotheses(self.world) > 1 {
                self.say(Verdict::Inconclusive);
            }
        }
        if !belief.is_empty() {
            (now.belief, now.patient) = (belief, patient);
            return true;
        }
        if !patient.is_empty() {
            self.right.withdrawn = true;
            (now.belief, now.patient) = (patient.clone(), patient);
            return true;
        }
        if !belief.broken && !patient.broken {
            // A trace with an unspecified input that explains what would otherwise be a failure.
            let open = belief.unspecified || patient.unspecified || belief.lost || patient.lost;
            self.say(if open { Verdict::Inconclusive } else { otherwise });
        }
        false
    }

    fn input(&self, known: &Known, event: &Event) -> Result<Known, TooLarge> {
        let mut next = known.none();
        for (states, queue) in &known.traces {
            if self.order == Order::Sent {
                let mut queue = queue.clone();
                queue.push(event.clone());
                next.traces.insert((*states, queue));
                continue;
            }
            let after = self.world.input(*states, event)?;
            next.undefined |= after.undefined || after.undefined_later;
            next.broken |= after.undefined;
            if !after.states.is_empty() {
                next.traces.insert((after.states, Vec::new()));
            }
        }
        self.take_inputs(next)
    }

    /// Inputs that were sent may be taken at any time.
    fn take_inputs(&self, known: Known) -> Result<Known, TooLarge> {
        let mut next = known;
        let mut todo: Vec<Explained> = next.traces.iter().cloned().collect();
        while let Some((states, queue)) = todo.pop() {
            let Some((first, rest)) = queue.split_first() else { continue };
            let after = self.world.input(states, first)?;
            next.undefined |= after.undefined || after.undefined_later;
            next.lost |= after.undefined;
            if after.states.is_empty() {
                next.unspecified |= !after.undefined;
                continue;
            }
            let trace = (after.states, rest.to_vec());
            if next.traces.insert(trace.clone()) {
                todo.push(trace);
            }
        }
        Ok(next)
    }

    fn output(&self, known: &Known, event: &Event) -> Result<Known, TooLarge> {
        let mut next = known.none();
        for (states, queue) in &known.traces {
            let after = self.world.output(*states, event)?;
            next.undefined |= after.undefined || after.undefined_later;
            next.broken |= after.undefined;
            if !after.states.is_empty() {
                next.traces.insert((after.states, queue.clone()));
            }
        }
        self.take_inputs(next)
    }

    fn delta(&self, known: &Known) -> Result<Known, TooLarge> {
        let mut next = known.none();
        for (states, queue) in &known.traces {
            if !queue.is_empty() {
                continue;
            }
            let after = self.world.delta(*states)?;
            next.undefined |= after.undefined || after.undefined_later;
            next.broken |= after.undefined;
            next.needless |= after.needless;
            if !after.states.is_empty() {
                next.traces.insert((after.states, Vec::new()));
            }
        }
        Ok(next)
    }
}
