//! A copy of the workspace in which sources are replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{self, Project};

/// Makes `to` a copy of the workspace, with these texts instead of those of some files. What is the same already is not
/// touched, so that cargo builds little anew; what is gone is deleted.
pub fn copy(project: &Project, to: &Path, replaced: &BTreeMap<PathBuf, String>) -> Result<(), String> {
    let trouble = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(to).map_err(|e| trouble(to, e))?;
    let files: BTreeSet<PathBuf> = project.files()?.into_iter().collect();
    for old in project::files_under(to, &[])? {
        let name = old.strip_prefix(to).expect("it was found there");
        if !files.contains(name) {
            fs::remove_file(&old).map_err(|e| trouble(&old, e))?;
        }
    }
    for file in &files {
        let (from, to) = (project.root.join(file), to.join(file));
        let wanted = match replaced.get(file) {
            Some(text) => text.clone().into_bytes(),
            None => fs::read(&from).map_err(|e| trouble(&from, e))?,
        };
        if fs::read(&to).is_ok_and(|there| there == wanted) {
            continue;
        }
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(|e| trouble(folder, e))?;
        }
        fs::write(&to, wanted).map_err(|e| trouble(&to, e))?;
        let permissions = fs::metadata(&from).map_err(|e| trouble(&from, e))?.permissions();
        fs::set_permissions(&to, permissions).map_err(|e| trouble(&to, e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_written() {
        let place = std::env::temp_dir().join(format!("sioco-mutants-tree-{}", std::process::id()));
        let (root, to) = (place.join("from"), place.join("to"));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/a.rs"), "a").unwrap();
        fs::write(root.join("src/b.rs"), "b").unwrap();
        let project = Project { root: root.clone(), target: place.join("target"), crates: Vec::new() };
        let replaced = BTreeMap::from([(PathBuf::from("src/b.rs"), "changed".to_owned())]);
        copy(&project, &to, &replaced).unwrap();
        let read = |name: &str| fs::read_to_string(to.join(name)).ok();
        assert_eq!((read("src/a.rs").unwrap(), read("src/b.rs").unwrap()), ("a".into(), "changed".into()));
        let time = |name: &str| fs::metadata(to.join(name)).unwrap().modified().unwrap();
        let before = (time("src/a.rs"), time("src/b.rs"));
        fs::write(to.join("src/old.rs"), "old").unwrap();
        copy(&project, &to, &replaced).unwrap();
        assert_eq!(before, (time("src/a.rs"), time("src/b.rs")));
        assert_eq!(read("src/old.rs"), None);
        fs::remove_dir_all(&place).unwrap();
    }
}
