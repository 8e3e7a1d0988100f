//! Random formulas over small domains, against brute force with the reference evaluator.

use sioco_model::eval::{Env, eval};
use sioco_model::number::rational;

use super::*;

/// A small generator, so that a printed seed gives the same formulas for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

struct Formulas {
    random: Random,
    build: Build,
    ints: Vec<TermId>,
    bools: Vec<TermId>,
    data: Vec<TermId>,
    small: SortId,
    reply: SortId,
    colour: SortId,
}

impl Formulas {
    fn new(seed: u64) -> Formulas {
        let mut build = Build::default();
        let small = build.range(-2, 2);
        let colour = build.data("Colour", &[("Red", &[]), ("Green", &[])]);
        let reply = build.data("Reply", &[("None", &[]), ("Some", &[small, build.sorts.bool])]);
        let ints = vec![build.symbol(small), build.symbol(small)];
        let bools = vec![build.symbol(build.sorts.bool)];
        let data = vec![build.symbol(reply)];
        build.symbol(colour);
        Formulas { random: Random(seed), build, ints, bools, data, small, reply, colour }
    }

    fn pick(&mut self, from: &[TermId]) -> TermId {
        from[self.random.below(from.len())]
    }

    fn int(&mut self, depth: usize) -> TermId {
        let leaf = depth == 0 || self.random.below(5) == 0;
        let kind = self.random.below(if leaf { 3 } else { 17 });
        let b = |f: &mut Self, d: usize| f.int(d.saturating_sub(1));
        match kind {
            0 => {
                let n = self.random.below(7) as i64 - 3;
                self.build.int(n)
            }
            1 | 2 => {
                let from = self.ints.clone();
                self.pick(&from)
            }
            3..=13 => {
                let op =
                    [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max, Op::Add, Op::Div, Op::Neg, Op::Abs]
                        [kind - 3];
                let x = b(self, depth);
                let y = b(self, depth);
                let args = if matches!(op, Op::Neg | Op::Abs) { vec![x] } else { vec![x, y] };
                self.build.app(op, &args)
            }
            14 => {
                let (c, x, y) = (self.bool(depth - 1), b(self, depth), b(self, depth));
                self.build.app(Op::Ite, &[c, x, y])
            }
            15 => {
                let x = b(self, depth);
                self.build.app(Op::Checked(self.small), &[x])
            }
            _ => {
                let d = self.data(depth - 1);
                self.build.app(Op::Field(1, 0), &[d])
            }
        }
    }

    fn data(&mut self, depth: usize) -> TermId {
        match self.random.below(4) {
            0 => self.build.construct(self.reply, 0, &[]),
            1 if depth > 0 => {
                let x = self.int(depth - 1);
                let x = self.build.app(Op::Checked(self.small), &[x]);
                let b = self.bool(depth - 1);
                self.build.construct(self.reply, 1, &[x, b])
            }
            _ => self.data[0],
        }
    }

    fn bool(&mut self, depth: usize) -> TermId {
        let kind = self.random.below(if depth == 0 { 2 } else { 14 });
        match kind {
            0 | 1 => {
                let from = self.bools.clone();
                self.pick(&from)
            }
            2..=6 => {
                let op = [Op::Eq, Op::Lt, Op::Le, Op::Eq, Op::Lt][kind - 2];
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                self.build.app(op, &[x, y])
            }
            7 => {
                let x = self.bool(depth - 1);
                self.build.app(Op::Not, &[x])
            }
            8 | 9 => {
                let parts: Vec<TermId> = (0..2 + self.random.below(2)).map(|_| self.bool(depth - 1)).collect();
                self.build.app(if kind == 8 { Op::And } else { Op::Or }, &parts)
            }
            10 => {
                let d = self.data(depth - 1);
                let c = self.random.below(2) as u32;
                self.build.app(Op::Is(c), &[d])
            }
            11 => {
                let (x, y) = (self.data(depth - 1), self.data(depth - 1));
                self.build.app(Op::Eq, &[x, y])
            }
            12 => {
                let colour = self.build.pool.symbol(SymbolId::from_index(4), self.colour);
                self.build.app(Op::Is(1), &[colour])
            }
            _ => {
                let first = self.build.pool.binders.push(self.small);
                let x = self.build.pool.bound(&self.build.sorts, first);
                self.ints.push(x);
                let body = self.bool(depth - 1);
                self.ints.pop();
                self.build.app(Op::Exists { first, count: 1 }, &[body])
            }
        }
    }
}

