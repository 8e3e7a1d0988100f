//! `sioco adapter check`: whether an adapter does its part, before any verdict depends on it.

use sioco_model::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};
use sioco_adapter::client::{Client, Options};
use sioco_adapter::gates::differences;
use sioco_adapter::protocol::Hello;
use sioco_adapter::spec::SutSpec;
use sioco_adapter::transport::Connector;
use sioco_campaign::drive::{Drive, Since};
use sioco_campaign::engine::Engine;
use sioco_campaign::planning;
use sioco_exec::record::{End, Stamped, Waiting};
use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::verdict::Failure::Silence;
use sioco_exec::verdict::{Cause, Trouble};
use sioco_exec::{Fault, Order, Settings, Summary, Sut, Verdict};
use sioco_lang::check::CheckedModel;
use sioco_model::model::is_end;
use sioco_model::{GateId, Model};
use sioco_plan::Cover;
use sioco_report::run::{cause_in_words, overdue, time};
use sioco_solve::values::Choice;
use sioco_solve::{BackEnd, Cancellation};

use crate::adapter::advice::{Advice, Spread};
use crate::adapter::may_answer::{may_answer, may_greet};
use crate::adapter::repeat::{Again, Repeat};
use crate::adapter::timed::{Mute, Spoken, Timed};
use crate::adapter::words::{milliseconds, ms, spread_json, spread_text};
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

    /// The adapter, as `sioco test` takes it: the NAME of a `[sut.NAME]`, a command, `tcp://HOST:PORT` or `ws://HOST:PORT/PATH`
    #[arg(long, value_name = "SUT")]
    sut: Option<String>,

    /// Uses a `sioco.toml` that is not yours: that of another user, or one outside of the model's repository
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
    spec.opener().map(Subject::Adapter).map_err(|_| Failure::usage("a model is no adapter"))
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

/// A hello that takes longer than this is worth a word.
const LATE: Duration = Duration::from_secs(1);
/// How many steps there are between two resets.
const WALK: u64 = 25;
/// How many malformed outputs, and how many lines of logs, are shown.
const SHOWN: usize = 5;
/// The quiescence time that `sioco test` takes if nothing is said.
const USUAL: Duration = Duration::from_millis(100);
/// A model without anything in it, where there is none.
const NOTHING: &str = "process Nothing { init here { } }";

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Ok,
    /// Worth knowing, neither good nor bad.
    Note,
    Warn,
    Fail,
}

impl Mark {
    fn name(self) -> &'static str {
        match self {
            Mark::Ok => "ok",
            Mark::Note => "note",
            Mark::Warn => "warn",
            Mark::Fail => "fail",
        }
    }
}

/// What was looked at.
struct Item {
    mark: Mark,
    what: &'static str,
    text: String,
    more: Vec<String>,
}

/// The list of what was looked at, shown as it grows.
struct List<'o, 'w> {
    out: &'o mut Output<'w>,
    format: Format,
    items: Vec<Item>,
    /// More about it, for programs.
    facts: serde_json::Map<String, Json>,
}

impl List<'_, '_> {
    fn add(&mut self, mark: Mark, what: &'static str, text: impl Into<String>, more: Vec<String>) {
        let item = Item {
            mark,
            what,
            text: visible::line(&text.into()).into_owned(),
            more: more.iter().map(|m| visible::line(m).into_owned()).collect(),
        };
        if self.format == Format::Human {
            let style = self.out.style();
            let name = format!("{:<4}", mark.name());
            let name = match mark {
                Mark::Ok => style.green(name),
                Mark::Note => style.dim(name),
                Mark::Warn => style.yellow(name),
                Mark::Fail => style.red(name),
            };
            self.out.line(format_args!("  {name}  {:<11} {}", what, item.text));
            for line in &item.more {
                self.out.line(format_args!("  {:<4}  {:<11} {line}", "", ""));
            }
            self.out.flush();
        }
        self.items.push(item);
    }

