//! Diagnostics for people, and for programs.

mod excerpt;
mod json;
mod lines;
mod parts;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use sioco_lang::diagnostic::{Diagnostic, Fix, Label, Severity};
use sioco_lang::source::{FileId, SourceMap, Span};
use sioco_model::visible;

use crate::style::{self, Style};
use excerpt::Excerpt;
#[cfg(feature = "schema")]
pub(crate) use json::TypedLine;
pub(crate) use json::{LabelLine, SpanLine, place};
pub use json::{json, typed};
pub use lines::{CheckSummaryLine, ProjectLine};
pub use parts::{Parts, Rank, render_parts};

/// Labels of one file share a snippet if at most this many lines lie between them: about a screen. Farther ones are two
/// snippets.
const NEAR_LINES: usize = 60;

/// The diagnostic as a report with excerpts of the source, ending in a line break.
pub fn render(sources: &SourceMap, d: &Diagnostic, style: Style) -> String {
    let level = match d.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut main = Group::with_title(level.primary_title(visible::text(&d.message)).id(d.code.to_string()));
    let labels: Vec<(AnnotationKind, &Label)> = (d.primary.iter().map(|l| (AnnotationKind::Primary, l)))
        .chain(d.secondary.iter().map(|l| (AnnotationKind::Context, l)))
        .collect();
    main = snippets(main, sources, &labels);
    for note in &d.notes {
        main = main.element(Level::NOTE.message(visible::text(note)));
    }
    let patch = d.fix.as_ref().and_then(|fix| patch(sources, fix, d.help.as_deref()));
    if let (None, Some(help)) = (&patch, &d.help) {
        main = main.element(Level::HELP.message(visible::text(help)));
    }
    draw(&std::iter::once(main).chain(patch).collect::<Vec<_>>(), style)
}

/// Something found out about a model that is no problem of its own, and so has no code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What it is, in a word; it stands where a diagnostic says `error`.
    pub kind: String,
    /// What was found, in one sentence without a full stop.
    pub message: String,
    /// The places that matter, the most important one first.
    pub labels: Vec<Label>,
    /// Facts.
    pub notes: Vec<String>,
}

/// The finding in the form of a diagnostic, ending in a line break.
pub fn render_finding(sources: &SourceMap, finding: &Finding, style: Style) -> String {
    let title = Level::ERROR.with_name(visible::line(&finding.kind)).primary_title(visible::text(&finding.message));
    let mut main = Group::with_title(title);
    let kinds = std::iter::once(AnnotationKind::Primary).chain(std::iter::repeat(AnnotationKind::Context));
    let labels: Vec<(AnnotationKind, &Label)> = kinds.zip(&finding.labels).collect();
    main = snippets(main, sources, &labels);
    for note in &finding.notes {
        main = main.element(Level::NOTE.message(visible::text(note)));
    }
    draw(&[main], style)
}

fn snippets<'a>(mut group: Group<'a>, sources: &'a SourceMap, labels: &[(AnnotationKind, &'a Label)]) -> Group<'a> {
    for cluster in clusters(sources, labels) {
        group = snippet(group, sources, &cluster);
    }
    group
}

/// Every text in the report is visible already, except for excerpts of the source, in which the renderer replaces what a
/// terminal would obey: all escape sequences are its own.
fn draw(report: &[Group<'_>], style: Style) -> String {
    let renderer = if style.on { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
    let mut text = renderer.decor_style(DecorStyle::Unicode).render(report);
    text.push('\n');
    if style.on { style::adopt(&text) } else { text }
}

/// Whether the map has the file: a span may come from anywhere.
fn has(sources: &SourceMap, file: FileId) -> bool {
    sources.files().nth(file.0 as usize).is_some()
}

type Marks<'a> = Vec<(AnnotationKind, &'a Label)>;

/// The labels, put together where they are near each other in one file; the primary one's cluster first.
fn clusters<'a>(sources: &SourceMap, labels: &[(AnnotationKind, &'a Label)]) -> Vec<Marks<'a>> {
    let mut clusters: Vec<(FileId, usize, usize, Marks<'a>)> = Vec::new();
    for &(kind, label) in labels.iter().filter(|(_, l)| has(sources, l.span.file)) {
        let line = sources.file(label.span.file).line_of(label.span.start as usize);
        let near = clusters.iter_mut().find(|(file, first, last, _)| {
            *file == label.span.file && line + NEAR_LINES >= *first && line <= *last + NEAR_LINES
        });
        match near {
            Some((_, first, last, marks)) => {
                (*first, *last) = ((*first).min(line), (*last).max(line));
                marks.push((kind, label));
            }
            None => clusters.push((label.span.file, line, line, vec![(kind, label)])),
        }
    }
    clusters.into_iter().map(|(.., marks)| marks).collect()
}

fn snippet<'a>(group: Group<'a>, sources: &'a SourceMap, marks: &Marks<'a>) -> Group<'a> {
    let Some((_, first)) = marks.first() else { return group };
    let file = sources.file(first.span.file);
    let spans: Vec<_> = marks.iter().map(|(_, l)| l.span.range()).collect();
    let excerpt = Excerpt::new(file, &spans);
    let annotations: Vec<Annotation<'a>> = marks
        .iter()
        .zip(&excerpt.spans)
        .map(|((kind, label), span)| {
            let text = (!label.text.is_empty()).then(|| visible::text(&label.text));
            kind.span(span.clone()).label(text)
        })
        .collect();
    let snippet = Snippet::source(excerpt.text).line_start(excerpt.first_line).annotations(annotations);
    if !excerpt.cut {
        return group.element(snippet.path(visible::line(&file.name)));
    }
    // Columns of a cut line are not those of the file, so the place is given apart from the excerpt.
    let (line, column) = position(sources, first.span);
    group.element(Origin::path(visible::line(&file.name)).line(line).char_column(column)).element(snippet)
}

fn patch<'a>(sources: &'a SourceMap, fix: &'a Fix, help: Option<&'a str>) -> Option<Group<'a>> {
    if !has(sources, fix.span.file) {
        return None;
    }
    let excerpt = Excerpt::new(sources.file(fix.span.file), &[fix.span.range()]);
    let span = excerpt.spans.first()?.clone();
    let snippet = Snippet::source(excerpt.text).line_start(excerpt.first_line);
    let title = Level::HELP.secondary_title(visible::text(help.unwrap_or("this fixes it")));
    Some(Group::with_title(title).element(snippet.patch(Patch::new(span, visible::text(&fix.replacement)))))
}

/// Line and column of a byte of a file, both from 1; a span outside of the text is taken to its end.
fn position(sources: &SourceMap, span: Span) -> (usize, usize) {
    let text = &sources.file(span.file).text;
    let at = text.floor_char_boundary(span.start as usize);
    sources.position(Span { start: at as u32, end: at as u32, ..span })
}

#[cfg(test)]
mod tests;
