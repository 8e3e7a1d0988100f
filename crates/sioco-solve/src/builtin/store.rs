//! The interval store: bounds of variables with a trail, and the stack of constraints that are in force.
//!
//! Bounds are 64-bit numbers that only ever say too little: `i64::MIN` as a lower bound and `i64::MAX` as an upper
//! bound mean "none", and a bound outside of 64 bits is weakened to the nearest that fits. So a bound is always
//! implied by the constraints, and an empty interval is always a contradiction. Reals have bounds of their own; see
//! `interval`.

use std::sync::Arc;

use super::constraint::{All, Constraint};
use super::interval::{End, Interval};
use super::linear::{Relation, Var};

/// No lower bound.
pub(crate) const NO_LO: i64 = i64::MIN;
/// No upper bound.
pub(crate) const NO_HI: i64 = i64::MAX;
/// A reason that is none: a decision of the search.
pub(crate) const DECISION: u32 = u32::MAX;

/// The owner of definitions of helpers: no conjunct.
pub(crate) const NO_OWNER: u32 = u32::MAX;

/// Which bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Lo,
    Hi,
}

/// A bound that was tightened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tightened {
    pub var: Var,
    pub side: Side,
    /// The bound before; that of a real is elsewhere.
    pub old: i64,
    /// The constraint that did it, or [`DECISION`].
    pub reason: u32,
}

/// A constraint in force.
#[derive(Clone, Debug)]
pub(crate) struct Active {
    pub constraint: Arc<Constraint>,
    /// The conjunct that it belongs to.
    pub owner: u32,
    /// The disjunction that it is the last possible alternative of, or [`DECISION`].
    pub by: u32,
    /// The helper that it defines, or [`DECISION`].
    pub defines: Var,
    /// Whether this disjunction has come down to one alternative, which is in force.
    pub fired: bool,
}

/// A contradiction: the constraint that found it, and a bound that it ran into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub constraint: u32,
    pub bound: Option<(Var, Side)>,
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub trail: usize,
    pub active: usize,
}

/// How propagation ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// Nothing more follows.
    Fixpoint,
    /// The limit of work was reached; the bounds are right, but more might follow.
    Stopped,
    /// There is no solution.
    Conflict(Conflict),
}

/// The store.
#[derive(Default)]
pub(crate) struct Store {
    pub lo: Vec<i64>,
    pub hi: Vec<i64>,
    /// Which real a variable is, if it is one; its bounds, and those of before for the entries of the trail.
    pub(super) real_of: Vec<u32>,
    pub(super) reals: Vec<Interval>,
    pub(super) old_ends: Vec<Option<End>>,
    /// How many constraints in force have reals in them.
    pub real_rows: usize,
    /// The constraints in force that each variable occurs in, in the order of the stack.
    pub occurs: Vec<Vec<u32>>,
    pub trail: Vec<Tightened>,
    pub active: Vec<Active>,
    /// Per variable: whether it is a helper whose definition is in force.
    defined: Vec<bool>,
    queue: std::collections::VecDeque<u32>,
    queued: Vec<bool>,
    /// Work done, in visits of constraints.
    pub work: u64,
}

impl Store {
    /// Adds variables with their first bounds; some of them are reals.
    pub fn grow(&mut self, bounds: &[(i64, i64)], reals: &[(Var, Interval)]) {
        for (lo, hi) in &bounds[self.lo.len()..] {
            self.lo.push(*lo);
            self.hi.push(*hi);
            self.occurs.push(Vec::new());
            self.defined.push(false);
        }
        if self.real_of.len() < self.lo.len() {
            self.grow_reals(reals);
        }
    }

