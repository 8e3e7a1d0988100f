//! `sioco check`: every problem of some models, and of the `sioco.toml` that says how their systems are spoken to.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use sioco_adapter::config::FILE;
use sioco_lang::Code;
use sioco_lang::check::{Checked, check_file};
use sioco_lang::diagnostic::{Diagnostic, Fix, Severity};
use sioco_lang::source::{FsLoader, Loader};
use sioco_report::diagnostic::{self, CheckSummaryLine, ProjectLine};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::Choices;
use crate::output::{Format, Output, count};
use crate::project::Project;
use crate::{files, fix};

/// Mends that give rise to other mends are followed this often: two or three rounds are usual, and mends that undo each
/// other have to end.
const ROUNDS: usize = 10;

/// Report the problems of a model
///
/// Reads each file with its imports. Shows each problem with its place, its code (see `sioco explain CODE`) and, if
/// possible, a fix. Checks a file with errors to its end, but errors inside a part that cannot be parsed may appear
/// only after that part is fixed. Shows warnings only if there are no errors. Checks a `sioco.toml` as well, and
/// compares the dialects in the `sioco.toml` of a model's project with the model.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco check model.sts
  sioco check --const N=7 --deny-warnings models/*.sts
  sioco check --format json model.sts
  sioco check sioco.toml

Exit codes:
  0    every model is correct
  2    a model or the command line is wrong, or a warning is denied")]
pub struct Check {
    /// Models, or `sioco.toml` files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    choices: Choices,

    /// Treats warnings as errors
    #[arg(long)]
    deny_warnings: bool,

    /// Applies all safe fixes in place, to the given files only
    #[arg(long)]
    fix: bool,

    /// Output format: text for people, or JSON (one object per line)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Check {
    /// Checks all files.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let mut fixed = 0;
        if self.fix {
            for path in self.files.iter().filter(|path| !is_project(path)) {
                fixed += self.mend(path, out)?;
            }
        }
        let mut seen = HashSet::new();
        let (mut errors, mut warnings) = (0, 0);
        let mut of_projects = Vec::new();
        for path in &self.files {
            let project = self.project(path, &mut of_projects);
            if is_project(path) {
                continue;
            }
            let checked = self.checked(path);
            for problem in &checked.diagnostics {
                // A file that several others import is checked with each of them, but its problems are told once.
                if !seen.insert(identity(&checked, problem)) {
                    continue;
                }
                match problem.severity() {
                    Severity::Error => errors += 1,
                    Severity::Warning => warnings += 1,
                }
                match self.format {
                    Format::Human => out.result_diagnostic(&checked.sources, problem),
                    Format::Json => out.json(diagnostic::typed("diagnostic", &checked.sources, problem)),
                }
            }
            if let (Some(project), Some(model)) = (project, &checked.model) {
                let (wrong, remarks) = project.for_model(&model.model);
                of_projects.extend(wrong.into_iter().map(|why| (Severity::Error, why)));
                of_projects.extend(remarks.into_iter().map(|remark| (Severity::Warning, remark)));
            }
        }
        let mut told = HashSet::new();
        // Several models may have the same project.
        for (severity, message) in of_projects.into_iter().filter(|problem| told.insert(problem.1.clone())) {
            match severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
            self.tell(severity, &message, out);
        }
        match self.format {
            Format::Human => out.line(self.closing_line(errors, warnings, fixed)),
            Format::Json => {
                out.object(&CheckSummaryLine { kind: "summary", files: self.files.len(), errors, warnings, fixed })
            }
        }
        let bad = errors > 0 || self.deny_warnings && warnings > 0;
        Ok(if bad { Exit::Usage } else { Exit::Ok })
    }

    /// The project of a file, with what is wrong with it: all of that if it is the project's own file, and otherwise
    /// only what keeps it from being read.
    fn project(&self, path: &Path, problems: &mut Vec<(Severity, String)>) -> Option<Project> {
        let found = if is_project(path) { Project::read(path) } else { Project::of(path) };
        let (project, failures) = match found {
            Ok(project) if is_project(path) => {
                let failures = project.mistakes();
                (Some(project), failures)
            }
            Ok(project) => (Some(project), Vec::new()),
            Err(failure) => (None, vec![failure]),
        };
        problems.extend(failures.into_iter().map(|failure| {
            let help = failure.help.map(|help| format!("; {help}")).unwrap_or_default();
            (Severity::Error, failure.message.unwrap_or_default() + &help)
        }));
        project
    }

    /// A problem of a project's file.
    fn tell(&self, severity: Severity, message: &str, out: &mut Output) {
        let style = out.style();
        match (self.format, severity) {
            (Format::Human, Severity::Error) => out.line(format_args!("{}: {message}", style.red("error"))),
            (Format::Human, Severity::Warning) => out.line(format_args!("{}: {message}", style.yellow("warning"))),
            (Format::Json, _) => {
                let severity = if severity == Severity::Error { "error" } else { "warning" };
                out.object(&ProjectLine { kind: "project", severity, message });
            }
        }
    }

    fn checked(&self, path: &Path) -> Checked {
        check_file(path, &FsLoader, &(&self.choices).into())
    }

    fn closing_line(&self, errors: usize, warnings: usize, fixed: usize) -> String {
        let mut found = Vec::new();
        if errors > 0 {
            found.push(count(errors, "error"));
        }
        if warnings > 0 {
            let denied = if self.deny_warnings { " (denied)" } else { "" };
            found.push(count(warnings, "warning") + denied);
        }
        if found.is_empty() {
            found.push("no problems".to_owned());
        }
        if fixed > 0 {
            found.push(format!("{fixed} fixed"));
        }
        format!("checked {}: {}", count(self.files.len(), "file"), found.join(", "))
    }

    /// Mends a file, and says how often something was changed.
    fn mend(&self, path: &Path, out: &mut Output) -> Result<usize, Failure> {
        let mut changes = 0;
        for _ in 0..ROUNDS {
            let checked = self.checked(path);
            // The first source is the file itself, unless it could not be read.
            let shown = path.display().to_string();
            let Some((id, source)) = checked.sources.files().next().filter(|(_, f)| f.name == shown) else { break };
            let (problems, fixes): (Vec<&Diagnostic>, Vec<&Fix>) = (checked.diagnostics.iter())
                .filter_map(|d| Some((d, d.fix.as_ref()?)))
                .filter(|(_, fix)| fix.span.file == id)
                .unzip();
            let (text, applied) = fix::apply(&source.text, &fixes);
            if applied.is_empty() {
                break;
            }
            if FsLoader.load(path).as_ref() != Ok(&source.text) {
                let failure = Failure::usage(format!("`{shown}` changed while it was being checked"));
                return Err(failure.help("nothing was written; try again"));
            }
            files::rewrite(path, &text).map_err(|error| Failure::write(path, &error))?;
            changes += applied.len();
            for i in applied {
                self.tell_change(&checked, problems[i], fixes[i], out);
            }
        }
        Ok(changes)
    }

    fn tell_change(&self, checked: &Checked, problem: &Diagnostic, fix: &Fix, out: &mut Output) {
        match self.format {
            Format::Human => {
                let place = checked.sources.show(fix.span);
                let style = out.style();
                let (old, new) = (checked.sources.text(fix.span), &fix.replacement);
                let change = match (old.is_empty(), new.is_empty()) {
                    (true, _) => format!("added `{new}`"),
                    (_, true) => format!("removed `{old}`"),
                    _ => format!("`{old}` became `{new}`"),
                };
                let code = style.dim(format_args!("[{}]", problem.code));
                out.line(format_args!("{}: {place}: {change} {code}", style.green("fixed")));
            }
            Format::Json => out.json(diagnostic::typed("fixed", &checked.sources, problem)),
        }
    }
}

/// Whether this is the file of a project.
fn is_project(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == FILE)
}

/// What makes two problems the same, whichever file they were found from.
fn identity(checked: &Checked, problem: &Diagnostic) -> (Code, String, Option<(String, u32, u32)>) {
    let place = problem.primary.as_ref().map(|label| label.span);
    let place = place.map(|span| (checked.sources.file(span.file).name.clone(), span.start, span.end));
    (problem.code, problem.message.clone(), place)
}
