//! All purposes of a plan as one tree: paths that begin the same share their nodes, so that a run serves every purpose
//! that its trace still fits (T-B7), and following all of them costs what following one does.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::model::Model;
use sioco_model::semantics::state::State;
use sioco_model::term::{Term, TermPool};
use sioco_model::{GateId, Id, IdVec, TermId, Value, VarId};
use sioco_plan::want::{Want, atoms, have_values, param_sorts, side_of};
use sioco_plan::{Leg, Plan, PurposeId};
use sioco_symbolic::step::Step;

use crate::course::gate_of;

sioco_model::ids! {
    /// A node of the tree.
    NodeId "node";
}

impl NodeId {
    /// The initial state, where all purposes begin.
    pub const ROOT: NodeId = NodeId(0);
}

/// A condition of a leg, as a term.
#[derive(Clone, Debug)]
struct Condition {
    term: TermId,
    /// Whether it is about the values after the step.
    after: bool,
    /// Where the values of its parameters come from; none for the arguments of the step itself.
    slots: Option<Vec<(u32, usize, usize)>>,
}

/// There is no such purpose.
const NO_PURPOSE: u32 = u32::MAX;
/// There is no such node.
const NONE: NodeId = NodeId(u32::MAX);

/// A node of the tree. There may be millions, so what few of them have is kept apart.
#[derive(Clone, Debug)]
#[allow(clippy::box_collection, reason = "one word where there is nothing, instead of three")]
struct Node {
    parent: NodeId,
    /// Its first child and its next sibling; `NONE` if there is none.
    child: NodeId,
    sibling: NodeId,
    /// A purpose that is reached here, or `NO_PURPOSE`.
    accept: u32,
    leg: Option<Leg>,
    conditions: Option<Box<Vec<Condition>>>,
    depth: u32,
    /// How many accepts of open purposes are here or below.
    open: u32,
    /// Whether this node, or one on the way to it, is only perhaps possible.
    doubt: bool,
}

impl Node {
    fn new(parent: NodeId, depth: u32) -> Node {
        let (child, sibling, accept) = (NONE, NONE, NO_PURPOSE);
        Node { parent, child, sibling, accept, leg: None, conditions: None, depth, open: 0, doubt: false }
    }
}

/// What happened on the way to a node, for conditions that speak of it.
#[derive(PartialEq, Eq, Debug)]
pub struct Past {
    args: Vec<Value>,
    before: Option<Arc<Past>>,
}

/// A place of a hypothesis in the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The node.
    pub node: NodeId,
    /// Whether all that was merged into the hypothesis is there.
    pub sure: bool,
    past: Option<Arc<Past>>,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Suite {
    nodes: Vec<Node>,
    /// Further purposes that are reached at a node.
    more: FxHashMap<NodeId, Vec<PurposeId>>,
    /// The accepts of each purpose.
    accepts: IdVec<PurposeId, Box<[NodeId]>>,
    /// The values that the plan has for each purpose.
    tests: IdVec<PurposeId, Option<Box<[Value]>>>,
    open: IdVec<PurposeId, bool>,
    pool: TermPool,
    /// Whether some condition speaks of earlier steps.
    remembers: bool,
    /// The variables that conditions read.
    reads: FxHashSet<VarId>,
}

impl Default for Suite {
    /// No purposes.
    fn default() -> Self {
        Suite {
            nodes: vec![Node::new(NodeId::ROOT, 0)],
            more: FxHashMap::default(),
            accepts: IdVec::new(),
            tests: IdVec::new(),
            open: IdVec::new(),
            pool: TermPool::default(),
            remembers: false,
            reads: FxHashSet::default(),
        }
    }
}

