//! `sioco new`: a project that runs at once.

use sioco_lang::source::{FsLoader, Loader};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::exit::Exit;
use crate::failure::{Failure, plain};
use crate::files::ShownPath;
use crate::model::shell_word;
use crate::output::Output;

/// Make a project that runs at once
///
/// Makes a folder with a small model, a system that conforms to it, what connects the two, `sioco.toml`, a README with
/// the commands, and a workflow for continuous integration. Existing files are not changed.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco new tank
  sioco new tank --template text
  sioco new tank --template rust --sioco-path ../sioco")]
pub struct New {
    /// The folder to make; its last part is the name of the project
    #[arg(value_name = "NAME")]
    folder: PathBuf,

    /// How the system is connected
    #[arg(long, value_enum, default_value_t)]
    template: Template,

    /// For `rust`: where the source of sioco is [default: where this program was built from]
    #[arg(long, value_name = "PATH")]
    sioco_path: Option<PathBuf>,
}

/// How a system is connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Template {
    /// An adapter in Python, which sioco starts
    #[default]
    Python,
    /// A server that speaks plain text: no adapter, `sioco.toml` describes the text
    Text,
    /// A server that speaks HTTP: no adapter, `sioco.toml` describes the requests
    Http,
    /// An adapter that is a server, which sioco starts and connects to
    Tcp,
    /// Rust code, tested by `cargo test` without an adapter
    Rust,
}

/// A text that comes with the program.
macro_rules! text {
    ($path:literal) => {
        include_str!(concat!("../../templates/", $path))
    };
}

impl Template {
    /// The files, by their paths in the project.
    fn files(self) -> Vec<(&'static str, &'static str)> {
        const WORKFLOW: &str = ".github/workflows/test.yml";
        let model = ("model.sts", text!("model.sts"));
        match self {
            Template::Python => vec![
                model,
                ("tank.py", text!("tank.py")),
                ("adapter.py", text!("python/adapter.py")),
                ("sioco.toml", text!("python/sioco.toml")),
                ("README.md", text!("python/README.md")),
                (".gitignore", text!("python/gitignore")),
                (WORKFLOW, text!("python/test.yml")),
            ],
            Template::Tcp => vec![
                model,
                ("tank.py", text!("tank.py")),
                ("server.py", text!("tcp/server.py")),
                ("sioco.toml", text!("tcp/sioco.toml")),
                ("README.md", text!("tcp/README.md")),
                (".gitignore", text!("python/gitignore")),
                (WORKFLOW, text!("tcp/test.yml")),
            ],
            Template::Text => vec![
                model,
                ("tank.py", text!("tank.py")),
                ("server.py", text!("text/server.py")),
                ("sioco.toml", text!("text/sioco.toml")),
                ("README.md", text!("text/README.md")),
                (".gitignore", text!("python/gitignore")),
                (WORKFLOW, text!("tcp/test.yml")),
            ],
            Template::Http => vec![
                model,
                ("tank.py", text!("tank.py")),
                ("server.py", text!("http/server.py")),
                ("sioco.toml", text!("http/sioco.toml")),
                ("README.md", text!("http/README.md")),
                (".gitignore", text!("python/gitignore")),
                (WORKFLOW, text!("tcp/test.yml")),
            ],
            Template::Rust => vec![
                model,
                ("Cargo.toml", text!("rust/Cargo.toml.in")),
                ("src/lib.rs", text!("rust/src/lib.rs")),
                ("tests/conforms.rs", text!("rust/tests/conforms.rs")),
                ("sioco.toml", text!("rust/sioco.toml")),
                ("README.md", text!("rust/README.md")),
                (".gitignore", text!("rust/gitignore")),
                (WORKFLOW, text!("rust/test.yml")),
            ],
        }
    }

    /// What to do in the new folder.
    fn commands(self) -> &'static [&'static str] {
        match self {
            Template::Python => &[
                "sioco check model.sts",
                "sioco adapter check model.sts -- python3 adapter.py",
                "sioco test model.sts --sut 'python3 adapter.py'",
            ],
            Template::Text | Template::Http | Template::Tcp => &[
                "sioco check model.sts",
                "sioco adapter check model.sts --sut tank",
                "sioco test model.sts --sut tank",
            ],
            Template::Rust => &["sioco check model.sts", "cargo test"],
        }
    }
}

/// Where the source of sioco is, for a dependency on it.
enum Source {
    Known(PathBuf),
    /// Somebody has to say.
    Unknown,
}

