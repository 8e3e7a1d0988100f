//! Sorts: the types of the language (T-M7; S0 section 2.2, the sort names of a signature).
//!
//! Sorts are interned in a [`Sorts`] table. A range (`Int in 1..10`) is a sort of its own; [`Sorts::base`] forgets
//! ranges. Terms are typed by base sorts, while variables, parameters and fields keep their ranges, and whatever may
//! leave a range on its way into one of them is checked there (see [`Op::Checked`](crate::term::Op::Checked)).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::id::{DataId, IdVec, SortId};
use crate::number::{self, BigInt, Rational, show_rational};
use crate::value::{Value, quote};

/// A sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers, inside the bounds that are given.
    Int {
        /// Least value.
        lo: Option<BigInt>,
        /// Greatest value.
        hi: Option<BigInt>,
    },
    /// Exact rationals, inside the bounds that are given.
    Real {
        /// Least value.
        lo: Option<Rational>,
        /// Greatest value.
        hi: Option<Rational>,
    },
    /// Strings of Unicode scalar values.
    String,
    /// An enumeration, a variant type or a record.
    Data(DataId),
    /// Finite sequences.
    Seq(SortId),
    /// Finite sets.
    Set(SortId),
    /// Finite maps, from keys to values.
    Map(SortId, SortId),
}

/// An enumeration, a variant type, or a record (one constructor with the type's own name).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataType {
    /// Its name.
    pub name: String,
    /// Whether it was written as a record.
    pub record: bool,
    /// Its constructors, in the order written.
    pub constructors: Vec<Constructor>,
}

/// One alternative of a data type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A named part of a constructor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its sort, with its range.
    pub sort: SortId,
}

/// The table of sorts and data types of a model.
#[derive(Clone, Debug)]
pub struct Sorts {
    sorts: IdVec<SortId, Sort>,
    base: IdVec<SortId, SortId>,
    index: FxHashMap<Sort, SortId>,
    /// The data types.
    pub data: IdVec<DataId, DataType>,
    /// `Bool`.
    pub bool: SortId,
    /// Unbounded `Int`.
    pub int: SortId,
    /// Unbounded `Real`.
    pub real: SortId,
    /// `String`.
    pub string: SortId,
}

impl Default for Sorts {
    fn default() -> Self {
        let zero = crate::id::Id::from_index(0);
        let mut sorts = Sorts {
            sorts: IdVec::new(),
            base: IdVec::new(),
            index: FxHashMap::default(),
            data: IdVec::new(),
            bool: zero,
            int: zero,
            real: zero,
            string: zero,
        };
        sorts.bool = sorts.intern(Sort::Bool);
        sorts.int = sorts.intern(Sort::Int { lo: None, hi: None });
        sorts.real = sorts.intern(Sort::Real { lo: None, hi: None });
        sorts.string = sorts.intern(Sort::String);
        sorts
    }
}

impl Sorts {
    /// The id of a sort.
    pub fn intern(&mut self, sort: Sort) -> SortId {
        if let Some(&id) = self.index.get(&sort) {
            return id;
        }
        let base = match &sort {
            Sort::Int { lo, hi } if lo.is_some() || hi.is_some() => Some(self.int),
            Sort::Real { lo, hi } if lo.is_some() || hi.is_some() => Some(self.real),
            Sort::Seq(item) => {
                let item = self.base(*item);
                let stripped = Sort::Seq(item);
                if stripped == sort { None } else { Some(self.intern(stripped)) }
            }
            Sort::Set(item) => {
                let stripped = Sort::Set(self.base(*item));
                if stripped == sort { None } else { Some(self.intern(stripped)) }
            }
            Sort::Map(key, value) => {
                let stripped = Sort::Map(self.base(*key), self.base(*value));
                if stripped == sort { None } else { Some(self.intern(stripped)) }
            }
            _ => None,
        };
        let id = self.sorts.push(sort.clone());
        self.base.push(base.unwrap_or(id));
        self.index.insert(sort, id);
        id
    }

