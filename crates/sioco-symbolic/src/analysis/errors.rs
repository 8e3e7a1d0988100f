//! Model errors: values that are undefined (division by zero, an index outside a sequence) or outside their range
//! where they are needed: in a guard, or in a step that is enabled.

use sioco_model::semantics::interpreter::{Part, StepError};
use sioco_model::term::Term;
use sioco_model::{SwitchId, TermId, Value};

use super::question::{FIRST, Question};
use super::states::Subject;
use crate::assume::has_value;
use crate::path::{Path, Possible};
use crate::step::Step;

impl Path<'_> {
    /// Whether something is undefined when a step is tried in the state at the end of the path, for some values of what is
    /// not known. With observed values, they are those of its parameters. Without them, a step that can be observed is not
    /// taken, and nobody wants to know about its update. The path itself must be possible.
    pub fn may_break(&mut self, step: Step, observed: Option<&[Value]>) -> Possible {
        let mut open = None;
        for conditions in self.breaks_with(step, observed) {
            match Question::new(self, &conditions, &[]).ask(self, true) {
                Possible::Yes => return Possible::Yes,
                Possible::No => {}
                Possible::Unknown(why) => open = Some(why),
            }
        }
        open.map_or(Possible::No, Possible::Unknown)
    }

    /// The error of the model where [`may_break`](Self::may_break) says that there is one: in one of the states for which
    /// there is. The path must be recorded.
    pub fn error_of(&mut self, step: Step, observed: Option<&[Value]>) -> Option<StepError> {
        let args = self.step_terms(step, FIRST).args;
        self.breaks_with(step, observed).into_iter().find_map(|conditions| {
            let witness = Question::new(self, &conditions, &args).witness(self).ok()?;
            witness.undefined(self.model(), step)
        })
    }

    /// Whether a step can be taken with the observed values in a state for which nothing is undefined when one of the
    /// others is tried with them. The path itself must be possible.
    pub fn may_hold_defined(&mut self, step: Step, others: &[Step], observed: &[Value]) -> Possible {
        let terms = self.step_terms(step, FIRST);
        if terms.impossible {
            return Possible::No;
        }
        let mut all = terms.all();
        for (arg, value) in terms.args.iter().zip(observed) {
            // What is computed may differ by a tolerance; that the step explains the values is asked elsewhere.
            if matches!(self.pool().get(*arg), Term::Symbol(..)) {
                all.push(self.build(|pool, sorts| has_value(pool, sorts, *arg, value)));
            }
        }
        for other in others {
            for conditions in self.breaks_with(*other, Some(observed)) {
                all.push(self.not_all(&conditions));
            }
        }
        Question::new(self, &all, &[]).ask(self, true)
    }

    /// The ways in which something is undefined when a step is tried: all conditions of one hold together.
    fn breaks_with(&mut self, step: Step, observed: Option<&[Value]>) -> Vec<Vec<TermId>> {
        if step.is_silence() {
            return Vec::new();
        }
        let taken = observed.is_some() || !step.is_observable(self.model);
        let terms = self.step_terms(step, FIRST);
        let mut found = Vec::new();
        for (mut conditions, subject) in conditions(self, step) {
            let update = matches!(subject, Subject::Error(_, Part::Update(_), _));
            if update && !taken {
                continue;
            }
            for (arg, value) in terms.args.iter().zip(observed.unwrap_or_default()) {
                // An update is computed only if all arguments are the observed ones.
                if update || matches!(self.pool().get(*arg), Term::Symbol(..)) {
                    conditions.push(self.build(|pool, sorts| has_value(pool, sorts, *arg, value)));
                }
            }
            found.push(conditions);
        }
        found
    }
}

/// What can go wrong when a step is tried: a question for each of its parts.
pub(super) fn questions(path: &mut Path<'_>, step: Step) -> Vec<(Subject, Question)> {
    if step.is_silence() {
        return Vec::new();
    }
    let args = path.step_terms(step, FIRST).args;
    let all = conditions(path, step);
    all.into_iter().map(|(conditions, subject)| (subject, Question::new(path, &conditions, &args))).collect()
}

/// The same as conditions over variables and the open parameters of the step.
fn conditions(path: &mut Path<'_>, step: Step) -> Vec<(Vec<TermId>, Subject)> {
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
    guards(path, &own, step, &mut before, &mut found);
    let enabled = before.clone();
    // What is sent is computed before anybody receives it: where it has no value, that is an error of the sender alone.
    let sent = |switch: SwitchId, part: Part| {
        matches!(step, Step::Handshake { .. }) && switch == first && matches!(part, Part::Argument(_))
    };
    before.extend(terms.checks.iter().filter(|(s, p, _)| sent(*s, *p)).map(|(_, _, t)| *t));
    guards(path, &others, step, &mut before, &mut found);
    let mut parts: Vec<_> = terms.checks.iter().map(|(switch, part, _)| (*switch, *part)).collect();
    parts.dedup();
    for (switch, part) in parts {
        let of_part = terms.checks.iter().filter(|(s, p, _)| (*s, *p) == (switch, part));
        let checks: Vec<TermId> = of_part.map(|(_, _, t)| *t).collect();
        let mut conditions = if sent(switch, part) { enabled.clone() } else { before.clone() };
        conditions.push(path.not_all(&checks));
        found.push((conditions, Subject::Error(switch, part, step)));
    }
    found
}

/// A question for each conjunct that may be undefined; all of them go to what is true before others are needed.
fn guards(
    path: &mut Path<'_>,
    conjuncts: &[(Option<SwitchId>, TermId)],
    step: Step,
    before: &mut Vec<TermId>,
    found: &mut Vec<(Vec<TermId>, Subject)>,
) {
    let Some(first) = step.switches().next() else { return };
    for (switch, guard) in conjuncts {
        if path.pool().is_partial(*guard) {
            let mut conditions = before.clone();
            conditions.push(path.undefined(*guard));
            let subject = Subject::Error(switch.unwrap_or(first), Part::Guard, step);
            found.push((conditions, subject));
        }
        before.push(*guard);
    }
}
