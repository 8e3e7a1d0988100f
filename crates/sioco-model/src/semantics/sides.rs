//! Free variables that the model only compares with values of small ranges.
//!
//! Nobody can tell two values of such a variable apart that lie on the same side of everything they are compared with:
//! the states with one and with the other do the same for ever. So one value on each side stands for all others, and a
//! variable without bounds has few values that matter (T-B4).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

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
        let mut reader = Reader {
            model,
            var,
            switch: None,
            seen: FxHashSet::default(),
            ranges: FxHashMap::default(),
            numbers: None,
            texts: BTreeSet::new(),
        };
        for switch in model.switches.values() {
            reader.read(switch)?;
        }
        let (values, other): (Vec<Value>, Other) = match &reader.numbers {
            Some(range) => {
                let (lo, hi) = (range.lo?, range.hi?);
                let sides = Range::new(Some(lo - 1), Some(hi + 1)).meet(&reader.integers(sort)?);
                let (first, last) = (sides.lo?, sides.hi?);
                // There may be far too many to be listed.
                if last - first >= i128::from(most) {
                    return None;
                }
                ((first..=last).map(whole).collect(), Other::Numbers(whole(lo), whole(hi)))
            }
            // Nothing tells its values apart.
            None if reader.texts.is_empty() => (vec![model.sorts.default_value(sort)], Other::All),
            None if reader.texts.len() as u64 >= most => return None,
            None => {
                // It is longer than each of them.
                let another = reader.texts.iter().map(String::as_str).collect::<String>() + "-";
                (reader.texts.iter().chain([&another]).map(|t| Value::string(t)).collect(), Other::Texts)
            }
        };
        // Where none is left, all values are far from what they are compared with.
        (!values.is_empty()).then_some(Sides { var, values, other })
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

/// Looks for a variable in terms.
struct Reader<'m> {
    model: &'m Model,
    var: VarId,
    /// The one whose parameters terms speak of.
    switch: Option<&'m Switch>,
    /// What was looked at of it already, since terms share their parts.
    seen: FxHashSet<TermId>,
    ranges: FxHashMap<TermId, Option<Range<i128>>>,
    /// What it is compared with: whole numbers between two ends, and texts.
    numbers: Option<Range<i128>>,
    texts: BTreeSet<String>,
}

impl<'m> Reader<'m> {
    /// Nothing if the variable is not only compared.
    fn read(&mut self, switch: &'m Switch) -> Option<()> {
        self.switch = Some(switch);
        self.seen.clear();
        self.ranges.clear();
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
            self.texts.insert(text.to_string());
            return Some(());
        }
        let range = self.range(with)?;
        self.numbers = Some(match self.numbers.take() {
            Some(known) => known.join(&range),
            None => range,
        });
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
    fn range(&mut self, term: TermId) -> Option<Range<i128>> {
        if let Some(known) = self.ranges.get(&term) {
            return known.clone();
        }
        let range = self.range_of(term);
        self.ranges.insert(term, range.clone());
        range
    }

    fn range_of(&mut self, term: TermId) -> Option<Range<i128>> {
        let model = self.model;
        match model.terms.get(term) {
            Term::Const(value, _) => {
                let n = i128::try_from(&number::to_big(value)?).ok();
                Some(Range::new(n, n))
            }
            Term::Var(v, _) => self.integers(model.variables[*v].sort),
            Term::Param(i, _) => self.integers(self.switch?.params.get(*i as usize)?.sort),
            Term::Bound(b, _) => self.integers(model.terms.binders[*b]),
            Term::App(op, args) => match op {
                Op::Add => self.together(args, Range::add),
                Op::Sub => self.together(args, Range::subtract),
                Op::Mul => self.together(args, Range::multiply),
                Op::Min => self.together(args, Range::least),
                Op::Max => self.together(args, Range::greatest),
                Op::Ite => self.together(&args[1..], Range::join),
                Op::Neg => Some(self.range(args[0])?.negate()),
                Op::Abs => Some(self.range(args[0])?.absolute()),
                Op::Div => Some(self.range(args[0])?.divide(self.divisor(args[1])?)),
                Op::Mod => Some(Range::new(Some(0), Some(self.divisor(args[1])? - 1))),
                Op::Checked(sort) => {
                    let sort = self.integers(*sort)?;
                    Some(self.range(args[0]).map_or(sort.clone(), |range| sort.meet(&range)))
                }
                _ => None,
            },
            Term::ProcessParam(..) | Term::Symbol(..) => None,
        }
    }

    /// The range of several terms.
    fn together(
        &mut self,
        terms: &[TermId],
        join: fn(&Range<i128>, &Range<i128>) -> Range<i128>,
    ) -> Option<Range<i128>> {
        let (first, rest) = terms.split_first()?;
        rest.iter().try_fold(self.range(*first)?, |all, t| Some(join(&all, &self.range(*t)?)))
    }

    fn divisor(&self, term: TermId) -> Option<i128> {
        let n = i128::try_from(&number::to_big(self.model.terms.as_const(term)?)?).ok()?;
        (n > 0).then_some(n)
    }
}
