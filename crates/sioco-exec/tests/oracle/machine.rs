//! Implementations: explicit machines that take every input, and the relation ioco between them and specifications.
//!
//! A machine is what a tester can see of an implementation: silence is a move of its own. It leads to a node that stays
//! silent, and as it is, until the next input, since a system that was seen to be silent is.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::lts::{Act, Lts, Set};
use super::rng::Rng;

/// A node of a [`Machine`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// Outputs and silence, with where they lead; at least one.
    pub moves: Vec<(Act, usize)>,
    /// Where each input leads: at least one node for every input.
    pub inputs: BTreeMap<Act, Vec<usize>>,
}

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    pub initial: usize,
    pub nodes: Vec<Node>,
}

/// Specifications with more different sets of states are not played, nor those whose sets have more states in all.
const MOST: usize = 200;
const MOST_STATES: usize = 3_000;
/// As many states are looked at to find out whether a machine conforms.
const MOST_SEEN: usize = 100_000;

impl Machine {
    /// A model played as an implementation: it keeps all states that it may be in and does whatever one of them may do;
    /// inputs that none of them specifies are ignored (T-E6). Nothing if it has too many nodes.
    pub fn play(lts: &Lts) -> Option<Machine> {
        Some(Player::of(lts)?.machine())
    }

    /// A conforming implementation of a specification, one of many: it makes some of the choices that the specification
    /// leaves open, now so and then so, and does anything after inputs that are not specified.
    pub fn conforming(lts: &Lts, rng: &mut Rng) -> Option<Machine> {
        let player = Player::of(lts)?;
        let plain = player.machine();
        let size = plain.nodes.len();
        let copies = 1 + rng.below(3);
        let chaos = copies * size;
        let mut nodes = Vec::new();
        for _ in 0..copies {
            for (n, node) in plain.nodes.iter().enumerate() {
                let keep = *rng.pick(&[30, 60, 100]);
                let sure = rng.below(node.moves.len());
                let mut moves = Vec::new();
                for (i, (act, target)) in node.moves.iter().enumerate() {
                    if i == sure || rng.chance(keep) {
                        let stays = *act == Act::Delta && *target == n;
                        moves.push((*act, if stays { nodes.len() } else { target + size * rng.below(copies) }));
                    }
                }
                let mut inputs = BTreeMap::new();
                for (input, targets) in &node.inputs {
                    let copy = |t: usize, rng: &mut Rng| t + size * rng.below(copies);
                    let to = if lts.takes(&player.sets[n].0, *input) {
                        targets.iter().map(|t| copy(*t, rng)).collect()
                    } else {
                        match rng.below(4) {
                            0 => vec![chaos],
                            1 => vec![rng.below(copies * size)],
                            2 => vec![rng.below(copies * size), chaos],
                            _ => targets.iter().map(|t| copy(*t, rng)).collect(),
                        }
                    };
                    inputs.insert(*input, to);
                }
                nodes.push(Node { moves, inputs });
            }
        }
        let mute = chaos + 1;
        let inputs: BTreeMap<Act, Vec<usize>> = lts.inputs.iter().map(|i| (*i, vec![chaos])).collect();
        let mut moves: Vec<(Act, usize)> = lts.outputs.iter().map(|o| (*o, chaos)).collect();
        moves.push((Act::Delta, mute));
        nodes.push(Node { moves, inputs: inputs.clone() });
        nodes.push(Node { moves: vec![(Act::Delta, mute)], inputs });
        let machine = Machine { initial: plain.initial + size * rng.below(copies), nodes };
        machine.assert_sane(lts);
        Some(machine)
    }

    /// Changes something in the machine itself, in a way that a model may not be able to.
    pub fn tamper(&mut self, lts: &Lts, rng: &mut Rng) {
        let size = self.nodes.len();
        let at = rng.below(size);
        let other = rng.below(size);
        let silent = |n: &Node| n.moves.iter().all(|(a, _)| *a == Act::Delta);
        let stays_silent = silent(&self.nodes[at]);
        match rng.below(5) {
            // An output more.
            0 if !lts.outputs.is_empty() && !stays_silent => {
                let output = *rng.pick(&lts.outputs);
                self.nodes[at].moves.push((output, other));
            }
            // An output less.
            1 if self.nodes[at].moves.len() > 1 => {
                let gone = rng.below(self.nodes[at].moves.len());
                self.nodes[at].moves.remove(gone);
            }
            // Silence instead.
            2 if !stays_silent => {
                let mute = Node { moves: vec![(Act::Delta, size)], inputs: self.nodes[at].inputs.clone() };
                self.nodes[at].moves = vec![(Act::Delta, size)];
                self.nodes.push(mute);
            }
            // An output goes elsewhere.
            3 if !stays_silent => {
                let place = rng.below(self.nodes[at].moves.len());
                if self.nodes[at].moves[place].0 != Act::Delta {
                    self.nodes[at].moves[place].1 = other;
                }
            }
            // An input goes elsewhere.
            _ if !lts.inputs.is_empty() => {
                let input = *rng.pick(&lts.inputs);
                self.nodes[at].inputs.insert(input, vec![other]);
            }
            _ => {}
        }
        self.assert_sane(lts);
    }

