//! Random formulas over small domains, and what brute force says about them.
#![allow(dead_code)]

pub mod rich;
pub mod scribe;

use std::collections::HashMap;

use sioco_model::number::{BigInt, rational};
use sioco_model::sort::{Constructor, DataType, Field, Sort, Sorts};
use sioco_model::term::{Op, TermPool};
use sioco_model::{Id, SortId, SymbolId, TermId, Value};
use sioco_solve::{Answer, Limits, Solver, Symbol, Symbols, Terms};

/// A small generator of random numbers (SplitMix64): the same on every machine.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as u64) as i64
    }
}

/// Terms under construction.
pub struct World {
    pub pool: TermPool,
    pub sorts: Sorts,
    pub symbols: Symbols,
    pub colour: SortId,
    pub ints: Vec<TermId>,
    pub bools: Vec<TermId>,
    pub enums: Vec<TermId>,
    pub data: Vec<TermId>,
    pub reals: Vec<TermId>,
    /// What terms of reals are made of.
    pub kind: Kind,
}

/// What terms of reals are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Reals only, linear and defined everywhere.
    Linear,
    /// The same with integers, and reals as integers.
    Mixed,
    /// Also what is not linear, or undefined somewhere.
    Rich,
}

/// The domain of every integer symbol.
pub const LO: i64 = -2;
pub const HI: i64 = 4;

impl World {
    /// `ranged`: the integers have their range as a sort; otherwise it has to be asserted.
    pub fn new(ints: usize, bools: usize, enums: usize, ranged: bool) -> World {
        let mut sorts = Sorts::default();
        let data = sorts.data.push(DataType {
            name: "Colour".into(),
            record: false,
            constructors: ["Red", "Green", "Blue"].map(|n| Constructor { name: n.into(), fields: vec![] }).into(),
        });
        let colour = sorts.data_sort(data);
        let mut world = World {
            pool: TermPool::new(),
            sorts,
            symbols: Symbols::new(),
            colour,
            ints: vec![],
            bools: vec![],
            enums: vec![],
            data: vec![],
            reals: vec![],
            kind: Kind::Linear,
        };
        let range = world.sorts.intern(Sort::Int { lo: Some(BigInt::from(LO)), hi: Some(BigInt::from(HI)) });
        for i in 0..ints {
            let sort = if ranged { range } else { world.sorts.int };
            let t = world.symbol(&format!("x{i}"), sort);
            world.ints.push(t);
        }
        for i in 0..bools {
            let t = world.symbol(&format!("b{i}"), world.sorts.bool);
            world.bools.push(t);
        }
        for i in 0..enums {
            let t = world.symbol(&format!("e{i}"), colour);
            world.enums.push(t);
        }
        world
    }

    pub fn symbol(&mut self, name: &str, sort: SortId) -> TermId {
        let y = self.symbols.push(Symbol { name: name.into(), sort });
        self.pool.symbol(y, self.sorts.base(sort))
    }

    /// Adds symbols of `type Reply = Nothing | Pair(a: Int in 0..2, b: Bool)`.
    pub fn add_replies(&mut self, count: usize) {
        let a = self.sorts.intern(Sort::Int { lo: Some(BigInt::from(0)), hi: Some(BigInt::from(2)) });
        let field = |name: &str, sort| Field { name: name.into(), sort };
        let fields = vec![field("a", a), field("b", self.sorts.bool)];
        let data = self.sorts.data.push(DataType {
            name: "Reply".into(),
            record: false,
            constructors: vec![
                Constructor { name: "Nothing".into(), fields: vec![] },
                Constructor { name: "Pair".into(), fields },
            ],
        });
        let reply = self.sorts.data_sort(data);
        for i in 0..count {
            let t = self.symbol(&format!("r{i}"), reply);
            self.data.push(t);
        }
    }

    /// Adds symbols of sort Real, every other one with a range if that is wanted.
    pub fn add_reals(&mut self, count: usize, ranged: bool, kind: Kind) {
        let (lo, hi) = (rational((-3).into(), 2.into()), rational(7.into(), 2.into()));
        let range = self.sorts.intern(Sort::Real { lo, hi });
        for i in 0..count {
            let sort = if ranged && i % 2 == 0 { range } else { self.sorts.real };
            let t = self.symbol(&format!("v{i}"), sort);
            self.reals.push(t);
        }
        self.kind = kind;
    }

