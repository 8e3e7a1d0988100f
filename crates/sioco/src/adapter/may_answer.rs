//! After which inputs the model may answer with an output: what was late after one of them may be late after each.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::{GateId, Id, LocationId};

/// The input gates after which an output may come before anything else that is seen; some of them perhaps only as far as
/// guards are left aside.
pub fn may_answer(model: &Model, output: GateId) -> Vec<GateId> {
    let mut found = Vec::new();
    for (id, _) in model.gates.iter().filter(|(_, gate)| gate.direction == Direction::Input) {
        let after = model.switches.values().filter(|s| s.label == Label::Gate(id)).map(|s| s.target);
        if gives(model, after.collect(), |gate| gate == output) {
            found.push(id);
        }
    }
    found
}

/// Whether a run may begin with an output, as far as guards are left aside.
pub fn may_greet(model: &Model) -> bool {
    let start = model.processes.values().map(|process| process.initial).collect();
    gives(model, start, |gate| model.gates[gate].direction == Direction::Output)
}

/// Whether one of some outputs leaves one of these locations, or one that is reached from them by what nobody sees.
fn gives(model: &Model, mut open: Vec<LocationId>, wanted: impl Fn(GateId) -> bool) -> bool {
    let mut known = vec![false; model.locations.len()];
    while let Some(location) = open.pop() {
        if std::mem::replace(&mut known[location.index()], true) {
            continue;
        }
        for switch in &model.locations[location].outgoing {
            let s = &model.switches[*switch];
            let partners = |label: Label| {
                model.switches.values().filter(move |other| other.label == label).map(|other| other.target)
            };
            match s.label {
                Label::Gate(gate) if wanted(gate) => return true,
                Label::Gate(_) => continue,
                Label::Internal => {}
                Label::Send(channel) => open.extend(partners(Label::Receive(channel))),
                Label::Receive(channel) => open.extend(partners(Label::Send(channel))),
            }
            open.push(s.target);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_found_whatever_guards_say_and_whatever_is_hidden() {
        let text = "input a\ninput b\ninput c\noutput late\noutput other\nprocess P {\n  var x: Int = 0\n  \
                    init l0 { ?a [x > 0] -> l1  ?b -> l2  ?c -> l3 }\n  state l1 { !late -> l0 }\n  \
                    state l2 { tau -> l1 }\n  state l3 { !other -> l1 }\n}\n";
        let checked = sioco_lang::check_text("m.sts", text);
        let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model;
        let names = |output: &str| -> Vec<String> {
            let found = may_answer(&model, model.gate(output).unwrap());
            found.into_iter().map(|gate| model.gates[gate].name.clone()).collect()
        };
        assert_eq!(names("late"), ["a", "b"]);
        assert_eq!(names("other"), ["c"]);
        assert!(!may_greet(&model));
        let text = "output a\nprocess P { init l0 { tau -> l1 } state l1 { !a -> l1 } }\n";
        assert!(may_greet(&sioco_lang::check_text("m.sts", text).model.unwrap().model));
    }
}
