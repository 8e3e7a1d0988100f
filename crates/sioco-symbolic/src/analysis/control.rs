//! Whether a tester can steer the model: S4 calls a model controllable if no path condition depends on the free
//! initial values. Together with determinism that means that no run is ever inconclusive (T-L12).
//!
//! A condition that excludes no values decides nothing. Such a condition follows from the ranges of the variables and
//! from the other conditions; an example is the check of a range that no value leaves.

use rustc_hash::FxHashSet;
use sioco_model::model::{Label, Model};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{ChannelId, Id, LocationId, SwitchId, TermId, VarId};
use sioco_solve::Answer;

use super::AnalysisOptions;
use super::question::FIRST;
use crate::explore::{Cursor, Exploration, Stop};
use crate::path::{Path, PathCondition};
use crate::prepare::Origin;
use crate::step::Step;
use crate::symbols::{Meaning, symbols_of};

/// Whether free initial values decide what can happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Control {
    /// There are none.
    NothingFree,
    /// They decide nothing.
    Proved,
    /// On this path, a condition of the last step is about the initial value of the variable.
    No {
        /// The variable.
        variable: VarId,
        /// The switch that has the condition.
        switch: SwitchId,
        /// The path.
        path: Vec<Step>,
    },
    /// As far as was looked, they decide nothing.
    NotFound,
}

/// At most this many states are looked at for a condition on an initial value: the nearest ones. Beyond them it stays
/// undecided whether the model is controllable (T-L12).
const STATES: usize = 2_000;

pub(super) fn look(
    model: &Model,
    exploration: &Exploration,
    cursor: &mut Cursor<'_>,
    options: &AnalysisOptions,
) -> Control {
    if !model.free_variables().any(|v| is_open(model, v)) {
        return Control::NothingFree;
    }
    let graph = &exploration.graph;
    // What no path takes has no condition on a path.
    let mut counts = vec![exploration.stop != Stop::Complete; model.switches.len()];
    for s in graph.ids().filter_map(|n| graph.step(n)).flat_map(Step::switches) {
        counts[s.index()] = true;
    }
    let flow = Flow::new(model, &counts);
    let taken: Vec<SwitchId> = model.switches.ids().filter(|s| counts[s.index()]).collect();
    if !taken.into_iter().any(|s| flow.decides(model, s) && !excludes_nothing(&mut cursor.path, &flow, s)) {
        return Control::Proved;
    }
    for node in graph.ids().take(STATES) {
        if options.limits.cancelled() {
            break;
        }
        cursor.go(graph, node);
        if let Some((variable, switch)) = initial_in_last(&mut cursor.path) {
            return Control::No { variable, switch, path: graph.path(node) };
        }
    }
    Control::NotFound
}

/// Whether, in any state at all, the conditions of a switch that depend on initial values follow from the others. Only
/// for switches that act alone: the conditions of a handshake belong to two.
fn excludes_nothing(path: &mut Path<'_>, flow: &Flow, switch: SwitchId) -> bool {
    let model = path.model();
    let s = &model.switches[switch];
    if matches!(s.label, Label::Send(_) | Label::Receive(_)) {
        return false;
    }
    let mut kept = path.step_terms(Step::Switch(switch), FIRST).all();
    let mut i = 0;
    while i < kept.len() {
        if !flow.reads(path.pool(), s.source, kept[i]) {
            i += 1;
            continue;
        }
        // What was left out does not count for the others: two conditions may follow from each other.
        let condition = kept.remove(i);
        let mut question = kept.clone();
        question.push(path.not_all(&[condition]));
        if !path.contradict(&question) {
            return false;
        }
    }
    true
}

/// The initial value that decides about the last step, and the switch: one that a condition is about which the rest of
/// the path does not imply.
fn initial_in_last(path: &mut Path<'_>) -> Option<(VarId, SwitchId)> {
    let step = path.step(path.len().checked_sub(1)?)?;
    let about = about_initial(path);
    if about.is_empty() {
        return None;
    }
    let depth = path.len();
    let mut kept: Vec<PathCondition> = path.conditions().iter().filter(|c| c.step == depth).copied().collect();
    path.retreat();
    let found = about.into_iter().find(|(condition, ..)| {
        kept.retain(|c| c != condition);
        // What nobody decides is not claimed.
        let mut question: Vec<TermId> = kept.iter().map(|c| c.term).collect();
        question.push(path.not_all(&[condition.term]));
        matches!(path.ask(&question), Answer::Sat(_))
    });
    path.advance(step);
    found.map(|(_, variable, switch)| (variable, switch))
}

/// Whether nobody knows the value of a variable at the start.
fn is_open(model: &Model, var: VarId) -> bool {
    let variable = &model.variables[var];
    variable.initial.is_none() && model.sorts.cardinality(variable.sort) != Some(1)
}

