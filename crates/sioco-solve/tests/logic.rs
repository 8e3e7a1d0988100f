//! Logic on conditions, against the reference evaluator on small domains.

mod support;

use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::number::BigInt;
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{Id, SortId, TermId, Value};
use sioco_solve::builtin::Builtin;
use sioco_solve::logic::{Entailment, defined, eliminate, entails, not_true, total};
use sioco_solve::smt::z3::{self, Z3Solver};
use sioco_solve::{Answer, Limits, Solver};
use support::{Rng, World, seeds};

/// A random condition with quantifiers over small domains.
struct Quantified {
    world: World,
    rng: Rng,
    rich: bool,
    binders: Vec<SortId>,
}

impl Quantified {
    fn new(seed: u64, rich: bool) -> Quantified {
        let mut rng = Rng(seed);
        let mut world = World::new(1 + rng.below(2) as usize, 1, 1, true);
        world.add_replies(1);
        let reply = world.pool.sort(world.data[0]);
        let range = |lo: i64, hi: i64| Sort::Int { lo: Some(BigInt::from(lo)), hi: Some(BigInt::from(hi)) };
        let small = world.sorts.intern(range(-3, 3));
        let tiny = world.sorts.intern(range(0, 1));
        let binders = vec![small, small, small, tiny, world.sorts.bool, world.colour, reply];
        if !rich {
            world.data.clear();
        }
        Quantified { world, rng, rich, binders }
    }

    fn condition(&mut self, depth: u32, quantifiers: u32) -> TermId {
        let kind = if depth == 0 { 9 } else { self.rng.below(10) };
        match kind {
            0..=3 if quantifiers > 0 => {
                let count = 1 + self.rng.below(2) as u32;
                let first = self.world.pool.binders.next_id();
                let before = [&self.world.ints, &self.world.bools, &self.world.enums, &self.world.data].map(Vec::len);
                for i in 0..count {
                    let kinds = if self.rich { 7 } else { 6 };
                    let sort = self.binders[self.rng.below(kinds) as usize];
                    assert_eq!(self.world.pool.binders.push(sort).index(), first.index() + i as usize);
                    let b = self.world.pool.bound(&self.world.sorts, Id::from_index(first.index() + i as usize));
                    let of = match self.world.sorts.get(sort) {
                        Sort::Int { .. } => &mut self.world.ints,
                        Sort::Bool => &mut self.world.bools,
                        Sort::Data(_) if sort == self.world.colour => &mut self.world.enums,
                        _ => &mut self.world.data,
                    };
                    // Variables of quantifiers are what this is about.
                    of.extend([b, b]);
                }
                let body = self.condition(depth - 1, quantifiers - 1);
                let w = &mut self.world;
                for (of, len) in [&mut w.ints, &mut w.bools, &mut w.enums, &mut w.data].into_iter().zip(before) {
                    of.truncate(len);
                }
                self.world.test(Op::Exists { first, count }, &[body])
            }
            0..=5 => {
                let parts: Vec<TermId> =
                    (0..2 + self.rng.below(2)).map(|_| self.condition(depth - 1, quantifiers)).collect();
                match kind {
                    0..=4 => self.world.pool.and(&self.world.sorts, &parts),
                    _ => self.world.pool.or(&self.world.sorts, &parts),
                }
            }
            6 => {
                let a = self.condition(depth - 1, quantifiers);
                self.world.pool.not(&self.world.sorts, a)
            }
            _ => self.world.bool_term(&mut self.rng, 1, self.rich),
        }
    }

    /// Some of the assignments.
    fn some(&mut self) -> Vec<Vec<Value>> {
        let mut all = self.world.all();
        for i in 0..all.len().min(12) {
            let j = i + self.rng.below((all.len() - i) as u64) as usize;
            all.swap(i, j);
        }
        all.truncate(12);
        all
    }

    fn eval(&self, t: TermId, symbols: &[Value]) -> Result<Value, EvalError> {
        eval(&self.world.pool, &self.world.sorts, t, Env { symbols, ..Env::default() })
    }

    fn quantifiers(&self, t: TermId) -> usize {
        let mut count = 0;
        self.world.pool.visit(t, &mut |_, t| count += usize::from(matches!(t, Term::App(Op::Exists { .. }, _))));
        count
    }
}

