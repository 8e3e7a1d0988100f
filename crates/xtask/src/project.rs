//! The workspace as cargo and git see it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::child;

/// Neither cargo's nor git's listing takes long; a lock held by another cargo is the only reason to wait.
const LISTING_LIMIT: Duration = Duration::from_secs(120);

pub struct Project {
    pub root: PathBuf,
    /// The build directory, wherever it was configured to be.
    pub target: PathBuf,
    pub crates: Vec<Crate>,
}

pub struct Crate {
    pub name: String,
    pub dir: PathBuf,
    /// The names of the packages it is built with; what only its tests use is left out.
    pub dependencies: Vec<String>,
}

impl Project {
    pub fn load() -> Result<Project, String> {
        let arguments = ["metadata", "--format-version", "1", "--no-deps"];
        let text = child::output(child::cargo().args(arguments), LISTING_LIMIT)
            .map_err(|trouble| format!("cargo metadata: {trouble}"))?;
        Project::from_metadata(&text).ok_or_else(|| "cargo metadata: the answer is not as documented".to_owned())
    }

    fn from_metadata(text: &str) -> Option<Project> {
        let metadata: Value = serde_json::from_str(text).ok()?;
        let path = |key: &str| Some(PathBuf::from(metadata[key].as_str()?));
        let crates = metadata["packages"].as_array()?.iter().map(Crate::from_metadata).collect::<Option<_>>()?;
        Some(Project { root: path("workspace_root")?, target: path("target_directory")?, crates })
    }

    pub fn has_crate(&self, name: &str) -> bool {
        self.crates.iter().any(|c| c.name == name)
    }

    /// All files that are or could be committed, relative to the root, in a fixed order.
    pub fn files(&self) -> Result<Vec<PathBuf>, String> {
        let mut git = Command::new("git");
        git.current_dir(&self.root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut files: Vec<PathBuf> = match child::output(&mut git, LISTING_LIMIT) {
            Ok(list) => list.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect(),
            // An unpacked archive instead of a clone.
            Err(_) => files_under(&self.root, &["target", ".git"])?
                .iter()
                .filter_map(|path| Some(path.strip_prefix(&self.root).ok()?.to_owned()))
                .collect(),
        };
        // Deleted but not yet committed, or a submodule.
        files.retain(|path| self.root.join(path).is_file());
        files.sort();
        files.dedup();
        Ok(files)
    }
}

impl Crate {
    fn from_metadata(package: &Value) -> Option<Crate> {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let mut dependencies = Vec::new();
        for dependency in package["dependencies"].as_array()? {
            if dependency["kind"].as_str() != Some("dev") {
                dependencies.push(dependency["name"].as_str()?.to_owned());
            }
        }
        Some(Crate { name: package["name"].as_str()?.to_owned(), dir: manifest.parent()?.to_owned(), dependencies })
    }
}

/// All files under a directory, in a fixed order, without those directories at its top.
pub fn files_under(dir: &Path, except: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        let entries = fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", next.display()))?.path();
            let excepted = next == dir && except.iter().any(|name| path.ends_with(name));
            if path.is_dir() && !path.is_symlink() {
                if !excepted {
                    open.push(path);
                }
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A file's text; bytes that are not UTF-8 are of no interest to any check.
pub fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_metadata() {
        let text = r#"{
            "workspace_root": "/p", "target_directory": "/t",
            "packages": [{
                "name": "a", "manifest_path": "/p/crates/a/Cargo.toml",
                "dependencies": [
                    {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "d", "kind": "build"}
                ]
            }]
        }"#;
        let project = Project::from_metadata(text).unwrap();
        assert_eq!((project.root, project.target), (PathBuf::from("/p"), PathBuf::from("/t")));
        let [a] = project.crates.as_slice() else { panic!("one crate") };
        assert_eq!((a.name.as_str(), a.dir.as_path()), ("a", Path::new("/p/crates/a")));
        assert_eq!(a.dependencies, ["b", "d"]);
        assert!(Project::from_metadata("{}").is_none());
    }

    #[test]
    fn this_workspace_has_this_file() {
        let project = Project::load().unwrap();
        assert!(project.has_crate("xtask") && !project.has_crate("no-such-crate"));
        assert!(project.files().unwrap().contains(&PathBuf::from("crates/xtask/src/project.rs")));
        assert!(files_under(&project.root, &["target", ".git"]).unwrap().len() > 10);
    }
}
