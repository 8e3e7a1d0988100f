//! Values as text.
//!
//! | sort | text |
//! | --- | --- |
//! | `Bool` | `true`, `false` |
//! | `Int` | its digits |
//! | `Real` | a decimal number; a fraction such as `1/3` where none is exact |
//! | `String` | the text itself; where it is quoted, or part of something else, a JSON string |
//! | constructor | its name, or the word for it, with its fields: `Mix(1,2)` |
//! | record | its fields: `(1,2)` |
//! | `Seq<T>` | `[1,2]` |
//! | `Set<T>` | `{1,2}` |
//! | `Map<K, V>` | `{"a":1,"b":2}` |

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use sioco_model::model::Param;
use sioco_model::number::show_rational;
use sioco_model::sort::{DataType, Sort, Sorts};
use sioco_model::{SortId, Value};

use crate::values::{Misread, argument};

/// How constructors are written that have other names in the model.
pub(crate) type Words = BTreeMap<String, String>;

fn word<'a>(words: &'a Words, name: &'a str) -> &'a str {
    words.get(name).map_or(name, String::as_str)
}

/// A value as text.
pub(crate) fn show(sorts: &Sorts, words: &Words, sort: SortId, value: &Value) -> String {
    let list = |items: Vec<String>| items.join(",");
    match (value, sorts.get(sort)) {
        (Value::Str(text), _) => text.to_string(),
        (Value::Real(r), _) => show_rational(r).replace(' ', ""),
        (Value::Enum(_), _) => word(words, &sorts.show(sort, value)).to_owned(),
        (Value::Seq(items), Sort::Seq(item)) => {
            format!("[{}]", list(items.iter().map(|v| inner(sorts, words, *item, v)).collect()))
        }
        (Value::Set(items), Sort::Set(item)) => {
            format!("{{{}}}", list(items.iter().map(|v| inner(sorts, words, *item, v)).collect()))
        }
        (Value::Map(entries), Sort::Map(key, item)) => {
            let entry =
                |(k, v): &(Value, Value)| format!("{}:{}", inner(sorts, words, *key, k), inner(sorts, words, *item, v));
            format!("{{{}}}", list(entries.iter().map(entry).collect()))
        }
        (Value::Data(d), Sort::Data(data)) => {
            let data = &sorts.data[*data];
            let constructor = &data.constructors[d.constructor as usize];
            let fields = constructor.fields.iter().zip(&d.fields);
            let fields = list(fields.map(|(f, v)| inner(sorts, words, f.sort, v)).collect());
            let name = if data.record { "" } else { word(words, &constructor.name) };
            format!("{name}({fields})")
        }
        _ => value.to_string(),
    }
}

/// A value inside of another.
fn inner(sorts: &Sorts, words: &Words, sort: SortId, value: &Value) -> String {
    match value {
        Value::Str(text) => quote(text),
        _ => show(sorts, words, sort, value),
    }
}

/// A text in double quotes, as JSON writes it: in one line, whatever is in it.
pub(crate) fn quote(text: &str) -> String {
    Json::from(text).to_string()
}

const QUOTED: &str = r#""(?:[^"\\\r\n]|\\[^\r\n])*""#;

/// A regular expression for the values of a sort, without their ranges: a value out of range is to be seen as one.
pub(crate) fn pattern(sorts: &Sorts, words: &Words, sort: SortId, quoted: bool) -> String {
    let alternatives = |all: Vec<String>| format!("(?:{})", all.join("|"));
    let fields = |sorts_of: Vec<SortId>| {
        let all: Vec<String> = sorts_of.into_iter().map(|s| pattern(sorts, words, s, true)).collect();
        format!(r"\({}\)", all.join(","))
    };
    match sorts.get(sort) {
        Sort::Bool => "(?:true|false)".into(),
        Sort::Int { .. } => "[+-]?[0-9]+".into(),
        Sort::Real { .. } => r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:/[0-9]+)?".into(),
        Sort::String if quoted => QUOTED.into(),
        Sort::String => r"[^\r\n]*?".into(),
        Sort::Seq(item) => {
            let item = pattern(sorts, words, *item, true);
            format!(r"\[(?:{item}(?:,{item})*)?\]")
        }
        Sort::Set(item) => {
            let item = pattern(sorts, words, *item, true);
            format!(r"\{{(?:{item}(?:,{item})*)?\}}")
        }
        Sort::Map(key, value) => {
            let entry = format!("{}:{}", pattern(sorts, words, *key, true), pattern(sorts, words, *value, true));
            format!(r"\{{(?:{entry}(?:,{entry})*)?\}}")
        }
        Sort::Data(data) => {
            let data = &sorts.data[*data];
            alternatives(
                data.constructors
                    .iter()
                    .map(|c| {
                        let name = if data.record { String::new() } else { regex_syntax::escape(word(words, &c.name)) };
                        let none = c.fields.is_empty() && !data.record;
                        let fields =
                            if none { String::new() } else { fields(c.fields.iter().map(|f| f.sort).collect()) };
                        name + &fields
                    })
                    .collect(),
            )
        }
    }
}

