//! Why a path cannot be taken: conditions that cannot be true together.

use sioco_model::print;
use sioco_model::{TermId, Value};
use sioco_solve::{Answer, Terms};

use crate::path::{Path, PathCondition};
use crate::prepare::Origin;
use crate::reach::Clash;
use crate::step::Step;

impl Path<'_> {
    /// The conditions that keep an impossible step from being taken.
    pub fn clash(&mut self, step: Step) -> Vec<Clash> {
        let at = self.len();
        // A condition that is false by itself says it all.
        for (origin, source, reads) in self.step_conditions(step) {
            let instance = self.instance(source, &reads);
            let unsatisfied = self.pool.as_const(instance) == Some(&Value::Bool(false));
            if unsatisfied || (reads.iter().all(|v| self.value(*v).is_some()) && self.never(instance)) {
                let values = reads.iter().filter_map(|v| self.value(*v).map(|x| (*v, x.clone()))).collect();
                return vec![Clash { step: at, origin, text: self.source_text(origin, source), values }];
            }
        }
        // With the parameters of the step as symbols, as if it were taken.
        self.advance(step);
        let clash = self.smallest();
        self.retreat();
        clash
    }

    /// Whether a condition without variables is never true, whatever the parameters are.
    fn never(&mut self, instance: TermId) -> bool {
        let (_, has_params) = crate::prepare::leaves(&self.pool, instance);
        !has_params && self.clashes(&[instance])
    }

    /// A condition as it stands in the model.
    fn source_text(&self, origin: Origin, source: TermId) -> String {
        let model = self.model();
        match origin {
            Origin::Guard(switch, i) => {
                let parts = crate::prepare::conjuncts(&model.terms, model.switches[switch].guard);
                match parts.get(i) {
                    Some(part) => print::term(model, Some(switch), *part),
                    None => self.show(source),
                }
            }
            Origin::Defined(switch, _) | Origin::Silent(switch) => {
                print::term_in(model, self.pool(), Some(switch), &|y| self.symbol_name(y), source)
            }
            Origin::Agreement(..) | Origin::Definition(_) | Origin::Rounds | Origin::Wanted => self.show(source),
        }
    }

    /// As few of the conditions of the path as can be found that still clash.
    ///
    /// They are looked for as they are shown, over the values at the start and of the parameters. A helper symbol has the
    /// range of its variable, so with it a condition may clash that would not by what it says: that the value is inside
    /// the range is another condition then.
    pub(crate) fn smallest(&mut self) -> Vec<Clash> {
        let written = self.written_out();
        let terms: Vec<TermId> = written.iter().map(|c| c.term).collect();
        let (all, core) = match self.core_of(&terms) {
            Answer::Unsat(core) => (written, core),
            // With helper symbols the solver saw it.
            _ => {
                self.sync();
                let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
                let core = match self.solvers.main.core(terms, &self.solvers.limits) {
                    Answer::Unsat(core) => core,
                    _ => None,
                };
                (self.conditions().to_vec(), core)
            }
        };
        let mut left = match core {
            Some(core) => all.into_iter().filter(|c| core.contains(&c.term)).collect(),
            None => all,
        };
        // The solver's core may be too large; what is left out one by one and still clashes is not needed.
        let mut i = left.len();
        while i > 0 && left.len() > 1 {
            i -= 1;
            let without: Vec<TermId> = left.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, c)| c.term).collect();
            if self.clashes(&without) {
                left.remove(i);
            }
        }
        let shown = |c: PathCondition| Clash {
            step: c.step.saturating_sub(1),
            origin: c.origin,
            text: self.show(c.term),
            values: Vec::new(),
        };
        left.into_iter().map(shown).collect()
    }

    fn clashes(&mut self, conditions: &[TermId]) -> bool {
        matches!(self.aside(conditions, false), Answer::Unsat(_))
    }

    /// Which of the conditions clash, if they do.
    fn core_of(&mut self, conditions: &[TermId]) -> Answer {
        self.aside(conditions, true)
    }

    fn aside(&mut self, conditions: &[TermId], core: bool) -> Answer {
        self.solvers.side.push();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        for c in conditions {
            self.solvers.side.assert(terms, *c);
        }
        let answer = match core {
            true => self.solvers.side.core(terms, &self.solvers.limits),
            false => self.solvers.side.check(terms, &self.solvers.limits, false),
        };
        self.solvers.side.pop();
        answer
    }
}
