//! Values written in the language: `6`, `-1 / 3`, `"text"`, `Red`, `Balance(5)`, `Point { x: 1, y: 2 }`, `[1, 2]`.
//!
//! For what people and scripts type while a model runs, where no checker is at hand: only literals, read for a sort
//! that is known.

use sioco_model::number::{self, Rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

use crate::source::FileId;
use crate::syntax::ast::{BinOp, Expr, ExprKind};
use crate::syntax::parser::parse_expr;

/// Reads a value of a sort; the error says what is wrong in one sentence.
///
/// ```
/// use sioco_lang::value::parse_value;
/// use sioco_model::{Value, sort::Sorts};
///
/// let sorts = Sorts::default();
/// assert_eq!(parse_value(&sorts, sorts.int, "-6"), Ok(Value::Int(-6)));
/// assert!(parse_value(&sorts, sorts.int, "true").is_err());
/// ```
pub fn parse_value(sorts: &Sorts, sort: SortId, text: &str) -> Result<Value, String> {
    let (expr, problems) = parse_expr(FileId(0), text);
    if !problems.is_empty() {
        return Err(format!("`{}` is not a value", text.trim()));
    }
    read(sorts, sort, &expr).ok_or_else(|| {
        let name = sorts.name(sort);
        match read(sorts, sorts.base(sort), &expr) {
            Some(value) => format!("{} is outside of `{name}`", sorts.show(sorts.base(sort), &value)),
            None => format!("`{}` is not a value of type `{name}`{}", text.trim(), alternatives(sorts, sort)),
        }
    })
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
            let field = |f: &sioco_model::sort::Field| {
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

    #[test]
    fn errors_say_what_could_be_written() {
        let mut sorts = Sorts::default();
        let range = sorts.intern(Sort::Int { lo: Some(1.into()), hi: Some(10.into()) });
        assert_eq!(parse_value(&sorts, range, "11"), Err("11 is outside of `Int in 1..10`".into()));
        assert_eq!(
            parse_value(&sorts, sorts.bool, "1"),
            Err("`1` is not a value of type `Bool`: write `true` or `false`".into())
        );
    }
}
