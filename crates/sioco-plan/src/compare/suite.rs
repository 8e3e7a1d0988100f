//! The composition-based suite (T-G4; S2 definitions 19, 20): for every path of the composition, inputs to tell output
//! expressions of both models apart; where only one model defines the path, one test or one probe.
//!
//! Paths that begin the same share tests: a test of a longer path also tests those that it begins with, and what that
//! leaves open is added. The answers that are expected are not part of a test: the specification has them. Nor are values
//! that the system chooses: tests with the same inputs on the same way are [one](super::same).
//!
//! Every transition is a goal of the plan. A goal is unknown if a solver or a bound left
//! open whether it needs more tests. So the result of a run of the plan shows it as well.

use std::collections::BTreeSet;

use sioco_model::model::{Direction, Label, Model};
use sioco_model::term::Term;
use sioco_model::{GateId, Id, SymbolId, TermId, Value};
use sioco_solve::values::{Choice, Random};
use sioco_solve::{Reason, Witness};
use sioco_symbolic::explore::Stop;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use super::composition::{Composition, Defined, Lack, Transition};
use super::join::{Joined, Side};
use super::points::{Point, determine, solve};
use super::polynomial::Space;
use super::same::instead;
use super::walk::{Move, Walk};
use super::{Options, Progress, Stage};
use crate::case::{Case, Spot};
use crate::cover::Cover;
use crate::event::Event;
use crate::goal::{Goal, State};
use crate::plan::{Counts, Plan};
use crate::purpose::{Leg, Purpose, PurposeId};
use crate::want::Want;

/// More monomials than this would be more tests for one path than anybody wants.
const MONOMIALS: usize = 500;
const MANY: &str = "more than 500 tests for one path";

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its tests, as a plan for the specification.
    pub plan: Plan,
    /// The values of its purposes.
    pub cases: Vec<Case>,
    /// Of each purpose, who defines its last input.
    pub defined: Vec<Defined>,
    /// Outputs without a degree, which were tested with as many inputs as the user said.
    pub without_degree: Vec<NoDegree>,
    /// Transitions for which a solver found no values, or left open whether there are more, with its reason.
    pub open: Vec<(usize, Reason)>,
    /// Transitions whose outputs are too large for a bound: they may need more tests than there are, if there are any.
    pub large: Vec<(usize, NoDegree)>,
    /// How many inputs all tests have together.
    pub inputs: usize,
    /// Transitions that have no tests, since there was no time for them.
    pub left: Vec<usize>,
}

/// An output whose expressions have no degree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoDegree {
    /// The gate.
    pub gate: GateId,
    /// The part of the expression that has none, as it is written.
    pub text: String,
    /// What that is.
    pub why: String,
}

struct Test {
    transition: usize,
    point: Point,
}

