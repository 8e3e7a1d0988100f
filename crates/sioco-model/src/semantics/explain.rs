//! Why a switch is not enabled: which conjunct of its guard is false, with which values.

use super::choice;
use super::interpreter::{Interpreter, Part, StepError};
use super::oracle::Question;
use super::program::Context;
use super::state::State;
use crate::eval::{Env, EvalError, eval};
use crate::id::{Id, LocationId, SwitchId, TermId, VarId};
use crate::term::{Op, Term};
use crate::value::Value;

/// A reason why a switch cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The process is somewhere else.
    Elsewhere {
        /// Where it is.
        at: LocationId,
        /// Where the switch starts.
        source: LocationId,
    },
    /// A value does not fit the parameter.
    Misfit {
        /// The parameter, by position.
        param: usize,
        /// The value.
        value: Value,
    },
    /// A conjunct of the guard is false.
    False {
        /// The conjunct.
        conjunct: TermId,
        /// The variables and parameters in it, with their values.
        values: Vec<(Leaf, Value)>,
    },
    /// The output has another value.
    Differs {
        /// The parameter, by position.
        param: usize,
        /// What the model gives it.
        expected: Value,
        /// What it was asked to be.
        found: Value,
    },
    /// No values of the parameters make the guard true.
    NoValues {
        /// The variables in the guard, with their values.
        values: Vec<(Leaf, Value)>,
    },
    /// No values of the parameters make these conjuncts of the guard true together.
    Clash {
        /// The conjuncts.
        conjuncts: Vec<TermId>,
        /// The variables in them, with their values.
        values: Vec<(Leaf, Value)>,
    },
    /// No other process offers the other half of the handshake.
    NoPartner,
    /// Something has no value: a model error.
    Undefined(StepError),
    /// Whether there are values takes a solver, and there is no oracle, or it does not know; why.
    NeedsSolver(String),
}

/// A leaf of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// A variable.
    Var(VarId),
    /// A parameter, by position.
    Param(u32),
}

