//! The reference evaluator: slow, and meant to be obviously right (S0 section 2.2, the term evaluation of a
//! valuation).
//!
//! It recurses over the term, computes with big integers only, and decides quantifiers by trying every value. The
//! compiled evaluator is tested against it.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;

use dashu_base::{Abs, DivEuclid, RemEuclid};
use rustc_hash::FxHashMap;

use crate::collection::{self, MAX_ROUNDS};
use crate::id::{BinderId, Id, SortId, TermId};
use crate::number::{self, BigInt, Rational};
use crate::sort::{Sort, Sorts};
use crate::term::{MAX_SPAN, Op, Term, TermPool};
use crate::text;
use crate::value::{self, Value};

/// Why a term has no value. A model error (T-M9: an undefined guard, update or term), except [`NeedsSolver`].
///
/// [`NeedsSolver`]: EvalError::NeedsSolver
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// `div`, `mod` or `/` by zero.
    DivisionByZero,
    /// An index or slice outside of the sequence or string.
    IndexOutOfRange {
        /// What was asked for.
        index: String,
        /// How long it is.
        len: usize,
    },
    /// A value outside of the sort that it goes into.
    OutOfRange {
        /// The value.
        value: Value,
        /// The sort.
        sort: SortId,
    },
    /// A field of a constructor that the value was not made by.
    WrongConstructor {
        /// The constructor that has the field.
        expected: u32,
        /// The constructor of the value.
        found: u32,
        /// The sort of the value.
        sort: SortId,
    },
    /// A value that is too large to compute with, see [`number::MAX_BITS`] and [`MAX_SIZE`](crate::value::MAX_SIZE).
    TooLarge,
    /// A key that a map does not have.
    NoSuchKey {
        /// The key.
        key: Value,
        /// The sort of the map.
        sort: SortId,
    },
    /// A map that is written with a key twice.
    DuplicateKey {
        /// The key.
        key: Value,
        /// Its sort.
        sort: SortId,
    },
    /// Two updates of one place in one step.
    SamePlace {
        /// The position or the key of both.
        key: Value,
        /// Its sort.
        sort: SortId,
    },
    /// No item of a sequence is the first one that fulfils a condition.
    NotFound,
    /// The least or greatest item of nothing.
    NothingToChoose,
    /// A range of more numbers than [`MAX_SPAN`].
    TooManyNumbers,
    /// Operations over collections make more rounds than [`MAX_ROUNDS`].
    TooManyRounds,
    /// A function that called itself more often than it says.
    TooDeep {
        /// Its name.
        function: String,
        /// How often it may.
        bound: String,
    },
    /// The number of a text that is none.
    NotANumber {
        /// The text.
        text: String,
    },
    /// A text is split at an empty separator.
    EmptySeparator,
    /// A regular expression that is none; the checker refuses it.
    BadPattern,
    /// A condition over a hidden choice is undefined for some values of it, and true for none.
    UndefinedChoice,
    /// The question quantifies over a domain that cannot be tried value by value.
    NeedsSolver(String),
}

