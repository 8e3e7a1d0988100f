//! Operations on texts: numbers in them, their parts, and regular expressions.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use regex_automata::meta::{Config, Regex};
use regex_syntax::hir::{Hir, HirKind, Look};
use regex_syntax::{ParserBuilder, hir};
use rustc_hash::FxHashMap;

use crate::eval::{EvalError, bounded};
use crate::number::{self, MAX_BITS};
use crate::term::Op;
use crate::value::{self, Value};

/// How many bytes a regular expression may have as text.
pub const MAX_PATTERN: usize = 10_000;

/// How large a regular expression may become, in bytes of memory.
const MAX_AUTOMATON: usize = 1 << 20;

/// How many regular expressions are remembered.
const REMEMBERED: usize = 256;

/// What is wrong with a regular expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternError {
    /// It is not one: why, and where in it, in bytes.
    Syntax {
        /// Why.
        why: String,
        /// Where it starts and ends.
        at: (usize, usize),
    },
    /// It is too large, or becomes so: a repetition of repetitions, for example.
    TooLarge,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Syntax { why, .. } => f.write_str(why),
            PatternError::TooLarge => f.write_str("it is too large, or stands for too much"),
        }
    }
}

impl std::error::Error for PatternError {}

/// Whether a text is a regular expression that can be used.
///
/// # Errors
/// If it cannot.
pub fn pattern(text: &str) -> Result<(), PatternError> {
    compile(text).map(drop)
}

fn compile(text: &str) -> Result<Rc<Regex>, PatternError> {
    type Known = FxHashMap<Box<str>, Result<Rc<Regex>, PatternError>>;
    thread_local! {
        static KNOWN: RefCell<Known> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(result) = known.get(text) {
            return result.clone();
        }
        if known.len() >= REMEMBERED {
            known.clear();
        }
        let result = compiled(text).map(Rc::new);
        known.insert(text.into(), result.clone());
        result
    })
}

fn compiled(text: &str) -> Result<Regex, PatternError> {
    if text.len() > MAX_PATTERN {
        return Err(PatternError::TooLarge);
    }
    let parsed = ParserBuilder::new().nest_limit(50).build().parse(text);
    let inner = parsed.map_err(|error| {
        let at = |span: &regex_syntax::ast::Span| (span.start.offset, span.end.offset);
        match &error {
            regex_syntax::Error::Parse(e) => PatternError::Syntax { why: e.kind().to_string(), at: at(e.span()) },
            regex_syntax::Error::Translate(e) => PatternError::Syntax { why: e.kind().to_string(), at: at(e.span()) },
            other => PatternError::Syntax { why: other.to_string(), at: (0, text.len()) },
        }
    })?;
    let whole = Hir::concat(vec![Hir::look(Look::Start), inner, Hir::look(Look::End)]);
    if weight(&whole) > MAX_AUTOMATON as u64 {
        return Err(PatternError::TooLarge);
    }
    let config = Config::new().nfa_size_limit(Some(MAX_AUTOMATON)).onepass_size_limit(Some(MAX_AUTOMATON));
    Regex::builder().configure(config).build_from_hir(&whole).map_err(|_| PatternError::TooLarge)
}

/// About how large an automaton becomes; a repetition counts as often as it repeats.
fn weight(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(hir::Literal(bytes)) => bytes.len() as u64,
        HirKind::Class(_) => 1,
        HirKind::Repetition(r) => {
            let times = u64::from(r.max.unwrap_or(r.min.saturating_add(1))).max(1);
            weight(&r.sub).saturating_mul(times)
        }
        HirKind::Capture(c) => weight(&c.sub),
        HirKind::Concat(all) | HirKind::Alternation(all) => {
            all.iter().fold(1, |sum: u64, part| sum.saturating_add(weight(part)))
        }
    }
}

/// Whether a text is an integer in decimal.
pub fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn text(v: &Value) -> &str {
    match v {
        Value::Str(s) => s,
        other => panic!("`{other}` is no text"),
    }
}

/// The operations on texts.
pub(crate) fn apply(op: Op, v: &[Value]) -> Result<Value, EvalError> {
    let sized =
        |value: Value| if value::small(std::slice::from_ref(&value)) { Ok(value) } else { Err(EvalError::TooLarge) };
    Ok(match op {
        Op::Text => Value::string(&v[0].to_string()),
        Op::IsNumber => Value::Bool(is_number(text(&v[0]))),
        Op::Number => {
            let given = text(&v[0]);
            if !is_number(given) {
                return Err(EvalError::NotANumber { text: given.to_string() });
            }
            // A digit has more than three bits.
            let digits = given.trim_start_matches('-').trim_start_matches('0').len();
            if digits > MAX_BITS / 3 {
                return Err(EvalError::TooLarge);
            }
            bounded(number::int(number::parse_integer(given).expect("digits")))?
        }
        Op::ByteLen => Value::Int(text(&v[0]).len() as i64),
        Op::Matches => {
            let found = compile(text(&v[1])).map_err(|_| EvalError::BadPattern)?;
            Value::Bool(found.is_match(text(&v[0])))
        }
        Op::Split => {
            let separator = text(&v[1]);
            if separator.is_empty() {
                return Err(EvalError::EmptySeparator);
            }
            sized(Value::seq(text(&v[0]).split(separator).map(Value::string).collect()))?
        }
        Op::Join => {
            let Value::Seq(parts) = &v[0] else { panic!("`{}` is no sequence", v[0]) };
            let separator = text(&v[1]);
            let size = parts.iter().map(|p| text(p).len() + separator.len()).fold(0usize, usize::saturating_add);
            if size > value::MAX_SIZE + separator.len() {
                return Err(EvalError::TooLarge);
            }
            let parts: Vec<&str> = parts.iter().map(text).collect();
            sized(Value::string(&parts.join(separator)))?
        }
        Op::StartsWith => Value::Bool(text(&v[0]).starts_with(text(&v[1]))),
        Op::EndsWith => Value::Bool(text(&v[0]).ends_with(text(&v[1]))),
        Op::Upper => sized(Value::string(&text(&v[0]).to_uppercase()))?,
        Op::Lower => sized(Value::string(&text(&v[0]).to_lowercase()))?,
        _ => unreachable!("not an operation on texts"),
    })
}
