//! Sets and maps: literals, and items by their keys.

use sioco_model::sort::Sort;
use sioco_model::term::{Op, item_sort};
use sioco_model::{SortId, TermId, Value};

use super::{Scope, Typed};
use crate::check::Checker;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    /// Whether `len` is for this type.
    pub(in crate::check) fn counted(&self, sort: SortId) -> bool {
        item_sort(&self.sorts, sort).is_some() || matches!(self.sorts.get(sort), Sort::Set(_) | Sort::Map(..))
    }

    /// The type of what stands in brackets behind a value: keys of a map, without their range; positions otherwise.
    pub(in crate::check) fn key_sort(&self, sort: SortId) -> SortId {
        match self.sorts.get(sort) {
            Sort::Map(key, _) => self.sorts.base(*key),
            _ => self.sorts.int,
        }
    }

    pub(in crate::check) fn key_name(&self, sort: SortId) -> &'static str {
        if matches!(self.sorts.get(sort), Sort::Map(..)) { "a key" } else { "an index" }
    }

    /// The type of what stands at a position, or under a key; anything but a text, a sequence or a map is reported.
    pub(in crate::check) fn item_at(&mut self, sort: SortId, span: Span) -> Option<SortId> {
        if let Sort::Map(_, value) = self.sorts.get(sort) {
            return Some(*value);
        }
        if let Some(item) = item_sort(&self.sorts, sort) {
            return Some(item);
        }
        let name = self.sorts.name(sort);
        let d = Diagnostic::new(Code::OperatorType, span, format!("`{name}` has no items to index"));
        let set = matches!(self.sorts.get(sort), Sort::Set(_));
        self.report(if set {
            d.help("a set has no positions; `contains(s, x)` says whether an item is in it")
        } else {
            d.help("`s[i]` is for String and Seq, `m[k]` for Map")
        });
        None
    }

    /// The item at a position, or under a key.
    pub(in crate::check) fn read(&mut self, from: Typed, key: TermId, item: SortId) -> Typed {
        let op = if matches!(self.sorts.get(from.sort), Sort::Map(..)) { Op::Lookup } else { Op::Index };
        let base = self.sorts.base(item);
        Typed { term: self.apply(op, &[from.term, key], base), sort: item }
    }

    /// The record that is expected where its fields stand in braces, without its name.
    fn lacks_name(&mut self, span: Span, expected: Option<SortId>, fields: &str) -> bool {
        let name = expected.and_then(|sort| match self.sorts.get(sort) {
            Sort::Data(d) if self.sorts.data[*d].record => Some(self.sorts.data[*d].name.clone()),
            _ => None,
        });
        let Some(name) = name else { return false };
        let place = Span { end: span.start, ..span };
        let d = Diagnostic::new(
            Code::UnexpectedToken,
            Span { end: span.start + 1, ..span },
            "a record starts with the name of its type",
        );
        self.report(d.help(format!("write `{name} {{ {fields} }}`")).fix(place, format!("{name} ")));
        true
    }

    /// `{a, b}`; `{}` is a map where one is expected.
    pub(in crate::check) fn set(
        &mut self,
        items: &'a [Expr],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let wanted = expected.map(|s| (self.sorts.base(s), self.sorts.get(s).clone()));
        match (&wanted, items) {
            (Some((sort, Sort::Map(..))), []) => {
                return Some(self.literal(Value::Map(Default::default()), *sort));
            }
            (Some((sort, Sort::Set(_))), []) => return Some(self.literal(Value::set(Vec::new()), *sort)),
            (_, []) => {
                if !self.lacks_name(span, expected, "…") {
                    self.report(
                        Diagnostic::new(Code::UnknownItemType, span, "the type of `{}` cannot be known here")
                            .help("use it where the type is given: a variable, a parameter, the result of a function"),
                    );
                }
                return None;
            }
            _ => {}
        }
        let wanted = match wanted {
            Some((_, Sort::Set(item))) => Some(item),
            _ => None,
        };
        let (terms, item) = self.alike(items.iter(), wanted, scope, "an item of the set")?;
        let sort = self.sorts.set(item);
        Some(Typed { term: self.apply(Op::SetLit, &terms, sort), sort })
    }

    /// `{k: v, k: v}`.
    pub(in crate::check) fn map(
        &mut self,
        entries: &'a [(Expr, Expr)],
        whole: &Expr,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let named = entries.iter().all(|(key, _)| matches!(key.kind, ExprKind::Name(_)));
        if named && self.lacks_name(whole.span, expected, "…") {
            return None;
        }
        let wanted = expected.and_then(|s| match self.sorts.get(s) {
            Sort::Map(key, value) => Some((*key, *value)),
            _ => None,
        });
        let keys = self.alike(entries.iter().map(|(k, _)| k), wanted.map(|w| w.0), scope, "a key of the map");
        let values = self.alike(entries.iter().map(|(_, v)| v), wanted.map(|w| w.1), scope, "a value of the map");
        let ((keys, key), (values, value)) = (keys?, values?);
        for (i, term) in keys.iter().enumerate() {
            let Some(constant) = self.terms.as_const(*term) else { continue };
            if let Some(first) = keys[..i].iter().position(|k| k == term) {
                let shown = self.sorts.show(key, constant);
                let d =
                    Diagnostic::new(Code::DuplicateKey, entries[i].0.span, format!("the key {shown} is there twice"));
                let d = d.label("again here").also(entries[first].0.span, "first here");
                self.report(d.help("a map has one value for each key: take one of them out"));
                return None;
            }
        }
        let sort = self.sorts.map(key, value);
        let args: Vec<TermId> = keys.into_iter().zip(values).flat_map(|(k, v)| [k, v]).collect();
        Some(Typed { term: self.apply(Op::MapLit, &args, sort), sort })
    }

    /// Expressions of one type, which is that of the first one where none is expected. The type has no ranges.
    pub(in crate::check) fn alike(
        &mut self,
        all: impl Iterator<Item = &'a Expr> + Clone,
        wanted: Option<SortId>,
        scope: &mut Scope<'_>,
        what: &str,
    ) -> Option<(Vec<TermId>, SortId)> {
        // A loop, not an iterator: in a debug build that would take much more of the stack.
        let mut typed: Vec<Option<Typed>> = Vec::new();
        let mut guide = wanted;
        for item in all.clone() {
            let t = self.expr(item, guide, scope);
            guide = guide.or(t.map(|t| t.sort));
            typed.push(t);
        }
        let typed: Vec<Typed> = typed.into_iter().collect::<Option<_>>()?;
        let item = match (wanted, typed.first()) {
            (Some(wanted), _) => self.sorts.base(wanted),
            (None, Some(first)) => {
                let real = typed.iter().any(|t| self.sorts.base(t.sort) == self.sorts.real);
                let base = self.sorts.base(first.sort);
                if real && base == self.sorts.int { self.sorts.real } else { base }
            }
            (None, None) => return None,
        };
        let mut terms = Vec::new();
        for (t, e) in typed.iter().zip(all) {
            terms.push(self.coerce_expr(*t, item, e, what)?);
        }
        Some((terms, item))
    }
}
