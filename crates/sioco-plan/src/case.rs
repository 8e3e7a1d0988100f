//! Purposes as test cases: values to send and to expect, and what else the model allows the system to do.

use sioco_model::model::{Direction, Model};
use sioco_model::{TermId, Value, VarId, WrittenId, print};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};
use sioco_symbolic::Solved;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::close::{Visit, Visited, here};
use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;
use crate::want::{Want, atoms, side_of};

/// At most this many internal steps in a row are followed to see what else may be observed: systems that people write
/// take a few.
const INTERNAL: usize = 8;
/// At most this many of these observations are listed, for the same reason as in the [belief of a plan](crate::belief).
const OTHERS: usize = 32;

/// A purpose with values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Case {
    /// The values of the variables that are free at the start, as the example has them.
    pub start: Vec<(VarId, Value)>,
    /// What belongs to each node of the purpose.
    pub nodes: Vec<Spot>,
    /// Why there are not values for everything.
    pub unknown: Option<Reason>,
}

/// What belongs to a node of a purpose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spot {
    /// The values of the parameters of the step that leads here.
    pub values: Option<Vec<Value>>,
    /// Whether they go together only with other inputs than those that stand before.
    pub apart: bool,
    /// Whether they go together only with other values at the start than the [example](Case::start) has.
    pub another_start: bool,
    /// Whether they go together only with other values of what stands before and the system chooses.
    pub other_outputs: bool,
    /// What the system may do here although the purpose does not follow it: a run that goes there is inconclusive.
    pub others: Vec<Other>,
    /// Whether there is more than `others` has.
    pub cut: bool,
}

/// Something that the system may do besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Other {
    /// What is observed.
    pub step: Step,
    /// Whether it is only perhaps possible.
    pub perhaps: bool,
    /// Whether it takes other values at the start than the [example](Case::start) has.
    pub another_start: bool,
}

/// The values of a purpose, and what else the system may do when it gets these inputs.
pub fn case_with_others(walker: &mut Walker<'_>, purpose: &Purpose, choice: Choice) -> Case {
    let mut case = case(walker, purpose, choice);
    if walker.path.is_cancelled() {
        return case;
    }
    let mut children: Vec<Vec<Step>> = vec![Vec::new(); purpose.nodes.len()];
    for node in &purpose.nodes {
        if let (Some(parent), Some(leg)) = (node.parent, &node.leg) {
            children[parent].push(leg.step);
        }
    }
    for (node, children) in children.iter().enumerate() {
        find_others(walker, purpose, &mut case, node, children);
    }
    crate::belief::add_others(walker.path.model(), purpose, &mut case);
    case
}

/// The values of a purpose.
pub fn case(walker: &mut Walker<'_>, purpose: &Purpose, choice: Choice) -> Case {
    let mut case = Case { nodes: vec![Spot::default(); purpose.nodes.len()], ..Case::default() };
    let mut accepts: Vec<(bool, usize, usize)> = purpose.accepts().map(|n| rank(purpose, n)).collect();
    accepts.sort_unstable();
    for (.., accept) in accepts {
        if walker.path.is_cancelled() {
            case.unknown = case.unknown.or(Some(Reason::Cancelled));
            break;
        }
        let line = ancestors(purpose, accept);
        match values(walker, purpose, &case, &line, choice) {
            Ok((solved, fit)) => {
                if !fit.another_start {
                    let new = |(v, _): &(VarId, Value)| case.start.iter().all(|(known, _)| known != v);
                    let new: Vec<(VarId, Value)> = solved.start.into_iter().filter(new).collect();
                    case.start.extend(new);
                }
                let mut new = Vec::new();
                for (at, (node, (_, values))) in line.iter().zip(solved.steps).enumerate() {
                    let spot = &mut case.nodes[*node];
                    if spot.values.is_none() {
                        let Fit { apart, another_start, other_outputs } = fit;
                        *spot = Spot { values: Some(values), apart, another_start, other_outputs, ..Spot::default() };
                        new.push(at);
                    }
                }
                // What comes before the step that contradicts the start goes with it.
                for at in new.into_iter().filter(|_| fit.another_start && !fit.apart) {
                    case.nodes[line[at]].another_start = false;
                    let before = &line[..=at];
                    let known = before.iter().all(|n| !case.nodes[*n].another_start);
                    let fits = known && walker.follow(before.iter().filter_map(|n| purpose.nodes[*n].leg.as_ref()));
                    let fits = fits && {
                        let fits = fix(walker, &case, before, Keep::All, true);
                        walker.back();
                        fits
                    };
                    if !fits {
                        case.nodes[line[at]].another_start = true;
                    }
                }
            }
            Err(reason) => case.unknown = case.unknown.or(Some(reason)),
        }
    }
    case
}

/// What comes first: what is certain, then what is long.
fn rank(purpose: &Purpose, accept: usize) -> (bool, usize, usize) {
    let line = ancestors(purpose, accept);
    let doubt = line.iter().any(|n| purpose.nodes[*n].doubt.is_some());
    (doubt, usize::MAX - line.len(), accept)
}

