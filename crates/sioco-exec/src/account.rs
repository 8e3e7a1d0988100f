//! Which switches a hypothesis has taken (T-C3): surely, whatever was merged into it, and possibly.

use std::sync::Arc;

use sioco_model::{Id, Model};

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// No numbers, with room for so many.
    pub fn new(size: usize) -> Bits {
        Bits(vec![0; size.div_ceil(64)])
    }

    /// Adds a number.
    #[inline]
    pub fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    /// Whether a number is there.
    #[inline]
    pub fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }

    /// Adds what another set has; says whether anything was new.
    pub fn unite(&mut self, other: &Bits) -> bool {
        let mut changed = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            changed |= *b & !*a != 0;
            *a |= b;
        }
        changed
    }

    /// Removes what another set does not have; says whether anything was removed.
    pub fn intersect(&mut self, other: &Bits) -> bool {
        let mut changed = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            changed |= *a & !*b != 0;
            *a &= b;
        }
        changed
    }
}

/// See the [module](self). Cheap to copy as long as nothing is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account(Arc<Both>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Both {
    surely: Bits,
    /// Nothing as long as it is the same.
    possibly: Option<Bits>,
}

impl Account {
    /// Nothing taken yet.
    pub fn new(switches: usize) -> Account {
        Account(Arc::new(Both { surely: Bits::new(switches), possibly: None }))
    }

    /// A switch was taken.
    #[inline]
    pub fn take(&mut self, switch: usize) {
        if self.0.surely.has(switch) {
            return;
        }
        let both = Arc::make_mut(&mut self.0);
        both.surely.set(switch);
        if let Some(possibly) = &mut both.possibly {
            possibly.set(switch);
        }
    }

    /// What all histories took.
    pub fn surely(&self) -> &Bits {
        &self.0.surely
    }

    /// What some history took.
    pub fn possibly(&self) -> &Bits {
        self.0.possibly.as_ref().unwrap_or(&self.0.surely)
    }

    /// Another history leads to the same state (T-B4). Says whether this changes anything.
    pub fn merge(&mut self, other: &Account) -> bool {
        if Arc::ptr_eq(&self.0, &other.0) || (self.0.possibly.is_none() && self.0 == other.0) {
            return false;
        }
        let both = Arc::make_mut(&mut self.0);
        let mut possibly = both.possibly.take().unwrap_or_else(|| both.surely.clone());
        let grown = possibly.unite(other.possibly());
        let shrunk = both.surely.intersect(other.surely());
        both.possibly = (possibly != both.surely).then_some(possibly);
        grown || shrunk
    }
}

/// For each of something, whether it was surely covered, and whether it was possibly.
pub type Covered = Vec<(bool, bool)>;

/// Which switches and locations were covered; an initial location is if anything was run at all.
pub fn covered(model: &Model, ran: bool, surely: &Bits, possibly: &Bits) -> (Covered, Covered) {
    let switches: Covered = model.switches.ids().map(|s| (surely.has(s.index()), possibly.has(s.index()))).collect();
    let mut locations = vec![(false, false); model.locations.len()];
    for p in model.processes.values() {
        locations[p.initial.index()] = (ran, ran);
    }
    for (id, s) in model.switches.iter() {
        let (sure, possible) = switches[id.index()];
        locations[s.target.index()].0 |= sure;
        locations[s.target.index()].1 |= possible;
    }
    (switches, locations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_took_is_sure_and_what_one_took_possible() {
        let (mut a, mut b) = (Account::new(100), Account::new(100));
        a.take(1);
        a.take(70);
        b.take(70);
        b.take(99);
        assert!(a.merge(&b));
        let sure: Vec<usize> = (0..100).filter(|i| a.surely().has(*i)).collect();
        let possible: Vec<usize> = (0..100).filter(|i| a.possibly().has(*i)).collect();
        assert_eq!((sure, possible), (vec![70], vec![1, 70, 99]));
        assert!(!a.merge(&b), "nothing new");
        a.take(5);
        assert!(a.surely().has(5) && a.possibly().has(5));
        assert!(!b.surely().has(5));
    }
}
