//! Reads what a free variable is compared with.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::id::{SortId, TermId, VarId};
use crate::model::{Direction, Label, Model, Switch, SwitchParam};
use crate::number::{self, BigInt};
use crate::semantics::range::Range;
use crate::sort::Sort;
use crate::term::{Op, Term};
use crate::value::Value;

/// Up to this many values of a hidden choice are tried one by one, so that states stay known. Each is a hypothesis, and
/// a few choices in a row multiply them: three make 4,096.
const HIDDEN: u64 = 16;

/// Looks for a variable in terms.
pub(super) struct Reader<'m> {
    model: &'m Model,
    var: VarId,
    /// More values than so many are too many.
    most: u64,
    /// The one whose parameters terms speak of.
    switch: Option<&'m Switch>,
    /// What was looked at of it already, since terms share their parts.
    seen: FxHashSet<TermId>,
    ranges: FxHashMap<TermId, Option<Range<i128>>>,
    /// What it is compared with.
    pub numbers: BTreeSet<BigInt>,
    pub texts: BTreeSet<String>,
    /// Whether it is compared with what is sent or seen.
    pub follows: bool,
    /// Whether it matters if it is less or greater.
    pub ordered: bool,
    /// Variables that it is compared with: all values that they get count.
    others: Vec<VarId>,
}

/// Where a term stands that the variable is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TermRole {
    /// Beside it, in a comparison.
    Beside,
    /// As a new value, of it or of what it is compared with.
    Assigned,
}

impl<'m> Reader<'m> {
    pub fn new(model: &'m Model, var: VarId, most: u64) -> Self {
        Reader {
            model,
            var,
            most,
            switch: None,
            seen: FxHashSet::default(),
            ranges: FxHashMap::default(),
            numbers: BTreeSet::new(),
            texts: BTreeSet::new(),
            follows: false,
            ordered: false,
            others: Vec::new(),
        }
    }

    /// Reads the whole model; nothing if the variable is not only compared.
    pub fn read_all(&mut self) -> Option<()> {
        let model = self.model;
        for switch in model.switches.values() {
            self.read(switch)?;
        }
        let mut at = 0;
        while let Some(other) = self.others.get(at).copied() {
            at += 1;
            self.add(model.variables[other].initial.as_ref()?)?;
            for switch in model.switches.values() {
                for (_, term) in switch.update.iter().filter(|(var, _)| *var == other) {
                    self.enter(switch);
                    self.compare(*term, TermRole::Assigned)?;
                }
            }
        }
        // Where something hidden is chosen among many values, the state is not known, and nothing can be told apart in it.
        let many = |p: &SwitchParam| model.sorts.cardinality(p.sort).is_none_or(|n| n > HIDDEN);
        let hides = |s: &Switch| s.label == Label::Internal && s.params.iter().any(many);
        (!self.follows || !model.switches.values().any(hides)).then_some(())
    }

    /// From here on, terms speak of the parameters of this one.
    fn enter(&mut self, switch: &'m Switch) {
        self.switch = Some(switch);
        self.seen.clear();
        self.ranges.clear();
    }

    /// Nothing if the variable is not only compared.
    fn read(&mut self, switch: &'m Switch) -> Option<()> {
        self.enter(switch);
        self.look(switch.guard)?;
        let seen = matches!(switch.label, Label::Gate(_));
        for term in switch.params.iter().filter_map(|p| p.term) {
            match seen && self.is_it(term) {
                true => self.follows = true,
                false => self.look(term)?,
            }
        }
        for (var, term) in &switch.update {
            match *var == self.var {
                true => self.assign(*term)?,
                false => self.look(*term)?,
            }
        }
        Some(())
    }

