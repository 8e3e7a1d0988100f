//! Finding out about one path, in the words of the model.

use serde_json::{Map, Value as Json};
use sioco_model::model::Model;
use sioco_model::{SwitchId, Value};
use sioco_report::explore::nodes::at_end;
use sioco_report::explore::path::{Conjunct, Outcome, PathReport, Witness};
use sioco_report::value;
use sioco_solve::values::Choice;
use sioco_symbolic::{Clash, Path, PathCondition, Reach, Solved, Step, reach};

use super::places::place;
use crate::simulate::script;
use crate::simulate::words::Words;

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

/// Takes the path and tells what came of it.
pub fn answer(question: Question<'_>, path: &mut Path<'_>) -> PathReport {
    let Question { words, node, steps, choice, asked, replay } = question;
    let model = words.model();
    let reached = reach(path, steps, choice);
    let state = at_end(path);
    let conditions = path.written_out();
    let conditions = conditions.into_iter().map(|c| condition(words, path, c)).collect();
    let outcome = match reached {
        Reach::Reachable(solved) => Outcome::Reachable(witness(model, &solved, choice, replay)),
        Reach::Impossible { at, clash } => {
            // The symbols of the step that is impossible are to be explained, too.
            if let Some(step) = steps.get(at).filter(|_| path.len() == at) {
                path.advance(*step);
            }
            Outcome::Impossible { at: at + 1, clash: clash.into_iter().map(|c| clashing(words, c)).collect() }
        }
        Reach::Unknown { at, reason } => Outcome::Unknown { at: at + 1, reason, asked },
    };
    let symbols = path.open_symbols();
    let symbols = symbols.into_iter().map(|y| (path.symbol_name(y), model.sorts.name(path.symbols()[y].sort)));
    let symbols = symbols.collect();
    PathReport { node, steps: steps.iter().map(|s| s.name(model)).collect(), conditions, symbols, state, outcome }
}

fn condition(words: Words<'_>, path: &Path<'_>, c: PathCondition) -> Conjunct {
    let place = place(words, c.origin);
    let switch = place.switch.map(|s| words.model().switches[s].name.clone());
    Conjunct { text: path.show(c.term), step: c.step, switch, why: place.why, span: place.span, values: Vec::new() }
}

fn clashing(words: Words<'_>, c: Clash) -> Conjunct {
    let model = words.model();
    let place = place(words, c.origin);
    let shown = c.values.iter().filter(|(v, _)| !model.variables[*v].hidden).map(|(v, x)| {
        let sort = model.variables[*v].sort;
        (model.variable_name(*v), model.sorts.show(sort, x), value::json(&model.sorts, sort, x))
    });
    Conjunct {
        text: c.text,
        step: c.step + 1,
        switch: place.switch.map(|s| model.switches[s].name.clone()),
        why: place.why,
        span: place.span,
        values: shown.collect(),
    }
}

fn witness(model: &Model, solved: &Solved, choice: Choice, replay: String) -> Witness {
    let start = solved.start.iter().map(|(v, x)| {
        let sort = model.variables[*v].sort;
        (model.variable_name(*v), value::json(&model.sorts, sort, x))
    });
    let (choice, seed) = match choice {
        Choice::Min => ("least".into(), None),
        Choice::Max => ("greatest".into(), None),
        Choice::Middle => ("middle".into(), None),
        Choice::Random(seed) => (format!("random (seed {seed})"), Some(seed)),
        Choice::Boundary => ("boundary".into(), None),
    };
    Witness {
        seed,
        script: script::lines(model, &solved.start, &solved.steps),
        start: start.collect(),
        values: solved.steps.iter().map(|(step, values)| named_values(model, *step, values)).collect(),
        unbounded: unbounded(model, solved, &choice),
        choice,
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

/// What has no end on the side asked for, in words.
fn unbounded(model: &Model, solved: &Solved, choice: &str) -> Vec<String> {
    let start = solved.unbounded_start.iter().map(|v| format!("`{}` at the start", model.variable_name(*v)));
    let steps = solved.unbounded.iter().filter_map(|(i, k)| {
        let (step, _) = solved.steps.get(*i)?;
        let switch = step.switches().next()?;
        Some(format!("`{}` of step {}", parameter(model, switch, *k), i + 1))
    });
    let what = match choice {
        "least" => "has no least value: the one nearest to zero is taken",
        "greatest" => "has no greatest value: the one nearest to zero is taken",
        "middle" => "has no middle, being unbounded: the value nearest to zero is taken",
        _ => "is unbounded: any magnitude may be drawn",
    };
    start.chain(steps).map(|who| format!("{who} {what}")).collect()
}
