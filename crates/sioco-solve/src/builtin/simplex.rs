//! All linear constraints with reals together: whether they can be true, with values or with what clashes, and how far a
//! variable can go.
//!
//! This is the general simplex method (Dutertre and de Moura, 2006), made anew for each question: a question is about few
//! constraints. A row of the tableau has whole numbers with a common denominator. Values have an infinitesimal part, so that
//! `x < 3` is `x <= 3 - δ`; in the end δ becomes a small number. Pivots follow Bland's rule, so there is an end to them.
//! Integers count as reals here: what cannot be, cannot be for integers either, and whole values are found by the search.
//! A number that does not fit ends it without an answer.

use super::Builtin;
use super::constraint::{Compare, Constraint};
use super::explain::Core;
use super::interval::{End, Interval};
use super::linear::Var;
use super::repair::Numbers;
use super::scope::Scope;
use super::store::{Side, Store};
use crate::query::Terms;
use crate::ratio::{Ratio, divisor, times};

/// Numbers in rows above this are divided by what they have in common.
const LARGE: i128 = 1 << 40;

/// Variables with their coefficients.
type Sum = [(Var, i64)];

/// A number and a multiple of δ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Near {
    at: Ratio,
    more: Ratio,
}

impl Near {
    fn lower(end: End) -> Near {
        Near { at: end.at, more: if end.open { Ratio::ONE } else { Ratio::ZERO } }
    }

    fn upper(end: End) -> Near {
        Near { at: end.at, more: if end.open { Ratio::ONE.neg() } else { Ratio::ZERO } }
    }

    fn add(self, other: Near) -> Option<Near> {
        let more = if self.more.is_zero() { other.more } else { self.more.add(other.more)? };
        Some(Near { at: self.at.add(other.at)?, more })
    }

    fn sub(self, other: Near) -> Option<Near> {
        self.add(Near { at: other.at.neg(), more: other.more.neg() })
    }

    fn mul(self, factor: Ratio) -> Option<Near> {
        let more = if self.more.is_zero() { self.more } else { self.more.mul(factor)? };
        Some(Near { at: self.at.mul(factor)?, more })
    }
}

/// What is known of a column, or of the sum that a constraint is about.
struct Known {
    lo: Option<Near>,
    hi: Option<Near>,
    value: Near,
}

/// `denominator * variable` is the sum of the products of `factors` with the variables that are free.
struct Row {
    variable: usize,
    denominator: i128,
    factors: Vec<i128>,
}

/// How a question ended.
enum Outcome {
    Feasible,
    /// The row, and whether its variable would have to be greater.
    Clash(usize, bool),
    Stopped,
}

pub(super) struct Simplex {
    /// The variables of the store, then the sums of constraints, by their ids.
    vars: Vec<Var>,
    sums: Vec<u32>,
    known: Vec<Known>,
    /// The variables that rows are made of.
    free: Vec<usize>,
    rows: Vec<Row>,
    /// Work done, in rows that were looked at.
    work: u64,
}

impl Simplex {
    /// The constraints that are about one of these and are `wanted` by their terms; nothing if there are none.
    fn of(
        store: &Store,
        numbers: &Numbers,
        inside: &dyn Fn(Var) -> bool,
        wanted: &dyn Fn(&Sum) -> bool,
    ) -> Option<Simplex> {
        let mut chosen = Vec::new();
        let mut vars: Vec<Var> = Vec::new();
        for (id, active) in store.active.iter().enumerate() {
            if let Constraint::Real { terms, .. } = &*active.constraint
                && terms.iter().any(|t| inside(t.0))
                && wanted(terms)
            {
                chosen.push(id as u32);
                vars.extend(terms.iter().map(|t| t.0));
            }
        }
        if chosen.is_empty() {
            return None;
        }
        vars.sort_unstable();
        vars.dedup();
        let count = vars.len();
        let mut simplex = Simplex {
            known: Vec::with_capacity(count + chosen.len()),
            free: (0..count).collect(),
            rows: Vec::with_capacity(chosen.len()),
            sums: chosen,
            vars,
            work: 0,
        };
        for v in &simplex.vars {
            let Interval { lo, hi } = store.ends(*v);
            let (lo, hi) = (lo.map(Near::lower), hi.map(Near::upper));
            let mut value = Near { at: numbers.ratio(*v), more: Ratio::ZERO };
            value = lo.map_or(value, |lo| value.max(lo));
            value = hi.map_or(value, |hi| value.min(hi));
            simplex.known.push(Known { lo, hi, value });
        }
        for (i, id) in simplex.sums.iter().enumerate() {
            let Constraint::Real { compare, terms, k } = &*store.active[*id as usize].constraint else { continue };
            let k = Ratio::whole(*k)?;
            let hi = Near::upper(End { at: k, open: *compare == Compare::Lt });
            let lo = (*compare == Compare::Eq).then_some(hi);
            let mut factors = vec![0; count];
            let mut value = Near { at: Ratio::ZERO, more: Ratio::ZERO };
            for (v, c) in terms {
                let column = simplex.vars.binary_search(v).ok()?;
                factors[column] = i128::from(*c);
                value = value.add(simplex.known[column].value.mul(Ratio::from(*c))?)?;
            }
            simplex.known.push(Known { lo, hi: Some(hi), value });
            simplex.rows.push(Row { variable: count + i, denominator: 1, factors });
        }
        Some(simplex)
    }

