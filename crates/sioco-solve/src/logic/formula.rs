//! Formulas in negation normal form, and what is known of the terms in them.

use rustc_hash::FxHashMap;
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{BinderId, Id, TermId, Value};

use super::fold::{app, binders};
use super::linear::Known;

/// A formula. Its literals are total terms of sort Bool, so all laws of logic hold for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Formula {
    /// A literal.
    Lit(TermId),
    /// All of them; true if there are none.
    And(Vec<Formula>),
    /// One of them; false if there are none.
    Or(Vec<Formula>),
    /// Values of the binders make the body true; or, negated, none do.
    Exists {
        /// Whether it is negated.
        negated: bool,
        /// The bound variables.
        binders: Vec<BinderId>,
        /// What is asked of them.
        body: Box<Formula>,
    },
}

pub(super) const TRUE: Formula = Formula::And(Vec::new());
pub(super) const FALSE: Formula = Formula::Or(Vec::new());

impl Formula {
    pub fn is_false(&self) -> bool {
        *self == FALSE
    }

    /// How many literals there are.
    pub fn size(&self) -> usize {
        match self {
            Formula::Lit(_) => 1,
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(Formula::size).sum(),
            Formula::Exists { body, .. } => 1 + body.size(),
        }
    }

    /// The conjuncts.
    pub fn conjuncts(self) -> Vec<Formula> {
        match self {
            Formula::And(parts) => parts,
            other => vec![other],
        }
    }
}

/// Conjunction, flattened; repetitions vanish.
pub(super) fn and(parts: Vec<Formula>) -> Formula {
    junction(parts, true)
}

/// Disjunction, flattened; repetitions vanish.
pub(super) fn or(parts: Vec<Formula>) -> Formula {
    junction(parts, false)
}

fn junction(parts: Vec<Formula>, conjunction: bool) -> Formula {
    let mut flat: Vec<Formula> = Vec::with_capacity(parts.len());
    let mut literals = rustc_hash::FxHashSet::default();
    let mut pending: Vec<Formula> = parts.into_iter().rev().collect();
    while let Some(part) = pending.pop() {
        match part {
            Formula::And(inner) if conjunction => pending.extend(inner.into_iter().rev()),
            Formula::Or(inner) if !conjunction => pending.extend(inner.into_iter().rev()),
            Formula::And(inner) if inner.is_empty() => return TRUE,
            Formula::Or(inner) if inner.is_empty() => return FALSE,
            Formula::Lit(t) => {
                if literals.insert(t) {
                    flat.push(Formula::Lit(t));
                }
            }
            other if flat.contains(&other) => {}
            other => flat.push(other),
        }
    }
    match (flat.len(), conjunction) {
        (1, _) => flat.pop().expect("there is one"),
        (_, true) => Formula::And(flat),
        (_, false) => Formula::Or(flat),
    }
}

/// Terms, and what was found out about them.
pub(super) struct Context<'a> {
    pub pool: &'a mut TermPool,
    pub sorts: &'a Sorts,
    free: FxHashMap<TermId, Box<[BinderId]>>,
    has_bound: FxHashMap<TermId, bool>,
    tidied: FxHashMap<TermId, TermId>,
    pub linear: Known,
    /// How many literals may still be made by copying.
    pub fuel: usize,
    /// How many more terms are taken apart: shared terms and nested cases become many parts.
    pub parts: usize,
}

impl<'a> Context<'a> {
    pub fn new(pool: &'a mut TermPool, sorts: &'a Sorts, fuel: usize) -> Self {
        Context {
            pool,
            sorts,
            free: FxHashMap::default(),
            has_bound: FxHashMap::default(),
            tidied: FxHashMap::default(),
            linear: Known::default(),
            fuel,
            parts: fuel.saturating_mul(20).saturating_add(2_000),
        }
    }

    /// Takes from the fuel; `None` if there is not enough.
    pub fn spend(&mut self, literals: usize) -> Option<()> {
        self.fuel = self.fuel.checked_sub(literals)?;
        Some(())
    }

    /// An operation, carried out if possible.
    pub fn app(&mut self, op: Op, args: &[TermId]) -> TermId {
        let sort = match op {
            Op::Not | Op::And | Op::Or | Op::Eq | Op::Lt | Op::Le | Op::Is(_) => self.sorts.bool,
            Op::Len => self.sorts.int,
            _ => self.pool.sort(args[0]),
        };
        app(self.pool, self.sorts, op, args, sort)
    }

    /// The variables that a term uses without binding them.
    pub fn free(&mut self, t: TermId) -> &[BinderId] {
        if !self.free.contains_key(&t) {
            let mut found: Vec<BinderId> = Vec::new();
            match self.pool.get(t).clone() {
                Term::Bound(b, _) => found.push(b),
                Term::App(op, args) => {
                    for arg in &args {
                        found.extend_from_slice(self.free(*arg));
                    }
                    found.sort_unstable();
                    found.dedup();
                    if let Some((first, count)) = op.binders() {
                        found.retain(|b| !binders(first, count).any(|bound| bound == *b));
                    }
                }
                _ => {}
            }
            self.free.insert(t, found.into());
        }
        &self.free[&t]
    }

