//! From the tree to lines and the places where they may be broken.

mod expr;
mod purpose;

use super::columns::CELLS;
use super::spacing::{Role, space};
use super::{MAX_WIDTH, Source};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::Tok;

/// Blocks and lists are indented by this many columns: enough to be seen, and little of the width.
const STEP: usize = 2;
/// The lines of a broken switch, and lines that only a comment made necessary, are indented by this: twice a block, so
/// that they are not taken for one.
pub(super) const HANGING: usize = 4;

/// What may be done in the gap before a token, apart from leaving a space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gap {
    /// No line break, unless a comment needs one.
    Glue,
    /// Like `Glue`, but after a comment the token stands where the other lines of the group do.
    Hang(usize),
    /// A line break if the group is broken.
    Break(usize),
    /// The same before the closing bracket of the group.
    Close(usize),
    /// The first token of a line.
    Start,
}

/// Tokens with gaps that are broken together or not at all.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The first token.
    pub first: usize,
    /// The last token.
    pub last: usize,
    /// How much deeper its lines are indented than those around it.
    pub indent: usize,
    /// Broken, whether it fits or not.
    pub forced: bool,
    parent: Option<usize>,
}

/// What may stand before a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lead {
    /// First in the file or its block: no blank line.
    First,
    /// A blank line if there is one.
    Keep,
    /// Exactly one blank line.
    Blank,
    /// The line is a closing brace: no blank line.
    Close,
}

/// The kinds of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineKind {
    /// Anything that is not aligned with its neighbours.
    Plain,
    /// `input` or `output`
    Gate,
    /// A switch on one line: where its cells start and the last one ends. A cell that ends where it starts is not there.
    Switch([usize; CELLS + 1]),
}

/// The tokens `first..end`, which start a new line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub first: usize,
    pub end: usize,
    pub indent: usize,
    pub lead: Lead,
    pub kind: LineKind,
}

/// How a file is laid out.
#[derive(Debug)]
pub(super) struct Plan {
    /// All tokens, line by line.
    pub lines: Vec<Line>,
    /// In the order of their first tokens, outer ones first.
    pub groups: Vec<Group>,
    /// What may be done before each token.
    pub gaps: Vec<Gap>,
    /// Whether a space stands before each token, if it does not start a line.
    pub spaces: Vec<bool>,
}

/// Lays out a file without syntax errors.
pub(super) fn plan(source: &Source, file: &File) -> Plan {
    let count = source.tokens.len();
    let mut planner = Planner {
        source,
        roles: vec![Role::Plain; count],
        gaps: vec![Gap::Glue; count],
        groups: Vec::new(),
        lines: Vec::new(),
        parent: None,
        keep_breaks: true,
    };
    planner.items(&file.items);
    let Planner { roles, gaps, mut groups, lines, .. } = planner;
    for i in (0..groups.len()).rev() {
        let group = &groups[i];
        if let Some(parent) = group.parent.filter(|_| group.forced) {
            groups[parent].forced = true;
        }
    }
    debug_assert!(groups.is_sorted_by_key(|g| (g.first, usize::MAX - g.last)), "groups out of order");
    let spaces = (0..count).map(|i| space_before(source, &roles, i)).collect();
    Plan { lines, groups, gaps, spaces }
}

/// Whether a space stands before a token.
fn space_before(source: &Source, roles: &[Role], i: usize) -> bool {
    let tok = |i: usize| (source.tokens[i].tok, roles[i]);
    i > 0 && space(i.checked_sub(2).map(|before| tok(before).0), tok(i - 1), tok(i))
}

struct Planner<'a> {
    source: &'a Source<'a>,
    roles: Vec<Role>,
    gaps: Vec<Gap>,
    groups: Vec<Group>,
    lines: Vec<Line>,
    /// The group that is being filled.
    parent: Option<usize>,
    /// Whether a group stays broken that was broken. Switches depend on nothing but their width.
    keep_breaks: bool,
}

