//! A diagnostic as one JSON object.

use serde_json::{Map, Value, json};
use sioco_lang::diagnostic::{Diagnostic, Severity};
use sioco_lang::source::{SourceMap, Span};

use super::{has, position};

/// The diagnostic as a JSON object on one line.
///
/// `file`, `line`, `column`, `end_line` and `end_column` say where (lines and columns from 1, in characters, the end
/// excluded); they are `null` for a diagnostic without a place. `fix` also has `start` and `end`, in bytes.
pub fn json(sources: &SourceMap, d: &Diagnostic) -> String {
    let mut object = Map::new();
    let severity = match d.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    object.insert("code".into(), d.code.to_string().into());
    object.insert("severity".into(), severity.into());
    object.insert("message".into(), d.message.as_str().into());
    place(&mut object, sources, d.primary.as_ref().map(|l| l.span));
    object.insert("label".into(), d.primary.as_ref().map_or("", |l| &l.text).into());
    let labels = d.secondary.iter().map(|label| {
        let mut object = Map::new();
        place(&mut object, sources, Some(label.span));
        object.insert("text".into(), label.text.as_str().into());
        Value::Object(object)
    });
    object.insert("labels".into(), labels.collect());
    object.insert("notes".into(), json!(d.notes));
    object.insert("help".into(), json!(d.help));
    let fix = d.fix.as_ref().map(|fix| {
        let mut object = Map::new();
        place(&mut object, sources, Some(fix.span));
        object.insert("start".into(), fix.span.start.into());
        object.insert("end".into(), fix.span.end.into());
        object.insert("replacement".into(), fix.replacement.as_str().into());
        object
    });
    object.insert("fix".into(), json!(fix));
    Value::Object(object).to_string()
}

/// Adds where something is.
pub(crate) fn place(object: &mut Map<String, Value>, sources: &SourceMap, span: Option<Span>) {
    let Some(span) = span.filter(|s| has(sources, s.file)) else {
        for key in ["file", "line", "column", "end_line", "end_column"] {
            object.insert(key.into(), Value::Null);
        }
        return;
    };
    let (line, column) = position(sources, span);
    let (end_line, end_column) = position(sources, Span { start: span.end.max(span.start), ..span });
    object.insert("file".into(), sources.file(span.file).name.as_str().into());
    object.insert("line".into(), line.into());
    object.insert("column".into(), column.into());
    object.insert("end_line".into(), end_line.into());
    object.insert("end_column".into(), end_column.into());
}
