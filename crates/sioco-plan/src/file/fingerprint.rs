//! Whether a model is the one that a plan was made for.

use std::fmt::Write;

use sioco_model::model::{Gate, Model, Param};
use sioco_model::print;

/// A number that is the same for the same model, on every machine and in every version, and another one for nearly every
/// other. Comments, the layout and the name of the file do not count.
pub fn fingerprint(model: &Model) -> u64 {
    let mut text = format!("{}\n", model.name);
    for gate in model.gates.values() {
        let _ = writeln!(text, "{}", gate_text(model, gate));
    }
    for channel in model.channels.values() {
        let _ = writeln!(text, "channel {}({})", channel.name, params(model, &channel.params));
    }
    for process in model.processes.values() {
        let _ = writeln!(text, "process {} {}", process.name, model.locations[process.initial].name);
    }
    for (id, v) in model.variables.iter() {
        let initial = v.initial.as_ref().map_or("any".into(), |value| model.sorts.show(v.sort, value));
        let _ = writeln!(text, "var {}: {} = {initial}", model.variable_name(id), sort(model, v.sort));
    }
    for (id, l) in model.locations.iter() {
        let _ = writeln!(text, "location {} {}", model.location_name(id), l.is_final);
    }
    for (id, s) in model.switches.iter() {
        let (source, target) = (model.location_name(s.source), model.location_name(s.target));
        let _ = writeln!(text, "{}: {source} {} -> {target}", s.name, print::switch(model, id));
    }
    fnv(text.as_bytes())
}

/// A gate as it is declared.
pub(crate) fn gate_text(model: &Model, gate: &Gate) -> String {
    format!("{}{}({})", gate.direction.sigil(), gate.name, params(model, &gate.params))
}

fn params(model: &Model, params: &[Param]) -> String {
    let of = |p: &Param| {
        let tolerance = p.tolerance.as_ref().map(|t| format!(" +- {}", sioco_model::number::show_rational(t)));
        format!("{}: {}{}", p.name, sort(model, p.sort), tolerance.unwrap_or_default())
    };
    params.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// A sort with what its name stands for, one level deep: the types inside of a type have names of their own.
fn sort(model: &Model, id: sioco_model::SortId) -> String {
    let name = model.sorts.name(id);
    match model.sorts.get(id) {
        sioco_model::sort::Sort::Data(data) => {
            let of = |c: &sioco_model::sort::Constructor| {
                let fields = c.fields.iter().map(|f| format!("{}: {}", f.name, model.sorts.name(f.sort)));
                format!("{}({})", c.name, fields.collect::<Vec<_>>().join(", "))
            };
            let constructors: Vec<String> = model.sorts.data[*data].constructors.iter().map(of).collect();
            format!("{name} = {}", constructors.join(" | "))
        }
        _ => name,
    }
}

/// FNV-1a: nobody attacks a plan with collisions.
fn fnv(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_hash() {
        for (text, hash) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(fnv(text.as_bytes()), hash, "{text}");
        }
    }

    #[test]
    fn what_means_something_changes_it() {
        let text = "input i(p: Int in 0..9)\noutput o(p: Int)\nprocess P {\n  var x: Int = 0\n  init a { r: ?i(p) [p > 3] / x := p -> b }\n  state b { s: !o(x) -> a }\n}\n";
        let of = |text: &str| {
            let checked = sioco_lang::check_text("m.sts", text);
            fingerprint(&checked.model.unwrap_or_else(|| panic!("{text}: {:?}", checked.diagnostics)).model)
        };
        assert_eq!(of(text), of(&text.replace("  init", "  // a remark\n      init")));
        for (old, new) in [
            ("0..9", "0..8"),
            ("p > 3", "p > 4"),
            ("x := p", "x := p + 1"),
            ("= 0", "= any"),
            ("!o(x)", "!o(1)"),
            ("r:", "q:"),
        ] {
            assert_ne!(of(text), of(&text.replace(old, new)), "{old}");
        }
    }
}
