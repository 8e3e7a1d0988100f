//! The Ceiling Speed Monitor and its faulty implementations, and suites that are run against them.

use sioco_exec::player::{Manners, Player, Unspecified};
use sioco_exec::{Driver, NoClock, Settings, Verdict, drive};
use sioco_model::Model;
use sioco_plan::compare::{self, compare};
use sioco_plan::{Cover, Plan, inputs};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;
use sioco_symbolic::explore::Stop;

use super::examples::example;

/// The best solver that there is.
pub fn solvers() -> Box<dyn Bounds> {
    Box::new(BackEnd::Auto.chain())
}

/// The specification, and nine implementations that do not conform to it: six as S2 describes its own, and the three
/// published mutants.
pub fn subjects() -> (Model, Vec<(String, Model)>) {
    let names = (1..=6).map(|n| format!("impl-{n}")).chain((1..=3).map(|n| format!("mutant-ex{n}")));
    let load = |name: String| {
        let model = example(&format!("ceiling-speed-monitor/{name}.sts"));
        (name, model)
    };
    (example("ceiling-speed-monitor/csm.sts"), names.map(load).collect())
}

/// The suite of the composition, and what it took.
pub struct Composed {
    pub plan: Plan,
    /// How many inputs its tests have together.
    pub inputs: usize,
    /// The transitions of the composition: S2's steps.
    pub steps: usize,
    /// Questions to a solver for the composition, and how many of them got to the back-end.
    pub asked: u64,
    pub back_end: u64,
}

/// Makes it.
pub fn composed(spec: &Model, imp: &Model) -> Composed {
    let found =
        compare(spec, imp, &solvers, &compare::CompareOptions::default(), &mut |_| {}).expect("they can be compared");
    let suite = found.suite.expect("outputs have a degree");
    let counters = found.composed;
    Composed {
        plan: suite.plan,
        inputs: suite.inputs,
        steps: found.composition.transitions.len(),
        asked: counters.asked,
        back_end: counters.chain.back_end.asked,
    }
}

/// Random tests with so many inputs each.
pub fn random(spec: &Model, lengths: &[usize], seed: u64) -> Plan {
    let purposes = inputs::random(spec, lengths, seed).expect("inputs can be followed");
    Plan {
        cover: Cover::Inputs(lengths.len()),
        strict: false,
        goals: Vec::new(),
        purposes,
        length: None,
        steering: None,
        stop: Stop::Complete,
        counts: Default::default(),
    }
}

/// Whether a suite fails a model that plays the system. What it does not define, it refuses.
pub fn is_killed(spec: &Model, plan: &Plan, system: &Model) -> bool {
    let settings = Settings { fail_fast: true, ..Settings::default() };
    let mut tester = Driver::new(spec, &solvers, plan, settings);
    let manners = Manners { unspecified: Unspecified::Refuse, ..Manners::default() };
    let mut player = Player::new(system).with_manners(manners);
    let summary = drive(&mut tester, &mut player, &mut NoClock, &mut |_| {});
    match summary.verdict {
        Some(Verdict::Fail) => true,
        Some(Verdict::Error) => panic!("a fault of the tool: {summary:?}"),
        _ => false,
    }
}
