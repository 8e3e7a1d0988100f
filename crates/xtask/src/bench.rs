//! `cargo xtask bench`: the benchmarks, and instructions counted where valgrind is installed.
//!
//! Times depend on the machine and on what else it does; the counts do not. A count is the difference between a long
//! and a short run, so that start-up falls out.

use std::process::{Command, Stdio};

use crate::child::cargo;
use crate::project::Project;
use crate::{Findings, Stop};

/// A benchmark whose instructions are counted.
struct Counted {
    /// The package, and the benchmark of it.
    of: [&'static str; 2],
    /// What it is told besides the size of a run, if anything.
    what: &'static [&'static str],
    /// The sizes of short and long runs. Where there are two, they have different sizes: the same number means that the
    /// work grows linearly.
    sizes: &'static [[u64; 2]],
    /// The words for one unit of work.
    unit: &'static str,
}

const COUNTED: [Counted; 6] = [
    Counted {
        of: ["sioco-lang", "interpreter"],
        what: &[],
        sizes: &[[100_000, 200_000]],
        unit: "guard-checked step of S0 Figure 1",
    },
    Counted {
        of: ["sioco-lang", "check"],
        what: &[],
        sizes: &[[1_000, 2_000], [10_000, 20_000]],
        unit: "switch parsed and checked",
    },
    Counted {
        of: ["sioco-symbolic", "explore"],
        what: &[],
        sizes: &[[2_000, 4_000], [50_000, 100_000]],
        unit: "node of the symbolic execution tree of BRP",
    },
    Counted {
        of: ["sioco-plan", "plan"],
        what: &[],
        sizes: &[[1_000, 2_000], [5_000, 10_000]],
        unit: "switch read and covered by a plan",
    },
    Counted {
        of: ["sioco-exec", "speed"],
        what: &[],
        sizes: &[[1_000, 11_000], [11_000, 111_000]],
        unit: "step of a tester and the model it tests, BRP",
    },
    Counted {
        of: ["sioco-exec", "speed"],
        what: &["played"],
        sizes: &[[11_000, 111_000]],
        unit: "step of a tester and a played model, BRP",
    },
];

/// The same for the whole command: a short and a long campaign against the model itself, with a journal.
const CAMPAIGN: [u64; 2] = [10_000, 30_000];
/// The model of these campaigns.
const BRP: &str = "examples/brp/brp.sts";

/// Runs the benchmarks.
pub fn main(project: &Project, _: &[&str]) -> Result<Findings, Stop> {
    for Counted { of: [package, bench], .. } in COUNTED.iter().filter(|counted| counted.what.is_empty()) {
        let status = cargo()
            .current_dir(&project.root)
            .args(["bench", "--quiet", "--package", package, "--bench", bench])
            .status()
            .map_err(|e| format!("cannot start cargo: {e}"))?;
        if !status.success() {
            return Err(Stop::Failed);
        }
    }
    let counted = count_benchmarks(project)? && count_campaigns(project)?;
    if !counted {
        println!("instructions: not counted (valgrind is not installed)");
    }
    Ok(Vec::new())
}

/// Counts the instructions of the benchmarks. Says whether they can be counted.
fn count_benchmarks(project: &Project) -> Result<bool, Stop> {
    for Counted { of: [package, bench], what, sizes, unit } in &COUNTED {
        let build = ["bench", "--package", package, "--bench", bench, "--no-run"];
        let program = built(project, &build, bench)?;
        for [short, long] in *sizes {
            let run = |size: u64| {
                let size = size.to_string();
                let args = ["--count", &size].into_iter().chain(what.iter().copied());
                instructions(project, &program, &args.collect::<Vec<_>>())
            };
            let (Some(a), Some(b)) = (run(*short), run(*long)) else { return Ok(false) };
            tell(a, b, [*short, *long], unit);
        }
    }
    Ok(true)
}

/// Counts the instructions of the whole command. Says whether they can be counted.
fn count_campaigns(project: &Project) -> Result<bool, Stop> {
    let program = built(project, &["build", "--release", "--package", "sioco", "--bin", "sioco"], "sioco")?;
    let sut = format!("model:{BRP}");
    let journal = project.root.join("target/bench.jsonl").display().to_string();
    let formats = [
        ("human", "step of `sioco test` against a played model, BRP, with a journal"),
        ("json", "step of the same with `--format json`"),
    ];
    for (format, unit) in formats {
        let run = |steps: u64| {
            let steps = steps.to_string();
            // As many walks as the steps allow.
            let walks = ["--cover", "random:1000000", "--seed", "1", "--max-steps", &steps];
            let args = [&["test", BRP, "--sut", &sut, "--journal", &journal, "--format", format], &walks[..]];
            instructions(project, &program, &args.concat())
        };
        let (Some(a), Some(b)) = (run(CAMPAIGN[0]), run(CAMPAIGN[1])) else { return Ok(false) };
        tell(a, b, CAMPAIGN, unit);
    }
    Ok(true)
}

fn tell(a: u64, b: u64, [short, long]: [u64; 2], unit: &str) {
    let each = (b - a) as f64 / (long - short) as f64;
    println!("{each:.0} instructions per {unit}, between {short} and {long} (callgrind)");
}

/// Builds a program, and says where it is.
fn built(project: &Project, build: &[&str], name: &str) -> Result<String, Stop> {
    let built = cargo()
        .current_dir(&project.root)
        .args(build)
        .arg("--message-format=json")
        .stderr(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    let program = executable(&String::from_utf8_lossy(&built.stdout), name);
    program.ok_or_else(|| Stop::Trouble(format!("cargo did not say where `{name}` is")))
}

/// The path of a program in cargo's messages.
fn executable(messages: &str, name: &str) -> Option<String> {
    messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_it = message["target"]["name"] == name;
        message["executable"].as_str().filter(|_| is_it).map(str::to_owned)
    })
}

/// The instructions of a run, if valgrind can tell.
fn instructions(project: &Project, program: &str, args: &[&str]) -> Option<u64> {
    let output = Command::new("valgrind")
        .current_dir(&project.root)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program])
        .args(args)
        .output()
        .ok()?;
    collected(&String::from_utf8_lossy(&output.stderr))
}

/// The number in callgrind's line `Collected : 123`.
fn collected(text: &str) -> Option<u64> {
    let line = text.lines().find(|l| l.contains("Collected"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        assert_eq!(collected("==1== Events    : Ir\n==1== Collected : 68608274\n==1=="), Some(68_608_274));
        assert_eq!(collected("==1== nothing"), None);
    }

    #[test]
    fn the_benchmark_is_found_in_the_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"check"},"executable":"a"}
not json
{"reason":"compiler-artifact","target":{"name":"interpreter"},"executable":"b"}"#;
        assert_eq!(executable(messages, "interpreter"), Some("b".into()));
        assert_eq!(executable("", "interpreter"), None);
    }
}