/// The nodes from below the initial state to a node.
pub(crate) fn ancestors(purpose: &Purpose, node: usize) -> Vec<usize> {
    let mut line = Vec::new();
    let mut at = node;
    while let Some(parent) = purpose.nodes[at].parent {
        line.push(at);
        at = parent;
    }
    line.reverse();
    line
}

/// What a way keeps of the values of those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    All,
    Inputs,
    Nothing,
}

/// What of the example a way does not go together with.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Fit {
    apart: bool,
    another_start: bool,
    other_outputs: bool,
}

/// Values for a way: with those at the start, and those that were chosen for others that begin the same, or at least with
/// their inputs, if that is possible.
fn values(
    walker: &mut Walker<'_>,
    purpose: &Purpose,
    case: &Case,
    line: &[usize],
    choice: Choice,
) -> Result<(Solved, Fit), Reason> {
    let legs = || line.iter().filter_map(|n| purpose.nodes[*n].leg.as_ref());
    let undecided = || Reason::Undecided("no values were found for it".into());
    let known = line.iter().any(|n| case.nodes[*n].values.is_some());
    let mut why = undecided();
    let kept = [Keep::All, Keep::Inputs].into_iter().filter(|_| known);
    // The tester chooses inputs, and not where the system starts: those are kept longer.
    let starts = [true, false].into_iter().filter(|same| !same || !case.start.is_empty());
    let tries = starts.clone().flat_map(|same| kept.clone().map(move |keep| (keep, same)));
    for (keep, same) in tries.chain(starts.map(|same| (Keep::Nothing, same))) {
        if !walker.follow(legs()) {
            return Err(undecided());
        }
        // Before the first step there is nothing that an assumption could be taken back with.
        let plain = (keep == Keep::Nothing && !same) || line.is_empty();
        let fits = plain || fix(walker, case, line, keep, same);
        let solved = if fits { walker.path.solve_with(choice) } else { Err(NoValues::Impossible) };
        if !plain {
            // Away with what was assumed.
            walker.back();
        }
        match solved {
            Ok(solved) => {
                let differs = |(n, (_, values)): (&usize, &(Step, Vec<Value>))| {
                    case.nodes[*n].values.as_ref().is_some_and(|known| known != values)
                };
                let fit = Fit {
                    apart: known && keep == Keep::Nothing,
                    another_start: !case.start.is_empty() && !same,
                    other_outputs: keep == Keep::Inputs && line.iter().zip(&solved.steps).any(differs),
                };
                return Ok((solved, fit));
            }
            Err(NoValues::Unknown(reason)) => why = reason,
            Err(NoValues::Impossible) => {}
        }
    }
    Err(why)
}

/// Assumes that a way has the values of the case as far as it has some, and those at the start if `start` is true; says
/// whether that is possible.
pub(crate) fn fix(walker: &mut Walker<'_>, case: &Case, line: &[usize], keep: Keep, start: bool) -> bool {
    let model = walker.path.model();
    let mut same = Vec::new();
    if start {
        same.push(walker.path.starts_with(&case.start));
    }
    // What stands before a branch that needs other values does not hold for it.
    let last = |is: fn(&Spot) -> bool| line.iter().rposition(|n| is(&case.nodes[*n])).unwrap_or(0);
    let (inputs, outputs) = (last(|s| s.apart), last(|s| s.apart || s.other_outputs));
    for (i, node) in line.iter().enumerate().skip(inputs).filter(|_| keep != Keep::Nothing) {
        let wanted = walker.path.step(i).is_some_and(|step| {
            let input = step.switches().any(|s| model.direction(s) == Some(Direction::Input));
            input || (keep == Keep::All && i >= outputs)
        });
        let Some(values) = case.nodes[*node].values.as_ref().filter(|_| wanted) else { continue };
        let args: Vec<TermId> = walker.path.args(i).to_vec();
        same.push(walker.path.have_values(&args, values));
    }
    // All at once: the last step would be told to the solver anew for each.
    let all = walker.path.build(|pool, sorts| pool.and(sorts, &same));
    walker.path.assume(all) != Possible::No
}

