//! What is said about a finding.

use sioco_lang::check::Spans;
use sioco_lang::diagnostic::Label;
use sioco_lang::source::Span;
use sioco_model::model::{Label as SwitchLabel, Model};
use sioco_model::semantics::interpreter::Part;
use sioco_model::{GateId, LocationId, SwitchId, Value};
use sioco_symbolic::analysis::{Finding, Kind, Status, What, WhyNot, Witness};
use sioco_symbolic::{Clash, Step, Stop};

use super::script;

/// A trace of more steps is shown by its end: two lines of a terminal.
const SHOWN_STEPS: usize = 12;

/// A model with its places.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub model: &'a Model,
    pub spans: &'a Spans,
}

/// A finding in words.
#[derive(Default)]
pub(super) struct Said {
    pub message: String,
    pub labels: Vec<Label>,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

impl Words<'_> {
    pub fn of(&self, finding: &Finding) -> Said {
        let open = matches!(finding.status, Status::Undecided(_));
        match &finding.what {
            What::NotTaken { switch, why } => self.not_taken(finding, *switch, why),
            What::Deadlock { locations } => self.deadlock(finding, locations, open),
            What::Overlap { first, second } => self.overlap(finding, *first, *second, open),
            What::Divergence { locations, cycle, endless } => self.divergence(locations, cycle, *endless, open),
            What::NoInput { locations, gates } => {
                let names: Vec<String> = gates.iter().map(|g| format!("`{}`", self.gate(*g))).collect();
                let is = if names.len() == 1 { "is" } else { "are" };
                let message = format!("in {}, {} {is} not specified", self.at(locations), names.join(", "));
                Said { message, labels: self.labels(locations, ""), ..Said::default() }
            }
            What::InputGap { locations, gate, switches } => {
                let (at, gate) = (self.at(locations), self.gate(*gate));
                let message = match finding.witness.as_ref().filter(|_| !open) {
                    None => format!("it is undecided whether `{gate}` is specified for all values in {at}"),
                    Some(witness) => {
                        let when = self.when(switches.first().copied(), witness, " where");
                        format!("in {at}, `{gate}` is not specified {when}").trim_end().to_owned()
                    }
                };
                let labels = switches.iter().filter_map(|s| self.label(*s, ""));
                Said { message, labels: labels.collect(), ..Said::default() }
            }
            What::Undefined { switch, part, step } => self.undefined(finding, *switch, *part, *step, open),
        }
    }

    fn not_taken(&self, finding: &Finding, switch: SwitchId, why: &WhyNot) -> Said {
        let s = &self.model.switches[switch];
        let (name, source) = (&s.name, self.model.location_name(s.source));
        let mut notes = Vec::new();
        let mut help = None;
        let text = match why {
            WhyNot::Contradiction(clash) => match &clash[..] {
                [one] => format!("`{}` is never true", one.text),
                several => format!("{} are never true together", quoted(several)),
            },
            WhyNot::NoWay => format!("no path leads to `{source}`"),
            WhyNot::SourceNotReached => {
                format!("`{source}` is never reached: no switch that leads there is ever taken")
            }
            WhyNot::NeverEnabled { states, path, clash } => {
                notes.push(self.clash(path, clash));
                match states {
                    1 => format!("not enabled in `{source}`, whatever the values are"),
                    n => format!("not enabled in `{source}`, in none of {n} nodes"),
                }
            }
            WhyNot::NoPartner => {
                let channel = match s.label {
                    SwitchLabel::Send(c) | SwitchLabel::Receive(c) => self.model.channels[c].name.as_str(),
                    _ => name,
                };
                format!("no other process is ever ready for `{channel}` with matching values")
            }
            WhyNot::Cut(stop) => {
                let (what, option) = cut(*stop);
                help = option.map(|o| format!("raise `{o}`"));
                format!("not reached {what}")
            }
            WhyNot::Doubt => "only reached over undecided steps".to_owned(),
        };
        let message = match (finding.kind, &finding.status) {
            (Kind::UnsatisfiableOutput, _) => format!("no value satisfies the output `{name}`"),
            (_, Status::Undecided(_)) => format!("it is undecided whether `{name}` can be taken"),
            (_, Status::Bounded) => match why {
                WhyNot::Cut(stop) => format!("`{name}` was not reached {}", cut(*stop).0),
                _ => format!("`{name}` was not reached"),
            },
            _ => format!("`{name}` is never taken"),
        };
        let spans = self.spans.switches.get(switch);
        let refuted = matches!(why, WhyNot::Contradiction(_) | WhyNot::NeverEnabled { .. });
        let span = spans.map(|s| if refuted { s.guard.unwrap_or(s.label) } else { s.label });
        Said { message, labels: span.map(|span| Label { span, text }).into_iter().collect(), notes, help }
    }

