//! The sides of values: what they are compared with, and what lies between.

use std::collections::BTreeSet;

use crate::number::{self, BigInt};
use crate::value::Value;

/// Values that were sent and seen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    numbers: BTreeSet<BigInt>,
    texts: BTreeSet<String>,
}

impl Seen {
    /// Adds a value.
    pub fn insert(&mut self, value: &Value) {
        match value {
            Value::Str(text) => drop(self.texts.insert(text.to_string())),
            _ => self.numbers.extend(number::to_big(value)),
        }
    }
}

/// What values of one sort are compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// Numbers that are told by whether they are less or greater.
    Ordered(Numbers),
    /// Numbers that are told by whether they are equal.
    Numbers(Numbers),
    /// Texts.
    Texts(BTreeSet<String>),
    /// Nothing: this value stands for all.
    All(Value),
}

/// Numbers between two ends, both possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    pub points: BTreeSet<BigInt>,
    pub least: Option<BigInt>,
    pub greatest: Option<BigInt>,
}

impl Numbers {
    /// Whether the sort has a number.
    fn has(&self, n: &BigInt) -> bool {
        self.least.as_ref().is_none_or(|l| l <= n) && self.greatest.as_ref().is_none_or(|g| g >= n)
    }

    fn is_known(&self, n: &BigInt, seen: &Seen) -> bool {
        self.points.contains(n) || seen.numbers.contains(n)
    }

    /// The points, and one number between each two of them.
    fn all(&self) -> Vec<Value> {
        let mut before = self.below();
        let mut found = Vec::new();
        for point in self.points.iter().filter(|p| self.has(p)) {
            found.extend(between(before.as_ref(), Some(point)).map(number::int));
            found.push(number::int(point.clone()));
            before = Some(point.clone());
        }
        found.extend(between(before.as_ref(), self.above().as_ref()).map(number::int));
        found
    }

    /// The first number below the least one.
    fn below(&self) -> Option<BigInt> {
        self.least.as_ref().map(|l| l - BigInt::from(1))
    }

    /// The first number above the greatest one.
    fn above(&self) -> Option<BigInt> {
        self.greatest.as_ref().map(|g| g + BigInt::from(1))
    }

    /// A number that is none of those that are known, if there is one.
    fn another(&self, seen: &Seen, new: Option<&BigInt>) -> Option<BigInt> {
        let known: BTreeSet<&BigInt> =
            self.points.iter().chain(&seen.numbers).chain(new).filter(|n| self.has(n)).collect();
        let (below, above) = (self.below(), self.above());
        let mut before = below.as_ref();
        for n in known {
            if let Some(found) = between(before, Some(n)) {
                return Some(found);
            }
            before = Some(n);
        }
        between(before, above.as_ref())
    }

    /// The nearest numbers on both sides that are known; nothing if this one is known itself.
    fn around(&self, at: &BigInt, seen: &Seen) -> Option<(Option<BigInt>, Option<BigInt>)> {
        if self.is_known(at, seen) {
            return None;
        }
        let known = || [&self.points, &seen.numbers].into_iter();
        let below = known().filter_map(|s| s.range(..at).next_back()).max();
        let above = known().filter_map(|s| s.range(at..).next()).min();
        Some((below.cloned(), above.cloned()))
    }
}

impl Line {
    /// One value for each side.
    pub fn values(&self) -> Vec<Value> {
        match self {
            Line::Ordered(numbers) => numbers.all(),
            Line::Numbers(numbers) => {
                let points = numbers.points.iter().filter(|p| numbers.has(p)).cloned();
                points.chain(numbers.another(&Seen::default(), None)).map(number::int).collect()
            }
            Line::Texts(texts) => {
                // It is longer than each of them.
                let another = texts.iter().map(String::as_str).collect::<String>() + "-";
                texts.iter().chain([&another]).map(|t| Value::string(t)).collect()
            }
            Line::All(value) => vec![value.clone()],
        }
    }

