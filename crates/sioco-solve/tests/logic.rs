//! Logic on conditions, against the reference evaluator on small domains.

mod support;

use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::number::BigInt;
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{Id, SortId, TermId, Value};
use sioco_solve::logic::{defined, eliminate, not_true, total};
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
        for seed in seeds(1, 250) {
            let mut q = Quantified::new(seed, rich);
            let t = q.condition(4, 3);
            let w = &mut q.world;
            let limit = [0, 50, 2_000][q.rng.below(3) as usize];
            let e = eliminate(&mut w.pool, &w.sorts, t, limit);
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
        println!("rich {rich}: {before} quantifiers, {after} left, {hold} times true");
        assert!(after * 20 < before, "too many quantifiers are left: {after} of {before}");
    }
}
