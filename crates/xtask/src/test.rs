//! All checks, one after the other: what continuous integration runs.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sioco_solve::smt::locate::Origin;

use crate::project::Project;
use crate::servers::{self, FoundServer};
use crate::setup::Z3;
use crate::{Findings, Stop, child, deps, generate, print_findings, setup, tidy};

/// One of the checks.
struct Step {
    name: &'static str,
    /// What to type to run it alone.
    again: &'static str,
    run: fn(&Session) -> Outcome,
}

const STEPS: &[Step] = &[
    Step { name: "fmt", again: "cargo fmt --all --check", run: fmt },
    Step { name: "clippy", again: "cargo clippy --workspace --all-targets --all-features -- -D warnings", run: clippy },
    Step { name: "deps", again: "cargo xtask deps", run: |session| found(deps::check(session.project)) },
    Step { name: "deny", again: DENY, run: deny },
    Step { name: "tidy", again: "cargo xtask tidy", run: |session| found(tidy::check(session.project)) },
    Step { name: "test", again: "cargo test --workspace --no-fail-fast", run: test },
    Step { name: "doc", again: "RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --no-deps", run: doc },
    Step {
        name: "generate",
        again: "cargo xtask generate --check",
        run: |session| found(generate::check(session.project)),
    },
];

/// Licences, versions and origins of what sioco is built with.
const DENY: &str = "cargo deny --offline check bans licenses sources";

/// These compile the workspace, so they have nothing new to say once that is known to fail.
const AFTER_BUILD: &[&str] = &["doc"];

struct Session<'a> {
    project: &'a Project,
    /// Looked for only when there are tests to run.
    z3: Option<Z3>,
    /// Further arguments for `cargo test`.
    extra: Vec<&'a str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Passed,
    Failed,
    /// Tests that ran, each counted.
    Tests(Tally, /* success: */ bool),
    /// The workspace does not compile.
    BuildBroken,
    /// Nothing was done, and why.
    Skipped(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

pub fn main(project: &Project, arguments: &[&str]) -> Result<Findings, Stop> {
    let (steps, extra) = parse(arguments).map_err(Stop::Usage)?;
    let with_tests = steps.iter().any(|step| step.name == "test");
    let z3 = with_tests.then(|| setup::z3(project, false));
    if let Some(z3) = &z3 {
        println!("{z3}");
    }
    let servers = if with_tests { servers::all(project) } else { Vec::new() };
    for server in &servers {
        println!("{server}");
    }
    let session = Session { project, z3, extra };
    let mut results = Vec::new();
    let mut build_broken = false;
    for step in steps {
        println!("\n==> {}: {}", step.name, step.again);
        flush();
        let started = Instant::now();
        let skip = build_broken && AFTER_BUILD.contains(&step.name);
        let outcome = if skip { Outcome::Skipped("the workspace does not build") } else { (step.run)(&session) };
        build_broken |= outcome == Outcome::BuildBroken;
        println!("<== {}: {} in {}", step.name, outcome.word(), seconds(started.elapsed()));
        results.push((step, outcome, started.elapsed()));
    }
    print!("\n{}", summary(&results, session.z3.as_ref(), &servers));
    flush();
    if results.iter().any(|(_, outcome, _)| outcome.is_bad()) { Err(Stop::Failed) } else { Ok(Findings::new()) }
}

/// The steps to run and the arguments for `cargo test`.
fn parse<'a>(arguments: &[&'a str]) -> Result<(Vec<&'static Step>, Vec<&'a str>), String> {
    let end = arguments.iter().position(|&argument| argument == "--");
    let (own, extra) = arguments.split_at(end.unwrap_or(arguments.len()));
    let names: Option<Vec<&str>> = match own {
        [] => None,
        ["--only", names] => Some(names.split(',').collect()),
        [one] => Some(one.strip_prefix("--only=").ok_or(format!("not understood: {one}"))?.split(',').collect()),
        [first, ..] => return Err(format!("not understood: {first}")),
    };
    let known = |name: &&str| STEPS.iter().any(|step| step.name == *name);
    if let Some(unknown) = names.iter().flatten().find(|name| !known(name)) {
        return Err(format!("there is no step named `{unknown}`"));
    }
    let chosen = |step: &&Step| names.as_ref().is_none_or(|names| names.contains(&step.name));
    Ok((STEPS.iter().filter(chosen).collect(), extra.iter().skip(1).copied().collect()))
}

impl Outcome {
    fn is_bad(self) -> bool {
        matches!(self, Outcome::Failed | Outcome::BuildBroken | Outcome::Tests(_, false))
    }

