//! The groups of expressions.

use super::super::spacing::Role;
use super::{Planner, STEP};
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

impl Planner<'_> {
    /// The expression after the `=` of a declaration.
    pub(super) fn body(&mut self, e: &Expr) {
        let (first, last) = (self.first(e.span), self.last(e.span));
        let equals = first.saturating_sub(1);
        match &e.kind {
            // What ends with a bracket can be broken inside it.
            ExprKind::Match(..)
            | ExprKind::Call(..)
            | ExprKind::Record(..)
            | ExprKind::With(..)
            | ExprKind::Set(..)
            | ExprKind::Map(..)
            | ExprKind::Each(..)
            | ExprKind::Seq(..) => self.expr(e),
            ExprKind::If(..) | ExprKind::Let(..) => {
                let mut breaks = vec![first];
                breaks.extend(self.branches(e));
                self.group((equals, last), STEP, true, &breaks, |p, _| p.parts(e));
            }
            _ => self.group((equals, last), STEP, false, &[first], |p, _| p.expr(e)),
        }
    }

    /// Where an `if` or `let` may be broken: before each `else`; after each `in`.
    fn branches(&self, e: &Expr) -> Vec<usize> {
        match &e.kind {
            ExprKind::If(arms, otherwise) => {
                let chained = arms[1..].iter().map(|(condition, _)| self.first(condition.span).saturating_sub(2));
                chained.chain([self.first(otherwise.span).saturating_sub(1)]).collect()
            }
            ExprKind::Let(bindings, body) => {
                let chained = bindings[1..].iter().map(|(name, _)| self.first(name.span).saturating_sub(1));
                chained.chain([self.first(body.span)]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What is inside an `if` or `let`.
    fn parts(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::If(arms, otherwise) => {
                for (condition, then) in arms {
                    self.expr(condition);
                    self.expr(then);
                }
                self.expr(otherwise);
            }
            ExprKind::Let(bindings, body) => {
                bindings.iter().for_each(|(_, value)| self.expr(value));
                // It starts a line of its own if anything in it is broken.
                self.branching(body, 0);
            }
            _ => self.expr(e),
        }
    }

    /// An expression; if it is an `if` or `let`, its lines are indented by `indent`.
    fn branching(&mut self, e: &Expr, indent: usize) {
        if !matches!(e.kind, ExprKind::If(..) | ExprKind::Let(..)) {
            return self.expr(e);
        }
        let breaks = self.branches(e);
        self.group((self.first(e.span), self.last(e.span)), indent, true, &breaks, |p, _| p.parts(e));
    }

    pub(super) fn exprs(&mut self, brackets: (usize, usize), exprs: &[Expr]) {
        let starts: Vec<usize> = exprs.iter().map(|e| self.first(e.span)).collect();
        self.list(brackets, &starts, |p| exprs.iter().for_each(|e| p.expr(e)));
    }

    fn fields(&mut self, last: usize, fields: &[FieldInit]) {
        let starts: Vec<usize> = fields.iter().map(|f| self.first(f.name.span)).collect();
        let open = starts.first().map_or(last, |i| i.saturating_sub(1));
        self.list((open, last), &starts, |p| fields.iter().for_each(|f| p.expr(&f.value)));
    }

    /// The keys on the way to a part of a value.
    pub(super) fn path(&mut self, path: &[PathStep]) {
        for step in path {
            if let PathStep::Item(key, _) = step {
                self.expr(key);
            }
        }
    }

    pub(super) fn expr(&mut self, e: &Expr) {
        let (first, last) = (self.first(e.span), self.last(e.span));
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Error => {}
            ExprKind::Call(_, args) => self.exprs((first + 1, last), args),
            ExprKind::Record(_, fields) => self.fields(last, fields),
            ExprKind::With(record, changes) => {
                self.expr(record);
                let start = |p: &Self, c: &PathInit| {
                    let step = c.path.first().map_or(last, |step| p.first(step.span()));
                    // The `.` of a field may be written.
                    if p.tok(step.saturating_sub(1)) == Tok::Dot { step - 1 } else { step }
                };
                let starts: Vec<usize> = changes.iter().map(|c| start(self, c)).collect();
                let open = starts.first().map_or(last, |i| i.saturating_sub(1));
                self.list((open, last), &starts, |p| {
                    for change in changes {
                        p.path(&change.path);
                        p.expr(&change.value);
                    }
                });
            }
            ExprKind::Seq(items) => self.exprs((first, last), items),
            ExprKind::Set(items) => {
                self.set_role(first, Role::Literal);
                self.set_role(last, Role::Literal);
                self.exprs((first, last), items);
            }
            ExprKind::Map(entries) => {
                self.set_role(first, Role::Literal);
                self.set_role(last, Role::Literal);
                let starts: Vec<usize> = entries.iter().map(|(key, _)| self.first(key.span)).collect();
                self.list((first, last), &starts, |p| {
                    for (key, value) in entries {
                        p.expr(key);
                        p.expr(value);
                    }
                });
            }
            ExprKind::Each(each) => {
                let starts = [self.first(each.names[0].span), self.first(each.body.span)];
                self.list((first + 1, last), &starts, |p| {
                    p.expr(&each.over);
                    each.to.iter().for_each(|to| p.expr(to));
                    each.acc.iter().for_each(|(_, start)| p.expr(start));
                    p.expr(&each.body);
                });
            }
            ExprKind::Field(inner, _)
            | ExprKind::Is(inner, _)
            | ExprKind::Not(inner)
            | ExprKind::Neg(inner)
            | ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Index(seq, index) => {
                self.expr(seq);
                self.expr(index);
            }
            ExprKind::Chain(left, rest) => {
                let walk = |p: &mut Self| {
                    p.expr(left);
                    rest.iter().for_each(|(_, _, right)| p.expr(right));
                };
                // A comparison or a product reads badly in two lines.
                let tight = rest.first().is_some_and(|(op, ..)| matches!(op.level(), 4 | 7));
                if tight {
                    return walk(self);
                }
                let breaks: Vec<usize> = rest.iter().map(|(_, op, _)| self.first(*op)).collect();
                self.group((first, last), STEP, true, &breaks, |p, _| walk(p));
            }
            ExprKind::If(..) | ExprKind::Let(..) => self.branching(e, STEP),
            ExprKind::Match(scrutinee, arms) => {
                self.expr(scrutinee);
                let starts: Vec<usize> = arms.iter().map(|arm| self.first(arm.pattern.span)).collect();
                let open = starts.first().map_or(last, |i| i.saturating_sub(1));
                self.list((open, last), &starts, |p| arms.iter().for_each(|arm| p.expr(&arm.body)));
            }
        }
    }
}
