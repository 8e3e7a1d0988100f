//! In which order a file means its assignments to be executed.
//!
//! RaLib's own loader executes the assignments of a transition at once, on the old values. So does this import,
//! unless the file shows that it means them in order. There are two such signs. First: an assignment reads a register
//! that an earlier one of the same transition has written, and on some way there nothing was assigned to that
//! register before. Executed at once, the assignment would read a value that nobody put there. Second: a transition
//! assigns a register twice. Executed at once, the first of these assignments would be lost. If some assignment would
//! have no effect in order (`x := y; y := x`), the file does not mean them in order.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Automaton;
use super::expr::{Expr, Ref};

/// What the assignments of a transition tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Evidence {
    /// The registers that are assigned.
    pub assigned: Vec<usize>,
    /// Registers that an assignment reads after an earlier one wrote them, and where.
    read: Vec<(usize, usize)>,
    /// A register that is assigned twice, and where for the second time.
    twice: Option<(usize, usize)>,
    /// Whether an assignment has no effect if they are executed in order.
    useless: bool,
}

impl Evidence {
    /// An assignment, with its value as it is written, and as it is if the ones before are executed first.
    pub fn look(&mut self, variable: usize, value: &Expr, in_order: &Expr, before: &FxHashMap<usize, Expr>, at: usize) {
        if self.assigned.contains(&variable) {
            self.twice = self.twice.or(Some((variable, at)));
        }
        self.assigned.push(variable);
        let own = Expr::Ref(Ref::Var(variable));
        self.useless |= *in_order == own && *value != own;
        value.visit(&mut |name| {
            if let Ref::Var(read) = name
                && before.contains_key(&read)
            {
                self.read.push((read, at));
            }
        });
    }
}

/// In which order assignments are executed if nobody says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guess {
    /// As RaLib does.
    AtOnce,
    /// One after the other.
    InOrder(Why),
}

/// Why assignments are not meant at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Why {
    /// The register that would be read before anything is assigned to it, or assigned in vain.
    pub register: usize,
    /// Where.
    pub at: usize,
    /// Whether it would be assigned in vain, since it is assigned again.
    pub twice: bool,
}

/// The order that a file seems to mean; nothing if it makes no difference.
pub(super) fn guess(automaton: &Automaton) -> Option<Guess> {
    let transitions = &automaton.transitions;
    if transitions.iter().all(|t| t.order.read.is_empty()) {
        return None;
    }
    if transitions.iter().any(|t| t.order.useless) {
        return Some(Guess::AtOnce);
    }
    let unassigned = unassigned(automaton);
    let early = transitions.iter().flat_map(|t| t.order.read.iter().map(move |read| (t.from, *read)));
    let mut early = early.filter(|(from, (register, _))| unassigned[*from].contains(register));
    let early = early.next().map(|(_, (register, at))| Why { register, at, twice: false });
    let lost = || transitions.iter().filter(|t| !t.order.read.is_empty()).find_map(|t| t.order.twice);
    let lost = || lost().map(|(register, at)| Why { register, at, twice: true });
    Some(early.or_else(lost).map_or(Guess::AtOnce, Guess::InOrder))
}

/// For each location the registers that nothing was assigned to on some way there.
fn unassigned(automaton: &Automaton) -> Vec<FxHashSet<usize>> {
    let mut found: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); automaton.locations.len()];
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); automaton.locations.len()];
    for (i, t) in automaton.transitions.iter().enumerate() {
        leaving[t.from].push(i);
    }
    found[automaton.initial] = (0..automaton.registers.len()).collect();
    let mut open = vec![automaton.initial];
    while let Some(at) = open.pop() {
        for &i in &leaving[at] {
            let t = &automaton.transitions[i];
            let here: Vec<usize> = found[at].iter().copied().filter(|r| !t.order.assigned.contains(r)).collect();
            let before = found[t.to].len();
            found[t.to].extend(here);
            if found[t.to].len() > before {
                open.push(t.to);
            }
        }
    }
    found
}
