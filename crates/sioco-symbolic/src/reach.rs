//! Whether a given path can be taken (S1 section 3.1.4 and pseudocode 1): with values, or with the conditions that
//! clash, or unknown.

use std::fmt;

use sioco_model::model::{Direction, Label, Model};
use sioco_model::print;
use sioco_model::{Id, LocationId, SwitchId, TermId, Value, VarId};
use sioco_solve::values::{Choice, NoValues};
use sioco_solve::{Answer, Reason, Terms};

use crate::describe::Solved;
use crate::path::{Path, PathCondition, Possible};
use crate::prepare::Origin;
use crate::step::Step;

/// What became of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// It can be taken, for instance with these values.
    Reachable(Solved),
    /// It cannot; the step (from 0) at which that shows, and why.
    Impossible {
        /// The first step that cannot be taken.
        at: usize,
        /// Conditions that cannot be true together; none of them can be left out, as far as was found out.
        clash: Vec<Clash>,
    },
    /// It was not found out; the first step that is unknown, and why.
    Unknown {
        /// The step (from 0).
        at: usize,
        /// Why.
        reason: Reason,
    },
}

/// A condition that takes part in a contradiction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clash {
    /// The step (from 0) that brings it.
    pub step: usize,
    /// Where it comes from.
    pub origin: Origin,
    /// The condition over symbols, in the syntax of the language; helper symbols are replaced.
    pub text: String,
    /// The values of the variables that it reads, where they are known.
    pub values: Vec<(VarId, Value)>,
}

/// Why names are no path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPath {
    /// There is no such switch, gate or handshake.
    NoSuchSwitch {
        /// Which name (from 0).
        at: usize,
        /// The name.
        name: String,
    },
    /// The switch does not leave the location.
    NotHere {
        /// Which name (from 0).
        at: usize,
        /// The name.
        name: String,
        /// Where the processes are.
        locations: Vec<String>,
        /// What could have been meant: the steps that leave these locations.
        possible: Vec<String>,
    },
    /// Several steps have this label here, or several processes a switch of this name.
    Ambiguous {
        /// Which name (from 0).
        at: usize,
        /// The name.
        name: String,
        /// The steps.
        possible: Vec<String>,
    },
}

impl fmt::Display for NoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPath::NoSuchSwitch { at, name } => {
                write!(f, "step {}: there is no switch or gate `{name}` in this model", at + 1)
            }
            NoPath::NotHere { at, name, locations, possible } => {
                let from = locations.join(", ");
                write!(f, "step {}: `{name}` does not leave {from}", at + 1)?;
                match possible.is_empty() {
                    true => write!(f, "; nothing does"),
                    false => write!(f, "; what does: {}", possible.join(", ")),
                }
            }
            NoPath::Ambiguous { at, name, possible } => {
                write!(f, "step {}: `{name}` is ambiguous, it may be one of {}", at + 1, possible.join(", "))
            }
        }
    }
}

impl std::error::Error for NoPath {}

/// The steps that names mean, from the initial state on: names of switches, `send/receive` or one of the two for a
/// handshake, labels such as `?inX` where only one switch has it, and `delta`.
pub fn named_steps(model: &Model, names: &[&str]) -> Result<Vec<Step>, NoPath> {
    let outgoing = crate::step::Outgoing::new(model);
    let mut locations: Vec<LocationId> = model.processes.values().map(|p| p.initial).collect();
    let mut found = Vec::new();
    let mut here = Vec::new();
    for (at, &name) in names.iter().enumerate() {
        let name_of = || name.to_string();
        outgoing.steps(model, &locations, &mut here);
        let matching: Vec<Step> = match name {
            "delta" | "δ" => vec![Step::Delta],
            _ => here.iter().copied().filter(|s| is_named(model, *s, name)).collect(),
        };
        let names_of = |steps: &[Step]| steps.iter().map(|s| s.name(model)).collect();
        match matching[..] {
            [step] => {
                for s in step.switches() {
                    let s = &model.switches[s];
                    locations[s.process.index()] = s.target;
                }
                found.push(step);
            }
            [] if !candidates(model, name).is_empty() => {
                return Err(NoPath::Ambiguous { at, name: name_of(), possible: candidates(model, name) });
            }
            [] if !is_known(model, name) => return Err(NoPath::NoSuchSwitch { at, name: name_of() }),
            [] => {
                let locations = locations.iter().map(|l| model.location_name(*l)).collect();
                return Err(NoPath::NotHere { at, name: name_of(), locations, possible: names_of(&here) });
            }
            _ => return Err(NoPath::Ambiguous { at, name: name_of(), possible: names_of(&matching) }),
        }
    }
    Ok(found)
}

