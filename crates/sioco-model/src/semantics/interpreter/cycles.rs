//! Which states lie on a cycle of internal steps that never gives an output (T-L8).
//!
//! All states that internal steps reach from a state are visited once, and their strongly connected components are found
//! together. That answers the question for all of them: a closure of n states takes n visits, not n times n.
//! Variables that do not matter any more are left out: a counter that nothing reads does not keep steps from coming back.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Activity, Interpreter, StepError};
use crate::id::SwitchId;
use crate::semantics::closure::{self, CLOSURE_LIMIT, CLOSURE_ROOM, Follow};
use crate::semantics::live::Live;
use crate::semantics::state::State;

/// What internal steps can do from a state, as far as silence is concerned.
#[derive(Clone, Debug)]
pub(super) enum Moves {
    /// There are none.
    None,
    /// This one, perhaps others; and whether they lead back over states without outputs.
    Some(SwitchId, Return),
    /// Which there are takes a solver.
    Open(SwitchId, Arc<str>),
    /// That an output is enabled is known; internal steps were not looked at.
    Active,
}

/// Whether internal steps lead from a state back to it over states without outputs.
#[derive(Clone, Debug)]
pub(super) enum Return {
    Yes,
    No,
    /// That was not found out.
    Open(Arc<str>),
    /// The model is undefined somewhere on the way.
    Undefined(Arc<StepError>),
}

/// What is known of states.
#[derive(Clone, Debug, Default)]
pub(super) struct Cycles {
    known: FxHashMap<State, (Moves, Rest)>,
    /// Whether something was left open, and when: it may be asked again when the number changes.
    open: bool,
    generation: u64,
}

/// At most this many states are remembered: as many as four closures may have, so that what follows a step still knows
/// the states before it.
const REMEMBERED: usize = 4 * CLOSURE_LIMIT;

/// Where internal steps may lead, seen from one state.
struct Graph {
    states: Vec<State>,
    nodes: Vec<Node>,
}

/// Makes a graph of all states that internal steps may lead to without an output in between.
struct Search<'i, 'm> {
    run: &'i mut Interpreter<'m>,
    live: Arc<Live>,
    nodes: Vec<Node>,
    /// How much room the states take that steps have led to.
    weight: usize,
    /// Whether a state was left out since they take too much.
    heavy: bool,
}

/// A state of the graph.
struct Node {
    moves: Moves,
    /// Whether it is known that no output is enabled; otherwise why it is not.
    doubt: Option<Arc<str>>,
    next: Vec<usize>,
    /// What is not followed from here.
    rest: Rest,
    /// It was found out before: all that it leads to was looked at then, and is not looked at again.
    before: bool,
}

/// What lies behind a state and was not followed.
#[derive(Clone, Debug)]
enum Rest {
    /// Nothing.
    Nothing,
    /// It is not known what.
    Open(Arc<str>),
    /// The model is undefined there.
    Undefined(Arc<StepError>),
}

impl Interpreter<'_> {
    /// Which variables matter; found out when it is asked first.
    fn live(&mut self) -> Arc<Live> {
        self.live.get_or_insert_with(|| Arc::new(Live::of(self.model))).clone()
    }

    /// What internal steps can do from a state.
    pub(super) fn moves(&mut self, state: &State) -> Result<Moves, StepError> {
        let live = self.live();
        let mut state = state.clone();
        live.project(self.model, &mut state);
        let generation = self.oracle.generation();
        // All or nothing: what is remembered of a state rests on all that it leads to.
        if (self.cycles.open && self.cycles.generation != generation) || self.cycles.known.len() > REMEMBERED {
            self.cycles = Cycles::default();
        }
        self.cycles.generation = generation;
        if let Some((moves, _)) = self.cycles.known.get(&state) {
            return Ok(moves.clone());
        }
        let mut search = Search { run: self, live, nodes: Vec::new(), weight: 0, heavy: false };
        let states = closure::close(&mut search, vec![state])?.states;
        let graph = Graph { states, nodes: search.nodes.into_iter().map(Node::in_order).collect() };
        let returns = graph.returns();
        let mut asked = None;
        for ((state, node), (returns, rest)) in graph.states.into_iter().zip(graph.nodes).zip(returns) {
            if node.before {
                continue;
            }
            let moves = match node.moves {
                Moves::Some(switch, _) => Moves::Some(switch, returns),
                other => other,
            };
            // The first one is what was asked for.
            asked.get_or_insert_with(|| moves.clone());
            self.cycles.open |= node.doubt.is_some() || matches!(rest, Rest::Open(_));
            if !matches!(moves, Moves::Active) {
                self.cycles.known.insert(state, (moves, rest));
            }
        }
        Ok(asked.expect("the graph has the state itself"))
    }
}

