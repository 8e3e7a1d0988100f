//! Why a system does not conform: the place in the model, what was expected there, and what came instead.

use sioco_campaign::failing::Likeness;
use sioco_exec::crash::without_values;
use sioco_exec::event::GateValue;
use sioco_exec::explanation::{Explanation, Left, Narrowed};
use sioco_exec::verdict::{Cause, Failure, OpenCause, Trouble};
use sioco_lang::diagnostic::Label;
use sioco_model::SwitchId;
use sioco_model::model::{CLOSED, CRASHED, Model};
use sioco_model::semantics::explain::Reason;

use super::allowed;
use super::code::Code;
use super::words::{crashed, named, short};
use crate::analysis::Source;
use crate::diagnostic::{Parts, Rank};
use crate::words::{Words, describe, with};

/// At most this many places are shown: each takes a snippet of a few lines, so that they are a screen.
const PLACES: usize = 6;
/// At most this many things are said of the same place: the first says where it is, and others mostly repeat it with
/// other values.
const SAME: usize = 2;
/// At most this many inputs are listed that only some hypotheses specify: a sentence.
const NARROWED: usize = 3;
/// A longer output is written out besides: in the picture of the run it is cut near this length.
const LONG: usize = 40;
/// At most this many characters of an output are written out: half a screen.
const MUCH: usize = 1000;

/// The failure as a report with its places.
pub(super) fn parts(words: Words<'_>, failure: &Failure, explanation: Option<&Explanation>) -> Parts {
    let model = words.model();
    let none = Explanation::default();
    let explanation = explanation.unwrap_or(&none);
    let (message, mut labels, mut notes, help) = match failure {
        Failure::Output(output) => {
            let whole = named(model, output, " = ");
            // On an arrow it may be cut.
            let sent = (whole.chars().count() > LONG).then(|| format!("the SUT sent: {}", short(&whole, MUCH)));
            let labels = of_output(words, output, explanation);
            ("this output is not allowed here".to_owned(), labels, sent.into_iter().collect(), None)
        }
        Failure::Silence => (
            "the SUT is silent, but quiescence is not allowed here".to_owned(),
            of_silence(words, explanation),
            vec![],
            None,
        ),
        Failure::Closed => {
            let declared = model.gates.values().any(|g| g.name == CLOSED);
            let help = (!declared)
                .then(|| "if the SUT may end here, declare `output closed` and add it to the model".to_owned());
            // Which end was meant, and why not here.
            let mut labels = Vec::new();
            for (switch, reasons) in &explanation.switches {
                reasons.iter().for_each(|reason| push(&mut labels, of_reason(words, *switch, reason)));
            }
            let labels = if labels.is_empty() { here(words, explanation) } else { labels };
            ("the SUT ended, which is not allowed here".to_owned(), labels, Vec::new(), help)
        }
        Failure::Crashed(crash) => {
            let declared = model.gates.values().any(|g| g.name == CRASHED);
            let help = (!declared).then(|| {
                "fix the crash; if a crash is allowed, declare `output crashed` and add it to \
                                     the model"
                    .to_owned()
            });
            let place = crash.place.iter().map(|place| format!("it crashed at {}", short(place, 200)));
            let status = crash.status.iter().filter(|status| **status != crash.message);
            let status = status.map(|status| format!("its process ended: {}", short(status, 200)));
            (crashed(crash), here(words, explanation), place.chain(status).collect(), help)
        }
        Failure::Malformed { gate, why, raw } => {
            let received = format!("received: {}", short(raw, 200));
            match gate {
                Some(gate) => {
                    let name = &model.gates[*gate].name;
                    let place = words.checked.spans.gates.get(*gate);
                    let labels = place.map(|span| Label { span: *span, text: short(why, 200) }).into_iter().collect();
                    (format!("the SUT sent values that do not fit `!{name}`"), labels, vec![received], None)
                }
                None => {
                    let notes = vec![received, why.clone()];
                    ("the SUT sent something that is not an output".to_owned(), here(words, explanation), notes, None)
                }
            }
        }
        Failure::Refused { input, why } => {
            let message = format!("the SUT refused {}, but must accept it here", named(model, input, " = "));
            let said = (!why.is_empty()).then(|| format!("the adapter says: {}", short(why, 200)));
            (message, here(words, explanation), said.into_iter().collect(), None)
        }
    };
    labels.truncate(PLACES);
    let allowed = allowed::all(words, explanation);
    if !explanation.hypotheses.is_empty() && !matches!(failure, Failure::Refused { .. }) {
        let what = match &allowed[..] {
            [] => " nothing".to_owned(),
            [only] => format!(" {only}"),
            several => several.iter().map(|a| format!("\n{a}")).collect(),
        };
        notes.push(format!("allowed here:{what}"));
    }
    notes.extend(hypotheses(model, explanation));
    notes.extend(narrowed(model, explanation));
    Parts { rank: Rank::Error, id: Code::of(failure).to_string(), message, labels, notes, help }
}