#[test]
fn definedness_is_what_the_evaluator_says() {
    let mut undefined = 0;
    for seed in seeds(1, 200) {
        let mut q = Quantified::new(seed, true);
        let t = q.condition(3, 2);
        let w = &mut q.world;
        let d = defined(&mut w.pool, &w.sorts, t);
        let yes = total(&mut w.pool, &w.sorts, t);
        let no = not_true(&mut w.pool, &w.sorts, t);
        for a in q.some() {
            let value = q.eval(t, &a);
            undefined += usize::from(value.is_err());
            let is = |b: bool| Ok(Value::Bool(b));
            assert_eq!(q.eval(d, &a), is(value.is_ok()), "seed {seed}: defined, {a:?}, {value:?}");
            let holds = value == Ok(Value::Bool(true));
            assert_eq!(q.eval(yes, &a), is(holds), "seed {seed}: total, {a:?}, {value:?}");
            assert_eq!(q.eval(no, &a), is(!holds), "seed {seed}: not true, {a:?}, {value:?}");
        }
    }
    assert!(undefined > seeds(0, 200).count() / 4, "too little was undefined: {undefined}");
}

#[test]
fn elimination_changes_nothing_for_the_evaluator() {
    for rich in [false, true] {
        let (mut before, mut after, mut hold) = (0, 0, 0);
        let mut slowest = (std::time::Duration::ZERO, 0);
        for seed in seeds(1, 120) {
            let mut q = Quantified::new(seed, rich);
            let t = q.condition(4, 3);
            let w = &mut q.world;
            let limit = [0, 50, 2_000][q.rng.below(3) as usize];
            let start = std::time::Instant::now();
            let e = eliminate(&mut w.pool, &w.sorts, t, limit);
            slowest = slowest.max((start.elapsed(), seed));
            if limit > 100 {
                before += q.quantifiers(t);
                after += q.quantifiers(e);
            }
            for a in q.some() {
                let expected = q.eval(t, &a) == Ok(Value::Bool(true));
                hold += usize::from(expected);
                let found = q.eval(e, &a);
                assert_eq!(found, Ok(Value::Bool(expected)), "seed {seed}, rich {rich}, limit {limit}, {a:?}");
            }
        }
        println!("rich {rich}: {before} quantifiers, {after} left, {hold} times true, slowest {slowest:.1?}");
        assert!(after * 8 < before, "too many quantifiers are left: {after} of {before}");
    }
}

/// Unbounded variables, of which the evaluator says nothing: the solver must find both the same.
#[test]
fn elimination_changes_nothing_for_the_solver() {
    let (Some(library), _) = z3::find() else {
        eprintln!("skipped: there is no Z3 library here");
        return;
    };
    let (mut same, mut unknown, mut left) = (0, 0, 0);
    for seed in seeds(1, 100) {
        let mut q = Quantified::new(seed, false);
        let (int, real) = (q.world.sorts.int, q.world.sorts.real);
        q.binders = vec![int; 6];
        let t = if seed % 4 == 0 { q.real_condition(real) } else { q.condition(4, 3) };
        let w = &mut q.world;
        let e = eliminate(&mut w.pool, &w.sorts, t, 2_000);
        let equal = w.test(Op::Eq, &[t, e]);
        let different = w.pool.not(&w.sorts, equal);
        left += q.quantifiers(e);
        let mut solver = Z3Solver::new(&library);
        solver.assert(q.world.terms(), different);
        let limits = Limits { wall: std::time::Duration::from_secs(2), ..Limits::default() };
        match solver.check(q.world.terms(), &limits, false) {
            Answer::Unsat(_) => same += 1,
            Answer::Sat(_) => panic!("seed {seed}: not the same"),
            Answer::Unknown(_) => unknown += 1,
        }
    }
    println!("{same} the same, {unknown} unknown, {left} quantifiers left");
    assert!(unknown * 10 < same, "too little was decided: {same}, {unknown} unknown");
    assert!(left * 20 < same, "too many quantifiers are left: {left}");
}

