//! Tokens. Comments are kept beside them, so that the formatter loses nothing.

use logos::Logos;
use sioco_model::visible;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
pub enum Tok {
    /// A name.
    #[regex(r"[\p{L}_][\p{L}\p{N}_]*")]
    Ident,
    /// An integer literal.
    #[regex(r"[0-9][0-9_]*")]
    Int,
    /// A decimal literal.
    #[regex(r"[0-9][0-9_]*\.[0-9][0-9_]*")]
    Real,
    /// A string literal with its quotes.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Str,
    /// A string literal that never ends.
    #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#, priority = 1)]
    OpenStr,
    /// `@REQ-12`.
    #[regex(r"@[\p{L}\p{N}_][\p{L}\p{N}_.\-]*")]
    Tag,
    /// A comment to the end of the line.
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,

    /// `{`
    #[token("{")]
    LBrace,
    /// `}`
    #[token("}")]
    RBrace,
    /// `(`
    #[token("(")]
    LParen,
    /// `)`
    #[token(")")]
    RParen,
    /// `[`
    #[token("[")]
    LBracket,
    /// `]`
    #[token("]")]
    RBracket,
    /// `,`
    #[token(",")]
    Comma,
    /// `:`
    #[token(":")]
    Colon,
    /// `;`
    #[token(";")]
    Semi,
    /// `.`
    #[token(".")]
    Dot,
    /// `..`
    #[token("..")]
    DotDot,
    /// `->`
    #[token("->")]
    Arrow,
    /// `=>`
    #[token("=>")]
    FatArrow,
    /// `:=`
    #[token(":=")]
    Assign,
    /// `=`
    #[token("=")]
    Equals,
    /// `==`
    #[token("==")]
    EqEq,
    /// `!=`
    #[token("!=")]
    NotEq,
    /// `<`
    #[token("<")]
    Less,
    /// `<=`
    #[token("<=")]
    LessEq,
    /// `>`
    #[token(">")]
    Greater,
    /// `>=`
    #[token(">=")]
    GreaterEq,
    /// `+`
    #[token("+")]
    Plus,
    /// `++`
    #[token("++")]
    PlusPlus,
    /// `-`
    #[token("-")]
    Minus,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    #[token("/")]
    Slash,
    /// `&&`
    #[token("&&")]
    AndAnd,
    /// `|`
    #[token("|")]
    Pipe,
    /// `||`
    #[token("||")]
    OrOr,
    /// `!`
    #[token("!")]
    Bang,
    /// `?`
    #[token("?")]
    Question,

    /// `any`
    #[token("any")]
    Any,
    /// `channel`
    #[token("channel")]
    Channel,
    /// `const`
    #[token("const")]
    Const,
    /// `div`
    #[token("div")]
    Div,
    /// `else`
    #[token("else")]
    Else,
    /// `false`
    #[token("false")]
    False,
    /// `final`
    #[token("final")]
    Final,
    /// `fun`
    #[token("fun")]
    Fun,
    /// `if`
    #[token("if")]
    If,
    /// `implies`
    #[token("implies")]
    Implies,
    /// `import`
    #[token("import")]
    Import,
    /// `in`
    #[token("in")]
    In,
    /// `init`
    #[token("init")]
    Init,
    /// `input`
    #[token("input")]
    Input,
    /// `is`
    #[token("is")]
    Is,
    /// `let`
    #[token("let")]
    Let,
    /// `match`
    #[token("match")]
    Match,
    /// `mod`
    #[token("mod")]
    Mod,
    /// `output`
    #[token("output")]
    Output,
    /// `process`
    #[token("process")]
    Process,
    /// `recv`
    #[token("recv")]
    Recv,
    /// `send`
    #[token("send")]
    Send,
    /// `state`
    #[token("state")]
    State,
    /// `system`
    #[token("system")]
    System,
    /// `tau`
    #[token("tau")]
    Tau,
    /// `then`
    #[token("then")]
    Then,
    /// `tolerance`
    #[token("tolerance")]
    Tolerance,
    /// `true`
    #[token("true")]
    True,
    /// `type`
    #[token("type")]
    Type,
    /// `var`
    #[token("var")]
    Var,
    /// `with`
    #[token("with")]
    With,

    /// `purpose`, where a declaration starts. The lexer gives a name, which it is everywhere else.
    Purpose,
    /// The end of the file.
    Eof,
}

impl Tok {
    /// Whether this is a word with a fixed meaning.
    pub fn is_keyword(self) -> bool {
        self.text().is_some_and(|t| t.starts_with(|c: char| c.is_ascii_lowercase()))
    }

