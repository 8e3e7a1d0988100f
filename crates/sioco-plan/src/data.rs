//! Data goals: the atoms of the guards on the way, true, false and at their boundary (T-P11).
//!
//! An atom is true or false where its guard is asked. That it is true is seen when the switch is taken. That it is false
//! is seen when something else is done at its source: for an atom about parameters, another switch of the same gate.
//! Each side is a condition on a step. It is added to a purpose that it fits; if there is none, it gets a purpose of its
//! own.

use rustc_hash::FxHashMap;
use sioco_model::model::Label;
use sioco_model::term::Term;
use sioco_model::{Id, LocationId, Model, SwitchId, TermId};
use sioco_solve::Reason;
use sioco_symbolic::explore::{Exploration, Stop};
use sioco_symbolic::graph::NodeId;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::close::close;
use crate::goal::{Goal, Infeasible, State};
use crate::net::Net;
use crate::plan::{Plan, PlanOptions};
use crate::purpose::{Leg, Purpose, PurposeId};
use crate::walker::Walker;
use crate::want::{Side, Want, atoms, side_of};

/// A goal is tried in at most this many purposes. Measured on the 947 goals of Redis: half as many cover the same 821,
/// twice as many 822.
const PURPOSES: usize = 16;
/// And in at most this many when all purposes are there: then a purpose that has it by chance is cheap to find.
const LATER: usize = 1024;
/// And at least at this many edges of the graph, if no purpose can have it. Measured on the same goals: half as many
/// cover 785, this many 821, and twice as many 850, in the same time within a tenth.
const EDGES: usize = 64;
/// With more nodes that there may be, it is tried at one more edge for this many of them: who allows more work gets it.
const NODES_PER_EDGE: usize = 64;
/// And at this many edges when the time for the search is over.
const LAST_EDGES: usize = 16;

/// Adds the goals of the guards of all switches on the purposes of a plan, and what they need.
pub(crate) fn add_goals(plan: &mut Plan, walker: &mut Walker<'_>, exploration: &Exploration, options: &PlanOptions) {
    let model = walker.path.model();
    let on_the_way = plan.switches(model);
    let net = Net::new(model, &exploration.graph);
    let places = Places::new(model, &net, plan);
    let mut search = Search { plan, walker, net: &net, places, exploration, options };
    let mut open = Vec::new();
    for switch in model.switches.ids().filter(|s| on_the_way[s.index()]) {
        for (i, atom) in atoms(model, switch).into_iter().enumerate() {
            for side in Side::ALL {
                if search.walker.path.build(|pool, sorts| side_of(pool, sorts, atom, side)).is_none() {
                    continue;
                }
                let goal = search.plan.goals.len();
                let want = Want::Atom { switch, atom: i, side };
                let mut steps = candidates(model, switch, atom, side);
                if !side.holds() && model.processes.len() > 1 && !is_about_params(model, atom) {
                    // Whatever other processes do meanwhile shows it as well.
                    steps.extend(search.places.steps_at(&net, model.switches[switch].source));
                    steps.sort_unstable();
                    steps.dedup();
                }
                let state = if options.limits.cancelled() {
                    State::NotReached(Stop::Cancelled)
                } else if let Some(state) = search.in_purposes(&want, &steps, goal, PURPOSES) {
                    state
                } else {
                    search.in_graph(&want, &steps, goal)
                };
                if matches!(state, State::NotReached(_)) {
                    open.push((goal, want, steps));
                }
                search.plan.goals.push((Goal::Atom { switch, atom: i, side }, state));
            }
        }
    }
    // Purposes that were added for other goals may reach it (T-P16).
    for (goal, want, steps) in open {
        if options.limits.cancelled() {
            break;
        }
        if let Some(state) = search.in_purposes(&want, &steps, goal, LATER) {
            search.plan.goals[goal].1 = state;
        }
    }
}

/// Looks for purposes in which a side of an atom is seen.
struct Search<'a, 'm> {
    plan: &'a mut Plan,
    walker: &'a mut Walker<'m>,
    net: &'a Net<'a>,
    places: Places,
    exploration: &'a Exploration,
    options: &'a PlanOptions,
}

impl Search<'_, '_> {
    /// Whether a side can be seen at a step in any state at all.
    fn may_show(&mut self, step: Step, want: &Want) -> bool {
        let Want::Atom { switch, atom, side } = want else { return true };
        let walker = &mut *self.walker;
        let Some(&atom) = atoms(walker.path.model(), *switch).get(*atom) else { return true };
        let Some(term) = walker.path.build(|pool, sorts| side_of(pool, sorts, atom, *side)) else { return true };
        step.is_silence() || !walker.path.never_with(step, term)
    }

