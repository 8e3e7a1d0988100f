//! Purposes as test cases: values to send and to expect, and what else the model allows the system to do.

use sioco_model::model::{Direction, Model};
use sioco_model::{TermId, Value, VarId, print};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};
use sioco_symbolic::Solved;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;
use crate::want::{Want, atoms, side_of};

/// How many internal steps in a row are followed to see what else may be observed, and how many things are listed.
const INTERNAL: usize = 8;
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
}

/// The values of a purpose; and, where `alternatives` are asked for, what else the system may do when it gets these
/// inputs.
pub fn case(walker: &mut Walker<'_>, purpose: &Purpose, choice: Choice, alternatives: bool) -> Case {
    let mut case = Case { nodes: vec![Spot::default(); purpose.nodes.len()], ..Case::default() };
    let mut accepts: Vec<(bool, usize, usize)> = purpose.accepts().map(|n| rank(purpose, n)).collect();
    accepts.sort_unstable();
    for (i, (.., accept)) in accepts.into_iter().enumerate() {
        if walker.path.is_cancelled() {
            case.unknown = case.unknown.or(Some(Reason::Cancelled));
            break;
        }
        let line = ancestors(purpose, accept);
        match values(walker, purpose, &case, &line, choice) {
            Ok((solved, apart)) => {
                if i == 0 {
                    case.start = solved.start;
                }
                for (node, (_, values)) in line.iter().zip(solved.steps) {
                    let spot = &mut case.nodes[*node];
                    if spot.values.is_none() {
                        *spot = Spot { values: Some(values), apart, ..Spot::default() };
                    }
                }
            }
            Err(reason) => case.unknown = case.unknown.or(Some(reason)),
        }
    }
    if alternatives && !walker.path.is_cancelled() {
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

/// Values for a way: with those that were chosen for others that begin the same, or at least with their inputs, if that
/// is possible.
fn values(
    walker: &mut Walker<'_>,
    purpose: &Purpose,
    case: &Case,
    line: &[usize],
    choice: Choice,
) -> Result<(Solved, bool), Reason> {
    let legs = || line.iter().filter_map(|n| purpose.nodes[*n].leg.as_ref());
    let undecided = || Reason::Undecided("no values were found for it".into());
    let known = line.iter().any(|n| case.nodes[*n].values.is_some());
    let mut why = undecided();
    for keep in [Keep::All, Keep::Inputs, Keep::Nothing] {
        if keep != Keep::Nothing && !known {
            continue;
        }
        if !walker.follow(legs()) {
            return Err(undecided());
        }
        let fits = keep == Keep::Nothing || fix(walker, case, line, keep);
        let solved = if fits { walker.path.solve_with(choice) } else { Err(NoValues::Impossible) };
        if keep != Keep::Nothing {
            // Away with what was assumed.
            walker.back();
        }
        match solved {
            Ok(solved) => return Ok((solved, known && keep == Keep::Nothing)),
            Err(NoValues::Unknown(reason)) => why = reason,
            Err(NoValues::Impossible) => {}
        }
    }
    Err(why)
}

/// Assumes that a way has the values of the case as far as it has some; says whether that is possible.
pub(crate) fn fix(walker: &mut Walker<'_>, case: &Case, line: &[usize], keep: Keep) -> bool {
    let model = walker.path.model();
    let mut same = Vec::new();
    for (i, node) in line.iter().enumerate() {
        let wanted = walker.path.step(i).is_some_and(|step| {
            let mut switches = step.switches();
            keep == Keep::All || switches.any(|s| model.direction(s) == Some(Direction::Input))
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
    let possible = fix(walker, case, &line, Keep::Inputs);
    // Where the tester can act, silence is no end.
    let waits = children.iter().all(|s| s.is_own(model) || s.is_silence());
    let mut search = Search { followed: children, found: Vec::new(), cut: false };
    if possible {
        search.look(walker, 0, waits);
    }
    if !line.is_empty() {
        walker.back();
    }
    let spot = &mut case.nodes[node];
    (spot.others, spot.cut) = (search.found, search.cut);
}

struct Search<'a> {
    followed: &'a [Step],
    found: Vec<Other>,
    cut: bool,
}

impl Search<'_> {
    fn look(&mut self, walker: &mut Walker<'_>, internal: usize, waits: bool) {
        let model = walker.path.model();
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
                    answer => self.found.push(Other { step, perhaps: answer != Possible::Yes }),
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
fn with_slots(model: &Model, walker: &mut Walker<'_>, purpose: usize, term: TermId) -> String {
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
