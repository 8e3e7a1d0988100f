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
//! `cargo xtask setup` looks in the same order. Programs are looked for on the path.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

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
    pub origin: &'static str,
}

/// Looks for all of them.
pub fn find() -> Solvers {
    let mut found = Solvers { programs: PROGRAMS.map(|name| (name, on_path(name))).to_vec(), ..Solvers::default() };
    if let Some(chosen) = env::var_os("SIOCO_Z3").filter(|chosen| !chosen.is_empty()).map(PathBuf::from) {
        if chosen.is_file() {
            found.libraries.push(library(chosen, "chosen by SIOCO_Z3"));
        } else {
            found.problems.push(format!(
                "SIOCO_Z3 is `{}`, and there is no such file; correct it, or unset it to use what else is found",
                chosen.display()
            ));
        }
        return found;
    }
    let groups = [(system_folders(), "of the system"), (python_folders(), "of Python"), (fetched_folders(), "fetched")];
    let mut seen = HashSet::new();
    for (folders, origin) in groups {
        for path in folders.iter().filter_map(|folder| library_in(folder)) {
            // `/lib` is often the same as `/usr/lib`.
            if seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                found.libraries.push(library(path, origin));
            }
        }
    }
    found
}

fn system_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for variable in ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"] {
        folders.extend(env::var_os(variable).iter().flat_map(env::split_paths));
    }
    let multiarch = format!("{}-linux-gnu", env::consts::ARCH);
    for base in ["/usr/local/lib", "/usr/lib", "/lib"] {
        folders.push(PathBuf::from(base));
        folders.push(Path::new(base).join(&multiarch));
    }
    let others = ["/usr/local/lib64", "/usr/lib64", "/lib64", "/opt/homebrew/lib", "/opt/local/lib"];
    folders.extend(others.map(PathBuf::from));
    folders
}

/// `z3/lib` in every folder of packages that belongs to the active Python.
fn python_folders() -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> = env::var_os("VIRTUAL_ENV").map(PathBuf::from).into_iter().collect();
    if let Some(python) = on_path("python3").or_else(|| on_path("python")) {
        // The python of an environment is a link to the one it was made with; its own packages come first.
        let real = python.canonicalize().ok();
        for program in [Some(python), real].into_iter().flatten() {
            prefixes.extend(program.parent().and_then(Path::parent).map(Path::to_path_buf));
        }
        prefixes.push(PathBuf::from("/usr/local"));
        prefixes.extend(env::var_os("HOME").map(|home| Path::new(&home).join(".local")));
    }
    let mut folders = Vec::new();
    for prefix in prefixes {
        let lib = prefix.join("lib");
        let mut versions: Vec<PathBuf> = (fs::read_dir(&lib).into_iter().flatten())
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3")))
            .collect();
        versions.sort();
        versions.push(prefix.join("Lib"));
        for version in versions {
            folders.extend(["site-packages", "dist-packages"].map(|packages| version.join(packages).join("z3/lib")));
        }
    }
    folders
}

/// Where `cargo xtask setup` leaves what it fetches.
fn fetched_folders() -> Vec<PathBuf> {
    let chosen = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let here = env::current_dir().unwrap_or_default();
    let targets = chosen.into_iter().chain(here.ancestors().map(|folder| folder.join("target")));
    targets.map(|target| target.join("tools/python/z3/lib")).collect()
}

/// The Z3 library in a folder: `libz3.so` before `libz3.so.4` before `libz3.so.4.15`.
fn library_in(folder: &Path) -> Option<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ending = name.strip_prefix("libz3.").unwrap_or_default();
        ["so", "dylib", "dll"].contains(&ending.split('.').next().unwrap_or_default()) && path.is_file()
    };
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(is_library).min_by_key(|path| (path.as_os_str().len(), path.clone()))
}

fn library(path: PathBuf, origin: &'static str) -> Library {
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

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let names = [name.to_owned(), format!("{name}{}", env::consts::EXE_SUFFIX)];
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| names.clone().map(|name| folder.join(name)))
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
