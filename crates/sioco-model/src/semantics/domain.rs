//! The values that a parameter can still have while conditions narrow them down.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use crate::id::SortId;
use crate::number::{self, BigInt, Rational};
use crate::sample::Draw;
use crate::sort::{Sort, Sorts};
use crate::value::Value;

/// Longer texts are not drawn: they would be longer than [what is printed](crate::print).
const LONG: u64 = 10_000;

/// A value is drawn this often until one is not excluded. Few values are excluded, so that the first is mostly right;
/// then the allowed ones are counted instead.
const DRAWS: usize = 4;

/// The values an unknown can still have.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub sort: SortId,
    /// The only value, if it is known.
    exact: Option<Value>,
    lo: Option<(Rational, bool)>,
    hi: Option<(Rational, bool)>,
    /// There may be thousands: a guard that lists what is left over.
    excluded: FxHashSet<Value>,
    /// Values in their order that are all excluded, so that none is looked at again for every exclusion.
    passed: Option<(Order, u64)>,
    /// What is known besides, which only those who draw look at.
    pub hints: Hints,
}

/// An order of values: from this number on by this step, or as their sort numbers them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Order {
    start: Option<BigInt>,
    step: i64,
}

/// Where to look for values, since no others are any good.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints {
    /// How long a text is, at least and at most.
    least: u64,
    most: Option<u64>,
    /// It is one of these, if there are some.
    pub few: Vec<Value>,
}

impl Hints {
    /// A bound of the length of a text.
    pub fn length(&mut self, bound: &Rational, strict: bool, upper: bool) {
        let one = BigInt::ONE;
        let whole = match upper {
            true if strict && bound.is_int() => bound.floor() - one,
            true => bound.floor(),
            false if strict && bound.is_int() => bound.ceil() + one,
            false => bound.ceil(),
        };
        // No text is shorter than nothing, and none that is drawn is as long as that.
        let whole = if whole < BigInt::ZERO { 0 } else { u64::try_from(whole).unwrap_or(u64::MAX) };
        match upper {
            true => self.most = Some(self.most.map_or(whole, |most| most.min(whole))),
            false => self.least = self.least.max(whole),
        }
    }
}

impl Domain {
    pub fn of(sorts: &Sorts, sort: SortId) -> Domain {
        let (lo, hi) = match sorts.get(sort) {
            Sort::Int { lo, hi } => (lo.clone().map(Rational::from), hi.clone().map(Rational::from)),
            Sort::Real { lo, hi } => (lo.clone(), hi.clone()),
            _ => (None, None),
        };
        Domain {
            sort,
            exact: None,
            lo: lo.map(|b| (b, false)),
            hi: hi.map(|b| (b, false)),
            excluded: FxHashSet::default(),
            passed: None,
            hints: Hints::default(),
        }
    }

    pub fn require(&mut self, value: Value) {
        match &self.exact {
            Some(other) if *other != value => drop(self.excluded.insert(other.clone())),
            _ => self.exact = Some(value),
        }
    }

    pub fn exclude(&mut self, value: Value) {
        self.excluded.insert(value);
    }

    pub fn bound(&mut self, bound: Rational, strict: bool, upper: bool) {
        let side = if upper { &mut self.hi } else { &mut self.lo };
        let tighter = match side {
            None => true,
            Some((old, old_strict)) => match bound.cmp(old) {
                Ordering::Equal => strict && !*old_strict,
                Ordering::Less => upper,
                Ordering::Greater => !upper,
            },
        };
        if tighter {
            *side = Some((bound, strict));
        }
    }

    /// The number as a value of this domain's sort, if it can be one.
    pub fn number(&self, sorts: &Sorts, n: &Rational) -> Option<Value> {
        match sorts.get(self.sort) {
            Sort::Int { .. } => n.is_int().then(|| number::int(n.numerator().clone())),
            _ => Some(Value::real(n.clone())),
        }
    }

    pub fn allows(&self, sorts: &Sorts, value: &Value) -> bool {
        let n = number::to_rational(value);
        let inside = |n: &Rational| {
            self.lo.as_ref().is_none_or(|(lo, strict)| if *strict { lo < n } else { lo <= n })
                && self.hi.as_ref().is_none_or(|(hi, strict)| if *strict { n < hi } else { n <= hi })
        };
        sorts.contains(self.sort, value) && !self.excluded.contains(value) && n.is_none_or(|n| inside(&n))
    }

    /// The integers that the bounds leave, if this is an integer domain with two bounds.
    fn integers(&self, sorts: &Sorts) -> (Option<BigInt>, Option<BigInt>) {
        if !matches!(sorts.get(self.sort), Sort::Int { .. }) {
            return (None, None);
        }
        let lo = self.lo.as_ref().map(
            |(lo, strict)| {
                if *strict && lo.is_int() { lo.numerator() + BigInt::ONE } else { lo.ceil() }
            },
        );
        let hi = self.hi.as_ref().map(
            |(hi, strict)| {
                if *strict && hi.is_int() { hi.numerator() - BigInt::ONE } else { hi.floor() }
            },
        );
        (lo, hi)
    }