/// Formulas over a real, a string, a sequence and an integer.
struct Structured {
    random: Random,
    build: Build,
    real: TermId,
    text: TermId,
    seq: TermId,
    int: TermId,
}

impl Structured {
    fn new(seed: u64) -> Structured {
        let mut build = Build::default();
        let (small, ints) = (build.range(-1, 3), build.sorts.seq(build.sorts.int));
        let real = build.symbol(build.sorts.real);
        let (text, seq, int) = (build.symbol(build.sorts.string), build.symbol(ints), build.symbol(small));
        Structured { random: Random(seed), build, real, text, seq, int }
    }

    fn real(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 2 } else { 6 }) {
            0 => {
                let (n, d) = (self.random.below(7) as i32 - 3, 1 + self.random.below(3) as i32);
                let third = rational(n.into(), d.into()).unwrap();
                self.build.pool.constant(Value::real(third), self.build.sorts.real)
            }
            1 => self.real,
            2 => {
                let n = self.int(depth - 1);
                self.build.app(Op::ToReal, &[n])
            }
            kind => {
                let op = [Op::Add, Op::Sub, Op::Quot][kind - 3];
                let (x, y) = (self.real(depth - 1), self.real(depth - 1));
                self.build.app(op, &[x, y])
            }
        }
    }

    fn int(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 2 } else { 7 }) {
            0 => {
                let n = self.random.below(4) as i64 - 1;
                self.build.int(n)
            }
            1 => self.int,
            2 => {
                let x = self.real(depth - 1);
                self.build.app(Op::Floor, &[x])
            }
            3 => {
                let x = self.text(depth - 1);
                self.build.app(Op::Len, &[x])
            }
            4 => {
                let x = self.seq(depth - 1);
                self.build.app(Op::Len, &[x])
            }
            5 => {
                let (x, i) = (self.seq(depth - 1), self.int(depth - 1));
                self.build.app(Op::Index, &[x, i])
            }
            _ => {
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                self.build.app(Op::Add, &[x, y])
            }
        }
    }

    fn text(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 2 } else { 5 }) {
            0 => {
                let text = ["", "a", "b", "ab"][self.random.below(4)];
                self.build.text(text)
            }
            1 => self.text,
            2 => {
                let (x, y) = (self.text(depth - 1), self.text(depth - 1));
                self.build.app(Op::Concat, &[x, y])
            }
            3 => {
                let (x, i) = (self.text(depth - 1), self.int(depth - 1));
                self.build.app(Op::Index, &[x, i])
            }
            _ => {
                let (x, i, j) = (self.text(depth - 1), self.int(depth - 1), self.int(depth - 1));
                self.build.app(Op::Slice, &[x, i, j])
            }
        }
    }

    fn seq(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 1 } else { 4 }) {
            0 => self.seq,
            1 => {
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                self.build.app(Op::SeqLit, &[x, y])
            }
            2 => {
                let (x, y) = (self.seq(depth - 1), self.seq(depth - 1));
                self.build.app(Op::Concat, &[x, y])
            }
            _ => {
                let (x, i, j) = (self.seq(depth - 1), self.int(depth - 1), self.int(depth - 1));
                self.build.app(Op::Slice, &[x, i, j])
            }
        }
    }

    fn bool(&mut self, depth: usize) -> TermId {
        let d = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 6 } else { 9 }) {
            0 | 1 => {
                let (x, y) = (self.int(d), self.int(d));
                self.build.app(Op::Le, &[x, y])
            }
            2 => {
                let (x, y) = (self.real(d), self.real(d));
                self.build.app(Op::Lt, &[x, y])
            }
            3 => {
                let (x, y) = (self.text(d), self.text(d));
                let op = [Op::Eq, Op::Contains][self.random.below(2)];
                self.build.app(op, &[x, y])
            }
            4 => {
                let (x, y) = (self.seq(d), self.int(d));
                self.build.app(Op::Contains, &[x, y])
            }
            5 => {
                let (x, y) = (self.seq(d), self.seq(d));
                self.build.app(Op::Eq, &[x, y])
            }
            6 => {
                let x = self.bool(d);
                self.build.app(Op::Not, &[x])
            }
            kind => {
                let (x, y) = (self.bool(d), self.bool(d));
                self.build.app(if kind == 7 { Op::And } else { Op::Or }, &[x, y])
            }
        }
    }
}

