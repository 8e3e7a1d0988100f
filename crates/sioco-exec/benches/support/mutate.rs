//! Mutants: models that differ from another one in one place, as a faulty system does from its specification.

use sioco_model::model::{Label, Model};
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::verify::verify;
use sioco_model::{GateId, Id, SwitchId, TermId, Value, VarId};

/// A model with one change.
pub struct Mutant {
    /// What was changed, in words.
    pub what: String,
    pub model: Model,
}

/// All mutants of a model, in a fixed order.
pub fn mutants(model: &Model) -> Vec<Mutant> {
    let mut m = Mutator { of: model, found: Vec::new() };
    for switch in model.switches.ids() {
        m.guard(switch);
        m.update(switch);
        m.target(switch);
        m.arguments(switch);
        m.gate(switch);
        m.without(switch);
    }
    m.initial();
    m.found
}

struct Mutator<'m> {
    of: &'m Model,
    found: Vec<Mutant>,
}

impl Mutator<'_> {
    /// Adds a mutant, if the change makes one.
    fn add(&mut self, what: String, change: impl FnOnce(&mut Model) -> Option<()>) {
        let mut model = self.of.clone();
        if change(&mut model).is_some() && verify(&model).is_empty() {
            self.found.push(Mutant { what, model });
        }
    }

    /// The conditions that a guard is made of.
    fn atoms(&self, guard: TermId) -> Vec<TermId> {
        let mut atoms = Vec::new();
        let mut open = vec![guard];
        while let Some(term) = open.pop() {
            match self.of.terms.get(term) {
                Term::App(Op::And | Op::Or | Op::Not, args) => open.extend(args.iter().rev()),
                Term::App(Op::Exists { .. } | Op::Each { .. }, _) | Term::Const(..) => {}
                _ if !atoms.contains(&term) => atoms.push(term),
                _ => {}
            }
        }
        atoms
    }

    fn guard(&mut self, switch: SwitchId) {
        let s = &self.of.switches[switch];
        let (name, guard) = (s.name.clone(), s.guard);
        for (n, atom) in self.atoms(guard).into_iter().enumerate() {
            let n = n + 1;
            let mut with = |what: &str, new: &dyn Fn(&mut Model) -> Option<TermId>| {
                self.add(format!("{name}: {what} {n} of its guard"), |model| {
                    let new = new(model)?;
                    let guard = rewrite(model, guard, atom, new);
                    model.switches[switch].guard = guard;
                    Some(())
                });
            };
            with("not", &|model| {
                let Model { terms, sorts, .. } = model;
                Some(terms.not(sorts, atom))
            });
            with("other operator in", &|model| {
                let Term::App(op, args) = model.terms.get(atom).clone() else { return None };
                let numbers = args.first().is_some_and(|a| model.sorts.is_numeric(model.terms.sort(*a)));
                let op = match op {
                    Op::Lt => Op::Le,
                    Op::Le => Op::Lt,
                    Op::Eq if numbers => Op::Le,
                    _ => return None,
                };
                let sort = model.sorts.bool;
                Some(model.terms.app(op, &args, sort))
            });
            for (what, by) in [("border up in", 1), ("border down in", -1)] {
                with(what, &|model| {
                    let Term::App(op @ (Op::Lt | Op::Le | Op::Eq), args) = model.terms.get(atom).clone() else {
                        return None;
                    };
                    let moved = plus(model, args[1], by)?;
                    let sort = model.sorts.bool;
                    Some(model.terms.app(op, &[args[0], moved], sort))
                });
            }
        }
    }

    fn update(&mut self, switch: SwitchId) {
        let s = self.of.switches[switch].clone();
        for (i, (var, term)) in s.update.iter().enumerate() {
            let changed = |change: &str| format!("{}: {change} `{}`", s.name, self.of.variables[*var].name);
            let (more, less, other) = (changed("one more for"), changed("no new value for"), changed("another for"));
            self.add(more, |model| {
                model.switches[switch].update[i].1 = different(model, *term)?;
                Some(())
            });
            self.add(less, |model| {
                model.switches[switch].update.remove(i);
                Some(())
            });
            self.add(other, |model| {
                let sort = model.sorts.base(model.variables[*var].sort);
                let range = model.variables[*var].sort;
                let is_other = |v: &VarId| {
                    let x = &model.variables[*v];
                    x.process == s.process && model.sorts.base(x.sort) == sort && !x.hidden && v != var
                };
                let other = model.variables.ids().find(is_other)?;
                let value = model.terms.var(other, sort);
                let value = checked(model, value, range);
                (value != *term).then(|| model.switches[switch].update[i].1 = value)
            });
        }
    }

    fn target(&mut self, switch: SwitchId) {
        let s = self.of.switches[switch].clone();
        let locations = &self.of.processes[s.process].locations;
        let visible: Vec<_> = locations.iter().filter(|l| !self.of.locations[**l].hidden).copied().collect();
        let others: Vec<_> = visible.into_iter().filter(|l| *l != s.target).collect();
        // Two of them, other ones for other switches.
        let (first, many) = (switch.index(), others.len());
        for k in 0..many.min(2) {
            let target = others[(first + k) % many];
            self.add(format!("{}: leads to {}", s.name, self.of.locations[target].name), |model| {
                model.switches[switch].target = target;
                Some(())
            });
        }
    }

    fn arguments(&mut self, switch: SwitchId) {
        let s = self.of.switches[switch].clone();
        for (i, p) in s.params.iter().enumerate() {
            let Some(term) = p.term else { continue };
            self.add(format!("{}: another `{}`", s.name, p.name), |model| {
                model.switches[switch].params[i].term = Some(different(model, term)?);
                Some(())
            });
            let same = |q: &usize| s.params[*q].term.is_some_and(|t| t != term) && s.params[*q].sort == p.sort;
            if let Some(j) = (i + 1..s.params.len()).find(same) {
                self.add(format!("{}: `{}` and `{}` changed over", s.name, p.name, s.params[j].name), |model| {
                    let params = &mut model.switches[switch].params;
                    (params[i].term, params[j].term) = (params[j].term, params[i].term);
                    Some(())
                });
            }
        }
    }

    fn gate(&mut self, switch: SwitchId) {
        let s = &self.of.switches[switch];
        let Label::Gate(gate) = s.label else { return };
        let of = &self.of.gates[gate];
        let sorts = |g: GateId| self.of.gates[g].params.iter().map(|p| self.of.sorts.base(p.sort)).collect::<Vec<_>>();
        let same = |g: &GateId| *g != gate && self.of.gates[*g].direction == of.direction && sorts(*g) == sorts(gate);
        let Some(other) = self.of.gates.ids().find(same) else { return };
        self.add(format!("{}: at the gate {}", s.name, self.of.gates[other].name), |model| {
            model.switches[switch].label = Label::Gate(other);
            Some(())
        });
    }

    fn without(&mut self, switch: SwitchId) {
        self.add(format!("{}: missing", self.of.switches[switch].name), |model| {
            let no = model.terms.bool(&model.sorts, false);
            model.switches[switch].guard = no;
            Some(())
        });
    }

    fn initial(&mut self) {
        for (v, x) in self.of.variables.iter().filter(|(_, x)| !x.hidden) {
            let Some(value) = &x.initial else { continue };
            let other = match value {
                Value::Int(n) => Value::Int(n + 1),
                Value::Bool(b) => Value::Bool(!b),
                Value::Real(r) => Value::real(&**r + sioco_model::number::Rational::ONE),
                _ => continue,
            };
            self.add(format!("{}: starts with {other}", x.name), |model| {
                model.variables[v].initial = Some(other);
                Some(())
            });
        }
    }
}

