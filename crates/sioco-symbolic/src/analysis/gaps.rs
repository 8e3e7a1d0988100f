//! Input gaps: inputs, or values of inputs, that the model says nothing about. Informative: most models are not meant
//! to specify everything everywhere.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::{GateId, LocationId, SwitchId, TermId};

use super::question::{FIRST, Question};
use super::{Finding, Kind, Status, What};
use crate::path::Path;
use crate::step::Step;

fn input(model: &Model, step: Step) -> Option<(GateId, SwitchId)> {
    match step {
        Step::Switch(s) => match model.switches[s].label {
            Label::Gate(g) if model.gates[g].direction == Direction::Input => Some((g, s)),
            _ => None,
        },
        _ => None,
    }
}

/// The input gates without any switch here.
pub(super) fn missing(model: &Model, locations: &[LocationId], steps: &[Step]) -> Option<Finding> {
    // Nobody expects anything where all has ended, or between an input and its answer.
    if locations.iter().all(|l| model.locations[*l].is_final) || locations.iter().any(|l| model.locations[*l].hidden) {
        return None;
    }
    let here = |gate: GateId| steps.iter().any(|s| input(model, *s).is_some_and(|(g, _)| g == gate));
    let gates: Vec<GateId> = (model.gates.iter())
        .filter(|(id, g)| g.direction == Direction::Input && !here(*id))
        .map(|(id, _)| id)
        .collect();
    let what = What::NoInput { locations: locations.to_vec(), gates };
    let some = !matches!(&what, What::NoInput { gates, .. } if gates.is_empty());
    some.then_some(Finding { kind: Kind::InputGap, status: Status::Shown, what, witness: None })
}

/// For every input gate with switches here: whether values are left for which none of them is enabled.
pub(super) fn questions(path: &mut Path<'_>, steps: &[Step]) -> Vec<(GateId, Vec<SwitchId>, Question)> {
    let model = path.model();
    let mut gates: Vec<(GateId, Vec<SwitchId>)> = Vec::new();
    for (gate, switch) in steps.iter().filter_map(|s| input(model, *s)) {
        match gates.iter_mut().find(|(g, _)| *g == gate) {
            Some((_, switches)) => switches.push(switch),
            None => gates.push((gate, vec![switch])),
        }
    }
    let mut found = Vec::new();
    for (gate, switches) in gates {
        let mut conditions: Vec<TermId> = Vec::new();
        let mut args = Vec::new();
        for &switch in &switches {
            // All parameters of inputs are open, so all switches of the gate have the same symbols.
            let terms = path.step_terms(Step::Switch(switch), FIRST);
            if terms.impossible {
                continue;
            }
            let guards: Vec<TermId> = terms.guards.iter().map(|(_, t)| *t).collect();
            // Where a guard is undefined, that is a model error: nobody can say whether the input is specified.
            conditions.push(path.false_of(&guards));
            args = terms.args;
        }
        if conditions.len() == switches.len() {
            let question = Question::new(path, &conditions, &args);
            found.push((gate, switches, question));
        }
    }
    found
}
