//! The work on one seed: which checks it gets, and one check at a time.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use sioco_solve::BackEnd;

use crate::case::Case;
use crate::checks::solvers::Solvers;
use crate::checks::{compare, explore, journal, judge, replay, test, twice};
use crate::lines::DoneLine;
use crate::rng::Rng;
use crate::tally::{Finding, Tally};

/// A part of the campaign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// In process: the built-in solver, Z3 as a library, and solvers that do not know.
    Models,
    /// With solvers as child processes.
    Child,
    /// With solvers that die, hang or print garbage.
    Hanging,
    /// Journals that are cut at every byte.
    Journals,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 4] = [Part::Models, Part::Child, Part::Hanging, Part::Journals];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Part::Models => "models",
            Part::Child => "child",
            Part::Hanging => "hanging",
            Part::Journals => "journals",
        }
    }

    /// The part with a name.
    pub fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|p| p.name() == name)
    }
}

/// The checks, by their names. Those behind the solver are checks with that solver.
pub const CHECKS: [&str; 21] = [
    "model",
    "judge",
    "test",
    "plan",
    "compare",
    "replay",
    "twice",
    "journal",
    "judge-z3",
    "test-z3",
    "judge-weary",
    "judge-exhausted",
    "test-weary",
    "judge-z3-child",
    "test-z3-child",
    "judge-cvc5",
    "test-cvc5",
    "judge-dying",
    "judge-garbage",
    "judge-hanging",
    "test-dying",
];

/// Solvers that break down, as command lines.
const DYING: &str = "sh -c 'read line; exit 3'";
const GARBAGE: &str = "sh -c 'while read line; do echo \"(sat) unsat )(\"; done'";
const HANGING: &str = "sh -c 'while read line; do :; done'";

/// The checks of a seed in a part. The dearer ones are for a share of the seeds.
pub fn checks(part: Part, seed: u64) -> Vec<&'static str> {
    let mut rng = Rng::of(seed, 900);
    let mut share = |percent: u64, check: &'static str| if rng.chance(percent) { Some(check) } else { None };
    let chosen = match part {
        Part::Models => vec![
            Some("model"),
            Some("judge"),
            Some("test"),
            share(20, "plan"),
            share(12, "compare"),
            share(40, "replay"),
            share(10, "twice"),
            share(6, "judge-z3"),
            share(3, "test-z3"),
            share(25, "judge-weary"),
            share(25, "judge-exhausted"),
            share(20, "test-weary"),
        ],
        Part::Child if seed.is_multiple_of(2) => {
            vec![Some("model"), Some("judge-z3-child"), share(30, "test-z3-child")]
        }
        Part::Child => vec![Some("model"), Some("judge-cvc5"), share(30, "test-cvc5")],
        Part::Hanging => match seed % 4 {
            0 => vec![Some("model"), Some("judge-dying")],
            1 => vec![Some("model"), Some("judge-garbage")],
            2 => vec![Some("model"), Some("test-dying")],
            _ => vec![Some("model"), Some("judge-hanging")],
        },
        Part::Journals => vec![Some("model"), Some("journal")],
    };
    chosen.into_iter().flatten().collect()
}

/// The solvers of a check: the name says which.
fn solvers(check: &str) -> Solvers {
    let command = |line: &str| Solvers::of(BackEnd::parse(line).expect("it is a command line"));
    match check.split_once('-').map(|(_, solver)| solver) {
        None => Solvers::builtin(),
        Some("z3") => Solvers::of(BackEnd::Z3),
        Some("weary") => Solvers::builtin().weary(10),
        Some("exhausted") => Solvers::builtin().weary(100),
        Some("z3-child") => command("z3 -in"),
        Some("cvc5") => command("cvc5"),
        // What they leave open is nobody's fault, so that nothing definite is no finding.
        Some("dying") => command(DYING).broken(),
        Some("garbage") => command(GARBAGE).broken(),
        Some("hanging") => command(HANGING).broken(),
        Some(other) => panic!("there is no solver {other}"),
    }
}

thread_local! {
    /// The last panic of this thread, and where.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics become findings and are not printed.
pub fn catch_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with(|last| *last.borrow_mut() = info.to_string());
    }));
}

/// What came of a check.
pub struct Done {
    /// What was counted and found.
    pub tally: Tally,
    /// How long it took.
    pub micros: u64,
    /// Questions to solvers.
    pub asked: u64,
}

/// Runs a check on the case of a seed.
pub fn run(check: &'static str, seed: u64) -> Done {
    let began = Instant::now();
    let mut tally = Tally::default();
    let solvers = solvers(check);
    let case = match Case::of(seed) {
        Ok(case) => case,
        Err(why) => {
            if check == "model" {
                tally.count("model: not read");
                let spec = crate::case::model(seed);
                tally.find(Finding { check, kind: "a model is not read".into(), why, spec, log: None });
            }
            return Done { tally, micros: 0, asked: 0 };
        }
    };
    let looked = catch_unwind(AssertUnwindSafe(|| {
        let mut tally = Tally::default();
        one(check, &case, &solvers, &mut tally);
        tally
    }));
    match looked {
        Ok(found) => tally = found,
        Err(_) => {
            let why = PANIC.with(|last| last.borrow().clone());
            tally.find(Finding { check, kind: "panic".into(), why, spec: case.spec.clone(), log: None });
        }
    }
    for finding in &mut tally.findings {
        finding.check = check;
    }
    Done { tally, micros: began.elapsed().as_micros() as u64, asked: solvers.asked() }
}

fn one(check: &'static str, case: &Case, solvers: &Solvers, tally: &mut Tally) {
    match check.split('-').next().unwrap_or_default() {
        "model" => {
            tally.count("model: all");
            for feature in case.features() {
                tally.count(format!("feature: {feature:?}"));
            }
        }
        "judge" => judge::run(case, solvers, check, tally),
        "test" => test::run(case, solvers, check, tally),
        "plan" => explore::run(case, solvers, tally),
        "compare" => compare::run(case, solvers, tally),
        "replay" => replay::run(case, solvers, tally),
        "twice" => twice::run(case, solvers, tally),
        "journal" => journal::run(case, solvers, tally),
        other => panic!("there is no check {other}"),
    }
}

impl Done {
    /// As a line.
    pub fn line(&self, seed: u64) -> DoneLine {
        let findings = self.tally.findings.iter().map(|f| f.line(seed)).collect();
        DoneLine { asked: self.asked, counts: self.tally.counts.clone(), findings, micros: self.micros }
    }
}
