//! Causes and observations in words.

use sioco_exec::crash::Crash;
use sioco_exec::event::{GateValue, Observation};
use sioco_exec::record::Waiting;
use sioco_exec::reliance::Reliance;
use sioco_exec::sut::FaultKind;
use sioco_exec::verdict::{Cause, Failure, OpenCause, Trouble};
use sioco_model::model::Model;
use sioco_model::visible;

use super::sequence::time;

/// At most this many characters of what a system sent are shown on a line: it fits with what is said of it.
const RAW: usize = 60;

/// What to do about a model that is undefined.
const UNDEFINED: &str = "fix the model: before the part without a value, add a condition that excludes these \
                         values, such as `k != 0 && 7 div k >= 2`";

/// A gate value with the names of its parameters: `?inX(p=6)`.
pub(super) fn named(model: &Model, value: &GateValue, equals: &str) -> String {
    let gate = &model.gates[value.gate];
    let args: Vec<String> = (gate.params.iter().zip(&value.args))
        .map(|(p, v)| format!("{}{equals}{}", p.name, model.sorts.show(p.sort, v)))
        .collect();
    let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
    format!("{}{}{args}", gate.direction.sigil(), gate.name)
}

/// A text on one line, not too long, with everything visible that hides in it.
pub(super) fn short(text: &str, most: usize) -> String {
    let spaced: String = text.chars().map(|c| if c == '\n' || c == '\t' { ' ' } else { c }).collect();
    let clean = visible::line(&spaced);
    match clean.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &clean[..at]),
        None => clean.into_owned(),
    }
}

/// What was observed, on a line.
pub fn observation(model: &Model, seen: &Observation) -> String {
    match seen {
        Observation::Output(output) => named(model, output, "="),
        Observation::Delta => "delta".into(),
        Observation::Closed => "closed".into(),
        Observation::Crashed(_) => "crashed".into(),
        Observation::Malformed { gate, raw, .. } => {
            let name = gate.map_or("?", |gate| &model.gates[gate].name);
            format!("!{name} {}", short(raw, RAW))
        }
    }
}

/// Why a run or purpose ended as it did, in a clause.
pub fn cause(model: &Model, cause: &Cause) -> String {
    match cause {
        Cause::Reached => "everything observed is allowed".into(),
        Cause::Failure(failure) => match failure {
            Failure::Output(output) => format!("unexpected output {}", named(model, output, "=")),
            Failure::Silence => "unexpected silence".into(),
            Failure::Closed => "the SUT ended".into(),
            Failure::Crashed(crash) => crashed(crash),
            Failure::Malformed { gate: Some(gate), .. } => format!("malformed values of !{}", model.gates[*gate].name),
            Failure::Malformed { gate: None, raw, .. } => format!("not an output: {}", short(raw, RAW)),
            Failure::Refused { input, .. } => format!("{} was refused", named(model, input, "=")),
        },
        Cause::Open(open) => match open {
            OpenCause::Deviation => "the system did something that is allowed, but leads away from the purpose".into(),
            OpenCause::Crossed => "an input and an output crossed, and the model does not say what happens then".into(),
            OpenCause::Unspecified(input) => {
                format!("the model does not say what happens after {}", named(model, input, "="))
            }
            OpenCause::Cut => {
                "too many states explain what was observed; give free variables and hidden choices fewer \
                          values, or use fewer internal steps"
                    .into()
            }
            OpenCause::Unknown(reason) => format!("it is unknown whether any values lead there: {reason}"),
            OpenCause::Undecided(question) => {
                format!(
                    "it is unknown whether the observation is allowed; the open question is: {}",
                    short(question, 400)
                )
            }
            OpenCause::NoValues => "no values were found for the next input".into(),
            OpenCause::Deadlock { state } => format!("the model has a deadlock in {}", short(state, 400)),
            OpenCause::Dropped { run } => format!("run {run} failed on the way to it"),
            OpenCause::Silence(reliance) => silence(*reliance),
            OpenCause::Stopped => "it was stopped".into(),
            OpenCause::Other(text) => short(text, 400),
        },
        Cause::Trouble(trouble) => self::trouble(model, trouble),
    }
}