    fn word(self) -> &'static str {
        match self {
            Outcome::Skipped(_) => "skipped",
            outcome if outcome.is_bad() => "FAILED",
            _ => "ok",
        }
    }

    /// Each test counts, and each other step counts as one.
    fn tally(self) -> Tally {
        match self {
            Outcome::Passed => Tally { passed: 1, failed: 0 },
            Outcome::Failed | Outcome::BuildBroken => Tally { passed: 0, failed: 1 },
            // Ended badly without saying which test: still a failure.
            Outcome::Tests(tally, false) => Tally { failed: tally.failed.max(1), ..tally },
            Outcome::Tests(tally, true) => tally,
            Outcome::Skipped(_) => Tally::default(),
        }
    }
}

fn summary(results: &[(&Step, Outcome, Duration)], z3: Option<&Z3>, servers: &[FoundServer]) -> String {
    let mut text = "summary\n".to_owned();
    let mut line = |line: String| writeln!(text, "{}", line.trim_end()).expect("writing to a String does not fail");
    let mut total = Tally::default();
    for (step, outcome, time) in results {
        let tally = outcome.tally();
        total = Tally { passed: total.passed + tally.passed, failed: total.failed + tally.failed };
        let note = match outcome {
            Outcome::Tests(tally, _) => format!("{} of {} tests passed", tally.passed, tally.passed + tally.failed),
            Outcome::BuildBroken => "the workspace does not build".to_owned(),
            Outcome::Skipped(why) => (*why).to_owned(),
            Outcome::Passed | Outcome::Failed => String::new(),
        };
        line(format!("  {:<8} {:<8} {:>8}  {note}", outcome.word(), step.name, seconds(*time)));
        if outcome.is_bad() {
            line(format!("           repeat with: {}", step.again));
        }
    }
    if let Some(z3 @ Z3::None(_)) = z3 {
        line(format!("  {z3}"));
    }
    for server in servers.iter().filter(|server| server.is_skipped()) {
        line(format!("  {server}"));
    }
    line(format!("\n{} passed, {} failed", total.passed, total.failed));
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn flush() {
    // A closed standard output is noticed when something is printed.
    let _ = io::stdout().flush();
}

fn found(result: Result<Findings, String>) -> Outcome {
    match result {
        Ok(findings) if findings.is_empty() => Outcome::Passed,
        Ok(findings) => {
            print_findings(&findings);
            Outcome::Failed
        }
        Err(trouble) => {
            println!("  {trouble}");
            Outcome::Failed
        }
    }
}

fn fmt(session: &Session) -> Outcome {
    component(session, "fmt", "rustfmt", &["fmt", "--all", "--check"])
}

fn clippy(session: &Session) -> Outcome {
    let arguments = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    component(session, "clippy", "clippy", &arguments)
}

/// A part of cargo that has to be installed.
fn component(session: &Session, verb: &str, name: &str, arguments: &[&str]) -> Outcome {
    if child::output(child::cargo().args([verb, "--version"]), Duration::from_secs(60)).is_err() {
        println!("  {name} is not installed; install it with: rustup component add {name}");
        return Outcome::Failed;
    }
    status(cargo(session).args(arguments))
}

/// What `deny.toml` says, where there is something to check it with. Advisories are looked up if they were fetched before:
/// tests need no network.
fn deny(session: &Session) -> Outcome {
    if child::output(child::cargo().args(["deny", "--version"]), Duration::from_secs(60)).is_err() {
        println!("  cargo-deny is not installed: licences, versions and advisories were not checked");
        return Outcome::Skipped("cargo-deny is not installed");
    }
    let arguments: Vec<&str> = DENY.split(' ').skip(1).collect();
    let checked = status(cargo(session).args(arguments));
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    match home.is_some_and(|home| home.join("advisory-dbs").is_dir()) {
        _ if checked.is_bad() => checked,
        true => status(cargo(session).args(["deny", "--offline", "check", "advisories"])),
        false => {
            println!("  advisories were not looked up; `cargo deny fetch` gets them");
            checked
        }
    }
}

fn doc(session: &Session) -> Outcome {
    status(cargo(session).env("RUSTDOCFLAGS", "-D warnings").args(["doc", "--workspace", "--no-deps"]))
}

fn cargo(session: &Session) -> Command {
    let mut cargo = child::cargo();
    cargo.current_dir(&session.project.root);
    cargo
}

fn status(command: &mut Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(_) => Outcome::Failed,
        Err(error) => {
            println!("  cargo: {error}");
            Outcome::Failed
        }
    }
}

fn test(session: &Session) -> Outcome {
    let mut cargo = cargo(session);
    cargo.args(["test", "--workspace", "--no-fail-fast"]).args(&session.extra);
    if let Some(Z3::At(path, Origin::Fetched)) = &session.z3 {
        cargo.env("SIOCO_Z3", path);
    }
    match run_tests(&mut cargo, &mut io::stdout()) {
        Ok(outcome) => outcome,
        Err(error) => {
            println!("  cargo: {error}");
            Outcome::Failed
        }
    }
}

