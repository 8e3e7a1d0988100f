//! Changes of parts of a value: `r with { f: e, [i].g: e }`, and the updates of switches that assign a part.

use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{SortId, TermId};

use super::{Scope, Typed, fields_are};
use crate::check::Checker;
use crate::check::globals::suggest_or;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

/// One step to a part of a value, looked up.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A field of a record, by position.
    Field(u32),
    /// The item at a position, or under a key.
    Item(TermId),
}

/// A change of a part.
struct Change {
    steps: Vec<Step>,
    value: TermId,
    span: Span,
}

/// What a part is changed to, as written.
pub(in crate::check) struct Written<'a> {
    pub(in crate::check) path: &'a [PathStep],
    pub(in crate::check) value: &'a Expr,
    /// Where the part is named.
    pub(in crate::check) place: Span,
}

impl<'a> Checker<'a> {
    pub(in crate::check) fn with(
        &mut self,
        base: &'a Expr,
        changes: &'a [PathInit],
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let whole = self.expr(base, None, scope);
        if let Some(whole) = whole
            && !self.has_parts(whole.sort)
        {
            for change in changes {
                self.expr(&change.value, None, scope);
            }
            let message = format!("`{}` has no parts that can be changed", self.sorts.name(whole.sort));
            let help = match self.sorts.get(whole.sort) {
                Sort::Set(_) => "`add(s, x)` and `remove(s, x)` change sets",
                Sort::Data(_) => "`with` is for records; of a value with constructors, `match` gives the fields",
                _ => "`with` is for records, sequences and maps",
            };
            self.report(Diagnostic::new(Code::OperatorType, base.span, message).help(help));
            return None;
        }
        let written: Vec<Written<'a>> = changes
            .iter()
            .map(|c| {
                let first = c.path.first().map_or(c.value.span, PathStep::span);
                let place = c.path.last().map_or(first, |last| first.to(last.span()));
                Written { path: &c.path, value: &c.value, place }
            })
            .collect();
        self.changed(whole, &written, scope)
    }

    fn has_parts(&self, sort: SortId) -> bool {
        match self.sorts.get(sort) {
            Sort::Data(d) => self.sorts.data[*d].record,
            Sort::Seq(_) | Sort::Map(..) => true,
            _ => false,
        }
    }