    pub fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), active: self.active.len() }
    }

    /// Goes back to a mark; what was still to be propagated is dropped.
    pub fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail {
            let Some(t) = self.trail.pop() else { break };
            if self.interval(t.var).is_some() {
                self.restore(t);
                continue;
            }
            match t.side {
                Side::Lo => self.lo[t.var as usize] = t.old,
                Side::Hi => self.hi[t.var as usize] = t.old,
            }
        }
        self.clear_queue();
        while self.active.len() > mark.active {
            let Some(last) = self.active.pop() else { break };
            self.queued.pop();
            self.real_rows -= usize::from(matches!(*last.constraint, Constraint::Real { .. }));
            last.constraint.vars(&mut |v| {
                self.occurs[v as usize].pop();
            });
            if last.defines != DECISION {
                self.defined[last.defines as usize] = false;
            }
            if last.by != DECISION {
                self.active[last.by as usize].fired = false;
            }
        }
    }

    pub fn clear_queue(&mut self) {
        while let Some(c) = self.queue.pop_front() {
            self.queued[c as usize] = false;
        }
    }

    pub fn is_settled(&self) -> bool {
        self.queue.is_empty()
    }

    /// Puts a constraint in force, to be propagated.
    pub fn activate(&mut self, constraint: &Arc<Constraint>, owner: u32, by: u32) {
        let id = self.active.len() as u32;
        constraint.vars(&mut |v| self.occurs[v as usize].push(id));
        self.real_rows += usize::from(matches!(**constraint, Constraint::Real { .. }));
        self.active.push(Active { constraint: Arc::clone(constraint), owner, by, fired: false, defines: DECISION });
        self.queued.push(true);
        self.queue.push_back(id);
    }

    /// Puts the definitions of the helpers of a constraint in force, which are not conditions on anything else.
    pub fn define(&mut self, constraint: &Constraint, definitions: &[Option<Arc<Constraint>>]) {
        let mut missing = Vec::new();
        constraint.vars(&mut |v| {
            if definitions[v as usize].is_some() && !self.defined[v as usize] {
                missing.push(v);
            }
        });
        for v in missing {
            if let Some(definition) = &definitions[v as usize]
                && !std::mem::replace(&mut self.defined[v as usize], true)
            {
                self.define(definition, definitions);
                self.activate(definition, NO_OWNER, DECISION);
                if let Some(last) = self.active.last_mut() {
                    last.defines = v;
                }
            }
        }
    }

    pub fn is_fixed(&self, var: Var) -> bool {
        let (lo, hi) = (self.lo[var as usize], self.hi[var as usize]);
        lo == hi && lo != NO_LO && hi != NO_HI
    }

    pub(super) fn enqueue(&mut self, id: u32) {
        if !std::mem::replace(&mut self.queued[id as usize], true) {
            self.queue.push_back(id);
        }
    }

    pub(super) fn wake(&mut self, var: Var, except: u32) {
        for i in 0..self.occurs[var as usize].len() {
            let c = self.occurs[var as usize][i];
            if c != except && !self.queued[c as usize] {
                self.queued[c as usize] = true;
                self.queue.push_back(c);
            }
        }
    }

    /// Tightens a lower bound; whether that changed anything.
    pub fn raise(&mut self, var: Var, bound: i128, reason: u32) -> Result<bool, Conflict> {
        let v = var as usize;
        if bound <= i128::from(self.lo[v]) {
            return Ok(false);
        }
        let new = i64::try_from(bound).unwrap_or(i64::MAX);
        if new == self.lo[v] {
            return Ok(false);
        }
        self.trail.push(Tightened { var, side: Side::Lo, old: self.lo[v], reason });
        self.lo[v] = new;
        if new > self.hi[v] {
            return Err(Conflict { constraint: reason, bound: Some((var, Side::Hi)) });
        }
        self.wake(var, reason);
        Ok(true)
    }

    /// Tightens an upper bound; whether that changed anything.
    pub fn lower(&mut self, var: Var, bound: i128, reason: u32) -> Result<bool, Conflict> {
        let v = var as usize;
        if bound >= i128::from(self.hi[v]) {
            return Ok(false);
        }
        let new = i64::try_from(bound).unwrap_or(i64::MIN);
        if new == self.hi[v] {
            return Ok(false);
        }
        self.trail.push(Tightened { var, side: Side::Hi, old: self.hi[v], reason });
        self.hi[v] = new;
        if new < self.lo[v] {
            return Err(Conflict { constraint: reason, bound: Some((var, Side::Lo)) });
        }
        self.wake(var, reason);
        Ok(true)
    }

    /// Propagates until nothing more follows, or for so much work.
    pub fn propagate(&mut self, limit: u64) -> Outcome {
        let end = self.work.saturating_add(limit);
        while let Some(id) = self.queue.pop_front() {
            self.queued[id as usize] = false;
            if self.work >= end {
                self.clear_queue();
                return Outcome::Stopped;
            }
            self.work += 1;
            let constraint = Arc::clone(&self.active[id as usize].constraint);
            let result = match &*constraint {
                Constraint::Linear { relation: Relation::Le, terms, k } => self.at_most(terms, *k, 1, id).map(|_| ()),
                Constraint::Linear { relation: Relation::Eq, terms, k } => self.equal(terms, *k, id),
                Constraint::Linear { relation: Relation::Ne, terms, k } => self.different(terms, *k, id),
                Constraint::Any { alternatives, .. } => self.one_of(alternatives, id),
                Constraint::Real { compare, terms, k } => self.propagate_real(*compare, terms, *k, id),
            };
            if let Err(conflict) = result {
                self.clear_queue();
                return Outcome::Conflict(conflict);
            }
        }
        Outcome::Fixpoint
    }

    fn equal(&mut self, terms: &[(Var, i64)], k: i128, id: u32) -> Result<(), Conflict> {
        self.at_most(terms, k, 1, id)?;
        if self.at_most(terms, -k, -1, id)? && terms.len() > 1 && !self.queued[id as usize] {
            // The second half may have made room for the first.
            self.queued[id as usize] = true;
            self.queue.push_back(id);
        }
        Ok(())
    }

    /// The least value of a coefficient times a variable, if there is one.
    fn least(&self, var: Var, c: i64) -> Option<i128> {
        let bound = if c > 0 { self.lo[var as usize] } else { self.hi[var as usize] };
        let none = if c > 0 { NO_LO } else { NO_HI };
        (bound != none).then(|| i128::from(c) * i128::from(bound))
    }

    /// `sign * sum <= k`: each variable gets what the least values of the others leave.
    fn at_most(&mut self, terms: &[(Var, i64)], k: i128, sign: i64, id: u32) -> Result<bool, Conflict> {
        let mut slack = k;
        let mut open = None;
        for (i, (v, c)) in terms.iter().enumerate() {
            match self.least(*v, c * sign) {
                Some(least) => slack -= least,
                None if open.is_some() => return Ok(false),
                None => open = Some(i),
            }
        }
        let mut changed = false;
        if let Some(i) = open {
            let (v, c) = (terms[i].0, terms[i].1 * sign);
            return if c > 0 {
                self.lower(v, slack.div_euclid(i128::from(c)), id)
            } else {
                // c * v <= slack, c negative: v >= slack / c, rounded up.
                self.raise(v, -slack.div_euclid(-i128::from(c)), id)
            };
        }
        if slack < 0 {
            return Err(Conflict { constraint: id, bound: None });
        }
        for (v, c) in terms {
            let (c, i) = (c * sign, *v as usize);
            let (lo, hi) = (self.lo[i], self.hi[i]);
            if c > 0 {
                if hi == NO_HI || (i128::from(hi) - i128::from(lo)) * i128::from(c) > slack {
                    let room = if c == 1 { slack } else { slack / i128::from(c) };
                    changed |= self.lower(*v, i128::from(lo) + room, id)?;
                }
            } else if lo == NO_LO || (i128::from(hi) - i128::from(lo)) * -i128::from(c) > slack {
                let room = if c == -1 { slack } else { slack / -i128::from(c) };
                changed |= self.raise(*v, i128::from(hi) - room, id)?;
            }
        }
        Ok(changed)
    }

    /// `sum != k`: cuts an end off the last open variable.
    fn different(&mut self, terms: &[(Var, i64)], k: i128, id: u32) -> Result<(), Conflict> {
        let mut rest = k;
        let mut open = None;
        for (v, c) in terms {
            if self.is_fixed(*v) {
                rest -= i128::from(*c) * i128::from(self.lo[*v as usize]);
            } else if open.is_some() {
                return Ok(());
            } else {
                open = Some((*v, i128::from(*c)));
            }
        }
        let Some((v, c)) = open else {
            return if rest == 0 { Err(Conflict { constraint: id, bound: None }) } else { Ok(()) };
        };
        if rest % c != 0 {
            return Ok(());
        }
        let hole = rest / c;
        if hole == i128::from(self.lo[v as usize]) && self.lo[v as usize] != NO_LO {
            self.raise(v, hole + 1, id)?;
        } else if hole == i128::from(self.hi[v as usize]) && self.hi[v as usize] != NO_HI {
            self.lower(v, hole - 1, id)?;
        }
        Ok(())
    }

    /// A disjunction: with one alternative left, that one is in force.
    fn one_of(&mut self, alternatives: &[All], id: u32) -> Result<(), Conflict> {
        if self.active[id as usize].fired {
            return Ok(());
        }
        let mut left = None;
        for a in alternatives {
            self.work += 1;
            if a.iter().any(|c| self.is_false(c)) {
                continue;
            }
            if left.is_some() {
                return Ok(());
            }
            left = Some(a);
        }
        let Some(left) = left else { return Err(Conflict { constraint: id, bound: None }) };
        let owner = self.active[id as usize].owner;
        for c in left {
            self.activate(c, owner, id);
            self.active[id as usize].fired = true;
        }
        Ok(())
    }

    /// Least and greatest value of a sum; `None` where there is none.
    fn range(&self, terms: &[(Var, i64)]) -> (Option<i128>, Option<i128>) {
        let (mut least, mut greatest) = (Some(0i128), Some(0i128));
        for (v, c) in terms {
            least = least.zip(self.least(*v, *c)).map(|(a, b)| a + b);
            greatest = greatest.zip(self.least(*v, -*c)).map(|(a, b)| a - b);
        }
        (least, greatest)
    }

    /// Whether the bounds exclude it.
    pub fn is_false(&self, constraint: &Constraint) -> bool {
        match constraint {
            Constraint::Linear { relation, terms, k } => {
                let (least, greatest) = self.range(terms);
                match relation {
                    Relation::Le => least.is_some_and(|l| l > *k),
                    Relation::Eq => least.is_some_and(|l| l > *k) || greatest.is_some_and(|g| g < *k),
                    Relation::Ne => terms.iter().all(|t| self.is_fixed(t.0)) && least == Some(*k),
                }
            }
            Constraint::Real { compare, terms, k } => self.is_false_real(*compare, terms, *k),
            Constraint::Any { alternatives, .. } => alternatives.iter().all(|a| a.iter().any(|c| self.is_false(c))),
        }
    }

    /// Whether the bounds imply it.
    pub fn is_true(&self, constraint: &Constraint) -> bool {
        match constraint {
            Constraint::Linear { relation, terms, k } => {
                let (least, greatest) = self.range(terms);
                match relation {
                    Relation::Le => greatest.is_some_and(|g| g <= *k),
                    Relation::Eq => least == Some(*k) && greatest == Some(*k),
                    Relation::Ne => least.is_some_and(|l| l > *k) || greatest.is_some_and(|g| g < *k),
                }
            }
            Constraint::Real { compare, terms, k } => self.is_true_real(*compare, terms, *k),
            Constraint::Any { alternatives, .. } => alternatives.iter().any(|a| a.iter().all(|c| self.is_true(c))),
        }
    }
}
