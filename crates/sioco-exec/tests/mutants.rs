//! The mutants that the measurements use: many, the same each time, and known to be faulty or not without the tester.

#[path = "../benches/support/mod.rs"]
mod support;

use support::distinguish::{Known, distinguish};
use support::{examples, mutate};

#[test]
fn many_mutants_do_not_conform() {
    let mut table = Vec::new();
    let mut sum = [0; 3];
    // Those that are quickly searched; the measurements use all.
    let quick = ["accumulator", "coffee", "fig-3-03", "fig-3-09", "fig-3-16-spec", "spec"];
    for (name, model) in examples::specifications() {
        if std::env::var("SIOCO_SEEDS").is_err() && !quick.contains(&&name[..]) {
            continue;
        }
        assert_eq!(distinguish(&model, &model, 1), Known::Nothing, "{name} conforms to itself");
        let mut counts = [0; 3];
        for mutant in mutate::mutants(&model) {
            let known = distinguish(&model, &mutant.model, 1);
            println!("{name}: {}: {known:?}", mutant.what);
            counts[match known {
                Known::Different(_) => 0,
                Known::Nothing => 1,
                Known::Undefined => 2,
            }] += 1;
        }
        (0..3).for_each(|i| sum[i] += counts[i]);
        table.push((name, counts));
    }
    println!("{table:#?} {sum:?}");
    assert!(sum[0] > 100, "{sum:?}");
}
