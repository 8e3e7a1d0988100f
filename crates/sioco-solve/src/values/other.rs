//! Choosing truth values and data; random characters.

use sioco_model::random::Random;
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};

use super::Choice;
use super::session::ValueSearch;

/// Sorts with at most this many values are tried value by value: each takes a question.
pub(super) const FEW: u64 = 64;

/// Narrows a term of a sort with few values.
pub(super) fn of_few(session: &mut ValueSearch<'_>, term: TermId, sort: SortId, choice: Choice, random: &mut Random) {
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
pub(super) fn first_possible(session: &mut ValueSearch<'_>, term: TermId, candidates: Vec<Value>) {
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
    session: &mut ValueSearch<'_>,
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
