//! `sioco demo`: a tour on a model that comes with sioco.

use std::path::{Path, PathBuf};

use clap::Args;
use sioco_lang::check::{Checked, CheckedModel, check_text};
use sioco_lang::source::Span;
use sioco_model::model::{Direction, Label};
use sioco_model::semantics::Interpreter;
use sioco_model::{GateId, Model, Value};
use sioco_report::analysis::{self as report, Denied, Source, script};
use sioco_report::explore::Explored;
use sioco_report::explore::summary::summary;
use sioco_report::{diagnostic, graph};
use sioco_solve::BackEnd;
use sioco_solve::values::{Bounds, Choice};
use sioco_symbolic::analysis::{self, Kind, ModelErrors};
use sioco_symbolic::{Reach, reach};

use crate::exit::Exit;
use crate::failure::{Failure, plain};
use crate::files;
use crate::output::Output;
use crate::switch_text::as_written;

/// Take a tour on a model that comes with sioco
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco demo")]
pub struct Demo {}

const NAME: &str = "accumulator.sts";
const MODEL: &str = include_str!("../../../../examples/accumulator/accumulator.sts");

/// What goes wrong in the broken copy: the text, and what it becomes.
const SLIPS: [(&str, &str); 2] = [("!done", "!dnoe"), ("!outX(x)", "!outX(y)")];

/// A run of a system that is right.
const RUN: [(&str, Option<i64>); 5] =
    [("inX", Some(6)), ("outX", Some(6)), ("inX", Some(10)), ("outX", Some(16)), ("done", None)];

/// What a system that is wrong says after the first step of the run.
const FAULT: (&str, i64) = ("outX", 7);

/// How far the model is explored.
const EXPLORED: usize = 6;

/// The switch after which nothing can happen.
const ENDING: &str = "r2";

/// A copy in which the sum may become too large: its name, a text, and what it becomes.
const TIGHT: (&str, &str, &str) = ("tight.sts", "var x: Int = 0", "var x: Int in 0..30 = 0");

impl Demo {
    /// Shows what works, in a minute.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let checked = check_text(NAME, MODEL);
        let model = checked.model.as_ref().expect("the model that we ship is correct");
        the_model(out);
        the_check(&checked, out);
        a_run(&model.model, out);
        a_fault(&checked, model, out);
        all_values(&model.model, out);
        a_defect(out);
        a_picture(&checked, model, out);
        out.line("");
        out.line("Next: write a model of your own and `sioco check` it. `sioco help` lists what else there is.");
        Ok(Exit::Ok)
    }
}

fn heading(text: &str, out: &mut Output) {
    out.line("");
    out.line(out.style().bold(text));
    out.line("");
}

fn indented(text: &str, out: &mut Output) {
    for line in text.trim_end().lines() {
        out.line(format!("    {line}").trim_end());
    }
}

fn the_model(out: &mut Output) {
    out.line(out.style().bold("1. A model says what a system may do"));
    out.line("");
    let comment: usize = MODEL.split_inclusive('\n').take_while(|line| line.starts_with("//")).map(str::len).sum();
    indented(MODEL[comment..].trim_start(), out);
    out.line("");
    out.line("It takes numbers from 1 to 10, tells the sum after each, and may end once the sum is above 15.");
    out.line("Inputs (?) are what the tester sends, outputs (!) what the system may answer.");
    out.line("[...] is a condition, / what is remembered, -> where it goes on.");
}

fn the_check(checked: &Checked, out: &mut Output) {
    heading("2. Mistakes in a model are found before anything runs", out);
    assert_eq!(checked.diagnostics, [], "the model that we ship is clean");
    out.line("`sioco check` finds nothing wrong with it. In a copy with two slips it finds both:");
    out.line("");
    let broken = SLIPS.iter().fold(MODEL.to_owned(), |text, (right, wrong)| text.replace(right, wrong));
    let broken = check_text("broken.sts", &broken);
    for problem in &broken.diagnostics {
        indented(&diagnostic::render(&broken.sources, problem, out.style().on), out);
        out.line("");
    }
    out.line(format_args!("`sioco explain {}` says more about the first.", broken.diagnostics[0].code.short()));
}

