//! Values for a step of a state: a switch, or the two of a handshake.

use sioco_model::model::Model;
use sioco_model::semantics::Unanswered;
use sioco_model::term::{Term, TermPool};
use sioco_model::{Id, SwitchId, TermId, Value};

use super::{PLAINEST, Prepared, StateOracle, parts};
use crate::logic;
use crate::values::{Choice, Chosen};

/// A step that values are wanted for.
#[derive(Clone, Copy)]
pub struct StepQuestion<'a> {
    /// The switch; of a handshake, the sending one.
    pub switch: SwitchId,
    /// The receiving switch of a handshake.
    pub receive: Option<SwitchId>,
    /// The values of all variables.
    pub vars: &'a [Value],
    /// Whether everything that the step computes must be defined and inside of its range.
    pub safe: bool,
    /// Where a border of the guard is chosen, another one for each turn.
    pub turn: u64,
}

impl StateOracle {
    /// Values of the parameters that the switch leaves open, for which the step can be taken, chosen in a certain way
    /// or the plainest ones; nothing if there are none.
    pub fn choose_step(
        &mut self,
        model: &Model,
        question: StepQuestion<'_>,
        choice: Option<Choice>,
    ) -> Result<Option<Chosen>, Unanswered> {
        let (prepared, guard) = self.prepare_step(model, question);
        let guard = (choice == Some(Choice::Boundary)).then_some((guard, question.turn));
        self.chosen(&prepared, choice.unwrap_or(PLAINEST), guard, question.vars)
    }

    /// The conditions of a step, and that of its guards alone.
    fn prepare_step(&mut self, model: &Model, question: StepQuestion<'_>) -> (Prepared, TermId) {
        let first = &model.switches[question.switch];
        let mut symbols = Vec::new();
        let mut args: Vec<Option<TermId>> = Vec::new();
        for p in &first.params {
            args.push(p.term.is_none().then(|| {
                let symbol = self.symbol(symbols.len(), p.sort);
                symbols.push(symbol);
                self.pool.symbol(symbol, self.sorts.base(p.sort))
            }));
        }
        // Terms of a label may use the parameters that the same label chooses.
        let chosen = args.clone();
        let mut computed = Vec::new();
        for (arg, p) in args.iter_mut().zip(&first.params) {
            if let Some(term) = p.term {
                let term = put_in(&mut self.pool, term, question.vars, &chosen);
                computed.push(term);
                *arg = Some(term);
            }
        }
        let mut conjuncts = Vec::new();
        let switches = [Some(question.switch), question.receive];
        for (n, switch) in switches.into_iter().flatten().enumerate() {
            let s = &model.switches[switch];
            for (i, p) in s.params.iter().enumerate() {
                if let (1.., Some(term), Some(sent)) = (n, p.term, args[i]) {
                    let expected = put_in(&mut self.pool, term, question.vars, &args);
                    conjuncts.push(self.pool.eq(&self.sorts, sent, expected));
                }
            }
            for conjunct in parts(&self.pool, s.guard) {
                conjuncts.push(put_in(&mut self.pool, conjunct, question.vars, &args));
            }
            for (_, term) in &s.update {
                computed.push(put_in(&mut self.pool, *term, question.vars, &args));
            }
        }
        let guard = self.pool.and(&self.sorts, &conjuncts);
        if question.safe {
            for term in computed {
                conjuncts.push(logic::defined(&mut self.pool, &self.sorts, term));
            }
        }
        let whole = self.pool.and(&self.sorts, &conjuncts);
        (Prepared { conjuncts, whole, symbols }, guard)
    }
}

/// The term with values for its variables, and terms for its parameters.
fn put_in(pool: &mut TermPool, term: TermId, vars: &[Value], params: &[Option<TermId>]) -> TermId {
    pool.replace(term, &mut |pool, leaf| match leaf {
        Term::Var(v, sort) => vars.get(v.index()).map(|value| pool.constant(value.clone(), *sort)),
        Term::Param(i, _) => params.get(*i as usize).copied().flatten(),
        _ => None,
    })
}