    /// What holds of every implementation: it takes every input, does something or is silent, and silence lasts.
    fn assert_sane(&self, lts: &Lts) {
        for node in &self.nodes {
            assert!(!node.moves.is_empty(), "a node does something, or is silent");
            assert!(lts.inputs.iter().all(|i| node.inputs.get(i).is_some_and(|t| !t.is_empty())), "takes all inputs");
            for (act, to) in &node.moves {
                let lasting = || self.nodes[*to].moves == [(Act::Delta, *to)];
                assert!(*act != Act::Delta || lasting(), "silence lasts until the next input");
            }
        }
    }

    /// Whether the machine conforms to the specification: for every suspension trace of the specification, whatever it
    /// gives after the trace is allowed. Otherwise a shortest trace that ends with what is not. Nothing if there is too much
    /// to look at.
    pub fn ioco(&self, lts: &Lts) -> Option<Result<(), Vec<Act>>> {
        let mut states = 0;
        let mut seen: BTreeSet<(usize, Set)> = BTreeSet::new();
        let mut todo: VecDeque<(usize, Set, Vec<Act>)> = VecDeque::new();
        seen.insert((self.initial, lts.start()));
        todo.push_back((self.initial, lts.start(), Vec::new()));
        while let Some((node, set, trace)) = todo.pop_front() {
            let allowed = lts.out(&set);
            let inputs = self.nodes[node].inputs.iter().flat_map(|(i, targets)| targets.iter().map(|t| (*i, *t)));
            for (act, next) in self.nodes[node].moves.iter().copied().chain(inputs) {
                let longer = [&trace[..], &[act]].concat();
                let is_input = matches!(act, Act::In(..));
                if is_input && !lts.takes(&set, act) {
                    continue;
                }
                if !is_input && !allowed.contains(&act) {
                    return Some(Err(longer));
                }
                let after = lts.after(&set, act);
                states += after.len();
                if states > MOST_SEEN {
                    return None;
                }
                if seen.insert((next, after.clone())) {
                    todo.push_back((next, after, longer));
                }
            }
        }
        Some(Ok(()))
    }
}

/// The sets of states that a played model can be in, each perhaps after silence.
struct Player<'l> {
    lts: &'l Lts,
    sets: Vec<(Set, bool)>,
}

impl<'l> Player<'l> {
    fn of(lts: &'l Lts) -> Option<Player<'l>> {
        let mut player = Player { lts, sets: vec![(lts.start(), false)] };
        let mut done = 0;
        while done < player.sets.len() {
            for (_, to) in player.successors(done) {
                if !player.sets.contains(&to) {
                    player.sets.push(to);
                }
            }
            done += 1;
            let states: usize = player.sets.iter().map(|(set, _)| set.len()).sum();
            if player.sets.len() > MOST || states > MOST_STATES {
                return None;
            }
        }
        Some(player)
    }

    fn successors(&self, at: usize) -> Vec<(Act, (Set, bool))> {
        let (set, silent) = &self.sets[at];
        let mut found = Vec::new();
        for act in self.lts.out(set) {
            if act == Act::Delta || !silent {
                found.push((act, (self.lts.after(set, act), act == Act::Delta)));
            }
        }
        for input in &self.lts.inputs {
            let takes = self.lts.takes(set, *input);
            found.push((*input, if takes { (self.lts.after(set, *input), false) } else { self.sets[at].clone() }));
        }
        found
    }

    fn machine(&self) -> Machine {
        let mut nodes = Vec::new();
        for at in 0..self.sets.len() {
            let mut node = Node::default();
            for (act, to) in self.successors(at) {
                let to = self.sets.iter().position(|s| *s == to).expect("all sets were found");
                match act {
                    Act::In(..) => node.inputs.entry(act).or_default().push(to),
                    _ => node.moves.push((act, to)),
                }
            }
            nodes.push(node);
        }
        let machine = Machine { initial: 0, nodes };
        machine.assert_sane(self.lts);
        machine
    }
}
