//! The project that a model belongs to: the nearest folder with a `sioco.toml`, from that of the model upwards.

use std::path::{Path, PathBuf};

use sioco_adapter::config::{Config, ConfigError, FILE};
use sioco_adapter::text::{Dialect, DialectError};
use sioco_lang::source::{decode, read_limited};
use sioco_model::Model;
use sioco_model::model::Direction;
use sioco_model::names::did_you_mean;

use crate::defaults;
use crate::failure::{Failure, unreadable};
use crate::files::{MAX_PROJECT_BYTES, ShownPath};
use crate::permission::{self, Standing};
use crate::run::described::Described;

/// A project.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Project {
    /// Its folder, which commands and paths in its file are relative to.
    pub root: PathBuf,
    /// What its file says; nothing, if there is none.
    pub config: Config,
    /// Whose file that is.
    pub standing: Standing,
    /// Why the file was not read, where it is somebody else's.
    pub unread: Option<String>,
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
        match folder.ancestors().find(|folder| folder.join(FILE).exists()) {
            Some(root) => Project::read_for(&root.join(FILE), &folder).or_else(|failure| {
                // What somebody else left above, and perhaps keeps to themselves, is no mistake of the user. One beside the
                // model is plain to see.
                let about = std::fs::metadata(root.join(FILE)).ok();
                match about.map(|about| permission::standing(&root.join(FILE), &about, &folder)) {
                    Some(standing @ Standing::Foreign(_)) if root != folder => {
                        let unread = Some(failure.message.unwrap_or_default());
                        Ok(Project { root: root.to_owned(), config: Config::default(), standing, unread })
                    }
                    _ => Err(failure),
                }
            }),
            None => Ok(Project { root: folder, ..Project::default() }),
        }
    }

    /// The project with this file.
    pub fn read(file: &Path) -> Result<Project, Failure> {
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        Project::read_for(file, &folder)
    }

    /// The project with this file, for models in a folder.
    fn read_for(file: &Path, folder: &Path) -> Result<Project, Failure> {
        let (bytes, about) =
            read_limited(file, MAX_PROJECT_BYTES).map_err(|error| Failure::usage(unreadable(&shown(file), &error)))?;
        let text = decode(bytes).map_err(|error| Failure::usage(unreadable(&shown(file), &error)))?;
        let config =
            text.parse().map_err(|why: ConfigError| Failure::usage(format!("`{}` is wrong: {why}", shown(file))))?;
        let root = file.parent().map(Path::to_owned).unwrap_or_default();
        let standing = permission::standing(file, &about, folder);
        Ok(Project { root, config, standing, unread: None })
    }

    /// Its file.
    pub fn file(&self) -> String {
        shown(&self.root.join(FILE))
    }

    /// What is wrong with the file, whatever the models are: systems, dialects, and options.
    pub fn mistakes(&self) -> Vec<Failure> {
        let of_sut = |name: &String| Described::find(self, name, None).err();
        let mut found: Vec<Failure> = self.config.sut.keys().filter_map(of_sut).collect();
        for (name, config) in &self.config.dialect {
            let dialect = Dialect { name: name.clone(), config: config.clone() };
            let told = |why: DialectError| Failure::usage(format!("`{}`: {why}", self.file()));
            found.extend(dialect.mistakes().into_iter().map(told));
        }
        found.extend(defaults::mistakes(self));
        found
    }

    /// What is wrong with the dialects that are meant for a model, and what they have that may not be meant like this.
    /// A dialect is meant for a model if at least half of the gates that it names are gates of that model.
    pub fn for_model(&self, model: &Model) -> (Vec<String>, Vec<String>) {
        let (mut wrong, mut remarks) = (Vec::new(), Vec::new());
        for name in self.config.sut.keys() {
            // What is wrong with the system itself is told when the file is checked.
            let Ok(Some(described)) = Described::find(self, name, None) else { continue };
            let Some(dialect) = described.dialect() else { continue };
            let named = |names: Vec<&String>, direction| {
                let known = |name: &&&String| model.gate(name).is_some_and(|g| model.gates[g].direction == direction);
                (names.iter().filter(known).count(), names.len())
            };
            let inputs = named(dialect.config.inputs.0.iter().map(|(name, _)| name).collect(), Direction::Input);
            let outputs = named(dialect.config.outputs.0.iter().map(|(name, _)| name).collect(), Direction::Output);
            if 2 * (inputs.0 + outputs.0) < inputs.1 + outputs.1 {
                continue;
            }
            let file = self.file();
            match described.remarks(model) {
                Ok(all) => remarks.extend(all.into_iter().map(|remark| format!("`{file}`: {remark}"))),
                Err(all) => wrong.extend(all.into_iter().map(|why| format!("`{file}`: {why}"))),
            }
        }
        (wrong, remarks)
    }

    /// What may be meant by a name that is no system of the project.
    pub fn suggestion(&self, name: &str) -> String {
        let names = || self.config.sut.keys().map(String::as_str);
        match did_you_mean(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("`{}` has {}", self.file(), names().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A path as it is shown: from here, if it is below.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let short = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_owned));
    short.unwrap_or_else(|| file.to_owned()).shown()
}
