//! A session of stepping: the states gone through, what can be done next, and why the rest cannot.

use sioco_lang::value::parse_value;
use sioco_model::model::Label;
use sioco_model::semantics::explain::Reason;
use sioco_model::semantics::{Interpreter, Quiescence, State, StepError};
use sioco_model::{Id, Model, SwitchId, Value, VarId};
use sioco_solve::values::Choice as ValueChoice;

use super::choices::Choice;
use super::refusal::Refusal;
use super::request::Given;
use super::script;
use super::solving::Solving;
use crate::switch_names::near_switch;
use sioco_report::words::{self, Words};

/// A session.
pub struct Simulation<'m> {
    pub(super) model: &'m Model,
    words: Words<'m>,
    pub(super) interpreter: Interpreter<'m>,
    pub(super) solving: Solving,
    start: State,
    pub(super) steps: Vec<Done>,
    random: u64,
}

/// A step that was made.
pub(super) struct Done {
    /// As a line of a script.
    text: String,
    state: State,
}

/// What became of a step at random.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Walked {
    /// It was made.
    On,
    /// Nothing can be done.
    End,
    /// Nothing is known to be possible; what may be, and why that is not known.
    Unknown(String),
}

impl<'m> Simulation<'m> {
    /// Starts in a state; the seed is for random steps.
    pub fn new(words: Words<'m>, start: State, solving: Solving, seed: u64) -> Self {
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let model = words.model();
        let interpreter = solving.interpreter(model);
        Simulation { model, words, interpreter, solving, start, steps: Vec::new(), random }
    }

    /// Where we are.
    pub fn state(&self) -> &State {
        self.steps.last().map_or(&self.start, |d| &d.state)
    }

    /// A new request has come.
    pub fn refill(&self) {
        self.solving.refill();
    }

