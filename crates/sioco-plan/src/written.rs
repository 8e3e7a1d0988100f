//! Purposes that a user wrote, unfolded over the symbolic execution.
//!
//! Nodes are pairs of a symbolic state and a state of the purpose's [automaton](crate::automaton). They are found
//! breadth-first, so the first accepts are the nearest; pairs that are equal to an earlier one are left out. What a
//! purpose asks of the data becomes part of the path condition.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use sioco_model::model::Label;
use sioco_model::purpose::{Event, EventLabel, Purpose as Written};
use sioco_model::semantics::live::Live;
use sioco_model::term::Term;
use sioco_model::{Id, Model, TermId, VarId, WrittenId};
use sioco_solve::{Answer, Reason};
use sioco_symbolic::explore::{ExploreProgress, Stop};
use sioco_symbolic::key::Key;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::automaton::{AtCondition, Automaton};
use crate::close::close;
use crate::goal::{Infeasible, State};
use crate::plan::{Counts, PlanOptions};
use crate::purpose::{Leg, Purpose, PurposeId};
use crate::walker::Walker;
use crate::want::Want;

/// A purpose has at most this many accepts: the nearest ones. Each is a way of its own in the tree; a run needs only
/// one of them.
const ACCEPTS: usize = 16;

/// What came of a purpose.
pub(crate) struct UnfoldedPurpose {
    pub purposes: Vec<Purpose>,
    pub state: State,
    pub stop: Stop,
    pub counts: Counts,
}

/// Where the value of a slot comes from: a step of the path (from 0) and its argument.
type Bound = Option<(usize, usize)>;

struct Node {
    parent: usize,
    leg: Option<Leg>,
    doubt: Option<Reason>,
    state: usize,
    slots: Vec<Bound>,
    depth: usize,
    /// For the initial state, which no leg leads to: asked for together with the first step.
    first: Vec<Want>,
}

struct Unfolding<'a, 'm> {
    walker: &'a mut Walker<'m>,
    options: &'a PlanOptions,
    purpose: WrittenId,
    written: &'m Written,
    automaton: Automaton,
    nodes: Vec<Node>,
    open: VecDeque<usize>,
    accepts: Vec<usize>,
    /// Accepts that are only perhaps reached.
    perhaps: Vec<(usize, Reason)>,
    seen: FxHashSet<(usize, Key)>,
    live: Live,
    /// The variables and slots that the purpose reads: states that differ in them are different.
    reads: Vec<VarId>,
    read_slots: Vec<u32>,
    counts: Counts,
    /// Whether silence is a step.
    delta: bool,
    /// The step that would have led farthest into the pattern, if it had been possible, and from where.
    refused: Option<(usize, Leg)>,
}

