//! `sioco simulate`: step through a model.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use sioco_lang::value::parse_value;
use sioco_model::semantics::{Interpreter, Quiescence, State};
use sioco_model::{Model, Value};
use sioco_report::analysis::script::is_switch;
use sioco_report::simulate::{MessageLine, OptionLine, RefusalLine, StateLine, TraceLine};
use sioco_report::value::{Named, Valued};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::{Choices, load};
use crate::options::{Rule, Ruled, always};
use crate::output::{Format, Output};
use crate::simulate::choices::Choice;
use crate::simulate::lines::Lines;
use crate::simulate::refusal::Refusal;
use crate::simulate::request::{self, HELP, Request};
use crate::simulate::session::{Simulation, Walked, free_variable};
use crate::simulate::solving::{Solving, Values};
use crate::solver_choice::SolverChoice;
use sioco_report::words::Words;

/// Step through a model
///
/// Shows where the model is and what can happen there, and asks what to do. Reads requests from a terminal, or from a
/// script on standard input, one per line; `help` lists them. A script stops at the first request that is not possible.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco simulate model.sts
  sioco simulate model.sts --set m=100 < steps.txt
  echo 'random 20' | sioco simulate model.sts --seed 7
  sioco simulate model.sts --values max --solver cvc5
  sioco simulate model.sts --listen 127.0.0.1:7000")]
pub struct Simulate {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// The value of a variable that is free at the start
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = crate::model::name_and_value)]
    set: Vec<(String, String)>,

    /// Which values to take where the model leaves a choice [default: the plainest ones; random ones for the request
    /// `random`]
    #[arg(long, value_enum)]
    values: Option<Values>,

    /// Seed of random steps and values
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Plays the model as a system under test for testers that connect to this address, as in `127.0.0.1:7000`, or
    /// `ws://127.0.0.1:7000` for WebSocket; port 0 takes a free port and prints it
    #[arg(long, value_name = "ADDR", conflicts_with_all = ["set", "values", "seed", "format"])]
    listen: Option<String>,

    /// Output format: text for people, or JSON (one object per line)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Ruled for Simulate {
    fn rules() -> Vec<Rule<Simulate>> {
        always(&["const", "system", "solver", "set", "values", "seed", "listen", "format"]).collect()
    }
}

impl Simulate {
    /// Steps through the model as long as it is asked to.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let back_end = self.solver.back_end()?;
        let (source, checked) = load(&self.file, &self.choices, out)?;
        if let Some(address) = &self.listen {
            return crate::simulate::serve::serve(address, &source, &checked, &back_end, out);
        }
        let words = Words { checked: &checked, sources: &source.sources };
        let interactive = std::io::stdin().is_terminal() && out.is_terminal() && self.format == Format::Human;
        let mut lines = Lines::new(interactive);
        let mut ask = |out: &mut Output, prompt: &str| lines.next(out, prompt);
        let start = self.start(&checked.model, interactive, out, &mut ask)?;
        let Some(start) = start else { return Ok(Exit::Ok) };
        let solving = Solving::new(&checked.model, back_end, self.values, self.seed);
        let mut session = Simulation::new(words, start, solving, self.seed);
        let header = self.header(&checked.model);
        let json = self.format == Format::Json;
        let mut stepper = Stepper { words, interactive, json, header, seed: Some(self.seed) };
        stepper.show(&mut session, out, None);
        let mut number = 0;
        while let Some(line) = ask(out, "> ") {
            number += 1;
            match stepper.answer(&mut session, &line, out, &mut ask) {
                Ok(Next::Go) => {}
                Ok(Next::Quit) => break,
                Err(refusal) => {
                    stepper.refuse(&refusal.to_string(), &line, out);
                    if !interactive {
                        let failure = Failure::usage(format!("line {number} of the script could not be done"));
                        return Err(failure.help("fix the line, or run in a terminal to try things out"));
                    }
                }
            }
        }
        Ok(Exit::Ok)
    }

    /// The initial state; the free variables from `--set`, from the person, or the values nearest to zero.
    fn start(
        &self,
        model: &Model,
        interactive: bool,
        out: &mut Output,
        ask: &mut dyn FnMut(&mut Output, &str) -> Option<String>,
    ) -> Result<Option<State>, Failure> {
        let mut chosen: Vec<(sioco_model::VarId, Value)> = Vec::new();
        for (name, text) in &self.set {
            let var = free_variable(model, name).map_err(|why| Failure::usage(why.to_string()))?;
            let value = parse_value(&model.sorts, model.variables[var].sort, text);
            chosen.push((var, value.map_err(|e| Failure::usage(format!("`{name}`: {e}")))?));
        }
        for var in model.free_variables() {
            if chosen.iter().any(|(v, _)| *v == var) {
                continue;
            }
            let sort = model.variables[var].sort;
            let default = model.sorts.default_value(sort);
            let (name, shown) = (model.variable_name(var), model.sorts.show(sort, &default));
            if !interactive {
                out.say(format_args!(
                    "`{name}` is free at the start: {shown} is taken; `--set {name}=…` gives another"
                ));
                chosen.push((var, default));
                continue;
            }
            let value = loop {
                let prompt = format!("{name}: {} is free at the start; its value [{shown}]: ", model.sorts.name(sort));
                match ask(out, &prompt) {
                    None => break default,
                    Some(text) if text.trim().is_empty() => break default,
                    Some(text) if ["quit", "q", "exit"].contains(&text.trim()) => return Ok(None),
                    Some(text) => match parse_value(&model.sorts, sort, &text) {
                        Ok(value) => break value,
                        Err(e) => out.line(e.to_string()),
                    },
                }
            };
            chosen.push((var, value));
        }
        let interpreter = Interpreter::new(model);
        Ok(Some(interpreter.initial(&mut |v| {
            let found = chosen.iter().rev().find(|(var, _)| *var == v);
            found.map_or_else(|| model.sorts.default_value(model.variables[v].sort), |(_, value)| value.clone())
        })))
    }

    /// The first lines of a saved trace: what it is, and how it is run again.
    fn header(&self, model: &Model) -> String {
        header(model, &self.choices.command("simulate", &self.file))
    }
}

