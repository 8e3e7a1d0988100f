//! Truth of a condition for given values of the symbols, quickly where it is about small integers and truth values.
//!
//! The reference evaluator computes with big numbers and lists of values; in a search it would take most of the time.
//! This one does arithmetic on 64 bits and gives up on anything else, and then the reference evaluator is asked. Both
//! agree: `tests/quick.rs`.

use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, TermId, Value};

/// Whether the condition is true for these values; the same as the reference evaluator says.
pub fn truth(pool: &TermPool, sorts: &Sorts, condition: TermId, symbols: &[Value]) -> Result<bool, EvalError> {
    let quick = Quick { pool, sorts, symbols };
    if let Some(truth) = quick.truth(condition, DEPTH) {
        return Ok(truth);
    }
    let value = eval(pool, sorts, condition, Env { symbols, ..Env::default() })?;
    Ok(value == Value::Bool(true))
}

/// Deeper terms are left to the reference evaluator. They may also share so much that walking them as trees takes
/// forever, but then so does the other one.
const DEPTH: u32 = 40;

struct Quick<'a> {
    pool: &'a TermPool,
    sorts: &'a Sorts,
    symbols: &'a [Value],
}

impl Quick<'_> {
    /// The truth value; nothing if it is undefined or not found out this way.
    fn truth(&self, t: TermId, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let (op, args) = match self.pool.get(t) {
            Term::Const(Value::Bool(b), _) => return Some(*b),
            Term::Symbol(y, _) => return self.symbols.get(y.index())?.as_bool(),
            Term::App(op, args) => (op, args),
            _ => return None,
        };
        match op {
            Op::Not => self.truth(args[0], depth).map(|b| !b),
            Op::And => {
                for a in args {
                    if !self.truth(*a, depth)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Op::Or => {
                for a in args {
                    if self.truth(*a, depth)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Op::Ite => {
                let chosen = if self.truth(args[0], depth)? { args[1] } else { args[2] };
                self.truth(chosen, depth)
            }
            Op::Lt => Some(self.int(args[0], depth)? < self.int(args[1], depth)?),
            Op::Le => Some(self.int(args[0], depth)? <= self.int(args[1], depth)?),
            Op::Eq => match self.sorts.get(self.pool.sort(args[0])) {
                Sort::Int { .. } => Some(self.int(args[0], depth)? == self.int(args[1], depth)?),
                Sort::Bool => Some(self.truth(args[0], depth)? == self.truth(args[1], depth)?),
                _ => Some(self.leaf(args[0])? == self.leaf(args[1])?),
            },
            Op::Is(c) => Some(self.leaf(args[0])?.constructor() == Some(*c)),
            _ => None,
        }
    }

    fn leaf(&self, t: TermId) -> Option<&Value> {
        match self.pool.get(t) {
            Term::Const(v, _) => Some(v),
            Term::Symbol(y, _) => self.symbols.get(y.index()),
            _ => None,
        }
    }

    fn int(&self, t: TermId, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        let (op, args) = match self.pool.get(t) {
            Term::Const(Value::Int(n), _) => return Some(*n),
            Term::Symbol(y, _) => match self.symbols.get(y.index())? {
                Value::Int(n) => return Some(*n),
                _ => return None,
            },
            Term::App(op, args) => (op, args),
            _ => return None,
        };
        match op {
            Op::Add => args.iter().try_fold(0i64, |sum, a| sum.checked_add(self.int(*a, depth)?)),
            Op::Mul => args.iter().try_fold(1i64, |product, a| product.checked_mul(self.int(*a, depth)?)),
            Op::Sub => self.int(args[0], depth)?.checked_sub(self.int(args[1], depth)?),
            Op::Neg => self.int(args[0], depth)?.checked_neg(),
            Op::Abs => self.int(args[0], depth)?.checked_abs(),
            Op::Div => self.int(args[0], depth)?.checked_div_euclid(self.int(args[1], depth)?),
            Op::Mod => self.int(args[0], depth)?.checked_rem_euclid(self.int(args[1], depth)?),
            Op::Ite => {
                let chosen = if self.truth(args[0], depth)? { args[1] } else { args[2] };
                self.int(chosen, depth)
            }
            Op::Min | Op::Max => {
                let mut best = self.int(args[0], depth)?;
                for a in &args[1..] {
                    let n = self.int(*a, depth)?;
                    best = if *op == Op::Min { best.min(n) } else { best.max(n) };
                }
                Some(best)
            }
            Op::Checked(sort) => {
                let n = self.int(args[0], depth)?;
                self.sorts.contains(*sort, &Value::Int(n)).then_some(n)
            }
            _ => None,
        }
    }
}
