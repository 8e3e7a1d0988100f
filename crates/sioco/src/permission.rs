//! Permission to start a program or to connect to an address.
//!
//! There is one rule, and only this module enforces it. A request of the user, on the command line or in the environment,
//! is carried out. A request of the user's own project is carried out and shown: its `sioco.toml` lies in the repository
//! of the model (or, without a repository, beside the model), and belongs to the user who runs sioco. A request from any
//! other source, above all from a journal, is shown, and the user is asked on a terminal; without a terminal it needs
//! `--sut` or `--trust`. A journal is such a source even in the user's own project: it may have come with a bug report.
//!
//! Nothing is started unless it is [`Permitted`], and only this module gives permission. Models that are played are only
//! read, so they need no permission.

use std::fmt;
use std::fs::Metadata;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use sioco_adapter::child::Program;
use sioco_adapter::spec::SutSpec;
use sioco_adapter::transport::Connector;
use sioco_model::names::did_you_mean;
use sioco_solve::smt::process::words;

use crate::failure::Failure;
use crate::files::ShownPath;
use crate::model::shell_word;
use crate::output::Output;
use crate::project::Project;
use crate::run::described::Described;
use crate::solvers::PROGRAMS;

/// What marks the root of a repository.
const REPOSITORIES: [&str; 3] = [".git", ".hg", ".jj"];

/// Something that may be started or connected to.
pub struct Permitted<T>(T);

impl<T> Deref for Permitted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl Permitted<SutSpec> {
    /// What opens connections to it; a model is played by somebody else.
    pub fn opener(&self) -> Result<Box<dyn Connector>, PathBuf> {
        self.0.clone().connector()
    }
}

/// A command that the user gave word by word.
pub fn words_of_the_user(words: &[String]) -> Permitted<SutSpec> {
    Permitted(SutSpec::Program(Program::new(words.to_vec())))
}

/// Whose word something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said<'a> {
    /// The user's: on the command line or in the environment.
    User,
    /// The project's: in the options of its file.
    Project,
    /// That of a journal, which anybody may have written.
    Journal(&'a Path),
}

/// Which system is wanted, and whose wish that is.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// What `--sut` would say.
    pub sut: &'a str,
    /// Whose word it is.
    pub said: Said<'a>,
    /// Whether the user trusts everybody, this once.
    pub trust: bool,
}

/// Whose file a `sioco.toml` is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Standing {
    /// The user's own, or there is none.
    #[default]
    Own,
    /// Somebody else's, and why that is so.
    Foreign(&'static str),
}

/// The root of the repository around a folder, if there is one.
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| REPOSITORIES.iter().any(|name| above.join(name).exists()))
}

/// Whose file this is, for a model in a folder. Both paths are whole.
pub fn standing(file: &Path, about: &Metadata, folder: &Path) -> Standing {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if !is_mine(about) {
        return Standing::Foreign("it belongs to another user");
    }
    match repository(folder) {
        Some(root) if real.starts_with(root) => Standing::Own,
        Some(_) => Standing::Foreign("it is outside of the repository of the model"),
        None if real.parent() == Some(folder) => Standing::Own,
        None => Standing::Foreign("it is not beside the model, and no repository contains both"),
    }
}

#[cfg(unix)]
fn is_mine(about: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(about) == nix::unistd::geteuid().as_raw()
}

/// Elsewhere files have no single owner.
#[cfg(not(unix))]
fn is_mine(_: &Metadata) -> bool {
    true
}

/// What becomes of the options of a project's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProjectOptions {
    /// They are used.
    Used {
        /// Whether the user was asked about a file of somebody else, and said yes.
        asked: bool,
    },
    /// They are somebody else's, and not needed.
    Ignored,
}