fn label_of(model: &Model, switch: SwitchId) -> Option<String> {
    match model.switches[switch].label {
        Label::Gate(g) => Some(format!("{}{}", model.gates[g].direction.sigil(), model.gates[g].name)),
        _ => None,
    }
}

fn is_named(model: &Model, step: Step, name: &str) -> bool {
    step.name(model) == name
        || name.split_once(HANDSHAKE).is_some_and(|(send, receive)| {
            matches!(step, Step::Handshake { send: s, receive: r }
                if model.switch(send) == Some(s) && model.switch(receive) == Some(r))
        })
        || step.switches().any(|s| model.switch(name) == Some(s))
        || step.switches().any(|s| label_of(model, s).as_deref() == Some(name))
}

/// The switches, or handshakes, that a name without processes may mean, where that are several.
fn candidates(model: &Model, name: &str) -> Vec<String> {
    let of = |part: &str| match model.switch(part) {
        Some(switch) => vec![model.switches[switch].name.clone()],
        None => model.switches_called(part).map(|s| model.switches[s].name.clone()).collect(),
    };
    let found: Vec<String> = match name.split_once(HANDSHAKE) {
        None => of(name),
        Some((send, receive)) => {
            let (sends, receives) = (of(send), of(receive));
            sends.iter().flat_map(|s| receives.iter().map(move |r| format!("{s}{HANDSHAKE}{r}"))).collect()
        }
    };
    if found.len() > 1 { found } else { Vec::new() }
}

/// Stands between the two switches of a handshake.
const HANDSHAKE: char = '/';

fn is_known(model: &Model, name: &str) -> bool {
    let gate = |n: &str, d: Direction| model.gate(n).is_some_and(|g| model.gates[g].direction == d);
    match name.split_at_checked(1) {
        Some(("?", gate_name)) => gate(gate_name, Direction::Input),
        Some(("!", gate_name)) => gate(gate_name, Direction::Output),
        _ => {
            let mut parts = name.split(HANDSHAKE);
            parts.all(|n| model.switch(n).is_some())
        }
    }
}

/// Takes a path from the initial state, and says whether that is possible. The path is at its end afterwards, or
/// before the first step that is impossible.
pub fn reach(path: &mut Path<'_>, steps: &[Step], choice: Choice) -> Reach {
    while !path.is_empty() {
        path.retreat();
    }
    path.record();
    let mut doubt = None;
    for (at, &step) in steps.iter().enumerate() {
        let (step, answer) = match (step, path.probe(step)) {
            // Silence for another reason.
            (Step::Delta, Possible::No) if path.may_diverge() => match path.probe(Step::Divergence) {
                Possible::No => (step, Possible::No),
                other => (Step::Divergence, other),
            },
            other => other,
        };
        match answer {
            Possible::Yes => {}
            Possible::Unknown(reason) => {
                doubt.get_or_insert((at, reason));
            }
            Possible::No => return Reach::Impossible { at, clash: path.clash(step) },
        }
        path.advance(step);
    }
    match path.solve_with(choice) {
        Ok(solved) => Reach::Reachable(solved),
        Err(NoValues::Unknown(reason)) => {
            let (at, reason) = doubt.unwrap_or((steps.len().saturating_sub(1), reason));
            Reach::Unknown { at, reason }
        }
        Err(NoValues::Impossible) => {
            let at = steps.len().saturating_sub(1);
            let all = path.conditions().to_vec();
            let clash = path.smallest(all);
            Reach::Impossible { at, clash }
        }
    }
}

