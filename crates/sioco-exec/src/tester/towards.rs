//! What leads towards a purpose (T-B5, T-B8; S0 lines 6 to 22; S1 section 3.2.2).

use rustc_hash::FxHashMap;
use sioco_model::Value;
use sioco_plan::Leg;
use sioco_solve::Reason;
use sioco_solve::values::Choice;

use super::{AFTER, Chosen, Tester, WAYS};
use crate::belief::Place;
use crate::course::{self, Ahead, Course, NoCourse};
use crate::event::GateValue;
use crate::record::Why;
use crate::run::{Mode, Run};
use crate::settings::{Settings, Walks as Walking};
use crate::suite::NodeId;
use crate::tools::Tools;
use crate::verdict::{Cause, Open};

/// A way from a hypothesis to something that is wanted.
#[derive(Clone, Copy)]
struct Way {
    /// The hypothesis, by its place in the belief.
    at: usize,
    /// Where it is in the tree of purposes.
    mark: NodeId,
    /// The accept.
    target: NodeId,
}

/// For nodes of the tree, the hypotheses that are there, and whether they surely are.
type Marks = FxHashMap<NodeId, Vec<(usize, bool)>>;

/// How many places of hypotheses in the tree of purposes are looked at to find ways on: there may be very many where the
/// system moves by itself, and it waits.
const PLACES: usize = 4_096;
/// For how many ways values are drawn before a solver is asked.
const DRAWN: usize = 4;

/// Whether values are chosen with an eye to those that should be equal.
fn is_keen(settings: &Settings) -> bool {
    settings.walks == Walking::Guided && matches!(settings.values, Choice::Random(_))
}

