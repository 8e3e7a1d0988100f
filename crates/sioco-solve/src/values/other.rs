//! Choosing truth values, data, reals, strings and sequences.

use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};

use super::Choice;
use super::random::Random;
use super::session::Session;

/// Sorts with at most this many values are tried value by value.
pub(super) const FEW: u64 = 64;

/// Narrows a term of a sort with few values.
pub(super) fn of_few(session: &mut Session<'_>, term: TermId, sort: SortId, choice: Choice, random: &mut Random) {
    let count = session.sorts.cardinality(sort).unwrap_or(0);
    let mut candidates: Vec<Value> = (0..count).filter_map(|i| session.sorts.nth_value(sort, i)).collect();
    match choice {
        Choice::Min | Choice::Boundary => {}
        Choice::Max => candidates.reverse(),
        Choice::Random(_) => {
            for i in (1..candidates.len()).rev() {
                candidates.swap(i, random.below(i as u64 + 1) as usize);
            }
        }
        Choice::Middle => {
            // The middle one of those that are possible.
            let start = session.mark();
            candidates.retain(|v| {
                let possible = session.fix(term, v.clone());
                session.back(start.clone());
                possible
            });
            if !candidates.is_empty() {
                let middle = (candidates.len() - 1) / 2;
                candidates.swap(0, middle);
            }
        }
    }
    first_possible(session, term, candidates);
}

/// Narrows to the first candidate that is possible, or else to the value of the witness.
fn first_possible(session: &mut Session<'_>, term: TermId, candidates: Vec<Value>) {
    for c in candidates {
        if session.fix(term, c) {
            return;
        }
    }
    if let Some(value) = session.value(term) {
        session.fix(term, value);
    }
}

/// Narrows the constructor of a data term; which it is.
pub(super) fn constructor(
    session: &mut Session<'_>,
    term: TermId,
    count: u32,
    choice: Choice,
    random: &mut Random,
) -> Option<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    match choice {
        Choice::Min | Choice::Boundary => {}
        Choice::Max => order.reverse(),
        Choice::Middle => order.rotate_left(count as usize / 2),
        Choice::Random(_) => {
            for i in (1..order.len()).rev() {
                order.swap(i, random.below(i as u64 + 1) as usize);
            }
        }
    }
    order.into_iter().find(|c| {
        let is = session.pool.app(Op::Is(*c), &[term], session.sorts.bool);
        session.narrow(is)
    })
}

/// Narrows a real to a value between the bounds of its sort.
pub(super) fn real(
    session: &mut Session<'_>,
    term: TermId,
    sort: SortId,
    choice: Choice,
    random: &mut Random,
    used: &[Value],
) -> bool {
    let Sort::Real { lo, hi } = session.sorts.get(sort) else { return false };
    let bounded = lo.is_some() && hi.is_some();
    let zero = Rational::ZERO;
    let default = session.sorts.default_value(sort);
    let wish = match (choice, lo, hi) {
        (Choice::Middle, Some(lo), Some(hi)) => vec![(lo + hi) / Rational::from(2)],
        (Choice::Random(_), _, _) => {
            let low =
                lo.clone().unwrap_or_else(|| hi.as_ref().map_or(-Rational::from(100), |h| h - Rational::from(100)));
            let high = hi.clone().unwrap_or_else(|| &low + Rational::from(200));
            // Hundredths of the interval are readable, and as good as any others.
            let draw = |random: &mut Random| {
                let part = number::rational(BigInt::from(random.below(10_001)), BigInt::from(10_000));
                &low + (&high - &low) * part.unwrap_or(zero.clone())
            };
            (0..8).map(|_| draw(random)).collect()
        }
        _ => vec![],
    };
    let mut candidates: Vec<Value> = wish.into_iter().map(Value::real).collect();
    if matches!(choice, Choice::Random(_)) && random.below(4) == 0 {
        candidates.splice(0..0, used.iter().filter(|v| matches!(v, Value::Real(_))).cloned());
    }
    candidates.push(default);
    first_possible(session, term, candidates);
    bounded
}

/// Narrows a string or a sequence.
pub(super) fn text_or_sequence(
    session: &mut Session<'_>,
    term: TermId,
    sort: SortId,
    choice: Choice,
    random: &mut Random,
    used: &[Value],
) {
    let sorts = session.sorts;
    let candidates = match choice {
        // The shortest, and something longer.
        Choice::Min | Choice::Boundary => vec![sorts.default_value(sort)],
        Choice::Middle => vec![of_length(sorts, sort, 3), of_length(sorts, sort, 1)],
        Choice::Max => vec![of_length(sorts, sort, 64), of_length(sorts, sort, 8)],
        Choice::Random(_) => {
            let fitting: Vec<&Value> = used.iter().filter(|v| sorts.contains(sort, v)).collect();
            (0..8)
                .map(|_| match random.below(4) {
                    0 if !fitting.is_empty() => fitting[random.below(fitting.len() as u64) as usize].clone(),
                    _ => random_value(sorts, sort, random, 3),
                })
                .collect()
        }
    };
    first_possible(session, term, candidates);
}

fn of_length(sorts: &Sorts, sort: SortId, length: usize) -> Value {
    match sorts.get(sort) {
        Sort::Seq(item) => Value::seq(vec![sorts.default_value(*item); length]),
        _ => Value::string(&"abcdefghijklmnopqrstuvwxyz".chars().cycle().take(length).collect::<String>()),
    }
}

/// Characters that programs stumble over, among plain ones.
const CHARACTERS: [char; 16] = ['a', 'b', 'z', 'A', '0', '9', ' ', '-', '_', '"', '\\', '\'', '\n', 'é', '☃', '😀'];

/// Some value of a sort.
pub(super) fn random_value(sorts: &Sorts, sort: SortId, random: &mut Random, depth: u32) -> Value {
    if let Some(count) = sorts.cardinality(sort)
        && let Some(value) = sorts.nth_value(sort, random.below(count))
    {
        return value;
    }
    match sorts.get(sort) {
        Sort::Int { .. } => {
            let n = Value::Int(random.between(-1_000, 1_000));
            if sorts.contains(sort, &n) { n } else { sorts.default_value(sort) }
        }
        Sort::String => {
            let length = random.below(13);
            let text: String = (0..length).map(|_| CHARACTERS[random.below(16) as usize]).collect();
            Value::string(&text)
        }
        Sort::Seq(item) if depth > 0 => {
            Value::seq((0..random.below(5)).map(|_| random_value(sorts, *item, random, depth - 1)).collect())
        }
        Sort::Data(d) if depth > 0 => {
            let constructors = &sorts.data[*d].constructors;
            let tag = random.below(constructors.len() as u64) as u32;
            let fields = constructors[tag as usize].fields.iter();
            Value::data(tag, fields.map(|f| random_value(sorts, f.sort, random, depth - 1)).collect())
        }
        _ => sorts.default_value(sort),
    }
}
