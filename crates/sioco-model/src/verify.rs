//! The verifier: what always holds of a [`Model`].
//!
//! The checker makes only models that pass; importers and generators of models are held to the same rules.
//!
//! 1. Every id that occurs is an id of this model, and locations, variables and switches belong to the process that
//!    lists them.
//! 2. A switch starts and ends in locations of its own process and is listed by its source location, once.
//! 3. A switch has one parameter per parameter of its gate or channel, of the same base sort. Only outputs and sends
//!    have parameters with a term, and every parameter of a send has one. A term has the base sort of its parameter.
//! 4. Guards are Bool. An update assigns variables of the same process, each at most once, terms of their base sort.
//! 5. Terms have no process parameters left, no symbols, no parameters beyond those of the switch or of parameters with
//!    a term, no variables of other processes, no unbound bound variables, and do not nest deeper than [`MAX_DEPTH`].
//! 6. Initial values are elements of the sorts of their variables.
//! 7. Names of gates and channels, of processes, of switches, and of locations and variables within a process, are
//!    unique; so are those of purposes.
//! 8. An event of a purpose binds one slot per parameter of its gate, of the same base sort, and other events none;
//!    `at` names locations of the model, at least one. Conditions are Bool, over variables of any process and over
//!    slots that are bound on every way to them; those of a reject over its own slots only.
//! 9. What a purpose repeats takes at least one step in every round; its bounds are in order, and allow a round.

use rustc_hash::FxHashSet;

use crate::id::{Id, ProcessId, SwitchId, TermId, VarId};
use crate::model::{Direction, Label, Model, Switch};
use crate::purpose::{Event, EventLabel, Pattern, Purpose};
use crate::term::{MAX_DEPTH, Term};

/// What does not hold; empty for a good model.
pub fn verify(model: &Model) -> Vec<String> {
    let mut v = Verifier { model, problems: Vec::new(), good: FxHashSet::default() };
    v.names();
    for (id, p) in model.processes.iter() {
        if model.locations.get(p.initial).is_none_or(|l| l.process != id) {
            v.problem(format!("process `{}` starts in a location that is not its own", p.name));
        }
        for l in &p.locations {
            if model.locations.get(*l).is_none_or(|l| l.process != id) {
                v.problem(format!("process `{}` lists the foreign location {l:?}", p.name));
            }
        }
        for s in &p.switches {
            if model.switches.get(*s).is_none_or(|s| s.process != id) {
                v.problem(format!("process `{}` lists the foreign switch {s:?}", p.name));
            }
        }
    }
    let mut at_source: FxHashSet<SwitchId> = FxHashSet::default();
    for (id, l) in model.locations.iter() {
        let listed: FxHashSet<_> = l.outgoing.iter().collect();
        if listed.len() != l.outgoing.len() {
            v.problem(format!("location `{}` lists a switch twice", l.name));
        }
        if l.outgoing.iter().any(|s| model.switches.get(*s).is_none_or(|s| s.source != id)) {
            v.problem(format!("location `{}` lists a switch that does not start there", l.name));
        }
        at_source.extend(l.outgoing.iter().filter(|s| model.switches.get(**s).is_some_and(|s| s.source == id)));
    }
    for x in model.variables.values() {
        if let Some(value) = &x.initial
            && !model.sorts.contains(x.sort, value)
        {
            v.problem(format!("variable `{}` starts with {value}, which is not in its sort", x.name));
        }
    }
    for (id, s) in model.switches.iter() {
        if !at_source.contains(&id) || model.locations.get(s.source).is_none_or(|l| l.process != s.process) {
            v.problem(format!("switch `{}` is not listed by its source", s.name));
        }
        if model.locations.get(s.target).is_none_or(|l| l.process != s.process) {
            v.problem(format!("switch `{}` leads into another process", s.name));
        }
        v.switch(s);
    }
    for p in model.purposes.values() {
        v.purpose(p);
    }
    v.problems
}

struct Verifier<'a> {
    model: &'a Model,
    problems: Vec<String>,
    /// Terms that were looked at, for which process and which parameters that have no term: switches share large ones.
    good: FxHashSet<(TermId, ProcessId, Vec<bool>)>,
}