    /// Adds a want to a step of a purpose that there is, if the rest of it stays possible. So many steps are tried.
    fn in_purposes(&mut self, want: &Want, steps: &[Step], goal: usize, most: usize) -> Option<State> {
        let Search { plan, walker, places, .. } = self;
        let source = match want {
            Want::Atom { switch, .. } => walker.path.model().switches[*switch].source,
            Want::Written { .. } | Want::Values(_) => return None,
        };
        let mut tried = 0;
        let lists = steps.iter().filter_map(|s| match s.is_silence() {
            true => places.quiet.get(&source),
            false => places.purposes.get(s),
        });
        let mut purposes: Vec<usize> = lists.flatten().copied().collect();
        purposes.sort_unstable();
        purposes.dedup();
        for p in purposes {
            for node in 0..plan.purposes[p].nodes.len() {
                let purpose = &plan.purposes[p];
                let here = &purpose.nodes[node];
                if here.answer || !here.leg.as_ref().is_some_and(|l| steps.contains(&l.step)) {
                    continue;
                }
                // Silence is everywhere: it counts where the question arises.
                walker.follow(here.parent.map(|p| purpose.line(p)).unwrap_or_default());
                if !walker.path.locations().contains(&source) {
                    continue;
                }
                if tried == most || walker.path.is_cancelled() {
                    return None;
                }
                tried += 1;
                let mut changed = purpose.clone();
                if let Some(leg) = &mut changed.nodes[node].leg {
                    leg.wants.extend([want.clone()]);
                }
                if stays_possible(walker, &mut changed, node) {
                    changed.goals.push(goal);
                    let doubt = changed.rests_on_unknown();
                    plan.purposes[p] = changed;
                    return Some(State::Covered { by: vec![PurposeId::from_index(p)], doubt });
                }
            }
        }
        None
    }

    /// A purpose of its own for a want: at the nearest edge of the graph that can have it.
    fn in_graph(&mut self, want: &Want, steps: &[Step], goal: usize) -> State {
        // Where a step shows it in no state, nobody needs to look in each.
        let hopeful: Vec<Step> = steps.iter().copied().filter(|step| self.may_show(*step, want)).collect();
        let Search { walker, net, places, exploration, options, .. } = self;
        let model = walker.path.model();
        let Want::Atom { switch, .. } = want else { return State::NotReached(exploration.stop) };
        let source = model.switches[*switch].source;
        let mut doubtful: Option<(Vec<Leg>, Reason)> = None;
        let complete = exploration.stop == Stop::Complete;
        let (mut first, mut states, mut tried, mut cut) = (None, 0, 0, false);
        // Silence is no edge of this graph, so it is asked for in every state.
        let mut edges: Vec<NodeId> = steps.iter().filter_map(|s| places.edges.get(s)).flatten().copied().collect();
        edges.sort_unstable();
        let silence = steps.contains(&Step::Delta);
        let quiet = places.nodes.get(&source).filter(|_| silence).map_or(&[][..], Vec::as_slice);
        let ends = edges.into_iter().map(|e| (e, true)).chain(quiet.iter().map(|n| (*n, false)));
        for (end, whole) in ends {
            let line = net.tree_line(end);
            let mut legs: Vec<Leg> = line.iter().map(|e| Leg::from(net.step(*e))).collect();
            if !whole {
                legs.push(Leg::from(Step::Delta));
            }
            let Some(mut last) = legs.pop() else { continue };
            let hopeless = !hopeful.contains(&last.step);
            if hopeless && first.is_some() && !complete {
                continue;
            }
            last.wants.extend([want.clone()]);
            walker.follow(&legs);
            if !walker.path.locations().contains(&source) {
                continue;
            }
            let most = if options.is_over() { LAST_EDGES } else { EDGES.max(options.nodes / NODES_PER_EDGE) };
            if tried >= most || options.limits.cancelled() {
                cut = true;
                break;
            }
            states += 1;
            tried += usize::from(!hopeless);
            let answer = if hopeless { Possible::No } else { walker.take(&last) };
            if answer == Possible::No {
                first.get_or_insert((legs, last));
                continue;
            }
            legs.push(last);
            match answer {
                Possible::Unknown(reason) => {
                    doubtful.get_or_insert((legs, reason));
                }
                _ => return self.own_purpose(legs, None, goal),
            }
        }
        if let Some((legs, reason)) = doubtful {
            return self.own_purpose(legs, Some(reason), goal);
        }
        let whole = !cut && complete;
        if !whole && !hopeful.is_empty() {
            let stop = if complete { Stop::Nodes } else { exploration.stop };
            return State::NotReached(stop);
        }
        let clash = first.map(|(legs, last)| {
            walker.follow(&legs);
            walker.clash(&last)
        });
        let states = if whole { Some(states) } else { None };
        State::Infeasible(Infeasible::Values { states, clash: clash.unwrap_or_default() })
    }

