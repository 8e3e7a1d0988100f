//! What a specification means: the labelled transition system, closure over internal steps, quiescence, `after` and
//! `out` (T-L4 to T-L10), state by state.

use std::collections::{BTreeMap, BTreeSet};

use super::spec::{Carried, Compare, Cond, Expr, Label, Range, Spec, Switch};

/// A step, or silence. A gate without parameter has the value 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Act {
    In(usize, i64),
    Out(usize, i64),
    Delta,
    Tau,
}

/// Some states of an [`Lts`].
pub type Set = BTreeSet<usize>;

/// The states that can be reached, and their steps.
#[derive(Clone, Debug)]
pub struct Lts {
    /// Where it starts; several states if variables are free.
    pub initial: Set,
    /// The steps of each state.
    pub steps: Vec<Vec<(Act, usize)>>,
    /// Whether each state allows silence.
    pub quiet: Vec<bool>,
    /// Every input that there is, enabled or not.
    pub inputs: Vec<Act>,
    /// Every output that there is, possible or not.
    pub outputs: Vec<Act>,
}

/// The location of each process, then the value of each variable.
type State = Vec<i64>;

impl Lts {
    /// The meaning of a specification.
    pub fn of(spec: &Spec) -> Lts {
        let mut states: Vec<State> = initial(spec);
        let count = states.len();
        let mut places: BTreeMap<State, usize> = states.iter().cloned().enumerate().map(|(i, s)| (s, i)).collect();
        let mut all_steps = Vec::new();
        while all_steps.len() < states.len() {
            let state = states[all_steps.len()].clone();
            let mut found = Vec::new();
            for (act, next) in steps(spec, &state) {
                let place = *places.entry(next.clone()).or_insert(states.len());
                if place == states.len() {
                    states.push(next);
                }
                found.push((act, place));
            }
            found.sort();
            found.dedup();
            all_steps.push(found);
        }
        let values = |range: Option<Range>| range.map_or(0..=0, |(a, b)| a..=b);
        let acts = |gates: &[super::spec::Gate], act: fn(usize, i64) -> Act| {
            let each = gates.iter().enumerate();
            each.flat_map(|(g, gate)| values(gate.param).map(move |v| act(g, v))).collect::<Vec<Act>>()
        };
        let mut lts = Lts {
            initial: (0..count).collect(),
            steps: all_steps,
            quiet: Vec::new(),
            inputs: acts(&spec.inputs, Act::In),
            outputs: acts(&spec.outputs, Act::Out),
        };
        lts.quiet = (0..lts.steps.len()).map(|s| lts.allows_silence(s)).collect();
        lts
    }

    fn has_output(&self, state: usize) -> bool {
        self.steps[state].iter().any(|(a, _)| matches!(a, Act::Out(..)))
    }

    /// No output and no internal step is enabled, or the state is on an internal cycle whose states enable no output.
    fn allows_silence(&self, state: usize) -> bool {
        if self.has_output(state) {
            return false;
        }
        if !self.steps[state].iter().any(|(a, _)| *a == Act::Tau) {
            return true;
        }
        let mut seen = Set::new();
        let mut todo = vec![state];
        while let Some(s) = todo.pop() {
            for (act, next) in &self.steps[s] {
                if *act == Act::Tau && !self.has_output(*next) {
                    if *next == state {
                        return true;
                    }
                    if seen.insert(*next) {
                        todo.push(*next);
                    }
                }
            }
        }
        false
    }

    /// With all states that internal steps lead to.
    fn closure(&self, mut set: Set) -> Set {
        let mut todo: Vec<usize> = set.iter().copied().collect();
        while let Some(s) = todo.pop() {
            for (act, next) in &self.steps[s] {
                if *act == Act::Tau && set.insert(*next) {
                    todo.push(*next);
                }
            }
        }
        set
    }

    /// The states at the start: after the empty trace.
    pub fn start(&self) -> Set {
        self.closure(self.initial.clone())
    }

    /// The states after a step or silence in one of these.
    pub fn after(&self, set: &Set, act: Act) -> Set {
        let mut next = Set::new();
        for s in set {
            if act == Act::Delta && self.quiet[*s] {
                next.insert(*s);
            }
            next.extend(self.steps[*s].iter().filter(|(a, _)| *a == act).map(|(_, n)| *n));
        }
        self.closure(next)
    }

    /// The outputs that one of these states enables, and silence if one allows it.
    pub fn out(&self, set: &Set) -> BTreeSet<Act> {
        let enabled = set.iter().flat_map(|s| &self.steps[*s]).map(|(a, _)| *a);
        let mut out: BTreeSet<Act> = enabled.filter(|a| matches!(a, Act::Out(..))).collect();
        if set.iter().any(|s| self.quiet[*s]) {
            out.insert(Act::Delta);
        }
        out
    }

    /// Whether one of these states enables the input.
    pub fn takes(&self, set: &Set, input: Act) -> bool {
        set.iter().any(|s| self.steps[*s].iter().any(|(a, _)| *a == input))
    }
}

fn initial(spec: &Spec) -> Vec<State> {
    let mut states: Vec<State> = vec![vec![0; spec.processes.len()]];
    for variable in spec.processes.iter().flat_map(|p| &p.variables) {
        let (a, b) = variable.initial.map_or(variable.range, |n| (n, n));
        let with = |s: &State| (a..=b).map(|n| [&s[..], &[n]].concat()).collect::<Vec<State>>();
        states = states.iter().flat_map(with).collect();
    }
    states
}

