//! Guards, parameters and assigned values: from the text in the XML to terms, and from terms to our text.
//!
//! Names in these files may have dashes, dots and spaces, which is why our own parser cannot read them.

use std::fmt::{self, Write};

use rustc_hash::FxHashMap;

use super::Type;
use crate::syntax::parser::expr::MAX_DIGITS;

/// Terms may nest at most this deep: well below what our own parser allows for what is written from them, as each level
/// may need brackets of its own.
const MAX_DEPTH: usize = 30;

/// A value may become at most this large, in terms, when earlier assignments are put into it. A text of that size is
/// several screens; a chain of assignments that double would otherwise have no end.
const MAX_SIZE: usize = 1000;

/// The longest name with spaces, dashes and the like that is looked for. Each place in a text is tried with every
/// length up to it.
const MAX_ODD_NAME: usize = 100;

/// Operators, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
}

/// Why a term has no type: the file that is imported is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TypeError {
    /// An operator is not for what stands behind it.
    Unary {
        /// The operator.
        op: &'static str,
        /// What stands behind it.
        ty: Type,
    },
    /// An operator is not for what stands on its two sides.
    Binary {
        /// The operator.
        op: Op,
        /// What stands before it.
        left: Type,
        /// What stands behind it.
        right: Type,
    },
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeError::Unary { op, ty } => write!(f, "`{op}` does not take {}", ty.text()),
            TypeError::Binary { op, left, right } => {
                write!(f, "`{}` does not take {} and {}", op.text(), left.text(), right.text())
            }
        }
    }
}

impl std::error::Error for TypeError {}

impl Op {
    fn level(self) -> u8 {
        match self {
            Op::Or => 1,
            Op::And => 2,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 3,
            Op::Add | Op::Sub => 4,
            Op::Mul => 5,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Op::Or => "||",
            Op::And => "&&",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
        }
    }
}

/// What a name stands for; the numbers are indices of the automaton's lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ref {
    /// A parameter of the symbol of this transition.
    Param(usize),
    /// A register.
    Var(usize),
    /// A constant.
    Const(usize),
}

/// A term. Operators of one level in a row are one node, so that a long guard is not a deep one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Expr {
    /// A number or truth value, as our language writes it.
    Literal(String),
    /// A string, without quotes and escapes.
    Str(String),
    Ref(Ref),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    Chain(Box<Expr>, Vec<(Op, Expr)>),
}

impl Expr {
    /// Calls `f` for every name.
    pub(super) fn visit(&self, f: &mut impl FnMut(Ref)) {
        match self {
            Expr::Literal(_) | Expr::Str(_) => {}
            Expr::Ref(r) => f(*r),
            Expr::Not(e) | Expr::Neg(e) => e.visit(f),
            Expr::Chain(first, rest) => {
                first.visit(f);
                rest.iter().for_each(|(_, e)| e.visit(f));
            }
        }
    }

    /// Calls `f` for every name, to change it.
    pub(super) fn visit_mut(&mut self, f: &mut impl FnMut(&mut Ref)) {
        match self {
            Expr::Literal(_) | Expr::Str(_) => {}
            Expr::Ref(r) => f(r),
            Expr::Not(e) | Expr::Neg(e) => e.visit_mut(f),
            Expr::Chain(first, rest) => {
                first.visit_mut(f);
                rest.iter_mut().for_each(|(_, e)| e.visit_mut(f));
            }
        }
    }

    /// The term with registers replaced by terms; `None` when it grows too large.
    pub(super) fn substitute(&self, values: &FxHashMap<usize, Expr>) -> Option<Expr> {
        if values.is_empty() {
            return Some(self.clone());
        }
        let mut size = 0;
        self.visit(&mut |r| {
            size += match r {
                Ref::Var(v) => values.get(&v).map_or(0, Expr::size),
                _ => 0,
            }
        });
        if size > MAX_SIZE {
            return None;
        }
        let result = self.replace(values);
        (result.depth() <= MAX_DEPTH).then_some(result)
    }

