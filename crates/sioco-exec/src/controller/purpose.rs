//! What leads towards a purpose (T-B5, T-B8; S0 lines 6 to 22; S1 section 3.2.2).

use rustc_hash::FxHashMap;
use sioco_model::{IdVec, Value};
use sioco_plan::{Leg, PurposeId};
use sioco_solve::Reason;
use sioco_solve::values::Choice;

use super::rest::rest;
use super::{AFTER, Chosen, Controller, Situation};
use crate::belief::HypothesisState;
use crate::course::{self, Ahead, Course, NoCourse};
use crate::event::GateValue;
use crate::ledger::Note;
use crate::position::Position;
use crate::record::Why;
use crate::run::Mode;
use crate::settings::{Settings, Walks as Walking};
use crate::suite::NodeId;
use crate::summary::PurposeResult;
use crate::tools::Tools;
use crate::verdict::{Cause, OpenCause};

/// A way from a hypothesis to something that is wanted.
#[derive(Clone, Copy)]
struct Way {
    /// The hypothesis, by its place in the belief.
    from: usize,
    /// Where it is in the tree of purposes.
    mark: NodeId,
    /// The accept.
    target: NodeId,
}

/// For nodes of the tree, the hypotheses that are there, and whether they surely are.
type Marks = FxHashMap<NodeId, Vec<(usize, bool)>>;

/// At most this many places of hypotheses in the tree of purposes are looked at to find ways on: there may be very many
/// where the system moves by itself, and it waits. Beyond these, ways may be missed, and the purpose is tried again.
const PLACES: usize = 4_096;
/// At most this many ways are tried to find one that leads to a purpose: each may take a question to a solver, while
/// the system waits. Measured: half and twice as many change no run of the examples.
const WAYS: usize = 32;
/// For this many ways values are drawn before a solver is asked: where none of the first few fits, values are rare.
/// Measured: half and twice as many change no verdict and no coverage of the examples.
const DRAWN_WAYS: usize = 4;

/// Whether values are chosen with an eye to those that should be equal.
fn is_keen(settings: &Settings) -> bool {
    settings.walks == Walking::Guided && matches!(settings.values, Choice::Random(_))
}

/// See the [module](self).
#[derive(Debug, Default)]
pub struct PurposeController {
    /// The way that is being gone, and the accept that it leads to.
    course: Option<(NodeId, Course)>,
}

impl Controller<Situation<'_, '_>> for PurposeController {
    fn start(&mut self, _: &mut Situation<'_, '_>) {
        self.course = None;
    }

    /// What leads towards the purpose that the run is after.
    fn select(&mut self, at: &mut Situation<'_, '_>) -> Option<Chosen> {
        let Mode::Purpose(purpose) = at.run.mode else { return None };
        if let Some(chosen) = self.follow(at, purpose) {
            return Some(chosen);
        }
        self.course = None;
        match self.look_anew(at, purpose) {
            Ok(()) => Some(Chosen::Again),
            Err(unknown) => Some(give_up(at, unknown)),
        }
    }

    fn update(&mut self, at: &mut Situation<'_, '_>, event: Option<&GateValue>) {
        let model = at.position.model();
        at.run.trace.push(event.cloned());
        let seen = event.map(|e| (e.gate, &e.args[..]));
        let went = match &mut self.course {
            // Silence that nobody asked for changes nothing.
            Some((_, course)) if seen.is_none() && course.ahead(model) != Ahead::Own => true,
            Some((_, course)) => course.advance(model, seen),
            None => true,
        };
        if !went || self.course.as_ref().is_some_and(|(_, c)| c.guess) {
            self.course = None;
        }
    }
}

impl PurposeController {
    /// What was chosen was a mistake, or something else is done: the way is given up.
    pub fn lose_course(&mut self) {
        self.course = None;
    }

    /// What comes next of a test of a comparison that cannot wait any longer, if the run is for one.
    pub fn rest(&mut self, at: &mut Situation<'_, '_>) -> Option<Chosen> {
        let rest = rest(at)?;
        self.course = None;
        Some(rest)
    }