/// The conditions of the last step that are about initial values, each with the variable and its switch.
fn about_initial(path: &Path<'_>) -> Vec<(PathCondition, VarId, SwitchId)> {
    let model = path.model();
    // A helper symbol is about what it was made of.
    let mut helpers: Vec<(sioco_model::SymbolId, VarId)> = Vec::new();
    let mut found = Vec::new();
    for c in path.conditions() {
        let mut symbols = Vec::new();
        let (of, helper) = match (c.origin, path.pool().get(c.term)) {
            (Origin::Definition(_), Term::App(Op::Eq, args)) => match path.pool().get(args[0]) {
                Term::Symbol(y, _) => (args[1], Some(*y)),
                _ => (c.term, None),
            },
            _ => (c.term, None),
        };
        symbols_of(path.pool(), of, &mut symbols);
        let initial = symbols.iter().find_map(|y| match path.names.meaning(*y) {
            Meaning::Variable { depth: 0, var } if is_open(model, var) => Some(var),
            _ => helpers.iter().find(|(h, _)| h == y).map(|(_, v)| *v),
        });
        let Some(var) = initial else { continue };
        match (helper, c.origin) {
            (Some(y), _) => helpers.push((y, var)),
            (None, Origin::Guard(switch, _) | Origin::Defined(switch, _) | Origin::Agreement(switch, _))
                if c.step == path.len() =>
            {
                found.push((*c, var, switch));
            }
            _ => {}
        }
    }
    found
}

/// Which variables may still depend on initial values, by location; and which values on channels.
struct Flow {
    by_location: Vec<FxHashSet<VarId>>,
    channels: FxHashSet<(ChannelId, usize)>,
}

impl Flow {
    fn new(model: &Model, counts: &[bool]) -> Flow {
        let mut flow =
            Flow { by_location: vec![FxHashSet::default(); model.locations.len()], channels: FxHashSet::default() };
        for v in model.free_variables().filter(|v| is_open(model, *v)) {
            let initial = model.processes[model.variables[v].process].initial;
            flow.by_location[initial.index()].insert(v);
        }
        loop {
            let mut changed = false;
            for (_, s) in model.switches.iter().filter(|(id, _)| counts[id.index()]) {
                if let Label::Send(c) = s.label {
                    for (i, p) in s.params.iter().enumerate() {
                        if p.term.is_some_and(|t| flow.depends(model, s.source, s.label, t)) {
                            changed |= flow.channels.insert((c, i));
                        }
                    }
                }
                for &v in &model.processes[s.process].variables {
                    let depends = match s.update.iter().find(|(var, _)| *var == v) {
                        Some((_, term)) => flow.depends(model, s.source, s.label, *term),
                        None => flow.by_location[s.source.index()].contains(&v),
                    };
                    if depends {
                        changed |= flow.by_location[s.target.index()].insert(v);
                    }
                }
            }
            if !changed {
                return flow;
            }
        }
    }

    /// Whether a condition of a switch that leaves the location, and acts alone, reads a variable that may depend on an
    /// initial value.
    fn reads(&self, pool: &TermPool, at: LocationId, condition: TermId) -> bool {
        let mut found = false;
        pool.visit(condition, &mut |_, t| {
            found |= matches!(t, Term::Var(v, _) if self.by_location[at.index()].contains(v))
        });
        found
    }

    /// Whether a term of a switch that leaves the location may depend on an initial value.
    fn depends(&self, model: &Model, at: LocationId, label: Label, term: TermId) -> bool {
        let mut found = false;
        model.terms.visit(term, &mut |_, t| match (t, label) {
            (Term::Var(v, _), _) => found |= self.by_location[at.index()].contains(v),
            (Term::Param(i, _), Label::Receive(c)) => found |= self.channels.contains(&(c, *i as usize)),
            _ => {}
        });
        found
    }

    /// Whether an initial value may decide about taking a switch: by the guard, or by what may be undefined.
    fn decides(&self, model: &Model, switch: SwitchId) -> bool {
        let s = &model.switches[switch];
        let updates = s.update.iter().map(|(_, t)| *t);
        let partial = updates.chain(s.params.iter().filter_map(|p| p.term)).filter(|t| model.terms.is_partial(*t));
        // A receiver that expects a value compares it with what is sent.
        let expected = s.params.iter().filter_map(|p| p.term).filter(|_| matches!(s.label, Label::Receive(_)));
        let compared = |t: TermId| {
            self.depends(model, s.source, s.label, t)
                || matches!(s.label, Label::Receive(c) if self.channels.iter().any(|(d, _)| *d == c))
        };
        self.depends(model, s.source, s.label, s.guard)
            || partial.into_iter().any(|t| self.depends(model, s.source, s.label, t))
            || expected.into_iter().any(compared)
    }
}