    fn clash(&self, path: &[Step], clash: &[Clash]) -> String {
        let names: Vec<String> = path.iter().map(|s| format!("`{}`", s.name(self.model))).collect();
        let after = match names.len() {
            0 => "at the start".to_owned(),
            1..=SHOWN_STEPS => format!("after {}", names.join(", ")),
            n => format!("after {n} steps, the last of them {}", names[n - 3..].join(", ")),
        };
        match clash {
            [] => format!("{after}, its conditions are not true"),
            [one] if one.values.is_empty() => format!("{after}, `{}` is not true", one.text),
            [one] => {
                let value = |(v, value): &(sioco_model::VarId, Value)| {
                    let shown = self.model.sorts.show(self.model.variables[*v].sort, value);
                    format!("{} = {shown}", self.model.variable_name(*v))
                };
                let values: Vec<String> = one.values.iter().map(value).collect();
                format!("{after}, `{}` is not true ({})", one.text, values.join(", "))
            }
            several => {
                format!("{after}, {} are not true together{}", quoted(several), legend(several))
            }
        }
    }

    fn deadlock(&self, finding: &Finding, locations: &[LocationId], open: bool) -> Said {
        let at = self.at(locations);
        let state = finding.witness.as_ref().map(|w| self.state(w, &[])).unwrap_or_default();
        let when = if state.is_empty() { String::new() } else { format!(" for {state}") };
        let (message, text) = match open {
            true => (format!("it is undecided whether something can always happen in {at}"), String::new()),
            false => {
                let message = format!("nothing can happen in {at}");
                let text = match locations.len() {
                    1 => format!("it is not `final`, and no switch is enabled{when}"),
                    _ => format!("no step is enabled{when}"),
                };
                (message, text)
            }
        };
        Said { message, labels: self.labels(locations, &text), ..Said::default() }
    }

    fn overlap(&self, finding: &Finding, first: SwitchId, second: SwitchId, open: bool) -> Said {
        let name = |s: SwitchId| &self.model.switches[s].name;
        let message = match open {
            true => format!("it is undecided whether `{}` and `{}` compete", name(first), name(second)),
            false => format!("`{}` and `{}` are both possible", name(first), name(second)),
        };
        let mut labels: Vec<Label> = Vec::new();
        labels.extend(self.label(first, "one of them"));
        labels.extend(self.label(second, "the other"));
        let mut notes = Vec::new();
        if let Some(witness) = finding.witness.as_ref().filter(|_| !open) {
            notes.extend(Some(self.when(Some(first), witness, ", where")).filter(|w| !w.is_empty()));
        }
        Said { message, labels, notes, help: None }
    }

    fn divergence(&self, locations: &[LocationId], cycle: &[Step], endless: bool, open: bool) -> Said {
        let at = self.at(locations);
        let names: Vec<String> = cycle.iter().map(|s| format!("`{}`", s.name(self.model))).collect();
        let names = names.join(", ");
        let message = match (open, endless) {
            (true, _) => format!("it is undecided whether internal steps from {at} end"),
            (false, true) => format!("internal steps from {at} can go on for ever"),
            (false, false) => format!("internal steps from {at} keep making new states, perhaps for ever"),
        };
        let mut labels = Vec::new();
        for switch in cycle.iter().flat_map(|s| s.switches()) {
            labels.extend(self.label(switch, "").filter(|l| !labels.contains(l)));
        }
        Said { message, labels, notes: vec![format!("again and again: {names}")], help: None }
    }