impl Path<'_> {
    /// The conditions that keep an impossible step from being taken.
    pub fn clash(&mut self, step: Step) -> Vec<Clash> {
        let at = self.len();
        // A condition that is false by itself says it all.
        for (origin, source, reads) in self.step_conditions(step) {
            let instance = self.instance(source, &reads);
            let unsatisfied = self.pool.as_const(instance) == Some(&Value::Bool(false));
            if unsatisfied || (reads.iter().all(|v| self.value(*v).is_some()) && self.never(instance)) {
                let values = reads.iter().filter_map(|v| self.value(*v).map(|x| (*v, x.clone()))).collect();
                return vec![Clash { step: at, origin, text: self.source_text(origin, source), values }];
            }
        }
        // With the parameters of the step as symbols, as if it were taken.
        self.advance(step);
        let all = self.conditions().to_vec();
        let clash = self.smallest(all);
        self.retreat();
        clash
    }

    /// Whether a condition without variables is never true, whatever the parameters are.
    fn never(&mut self, instance: TermId) -> bool {
        let (_, has_params) = crate::prepare::leaves(&self.pool, instance);
        !has_params && self.clashes(&[instance])
    }

    /// A condition as it stands in the model.
    fn source_text(&self, origin: Origin, source: TermId) -> String {
        let model = self.model();
        match origin {
            Origin::Guard(switch, i) => {
                let parts = crate::prepare::conjuncts(&model.terms, model.switches[switch].guard);
                match parts.get(i) {
                    Some(part) => print::term(model, Some(switch), *part),
                    None => self.show(source),
                }
            }
            Origin::Defined(switch, _) | Origin::Silent(switch) => {
                print::term_in(model, self.pool(), Some(switch), &|y| self.symbol_name(y), source)
            }
            Origin::Agreement(..) | Origin::Definition(_) | Origin::Wanted => self.show(source),
        }
    }

    /// As few of the conditions as can be found that still clash.
    pub(crate) fn smallest(&mut self, all: Vec<PathCondition>) -> Vec<Clash> {
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        let core = match self.solver.core(terms, &self.limits) {
            Answer::Unsat(core) => core,
            _ => None,
        };
        let in_core = |core: Vec<TermId>| all.iter().copied().filter(|c| core.contains(&c.term)).collect();
        let mut left: Vec<PathCondition> = core.map_or_else(|| all.clone(), in_core);
        // Definitions are not shown. Where they clash by themselves, since a value leaves its range, the condition that
        // it does not says so, too; and it is kept, since the definition comes after it.
        if left.iter().all(|c| matches!(c.origin, Origin::Definition(_))) {
            left = all;
        }
        // The solver's core may be too large; what is left out one by one and still clashes is not needed.
        let mut i = left.len();
        while i > 0 && left.len() > 1 {
            i -= 1;
            let without: Vec<TermId> = left.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, c)| c.term).collect();
            if self.clashes(&without) {
                left.remove(i);
            }
        }
        // Helper symbols are shown by being put into the others.
        let known = self.definitions();
        let is_definition = |c: &PathCondition| matches!(c.origin, Origin::Definition(_));
        if !left.iter().all(is_definition) {
            left.retain(|c| !is_definition(c));
        }
        left.into_iter()
            .map(|c| {
                // A definition that is left shows itself.
                let term = if is_definition(&c) { c.term } else { self.put_in(c.term, &known) };
                Clash { step: c.step - 1, origin: c.origin, text: self.show(term), values: Vec::new() }
            })
            .collect()
    }

    fn clashes(&mut self, conditions: &[TermId]) -> bool {
        self.side.push();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        for c in conditions {
            self.side.assert(terms, *c);
        }
        let answer = self.side.check(terms, &self.limits, false);
        self.side.pop();
        matches!(answer, Answer::Unsat(_))
    }
}
