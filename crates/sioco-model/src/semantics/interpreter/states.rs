//! Sets of known states: their internal closure (T-L5), and what they are after an observation (T-L7).

use super::{Interpreter, Quiescence, StepError};
use crate::id::GateId;
use crate::semantics::closure::{self, Closure, Follow, Observe};
use crate::semantics::state::State;
use crate::value::Value;

/// Follows known states, and nothing besides.
struct States<'i, 'm>(&'i mut Interpreter<'m>);

impl Follow for States<'_, '_> {
    type Member = State;

    fn state<'s>(&self, member: &'s State) -> Option<&'s State> {
        Some(member)
    }

    fn stays(&self, member: &State) -> bool {
        !self.0.may_move_alone(member)
    }

    fn internal(&mut self, _at: usize, member: &State) -> Result<Option<Vec<State>>, StepError> {
        let steps = self.0.internal_steps(member)?;
        Ok(Some(steps.into_iter().map(|(_, next)| next).collect()))
    }
}

impl Observe for States<'_, '_> {
    fn interact(
        &mut self,
        member: &State,
        gate: GateId,
        args: &[Value],
        found: &mut Vec<State>,
    ) -> Result<(), StepError> {
        found.extend(self.0.successors(member, gate, args)?.into_iter().map(|(_, next)| next));
        Ok(())
    }

    fn quiet(&mut self, member: &State, found: &mut Vec<State>) -> Result<(), StepError> {
        match self.0.quiescence(member)? {
            Quiescence::Quiescent | Quiescence::Diverging => found.push(member.clone()),
            Quiescence::Active(_) => {}
            Quiescence::Unknown { switch, why } => return Err(StepError::NeedsSolver { switch, why }),
        }
        Ok(())
    }
}

impl Interpreter<'_> {
    /// All states that internal steps lead to from these, themselves included (T-L5; S1 definition 2).
    pub fn closure(&mut self, states: Vec<State>) -> Result<Closure, StepError> {
        closure::close(&mut States(self), states)
    }

    /// The states after an interaction, closed over internal steps before and after it (T-L7: after).
    pub fn after(&mut self, states: Vec<State>, gate: GateId, args: &[Value]) -> Result<Closure, StepError> {
        let before = self.closure(states)?;
        let mut after = self.after_closed(&before.states, gate, args)?;
        after.cut |= before.cut;
        Ok(after)
    }

    /// The same for states that internal steps have been followed from.
    pub fn after_closed(&mut self, closed: &[State], gate: GateId, args: &[Value]) -> Result<Closure, StepError> {
        closure::after(&mut States(self), closed, gate, args)
    }

    /// The states that stay when silence was observed. Where internal steps go on for ever, they may lead from there to
    /// others.
    pub fn after_delta(&mut self, states: Vec<State>) -> Result<Closure, StepError> {
        let before = self.closure(states)?;
        let states = closure::quiet(&mut States(self), &before.states)?;
        Ok(Closure { states, cut: before.cut })
    }
}