/// Quantifiers over reals that are eliminated leave linear conditions, which the built-in solver decides by itself, and
/// so their negations, as quiescence has them.
#[test]
fn what_is_left_of_quantifiers_over_reals_is_decided_without_help() {
    let library = z3::find().0;
    if library.is_none() {
        eprintln!("without Z3: there is no library here, so only witnesses are looked at");
    }
    let (mut decided, mut undecided, mut confirmed, mut left) = (0, 0, 0, 0);
    for seed in seeds(400, 40) {
        let mut q = Quantified::new(seed, false);
        let real = q.world.sorts.real;
        let conditions = [q.real_condition(real), q.real_condition(real)];
        let w = &mut q.world;
        let some = eliminate(&mut w.pool, &w.sorts, conditions[0], 2_000);
        let other = eliminate(&mut w.pool, &w.sorts, conditions[1], 2_000);
        let none = w.pool.not(&w.sorts, some);
        if q.quantifiers(some) + q.quantifiers(other) > 0 {
            left += 1;
            continue;
        }
        for conjuncts in [vec![some], vec![none], vec![some, other], vec![none, other]] {
            let terms = q.world.terms();
            let mut built_in = Builtin::new();
            conjuncts.iter().for_each(|c| built_in.assert(terms, *c));
            let limits = Limits { resources: 50_000, ..Limits::default() };
            let answer = built_in.check(terms, &limits, true);
            match &answer {
                Answer::Sat(witness) => {
                    assert!(terms.satisfies(witness.as_ref().expect("asked for"), &conjuncts), "seed {seed}");
                }
                Answer::Unsat(_) => {}
                Answer::Unknown(_) => undecided += 1,
            }
            decided += u32::from(!matches!(answer, Answer::Unknown(_)));
            if let (Some(library), Answer::Unsat(_)) = (&library, &answer) {
                let mut z3 = Z3Solver::new(library);
                conjuncts.iter().for_each(|c| z3.assert(terms, *c));
                let theirs = z3.check(terms, &Limits::default(), false);
                assert!(!matches!(theirs, Answer::Sat(_)), "seed {seed}: {conjuncts:?}");
                confirmed += u32::from(matches!(theirs, Answer::Unsat(_)));
            }
        }
    }
    println!("{decided} decided, {undecided} not, {confirmed} clashes confirmed, {left} with quantifiers left");
    assert!(decided > 0 && undecided * 50 <= decided, "{undecided} of {decided}");
}

impl Quantified {
    /// `exists` over reals with linear conditions, strict or not.
    fn real_condition(&mut self, real: SortId) -> TermId {
        let w = &mut self.world;
        let mut leaves = vec![w.symbol("r", real), w.symbol("s", real)];
        let first = w.pool.binders.next_id();
        for _ in 0..2 {
            let b = w.pool.binders.push(real);
            leaves.push(w.pool.bound(&w.sorts, b));
        }
        let mut parts = Vec::new();
        for _ in 0..2 + self.rng.below(4) {
            let mut sides = [leaves[0]; 2];
            for side in &mut sides {
                let mut sum = Vec::new();
                for leaf in &leaves {
                    let k = self.rng.between(-2, 2);
                    if k != 0 {
                        let k = w.pool.constant(Value::real(k.into()), real);
                        sum.push(w.pool.app(Op::Mul, &[k, *leaf], real));
                    }
                }
                sum.push(w.pool.constant(Value::real(self.rng.between(-3, 3).into()), real));
                *side = w.pool.app(Op::Add, &sum, real);
            }
            let op = [Op::Lt, Op::Le, Op::Lt, Op::Le, Op::Eq][self.rng.below(5) as usize];
            let part = w.test(op, &sides);
            parts.push(if self.rng.below(4) == 0 { w.pool.not(&w.sorts, part) } else { part });
        }
        let body = if self.rng.below(3) == 0 { w.pool.or(&w.sorts, &parts) } else { w.pool.and(&w.sorts, &parts) };
        w.test(Op::Exists { first, count: 2 }, &[body])
    }
}

/// `exists b: sort. body(b)`.
fn exists(w: &mut World, sort: SortId, body: impl FnOnce(&mut World, TermId) -> TermId) -> TermId {
    let first = w.pool.binders.push(sort);
    let b = w.pool.bound(&w.sorts, first);
    let body = body(w, b);
    w.test(Op::Exists { first, count: 1 }, &[body])
}