impl Verifier<'_> {
    fn problem(&mut self, text: String) {
        self.problems.push(text);
    }

    fn names(&mut self) {
        let m = self.model;
        let mut all: Vec<(&str, usize, &str)> = Vec::new();
        all.extend(m.gates.values().map(|g| ("gate", 0, g.name.as_str())));
        all.extend(m.channels.values().map(|c| ("gate", 0, c.name.as_str())));
        all.extend(m.processes.values().map(|p| ("process", 0, p.name.as_str())));
        all.extend(m.switches.values().map(|s| ("switch", 0, s.name.as_str())));
        all.extend(m.purposes.values().map(|p| ("purpose", 0, p.name.as_str())));
        all.extend(m.locations.values().map(|l| ("location", l.process.index(), l.name.as_str())));
        all.extend(
            m.variables.values().filter(|x| !x.hidden).map(|x| ("variable", x.process.index(), x.name.as_str())),
        );
        let mut seen = FxHashSet::default();
        for name in all {
            if !seen.insert(name) {
                self.problem(format!("the {} name `{}` is not unique", name.0, name.2));
            }
        }
    }

    fn switch(&mut self, s: &Switch) {
        let m = self.model;
        let declared = match s.label {
            Label::Gate(g) => m.gates.get(g).map(|g| &g.params),
            Label::Send(c) | Label::Receive(c) => m.channels.get(c).map(|c| &c.params),
            Label::Internal => None,
        };
        if let Some(declared) = declared {
            let same = declared.len() == s.params.len()
                && declared.iter().zip(&s.params).all(|(d, p)| m.sorts.base(d.sort) == m.sorts.base(p.sort));
            if !same {
                self.problem(format!("switch `{}` does not have the parameters of its label", s.name));
            }
        } else if s.label != Label::Internal {
            self.problem(format!("switch `{}` has an unknown label", s.name));
        }
        let may_have_terms = match s.label {
            Label::Gate(g) => m.gates.get(g).is_some_and(|g| g.direction == Direction::Output),
            Label::Send(_) => true,
            _ => false,
        };
        for p in &s.params {
            match p.term {
                Some(t) if !may_have_terms => {
                    self.problem(format!("switch `{}` binds `{}` and gives it the term {t:?}", s.name, p.name));
                }
                Some(t) => {
                    if m.terms.sort(t) != m.sorts.base(p.sort) {
                        self.problem(format!("switch `{}`: the term of `{}` has another sort", s.name, p.name));
                    }
                    self.term(s, t);
                }
                None if matches!(s.label, Label::Send(_)) => {
                    self.problem(format!("switch `{}` sends nothing for `{}`", s.name, p.name));
                }
                None => {}
            }
        }
        if m.terms.sort(s.guard) != m.sorts.bool {
            self.problem(format!("switch `{}`: the guard is not a Bool", s.name));
        }
        self.term(s, s.guard);
        let mut assigned = FxHashSet::default();
        for (x, t) in &s.update {
            match m.variables.get(*x) {
                Some(var) if var.process == s.process => {
                    if m.terms.sort(*t) != m.sorts.base(var.sort) {
                        self.problem(format!("switch `{}`: `{}` gets a term of another sort", s.name, var.name));
                    }
                }
                _ => self.problem(format!("switch `{}` assigns a foreign variable {x:?}", s.name)),
            }
            if !assigned.insert(*x) {
                self.problem(format!("switch `{}` assigns {x:?} twice", s.name));
            }
            self.term(s, *t);
        }
    }

    fn term(&mut self, s: &Switch, term: TermId) {
        let m = self.model;
        let open = s.params.iter().map(|p| p.term.is_none()).collect();
        if !self.good.insert((term, s.process, open)) {
            return;
        }
        let var = |x: VarId| m.variables.get(x).is_some_and(|x| x.process == s.process);
        let param = |i: u32| s.params.get(i as usize).is_some_and(|p| p.term.is_none());
        self.leaves(&format!("switch `{}`", s.name), term, &var, &param);
    }

    /// The term is not too deep, and has no leaves but those that may be there.
    fn leaves(&mut self, whose: &str, term: TermId, var: &dyn Fn(VarId) -> bool, param: &dyn Fn(u32) -> bool) {
        let m = self.model;
        if m.terms.depth(term) > MAX_DEPTH {
            self.problem(format!("{whose} has a term that is too deep"));
            return;
        }
        let mut found = Vec::new();
        let mut bound = FxHashSet::default();
        m.terms.visit(term, &mut |_, t| {
            if let Term::App(op, _) = t
                && let Some((first, count)) = op.binders()
            {
                bound.extend(first.index()..first.index() + count as usize);
            }
        });
        m.terms.visit(term, &mut |_, t| match t {
            Term::ProcessParam(..) => found.push("a process parameter".to_string()),
            Term::Symbol(y, _) => found.push(format!("the symbol {y:?}")),
            Term::Var(x, _) if !var(*x) => found.push(format!("the foreign variable {x:?}")),
            Term::Param(i, _) if !param(*i) => found.push(format!("parameter {i}")),
            Term::Bound(b, _) if !bound.contains(&b.index()) => found.push(format!("the unbound {b:?}")),
            _ => {}
        });
        for what in found {
            self.problem(format!("{whose} has a term with {what}"));
        }
    }

    fn purpose(&mut self, p: &Purpose) {
        self.pattern(p, &p.pattern, &mut FxHashSet::default());
        for event in &p.rejects {
            self.event(p, event, &mut FxHashSet::default());
        }
    }

    /// Adds to `bound` the slots that are bound on every way through the pattern.
    fn pattern(&mut self, p: &Purpose, pattern: &Pattern, bound: &mut FxHashSet<u32>) {
        match pattern {
            Pattern::Event(event) => self.event(p, event, bound),
            Pattern::Sequence(parts) => parts.iter().for_each(|part| self.pattern(p, part, bound)),
            Pattern::Choice(parts) => {
                let mut ways = Vec::new();
                for part in parts {
                    let mut way = bound.clone();
                    self.pattern(p, part, &mut way);
                    ways.push(way);
                }
                match ways.split_first() {
                    Some((first, rest)) => {
                        *bound = first.iter().copied().filter(|s| rest.iter().all(|w| w.contains(s))).collect();
                    }
                    None => self.problem(format!("purpose `{}` chooses between nothing", p.name)),
                }
            }
            Pattern::Repeat { body, least, most } => {
                if most.is_some_and(|most| most < *least || most == 0) {
                    self.problem(format!("purpose `{}` repeats something {least} to {most:?} times", p.name));
                }
                if body.may_be_empty() {
                    self.problem(format!("purpose `{}` repeats something that may take no step", p.name));
                }
                let before = bound.clone();
                self.pattern(p, body, bound);
                if *least == 0 {
                    *bound = before;
                }
            }
            Pattern::Anything => {}
            Pattern::At { locations, condition } => {
                if locations.is_empty() || locations.iter().any(|l| self.model.locations.get(*l).is_none()) {
                    self.problem(format!("purpose `{}` is at a location that is not there", p.name));
                }
                self.condition(p, *condition, bound);
            }
        }
    }

    fn event(&mut self, p: &Purpose, event: &Event, bound: &mut FxHashSet<u32>) {
        let m = self.model;
        let (there, params) = match event.label {
            EventLabel::Gate(g) => (m.gates.get(g).is_some(), m.gates.get(g).map_or(&[][..], |g| &g.params)),
            EventLabel::Switch(s) => (m.switches.get(s).is_some(), &[][..]),
            EventLabel::Delta | EventLabel::Any => (true, &[][..]),
        };
        if !there {
            self.problem(format!("purpose `{}` has an unknown label", p.name));
        }
        let slot = |i: &u32| p.slots.get(*i as usize).map(|s| m.sorts.base(s.sort));
        let sorts = params.iter().map(|param| Some(m.sorts.base(param.sort)));
        if !event.binds.iter().map(slot).eq(sorts) {
            self.problem(format!("purpose `{}` does not bind the parameters of an event", p.name));
        }
        bound.extend(&event.binds);
        self.condition(p, event.condition, bound);
    }

    fn condition(&mut self, p: &Purpose, condition: Option<TermId>, bound: &FxHashSet<u32>) {
        let (m, Some(condition)) = (self.model, condition) else { return };
        if m.terms.sort(condition) != m.sorts.bool {
            self.problem(format!("purpose `{}`: a condition is not a Bool", p.name));
        }
        let var = |x: VarId| m.variables.get(x).is_some();
        self.leaves(&format!("purpose `{}`", p.name), condition, &var, &|i| bound.contains(&i));
    }
}