    /// How many values are left, exclusions not counted; `None` if too many or infinitely many.
    pub fn len(&self, sorts: &Sorts) -> Option<u64> {
        if let Some(value) = &self.exact {
            return Some(u64::from(self.allows(sorts, value)));
        }
        match sorts.get(self.sort) {
            Sort::Int { .. } => match self.integers(sorts) {
                (Some(lo), Some(hi)) if lo > hi => Some(0),
                (Some(lo), Some(hi)) => u64::try_from(hi - lo + BigInt::ONE).ok(),
                _ => None,
            },
            Sort::Real { .. } => match (&self.lo, &self.hi) {
                (Some((lo, a)), Some((hi, b))) if lo == hi => Some(u64::from(!a && !b)),
                (Some((lo, _)), Some((hi, _))) if lo > hi => Some(0),
                _ => None,
            },
            _ => sorts.cardinality(self.sort),
        }
    }

    pub fn nth(&self, sorts: &Sorts, n: u64) -> Option<Value> {
        if let Some(value) = &self.exact {
            return Some(value.clone());
        }
        match sorts.get(self.sort) {
            Sort::Int { .. } => Some(number::int(self.integers(sorts).0? + BigInt::from(n))),
            Sort::Real { .. } => Some(Value::real(self.lo.as_ref()?.0.clone())),
            _ => sorts.nth_value(self.sort, n),
        }
    }

    /// Whether no value is left. An infinite data type is never found empty: too many values to tell.
    pub fn is_empty(&mut self, sorts: &Sorts) -> bool {
        if matches!(sorts.get(self.sort), Sort::Data(_)) && self.len(sorts).is_none() {
            return false;
        }
        let found = match self.order(sorts).filter(|_| self.exact.is_none()) {
            None => return self.first(sorts).is_none(),
            Some((order, count)) => {
                let n = self.walk(sorts, &order, count);
                self.passed = Some((order, n.unwrap_or(count)));
                n
            }
        };
        found.is_none() && self.first(sorts).is_none()
    }

    /// In which order values are tried, and how many of them: one more than there are exclusions, so that one is left, or
    /// all that there are.
    fn order(&self, sorts: &Sorts) -> Option<(Order, u64)> {
        let more = self.excluded.len() as u64 + 1;
        match (self.len(sorts), sorts.get(self.sort)) {
            (_, Sort::Real { .. }) => None,
            (Some(len), Sort::Int { .. }) => Some((Order { start: self.integers(sorts).0, step: 1 }, len.min(more))),
            (Some(len), _) => Some((Order { start: None, step: 1 }, len.min(more))),
            (None, Sort::Int { .. }) => {
                let (lo, hi) = self.integers(sorts);
                let zero = BigInt::ZERO;
                let (start, step) = match (lo, hi) {
                    (Some(lo), _) if lo > zero => (lo, 1),
                    (_, Some(hi)) if hi < zero => (hi, -1),
                    (_, Some(_)) => (zero, -1),
                    _ => (zero, 1),
                };
                Some((Order { start: Some(start), step }, more))
            }
            (None, _) => None,
        }
    }

    /// The value at a place of an order.
    fn at(&self, sorts: &Sorts, order: &Order, n: u64) -> Option<Value> {
        match &order.start {
            Some(start) => Some(number::int(start + BigInt::from(n) * BigInt::from(order.step))),
            None => sorts.nth_value(self.sort, n),
        }
    }

    /// The first place of an order, of so many, with a value of the domain.
    fn walk(&self, sorts: &Sorts, order: &Order, count: u64) -> Option<u64> {
        let from = self.passed.as_ref().filter(|(passed, _)| passed == order).map_or(0, |(_, n)| *n);
        (from..count).find(|n| self.at(sorts, order, *n).is_some_and(|v| self.allows(sorts, &v)))
    }

