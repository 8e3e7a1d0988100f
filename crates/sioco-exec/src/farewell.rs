//! Inputs after which nothing more can be asked: a walk that takes one is over.

use sioco_model::model::{Direction, Model};
use sioco_model::{Id, LocationId};

use crate::account::Bits;

/// The input switches after which no other input can come, whatever the system does. There are none where several
/// processes take inputs: the others go on.
pub(crate) fn farewells(model: &Model) -> Bits {
    let mut found = Bits::new(model.switches.len());
    let is_input = |switch| model.direction(switch) == Some(Direction::Input);
    let takes = |l: &LocationId| model.locations[*l].outgoing.iter().any(|s| is_input(*s));
    let mut takers: Vec<_> = model.locations.ids().filter(takes).map(|l| model.locations[l].process).collect();
    takers.dedup();
    if takers.len() != 1 {
        return found;
    }
    for (id, switch) in model.switches.iter().filter(|(id, _)| is_input(*id)) {
        let mut known = vec![false; model.locations.len()];
        let mut open = vec![switch.target];
        let mut over = true;
        while let Some(location) = open.pop() {
            if std::mem::replace(&mut known[location.index()], true) {
                continue;
            }
            over &= !takes(&location);
            open.extend(model.locations[location].outgoing.iter().map(|s| model.switches[*s].target));
        }
        if over {
            found.set(id.index());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let checked = sioco_lang::check_text("m.sts", text);
        let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model;
        let found = farewells(&model);
        model.switches.iter().filter(|(id, _)| found.has(id.index())).map(|(_, s)| s.name.clone()).collect()
    }

    #[test]
    fn what_ends_a_walk_is_known() {
        let gates = "input a\ninput quit\noutput b\noutput bye\n";
        let process = "process P {\n  init l0 { go: ?a -> l1  leave: ?quit -> l2  drop: ?quit -> l4 }\n  \
                       state l1 { !b -> l0 }\n  state l2 { !bye -> l3  tau -> l3 }\n  final l3\n  \
                       state l4 { !b -> l4 }\n}\n";
        assert_eq!(names(&format!("{gates}{process}")), ["leave", "drop"]);
        // Whoever can still be asked something is not at the end.
        assert!(names(&format!("{gates}{}", process.replace("!bye -> l3", "!bye -> l0"))).contains(&"drop".into()));
        assert!(!names(&format!("{gates}{}", process.replace("!bye -> l3", "!bye -> l0"))).contains(&"leave".into()));
    }
}