/// The first lines of a script: what it is, and the command that runs it.
pub fn header(model: &Model, command: &str) -> String {
    format!("// a trace of {}\n// run again: {command} < this file\n", model.name)
}

enum Next {
    Go,
    Quit,
}

/// How a session is shown.
struct Stepper<'a> {
    words: Words<'a>,
    interactive: bool,
    json: bool,
    header: String,
    /// The seed, until it has been told.
    seed: Option<u64>,
}

impl Stepper<'_> {
    fn model(&self) -> &Model {
        self.words.model()
    }

    fn answer(
        &mut self,
        session: &mut Simulation<'_>,
        line: &str,
        out: &mut Output,
        ask: &mut dyn FnMut(&mut Output, &str) -> Option<String>,
    ) -> Result<Next, Refusal> {
        session.refill();
        let request = request::parse(line).map_err(Refusal::Request)?;
        if let Some(word) = request::ambiguous(line, &request).filter(|w| is_switch(self.model(), w)) {
            return Err(Refusal::Ambiguous(word.to_owned()));
        }
        match request {
            Request::Nothing => return Ok(Next::Go),
            Request::Quit => return Ok(Next::Quit),
            Request::Help => {
                self.text(out, HELP);
                return Ok(Next::Go);
            }
            Request::State => {
                let text = session.state().show(self.model());
                self.text(out, &text);
                return Ok(Next::Go);
            }
            Request::Trace => {
                let lines: Vec<String> = session.trace().map(str::to_owned).collect();
                if self.json {
                    out.object(&TraceLine { trace: &lines });
                } else {
                    lines.iter().for_each(|l| out.line(l));
                }
                return Ok(Next::Go);
            }
            Request::List { all } => {
                self.show(session, out, None);
                if all {
                    self.show_disabled(session, out);
                }
                return Ok(Next::Go);
            }
            Request::Why(name, given) => {
                let text = session.why(&name, &given)?;
                self.text(out, &text);
                return Ok(Next::Go);
            }
            Request::Save(file) => {
                let mut text = self.header.clone();
                session.start_line().into_iter().for_each(|l| text.push_str(&format!("{l}\n")));
                session.trace().for_each(|l| text.push_str(&format!("{l}\n")));
                let path = Path::new(&file);
                crate::files::write(path, &text).map_err(|e| Refusal::Unwritable {
                    file: file.clone(),
                    why: crate::failure::plain(&e).to_string(),
                })?;
                self.text(out, &format!("wrote {file}"));
                return Ok(Next::Go);
            }
            Request::WhyEvent(event, given) => {
                let text = session.why_event(&event, &given)?;
                self.text(out, &text);
                return Ok(Next::Go);
            }
            Request::Set(given) => session.set(&given)?,
            Request::Option(n, given) => {
                let choices = session.choices();
                let count = choices.len();
                let choice = n.checked_sub(1).and_then(|n| choices.get(n));
                let choice = choice.ok_or(Refusal::NoOption { option: n, count })?.clone();
                let given = self.ask_values(&choice, given, out, ask);
                session.take(&choice, &given)?;
            }
            Request::Switch(name, given) => session.take_named(&name, &given)?,
            Request::Handshake(send, receive, given) => session.take_pair(&send, &receive, &given)?,
            Request::Event(event, given) => session.take_event(&event, &given)?,
            Request::Delta => session.delta()?,
            Request::Undo(n) => {
                let undone = session.undo(n);
                if undone == 0 {
                    return Err(Refusal::NothingToUndo);
                }
            }
            Request::Reset => {
                session.undo(usize::MAX);
            }
            Request::Random(n) => {
                if let Some(seed) = self.seed.take() {
                    out.say(format_args!("seed {seed}"));
                }
                for _ in 0..n {
                    session.refill();
                    match session.random_step()? {
                        Walked::On => {}
                        Walked::End => {
                            self.text(out, "nothing more can be done");
                            break;
                        }
                        Walked::Unknown(why) => {
                            self.text(out, &format!("nothing more is known to be possible: {why}"));
                            break;
                        }
                    }
                    let last = session.trace().last().map(str::to_owned);
                    if let Some(last) = last.filter(|_| !self.json) {
                        out.line(format_args!("  {last}"));
                    }
                }
                self.show(session, out, None);
                return Ok(Next::Go);
            }
        }
        let last = session.trace().last().map(str::to_owned);
        self.show(session, out, last.as_deref());
        Ok(Next::Go)
    }

    /// On a terminal, asks for the values that were not given.
    fn ask_values(
        &self,
        choice: &Choice,
        mut given: Vec<request::Given>,
        out: &mut Output,
        ask: &mut dyn FnMut(&mut Output, &str) -> Option<String>,
    ) -> Vec<request::Given> {
        if !self.interactive || !given.is_empty() || !choice.open {
            return given;
        }
        let model = self.model();
        for (i, p) in model.switches[choice.switch].params.iter().enumerate().filter(|(_, p)| p.term.is_none()) {
            let example = choice.example.as_ref().and_then(|e| e.get(i));
            let default = example.map(|v| model.sorts.show(p.sort, v));
            let hint = default.as_ref().map(|d| format!(" [{d}]")).unwrap_or_default();
            let answer = ask(out, &format!("{}: {}{hint} = ", p.name, model.sorts.name(p.sort)));
            let answer = answer.map(|a| a.trim().to_owned()).filter(|a| !a.is_empty()).or(default);
            if let Some(value) = answer {
                given.push(request::Given { name: Some(p.name.clone()), value });
            }
        }
        given
    }

    fn text(&self, out: &mut Output, text: &str) {
        if self.json { out.object(&MessageLine { message: text }) } else { out.line(text) }
    }

    fn refuse(&self, refusal: &str, line: &str, out: &mut Output) {
        if self.json {
            out.object(&RefusalLine { request: line.trim(), error: refusal });
        } else if self.interactive {
            out.line(out.style().red(refusal));
        } else {
            out.say(refusal);
        }
    }

    /// Where we are and what can be done.
    fn show(&mut self, session: &mut Simulation<'_>, out: &mut Output, step: Option<&str>) {
        let choices = session.choices();
        let silence = session.quiescence();
        if self.json {
            out.object(&self.line(session, &choices, silence.as_ref().ok(), step));
            return;
        }
        let style = out.style();
        if let Some(step) = step.filter(|_| !self.interactive) {
            out.line(format_args!("{step}"));
        }
        out.line(style.bold(session.state().show(self.model())));
        let names: Vec<String> = choices.iter().map(|c| session.name(c)).collect();
        let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).min(40);
        let described: Vec<(String, String)> = choices.iter().map(|c| self.describe(session, c)).collect();
        let wide = described.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0).min(50);
        for (i, ((what, to), name)) in described.iter().zip(&names).enumerate() {
            out.line(format_args!("  {:>2}  {name:width$}  {what:wide$}  -> {to}", i + 1));
        }
        match &silence {
            Ok(Quiescence::Quiescent) => out.line(format_args!("      {}", style.dim("delta: silence is allowed"))),
            Ok(Quiescence::Diverging) => {
                out.line(format_args!("      {}", style.dim("delta: silence is allowed (internal steps without end)")));
            }
            Ok(Quiescence::Unknown { .. }) => {
                out.line(format_args!("      {}", style.dim("delta: unknown whether silence is allowed")));
            }
            _ => {}
        }
        // Mostly there is one reason for all of them.
        let mut told: Vec<&str> = Vec::new();
        for why in choices.iter().filter_map(|c| c.unknown.as_deref()).chain(not_known(silence.as_ref().ok())) {
            if !told.contains(&why) {
                told.push(why);
                out.line(format_args!("      unknown: {why}"));
            }
        }
        if choices.is_empty() {
            let ended = session.state().locations().iter().all(|l| self.model().locations[*l].is_final);
            out.line(if ended {
                "      the end: all locations are final"
            } else {
                "      deadlock: nothing can happen here"
            });
        }
    }

    /// A choice in words, and where it leads.
    fn describe(&self, session: &Simulation<'_>, choice: &Choice) -> (String, String) {
        let model = self.model();
        let s = &model.switches[choice.switch];
        let mut what = self.words.label(choice.switch);
        let mut to = model.location_name(s.target);
        if let Some(receive) = choice.receive {
            what = format!("{what} & {}", self.words.label(receive));
            to = format!("{to}, {}", model.location_name(model.switches[receive].target));
        }
        match &choice.example {
            None if choice.problem.is_some() => {
                let problem = choice.problem.as_ref().map(|p| session.undefined(p)).unwrap_or_default();
                what.push_str(&format!("  {problem}"));
            }
            None => what.push_str("  unknown"),
            Some(args) if choice.open => {
                what.push_str(&format!("  e.g. {}", session.named_values(choice.switch, args)));
            }
            Some(args) if !args.is_empty() => {
                what.push_str(&format!("  {}", session.named_values(choice.switch, args)));
            }
            Some(_) => {}
        }
        if let Some(without) = choice.without {
            what.push_str(&format!(" ({without})"));
        }
        if let Some(dead_end) = &choice.dead_end {
            what.push_str(&format!(": {}", session.dead_end(dead_end, choice.open)));
        }
        (what, to)
    }

    fn show_disabled(&self, session: &mut Simulation<'_>, out: &mut Output) {
        let enabled = session.choices();
        let locations = session.state().locations().to_vec();
        for location in locations {
            for switch in &self.model().locations[location].outgoing {
                if enabled.iter().any(|c| c.switch == *switch || c.receive == Some(*switch)) {
                    continue;
                }
                let name = self.model().switches[*switch].name.clone();
                if let Ok(why) = session.why(&name, &[]) {
                    let text = format!("   -  {why}");
                    if self.json { out.object(&MessageLine { message: &why }) } else { out.line(out.style().dim(text)) }
                }
            }
        }
    }

    fn line<'a>(
        &'a self,
        session: &'a Simulation<'_>,
        choices: &'a [Choice],
        silence: Option<&'a Quiescence>,
        step: Option<&'a str>,
    ) -> StateLine<'a> {
        let model = self.model();
        let state = session.state();
        let valued = |sort, value| Valued { sorts: &model.sorts, sort, value };
        let visible = model.variables.iter().filter(|(_, v)| !v.hidden);
        let options = choices.iter().map(|c| {
            let s = &model.switches[c.switch];
            let values = |args: &'a Vec<Value>| {
                let named = s.params.iter().zip(args).map(|(p, v)| (p.name.as_str(), valued(p.sort, v)));
                Named::new(named.collect())
            };
            OptionLine {
                switch: session.name(c),
                label: self.words.label(c.switch).to_string(),
                example: c.example.as_ref().map(values),
                open: c.open,
                without: c.without,
                leads_to: c.dead_end.as_ref().map(|d| session.dead_end(d, c.open)),
                unknown: c.unknown.as_deref(),
                problem: c.problem.as_ref().map(|p| session.undefined(p)),
                target: model.location_name(s.target),
            }
        });
        StateLine {
            step,
            locations: state.locations().iter().map(|l| model.location_name(*l)).collect(),
            variables: Named::new(
                visible.map(|(id, v)| (model.variable_name(id), valued(v.sort, state.value(id)))).collect(),
            ),
            options: options.collect(),
            delta: match silence {
                Some(Quiescence::Quiescent | Quiescence::Diverging) => "allowed",
                Some(Quiescence::Active(_)) => "not allowed",
                Some(Quiescence::Unknown { .. }) | None => "unknown",
            },
            delta_unknown: not_known(silence),
        }
    }
}

/// Why it is not known whether silence is allowed.
fn not_known(silence: Option<&Quiescence>) -> Option<&str> {
    match silence {
        Some(Quiescence::Unknown { why, .. }) => Some(why),
        _ => None,
    }
}