    /// A value of the domain at random; nothing if none was found, or if the values have a shape that is not drawn.
    pub fn draw(&self, sorts: &Sorts, draw: &mut dyn Draw) -> Option<Value> {
        if let Some(value) = &self.exact {
            return self.allows(sorts, value).then(|| value.clone());
        }
        let fits = |v: &Value| self.excluded.is_empty() || !self.excluded.contains(v);
        if !self.hints.few.is_empty() {
            let few: Vec<&Value> = self.hints.few.iter().filter(|v| self.allows(sorts, v)).collect();
            return few.get(draw.source().below(few.len() as u64) as usize).map(|v| (*v).clone());
        }
        match sorts.get(self.sort) {
            Sort::String => {
                let Hints { least, most, .. } = self.hints;
                if least > LONG || most.is_some_and(|most| most < least) {
                    return None;
                }
                (0..DRAWS).map(|_| Value::string(&draw.text(least, most))).find(fits)
            }
            Sort::Int { .. } => {
                let (lo, hi) = self.integers(sorts);
                if lo.as_ref().zip(hi.as_ref()).is_some_and(|(lo, hi)| lo > hi) {
                    return None;
                }
                (0..DRAWS).map(|_| number::int(draw.whole(lo.as_ref(), hi.as_ref()))).find(fits)
            }
            Sort::Real { .. } => {
                let (lo, hi) = (self.lo.as_ref().map(|b| &b.0), self.hi.as_ref().map(|b| &b.0));
                (0..DRAWS).map(|_| Value::real(draw.real(lo, hi))).find(|v| self.allows(sorts, v))
            }
            _ => {
                let count = self.len(sorts)?;
                (0..DRAWS).filter_map(|_| self.nth(sorts, draw.source().below(count))).find(fits)
            }
        }
    }

    /// Some value of the domain, near to zero if it can be.
    pub fn first(&self, sorts: &Sorts) -> Option<Value> {
        if let Some(value) = &self.exact {
            return self.allows(sorts, value).then(|| value.clone());
        }
        let more = self.excluded.len() as u64 + 1;
        if let Some((order, count)) = self.order(sorts) {
            let found = self.walk(sorts, &order, count).and_then(|n| self.at(sorts, &order, n));
            return found.or_else(|| {
                // A wide range with both ends, walked over its upper end: from the lower end then.
                let lo = self.integers(sorts).0.filter(|_| self.len(sorts).is_none())?;
                (0..more as i64).map(|n| number::int(&lo + BigInt::from(n))).find(|v| self.allows(sorts, v))
            });
        }
        match (self.len(sorts), sorts.get(self.sort)) {
            (Some(len), _) => (0..len.min(more)).filter_map(|n| self.nth(sorts, n)).find(|v| self.allows(sorts, v)),
            (None, Sort::Real { .. }) => {
                let one = Rational::ONE;
                let (a, b) = match (&self.lo, &self.hi) {
                    (Some((lo, _)), Some((hi, _))) => (lo.clone(), hi.clone()),
                    (Some((lo, _)), None) => (lo.clone(), lo + &one),
                    (None, Some((hi, _))) => (hi - &one, hi.clone()),
                    (None, None) => (Rational::ZERO, one),
                };
                // The ends, and fractions between them: more of those than exclusions.
                let between = (1..=more).map(|n| {
                    let part = Rational::from_parts(BigInt::from(n), (more + 1).into());
                    &a + (&b - &a) * part
                });
                [Rational::ZERO, a.clone(), b.clone()]
                    .into_iter()
                    .chain(between)
                    .map(Value::real)
                    .find(|v| self.allows(sorts, v))
            }
            (None, Sort::String) => {
                (0..more).map(|n| Value::string(&"a".repeat(n as usize))).find(|v| self.allows(sorts, v))
            }
            (None, Sort::Seq(item)) => {
                let item = sorts.default_value(*item);
                (0..more).map(|n| Value::seq(vec![item.clone(); n as usize])).find(|v| self.allows(sorts, v))
            }
            // A data type with infinitely many values: the default, or with exclusions, whatever its fields allow is
            // not worth a search.
            (None, _) => Some(sorts.default_value(self.sort)).filter(|v| self.allows(sorts, v)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many values are excluded, one after the other, what is left is found, and no value is looked at for each.
    #[test]
    fn many_exclusions_leave_what_they_leave() {
        const MANY: i64 = 20_000;
        let mut sorts = Sorts::default();
        let range = sorts.intern(Sort::Int { lo: Some(BigInt::from(-5)), hi: Some(BigInt::from(MANY - 6)) });
        for (sort, from, step) in [(sorts.int, 0, 1), (range, -5, 1), (sorts.int, -7, -1)] {
            let mut domain = Domain::of(&sorts, sort);
            if step < 0 {
                domain.bound(Rational::from(from), false, true);
            }
            for i in 0..MANY {
                assert_eq!(domain.first(&sorts), Some(Value::Int(from + step * i)));
                domain.exclude(Value::Int(from + step * i));
                assert_eq!(domain.is_empty(&sorts), sort == range && i + 1 == MANY, "{i}");
            }
            // A bound that changes where the search begins changes nothing else.
            domain.bound(Rational::from(from + step * (MANY + 100)), false, step < 0);
            assert_eq!(domain.first(&sorts), (sort != range).then(|| Value::Int(from + step * (MANY + 100))));
        }
    }
}
