//! Answers without any other program: bounds propagation, repair of the last solution, and a small search.
//!
//! [`Builtin`] is sound and three-valued. *Sat* is said only with values that `quick` confirms,
//! *unsat* only when propagation and an exhaustive search have proved it, and everything else is *unknown*: no cap on
//! an unbounded integer ever becomes an *unsat*. Linear parts of conjuncts become linear constraints over intervals, of
//! integers or of reals; all other parts are only evaluated. What linear constraints with reals say together is decided
//! exactly.
//!
//! The same calls in the same order give the same answers; the limit of work counts visits of constraints.

mod constraint;
mod difference;
mod equality;
mod explain;
mod interval;
mod linear;
mod model;
mod normal;
mod pairs;
mod place;
mod real;
mod repair;
mod says;
mod scope;
mod search;
mod simplex;
mod store;
mod text;

use std::sync::Arc;

use sioco_model::number::Rational;
use sioco_model::{Id, TermId, Value};

use self::explain::Core;
use self::model::Verdict;
use self::normal::{Normal, Normaliser};
use self::repair::Numbers;
use self::says::Completion;
use self::store::{DECISION, Mark, Outcome, Store};
use crate::query::{Answer, Limits, Reason, Solver, Terms};
use crate::quick::MAX_COMBINATIONS;
use crate::ratio::Ratio;

/// More combinations of values of a quantifier than this are never tried: a fraction of the [work](crate::chain) of a
/// question would go into one condition.
const MOST_COMBINATIONS: u64 = 1 << 14;

/// A conjunct on the stack.
struct Asserted {
    term: TermId,
    normal: Arc<Normal>,
}

/// What a level goes back to.
struct Level {
    mark: Mark,
    conjuncts: usize,
    numbers: usize,
    values: usize,
    confirmed: usize,
    repaired: Mark,
    contradiction: bool,
}

/// The built-in solver.
pub struct Builtin {
    normaliser: Normaliser,
    store: Store,
    core: Core,
    conjuncts: Vec<Asserted>,
    levels: Vec<Level>,
    /// Per symbol: the conjuncts that it occurs in, in the order of the stack.
    uses: Vec<Vec<u32>>,
    completion: Completion,
    numbers: Numbers,
    /// The last values that satisfied something, by symbol, with a log to undo changes.
    values: Vec<Value>,
    value_log: Vec<(u32, Value)>,
    known_places: usize,
    /// How many conjuncts the values are known to satisfy.
    confirmed: usize,
    /// The state of the store that the numbers satisfy.
    repaired: Mark,
    /// Whether the numbers that were found last satisfy all constraints, helpers included.
    numbers_satisfy: bool,
    /// The conjuncts clash; `core` has which.
    contradiction: bool,
    clash: Vec<TermId>,
    /// A symbol has a sort without values.
    uninhabited: bool,
    /// How many combinations of values a quantifier may have to be tried.
    combinations: u64,
}

impl Default for Builtin {
    fn default() -> Self {
        Self::new()
    }
}

impl Builtin {
    /// A solver without conjuncts.
    pub fn new() -> Self {
        Builtin {
            normaliser: Normaliser::default(),
            store: Store::default(),
            core: Core::default(),
            conjuncts: Vec::new(),
            levels: Vec::new(),
            uses: Vec::new(),
            completion: Completion::default(),
            numbers: Numbers::default(),
            values: Vec::new(),
            value_log: Vec::new(),
            known_places: 0,
            confirmed: 0,
            repaired: Mark { trail: 0, active: 0 },
            numbers_satisfy: true,
            contradiction: false,
            clash: Vec::new(),
            uninhabited: false,
            combinations: MAX_COMBINATIONS,
        }
    }

    /// Propagates what is new; whether that is a contradiction.
    fn settle(&mut self, limit: u64) -> bool {
        if self.contradiction || self.store.is_settled() {
            return self.contradiction;
        }
        if let Outcome::Conflict(conflict) = self.store.propagate(limit) {
            self.core.clear();
            self.core.explain(&self.store, conflict);
            self.contradict();
        }
        self.contradiction
    }