    /// What was done, as lines of a script.
    pub fn trace(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|d| d.text.as_str())
    }

    /// Takes back steps; says how many there were to take back.
    pub fn undo(&mut self, count: usize) -> usize {
        let count = count.min(self.steps.len());
        self.steps.truncate(self.steps.len() - count);
        count
    }

    /// Sets variables that are free at the start; possible before the first step only.
    pub fn set(&mut self, given: &[Given]) -> Result<(), Refusal> {
        if !self.steps.is_empty() {
            return Err(Refusal::Late);
        }
        let mut values = self.start.values().to_vec();
        for g in given {
            let name = g.name.as_deref().unwrap_or_default();
            let var = free_variable(self.model, name)?;
            let value = parse_value(&self.model.sorts, self.model.variables[var].sort, &g.value);
            values[var.index()] = value.map_err(|why| Refusal::Value { name: name.to_owned(), why })?;
        }
        self.start = State::new(self.start.locations().to_vec(), values);
        Ok(())
    }

    /// The free variables with their values at the start, as a line of a script; `None` if there are none.
    pub fn start_line(&self) -> Option<String> {
        script::start(self.model, self.model.free_variables().map(|v| (v, self.start.value(v))))
    }

    /// Whether silence is allowed here.
    pub fn quiescence(&mut self) -> Result<Quiescence, StepError> {
        let state = self.state().clone();
        self.interpreter.quiescence(&state)
    }

    /// Observes silence.
    pub fn delta(&mut self) -> Result<(), Refusal> {
        match self.quiescence().map_err(|e| Refusal::Undefined(self.undefined(&e)))? {
            Quiescence::Quiescent | Quiescence::Diverging => {
                let state = self.state().clone();
                self.steps.push(Done { text: script::delta(self.model), state });
                Ok(())
            }
            Quiescence::Active(switch) => Err(Refusal::NoSilence(self.model.switches[switch].name.clone())),
            Quiescence::Unknown { switch, why } => {
                Err(Refusal::SilenceUnknown { switch: self.model.switches[switch].name.clone(), why })
            }
        }
    }

    /// Takes a choice with the values given, and its example for the others.
    pub fn take(&mut self, choice: &Choice, given: &[Given]) -> Result<(), Refusal> {
        if let Some(problem) = choice.problem.as_ref().filter(|_| given.is_empty()) {
            return Err(Refusal::Undefined(self.undefined(problem)));
        }
        if let Some(why) = choice.unknown.as_ref().filter(|_| given.is_empty()) {
            return Err(Refusal::Unknown { name: self.name(choice), why: why.clone() });
        }
        let args = self.arguments(choice.switch, given, choice.example.as_deref())?;
        match choice.receive {
            Some(receive) => self.shake(choice.switch, receive, args),
            None => self.fire(choice.switch, args),
        }
    }

    /// Takes a switch by name.
    pub fn take_named(&mut self, name: &str, given: &[Given]) -> Result<(), Refusal> {
        let switch = self.find(name)?;
        if matches!(self.model.switches[switch].label, Label::Send(_) | Label::Receive(_)) {
            let with: Vec<Choice> =
                self.handshakes().into_iter().filter(|c| c.switch == switch || c.receive == Some(switch)).collect();
            // Values may say which partner is meant.
            let fits = |c: &Choice| self.arguments(c.switch, given, c.example.as_deref()).ok() == c.example;
            let fitting: Vec<&Choice> = with.iter().filter(|c| c.open || fits(c)).collect();
            return match (&with[..], &fitting[..]) {
                ([], _) => Err(Refusal::NotAllowed(self.why_not(switch, None))),
                ([only], _) | (_, &[only]) => self.take(only, given),
                (several, _) => {
                    let names: Vec<String> = several.iter().map(|c| format!("`{}`", self.name(c))).collect();
                    Err(Refusal::SeveralPartners(names))
                }
            };
        }
        let example = match self.example(switch) {
            Err(error @ StepError::Undefined { .. }) if given.is_empty() => {
                return Err(Refusal::Undefined(self.undefined(&error)));
            }
            example => example.ok().flatten(),
        };
        if example.is_none() && given.is_empty() {
            return Err(Refusal::NotAllowed(self.why_not(switch, None)));
        }
        let args = self.arguments(switch, given, example.as_deref())?;
        self.fire(switch, args)
    }

    /// Takes the handshake of two switches, with the values given.
    pub fn take_pair(&mut self, send: &str, receive: &str, given: &[Given]) -> Result<(), Refusal> {
        let (send, receive) = (self.find(send)?, self.find(receive)?);
        if !self.interpreter.pairs(self.state()).contains(&(send, receive)) {
            return Err(self.cannot_shake(send, receive, None));
        }
        match self.handshake(send, receive) {
            Some(choice) => self.take(&choice, given),
            None => {
                let args = self.interpreter.choices(&self.state().clone(), send).unwrap_or_default();
                Err(self.cannot_shake(send, receive, args.first().map(Vec::as_slice)))
            }
        }
    }

    fn shake(&mut self, send: SwitchId, receive: SwitchId, args: Vec<Value>) -> Result<(), Refusal> {
        let state = self.state().clone();
        match self.interpreter.shake(&state, send, receive, &args) {
            Ok(Some(next)) => {
                let text = script::handshake(self.model, send, receive, &args);
                self.steps.push(Done { text, state: next });
                Ok(())
            }
            Ok(None) => Err(self.cannot_shake(send, receive, Some(&args))),
            Err(error) => Err(Refusal::Undefined(self.undefined(&error))),
        }
    }

    /// Why there is no handshake, for these values or for all.
    fn cannot_shake(&mut self, send: SwitchId, receive: SwitchId, args: Option<&[Value]>) -> Refusal {
        let state = self.state().clone();
        let (a, b) = (&self.model.switches[send].name, &self.model.switches[receive].name);
        let mut lines = vec![format!("`{a}` and `{b}` cannot shake hands here")];
        if let Some(args) = args {
            for switch in [send, receive] {
                let reasons = self.interpreter.why_not(&state, switch, Some(args));
                lines.extend(reasons.iter().map(|r| words::describe(self.words, switch, r)));
            }
        }
        Refusal::NotAllowed(lines.join("\n  "))
    }

    /// A step at random: any switch that is enabled, with any values, unless the session was told how to choose them.
    pub fn random_step(&mut self) -> Result<Walked, Refusal> {
        let choices = self.choices();
        let known: Vec<Choice> = choices.iter().filter(|c| c.example.is_some()).cloned().collect();
        if known.is_empty() {
            let mut unknown = choices.iter().filter_map(|c| Some((self.name(c), c.unknown.as_ref()?)));
            return Ok(match unknown.next() {
                Some((name, why)) => Walked::Unknown(format!("it is unknown whether `{name}` is enabled: {why}")),
                None => Walked::End,
            });
        }
        let n = self.next_random() as usize % known.len();
        let mut choice = known[n].clone();
        if choice.open && self.solving.choice(self.steps.len()).is_none() {
            // Any of the values where they can be listed; otherwise what the solver draws, or else the example.
            let mut all = self.all_values(&choice);
            choice.example = if all.is_empty() {
                let draw = ValueChoice::Random(self.next_random());
                self.chosen(&choice, draw).map(|solved| solved.args).or(choice.example)
            } else {
                let n = self.next_random() as usize;
                let drawn = all[n % all.len()].clone();
                // A model error is not run into by chance, but where all values lead to one.
                if self.leads_to(&choice, &drawn).is_some() {
                    all.retain(|args| self.leads_to(&choice, args).is_none());
                }
                Some(if all.is_empty() { drawn } else { all.swap_remove(n % all.len()) })
            };
        }
        self.take(&choice, &[])?;
        Ok(Walked::On)
    }

    fn next_random(&mut self) -> u64 {
        // xorshift64*: the same seed gives the same walk, on every machine.
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    pub(super) fn fire(&mut self, switch: SwitchId, args: Vec<Value>) -> Result<(), Refusal> {
        let mut next = self.state().clone();
        match self.interpreter.fire(&mut next, switch, &args) {
            Ok(true) => {
                let text = script::line(self.model, switch, &args);
                self.steps.push(Done { text, state: next });
                Ok(())
            }
            Ok(false) => Err(Refusal::NotAllowed(self.why_not(switch, Some(&args)))),
            Err(e) => Err(Refusal::Undefined(self.undefined(&e))),
        }
    }

    /// The switch with a name.
    pub fn find(&self, name: &str) -> Result<SwitchId, Refusal> {
        let own = || name.to_owned();
        self.model.switch(name).ok_or_else(|| {
            let ending = format!(".{name}");
            let same = self.model.switches.values().filter(|s| s.name.ends_with(&ending));
            let same: Vec<String> = same.map(|s| s.name.clone()).collect();
            if !same.is_empty() {
                return Refusal::SeveralSwitches { name: own(), same };
            }
            if self.model.gate(name).is_some() {
                return Refusal::IsGate(own());
            }
            let words = ["help", "list", "undo", "reset", "state", "trace", "save", "random", "quit", "delta", "why"];
            Refusal::NoSwitch { name: own(), near: near_switch(self.model, name, words) }
        })
    }

    /// Why a switch is not enabled, for values that may be given, as sentences; or that it is.
    pub fn why(&mut self, name: &str, given: &[Given]) -> Result<String, Refusal> {
        if let Some((send, receive)) = name.split_once('/') {
            let (send, receive) = (self.find(send)?, self.find(receive)?);
            return Ok(self.why_no_handshake(send, receive));
        }
        let switch = self.find(name)?;
        let s = &self.model.switches[switch];
        if given.is_empty() {
            return Ok(self.why_not(switch, None));
        }
        let example = self.example(switch).ok().flatten();
        let params: Vec<_> = s.params.iter().map(|p| (p.name.as_str(), self.model.sorts.base(p.sort))).collect();
        let args = read_arguments(self.model, &params, given, example.as_deref())?;
        Ok(self.why_not(switch, Some(&args)))
    }

    fn why_no_handshake(&mut self, send: SwitchId, receive: SwitchId) -> String {
        let name = script::handshake_name(self.model, send, receive);
        let pairs = self.interpreter.pairs(self.state());
        let choice = pairs.contains(&(send, receive)).then(|| self.handshake(send, receive)).flatten();
        match choice {
            Some(Choice { problem: Some(error), .. }) => self.cannot_be_taken(&name, &error),
            Some(Choice { dead_end: Some(dead_end), .. }) => self.cannot_be_taken(&name, &dead_end.error),
            Some(Choice { unknown: Some(why), .. }) => format!("it is unknown whether `{name}` is enabled: {why}"),
            Some(_) => format!("`{name}` is enabled"),
            None => format!("{}; {}", self.why_not(send, None), self.why_not(receive, None)),
        }
    }

    pub(super) fn why_not(&mut self, switch: SwitchId, args: Option<&[Value]>) -> String {
        let state = self.state().clone();
        let s = &self.model.switches[switch];
        let name = &s.name;
        let mut reasons = self.interpreter.why_not(&state, switch, args);
        if matches!(s.label, Label::Send(_) | Label::Receive(_)) && state.location(s.process) == s.source {
            // What a receive gets is up to its partners, so trying values of its own says nothing.
            if matches!(s.label, Label::Receive(_)) && args.is_none() {
                reasons.clear();
            }
            let all = self.handshakes();
            if reasons.is_empty() && !all.iter().any(|c| c.switch == switch || c.receive == Some(switch)) {
                reasons.push(Reason::NoPartner);
            } else if reasons.is_empty() {
                return format!("`{name}` is enabled");
            }
        }
        if let Some(args) = args.filter(|_| reasons.is_empty())
            && let Err(error @ StepError::Undefined { .. }) = self.interpreter.fire(&mut state.clone(), switch, args)
        {
            return self.cannot_be_taken(name, &error);
        }
        if reasons.is_empty() {
            return match self.example(switch) {
                Ok(Some(example)) if args.is_none() && !example.is_empty() => {
                    format!("`{name}` is enabled, for example for {}", self.named_values(switch, &example))
                }
                _ => format!("`{name}` is enabled"),
            };
        }
        // What is not known is no reason where another one is known.
        let unknown = |r: &Reason| matches!(r, Reason::NeedsSolver(_));
        if let Some(Reason::NeedsSolver(why)) = reasons.first()
            && reasons.iter().all(unknown)
        {
            return format!("it is unknown whether `{name}` is enabled: {why}");
        }
        reasons.retain(|r| !unknown(r));
        // What is undefined is neither enabled nor not.
        let (undefined, others): (Vec<&Reason>, Vec<&Reason>) =
            reasons.iter().partition(|r| matches!(r, Reason::Undefined(_)));
        let told = |reasons: &[&Reason]| {
            let told: Vec<String> = reasons.iter().map(|r| words::describe(self.words, switch, r)).collect();
            told.join("; ")
        };
        match (others.is_empty(), undefined.is_empty()) {
            (false, true) => format!("`{name}` is not enabled: {}", told(&others)),
            (true, _) => format!("`{name}` cannot be taken: {}", told(&undefined)),
            (false, false) => {
                let (others, undefined) = (told(&others), told(&undefined));
                format!("`{name}` is not enabled: {others}; for other values, it cannot be taken: {undefined}")
            }
        }
    }

    /// `p = 6, q = true`.
    pub fn named_values(&self, switch: SwitchId, args: &[Value]) -> String {
        let params = &self.model.switches[switch].params;
        let parts: Vec<String> = params
            .iter()
            .zip(args)
            .map(|(p, v)| format!("{} = {}", p.name, self.model.sorts.show(p.sort, v)))
            .collect();
        parts.join(", ")
    }

    /// The name of a choice, as it can be typed.
    pub fn name(&self, choice: &Choice) -> String {
        let name = &self.model.switches[choice.switch].name;
        match choice.receive {
            Some(receive) => script::handshake_name(self.model, choice.switch, receive),
            None => name.clone(),
        }
    }

    /// Why a switch, a handshake or an event cannot be taken, if it is undefined.
    pub(super) fn cannot_be_taken(&self, name: &str, error: &StepError) -> String {
        match error {
            StepError::Undefined { .. } => format!("`{name}` cannot be taken: {}", self.undefined(error)),
            StepError::NeedsSolver { .. } => self.undefined(error),
        }
    }

    /// An error of the model, in words.
    pub fn undefined(&self, error: &StepError) -> String {
        self.words.error(error)
    }

    /// The values for a switch: those given, the terms of an output, the example for the rest.
    fn arguments(&self, switch: SwitchId, given: &[Given], example: Option<&[Value]>) -> Result<Vec<Value>, Refusal> {
        let s = &self.model.switches[switch];
        let params: Vec<_> = s.params.iter().map(|p| (p.name.as_str(), p.sort)).collect();
        read_arguments(self.model, &params, given, example)
    }
}

