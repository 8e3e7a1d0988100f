//! Which states a hypothesis without a known state stands for, and whether another one stands for all of them.

use rustc_hash::FxHashMap;
use sioco_model::sort::Sorts;
use sioco_model::term::{Term, TermPool};
use sioco_model::{LocationId, SymbolId, TermId, Value};
use sioco_solve::Symbols;

/// At most this many pairs of conditions are compared: two trails with some sixty each, which is what may be [asked
/// about](super::MOST_CONDITIONS).
const MOST_COMPARISONS: usize = 4_000;

/// At most this many terms are looked at: what is not obvious by then is asked, or both trails are kept.
const WORK: usize = 20_000;

/// The states that a trail may have led to, as far as they matter from there on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    pub(super) locations: Vec<LocationId>,
    /// Of the variables that something reads from there on.
    pub(super) values: Vec<Result<Value, TermId>>,
    pub(super) conditions: Vec<TermId>,
}

impl Extent {
    /// Whether another one has the same values at the same locations, by the same names.
    pub fn has_values_of(&self, other: &Extent) -> bool {
        self.locations == other.locations && self.values == other.values
    }

    /// Whether all states of another one are obviously among these: its values and conditions are the same, up to the
    /// names of symbols, and it has more conditions. Symbols stand for values that exist, so whatever fulfils the
    /// conditions of the other one fulfils these.
    pub(super) fn covers(&self, other: &Extent, pool: &TermPool, sorts: &Sorts, symbols: &Symbols) -> bool {
        if self.locations != other.locations || self.conditions.len() * other.conditions.len() > MOST_COMPARISONS {
            return false;
        }
        let mut names = Names { pool, sorts, symbols, of: FxHashMap::default(), work: WORK };
        let same = |(own, others): (&Result<Value, TermId>, &Result<Value, TermId>)| match (own, others) {
            (Ok(a), Ok(b)) => a == b,
            (Err(a), Err(b)) => names.is_same(*a, *b),
            _ => false,
        };
        if !self.values.iter().zip(&other.values).all(same) {
            return false;
        }
        // The last steps are the ones that the values come from, so that they say first what symbols are called.
        self.conditions.iter().rev().all(|c| {
            let before = names.of.clone();
            other.conditions.iter().rev().any(|o| {
                let same = names.is_same(*c, *o);
                if !same {
                    names.of.clone_from(&before);
                }
                same
            })
        })
    }
}

/// What the symbols of one trail are called in another.
struct Names<'a> {
    pool: &'a TermPool,
    sorts: &'a Sorts,
    symbols: &'a Symbols,
    of: FxHashMap<SymbolId, TermId>,
    /// How many terms may still be looked at.
    work: usize,
}

impl Names<'_> {
    /// Whether a term is another one if symbols without a name yet get the right ones.
    fn is_same(&mut self, term: TermId, other: TermId) -> bool {
        if self.work == 0 {
            return false;
        }
        self.work -= 1;
        match (self.pool.get(term), self.pool.get(other)) {
            (Term::Symbol(y, _), to) => {
                if let Some(known) = self.of.get(y) {
                    return *known == other;
                }
                let sort = self.symbols[*y].sort;
                // What it stands for has to be one of its values.
                let fits = match to {
                    Term::Symbol(z, _) => self.symbols[*z].sort == sort,
                    Term::Const(value, _) => self.sorts.contains(sort, value),
                    _ => false,
                };
                if fits {
                    self.of.insert(*y, other);
                }
                fits
            }
            (Term::App(op, args), Term::App(others_op, others)) => {
                op == others_op
                    && args.len() == others.len()
                    && args.iter().zip(others).all(|(a, b)| self.is_same(*a, *b))
            }
            _ => term == other,
        }
    }
}