/// Makes the suite of a composition; or says which outputs have no degree, if the user has not said what to do about them.
pub(crate) fn suite(
    walk: &mut Walk<'_>,
    composition: &Composition,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Suite, Vec<NoDegree>> {
    let (without_degree, large) = lacks(walk, composition, options);
    if !without_degree.is_empty() && options.uniformity.is_none() {
        return Err(without_degree);
    }
    let drawn = draw(walk, composition, options, progress);
    let joined = walk.joined;
    let chosen = choose(joined, composition, &drawn.tests);
    let inputs = chosen.purposes.iter().map(|p| count_inputs(&joined.model, p)).sum();
    let goals = goals(joined, composition, &drawn, &chosen, &large);
    let plan = Plan {
        goals,
        purposes: chosen.purposes,
        stop: drawn.stop,
        counts: Counts {
            nodes: composition.pairs.len(),
            candidates: composition.transitions.len(),
            ..Counts::default()
        },
        ..Plan::new(Cover::Compare)
    };
    let Drawn { open, left, .. } = drawn;
    Ok(Suite { plan, cases: chosen.cases, defined: chosen.defined, without_degree, open, large, inputs, left })
}

/// The outputs without a degree; and the transitions with some that are too large for a bound, where the user has not said
/// how many tests these get.
fn lacks(walk: &mut Walk<'_>, composition: &Composition, options: &Options) -> (Vec<NoDegree>, Vec<(usize, NoDegree)>) {
    let mut without_degree: Vec<NoDegree> = Vec::new();
    let mut large: Vec<(usize, NoDegree)> = Vec::new();
    for (i, t) in composition.transitions.iter().enumerate() {
        let Err(lack) = no_degree(t) else { continue };
        walk.follow(&composition.moves(i));
        let found = lack.describe(walk);
        match (options.uniformity, lack.large) {
            (None, true) => large.push((i, found)),
            _ if without_degree.contains(&found) => {}
            _ => without_degree.push(found),
        }
    }
    (without_degree, large)
}

/// The tests of all transitions.
struct Drawn {
    tests: Vec<Test>,
    /// The tests that go over each transition.
    over: Vec<Vec<usize>>,
    /// Transitions for which there may be too few, with the reason.
    open: Vec<(usize, Reason)>,
    /// Transitions without any, since there was no time.
    left: Vec<usize>,
    stop: Stop,
}

/// Finds tests for one transition after the other, those at the ends of the longest paths first.
fn draw(
    walk: &mut Walk<'_>,
    composition: &Composition,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Drawn {
    let mut order: Vec<usize> = (0..composition.transitions.len()).collect();
    let length = |t: usize| composition.pairs[composition.transitions[t].from].depth;
    order.sort_by_key(|t| (std::cmp::Reverse(length(*t)), *t));
    let mut tests: Vec<Test> = Vec::new();
    let mut over: Vec<Vec<usize>> = vec![Vec::new(); composition.transitions.len()];
    let (mut open, mut left) = (Vec::new(), Vec::new());
    let mut random = Random::new(options.seed);
    let mut stop = composition.stop;
    for (done, t) in order.iter().copied().enumerate() {
        // What was composed is tested even if there was no time for more.
        if options.limits.cancelled() {
            stop = Stop::Cancelled;
            let (without, with): (Vec<usize>, Vec<usize>) =
                order[done..].iter().copied().partition(|t| over[*t].is_empty());
            left = without;
            open.extend(with.into_iter().map(|t| (t, Reason::Cancelled)));
            break;
        }
        let (pairs, depth) = (composition.pairs.len(), length(t));
        progress(Progress { stage: Stage::Testing, pairs, depth, open: order.len() - done, steps: done });
        walk.follow(&composition.moves(t));
        let known: Vec<&Witness> = over[t].iter().map(|i| &tests[*i].point.witness).collect();
        let mut choice = || match options.values {
            Choice::Random(_) => Choice::Random(random.bits()),
            other => other,
        };
        let (points, lacking) = points(walk, &composition.transitions[t], &known, options, &mut choice);
        open.extend(lacking.map(|reason| (t, reason)));
        let path = composition.path(t);
        for point in points {
            path.iter().for_each(|p| over[*p].push(tests.len()));
            tests.push(Test { transition: t, point });
        }
    }
    Drawn { tests, over, open, left, stop }
}

/// The tests that stay, where some do for others.
struct Chosen {
    purposes: Vec<Purpose>,
    cases: Vec<Case>,
    /// Of each purpose, who defines its last input.
    defined: Vec<Defined>,
    /// For each test, the purpose that does for it.
    by: Vec<PurposeId>,
}

/// Makes purposes of the tests, and leaves out those that others do for.
fn choose(joined: &Joined, composition: &Composition, tests: &[Test]) -> Chosen {
    let made: Vec<(Purpose, Case)> = tests.iter().map(|test| purpose(joined, composition, test)).collect();
    let (made, made_cases): (Vec<Purpose>, Vec<Case>) = made.into_iter().unzip();
    let instead = instead(&made);
    let mut goals: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); tests.len()];
    tests.iter().zip(&instead).for_each(|(test, i)| _ = goals[*i].insert(test.transition));
    let mut numbers = vec![PurposeId::from_index(0); tests.len()];
    let (mut purposes, mut cases, mut defined) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (mut purpose, case)) in made.into_iter().zip(made_cases).enumerate().filter(|(i, _)| instead[*i] == *i) {
        purpose.goals = goals[i].iter().copied().collect();
        numbers[i] = PurposeId::from_index(purposes.len());
        purposes.push(purpose);
        cases.push(case);
        defined.push(composition.transitions[tests[i].transition].defined);
    }
    let by = instead.iter().map(|test| numbers[*test]).collect();
    Chosen { purposes, cases, defined, by }
}

