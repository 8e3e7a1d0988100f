//! Model errors: values that are undefined (division by zero, an index outside a sequence) or outside their range
//! where they are needed: in a guard, or in a step that is enabled.

use sioco_model::semantics::interpreter::Part;
use sioco_model::{SwitchId, TermId};

use super::question::{FIRST, Question, StepTerms};
use super::states::Subject;
use crate::path::Path;
use crate::step::Step;

/// What can go wrong when a step is tried: a question for each of its parts.
pub(super) fn questions(path: &mut Path<'_>, step: Step) -> Vec<(Subject, Question)> {
    let mut found = Vec::new();
    // Silence computes nothing.
    let Some(first) = step.switches().next() else { return found };
    let terms = path.step_terms(step, FIRST);
    if terms.impossible {
        return found;
    }
    let of_first = |switch: Option<SwitchId>| matches!(step, Step::Switch(_)) || switch == Some(first);
    // Conjuncts are evaluated in order: one is needed where all before it are true.
    let mut before: Vec<TermId> = Vec::new();
    let (own, others): (Vec<_>, Vec<_>) = terms.guards.iter().copied().partition(|(switch, _)| of_first(*switch));
    guards(path, &own, &terms, step, &mut before, &mut found);
    let enabled = before.clone();
    // What is sent is computed before anybody receives it: where it has no value, that is an error of the sender alone.
    let sent = |switch: SwitchId, part: Part| {
        matches!(step, Step::Handshake { .. }) && switch == first && matches!(part, Part::Argument(_))
    };
    before.extend(terms.checks.iter().filter(|(s, p, _)| sent(*s, *p)).map(|(_, _, t)| *t));
    guards(path, &others, &terms, step, &mut before, &mut found);
    let mut parts: Vec<_> = terms.checks.iter().map(|(switch, part, _)| (*switch, *part)).collect();
    parts.dedup();
    for (switch, part) in parts {
        let of_part = terms.checks.iter().filter(|(s, p, _)| (*s, *p) == (switch, part));
        let checks: Vec<TermId> = of_part.map(|(_, _, t)| *t).collect();
        let mut conditions = if sent(switch, part) { enabled.clone() } else { before.clone() };
        conditions.push(path.not_all(&checks));
        found.push((Subject::Error(switch, part, step), Question::new(path, &conditions, &terms.args)));
    }
    found
}

/// A question for each conjunct that may be undefined; all of them go to what is true before others are needed.
fn guards(
    path: &mut Path<'_>,
    conjuncts: &[(Option<SwitchId>, TermId)],
    terms: &StepTerms,
    step: Step,
    before: &mut Vec<TermId>,
    found: &mut Vec<(Subject, Question)>,
) {
    let Some(first) = step.switches().next() else { return };
    for (switch, guard) in conjuncts {
        if path.pool().is_partial(*guard) {
            let mut conditions = before.clone();
            conditions.push(path.undefined(*guard));
            let subject = Subject::Error(switch.unwrap_or(first), Part::Guard, step);
            found.push((subject, Question::new(path, &conditions, &terms.args)));
        }
        before.push(*guard);
    }
}
