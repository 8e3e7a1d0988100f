//! Sorts, constants and ranges in SMT-LIB.
//!
//! An enumeration whose constructors have no fields is a range of integers, which solvers handle much faster than
//! data types. All names are made of ids, so no name of a model needs quoting.

use std::fmt::{self, Write};

use sioco_model::number::{BigInt, Rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{DataId, Id, SortId, Value};

/// Why a term cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritable(pub String);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

/// The greatest character of SMT-LIB's strings.
const MAX_CHAR: u32 = 0x2_ffff;

/// Whether the data type is a plain enumeration.
pub fn is_enumeration(sorts: &Sorts, data: DataId) -> bool {
    sorts.data[data].constructors.iter().all(|c| c.fields.is_empty())
}

/// The sort, its ranges forgotten.
pub fn sort(sorts: &Sorts, id: SortId, out: &mut String) {
    match sorts.get(id) {
        Sort::Bool => out.push_str("Bool"),
        Sort::Int { .. } => out.push_str("Int"),
        Sort::Real { .. } => out.push_str("Real"),
        Sort::String => out.push_str("String"),
        Sort::Data(d) if is_enumeration(sorts, *d) => out.push_str("Int"),
        Sort::Data(d) => put(out, format_args!("D{}", d.index())),
        // Whoever writes looks for these before.
        Sort::Set(_) | Sort::Map(..) => out.push_str("Collection"),
        Sort::Seq(item) => {
            out.push_str("(Seq ");
            sort(sorts, *item, out);
            out.push(')');
        }
    }
}

/// Whether there is a set or a map in the values of a sort: SMT-LIB has no finite ones.
pub fn has_collection(sorts: &Sorts, id: SortId) -> bool {
    match sorts.get(id) {
        Sort::Set(_) | Sort::Map(..) => true,
        Sort::Seq(item) => has_collection(sorts, *item),
        Sort::Data(d) => {
            sorts.data[*d].constructors.iter().flat_map(|c| &c.fields).any(|f| has_collection(sorts, f.sort))
        }
        _ => false,
    }
}

/// The name of a constructor.
pub fn constructor(data: DataId, c: usize) -> String {
    format!("D{}c{c}", data.index())
}

/// The name of a field.
pub fn field(data: DataId, c: usize, f: usize) -> String {
    format!("D{}c{c}f{f}", data.index())
}

/// The declaration of a data type; those it is made of must be declared already.
pub fn declaration(sorts: &Sorts, data: DataId, out: &mut String) {
    put(out, format_args!("(declare-datatypes ((D{} 0)) ((", data.index()));
    for (c, alternative) in sorts.data[data].constructors.iter().enumerate() {
        put(out, format_args!("({}", constructor(data, c)));
        for (f, part) in alternative.fields.iter().enumerate() {
            put(out, format_args!(" ({} ", field(data, c, f)));
            sort(sorts, part.sort, out);
            out.push(')');
        }
        out.push(')');
    }
    out.push_str(")))\n");
}

/// The data types with fields that a sort is made of, inner ones first.
pub fn data_types(sorts: &Sorts, id: SortId, found: &mut Vec<DataId>) {
    match sorts.get(id) {
        Sort::Data(d) if !is_enumeration(sorts, *d) && !found.contains(d) => {
            for part in sorts.data[*d].constructors.iter().flat_map(|c| &c.fields) {
                data_types(sorts, part.sort, found);
            }
            found.push(*d);
        }
        Sort::Seq(item) => data_types(sorts, *item, found),
        _ => {}
    }
}

/// A constant.
pub fn literal(sorts: &Sorts, id: SortId, value: &Value, out: &mut String) -> Result<(), Unwritable> {
    match (sorts.get(id), value) {
        (_, Value::Bool(b)) => put(out, format_args!("{b}")),
        (_, Value::Int(n)) if *n >= 0 => put(out, format_args!("{n}")),
        (_, Value::Int(n)) => put(out, format_args!("(- {})", n.unsigned_abs())),
        (_, Value::BigInt(n)) => integer(n, "", out),
        (_, Value::Real(r)) => real(r, out),
        (_, Value::Str(s)) => string(s, out)?,
        (Sort::Data(d), Value::Enum(c)) if is_enumeration(sorts, *d) => put(out, format_args!("{c}")),
        (Sort::Data(d), Value::Enum(c)) => out.push_str(&constructor(*d, *c as usize)),
        (Sort::Data(d), Value::Data(v)) => {
            let c = v.constructor as usize;
            put(out, format_args!("({}", constructor(*d, c)));
            for (part, v) in sorts.data[*d].constructors[c].fields.iter().zip(&v.fields) {
                out.push(' ');
                literal(sorts, part.sort, v, out)?;
            }
            out.push(')');
        }
        (Sort::Seq(item), Value::Seq(items)) => {
            sequence(sorts, id, items.len(), out, &mut |i, out| literal(sorts, *item, &items[i], out))?;
        }
        _ => return Err(Unwritable(format!("`{value}` is no value of `{}`", sorts.name(id)))),
    }
    Ok(())
}

/// A sequence of so many items, each written by `item`.
pub fn sequence(
    sorts: &Sorts,
    id: SortId,
    len: usize,
    out: &mut String,
    item: &mut dyn FnMut(usize, &mut String) -> Result<(), Unwritable>,
) -> Result<(), Unwritable> {
    if len == 0 {
        out.push_str("(as seq.empty ");
        sort(sorts, id, out);
        out.push(')');
        return Ok(());
    }
    // A concatenation has at least two parts.
    out.push_str(if len > 1 { "(seq.++" } else { "" });
    for i in 0..len {
        out.push_str(if len > 1 { " (seq.unit " } else { "(seq.unit " });
        item(i, out)?;
        out.push(')');
    }
    out.push_str(if len > 1 { ")" } else { "" });
    Ok(())
}

fn integer(n: &BigInt, point: &str, out: &mut String) {
    let digits = n.to_string();
    match digits.strip_prefix('-') {
        Some(digits) => put(out, format_args!("(- {digits}{point})")),
        None => put(out, format_args!("{digits}{point}")),
    }
}

fn real(r: &Rational, out: &mut String) {
    let denominator = BigInt::from(r.denominator().clone());
    if denominator == BigInt::ONE {
        integer(r.numerator(), ".0", out);
    } else {
        out.push_str("(/ ");
        integer(r.numerator(), ".0", out);
        put(out, format_args!(" {denominator}.0)"));
    }
}

fn string(text: &str, out: &mut String) -> Result<(), Unwritable> {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\"\""),
            // A backslash could begin an escape.
            ' '..='~' if c != '\\' => out.push(c),
            c if c as u32 <= MAX_CHAR => put(out, format_args!("\\u{{{:x}}}", c as u32)),
            c => return Err(Unwritable(format!("SMT-LIB strings have no character U+{:X}", c as u32))),
        }
    }
    out.push('"');
    Ok(())
}