    fn replace(&self, values: &FxHashMap<usize, Expr>) -> Expr {
        match self {
            Expr::Ref(Ref::Var(v)) => values.get(v).unwrap_or(self).clone(),
            Expr::Literal(_) | Expr::Str(_) | Expr::Ref(_) => self.clone(),
            Expr::Not(e) => Expr::Not(Box::new(e.replace(values))),
            Expr::Neg(e) => Expr::Neg(Box::new(e.replace(values))),
            Expr::Chain(first, rest) => Expr::Chain(
                Box::new(first.replace(values)),
                rest.iter().map(|(op, e)| (*op, e.replace(values))).collect(),
            ),
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Expr::Literal(_) | Expr::Str(_) | Expr::Ref(_) => 1,
            Expr::Not(e) | Expr::Neg(e) => 1 + e.size(),
            Expr::Chain(first, rest) => first.size() + rest.iter().map(|(_, e)| 1 + e.size()).sum::<usize>(),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Expr::Literal(_) | Expr::Str(_) | Expr::Ref(_) => 0,
            Expr::Not(e) | Expr::Neg(e) => 1 + e.depth(),
            Expr::Chain(first, rest) => 1 + rest.iter().map(|(_, e)| e.depth()).max().unwrap_or(0).max(first.depth()),
        }
    }

    /// The type of the term, given those of names; or what in it does not fit together.
    pub(super) fn ty(&self, of: &impl Fn(Ref) -> Type) -> Result<Type, TypeError> {
        let number = |ty: Type| matches!(ty, Type::Int | Type::Real);
        let wrong = |op, ty| Err(TypeError::Unary { op, ty });
        match self {
            Expr::Literal(text) if text == "true" || text == "false" => Ok(Type::Bool),
            Expr::Literal(text) => Ok(if text.contains('.') { Type::Real } else { Type::Int }),
            Expr::Str(_) => Ok(Type::String),
            Expr::Ref(r) => Ok(of(*r)),
            Expr::Not(e) => match e.ty(of)? {
                Type::Bool => Ok(Type::Bool),
                other => wrong("!", other),
            },
            Expr::Neg(e) => match e.ty(of)? {
                ty if number(ty) => Ok(ty),
                other => wrong("-", other),
            },
            Expr::Chain(first, rest) => {
                let mut ty = first.ty(of)?;
                for (op, e) in rest {
                    let right = e.ty(of)?;
                    let both_numbers = number(ty) && number(right);
                    let fits = match op {
                        Op::Or | Op::And => ty == Type::Bool && right == Type::Bool,
                        Op::Eq | Op::Ne => ty == right || both_numbers,
                        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Add | Op::Sub | Op::Mul => both_numbers,
                    };
                    if !fits {
                        return Err(TypeError::Binary { op: *op, left: ty, right });
                    }
                    ty = match op {
                        Op::Add | Op::Sub | Op::Mul if ty == Type::Int => right,
                        Op::Add | Op::Sub | Op::Mul => ty,
                        _ => Type::Bool,
                    };
                }
                Ok(ty)
            }
        }
    }

    /// Several conditions as one.
    pub(super) fn all(conditions: Vec<Expr>) -> Option<Expr> {
        let mut conditions = conditions.into_iter();
        let first = conditions.next()?;
        let rest: Vec<_> = conditions.map(|e| (Op::And, e)).collect();
        Some(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    /// `a != b`
    pub(super) fn differ(a: Expr, b: Expr) -> Expr {
        Expr::Chain(Box::new(a), vec![(Op::Ne, b)])
    }

    /// The term in our language.
    pub(super) fn show(&self, name: &impl Fn(Ref) -> String) -> String {
        let mut out = String::new();
        self.write(&mut out, 0, name);
        out
    }

    /// Writes the term, in brackets if its operator does not bind more tightly than `outer`.
    fn write(&self, out: &mut String, outer: u8, name: &impl Fn(Ref) -> String) {
        match self {
            Expr::Literal(text) => out.push_str(text),
            Expr::Str(text) => out.push_str(&quote(text)),
            Expr::Ref(r) => out.push_str(&name(*r)),
            Expr::Not(e) | Expr::Neg(e) => {
                out.push(if matches!(self, Expr::Not(_)) { '!' } else { '-' });
                e.write(out, Op::Mul.level(), name);
            }
            Expr::Chain(first, rest) => {
                let level = rest.first().map_or(0, |(op, _)| op.level());
                let brackets = level <= outer;
                if brackets {
                    out.push('(');
                }
                first.write(out, level, name);
                for (op, e) in rest {
                    let _ = write!(out, " {} ", op.text());
                    e.write(out, level, name);
                }
                if brackets {
                    out.push(')');
                }
            }
        }
    }
}

/// A string literal of our language.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What a text could not be understood as.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A name that nothing declares.
    Unknown(String),
    /// Anything else: what is wrong and how to mend it.
    Other(String, String),
}

/// A fault and the byte at which it is.
pub(super) type Located = (usize, Fault);

/// The names that a text may use.
pub(super) struct Scope<'a> {
    /// What a name stands for.
    pub(super) find: &'a dyn Fn(&str) -> Option<Expr>,
    /// Whether a name has spaces or operators in it.
    pub(super) odd: bool,
}

