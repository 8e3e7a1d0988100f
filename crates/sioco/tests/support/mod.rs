//! Running the program, and folders for it to work in.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What came of a run.
pub struct Run {
    what: String,
    code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The program with arguments, and without what the environment says about it.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sioco"));
    command.args(args);
    for variable in ["NO_COLOR", "FORCE_COLOR", "SIOCO_Z3", "SIOCO_SOLVER", "VIRTUAL_ENV", "LD_LIBRARY_PATH"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it to its end.
pub fn run(mut command: Command, input: &[u8]) -> Run {
    let what = format!("{command:?}");
    let mut child = command.spawn().unwrap();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input).unwrap();
    }
    ended(&what, child)
}

/// What comes of one that was started, at its end.
pub fn ended(what: &str, child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    let run = Run {
        what: what.to_owned(),
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("bug in sioco"), "{}: {}", run.what, run.stderr);
    run
}

pub fn sioco(args: &[&str]) -> Run {
    run(command(args), b"")
}

pub fn sioco_with_input(args: &[&str], input: &[u8]) -> Run {
    let mut command = command(args);
    command.stdin(Stdio::piped());
    run(command, input)
}

pub fn sioco_in_env(args: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = command(args);
    command.envs(variables.iter().copied());
    run(command, b"")
}

pub fn sioco_in(args: &[&str], folder: &str) -> Run {
    let mut command = command(args);
    command.current_dir(folder);
    run(command, b"")
}

pub fn sioco_in_folder_and_env(args: &[&str], folder: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = command(args);
    command.current_dir(folder).envs(variables.iter().copied());
    run(command, b"")
}

/// Standard output is a pipe that nobody reads.
pub fn sioco_without_reader(args: &[&str]) -> Run {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command(args);
    command.stdout(writer);
    run(command, b"")
}

#[cfg(target_os = "linux")]
pub fn sioco_to_full_disk(args: &[&str]) -> Run {
    let mut command = command(args);
    command.stdout(fs::File::create("/dev/full").unwrap());
    run(command, b"")
}

impl Run {
    #[track_caller]
    pub fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{}\n{}", self.what, self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn stdout_is(&self, text: &str) -> &Self {
        assert_eq!(self.stdout, text, "{}\n{}", self.what, self.stderr);
        self
    }

    #[track_caller]
    pub fn stderr_is(&self, text: &str) -> &Self {
        assert_eq!(self.stderr, text, "{}", self.what);
        self
    }

    #[track_caller]
    pub fn stdout_has_not(&self, text: &str) -> &Self {
        assert!(!self.stdout.contains(text), "{}: {text:?} in:\n{}", self.what, self.stdout);
        self
    }

    #[track_caller]
    pub fn stdout_has(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text), "{}: no {text:?} in:\n{}", self.what, self.stdout);
        self
    }

    #[track_caller]
    pub fn stderr_has(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "{}: no {text:?} in:\n{}", self.what, self.stderr);
        self
    }
}

/// A new, empty folder.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
        if path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        self.bytes(name, text.as_bytes())
    }

    pub fn bytes(&self, name: &str, bytes: &[u8]) -> String {
        fs::write(self.0.join(name), bytes).unwrap();
        self.path(name)
    }

    pub fn folder(&self, name: &str) -> String {
        fs::create_dir_all(self.0.join(name)).unwrap();
        self.path(name)
    }

    /// A program that is a script of the shell.
    #[cfg(unix)]
    pub fn program(&self, name: &str, script: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
