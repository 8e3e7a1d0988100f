//! The search: alternatives of disjunctions first, then halves of intervals, with propagation after every decision.
//!
//! Every decision is exhaustive (one of the alternatives; below or above a point), so a tree whose leaves are all
//! refuted is a proof, also where intervals are unbounded. A leaf that the evaluator rejects is refuted if the numbers
//! of the store determine all values there; otherwise the search is incomplete and says so.

use sioco_model::eval::EvalError;
use sioco_model::{Id, SymbolId};

use super::Builtin;
use super::constraint::Constraint;
use super::difference;
use super::linear::Var;
use super::model::Verdict;
use super::pairs;
use super::scope::Scope;
use super::store::{DECISION, Mark, NO_HI, NO_LO, Outcome};
use crate::query::{Limits, Reason, Terms};
use crate::quick;

/// Symbols with fewer values than this are decided before disjunctions: a value decides all conditions on it, while an
/// alternative decides one.
const FEW: u64 = 16;

/// A decision.
#[derive(Clone, Copy)]
enum Choice {
    /// One alternative of a disjunction in force.
    Clause(u32),
    /// At most the point, or more.
    Split { var: Var, point: i64, low_first: bool },
}

/// A decision with what is left of it.
struct Frame {
    mark: Mark,
    choice: Choice,
    next: usize,
    /// How many conjuncts were known to be true when it was made.
    known: usize,
}

/// What is known at a node of the tree.
enum Node {
    /// Values were found.
    Found,
    /// There are none here.
    Refuted,
    /// It was not found out, and there is nothing left to decide.
    Open,
    /// Decide this next.
    Branch(Choice),
}

impl Builtin {
    /// Whether there are values; the core has what clashes if there are none.
    pub(super) fn search(&mut self, terms: Terms<'_>, limits: &Limits) -> Result<bool, Reason> {
        if pairs::clash(&mut self.store, &mut self.core) || difference::clash(&mut self.store, &mut self.core) {
            return Ok(false);
        }
        let mut scope = self.scope();
        let root = self.store.mark();
        let end = self.store.work.saturating_add(limits.resources);
        let timer = limits.timer();
        self.core.clear();
        let mut frames: Vec<Frame> = Vec::new();
        let mut incomplete = false;
        let result = loop {
            if limits.cancelled() {
                break Err(Reason::Cancelled);
            }
            if self.store.work >= end {
                break Err(Reason::Resources);
            }
            if timer.is_over() {
                break Err(Reason::Time);
            }
            match self.node(terms, &mut scope, &frames, end) {
                Node::Found => break Ok(true),
                Node::Branch(choice) => {
                    frames.push(Frame { mark: self.store.mark(), choice, next: 0, known: scope.known() });
                }
                Node::Refuted => {}
                Node::Open => incomplete = true,
            }
            if !self.next(&mut scope, &mut frames) {
                break if incomplete {
                    Err(Reason::Undecided("some conditions are not linear or not about numbers".into()))
                } else {
                    Ok(false)
                };
            }
        };
        self.store.undo(root);
        result
    }

    /// Goes on to the next half or alternative of the last decision that has one.
    fn next(&mut self, scope: &mut Scope, frames: &mut Vec<Frame>) -> bool {
        while let Some(frame) = frames.last_mut() {
            self.store.undo(frame.mark);
            scope.forget(frame.known);
            let turn = frame.next;
            frame.next += 1;
            match frame.choice {
                Choice::Clause(id) => {
                    let active = &self.store.active[id as usize];
                    let (owner, clause) = (active.owner, std::sync::Arc::clone(&active.constraint));
                    if let Constraint::Any { alternatives, .. } = &*clause
                        && let Some(all) = alternatives.get(turn)
                    {
                        for c in all {
                            self.store.activate(c, owner, DECISION);
                        }
                        return true;
                    }
                    // It may be in force only because of what excludes the alternatives of another one.
                    self.core.explain_constraint(&self.store, id);
                }
                Choice::Split { var, point, low_first } if turn < 2 => {
                    let low = (turn == 0) == low_first;
                    let point = i128::from(point);
                    let result = if low {
                        self.store.lower(var, point, DECISION)
                    } else {
                        self.store.raise(var, point + 1, DECISION)
                    };
                    match result {
                        Ok(_) => return true,
                        Err(conflict) => self.core.explain(&self.store, conflict),
                    }
                    continue;
                }
                Choice::Split { .. } => {}
            }
            frames.pop();
        }
        false
    }

    fn node(&mut self, terms: Terms<'_>, scope: &mut Scope, frames: &[Frame], end: u64) -> Node {
        let limit = self.allowance().min(end.saturating_sub(self.store.work));
        if let Outcome::Conflict(conflict) = self.store.propagate(limit) {
            self.core.explain(&self.store, conflict);
            return Node::Refuted;
        }
        if self.refuted_by_evaluation(terms, scope) {
            return Node::Refuted;
        }
        if self.try_values(terms) {
            return Node::Found;
        }
        match self.look_at_reals(terms, scope, end) {
            Some(true) => return Node::Found,
            Some(false) => return Node::Refuted,
            None => {}
        }
        if self.symbols_are_settled(terms, scope) {
            return if self.try_settled_values(terms, scope) { Node::Found } else { Node::Open };
        }
        if let Some(choice) = self.choose(scope, frames) {
            return Node::Branch(choice);
        }
        Node::Open
    }

    /// Whether one value is left for every symbol that the question is about, so that there is nothing to decide.
    fn symbols_are_settled(&self, terms: Terms<'_>, scope: &Scope) -> bool {
        scope.symbols.iter().all(|y| self.settled(terms, *y))
    }

