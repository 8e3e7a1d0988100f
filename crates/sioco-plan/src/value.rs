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
//! | `Set<T>` | an array, in the fixed order of values |
//! | `Map<K, V>` with texts or an enumeration as keys | an object |
//! | any other `Map<K, V>` | an array of `[key, value]` |
//!
//! What is read may be in any order, items of sets may be there twice, and any map may be an array of entries.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Number, Value as Json};
use sioco_model::number::{self, Rational, parse_decimal, parse_integer, show_rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

/// The largest integer that every reader of JSON keeps exactly.
pub const SAFE: u64 = 1 << 53;

/// A value of a sort as JSON.
pub fn json(sorts: &Sorts, sort: SortId, value: &Value) -> Json {
    tree(&Valued { sorts, sort, value })
}

/// What is written, as a tree. Only maps whose keys are no texts cannot be one, and no format has any.
pub fn tree<T: Serialize + ?Sized>(what: &T) -> Json {
    serde_json::to_value(what).unwrap_or_default()
}

/// A value of a sort, written as JSON without a tree in between.
#[derive(Clone, Copy, Debug)]
pub struct Valued<'a> {
    /// The sorts of the model.
    pub sorts: &'a Sorts,
    /// The sort of the value.
    pub sort: SortId,
    /// The value.
    pub value: &'a Value,
}

impl Serialize for Valued<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Valued { sorts, sort, value } = *self;
        match (value, sorts.get(sort)) {
            (Value::Bool(b), _) => to.serialize_bool(*b),
            (Value::Int(n), _) if n.unsigned_abs() <= SAFE => to.serialize_i64(*n),
            (Value::Int(_) | Value::BigInt(_), _) => one(to, "#bigint", &value.to_string()),
            (Value::Real(r), _) => real(to, r),
            (Value::Str(s), _) => to.serialize_str(s),
            (Value::Seq(items), Sort::Seq(item)) => {
                to.collect_seq(items.iter().map(|value| Valued { sorts, sort: *item, value }))
            }
            (Value::Set(items), Sort::Set(item)) => {
                to.collect_seq(items.iter().map(|value| Valued { sorts, sort: *item, value }))
            }
            (Value::Map(entries), Sort::Map(key, item)) => {
                let pair = |(k, v)| {
                    let key = Valued { sorts, sort: *key, value: k };
                    (key, Valued { sorts, sort: *item, value: v })
                };
                let entries = entries.iter().map(|(k, v)| (k, v)).map(pair);
                if is_name(sorts, *key) {
                    Named::new(entries.map(|(k, v)| (key_name(sorts, k.sort, k.value), v)).collect()).serialize(to)
                } else {
                    to.collect_seq(entries)
                }
            }
            (Value::Enum(_), _) => to.serialize_str(&sorts.show(sort, value)),
            (Value::Data(d), Sort::Data(data)) => {
                let data = &sorts.data[*data];
                let constructor = &data.constructors[d.constructor as usize];
                let fields = constructor.fields.iter().zip(&d.fields);
                let fields = Named::new(
                    fields.map(|(f, value)| (f.name.as_str(), Valued { sorts, sort: f.sort, value })).collect(),
                );
                if data.record { fields.serialize(to) } else { one(to, &constructor.name, &fields) }
            }
            _ => to.serialize_str(&value.to_string()),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Valued<'_> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A value: its sort in the model decides which of these it is.",
            "type": ["boolean", "number", "string", "array", "object"]
        })
    }
}

/// Whether keys of a map are written as names: texts, or the constructors of an enumeration.
pub fn is_name(sorts: &Sorts, key: SortId) -> bool {
    match sorts.get(key) {
        Sort::String => true,
        Sort::Data(data) => sorts.data[*data].constructors.iter().all(|c| c.fields.is_empty()),
        _ => false,
    }
}

/// A key as a name.
pub fn key_name(sorts: &Sorts, sort: SortId, key: &Value) -> String {
    match key {
        Value::Str(text) => text.to_string(),
        other => sorts.show(sort, other),
    }
}

/// The key that a name stands for.
pub fn named_key(sorts: &Sorts, sort: SortId, name: &str) -> Option<Value> {
    match sorts.get(sort) {
        Sort::String => Some(Value::string(name)),
        Sort::Data(data) if is_name(sorts, sort) => {
            let at = sorts.data[*data].constructors.iter().position(|c| c.name == name)?;
            Some(Value::Enum(u32::try_from(at).ok()?))
        }
        _ => None,
    }
}

