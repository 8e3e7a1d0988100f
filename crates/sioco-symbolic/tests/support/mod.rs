//! Random models, what brute force says about them by the concrete interpreter, and what a symbolic state stands for.
#![allow(dead_code, unused_imports)]

pub mod generate;
#[path = "../../../sioco-model/tests/random/rng.rs"]
mod rng;
pub mod scripted;

use std::collections::{BTreeMap, BTreeSet};

use sioco_lang::check_text;
use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::{Interpreter, Quiescence, State};
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{Id, SortId, SwitchId, SymbolId, TermId, Value};
use sioco_solve::back_end::BackEnd;
use sioco_solve::values::Bounds;
use sioco_solve::{Limits, quick};
use sioco_symbolic::{Origin, Path, Step};

pub use self::generate::Shape;
pub use self::rng::{Rng, seeds};

/// The first seed, for runs by hand.
pub fn first_seed() -> u64 {
    std::env::var("SIOCO_FIRST_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Whether the seeds are others than usual, so that nobody knows how much there is to see.
pub fn by_hand() -> bool {
    std::env::var("SIOCO_SEEDS").is_ok()
}

/// Small enough that the built-in solver gives up soon.
pub fn limits() -> Limits {
    Limits { resources: 3_000, ..Limits::default() }
}

pub fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

pub fn plain_builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.plain())
}

pub fn z3() -> Box<dyn Bounds> {
    Box::new(BackEnd::Z3.chain())
}

pub fn plain_z3() -> Box<dyn Bounds> {
    Box::new(BackEnd::Z3.plain())
}

pub fn has_z3() -> bool {
    BackEnd::Z3.open().is_ok()
}

/// A model that must be right.
pub fn model(text: &str) -> Model {
    let checked = check_text("m.sts", text);
    assert!(!checked.has_errors(), "{text}\n{:#?}", checked.diagnostics);
    checked.model.expect("a model").model
}

/// A random model with its text: the first that the checker accepts.
pub fn random_model(seed: u64, shape: Shape) -> (String, Model) {
    let mut rng = Rng::new(seed.wrapping_mul(2).wrapping_add(0x0005_10c0));
    loop {
        let text = generate::text(&mut rng, shape);
        let checked = check_text("m.sts", &text);
        if !checked.has_errors()
            && let Some(found) = checked.model
        {
            return (text, found.model);
        }
    }
}

/// All values of a sort that has few; of sequences, those with up to two items.
pub fn domain(model: &Model, sort: SortId) -> Vec<Value> {
    if let Sort::Seq(item) = model.sorts.get(sort) {
        let items = domain(model, *item);
        let lengths = (0..3).flat_map(|n| tuples(&vec![items.clone(); n]));
        return lengths.map(Value::seq).collect();
    }
    let n = model.sorts.cardinality(sort).expect("few values");
    assert!(n <= 1_000, "{n} values");
    (0..n).map(|i| model.sorts.nth_value(sort, i).expect("inside")).collect()
}

/// All tuples with one value of each.
pub fn tuples(domains: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut found = vec![Vec::new()];
    for values in domains {
        found = found
            .into_iter()
            .flat_map(|t| values.iter().map(move |v| [&t[..], std::slice::from_ref(v)].concat()))
            .collect();
    }
    found
}

/// All initial states.
pub fn initial_states(model: &Model) -> BTreeSet<State> {
    let free: Vec<_> = model.free_variables().collect();
    let domains: Vec<_> = free.iter().map(|v| domain(model, model.variables[*v].sort)).collect();
    let interpreter = Interpreter::new(model);
    let states = tuples(&domains)
        .into_iter()
        .map(|t| interpreter.initial(&mut |v| t[free.iter().position(|f| *f == v).expect("a free variable")].clone()));
    states.collect()
}

