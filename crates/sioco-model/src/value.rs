//! Values: the elements of the sorts (S0 section 2.2, the initial algebra).

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::number::{BigInt, Rational, show_rational};
use crate::visible;

/// A value may have at most this many characters and items in all, counted each time they occur. It is a long message;
/// with more, a few steps that double a value would fill the memory.
pub const MAX_SIZE: usize = 1 << 20;

/// Whether these values together are not too large to be one.
pub(crate) fn small(values: &[Value]) -> bool {
    /// What is left of the size, `None` if it is used up: parts may be shared so often that they cannot be counted.
    fn rest(value: &Value, left: usize) -> Option<usize> {
        let left = left.checked_sub(1)?;
        match value {
            Value::Str(s) => left.checked_sub(s.len()),
            Value::Seq(items) => items.iter().try_fold(left, |left, v| rest(v, left)),
            Value::Data(d) => d.fields.iter().try_fold(left, |left, v| rest(v, left)),
            Value::Set(items) => items.iter().try_fold(left, |left, v| rest(v, left)),
            Value::Map(entries) => entries.iter().try_fold(left, |left, (k, v)| rest(v, rest(k, left)?)),
            _ => Some(left),
        }
    }
    values.iter().try_fold(MAX_SIZE, |left, v| rest(v, left)).is_some()
}

/// A value. Two equal values have equal representations: small integers are never stored as big ones, and a
/// constructor without fields is never stored as a node; sets and maps are sorted and have nothing twice.
///
/// Values of one sort have a *fixed order*: false before true; numbers by size; strings by Unicode scalar values;
/// constructors by position, then by their fields; sequences, sets and maps lexicographically, maps as lists of entries.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// An integer that does not.
    BigInt(Arc<BigInt>),
    /// An exact rational.
    Real(Arc<Rational>),
    /// A string of Unicode scalar values.
    Str(Arc<Box<str>>),
    /// A constructor without fields, by its position in the data type.
    Enum(u32),
    /// A constructor with fields, or a record.
    Data(Arc<DataValue>),
    /// A sequence.
    Seq(Arc<Vec<Value>>),
    /// A finite set: its items in the fixed order, each once.
    Set(Arc<Vec<Value>>),
    /// A finite map: its entries in the fixed order of the keys, each key once.
    Map(Arc<Vec<(Value, Value)>>),
}

/// A constructor applied to its fields.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DataValue {
    /// The constructor, by its position in the data type.
    pub constructor: u32,
    /// One value per field.
    pub fields: Box<[Value]>,
}

impl Value {
    /// A real value.
    pub fn real(r: Rational) -> Value {
        Value::Real(Arc::new(r))
    }

    /// A string value.
    pub fn string(s: &str) -> Value {
        Value::Str(Arc::new(s.into()))
    }

    /// A sequence value.
    pub fn seq(items: Vec<Value>) -> Value {
        Value::Seq(Arc::new(items))
    }

    /// A set of these items, in any order and some of them perhaps twice.
    pub fn set(mut items: Vec<Value>) -> Value {
        items.sort_unstable();
        items.dedup();
        Value::Set(Arc::new(items))
    }

    /// A map of these entries, in any order; the key that is there twice if one is.
    ///
    /// # Errors
    /// If two entries have the same key.
    pub fn map(mut entries: Vec<(Value, Value)>) -> Result<Value, Value> {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        match entries.windows(2).find(|w| w[0].0 == w[1].0) {
            Some(twice) => Err(twice[0].0.clone()),
            None => Ok(Value::Map(Arc::new(entries))),
        }
    }

    /// A constructor applied to fields.
    pub fn data(constructor: u32, fields: Vec<Value>) -> Value {
        if fields.is_empty() {
            Value::Enum(constructor)
        } else {
            Value::Data(Arc::new(DataValue { constructor, fields: fields.into() }))
        }
    }

    /// How much room it takes: about how many words.
    pub fn weight(&self) -> usize {
        let all = |values: &[Value]| values.iter().fold(1, |sum: usize, v| sum.saturating_add(v.weight()));
        match self {
            Value::Bool(_) | Value::Int(_) | Value::Enum(_) => 1,
            Value::BigInt(_) | Value::Real(_) => 1 + crate::number::bits(self) / 64,
            Value::Str(s) => 1 + s.len() / 8,
            Value::Data(d) => all(&d.fields),
            Value::Seq(items) | Value::Set(items) => all(items),
            Value::Map(entries) => {
                entries.iter().fold(1, |sum: usize, (k, v)| sum.saturating_add(k.weight()).saturating_add(v.weight()))
            }
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The constructor of a data value.
    pub fn constructor(&self) -> Option<u32> {
        match self {
            Value::Enum(c) => Some(*c),
            Value::Data(d) => Some(d.constructor),
            _ => None,
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The fixed order. Values of different sorts are never compared by the language; here they have some order.
impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        /// The first step of a comparison between values of different kinds.
        fn kind(v: &Value) -> u8 {
            match v {
                Value::Bool(_) => 0,
                Value::Int(_) | Value::BigInt(_) => 1,
                Value::Real(_) => 2,
                Value::Str(_) => 3,
                Value::Enum(_) | Value::Data(_) => 4,
                Value::Seq(_) => 5,
                Value::Set(_) => 6,
                Value::Map(_) => 7,
            }
        }
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            // A small integer is never stored as a big one: the sign of the big one decides.
            (Value::Int(_), Value::BigInt(b)) => BigInt::ZERO.cmp(b),
            (Value::BigInt(a), Value::Int(_)) => a.as_ref().cmp(&BigInt::ZERO),
            (Value::BigInt(a), Value::BigInt(b)) => a.cmp(b),
            (Value::Real(a), Value::Real(b)) => a.cmp(b),
            // By bytes, which is the same as by scalar values.
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Enum(a), Value::Enum(b)) => a.cmp(b),
            // Those with one constructor are of different types: still they are not equal.
            (Value::Enum(a), Value::Data(b)) => a.cmp(&b.constructor).then(Ordering::Less),
            (Value::Data(a), Value::Enum(b)) => a.constructor.cmp(b).then(Ordering::Greater),
            (Value::Data(a), Value::Data(b)) => a.cmp(b),
            (Value::Seq(a), Value::Seq(b)) | (Value::Set(a), Value::Set(b)) => a.cmp(b),
            (Value::Map(a), Value::Map(b)) => a.cmp(b),
            _ => kind(self).cmp(&kind(other)),
        }
    }
}

/// Shown without the names of constructors; [`Sorts::show`](crate::sort::Sorts::show) knows them.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::BigInt(n) => write!(f, "{n}"),
            Value::Real(r) => f.write_str(&show_rational(r)),
            Value::Str(s) => f.write_str(&quote(s)),
            Value::Enum(c) => write!(f, "#{c}"),
            Value::Data(d) => {
                write!(f, "#{}(", d.constructor)?;
                for (i, v) in d.fields.iter().enumerate() {
                    write!(f, "{}{v}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Value::Seq(items) => {
                f.write_str("[")?;
                for (i, v) in items.iter().enumerate() {
                    write!(f, "{}{v}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Value::Set(items) => {
                f.write_str("{")?;
                for (i, v) in items.iter().enumerate() {
                    write!(f, "{}{v}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Value::Map(entries) => {
                f.write_str("{")?;
                for (i, (k, v)) in entries.iter().enumerate() {
                    write!(f, "{}{k}: {v}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A string literal of the language for the text.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if visible::is_hidden(c) => visible::escape(c, &mut out),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