    /// The rest of the current course, if it still works (S1 3.2.2, case 1).
    fn follow(&mut self, at: &mut Situation<'_, '_>, purpose: PurposeId) -> Option<Chosen> {
        let (target, course) = self.course.as_ref()?;
        if !at.position.suite.leads_on(*target) || (course.shaken && !self.steady(at)) {
            return None;
        }
        let (_, course) = self.course.as_ref()?;
        match course.ahead(at.position.model()) {
            Ahead::Input(gate, args) => {
                let why = if course.guess { Why::Guess(purpose) } else { Why::Purpose(purpose) };
                let input = GateValue { gate, args };
                // Silence may have ruled out the hypotheses that the course is for.
                at.position.takes(&input).then(|| at.stimulate(input, why))
            }
            Ahead::Own => Some(Chosen::Wait),
            Ahead::End => None,
        }
    }

    /// Whether what is left of the course works with what was observed: from one of the hypotheses on, without a solver. If
    /// it does, it goes on from there.
    fn steady(&mut self, at: &mut Situation<'_, '_>) -> bool {
        let Some((target, course)) = self.course.take() else { return false };
        for (from, mark) in places_above(at.position, target, &marks(at.position)) {
            if let Some(next) = try_values(at.position, Way { from, mark, target }, course.left()) {
                self.course = Some((target, next));
                return true;
            }
        }
        false
    }

    /// Looks for a course anew (S1 3.2.2, case 2): for this purpose first, and then for another one that the trace still
    /// fits (cases 3 and 4). If there is none, says what a solver left open.
    fn look_anew(&mut self, at: &mut Situation<'_, '_>, purpose: PurposeId) -> Result<(), Option<Reason>> {
        let own = ways_to(at.position, purpose, &marks(at.position));
        let mut unknown = None;
        let mut effort = at.settings.effort;
        let mut found = known_course(at, &own).or_else(|| drawn_course(at, &own));
        found = found.or_else(|| new_course(at, &own, &mut effort, &mut unknown));
        if found.is_none() {
            let others = other_ways(at.position, at.results, purpose);
            found = known_course(at, &others).or_else(|| drawn_course(at, &others));
            found = found.or_else(|| new_course(at, &others, &mut effort, &mut unknown));
        }
        let Some((target, course)) = found else { return Err(unknown) };
        self.course = Some((target, course));
        let aim = at.position.suite.accepted(target).next();
        if let Some(other) = aim.filter(|o| *o != purpose && !at.run.repeated) {
            at.run.mode = Mode::Purpose(other);
        }
        Ok(())
    }
}

/// Nothing leads to a purpose from here on: a walk follows, or the rest of a test, or the run ends.
fn give_up(at: &mut Situation<'_, '_>, unknown: Option<Reason>) -> Chosen {
    if at.settings.walks == Walking::Guided && (at.run.repeated || at.run.reached.is_some()) {
        // The walk begins where the purpose ends; what the last step led to shows only in what follows.
        at.run.mode = Mode::Walk;
        match at.run.repeated {
            true => at.position.suite.close_all(),
            false => at.run.walk_end = at.run.steps + AFTER.0 + at.tools.random.below(AFTER.1),
        }
        return Chosen::Again;
    }
    if let Some(rest) = rest(at).filter(|_| at.run.steps > 0) {
        return rest;
    }
    if at.run.is_content() {
        return Chosen::End(Cause::Reached);
    }
    if at.run.steps > 0
        && let Some(state) = at.position.deadlock()
    {
        at.look_for_deadlock();
        return Chosen::End(Cause::Open(OpenCause::Deadlock { state: state.show(at.position.model()) }));
    }
    Chosen::End(Cause::Open(match unknown {
        Some(reason) => OpenCause::Unknown(reason),
        None if at.run.steps == 0 => OpenCause::NoValues,
        None => OpenCause::Deviation,
    }))
}

/// Whether what a course begins with is taken by a hypothesis, where it is an input.
fn may_begin(at: &mut Situation<'_, '_>, course: &Course) -> bool {
    match course.ahead(at.position.model()) {
        Ahead::Input(gate, args) => at.position.takes(&GateValue { gate, args }),
        Ahead::Own | Ahead::End => true,
    }
}

