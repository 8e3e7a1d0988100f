//! `cargo xtask trust`: builds the driver of the campaign and runs it in the place of this process, so that Ctrl-C gets to
//! it alone.

use std::process::Command;

use crate::child::cargo;
use crate::project::Project;
use crate::{Findings, Stop};

/// Builds and runs it. What it finds it has told itself.
pub fn main(project: &Project, arguments: &[&str]) -> Result<Findings, Stop> {
    let built = cargo()
        .current_dir(&project.root)
        .args(["build", "--release", "--quiet", "--package", "sioco-trust"])
        .status()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if !built.success() {
        return Err(Stop::Failed);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project.root.join("target"), Into::into);
    let name = format!("sioco-trust{}", std::env::consts::EXE_SUFFIX);
    let mut driver = Command::new(target.join("release").join(name));
    driver.current_dir(&project.root).args(arguments);
    run(driver)
}

#[cfg(unix)]
fn run(mut driver: Command) -> Result<Findings, Stop> {
    use std::os::unix::process::CommandExt;
    // It comes back only if that did not work.
    Err(Stop::Trouble(format!("cannot start the driver: {}", driver.exec())))
}

#[cfg(not(unix))]
fn run(mut driver: Command) -> Result<Findings, Stop> {
    let status = driver.status().map_err(|e| format!("cannot start the driver: {e}"))?;
    if status.success() { Ok(Findings::new()) } else { Err(Stop::Failed) }
}