impl Planner<'_> {
    /// The first token of a span.
    fn first(&self, span: Span) -> usize {
        self.source.tokens.partition_point(|t| t.span.start < span.start)
    }

    /// The last token of a span.
    fn last(&self, span: Span) -> usize {
        self.source.tokens.partition_point(|t| t.span.start < span.end).saturating_sub(1)
    }

    fn tok(&self, i: usize) -> Tok {
        self.source.tokens.get(i).map_or(Tok::Eof, |t| t.tok)
    }

    fn set_gap(&mut self, i: usize, gap: Gap) {
        if let Some(g) = self.gaps.get_mut(i) {
            *g = gap;
        }
    }

    /// A line from `first` to the token before `end`.
    fn line(&mut self, first: usize, end: usize, indent: usize, lead: Lead) {
        self.set_gap(first, Gap::Start);
        self.lines.push(Line { first, end, indent, lead, kind: LineKind::Plain });
    }

    fn set_kind(&mut self, kind: LineKind) {
        if let Some(line) = self.lines.last_mut() {
            line.kind = kind;
        }
    }

    /// A group of the tokens from `first` to `last` that is broken before the tokens `breaks`. `keep` says whether it
    /// stays broken if its first break was there before.
    fn group(
        &mut self,
        (first, last): (usize, usize),
        indent: usize,
        keep: bool,
        breaks: &[usize],
        fill: impl FnOnce(&mut Self, usize),
    ) {
        let id = self.groups.len();
        let was_broken = breaks.first().is_some_and(|i| self.source.has_newline(*i));
        let forced = (keep && self.keep_breaks && was_broken) || self.source.has_comments(first + 1, last);
        self.groups.push(Group { first, last, indent, forced, parent: self.parent });
        for i in breaks {
            self.set_gap(*i, Gap::Break(id));
        }
        let outer = self.parent.replace(id);
        fill(self, id);
        self.parent = outer;
    }

    /// A list in brackets, given the first tokens of its items.
    fn list(&mut self, (open, close): (usize, usize), items: &[usize], fill: impl FnOnce(&mut Self)) {
        if items.is_empty() {
            return;
        }
        self.group((open, close), STEP, true, items, |p, id| {
            p.set_gap(close, Gap::Close(id));
            fill(p);
        });
    }

    fn items(&mut self, items: &[Item]) {
        let stands_alone =
            |item: &Item| matches!(item.kind, ItemKind::Process(_) | ItemKind::System(_) | ItemKind::Purpose(_));
        for (i, item) in items.iter().enumerate() {
            let lead = match i.checked_sub(1).map(|before| &items[before]) {
                None => Lead::First,
                Some(before) if stands_alone(before) || stands_alone(item) => Lead::Blank,
                Some(_) => Lead::Keep,
            };
            let (first, end) = (self.first(item.span), self.last(item.span) + 1);
            if let ItemKind::Process(process) = &item.kind {
                self.process(process, first, end, lead);
                continue;
            }
            if let ItemKind::Purpose(purpose) = &item.kind {
                self.purpose(purpose, first, end, lead);
                continue;
            }
            self.line(first, end, 0, lead);
            match &item.kind {
                ItemKind::Import(_) | ItemKind::Process(_) | ItemKind::Purpose(_) => {}
                ItemKind::Type(t) => self.type_decl(t, end - 1),
                ItemKind::Const(c) => {
                    c.ty.iter().for_each(|ty| self.type_expr(ty));
                    self.body(&c.value);
                }
                ItemKind::Fun(f) => {
                    self.optional_params(&f.name, &f.params);
                    self.type_expr(&f.result);
                    f.bound.iter().for_each(|bound| self.expr(bound));
                    self.body(&f.body);
                }
                ItemKind::Gate(g) => {
                    self.set_kind(LineKind::Gate);
                    self.optional_params(&g.name, &g.params);
                }
                ItemKind::Channel(c) => {
                    self.optional_params(&c.name, &c.params);
                }
                ItemKind::System(s) => self.system(s, end - 1),
            }
        }
    }

    fn type_decl(&mut self, decl: &TypeDecl, last: usize) {
        let equals = self.first(decl.name.span) + 1;
        match &decl.body {
            TypeBody::Alias(ty) => self.type_expr(ty),
            TypeBody::Record(fields) => self.params((equals + 1, last), fields),
            TypeBody::Variants(variants) => {
                // Before each `|`; the first one may be missing.
                let breaks: Vec<usize> = variants
                    .iter()
                    .map(|v| self.first(v.name.span).saturating_sub(1))
                    .filter(|i| self.tok(*i) == Tok::Pipe)
                    .collect();
                self.group((equals, last), STEP, true, &breaks, |p, _| {
                    for variant in variants {
                        p.optional_params(&variant.name, &variant.fields);
                    }
                });
            }
        }
    }

    fn system(&mut self, system: &SystemDecl, last: usize) {
        let equals = self.first(system.name.span) + 1;
        let starts: Vec<usize> = system.instances.iter().map(|i| self.first(i.span)).collect();
        let breaks: Vec<usize> = starts.iter().skip(1).map(|i| i - 1).collect();
        self.group((equals, last), STEP, true, &breaks, |p, _| {
            for instance in &system.instances {
                p.exprs((p.first(instance.process.span) + 1, p.last(instance.span)), &instance.args);
            }
        });
    }

    /// Parameters after a name, if there are any. Gives the token after them.
    fn optional_params(&mut self, name: &Ident, params: &[ParamDecl]) -> usize {
        let open = self.first(name.span) + 1;
        if self.tok(open) != Tok::LParen {
            return open;
        }
        let mut close = open + 1;
        if let Some(last) = params.last() {
            close = self.last(last.tolerance.as_ref().map_or(last.ty.span, |t| t.span)) + 1;
            if self.tok(close) == Tok::Comma {
                close += 1;
            }
        }
        self.params((open, close), params);
        close + 1
    }

    fn params(&mut self, brackets: (usize, usize), params: &[ParamDecl]) {
        let starts: Vec<usize> = params.iter().map(|param| self.first(param.name.span)).collect();
        self.list(brackets, &starts, |p| params.iter().for_each(|param| p.param(param)));
    }

    fn param(&mut self, param: &ParamDecl) {
        self.type_expr(&param.ty);
        param.tolerance.iter().for_each(|t| self.expr(t));
    }

    fn type_expr(&mut self, ty: &TypeExpr) {
        self.angles(ty);
        self.bounds(ty);
    }

    fn bounds(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Name(_) | TypeExprKind::Error => {}
            TypeExprKind::Seq(item) | TypeExprKind::Set(item) => self.bounds(item),
            TypeExprKind::Map(key, value) => {
                self.bounds(key);
                self.bounds(value);
            }
            TypeExprKind::Range(base, lo, hi) => {
                self.bounds(base);
                lo.iter().chain(hi).for_each(|bound| self.expr(bound));
            }
        }
    }

    /// Marks the `<` and `>` of a type.
    fn angles(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Name(_) | TypeExprKind::Error => {}
            TypeExprKind::Seq(_) | TypeExprKind::Set(_) | TypeExprKind::Map(..) => {
                for i in [self.first(ty.span) + 1, self.last(ty.span)] {
                    self.set_role(i, Role::Angle);
                }
                match &ty.kind {
                    TypeExprKind::Seq(item) | TypeExprKind::Set(item) => self.angles(item),
                    TypeExprKind::Map(key, value) => {
                        self.angles(key);
                        self.angles(value);
                    }
                    _ => {}
                }
            }
            TypeExprKind::Range(base, ..) => self.angles(base),
        }
    }

    fn set_role(&mut self, i: usize, role: Role) {
        if let Some(r) = self.roles.get_mut(i) {
            *r = role;
        }
    }

    fn process(&mut self, process: &ProcessDecl, first: usize, end: usize, lead: Lead) {
        let header = self.lines.len();
        self.line(first, end, 0, lead);
        let open = self.optional_params(&process.name, &process.params);
        if !self.block(header, open) {
            return;
        }
        let (mut vars, mut locations) = (process.vars.iter().peekable(), process.locations.iter().peekable());
        let mut lead = Lead::First;
        loop {
            let next_var = vars.peek().map_or(u32::MAX, |v| v.span.start);
            let next_location = locations.peek().map_or(u32::MAX, |l| l.span.start);
            if next_var < next_location {
                let Some(var) = vars.next() else { break };
                self.line(self.first(var.span), self.last(var.span) + 1, STEP, lead);
                self.type_expr(&var.ty);
                if let Initial::Value(value) = &var.init {
                    self.body(value);
                }
            } else {
                let Some(location) = locations.next() else { break };
                self.location(location, lead);
            }
            lead = Lead::Keep;
        }
        self.line(end - 1, end, 0, Lead::Close);
    }

    /// Ends a line with the `{` of its block. Gives whether there is anything in the block: `{}` is left on the line.
    fn block(&mut self, line: usize, open: usize) -> bool {
        let empty = self.tok(open + 1) == Tok::RBrace && !self.source.has_comments(open + 1, open + 1);
        if let Some(line) = self.lines.get_mut(line).filter(|_| !empty) {
            line.end = open + 1;
        }
        !empty
    }

    fn location(&mut self, location: &LocationDecl, lead: Lead) {
        let (first, end) = (self.first(location.span), self.last(location.span) + 1);
        let header = self.lines.len();
        self.line(first, end, STEP, lead);
        let open = self.first(location.name.span) + 1;
        if open >= end || !self.block(header, open) {
            return;
        }
        let mut lead = Lead::First;
        self.keep_breaks = false;
        for switch in &location.switches {
            self.switch(switch, lead);
            lead = Lead::Keep;
        }
        self.keep_breaks = true;
        self.line(end - 1, end, STEP, Lead::Close);
    }

    fn switch(&mut self, switch: &SwitchDecl, lead: Lead) {
        let (first, last) = (self.first(switch.span), self.last(switch.span));
        let arrow = self.first(switch.target.span).saturating_sub(1);
        let mut label = first;
        let mut answers = arrow;
        let (mut guard, mut update) = (None, None);
        let mut breaks = Vec::new();
        for (i, step) in switch.steps.iter().enumerate() {
            let start = self.first(step.span);
            if i == 0 {
                label = start;
            } else {
                breaks.push(start - 1);
            }
            if i == 1 {
                answers = start - 1;
            }
            if !matches!(step.guard, GuardDecl::None) {
                let open = self.last(step.label.span) + 1;
                self.set_role(open, Role::Guard);
                breaks.push(open);
                guard = guard.or((i == 0).then_some(open));
            }
            if let Some(assign) = step.update.first() {
                let slash = self.first(assign.target.span).saturating_sub(1);
                breaks.push(slash);
                update = update.or((i == 0).then_some(slash));
            }
        }
        breaks.push(arrow);
        let update = update.unwrap_or(answers);
        let cells = [first, label, guard.unwrap_or(update), update, answers, arrow, last + 1];
        self.line(first, last + 1, 2 * STEP, lead);
        switch.steps.iter().flat_map(|step| &step.label.choices).for_each(|choice| self.angles(&choice.ty));
        if self.fits(first, last + 1, 2 * STEP) {
            // Nothing in it will be broken.
            return self.set_kind(LineKind::Switch(cells));
        }
        self.group((first, last), HANGING, false, &breaks, |p, id| {
            if label > first {
                p.set_gap(label, Gap::Hang(id));
            }
            switch.steps.iter().for_each(|step| p.step(step));
        });
    }

    /// Whether the tokens `first..end` fit on one line.
    fn fits(&self, first: usize, end: usize, indent: usize) -> bool {
        let width = |i| usize::from(i > first && space_before(self.source, &self.roles, i)) + self.source.width(i);
        !self.source.has_comments(first + 1, end - 1) && indent + (first..end).map(width).sum::<usize>() <= MAX_WIDTH
    }

    fn step(&mut self, step: &StepDecl) {
        self.label(&step.label);
        if let GuardDecl::Expr(guard) = &step.guard {
            self.expr(guard);
        }
        let starts: Vec<usize> = step.update.iter().map(|a| self.first(a.target.span)).collect();
        let (Some(first), Some(last)) = (starts.first(), step.update.last()) else { return };
        self.group((*first, self.last(last.value.span)), STEP, true, &starts[1..], |p, _| {
            for assign in &step.update {
                p.path(&assign.path);
                p.expr(&assign.value);
            }
        });
    }

    fn label(&mut self, label: &LabelDecl) {
        let last = self.last(label.span);
        if let Some(choice) = label.choices.first() {
            // Before each `any` but the first.
            let any = |p: &Self, c: &ParamDecl| p.first(c.name.span).saturating_sub(1);
            let breaks: Vec<usize> = label.choices[1..].iter().map(|c| any(self, c)).collect();
            self.group((any(self, choice), last), STEP, true, &breaks, |p, _| {
                label.choices.iter().for_each(|choice| p.param(choice));
            });
            return;
        }
        let starts: Vec<usize> = label
            .args
            .iter()
            .map(|arg| match arg {
                ArgDecl::Any(name) => self.first(name.span).saturating_sub(1),
                ArgDecl::Ignored(span) => self.first(*span),
                ArgDecl::Term(term) => self.first(term.span),
            })
            .collect();
        self.list((self.first(label.name.span) + 1, last), &starts, |p| {
            for arg in &label.args {
                if let ArgDecl::Term(term) = arg {
                    p.expr(term);
                }
            }
        });
    }
}
