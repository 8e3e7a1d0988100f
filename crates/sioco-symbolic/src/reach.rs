//! Whether a given path can be taken (T-X5; S1 section 3.1.4, pseudocode 1): with values, or with the conditions that
//! clash, or unknown.

use std::fmt;

use sioco_model::model::{Direction, Label, Model};
use sioco_model::{Id, LocationId, SwitchId, Value, VarId};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};

use crate::describe::Solved;
use crate::path::{Path, Possible};
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

/// At most this many ways to be silent are tried: each is a question. Beyond, the answer is `unknown`.
const WAYS: usize = 64;

/// Takes a path from the initial state, and says whether that is possible. The path is at its end afterwards, or before
/// the first step that is impossible.
pub fn reach(path: &mut Path<'_>, steps: &[Step], choice: Choice) -> Reach {
    search(path, steps, choice, false)
}

/// The same for steps that somebody names: [`Step::Delta`] stands for silence of either kind, since nothing can happen or
/// since internal steps go on for ever. The path is impossible if it is so in every way, and what is told is the way that
/// gets furthest.
pub fn reach_named(path: &mut Path<'_>, steps: &[Step], choice: Choice) -> Reach {
    search(path, steps, choice, true)
}

fn search(path: &mut Path<'_>, steps: &[Step], choice: Choice, either: bool) -> Reach {
    while !path.is_empty() {
        path.retreat();
    }
    path.record();
    let mut search = Search { steps, choice, either, doubts: Vec::new(), open: Vec::new() };
    // The way that was left open, or got furthest, and where it went.
    let mut best: Option<(Reach, Vec<Step>)> = None;
    let mut other = None;
    for _ in 0..WAYS {
        let found = search.go_on(path, other);
        let better = match (&found, &best) {
            (Reach::Reachable(_), _) => return found,
            (Reach::Unknown { .. }, Some((known, _))) => matches!(known, Reach::Impossible { .. }),
            (Reach::Impossible { at, .. }, Some((Reach::Impossible { at: known, .. }, _))) => at > known,
            (_, known) => known.is_none(),
        };
        if better {
            best = Some((found, path.steps().collect()));
        }
        other = search.back(path);
        if other.is_none() {
            break;
        }
    }
    let (found, taken) = best.expect("there is at least one way");
    let found = match (found, other.map(|_| path.len())) {
        // Nobody has looked at the ways that are left.
        (Reach::Impossible { .. }, Some(at)) => Reach::Unknown { at, reason: Reason::Divergence },
        (found, _) => found,
    };
    while !path.is_empty() {
        path.retreat();
    }
    taken.into_iter().for_each(|step| path.advance(step));
    found
}

/// The ways to take the steps of a path.
struct Search<'a> {
    steps: &'a [Step],
    choice: Choice,
    /// Whether silence is of either kind.
    either: bool,
    /// Steps on the way that are only perhaps possible.
    doubts: Vec<(usize, Reason)>,
    /// Where the way was silent since nothing could happen, and internal steps without end have not been tried.
    open: Vec<usize>,
}

impl Search<'_> {
    /// Goes on from the end of the path, with this step first if there is one.
    fn go_on(&mut self, path: &mut Path<'_>, mut first: Option<Step>) -> Reach {
        for at in path.len()..self.steps.len() {
            let (step, answer) = match first.take() {
                Some(step) => (step, path.probe(step)),
                None => self.probe(path, at),
            };
            match answer {
                Possible::Yes => {}
                Possible::Unknown(reason) => self.doubts.push((at, reason)),
                Possible::No => return Reach::Impossible { at, clash: path.clash(step) },
            }
            path.advance(step);
        }
        match path.solve_with(self.choice) {
            Ok(solved) => Reach::Reachable(solved),
            Err(NoValues::Unknown(reason)) => {
                let last = (self.steps.len().saturating_sub(1), reason);
                let (at, reason) = self.doubts.first().cloned().unwrap_or(last);
                Reach::Unknown { at, reason }
            }
            Err(NoValues::Impossible) => {
                let at = self.steps.len().saturating_sub(1);
                Reach::Impossible { at, clash: path.smallest() }
            }
        }
    }

    /// The step to be taken, and whether it is possible.
    fn probe(&mut self, path: &mut Path<'_>, at: usize) -> (Step, Possible) {
        let step = self.steps[at];
        if step != Step::Delta || !self.either {
            return (step, path.probe(step));
        }
        // The state is the same as it was: so is the kind of silence.
        if let Some(last) = at.checked_sub(1).and_then(|i| path.step(i)).filter(|s| s.is_silence()) {
            return (last, path.probe(last));
        }
        let answer = path.probe(step);
        match answer {
            Possible::No if path.may_diverge() => match path.probe(Step::Divergence) {
                // That something could happen says more.
                Possible::No => (step, Possible::No),
                possible => (Step::Divergence, possible),
            },
            Possible::No => (step, answer),
            _ => {
                if path.may_diverge() {
                    self.open.push(at);
                }
                (step, answer)
            }
        }
    }

    /// Goes back to where something else can be tried, and says what.
    fn back(&mut self, path: &mut Path<'_>) -> Option<Step> {
        let at = self.open.pop()?;
        while path.len() > at {
            path.retreat();
        }
        self.doubts.retain(|(step, _)| *step < at);
        Some(Step::Divergence)
    }
}
