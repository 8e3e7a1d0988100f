//! A model that plays the system under test, as another model knows it: gates and values go by their names.
//!
//! Where both models declare a gate alike, its values are taken as they are; otherwise they are written as JSON by the
//! one and read by the other, as by an adapter.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value as Json;
use sioco_adapter::gates::differences_of_models;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::journal::{args, declared, read_args};
use sioco_exec::{Fault, FaultKind, Order, Player, Polled, RunNumber, Sut, SutEvent};
use sioco_model::model::{Direction, Model};
use sioco_model::{GateId, Id};

use crate::alike::{differences_of_params, params_are_alike};

/// See the [module](self).
pub struct Played<'m> {
    player: Player<'m>,
    /// The played model.
    played: &'m Model,
    /// The model that it is compared with.
    model: &'m Model,
    /// The gates of the player by those of the model, and the other way round; nothing where there is none.
    inputs: Vec<Option<Crossing>>,
    outputs: Vec<Option<Crossing>>,
    /// Inputs that the player does not have.
    refused: Vec<u64>,
    /// How the gates of the two models differ, in words.
    differences: Vec<String>,
    /// What the player and the model are called there.
    names: [String; 2],
}

/// Where the values of a gate go in the other model.
#[derive(Clone, Copy)]
struct Crossing {
    gate: GateId,
    /// Whether they mean the same there.
    alike: bool,
}

impl Crossing {
    /// Those of a model's gates.
    fn all(from: &Model, to: &Model) -> Vec<Option<Crossing>> {
        let crossing = |id| {
            let gate = declared(to, &from.gates[id].name, from.gates[id].direction).ok()?;
            Some(Crossing { gate, alike: params_are_alike((from, id), (to, gate)) })
        };
        from.gates.ids().map(crossing).collect()
    }

    /// Whether values can be taken as they are.
    fn takes(self, to: &Model, value: &GateValue) -> bool {
        self.alike && to.is_gate_value(self.gate, &value.args)
    }
}

impl<'m> Played<'m> {
    /// A player of one model for a tester of another.
    pub fn new(player: Player<'m>, played: &'m Model, model: &'m Model) -> Played<'m> {
        let (inputs, outputs) = (Crossing::all(model, played), Crossing::all(played, model));
        let mut differences = differences_of_models(model, played);
        differences.extend(differences_of_params(model, played));
        let names = ["the played model".to_owned(), "the model".to_owned()];
        Played { player, played, model, inputs, outputs, refused: Vec::new(), differences, names }
    }

    /// The same for models that are in these files.
    pub fn in_files(mut self, played: &str, model: &str) -> Played<'m> {
        for (name, file) in self.names.iter_mut().zip([played, model]) {
            name.push_str(&format!(" (`{file}`)"));
        }
        self
    }

    /// An input of the model as the player knows it.
    fn input<'i>(&self, input: &'i GateValue) -> Option<Cow<'i, GateValue>> {
        let crossing = self.inputs.get(input.gate.index()).copied().flatten()?;
        let gate = crossing.gate;
        if crossing.takes(self.played, input) {
            return Some(match gate == input.gate {
                true => Cow::Borrowed(input),
                false => Cow::Owned(GateValue { gate, args: input.args.clone() }),
            });
        }
        let args = read_args(self.played, gate, Some(&args(self.model, input))).ok()?;
        Some(Cow::Owned(GateValue { gate, args }))
    }

    /// Something that was recorded as the player knows it, if it can be something that it did.
    fn action(&self, action: &Action) -> Option<Action> {
        let output = |gate: GateId, json: &Json| {
            let gate = declared(self.played, &self.model.gates[gate].name, Direction::Output).ok()?;
            let args = read_args(self.played, gate, Some(json)).ok()?;
            Some(Action::Seen(Observation::Output(GateValue { gate, args })))
        };
        match action {
            Action::Input(input) => self.input(input).map(|input| Action::Input(input.into_owned())),
            Action::Seen(Observation::Output(seen)) => output(seen.gate, &args(self.model, seen)),
            Action::Seen(Observation::Malformed { gate, raw, .. }) => {
                output((*gate)?, &serde_json::from_str::<Json>(raw).ok()?)
            }
            Action::Seen(Observation::Delta | Observation::Closed | Observation::Crashed(_)) => Some(action.clone()),
        }
    }

    fn seen(&self, output: GateValue) -> Result<Observation, Fault> {
        let crossing = self.outputs.get(output.gate.index()).copied().flatten();
        let crossing = crossing.ok_or_else(|| {
            let why = declared(self.model, &self.played.gates[output.gate].name, Direction::Output);
            let why = why.err().map(|why| why.to_string()).unwrap_or_default();
            let message = format!("the played model gave {}: {why}", output.show(self.played));
            Fault { kind: FaultKind::Protocol, message, stderr: Vec::new(), again: false }
        })?;
        let gate = crossing.gate;
        if crossing.takes(self.model, &output) {
            return Ok(Observation::Output(GateValue { gate, ..output }));
        }
        let json = args(self.played, &output);
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

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        if !self.differences.is_empty() {
            let all = self.differences.join("; ");
            let [played, model] = &self.names;
            let message = format!("{played} has other gates than {model}: {all}");
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
            let why = "the played model has no such input".to_owned();
            return Ok(Polled::Event(SutEvent::Refused { id, why }));
        }
        Ok(match self.player.poll(wait)? {
            Polled::Event(SutEvent::Observed(Observation::Output(output))) => {
                Polled::Event(SutEvent::Observed(self.seen(output)?))
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
