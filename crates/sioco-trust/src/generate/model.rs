//! Random processes and switches.

use super::terms::Scope;
use super::wish::Wish;
use crate::rng::Rng;
use crate::spec::sort::LONGEST;
use crate::spec::{
    CLOSED, CRASHED, Carried, Compare, Constructor, Gate, Guard, Label, Process, Sort, Spec, Switch, Term, Type,
    Variable,
};

/// The model of a seed.
pub fn spec(rng: &mut Rng, wish: &Wish) -> Spec {
    let mut maker = Maker { wish, spec: Spec::default() };
    maker.types(rng);
    maker.gates(rng);
    let processes = if wish.channels { 2 } else { 1 };
    for process in 0..processes {
        let locations = if processes == 1 { 2 + rng.below(3) } else { 1 + rng.below(3) };
        let finals = (0..locations).filter(|l| *l > 0 && wish.finals && rng.chance(50)).collect();
        let variables = maker.variables(rng, process);
        maker.spec.processes.push(Process { locations, finals, variables, switches: Vec::new() });
    }
    let sender = rng.below(2);
    for process in 0..processes {
        for source in 0..maker.spec.processes[process].locations {
            maker.location(rng, process, source, process == sender);
        }
        if wish.cycles && rng.chance(if processes == 1 { 100 } else { 60 }) {
            maker.cycle(rng, process);
        }
        maker.spec.processes[process].switches.sort_by_key(|s| s.source);
    }
    maker.spec
}

/// Makes parts of a model.
pub struct Maker<'w> {
    /// What it is to have.
    pub wish: &'w Wish,
    /// What there is already.
    pub spec: Spec,
}

