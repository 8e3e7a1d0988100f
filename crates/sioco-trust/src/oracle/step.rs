//! What a state can do (T-L3, T-M10; `docs/language.md`, processes).

use super::TooLarge;
use super::eval::{Scope, Undefined};
use crate::spec::{Carried, Event, Guard, Label, Spec, Switch, Val};

/// A location and the values of the variables of every process.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The location of each process.
    pub locations: Vec<usize>,
    /// The values of the variables of each process.
    pub values: Vec<Vec<Val>>,
}

/// A switch, by its process and its place there.
pub type Place = (usize, usize);

/// A step that a state can take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The switches that are taken: one, or the two sides of a handshake.
    pub switches: Vec<Place>,
    /// Where it leads.
    pub to: State,
}

/// The steps that a state can take in one way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    /// The steps.
    pub steps: Vec<Step>,
    /// Whether something is undefined: a guard, a value or an update.
    pub undefined: bool,
}

/// At most this many states at the start are looked at, as in a [closure](super::belief).
const MOST_AT_START: usize = 3_000;

/// The states at the start: one for each choice of the free variables.
pub fn initial(spec: &Spec) -> Result<Vec<State>, TooLarge> {
    let mut all = vec![Vec::new()];
    for process in &spec.processes {
        let mut tuples: Vec<Vec<Val>> = vec![Vec::new()];
        for variable in &process.variables {
            let values = match &variable.initial {
                Some(value) => vec![value.clone()],
                None => Val::all(&variable.sort, spec),
            };
            tuples = (tuples.iter())
                .flat_map(|front| values.iter().map(move |v| front.iter().chain([v]).cloned().collect()))
                .collect();
            if tuples.len() > MOST_AT_START {
                return Err(TooLarge);
            }
        }
        all = (all.iter())
            .flat_map(|front: &Vec<Vec<Val>>| tuples.iter().map(move |t| front.iter().chain([t]).cloned().collect()))
            .collect();
        if all.len() > MOST_AT_START {
            return Err(TooLarge);
        }
    }
    Ok(all.into_iter().map(|values| State { locations: vec![0; spec.processes.len()], values }).collect())
}

/// One switch in a state.
struct At<'a> {
    spec: &'a Spec,
    state: &'a State,
    process: usize,
    place: usize,
}