    /// A value with parts changed. All keys and values are about the old state, so the order means nothing.
    pub(in crate::check) fn changed(
        &mut self,
        whole: Option<Typed>,
        written: &[Written<'a>],
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let mut changes: Vec<Option<Change>> = Vec::new();
        for w in written {
            changes.push(self.change(whole, w, scope));
        }
        let changes: Vec<Change> = changes.into_iter().collect::<Option<_>>()?;
        let whole = whole?;
        let mut term = whole.term;
        let mut good = true;
        for (i, change) in changes.iter().enumerate() {
            match self.kept_apart(change, &changes[..i]) {
                Some(steps) => term = self.put(Typed { term, sort: whole.sort }, &steps, change.value),
                None => good = false,
            }
        }
        good.then_some(Typed { term, sort: whole.sort })
    }

    /// One change, with its fields and keys looked up.
    fn change(&mut self, whole: Option<Typed>, w: &Written<'a>, scope: &mut Scope<'_>) -> Option<Change> {
        let mut at = whole.map(|w| w.sort);
        let mut steps = Some(Vec::new());
        for (i, step) in w.path.iter().enumerate() {
            let last = i + 1 == w.path.len();
            let found = match step {
                PathStep::Field(name) => at.and_then(|sort| self.field_step(sort, name)),
                PathStep::Item(key, span) => self.item_step(at, key, *span, last, scope),
            };
            at = found.map(|(_, sort)| sort);
            match (found, &mut steps) {
                (Some((step, _)), Some(all)) => all.push(step),
                _ => steps = None,
            }
        }
        let value = self.expr(w.value, at, scope);
        let (at, value) = (at?, value?);
        let what = match w.path.last() {
            Some(PathStep::Field(name)) => format!("the field `{}`", name.name),
            _ => "the new value".into(),
        };
        let value = self.coerce_expr(value, at, w.value, &what)?;
        Some(Change { steps: steps?, value, span: w.place })
    }

    fn field_step(&mut self, sort: SortId, name: &Ident) -> Option<(Step, SortId)> {
        if name.name.is_empty() {
            return None;
        }
        let record = match self.sorts.get(sort) {
            Sort::Data(d) if self.sorts.data[*d].record => Some(self.sorts.data[*d].clone()),
            _ => None,
        };
        let Some(data) = record else {
            let message = format!("`{}` has no field to change", self.sorts.name(sort));
            let d = Diagnostic::new(Code::UnknownField, name.span, message);
            self.report(match self.sorts.get(sort) {
                Sort::Seq(_) | Sort::Map(..) => d.help("an item stands in brackets: `[i]`, then its field: `[i].f`"),
                _ => d.help("only records have fields that can be changed"),
            });
            return None;
        };
        let fields = &data.constructors[0].fields;
        if let Some(i) = fields.iter().position(|f| f.name == name.name) {
            return Some((Step::Field(i as u32), fields[i].sort));
        }
        let near = self.near(&name.name, fields.iter().map(|f| f.name.as_str()));
        let message = format!("`{}` has no field `{}`", data.name, name.name);
        let d = Diagnostic::new(Code::UnknownField, name.span, message);
        self.report(suggest_or(d, name, near, || fields_are(fields.iter().map(|f| f.name.as_str()).collect())));
        None
    }

    fn item_step(
        &mut self,
        sort: Option<SortId>,
        key: &'a Expr,
        span: Span,
        last: bool,
        scope: &mut Scope<'_>,
    ) -> Option<(Step, SortId)> {
        let wanted = sort.map_or(self.sorts.int, |s| self.key_sort(s));
        let typed = self.expr(key, Some(wanted), scope);
        let sort = sort?;
        let item = match self.sorts.get(sort) {
            Sort::Seq(item) | Sort::Map(_, item) => *item,
            _ => {
                let message = format!("`{}` has no items that can be changed", self.sorts.name(sort));
                let d = Diagnostic::new(Code::OperatorType, span, message);
                self.report(match self.sorts.get(sort) {
                    Sort::Set(_) => d.help("`add(s, x)` and `remove(s, x)` change sets"),
                    Sort::String => {
                        d.help("put the text together anew: `slice(t, 0, i) ++ … ++ slice(t, i + 1, len(t))`")
                    }
                    _ => d.help("`[i]` is for sequences, `[k]` for maps; a field is written `.f`"),
                });
                return None;
            }
        };
        // A new key has to be in the range of the keys. One that is there is.
        let wanted = match self.sorts.get(sort) {
            Sort::Map(key, _) if last => *key,
            _ => wanted,
        };
        let key = self.coerce(typed?, wanted, key.span, self.key_name(sort))?;
        Some((Step::Item(key), item))
    }

    /// The steps of a change, undefined where it is about the same place as an earlier one, or a part of it. Nothing if it
    /// certainly is, which is reported.
    fn kept_apart(&mut self, change: &Change, before: &[Change]) -> Option<Vec<Step>> {
        let mut steps = change.steps.clone();
        'others: for other in before {
            let (mut equal, mut open): (Vec<TermId>, Option<(usize, TermId)>) = (Vec::new(), None);
            for (i, pair) in change.steps.iter().zip(&other.steps).enumerate() {
                let (mine, its) = match pair {
                    (Step::Field(a), Step::Field(b)) if a == b => continue,
                    (Step::Item(a), Step::Item(b)) => (*a, *b),
                    _ => continue 'others,
                };
                let constants = self.terms.as_const(mine).zip(self.terms.as_const(its));
                match constants {
                    _ if mine == its => {}
                    Some((a, b)) if a != b => continue 'others,
                    Some(_) => {}
                    None => {
                        if let Some((at, its)) = open
                            && let Step::Item(mine) = change.steps[at]
                        {
                            let eq = self.terms.eq(&self.sorts, mine, its);
                            equal.push(eq);
                        }
                        open = Some((i, its));
                    }
                }
            }
            let Some((at, its)) = open else {
                let d = Diagnostic::new(Code::AssignedTwice, change.span, "this place is changed twice");
                let d = d.label("changed again here").also(other.span, "first changed here");
                self.report(d.help("a place, and a part of it, is changed once in a step: the order means nothing"));
                return None;
            };
            let Step::Item(key) = steps[at] else { continue };
            let sort = self.terms.sort(key);
            let apart = self.terms.app(Op::Apart, &[key, its], sort);
            let all = self.terms.and(&self.sorts, &equal);
            let key = if equal.is_empty() { apart } else { self.terms.ite(all, apart, key) };
            steps[at] = Step::Item(key);
        }
        Some(steps)
    }

    /// The value with another one at the end of the steps.
    fn put(&mut self, whole: Typed, steps: &[Step], value: TermId) -> TermId {
        let Some((step, rest)) = steps.split_first() else { return value };
        let base = self.sorts.base(whole.sort);
        match *step {
            Step::Field(field) => {
                let Sort::Data(d) = *self.sorts.get(whole.sort) else { return whole.term };
                let sorts: Vec<SortId> = self.sorts.data[d].constructors[0].fields.iter().map(|f| f.sort).collect();
                let mut terms = Vec::new();
                for (i, sort) in sorts.iter().enumerate() {
                    let field_base = self.sorts.base(*sort);
                    let old = match self.terms.get(whole.term) {
                        sioco_model::term::Term::App(Op::Construct(0), fields) => fields[i],
                        _ => self.apply(Op::Field(0, i as u32), &[whole.term], field_base),
                    };
                    let changed = i as u32 == field;
                    terms.push(if changed { self.put(Typed { term: old, sort: *sort }, rest, value) } else { old });
                }
                self.construct(0, &terms, whole.sort)
            }
            Step::Item(key) => {
                let (op, item) = match *self.sorts.get(whole.sort) {
                    Sort::Map(_, value) => (Op::Put, value),
                    Sort::Seq(item) => (Op::Replace, item),
                    _ => return whole.term,
                };
                let value = if rest.is_empty() {
                    value
                } else {
                    let old = self.read(whole, key, item);
                    self.put(old, rest, value)
                };
                self.apply(op, &[whole.term, key, value], base)
            }
        }
    }
}