    /// Adds a purpose with these legs. If there is a doubt, the last of them is only perhaps possible.
    fn own_purpose(&mut self, legs: Vec<Leg>, doubt: Option<Reason>, goal: usize) -> State {
        let Search { plan, walker, places, options, .. } = self;
        let mut purpose = Purpose { goals: vec![goal], ..Purpose::default() };
        let mut at = 0;
        let last = legs.len() - 1;
        for (i, leg) in legs.iter().enumerate() {
            at = purpose.add(at, leg.clone(), doubt.clone().filter(|_| i == last));
        }
        walker.follow(&legs);
        plan.counts.cut += usize::from(!close(walker, &mut purpose, at, options.strict));
        places.enter(walker.path.model(), plan.purposes.len(), &purpose);
        plan.purposes.push(purpose);
        State::Covered { by: vec![PurposeId::from_index(plan.purposes.len() - 1)], doubt: doubt.is_some() }
    }
}

/// Where steps are, so that they need not be searched for every goal. Lists are in order.
struct Places {
    /// By step: the edges of the graph with it.
    edges: FxHashMap<Step, Vec<NodeId>>,
    /// By location: the nodes of the graph where a process is there, except for those that lead elsewhere.
    nodes: FxHashMap<LocationId, Vec<NodeId>>,
    /// By step: the purposes with it; silence is listed by location.
    purposes: FxHashMap<Step, Vec<usize>>,
    quiet: FxHashMap<LocationId, Vec<usize>>,
}

impl Places {
    fn new(model: &Model, net: &Net<'_>, plan: &Plan) -> Self {
        let mut found = Places {
            edges: FxHashMap::default(),
            nodes: FxHashMap::default(),
            purposes: FxHashMap::default(),
            quiet: FxHashMap::default(),
        };
        let graph = net.graph;
        let mut at: Vec<Vec<LocationId>> = Vec::with_capacity(graph.len());
        for node in graph.ids() {
            let here = match (graph.parent(node), graph.step(node)) {
                (Some(parent), Some(step)) => {
                    found.edges.entry(step).or_default().push(node);
                    after(model, &at[parent.index()], step)
                }
                _ => start(model),
            };
            if graph.included_in(node).is_none() {
                here.iter().for_each(|l| found.nodes.entry(*l).or_default().push(node));
            }
            at.push(here);
        }
        for (p, purpose) in plan.purposes.iter().enumerate() {
            found.enter(model, p, purpose);
        }
        found
    }

    /// The steps that leave a location, of whatever process.
    fn steps_at(&self, net: &Net<'_>, location: LocationId) -> Vec<Step> {
        let nodes = self.nodes.get(&location).map_or(&[][..], Vec::as_slice);
        nodes.iter().flat_map(|n| net.out(*n)).map(|e| net.step(*e)).collect()
    }

    /// Adds a purpose, after all others.
    fn enter(&mut self, model: &Model, p: usize, purpose: &Purpose) {
        let mut at: Vec<Vec<LocationId>> = Vec::with_capacity(purpose.nodes.len());
        let add = |list: &mut Vec<usize>| {
            if list.last() != Some(&p) {
                list.push(p);
            }
        };
        for node in &purpose.nodes {
            let here = match (node.parent, &node.leg) {
                (Some(parent), Some(leg)) if leg.step.is_silence() => {
                    at[parent].iter().for_each(|l| add(self.quiet.entry(*l).or_default()));
                    at[parent].clone()
                }
                (Some(parent), Some(leg)) => {
                    add(self.purposes.entry(leg.step).or_default());
                    after(model, &at[parent], leg.step)
                }
                _ => start(model),
            };
            at.push(here);
        }
    }
}

fn start(model: &Model) -> Vec<LocationId> {
    model.processes.values().map(|p| p.initial).collect()
}

fn after(model: &Model, here: &[LocationId], step: Step) -> Vec<LocationId> {
    let mut here = here.to_vec();
    for switch in step.switches() {
        let switch = &model.switches[switch];
        here[switch.process.index()] = switch.target;
    }
    here
}

