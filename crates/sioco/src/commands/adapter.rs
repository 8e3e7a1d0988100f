//! `sioco adapter check`: whether an adapter does its part, before any verdict depends on it.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{Args, Subcommand};
use sioco_adapter::spec::SutSpec;
use sioco_adapter::transport::Connector;
use sioco_model::{Model, visible};
use sioco_report::adapter::Times;
use sioco_solve::Cancellation;

use crate::adapter::list::{List, Mark};
use crate::adapter::look::{Look, Scope};
use crate::adapter::times::USUAL;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt;
use crate::model::{Choices, load, shell_word};
use crate::output::{Format, Output, count};
use crate::permission::{Permitted, Said, Wish, words_of_the_user};
use crate::run::described::Described;
use crate::run::sendable;
use crate::run::sut::{self, Prepared};
use crate::seconds;
use crate::solver_choice::SolverChoice;

/// Check an adapter
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco adapter check model.sts -- python3 adapter.py")]
pub struct Adapter {
    /// What to do with it.
    #[command(subcommand)]
    command: Command,
}

/// What can be done with an adapter.
#[derive(Subcommand, Debug)]
#[allow(missing_docs)] // Documentation here would replace the help of the commands.
enum Command {
    Check(Check),
}

impl Adapter {
    pub(crate) fn check(&self) -> &Check {
        let Command::Check(check) = &self.command;
        check
    }

    /// Does what was asked for.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        match &self.command {
            Command::Check(check) => check.run(out),
        }
    }
}

/// Check an adapter before it is used
///
/// Starts it or connects to it, compares its gates with those of the model, resets it twice, and sends inputs along a
/// short walk through the model to see how long answers take. From these times it suggests a quiescence time. Then it
/// sends inputs of that walk again, to see whether a reset leaves state behind. Without a model, it checks what needs
/// none. It gives no verdict on the system; use `sioco test` for that.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco adapter check model.sts -- python3 adapter.py
  sioco adapter check model.sts --sut tcp://127.0.0.1:7000
  sioco adapter check -- ./adapter --verbose

Exit codes:
  0    the adapter does its part, perhaps with warnings
  2    the command line or the model is wrong
  5    the adapter does not do its part
  130  interrupted")]
pub struct Check {
    /// The model; without it, gates and times are not checked
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// The adapter, as `sioco test` takes it: the NAME of a `[sut.NAME]`, a command, `tcp://HOST:PORT` or
    /// `ws://HOST:PORT/PATH`
    #[arg(long, value_name = "SUT")]
    sut: Option<String>,

    /// Trusts a `sioco.toml` that is not yours: one of another user, or one outside of the model's repository
    #[arg(long)]
    trust: bool,

    /// The command that starts the adapter, word by word
    #[arg(last = true, value_name = "CMD", conflicts_with = "sut")]
    words: Vec<String>,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// Seed of all random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// The greatest number of inputs, outputs and silences of the walk
    #[arg(long, value_name = "STEPS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,

    /// Time limit for the walk: `30s`, `500ms`, `2m`; a bare number is seconds
    #[arg(long = "for", value_name = "TIME", default_value = "20s", allow_negative_numbers = true, value_parser = seconds::some)]
    time: Duration,

    /// How long to wait for an output that may come; five times as long for one that has to come
    #[arg(long, value_name = "TIME", default_value = "1s", allow_negative_numbers = true, value_parser = seconds::some)]
    wait: Duration,

    /// How long the adapter may take to say hello, to reset the system and to accept an input, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", allow_negative_numbers = true, value_parser = seconds::some)]
    patience: Duration,

