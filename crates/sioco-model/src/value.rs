//! Values: the elements of the sorts (S0 section 2.2, the initial algebra).

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
            _ => Some(left),
        }
    }
    values.iter().try_fold(MAX_SIZE, |left, v| rest(v, left)).is_some()
}

/// A value. Two equal values have equal representations: small integers are never stored as big ones, and a
/// constructor without fields is never stored as a node.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
            Value::Seq(items) => all(items),
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
