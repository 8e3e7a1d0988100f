//! `if` and `match`: alternatives brought to one type.

use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};

use super::{Scope, Typed, a};
use crate::check::Checker;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    pub(in crate::check) fn if_expr(
        &mut self,
        arms: &'a [(Expr, Expr)],
        otherwise: &'a Expr,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let mut conditions = Vec::new();
        let mut results: Vec<(Option<Typed>, Span)> = Vec::new();
        for (c, e) in arms {
            conditions.push(self.condition(c, scope, "the condition of `if`"));
            results.push((self.expr(e, expected, scope), e.span));
        }
        results.push((self.expr(otherwise, expected, scope), otherwise.span));
        let (terms, sort) = self.join(&results, "the branches")?;
        let conditions: Option<Vec<TermId>> = conditions.into_iter().collect();
        let mut term = *terms.last()?;
        for (c, t) in conditions?.into_iter().zip(&terms).rev() {
            term = self.terms.ite(c, *t, term);
        }
        Some(Typed { term, sort })
    }

    /// Alternatives brought to one sort.
    pub(in crate::check) fn join(
        &mut self,
        results: &[(Option<Typed>, Span)],
        what: &str,
    ) -> Option<(Vec<TermId>, SortId)> {
        let typed: Vec<(Typed, Span)> = results.iter().filter_map(|(t, s)| t.map(|t| (t, *s))).collect();
        let (first, first_span) = *typed.first()?;
        let base = self.sorts.base(first.sort);
        let numeric = typed.iter().all(|(t, _)| self.sorts.is_numeric(t.sort));
        let real = numeric && typed.iter().any(|(t, _)| self.sorts.base(t.sort) == self.sorts.real);
        let base = if real { self.sorts.real } else { base };
        let mut terms = Vec::new();
        let mut good = typed.len() == results.len();
        for (t, span) in &typed {
            if self.sorts.base(t.sort) == base {
                terms.push(t.term);
            } else if real {
                terms.push(self.widen(t.term));
            } else {
                let (want, found) = (self.sorts.name(base), self.sorts.name(t.sort));
                self.report(
                    Diagnostic::new(Code::TypeMismatch, *span, format!("{what} have different types"))
                        .label(format!("this is {}", a(&found)))
                        .also(first_span, format!("this is {}", a(&want))),
                );
                good = false;
            }
        }
        let sort = if typed.iter().all(|(t, _)| t.sort == first.sort) { first.sort } else { base };
        good.then_some((terms, sort))
    }

    pub(in crate::check) fn match_expr(
        &mut self,
        scrutinee: &'a Expr,
        arms: &'a [MatchArm],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let value = self.expr(scrutinee, None, scope);
        let mut conditions: Vec<Option<TermId>> = Vec::new();
        let mut results: Vec<(Option<Typed>, Span)> = Vec::new();
        let mut covered: Vec<(Value, Span)> = Vec::new();
        let mut wildcard: Option<Span> = None;
        for arm in arms {
            let keep = scope.locals.len();
            if let Some(before) = wildcard {
                self.report(
                    Diagnostic::new(Code::UnreachableArm, arm.pattern.span, "this case can never be taken")
                        .also(before, "this case takes everything")
                        .help("move `_` to the end, or remove this case"),
                );
            }
            let condition = self.pattern(&arm.pattern, value, &mut covered, &mut wildcard, scope);
            conditions.push(condition);
            results.push((self.expr(&arm.body, expected, scope), arm.body.span));
            self.unbind(scope, keep);
        }
        let value = value?;
        // A case that is wrong may be any of the missing ones.
        if wildcard.is_none() && conditions.iter().all(Option::is_some) {
            let missing = self.missing_cases(value.sort, &covered);
            if !missing.is_empty() {
                self.report(
                    Diagnostic::new(
                        Code::NotExhaustive,
                        span,
                        format!("this match has no case for {}", missing.join(", ")),
                    )
                    .help("add these cases, or `_ => …` for all others"),
                );
                return None;
            }
        }
        let (terms, sort) = self.join(&results, "the cases")?;
        let conditions: Option<Vec<TermId>> = conditions.into_iter().collect();
        let conditions = conditions?;
        // The cases are complete, so the last one needs no test.
        let mut term = *terms.last()?;
        for (c, t) in conditions[..conditions.len() - 1].iter().zip(&terms).rev() {
            term = self.terms.ite(*c, *t, term);
        }
        Some(Typed { term, sort })
    }

    /// The condition under which a pattern matches; binds its names.
    pub(in crate::check) fn pattern(
        &mut self,
        pattern: &'a Pattern,
        value: Option<Typed>,
        covered: &mut Vec<(Value, Span)>,
        wildcard: &mut Option<Span>,
        scope: &mut Scope<'_>,
    ) -> Option<TermId> {
        let reported = wildcard.is_some();
        let mut cover = |checker: &mut Self, key: Value| {
            let before = covered.iter().find(|(k, _)| *k == key).map(|(_, span)| *span);
            if let Some(before) = before.filter(|_| !reported) {
                checker.report(
                    Diagnostic::new(Code::UnreachableArm, pattern.span, "this case can never be taken")
                        .also(before, "the same case, before")
                        .help("remove one of them"),
                );
            }
            covered.push((key, pattern.span));
        };
        match &pattern.kind {
            PatternKind::Error => None,
            PatternKind::Wildcard => {
                *wildcard = Some(pattern.span);
                Some(self.terms.bool(&self.sorts, true))
            }
            PatternKind::Literal(e) => {
                let typed = self.expr(e, value.map(|v| v.sort), scope)?;
                let value = value?;
                let base = self.sorts.base(value.sort);
                let term = self.coerce(typed, base, e.span, "this case")?;
                let key = self.terms.as_const(term).cloned()?;
                cover(self, key);
                Some(self.apply(Op::Eq, &[value.term, term], self.sorts.bool))
            }
            PatternKind::Constructor(name, binders) => {
                let known = self.known_constructor(name, value.map(|v| v.sort));
                let fields = match known {
                    Some((_, data, index)) => self.sorts.data[data].constructors[index as usize].fields.clone(),
                    None => Vec::new(),
                };
                let fits = known.zip(value).is_some_and(|((sort, _, _), v)| sort == v.sort);
                if let (Some((sort, _, _)), Some(v), false) = (known, value, fits) {
                    let want = self.sorts.name(v.sort);
                    self.mismatch(&want, sort, pattern.span, "this case");
                }
                if known.is_some() && binders.len() != fields.len() {
                    let declared = self.constructor_span(&name.name);
                    self.arity(&format!("`{}`", name.name), fields.len(), binders.len(), pattern.span, declared);
                }
                for (i, (binder, _)) in binders.iter().enumerate() {
                    let Some(binder) = binder else { continue };
                    let typed = match (known, value, fields.get(i)) {
                        (Some((_, _, index)), Some(v), Some(field)) if fits => {
                            let base = self.sorts.base(field.sort);
                            let term = self.apply(Op::Field(index, i as u32), &[v.term], base);
                            Some(Typed { term, sort: field.sort })
                        }
                        _ => None,
                    };
                    self.bind(scope, binder, typed);
                }
                let (_, _, index) = known?;
                let value = value.filter(|_| fits)?;
                cover(self, Value::Enum(index));
                Some(self.apply(Op::Is(index), &[value.term], self.sorts.bool))
            }
        }
    }

    /// The cases that a match without `_` does not handle, as texts.
    pub(in crate::check) fn missing_cases(&self, sort: SortId, covered: &[(Value, Span)]) -> Vec<String> {
        let covered: Vec<&Value> = covered.iter().map(|(value, _)| value).collect();
        match self.sorts.get(sort) {
            Sort::Data(data) => self.sorts.data[*data]
                .constructors
                .iter()
                .enumerate()
                .filter(|(i, _)| !covered.contains(&&Value::Enum(*i as u32)))
                .map(|(_, c)| format!("`{}`", c.name))
                .collect(),
            Sort::Bool => [true, false]
                .into_iter()
                .filter(|b| !covered.contains(&&Value::Bool(*b)))
                .map(|b| format!("`{b}`"))
                .collect(),
            _ => match self.sorts.cardinality(sort) {
                Some(n) if n <= 1_000 => (0..n)
                    .filter_map(|i| self.sorts.nth_value(sort, i))
                    .filter(|v| !covered.contains(&v))
                    .take(3)
                    .map(|v| format!("`{}`", self.sorts.show(sort, &v)))
                    .collect(),
                _ => vec!["all other values".into()],
            },
        }
    }
}
