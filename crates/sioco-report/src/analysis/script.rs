//! Witnesses as scripts that `sioco simulate` reads.

use sioco_model::model::{Label, Model};
use sioco_model::number::Rational;
use sioco_model::semantics::Interpreter;
use sioco_model::{SwitchId, Value};
use sioco_symbolic::analysis::{Finding, Status, What, Witness};
use sioco_symbolic::{Solved, Step};

/// All of a finding: the way there, and then the thing itself. What happens is a step; what cannot happen is asked
/// about, so that a script goes on to its end; and where there is nothing to do, a comment says what to look at.
pub fn of(model: &Model, finding: &Finding) -> Vec<String> {
    let Some(witness) = &finding.witness else { return Vec::new() };
    let mut lines = script(model, &witness.path);
    lines.extend(ending(model, finding, witness));
    lines
}

/// A request as a line: behind a colon where a switch has its name.
pub fn request(model: &Model, text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    if is_switch(model, word) { format!(":{text}") } else { text.to_owned() }
}

/// Whether a switch has this name, in any process.
pub fn is_switch(model: &Model, name: &str) -> bool {
    model.switch(name).is_some() || model.switches_called(name).next().is_some()
}

fn ending(model: &Model, finding: &Finding, witness: &Witness) -> Vec<String> {
    if matches!(finding.status, Status::Undecided(_)) {
        return vec!["// the undecided question is here".into()];
    }
    let values: Option<Vec<Value>> = witness.values.iter().cloned().collect();
    match &finding.what {
        What::Deadlock { .. } => vec![request(model, "list all")],
        What::Overlap { first, second } => match values {
            Some(values) => both(model, witness, *first, *second, &values),
            None => Vec::new(),
        },
        What::InputGap { gate, .. } => {
            let g = &model.gates[*gate];
            let shown = (g.params.iter().zip(&witness.values))
                .map(|(p, v)| v.as_ref().map_or_else(String::new, |v| model.sorts.show(p.sort, v)));
            let shown: Vec<String> = shown.collect();
            let shown = if shown.is_empty() { String::new() } else { format!("({})", shown.join(", ")) };
            vec![request(model, &format!("why {}{}{shown}", g.direction.sigil(), g.name))]
        }
        What::Undefined { step, .. } => {
            let name = step.name(model);
            match (step, values) {
                (Step::Switch(s), Some(values)) => {
                    let shown = shown_values(model, *s, &values);
                    let event = line(model, *step, &values);
                    vec![
                        format!("// the model error: {event}"),
                        request(model, format!("why {name} {shown}").trim_end()),
                    ]
                }
                _ => vec![format!("// the model error: {name}"), request(model, &format!("why {name}"))],
            }
        }
        What::Divergence { cycle, .. } => {
            let names: Vec<String> = cycle.iter().map(|s| s.name(model)).collect();
            vec![format!("// and so on, again and again: {}", names.join(", "))]
        }
        What::NotTaken { .. } | What::NoInput { .. } => Vec::new(),
    }
}

/// Two switches for the same values, one after the other from the same state.
fn both(model: &Model, witness: &Witness, first: SwitchId, second: SwitchId, values: &[Value]) -> Vec<String> {
    let Some(state) = &witness.state else { return Vec::new() };
    let mut interpreter = Interpreter::new(model);
    let fires = |interpreter: &mut Interpreter<'_>, switch: SwitchId, values: &[Value]| {
        matches!(interpreter.fire(&mut state.clone(), switch, values), Ok(true))
    };
    // Two values may be as far apart as both tolerances together: then what is observed lies between them.
    let other = interpreter.example(state, second).ok().flatten();
    let between = other.map(|other| values.iter().zip(&other).map(|(a, b)| half_way(a, b)).collect::<Vec<Value>>());
    let observed = [Some(values.to_vec()), between].into_iter().flatten();
    let mut observed = observed.filter(|v| [first, second].into_iter().all(|s| fires(&mut interpreter, s, v)));
    let text = |switch: SwitchId, values: &[Value]| line(model, Step::Switch(switch), values);
    match observed.next() {
        Some(values) => vec![text(first, &values), request(model, "undo"), text(second, &values)],
        None => vec![text(first, values), format!("// and, within a tolerance: {}", model.switches[second].name)],
    }
}

/// The middle of two numbers; of all else, the first.
fn half_way(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Real(x), Value::Real(y)) => {
            let two = Rational::from(2);
            Value::Real(((&**x + &**y) / two).into())
        }
        _ => a.clone(),
    }
}

fn shown_values(model: &Model, switch: SwitchId, values: &[Value]) -> String {
    let params = model.switches[switch].params.iter().zip(values);
    params.map(|(p, v)| model.sorts.show(p.sort, v)).collect::<Vec<_>>().join(", ")
}

/// A path, one line a step; before them the values of the variables that are free at the start.
pub fn script(model: &Model, path: &Solved) -> Vec<String> {
    let start: Vec<String> = path
        .start
        .iter()
        .map(|(v, value)| format!("{}={}", model.variable_name(*v), model.sorts.show(model.variables[*v].sort, value)))
        .collect();
    let start = (!start.is_empty()).then(|| request(model, &format!("set {}", start.join(", "))));
    start.into_iter().chain(path.steps.iter().map(|(step, values)| line(model, *step, values))).collect()
}

/// A step. The switch decides, what is behind the colon tells its values.
pub fn line(model: &Model, step: Step, values: &[Value]) -> String {
    let switch = match step {
        Step::Switch(switch) => switch,
        Step::Handshake { .. } => return step.name(model),
        Step::Delta | Step::Divergence => return request(model, "delta"),
    };
    let s = &model.switches[switch];
    let shown = shown_values(model, switch, values);
    match s.label {
        Label::Gate(gate) => {
            let gate = &model.gates[gate];
            let shown = if shown.is_empty() { shown } else { format!("({shown})") };
            format!("{}: {}{}{shown}", s.name, gate.direction.sigil(), gate.name)
        }
        _ => format!("{}: tau {shown}", s.name).trim_end().into(),
    }
}