    fn undefined(&self, finding: &Finding, switch: SwitchId, part: Part, step: Step, open: bool) -> Said {
        let s = &self.model.switches[switch];
        let what = match part {
            Part::Guard => "the guard".to_owned(),
            Part::Argument(i) => match s.params.get(i).map(|p| p.name.as_str()) {
                Some(name) if name != "_" => format!("the argument `{name}`"),
                _ => format!("argument {}", i + 1),
            },
            Part::Update(i) => match s.update.get(i) {
                Some((v, _)) => format!("the new value of `{}`", self.model.variables[*v].name),
                None => "a new value".to_owned(),
            },
        };
        let why = finding.witness.as_ref().filter(|_| !open).and_then(|w| w.undefined(self.model, step));
        let message = match (open, &why) {
            (true, _) => format!("it is undecided whether {what} of `{}` is always defined", s.name),
            (false, Some(error)) => error.describe(self.model),
            (false, None) => format!("{what} of `{}` is undefined or outside its range", s.name),
        };
        let spans = self.spans.switches.get(switch);
        let span = spans.map(|s| match part {
            Part::Guard => s.guard.unwrap_or(s.label),
            Part::Argument(i) => s.args.get(i).copied().unwrap_or(s.label),
            Part::Update(i) => s.update.get(i).copied().unwrap_or(s.label),
        });
        let mut notes = Vec::new();
        if let Some(witness) = finding.witness.as_ref().filter(|_| !open) {
            let of = step.switches().next().unwrap_or(switch);
            notes.extend(Some(self.when(Some(of), witness, ", where")).filter(|w| !w.is_empty()));
        }
        let labels = span.map(|span| Label { span, text: String::new() }).into_iter().collect();
        Said { message, labels, notes, help: None }
    }

    /// The way to what was found, for people.
    pub fn trace(&self, finding: &Finding) -> Option<String> {
        let witness = finding.witness.as_ref()?;
        let lines = script::script(self.model, &witness.path);
        let heading = match finding.status {
            Status::Undecided(_) => "the question arises after",
            _ => "after",
        };
        if lines.is_empty() {
            return Some(match finding.status {
                Status::Undecided(_) => "the question arises at the start".into(),
                _ => "this is so at the start".into(),
            });
        }
        let hidden = lines.len().saturating_sub(SHOWN_STEPS);
        let mut shown = Vec::new();
        if hidden > 0 {
            shown.push(format!("… {hidden} lines before …"));
        }
        shown.extend(lines.into_iter().skip(hidden));
        Some(format!("{heading}\n  {}", shown.join("\n  ")))
    }

    fn gate(&self, gate: GateId) -> String {
        let gate = &self.model.gates[gate];
        format!("{}{}", gate.direction.sigil(), gate.name)
    }

    /// Locations in a sentence.
    fn at(&self, locations: &[LocationId]) -> String {
        let names: Vec<String> = locations.iter().map(|l| format!("`{}`", self.model.location_name(*l))).collect();
        match names.len() {
            1 => names.join(""),
            _ => format!("({})", names.join(", ")),
        }
    }

    /// The places of locations, the last with a text: it is drawn below the others.
    fn labels(&self, locations: &[LocationId], text: &str) -> Vec<Label> {
        let spans = locations.iter().filter_map(|l| self.spans.locations.get(*l).copied());
        let mut labels: Vec<Label> = spans.map(|span| Label { span, text: String::new() }).collect();
        // Instances of one process share their places.
        labels.dedup();
        if let Some(first) = labels.first_mut() {
            text.clone_into(&mut first.text);
        }
        labels
    }

    fn label(&self, switch: SwitchId, text: &str) -> Option<Label> {
        let spans = self.spans.switches.get(switch)?;
        let span = match spans.guard {
            Some(guard) if guard.file == spans.label.file && guard.end >= spans.label.start => {
                Span { end: guard.end.saturating_add(1), ..spans.label }
            }
            _ => spans.label,
        };
        Some(Label { span, text: text.into() })
    }

