//! Records, fields, sequences and constructors.

use rustc_hash::FxHashMap;
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};

use super::{Scope, Typed, fields_are};
use crate::check::Checker;
use crate::check::globals::suggest_or;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    pub(in crate::check) fn record(
        &mut self,
        name: &'a Ident,
        fields: &'a [FieldInit],
        span: Span,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let entry = self.globals.types.get(name.name.as_str());
        let Some(entry) = entry else {
            for f in fields {
                self.expr(&f.value, None, scope);
            }
            let near = self.near(&name.name, self.globals.types.keys().copied());
            let d = Diagnostic::new(Code::UnknownType, name.span, format!("there is no record type `{}`", name.name));
            self.report(suggest_or(d, name, near, || format!("declare it: `type {} = {{ … }}`", name.name)));
            return None;
        };
        entry.used.set(true);
        let sort = entry.result;
        let data = sort.and_then(|s| match self.sorts.get(s) {
            Sort::Data(d) if self.sorts.data[*d].record => Some(*d),
            _ => None,
        });
        let Some(data) = data else {
            if sort.is_some() {
                let message = format!("`{}` is not a record", name.name);
                let d = Diagnostic::new(Code::TypeMismatch, name.span, message);
                self.report(d.help(
                    "`{ … }` with field names makes a record; a constructor is written as a call: \
                                    `C(…)`",
                ));
            }
            return None;
        };
        let declared = self.sorts.data[data].constructors[0].fields.clone();
        let given = self.field_values(fields, &name.name, &declared, scope);
        let missing: Vec<String> = declared
            .iter()
            .filter(|f| !fields.iter().any(|g| g.name.name == f.name))
            .map(|f| format!("`{}`", f.name))
            .collect();
        if !missing.is_empty() {
            // A field with a misspelt name is not missing as well.
            if fields.iter().all(|f| declared.iter().any(|d| d.name == f.name.name)) {
                let message = format!("the record lacks {}", missing.join(", "));
                let d = Diagnostic::new(Code::Arity, span, message);
                let declared = self.globals.types.get(name.name.as_str()).map(|t| t.decl.name.span);
                let d = declared.into_iter().fold(d, |d, span| d.also(span, "declared here"));
                self.report(d.help("give all fields, or copy another record with changes: `r with { f: e }`"));
            }
            return None;
        }
        let given = given?;
        let terms: Vec<TermId> = declared.iter().filter_map(|f| given.get(&f.name).copied()).collect();
        let sort = sort?;
        Some(Typed { term: self.construct(0, &terms, sort), sort })
    }

    /// The values given for fields, by name.
    pub(in crate::check) fn field_values(
        &mut self,
        fields: &'a [FieldInit],
        ty: &str,
        declared: &[sioco_model::sort::Field],
        scope: &mut Scope<'_>,
    ) -> Option<FxHashMap<String, TermId>> {
        let mut given = FxHashMap::default();
        let mut good = true;
        for (i, f) in fields.iter().enumerate() {
            if let Some(first) = fields[..i].iter().find(|g| g.name.name == f.name.name) {
                self.duplicate("field", &f.name, first.name.span);
            }
            let field = declared.iter().find(|d| d.name == f.name.name);
            if field.is_none() && !f.name.name.is_empty() {
                let near = self.near(&f.name.name, declared.iter().map(|d| d.name.as_str()));
                let message = format!("`{ty}` has no field `{}`", f.name.name);
                let d = Diagnostic::new(Code::UnknownField, f.name.span, message);
                self.report(suggest_or(d, &f.name, near, || {
                    fields_are(declared.iter().map(|d| d.name.as_str()).collect())
                }));
            }
            let typed = self.expr(&f.value, field.map(|f| f.sort), scope);
            let term = match (typed, field) {
                (Some(t), Some(field)) => {
                    self.coerce(t, field.sort, f.value.span, &format!("the field `{}`", field.name))
                }
                _ => None,
            };
            match term {
                Some(term) => {
                    given.insert(f.name.name.clone(), term);
                }
                None => good = false,
            }
        }
        good.then_some(given)
    }

    pub(in crate::check) fn field(&mut self, base: &'a Expr, field: &Ident, scope: &mut Scope<'_>) -> Option<Typed> {
        if let Some(variable) = self.owned_variable(base, field, scope) {
            return variable;
        }
        let value = self.expr(base, None, scope)?;
        if field.name.is_empty() {
            return None;
        }
        let Sort::Data(data) = *self.sorts.get(value.sort) else {
            let message = format!("`{}` has no fields", self.sorts.name(value.sort));
            let d = Diagnostic::new(Code::UnknownField, field.span, message);
            let counted = self.counted(value.sort);
            self.report(if counted && ["len", "length", "size", "count"].contains(&field.name.as_str()) {
                d.help("write `len(…)`")
            } else {
                d.help("records and constructors have fields")
            });
            return None;
        };
        let data = self.sorts.data[data].clone();
        // Every constructor that has the field, with its sort.
        let mut owners: Vec<(u32, u32, SortId)> = Vec::new();
        for (c, constructor) in data.constructors.iter().enumerate() {
            for (i, f) in constructor.fields.iter().enumerate() {
                if f.name == field.name {
                    owners.push((c as u32, i as u32, f.sort));
                }
            }
        }
        let Some(&(last_c, last_i, sort)) = owners.last() else {
            let known = data.constructors.iter().flat_map(|c| c.fields.iter().map(|f| f.name.as_str()));
            let near = self.near(&field.name, known.clone());
            let message = format!("`{}` has no field `{}`", data.name, field.name);
            let d = Diagnostic::new(Code::UnknownField, field.span, message);
            self.report(suggest_or(d, field, near, || fields_are(known.collect())));
            return None;
        };
        let base_sort = self.sorts.base(sort);
        if owners.iter().any(|(_, _, s)| self.sorts.base(*s) != base_sort) {
            let message = format!("the constructors of `{}` give `{}` different types", data.name, field.name);
            self.report(Diagnostic::new(Code::TypeMismatch, field.span, message).help("use `match`"));
            return None;
        }
        let mut term = self.apply(Op::Field(last_c, last_i), &[value.term], base_sort);
        for &(c, i, _) in owners[..owners.len() - 1].iter().rev() {
            let is = self.apply(Op::Is(c), &[value.term], self.sorts.bool);
            let get = self.apply(Op::Field(c, i), &[value.term], base_sort);
            term = self.terms.ite(is, get, term);
        }
        let sort = if owners.len() == 1 { sort } else { base_sort };
        Some(Typed { term, sort })
    }

    pub(in crate::check) fn sequence(
        &mut self,
        items: &'a [Expr],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let wanted = expected.and_then(|s| match self.sorts.get(s) {
            Sort::Seq(item) => Some(*item),
            _ => None,
        });
        // A loop, not an iterator: in a debug build that would take much more of the stack.
        let mut typed: Vec<Option<Typed>> = Vec::new();
        for item in items {
            typed.push(self.expr(item, wanted, scope));
        }
        let typed: Option<Vec<Typed>> = typed.into_iter().collect();
        let typed = typed?;
        let item = match (wanted, typed.first()) {
            (Some(wanted), _) => self.sorts.base(wanted),
            (None, Some(first)) => {
                let real = typed.iter().any(|t| self.sorts.base(t.sort) == self.sorts.real);
                let base = self.sorts.base(first.sort);
                if real && base == self.sorts.int { self.sorts.real } else { base }
            }
            (None, None) => {
                self.report(
                    Diagnostic::new(Code::UnknownItemType, span, "the item type of `[]` is not known here")
                        .help("use it where the type is given: a variable, a parameter, or the result of a function"),
                );
                return None;
            }
        };
        let mut terms = Vec::new();
        for (t, e) in typed.iter().zip(items) {
            terms.push(self.coerce(*t, item, e.span, "an item of the sequence")?);
        }
        let sort = self.sorts.seq(item);
        if terms.is_empty() {
            return Some(self.literal(Value::seq(Vec::new()), sort));
        }
        Some(Typed { term: self.apply(Op::SeqLit, &terms, sort), sort })
    }

    /// The constructor of this name; unknown ones are reported. `of` is the type that it should be of, if known.
    pub(in crate::check) fn known_constructor(
        &mut self,
        name: &Ident,
        of: Option<SortId>,
    ) -> Option<(SortId, sioco_model::DataId, u32)> {
        if name.name.is_empty() {
            return None;
        }
        if self.globals.constructors.contains_key(name.name.as_str()) {
            return self.constructor(&name.name);
        }
        let near = self.near(&name.name, self.globals.constructors.keys().copied());
        let d =
            Diagnostic::new(Code::UnknownConstructor, name.span, format!("there is no constructor `{}`", name.name));
        let data = of.and_then(|sort| match self.sorts.get(sort) {
            Sort::Data(data) => Some(&self.sorts.data[*data]),
            _ => None,
        });
        let d = suggest_or(d, name, near, || match data {
            Some(data) => {
                let all: Vec<String> = data.constructors.iter().map(|c| format!("`{}`", c.name)).collect();
                format!("the constructors of `{}` are: {}; `_` matches any other case", data.name, all.join(", "))
            }
            None => "constructors are the alternatives that a `type` declares".into(),
        });
        self.report(d);
        None
    }
}
