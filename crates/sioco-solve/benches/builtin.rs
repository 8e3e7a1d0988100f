//! Incremental path conditions as symbolic execution makes them: at every step six sibling guards are asked (push,
//! assert, check, pop), then one of them is taken. Prints microseconds per query and how many were undecided.
//!
//! `cargo bench -p sioco-solve --bench builtin`

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use sioco_model::TermId;
use sioco_model::Value;
use sioco_model::term::Op;
use sioco_solve::builtin::Builtin;
use sioco_solve::chain::Chain;
use sioco_solve::values::{Choice, Request, choose};
use sioco_solve::{Answer, Limits, Solver};
use support::{Rng, World};

/// A path: for every step what always holds, the six guards, and which of them may be taken.
struct Path {
    world: World,
    steps: Vec<(Vec<TermId>, Vec<TermId>)>,
}

/// Every step has a parameter `1 <= p <= 10` that is added to `x`, a flag, and a colour. With `named`, the new value of
/// `x` is a symbol of its own (`x3 == x2 + p3`); otherwise it is an ever longer sum.
fn path(depth: usize, named: bool, rng: &mut Rng) -> Path {
    let mut world = World::new(0, 0, 0, false);
    let mut x = world.int(0);
    let mut flag = world.pool.bool(&world.sorts, false);
    let mut steps = Vec::new();
    for i in 1..=depth {
        let p = world.symbol(&format!("p{i}"), world.sorts.int);
        let colour = world.symbol(&format!("c{i}"), world.colour);
        let bit = world.symbol(&format!("b{i}"), world.sorts.bool);
        let mut always = vec![world.between(p, 1, 10)];
        let sum = world.arith(Op::Add, &[x, p]);
        x = if named {
            let next = world.symbol(&format!("x{i}"), world.sorts.int);
            let definition = world.test(Op::Eq, &[next, sum]);
            always.push(definition);
            next
        } else {
            sum
        };
        let k = world.int(5 * i as i64 + rng.between(-3, 3));
        let far = world.int(11 * i as i64);
        let above = world.test(Op::Lt, &[k, x]);
        let below = world.test(Op::Le, &[x, k]);
        let impossible = world.test(Op::Lt, &[far, x]);
        let red = world.pool.constant(Value::Enum(0), world.colour);
        let is_red = world.test(Op::Eq, &[colour, red]);
        let toggled = world.test(Op::Eq, &[bit, flag]);
        let not_toggled = world.pool.not(&world.sorts, toggled);
        let either = world.pool.or(&world.sorts, &[below, is_red]);
        let seven = world.int(7);
        let large = world.test(Op::Lt, &[seven, p]);
        let both = world.pool.and(&world.sorts, &[large, above]);
        flag = bit;
        steps.push((always, vec![above, below, impossible, not_toggled, either, both]));
    }
    Path { world, steps }
}

fn run(path: &Path, solver: &mut dyn Solver, rng: &mut Rng) -> (u32, u32, u32) {
    let limits = Limits { resources: 20_000, ..Limits::default() };
    let terms = path.world.terms();
    let (mut asked, mut undecided, mut unsat) = (0, 0, 0);
    for (always, guards) in &path.steps {
        solver.push();
        for c in always {
            solver.assert(terms, *c);
        }
        let mut possible = Vec::new();
        for g in guards {
            solver.push();
            solver.assert(terms, *g);
            asked += 1;
            match solver.check(terms, &limits, false) {
                Answer::Sat(_) => possible.push(*g),
                Answer::Unsat(_) => unsat += 1,
                Answer::Unknown(_) => undecided += 1,
            }
            solver.pop();
        }
        if !possible.is_empty() {
            let taken = possible[rng.below(possible.len() as u64) as usize];
            solver.assert(terms, taken);
        }
    }
    for _ in &path.steps {
        solver.pop();
    }
    (asked, undecided, unsat)
}

fn main() {
    println!("{:<10} {:<8} {:>5} {:>10} {:>10} {:>7}", "solver", "values", "depth", "us/query", "undecided", "unsat");
    for (name, named) in [("named", true), ("sums", false)] {
        for depth in [10, 20, 60] {
            for (solver_name, make) in [
                ("built-in", make_builtin as fn() -> Box<dyn Solver>),
                ("chain", make_chain as fn() -> Box<dyn Solver>),
            ] {
                let mut paths: Vec<(Path, Rng, Box<dyn Solver>)> = (0..40)
                    .map(|seed| {
                        let mut rng = Rng(seed);
                        (path(depth, named, &mut rng), rng, make())
                    })
                    .collect();
                let (mut asked, mut undecided, mut unsat) = (0, 0, 0);
                let start = Clock::start();
                for (path, rng, solver) in &mut paths {
                    // The same tree is walked along several paths, as an exploration would.
                    for _ in 0..3 {
                        let (a, u, n) = run(path, solver.as_mut(), rng);
                        asked += a;
                        undecided += u;
                        unsat += n;
                    }
                }
                let spent = start.elapsed();
                println!(
                    "{solver_name:<10} {name:<8} {depth:>5} {:>10.2} {:>9.1}% {:>6.1}%",
                    spent.as_secs_f64() * 1e6 / f64::from(asked),
                    100.0 * f64::from(undecided) / f64::from(asked),
                    100.0 * f64::from(unsat) / f64::from(asked),
                );
            }
        }
    }
    draws();
}

/// Random values of `1 <= x <= 1000 && x mod 7 == 3`.
fn draws() {
    let mut world = World::new(1, 0, 0, false);
    let x = world.ints[0];
    let (seven, three) = (world.int(7), world.int(3));
    let range = world.between(x, 1, 1000);
    let rest = world.arith(Op::Mod, &[x, seven]);
    let rest = world.test(Op::Eq, &[rest, three]);
    let mut solver = Builtin::new();
    solver.assert(world.terms(), range);
    solver.assert(world.terms(), rest);
    let limits = Limits::default();
    let start = Clock::start();
    let count = 20_000;
    let mut seen = std::collections::HashSet::new();
    for seed in 0..count {
        let symbols = [support::symbol_id(0)];
        let request =
            Request { symbols: &symbols, choice: Choice::Random(seed), used: &[], guard: None, limits: &limits };
        if let Ok(chosen) = choose(&mut solver, &mut world.pool, &world.sorts, &world.symbols, request) {
            seen.insert(chosen.values);
        }
    }
    let spent = start.elapsed().as_secs_f64() * 1e6 / count as f64;
    println!("random values: {spent:.2} us each, {} of 143 solutions in {count} draws", seen.len());
}

/// Processor time of this thread where the system tells it, wall time elsewhere: the machine may be busy.
struct Clock(Option<Duration>, Instant);

impl Clock {
    fn start() -> Clock {
        Clock(processor_time(), Instant::now())
    }

    fn elapsed(&self) -> Duration {
        match (self.0, processor_time()) {
            (Some(start), Some(end)) => end - start,
            _ => self.1.elapsed(),
        }
    }
}

fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn make_builtin() -> Box<dyn Solver> {
    Box::new(Builtin::new())
}

fn make_chain() -> Box<dyn Solver> {
    Box::new(Chain::new(None))
}
