//! How long questions along a path take: six sibling guards per step, each pushed, asked and popped.
//!
//! `cargo run --release -p sioco-solve --example path [depth] [command line of a solver]`

use std::time::Instant;

use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, TermPool};
use sioco_model::{TermId, Value};
use sioco_solve::smt::process::ProcessSolver;
use sioco_solve::smt::z3::{self, Z3Solver};
use sioco_solve::{Answer, Limits, Solver, Symbol, Symbols, Terms};

fn main() {
    let depth = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let mut solver: Box<dyn Solver> = match std::env::args().nth(2) {
        Some(command) => Box::new(ProcessSolver::new(&command).expect("a command line")),
        None => Box::new(Z3Solver::new(&z3::find().0.expect("a Z3 library, see `sioco doctor`"))),
    };
    // The first round also pays for starting the solver.
    for want_witness in [false, false, true] {
        path(&mut *solver, depth, want_witness);
    }
}

fn path(solver: &mut dyn Solver, depth: usize, want_witness: bool) {
    let mut sorts = Sorts::default();
    let (mut pool, mut symbols) = (TermPool::new(), Symbols::new());
    let small = sorts.intern(Sort::Int { lo: Some(0.into()), hi: Some(10.into()) });
    let int = |pool: &mut TermPool, n: i64| pool.constant(Value::Int(n), sorts.int);
    let (mut x, mut y) = (int(&mut pool, 0), int(&mut pool, 0));
    let limits = Limits::default();
    let (mut sat, mut unsat, mut questions) = (0, 0, 0u32);
    let started = Instant::now();
    for step in 0..depth {
        let id = symbols.push(Symbol { name: format!("p#{step}"), sort: small });
        let p = pool.symbol(id, sorts.int);
        x = pool.app(Op::Add, &[x, p], sorts.int);
        let spread = pool.app(Op::Sub, &[x, y], sorts.int);
        let (lo, hi) = (int(&mut pool, step as i64), int(&mut pool, 5 * step as i64 + 3));
        let zero = int(&mut pool, 0);
        let guards: Vec<TermId> = vec![
            pool.app(Op::Le, &[lo, x], sorts.bool),
            pool.app(Op::Lt, &[x, lo], sorts.bool),
            pool.app(Op::Lt, &[spread, hi], sorts.bool),
            pool.app(Op::Le, &[hi, spread], sorts.bool),
            pool.app(Op::Eq, &[p, zero], sorts.bool),
            pool.app(Op::Lt, &[x, y], sorts.bool),
        ];
        let terms = Terms { pool: &pool, sorts: &sorts, symbols: &symbols };
        for guard in &guards {
            solver.push();
            solver.assert(terms, *guard);
            questions += 1;
            match solver.check(terms, &limits, want_witness) {
                Answer::Sat(_) => sat += 1,
                Answer::Unsat(_) => unsat += 1,
                Answer::Unknown(why) => panic!("{why}"),
            }
            solver.pop();
        }
        solver.push();
        solver.assert(terms, guards[0]);
        solver.assert(terms, guards[2]);
        y = pool.app(Op::Add, &[y, lo], sorts.int);
    }
    let each = started.elapsed() / questions;
    (0..depth).for_each(|_| solver.pop());
    let witness = if want_witness { ", with witnesses" } else { "" };
    println!("{}: depth {depth}{witness}: {each:?} per question ({sat} sat, {unsat} unsat)", solver.name());
}
