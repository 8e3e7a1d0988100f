//! The simplifier against the reference, on random terms: the same values, undefined in the same places. A failure prints
//! the seed.

#[allow(dead_code)]
mod random;

use std::collections::HashMap;

use random::{Kit, Rng, kit, seeds};
use rustc_hash::FxHashMap;
use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::simplify::{Parts, Seen, look, operation, simplify, substitute};
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, TermId, Value, VarId};

/// A random term over variables, one of each sort.
fn term(kit: &Kit, rng: &mut Rng, pool: &mut TermPool, conditions: bool) -> TermId {
    let leaves: Vec<TermId> =
        kit.all.iter().enumerate().map(|(i, sort)| pool.var(VarId::from_index(i), *sort)).collect();
    let sort = if conditions { kit.sorts.bool } else { kit.all[rng.below(kit.all.len())] };
    kit.term(rng, pool, &leaves, &mut Vec::new(), sort, 5)
}

fn value(pool: &TermPool, sorts: &Sorts, term: TermId, vars: &[Value]) -> Result<Value, EvalError> {
    eval(pool, sorts, term, Env { vars, params: &[], bound: &[], symbols: &[], rounds: 0 })
}

fn is_open(answer: &Result<Value, EvalError>) -> bool {
    matches!(answer, Err(EvalError::NeedsSolver(_)))
}

/// What is simplified means the same. Some variables are replaced by their values, so that there is something to compute.
#[test]
fn simple_terms_mean_the_same() {
    let kit = kit();
    let (mut defined, mut undefined, mut smaller) = (0, 0, 0);
    for seed in 0..seeds(3_000) {
        let mut rng = Rng::new(seed);
        let mut pool = TermPool::new();
        let plain = term(&kit, &mut rng, &mut pool, false);
        let vars: Vec<Value> = kit.all.iter().map(|s| kit.value(&mut rng, *s)).collect();
        let known: Vec<bool> = kit.all.iter().map(|_| rng.one_in(2)).collect();
        let mut leaf = |pool: &mut TermPool, leaf: &Term| match leaf {
            Term::Var(v, sort) if known[v.index()] => Some(pool.constant(vars[v.index()].clone(), *sort)),
            _ => None,
        };
        let put = substitute(&mut pool, &kit.sorts, plain, &mut FxHashMap::default(), &mut leaf);
        let simple = simplify(&mut pool, &kit.sorts, put, &mut FxHashMap::default());
        smaller += usize::from(pool.depth(simple) < pool.depth(plain));
        for _ in 0..4 {
            let other: Vec<Value> = (vars.iter().zip(&known).zip(&kit.all))
                .map(|((value, known), sort)| if *known { value.clone() } else { kit.value(&mut rng, *sort) })
                .collect();
            let expected = value(&pool, &kit.sorts, plain, &other);
            for found in [put, simple].map(|t| value(&pool, &kit.sorts, t, &other)) {
                if is_open(&expected) || is_open(&found) {
                    continue;
                }
                assert_eq!(found.as_ref().ok(), expected.as_ref().ok(), "seed {seed}, {other:?}");
            }
            *(if expected.is_ok() { &mut defined } else { &mut undefined }) += 1;
        }
    }
    assert!(defined > 3_000 && undefined > 500 && smaller > 1_000, "{defined}, {undefined}, {smaller}");
}

/// The term put together again from parts that are taken to be defined.
fn rebuilt(pool: &mut TermPool, sorts: &Sorts, term: TermId, done: &mut HashMap<TermId, TermId>) -> TermId {
    if let Some(known) = done.get(&term) {
        return *known;
    }
    let result = match pool.get(term).clone() {
        Term::App(op, args) => {
            let args: Vec<TermId> = args.iter().map(|a| rebuilt(pool, sorts, *a, done)).collect();
            let sort = pool.sort(term);
            operation(pool, sorts, op, &args, sort, Parts::Defined)
        }
        _ => term,
    };
    done.insert(term, result);
    result
}

