//! Traces of findings as scripts for `sioco simulate`, and the commands that replay them.

use std::fs;
use std::path::{Path, PathBuf};

use sioco_report::analysis::{Source, message, script::script};
use sioco_symbolic::analysis::Finding;

use crate::failure::Failure;
use crate::files;
use crate::model::{Choices, shell_word};

/// A script of more lines is not put on a command line.
const TYPED: usize = 12;

/// The scripts that were written, by finding.
#[derive(Debug)]
pub struct Scripts {
    files: Vec<Option<PathBuf>>,
}

impl Scripts {
    /// Writes the traces of all findings that have one: `deadlock-1.txt` and so on.
    pub fn write(
        folder: &Path,
        model: &Path,
        choices: &Choices,
        source: Source<'_>,
        findings: &[Finding],
    ) -> Result<Scripts, Failure> {
        fs::create_dir_all(folder).map_err(|error| Failure::write(folder, &error))?;
        let mut written = Vec::new();
        for (i, finding) in findings.iter().enumerate() {
            let Some(witness) = &finding.witness else {
                written.push(None);
                continue;
            };
            let before = findings[..i].iter().filter(|f| f.kind == finding.kind && f.witness.is_some()).count();
            let path = folder.join(format!("{}-{}.txt", finding.kind, before + 1));
            let mut text = format!("// {}\n", message(source, finding).replace(['\n', '\r'], " "));
            text.push_str(&format!("// run again: {} < this file\n", choices.command("simulate", model)));
            script(&source.checked.model, &witness.path).iter().for_each(|line| text.push_str(&format!("{line}\n")));
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
    let lines = finding.witness.as_ref().map(|w| script(&source.checked.model, &w.path)).unwrap_or_default();
    match lines.len() {
        0 => command,
        1..=TYPED => {
            let words: Vec<String> = lines.iter().map(|line| shell_word(line)).collect();
            format!("printf '%s\\n' {} | {command}", words.join(" "))
        }
        _ => "`--witness DIR` writes the trace into a file for `sioco simulate`".to_owned(),
    }
}