/// The term with one part replaced.
fn rewrite(model: &mut Model, term: TermId, old: TermId, new: TermId) -> TermId {
    if term == old {
        return new;
    }
    let Term::App(op, args) = model.terms.get(term).clone() else { return term };
    if op.binders().is_some() {
        return term;
    }
    let args: Vec<TermId> = args.iter().map(|a| rewrite(model, *a, old, new)).collect();
    let sort = model.terms.sort(term);
    model.terms.app(op, &args, sort)
}

/// A number that is so much more.
fn plus(model: &mut Model, term: TermId, by: i64) -> Option<TermId> {
    let sort = model.sorts.base(model.terms.sort(term));
    let value = match model.sorts.get(sort) {
        Sort::Int { .. } => Value::Int(by),
        Sort::Real { .. } => Value::real(by.into()),
        _ => return None,
    };
    if let Some(known) = model.terms.as_const(term).cloned() {
        let sum = sioco_model::number::add(&known, &value)?;
        return Some(model.terms.constant(sum, sort));
    }
    let value = model.terms.constant(value, sort);
    Some(model.terms.app(Op::Add, &[term, value], sort))
}

/// Another value than that of the term: one more, the opposite, another constructor.
fn different(model: &mut Model, term: TermId) -> Option<TermId> {
    if let Term::App(op @ Op::Checked(_), args) = model.terms.get(term).clone() {
        let inner = different(model, args[0])?;
        let sort = model.terms.sort(term);
        return Some(model.terms.app(op, &[inner], sort));
    }
    let sort = model.terms.sort(term);
    if sort == model.sorts.bool {
        let Model { terms, sorts, .. } = model;
        return Some(terms.not(sorts, term));
    }
    if let Some(Value::Int(n)) = model.terms.as_const(term) {
        // One less where one more is likely to be outside the range.
        let n = if *n > 0 { n - 1 } else { n + 1 };
        return Some(model.terms.constant(Value::Int(n), sort));
    }
    plus(model, term, 1)
}

/// The term, which must be in the range of the sort.
fn checked(model: &mut Model, term: TermId, sort: sioco_model::SortId) -> TermId {
    let base = model.sorts.base(sort);
    if base == sort { term } else { model.terms.app(Op::Checked(sort), &[term], base) }
}