/// Silence that does not count (T-Q10).
fn silence(reliance: Reliance) -> String {
    let what = "nothing came, but an output must come here";
    match reliance {
        Reliance::Full => what.into(),
        Reliance::Once => format!(
            "{what}; such quiescence counts as a failure only if it happens again when the \
                                   run is repeated"
        ),
        Reliance::Starved(late) => {
            format!("{what}; but sioco itself was delayed by {}, because the machine was too busy", time(late))
        }
    }
}

/// That the system crashed, and how.
pub(super) fn crashed(crash: &Crash) -> String {
    match crash.message.is_empty() {
        true => "the SUT crashed".into(),
        false => format!("the SUT crashed: {}", short(&crash.message, 400)),
    }
}

/// The same for a list in which values and the words of an adapter, which stand elsewhere, would only repeat.
pub(super) fn in_short(model: &Model, why: &Cause) -> String {
    let gate = |value: &GateValue| {
        let gate = &model.gates[value.gate];
        format!("{}{}", gate.direction.sigil(), gate.name)
    };
    match why {
        Cause::Trouble(Trouble::Fault { kind: FaultKind::Played, .. }) => "the played model is undefined".into(),
        Cause::Trouble(Trouble::Fault { kind: FaultKind::Solver, .. }) => {
            "no solver can tell what the played model does".into()
        }
        Cause::Trouble(Trouble::Fault { .. }) => "the connection to the system broke down".into(),
        Cause::Trouble(Trouble::Refused { input, .. }) => format!("{} was refused", gate(input)),
        Cause::Open(OpenCause::Unspecified(input)) => {
            format!("the model does not say what happens after {}", gate(input))
        }
        other => cause(model, other),
    }
}

/// What broke down, in a sentence.
pub fn trouble(model: &Model, trouble: &Trouble) -> String {
    match trouble {
        Trouble::Fault { message, .. } => short(message, 1000),
        Trouble::Model { switch, message } => {
            format!("the model is undefined at `{}`: {}", model.switches[*switch].name, short(message, 400))
        }
        Trouble::Refused { input, why } => {
            let why = if why.is_empty() { String::new() } else { format!(": {}", short(why, 400)) };
            format!("{} was refused{why}", named(model, input, "="))
        }
    }
}

/// What to do about something that broke down.
pub(super) fn mend(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::Fault { kind, .. } => match kind {
            FaultKind::Start => {
                "check `--sut`: it names a command (no shell is used; write `sh -c '…'` for one) or a server that \
                 is already running"
            }
            FaultKind::Protocol => "see docs/adapters.md for what may be sent, with an adapter and without one",
            FaultKind::Timeout => {
                "is the system stuck, or only slow? raise `--patience` to wait longer; standard error may say more"
            }
            FaultKind::Died => {
                "run the adapter by itself and see why it ends. If the system runs inside the adapter, an exit, an \
                 abort or a signal of the system ends both. To see it as a crash of the system, run the system in \
                 its own process"
            }
            FaultKind::Reported => "fix what is reported; this says nothing about the system",
            FaultKind::Reset => "every run begins in the initial state: the reset must bring the system there",
            FaultKind::Glue => "fix the code that connects the system; this says nothing about the system itself",
            FaultKind::Played => UNDEFINED,
            FaultKind::Solver => {
                "check that the solver works: `sioco doctor` lists the solvers, and `--solver` chooses one; or play \
                 a simpler model"
            }
            FaultKind::Tool => "this is a bug in sioco and says nothing about the system; please report it",
        },
        Trouble::Model { .. } => UNDEFINED,
        Trouble::Refused { .. } => "restrict the input in the model, or let the adapter accept it",
    }
}

/// What was overdue when a campaign was ended, after "while"; with the last input before that.
pub fn overdue(model: &Model, waiting: Waiting, last: Option<&GateValue>) -> String {
    let last = last.map(|input| named(model, input, "="));
    match (waiting, last) {
        (Waiting::Reset, _) => "the SUT was being started or reset".into(),
        (Waiting::Accepted, Some(input)) => format!("{input} was waiting to be accepted"),
        (Waiting::Accepted, None) => "an input was waiting to be accepted".into(),
        (Waiting::Observed, Some(input)) => format!("nothing came after {input}, but an output must come"),
        (Waiting::Observed, None) => "nothing came, but an output must come here".into(),
    }
}