/// The value of a parameter that a text stands for, or what is wrong with it.
pub(crate) fn read(sorts: &Sorts, words: &Words, param: &Param, text: &str, quoted: bool) -> Result<Value, Misread> {
    let mut reader = Reader { sorts, words, text, at: 0 };
    let json = reader.read(param.sort, quoted).filter(|_| reader.at == text.len());
    let no = || Misread::Misfit(format!("`{}` is `{text}`, but must be {}", param.name, sorts.name(param.sort)));
    argument(sorts, param, &json.ok_or_else(no)?)
}

/// An object with a single field.
fn one(name: &str, value: impl Into<Json>) -> Json {
    Json::Object(Map::from_iter([(name.to_owned(), value.into())]))
}

/// Reads a text by a sort, as JSON, whose readers know all about ranges.
struct Reader<'a> {
    sorts: &'a Sorts,
    words: &'a Words,
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn left(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, text: &str) -> Option<()> {
        self.left().starts_with(text).then(|| self.at += text.len())
    }

    /// Everything up to the first character that is none of these.
    fn while_in(&mut self, among: &str) -> &'a str {
        let left = self.left();
        let end = left.find(|c: char| !among.contains(c)).unwrap_or(left.len());
        self.at += end;
        &left[..end]
    }

    fn read(&mut self, sort: SortId, quoted: bool) -> Option<Json> {
        match self.sorts.get(sort) {
            Sort::Bool => match self.while_in("truefals") {
                "true" => Some(true.into()),
                "false" => Some(false.into()),
                _ => None,
            },
            Sort::Int { .. } => {
                let digits = self.while_in("+-0123456789");
                let digits = digits.strip_prefix('+').unwrap_or(digits);
                Some(one("#bigint", digits)).filter(|_| is_integer(digits))
            }
            Sort::Real { .. } => {
                let number = self.while_in("+-0123456789.eE/");
                let number = number.strip_prefix('+').unwrap_or(number);
                match number.split_once('/') {
                    Some((a, b)) => Some(one("#rational", number)).filter(|_| is_integer(a) && is_integer(b)),
                    None => Some(one("#number", number.replace("e+", "e").replace("E+", "E"))),
                }
            }
            Sort::String if quoted => self.quoted().map(Json::String),
            Sort::String => {
                let text = self.left();
                self.at = self.text.len();
                Some(text.into())
            }
            Sort::Seq(item) => {
                self.skip("[")?;
                let mut items = Vec::new();
                while self.skip("]").is_none() {
                    if !items.is_empty() {
                        self.skip(",")?;
                    }
                    items.push(self.read(*item, true)?);
                }
                Some(Json::Array(items))
            }
            Sort::Set(item) => {
                self.skip("{")?;
                let mut items = Vec::new();
                while self.skip("}").is_none() {
                    if !items.is_empty() {
                        self.skip(",")?;
                    }
                    items.push(self.read(*item, true)?);
                }
                Some(Json::Array(items))
            }
            Sort::Map(key, value) => {
                self.skip("{")?;
                let mut entries = Vec::new();
                while self.skip("}").is_none() {
                    if !entries.is_empty() {
                        self.skip(",")?;
                    }
                    let key = self.read(*key, true)?;
                    self.skip(":")?;
                    entries.push(Json::Array(vec![key, self.read(*value, true)?]));
                }
                Some(Json::Array(entries))
            }
            Sort::Data(data) => self.data(&self.sorts.data[*data]),
        }
    }

    /// A text in double quotes. What JSON escapes is understood; before any other character, a backslash means that one.
    fn quoted(&mut self) -> Option<String> {
        self.skip("\"")?;
        let mut text = String::new();
        loop {
            match self.character()? {
                '"' => return Some(text),
                '\\' => text.push(match self.character()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'u' => self.code_point()?,
                    other => other,
                }),
                other => text.push(other),
            }
        }
    }

    fn character(&mut self) -> Option<char> {
        let next = self.left().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// What four hexadecimal digits after `\u` stand for, or two times four of them; a `u` if there are none.
    fn code_point(&mut self) -> Option<char> {
        let Some(first) = self.four_digits() else { return Some('u') };
        let units = match first {
            0xd800..=0xdbff => {
                self.skip("\\u")?;
                vec![first, self.four_digits()?]
            }
            _ => vec![first],
        };
        char::decode_utf16(units).next()?.ok()
    }

    fn four_digits(&mut self) -> Option<u16> {
        let digits = self.left().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }

    fn data(&mut self, data: &DataType) -> Option<Json> {
        let fits =
            |c: &&sioco_model::sort::Constructor| data.record || self.left().starts_with(word(self.words, &c.name));
        // The longest name counts: one may begin like another.
        let constructor = data.constructors.iter().filter(fits).max_by_key(|c| word(self.words, &c.name).len())?;
        if !data.record {
            self.at += word(self.words, &constructor.name).len();
        }
        let mut fields = Map::new();
        if data.record || !constructor.fields.is_empty() {
            self.skip("(")?;
            for (i, field) in constructor.fields.iter().enumerate() {
                if i > 0 {
                    self.skip(",")?;
                }
                fields.insert(field.name.clone(), self.read(field.sort, true)?);
            }
            self.skip(")")?;
        }
        Some(match (data.record, constructor.fields.is_empty()) {
            (true, _) => Json::Object(fields),
            (false, true) => constructor.name.as_str().into(),
            (false, false) => one(&constructor.name, fields),
        })
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "type C = Red | Redder | Mix(a: Int in 0..9, t: String)\ntype P = { x: Real, s: Seq<C> }\noutput o(n: Int, r: Real, b: Bool, t: String, c: C, p: P, d: Int in 1..9, s: Set<C>, m: Map<String, Seq<Int>>)\nprocess Q { init l { !o(any n, any r, any b, any t, any c, any p, any d, any s, any m) -> l } }";

    #[test]
    fn what_is_written_is_read_and_matches_its_pattern() {
        let model = sioco_lang::check_text("m.sts", MODEL).model.expect("a model").model;
        let gate = model.gates.values().next().unwrap();
        let words = Words::from([("Red".into(), "r.d".into())]);
        for (name, text) in [
            ("n", "-12345678901234567890123"),
            ("n", "7"),
            ("r", "0.25"),
            ("r", "1/3"),
            ("b", "true"),
            ("t", "any \"text\" at all"),
            ("c", "r.d"),
            ("c", "Redder"),
            ("c", "Mix(3,\"a\\\"b,)\\\\\")"),
            ("c", r#"Mix(3,"\r\n\t\u0000\u001f")"#),
            ("p", "(1.5,[r.d,Mix(0,\"\")])"),
            ("p", "(0.0,[])"),
            ("s", "{r.d,Mix(0,\"}\")}"),
            ("s", "{}"),
            ("m", "{\"\":[],\"a:b\":[1,2]}"),
            ("m", "{}"),
        ] {
            let param = gate.params.iter().find(|p| p.name == name).unwrap();
            let value = read(&model.sorts, &words, param, text, false).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(show(&model.sorts, &words, param.sort, &value), text);
            let pattern = format!("(?:{})\\z", pattern(&model.sorts, &words, param.sort, false));
            let regex = regex_automata::meta::Regex::new(&pattern).unwrap();
            let input = regex_automata::Input::new(text).anchored(regex_automata::Anchored::Yes);
            assert!(regex.is_match(input), "{pattern} for {text}");
        }
        for (name, text, part) in [
            ("n", "x", "`n` is `x`, but must be Int"),
            ("n", "1.0", "`n` is `1.0`"),
            ("d", "10", "`d` is 10, but must be Int in 1..9"),
            ("c", "Green", "must be C"),
            ("c", "Mix(10,\"\")", "10"),
            ("b", "tru", "must be Bool"),
            ("m", "{\"a\":[],\"a\":[]}", "has the key"),
            ("m", "{\"a\"}", "must be Map<String, Seq<Int>>"),
            ("s", "[]", "must be Set<C>"),
            ("r", "1/0", "1/0"),
            ("p", "(1,[r.d,])", "must be P"),
        ] {
            let param = gate.params.iter().find(|p| p.name == name).unwrap();
            let why = read(&model.sorts, &words, param, text, false).unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn quoted_texts_are_json() {
        let model = sioco_lang::check_text("m.sts", MODEL).model.expect("a model").model;
        let param = model.gates.values().next().unwrap().params.iter().find(|p| p.name == "t").unwrap();
        let words = Words::new();
        for text in ["", "a\"b\\", "two\nlines\r\n", "\t\u{0}\u{1f}\u{7f}\u{8}\u{c}", "é☃😀"] {
            let quoted = quote(text);
            assert!(!quoted.chars().any(|c| c < ' '), "{quoted}");
            assert_eq!(serde_json::from_str::<String>(&quoted).ok().as_deref(), Some(text));
            assert_eq!(read(&model.sorts, &words, param, &quoted, true), Ok(Value::string(text)));
        }
        for (quoted, text) in
            [(r#""\/\u00e9\uD83D\uDE00""#, "/é😀"), (r#""\x\uz""#, "xuz"), (r#""\u12""#, "u12"), ("\"\t\"", "\t")]
        {
            assert_eq!(read(&model.sorts, &words, param, quoted, true), Ok(Value::string(text)), "{quoted}");
        }
        for half in [r#""\ud800""#, r#""\ud800\u0041""#, r#""\udc00""#, r#""a\""#, r#""a"b""#] {
            assert!(read(&model.sorts, &words, param, half, true).is_err(), "{half}");
        }
    }
}