/// Whether options of the project's file may be used. Nothing is done where it has none. Those of somebody else are
/// ignored where the user says what to test: a file that lies around somewhere above must not be in the way.
pub fn options(project: &Project, trust: bool, needless: bool, out: &mut Output) -> Result<ProjectOptions, Failure> {
    let Standing::Foreign(why) = project.standing else { return Ok(ProjectOptions::Used { asked: false }) };
    let file = project.file();
    if let Some(problem) = &project.unread {
        let problem = problem.lines().next().unwrap_or_default();
        out.say(format_args!("note: {problem}; it is not used, because it is not yours: {why}"));
        return Ok(ProjectOptions::Ignored);
    }
    if trust || project.config.test.is_empty() && project.config.profile.is_empty() {
        return Ok(ProjectOptions::Used { asked: false });
    }
    if needless {
        let told = "its options for `sioco test` are not used; to use them, give `--trust`";
        out.say(format_args!("note: `{file}` is not yours: {why}; {told}"));
        return Ok(ProjectOptions::Ignored);
    }
    ask(out, &format!("`{file}` has options for `sioco test`, but is not yours: {why}"), "Use them?", || {
        let failure = Failure::usage(format!("`{file}` has options for `sioco test`, but is not yours: {why}"));
        let help = "give `--trust` to use them; to ignore them, give `--sut`, or put a `sioco.toml` beside the \
                    model, even an empty one";
        failure.help(help)
    })?;
    Ok(ProjectOptions::Used { asked: true })
}

/// That a file names a solver that is none of those that are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownSolver {
    near: Option<String>,
}

impl fmt::Display for UnknownSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = known_solvers().map(|name| format!("`{name}`")).collect();
        let known = known.join(", ");
        write!(
            f,
            "a file may name only a known solver: {known}; give any other command with `--solver` or \
                   SIOCO_SOLVER"
        )?;
        self.near.iter().try_for_each(|near| write!(f, "; did you mean `{near}`?"))
    }
}

impl std::error::Error for UnknownSolver {}

fn known_solvers() -> impl Iterator<Item = &'static str> + Clone {
    ["auto", "builtin"].into_iter().chain(PROGRAMS)
}

/// Whether a file may name this solver: only those that are known, so that no file says what is run.
pub fn solver_of_a_file(name: &str) -> Result<(), UnknownSolver> {
    match known_solvers().any(|known| known == name.trim()) {
        true => Ok(()),
        false => Err(UnknownSolver { near: did_you_mean(name.trim(), known_solvers()) }),
    }
}

/// Permits a system that is given by its command or address.
pub fn given(
    spec: SutSpec,
    wish: &Wish<'_>,
    project: &Project,
    out: &mut Output,
) -> Result<Permitted<SutSpec>, Failure> {
    let what = wish.sut.trim();
    match wish.said {
        _ if matches!(spec, SutSpec::Model(_)) => {}
        Said::User => {}
        Said::Project => own(&spoken(&spec, what), project, wish, &project.file(), out)?,
        Said::Journal(_) if wish.trust => show(&spoken(&spec, what), "the journal", out),
        Said::Journal(_) if is_said_by(project, what) => {
            show(&spoken(&spec, what), &format!("`{}`", project.file()), out)
        }
        Said::Journal(path) => of_journal(&spoken(&spec, what), path, what, out)?,
    }
    Ok(Permitted(spec))
}

/// Permits a system that the project's file describes.
pub fn described(
    described: Described,
    wish: &Wish<'_>,
    project: &Project,
    out: &mut Output,
) -> Result<Permitted<Described>, Failure> {
    let does = described.does();
    match wish.said {
        // The journal names the model as well, and so the file: only the project that the user is in counts.
        Said::Journal(path) if !wish.trust && !is_here(project) => of_journal(&does, path, wish.sut.trim(), out)?,
        _ => own(&does, project, wish, &project.file(), out)?,
    }
    Ok(Permitted(described))
}

/// Whether a journal may name this system without a question, so that `sioco replay` needs no `--sut`.
pub fn is_known(sut: &str, file: &Path) -> bool {
    let Ok(project) = Project::of(file) else { return false };
    let named = project.config.sut.contains_key(sut) && project.standing == Standing::Own && is_here(&project);
    named || sut.trim().starts_with("model:") || is_said_by(&project, sut.trim())
}

fn spoken(spec: &SutSpec, text: &str) -> String {
    match spec {
        SutSpec::Program(_) => format!("starts `{text}`"),
        SutSpec::Tcp(_) | SutSpec::Ws(_) => format!("connects to `{text}`"),
        SutSpec::Model(_) => format!("plays `{text}`"),
    }
}

