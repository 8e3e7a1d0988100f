//! Where terms are defined.
//!
//! Evaluation goes from left to right and stops as soon as the answer is known, and so does definedness.

use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, Id, SortId, TermId, Value};

use super::quantify::binders;
use super::{Text, Wrote};
use crate::smt::sorts::{self, put};

impl Text<'_> {
    pub(super) fn is_partial(&self, t: TermId) -> bool {
        self.writer.info.get(&t).is_some_and(|info| info.partial)
    }

    /// What an operation demands of its arguments, as a template: `None` if it is always defined.
    pub(super) fn own_definedness(&self, t: TermId, quantified: &mut bool) -> Option<Demand> {
        let (pool, all) = (self.terms.pool, self.terms.sorts);
        let Term::App(op, args) = pool.get(t) else { return None };
        match op {
            Op::Div | Op::Mod => match pool.as_const(args[1]) {
                Some(Value::Int(n)) if *n != 0 => None,
                Some(Value::BigInt(_)) => None,
                _ => Some(Demand::NotZero("0")),
            },
            Op::Quot => match pool.as_const(args[1]) {
                Some(Value::Real(r)) if !r.is_zero() => None,
                _ => Some(Demand::NotZero("0.0")),
            },
            Op::Index => Some(Demand::Index),
            Op::Slice => Some(Demand::Slice),
            Op::Field(c, _) => match all.get(pool.sort(args[0])) {
                Sort::Data(d) if all.data[*d].constructors.len() > 1 => {
                    Some(Demand::Is(sorts::constructor(*d, *c as usize)))
                }
                _ => None,
            },
            Op::Checked(sort) => {
                sorts::range(all, *sort, "x", self.scopes.len(), quantified).map(|_| Demand::Inside(*sort))
            }
            _ => None,
        }
    }

    /// The formula that is true exactly where the term is defined and true.
    pub(super) fn holds(&mut self, t: TermId, out: &mut String) -> Wrote {
        let pool = self.terms.pool;
        if !self.is_partial(t) {
            return self.value(t, out);
        }
        if self.has_name(t) {
            put(out, format_args!("(and d{0} v{0})", t.index()));
            return Ok(());
        }
        match pool.get(t) {
            Term::App(Op::And, args) => {
                out.push_str("(and");
                for arg in args {
                    out.push(' ');
                    self.holds(*arg, out)?;
                }
                out.push(')');
                Ok(())
            }
            // Its value is true only where it is defined.
            Term::App(Op::Exists { .. }, _) => self.value(t, out),
            _ => {
                out.push_str("(and ");
                self.defined(t, out)?;
                out.push(' ');
                self.value(t, out)?;
                out.push(')');
                Ok(())
            }
        }
    }

    /// The condition that a term is defined; only for terms that can be undefined.
    pub(super) fn defined(&mut self, t: TermId, out: &mut String) -> Wrote {
        let pool = self.terms.pool;
        if self.has_name(t) {
            put(out, format_args!("d{}", t.index()));
            return Ok(());
        }
        let Term::App(op, args) = pool.get(t) else {
            out.push_str("true");
            return Ok(());
        };
        match op {
            Op::And | Op::Or => {
                // What comes after the last part that can be undefined does not matter.
                let last = args.iter().rposition(|a| self.is_partial(*a)).unwrap_or(0);
                let mut open = 0;
                for (i, arg) in args[..=last].iter().enumerate() {
                    if self.is_partial(*arg) {
                        if i < last {
                            out.push_str("(and ");
                            open += 1;
                        }
                        self.defined(*arg, out)?;
                        out.push(' ');
                    }
                    if i < last {
                        out.push_str(if *op == Op::And { "(or (not " } else { "(or " });
                        self.value(*arg, out)?;
                        out.push_str(if *op == Op::And { ") " } else { " " });
                        open += 1;
                    }
                }
                out.extend(std::iter::repeat_n(')', open));
                Ok(())
            }
            Op::Ite => {
                out.push_str("(and ");
                self.defined_or_true(args[0], out)?;
                out.push_str(" (ite ");
                self.value(args[0], out)?;
                for branch in &args[1..] {
                    out.push(' ');
                    self.defined_or_true(*branch, out)?;
                }
                out.push_str("))");
                Ok(())
            }
            Op::Exists { first, count } => {
                // Found, or defined everywhere.
                let bound: Vec<BinderId> = binders(*first, *count).collect();
                out.push_str("(or ");
                self.value(t, out)?;
                out.push_str(" (not ");
                self.quantify(&bound, args[0], out, &mut |text, out| {
                    out.push_str("(not ");
                    text.defined(args[0], out)?;
                    out.push(')');
                    Ok(())
                })?;
                out.push_str("))");
                Ok(())
            }
            _ => {
                out.push_str("(and");
                for arg in args {
                    if self.is_partial(*arg) {
                        out.push(' ');
                        self.defined(*arg, out)?;
                    }
                }
                if let Some(demand) = self.own_definedness(t, &mut false) {
                    out.push(' ');
                    self.demand(&demand, args, out)?;
                }
                out.push(')');
                Ok(())
            }
        }
    }

    pub(super) fn defined_or_true(&mut self, t: TermId, out: &mut String) -> Wrote {
        if self.is_partial(t) {
            self.defined(t, out)
        } else {
            out.push_str("true");
            Ok(())
        }
    }

    pub(super) fn demand(&mut self, demand: &Demand, args: &[TermId], out: &mut String) -> Wrote {
        let text = self.is_string(args[0]);
        let len = if text { "str.len" } else { "seq.len" };
        let mut arg = |i: usize| {
            let mut out = String::new();
            self.value(args[i], &mut out).map(|()| out)
        };
        match demand {
            Demand::NotZero(zero) => put(out, format_args!("(not (= {} {zero}))", arg(1)?)),
            Demand::Index => {
                let (s, i) = (arg(0)?, arg(1)?);
                put(out, format_args!("(and (<= 0 {i}) (< {i} ({len} {s})))"));
            }
            Demand::Slice => {
                let (s, from, to) = (arg(0)?, arg(1)?, arg(2)?);
                put(out, format_args!("(<= 0 {from} {to} ({len} {s}))"));
            }
            Demand::Is(constructor) => put(out, format_args!("((_ is {constructor}) {})", arg(0)?)),
            Demand::Inside(sort) => {
                let x = arg(0)?;
                let inside = sorts::range(self.terms.sorts, *sort, &x, self.scopes.len(), &mut false);
                out.push_str(&inside.unwrap_or_else(|| "true".into()));
            }
        }
        Ok(())
    }
}

/// What an operation demands of its arguments.
pub(super) enum Demand {
    NotZero(&'static str),
    Index,
    Slice,
    Is(String),
    Inside(SortId),
}
