//! Purposes. `purpose`, `reject`, `at`, `take` and `delta` are words of the language only here; elsewhere they are names.

use super::Parser;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

/// What a purpose is made of.
const PARTS: &str = "a purpose is made of `?input`, `!output`, `any`, `delta`, `take SWITCH`, `at LOCATION` and `..`";

impl Parser<'_> {
    /// Whether the current token is this name.
    fn at_word(&self, word: &str) -> bool {
        self.peek() == Tok::Ident && self.slice(self.span()) == word
    }

    /// Whether a purpose starts here, on a new line.
    pub(super) fn starts_purpose(&self) -> bool {
        self.at_word("purpose") && self.starts_line() && self.peek_at(1) == Tok::Ident && self.peek_at(2) == Tok::LBrace
    }

    /// The rest of a purpose, after its first word.
    pub(super) fn purpose(&mut self) -> PurposeDecl {
        let name = self.ident("the name of the purpose");
        let mut purpose =
            PurposeDecl { name, pattern: self.nothing(self.previous().at_end()), rejects: Vec::new(), closed: false };
        if !self.expect(Tok::LBrace) {
            self.skip_to(|p| p.peek() == Tok::LBrace);
            if !self.eat(Tok::LBrace) {
                return purpose;
            }
            self.confused = false;
        }
        purpose.pattern = self.ways();
        loop {
            if self.confused {
                self.skip_part();
            }
            let start = self.span();
            if self.at_word("reject") {
                self.confused = false;
                self.bump();
                let event = self.ways();
                purpose.rejects.push(RejectDecl { event, span: start.to(self.previous()) });
                continue;
            }
            match self.peek() {
                Tok::RBrace => {
                    self.bump();
                    purpose.closed = true;
                    return purpose;
                }
                Tok::Semi if !self.confused && !purpose.rejects.is_empty() => {
                    self.stray_semicolon("a `reject`");
                }
                tok if tok == Tok::Eof || self.starts_item() || self.too_many_errors() => {
                    self.expected("`}` to end the purpose");
                    return purpose;
                }
                _ => {
                    let reported = self.expected("`reject` or `}`");
                    if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                        d.help = Some("write what must happen first, as one pattern; then each `reject`".into());
                    }
                    self.confused = true;
                    self.bump();
                }
            }
        }
    }

    fn nothing(&self, span: Span) -> WayDecl {
        WayDecl { kind: WayKind::Error, span }
    }

    /// Skips what was not understood, up to where another part begins.
    fn skip_part(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Tok::Eof => return,
                Tok::Semi | Tok::Pipe | Tok::RParen | Tok::RBrace if open == 0 => return,
                _ if open == 0 && self.at_word("reject") && self.starts_line() => return,
                _ if self.starts_item() => return,
                Tok::LParen | Tok::LBracket | Tok::LBrace => open += 1,
                Tok::RParen | Tok::RBracket | Tok::RBrace => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    /// `a; b | c`
    fn ways(&mut self) -> WayDecl {
        let start = self.span();
        let mut all = vec![self.parts()];
        loop {
            if self.peek() == Tok::OrOr {
                let span = self.bump().span;
                let d = Diagnostic::new(Code::UnexpectedToken, span, "expected `|`, found `||`");
                self.understood(d.help("write `|` between alternatives").fix(span, "|"));
            } else if !self.eat(Tok::Pipe) {
                break;
            }
            self.confused = false;
            all.push(self.parts());
        }
        self.joined_ways(all, start, WayKind::Choice)
    }

    /// `a; b`
    fn parts(&mut self) -> WayDecl {
        let start = self.span();
        let mut all = vec![self.repeated()];
        loop {
            if self.confused {
                self.skip_part();
            }
            if self.peek() == Tok::Semi {
                let span = self.bump().span;
                self.confused = false;
                let ends = matches!(self.peek(), Tok::RBrace | Tok::RParen | Tok::Pipe) || self.at_word("reject");
                if ends {
                    let d = Diagnostic::new(Code::UnexpectedToken, span, "nothing follows this `;`");
                    self.understood(d.help("write `;` between steps that follow each other").fix(span, ""));
                    break;
                }
            } else if matches!(self.peek(), Tok::Comma | Tok::Arrow) && !self.confused {
                let span = self.bump().span;
                let message = format!("expected `;`, found `{}`", self.slice(span));
                let d = Diagnostic::new(Code::UnexpectedToken, span, message);
                self.understood(d.help("write `;` between steps that follow each other").fix(span, ";"));
            } else if self.starts_part() && !self.confused {
                let place = self.previous().at_end();
                let message = format!("expected `;`, found `{}`", self.slice(self.span()));
                let d = Diagnostic::new(Code::UnexpectedToken, place, message).label("expected `;`");
                self.understood(d.help("write `;` between steps that follow each other").fix(place, ";"));
            } else {
                break;
            }
            all.push(self.repeated());
        }
        self.joined_ways(all, start, WayKind::Sequence)
    }

    fn joined_ways(&self, mut all: Vec<WayDecl>, start: Span, kind: fn(Vec<WayDecl>) -> WayKind) -> WayDecl {
        match all.pop() {
            Some(only) if all.is_empty() => only,
            last => {
                all.extend(last);
                let end = all.last().map_or(start, |w| w.span);
                WayDecl { kind: kind(all), span: start.to(end) }
            }
        }
    }

    /// Whether another part of a sequence begins here.
    fn starts_part(&self) -> bool {
        match self.peek() {
            Tok::Question | Tok::Bang | Tok::Any | Tok::DotDot | Tok::LParen => true,
            Tok::Ident => ["delta", "take", "at"].iter().any(|word| self.at_word(word)) && !self.starts_item(),
            _ => false,
        }
    }

    /// A part, and how often.
    fn repeated(&mut self) -> WayDecl {
        let way = self.part();
        if self.confused {
            return way;
        }
        let start = self.span();
        let (least, most) = match self.peek() {
            Tok::Star => {
                self.bump();
                (count("0", start), None)
            }
            Tok::Plus => {
                self.bump();
                (count("1", start), None)
            }
            Tok::Question if self.peek_at(1) != Tok::Ident => {
                self.bump();
                let d = Diagnostic::new(Code::UnexpectedToken, start, "`?` is the sign of an input");
                self.understood(d.help("for at most once, write `{0..1}`").fix(start, "{0..1}"));
                (count("0", start), Some(count("1", start)))
            }
            Tok::LBrace => match self.bounds_in_braces() {
                Some(bounds) => bounds,
                None => return self.nothing(way.span.to(self.previous())),
            },
            _ => return way,
        };
        let bounds = start.to(self.previous());
        let span = way.span.to(bounds);
        WayDecl { kind: WayKind::Repeat(Box::new(way), RepeatDecl { least, most, span: bounds }), span }
    }

    /// `{2}`, `{1..3}`, `{1..}`
    fn bounds_in_braces(&mut self) -> Option<(CountDecl, Option<CountDecl>)> {
        let open = self.bump().span;
        let number = |p: &mut Self| {
            (p.peek() == Tok::Int).then(|| {
                let span = p.bump().span;
                count(p.slice(span), span)
            })
        };
        let least = match number(self) {
            Some(least) => least,
            None if matches!(self.peek(), Tok::DotDot | Tok::Comma) && self.peek_at(1) == Tok::Int => {
                let place = open.at_end();
                let d = Diagnostic::new(Code::UnexpectedToken, place, "expected the lower bound");
                self.understood(d.label("expected a number").help("write `{0..n}` for up to n times").fix(place, "0"));
                count("0", place)
            }
            None => {
                let reported = self.expected_here("how often: a number");
                if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                    d.help = Some("write `{2}`, `{1..3}` or `{1..}`".into());
                }
                return None;
            }
        };
        let most = if self.peek() == Tok::Comma {
            let span = self.bump().span;
            let d = Diagnostic::new(Code::UnexpectedToken, span, "expected `..`, found `,`");
            self.understood(d.help("bounds are written `{1..3}`").fix(span, ".."));
            number(self)
        } else if self.eat(Tok::DotDot) {
            number(self)
        } else {
            Some(least.clone())
        };
        self.expect(Tok::RBrace).then_some((least, most))
    }

    fn part(&mut self) -> WayDecl {
        let start = self.span();
        let event = |p: &mut Self, kind: EventKind| {
            let label = start.to(p.previous());
            let condition =
                if p.peek() == Tok::LBracket && !p.confused { p.guard_in_brackets() } else { GuardDecl::None };
            let span = start.to(p.previous());
            WayDecl { kind: WayKind::Event(EventDecl { kind, condition, label }), span }
        };
        match self.peek() {
            Tok::LParen => self.nested(
                |p| {
                    p.bump();
                    let inner = p.ways();
                    if p.confused {
                        p.skip_part();
                    }
                    // What is missing in the brackets was reported.
                    if p.peek() == Tok::RParen {
                        p.bump();
                        p.confused = false;
                    } else {
                        p.expect(Tok::RParen);
                    }
                    WayDecl { kind: WayKind::Group(Box::new(inner)), span: start.to(p.previous()) }
                },
                |span| WayDecl { kind: WayKind::Error, span },
            ),
            Tok::DotDot => {
                self.bump();
                WayDecl { kind: WayKind::Anything, span: start }
            }
            Tok::Any => {
                self.bump();
                event(self, EventKind::Any)
            }
            Tok::Question | Tok::Bang => {
                let kind = if self.peek() == Tok::Question { LabelKind::Input } else { LabelKind::Output };
                self.bump();
                let name = self.ident("a gate");
                let args = if !self.confused && self.eat(Tok::LParen) {
                    self.list(Tok::RParen, |p| p.arg(LabelKind::Input))
                } else {
                    Vec::new()
                };
                let span = start.to(self.previous());
                event(self, EventKind::Gate(LabelDecl { kind, name, args, choices: Vec::new(), span }))
            }
            Tok::Tau | Tok::Send | Tok::Recv => {
                let d = Diagnostic::new(Code::UnexpectedToken, start, "a purpose names only what can be observed");
                self.understood(d.help("for an internal step, name its switch: `take NAME`"));
                self.label();
                if self.peek() == Tok::LBracket {
                    self.guard_in_brackets();
                }
                self.nothing(start.to(self.previous()))
            }
            Tok::Ident if self.at_word("delta") => {
                self.bump();
                event(self, EventKind::Delta)
            }
            Tok::Ident if self.at_word("take") => {
                self.bump();
                let path = self.path("the name of a switch", true);
                event(self, EventKind::Take(path))
            }
            Tok::Ident if self.at_word("at") => {
                self.bump();
                let path = self.path("the name of a location", false);
                let condition = if self.peek() == Tok::LBracket && !self.confused {
                    self.guard_in_brackets()
                } else {
                    GuardDecl::None
                };
                WayDecl { kind: WayKind::At(path, condition), span: start.to(self.previous()) }
            }
            Tok::Ident if self.at_word("_") && !self.confused => {
                self.bump();
                let d = Diagnostic::new(Code::UnexpectedToken, start, "expected `any`, found `_`");
                self.understood(d.help("`any` stands for one step of any kind").fix(start, "any"));
                event(self, EventKind::Any)
            }
            Tok::Ident if !self.confused && self.sign_of(start).is_some() => {
                let label = self.label();
                match label {
                    Some(label) => event(self, EventKind::Gate(label)),
                    None => self.nothing(start),
                }
            }
            _ => {
                let reported = self.expected("what is to happen");
                if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                    d.help = Some(PARTS.into());
                }
                self.nothing(start)
            }
        }
    }

    /// `name`, `Process.name`, or a name that is none of the language in quotes.
    fn path(&mut self, what: &str, quoted: bool) -> PathDecl {
        let start = self.span();
        if quoted && matches!(self.peek(), Tok::Str | Tok::OpenStr) {
            let text = self.string(what);
            let name = Ident { name: text.value, span: text.span };
            return PathDecl { owner: None, name, span: start };
        }
        // A name is not looked for behind the end of the purpose or in the next part.
        let ends = self.at_word("reject") && self.starts_line();
        let mut name = if ends {
            self.expected(what);
            Ident { name: String::new(), span: start }
        } else {
            self.ident(what)
        };
        let mut owner = None;
        if !self.confused && self.eat(Tok::Dot) {
            owner = Some(std::mem::replace(&mut name, self.ident(what)));
        }
        PathDecl { owner, name, span: start.to(self.previous()) }
    }
}

fn count(text: &str, span: Span) -> CountDecl {
    CountDecl { value: text.replace('_', "").parse().ok(), span }
}
