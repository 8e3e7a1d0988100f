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
    /// The variables with a positive and with a negative factor, a bit for each; several may share one.
    plus: u64,
    minus: u64,
    /// It might be false for all values in the bounds.
    fails: bool,
}

/// Whether two inequalities in force clash; their conjuncts are added to the core.
pub(crate) fn clash(store: &mut Store, core: &mut Core) -> bool {
    let (found, work) = first(store, &rows(store));
    store.work += work;
    let Some((a, b, vars)) = found else { return false };
    core.clear();
    core.explain_constraint(store, a);
    core.explain_constraint(store, b);
    core.explain_bounds(store, vars.into_iter());
    true
}

fn rows(store: &Store) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (id, active) in store.active.iter().enumerate().rev() {
        if rows.len() >= MOST {
            break;
        }
        let Constraint::Linear { relation, terms, k } = &*active.constraint else { continue };
        if terms.len() < 2 || *relation == Relation::Ne {
            continue;
        }
        let id = id as u32;
        let (mut plus, mut minus) = (0, 0);
        for (v, c) in terms {
            *if *c > 0 { &mut plus } else { &mut minus } |= 1 << (v % 64);
        }
        let mut add = |sign, k, plus, minus| {
            let row = Row { terms, sign, k, id, plus, minus, fails: false };
            rows.push(Row { fails: may_fail(store, &row), ..row });
        };
        add(1, *k, plus, minus);
        if *relation == Relation::Eq {
            add(-1, -*k, minus, plus);
        }
    }
    rows
}

/// The first pair that clashes, with the variables whose bounds matter, and how many pairs were tried.
///
/// Where no variable has different signs in two rows, the least value of their sum is the sum of their least values,
/// and they clash only if one of them cannot be true by itself. All other pairs are passed over by a look at a few bits.
fn first(store: &Store, rows: &[Row<'_>]) -> (Option<(u32, u32, Vec<Var>)>, u64) {
    let mut work = rows.len() as u64;
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[i + 1..] {
            let cancels = (a.plus & b.minus) | (a.minus & b.plus) != 0;
            if a.id == b.id || !(cancels || a.fails || b.fails) {
                continue;
            }
            work += 1;
            if exceeds(store, a, b) {
                return (Some((a.id, b.id, bounded(a, b))), work);
            }
        }
    }
    (None, work)
}

/// Whether a row might be false for all values in the bounds; also if that is hard to say.
fn may_fail(store: &Store, row: &Row<'_>) -> bool {
    let mut least: i128 = 0;
    for (v, c) in row.terms {
        let c = row.sign * i128::from(*c);
        let bound = if c > 0 { store.lo[*v as usize] } else { store.hi[*v as usize] };
        if bound == NO_LO || bound == NO_HI {
            return false;
        }
        let part = c.checked_mul(i128::from(bound));
        let Some(next) = part.and_then(|part| least.checked_add(part)) else { return true };
        least = next;
    }
    least > row.k
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// All pairs, one by one.
    fn plain(store: &Store, rows: &[Row<'_>]) -> Option<(u32, u32, Vec<Var>)> {
        for (i, a) in rows.iter().enumerate() {
            for b in &rows[i + 1..] {
                if a.id != b.id && exceeds(store, a, b) {
                    return Some((a.id, b.id, bounded(a, b)));
                }
            }
        }
        None
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }
    }

    fn store(random: &mut Random) -> Store {
        let mut store = Store::default();
        let vars = 2 + random.below(12);
        let huge = random.below(10) == 0;
        let bounds = (0..vars).map(|_| {
            let lo = random.below(20) as i64 - 10;
            let hi = lo + random.below(8) as i64;
            match random.below(8) {
                0 => (NO_LO, NO_HI),
                1 => (lo, NO_HI),
                2 => (NO_LO, hi),
                3 if huge => (lo, NO_HI - 1),
                _ => (lo, hi),
            }
        });
        store.grow(&bounds.collect::<Vec<_>>());
        for _ in 0..random.below(120) {
            let relation = [Relation::Le, Relation::Le, Relation::Eq, Relation::Ne][random.below(4) as usize];
            let mut terms = Vec::new();
            for v in 0..vars as Var {
                if random.below(vars) < 3 {
                    let c = 1 + random.below(3) as i64;
                    let c = if huge && random.below(4) == 0 { i64::MAX - c } else { c };
                    terms.push((v, if random.below(2) == 0 { c } else { -c }));
                }
            }
            // Seldom a clash right away, so that there are some late ones as well.
            let k = random.below(300) as i128 - 12;
            store.activate(&Arc::new(Constraint::Linear { relation, terms: terms.into(), k }), 0, 0);
        }
        store
    }

    #[test]
    fn the_same_pair_is_found_as_by_trying_all() {
        let (mut clashes, mut tried, mut all) = (0, 0, 0);
        for seed in 0..3_000 {
            let store = store(&mut Random(seed));
            let rows = rows(&store);
            let (found, work) = first(&store, &rows);
            assert_eq!(found, plain(&store, &rows), "seed {seed}");
            clashes += u64::from(found.is_some());
            if found.is_none() {
                tried += work;
                all += (rows.len() * rows.len().saturating_sub(1) / 2) as u64;
            }
        }
        assert!((300..2_700).contains(&clashes), "{clashes}");
        assert!(tried < all, "{tried} of {all}");
    }
}