impl New {
    /// Makes the project.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let name = self.name()?;
        let source = self.source()?;
        let fresh = self.free()?;
        let files: Vec<(&str, String)> =
            self.template.files().into_iter().map(|(path, text)| (path, fill(text, name, &source))).collect();
        if let Err((path, error)) = write(&self.folder, &files) {
            if fresh {
                // Half a project is none, and whatever is in the folder came from here.
                let _ = fs::remove_dir_all(&self.folder);
            }
            return Err(Failure::write(&path, &error));
        }
        let style = out.style();
        out.line(format_args!("{} in {}", style.green("made a project"), self.folder.shown()));
        for (path, _) in &files {
            out.line(format_args!("  {path}"));
        }
        if self.template == Template::Rust && matches!(source, Source::Unknown) {
            out.line("");
            out.line("sioco is not on a registry yet: say in Cargo.toml where its source is");
        }
        out.line("");
        out.line("next:");
        out.line(format_args!("  cd {}", shell_word(&self.folder.display().to_string())));
        for command in self.template.commands() {
            out.line(format_args!("  {command}"));
        }
        Ok(Exit::Ok)
    }

    /// The name of the project, if it is one.
    fn name(&self) -> Result<&str, Failure> {
        let wrong = |why: &str| {
            let failure = Failure::usage(format!("`{}` is not a valid name for a project: {why}", self.folder.shown()));
            Err(failure.help("a name has letters from a to z, digits, `-` and `_`, and begins with a letter: `tank`"))
        };
        let Some(name) = self.folder.file_name().and_then(|name| name.to_str()) else {
            return wrong("its last part has to be one");
        };
        if let Some(odd) = name.chars().find(|c| !c.is_ascii_alphanumeric() && !"-_".contains(*c)) {
            return wrong(&format!("`{}` cannot be part of it", odd.escape_debug()));
        }
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return wrong("it does not begin with a letter");
        }
        if name.len() > 64 {
            return wrong("it is longer than 64 letters");
        }
        // Cargo has its own idea of packages with such names.
        if self.template == Template::Rust
            && ["test", "core", "std", "alloc", "sioco", "sioco-test", "sioco_test"].contains(&name)
        {
            return wrong("something else is called that in Rust");
        }
        Ok(name)
    }

    /// Makes sure that nothing is in the way; whether the folder is a new one.
    fn free(&self) -> Result<bool, Failure> {
        let shown = self.folder.shown();
        let other = "choose another name, or remove it";
        match fs::read_dir(&self.folder).map(|mut entries| entries.next().is_none()) {
            Ok(true) => Ok(false),
            Ok(false) => {
                let failure = Failure::usage(format!("`{shown}` already exists and is not empty"));
                Err(failure.help("choose another name; nothing was changed"))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // A link to nowhere is there as well.
                match fs::symlink_metadata(&self.folder) {
                    Ok(_) => Err(Failure::usage(format!("`{shown}` is a link to nowhere")).help(other)),
                    Err(_) => Ok(true),
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                Err(Failure::usage(format!("`{shown}`, or what it lies in, is a file")).help(other))
            }
            Err(error) => Err(Failure::usage(format!("cannot look into `{shown}`: {}", plain(&error)))),
        }
    }

    fn source(&self) -> Result<Source, Failure> {
        let Some(path) = &self.sioco_path else {
            // There as long as nobody moved it.
            let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PACKAGE);
            return Ok(package(&built).map_or(Source::Unknown, Source::Known));
        };
        if self.template != Template::Rust {
            let failure = Failure::usage("`--sioco-path` is for `--template rust`: others do not depend on the source");
            return Err(failure.help("remove it"));
        }
        let places = [path.clone(), path.join("crates").join(PACKAGE), path.join("..").join(PACKAGE)];
        let found = places.iter().find_map(|place| package(place));
        found.map(Source::Known).ok_or_else(|| {
            let failure = Failure::usage(format!("`{}` is not the source of sioco", path.shown()));
            failure.help("give the folder of its repository, or `crates/sioco-test` in it")
        })
    }
}

/// What a project in Rust depends on.
const PACKAGE: &str = "sioco-test";

/// The package in a folder, if it is there.
fn package(folder: &Path) -> Option<PathBuf> {
    let manifest = FsLoader.load(&folder.join("Cargo.toml")).ok()?;
    let named = manifest.lines().any(|line| line.replace(' ', "") == format!("name=\"{PACKAGE}\""));
    named.then(|| folder.canonicalize().ok()).flatten()
}

/// A text with what is known by now.
fn fill(text: &str, name: &str, source: &Source) -> String {
    let text = text.replace("\r\n", "\n").replace("{name}", name);
    let (about, path) = match source {
        Source::Known(path) => (
            "sioco is not on a registry yet; this is where its source is. `git = \"…\"` names a repository instead.",
            path.display().to_string(),
        ),
        Source::Unknown => (
            "sioco is not on a registry yet: put the path of its source here, or `git = \"…\"` with its repository.",
            "../sioco/crates/sioco-test".into(),
        ),
    };
    // A string of JSON is one of TOML as well.
    text.replace("{about}", about).replace("{path}", &serde_json::Value::from(path).to_string())
}

/// Writes the files; if that does not work, which one it was.
fn write(folder: &Path, files: &[(&str, String)]) -> Result<(), (PathBuf, std::io::Error)> {
    for (path, text) in files {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| (parent.to_path_buf(), error))?;
        fs::write(&path, text).map_err(|error| (path.clone(), error))?;
    }
    Ok(())
}
