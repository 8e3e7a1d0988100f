//! Traces in text, as `sioco simulate` saves them: `?inX(6)`, `!outX(6)`, `name: !outX(6)`, `delta`, `closed`, `crashed`;
//! `reset` begins another run, and `//` a comment. A `delta` is one by the clock, and counts as one for which everything was
//! in order; `quiescent` is one that was announced.

use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::journal::{ReadError, Remark};
use sioco_exec::log::{Log, LoggedRun, LoggedStep};
use sioco_exec::reliance::Reliance;
use sioco_lang::diagnostic::did_you_mean;
use sioco_lang::syntax::ast::{Expr, ExprKind};
use sioco_lang::syntax::parser::parse_expr;
use sioco_lang::value::parse_value;
use sioco_model::model::{Direction, Label, Model};
use sioco_model::visible::shortened;
use sioco_model::{GateId, Value};

use crate::simulate::request::{Given, Request, parse};
use crate::switch_names::near_switch;

/// What to do about a line that is none of a trace.
const HELP: &str = "a trace has a line for each event: `?gate(1)`, `!gate(1)`, `delta`, `quiescent`, `closed`, `crashed`, and `reset` between runs";

/// Quiescence that an adapter announced: it is certain, and what comes after it does not withdraw it.
const QUIESCENT: &str = "quiescent";

/// What a line says.
enum Said {
    Step(Action),
    /// Quiescence: by the clock of whoever wrote the trace, unless the trace says that it was announced.
    Delta {
        announced: bool,
    },
    Reset,
    /// Nothing that can be seen from outside.
    Nothing,
    /// The same, and somebody may wonder.
    Ignored(&'static str),
}

/// The runs in a text.
pub fn read(text: &str, model: &Model) -> Result<Log, ReadError> {
    let mut log = Log::default();
    let mut run = LoggedRun::new(1, 1);
    for (number, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        match said(model, line).map_err(|what| ReadError::at(number, what, HELP))? {
            Said::Nothing => {}
            Said::Ignored(what) => log.remarks.push(Remark { line: Some(number), what: what.into() }),
            Said::Reset => {
                let next = LoggedRun::new(log.runs.len() as u64 + 2, number + 1);
                match run.steps.is_empty() {
                    // A reset right at the start, or twice, begins nothing.
                    true => run.line = number + 1,
                    false => log.runs.push(std::mem::replace(&mut run, next)),
                }
            }
            Said::Step(action) => run.steps.push(LoggedStep { line: number, at: None, action, waited: 0, timed: None }),
            Said::Delta { announced } => {
                let action = Action::Seen(Observation::Delta);
                run.steps.push(LoggedStep {
                    line: number,
                    at: None,
                    action,
                    waited: 0,
                    timed: (!announced).then_some(Reliance::Full),
                })
            }
        }
    }
    if !run.steps.is_empty() {
        log.runs.push(run);
    }
    Ok(log)
}

fn said(model: &Model, line: &str) -> Result<Said, String> {
    let bare = line.split("//").next().unwrap_or_default().trim();
    if bare == QUIESCENT {
        return Ok(Said::Delta { announced: true });
    }
    let request = parse(line)?;
    if let Some(end) = Observation::end_named(bare.strip_prefix('!').unwrap_or(bare)) {
        return Ok(Said::Step(Action::Seen(end)));
    }
    match request {
        Request::Nothing => Ok(Said::Nothing),
        Request::Delta => Ok(Said::Delta { announced: false }),
        Request::Reset => Ok(Said::Reset),
        Request::Set(_) => {
            Ok(Said::Ignored("the value of a free variable is not seen from outside, and is passed over"))
        }
        Request::Handshake(..) => Ok(Said::Nothing),
        Request::Event(event, given) => {
            let name = event.trim_start_matches(['?', '!']);
            let gate = model.gate(name).ok_or_else(|| {
                let near = did_you_mean(name, model.gates.values().map(|g| g.name.as_str()));
                let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                format!("the model has no gate `{}`{near}", shortened(name))
            })?;
            let direction = model.gates[gate].direction;
            if event != name && !event.starts_with(direction.sigil()) {
                let is = if direction == Direction::Input { "an input" } else { "an output" };
                return Err(format!("`{name}` is {is}: write `{}{name}`", direction.sigil()));
            }
            at_gate(model, gate, &given).map(Said::Step)
        }
        Request::Switch(name, given) => {
            let Some(switch) = model.switch(&name) else {
                let near = near_switch(model, &name, ["delta", "closed", "crashed", "reset"]);
                let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                return Err(format!("`{}` is no event and no switch of the model{near}", shortened(&name)));
            };
            match model.switches[switch].label {
                Label::Gate(gate) => at_gate(model, gate, &given).map(Said::Step),
                _ => Ok(Said::Nothing),
            }
        }
        _ => Err(format!("`{}` is no event", shortened(bare))),
    }
}

/// An interaction. Values that an output cannot have are what was observed; those of an input are a mistake in the log.
fn at_gate(model: &Model, gate: GateId, given: &[Given]) -> Result<Action, String> {
    let g = &model.gates[gate];
    let values = match (arguments(model, gate, given)?, g.direction) {
        (Ok(args), _) => args,
        (Err(why), Direction::Input) => return Err(why),
        (Err(why), Direction::Output) => {
            let raw: Vec<&str> = given.iter().map(|g| g.value.as_str()).collect();
            let raw = format!("({})", raw.join(", "));
            return Ok(Action::Seen(Observation::Malformed { gate: Some(gate), why, raw }));
        }
    };
    let value = GateValue { gate, args: values };
    Ok(match g.direction {
        Direction::Input => Action::Input(value),
        Direction::Output => Action::Seen(Observation::end_named(&g.name).unwrap_or(Observation::Output(value))),
    })
}

/// Whether an expression is written as a value of some type is: a system sends nothing else.
fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Bool(_) | ExprKind::Str(_) | ExprKind::Name(_) => true,
        ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Neg(_) | ExprKind::Chain(..) => is_number(expr),
        ExprKind::Paren(inner) => is_literal(inner),
        ExprKind::Seq(items) | ExprKind::Call(_, items) => items.iter().all(is_literal),
        ExprKind::Record(_, fields) => fields.iter().all(|f| is_literal(&f.value)),
        _ => false,
    }
}

