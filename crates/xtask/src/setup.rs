//! What the tests need beyond Rust: found on the system, or fetched into the build directory.
//!
//! For now that is the Z3 library. Nothing here needs rights or changes the system, and nothing here is fatal: without
//! a solver sioco answers `unknown` more often, and the tests that need one say so.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Chosen,
    System,
    Python,
    Fetched,
}

impl fmt::Display for Z3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, origin) = match self {
            Z3::At(path, origin) => (path, origin),
            Z3::None(why) => return write!(f, "z3: skipped: {why}"),
        };
        let origin = match origin {
            Origin::Chosen => "chosen by SIOCO_Z3",
            Origin::System => "of the system",
            Origin::Python => "of the active python3",
            Origin::Fetched => "fetched",
        };
        write!(f, "z3: {} ({origin})", path.display())
    }
}

pub fn main(project: &Project, arguments: &[&str]) -> Result<Findings, Stop> {
    let fetch_anyway = arguments.contains(&"--fetch");
    println!("{}", z3(project, fetch_anyway));
    Ok(Findings::new())
}

/// Finds or fetches Z3.
pub fn z3(project: &Project, fetch_anyway: bool) -> Z3 {
    if let Some(chosen) = env::var_os("SIOCO_Z3").filter(|chosen| !chosen.is_empty()) {
        return chosen_library(PathBuf::from(chosen));
    }
    let tools = project.target.join("tools");
    let fetched = || library_in(&tools.join("python/z3/lib")).map(|path| Z3::At(path, Origin::Fetched));
    if fetch_anyway {
        return fetched().unwrap_or_else(|| fetch(&tools));
    }
    let system = || library_dirs().iter().find_map(|dir| library_in(dir)).map(|path| Z3::At(path, Origin::System));
    system().or_else(of_python).or_else(fetched).unwrap_or_else(|| fetch(&tools))
}

fn chosen_library(path: PathBuf) -> Z3 {
    if path.is_file() {
        Z3::At(path, Origin::Chosen)
    } else {
        Z3::None(format!("SIOCO_Z3 is {}, and there is no such file", path.display()))
    }
}

/// Where the dynamic linker would look, Debian's multiarch directories included.
fn library_dirs() -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    for variable in ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"] {
        dirs.extend(env::var_os(variable).iter().flat_map(env::split_paths));
    }
    let multiarch = format!("{}-linux-gnu", env::consts::ARCH);
    for base in ["/usr/local/lib", "/usr/lib", "/lib"] {
        dirs.push(PathBuf::from(base));
        dirs.push(Path::new(base).join(&multiarch));
    }
    dirs.extend(["/usr/local/lib64", "/usr/lib64", "/lib64", "/opt/homebrew/lib", "/opt/local/lib"].map(PathBuf::from));
    dirs
}

/// The Z3 library in a directory: `libz3.so` before `libz3.so.4` before `libz3.so.4.15`.
fn library_in(dir: &Path) -> Option<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ending = name.strip_prefix("libz3.").unwrap_or_default();
        ["so", "dylib", "dll"].contains(&ending.split('.').next().unwrap_or_default()) && path.is_file()
    };
    let files = fs::read_dir(dir).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(is_library).min_by_key(|path| (path.as_os_str().len(), path.clone()))
}

/// The `z3-solver` wheel of the active Python, found without importing it.
fn of_python() -> Option<Z3> {
    let question = "import importlib.util as u; s = u.find_spec('z3'); print(s.submodule_search_locations[0])";
    let answer = child::output(Command::new("python3").args(["-c", question]), QUESTION_LIMIT).ok()?;
    let path = library_in(&Path::new(answer.trim()).join("lib"))?;
    Some(Z3::At(path, Origin::Python))
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

fn pip() -> Option<Command> {
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
    fn finds_a_library_by_its_name() {
        let dir = env::temp_dir().join(format!("sioco-setup-{}", std::process::id()));
        let find = |names: &[&str]| {
            fs::create_dir_all(&dir).unwrap();
            names.iter().for_each(|name| fs::write(dir.join(name), "").unwrap());
            let found = library_in(&dir).map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
            fs::remove_dir_all(&dir).unwrap();
            found
        };
        assert_eq!(find(&["libz3java.so", "libz3.a", "libz.so", "z3"]), None);
        assert_eq!(find(&["libz3.so.4.15", "libz3.so.4"]).as_deref(), Some("libz3.so.4"));
        assert_eq!(find(&["libz3.so", "libz3.so.4"]).as_deref(), Some("libz3.so"));
        assert_eq!(find(&["libz3.dylib"]).as_deref(), Some("libz3.dylib"));
        assert_eq!(library_in(&dir), None);
    }

    #[test]
    fn a_wrong_choice_is_said() {
        let z3 = chosen_library(PathBuf::from("no/such/libz3.so"));
        assert_eq!(z3.to_string(), "z3: skipped: SIOCO_Z3 is no/such/libz3.so, and there is no such file");
    }

    #[test]
    fn a_failed_download_says_what_to_do() {
        let why = could_not_fetch(&Trouble::Failed("no network".to_owned()));
        assert!(why.contains("no network") && why.contains("SIOCO_Z3"), "{why}");
    }
}
