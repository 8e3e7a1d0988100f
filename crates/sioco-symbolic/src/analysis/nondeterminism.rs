//! Nondeterminism: two switches that one observation, or one stimulus, can mean.
//!
//! Two switches at the same gate compete where both are enabled for the same values. An internal step competes with
//! every other step: nobody outside knows which of the two it was. That is the system's own choice, and only counted.

use sioco_model::model::{Label, Model};
use sioco_model::number::Rational;
use sioco_model::{TermId, Value};

use super::question::{FIRST, Question, SECOND};
use super::states::Subject;
use crate::path::Path;
use crate::step::Step;

/// Whether two steps compete; nothing to ask if they have different labels.
pub(super) fn question(path: &mut Path<'_>, a: Step, b: Step) -> Option<(Subject, Question)> {
    let model = path.model();
    let same_gate = match (a, b) {
        (Step::Switch(s), Step::Switch(t)) => match (model.switches[s].label, model.switches[t].label) {
            (Label::Gate(g), Label::Gate(h)) => (g == h).then_some((s, t)),
            _ => None,
        },
        _ => None,
    };
    if same_gate.is_none() && !is_internal(model, a) && !is_internal(model, b) {
        return None;
    }
    let (first, second) = (path.step_terms(a, FIRST), path.step_terms(b, SECOND));
    if first.impossible || second.impossible {
        return None;
    }
    let mut conditions = first.all();
    conditions.extend(second.all());
    let Some((s, t)) = same_gate else {
        return Some((Subject::Choice, Question::new(path, &conditions, &[])));
    };
    for (i, (x, y)) in first.args.iter().zip(&second.args).enumerate() {
        let given = |p: &sioco_model::model::SwitchParam| p.term.and(p.tolerance.clone());
        let (p, q) = (given(&model.switches[s].params[i]), given(&model.switches[t].params[i]));
        let tolerance = tolerance(path, p, q);
        conditions.push(path.near(*x, *y, tolerance));
    }
    Some((Subject::Overlap(s, t), Question::new(path, &conditions, &first.args)))
}

/// One observed value can be near two values that are as far apart as both tolerances together.
fn tolerance(path: &mut Path<'_>, a: Option<Rational>, b: Option<Rational>) -> Option<TermId> {
    let sum = match (a, b) {
        (Some(a), Some(b)) => a + b,
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return None,
    };
    let sort = path.model.sorts.real;
    Some(path.pool.constant(Value::Real(sum.into()), sort))
}

fn is_internal(model: &Model, step: Step) -> bool {
    !step.is_observable(model)
}
