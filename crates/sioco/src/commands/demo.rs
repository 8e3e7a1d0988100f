//! `sioco demo`: a tour on a model that comes with sioco.

use std::path::PathBuf;

use clap::Args;
use sioco_campaign::planning::Clock;
use sioco_campaign::played::Played;
use sioco_campaign::{Campaign, Deadline};
use sioco_exec::log::LoggedStep;
use sioco_exec::{Player, Settings};
use sioco_lang::check::{Checked, CheckedModel, check_text};
use sioco_model::Model;
use sioco_plan::case::case_with_others;
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_report::analysis::{self as analysis_report, Denied, Source, script};
use sioco_report::explore::Explored;
use sioco_report::explore::summary::summary;
use sioco_report::plan::{self as plan_report, Planned};
use sioco_report::run::{self as report, Bad, Page, bad_run, notes, summary as summary_of_run};
use sioco_report::{diagnostic, graph};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{BackEnd, Limits};
use sioco_symbolic::analysis::{self, Kind, ModelErrors};
use sioco_symbolic::path::{Path, Shortcuts};
use sioco_symbolic::{Reach, reach};

use crate::exit::Exit;
use crate::failure::{Failure, plain};
use crate::files;
use crate::files::ShownPath;
use crate::output::Output;
use crate::switch_text::as_written;

/// Take a tour on a model that comes with sioco: check, plan, test a broken system
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco demo")]
pub struct Demo {}

const NAME: &str = "accumulator.sts";
const MODEL: &str = include_str!("../../../../examples/accumulator/accumulator.sts");

/// What goes wrong in the broken copy: the text, and what it becomes.
const SLIPS: [(&str, &str); 2] = [("!done", "!dnoe"), ("!outX(x)", "!outX(y)")];

/// What is wrong with the broken system: the text, and what it becomes.
const FAULT: (&str, &str) = ("!outX(x)", "!outX(if x > 15 then x + 1 else x)");

/// The random choices of the tour start here: any number will do, and this one makes the tour the same each time.
const SEED: u64 = 42;

/// Purposes have at most this many steps: the model of the tour needs fewer.
const PLANNED: usize = 20;

/// The model is explored this far: its picture then fits a screen.
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
        let source = Source { checked: model, sources: &checked.sources };
        let plan = a_plan(source, out);
        a_test(source, &plan, out);
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
        indented(&diagnostic::render(&broken.sources, problem, out.style()), out);
        out.line("");
    }
    out.line(format_args!("`sioco explain {}` says more about the first.", broken.diagnostics[0].code.short()));
}

/// What `sioco plan` does.
fn a_plan<'a>(source: Source<'a>, out: &mut Output) -> Plan {
    heading("3. What to test is planned", out);
    let model = &source.checked.model;
    let options = PlanOptions { depth: Some(PLANNED), workers: 1, ..PlanOptions::new(Cover::Switch) };
    let plan = plan(model, &builtin, &options, &mut |_| {}).expect("switches can always be planned for");
    let planned = Planned { source, options: &options, plan: &plan, interrupted: false };
    let page = plan_report::Page { width: out.width().saturating_sub(4), style: out.style(), lines: 40 };
    indented(&planned.headline(page.style), out);
    out.line("");
    let mut walker = Walker::new(Path::with(model, &builtin, Shortcuts::default(), Limits::default()));
    for (i, purpose) in plan.purposes.iter().enumerate() {
        let case = case_with_others(&mut walker, purpose, Choice::Min);
        indented(&planned.purpose(i, &case, &mut walker, page), out);
    }
    out.line("");
    out.line(
        "A purpose is a path that a test is to follow; the values are examples. `sioco plan FILE` covers more than",
    );
    out.line("switches, if it is asked to: locations, paths, traces, and where conditions are about to flip.");
    plan
}