/// All values of the parameters of a switch that acts in a state: those that it leaves open are tried, those that have
/// a term are computed.
fn all_args(model: &Model, state: &State, switch: SwitchId) -> Vec<Vec<Value>> {
    let params = &model.switches[switch].params;
    let domains: Vec<_> = params
        .iter()
        .map(|p| match p.term {
            None => domain(model, p.sort),
            Some(_) => vec![model.sorts.default_value(p.sort)],
        })
        .collect();
    let complete = |mut args: Vec<Value>| {
        for (i, p) in params.iter().enumerate() {
            if let Some(t) = p.term {
                let env = Env { vars: state.values(), params: &args, ..Env::default() };
                args[i] = eval(&model.terms, &model.sorts, t, env).ok()?;
            }
        }
        Some(args)
    };
    tuples(&domains).into_iter().filter_map(complete).collect()
}

/// A step with the values of its parameters, and where it leads.
pub type Taken = (Step, Vec<Value>, State);

/// All steps of a state, by trying every value. A step that is undefined is not taken.
pub fn concrete_steps(interpreter: &mut Interpreter<'_>, state: &State) -> Vec<Taken> {
    let model = interpreter.model();
    let mut found = Vec::new();
    let outgoing = |s: &State| -> Vec<SwitchId> {
        s.locations().iter().flat_map(|l| model.locations[*l].outgoing.iter().copied()).collect()
    };
    for switch in outgoing(state) {
        match model.switches[switch].label {
            Label::Gate(_) | Label::Internal => {
                for args in all_args(model, state, switch) {
                    let mut next = state.clone();
                    if interpreter.fire(&mut next, switch, &args) == Ok(true) {
                        found.push((Step::Switch(switch), args, next));
                    }
                }
            }
            Label::Send(c) => {
                for receive in outgoing(state) {
                    let r = &model.switches[receive];
                    if r.label != Label::Receive(c) || r.process == model.switches[switch].process {
                        continue;
                    }
                    for args in all_args(model, state, switch) {
                        let mut next = state.clone();
                        // Two processes share no variables.
                        let both = interpreter.fire(&mut next, switch, &args) == Ok(true)
                            && interpreter.fire(&mut next, receive, &args) == Ok(true);
                        if both {
                            found.push((Step::Handshake { send: switch, receive }, args, next));
                        }
                    }
                }
            }
            Label::Receive(_) => {}
        }
    }
    found
}

/// What is concretely at the end of a sequence of steps.
#[derive(Clone, Debug, Default)]
pub struct Set {
    pub states: BTreeSet<State>,
    /// Whether a silence on the way could not be decided, so that there may be more states.
    pub unclear: bool,
}

/// The tree of all runs, by their steps.
pub type Tree = BTreeMap<Vec<Step>, Set>;

/// All runs to a depth, and silence if wanted; stops before a depth with too many paths, and gives the depth.
pub fn concrete_tree(model: &Model, depth: usize, delta: bool, paths: usize) -> (Tree, usize) {
    let mut interpreter = Interpreter::new(model);
    let mut tree = Tree::new();
    let mut layer = Tree::from([(Vec::new(), Set { states: initial_states(model), unclear: false })]);
    let mut reached = 0;
    loop {
        tree.append(&mut layer.clone());
        if reached == depth {
            break;
        }
        let mut next = Tree::new();
        for (path, set) in &layer {
            let mut to = |step: Step, state: Option<State>, unclear: bool| {
                let set: &mut Set = next.entry([&path[..], &[step]].concat()).or_default();
                set.states.extend(state);
                set.unclear |= unclear;
            };
            for state in &set.states {
                for (step, _, after) in concrete_steps(&mut interpreter, state) {
                    to(step, Some(after), set.unclear);
                }
                if delta && !path.last().is_some_and(|s| s.is_silence()) {
                    match interpreter.quiescence(state) {
                        Ok(Quiescence::Quiescent) => to(Step::Delta, Some(state.clone()), set.unclear),
                        Ok(Quiescence::Diverging) => to(Step::Divergence, Some(state.clone()), set.unclear),
                        Ok(Quiescence::Active(_)) => {}
                        Ok(Quiescence::Unknown { .. }) | Err(_) => {
                            to(Step::Delta, None, true);
                            to(Step::Divergence, None, true);
                        }
                    }
                }
            }
        }
        if tree.len() + next.len() > paths || next.values().map(|s| s.states.len()).sum::<usize>() > 20 * paths {
            break;
        }
        reached += 1;
        layer = next;
    }
    (tree, reached)
}