/// The steps of a state.
fn steps(spec: &Spec, state: &State) -> Vec<(Act, State)> {
    let mut found = Vec::new();
    for process in 0..spec.processes.len() {
        for (index, switch) in spec.processes[process].switches.iter().enumerate() {
            for value in enabled(spec, state, process, index) {
                let act = match &switch.label {
                    Label::Input(g) => Act::In(*g, value),
                    Label::Output(g, _) => Act::Out(*g, value),
                    Label::Tau(_) => Act::Tau,
                    Label::Send(_) => {
                        for (other, taker, received) in takers(spec, state, process, value) {
                            let next = fire(spec, state, state.clone(), process, switch, value);
                            found.push((Act::Tau, fire(spec, state, next, other, taker, received)));
                        }
                        continue;
                    }
                    // Together with its send.
                    Label::Receive => continue,
                };
                found.push((act, fire(spec, state, state.clone(), process, switch, value)));
            }
        }
    }
    found
}

/// The switches of other processes that take this value from the channel.
fn takers<'s>(spec: &'s Spec, state: &State, sender: usize, value: i64) -> Vec<(usize, &'s Switch, i64)> {
    let mut found = Vec::new();
    for process in (0..spec.processes.len()).filter(|p| *p != sender) {
        for (index, switch) in spec.processes[process].switches.iter().enumerate() {
            if switch.label == Label::Receive && enabled(spec, state, process, index).contains(&value) {
                found.push((process, switch, value));
            }
        }
    }
    found
}

/// The values for which a switch is enabled: of its parameter, of the term it carries, or 0.
fn enabled(spec: &Spec, state: &State, process: usize, index: usize) -> Vec<i64> {
    let switch = &spec.processes[process].switches[index];
    if state[process] != switch.source as i64 {
        return Vec::new();
    }
    let vars = variables(spec, state, process);
    let values: Vec<i64> = match (&switch.label, spec.param(&switch.label)) {
        (Label::Output(_, Carried::Term(e)) | Label::Send(e), _) => vec![eval(e, vars, 0)],
        (_, Some((a, b))) => (a..=b).collect(),
        (_, None) => vec![0],
    };
    values.into_iter().filter(|v| guard(spec, state, process, index, *v)).collect()
}

fn guard(spec: &Spec, state: &State, process: usize, index: usize, value: i64) -> bool {
    let switches = &spec.processes[process].switches;
    let switch = &switches[index];
    if switch.guard != Cond::Else {
        return holds(&switch.guard, variables(spec, state, process), value);
    }
    let others = switches.iter().enumerate().filter(|(i, s)| *i != index && s.source == switch.source);
    match switch.label {
        Label::Input(gate) => {
            let mut same = others.filter(|(_, s)| s.label == Label::Input(gate));
            !same.any(|(i, _)| guard(spec, state, process, i, value))
        }
        _ => {
            let mut own = others.filter(|(_, s)| matches!(s.label, Label::Output(..) | Label::Tau(_)));
            !own.any(|(i, _)| !enabled(spec, state, process, i).is_empty())
        }
    }
}

/// Takes a switch: the update is evaluated on `old`, and its results are put into `new`.
fn fire(spec: &Spec, old: &State, mut new: State, process: usize, switch: &Switch, value: i64) -> State {
    let first = first_variable(spec, process);
    for (v, e) in &switch.update {
        let result = eval(e, variables(spec, old, process), value);
        let (a, b) = spec.processes[process].variables[*v].range;
        assert!((a..=b).contains(&result), "terms are built to stay in range");
        new[first + v] = result;
    }
    new[process] = switch.target as i64;
    new
}

fn first_variable(spec: &Spec, process: usize) -> usize {
    spec.processes.len() + spec.processes[..process].iter().map(|p| p.variables.len()).sum::<usize>()
}

fn variables<'s>(spec: &Spec, state: &'s State, process: usize) -> &'s [i64] {
    let first = first_variable(spec, process);
    &state[first..first + spec.processes[process].variables.len()]
}

fn eval(e: &Expr, vars: &[i64], param: i64) -> i64 {
    match e {
        Expr::Const(n) => *n,
        Expr::Var(v) => vars[*v],
        Expr::Param => param,
        Expr::Add(a, b) => eval(a, vars, param) + eval(b, vars, param),
        Expr::Sub(a, b) => eval(a, vars, param) - eval(b, vars, param),
        Expr::Mod(a, n) => eval(a, vars, param).rem_euclid(*n),
        Expr::If(c, a, b) => eval(if holds(c, vars, param) { a } else { b }, vars, param),
    }
}

fn holds(c: &Cond, vars: &[i64], param: i64) -> bool {
    match c {
        Cond::True => true,
        Cond::Compare(how, a, b) => {
            let (a, b) = (eval(a, vars, param), eval(b, vars, param));
            match how {
                Compare::Equal => a == b,
                Compare::Different => a != b,
                Compare::Less => a < b,
                Compare::LessOrEqual => a <= b,
            }
        }
        Cond::And(a, b) => holds(a, vars, param) && holds(b, vars, param),
        Cond::Or(a, b) => holds(a, vars, param) || holds(b, vars, param),
        Cond::Not(a) => !holds(a, vars, param),
        Cond::Else => unreachable!("`else` is a whole guard"),
    }
}
