//! The common case of elimination, in machine numbers: whole numbers between linear bounds.
//!
//! Nearly all conditions of symbolic states are conjunctions of such bounds, and nearly all coefficients are 1. Then
//! Fourier and Motzkin's way is exact for integers, and needs neither a normal form nor large numbers. Whatever does not
//! fit is left to the general way, which gives an equivalent result.

use rustc_hash::FxHashMap;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, SortId, TermId, Value, number};

use super::fold::binders;

/// With more rows than this, it is left to the general way: each elimination may multiply pairs of rows.
const MOST_ROWS: usize = 120;

/// Terms that nest deeper are left to the general way, which has a stack of its own.
const DEEPEST: u32 = 64;

/// `c1 * t1 + … + cn * tn + constant`, at most zero or equal to zero; ordered by term, without zero coefficients.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Row {
    terms: Vec<(TermId, i64)>,
    constant: i64,
    equal: bool,
}

/// The condition that a quantified conjunction is true, without its quantifier; `None` if it takes the general way.
pub(super) fn project(pool: &mut TermPool, sorts: &Sorts, term: TermId) -> Option<TermId> {
    let Term::App(Op::Exists { first, count }, body) = pool.get(term) else { return None };
    let (first, count, body) = (*first, *count, body[0]);
    // Where some values are undefined, the order in which they are tried matters.
    if pool.is_partial(body) {
        return None;
    }
    let mut system = System { pool, sorts, rows: Vec::new(), kept: Vec::new(), open: Vec::new() };
    for b in binders(first, count) {
        let sort = system.pool.binders[b];
        let Sort::Int { .. } = sorts.get(sort) else { return None };
        let t = system.pool.bound(sorts, b);
        system.open.push(t);
        system.inside(t, sort)?;
    }
    system.read(body)?;
    match system.eliminate()? {
        true => Some(system.write()),
        false => Some(pool.bool(sorts, false)),
    }
}

struct System<'a> {
    pool: &'a mut TermPool,
    sorts: &'a Sorts,
    rows: Vec<Row>,
    /// Conjuncts that are not about what is eliminated.
    kept: Vec<TermId>,
    /// What is still to be eliminated.
    open: Vec<TermId>,
}

