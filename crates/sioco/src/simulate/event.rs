//! Events: an interaction by its gate and values, whatever switch does it.

use sioco_lang::diagnostic::did_you_mean;
use sioco_model::model::{Direction, Label};
use sioco_model::semantics::StepError;
use sioco_model::{GateId, SwitchId, Value};

use super::refusal::Refusal;
use super::request::Given;
use super::session::{Simulation, read_arguments};

impl Simulation<'_> {
    /// Takes the switch of a gate that is enabled for the values; if there are several, says which.
    pub fn take_event(&mut self, event: &str, given: &[Given]) -> Result<(), Refusal> {
        let (gate, args) = self.event(event, given)?;
        let (enabled, unknown) = self.enabled(gate, &args)?;
        if let Some(error) = unknown {
            return Err(Refusal::Undefined(self.undefined(&error)));
        }
        match enabled[..] {
            [only] => self.fire(only, args),
            [] => Err(Refusal::NotAllowed(self.why_no_event(gate, &args))),
            ref several => {
                let names: Vec<String> =
                    several.iter().map(|s| format!("`{}`", self.model.switches[*s].name)).collect();
                Err(Refusal::SeveralDo(names))
            }
        }
    }

    /// The switches that are enabled for an event, and why that is not known of another. If a guard is undefined for it,
    /// the event is a model error; who names a switch asks for that one alone.
    fn enabled(&mut self, gate: GateId, args: &[Value]) -> Result<(Vec<SwitchId>, Option<StepError>), Refusal> {
        let state = self.state().clone();
        let (mut enabled, mut unknown) = (Vec::new(), None);
        for switch in self.interpreter.switches_at(&state, gate) {
            match self.interpreter.enabled(&state, switch, args) {
                Ok(true) => enabled.push(switch),
                Ok(false) => {}
                Err(error @ StepError::Undefined { .. }) => return Err(Refusal::Undefined(self.undefined(&error))),
                Err(error) => unknown = Some(error),
            }
        }
        Ok((enabled, unknown))
    }

    /// Why an event is not possible, or that it is.
    pub fn why_event(&mut self, event: &str, given: &[Given]) -> Result<String, Refusal> {
        let (gate, args) = self.event(event, given)?;
        let state = self.state().clone();
        Ok(match self.interpreter.successors(&state, gate, &args) {
            Ok(possible) => match possible.first() {
                Some((switch, _)) => format!("it is possible, by `{}`", self.model.switches[*switch].name),
                None => self.why_no_event(gate, &args),
            },
            // That is an answer, too.
            Err(error) => {
                let g = &self.model.gates[gate];
                self.cannot_be_taken(&format!("{}{}", g.direction.sigil(), g.name), &error)
            }
        })
    }

    /// Why no switch of a gate is enabled for the values, and for an output what is allowed instead.
    fn why_no_event(&mut self, gate: GateId, args: &[Value]) -> String {
        let state = self.state().clone();
        let g = &self.model.gates[gate];
        let event = format!("{}{}", g.direction.sigil(), g.name);
        let candidates = self.interpreter.switches_at(&state, gate);
        let mut lines = Vec::new();
        if candidates.is_empty() {
            lines.push(format!("no switch with `{event}` leaves this state"));
        } else {
            lines.push(format!("`{event}` is not possible here:"));
            lines.extend(candidates.into_iter().map(|s| self.why_not(s, Some(args))));
        }
        if g.direction == Direction::Output {
            let offers = match self.interpreter.outputs(&state) {
                Ok(offers) => offers,
                Err(error) => {
                    lines.push(format!("which outputs are allowed here is not known: {}", self.undefined(&error)));
                    return lines.join("\n  ");
                }
            };
            let shown: Vec<String> = offers
                .iter()
                .map(|o| {
                    let example = if o.fixed { "" } else { ", for example" };
                    let Label::Gate(gate) = self.model.switches[o.switch].label else { return String::new() };
                    let values = self.named_values(o.switch, &o.args);
                    let values = if values.is_empty() { values } else { format!("({values})") };
                    format!("!{}{values}{example}", self.model.gates[gate].name)
                })
                .collect();
            lines.push(if shown.is_empty() {
                "no output is allowed here".into()
            } else {
                format!("allowed here: {}", shown.join("; "))
            });
        }
        lines.join("\n  ")
    }

    /// The gate and the values of an event; the sigil may be left out.
    fn event(&mut self, event: &str, given: &[Given]) -> Result<(GateId, Vec<Value>), Refusal> {
        let name = event.trim_start_matches(['?', '!']);
        let sigil = event.strip_suffix(name).unwrap_or_default();
        let Some(gate) = self.model.gate(name) else {
            let near = did_you_mean(name, self.model.gates.values().map(|g| g.name.as_str()));
            return Err(Refusal::NoGate { name: name.to_owned(), near });
        };
        let direction = self.model.gates[gate].direction;
        if !sigil.is_empty() && direction.sigil().to_string() != sigil {
            return Err(Refusal::Direction { name: name.to_owned(), is: direction });
        }
        let state = self.state().clone();
        let candidates = self.interpreter.switches_at(&state, gate);
        // A tolerance reaches over the ends of a range; the interpreter knows how far.
        let sort = |p: &sioco_model::model::Param| match p.tolerance {
            Some(_) => self.model.sorts.base(p.sort),
            None => p.sort,
        };
        let params = self.model.gates[gate].params.iter().map(|p| (p.name.as_str(), sort(p))).collect::<Vec<_>>();
        let examples: Vec<_> = candidates.iter().map(|s| self.example(*s)).collect();
        let example = examples.iter().find_map(|e| e.as_ref().ok()?.clone());
        if let (None, true, Some(error)) = (&example, given.is_empty(), examples.iter().find_map(|e| e.as_ref().err()))
        {
            return Err(Refusal::Undefined(self.undefined(error)));
        }
        let args = read_arguments(self.model, &params, given, example.as_deref().filter(|_| given.is_empty()))?;
        Ok((gate, args))
    }
}
