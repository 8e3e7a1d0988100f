//! Terms of the model with the values that variables have on a path, and the symbols that stand for parameters.

use std::sync::Arc;

use sioco_model::simplify;
use sioco_model::term::{Term, TermPool};
use sioco_model::{Id, SymbolId, TermId, VarId};

use super::Path;
use crate::symbols::symbols_of;

impl Path<'_> {
    /// A term of the model with the values of the variables; parameters stay.
    pub(crate) fn instance(&mut self, term: TermId, reads: &[VarId]) -> TermId {
        if reads.is_empty() {
            return term;
        }
        if reads.len() <= 3 {
            let mut key = [term.index() as u32, u32::MAX, u32::MAX, u32::MAX];
            for (k, v) in key[1..].iter_mut().zip(reads) {
                *k = self.term(*v).index() as u32;
            }
            if let Some(&known) = self.memo.instances.get(&key) {
                return known;
            }
            let result = self.compute_instance(term);
            self.memo.instances.insert(key, result);
            return result;
        }
        let mut key: Vec<u32> = vec![term.index() as u32];
        for v in reads {
            let value = self.term(*v);
            key.push(value.index() as u32);
        }
        if let Some(&known) = self.memo.large_instances.get(&key[..]) {
            return known;
        }
        let result = self.compute_instance(term);
        self.memo.large_instances.insert(key.into(), result);
        result
    }

    pub(super) fn compute_instance(&mut self, term: TermId) -> TermId {
        let (model, values, terms) = (self.model, &self.state.values, &self.state.terms);
        let mut leaf = |pool: &mut TermPool, leaf: &Term| match leaf {
            Term::Var(v, sort) => {
                Some(terms[v.index()].unwrap_or_else(|| pool.constant(values[v.index()].clone(), *sort)))
            }
            _ => None,
        };
        if !self.shortcuts.evaluation {
            return self.pool.replace(term, &mut leaf);
        }
        self.memo.scratch.clear();
        let result = simplify::substitute(&mut self.pool, &model.sorts, term, &mut self.memo.scratch, &mut leaf);
        if self.state.grown { self.hide_large(result) } else { result }
    }

    /// The symbols of the parameters of a step at a depth.
    pub(super) fn symbols_of(&mut self, depth: u32, signature: u32) -> Arc<[TermId]> {
        let sorts = self.steps.signatures.sorts(signature);
        self.names.of_params(&mut self.pool, &self.model.sorts, depth, signature, sorts)
    }

    /// A term with parameters replaced; `plain` says that they are the symbols of the depth and the signature.
    pub(super) fn with_symbols(
        &mut self,
        term: TermId,
        free: &[TermId],
        depth: u32,
        signature: u32,
        plain: bool,
    ) -> TermId {
        if free.is_empty() {
            return term;
        }
        let key = (term, depth, signature);
        if plain && let Some(&known) = self.memo.with_symbols.get(&key) {
            return known;
        }
        let mut leaf = |_: &mut TermPool, leaf: &Term| match leaf {
            Term::Param(k, _) => Some(free[*k as usize]),
            _ => None,
        };
        let result = if self.shortcuts.evaluation {
            self.memo.scratch.clear();
            let result =
                simplify::substitute(&mut self.pool, &self.model.sorts, term, &mut self.memo.scratch, &mut leaf);
            if self.state.grown { self.hide_large(result) } else { result }
        } else {
            self.pool.replace(term, &mut leaf)
        };
        if plain {
            self.memo.with_symbols.insert(key, result);
        }
        result
    }

    /// The symbols of a term.
    pub fn symbols_in(&mut self, term: TermId) -> Arc<[SymbolId]> {
        if let Some(known) = self.memo.symbol_lists.get(&term) {
            return known.clone();
        }
        let mut found = Vec::new();
        symbols_of(&self.pool, term, &mut found);
        let found: Arc<[SymbolId]> = found.into();
        self.memo.symbol_lists.insert(term, found.clone());
        found
    }
}
