//! Pairs of sums: `a + b + c <= 26 && a + b + c > 26` moves no bound of any variable, so propagation does not see it.
//!
//! Two inequalities can be added up. Where variables cancel out, the least value of the sum under the bounds may be
//! greater than it is allowed to be, and then the two clash. This is looked at once, before a search.

use super::constraint::Constraint;
use super::explain::Core;
use super::linear::{Relation, Var};
use super::store::{NO_HI, NO_LO, Store};

/// With more inequalities than this, the oldest are left out.
const MOST: usize = 96;

/// `sign * terms <= k`.
struct Row<'a> {
    terms: &'a [(Var, i64)],
    sign: i128,
    k: i128,
    id: u32,
}

/// Whether two inequalities in force clash; their conjuncts are added to the core.
pub(crate) fn clash(store: &mut Store, core: &mut Core) -> bool {
    let mut rows = Vec::new();
    for (id, active) in store.active.iter().enumerate().rev() {
        let Constraint::Linear { relation, terms, k } = &*active.constraint else { continue };
        if terms.len() < 2 || *relation == Relation::Ne || rows.len() >= MOST {
            continue;
        }
        let id = id as u32;
        rows.push(Row { terms, sign: 1, k: *k, id });
        if *relation == Relation::Eq {
            rows.push(Row { terms, sign: -1, k: -*k, id });
        }
    }
    let mut work = 0;
    let mut found = None;
    'pairs: for (i, a) in rows.iter().enumerate() {
        for b in &rows[i + 1..] {
            work += 1;
            if a.id != b.id && exceeds(store, a, b) {
                found = Some((a.id, b.id, bounded(a, b)));
                break 'pairs;
            }
        }
    }
    store.work += work / 8;
    let Some((a, b, vars)) = found else { return false };
    core.clear();
    core.explain_constraint(store, a);
    core.explain_constraint(store, b);
    core.explain_bounds(store, vars.into_iter());
    true
}

/// The terms of the sum of two rows whose variables do not cancel out.
fn sum<'a>(a: &'a Row<'_>, b: &'a Row<'_>) -> impl Iterator<Item = (Var, i128)> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        let left = a.terms.get(i);
        let right = b.terms.get(j);
        let (var, c) = match (left, right) {
            (Some(l), Some(r)) if l.0 == r.0 => {
                (i, j) = (i + 1, j + 1);
                (l.0, a.sign * i128::from(l.1) + b.sign * i128::from(r.1))
            }
            (Some(l), r) if r.is_none_or(|r| l.0 < r.0) => {
                i += 1;
                (l.0, a.sign * i128::from(l.1))
            }
            (_, Some(r)) => {
                j += 1;
                (r.0, b.sign * i128::from(r.1))
            }
            _ => return None,
        };
        Some((var, c))
    })
    .filter(|(_, c)| *c != 0)
}

/// Whether the least value of the sum is greater than allowed.
fn exceeds(store: &Store, a: &Row<'_>, b: &Row<'_>) -> bool {
    let mut least: i128 = 0;
    for (v, c) in sum(a, b) {
        let bound = if c > 0 { store.lo[v as usize] } else { store.hi[v as usize] };
        if bound == NO_LO || bound == NO_HI {
            return false;
        }
        let Some(next) = c.checked_mul(i128::from(bound)).and_then(|part| least.checked_add(part)) else {
            return false;
        };
        least = next;
    }
    a.k.checked_add(b.k).is_some_and(|most| least > most)
}

fn bounded(a: &Row<'_>, b: &Row<'_>) -> Vec<Var> {
    sum(a, b).map(|(v, _)| v).collect()
}
