//! The checked model: what the rest of sioco works on (S0 definition 3, S1 definition 6, S3 definition 3, S4 section
//! 2.1 as one structure).
//!
//! A model is a system of process instances. Instances of one process are separate here, each with its own
//! variables, locations and switches and with the process parameters replaced by their values. There are no source
//! positions: the language keeps its own table from ids to spans.

use std::collections::BTreeMap;

use crate::id::{ChannelId, GateId, IdVec, LocationId, ProcessId, SortId, SwitchId, TermId, VarId, WrittenId};
use crate::number::Rational;
use crate::purpose::Purpose;
use crate::sort::{Sort, Sorts};
use crate::term::TermPool;
use crate::value::Value;

/// A checked model. [`verify`](crate::verify::verify) lists what always holds of one.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the system.
    pub name: String,
    /// The sorts and data types.
    pub sorts: Sorts,
    /// The terms.
    pub terms: TermPool,
    /// The gates, in the order declared.
    pub gates: IdVec<GateId, Gate>,
    /// The channels, in the order declared.
    pub channels: IdVec<ChannelId, Channel>,
    /// The process instances that run in parallel.
    pub processes: IdVec<ProcessId, Process>,
    /// The variables of all instances.
    pub variables: IdVec<VarId, Variable>,
    /// The locations of all instances.
    pub locations: IdVec<LocationId, Location>,
    /// The switches of all instances.
    pub switches: IdVec<SwitchId, Switch>,
    /// The purposes that were written for it, in the order written.
    pub purposes: IdVec<WrittenId, Purpose>,
    /// The guards, as they were written, of switches that were made narrower since; see [`narrow`](Model::narrow).
    pub written: BTreeMap<SwitchId, TermId>,
}

/// Direction of a gate, seen from the system under test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Direction {
    /// The tester stimulates.
    Input,
    /// The system under test responds.
    Output,
}

impl Direction {
    /// `?` or `!`.
    pub fn sigil(self) -> char {
        match self {
            Direction::Input => '?',
            Direction::Output => '!',
        }
    }
}

/// A named, typed interaction with the outside (T-M1; S0: gate, S1: label, S3: channel).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// Who causes it.
    pub direction: Direction,
    /// Its parameters.
    pub params: Vec<Param>,
}

/// The name of the output gate that stands for the end of the system under test.
pub const CLOSED: &str = "closed";

/// The name of the output gate that stands for a crash of the system under test: an abnormal end of it.
pub const CRASHED: &str = "crashed";

/// Whether a gate with this name stands for an end of the system under test, orderly or not.
pub fn is_end(name: &str) -> bool {
    [CLOSED, CRASHED].contains(&name)
}

/// A named, typed interaction between two processes, hidden from the outside (S4: internal channel).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
}

/// A parameter of a gate or channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its sort, with its range.
    pub sort: SortId,
    /// For a real output: how far an observed value may be from the value of the model.
    pub tolerance: Option<Rational>,
}

impl Param {
    /// Whether the value fits: of the right sort and inside its range. Where there is a tolerance, a value that is no
    /// farther outside than that may still be equal to one inside.
    pub fn takes(&self, sorts: &Sorts, value: &Value) -> bool {
        is_near(sorts, self.sort, self.tolerance.as_ref(), value)
    }
}

/// Whether a value is one of the sort, or outside of its range by no more than the tolerance.
fn is_near(sorts: &Sorts, sort: SortId, tolerance: Option<&Rational>, value: &Value) -> bool {
    let near = match (tolerance, sorts.get(sort), value) {
        (Some(tolerance), Sort::Real { lo, hi }, Value::Real(r)) => {
            lo.as_ref().is_none_or(|lo| lo - tolerance <= **r) && hi.as_ref().is_none_or(|hi| **r <= hi + tolerance)
        }
        _ => false,
    };
    near || sorts.contains(sort, value)
}

/// An instance of a process (T-M3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name, unique in the system.
    pub name: String,
    /// The process it is an instance of.
    pub template: String,
    /// The values of the process parameters.
    pub args: Vec<(String, SortId, Value)>,
    /// Where it starts.
    pub initial: LocationId,
    /// Its locations, in the order written; hidden ones last.
    pub locations: Vec<LocationId>,
    /// Its variables.
    pub variables: Vec<VarId>,
    /// Its switches, in the order written.
    pub switches: Vec<SwitchId>,
}