    /// The sort of an id.
    pub fn get(&self, id: SortId) -> &Sort {
        &self.sorts[id]
    }

    /// The sort without its ranges.
    pub fn base(&self, id: SortId) -> SortId {
        self.base[id]
    }

    /// The sequence sort over an item sort.
    pub fn seq(&mut self, item: SortId) -> SortId {
        self.intern(Sort::Seq(item))
    }

    /// The set sort over an item sort.
    pub fn set(&mut self, item: SortId) -> SortId {
        self.intern(Sort::Set(item))
    }

    /// The map sort from keys to values.
    pub fn map(&mut self, key: SortId, value: SortId) -> SortId {
        self.intern(Sort::Map(key, value))
    }

    /// The sort of a data type.
    pub fn data_sort(&mut self, data: DataId) -> SortId {
        self.intern(Sort::Data(data))
    }

    /// Whether the sort is `Int` or `Real`, ranged or not.
    pub fn is_numeric(&self, id: SortId) -> bool {
        matches!(self.get(id), Sort::Int { .. } | Sort::Real { .. })
    }

    /// Whether the value is an element of the sort, its ranges included.
    pub fn contains(&self, id: SortId, value: &Value) -> bool {
        match (self.get(id), value) {
            (Sort::Bool, Value::Bool(_)) | (Sort::String, Value::Str(_)) => true,
            (Sort::Int { lo: None, hi: None }, Value::Int(_) | Value::BigInt(_)) => true,
            (Sort::Int { lo, hi }, Value::Int(n)) => {
                // A bound that is larger than all of these lies on its own side of them.
                let at_least = |lo: &BigInt| i64::try_from(lo).map_or(*lo < BigInt::ZERO, |lo| lo <= *n);
                let at_most = |hi: &BigInt| i64::try_from(hi).map_or(*hi > BigInt::ZERO, |hi| *n <= hi);
                lo.as_ref().is_none_or(at_least) && hi.as_ref().is_none_or(at_most)
            }
            (Sort::Int { lo, hi }, Value::BigInt(_)) => {
                let Some(n) = number::to_big(value) else { return false };
                lo.as_ref().is_none_or(|lo| *lo <= n) && hi.as_ref().is_none_or(|hi| n <= *hi)
            }
            (Sort::Real { lo, hi }, Value::Real(r)) => {
                let ordered = |a: &Rational, b: &Rational| number::compare_rationals(a, b).is_le();
                lo.as_ref().is_none_or(|lo| ordered(lo, r)) && hi.as_ref().is_none_or(|hi| ordered(r, hi))
            }
            (Sort::Data(d), Value::Enum(c)) => {
                self.data[*d].constructors.get(*c as usize).is_some_and(|c| c.fields.is_empty())
            }
            (Sort::Data(d), Value::Data(v)) => {
                self.data[*d].constructors.get(v.constructor as usize).is_some_and(|c| {
                    c.fields.len() == v.fields.len()
                        && !v.fields.is_empty()
                        && c.fields.iter().zip(&v.fields).all(|(f, v)| self.contains(f.sort, v))
                })
            }
            (Sort::Seq(item), Value::Seq(items)) | (Sort::Set(item), Value::Set(items)) => {
                items.iter().all(|v| self.contains(*item, v))
            }
            (Sort::Map(key, value), Value::Map(entries)) => {
                entries.iter().all(|(k, v)| self.contains(*key, k) && self.contains(*value, v))
            }
            _ => false,
        }
    }

