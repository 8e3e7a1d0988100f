//! Variables that are tried value by value, or constructor by constructor.

use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::Op;
use sioco_model::{BinderId, TermId};

use super::formula::{Context, Formula, and, or};

/// At most this many values are tried: the condition is written out for each of them, and becomes as many times larger.
const MAX_VALUES: u64 = 16;

impl Context<'_> {
    /// One case for each value of the variable's sort, if there are few.
    pub fn expand(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        let sort = self.pool.binders[b];
        let count = self.sorts.cardinality(sort).filter(|n| *n <= MAX_VALUES)?;
        let size: usize = conjuncts.iter().map(Formula::size).sum();
        let base = self.sorts.base(sort);
        let mut cases = Vec::new();
        for n in 0..count {
            self.spend(size)?;
            let value = self.sorts.nth_value(sort, n).expect("below the cardinality");
            let value = self.pool.constant(value, base);
            let parts = conjuncts.iter().map(|c| self.substitute(c, b, value)).collect();
            cases.push(and(parts));
        }
        Some(or(cases))
    }

    /// One case for each constructor of the variable's data type, with new variables for the fields.
    pub fn take_apart(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Vec<(Vec<BinderId>, Formula)>> {
        let sort = self.pool.binders[b];
        let Sort::Data(d) = self.sorts.get(sort) else { return None };
        let sorts: &Sorts = self.sorts;
        let constructors = &sorts.data[*d].constructors;
        let size: usize = conjuncts.iter().map(Formula::size).sum();
        let mut cases = Vec::new();
        for (c, constructor) in constructors.iter().enumerate() {
            if constructors.len() > 1 {
                self.spend(size)?;
            }
            let fields: Vec<BinderId> = constructor.fields.iter().map(|f| self.pool.binders.push(f.sort)).collect();
            let args: Vec<TermId> = fields.iter().map(|f| self.pool.bound(sorts, *f)).collect();
            let value = match args.is_empty() {
                true => self.pool.constant(sioco_model::Value::Enum(c as u32), sort),
                false => self.pool.app(Op::Construct(c as u32), &args, sort),
            };
            cases.push((fields, and(conjuncts.iter().map(|f| self.substitute(f, b, value)).collect())));
        }
        Some(cases)
    }
}
