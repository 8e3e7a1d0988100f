//! The parser: a hand-written recursive descent that never gives up.
//!
//! It returns what it understood and a list of problems. After a problem it goes on at the next place that looks like
//! a beginning: a declaration, a location, a switch on a new line. A problem is reported once; what it leaves behind
//! (an `Error` node, an empty name) is passed over silently by the checker.

pub(crate) mod expr;
mod item;
mod process;
mod purpose;
mod switch;
mod types;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::syntax::ast::{File, Ident, MAX_NESTING};
use crate::syntax::lexer::{Tok, Token, lex};

/// At most this many problems of one file are reported before the rest of it is left alone: some screens. A file with
/// more is no model.
const MAX_ERRORS: usize = 100;

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What was understood.
    pub file: File,
    /// What was not.
    pub diagnostics: Vec<Diagnostic>,
    /// All tokens but comments; the last is the end of the file.
    pub tokens: Vec<Token>,
    /// The comments.
    pub comments: Vec<Span>,
}

/// Parses a text.
pub fn parse(file: FileId, text: &str) -> Parsed {
    let lexed = lex(file, text);
    let start = text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    if text[start..].starts_with('<') {
        // No declaration starts like this; what follows would be a hundred problems that say nothing.
        let span = Span { file, start: start as u32, end: start as u32 + 1 };
        let d = Diagnostic::new(Code::UnexpectedToken, span, "expected a declaration, found XML")
            .help("`sioco import FILE` converts an XML file to a model");
        let file = File { items: Vec::new() };
        return Parsed { file, diagnostics: vec![d], tokens: lexed.tokens, comments: lexed.comments };
    }
    let mut parser = Parser::new(text, &lexed.tokens, lexed.diagnostics);
    let items = parser.items();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|p| p.span.start));
    if diagnostics.len() > MAX_ERRORS {
        diagnostics.truncate(MAX_ERRORS);
        let last = diagnostics.last().and_then(|d| d.primary.as_ref()).map(|p| p.span);
        diagnostics.extend(last.map(|span| {
            Diagnostic::new(Code::TooManyErrors, span, format!("more than {MAX_ERRORS} syntax errors in this file"))
                .help("is this a sioco model? Fix the first errors and run again")
        }));
    }
    Parsed { file: File { items }, diagnostics, tokens: lexed.tokens, comments: lexed.comments }
}

