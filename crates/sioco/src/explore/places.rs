//! Where the conditions of a path were written.

use sioco_lang::source::Span;
use sioco_model::SwitchId;
use sioco_model::semantics::interpreter::Part;
use sioco_symbolic::Origin;

use sioco_report::words::Words;

/// A condition's place, its switch, and what it is if it is no guard.
pub struct ConditionSource {
    /// Where it was written.
    pub span: Option<Span>,
    /// The switch that it belongs to.
    pub switch: Option<SwitchId>,
    /// What it is.
    pub why: String,
}

/// The place of a condition.
pub fn place(words: Words<'_>, origin: Origin) -> ConditionSource {
    let model = words.model();
    let spans = |s: SwitchId| words.checked.spans.switches.get(s);
    let name = |s: SwitchId| &model.switches[s].name;
    match origin {
        Origin::Guard(s, i) => {
            let span = words.conjunct_place(s, i).or_else(|| spans(s).map(|s| s.label));
            let why = if model.switches[s].is_else { "for `else`, no other switch may be possible" } else { "" };
            ConditionSource { span, switch: Some(s), why: why.into() }
        }
        Origin::Defined(s, part) => {
            let (span, what) = match part {
                Part::Guard => (spans(s).map(|s| s.guard.unwrap_or(s.label)), "the guard"),
                Part::Argument(i) => (spans(s).map(|s| s.args.get(i).copied().unwrap_or(s.label)), "the argument"),
                Part::Update(i) => (spans(s).map(|s| s.update.get(i).copied().unwrap_or(s.label)), "the new value"),
            };
            ConditionSource { span, switch: Some(s), why: format!("{what} must be defined and in range") }
        }
        Origin::Agreement(send, receive) => ConditionSource {
            span: spans(receive).map(|s| s.label),
            switch: Some(receive),
            why: format!("what `{}` sends must be what is expected", name(send)),
        },
        Origin::Definition(var) => ConditionSource {
            span: words.checked.spans.variables.get(var).copied(),
            switch: None,
            why: format!("the value of `{}`", model.variable_name(var)),
        },
        Origin::Silent(s) => ConditionSource {
            span: spans(s).map(|s| s.guard.unwrap_or(s.label)),
            switch: Some(s),
            why: format!("for silence, `{}` must not be possible", name(s)),
        },
        Origin::Rounds => ConditionSource {
            span: None,
            switch: None,
            why: "for silence, internal steps must go on for ever without an output".into(),
        },
        Origin::Wanted => ConditionSource { span: None, switch: None, why: "the purpose asks for it".into() },
    }
}