/// A location of a process instance (S1: state).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its name, unique in the process.
    pub name: String,
    /// The instance it belongs to.
    pub process: ProcessId,
    /// Whether ending here is no deadlock.
    pub is_final: bool,
    /// Whether it stands between an input and its answer and was never written.
    pub hidden: bool,
    /// The switches that leave it, in the order written.
    pub outgoing: Vec<SwitchId>,
}

/// A variable of a process instance (S0: location variable, S3: attribute).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, unique in the process.
    pub name: String,
    /// The instance it belongs to.
    pub process: ProcessId,
    /// Its sort, with its range.
    pub sort: SortId,
    /// Its value at the start; `None` is free: any value, drawn anew at every reset (T-M11; S3 definition 9).
    pub initial: Option<Value>,
    /// Whether it carries a parameter from an input to its answer and was never written.
    pub hidden: bool,
}

/// What a switch does with the world (S0: gate; S1: no label for internal ones; S4: internal channels).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Label {
    /// An interaction at a gate; the gate says in which direction.
    Gate(GateId),
    /// Offers a value to another process (T-M2).
    Send(ChannelId),
    /// Takes a value from another process.
    Receive(ChannelId),
    /// An internal step (tau).
    Internal,
}

/// A switch `(source, label, parameters, guard, update, target)` (T-M4; S0 definition 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Its name, given or derived, unique in the model.
    pub name: String,
    /// Whether the name was given.
    pub named: bool,
    /// Requirement ids and the like.
    pub tags: Vec<String>,
    /// The instance it belongs to.
    pub process: ProcessId,
    /// Where it starts.
    pub source: LocationId,
    /// What it does.
    pub label: Label,
    /// One parameter per parameter of the gate or channel; for an internal switch, the values it chooses.
    pub params: Vec<SwitchParam>,
    /// A condition over variables and parameters. Parameters with a [`term`](SwitchParam::term) do not occur in it.
    pub guard: TermId,
    /// Whether the guard was written `else`.
    pub is_else: bool,
    /// New values of variables, all evaluated on the old state; other variables keep theirs.
    pub update: Vec<(VarId, TermId)>,
    /// Where it leads.
    pub target: LocationId,
}

/// A parameter of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchParam {
    /// Its name in the switch.
    pub name: String,
    /// Its sort, with its range.
    pub sort: SortId,
    /// The value it has, for an output or send written with a term: the conjunct `parameter == term` of the guard
    /// in S0's form. `None` for a parameter that is bound by the interaction or chosen freely.
    pub term: Option<TermId>,
    /// How far the value may be from the term.
    pub tolerance: Option<Rational>,
}

impl SwitchParam {
    /// Whether the parameter can have this value: what is chosen or received is inside the range. A tolerance is for
    /// values that the model computes, and reaches over the ends of the range.
    pub fn takes(&self, sorts: &Sorts, value: &Value) -> bool {
        match self.term {
            Some(_) => is_near(sorts, self.sort, self.tolerance.as_ref(), value),
            None => sorts.contains(self.sort, value),
        }
    }
}

impl Model {
    /// The direction of a switch at a gate; `None` for internal steps and channels.
    pub fn direction(&self, switch: SwitchId) -> Option<Direction> {
        match self.switches[switch].label {
            Label::Gate(gate) => Some(self.gates[gate].direction),
            _ => None,
        }
    }

    /// The gate with a name.
    pub fn gate(&self, name: &str) -> Option<GateId> {
        self.gates.iter().find(|(_, g)| g.name == name).map(|(id, _)| id)
    }

    /// Whether this is a gate value (S0 definition 6): the values [fit](Param::takes) the parameters of the gate, one each.
    /// Whatever is sent or observed is asked here.
    pub fn is_gate_value(&self, gate: GateId, args: &[Value]) -> bool {
        let params = &self.gates[gate].params;
        params.len() == args.len() && params.iter().zip(args).all(|(p, v)| p.takes(&self.sorts, v))
    }

