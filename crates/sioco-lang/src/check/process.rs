//! Processes: each is lowered once, to a template over its parameters and variables.
//!
//! In a template, variables and locations are numbered from zero, hidden ones (of answered inputs) after the written
//! ones. Making an instance replaces parameters by values and shifts the numbers.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use sioco_model::model::{Label, SwitchParam};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{BinderId, ChannelId, GateId, Id, SortId, TermId, VarId};

use super::expr::{Local, ProcessScope, Scope, Typed, UNREAD, a};
use super::globals::{GateOrChannel, ResolvedParam, TOLERANCE, id, suggest, suggest_or};
use super::{Checker, SwitchSpans};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::syntax::ast::*;

/// A process, lowered.
pub(super) struct Template<'a> {
    pub(super) decl: &'a ProcessDecl,
    pub(super) file: FileId,
    pub(super) params: Vec<ResolvedParam>,
    pub(super) vars: Vec<TemplateVar>,
    pub(super) locations: Vec<TemplateLocation>,
    pub(super) initial: Option<usize>,
    pub(super) switches: Vec<TemplateSwitch>,
    pub(super) scope: ProcessScope,
    /// A part of it was not understood, and is missing here.
    pub(super) incomplete: bool,
}

pub(super) struct TemplateVar {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) sort: SortId,
    pub(super) initial: TemplateInitial,
    pub(super) hidden: bool,
}

/// The initial value of a variable, as a term over the process parameters.
#[derive(Clone, Copy)]
pub(super) enum TemplateInitial {
    Free,
    Term(TermId, Span),
    Default,
}

pub(super) struct TemplateLocation {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) is_final: bool,
    pub(super) hidden: bool,
}

pub(super) struct TemplateSwitch {
    pub(super) name: String,
    pub(super) named: bool,
    pub(super) tags: Vec<String>,
    pub(super) source: usize,
    pub(super) label: Label,
    pub(super) params: Vec<SwitchParam>,
    pub(super) guard: TermId,
    pub(super) is_else: bool,
    /// An `else` without another switch that it could be the rest of.
    pub(super) lone_else: bool,
    /// The guard is always true or always false because of constants, which may be given other values.
    pub(super) by_constant: bool,
    pub(super) update: Vec<(usize, TermId)>,
    pub(super) target: usize,
    pub(super) spans: SwitchSpans,
}

/// A step of a switch, lowered but not yet placed.
struct Step {
    label: Label,
    params: Vec<SwitchParam>,
    guard: TermId,
    is_else: bool,
    by_constant: bool,
    update: Vec<(usize, TermId)>,
    spans: SwitchSpans,
}