impl Suite {
    /// The tree of the purposes of a plan.
    pub fn new(model: &Model, plan: &Plan) -> Suite {
        let mut suite = Suite {
            tests: plan.purposes.iter().map(|p| p.test.clone()).collect(),
            open: plan.purposes.iter().map(|_| true).collect(),
            pool: model.terms.clone(),
            ..Suite::default()
        };
        let mut at: Vec<NodeId> = Vec::new();
        for purpose in &plan.purposes {
            let p = suite.accepts.next_id();
            at.clear();
            at.resize(purpose.nodes.len(), NodeId::ROOT);
            let mut accepts: Vec<NodeId> = Vec::new();
            for (i, node) in purpose.nodes.iter().enumerate() {
                if let (Some(parent), Some(leg)) = (node.parent, &node.leg) {
                    at[i] = suite.child(model, at[parent], leg);
                    let doubt = node.doubt.is_some() || suite.nodes[at[parent].index()].doubt;
                    suite.nodes[at[i].index()].doubt |= doubt;
                }
                if node.accept && !accepts.contains(&at[i]) {
                    accepts.push(at[i]);
                    match &mut suite.nodes[at[i].index()].accept {
                        none if *none == NO_PURPOSE => *none = p.index() as u32,
                        _ => suite.more.entry(at[i]).or_default().push(p),
                    }
                    suite.count(at[i], 1);
                }
            }
            suite.accepts.push(accepts.into_boxed_slice());
        }
        suite.nodes.shrink_to_fit();
        suite
    }

    /// The child of a node with a leg; a new one, after the others, if there is none.
    fn child(&mut self, model: &Model, parent: NodeId, leg: &Leg) -> NodeId {
        let mut last = NONE;
        for child in self.children(parent) {
            if self.leg(child) == Some(leg) {
                return child;
            }
            last = child;
        }
        let conditions: Vec<Condition> = leg.wants.iter().filter_map(|w| self.condition(model, leg.step, w)).collect();
        self.remembers |= conditions.iter().any(|c| c.slots.as_ref().is_some_and(|s| !s.is_empty()));
        for c in &conditions {
            let reads = &mut self.reads;
            self.pool.visit(c.term, &mut |_, t| {
                if let Term::Var(v, _) = t {
                    reads.insert(*v);
                }
            });
        }
        let id = NodeId::from_index(self.nodes.len());
        let mut node = Node::new(parent, self.nodes[parent.index()].depth + 1);
        node.leg = Some(leg.clone());
        node.conditions = (!conditions.is_empty()).then(|| Box::new(conditions));
        self.nodes.push(node);
        match last {
            NONE => self.nodes[parent.index()].child = id,
            last => self.nodes[last.index()].sibling = id,
        }
        id
    }