    /// A name that both a parameter and a variable have says which of the two is meant.
    fn is_variable(&self, name: &str) -> bool {
        self.model.variables.iter().any(|(id, v)| !v.hidden && self.model.variable_name(id) == name)
    }

    /// The values of the parameters of a switch and the state, in one clause: ` for p = 2 where x = 3`.
    fn when(&self, switch: Option<SwitchId>, witness: &Witness, where_: &str) -> String {
        let params = switch.map(|s| self.values(s, &witness.values)).unwrap_or_default();
        let also: Vec<&str> = switch.map(|s| self.parameters(s).collect()).unwrap_or_default();
        let also: &[&str] = if params.is_empty() { &[] } else { &also };
        let state = self.state(witness, also);
        match (params.is_empty(), state.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!("where {state}"),
            (false, true) => format!("for {params}"),
            (false, false) => format!("for {params}{where_} {state}"),
        }
    }

    /// The names of the parameters of a switch: those of the gate or channel, where there are any.
    fn parameters(&self, switch: SwitchId) -> impl Iterator<Item = &str> {
        let s = &self.model.switches[switch];
        let declared = match s.label {
            SwitchLabel::Gate(g) => &self.model.gates[g].params[..],
            SwitchLabel::Send(c) | SwitchLabel::Receive(c) => &self.model.channels[c].params[..],
            SwitchLabel::Internal => &[],
        };
        let own = s.params.iter().enumerate();
        own.map(|(i, p)| declared.get(i).map_or(p.name.as_str(), |d| d.name.as_str()))
    }

    /// `p = 6, q = true`, as far as they are defined.
    fn values(&self, switch: SwitchId, values: &[Option<Value>]) -> String {
        let s = &self.model.switches[switch];
        let named = self.parameters(switch).zip(s.params.iter().zip(values));
        let shown = named.filter_map(|(name, (p, v))| {
            let which = if self.is_variable(name) { "the parameter " } else { "" };
            Some(format!("{which}{name} = {}", self.model.sorts.show(p.sort, v.as_ref()?)))
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The variables of the state at the end of a witness, without the locations; beside these parameters.
    fn state(&self, witness: &Witness, parameters: &[&str]) -> String {
        let Some(state) = &witness.state else { return String::new() };
        let shown = self.model.variables.iter().filter(|(_, v)| !v.hidden).map(|(id, v)| {
            let name = self.model.variable_name(id);
            let which = if parameters.contains(&name.as_str()) { "the variable " } else { "" };
            format!("{which}{name} = {}", self.model.sorts.show(v.sort, state.value(id)))
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// What the number behind a name means, by the first one that there is.
pub(super) fn legend(clash: &[Clash]) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "_.#".contains(c);
    let mut words = clash.iter().flat_map(|c| c.text.split(move |c| !is_name(c)));
    let found = words.find_map(|word| {
        let (name, step) = word.split_once('#')?;
        Some((word, name, step.parse::<usize>().ok()?))
    });
    match found {
        Some((word, name, 0)) => format!("; `{word}` is the value of `{name}` at the start"),
        Some((word, name, step)) => format!("; `{word}` is the value of `{name}` at step {step}"),
        None => String::new(),
    }
}

pub(super) fn quoted(clash: &[Clash]) -> String {
    let texts: Vec<String> = clash.iter().map(|c| format!("`{}`", c.text)).collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => texts.join(""),
    }
}

/// What a cut means for what was not found, and the option that looks further.
pub(crate) fn cut(stop: Stop) -> (&'static str, Option<&'static str>) {
    match stop {
        Stop::Depth => ("within the depth", Some("--depth")),
        Stop::Nodes => ("within the limit on nodes", Some("--nodes")),
        Stop::Memory => ("within the memory limit", None),
        Stop::Cancelled => ("before the exploration ended", Some("--time")),
        Stop::Complete | Stop::Covered => ("", None),
    }
}