    /// See [`Sides::split`](super::Sides::split).
    pub fn split(&self, value: &Value, seen: &Seen, new: &Value) -> Option<Vec<Value>> {
        match self {
            Line::Ordered(numbers) => {
                let (at, new) = (number::to_big(value)?, number::to_big(new)?);
                let (below, above) = numbers.around(&at, seen)?;
                let (below, above) = (below.or(numbers.below()), above.or(numbers.above()));
                let inside = below.as_ref().is_none_or(|b| *b < new) && above.as_ref().is_none_or(|a| *a > new);
                let low = between(below.as_ref(), Some(&new));
                let high = between(Some(&new), above.as_ref());
                inside.then(|| low.into_iter().chain([new]).chain(high).map(number::int).collect())
            }
            Line::Numbers(numbers) => {
                let (at, new) = (number::to_big(value)?, number::to_big(new)?);
                if numbers.is_known(&at, seen) || numbers.is_known(&new, seen) || !numbers.has(&new) {
                    return None;
                }
                let another = numbers.another(seen, Some(&new));
                Some([new].into_iter().chain(another).map(number::int).collect())
            }
            Line::Texts(texts) => {
                let (Value::Str(at), Value::Str(new)) = (value, new) else { return None };
                let known = |t: &str| texts.contains(t) || seen.texts.contains(t);
                if known(at) || known(new) {
                    return None;
                }
                let mut another = at.to_string();
                while known(&another) || *another == ***new {
                    another.push('-');
                }
                Some(vec![Value::string(new), Value::string(&another)])
            }
            Line::All(_) => None,
        }
    }

    /// The values that a value stands for, as the least and the greatest one where they have both and nothing is missing
    /// between; nothing if it stands for itself alone.
    pub fn extent(&self, value: &Value, seen: &Seen) -> Option<Option<(BigInt, BigInt)>> {
        match (self, number::to_big(value), value) {
            (Line::Ordered(numbers), Some(at), _) => {
                let (below, above) = numbers.around(&at, seen)?;
                let (below, above) = (below.or(numbers.below()), above.or(numbers.above()));
                let one = BigInt::from(1);
                let ends = below.zip(above).map(|(below, above)| (below + &one, above - &one));
                (ends.as_ref().is_none_or(|(low, high)| low < high)).then_some(ends)
            }
            (Line::Numbers(numbers), Some(at), _) => (!numbers.is_known(&at, seen)).then_some(None),
            (Line::Texts(texts), _, Value::Str(at)) => {
                (!texts.contains(&***at) && !seen.texts.contains(&***at)).then_some(None)
            }
            _ => Some(None),
        }
    }

    /// What a value stands for, in words.
    pub fn show(&self, name: &str, value: &Value, seen: &Seen, show: &dyn Fn(&Value) -> String) -> String {
        let number = |n: &BigInt| show(&number::int(n.clone()));
        let none_of = |known: Vec<String>| match known.is_empty() {
            true => format!("{name} is any value"),
            false => format!("{name} is none of {}", known.join(", ")),
        };
        let at = number::to_big(value);
        match (self, at, value) {
            (Line::All(_), _, _) => none_of(Vec::new()),
            (Line::Ordered(numbers), Some(at), _) => match numbers.around(&at, seen) {
                None => format!("{name} = {}", show(value)),
                Some((None, None)) => none_of(Vec::new()),
                Some((Some(below), None)) => format!("{name} > {}", number(&below)),
                Some((None, Some(above))) => format!("{name} < {}", number(&above)),
                Some((Some(below), Some(above))) => format!("{} < {name} < {}", number(&below), number(&above)),
            },
            (Line::Numbers(numbers), Some(at), _) if !numbers.is_known(&at, seen) => {
                let known: BTreeSet<&BigInt> = numbers.points.iter().chain(&seen.numbers).collect();
                none_of(known.into_iter().map(number).collect())
            }
            (Line::Texts(texts), _, Value::Str(at)) if !texts.contains(&***at) && !seen.texts.contains(&***at) => {
                let known: BTreeSet<&String> = texts.iter().chain(&seen.texts).collect();
                none_of(known.into_iter().map(|t| show(&Value::string(t))).collect())
            }
            _ => format!("{name} = {}", show(value)),
        }
    }
}

/// A number between two others, if there is one.
fn between(below: Option<&BigInt>, above: Option<&BigInt>) -> Option<BigInt> {
    let one = BigInt::from(1);
    match (below, above) {
        (Some(below), above) => Some(below + &one).filter(|n| above.is_none_or(|a| n < a)),
        (None, Some(above)) => Some(above - &one),
        (None, None) => Some(BigInt::from(0)),
    }
}