impl EvalError {
    /// The error in words, with the names of the model.
    pub fn describe(&self, sorts: &Sorts) -> String {
        match self {
            EvalError::OutOfRange { value, sort } => {
                format!("{} is outside of its range `{}`", sorts.show(*sort, value), sorts.name(*sort))
            }
            EvalError::WrongConstructor { expected, found, sort } => {
                let name = |c: u32| match sorts.get(*sort) {
                    Sort::Data(d) => sorts.data[*d].constructors[c as usize].name.clone(),
                    _ => format!("#{c}"),
                };
                format!("a field of `{}` was read, but the value is `{}`", name(*expected), name(*found))
            }
            EvalError::NoSuchKey { key, sort } => match sorts.get(*sort) {
                Sort::Map(of, _) => format!("the map has no key {}", sorts.show(*of, key)),
                _ => self.to_string(),
            },
            EvalError::DuplicateKey { key, sort } => format!("the map has the key {} twice", sorts.show(*sort, key)),
            EvalError::SamePlace { key, sort } => {
                format!("[{}] is updated twice in one step", sorts.show(*sort, key))
            }
            other => other.to_string(),
        }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::DivisionByZero => f.write_str("division by zero"),
            EvalError::IndexOutOfRange { index, len } => write!(f, "index {index} is outside of a length of {len}"),
            EvalError::OutOfRange { value, .. } => write!(f, "{value} is outside of its range"),
            EvalError::WrongConstructor { .. } => f.write_str("a field of another constructor was read"),
            EvalError::TooLarge => {
                let (digits, size) = (number::MAX_BITS * 3 / 10, crate::value::MAX_SIZE);
                write!(f, "a value is too large: more than about {digits} digits, or {size} characters or items")
            }
            EvalError::NoSuchKey { key, .. } => write!(f, "the map has no key {key}"),
            EvalError::DuplicateKey { key, .. } => write!(f, "the map has the key {key} twice"),
            EvalError::SamePlace { key, .. } => write!(f, "[{key}] is updated twice in one step"),
            EvalError::NotFound => f.write_str("no item fulfils the condition, so there is no first one"),
            EvalError::NothingToChoose => f.write_str("there is no least or greatest item of nothing"),
            EvalError::TooManyNumbers => write!(f, "a range has more than {MAX_SPAN} numbers"),
            EvalError::TooManyRounds => write!(f, "operations over collections make more than {MAX_ROUNDS} rounds"),
            EvalError::TooDeep { function, bound } => {
                write!(f, "`{function}` calls itself more often than its bound of {bound}")
            }
            EvalError::NotANumber { text } => {
                write!(f, "{} is not a number", value::quote(&crate::visible::shortened(text)))
            }
            EvalError::EmptySeparator => f.write_str("a text is split at an empty separator"),
            EvalError::BadPattern => f.write_str("a text is matched with something that is no regular expression"),
            EvalError::UndefinedChoice => f.write_str("a condition over all values of a choice is undefined for some"),
            EvalError::NeedsSolver(why) => write!(f, "this needs a solver: {why}"),
        }
    }
}

impl std::error::Error for EvalError {}

/// A valuation: values for the leaves of terms (S0 section 2.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Env<'a> {
    /// Values of the variables, by id.
    pub vars: &'a [Value],
    /// Values of the parameters, by position.
    pub params: &'a [Value],
    /// Values of the bound variables in scope.
    pub bound: &'a [(BinderId, Value)],
    /// Values of the symbols, by id.
    pub symbols: &'a [Value],
    /// How many rounds the operations over collections make that this is inside of; zero outside of all of them.
    pub rounds: u64,
}

/// [`Op::Exists`] tries at most this many combinations of values before it asks for a solver. An evaluation takes about
/// a microsecond, so that this is a tenth of a second at the most.
pub const EXISTS_LIMIT: u64 = 100_000;

/// The value of a term.
///
/// # Panics
/// If the term is not well sorted, or has leaves that `env` does not know: the checker and the verifier see to it
/// that models have no such terms.
pub fn eval(pool: &TermPool, sorts: &Sorts, term: TermId, env: Env<'_>) -> Result<Value, EvalError> {
    // A function that calls itself becomes a graph with so many ways through it that each part has to be evaluated once.
    let known = (pool.depth(term) > DEEP).then(RefCell::default);
    Evaluation { pool, sorts, env, known }.value(term)
}

/// Terms that are not deeper are evaluated plainly, however often a part of them is used.
const DEEP: u32 = 16;

/// The evaluation of a term for one valuation.
struct Evaluation<'a> {
    pool: &'a TermPool,
    sorts: &'a Sorts,
    env: Env<'a>,
    /// The values of parts that were evaluated already.
    known: Option<RefCell<FxHashMap<TermId, Result<Value, EvalError>>>>,
}

