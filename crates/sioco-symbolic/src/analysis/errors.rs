//! Model errors: values that are undefined (division by zero, an index outside a sequence) or outside their range
//! where they are needed: in a guard, or in a step that is enabled.

use sioco_model::TermId;
use sioco_model::semantics::interpreter::Part;

use super::question::{FIRST, Question};
use super::states::Subject;
use crate::path::Path;
use crate::step::Step;

/// What can go wrong when a step is tried: a question for each of its parts.
pub(super) fn questions(path: &mut Path<'_>, step: Step) -> Vec<(Subject, Question)> {
    let terms = path.step_terms(step, FIRST);
    let mut found = Vec::new();
    let Some(first) = step.switches().next() else { return found };
    if terms.impossible {
        return found;
    }
    // Conjuncts are evaluated in order: one is needed where all before it are true.
    let mut before: Vec<TermId> = Vec::new();
    for (switch, guard) in &terms.guards {
        if path.pool().is_partial(*guard) {
            let mut conditions = before.clone();
            conditions.push(path.undefined(*guard));
            let subject = Subject::Error(switch.unwrap_or(first), Part::Guard, step);
            found.push((subject, Question::new(path, &conditions, &terms.args)));
        }
        before.push(*guard);
    }
    let mut parts: Vec<_> = terms.checks.iter().map(|(switch, part, _)| (*switch, *part)).collect();
    parts.dedup();
    for (switch, part) in parts {
        let of_part = terms.checks.iter().filter(|(s, p, _)| (*s, *p) == (switch, part));
        let checks: Vec<TermId> = of_part.map(|(_, _, t)| *t).collect();
        let mut conditions = before.clone();
        conditions.push(path.not_all(&checks));
        found.push((Subject::Error(switch, part, step), Question::new(path, &conditions, &terms.args)));
    }
    found
}
