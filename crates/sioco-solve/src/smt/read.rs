//! What solvers print: s-expressions, and values in them.
//!
//! The text comes from another program, so nothing about it is taken for granted: reading is bounded in depth, never
//! panics, and says what it did not understand.

use std::fmt;

use rustc_hash::FxHashMap;
use sioco_model::number::{self, BigInt, Rational, parse_decimal, parse_integer};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{Id, SortId, Value};

use super::sorts::is_enumeration;

/// Expressions may nest at most this deep: twice as deep as [terms](sioco_model::term::MAX_DEPTH), since a solver
/// writes lets and signs around them.
const MAX_DEPTH: usize = 2_000;

/// An s-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexp {
    /// A symbol, keyword or number.
    Atom(String),
    /// A string literal, without quotes; `\u{…}` is left as it is.
    Text(String),
    /// A list.
    List(Vec<Sexp>),
}

impl Sexp {
    /// The symbol, if it is one.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(a) => Some(a),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::List(items) => Some(items),
            _ => None,
        }
    }

    /// The arguments, if it is a list that begins with this symbol.
    pub fn call(&self, head: &str) -> Option<&[Sexp]> {
        match self.list()?.split_first()? {
            (first, rest) if first.atom() == Some(head) => Some(rest),
            _ => None,
        }
    }
}

impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexp::Atom(a) => f.write_str(a),
            Sexp::Text(t) => write!(f, "\"{t}\""),
            Sexp::List(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { " " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The beginning of a text, on one line.
pub fn excerpt(text: &str) -> String {
    let mut line: String = text.trim().chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() < text.trim().len() {
        line.push('…');
    }
    line
}

/// Why a text is no list of s-expressions. The solver that printed it is to blame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SexpError {
    /// Lists are nested too deeply.
    TooDeep,
    /// A list is closed that was not opened.
    NotOpened,
    /// A list does not end.
    OpenList,
    /// A string does not end.
    OpenText,
    /// A quoted symbol does not end.
    OpenSymbol,
}

impl fmt::Display for SexpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SexpError::TooDeep => write!(f, "lists are nested more than {MAX_DEPTH} deep"),
            SexpError::NotOpened => f.write_str("a `)` without a `(`"),
            SexpError::OpenList => f.write_str("a list does not end"),
            SexpError::OpenText => f.write_str("a string does not end"),
            SexpError::OpenSymbol => f.write_str("a quoted symbol does not end"),
        }
    }
}

impl std::error::Error for SexpError {}

/// Why an s-expression is no value of a sort. The solver wrote it otherwise than the standard says, or has no value that
/// can be written here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// It is nested too deeply.
    TooDeep,
    /// It is a number, and irrational.
    Irrational,
    /// It is not understood.
    Strange {
        /// The s-expression, in short.
        shown: String,
        /// The sort.
        sort: String,
    },
    /// It has a `let` that binds something else than names.
    Let,
    /// It has a text with a code of no character.
    Character(u32),
}

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoValue::TooDeep => f.write_str("a value nests too deep"),
            NoValue::Irrational => f.write_str("the only number that it found is irrational"),
            NoValue::Strange { shown, sort } => write!(f, "`{shown}` is not understood as a value of `{sort}`"),
            NoValue::Let => f.write_str("a strange `let`"),
            NoValue::Character(code) => write!(f, "U+{code:X} is no character"),
        }
    }
}

impl std::error::Error for NoValue {}

/// All s-expressions of a text.
pub fn read(text: &str) -> Result<Vec<Sexp>, SexpError> {
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        let done = match c {
            c if c.is_whitespace() => continue,
            ';' => {
                while rest.next_if(|(_, c)| *c != '\n').is_some() {}
                continue;
            }
            '(' => {
                if open.len() > MAX_DEPTH {
                    return Err(SexpError::TooDeep);
                }
                open.push(Vec::new());
                continue;
            }
            ')' => {
                let items = open.pop().filter(|_| !open.is_empty()).ok_or(SexpError::NotOpened)?;
                Sexp::List(items)
            }
            '"' => {
                let mut out = String::new();
                loop {
                    match rest.next() {
                        Some((_, '"')) if rest.next_if(|(_, c)| *c == '"').is_some() => out.push('"'),
                        Some((_, '"')) => break Sexp::Text(out),
                        Some((_, c)) => out.push(c),
                        None => return Err(SexpError::OpenText),
                    }
                }
            }
            '|' => {
                let mut out = String::new();
                loop {
                    match rest.next() {
                        Some((_, '|')) => break Sexp::Atom(out),
                        Some((_, c)) => out.push(c),
                        None => return Err(SexpError::OpenSymbol),
                    }
                }
            }
            _ => {
                let in_atom = |c: char| !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | ';' | '|');
                while rest.next_if(|(_, c)| in_atom(*c)).is_some() {}
                let end = rest.peek().map_or(text.len(), |(end, _)| *end);
                Sexp::Atom(text[start..end].to_owned())
            }
        };
        open.last_mut().expect("a closed list leaves its outer one").push(done);
    }
    match open.len() {
        1 => Ok(open.remove(0)),
        _ => Err(SexpError::OpenList),
    }
}