fn a_run(model: &Model, out: &mut Output) {
    heading("3. A model can be run", out);
    let mut interpreter = Interpreter::new(model);
    let mut state = interpreter.initial_default();
    out.line(format_args!("    {:<ARROW$}  {}", "start", state.show(model)));
    for (gate, value) in RUN {
        let (gate, args) = (gate_of(model, gate), values(value));
        let switch = interpreter.step(&mut state, gate, &args).expect("the model is defined everywhere");
        let switch = switch.expect("the model allows this run");
        let name = &model.switches[switch].name;
        out.line(format_args!("    {}  {:<11} by `{name}`", arrow(model, gate, &args), state.show(model)));
    }
}

fn a_fault(checked: &Checked, model: &CheckedModel, out: &mut Output) {
    heading("4. A wrong answer is seen, and why it is wrong", out);
    let style = out.style();
    let m = &model.model;
    let mut interpreter = Interpreter::new(m);
    let mut state = interpreter.initial_default();
    let (first, args) = (gate_of(m, RUN[0].0), values(RUN[0].1));
    let taken = interpreter.step(&mut state, first, &args).expect("the model is defined everywhere");
    assert!(taken.is_some(), "the model allows the first step");
    out.line(format_args!("    {}  {}", arrow(m, first, &args), state.show(m)));

    let (gate, args) = (gate_of(m, FAULT.0), values(Some(FAULT.1)));
    let allowed = interpreter.successors(&state, gate, &args).expect("the model is defined everywhere");
    assert!(allowed.is_empty(), "the model forbids this output");
    out.line(format_args!("    {}  {}", arrow(m, gate, &args), style.red("not allowed")));
    out.line("");
    let offers = interpreter.outputs(&state).expect("the model is defined everywhere");
    let offer = offers.iter().find(|offer| m.switches[offer.switch].label == Label::Gate(gate));
    let offer = offer.expect("the gate is right, only its value is wrong");
    let span = model.spans.switches[offer.switch].args[0];
    let sort = m.switches[offer.switch].params[0].sort;
    let expected = m.sorts.show(sort, &offer.args[0]);
    let why = format!("is {expected} here, but the system sent {}", m.sorts.show(sort, &args[0]));
    excerpt(checked, span, &why, out);
    let allowed: Vec<String> =
        offers.iter().map(|offer| shown(m, m.switches[offer.switch].label, &offer.args)).collect();
    out.line(format_args!("    allowed here: {}", allowed.join(", ")));
}

/// A line of the source with a mark under it.
fn excerpt(checked: &Checked, span: Span, why: &str, out: &mut Output) {
    let style = out.style();
    let (line, column) = checked.sources.position(span);
    let text = MODEL.lines().nth(line - 1).unwrap_or_default();
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let mark = "^".repeat(checked.sources.text(span).chars().count().max(1));
    out.line(format_args!("    {margin} {} {}", style.dim("╭▸"), checked.sources.show(span)));
    out.line(format_args!("    {number} {} {text}", style.dim("│")));
    let under = format!("{mark} {why}");
    out.line(format_args!("    {margin} {} {}{}", style.dim("│"), " ".repeat(column - 1), style.red(under)));
}

/// What `sioco explore` does.
fn all_values(model: &Model, out: &mut Output) {
    heading("5. A model can be explored for all values at once", out);
    let options = sioco_symbolic::Options { depth: Some(EXPLORED), ..Default::default() };
    let back_end = BackEnd::BuiltIn;
    let found = sioco_symbolic::explore(model, &builtin, &options, &mut |_| {});
    let explored = Explored {
        model,
        file: NAME,
        options: &options,
        found: &found,
        model_errors: &ModelErrors::default(),
        time: None,
        late: false,
        back_end: &back_end,
        solver: None,
    };
    indented(&summary(&explored, out.width(), out.style()), out);
    out.line("");
    let graph = &found.graph;
    let last = graph.ids().find(|n| graph.step(*n).is_some_and(|s| s.name(model) == ENDING));
    let steps = graph.path(last.expect("the model comes to its end"));
    let mut path = sioco_symbolic::Path::new(model, &builtin);
    let names: Vec<String> = steps.iter().map(|s| s.name(model)).collect();
    if let Reach::Reachable(solved) = reach(&mut path, &steps, Choice::Min) {
        out.line(format_args!("The shortest way to the end is `{}`. Values for it:", names.join(" ")));
        out.line("");
        script::script(model, &solved).iter().for_each(|line| out.line(format_args!("    {line}")));
        out.line("");
    }
    out.line("`sioco explore FILE` does this for any model, and says of any path whether it can be taken.");
}

