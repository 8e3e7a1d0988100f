//! Hostile models: whatever a model is, every command ends when it is asked to, within its memory, and does not break down.
//!
//! `cargo xtask zoo` runs all commands on all models; a part of that is here.
#![cfg(target_os = "linux")]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// `cargo xtask zoo` uses more of it.
#[allow(dead_code)]
mod keeper;
mod models;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use keeper::{DEEDS, Deed, Keeper, Wish};
use models::Animal;

/// A build for tests is slower, and so is a machine that does something else.
const MOST: Duration = Duration::from_secs(2);
/// What the commands are told that they may use, and what they may use in the end, in megabytes.
const MEMORY: u64 = 256;
const PEAK: u64 = 768;

fn keeper(name: &str) -> Keeper {
    Keeper {
        sioco: env!("CARGO_BIN_EXE_sioco").into(),
        folder: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("zoo-{name}")),
        after: Duration::from_millis(300),
        memory: MEMORY,
        space: 6 * 1024,
        patience: Duration::from_secs(60),
    }
}

fn run(name: &str, cases: &[(&Animal, &Deed, Wish)]) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (next, keeper) = (&next, keeper(&format!("{name}-{thread}")));
            scope.spawn(move || {
                while let Some((animal, deed, wish)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = keeper.run(&animal.text, deed, *wish).unwrap();
                    let what = format!("{} {} {wish:?}", animal.name, deed.name);
                    assert_eq!(outcome.complaint(MOST, PEAK << 20), None, "{what}: {outcome:#?}");
                    // Whoever is asked by a signal, and has something to show, says so.
                    if let (Wish::Signal(_), Some(_), Some(code)) = (*wish, outcome.wall, outcome.status.code())
                        && deed.time.is_some()
                    {
                        assert!([0, 1, 2, 3, 4, 130].contains(&code), "{what}: {outcome:#?}");
                    }
                }
            });
        }
    });
}

/// One command for each model, another one for each, by a signal and by its own limit.
#[test]
fn whatever_the_model_is_commands_end_when_asked() {
    let zoo = models::all();
    assert!(zoo.len() >= 60, "{}", zoo.len());
    let explorers: Vec<&Deed> = DEEDS.iter().filter(|d| d.time.is_some()).collect();
    let mut cases = Vec::new();
    for (i, animal) in zoo.iter().enumerate() {
        let wish = if i % 2 == 0 { Wish::Signal("INT") } else { Wish::Time };
        cases.push((animal, explorers[i % explorers.len()], wish));
    }
    run("part", &cases);
}

/// What the reports were about, each with the commands that did not end.
#[test]
fn what_did_not_end_does() {
    let zoo = models::all();
    let mut cases = Vec::new();
    for (name, deeds) in [
        ("interleaving-6", &["plan", "test"][..]),
        ("cubes", &["plan", "analyze", "explore"]),
        ("chain-of-100000", &["explore"]),
        ("guards-3000-with-else", &["analyze"]),
        ("conjuncts-50000", &["plan"]),
        ("variables-20000", &["plan"]),
        ("instances-10000", &["explore"]),
    ] {
        let animal = zoo.iter().find(|a| a.name == name).unwrap();
        for deed in DEEDS.iter().filter(|d| deeds.contains(&d.name)) {
            cases.push((animal, deed, Wish::Signal("TERM")));
        }
    }
    run("reports", &cases);
}

/// The steps of processes in parallel are the same in any order.
#[test]
fn interleavings_are_not_enumerated() {
    let zoo = models::all();
    let animal = zoo.iter().find(|a| a.name == "interleaving-6").unwrap();
    let plan = DEEDS.iter().find(|d| d.name == "plan").unwrap();
    // It ends by itself, however long that takes on a busy machine.
    let keeper = Keeper { after: Duration::from_secs(600), ..keeper("interleavings") };
    let outcome = keeper.run(&animal.text, plan, Wish::Time).unwrap();
    assert_eq!(outcome.status.code(), Some(0), "{outcome:#?}");
    assert!(outcome.stdout.contains("12 of 12 switches covered"), "{outcome:#?}");
    assert!(!outcome.stdout.contains("cut  "), "{outcome:#?}");
}

/// Whatever takes the memory: where there is none left, the command shows what it has, and says so.
#[test]
fn memory_is_counted_whatever_takes_it() {
    let zoo = models::all();
    // Each of its states is large, and there are many.
    let animal = zoo.iter().find(|a| a.name == "instances-3000").unwrap();
    for name in ["explore", "analyze", "plan"] {
        let deed = DEEDS.iter().find(|d| d.name == name).unwrap();
        let keeper = Keeper { after: Duration::from_secs(600), memory: 48, ..keeper("memory") };
        let outcome = keeper.run(&animal.text, deed, Wish::Time).unwrap();
        assert!(outcome.wall.is_none() && outcome.status.code().is_some(), "{name}: {outcome:#?}");
        assert!((outcome.stdout.clone() + &outcome.stderr).contains("memory"), "{name}: {outcome:#?}");
        assert!(outcome.peak < 300 << 20, "{name}: {}", outcome.peak);
    }
}
