//! What the papers say about symbolic execution of their examples.

use std::path::Path as FilePath;

use sioco_lang::check::check_file;
use sioco_lang::source::FsLoader;
use sioco_model::{Model, Value};
use sioco_solve::back_end::BackEnd;
use sioco_solve::values::{Bounds, Choice};
use sioco_symbolic::{Options, Path, Reach, Stop, explore, named_steps, reach};

fn example(name: &str) -> Model {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let checked = check_file(&file, &FsLoader, &Default::default());
    checked.model.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics)).model
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

fn way(model: &Model, names: &[&str]) -> Reach {
    let steps = named_steps(model, names).expect("a path");
    reach(&mut Path::new(model, &builtin), &steps, Choice::Min)
}

fn conditions(model: &Model, names: &[&str]) -> Vec<String> {
    let mut path = Path::new(model, &builtin);
    for step in named_steps(model, names).expect("a path") {
        path.advance(step);
    }
    path.written_out().iter().map(|c| path.show(c.term)).collect()
}

/// S0 example 13: from the initial state, `r0` is possible, `r1` starts elsewhere and `r2` is not enabled.
#[test]
fn accumulator_first_step() {
    let model = example("accumulator/accumulator.sts");
    assert!(matches!(way(&model, &["r0"]), Reach::Reachable(_)));
    let Reach::Impossible { at: 0, clash } = way(&model, &["r2"]) else { panic!("finish is not enabled") };
    assert_eq!(clash.len(), 1);
    assert_eq!(clash[0].text, "x > 15");
    assert_eq!(clash[0].values.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>(), [Value::Int(0)]);
    assert!(named_steps(&model, &["r1"]).is_err());
}

/// S0 examples 15 and 17: `r0 r1 r0 r1 r2` has the path condition of the paper, `r0 r1 r2` is impossible.
#[test]
fn accumulator_paths() {
    let model = example("accumulator/accumulator.sts");
    let Reach::Reachable(solved) = way(&model, &["r0", "r1", "r0", "r1", "r2"]) else { panic!() };
    let values: Vec<Vec<Value>> = solved.steps.iter().map(|(_, v)| v.clone()).collect();
    let int = |n| vec![Value::Int(n)];
    assert_eq!(values, [int(6), int(6), int(10), int(16), vec![]]);
    let shown = conditions(&model, &["r0", "r1", "r0", "r1", "r2"]);
    assert_eq!(shown, ["p#1 >= 1", "p#1 <= 10", "p#3 >= 1", "p#3 <= 10", "p#1 + p#3 > 15"]);
    let Reach::Impossible { at: 2, clash } = way(&model, &["r0", "r1", "r2"]) else { panic!() };
    assert_eq!(clash.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["p#1 <= 10", "p#1 > 15"]);
}

/// S1 figure 3.4: with the least values, 55 and 55.
#[test]
fn figure_3_4() {
    let model = example("trace-figures/fig-3-04.sts");
    let Reach::Reachable(solved) = way(&model, &["?a", "?b", "T1", "T2", "T3", "!c"]) else { panic!() };
    assert_eq!(solved.steps[0].1, [Value::Int(55)]);
    assert_eq!(solved.steps[1].1, [Value::Int(55)]);
}

/// S1 figures 3.5 and 3.6: `!a ?b` and `?input !output` are impossible, by these conditions.
#[test]
fn figures_3_5_and_3_6() {
    let texts = |reach: Reach| match reach {
        Reach::Impossible { at: 1, clash } => clash.into_iter().map(|c| c.text).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(texts(way(&example("trace-figures/fig-3-05.sts"), &["!a", "?b"])), ["_y#1 <= 5", "_y#1 > 5"]);
    assert_eq!(texts(way(&example("trace-figures/fig-3-06.sts"), &["?input_", "!output_"])), ["c >= 4"]);
}

/// S3 example 3: in the restriction by inclusion of the ATM every state after the second step is included in the
/// initial one.
#[test]
fn atm_restriction_by_inclusion() {
    let model = example("atm/atm.sts");
    let found = explore(&model, &builtin, &Options::default(), &mut |_| {});
    assert_eq!(found.stop, Stop::Complete);
    let graph = &found.graph;
    let included: Vec<(String, usize)> = graph
        .ids()
        .filter(|n| graph.included_in(*n) == Some(graph.root()))
        .map(|n| (graph.step(n).expect("a step").name(&model), graph.depth(n)))
        .collect();
    let expected =
        [("put", 1), ("pay", 2), ("pay_cost", 2), ("refuse", 2), ("answer", 2)].map(|(s, d)| (s.to_string(), d));
    assert_eq!(included, expected);
}
