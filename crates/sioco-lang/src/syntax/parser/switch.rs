//! Switches: labels, guards, updates, answers.

use super::Parser;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

/// What a switch looks like.
const SWITCH: &str = "a switch is written `label [guard] / update -> target`";

impl Parser<'_> {
    /// Whether the current token is at the start of a line and may start a switch.
    pub(super) fn starts_switch(&self) -> bool {
        self.starts_line()
            && match self.peek() {
                Tok::Question | Tok::Bang | Tok::Tau | Tok::Send | Tok::Recv | Tok::Tag => true,
                Tok::Ident => matches!(
                    self.peek_at(1),
                    Tok::Colon | Tok::Tag | Tok::Question | Tok::Tau | Tok::Send | Tok::Recv | Tok::Bang
                ),
                _ => false,
            }
    }

    pub(super) fn switch(&mut self) -> Option<SwitchDecl> {
        let start = self.span();
        let mut name = None;
        if self.peek() == Tok::Ident && matches!(self.peek_at(1), Tok::Colon | Tok::Tag) {
            name = Some(self.ident("a name"));
        }
        let mut tags = Vec::new();
        while self.peek() == Tok::Tag {
            let span = self.bump().span;
            tags.push(Ident { name: self.slice(span)[1..].into(), span });
        }
        if name.is_none()
            && tags.is_empty()
            && self.peek() == Tok::Ident
            && matches!(self.peek_at(1), Tok::Question | Tok::Bang | Tok::Tau | Tok::Send | Tok::Recv)
            && !self.starts_line_at(1)
        {
            name = Some(self.ident("a name"));
        }
        if (name.is_some() || !tags.is_empty()) && !self.eat(Tok::Colon) {
            let place = self.previous().at_end();
            if matches!(self.peek(), Tok::Question | Tok::Bang | Tok::Tau | Tok::Send | Tok::Recv) {
                let message = format!("expected `:`, found `{}`", self.slice(self.span()));
                let d = Diagnostic::new(Code::UnexpectedToken, place, message).label("expected `:`");
                self.understood(d.help("write `:` between the name of a switch and its label").fix(place, ":"));
            } else {
                self.expect(Tok::Colon);
            }
        }
        let mut steps = vec![self.step()?];
        while self.eat(Tok::Semi) {
            steps.push(self.step()?);
        }
        let arrow = self.expect_arrow();
        let target = if arrow {
            self.ident("the target location")
        } else {
            Ident { name: String::new(), span: self.previous().at_end() }
        };
        Some(SwitchDecl { name, tags, steps, target, span: start.to(self.previous()) })
    }

    pub(super) fn expect_arrow(&mut self) -> bool {
        if self.eat(Tok::Arrow) {
            return true;
        }
        let span = self.span();
        if self.peek() == Tok::FatArrow {
            self.bump();
            let d = Diagnostic::new(Code::UnexpectedToken, span, "expected `->`, found `=>`");
            self.understood(d.help("`->` leads to the target location").fix(span, "->"));
            return true;
        }
        // A name alone at the end of the line is the target.
        let last = self.starts_line_at(1) || matches!(self.peek_at(1), Tok::RBrace | Tok::Semi | Tok::Eof);
        if self.peek() == Tok::Ident && !self.starts_line() && last {
            let name = self.slice(span);
            let message = format!("expected `->` and the target location, found `{name}`");
            let d = Diagnostic::new(Code::UnexpectedToken, span, message).label("expected `->`");
            let place = Span { end: span.start, ..span };
            self.understood(d.help(format!("write `-> {name}`")).fix(place, "-> "));
            return true;
        }
        let reported = self.expected("`->` and the target location");
        if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
            d.help = Some(SWITCH.into());
        }
        false
    }

    pub(super) fn step(&mut self) -> Option<StepDecl> {
        let start = self.span();
        let early = self.early_guard();
        let label = self.label()?;
        let early = early.map(|(guard, span)| {
            let (g, l) = (self.slice(span), self.slice(label.span));
            let bracket = if g.starts_with('[') { g.to_owned() } else { format!("[{g}]") };
            let d = Diagnostic::new(Code::UnexpectedToken, span, "write the guard after the label");
            self.understood(d.help(SWITCH).fix(span.to(label.span), format!("{l} {bracket}")));
            guard
        });
        let guard = match (early, self.guard()) {
            (Some(guard), GuardDecl::None) => guard,
            (_, guard) => guard,
        };
        let mut update = Vec::new();
        let brace = (self.peek() == Tok::LBrace || (self.peek() == Tok::Slash && self.peek_at(1) == Tok::LBrace))
            && self.braces_update();
        if brace {
            self.update_in_braces(&mut update);
        } else if self.eat(Tok::Slash) {
            self.update(&mut update);
        }
        Some(StepDecl { label, guard, update, span: start.to(self.previous()) })
    }

    /// A guard where the label should be: `[x > 0] !done`, `else !done`.
    pub(super) fn early_guard(&mut self) -> Option<(GuardDecl, Span)> {
        let start = self.span();
        match self.peek() {
            Tok::LBracket => {
                let guard = self.guard_in_brackets();
                Some((guard, start.to(self.previous())))
            }
            Tok::Else => {
                self.bump();
                Some((GuardDecl::Else(start), start))
            }
            _ => None,
        }
    }

    /// The guard of a switch, if there is one, in the one place for it.
    pub(super) fn guard(&mut self) -> GuardDecl {
        let start = self.span();
        let word = self.slice(start);
        let foreign = match self.peek() {
            Tok::If | Tok::Else | Tok::With => true,
            Tok::Ident => matches!(word, "when" | "where" | "provided" | "guard"),
            _ => false,
        };
        if foreign && !self.starts_line() && !self.confused {
            return self.foreign_guard();
        }
        if self.peek() != Tok::LBracket {
            return GuardDecl::None;
        }
        let guard = self.guard_in_brackets();
        let first = start.to(self.previous());
        if self.peek() != Tok::LBracket || self.confused {
            return guard;
        }
        // A second one.
        let second_start = self.span();
        let second = self.guard_in_brackets();
        let span = second_start.to(self.previous());
        let d = Diagnostic::new(Code::UnexpectedToken, span, "a switch has one guard").also(first, "this is the first");
        let d = d.help("join the conditions with `&&`");
        match (guard, second) {
            (GuardDecl::Expr(a), GuardDecl::Expr(b)) if !self.confused => {
                let both = format!("[{} && {}]", self.operand(&a), self.operand(&b));
                self.diagnostics.push(d.fix(first.to(span), both));
                let all = a.span.to(b.span);
                let chain = ExprKind::Chain(Box::new(a), vec![(BinOp::And, second_start, b)]);
                GuardDecl::Expr(Expr { kind: chain, span: all })
            }
            (guard, _) => {
                self.understood(d);
                guard
            }
        }
    }

    /// The text of an expression as an operand of `&&`.
    pub(super) fn operand(&self, e: &Expr) -> String {
        let text = self.slice(e.span);
        let loose = match &e.kind {
            ExprKind::Chain(_, rest) => rest.first().is_some_and(|(op, _, _)| op.level() < BinOp::And.level()),
            ExprKind::If(..) | ExprKind::Let(..) => true,
            _ => false,
        };
        if loose { format!("({text})") } else { text.to_owned() }
    }

    /// `when x > 0`, `else`, without the brackets.
    pub(super) fn foreign_guard(&mut self) -> GuardDecl {
        let word = self.bump();
        let text = self.slice(word.span);
        let d = Diagnostic::new(Code::UnexpectedToken, word.span, format!("expected `[`, found `{text}`"));
        let d = d.help(format!("guards are written in brackets: {SWITCH}"));
        if self.peek() == Tok::LBracket {
            let d = d.fix(Span { end: self.span().start, ..word.span }, "");
            self.understood(d);
            return self.guard_in_brackets();
        }
        if word.tok == Tok::Else {
            self.understood(d.fix(word.span, "[else]"));
            return GuardDecl::Else(word.span);
        }
        let before = self.diagnostics.len();
        let outer = (self.no_index, self.in_update);
        (self.no_index, self.in_update) = (false, true);
        let guard = self.expr();
        (self.no_index, self.in_update) = outer;
        let fix = format!("[{}]", self.slice(guard.span));
        let clean = self.diagnostics.len() == before;
        let whole = word.span.to(guard.span);
        if matches!(guard.kind, ExprKind::Error) {
            // That there is no condition either is not said as well.
            self.diagnostics.truncate(before);
        }
        self.diagnostics.insert(before, if clean { d.fix(whole, fix) } else { d });
        GuardDecl::Expr(guard)
    }

    pub(super) fn guard_in_brackets(&mut self) -> GuardDecl {
        self.bump();
        let guard = if self.peek() == Tok::Else && self.peek_at(1) == Tok::RBracket {
            GuardDecl::Else(self.bump().span)
        } else {
            let outer = std::mem::replace(&mut self.no_index, false);
            let before = (self.peek(), self.diagnostics.len());
            let guard = self.expr();
            self.no_index = outer;
            if before.0 == Tok::Else
                && let Some(d) = self.diagnostics.get_mut(before.1)
            {
                d.help = Some("a guard is a condition, or `else` alone".into());
            }
            GuardDecl::Expr(guard)
        };
        let span = self.span();
        if self.expect(Tok::RBracket) {
            guard
        } else {
            // What was read is not all of the guard, and says nothing about its type.
            GuardDecl::Expr(Expr { kind: ExprKind::Error, span })
        }
    }

    /// Whether what stands in braces is an update: `{ x := 1 }`.
    pub(super) fn braces_update(&self) -> bool {
        let first = if self.peek() == Tok::Slash { 2 } else { 1 };
        self.peek_at(first) == Tok::Ident && (self.peek_at(first + 1) == Tok::Equals || self.assigns_at(first + 1))
    }

    /// `{ x := 1 }`, as other languages write an update.
    pub(super) fn update_in_braces(&mut self, update: &mut Vec<AssignDecl>) {
        let start = self.span();
        self.eat(Tok::Slash);
        let open = self.bump().span;
        let before = self.diagnostics.len();
        self.update(update);
        let inner = open.at_end().to(self.previous());
        if self.peek() == Tok::Semi && self.peek_at(1) == Tok::RBrace {
            self.bump();
        }
        if !self.expect(Tok::RBrace) {
            return;
        }
        let span = start.to(self.previous());
        let d = Diagnostic::new(Code::UnexpectedToken, open, "write an update without braces").help(SWITCH);
        let fix = format!("/ {}", self.slice(inner).trim());
        let clean = self.diagnostics.len() == before;
        if clean {
            self.understood(d.fix(span, fix));
        } else if !self.confused {
            // What was found inside is mended first.
            self.diagnostics.push(d);
        }
    }

    /// `x := e, y := f`.
    pub(super) fn update(&mut self, update: &mut Vec<AssignDecl>) {
        let outer = std::mem::replace(&mut self.in_update, true);
        loop {
            let target = self.ident("a variable to assign");
            let mut path = Vec::new();
            self.steps(&mut path);
            {
                if self.peek() == Tok::Equals {
                    let span = self.bump().span;
                    self.diagnostics.push(
                        Diagnostic::new(Code::UnexpectedToken, span, "expected `:=`, found `=`")
                            .help("an update is written `x := e`")
                            .fix(span, ":="),
                    );
                } else if !self.eat(Tok::Assign) {
                    let reported = self.expected("`:=`");
                    if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                        d.help = Some("an update is written `x := e`, such as `x := x + 1`".into());
                    }
                    break;
                }
                let value = self.expr();
                update.push(AssignDecl { target, path, value });
            }
            if self.eat(Tok::Comma) {
                continue;
            }
            // `; !b` is an answer, `; y := 2` another assignment.
            let assigns = self.peek_at(1) == Tok::Ident && (self.peek_at(2) == Tok::Equals || self.assigns_at(2));
            if self.peek() != Tok::Semi || !assigns {
                break;
            }
            let span = self.bump().span;
            let d = Diagnostic::new(Code::UnexpectedToken, span, "expected `,`, found `;`");
            self.understood(d.help("write `,` between the assignments of an update").fix(span, ","));
        }
        self.in_update = outer;
    }

    pub(super) fn label(&mut self) -> Option<LabelDecl> {
        let start = self.span();
        let kind = match self.peek() {
            Tok::Question => LabelKind::Input,
            Tok::Bang => LabelKind::Output,
            Tok::Send => LabelKind::Send,
            Tok::Recv => LabelKind::Recv,
            Tok::Tau => LabelKind::Tau,
            Tok::Ident if !self.confused && self.sign_of(start).is_some() => {
                let (kind, sign) = self.sign_of(start)?;
                let name = self.slice(start);
                let place = Span { end: start.start, ..start };
                let d =
                    Diagnostic::new(Code::UnexpectedToken, start, format!("expected `{sign}{name}`, found `{name}`"));
                let what = if kind == LabelKind::Input { "an input" } else { "an output" };
                self.diagnostics.push(d.help(format!("`{name}` is {what}: write `{sign}{name}`")).fix(place, sign));
                return Some(self.gate_label(kind, start));
            }
            _ => {
                let reported =
                    self.expected_here("a switch: `?input`, `!output`, `tau`, `send channel` or `recv channel`");
                if let Some(d) = self.diagnostics.last_mut().filter(|_| reported) {
                    d.help = Some(SWITCH.into());
                }
                return None;
            }
        };
        self.bump();
        if kind == LabelKind::Tau {
            let mut choices = Vec::new();
            if self.eat(Tok::Any) {
                let outer = std::mem::replace(&mut self.no_index, true);
                loop {
                    choices.push(self.param());
                    // `, any k: Int` goes on.
                    if self.peek() == Tok::Comma {
                        self.bump();
                        self.expect(Tok::Any);
                    } else {
                        break;
                    }
                }
                self.no_index = outer;
            }
            let name = Ident { name: String::new(), span: start };
            return Some(LabelDecl { kind, name, args: Vec::new(), choices, span: start.to(self.previous()) });
        }
        Some(self.gate_label(kind, start))
    }

    /// The name of a gate or channel, and its arguments.
    pub(super) fn gate_label(&mut self, kind: LabelKind, start: Span) -> LabelDecl {
        let what = if matches!(kind, LabelKind::Input | LabelKind::Output) { "a gate" } else { "a channel" };
        let name = self.ident(what);
        let args = if self.eat(Tok::LParen) { self.list(Tok::RParen, |p| p.arg(kind)) } else { Vec::new() };
        LabelDecl { kind, name, args, choices: Vec::new(), span: start.to(self.previous()) }
    }

    /// The sign that a gate of this file has before its name in a switch.
    pub(super) fn sign_of(&self, name: Span) -> Option<(LabelKind, &'static str)> {
        let text = self.slice(name);
        let word = self.tokens.windows(2).find(|pair| {
            matches!(pair[0].tok, Tok::Input | Tok::Output)
                && pair[1].tok == Tok::Ident
                && self.slice(pair[1].span) == text
        })?;
        Some(if word[0].tok == Tok::Input { (LabelKind::Input, "?") } else { (LabelKind::Output, "!") })
    }

    pub(super) fn arg(&mut self, kind: LabelKind) -> ArgDecl {
        match self.peek() {
            Tok::Ident if self.peek_at(1) == Tok::Equals && !self.confused => {
                let name = self.ident("a name");
                let span = self.bump().span;
                let value = self.expr();
                let (text, compared) = (self.slice(value.span), &name.name);
                let d = Diagnostic::new(Code::UnexpectedToken, name.span.to(span), "arguments have no names here");
                let binds = matches!(kind, LabelKind::Input | LabelKind::Recv);
                let d = if binds {
                    d.help(format!("an input names its values; compare them in the guard: `[{compared} == {text}]`"))
                } else {
                    d.help(format!("arguments follow the order of the declaration: write just `{text}`"))
                };
                self.understood(d);
                ArgDecl::Term(if binds { Expr { kind: ExprKind::Name(name.name), span: name.span } } else { value })
            }
            Tok::Any => {
                self.bump();
                ArgDecl::Any(self.ident("a name for the chosen value"))
            }
            Tok::Ident if self.slice(self.span()) == "_" => ArgDecl::Ignored(self.bump().span),
            _ => ArgDecl::Term(self.expr()),
        }
    }
}