impl System<'_> {
    fn read(&mut self, t: TermId) -> Option<()> {
        if let Term::App(Op::And, parts) = self.pool.get(t) {
            if self.pool.depth(t) > DEEPEST {
                return None;
            }
            for part in parts.clone() {
                self.read(part)?;
            }
            return Some(());
        }
        let before = self.rows.len();
        if self.literal(t).is_some() {
            return Some(());
        }
        self.rows.truncate(before);
        let (mut free, open) = (true, &self.open);
        self.pool.visit(t, &mut |t, term| {
            free &=
                !open.contains(&t) && !matches!(term, Term::App(op, _) if op.binders().is_some() || *op == Op::Defined);
        });
        free.then(|| self.kept.push(t))
    }

    /// A comparison of whole numbers, as rows.
    fn literal(&mut self, t: TermId) -> Option<()> {
        let (positive, t) = match self.pool.get(t) {
            Term::App(Op::Not, args) => (false, args[0]),
            _ => (true, t),
        };
        let Term::App(op, args) = self.pool.get(t) else { return None };
        let (op, a, b) = match (op, &args[..]) {
            (Op::Le | Op::Lt | Op::Eq, [a, b]) if self.pool.sort(*a) == self.sorts.int => (*op, *a, *b),
            _ => return None,
        };
        if op == Op::Eq && !positive {
            return None;
        }
        // Not (a <= b) is b < a.
        let (a, b, strict) = if positive { (a, b, op == Op::Lt) } else { (b, a, op == Op::Le) };
        let mut row = Row { terms: Vec::new(), constant: i64::from(strict), equal: op == Op::Eq };
        self.add(&mut row, a, 1, 0)?;
        self.add(&mut row, b, -1, 0)?;
        row.gather()?;
        self.rows.push(row);
        Some(())
    }

    /// Adds a multiple of a term to a row.
    fn add(&self, row: &mut Row, t: TermId, factor: i64, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let (op, args) = match self.pool.get(t) {
            Term::Const(Value::Int(n), _) => {
                row.constant = row.constant.checked_add(n.checked_mul(factor)?)?;
                return Some(());
            }
            Term::Symbol(..) | Term::Var(..) | Term::Bound(..) | Term::Param(..) => {
                row.terms.push((t, factor));
                return Some(());
            }
            Term::App(op, args) => (*op, args.clone()),
            _ => return None,
        };
        match (op, &args[..]) {
            (Op::Add, parts) => parts.iter().try_for_each(|p| self.add(row, *p, factor, depth + 1)),
            (Op::Sub, [a, b]) => {
                self.add(row, *a, factor, depth + 1)?;
                self.add(row, *b, factor.checked_neg()?, depth + 1)
            }
            (Op::Neg, [a]) => self.add(row, *a, factor.checked_neg()?, depth + 1),
            (Op::Mul, [a, b]) => {
                let (n, other) = match (self.pool.as_const(*a), self.pool.as_const(*b)) {
                    (Some(Value::Int(n)), _) => (*n, *b),
                    (_, Some(Value::Int(n))) => (*n, *a),
                    _ => return None,
                };
                self.add(row, other, factor.checked_mul(n)?, depth + 1)
            }
            _ => None,
        }
    }

    /// A term is in a sort.
    fn inside(&mut self, t: TermId, sort: SortId) -> Option<()> {
        let Sort::Int { lo, hi } = self.sorts.get(sort) else { return None };
        let small = |n: &number::BigInt| i64::try_from(n).ok();
        if let Some(lo) = lo {
            self.rows.push(Row { terms: vec![(t, -1)], constant: small(lo)?, equal: false });
        }
        if let Some(hi) = hi {
            self.rows.push(Row { terms: vec![(t, 1)], constant: small(hi)?.checked_neg()?, equal: false });
        }
        Some(())
    }

    /// Takes the open terms out of the rows; `false` if the rows contradict each other.
    fn eliminate(&mut self) -> Option<bool> {
        loop {
            if !self.tidy()? {
                return Some(false);
            }
            if self.rows.len() > MOST_ROWS {
                return None;
            }
            let open = std::mem::take(&mut self.open);
            self.open = open.into_iter().filter(|t| self.rows.iter().any(|r| r.of(*t) != 0)).collect();
            if self.open.is_empty() {
                return Some(true);
            }
            if !self.by_equality()? {
                self.by_bounds()?;
            }
        }
    }

    /// Puts in the value of a term that an equality determines.
    fn by_equality(&mut self) -> Option<bool> {
        let unit = |r: &Row, t: TermId| r.equal && r.of(t).abs() == 1;
        let found = self.open.iter().find_map(|t| Some((*t, self.rows.iter().position(|r| unit(r, *t))?)));
        let Some((t, at)) = found else { return Some(false) };
        let row = self.rows.swap_remove(at);
        let c = row.of(t);
        for other in &mut self.rows {
            let factor = other.of(t);
            if factor != 0 {
                *other = other.plus(&row, factor.checked_mul(-c)?)?;
            }
        }
        Some(true)
    }

    /// A term between bounds exists if every lower bound is at most every upper one: for whole numbers as well, if one
    /// of two bounds has no coefficient.
    fn by_bounds(&mut self) -> Option<()> {
        let (mut best, mut least) = (None, usize::MAX);
        for &t in &self.open {
            let (mut lower, mut upper, mut exact) = ((0, true), (0, true), true);
            for row in &self.rows {
                let c = row.of(t);
                exact &= c == 0 || !row.equal;
                let side = if c < 0 { &mut lower } else { &mut upper };
                if c != 0 {
                    side.0 += 1;
                    side.1 &= c.abs() == 1;
                }
            }
            if exact && (lower.1 || upper.1) && lower.0 * upper.0 < least {
                (best, least) = (Some(t), lower.0 * upper.0);
            }
        }
        let t = best?;
        let (with, without): (Vec<Row>, Vec<Row>) =
            std::mem::take(&mut self.rows).into_iter().partition(|r| r.of(t) != 0);
        self.rows = without;
        if self.rows.len() + least > MOST_ROWS {
            return None;
        }
        for low in with.iter().filter(|r| r.of(t) < 0) {
            for high in with.iter().filter(|r| r.of(t) > 0) {
                let sum = low.scaled(high.of(t))?.plus(high, low.of(t).checked_neg()?)?;
                self.rows.push(sum);
            }
        }
        Some(())
    }

    /// Rows in their simplest form, of those with the same terms only the strongest; `false` if they contradict.
    fn tidy(&mut self) -> Option<bool> {
        let mut strongest: FxHashMap<Vec<(TermId, i64)>, usize> = FxHashMap::default();
        let mut rows: Vec<Row> = Vec::with_capacity(self.rows.len());
        for mut row in std::mem::take(&mut self.rows) {
            if !row.simplify()? {
                return Some(false);
            }
            if row.terms.is_empty() {
                continue;
            }
            match strongest.get(&row.terms) {
                None => {
                    strongest.insert(row.terms.clone(), rows.len());
                    rows.push(row);
                }
                Some(&at) => {
                    let old = &mut rows[at];
                    let fits = match (old.equal, row.equal) {
                        (true, true) => old.constant == row.constant,
                        (true, false) => row.constant <= old.constant,
                        (false, true) => old.constant <= row.constant,
                        (false, false) => true,
                    };
                    if !fits {
                        return Some(false);
                    }
                    if row.equal || (!old.equal && row.constant > old.constant) {
                        *old = row;
                    }
                }
            }
        }
        // Opposite bounds: a contradiction, or an equality.
        let mut gone = vec![false; rows.len()];
        for i in 0..rows.len() {
            let opposite: Vec<(TermId, i64)> = rows[i].terms.iter().map(|(t, c)| (*t, -c)).collect();
            let Some(&j) = strongest.get(&opposite) else { continue };
            if gone[i] || gone[j] {
                continue;
            }
            let sum = rows[i].constant.checked_add(rows[j].constant)?;
            let apart = match (rows[i].equal, rows[j].equal) {
                (true, true) => sum != 0,
                _ => sum > 0,
            };
            if apart {
                return Some(false);
            }
            if rows[i].equal {
                gone[j] = true;
            } else if rows[j].equal {
                gone[i] = true;
            } else if sum == 0 {
                rows[i].equal = true;
                gone[j] = true;
            }
        }
        self.rows = rows.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(row, _)| row).collect();
        Some(true)
    }

    /// What is left, as a condition. A sum that cannot leave its bounds, since its terms have theirs, is left out.
    fn write(mut self) -> TermId {
        let mut limits: FxHashMap<TermId, (Option<i64>, Option<i64>)> = FxHashMap::default();
        for row in self.rows.iter() {
            let [(t, c)] = row.terms[..] else { continue };
            let limit = limits.entry(t).or_default();
            // A single term has coefficient 1 or -1, unless an equality has no whole solution.
            match (c, row.equal) {
                (1, false) => limit.1 = row.constant.checked_neg(),
                (-1, false) => limit.0 = Some(row.constant),
                (1 | -1, true) => *limit = (row.constant.checked_mul(-c), row.constant.checked_mul(-c)),
                _ => {}
            }
        }
        let implied = |row: &Row| {
            let most = row.terms.iter().try_fold(row.constant, |sum, (t, c)| {
                let (low, high) = limits.get(t).copied().unwrap_or_default();
                sum.checked_add(if *c > 0 { high } else { low }?.checked_mul(*c)?)
            });
            row.terms.len() > 1 && !row.equal && most.is_some_and(|most| most <= 0)
        };
        let rows: Vec<Row> = std::mem::take(&mut self.rows).into_iter().filter(|row| !implied(row)).collect();
        let mut parts = std::mem::take(&mut self.kept);
        for row in rows {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for (t, c) in row.terms {
                let side = if c > 0 { &mut left } else { &mut right };
                side.push(self.multiple(t, c.unsigned_abs()));
            }
            // A constant stands alone where it can.
            let constant = i128::from(row.constant);
            let (side, n) = if left.is_empty() || (constant > 0 && !right.is_empty()) {
                (&mut left, constant)
            } else {
                (&mut right, -constant)
            };
            if n != 0 || side.is_empty() {
                side.push(self.pool.constant(number::int(n.into()), self.sorts.int));
            }
            let (left, right) = (self.sum(&left), self.sum(&right));
            let op = if row.equal { Op::Eq } else { Op::Le };
            parts.push(self.pool.app(op, &[left, right], self.sorts.bool));
        }
        self.pool.and(self.sorts, &parts)
    }

    fn multiple(&mut self, t: TermId, c: u64) -> TermId {
        if c == 1 {
            return t;
        }
        let c = self.pool.constant(number::int(c.into()), self.sorts.int);
        self.pool.app(Op::Mul, &[c, t], self.sorts.int)
    }

    fn sum(&mut self, parts: &[TermId]) -> TermId {
        match parts {
            [only] => *only,
            _ => self.pool.app(Op::Add, parts, self.sorts.int),
        }
    }
}

