//! The sampler: values of a sort at random.
//!
//! One recursion descends into a sort, to the fields of data and the items of sequences. An implementation of [`Draw`]
//! determines the numbers and texts, and may supply a value from another source. For example, the inputs of a walk are
//! often values that were used before, a played model prefers small numbers, and a value without conditions has any size.
//! [`Plain`] has no preferences. Values that a guard allows are drawn in the same way, between narrower bounds:
//! [`Interpreter::sample`](crate::semantics::Interpreter::sample).

use crate::id::SortId;
use crate::number::{self, BigInt, Rational};
pub use crate::random::Random;
use crate::sort::{Sort, Sorts};
use crate::value::Value;

/// Values in values are drawn at most this deep; what is below is [innermost](Draw::innermost). A sort that contains
/// itself would otherwise have no end, and each level multiplies the size.
pub const DEEP: u32 = 3;

/// Who draws.
pub trait Draw {
    /// Where chance comes from.
    fn source(&mut self) -> &mut Random;

    /// An integer between bounds, as far as there are any.
    fn whole(&mut self, lo: Option<&BigInt>, hi: Option<&BigInt>) -> BigInt;

    /// A number between bounds, as far as there are any.
    fn real(&mut self, lo: Option<&Rational>, hi: Option<&Rational>) -> Rational;

    /// A text of at least, and at most, so many characters.
    fn text(&mut self, least: u64, most: Option<u64>) -> String;

    /// How many items a sequence has.
    fn length(&mut self) -> u64;

    /// A value that comes from somewhere else; nothing if it is to be drawn.
    fn instead(&mut self, _sorts: &Sorts, _sort: SortId, _depth: u32) -> Option<Value> {
        None
    }

    /// A place in a list of so many.
    fn place(&mut self, count: usize) -> usize {
        self.source().below(count as u64) as usize
    }

    /// A value of a data type or a sequence in which nothing is drawn any more.
    fn innermost(&mut self, sorts: &Sorts, sort: SortId) -> Value {
        sorts.default_value(sort)
    }
}

/// Some value of a sort.
pub fn value<D: Draw + ?Sized>(sorts: &Sorts, sort: SortId, draw: &mut D) -> Value {
    value_inside(sorts, sort, 0, draw)
}

/// Some value of a sort, inside so many others.
pub fn value_inside<D: Draw + ?Sized>(sorts: &Sorts, sort: SortId, depth: u32, draw: &mut D) -> Value {
    if let Some(value) = draw.instead(sorts, sort, depth) {
        return value;
    }
    match sorts.get(sort) {
        Sort::Bool => Value::Bool(draw.source().below(2) == 1),
        Sort::Int { lo, hi } => number::int(draw.whole(lo.as_ref(), hi.as_ref())),
        Sort::Real { lo, hi } => Value::real(draw.real(lo.as_ref(), hi.as_ref())),
        Sort::String => Value::string(&draw.text(0, None)),
        Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) | Sort::Data(_) if depth >= DEEP => draw.innermost(sorts, sort),
        Sort::Seq(item) => {
            let length = draw.length();
            Value::seq((0..length).map(|_| value_inside(sorts, *item, depth + 1, draw)).collect())
        }
        // What is drawn twice is there once.
        Sort::Set(item) => {
            let length = draw.length();
            Value::set((0..length).map(|_| value_inside(sorts, *item, depth + 1, draw)).collect())
        }
        Sort::Map(key, item) => {
            let length = draw.length();
            let mut entries: Vec<(Value, Value)> = Vec::new();
            for _ in 0..length {
                let key = value_inside(sorts, *key, depth + 1, draw);
                let value = value_inside(sorts, *item, depth + 1, draw);
                if entries.iter().all(|(k, _)| *k != key) {
                    entries.push((key, value));
                }
            }
            Value::map(entries).unwrap_or_else(|_| sorts.default_value(sort))
        }
        Sort::Data(data) => {
            let constructors = &sorts.data[*data].constructors;
            let chosen = draw.place(constructors.len());
            let Some(constructor) = constructors.get(chosen) else { return sorts.default_value(sort) };
            let fields = constructor.fields.iter().map(|f| value_inside(sorts, f.sort, depth + 1, draw)).collect();
            Value::data(chosen as u32, fields)
        }
    }
}

