//! A diagnostic as one JSON object.

use serde::Serialize;
use sioco_lang::diagnostic::{Diagnostic, Severity};
use sioco_lang::source::{SourceMap, Span};
use sioco_plan::value::tree;

use super::{has, position};

/// A diagnostic as it is written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Diagnostic"))]
pub(crate) struct DiagnosticLine<'a> {
    /// The code.
    code: String,
    /// `error` or `warning`.
    severity: &'static str,
    /// What is wrong.
    message: &'a str,
    #[serde(flatten)]
    place: SpanLine<'a>,
    /// What is there.
    label: &'a str,
    /// Other places that have to do with it.
    labels: Vec<LabelLine<'a>>,
    /// What else there is to say.
    notes: &'a [String],
    /// What to do.
    help: Option<&'a str>,
    /// What to write instead.
    fix: Option<FixLine<'a>>,
}

/// A diagnostic on a line of its own.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TypedDiagnostic"))]
pub(crate) struct TypedLine<'a> {
    /// `diagnostic`, or `fixed` if it was mended.
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    line: DiagnosticLine<'a>,
}

/// A place in a file, from and to. All of it is `null` where there is none.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Span"))]
pub(crate) struct SpanLine<'a> {
    /// The file.
    file: Option<&'a str>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1.
    column: Option<usize>,
    /// The line of its end.
    end_line: Option<usize>,
    /// The column of its end, which is excluded.
    end_column: Option<usize>,
}

/// A place with a text.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Label"))]
pub(crate) struct LabelLine<'a> {
    #[serde(flatten)]
    pub place: SpanLine<'a>,
    /// What is there.
    pub text: String,
}

/// What to write instead of what is at a place.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Fix"))]
struct FixLine<'a> {
    #[serde(flatten)]
    place: SpanLine<'a>,
    /// Where it begins, in bytes.
    start: u32,
    /// Where it ends, in bytes.
    end: u32,
    /// The text that belongs there.
    replacement: &'a str,
}

/// The diagnostic as a JSON object on one line.
///
/// `file`, `line`, `column`, `end_line` and `end_column` say where (lines and columns from 1, in characters, the end
/// excluded); they are `null` for a diagnostic without a place. `fix` also has `start` and `end`, in bytes.
pub fn json(sources: &SourceMap, d: &Diagnostic) -> String {
    tree(&line(sources, d)).to_string()
}

/// The same with its kind, for streams with objects of several kinds.
pub fn typed(kind: &'static str, sources: &SourceMap, d: &Diagnostic) -> String {
    tree(&TypedLine { kind, line: line(sources, d) }).to_string()
}

fn line<'a>(sources: &'a SourceMap, d: &'a Diagnostic) -> DiagnosticLine<'a> {
    let severity = match d.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let labels = d.secondary.iter();
    DiagnosticLine {
        code: d.code.to_string(),
        severity,
        message: &d.message,
        place: place(sources, d.primary.as_ref().map(|l| l.span)),
        label: d.primary.as_ref().map_or("", |l| &l.text),
        labels: labels
            .map(|label| LabelLine { place: place(sources, Some(label.span)), text: label.text.clone() })
            .collect(),
        notes: &d.notes,
        help: d.help.as_deref(),
        fix: d.fix.as_ref().map(|fix| FixLine {
            place: place(sources, Some(fix.span)),
            start: fix.span.start,
            end: fix.span.end,
            replacement: &fix.replacement,
        }),
    }
}

/// Where something is.
pub(crate) fn place(sources: &SourceMap, span: Option<Span>) -> SpanLine<'_> {
    let Some(span) = span.filter(|s| has(sources, s.file)) else { return SpanLine::default() };
    let (line, column) = position(sources, span);
    let (end_line, end_column) = position(sources, Span { start: span.end.max(span.start), ..span });
    SpanLine {
        file: Some(&sources.file(span.file).name),
        line: Some(line),
        column: Some(column),
        end_line: Some(end_line),
        end_column: Some(end_column),
    }
}
