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
    for name in [
        "accumulator/accumulator",
        "brp/brp",
        "atm/atm",
        "atm/atm-two-processes",
        "coffee/coffee",
        "coffee/coffee-free",
        "prepaid-card/spec",
        "ceiling-speed-monitor/csm",
        "trace-figures/fig-5-02",
        "trace-figures/fig-3-08",
        "trace-figures/fig-3-05",
    ] {
        let model = example(name);
        for strict in [true, false] {
            let options = Options { strict, ..Options::new(Cover::Switch) };
            let start = std::time::Instant::now();
            let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("a plan");
            println!(
                "{name} strict {strict}: {} purposes, {} steps, {:?} {:?} {:?}",
                plan.purposes.len(),
                plan.steps(&model),
                plan.coverage(),
                plan.stop,
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