    /// The variable keeps its value, or gets one that is known: a new value is none that stands for others.
    fn assign(&mut self, term: TermId) -> Option<()> {
        match self.model.terms.get(term) {
            _ if self.is_it(term) => Some(()),
            Term::App(Op::Ite, args) => {
                self.look(args[0])?;
                self.assign(args[1])?;
                self.assign(args[2])
            }
            _ => self.compare(term, TermRole::Assigned),
        }
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
            Term::App(op @ (Op::Eq | Op::Lt | Op::Le), args) => match (self.is_it(args[0]), self.is_it(args[1])) {
                (true, true) => Some(()),
                (false, false) => args.iter().try_for_each(|a| self.look(*a)),
                (first, _) => {
                    self.ordered |= *op != Op::Eq;
                    self.compare(args[usize::from(first)], TermRole::Beside)
                }
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
    fn compare(&mut self, with: TermId, place: TermRole) -> Option<()> {
        self.look(with)?;
        let model = self.model;
        if let Some(value) = model.terms.as_const(with) {
            return self.add(value);
        }
        if let Some(Range { lo: Some(lo), hi: Some(hi) }) = self.range(with)
            && hi - lo < i128::from(self.most)
        {
            self.numbers.extend((lo..=hi).map(BigInt::from));
            return Some(());
        }
        match model.terms.get(with) {
            // Where it does not fit, that is a model error whatever the variable is.
            Term::App(Op::Checked(_), args) => self.compare(args[0], place),
            Term::App(Op::Ite, args) => args[1..].iter().try_for_each(|a| self.compare(*a, place)),
            Term::Param(i, _) => {
                self.follows = true;
                let switch = self.switch?;
                // A value that the system chooses is one that the variable has, or has not. Whether it can choose it may
                // depend on what else the guard asks of it: `p == x && p != 3` has no value where `x` is 3.
                self.seen_beside(switch, *i as usize, place)?.into_iter().try_for_each(|other| {
                    match self.is_it(other) {
                        true => Some(()),
                        false => self.compare(other, TermRole::Beside),
                    }
                })
            }
            Term::Var(v, _) => {
                if !self.others.contains(v) {
                    self.others.push(*v);
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Adds a value that it is compared with.
    fn add(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Str(text) => drop(self.texts.insert(text.to_string())),
            value => drop(self.numbers.insert(number::to_big(value)?)),
        }
        Some(())
    }

    /// What else a guard compares a parameter with, whose value the tester knows wherever it matters: one that it sends, or
    /// one that it sees. Nothing if whether the system can choose a value depends on more than these comparisons.
    fn seen_beside(&self, switch: &Switch, param: usize, place: TermRole) -> Option<Vec<TermId>> {
        let Label::Gate(gate) = switch.label else { return None };
        switch.params.get(param).filter(|p| p.term.is_none())?;
        if self.model.gates[gate].direction == Direction::Input || place == TermRole::Assigned {
            return Some(Vec::new());
        }
        self.only_equal(switch, param)
    }

    /// What a guard compares a parameter without bounds with, if it only asks whether they are equal, and none of it has to
    /// do with other parameters.
    fn only_equal(&self, switch: &Switch, param: usize) -> Option<Vec<TermId>> {
        let terms = &self.model.terms;
        let sort = self.model.sorts.get(switch.params[param].sort);
        let unbounded = matches!(sort, Sort::Int { lo: None, hi: None } | Sort::String);
        let is_it = |t: TermId| matches!(terms.get(t), Term::Param(i, _) if *i as usize == param);
        let has_params = |t: TermId| {
            let mut found = false;
            terms.visit(t, &mut |_, t| found |= matches!(t, Term::Param(..)));
            found
        };
        let (mut only, mut beside) = (unbounded, Vec::new());
        terms.visit(switch.guard, &mut |_, t| {
            let Term::App(op, args) = t else { return };
            let (its, others): (Vec<TermId>, Vec<TermId>) = args.iter().copied().partition(|a| is_it(*a));
            if !its.is_empty() {
                only &= *op == Op::Eq && !others.iter().any(|a| has_params(*a));
                beside.extend(others);
            }
        });
        (only && !is_it(switch.guard)).then_some(beside)
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
                // A field has the bounds that it was declared with.
                Op::Field(c, f) => match model.sorts.get(model.terms.sort(args[0])) {
                    Sort::Data(d) => {
                        self.integers(model.sorts.data[*d].constructors[*c as usize].fields[*f as usize].sort)
                    }
                    _ => None,
                },
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
