//! The way TorXakis writes messages: a line for each, the gate with its values, `Add(6,"a text")`.

use sioco_model::model::{Direction, Gate, Model, is_end};

use super::Dialect;
use crate::config::{DialectConfig, InputConfig, Ordered, OutputConfig, Several};

/// The dialect for the gates of a model.
pub fn torxakis(model: &Model) -> Dialect {
    let line = |gate: &Gate| {
        let string = |p: &sioco_model::model::Param| *model.sorts.get(p.sort) == sioco_model::sort::Sort::String;
        let place = |p| if string(p) { format!("{{quoted({})}}", p.name) } else { format!("{{{}}}", p.name) };
        let places: Vec<String> = gate.params.iter().map(place).collect();
        let values = if places.is_empty() { String::new() } else { format!("({})", places.join(",")) };
        (gate.name.clone(), gate.name.clone() + &values)
    };
    let of = |direction| model.gates.values().filter(move |g| g.direction == direction && !is_end(&g.name)).map(line);
    let inputs = of(Direction::Input).map(|(name, line)| (name, InputConfig::Text(line)));
    let outputs = of(Direction::Output).map(|(name, line)| (name, Several(vec![OutputConfig::Line(line)])));
    let config = DialectConfig {
        inputs: Ordered(inputs.collect()),
        outputs: Ordered(outputs.collect()),
        ..DialectConfig::default()
    };
    Dialect { name: "torxakis".into(), config }
}