impl Evaluation<'_> {
    fn value(&self, term: TermId) -> Result<Value, EvalError> {
        let (Some(known), Term::App(..)) = (&self.known, self.pool.get(term)) else { return self.find(term) };
        if let Some(result) = known.borrow().get(&term) {
            return result.clone();
        }
        let result = self.find(term);
        known.borrow_mut().insert(term, result.clone());
        result
    }

    fn find(&self, term: TermId) -> Result<Value, EvalError> {
        let Evaluation { pool, sorts, env, .. } = *self;
        let (op, args) = match pool.get(term) {
            Term::Const(v, _) => return Ok(v.clone()),
            Term::Var(v, _) => return Ok(env.vars[v.index()].clone()),
            Term::Param(i, _) => return Ok(env.params[*i as usize].clone()),
            Term::Symbol(y, _) => return Ok(env.symbols[y.index()].clone()),
            Term::ProcessParam(..) => panic!("process parameters are replaced when the process is instantiated"),
            Term::Bound(b, _) => {
                let (_, value) = env.bound.iter().rev().find(|(id, _)| id == b).expect("bound variables are in scope");
                return Ok(value.clone());
            }
            Term::App(op, args) => (*op, args),
        };
        // The lazy operations first.
        match op {
            Op::And | Op::Or => {
                let part = |a| self.value(a).map(|v| truth(&v));
                return junction(pool, op, args, part).map(Value::Bool);
            }
            Op::Ite => {
                let branch = if truth(&self.value(args[0])?) { args[1] } else { args[2] };
                return self.value(branch);
            }
            Op::Exists { first, count } => {
                let binders: Vec<BinderId> =
                    (first.index()..first.index() + count as usize).map(BinderId::from_index).collect();
                return exists(pool, sorts, &binders, args[0], env).map(Value::Bool);
            }
            Op::Defined => return has_value(self.value(args[0])),
            Op::Each { each, first, count } => {
                let [over, start @ .., body] = &**args else { unreachable!("a collection and a term") };
                let over = self.value(*over)?;
                let start = start.first().map(|s| self.value(*s)).transpose()?;
                let rounds = collection::rounds(env.rounds, &over)?;
                let real = pool.sort(term) == sorts.real;
                return collection::each(each, &over, start, count as usize, real, &mut |values| {
                    let mut bound = env.bound.to_vec();
                    let names = (0..).map(|i| BinderId::from_index(first.index() + i));
                    bound.extend(names.zip(values.iter().cloned()));
                    eval(pool, sorts, *body, Env { bound: &bound, rounds, ..env })
                });
            }
            _ => {}
        }
        let values: Vec<Value> = args.iter().map(|a| self.value(*a)).collect::<Result<_, _>>()?;
        let arg_sort = args.first().map(|a| pool.sort(*a));
        apply(sorts, op, &values, arg_sort)
    }
}

/// Whether there is a value. That it could not be computed is no answer.
pub fn has_value(result: Result<Value, EvalError>) -> Result<Value, EvalError> {
    match result {
        Ok(_) => Ok(Value::Bool(true)),
        Err(error @ (EvalError::NeedsSolver(_) | EvalError::TooLarge | EvalError::TooManyRounds)) => Err(error),
        Err(_) => Ok(Value::Bool(false)),
    }
}

/// A conjunction or a disjunction ([`Op::Or`]) of parts that are evaluated from left to right: the first part that is false,
/// or true, decides, and if one before it is undefined, so is the whole. A part that takes a solver is passed by, since a
/// later one may decide whatever its answer is: false and unknown is false. But where the open part may be undefined, the
/// whole may be, too.
pub fn junction(
    pool: &TermPool,
    op: Op,
    parts: &[TermId],
    mut evaluate: impl FnMut(TermId) -> Result<bool, EvalError>,
) -> Result<bool, EvalError> {
    let unit = op == Op::And;
    let mut open: Option<EvalError> = None;
    for part in parts {
        match evaluate(*part) {
            Ok(truth) if truth == unit => {}
            Ok(truth) => return Ok(truth),
            Err(error @ EvalError::NeedsSolver(_)) => {
                if pool.is_partial(*part) {
                    return Err(open.unwrap_or(error));
                }
                open.get_or_insert(error);
            }
            // Whether it is reached is open.
            Err(error) => return Err(open.unwrap_or(error)),
        }
    }
    open.map_or(Ok(unit), Err)
}

fn exists(pool: &TermPool, sorts: &Sorts, binders: &[BinderId], body: TermId, env: Env<'_>) -> Result<bool, EvalError> {
    let mut sizes = Vec::new();
    let mut total = 1u64;
    for b in binders {
        let sort = pool.binders[*b];
        let size = sorts.cardinality(sort).unwrap_or(u64::MAX);
        total = total.saturating_mul(size);
        sizes.push((sort, size));
    }
    if total > EXISTS_LIMIT {
        let sort = sizes.iter().max_by_key(|(_, size)| *size).expect("total is 1 without binders").0;
        return Err(EvalError::NeedsSolver(format!("`{}` has too many values to try", sorts.name(sort))));
    }
    let mut undefined = Undefined::default();
    for n in 0..total {
        let mut rest = n;
        let mut bound = env.bound.to_vec();
        for (b, (sort, size)) in binders.iter().zip(&sizes) {
            bound.push((*b, sorts.nth_value(*sort, rest % size).expect("below the cardinality")));
            rest /= size;
        }
        match eval(pool, sorts, body, Env { bound: &bound, ..env }) {
            Ok(value) if truth(&value) => return Ok(true),
            Ok(_) => {}
            Err(error) => undefined.note(error),
        }
    }
    undefined.or_false()
}