impl Follow for Search<'_, '_> {
    type Member = State;

    /// What is known of a state rests on all that it leads to.
    const GOES_ON: bool = true;

    fn state<'s>(&self, member: &'s State) -> Option<&'s State> {
        Some(member)
    }

    /// By what is counted here: also states that are known were made.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// Whether an output is enabled has to be known of every state.
    fn stays(&self, _member: &State) -> bool {
        false
    }

    fn internal(&mut self, at: usize, member: &State) -> Result<Option<Vec<State>>, StepError> {
        let (node, next) = match self.look(member) {
            Ok(looked) => looked,
            // The state itself has no meaning.
            Err(error) if at == 0 => return Err(error),
            Err(error) => (Node::end(Rest::Undefined(Arc::new(error))), Vec::new()),
        };
        self.nodes.push(node);
        Ok(Some(next))
    }

    fn admits(&mut self, _count: usize, _member: &State) -> bool {
        self.heavy = self.weight > 2 * CLOSURE_ROOM;
        !self.heavy
    }

    fn leads(&mut self, from: usize, to: Option<usize>) {
        let node = &mut self.nodes[from];
        match to {
            Some(to) => node.next.push(to),
            None if self.heavy => node.rest = Rest::Open("internal steps reach too many states that are large".into()),
            None => {
                node.rest = Rest::Open(format!("internal steps reach more than {CLOSURE_LIMIT} states").into());
            }
        }
    }
}

impl Search<'_, '_> {
    /// What is found out about a state, and where internal steps lead from there.
    fn look(&mut self, state: &State) -> Result<(Node, Vec<State>), StepError> {
        if let Some((moves, rest)) = self.run.cycles.known.get(state) {
            // The state that is asked about now was not among what it leads to.
            let node = Node { moves: moves.clone(), before: true, ..Node::end(rest.clone()) };
            return Ok((node, Vec::new()));
        }
        let doubt = match self.run.active_output(state)? {
            Activity::None => None,
            Activity::Enabled(_) => return Ok((Node::end(Rest::Nothing), Vec::new())),
            Activity::Unknown(_, why) => Some(Arc::from(why)),
        };
        let steps = match self.run.internal_steps(state) {
            Ok(steps) => steps,
            Err(StepError::NeedsSolver { switch, why }) => {
                let why: Arc<str> = why.into();
                let node = Node { moves: Moves::Open(switch, why.clone()), ..Node::end(Rest::Open(why)) };
                return Ok((node, Vec::new()));
            }
            Err(error) => return Err(error),
        };
        let moves = steps.first().map_or(Moves::None, |(step, _)| Moves::Some(step.switch, Return::No));
        let mut next: Vec<State> = Vec::with_capacity(steps.len());
        for (_, mut state) in steps {
            self.live.project(self.run.model, &mut state);
            self.weight = self.weight.saturating_add(state.weight());
            next.push(state);
        }
        Ok((Node { moves, doubt, ..Node::end(Rest::Nothing) }, next))
    }
}

impl Node {
    fn end(rest: Rest) -> Node {
        Node { moves: Moves::Active, doubt: None, next: Vec::new(), rest, before: false }
    }

    /// With every node that it leads to once, in order.
    fn in_order(mut self) -> Node {
        self.next.sort_unstable();
        self.next.dedup();
        self
    }
}

impl Graph {
    /// For each state whether it can be reached from itself, and what lies behind it.
    fn returns(&self) -> Vec<(Return, Rest)> {
        let all = components(&self.nodes, &|_| true);
        let sure = components(&self.nodes, &|n| self.nodes[n].doubt.is_none());
        // What lies behind a component counts for all that lead to it. A component comes before those that lead to it.
        let mut behind: Vec<Rest> = vec![Rest::Nothing; all.count];
        for component in &all.members {
            let mut rest = Rest::Nothing;
            for &n in component {
                rest = rest.or(&self.nodes[n].rest);
                for &m in &self.nodes[n].next {
                    rest = rest.or(&behind[all.of[m]]);
                }
            }
            behind[all.of[component[0]]] = rest;
        }
        let doubts: Vec<Option<Arc<str>>> =
            all.members.iter().map(|c| c.iter().find_map(|n| self.nodes[*n].doubt.clone())).collect();
        let returns = |n: usize| match &behind[all.of[n]] {
            _ if sure.cyclic[sure.of[n]] => Return::Yes,
            Rest::Undefined(error) => Return::Undefined(error.clone()),
            Rest::Open(why) => Return::Open(why.clone()),
            Rest::Nothing => match &doubts[all.of[n]] {
                Some(why) if all.cyclic[all.of[n]] => Return::Open(why.clone()),
                _ => Return::No,
            },
        };
        (0..self.nodes.len()).map(|n| (returns(n), behind[all.of[n]].clone())).collect()
    }
}