/// An object with a single entry.
fn one<S: Serializer, T: Serialize>(to: S, name: &str, value: &T) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}

/// An object whose names come from the model, in the order of the names: the text does not depend on who writes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named<K, V>(Vec<(K, V)>);

impl<K: Ord, V> Named<K, V> {
    /// The object with these entries.
    pub fn new(mut entries: Vec<(K, V)>) -> Self {
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Named(entries)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Serialize, V: Serialize> Serialize for Named<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(feature = "schema")]
impl<K, V: schemars::JsonSchema> schemars::JsonSchema for Named<K, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Named_{}", V::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<V>() })
    }
}

fn real<S: Serializer>(to: S, r: &Rational) -> Result<S::Ok, S::Error> {
    let text = show_rational(r);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let number = text.parse::<f64>().ok().filter(|_| digits <= 15 && !text.contains('/')).and_then(Number::from_f64);
    match number {
        Some(number) => number.serialize(to),
        None => one(to, "#rational", &format!("{}/{}", r.numerator(), r.denominator())),
    }
}

/// The value of a sort that JSON stands for; nothing if it stands for none, or for one outside of the range.
pub fn read(sorts: &Sorts, sort: SortId, json: &Json) -> Option<Value> {
    let value = match (sorts.get(sort), json) {
        (Sort::Bool, Json::Bool(b)) => Value::Bool(*b),
        (Sort::Int { .. }, Json::Number(n)) => number::int(parse_integer(&n.to_string())?),
        (Sort::Int { .. }, _) => number::int(parse_integer(json.get("#bigint")?.as_str()?)?),
        (Sort::Real { .. }, Json::Number(n)) => Value::real(decimal(&n.to_string())?),
        (Sort::Real { .. }, _) => {
            let (numerator, denominator) = json.get("#rational")?.as_str()?.split_once('/')?;
            Value::real(number::rational(parse_integer(numerator)?, parse_integer(denominator)?)?)
        }
        (Sort::String, Json::String(s)) => Value::string(s),
        (Sort::Seq(item), Json::Array(items)) => {
            Value::seq(items.iter().map(|j| read(sorts, *item, j)).collect::<Option<_>>()?)
        }
        (Sort::Set(item), Json::Array(items)) => {
            Value::set(items.iter().map(|j| read(sorts, *item, j)).collect::<Option<_>>()?)
        }
        (Sort::Map(key, value), Json::Object(entries)) => {
            let entry = |(k, v): (&String, &Json)| Some((named_key(sorts, *key, k)?, read(sorts, *value, v)?));
            Value::map(entries.iter().map(entry).collect::<Option<_>>()?).ok()?
        }
        (Sort::Map(key, value), Json::Array(entries)) => {
            let entry = |entry: &Json| match &entry.as_array()?[..] {
                [k, v] => Some((read(sorts, *key, k)?, read(sorts, *value, v)?)),
                _ => None,
            };
            Value::map(entries.iter().map(entry).collect::<Option<_>>()?).ok()?
        }
        (Sort::Data(data), _) => {
            let data = &sorts.data[*data];
            let (name, fields) = match (data.record, json) {
                (true, Json::Object(fields)) => (None, Some(fields)),
                (false, Json::String(name)) => (Some(name), None),
                (false, Json::Object(object)) => {
                    let (name, fields) = object.iter().next().filter(|_| object.len() == 1)?;
                    (Some(name), Some(fields.as_object()?))
                }
                _ => return None,
            };
            let is_it = |c: &sioco_model::sort::Constructor| name.is_none_or(|name| c.name == *name);
            let at = data.constructors.iter().position(is_it)?;
            let declared = &data.constructors[at].fields;
            if fields.map_or(0, Map::len) != declared.len() {
                return None;
            }
            let of = |f: &sioco_model::sort::Field| read(sorts, f.sort, fields?.get(&f.name)?);
            Value::data(u32::try_from(at).ok()?, declared.iter().map(of).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    sorts.contains(sort, &value).then_some(value)
}

/// A number as JSON writes it, perhaps with an exponent, exactly.
fn decimal(text: &str) -> Option<Rational> {
    let Some((digits, exponent)) = text.split_once(['e', 'E']) else { return parse_decimal(text) };
    let exponent: i32 = exponent.parse().ok()?;
    // Numbers of JSON are floats here, so the power is never large.
    let power = parse_decimal(&format!("1{}", "0".repeat(usize::try_from(exponent.unsigned_abs().min(400)).ok()?)))?;
    let digits = parse_decimal(digits)?;
    Some(if exponent < 0 { digits / power } else { digits * power })
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
            let written = json(&model.sorts, sort, &value).to_string();
            assert_eq!(written, expected);
            let read = read(&model.sorts, sort, &serde_json::from_str(&written).expect("JSON"));
            assert_eq!(read, Some(value), "{written}");
        }
    }

    #[test]
    fn sets_and_maps_are_arrays_and_objects() {
        let text = "type E = Red | Blue\ninput i(s: Set<Int>, t: Map<String, Int>, e: Map<E, Bool>, n: Map<Int in 0..9, Seq<Int>>)\nprocess Q { init l { ?i(_, _, _, _) -> l } }";
        let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        let params = &model.gates.values().next().expect("a gate").params;
        for (param, written, expected, others) in [
            (0, "{10, 9, 10}", "[9,10]", vec!["[10,9,9]"]),
            (0, "{}", "[]", vec![]),
            (1, "{\"b\": 1, \"a\": 2}", r#"{"a":2,"b":1}"#, vec![r#"[["b",1],["a",2]]"#]),
            (2, "{Blue: true, Red: false}", r#"{"Blue":true,"Red":false}"#, vec![r#"[["Red",false],["Blue",true]]"#]),
            (3, "{9: [1], 2: []}", "[[2,[]],[9,[1]]]", vec!["[[9,[1]],[2,[]]]"]),
            (3, "{}", "[]", vec![]),
        ] {
            let sort = params[param].sort;
            let value = sioco_lang::value::parse_value(&model.sorts, sort, written).expect(written);
            assert_eq!(json(&model.sorts, sort, &value).to_string(), expected);
            for text in [expected].into_iter().chain(others) {
                assert_eq!(
                    read(&model.sorts, sort, &serde_json::from_str(text).expect("JSON")),
                    Some(value.clone()),
                    "{text}"
                );
            }
        }
        for (param, text) in [
            (0, "{}"),
            (0, r#"["1"]"#),
            (1, r#"[["a",1],["a",2]]"#),
            (1, r#"[["a"]]"#),
            (1, r#"{"a":"1"}"#),
            (2, r#"{"Green":true}"#),
            (3, r#"{"1":[]}"#),
            (3, "[[10,[]]]"),
        ] {
            let json = serde_json::from_str(text).expect("JSON");
            assert_eq!(read(&model.sorts, params[param].sort, &json), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_of_the_sort_is_not_read() {
        let text = "type C = Red | Mix(a: Int)\ntype P = { x: Real, s: Seq<C> }\ninput i(p: P, n: Int in 0..9, b: Bool, t: String)\nprocess Q { init l { ?i(_, _, _, _) -> l } }";
        let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        let params = &model.gates.values().next().expect("a gate").params;
        for (param, text, good) in [
            (0, r#"{"x": 1e-7, "s": []}"#, true),
            (0, r#"{"x": 25e2, "s": ["Red"]}"#, true),
            (0, r##"{"x": {"#rational": "1/0"}, "s": []}"##, false),
            (0, r#"{"x": 1}"#, false),
            (0, r#"{"x": 1, "s": ["Blue"]}"#, false),
            (0, r#"{"x": 1, "s": ["Mix"]}"#, false),
            (0, r#"{"x": 1, "s": [{"Mix": {"b": 1}}]}"#, false),
            (0, r#"{"x": 1, "s": [], "t": 1}"#, false),
            (1, "9", true),
            (1, "10", false),
            (1, "1.5", false),
            (1, r##"{"#bigint": "9"}"##, true),
            (1, r##"{"#bigint": 9}"##, false),
            (2, "1", false),
            (3, r#""é""#, true),
            (3, "null", false),
        ] {
            let found = read(&model.sorts, params[param].sort, &serde_json::from_str(text).expect(text));
            assert_eq!(found.is_some(), good, "{text}");
        }
    }
}