/// What becomes of an [`Op::Exists`] that no values make true.
#[derive(Default)]
pub struct Undefined {
    first: Option<EvalError>,
}

impl Undefined {
    /// For some values, there is no answer. What a solver would decide may be true, so that weighs more.
    pub fn note(&mut self, error: EvalError) {
        let open = |e: &EvalError| matches!(e, EvalError::NeedsSolver(_));
        if self.first.as_ref().is_none_or(|first| open(&error) && !open(first)) {
            self.first = Some(error);
        }
    }

    /// False, or the first error.
    pub fn or_false(self) -> Result<bool, EvalError> {
        self.first.map_or(Ok(false), Err)
    }
}

/// The number, unless it is too large.
#[inline]
pub(crate) fn bounded(v: Value) -> Result<Value, EvalError> {
    if number::is_small(&v) { Ok(v) } else { Err(EvalError::TooLarge) }
}

fn truth(v: &Value) -> bool {
    v.as_bool().expect("a well-sorted condition")
}

fn big(v: &Value) -> BigInt {
    number::to_big(v).expect("a well-sorted integer")
}

fn rat(v: &Value) -> Rational {
    number::to_rational(v).expect("a well-sorted number")
}

/// An operation that evaluates all its arguments, applied to values; `arg_sort` is the sort of the first one.
///
/// # Panics
/// If the values are not well sorted, or the operation is one that does not evaluate all its arguments.
pub fn apply(sorts: &Sorts, op: Op, v: &[Value], arg_sort: Option<SortId>) -> Result<Value, EvalError> {
    let real = matches!(v.first(), Some(Value::Real(_)));
    let number = |ints: &dyn Fn(BigInt, BigInt) -> BigInt, reals: &dyn Fn(Rational, Rational) -> Rational| {
        // Checked on the way: a product may have many factors.
        v[1..].iter().try_fold(v[0].clone(), |acc, x| {
            let next = if real { Value::real(reals(rat(&acc), rat(x))) } else { number::int(ints(big(&acc), big(x))) };
            bounded(next)
        })
    };
    Ok(match op {
        Op::Not => Value::Bool(!truth(&v[0])),
        Op::Eq => Value::Bool(v[0] == v[1]),
        Op::Lt => Value::Bool(rat(&v[0]).cmp(&rat(&v[1])) == Ordering::Less),
        Op::Le => Value::Bool(rat(&v[0]).cmp(&rat(&v[1])) != Ordering::Greater),
        Op::Add => number(&|a, b| a + b, &|a, b| a + b)?,
        Op::Sub => number(&|a, b| a - b, &|a, b| a - b)?,
        Op::Mul => number(&|a, b| a * b, &|a, b| a * b)?,
        Op::Min => number(&|a, b| a.min(b), &|a, b| a.min(b))?,
        Op::Max => number(&|a, b| a.max(b), &|a, b| a.max(b))?,
        Op::Neg if real => Value::real(-rat(&v[0])),
        Op::Neg => number::int(-big(&v[0])),
        Op::Abs if real => Value::real(rat(&v[0]).abs()),
        Op::Abs => number::int(big(&v[0]).abs()),
        Op::Div | Op::Mod if big(&v[1]).is_zero() => return Err(EvalError::DivisionByZero),
        Op::Div => number::int(big(&v[0]).div_euclid(big(&v[1]))),
        Op::Mod => number::int(BigInt::from(big(&v[0]).rem_euclid(big(&v[1])))),
        Op::Quot if rat(&v[1]).is_zero() => return Err(EvalError::DivisionByZero),
        Op::Quot => bounded(Value::real(rat(&v[0]) / rat(&v[1])))?,
        Op::ToReal => Value::real(rat(&v[0])),
        Op::Floor => number::int(rat(&v[0]).floor()),
        Op::Len | Op::Concat | Op::Index | Op::Contains | Op::Slice => return sequence(op, v),
        Op::SeqLit | Op::Construct(_) if !value::small(v) => return Err(EvalError::TooLarge),
        Op::SeqLit => Value::seq(v.to_vec()),
        Op::Construct(c) => Value::data(c, v.to_vec()),
        Op::Is(c) => Value::Bool(v[0].constructor() == Some(c)),
        Op::Field(c, i) => match &v[0] {
            Value::Data(d) if d.constructor == c => d.fields[i as usize].clone(),
            other => {
                let found = other.constructor().expect("a well-sorted data value");
                let sort = arg_sort.expect("a field has an argument");
                return Err(EvalError::WrongConstructor { expected: c, found, sort });
            }
        },
        Op::Checked(sort) if sorts.contains(sort, &v[0]) => v[0].clone(),
        Op::Checked(sort) => return Err(EvalError::OutOfRange { value: v[0].clone(), sort }),
        Op::SetLit
        | Op::MapLit
        | Op::Size
        | Op::Has
        | Op::Lookup
        | Op::Replace
        | Op::Put
        | Op::Include
        | Op::Exclude
        | Op::InsertAt
        | Op::RemoveAt
        | Op::Union
        | Op::Intersection
        | Op::Difference
        | Op::Subset
        | Op::Merge
        | Op::Keys
        | Op::Values
        | Op::ToSeq
        | Op::ToSet
        | Op::Span
        | Op::Apart
        | Op::Beyond => {
            return collection::apply(op, v, arg_sort);
        }
        Op::Text
        | Op::IsNumber
        | Op::Number
        | Op::ByteLen
        | Op::Matches
        | Op::Split
        | Op::Join
        | Op::StartsWith
        | Op::EndsWith
        | Op::Upper
        | Op::Lower => return text::apply(op, v),
        Op::And | Op::Or | Op::Ite | Op::Exists { .. } | Op::Each { .. } | Op::Defined => {
            unreachable!("evaluated lazily")
        }
    })
}