fn range(w: &mut World, lo: i64, hi: i64) -> SortId {
    w.sorts.intern(Sort::Int { lo: Some(BigInt::from(lo)), hi: Some(BigInt::from(hi)) })
}

#[test]
fn a_guard_with_a_parameter_becomes_a_condition_on_the_state() {
    let mut w = World::new(2, 1, 1, false);
    let (x, y) = (w.ints[0], w.ints[1]);
    let digit = range(&mut w, 1, 10);
    let int = w.sorts.int;
    let n = |w: &mut World, n| w.int(n);
    let check = |w: &mut World, t: TermId, expected: TermId| {
        let e = eliminate(&mut w.pool, &w.sorts, t, 100);
        assert_eq!(e, expected, "{:?} instead of {:?}", w.pool.get(e), w.pool.get(expected));
    };
    // exists p: Int in 1..10. 1 <= p && p <= 10 && x + p <= 100
    let fits = exists(&mut w, digit, |w, p| {
        let sum = w.arith(Op::Add, &[x, p]);
        let hundred = n(w, 100);
        let (inside, below) = (w.between(p, 1, 10), w.test(Op::Le, &[sum, hundred]));
        w.pool.and(&w.sorts, &[inside, below])
    });
    let (k99, k100) = (w.int(99), w.int(100));
    let expected = w.test(Op::Le, &[x, k99]);
    check(&mut w, fits, expected);
    // Its negation.
    let none = w.pool.not(&w.sorts, fits);
    let expected = w.test(Op::Lt, &[k99, x]);
    check(&mut w, none, expected);
    // One point, with the range of the variable.
    let point = exists(&mut w, digit, |w, p| {
        let sum = w.arith(Op::Add, &[p, y]);
        w.test(Op::Eq, &[x, sum])
    });
    let e = eliminate(&mut w.pool, &w.sorts, point, 0);
    let mut quantified = false;
    w.pool.visit(e, &mut |_, t| quantified |= matches!(t, Term::App(Op::Exists { .. }, _)));
    assert!(!quantified);
    // An even number.
    let even = exists(&mut w, int, |w, p| {
        let twice = w.arith(Op::Add, &[p, p]);
        w.test(Op::Eq, &[x, twice])
    });
    let (zero, two) = (w.int(0), w.int(2));
    let remainder = w.arith(Op::Mod, &[x, two]);
    let expected = w.test(Op::Eq, &[remainder, zero]);
    check(&mut w, even, expected);
    // A variable that is never used, and one whose sort has no value.
    let idle = exists(&mut w, digit, |w, _| w.test(Op::Le, &[x, k100]));
    let expected = w.test(Op::Le, &[x, k100]);
    check(&mut w, idle, expected);
    let empty = range(&mut w, 2, 1);
    let idle = exists(&mut w, empty, |w, _| w.test(Op::Le, &[x, k100]));
    let expected = w.pool.bool(&w.sorts, false);
    check(&mut w, idle, expected);
    // Nothing to do: the same term.
    let plain = w.test(Op::Le, &[x, y]);
    check(&mut w, plain, plain);
}

#[test]
fn what_cannot_be_eliminated_stays_and_is_right() {
    let mut w = World::new(2, 1, 1, true);
    let (x, y) = (w.ints[0], w.ints[1]);
    let wide = range(&mut w, -50, 50);
    // exists p. p * p == x + y && p <= x
    let root = exists(&mut w, wide, |w, p| {
        let (square, sum) = (w.arith(Op::Mul, &[p, p]), w.arith(Op::Add, &[x, y]));
        let (is, low) = (w.test(Op::Eq, &[square, sum]), w.test(Op::Le, &[p, x]));
        w.pool.and(&w.sorts, &[is, low])
    });
    let not = w.pool.not(&w.sorts, root);
    for t in [root, not] {
        let e = eliminate(&mut w.pool, &w.sorts, t, 1_000);
        let all = w.all();
        assert_eq!(w.truth(&all, t), w.truth(&all, e));
    }
}