/// What runs have in common is the code and the places in the model, and not the values of the moment.
impl Likeness for Source<'_> {
    fn key(&self, cause: &Cause, explanation: Option<&Explanation>) -> String {
        same(*self, cause, explanation)
    }
}

fn same(source: Source<'_>, cause: &Cause, explanation: Option<&Explanation>) -> String {
    let words = Words { checked: source.checked, sources: source.sources };
    let (id, gate, labels) = match cause {
        // Where in the model it happens says nothing about why.
        Cause::Failure(Failure::Crashed(crash)) => return format!("{} {}", Code::Crashed, crash.kind()),
        Cause::Failure(failure) => {
            let parts = parts(words, failure, explanation);
            (parts.id, gate_of(words, failure), parts.labels)
        }
        Cause::Trouble(Trouble::Refused { input, .. }) => {
            let gate = words.model().gates[input.gate].name.as_str();
            ("refused".to_owned(), gate, places(words, explanation))
        }
        Cause::Open(OpenCause::Unspecified(input)) => {
            let gate = words.model().gates[input.gate].name.as_str();
            ("unspecified".to_owned(), gate, places(words, explanation))
        }
        Cause::Trouble(Trouble::Fault { kind, message, .. }) => {
            return format!("{} {}", kind.name(), without_values(message));
        }
        other => return super::words::cause(words.model(), other),
    };
    let places: Vec<String> = labels.iter().map(|l| source.sources.show(l.span)).collect();
    format!("{id} {gate} {}", places.join(" "))
}

/// The gate that a failure is about.
fn gate_of<'a>(words: Words<'a>, failure: &Failure) -> &'a str {
    match failure {
        Failure::Output(value) | Failure::Refused { input: value, .. } => words.model().gates[value.gate].name.as_str(),
        Failure::Malformed { gate, .. } => gate.map_or("", |gate| words.model().gates[gate].name.as_str()),
        Failure::Silence | Failure::Closed | Failure::Crashed(_) => "",
    }
}

/// The places in the model where the system may have been.
pub(super) fn places(words: Words<'_>, explanation: Option<&Explanation>) -> Vec<Label> {
    let mut labels = explanation.map(|e| here(words, e)).unwrap_or_default();
    labels.truncate(PLACES);
    labels
}

/// The states in which the system may have been.
pub(super) fn hypotheses(model: &Model, explanation: &Explanation) -> Option<String> {
    let shown: Vec<String> = explanation.hypotheses.iter().map(|h| hypothesis(model, h)).collect();
    match (&shown[..], explanation.all) {
        ([], _) => None,
        ([only], 1) => Some(format!("hypotheses: 1 ({only})")),
        (several, all) => {
            let more = all.saturating_sub(several.len());
            let more = if more > 0 { format!("\n… and {more} more") } else { String::new() };
            Some(format!("hypotheses: {all}\n{}{more}", several.join("\n")))
        }
    }
}

/// The inputs of the run that only some hypotheses specify: what the others would allow does not count any more.
fn narrowed(model: &Model, explanation: &Explanation) -> Vec<String> {
    let skipped = explanation.narrowed.len().saturating_sub(NARROWED);
    let of = |n: &Narrowed| {
        let input = named(model, &n.input, " = ");
        let only = match &n.only {
            Some(only) => format!("only {}", short(only, 200)),
            None => format!("only by {} of {} hypotheses", n.kept, n.kept + n.ended),
        };
        format!("{input} is specified {only}; the other hypotheses ended there")
    };
    explanation.narrowed.iter().skip(skipped).map(of).collect()
}

/// A state, with what the system would still have to take there.
fn hypothesis(model: &Model, left: &Left) -> String {
    let inputs: Vec<String> = left.under_way.iter().map(|input| named(model, input, "=")).collect();
    match &inputs[..] {
        [] => left.shown.clone(),
        [only] => format!("{}; the SUT may not have taken {only} yet", left.shown),
        [next, ..] => format!("{}; the SUT may not have taken {next} and what follows it yet", left.shown),
    }
}

