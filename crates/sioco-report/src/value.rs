//! Values as JSON, the same everywhere: adapters, journals, reports, `--format json`.
//!
//! | sort | JSON |
//! | --- | --- |
//! | `Bool` | `true`, `false` |
//! | `Int` | a number up to 2^53, beyond it `{"#bigint":"…"}` |
//! | `Real` | a number where its decimal text is exact in 15 digits, otherwise `{"#rational":"1/3"}` |
//! | `String` | a string |
//! | enumeration, constructor without fields | its name |
//! | constructor with fields | `{"Name":{"field":…}}` |
//! | record | `{"field":…}` |
//! | `Seq<T>` | an array |

use serde_json::{Map, Number, Value as Json, json};
use sioco_model::number::{Rational, show_rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

/// The largest integer that every reader of JSON keeps exactly.
const SAFE: i64 = 1 << 53;

/// A value of a sort as JSON.
pub fn json(sorts: &Sorts, sort: SortId, value: &Value) -> Json {
    match (value, sorts.get(sort)) {
        (Value::Bool(b), _) => json!(b),
        (Value::Int(n), _) if n.unsigned_abs() <= SAFE as u64 => json!(n),
        (Value::Int(_) | Value::BigInt(_), _) => json!({ "#bigint": value.to_string() }),
        (Value::Real(r), _) => real(r),
        (Value::Str(s), _) => json!(**s),
        (Value::Seq(items), Sort::Seq(item)) => items.iter().map(|v| json(sorts, *item, v)).collect(),
        (Value::Enum(_), _) => json!(sorts.show(sort, value)),
        (Value::Data(d), Sort::Data(data)) => {
            let data = &sorts.data[*data];
            let constructor = &data.constructors[d.constructor as usize];
            let fields = constructor.fields.iter().zip(&d.fields);
            let fields: Map<String, Json> = fields.map(|(f, v)| (f.name.clone(), json(sorts, f.sort, v))).collect();
            if data.record { Json::Object(fields) } else { json!({ &constructor.name: fields }) }
        }
        _ => json!(value.to_string()),
    }
}

fn real(r: &Rational) -> Json {
    let text = show_rational(r);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let number = text.parse::<f64>().ok().filter(|_| digits <= 15 && !text.contains('/')).and_then(Number::from_f64);
    match number {
        Some(number) => Json::Number(number),
        None => json!({ "#rational": format!("{}/{}", r.numerator(), r.denominator()) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_exact_in_json() {
        let text = "type C = Red | Mix(a: Int)\ntype P = { x: Real, s: Seq<C> }\ninput i(p: P, n: Int)\nprocess Q { init l { ?i(_, _) -> l } }";
        let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        let params = &model.gates.values().next().expect("a gate").params;
        for (param, written, expected) in [
            (0, "P { x: 0.1, s: [Red, Mix(3)] }", r#"{"s":["Red",{"Mix":{"a":3}}],"x":0.1}"#),
            (0, "P { x: -1 / 3, s: [] }", r##"{"s":[],"x":{"#rational":"-1/3"}}"##),
            (
                0,
                "P { x: 0.12345678901234567, s: [] }",
                r##"{"s":[],"x":{"#rational":"12345678901234567/100000000000000000"}}"##,
            ),
            (1, "9007199254740992", "9007199254740992"),
            (1, "-9007199254740993", r##"{"#bigint":"-9007199254740993"}"##),
        ] {
            let sort = params[param].sort;
            let value = sioco_lang::value::parse_value(&model.sorts, sort, written).expect(written);
            assert_eq!(json(&model.sorts, sort, &value).to_string(), expected);
        }
    }
}