/// Parses a text that is one expression, such as the value of `--const N=5`.
pub fn parse_expr(file: FileId, text: &str) -> (crate::syntax::ast::Expr, Vec<Diagnostic>) {
    let lexed = lex(file, text);
    let mut parser = Parser::new(text, &lexed.tokens, lexed.diagnostics);
    let expr = parser.expr();
    if parser.diagnostics.is_empty() && parser.peek() != Tok::Eof {
        parser.expected("the end of the expression");
    }
    (expr, parser.diagnostics)
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    pos: usize,
    diagnostics: Vec<Diagnostic>,
    depth: usize,
    /// `{` after a name is not a record here (`match x { … }`).
    no_record: bool,
    /// `[` after an expression is not an index here (`tau any k: Int in 0..n [guard]`).
    no_index: bool,
    /// `=>` ends an expression here: it was meant as the `->` of a switch.
    in_update: bool,
    /// Something was reported since the last beginning: what is found missing until the next one is a consequence.
    confused: bool,
    /// What is no token; something missing right after it is a consequence.
    bad: Vec<Span>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: &'a [Token], diagnostics: Vec<Diagnostic>) -> Self {
        let mut bad: Vec<Span> = diagnostics.iter().filter_map(|d| d.primary.as_ref()).map(|p| p.span).collect();
        bad.sort_unstable();
        Parser {
            text,
            tokens,
            pos: 0,
            diagnostics,
            depth: 0,
            no_record: false,
            no_index: false,
            in_update: false,
            confused: false,
            bad,
        }
    }

    fn peek(&self) -> Tok {
        self.tokens[self.pos].tok
    }

    fn peek_at(&self, n: usize) -> Tok {
        self.tokens.get(self.pos + n).map_or(Tok::Eof, |t| t.tok)
    }

    fn span(&self) -> Span {
        self.tokens[self.pos].span
    }

    /// The span of the token before.
    fn previous(&self) -> Span {
        self.tokens[self.pos.saturating_sub(1)].span
    }

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.pos];
        if token.tok != Tok::Eof {
            self.pos += 1;
        }
        token
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.peek() == tok;
        if found {
            self.bump();
        }
        found
    }

    /// The text of a span of this file.
    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Whether the current token is the first on its line.
    fn starts_line(&self) -> bool {
        self.starts_line_at(0)
    }

    /// Whether the token `n` further is the first on its line.
    fn starts_line_at(&self, n: usize) -> bool {
        let Some(at) = (self.pos + n).checked_sub(1) else { return true };
        let (Some(before), Some(here)) = (self.tokens.get(at), self.tokens.get(at + 1)) else { return true };
        self.text.get(before.span.end as usize..here.span.start as usize).is_none_or(|s| s.contains('\n'))
    }

    /// Whether a declaration starts here, on a new line.
    fn starts_item(&self) -> bool {
        (starts_item(self.peek()) && self.starts_line()) || self.starts_purpose()
    }

    /// Whether the next token but one follows without a space: two signs that were meant as one.
    fn joined(&self) -> bool {
        self.tokens.get(self.pos + 1).is_some_and(|t| t.span.start == self.span().end)
    }

    /// Reports what is wrong but understood, so that nothing after it is a consequence.
    fn understood(&mut self, d: Diagnostic) {
        if !self.confused {
            self.diagnostics.push(d);
        }
    }

    fn too_many_errors(&self) -> bool {
        self.diagnostics.len() > MAX_ERRORS
    }

    /// Reports that something else was expected, unless that is a consequence of what was reported before, and says
    /// whether it did. At the end of a line the place is right after the last token, where the missing thing belongs.
    fn expected(&mut self, what: &str) -> bool {
        let at_break = self.peek() == Tok::Eof || (self.starts_line() && self.pos > 0);
        let place = if at_break { self.previous().at_end() } else { self.span() };
        self.expected_at(place, what)
    }

    /// Like [`Parser::expected`], for something that should begin here.
    fn expected_here(&mut self, what: &str) -> bool {
        self.expected_at(self.span(), what)
    }

    fn expected_at(&mut self, place: Span, what: &str) -> bool {
        if std::mem::replace(&mut self.confused, true) {
            return false;
        }
        let found = self.peek();
        let span = self.span();
        let before = if self.pos == 0 { 0 } else { self.previous().start };
        let next = self.bad.partition_point(|b| b.start < before);
        if self.bad.get(next).is_some_and(|b| b.end <= span.start) {
            return false;
        }
        let found_text = match found {
            Tok::Ident | Tok::Int | Tok::Real | Tok::Tag => format!("`{}`", self.slice(span)),
            other if other.is_keyword() => format!("the keyword `{}`", self.slice(span)),
            other => other.describe(),
        };
        let message = format!("expected {what}, found {found_text}");
        self.diagnostics.push(Diagnostic::new(Code::UnexpectedToken, place, message).label(format!("expected {what}")));
        true
    }

    fn expect(&mut self, tok: Tok) -> bool {
        if self.eat(tok) {
            return true;
        }
        self.expected(&tok.describe());
        false
    }

    /// A name; an empty one, reported, if there is none.
    fn ident(&mut self, what: &str) -> Ident {
        match self.peek() {
            Tok::Ident => {
                let span = self.bump().span;
                Ident { name: self.slice(span).into(), span }
            }
            tok => {
                let span = self.span();
                let reported = self.expected(what);
                if tok.is_keyword() && !self.starts_line() {
                    // A keyword where a name belongs was meant as the name.
                    self.bump();
                    let word = self.slice(span);
                    if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                        d.help = Some(format!("`{word}` is a word of the language; choose another name"));
                    }
                }
                Ident { name: String::new(), span }
            }
        }
    }

    /// Skips to the next token that `stop` accepts, over whole brackets. The closing brace of an enclosing block is
    /// never skipped.
    fn skip_to(&mut self, stop: impl Fn(&Self) -> bool) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Tok::Eof => return,
                _ if open == 0 && stop(self) => return,
                Tok::LBrace => open += 1,
                Tok::RBrace if open == 0 => return,
                Tok::RBrace => open -= 1,
                // A declaration on a new line ends every bracket: the closing one is probably missing.
                _ if self.starts_item() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Runs `parse` one level deeper, or reports that it is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> T, otherwise: impl FnOnce(Span) -> T) -> T {
        if self.depth >= MAX_NESTING {
            let span = self.span();
            if !self.diagnostics.iter().any(|d| d.code == Code::TooDeep) {
                self.diagnostics.push(
                    Diagnostic::new(Code::TooDeep, span, format!("nested deeper than {MAX_NESTING} levels"))
                        .help("move parts of it to a `let` or a function"),
                );
            }
            self.confused = true;
            // Everything up to the next declaration is lost; without this, each closing bracket would be an error.
            while self.peek() != Tok::Eof && !self.starts_item() {
                self.bump();
            }
            return otherwise(span);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// `open item, item close`; a comma may follow the last item.
    fn list<T>(&mut self, close: Tok, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while self.peek() != close && self.peek() != Tok::Eof && !self.too_many_errors() {
            let before = self.pos;
            items.push(item(self));
            if self.eat(Tok::Comma) {
                continue;
            }
            if self.peek() == close {
                break;
            }
            self.expected(&format!("`,` or {}", close.describe()));
            if self.pos == before || !self.can_continue_list() {
                break;
            }
        }
        self.expect(close);
        items
    }

    /// Whether after a missing comma another item may follow on the same line.
    fn can_continue_list(&self) -> bool {
        !self.starts_line()
            && matches!(
                self.peek(),
                Tok::Ident | Tok::Int | Tok::Real | Tok::Str | Tok::True | Tok::False | Tok::LParen | Tok::Any
            )
    }
}

/// Whether the token starts a declaration.
fn starts_item(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Import
            | Tok::Type
            | Tok::Const
            | Tok::Fun
            | Tok::Input
            | Tok::Output
            | Tok::Channel
            | Tok::Process
            | Tok::System
            | Tok::Purpose
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ast::{ExprKind, ItemKind};

    fn codes(text: &str) -> Vec<&'static str> {
        parse(FileId(0), text).diagnostics.iter().map(|d| d.code.short()).collect()
    }

    const FIG1: &str = "
input  inX(p: Int in 1..10)
output outX(p: Int)
output done
process Accumulator {
  var x: Int = 0
  init l0 {
    add @REQ-1: ?inX(p)   / x := x + p   -> l1
    finish: !done   [x > 15]             -> l2
  }
  state l1 { tell: !outX(x) -> l0 }
  final l2
}";

    #[test]
    fn the_first_example_parses() {
        let parsed = parse(FileId(0), FIG1);
        assert_eq!(parsed.diagnostics, []);
        let ItemKind::Process(p) = &parsed.file.items[3].kind else { panic!("a process") };
        assert_eq!(p.locations.len(), 3);
        assert_eq!(p.locations[0].switches[0].tags[0].name, "REQ-1");
        assert_eq!(p.locations[0].switches[1].target.name, "l2");
    }

    #[test]
    fn chains_are_flat() {
        let sum = (0..50_000).map(|i| i.to_string()).collect::<Vec<_>>().join(" + ");
        let (expr, problems) = parse_expr(FileId(0), &sum);
        assert_eq!(problems, []);
        let ExprKind::Chain(_, rest) = expr.kind else { panic!("a chain") };
        assert_eq!(rest.len(), 49_999);
    }

    #[test]
    fn deep_nesting_is_refused_once() {
        for text in ["(".repeat(10_000), "[".repeat(10_000), "!".repeat(10_000), "-".repeat(10_000)] {
            let text = format!("const a = {text}1");
            let found = codes(&text);
            assert_eq!(found.iter().filter(|c| **c == "P005").count(), 1, "{found:?}");
        }
        assert!(codes(&format!("const a = x{}", ".f".repeat(10_000))).contains(&"P005"));
        assert!(codes(&format!("type T = {}", "Seq<".repeat(10_000))).contains(&"P005"));
        assert!(codes(&format!("const a = {}1", "let x = 1 in ".repeat(10_000))).is_empty());
        assert!(codes(&format!("const a = {}1", "if true then 1 else ".repeat(10_000))).is_empty());
    }

    #[test]
    fn a_bad_escape_is_a_whole_character() {
        let text = "const a = \"b\\é\"";
        let found = parse(FileId(0), text).diagnostics;
        let span = found[0].primary.as_ref().expect("a place").span;
        assert_eq!(text.get(span.range()), Some("\\é"));
    }

    #[test]
    fn one_mistake_is_one_error() {
        for (text, count) in [
            ("input a(p Int)\noutput b", 1),
            ("process P {\n init l0 {\n ?a -> \n !b -> l0\n }\n}", 1),
            ("process P {\n init l0 {\n ?a l0\n !b -> l0\n }\n}", 1),
            ("proces P { init l0 { ?a -> l0 } }\ninput a", 1),
            ("process P {\n init l0 {\n ?a -> l0\n", 1),
            ("const a = \nconst b = 2", 1),
            ("const a = (1 + 2\nconst b = 2", 1),
            ("input a(", 1),
            ("const a = 1 < 2 > 3", 1),
            ("process P {\n var x: Int := 0\n init l0 { ?a / x = 1 -> l0 }\n}", 2),
        ] {
            let found = parse(FileId(0), text).diagnostics;
            assert_eq!(found.len(), count, "{text}\n{found:#?}");
        }
    }
}
