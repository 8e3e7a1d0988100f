//! Solvers that are none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::*;
use crate::query::Reason;

/// Far more than any of these should take, and far less than they would take if anything waited for them.
const GENEROUS: Duration = Duration::from_secs(20);

fn question() -> (Build, TermId) {
    let mut b = Build::default();
    let x = b.symbol(b.sorts.int);
    let five = b.int(5);
    let c = b.app(Op::Lt, &[x, five]);
    (b, c)
}

#[track_caller]
fn check(command: &str, words: &[&str]) {
    let (b, c) = question();
    let started = Instant::now();
    let mut solver = ProcessSolver::with_start_limit(command, Duration::from_millis(500)).unwrap();
    solver.assert(b.terms(), c);
    for _ in 0..2 {
        let answer = solver.check(b.terms(), &Limits::default(), true);
        let Answer::Unknown(Reason::Broken { solver, what }) = answer else { panic!("{command}: {answer:?}") };
        assert!(command.starts_with(solver.split(' ').next().unwrap()), "{solver}");
        for word in words {
            assert!(what.contains(word), "{command}: {what}");
        }
    }
    drop(solver);
    assert!(started.elapsed() < GENEROUS, "{command}: {:?}", started.elapsed());
}

#[test]
fn what_is_no_solver_is_named() {
    check("sioco-no-such-solver -in", &["cannot be started"]);
    if locate::on_path("sh").is_none() {
        eprintln!("skipped: there is no sh here");
        return;
    }
    check("sh -c 'exit 1'", &["ended", "1"]);
    check("sh -c 'echo oh no >&2; exit 3'", &["ended", "3", "oh no"]);
    check("sh -c 'kill -9 $$'", &["ended", "9"]);
    check("cat", &["echo"]);
    check("yes", &["`y`", "first words"].map(|w| w.trim_matches('`')));
    check("sh -c 'exec sleep 1000'", &["printed nothing in its first 0.5 s"]);
    check("sh -c 'exec >&-; exec sleep 1000'", &["closed its output"]);
    check("sh -c 'exec head -c 100000000 /dev/zero'", &["does not stop"]);
}

/// A solver by a shell script: it knows `echo`, and answers `(check-sat)` by `on_check`.
fn script(on_check: &str) -> String {
    let body = format!(
        "while read -r line; do case $line in \"(echo \"*) l=${{line#*\\\"}}; echo ${{l%\\\"*}};; \"(check-sat)\") {on_check};; esac; done"
    );
    format!("sh -c '{body}'")
}

