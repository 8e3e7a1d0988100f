//! What the tests need beyond Rust: found on the system, or fetched into the build directory.
//!
//! Here that is the Z3 library; `servers` has the servers of the examples. Nothing here needs rights or changes the system, and nothing here is fatal: without
//! a solver sioco answers `unknown` more often, and the tests that need one say so.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sioco_solve::smt::locate::{self, Candidate, Fate, Origin, library_in};

use crate::child::{self, Trouble};
use crate::project::Project;
use crate::{Findings, Stop};

/// Which wheel is fetched where the system has no Z3.
const WHEEL: &str = "z3-solver==5.4.0.0";

const DOWNLOAD_LIMIT: Duration = Duration::from_secs(180);
const QUESTION_LIMIT: Duration = Duration::from_secs(20);

/// The Z3 library, or why there is none.
pub enum Z3 {
    At(PathBuf, Origin),
    None(String),
}

impl fmt::Display for Z3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Z3::At(path, origin) => write!(f, "z3: {} ({origin})", path.display()),
            Z3::None(why) => write!(f, "z3: skipped: {why}"),
        }
    }
}

pub fn main(project: &Project, arguments: &[&str]) -> Result<Findings, Stop> {
    let fetch_anyway = arguments.contains(&"--fetch");
    println!("{}", z3(project, fetch_anyway));
    Ok(Findings::new())
}

/// Finds or fetches Z3. It is looked for where sioco itself will look.
pub fn z3(project: &Project, fetch_anyway: bool) -> Z3 {
    let tools = project.target.join("tools");
    let fetched = || library_in(&tools.join("python/z3/lib")).map(|path| Z3::At(path, Origin::Fetched));
    let candidates = locate::candidates();
    if let Some(chosen) = candidates.iter().find(|c| c.origin == Origin::Chosen) {
        return chosen_library(chosen);
    }
    let usable = candidates.into_iter().find(|c| c.fate == Fate::NotTried).map(|c| Z3::At(c.path, c.origin));
    let found = if fetch_anyway { None } else { usable };
    found.or_else(fetched).unwrap_or_else(|| fetch(&tools))
}

fn chosen_library(chosen: &Candidate) -> Z3 {
    match &chosen.fate {
        Fate::Refused(why) => Z3::None(format!("SIOCO_Z3 is {}: {why}", chosen.path.display())),
        _ => Z3::At(chosen.path.clone(), Origin::Chosen),
    }
}

fn fetch(tools: &Path) -> Z3 {
    let Some(mut pip) = pip() else {
        return Z3::None(
            "there is no Z3 library here, and no pip to fetch one; install libz3 or set SIOCO_Z3".to_owned(),
        );
    };
    eprintln!("fetching {WHEEL} into {} …", tools.display());
    let done = tools.join("python");
    // Installed beside and then renamed, so that what is there is always whole.
    let partial = tools.join(format!("python.partial-{}", std::process::id()));
    // A wheel or nothing: building Z3 from source takes most of an hour.
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1", "--timeout", "20"])
        .args(["--no-deps", "--only-binary", ":all:", "--target"])
        .args([partial.as_os_str(), WHEEL.as_ref()]);
    let result = child::output(&mut pip, DOWNLOAD_LIMIT).and_then(|_| {
        if done.exists() {
            fs::remove_dir_all(&done)?;
        }
        Ok(fs::rename(&partial, &done)?)
    });
    if partial.exists() {
        // Only a leftover in the build directory; the reason for it is reported below.
        let _ = fs::remove_dir_all(&partial);
    }
    match (result, library_in(&done.join("z3/lib"))) {
        (Ok(()), Some(path)) => Z3::At(path, Origin::Fetched),
        (Ok(()), None) => Z3::None(format!("{WHEEL} holds no library for this system")),
        (Err(trouble), _) => Z3::None(could_not_fetch(&trouble)),
    }
}

fn could_not_fetch(trouble: &Trouble) -> String {
    format!("{WHEEL} could not be fetched with pip: {trouble}; install libz3, or set SIOCO_Z3 to the library")
}

/// A pip that works.
pub fn pip() -> Option<Command> {
    let ways: [&[&str]; 3] = [&["python3", "-m", "pip"], &["pip3"], &["pip"]];
    let command = |way: &[&str]| {
        let mut command = Command::new(way[0]);
        command.args(&way[1..]);
        command
    };
    let way = ways.iter().find(|way| child::output(command(way).arg("--version"), QUESTION_LIMIT).is_ok())?;
    Some(command(way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_choice_is_said() {
        let path = PathBuf::from("no/such/libz3.so");
        let fate = Fate::Refused("there is no such file".to_owned());
        let z3 = chosen_library(&Candidate { path, origin: Origin::Chosen, fate });
        assert_eq!(z3.to_string(), "z3: skipped: SIOCO_Z3 is no/such/libz3.so: there is no such file");
    }

    #[test]
    fn a_failed_download_says_what_to_do() {
        let why = could_not_fetch(&Trouble::Failed("no network".to_owned()));
        assert!(why.contains("no network") && why.contains("SIOCO_Z3"), "{why}");
    }
}
