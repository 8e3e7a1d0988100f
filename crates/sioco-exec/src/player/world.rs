//! What a model does, for a set of states at once: inputs, outputs, silence, internal steps.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use sioco_model::model::{Direction, Label, Model};
use sioco_model::number::BigInt;
use sioco_model::semantics::closure::{self, Follow, Observe};
use sioco_model::semantics::interpreter::Passing;
use sioco_model::semantics::live::Live;
use sioco_model::semantics::{Interpreter, Question, Quiescence, State, StepError};
use sioco_model::{GateId, IdVec, LocationId, SwitchId, Value};
use sioco_solve::StateOracle;
use sioco_solve::values::Choice;

use super::draw::Draw;
use crate::event::GateValue;

/// Internal steps are followed to at most this many states, beyond those that are there. A played model draws one of
/// them; further ones would be work at each step.
const CLOSURE: usize = 1_000;

/// At most this many values of a hidden choice are followed where there are too many to try: the system only plays one
/// of them, the others keep it from being caught in one.
const HIDDEN: usize = 4;

/// Values are drawn around values that are allowed this often: a neighbour that is allowed too is found in a few draws,
/// or seldom.
const AROUND: u32 = 24;
/// If no allowed values are known, they are drawn this often. A guard that one value in fifty satisfies is met nearly
/// always (98 %).
const BLIND: u32 = 200;

/// The states that the model may be in.
#[derive(Clone, Debug, Default)]
pub(super) struct Belief {
    pub states: Vec<State>,
    /// Whether internal steps have been followed.
    pub closed: bool,
    /// Whether these are all states that the model can be in.
    pub whole: bool,
}

/// An output of a belief.
pub(super) enum BeliefOutput {
    /// This one is allowed.
    Output(GateValue),
    /// None is.
    Nothing,
    /// None was found, which does not mean that there is none.
    Unsure,
}

/// Follows states, and keeps in mind whether they are all that there are. Where they have been found, one is drawn by its
/// number.
struct Played<'w, 'm> {
    world: &'w mut World<'m>,
    whole: &'w mut bool,
}

impl Follow for Played<'_, '_> {
    type Member = State;

    const KEEPS_GIVEN: bool = true;

    fn state<'s>(&self, member: &'s State) -> Option<&'s State> {
        Some(member)
    }

    fn live(&mut self) -> Option<Arc<Live>> {
        let model = self.world.model;
        Some(self.world.live.get_or_insert_with(|| Arc::new(Live::of(model))).clone())
    }

    fn limit(&self, given: usize) -> usize {
        given + CLOSURE
    }

    fn stays(&self, state: &State) -> bool {
        !self.world.run.may_move_alone(state)
    }

    fn internal(&mut self, _at: usize, state: &State) -> Result<Option<Vec<State>>, StepError> {
        self.world.internal(state, self.whole).map(Some)
    }

    fn passing(&mut self, state: &State) -> Option<SwitchId> {
        match self.world.run.passing(state) {
            Passing::By(switch) => Some(switch),
            Passing::Stays | Passing::Several => None,
        }
    }

    fn pass(&mut self, state: &mut State, switch: SwitchId) -> Result<(), StepError> {
        self.world.run.take(state, switch, &[])
    }
}

impl Observe for Played<'_, '_> {
    fn interact(
        &mut self,
        state: &State,
        gate: GateId,
        args: &[Value],
        found: &mut Vec<State>,
    ) -> Result<(), StepError> {
        let World { run, enabled, unsure, .. } = &mut *self.world;
        enabled.clear();
        unsure.clear();
        run.enabled_switches(state, gate, args, enabled, unsure)?;
        // States that are only perhaps some are not followed.
        *self.whole &= unsure.is_empty();
        for switch in enabled {
            let mut next = state.clone();
            run.take(&mut next, *switch, args)?;
            found.push(next);
        }
        Ok(())
    }

    fn quiet(&mut self, state: &State, found: &mut Vec<State>) -> Result<(), StepError> {
        match self.world.run.quiescence(state)? {
            Quiescence::Quiescent | Quiescence::Diverging => found.push(state.clone()),
            Quiescence::Active(_) => {}
            Quiescence::Unknown { .. } => *self.whole = false,
        }
        Ok(())
    }

    fn arrange(&mut self, found: &mut Vec<State>) {
        found.sort_unstable();
        found.dedup();
    }
}

pub(super) struct World<'m> {
    model: &'m Model,
    /// With the oracle, if there is one.
    run: Interpreter<'m>,
    /// Without: for what is only worth knowing if it is cheap.
    plain: Interpreter<'m>,
    oracle: Option<Arc<Mutex<StateOracle>>>,
    outputs: IdVec<LocationId, Vec<(GateId, SwitchId)>>,
    internal: IdVec<LocationId, Vec<SwitchId>>,
    pub draw: Draw,
    /// Memory that is used again, so that a step needs no new one.
    enabled: Vec<SwitchId>,
    unsure: Vec<(SwitchId, String)>,
    /// Which variables matter; found out when it is asked first.
    live: Option<Arc<Live>>,
}