/// What `sioco test` does.
fn a_test(source: Source<'_>, plan: &Plan, out: &mut Output) {
    heading("4. A system is tested, and a wrong answer explained", out);
    let (right, wrong) = FAULT;
    let broken = check_text("broken-system.sts", &MODEL.replace(right, wrong));
    let broken = broken.model.as_ref().expect("the broken system is a model, too");
    out.line("A system that does what the model says passes:");
    out.line("");
    test(source, &source.checked.model, plan, "the model itself", out);
    out.line("");
    out.line(format_args!("Another one tells a wrong sum as soon as that is above 15: `{wrong}`. It fails:"));
    out.line("");
    test(source, &broken.model, plan, "the broken system", out);
    out.line("");
    out.line(
        "What is shown was shrunk: the system was run again until no step could be left out and no value made simpler.",
    );
    out.line(
        "Both systems are played by models here. `sioco test FILE --sut 'COMMAND'` tests a program, over a few lines",
    );
    out.line("of JSON; `sioco replay` runs a failing run again, and `sioco judge` gives the verdict on a log.");
}

fn test(source: Source<'_>, played: &Model, plan: &Plan, name: &str, out: &mut Output) {
    let model = &source.checked.model;
    let settings = Settings { seed: SEED, fail_fast: true, values: Choice::Random(SEED), ..Settings::default() };
    let mut sut = Played::new(Player::new(played), played, model);
    let deadline = Deadline::default();
    let campaign =
        Campaign::new(model, plan, &settings, &deadline).solver(&BackEnd::BuiltIn).alike_by(&source).untimed();
    let outcome = campaign.run(&mut sut, None, &mut ());
    let page = Page { width: out.width().saturating_sub(4), style: out.style() };
    for bad in outcome.failures() {
        // Nothing here takes time.
        let untimed = |step: &LoggedStep| LoggedStep { at: None, ..step.clone() };
        let steps: Vec<LoggedStep> = bad.steps.iter().map(untimed).collect();
        let shown = Bad {
            source,
            run: bad.run,
            verdict: bad.verdict,
            cause: bad.cause,
            explanation: bad.explanation,
            steps: &steps,
            begun: None,
            unaccepted: None,
            seed: Some(SEED),
            file: None,
            clock: false,
            replay: None,
            shrunk: bad.shrunk,
            notes: &notes(&bad),
        };
        indented(&bad_run(&shown, page), out);
        out.line("");
    }
    let told = report::CampaignReport {
        source,
        summary: &outcome.summary,
        plan: Some(plan),
        sut: name,
        seed: None,
        quiescence: settings.quiescence,
        took: None,
        planned: None,
        clock: Clock::default(),
        budget: "",
        journal: None,
        replay: None,
        gates: &[],
        reasons: outcome.trails.reasons(),
        dead_ends: outcome.trails.dead_ends(),
        again: None,
        eager: false,
        shrunk: &outcome.shrinks.all,
    };
    indented(&summary_of_run(&told, page), out);
}

/// What `sioco explore` does.
fn all_values(model: &Model, out: &mut Output) {
    heading("5. A model can be explored for all values at once", out);
    let options = sioco_symbolic::ExploreOptions { depth: Some(EXPLORED), ..Default::default() };
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
    let mut path = Path::new(model, &builtin);
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
    let options = analysis::AnalysisOptions { kinds: vec![Kind::ModelError], ..Default::default() };
    let found = analysis::analyze(&model.model, &builtin, &options, &mut |_| {});
    let source = Source { checked: model, sources: &checked.sources };
    for finding in &found.findings {
        indented(&analysis_report::render(source, finding, Denied::default(), None, out.style()), out);
    }
    out.line("");
    out.line("It also finds deadlocks, switches that are never taken, nondeterminism and more.");
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

fn a_picture(checked: &Checked, model: &CheckedModel, out: &mut Output) {
    heading("7. A model can be seen", out);
    let picture = graph::svg(&model.model, &as_written(&checked.sources, model), &graph::PictureOptions::default());
    let folder = picture_folder();
    let path = folder.join("accumulator.svg");
    match std::fs::create_dir_all(&folder).and_then(|()| files::write(&path, &picture)) {
        Ok(()) => out.line(format_args!("    {}", path.shown())),
        // The tour is about the model; a disk that is full does not end it.
        Err(error) => out.line(format_args!("    {} could not be written: {}", path.shown(), plain(&error))),
    }
    out.line("");
    out.line("is a picture of it for your browser; `sioco graph FILE` draws others.");
}

/// In a project, where its other products are; elsewhere, where things may be lost.
fn picture_folder() -> PathBuf {
    let target = PathBuf::from("target");
    let base = if target.is_dir() { target } else { std::env::temp_dir() };
    base.join("sioco-demo")
}