    /// The text of a token that is always the same.
    pub fn text(self) -> Option<&'static str> {
        Some(match self {
            Tok::Ident | Tok::Int | Tok::Real | Tok::Str | Tok::OpenStr | Tok::Tag | Tok::Comment | Tok::Eof => {
                return None;
            }
            Tok::LBrace => "{",
            Tok::RBrace => "}",
            Tok::LParen => "(",
            Tok::RParen => ")",
            Tok::LBracket => "[",
            Tok::RBracket => "]",
            Tok::Comma => ",",
            Tok::Colon => ":",
            Tok::Semi => ";",
            Tok::Dot => ".",
            Tok::DotDot => "..",
            Tok::Arrow => "->",
            Tok::FatArrow => "=>",
            Tok::Assign => ":=",
            Tok::Equals => "=",
            Tok::EqEq => "==",
            Tok::NotEq => "!=",
            Tok::Less => "<",
            Tok::LessEq => "<=",
            Tok::Greater => ">",
            Tok::GreaterEq => ">=",
            Tok::Plus => "+",
            Tok::PlusPlus => "++",
            Tok::Minus => "-",
            Tok::Star => "*",
            Tok::Slash => "/",
            Tok::AndAnd => "&&",
            Tok::Pipe => "|",
            Tok::OrOr => "||",
            Tok::Bang => "!",
            Tok::Question => "?",
            Tok::Any => "any",
            Tok::Channel => "channel",
            Tok::Const => "const",
            Tok::Div => "div",
            Tok::Else => "else",
            Tok::False => "false",
            Tok::Final => "final",
            Tok::Fun => "fun",
            Tok::If => "if",
            Tok::Implies => "implies",
            Tok::Import => "import",
            Tok::In => "in",
            Tok::Init => "init",
            Tok::Input => "input",
            Tok::Is => "is",
            Tok::Let => "let",
            Tok::Match => "match",
            Tok::Mod => "mod",
            Tok::Output => "output",
            Tok::Purpose => "purpose",
            Tok::Process => "process",
            Tok::Recv => "recv",
            Tok::Send => "send",
            Tok::State => "state",
            Tok::System => "system",
            Tok::Tau => "tau",
            Tok::Then => "then",
            Tok::Tolerance => "tolerance",
            Tok::True => "true",
            Tok::Type => "type",
            Tok::Var => "var",
            Tok::With => "with",
        })
    }

    /// The token in words, for "expected …, found …".
    pub fn describe(self) -> String {
        match (self, self.text()) {
            (_, Some(text)) => format!("`{text}`"),
            (Tok::Ident, _) => "a name".into(),
            (Tok::Int, _) => "an integer".into(),
            (Tok::Real, _) => "a number".into(),
            (Tok::Str | Tok::OpenStr, _) => "a string".into(),
            (Tok::Tag, _) => "a tag".into(),
            (Tok::Comment, _) => "a comment".into(),
            _ => "the end of the file".into(),
        }
    }
}

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub tok: Tok,
    /// Where it is.
    pub span: Span,
}

/// The tokens of a text.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// All tokens but comments; the last is [`Tok::Eof`].
    pub tokens: Vec<Token>,
    /// The comments, in order.
    pub comments: Vec<Span>,
    /// Characters that are no token, unterminated strings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Splits a text into tokens.
pub fn lex(file: FileId, text: &str) -> Lexed {
    let mut out = Lexed { tokens: Vec::new(), comments: Vec::new(), diagnostics: Vec::new() };
    let mut lexer = Tok::lexer(text);
    // The latest run of characters that mean nothing.
    let mut bad: Option<Span> = None;
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let span = Span { file, start: range.start as u32, end: range.end as u32 };
        match result {
            Ok(Tok::Comment) => out.comments.push(span),
            // No operand starts with `*`, so this is the comment of another language.
            Ok(Tok::Slash) if lexer.remainder().starts_with('*') => {
                let rest = lexer.remainder();
                let length = rest[1..].find("*/").map_or(rest.len(), |at| at + 3);
                lexer.bump(length);
                let span = Span { end: span.end + 1, ..span };
                let d = Diagnostic::new(Code::UnexpectedCharacter, span, "`/*` means nothing here");
                out.diagnostics.push(d.help("comments go from `//` to the end of the line"));
            }
            Ok(tok) => {
                if tok == Tok::OpenStr {
                    out.diagnostics.push(
                        Diagnostic::new(Code::UnterminatedString, span, "this string never ends")
                            .label("no closing `\"` on this line")
                            .help(r#"write `\n` for a line break inside a string, and `\"` for a quote"#),
                    );
                }
                out.tokens.push(Token { tok, span });
            }
            Err(()) => {
                if let Some((tok, span, problem)) = meant(text, span) {
                    lexer.bump(span.range().len() - range.len());
                    out.diagnostics.push(problem);
                    out.tokens.push(Token { tok, span });
                    continue;
                }
                // Neighbouring characters that mean nothing are one problem.
                match &mut bad {
                    Some(b) if b.end == span.start => b.end = span.end,
                    _ => {
                        out.diagnostics.extend(bad.map(|b| unexpected(text, b)));
                        bad = Some(span);
                    }
                }
            }
        }
    }
    out.diagnostics.extend(bad.map(|b| unexpected(text, b)));
    let end = text.len() as u32;
    out.tokens.push(Token { tok: Tok::Eof, span: Span { file, start: end, end } });
    out
}

