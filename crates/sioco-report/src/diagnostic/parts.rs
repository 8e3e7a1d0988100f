//! Reports with excerpts of the source, also about things that have no diagnostic code.

use annotate_snippets::{AnnotationKind, Group, Level};
use sioco_lang::diagnostic::Label;
use sioco_lang::source::SourceMap;
use sioco_model::visible;

use super::{clusters, draw, snippet};
use crate::style::Style;

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// It has to be mended.
    Error,
    /// It is probably not meant.
    Warning,
    /// Good to know.
    Information,
}

/// What a report is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// How bad it is.
    pub rank: Rank,
    /// Its kind, in brackets.
    pub id: String,
    /// What it is, in one sentence without a full stop.
    pub message: String,
    /// Where; the first place is the most important one.
    pub labels: Vec<Label>,
    /// Facts.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

/// The report with excerpts of the source, ending in a line break.
pub fn render_parts(sources: &SourceMap, parts: &Parts, style: Style) -> String {
    let level = match parts.rank {
        Rank::Error => Level::ERROR,
        Rank::Warning => Level::WARNING,
        Rank::Information => Level::INFO,
    };
    let mut main = Group::with_title(level.primary_title(visible::text(&parts.message)).id(visible::line(&parts.id)));
    let kind = |i: usize| if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    let labels: Vec<(AnnotationKind, &Label)> = parts.labels.iter().enumerate().map(|(i, l)| (kind(i), l)).collect();
    for cluster in clusters(sources, &labels) {
        main = snippet(main, sources, &cluster);
    }
    for note in &parts.notes {
        main = main.element(Level::NOTE.message(visible::text(note)));
    }
    if let Some(help) = &parts.help {
        main = main.element(Level::HELP.message(visible::text(help)));
    }
    draw(&[main], style)
}
