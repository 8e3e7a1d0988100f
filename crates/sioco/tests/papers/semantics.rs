//! The meaning of a model in its plainest form (S0 definitions 5 to 8, S1 section 2.1): sets of states, found by
//! trying every switch, and every value of a short list where a value is free.

use std::collections::BTreeSet;
use std::path::PathBuf;

use sioco_model::eval::{Env, eval};
use sioco_model::model::{Direction, Label, Switch};
use sioco_model::sort::Sort;
use sioco_model::{GateId, Id, LocationId, Model, SortId, SwitchId, TermId, Value, number};

/// A model and the integers to try where any would do.
pub struct World {
    pub model: Model,
    pub integers: Vec<i64>,
}

/// A location for each process, and a value for each variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    pub at: Vec<LocationId>,
    pub vars: Vec<Value>,
}

/// What explains the observations so far: states, each with the switches that led there.
#[derive(Clone)]
pub struct Belief<'a> {
    pub world: &'a World,
    pub hypotheses: BTreeSet<(State, Vec<SwitchId>)>,
}

/// The path of an example.
pub fn example(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path)
}

impl World {
    pub fn new(model: Model) -> World {
        World { model, integers: (-1..=100).collect() }
    }

    /// The state at the start. Free variables get the values given, as text.
    pub fn start(&self, free: &[(&str, &str)]) -> Belief<'_> {
        let model = &self.model;
        let vars = model.variables.iter().map(|(id, v)| match &v.initial {
            Some(value) => value.clone(),
            None => {
                let name = model.variable_name(id);
                let given = free.iter().find(|(n, _)| *n == name);
                match given {
                    Some((_, text)) => self.value(v.sort, text),
                    None => model.sorts.default_value(v.sort),
                }
            }
        });
        let state = State { at: model.processes.values().map(|p| p.initial).collect(), vars: vars.collect() };
        Belief { world: self, hypotheses: [(state, Vec::new())].into() }.closed()
    }

    /// `start` and then the trace.
    pub fn run(&self, trace: &str) -> Belief<'_> {
        self.start(&[]).after(trace)
    }

    /// Whether the trace is one of the model.
    pub fn can(&self, trace: &str) -> bool {
        !self.run(trace).hypotheses.is_empty()
    }

    /// The value that a text stands for.
    pub fn value(&self, sort: SortId, text: &str) -> Value {
        let text = text.trim();
        let sorts = &self.model.sorts;
        match sorts.get(sort) {
            Sort::Bool => Value::Bool(text == "true"),
            Sort::Int { .. } => number::int(text.parse().expect("an integer")),
            Sort::Real { .. } => match text.split_once('/') {
                Some((n, d)) => Value::real(
                    number::rational(n.trim().parse().expect("an integer"), d.trim().parse().expect("an integer"))
                        .expect("not zero"),
                ),
                None => Value::real(number::parse_decimal(text).expect("a decimal number")),
            },
            Sort::String => Value::string(text),
            Sort::Seq(_) => panic!("no example has sequences"),
            Sort::Data(d) => {
                let (name, args) = split_call(text);
                let constructors = &sorts.data[*d].constructors;
                let c = constructors.iter().position(|c| c.name == name).expect("a constructor");
                let fields = &constructors[c].fields;
                Value::data(c as u32, fields.iter().zip(args).map(|(f, a)| self.value(f.sort, &a)).collect())
            }
        }
    }

    fn term(&self, term: TermId, state: &State, params: &[Value]) -> Value {
        let env = Env { vars: &state.vars, params, bound: &[] };
        eval(&self.model.terms, &self.model.sorts, term, env).expect("a value")
    }

    fn leaves(&self, state: &State, switch: &Switch) -> bool {
        state.at[switch.process.index()] == switch.source
    }

    /// Whether the guard holds for these parameters and the terms have these values.
    fn holds(&self, state: &State, switch: &Switch, params: &[Value]) -> bool {
        self.leaves(state, switch)
            && switch.params.iter().zip(params).all(|(p, v)| {
                self.model.sorts.contains(p.sort, v) && p.term.is_none_or(|t| self.term(t, state, params) == *v)
            })
            && self.term(switch.guard, state, params) == Value::Bool(true)
    }

    fn update(&self, old: &State, new: &mut State, switch: &Switch, params: &[Value]) {
        for (var, term) in &switch.update {
            new.vars[var.index()] = self.term(*term, old, params);
        }
        new.at[switch.process.index()] = switch.target;
    }

    /// The successor, if the switch is enabled (S0 definition 7).
    pub fn successor(&self, state: &State, switch: SwitchId, params: &[Value]) -> Option<State> {
        let switch = &self.model.switches[switch];
        self.holds(state, switch, params).then(|| {
            let mut new = state.clone();
            self.update(state, &mut new, switch, params);
            new
        })
    }

    /// The internal steps: internal switches and handshakes (S4 section 2.1).
    fn internal(&self, state: &State) -> Vec<(Vec<SwitchId>, State)> {
        let mut out = Vec::new();
        for (id, s) in self.model.switches.iter().filter(|(_, s)| self.leaves(state, s)) {
            match s.label {
                Label::Internal => {
                    for params in self.candidates(state, id) {
                        out.extend(self.successor(state, id, &params).map(|new| (vec![id], new)));
                    }
                }
                Label::Send(channel) => {
                    let value = self.candidates(state, id).remove(0);
                    if !self.holds(state, s, &value) {
                        continue;
                    }
                    for (other, r) in self.model.switches.iter() {
                        if r.label == Label::Receive(channel) && r.process != s.process && self.holds(state, r, &value)
                        {
                            let mut new = state.clone();
                            self.update(state, &mut new, s, &value);
                            self.update(state, &mut new, r, &value);
                            out.push((vec![id, other], new));
                        }
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// The parameter values to try for a switch: those of its terms, and a few where they are free.
    fn candidates(&self, state: &State, switch: SwitchId) -> Vec<Vec<Value>> {
        let mut out = vec![Vec::new()];
        for p in &self.model.switches[switch].params {
            let values: Vec<Value> = match p.term {
                Some(term) => vec![self.term(term, state, &[])],
                None => match self.model.sorts.get(p.sort) {
                    Sort::Int { .. } => self.integers.iter().map(|n| Value::Int(*n)).collect(),
                    Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
                    _ => vec![self.model.sorts.default_value(p.sort)],
                },
            };
            out = out
                .iter()
                .flat_map(|o| values.iter().map(|v| [o.as_slice(), std::slice::from_ref(v)].concat()))
                .collect();
        }
        out
    }

    /// The enabled switches at gates of a direction, with the values tried.
    pub fn enabled(&self, state: &State, direction: Direction) -> Vec<(SwitchId, Vec<Value>)> {
        let at_gate = self
            .model
            .switches
            .iter()
            .filter(|(id, s)| self.leaves(state, s) && self.model.direction(*id) == Some(direction));
        let tried = at_gate.flat_map(|(id, _)| self.candidates(state, id).into_iter().map(move |v| (id, v)));
        tried.filter(|(id, v)| self.successor(state, *id, v).is_some()).collect()
    }

    /// No output and no internal step is possible.
    pub fn quiescent(&self, state: &State) -> bool {
        self.internal(state).is_empty() && self.enabled(state, Direction::Output).is_empty()
    }

    /// Nothing is possible, and it is not the end.
    pub fn deadlock(&self, state: &State) -> bool {
        self.quiescent(state)
            && self.enabled(state, Direction::Input).is_empty()
            && !state.at.iter().all(|l| self.model.locations[*l].is_final)
    }

    /// A gate and its values, from text such as `?a(3)`.
    fn event(&self, text: &str) -> (GateId, Vec<Value>) {
        let (name, args) = split_call(&text[1..]);
        let gate = self.model.gate(&name).unwrap_or_else(|| panic!("no gate {name}"));
        let params = &self.model.gates[gate].params;
        assert_eq!(self.model.gates[gate].direction.sigil(), text.chars().next().expect("a sigil"), "{text}");
        assert_eq!(args.len(), params.len(), "{text}");
        (gate, params.iter().zip(args).map(|(p, a)| self.value(p.sort, &a)).collect())
    }

    /// The label of a switch as S1 writes it: `?a`, `!b`, and the name of an internal one.
    pub fn label(&self, switch: SwitchId) -> String {
        let s = &self.model.switches[switch];
        match s.label {
            Label::Gate(g) => format!("{}{}", self.model.gates[g].direction.sigil(), self.model.gates[g].name),
            _ => s.name.clone(),
        }
    }

    /// The symbolic traces with at most `depth` observable switches that end in a leaf or have that many (S1 section
    /// 5.2.1). A single process only.
    pub fn symbolic_traces(&self, depth: usize) -> Vec<Vec<SwitchId>> {
        let mut out = Vec::new();
        let start = self.model.processes.values().next().expect("a process").initial;
        self.extend_trace(start, depth, &mut Vec::new(), &mut out);
        out
    }

    fn extend_trace(&self, at: LocationId, left: usize, path: &mut Vec<SwitchId>, out: &mut Vec<Vec<SwitchId>>) {
        let outgoing = &self.model.locations[at].outgoing;
        if left == 0 || outgoing.is_empty() {
            out.push(path.clone());
            return;
        }
        for switch in outgoing {
            path.push(*switch);
            let observable = self.model.direction(*switch).is_some();
            self.extend_trace(self.model.switches[*switch].target, left - usize::from(observable), path, out);
            path.pop();
        }
    }

    /// The symbolic traces as S1 writes them.
    pub fn show_traces(&self, depth: usize) -> Vec<String> {
        let show = |t: &Vec<SwitchId>| t.iter().map(|s| self.label(*s)).collect::<Vec<_>>().join(" ");
        self.symbolic_traces(depth).iter().map(show).collect()
    }

    /// The first values, in the order of the list of integers, with which a path can be gone to its end.
    pub fn solve(&self, path: &[SwitchId]) -> Option<Vec<Vec<Value>>> {
        let start = self.start(&[]).hypotheses.into_iter().find(|(_, p)| p.is_empty()).expect("the initial state").0;
        self.solve_from(&start, path)
    }

    fn solve_from(&self, state: &State, path: &[SwitchId]) -> Option<Vec<Vec<Value>>> {
        let Some((first, rest)) = path.split_first() else { return Some(Vec::new()) };
        if !self.leaves(state, &self.model.switches[*first]) {
            return None;
        }
        self.candidates(state, *first).into_iter().find_map(|values| {
            let mut solution = self.solve_from(&self.successor(state, *first, &values)?, rest)?;
            solution.insert(0, values);
            Some(solution)
        })
    }

    /// The switches with these names.
    pub fn path(&self, names: &str) -> Vec<SwitchId> {
        names.split(' ').map(|n| self.model.switch(n).unwrap_or_else(|| panic!("no switch {n}"))).collect()
    }
}

impl<'a> Belief<'a> {
    /// With everything that internal steps lead to.
    fn closed(mut self) -> Self {
        let mut new: Vec<_> = self.hypotheses.iter().cloned().collect();
        while let Some((state, path)) = new.pop() {
            for (switches, next) in self.world.internal(&state) {
                let hypothesis = (next, [path.as_slice(), &switches].concat());
                if self.hypotheses.insert(hypothesis.clone()) {
                    new.push(hypothesis);
                }
            }
        }
        self
    }

    /// What explains the trace too; nothing, if it is impossible.
    pub fn after(&self, trace: &str) -> Belief<'a> {
        let mut belief = self.clone();
        for text in split_top(trace, ' ') {
            let (gate, values) = self.world.event(&text);
            let mut next = BTreeSet::new();
            for (state, path) in &belief.hypotheses {
                for (id, s) in self.world.model.switches.iter() {
                    if s.label == Label::Gate(gate)
                        && let Some(new) = self.world.successor(state, id, &values)
                    {
                        next.insert((new, [path.as_slice(), &[id]].concat()));
                    }
                }
            }
            belief = Belief { world: self.world, hypotheses: next }.closed();
        }
        belief
    }

    pub fn can(&self, trace: &str) -> bool {
        !self.after(trace).hypotheses.is_empty()
    }

    fn states(&self) -> BTreeSet<&State> {
        self.hypotheses.iter().map(|(s, _)| s).collect()
    }

    /// The locations, such as `s1 s2`, or `a0,b1` for two processes.
    pub fn at(&self) -> String {
        let names: BTreeSet<String> = self.states().iter().map(|s| self.world.show_locations(s)).collect();
        names.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// The only state.
    pub fn state(&self) -> &State {
        let states = self.states();
        assert_eq!(states.len(), 1, "{}", self.at());
        states.into_iter().next().expect("one state")
    }

    /// The value of a variable in the only state.
    pub fn get(&self, variable: &str) -> String {
        let model = &self.world.model;
        let id = model.variable(variable).unwrap_or_else(|| panic!("no variable {variable}"));
        model.sorts.show(model.variables[id].sort, &self.state().vars[id.index()])
    }

    fn gates(&self, direction: Direction) -> String {
        let world = self.world;
        let switches = self.states().into_iter().flat_map(|s| world.enabled(s, direction));
        let labels: BTreeSet<String> = switches.map(|(id, _)| world.label(id)).collect();
        labels.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// The gates at which an output is possible, such as `!b !c`.
    pub fn outputs(&self) -> String {
        self.gates(Direction::Output)
    }

    /// The gates at which an input is possible.
    pub fn inputs(&self) -> String {
        self.gates(Direction::Input)
    }

    /// The outputs with their values, such as `!cash(50)`.
    pub fn output_values(&self) -> String {
        let model = &self.world.model;
        let mut out = BTreeSet::new();
        for state in self.states() {
            for (id, values) in self.world.enabled(state, Direction::Output) {
                let params = &model.switches[id].params;
                let shown: Vec<_> = params.iter().zip(&values).map(|(p, v)| model.sorts.show(p.sort, v)).collect();
                let args = if shown.is_empty() { String::new() } else { format!("({})", shown.join(", ")) };
                out.insert(self.world.label(id) + &args);
            }
        }
        out.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// The paths that explain the trace, as S1 writes them.
    pub fn paths(&self) -> Vec<String> {
        let show = |p: &Vec<SwitchId>| p.iter().map(|s| self.world.label(*s)).collect::<Vec<_>>().join(" ");
        let paths: BTreeSet<String> = self.hypotheses.iter().map(|(_, p)| show(p)).collect();
        paths.into_iter().collect()
    }

    /// Whether some state allows no output and no internal step.
    pub fn may_be_quiescent(&self) -> bool {
        self.states().into_iter().any(|s| self.world.quiescent(s))
    }

    /// Whether some state is a deadlock.
    pub fn deadlock(&self) -> bool {
        self.states().into_iter().any(|s| self.world.deadlock(s))
    }
}

impl World {
    fn show_locations(&self, state: &State) -> String {
        state.at.iter().map(|l| self.model.locations[*l].name.clone()).collect::<Vec<_>>().join(",")
    }
}

/// `f(a, b)` as `f` and its arguments.
fn split_call(text: &str) -> (String, Vec<String>) {
    match text.split_once('(') {
        None => (text.into(), Vec::new()),
        Some((name, rest)) => (name.into(), split_top(rest.strip_suffix(')').expect("a closing bracket"), ',')),
    }
}

/// The parts between separators that are not inside brackets.
fn split_top(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if c == separator && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("never empty").push(c);
        }
    }
    parts.into_iter().map(|p| p.trim().to_string()).filter(|p| !p.is_empty()).collect()
}
