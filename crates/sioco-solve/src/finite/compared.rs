//! Representative values of symbols that have too many values to list.
//!
//! Some symbols are only compared: with values that can be listed, and with other symbols of this kind. The conditions
//! cannot distinguish the values between two such listed values. So values next to the listed ones represent all others:
//! if the conditions are satisfiable, some of these representatives satisfy them. Let `k` symbols be compared with values
//! `C`. For integers, `k` values on each side of every value in `C` are enough for any order of the symbols. Texts are
//! only equal or different, so `k` texts outside of `C` are enough.
//!
//! A condition may add a number of at most `m` to a symbol before it compares the symbol. Then conditions can distinguish
//! distances between two symbols up to `2m`. A value that is further away from all others may move nearer, up to a
//! distance of `2m + 1`. So there are `(k + 1)(2m + 1)` integers on each side.

use rustc_hash::FxHashSet;
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, SortId, SymbolId, TermId, Value, number};

use super::eliminate::{MOST_VALUES, Problem, Var};

/// What conditions compare.
#[derive(Default)]
struct Compared {
    /// Terms that were looked at.
    seen: FxHashSet<TermId>,
    values: FxHashSet<Value>,
    /// The most that is added to a symbol.
    added: u64,
    /// What is added to the term that is looked at.
    around: u64,
}