    /// The conjuncts in the core clash, on this level and all above it.
    fn contradict(&mut self) {
        self.contradiction = true;
        self.core.owners.sort_unstable();
        self.clash.clear();
        self.clash.extend(self.core.owners.iter().map(|o| self.conjuncts[*o as usize].term));
    }

    /// How much work propagation may do at once: enough for chains through all constraints, not for bounds that creep
    /// towards each other one by one.
    fn allowance(&self) -> u64 {
        1_000 + 8 * self.store.active.len() as u64
    }

    /// Notes what the numbers satisfy, after values were found.
    fn set_repaired(&mut self) {
        self.repaired = if self.numbers_satisfy { self.store.mark() } else { Mark { trail: 0, active: 0 } };
    }

    /// Repairs the numbers and confirms the values; otherwise everything is as before.
    fn try_values(&mut self, terms: Terms<'_>) -> bool {
        self.try_values_from(terms, &[])
    }

    /// The same, beginning with these reals.
    fn try_values_from(&mut self, terms: Terms<'_>, given: &[(linear::Var, Ratio)]) -> bool {
        let log = self.numbers.log.len();
        let found = self.numbers.repair(&mut self.store, self.repaired, given)
            && matches!(self.confirm(terms, log), Verdict::Confirmed);
        if !found {
            self.numbers.undo(log);
        }
        found
    }

    /// Gives new symbols the values that the conjuncts say, and leaves the others as they are.
    fn try_completion(&mut self, terms: Terms<'_>) -> bool {
        if !self.may_complete() {
            return false;
        }
        let log = self.numbers.log.len();
        let found = matches!(self.confirm(terms, log), Verdict::Confirmed);
        if !found {
            self.numbers.undo(log);
        }
        found
    }

    fn sat(&self, want_witness: bool) -> Answer {
        Answer::Sat(want_witness.then(|| self.values.clone()))
    }

    /// How much work it has done.
    pub(crate) fn work(&self) -> u64 {
        self.store.work
    }

    /// Whether the constraints say all of every conjunct: then an answer is a matter of work alone, not of luck with
    /// values.
    pub(crate) fn is_exact(&self) -> bool {
        self.conjuncts.iter().all(|c| c.normal.exact)
    }

    /// The values that were found last, and how many conjuncts, from the first on, they satisfy.
    pub(crate) fn confirmed(&self) -> (&[Value], usize) {
        (&self.values, self.confirmed)
    }

    /// Takes over values that satisfy all conjuncts.
    pub(crate) fn adopt(&mut self, terms: Terms<'_>, witness: &[Value]) {
        self.grow(terms);
        for (i, value) in witness.iter().enumerate() {
            if self.values[i] == *value {
                continue;
            }
            let symbol = sioco_model::SymbolId::from_index(i);
            if let Some(place) = self.normaliser.places.known(symbol) {
                let numbers = &mut self.numbers;
                self.normaliser.places.write(place, value, &mut |var, n| numbers.put(var, n));
            }
            let old = std::mem::replace(&mut self.values[i], value.clone());
            self.value_log.push((i as u32, old));
        }
        self.confirmed = self.conjuncts.len();
        // The helpers were not looked at.
        self.repaired = Mark { trail: 0, active: 0 };
    }

    /// The bounds that are known for a symbol of sort `Int`: least and greatest, `None` where there is none.
    ///
    /// They are implied by the conjuncts; the value itself may be further inside.
    pub fn bounds(&mut self, symbol: sioco_model::SymbolId) -> (Option<i64>, Option<i64>) {
        self.settle(self.allowance());
        let places = &self.normaliser.places;
        match places.known(symbol).and_then(|p| places.places[p as usize].var) {
            Some(v) => {
                let (lo, hi) = (self.store.lo[v as usize], self.store.hi[v as usize]);
                ((lo != store::NO_LO).then_some(lo), (hi != store::NO_HI).then_some(hi))
            }
            None => (None, None),
        }
    }
}