/// What a sign of another language or of a word processor stands for: it is reported, and read as what it means.
fn meant(text: &str, span: Span) -> Option<(Tok, Span, Diagnostic)> {
    let found = text.get(span.range())?;
    let (tok, help) = match found {
        "&" => (Tok::AndAnd, "write `&&` for “and”"),
        "~" | "¬" => (Tok::Bang, "write `!` for “not”"),
        "∧" => (Tok::AndAnd, "write `&&` for “and”"),
        "∨" => (Tok::OrOr, "write `||` for “or”"),
        "%" => (Tok::Mod, "write `mod` for the remainder"),
        "≤" => (Tok::LessEq, "write `<=`"),
        "≥" => (Tok::GreaterEq, "write `>=`"),
        "≠" => (Tok::NotEq, "write `!=`"),
        "→" => (Tok::Arrow, "write `->`"),
        "⇒" => (Tok::FatArrow, "write `=>`"),
        "×" | "·" => (Tok::Star, "write `*`"),
        "−" | "–" => (Tok::Minus, "write `-`"),
        "…" => (Tok::DotDot, "write `..`"),
        "'" | "“" | "‘" | "”" | "„" => return quoted(text, span),
        _ => return None,
    };
    let written = tok.text()?;
    let before = text[..span.start as usize].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let after = text[span.end as usize..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let space = |needed: bool| if needed && tok.is_keyword() { " " } else { "" };
    let fix = format!("{}{written}{}", space(before), space(after));
    let message = format!("`{found}` means nothing here");
    Some((tok, span, Diagnostic::new(Code::UnexpectedCharacter, span, message).help(help).fix(span, fix)))
}

/// A string between other quotes, on one line.
fn quoted(text: &str, open: Span) -> Option<(Tok, Span, Diagnostic)> {
    const QUOTES: [char; 6] = ['\'', '‘', '’', '“', '”', '„'];
    let rest = &text[open.end as usize..];
    let at = rest.find(|c| QUOTES.contains(&c) || matches!(c, '"' | '\n' | '\\'))?;
    let close = rest[at..].chars().next().filter(|c| QUOTES.contains(c))?;
    let span = Span { end: open.end + (at + close.len_utf8()) as u32, ..open };
    let d = Diagnostic::new(Code::UnexpectedCharacter, span, "a string does not use these quotes")
        .help("strings are written with double quotes: `\"`")
        .fix(span, format!("\"{}\"", &rest[..at]));
    Some((Tok::Str, span, d))
}

fn unexpected(text: &str, span: Span) -> Diagnostic {
    let found = text.get(span.range()).unwrap_or("");
    let shown: String = found.chars().take(12).collect();
    let shown = visible::line(&shown);
    let more = if found.chars().count() > 12 { "…" } else { "" };
    let d = Diagnostic::new(Code::UnexpectedCharacter, span, format!("`{shown}{more}` means nothing here"));
    match found {
        "'" | "“" | "‘" | "”" | "„" => d.help("strings are written with double quotes: `\"`"),
        "#" => d.help("comments start with `//`"),
        _ => d.help("remove it; only strings and comments may have any character"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Tok> {
        lex(FileId(0), text).tokens.into_iter().map(|t| t.tok).collect()
    }

    #[test]
    fn ranges_are_not_decimals() {
        assert_eq!(kinds("1..10"), [Tok::Int, Tok::DotDot, Tok::Int, Tok::Eof]);
        assert_eq!(kinds("0.55..10"), [Tok::Real, Tok::DotDot, Tok::Int, Tok::Eof]);
        assert_eq!(kinds("a.b"), [Tok::Ident, Tok::Dot, Tok::Ident, Tok::Eof]);
    }

    #[test]
    fn tags_may_have_dashes() {
        assert_eq!(
            kinds("add @REQ-1.2: ?inX"),
            [Tok::Ident, Tok::Tag, Tok::Colon, Tok::Question, Tok::Ident, Tok::Eof]
        );
        // `in` alone is a keyword; `@REQ-1.2:` does not swallow the colon.
        assert_eq!(kinds("in"), [Tok::In, Tok::Eof]);
    }

    #[test]
    fn garbage_is_one_problem_per_run() {
        let lexed = lex(FileId(0), "x $$$ y § z");
        assert_eq!(lexed.diagnostics.len(), 2);
        assert_eq!(lexed.tokens.len(), 4);
        let lexed = lex(FileId(0), "x := \"abc\ny := 1 // \"");
        assert_eq!(lexed.diagnostics.len(), 1);
        assert_eq!(lexed.comments.len(), 1);
    }
}
