//! A log in whatever form it comes.

use std::path::Path;

use sioco_adapter::log::protocol;
use sioco_exec::journal::{FORMAT, ReadError, Remark, decode};
use sioco_exec::log::Log;
use sioco_model::Model;

use super::{journal, text_log};
use crate::failure::Failure;

/// The runs in a file: a journal, lines of the adapter protocol, or a trace in text.
pub fn read(path: &Path, bytes: &[u8], model: &Model) -> Result<Log, Failure> {
    let wrong = |error: ReadError| journal::wrong(path, &error);
    let text = decode(bytes).map_err(wrong)?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let json = first.trim_start_matches(['>', '<']).trim_start().starts_with('{');
    // Only the beginning of the first line is there: nothing happened yet.
    let start = format!("{{\"format\":\"{FORMAT}\"");
    let begun = first.starts_with(&start) || start.starts_with(first);
    if json && begun && !text.contains('\n') && serde_json::from_str::<serde_json::Value>(first).is_err() {
        let what = "the journal is cut off in its first line".into();
        return Ok(Log { remarks: vec![Remark { line: Some(1), what }], ..Log::default() });
    }
    match json {
        true if first.contains("\"format\"") && first.contains(FORMAT) => {
            Ok(Log::of(&journal::read(path, text, model)?))
        }
        true => protocol(text, model).map_err(wrong),
        false => text_log::read(text, model).map_err(wrong),
    }
}