impl<'a> Checker<'a> {
    /// Lowers every process.
    pub(super) fn templates(&mut self) -> Vec<Template<'a>> {
        let processes = self.globals.processes.clone();
        processes.into_iter().map(|(file, decl)| self.template(file, decl)).collect()
    }

    fn template(&mut self, file: FileId, decl: &'a ProcessDecl) -> Template<'a> {
        self.not_yet = decl
            .params
            .iter()
            .map(|p| &p.name)
            .chain(decl.vars.iter().map(|v| &v.name))
            .map(|n| n.name.as_str())
            .collect();
        let params = self.resolve_params(&decl.params, false);
        let mut scope = ProcessScope::default();
        for (i, (p, d)) in params.iter().zip(&decl.params).enumerate() {
            self.not_a_constant(&d.name);
            scope.params.entry(p.name.clone()).or_insert(i);
            scope.param_sorts.push(p.sort);
            scope.param_spans.push(d.name.span);
            scope.param_used.push(Cell::new(false));
        }
        let mut vars = Vec::new();
        // Initial values see the process parameters, but no variables.
        for v in &decl.vars {
            vars.extend(self.variable(v, &mut scope));
        }
        let mut template = Template {
            decl,
            file,
            params,
            vars,
            locations: Vec::new(),
            initial: None,
            switches: Vec::new(),
            scope,
            incomplete: self.is_broken(decl),
        };
        let mut names: FxHashMap<&'a str, usize> = FxHashMap::default();
        for l in &decl.locations {
            let index = template.locations.len();
            if let Some(&first) = names.get(l.name.name.as_str()) {
                let first = template.locations[first].span;
                self.duplicate("location", &l.name, first);
            } else if !l.name.name.is_empty() {
                names.insert(&l.name.name, index);
            }
            match (l.init, template.initial) {
                (true, None) => template.initial = Some(index),
                (true, Some(first)) => {
                    let first = template.locations[first].span;
                    self.report(
                        Diagnostic::new(Code::TwoInitials, l.name.span, "a process has one initial location")
                            .label("this is the second")
                            .also(first, "this is the first")
                            .help("write `state` for one of them"),
                    );
                }
                _ => {}
            }
            template.locations.push(TemplateLocation {
                name: l.name.name.clone(),
                span: l.name.span,
                is_final: l.is_final,
                hidden: false,
            });
        }
        if template.initial.is_none() && !template.incomplete {
            let d = Diagnostic::new(
                Code::NoInitial,
                decl.name.span,
                match decl.name.name.as_str() {
                    "" => "this process has no initial location".into(),
                    name => format!("`{name}` has no initial location"),
                },
            );
            let d = match decl.locations.first() {
                Some(l) => d.help(format!("write `init {}` for the location it starts in", l.name.name)),
                None => d.help("add one: `init start { … }`"),
            };
            self.report(d);
        }
        self.switch_params = switch_params(decl);
        let mut switch_names = Names::default();
        for (source, l) in decl.locations.iter().enumerate() {
            let first = template.switches.len();
            for s in &l.switches {
                if self.too_many_errors(s.span) {
                    return template;
                }
                self.switch(s, source, &names, &mut switch_names, &mut template);
            }
            self.resolve_else(&mut template.switches[first..], source);
        }
        self.not_yet.clear();
        self.switch_params.clear();
        template
    }

    /// Whether a part of the process could not be parsed.
    fn is_broken(&self, decl: &ProcessDecl) -> bool {
        let start = decl.name.span;
        let next = self.globals.processes.iter().map(|(_, p)| p.name.span);
        let next = next.filter(|s| s.file == start.file && s.start > start.start).map(|s| s.start).min();
        self.diagnostics.iter().filter(|d| d.code == Code::UnexpectedToken && d.fix.is_none()).any(|d| {
            let place = d.primary.as_ref().map(|p| p.span).filter(|s| s.file == start.file);
            place.is_some_and(|s| s.start >= start.start && next.is_none_or(|next| s.start < next))
        })
    }

    fn not_a_constant(&mut self, name: &Ident) {
        if let Some((what, span)) = self.global_value(&name.name) {
            self.report(
                Diagnostic::new(Code::Shadowing, name.span, format!("`{}` is already the name of {what}", name.name))
                    .also(span, "declared here")
                    .help("choose another name"),
            );
        }
    }

    fn variable(&mut self, v: &'a VarDecl, scope: &mut ProcessScope) -> Option<TemplateVar> {
        self.not_a_constant(&v.name);
        let taken = scope.vars.get(&v.name.name).map(|i| scope.var_spans[*i]);
        let taken = taken.or_else(|| scope.params.get(&v.name.name).map(|i| scope.param_spans[*i]));
        if let Some(first) = taken {
            self.duplicate("variable or parameter", &v.name, first);
        }
        let sort = self.resolve_type(&v.ty);
        let initial = match &v.init {
            Initial::Free(_) => Some(TemplateInitial::Free),
            Initial::Missing => {
                self.report(
                    Diagnostic::new(Code::NoInitialValue, v.span, format!("`{}` has no initial value", v.name.name))
                        .help("write `= …`, or `= any` for a value that is free at every start"),
                );
                None
            }
            Initial::Value(e) => {
                let params_only = ProcessScope {
                    params: scope.params.clone(),
                    param_sorts: scope.param_sorts.clone(),
                    param_spans: scope.param_spans.clone(),
                    param_used: scope.param_used.clone(),
                    ..ProcessScope::default()
                };
                let mut inner = Scope { process: Some(&params_only), ..Scope::default() };
                let typed = self.expr(e, sort, &mut inner);
                for (used, seen) in scope.param_used.iter().zip(&params_only.param_used) {
                    used.set(seen.get());
                }
                let term = match (typed, sort) {
                    (Some(t), Some(sort)) => self.coerce_expr(t, sort, e, "the initial value"),
                    _ => None,
                };
                term.map(|term| TemplateInitial::Term(term, e.span))
            }
        };
        if !v.name.name.is_empty() && taken.is_none() {
            scope.vars.insert(v.name.name.clone(), scope.var_sorts.len());
        }
        // The numbers of variables must not depend on whether they are wrong.
        scope.var_sorts.push(sort);
        scope.var_spans.push(v.name.span);
        scope.var_used.push(Cell::new(false));
        let sort = sort.unwrap_or(self.sorts.bool);
        let initial = initial.unwrap_or(TemplateInitial::Default);
        Some(TemplateVar { name: v.name.name.clone(), span: v.span, sort, initial, hidden: false })
    }

    fn switch(
        &mut self,
        s: &'a SwitchDecl,
        source: usize,
        locations: &FxHashMap<&'a str, usize>,
        names: &mut Names,
        template: &mut Template<'a>,
    ) {
        let target = locations.get(s.target.name.as_str()).copied();
        if target.is_none() && !s.target.name.is_empty() {
            self.unknown_location(&s.target, template.decl, locations);
        }
        for (i, step) in s.steps.iter().enumerate() {
            let answer = i > 0;
            if answer && step.label.kind != LabelKind::Output {
                self.report(
                    Diagnostic::new(Code::BadAnswer, step.label.span, "an answer is an output")
                        .label("expected `!gate`")
                        .help("after `;` stands what the system answers at once"),
                );
            } else if answer && s.steps[0].label.kind != LabelKind::Input && i == 1 {
                self.report(
                    Diagnostic::new(Code::BadAnswer, s.steps[0].label.span, "only an input can be answered")
                        .help("use two switches with a location between them"),
                );
            }
        }
        // Parameters of earlier steps stay visible in the answers: hidden variables carry them over.
        let mut carried: Vec<Carried> = Vec::new();
        let mut steps: Vec<Option<Step>> = Vec::new();
        for (i, step) in s.steps.iter().enumerate() {
            let lowered = self.step(step, s, template, &mut carried, i);
            steps.push(lowered);
        }
        for c in &carried {
            if !c.read && !c.read_later && !c.name.starts_with('_') {
                let message = format!("nothing reads `{}`", c.name);
                self.report(Diagnostic::new(Code::UnusedParameter, c.span, message).help(UNREAD));
            }
        }
        let base = self.switch_name(s, &template.locations[source].name, names);
        let steps: Option<Vec<Step>> = steps.into_iter().collect();
        let (Some(mut steps), Some(target)) = (steps, target) else {
            template.incomplete = true;
            return;
        };
        self.carry(&carried, &mut steps, template);
        let count = steps.len();
        let mut from = source;
        for (i, step) in steps.into_iter().enumerate() {
            let to = if i + 1 == count {
                target
            } else {
                template.locations.push(TemplateLocation {
                    name: format!("{base};{}", i + 1),
                    span: s.span,
                    is_final: false,
                    hidden: true,
                });
                template.locations.len() - 1
            };
            let name =
                if i == 0 { base.clone() } else { names.fresh(format!("{base}!{}", s.steps[i].label.name.name)) };
            template.switches.push(TemplateSwitch {
                name,
                named: s.name.is_some(),
                tags: s.tags.iter().map(|t| t.name.clone()).collect(),
                source: from,
                label: step.label,
                params: step.params,
                guard: step.guard,
                is_else: step.is_else,
                lone_else: false,
                by_constant: step.by_constant,
                update: step.update,
                target: to,
                spans: step.spans,
            });
            from = to;
        }
    }

    fn unknown_location(&mut self, target: &Ident, decl: &ProcessDecl, locations: &FxHashMap<&'a str, usize>) {
        let near = self.near(&target.name, locations.keys().copied());
        if near.is_none() && self.is_broken(decl) {
            // The location may be in the part that was not understood.
            return;
        }
        let (name, process) = (&target.name, &decl.name.name);
        let d = Diagnostic::new(Code::UnknownLocation, target.span, format!("`{process}` has no location `{name}`"));
        let mut others = self.globals.processes.iter().map(|(_, p)| *p);
        let owner = others.find(|p| p.locations.iter().any(|l| l.name.name == *name)).map(|p| &p.name.name);
        self.report(suggest_or(d, target, near, || match owner {
            Some(owner) => format!("`{name}` is a location of `{owner}`; a switch stays inside its process"),
            None => format!("declare it: `state {name} {{ … }}`"),
        }));
    }

    /// Stores what the answers need where it is bound, in hidden variables, and forgets it with the last answer, so that
    /// two states that differ only in a value nobody reads any more are the same state. A process answers one input at
    /// a time, so all its answered inputs share these variables.
    fn carry(&mut self, carried: &[Carried], steps: &mut [Step], template: &mut Template<'a>) {
        let last = steps.len() - 1;
        let mut vars: Vec<Option<usize>> = Vec::new();
        for c in carried {
            if !c.read_later {
                vars.push(None);
                continue;
            }
            let free = template.vars.iter().position(|v| v.hidden && v.sort == c.sort);
            let free = free.and_then(|first| {
                (first..template.vars.len())
                    .find(|v| template.vars[*v].hidden && template.vars[*v].sort == c.sort && !vars.contains(&Some(*v)))
            });
            let var = free.unwrap_or_else(|| {
                template.vars.push(TemplateVar {
                    name: format!("{}'", c.name),
                    span: c.span,
                    sort: c.sort,
                    initial: TemplateInitial::Default,
                    hidden: true,
                });
                template.vars.len() - 1
            });
            vars.push(Some(var));
            let base = self.sorts.base(c.sort);
            let param = self.terms.param(c.param, base);
            let reset = self.terms.constant(self.sorts.default_value(c.sort), base);
            for (step, value) in [(c.step, param), (last, reset)] {
                let label = steps[step].spans.label;
                steps[step].update.push((var, value));
                steps[step].spans.update.push(label);
            }
        }
        if vars.iter().all(Option::is_none) {
            return;
        }
        let place = |pool: &mut TermPool, term: TermId| {
            pool.replace(term, &mut |pool, leaf| match leaf {
                Term::Param(i, sort) if *i >= CARRIED => {
                    vars[(*i - CARRIED) as usize].map(|v| pool.var(id::<VarId>(v), *sort))
                }
                _ => None,
            })
        };
        for step in steps.iter_mut() {
            step.guard = place(&mut self.terms, step.guard);
            for (_, term) in &mut step.update {
                *term = place(&mut self.terms, *term);
            }
            for p in &mut step.params {
                p.term = p.term.map(|t| place(&mut self.terms, t));
            }
        }
    }

    /// The name of a switch: given, or made from its location and label.
    fn switch_name(&mut self, s: &SwitchDecl, location: &str, names: &mut Names) -> String {
        if let Some(name) = s.name.as_ref().filter(|n| !n.name.is_empty()) {
            if let Some(&first) = names.given.get(&name.name) {
                self.duplicate("switch", name, first);
            }
            names.given.insert(name.name.clone(), name.span);
            names.taken.insert(name.name.clone(), 1);
            return name.name.clone();
        }
        let label = &s.steps[0].label;
        names.fresh(match label.kind {
            LabelKind::Input => format!("{location}?{}", label.name.name),
            LabelKind::Output => format!("{location}!{}", label.name.name),
            LabelKind::Send => format!("{location}.send.{}", label.name.name),
            LabelKind::Recv => format!("{location}.recv.{}", label.name.name),
            LabelKind::Tau => format!("{location}.tau"),
        })
    }

    fn step(
        &mut self,
        step: &'a StepDecl,
        s: &'a SwitchDecl,
        template: &Template<'a>,
        carried: &mut Vec<Carried>,
        index: usize,
    ) -> Option<Step> {
        let (label, declared, wrong_way) = self.label(&step.label)?;
        let mut good = true;
        if let Some(declared) = &declared
            && declared.len() != step.label.args.len()
        {
            let name = &step.label.name.name;
            let place = self.globals.gate_names.get(name.as_str()).map(|g| self.gate_name(*g).span);
            let label = step.label.span;
            // A declaration that was not understood does not say how many there are.
            if declared.iter().all(|p| p.sort.is_some()) {
                self.arity(&format!("`{name}`"), declared.len(), step.label.args.len(), label, place);
                let is_guard = matches!(&step.label.args[..], [ArgDecl::Term(e)] if is_condition(e));
                if declared.is_empty()
                    && is_guard
                    && matches!(step.guard, GuardDecl::None)
                    && let Some(d) = self.diagnostics.last_mut()
                {
                    d.help = Some("guards are written in brackets: `[…]`".into());
                }
            }
            good = false;
        }
        let process = &template.scope;
        let mut scope = Scope { process: Some(process), ..Scope::default() };
        // Names from earlier steps; placeholders until it is known which of them need a hidden variable.
        let inherited = carried.len();
        for (i, c) in carried.iter().enumerate() {
            let term = self.terms.param(CARRIED + i as u32, self.sorts.base(c.sort));
            let typed = c.known.then_some(Typed { term, sort: c.sort });
            scope.locals.push(Local { name: c.name.clone(), span: c.span, typed, used: Cell::new(false) });
        }
        let mut params: Vec<SwitchParam> = Vec::new();
        let mut terms: Vec<(usize, &'a Expr)> = Vec::new();
        let binds = matches!(step.label.kind, LabelKind::Input | LabelKind::Recv) && !wrong_way;
        // In the wrong direction, an argument is whatever makes sense.
        let known = |checker: &Self, scope: &Scope<'_>, name: &str| {
            scope.locals.iter().any(|l| l.name == name)
                || process.vars.contains_key(name)
                || process.params.contains_key(name)
                || checker.global_value(name).is_some()
        };
        // What an argument that is no name should have been called, so that its uses are not wrong as well.
        let stand_in =
            |checker: &mut Self, scope: &mut Scope<'_>, name: &str, span: Span, sort: Option<SortId>, i: usize| {
                if !known(checker, scope, name) {
                    let typed = sort.map(|sort| {
                        let base = checker.sorts.base(sort);
                        Typed { term: checker.terms.param(i as u32, base), sort }
                    });
                    scope.locals.push(Local { name: name.to_owned(), span, typed, used: Cell::new(true) });
                }
            };
        for (i, arg) in step.label.args.iter().enumerate() {
            let gate_param = declared.as_ref().and_then(|d| d.get(i));
            let sort = gate_param.and_then(|p| p.sort);
            let name = gate_param.map_or_else(|| format!("p{i}"), |p| p.name.clone());
            let mut param = SwitchParam {
                name,
                sort: sort.unwrap_or(self.sorts.bool),
                term: None,
                tolerance: gate_param.and_then(|p| p.tolerance.clone()),
            };
            good &= sort.is_some();
            let mut bind = |checker: &mut Self, scope: &mut Scope<'_>, name: &Ident| {
                let typed = sort.map(|sort| {
                    let base = checker.sorts.base(sort);
                    Typed { term: checker.terms.param(i as u32, base), sort }
                });
                checker.bind(scope, name, typed);
                if name.name != "_" {
                    param.name.clone_from(&name.name);
                }
            };
            match arg {
                ArgDecl::Ignored(span) if !binds && !wrong_way => {
                    let d = if step.label.kind == LabelKind::Send {
                        Diagnostic::new(Code::BadAny, *span, "a send says what it sends")
                            .help("write a value; to choose one, use `tau any` before")
                    } else {
                        Diagnostic::new(Code::BadAny, *span, "an output says what it sends")
                            .help("write a value, or `any p` where the system may choose")
                    };
                    self.report(d);
                    good = false;
                }
                ArgDecl::Ignored(_) => {}
                ArgDecl::Any(name) if binds => {
                    self.report(
                        Diagnostic::new(Code::BadAny, name.span, "what comes in is not chosen by the system")
                            .help(format!("write just `{}`, without `any`", name.name)),
                    );
                    good = false;
                    bind(self, &mut scope, name);
                }
                ArgDecl::Any(name) if step.label.kind == LabelKind::Send => {
                    self.report(
                        Diagnostic::new(Code::BadAny, name.span, "a send says what it sends")
                            .help("write a value; to choose one, use `tau any` before"),
                    );
                    good = false;
                    bind(self, &mut scope, name);
                }
                ArgDecl::Any(name) => bind(self, &mut scope, name),
                ArgDecl::Term(Expr { kind: ExprKind::Name(name), span })
                    if (binds && self.constructor_span(name).is_none())
                        || (wrong_way && !known(self, &scope, name)) =>
                {
                    let ident = Ident { name: name.clone(), span: *span };
                    let before = self.diagnostics.len();
                    bind(self, &mut scope, &ident);
                    let is_var = process.vars.contains_key(name) || process.params.contains_key(name);
                    if is_var && let Some(d) = self.diagnostics.get_mut(before) {
                        let way = if step.label.kind == LabelKind::Input { "?" } else { "recv " };
                        let p = gate_param.map(|p| p.name.clone()).filter(|p| p != name);
                        let p = p.unwrap_or_else(|| format!("{name}_in"));
                        let gate = &step.label.name.name;
                        let label = match step.label.args.len() {
                            1 => format!("{way}{gate}({p}) "),
                            _ => String::new(),
                        };
                        d.help = Some(format!(
                            "choose another name for what comes in; to compare it: `{label}[{p} == {name}]`"
                        ));
                        stand_in(self, &mut scope, &p, *span, sort, i);
                    }
                }
                ArgDecl::Term(e) if binds => {
                    if !matches!(e.kind, ExprKind::Error) {
                        let input = step.label.kind == LabelKind::Input;
                        let (what, way) = if input { ("an input", "?") } else { ("a receive", "recv ") };
                        let (gate, p) = (&step.label.name.name, &param.name);
                        self.report(
                            Diagnostic::new(
                                Code::InputBinder,
                                e.span,
                                format!("{what} gives names to the values that come in"),
                            )
                            .label("expected a name or `_`")
                            .help(format!("compare in the guard: `{way}{gate}({p}) [{p} == …]`")),
                        );
                        stand_in(self, &mut scope, p, e.span, sort, i);
                    }
                    good = false;
                }
                ArgDecl::Term(e) => terms.push((i, e)),
            }
            params.push(param);
        }
        let not_yet = self.not_yet.len();
        self.not_yet.extend(step.label.choices.iter().map(|c| c.name.name.as_str()));
        for (i, choice) in step.label.choices.iter().enumerate() {
            if let Some(tolerance) = &choice.tolerance {
                let d = Diagnostic::new(Code::BadTolerance, tolerance.span, "a tolerance cannot stand here");
                self.report(d.help(TOLERANCE));
            }
            let sort = self.resolve_type(&choice.ty);
            let typed = sort.map(|sort| {
                let base = self.sorts.base(sort);
                Typed { term: self.terms.param(i as u32, base), sort }
            });
            self.bind(&mut scope, &choice.name, typed);
            good &= sort.is_some();
            let sort = sort.unwrap_or(self.sorts.bool);
            params.push(SwitchParam { name: choice.name.name.clone(), sort, term: None, tolerance: None });
        }
        self.not_yet.truncate(not_yet);
        for (i, e) in terms {
            let sort = declared.as_ref().and_then(|d| d.get(i)).and_then(|p| p.sort);
            let typed = self.expr(e, sort, &mut scope);
            let term = match (typed, sort) {
                (Some(t), Some(sort)) => {
                    let what = format!("the parameter `{}`", params[i].name);
                    self.coerce_expr(t, sort, e, &what)
                }
                _ => None,
            };
            good &= term.is_some();
            params[i].term = term;
        }
        let mut guard_span = None;
        let mut is_else = false;
        let guard = match &step.guard {
            GuardDecl::None => Some(self.terms.bool(&self.sorts, true)),
            GuardDecl::Else(span) => {
                guard_span = Some(*span);
                is_else = true;
                if matches!(step.label.kind, LabelKind::Send | LabelKind::Recv) || index > 0 {
                    self.report(
                        Diagnostic::new(Code::BadElse, *span, "`else` has no meaning here")
                            .help("it is for inputs, outputs and `tau`, as the first step of a switch"),
                    );
                }
                Some(self.terms.bool(&self.sorts, true))
            }
            GuardDecl::Expr(e) => {
                guard_span = Some(e.span);
                let typed = self.expr(e, Some(self.sorts.bool), &mut scope);
                if let Some(t) = typed
                    && t.sort != self.sorts.bool
                {
                    let found = a(&self.sorts.name(t.sort));
                    self.report(
                        Diagnostic::new(Code::GuardNotBool, e.span, format!("a guard is a `Bool`, this is {found}"))
                            .label("neither true nor false")
                            .help("compare it with something, as in `[x > 0]`"),
                    );
                }
                typed.filter(|t| t.sort == self.sorts.bool).map(|t| t.term)
            }
        };
        // Whether the constants made it so is asked only of a guard that is always true or always false.
        let fixed = guard.is_some_and(|g| self.terms.as_const(g).is_some());
        let by_constant = fixed && matches!(&step.guard, GuardDecl::Expr(e) if self.mentions_constant(e));
        let mut update = Vec::new();
        let mut update_spans = Vec::new();
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for a in &step.update {
            let name = a.target.name.as_str();
            let var = process.vars.get(name).copied();
            if let Some(first) = seen.insert(name, a.target.span).filter(|_| !name.is_empty()) {
                self.report(
                    Diagnostic::new(Code::AssignedTwice, a.target.span, format!("`{name}` is assigned twice"))
                        .label("assigned again here")
                        .also(first, "first assigned here")
                        .help("all right-hand sides are evaluated before any is assigned, so the order means nothing"),
                );
                good = false;
            }
            if var.is_none() && !name.is_empty() {
                self.not_assignable(&a.target, &scope, process);
                good = false;
            }
            scope.assigning = var;
            let sort = var.and_then(|v| process.var_sorts[v]);
            let typed = self.expr(&a.value, sort, &mut scope);
            scope.assigning = None;
            let term = match (typed, sort) {
                (Some(t), Some(sort)) => self.coerce_expr(t, sort, &a.value, &format!("the new value of `{name}`")),
                _ => None,
            };
            good &= term.is_some();
            if let (Some(var), Some(term)) = (var, term) {
                update.push((var, term));
                update_spans.push(a.target.span.to(a.value.span));
            }
        }
        for (c, local) in carried.iter_mut().zip(&scope.locals) {
            c.read_later |= local.used.get();
        }
        // The names bound here are carried on; whether they are used is known at the end of the switch.
        if s.steps.len() > index + 1 {
            for local in scope.locals.drain(inherited..) {
                // A name whose type is wrong stays a name, so that its use is not one more report.
                let sort = local.typed.map_or(self.sorts.bool, |t| t.sort);
                let param = match local.typed.map(|t| self.terms.get(t.term)) {
                    Some(Term::Param(param, _)) => *param,
                    _ => 0,
                };
                carried.push(Carried {
                    name: local.name,
                    span: local.span,
                    sort,
                    known: local.typed.is_some(),
                    step: index,
                    param,
                    read: local.used.get(),
                    read_later: false,
                });
            }
        } else {
            self.unbind(&mut scope, inherited);
        }
        let guard = guard?;
        if !good {
            return None;
        }
        let spans = SwitchSpans {
            whole: s.span,
            name: s.name.as_ref().map(|n| n.span),
            label: step.label.span,
            args: step.label.args.iter().map(arg_span).collect(),
            guard: guard_span,
            update: update_spans,
            target: s.target.span,
        };
        Some(Step { label, params, guard, is_else, by_constant, update, spans })
    }

    /// Reports an assignment to something that is not a variable.
    fn not_assignable(&mut self, target: &Ident, scope: &Scope<'_>, process: &ProcessScope) {
        let name = target.name.as_str();
        let message = |what: &str| format!("`{name}` is {what} and cannot be assigned");
        let d = |text: String| Diagnostic::new(Code::UpdateTarget, target.span, text);
        let d = if let Some(local) = scope.locals.iter().find(|l| l.name == name) {
            d(message("a parameter"))
                .also(local.span, "gets its value here")
                .help("assign to a variable of the process")
        } else if let Some(i) = process.params.get(name) {
            d(message("a process parameter"))
                .also(process.param_spans[*i], "declared here")
                .help("it is fixed for the instance; copy it: `var x: … = …`")
        } else if let Some(c) = self.globals.consts.get(name) {
            d(message("a constant"))
                .also(c.decl.name.span, "declared here")
                .help("what changes is a variable: declare it in the process with `var`")
        } else {
            let near = self.near(name, process.vars.keys().map(String::as_str));
            let d = d(format!("there is no variable `{name}` to assign"));
            suggest_or(d, target, near, || format!("declare it in the process: `var {name}: … = …`"))
        };
        self.report(d);
    }

    /// The label, the parameters that its gate or channel declares, and whether it is used in the wrong direction.
    fn label(&mut self, label: &'a LabelDecl) -> Option<(Label, Option<Vec<ResolvedParam>>, bool)> {
        if label.kind == LabelKind::Tau {
            return Some((Label::Internal, None, false));
        }
        let name = &label.name;
        if name.name.is_empty() {
            return None;
        }
        let wants_gate = matches!(label.kind, LabelKind::Input | LabelKind::Output);
        match self.globals.gate_names.get(name.name.as_str()).copied() {
            Some(GateOrChannel::Gate(i)) => {
                let entry = &self.globals.gates[i];
                entry.used.set(true);
                let (input, declared, params) = (entry.decl.input, entry.decl.name.span, entry.params.clone());
                if !wants_gate {
                    self.report(
                        Diagnostic::new(
                            Code::WrongDirection,
                            label.span,
                            format!("`{}` is a gate, not a channel", name.name),
                        )
                        .also(declared, "declared here")
                        .help(format!(
                            "write `{}{}`",
                            if input { '?' } else { '!' },
                            name.name
                        )),
                    );
                    return None;
                }
                if input != (label.kind == LabelKind::Input) {
                    let (is, sigil) = if input { ("an input", "?") } else { ("an output", "!") };
                    let place = Span { end: label.span.start + 1, ..label.span };
                    self.report(
                        Diagnostic::new(Code::WrongDirection, label.span, format!("`{}` is {is}", name.name))
                            .label(format!("expected `{sigil}{}`", name.name))
                            .also(declared, "declared here")
                            .help("directions are those of the system under test: `?` receives, `!` answers")
                            .fix(place, sigil),
                    );
                    // What else is wrong with the switch is reported as if the direction were right.
                }
                Some((Label::Gate(id::<GateId>(i)), Some(params), input != (label.kind == LabelKind::Input)))
            }
            Some(GateOrChannel::Channel(i)) => {
                let entry = &self.globals.channels[i];
                entry.used.set(true);
                let (declared, params) = (entry.decl.name.span, entry.params.clone());
                if wants_gate {
                    let word = if label.kind == LabelKind::Input { "recv" } else { "send" };
                    self.report(
                        Diagnostic::new(
                            Code::WrongDirection,
                            label.span,
                            format!("`{}` is a channel, not a gate", name.name),
                        )
                        .also(declared, "declared here")
                        .help(format!("write `{word} {}`", name.name)),
                    );
                    return None;
                }
                let channel = id::<ChannelId>(i);
                let label = if label.kind == LabelKind::Send { Label::Send(channel) } else { Label::Receive(channel) };
                Some((label, Some(params), false))
            }
            None => {
                let what = if wants_gate { "gate" } else { "channel" };
                let near = self.near(&name.name, self.globals.gate_names.keys().copied());
                let d = Diagnostic::new(Code::UnknownGate, name.span, format!("there is no {what} `{}`", name.name));
                let d = match (near, label.kind) {
                    (Some(near), _) => suggest(d, name, Some(near)),
                    (None, LabelKind::Input) => d.help(format!("declare it: `input {}`", name.name)),
                    (None, LabelKind::Output) => d.help(format!("declare it: `output {}`", name.name)),
                    (None, _) => d.help(format!("declare it: `channel {}`", name.name)),
                };
                self.report(d);
                None
            }
        }
    }

    /// Gives every `else` of a location its guard. The others' guards must be known by now.
    fn resolve_else(&mut self, switches: &mut [TemplateSwitch], source: usize) {
        for i in 0..switches.len() {
            if !switches[i].is_else || switches[i].source != source {
                continue;
            }
            let input = self.is_input(switches[i].label);
            let mut others = Vec::new();
            let mut by_constant = false;
            for s in switches.iter().filter(|s| !s.is_else && s.source == source) {
                if input && s.label == switches[i].label {
                    // Parameters are numbered by the gate, so the guards speak of the same values.
                    others.push(s.guard);
                    by_constant |= s.by_constant;
                } else if !input && !self.is_input(s.label) && !matches!(s.label, Label::Send(_) | Label::Receive(_)) {
                    let (guard, params) = (s.guard, s.params.clone());
                    others.push(self.exists_params(guard, &params));
                    by_constant |= s.by_constant;
                }
            }
            switches[i].lone_else = others.is_empty();
            switches[i].by_constant = by_constant;
            let any = self.terms.or(&self.sorts, &others);
            switches[i].guard = self.terms.not(&self.sorts, any);
        }
    }

    fn is_input(&self, label: Label) -> bool {
        matches!(label, Label::Gate(g) if self.globals.gates[g.index()].decl.input)
    }

    /// "For some values of the parameters": the parameters that occur become bound variables.
    fn exists_params(&mut self, guard: TermId, params: &[SwitchParam]) -> TermId {
        let mut occurring: Vec<u32> = Vec::new();
        self.terms.visit(guard, &mut |_, t| {
            if let Term::Param(i, _) = t {
                occurring.push(*i);
            }
        });
        if occurring.is_empty() {
            return guard;
        }
        occurring.sort_unstable();
        let mut binders: FxHashMap<u32, BinderId> = FxHashMap::default();
        for i in &occurring {
            binders.insert(*i, self.terms.binders.push(params[*i as usize].sort));
        }
        let sorts = &self.sorts;
        let body = self.terms.replace(guard, &mut |pool, leaf| match leaf {
            Term::Param(i, _) => Some(pool.bound(sorts, binders[i])),
            _ => None,
        });
        let op = Op::Exists { first: binders[&occurring[0]], count: occurring.len() as u32 };
        self.terms.app(op, &[body], self.sorts.bool)
    }
}

