//! What conjuncts become: linear constraints, and alternatives of conjunctions of them.

use std::sync::Arc;

use super::linear::{Linear, Relation, Var, gcd};
use super::repair::Numbers;
use crate::ratio::Ratio;

/// A conjunction.
pub(crate) type All = Vec<Arc<Constraint>>;

/// A condition on the variables of the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Constraint {
    /// The sum of the terms stands in the relation to `k`.
    Linear { relation: Relation, terms: Box<[(Var, i64)]>, k: i128 },
    /// The sum of the terms, some of which are reals, stands in the relation to `k`.
    Real { compare: Compare, terms: Box<[(Var, i64)]>, k: i128 },
    /// At least one of the conjunctions holds; `vars` are all their variables.
    Any { alternatives: Box<[All]>, vars: Box<[Var]> },
}

/// How a sum with reals in it stands to a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    /// At most.
    Le,
    /// Less.
    Lt,
    /// Equal.
    Eq,
}

impl Compare {
    /// Whether a number stands so to zero.
    pub fn holds(self, n: Ratio) -> bool {
        match self {
            Compare::Le => n <= Ratio::ZERO,
            Compare::Lt => n.is_negative(),
            Compare::Eq => n.is_zero(),
        }
    }
}

/// The constraint that is never true.
pub(crate) fn never() -> Arc<Constraint> {
    Arc::new(Constraint::Linear { relation: Relation::Le, terms: Box::new([]), k: -1 })
}

/// Adds `form relation 0`, with its coefficients divided by their common divisor.
pub(crate) fn linear(form: &Linear, relation: Relation, out: &mut All) {
    let mut k = -form.constant;
    let divisor = form.terms.iter().fold(0, |d, t| gcd(d, t.1));
    if divisor == 0 {
        let holds = match relation {
            Relation::Le => 0 <= k,
            Relation::Eq => k == 0,
            Relation::Ne => k != 0,
        };
        if !holds {
            out.push(never());
        }
        return;
    }
    let divides = k.rem_euclid(i128::from(divisor)) == 0;
    match relation {
        Relation::Eq if !divides => return out.push(never()),
        Relation::Ne if !divides => return,
        _ => k = k.div_euclid(i128::from(divisor)),
    }
    let terms = form.terms.iter().map(|(v, c)| (*v, c / divisor)).collect();
    out.push(Arc::new(Constraint::Linear { relation, terms, k }));
}

/// Adds the disjunction, unless it is true anyway.
pub(crate) fn any(alternatives: Vec<All>, out: &mut All) {
    let mut alternatives: Vec<All> = alternatives.into_iter().filter(|a| !a.iter().any(|c| c.is_never())).collect();
    if alternatives.iter().any(Vec::is_empty) {
        return;
    }
    match alternatives.len() {
        0 => out.push(never()),
        1 => out.append(&mut alternatives[0]),
        _ => {
            let mut vars = Vec::new();
            for c in alternatives.iter().flatten() {
                c.vars(&mut |v| vars.push(v));
            }
            vars.sort_unstable();
            vars.dedup();
            out.push(Arc::new(Constraint::Any { alternatives: alternatives.into(), vars: vars.into() }));
        }
    }
}

impl Constraint {
    fn is_never(&self) -> bool {
        matches!(self, Constraint::Linear { relation: Relation::Le, terms, k } if terms.is_empty() && *k < 0)
    }

    /// Calls `f` for every variable once.
    pub fn vars(&self, f: &mut impl FnMut(Var)) {
        match self {
            Constraint::Linear { terms, .. } | Constraint::Real { terms, .. } => terms.iter().for_each(|t| f(t.0)),
            Constraint::Any { vars, .. } => vars.iter().for_each(|v| f(*v)),
        }
    }

    /// Whether these numbers make it true. Not if that cannot be computed.
    pub fn holds(&self, numbers: &Numbers) -> bool {
        match self {
            Constraint::Linear { relation, terms, k } => {
                let sum: i128 =
                    terms.iter().map(|(v, c)| i128::from(*c) * i128::from(numbers.numbers[*v as usize])).sum();
                match relation {
                    Relation::Le => sum <= *k,
                    Relation::Eq => sum == *k,
                    Relation::Ne => sum != *k,
                }
            }
            Constraint::Real { compare, terms, k } => numbers.excess(terms, *k).is_some_and(|n| compare.holds(n)),
            Constraint::Any { alternatives, .. } => alternatives.iter().any(|a| a.iter().all(|c| c.holds(numbers))),
        }
    }
}
