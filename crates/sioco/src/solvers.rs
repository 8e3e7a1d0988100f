//! Which solvers there are on this machine.
//!
//! The Z3 library is looked for in this order, and the first one that can be opened is the one to use:
//!
//! 1. the file that `SIOCO_Z3` names; if it is set, nothing else is looked for;
//! 2. where the dynamic linker looks: `LD_LIBRARY_PATH`, `DYLD_LIBRARY_PATH`, `/usr/local/lib`, `/usr/lib` and `/lib`
//!    with Debian's multiarch folders, the same with `lib64`, Homebrew, MacPorts;
//! 3. the `z3-solver` package of the active Python: `VIRTUAL_ENV`, then the `python3` on the path;
//! 4. what `cargo xtask setup` fetched into `target/tools`, of the folder that this program was built in.
//!
//! The search itself is the solver crate's, for `cargo xtask setup` as well. Programs are looked for on the
//! path, and asked for their version.

use crate::files::ShownPath;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use sioco_solve::smt::locate::{Candidate, Fate, Origin, on_path};
use sioco_solve::smt::version::{self, NoVersion};
use sioco_solve::smt::z3;

/// The programs that can be used, best first.
pub const PROGRAMS: [&str; 5] = ["z3", "cvc5", "yices-smt2", "mathsat", "opensmt"];

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Solvers {
    /// Z3 libraries, best first.
    pub libraries: Vec<Library>,
    /// Programs.
    pub programs: Vec<Program>,
    /// What is set up but does not work.
    pub problems: Vec<String>,
}

/// A Z3 library.
#[derive(Clone, Debug)]
pub struct Library {
    /// Where it is.
    pub path: PathBuf,
    /// Its version: its own word if it is used, otherwise as far as names of files tell.
    pub version: Option<String>,
    /// Who put it there.
    pub origin: Origin,
    /// Whether it is the one that is used.
    pub used: bool,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Where it is, and the version that it says it is, or why it does not say any.
    pub found: Option<(PathBuf, Result<String, NoVersion>)>,
}

/// What `--solver auto` takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Auto {
    /// A Z3 library.
    Library(PathBuf),
    /// Z3 as a program.
    Program(PathBuf),
    /// There is no Z3: the built-in layers are alone.
    BuiltIn,
    /// There is one, and it does not work.
    Broken,
}

impl fmt::Display for Auto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Auto::Library(path) => write!(f, "the Z3 library {}", path.shown()),
            Auto::Program(path) => write!(f, "the program {}", path.shown()),
            Auto::BuiltIn => f.write_str("only the built-in solver, because there is no Z3"),
            Auto::Broken => f.write_str("no working Z3: what the built-in solver does not decide is unknown"),
        }
    }
}

impl Solvers {
    /// What `--solver auto` takes: the Z3 library, or else the program, unless `SIOCO_Z3` names a library.
    pub fn auto(&self) -> Auto {
        if let Some(library) = self.libraries.iter().find(|l| l.used) {
            return Auto::Library(library.path.clone());
        }
        let chosen = std::env::var_os("SIOCO_Z3").is_some_and(|chosen| !chosen.is_empty());
        let program = self.programs.iter().find(|p| p.name == "z3" && !chosen);
        match program.and_then(|p| p.found.as_ref()) {
            Some((path, _)) => Auto::Program(path.clone()),
            None if self.libraries.is_empty() && self.problems.is_empty() => Auto::BuiltIn,
            None => Auto::Broken,
        }
    }

    /// The programs other than Z3 that work: they are used if they are asked for.
    pub fn others(&self) -> Vec<&'static str> {
        let works = |p: &&Program| p.name != "z3" && matches!(p.found, Some((_, Ok(_))));
        self.programs.iter().filter(works).map(|p| p.name).collect()
    }

    /// Whether anything can be used.
    pub fn any(&self) -> bool {
        let program = |p: &Program| matches!(p.found, Some((_, Ok(_))));
        self.libraries.iter().any(|l| l.used) || self.programs.iter().any(program)
    }
}

/// Looks for all of them.
pub fn find() -> Solvers {
    let mut found = Solvers { programs: programs(), ..Solvers::default() };
    for candidate in z3::find().1 {
        match (candidate.origin, &candidate.fate) {
            (Origin::Chosen, Fate::Refused(_)) if !candidate.path.is_file() => found.problems.push(format!(
                "SIOCO_Z3 is `{}`, but there is no such file; correct it, or unset it",
                candidate.path.shown()
            )),
            // The same file under another name.
            (_, Fate::Refused(why)) if why.contains("the same file") => {}
            _ => found.libraries.push(library(candidate)),
        }
    }
    found
}

/// The programs; all are asked at once, since each may take its time.
fn programs() -> Vec<Program> {
    let ask = |name: &'static str| {
        let path = on_path(name)?;
        let version = version::ask(&path, version::PATIENCE);
        Some((path, version))
    };
    std::thread::scope(|scope| {
        let asked = PROGRAMS.map(|name| (name, scope.spawn(move || ask(name))));
        asked.map(|(name, answer)| Program { name, found: answer.join().ok().flatten() }).into()
    })
}

fn library(candidate: Candidate) -> Library {
    let Candidate { path, origin, fate } = candidate;
    let named = version_of_package(&path).or_else(|| version_in_name(&path));
    let (version, used, problem) = match fate {
        Fate::Taken(version) => (Some(version).filter(|v| !v.is_empty()).or(named), true, None),
        Fate::NotTried => (named, false, None),
        Fate::Refused(why) => (named, false, Some(why)),
    };
    Library { path, version, origin, used, problem }
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
