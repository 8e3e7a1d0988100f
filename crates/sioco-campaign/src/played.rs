//! A model that plays the system under test, as another model knows it: gates and values go by their names.

use std::time::Duration;

use serde_json::Value as Json;
use sioco_adapter::gates::differences_of_models;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::journal::{args, declared, read_args};
use sioco_exec::{Fault, FaultKind, Order, Player, Polled, Sut, SutEvent};
use sioco_model::model::{Direction, Model};
use sioco_model::{GateId, Id};

/// See the [module](self).
pub struct Played<'m> {
    player: Player<'m>,
    /// The model that is played.
    played: &'m Model,
    /// The model that it is compared with.
    model: &'m Model,
    /// The gates of the player by those of the model, and the other way round; nothing where there is none.
    inputs: Vec<Option<GateId>>,
    outputs: Vec<Option<GateId>>,
    /// Inputs that the player does not have.
    refused: Vec<u64>,
    /// How the gates of the two models differ, in words.
    differences: Vec<String>,
}

impl<'m> Played<'m> {
    /// A player of one model for a tester of another.
    pub fn new(player: Player<'m>, played: &'m Model, model: &'m Model) -> Played<'m> {
        let inputs = model.gates.values().map(|g| declared(played, &g.name, g.direction).ok());
        let outputs = played.gates.values().map(|g| declared(model, &g.name, g.direction).ok());
        let (inputs, outputs) = (inputs.collect(), outputs.collect());
        let differences = differences_of_models(model, played);
        Played { player, played, model, inputs, outputs, refused: Vec::new(), differences }
    }

    /// An input of the model as the player knows it.
    fn input(&self, input: &GateValue) -> Option<GateValue> {
        let gate = self.inputs.get(input.gate.index()).copied().flatten()?;
        let args = read_args(self.played, gate, Some(&args(self.model, input))).ok()?;
        Some(GateValue { gate, args })
    }

    /// Something that was recorded as the player knows it, if it can be something that it did.
    fn action(&self, action: &Action) -> Option<Action> {
        let output = |gate: GateId, json: &Json| {
            let gate = declared(self.played, &self.model.gates[gate].name, Direction::Output).ok()?;
            let args = read_args(self.played, gate, Some(json)).ok()?;
            Some(Action::Seen(Observation::Output(GateValue { gate, args })))
        };
        match action {
            Action::Input(input) => self.input(input).map(Action::Input),
            Action::Seen(Observation::Output(seen)) => output(seen.gate, &args(self.model, seen)),
            Action::Seen(Observation::Malformed { gate, raw, .. }) => {
                output((*gate)?, &serde_json::from_str::<Json>(raw).ok()?)
            }
            Action::Seen(Observation::Delta | Observation::Closed | Observation::Crashed(_)) => Some(action.clone()),
        }
    }

    fn seen(&self, output: &GateValue) -> Result<Observation, Fault> {
        let gate = self.outputs.get(output.gate.index()).copied().flatten();
        let gate = gate.ok_or_else(|| {
            let why = declared(self.model, &self.played.gates[output.gate].name, Direction::Output);
            let why = why.err().map(|why| why.to_string()).unwrap_or_default();
            let message = format!("the model that is played gave {}: {why}", output.show(self.played));
            Fault { kind: FaultKind::Protocol, message, stderr: Vec::new(), again: false }
        })?;
        let json = args(self.played, output);
        Ok(match read_args(self.model, gate, Some(&json)) {
            Ok(args) => Observation::Output(GateValue { gate, args }),
            Err(why) => Observation::Malformed { gate: Some(gate), why: why.0, raw: json.to_string() },
        })
    }
}

impl Sut for Played<'_> {
    fn order(&self) -> Order {
        self.player.order()
    }

    fn reset(&mut self, run: u64, seed: u64) -> Result<(), Fault> {
        if !self.differences.is_empty() {
            let all = self.differences.join("; ");
            let message = format!("the gates of the model that is played are not those of the model: {all}");
            return Err(Fault { kind: FaultKind::Protocol, message, stderr: Vec::new(), again: false });
        }
        self.refused.clear();
        self.player.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        match self.input(input) {
            Some(input) => self.player.send(id, &input),
            None => {
                self.refused.push(id);
                Ok(())
            }
        }
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if let Some(id) = self.refused.pop() {
            let why = "the model that is played has no such input".to_owned();
            return Ok(Polled::Event(SutEvent::Refused { id, why }));
        }
        Ok(match self.player.poll(wait)? {
            Polled::Event(SutEvent::Observed(Observation::Output(output))) => {
                Polled::Event(SutEvent::Observed(self.seen(&output)?))
            }
            other => other,
        })
    }

    fn follow(&mut self, recorded: &[Action]) {
        // What the player cannot have done ends what it can do again.
        let known: Vec<Action> = recorded.iter().map_while(|action| self.action(action)).collect();
        self.player.follow(&known);
    }

    fn follows(&self) -> Option<bool> {
        self.player.follows()
    }
}
