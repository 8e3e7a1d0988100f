//! Gate values as JSON: values by the names of the parameters, as in the adapter protocol.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value as Json};
use sioco_model::model::{Direction, Model, Param};
use sioco_model::{GateId, SortId, Value};
use sioco_plan::value::{self, Named, Valued};

use super::wrong::Undeclared;
use crate::event::GateValue;

/// The values of a gate value, as they are written.
pub type Args<'a> = Named<&'a str, Valued<'a>>;

/// The values of a gate value by the names of the parameters, to be read again.
pub fn args(model: &Model, value: &GateValue) -> Json {
    value::tree(&by_name(model, value))
}

/// The values of a gate value by the names of the parameters, to be written.
pub fn by_name<'a>(model: &'a Model, value: &'a GateValue) -> Args<'a> {
    let params = model.gates[value.gate].params.iter().zip(&value.args);
    let of = |(p, value): (&'a Param, &'a Value)| {
        (p.name.as_str(), Valued { sorts: &model.sorts, sort: sort(model, p), value })
    };
    Named::new(params.map(of).collect())
}

/// A gate value as an object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "GateValue"))]
pub struct GateLine<'a> {
    /// The values by the names of the parameters.
    args: Args<'a>,
    /// The gate.
    gate: &'a str,
}

/// A gate value as an object with `gate` and `args`.
pub fn gate_value<'a>(model: &'a Model, value: &'a GateValue) -> GateLine<'a> {
    GateLine { args: by_name(model, value), gate: &model.gates[value.gate].name }
}

/// The sort that the values of a parameter have when they are observed: a tolerance reaches over the ends of a range.
pub(super) fn sort(model: &Model, param: &Param) -> SortId {
    match param.tolerance {
        Some(_) => model.sorts.base(param.sort),
        None => param.sort,
    }
}

/// The gate with a name, if it has the direction.
pub fn declared(model: &Model, name: &str, direction: Direction) -> Result<GateId, Undeclared> {
    let there = match model.gate(name) {
        Some(gate) if model.gates[gate].direction == direction => return Ok(gate),
        Some(_) => None,
        None => {
            let gates = model.gates.values().filter(|g| g.direction == direction);
            Some(gates.map(|g| g.name.clone()).collect())
        }
    };
    Err(Undeclared { name: name.to_owned(), direction, there })
}

/// Values that do not fit the parameters of a gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit(pub String);

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misfit {}

/// The values of a gate from an object by the names of its parameters, or from a list in their order.
pub fn read_args(model: &Model, gate: GateId, json: Option<&Json>) -> Result<Vec<Value>, Misfit> {
    let params = &model.gates[gate].params;
    let nothing = Json::Object(Map::new());
    let given = json.filter(|j| !j.is_null()).unwrap_or(&nothing);
    let names = || {
        let names: Vec<String> = params.iter().map(|p| format!("`{}`", p.name)).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let of = |p: &Param, json: Option<&Json>| {
        let Some(json) = json else { return Err(Misfit(format!("there is no value for `{}`", p.name))) };
        value::read(&model.sorts, sort(model, p), json).filter(|value| p.takes(&model.sorts, value)).ok_or_else(|| {
            Misfit(format!("{} is not a value of `{}: {}`", short(json), p.name, model.sorts.name(p.sort)))
        })
    };
    match given {
        Json::Object(object) => {
            if let Some(wild) = object.keys().find(|k| params.iter().all(|p| p.name != **k)) {
                return Err(Misfit(format!("there is no parameter `{wild}`; there are: {}", names())));
            }
            params.iter().map(|p| of(p, object.get(&p.name))).collect()
        }
        Json::Array(items) if items.len() == params.len() => {
            params.iter().zip(items).map(|(p, json)| of(p, Some(json))).collect()
        }
        Json::Array(items) => Err(Misfit(format!("{} values for {} parameters", items.len(), params.len()))),
        other => Err(Misfit(format!("`args` must be an object with values for {}, but is {}", names(), short(other)))),
    }
}

/// JSON on a line of people: not too long.
pub(super) fn short(json: &Json) -> String {
    /// At most this many characters of a wrong text are repeated in a message: a line, with room for what is wrong.
    const MOST_CHARACTERS: usize = 60;
    let text = json.to_string();
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
