//! Data goals: atoms of guards, true, false and at their boundary.

mod support;

use sioco_plan::{Cover, Goal, Options, plan};
use support::{builtin, example, lines};

#[test]
fn look() {
    for name in [
        "accumulator/accumulator",
        "brp/brp",
        "atm/atm",
        "coffee/coffee",
        "prepaid-card/spec",
        "trace-figures/fig-3-08",
    ] {
        let model = example(name);
        let options = Options { data: true, nodes: 300, ..Options::new(Cover::Switch) };
        let start = std::time::Instant::now();
        let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("a plan");
        println!(
            "{name}: {} purposes, {} steps, {:?} {:?}",
            plan.purposes.len(),
            plan.steps(&model),
            plan.coverage(),
            start.elapsed()
        );
        for line in lines(&model, &plan) {
            println!("     {line}");
        }
        for (g, s) in &plan.goals {
            if !s.is_covered() {
                if let Goal::Atom { switch, atom, side } = g {
                    let t = sioco_plan::want::atoms(&model, *switch)[*atom];
                    println!(
                        "   {} {} {side:?} {s:?}",
                        model.switches[*switch].name,
                        sioco_model::print::term(&model, Some(*switch), t)
                    );
                }
            }
        }
    }
}