/// Where all parts are defined, more may be dropped, and the value is still the same.
#[test]
fn defined_parts_may_be_dropped() {
    let kit = kit();
    let (mut compared, mut dropped) = (0, 0);
    for seed in 0..seeds(3_000) {
        let mut rng = Rng::new(seed);
        let mut pool = TermPool::new();
        let plain = term(&kit, &mut rng, &mut pool, true);
        let mut bound = false;
        pool.visit(plain, &mut |_, t| bound |= matches!(t, Term::Bound(..)));
        if bound {
            continue;
        }
        let simple = rebuilt(&mut pool, &kit.sorts, plain, &mut HashMap::new());
        let careful = simplify(&mut pool, &kit.sorts, plain, &mut FxHashMap::default());
        dropped += usize::from(pool.depth(simple) < pool.depth(careful));
        let mut parts = Vec::new();
        pool.visit(plain, &mut |t, _| parts.push(t));
        for _ in 0..4 {
            let vars: Vec<Value> = kit.all.iter().map(|s| kit.value(&mut rng, *s)).collect();
            if parts.iter().all(|t| value(&pool, &kit.sorts, *t, &vars).is_ok()) {
                let [found, expected] = [simple, plain].map(|t| value(&pool, &kit.sorts, t, &vars));
                assert_eq!(found, expected, "seed {seed}, {vars:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000 && dropped > 20, "{compared} compared, {dropped} dropped");
}

/// What is seen of a condition is so.
#[test]
fn what_is_seen_is_so() {
    let kit = kit();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for seed in 0..seeds(3_000) {
        let mut rng = Rng::new(seed);
        let mut pool = TermPool::new();
        let condition = term(&kit, &mut rng, &mut pool, true);
        fn see(pool: &TermPool, sorts: &Sorts, t: TermId) -> Seen {
            look(pool, sorts, t, &mut |part| see(pool, sorts, part))
        }
        let said = see(&pool, &kit.sorts, condition);
        for _ in 0..4 {
            let vars: Vec<Value> = kit.all.iter().map(|s| kit.value(&mut rng, *s)).collect();
            let found = value(&pool, &kit.sorts, condition, &vars);
            let truth = found.as_ref().ok().map(|v| *v == Value::Bool(true));
            let (fits, name) = match said {
                _ if is_open(&found) => continue,
                Seen::True => (truth == Some(true), "true"),
                Seen::False => (truth == Some(false), "false"),
                Seen::NeverTrue => (truth != Some(true), "never true"),
                Seen::Open => (true, "open"),
            };
            assert!(fits, "seed {seed}: {said:?}, but {found:?} for {vars:?}");
            *seen.entry(name).or_default() += 1;
        }
    }
    assert!(["true", "false", "never true"].iter().all(|name| seen.get(name).is_some_and(|n| *n > 20)), "{seen:?}");
}

/// The rules one by one.
#[test]
fn each_rule_does_what_it_says() {
    let kit = kit();
    let sorts = &kit.sorts;
    let mut pool = TermPool::new();
    let [x, y] = [0, 1].map(|i| pool.param(i, sorts.int));
    let int = |pool: &mut TermPool, n: i64| pool.constant(Value::Int(n), sorts.int);
    let [one, two, three, five] = [1, 2, 3, 5].map(|n| int(&mut pool, n));
    let risky = pool.app(Op::Div, &[x, y], sorts.int);
    let [yes, no] = [true, false].map(|t| pool.bool(sorts, t));
    let doubt = pool.app(Op::Lt, &[risky, one], sorts.bool);
    let made = pool.app(Op::Construct(2), &[x, yes], kit.data);
    let made_riskily = pool.app(Op::Construct(2), &[risky, yes], kit.data);
    let listed = pool.app(Op::SeqLit, &[x, y], kit.seq);
    let listed_riskily = pool.app(Op::SeqLit, &[x, risky], kit.seq);
    let plus = |pool: &mut TermPool, a, b| pool.app(Op::Add, &[a, b], sorts.int);
    let (x1, x3) = (plus(&mut pool, x, one), plus(&mut pool, x, three));
    let (x_minus_1, around) = {
        let less = int(&mut pool, -1);
        (plus(&mut pool, x, less), pool.app(Op::Mod, &[x, five], sorts.int))
    };
    let around_and_on = plus(&mut pool, around, two);
    let on_and_around = {
        let sum = plus(&mut pool, x, two);
        pool.app(Op::Mod, &[sum, five], sorts.int)
    };
    // The operation, its parts, and what it is where parts may be undefined, and where none is; nothing: as it is.
    type Case = (Op, Vec<TermId>, Option<TermId>, Option<TermId>);
    let cases: Vec<Case> = vec![
        (Op::Add, vec![two, three], Some(five), Some(five)),
        (Op::Add, vec![x1, two], Some(x3), Some(x3)),
        (Op::Sub, vec![x, one], Some(x_minus_1), Some(x_minus_1)),
        (Op::Mod, vec![around_and_on, five], Some(on_and_around), Some(on_and_around)),
        (Op::Eq, vec![x, x], Some(yes), Some(yes)),
        (Op::Lt, vec![x, x], Some(no), Some(no)),
        (Op::Le, vec![risky, risky], None, Some(yes)),
        (Op::Lt, vec![risky, risky], None, Some(no)),
        (Op::Ite, vec![doubt, x, x], None, Some(x)),
        (Op::Ite, vec![yes, x, y], Some(x), Some(x)),
        (Op::And, vec![doubt, no], None, Some(no)),
        (Op::And, vec![no, doubt], Some(no), Some(no)),
        (Op::Or, vec![doubt, yes], None, Some(yes)),
        (Op::Is(2), vec![made], Some(yes), Some(yes)),
        (Op::Is(0), vec![made_riskily], None, Some(no)),
        (Op::Field(2, 0), vec![made], Some(x), Some(x)),
        (Op::Field(2, 1), vec![made_riskily], None, Some(yes)),
        (Op::Len, vec![listed], Some(two), Some(two)),
        (Op::Len, vec![listed_riskily], None, Some(two)),
        (Op::Div, vec![x, y], None, None),
    ];
    for (n, (op, args, careful, defined)) in cases.into_iter().enumerate() {
        let sort = match op {
            Op::Eq | Op::Lt | Op::Le | Op::And | Op::Or | Op::Is(_) | Op::Field(2, 1) => sorts.bool,
            _ => sorts.int,
        };
        let plain = pool.app(op, &args, sort);
        let found = [Parts::AsTheyAre, Parts::Defined].map(|p| operation(&mut pool, sorts, op, &args, sort, p));
        assert_eq!(found, [careful, defined].map(|t| t.unwrap_or(plain)), "case {n}: {op:?}");
    }
}
