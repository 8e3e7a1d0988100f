//! What the analyses found: for people, and for programs.

mod json;
pub mod script;
pub(crate) mod shape;
mod summary;
mod words;

use crate::style::Style;
use sioco_lang::check::CheckedModel;
use sioco_lang::source::SourceMap;
use sioco_model::SwitchId;
use sioco_symbolic::Clash;
use sioco_symbolic::analysis::{Finding, Kind, Severity, Status, What, WhyNot};

pub use self::json::{VERSION, finding as json_finding, head as json_head, summary as json_summary, switches};
pub use self::summary::summary;
pub(crate) use self::words::cut;
use self::words::{Words, legend, quoted};
use crate::diagnostic::{self, Parts, Rank, render_parts};

/// A model with its source.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The model and where its parts were written.
    pub checked: &'a CheckedModel,
    /// The texts.
    pub sources: &'a SourceMap,
}

impl<'a> Source<'a> {
    /// The words of its author.
    pub fn words(self) -> crate::words::Words<'a> {
        crate::words::Words { checked: self.checked, sources: self.sources }
    }
}

/// The kinds whose findings count as errors, whatever their own severity is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Denied<'a>(pub &'a [Kind]);

impl Denied<'_> {
    /// How bad a finding is for whoever denies these kinds.
    pub fn severity(self, finding: &Finding) -> Severity {
        if self.0.contains(&finding.kind) { Severity::Error } else { finding.severity() }
    }

    /// Whether a finding is an error only because its kind is denied.
    pub fn raises(self, finding: &Finding) -> bool {
        self.severity(finding) != finding.severity()
    }
}

/// A finding for people, ending in a line break. What is only good to know is one line; all else has its source lines,
/// the way there and, if it can be replayed, the command for that.
pub fn render(source: Source<'_>, finding: &Finding, denied: Denied<'_>, replay: Option<&str>, style: Style) -> String {
    let words = Words { model: &source.checked.model, spans: &source.checked.spans };
    let said = words.of(finding);
    let rank = match denied.severity(finding) {
        Severity::Error => Rank::Error,
        Severity::Warning => Rank::Warning,
        Severity::Information => Rank::Information,
    };
    if rank == Rank::Information {
        let place = said.labels.first().map(|l| format!(" ({})", source.sources.show(l.span)));
        return render_line(finding.kind, &said.message, &place.unwrap_or_default(), style);
    }
    let mut notes = said.notes;
    if denied.raises(finding) {
        notes.push(format!("an error because of `--deny {}`", finding.kind));
    }
    notes.extend(words.trace(finding));
    if let Status::Undecided(reason) = &finding.status {
        notes.push(format!("why: {reason}"));
    }
    let help = said.help.or_else(|| replay.map(|command| format!("replay: {command}")));
    let parts = Parts { rank, id: finding.kind.name().into(), message: said.message, labels: said.labels, notes, help };
    render_parts(source.sources, &parts, style)
}

/// The message of a finding alone.
pub fn message(source: Source<'_>, finding: &Finding) -> String {
    Words { model: &source.checked.model, spans: &source.checked.spans }.of(finding).message
}

/// Why a switch is never taken, with its place.
pub(crate) fn never(source: Source<'_>, switch: SwitchId, why: &WhyNot) -> diagnostic::Finding {
    let words = Words { model: &source.checked.model, spans: &source.checked.spans };
    let what = What::NotTaken { switch, why: why.clone() };
    let finding = Finding { kind: Kind::Unreachable, status: Status::Proved, what, witness: None };
    let said = words.of(&finding);
    diagnostic::Finding {
        kind: Kind::Unreachable.name().into(),
        message: said.message,
        labels: said.labels,
        notes: said.notes,
    }
}

/// Conditions that clash, in a clause.
pub(crate) fn clashing(clash: &[Clash]) -> String {
    match clash {
        [one] => format!("`{}` is not true", one.text),
        several => format!("{} are not true together{}", quoted(several), legend(several)),
    }
}

fn render_line(kind: Kind, message: &str, place: &str, style: Style) -> String {
    let head = style.green(format_args!("info[{kind}]"));
    format!("{head}: {message}{place}\n")
}
