//! Paths and nodes by name.

use sioco_lang::diagnostic::did_you_mean;
use sioco_model::model::Model;
use sioco_symbolic::{Graph, NoPath, NodeId, Step, named_steps};

use crate::failure::Failure;
use crate::switch_names::near_switch;

/// The steps that the words mean; they are separated by spaces or commas, in one text or several. A handshake may also
/// be written `send & receive`.
pub fn steps(model: &Model, texts: &[String]) -> Result<Vec<Step>, Failure> {
    let text = texts.join(" ").replace(" & ", "/");
    let names: Vec<&str> = text.split([' ', ',', '\t', '\n', '\r']).filter(|n| !n.is_empty()).collect();
    named_steps(model, &names).map_err(|why| failure(model, &why))
}

fn failure(model: &Model, why: &NoPath) -> Failure {
    let failure = Failure::usage(why.to_string());
    match why {
        NoPath::NoSuchSwitch { name, .. } => match meant(model, name) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help("a path is made of names of switches, labels such as `?gate`, and `delta`"),
        },
        NoPath::NotHere { name, possible, .. } => match did_you_mean(name, possible.iter().map(String::as_str)) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure,
        },
        NoPath::Ambiguous { possible, .. } => failure.help(format!("name one of them: `{}`", possible.join("` or `"))),
    }
}

/// What a name that is none was probably meant to be.
fn meant(model: &Model, name: &str) -> Option<String> {
    if let Some((send, receive)) = name.split_once('/') {
        let near = |part: &str| match model.switch(part) {
            Some(_) => Some(part.to_owned()),
            None => near_switch(model, part, []),
        };
        return Some(format!("{}/{}", near(send)?, near(receive)?));
    }
    if let Some(gate) = model.gate(name) {
        return Some(format!("{}{name}", model.gates[gate].direction.sigil()));
    }
    let labels = model.gates.values().map(|g| format!("{}{}", g.direction.sigil(), g.name));
    let labels: Vec<String> = labels.collect();
    near_switch(model, name, labels.iter().map(String::as_str).chain(["delta"]))
}

/// The node with a name such as `n7`; the `n` may be left out.
pub fn node(graph: &Graph, name: &str) -> Result<NodeId, Failure> {
    let number = name.trim().strip_prefix('n').unwrap_or(name.trim()).parse::<usize>().ok();
    let found = number.and_then(|n| graph.ids().nth(n));
    found.ok_or_else(|| {
        let last = graph.ids().next_back().map(|n| graph.name(n)).unwrap_or_default();
        let failure = Failure::usage(format!("there is no node `{name}`: the graph has n0 to {last}"));
        failure.help("`--tree` shows the nodes; `--depth` and `--nodes` say how far the graph goes")
    })
}