/// Looks for what the system may do at a node besides what the purpose follows.
fn find_others(walker: &mut Walker<'_>, purpose: &Purpose, case: &mut Case, node: usize, children: &[Step]) {
    let model = walker.path.model();
    let line = ancestors(purpose, node);
    let valued = line.iter().all(|n| case.nodes[*n].values.is_some() && !case.nodes[*n].apart);
    if purpose.nodes[node].accept || children.is_empty() {
        return;
    }
    if !valued {
        // Without values nobody can tell. Other inputs have alternatives of their own.
        case.nodes[node].cut = line.iter().any(|n| case.nodes[*n].values.is_none());
        return;
    }
    if !walker.follow(line.iter().filter_map(|n| purpose.nodes[*n].leg.as_ref())) {
        return;
    }
    // Where the tester can act, silence is no end.
    let waits = children.iter().all(|s| s.is_own(model) || s.is_silence());
    let look = |walker: &mut Walker<'_>, start: bool| {
        let mut search = Search { followed: children, found: Vec::new(), cut: false, visited: Visited::default() };
        if fix(walker, case, &line, Keep::Inputs, start) {
            search.look(walker, 0, waits);
        }
        if !line.is_empty() {
            walker.back();
        }
        search
    };
    let mut search = look(walker, false);
    // Nobody knows where the system starts; but what is shown starts somewhere.
    let shown = !case.start.is_empty() && !line.iter().any(|n| case.nodes[*n].another_start);
    if shown && !search.found.is_empty() {
        let same = match line.is_empty() {
            true => crate::belief::at_start(model, case),
            false if walker.follow(line.iter().filter_map(|n| purpose.nodes[*n].leg.as_ref())) => {
                Some(look(walker, true)).filter(|s| !s.cut).map(|s| s.found.iter().map(|o| o.step).collect())
            }
            false => None,
        };
        if let Some(same) = same {
            let is = |o: &Other| same.iter().any(|s| *s == o.step || (s.is_silence() && o.step.is_silence()));
            search.found.iter_mut().for_each(|o| o.another_start = !is(o));
        }
    }
    let spot = &mut case.nodes[node];
    (spot.others, spot.cut) = (search.found, search.cut);
}

struct Search<'a> {
    followed: &'a [Step],
    found: Vec<Other>,
    cut: bool,
    visited: Visited,
}

impl Search<'_> {
    fn look(&mut self, walker: &mut Walker<'_>, internal: usize, waits: bool) {
        let model = walker.path.model();
        // At the node itself, the steps that are followed are left out.
        if internal > 0 {
            let here = here(walker);
            match self.visited.visit(walker, here, internal) {
                Visit::New => {}
                Visit::Again => return,
                Visit::Enough => {
                    self.cut = true;
                    return;
                }
            }
        }
        let mut steps = Vec::new();
        walker.path.outgoing(&mut steps);
        steps.retain(|s| s.is_own(model) && (internal > 0 || !self.followed.contains(s)));
        let silent = self.followed.iter().any(|s| s.is_silence()) || !waits;
        if !silent {
            steps.push(Step::Delta);
            if walker.path.may_diverge() {
                steps.push(Step::Divergence);
            }
        }
        for step in steps {
            if walker.path.is_cancelled() {
                self.cut = true;
                return;
            }
            let known = |o: &Other| o.step == step || (o.step.is_silence() && step.is_silence());
            let seen = step.is_observable(model);
            if seen && self.found.iter().any(known) {
                continue;
            }
            if self.found.len() >= OTHERS || (!seen && internal >= INTERNAL) {
                self.cut = true;
                continue;
            }
            if seen {
                match walker.path.probe(step) {
                    Possible::No => {}
                    answer => {
                        let perhaps = answer != Possible::Yes;
                        self.found.push(Other { step, perhaps, another_start: false });
                    }
                }
            } else if walker.take(&Leg::from(step)) != Possible::No {
                self.look(walker, internal + 1, waits);
                walker.back();
            }
        }
    }
}

/// What a purpose asks for besides, in the syntax of the language; nothing where it asks for nothing.
pub fn asks(walker: &mut Walker<'_>, want: &Want) -> Option<String> {
    let model = walker.path.model();
    let (switch, term) = match want {
        Want::Atom { switch, atom, side } => {
            let atom = *atoms(model, *switch).get(*atom)?;
            (Some(*switch), walker.path.build(|pool, sorts| side_of(pool, sorts, atom, *side))?)
        }
        Want::Values(_) => return None,
        Want::Written { condition, negated, .. } => {
            let term = walker.path.build(|pool, sorts| if *negated { pool.not(sorts, *condition) } else { *condition });
            (None, term)
        }
    };
    if let Want::Written { purpose, .. } = want {
        return Some(with_slots(model, walker, *purpose, term));
    }
    Some(print::term_in(model, walker.path.pool(), switch, &|_| String::new(), term))
}

/// A condition of a written purpose, with the names of its slots.
fn with_slots(model: &Model, walker: &mut Walker<'_>, purpose: WrittenId, term: TermId) -> String {
    let text = print::term_in(model, walker.path.pool(), None, &|_| String::new(), term);
    let Some(purpose) = model.purposes.get(purpose) else { return text };
    // What belongs to no switch is printed by its number.
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut shown = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_name) {
        let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |n| start + n);
        let word = &rest[start..end];
        let number = word.strip_prefix('p').and_then(|n| n.parse::<usize>().ok());
        let name = number.and_then(|n| purpose.slots.get(n)).map_or(word, |slot| &slot.name);
        shown.push_str(&rest[..start]);
        shown.push_str(name);
        rest = &rest[end..];
    }
    shown + rest
}