impl Row {
    /// The coefficient of a term.
    fn of(&self, t: TermId) -> i64 {
        self.terms.binary_search_by_key(&t, |(t, _)| *t).map_or(0, |at| self.terms[at].1)
    }

    /// Puts the terms in order, each once.
    fn gather(&mut self) -> Option<()> {
        self.terms.sort_unstable_by_key(|(t, _)| t.index());
        let mut merged: Vec<(TermId, i64)> = Vec::with_capacity(self.terms.len());
        for &(t, c) in &self.terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == t => *sum = sum.checked_add(c)?,
                _ => merged.push((t, c)),
            }
        }
        merged.retain(|(_, c)| *c != 0);
        self.terms = merged;
        Some(())
    }

    fn scaled(&self, factor: i64) -> Option<Row> {
        let terms = self.terms.iter().map(|(t, c)| Some((*t, c.checked_mul(factor)?))).collect::<Option<Vec<_>>>()?;
        Some(Row { terms, constant: self.constant.checked_mul(factor)?, equal: self.equal })
    }

    /// `self + factor * other`; compared with zero like `self`.
    fn plus(&self, other: &Row, factor: i64) -> Option<Row> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        loop {
            let next = match (self.terms.get(i), other.terms.get(j)) {
                (None, None) => break,
                (Some(a), Some(b)) if a.0 == b.0 => {
                    (i, j) = (i + 1, j + 1);
                    (a.0, a.1.checked_add(b.1.checked_mul(factor)?)?)
                }
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    i += 1;
                    *a
                }
                (_, Some(b)) => {
                    j += 1;
                    (b.0, b.1.checked_mul(factor)?)
                }
                (Some(_), None) => unreachable!("covered by the case before"),
            };
            if next.1 != 0 {
                terms.push(next);
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(Row { terms, constant, equal: self.equal })
    }

    /// Divides by what all coefficients have in common; `false` if no whole numbers satisfy it.
    fn simplify(&mut self) -> Option<bool> {
        if self.terms.is_empty() {
            return Some(if self.equal { self.constant == 0 } else { self.constant <= 0 });
        }
        let divisor = self.terms.iter().fold(0u64, |g, (_, c)| gcd(g, c.unsigned_abs()));
        if divisor > 1 {
            let divisor = i64::try_from(divisor).ok()?;
            if self.equal && self.constant % divisor != 0 {
                return Some(false);
            }
            // The least whole number that is not below.
            self.constant = -self.constant.checked_neg()?.div_euclid(divisor);
            self.terms.iter_mut().for_each(|(_, c)| *c /= divisor);
        }
        Some(true)
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
