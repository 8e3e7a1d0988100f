//! Two models compared: the statements of S2, and what is known of the examples.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sioco_model::Model;
use sioco_plan::compare::{CompareOptions, CompareProgress, Compared, Conformance, Cover, Stage, compare};
use sioco_solve::values::Bounds;
use sioco_solve::{BackEnd, Cancellation, Limits};
use sioco_symbolic::Stop;
use support::{example, has_z3};

fn compared(spec: &Model, implementation: &Model, options: &CompareOptions) -> Compared {
    let solvers = || -> Box<dyn Bounds> { Box::new(BackEnd::Auto.chain()) };
    compare(spec, implementation, &solvers, options, &mut |_| {}).expect("they can be compared")
}

/// How many inputs a shortest distinguishing sequence has; zero if there is none.
fn length(found: &Compared) -> usize {
    match &found.conformance {
        Conformance::Differs(difference) => difference.inputs,
        Conformance::Conforms { proved: true, .. } => 0,
        other => panic!("{other:?}"),
    }
}

#[test]
fn brp_mutants_differ_after_as_many_inputs_as_is_known() {
    let spec = example("brp/brp");
    for (i, known) in [0, 2, 6, 2, 3, 9, 3].into_iter().enumerate() {
        let name = if i == 0 { "brp/brp".to_owned() } else { format!("brp/mutant-{i}") };
        let found = compared(&spec, &example(&name), &CompareOptions::default());
        assert_eq!(length(&found), known, "{name}");
    }
}

#[test]
fn the_learned_card_differs_where_the_rise_is_300() {
    let (spec, learned) = (example("prepaid-card/spec"), example("prepaid-card/impl"));
    let found = compared(&spec, &learned, &CompareOptions::default());
    assert_eq!(length(&found), 1);
    assert_eq!(length(&compared(&spec, &spec, &CompareOptions::default())), 0);
}

#[test]
fn the_mutants_of_the_ceiling_speed_monitor_differ() {
    // Its real numbers are too much for the built-in solver.
    if !has_z3() {
        println!("not tried: there is no Z3");
        return;
    }
    let spec = example("ceiling-speed-monitor/csm");
    for (name, known) in [("csm", 0), ("mutant-ex1", 2), ("mutant-ex2", 3), ("mutant-ex3", 3)] {
        let name = format!("ceiling-speed-monitor/{name}");
        let found = compared(&spec, &example(&name), &CompareOptions::default());
        assert_eq!(length(&found), known, "{name}");
    }
}

/// Other ways to make the paths finite: all of a length, and until a state comes again on the way.
#[test]
fn paths_are_made_finite_in_three_ways() {
    let (spec, imp) = (example("brp/brp"), example("brp/mutant-3"));
    let count = |cover: Cover| {
        let found = compared(&spec, &imp, &CompareOptions { cover, nodes: 3_000, ..CompareOptions::default() });
        let c = &found.composition;
        (c.pairs.len(), c.transitions.len(), c.length, c.stop)
    };
    // Three inputs each time.
    assert_eq!(count(Cover::Length(3)), (40, 39, 3, Stop::Depth));
    let (pairs, transitions, _, stop) = count(Cover::Transitions);
    assert_eq!((transitions, stop), (3 * pairs, Stop::Complete));
    let (more, _, _, stop) = count(Cover::Inclusion);
    assert!(more > pairs && stop == Stop::Nodes, "{more} {stop:?}");
}

/// What is surely different already need not be followed: the suite is smaller, and shows the same.
#[test]
fn paths_may_end_where_outputs_differ() {
    let (spec, imp) = (example("brp/brp"), example("brp/mutant-1"));
    let whole = compared(&spec, &imp, &CompareOptions::default());
    let ended = compared(&spec, &imp, &CompareOptions { until_different: true, ..CompareOptions::default() });
    assert!(whole.composition.pairs.iter().all(|p| !p.ends));
    let c = &ended.composition;
    let ends: Vec<usize> = (0..c.pairs.len()).filter(|p| c.pairs[*p].ends).collect();
    assert!(!ends.is_empty() && c.transitions.iter().all(|t| !ends.contains(&t.from)));
    assert!(c.transitions.len() * 5 < whole.composition.transitions.len(), "{}", c.transitions.len());
    assert_eq!(length(&whole), length(&ended));
}

/// When there is no time any more, the tests that there are by then are the suite, and the goals say what is missing. One
/// question may still end the work on a transition.
#[test]
fn what_was_cut_is_known() {
    let spec = example("prepaid-card/spec");
    let solvers = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain()) };
    let all = compared(&spec, &spec, &CompareOptions::default()).suite.expect("a suite");
    assert!(all.left.is_empty() && all.open.is_empty() && all.plan.coverage().covered == all.plan.goals.len());
    for after in [0, 1, 5] {
        let cancel = Arc::new(AtomicBool::new(false));
        let limits = Limits { cancellation: Cancellation::by(cancel.clone()), ..Limits::default() };
        let options = CompareOptions { limits, ..CompareOptions::default() };
        let mut progress = |p: CompareProgress| {
            let over = p.stage == Stage::Testing && p.steps >= after;
            cancel.store(over, Ordering::Relaxed);
        };
        let found = compare(&spec, &spec, &solvers, &options, &mut progress).expect("they can be compared");
        let suite = found.suite.expect("a suite");
        let coverage = suite.plan.coverage();
        assert_eq!(suite.plan.goals.len(), found.composition.transitions.len());
        assert_eq!((coverage.not_reached, coverage.unknown), (suite.left.len(), suite.open.len()), "{coverage:?}");
        assert!(!suite.left.is_empty() && suite.plan.stop == Stop::Cancelled, "{coverage:?}");
        assert!(suite.plan.purposes.len() < all.plan.purposes.len());
        assert_eq!(suite.plan.purposes.is_empty(), after == 0);
    }
}
