//! Values as adapters write them, read by the sorts of the model.
//!
//! The format is that of [`sioco_plan::value`], and its [`json`](sioco_plan::value::json) writes it. This module
//! reads it, and gives a reason if it cannot. A value that does not fit its parameter is an observation (T-V3:
//! malformed), so nothing may be lost on the way: numbers are read from their text, with all their digits. If an
//! adapter encodes a value against the rules, that is the adapter's mistake and never the system's.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value as Json};
use sioco_model::model::{Gate, Model, Param};
use sioco_model::names::did_you_mean;
use sioco_model::number::{self, Rational, parse_integer};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::visible::shortened;
use sioco_model::{SortId, Value};
use sioco_plan::value::{is_name, named_key};

use crate::lines::excerpt;

/// At most this many names that are no parameters are listed; more would not fit one line.
const LISTED_NAMES: usize = 5;

/// A number may have this many digits, and its exponent may be this large. It is far more than anybody needs, and few
/// enough to compute with: to read digits takes time that grows with their square.
const MAX_DIGITS: usize = 10_000;
/// Where a number is kept as text that would lose digits otherwise.
const NUMBER: &str = "#number";

/// Why values cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misread {
    /// They do not fit the parameters of the gate.
    Misfit(String),
    /// They are not written by the rules of the protocol.
    Protocol(String),
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misread::Misfit(why) | Misread::Protocol(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Misread {}

/// Why a number in a text of JSON cannot be kept as it is. Whoever wrote the text is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadNumber {
    /// It has more digits than anybody computes with.
    TooLong {
        /// The number, in short.
        number: String,
    },
    /// It is no number of JSON, or its exponent is too large.
    NoNumber {
        /// What is there, in short.
        number: String,
    },
}

impl fmt::Display for BadNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadNumber::TooLong { number } => write!(f, "a number of more than {MAX_DIGITS} digits: {number}"),
            BadNumber::NoNumber { number } => write!(f, "{number}, which is not a JSON number"),
        }
    }
}

impl std::error::Error for BadNumber {}

/// Makes numbers in a JSON text survive that would become others, or be written in another form: as objects with their text.
pub fn keep_digits(text: &str) -> Result<Cow<'_, str>, BadNumber> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut done, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let start = at;
                while at < bytes.len() && matches!(bytes[at], b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9') {
                    at += 1;
                }
                let number = &text[start..at];
                if number.len() > MAX_DIGITS {
                    return Err(BadNumber::TooLong { number: excerpt(number) });
                }
                if number.contains(['e', 'E']) {
                    exact(number).ok_or_else(|| BadNumber::NoNumber { number: excerpt(number) })?;
                }
                if changes(number) {
                    out.push_str(&text[done..start]);
                    out.push_str(&format!("{{\"{NUMBER}\":\"{number}\"}}"));
                    done = at;
                }
            }
            _ => at += 1,
        }
    }
    if done == 0 {
        return Ok(Cow::Borrowed(text));
    }
    out.push_str(&text[done..]);
    Ok(Cow::Owned(out))
}

/// Whether a parser would keep something else of a number of JSON than its text: then its digits may be others, and what is
/// written again is read in another form.
fn changes(number: &str) -> bool {
    match serde_json::from_str::<serde_json::Number>(number) {
        Ok(kept) => kept.to_string() != number,
        // Too large for a parser; what is no number at all is told by whoever reads all of the text.
        Err(_) => exact(number).is_some(),
    }
}

/// A number of JSON, exactly.
fn exact(text: &str) -> Option<Rational> {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.unsigned_abs() as usize <= MAX_DIGITS)?;
    let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = |s: &str| s.len() > 1 && s.starts_with('0');
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let unsigned = whole.strip_prefix('-').unwrap_or(whole);
    if !plain(unsigned) || leading_zero(unsigned) || !fraction.is_none_or(plain) {
        return None;
    }
    let fraction = fraction.unwrap_or_default();
    let digits = parse_integer(&format!("{whole}{fraction}"))?;
    let places = exponent - i32::try_from(fraction.len()).ok()?;
    let power = number::BigInt::from(10).pow(places.unsigned_abs() as usize);
    if places < 0 { number::rational(digits, power) } else { Some(Rational::from(digits * power)) }
}