/// The operations on sequences, strings, ranges and data types, each on values inside and outside.
#[test]
fn every_partial_operation_has_its_condition() {
    let mut w = World::new(0, 0, 0, false);
    w.add_replies(1);
    let digit = range(&mut w, 0, 9);
    let (int, string, real) = (w.sorts.int, w.sorts.string, w.sorts.real);
    let (ints, digits) = (w.sorts.seq(int), w.sorts.seq(digit));
    let nested = w.sorts.seq(digits);
    let plain_nested = w.sorts.seq(ints);
    let reply = w.pool.sort(w.data[0]);
    let replies = w.sorts.seq(reply);
    let r = w.data[0];
    let [i, j] = ["i", "j"].map(|n| w.symbol(n, int));
    let s = w.symbol("s", ints);
    let text = w.symbol("t", string);
    let n = w.symbol("n", plain_nested);
    let a = w.symbol("a", real);
    let mut app = |op, args: &[TermId], sort| w.pool.app(op, args, sort);
    let item = app(Op::Index, &[s, i], int);
    let pair = {
        let field = app(Op::Field(1, 1), &[r], w.sorts.bool);
        let mut app = |op, args: &[TermId], sort| w.pool.app(op, args, sort);
        app(Op::Construct(1), &[i, field], reply)
    };
    let mut app = |op, args: &[TermId], sort| w.pool.app(op, args, sort);
    let one = app(Op::SeqLit, &[pair], replies);
    let terms = [
        item,
        app(Op::Index, &[s, item], int),
        app(Op::Index, &[text, i], string),
        app(Op::Slice, &[s, i, j], ints),
        app(Op::Slice, &[text, i, j], string),
        app(Op::Div, &[i, j], int),
        app(Op::Mod, &[item, j], int),
        app(Op::Quot, &[a, a], real),
        app(Op::Field(1, 0), &[r], int),
        app(Op::Checked(digit), &[item], int),
        app(Op::Checked(digits), &[s], ints),
        app(Op::Checked(nested), &[n], plain_nested),
        app(Op::Checked(reply), &[pair], reply),
        app(Op::Checked(replies), &[one], replies),
    ];
    let mut rng = Rng(1);
    let mut seen = [[0; 2]; 14];
    let conditions = terms.map(|t| defined(&mut w.pool, &w.sorts, t));
    for _ in 0..400 {
        let mut number = |lo: i64, hi: i64| Value::Int(rng.between(lo, hi));
        let (x, y) = (number(-1, 4), number(-1, 4));
        let items: Vec<Value> = (0..3).map(|_| number(-1, 10)).collect();
        let len = (rng.next() % 4) as usize;
        let sequence = Value::seq(items[..len].to_vec());
        let values = vec![
            w.sorts.nth_value(reply, rng.below(7)).unwrap(),
            x,
            y,
            sequence.clone(),
            Value::string(&"äbc"[..[0, 2, 3, 4][len]]),
            Value::seq(vec![sequence; rng.below(3) as usize]),
            Value::real(rng.between(0, 1).into()),
        ];
        let env = Env { symbols: &values, ..Env::default() };
        for (k, (t, d)) in terms.iter().zip(conditions).enumerate() {
            let value = eval(&w.pool, &w.sorts, *t, env);
            seen[k][usize::from(value.is_ok())] += 1;
            // A quantifier over positions is more than the evaluator tries; its body is what counts.
            match eval(&w.pool, &w.sorts, d, env) {
                Ok(found) => assert_eq!(found, Value::Bool(value.is_ok()), "term {k}: {values:?}, {value:?}"),
                Err(EvalError::NeedsSolver(_)) => assert!((10..12).contains(&k), "term {k}"),
                Err(other) => panic!("term {k}: {other}"),
            }
        }
    }
    assert!(seen.iter().all(|s| s[0] > 5 && s[1] > 5), "{seen:?}");
}