/// A value of a sort.
pub fn value(sorts: &Sorts, sort: SortId, sexp: &Sexp) -> Result<Value, NoValue> {
    Reader { sorts, names: FxHashMap::default() }.value(sort, sexp, 0)
}

struct Reader<'a> {
    sorts: &'a Sorts,
    /// What `let` has given names.
    names: FxHashMap<&'a str, Vec<&'a Sexp>>,
}

impl<'a> Reader<'a> {
    fn value(&mut self, id: SortId, sexp: &'a Sexp, depth: usize) -> Result<Value, NoValue> {
        let strange = || {
            // Roots, as Z3 writes them.
            if sexp.call("root-obj").is_some() {
                return NoValue::Irrational;
            }
            NoValue::Strange { shown: excerpt(&sexp.to_string()), sort: self.sorts.name(id) }
        };
        if depth > MAX_DEPTH {
            return Err(NoValue::TooDeep);
        }
        if let Some([Sexp::List(bindings), body]) = sexp.call("let") {
            return self.bound(id, bindings, body, depth);
        }
        if let Some(named) = sexp.atom().and_then(|a| self.names.get_mut(a)).and_then(Vec::pop) {
            // Inside of what a name stands for, the name means what it meant before.
            let result = self.value(id, named, depth + 1);
            let name = sexp.atom().expect("it was one above");
            self.names.entry(name).or_default().push(named);
            return result;
        }
        match self.sorts.get(id) {
            Sort::Bool => match sexp.atom() {
                Some("true") => Ok(Value::Bool(true)),
                Some("false") => Ok(Value::Bool(false)),
                _ => Err(strange()),
            },
            Sort::Int { .. } => rational(sexp, 0).and_then(integral).map(number::int).ok_or_else(strange),
            Sort::Real { .. } => rational(sexp, 0).map(Value::real).ok_or_else(strange),
            // Nothing with one of these is written.
            Sort::Set(_) | Sort::Map(..) => Err(strange()),
            Sort::String => match sexp {
                Sexp::Text(text) => unescape(text).map(|s| Value::string(&s)),
                _ => Err(strange()),
            },
            Sort::Data(d) if is_enumeration(self.sorts, *d) => {
                let c = rational(sexp, 0).and_then(integral).and_then(|n| u32::try_from(n).ok());
                let known = c.filter(|c| (*c as usize) < self.sorts.data[*d].constructors.len());
                known.map(Value::Enum).ok_or_else(strange)
            }
            Sort::Data(d) => {
                // `C`, `(as C D)`, `(C 1)` or `((as C D) 1)`.
                let plain = |s: &'a Sexp| s.atom().or_else(|| s.call("as")?.first()?.atom());
                let (head, args) = match (plain(sexp), sexp.list()) {
                    (Some(head), _) => (Some(head), &[][..]),
                    (None, Some([head, args @ ..])) => (plain(head), args),
                    _ => (None, &[][..]),
                };
                let c = head.and_then(|h| h.strip_prefix(&format!("D{}c", d.index()))).and_then(|c| c.parse().ok());
                let found = c.and_then(|c: u32| Some((c, self.sorts.data[*d].constructors.get(c as usize)?)));
                let Some((c, constructor)) = found.filter(|(_, c)| c.fields.len() == args.len()) else {
                    return Err(strange());
                };
                let fields = constructor.fields.iter().zip(args).map(|(f, a)| self.value(f.sort, a, depth + 1));
                Ok(Value::data(c, fields.collect::<Result<_, _>>()?))
            }
            Sort::Seq(item) => {
                let item = *item;
                if let Some([unit]) = sexp.call("seq.unit") {
                    return Ok(Value::seq(vec![self.value(item, unit, depth + 1)?]));
                }
                if let Some(parts) = sexp.call("seq.++") {
                    let mut all = Vec::new();
                    for part in parts {
                        match self.value(id, part, depth + 1)? {
                            Value::Seq(items) => all.extend(items.iter().cloned()),
                            _ => return Err(strange()),
                        }
                    }
                    return Ok(Value::seq(all));
                }
                let empty = sexp.call("as").and_then(|a| a.first()).or(Some(sexp)).and_then(Sexp::atom);
                if empty == Some("seq.empty") { Ok(Value::seq(Vec::new())) } else { Err(strange()) }
            }
        }
    }

    fn bound(&mut self, id: SortId, bindings: &'a [Sexp], body: &'a Sexp, depth: usize) -> Result<Value, NoValue> {
        let mut names = Vec::new();
        for binding in bindings {
            let Some([Sexp::Atom(name), bound]) = binding.list() else { return Err(NoValue::Let) };
            names.push((name.as_str(), bound));
        }
        for (name, bound) in &names {
            self.names.entry(name).or_default().push(bound);
        }
        let result = self.value(id, body, depth + 1);
        for (name, _) in names {
            self.names.entry(name).or_default().pop();
        }
        result
    }
}

