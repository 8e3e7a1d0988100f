//! Pairs of sums: `a + b + c <= 26 && a + b + c > 26` moves no bound of any variable, so propagation does not see it.
//!
//! Two inequalities can be added up, each one or more times. Variables may cancel out in the sum. If the least value of
//! the sum under the bounds is then greater than the allowed maximum, the two inequalities clash. This check runs
//! once, before a search.

use super::constraint::Constraint;
use super::explain::Core;
use super::linear::{Relation, Var};
use super::store::{NO_HI, NO_LO, Store};

/// With more inequalities than this, the oldest are left out: each is combined with all others.
const MOST_INEQUALITIES: usize = 96;

/// An inequality is taken at most this many times: larger factors are of use only for coefficients that people seldom
/// write, and numbers stay small.
const MOST_FACTOR: i128 = 64;

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
        if rows.len() >= MOST_INEQUALITIES {
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
            for times in weights(a, b) {
                work += 1;
                if exceeds(store, a, b, times) {
                    return (Some((a.id, b.id, bounded(a, b, times))), work);
                }
            }
        }
    }
    (None, work)
}

/// The bound at which a factor times a variable is least, if there is one. Bounds that went up and up in vain may be as
/// great as they get, and are bounds all the same.
fn bound(store: &Store, var: Var, factor: i128) -> Option<i64> {
    let (bound, none) = match factor > 0 {
        true => (store.lo[var as usize], NO_LO),
        false => (store.hi[var as usize], NO_HI),
    };
    (bound != none).then_some(bound)
}

/// Whether a row might be false for all values in the bounds; also if that is hard to say.
fn may_fail(store: &Store, row: &Row<'_>) -> bool {
    let mut least: i128 = 0;
    for (v, c) in row.terms {
        let c = row.sign * i128::from(*c);
        let Some(bound) = bound(store, *v, c) else { return false };
        let part = c.checked_mul(i128::from(bound));
        let Some(next) = part.and_then(|part| least.checked_add(part)) else { return true };
        least = next;
    }
    least > row.k
}

/// How many times to take each of two rows: once, and so that a variable cancels out.
fn weights(a: &Row<'_>, b: &Row<'_>) -> Vec<(i128, i128)> {
    let mut found = vec![(1, 1)];
    let mut j = 0;
    for (v, c) in a.terms {
        while b.terms.get(j).is_some_and(|t| t.0 < *v) {
            j += 1;
        }
        let Some((_, d)) = b.terms.get(j).filter(|t| t.0 == *v) else { continue };
        let (c, d) = (a.sign * i128::from(*c), b.sign * i128::from(*d));
        if (c > 0) == (d > 0) {
            continue;
        }
        let (c, d) = (c.abs(), d.abs());
        let divisor = divisor(c, d);
        let times = (d / divisor, c / divisor);
        if times.0 <= MOST_FACTOR && times.1 <= MOST_FACTOR && !found.contains(&times) {
            found.push(times);
        }
    }
    found
}

fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The terms of the sum of two rows, each taken so many times, whose variables do not cancel out.
fn sum<'a>(a: &'a Row<'_>, b: &'a Row<'_>, times: (i128, i128)) -> impl Iterator<Item = (Var, i128)> + 'a {
    let (mut i, mut j) = (0, 0);
    let (of_a, of_b) = (a.sign * times.0, b.sign * times.1);
    std::iter::from_fn(move || {
        let left = a.terms.get(i);
        let right = b.terms.get(j);
        let (var, c) = match (left, right) {
            (Some(l), Some(r)) if l.0 == r.0 => {
                (i, j) = (i + 1, j + 1);
                (l.0, of_a * i128::from(l.1) + of_b * i128::from(r.1))
            }
            (Some(l), r) if r.is_none_or(|r| l.0 < r.0) => {
                i += 1;
                (l.0, of_a * i128::from(l.1))
            }
            (_, Some(r)) => {
                j += 1;
                (r.0, of_b * i128::from(r.1))
            }
            _ => return None,
        };
        Some((var, c))
    })
    .filter(|(_, c)| *c != 0)
}

/// Whether the least value of the sum is greater than allowed.
fn exceeds(store: &Store, a: &Row<'_>, b: &Row<'_>, times: (i128, i128)) -> bool {
    let mut least: i128 = 0;
    for (v, c) in sum(a, b, times) {
        let Some(bound) = bound(store, v, c) else { return false };
        let Some(next) = c.checked_mul(i128::from(bound)).and_then(|part| least.checked_add(part)) else {
            return false;
        };
        least = next;
    }
    let most = a.k.checked_mul(times.0).zip(b.k.checked_mul(times.1)).and_then(|(a, b)| a.checked_add(b));
    most.is_some_and(|most| least > most)
}

fn bounded(a: &Row<'_>, b: &Row<'_>, times: (i128, i128)) -> Vec<Var> {
    sum(a, b, times).map(|(v, _)| v).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// All pairs, one by one.
    fn plain(store: &Store, rows: &[Row<'_>]) -> Option<(u32, u32, Vec<Var>)> {
        for (i, a) in rows.iter().enumerate() {
            for b in &rows[i + 1..] {
                let clashing = weights(a, b).into_iter().find(|times| exceeds(store, a, b, *times));
                if let Some(times) = clashing.filter(|_| a.id != b.id) {
                    return Some((a.id, b.id, bounded(a, b, times)));
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
        store.grow(&bounds.collect::<Vec<_>>(), &[]);
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

    /// `2 a <= b && a > b + 3 && b >= 0`: the second has to be taken twice.
    #[test]
    fn inequalities_are_taken_several_times() {
        let le =
            |terms: &[(Var, i64)], k| Arc::new(Constraint::Linear { relation: Relation::Le, terms: terms.into(), k });
        for (least, clashes) in [(0, true), (-20, false)] {
            let mut store = Store::default();
            store.grow(&[(NO_LO, NO_HI), (least, NO_HI)], &[]);
            store.activate(&le(&[(0, 2), (1, -1)], 0), 0, 0);
            store.activate(&le(&[(0, -1), (1, 1)], -4), 1, 0);
            assert_eq!(first(&store, &rows(&store)).0.is_some(), clashes, "{least}");
        }
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
                let pairs = rows.iter().enumerate().flat_map(|(i, a)| rows[i + 1..].iter().map(move |b| (a, b)));
                all += pairs.map(|(a, b)| weights(a, b).len() as u64).sum::<u64>();
            }
        }
        assert!((300..2_900).contains(&clashes), "{clashes}");
        assert!(tried < all, "{tried} of {all}");
    }
}
