//! `cargo xtask bench`: the benchmarks, and instructions counted where valgrind is installed.
//!
//! Times depend on the machine and on what else it does; the counts do not. A count is the difference between a long
//! and a short run, so that start-up falls out.

use std::process::{Command, Stdio};

use crate::child::cargo;
use crate::project::Project;
use crate::{Findings, Stop};

/// Steps of the short and of the long counted run.
const STEPS: [u64; 2] = [100_000, 200_000];

/// Runs the benchmarks.
pub fn main(project: &Project, _: &[&str]) -> Result<Findings, Stop> {
    for bench in ["check", "interpreter"] {
        let status = cargo()
            .current_dir(&project.root)
            .args(["bench", "--quiet", "--package", "sioco-lang", "--bench", bench])
            .status()
            .map_err(|e| format!("cannot start cargo: {e}"))?;
        if !status.success() {
            return Err(Stop::Failed);
        }
    }
    let built = cargo()
        .current_dir(&project.root)
        .args(["bench", "--package", "sioco-lang", "--bench", "interpreter", "--no-run", "--message-format=json"])
        .stderr(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    let Some(program) = executable(&String::from_utf8_lossy(&built.stdout)) else {
        return Err(Stop::Trouble("cargo did not say where the benchmark is".into()));
    };
    let mut counts = Vec::new();
    for steps in STEPS {
        let Some(count) = instructions(&program, steps) else {
            println!("instructions per step: not counted (valgrind is not installed)");
            return Ok(Vec::new());
        };
        counts.push(count);
    }
    let per_step = (counts[1] - counts[0]) as f64 / (STEPS[1] - STEPS[0]) as f64;
    println!("{per_step:.0} instructions per guard-checked step of S0 Figure 1 (callgrind)");
    Ok(Vec::new())
}

/// The path of the benchmark in cargo's messages.
fn executable(messages: &str) -> Option<String> {
    messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_bench = message["target"]["name"] == "interpreter";
        message["executable"].as_str().filter(|_| is_bench).map(str::to_owned)
    })
}

/// The instructions of a run of so many steps, if valgrind can tell.
fn instructions(program: &str, steps: u64) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--count", &steps.to_string()])
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
        assert_eq!(executable(messages), Some("b".into()));
        assert_eq!(executable(""), None);
    }
}