impl Maker<'_> {
    fn types(&mut self, rng: &mut Rng) {
        let small = |rng: &mut Rng| match rng.below(3) {
            0 => Sort::Bool,
            1 => Sort::Int(0, 1),
            _ => Sort::Int(0, 2),
        };
        if self.wish.enumeration {
            let constructors = (0..2 + rng.below(2)).map(|i| Constructor { name: format!("E{i}"), fields: Vec::new() });
            self.spec.types.push(Type { name: "E".into(), record: false, constructors: constructors.collect() });
        }
        if self.wish.variants {
            let mut constructors = Vec::new();
            for i in 0..2 + rng.below(2) {
                let fields = match i {
                    0 if rng.chance(60) => Vec::new(),
                    _ => (0..1 + rng.below(2)).map(|_| small(rng)).collect(),
                };
                constructors.push(Constructor { name: format!("V{i}"), fields });
            }
            self.spec.types.push(Type { name: "V".into(), record: false, constructors });
        }
        if self.wish.record {
            let fields = vec![small(rng), small(rng)];
            let constructors = vec![Constructor { name: "R".into(), fields }];
            self.spec.types.push(Type { name: "R".into(), record: true, constructors });
        }
    }

    fn range(rng: &mut Rng) -> Sort {
        let (low, high) = *rng.pick(&[(0, 1), (0, 2), (0, 2), (1, 3), (-1, 1), (1, 2), (0, 3)]);
        Sort::Int(low, high)
    }

    /// A sort of the wished ones.
    fn sort(&self, rng: &mut Rng) -> Sort {
        let mut sorts = vec![Self::range(rng), Self::range(rng)];
        if rng.chance(25) {
            sorts.push(Sort::Bool);
        }
        for t in 0..self.spec.types.len() {
            sorts.extend([Sort::Data(t), Sort::Data(t)]);
        }
        if self.wish.sequences {
            let item = if rng.chance(70) { Sort::Int(0, 1) } else { self.item(rng) };
            sorts.extend([Sort::Seq(Box::new(item.clone())), Sort::Seq(Box::new(item))]);
        }
        if self.wish.texts {
            sorts.extend([Sort::Text, Sort::Text]);
        }
        rng.pick(&sorts).clone()
    }

    fn item(&self, rng: &mut Rng) -> Sort {
        match self.spec.types.iter().position(|t| t.constructors.iter().all(|c| c.fields.is_empty())) {
            Some(t) if rng.chance(50) => Sort::Data(t),
            _ => rng.pick(&[Sort::Bool, Sort::Int(0, 2)]).clone(),
        }
    }

    fn gates(&mut self, rng: &mut Rng) {
        let params = |maker: &Maker<'_>, rng: &mut Rng, input: bool| -> Vec<Sort> {
            let count = match rng.below(100) {
                0..40 => 0,
                _ if maker.wish.two_params && rng.chance(60) => 2,
                _ => 1,
            };
            let mut params: Vec<Sort> = (0..count).map(|_| maker.sort(rng)).collect();
            if input && maker.wish.large && rng.chance(70) {
                params.push(rng.pick(&[Sort::Int(0, 9), Sort::Int(1, 12), Sort::Int(1, 31), Sort::Int(5, 20)]).clone());
            }
            // One without bounds.
            if maker.wish.wide && rng.chance(40) {
                params.truncate(1);
                params.push(Sort::Wide);
            }
            params
        };
        for name in &["a", "b"][..1 + rng.below(2)] {
            let params = params(self, rng, true);
            self.spec.inputs.push(Gate { name: (*name).into(), params });
        }
        for name in &["u", "v", "w"][..1 + rng.below(3)] {
            let params = params(self, rng, false);
            self.spec.outputs.push(Gate { name: (*name).into(), params });
        }
        for (name, wished) in [(CLOSED, self.wish.closed), (CRASHED, self.wish.crashed)] {
            if wished {
                self.spec.outputs.push(Gate { name: name.into(), params: Vec::new() });
            }
        }
        if self.wish.channels {
            let count = if self.wish.two_params && rng.chance(40) { 2 } else { rng.below(2) };
            let params = (0..count).map(|_| self.sort(rng)).collect();
            self.spec.channels.push(Gate { name: "c".into(), params });
        }
    }

    fn variables(&mut self, rng: &mut Rng, process: usize) -> Vec<Variable> {
        let mut variables = Vec::new();
        let scope = self.scope(&[], &[]);
        for _ in 0..rng.below(if self.wish.channels { 2 } else { 3 }) {
            let sort = self.sort(rng);
            let free = self.wish.free && rng.chance(35) && !matches!(sort, Sort::Seq(_) | Sort::Text);
            let initial = if free { None } else { Some(scope.value(rng, &sort)) };
            variables.push(Variable { sort, initial });
        }
        if self.wish.free && process == 0 && variables.iter().all(|v| v.initial.is_some()) {
            variables.push(Variable { sort: Self::range(rng), initial: None });
        }
        if self.wish.wide && process == 0 {
            let initial = if rng.chance(75) { None } else { Some(scope.value(rng, &Sort::Wide)) };
            variables.push(Variable { sort: Sort::Wide, initial });
        }
        variables
    }

    fn scope<'a>(&'a self, variables: &[Variable], params: &[Sort]) -> Scope<'a> {
        let variables = variables.iter().enumerate().map(|(v, var)| (Term::Variable(v), var.sort.clone()));
        let params = params.iter().enumerate().map(|(p, s)| (Term::Param(p), s.clone()));
        // Parameters twice: guards are mostly about them.
        let known = variables.chain(params.clone()).chain(params).collect();
        Scope { types: &self.spec.types, known, errors: self.wish.errors, names: 0 }
    }

    fn location(&mut self, rng: &mut Rng, process: usize, source: usize, sends: bool) {
        let is_final = self.spec.processes[process].finals.contains(&source);
        let counts: &[usize] = match source {
            0 => &[1, 2, 2, 3, 3],
            _ if is_final => &[0, 0, 1],
            _ => &[0, 1, 1, 2, 2, 2, 2, 3, 3],
        };
        let mut last: Option<Label> = None;
        for i in 0..*rng.pick(counts) {
            let channel = self.wish.channels && ((source == 0 && i == 0) || rng.chance(25));
            let label = match channel {
                true if sends => {
                    let params = self.spec.channels[0].params.clone();
                    let variables = self.spec.processes[process].variables.clone();
                    let mut scope = self.scope(&variables, &[]);
                    Label::Send(0, params.iter().map(|s| scope.term(rng, s, 1)).collect())
                }
                true => Label::Receive(0),
                // Overlapping guards, and others than `else`, need the same gate twice.
                false => match last {
                    Some(Label::Input(g)) if rng.chance(35) => Label::Input(g),
                    _ => self.label(rng, process),
                },
            };
            last = Some(label.clone());
            let switch = self.switch(rng, process, source, label);
            self.spec.processes[process].switches.push(switch);
        }
    }

    fn label(&self, rng: &mut Rng, process: usize) -> Label {
        match rng.below(100) {
            0..42 => Label::Input(rng.below(self.spec.inputs.len())),
            42..82 => self.output(rng, process),
            82..90 if !self.wish.choices => Label::Tau(Vec::new()),
            90..100 if !self.wish.choices => self.output(rng, process),
            82..86 => Label::Tau(Vec::new()),
            _ => {
                let choices = (0..1 + rng.below(6) / 5).map(|_| self.sort(rng)).collect();
                Label::Tau(choices)
            }
        }
    }

    /// An output with something to carry.
    pub fn output(&self, rng: &mut Rng, process: usize) -> Label {
        let gate = rng.below(self.spec.outputs.len());
        let mut carried = Vec::new();
        let mut any = 0;
        for sort in &self.spec.outputs[gate].params {
            if rng.chance(if self.wish.any { 50 } else { 5 }) {
                carried.push(Carried::Any(any));
                any += 1;
            } else {
                let mut scope = self.scope(&self.spec.processes[process].variables, &[]);
                scope.errors &= rng.chance(30);
                carried.push(Carried::Term(scope.term(rng, sort, 1)));
            }
        }
        Label::Output(gate, carried)
    }

    /// A switch with this label.
    pub fn switch(&self, rng: &mut Rng, process: usize, source: usize, label: Label) -> Switch {
        let guard = self.guard(rng, process, source, &label);
        let update = self.update(rng, process, &label);
        let locations = self.spec.processes[process].locations;
        let target = if rng.chance(45) { (source + 1) % locations } else { rng.below(locations) };
        Switch { source, label, guard, update, target }
    }

    fn may_be_else(&self, process: usize, source: usize, label: &Label) -> bool {
        let mut here = self.spec.processes[process].switches.iter().filter(|s| s.source == source);
        match label {
            Label::Input(_) => !here.any(|s| s.label == *label && s.guard == Guard::Else),
            Label::Output(..) | Label::Tau(_) => {
                !here.any(|s| matches!(s.label, Label::Output(..) | Label::Tau(_)) && s.guard == Guard::Else)
            }
            Label::Send(..) | Label::Receive(_) => false,
        }
    }

    /// A guard for a switch with this label.
    pub fn guard(&self, rng: &mut Rng, process: usize, source: usize, label: &Label) -> Guard {
        let params = self.spec.params(label);
        let bounded = params.iter().enumerate().filter(|(_, s)| matches!(s, Sort::Seq(_)));
        // Without a bound, there would be sequences of all lengths to try.
        let is_input = matches!(label, Label::Input(_) | Label::Receive(_));
        let mut parts: Vec<Term> = Vec::new();
        for (p, _) in bounded.filter(|_| !is_input) {
            let most = rng.between(1, LONGEST as i64);
            parts.push(Term::compare(Compare::LessOrEqual, Term::Len(Box::new(Term::Param(p))), Term::int(most)));
        }
        let chance = match label {
            Label::Tau(_) => 30,
            _ if is_input => 16,
            _ => 14,
        };
        if parts.is_empty() && self.wish.otherwise && rng.chance(chance) && self.may_be_else(process, source, label) {
            return Guard::Else;
        }
        if self.wish.never && rng.chance(15) {
            parts.push(match rng.below(3) {
                0 => Term::bool(false),
                1 => Term::compare(Compare::Less, Term::int(2), Term::int(1)),
                _ => {
                    let mut scope = self.scope(&self.spec.processes[process].variables, &params);
                    let number = scope.number(rng, 0);
                    Term::compare(Compare::Less, number.clone(), number)
                }
            });
            return Guard::All(parts);
        }
        let variables = &self.spec.processes[process].variables;
        if (params.is_empty() && variables.is_empty()) || rng.chance(35) {
            return Guard::All(parts);
        }
        let mut scope = self.scope(variables, &params);
        parts.push(scope.condition(rng, 2));
        Guard::All(parts)
    }

    /// New values for some of the variables.
    pub fn update(&self, rng: &mut Rng, process: usize, label: &Label) -> Vec<(usize, Term)> {
        let variables = &self.spec.processes[process].variables;
        let mut scope = self.scope(variables, &self.spec.params(label));
        let mut update = Vec::new();
        for (v, variable) in variables.iter().enumerate() {
            if rng.chance(if variable.initial.is_none() { 20 } else { 45 }) {
                update.push((v, scope.term(rng, &variable.sort, 2)));
            }
        }
        update
    }

    /// Internal steps that lead back to where they began, perhaps with other data.
    fn cycle(&mut self, rng: &mut Rng, process: usize) {
        let length = 1 + rng.below(self.spec.processes[process].locations);
        let first = rng.below(self.spec.processes[process].locations);
        let locations = self.spec.processes[process].locations;
        for i in 0..length {
            let source = (first + i) % locations;
            let mut switch = self.switch(rng, process, source, Label::Tau(Vec::new()));
            switch.target = if i + 1 == length { first } else { (source + 1) % locations };
            if rng.chance(60) {
                switch.update.clear();
            }
            if rng.chance(50) && switch.guard != Guard::Else {
                switch.guard = Guard::All(Vec::new());
            }
            self.spec.processes[process].switches.push(switch);
        }
    }
}
