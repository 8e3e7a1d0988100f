//! Symbols: one for each occurrence of a parameter on a path (T-X1; S0 definition 10, S1: indexed by step).

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::sort::Sorts;
use sioco_model::term::{Term, TermPool};
use sioco_model::{SortId, SymbolId, TermId, VarId};
use sioco_solve::{Symbol, Symbols};

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Meaning {
    /// The n-th free parameter of this sort of the step at a depth.
    Param { depth: u32, sort: SortId, n: u32 },
    /// The value of a variable after the step at a depth; at 0, its free initial value.
    Variable { depth: u32, var: VarId },
    /// The value of a term without symbols that is too large to compute.
    Opaque(TermId),
}

/// The symbols that exist. Two paths that have the same parameters at the same step share them: their conditions are
/// never on one solver's stack together.
#[derive(Default, Debug)]
pub(crate) struct Names {
    pub symbols: Symbols,
    meanings: Vec<Meaning>,
    index: FxHashMap<Meaning, (TermId, SymbolId)>,
    params: FxHashMap<(u32, u32), Arc<[TermId]>>,
    opaque: usize,
}

impl Names {
    fn of(
        &mut self,
        pool: &mut TermPool,
        sorts: &Sorts,
        meaning: Meaning,
        sort: SortId,
        name: impl Fn() -> String,
    ) -> TermId {
        if let Some(&(known, _)) = self.index.get(&meaning) {
            return known;
        }
        let symbol = self.symbols.push(Symbol { name: name(), sort });
        self.meanings.push(meaning);
        let term = pool.symbol(symbol, sorts.base(sort));
        self.index.insert(meaning, (term, symbol));
        term
    }

    /// The symbols for parameters of these sorts.
    pub(crate) fn of_params(
        &mut self,
        pool: &mut TermPool,
        sorts: &Sorts,
        depth: u32,
        signature: u32,
        of: &[SortId],
    ) -> Arc<[TermId]> {
        if let Some(known) = self.params.get(&(depth, signature)) {
            return known.clone();
        }
        let mut terms = Vec::with_capacity(of.len());
        for (i, &sort) in of.iter().enumerate() {
            let n = of[..i].iter().filter(|s| **s == sort).count() as u32;
            let name = || format!("p{i}#{depth}");
            terms.push(self.of(pool, sorts, Meaning::Param { depth, sort, n }, sort, name));
        }
        let terms: Arc<[TermId]> = terms.into();
        self.params.insert((depth, signature), terms.clone());
        terms
    }

    /// The symbol for a value that is too large to compute.
    pub(crate) fn opaque(&mut self, pool: &mut TermPool, sorts: &Sorts, term: TermId, sort: SortId) -> TermId {
        let before = self.symbols.len();
        let symbol = self.of(pool, sorts, Meaning::Opaque(term), sort, || format!("large#{}", before + 1));
        self.opaque += usize::from(self.symbols.len() > before);
        symbol
    }

    /// Whether there are such symbols.
    pub(crate) fn has_opaque(&self) -> bool {
        self.opaque > 0
    }

    /// Whether a symbol is one of them.
    pub(crate) fn is_opaque(&self, symbol: SymbolId) -> bool {
        matches!(self.meaning(symbol), Meaning::Opaque(_))
    }

    /// The symbol for the value of a variable.
    pub(crate) fn of_variable(
        &mut self,
        pool: &mut TermPool,
        sorts: &Sorts,
        depth: u32,
        var: VarId,
        sort: SortId,
    ) -> TermId {
        let name = || format!("{var:?}#{depth}");
        self.of(pool, sorts, Meaning::Variable { depth, var }, sort, name)
    }

    /// The symbol for the value of a variable, if there is one.
    pub(crate) fn known_variable(&self, depth: u32, var: VarId) -> Option<SymbolId> {
        self.index.get(&Meaning::Variable { depth, var }).map(|(_, symbol)| *symbol)
    }

    /// What a symbol stands for.
    pub(crate) fn meaning(&self, symbol: SymbolId) -> Meaning {
        self.meanings[sioco_model::Id::index(symbol)]
    }
}

/// The symbols of a term, in the order in which they occur first.
pub(crate) fn symbols_of(pool: &TermPool, term: TermId, found: &mut Vec<SymbolId>) {
    pool.visit(term, &mut |_, t| {
        if let Term::Symbol(y, _) = t
            && !found.contains(y)
        {
            found.push(*y);
        }
    });
}