#[test]
fn ranges_of_items_are_found_by_the_solver() {
    let (Some(library), _) = z3::find() else {
        eprintln!("skipped: there is no Z3 library here");
        return;
    };
    let mut w = World::new(0, 0, 0, false);
    let digit = range(&mut w, 0, 9);
    let int = w.sorts.int;
    let (ints, digits) = (w.sorts.seq(int), w.sorts.seq(digit));
    let s = w.symbol("s", ints);
    let checked = w.pool.app(Op::Checked(digits), &[s], ints);
    let d = defined(&mut w.pool, &w.sorts, checked);
    for (items, inside) in [(vec![], true), (vec![0, 9], true), (vec![3, 10], false), (vec![-1], false)] {
        let value = w.pool.constant(Value::seq(items.iter().map(|n| Value::Int(*n)).collect()), ints);
        let is = w.test(Op::Eq, &[s, value]);
        let mut solver = Z3Solver::new(&library);
        solver.assert(w.terms(), is);
        let answer = entails(&mut solver, &mut w.pool, &w.sorts, &w.symbols, d, &Limits::default());
        match inside {
            true => assert_eq!(answer, Entailment::Yes, "{items:?}"),
            false => assert!(matches!(answer, Entailment::No(_)), "{items:?}: {answer:?}"),
        }
    }
}

/// `exists` with many variables, most of which are defined by others.
#[test]
fn long_chains_of_definitions_are_quick() {
    let mut w = World::new(2, 0, 0, false);
    let (int, y, z) = (w.sorts.int, w.ints[0], w.ints[1]);
    let digit = range(&mut w, 1, 10);
    let count = 200;
    let first = w.pool.binders.next_id();
    let vars: Vec<TermId> = (0..count)
        .map(|i| {
            let b = w.pool.binders.push(if i % 2 == 0 { digit } else { int });
            w.pool.bound(&w.sorts, b)
        })
        .collect();
    // Every second one is the sum of the two before.
    let mut parts = vec![];
    let mut last = z;
    for pair in vars.chunks(2) {
        let sum = w.arith(Op::Add, &[last, pair[0]]);
        parts.push(w.test(Op::Eq, &[pair[1], sum]));
        last = pair[1];
    }
    parts.push(w.test(Op::Eq, &[y, last]));
    let body = w.pool.and(&w.sorts, &parts);
    let t = w.test(Op::Exists { first, count }, &[body]);
    let start = std::time::Instant::now();
    let e = eliminate(&mut w.pool, &w.sorts, t, 1_000);
    println!("{count} variables: {:.1?}", start.elapsed());
    // 100 <= y - z <= 1000
    for (from, to, expected) in [(0, 100, true), (0, 99, false), (5, 1005, true), (5, 1006, false)] {
        let values = [Value::Int(to), Value::Int(from)];
        let found = eval(&w.pool, &w.sorts, e, Env { symbols: &values, ..Env::default() });
        assert_eq!(found, Ok(Value::Bool(expected)), "{from} to {to}");
    }
}

/// Bounds with coefficients and `!=`, on variables with more values than are tried one by one.
#[test]
fn bounds_and_holes_are_exact() {
    let mut eliminated = 0;
    for seed in seeds(1, 200) {
        let mut rng = Rng(seed);
        let mut w = World::new(2, 0, 0, true);
        let (x, y) = (w.ints[0], w.ints[1]);
        let wide = range(&mut w, -9, 9);
        let t = exists(&mut w, wide, |w, p| {
            let parts: Vec<TermId> = (0..2 + rng.below(4))
                .map(|_| {
                    let mut sum = Vec::new();
                    for (leaf, most) in [(p, 3), (x, 2), (y, 1)] {
                        let k = rng.between(-most, most);
                        let k = w.int(k);
                        sum.push(w.arith(Op::Mul, &[k, leaf]));
                    }
                    let sum = w.arith(Op::Add, &sum);
                    let k = rng.between(-4, 4);
                    let k = w.int(k);
                    let op = [Op::Lt, Op::Le, Op::Eq, Op::Eq, Op::Eq][rng.below(5) as usize];
                    let part = w.test(op, &[sum, k]);
                    if op == Op::Eq && rng.below(5) > 0 { w.pool.not(&w.sorts, part) } else { part }
                })
                .collect();
            w.pool.and(&w.sorts, &parts)
        });
        let e = eliminate(&mut w.pool, &w.sorts, t, 1_000);
        let mut quantified = false;
        w.pool.visit(e, &mut |_, t| quantified |= matches!(t, Term::App(Op::Exists { .. }, _)));
        eliminated += usize::from(!quantified);
        let all = w.all();
        assert_eq!(w.truth(&all, t), w.truth(&all, e), "seed {seed}");
    }
    assert_eq!(eliminated, seeds(1, 200).count());
}