/// The transitions as goals, each with what became of it.
fn goals(
    joined: &Joined,
    composition: &Composition,
    drawn: &Drawn,
    chosen: &Chosen,
    large: &[(usize, NoDegree)],
) -> Vec<(Goal, State)> {
    let mut missing: Vec<Option<State>> = vec![None; drawn.over.len()];
    drawn.left.iter().for_each(|t| missing[*t] = Some(State::NotReached(drawn.stop)));
    large.iter().for_each(|(t, _)| missing[*t] = Some(State::Unknown(Reason::TooLarge)));
    drawn.open.iter().for_each(|(t, reason)| missing[*t] = Some(State::Unknown(reason.clone())));
    let goal = |(t, (missing, over)): (usize, (Option<State>, &Vec<usize>))| {
        let state = missing.unwrap_or_else(|| {
            let by: BTreeSet<PurposeId> = over.iter().map(|test| chosen.by[*test]).collect();
            let doubt = composition.path(t).iter().any(|t| composition.transitions[*t].doubt.is_some());
            State::Covered { by: by.into_iter().collect(), doubt }
        });
        (Goal::Transition(composition.name(joined, t)), state)
    };
    missing.into_iter().zip(&drawn.over).enumerate().map(goal).collect()
}

/// Why a transition does not have as many tests as its outputs need.
fn no_degree(transition: &Transition) -> Result<(), Lack> {
    match &transition.spaces {
        Err(lack) => Err(*lack),
        Ok(spaces) if spaces.iter().any(|s| s.size() > MONOMIALS) => {
            let out = transition.spec.first().and_then(|o| Some((o.gate, *o.args.first()?)));
            let (gate, part) = out.expect("outputs without arguments take one test");
            Err(Lack { gate, part, why: MANY, large: true })
        }
        Ok(_) => Ok(()),
    }
}

impl Lack {
    /// The same for people; the walk is at the end of the transition.
    fn describe(&self, walk: &mut Walk<'_>) -> NoDegree {
        let inputs = walk.input_frames();
        let text = if self.why == MANY { String::new() } else { walk.show(self.part, &inputs) };
        NoDegree { gate: self.gate, text, why: self.why.to_owned() }
    }
}

/// Points for a path, besides those that are known; and why there may be too few.
fn points(
    walk: &mut Walk<'_>,
    transition: &Transition,
    known: &[&Witness],
    options: &Options,
    choice: &mut dyn FnMut() -> Choice,
) -> (Vec<Point>, Option<Reason>) {
    let mut found = Vec::new();
    let mut left = None;
    match (transition.defined, no_degree(transition), &transition.spaces, options.uniformity) {
        (Defined::Both, Ok(()), Ok(spaces), _) => {
            for space in spaces {
                let open = determine(walk, space, known, &options.limits, choice, &mut found);
                left = left.or(open);
            }
        }
        (Defined::Both, _, _, Some(n)) => (found, left) = distinct(walk, transition, n, known, options, choice),
        _ => {}
    }
    if transition.defined == Defined::Both
        && let Some(apart) = walk.beyond_tolerance(&transition.spec, &transition.implementation)
        && walk.make(Move::Where(apart)) != Possible::No
    {
        // Outputs that are different polynomials may still be near each other where they were compared.
        match solve(walk, choice()) {
            Ok(point) => found.extend(point),
            Err(reason) => left = left.or(Some(reason)),
        }
        walk.back();
    }
    if known.is_empty() && found.is_empty() && left.is_none() {
        // Whatever the outputs are, there is at least one test.
        let any = Space { symbols: BTreeSet::new(), degree: 0 };
        left = determine(walk, &any, known, &options.limits, choice, &mut found);
    }
    (found, left)
}