    /// Whether there are variables of quantifiers in a term, bound in it or not.
    pub fn has_bound(&mut self, t: TermId) -> bool {
        if let Some(known) = self.has_bound.get(&t) {
            return *known;
        }
        let found = match self.pool.get(t).clone() {
            Term::Bound(..) => true,
            Term::App(Op::Exists { .. }, _) => true,
            Term::App(_, args) => args.iter().any(|a| self.has_bound(*a)),
            _ => false,
        };
        self.has_bound.insert(t, found);
        found
    }

    /// Whether a term uses a variable without binding it.
    pub fn uses(&mut self, t: TermId, b: BinderId) -> bool {
        self.free(t).binary_search(&b).is_ok()
    }

    /// Whether a formula uses a variable without binding it.
    pub fn mentions(&mut self, f: &Formula, b: BinderId) -> bool {
        match f {
            Formula::Lit(t) => self.uses(*t, b),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|p| self.mentions(p, b)),
            Formula::Exists { binders, body, .. } => !binders.contains(&b) && self.mentions(body, b),
        }
    }

    /// How deep the deepest literal is.
    pub fn depth(&self, f: &Formula) -> u32 {
        match f {
            Formula::Lit(t) => self.pool.depth(*t),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(|p| self.depth(p)).max().unwrap_or(0),
            Formula::Exists { body, .. } => self.depth(body),
        }
    }

    /// The variables that a formula uses without binding them, in order.
    pub fn variables(&mut self, f: &Formula) -> Vec<BinderId> {
        let mut found = match f {
            Formula::Lit(t) => return self.free(*t).to_vec(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().flat_map(|p| self.variables(p)).collect(),
            Formula::Exists { binders, body, .. } => {
                let mut found = self.variables(body);
                found.retain(|b| !binders.contains(b));
                found
            }
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The negation.
    pub fn negate(&mut self, f: Formula) -> Formula {
        match f {
            Formula::Lit(t) => Formula::Lit(self.negate_literal(t)),
            Formula::And(parts) => Formula::Or(parts.into_iter().map(|p| self.negate(p)).collect()),
            Formula::Or(parts) => Formula::And(parts.into_iter().map(|p| self.negate(p)).collect()),
            Formula::Exists { negated, binders, body } => Formula::Exists { negated: !negated, binders, body },
        }
    }

    /// The negation of a literal; orders are turned around.
    pub fn negate_literal(&mut self, t: TermId) -> TermId {
        match self.pool.get(t) {
            Term::App(op @ (Op::Lt | Op::Le), args) => {
                let (op, args) = (if *op == Op::Lt { Op::Le } else { Op::Lt }, [args[1], args[0]]);
                self.app(op, &args)
            }
            _ => self.pool.not(self.sorts, t),
        }
    }

    /// The formula as a term.
    pub fn term(&mut self, f: &Formula) -> TermId {
        match f {
            Formula::Lit(t) => self.tidy(*t),
            Formula::And(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|p| self.term(p)).collect();
                self.pool.and(self.sorts, &parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|p| self.term(p)).collect();
                self.pool.or(self.sorts, &parts)
            }
            Formula::Exists { negated, binders, body } => {
                let mut t = self.term(body);
                // One operation for each run of neighbours.
                let mut sorted = binders.clone();
                sorted.sort_unstable();
                while let Some(last) = sorted.pop() {
                    let (mut first, mut count) = (last, 1);
                    while sorted.last().is_some_and(|b| b.index() + 1 == first.index()) {
                        first = sorted.pop().expect("there is a last one");
                        count += 1;
                    }
                    t = self.pool.app(Op::Exists { first, count }, &[t], self.sorts.bool);
                }
                if *negated { self.pool.not(self.sorts, t) } else { t }
            }
        }
    }

    /// `if c then a else false` is written `c && a`: nothing separates the two any more.
    fn tidy(&mut self, t: TermId) -> TermId {
        if let Some(known) = self.tidied.get(&t) {
            return *known;
        }
        let result = match self.pool.get(t).clone() {
            Term::App(Op::Ite, args) if self.pool.as_const(args[2]) == Some(&Value::Bool(false)) => {
                let (c, a) = (self.tidy(args[0]), self.tidy(args[1]));
                self.pool.and(self.sorts, &[c, a])
            }
            Term::App(op @ (Op::And | Op::Or | Op::Not), args) => {
                let args: Vec<TermId> = args.iter().map(|a| self.tidy(*a)).collect();
                app(self.pool, self.sorts, op, &args, self.sorts.bool)
            }
            _ => t,
        };
        self.tidied.insert(t, result);
        result
    }
}
