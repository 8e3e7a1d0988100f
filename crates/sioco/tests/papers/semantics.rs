//! Questions to a model in words: traces as text, and the states, paths and outputs that explain them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use sioco_model::model::{Direction, Label};
use sioco_model::semantics::{Interpreter, Quiescence, StepError};
use sioco_model::sort::Sort;
use sioco_model::{GateId, LocationId, Model, SortId, SwitchId, Value, number};

pub use sioco_model::semantics::State;

/// A model, and the integers to try for inputs.
pub struct World {
    pub model: &'static Model,
    pub integers: Vec<i64>,
    interpreter: RefCell<Interpreter<'static>>,
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
    /// The model stays until the tests end.
    pub fn new(model: Model) -> World {
        let model: &'static Model = Box::leak(Box::new(model));
        World { model, integers: (-1..=100).collect(), interpreter: RefCell::new(Interpreter::new(model)) }
    }

    /// The state at the start, without any step.
    pub fn initial(&self, free: &[(&str, &str)]) -> State {
        self.interpreter.borrow().initial(&mut |id| {
            let sort = self.model.variables[id].sort;
            let given = free.iter().find(|(name, _)| *name == self.model.variable_name(id));
            given.map_or_else(|| self.model.sorts.default_value(sort), |(_, text)| self.value(sort, text))
        })
    }

    /// What explains no observation yet. Free variables have the values given, as text.
    pub fn start(&self, free: &[(&str, &str)]) -> Belief<'_> {
        Belief { world: self, hypotheses: [(self.initial(free), Vec::new())].into() }.closed()
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
            Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) => panic!("no example has collections"),
            Sort::Data(d) => {
                let (name, args) = split_call(text);
                let constructors = &sorts.data[*d].constructors;
                let c = constructors.iter().position(|c| c.name == name).expect("a constructor");
                let fields = &constructors[c].fields;
                Value::data(c as u32, fields.iter().zip(args).map(|(f, a)| self.value(f.sort, &a)).collect())
            }
        }
    }

    fn ask<T>(&self, question: impl FnOnce(&mut Interpreter<'static>) -> Result<T, StepError>) -> T {
        question(&mut self.interpreter.borrow_mut()).unwrap_or_else(|e| panic!("{}", e.describe(self.model)))
    }

    /// The successor, if the switch is enabled (S0 definition 7).
    pub fn successor(&self, state: &State, switch: SwitchId, params: &[Value]) -> Option<State> {
        if let Label::Gate(gate) = self.model.switches[switch].label
            && !self.interpreter.borrow().is_gate_value(gate, params)
        {
            return None;
        }
        let mut next = state.clone();
        self.ask(|i| i.fire(&mut next, switch, params)).then_some(next)
    }

    /// The internal steps, each with its switches: two for a handshake.
    fn internal(&self, state: &State) -> Vec<(Vec<SwitchId>, State)> {
        let steps = self.ask(|i| i.internal_steps(state));
        steps
            .into_iter()
            .map(|(step, next)| ([Some(step.switch), step.receive].into_iter().flatten().collect(), next))
            .collect()
    }

    /// The parameter values for which a switch is enabled: all, or for an input those of the list.
    fn values(&self, state: &State, switch: SwitchId) -> Vec<Vec<Value>> {
        if self.model.direction(switch) != Some(Direction::Input) {
            return self.ask(|i| i.choices(state, switch));
        }
        let mut tried = vec![Vec::new()];
        for p in &self.model.switches[switch].params {
            let values: Vec<Value> = match self.model.sorts.get(p.sort) {
                Sort::Int { .. } => self.integers.iter().map(|n| Value::Int(*n)).collect(),
                _ => panic!("only integers are tried"),
            };
            let with = |o: &Vec<Value>, v: &Value| [o.as_slice(), std::slice::from_ref(v)].concat();
            tried = tried.iter().flat_map(|o| values.iter().map(|v| with(o, v))).collect();
        }
        tried.retain(|v| self.successor(state, switch, v).is_some());
        tried
    }

    fn leaving(&self, state: &State, direction: Direction) -> Vec<SwitchId> {
        let outgoing = state.locations().iter().flat_map(|l| &self.model.locations[*l].outgoing);
        outgoing.copied().filter(|s| self.model.direction(*s) == Some(direction)).collect()
    }

    /// The enabled switches at gates of a direction, with their values.
    pub fn enabled(&self, state: &State, direction: Direction) -> Vec<(SwitchId, Vec<Value>)> {
        let with_values = |s: SwitchId| self.values(state, s).into_iter().map(move |v| (s, v));
        self.leaving(state, direction).into_iter().flat_map(with_values).collect()
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
        self.solve_from(&self.initial(&[]), path)
    }

    fn solve_from(&self, state: &State, path: &[SwitchId]) -> Option<Vec<Vec<Value>>> {
        let Some((first, rest)) = path.split_first() else { return Some(Vec::new()) };
        self.values(state, *first).into_iter().find_map(|values| {
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
        model.sorts.show(model.variables[id].sort, self.state().value(id))
    }

    fn gates(&self, direction: Direction) -> String {
        let world = self.world;
        let mut labels = BTreeSet::new();
        for state in self.states() {
            let switches = world.leaving(state, direction).into_iter();
            labels.extend(switches.filter(|s| world.ask(|i| i.example(state, *s)).is_some()).map(|s| world.label(s)));
        }
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

    /// Whether silence is allowed.
    pub fn may_be_quiescent(&self) -> bool {
        let silent = |q| matches!(q, Quiescence::Quiescent | Quiescence::Diverging);
        self.states().into_iter().any(|s| silent(self.world.ask(|i| i.quiescence(s))))
    }

    /// Whether some state is a deadlock.
    pub fn deadlock(&self) -> bool {
        self.states().into_iter().any(|s| self.world.ask(|i| i.is_deadlock(s)).expect("no solver needed"))
    }
}

impl World {
    fn show_locations(&self, state: &State) -> String {
        state.locations().iter().map(|l| self.model.locations[*l].name.clone()).collect::<Vec<_>>().join(",")
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
