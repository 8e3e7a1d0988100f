//! Defaults for options that are missing on the command line. There are three sources, in this order: the environment
//! (`SIOCO_MAX_STEPS=500`), the profile that `--profile` names, and `[test]` in `sioco.toml`. The first source that has a
//! value wins. Lists (constants, gates, places where silence takes longer) are joined: if several sources have an entry
//! for the same constant, gate or place, the entry of the earlier source replaces those of the later ones.
//!
//! The location of the model determines the file. So the command line is read twice: first only for the model and the
//! profile, and then with the values found as defaults.

use std::collections::BTreeMap;
use std::env::VarError;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};
use sioco_adapter::config::Config;
use sioco_model::names::did_you_mean;
use sioco_model::visible::is_hidden;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::Output;
use crate::permission::{self, ProjectOptions, UnknownSolver};
use crate::project::Project;

/// The values of options, by the ids of their arguments.
type OptionValues = BTreeMap<String, Vec<String>>;

/// The command that has options for which there are defaults.
const TEST: &str = "test";
/// The option that says whom to trust.
const TRUST: &str = "trust";
/// The option that says which solver is asked.
const SOLVER: &str = "solver";
/// How names in the environment begin.
const PREFIX: &str = "SIOCO_";

/// The parser with defaults for what these arguments do not say, and the arguments, with what of lists they do not say.
pub fn command(mut args: Vec<OsString>, out: &mut Output) -> Result<(Command, Vec<OsString>), Failure> {
    let plain = Cli::command();
    // What is wrong with it is told when it is read for the second time.
    let Ok(matches) = plain.clone().ignore_errors(true).try_get_matches_from(&args) else { return Ok((plain, args)) };
    let Some((TEST, test)) = matches.subcommand() else { return Ok((plain, args)) };
    let file = test.try_get_one::<PathBuf>("file").ok().flatten();
    let project = file.map(|file| Project::of(file)).transpose()?.unwrap_or_default();
    let profile = test.try_get_one::<String>("profile").ok().flatten().cloned();
    let profile = match profile {
        Some(profile) => Some(profile),
        None => variable(&format!("{PREFIX}PROFILE"))?,
    };
    let trust = test.try_get_one::<bool>(TRUST).ok().flatten() == Some(&true)
        || variable(&format!("{PREFIX}TRUST"))?.is_some_and(|value| value == "true");
    let sut_given =
        test.value_source("sut") == Some(ValueSource::CommandLine) || variable(&format!("{PREFIX}SUT"))?.is_some();
    let mut project = project;
    let asked = match permission::options(&project, trust, sut_given && profile.is_none(), out)? {
        ProjectOptions::Used { asked } => asked,
        ProjectOptions::Ignored => {
            (project.config.test, project.config.profile) = Default::default();
            false
        }
    };
    let found = all(&project, profile.as_deref(), &variable, &plain)?;
    if asked {
        // The user was asked about the file, and need not be asked again.
        args.insert(place_of_options(&args), format!("--{TRUST}").into());
    }
    let (found, args) = joined(found, test, args, &plain);
    Ok((plain.mut_subcommand(TEST, |command| found.into_iter().fold(command, with_default)), args))
}

/// An environment variable. One that is no text is no value that anybody could have meant.
fn variable(name: &str) -> Result<Option<String>, Failure> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Failure::usage(format!("the environment variable `{name}` is not UTF-8"))),
    }
}

/// What the command line leaves of what was found elsewhere, and its arguments with what they add to lists: of options
/// that take several values, those about something else. An option that excludes another one takes its place.
fn joined(
    mut found: OptionValues,
    given: &ArgMatches,
    mut args: Vec<OsString>,
    command: &Command,
) -> (OptionValues, Vec<OsString>) {
    let test = test_of(command);
    let is_given = |arg: &&Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let at = place_of_options(&args);
    for arg in test.get_arguments().filter(is_given) {
        drop_excluded(&mut found, arg, test);
        let Some(before) = found.remove(arg.get_id().as_str()) else { continue };
        let (Some(long), ArgAction::Append) = (arg.get_long(), arg.get_action()) else { continue };
        let said: Vec<String> =
            given.get_raw(arg.get_id().as_str()).into_iter().flatten().map(subject_of_raw).collect();
        let kept = before.into_iter().filter(|value| !said.contains(&subject(value)));
        args.splice(at..at, kept.map(|value| format!("--{long}={value}").into()));
    }
    (found, args)
}

