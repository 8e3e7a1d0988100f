//! What the papers say about test purposes.

use std::path::PathBuf;

use sioco_lang::check::check_file;
use sioco_lang::source::FsLoader;
use sioco_model::Model;
use sioco_plan::{Cover, Options, Plan, plan};
use sioco_solve::chain::Chain;
use sioco_solve::values::Bounds;

fn example(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(format!("{name}.sts"));
    let checked = check_file(&path, &FsLoader, &Default::default());
    checked.model.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics)).model
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(Chain::new(None))
}

fn show(model: &Model, plan: &Plan) -> Vec<String> {
    let line = |p: &sioco_plan::Purpose, n| p.line(n).iter().map(|l| l.step.name(model)).collect::<Vec<_>>().join(" ");
    plan.purposes.iter().flat_map(|p| p.accepts().map(|n| line(p, n)).collect::<Vec<_>>()).collect()
}

#[test]
fn look() {
    let covers = [
        ("trace-figures/fig-5-02", Cover::Traces(4)),
        ("trace-figures/fig-3-07", Cover::Traces(2)),
        ("trace-figures/fig-3-08", Cover::Traces(3)),
        ("trace-figures/fig-3-09", Cover::Traces(4)),
        ("trace-figures/fig-3-10", Cover::Traces(3)),
        ("trace-figures/fig-3-11", Cover::Traces(3)),
        ("trace-figures/fig-3-12", Cover::Traces(3)),
        ("trace-figures/fig-3-13", Cover::Traces(2)),
        ("trace-figures/fig-3-14", Cover::Traces(3)),
        ("trace-figures/fig-5-11", Cover::Traces(2)),
        ("trace-figures/fig-5-12", Cover::Traces(2)),
        ("atm/atm", Cover::Inclusion(1)),
        ("atm/atm-two-processes", Cover::Reduced),
        ("coffee/coffee", Cover::Paths(3)),
        ("coffee/coffee", Cover::Random(3)),
        ("brp/brp", Cover::Location),
    ];
    for (name, cover) in covers {
        let model = example(name);
        for strict in [true, false] {
            let options = Options { strict, ..Options::new(cover.clone()) };
            let start = std::time::Instant::now();
            let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("a plan");
            println!(
                "{name} {cover} strict {strict}: {} purposes, {} steps, {:?} {:?} {:?} {:?}",
                plan.purposes.len(),
                plan.steps(&model),
                plan.length,
                plan.stop,
                plan.counts,
                start.elapsed()
            );
            println!("   {:?}", plan.steering);
            for line in show(&model, &plan) {
                println!("     {line}");
            }
            for (g, s) in &plan.goals {
                if !s.is_covered() {
                    println!("   {g:?} {s:?}");
                }
            }
        }
    }
}