fn is_number(expr: &Expr) -> bool {
    let sorts = sioco_model::sort::Sorts::default();
    sioco_lang::value::read(&sorts, sorts.real, expr).is_some()
}

/// The values; the inner error says why they do not fit, the outer one that something is no value at all.
fn arguments(model: &Model, gate: GateId, given: &[Given]) -> Result<Result<Vec<Value>, String>, String> {
    let params = &model.gates[gate].params;
    let is_value = |g: &&Given| {
        let (expr, problems) = parse_expr(sioco_lang::source::FileId(0), &g.value);
        problems.is_empty() && is_literal(&expr)
    };
    if let Some(bad) = given.iter().find(|g| !is_value(g)) {
        return Err(format!("`{}` is not a value", shortened(&bad.value)));
    }
    if given.len() != params.len() {
        return Ok(Err(format!("{} values for {} parameters", given.len(), params.len())));
    }
    let mut values = Vec::new();
    for (i, p) in params.iter().enumerate() {
        let found = match given.iter().any(|g| g.name.is_some()) {
            true => given.iter().find(|g| g.name.as_deref() == Some(&p.name)),
            false => given.get(i),
        };
        let Some(found) = found else { return Ok(Err(format!("there is no value for `{}`", p.name))) };
        // A tolerance reaches over the ends of a range.
        let sort = if p.tolerance.is_some() { model.sorts.base(p.sort) } else { p.sort };
        match parse_value(&model.sorts, sort, &found.value) {
            Ok(value) if !p.takes(&model.sorts, &value) => {
                let (value, sort) = (model.sorts.show(sort, &value), model.sorts.name(p.sort));
                return Ok(Err(format!("`{}`: {value} is outside of `{sort}`", p.name)));
            }
            Ok(value) => values.push(value),
            Err(why) => return Ok(Err(format!("`{}`: {why}", p.name))),
        }
    }
    Ok(Ok(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        let text = "input inX(p: Int in 1..10)\noutput outX(p: Int in 0..99)\noutput done\nprocess P { var x: Int in 0..99 = 0\n init a { add: ?inX(p) [x < 80] / x := x + p -> b\n fin: !done [x > 15] -> c }\n state b { hum: tau -> b2 }\n state b2 { tell: !outX(x) -> a }\n final c }";
        sioco_lang::check_text("m.sts", text).model.expect("a model").model
    }

    fn shown(log: &Log, model: &Model) -> Vec<String> {
        let step = |s: &LoggedStep| match &s.action {
            Action::Input(i) => i.show(model),
            Action::Seen(seen) => sioco_report::run::observation(model, seen),
        };
        log.runs.iter().map(|r| r.steps.iter().map(step).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn traces_are_read() {
        let model = model();
        let text = "// a trace\nreset\nadd: ?inX(6)\nhum\nhum: tau\n!outX(6) // said\n\ntell: !outX(p=7)\nreset\n?inX(p=3)\ndelta\nreset\nreset\n!outX(100)\nclosed\n";
        let log = read(text, &model).expect("a log");
        let runs = ["?inX(6) !outX(p=6) !outX(p=7)", "?inX(3) delta", "!outX (100) closed"];
        assert_eq!(shown(&log, &model), runs);
        let numbers: Vec<u64> = log.runs.iter().map(|r| r.number).collect();
        assert_eq!(numbers, [1, 2, 3]);
        assert_eq!(log.runs[1].steps[0].line, 10);
    }

    #[test]
    fn what_is_no_event_has_its_line() {
        let model = model();
        for (bad, part) in [
            ("?inY(6)", "did you mean `inX`?"),
            ("!inX(6)", "write `?inX`"),
            ("?inX(11)", "outside of"),
            ("?inX", "0 values for 1 parameters"),
            ("!outX(]", "lacks its closing"),
            ("!outX([)", "bracket"),
            ("!outX(+)", "not a value"),
            ("!outX(7 div 0)", "`7 div 0` is not a value"),
            ("!outX(7 / 0)", "`7 / 0` is not a value"),
            ("?inX(1 + 5)", "`1 + 5` is not a value"),
            ("tel", "did you mean `tell`?"),
            ("undo", "no event"),
            ("quit", "no event"),
            ("random 3", "no event"),
        ] {
            let error = read(&format!("delta\n{bad}\n"), &model).expect_err(bad);
            assert_eq!(error.line, Some(2), "{bad}");
            assert!(error.what.contains(part), "{bad}: {}", error.what);
        }
    }
}