/// What a value of a list is about: the name of a constant, or what is counted. The last value about something holds.
fn subject(value: &str) -> String {
    let about = value.split(['=', '<', '>']).next().unwrap_or(value).trim();
    about.strip_prefix("possibly ").unwrap_or(about).trim().to_owned()
}

fn subject_of_raw(value: &std::ffi::OsStr) -> String {
    subject(&value.to_string_lossy())
}

/// Where options of the command can stand: right after its name, before which there are only options of the program.
fn place_of_options(args: &[OsString]) -> usize {
    let mut at = 1;
    while args.get(at).is_some_and(|arg| arg != TEST) {
        at += 1;
        // The value of an option may be the name of a command.
        at += usize::from(args[at - 1] == "--color");
    }
    at + 1
}

/// Forgets options that one which is said later excludes.
fn drop_excluded(found: &mut OptionValues, arg: &Arg, test: &Command) {
    let excludes = |a: &Arg, b: &Arg| test.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id());
    found.retain(|id, _| {
        let other = test.get_arguments().find(|other| other.get_id().as_str() == id.as_str());
        other.is_none_or(|other| other.get_id() == arg.get_id() || !(excludes(arg, other) || excludes(other, arg)))
    });
}

fn test_of(command: &Command) -> &Command {
    command.find_subcommand(TEST).expect("there is such a command")
}

fn with_default(command: Command, (id, values): (String, Vec<String>)) -> Command {
    // The parser wants them for as long as the program runs, and reads them once.
    let values: Vec<&'static str> = values.into_iter().map(|value| &*value.leak()).collect();
    command.mut_arg(id, |arg| arg.required(false).default_values(values))
}

/// What is wrong with the options in a project's file: in `[test]`, and in every profile.
pub fn mistakes(project: &Project) -> Vec<Failure> {
    let (none, plain) = (|_: &str| Ok(None), Cli::command());
    let profiles = project.config.profile.keys().map(|name| Some(name.as_str()));
    // What is wrong with all of them is told once.
    match all(project, None, &none, &plain) {
        Ok(_) => profiles.filter_map(|profile| all(project, profile, &none, &plain).err()).collect(),
        Err(failure) => vec![failure],
    }
}

/// The values of options, by the ids of their arguments.
fn all(
    project: &Project,
    profile: Option<&str>,
    environment: &dyn Fn(&str) -> Result<Option<String>, Failure>,
    command: &Command,
) -> Result<OptionValues, Failure> {
    let test = test_of(command);
    let options: Vec<(&str, &Arg)> =
        test.get_arguments().filter_map(|arg| Some((arg.get_long().filter(|long| *long != "profile")?, arg))).collect();
    let mut found = OptionValues::new();
    let Config { test: general, profile: profiles, .. } = &project.config;
    let wrong = |section: &str, why: &str| Failure::usage(format!("`{}`, [{section}]: {why}", project.file()));
    let mut add = |section: &str, table: &BTreeMap<String, toml::Value>| {
        for (name, value) in table {
            if name == TRUST {
                return Err(wrong(section, "a file cannot grant trust; use `--trust` on the command line"));
            }
            let Some((_, arg)) = options.iter().find(|(long, _)| long == name) else {
                let near = did_you_mean(name, options.iter().map(|(long, _)| *long));
                let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(wrong(section, &format!("`sioco test` has no option `{name}`{help}")));
            };
            let values = texts(value, arg).and_then(|values| fits(command, arg, &values).map(|()| values));
            let values = values.and_then(|values| match name.as_str() {
                SOLVER => match values.iter().find_map(|name| permission::solver_of_a_file(name).err()) {
                    None => Ok(values),
                    Some(why) => Err(OptionError::Solver(why)),
                },
                _ => Ok(values),
            });
            let values = values.map_err(|why| wrong(section, &format!("`{name}`: {why}")))?;
            put(&mut found, arg, values, test);
        }
        Ok(())
    };
    add(TEST, general)?;
    if let Some(name) = profile {
        let Some(table) = profiles.get(name) else {
            let names = profiles.keys().map(String::as_str);
            let help = match did_you_mean(name, names.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if profiles.is_empty() => format!("`{}` has no [profile.{name}]", project.file()),
                None => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
            };
            return Err(Failure::usage(format!("there is no profile `{name}`")).help(help));
        };
        add(&format!("profile.{name}"), table)?;
    }
    for (long, arg) in &options {
        let name = format!("{PREFIX}{}", long.replace('-', "_").to_uppercase());
        if let Some(value) = environment(&name)? {
            let values = vec![value];
            let wrong = |why: OptionError| Failure::usage(format!("the environment variable `{name}`: {why}"));
            fits(command, arg, &values).map_err(wrong)?;
            put(&mut found, arg, values, test);
        }
    }
    Ok(found)
}