/// Shows everything as it comes, and counts.
fn run_tests(command: &mut Command, show: &mut dyn io::Write) -> io::Result<Outcome> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut tally: Option<Tally> = None;
    if let Some(pipe) = child.stdout.take() {
        let mut lines = BufReader::new(pipe);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            show.write_all(&line)?;
            if let Some(more) = tally_of(&String::from_utf8_lossy(&line)) {
                let sum = tally.get_or_insert_default();
                *sum = Tally { passed: sum.passed + more.passed, failed: sum.failed + more.failed };
            }
            line.clear();
        }
    }
    let success = child.wait()?.success();
    Ok(match tally {
        Some(tally) => Outcome::Tests(tally, success),
        None if success => Outcome::Passed,
        None => Outcome::BuildBroken,
    })
}

/// Reads `test result: ok. 3 passed; 0 failed; …`.
fn tally_of(line: &str) -> Option<Tally> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |what: &str| -> Option<usize> {
        counts.split(';').find_map(|part| part.trim().strip_suffix(what))?.trim().parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_choose_steps() {
        let names = |arguments: &[&str]| -> Result<(Vec<&str>, usize), String> {
            let (steps, extra) = parse(arguments)?;
            Ok((steps.iter().map(|step| step.name).collect(), extra.len()))
        };
        assert_eq!(names(&[]).unwrap(), (vec!["fmt", "clippy", "deps", "deny", "tidy", "test", "doc", "generate"], 0));
        assert_eq!(names(&["--only", "deps,fmt"]).unwrap(), (vec!["fmt", "deps"], 0));
        assert_eq!(names(&["--only=test", "--", "lexer", "--", "--nocapture"]).unwrap(), (vec!["test"], 3));
        assert_eq!(names(&["--", "lexer"]).unwrap().1, 1);
        for wrong in [&["--only", "nothing"][..], &["--only"], &["fmt"], &["--only", "fmt", "deps"]] {
            assert!(names(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn counts_are_read() {
        let line =
            "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s\n";
        assert_eq!(tally_of(line), Some(Tally { passed: 12, failed: 3 }));
        assert_eq!(tally_of("test lexer::tests::test result ... ok"), None);
    }

    fn summary_of(outcomes: &[Outcome]) -> String {
        let results: Vec<_> = STEPS.iter().zip(outcomes.iter().copied()).map(|(s, o)| (s, o, Duration::ZERO)).collect();
        let servers = [FoundServer::skipped("fakeredis", "there is no pip")];
        summary(&results, Some(&Z3::None("no network".to_owned())), &servers)
    }

    #[test]
    fn the_last_line_counts_tests_and_steps() {
        let tests = Outcome::Tests(Tally { passed: 40, failed: 2 }, false);
        let text = summary_of(&[
            Outcome::Passed,
            Outcome::Failed,
            Outcome::Passed,
            Outcome::Skipped("not installed"),
            Outcome::Passed,
            tests,
        ]);
        assert!(text.contains("deny") && text.contains("not installed"), "{text}");
        assert!(text.ends_with("\n43 passed, 3 failed\n"), "{text}");
        assert!(text.contains("repeat with: cargo clippy --workspace"), "{text}");
        assert!(text.contains("40 of 42 tests passed"), "{text}");
        assert!(text.contains("z3: skipped: no network"), "{text}");
        assert!(text.contains("  fakeredis: skipped: there is no pip; so the tests"), "{text}");
        assert!(summary_of(&[Outcome::Passed]).ends_with("\n1 passed, 0 failed\n"));
    }

    #[test]
    fn a_bad_end_is_a_failure_whatever_was_counted() {
        let outcome = Outcome::Tests(Tally { passed: 5, failed: 0 }, false);
        assert!(outcome.is_bad());
        assert_eq!(outcome.tally(), Tally { passed: 5, failed: 1 });
        assert!(Outcome::BuildBroken.is_bad() && Outcome::Failed.is_bad());
        assert!(!Outcome::Skipped("why").is_bad() && !Outcome::Passed.is_bad());
    }

    #[cfg(unix)]
    #[test]
    fn a_run_without_results_is_a_broken_build() {
        let shell = |script: &str| run_tests(Command::new("sh").args(["-c", script]), &mut io::sink()).unwrap();
        assert_eq!(shell("exit 101"), Outcome::BuildBroken);
        let result = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
        assert_eq!(shell(result), Outcome::Tests(Tally { passed: 2, failed: 0 }, true));
        assert_eq!(shell(&format!("{result}; exit 1")), Outcome::Tests(Tally { passed: 2, failed: 0 }, false));
    }
}
