//! Symbolic states as words: two states with the same words are the same up to the names of symbols.
//!
//! The words hold the locations, the values of the live variables and those conjuncts of the path condition that
//! have to do with them, symbols numbered as they occur. Conjuncts on other symbols can be true whatever the live
//! variables are, so leaving them out loses nothing. Words do not depend on the ids of a pool: workers compare theirs.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::number::show_rational;
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, Id, SymbolId, TermId, Value};

use crate::path::Path;
use sioco_model::semantics::live::Live;

/// A state is compared with at most this many conditions: to make its key walks all of them, at every step.
pub(crate) const MOST_CONDITIONS: usize = 100;

/// The words of a state.
pub type Key = Box<[u32]>;

const INT: u32 = 1;
const BIG: u32 = 2;
const OTHER: u32 = 3;
const SYMBOL: u32 = 4;
const APP: u32 = 5;
const AGAIN: u32 = 6;
const BOUND: u32 = 7;
const CONDITIONS: u32 = 8;

impl Path<'_> {
    /// The words of the state at the end of the path; none where too many conditions have to do with it, as on long
    /// paths that add things up: such states are hardly ever equal, and telling would take longer with every step.
    pub fn key(&mut self, live: &Live) -> Option<Key> {
        self.key_with(live, &[])
    }

    /// The words of the state together with other terms over the symbols of the path.
    pub fn key_with(&mut self, live: &Live, others: &[TermId]) -> Option<Key> {
        let mut w = Writer::default();
        let locations = self.locations().to_vec();
        w.words.extend(locations.iter().map(|l| l.index() as u32));
        for location in &locations {
            for &var in live.at(*location) {
                match self.value(var) {
                    Some(value) => w.value(value),
                    None => {
                        let term = self.term(var);
                        w.term(self, term);
                    }
                }
            }
        }
        for &term in others {
            w.term(self, term);
        }
        let relevant = self.relevant(&w.symbols, MOST_CONDITIONS)?;
        if !relevant.is_empty() {
            w.words.push(CONDITIONS);
            for term in relevant {
                w.term(self, term);
            }
        }
        Some(w.words.into())
    }

    /// The conjuncts of the path condition that share symbols with these, directly or by way of others, in the order
    /// of the path; none if there are more than `most`.
    pub(crate) fn relevant(&mut self, symbols: &[SymbolId], most: usize) -> Option<Vec<TermId>> {
        let count = self.conditions().len();
        if symbols.is_empty() || count == 0 {
            return Some(Vec::new());
        }
        let of: Vec<Arc<[SymbolId]>> = (0..count).map(|i| self.symbols_in(self.conditions()[i].term)).collect();
        let mut known: FxHashSet<SymbolId> = symbols.iter().copied().collect();
        let mut taken = vec![false; count];
        let mut found = 0;
        // What came later says what it is by what came before, so going back once is mostly enough.
        let mut changed = true;
        while changed {
            changed = false;
            for i in (0..count).rev() {
                if !taken[i] && of[i].iter().any(|y| known.contains(y)) {
                    taken[i] = true;
                    found += 1;
                    if found > most {
                        return None;
                    }
                    known.extend(of[i].iter().copied());
                    changed = true;
                }
            }
        }
        let mut terms = Vec::with_capacity(found);
        for (c, _) in self.conditions().iter().zip(&taken).filter(|(_, taken)| **taken) {
            if !terms.contains(&c.term) {
                terms.push(c.term);
            }
        }
        Some(terms)
    }
}

#[derive(Default)]
struct Writer {
    words: Vec<u32>,
    symbols: Vec<SymbolId>,
    binders: Vec<BinderId>,
    /// Compound terms that were written, by when.
    seen: FxHashMap<TermId, u32>,
}