    /// A Real.
    pub fn number(&mut self, n: i64, d: i64) -> TermId {
        let value = rational(n.into(), d.into()).expect("a denominator");
        self.pool.constant(Value::real(value), self.sorts.real)
    }

    fn real_arith(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.pool.app(op, args, self.sorts.real)
    }

    /// A random term of sort Real.
    pub fn real_term(&mut self, rng: &mut Rng, depth: u32) -> TermId {
        if depth == 0 || rng.below(3) == 0 {
            if rng.below(3) == 0 {
                let d = [1, 1, 2, 3][rng.below(4) as usize];
                return self.number(rng.between(-4, 5), d);
            }
            return Self::pick(rng, &self.reals.clone());
        }
        let a = self.real_term(rng, depth - 1);
        let b = self.real_term(rng, depth - 1);
        let most = match self.kind {
            Kind::Linear => 11,
            Kind::Mixed => 13,
            Kind::Rich => 16,
        };
        match rng.below(most) {
            0 | 1 => self.real_arith(Op::Add, &[a, b]),
            2 | 3 => self.real_arith(Op::Sub, &[a, b]),
            4 => self.real_arith(Op::Neg, &[a]),
            5 => {
                let k = self.number(rng.between(-3, 3), 1 + rng.below(2) as i64);
                self.real_arith(Op::Mul, &[k, a])
            }
            6 => {
                let k = self.number([-3, -1, 1, 2, 3][rng.below(5) as usize], 1);
                self.real_arith(Op::Quot, &[a, k])
            }
            7 => self.real_arith(Op::Min, &[a, b]),
            8 => self.real_arith(Op::Max, &[a, b]),
            9 => self.real_arith(Op::Abs, &[a]),
            10 => {
                let c = self.bool_term(rng, 0, self.kind == Kind::Rich);
                self.pool.ite(c, a, b)
            }
            11 | 12 => {
                let n = self.int_term(rng, 1, self.kind == Kind::Rich);
                self.real_arith(Op::ToReal, &[n])
            }
            13 => self.real_arith(Op::Mul, &[a, b]),
            14 => self.real_arith(Op::Quot, &[a, b]),
            _ => {
                let (lo, hi) = (rational((-1).into(), 1.into()), rational(5.into(), 2.into()));
                let range = self.sorts.intern(Sort::Real { lo, hi });
                self.real_arith(Op::Checked(range), &[a])
            }
        }
    }

    /// A random comparison of reals.
    fn real_test(&mut self, rng: &mut Rng) -> TermId {
        let a = self.real_term(rng, 2);
        let b = self.real_term(rng, 2);
        let op = [Op::Eq, Op::Lt, Op::Le, Op::Lt, Op::Le][rng.below(5) as usize];
        let c = self.test(op, &[a, b]);
        // Disequalities are conditions as well.
        if rng.below(4) == 0 { self.pool.not(&self.sorts, c) } else { c }
    }

    /// A random condition on replies; fields are undefined for `Nothing`.
    fn reply_term(&mut self, rng: &mut Rng) -> TermId {
        let r = Self::pick(rng, &self.data.clone());
        let sort = self.pool.sort(r);
        match rng.below(6) {
            0 => self.test(Op::Is(rng.below(2) as u32), &[r]),
            1 => self.pool.app(Op::Field(1, 1), &[r], self.sorts.bool),
            2 => {
                let n = rng.below(7);
                let value = self.sorts.nth_value(sort, n).expect("seven replies");
                let value = self.pool.constant(value, sort);
                self.test(Op::Eq, &[r, value])
            }
            3 => {
                let a = self.int_term(rng, 1, true);
                let b = self.bool_term(rng, 0, true);
                let pair = self.pool.app(Op::Construct(1), &[a, b], sort);
                self.test(Op::Eq, &[pair, r])
            }
            4 => {
                let other = Self::pick(rng, &self.data.clone());
                self.test(Op::Eq, &[r, other])
            }
            _ => {
                let field = self.arith(Op::Field(1, 0), &[r]);
                let n = self.int_term(rng, 1, true);
                self.test([Op::Lt, Op::Eq][rng.below(2) as usize], &[field, n])
            }
        }
    }