#[test]
fn a_solver_may_break_on_the_way() {
    if locate::on_path("sh").is_none() {
        eprintln!("skipped: there is no sh here");
        return;
    }
    let (b, c) = question();
    let ask = |command: &str, limits: &Limits, times: usize| {
        let started = Instant::now();
        let mut solver = ProcessSolver::new(command).unwrap();
        solver.push();
        solver.assert(b.terms(), c);
        let answers: Vec<Answer> = (0..times).map(|_| solver.check(b.terms(), limits, false)).collect();
        assert!(started.elapsed() < GENEROUS, "{command}: {:?}", started.elapsed());
        answers
    };
    let limits = Limits { wall: Duration::from_millis(500), ..Limits::default() };
    let broken = |answer: &Answer, word: &str| match answer {
        Answer::Unknown(Reason::Broken { what, .. }) => assert!(what.contains(word), "{what}"),
        other => panic!("{other:?} instead of {word}"),
    };
    assert_eq!(ask(&script("echo unsat"), &limits, 2), [Answer::Unsat(None), Answer::Unsat(None)]);
    // Dies after the first answer, and is started again for the third question.
    let answers = ask(&script("if [ $n ]; then exit 7; fi; n=1; echo unsat"), &limits, 3);
    assert_eq!([&answers[0], &answers[2]], [&Answer::Unsat(None); 2]);
    broken(&answers[1], "7");
    // What comes of its past is no breakdown: it is started again at once, and asked once more.
    for refusal in ["(error \\\"push canceled\\\")", "(error \\\"max. resource limit exceeded\\\")"] {
        let command = script(&format!("if [ $n ]; then echo \"{refusal}\"; else n=1; echo unsat; fi"));
        assert_eq!(ask(&command, &limits, 3), [Answer::Unsat(None), Answer::Unsat(None), Answer::Unsat(None)]);
        let command = script(&format!("echo \"{refusal}\""));
        assert_eq!(ask(&command, &limits, 1), [Answer::Unknown(Reason::Resources)]);
    }
    broken(&ask(&script("echo perhaps"), &limits, 1)[0], "perhaps");
    broken(&ask(&script("echo \"sat)))\""), &limits, 1)[0], "no answer");
    broken(&ask(&script("echo sat; echo sat"), &limits, 1)[0], "more than one");
    broken(&ask(&script("echo \"(error oh)\""), &limits, 1)[0], "oh");
    broken(&ask(&script("true"), &limits, 1)[0], "no answer");
    let flood = Limits { wall: GENEROUS, ..Limits::default() };
    broken(
        &ask(&script("while true; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"), &flood, 1)[0],
        "stop",
    );
    // Silence after a first word is hard thinking.
    assert_eq!(ask(&script("exec sleep 1000"), &limits, 1), [Answer::Unknown(Reason::Time)]);
    // A witness that is none.
    let mut solver =
        ProcessSolver::new(&script("echo sat; read -r line; read -r line; echo \"((y0 9))\"; echo sioco-3")).unwrap();
    solver.assert(b.terms(), c);
    let answer = solver.check(b.terms(), &limits, true);
    assert!(!matches!(answer, Answer::Sat(_) | Answer::Unsat(_)), "{answer:?}");
}

/// Something that takes any solver very long: pigeons, and one hole less.
fn hard() -> (Build, Vec<TermId>) {
    let mut b = Build::default();
    let holes = b.range(1, 14);
    let pigeons: Vec<TermId> = (0..15).map(|_| b.symbol(holes)).collect();
    let mut conjuncts = Vec::new();
    for (i, x) in pigeons.iter().enumerate() {
        for y in &pigeons[..i] {
            let same = b.app(Op::Eq, &[*x, *y]);
            conjuncts.push(b.app(Op::Not, &[same]));
        }
    }
    (b, conjuncts)
}

#[test]
fn limits_are_kept() {
    for_all(&|name, make| {
        let (b, conjuncts) = hard();
        let started = Instant::now();
        let mut solver = make();
        solver.push();
        conjuncts.iter().for_each(|c| solver.assert(b.terms(), *c));
        let limits = |resources, wall, cancel: Option<Arc<AtomicBool>>| {
            Limits { resources, wall: Duration::from_millis(wall), ..Limits::default() }.until(cancel.as_ref())
        };
        let answer = solver.check(b.terms(), &limits(20_000, 15_000, None), false);
        eprintln!("{name}: {answer:?} after {:?}", started.elapsed());
        assert_eq!(answer, Answer::Unknown(Reason::Resources), "{name}");
        let answer = solver.check(b.terms(), &limits(u64::MAX, 100, None), false);
        eprintln!("{name}: {answer:?} after {:?}", started.elapsed());
        assert_eq!(answer, Answer::Unknown(Reason::Time), "{name}");
        let cancel = Arc::new(AtomicBool::new(false));
        let later = Arc::clone(&cancel);
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            later.store(true, Ordering::Relaxed);
        });
        let answer = solver.check(b.terms(), &limits(u64::MAX, 15_000, Some(cancel)), false);
        thread.join().unwrap();
        assert_eq!(answer, Answer::Unknown(Reason::Cancelled), "{name}");
        assert!(started.elapsed() < 2 * GENEROUS, "{name}: {:?}", started.elapsed());
        // What was interrupted still works.
        solver.pop();
        let mut b = b;
        let y = b.symbol(b.sorts.int);
        let n = b.int(3);
        let easy = b.app(Op::Lt, &[y, n]);
        sat(name, &mut *solver, &b, &[easy]);
    });
}