/// Which hypotheses are at a node of the tree: those that get what is sent next.
fn marks(position: &Position<'_>) -> Marks {
    let mut marks = Marks::default();
    let all = position.ready().flat_map(|(from, h)| h.marks.iter().map(move |mark| (from, mark)));
    for (from, mark) in all.take(PLACES) {
        marks.entry(mark.node).or_default().push((from, mark.sure));
    }
    marks
}

/// The hypotheses that may go on to a node, those that surely may first, each with the node where it is now. One that
/// could only go on by itself is left out: what it leads to is another hypothesis already.
fn places_above(position: &Position<'_>, target: NodeId, marks: &Marks) -> Vec<(usize, NodeId)> {
    let model = position.model();
    let hypothesis = |from: usize| position.belief().hypotheses().nth(from);
    let known = |from: usize| hypothesis(from).is_some_and(|h| matches!(h.place, HypothesisState::Known(_)));
    let mut found: Vec<(bool, usize, NodeId)> = Vec::new();
    for (node, step) in position.suite.above(target) {
        for (from, sure) in marks.get(&node).into_iter().flatten() {
            if step.is_observable(model) || !known(*from) {
                found.push((!sure, *from, node));
            }
        }
    }
    found.sort_by_key(|f| f.0);
    found.into_iter().map(|(_, from, node)| (from, node)).collect()
}

/// The ways to a purpose: hypothesis, node of its mark, accept.
fn ways_to(position: &Position<'_>, purpose: PurposeId, marks: &Marks) -> Vec<Way> {
    let suite = &position.suite;
    let mut found = Vec::new();
    if suite.is_open(purpose) {
        for &target in suite.accepts_of(purpose) {
            let places = places_above(position, target, marks).into_iter();
            found.extend(places.map(|(from, mark)| Way { from, mark, target }));
        }
    }
    // What is surely possible comes first.
    found.sort_by_key(|way| suite.is_doubtful(way.target));
    found.truncate(WAYS);
    found
}

/// The ways to other purposes, those that were tried least first (S1 section 5.2.3).
fn other_ways(position: &Position<'_>, results: &IdVec<PurposeId, PurposeResult>, purpose: PurposeId) -> Vec<Way> {
    let (model, suite) = (position.model(), &position.suite);
    let mut found: Vec<(bool, bool, u32, Way)> = Vec::new();
    let mut targets = Vec::new();
    let all = position.ready().flat_map(|(from, h)| h.marks.iter().map(move |mark| (from, mark)));
    for (from, mark) in all.take(PLACES) {
        if found.len() >= PLACES {
            break;
        }
        targets.clear();
        suite.targets(model, mark.node, WAYS, &mut targets);
        for &target in &targets {
            let tried = suite.accepted(target).map(|p| results[p].attempts).min().unwrap_or(0);
            if suite.accepted(target).all(|p| p == purpose) {
                continue;
            }
            found.push((!mark.sure, suite.is_doubtful(target), tried, Way { from, mark: mark.node, target }));
        }
    }
    found.sort_by_key(|f| (f.0, f.1, f.2));
    found.truncate(WAYS);
    found.into_iter().map(|f| f.3).collect()
}

/// A way for which the plan has values that work from here on.
fn known_course(at: &mut Situation<'_, '_>, ways: &[Way]) -> Option<(NodeId, Course)> {
    // Who repeats a purpose wants other values.
    if at.run.repeated {
        return None;
    }
    let model = at.position.model();
    for &way in ways {
        let suite = &at.position.suite;
        let Some(purpose) = suite.accepted(way.target).find(|p| at.results[*p].attempts <= 1) else { continue };
        let Some(line) = suite.line(NodeId::ROOT, way.target) else { continue };
        let Some(foreseen) = suite.foreseen(model, purpose, &line) else { continue };
        let done = suite.line(NodeId::ROOT, way.mark).unwrap_or_default();
        let done = done.iter().filter(|n| suite.leg(**n).is_some_and(|l| l.step.is_observable(model))).count();
        let values: Vec<Option<Vec<Value>>> =
            foreseen.into_iter().skip(done).map(|v| v.map(<[Value]>::to_vec)).collect();
        if let Some(course) = try_values(at.position, way, values.iter().map(|v| v.as_deref())) {
            return Some((way.target, course));
        }
    }
    None
}

