//! Steps of purposes in words.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::{SwitchId, Value, print};
use sioco_plan::case::{Case, Other};
use sioco_symbolic::Step;

use crate::style::Style;

/// What is not possible with the values that the example has at the start.
pub(super) const ANOTHER_START: &str = "another start";

/// A word with its emphasis, and how wide it is without.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub text: String,
    pub width: usize,
    /// How many steps it stands for: one, or none.
    pub steps: usize,
}

impl Word {
    pub fn new(plain: &str, emphasis: impl FnOnce(&str) -> String) -> Word {
        Word { text: emphasis(plain), width: plain.chars().count(), steps: 0 }
    }
}

/// A step with its values, as far as they are known: `?inX(p = 6)`, `!outX(6)`, `delta`; steps that nobody sees are
/// dimmed and in brackets.
pub(super) fn step(model: &Model, step: Step, values: Option<&[Value]>, style: Style) -> Word {
    let switch = match step {
        Step::Switch(s) => s,
        Step::Handshake { .. } => {
            let sent = step.switches().next().and_then(|s| Some(arguments(model, s, values?))).unwrap_or_default();
            return Word::new(&format!("({}{sent})", step.name(model)), |t| style.dim(t));
        }
        Step::Delta | Step::Divergence => return Word::new("delta", str::to_owned),
    };
    match (model.switches[switch].label, values) {
        (Label::Gate(g), Some(values)) => {
            let gate = &model.gates[g];
            let text = format!("{}{}{}", gate.direction.sigil(), gate.name, arguments(model, switch, values));
            match gate.direction {
                Direction::Input => Word::new(&text, |t| style.cyan(t)),
                Direction::Output => Word::new(&text, str::to_owned),
            }
        }
        (Label::Gate(_), None) => Word::new(&print::label(model, switch), str::to_owned),
        (_, values) => {
            let chosen = values.map(|v| arguments(model, switch, v)).unwrap_or_default();
            Word::new(&format!("({}{chosen})", model.switches[switch].name), |t| style.dim(t))
        }
    }
}

/// Inputs by name, since the tester sends them; outputs by value. What the system chooses is only an example.
fn arguments(model: &Model, switch: SwitchId, values: &[Value]) -> String {
    let s = &model.switches[switch];
    let input = model.direction(switch) == Some(Direction::Input);
    let shown = s.params.iter().enumerate().zip(values).map(|((i, p), value)| {
        let value = model.sorts.show(p.sort, value);
        let name = sioco_plan::file::parameter(model, switch, i);
        match (input, p.term.is_none() && !matches!(s.label, Label::Receive(_))) {
            (true, _) => format!("{name} = {value}"),
            (false, true) => format!("any {name}, as {value}"),
            (false, false) => value,
        }
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() { String::new() } else { format!("({})", shown.join(", ")) }
}

/// What else may be observed, besides the steps that are followed. What has the label of one of these is told apart by the
/// name of its switch.
pub(super) fn others(model: &Model, others: &[Other], cut: bool, followed: &[Step]) -> String {
    let labels: Vec<Label> = followed.iter().flat_map(|s| s.switches()).map(|s| model.switches[s].label).collect();
    let of = |o: &Other| {
        let label = match o.step.switches().next() {
            None => "delta".to_owned(),
            Some(s) if labels.contains(&model.switches[s].label) => {
                format!("{} by {}", print::label(model, s), model.switches[s].name)
            }
            Some(s) => print::label(model, s),
        };
        if o.perhaps { format!("{label} (perhaps)") } else { label }
    };
    let list = |another_start: bool| {
        let mut shown: Vec<String> = others.iter().filter(|o| o.another_start == another_start).map(of).collect();
        // Several switches may look the same from outside.
        shown.dedup();
        shown
    };
    let (mut shown, another) = (list(false), list(true));
    if cut {
        shown.push("…".into());
    }
    let another = match another.is_empty() {
        true => String::new(),
        false => format!("with {ANOTHER_START} {}", another.join(", ")),
    };
    [shown.join(", "), another].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

/// The values at the start that the example has.
pub(super) fn start(model: &Model, case: &Case, style: Style) -> String {
    let of = |(v, value): &(sioco_model::VarId, Value)| {
        format!("{} = {}", model.variable_name(*v), model.sorts.show(model.variables[*v].sort, value))
    };
    let values: Vec<String> = case.start.iter().map(of).collect();
    match values.is_empty() {
        true => String::new(),
        false => format!("   {}\n", style.dim(format_args!("where {} at the start", values.join(", ")))),
    }
}