    /// Looks for values that satisfy all constraints.
    fn solve(&mut self, limit: u64) -> Outcome {
        loop {
            // The first variable that is outside of its bounds.
            let violated = self.rows.iter().enumerate().filter_map(|(i, row)| {
                let known = &self.known[row.variable];
                let below = known.lo.is_some_and(|lo| known.value < lo);
                let above = known.hi.is_some_and(|hi| known.value > hi);
                (below || above).then_some((row.variable, i, below))
            });
            let Some((variable, i, below)) = violated.min() else { return Outcome::Feasible };
            self.work += self.rows.len() as u64;
            if self.work > limit {
                return Outcome::Stopped;
            }
            let column = self.entering(&self.rows[i].factors, below);
            let Some(column) = column else { return Outcome::Clash(i, below) };
            let known = &self.known[variable];
            let Some(target) = (if below { known.lo } else { known.hi }) else { return Outcome::Stopped };
            if self.exchange(i, column, target).is_none() {
                return Outcome::Stopped;
            }
        }
    }

    /// The first free variable that can move so that the sum of the products grows (or shrinks).
    fn entering(&self, factors: &[i128], grow: bool) -> Option<usize> {
        let columns = self.free.iter().enumerate().filter(|(column, variable)| {
            let factor = factors[*column];
            factor != 0 && self.can_move(**variable, (factor > 0) == grow)
        });
        columns.min_by_key(|(_, variable)| **variable).map(|(column, _)| column)
    }

    fn can_move(&self, variable: usize, up: bool) -> bool {
        let Known { lo, hi, value } = &self.known[variable];
        if up { hi.is_none_or(|hi| *value < hi) } else { lo.is_none_or(|lo| *value > lo) }
    }

    /// Moves a free variable, and all that depend on it.
    fn shift(&mut self, column: usize, by: Near) -> Option<()> {
        let variable = self.free[column];
        self.known[variable].value = self.known[variable].value.add(by)?;
        for row in &self.rows {
            let factor = row.factors[column];
            if factor != 0 {
                let by = by.mul(Ratio::new(factor, row.denominator)?)?;
                let value = &mut self.known[row.variable].value;
                *value = value.add(by)?;
            }
        }
        Some(())
    }

    /// Gives the variable of a row a value by moving a free one, and exchanges the two.
    fn exchange(&mut self, i: usize, column: usize, target: Near) -> Option<()> {
        let Row { variable, denominator, ref factors } = self.rows[i];
        let by = target.sub(self.known[variable].value)?.mul(Ratio::new(denominator, factors[column])?)?;
        self.shift(column, by)?;
        self.pivot(i, column)
    }

    fn pivot(&mut self, i: usize, column: usize) -> Option<()> {
        // d * b = … + t * x, so t * x = d * b - …
        let row = &mut self.rows[i];
        let t = row.factors[column];
        let sign = t.signum();
        for factor in &mut row.factors {
            *factor *= -sign;
        }
        row.factors[column] = row.denominator * sign;
        row.denominator = t.abs();
        std::mem::swap(&mut row.variable, &mut self.free[column]);
        let (before, rest) = self.rows.split_at_mut(i);
        let (pivot, after) = rest.split_first_mut()?;
        for row in before.iter_mut().chain(after) {
            let t = row.factors[column];
            if t == 0 {
                continue;
            }
            row.factors[column] = 0;
            let mut largest = times(row.denominator, pivot.denominator)?;
            row.denominator = largest;
            for (factor, other) in row.factors.iter_mut().zip(&pivot.factors) {
                *factor = times(*factor, pivot.denominator)?.checked_add(times(t, *other)?)?;
                largest = largest.max(factor.checked_abs()?);
            }
            if largest > LARGE {
                let common = row.factors.iter().fold(row.denominator, |common, f| divisor(common, *f));
                row.denominator /= common;
                row.factors.iter_mut().for_each(|f| *f /= common);
            }
        }
        Some(())
    }

