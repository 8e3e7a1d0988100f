//! Labels as lines of limited width.

use sioco_model::visible;

use super::chart::{Edge, Item, Kind};

/// A line of a label is not longer than this, counted in columns of a fixed-width font. Longer ones push the nodes of a
/// picture apart.
const MAX_COLUMNS: usize = 34;
/// The second and later lines of an item are indented this far, so that items can be told apart.
const INDENT: usize = 2;
/// An item has at most this many lines; the rest is for the tooltip.
const MAX_LINES: usize = 8;
/// An edge has at most this many items; the rest is for the tooltip.
const MAX_ITEMS: usize = 12;

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Name,
    Label(Kind),
    Plain,
}

/// A line: pieces of text, with the column each starts at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Line {
    pub runs: Vec<(usize, Style, String)>,
    pub columns: usize,
    /// Whether it begins an item.
    pub first: bool,
}

/// How many columns a text takes in a fixed-width font, roughly: ideographs and the like take two.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

fn width(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x200b..=0x200f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f => 2,
        0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// The lines of an edge, each with the item it belongs to.
pub(super) fn lines(edge: &Edge) -> Vec<(usize, Line)> {
    let shown = if edge.items.len() > MAX_ITEMS { MAX_ITEMS - 1 } else { edge.items.len() };
    let mut out = Vec::new();
    for (i, item) in edge.items[..shown].iter().enumerate() {
        out.extend(item_lines(item).into_iter().map(|line| (i, line)));
    }
    if shown < edge.items.len() {
        let mut line = Line { first: true, ..Line::default() };
        line.push(Style::Plain, &format!("… and {} more", edge.items.len() - shown));
        out.push((shown, line));
    }
    out
}

/// The pieces of an item that are better not broken, in order.
fn pieces(item: &Item) -> Vec<(Style, String)> {
    let mut pieces = Vec::new();
    if let Some(name) = &item.name {
        pieces.push((Style::Name, format!("{name}:")));
    }
    for (i, (kind, text)) in item.parts.iter().enumerate() {
        pieces.push((Style::Label(*kind), text.label.clone()));
        if !text.guard.is_empty() {
            pieces.push((Style::Plain, format!("[{}]", text.guard)));
        }
        if !text.update.is_empty() {
            pieces.push((Style::Plain, format!("/ {}", text.update)));
        }
        if i + 1 < item.parts.len()
            && let Some((_, last)) = pieces.last_mut()
        {
            last.push_str(" ;");
        }
    }
    pieces
}

fn item_lines(item: &Item) -> Vec<Line> {
    let mut lines = vec![Line { first: true, ..Line::default() }];
    for (style, text) in pieces(item) {
        let text = visible::line(&text);
        let wide = columns(&text);
        // A piece that fits on a line of its own but not on this one starts a new one.
        let line = lines.last().expect("there is a first line");
        if line.columns > INDENT && line.columns + 1 + wide > MAX_COLUMNS && wide <= MAX_COLUMNS - INDENT {
            lines.push(Line { columns: INDENT, ..Line::default() });
        }
        for word in words(&text) {
            let line = lines.last().expect("there is a first line");
            let room = line.columns + 1 + columns(&word) <= MAX_COLUMNS;
            if !room && !line.runs.is_empty() {
                lines.push(Line { columns: INDENT, ..Line::default() });
            }
            lines.last_mut().expect("there is a first line").push(style, &word);
        }
        if lines.len() > MAX_LINES {
            lines.truncate(MAX_LINES);
            lines.last_mut().expect("some are left").push(Style::Plain, "…");
            break;
        }
    }
    lines
}

/// What a line is filled with: assignments, arguments and conjuncts as a whole where they fit on a line, otherwise
/// their words; a word that is too long for any line is broken somewhere.
fn words(text: &str) -> Vec<String> {
    const LONGEST: usize = MAX_COLUMNS - INDENT;
    let mut out = Vec::new();
    for clause in clauses(text) {
        if columns(&clause) <= LONGEST {
            out.push(clause);
            continue;
        }
        for word in clause.split(' ').filter(|w| !w.is_empty()) {
            let mut part = String::new();
            for c in word.chars() {
                if columns(&part) + width(c) > LONGEST {
                    out.push(std::mem::take(&mut part));
                }
                part.push(c);
            }
            out.push(part);
        }
    }
    out
}

/// The text cut behind commas and before `&&` and `||`.
fn clauses(text: &str) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        match clauses.last_mut() {
            Some(last) if !last.ends_with(',') && word != "&&" && word != "||" => {
                last.push(' ');
                last.push_str(word);
            }
            _ => clauses.push(word.into()),
        }
    }
    clauses
}

impl Line {
    fn push(&mut self, style: Style, word: &str) {
        if let Some((_, last, text)) = self.runs.last_mut()
            && *last == style
        {
            text.push(' ');
            text.push_str(word);
            self.columns += 1 + columns(word);
            return;
        }
        let at = if self.runs.is_empty() { self.columns } else { self.columns + 1 };
        self.runs.push((at, style, word.into()));
        self.columns = at + columns(word);
    }
}