/// Any value, all with the same chance as far as there are finitely many; of infinitely many, small ones more often.
#[derive(Debug)]
pub struct Plain<'r>(pub &'r mut Random);

impl Plain<'_> {
    /// A number of any size, small ones more often.
    fn magnitude(&mut self) -> i64 {
        let random = &mut *self.0;
        match random.below(8) {
            0..=4 => random.below(11) as i64,
            5 | 6 => random.below(1_001) as i64,
            _ => {
                let bits = random.below(40);
                (random.bits() >> (63 - bits)) as i64
            }
        }
    }
}

impl Draw for Plain<'_> {
    fn source(&mut self) -> &mut Random {
        self.0
    }

    fn whole(&mut self, lo: Option<&BigInt>, hi: Option<&BigInt>) -> BigInt {
        match (lo, hi) {
            (Some(lo), Some(hi)) => self.0.whole(lo, hi),
            (Some(lo), None) => lo + BigInt::from(self.magnitude()),
            (None, Some(hi)) => hi - BigInt::from(self.magnitude()),
            (None, None) => {
                let n = self.magnitude();
                BigInt::from(if self.0.below(2) == 0 { n } else { -n })
            }
        }
    }

    fn real(&mut self, lo: Option<&Rational>, hi: Option<&Rational>) -> Rational {
        let n = Rational::from(BigInt::from(self.magnitude()));
        let n = match self.0.below(3) {
            0 => n / Rational::from(BigInt::from(1 + self.0.below(16))),
            _ => n,
        };
        // Of two ends the number is between them; from one, it goes inside.
        let negative = lo.is_none() && self.0.below(2) == 0;
        match (lo, hi) {
            (Some(lo), Some(hi)) => {
                let part = Rational::from(BigInt::from(self.0.below(1025)));
                lo + (hi - lo) * part / Rational::from(BigInt::from(1024))
            }
            (Some(lo), None) => lo + n,
            (None, Some(hi)) => hi - n,
            (None, None) if negative => -n,
            (None, None) => n,
        }
    }

    fn text(&mut self, least: u64, most: Option<u64>) -> String {
        let length = text_length(self.0, least, most, 5);
        (0..length).map(|_| (b'a' + self.0.below(4) as u8) as char).collect()
    }

    fn length(&mut self) -> u64 {
        self.0.below(4)
    }

    /// Of a data type, one of the constructors without fields, if it has some.
    fn innermost(&mut self, sorts: &Sorts, sort: SortId) -> Value {
        let Sort::Data(data) = sorts.get(sort) else { return sorts.default_value(sort) };
        let constructors = &sorts.data[*data].constructors;
        let flat: Vec<usize> = (0..constructors.len()).filter(|c| constructors[*c].fields.is_empty()).collect();
        match flat.get(self.place(flat.len())) {
            Some(chosen) => Value::data(*chosen as u32, Vec::new()),
            None => sorts.default_value(sort),
        }
    }
}

