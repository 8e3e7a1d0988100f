//! `cargo xtask bench`: the benchmarks, and instructions counted where valgrind is installed.
//!
//! Times depend on the machine and on what else it does; the counts do not. A count is the difference between a long
//! and a short run, so that start-up falls out.

use std::process::{Command, Stdio};

use crate::child::cargo;
use crate::project::Project;
use crate::{Findings, Stop};

/// What is counted: a package, a benchmark of it, the sizes of a short and a long run, and the words for one unit of work.
const COUNTED: [(&str, &str, &[[u64; 2]], &str); 5] = [
    ("sioco-lang", "interpreter", &[[100_000, 200_000]], "guard-checked step of S0 Figure 1"),
    // Twice, at different sizes: the same number means that the work grows linearly.
    ("sioco-lang", "check", &[[1_000, 2_000], [10_000, 20_000]], "switch parsed and checked"),
    ("sioco-symbolic", "explore", &[[2_000, 4_000], [50_000, 100_000]], "node of the symbolic execution tree of BRP"),
    ("sioco-plan", "plan", &[[1_000, 2_000], [5_000, 10_000]], "switch read and covered by a plan"),
    ("sioco-exec", "speed", &[[1_000, 11_000], [11_000, 111_000]], "step of a tester and the model it tests, BRP"),
];

/// Runs the benchmarks.
pub fn main(project: &Project, _: &[&str]) -> Result<Findings, Stop> {
    for (package, bench, _, _) in COUNTED {
        let status = cargo()
            .current_dir(&project.root)
            .args(["bench", "--quiet", "--package", package, "--bench", bench])
            .status()
            .map_err(|e| format!("cannot start cargo: {e}"))?;
        if !status.success() {
            return Err(Stop::Failed);
        }
    }
    for (package, bench, sizes, unit) in COUNTED {
        let built = cargo()
            .current_dir(&project.root)
            .args(["bench", "--package", package, "--bench", bench, "--no-run", "--message-format=json"])
            .stderr(Stdio::null())
            .output()
            .map_err(|e| format!("cannot start cargo: {e}"))?;
        let Some(program) = executable(&String::from_utf8_lossy(&built.stdout), bench) else {
            return Err(Stop::Trouble("cargo did not say where the benchmark is".into()));
        };
        for [short, long] in sizes {
            let (Some(a), Some(b)) = (instructions(&program, *short), instructions(&program, *long)) else {
                println!("instructions: not counted (valgrind is not installed)");
                return Ok(Vec::new());
            };
            let each = (b - a) as f64 / (long - short) as f64;
            println!("{each:.0} instructions per {unit}, between {short} and {long} (callgrind)");
        }
    }
    Ok(Vec::new())
}

/// The path of the benchmark in cargo's messages.
fn executable(messages: &str, bench: &str) -> Option<String> {
    messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_bench = message["target"]["name"] == bench;
        message["executable"].as_str().filter(|_| is_bench).map(str::to_owned)
    })
}

/// The instructions of a run of a size, if valgrind can tell.
fn instructions(program: &str, size: u64) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--count", &size.to_string()])
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
