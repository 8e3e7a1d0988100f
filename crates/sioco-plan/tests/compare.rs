//! Two models compared: the statements of S2, and what is known of the examples.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use sioco_lang::check::check_file;
use sioco_lang::source::FsLoader;
use sioco_model::Model;
use sioco_plan::compare::{Compared, Conformance, Options, compare};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

fn model(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    check_file(&path, &FsLoader, &Default::default()).model.unwrap_or_else(|| panic!("{name}")).model
}

fn compared(spec: &Model, implementation: &Model, options: &Options) -> Compared {
    let back_end = BackEnd::default();
    let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
    compare(spec, implementation, &solvers, options, &mut |_| {}).expect("they can be compared")
}

fn show(name: &str, found: &Compared) {
    let c = &found.composition;
    let suite = found.suite.as_ref().unwrap();
    eprintln!(
        "{name} {:?} {:?}; {} pairs {} transitions {} asked; {} tests {} inputs, {:?} open",
        found.work,
        found.asked.asked,
        c.pairs.len(),
        c.transitions.len(),
        found.composed.asked,
        suite.plan.purposes.len(),
        suite.inputs,
        suite.open
    );
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
    let spec = model("brp/brp.sts");
    for (i, known) in [0, 2, 6, 2, 3, 9, 3].into_iter().enumerate() {
        let name = if i == 0 { "brp/brp.sts".to_owned() } else { format!("brp/mutant-{i}.sts") };
        let found = compared(&spec, &model(&name), &Options::default());
        show(&name, &found);
        assert_eq!(length(&found), known, "{name}");
    }
}

#[test]
fn the_learned_card_differs_where_the_rise_is_300() {
    let (spec, learned) = (model("prepaid-card/spec.sts"), model("prepaid-card/impl.sts"));
    let found = compared(&spec, &learned, &Options::default());
    show("card", &found);
    assert_eq!(length(&found), 1);
    assert_eq!(length(&compared(&spec, &spec, &Options::default())), 0);
}

#[test]
fn the_mutants_of_the_ceiling_speed_monitor_differ() {
    let spec = model("ceiling-speed-monitor/csm.sts");
    for (name, known) in [("csm", 0), ("mutant-ex1", 2), ("mutant-ex2", 3), ("mutant-ex3", 3)] {
        let name = format!("ceiling-speed-monitor/{name}.sts");
        let found = compared(&spec, &model(&name), &Options::default());
        show(&name, &found);
        assert_eq!(length(&found), known, "{name}");
    }
}
