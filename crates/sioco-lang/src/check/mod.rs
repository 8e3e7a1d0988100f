//! The checker: from syntax trees to a checked [`Model`], with every problem reported.
//!
//! The way of a model through this folder:
//!
//! - [`load`](mod@load) reads the file and what it imports;
//! - `globals` collects the declarations, orders types, constants and functions so that each comes after what it
//!   needs, and resolves them in that order;
//! - `expr` lowers an expression to a term, and is where types are checked;
//! - `process` lowers each process once, to a template over its parameters and variables;
//! - `purpose` lowers the purposes, for each system;
//! - `system` makes the instances and with them the [`Model`];
//! - `lint` finds what is allowed but probably not meant.
//!
//! An expression that is wrong lowers to nothing, and what depends on it stays silent: one mistake, one report.

mod expr;
mod globals;
mod hidden;
mod lint;
pub mod load;
mod process;
mod purpose;
mod system;

use std::cell::Cell;
use std::path::Path;

use sioco_model::sort::Sorts;
use sioco_model::term::TermPool;
use sioco_model::{ChannelId, GateId, IdVec, LocationId, Model, SwitchId, VarId, WrittenId};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity, did_you_mean, has_errors};
use crate::source::{Loader, SourceMap, Span};
use load::Loaded;

/// What can be chosen from outside of the files.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Constants with other values than the files give them, as `(name, expression)`.
    pub consts: Vec<(String, String)>,
    /// The system to take, where the files declare several.
    pub system: Option<String>,
}

/// What came of checking.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The files.
    pub sources: SourceMap,
    /// The model; `None` if there are errors, or nothing to run, or several systems and none was chosen.
    pub model: Option<CheckedModel>,
    /// The names of the systems that could be chosen.
    pub systems: Vec<String>,
    /// The problems, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// A model and where its parts come from.
#[derive(Clone, Debug)]
pub struct CheckedModel {
    /// The model.
    pub model: Model,
    /// Where its parts were written.
    pub spans: Spans,
}

/// Where the parts of a model were written.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// Gates: their names.
    pub gates: IdVec<GateId, Span>,
    /// Channels: their names.
    pub channels: IdVec<ChannelId, Span>,
    /// Locations: their names, or the switch that a hidden one belongs to.
    pub locations: IdVec<LocationId, Span>,
    /// Variables: their declarations.
    pub variables: IdVec<VarId, Span>,
    /// Switches.
    pub switches: IdVec<SwitchId, SwitchSpans>,
    /// Purposes: their names.
    pub purposes: IdVec<WrittenId, Span>,
}

/// Where the parts of a switch were written.
#[derive(Clone, Debug)]
pub struct SwitchSpans {
    /// All of the switch, with its answers.
    pub whole: Span,
    /// The name, if it has one.
    pub name: Option<Span>,
    /// The label with its arguments.
    pub label: Span,
    /// Each argument of the label.
    pub args: Vec<Span>,
    /// What stands between `[` and `]`.
    pub guard: Option<Span>,
    /// Each assignment, in the order of the model's update. Hidden ones have the span of the label.
    pub update: Vec<Span>,
    /// The target.
    pub target: Span,
}

impl Checked {
    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        has_errors(&self.diagnostics)
    }

    /// The model, or the one problem that says why there is none. Problems of the files were reported already.
    pub fn require_model(&self) -> Result<&CheckedModel, Option<Box<Diagnostic>>> {
        if let Some(model) = &self.model {
            return Ok(model);
        }
        if self.has_errors() {
            return Err(None);
        }
        Err(Some(Box::new(if self.systems.len() > 1 {
            Diagnostic::global(Code::WhichSystem, "there are several systems, and none was chosen")
                .help(format!("choose one with `--system NAME`: {}", listed(&self.systems, ", ")))
        } else {
            Diagnostic::global(Code::NothingToRun, "there is no process in this file: nothing to run")
                .help("a model needs at least one `process`")
        })))
    }
}

/// Reads and checks a model from files.
pub fn check_file(path: &Path, loader: &dyn Loader, options: &CheckOptions) -> Checked {
    check_loaded(load::load(path, loader), options)
}

/// Checks a model given as one text, without imports.
///
/// ```
/// let checked = sioco_lang::check_text("m.sts", "output hi\nprocess P { init a { !hi -> a } }");
/// assert_eq!(checked.diagnostics, []);
/// assert_eq!(checked.model.unwrap().model.switches.len(), 1);
/// ```
pub fn check_text(name: &str, text: &str) -> Checked {
    check_text_with(name, text, &CheckOptions::default())
}

/// Like [`check_text`], with options.
pub fn check_text_with(name: &str, text: &str, options: &CheckOptions) -> Checked {
    let mut loader = crate::source::MemoryLoader::default();
    loader.0.insert(name.into(), text.into());
    check_file(Path::new(name), &loader, options)
}

