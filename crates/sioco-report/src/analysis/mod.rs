//! What the analyses found: for people, and for programs.

mod json;
pub mod script;
mod summary;
mod words;

use sioco_lang::check::CheckedModel;
use sioco_lang::source::SourceMap;
use sioco_symbolic::analysis::{Finding, Kind, Severity, Status};

pub use self::json::{VERSION, finding as json_finding, head as json_head, summary as json_summary, switches};
pub use self::summary::summary;
use self::words::Words;
use crate::diagnostic::{Parts, Rank, render_parts};

/// A model with its source.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The model and where its parts were written.
    pub checked: &'a CheckedModel,
    /// The texts.
    pub sources: &'a SourceMap,
}

/// A finding for people, ending in a line break. What is only good to know is one line; all else has its source lines,
/// the way there and, if it can be replayed, the command for that.
pub fn render(source: Source<'_>, finding: &Finding, replay: Option<&str>, colour: bool) -> String {
    let words = Words { model: &source.checked.model, spans: &source.checked.spans };
    let said = words.of(finding);
    let rank = match finding.severity() {
        Severity::Error => Rank::Error,
        Severity::Warning => Rank::Warning,
        Severity::Information => Rank::Information,
    };
    if rank == Rank::Information {
        return render_line(finding.kind, &said.message, colour);
    }
    let mut notes = said.notes;
    notes.extend(words.trace(finding));
    if let Status::Undecided(reason) = &finding.status {
        notes.push(format!("why: {reason}"));
    }
    let help = said.help.or_else(|| replay.map(|command| format!("replay: {command}")));
    let parts = Parts { rank, id: finding.kind.name().into(), message: said.message, labels: said.labels, notes, help };
    render_parts(source.sources, &parts, colour)
}

/// The message of a finding alone.
pub fn message(source: Source<'_>, finding: &Finding) -> String {
    Words { model: &source.checked.model, spans: &source.checked.spans }.of(finding).message
}

fn render_line(kind: Kind, message: &str, colour: bool) -> String {
    let (on, off) = if colour { ("\x1b[1;32m", "\x1b[0m") } else { ("", "") };
    format!("{on}info[{kind}]{off}: {message}\n")
}
