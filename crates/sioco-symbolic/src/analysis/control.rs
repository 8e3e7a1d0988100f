//! Whether a tester can steer the model: S4 calls a model controllable if no path condition depends on the free
//! initial values. Together with determinism that means that no run is ever inconclusive (`theory`, section 4).

use rustc_hash::FxHashSet;
use sioco_model::model::{Label, Model};
use sioco_model::term::{Op, Term};
use sioco_model::{ChannelId, Id, LocationId, SwitchId, TermId, VarId};

use super::Options;
use crate::explore::{Cursor, Exploration, Stop};
use crate::path::Path;
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

/// So many states are looked at for a condition on an initial value.
const STATES: usize = 2_000;

pub(super) fn look(model: &Model, exploration: &Exploration, cursor: &mut Cursor<'_>, options: &Options) -> Control {
    if model.free_variables().next().is_none() {
        return Control::NothingFree;
    }
    let graph = &exploration.graph;
    // What no path takes has no condition on a path.
    let mut counts = vec![exploration.stop != Stop::Complete; model.switches.len()];
    for s in graph.ids().filter_map(|n| graph.step(n)).flat_map(Step::switches) {
        counts[s.index()] = true;
    }
    let flow = Flow::new(model, &counts);
    if !model.switches.ids().any(|s| counts[s.index()] && flow.decides(model, s)) {
        return Control::Proved;
    }
    for node in graph.ids().take(STATES) {
        if options.limits.cancelled() {
            break;
        }
        cursor.go(graph, node);
        if let Some((variable, switch)) = initial_in_last(&cursor.path) {
            return Control::No { variable, switch, path: graph.path(node) };
        }
    }
    Control::NotFound
}

/// The initial value that a condition of the last step is about, and the switch.
fn initial_in_last(path: &Path<'_>) -> Option<(VarId, SwitchId)> {
    let model = path.model();
    // A helper symbol is about what it was made of.
    let mut helpers: Vec<(sioco_model::SymbolId, VarId)> = Vec::new();
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
            Meaning::Variable { depth: 0, var } if model.variables[var].initial.is_none() => Some(var),
            _ => helpers.iter().find(|(h, _)| h == y).map(|(_, v)| *v),
        });
        let Some(var) = initial else { continue };
        match (helper, c.origin) {
            (Some(y), _) => helpers.push((y, var)),
            (None, Origin::Guard(switch, _) | Origin::Defined(switch, _) | Origin::Agreement(switch, _))
                if c.step == path.len() =>
            {
                return Some((var, switch));
            }
            _ => {}
        }
    }
    None
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
        for v in model.free_variables() {
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
