//! Free variables that the model only compares with values of small ranges.
//!
//! Nobody can tell two values of such a variable apart that lie on the same side of everything they are compared with:
//! the states with one and with the other do the same for ever. So one value on each side stands for all others, and a
//! variable without bounds has few values that matter (T-B4).

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::range::Range;
use crate::id::{SortId, TermId, VarId};
use crate::model::{Model, Switch};
use crate::number;
use crate::sort::Sort;
use crate::term::{Op, Term};
use crate::value::Value;

/// The values of a free variable that matter, each with what it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sides {
    /// The variable.
    pub var: VarId,
    /// One value for each side.
    pub values: Vec<Value>,
    other: Other,
}

/// Which of the values stand for others.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Other {
    /// All numbers below the first of these, and all above the last.
    Numbers(Value, Value),
    /// The last text, for all that are not among those before it.
    Texts,
    /// The only one, for all.
    All,
}

impl Sides {
    /// The sides of a free variable; nothing if it is not only compared, or if there are more than so many.
    pub fn of(model: &Model, var: VarId, most: u64) -> Option<Sides> {
        let sort = model.variables[var].sort;
        let mut reader = Reader { model, var, switch: None, seen: FxHashSet::default(), compared: Compared::default() };
        for switch in model.switches.values() {
            reader.read(switch)?;
        }
        match (model.sorts.get(sort), reader.compared) {
            // Nothing tells its values apart.
            (_, Compared { numbers: None, texts }) if texts.is_empty() => {
                let value = model.sorts.default_value(sort);
                Some(Sides { var, values: vec![value], other: Other::All })
            }
            (Sort::Int { .. }, Compared { numbers: Some(range), texts }) if texts.is_empty() => {
                let (lo, hi) = (range.lo?, range.hi?);
                if hi.checked_sub(lo)?.checked_add(3)? > i128::from(most) {
                    return None;
                }
                let fits = |v: &Value| model.sorts.contains(sort, v);
                let values: Vec<Value> = (lo - 1..=hi + 1).map(whole).filter(fits).collect();
                (!values.is_empty()).then(|| Sides { var, values, other: Other::Numbers(whole(lo), whole(hi)) })
            }
            (Sort::String, Compared { numbers: None, mut texts }) if texts.len() as u64 + 1 < most => {
                texts.sort_unstable();
                texts.dedup();
                // It is longer than each of them.
                let another = texts.concat() + "-";
                let values = texts.iter().chain([&another]).map(|t| Value::string(t)).collect();
                Some(Sides { var, values, other: Other::Texts })
            }
            _ => None,
        }
    }

    /// What a value stands for, with the name of the variable: `x = 3`, `x > 5`.
    pub fn show(&self, model: &Model, value: &Value) -> String {
        let name = model.variable_name(self.var);
        let show = |v: &Value| model.sorts.show(model.variables[self.var].sort, v);
        match &self.other {
            Other::Numbers(lo, _) if number::compare(value, lo).is_some_and(|o| o.is_lt()) => {
                format!("{name} < {}", show(lo))
            }
            Other::Numbers(_, hi) if number::compare(value, hi).is_some_and(|o| o.is_gt()) => {
                format!("{name} > {}", show(hi))
            }
            Other::Texts if self.values.last() == Some(value) => {
                let mut text = format!("{name} is none of");
                for (i, known) in self.values.iter().rev().skip(1).rev().enumerate() {
                    let _ = write!(text, "{} {}", if i == 0 { "" } else { "," }, show(known));
                }
                text
            }
            Other::All => format!("{name} is any value"),
            _ => format!("{name} = {}", show(value)),
        }
    }
}

fn whole(n: i128) -> Value {
    number::int(n.into())
}

/// What a variable is compared with.
#[derive(Clone, Default, Debug)]
struct Compared {
    numbers: Option<Range<i128>>,
    texts: Vec<String>,
}

/// Looks for a variable in terms.
struct Reader<'m> {
    model: &'m Model,
    var: VarId,
    /// The one whose parameters terms speak of.
    switch: Option<&'m Switch>,
    seen: FxHashSet<TermId>,
    compared: Compared,
}

impl<'m> Reader<'m> {
    /// Nothing if the variable is not only compared.
    fn read(&mut self, switch: &'m Switch) -> Option<()> {
        self.switch = Some(switch);
        self.seen.clear();
        self.look(switch.guard)?;
        for p in &switch.params {
            p.term.map_or(Some(()), |t| self.look(t))?;
        }
        for (var, term) in &switch.update {
            let keeps = matches!(self.model.terms.get(*term), Term::Var(v, _) if v == var);
            match *var == self.var {
                // A new value is none that stands for others.
                true if !keeps => self.compare(*term)?,
                true => {}
                false => self.look(*term)?,
            }
        }
        Some(())
    }

