//! A back-end that writes down everything that it is told and asked, and questions that take a known amount of work.

use std::sync::{Arc, Mutex};

use sioco_model::TermId;
use sioco_model::term::Op;
use sioco_solve::builtin::Builtin;
use sioco_solve::chain::{Chain, Switches};
use sioco_solve::{Answer, Limits, Reason, Solver, Terms};

use super::{World, limits};

/// What a back-end was told, and what it was asked.
#[derive(Default)]
pub struct Told {
    /// The conjuncts of each open level, the base level first.
    pub levels: Vec<Vec<TermId>>,
    /// How often something was asserted.
    pub asserted: usize,
    /// What was on its stack at each question, and what it answered.
    pub asked: Vec<Vec<TermId>>,
    pub answers: Vec<Answer>,
    /// The same for each question for a core.
    pub cores: Vec<Vec<TermId>>,
    /// Answers that it gives before it looks for one itself.
    pub script: Vec<Answer>,
    /// How much work it does for an answer of its own.
    pub work: Option<u64>,
}

/// A back-end that writes everything down, and finds answers by a solver of its own.
pub struct Scribe(pub Arc<Mutex<Told>>);

/// A chain in front of a scribe, and what the scribe writes.
pub fn chain(switches: Switches) -> (Chain, Arc<Mutex<Told>>) {
    let told = Arc::new(Mutex::new(Told { levels: vec![Vec::new()], ..Told::default() }));
    (Chain::with(Some(Box::new(Scribe(told.clone()))), switches), told)
}

impl Scribe {
    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.0.lock().expect("nobody panics with it")
    }
}

impl Solver for Scribe {
    fn name(&self) -> String {
        "scribe".into()
    }
    fn push(&mut self) {
        self.told().levels.push(Vec::new());
    }
    fn pop(&mut self) {
        let mut told = self.told();
        assert!(told.levels.len() > 1, "the base level stays");
        told.levels.pop();
    }
    fn assert(&mut self, _: Terms<'_>, conjunct: TermId) {
        let mut told = self.told();
        told.asserted += 1;
        told.levels.last_mut().expect("a level").push(conjunct);
    }
    fn check(&mut self, terms: Terms<'_>, _: &Limits, want_witness: bool) -> Answer {
        let mut told = self.told();
        let all = told.levels.concat();
        told.asked.push(all.clone());
        let work = Limits { resources: told.work.unwrap_or(2_000), ..Limits::default() };
        let answer = if told.script.is_empty() {
            let mut solver = Builtin::new();
            all.iter().for_each(|c| solver.assert(terms, *c));
            solver.check(terms, &work, want_witness)
        } else {
            told.script.remove(0)
        };
        told.answers.push(answer.clone());
        answer
    }
    fn core(&mut self, terms: Terms<'_>, _: &Limits) -> Answer {
        let mut told = self.told();
        let all = told.levels.concat();
        told.cores.push(all.clone());
        if !told.script.is_empty() {
            return told.script.remove(0);
        }
        let mut solver = Builtin::new();
        all.iter().for_each(|c| solver.assert(terms, *c));
        solver.check(terms, &Limits::default(), false)
    }
}

/// All layers that are looked at here, and none.
pub const ALL: Switches =
    Switches { simplification: true, witness: true, builtin: true, few: true, groups: true, cache: true };
pub const NONE: Switches =
    Switches { simplification: false, witness: false, builtin: false, few: false, groups: false, cache: false };

pub fn ask(chain: &mut Chain, world: &World) -> Answer {
    chain.check(world.terms(), &limits(), true)
}

pub fn is_sat(answer: &Answer) -> bool {
    matches!(answer, Answer::Sat(Some(_)))
}

/// `x < n`, `n < x` and `x == n` for the symbols of a world.
pub fn less(world: &mut World, x: usize, n: i64) -> TermId {
    let (x, n) = (world.ints[x], world.int(n));
    world.test(Op::Lt, &[x, n])
}

pub fn more(world: &mut World, x: usize, n: i64) -> TermId {
    let (x, n) = (world.ints[x], world.int(n));
    world.test(Op::Lt, &[n, x])
}

pub fn below(world: &mut World, x: usize, y: usize) -> TermId {
    let (x, y) = (world.ints[x], world.ints[y]);
    world.test(Op::Lt, &[x, y])
}

/// What the built-in solver may do where nobody else decides, before a back-end is opened, and once one is open.
pub const ALONE: u64 = 50_000;
pub const UNOPENED: u64 = 10_000;
pub const OPENED: u64 = 1_500;

/// Conditions that the built-in solver does not decide with so much work, and does with so much: `x^2 == 2 y^2 + c` within
/// bounds, with a solution or without one. The better it is, the wider the bounds.
pub fn hard(too_little: u64, enough: u64, sat: bool) -> (World, Vec<TermId>) {
    let mut m: i64 = 5;
    while m < 1_000_000 {
        let mut world = World::new(2, 0, 0, false);
        let [x, y] = [world.ints[0], world.ints[1]];
        let [x2, y2] = [x, y].map(|x| world.arith(Op::Mul, &[x, x]));
        let (two, c) = (world.int(2), if sat { m * m - 2 * (m / 2) * (m / 2) } else { 0 });
        let (twice, c) = (world.arith(Op::Mul, &[two, y2]), world.int(c));
        let right = world.arith(Op::Add, &[twice, c]);
        let mut conditions = vec![world.test(Op::Eq, &[x2, right])];
        conditions.extend([x, y].map(|x| world.between(x, 2, m)));
        let decides = |resources: u64| {
            let mut solver = Builtin::new();
            conditions.iter().for_each(|c| solver.assert(world.terms(), *c));
            !matches!(solver.check(world.terms(), &Limits { resources, ..Limits::default() }, true), Answer::Unknown(_))
        };
        if !decides(too_little) && decides(enough) {
            return (world, conditions);
        }
        m += 1 + m / 8;
    }
    panic!("no question takes more work than {too_little} and no more than {enough}");
}

pub fn broken() -> Answer {
    Answer::Unknown(Reason::Broken { solver: "scribe".into(), what: "no".into() })
}