/// So many points that differ in what the outputs depend on; and why there may be too few.
fn distinct(
    walk: &mut Walk<'_>,
    transition: &Transition,
    n: usize,
    known: &[&Witness],
    options: &Options,
    choice: &mut dyn FnMut() -> Choice,
) -> (Vec<Point>, Option<Reason>) {
    let mut found = Vec::new();
    let outs = transition.spec.iter().chain(&transition.implementation);
    let terms: Vec<TermId> = outs.flat_map(|o| o.args.iter().copied()).collect();
    let symbols = open_symbols(walk, &terms);
    let value = |w: &Witness| -> Vec<_> { symbols.iter().map(|y| w[y.index()].clone()).collect() };
    let mut seen: Vec<Vec<_>> = Vec::new();
    for w in known {
        let value = value(w);
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    while seen.len() < n {
        if options.limits.cancelled() {
            return (found, Some(Reason::Cancelled));
        }
        let terms: Vec<TermId> = symbols
            .iter()
            .map(|y| {
                let sort = walk.path.model().sorts.base(walk.path.symbols()[*y].sort);
                walk.path.build(|pool, _| pool.symbol(*y, sort))
            })
            .collect();
        let mut parts = Vec::new();
        for known in &seen {
            let same = walk.path.have_values(&terms, known);
            parts.push(walk.path.build(|pool, sorts| pool.not(sorts, same)));
        }
        let others = walk.path.build(|pool, sorts| pool.and(sorts, &parts));
        if walk.make(Move::Where(others)) == Possible::No {
            return (found, None);
        }
        let point = solve(walk, choice());
        walk.back();
        match point {
            Ok(Some(point)) => {
                seen.push(value(&point.witness));
                found.push(point);
            }
            Ok(None) => return (found, None),
            Err(reason) => return (found, Some(reason)),
        }
    }
    (found, None)
}

/// The inputs that terms depend on.
fn open_symbols(walk: &mut Walk<'_>, terms: &[TermId]) -> Vec<SymbolId> {
    let wanted = walk.input_symbols();
    let written: Vec<TermId> = terms.iter().map(|t| walk.path.written(*t)).collect();
    let mut found = Vec::new();
    for term in written {
        walk.path.pool().visit(term, &mut |_, t| {
            if let Term::Symbol(y, _) = t
                && wanted.contains(y)
                && !found.contains(y)
            {
                found.push(*y);
            }
        });
    }
    found
}

/// A test as a purpose of the specification: its steps, and the values of its inputs.
fn purpose(joined: &Joined, composition: &Composition, test: &Test) -> (Purpose, Case) {
    let model = &joined.model;
    let transition = &composition.transitions[test.transition];
    let mut legs: Vec<(Leg, Vec<Value>)> = Vec::new();
    let mut probe: Vec<Event> = Vec::new();
    let mut taken = [0, 0];
    for (step, values) in &test.point.solved.steps {
        let Some(switch) = step.switches().next().filter(|s| *s != joined.mark) else { continue };
        let s = &model.switches[switch];
        let input = match s.label {
            Label::Gate(gate) if model.gates[gate].direction == Direction::Input => Some(gate),
            _ => None,
        };
        let of_impl = joined.has_process(Side::Impl, s.process);
        taken[usize::from(of_impl)] += usize::from(input.is_some());
        if of_impl {
            // What the specification takes, it takes first.
            if let Some(gate) = input.filter(|_| taken[1] > taken[0]) {
                probe.push(Event { gate, args: values.clone() });
            }
            continue;
        }
        if joined.own_location(Side::Spec, s.target).is_none() {
            continue;
        }
        let wants = if input.is_some() && !values.is_empty() { vec![Want::Values(values.clone())] } else { Vec::new() };
        legs.push((Leg { step: *step, wants: wants.into_iter().collect() }, values.clone()));
    }
    let gates = |outs: &[super::walk::Out]| outs.iter().map(|o| o.gate).collect::<Vec<_>>();
    // Where the last answer ends is seen only if somebody waits.
    let ends = match transition.defined {
        Defined::Both => gates(&transition.spec) != gates(&transition.implementation) || transition.spec.is_empty(),
        Defined::Spec => transition.spec.is_empty(),
        Defined::Impl => false,
    };
    let seen = |(leg, _): &(Leg, Vec<Value>)| leg.step.is_observable(model);
    match ends {
        true => legs.push((Leg::from(Step::Delta), Vec::new())),
        false => legs.truncate(legs.iter().rposition(seen).map_or(0, |i| i + 1)),
    }
    let mut purpose = Purpose { probe, ..Purpose::default() };
    let mut case = Case { nodes: vec![Spot::default()], ..Case::default() };
    let mut at = 0;
    for (leg, values) in legs {
        at = purpose.add(at, leg, None);
        case.nodes.push(Spot { values: Some(values), ..Spot::default() });
    }
    if at > 0 {
        // What a solver left open about the way is said where it ends.
        let doubt = composition.path(test.transition).iter().find_map(|t| composition.transitions[*t].doubt.clone());
        purpose.nodes[at].doubt = doubt.map(Box::new);
    }
    purpose.nodes[at].accept = true;
    (purpose, case)
}

fn count_inputs(model: &Model, purpose: &Purpose) -> usize {
    purpose.inputs_and_outputs(model).0 + purpose.probe.len()
}
