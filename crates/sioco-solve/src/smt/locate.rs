//! Where Z3 libraries are.
//!
//! In this order: the one that `SIOCO_Z3` names, and then no other; the system's; the `z3-solver` package of the
//! active Python; the one that `cargo xtask setup` fetched.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs};

/// A library that could be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Where it is.
    pub path: PathBuf,
    /// Who put it there.
    pub origin: Origin,
    /// What became of it.
    pub fate: Fate,
}

/// Who put a library where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The user, by `SIOCO_Z3`.
    Chosen,
    /// The system.
    System,
    /// The active Python.
    Python,
    /// `cargo xtask setup`.
    Fetched,
}

/// What became of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It was not tried; another one before it was taken, or nobody has tried any yet.
    NotTried,
    /// It is used; its version.
    Taken(String),
    /// It cannot be used, and why.
    Refused(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Chosen => "chosen by SIOCO_Z3",
            Origin::System => "of the system",
            Origin::Python => "of Python",
            Origin::Fetched => "fetched",
        })
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::NotTried => f.write_str("not tried"),
            Fate::Taken(version) => write!(f, "used, {version}"),
            Fate::Refused(why) => write!(f, "not used: {why}"),
        }
    }
}

/// All candidates, best first; those that cannot be meant are refused already.
pub fn candidates() -> Vec<Candidate> {
    if let Some(chosen) = env::var_os("SIOCO_Z3").filter(|chosen| !chosen.is_empty()).map(PathBuf::from) {
        let fate = match chosen.is_file() {
            true => Fate::NotTried,
            false => Fate::Refused("there is no such file; correct SIOCO_Z3, or unset it".into()),
        };
        return vec![Candidate { path: chosen, origin: Origin::Chosen, fate }];
    }
    let groups =
        [(system_folders(), Origin::System), (python_folders(), Origin::Python), (fetched_folders(), Origin::Fetched)];
    among(groups)
}

fn among(groups: impl IntoIterator<Item = (Vec<PathBuf>, Origin)>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    for (folders, origin) in groups {
        for path in folders.iter().filter_map(|folder| library_in(folder)) {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            // `/lib` is often the same as `/usr/lib`.
            let fate = match seen.get(&real) {
                Some(first) if *first == path => continue,
                Some(first) => Fate::Refused(format!("it is the same file as {}", first.display())),
                None => Fate::NotTried,
            };
            seen.entry(real).or_insert_with(|| path.clone());
            found.push(Candidate { path, origin, fate });
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

/// Where `cargo xtask setup` leaves what it fetches: in the folder that this program was built in. Wherever the user
/// happens to be, a stranger may have put a library.
fn fetched_folders() -> Vec<PathBuf> {
    let chosen = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let program = env::current_exe().unwrap_or_default();
    let built = program.ancestors().find(|folder| folder.join(BUILT).is_file()).map(Path::to_path_buf);
    chosen.into_iter().chain(built).map(|target| target.join("tools/python/z3/lib")).collect()
}

/// What cargo leaves in a folder that it builds in.
const BUILT: &str = ".rustc_info.json";

/// The Z3 library in a folder: `libz3.so` before `libz3.so.4` before `libz3.so.4.15`.
pub fn library_in(folder: &Path) -> Option<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ending = name.strip_prefix("libz3.").unwrap_or_default();
        ["so", "dylib", "dll"].contains(&ending.split('.').next().unwrap_or_default()) && path.is_file()
    };
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(is_library).min_by_key(|path| (path.as_os_str().len(), path.clone()))
}

/// A program on the path.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let names = [name.to_owned(), format!("{name}{}", env::consts::EXE_SUFFIX)];
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| names.clone().map(|name| folder.join(name)))
        .find(|file| is_program(file))
}

/// Whether it is a file that can be started.
#[cfg(unix)]
pub fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether it is a file that can be started.
#[cfg(not(unix))]
pub fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension(env::consts::EXE_EXTENSION).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_library_by_its_name() {
        let dir = env::temp_dir().join(format!("sioco-library-{}", std::process::id()));
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
    fn each_library_is_named_once_and_doubles_say_so() {
        let base = env::temp_dir().join(format!("sioco-locate-{}", std::process::id()));
        let [first, second] = ["a", "b"].map(|name| base.join(name));
        for folder in [&first, &second] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(first.join("libz3.so.4"), "").unwrap();
        fs::write(first.join("libz3java.so"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(first.join("libz3.so.4"), second.join("libz3.so")).unwrap();
        let folders = vec![first.clone(), first.clone(), second, base.join("none")];
        let found = among([(folders, Origin::System)]);
        fs::remove_dir_all(&base).unwrap();
        assert_eq!(found[0].path, first.join("libz3.so.4"));
        assert_eq!(found[0].fate, Fate::NotTried);
        #[cfg(unix)]
        assert!(matches!(&found[1].fate, Fate::Refused(why) if why.contains("the same file")), "{found:?}");
    }
}