    fn is_it(&self, term: TermId) -> bool {
        matches!(self.model.terms.get(term), Term::Var(v, _) if *v == self.var)
    }

    fn look(&mut self, term: TermId) -> Option<()> {
        if !self.seen.insert(term) {
            return Some(());
        }
        match self.model.terms.get(term) {
            Term::Var(v, _) if *v == self.var => None,
            Term::App(Op::Eq | Op::Lt | Op::Le, args) => match (self.is_it(args[0]), self.is_it(args[1])) {
                (true, true) => Some(()),
                (true, false) => self.compare(args[1]),
                (false, true) => self.compare(args[0]),
                (false, false) => args.iter().try_for_each(|a| self.look(*a)),
            },
            Term::App(op, args) if self.is_decided(*op, args) => Some(()),
            Term::App(_, args) => args.iter().try_for_each(|a| self.look(*a)),
            _ => Some(()),
        }
    }

    /// Whether a junction has its value whatever its first parts are, such as `x > 0 || true`.
    fn is_decided(&self, op: Op, args: &[TermId]) -> bool {
        let terms = &self.model.terms;
        let decides = |a: &TermId| matches!(terms.as_const(*a), Some(Value::Bool(b)) if *b == (op == Op::Or));
        matches!(op, Op::And | Op::Or) && args.iter().any(decides) && !args.iter().any(|a| terms.is_partial(*a))
    }

    /// The variable is compared with this.
    fn compare(&mut self, with: TermId) -> Option<()> {
        self.look(with)?;
        if let Some(Value::Str(text)) = self.model.terms.as_const(with) {
            self.compared.texts.push(text.to_string());
            return Some(());
        }
        let range = self.range(with).filter(|r| r.lo.is_some() && r.hi.is_some())?;
        let known = self.compared.numbers.take();
        self.compared.numbers = Some(known.map_or_else(|| range.clone(), |known| known.join(&range)));
        Some(())
    }

    /// The integers of a sort; nothing if it has none.
    fn integers(&self, sort: SortId) -> Option<Range<i128>> {
        match self.model.sorts.get(sort) {
            Sort::Int { lo, hi } => {
                let end = |n: &number::BigInt| i128::try_from(n).ok();
                // An end that is too far away is as good as none.
                Some(Range::new(lo.as_ref().and_then(end), hi.as_ref().and_then(end)))
            }
            _ => None,
        }
    }

    /// All values that an integer term may have; nothing where that is not looked into.
    fn range(&self, term: TermId) -> Option<Range<i128>> {
        let model = self.model;
        let arg = |i: usize, args: &[TermId]| self.range(args[i]);
        match model.terms.get(term) {
            Term::Const(value, _) => {
                let n = i128::try_from(&number::to_big(value)?).ok();
                Some(Range::new(n, n))
            }
            Term::Var(v, _) => self.integers(model.variables[*v].sort),
            Term::Param(i, _) => self.integers(self.switch?.params.get(*i as usize)?.sort),
            Term::Bound(b, _) => self.integers(model.terms.binders[*b]),
            Term::App(op, args) => match op {
                Op::Add => args.iter().skip(1).try_fold(arg(0, args)?, |sum, a| Some(sum.add(&self.range(*a)?))),
                Op::Mul => args.iter().skip(1).try_fold(arg(0, args)?, |all, a| Some(all.multiply(&self.range(*a)?))),
                Op::Min => args.iter().skip(1).try_fold(arg(0, args)?, |all, a| Some(all.least(&self.range(*a)?))),
                Op::Max => args.iter().skip(1).try_fold(arg(0, args)?, |all, a| Some(all.greatest(&self.range(*a)?))),
                Op::Sub => Some(arg(0, args)?.subtract(&arg(1, args)?)),
                Op::Neg => Some(arg(0, args)?.negate()),
                Op::Abs => Some(arg(0, args)?.absolute()),
                Op::Div => Some(arg(0, args)?.divide(self.divisor(args[1])?)),
                Op::Mod => Some(Range::new(Some(0), Some(self.divisor(args[1])? - 1))),
                Op::Ite => Some(arg(1, args)?.join(&arg(2, args)?)),
                Op::Checked(sort) => Some(match (self.integers(*sort)?, arg(0, args)) {
                    (sort, Some(range)) => sort.meet(&range),
                    (sort, None) => sort,
                }),
                _ => None,
            },
            Term::ProcessParam(..) | Term::Symbol(..) => None,
        }
    }

    fn divisor(&self, term: TermId) -> Option<i128> {
        let n = i128::try_from(&number::to_big(self.model.terms.as_const(term)?)?).ok()?;
        (n > 0).then_some(n)
    }
}
