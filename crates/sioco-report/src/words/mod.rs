//! The words of a model as its author wrote them: labels, conjuncts of guards, places.
//!
//! Functions and constants are expanded in a term, so the term does not know them any more. People should read what
//! they wrote. So the words come from the source, and from the printer only if nothing was written.

mod why;

use sioco_lang::check::CheckedModel;
use sioco_lang::source::{SourceMap, Span};
use sioco_lang::syntax::ast::{BinOp, Expr, ExprKind};
use sioco_lang::syntax::lexer::lex;
use sioco_lang::syntax::parser::parse_expr;
use sioco_model::semantics::StepError;
use sioco_model::semantics::interpreter::Part;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Model, SwitchId, TermId, print};

pub use self::why::{describe, with};

/// A line lists at most this many names before the rest is only counted: more would not fit two lines of a terminal.
pub(crate) const MAX_NAMES: usize = 12;
/// A list inside of a sentence has at most this many names; the sentence goes on after it.
pub(crate) const FEW_NAMES: usize = 6;

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
        let position = self.conjuncts(switch).iter().position(|c| *c == conjunct);
        match position.and_then(|i| self.part_of_guard(switch, i)) {
            Some((place, true)) => on_one_line(self.sources, place),
            _ => print::term(model, Some(switch), conjunct),
        }
    }

    /// The n-th conjunct of the guard of a switch, with its text, if that stands there alone.
    pub fn nth_conjunct(&self, switch: SwitchId, n: usize) -> Option<(TermId, String)> {
        let term = *self.conjuncts(switch).get(n)?;
        let (place, exact) = self.part_of_guard(switch, n)?;
        exact.then(|| (term, on_one_line(self.sources, place)))
    }

    /// Where the n-th conjunct of the guard of a switch was written, or all of the guard if nobody knows; `None` if
    /// there is no guard.
    pub fn conjunct_place(&self, switch: SwitchId, n: usize) -> Option<Span> {
        let guard = self.checked.spans.switches.get(switch).and_then(|s| s.guard)?;
        Some(self.part_of_guard(switch, n).map_or(guard, |(place, _)| place))
    }

    /// Where a conjunct of the guard of a switch was written, or all of the guard if nobody knows; `None` if there is no
    /// guard.
    pub fn conjunct_span(&self, switch: SwitchId, conjunct: TermId) -> Option<Span> {
        let position = self.conjuncts(switch).iter().position(|c| *c == conjunct);
        match position {
            Some(n) => self.conjunct_place(switch, n),
            None => self.checked.spans.switches.get(switch).and_then(|s| s.guard),
        }
    }

    /// The conjuncts of the guard of a switch, as it was written.
    pub fn conjuncts(&self, switch: SwitchId) -> Vec<TermId> {
        fn collect(pool: &TermPool, term: TermId, found: &mut Vec<TermId>) {
            match pool.get(term) {
                Term::App(Op::And, args) => args.iter().for_each(|a| collect(pool, *a, found)),
                _ => found.push(term),
            }
        }
        let mut found = Vec::new();
        collect(&self.model().terms, self.model().written_guard(switch), &mut found);
        found
    }

    /// The place of a conjunct, and whether what stands there is all of it and nothing else.
    fn part_of_guard(&self, switch: SwitchId, n: usize) -> Option<(Span, bool)> {
        if self.model().switches[switch].is_else {
            return None;
        }
        let span = self.checked.spans.switches.get(switch).and_then(|s| s.guard)?;
        let (expr, problems) = parse_expr(span.file, self.sources.text(span));
        let mut parts = Vec::new();
        conjuncts(&expr, &mut parts);
        // Folding and repetition can make the two lists differ; then nobody knows which is which.
        if !problems.is_empty() || parts.len() != self.conjuncts(switch).len() {
            return None;
        }
        // Where one was folded and another expanded to two, the lists differ as well: then a term reads what is not there.
        let text = self.sources.text(span);
        let fits = parts
            .iter()
            .zip(self.conjuncts(switch))
            .all(|((place, _), term)| self.reads_only(switch, term, text.get(place.range()).unwrap_or_default()));
        let (part, exact) = *parts.get(n)?;
        Some((Span { start: span.start + part.start, end: span.start + part.end, ..span }, exact && fits))
    }

    /// Whether everything that a term reads is named in a text.
    fn reads_only(&self, switch: SwitchId, term: TermId, text: &str) -> bool {
        let model = self.model();
        let mut all = true;
        model.terms.visit(term, &mut |_, leaf| {
            let name = match leaf {
                Term::Var(v, _) => &model.variables[*v].name,
                Term::Param(k, _) => match model.switches[switch].params.get(*k as usize) {
                    Some(param) => &param.name,
                    None => return,
                },
                _ => return,
            };
            all &= text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        });
        all
    }

    /// A model error, with its place and the values.
    pub fn error(&self, error: &StepError) -> String {
        let StepError::Undefined { switch, part, values, .. } = error else { return error.describe(self.model()) };
        let spans = self.checked.spans.switches.get(*switch);
        let span = spans.map(|s| match part {
            Part::Guard => s.guard.unwrap_or(s.label),
            Part::Argument(i) => s.args.get(*i).copied().unwrap_or(s.label),
            Part::Update(i) => s.update.get(*i).copied().unwrap_or(s.label),
        });
        let place = span.map(|s| format!(" at {}", self.sources.show(s))).unwrap_or_default();
        let values = why::with(self.model(), *switch, values);
        format!("model error{place}: {}{values}", error.describe(self.model()))
    }
}

/// The places of the conjuncts of a condition, in the order of the term, and whether each has a place of its own. A
/// chain of comparisons is several conjuncts in one place.
fn conjuncts(expr: &Expr, found: &mut Vec<(Span, bool)>) {
    match &expr.kind {
        ExprKind::Paren(inner) => conjuncts(inner, found),
        ExprKind::Chain(first, rest) if rest[0].0 == BinOp::And => {
            conjuncts(first, found);
            rest.iter().for_each(|(_, _, e)| conjuncts(e, found));
        }
        ExprKind::Chain(_, rest) if rest.len() > 1 && rest[0].0.level() == BinOp::Lt.level() => {
            found.extend(std::iter::repeat_n((expr.span, false), rest.len()));
        }
        _ => found.push((expr.span, true)),
    }
}

/// The text of a span without comments, and with single spaces where there was any white space.
pub fn on_one_line(sources: &SourceMap, span: Span) -> String {
    let text = sources.text(span);
    let mut line = String::new();
    let mut end = 0;
    for token in lex(span.file, text).tokens {
        let word = text.get(token.span.range()).unwrap_or_default();
        if word.is_empty() {
            continue;
        }
        if token.span.start > end && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        end = token.span.end;
    }
    line
}