/// The condition that `x`, a value of the sort without its ranges, is inside of them; `None` if it always is.
/// Sequences whose items have ranges need a quantifier, which `quantified` then says.
pub fn range(sorts: &Sorts, id: SortId, x: &str, depth: usize, quantified: &mut bool) -> Option<String> {
    let between = |lo: Option<String>, hi: Option<String>| match (lo, hi) {
        (None, None) => None,
        (Some(lo), None) => Some(format!("(<= {lo} {x})")),
        (None, Some(hi)) => Some(format!("(<= {x} {hi})")),
        (Some(lo), Some(hi)) => Some(format!("(<= {lo} {x} {hi})")),
    };
    let written = |write: &dyn Fn(&mut String)| {
        let mut out = String::new();
        write(&mut out);
        out
    };
    match sorts.get(id) {
        Sort::Bool | Sort::String => None,
        Sort::Int { lo, hi } => {
            let bound = |n: &BigInt| written(&|out| integer(n, "", out));
            between(lo.as_ref().map(bound), hi.as_ref().map(bound))
        }
        Sort::Real { lo, hi } => {
            let bound = |r: &Rational| written(&|out| real(r, out));
            between(lo.as_ref().map(bound), hi.as_ref().map(bound))
        }
        Sort::Data(d) if is_enumeration(sorts, *d) => {
            let last = sorts.data[*d].constructors.len().saturating_sub(1);
            between(Some("0".into()), Some(last.to_string()))
        }
        Sort::Data(d) => {
            let constructors = &sorts.data[*d].constructors;
            let mut parts = Vec::new();
            for (c, alternative) in constructors.iter().enumerate() {
                for (f, part) in alternative.fields.iter().enumerate() {
                    let inner = format!("({} {x})", field(*d, c, f));
                    let Some(inside) = range(sorts, part.sort, &inner, depth, quantified) else { continue };
                    parts.push(match constructors.len() {
                        1 => inside,
                        _ => format!("(=> ((_ is {}) {x}) {inside})", constructor(*d, c)),
                    });
                }
            }
            conjunction(parts)
        }
        Sort::Set(_) | Sort::Map(..) => None,
        Sort::Seq(item) => {
            let i = format!("i{depth}");
            let inside = range(sorts, *item, &format!("(seq.nth {x} {i})"), depth + 1, quantified)?;
            *quantified = true;
            Some(format!("(forall (({i} Int)) (=> (and (<= 0 {i}) (< {i} (seq.len {x}))) {inside}))"))
        }
    }
}

fn conjunction(mut parts: Vec<String>) -> Option<String> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(format!("(and {})", parts.join(" "))),
    }
}

/// Adds formatted text.
pub fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes any text");
}
