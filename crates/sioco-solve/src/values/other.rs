//! Choosing truth values and data; random values of all sorts.

use sioco_model::number::{self, BigInt};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};

use super::Choice;
use super::random::Random;
use super::real::draw;
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
pub(super) fn first_possible(session: &mut Session<'_>, term: TermId, candidates: Vec<Value>) {
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
        Choice::Middle => {
            // The middle one of those that are possible.
            let start = session.mark();
            order.retain(|c| {
                let is = session.pool.app(Op::Is(*c), &[term], session.sorts.bool);
                let possible = session.narrow(is);
                session.back(start.clone());
                possible
            });
            let middle = order.len().saturating_sub(1) / 2;
            order.rotate_left(middle);
        }
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

/// Characters that programs stumble over, among plain ones.
const CHARACTERS: [char; 16] = ['a', 'b', 'z', 'A', '0', '9', ' ', '-', '_', '"', '\\', '\'', '\n', 'é', '☃', '😀'];

pub(super) fn random_character(random: &mut Random) -> char {
    match random.below(2) {
        0 => char::from(b'a' + random.below(26) as u8),
        _ => CHARACTERS[random.below(CHARACTERS.len() as u64) as usize],
    }
}

/// Some value of a sort.
pub(super) fn random_value(sorts: &Sorts, sort: SortId, random: &mut Random, depth: u32) -> Value {
    if let Some(count) = sorts.cardinality(sort)
        && let Some(value) = sorts.nth_value(sort, random.below(count))
    {
        return value;
    }
    match sorts.get(sort) {
        Sort::Int { lo, hi } => {
            let n = random.between(-1_000, 1_000);
            let (far, n) = (BigInt::from(n.abs()), BigInt::from(n));
            number::int(match (lo, hi) {
                (Some(lo), Some(hi)) => random.whole(lo, hi),
                // From the end, where zero is not inside.
                (Some(lo), None) if n < *lo => lo + far,
                (None, Some(hi)) if n > *hi => hi - far,
                _ => n,
            })
        }
        Sort::Real { lo, hi } => Value::real(draw(lo.as_ref(), hi.as_ref(), random)),
        Sort::String => {
            let length = random.below(13);
            Value::string(&(0..length).map(|_| random_character(random)).collect::<String>())
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
