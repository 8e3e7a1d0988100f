//! Putting out lines and comments.

use super::columns::{CELLS, columns};
use super::plan::{Gap, HANGING, Lead, Line, LineKind, Plan};
use super::{MAX_WIDTH, Source};

/// The text of a plan.
pub(super) fn write(source: &Source, plan: &Plan) -> String {
    let mut ends = Vec::with_capacity(source.tokens.len());
    let mut at = 0;
    for (i, space) in plan.spaces.iter().enumerate() {
        at += usize::from(*space) + source.width(i);
        ends.push(at);
    }
    let mut next_break = vec![source.tokens.len() - 1; source.tokens.len()];
    for i in (1..source.tokens.len()).rev() {
        let may_break = matches!(plan.gaps[i], Gap::Break(_) | Gap::Close(_) | Gap::Start);
        next_break[i - 1] = if may_break { i } else { next_break[i] };
    }
    let mut writer = Writer {
        source,
        plan,
        ends,
        next_break,
        layout: vec![Layout { broken: false, base: 0, content: 0 }; plan.groups.len()],
        next_group: 0,
        out: String::with_capacity(source.text.len() + source.text.len() / 4),
        column: 0,
    };
    writer.lines();
    writer.out
}

/// What was decided about a group.
#[derive(Clone, Copy)]
struct Layout {
    broken: bool,
    /// The indentation of what is around it, and of its closing bracket.
    base: usize,
    /// The indentation of its lines.
    content: usize,
}

struct Writer<'a> {
    source: &'a Source<'a>,
    plan: &'a Plan,
    /// Where each token would end if all of the file were one line.
    ends: Vec<usize>,
    /// For each token, the next gap after it that may be broken.
    next_break: Vec<usize>,
    layout: Vec<Layout>,
    /// The first group that is not reached yet.
    next_group: usize,
    out: String,
    /// How many characters are on the current line.
    column: usize,
}

