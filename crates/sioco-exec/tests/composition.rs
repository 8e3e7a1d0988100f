//! S2's theorems on thousands of random pairs of small models, judged by trying everything.

mod mealy;
#[path = "../benches/support/mod.rs"]
mod support;

use mealy::Pair;
use mealy::generate::Kind;
use mealy::judge::{Judgement, inputs, judge};
use sioco_exec::player::{Manners, Player, Unspecified};
use sioco_exec::{NoClock, Settings, Summary, Tester, Verdict, drive};
use sioco_model::Model;
use sioco_plan::Plan;
use sioco_plan::compare::{Compared, Conformance, Cover, Options, compare};
use support::campaign::solvers;

const LENGTH: usize = 3;

fn compared(spec: &Model, imp: &Model, cover: Cover) -> Compared {
    let options = Options { cover, ..Options::default() };
    compare(spec, imp, &solvers, &options, &mut |_| {}).expect("they can be compared")
}

/// Runs a plan against a model that plays the system and refuses what it does not define.
fn run(spec: &Model, plan: &Plan, system: &Model) -> Summary {
    let mut tester = Tester::new(spec, &solvers, plan, Settings::default());
    let manners = Manners { unspecified: Unspecified::Refuse, ..Manners::default() };
    let mut player = Player::new(system).with_manners(manners);
    drive(&mut tester, &mut player, &mut NoClock, &mut |_| {})
}

/// How many inputs show the difference, by whoever says so.
fn known(judgement: &Judgement) -> Option<usize> {
    judgement.inputs().map(<[_]>::len)
}

/// The same for a comparison, or why a solver left it open.
fn found(compared: &Compared) -> Result<Option<usize>, String> {
    match &compared.conformance {
        Conformance::Conforms { .. } => Ok(None),
        Conformance::Differs(difference) => Ok(Some(difference.inputs)),
        Conformance::Unknown { reason, .. } => Err(reason.to_string()),
    }
}

/// Theorem 3 for deterministic models with affine outputs, and definition 6: the comparison finds a difference exactly
/// where there is one, and one of the shortest; the suite fails exactly those that do not conform.
#[test]
fn suites_are_sound_and_exhaustive() {
    const SEEDS: std::ops::Range<u64> = 0..1_000;
    println!("seeds {SEEDS:?}");
    let (mut killed, mut passed, mut unknown) = (0, 0, 0);
    for internal in [false, true] {
        for seed in SEEDS {
            let pair = Pair::new(seed, Kind { choices: false, internal });
            let (spec, imp) = pair.models();
            let judgement = judge(&spec, &imp, &inputs(&spec), LENGTH);
            let t0 = std::time::Instant::now();
            let compared = compared(&spec, &imp, Cover::Length(LENGTH));
            let t1 = t0.elapsed();
            if t1.as_millis() > 300 {
                println!(
                    "{seed} {internal} {t1:?} {} transitions, {:?}",
                    compared.composition.transitions.len(),
                    compared.counters
                );
            }
            match found(&compared) {
                Ok(found) => assert_eq!(found, known(&judgement), "{judgement:?}\n{}", pair.show()),
                Err(_) => {
                    println!("unknown {seed} {internal}");
                    unknown += 1;
                }
            }
            let suite = compared.suite.unwrap_or_else(|none| panic!("{none:?}"));
            if !suite.open.is_empty() {
                println!("open {seed}");
            }
            let summary = run(&spec, &suite.plan, &imp);
            let fails = summary.verdict == Some(Verdict::Fail);
            assert_eq!(fails, !judgement.conforms(), "{judgement:?} {summary:?}\n{}", pair.show());
            assert_ne!(summary.verdict, Some(Verdict::Error), "{summary:?}\n{}", pair.show());
            let own = run(&spec, &suite.plan, &spec);
            assert!(own.verdict.is_none_or(|v| v <= Verdict::WeakPass), "{own:?}\n{}", pair.show());
            killed += usize::from(fails);
            passed += usize::from(!fails);
        }
    }
    println!("{killed} killed, {passed} passed, {unknown} unknown");
    assert!(killed > 400 && passed > 400, "{killed} {passed}");
}