impl Writer {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Int(n) => match i32::try_from(*n) {
                Ok(small) => self.words.extend([INT, small as u32]),
                Err(_) => self.words.extend([BIG, *n as u32, (*n >> 32) as u32]),
            },
            Value::Bool(b) => self.words.extend([INT, u32::from(*b)]),
            Value::Enum(c) => self.words.extend([INT, *c]),
            Value::BigInt(n) => {
                let (sign, words) = n.as_sign_words();
                self.words.extend([OTHER, sign as u32, words.len() as u32]);
                self.words.extend(words.iter().flat_map(|w| [*w as u32, w.wrapping_shr(32) as u32]));
            }
            Value::Real(r) => self.text(2, &show_rational(r)),
            Value::Str(s) => self.text(3, s),
            Value::Data(d) => {
                self.words.extend([OTHER, 4, d.constructor, d.fields.len() as u32]);
                d.fields.iter().for_each(|v| self.value(v));
            }
            Value::Seq(items) => {
                self.words.extend([OTHER, 5, items.len() as u32]);
                items.iter().for_each(|v| self.value(v));
            }
            Value::Set(items) => {
                self.words.extend([OTHER, 6, items.len() as u32]);
                items.iter().for_each(|v| self.value(v));
            }
            Value::Map(entries) => {
                self.words.extend([OTHER, 7, entries.len() as u32]);
                for (key, value) in entries.iter() {
                    self.value(key);
                    self.value(value);
                }
            }
        }
    }

    fn text(&mut self, kind: u32, text: &str) {
        self.words.extend([OTHER, kind, text.len() as u32]);
        for bytes in text.as_bytes().chunks(4) {
            self.words.push(bytes.iter().fold(0, |word, b| word << 8 | u32::from(*b)));
        }
    }

    fn term(&mut self, path: &Path<'_>, term: TermId) {
        let pool = path.pool();
        match pool.get(term) {
            Term::Const(value, _) => self.value(value),
            Term::Symbol(y, _) => {
                let n = self.symbols.iter().position(|s| s == y).unwrap_or_else(|| {
                    self.symbols.push(*y);
                    self.symbols.len() - 1
                });
                let sort = path.symbols()[*y].sort;
                self.words.extend([SYMBOL, n as u32, sort.index() as u32]);
            }
            Term::Bound(b, sort) => {
                let range = pool.binders[*b];
                let n = self.binder(*b);
                self.words.extend([BOUND, n, sort.index() as u32, range.index() as u32]);
            }
            Term::App(op, args) => {
                if let Some(&n) = self.seen.get(&term) {
                    self.words.extend([AGAIN, n]);
                    return;
                }
                self.op(*op);
                self.words.extend([args.len() as u32, pool.sort(term).index() as u32]);
                for arg in args {
                    self.term(path, *arg);
                }
                let n = self.seen.len() as u32;
                self.seen.insert(term, n);
            }
            Term::Var(..) | Term::Param(..) | Term::ProcessParam(..) => {
                unreachable!("variables and parameters are replaced by their values")
            }
        }
    }

    fn binder(&mut self, b: BinderId) -> u32 {
        let n = self.binders.iter().position(|x| *x == b).unwrap_or_else(|| {
            self.binders.push(b);
            self.binders.len() - 1
        });
        n as u32
    }

    fn op(&mut self, op: Op) {
        let word = |n: u32| APP | n << 4;
        let words: [u32; 3] = match op {
            Op::Not => [word(0), 0, 0],
            Op::And => [word(1), 0, 0],
            Op::Or => [word(2), 0, 0],
            Op::Ite => [word(3), 0, 0],
            Op::Eq => [word(4), 0, 0],
            Op::Lt => [word(5), 0, 0],
            Op::Le => [word(6), 0, 0],
            Op::Add => [word(7), 0, 0],
            Op::Sub => [word(8), 0, 0],
            Op::Neg => [word(9), 0, 0],
            Op::Mul => [word(10), 0, 0],
            Op::Div => [word(11), 0, 0],
            Op::Mod => [word(12), 0, 0],
            Op::Quot => [word(13), 0, 0],
            Op::ToReal => [word(14), 0, 0],
            Op::Floor => [word(15), 0, 0],
            Op::Min => [word(16), 0, 0],
            Op::Max => [word(17), 0, 0],
            Op::Abs => [word(18), 0, 0],
            Op::Len => [word(19), 0, 0],
            Op::Concat => [word(20), 0, 0],
            Op::Index => [word(21), 0, 0],
            Op::Contains => [word(22), 0, 0],
            Op::Slice => [word(23), 0, 0],
            Op::SeqLit => [word(24), 0, 0],
            Op::Construct(c) => [word(25), c, 0],
            Op::Is(c) => [word(26), c, 0],
            Op::Field(c, i) => [word(27), c, i],
            Op::Checked(sort) => [word(28), sort.index() as u32, 0],
            Op::Exists { first, count } => {
                for i in 0..count as usize {
                    self.binder(BinderId::from_index(first.index() + i));
                }
                [word(29), self.binder(first), count]
            }
            Op::Each { each, first, count } => {
                for i in 0..count as usize {
                    self.binder(BinderId::from_index(first.index() + i));
                }
                [word(30), self.binder(first), count << 8 | each as u32]
            }
            Op::SetLit => [word(31), 0, 0],
            Op::MapLit => [word(32), 0, 0],
            Op::Size => [word(33), 0, 0],
            Op::Has => [word(34), 0, 0],
            Op::Lookup => [word(35), 0, 0],
            Op::Replace => [word(36), 0, 0],
            Op::Put => [word(37), 0, 0],
            Op::Include => [word(38), 0, 0],
            Op::Exclude => [word(39), 0, 0],
            Op::InsertAt => [word(40), 0, 0],
            Op::RemoveAt => [word(41), 0, 0],
            Op::Union => [word(42), 0, 0],
            Op::Intersection => [word(43), 0, 0],
            Op::Difference => [word(44), 0, 0],
            Op::Subset => [word(45), 0, 0],
            Op::Merge => [word(46), 0, 0],
            Op::Keys => [word(47), 0, 0],
            Op::Values => [word(48), 0, 0],
            Op::ToSeq => [word(49), 0, 0],
            Op::ToSet => [word(50), 0, 0],
            Op::Span => [word(51), 0, 0],
            Op::Apart => [word(52), 0, 0],
            Op::Beyond => [word(53), 0, 0],
            Op::Defined => [word(54), 0, 0],
            Op::Text => [word(55), 0, 0],
            Op::IsNumber => [word(56), 0, 0],
            Op::Number => [word(57), 0, 0],
            Op::ByteLen => [word(58), 0, 0],
            Op::Matches => [word(59), 0, 0],
            Op::Split => [word(60), 0, 0],
            Op::Join => [word(61), 0, 0],
            Op::StartsWith => [word(62), 0, 0],
            Op::EndsWith => [word(63), 0, 0],
            Op::Upper => [word(64), 0, 0],
            Op::Lower => [word(65), 0, 0],
        };
        self.words.extend(words);
    }
}