impl<'a> Writer<'a> {
    fn lines(&mut self) {
        let lines = &self.plan.lines[..];
        let mut done = 0;
        while done < lines.len() {
            let run = self.run(done);
            match lines[done].kind {
                LineKind::Switch(_) => self.switches(&lines[done..run]),
                LineKind::Gate => self.gates(&lines[done..run]),
                _ => {
                    self.start(&lines[done]);
                    self.tokens(&lines[done], 0);
                }
            }
            done = run;
        }
        let end = self.source.tokens.len() - 1;
        let lead = if lines.is_empty() { Lead::First } else { Lead::Keep };
        self.between(end, 0, lead);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// The end of the run of lines that are aligned with line `first`.
    fn run(&self, first: usize) -> usize {
        let lines = &self.plan.lines[..];
        let alike = |line: &Line| {
            let kinds = (lines[first].kind, line.kind);
            matches!(kinds, (LineKind::Gate, LineKind::Gate) | (LineKind::Switch(_), LineKind::Switch(_)))
        };
        if !alike(&lines[first]) {
            return first + 1;
        }
        let more = lines[first + 1..].iter().take_while(|line| alike(line) && self.is_adjacent(line)).count();
        first + 1 + more
    }

    /// Whether nothing stands between a line and the one before.
    fn is_adjacent(&self, line: &Line) -> bool {
        let (trailing, own) = self.source.split_comments(line.first);
        let before = trailing.map_or(self.source.end_before(line.first), |c| c.end);
        let blank = match line.lead {
            Lead::First | Lead::Close => false,
            Lead::Keep => self.source.has_blank_line(before, self.source.tokens[line.first].span.start),
            Lead::Blank => true,
        };
        own.is_empty() && !blank
    }

    /// The width of the tokens `first..end` on one line.
    fn width(&self, first: usize, end: usize) -> usize {
        if first >= end {
            return 0;
        }
        self.ends[end - 1] - self.ends[first] + self.source.width(first)
    }

    fn gates(&mut self, run: &[Line]) {
        let width = run.iter().map(|line| self.source.token(line.first).len()).max().unwrap_or(0);
        for line in run {
            self.start(line);
            self.tokens(line, width - self.source.token(line.first).len());
        }
    }

    fn switches(&mut self, run: &[Line]) {
        let cells = |line: &Line| match line.kind {
            LineKind::Switch(cells) => cells,
            _ => [line.first; CELLS + 1],
        };
        let widths: Vec<[usize; CELLS]> =
            run.iter().map(|line| std::array::from_fn(|i| self.width(cells(line)[i], cells(line)[i + 1]))).collect();
        let starts = columns(&widths, run.first().map_or(0, |line| line.indent));
        for (line, starts) in run.iter().zip(&starts) {
            self.start(line);
            for (i, start) in starts.iter().enumerate() {
                let (first, end) = (cells(line)[i], cells(line)[i + 1]);
                if first < end {
                    self.pad(start.saturating_sub(self.column));
                    self.token(first);
                }
                for token in first + 1..end {
                    self.pad(usize::from(self.plan.spaces[token]));
                    self.token(token);
                }
            }
        }
    }

    /// Starts a line, after the comments before it.
    fn start(&mut self, line: &Line) {
        self.between(line.first, line.indent, line.lead);
        if line.first > 0 || !self.out.is_empty() {
            self.newline(line.indent);
        }
    }

    /// What is between two lines: the comment that ends the first, comments on their own lines, and blank lines. The
    /// last line is left open.
    fn between(&mut self, gap: usize, indent: usize, lead: Lead) {
        let (trailing, own) = self.source.split_comments(gap);
        let mut end = self.source.end_before(gap);
        if let Some(comment) = trailing {
            self.trailing(self.source.comment_text(comment));
            end = comment.end;
        }
        let mut keep = lead;
        for comment in own {
            if self.wants_blank(keep, end, comment.start) {
                self.out.push('\n');
            }
            if !self.out.is_empty() {
                // What is in a block is indented, even if only its closing brace follows.
                self.newline(if lead == Lead::Close { indent + 2 } else { indent });
            }
            self.text(self.source.comment_text(*comment));
            end = comment.end;
            keep = Lead::Keep;
        }
        let next = self.source.tokens[gap].span.start;
        let is_end = gap + 1 == self.source.tokens.len();
        if lead != Lead::Close && !is_end && self.wants_blank(keep, end, next) {
            self.out.push('\n');
        }
    }

    fn wants_blank(&self, lead: Lead, start: u32, end: u32) -> bool {
        match lead {
            Lead::First => false,
            Lead::Blank => true,
            Lead::Keep | Lead::Close => self.source.has_blank_line(start, end),
        }
    }

    /// The tokens of a line, broken where necessary. `padding` is added after the first.
    fn tokens(&mut self, line: &Line, padding: usize) {
        let mut open: Vec<usize> = Vec::new();
        for i in line.first..line.end {
            while open.last().is_some_and(|g| self.plan.groups[*g].last < i) {
                open.pop();
            }
            let context = open.last().map_or(line.indent, |g| self.layout[*g].content);
            if i > line.first {
                self.gap(i, context);
            }
            while let Some(group) = self.plan.groups.get(self.next_group).filter(|g| g.first <= i) {
                let outer = open.last().map(|g| self.layout[*g]);
                let base = outer.map_or(line.indent, |o| o.content);
                // The text up to the next place that can be broken must fit as well.
                let width = self.width(group.first, self.next_break[group.last].max(group.last + 1));
                let broken = outer.is_none_or(|o| o.broken) && (group.forced || self.column + width > MAX_WIDTH);
                self.layout[self.next_group] = Layout { broken, base, content: base + group.indent };
                open.push(self.next_group);
                self.next_group += 1;
            }
            self.token(i);
            if i == line.first && i + 1 < line.end && self.source.comments(i + 1).is_empty() {
                self.pad(padding);
            }
        }
    }

    /// What stands before token `i` inside a line.
    fn gap(&mut self, i: usize, context: usize) {
        // The indentation of comments and of the token, and whether it starts a line without comments, too.
        let (inner, own, broken) = match self.plan.gaps[i] {
            Gap::Break(g) => (self.layout[g].content, self.layout[g].content, self.layout[g].broken),
            Gap::Close(g) => (self.layout[g].content, self.layout[g].base, self.layout[g].broken),
            Gap::Hang(g) => (self.layout[g].content, self.layout[g].content, false),
            Gap::Glue | Gap::Start => (context + HANGING, context + HANGING, false),
        };
        let (trailing, comments) = self.source.split_comments(i);
        if let Some(comment) = trailing {
            self.trailing(self.source.comment_text(comment));
        }
        for comment in comments {
            self.newline(inner);
            self.text(self.source.comment_text(*comment));
        }
        if broken || trailing.is_some() || !comments.is_empty() {
            self.newline(own);
        } else {
            self.pad(usize::from(self.plan.spaces[i]));
        }
    }

    fn trailing(&mut self, comment: &str) {
        self.pad(2);
        self.text(comment);
    }

    fn token(&mut self, i: usize) {
        self.text(self.source.token(i));
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn pad(&mut self, count: usize) {
        (0..count).for_each(|_| self.out.push(' '));
        self.column += count;
    }

    fn newline(&mut self, indent: usize) {
        self.out.push('\n');
        self.column = 0;
        self.pad(indent);
    }
}
