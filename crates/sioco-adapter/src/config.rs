//! `sioco.toml`: where systems are, how to speak plain text or HTTP with them, and options that hold unless the
//! command line overrides them.
//!
//! This module reads the file and finds every mistake of form. The module [`text`](crate::text) finds out what its
//! templates mean for a model.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use sioco_model::names::did_you_mean;

/// The name of the file.
pub const FILE: &str = "sioco.toml";

/// The whole file.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// Systems under test, by the names that `--sut` takes.
    #[serde(default)]
    pub sut: BTreeMap<String, SutConfig>,
    /// How to speak to systems that do not speak JSON.
    #[serde(default)]
    pub dialect: BTreeMap<String, DialectConfig>,
    /// Options of `sioco test`, by their names.
    #[serde(default)]
    pub test: BTreeMap<String, toml::Value>,
    /// Sets of options that `--profile` chooses.
    #[serde(default)]
    pub profile: BTreeMap<String, BTreeMap<String, toml::Value>>,
}

/// A system under test.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SutConfig {
    /// A program that is spoken to over its standard input and output.
    pub command: Option<String>,
    /// A server that is started; `{port}` is a free port.
    pub start: Option<String>,
    /// Where a server listens: `tcp://HOST:PORT`, or `http://HOST:PORT`.
    pub connect: Option<String>,
    /// How it is spoken to: a dialect of this file, or `torxakis`; without one, in lines of JSON.
    pub dialect: Option<String>,
    /// What is done at the beginning of each run.
    #[serde(default)]
    pub before: Vec<Exchange>,
    /// What the order of its messages means: `sut` or `sent`.
    pub order: Option<String>,
    /// How it gets back to its initial state.
    #[serde(default)]
    pub reset: ResetConfig,
    /// Environment variables for what is started.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Where it is started; from the folder of the file.
    pub directory: Option<PathBuf>,
    /// What the adapter gets as `config`.
    #[serde(default)]
    pub config: BTreeMap<String, toml::Value>,
}

/// How a system gets back to its initial state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResetConfig {
    /// Each run has a connection of its own, or a process of its own.
    #[default]
    Reconnect,
    /// The connection stays, and what is done before each run is enough.
    Keep,
    /// The server is started anew for each run.
    Restart,
}

/// Something that is sent, and what has to come back.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exchange {
    /// What is sent, without its line end.
    pub send: Option<String>,
    /// How the line begins that has to come; others before it are dropped.
    pub expect: Option<String>,
    /// A request instead.
    pub request: Option<Request>,
    /// The status that the response to the request has to have.
    pub status: Option<u16>,
}

/// How to speak to a system.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DialectConfig {
    /// What ends every input, and every output in the short form.
    #[serde(default = "newline")]
    pub line_end: String,
    /// How each input becomes bytes, or a request.
    #[serde(default)]
    pub inputs: Ordered<InputConfig>,
    /// How bytes, or responses, become outputs. Where several fit, the first one counts.
    #[serde(default)]
    pub outputs: Ordered<Several<OutputConfig>>,
    /// The output gate with one string that takes whatever fits nothing else.
    pub other: Option<String>,
    /// The output gates after which the end of the connection is no news.
    #[serde(default)]
    pub last: Vec<String>,
    /// How constructors are written that have other names in the model.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
}

fn newline() -> String {
    "\n".into()
}

impl Default for DialectConfig {
    fn default() -> Self {
        DialectConfig {
            line_end: newline(),
            inputs: Ordered::default(),
            outputs: Ordered::default(),
            other: None,
            last: Vec::new(),
            words: BTreeMap::new(),
        }
    }
}

/// How an input is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputConfig {
    /// As text.
    Text(String),
    /// As a request.
    Request(Request),
}

/// A request of HTTP. Its texts are templates.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Request {
    /// Its method.
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// Its headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: Option<String>,
}

/// How an output is recognized.
#[derive(Clone, PartialEq, Debug)]
pub enum OutputConfig {
    /// A line, in the short form.
    Line(String),
    /// Anything else.
    Full(Recognized),
}

/// What an output looks like.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recognized {
    /// A regular expression for the whole message, or for the body of a response.
    pub regex: Option<String>,
    /// A line, in the short form.
    pub line: Option<String>,
    /// Parameters that have always the same value.
    #[serde(default)]
    pub set: BTreeMap<String, toml::Value>,
    /// The status of a response: a number, or a class such as `"4xx"`.
    pub status: Option<toml::Value>,
    /// Where in the body of a response values are: JSON pointers by parameters.
    #[serde(default)]
    pub json: BTreeMap<String, String>,
    /// Only after inputs of these gates.
    pub after: Option<Vec<String>>,
}

/// A table in the order in which it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Table<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table with a template for each gate")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Ordered(all))
            }
        }

        deserializer.deserialize_map(Table(PhantomData))
    }
}