/// The values of `args`, one for each parameter of the gate: an object by their names, or an array in their order.
pub fn arguments(model: &Model, gate: &Gate, args: Option<&Json>) -> Result<Vec<Value>, Misread> {
    let none = Map::new();
    match args {
        None => by_name(model, gate, &none),
        Some(Json::Null) if gate.params.is_empty() => Ok(Vec::new()),
        Some(Json::Object(args)) => by_name(model, gate, args),
        Some(Json::Array(args)) if args.len() == gate.params.len() => {
            gate.params.iter().zip(args).map(|(param, json)| argument(&model.sorts, param, json)).collect()
        }
        Some(Json::Array(args)) => Err(Misread::Misfit(format!(
            "{} came for {}",
            count(args.len(), "value"),
            count(gate.params.len(), "parameter")
        ))),
        Some(other) => Err(Misread::Protocol(format!(
            "`args` is {}; it must be an object such as {{\"p\":1}}, or an array",
            excerpt(&other.to_string())
        ))),
    }
}

fn by_name(model: &Model, gate: &Gate, args: &Map<String, Json>) -> Result<Vec<Value>, Misread> {
    // Values that the model knows nothing about do not matter, unless one of them is a known one, misspelt.
    let unknown = || args.keys().map(String::as_str).filter(|name| gate.params.iter().all(|p| p.name != *name));
    // What came in its place, if that is no misspelling that anybody could recognize.
    let instead = |param: &Param| {
        let missing = gate.params.iter().filter(|p| !args.contains_key(&p.name)).count();
        let came: Vec<String> = unknown().take(LISTED_NAMES).map(excerpt).collect();
        let names: Vec<String> = gate.params.iter().map(|p| format!("`{}`", p.name)).collect();
        match &came[..] {
            [] => String::new(),
            [only] if missing == 1 => {
                format!(", but {only} came, which is not a parameter; did you mean `{}`?", param.name)
            }
            several => {
                let (came, names) = (several.join(", "), names.join(", "));
                format!(", but there is no parameter {came}; the parameters of `{}` are {names}", gate.name)
            }
        }
    };
    let value = |param: &Param| match args.get(&param.name) {
        Some(json) => argument(&model.sorts, param, json),
        None => Err(match did_you_mean(&param.name, unknown()) {
            Some(near) => Misread::Protocol(format!(
                "`{}` has a parameter `{}`, but the adapter sends `{near}`; the names must be the same",
                gate.name, param.name
            )),
            None => Misread::Misfit(format!("`{}` is missing{}", param.name, instead(param))),
        }),
    };
    gate.params.iter().map(value).collect()
}

/// The value of a parameter, with its range and tolerance.
pub fn argument(sorts: &Sorts, param: &Param, json: &Json) -> Result<Value, Misread> {
    let sort = if param.tolerance.is_some() { sorts.base(param.sort) } else { param.sort };
    let value = read(sorts, sort, json, &mut param.name.clone())?;
    if param.takes(sorts, &value) { Ok(value) } else { Err(outside(sorts, param.sort, &value, &param.name)) }
}

fn outside(sorts: &Sorts, sort: SortId, value: &Value, place: &str) -> Misread {
    let shown = sorts.show(sort, value);
    Misread::Misfit(format!("`{place}` is {}, but must be {}", shortened(&shown), sorts.name(sort)))
}

