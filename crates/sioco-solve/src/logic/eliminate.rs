//! Conditions with fewer quantifiers.
//!
//! A quantifier is pushed inside as far as it goes, and then one variable after the other is tried: by an equality
//! that determines it, by its bounds, by its values, or by its constructors. What withstands keeps its quantifier.

use rustc_hash::FxHashSet;
use sioco_model::sort::Sorts;
use sioco_model::term::{MAX_DEPTH, TermPool};
use sioco_model::{BinderId, TermId};

use super::defined::{Meaning, total};
use super::formula::{Context, FALSE, Formula, and, or};
use super::inside::has_value;
use super::project::project;
use super::stack::with_room;

/// How much effort a variable is worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Effort {
    /// Only what makes nothing larger, and takes no division.
    Equality,
    /// Only what makes nothing larger.
    Bounds,
    /// Cases, as far as the fuel goes.
    Cases,
}

/// All attempts at cases together may use up this many times what one of them may: most cases are easy, and the sum has
/// to end.
const ATTEMPTS: usize = 16;

/// At most this many conjuncts are looked at until everything is eliminated: a bound on the time. Where there are more,
/// what is left keeps its quantifier.
const LOOKS: usize = 1_000_000;

/// A Bool term that is never undefined, is true exactly where `term` is defined and true, and has as few quantifiers
/// as were found out to be needed.
///
/// What becomes of a variable:
/// - an equality that determines it replaces it: `b == t`, `x == b + 3`, `2 * b == x` (then `x` is even), also inside
///   of equal records, constructors and sequences;
/// - a number that occurs linearly is replaced by the condition that its lower bounds are at most its upper bounds,
///   exactly, for integers too, where two bounds with coefficients take a division by a constant;
/// - a variable of a sort with at most 16 values is replaced by its values;
/// - a variable of a data type is replaced by its fields, for each constructor;
/// - a text, sequence or other value of a sort without end that is only compared for equality equals one of the terms
///   that it is compared with, or differs from all of them.
///
/// Disjunctions in the way are split, `!=` into below and above, `if`, `min`, `max` and `abs` into their cases, and a
/// number under `div` or `mod` by a constant into its remainders. `limit` is how many literals splitting may add for one
/// variable; a variable that takes more keeps its quantifier. So do variables of other kinds: strings and sequences
/// whose length or items matter, and numbers that occur in products, as divisors, under `floor` or as positions, unless they
/// have few values.
///
/// As for [`defined`](super::defined()), the evaluator's own limits do not count. Terms that would nest deeper than
/// [`MAX_DEPTH`] are given back in the form of [`total`].
pub fn eliminate(pool: &mut TermPool, sorts: &Sorts, term: TermId, limit: usize) -> TermId {
    // Replacing variables makes terms deeper, so a shallow one says little if it has quantifiers.
    with_room(pool.depth(term).saturating_mul(3), || eliminate_here(pool, sorts, term, limit))
}

fn eliminate_here(pool: &mut TermPool, sorts: &Sorts, term: TermId, limit: usize) -> TermId {
    if let Some(result) = project(pool, sorts, term) {
        return result;
    }
    let classical = Meaning::classical(pool, sorts).holds(term);
    let mut cx = Context::new(pool, sorts, limit);
    let classical = cx.freshly_bound(classical);
    let f = cx.normal(classical, true);
    let mut elimination = Elimination { cx, limit, left: limit.saturating_mul(ATTEMPTS), looks: LOOKS };
    let f = elimination.inside_out(f);
    let result = elimination.cx.term(&f);
    if pool.depth(result) > MAX_DEPTH { total(pool, sorts, term) } else { result }
}

struct Elimination<'a> {
    cx: Context<'a>,
    limit: usize,
    /// Fuel for all attempts that are still to come.
    left: usize,
    /// How many conjuncts may still be looked at.
    looks: usize,
}

