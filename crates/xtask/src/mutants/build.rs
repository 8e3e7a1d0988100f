//! Building the test programs of the copy, and finding mutants that do not build.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::child;

/// As a release, with the checks of a debug build: tests are fast, and an overflow still shows.
const PROFILE: &[(&str, &str)] = &[
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
    ("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true"),
    ("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true"),
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "true"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
];

/// A test program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The crate and the name of the program in it.
    pub name: String,
    pub package: String,
    pub path: PathBuf,
    /// The folder of the crate, which is where its tests run.
    pub folder: PathBuf,
    /// Tells whether it is still the same, with all that it starts.
    pub hash: String,
}

/// An error of the compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    pub shown: String,
    /// Where, by files of the workspace; the place of the error itself comes first.
    pub places: Vec<(PathBuf, Range<usize>)>,
}

/// What came of a build.
#[derive(Default, Debug)]
pub struct Built {
    pub programs: Vec<Program>,
    pub errors: Vec<Error>,
}

/// Builds the test programs of some crates.
pub fn build(tree: &Path, target: &Path, packages: &[&str], jobs: usize) -> Result<Built, String> {
    let mut cargo = child::cargo();
    cargo.current_dir(tree).env("CARGO_TARGET_DIR", target).envs(PROFILE.iter().copied());
    cargo.args(["test", "--release", "--no-run", "--quiet", "--message-format=json", "--jobs", &jobs.to_string()]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    let output = run(&mut cargo)?;
    let mut built = read(&output.text);
    if !output.success && built.errors.is_empty() {
        return Err(format!("cargo does not build the tests: {}", output.last));
    }
    hash_all(&mut built.programs)?;
    built.programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(built)
}

struct Output {
    text: String,
    success: bool,
    last: String,
}

fn run(command: &mut Command) -> Result<Output, String> {
    // The time that a build takes has no bound that is worth to be stated.
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it says nothing").to_owned();
    Ok(Output { text: String::from_utf8_lossy(&output.stdout).into_owned(), success: output.status.success(), last })
}

/// Reads the messages of cargo.
fn read(text: &str) -> Built {
    let mut built = Built::default();
    for message in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match message["reason"].as_str() {
            Some("compiler-artifact") => built.programs.extend(program(&message)),
            Some("compiler-message") => built.errors.extend(error(&message["message"])),
            _ => {}
        }
    }
    built
}

/// A program that is a test or is started by one.
fn program(message: &Value) -> Option<Program> {
    let path = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = folder.file_name()?.to_str()?.to_owned();
    let target = message["target"]["name"].as_str()?;
    let is_test = message["profile"]["test"].as_bool()?;
    // Several targets may share a name.
    let kind = message["target"]["kind"][0].as_str()?;
    let name = match (is_test, kind) {
        (false, _) => String::new(),
        (true, "test") => format!("{package}/{target}"),
        (true, kind) => format!("{package}/{kind} {target}"),
    };
    Some(Program { name, package, path, folder, hash: String::new() })
}

fn error(message: &Value) -> Option<Error> {
    if message["level"].as_str() != Some("error") {
        return None;
    }
    let mut places = Vec::new();
    let mut spans: Vec<&Value> = message["spans"].as_array()?.iter().collect();
    spans.sort_by_key(|s| !s["is_primary"].as_bool().unwrap_or(false));
    for span in spans {
        let at = |key: &str| span[key].as_u64().and_then(|n| usize::try_from(n).ok());
        if let (Some(file), Some(start), Some(end)) = (span["file_name"].as_str(), at("byte_start"), at("byte_end")) {
            places.push((PathBuf::from(file), start..end));
        }
    }
    // The last message only counts the others.
    if places.is_empty() {
        return None;
    }
    Some(Error { shown: message["rendered"].as_str().unwrap_or("an error").to_owned(), places })
}

/// Tests start programs of their own crate; where one of these changes, the test is another one, too.
fn hash_all(programs: &mut Vec<Program>) -> Result<(), String> {
    let mut hashes: BTreeMap<PathBuf, u64> = BTreeMap::new();
    for program in programs.iter() {
        let bytes = std::fs::read(&program.path).map_err(|e| format!("{}: {e}", program.path.display()))?;
        hashes.insert(program.path.clone(), hash(&bytes));
    }
    let started: Vec<(String, u64)> =
        programs.iter().filter(|p| p.name.is_empty()).map(|p| (p.package.clone(), hashes[&p.path])).collect();
    programs.retain(|p| !p.name.is_empty());
    for program in programs {
        let mut all = vec![hashes[&program.path]];
        all.extend(started.iter().filter(|(package, _)| *package == program.package).map(|(_, h)| *h));
        all.sort_unstable();
        program.hash = format!("{:016x}", hash(&all));
    }
    Ok(())
}

/// The same for the same, on every machine of one kind.
pub fn hash(what: &(impl std::hash::Hash + ?Sized)) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_errors_are_read() {
        let text = r#"
            {"reason":"compiler-artifact","manifest_path":"/p/crates/a/Cargo.toml","executable":"/t/a-1","target":{"name":"traces","kind":["test"]},"profile":{"test":true}}
            {"reason":"compiler-artifact","manifest_path":"/p/crates/a/Cargo.toml","executable":"/t/a-2","target":{"name":"a","kind":["lib"]},"profile":{"test":true}}
            {"reason":"compiler-artifact","manifest_path":"/p/crates/a/Cargo.toml","executable":"/t/a","target":{"name":"a","kind":["bin"]},"profile":{"test":false}}
            {"reason":"compiler-artifact","manifest_path":"/p/crates/a/Cargo.toml","executable":null,"target":{"name":"a","kind":["lib"]},"profile":{"test":false}}
            {"reason":"compiler-message","message":{"level":"warning","rendered":"w","spans":[{"file_name":"a.rs","byte_start":1,"byte_end":2,"is_primary":true}]}}
            {"reason":"compiler-message","message":{"level":"error","rendered":"e","spans":[{"file_name":"b.rs","byte_start":3,"byte_end":4,"is_primary":false},{"file_name":"a.rs","byte_start":1,"byte_end":2,"is_primary":true}]}}
            {"reason":"compiler-message","message":{"level":"error","rendered":"aborting due to 1 previous error","spans":[]}}
        "#;
        let built = read(text);
        let names: Vec<&str> = built.programs.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["a/traces", "a/lib a", ""]);
        assert_eq!(built.programs[0].folder, Path::new("/p/crates/a"));
        let [error] = &built.errors[..] else { panic!("one error") };
        assert_eq!(error.places, [(PathBuf::from("a.rs"), 1..2), (PathBuf::from("b.rs"), 3..4)]);
    }
}