/// How long a text is: from the least length up to so much more, and no longer than it may be.
pub fn text_length(random: &mut Random, least: u64, most: Option<u64>, more: u64) -> u64 {
    let most = most.unwrap_or(u64::MAX).min(least.saturating_add(more));
    least.saturating_add(random.below(most.saturating_sub(least).saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::{Constructor, DataType, Field};

    /// Draws the same of everything, and counts what it was asked.
    struct Same {
        random: Random,
        asked: Vec<&'static str>,
        depths: Vec<u32>,
    }

    impl Draw for Same {
        fn source(&mut self) -> &mut Random {
            &mut self.random
        }

        fn whole(&mut self, lo: Option<&BigInt>, _: Option<&BigInt>) -> BigInt {
            self.asked.push("whole");
            lo.cloned().unwrap_or(BigInt::from(7))
        }

        fn real(&mut self, _: Option<&Rational>, _: Option<&Rational>) -> Rational {
            self.asked.push("real");
            Rational::from(1)
        }

        fn text(&mut self, _: u64, _: Option<u64>) -> String {
            self.asked.push("text");
            "t".into()
        }

        fn length(&mut self) -> u64 {
            2
        }

        fn instead(&mut self, _: &Sorts, _: SortId, depth: u32) -> Option<Value> {
            self.depths.push(depth);
            None
        }

        fn place(&mut self, count: usize) -> usize {
            count - 1
        }
    }

    fn same() -> Same {
        Same { random: Random::new(1), asked: Vec::new(), depths: Vec::new() }
    }

    /// The sampler goes down to every part of a value, asks for each what it is, and no deeper than it should.
    #[test]
    fn every_part_is_drawn() {
        let mut sorts = Sorts::default();
        let field = |name: &str, sort| Field { name: name.into(), sort };
        let texts = sorts.seq(sorts.string);
        let fields = vec![field("a", sorts.intern(Sort::Int { lo: Some(3.into()), hi: None })), field("b", texts)];
        let constructor = |name: &str, fields| Constructor { name: name.into(), fields };
        let constructors = vec![constructor("N", Vec::new()), constructor("C", fields)];
        let data = sorts.data.push(DataType { name: "D".into(), record: false, constructors });
        let sort = sorts.data_sort(data);
        let mut draw = same();
        let drawn = value(&sorts, sort, &mut draw);
        let text = || Value::string("t");
        assert_eq!(drawn, Value::data(1, vec![Value::Int(3), Value::seq(vec![text(), text()])]));
        assert_eq!((draw.asked, draw.depths), (vec!["whole", "text", "text"], vec![0, 1, 1, 2, 2]));
        // Three levels of values in values; below, there is nothing.
        let deep = (0..5).fold(sorts.real, |item, _| sorts.seq(item));
        let mut drawn = value(&sorts, deep, &mut same());
        for _ in 0..DEEP {
            let Value::Seq(items) = &drawn else { panic!("{drawn:?}") };
            assert_eq!(items.len(), 2);
            drawn = items[0].clone();
        }
        assert_eq!(drawn, Value::seq(Vec::new()));
        assert_eq!(value_inside(&sorts, sort, DEEP, &mut same()), sorts.default_value(sort));
        assert_eq!(value_inside(&sorts, sort, DEEP, &mut Plain(&mut Random::new(1))), Value::data(0, Vec::new()));
    }

    /// Somebody may have a value of their own, also for the parts of one.
    #[test]
    fn values_may_come_from_somewhere_else() {
        struct Known(Random);
        impl Draw for Known {
            fn source(&mut self) -> &mut Random {
                &mut self.0
            }
            fn whole(&mut self, _: Option<&BigInt>, _: Option<&BigInt>) -> BigInt {
                panic!("no integer is drawn")
            }
            fn real(&mut self, _: Option<&Rational>, _: Option<&Rational>) -> Rational {
                panic!("no real is drawn")
            }
            fn text(&mut self, _: u64, _: Option<u64>) -> String {
                panic!("no text is drawn")
            }
            fn length(&mut self) -> u64 {
                1
            }
            fn instead(&mut self, sorts: &Sorts, sort: SortId, _: u32) -> Option<Value> {
                (sort == sorts.int).then(|| Value::Int(4))
            }
        }
        let mut sorts = Sorts::default();
        let sequence = sorts.seq(sorts.int);
        let drawn = value(&sorts, sequence, &mut Known(Random::new(1)));
        assert_eq!(drawn, Value::seq(vec![Value::Int(4)]));
    }

    /// Truth values and constructors come up all; texts are as long as they may be.
    #[test]
    fn plain_values_differ() {
        let sorts = Sorts::default();
        let mut random = Random::new(3);
        let truths: Vec<Value> = (0..20).map(|_| value(&sorts, sorts.bool, &mut Plain(&mut random))).collect();
        assert!([true, false].iter().all(|t| truths.contains(&Value::Bool(*t))));
        for (least, most) in [(0, None), (2, Some(2)), (1, Some(3)), (9, None)] {
            let lengths: Vec<u64> = (0..200).map(|_| text_length(&mut random, least, most, 4)).collect();
            assert!(lengths.iter().all(|l| *l >= least && *l <= most.unwrap_or(least + 4)), "{least}, {most:?}");
            assert!(lengths.contains(&least) && lengths.contains(&most.unwrap_or(least + 4)));
        }
    }
}