    /// The children of a node, in order.
    fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let some = |n: NodeId| (n != NONE).then_some(n);
        std::iter::successors(some(self.nodes[node.index()].child), move |c| some(self.nodes[c.index()].sibling))
    }

    /// The step to a node; nothing at the root.
    fn step(&self, node: NodeId) -> Option<Step> {
        self.leg(node).map(|leg| leg.step)
    }

    /// A want as a term. One that names nothing of this model asks for nothing.
    fn condition(&mut self, model: &Model, step: Step, want: &Want) -> Option<Condition> {
        match want {
            Want::Atom { switch, atom, side } => {
                let atom = *atoms(model, *switch).get(*atom)?;
                let term = side_of(&mut self.pool, &model.sorts, atom, *side)?;
                Some(Condition { term, after: false, slots: None })
            }
            Want::Values(values) => {
                let term = have_values(&mut self.pool, &model.sorts, &param_sorts(model, step), values);
                Some(Condition { term, after: false, slots: None })
            }
            Want::Written { condition, negated, slots, after, .. } => {
                let term = if *negated { self.pool.not(&model.sorts, *condition) } else { *condition };
                Some(Condition { term, after: *after, slots: Some(slots.clone()) })
            }
        }
    }

    /// Adds to the number of open accepts from a node up.
    fn count(&mut self, node: NodeId, by: i32) {
        let mut at = node;
        loop {
            let n = &mut self.nodes[at.index()];
            n.open = n.open.saturating_add_signed(by);
            if at == NodeId::ROOT {
                return;
            }
            at = n.parent;
        }
    }

    /// The variables that conditions of purposes read.
    pub fn read(&self) -> &FxHashSet<VarId> {
        &self.reads
    }

    /// Whether a condition of a purpose reads a variable: then all of its values matter, whatever the model reads.
    pub fn reads(&self, var: VarId) -> bool {
        self.reads.contains(&var)
    }

    /// How many purposes there are.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a purpose is still wanted.
    pub fn is_open(&self, purpose: PurposeId) -> bool {
        self.open.get(purpose).is_some_and(|o| *o)
    }

    /// Whether all purposes are still wanted.
    pub fn is_all_open(&self) -> bool {
        self.open.values().all(|o| *o)
    }

    /// No purpose is wanted any more.
    pub fn close_all(&mut self) {
        self.open.ids().for_each(|purpose| self.close(purpose));
    }

    /// A purpose is no longer wanted: it was reached, or given up.
    pub fn close(&mut self, purpose: PurposeId) {
        if !std::mem::replace(&mut self.open[purpose], false) {
            return;
        }
        for node in self.accepts[purpose].clone() {
            self.count(node, -1);
        }
    }

    /// A purpose is wanted again, with other values.
    pub fn reopen(&mut self, purpose: PurposeId) {
        if !std::mem::replace(&mut self.open[purpose], true) {
            for node in self.accepts[purpose].clone() {
                self.count(node, 1);
            }
        }
    }

    /// Whether something that is still wanted is here or below.
    pub fn leads_on(&self, node: NodeId) -> bool {
        self.nodes[node.index()].open > 0
    }

    /// The open purposes that are reached here.
    pub fn accepted(&self, node: NodeId) -> impl Iterator<Item = PurposeId> + '_ {
        let first = self.nodes[node.index()].accept;
        let first = (first != NO_PURPOSE).then(|| PurposeId::from_index(first as usize));
        // Only who has one has more.
        let more = first.and_then(|_| self.more.get(&node)).into_iter().flatten().copied();
        first.into_iter().chain(more).filter(|p| self.open[*p])
    }

    /// The accepts of a purpose.
    pub fn accepts_of(&self, purpose: PurposeId) -> &[NodeId] {
        &self.accepts[purpose]
    }

    /// Whether legs may speak of values of steps long before them.
    pub fn remembers(&self) -> bool {
        self.remembers
    }

    /// The nodes from below one to another, if the other is below it.
    pub fn line(&self, from: NodeId, to: NodeId) -> Option<Vec<NodeId>> {
        let depth = self.nodes[from.index()].depth;
        let mut line = Vec::new();
        let mut at = to;
        while self.nodes[at.index()].depth > depth {
            line.push(at);
            at = self.nodes[at.index()].parent;
        }
        line.reverse();
        (at == from).then_some(line)
    }

    /// Whether it is only perhaps possible to get to a node.
    pub fn is_doubtful(&self, node: NodeId) -> bool {
        self.nodes[node.index()].doubt
    }

    /// The leg to a node; nothing at the root.
    pub fn leg(&self, node: NodeId) -> Option<&Leg> {
        self.nodes[node.index()].leg.as_ref()
    }

    /// The open purposes that go on from a node with something that the system does; if a gate is given, with an output of
    /// this gate.
    pub fn expecting(&self, model: &Model, node: NodeId, gate: Option<GateId>) -> Vec<PurposeId> {
        let own = |n: &NodeId| self.step(*n).is_some_and(|s| s.is_own(model) || s.is_silence());
        let mut open: Vec<NodeId> = self.children(node).filter(own).collect();
        if gate.is_some() {
            // What is seen next may come after internal steps.
            let mut seen = Vec::new();
            while let Some(n) = open.pop() {
                match self.step(n) {
                    Some(step) if step.is_observable(model) => seen.extend((gate_of(model, step) == gate).then_some(n)),
                    _ => open.extend(self.children(n).filter(own)),
                }
            }
            open = seen;
        }
        let mut found = Vec::new();
        while let Some(n) = open.pop() {
            if !self.leads_on(n) {
                continue;
            }
            found.extend(self.accepted(n));
            open.extend(self.children(n));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Open accepts below a node that lead on with a step that can be observed, at most so many: depth-first, since trees
    /// may be large, and from left to right, as the plan has them.
    pub fn targets(&self, model: &Model, node: NodeId, most: usize, found: &mut Vec<NodeId>) {
        let children = |n: NodeId| self.children(n).filter(|c| self.leads_on(*c));
        let seen = |n: &NodeId| self.step(*n).is_some_and(|s| s.is_observable(model));
        // The first is looked at first: it is the last here.
        let mut open: Vec<NodeId> = children(node).filter(seen).collect();
        open.reverse();
        while let Some(n) = open.pop() {
            if found.len() >= most {
                return;
            }
            if self.accepted(n).next().is_some() {
                found.push(n);
            }
            let first = open.len();
            open.extend(children(n));
            open[first..].reverse();
        }
    }

    /// The nodes above a node, from its parent up to the root, each with the step that leads from it towards the node.
    pub fn above(&self, node: NodeId) -> impl Iterator<Item = (NodeId, Step)> + '_ {
        let mut at = node;
        std::iter::from_fn(move || {
            let n = &self.nodes[at.index()];
            let step = n.leg.as_ref()?.step;
            at = n.parent;
            Some((at, step))
        })
    }

    /// What the plan has for a purpose, for each step of a line to it that can be observed; nothing where it has none.
    pub fn foreseen(&self, model: &Model, purpose: PurposeId, line: &[NodeId]) -> Option<Vec<Option<&[Value]>>> {
        let legs = line.iter().filter_map(|n| self.leg(*n)).filter(|l| l.step.is_observable(model));
        let Some(mut left) = self.tests.get(purpose)?.as_deref() else {
            // A plan that asks for values has them.
            let mut values = legs.map(Leg::values).peekable();
            return values.clone().any(|v| v.is_some()).then(|| values.by_ref().collect());
        };
        let values = legs.map(|leg| {
            let count = leg.step.switches().next().map_or(0, |s| model.switches[s].params.len());
            let known = (!left.is_empty() || count == 0) && count <= left.len() && !leg.step.is_silence();
            let (these, rest) = left.split_at(if known { count } else { 0 });
            left = rest;
            known.then_some(these)
        });
        Some(values.collect())
    }

    /// The marks of the initial state.
    pub fn start(&self) -> Vec<Mark> {
        match self.leads_on(NodeId::ROOT) {
            true => vec![Mark { node: NodeId::ROOT, sure: true, past: None }],
            false => Vec::new(),
        }
    }

    /// Where marks are after a step of a hypothesis whose state is known. An internal step does not leave an accept: it
    /// belongs to the path.
    pub fn follow(&self, model: &Model, marks: &[Mark], taken: Taken<'_>, found: &mut Vec<Mark>) {
        for mark in marks {
            if taken.internal && self.accepted(mark.node).next().is_some() {
                push(found, mark.clone());
            }
            for child in self.children(mark.node) {
                let Some(step) = self.step(child) else { continue };
                let same = step == taken.step || (step.is_silence() && taken.step.is_silence());
                if !same || !self.leads_on(child) {
                    continue;
                }
                let past =
                    self.remembers.then(|| Arc::new(Past { args: taken.args.to_vec(), before: mark.past.clone() }));
                match self.fits(model, child, taken, past.as_ref()) {
                    Some(true) => push(found, Mark { node: child, sure: mark.sure, past }),
                    Some(false) => {}
                    None => push(found, Mark { node: child, sure: false, past }),
                }
            }
        }
    }

    /// Whether the conditions of a leg hold; nothing if that cannot be told.
    fn fits(&self, model: &Model, node: NodeId, taken: Taken<'_>, past: Option<&Arc<Past>>) -> Option<bool> {
        let node = &self.nodes[node.index()];
        let mut open = false;
        for c in node.conditions.iter().flat_map(|c| c.iter()) {
            let (Some(before), Some(after)) = (taken.before, taken.after) else {
                open = true;
                continue;
            };
            let vars = if c.after { after.values() } else { before.values() };
            let mut slots: Vec<Value> = Vec::new();
            let params: &[Value] = match &c.slots {
                None => taken.args,
                Some(of) => {
                    for (slot, step, arg) in of {
                        let value = value_of(past, node.depth as usize, *step, *arg);
                        let at = *slot as usize;
                        slots.resize(slots.len().max(at + 1), Value::Bool(false));
                        slots[at] = value.unwrap_or(Value::Bool(false));
                    }
                    &slots
                }
            };
            let env = Env { vars, params, bound: &[], symbols: &[], rounds: 0 };
            match eval(&self.pool, &model.sorts, c.term, env) {
                Ok(Value::Bool(true)) => {}
                Err(EvalError::NeedsSolver(_)) => open = true,
                _ => return Some(false),
            }
        }
        (!open).then_some(true)
    }
}