/// Whether a name has something in it at which names end elsewhere.
pub(super) fn is_odd(name: &str) -> bool {
    name.contains(ends_name)
}

fn ends_name(c: char) -> bool {
    c.is_whitespace() || "+-*".contains(c)
}

/// Reads a condition.
pub(super) fn condition(text: &str, scope: &Scope<'_>) -> Result<Expr, Located> {
    let mut parser = Parser { text, pos: 0, depth: 0, scope };
    let expr = parser.chain(1)?;
    parser.end()?;
    Ok(expr)
}

/// Reads one value, not a condition.
pub(super) fn term(text: &str, scope: &Scope<'_>) -> Result<Expr, Located> {
    let mut parser = Parser { text, pos: 0, depth: 0, scope };
    let expr = parser.chain(Op::Add.level())?;
    parser.end()?;
    Ok(expr)
}

/// Reads values separated by commas; each with the byte at which it starts.
pub(super) fn terms(text: &str, scope: &Scope<'_>) -> Result<Vec<(usize, Expr)>, Located> {
    let mut parser = Parser { text, pos: 0, depth: 0, scope };
    let mut terms = Vec::new();
    loop {
        parser.skip_space();
        terms.push((parser.pos, parser.chain(Op::Add.level())?));
        if !parser.eat(",") {
            parser.end()?;
            return Ok(terms);
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
    depth: usize,
    scope: &'a Scope<'a>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn skip_space(&mut self) {
        self.pos = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.pos += token.len();
        }
        found
    }

    fn fail<T>(&self, message: impl Into<String>, help: impl Into<String>) -> Result<T, Located> {
        Err((self.pos, Fault::Other(message.into(), help.into())))
    }

    fn end(&mut self) -> Result<(), Located> {
        self.skip_space();
        let Some(c) = self.rest().chars().next() else { return Ok(()) };
        let help = match c {
            '=' if !self.rest().starts_with("==") => "write `==` to compare",
            '=' | '<' | '>' | '!' => "join comparisons with `&&`",
            ')' => "remove it, or write the `(` that it closes",
            _ => "write comparisons of parameters, registers, constants and numbers, joined with `&&` and `||`",
        };
        self.fail(format!("expected an operator or the end, found `{c}`"), help)
    }

    fn operator(&mut self, level: u8) -> Option<Op> {
        // `&` and `|` alone are what RaLib takes for `&&` and `||`. The longer of two tokens comes first.
        const TOKENS: [(&str, Op); 13] = [
            ("||", Op::Or),
            ("|", Op::Or),
            ("&&", Op::And),
            ("&", Op::And),
            ("==", Op::Eq),
            ("!=", Op::Ne),
            ("<=", Op::Le),
            (">=", Op::Ge),
            ("<", Op::Lt),
            (">", Op::Gt),
            ("+", Op::Add),
            ("-", Op::Sub),
            ("*", Op::Mul),
        ];
        self.skip_space();
        let (token, op) = TOKENS.into_iter().find(|(t, _)| self.rest().starts_with(t))?;
        if op.level() != level {
            return None;
        }
        self.pos += token.len();
        Some(op)
    }

    /// Operands joined by operators of one level; operands have tighter ones.
    fn chain(&mut self, level: u8) -> Result<Expr, Located> {
        if level > Op::Mul.level() {
            return self.unary();
        }
        let first = self.chain(level + 1)?;
        let mut rest = Vec::new();
        while let Some(op) = self.operator(level) {
            rest.push((op, self.chain(level + 1)?));
            // A chain of comparisons has no agreed meaning; what follows is reported as unexpected.
            if level == Op::Eq.level() {
                break;
            }
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    fn unary(&mut self) -> Result<Expr, Located> {
        self.skip_space();
        if self.depth >= MAX_DEPTH {
            return self
                .fail(format!("nested deeper than {MAX_DEPTH} levels"), "write it with fewer brackets and negations");
        }
        self.depth += 1;
        let start = self.pos;
        let result = if let Some(value) = self.name() {
            value
        } else if self.eat("!") {
            Expr::Not(Box::new(self.unary()?))
        } else if self.eat("-") {
            Expr::Neg(Box::new(self.unary()?))
        } else if self.eat("(") {
            let inner = self.chain(1)?;
            if !self.eat(")") {
                self.end()?;
                self.pos = start;
                return self.fail("this `(` is never closed", "write the `)` that belongs to it");
            }
            inner
        } else {
            self.literal()?
        };
        self.depth -= 1;
        Ok(result)
    }

    /// The longest name that is known here. Names may contain spaces and dashes.
    fn name(&mut self) -> Option<Expr> {
        let rest = self.rest();
        // A name ends before a space or an operator; beyond some length only the first such place counts.
        let mut ends = Vec::new();
        let mut stopped = false;
        for (i, c) in rest.char_indices() {
            stopped = "=!<>&|(),\"'".contains(c);
            if stopped || ends_name(c) {
                ends.push(i);
                stopped |= !self.scope.odd || i > MAX_ODD_NAME;
            }
            if stopped {
                break;
            }
        }
        if !stopped {
            ends.push(rest.len());
        }
        let (end, value) = ends.into_iter().rev().find_map(|end| Some((end, (self.scope.find)(&rest[..end])?)))?;
        self.pos += end;
        Some(value)
    }

    fn literal(&mut self) -> Result<Expr, Located> {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            return self.fail("expected a value, found the end", "write a parameter, register, constant or number");
        };
        if c == '"' || c == '\'' {
            let Some((inner, _)) = rest[1..].split_once(c) else {
                return self.fail("this string is never closed", format!("write the closing {c}"));
            };
            self.pos += inner.len() + 2;
            return Ok(Expr::Str(inner.into()));
        }
        let word =
            &rest[..rest.find(|c: char| c.is_whitespace() || "=!<>&|(),+-*\"'".contains(c)).unwrap_or(rest.len())];
        if word.is_empty() {
            return self
                .fail(format!("expected a value, found `{c}`"), "write a parameter, register, constant or number");
        }
        // The exponent of a number has a sign: the word ends too early.
        let exponent = word.strip_suffix(['e', 'E']).is_some_and(|m| decimal(m).is_some());
        let signed = rest[word.len()..].strip_prefix(['+', '-']).filter(|_| exponent);
        let word = match signed {
            Some(digits) => {
                let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                &rest[..word.len() + 1 + end]
            }
            None => word,
        };
        if word == "true" || word == "false" {
            self.pos += word.len();
            return Ok(Expr::Literal(word.into()));
        }
        if let Some(number) = decimal(word) {
            self.pos += word.len();
            return Ok(Expr::Literal(number));
        }
        if word.len() > LONGEST && word.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return self.fail("this number has too many digits", "write a shorter number");
        }
        Err((self.pos, Fault::Unknown(word.into())))
    }
}

/// The greatest exponent of a number: more zeros than anybody writes on purpose.
const MAX_EXPONENT: i32 = 400;
/// The longest number that our language reads, whatever its exponent is.
const LONGEST: usize = MAX_DIGITS - MAX_EXPONENT as usize;

/// A number without sign, as our language writes it: `3`, `0.5`; `5e-1` is `0.5`. Longer ones than our language reads are
/// no numbers.
pub(super) fn decimal(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.abs() <= MAX_EXPONENT)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    if exponent == 0 && !whole.is_empty() && !mantissa.contains('.') {
        return Some(whole.into());
    }
    let point = whole.len() as i64 + i64::from(exponent);
    let mut all = format!("{whole}{fraction}");
    if point <= 0 {
        all.insert_str(0, &"0".repeat(1 + point.unsigned_abs() as usize));
    }
    let point = point.max(1) as usize;
    while all.len() < point {
        all.push('0');
    }
    let (whole, fraction) = all.split_at(point);
    Some(if fraction.is_empty() { whole.into() } else { format!("{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a condition over the given names and writes it again.
    fn again(text: &str) -> Result<String, Located> {
        let names = ["a", "b", "c", "a-b", "my reg", "e"];
        let lookup = |n: &str| names.iter().position(|m| *m == n).map(|i| Expr::Ref(Ref::Var(i)));
        let name = |r| match r {
            Ref::Var(i) => format!("<{}>", names[i]),
            _ => unreachable!("only registers are declared"),
        };
        Ok(condition(text, &Scope { find: &lookup, odd: true })?.show(&name))
    }

    #[test]
    fn precedence_is_kept() {
        for (text, expected) in [
            ("a==b && b!=c || c<a", "<a> == <b> && <b> != <c> || <c> < <a>"),
            ("a==b || b!=c && c<=a", "<a> == <b> || <b> != <c> && <c> <= <a>"),
            ("(a==b || b!=c) && c>=a", "(<a> == <b> || <b> != <c>) && <c> >= <a>"),
            ("!(a == b)&&!(b>c)", "!(<a> == <b>) && !(<b> > <c>)"),
            ("(a < b) == (b < c)", "(<a> < <b>) == (<b> < <c>)"),
            ("a - (b - c) == a - b - c", "<a> - (<b> - <c>) == <a> - <b> - <c>"),
            ("(a + 1) * 2 == -b", "(<a> + 1) * 2 == -<b>"),
            ("-(a + 1) < -1", "-(<a> + 1) < -1"),
            ("((a == 0.5))", "<a> == 0.5"),
            ("a == 'x' | a == \"y\" & b == c", "<a> == \"x\" || <a> == \"y\" && <b> == <c>"),
            ("true", "true"),
        ] {
            assert_eq!(again(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn names_may_be_odd() {
        for (text, expected) in [
            ("a-b == my reg", "<a-b> == <my reg>"),
            ("a - b == c", "<a> - <b> == <c>"),
            ("a-c == my reg + 1", "<a> - <c> == <my reg> + 1"),
            ("a == e", "<a> == <e>"),
            ("a == 1e-2", "<a> == 0.01"),
        ] {
            assert_eq!(again(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn faults_have_their_place() {
        for (text, at) in [
            ("a = b", 2),
            ("a == ", 5),
            ("a == b == c", 7),
            ("(a == b", 0),
            ("a == b)", 6),
            ("a == d", 5),
            ("a == 'x", 5),
            ("a == #", 5),
            ("a == == b", 5),
            ("a ? b", 2),
            ("a == 1a", 5),
            ("", 0),
        ] {
            assert_eq!(again(text).map_err(|(at, _)| at), Err(at), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded_and_length_is_not() {
        assert!(again(&"(".repeat(100_000)).is_err());
        assert!(again(&"!".repeat(100_000)).is_err());
        assert!(again(&"-".repeat(100_000)).is_err());
        assert!(again(&format!("a == b{}", " && a == b".repeat(10_000))).is_ok());
        assert!(again(&format!("a == b{}", " + b".repeat(10_000))).is_ok());
    }

    #[test]
    fn numbers_are_written_as_ours() {
        for (text, expected) in [
            ("12", Some("12")),
            ("0.50", Some("0.50")),
            (".5", Some("0.5")),
            ("5.", Some("5")),
            ("1E3", Some("1000")),
            ("1.25e1", Some("12.5")),
            ("25E-3", Some("0.025")),
            ("1e999999999", None),
            (&"9".repeat(100_000), None),
            ("", None),
            (".", None),
            ("e5", None),
            ("1_0", None),
            ("٣", None),
        ] {
            assert_eq!(decimal(text).as_deref(), expected, "{text}");
        }
    }
}
