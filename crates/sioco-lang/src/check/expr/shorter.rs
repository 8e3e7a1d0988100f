//! Old ways to say something for which there is a shorter one now.

use crate::check::Checker;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    /// `slice(s, 0, i) ++ [v] ++ slice(s, i + 1, len(s))` and the like.
    pub(in crate::check) fn shorter(&mut self, first: &'a Expr, rest: &'a [(BinOp, Span, Expr)]) {
        let Some((s, from, to)) = self.slice_of(first) else { return };
        let last = rest.last().map(|(_, _, e)| e);
        let Some((again, next, end)) = last.and_then(|e| self.slice_of(e)) else { return };
        if first.span.file != FileId(0) || !self.is_number(from, "0") || !self.same(s, again) || !self.is_length(end, s)
        {
            return;
        }
        let middle = match rest {
            [_] => None,
            [(_, _, Expr { kind: ExprKind::Seq(items), .. }), _] => match &items[..] {
                [item] => Some(item),
                _ => return,
            },
            _ => return,
        };
        let same_place = self.same(to, next);
        if !same_place && !self.is_next(next, to) {
            return;
        }
        let text = |e: &Expr| self.sources.text(e.span).to_string();
        let base = match &s.kind {
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Call(..) | ExprKind::Paren(_) => {
                text(s)
            }
            _ => format!("({})", text(s)),
        };
        let short = match (middle, same_place) {
            (Some(v), false) => format!("{base} with {{ [{}]: {} }}", text(to), text(v)),
            (Some(v), true) => format!("insertAt({}, {}, {})", text(s), text(to), text(v)),
            (None, false) => format!("removeAt({}, {})", text(s), text(to)),
            (None, true) => return,
        };
        let span = first.span.to(last.map_or(first.span, |e| e.span));
        let d = Diagnostic::new(Code::LongWay, span, "there is a shorter way to write this");
        self.report(d.label("says the same").help(format!("write `{short}`")).fix(span, short));
    }

    fn slice_of(&self, e: &'a Expr) -> Option<(&'a Expr, &'a Expr, &'a Expr)> {
        match &e.kind {
            ExprKind::Paren(inner) => self.slice_of(inner),
            ExprKind::Call(name, args) if name.name == "slice" => match &args[..] {
                [s, from, to] => Some((s, from, to)),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_number(&self, e: &Expr, n: &str) -> bool {
        matches!(&e.kind, ExprKind::Int(text) if text == n)
    }

    fn is_length(&self, e: &'a Expr, s: &'a Expr) -> bool {
        matches!(&e.kind, ExprKind::Call(name, args) if name.name == "len" && args.len() == 1 && self.same(&args[0], s))
    }

    /// `i + 1` behind `i`; `3` behind `2`.
    fn is_next(&self, e: &'a Expr, before: &'a Expr) -> bool {
        match (&e.kind, &before.kind) {
            (ExprKind::Chain(first, rest), _) => {
                matches!(&rest[..], [(BinOp::Add, _, one)] if self.is_number(one, "1")) && self.same(first, before)
            }
            (ExprKind::Int(next), ExprKind::Int(before)) => {
                matches!((next.parse::<u32>(), before.parse::<u32>()), (Ok(n), Ok(b)) if b.checked_add(1) == Some(n))
            }
            _ => false,
        }
    }

    /// Whether two expressions are written the same, up to spaces.
    fn same(&self, a: &Expr, b: &Expr) -> bool {
        let text = |e: &Expr| self.sources.text(e.span).split_whitespace().collect::<Vec<_>>().join(" ");
        !matches!(a.kind, ExprKind::Error) && text(a) == text(b)
    }
}