/// Values for parameters from what was given, by name or by position, with an example for the rest.
pub(super) fn read_arguments(
    model: &Model,
    params: &[(&str, sioco_model::SortId)],
    given: &[Given],
    example: Option<&[Value]>,
) -> Result<Vec<Value>, Refusal> {
    let mut values: Vec<Option<Value>> = vec![None; params.len()];
    for (i, g) in given.iter().enumerate() {
        let position = match &g.name {
            Some(name) => params.iter().position(|(n, _)| n == name).ok_or_else(|| {
                let there = params.iter().map(|(n, _)| (*n).to_owned()).collect();
                Refusal::NoParameter { name: name.clone(), there }
            })?,
            None => i,
        };
        let Some((name, sort)) = params.get(position) else {
            return Err(Refusal::TooMany { given: given.len(), wanted: params.len() });
        };
        let value = parse_value(&model.sorts, *sort, &g.value);
        let value = value.map_err(|why| Refusal::Value { name: (*name).to_owned(), why })?;
        if values[position].replace(value).is_some() {
            return Err(Refusal::Twice((*name).to_owned()));
        }
    }
    let filled = values.into_iter().enumerate().map(|(i, value)| {
        value.or_else(|| example?.get(i).cloned()).ok_or_else(|| {
            let (name, sort) = params[i];
            Refusal::NeedsValue { name: name.to_owned(), sort: model.sorts.name(sort) }
        })
    });
    filled.collect()
}

/// The variable with a name, if it is free at the start.
pub fn free_variable(model: &Model, name: &str) -> Result<VarId, Refusal> {
    model.variable(name).filter(|v| model.variables[*v].initial.is_none()).ok_or_else(|| {
        let free = model.free_variables().map(|v| model.variable_name(v)).collect();
        Refusal::NoVariable { name: name.to_owned(), free }
    })
}
