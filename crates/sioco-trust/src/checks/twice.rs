//! The same seed gives the same campaign, and the number of threads changes nothing.

use sioco_plan::{Cover, Plan, PlanOptions, plan};

use super::solvers::Solvers;
use super::test::Campaign;
use crate::case::Case;
use crate::tally::{Finding, Tally};

/// Does things twice.
pub fn run(case: &Case, solvers: &Solvers, tally: &mut Tally) {
    let find = |tally: &mut Tally, kind: &str, why: String| {
        tally.find(Finding { check: "twice", kind: kind.into(), why, spec: case.spec.clone(), log: None });
    };
    let campaign = Campaign::any(&case.spec, &mut case.rng(200));
    let (Ok(first), Ok(second)) = (campaign.run(case, &solvers.fresh()), campaign.run(case, &solvers.fresh())) else {
        tally.count("twice: too large");
        return;
    };
    tally.count("twice: cases");
    if first.records.len() != second.records.len() {
        let why = format!("{} and {} records", first.records.len(), second.records.len());
        return find(tally, "two campaigns of one seed differ", why);
    }
    for (a, b) in first.records.iter().zip(&second.records) {
        if a.record != b.record {
            return find(tally, "two campaigns of one seed differ", format!("{:?}, then {:?}", a.record, b.record));
        }
    }
    let make = || solvers.make();
    for cover in [Cover::Switch, Cover::Traces(2)] {
        let planned = |workers: usize| -> Option<Plan> {
            let options = PlanOptions { nodes: 300, workers, steering: false, ..PlanOptions::new(cover.clone()) };
            plan(&case.read.model, &make, &options, &mut |_| {}).ok()
        };
        let told = |plan: &Option<Plan>| plan.as_ref().map(|p| format!("{:?} {:?}", p.goals, p.purposes));
        let (one, two) = (told(&planned(1)), told(&planned(2)));
        if one != two {
            return find(tally, "plans differ by the number of threads", format!("{cover}:\n{one:?}\n{two:?}"));
        }
    }
}
