//! Values for the parameters that a switch leaves open.

use super::{Interpreter, Offer, Part, StepError};
use crate::eval::Env;
use crate::id::{SortId, SwitchId};
use crate::semantics::choice::{Failed, Search, Unknown};
use crate::semantics::oracle::Question;
use crate::semantics::state::State;
use crate::value::Value;

impl Interpreter<'_> {
    /// The parameters that a switch does not determine, with their sorts.
    pub fn unknowns(&self, switch: SwitchId) -> Vec<(Unknown, SortId)> {
        let params = &self.model.switches[switch].params;
        let free = params.iter().enumerate().filter(|(_, p)| p.term.is_none());
        free.map(|(i, p)| (Unknown::Param(i as u32), p.sort)).collect()
    }

    /// Values for which a switch of the state is enabled, if there are any: exact, or a call for a solver.
    pub fn example(&mut self, state: &State, switch: SwitchId) -> Result<Option<Vec<Value>>, StepError> {
        let s = &self.model.switches[switch];
        if state.location(s.process) != s.source {
            return Ok(None);
        }
        if !self.switches[switch].chooses {
            return if self.guard_holds(state, switch)? {
                self.complete(state, switch, &[]).map(Some)
            } else {
                Ok(None)
            };
        }
        let unknowns = self.unknowns(switch);
        let env = Env { vars: &state.vars, params: &[], bound: &[], symbols: &[], rounds: 0 };
        let context = self.context();
        let chosen = Search { context, unknowns: &unknowns, condition: s.guard, env }.witness();
        let question = Question { condition: s.guard, unknowns: &unknowns, vars: &state.vars, params: &[] };
        let chosen = self.oracle.witness(context, &question, chosen);
        match chosen.map_err(|f| self.guard_failed(state, switch, &unknowns, f))? {
            Some(chosen) => self.complete(state, switch, &chosen).map(Some),
            None => Ok(None),
        }
    }

    /// Whether the guard holds of a switch that chooses nothing: it alone decides.
    pub(super) fn guard_holds(&mut self, state: &State, switch: SwitchId) -> Result<bool, StepError> {
        let env = Env { vars: &state.vars, params: &[], bound: &[], symbols: &[], rounds: 0 };
        let context = self.context();
        let Some(guard) = &self.switches[switch].guard else { return Ok(true) };
        let holds = guard.run_bool(&mut self.memory, context, env);
        let condition = self.model.switches[switch].guard;
        let question = Question { condition, unknowns: &[], vars: &state.vars, params: &[] };
        let holds = self.oracle.whether(context, &question, holds);
        holds.map_err(|e| StepError::new(self.model, env, switch, Part::Guard, e))
    }

    /// All values for which a switch of the state is enabled, if they can be told.
    pub fn choices(&mut self, state: &State, switch: SwitchId) -> Result<Vec<Vec<Value>>, StepError> {
        let s = &self.model.switches[switch];
        if state.location(s.process) != s.source {
            return Ok(Vec::new());
        }
        if !self.switches[switch].chooses {
            if !self.guard_holds(state, switch)? {
                return Ok(Vec::new());
            }
            return Ok(vec![self.complete(state, switch, &[])?]);
        }
        let unknowns = self.unknowns(switch);
        let env = Env { vars: &state.vars, params: &[], bound: &[], symbols: &[], rounds: 0 };
        let context = self.context();
        let all = Search { context, unknowns: &unknowns, condition: s.guard, env }.all();
        let question = Question { condition: s.guard, unknowns: &unknowns, vars: &state.vars, params: &[] };
        let all = self.oracle.all(context, &question, all);
        let all = all.map_err(|f| self.guard_failed(state, switch, &unknowns, f))?;
        all.iter().map(|chosen| self.complete(state, switch, chosen)).collect()
    }

    /// The guard has no value, for some values of the unknowns.
    pub(super) fn guard_failed(
        &self,
        state: &State,
        switch: SwitchId,
        unknowns: &[(Unknown, SortId)],
        failed: Failed,
    ) -> StepError {
        let env = Env { vars: &state.vars, params: &[], bound: &[], symbols: &[], rounds: 0 };
        super::guard_failed(self.model, env, switch, unknowns, failed)
    }

    /// The values of all parameters from those of the [unknown](Interpreter::unknowns) ones.
    pub fn complete(&mut self, state: &State, switch: SwitchId, chosen: &[Value]) -> Result<Vec<Value>, StepError> {
        let context = self.context();
        let mut chosen = chosen.iter();
        let terms = &self.switches[switch].terms;
        let params = &self.model.switches[switch].params;
        let mut args = Vec::with_capacity(terms.len());
        // Terms of outputs may use the parameters that the same output chooses.
        for (i, term) in terms.iter().enumerate() {
            args.push(match term {
                // A value of its sort where too few were given.
                None => (chosen.next().cloned()).unwrap_or_else(|| self.model.sorts.default_value(params[i].sort)),
                Some(_) => self.model.sorts.default_value(params[i].sort),
            });
        }
        for (i, term) in terms.iter().enumerate() {
            if let Some(term) = term {
                let env = Env { vars: &state.vars, params: &args, bound: &[], symbols: &[], rounds: 0 };
                let value = term.run(&mut self.memory, context, env);
                let value = value.map_err(|e| StepError::new(self.model, env, switch, Part::Argument(i), e))?;
                args[i] = value;
            }
        }
        Ok(args)
    }

    /// The outputs that a state offers. Where the system chooses among many values, one example is given.
    pub fn outputs(&mut self, state: &State) -> Result<Vec<Offer>, StepError> {
        let mut offers = Vec::new();
        for p in 0..state.locations.len() {
            let switches: Vec<SwitchId> = self.locations[state.locations[p]].outputs.iter().map(|(_, s)| *s).collect();
            for switch in switches {
                let fixed = !self.switches[switch].chooses;
                if let Some(args) = self.example(state, switch)? {
                    offers.push(Offer { switch, args, fixed });
                }
            }
        }
        Ok(offers)
    }
}