    /// The greatest value of a variable of the store (or the least) under constraints that can be true, as a bound: the
    /// outer nothing if it was not found out, the inner one if there is none.
    fn extreme(&mut self, var: Var, up: bool, limit: u64) -> Option<Option<End>> {
        let variable = self.vars.binary_search(&var).ok()?;
        loop {
            self.work += self.rows.len() as u64;
            if self.work > limit {
                return None;
            }
            let column = match self.rows.iter().find(|row| row.variable == variable) {
                Some(row) => self.entering(&row.factors, up).map(|column| (column, row.factors[column] > 0)),
                None => {
                    let column = self.free.iter().position(|f| *f == variable)?;
                    self.can_move(variable, up).then_some((column, true))
                }
            };
            let Some((column, positive)) = column else {
                let Near { at, more } = self.known[variable].value;
                return Some(Some(End { at, open: !more.is_zero() }));
            };
            let rise = positive == up;
            // How far until something is at its bound, and what.
            let Known { lo, hi, value } = self.known[self.free[column]];
            let mut nearest = match if rise { hi } else { lo } {
                Some(end) => Some((distance(end.sub(value)?)?, self.free[column], None)),
                None => None,
            };
            for (i, row) in self.rows.iter().enumerate() {
                let factor = row.factors[column];
                if factor == 0 {
                    continue;
                }
                let known = &self.known[row.variable];
                let end = if (factor > 0) == rise { known.hi } else { known.lo };
                let Some(end) = end else { continue };
                let by = distance(end.sub(known.value)?.mul(Ratio::new(row.denominator, factor)?)?)?;
                if nearest.is_none_or(|(least, first, _)| (by, row.variable) < (least, first)) {
                    nearest = Some((by, row.variable, Some(i)));
                }
            }
            let Some((by, _, row)) = nearest else { return Some(None) };
            let by = if rise { by } else { by.mul(Ratio::ONE.neg())? };
            self.shift(column, by)?;
            if let Some(i) = row {
                self.pivot(i, column)?;
            }
        }
    }

    /// Adds the conjuncts that a clash rests on.
    fn explain(&self, i: usize, below: bool, store: &Store, core: &mut Core) {
        let row = &self.rows[i];
        let free = self.free.iter().zip(&row.factors).filter(|(_, f)| **f != 0);
        let sides = free.map(|(variable, f)| (*variable, if (*f > 0) == below { Side::Hi } else { Side::Lo }));
        let own = (row.variable, if below { Side::Lo } else { Side::Hi });
        let mut bounds = Vec::new();
        for (variable, side) in sides.chain([own]) {
            match self.vars.get(variable) {
                Some(var) => bounds.push((*var, side)),
                None => core.explain_constraint(store, self.sums[variable - self.vars.len()]),
            }
        }
        core.explain_sides(store, bounds.into_iter());
    }

    /// The values, with a number for δ that leaves everything inside of its bounds.
    fn values(&self) -> Option<Vec<(Var, Ratio)>> {
        let mut delta = Ratio::ONE;
        for known in &self.known {
            for (low, high) in [(known.lo, Some(known.value)), (Some(known.value), known.hi)] {
                let (Some(low), Some(high)) = (low, high) else { continue };
                // low.at + δ low.more <= high.at + δ high.more
                if low.more > high.more && low.at < high.at {
                    let most = high.at.sub(low.at)?.div(low.more.sub(high.more)?)?;
                    while delta > most {
                        delta = delta.mul(Ratio::new(1, 2)?)?;
                    }
                }
            }
        }
        let value = |known: &Known| known.value.at.add(known.value.more.mul(delta)?);
        self.vars.iter().zip(&self.known).map(|(v, known)| Some((*v, value(known)?))).collect()
    }
}

/// The size of a distance.
fn distance(by: Near) -> Option<Near> {
    let zero = Near { at: Ratio::ZERO, more: Ratio::ZERO };
    if by < zero { by.mul(Ratio::ONE.neg()) } else { Some(by) }
}

impl Builtin {
    /// Looks at all constraints with reals that a search is about: `false` if they clash, whatever is decided next, with
    /// the reasons in the core; `true` if values were found.
    pub(super) fn look_at_reals(&mut self, terms: Terms<'_>, scope: &Scope, end: u64) -> Option<bool> {
        if self.store.real_rows == 0 {
            return None;
        }
        let inside = |v: Var| scope.vars.binary_search_by_key(&v, |known| known.0).is_ok();
        let mut simplex = Simplex::of(&self.store, &self.numbers, &inside, &|terms| terms.len() > 1)?;
        let outcome = simplex.solve(end.saturating_sub(self.store.work));
        self.store.work += simplex.work;
        match outcome {
            Outcome::Clash(row, below) => {
                simplex.explain(row, below, &self.store, &mut self.core);
                Some(false)
            }
            Outcome::Feasible => {
                let mut values = simplex.values()?;
                values.retain(|(v, _)| self.store.interval(*v).is_some());
                self.try_values_from(terms, &values).then_some(true)
            }
            Outcome::Stopped => None,
        }
    }