    fn fault(&mut self, what: &'static str, fault: &Fault) {
        self.add(Mark::Fail, what, fault.message.clone(), last_words(&fault.stderr));
    }

    fn fact(&mut self, name: &str, value: Json) {
        self.facts.insert(name.into(), value);
    }

    fn count(&self, mark: Mark) -> usize {
        self.items.iter().filter(|item| item.mark == mark).count()
    }
}

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
        let mut list = List { out, format: self.format, items: Vec::new(), facts: Default::default() };
        list.fact("adapter", json!(name));
        match subject {
            Subject::Adapter(connector) => {
                self.look(connector, model, loaded.is_some(), &back_end, &cancellation, &mut list);
            }
            Subject::Described(described) => {
                self.look_without_adapter(&described, model, &back_end, &cancellation, &mut list)
            }
        }
        let exit = match list.count(Mark::Fail) {
            _ if interrupted.load(Ordering::Relaxed) => Exit::Interrupted,
            0 => Exit::Ok,
            _ => Exit::Infrastructure,
        };
        self.conclude(&list.items, &list.facts, exit, list.count(Mark::Fail), list.count(Mark::Warn), list.out);
        Ok(exit)
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
                let failure = Failure::usage(format!("`{text}` is a model that is played, which takes no adapter"));
                Err(failure.help(example))
            }
        }
    }

    /// Looks at a system that is spoken to without an adapter.
    fn look_without_adapter(
        &self,
        described: &Permitted<Described>,
        checked: &CheckedModel,
        back_end: &BackEnd,
        cancellation: &Cancellation,
        list: &mut List<'_, '_>,
    ) {
        let model = &checked.model;
        let gates = model.gates.values().filter(|g| !is_end(&g.name)).count();
        let plain = sendable::remark(model, &described.plain(model));
        list.add(
            Mark::Ok,
            "templates",
            format!("for {} of the model", count(gates, "gate")),
            plain.into_iter().collect(),
        );
        for remark in described.remarks(model).unwrap_or_default() {
            list.add(Mark::Warn, "templates", remark, Vec::new());
        }
        let mut sut = Mute(described.open(model, self.patience, cancellation));
        if self.reset_twice(&mut sut, cancellation, list) {
            about_resets(true, false, list);
            let (timed, found, again) = self.walk(&mut sut, model, back_end, cancellation);
            about_walk(model, &timed, &found, list);
            about_muteness(&timed, &found, described.is_started_program(), list);
            about_repeat(model, &again, &described.how_to_reset(), list);
            about_times(self, model, &timed, list);
        }
    }

    /// Whether it could be reset, twice.
    fn reset_twice(&self, sut: &mut dyn Sut, cancellation: &Cancellation, list: &mut List<'_, '_>) -> bool {
        for (run, seed) in [(1, self.seed), (2, self.seed.wrapping_add(1))] {
            let begun = Instant::now();
            if let Err(fault) = sut.reset(run, seed) {
                let which = if run == 1 { "the first reset" } else { "the second reset" };
                let fault = Fault { message: format!("{which}: {}", fault.message), ..fault };
                list.fault("reset", &fault);
                return false;
            }
            if cancellation.is_over() {
                return false;
            }
            let took = ms(begun.elapsed());
            match list.facts.entry("resets_ms").or_insert_with(|| json!([])) {
                Json::Array(times) => times.push(took),
                _ => unreachable!("it is an array from the start"),
            }
        }
        true
    }

    /// Looks at everything, in order, until something keeps the rest from being looked at.
    fn look(
        &self,
        connector: Box<dyn Connector>,
        checked: &CheckedModel,
        real: bool,
        back_end: &BackEnd,
        cancellation: &Cancellation,
        list: &mut List<'_, '_>,
    ) {
        let model = &checked.model;
        let patience = self.patience;
        let options =
            Options { hello: patience, reset: patience, write: patience, compare: false, ..Options::default() };
        let starts = connector.starts_afresh();
        let mut client = Client::new(model, connector, options, cancellation.clone());
        let begun = Instant::now();
        let hello = match client.connect() {
            Ok(Some(hello)) => hello.clone(),
            Ok(None) => return,
            Err(fault) => return list.fault("hello", &fault),
        };
        about_hello(&hello, begun.elapsed(), list);
        let fits = !real || about_gates(model, &hello, list);
        if !self.reset_twice(&mut client, cancellation, list) {
            return;
        }
        about_resets(hello.reset, starts, list);
        let (logs, stderr) = if real && fits {
            let (timed, found, again) = self.walk(&mut client, model, back_end, cancellation);
            about_walk(model, &timed, &found, list);
            let advice = match (hello.reset, starts) {
                (false, true) => {
                    "it is started anew for every run: what it keeps must be somewhere else, in a file perhaps"
                }
                (true, true) => {
                    "at `reset`, the adapter has to bring the system back to its initial state before it answers \
                     `ready`; with `\"reset\": false` in its hello, it is started anew for every run instead"
                }
                (_, false) => {
                    "at `reset`, the adapter has to bring the system back to its initial state before it answers `ready`"
                }
            };
            about_repeat(model, &again, advice, list);
            about_times(self, model, &timed, list);
            (timed.logs, timed.stderr)
        } else {
            let why = match real {
                true => "not looked at: the gates are not those of the model",
                false => "not looked at: give the model, as in `sioco adapter check model.sts -- …`",
            };
            list.add(Mark::Note, "inputs", why, Vec::new());
            (client.logs(), client.stderr())
        };
        about_lines(&logs, &stderr, list);
    }

    /// A walk through the model, with the stop-watch in hand, and what comes of running a run of it again.
    fn walk<'c>(
        &self,
        client: &'c mut dyn Spoken,
        model: &Model,
        back_end: &BackEnd,
        cancellation: &Cancellation,
    ) -> (Timed<'c>, Summary, Again) {
        let settings = Settings {
            seed: self.seed,
            values: Choice::Random(self.seed),
            walks: Walks::Guided,
            max_steps: Some(self.steps),
            walk: WALK,
            time: Some(self.time),
            quiescence: self.wait,
            patience: self.patience,
            // What comes is to be seen before the next input, whatever the adapter says about the order.
            interaction: Some(Interaction::Fair),
            ..Settings::default()
        };
        // Questions and waits end with the time.
        cancellation.end_at(Instant::now().checked_add(self.time));
        let engine = Engine::new(back_end, cancellation);
        let plan = planning::nothing(Cover::Random(1));
        let drive = Drive { model, plan: &plan, settings: &settings, engine, cancellation };
        let mut timed = Timed::new(client, 2, may_greet(model));
        let mut records = Vec::new();
        let mut keep = |stamped: &Stamped| records.push(stamped.clone());
        let found = drive.run(&mut timed, &mut Since(Instant::now()), &mut keep);
        let repeat = Repeat { model, back_end, wait: self.wait, patience: self.patience, time: self.time / 2 };
        cancellation.end_at(Instant::now().checked_add(repeat.time));
        let again = match found.end {
            End::Interrupted | End::Broken => Again::Nothing,
            // Who hangs would hang again.
            _ if found.waiting.is_some() => Again::Nothing,
            _ => {
                let (client, next) = timed.client();
                let again = repeat.run(&records, client, next);
                client.stop();
                again
            }
        };
        (timed, found, again)
    }

    fn conclude(
        &self,
        items: &[Item],
        facts: &serde_json::Map<String, Json>,
        exit: Exit,
        failed: usize,
        warned: usize,
        out: &mut Output,
    ) {
        if self.format == Format::Json {
            let checks = items.iter().map(|item| {
                json!({"status": item.mark.name(), "check": item.what, "message": item.text, "details": item.more})
            });
            let checks: Vec<Json> = checks.collect();
            let mut object = json!({"ok": exit == Exit::Ok, "exit": exit as u8, "checks": checks});
            if let Json::Object(object) = &mut object {
                object.extend(facts.clone());
            }
            out.json(object);
            return;
        }
        let style = out.style();
        let warnings = if warned == 0 { String::new() } else { format!(", {}", count(warned, "warning")) };
        out.line("");
        match exit {
            Exit::Interrupted => out.line("interrupted"),
            Exit::Ok => {
                out.line(format_args!("{}{warnings}", style.green("the adapter does its part")));
                if let Some(next) = self.next(facts) {
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
    fn next(&self, facts: &serde_json::Map<String, Json>) -> Option<String> {
        let file = self.file.as_ref()?;
        let sut = match &self.sut {
            Some(sut) => sut.clone(),
            None => self.words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "),
        };
        let mut command = format!("{} --sut {}", self.choices.command("test", file), shell_word(&sut));
        if let Some(wanted) = facts.get("quiescence_ms").and_then(Json::as_u64)
            && u128::from(wanted) > USUAL.as_millis()
        {
            command.push_str(&format!(" --quiescence {wanted}"));
        }
        for (gate, wanted) in facts.get("quiescence_at_ms").and_then(Json::as_object).into_iter().flatten() {
            command.push_str(&format!(" --quiescence-at {gate}={wanted}ms"));
        }
        Some(command)
    }
}

fn about_hello(hello: &Hello, took: Duration, list: &mut List<'_, '_>) {
    let name = hello.name.as_deref().map_or_else(|| "without a name".into(), |name| format!("`{name}`"));
    let order = match hello.order {
        Order::Sut | Order::Certain => {
            "order `sut`: its lines are in the order in which the system took and gave things"
        }
        Order::Sent => "order `sent`: inputs and outputs may cross; `sut` is more precise, where it is true",
    };
    let (mark, late) = match took > LATE {
        true => (Mark::Warn, vec!["that is long: a campaign that starts it for every run waits each time".to_owned()]),
        false => (Mark::Ok, Vec::new()),
    };
    let text = format!("{name}, protocol {}, {} from start to hello", hello.protocol, time(took));
    list.add(mark, "hello", text, late.into_iter().chain([order.to_owned()]).collect());
    list.fact(
        "hello",
        json!({
            "name": hello.name,
            "protocol": hello.protocol,
            "order": hello.order.name(),
            "reset": hello.reset,
            "inputs": hello.inputs,
            "outputs": hello.outputs,
            "ms": ms(took),
        }),
    );
}

/// Compares the gates; whether they fit.
fn about_gates(model: &Model, hello: &Hello, list: &mut List<'_, '_>) -> bool {
    let differences = differences(model, hello);
    list.fact("differences", json!(differences));
    if !differences.is_empty() {
        list.add(Mark::Fail, "gates", format!("not those of {}", model.name), differences);
        return false;
    }
    let missing = match (&hello.inputs, &hello.outputs) {
        (None, None) => "`inputs` and `outputs`",
        (None, _) => "`inputs`",
        (_, None) => "`outputs`",
        (Some(inputs), Some(outputs)) => {
            let text =
                format!("{} and {}, those of the model", count(inputs.len(), "input"), count(outputs.len(), "output"));
            list.add(Mark::Ok, "gates", text, Vec::new());
            return true;
        }
    };
    let text = format!("its hello has no {missing}: what is spelled differently is found only when it is sent");
    list.add(Mark::Warn, "gates", text, Vec::new());
    true
}

fn about_resets(resets: bool, starts: bool, list: &mut List<'_, '_>) {
    let times: Vec<f64> = list.facts["resets_ms"].as_array().into_iter().flatten().filter_map(Json::as_f64).collect();
    let shown: Vec<String> = times.iter().map(|t| time(Duration::from_secs_f64(t / 1000.0))).collect();
    let text = format!("twice, in {}", shown.join(" and "));
    match resets {
        true => list.add(Mark::Ok, "reset", text, Vec::new()),
        false if starts => {
            let more =
                vec!["it says that it cannot reset: it is started anew for every run, which takes as long".into()];
            list.add(Mark::Note, "reset", text, more);
        }
        false => list.add(Mark::Ok, "reset", text, Vec::new()),
    }
}

/// What the walk came to, besides its times.
fn about_walk(model: &Model, timed: &Timed<'_>, found: &Summary, list: &mut List<'_, '_>) {
    list.fact("steps", json!(found.steps));
    list.fact("inputs", json!(found.inputs));
    let malformed = |(i, m): (usize, &crate::adapter::timed::Malformed)| {
        let raw: String = m.raw.chars().take(200).collect();
        let gate = m.gate.map_or_else(String::new, |gate| format!("!{}: ", model.gates[gate].name));
        (i < SHOWN).then(|| format!("{gate}{}; received {raw}", m.why))
    };
    if !timed.malformed.is_empty() {
        let lines = timed.malformed.iter().enumerate().filter_map(malformed).collect();
        let all = count(timed.malformed.len(), "output");
        list.add(Mark::Fail, "outputs", format!("{all} with values that do not fit the gate"), lines);
    }
    list.fact("malformed", json!(timed.malformed.iter().map(|m| &m.raw).collect::<Vec<_>>()));
    for bad in found.bad.iter().filter(|bad| bad.verdict == Verdict::Error).take(SHOWN) {
        let text = format!("run {} of the walk broke down: {}", bad.run, cause_in_words(model, &bad.cause));
        let stderr = if let Cause::Trouble(Trouble::Fault { stderr, .. }) = &bad.cause { &stderr[..] } else { &[] };
        list.add(Mark::Fail, "walk", text, last_words(stderr));
    }
    if let Some(waiting) = found.waiting.filter(|_| found.end == End::Time) {
        let text = format!("the time was up while {}", overdue(model, waiting, found.last_input.as_ref()));
        list.add(Mark::Fail, "walk", text, vec!["a longer `--for` tells whether it only takes its time".into()]);
    }
    let fails = found.bad.iter().find(|bad| bad.verdict == Verdict::Fail);
    if let Some(bad) = fails.filter(|_| timed.malformed.is_empty()) {
        let text = "something that the model does not allow: the system or the adapter is wrong, or the model";
        let why = format!("in run {}, step {}: {}", bad.run, bad.steps, cause_in_words(model, &bad.cause));
        list.add(Mark::Warn, "walk", text, vec![why, "`sioco test` explains it".into()]);
    }
    if found.stale > 0 {
        let text = format!(
            "{} of older runs came in later ones, and were dropped",
            count(usize::try_from(found.stale).unwrap_or(usize::MAX), "output")
        );
        list.add(Mark::Warn, "stale", text, Vec::new());
    }
}

/// Whether nothing came of a system that has to say something.
fn about_muteness(timed: &Timed<'_>, found: &Summary, program: bool, list: &mut List<'_, '_>) {
    let overdue = match found.waiting {
        Some(Waiting::Observed) => true,
        // A run has begun, so that it was the first answer that did not come.
        Some(Waiting::Reset) => found.all_runs() > 0,
        Some(Waiting::Accepted) | None => false,
    };
    let silent = overdue || found.bad.iter().any(|bad| bad.cause == Cause::Failure(Silence));
    if timed.heard || !silent {
        return;
    }
    let text = "nothing was ever received, though the model requires an output";
    let mut more = Vec::new();
    if program {
        let how = "in Python `print(…, flush=True)` or `python3 -u`, in C `setlinebuf(stdout)`";
        more.push(format!("does it flush its output after every line? {how}"));
    } else {
        more.push(
            "does it flush its output after every line, and is it the server that listens at this port?".to_owned(),
        );
    }
    more.push("does it take lines that end as `line-end` of the dialect says?".to_owned());
    list.add(Mark::Fail, "outputs", text, more);
}

/// Whether a run was answered as before when it was run again.
fn about_repeat(model: &Model, again: &Again, advice: &str, list: &mut List<'_, '_>) {
    match again {
        Again::Nothing => {}
        Again::Same { run, times, tells } => {
            let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
            let again = format!("inputs of run {run} again, {times}, after a reset");
            if *tells {
                list.add(Mark::Ok, "repeat", format!("{again}: nothing is left over"), Vec::new());
            } else {
                let text = format!("{again}: answered as before, which does not show whether anything is left over");
                let why = "a system that is not reset would have answered so, too: as far as the model knows, these runs \
                           changed nothing that could be seen in the next one; `--steps` and `--seed` try others";
                list.add(Mark::Note, "repeat", text, vec![why.to_owned()]);
            }
        }
        Again::Differs { run, step, cause } => {
            let text = "the state of the last run seems to be left over after a reset";
            let why = format!(
                "run {run} passed; the same inputs again fail in step {step}: {}",
                cause_in_words(model, cause)
            );
            list.add(Mark::Fail, "repeat", text, vec![why, advice.to_owned()]);
        }
    }
    let left_over = match again {
        Again::Nothing | Again::Same { tells: false, .. } => None,
        Again::Same { tells: true, .. } => Some(false),
        Again::Differs { .. } => Some(true),
    };
    list.fact("left_over", json!(left_over));
}

/// How long things took, and what follows.
fn about_times(check: &Check, model: &Model, timed: &Timed<'_>, list: &mut List<'_, '_>) {
    let name = |gate| &model.gates[gate].name;
    match Spread::of(timed.accepted.iter().copied()) {
        Some(spread) => {
            list.fact("accepted", spread_json(spread));
            list.add(Mark::Ok, "inputs", format!("{} accepted, {}", spread.count, spread_text(spread)), Vec::new());
        }
        None => {
            let text = "none was sent: no input is possible in the model, or nothing was reached in time";
            list.add(Mark::Warn, "inputs", text, Vec::new());
        }
    }
    let Some(advice) = Advice::from(&timed.answers, &timed.greetings) else {
        let text = format!("no output came within {} of an input, so there is no time to suggest", time(check.wait));
        return list.add(Mark::Warn, "answers", text, vec!["`--wait` waits longer for them".into()]);
    };
    let times = |spread: Spread| if spread.count == 1 { "once".to_owned() } else { format!("{} times", spread.count) };
    let kinds = advice.kinds.iter().map(|kind| {
        let late = if kind.slow.is_some() { ", much later than the others" } else { "" };
        let (input, output) = (name(kind.input), name(kind.output));
        format!("?{input} !{output}: {}, {}{late}", times(kind.spread), spread_text(kind.spread))
    });
    if let Some(all) = Spread::of(timed.answers.iter().map(|answer| answer.took)) {
        let text = format!("{} first outputs after inputs, {}", all.count, spread_text(all));
        list.add(Mark::Ok, "answers", text, kinds.collect());
    }
    if let Some((spread, slow)) = advice.greeting {
        let late = if slow.is_some() { ", much later than answers" } else { "" };
        let text = format!("{} the first output of a run, {}{late}", times(spread), spread_text(spread));
        list.add(Mark::Ok, "start", text, Vec::new());
        list.fact("first_outputs", spread_json(spread));
    }
    let slow = about_late(model, &advice, list);
    let reason = advice.reason(time);
    let enough = match advice.quiescence {
        wanted if wanted <= USUAL => format!("what `sioco test` takes, {}, is enough", milliseconds(USUAL)),
        wanted => format!("`sioco test … --quiescence {}`", wanted.as_millis()),
    };
    let others = if slow { " for the others" } else { "" };
    let text = format!("{}{others}: {enough}", milliseconds(advice.quiescence));
    list.add(Mark::Note, "quiescence", text, vec![reason]);
    list.fact("quiescence_ms", json!(advice.quiescence.as_millis()));
    list.fact("quiescence_for_all_ms", json!(advice.all.as_millis()));
    let answers = advice.kinds.iter().map(|kind| {
        let mut object = spread_json(kind.spread);
        object["input"] = json!(name(kind.input));
        object["output"] = json!(name(kind.output));
        object["late_quiescence_ms"] = json!(kind.slow.map(|slow| slow.as_millis()));
        object
    });
    list.fact("answers", json!(answers.collect::<Vec<_>>()));
}

/// Where more time is needed than elsewhere; whether it is anywhere.
fn about_late(model: &Model, advice: &Advice, list: &mut List<'_, '_>) -> bool {
    let name = |gate| &model.gates[gate].name;
    let mut at: BTreeMap<String, Duration> = BTreeMap::new();
    let mut lines = Vec::new();
    let mut suggest = |name: &str, wait: Duration| {
        let known = at.entry(name.to_owned()).or_default();
        *known = wait.max(*known);
        format!("`--quiescence-at {name}={}ms`", wait.as_millis())
    };
    let seen = |input, output| advice.kinds.iter().any(|kind| (kind.input, kind.output) == (input, output));
    let mut unseen: BTreeMap<(GateId, GateId), Duration> = BTreeMap::new();
    for (kind, wait) in advice.kinds.iter().filter_map(|kind| Some((kind, kind.slow?))) {
        let option = suggest(name(kind.input), wait);
        let (input, output) = (name(kind.input), name(kind.output));
        lines.push(format!("after ?{input}, wait {} ms for !{output}: {option}", wait.as_millis()));
        // The walk does not see everything: the model says where the same output may come as well.
        for input in may_answer(model, kind.output).into_iter().filter(|input| !seen(*input, kind.output)) {
            let known = unseen.entry((input, kind.output)).or_default();
            *known = wait.max(*known);
        }
    }
    for ((input, output), wait) in unseen {
        let option = suggest(name(input), wait);
        let (input, output) = (name(input), name(output));
        lines.push(format!("!{output} may answer ?{input}, too, which was not seen: {option}"));
    }
    if let Some(wait) = advice.greeting.and_then(|(_, slow)| slow) {
        let starts = model.processes.values().map(|process| &model.locations[process.initial].name);
        for start in starts.collect::<BTreeSet<_>>() {
            let option = suggest(start, wait);
            lines.push(format!("at the beginning of a run, wait {} ms: {option}", wait.as_millis()));
        }
    }
    if lines.is_empty() {
        return false;
    }
    lines.push(format!("or {} everywhere", milliseconds(advice.all)));
    let at = at.into_iter().map(|(name, wait)| (name, json!(wait.as_millis()))).collect();
    list.fact("quiescence_at_ms", Json::Object(at));
    list.add(Mark::Warn, "late", "some outputs come much later than others, perhaps on purpose", lines);
    true
}

/// The last lines on standard error.
fn last_words(stderr: &[String]) -> Vec<String> {
    stderr.iter().rev().take(SHOWN).rev().map(|line| format!("stderr: {line}")).collect()
}

/// What it printed besides messages.
fn about_lines(logs: &[String], stderr: &[String], list: &mut List<'_, '_>) {
    let last = |lines: &[String]| lines.iter().rev().take(SHOWN).rev().cloned().collect::<Vec<_>>();
    if !logs.is_empty() {
        let text = format!("{} on its output besides messages; at the end:", count(logs.len(), "line"));
        list.add(Mark::Note, "logs", text, last(logs));
    }
    if !stderr.is_empty() {
        let text = format!("{} on its standard error; at the end:", count(stderr.len(), "line"));
        list.add(Mark::Note, "stderr", text, last(stderr));
    }
    list.fact("logs", json!(logs));
    list.fact("stderr", json!(stderr));
}
