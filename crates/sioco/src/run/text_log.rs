//! Traces in text, as `sioco simulate` saves them: `?inX(6)`, `!outX(6)`, `name: !outX(6)`, `delta`, `closed`, `crashed`;
//! `reset` begins another run, and `//` a comment. `delta` is quiescence measured by the clock; the reader assumes that
//! everything was in order while it was measured. `quiescent` is quiescence that the adapter announced.

use std::fmt;

use sioco_exec::RunNumber;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::journal::{ReadError, Remark};
use sioco_exec::log::{Log, LoggedRun, LoggedStep};
use sioco_exec::reliance::Reliance;
use sioco_lang::diagnostic::did_you_mean;
use sioco_lang::syntax::ast::{Expr, ExprKind};
use sioco_lang::syntax::parser::parse_expr;
use sioco_lang::value::{ValueError, parse_value};
use sioco_model::model::{Direction, Label, Model};
use sioco_model::visible::shortened;
use sioco_model::{GateId, Value};

use crate::simulate::request::{Given, Request, RequestError, parse};
use crate::switch_names::near_switch;

/// What to do about a line that is none of a trace.
const HELP: &str = "a trace has one event on each line: `?gate(1)`, `!gate(1)`, `delta`, `quiescent`, `closed` or \
                    `crashed`, and `reset` between runs";

/// Quiescence that an adapter announced: it is certain, and what comes after it does not withdraw it.
const QUIESCENT: &str = "quiescent";