    /// Whether one value is left for a symbol.
    fn settled(&self, terms: Terms<'_>, symbol: SymbolId) -> bool {
        let places = &self.normaliser.places;
        places.known(symbol).is_some_and(|p| places.is_settled(terms.sorts, &self.store, p))
    }

    /// Takes the values that are left; the helpers are not looked at.
    fn try_settled_values(&mut self, terms: Terms<'_>, scope: &Scope) -> bool {
        let log = self.numbers.log.len();
        for y in &scope.symbols {
            let (places, store, numbers) = (&self.normaliser.places, &self.store, &mut self.numbers);
            if let Some(place) = places.known(*y) {
                places.vars(place, &mut |v| match store.interval(v).map(|i| i.lo) {
                    Some(Some(lo)) => numbers.set_real(v, lo.at),
                    Some(None) => {}
                    None => numbers.set(v, store.lo[v as usize]),
                });
            }
        }
        let found = matches!(self.confirm(terms, log), Verdict::Confirmed);
        self.numbers_satisfy = false;
        if !found {
            self.numbers.undo(log);
        }
        found
    }

    /// Whether a conjunct that the constraints do not say all of is not true for the only values that are left.
    fn refuted_by_evaluation(&mut self, terms: Terms<'_>, scope: &mut Scope) -> bool {
        let everything = self.symbols_are_settled(terms, scope);
        for (i, c) in self.conjuncts.iter().enumerate() {
            if !scope.conjuncts[i] || scope.is_known(i) || (!everything && c.normal.exact) {
                continue;
            }
            let places = &self.normaliser.places;
            if !c.normal.symbols.iter().all(|y| self.settled(terms, *y)) {
                continue;
            }
            let values = scope.values(&self.values);
            for y in &c.normal.symbols {
                if let Some(place) = places.known(*y) {
                    values[y.index()] = places.read(terms.sorts, place, &self.store, &self.values[y.index()]);
                }
            }
            // A quantifier over a domain that is too large to try is no refutation.
            let (result, work) = quick::truth_with_work(terms.pool, terms.sorts, c.term, values, self.combinations);
            self.store.work += work;
            if matches!(result, Ok(true) | Err(EvalError::NeedsSolver(_))) {
                scope.know(i);
                continue;
            }
            let mut vars = Vec::new();
            for place in c.normal.symbols.iter().filter_map(|y| places.known(*y)) {
                places.vars(place, &mut |v| vars.push(v));
            }
            self.core.add(i as u32);
            self.core.explain_bounds(&self.store, vars.into_iter());
            return true;
        }
        false
    }

    /// What to decide next: symbols with few values, then disjunctions, then other symbols, helpers last.
    fn choose(&self, scope: &Scope, frames: &[Frame]) -> Option<Choice> {
        let narrowest = self.narrowest(scope);
        if let Some((false, width, var)) = narrowest
            && width < FEW
        {
            return self.halve(var);
        }
        for (id, active) in self.store.active.iter().enumerate() {
            if active.fired || !matches!(*active.constraint, Constraint::Any { .. }) || !scope.owns(active.owner) {
                continue;
            }
            let decided = frames.iter().any(|f| matches!(f.choice, Choice::Clause(c) if c as usize == id));
            if !decided && !self.store.is_true(&active.constraint) {
                return Some(Choice::Clause(id as u32));
            }
        }
        narrowest.and_then(|(_, _, var)| self.halve(var))
    }

    /// The variable with the fewest values left: whether it is a helper, how many values, and which. Of those with few
    /// values, the ones in new conjuncts come first: once these are settled, so are the new conjuncts, which mostly
    /// decide.
    fn narrowest(&self, scope: &Scope) -> Option<(bool, u64, Var)> {
        let places = &self.normaliser.places;
        let mut best: Option<(bool, bool, bool, u64, Var)> = None;
        for &(var, new) in &scope.vars {
            let (lo, hi) = (self.store.lo[var as usize], self.store.hi[var as usize]);
            let open = lo == NO_LO || hi == NO_HI;
            let helper = places.symbol_of[var as usize].is_none();
            // A number without end that only stands for something else is no use to decide.
            if self.store.is_fixed(var) || places.undivided[var as usize] || (helper && open) {
                continue;
            }
            let width = if open { u64::MAX } else { hi.wrapping_sub(lo) as u64 };
            let few = !helper && width < FEW;
            let key = (helper, !few, few && !new, width, var);
            if best.is_none_or(|b| key < b) && self.split(var).is_some() {
                best = Some(key);
            }
        }
        best.map(|(helper, _, _, width, var)| (helper, width, var))
    }

    fn halve(&self, var: Var) -> Option<Choice> {
        let point = self.split(var)?;
        Some(Choice::Split { var, point, low_first: self.numbers.numbers[var as usize] <= point })
    }

    /// Where to split an interval: in the middle, or far out where it has no end. Both parts are smaller.
    fn split(&self, var: Var) -> Option<i64> {
        let (lo, hi) = (self.store.lo[var as usize], self.store.hi[var as usize]);
        let point = match (lo == NO_LO, hi == NO_HI) {
            (false, false) => (i128::from(lo) + i128::from(hi)).div_euclid(2) as i64,
            (true, true) => 0,
            (false, true) => lo.saturating_add(lo.saturating_abs().max(16)),
            (true, false) => hi.saturating_sub(hi.saturating_abs().max(16)).saturating_sub(1),
        };
        (point >= lo && point < hi && point != NO_LO).then_some(point)
    }
}