impl Tester<'_> {
    /// What leads towards a purpose.
    pub(super) fn pursue(&mut self, purpose: usize) -> Chosen {
        let model = self.model();
        // The rest of the current course still works (S1 3.2.2, case 1).
        if let Some((target, course)) = &self.course
            && self.referee.suite.leads_on(*target)
            && (!course.shaken || self.steady())
            && let Some((_, course)) = &self.course
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
        let marks = self.marks();
        // Otherwise the rest is looked for anew (case 2), for this purpose first.
        let own = self.ways_to(purpose, &marks);
        let mut unknown = None;
        let mut effort = self.settings.effort;
        let mut found = self.known_course(&own).or_else(|| self.drawn_course(&own));
        found = found.or_else(|| self.new_course(&own, &mut effort, &mut unknown));
        if found.is_none() {
            // Then for another one that the trace still fits (cases 3 and 4).
            let others = self.other_ways(purpose);
            found = self.known_course(&others).or_else(|| self.drawn_course(&others));
            found = found.or_else(|| self.new_course(&others, &mut effort, &mut unknown));
        }
        if let Some((target, course)) = found {
            self.course = Some((target, course));
            let aim = self.referee.suite.accepted(target).next();
            if let Some(other) = aim.filter(|o| *o != purpose && !self.run.repeated) {
                self.run.mode = Mode::Purpose(other);
            }
            return Chosen::Again;
        }
        if self.settings.walks == Walking::Guided && (self.run.repeated || self.run.reached.is_some()) {
            // The walk begins where the purpose ends; what the last step led to shows only in what follows.
            self.run.mode = Mode::Walk;
            self.run.walk_end = match self.run.repeated {
                true => self.run.walk_end,
                false => self.run.steps + AFTER.0 + self.tools.random.below(AFTER.1),
            };
            if self.run.repeated {
                self.referee.suite.close_all();
            }
            return Chosen::Again;
        }
        if let Some(onward) = self.go_on().filter(|_| self.run.steps > 0) {
            return onward;
        }
        if self.run.is_content() {
            return Chosen::End(Cause::Reached);
        }
        if self.run.steps > 0
            && let Some(state) = self.referee.deadlock()
        {
            self.look_for_deadlock();
            return Chosen::End(Cause::Open(Open::Deadlock { state: state.show(model) }));
        }
        Chosen::End(Cause::Open(match unknown {
            Some(reason) => Open::Unknown(reason),
            None if self.run.steps == 0 => Open::NoValues,
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
        let wait = self.is_fair() && self.referee.may_act();
        match wait || self.is_unanswered() {
            true => Chosen::Wait,
            false => Chosen::Send(input, why),
        }
    }

    /// Whether what is left of the course works with what was observed: from one of the hypotheses on, without a solver. If
    /// it does, it goes on from there.
    fn steady(&mut self) -> bool {
        let Some((target, course)) = self.course.take() else { return false };
        for (at, mark) in self.places_above(target, &self.marks()) {
            if let Some(next) = self.try_values(at, mark, target, course.left()) {
                self.course = Some((target, next));
                return true;
            }
        }
        false
    }

    /// Which hypotheses are at a node of the tree: those that get what is sent next.
    fn marks(&self) -> Marks {
        let mut marks = Marks::default();
        let all = self.referee.ready().flat_map(|(at, h)| h.marks.iter().map(move |mark| (at, mark)));
        for (at, mark) in all.take(PLACES) {
            marks.entry(mark.node).or_default().push((at, mark.sure));
        }
        marks
    }

    /// The hypotheses that may go on to a node, those that surely may first, each with the node where it is now. One that
    /// could only go on by itself is left out: what it leads to is another hypothesis already.
    fn places_above(&self, target: NodeId, marks: &Marks) -> Vec<(usize, NodeId)> {
        let model = self.model();
        let suite = &self.referee.suite;
        let hypothesis = |at: usize| self.referee.belief().hypotheses().nth(at);
        let known = |at: usize| hypothesis(at).is_some_and(|h| matches!(h.place, Place::Known(_)));
        let mut found: Vec<(bool, usize, NodeId)> = Vec::new();
        for (node, step) in suite.above(target) {
            for (at, sure) in marks.get(&node).into_iter().flatten() {
                if step.is_observable(model) || !known(*at) {
                    found.push((!sure, *at, node));
                }
            }
        }
        found.sort_by_key(|f| f.0);
        found.into_iter().map(|(_, at, node)| (at, node)).collect()
    }

    /// The ways to a purpose: hypothesis, node of its mark, accept.
    fn ways_to(&self, purpose: usize, marks: &Marks) -> Vec<Way> {
        let suite = &self.referee.suite;
        let mut found = Vec::new();
        if suite.is_open(purpose) {
            for &target in suite.accepts_of(purpose) {
                found.extend(self.places_above(target, marks).into_iter().map(|(at, mark)| Way { at, mark, target }));
            }
        }
        // What is surely possible comes first.
        found.sort_by_key(|way| suite.is_doubtful(way.target));
        found.truncate(WAYS);
        found
    }

    /// The ways to other purposes, those that were tried least first (S1 section 5.2.3).
    fn other_ways(&self, purpose: usize) -> Vec<Way> {
        let model = self.model();
        let suite = &self.referee.suite;
        let mut found: Vec<(bool, bool, u32, Way)> = Vec::new();
        let mut targets = Vec::new();
        let all = self.referee.ready().flat_map(|(at, h)| h.marks.iter().map(move |mark| (at, mark)));
        for (at, mark) in all.take(PLACES) {
            if found.len() >= PLACES {
                break;
            }
            targets.clear();
            suite.targets(model, mark.node, WAYS, &mut targets);
            for &target in &targets {
                let tried = suite.accepted(target).map(|p| self.ledger.result(p).attempts).min().unwrap_or(0);
                if suite.accepted(target).all(|p| p == purpose) {
                    continue;
                }
                found.push((!mark.sure, suite.is_doubtful(target), tried, Way { at, mark: mark.node, target }));
            }
        }
        found.sort_by_key(|f| (f.0, f.1, f.2));
        found.truncate(WAYS);
        found.into_iter().map(|f| f.3).collect()
    }

    /// A way for which the plan has values that work from here on.
    fn known_course(&mut self, ways: &[Way]) -> Option<(NodeId, Course)> {
        // Who repeats a purpose wants other values.
        if self.run.repeated {
            return None;
        }
        let model = self.model();
        for &Way { at, mark, target } in ways {
            let suite = &self.referee.suite;
            let Some(purpose) = suite.accepted(target).find(|p| self.ledger.result(*p).attempts <= 1) else { continue };
            let Some(line) = suite.line(0, target) else { continue };
            let Some(foreseen) = suite.foreseen(model, purpose, &line) else { continue };
            let done = suite.line(0, mark).unwrap_or_default();
            let done = done.iter().filter(|n| suite.leg(**n).is_some_and(|l| l.step.is_observable(model))).count();
            let values: Vec<Option<Vec<Value>>> =
                foreseen.into_iter().skip(done).map(|v| v.map(<[Value]>::to_vec)).collect();
            if let Some(course) = self.try_values(at, mark, target, values.iter().map(|v| v.as_deref())) {
                return Some((target, course));
            }
        }
        None
    }

    /// A course along values that were found before, if they work from a hypothesis on.
    fn try_values<'v>(
        &mut self,
        at: usize,
        mark: NodeId,
        target: NodeId,
        values: impl Iterator<Item = Option<&'v [Value]>>,
    ) -> Option<Course> {
        let referee = &mut self.referee;
        let line = referee.suite.line(mark, target)?;
        let legs: Vec<&Leg> = line.iter().filter_map(|n| referee.suite.leg(*n)).collect();
        let Place::Known(state) = referee.belief().hypotheses().nth(at)?.place.clone() else { return None };
        course::along(&mut referee.mind.interpreter, &state, &legs, values)
    }

    /// A course to a purpose with values that are drawn, if a few draws find some.
    fn drawn_course(&mut self, ways: &[Way]) -> Option<(NodeId, Course)> {
        if is_keen(&self.settings) || !matches!(self.settings.values, Choice::Random(_)) {
            return None;
        }
        for &Way { at, mark, target } in ways.iter().take(DRAWN) {
            let Tester { referee, tools: Tools { random, drawer, .. }, .. } = self;
            let suite = &referee.suite;
            let Some(line) = suite.line(mark, target).filter(|_| !suite.remembers()) else { continue };
            let legs: Vec<&Leg> = line.iter().filter_map(|n| suite.leg(*n)).collect();
            let place = referee.belief().hypotheses().nth(at).map(|h| &h.place);
            let Some(Place::Known(state)) = place.cloned() else { continue };
            let Some(steps) = drawer.along(&mut referee.mind.interpreter, &state, &legs, random) else { continue };
            let course = Course::of(self.model(), steps, false);
            if self.may_begin(&course) {
                return Some((target, course));
            }
        }
        None
    }

    /// A way with values that a solver finds.
    fn new_course(
        &mut self,
        ways: &[Way],
        effort: &mut usize,
        unknown: &mut Option<Reason>,
    ) -> Option<(NodeId, Course)> {
        for &Way { at, mark, target } in ways {
            // A test that has just begun is worth more than the rest of one; both end with the pause.
            if self.run.steps > 0 {
                if *effort == 0 {
                    self.ledger.hurried();
                    return None;
                }
                *effort -= 1;
                self.ledger.solved();
            }
            match self.solve(at, mark, target) {
                // A silence that the purpose does not have may have ruled out its values.
                Ok(course) if !self.may_begin(&course) => {}
                Ok(course) => return Some((target, course)),
                Err(NoCourse::Impossible) => {}
                Err(NoCourse::Unknown(reason)) => *unknown = Some(reason),
            }
        }
        None
    }

    /// Values for the way from a hypothesis to an accept.
    pub(super) fn solve(&mut self, at: usize, mark: NodeId, target: NodeId) -> Result<Course, NoCourse> {
        let Tester { referee, tools: Tools { walker, random, inputs, .. }, settings, run: Run { trace, .. }, .. } =
            self;
        let suite = &referee.suite;
        let Some(line) = suite.line(mark, target) else { return Err(NoCourse::Impossible) };
        let legs: Vec<&Leg> = line.iter().filter_map(|n| suite.leg(*n)).collect();
        let h = referee.belief().hypotheses().nth(at).expect("the belief has not changed");
        // Whoever tries again wants other values, if there are any.
        let again = self.run.repeated || suite.accepted(target).any(|p| self.ledger.result(p).attempts > 1);
        let turn = if again { settings.values.turn(random) } else { 0 };
        match &h.place {
            Place::Known(state) if !suite.remembers() => {
                let patterns = is_keen(settings).then_some(&inputs.patterns);
                course::solve(walker, state, &legs, (settings.values, turn), random, patterns)
            }
            _ => {
                let before = suite.line(0, mark).expect("the root is above everything");
                let before: Vec<&Leg> = before.iter().filter_map(|n| suite.leg(*n)).collect();
                course::solve_after(walker, &before, trace, &legs, (settings.values, turn), random)
            }
        }
    }
}