impl Builtin {
    /// The bounds that are known for a symbol of sort `Real`: least and greatest, `None` where there is none, each with
    /// whether it is excluded; nothing where little is known of it at all.
    ///
    /// They are implied by the conjuncts. Where the constraints say all of these and are not too many, the values reach
    /// them, or come as near as one likes.
    pub fn extent(&mut self, terms: Terms<'_>, symbol: sioco_model::SymbolId) -> Option<Extent> {
        self.grow(terms);
        if self.settle(self.allowance()) {
            return None;
        }
        let places = &self.normaliser.places;
        let var = places.known(symbol).and_then(|p| places.places[p as usize].var)?;
        self.store.interval(var)?;
        let limit = self.allowance();
        let interval::Interval { lo, hi } = self.extent_of(var, limit);
        Some([lo, hi].map(|end| end.map(|end| (end.at.rational(), end.open))))
    }
}

/// Two bounds of a real, each with whether it is excluded.
pub type Extent = [Option<(Rational, bool)>; 2];

impl Solver for Builtin {
    fn name(&self) -> String {
        "built-in".into()
    }

    fn push(&mut self) {
        self.settle(self.allowance());
        self.levels.push(Level {
            mark: self.store.mark(),
            conjuncts: self.conjuncts.len(),
            numbers: self.numbers.log.len(),
            values: self.value_log.len(),
            confirmed: self.confirmed,
            repaired: self.repaired,
            contradiction: self.contradiction,
        });
    }

    fn pop(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        self.store.undo(level.mark);
        // Values that satisfied all of the closed level satisfy what is left of it. They are kept if there were none
        // before; otherwise those of before come back, so that questions side by side do not depend on each other.
        if level.confirmed < level.conjuncts && self.confirmed >= level.conjuncts {
            self.confirmed = level.conjuncts;
            let (a, b) = (self.repaired, level.mark);
            self.repaired = Mark { trail: a.trail.min(b.trail), active: a.active.min(b.active) };
            if self.levels.is_empty() {
                self.numbers.forget();
                self.value_log.clear();
            }
        } else {
            self.numbers.undo(level.numbers);
            self.undo_values(level.values);
            self.confirmed = level.confirmed;
            self.repaired = level.repaired;
        }
        self.unhear(level.conjuncts);
        for c in self.conjuncts.drain(level.conjuncts..) {
            for y in &c.normal.symbols {
                self.uses[y.index()].pop();
            }
        }
        self.contradiction = level.contradiction;
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        let normal = self.normaliser.normal(terms, conjunct);
        self.grow(terms);
        let owner = self.conjuncts.len() as u32;
        for c in &normal.constraints {
            self.store.define(c, &self.normaliser.places.definitions);
            self.store.activate(c, owner, DECISION);
        }
        for y in &normal.symbols {
            self.uses[y.index()].push(owner);
        }
        self.conjuncts.push(Asserted { term: conjunct, normal });
        self.hear(terms, owner);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.grow(terms);
        // Who has more patience gets more values tried, as a part of the work.
        self.combinations = (limits.resources / 8).clamp(MAX_COMBINATIONS, MOST_COMBINATIONS);
        if self.contradiction {
            return Answer::Unsat(Some(self.clash.clone()));
        }
        if self.uninhabited {
            return Answer::Unknown(Reason::Undecided("a symbol has a sort without values".into()));
        }
        if self.still_holds(terms) {
            return self.sat(want_witness);
        }
        if self.try_completion(terms) {
            self.set_repaired();
            return self.sat(want_witness);
        }
        if self.settle(self.allowance().min(limits.resources)) {
            return Answer::Unsat(Some(self.clash.clone()));
        }
        if self.try_values(terms) {
            self.set_repaired();
            return self.sat(want_witness);
        }
        match self.search(terms, limits) {
            Ok(true) => {
                self.set_repaired();
                self.sat(want_witness)
            }
            Ok(false) => {
                self.contradict();
                Answer::Unsat(Some(self.clash.clone()))
            }
            Err(reason) => Answer::Unknown(reason),
        }
    }
}