impl Interpreter<'_> {
    /// The reasons why a switch is not enabled in a state, for these values or, without any, for all values. Empty if
    /// it is enabled.
    pub fn why_not(&mut self, state: &State, switch: SwitchId, args: Option<&[Value]>) -> Vec<Reason> {
        let model = self.model();
        let s = &model.switches[switch];
        let at = state.location(s.process);
        if at != s.source {
            return vec![Reason::Elsewhere { at, source: s.source }];
        }
        let context = Context { terms: &model.terms, sorts: &model.sorts };
        let Some(args) = args else { return self.why_never(state, switch, context) };
        let misfits = s.params.iter().zip(args).enumerate();
        let misfits = misfits.filter(|(_, (p, v))| !model.sorts.contains(p.sort, v));
        let mut reasons: Vec<Reason> =
            misfits.map(|(param, (_, v))| Reason::Misfit { param, value: v.clone() }).collect();
        if !reasons.is_empty() {
            return reasons;
        }
        let env = Env { vars: state.values(), params: args, bound: &[], symbols: &[], rounds: 0 };
        for conjunct in conjuncts(context, s.guard) {
            let question = Question { condition: conjunct, unknowns: &[], vars: env.vars, params: args };
            match self.oracle.whether(context, &question, choice::decide(context, conjunct, env)) {
                Ok(true) => {}
                Ok(false) => reasons.push(Reason::False { conjunct, values: leaves(context, conjunct, env) }),
                Err(EvalError::NeedsSolver(why)) => reasons.push(Reason::NeedsSolver(why)),
                // What stands behind a false conjunct is never evaluated.
                Err(_) if !reasons.is_empty() => break,
                Err(error) => {
                    return vec![Reason::Undefined(StepError::new(model, env, switch, Part::Guard, error))];
                }
            }
        }
        if !reasons.is_empty() {
            return reasons;
        }
        for (param, p) in s.params.iter().enumerate() {
            let Some(term) = p.term else { continue };
            match eval(context.terms, context.sorts, term, env) {
                Ok(expected) => {
                    if !super::interpreter::matches(&expected, &args[param], p.tolerance.as_ref()) {
                        reasons.push(Reason::Differs { param, expected, found: args[param].clone() });
                    }
                }
                Err(error) => {
                    let part = Part::Argument(param);
                    return vec![Reason::Undefined(StepError::new(model, env, switch, part, error))];
                }
            }
        }
        reasons
    }

    /// The reasons why no values enable a switch; last, that it is undefined for some.
    fn why_never(&mut self, state: &State, switch: SwitchId, context: Context<'_>) -> Vec<Reason> {
        let s = &self.model().switches[switch];
        let env = Env { vars: state.values(), params: &[], bound: &[], symbols: &[], rounds: 0 };
        let undefined = match self.example(state, switch) {
            Ok(Some(_)) => return Vec::new(),
            Ok(None) => None,
            Err(StepError::NeedsSolver { why, .. }) => Some(Reason::NeedsSolver(why)),
            Err(error) => Some(Reason::Undefined(error)),
        };
        // A conjunct without parameters that is false is reason enough.
        let mut reasons = Vec::new();
        for conjunct in conjuncts(context, s.guard) {
            if has_params(context, conjunct) {
                continue;
            }
            let question = Question { condition: conjunct, unknowns: &[], vars: env.vars, params: &[] };
            match self.oracle.whether(context, &question, choice::decide(context, conjunct, env)) {
                Ok(false) => reasons.push(Reason::False { conjunct, values: leaves(context, conjunct, env) }),
                // What stands behind an undefined conjunct does not count.
                Err(error) if !matches!(error, EvalError::NeedsSolver(_)) => break,
                _ => {}
            }
        }
        let open = matches!(undefined, Some(Reason::NeedsSolver(_)));
        if reasons.is_empty() && !open {
            let unknowns = self.unknowns(switch);
            let question = Question { condition: s.guard, unknowns: &unknowns, vars: env.vars, params: &[] };
            let search = choice::Search { context, unknowns: &unknowns, condition: s.guard, env };
            let clash = match search.witness_by_domains().map_err(|failed| failed.error) {
                // Without parameters there is nothing to clash: it is undefined, or it is false.
                Err(EvalError::NeedsSolver(_)) if undefined.is_none() || !unknowns.is_empty() => {
                    self.oracle.clash(&question)
                }
                _ => Vec::new(),
            };
            let mut values = Vec::new();
            for leaf in clash.iter().flat_map(|c| leaves(context, *c, env)) {
                if !values.contains(&leaf) {
                    values.push(leaf);
                }
            }
            if !clash.is_empty() {
                reasons.push(Reason::Clash { conjuncts: clash, values });
            } else if undefined.is_none() {
                reasons.push(Reason::NoValues { values: leaves(context, s.guard, env) });
            }
        }
        reasons.extend(undefined);
        reasons
    }
}

/// The conjuncts of a condition, in order.
pub fn conjuncts(context: Context<'_>, condition: TermId) -> Vec<TermId> {
    match context.terms.get(condition) {
        Term::App(Op::And, args) => args.to_vec(),
        _ => vec![condition],
    }
}

fn has_params(context: Context<'_>, term: TermId) -> bool {
    let mut found = false;
    context.terms.visit(term, &mut |_, t| found |= matches!(t, Term::Param(..)));
    found
}

/// The variables and parameters of a term with their values, each once; parameters without a value are left out.
pub(super) fn leaves(context: Context<'_>, term: TermId, env: Env<'_>) -> Vec<(Leaf, Value)> {
    let mut found = Vec::new();
    context.terms.visit(term, &mut |_, t| match t {
        Term::Var(v, _) => found.push((Leaf::Var(*v), env.vars[v.index()].clone())),
        Term::Param(i, _) => {
            if let Some(value) = env.params.get(*i as usize) {
                found.push((Leaf::Param(*i), value.clone()));
            }
        }
        _ => {}
    });
    found
}