/// The argument of a step on the path to a node of some depth; the newest past belongs to the last step.
fn value_of(past: Option<&Arc<Past>>, depth: usize, step: usize, arg: usize) -> Option<Value> {
    let mut at = past?;
    for _ in step + 1..depth {
        at = at.before.as_ref()?;
    }
    at.args.get(arg).cloned()
}

/// A hypothesis may be at no more places in the tree than this. Where internal steps explain the same observations in
/// ever more ways, further ones are left out: then a purpose may be reached without being noticed, and is tried again.
const MARKS: usize = 256;

/// The marks at a node. Marks are in the order of their nodes: a hypothesis may have thousands.
fn at(marks: &[Mark], node: NodeId) -> std::ops::Range<usize> {
    let first = marks.partition_point(|m| m.node < node);
    first..first + marks[first..].partition_point(|m| m.node == node)
}

fn push(marks: &mut Vec<Mark>, mark: Mark) {
    let here = at(marks, mark.node);
    let full = marks.len() >= MARKS;
    match marks[here.clone()].iter_mut().find(|m| m.past == mark.past) {
        Some(known) => known.sure |= mark.sure,
        None if full => {}
        None => marks.insert(here.end, mark),
    }
}

/// Joins the marks of two hypotheses that became one: what only one of them has is not sure. Says whether the first
/// changed.
pub fn merge(marks: &mut Vec<Mark>, others: &[Mark]) -> bool {
    let mut changed = false;
    for m in marks.iter_mut().filter(|m| m.sure) {
        let both = others[at(others, m.node)].iter().any(|o| o.sure);
        changed |= !both;
        m.sure = both;
    }
    let mut new = Vec::new();
    for o in others {
        let here = &marks[at(marks, o.node)];
        if !here.iter().any(|m| m.past == o.past) {
            let sure = o.sure && here.iter().any(|m| m.sure);
            new.push(Mark { sure, ..o.clone() });
        }
    }
    new.truncate(MARKS.saturating_sub(marks.len()));
    if !new.is_empty() {
        marks.append(&mut new);
        marks.sort_by_key(|m| m.node);
        changed = true;
    }
    changed
}

/// A step that a hypothesis took.
#[derive(Clone, Copy)]
pub struct Taken<'a> {
    /// The step.
    pub step: Step,
    /// Whether nobody sees it.
    pub internal: bool,
    /// The values of its parameters.
    pub args: &'a [Value],
    /// The state before it, if it is known.
    pub before: Option<&'a State>,
    /// The state after it, if it is known.
    pub after: Option<&'a State>,
}
