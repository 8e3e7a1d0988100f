//! The few lines of a file that a diagnostic needs.
//!
//! A renderer that is handed a file of 30 MB walks all of it, and one handed a line of 30 MB prints it. So only the
//! lines of the labels are handed on, and of a long line only what is around them.

use std::ops::Range;

use sioco_lang::source::SourceFile;

/// A line of more characters is cut: more than two lines of a terminal hide where the label is.
const MAX_COLUMNS: usize = 200;
/// This much of a cut line stays before the first label: less than a line of a terminal.
const BEFORE: usize = 60;
/// And this much after the last one: a line of a terminal.
const AFTER: usize = 80;
/// A label over more lines is shown at its first line: its end would be on another screen.
const MAX_LINES: usize = 40;

/// Lines of a file, with long ones cut.
pub(super) struct Excerpt {
    /// The lines.
    pub text: String,
    /// The number of the first one, from 1.
    pub first_line: usize,
    /// Whether a line lost its beginning.
    pub cut: bool,
    /// The spans asked for, as bytes of `text`.
    pub spans: Vec<Range<usize>>,
}

impl Excerpt {
    /// The lines that the spans touch, and those between.
    pub fn new(file: &SourceFile, spans: &[Range<usize>]) -> Excerpt {
        let text = file.text.as_str();
        let spans: Vec<_> = spans.iter().map(|s| sane(text, s)).collect();
        let start = line_start(text, spans.iter().map(|s| s.start).min().unwrap_or(0));
        let end = line_end(text, spans.iter().map(|s| s.end).max().unwrap_or(0));
        let mut pieces: Vec<Piece> = Vec::new();
        let mut out = String::new();
        let mut at = start;
        loop {
            let stop = line_end(text, at);
            let kept = window(text, at..stop, &spans);
            if kept.start > at {
                out.push('…');
            }
            pieces.push(Piece { line: at..stop, kept: kept.clone(), moved_to: out.len() });
            out.push_str(&text[kept.clone()]);
            if kept.end < stop {
                out.push('…');
            }
            if stop >= end || stop >= text.len() {
                break;
            }
            out.push('\n');
            at = stop + 1;
        }
        let spans = spans.iter().map(|s| moved(&pieces, s.start)..moved(&pieces, s.end)).collect();
        let cut = pieces.iter().any(|p| p.kept.start > p.line.start);
        Excerpt { text: out, first_line: file.line_of(start), cut, spans }
    }
}

/// A line, what is kept of it, and where that went.
struct Piece {
    line: Range<usize>,
    kept: Range<usize>,
    moved_to: usize,
}

fn moved(pieces: &[Piece], at: usize) -> usize {
    let after = pieces.partition_point(|p| p.line.start <= at);
    let piece = &pieces[after.saturating_sub(1)];
    piece.moved_to + at.clamp(piece.kept.start, piece.kept.end) - piece.kept.start
}

/// The span inside of the text, on whole characters, and not over too many lines.
fn sane(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    let end = text.ceil_char_boundary(span.end.max(start));
    let lines = text[start..end].match_indices('\n').nth(MAX_LINES);
    if lines.is_some() { start..line_end(text, start) } else { start..end }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |i| i + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |i| at + i)
}

/// What is kept of a line: all of it, or what is around the spans that touch it; the first span counts most.
fn window(text: &str, line: Range<usize>, spans: &[Range<usize>]) -> Range<usize> {
    if fits(&text[line.clone()], MAX_COLUMNS) {
        return line;
    }
    let touching: Vec<_> = spans.iter().filter(|s| s.start <= line.end && s.end >= line.start).collect();
    let Some(first) = touching.first() else {
        return line.start..forward(text, line.start, MAX_COLUMNS).min(line.end);
    };
    let clip = |at: usize| at.clamp(line.start, line.end);
    let low = touching.iter().map(|s| clip(s.start)).min().unwrap_or(line.start);
    let high = touching.iter().map(|s| clip(s.end)).max().unwrap_or(line.end);
    let (from, to) = if fits(&text[low..high], MAX_COLUMNS - BEFORE) {
        (low, high)
    } else {
        (clip(first.start), clip(first.end).min(forward(text, clip(first.start), AFTER)))
    };
    backward(text, from, BEFORE).max(line.start)..forward(text, to, AFTER).min(line.end)
}

fn fits(text: &str, columns: usize) -> bool {
    text.char_indices().nth(columns).is_none()
}

fn forward(text: &str, at: usize, columns: usize) -> usize {
    text[at..].char_indices().nth(columns).map_or(text.len(), |(i, _)| at + i)
}

fn backward(text: &str, at: usize, columns: usize) -> usize {
    text[..at].char_indices().rev().take(columns).last().map_or(at, |(i, _)| i)
}
