//! Conditions whose truth can be seen without looking for values.

use sioco_model::eval::{Env, eval};
use sioco_model::term::{Op, Term};
use sioco_model::{TermId, Value};

use super::memory::Memory;
use crate::query::Terms;

/// What can be seen of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// It is true for all values.
    True,
    /// It is true for no values: false, or undefined.
    NeverTrue,
    /// It is false for all values, and so its negation is true for all.
    False,
    /// That depends.
    Open,
}

/// Looks at conditions, and remembers what it saw.
pub struct Simplifier {
    seen: Memory<TermId, Seen>,
}

/// How many conditions are remembered.
const MAX_REMEMBERED: usize = 1 << 17;

impl Default for Simplifier {
    fn default() -> Self {
        Simplifier { seen: Memory::new(MAX_REMEMBERED) }
    }
}

impl Simplifier {
    /// What can be seen of a condition.
    pub fn look(&mut self, terms: Terms<'_>, condition: TermId) -> Seen {
        if let Some(seen) = self.seen.get(&condition) {
            return *seen;
        }
        let seen = self.look_inside(terms, condition);
        self.seen.put(condition, seen);
        seen
    }

    fn look_inside(&mut self, terms: Terms<'_>, condition: TermId) -> Seen {
        let (op, args) = match terms.pool.get(condition) {
            Term::Const(v, _) => return truth(v),
            Term::App(op, args) => (*op, &**args),
            _ => return Seen::Open,
        };
        match op {
            Op::Not => match self.look(terms, args[0]) {
                Seen::True => Seen::False,
                Seen::False => Seen::True,
                // Nothing is known of what is never true: it may be false, or undefined.
                Seen::NeverTrue | Seen::Open => Seen::Open,
            },
            Op::And => self.junction(terms, args, Seen::True, Seen::False),
            Op::Or => self.junction(terms, args, Seen::False, Seen::True),
            Op::Ite => match self.look(terms, args[0]) {
                Seen::True => self.look(terms, args[1]),
                Seen::False => self.look(terms, args[2]),
                _ => Seen::Open,
            },
            Op::Eq | Op::Le | Op::Lt if args[0] == args[1] => match (op, terms.pool.is_partial(args[0])) {
                (Op::Lt, false) => Seen::False,
                (Op::Lt, true) => Seen::NeverTrue,
                (_, false) => Seen::True,
                (_, true) => Seen::Open,
            },
            Op::Exists { .. } => Seen::Open,
            _ if args.iter().all(|a| terms.pool.as_const(*a).is_some()) => {
                match eval(terms.pool, terms.sorts, condition, Env::default()) {
                    Ok(v) => truth(&v),
                    Err(_) => Seen::NeverTrue,
                }
            }
            _ => Seen::Open,
        }
    }

    /// A conjunction (`unit` true) or disjunction: the first part that is not the unit decides, if it is seen.
    fn junction(&mut self, terms: Terms<'_>, args: &[TermId], unit: Seen, zero: Seen) -> Seen {
        let mut result = unit;
        for a in args {
            let seen = self.look(terms, *a);
            if seen == unit {
                continue;
            }
            if result == unit {
                // Everything before is the unit: this part is reached.
                if seen == zero {
                    return zero;
                }
                result = Seen::Open;
            }
            // A conjunct that is never true keeps the conjunction from being true, whatever stands before it.
            if unit == Seen::True && matches!(seen, Seen::NeverTrue | Seen::False) {
                return Seen::NeverTrue;
            }
        }
        result
    }
}

fn truth(value: &Value) -> Seen {
    if *value == Value::Bool(true) { Seen::True } else { Seen::False }
}
