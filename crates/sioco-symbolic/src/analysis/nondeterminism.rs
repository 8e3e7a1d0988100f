//! Nondeterminism: two switches that one observation, or one stimulus, can mean.
//!
//! Two switches at the same gate compete where both are enabled for the same values. An internal step competes with
//! every other step: nobody outside knows which of the two it was. It also competes with itself where it leads to different
//! states by values that are not seen. These are the system's own choices, and only counted.
//!
//! Where one guard is undefined and the other is not false, nobody can say whether the two compete: the model means
//! nothing there. That is a model error of its own; here it only keeps the model from being called deterministic.

use sioco_model::model::{Label, Model};
use sioco_model::number::Rational;
use sioco_model::{TermId, Value};

use super::question::{FIRST, Question, SECOND, StepTerms};
use super::states::Subject;
use crate::path::{Path, Possible};
use crate::step::Step;

/// Whether two steps compete, and whether that is defined; nothing to ask if they have different labels.
pub(super) fn questions(path: &mut Path<'_>, a: Step, b: Step) -> Vec<(Subject, Question)> {
    let model = path.model();
    let same_gate = match (a, b) {
        (Step::Switch(s), Step::Switch(t)) => match (model.switches[s].label, model.switches[t].label) {
            (Label::Gate(g), Label::Gate(h)) => (g == h).then_some((s, t)),
            _ => None,
        },
        _ => None,
    };
    if same_gate.is_none() && !is_internal(model, a) && !is_internal(model, b) {
        return Vec::new();
    }
    let (first, second) = (path.step_terms(a, FIRST), path.step_terms(b, SECOND));
    if first.impossible || second.impossible {
        return Vec::new();
    }
    let mut same = Vec::new();
    if let Some((s, t)) = same_gate {
        for (i, (x, y)) in first.args.iter().zip(&second.args).enumerate() {
            let given = |p: &sioco_model::model::SwitchParam| p.term.and(p.tolerance.clone());
            let (p, q) = (given(&model.switches[s].params[i]), given(&model.switches[t].params[i]));
            let tolerance = tolerance(path, p, q);
            same.push(path.near(*x, *y, tolerance));
        }
    }
    let mut conditions = first.all();
    conditions.extend(second.all());
    conditions.extend(&same);
    let mut found = vec![match same_gate {
        Some((s, t)) => (Subject::Overlap(s, t), Question::new(path, &conditions, &first.args)),
        None => (Subject::Choice, Question::new(path, &conditions, &[])),
    }];
    for (step, one, other) in [(a, &first, &second), (b, &second, &first)] {
        found.extend(undefined(path, step, one, other, &same));
    }
    found
}

/// Whether an internal step leads to different states by values that nobody outside sees; nothing to ask if it leaves no
/// values open, or no new value of a variable has to do with them.
pub(super) fn hidden(path: &mut Path<'_>, step: Step) -> Option<(Subject, Question)> {
    if !is_internal(path.model(), step) || path.prepared(step).free.is_empty() {
        return None;
    }
    let (first, second) = (path.step_terms(step, FIRST), path.step_terms(step, SECOND));
    let sorts = &path.model.sorts;
    let mut different = Vec::new();
    for (x, y) in first.updates.iter().zip(&second.updates).filter(|(x, y)| x != y) {
        let same = path.pool.eq(sorts, *x, *y);
        different.push(path.pool.not(sorts, same));
    }
    if first.impossible || different.is_empty() {
        return None;
    }
    let mut conditions = first.all();
    conditions.extend(second.all());
    conditions.push(path.pool.or(sorts, &different));
    Some((Subject::Choice, Question::new(path, &conditions, &[])))
}

impl Path<'_> {
    /// Whether two steps can both be possible in the state at the end of the path, each with arguments of its own.
    pub fn possible_together(&mut self, a: Step, b: Step) -> Possible {
        match self.together(a, b) {
            Some(question) => question.ask(self, false),
            None => Possible::No,
        }
    }

    /// Whether two steps are possible together in no state at all, reachable or not.
    pub fn never_together(&mut self, a: Step, b: Step) -> bool {
        self.together(a, b).is_none_or(|question| question.never(self))
    }

    fn together(&mut self, a: Step, b: Step) -> Option<Question> {
        let (first, second) = (self.step_terms(a, FIRST), self.step_terms(b, SECOND));
        if first.impossible || second.impossible {
            return None;
        }
        let mut conditions = first.all();
        conditions.extend(second.all());
        Some(Question::new(self, &conditions, &[]))
    }
}

/// Whether the guard of one step can be undefined where the other is not ruled out.
fn undefined(
    path: &mut Path<'_>,
    step: Step,
    one: &StepTerms,
    other: &StepTerms,
    same: &[TermId],
) -> Option<(Subject, Question)> {
    let switch = step.switches().next()?;
    let guard = |terms: &StepTerms| terms.guards.iter().map(|(_, t)| *t).collect::<Vec<TermId>>();
    let sorts = &path.model.sorts;
    let (own, others) = (path.pool.and(sorts, &guard(one)), path.pool.and(sorts, &guard(other)));
    if !path.pool.is_partial(own) {
        return None;
    }
    let refuted = path.pool.not(sorts, others);
    let mut conditions = vec![path.undefined(own), path.not_all(&[refuted])];
    conditions.extend(same);
    Some((Subject::Undefined(switch), Question::new(path, &conditions, &[])))
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
