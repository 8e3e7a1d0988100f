//! Values written in the language: `6`, `-1 / 3`, `"text"`, `Red`, `Balance(5)`, `Point { x: 1, y: 2 }`, `[1, 2]`,
//! `{1, 2}`, `{"a": 1}`.
//!
//! For what people and scripts type while a model runs, where no checker is at hand: only literals, read for a sort
//! that is known.

use std::fmt;

use sioco_model::number::{self, Rational};
use sioco_model::sort::{Field, Sort, Sorts};
use sioco_model::visible::shortened;
use sioco_model::{SortId, Value};

use crate::source::FileId;
use crate::syntax::ast::{BinOp, Expr, ExprKind};
use crate::syntax::parser::parse_expr;

/// Why a text is no value of a sort. Whoever wrote it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueError {
    /// It is no value at all; the text, in short.
    NoValue(String),
    /// It, or a part of it, is out of the range.
    Outside {
        /// Where the part is, such as `point.x`; empty for the whole.
        place: String,
        /// The value.
        value: String,
        /// The type with its range.
        sort: String,
    },
    /// It, or a part of it, is of another type.
    Misfit {
        /// Where the part is, such as `point.x`; empty for the whole.
        place: String,
        /// What is written there, in short.
        written: String,
        /// The type.
        sort: String,
        /// What could be written, where that is a short list.
        help: String,
    },
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ValueError::Outside { place, .. } | ValueError::Misfit { place, .. } = self
            && !place.is_empty()
        {
            write!(f, "in `{place}`: ")?;
        }
        match self {
            ValueError::NoValue(text) => write!(f, "`{text}` is not a value"),
            ValueError::Outside { value, sort, .. } => write!(f, "{value} is outside of `{sort}`"),
            ValueError::Misfit { written, sort, help, .. } => {
                write!(f, "`{written}` is not a value of type `{sort}`{help}")
            }
        }
    }
}

impl std::error::Error for ValueError {}

/// Reads a value of a sort.
///
/// ```
/// use sioco_lang::value::parse_value;
/// use sioco_model::{Value, sort::Sorts};
///
/// let sorts = Sorts::default();
/// assert_eq!(parse_value(&sorts, sorts.int, "-6"), Ok(Value::Int(-6)));
/// assert!(parse_value(&sorts, sorts.int, "true").is_err());
/// ```
pub fn parse_value(sorts: &Sorts, sort: SortId, text: &str) -> Result<Value, ValueError> {
    let (expr, problems) = parse_expr(FileId(0), text);
    if !problems.is_empty() {
        return Err(ValueError::NoValue(shortened(text.trim()).into_owned()));
    }
    read(sorts, sort, &expr).ok_or_else(|| {
        let (place, sort, part) = culprit(sorts, sort, &expr);
        let place = place.trim_start_matches('.').to_owned();
        let name = sorts.name(sort);
        match read(sorts, sorts.base(sort), part) {
            Some(value) => ValueError::Outside { place, value: sorts.show(sorts.base(sort), &value), sort: name },
            None => {
                let written = text.get(part.span.start as usize..part.span.end as usize).unwrap_or(text);
                let written = shortened(written.trim()).into_owned();
                ValueError::Misfit { place, written, sort: name, help: alternatives(sorts, sort) }
            }
        }
    })
}

/// The smallest part of an expression that keeps it from being a value of the sort, which it is not: where it is
/// (`.point.x`, `.items[2]`), and of which sort it would have to be.
fn culprit<'e>(sorts: &Sorts, sort: SortId, expr: &'e Expr) -> (String, SortId, &'e Expr) {
    let parts: Vec<(String, SortId, &Expr)> = match (&expr.kind, sorts.get(sort)) {
        (ExprKind::Paren(inner), _) => return culprit(sorts, sort, inner),
        (ExprKind::Seq(items), Sort::Seq(item)) => {
            items.iter().enumerate().map(|(i, e)| (format!("[{i}]"), *item, e)).collect()
        }
        (ExprKind::Set(items), Sort::Set(item)) => items.iter().map(|e| (String::new(), *item, e)).collect(),
        (ExprKind::Map(entries), Sort::Map(key, value)) => {
            let shown = |key: SortId, e: &Expr| read(sorts, key, e).map_or_else(String::new, |v| sorts.show(key, &v));
            let parts = entries.iter().flat_map(|(k, v)| [(String::new(), *key, k), (shown(*key, k), *value, v)]);
            parts.map(|(name, sort, e)| (if name.is_empty() { name } else { format!("[{name}]") }, sort, e)).collect()
        }
        (ExprKind::Call(name, args), Sort::Data(data)) => {
            let c = sorts.data[*data].constructors.iter().find(|c| c.name == name.name);
            let fields = c.filter(|c| c.fields.len() == args.len()).into_iter().flat_map(|c| &c.fields);
            fields.zip(args).map(|(f, e)| (format!(".{}", f.name), f.sort, e)).collect()
        }
        (ExprKind::Record(name, given), Sort::Data(data)) => {
            let data = &sorts.data[*data];
            let c = data.constructors.first().filter(|c| data.record && c.name == name.name);
            let written = |f: &Field| given.iter().find(|g| g.name.name == f.name).map(|g| (f.sort, &g.value));
            let whole = c.filter(|c| c.fields.len() == given.len() && c.fields.iter().all(|f| written(f).is_some()));
            let fields = whole.into_iter().flat_map(|c| &c.fields);
            fields.filter_map(|f| written(f).map(|(sort, e)| (format!(".{}", f.name), sort, e))).collect()
        }
        _ => Vec::new(),
    };
    match parts.into_iter().find(|(_, sort, e)| read(sorts, *sort, e).is_none()) {
        Some((place, sort, part)) => {
            let (inner, sort, part) = culprit(sorts, sort, part);
            (place + &inner, sort, part)
        }
        None => (String::new(), sort, expr),
    }
}