    pub fn terms(&self) -> Terms<'_> {
        Terms { pool: &self.pool, sorts: &self.sorts, symbols: &self.symbols }
    }

    pub fn int(&mut self, n: i64) -> TermId {
        self.pool.constant(Value::Int(n), self.sorts.int)
    }

    pub fn arith(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.pool.app(op, args, self.sorts.int)
    }

    pub fn test(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.pool.app(op, args, self.sorts.bool)
    }

    /// `lo <= x && x <= hi`
    pub fn between(&mut self, x: TermId, lo: i64, hi: i64) -> TermId {
        let (l, h) = (self.int(lo), self.int(hi));
        let a = self.test(Op::Le, &[l, x]);
        let b = self.test(Op::Le, &[x, h]);
        self.pool.and(&self.sorts, &[a, b])
    }

    fn pick(rng: &mut Rng, of: &[TermId]) -> TermId {
        of[rng.below(of.len() as u64) as usize]
    }

    /// A random integer term; `rich` ones may be undefined or not linear.
    pub fn int_term(&mut self, rng: &mut Rng, depth: u32, rich: bool) -> TermId {
        if depth == 0 || rng.below(3) == 0 {
            return if rng.below(3) == 0 {
                let n = rng.between(-4, 5);
                self.int(n)
            } else {
                Self::pick(rng, &self.ints.clone())
            };
        }
        if !self.reals.is_empty() && self.kind != Kind::Linear && rng.below(6) == 0 {
            let r = self.real_term(rng, 1);
            return self.arith(Op::Floor, &[r]);
        }
        let a = self.int_term(rng, depth - 1, rich);
        let b = self.int_term(rng, depth - 1, rich);
        match rng.below(if rich { 13 } else { 5 }) {
            0 | 1 => self.arith(Op::Add, &[a, b]),
            2 => self.arith(Op::Sub, &[a, b]),
            3 => self.arith(Op::Neg, &[a]),
            4 => {
                let k = rng.between(-3, 3);
                let k = self.int(k);
                self.arith(Op::Mul, &[k, a])
            }
            5 => self.arith(Op::Mul, &[a, b]),
            6 | 7 => {
                let k = rng.between(-3, 3);
                let k = if rng.below(3) == 0 { b } else { self.int(k) };
                let op = if rng.below(2) == 0 { Op::Div } else { Op::Mod };
                self.arith(op, &[a, k])
            }
            8 => self.arith(Op::Min, &[a, b]),
            9 => self.arith(Op::Max, &[a, b]),
            10 => self.arith(Op::Abs, &[a]),
            11 => {
                let c = self.bool_term(rng, 1, rich);
                self.pool.ite(c, a, b)
            }
            _ => {
                let range = self.sorts.intern(Sort::Int { lo: Some(BigInt::from(-2)), hi: Some(BigInt::from(5)) });
                self.arith(Op::Checked(range), &[a])
            }
        }
    }

    /// A random condition.
    pub fn bool_term(&mut self, rng: &mut Rng, depth: u32, rich: bool) -> TermId {
        if rich && !self.data.is_empty() && rng.below(3) == 0 {
            return self.reply_term(rng);
        }
        if !self.reals.is_empty() && (self.ints.is_empty() || rng.below(3) > 0) && rng.below(3) > 0 {
            return self.real_test(rng);
        }
        match rng.below(if depth == 0 { 5 } else { 9 }) {
            0 if !self.bools.is_empty() => Self::pick(rng, &self.bools.clone()),
            1 if !self.enums.is_empty() => {
                let a = Self::pick(rng, &self.enums.clone());
                let c = rng.below(3) as u32;
                match rng.below(3) {
                    0 => self.test(Op::Is(c), &[a]),
                    1 => {
                        let k = self.pool.constant(Value::Enum(c), self.colour);
                        self.test(Op::Eq, &[a, k])
                    }
                    _ => {
                        let b = Self::pick(rng, &self.enums.clone());
                        self.test(Op::Eq, &[a, b])
                    }
                }
            }
            0..=4 if self.ints.is_empty() => self.real_test(rng),
            0..=4 => {
                let a = self.int_term(rng, 2, rich);
                let b = self.int_term(rng, 2, rich);
                let op = [Op::Eq, Op::Lt, Op::Le][rng.below(3) as usize];
                self.test(op, &[a, b])
            }
            5 | 6 => {
                let parts: Vec<TermId> = (0..2 + rng.below(2)).map(|_| self.bool_term(rng, depth - 1, rich)).collect();
                if rng.below(3) == 0 { self.pool.and(&self.sorts, &parts) } else { self.pool.or(&self.sorts, &parts) }
            }
            7 => {
                let a = self.bool_term(rng, depth - 1, rich);
                self.pool.not(&self.sorts, a)
            }
            _ => {
                let [a, b, c] = [0; 3].map(|_| self.bool_term(rng, depth - 1, rich));
                if rng.below(2) == 0 { self.test(Op::Eq, &[a, b]) } else { self.pool.ite(a, b, c) }
            }
        }
    }

    /// A symbol that equals a term over those before it.
    pub fn definition(&mut self, rng: &mut Rng) -> TermId {
        let (term, symbol) = if rng.below(4) == 0 {
            (self.bool_term(rng, 1, true), Self::pick(rng, &self.bools.clone()))
        } else {
            let all = self.ints.clone();
            let at = rng.below(all.len() as u64) as usize;
            self.ints.remove(at);
            let term = if self.ints.is_empty() { self.int(1) } else { self.int_term(rng, 3, true) };
            self.ints = all;
            (term, self.ints[at])
        };
        self.test(Op::Eq, &if rng.below(2) == 0 { [symbol, term] } else { [term, symbol] })
    }

    /// All assignments, with integers between [`LO`] and [`HI`]; of reals only some.
    pub fn all(&self) -> Vec<Vec<Value>> {
        let mut out = vec![vec![]];
        for y in self.symbols.ids() {
            let sort = self.symbols[y].sort;
            let values: Vec<Value> = if self.sorts.base(sort) == self.sorts.int {
                (LO..=HI).map(Value::Int).collect()
            } else if self.sorts.base(sort) == self.sorts.real {
                // The ends of the range, whole numbers, and what lies between.
                let some = [(-3, 1), (-3, 2), (-1, 3), (0, 1), (1, 4), (1, 1), (2, 1), (7, 2)];
                let some = some.map(|(n, d)| Value::real(rational(n.into(), d.into()).expect("a denominator")));
                some.into_iter().filter(|v| self.sorts.contains(sort, v)).collect()
            } else {
                let n = self.sorts.cardinality(sort).expect("a finite sort");
                (0..n).map(|i| self.sorts.nth_value(sort, i).expect("below the cardinality")).collect()
            };
            out = out
                .into_iter()
                .flat_map(|prefix: Vec<Value>| {
                    values.iter().map(move |v| {
                        let mut next = prefix.clone();
                        next.push(v.clone());
                        next
                    })
                })
                .collect();
        }
        out
    }

    /// Which of the assignments make the condition true.
    pub fn truth(&self, all: &[Vec<Value>], conjunct: TermId) -> Vec<bool> {
        all.iter().map(|a| self.terms().satisfies(a, &[conjunct])).collect()
    }
}

