//! Which solvers there are on this machine, found without starting any of them.
//!
//! The Z3 library is looked for in this order, and the first one found is the one to use:
//!
//! 1. the file that `SIOCO_Z3` names; if it is set, nothing else is looked for;
//! 2. where the dynamic linker looks: `LD_LIBRARY_PATH`, `DYLD_LIBRARY_PATH`, `/usr/local/lib`, `/usr/lib` and `/lib`
//!    with Debian's multiarch folders, the same with `lib64`, Homebrew, MacPorts;
//! 3. the `z3-solver` package of the active Python: `VIRTUAL_ENV`, then the `python3` on the path;
//! 4. what `cargo xtask setup` fetched into `target/tools`, in this folder or one above.
//!
//! The search itself is the solver crate's; `cargo xtask setup` looks in the same order. Programs are looked for on the path.

use std::fs;
use std::path::{Path, PathBuf};

use sioco_solve::smt::locate::{Fate, Origin, candidates, on_path};

/// The programs that can be used, best first.
pub const PROGRAMS: [&str; 3] = ["z3", "cvc5", "yices-smt2"];

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Solvers {
    /// Z3 libraries, the first one is used.
    pub libraries: Vec<Library>,
    /// Programs, each with where it is.
    pub programs: Vec<(&'static str, Option<PathBuf>)>,
    /// What is set up but does not work.
    pub problems: Vec<String>,
}

/// A Z3 library.
#[derive(Clone, Debug)]
pub struct Library {
    /// Where it is.
    pub path: PathBuf,
    /// Its version, as far as names of files tell.
    pub version: Option<String>,
    /// Who put it there.
    pub origin: Origin,
}

/// Looks for all of them.
pub fn find() -> Solvers {
    let mut found = Solvers { programs: PROGRAMS.map(|name| (name, on_path(name))).to_vec(), ..Solvers::default() };
    for candidate in candidates() {
        match (candidate.origin, candidate.fate) {
            (Origin::Chosen, Fate::Refused(_)) => found.problems.push(format!(
                "SIOCO_Z3 is `{}`, and there is no such file; correct it, or unset it to use what else is found",
                candidate.path.display()
            )),
            // The same file under another name.
            (_, Fate::Refused(_)) => {}
            (origin, _) => found.libraries.push(library(candidate.path, origin)),
        }
    }
    found
}

fn library(path: PathBuf, origin: Origin) -> Library {
    let version = version_of_package(&path).or_else(|| version_in_name(&path));
    Library { path, version, origin }
}

/// A package of Python has a folder with its version beside it: `z3_solver-4.15.0.0.dist-info`.
fn version_of_package(path: &Path) -> Option<String> {
    let packages = path.parent()?.parent()?.parent()?;
    let names = fs::read_dir(packages).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut versions = names.filter_map(|name| {
        let version = name.strip_prefix("z3_solver-")?.strip_suffix(".dist-info")?;
        Some(version.to_owned())
    });
    versions.next()
}

/// `libz3.so` is mostly a link to a file with a number behind it.
fn version_in_name(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let name = real.file_name()?.to_str()?;
    let version = name.strip_prefix("libz3.so.").or_else(|| name.strip_prefix("libz3.")?.strip_suffix(".dylib"))?;
    (!version.is_empty()).then(|| version.to_owned())
}
