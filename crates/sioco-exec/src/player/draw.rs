//! Values at random, mostly small ones and such as the model mentions.

use sioco_model::model::Model;
use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sample;
use sioco_model::sort::Sorts;
use sioco_model::term::Term;
use sioco_model::{Id, SortId, TermId, Value};
use sioco_solve::values::Random;

/// A drawn sequence has at most this many items, and a drawn text at most this many characters: enough for an empty
/// one, one, and several, and easy to read.
const LONG: u64 = 3;

/// Where random values come from.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub random: Random,
    /// Integers that the model mentions: what happens, often happens near them.
    mentioned: Vec<BigInt>,
}

impl Draw {
    pub fn new(model: &Model) -> Draw {
        let mut mentioned = Vec::new();
        for i in 0..model.terms.len() {
            if let Term::Const(value, _) = model.terms.get(TermId::from_index(i)) {
                mentioned.extend(number::to_big(value));
            }
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        Draw { random: Random::new(0), mentioned }
    }

    /// True in so many of a hundred cases. The certain ones take no random number.
    pub fn percent(&mut self, chance: u8) -> bool {
        match chance {
            0 => false,
            100.. => true,
            _ => self.random.below(100) < u64::from(chance),
        }
    }

    /// A place in a list that is not empty. The only one takes no random number.
    pub fn place(&mut self, len: usize) -> usize {
        if len <= 1 { 0 } else { self.random.below(len as u64) as usize }
    }

    /// Some value of a sort; `seen` are integers that are worth trying again.
    pub fn value(&mut self, sorts: &Sorts, sort: SortId, seen: &[BigInt]) -> Value {
        sample::value(sorts, sort, &mut Small { draw: self, seen })
    }

    fn integer(&mut self, seen: &[BigInt]) -> BigInt {
        match self.random.below(8) {
            0 | 1 if !self.mentioned.is_empty() => {
                let place = self.place(self.mentioned.len());
                &self.mentioned[place] + BigInt::from(self.random.between(-1, 1))
            }
            2 | 3 if !seen.is_empty() => &seen[self.place(seen.len())] + BigInt::from(self.random.between(-1, 1)),
            4 => self.random.between(-100, 100).into(),
            _ => self.random.between(-2, 10).into(),
        }
    }

    /// A value near to another one of its sort, or any other.
    pub fn near(&mut self, sorts: &Sorts, sort: SortId, value: &Value) -> Value {
        let far = 1i64 << self.random.below(10);
        let by = self.random.between(-far, far);
        let moved = match value {
            _ if self.random.below(4) == 0 => None,
            Value::Int(_) | Value::BigInt(_) => number::add(value, &Value::Int(by)),
            Value::Real(r) => Some(Value::real(&**r + Rational::from(by) / Rational::from(1 << self.random.below(4)))),
            _ => None,
        };
        moved.filter(|v| sorts.contains(sort, v)).unwrap_or_else(|| self.value(sorts, sort, &[]))
    }
}

/// Draws small numbers and short texts.
struct Small<'d> {
    draw: &'d mut Draw,
    /// Integers that are worth trying again.
    seen: &'d [BigInt],
}

impl sample::Draw for Small<'_> {
    fn source(&mut self) -> &mut Random {
        &mut self.draw.random
    }

    fn whole(&mut self, lo: Option<&BigInt>, hi: Option<&BigInt>) -> BigInt {
        let n = self.draw.integer(self.seen);
        clamp(n, lo, hi, |from, by| from + BigInt::from(by), self.draw)
    }

    fn real(&mut self, lo: Option<&Rational>, hi: Option<&Rational>) -> Rational {
        let n = Rational::from(self.draw.integer(self.seen)) / Rational::from(1 << self.draw.random.below(3));
        clamp(n, lo, hi, |from, by| from + Rational::from(by), self.draw)
    }

    fn text(&mut self, least: u64, most: Option<u64>) -> String {
        let length = sample::text_length(&mut self.draw.random, least, most, LONG);
        (0..length).map(|_| char::from(b'a' + self.draw.random.below(3) as u8)).collect()
    }

    fn length(&mut self) -> u64 {
        self.draw.random.below(LONG + 1)
    }

    fn place(&mut self, count: usize) -> usize {
        self.draw.place(count)
    }
}

/// The number, or if it is outside its range, one a little inside the end that it is beyond.
fn clamp<N: PartialOrd + Clone>(
    n: N,
    lo: Option<&N>,
    hi: Option<&N>,
    add: impl Fn(&N, i64) -> N,
    draw: &mut Draw,
) -> N {
    let by = draw.random.between(0, 3);
    let moved = match (lo, hi) {
        (Some(lo), _) if n < *lo => add(lo, by),
        (_, Some(hi)) if n > *hi => add(hi, -by),
        _ => return n,
    };
    // A narrow range: one of its ends.
    match (lo, hi) {
        (Some(lo), _) if moved < *lo => lo.clone(),
        (_, Some(hi)) if moved > *hi => hi.clone(),
        _ => moved,
    }
}
