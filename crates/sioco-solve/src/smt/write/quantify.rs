//! Quantifiers.
//!
//! A `let` inside the quantifier names each shared term that uses the bound variables of the quantifier.

use rustc_hash::FxHashSet;
use sioco_model::term::Term;
use sioco_model::{BinderId, Id, TermId};

use super::{Text, Wrote};
use crate::smt::sorts::{self, Unwritable, put};

/// A text with quantifiers may not get longer than this many bytes. What can be undefined is written several times
/// inside of a quantifier, so quantifiers inside of each other may make a short term a text without end. A solver that
/// is given more mostly answers `unknown` anyway.
const MOST_TEXT: usize = 1 << 18;

/// The binders of an `Op::Exists`.
pub(super) fn binders(first: BinderId, count: u32) -> impl Iterator<Item = BinderId> + Clone {
    (first.index()..first.index() + count as usize).map(BinderId::from_index)
}

/// A quantifier that is being written.
pub(super) struct Scope {
    pub(super) binders: Vec<BinderId>,
    pub(super) named: FxHashSet<TermId>,
}

impl Text<'_> {
    /// Whether values of the bound variables make the body true, whatever it is for others.
    pub(super) fn exists(&mut self, first: BinderId, count: u32, body: TermId, out: &mut String) -> Wrote {
        let bound: Vec<BinderId> = binders(first, count).collect();
        self.quantify(&bound, body, out, &mut |text, out| text.holds(body, out))
    }

    /// `(exists ((b1 Int)) (and range (let ((v2 …)) inner)))`.
    pub(super) fn quantify(
        &mut self,
        bound: &[BinderId],
        body: TermId,
        out: &mut String,
        inner: &mut dyn FnMut(&mut Self, &mut String) -> Wrote,
    ) -> Wrote {
        let (pool, all) = (self.terms.pool, self.terms.sorts);
        if bound.is_empty() {
            return inner(self, out);
        }
        if out.len() > MOST_TEXT {
            return Err(Unwritable("quantifiers inside of each other make the text too long".into()));
        }
        out.push_str("(exists (");
        for b in bound {
            put(out, format_args!("(b{} ", b.index()));
            sorts::sort(all, pool.binders[*b], out);
            out.push(')');
        }
        out.push_str(") (and true ");
        for b in bound {
            let name = format!("b{}", b.index());
            if let Some(inside) = sorts::range(all, pool.binders[*b], &name, self.scopes.len(), &mut false) {
                put(out, format_args!("{inside} "));
            }
        }
        self.scopes.push(Scope { binders: bound.to_vec(), named: FxHashSet::default() });
        let mut open = 0;
        let mut shared = Vec::new();
        self.shared_inside(body, &mut FxHashSet::default(), &mut shared);
        for t in shared {
            for (kind, wanted) in [('v', true), ('d', self.is_partial(t))] {
                if wanted {
                    put(out, format_args!("(let (({kind}{} ", t.index()));
                    if kind == 'v' {
                        self.value(t, out)?
                    } else {
                        self.defined(t, out)?
                    }
                    out.push_str(")) ");
                    open += 1;
                }
            }
            self.scopes.last_mut().expect("pushed above").named.insert(t);
        }
        let wrote = inner(self, out);
        self.scopes.pop();
        out.extend(std::iter::repeat_n(')', open + 2));
        wrote
    }

    /// The shared terms that belong to the innermost quantifier, arguments first.
    pub(super) fn shared_inside(&self, t: TermId, visited: &mut FxHashSet<TermId>, found: &mut Vec<TermId>) {
        let Term::App(_, args) = self.terms.pool.get(t) else { return };
        let Some(info) = self.writer.info.get(&t).filter(|_| visited.insert(t)) else { return };
        let is_bound = |b: &BinderId| self.scopes.iter().any(|s| s.binders.contains(b));
        if info.free.is_empty() {
            return;
        }
        for arg in args {
            self.shared_inside(*arg, visited, found);
        }
        let ours = self.scope_of(t) == Some(self.scopes.len() - 1);
        if ours && info.free.iter().all(is_bound) && self.is_shared(t) {
            found.push(t);
        }
    }

    /// The innermost quantifier that binds a variable of the term.
    pub(super) fn scope_of(&self, t: TermId) -> Option<usize> {
        let free = match self.writer.info.get(&t) {
            Some(info) if !info.free.is_empty() => &info.free,
            _ => return None,
        };
        self.scopes.iter().rposition(|s| s.binders.iter().any(|b| free.contains(b)))
    }
}
