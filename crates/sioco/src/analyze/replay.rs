//! Traces of findings as scripts for `sioco simulate`, and the commands that replay them.

use sioco_lang::source::{FsLoader, Loader};
use std::fs;
use std::path::{Path, PathBuf};

use sioco_report::analysis::{Source, message, script};
use sioco_symbolic::analysis::{Finding, Kind};

use crate::failure::Failure;
use crate::files;
use crate::files::ShownPath;
use crate::model::{Choices, shell_word};

/// A script of more lines is not put on a command line: nobody pastes a longer one.
const TYPED: usize = 12;

/// Stands in every script, and in nothing that somebody else wrote.
const MARK: &str = "// run again: sioco simulate ";

/// Makes the folder for scripts, before any work is done, and removes those of an earlier run: they would look like
/// results of this one.
pub fn prepare(folder: &Path) -> Result<(), Failure> {
    if folder.exists() && !folder.is_dir() {
        let failure = Failure::usage(format!("`--witness {}`: that is a file, not a folder", folder.shown()));
        return Err(failure.help("name a folder: each trace becomes a file in it"));
    }
    fs::create_dir_all(folder).map_err(|error| Failure::write(folder, &error))?;
    let entries = fs::read_dir(folder).map_err(|error| Failure::write(folder, &error))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_script(path)) {
        fs::remove_file(&path).map_err(|error| Failure::write(&path, &error))?;
    }
    Ok(())
}

/// Whether an earlier run wrote this file: by its name and by what stands in it.
fn is_script(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".txt"));
    let is_ours = |(kind, number): (&str, &str)| {
        Kind::ALL.iter().any(|k| k.name() == kind) && number.bytes().all(|b| b.is_ascii_digit())
    };
    name.and_then(|name| name.rsplit_once('-')).is_some_and(is_ours)
        && FsLoader.load(path).is_ok_and(|text| text.lines().take(2).any(|line| line.starts_with(MARK)))
}

/// The scripts that were written, by finding.
#[derive(Debug)]
pub struct Scripts {
    files: Vec<Option<PathBuf>>,
}

impl Scripts {
    /// Writes the traces of all findings that have one into a folder that is there: `deadlock-1.txt` and so on.
    pub fn write(
        folder: &Path,
        model: &Path,
        choices: &Choices,
        source: Source<'_>,
        findings: &[Finding],
    ) -> Result<Scripts, Failure> {
        let mut written = Vec::new();
        for (i, finding) in findings.iter().enumerate() {
            if finding.witness.is_none() {
                written.push(None);
                continue;
            }
            let before = findings[..i].iter().filter(|f| f.kind == finding.kind && f.witness.is_some()).count();
            let path = folder.join(format!("{}-{}.txt", finding.kind, before + 1));
            let mut text = format!("// {}\n", message(source, finding).replace(['\n', '\r'], " "));
            text.push_str(&format!("// run again: {} < this file\n", choices.command("simulate", model)));
            script::of(&source.checked.model, finding).iter().for_each(|line| text.push_str(&format!("{line}\n")));
            files::write(&path, &text).map_err(|error| Failure::write(&path, &error))?;
            written.push(Some(path));
        }
        Ok(Scripts { files: written })
    }

    /// The script of a finding.
    pub fn of(&self, finding: usize) -> Option<&Path> {
        self.files.get(finding)?.as_deref()
    }
}

/// The command that replays a finding: from its script, if there is one, else with the steps on the command line.
pub fn command(model: &Path, choices: &Choices, source: Source<'_>, finding: &Finding, file: Option<&Path>) -> String {
    let command = choices.command("simulate", model);
    if let Some(file) = file {
        return format!("{command} < {}", shell_word(&file.display().to_string()));
    }
    let mut lines = script::of(&source.checked.model, finding);
    lines.retain(|line| !line.starts_with("//"));
    match lines.len() {
        0 => command,
        1..=TYPED => {
            let words: Vec<String> = lines.iter().map(|line| shell_word(line)).collect();
            format!("printf '%s\\n' {} | {command}", words.join(" "))
        }
        _ => "`--witness DIR` writes the trace into a file for `sioco simulate`".to_owned(),
    }
}
