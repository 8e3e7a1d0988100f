//! Conditions over few values, decided by trying them: *sat* with values, *unsat* as a proof.
//!
//! Conditions that share no symbols are solved apart. For each such component, the symbols are
//! [narrowed](sioco_model::semantics::narrow) to the values that the conditions leave; where these can be listed, one
//! symbol after the other is eliminated: all conditions on this symbol become one table without it. A path condition
//! relates symbols of neighbouring steps, so the tables stay small however long the path is. What remains at the
//! end is the answer. The tables also give a witness, or all satisfying valuations ([`Finite::valuations`]).
//!
//! Work is counted. A question that exceeds its limit gets no answer. So an answer depends on the conditions alone, not
//! on earlier questions.

mod compared;
mod component;
mod eliminate;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::{Id, SymbolId, TermId, Value};

use self::component::{Component, Scope, components};
use self::eliminate::Problem;
use crate::query::{Limits, Reason, Terms, Witness};

/// What is known of a component.
#[derive(Clone, Debug)]
enum Known {
    /// It can be true, with these values.
    Sat(Vec<(SymbolId, Value)>),
    Unsat,
    /// That was not found out with so much work.
    Open(u64),
}

/// At most this many answers are kept. When there are more, all are forgotten: it only bounds the memory.
const REMEMBERED: usize = 1 << 14;

/// How many lists of values are kept. A list has some hundred rows at most, so that all of them take some megabytes.
const LISTS: usize = 1 << 10;

/// Some values that were asked for: the terms, the conditions, how many and how much work at most.
type Asked = (Box<[TermId]>, Box<[TermId]>, usize, u64);

/// All values that terms can have together; none if that was not found out.
type Valuations = Option<Arc<Vec<Vec<Value>>>>;

/// See the [module](self).
#[derive(Default)]
pub struct Finite {
    known: FxHashMap<Box<[TermId]>, Known>,
    /// Paths that differ in steps that have nothing to do with the terms ask the same.
    valuations: FxHashMap<Asked, Valuations>,
    scopes: FxHashMap<TermId, Scope>,
    /// Room for the values of all symbols.
    values: Vec<Value>,
}

/// What came of looking at all conditions.
pub(crate) enum Outcome {
    /// They can be true together, with these values of their symbols.
    Sat(Vec<(SymbolId, Value)>),
    /// These cannot.
    Unsat(Vec<TermId>),
    /// These were not decided; the others can be true with these values.
    Open(Vec<TermId>, Vec<(SymbolId, Value)>),
    /// Somebody gave up.
    Stopped(Reason),
}

impl Finite {
    /// Whether the conditions can be true together, with so much work for each component.
    pub(crate) fn decide(&mut self, terms: Terms<'_>, conditions: &[TermId], work: u64, limits: &Limits) -> Outcome {
        self.scopes_of(terms, conditions);
        let (mut open, mut values) = (Vec::new(), Vec::new());
        for component in components(&self.scopes, conditions) {
            if limits.cancelled() {
                return Outcome::Stopped(Reason::Cancelled);
            }
            if limits.is_late() {
                return Outcome::Stopped(Reason::Time);
            }
            match self.component(terms, &component, work) {
                Known::Sat(found) => values.extend(found),
                Known::Unsat => return Outcome::Unsat(component.conditions),
                Known::Open(_) => open.extend(component.conditions),
            }
        }
        if open.is_empty() { Outcome::Sat(values) } else { Outcome::Open(open, values) }
    }

    /// All values that terms can have together where the conditions hold, in order, if these are no more than so many and
    /// that is found out with so much work: evaluations of conditions. Conditions that have nothing to do with the terms
    /// are not looked at. Where a term is undefined, it has no values.
    pub fn valuations(
        &mut self,
        terms: Terms<'_>,
        conditions: &[TermId],
        of: &[TermId],
        most: usize,
        work: u64,
    ) -> Valuations {
        self.scopes_of(terms, conditions);
        self.scopes_of(terms, of);
        let mut wanted: Vec<SymbolId> = of.iter().flat_map(|t| self.scopes[t].symbols.iter().copied()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut related = Component::default();
        for component in components(&self.scopes, conditions) {
            if component.symbols.iter().any(|y| wanted.binary_search(y).is_ok()) {
                related.conditions.extend(component.conditions);
                related.symbols.extend(component.symbols);
            }
        }
        related.symbols.extend(wanted);
        related.symbols.sort_unstable();
        related.symbols.dedup();
        let asked: Asked = (of.into(), related.conditions.as_slice().into(), most, work);
        if let Some(known) = self.valuations.get(&asked) {
            return known.clone();
        }
        self.grow(terms);
        let problem = Problem::new(terms, &mut self.values, &self.scopes, &related, work);
        let found = problem.and_then(|problem| problem.valuations(of, most)).map(Arc::new);
        if self.valuations.len() >= LISTS {
            self.valuations.clear();
        }
        self.valuations.insert(asked, found.clone());
        found
    }

    /// Whether a component can be true.
    fn component(&mut self, terms: Terms<'_>, component: &Component, work: u64) -> Known {
        let mut key = component.conditions.clone();
        key.sort_unstable();
        key.dedup();
        match self.known.get(&key[..]) {
            Some(Known::Open(spent)) if *spent < work => {}
            Some(known) => return known.clone(),
            None => {}
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.grow(terms);
        let problem = Problem::new(terms, &mut self.values, &self.scopes, component, work);
        let known = match problem.map(Problem::solve) {
            Some(Some(Some(values))) => Known::Sat(values),
            Some(Some(None)) => Known::Unsat,
            Some(None) | None => Known::Open(work),
        };
        self.known.insert(key.into(), known.clone());
        known
    }

    fn scopes_of(&mut self, terms: Terms<'_>, conditions: &[TermId]) {
        if self.scopes.len() >= REMEMBERED {
            self.scopes.clear();
        }
        for c in conditions {
            self.scopes.entry(*c).or_insert_with(|| Scope::of(terms, *c));
        }
    }

    fn grow(&mut self, terms: Terms<'_>) {
        for symbol in &terms.symbols.as_slice()[self.values.len().min(terms.symbols.len())..] {
            self.values.push(terms.sorts.default_value(symbol.sort));
        }
    }
}

/// Puts values of symbols into a witness.
pub(crate) fn put(witness: &mut Witness, values: &[(SymbolId, Value)]) {
    for (y, value) in values {
        witness[y.index()] = value.clone();
    }
}