/// Adds what is said later: it takes the place of what was said before, of lists only what is about the same, and of what
/// it excludes.
fn put(found: &mut OptionValues, arg: &Arg, values: Vec<String>, test: &Command) {
    drop_excluded(found, arg, test);
    let before = found.remove(arg.get_id().as_str()).filter(|_| matches!(arg.get_action(), ArgAction::Append));
    let said: Vec<String> = values.iter().map(|value| subject(value)).collect();
    let kept = before.unwrap_or_default().into_iter().filter(|value| !said.contains(&subject(value)));
    let all = kept.chain(values.iter().cloned()).collect();
    found.insert(arg.get_id().to_string(), all);
}

/// Why an option does not take a value from a file or the environment. Whoever wrote it there is to blame.
#[derive(Clone, PartialEq, Debug)]
enum OptionError {
    /// It has a character in it that cannot be seen.
    Hidden(char),
    /// It should be true or false.
    NoFlag,
    /// It is a value of a kind that no option takes.
    NoValue(toml::Value),
    /// The option does not take it.
    Refused {
        /// What the command line says about it.
        why: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// A file may not name this solver.
    Solver(UnknownSolver),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Hidden(c) => write!(f, "it has a hidden character, U+{:04X}", u32::from(*c)),
            OptionError::NoFlag => f.write_str("it must be `true` or `false`"),
            OptionError::NoValue(value) => write!(f, "{value} is not a value for it"),
            OptionError::Refused { why, near: Some(near) } => write!(f, "{why}; did you mean `{near}`?"),
            OptionError::Refused { why, near: None } => f.write_str(why),
            OptionError::Solver(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for OptionError {}

/// Whether an option takes these values. It is asked here, since nobody knows later where they came from.
fn fits(command: &Command, arg: &Arg, values: &[String]) -> Result<(), OptionError> {
    // The parser repeats them in its help, where nobody could tell them from its own emphasis.
    if let Some(hidden) = values.iter().flat_map(|value| value.chars()).find(|c| is_hidden(*c) && *c != '\t') {
        return Err(OptionError::Hidden(hidden));
    }
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        let all = values.iter().all(|value| value.parse::<bool>().is_ok());
        return if all { Ok(()) } else { Err(OptionError::NoFlag) };
    }
    let Some(long) = arg.get_long() else { return Ok(()) };
    let args = ["sioco".into(), TEST.into()].into_iter().chain(values.iter().map(|value| format!("--{long}={value}")));
    let Err(error) = command.clone().try_get_matches_from(args) else { return Ok(()) };
    // Whatever else it needs is there later.
    if !matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue) {
        return Ok(());
    }
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let why = lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned();
    // Where all values are known by their names, one of them may be meant.
    let known: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let near = values.iter().find_map(|value| did_you_mean(value, known.iter().map(String::as_str)));
    Err(OptionError::Refused { why, near })
}

/// The values of an option, as the command line would have them.
fn texts(value: &toml::Value, arg: &Arg) -> Result<Vec<String>, OptionError> {
    let one = |value: &toml::Value| match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(n) => Ok(n.to_string()),
        toml::Value::Float(x) => Ok(x.to_string()),
        toml::Value::Boolean(b) if matches!(arg.get_action(), ArgAction::SetTrue) => Ok(b.to_string()),
        other => Err(OptionError::NoValue(other.clone())),
    };
    match value {
        toml::Value::Array(all) if matches!(arg.get_action(), ArgAction::Append) => all.iter().map(one).collect(),
        value if matches!(arg.get_action(), ArgAction::SetTrue) && value.as_bool().is_none() => {
            Err(OptionError::NoFlag)
        }
        value => Ok(vec![one(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(text: &str) -> Project {
        Project { config: text.parse().unwrap(), ..Project::default() }
    }

    const FILE: &str = "[test]\nseed = 1\nmax-steps = 10\nfail-fast = true\nsut = \"x\"\ngate = [\"switch>=5%\"]\n[profile.ci]\nmax-steps = 20\nfor = \"1m\"\n";

    #[test]
    fn the_environment_comes_before_the_profile_and_that_before_the_file() {
        let environment = |name: &str| Ok((name == "SIOCO_FOR").then(|| "2m".to_owned()));
        let found = all(&project(FILE), Some("ci"), &environment, &Cli::command()).unwrap_or_else(|_| panic!("wrong"));
        let get = |id: &str| found.get(id).map(|v| v.join(" ")).unwrap_or_default();
        let ids = ["seed", "max_steps", "fail_fast", "sut", "gates", "time"];
        assert_eq!(ids.map(get), ["1", "20", "true", "x", "switch>=5%", "2m"]);
    }

    #[test]
    fn mistakes_are_told() {
        for (text, profile, part) in [
            ("[test]\nmax-step = 1", None, "`sioco test` has no option `max-step`; did you mean `max-steps`?"),
            ("[test]\nfail-fast = 1", None, "`fail-fast`: it must be `true` or `false`"),
            ("[test]\nseed = [1]", None, "`seed`: [1] is not a value for it"),
            ("[profile.ci]\nx = 1", Some("ci"), "[profile.ci]: `sioco test` has no option `x`"),
            ("", Some("ci"), "there is no profile `ci`"),
            ("[test]\nvalues = \"mdidle\"", None, "; did you mean `middle`?"),
            ("[test]\ncover = \"swich\"", None, "; did you mean `switch`?"),
            ("[test]\nsolver = \"buildin\"", None, "; did you mean `builtin`?"),
            ("[test]\nquiescence = -1", None, "[test]: `quiescence`: invalid value '-1' for '--quiescence <MS>'"),
            ("[test]\nquiescence = 1.5", None, "[test]: `quiescence`: invalid value '1.5'"),
            ("[test]\ntrust = true", None, "[test]: a file cannot grant trust"),
            ("[test]\nsolver = \"sh -c 'touch x'\"", None, "[test]: `solver`: a file may name only a known solver"),
            ("[profile.ci]\nsolver = \"./z3\"", Some("ci"), "[profile.ci]: `solver`: a file may name"),
            ("[test]\nsut = \"a\\u001b[31m\"", None, "[test]: `sut`: it has a hidden character, U+001B"),
            ("[profile.ci]\nfor = \"soon\"", Some("ci"), "[profile.ci]: `for`: invalid value 'soon'"),
        ] {
            let Err(failure) = all(&project(text), profile, &|_| Ok(None), &Cli::command()) else {
                panic!("no mistake")
            };
            assert!(failure.message.as_ref().is_some_and(|m| m.contains(part)), "{text}: {:?}", failure.message);
        }
    }

    #[test]
    fn wrong_values_in_the_environment_are_told() {
        for (name, value, part) in [
            ("SIOCO_MAX_STEPS", "abc", "the environment variable `SIOCO_MAX_STEPS`: invalid value 'abc'"),
            ("SIOCO_FAIL_FAST", "yes", "the environment variable `SIOCO_FAIL_FAST`: it must be `true` or `false`"),
        ] {
            let environment = |wanted: &str| Ok((wanted == name).then(|| value.to_owned()));
            let Err(failure) = all(&project(""), None, &environment, &Cli::command()) else { panic!("no mistake") };
            assert!(failure.message.as_ref().is_some_and(|m| m.contains(part)), "{name}: {:?}", failure.message);
        }
    }
}
