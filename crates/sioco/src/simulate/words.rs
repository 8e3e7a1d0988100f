//! The words of a model as its author wrote them: labels, conjuncts of guards, places.
//!
//! A term knows neither its functions nor its constants any more: they were expanded. What people read should be what
//! they wrote, so the source is asked first and the printer only where nothing was written.

use sioco_lang::check::CheckedModel;
use sioco_lang::source::{SourceMap, Span};
use sioco_lang::syntax::ast::{BinOp, Expr, ExprKind};
use sioco_lang::syntax::parser::parse_expr;
use sioco_model::semantics::StepError;
use sioco_model::semantics::interpreter::Part;
use sioco_model::term::{Op, Term};
use sioco_model::{Model, SwitchId, TermId, print};

use crate::switch_text::on_one_line;

/// A model with its source.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// The model and where its parts were written.
    pub checked: &'a CheckedModel,
    /// The texts.
    pub sources: &'a SourceMap,
}

impl<'a> Words<'a> {
    /// The model.
    pub fn model(&self) -> &'a Model {
        &self.checked.model
    }

    /// The label of a switch.
    pub fn label(&self, switch: SwitchId) -> String {
        match self.checked.spans.switches.get(switch) {
            Some(spans) => on_one_line(self.sources, spans.label),
            None => print::label(self.model(), switch),
        }
    }

    /// The guard of a switch.
    pub fn guard(&self, switch: SwitchId) -> String {
        match self.checked.spans.switches.get(switch).and_then(|s| s.guard) {
            Some(span) => on_one_line(self.sources, span),
            None => print::guard(self.model(), switch),
        }
    }

    /// A conjunct of the guard of a switch.
    pub fn conjunct(&self, switch: SwitchId, conjunct: TermId) -> String {
        let model = self.model();
        let all: Vec<TermId> = match model.terms.get(model.switches[switch].guard) {
            Term::App(Op::And, args) => args.to_vec(),
            _ => vec![model.switches[switch].guard],
        };
        let position = all.iter().position(|c| *c == conjunct);
        let span = self.checked.spans.switches.get(switch).and_then(|s| s.guard);
        if let (Some(position), Some(span), false) = (position, span, model.switches[switch].is_else) {
            let (expr, problems) = parse_expr(span.file, self.sources.text(span));
            let mut parts = Vec::new();
            conjuncts(&expr, &mut parts);
            // Folding and repetition can make the two lists differ; then nobody knows which is which.
            if problems.is_empty()
                && parts.len() == all.len()
                && let Some(part) = parts[position]
            {
                let place = Span { start: span.start + part.start, end: span.start + part.end, ..span };
                return on_one_line(self.sources, place);
            }
        }
        print::term(model, Some(switch), conjunct)
    }

    /// A model error, with its place.
    pub fn error(&self, error: &StepError) -> String {
        let StepError::Undefined { switch, part, .. } = error else { return error.describe(self.model()) };
        let spans = self.checked.spans.switches.get(*switch);
        let span = spans.map(|s| match part {
            Part::Guard => s.guard.unwrap_or(s.label),
            Part::Argument(i) => s.args.get(*i).copied().unwrap_or(s.label),
            Part::Update(i) => s.update.get(*i).copied().unwrap_or(s.label),
        });
        let place = span.map(|s| format!(" at {}", self.sources.show(s))).unwrap_or_default();
        format!("model error{place}: {}", error.describe(self.model()))
    }
}

/// The places of the conjuncts of a condition, in the order of the term. A chain of comparisons is several conjuncts
/// with no text of their own.
fn conjuncts(expr: &Expr, found: &mut Vec<Option<Span>>) {
    match &expr.kind {
        ExprKind::Paren(inner) => conjuncts(inner, found),
        ExprKind::Chain(first, rest) if rest[0].0 == BinOp::And => {
            conjuncts(first, found);
            rest.iter().for_each(|(_, _, e)| conjuncts(e, found));
        }
        ExprKind::Chain(_, rest) if rest.len() > 1 && rest[0].0.level() == BinOp::Lt.level() => {
            found.extend(std::iter::repeat_n(None, rest.len()));
        }
        _ => found.push(Some(expr.span)),
    }
}