/// A course along values that were found before, if they work from a hypothesis on.
fn try_values<'v>(
    position: &mut Position<'_>,
    way: Way,
    values: impl Iterator<Item = Option<&'v [Value]>>,
) -> Option<Course> {
    let Position { mind, suite, belief, .. } = position;
    let line = suite.line(way.mark, way.target)?;
    let legs: Vec<&Leg> = line.iter().filter_map(|n| suite.leg(*n)).collect();
    let HypothesisState::Known(state) = belief.hypotheses().nth(way.from)?.place.clone() else { return None };
    course::along(&mut mind.interpreter, &state, &legs, values)
}

/// A course to a purpose with values that are drawn, if a few draws find some.
fn drawn_course(at: &mut Situation<'_, '_>, ways: &[Way]) -> Option<(NodeId, Course)> {
    if is_keen(at.settings) || !matches!(at.settings.values, Choice::Random(_)) {
        return None;
    }
    for &way in ways.iter().take(DRAWN_WAYS) {
        let Position { mind, suite, belief, .. } = &mut *at.position;
        let Some(line) = suite.line(way.mark, way.target).filter(|_| !suite.remembers()) else { continue };
        let legs: Vec<&Leg> = line.iter().filter_map(|n| suite.leg(*n)).collect();
        let place = belief.hypotheses().nth(way.from).map(|h| &h.place);
        let Some(HypothesisState::Known(state)) = place.cloned() else { continue };
        let Tools { random, drawer, .. } = &mut *at.tools;
        let Some(steps) = drawer.along(&mut mind.interpreter, &state, &legs, random) else { continue };
        let course = Course::of(at.position.model(), steps);
        if may_begin(at, &course) {
            return Some((way.target, course));
        }
    }
    None
}

/// A way with values that a solver finds.
fn new_course(
    at: &mut Situation<'_, '_>,
    ways: &[Way],
    effort: &mut usize,
    unknown: &mut Option<Reason>,
) -> Option<(NodeId, Course)> {
    for &way in ways {
        // A test that has just begun is worth more than the rest of one; both end with the pause.
        if at.run.steps > 0 {
            if *effort == 0 {
                at.notes.push(Note::Hurried);
                return None;
            }
            *effort -= 1;
            at.notes.push(Note::Solved);
        }
        match solve(at, way) {
            // A silence that the purpose does not have may have ruled out its values.
            Ok(course) if !may_begin(at, &course) => {}
            Ok(course) => return Some((way.target, course)),
            Err(NoCourse::Impossible) => {}
            Err(NoCourse::Unknown(reason)) => *unknown = Some(reason),
        }
    }
    None
}

/// Values for the way from a hypothesis to an accept.
fn solve(at: &mut Situation<'_, '_>, way: Way) -> Result<Course, NoCourse> {
    let (Position { suite, belief, .. }, settings) = (&*at.position, at.settings);
    let Tools { walker, random, inputs, .. } = &mut *at.tools;
    let Some(line) = suite.line(way.mark, way.target) else { return Err(NoCourse::Impossible) };
    let legs: Vec<&Leg> = line.iter().filter_map(|n| suite.leg(*n)).collect();
    let h = belief.hypotheses().nth(way.from).expect("the belief has not changed");
    // Whoever tries again wants other values, if there are any.
    let again = at.run.repeated || suite.accepted(way.target).any(|p| at.results[p].attempts > 1);
    let turn = if again { settings.values.turn(random) } else { 0 };
    match &h.place {
        HypothesisState::Known(state) if !suite.remembers() => {
            let patterns = is_keen(settings).then_some(&inputs.patterns);
            course::solve(walker, state, &legs, (settings.values, turn), random, patterns)
        }
        _ => {
            let before = suite.line(NodeId::ROOT, way.mark).expect("the root is above everything");
            let before: Vec<&Leg> = before.iter().filter_map(|n| suite.leg(*n)).collect();
            course::solve_after(walker, &before, &at.run.trace, &legs, (settings.values, turn), random)
        }
    }
}