/// The value of a sort that JSON stands for. The place is what it is called in messages.
fn read(sorts: &Sorts, sort: SortId, json: &Json, place: &mut String) -> Result<Value, Misread> {
    let misfit = |place: &str| {
        let name = match sorts.get(sort) {
            Sort::Data(data) if !sorts.data[*data].record => {
                let names: Vec<&str> = sorts.data[*data].constructors.iter().map(|c| c.name.as_str()).collect();
                format!("{} ({})", sorts.name(sort), names.join(", "))
            }
            _ => sorts.name(sort),
        };
        Misread::Misfit(format!("`{place}` is {}, but must be {name}", excerpt(&plain(json).to_string())))
    };
    // Reads a part, under a name of its own.
    let part = |place: &mut String, name: &str, sort: SortId, json: &Json| {
        let length = place.len();
        place.push_str(name);
        let value = read(sorts, sort, json, place)?;
        place.truncate(length);
        Ok(value)
    };
    let value = match (sorts.get(sort), json) {
        (Sort::Bool, Json::Bool(b)) => Value::Bool(*b),
        (Sort::String, Json::String(s)) => Value::string(s),
        (Sort::Int { .. }, _) => {
            let n = number_of(json, place)?.ok_or_else(|| misfit(place))?;
            if !n.denominator().is_one() {
                return Err(misfit(place));
            }
            number::int(n.numerator().clone())
        }
        (Sort::Real { .. }, _) => Value::real(number_of(json, place)?.ok_or_else(|| misfit(place))?),
        (Sort::Seq(item), Json::Array(items)) => {
            let item = |(i, json)| part(place, &format!("[{i}]"), *item, json);
            Value::seq(items.iter().enumerate().map(item).collect::<Result<_, Misread>>()?)
        }
        (Sort::Set(item), Json::Array(items)) => {
            let item = |(i, json)| part(place, &format!("[{i}]"), *item, json);
            Value::set(items.iter().enumerate().map(item).collect::<Result<_, Misread>>()?)
        }
        (Sort::Map(key, value), Json::Object(object)) if is_name(sorts, *key) && !is_number(object) => {
            let mut entries = Vec::new();
            for (name, json) in object {
                let key = named_key(sorts, *key, name).ok_or_else(|| misfit(place))?;
                entries.push((key, part(place, &format!("[{}]", excerpt(name)), *value, json)?));
            }
            map(entries, place)?
        }
        (Sort::Map(key, value), Json::Array(items)) => {
            let mut entries = Vec::new();
            for (i, json) in items.iter().enumerate() {
                let [k, v] = json.as_array().map_or(&[][..], Vec::as_slice) else { return Err(misfit(place)) };
                let key = part(place, &format!("[{i}][0]"), *key, k)?;
                entries.push((key, part(place, &format!("[{i}][1]"), *value, v)?));
            }
            map(entries, place)?
        }
        (Sort::Data(data), _) => {
            let data = &sorts.data[*data];
            let none = Map::new();
            let (at, fields) = match (data.record, json) {
                (true, Json::Object(fields)) => (0, fields),
                (false, Json::String(name)) => (constructor(data, name).ok_or_else(|| misfit(place))?, &none),
                (false, Json::Object(object)) if object.len() == 1 => {
                    let (name, fields) = object.iter().next().expect("it has one");
                    let at = constructor(data, name).ok_or_else(|| misfit(place))?;
                    (at, fields.as_object().ok_or_else(|| misfit(place))?)
                }
                _ => return Err(misfit(place)),
            };
            let mut values = Vec::new();
            for field in &data.constructors[at].fields {
                let json = fields.get(&field.name).ok_or_else(|| {
                    Misread::Misfit(format!(
                        "`{place}` is {}, without `{}`",
                        excerpt(&plain(json).to_string()),
                        field.name
                    ))
                })?;
                values.push(part(place, &format!(".{}", field.name), field.sort, json)?);
            }
            Value::data(u32::try_from(at).expect("data types are small"), values)
        }
        _ => return Err(misfit(place)),
    };
    if sorts.contains(sort, &value) { Ok(value) } else { Err(outside(sorts, sort, &value, place)) }
}

