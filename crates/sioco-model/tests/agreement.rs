//! The compiled semantics against the reference: the same values, the same errors, the same successors, on random
//! terms, models and states. A failure prints the seed.

mod random;

use random::{Rng, kit, seeds};
use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::program::{Context, Memory, Program};
use sioco_model::semantics::{Interpreter, State, StepError};
use sioco_model::term::{Op, TermPool};
use sioco_model::{Id, SwitchId, TermId, Value, VarId, verify};

/// Whether the reference leaves the answer open. A compiled quantifier need not try all values, and so may know more.
fn is_open<T>(answer: &Result<T, EvalError>) -> bool {
    matches!(answer, Err(EvalError::NeedsSolver(_)))
}

#[test]
fn compiled_terms_agree_with_the_reference() {
    let kit = kit();
    let mut memory = Memory::default();
    let (mut defined, mut undefined) = (0, 0);
    for seed in 0..seeds(4_000) {
        let mut rng = Rng::new(seed);
        let mut pool = TermPool::new();
        let mut leaves = Vec::new();
        for (i, sort) in kit.all.iter().enumerate() {
            leaves.push(pool.var(VarId::from_index(i), *sort));
            leaves.push(pool.param(i as u32, *sort));
        }
        let sort = kit.all[rng.below(kit.all.len())];
        let term = kit.term(&mut rng, &mut pool, &leaves, &mut Vec::new(), sort, 6);
        let program = Program::compile(&pool, &kit.sorts, term);
        for _ in 0..5 {
            let vars: Vec<Value> = kit.all.iter().map(|s| kit.value(&mut rng, *s)).collect();
            let params: Vec<Value> = kit.all.iter().map(|s| kit.value(&mut rng, *s)).collect();
            let env = Env { vars: &vars, params: &params, bound: &[], symbols: &[], rounds: 0 };
            let expected = eval(&pool, &kit.sorts, term, env);
            let context = Context { terms: &pool, sorts: &kit.sorts };
            let found = program.run(&mut memory, context, env);
            if !is_open(&expected) {
                assert_eq!(found, expected, "seed {seed}, {vars:?}, {params:?}");
            }
            if let Ok(value) = &found {
                assert!(kit.sorts.contains(sort, value), "seed {seed}: {value} has another sort");
                defined += 1;
            } else {
                undefined += 1;
            }
        }
    }
    // The generator must exercise both.
    assert!(defined > 5_000 && undefined > 500, "{defined} defined, {undefined} undefined");
}

#[test]
fn shared_terms_in_branches_do_not_blow_up_the_code() {
    let kit = kit();
    let mut pool = TermPool::new();
    let b = pool.param(0, kit.sorts.bool);
    let mut t = pool.param(1, kit.sorts.int);
    let one = pool.constant(Value::Int(1), kit.sorts.int);
    for _ in 0..60 {
        // Both branches use the term before, so naive code doubles each time.
        let up = pool.app(Op::Add, &[t, one], kit.sorts.int);
        let down = pool.app(Op::Sub, &[t, one], kit.sorts.int);
        t = pool.app(Op::Ite, &[b, up, down], kit.sorts.int);
    }
    let program = Program::compile(&pool, &kit.sorts, t);
    assert!(program.len() < 1_000, "{} instructions", program.len());
    let context = Context { terms: &pool, sorts: &kit.sorts };
    let params = [Value::Bool(true), Value::Int(0)];
    let value = program.run(&mut Memory::default(), context, Env { params: &params, ..Env::default() });
    assert_eq!(value, Ok(Value::Int(60)));
}

/// Successors by the definitions alone: guard, arguments and update by the reference evaluator.
fn reference_successors(
    m: &Model,
    state: &State,
    switch: SwitchId,
    args: &[Value],
) -> Result<Option<State>, EvalError> {
    let s = &m.switches[switch];
    if state.location(s.process) != s.source {
        return Ok(None);
    }
    let env = Env { vars: state.values(), params: args, bound: &[], symbols: &[], rounds: 0 };
    let value = |t: TermId| eval(&m.terms, &m.sorts, t, env);
    if value(s.guard)? != Value::Bool(true) {
        return Ok(None);
    }
    for (p, arg) in s.params.iter().zip(args) {
        if let Some(t) = p.term
            && value(t)? != *arg
        {
            return Ok(None);
        }
    }
    let mut vars = state.values().to_vec();
    for (v, t) in &s.update {
        vars[v.index()] = value(*t)?;
    }
    let mut locations = state.locations().to_vec();
    locations[s.process.index()] = s.target;
    Ok(Some(State::new(locations, vars)))
}

