//! The project that a model belongs to: the nearest folder with a `sioco.toml`, from that of the model upwards.

use std::path::{Path, PathBuf};

use sioco_adapter::config::{Config, FILE};
use sioco_model::names::did_you_mean;

use crate::failure::{Failure, plain};

/// A project.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Project {
    /// Its folder, which commands and paths in its file are relative to.
    pub root: PathBuf,
    /// What its file says; nothing, if there is none.
    pub config: Config,
}

impl Project {
    /// The project of a model.
    pub fn of(model: &Path) -> Result<Project, Failure> {
        let folder = match model.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        // Only a whole path has all the folders above it.
        let folder = std::fs::canonicalize(&folder).unwrap_or(folder);
        match folder.ancestors().find(|folder| folder.join(FILE).is_file()) {
            Some(root) => Project::read(&root.join(FILE)),
            None => Ok(Project { root: folder, config: Config::default() }),
        }
    }

    /// The project with this file.
    pub fn read(file: &Path) -> Result<Project, Failure> {
        let text = std::fs::read_to_string(file);
        let text =
            text.map_err(|error| Failure::usage(format!("cannot read `{}`: {}", file.display(), plain(&error))))?;
        let config =
            text.parse().map_err(|why: String| Failure::usage(format!("`{}` is wrong: {why}", shown(file))))?;
        let root = file.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Project { root, config })
    }

    /// Its file.
    pub fn file(&self) -> String {
        shown(&self.root.join(FILE))
    }

    /// What may be meant by a name that is no system of the project.
    pub fn suggestion(&self, name: &str) -> Option<String> {
        let near = did_you_mean(name, self.config.sut.keys().map(String::as_str))?;
        Some(format!("did you mean `{near}`, which is in `{}`?", self.file()))
    }
}

/// A path as it is shown: from here, if it is below.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let short = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_owned));
    short.unwrap_or_else(|| file.to_owned()).display().to_string()
}