/// Adds a place. Of many hypotheses that differ in a value at the same place, a few tell enough.
fn push(labels: &mut Vec<Label>, label: Option<Label>) {
    let fits = |l: &Label| !labels.contains(l) && labels.iter().filter(|other| other.span == l.span).count() < SAME;
    let label = label.filter(fits);
    labels.extend(label);
}

/// Which conjunct broke, or which value differs, for every switch that might have given the output.
fn of_output(words: Words<'_>, output: &GateValue, explanation: &Explanation) -> Vec<Label> {
    let mut labels = Vec::new();
    let mut all: Vec<&(SwitchId, Vec<Reason>)> = explanation.switches.iter().collect();
    // A switch whose guard holds was probably meant, and then one of whose guard the beginning holds: what tells switches
    // apart is what people write first.
    let holds = |(switch, reasons): &(SwitchId, Vec<Reason>)| {
        let conjuncts = words.conjuncts(*switch);
        let holds = |reason: &Reason| match reason {
            Reason::Differs { .. } => usize::MAX,
            Reason::False { conjunct, .. } => conjuncts.iter().position(|c| c == conjunct).unwrap_or(0),
            _ => 0,
        };
        reasons.iter().map(holds).min().unwrap_or(0)
    };
    all.sort_by_key(|one| std::cmp::Reverse(holds(one)));
    // The others are about something else.
    if all.first().is_some_and(|one| holds(one) > 0) {
        all.retain(|one| holds(one) > 0);
    }
    for (switch, reasons) in all {
        for reason in reasons {
            push(&mut labels, of_reason(words, *switch, reason));
        }
        if let (true, Some(spans)) = (reasons.is_empty(), words.checked.spans.switches.get(*switch)) {
            let text = "cannot give this output, whatever the unknown values are".to_owned();
            push(&mut labels, Some(Label { span: spans.label, text }));
        }
    }
    if labels.is_empty() {
        let gate = &words.model().gates[output.gate].name;
        return at(words, explanation, |location| format!("no `!{gate}` leaves `{location}`"));
    }
    labels
}

fn of_reason(words: Words<'_>, switch: SwitchId, reason: &Reason) -> Option<Label> {
    let model = words.model();
    let spans = words.checked.spans.switches.get(switch)?;
    let s = &model.switches[switch];
    let argument = |i: usize| spans.args.get(i).copied().unwrap_or(spans.label);
    let (span, text) = match reason {
        Reason::Differs { param, expected, found } => {
            let sort = s.params[*param].sort;
            let (expected, found) = (model.sorts.show(sort, expected), model.sorts.show(sort, found));
            let about = match &s.params[*param].tolerance {
                Some(t) => format!(", give or take {}", sioco_model::number::show_rational(t)),
                None => String::new(),
            };
            (argument(*param), format!("is {expected}{about}, but the SUT sent {found}"))
        }
        Reason::Misfit { param, .. } => (argument(*param), describe(words, switch, reason)),
        Reason::False { conjunct, values } if !s.is_else => {
            let span = words.conjunct_span(switch, *conjunct).unwrap_or(spans.label);
            (span, format!("is false{}", with(model, switch, values)))
        }
        _ => (spans.guard.unwrap_or(spans.label), describe(words, switch, reason)),
    };
    Some(Label { span, text })
}

/// What the system would have to do instead of being silent.
fn of_silence(words: Words<'_>, explanation: &Explanation) -> Vec<Label> {
    let model = words.model();
    let mut labels = Vec::new();
    for (switch, _) in &explanation.switches {
        let Some(spans) = words.checked.spans.switches.get(*switch) else { continue };
        let text = match model.direction(*switch) {
            Some(_) => format!("an output must come: `{}` is enabled", model.switches[*switch].name),
            None => format!("`{}` can be taken, so the model is not quiescent", model.switches[*switch].name),
        };
        push(&mut labels, Some(Label { span: spans.label, text }));
    }
    if labels.is_empty() { here(words, explanation) } else { labels }
}

fn here(words: Words<'_>, explanation: &Explanation) -> Vec<Label> {
    at(words, explanation, |location| format!("in `{location}`"))
}

/// The locations of the hypotheses.
fn at(words: Words<'_>, explanation: &Explanation, text: impl Fn(&str) -> String) -> Vec<Label> {
    let model = words.model();
    let mut labels = Vec::new();
    for location in explanation.locations.iter().copied() {
        let span = words.checked.spans.locations.get(location);
        let label = span.map(|span| Label { span: *span, text: text(&model.location_name(location)) });
        push(&mut labels, label);
    }
    labels
}
