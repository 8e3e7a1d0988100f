//! Whether a state is quiescent (T-L6), is only passed through, or is a deadlock.

use super::cycles::{Moves, Return};
use super::{Activity, Interpreter, Passing, Quiescence, StepError};
use crate::id::SwitchId;
use crate::semantics::state::State;

impl Interpreter<'_> {
    /// Whether a state is silent. An error is a model error; what needs a solver is said in the answer.
    pub fn quiescence(&mut self, state: &State) -> Result<Quiescence, StepError> {
        let unknown = match self.active_output(state)? {
            Activity::Enabled(switch) => return Ok(Quiescence::Active(switch)),
            Activity::Unknown(switch, why) => Some((switch, why)),
            Activity::None => None,
        };
        if !self.may_move_alone(state) {
            // Only outputs could keep it from being silent.
            return Ok(unknown.map_or(Quiescence::Quiescent, |(switch, why)| Quiescence::Unknown { switch, why }));
        }
        if !state.locations.iter().any(|l| self.locations[*l].may_return) {
            // No cycle can be closed: one step is enough to know.
            if let Some(switch) = self.active_internal(state)? {
                return Ok(Quiescence::Active(switch));
            }
        }
        // What was not found may close a silent cycle, even where some step is possible.
        match (self.moves(state)?, unknown) {
            (Moves::Open(switch, why), _) => Ok(Quiescence::Unknown { switch, why: why.to_string() }),
            (Moves::Some(_, Return::Yes), _) => Ok(Quiescence::Diverging),
            (Moves::Some(switch, Return::No), _) => Ok(Quiescence::Active(switch)),
            (Moves::Some(switch, Return::Open(why)), _) => Ok(Quiescence::Unknown { switch, why: why.to_string() }),
            (Moves::Some(_, Return::Undefined(error)), _) => Err(StepError::clone(&error)),
            (Moves::None | Moves::Active, Some((switch, why))) => Ok(Quiescence::Unknown { switch, why }),
            (Moves::None | Moves::Active, None) => Ok(Quiescence::Quiescent),
        }
    }

    /// The only thing that can happen in a state, where that is an internal switch that chooses nothing, and nothing can be
    /// seen of the state meanwhile: no input is taken, no output given, and it is not silent. If there are several such
    /// switches, nothing is said, but whether it is so all the same.
    pub fn passing(&mut self, state: &State) -> Passing {
        let mut only = None;
        let mut several = false;
        for p in 0..state.locations.len() {
            let out = &self.locations[state.locations[p]];
            let seen = !(out.inputs.is_empty() && out.outputs.is_empty());
            if seen || out.may_return || !out.sends.is_empty() || !out.receives.is_empty() {
                return Passing::Stays;
            }
            for i in 0..out.internal.len() {
                let switch = self.locations[state.locations[p]].internal[i];
                if self.switches[switch].chooses || !self.switches[switch].terms.is_empty() {
                    return Passing::Stays;
                }
                match self.guard_holds(state, switch) {
                    Ok(true) if only.is_some() => several = true,
                    Ok(true) => only = Some(switch),
                    Ok(false) => {}
                    // Whoever looks closer finds out what to say about it.
                    Err(_) => return Passing::Stays,
                }
            }
        }
        match only {
            Some(_) if several => Passing::Several,
            Some(switch) => Passing::By(switch),
            None => Passing::Stays,
        }
    }

    /// An internal switch that is enabled, if one is found.
    fn active_internal(&mut self, state: &State) -> Result<Option<SwitchId>, StepError> {
        for p in 0..state.locations.len() {
            for i in 0..self.locations[state.locations[p]].internal.len() {
                let switch = self.locations[state.locations[p]].internal[i];
                let enabled = match self.switches[switch].chooses {
                    true => self.example(state, switch).map(|values| values.is_some()),
                    false => self.guard_holds(state, switch),
                };
                match enabled {
                    Ok(true) => return Ok(Some(switch)),
                    Ok(false) | Err(StepError::NeedsSolver { .. }) => {}
                    Err(e) => return Err(e),
                }
            }
        }
        Ok(None)
    }

    pub(super) fn active_output(&mut self, state: &State) -> Result<Activity, StepError> {
        let mut unknown = Activity::None;
        for p in 0..state.locations.len() {
            for i in 0..self.locations[state.locations[p]].outputs.len() {
                let switch = self.locations[state.locations[p]].outputs[i].1;
                match self.example(state, switch) {
                    Ok(Some(_)) => return Ok(Activity::Enabled(switch)),
                    Ok(None) => {}
                    Err(StepError::NeedsSolver { switch, why }) => unknown = Activity::Unknown(switch, why),
                    Err(e) => return Err(e),
                }
            }
        }
        Ok(unknown)
    }

    /// Whether nothing at all can happen in the state, though not all processes ended in a final location. `None` if
    /// that needs a solver.
    pub fn is_deadlock(&mut self, state: &State) -> Result<Option<bool>, StepError> {
        if state.locations.iter().all(|l| self.model.locations[*l].is_final) {
            return Ok(Some(false));
        }
        match self.quiescence(state)? {
            Quiescence::Active(_) | Quiescence::Diverging => return Ok(Some(false)),
            Quiescence::Unknown { .. } => return Ok(None),
            Quiescence::Quiescent => {}
        }
        for p in 0..state.locations.len() {
            for i in 0..self.locations[state.locations[p]].inputs.len() {
                let switch = self.locations[state.locations[p]].inputs[i].1;
                match self.example(state, switch) {
                    Ok(Some(_)) => return Ok(Some(false)),
                    Ok(None) => {}
                    Err(StepError::NeedsSolver { .. }) => return Ok(None),
                    Err(e) => return Err(e),
                }
            }
        }
        Ok(Some(true))
    }
}
