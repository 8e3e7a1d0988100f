//! The lines and groups of purposes: one line for what is to happen, one for each reject.

use super::{Gap, HANGING, Lead, Planner, STEP};
use crate::syntax::ast::*;
use crate::syntax::format::spacing::Role;

impl Planner<'_> {
    pub(super) fn purpose(&mut self, purpose: &PurposeDecl, first: usize, end: usize, lead: Lead) {
        let header = self.lines.len();
        self.line(first, end, 0, lead);
        if !self.block(header, self.first(purpose.name.span) + 1) {
            return;
        }
        let mut lead = Lead::First;
        let rejects = purpose.rejects.iter().map(|r| (r.span, &r.event));
        for (span, way) in [(purpose.pattern.span, &purpose.pattern)].into_iter().chain(rejects) {
            self.line(self.first(span), self.last(span) + 1, STEP, lead);
            self.way(way, 0);
            lead = Lead::Keep;
        }
        self.line(end - 1, end, 0, Lead::Close);
    }

    /// A pattern; the lines of a sequence are indented by `indent`.
    fn way(&mut self, way: &WayDecl, indent: usize) {
        let (first, last) = (self.first(way.span), self.last(way.span));
        match &way.kind {
            WayKind::Error => {}
            WayKind::Anything => self.set_role(first, Role::Anything),
            WayKind::Event(event) => {
                if let EventKind::Gate(label) = &event.kind {
                    self.label(label);
                }
                self.condition(&event.condition, self.last(event.label));
            }
            WayKind::At(path, condition) => self.condition(condition, self.last(path.span)),
            WayKind::Sequence(parts) => {
                let breaks: Vec<usize> = parts[1..].iter().map(|part| self.first(part.span)).collect();
                breaks.iter().for_each(|i| self.set_role(i - 1, Role::Then));
                self.group((first, last), indent, true, &breaks, |p, _| parts.iter().for_each(|part| p.way(part, 0)));
            }
            WayKind::Choice(ways) => {
                // Before each `|`; a sequence that goes on in the next line is set apart from it.
                let breaks: Vec<usize> = ways[1..].iter().map(|way| self.first(way.span) - 1).collect();
                self.group((first, last), 0, true, &breaks, |p, _| ways.iter().for_each(|way| p.way(way, HANGING)));
            }
            WayKind::Group(inner) => {
                self.group((first, last), STEP, true, &[first + 1], |p, id| {
                    p.set_gap(last, Gap::Close(id));
                    p.way(inner, 0);
                });
            }
            WayKind::Repeat(body, times) => {
                (self.first(times.span)..=last).for_each(|i| self.set_role(i, Role::Repeat));
                self.way(body, 0);
            }
        }
    }

    /// A condition after the token `last`.
    fn condition(&mut self, condition: &GuardDecl, last: usize) {
        if !matches!(condition, GuardDecl::None) {
            self.set_role(last + 1, Role::Guard);
        }
        if let GuardDecl::Expr(condition) = condition {
            self.expr(condition);
        }
    }
}
