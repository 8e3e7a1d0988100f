//! Steps that nobody sees: internal switches, and handshakes between two processes.

use super::{Interpreter, Step, StepError};
use crate::id::{ChannelId, SwitchId};
use crate::semantics::state::State;
use crate::value::Value;

impl Interpreter<'_> {
    /// The internal steps of a state, hidden choices and handshakes included, each with the state it leads to.
    pub fn internal_steps(&mut self, state: &State) -> Result<Vec<(Step, State)>, StepError> {
        let mut found = Vec::new();
        for p in 0..state.locations.len() {
            let location = state.locations[p];
            for i in 0..self.locations[location].internal.len() {
                let switch = self.locations[location].internal[i];
                if !self.switches[switch].chooses {
                    // Most of them choose nothing, and there are many where a model is made of them.
                    if self.guard_holds(state, switch)? {
                        let args = self.complete(state, switch, &[])?;
                        let mut next = state.clone();
                        self.take(&mut next, switch, &args)?;
                        found.push((Step { switch, receive: None, args }, next));
                    }
                    continue;
                }
                for args in self.hidden_choices(state, switch)? {
                    let mut next = state.clone();
                    self.take(&mut next, switch, &args)?;
                    found.push((Step { switch, receive: None, args }, next));
                }
            }
        }
        found.extend(self.handshake_steps(state)?);
        Ok(found)
    }

    /// The values that an internal switch may choose. Where they are too many to tell and all lead to the same state, one of
    /// them stands for all.
    fn hidden_choices(&mut self, state: &State, switch: SwitchId) -> Result<Vec<Vec<Value>>, StepError> {
        let all = self.choices(state, switch);
        let open = matches!(all, Err(StepError::NeedsSolver { .. })) && self.switches[switch].idle_choice;
        // What is undefined for some values would have been found by looking at all.
        if !open || self.model.terms.is_partial(self.model.switches[switch].guard) {
            return all;
        }
        Ok(self.example(state, switch)?.into_iter().collect())
    }

    /// The handshakes of a state, each with the state it leads to.
    pub fn handshake_steps(&mut self, state: &State) -> Result<Vec<(Step, State)>, StepError> {
        let mut found = Vec::new();
        for p in 0..state.locations.len() {
            let location = state.locations[p];
            for i in 0..self.locations[location].sends.len() {
                let (channel, send) = self.locations[location].sends[i];
                self.handshakes(state, p, channel, send, &mut found)?;
            }
        }
        Ok(found)
    }

    /// The handshakes that a send can make: the partner's guard must hold for the values sent.
    pub(super) fn handshakes(
        &mut self,
        state: &State,
        sender: usize,
        channel: ChannelId,
        send: SwitchId,
        found: &mut Vec<(Step, State)>,
    ) -> Result<(), StepError> {
        let partners = self.partners(state, sender, channel);
        if partners.is_empty() {
            return Ok(());
        }
        for args in self.choices(state, send)? {
            for &receive in &partners {
                if let Some(next) = self.meet(state, send, receive, &args)? {
                    found.push((Step { switch: send, receive: Some(receive), args: args.clone() }, next));
                }
            }
        }
        Ok(())
    }

    /// The switches of other processes that receive from a channel.
    pub(super) fn partners(&self, state: &State, sender: usize, channel: ChannelId) -> Vec<SwitchId> {
        (0..state.locations.len())
            .filter(|q| *q != sender)
            .flat_map(|q| self.locations[state.locations[q]].receives.iter())
            .filter(|(c, _)| *c == channel)
            .map(|(_, s)| *s)
            .collect()
    }

    /// The sends and receives of a state that may meet, whatever their guards say.
    pub fn pairs(&self, state: &State) -> Vec<(SwitchId, SwitchId)> {
        let mut found = Vec::new();
        for p in 0..state.locations.len() {
            for &(channel, send) in &self.locations[state.locations[p]].sends {
                found.extend(self.partners(state, p, channel).into_iter().map(|receive| (send, receive)));
            }
        }
        found
    }

    /// The state after a handshake with these values; `None` if one of the two switches is not enabled for them.
    pub fn shake(
        &mut self,
        state: &State,
        send: SwitchId,
        receive: SwitchId,
        args: &[Value],
    ) -> Result<Option<State>, StepError> {
        if !self.pairs(state).contains(&(send, receive)) || !self.holds(state, send, args)? {
            return Ok(None);
        }
        self.meet(state, send, receive, args)
    }

    /// The state after a handshake whose send is enabled for these values, if the receive is, too.
    pub(super) fn meet(
        &mut self,
        state: &State,
        send: SwitchId,
        receive: SwitchId,
        args: &[Value],
    ) -> Result<Option<State>, StepError> {
        if !self.holds(state, receive, args)? {
            return Ok(None);
        }
        // Two processes share no variables, so one update after the other is both at once.
        let mut next = state.clone();
        self.take(&mut next, send, args)?;
        self.take(&mut next, receive, args)?;
        Ok(Some(next))
    }
}