/// All states that can be reached, unless they are more than the limit; and all steps that are taken.
pub fn concrete_reachable(model: &Model, limit: usize) -> Option<(BTreeSet<State>, BTreeSet<Step>)> {
    let mut interpreter = Interpreter::new(model);
    let mut seen = initial_states(model);
    let mut open: Vec<State> = seen.iter().cloned().collect();
    let mut steps = BTreeSet::new();
    while let Some(state) = open.pop() {
        for (step, _, next) in concrete_steps(&mut interpreter, &state) {
            steps.insert(step);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some((seen, steps))
}

/// The values of all symbols of a path from those of its open ones, if they satisfy the path condition; symbols that
/// have nothing to do with the path get anything.
pub fn complete(path: &Path<'_>, open: &[(SymbolId, Value)]) -> Option<Vec<Value>> {
    let model = path.model();
    let mut all: Vec<Value> = path.symbols().values().map(|s| model.sorts.default_value(s.sort)).collect();
    for (y, value) in open {
        all[y.index()] = value.clone();
    }
    for c in path.conditions() {
        if let (Origin::Definition(var), Term::App(Op::Eq, args)) = (c.origin, path.pool().get(c.term))
            && let Term::Symbol(y, _) = path.pool().get(args[0])
        {
            let value = value(path, args[1], &all)?;
            if !model.sorts.contains(model.variables[var].sort, &value) {
                return None;
            }
            all[y.index()] = value;
        }
        // The definition must hold, too: a symbol that was defined twice would show here.
        if !holds(path, c.term, &all) {
            return None;
        }
    }
    Some(all)
}

/// Whether a condition is true. That all items of a sequence are in a range is said for all integers, which the reference
/// evaluator does not try.
fn holds(path: &Path<'_>, term: TermId, symbols: &[Value]) -> bool {
    let (pool, sorts) = (path.pool(), &path.model().sorts);
    match eval(pool, sorts, term, Env { symbols, ..Env::default() }) {
        Err(EvalError::NeedsSolver(_)) => quick::truth(pool, sorts, term, symbols) == Ok(true),
        found => found == Ok(Value::Bool(true)),
    }
}

/// The value of a term over symbols; nothing if it is undefined.
pub fn value(path: &Path<'_>, term: TermId, symbols: &[Value]) -> Option<Value> {
    eval(path.pool(), &path.model().sorts, term, Env { symbols, ..Env::default() }).ok()
}

/// The state at the end of the path for values of the symbols.
pub fn state_for(path: &mut Path<'_>, symbols: &[Value]) -> State {
    let model = path.model();
    let mut vars = Vec::new();
    for v in model.variables.ids() {
        let term = path.term(v);
        let value = value(path, term, symbols);
        vars.push(value.unwrap_or_else(|| panic!("{} is undefined: {}", model.variable_name(v), path.show(term))));
    }
    State::new(path.locations().to_vec(), vars)
}

/// All states that the symbolic state at the end of the path stands for; nothing if there are too many values to try.
pub fn states_of(path: &mut Path<'_>, limit: u64) -> Option<BTreeSet<State>> {
    let model = path.model();
    let open = path.open_symbols();
    let mut product = 1u64;
    for y in &open {
        let sort = path.symbols()[*y].sort;
        let size = match model.sorts.get(sort) {
            Sort::Seq(item) => model.sorts.cardinality(*item).map(|n| 1 + n + n * n),
            _ => model.sorts.cardinality(sort),
        };
        product = product.saturating_mul(size?);
    }
    if product > limit {
        return None;
    }
    let domains: Vec<_> = open.iter().map(|y| domain(model, path.symbols()[*y].sort)).collect();
    let mut found = BTreeSet::new();
    for values in tuples(&domains) {
        let chosen: Vec<_> = open.iter().copied().zip(values).collect();
        if let Some(symbols) = complete(path, &chosen) {
            found.insert(state_for(path, &symbols));
        }
    }
    Some(found)
}

/// Steps in words.
pub fn show(model: &Model, steps: &[Step]) -> String {
    steps.iter().map(|s| s.name(model)).collect::<Vec<_>>().join(" ")
}
