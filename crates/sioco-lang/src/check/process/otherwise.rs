//! `else`: what the other switches leave over (T-M10).

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::model::{Label, SwitchParam};
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, Id, TermId, Value};

use super::TemplateSwitch;
use crate::check::Checker;

/// The greatest partiality of a guard: what it computes may have no value.
const COMPUTES: u8 = 2;

/// What other switches leave over.
struct Rest {
    guard: TermId,
    /// There are no others.
    lone: bool,
    by_constant: bool,
}

impl<'a> Checker<'a> {
    /// Gives every `else` of a location its guard. The others' guards must be known by now.
    pub(in crate::check) fn resolve_else(&mut self, switches: &mut [TemplateSwitch], source: usize) {
        // Those of one gate, and those that are no inputs, leave the same over: it is found once.
        let mut found: FxHashMap<Option<Label>, Rest> = FxHashMap::default();
        for i in 0..switches.len() {
            if !switches[i].is_else || switches[i].source != source {
                continue;
            }
            let input = self.is_input(switches[i].label);
            let kind = input.then_some(switches[i].label);
            if let Some(Rest { guard, lone, by_constant }) = found.get(&kind) {
                (switches[i].guard, switches[i].lone_else, switches[i].by_constant) = (*guard, *lone, *by_constant);
                continue;
            }
            let mut others = Vec::new();
            let mut by_constant = false;
            for s in switches.iter().filter(|s| !s.is_else && s.source == source) {
                if input && s.label == switches[i].label {
                    // Parameters are numbered by the gate, so the guards speak of the same values.
                    others.push(s.guard);
                    by_constant |= s.by_constant;
                } else if !input && !self.is_input(s.label) && !matches!(s.label, Label::Send(_) | Label::Receive(_)) {
                    let (guard, params) = (s.guard, s.params.clone());
                    others.push(self.exists_params(guard, &params));
                    by_constant |= s.by_constant;
                }
            }
            let lone = others.is_empty();
            let any = self.any_holds(others);
            let guard = self.terms.not(&self.sorts, any);
            (switches[i].guard, switches[i].lone_else, switches[i].by_constant) = (guard, lone, by_constant);
            found.insert(kind, Rest { guard, lone, by_constant });
        }
    }

    /// Whether one of the guards is true. One that is enabled settles it, even if another one is undefined: those that
    /// are always defined are asked first, and the others together.
    fn any_holds(&mut self, mut guards: Vec<TermId>) -> TermId {
        guards.sort_by_cached_key(|guard| self.partiality(*guard));
        let doubtful = guards.partition_point(|guard| self.partiality(*guard) < COMPUTES);
        if guards.len() - doubtful > 1 {
            let together = self.in_any_order(&guards[doubtful..]);
            guards.truncate(doubtful);
            guards.push(together);
        }
        self.terms.or(&self.sorts, &guards)
    }

    /// "For some number, the guard with this number is true": a quantifier is true as soon as one value makes it true, and
    /// undefined only if none does. A disjunction would be undefined if the first guard is.
    fn in_any_order(&mut self, guards: &[TermId]) -> TermId {
        let last = i64::try_from(guards.len() - 1).expect("a location has fewer switches");
        let number = self.sorts.intern(Sort::Int { lo: Some(0.into()), hi: Some(last.into()) });
        let binder = self.terms.binders.push(number);
        let chosen = self.terms.bound(&self.sorts, binder);
        let mut body = guards[guards.len() - 1];
        for (n, guard) in guards[..guards.len() - 1].iter().enumerate().rev() {
            let n = self.terms.constant(Value::Int(n as i64), self.sorts.int);
            let this = self.terms.eq(&self.sorts, chosen, n);
            body = self.terms.ite(this, *guard, body);
        }
        self.terms.app(Op::Exists { first: binder, count: 1 }, &[body], self.sorts.bool)
    }

    /// How likely a guard is to be undefined: never; only if it takes a field that is not there, which a `match` of the
    /// same value makes sure of; or by what it computes.
    fn partiality(&self, guard: TermId) -> u8 {
        if !self.terms.is_partial(guard) {
            return 0;
        }
        let (mut found, mut fields, mut told_apart) = (1, Vec::new(), FxHashSet::default());
        self.terms.visit(guard, &mut |_, t| match t {
            Term::App(Op::Field(..), args) => fields.push(args[0]),
            Term::App(Op::Is(_), args) => _ = told_apart.insert(args[0]),
            Term::App(op, args) if self.terms.may_be_undefined(*op, args) => found = COMPUTES,
            _ => {}
        });
        let is_sure = |value: &TermId| told_apart.contains(value) || self.is_record(*value);
        if fields.iter().all(is_sure) { found } else { COMPUTES }
    }

    /// Whether the value has all fields of its type, since there is only one constructor.
    fn is_record(&self, value: TermId) -> bool {
        matches!(self.sorts.get(self.terms.sort(value)), Sort::Data(d) if self.sorts.data[*d].constructors.len() == 1)
    }

    pub(in crate::check) fn is_input(&self, label: Label) -> bool {
        matches!(label, Label::Gate(g) if self.globals.gates[g.index()].decl.input)
    }

    /// "For some values of the parameters": the parameters that occur become bound variables.
    pub(in crate::check) fn exists_params(&mut self, guard: TermId, params: &[SwitchParam]) -> TermId {
        let mut occurring: Vec<u32> = Vec::new();
        self.terms.visit(guard, &mut |_, t| {
            if let Term::Param(i, _) = t {
                occurring.push(*i);
            }
        });
        if occurring.is_empty() {
            return guard;
        }
        occurring.sort_unstable();
        let mut binders: FxHashMap<u32, BinderId> = FxHashMap::default();
        for i in &occurring {
            binders.insert(*i, self.terms.binders.push(params[*i as usize].sort));
        }
        let sorts = &self.sorts;
        let body = self.terms.replace(guard, &mut |pool, leaf| match leaf {
            Term::Param(i, _) => Some(pool.bound(sorts, binders[i])),
            _ => None,
        });
        let op = Op::Exists { first: binders[&occurring[0]], count: occurring.len() as u32 };
        self.terms.app(op, &[body], self.sorts.bool)
    }
}