fn is_about_params(model: &Model, atom: TermId) -> bool {
    let mut found = false;
    model.terms.visit(atom, &mut |_, t| found |= matches!(t, Term::Param(..)));
    found
}

/// The steps at which a side can be seen.
fn candidates(model: &Model, switch: SwitchId, atom: TermId, side: Side) -> Vec<Step> {
    let s = &model.switches[switch];
    let about_params = is_about_params(model, atom);
    let with = |other: SwitchId| -> Vec<Step> {
        match model.switches[other].label {
            Label::Gate(_) | Label::Internal => vec![Step::Switch(other)],
            Label::Send(c) => {
                let fits = move |t: &sioco_model::model::Switch| t.label == Label::Receive(c);
                partners(model, other, &fits).map(|receive| Step::Handshake { send: other, receive }).collect()
            }
            Label::Receive(c) => {
                let fits = move |t: &sioco_model::model::Switch| t.label == Label::Send(c);
                partners(model, other, &fits).map(|send| Step::Handshake { send, receive: other }).collect()
            }
        }
    };
    let mut found = with(switch);
    if !side.holds() {
        for &other in &model.locations[s.source].outgoing {
            let fits = !about_params || (model.switches[other].label == s.label && s.label != Label::Internal);
            if other != switch && fits {
                found.extend(with(other));
            }
        }
        if !about_params {
            found.push(Step::Delta);
        }
    }
    found
}

fn partners<'m>(
    model: &'m Model,
    switch: SwitchId,
    fits: &'m dyn Fn(&sioco_model::model::Switch) -> bool,
) -> impl Iterator<Item = SwitchId> + use<'m> {
    let process = model.switches[switch].process;
    let all: Vec<SwitchId> =
        model.switches.iter().filter(|(_, t)| t.process != process && fits(t)).map(|(id, _)| id).collect();
    all.into_iter()
}

/// Whether every accept that was there is still possible; answers that no longer are go.
fn stays_possible(walker: &mut Walker<'_>, purpose: &mut Purpose, from: usize) -> bool {
    let mut gone = vec![false; purpose.nodes.len()];
    for node in from..purpose.nodes.len() {
        let n = &purpose.nodes[node];
        let (Some(parent), Some(leg)) = (n.parent, n.leg.clone()) else { continue };
        if gone[parent] {
            gone[node] = true;
            continue;
        }
        if node != from && !is_below(purpose, node, from) {
            continue;
        }
        let line: Vec<Leg> = purpose.line(parent).into_iter().cloned().collect();
        if !walker.follow(&line) {
            return false;
        }
        match walker.take(&leg) {
            Possible::No if purpose.nodes[node].answer => gone[node] = true,
            Possible::No => return false,
            Possible::Yes => {}
            Possible::Unknown(reason) => {
                let here = &mut purpose.nodes[node];
                // What else the purpose is there for, and is sure, must stay so.
                if here.doubt.is_none() && !here.answer {
                    return false;
                }
                here.doubt = Some(Box::new(reason));
            }
        }
    }
    // An input whose answers are all gone would be left without an end.
    let alive = |n: usize| !gone[n];
    let ends = (0..purpose.nodes.len()).filter(|n| purpose.nodes[*n].accept && alive(*n)).count();
    if ends == 0 {
        return false;
    }
    // Nor may an internal step that only led to answers that are gone.
    let mut leads = vec![false; purpose.nodes.len()];
    for n in (0..purpose.nodes.len()).rev() {
        leads[n] |= purpose.nodes[n].accept;
        if let Some(p) = purpose.nodes[n].parent.filter(|_| leads[n] && !gone[n]) {
            leads[p] = true;
        }
    }
    for (gone, leads) in gone.iter_mut().zip(leads) {
        *gone |= !leads;
    }
    let mut place = vec![0; purpose.nodes.len()];
    let mut kept = Vec::new();
    for (i, mut node) in std::mem::take(&mut purpose.nodes).into_iter().enumerate() {
        if !gone[i] {
            place[i] = kept.len();
            node.parent = node.parent.map(|p| place[p]);
            kept.push(node);
        }
    }
    purpose.nodes = kept;
    true
}

fn is_below(purpose: &Purpose, node: usize, above: usize) -> bool {
    let mut at = Some(node);
    while let Some(n) = at.filter(|n| *n >= above) {
        if n == above {
            return true;
        }
        at = purpose.nodes[n].parent;
    }
    false
}