    /// Output format: text for people, or JSON (one object)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What connects to an adapter.
fn connector_of(spec: &Permitted<SutSpec>) -> Result<Subject, Failure> {
    spec.opener().map(Subject::Adapter).map_err(|_| Failure::usage("a model is not an adapter"))
}

/// What is looked at.
enum Subject {
    /// An adapter.
    Adapter(Box<dyn Connector>),
    /// A system that needs none.
    Described(Box<Permitted<Described>>),
}

impl Subject {
    fn name(&self) -> String {
        match self {
            Subject::Adapter(connector) => connector.name(),
            Subject::Described(described) => described.name().to_owned(),
        }
    }
}

/// A model without anything in it, where there is none.
const NOTHING: &str = "process Nothing { init here { } }";

impl Check {
    /// Checks the adapter.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let back_end = self.solver.back_end()?;
        let mut loaded = self.file.as_ref().map(|file| load(file, &self.choices, out)).transpose()?;
        let subject = self.subject(loaded.as_ref().map(|(_, model)| &model.model), out)?;
        // Whoever is asked something can still end the program by Ctrl-C until here.
        let interrupted = interrupt::flag();
        let cancellation = Cancellation::by(interrupted.clone());
        let name = subject.name();
        if let (Subject::Described(described), Some((_, model))) = (&subject, &mut loaded) {
            let plain = described.plain(&model.model);
            sendable::narrow(&mut model.model, &plain);
        }
        let nothing;
        let model = match &loaded {
            Some((_, model)) => model,
            None => {
                nothing = sioco_lang::check_text("nothing", NOTHING).model.expect("nothing is wrong with it");
                &nothing
            }
        };
        if self.format == Format::Human {
            let style = out.style();
            out.line(style.bold(format_args!("adapter `{}`", visible::line(&name))));
            out.flush();
        }
        let mut list = List::new(out, self.format, &name);
        let look = Look {
            scope: self.scope(),
            model: &model.model,
            real: loaded.is_some(),
            back_end: &back_end,
            cancellation: &cancellation,
        };
        match subject {
            Subject::Adapter(connector) => look.adapter(connector, &mut list),
            Subject::Described(described) => look.described(&described, &mut list),
        }
        let exit = match list.count(Mark::Fail) {
            _ if interrupted.load(Ordering::Relaxed) => Exit::Interrupted,
            0 => Exit::Ok,
            _ => Exit::Infrastructure,
        };
        self.conclude(list, exit);
        Ok(exit)
    }

    fn scope(&self) -> Scope {
        Scope { seed: self.seed, steps: self.steps, time: self.time, wait: self.wait, patience: self.patience }
    }

    fn subject(&self, model: Option<&Model>, out: &mut Output) -> Result<Subject, Failure> {
        let example = "name the adapter: `sioco adapter check model.sts -- python3 adapter.py`, or `--sut`";
        let Some(text) = &self.sut else {
            return match self.words.as_slice() {
                [] => Err(Failure::usage("there is no adapter to check").help(example)),
                words => connector_of(&words_of_the_user(words)),
            };
        };
        let file = self.file.clone().unwrap_or_default();
        let wish = Wish { sut: text, said: Said::User, trust: self.trust };
        match sut::prepare(&wish, &file, model, &self.choices, out)? {
            Prepared::Adapter(spec) => connector_of(&spec),
            Prepared::Described(described) => match described.json_connector() {
                Some(connector) => Ok(Subject::Adapter(connector)),
                None if model.is_some() => Ok(Subject::Described(described)),
                None => {
                    let failure =
                        Failure::usage(format!("`{text}` has a dialect, which means nothing without a model"));
                    Err(failure.help(format!("`sioco adapter check model.sts --sut {text}`")))
                }
            },
            Prepared::Model(_) => {
                let failure = Failure::usage(format!("`{text}` is a played model, which has no adapter"));
                Err(failure.help(example))
            }
        }
    }

    fn conclude(&self, list: List<'_, '_>, exit: Exit) {
        let (failed, warned) = (list.count(Mark::Fail), list.count(Mark::Warn));
        let (found, out) = list.finished(exit);
        if self.format == Format::Json {
            return out.object(&found);
        }
        let style = out.style();
        let warnings = if warned == 0 { String::new() } else { format!(", {}", count(warned, "warning")) };
        out.line("");
        match exit {
            Exit::Interrupted => out.line("interrupted"),
            Exit::Ok => {
                out.line(format_args!("{}{warnings}", style.green("the adapter does its part")));
                if let Some(next) = self.next(&found.facts.times) {
                    out.line(format_args!("next: {next}"));
                }
            }
            _ => {
                let all = count(failed, "thing");
                let are = if failed == 1 { "is" } else { "are" };
                out.line(format_args!(
                    "{}: {all} {are} wrong{warnings}",
                    style.red("the adapter does not do its part")
                ));
            }
        }
    }

    /// The command to go on with.
    fn next(&self, times: &Times) -> Option<String> {
        let file = self.file.as_ref()?;
        let sut = match &self.sut {
            Some(sut) => sut.clone(),
            None => self.words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "),
        };
        let mut command = format!("{} --sut {}", self.choices.command("test", file), shell_word(&sut));
        if let Some(wanted) = times.quiescence_ms
            && u128::from(wanted) > USUAL.as_millis()
        {
            command.push_str(&format!(" --quiescence {wanted}"));
        }
        for (gate, wanted) in &times.quiescence_at_ms {
            command.push_str(&format!(" --quiescence-at {gate}={wanted}ms"));
        }
        Some(command)
    }
}
