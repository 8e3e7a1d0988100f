//! The gates of an adapter against those of the model, before the first test.

use sioco_model::model::{Direction, Model, is_end};
use sioco_model::names::did_you_mean;

use crate::protocol::Hello;

/// The differences between the gates that an adapter lists and those of the model, in words. What it does not list is
/// not compared.
pub fn differences(model: &Model, hello: &Hello) -> Vec<String> {
    compare(model, [&hello.inputs, &hello.outputs], ["the adapter", "lists", "list"])
}

/// The same where a model plays the system.
pub fn differences_of_models(model: &Model, played: &Model) -> Vec<String> {
    let of = |direction: Direction| {
        let gates = played.gates.values().filter(|g| g.direction == direction);
        Some(gates.map(|g| g.name.clone()).collect())
    };
    compare(model, [&of(Direction::Input), &of(Direction::Output)], ["the played model", "has", "have"])
}

fn compare(model: &Model, lists: [&Option<Vec<String>>; 2], words: [&str; 3]) -> Vec<String> {
    let mut found = Vec::new();
    let [who, lists_it, list_it] = words;
    let lists = [(Direction::Input, "input", lists[0]), (Direction::Output, "output", lists[1])];
    for (direction, what, listed) in lists {
        let Some(listed) = listed else { continue };
        // Each end of the system is a message of its own, so it need not be listed.
        let gates = || model.gates.values().filter(|g| g.direction == direction && !is_end(&g.name));
        let known = |name: &str| gates().any(|g| g.name == name);
        let surplus = || listed.iter().map(String::as_str).filter(|name| !is_end(name) && !known(name));
        for gate in gates().filter(|g| !listed.contains(&g.name)) {
            let near = did_you_mean(&gate.name, surplus());
            let help = near.map(|near| format!(": did you mean it by `{near}`?")).unwrap_or_default();
            found.push(format!("the model has the {what} `{}`, but {who} does not {list_it} it{help}", gate.name));
        }
        for name in surplus() {
            let other = model.gate(name).map(|gate| model.gates[gate].direction);
            let help = match other {
                Some(Direction::Input) => ": it is an input there, as seen from the system".to_owned(),
                Some(Direction::Output) => ": it is an output there, as seen from the system".to_owned(),
                None => String::new(),
            };
            found.push(format!("{who} {lists_it} the {what} `{name}`, but the model does not have it{help}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use sioco_exec::Order;

    #[track_caller]
    fn check(inputs: Option<&[&str]>, outputs: Option<&[&str]>, expected: &[&str]) {
        let text = "input inX\ninput stop\noutput outX\noutput closed\noutput crashed\nprocess Q { init l { ?inX -> l\n?stop -> m } state m { !outX -> l\n!closed -> l\n!crashed -> l } }";
        let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        let list = |names: Option<&[&str]>| names.map(|names| names.iter().map(|n| n.to_string()).collect());
        let (inputs, outputs) = (list(inputs), list(outputs));
        let hello = Hello { protocol: 1, oldest: None, name: None, inputs, outputs, order: Order::Sut, reset: true };
        assert_eq!(differences(&model, &hello), expected);
    }

    #[test]
    fn gates_are_compared() {
        check(None, None, &[]);
        check(Some(&["stop", "inX"]), Some(&["outX"]), &[]);
        check(None, Some(&["outX", "closed"]), &[]);
        check(None, Some(&["outX", "crashed"]), &[]);
        check(
            Some(&["inx", "outX"]),
            None,
            &[
                "the model has the input `inX`, but the adapter does not list it: did you mean it by `inx`?",
                "the model has the input `stop`, but the adapter does not list it",
                "the adapter lists the input `inx`, but the model does not have it",
                "the adapter lists the input `outX`, but the model does not have it: it is an output there, as seen \
                 from the system",
            ],
        );
        check(None, Some(&[]), &["the model has the output `outX`, but the adapter does not list it"]);
    }
}