impl Rest {
    /// A model error weighs more than what is open, and that more than nothing.
    fn or(self, other: &Rest) -> Rest {
        match (&self, other) {
            (Rest::Undefined(_), _) | (Rest::Open(_), Rest::Nothing | Rest::Open(_)) => self,
            _ => other.clone(),
        }
    }
}

/// Strongly connected components of a part of the graph.
struct Components {
    /// The component of each node; a node that does not belong to the part is one of its own.
    of: Vec<usize>,
    /// Whether a component has a cycle.
    cyclic: Vec<bool>,
    /// The nodes of each component, those first that others lead to.
    members: Vec<Vec<usize>>,
    count: usize,
}

/// Tarjan's algorithm, without recursion.
fn components(nodes: &[Node], belongs: &dyn Fn(usize) -> bool) -> Components {
    const NEW: usize = usize::MAX;
    let mut order = vec![NEW; nodes.len()];
    let mut low = vec![0; nodes.len()];
    let mut of = vec![NEW; nodes.len()];
    let (mut cyclic, mut members): (Vec<bool>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let (mut open, mut calls): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let mut count = 0;
    for root in 0..nodes.len() {
        if order[root] == NEW {
            calls.push((root, 0));
        }
        while let Some((n, edge)) = calls.pop() {
            if edge == 0 {
                order[n] = count;
                low[n] = count;
                count += 1;
                open.push(n);
            } else {
                // Back from a successor.
                let m = nodes[n].next[edge - 1];
                low[n] = low[n].min(low[m]);
            }
            let mut next = edge;
            let mut deeper = None;
            while let Some(&m) = nodes[n].next.get(next).filter(|_| belongs(n)) {
                next += 1;
                if !belongs(m) {
                    continue;
                }
                if order[m] == NEW {
                    deeper = Some(m);
                    break;
                }
                if of[m] == NEW {
                    low[n] = low[n].min(order[m]);
                }
            }
            if let Some(m) = deeper {
                calls.push((n, next));
                calls.push((m, 0));
                continue;
            }
            if low[n] == order[n] {
                let mut component = Vec::new();
                while let Some(m) = open.pop() {
                    of[m] = members.len();
                    component.push(m);
                    if m == n {
                        break;
                    }
                }
                let loops = belongs(n) && nodes[n].next.contains(&n);
                cyclic.push(component.len() > 1 || loops);
                members.push(component);
            }
        }
    }
    Components { of, cyclic, count: members.len(), members }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[usize]]) -> Vec<Node> {
        edges.iter().map(|next| Node { next: next.to_vec(), ..Node::end(Rest::Nothing) }).collect()
    }

    /// Against reachability by brute force, on random graphs.
    #[test]
    #[allow(clippy::needless_range_loop)]
    fn components_are_what_reaches_each_other() {
        let mut seed = 7u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for round in 0..500 {
            let size = 1 + below(7) as usize;
            let edges: Vec<Vec<usize>> =
                (0..size).map(|_| (0..below(4)).map(|_| below(size as u64) as usize).collect()).collect();
            let outside = below(size as u64 + 1) as usize;
            let belongs = |n: usize| n != outside;
            let slices: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
            let found = components(&graph(&slices), &belongs);
            let mut reach = vec![vec![false; size]; size];
            for _ in 0..size {
                for a in 0..size {
                    for &b in edges[a].iter().filter(|b| belongs(a) && belongs(**b)) {
                        reach[a][b] = true;
                        for c in 0..size {
                            reach[a][c] = reach[a][c] || reach[b][c];
                        }
                    }
                }
            }
            for a in 0..size {
                assert_eq!(found.cyclic[found.of[a]], reach[a][a], "round {round}: {edges:?}, {a}");
                for b in 0..size {
                    let together = a == b || (reach[a][b] && reach[b][a]);
                    assert_eq!(found.of[a] == found.of[b], together, "round {round}: {edges:?}");
                    // What is led to comes first.
                    assert!(!reach[a][b] || found.of[b] <= found.of[a], "round {round}: {edges:?}");
                }
            }
        }
    }
}