impl<'a> At<'a> {
    fn switch(&self) -> &'a Switch {
        &self.spec.processes[self.process].switches[self.place]
    }

    fn scope<'b>(&'b self, params: &'b [Val]) -> Scope<'b> {
        Scope { spec: self.spec, variables: &self.state.values[self.process], params }
    }

    /// The other switches of the same location.
    fn others(&self) -> impl Iterator<Item = At<'a>> + use<'a> {
        let (spec, state, process, here) = (self.spec, self.state, self.process, self.place);
        let source = self.switch().source;
        let switches = spec.processes[process].switches.iter().enumerate();
        switches.filter(move |(place, s)| *place != here && s.source == source).map(move |(place, _)| At {
            spec,
            state,
            process,
            place,
        })
    }

    /// Whether the guard holds for these parameters.
    fn guard(&self, params: &[Val]) -> Result<bool, Undefined> {
        let parts = match &self.switch().guard {
            Guard::All(parts) => parts,
            Guard::Else => return self.is_else(params),
        };
        for part in parts {
            if !self.scope(params).holds(part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether no other switch of the group can be taken: for an input those of the same gate, with the same values; for
    /// an output or internal step all outputs and internal steps of the location, with any values.
    fn is_else(&self, params: &[Val]) -> Result<bool, Undefined> {
        let mut undefined = false;
        for other in self.others() {
            let enabled = match (&self.switch().label, &other.switch().label) {
                (Label::Input(gate), Label::Input(its)) if gate == its => other.guard(params),
                (Label::Output(..) | Label::Tau(_), Label::Output(..) | Label::Tau(_)) => {
                    let mut found = Ok(false);
                    for params in Val::tuples(&self.spec.params(&other.switch().label), self.spec) {
                        match other.guard(&params) {
                            Ok(true) => {
                                found = Ok(true);
                                break;
                            }
                            Ok(false) => {}
                            Err(Undefined) => found = Err(Undefined),
                        }
                    }
                    found
                }
                _ => Ok(false),
            };
            match enabled {
                Ok(true) => return Ok(false),
                Ok(false) => {}
                Err(Undefined) => undefined = true,
            }
        }
        if undefined { Err(Undefined) } else { Ok(true) }
    }

    /// The state after the update, and after the target is entered.
    fn take(&self, params: &[Val], state: &State) -> Result<State, Undefined> {
        let mut next = state.clone();
        let variables = &self.spec.processes[self.process].variables;
        for (v, term) in &self.switch().update {
            let value = self.scope(params).value(term)?;
            if !value.fits(&variables[*v].sort, &self.spec.types) {
                return Err(Undefined);
            }
            next.values[self.process][*v] = value;
        }
        next.locations[self.process] = self.switch().target;
        Ok(next)
    }

    /// Takes it if its guard holds.
    fn try_it(&self, params: &[Val], found: &mut Steps) {
        let to = match self.guard(params) {
            Ok(false) => return,
            Ok(true) => self.take(params, self.state),
            Err(Undefined) => Err(Undefined),
        };
        match to {
            Ok(to) => found.steps.push(Step { switches: vec![(self.process, self.place)], to }),
            Err(Undefined) => found.undefined = true,
        }
    }

    /// The values that an output carries, if its guard holds for the choices of the system.
    fn carried(&self, params: &[Val]) -> Result<Option<Vec<Val>>, Undefined> {
        let Label::Output(gate, carried) = &self.switch().label else { panic!("only outputs carry values") };
        if !self.guard(params)? {
            return Ok(None);
        }
        let mut values = Vec::new();
        for (place, carried) in carried.iter().enumerate() {
            let value = match carried {
                Carried::Term(term) => self.scope(params).value(term)?,
                Carried::Any(p) => params[*p].clone(),
            };
            if !value.fits(&self.spec.outputs[*gate].params[place], &self.spec.types) {
                return Err(Undefined);
            }
            values.push(value);
        }
        Ok(Some(values))
    }
}

/// The switches that leave the locations of a state.
fn leaving<'a>(spec: &'a Spec, state: &'a State) -> impl Iterator<Item = At<'a>> {
    spec.processes.iter().enumerate().flat_map(move |(process, p)| {
        let here = p.switches.iter().enumerate().filter(move |(_, s)| s.source == state.locations[process]);
        here.map(move |(place, _)| At { spec, state, process, place })
    })
}

/// The steps with an input.
pub fn input(spec: &Spec, state: &State, event: &Event) -> Steps {
    let mut found = Steps::default();
    for at in leaving(spec, state) {
        if at.switch().label == Label::Input(event.gate) {
            at.try_it(&event.args, &mut found);
        }
    }
    found
}

/// The steps with an output.
pub fn output(spec: &Spec, state: &State, event: &Event) -> Steps {
    let mut found = Steps::default();
    for at in leaving(spec, state) {
        let Label::Output(gate, carried) = &at.switch().label else { continue };
        if *gate != event.gate {
            continue;
        }
        let mut params = Vec::new();
        for (place, carried) in carried.iter().enumerate() {
            if let Carried::Any(_) = carried {
                params.push(event.args[place].clone());
            }
        }
        match at.carried(&params) {
            Ok(Some(values)) if values == event.args => match at.take(&params, state) {
                Ok(to) => found.steps.push(Step { switches: vec![(at.process, at.place)], to }),
                Err(Undefined) => found.undefined = true,
            },
            Ok(_) => {}
            Err(Undefined) => found.undefined = true,
        }
    }
    found
}

/// The outputs that a state can give, each with where it leads.
pub fn outputs(spec: &Spec, state: &State) -> (Vec<(Event, Step)>, /* undefined */ bool) {
    let (mut found, mut undefined) = (Vec::new(), false);
    for at in leaving(spec, state) {
        let Label::Output(gate, _) = &at.switch().label else { continue };
        for params in Val::tuples(&spec.params(&at.switch().label), spec) {
            let step = at.carried(&params).and_then(|values| match values {
                Some(args) => Ok(Some((args, at.take(&params, state)?))),
                None => Ok(None),
            });
            match step {
                Ok(Some((args, to))) => {
                    let step = Step { switches: vec![(at.process, at.place)], to };
                    found.push((Event { gate: *gate, args }, step));
                }
                Ok(None) => {}
                Err(Undefined) => undefined = true,
            }
        }
    }
    (found, undefined)
}

/// Whether an output can be given, for any values; and whether a guard is undefined.
pub fn can_output(spec: &Spec, state: &State) -> (bool, /* undefined */ bool) {
    let (mut can, mut undefined) = (false, false);
    for at in leaving(spec, state) {
        let Label::Output(..) = &at.switch().label else { continue };
        for params in Val::tuples(&spec.params(&at.switch().label), spec) {
            match at.guard(&params) {
                Ok(true) => can = true,
                Ok(false) => {}
                Err(Undefined) => undefined = true,
            }
        }
    }
    (can, undefined)
}

/// The internal steps: those of one process, and handshakes.
pub fn internal(spec: &Spec, state: &State) -> Steps {
    let mut found = Steps::default();
    for at in leaving(spec, state) {
        match &at.switch().label {
            Label::Tau(sorts) => {
                for params in Val::tuples(sorts, spec) {
                    at.try_it(&params, &mut found);
                }
            }
            Label::Send(channel, _) => {
                for partner in leaving(spec, state) {
                    if partner.process != at.process && partner.switch().label == Label::Receive(*channel) {
                        handshake(spec, &at, &partner, &mut found);
                    }
                }
            }
            Label::Input(_) | Label::Output(..) | Label::Receive(_) => {}
        }
    }
    found
}

fn handshake(spec: &Spec, sender: &At<'_>, receiver: &At<'_>, found: &mut Steps) {
    let Label::Send(channel, terms) = &sender.switch().label else { panic!("it sends") };
    let step = || -> Result<Option<State>, Undefined> {
        if !sender.guard(&[])? {
            return Ok(None);
        }
        let mut sent = Vec::new();
        for (term, sort) in terms.iter().zip(&spec.channels[*channel].params) {
            let value = sender.scope(&[]).value(term)?;
            if !value.fits(sort, &spec.types) {
                return Err(Undefined);
            }
            sent.push(value);
        }
        if !receiver.guard(&sent)? {
            return Ok(None);
        }
        let half = sender.take(&[], sender.state)?;
        Ok(Some(receiver.take(&sent, &half)?))
    };
    match step() {
        Ok(Some(to)) => {
            let switches = vec![(sender.process, sender.place), (receiver.process, receiver.place)];
            found.steps.push(Step { switches, to });
        }
        Ok(None) => {}
        Err(Undefined) => found.undefined = true,
    }
}
