//! Random values for a switch in a known state, taken from the guard itself without a solver.

use super::Interpreter;
use crate::eval::Env;
use crate::id::SwitchId;
use crate::sample::Draw;
use crate::semantics::choice::Search;
use crate::semantics::state::State;
use crate::value::Value;

impl Interpreter<'_> {
    /// Values for all parameters of a switch, those that it leaves open drawn from what its guard allows. Whether the
    /// switch is enabled with them is still to be seen: a part of the guard may not say which values it allows. Nothing if
    /// none were found.
    pub fn sample(&mut self, state: &State, switch: SwitchId, draw: &mut dyn Draw) -> Option<Vec<Value>> {
        if !self.switches[switch].chooses {
            return self.complete(state, switch, &[]).ok();
        }
        let unknowns = self.unknowns(switch);
        let env = Env { vars: &state.vars, params: &[], bound: &[], symbols: &[], rounds: 0 };
        let condition = self.model.switches[switch].guard;
        let chosen = Search { context: self.context(), unknowns: &unknowns, condition, env }.sample(draw)?;
        self.complete(state, switch, &chosen).ok()
    }
}