/// A number: `5`, `(- 5)`, `1.5`, `(/ 1.0 3.0)`, and these inside of each other.
fn rational(sexp: &Sexp, depth: usize) -> Option<Rational> {
    if depth > 10 {
        return None;
    }
    let inner = |s: &Sexp| rational(s, depth + 1);
    match sexp {
        Sexp::Atom(digits) if digits.chars().all(|c| c.is_ascii_digit()) => parse_integer(digits).map(Rational::from),
        Sexp::Atom(digits) if digits.chars().all(|c| c.is_ascii_digit() || c == '.') => parse_decimal(digits),
        _ => {
            if let Some([a]) = sexp.call("-") {
                Some(-inner(a)?)
            } else if let Some([a, b]) = sexp.call("/") {
                let (a, b) = (inner(a)?, inner(b)?);
                if b.is_zero() { None } else { Some(a / b) }
            } else if let Some([a]) = sexp.call("to_real") {
                inner(a)
            } else {
                None
            }
        }
    }
}

fn integral(r: Rational) -> Option<BigInt> {
    (BigInt::from(r.denominator().clone()) == BigInt::ONE).then(|| r.numerator().clone())
}

/// The text of a string literal: `\u{e9}` and `\u00e9` are characters.
fn unescape(text: &str) -> Result<String, NoValue> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\\u") {
        out.push_str(&rest[..start]);
        let tail = &rest[start + 2..];
        let (digits, after) = match tail.strip_prefix('{').and_then(|t| t.split_once('}')) {
            Some((digits, after)) if digits.len() <= 5 => (digits, after),
            _ => match tail.split_at_checked(4) {
                Some(split) => split,
                None => ("", tail),
            },
        };
        let is_hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        match u32::from_str_radix(digits, 16).ok().filter(|_| is_hex) {
            None => {
                out.push_str("\\u");
                rest = tail;
            }
            Some(code) => {
                out.push(char::from_u32(code).ok_or(NoValue::Character(code))?);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read() {
        let all = read("sat ; yes\n((x (- 5)) (|a b| \"say \"\"hi\"\"\"))").unwrap();
        assert_eq!(all[0], Sexp::Atom("sat".into()));
        let values = all[1].list().unwrap();
        assert_eq!(values[0].list().unwrap()[1].call("-").unwrap(), [Sexp::Atom("5".into())]);
        assert_eq!(values[1].list().unwrap(), [Sexp::Atom("a b".into()), Sexp::Text("say \"hi\"".into())]);
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in ["(", ")", "(a", "\"a", "|a", "())", &"(".repeat(1_000_000), &")".repeat(10)] {
            assert!(read(text).is_err(), "{}", &text[..text.len().min(10)]);
        }
        assert!(read(&format!("{}{}", "(".repeat(1_000), ")".repeat(1_000))).is_ok());
    }

    #[test]
    fn values_are_read_by_sort() {
        let mut sorts = Sorts::default();
        let ints = sorts.seq(sorts.int);
        let check = |sort, text: &str, shown: &str| {
            let read = read(text).unwrap();
            let found = value(&sorts, sort, &read[0]).unwrap();
            assert_eq!(found.to_string(), shown, "{text}");
        };
        check(sorts.int, "(- 170141183460469231731687303715884105728)", "-170141183460469231731687303715884105728");
        check(sorts.int, "5", "5");
        check(sorts.real, "(- (/ 1.0 3.0))", "-1 / 3");
        check(sorts.real, "(/ (- 1) 4)", "-0.25");
        check(sorts.real, "1.50", "1.5");
        check(sorts.string, r#""a\u{e9}\u00e9\u{1f600}""#, "\"aéé😀\"");
        check(sorts.string, r#""\x \u{} \u{zz} \u""#, r#""\\x \\u{} \\u{zz} \\u""#);
        check(ints, "(as seq.empty (Seq Int))", "[]");
        check(ints, "(seq.++ (seq.unit 1) (seq.++ (seq.unit (- 2)) (seq.unit 3)))", "[1, -2, 3]");
        check(ints, "(let ((a (seq.unit 1))) (let ((b (seq.++ a a))) (seq.++ b b)))", "[1, 1, 1, 1]");
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let mut sorts = Sorts::default();
        let ints = sorts.seq(sorts.int);
        let texts = [
            (sorts.int, "1.5"),
            (sorts.int, "true"),
            (sorts.int, "--5"),
            (sorts.int, "(let)"),
            (sorts.int, "(let ((a a)) a)"),
            (sorts.real, "(root-obj (+ (^ x 2) (- 2)) 2)"),
            (sorts.real, "(/ 1 0)"),
            (sorts.real, "1.4142?"),
            (sorts.string, "\"\\u{d800}\""),
            (sorts.string, "a"),
            (ints, "(lambda ((i Int)) 1)"),
            (ints, "()"),
            (sorts.bool, "(not true)"),
        ];
        for (sort, text) in texts {
            let read = read(text).unwrap();
            assert!(value(&sorts, sort, &read[0]).is_err(), "{text}");
        }
    }
}