    /// Whether every value of `a` is a value of `b`, decided on the sorts alone.
    pub fn includes(&self, b: SortId, a: SortId) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Sort::Int { lo: alo, hi: ahi }, Sort::Int { lo: blo, hi: bhi }) => {
                at_least(alo.as_ref(), blo.as_ref()) && at_most(ahi.as_ref(), bhi.as_ref())
            }
            (Sort::Real { lo: alo, hi: ahi }, Sort::Real { lo: blo, hi: bhi }) => {
                at_least(alo.as_ref(), blo.as_ref()) && at_most(ahi.as_ref(), bhi.as_ref())
            }
            (Sort::Seq(a), Sort::Seq(b)) | (Sort::Set(a), Sort::Set(b)) => self.includes(*b, *a),
            (Sort::Map(ak, av), Sort::Map(bk, bv)) => self.includes(*bk, *ak) && self.includes(*bv, *av),
            _ => false,
        }
    }

    /// Whether a value of `a` may also be one of `b`, decided on the ranges alone.
    pub fn overlap(&self, a: SortId, b: SortId) -> bool {
        match (self.get(a), self.get(b)) {
            (Sort::Int { lo: alo, hi: ahi }, Sort::Int { lo: blo, hi: bhi }) => {
                meets(alo.as_ref(), bhi.as_ref()) && meets(blo.as_ref(), ahi.as_ref())
            }
            (Sort::Real { lo: alo, hi: ahi }, Sort::Real { lo: blo, hi: bhi }) => {
                meets(alo.as_ref(), bhi.as_ref()) && meets(blo.as_ref(), ahi.as_ref())
            }
            // The empty one, if no other.
            (Sort::Seq(_), Sort::Seq(_)) | (Sort::Set(_), Sort::Set(_)) | (Sort::Map(..), Sort::Map(..)) => {
                self.base(a) == self.base(b)
            }
            _ => a == b,
        }
    }

    /// Some value of the sort, the same each time: zero or the bound nearest to it, `false`, the first constructor,
    /// the empty string, sequence, set or map.
    pub fn default_value(&self, id: SortId) -> Value {
        match self.get(id) {
            Sort::Bool => Value::Bool(false),
            Sort::Int { lo, hi } => {
                let zero = BigInt::ZERO;
                number::int(match (lo, hi) {
                    (Some(lo), _) if *lo > zero => lo.clone(),
                    (_, Some(hi)) if *hi < zero => hi.clone(),
                    _ => zero,
                })
            }
            Sort::Real { lo, hi } => {
                let zero = Rational::ZERO;
                Value::real(match (lo, hi) {
                    (Some(lo), _) if *lo > zero => lo.clone(),
                    (_, Some(hi)) if *hi < zero => hi.clone(),
                    _ => zero,
                })
            }
            Sort::String => Value::string(""),
            Sort::Data(d) => {
                let fields = self.data[*d].constructors.first().map_or(&[][..], |c| &c.fields);
                Value::data(0, fields.iter().map(|f| self.default_value(f.sort)).collect())
            }
            Sort::Seq(_) => Value::seq(Vec::new()),
            Sort::Set(_) => Value::set(Vec::new()),
            Sort::Map(..) => Value::Map(Arc::default()),
        }
    }

    /// How many values the sort has, if they are finitely many and fewer than 2^63.
    pub fn cardinality(&self, id: SortId) -> Option<u64> {
        let limit = |n: u64| (n < 1 << 63).then_some(n);
        match self.get(id) {
            Sort::Bool => Some(2),
            Sort::Int { lo: Some(lo), hi: Some(hi) } => u64::try_from(hi - lo + BigInt::ONE).ok().and_then(limit),
            Sort::Real { lo: Some(lo), hi: Some(hi) } if lo == hi => Some(1),
            Sort::Int { .. } | Sort::Real { .. } | Sort::String | Sort::Seq(_) => None,
            // Each item is in the set, or not.
            Sort::Set(item) => self.cardinality(*item).filter(|n| *n < 63).map(|n| 1 << n),
            // Each key has one of the values, or none.
            Sort::Map(key, value) => {
                let (keys, choices) = (self.cardinality(*key)?, self.cardinality(*value)?.checked_add(1)?);
                limit(choices.checked_pow(u32::try_from(keys).ok()?)?)
            }
            Sort::Data(d) => self.data[*d].constructors.iter().try_fold(0u64, |sum, c| {
                let product =
                    c.fields.iter().try_fold(1u64, |product, f| product.checked_mul(self.cardinality(f.sort)?))?;
                limit(sum.checked_add(product)?)
            }),
        }
    }

    /// The `index`-th value of a finite sort, in a fixed order.
    pub fn nth_value(&self, id: SortId, index: u64) -> Option<Value> {
        if index >= self.cardinality(id)? {
            return None;
        }
        match self.get(id) {
            Sort::Bool => Some(Value::Bool(index == 1)),
            Sort::Int { lo: Some(lo), .. } => Some(number::int(lo + BigInt::from(index))),
            Sort::Real { lo: Some(lo), .. } => Some(Value::real(lo.clone())),
            Sort::Data(d) => {
                let mut rest = index;
                for (tag, c) in self.data[*d].constructors.iter().enumerate() {
                    let sizes: Option<Vec<u64>> = c.fields.iter().map(|f| self.cardinality(f.sort)).collect();
                    let sizes = sizes?;
                    let count: u64 = sizes.iter().product();
                    if rest >= count {
                        rest -= count;
                        continue;
                    }
                    let mut fields = Vec::with_capacity(sizes.len());
                    for (f, size) in c.fields.iter().zip(&sizes).rev() {
                        fields.push(self.nth_value(f.sort, rest % size)?);
                        rest /= size;
                    }
                    fields.reverse();
                    return Some(Value::data(tag as u32, fields));
                }
                None
            }
            Sort::Set(item) => {
                let items = (0..63).filter(|i| index >> i & 1 == 1).map(|i| self.nth_value(*item, i));
                Some(Value::set(items.collect::<Option<Vec<_>>>()?))
            }
            Sort::Map(key, value) => {
                let (keys, choices) = (self.cardinality(*key)?, self.cardinality(*value)?.checked_add(1)?);
                let (mut rest, mut entries) = (index, Vec::new());
                for i in (0..keys).take_while(|_| choices > 1) {
                    if let Some(chosen) = (rest % choices).checked_sub(1) {
                        entries.push((self.nth_value(*key, i)?, self.nth_value(*value, chosen)?));
                    }
                    rest /= choices;
                }
                Value::map(entries).ok()
            }
            _ => None,
        }
    }

    /// The sort as the language writes it.
    pub fn name(&self, id: SortId) -> String {
        match self.get(id) {
            Sort::Bool => "Bool".into(),
            Sort::Int { lo: None, hi: None } => "Int".into(),
            Sort::Int { lo, hi } => format!("Int in {}..{}", show_opt(lo.as_ref()), show_opt(hi.as_ref())),
            Sort::Real { lo: None, hi: None } => "Real".into(),
            Sort::Real { lo, hi } => {
                let show = |r: &Option<Rational>| r.as_ref().map(show_rational).unwrap_or_default();
                format!("Real in {}..{}", show(lo), show(hi))
            }
            Sort::String => "String".into(),
            Sort::Data(d) => self.data[*d].name.clone(),
            Sort::Seq(item) => format!("Seq<{}>", self.name(*item)),
            Sort::Set(item) => format!("Set<{}>", self.name(*item)),
            Sort::Map(key, value) => format!("Map<{}, {}>", self.name(*key), self.name(*value)),
        }
    }

    /// The value as the language writes it.
    pub fn show(&self, id: SortId, value: &Value) -> String {
        match (self.get(id), value) {
            (_, Value::Str(s)) => quote(s),
            (Sort::Data(d), Value::Enum(c)) => match self.data[*d].constructors.get(*c as usize) {
                Some(c) => c.name.clone(),
                None => value.to_string(),
            },
            (Sort::Data(d), Value::Data(v)) => {
                let data = &self.data[*d];
                let Some(c) = data.constructors.get(v.constructor as usize) else { return value.to_string() };
                let fields = c.fields.iter().zip(&v.fields).map(|(f, v)| (f, self.show(f.sort, v)));
                if data.record {
                    let fields: Vec<_> = fields.map(|(f, v)| format!("{}: {v}", f.name)).collect();
                    format!("{} {{ {} }}", c.name, fields.join(", "))
                } else {
                    let fields: Vec<_> = fields.map(|(_, v)| v).collect();
                    format!("{}({})", c.name, fields.join(", "))
                }
            }
            (Sort::Seq(item), Value::Seq(items)) => {
                let items: Vec<_> = items.iter().map(|v| self.show(*item, v)).collect();
                format!("[{}]", items.join(", "))
            }
            (Sort::Set(item), Value::Set(items)) => {
                let items: Vec<_> = items.iter().map(|v| self.show(*item, v)).collect();
                format!("{{{}}}", items.join(", "))
            }
            (Sort::Map(key, item), Value::Map(entries)) => {
                let show = |(k, v): &(Value, Value)| format!("{}: {}", self.show(*key, k), self.show(*item, v));
                format!("{{{}}}", entries.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            _ => value.to_string(),
        }
    }
}

fn show_opt(n: Option<&BigInt>) -> String {
    n.map(ToString::to_string).unwrap_or_default()
}

fn at_least<T: PartialOrd>(a: Option<&T>, b: Option<&T>) -> bool {
    b.is_none_or(|b| a.is_some_and(|a| a >= b))
}

fn meets<T: PartialOrd>(lo: Option<&T>, hi: Option<&T>) -> bool {
    lo.zip(hi).is_none_or(|(lo, hi)| lo <= hi)
}

fn at_most<T: PartialOrd>(a: Option<&T>, b: Option<&T>) -> bool {
    b.is_none_or(|b| a.is_some_and(|a| a <= b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(sorts: &mut Sorts, lo: i64, hi: i64) -> SortId {
        sorts.intern(Sort::Int { lo: Some(lo.into()), hi: Some(hi.into()) })
    }

    #[test]
    fn ranges_have_a_base_and_bounds() {
        let mut sorts = Sorts::default();
        let small = range(&mut sorts, 1, 10);
        assert_eq!(sorts.base(small), sorts.int);
        assert_eq!(sorts.name(small), "Int in 1..10");
        assert!(sorts.contains(small, &Value::Int(10)) && !sorts.contains(small, &Value::Int(11)));
        assert!(!sorts.contains(small, &Value::Bool(true)));
        assert!(sorts.includes(sorts.int, small) && !sorts.includes(small, sorts.int));
        let seq = sorts.seq(small);
        let plain = sorts.seq(sorts.int);
        assert_eq!(sorts.base(seq), plain);
        assert!(sorts.includes(plain, seq) && !sorts.includes(seq, plain));
        let (large, middle) = (range(&mut sorts, 11, 20), range(&mut sorts, 5, 11));
        assert!(!sorts.overlap(small, large) && !sorts.overlap(large, small));
        assert!(sorts.overlap(small, middle) && sorts.overlap(middle, large) && sorts.overlap(small, sorts.int));
        assert!(sorts.overlap(seq, plain) && !sorts.overlap(seq, small));
    }

    #[test]
    fn finite_sorts_are_enumerated_without_repetition() {
        let mut sorts = Sorts::default();
        let digit = range(&mut sorts, 0, 2);
        let field = |name: &str, sort| Field { name: name.into(), sort };
        let data = sorts.data.push(DataType {
            name: "Reply".into(),
            record: false,
            constructors: vec![
                Constructor { name: "None".into(), fields: vec![] },
                Constructor { name: "Pair".into(), fields: vec![field("a", digit), field("b", sorts.bool)] },
            ],
        });
        let reply = sorts.data_sort(data);
        assert_eq!(sorts.cardinality(reply), Some(7));
        let all: Vec<_> = (0..7).map(|i| sorts.nth_value(reply, i).unwrap()).collect();
        assert!(all.iter().all(|v| sorts.contains(reply, v)));
        for (i, v) in all.iter().enumerate() {
            assert!(!all[..i].contains(v));
        }
        assert_eq!(sorts.nth_value(reply, 7), None);
        assert_eq!(sorts.show(reply, &all[6]), "Pair(2, true)");
        assert_eq!(sorts.cardinality(sorts.int), None);
    }
}
