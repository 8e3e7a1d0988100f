//! What leads towards a purpose (S0 lines 6 to 22; S1 section 3.2.2).

use sioco_plan::Leg;
use sioco_solve::values::Choice;

use super::{AFTER, Chosen, Mode, Tester, WAYS};
use crate::belief::Place;
use crate::course::{self, Ahead, Course, NoCourse};
use crate::event::GateValue;
use crate::record::Why;
use crate::settings::Walks as Walking;
use crate::suite::NodeId;
use crate::verdict::{Cause, Open};

impl Tester<'_> {
    /// What leads towards a purpose.
    pub(super) fn pursue(&mut self, purpose: usize) -> Chosen {
        let model = self.model();
        // The rest of the current course still works (S1 3.2.2, case 1).
        if let Some((target, course)) = &self.course
            && self.referee.suite.leads_on(*target)
        {
            match course.ahead(model) {
                Ahead::Input(gate, args) => {
                    let why = if course.guess { Why::Guess(purpose) } else { Why::Purpose(purpose) };
                    let input = GateValue { gate, args };
                    // Silence may have ruled out the hypotheses that the course is for.
                    if self.referee.takes(&input) {
                        return self.stimulate(input, why);
                    }
                }
                Ahead::Own => return Chosen::Wait,
                Ahead::End => {}
            }
        }
        self.course = None;
        // Otherwise the rest is solved again, for this purpose or another one that the trace still fits (cases 2 to 4).
        let mut unknown = None;
        for (at, mark, target) in self.ways(purpose) {
            match self.solve(at, mark, target) {
                // A silence that the purpose does not have may have ruled out its values.
                Ok(course) if !self.may_begin(&course) => {}
                Ok(course) => {
                    self.course = Some((target, course));
                    let aim = self.referee.suite.accepted(target).next();
                    if let Some(other) = aim.filter(|o| *o != purpose && !self.repeated) {
                        self.mode = Mode::Purpose(other);
                    }
                    return Chosen::Again;
                }
                Err(NoCourse::Impossible) => {}
                Err(NoCourse::Unknown(reason)) => unknown = Some(reason),
            }
        }
        if self.settings.walks == Walking::Guided && (self.repeated || self.reached.is_some()) {
            // The walk begins where the purpose ends; what the last step led to shows only in what follows.
            self.mode = Mode::Walk;
            self.walk_end = match self.repeated {
                true => self.walk_end,
                false => self.run_steps + AFTER.0 + self.random.below(AFTER.1),
            };
            if self.repeated {
                self.give_up();
            }
            return Chosen::Again;
        }
        if self.is_content() {
            return Chosen::End(Cause::Reached);
        }
        if self.run_steps > 0
            && let Some(state) = self.referee.deadlock()
        {
            self.look_for_deadlock();
            return Chosen::End(Cause::Open(Open::Deadlock { state: state.show(model) }));
        }
        Chosen::End(Cause::Open(match unknown {
            Some(reason) => Open::Unknown(reason),
            None if self.run_steps == 0 => Open::NoValues,
            None => Open::Deviation,
        }))
    }

    /// Whether what a course begins with is taken by a hypothesis, where it is an input.
    pub(super) fn may_begin(&mut self, course: &Course) -> bool {
        match course.ahead(self.model()) {
            Ahead::Input(gate, args) => self.referee.takes(&GateValue { gate, args }),
            Ahead::Own | Ahead::End => true,
        }
    }

    /// Whether to send an input now, or to wait for outputs that may be under way.
    pub(super) fn stimulate(&mut self, input: GateValue, why: Why) -> Chosen {
        match self.is_fair() && self.referee.may_act() {
            true => Chosen::Wait,
            false => Chosen::Send(input, why),
        }
    }

    /// Where hypotheses may go on to something that is wanted: the hypothesis, the node of its mark, and the accept; the
    /// purpose at hand first.
    pub(super) fn ways(&self, purpose: usize) -> Vec<(usize, NodeId, NodeId)> {
        let suite = &self.referee.suite;
        let mut found = Vec::new();
        let mut others = Vec::new();
        for (at, h) in self.referee.ready() {
            for mark in &h.marks {
                if suite.is_open(purpose) {
                    let below = suite.accepts_of(purpose).iter().filter(|a| **a != mark.node);
                    let below = below.filter(|a| suite.line(mark.node, **a).is_some());
                    found.extend(below.map(|a| (!mark.sure, suite.is_doubtful(*a), at, mark.node, *a)));
                }
                let below = suite.targets(mark.node, WAYS).into_iter();
                others.extend(below.map(|a| (!mark.sure, suite.is_doubtful(a), at, mark.node, a)));
            }
        }
        // What is surely on its way, and surely possible, comes first.
        found.sort_by_key(|f| (f.0, f.1));
        others.sort_by_key(|f| (f.0, f.1));
        found.truncate(WAYS);
        for other in others {
            if found.len() >= 2 * WAYS {
                break;
            }
            if !found.iter().any(|f| f.2 == other.2 && f.4 == other.4) {
                found.push(other);
            }
        }
        found.into_iter().map(|(_, _, at, mark, target)| (at, mark, target)).collect()
    }

    /// Values for the way from a hypothesis to an accept.
    pub(super) fn solve(&mut self, at: usize, mark: NodeId, target: NodeId) -> Result<Course, NoCourse> {
        let Tester { referee, walker, settings, random, trace, inputs, .. } = self;
        let suite = &referee.suite;
        let Some(line) = suite.line(mark, target) else { return Err(NoCourse::Impossible) };
        let legs: Vec<&Leg> = line.iter().filter_map(|n| suite.leg(*n)).collect();
        let h = referee.belief().hypotheses().nth(at).expect("the belief has not changed");
        match &h.place {
            Place::Known(state) if !suite.remembers() => {
                let keen = settings.walks == Walking::Guided && matches!(settings.values, Choice::Random(_));
                let patterns = keen.then_some(&inputs.patterns);
                course::solve(walker, state, &legs, settings.values, random, patterns)
            }
            _ => {
                let before = suite.line(0, mark).expect("the root is above everything");
                let before: Vec<&Leg> = before.iter().filter_map(|n| suite.leg(*n)).collect();
                course::solve_after(walker, &before, trace, &legs, settings.values, random)
            }
        }
    }
}