/// Shows what is done, and on whose word.
fn show(does: &str, by: &str, out: &mut Output) {
    out.say(format_args!("{does}, as {by} says"));
}

fn own(does: &str, project: &Project, wish: &Wish<'_>, file: &str, out: &mut Output) -> Result<(), Failure> {
    if let (Standing::Foreign(why), false) = (&project.standing, wish.trust) {
        let message = format!("`{file}` is not yours: {why}; it {does}");
        ask(out, &message, "Go on?", || {
            let help = "give `--trust` to allow this; `--sut` with a command of your own needs no trust";
            Failure::usage(message.clone()).help(help)
        })?;
    }
    show(does, &format!("`{file}`"), out);
    Ok(())
}

fn of_journal(does: &str, journal: &Path, sut: &str, out: &mut Output) -> Result<(), Failure> {
    let name = journal.shown();
    let message = format!("the journal `{name}` {does}, but nothing in this project says so");
    ask(out, &message, "Go on?", || {
        let again = format!("sioco replay {} --sut {}", shell_word(&journal.display().to_string()), shell_word(sut));
        Failure::usage(message.clone()).help(format!(
            "if you know what that does, run `{again}`, or give `--trust` to run whatever the journal \
                           names"
        ))
    })
}

/// Asks on a terminal; elsewhere nobody can answer, which is a failure.
fn ask(out: &mut Output, message: &str, question: &str, refusal: impl Fn() -> Failure) -> Result<(), Failure> {
    match out.ask(&format!("{message}\n{question} [y/N] ")) {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::usage("nothing was started")),
        None => Err(refusal()),
    }
}

/// Whether the user is in the project: in its repository, or else in the folder of its file.
fn is_here(project: &Project) -> bool {
    let Ok(here) = std::env::current_dir().and_then(|here| here.canonicalize()) else { return false };
    match repository(&project.root) {
        Some(root) => here.starts_with(root),
        None => here == project.root,
    }
}

/// Whether the user's own project has this very command: as the system to test, or as what starts one. Commands are
/// relative to a folder, so it is the same one only there.
fn is_said_by(project: &Project, command: &str) -> bool {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    if project.standing != Standing::Own || here.ok().as_deref() != Some(&project.root) {
        return false;
    }
    let config = &project.config;
    let tables = std::iter::once(&config.test).chain(config.profile.values());
    let of_options = tables.filter_map(|table| table.get("sut")?.as_str());
    let plain = config.sut.values().filter(|sut| sut.environment.is_empty() && sut.directory.is_none());
    let of_systems = plain.filter_map(|sut| sut.command.as_deref().or(sut.connect.as_deref()));
    let same = |text: &str| text.trim() == command || matches!((words(text), words(command)), (Ok(a), Ok(b)) if a == b);
    of_options.chain(of_systems).any(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_known_solvers_only() {
        for known in ["auto", "builtin", "z3", "cvc5", " yices-smt2 "] {
            assert_eq!(solver_of_a_file(known), Ok(()), "{known}");
        }
        for other in ["sh -c 'touch pwned'", "./z3", "z3 -in", "/usr/bin/z3", "cvc5 --lang smt2", "", "my-solver"] {
            assert!(solver_of_a_file(other).is_err(), "{other}");
        }
    }

    fn asked(answer: &str, out: &mut Vec<u8>) -> Result<(), Failure> {
        let mut err = Vec::new();
        let mut output = Output::new(std::io::sink(), &mut err);
        output.answer_from(std::io::Cursor::new(answer.to_owned()));
        let said = of_journal("starts `sh -c evil`", Path::new("j.jsonl"), "sh -c evil", &mut output);
        drop(output);
        *out = err;
        said
    }

    #[test]
    fn a_question_is_answered_by_yes_or_by_no() {
        let mut shown = Vec::new();
        for yes in ["y\n", "Y\n", " yes \n"] {
            assert!(asked(yes, &mut shown).is_ok(), "{yes:?}");
        }
        for no in ["n\n", "\n", "", "yeah\n", "sure"] {
            assert!(asked(no, &mut shown).is_err(), "{no:?}");
        }
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains("the journal `j.jsonl` starts `sh -c evil`") && shown.contains("[y/N]"), "{shown}");
    }
}