impl<'m> World<'m> {
    pub fn new(model: &'m Model) -> World<'m> {
        let mut outputs: IdVec<LocationId, Vec<(GateId, SwitchId)>> =
            model.locations.values().map(|_| vec![]).collect();
        let mut internal: IdVec<LocationId, Vec<SwitchId>> = model.locations.values().map(|_| vec![]).collect();
        for (id, s) in model.switches.iter() {
            match s.label {
                Label::Gate(g) if model.gates[g].direction == Direction::Output => outputs[s.source].push((g, id)),
                Label::Internal => internal[s.source].push(id),
                _ => {}
            }
        }
        let run = Interpreter::new(model);
        World {
            model,
            plain: run.clone(),
            run,
            oracle: None,
            outputs,
            internal,
            draw: Draw::new(model),
            enabled: Vec::new(),
            unsure: Vec::new(),
            live: None,
        }
    }

    pub fn with_oracle(mut self, oracle: Arc<Mutex<StateOracle>>) -> Self {
        self.run = self.run.with_oracle(oracle.clone());
        self.oracle = Some(oracle);
        self
    }

    /// Whether the values fit the gate.
    pub fn fits(&self, gate: GateId, args: &[Value]) -> bool {
        self.run.is_gate_value(gate, args)
    }

    /// An initial state, with values for the free variables; `seen` are integers that are worth trying.
    pub fn initial(&mut self, seen: &[BigInt]) -> Belief {
        let World { run, draw, model, .. } = self;
        let state = run.initial(&mut |v| draw.value(&model.sorts, model.variables[v].sort, seen));
        let whole = model.free_variables().next().is_none();
        Belief { states: vec![state], closed: false, whole }
    }

    /// Follows internal steps.
    pub fn close(&mut self, belief: &mut Belief) -> Result<(), StepError> {
        if belief.closed {
            return Ok(());
        }
        belief.closed = true;
        let states = mem::take(&mut belief.states);
        let closure = closure::close(&mut Played { world: self, whole: &mut belief.whole }, states)?;
        belief.states = closure.states;
        belief.whole &= !closure.cut;
        Ok(())
    }

    /// The states after internal steps from one; some of them, where a hidden choice has too many values.
    fn internal(&mut self, state: &State, whole: &mut bool) -> Result<Vec<State>, StepError> {
        match self.run.internal_steps(state) {
            Ok(steps) => return Ok(steps.into_iter().map(|(_, next)| next).collect()),
            Err(StepError::NeedsSolver { .. }) => *whole = false,
            Err(e) => return Err(e),
        }
        let mut found = Vec::new();
        for location in state.locations() {
            for i in 0..self.internal[*location].len() {
                let switch = self.internal[*location][i];
                for args in self.several(state, switch)? {
                    let mut next = state.clone();
                    if self.run.fire(&mut next, switch, &args)? {
                        found.push(next);
                    }
                }
            }
        }
        for (send, receive) in self.run.pairs(state) {
            for args in self.several(state, send)? {
                match self.run.shake(state, send, receive, &args) {
                    Ok(next) => found.extend(next),
                    Err(StepError::NeedsSolver { .. }) => {}
                    Err(e) => return Err(e),
                }
            }
        }
        Ok(found)
    }

    /// All values for which a switch is enabled, or some if they are too many.
    fn several(&mut self, state: &State, switch: SwitchId) -> Result<Vec<Vec<Value>>, StepError> {
        match self.plain.choices(state, switch) {
            Err(StepError::NeedsSolver { .. }) => {}
            known => return known,
        }
        let mut found: Vec<Vec<Value>> = Vec::new();
        for _ in 0..HIDDEN {
            if let (Some(args), _) = self.some(state, switch)?
                && !found.contains(&args)
            {
                found.push(args);
            }
        }
        Ok(found)
    }

    /// Values for which a switch is enabled, at random, and whether there are none if none were found.
    fn some(&mut self, state: &State, switch: SwitchId) -> Result<(Option<Vec<Value>>, bool), StepError> {
        if self.model.switches[switch].params.iter().all(|p| p.term.is_some()) {
            return match self.run.example(state, switch) {
                Ok(only) => Ok((only, true)),
                Err(StepError::NeedsSolver { .. }) => Ok((None, false)),
                Err(e) => Err(e),
            };
        }
        match self.plain.choices(state, switch) {
            Ok(mut all) if !all.is_empty() => {
                let chosen = self.draw.place(all.len());
                return Ok((Some(all.swap_remove(chosen)), true));
            }
            Ok(_) => return Ok((None, true)),
            // Too many values, or undefined for some but perhaps not for others.
            Err(_) => {}
        }
        let model = self.model;
        let s = &model.switches[switch];
        let unknowns = self.run.unknowns(switch);
        if let Some(oracle) = &self.oracle {
            let question = Question { condition: s.guard, unknowns: &unknowns, vars: state.values(), params: &[] };
            let mut oracle = oracle.lock().unwrap_or_else(PoisonError::into_inner);
            let choice = Choice::Random(self.draw.random.bits());
            let chosen = oracle.choose(&question, choice).ok().flatten();
            drop(oracle);
            if let Some(args) = chosen.and_then(|chosen| self.fitting(state, switch, &chosen)) {
                return Ok((Some(args), true));
            }
        }
        let known = match self.run.example(state, switch) {
            Ok(None) => return Ok((None, true)),
            Ok(known) => known,
            Err(StepError::NeedsSolver { .. }) => None,
            Err(e) => return Err(e),
        };
        let free: Vec<usize> = (0..s.params.len()).filter(|i| s.params[*i].term.is_none()).collect();
        for _ in 0..if known.is_some() { AROUND } else { BLIND } {
            let chosen: Vec<Value> = free
                .iter()
                .map(|&i| match &known {
                    Some(args) => self.draw.near(&model.sorts, s.params[i].sort, &args[i]),
                    None => self.draw.value(&model.sorts, s.params[i].sort, &[]),
                })
                .collect();
            if let Some(args) = self.fitting(state, switch, &chosen) {
                return Ok((Some(args), true));
            }
        }
        let sure = known.is_some();
        Ok((known, sure))
    }

    /// All arguments for values of the free ones, if the switch is enabled for them.
    fn fitting(&mut self, state: &State, switch: SwitchId, chosen: &[Value]) -> Option<Vec<Value>> {
        let args = self.run.complete(state, switch, chosen).ok()?;
        let params = &self.model.switches[switch].params;
        let typed = params.iter().zip(&args).all(|(p, v)| self.model.sorts.contains(p.sort, v));
        (typed && self.run.enabled(state, switch, &args).unwrap_or(false)).then_some(args)
    }

    /// The belief after an interaction; `false` if nothing specifies it, and the belief is as before.
    pub fn after(&mut self, belief: &mut Belief, gate: GateId, args: &[Value]) -> Result<bool, StepError> {
        self.close(belief)?;
        if let [state] = &mut belief.states[..]
            && let Some(taken) = self.after_one(state, gate, args)?
        {
            belief.closed = !taken;
            self.close(belief)?;
            return Ok(taken);
        }
        let mut played = Played { world: self, whole: &mut belief.whole };
        let after = closure::after(&mut played, &belief.states, gate, args)?;
        if after.states.is_empty() {
            return Ok(false);
        }
        belief.whole &= !after.cut;
        belief.states = after.states;
        Ok(true)
    }

    /// The same for a single state, which makes no new one; `None` if several switches are enabled.
    fn after_one(&mut self, state: &mut State, gate: GateId, args: &[Value]) -> Result<Option<bool>, StepError> {
        self.enabled.clear();
        self.run.enabled_switches(state, gate, args, &mut self.enabled, &mut self.unsure)?;
        match (&self.enabled[..], &self.unsure[..]) {
            ([], []) => Ok(Some(false)),
            ([switch], []) => self.run.take(state, *switch, args).map(|()| Some(true)),
            _ => {
                self.unsure.clear();
                Ok(None)
            }
        }
    }

    /// An output that a state of the belief allows: the first found, from a random state on.
    pub fn output(&mut self, belief: &mut Belief) -> Result<BeliefOutput, StepError> {
        self.close(belief)?;
        let mut sure = belief.whole;
        let first = self.draw.place(belief.states.len());
        for k in 0..belief.states.len() {
            let state = &belief.states[(first + k) % belief.states.len()];
            let outputs = |w: &Self| state.locations().iter().map(|l| w.outputs[*l].len()).sum::<usize>();
            let many = outputs(self);
            let turn = self.draw.place(many);
            for n in 0..many {
                let mut place = (turn + n) % many;
                for location in state.locations() {
                    let here = &self.outputs[*location];
                    if place >= here.len() {
                        place -= here.len();
                        continue;
                    }
                    let (gate, switch) = here[place];
                    match self.some(state, switch)? {
                        (Some(args), _) => return Ok(BeliefOutput::Output(GateValue { gate, args })),
                        (None, known) => sure &= known,
                    }
                    break;
                }
            }
        }
        Ok(if sure { BeliefOutput::Nothing } else { BeliefOutput::Unsure })
    }

    /// Keeps the silent states; `false` if there are none for sure, and the belief is as before.
    pub fn quiet(&mut self, belief: &mut Belief) -> Result<bool, StepError> {
        self.close(belief)?;
        let mut whole = belief.whole;
        let states = closure::quiet(&mut Played { world: self, whole: &mut whole }, &belief.states)?;
        if states.is_empty() {
            return Ok(false);
        }
        // A state on a silent cycle may step on.
        *belief = Belief { states, closed: false, whole };
        Ok(true)
    }

    /// Whether a single state without outputs is known to be silent.
    pub fn plainly_quiet(&self, belief: &Belief) -> bool {
        matches!(&belief.states[..], [state] if !self.run.may_move_alone(state))
    }
}
