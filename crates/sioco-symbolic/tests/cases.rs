//! Questions of the analyses that are not decided as a whole are asked case by case, within limits.

mod support;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sioco_model::{SymbolId, TermId};
use sioco_solve::values::Bounds;
use sioco_solve::{Answer, Limits, Reason, Solver, Terms};
use sioco_symbolic::analysis::{AnalysisOptions, Kind, analyze};
use support::model;

/// Uses up what it is given, and never knows.
struct Tired {
    takes: Duration,
    asked: Arc<Mutex<Vec<u64>>>,
}

impl Solver for Tired {
    fn name(&self) -> String {
        "tired".into()
    }

    fn push(&mut self) {}

    fn pop(&mut self) {}

    fn assert(&mut self, _: Terms<'_>, _: TermId) {}

    fn check(&mut self, _: Terms<'_>, limits: &Limits, _: bool) -> Answer {
        self.asked.lock().expect("nobody panics").push(limits.resources);
        std::thread::sleep(self.takes.min(limits.wall));
        Answer::Unknown(if limits.wall <= self.takes { Reason::Time } else { Reason::Resources })
    }
}

impl Bounds for Tired {
    fn bounds(&mut self, _: SymbolId) -> (Option<i64>, Option<i64>) {
        (None, None)
    }
}

/// Whatever it is called with, there are many cases.
const MODEL: &str = "input a(p: Int)\nprocess P {\n  var x: Int = any\n  var y: Int = any\n  init l {\n    \
    i: ?a(p) [(p > x || p < y) && (p > 2 * y || p < x - 5) && (x > y + 3 || y > x + 2) && (x > 7 || y > 7)] -> l\n    \
    j: ?a(p) [(p > x + 1 || p < y - 2) && (p > 3 * y || p < x - 2) && (x > y || y > x) && (x > 9 || y > 9)] -> l\n  }\n}";

/// What the solver was asked, and how long that took.
fn asked(takes: Duration, limits: &Limits) -> (Vec<u64>, Duration) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let solvers = || -> Box<dyn Bounds> { Box::new(Tired { takes, asked: Arc::clone(&asked) }) };
    let options = AnalysisOptions {
        limits: limits.clone(),
        nodes: 1,
        kinds: vec![Kind::Nondeterminism],
        ..AnalysisOptions::default()
    };
    let started = Instant::now();
    analyze(&model(MODEL), &solvers, &options, &mut |_| {});
    let took = started.elapsed();
    let asked = asked.lock().expect("nobody panics").clone();
    (asked, took)
}

#[test]
fn all_cases_together_take_no_more_than_the_whole() {
    const WHOLE: u64 = 80_000;
    let (asked, _) = asked(Duration::ZERO, &Limits { resources: WHOLE, ..Limits::default() });
    let questions: Vec<&[u64]> = asked.split(|r| *r == WHOLE).collect();
    assert!(questions.iter().any(|cases| !cases.is_empty()), "{asked:?}");
    for cases in questions {
        assert!(cases.iter().sum::<u64>() <= WHOLE, "{asked:?}");
    }
}

#[test]
fn all_cases_together_take_no_longer_than_the_whole() {
    let (takes, wall) = (Duration::from_millis(40), Duration::from_millis(100));
    let (asked, took) = asked(takes, &Limits { resources: 80_000, wall, ..Limits::default() });
    let wholes = asked.iter().filter(|r| **r == 80_000).count() as u32;
    assert!(asked.len() as u32 > wholes, "{asked:?}");
    // On a busy machine, sleeping takes longer.
    assert!(took < wholes * wall * 3, "{took:?} for {wholes} questions");
}