fn check_loaded(loaded: Loaded, options: &CheckOptions) -> Checked {
    let Loaded { mut sources, files, mut diagnostics } = loaded;
    if diagnostics.iter().any(|d| d.code == Code::TooManyErrors) {
        // Whatever this is, it is not understood well enough to say more about it.
        return Checked { sources, model: None, systems: Vec::new(), diagnostics };
    }
    let lost_import = diagnostics.iter().any(|d| d.primary.is_some() && is_lost_import(d.code));
    let overrides = globals::parse_overrides(&mut sources, options, &mut diagnostics);
    let mut checker = Checker {
        sorts: Sorts::default(),
        terms: TermPool::new(),
        diagnostics,
        errors: 0,
        globals: globals::Globals::default(),
        too_large: false,
        expanded: 0,
        compared: Cell::new(0),
        not_yet: Vec::new(),
        switch_params: Vec::new(),
        sources: sources.clone(),
        hints: None,
    };
    checker.collect(&files);
    checker.resolve_globals(&overrides);
    checker.find_missing_quotes(&overrides, options);
    let templates = checker.templates();
    let (planned, systems) = checker.plan(&files, &templates, options);
    let purposes = checker.purposes(&planned, &templates);
    let lints = checker.lint(&templates);
    let model = checker.systems(&planned, &templates, purposes);
    let mut diagnostics = checker.diagnostics;
    if has_errors(&diagnostics) {
        // Warnings about a file that was not understood would mostly be about what is missing.
        // What hides in it matters all the more.
        diagnostics.retain(|d| d.severity() == Severity::Error || d.code == Code::HiddenCharacter);
    } else {
        diagnostics.extend(lints);
    }
    if diagnostics
        .iter()
        .any(|d| matches!(d.code, Code::UnknownType | Code::EmptyRange | Code::RecursiveType | Code::UnexpectedToken))
    {
        // The type that would say what the items are is wrong itself, most likely.
        diagnostics.retain(|d| d.code != Code::UnknownItemType);
    }
    if lost_import {
        // What nothing declares is probably declared there.
        diagnostics.retain(|d| !is_unknown(d.code));
    }
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|p| (p.span.file, p.span.start)));
    diagnostics.dedup();
    let model = if has_errors(&diagnostics) { None } else { model };
    Checked { sources, model, systems, diagnostics }
}

/// Whether the declarations of an imported file are missing after this.
fn is_lost_import(code: Code) -> bool {
    matches!(code, Code::Unreadable | Code::NotUtf8 | Code::Binary | Code::TooLarge | Code::ImportOutsideRoot)
}

/// Whether the problem is that something is not declared.
fn is_unknown(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownName
            | Code::UnknownType
            | Code::UnknownGate
            | Code::UnknownFunction
            | Code::UnknownConstructor
            | Code::UnknownProcess
    )
}

/// At most this many errors are reported before the rest of a process is left alone: some screens. Later ones mostly
/// follow from the first.
const MAX_ERRORS: usize = 100;

/// At most this many circles of declarations, or of imports, are reported: each names all its members, and mending one
/// often mends others.
const MAX_CIRCLES: usize = 20;

/// At most this many names are compared for suggestions before there are no more: a file with errors all over would
/// otherwise take longer to complain about than to check. It is enough for the [most errors](MAX_ERRORS) in a model of
/// a thousand names.
const MAX_COMPARED: usize = 100_000;

/// A message lists at most this many names: two lines of a terminal.
const MAX_LISTED: usize = 10;

/// Names in a row, those in the middle left out if there are too many.
fn listed(names: &[impl AsRef<str>], separator: &str) -> String {
    let all = |names: &[_]| names.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(separator);
    if names.len() <= MAX_LISTED {
        return all(names);
    }
    let (first, last) = (&names[..MAX_LISTED - 1], &names[names.len() - 1..]);
    format!("{}{separator}…{separator}{}", all(first), all(last))
}

/// The state of checking.
struct Checker<'a> {
    sorts: Sorts,
    terms: TermPool,
    diagnostics: Vec<Diagnostic>,
    /// How many of them are errors.
    errors: usize,
    globals: globals::Globals<'a>,
    /// Terms grew beyond all bounds; reported once.
    too_large: bool,
    /// How many terms were looked at to replace functions by their bodies.
    expanded: usize,
    /// How many names were compared for suggestions.
    compared: Cell<usize>,
    /// Names of the process at hand that have no value before the model runs.
    not_yet: Vec<&'a str>,
    /// The parameters of all switches of the process at hand, and where they get their values.
    switch_params: Vec<(&'a str, Span)>,
    /// The texts, for whoever shows a part of one.
    sources: SourceMap,
    /// What is known about names in the conditions of the purpose at hand.
    hints: Option<purpose::Hints>,
}

impl Checker<'_> {
    fn report(&mut self, d: Diagnostic) {
        self.errors += usize::from(d.severity() == Severity::Error);
        self.diagnostics.push(d);
    }

    /// The name that was probably meant. A file with thousands of unknown names and thousands of known ones gets
    /// suggestions for the first of them.
    fn near<'n>(&self, name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.compared.get() > MAX_COMPARED {
            return None;
        }
        let counted = candidates.into_iter().inspect(|_| self.compared.set(self.compared.get() + 1));
        did_you_mean(name, counted)
    }

    /// Whether there are more errors than anybody reads; said once, at this place.
    fn too_many_errors(&mut self, here: Span) -> bool {
        if self.errors <= MAX_ERRORS {
            return false;
        }
        if !self.diagnostics.iter().any(|d| d.code == Code::TooManyErrors) {
            self.report(
                Diagnostic::new(Code::TooManyErrors, here, format!("more than {MAX_ERRORS} errors in this model"))
                    .label("the rest of this process was not checked")
                    .help("fix the first ones and run again"),
            );
        }
        true
    }
}