/// Terms as deep as models may have them do not exhaust the stack.
#[test]
fn deep_terms_are_no_trouble() {
    let mut w = World::new(1, 1, 0, false);
    let (int, x) = (w.sorts.int, w.ints[0]);
    let one = w.int(1);
    let t = exists(&mut w, int, |w, p| {
        let mut sum = p;
        while w.pool.depth(sum) < 480 {
            let quotient = w.arith(Op::Div, &[one, x]);
            sum = w.arith(Op::Add, &[sum, quotient]);
        }
        let mut t = w.test(Op::Le, &[sum, x]);
        let flag = w.bools[0];
        while w.pool.depth(t) < 980 {
            let or = w.test(Op::Or, &[flag, t]);
            t = w.pool.not(&w.sorts, or);
        }
        t
    });
    assert!(w.pool.depth(t) > 970);
    let (d, n) = (defined(&mut w.pool, &w.sorts, t), not_true(&mut w.pool, &w.sorts, t));
    let e = eliminate(&mut w.pool, &w.sorts, t, 1_000);
    println!("depths {} {} {}", w.pool.depth(d), w.pool.depth(n), w.pool.depth(e));
}

/// Sums of whole numbers between bounds, several of them quantified, as the conditions of symbolic states have them.
#[test]
fn linear_states_are_projected_exactly() {
    let (mut eliminated, mut count) = (0, 0);
    for seed in seeds(1, 400) {
        let mut rng = Rng(seed);
        let mut w = World::new(2, 0, 0, true);
        let (x, y) = (w.ints[0], w.ints[1]);
        let wide = range(&mut w, -6, 6);
        let narrow = range(&mut w, -3, 5);
        let binders: Vec<_> =
            [wide, narrow, wide][..1 + rng.below(3) as usize].iter().map(|s| w.pool.binders.push(*s)).collect();
        let leaves: Vec<TermId> = binders.iter().map(|b| w.pool.bound(&w.sorts, *b)).chain([x, y]).collect();
        let parts: Vec<TermId> = (0..1 + rng.below(6))
            .map(|_| {
                let mut sum = Vec::new();
                for leaf in &leaves {
                    // Mostly 1, so that most can be done in machine numbers.
                    let k = [0, 0, 1, 1, 1, -1, -1, 2][rng.below(8) as usize];
                    let k = w.int(k);
                    sum.push(w.arith(Op::Mul, &[k, *leaf]));
                }
                let sum = w.arith(Op::Add, &sum);
                let k = rng.between(-6, 6);
                let k = w.int(k);
                let op = [Op::Lt, Op::Le, Op::Le, Op::Eq][rng.below(4) as usize];
                let part = w.test(op, &[sum, k]);
                if op != Op::Eq && rng.below(4) == 0 { w.pool.not(&w.sorts, part) } else { part }
            })
            .collect();
        let body = w.pool.and(&w.sorts, &parts);
        let op = Op::Exists { first: binders[0], count: binders.len() as u32 };
        let t = w.pool.app(op, &[body], w.sorts.bool);
        let e = eliminate(&mut w.pool, &w.sorts, t, 1_000);
        let mut quantified = false;
        w.pool.visit(e, &mut |_, t| quantified |= matches!(t, Term::App(Op::Exists { .. }, _)));
        eliminated += usize::from(!quantified);
        count += 1;
        let all = w.all();
        assert_eq!(w.truth(&all, t), w.truth(&all, e), "seed {seed}");
    }
    assert!(eliminated * 10 > count * 9, "only {eliminated} of {count} were eliminated");
}

/// A condition about texts that are only compared, for an oracle that tries values.
enum Texts {
    Same(usize, usize),
    Not(Box<Texts>),
    Both(Box<Texts>, Box<Texts>),
    Either(Box<Texts>, Box<Texts>),
    /// The next leaf is bound.
    Exists(Box<Texts>),
}

/// Leaves: two constants, two symbols, then what is bound.
const CONSTANTS: [&str; 2] = ["a", ""];

