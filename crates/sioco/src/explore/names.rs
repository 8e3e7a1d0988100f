//! Paths and nodes by name.

use sioco_lang::diagnostic::did_you_mean;
use sioco_model::model::Model;
use sioco_symbolic::{Graph, NoPath, NodeId, Step, named_steps};

use crate::failure::Failure;

/// The steps that the words mean; they are separated by spaces or commas, in one text or several.
pub fn steps(model: &Model, texts: &[String]) -> Result<Vec<Step>, Failure> {
    let names: Vec<&str> =
        texts.iter().flat_map(|t| t.split([' ', ',', '\t', '\n', '\r'])).filter(|n| !n.is_empty()).collect();
    named_steps(model, &names).map_err(|why| failure(model, &why))
}

fn failure(model: &Model, why: &NoPath) -> Failure {
    let failure = Failure::usage(why.to_string());
    match why {
        NoPath::NoSuchSwitch { name, .. } => {
            let labels = model.gates.values().map(|g| format!("{}{}", g.direction.sigil(), g.name));
            let labels: Vec<String> = labels.collect();
            let switches = model.switches.values().map(|s| s.name.as_str());
            let near = did_you_mean(name, switches.chain(labels.iter().map(String::as_str)).chain(["delta"]));
            let gate = model.gate(name).map(|g| format!("{}{name}", model.gates[g].direction.sigil()));
            match gate.or(near) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help("a path is made of names of switches, labels such as `?gate`, and `delta`"),
            }
        }
        NoPath::NotHere { name, possible, .. } => match did_you_mean(name, possible.iter().map(String::as_str)) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure,
        },
        NoPath::Ambiguous { possible, .. } => failure.help(format!("name one of them: `{}`", possible.join("` or `"))),
    }
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