/// Unfolds a purpose of the model; nothing if it is too large.
pub(crate) fn unfold(
    walker: &mut Walker<'_>,
    options: &PlanOptions,
    purpose: WrittenId,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Option<UnfoldedPurpose> {
    let model = walker.path.model();
    let written = &model.purposes[purpose];
    let automaton = Automaton::new(&written.pattern)?;
    let (reads, read_slots) = reads(model, written);
    let delta = mentions_silence(&written.pattern);
    walker.follow([]);
    let mut u = Unfolding {
        walker,
        options,
        purpose,
        written,
        nodes: Vec::new(),
        open: VecDeque::new(),
        accepts: Vec::new(),
        perhaps: Vec::new(),
        seen: FxHashSet::default(),
        live: Live::of(model),
        reads,
        read_slots,
        counts: Counts::default(),
        delta,
        refused: None,
        automaton,
    };
    let stop = u.search(progress);
    Some(u.finish(stop))
}

impl Unfolding<'_, '_> {
    fn search(&mut self, progress: &mut dyn FnMut(ExploreProgress)) -> Stop {
        let start = self.automaton.start();
        let slots = vec![None; self.written.slots.len()];
        for (state, places) in self.automaton.settle(start) {
            if self.is_at(&places) {
                let first = self.conditions(&places, &slots, false);
                self.add(Node { parent: 0, leg: None, doubt: None, state, slots: slots.clone(), depth: 0, first });
            }
        }
        while let Some(node) = self.open.pop_front() {
            let depth = self.nodes[node].depth;
            // The nearest accepts are enough, all of them with the same number of steps.
            if self.accepts.first().is_some_and(|a| self.nodes[*a].depth <= depth) || self.accepts.len() >= ACCEPTS {
                return Stop::Covered;
            }
            if self.options.is_over() {
                return Stop::Cancelled;
            }
            if self.nodes.len() >= self.options.nodes {
                return Stop::Nodes;
            }
            if self.options.depth.is_some_and(|d| depth >= d) {
                return Stop::Depth;
            }
            if self.nodes.len().is_multiple_of(256) {
                progress(ExploreProgress { nodes: self.nodes.len(), depth, open: self.open.len() });
            }
            self.expand(node);
        }
        if self.accepts.is_empty() { Stop::Complete } else { Stop::Covered }
    }

    fn legs(&self, node: usize) -> Vec<Leg> {
        let mut legs = Vec::new();
        let mut at = node;
        while let Some(leg) = &self.nodes[at].leg {
            legs.push(leg.clone());
            at = self.nodes[at].parent;
        }
        legs.reverse();
        legs
    }

    fn expand(&mut self, node: usize) {
        let legs = self.legs(node);
        if !self.walker.follow(&legs) {
            return;
        }
        let model = self.walker.path.model();
        let mut steps = Vec::new();
        self.walker.path.outgoing(&mut steps);
        if self.delta && !legs.last().is_some_and(|l| l.step.is_silence()) {
            steps.push(Step::Delta);
            if self.walker.path.may_diverge() {
                steps.push(Step::Divergence);
            }
        }
        for step in steps {
            self.counts.candidates += 1;
            let Some(rejected) = self.rejected(node, step) else { continue };
            let seen = step.is_observable(model);
            let state = self.nodes[node].state;
            let mut ways: Vec<(Option<Event>, usize)> = Vec::new();
            if !seen {
                ways.push((None, state));
            }
            for (event, to) in self.automaton.steps(state) {
                let fits = event.map_or(seen, |e| is_event(model, e, step));
                if fits {
                    ways.push((event.cloned(), to));
                }
            }
            let mut possible = false;
            for (event, to) in ways {
                possible |= self.take(node, step, event.as_ref(), to, &rejected);
            }
            self.counts.impossible += usize::from(!possible);
        }
    }

    /// What must not be true of a step, by the rejects; nothing if it must not be taken at all.
    fn rejected(&mut self, node: usize, step: Step) -> Option<Vec<Want>> {
        let model = self.walker.path.model();
        let at = self.walker.path.len();
        let mut wants = Vec::new();
        for event in self.written.rejects.iter().filter(|e| is_event(model, e, step)) {
            let condition = event.condition?;
            let slots = bound(&self.nodes[node].slots, event, at);
            wants.push(self.want(condition, &slots, true, false));
        }
        Some(wants)
    }

    fn want(&self, condition: TermId, slots: &[Bound], negated: bool, after: bool) -> Want {
        let slots = (0..).zip(slots).filter_map(|(slot, from)| from.map(|(step, arg)| (slot, step, arg))).collect();
        Want::Written { purpose: self.purpose, condition, slots, negated, after }
    }

    fn conditions(&self, places: &[AtCondition], slots: &[Bound], after: bool) -> Vec<Want> {
        places.iter().filter_map(|p| p.condition).map(|c| self.want(c, slots, false, after)).collect()
    }

    /// Whether the processes are where the places say.
    fn is_at(&self, places: &[AtCondition]) -> bool {
        let here = self.walker.path.locations();
        places.iter().all(|p| p.locations.iter().any(|l| here.contains(l)))
    }

    /// Takes a step that leads to a state of the automaton; whether that is possible.
    fn take(&mut self, node: usize, step: Step, event: Option<&Event>, to: usize, rejected: &[Want]) -> bool {
        let at = self.walker.path.len();
        let mut slots = self.nodes[node].slots.clone();
        let mut wants = self.nodes[node].first.clone();
        wants.extend(rejected.iter().cloned());
        if let Some(event) = event {
            slots = bound(&slots, event, at);
            wants.extend(event.condition.map(|c| self.want(c, &slots, false, false)));
        }
        let leg = Leg { step, wants: wants.into_iter().collect() };
        let plain = self.walker.take(&leg);
        if plain == Possible::No {
            if event.is_some() && self.refused.as_ref().is_none_or(|(node, _)| self.nodes[*node].state < to) {
                self.refused = Some((node, leg));
            }
            return false;
        }
        // Where the processes are is known only now.
        let mut settled: Vec<(usize, Vec<AtCondition>)> =
            self.automaton.settle(to).into_iter().filter(|(_, places)| self.is_at(places)).collect();
        if step.is_silence() {
            // Silence that goes on is the same silence, however often it is asked for.
            let mut i = 0;
            while let Some((state, places)) = settled.get(i).cloned() {
                i += 1;
                let again =
                    |e: Option<&Event>| e.is_some_and(|e| e.label == EventLabel::Delta && e.condition.is_none());
                let next: Vec<usize> = self.automaton.steps(state).filter(|(e, _)| again(*e)).map(|(_, t)| t).collect();
                for (state, more) in next.into_iter().flat_map(|to| self.automaton.settle(to)) {
                    let mut places = places.clone();
                    places.extend(more);
                    if self.is_at(&places) && !settled.contains(&(state, places.clone())) {
                        settled.push((state, places));
                    }
                }
            }
        }
        let depth = self.nodes[node].depth + 1;
        let mut later = Vec::new();
        for (state, places) in settled {
            let conditions = self.conditions(&places, &slots, true);
            if conditions.is_empty() {
                let (leg, doubt, slots) = (Some(leg.clone()), doubt_of(&plain), slots.clone());
                self.add(Node { parent: node, leg, doubt, state, slots, depth, first: Vec::new() });
            } else {
                later.push((state, conditions));
            }
        }
        self.walker.back();
        for (state, conditions) in later {
            let mut leg = leg.clone();
            leg.wants.extend(conditions);
            let answer = self.walker.take(&leg);
            if answer != Possible::No {
                let (doubt, slots) = (doubt_of(&answer), slots.clone());
                self.add(Node { parent: node, leg: Some(leg), doubt, state, slots, depth, first: Vec::new() });
                self.walker.back();
            }
        }
        true
    }

    /// Adds a node, where the walker is, unless it is there already.
    fn add(&mut self, node: Node) {
        let mut others: Vec<TermId> = self.reads.iter().map(|v| self.walker.path.term(*v)).collect();
        let mut unbound = 0u32;
        for slot in &self.read_slots {
            match node.slots[*slot as usize].and_then(|(step, arg)| self.walker.path.args(step).get(arg)) {
                Some(term) => others.push(*term),
                None => unbound = unbound.wrapping_mul(31).wrapping_add(*slot + 1),
            }
        }
        // A state that is surely reached is not left out for one that is reached perhaps.
        let doubtful = node.doubt.is_some() || self.is_doubtful(node.parent);
        if !doubtful
            && node.first.is_empty()
            && let Some(mut key) = self.walker.path.key_with(&self.live, &others).map(Vec::from)
        {
            key.extend([unbound]);
            if !self.seen.insert((node.state, key.into())) {
                return;
            }
        }
        let end = self.automaton.is_end(node.state) && node.leg.is_some();
        let (doubt, id) = (node.doubt.clone(), self.nodes.len());
        self.nodes.push(node);
        if !end {
            self.open.push_back(id);
        } else if !doubtful {
            self.accepts.push(id);
        } else {
            // What is open step by step may be plain for the whole.
            match self.walker.path.solve() {
                Answer::Sat(_) => {
                    let mut at = id;
                    while self.nodes[at].leg.is_some() {
                        self.nodes[at].doubt = None;
                        at = self.nodes[at].parent;
                    }
                    self.accepts.push(id);
                }
                Answer::Unsat(_) => {}
                Answer::Unknown(reason) => self.perhaps.push((id, doubt.unwrap_or(reason))),
            }
        }
    }

    fn is_doubtful(&self, node: usize) -> bool {
        let mut at = node;
        while let Some(n) = self.nodes.get(at).filter(|n| n.leg.is_some()) {
            if n.doubt.is_some() {
                return true;
            }
            at = n.parent;
        }
        false
    }

    /// Whether the purpose may hold before anything happens: then it needs no test.
    fn at_once(&mut self) -> Possible {
        self.walker.follow([]);
        let ends: Vec<Vec<Want>> = self
            .nodes
            .iter()
            .filter(|n| n.leg.is_none() && self.automaton.is_end(n.state))
            .map(|n| n.first.clone())
            .collect();
        let mut best = Possible::No;
        for wants in ends {
            match self.walker.may_hold(&wants) {
                Possible::Yes => return Possible::Yes,
                Possible::No => {}
                unknown => best = unknown,
            }
        }
        best
    }

    /// How far paths get into the pattern, and why no farther.
    fn farthest(&mut self) -> Infeasible {
        let Some((node, leg)) = self.refused.take() else {
            return Infeasible::Written { path: Vec::new(), clash: Vec::new() };
        };
        let legs = self.legs(node);
        self.walker.follow(&legs);
        let clash = self.walker.clash(&leg);
        let path = legs.iter().map(|l| l.step).chain([leg.step]).collect();
        Infeasible::Written { path, clash }
    }

    fn finish(mut self, stop: Stop) -> UnfoldedPurpose {
        self.counts.nodes = self.nodes.len();
        let doubt = self.accepts.is_empty();
        let targets: Vec<usize> = match doubt {
            false => self.accepts.clone(),
            true => self.perhaps.iter().map(|(n, _)| *n).take(ACCEPTS).collect(),
        };
        if targets.is_empty() {
            let state = match stop {
                _ if self.at_once() != Possible::No => {
                    State::Covered { by: Vec::new(), doubt: self.at_once() != Possible::Yes }
                }
                Stop::Complete => State::Infeasible(self.farthest()),
                stop => State::NotReached(stop),
            };
            return UnfoldedPurpose { purposes: Vec::new(), state, stop, counts: self.counts };
        }
        let mut purpose = Purpose { goals: vec![0], ..Purpose::default() };
        for target in targets {
            let mut line = vec![target];
            while self.nodes[line[line.len() - 1]].leg.is_some() {
                line.push(self.nodes[line[line.len() - 1]].parent);
            }
            let mut at = 0;
            for n in line.into_iter().rev() {
                if let Some(leg) = &self.nodes[n].leg {
                    at = purpose.child(at, leg, self.nodes[n].doubt.clone());
                }
            }
            let legs = self.legs(target);
            self.walker.follow(&legs);
            self.counts.cut += usize::from(!close(self.walker, &mut purpose, at, self.options.strict));
        }
        let state = State::Covered { by: vec![PurposeId::from_index(0)], doubt };
        UnfoldedPurpose { purposes: vec![purpose], state, stop, counts: self.counts }
    }
}

fn doubt_of(answer: &Possible) -> Option<Reason> {
    match answer {
        Possible::Unknown(reason) => Some(reason.clone()),
        Possible::Yes | Possible::No => None,
    }
}

/// The slots after an event that is the next step.
fn bound(slots: &[Bound], event: &Event, at: usize) -> Vec<Bound> {
    let mut slots = slots.to_vec();
    for (arg, slot) in event.binds.iter().enumerate() {
        slots[*slot as usize] = Some((at, arg));
    }
    slots
}

/// Whether a step is what an event is about.
fn is_event(model: &Model, event: &Event, step: Step) -> bool {
    match event.label {
        EventLabel::Gate(gate) => {
            matches!(step, Step::Switch(s) if model.switches[s].label == Label::Gate(gate))
        }
        EventLabel::Delta => step.is_silence(),
        EventLabel::Any => step.is_observable(model),
        EventLabel::Switch(switch) => step.switches().any(|s| s == switch),
    }
}

/// The variables and slots that a purpose reads.
fn reads(model: &Model, written: &Written) -> (Vec<VarId>, Vec<u32>) {
    let mut conditions: Vec<TermId> = written.rejects.iter().filter_map(|e| e.condition).collect();
    all_conditions(&written.pattern, &mut conditions);
    let (mut vars, mut slots) = (Vec::new(), Vec::new());
    for condition in conditions {
        model.terms.visit(condition, &mut |_, term| match term {
            Term::Var(v, _) => vars.push(*v),
            Term::Param(slot, _) => slots.push(*slot),
            _ => {}
        });
    }
    vars.sort_unstable_by_key(|v| v.index());
    vars.dedup();
    slots.sort_unstable();
    slots.dedup();
    (vars, slots)
}

fn all_conditions(pattern: &sioco_model::purpose::Pattern, found: &mut Vec<TermId>) {
    use sioco_model::purpose::Pattern;
    match pattern {
        Pattern::Event(event) => found.extend(event.condition),
        Pattern::At { condition, .. } => found.extend(*condition),
        Pattern::Sequence(parts) | Pattern::Choice(parts) => parts.iter().for_each(|p| all_conditions(p, found)),
        Pattern::Repeat { body, .. } => all_conditions(body, found),
        Pattern::Anything => {}
    }
}

/// Whether a pattern speaks of silence: otherwise it need not be looked for.
fn mentions_silence(pattern: &sioco_model::purpose::Pattern) -> bool {
    use sioco_model::purpose::Pattern;
    match pattern {
        Pattern::Event(event) => matches!(event.label, EventLabel::Delta | EventLabel::Any),
        Pattern::Sequence(parts) | Pattern::Choice(parts) => parts.iter().any(mentions_silence),
        Pattern::Repeat { body, .. } => mentions_silence(body),
        Pattern::Anything | Pattern::At { .. } => false,
    }
}
