//! The formatter: one way to lay out a model.
//!
//! It works on the tokens and comments of the text; the syntax tree only says where lines may begin and end. Tokens are
//! never added, dropped or changed, so that nothing can get lost, and the result is checked for that once more.
//!
//! The layout has three steps:
//!
//! 1. `plan` walks the tree. It divides the tokens into lines (a declaration, a variable, a switch, a closing brace)
//!    and finds the groups: places of a line, such as after the commas of a list, that are broken all together.
//! 2. A group is broken in three cases: it contains a comment, it does not fit into [`MAX_WIDTH`], or (outside of
//!    switches) the source already had a line break at the group's first break. If a group is broken, every group
//!    around it is broken too.
//! 3. `write` puts out the lines and comments; switches that fit on one line are aligned by `columns`.

mod columns;
mod plan;
mod spacing;
mod write;

use crate::diagnostic::{Diagnostic, has_errors};
use crate::source::{FileId, Span};
use crate::syntax::lexer::Token;
use crate::syntax::parser::{Parsed, parse};

/// Lines are broken and columns are not aligned beyond this many characters: what fits beside another window, and in a
/// review.
pub const MAX_WIDTH: usize = 110;

/// Formats a text. One with syntax errors is not formatted; the errors are given instead.
///
/// Formatting what was formatted changes nothing. All comments stay, and so do all tokens.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(file, text);
    if has_errors(&parsed.diagnostics) {
        return Err(parsed.diagnostics);
    }
    let source = Source::new(text, &parsed);
    let result = write::write(&source, &plan::plan(&source, &parsed.file));
    // A damaged file would be worse than one that is not formatted, and so would one that cannot be read any more: what a
    // token means may depend on whether it begins a line.
    let before = (text, &parsed.tokens[..], &parsed.comments[..]);
    let again = parse(file, &result);
    let intact = same_content(before, (&result, &again.tokens, &again.comments));
    let readable = !has_errors(&again.diagnostics);
    debug_assert!(intact, "formatting changed a model:\n{text}\nbecame:\n{result}");
    debug_assert!(readable, "formatting broke a model:\n{text}\nbecame:\n{result}");
    Ok(if intact && readable { result } else { text.to_owned() })
}

/// Whether two texts have the same tokens and, but for white space at their ends, comments.
fn same_content(a: (&str, &[Token], &[Span]), b: (&str, &[Token], &[Span])) -> bool {
    fn slice(text: &str, span: Span) -> &str {
        text.get(span.range()).unwrap_or("")
    }
    let same_token = |(x, y): (&Token, &Token)| x.tok == y.tok && slice(a.0, x.span) == slice(b.0, y.span);
    let same_comment = |(x, y): (&Span, &Span)| slice(a.0, *x).trim_end() == slice(b.0, *y).trim_end();
    a.1.len() == b.1.len()
        && a.2.len() == b.2.len()
        && std::iter::zip(a.1, b.1).all(same_token)
        && std::iter::zip(a.2, b.2).all(same_comment)
}

/// The tokens and comments of a text. Gap `i` is what stands before token `i`.
struct Source<'a> {
    text: &'a str,
    tokens: &'a [Token],
    comments: &'a [Span],
    /// For each gap, how many comments are before it; at the end, how many there are.
    comments_before: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str, parsed: &'a Parsed) -> Self {
        let (tokens, comments) = (&parsed.tokens[..], &parsed.comments[..]);
        let mut comments_before = Vec::with_capacity(tokens.len() + 1);
        comments_before.push(0);
        let mut seen = 0;
        for token in tokens {
            while comments.get(seen).is_some_and(|c| c.start < token.span.start) {
                seen += 1;
            }
            comments_before.push(seen);
        }
        Source { text, tokens, comments, comments_before }
    }

    fn slice(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn token(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| self.slice(t.span.start, t.span.end))
    }

    /// How many characters a token has.
    fn width(&self, i: usize) -> usize {
        self.token(i).chars().count()
    }

    /// Where the token before a gap ends.
    fn end_before(&self, gap: usize) -> u32 {
        gap.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(0, |t| t.span.end)
    }

    /// The comments of a gap.
    fn comments(&self, gap: usize) -> &'a [Span] {
        self.comments.get(self.comments_before[gap]..self.comments_before[gap + 1]).unwrap_or(&[])
    }

    fn comment_text(&self, comment: Span) -> &'a str {
        self.slice(comment.start, comment.end).trim_end()
    }

    /// The comments of a gap in two parts: the one that ends the line of the token before, and those on their own lines.
    fn split_comments(&self, gap: usize) -> (Option<Span>, &'a [Span]) {
        match self.comments(gap) {
            [first, rest @ ..] if gap > 0 && !self.slice(self.end_before(gap), first.start).contains('\n') => {
                (Some(*first), rest)
            }
            all => (None, all),
        }
    }

    /// Whether there is a comment in the gaps from `first` to `last`, the latter included.
    fn has_comments(&self, first: usize, last: usize) -> bool {
        first <= last && self.comments_before[first] < self.comments_before[last + 1]
    }

    /// Whether a line ends in a gap.
    fn has_newline(&self, gap: usize) -> bool {
        self.tokens.get(gap).is_some_and(|t| self.slice(self.end_before(gap), t.span.start).contains('\n'))
    }

    /// Whether there is an empty line between two places that have nothing but white space between them.
    fn has_blank_line(&self, start: u32, end: u32) -> bool {
        self.slice(start, end).bytes().filter(|b| *b == b'\n').nth(1).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::lexer::lex;

    #[test]
    fn damage_is_noticed() {
        let text = "const a = -1 // x \nconst b = 2";
        let same = |after: &str| {
            let (a, b) = (lex(FileId(0), text), lex(FileId(0), after));
            same_content((text, &a.tokens, &a.comments), (after, &b.tokens, &b.comments))
        };
        assert!(same(text));
        assert!(same("const a\n=-1 // x\nconst b = 2\n"));
        for damaged in [
            "const a = 1 // x\nconst b = 2",
            "const a = -1\nconst b = 2",
            "const a = -1 // y\nconst b = 2",
            "const a = -1 // x\n// x\nconst b = 2",
            "const a = -1 // x\nconst c = 2",
            "const a = -1 // x const b = 2",
        ] {
            assert!(!same(damaged), "{damaged}");
        }
    }
}