/// Those that are in both sets.
pub fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

/// How many seeds a test tries: few by default, more if `SIOCO_SEEDS` says so.
pub fn seeds(from: u64, few: u64) -> std::ops::Range<u64> {
    let count = std::env::var("SIOCO_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(few);
    from..from + count
}

/// The symbol of a term.
pub fn symbol_id(index: usize) -> SymbolId {
    SymbolId::from_index(index)
}

/// Limits that keep tests short.
pub fn limits() -> Limits {
    Limits { resources: 20_000, ..Limits::default() }
}

/// Random pushes, pops, assertions and checks, all answers compared with brute force; the answers.
pub fn walk(seed: u64, rich: bool, ranged: bool, solver: &mut dyn Solver) -> Vec<Option<bool>> {
    walk_by(world(seed, rich, ranged), seed, (rich, ranged, false), solver, &mut |_, _| {})
}

fn world(seed: u64, rich: bool, ranged: bool) -> World {
    let replies = rich && seed.is_multiple_of(3);
    // At most a few thousand assignments, so that brute force stays quick.
    let count = if replies { 1 + seed / 3 % 2 } else { 0 };
    let ints = [2, 2, 1][count as usize] + usize::from(!replies && seed.is_multiple_of(4));
    let mut world = World::new(ints, 1, 1, ranged);
    world.add_replies(count as usize);
    world
}

/// The same, where half of the conditions define a symbol by a term without it.
pub fn walk_with_definitions(seed: u64, ranged: bool, solver: &mut dyn Solver) -> Vec<Option<bool>> {
    walk_by(world(seed, true, ranged), seed, (true, ranged, true), solver, &mut |_, _| {})
}

/// The same with reals, where brute force tries some values only: whatever is said to clash is shown to somebody else.
pub fn walk_with_reals(
    seed: u64,
    kind: Kind,
    ranged: bool,
    solver: &mut dyn Solver,
    clash: &mut dyn FnMut(&World, &[TermId]),
) -> Vec<Option<bool>> {
    let (reals, ints) = match kind {
        Kind::Linear => (2 + seed as usize % 2, 0),
        _ => (2, 1),
    };
    let mut world = World::new(ints, 1, usize::from(reals == 2), ranged);
    world.add_reals(reals, ranged, kind);
    walk_by(world, seed, (kind == Kind::Rich, ranged, false), solver, clash)
}

fn walk_by(
    mut world: World,
    seed: u64,
    (rich, ranged, definitions): (bool, bool, bool),
    solver: &mut dyn Solver,
    confirm: &mut dyn FnMut(&World, &[TermId]),
) -> Vec<Option<bool>> {
    let mut rng = Rng(seed);
    let all = world.all();
    let mut truth: HashMap<TermId, Vec<bool>> = HashMap::new();
    // The conjuncts and the remaining assignments, per level.
    let mut stack: Vec<(Vec<TermId>, Vec<bool>)> = vec![(vec![], vec![true; all.len()])];
    if !ranged {
        for x in world.ints.clone() {
            let c = world.between(x, LO, HI);
            solver.assert(world.terms(), c);
            truth.insert(c, vec![true; all.len()]);
            stack[0].0.push(c);
        }
    }
    let mut answers = Vec::new();
    for step in 0..14 {
        match rng.below(5) {
            0 if stack.len() > 1 => {
                solver.pop();
                stack.pop();
            }
            0 | 1 => {
                solver.push();
                stack.push(stack.last().expect("the base level").clone());
            }
            _ => {
                let defines = definitions && rng.below(2) == 0;
                let c = if defines { world.definition(&mut rng) } else { world.bool_term(&mut rng, 2, rich) };
                solver.assert(world.terms(), c);
                let top = stack.last_mut().expect("the base level");
                top.0.push(c);
                top.1 = both(&top.1, truth.entry(c).or_insert_with(|| world.truth(&all, c)));
            }
        }
        let (conjuncts, solutions) = stack.last().expect("the base level");
        let clash = |core: &[TermId], context: String| {
            assert!(core.iter().all(|c| conjuncts.contains(c)), "{context}");
            let left = core.iter().fold(vec![true; all.len()], |left, c| both(&left, &truth[c]));
            assert!(!left.contains(&true), "{context}: the core has a solution");
        };
        let answer = solver.check(world.terms(), &limits(), true);
        let context = || format!("seed {seed}, rich {rich}, ranged {ranged}, step {step}: {answer:?}");
        match &answer {
            Answer::Sat(witness) => {
                let witness = witness.as_ref().expect("it was asked for");
                answers.push(Some(true));
                assert!(world.terms().satisfies(witness, conjuncts), "{}", context());
            }
            Answer::Unsat(core) => {
                answers.push(Some(false));
                assert!(!solutions.contains(&true), "{}", context());
                confirm(&world, core.as_deref().unwrap_or(conjuncts));
                if let Some(core) = core {
                    clash(core, context());
                }
                // Asked for by itself, it may be another one.
                if let Answer::Unsat(Some(core)) = solver.core(world.terms(), &limits()) {
                    clash(&core, context());
                }
            }
            Answer::Unknown(why) => {
                println!("seed {seed} step {step}: {why}, {}", solutions.contains(&true));
                answers.push(None);
            }
        }
    }
    answers
}