    /// Why values are no [gate value](Self::is_gate_value), for people; nothing if they are one.
    pub fn misfit(&self, gate: GateId, args: &[Value]) -> Option<String> {
        let params = &self.gates[gate].params;
        if params.len() != args.len() {
            return Some(format!("{} values for {} parameters", args.len(), params.len()));
        }
        let (p, v) = params.iter().zip(args).find(|(p, v)| !p.takes(&self.sorts, v))?;
        Some(format!("{} is not a value of `{}: {}`", self.sorts.show(p.sort, v), p.name, self.sorts.name(p.sort)))
    }

    /// The switch with a name; the instance may be left out where no other has a switch of that name.
    pub fn switch(&self, name: &str) -> Option<SwitchId> {
        let exact = self.switches.iter().find(|(_, s)| s.name == name).map(|(id, _)| id);
        exact.or_else(|| only(self.switches_called(name)))
    }

    /// The written purpose with a name.
    pub fn purpose(&self, name: &str) -> Option<WrittenId> {
        self.purposes.iter().find(|(_, p)| p.name == name).map(|(id, _)| id)
    }

    /// The switches that have a name if their process is left out.
    pub fn switches_called(&self, name: &str) -> impl Iterator<Item = SwitchId> {
        let is_short = move |s: &Switch| {
            let short = s.name.strip_prefix(&self.processes[s.process].name);
            short.and_then(|n| n.strip_prefix('.')) == Some(name)
        };
        self.switches.iter().filter(move |(_, s)| is_short(s)).map(|(id, _)| id)
    }

    /// The variable with a name: `x`, or `Instance.x` where several instances have one.
    pub fn variable(&self, name: &str) -> Option<VarId> {
        let exact = self.variables.ids().find(|id| self.variable_name(*id) == name);
        exact.or_else(|| only(self.variables.iter().filter(|(_, v)| v.name == name).map(|(id, _)| id)))
    }

    /// The location with a name: `l0`, or `Instance.l0` where several instances have one.
    pub fn location(&self, name: &str) -> Option<LocationId> {
        let exact = self.locations.ids().find(|id| self.location_name(*id) == name);
        exact.or_else(|| only(self.locations.iter().filter(|(_, l)| l.name == name).map(|(id, _)| id)))
    }

    /// The name of a variable, with its instance where there are several.
    pub fn variable_name(&self, id: VarId) -> String {
        let v = &self.variables[id];
        self.qualified(v.process, &v.name)
    }

    /// The name of a location, with its instance where there are several.
    pub fn location_name(&self, id: LocationId) -> String {
        let l = &self.locations[id];
        self.qualified(l.process, &l.name)
    }

    fn qualified(&self, process: ProcessId, name: &str) -> String {
        if self.processes.len() == 1 { name.into() } else { format!("{}.{name}", self.processes[process].name) }
    }

    /// The variables whose value at the start is free.
    pub fn free_variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.variables.iter().filter(|(_, v)| v.initial.is_none()).map(|(id, _)| id)
    }

    /// Adds a condition to the guard of a switch that the model does not have, and that is nobody's goal: there may be
    /// values of an input that cannot be sent.
    pub fn narrow(&mut self, switch: SwitchId, condition: TermId) {
        let guard = self.switches[switch].guard;
        self.written.entry(switch).or_insert(guard);
        self.switches[switch].guard = self.terms.and(&self.sorts, &[guard, condition]);
    }

    /// The guard of a switch as it was written.
    pub fn written_guard(&self, switch: SwitchId) -> TermId {
        self.written.get(&switch).copied().unwrap_or(self.switches[switch].guard)
    }

    /// The guard in S0's form: with a conjunct `parameter == term` for every parameter that has a term.
    pub fn full_guard(&mut self, switch: SwitchId) -> TermId {
        let s = &self.switches[switch];
        let mut parts = vec![s.guard];
        for (i, p) in s.params.iter().enumerate() {
            if let Some(term) = p.term {
                let param = self.terms.param(i as u32, self.sorts.base(p.sort));
                parts.push(self.terms.eq(&self.sorts, param, term));
            }
        }
        self.terms.and(&self.sorts, &parts)
    }
}

/// The item of an iterator that has exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