fn error_of(e: StepError) -> EvalError {
    match e {
        StepError::Undefined { error, .. } => error,
        StepError::NeedsSolver { why, .. } => EvalError::NeedsSolver(why),
    }
}

#[test]
fn the_interpreter_agrees_with_the_definitions() {
    let kit = kit();
    let (mut taken, mut refused, mut internal) = (0, 0, 0);
    for seed in 0..seeds(600) {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let model = kit.model(&mut rng);
        assert_eq!(verify::verify(&model), Vec::<String>::new(), "seed {seed}");
        let mut interpreter = Interpreter::new(&model);
        let mut state = interpreter.initial_default();
        for _ in 0..40 {
            // One switch, with values of its gate.
            let switch = SwitchId::from_index(rng.below(model.switches.len()));
            let s = &model.switches[switch];
            let args: Vec<Value> = s.params.iter().map(|p| kit.value(&mut rng, p.sort)).collect();
            let expected = reference_successors(&model, &state, switch, &args);
            let mut next = state.clone();
            let found = interpreter.fire(&mut next, switch, &args);
            match (&expected, found) {
                (Ok(Some(e)), Ok(true)) => {
                    assert_eq!(*e, next, "seed {seed}");
                    taken += 1;
                }
                (Ok(None), Ok(false)) => {
                    assert_eq!(state, next, "seed {seed}: a switch that is not enabled changed the state");
                    refused += 1;
                }
                (open, _) if is_open(open) => {}
                (Err(e), Err(f)) => assert_eq!(*e, error_of(f), "seed {seed}"),
                (e, f) => panic!("seed {seed}: expected {e:?}, found {f:?}"),
            }
            // All internal steps, against trying every value and every pair.
            let found =
                interpreter.internal_steps(&state).map(|all| all.into_iter().map(|(_, s)| s).collect::<Vec<_>>());
            if let Ok(found) = found {
                let expected = reference_internal(&kit, &model, &state);
                let sorted = |mut states: Vec<State>| {
                    states.sort();
                    states.dedup();
                    states
                };
                if let Ok(expected) = expected {
                    internal += expected.len();
                    assert_eq!(sorted(found), sorted(expected), "seed {seed}");
                }
            }
            if let Ok(Some(e)) = expected {
                state = e;
            }
        }
    }
    assert!(taken > 500 && refused > 5_000 && internal > 300, "{taken} taken, {refused} refused, {internal} internal");
}

/// All internal steps by trying every value of the (finite) choices and every pair of send and receive.
fn reference_internal(kit: &random::Kit, m: &Model, state: &State) -> Result<Vec<State>, EvalError> {
    let mut found = Vec::new();
    for (id, s) in m.switches.iter() {
        match s.label {
            Label::Internal if s.params.is_empty() => found.extend(reference_successors(m, state, id, &[])?),
            Label::Internal => {
                for n in 0..kit.sorts.cardinality(s.params[0].sort).expect("a range") {
                    let value = kit.sorts.nth_value(s.params[0].sort, n).expect("inside");
                    found.extend(reference_successors(m, state, id, &[value])?);
                }
            }
            Label::Send(c) => {
                if state.location(s.process) != s.source {
                    continue;
                }
                let env = Env { vars: state.values(), params: &[], bound: &[], symbols: &[], rounds: 0 };
                for (other, r) in m.switches.iter() {
                    if r.label != Label::Receive(c) || r.process == s.process || state.location(r.process) != r.source {
                        continue;
                    }
                    if eval(&m.terms, &m.sorts, s.guard, env)? != Value::Bool(true) {
                        continue;
                    }
                    let value = eval(&m.terms, &m.sorts, s.params[0].term.expect("a send has a term"), env)?;
                    let args = [value];
                    // Both are decided, and both evaluate, on the old state.
                    let (a, b) =
                        (reference_successors(m, state, id, &args)?, reference_successors(m, state, other, &args)?);
                    if let (Some(a), Some(b)) = (a, b) {
                        let mut vars = a.values().to_vec();
                        let mut locations = a.locations().to_vec();
                        for v in &m.processes[r.process].variables {
                            vars[v.index()] = b.value(*v).clone();
                        }
                        locations[r.process.index()] = b.location(r.process);
                        found.push(State::new(locations, vars));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(found)
}