impl Elimination<'_> {
    fn inside_out(&mut self, f: Formula) -> Formula {
        match f {
            Formula::Lit(_) => f,
            Formula::And(parts) => and(parts.into_iter().map(|p| self.inside_out(p)).collect()),
            Formula::Or(parts) => or(parts.into_iter().map(|p| self.inside_out(p)).collect()),
            Formula::Exists { negated, binders, body } => {
                let body = self.inside_out(*body);
                let f = self.exists(&binders, body);
                if negated { self.cx.negate(f) } else { f }
            }
        }
    }

    /// `exists binders. body`, where nothing can be eliminated inside of the body.
    fn exists(&mut self, binders: &[BinderId], body: Formula) -> Formula {
        if let Formula::Or(parts) = body {
            return or(parts.into_iter().map(|p| self.exists(binders, p)).collect());
        }
        let mut open = binders.to_vec();
        let mut conjuncts = body.conjuncts();
        let mut last = Effort::Cases;
        'progress: loop {
            // Each of them is looked at several times for every variable that goes.
            self.looks = self.looks.saturating_sub(conjuncts.len());
            if self.looks == 0 {
                return Formula::Exists { negated: false, binders: open, body: Box::new(and(conjuncts)) };
            }
            // An equality that was used makes nothing longer.
            if last != Effort::Equality {
                conjuncts = self.cx.tightened(conjuncts).conjuncts();
            }
            if conjuncts.iter().any(Formula::is_false) {
                return FALSE;
            }
            let uses: Vec<Vec<BinderId>> = conjuncts.iter().map(|c| self.cx.variables(c)).collect();
            let used: FxHashSet<BinderId> = uses.iter().flatten().copied().collect();
            let (sorts, sort_of) = (self.cx.sorts, &self.cx.pool.binders);
            if open.iter().any(|b| !used.contains(b) && !has_value(sorts, sort_of[*b])) {
                return FALSE;
            }
            open.retain(|b| used.contains(b));
            for effort in [Effort::Equality, Effort::Bounds, Effort::Cases] {
                for (i, b) in open.iter().enumerate() {
                    self.looks = self.looks.saturating_sub(conjuncts.len());
                    if self.looks == 0 {
                        continue 'progress;
                    }
                    let about = |at: usize| uses[at].binary_search(b).is_ok();
                    let with: Vec<Formula> =
                        (0..conjuncts.len()).filter(|c| about(*c)).map(|c| conjuncts[c].clone()).collect();
                    let Some(f) = self.attempt(*b, &with, effort) else { continue };
                    let mut parts: Vec<Formula> = Vec::with_capacity(conjuncts.len());
                    for (at, c) in conjuncts.into_iter().enumerate() {
                        if !about(at) {
                            parts.push(c);
                        }
                    }
                    open.remove(i);
                    last = effort;
                    parts.push(f);
                    conjuncts = match and(parts) {
                        // What stands for it may be several cases, each with its own way to go on.
                        Formula::Or(cases) => return self.exists(&open, Formula::Or(cases)),
                        other => other.conjuncts(),
                    };
                    continue 'progress;
                }
            }
            break;
        }
        self.miniscope(open, conjuncts)
    }

    /// The conjuncts that mention a variable, and the others.
    fn separate(&mut self, b: BinderId, conjuncts: &[Formula]) -> (Vec<Formula>, Vec<Formula>) {
        conjuncts.iter().cloned().partition(|c| self.cx.mentions(c, b))
    }

    /// Quantifiers around what they are about only.
    fn miniscope(&mut self, mut open: Vec<BinderId>, conjuncts: Vec<Formula>) -> Formula {
        let mut rest = conjuncts;
        let mut result = Vec::new();
        while let Some(first) = open.pop() {
            // Everything that is tied to it.
            let mut group = vec![first];
            let mut inside: Vec<Formula> = Vec::new();
            let mut done = 0;
            while done < group.len() {
                let (with, without) = self.separate(group[done], &rest);
                rest = without;
                open.retain(|b| {
                    let tied = with.iter().any(|c| self.cx.mentions(c, *b));
                    if tied {
                        group.push(*b);
                    }
                    !tied
                });
                inside.extend(with);
                done += 1;
            }
            group.sort_unstable();
            result.push(Formula::Exists { negated: false, binders: group, body: Box::new(and(inside)) });
        }
        rest.extend(result);
        and(rest)
    }

    /// An equivalent of `exists b. conjuncts`, all of which mention it.
    fn attempt(&mut self, b: BinderId, conjuncts: &[Formula], effort: Effort) -> Option<Formula> {
        match effort {
            Effort::Equality => self.cx.point_without_division(b, conjuncts),
            Effort::Bounds => {
                if let Some(f) = self.cx.distinct_from_all(b, conjuncts) {
                    return Some(f);
                }
                let bounds = self.cx.bounds(b, conjuncts)?;
                self.cx.fuel = usize::MAX;
                if bounds.growth() == 0 && !bounds.divides() { self.cx.between(&bounds) } else { None }
            }
            Effort::Cases => {
                let fuel = self.limit.min(self.left);
                self.cx.fuel = fuel;
                let result = self.cases(b, conjuncts);
                self.left -= fuel - self.cx.fuel.min(fuel);
                result
            }
        }
    }

    fn cases(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        if conjuncts.iter().any(Formula::is_false) {
            return Some(FALSE);
        }
        let conjuncts = self.cx.tightened(conjuncts.to_vec()).conjuncts();
        if conjuncts.iter().any(Formula::is_false) {
            return Some(FALSE);
        }
        let (conjuncts, mut outside) = self.separate(b, &conjuncts);
        if conjuncts.is_empty() {
            let possible = has_value(self.cx.sorts, self.cx.pool.binders[b]);
            return Some(if possible { and(outside) } else { FALSE });
        }
        let f = self.connected_cases(b, &conjuncts)?;
        outside.push(f);
        Some(and(outside))
    }

    fn connected_cases(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        if let Some(f) = self.cx.one_point(b, conjuncts) {
            return Some(f);
        }
        if let Some(bounds) = self.cx.bounds(b, conjuncts) {
            return self.cx.between(&bounds);
        }
        // Bool and plain enumerations have no other structure.
        let sort = self.cx.pool.binders[b];
        let numeric = self.cx.sorts.is_numeric(sort);
        if !numeric && let Some(f) = self.cx.distinct(b, conjuncts) {
            return Some(f);
        }
        if !numeric && let Some(f) = self.cx.expand(b, conjuncts) {
            return Some(f);
        }
        if let Some(cases) = self.cx.take_apart(b, conjuncts) {
            let mut parts = Vec::new();
            for (fields, body) in cases {
                let mut f = body;
                for field in fields {
                    f = self.cases(field, &f.conjuncts())?;
                }
                parts.push(f);
            }
            return Some(or(parts));
        }
        let fuel = self.cx.fuel;
        let split = self.split(b, conjuncts);
        if split.is_some() {
            return split;
        }
        self.cx.fuel = fuel;
        self.cx.expand(b, conjuncts)
    }

    /// One of the conjuncts is split into its cases.
    fn split(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        let size: usize = conjuncts.iter().map(Formula::size).sum();
        let disjunctions = conjuncts.iter().enumerate().filter(|(_, c)| matches!(c, Formula::Or(_)));
        let alternatives = match disjunctions.min_by_key(|(_, c)| c.size()) {
            Some((i, Formula::Or(parts))) => Some((i, parts.clone())),
            _ => conjuncts.iter().enumerate().find_map(|(i, c)| match c {
                Formula::Lit(t) => {
                    let parts = self.cx.apart(*t, b).map(|f| vec![f]).or_else(|| self.cx.selections(*t, b));
                    parts.map(|parts| (i, parts))
                }
                _ => None,
            }),
        };
        let Some((at, alternatives)) = alternatives else { return self.classes(b, conjuncts, size) };
        let mut cases = Vec::new();
        for alternative in alternatives {
            self.cx.spend(size)?;
            let mut parts = vec![alternative];
            parts.extend(conjuncts.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c.clone()));
            cases.push(self.cases(b, &and(parts).conjuncts())?);
        }
        Some(or(cases))
    }

    /// One case for each remainder of the variable, where it occurs under divisions by constants: `b` is `n * q + r`,
    /// and what is divided by `n` is no longer a matter of `q`.
    fn classes(&mut self, b: BinderId, conjuncts: &[Formula], size: usize) -> Option<Formula> {
        let classes = self.cx.residues(b, conjuncts)?;
        let mut cases = Vec::new();
        for remainder in 0..classes {
            self.cx.spend(size)?;
            let quotient = self.cx.pool.binders.push(self.cx.sorts.int);
            let value = self.cx.multiple(quotient, classes, remainder);
            let mut parts: Vec<Formula> = self.cx.in_sort(b, value).into_iter().collect();
            parts.extend(conjuncts.iter().map(|c| self.cx.substitute(c, b, value)));
            cases.push(self.cases(quotient, &and(parts).conjuncts())?);
        }
        Some(or(cases))
    }
}