    /// The bounds of a variable by all constraints that are in force, which its values reach or come as near to as one
    /// likes; if that takes too much work, or other conditions matter, they may do so at bounds that are nearer.
    pub(super) fn extent_of(&mut self, var: Var, limit: u64) -> Interval {
        let tied = self.tied_to(var);
        let mut found = Extents { var, tied, chosen: Vec::new(), leaves: MOST_LEAVES, hull: None };
        let end = self.store.work.saturating_add(limit);
        let done = self.spread(&mut found, end);
        match found.hull {
            Some(hull) if done => hull,
            _ => self.extent_here(&found, limit).unwrap_or_else(|| self.store.ends(var)),
        }
    }

    /// What a variable is tied to by constraints, with reals or between several things.
    fn tied_to(&self, var: Var) -> Vec<bool> {
        let mut inside = vec![false; self.store.occurs.len()];
        let mut next = vec![var];
        inside[var as usize] = true;
        while let Some(v) = next.pop() {
            for id in &self.store.occurs[v as usize] {
                self.store.active[*id as usize].constraint.vars(&mut |other| {
                    // What is fixed ties nothing.
                    if !self.store.is_point(other) && !std::mem::replace(&mut inside[other as usize], true) {
                        next.push(other);
                    }
                });
            }
        }
        inside
    }

    /// Goes through the alternatives of all disjunctions that the variable is tied to, and adds up what each leaves.
    /// `false` if that was too much work.
    fn spread(&mut self, found: &mut Extents, end: u64) -> bool {
        if found.hull.is_some_and(|hull| hull.includes(&self.store.ends(found.var))) {
            return true;
        }
        let open = self.store.active.iter().enumerate().position(|(id, active)| {
            let Constraint::Any { vars, .. } = &*active.constraint else { return false };
            !active.fired
                && !found.chosen.contains(&id)
                && vars.iter().any(|v| found.tied[*v as usize])
                && !self.store.is_true(&active.constraint)
        });
        let Some(id) = open else {
            if found.leaves == 0 || self.store.work >= end {
                return false;
            }
            found.leaves -= 1;
            let here = self.extent_here(found, end.saturating_sub(self.store.work));
            found.add(here);
            return true;
        };
        let clause = std::sync::Arc::clone(&self.store.active[id].constraint);
        let owner = self.store.active[id].owner;
        let Constraint::Any { alternatives, .. } = &*clause else { return false };
        found.chosen.push(id);
        let mut done = true;
        for all in alternatives {
            let mark = self.store.mark();
            for c in all {
                self.store.activate(c, owner, super::store::DECISION);
            }
            let allowance = self.allowance();
            if !matches!(self.store.propagate(allowance), super::store::Outcome::Conflict(_)) {
                done &= self.spread(found, end);
            }
            self.store.undo(mark);
            if !done {
                break;
            }
        }
        found.chosen.pop();
        done
    }

    /// The bounds of a variable by all constraints with reals that are in force, disjunctions left out.
    fn extent_here(&mut self, found: &Extents, limit: u64) -> Option<Interval> {
        let known = self.store.ends(found.var);
        let inside = |v: Var| found.tied[v as usize];
        // Where all but one variable are fixed, the bounds of that one say the same.
        let wanted = |terms: &Sum| !self.store.is_bound(terms);
        let simplex = Simplex::of(&self.store, &self.numbers, &inside, &wanted);
        let Some(mut simplex) = simplex else { return Some(known) };
        let extent = match simplex.solve(limit) {
            Outcome::Feasible => {
                let lo = simplex.extreme(found.var, false, limit).unwrap_or(known.lo);
                let hi = simplex.extreme(found.var, true, limit).unwrap_or(known.hi);
                Some(Interval { lo, hi })
            }
            Outcome::Clash(..) => None,
            Outcome::Stopped => Some(known),
        };
        self.store.work += simplex.work;
        extent
    }
}

/// How many conjunctions of alternatives are looked at for the bounds of one variable.
const MOST_LEAVES: u32 = 12;

/// The bounds of a variable, as they are found.
struct Extents {
    var: Var,
    /// What it is tied to.
    tied: Vec<bool>,
    /// The disjunctions that have been decided.
    chosen: Vec<usize>,
    /// How many conjunctions may still be looked at.
    leaves: u32,
    /// The least interval that holds what was found so far.
    hull: Option<Interval>,
}

impl Extents {
    fn add(&mut self, here: Option<Interval>) {
        self.hull = match (self.hull, here) {
            (Some(a), Some(b)) => Some(a.hull(&b)),
            (a, b) => a.or(b),
        };
    }
}