/// Parameters from here on stand for what is carried over from earlier steps of the switch.
const CARRIED: u32 = 1 << 20;

/// A parameter of an earlier step that an answer may use.
struct Carried {
    name: String,
    span: Span,
    sort: SortId,
    /// Whether its type is right.
    known: bool,
    step: usize,
    param: u32,
    /// Its own step reads it.
    read: bool,
    /// An answer reads it.
    read_later: bool,
}

/// The names of the switches of a process.
#[derive(Default)]
struct Names {
    given: FxHashMap<String, Span>,
    taken: FxHashMap<String, usize>,
}

impl Names {
    /// The name itself, or with `#2`, `#3` where it is taken.
    fn fresh(&mut self, base: String) -> String {
        let count = self.taken.entry(base.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { base } else { format!("{base}#{count}") }
    }
}

/// Whether this can only be meant as a guard.
fn is_condition(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Chain(_, rest) => rest.first().is_some_and(|(op, _, _)| op.level() <= BinOp::Eq.level()),
        ExprKind::Not(_) | ExprKind::Is(..) | ExprKind::Bool(_) => true,
        ExprKind::Paren(inner) => is_condition(inner),
        _ => false,
    }
}

/// The names that the labels of a process bind.
fn switch_params(decl: &ProcessDecl) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for label in decl.locations.iter().flat_map(|l| &l.switches).flat_map(|s| &s.steps).map(|s| &s.label) {
        let binds = matches!(label.kind, LabelKind::Input | LabelKind::Recv);
        for arg in &label.args {
            match arg {
                ArgDecl::Any(name) => found.push((name.name.as_str(), name.span)),
                ArgDecl::Term(Expr { kind: ExprKind::Name(name), span }) if binds => found.push((name, *span)),
                _ => {}
            }
        }
        found.extend(label.choices.iter().map(|c| (c.name.name.as_str(), c.name.span)));
    }
    found
}

fn arg_span(arg: &ArgDecl) -> Span {
    match arg {
        ArgDecl::Any(name) => name.span,
        ArgDecl::Ignored(span) => *span,
        ArgDecl::Term(e) => e.span,
    }
}