impl Problem<'_> {
    /// Lists values for the symbols that have none yet: such as stand for all others. `None` if conditions do more than
    /// compare them.
    pub(super) fn represent(&mut self, symbols: &[SymbolId], open: &[Var], conditions: &[TermId]) -> Option<()> {
        let sorts = self.terms.sorts;
        let sort = |v: Var| self.terms.symbols[symbols[v]].sort;
        if !open.iter().all(|v| matches!(sorts.get(sort(*v)), Sort::Int { .. } | Sort::String)) {
            return None;
        }
        let mut compared = Compared::default();
        for v in open {
            if let Sort::Int { lo, hi } = sorts.get(sort(*v)) {
                compared.values.extend([lo, hi].into_iter().flatten().map(|n| number::int(n.clone())));
            }
        }
        for condition in conditions {
            self.truth(&mut compared, symbols, *condition)?;
        }
        let mut lists = Vec::with_capacity(open.len());
        for v in open {
            let sort = self.terms.symbols[symbols[*v]].sort;
            lists.push(self.standing_for_all(&compared, sort, open.len())?);
        }
        open.iter().zip(lists).for_each(|(v, list)| self.lists[*v] = list);
        Some(())
    }

    fn standing_for_all(&mut self, compared: &Compared, sort: SortId, count: usize) -> Option<Vec<Value>> {
        let sorts = self.terms.sorts;
        let Compared { values: compared, added, .. } = compared;
        let mut found: Vec<Value> = match sorts.get(sort) {
            Sort::String => {
                let known = compared.iter().filter(|v| matches!(v, Value::Str(_))).cloned();
                let mut others = (0..).map(|n| Value::string(&"a".repeat(n))).filter(|v| !compared.contains(v));
                known.chain(others.by_ref().take(count)).collect()
            }
            _ => {
                let zero = [Value::Int(0)];
                let numbers = compared.iter().filter(|v| matches!(v, Value::Int(_) | Value::BigInt(_)));
                let count = match added {
                    0 => count as u64,
                    _ => (count as u64 + 1) * (2 * added + 1),
                };
                if count > MOST_VALUES {
                    return None;
                }
                let count = count as i64;
                let mut around = FxHashSet::default();
                for n in numbers.chain(&zero) {
                    for other in -count..=count {
                        around.insert(number::int(number::to_big(n)? + other));
                    }
                }
                around.into_iter().collect()
            }
        };
        found.retain(|v| sorts.contains(sort, v));
        found.sort_unstable();
        self.spend(found.len() as u64).ok()?;
        (found.len() as u64 <= MOST_VALUES && !found.is_empty()).then_some(found)
    }

    /// Looks at a condition: what it compares.
    fn truth(&mut self, compared: &mut Compared, symbols: &[SymbolId], term: TermId) -> Option<()> {
        if !compared.seen.insert(term) {
            return Some(());
        }
        self.spend(1).ok()?;
        let pool = self.terms.pool;
        match pool.get(term) {
            Term::App(Op::And | Op::Or | Op::Not | Op::Ite | Op::Exists { .. }, args) => {
                args.iter().try_for_each(|a| self.truth(compared, symbols, *a))
            }
            Term::App(op @ (Op::Eq | Op::Lt | Op::Le), args) => match self.terms.sorts.get(pool.sort(args[0])) {
                Sort::Bool => args.iter().try_for_each(|a| self.truth(compared, symbols, *a)),
                Sort::Int { .. } => args.iter().try_for_each(|a| self.side(compared, symbols, *a)),
                Sort::String if *op == Op::Eq => args.iter().try_for_each(|a| self.side(compared, symbols, *a)),
                _ => self.is_listed(symbols, term).then_some(()),
            },
            _ => self.is_listed(symbols, term).then_some(()),
        }
    }

    /// Looks at one side of a comparison.
    fn side(&mut self, compared: &mut Compared, symbols: &[SymbolId], term: TermId) -> Option<()> {
        let (pool, sorts) = (self.terms.pool, self.terms.sorts);
        match pool.get(term) {
            Term::Const(value, _) => drop(compared.values.insert(value.clone())),
            Term::Symbol(y, _) if !self.has_list(symbols, *y) => {}
            Term::Bound(b, _) => compared.values.extend(self.values_of_bound(*b)?),
            Term::App(Op::Ite, args) => {
                self.truth(compared, symbols, args[0])?;
                self.side(compared, symbols, args[1])?;
                self.side(compared, symbols, args[2])?;
            }
            Term::App(op @ (Op::Add | Op::Sub), args) if !self.is_listed(symbols, term) => {
                // One of them is a symbol or what it is chosen from; the others are added to it, or taken away.
                let at = args.iter().position(|a| !self.is_listed(symbols, *a))?;
                if *op == Op::Sub && at > 0 {
                    return None;
                }
                let mut added = 0u64;
                for other in args.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, a)| *a) {
                    let values = self.values_of_listed(symbols, other)?;
                    let mut most = 0;
                    for value in values {
                        let Value::Int(n) = value else { return None };
                        most = most.max(n.unsigned_abs());
                    }
                    added = added.checked_add(most)?;
                }
                if added > MOST_VALUES {
                    return None;
                }
                let outside = compared.around;
                compared.around += added;
                compared.added = compared.added.max(compared.around);
                let result = self.side(compared, symbols, args[at]);
                compared.around = outside;
                result?;
            }
            Term::App(Op::Min | Op::Max, args) => args.iter().try_for_each(|a| self.side(compared, symbols, *a))?,
            Term::App(Op::Checked(sort), args) => {
                // It has a value if that is within these bounds.
                let Sort::Int { lo, hi } = sorts.get(*sort) else { return None };
                compared.values.extend([lo, hi].into_iter().flatten().map(|n| number::int(n.clone())));
                self.side(compared, symbols, args[0])?;
            }
            _ => {
                let values = self.values_of_listed(symbols, term)?;
                compared.values.extend(values);
            }
        }
        (compared.values.len() as u64 <= MOST_VALUES).then_some(())
    }

    /// The values of a term all of whose symbols have theirs listed.
    fn values_of_listed(&mut self, symbols: &[SymbolId], term: TermId) -> Option<Vec<Value>> {
        let mut vars = Vec::new();
        let mut plain = true;
        self.terms.pool.visit(term, &mut |_, t| match t {
            Term::Symbol(y, _) => vars.push(symbols.binary_search(y).expect("one of the component")),
            Term::Bound(..) => plain = false,
            _ => {}
        });
        vars.sort_unstable();
        vars.dedup();
        if !plain || vars.iter().any(|v| self.lists[*v].is_empty()) {
            return None;
        }
        self.values_of(term, &vars)
    }

    fn values_of_bound(&self, binder: BinderId) -> Option<Vec<Value>> {
        let sort = self.terms.pool.binders[binder];
        let count = self.terms.sorts.cardinality(sort).filter(|n| *n <= MOST_VALUES)?;
        Some((0..count).filter_map(|i| self.terms.sorts.nth_value(sort, i)).collect())
    }

    fn has_list(&self, symbols: &[SymbolId], y: SymbolId) -> bool {
        symbols.binary_search(&y).is_ok_and(|v| !self.lists[v].is_empty())
    }

    /// Whether all symbols of a term have their values listed.
    fn is_listed(&self, symbols: &[SymbolId], term: TermId) -> bool {
        let mut listed = true;
        self.terms.pool.visit(term, &mut |_, t| {
            if let Term::Symbol(y, _) = t {
                listed &= self.has_list(symbols, *y);
            }
        });
        listed
    }
}
