//! Which values of inputs can be sent at all.
//!
//! Some texts are sent unchanged: in a line, or in an HTTP header. A line end in such a text would change its meaning on
//! the way, and a header carries no other control characters either. Before planning and testing, the model gets a guard
//! against these values, so they are never sent. A run judged with the guard gets the same verdict without it.

use sioco_adapter::text::Plain;
use sioco_model::model::{Label, Model};
use sioco_model::term::Op;
use sioco_model::{SwitchId, Value};

/// Keeps values from a model that cannot be sent.
pub fn narrow(model: &mut Model, plain: &[Plain]) {
    for Plain { gate, param, without } in plain {
        let is_there = |id: &SwitchId| model.switches[*id].label == Label::Gate(*gate);
        for switch in model.switches.ids().filter(is_there).collect::<Vec<_>>() {
            let string = model.sorts.string;
            let value = model.terms.param(*param as u32, string);
            for character in without {
                let character = model.terms.constant(Value::string(&character.to_string()), string);
                let has = model.terms.app(Op::Contains, &[value, character], model.sorts.bool);
                let has_not = model.terms.not(&model.sorts, has);
                model.narrow(switch, has_not);
            }
        }
    }
}

/// The inputs that it is about, in words; nothing if there are none.
pub fn remark(model: &Model, plain: &[Plain]) -> Option<String> {
    let show = |p: &Plain| {
        let gate = &model.gates[p.gate];
        format!("{} of ?{}", gate.params[p.param].name, gate.name)
    };
    let all: Vec<String> = plain.iter().map(show).collect();
    let controls = plain.iter().any(|p| p.without.contains(&'\0'));
    let what = if controls { "a line end or another control character" } else { "a line end" };
    (!all.is_empty()).then(|| format!("strings with {what} are never sent as {}", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sioco_model::print;
    use sioco_plan::file::fingerprint;
    use sioco_plan::want::atoms;

    #[test]
    fn the_guard_is_narrower_and_nobody_else_sees_it() {
        let text = "input i(n: Int, t: String)\noutput o\nprocess P { init l { ?i(n, _) [n > 4] -> l\n?i(_, _) [else] -> l\n!o -> l } }";
        let mut model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        let written = model.clone();
        let gate = model.gate("i").unwrap();
        narrow(&mut model, &[Plain { gate, param: 1, without: vec!['\n', '\r'] }]);
        for (id, switch) in model.switches.iter() {
            let same = switch.guard == written.switches[id].guard;
            assert_eq!(same, switch.label != Label::Gate(gate));
            let guard = print::term(&model, Some(id), switch.guard);
            assert_eq!(same, !guard.ends_with(r#"&& !contains(t, "\n") && !contains(t, "\r")"#), "{guard}");
            assert_eq!(print::guard(&model, id), print::guard(&written, id));
            assert_eq!(atoms(&model, id), atoms(&written, id));
        }
        assert_eq!(fingerprint(&model), fingerprint(&written));
        assert_eq!(remark(&model, &[]), None);
    }
}