/// One, or an array of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Several<T>(pub Vec<T>);

impl<'de> Deserialize<'de> for InputConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = InputConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text such as \"ADD {p}\", or a request such as { method = \"GET\", path = \"/x/{p}\" }")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(InputConfig::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Request::deserialize(MapAccessDeserializer::new(map)).map(InputConfig::Request)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for OutputConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = Several::deserialize(deserializer)?.0;
        match <[OutputConfig; 1]>::try_from(all) {
            Ok([one]) => Ok(one),
            Err(_) => Err(serde::de::Error::custom("templates are not nested")),
        }
    }
}

impl<'de> Deserialize<'de> for Several<OutputConfig> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Several<OutputConfig>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text such as \"SUM {p}\", a table such as { regex = '…' }, or an array of them")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Several(vec![OutputConfig::Line(text.to_owned())]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let full = Recognized::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Several(vec![OutputConfig::Full(full)]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
                let mut found = Vec::new();
                while let Some(one) = all.next_element()? {
                    found.push(one);
                }
                Ok(Several(found))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

/// Why a text is no `sioco.toml`. Whoever wrote the file is to blame, unless there is no memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigError {
    /// It has more brackets than any project has.
    Brackets {
        /// The line (from 1) of the first one that is too many.
        line: usize,
    },
    /// There is no memory to follow its brackets.
    NoMemory,
    /// It is no TOML, or has something that no project has; as the library shows it.
    Toml {
        /// The place and what is wrong there.
        shown: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// The same, where the library does not say where.
    Unplaced {
        /// The line (from 1) that was found.
        line: usize,
        /// What is wrong there.
        what: String,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Brackets { line } => {
                write!(f, "TOML parse error at line {line}\nthe file has more than {MOST_BRACKETS} brackets")
            }
            ConfigError::NoMemory => {
                f.write_str("TOML parse error at line 1\nthere is no memory to follow its brackets")
            }
            ConfigError::Toml { shown, near: None } => f.write_str(shown),
            ConfigError::Toml { shown, near: Some(near) } => write!(f, "{shown}\ndid you mean `{near}`?"),
            ConfigError::Unplaced { line, what } => write!(f, "TOML parse error at line {line}\n{what}"),
        }
    }
}

impl std::error::Error for ConfigError {}

impl std::str::FromStr for Config {
    type Err = ConfigError;

    /// Reads the text of a file. What is wrong has its line.
    fn from_str(text: &str) -> Result<Config, ConfigError> {
        // The library follows brackets that do not fit together as deep as they go, in spite of its own limit.
        let brackets = text.bytes().filter(|b| matches!(b, b'[' | b'{')).count();
        if brackets <= FEW_BRACKETS {
            return read(text);
        }
        if brackets > MOST_BRACKETS {
            let at = text.match_indices(['[', '{']).nth(MOST_BRACKETS).map_or(0, |(at, _)| at);
            return Err(ConfigError::Brackets { line: text[..at].matches('\n').count() + 1 });
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(brackets * STACK_OF_BRACKET);
            let read = thread.spawn_scoped(scope, || read(text)).map(|thread| thread.join());
            read.unwrap_or(Ok(Err(ConfigError::NoMemory))).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Up to this many nested brackets need no stack of their own: the 2 MiB of a thread are enough at [`STACK_OF_BRACKET`]
/// each.
const FEW_BRACKETS: usize = 500;
/// More nested brackets than this are refused: no project has them, and their stack would be more than 200 MB.
const MOST_BRACKETS: usize = 50_000;
/// Each further bracket gets this many bytes of stack: more than a call of the parser takes, so that a deep file is an
/// error and no crash.
const STACK_OF_BRACKET: usize = 4 << 10;

fn read(text: &str) -> Result<Config, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| match error.span() {
        Some(_) => ConfigError::Toml { shown: error.to_string().trim_end().to_owned(), near: meant(error.message()) },
        // The library does not say where a name has too many parts, nor that it is that.
        None => {
            let what = match error.message() {
                "recursion limit" => "a name has too many parts (separated by dots)",
                other => other.trim_end(),
            };
            ConfigError::Unplaced { line: line_without_place(text), what: what.to_owned() }
        }
    })
}

/// What was probably meant where the library does not know a name. Only its words say which ones it knows.
fn meant(message: &str) -> Option<String> {
    let unknown = ["unknown field `", "unknown variant `"].into_iter().find_map(|start| message.strip_prefix(start))?;
    let (name, known) = unknown.split_once("`, expected ")?;
    did_you_mean(name, known.split('`').skip(1).step_by(2))
}

/// The line (from 1) of a mistake that the library tells without its place: the first one with which it is there.
fn line_without_place(text: &str) -> usize {
    let mut ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    ends.push(text.len());
    let wrong = |end: &usize| {
        let (_, errors) = toml::de::DeTable::parse_recoverable(&text[..*end]);
        errors.iter().any(|error| error.span().is_none())
    };
    ends.partition_point(|end| !wrong(end)).min(ends.len() - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_in_its_order() {
        let text = r#"
            [test]
            max-steps = 100
            [profile.ci]
            seed = 1
            [dialect.d]
            line-end = "\r\n"
            other = "any"
            [dialect.d.inputs]
            z = "Z {p}"
            a = { method = "GET", path = "/a" }
            [dialect.d.outputs]
            z = "z"
            a = ["a {n}", { regex = 'x(?<n>\d)', set = { k = 1 } }]
            [sut.s]
            dialect = "d"
            connect = "tcp://localhost:1"
            before = [{ send = "FLUSH", expect = "OK" }]
            reset = "keep"
        "#;
        let config: Config = text.parse().unwrap();
        let dialect = &config.dialect["d"];
        assert_eq!(dialect.inputs.0[0], ("z".into(), InputConfig::Text("Z {p}".into())));
        assert!(matches!(&dialect.inputs.0[1].1, InputConfig::Request(r) if r.path == "/a"));
        assert_eq!(
            dialect.outputs.0.iter().map(|(name, o)| (&name[..], o.0.len())).collect::<Vec<_>>(),
            [("z", 1), ("a", 2)]
        );
        assert_eq!(config.sut["s"].reset, ResetConfig::Keep);
        assert_eq!(config.sut["s"].before[0].expect.as_deref(), Some("OK"));
        assert_eq!(config.test["max-steps"].as_integer(), Some(100));
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, parts) in [
            ("[sut.s]\ncomand = \"x\"", ["line 2", "unknown field `comand`"]),
            ("[dialect.d.inputs]\na = 1", ["line 2", "a text such as"]),
            ("[dialect.d.inputs]\na = { path = \"/\" }", ["line 2", "missing field `method`"]),
            ("[dialect.d.outputs]\na = { regexp = '' }", ["line 2", "unknown field `regexp`"]),
            ("[dialect.d.outputs]\na = [[\"b\", \"c\"]]", ["line 2", "not nested"]),
            ("[sut.s]\nreset = \"often\"", ["line 2", "`keep`"]),
            ("[sut.s]\ncomand = \"x\"", ["line 2", "\ndid you mean `command`?"]),
            ("[sut.s]\nreset = \"restrat\"", ["line 2", "\ndid you mean `restart`?"]),
            ("[tset]\nseed = 1", ["line 1", "\ndid you mean `test`?"]),
            ("[dialect.d]\nline-ends = \"\"", ["line 2", "\ndid you mean `line-end`?"]),
            ("[sut.s]\nbefore = [{ sent = \"x\" }]", ["line 2", "\ndid you mean `send`?"]),
            ("[sut", ["line 1", ""]),
            (&format!("[sut.s]\nbefore = {}", "[".repeat(200)), ["line 2", "recurse"]),
            (&format!("[sut.s]\n[test{}]", ".t".repeat(100)), ["line 2\n", "a name has too many parts"]),
            (
                &format!("[sut.s]\n# {0}\n[test]\na = '{0}'\nt{0} = 1\n", ".t".repeat(100)),
                ["line 5\n", "too many parts"],
            ),
            (
                &format!("[test]\na.b.c = 1\nx = [\n  {{ t{} = 1 }},\n  2,\n]\n", ".t".repeat(100)),
                ["line 4\n", "too many parts"],
            ),
        ] {
            let why = text.parse::<Config>().unwrap_err().to_string();
            assert!(parts.iter().all(|part| why.contains(part)), "{text}: {why}");
        }
    }

    /// Brackets that do not fit together are followed, however many they are, and on a small stack.
    #[test]
    fn brackets_without_end_are_refused() {
        let tangle = "E{=''\\ f[s}]s \"\no \"\nr \"\n";
        for (text, line) in [
            (format!("[test]\nv = [{{ a = 1{}", tangle.repeat(8000)), "line 2"),
            (format!("[test]\nv = [{{ a = 1{}", tangle.repeat(20_000)), "line "),
            (format!("[test]\nv = 1\nx = {}", "[".repeat(40_000)), "line 3"),
            (format!("[test]\nv = 1\nx = {}", "{a=[".repeat(20_000)), "line 3"),
            (format!("[test]\nv = 1\nx = [{}]", "[],\n".repeat(100_000)), "line 50001\nthe file has more"),
        ] {
            let thread = std::thread::Builder::new().stack_size(1 << 20);
            let read = thread.spawn(move || text.parse::<Config>()).expect("a thread").join().expect("no panic");
            let why = read.expect_err(line).to_string();
            assert!(why.contains(line), "{line}: {:.300}", why);
        }
        let many = format!("[test]\nx = [{}]", "[1],\n".repeat(40_000));
        assert!(many.parse::<Config>().is_ok(), "many brackets that fit together");
    }
}