/// Reads a value from an expression that is a literal of the sort.
pub fn read(sorts: &Sorts, sort: SortId, expr: &Expr) -> Option<Value> {
    let value = match (&expr.kind, sorts.get(sort)) {
        (ExprKind::Paren(inner), _) => return read(sorts, sort, inner),
        (_, Sort::Int { .. }) => {
            let n = rational(expr)?;
            n.is_int().then(|| number::int(n.numerator().clone()))?
        }
        (_, Sort::Real { .. }) => Value::real(rational(expr)?),
        (ExprKind::Bool(b), Sort::Bool) => Value::Bool(*b),
        (ExprKind::Str(s), Sort::String) => Value::string(s),
        (ExprKind::Seq(items), Sort::Seq(item)) => {
            Value::seq(items.iter().map(|e| read(sorts, *item, e)).collect::<Option<_>>()?)
        }
        (ExprKind::Set(items), Sort::Set(item)) => {
            Value::set(items.iter().map(|e| read(sorts, *item, e)).collect::<Option<_>>()?)
        }
        (ExprKind::Set(items), Sort::Map(..)) if items.is_empty() => sorts.default_value(sort),
        (ExprKind::Map(entries), Sort::Map(key, value)) => {
            let entry = |(k, v): &(Expr, Expr)| Some((read(sorts, *key, k)?, read(sorts, *value, v)?));
            Value::map(entries.iter().map(entry).collect::<Option<_>>()?).ok()?
        }
        (ExprKind::Name(name), Sort::Data(data)) => {
            let index = sorts.data[*data].constructors.iter().position(|c| c.name == *name)?;
            Value::data(index as u32, Vec::new())
        }
        (ExprKind::Call(name, args), Sort::Data(data)) => {
            let (index, c) = sorts.data[*data].constructors.iter().enumerate().find(|(_, c)| c.name == name.name)?;
            if c.fields.len() != args.len() {
                return None;
            }
            let fields = c.fields.iter().zip(args).map(|(f, e)| read(sorts, f.sort, e)).collect::<Option<_>>()?;
            Value::data(index as u32, fields)
        }
        (ExprKind::Record(name, given), Sort::Data(data)) => {
            let data = &sorts.data[*data];
            let c = data.constructors.first().filter(|c| data.record && c.name == name.name)?;
            if c.fields.len() != given.len() {
                return None;
            }
            let field = |f: &Field| {
                let init = given.iter().find(|g| g.name.name == f.name)?;
                read(sorts, f.sort, &init.value)
            };
            Value::data(0, c.fields.iter().map(field).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    sorts.contains(sort, &value).then_some(value)
}

/// A number: a literal, a negative one, or a quotient of two.
fn rational(expr: &Expr) -> Option<Rational> {
    match &expr.kind {
        ExprKind::Int(text) | ExprKind::Real(text) => number::parse_decimal(text),
        ExprKind::Neg(inner) => rational(inner).map(|n| -n),
        ExprKind::Paren(inner) => rational(inner),
        ExprKind::Chain(a, rest) => match &rest[..] {
            [(BinOp::Quot, _, b)] => {
                let (a, b) = (rational(a)?, rational(b)?);
                (!b.is_zero()).then(|| a / b)
            }
            _ => None,
        },
        _ => None,
    }
}

/// What could be written, where that is a short list.
fn alternatives(sorts: &Sorts, sort: SortId) -> String {
    match sorts.get(sort) {
        Sort::Bool => ": write `true` or `false`".into(),
        Sort::Data(data) => {
            let names: Vec<String> = sorts.data[*data]
                .constructors
                .iter()
                .map(|c| {
                    let fields: Vec<&str> = c.fields.iter().map(|f| f.name.as_str()).collect();
                    match (sorts.data[*data].record, fields.is_empty()) {
                        (true, _) => format!("`{} {{ {}: … }}`", c.name, fields.join(": …, ")),
                        (false, true) => format!("`{}`", c.name),
                        (false, false) => format!("`{}({})`", c.name, fields.join(", ")),
                    }
                })
                .collect();
            format!(": write {}", names.join(" or "))
        }
        Sort::String => ": write it in double quotes".into(),
        Sort::Seq(_) => ": write `[…]`".into(),
        Sort::Set(_) => ": write `{…}`".into(),
        Sort::Map(..) => ": write `{key: value, …}`, each key once".into(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_text;

    #[test]
    fn values_are_read_as_they_are_shown() {
        let text = "type C = Red | Mix(a: Int in 0..9, b: Real)\ntype P = { x: Int, s: Seq<C> }\ninput i(p: P)\nprocess Q { init l { ?i(_) -> l } }";
        let model = check_text("m.sts", text).model.expect("a model").model;
        let sort = model.gates.values().next().expect("a gate").params[0].sort;
        let mut sorts = model.sorts.clone();
        let (set, texts) = (sorts.set(sort), sorts.seq(sorts.string));
        let map = sorts.map(texts, set);
        for shown in ["{}", "{[]: {}, [\"a\", \"b\"]: {P { x: -3, s: [] }, P { x: 2, s: [Red] }}}"] {
            let value = parse_value(&sorts, map, shown).expect(shown);
            assert_eq!(sorts.show(map, &value), shown);
        }
        for wrong in ["{[]: {}, []: {}}", "{[]}", "[[]]", "{1: {}}"] {
            assert!(parse_value(&sorts, map, wrong).is_err(), "{wrong}");
        }
        for shown in
            ["P { x: -3, s: [] }", "P { x: 123456789012345678901234567890, s: [Red, Mix(3, 0.5), Mix(0, -1 / 3)] }"]
        {
            let value = parse_value(&model.sorts, sort, shown).expect(shown);
            assert_eq!(model.sorts.show(sort, &value), shown);
        }
        for wrong in [
            "P { x: 1 }",
            "P { x: 1, s: [Mix(10, 0.5)] }",
            "P { x: 1.5, s: [] }",
            "Q",
            "1",
            "",
            "P { x: 1, s: [] } 2",
            "P { x: 1 / 0, s: [] }",
        ] {
            assert!(parse_value(&model.sorts, sort, wrong).is_err(), "{wrong}");
        }
    }

    /// What is wrong with a text, in words.
    fn said(sorts: &Sorts, sort: SortId, text: &str) -> String {
        parse_value(sorts, sort, text).expect_err(text).to_string()
    }

    #[test]
    fn errors_name_the_part_that_is_wrong() {
        let text = "type C = Red | Mix(a: Int in 0..9, b: Bool)\ntype P = { x: Int in 0..9, s: Seq<C> }\ninput i(p: P)\nprocess Q { init l { ?i(_) -> l } }";
        let model = check_text("m.sts", text).model.expect("a model").model;
        let sort = model.gates.values().next().expect("a gate").params[0].sort;
        for (text, error) in [
            ("P { x: 99, s: [] }", "in `x`: 99 is outside of `Int in 0..9`"),
            ("P { s: [Red, Mix(10, true)], x: 1 }", "in `s[1].a`: 10 is outside of `Int in 0..9`"),
            ("P { x: 1, s: [Mix(1, 2)] }", "in `s[0].b`: `2` is not a value of type `Bool`: write `true` or `false`"),
            ("P { x: 1, s: [(Blue)] }", "in `s[0]`: `Blue` is not a value of type `C`: write `Red` or `Mix(a, b)`"),
            ("P { x: 99 }", "`P { x: 99 }` is not a value of type `P`: write `P { x: …, s: … }`"),
            ("P { x: 99, y: 1 }", "`P { x: 99, y: 1 }` is not a value of type `P`: write `P { x: …, s: … }`"),
        ] {
            assert_eq!(said(&model.sorts, sort, text), error);
        }
    }

    #[test]
    fn errors_say_what_could_be_written() {
        let mut sorts = Sorts::default();
        let range = sorts.intern(Sort::Int { lo: Some(1.into()), hi: Some(10.into()) });
        assert_eq!(said(&sorts, range, "11"), "11 is outside of `Int in 1..10`");
        assert_eq!(said(&sorts, sorts.bool, "1"), "`1` is not a value of type `Bool`: write `true` or `false`");
    }
}
