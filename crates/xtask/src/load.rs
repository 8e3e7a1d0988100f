//! `cargo xtask load`: campaigns of the shipped templates and examples with systems that conform, on a machine that is kept
//! busy by four times as many loops as it has cores. None may fail: a slow machine is no fault of the system (T-Q10).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crate::child::cargo;
use crate::project::Project;
use crate::{Findings, Stop};

/// So many campaigns are run if nobody says otherwise,
const CAMPAIGNS: u64 = 500;
/// with so many loops for each core, unless somebody has other work that keeps the machine busy,
const LOOPS: usize = 4;
/// and so many steps each.
const STEPS: &str = "100";
/// The templates whose systems are programs of their own.
const TEMPLATES: [&str; 4] = ["python", "text", "http", "tcp"];
/// The examples with such systems.
const EXAMPLES: [&str; 3] = ["text", "http", "torxakis"];

/// What is tested: a name, a folder, and the model in it. The system is called `tank` in all of them.
struct Case {
    name: String,
    folder: PathBuf,
    model: &'static str,
}

/// Runs it, and has a finding for each campaign that failed.
pub fn main(project: &Project, arguments: &[&str]) -> Result<Findings, Stop> {
    let (campaigns, loops) = wanted(arguments)?;
    let built = cargo()
        .current_dir(&project.root)
        .args(["build", "--quiet", "--package", "sioco"])
        .status()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if !built.success() {
        return Err(Stop::Failed);
    }
    let sioco = project.target.join("debug").join(format!("sioco{}", std::env::consts::EXE_SUFFIX));
    let folder = project.target.join("load");
    let cases = cases(project, &sioco, &folder)?;
    let busy = AtomicBool::new(true);
    let loops = loops * thread::available_parallelism().map_or(1, usize::from);
    println!("{campaigns} campaigns of {} systems, beside {loops} busy loops", cases.len());
    thread::scope(|scope| {
        for _ in 0..loops {
            scope.spawn(|| {
                while busy.load(Ordering::Relaxed) {
                    std::hint::black_box(());
                }
            });
        }
        let found = run(&sioco, &folder, &cases, campaigns);
        busy.store(false, Ordering::Relaxed);
        found
    })
}

/// The number of campaigns, and of loops for each core.
fn wanted(arguments: &[&str]) -> Result<(u64, usize), Stop> {
    let (mut campaigns, mut loops) = (Some(CAMPAIGNS), Some(LOOPS));
    for option in arguments.chunks(2) {
        match option {
            ["--campaigns", number] => campaigns = number.parse().ok().filter(|n| *n > 0),
            ["--loops", number] => loops = number.parse().ok(),
            _ => campaigns = None,
        }
    }
    campaigns.zip(loops).ok_or_else(|| Stop::Usage(format!("not understood: load {}", arguments.join(" "))))
}

/// The templates, made anew, and the examples.
fn cases(project: &Project, sioco: &Path, folder: &Path) -> Result<Vec<Case>, String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("cannot empty {}: {e}", folder.display()))?;
    }
    // A repository of its own, so that its systems may be started.
    fs::create_dir_all(folder.join(".git")).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let mut cases = Vec::new();
    for template in TEMPLATES {
        let mut new = Command::new(sioco);
        let made =
            new.current_dir(folder).args(["new", "--template", template, template]).stdout(Stdio::null()).status();
        if !made.map_err(|e| format!("cannot start sioco: {e}"))?.success() {
            return Err(format!("there is no template `{template}`"));
        }
        cases.push(Case { name: format!("template {template}"), folder: folder.join(template), model: "model.sts" });
    }
    for example in EXAMPLES {
        let folder = project.root.join("examples/adapters").join(example);
        cases.push(Case { name: format!("example {example}"), folder, model: "tank.sts" });
    }
    Ok(cases)
}

/// What an exit code says.
fn verdict(code: Option<i32>) -> &'static str {
    match code {
        Some(0) => "pass",
        Some(1) => "fail",
        Some(3) => "inconclusive",
        Some(5) => "error",
        _ => "trouble",
    }
}

fn run(sioco: &Path, folder: &Path, cases: &[Case], campaigns: u64) -> Result<Findings, Stop> {
    let (begun, mut counts, mut findings) = (Instant::now(), BTreeMap::<(usize, &str), u64>::new(), Findings::new());
    for (seed, (at, case)) in (1..=campaigns).zip(cases.iter().enumerate().cycle()) {
        let journal = folder.join(format!("{seed}.jsonl"));
        let mut test = Command::new(sioco);
        test.current_dir(&case.folder).args(["test", case.model, "--sut", "tank", "--solver", "builtin"]);
        test.args(["--max-steps", STEPS, "--seed", &seed.to_string(), "--no-shrink", "--journal"]).arg(&journal);
        let ended = test.stdin(Stdio::null()).output().map_err(|e| format!("cannot start sioco: {e}"))?;
        let verdict = verdict(ended.status.code());
        *counts.entry((at, verdict)).or_default() += 1;
        if verdict == "pass" {
            // What went well is not looked at again.
            let _ = fs::remove_file(&journal);
            continue;
        }
        println!("{} with seed {seed}: {verdict}, {}", case.name, journal.display());
        let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        out.lines().chain(err.lines()).for_each(|line| println!("  {line}"));
        if matches!(verdict, "fail" | "trouble") {
            findings.push(format!("{} with seed {seed}: {verdict}", case.name));
        }
    }
    println!("after {} s:", begun.elapsed().as_secs());
    for ((at, verdict), count) in counts {
        println!("  {:<20}{count:>5} {verdict}", cases[at].name);
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        assert!(matches!(wanted(&[]), Ok((CAMPAIGNS, LOOPS))));
        assert!(matches!(wanted(&["--campaigns", "25", "--loops", "0"]), Ok((25, 0))));
        for wrong in [&["--campaigns"][..], &["--campaigns", "0"], &["--campaigns", "x"], &["--loops", "x"], &["25"]] {
            assert!(matches!(wanted(wrong), Err(Stop::Usage(_))), "{wrong:?}");
        }
    }

    #[test]
    fn a_failure_is_a_finding() {
        let folder = std::env::temp_dir().join(format!("sioco-load-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let case = || Case { name: "case".into(), folder: folder.clone(), model: "m.sts" };
        // In the place of sioco: one program that fails, and one that does not.
        for (program, expected) in [("false", 3), ("true", 0)] {
            let found = run(Path::new(program), &folder, &[case(), case()], 3);
            assert!(matches!(&found, Ok(findings) if findings.len() == expected), "{program}");
        }
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            [0, 1, 3, 5, 2].map(|code| verdict(Some(code))),
            ["pass", "fail", "inconclusive", "error", "trouble"]
        );
    }
}
