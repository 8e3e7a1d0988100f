//! The built-in solver against brute force: never sat against unsat, and every witness satisfies.

mod support;

use std::collections::HashMap;

use sioco_model::TermId;
use sioco_solve::builtin::Builtin;
use sioco_solve::{Answer, Limits, Solver};
use support::{HI, LO, Rng, World, both, seeds};

fn limits() -> Limits {
    Limits { resources: 20_000, ..Limits::default() }
}

/// Random pushes, pops, assertions and checks; how many checks, and how many of them were undecided.
fn walk(seed: u64, rich: bool, ranged: bool, solver: &mut dyn Solver) -> (u32, u32) {
    let mut rng = Rng(seed);
    let mut world = World::new(if seed % 4 == 0 { 3 } else { 2 }, 1, 1, ranged);
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
    let (mut checks, mut undecided) = (0, 0);
    for step in 0..14 {
        match rng.below(5) {
            0 if stack.len() > 1 => {
                solver.pop();
                stack.pop();
            }
            0 | 1 => {
                solver.push();
                stack.push(stack.last().unwrap().clone());
            }
            _ => {
                let c = world.bool_term(&mut rng, 2, rich);
                solver.assert(world.terms(), c);
                let top = stack.last_mut().unwrap();
                top.0.push(c);
                top.1 = both(&top.1, truth.entry(c).or_insert_with(|| world.truth(&all, c)));
            }
        }
        let (conjuncts, solutions) = stack.last().unwrap();
        checks += 1;
        let answer = solver.check(world.terms(), &limits(), true);
        let context = || format!("seed {seed}, rich {rich}, ranged {ranged}, step {step}: {answer:?}");
        match &answer {
            Answer::Sat(witness) => {
                let witness = witness.as_ref().expect("it was asked for");
                assert!(world.terms().satisfies(witness, conjuncts), "{}", context());
            }
            Answer::Unsat(core) => {
                assert!(!solutions.contains(&true), "{}", context());
                if let Some(core) = core {
                    assert!(core.iter().all(|c| conjuncts.contains(c)), "{}", context());
                    let left = core.iter().fold(vec![true; all.len()], |left, c| both(&left, &truth[c]));
                    assert!(!left.contains(&true), "{}: the core has a solution", context());
                }
            }
            Answer::Unknown(why) => {
                println!("seed {seed} step {step}: {why}, {}", solutions.contains(&true));
                undecided += 1;
            }
        }
    }
    (checks, undecided)
}

fn agrees(seeds: std::ops::Range<u64>, rich: bool, most_undecided: f64) {
    let (mut checks, mut undecided) = (0, 0);
    for seed in seeds {
        for ranged in [false, true] {
            let (c, u) = walk(seed, rich, ranged, &mut Builtin::new());
            checks += c;
            undecided += u;
        }
    }
    println!("rich {rich}: {checks} checks, {undecided} undecided");
    assert!(f64::from(undecided) <= most_undecided * f64::from(checks), "{undecided} of {checks} undecided");
}

#[test]
fn linear_conditions_agree_with_brute_force() {
    agrees(seeds(0, 20), false, 0.0);
}

#[test]
fn partial_and_nonlinear_conditions_agree_with_brute_force() {
    agrees(seeds(1_000, 20), true, 0.02);
}
