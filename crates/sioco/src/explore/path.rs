//! Finding out about one path, in the words of the model.

use serde_json::{Map, Value as Json};
use sioco_model::model::Model;
use sioco_model::semantics::StepError;
use sioco_model::semantics::interpreter::Part;
use sioco_model::term::Term;
use sioco_model::{SwitchId, Value};
use sioco_report::explore::nodes::at_end;
use sioco_report::explore::path::{Conjunct, PathOutcome, PathReport, Witness};
use sioco_report::value;
use sioco_solve::Reason;
use sioco_solve::values::Choice;
use sioco_symbolic::analysis::error_of_step;
use sioco_symbolic::{Clash, Origin, Path, PathCondition, Reach, Solved, Step, reach, reach_named};

use super::places::place;
use crate::simulate::script;
use sioco_report::words::Words;

/// What is asked about a path.
pub struct Question<'a> {
    /// The model in its author's words.
    pub words: Words<'a>,
    /// The node that the path leads to, if it was asked for.
    pub node: Option<String>,
    /// The steps.
    pub steps: &'a [Step],
    /// How values are chosen.
    pub choice: Choice,
    /// Who is asked.
    pub asked: String,
    /// How the witness is replayed.
    pub replay: String,
}

/// Takes the path and tells what came of it; if that is unknown, also why.
pub fn answer(question: Question<'_>, path: &mut Path<'_>) -> (PathReport, Option<Reason>) {
    let Question { words, node, steps, choice, asked, replay } = question;
    let mut unknown = None;
    let model = words.model();
    // A node was reached over silence of a certain kind; who names a path does not tell them apart.
    let reached = match node {
        Some(_) => reach(path, steps, choice),
        None => reach_named(path, steps, choice),
    };
    let state = at_end(path);
    let conditions = path.written_out();
    let conditions = conditions.into_iter().map(|c| condition(words, path, c)).collect();
    let outcome = match reached {
        Reach::Reachable(solved) => PathOutcome::Reachable(witness(model, &solved, choice, replay)),
        Reach::Impossible { at, clash } => {
            let mut error = None;
            if let Some(step) = steps.get(at).filter(|_| path.len() == at) {
                error = error_of_step(path, *step);
                // The symbols of the step that is impossible are to be explained, too.
                path.advance(*step);
            }
            let guard = match &error {
                Some(StepError::Undefined { switch, part: Part::Guard, .. }) => Some(*switch),
                _ => None,
            };
            let is_undefined = |origin: Origin| matches!(origin, Origin::Guard(s, _) if guard == Some(s));
            let clash = clash.into_iter().map(|c| Conjunct { undefined: is_undefined(c.origin), ..clashing(words, c) });
            PathOutcome::Impossible { at: at + 1, clash: clash.collect(), error: error.map(|e| words.error(&e)) }
        }
        Reach::Unknown { at, reason } => {
            let text = reason.to_string();
            unknown = Some(reason);
            PathOutcome::Unknown { at: at + 1, reason: text, asked }
        }
    };
    let symbols = path.open_symbols();
    let symbols = symbols.into_iter().map(|y| (path.symbol_name(y), model.sorts.name(path.symbols()[y].sort)));
    let symbols = symbols.collect();
    let steps = steps.iter().map(|s| s.name(model)).collect();
    (PathReport { node, steps, conditions, symbols, state, outcome }, unknown)
}

fn condition(words: Words<'_>, path: &Path<'_>, c: PathCondition) -> Conjunct {
    let place = place(words, c.origin);
    let switch = place.switch.map(|s| words.model().switches[s].name.clone());
    let in_silence = matches!(c.origin, Origin::Silent(_) | Origin::Rounds);
    let text = path.show(c.term);
    Conjunct {
        text,
        written: None,
        step: c.step,
        switch,
        why: place.why,
        in_silence,
        undefined: false,
        span: place.span,
        values: Vec::new(),
    }
}

fn clashing(words: Words<'_>, c: Clash) -> Conjunct {
    let model = words.model();
    let place = place(words, c.origin);
    let shown = c.values.iter().filter(|(v, _)| !model.variables[*v].hidden).map(|(v, x)| {
        let sort = model.variables[*v].sort;
        (model.variable_name(*v), model.sorts.show(sort, x), value::json(&model.sorts, sort, x))
    });
    Conjunct {
        written: written(words, &c),
        text: c.text,
        step: c.step + 1,
        switch: place.switch.map(|s| model.switches[s].name.clone()),
        why: place.why,
        in_silence: matches!(c.origin, Origin::Silent(_) | Origin::Rounds),
        undefined: false,
        span: place.span,
        values: shown.collect(),
    }
}

/// A condition as its author wrote it, if it is false whatever the symbols are: of a guard whose values are known.
fn written(words: Words<'_>, c: &Clash) -> Option<String> {
    let Origin::Guard(switch, i) = c.origin else { return None };
    let (term, text) = words.nth_conjunct(switch, i)?;
    let mut open = false;
    words.model().terms.visit(term, &mut |_, t| open |= matches!(t, Term::Var(..) | Term::Param(..)));
    (!open || !c.values.is_empty()).then_some(text)
}

fn witness(model: &Model, solved: &Solved, choice: Choice, replay: String) -> Witness {
    let start = solved.start.iter().map(|(v, x)| {
        let sort = model.variables[*v].sort;
        (model.variable_name(*v), value::json(&model.sorts, sort, x))
    });
    Witness {
        choice,
        script: script::lines(model, &solved.start, &solved.steps),
        start: start.collect(),
        values: solved.steps.iter().map(|(step, values)| named_values(model, *step, values)).collect(),
        unbounded: unbounded(model, solved),
        uncertain: solved.uncertain,
        replay,
    }
}

fn named_values(model: &Model, step: Step, values: &[Value]) -> Map<String, Json> {
    let Some(switch) = step.switches().next() else { return Map::new() };
    let params = model.switches[switch].params.iter().enumerate().zip(values);
    params.map(|((i, p), v)| (parameter(model, switch, i), value::json(&model.sorts, p.sort, v))).collect()
}

/// The name of a parameter: that of the gate or channel, where the switch gives none.
fn parameter(model: &Model, switch: SwitchId, i: usize) -> String {
    use sioco_model::model::Label;
    let s = &model.switches[switch];
    let declared = match s.label {
        Label::Gate(g) => model.gates[g].params.get(i),
        Label::Send(c) | Label::Receive(c) => model.channels[c].params.get(i),
        Label::Internal => None,
    };
    match declared {
        Some(p) => p.name.clone(),
        None => s.params[i].name.clone(),
    }
}

/// What has no end on the side asked for, by step (from 1; 0 is the start).
fn unbounded(model: &Model, solved: &Solved) -> Vec<(usize, String)> {
    let start = solved.unbounded_start.iter().map(|v| (0, model.variable_name(*v)));
    let steps = solved.unbounded.iter().filter_map(|(i, k)| {
        let (step, _) = solved.steps.get(*i)?;
        let switch = step.switches().next()?;
        // What a term gives is not chosen here.
        let chosen = model.switches[switch].params.get(*k)?.term.is_none();
        chosen.then(|| (i + 1, parameter(model, switch, *k)))
    });
    start.chain(steps).collect()
}
