//! Operators: chains of one precedence, comparisons and arithmetic.

use sioco_model::sort::Sort;
use sioco_model::term::{Op, item_sort};
use sioco_model::{SortId, TermId, number};

use super::{Scope, Typed, a};
use crate::check::Checker;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Label};
use crate::source::Span;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    /// A condition: a Bool.
    pub(in crate::check) fn condition(&mut self, e: &'a Expr, scope: &mut Scope<'_>, what: &str) -> Option<TermId> {
        let typed = self.expr(e, Some(self.sorts.bool), scope)?;
        self.coerce(typed, self.sorts.bool, e.span, what)
    }

    pub(in crate::check) fn chain(
        &mut self,
        first: &'a Expr,
        rest: &'a [(BinOp, Span, Expr)],
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let (op, _, _) = rest.first()?;
        match op {
            BinOp::Implies | BinOp::Or | BinOp::And => {
                let what = format!("an operand of `{}`", op.text());
                let mut terms = vec![self.condition(first, scope, &what)];
                for (_, _, e) in rest {
                    terms.push(self.condition(e, scope, &what));
                }
                let terms: Option<Vec<TermId>> = terms.into_iter().collect();
                let terms = terms?;
                let term = match op {
                    BinOp::And => self.terms.and(&self.sorts, &terms),
                    BinOp::Or => self.terms.or(&self.sorts, &terms),
                    _ => {
                        // `a implies b implies c` is `!a || !b || c`.
                        let mut parts: Vec<TermId> =
                            terms[..terms.len() - 1].iter().map(|t| self.terms.not(&self.sorts, *t)).collect();
                        parts.push(terms[terms.len() - 1]);
                        self.terms.or(&self.sorts, &parts)
                    }
                };
                Some(self.bool(term))
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                self.comparison(first, rest, scope)
            }
            BinOp::Concat => {
                let mut typed = vec![self.expr(first, expected, scope)];
                let guide = expected.or(typed[0].map(|t| t.sort));
                for (_, _, e) in rest {
                    typed.push(self.expr(e, guide, scope));
                }
                let typed: Option<Vec<Typed>> = typed.into_iter().collect();
                let typed = typed?;
                self.needs_items(typed[0], first.span, "++")?;
                self.shorter(first, rest);
                let base = self.sorts.base(typed[0].sort);
                let mut terms = vec![typed[0].term];
                for (t, (_, _, e)) in typed[1..].iter().zip(rest) {
                    terms.push(self.coerce(*t, base, e.span, "an operand of `++`")?);
                }
                let sort = if typed.iter().all(|t| t.sort == typed[0].sort) { typed[0].sort } else { base };
                Some(Typed { term: self.apply(Op::Concat, &terms, base), sort })
            }
            BinOp::Add | BinOp::Sub => {
                let (terms, sort) = self.number_operands(first, rest, scope)?;
                if let ([a, b], BinOp::Sub) = (&terms[..], op) {
                    return Some(Typed { term: self.apply(Op::Sub, &[*a, *b], sort), sort });
                }
                let mut parts = vec![terms[0]];
                for (t, (op, _, _)) in terms[1..].iter().zip(rest) {
                    parts.push(if *op == BinOp::Sub { self.apply(Op::Neg, &[*t], sort) } else { *t });
                }
                Some(Typed { term: self.apply(Op::Add, &parts, sort), sort })
            }
            BinOp::Mul | BinOp::Quot | BinOp::Div | BinOp::Mod => self.products(first, rest, scope),
        }
    }

    pub(in crate::check) fn number_operands(
        &mut self,
        first: &'a Expr,
        rest: &'a [(BinOp, Span, Expr)],
        scope: &mut Scope<'_>,
    ) -> Option<(Vec<TermId>, SortId)> {
        let mut typed = vec![self.expr(first, None, scope)];
        for (_, _, e) in rest {
            typed.push(self.expr(e, None, scope));
        }
        let typed: Option<Vec<Typed>> = typed.into_iter().collect();
        let typed = typed?;
        let base = self.sorts.base(typed[0].sort);
        if rest.iter().all(|(op, _, _)| *op == BinOp::Add)
            && item_sort(&self.sorts, base).is_some()
            && typed.iter().all(|t| self.sorts.base(t.sort) == base)
        {
            let what = if matches!(self.sorts.get(base), Sort::String) { "texts" } else { "sequences" };
            let d = Diagnostic::new(Code::OperatorType, rest[0].1, format!("`+` adds numbers, but these are {what}"))
                .help(format!("write `++` to join {what}"));
            self.report(if rest.len() == 1 { d.fix(rest[0].1, "++") } else { d });
            return None;
        }
        let spans = [first.span].into_iter().chain(rest.iter().map(|(_, _, e)| e.span));
        self.unify_numbers(&typed, spans, rest[0].0.text())
    }

    /// Left to right: `a * b div c`. Neighbouring products become one.
    pub(in crate::check) fn products(
        &mut self,
        first: &'a Expr,
        rest: &'a [(BinOp, Span, Expr)],
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let mut left = self.expr(first, None, scope);
        let mut left_span = first.span;
        // The factors of a product that may still go on, instead of `left`.
        let mut product: Option<(Vec<TermId>, SortId)> = None;
        for (op, _, e) in rest {
            let right = self.expr(e, None, scope);
            // `a * b * c` with one sort throughout is one product of three.
            if let (BinOp::Mul, Some((factors, sort)), Some(r)) = (op, &mut product, right)
                && self.sorts.is_numeric(r.sort)
                && (*sort == self.sorts.real || self.sorts.base(r.sort) == self.sorts.int)
            {
                factors.push(if *sort == self.sorts.real { self.widen(r.term) } else { r.term });
                left_span = left_span.to(e.span);
                continue;
            }
            if let Some((factors, sort)) = product.take() {
                left = Some(Typed { term: self.apply(Op::Mul, &factors, sort), sort });
            }
            let (Some(l), Some(r)) = (left, right) else {
                left = None;
                continue;
            };
            let spans = [left_span, e.span];
            left_span = left_span.to(e.span);
            if *op != BinOp::Mul && self.is_zero(r.term) && !self.mentions_constant(e) {
                // Constants may be given another value, and guards may ask for it.
                self.report(
                    Diagnostic::new(Code::UndefinedConstant, e.span, "this divides by zero")
                        .label("this is always zero")
                        .help("a division by zero has no value; reaching it is a model error"),
                );
                left = None;
                continue;
            }
            left = match op {
                BinOp::Mul => {
                    product = self.unify_numbers(&[l, r], spans.into_iter(), "*");
                    None
                }
                BinOp::Quot => {
                    let real = self.sorts.real;
                    let a = self.coerce(l, real, spans[0], "an operand of `/`");
                    let b = self.coerce(r, real, spans[1], "an operand of `/`");
                    match (a, b) {
                        (Some(a), Some(b)) => Some(Typed { term: self.apply(Op::Quot, &[a, b], real), sort: real }),
                        _ => None,
                    }
                }
                _ => {
                    let int = self.sorts.int;
                    let what = format!("an operand of `{}`", op.text());
                    let a = self.coerce(l, int, spans[0], &what);
                    let b = self.coerce(r, int, spans[1], &what);
                    let op = if *op == BinOp::Div { Op::Div } else { Op::Mod };
                    match (a, b) {
                        (Some(a), Some(b)) => Some(Typed { term: self.apply(op, &[a, b], int), sort: int }),
                        _ => None,
                    }
                }
            };
        }
        if let Some((factors, sort)) = product {
            left = Some(Typed { term: self.apply(Op::Mul, &factors, sort), sort });
        }
        left
    }

    fn is_zero(&self, term: TermId) -> bool {
        self.terms.as_const(term).and_then(number::to_rational).is_some_and(|n| n == number::Rational::ZERO)
    }

    pub(in crate::check) fn comparison(
        &mut self,
        first: &'a Expr,
        rest: &'a [(BinOp, Span, Expr)],
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let equality = matches!(rest[0].0, BinOp::Eq | BinOp::Ne);
        if equality {
            let (op, op_span, second) = &rest[0];
            // The side whose type is known guides the other: `s == []`, `[] == s`.
            let is_empty =
                |e: &Expr| matches!(&e.kind, ExprKind::Seq(items) | ExprKind::Set(items) if items.is_empty());
            let (left, right) = if is_empty(first) {
                let right = self.expr(second, None, scope);
                (self.expr(first, Some(right?.sort), scope), right)
            } else {
                let left = self.expr(first, None, scope);
                if left.is_none() && is_empty(second) {
                    return None;
                }
                (left, self.expr(second, left.map(|t| t.sort), scope))
            };
            let (x, y) = (left?, right?);
            let (xbase, ybase) = (self.sorts.base(x.sort), self.sorts.base(y.sort));
            let (x, y) = if xbase == ybase {
                (x.term, y.term)
            } else if self.sorts.is_numeric(xbase) && self.sorts.is_numeric(ybase) {
                (self.widen(x.term), self.widen(y.term))
            } else {
                let message = format!(
                    "`{}` compares {} with {}",
                    op.text(),
                    a(&self.sorts.name(x.sort)),
                    a(&self.sorts.name(y.sort))
                );
                self.report(
                    Diagnostic::new(Code::OperatorType, *op_span, message)
                        .label("both sides must have the same type")
                        .also(first.span, format!("this is {}", a(&self.sorts.name(x.sort))))
                        .also(second.span, format!("this is {}", a(&self.sorts.name(y.sort)))),
                );
                return None;
            };
            let eq = self.apply(Op::Eq, &[x, y], self.sorts.bool);
            let term = if *op == BinOp::Ne { self.terms.not(&self.sorts, eq) } else { eq };
            return Some(self.bool(term));
        }
        let (terms, _) = self.number_operands(first, rest, scope)?;
        let mut parts = Vec::new();
        for (i, (op, _, _)) in rest.iter().enumerate() {
            let (a, b) = (terms[i], terms[i + 1]);
            let bool = self.sorts.bool;
            parts.push(match op {
                BinOp::Lt => self.apply(Op::Lt, &[a, b], bool),
                BinOp::Le => self.apply(Op::Le, &[a, b], bool),
                BinOp::Gt => self.apply(Op::Lt, &[b, a], bool),
                _ => self.apply(Op::Le, &[b, a], bool),
            });
        }
        let term = self.terms.and(&self.sorts, &parts);
        Some(self.bool(term))
    }

    /// Operands that are all Int, or all Real once the Ints among them are widened.
    pub(in crate::check) fn unify_numbers(
        &mut self,
        typed: &[Typed],
        spans: impl Iterator<Item = Span>,
        what: &str,
    ) -> Option<(Vec<TermId>, SortId)> {
        let mut problem: Option<usize> = None;
        for (t, span) in typed.iter().zip(spans) {
            if self.sorts.is_numeric(t.sort) {
                continue;
            }
            // All operands that are no numbers are one problem.
            if let Some(d) = problem.and_then(|at| self.diagnostics.get_mut(at)) {
                let name = a(&self.sorts.name(t.sort));
                d.secondary.push(Label { span, text: format!("this is {name}") });
            } else {
                problem = Some(self.diagnostics.len());
                self.numeric(*t, span, what);
            }
        }
        if problem.is_some() {
            return None;
        }
        if typed.iter().all(|t| self.sorts.base(t.sort) == self.sorts.int) {
            return Some((typed.iter().map(|t| t.term).collect(), self.sorts.int));
        }
        Some((typed.iter().map(|t| self.widen(t.term)).collect(), self.sorts.real))
    }

    /// The base sort of a number; anything else is reported.
    pub(in crate::check) fn numeric(&mut self, t: Typed, span: Span, what: &str) -> Option<SortId> {
        if self.sorts.is_numeric(t.sort) {
            return Some(self.sorts.base(t.sort));
        }
        let name = self.sorts.name(t.sort);
        let d = Diagnostic::new(Code::OperatorType, span, format!("`{what}` takes numbers, but this is {}", a(&name)))
            .label("expected Int or Real");
        let text = matches!(self.sorts.get(t.sort), Sort::String | Sort::Seq(_));
        self.report(if what == "+" && text {
            d.help("`++` joins texts and sequences; `text(n)` is the text of a number")
        } else {
            d
        });
        None
    }

    pub(in crate::check) fn widen(&mut self, term: TermId) -> TermId {
        if self.terms.sort(term) == self.sorts.real { term } else { self.apply(Op::ToReal, &[term], self.sorts.real) }
    }
}