/// All valuations of the symbols, or a few where there are infinitely many.
fn valuations(build: &Build) -> Vec<Witness> {
    let reals =
        [(-1, 2), (0, 1), (1, 3), (2, 1)].map(|(n, d): (i32, i32)| Value::real(rational(n.into(), d.into()).unwrap()));
    let texts = ["", "a", "b", "ab", "ba", "aa", "aab"].map(Value::string);
    let seqs: [&[i64]; 6] = [&[], &[0], &[1], &[0, 1], &[1, 0], &[2, 1, 0]];
    let seqs = seqs.map(|items| Value::seq(items.iter().map(|n| Value::Int(*n)).collect()));
    let mut all: Vec<Witness> = vec![Vec::new()];
    for symbol in build.symbols.values() {
        let values: Vec<Value> = match build.sorts.get(symbol.sort) {
            Sort::Real { .. } => reals.to_vec(),
            Sort::String => texts.to_vec(),
            Sort::Seq(_) => seqs.to_vec(),
            _ => {
                let n = build.sorts.cardinality(symbol.sort).unwrap();
                (0..n).map(|i| build.sorts.nth_value(symbol.sort, i).unwrap()).collect()
            }
        };
        let extend = |w: &Witness| values.iter().map(|v| [w.clone(), vec![v.clone()]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(extend).collect();
    }
    all
}

fn formulas(seed: u64) -> (Build, Vec<TermId>) {
    let mut formulas = Formulas::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let conjuncts = (0..1 + seed % 3).map(|_| formulas.bool(4)).collect();
    (formulas.build, conjuncts)
}

fn structured(seed: u64) -> (Build, Vec<TermId>) {
    let mut formulas = Structured::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let conjuncts = (0..1 + seed % 3).map(|_| formulas.bool(3)).collect();
    (formulas.build, conjuncts)
}

fn against_brute_force(
    name: &str,
    make: Make<'_>,
    formulas: fn(u64) -> (Build, Vec<TermId>),
    finite: bool,
    seeds: std::ops::Range<u64>,
) {
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for seed in seeds {
        let (build, conjuncts) = formulas(seed);
        let build = &build;
        let terms = build.terms();
        let good = valuations(build).into_iter().find(|w| {
            let env = Env { symbols: w, ..Env::default() };
            let plain = conjuncts.iter().all(|c| eval(terms.pool, terms.sorts, *c, env) == Ok(Value::Bool(true)));
            assert_eq!(plain, terms.satisfies(w, &conjuncts), "seed {seed}: the evaluators differ");
            plain
        });
        // A new one for each: terms may grow, but not be replaced.
        let mut solver = make();
        let limits = Limits { resources: 1_000_000, wall: std::time::Duration::from_secs(5), ..Limits::default() };
        for (i, c) in conjuncts.iter().enumerate() {
            solver.push();
            solver.assert(terms, *c);
            if i % 2 == 1 {
                // Questions on the way must not matter.
                solver.check(terms, &limits, false);
            }
        }
        for want in [false, true] {
            let answer = solver.check(terms, &limits, want);
            let shown =
                || format!("{name}, seed {seed}: {answer:?}, brute force {good:?}, {:?}", written(build, &conjuncts));
            match &answer {
                Answer::Sat(witness) => {
                    assert!(good.is_some() || !finite, "{}", shown());
                    assert!(witness.as_ref().is_none_or(|w| terms.satisfies(w, &conjuncts)), "{}", shown());
                    sat += 1;
                }
                Answer::Unsat(_) => {
                    assert!(good.is_none(), "{}", shown());
                    unsat += 1;
                }
                Answer::Unknown(crate::query::Reason::Broken { .. }) => panic!("{}", shown()),
                Answer::Unknown(why) => {
                    eprintln!("{name}, seed {seed}: {why}");
                    unknown += 1;
                }
            }
        }
    }
    eprintln!("{name}: {sat} sat, {unsat} unsat, {unknown} unknown");
    assert!(sat > 0 && unsat > 0 && unknown * 10 < sat + unsat, "{name}");
}

#[test]
fn no_answer_is_wrong() {
    let from: u64 = std::env::var("SIOCO_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    for_all(&|name, make| {
        let count = if name.contains('-') { 60 } else { 300 };
        eprintln!("{name}: seeds {from} to {}", from + count);
        against_brute_force(name, make, formulas, true, from..from + count);
        against_brute_force(name, make, structured, false, from..from + count);
    });
}