/// A map of entries, no two of which have one key.
fn map(entries: Vec<(Value, Value)>, place: &str) -> Result<Value, Misread> {
    Value::map(entries).map_err(|key| {
        let key = excerpt(&key.to_string());
        Misread::Misfit(format!("`{place}` has the key {key} twice, and a map has one value for each key"))
    })
}

/// Whether an object stands for a number.
fn is_number(object: &Map<String, Json>) -> bool {
    object.len() == 1 && object.contains_key(NUMBER)
}

fn constructor(data: &sioco_model::sort::DataType, name: &str) -> Option<usize> {
    data.constructors.iter().position(|c| c.name == name)
}

/// The number that JSON stands for, if it stands for one.
fn number_of(json: &Json, place: &str) -> Result<Option<Rational>, Misread> {
    let wrong = |how: &str| {
        let text = excerpt(&json.to_string());
        Misread::Protocol(format!("`{place}` is {text}; {how}"))
    };
    match json {
        Json::Number(n) => Ok(exact(&n.to_string())),
        Json::Object(object) => {
            let tagged = |tag: &str| object.get(tag).filter(|_| object.len() == 1);
            let short = |json: &Json| json.as_str().filter(|text| text.len() <= MAX_DIGITS).map(str::to_owned);
            if let Some(text) = tagged(NUMBER) {
                return Ok(short(text).and_then(|text| exact(&text)));
            }
            if let Some(text) = tagged("#bigint") {
                let n = short(text).and_then(|text| parse_integer(&text)).map(Rational::from);
                return n.map(Some).ok_or_else(|| wrong("write a large integer as {\"#bigint\":\"123…\"}"));
            }
            if let Some(text) = tagged("#rational") {
                let parts = short(text).and_then(|text| {
                    let (numerator, denominator) = text.split_once('/').unwrap_or((&text, "1"));
                    number::rational(parse_integer(numerator.trim())?, parse_integer(denominator.trim())?)
                });
                return parts.map(Some).ok_or_else(|| wrong("write an exact real as {\"#rational\":\"1/3\"}"));
            }
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// JSON as it came: with numbers instead of their texts.
pub(crate) fn plain(json: &Json) -> String {
    match json {
        Json::Object(object) => match object.get(NUMBER).and_then(Json::as_str) {
            Some(text) if object.len() == 1 => text.to_owned(),
            _ => {
                let fields = object.iter().map(|(name, json)| format!("{}:{}", Json::from(name.as_str()), plain(json)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }
        },
        Json::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(",")),
        _ => json.to_string(),
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "type C = Red | Mix(a: Int in 0..9)\ntype P = { x: Real, s: Seq<C> }\noutput o(n: Int, r: Real in 0..1 tolerance 0.1, b: Bool, t: String, p: P, d: Int in 1..9)\nprocess Q { init l { !o(any n, any r, any b, any t, any p, any d) -> l } }";

    fn model() -> Model {
        let checked = sioco_lang::check_text("m.sts", MODEL);
        checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
    }

    /// Reads one parameter from a JSON text.
    fn one(model: &Model, param: &str, text: &str) -> Result<String, Misread> {
        let gate = model.gates.values().next().unwrap();
        let param = gate.params.iter().find(|p| p.name == param).unwrap();
        let text = keep_digits(text).map_err(|why| Misread::Protocol(why.to_string()))?;
        let value = argument(&model.sorts, param, &serde_json::from_str(&text).expect("JSON"))?;
        Ok(model.sorts.show(param.sort, &value))
    }

    #[test]
    fn sets_and_maps_are_read() {
        let text = "type E = Red | Blue\noutput o(s: Set<Int>, t: Map<String, Real>, e: Map<E, Int in 0..9>, n: Map<Int, Int>)\nprocess Q { init l { !o(any s, any t, any e, any n) -> l } }";
        let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        for (param, text, expected) in [
            ("s", "[2,1,2.0]", "{1, 2}"),
            ("t", r#"{"b":1e-1,"a":2}"#, "{\"a\": 2.0, \"b\": 0.1}"),
            ("t", r#"[["b",0.5]]"#, "{\"b\": 0.5}"),
            ("e", r#"{"Blue":1,"Red":2}"#, "{Red: 2, Blue: 1}"),
            ("n", "[[100000000000000000000,1],[2,3]]", "{2: 3, 100000000000000000000: 1}"),
            ("n", "[]", "{}"),
        ] {
            assert_eq!(one(&model, param, text), Ok(expected.into()), "{text}");
        }
        for (param, text, why) in [
            ("s", "{}", "must be Set<Int>"),
            ("s", "[\"1\"]", "`s[0]` is"),
            ("t", "1e400", "must be Map<String, Real>"),
            ("t", r#"[["b",1],["b",1]]"#, "twice"),
            ("t", r#"{"b":"x"}"#, "`t["),
            ("e", r#"{"Blue":10}"#, "is 10, but must be Int in 0..9"),
            ("e", r#"{"Green":1}"#, "must be Map<E, Int in 0..9>"),
            ("n", r#"{"1":1}"#, "must be Map<Int, Int>"),
            ("n", "[[1]]", "must be Map<Int, Int>"),
        ] {
            let found = one(&model, param, text).unwrap_err().to_string();
            assert!(found.contains(why), "{text}: {found}");
        }
    }

    #[test]
    fn values_are_read_exactly() {
        let model = model();
        let digits = "123456789012345678901234567890";
        for (param, text, expected) in [
            ("n", "6", "6"),
            ("n", "6.0", "6"),
            ("n", "-1e3", "-1000"),
            ("n", "18446744073709551615", "18446744073709551615"),
            ("n", "1e20", "100000000000000000000"),
            ("n", digits, digits),
            ("n", "-9223372036854775809", "-9223372036854775809"),
            ("n", r##"{"#bigint":"9007199254740993"}"##, "9007199254740993"),
            ("r", "0.1", "0.1"),
            ("r", "1", "1.0"),
            ("r", "1.1", "1.1"),
            ("r", "-1e-1", "-0.1"),
            ("n", "68e29", "6800000000000000000000000000000"),
            ("n", "8901234568e+29", "890123456800000000000000000000000000000"),
            ("r", "0.00000000000000000000000000000123", "0.00000000000000000000000000000123"),
            ("r", "0.12345678901234567890123", "0.12345678901234567890123"),
            ("r", r##"{"#rational":"1/3"}"##, "1 / 3"),
            ("b", "false", "false"),
            ("t", r#""12345678901234567890123 \" 1e999""#, r#""12345678901234567890123 \" 1e999""#),
            ("p", r#"{"x":1e-7,"s":["Red",{"Mix":{"a":3}}]}"#, "P { x: 0.0000001, s: [Red, Mix(3)] }"),
            ("p", r#"{"x":12345678901234567890123,"s":[],"more":1}"#, "P { x: 12345678901234567890123.0, s: [] }"),
        ] {
            assert_eq!(one(&model, param, text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let model = model();
        for (param, text, expected) in [
            ("n", "1.5", "`n` is `1.5`, but must be Int"),
            ("n", r#""6""#, "`n` is `\"6\"`, but must be Int"),
            ("n", "null", "`n` is `null`, but must be Int"),
            ("n", "0.12345678901234567890123", "`n` is `0.12345678901234567890123`, but must be Int"),
            ("d", "12", "`d` is 12, but must be Int in 1..9"),
            ("d", r##"{"#bigint":"10"}"##, "`d` is 10, but must be Int in 1..9"),
            ("r", "1.11", "`r` is 1.11, but must be Real in 0.0..1.0"),
            ("b", "1", "`b` is `1`, but must be Bool"),
            ("t", "1", "`t` is `1`, but must be String"),
            ("p", "1", "`p` is `1`, but must be P"),
            ("p", r#"{"s":[]}"#, "`p` is `{\"s\":[]}`, without `x`"),
            ("p", r#"{"x":1,"s":["Red","Blue"]}"#, "`p.s[1]` is `\"Blue\"`, but must be C (Red, Mix)"),
            ("p", r#"{"x":1,"s":[{"Mix":{"a":10}}]}"#, "`p.s[0].a` is 10, but must be Int in 0..9"),
            ("p", r#"{"x":1,"s":["Mix"]}"#, "`p.s[0]` is `\"Mix\"`, without `a`"),
            ("p", r#"{"x":1,"s":{}}"#, "`p.s` is `{}`, but must be Seq<C>"),
        ] {
            assert_eq!(one(&model, param, text), Err(Misread::Misfit(expected.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_written_wrongly_is_the_adapters_mistake() {
        let model = model();
        let long = "1".repeat(MAX_DIGITS + 1);
        let quoted = format!(r##"{{"#bigint":"{long}"}}"##);
        for text in [r##"{"#bigint":9}"##, r##"{"#rational":"1/0"}"##, "1e99999", &long, &quoted] {
            let found = one(&model, "n", text);
            assert!(matches!(found, Err(Misread::Protocol(_))), "{text} {found:?}");
        }
    }

    #[test]
    fn arguments_have_names_or_an_order() {
        let text = "output o(p: Int, q: Bool)\noutput done\nprocess Q { init l { !o(any p, any q) -> l } state m { !done -> l } }";
        let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        let read = |gate: &str, args: &str| {
            let args: Json = serde_json::from_str(args).expect("JSON");
            arguments(&model, &model.gates[model.gate(gate).unwrap()], Some(&args))
        };
        let good = Ok(vec![Value::Int(1), Value::Bool(true)]);
        assert_eq!(read("o", r#"{"q":true,"p":1}"#), good);
        assert_eq!(read("o", r#"{"q":true,"p":1,"extra":[]}"#), good);
        assert_eq!(read("o", "[1,true]"), good);
        assert_eq!(read("done", "null"), Ok(vec![]));
        assert_eq!(read("done", "{}"), Ok(vec![]));
        assert_eq!(read("o", r#"{"p":1}"#), Err(Misread::Misfit("`q` is missing".into())));
        let gate = &model.gates[model.gate("o").unwrap()];
        assert_eq!(arguments(&model, gate, None), Err(Misread::Misfit("`p` is missing".into())));
        // Neither an object nor an array: that is a matter of the adapter, whatever it is.
        for args in ["null", "3", "true", "\"p\""] {
            let args: Json = serde_json::from_str(args).expect("JSON");
            assert!(matches!(arguments(&model, gate, Some(&args)), Err(Misread::Protocol(_))), "{args}");
        }
        assert_eq!(read("o", "[1]"), Err(Misread::Misfit("1 value came for 2 parameters".into())));
        assert!(matches!(read("o", r#"{"P":1,"q":true}"#), Err(Misread::Protocol(why)) if why.contains("sends `P`")));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let model = model();
        let gate = model.gates.values().next().unwrap();
        for (param, written) in [
            (0, "-340282366920938463463374607431768211456"),
            (0, "9007199254740992"),
            (1, "1 / 3"),
            (1, "0.12345678901234567"),
            (3, r#""a \" \\ \u{7f} é""#),
            (4, "P { x: -1 / 7, s: [Mix(9), Red] }"),
        ] {
            let param = &gate.params[param];
            let value = sioco_lang::value::parse_value(&model.sorts, param.sort, written).expect(written);
            let text = sioco_plan::value::json(&model.sorts, param.sort, &value).to_string();
            let read = argument(&model.sorts, param, &serde_json::from_str(&text).unwrap());
            assert_eq!(read, Ok(value), "{text}");
        }
    }
}