impl Texts {
    fn random(rng: &mut Rng, depth: u32, quantifiers: u32, leaves: usize) -> Texts {
        let pair = |rng: &mut Rng, kind: fn(Box<Texts>, Box<Texts>) -> Texts| {
            let mut part = || Box::new(Texts::random(rng, depth - 1, quantifiers, leaves));
            let (a, b) = (part(), part());
            kind(a, b)
        };
        match if depth == 0 { 9 } else { rng.below(10) } {
            0..=2 if quantifiers > 0 => {
                Texts::Exists(Box::new(Texts::random(rng, depth - 1, quantifiers - 1, leaves + 1)))
            }
            0..=4 => pair(rng, Texts::Both),
            5..=6 => pair(rng, Texts::Either),
            7 => Texts::Not(Box::new(Texts::random(rng, depth - 1, quantifiers, leaves))),
            // What was bound last is what this is about.
            _ => Texts::Same(rng.below(leaves as u64) as usize, leaves - 1 - rng.below(2) as usize),
        }
    }

    fn term(&self, w: &mut World, leaves: &mut Vec<TermId>) -> TermId {
        match self {
            Texts::Same(a, b) => w.test(Op::Eq, &[leaves[*a], leaves[*b]]),
            Texts::Not(part) => {
                let part = part.term(w, leaves);
                w.pool.not(&w.sorts, part)
            }
            Texts::Both(a, b) => {
                let parts = [a.term(w, leaves), b.term(w, leaves)];
                w.pool.and(&w.sorts, &parts)
            }
            Texts::Either(a, b) => {
                let parts = [a.term(w, leaves), b.term(w, leaves)];
                w.pool.or(&w.sorts, &parts)
            }
            Texts::Exists(body) => {
                let first = w.pool.binders.push(w.sorts.string);
                leaves.push(w.pool.bound(&w.sorts, first));
                let body = body.term(w, leaves);
                leaves.pop();
                w.test(Op::Exists { first, count: 1 }, &[body])
            }
        }
    }

    fn holds(&self, values: &mut Vec<u64>, all: u64) -> bool {
        match self {
            Texts::Same(a, b) => values[*a] == values[*b],
            Texts::Not(part) => !part.holds(values, all),
            Texts::Both(a, b) => a.holds(values, all) && b.holds(values, all),
            Texts::Either(a, b) => a.holds(values, all) || b.holds(values, all),
            Texts::Exists(body) => (0..all).any(|value| {
                values.push(value);
                let holds = body.holds(values, all);
                values.pop();
                holds
            }),
        }
    }
}

/// Texts that are only compared: so many values as there are leaves stand for all.
#[test]
fn texts_that_are_only_compared_lose_their_quantifiers() {
    let (mut before, mut after, mut hold, mut checks) = (0, 0, 0, 0);
    for seed in seeds(1, 400) {
        let mut q = Quantified::new(seed, false);
        let texts = Texts::random(&mut q.rng, 4, 3, 4);
        let w = &mut q.world;
        let string = w.sorts.string;
        let mut leaves: Vec<TermId> = CONSTANTS.iter().map(|c| w.pool.constant(Value::string(c), string)).collect();
        // The world has symbols of its own, which come first.
        let others = w.all().swap_remove(0);
        leaves.extend(["s", "t"].map(|name| w.symbol(name, string)));
        let t = texts.term(w, &mut leaves);
        let e = eliminate(&mut w.pool, &w.sorts, t, 2_000);
        before += q.quantifiers(t);
        after += q.quantifiers(e);
        let all = 4 + 3 + 1;
        for s in 0..4 {
            for t in 0..4 {
                let expected = texts.holds(&mut vec![0, 1, s, t], all);
                let text = |n: u64| Value::string(["a", "", "b", "c"][n as usize]);
                let mut symbols = others.clone();
                symbols.extend([text(s), text(t)]);
                assert_eq!(q.eval(e, &symbols), Ok(Value::Bool(expected)), "seed {seed}, {s}, {t}");
                hold += usize::from(expected);
                checks += 1;
            }
        }
    }
    println!("{before} quantifiers, {after} left, {hold} of {checks} times true");
    assert_eq!(after, 0, "of {before}");
    assert!(hold * 5 > checks && hold * 5 < checks * 4, "{hold} of {checks}");
}