/// What `sioco analyze` does.
fn a_defect(out: &mut Output) {
    heading("6. Defects are found, with a trace that leads to each", out);
    let checked = check_text(TIGHT.0, &MODEL.replace(TIGHT.1, TIGHT.2));
    let model = checked.model.as_ref().expect("the copy is correct, too");
    out.line(format_args!("In a copy with `{}` the sum has a range. `sioco analyze` says:", TIGHT.2));
    out.line("");
    let options = analysis::Options { kinds: vec![Kind::ModelError], ..Default::default() };
    let found = analysis::analyze(&model.model, &builtin, &options, &mut |_| {});
    let source = Source { checked: model, sources: &checked.sources };
    for finding in &found.findings {
        indented(&report::render(source, finding, Denied::default(), None, out.style().on), out);
    }
    out.line("");
    out.line("It also finds deadlocks, switches that are never taken, nondeterminism and more.");
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

fn a_picture(checked: &Checked, model: &CheckedModel, out: &mut Output) {
    heading("7. A model can be seen", out);
    let picture = graph::svg(&model.model, &as_written(&checked.sources, model), &graph::Options::default());
    let folder = picture_folder();
    let path = folder.join("accumulator.svg");
    match std::fs::create_dir_all(&folder).and_then(|()| files::write(&path, &picture)) {
        Ok(()) => out.line(format_args!("    {}", path.display())),
        // The tour is about the model; a disk that is full does not end it.
        Err(error) => out.line(format_args!("    {} could not be written: {}", path.display(), plain(&error))),
    }
    out.line("");
    out.line("is a picture of it for your browser; `sioco graph FILE` draws others.");
}

/// In a project, where its other products are; elsewhere, where things may be lost.
fn picture_folder() -> PathBuf {
    let target = Path::new("target");
    let base = if target.is_dir() { target.to_path_buf() } else { std::env::temp_dir() };
    base.join("sioco-demo")
}

fn gate_of(model: &Model, name: &str) -> GateId {
    model.gate(name).expect("the model declares the gates of the tour")
}

fn values(value: Option<i64>) -> Vec<Value> {
    value.map(Value::Int).into_iter().collect()
}

/// How wide an arrow is, with what stands on it and at its ends.
const ARROW: usize = 38;

/// Who says what to whom.
fn arrow(model: &Model, gate: GateId, args: &[Value]) -> String {
    let what = shown(model, Label::Gate(gate), args);
    let (left, right) = match model.gates[gate].direction {
        Direction::Input => ("tester ── ", "▶ system"),
        Direction::Output => ("tester ◀", " ── system"),
    };
    let taken = [left, &what, " ", right].map(|part| part.chars().count()).iter().sum();
    let line = "─".repeat(ARROW.saturating_sub(taken));
    match model.gates[gate].direction {
        Direction::Input => format!("{left}{what} {line}{right}"),
        Direction::Output => format!("{left}{line} {what}{right}"),
    }
}

fn shown(model: &Model, label: Label, args: &[Value]) -> String {
    let Label::Gate(gate) = label else { return String::new() };
    let gate = &model.gates[gate];
    let args: Vec<String> = (gate.params.iter().zip(args))
        .map(|(param, value)| format!("{} = {}", param.name, model.sorts.show(param.sort, value)))
        .collect();
    let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
    format!("{}{}{args}", gate.direction.sigil(), gate.name)
}