/// Why a line is none of a trace. Whoever wrote it is to blame, or it is about another model.
#[derive(Clone, PartialEq, Eq, Debug)]
enum LineError {
    /// It is neither an event nor a request.
    Request(RequestError),
    /// The model has no such gate.
    NoGate {
        /// The gate, in short.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// The gate goes the other way.
    Direction {
        /// The gate.
        name: String,
        /// The way that it goes.
        is: Direction,
    },
    /// It is no event, and the model has no such switch.
    NoSwitch {
        /// What is there, in short.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// It is a request, and no event.
    NoEvent(String),
    /// Something is no value at all.
    NoValue(String),
    /// Values do not fit the gate of an input.
    Misfit(Misfit),
}

/// Why values do not fit a gate.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Misfit {
    /// There are too many, or too few.
    Number {
        /// So many there are,
        given: usize,
        /// and so many there should be.
        wanted: usize,
    },
    /// One is missing.
    Missing(String),
    /// One is out of its range.
    Outside {
        /// The parameter.
        parameter: String,
        /// The value.
        value: String,
        /// The type with its range.
        sort: String,
    },
    /// One is of another type.
    Value {
        /// The parameter.
        parameter: String,
        /// What is wrong with it.
        why: ValueError,
    },
}

impl From<RequestError> for LineError {
    fn from(error: RequestError) -> Self {
        LineError::Request(error)
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meant = |f: &mut fmt::Formatter<'_>, near: &Option<String>| match near {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        };
        match self {
            LineError::Request(why) => why.fmt(f),
            LineError::NoGate { name, near } => {
                write!(f, "the model has no gate `{name}`")?;
                meant(f, near)
            }
            LineError::Direction { name, is } => {
                let what = if *is == Direction::Input { "an input" } else { "an output" };
                write!(f, "`{name}` is {what}: write `{}{name}`", is.sigil())
            }
            LineError::NoSwitch { name, near } => {
                write!(f, "`{name}` is neither an event nor a switch of the model")?;
                meant(f, near)
            }
            LineError::NoEvent(line) => write!(f, "`{line}` is not an event"),
            LineError::NoValue(text) => write!(f, "`{text}` is not a value"),
            LineError::Misfit(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for LineError {}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Number { given, wanted } => write!(f, "{given} values for {wanted} parameters"),
            Misfit::Missing(parameter) => write!(f, "there is no value for `{parameter}`"),
            Misfit::Outside { parameter, value, sort } => {
                write!(f, "`{parameter}`: {value} is outside of `{sort}`")
            }
            Misfit::Value { parameter, why } => write!(f, "`{parameter}`: {why}"),
        }
    }
}

impl std::error::Error for Misfit {}

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
    let mut run = LoggedRun::new(RunNumber::FIRST, 1);
    for (number, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        match said(model, line).map_err(|what| ReadError::at(number, what.to_string(), HELP))? {
            Said::Nothing => {}
            Said::Ignored(what) => log.remarks.push(Remark { line: Some(number), what: what.into() }),
            Said::Reset => {
                let next = LoggedRun::new(run.number.next(), number + 1);
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

fn said(model: &Model, line: &str) -> Result<Said, LineError> {
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
            Ok(Said::Ignored("the value of a free variable cannot be observed, so this line is skipped"))
        }
        Request::Handshake(..) => Ok(Said::Nothing),
        Request::Event(event, given) => {
            let name = event.trim_start_matches(['?', '!']);
            let gate = model.gate(name).ok_or_else(|| {
                let near = did_you_mean(name, model.gates.values().map(|g| g.name.as_str()));
                LineError::NoGate { name: shortened(name).into_owned(), near }
            })?;
            let direction = model.gates[gate].direction;
            if event != name && !event.starts_with(direction.sigil()) {
                return Err(LineError::Direction { name: name.to_owned(), is: direction });
            }
            at_gate(model, gate, &given).map(Said::Step)
        }
        Request::Switch(name, given) => {
            let Some(switch) = model.switch(&name) else {
                let near = near_switch(model, &name, ["delta", "closed", "crashed", "reset"]);
                return Err(LineError::NoSwitch { name: shortened(&name).into_owned(), near });
            };
            match model.switches[switch].label {
                Label::Gate(gate) => at_gate(model, gate, &given).map(Said::Step),
                _ => Ok(Said::Nothing),
            }
        }
        _ => Err(LineError::NoEvent(shortened(bare).into_owned())),
    }
}

/// An interaction. Values that an output cannot have are what was observed; those of an input are a mistake in the log.
fn at_gate(model: &Model, gate: GateId, given: &[Given]) -> Result<Action, LineError> {
    let g = &model.gates[gate];
    let values = match (arguments(model, gate, given)?, g.direction) {
        (Ok(args), _) => args,
        (Err(why), Direction::Input) => return Err(LineError::Misfit(why)),
        (Err(why), Direction::Output) => {
            let raw: Vec<&str> = given.iter().map(|g| g.value.as_str()).collect();
            let raw = format!("({})", raw.join(", "));
            return Ok(Action::Seen(Observation::Malformed { gate: Some(gate), why: why.to_string(), raw }));
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
fn arguments(model: &Model, gate: GateId, given: &[Given]) -> Result<Result<Vec<Value>, Misfit>, LineError> {
    let params = &model.gates[gate].params;
    let is_value = |g: &&Given| {
        let (expr, problems) = parse_expr(sioco_lang::source::FileId(0), &g.value);
        problems.is_empty() && is_literal(&expr)
    };
    if let Some(bad) = given.iter().find(|g| !is_value(g)) {
        return Err(LineError::NoValue(shortened(&bad.value).into_owned()));
    }
    if given.len() != params.len() {
        return Ok(Err(Misfit::Number { given: given.len(), wanted: params.len() }));
    }
    let mut values = Vec::new();
    for (i, p) in params.iter().enumerate() {
        let found = match given.iter().any(|g| g.name.is_some()) {
            true => given.iter().find(|g| g.name.as_deref() == Some(&p.name)),
            false => given.get(i),
        };
        let Some(found) = found else { return Ok(Err(Misfit::Missing(p.name.clone()))) };
        // A tolerance reaches over the ends of a range.
        let sort = if p.tolerance.is_some() { model.sorts.base(p.sort) } else { p.sort };
        match parse_value(&model.sorts, sort, &found.value) {
            Ok(value) if !p.takes(&model.sorts, &value) => {
                let (value, sort) = (model.sorts.show(sort, &value), model.sorts.name(p.sort));
                return Ok(Err(Misfit::Outside { parameter: p.name.clone(), value, sort }));
            }
            Ok(value) => values.push(value),
            Err(why) => return Ok(Err(Misfit::Value { parameter: p.name.clone(), why })),
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
        let numbers: Vec<u64> = log.runs.iter().map(|r| r.number.0).collect();
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
            ("undo", "not an event"),
            ("quit", "not an event"),
            ("random 3", "not an event"),
        ] {
            let error = read(&format!("delta\n{bad}\n"), &model).expect_err(bad);
            assert_eq!(error.line, Some(2), "{bad}");
            assert!(error.what.contains(part), "{bad}: {}", error.what);
        }
    }
}