/// The operations on strings and sequences, also used by the compiled evaluator (none of them is on its fast path).
pub(crate) fn sequence(op: Op, v: &[Value]) -> Result<Value, EvalError> {
    enum Items<'a> {
        Text(Vec<char>),
        Seq(&'a [Value]),
    }
    let items = match &v[0] {
        Value::Str(s) => Items::Text(s.chars().collect()),
        Value::Seq(items) => Items::Seq(items),
        other => panic!("`{other}` is neither a string nor a sequence"),
    };
    let len = match &items {
        Items::Text(chars) => chars.len(),
        Items::Seq(items) => items.len(),
    };
    let out_of_range = |index: String| Err(EvalError::IndexOutOfRange { index, len });
    let position = |v: &Value| match v {
        Value::Int(n) => usize::try_from(*n).ok(),
        _ => None,
    };
    Ok(match op {
        Op::Len => Value::Int(len as i64),
        Op::Concat if !value::small(v) => return Err(EvalError::TooLarge),
        Op::Concat => match items {
            Items::Text(_) => {
                let parts = v.iter().map(|s| match s {
                    Value::Str(s) => &***s,
                    other => panic!("`{other}` is not a string"),
                });
                Value::string(&parts.collect::<String>())
            }
            Items::Seq(_) => {
                let parts = v.iter().flat_map(|s| match s {
                    Value::Seq(items) => items.iter().cloned(),
                    other => panic!("`{other}` is not a sequence"),
                });
                Value::seq(parts.collect())
            }
        },
        Op::Index => match position(&v[1]).filter(|i| *i < len) {
            None => return out_of_range(v[1].to_string()),
            Some(i) => match items {
                Items::Text(chars) => Value::string(&chars[i].to_string()),
                Items::Seq(items) => items[i].clone(),
            },
        },
        Op::Contains => match (&v[0], &v[1]) {
            (Value::Str(s), Value::Str(part)) => Value::Bool(s.contains(&***part)),
            (Value::Seq(items), item) => Value::Bool(items.contains(item)),
            _ => unreachable!("strings contain strings"),
        },
        Op::Slice => match (position(&v[1]), position(&v[2])) {
            (Some(from), Some(to)) if from <= to && to <= len => match items {
                Items::Text(chars) => Value::string(&chars[from..to].iter().collect::<String>()),
                Items::Seq(items) => Value::seq(items[from..to].to_vec()),
            },
            _ => return out_of_range(format!("{} to {}", v[1], v[2])),
        },
        _ => unreachable!("not an operation on sequences"),
    })
}
