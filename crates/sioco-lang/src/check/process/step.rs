//! One step of a switch: its label, parameters, guard and update.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use sioco_model::model::{Label, SwitchParam};
use sioco_model::term::Term;
use sioco_model::{ChannelId, GateId, SortId, TermId, VarId};

use super::switch::{CARRIED, Carried};
use super::{Step, Template};
use crate::check::expr::{Local, ProcessScope, Scope, Typed, Written, a};
use crate::check::globals::{GateOrChannel, ResolvedParam, TOLERANCE, id, suggest, suggest_or};
use crate::check::{Checker, SwitchSpans};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

/// A label, and what is known of it once its gate or channel was found.
struct Labelled<'s> {
    decl: &'s LabelDecl,
    /// The parameters that the gate or channel declares, if there are any to declare.
    declared: Option<&'s [ResolvedParam]>,
    /// Whether it is used in the wrong direction.
    wrong_way: bool,
}

impl Labelled<'_> {
    /// Whether its arguments give names to what comes in.
    fn binds(&self) -> bool {
        matches!(self.decl.kind, LabelKind::Input | LabelKind::Recv) && !self.wrong_way
    }

    fn param(&self, i: usize) -> Option<&ResolvedParam> {
        self.declared?.get(i)
    }
}

/// What an argument of a label comes to.
enum Argument<'a> {
    /// A name, or nothing.
    Bound,
    /// A term, which may use the names of all arguments.
    Term(&'a Expr),
    /// Something is wrong with it, and was reported.
    Wrong,
}

/// The parameters of a label, the terms of some of its arguments, and whether nothing is wrong.
type Arguments<'a> = (Vec<SwitchParam>, Vec<(usize, &'a Expr)>, bool);

/// A guard, lowered.
struct Guard {
    /// Nothing if it is wrong.
    term: Option<TermId>,
    span: Option<Span>,
    is_else: bool,
}

/// The assignments of a step, lowered, with their places; nothing in the first if one is wrong.
type Assignments = (Option<Vec<(usize, TermId)>>, Vec<Span>);

impl<'a> Checker<'a> {
    pub(in crate::check) fn step(
        &mut self,
        step: &'a StepDecl,
        s: &'a SwitchDecl,
        template: &Template<'a>,
        carried: &mut Vec<Carried>,
        index: usize,
    ) -> Option<Step> {
        let (label, declared, wrong_way) = self.label(&step.label)?;
        let labelled = Labelled { decl: &step.label, declared: declared.as_deref(), wrong_way };
        let mut good = self.has_its_arguments(step, &labelled);
        let mut scope = self.scope_of_step(&template.scope, carried);
        let inherited = carried.len();
        if wrong_way {
            self.mend_direction(&labelled, &scope);
        }
        let (mut params, terms, arguments_good) = self.arguments(step, &labelled, &mut scope);
        good &= arguments_good;
        good &= self.choices_of_step(step, &mut scope, &mut params);
        good &= self.terms_of_arguments(terms, &labelled, &mut scope, &mut params);
        let guard = self.guard_of_step(step, index, &mut scope);
        // Whether the constants made it so is asked only of a guard that is always true or always false.
        let fixed = guard.term.is_some_and(|g| self.terms.as_const(g).is_some());
        let by_constant = fixed && matches!(&step.guard, GuardDecl::Expr(e) if self.mentions_constant(e));
        let (update, update_spans) = self.assignments(step, &template.scope, &mut scope);
        for (c, local) in carried.iter_mut().zip(&scope.locals) {
            c.read_later |= local.used.get();
        }
        // The names bound here are carried on; whether they are used is known at the end of the switch.
        match s.steps.len() > index + 1 {
            true => self.carry_on(scope, inherited, index, carried),
            false => self.unbind(&mut scope, inherited),
        }
        let guard_term = guard.term?;
        let update = update.filter(|_| good)?;
        let spans = SwitchSpans {
            whole: s.span,
            name: s.name.as_ref().map(|n| n.span),
            label: step.label.span,
            args: step.label.args.iter().map(arg_span).collect(),
            guard: guard.span,
            update: update_spans,
            target: s.target.span,
        };
        Some(Step { label, params, guard: guard_term, is_else: guard.is_else, by_constant, update, spans })
    }

    /// Whether a label has as many arguments as its gate or channel declares.
    fn has_its_arguments(&mut self, step: &StepDecl, labelled: &Labelled<'_>) -> bool {
        let args = &step.label.args;
        let Some(declared) = labelled.declared.filter(|declared| declared.len() != args.len()) else { return true };
        let name = &step.label.name.name;
        let place = self.globals.gate_names.get(name.as_str()).map(|g| self.gate_name(*g).span);
        // A declaration that was not understood does not say how many there are.
        if declared.iter().all(|p| p.sort.is_some()) {
            self.arity(&format!("`{name}`"), declared.len(), args.len(), step.label.span, place);
            let is_guard = matches!(&args[..], [ArgDecl::Term(e)] if is_condition(e));
            if declared.is_empty()
                && is_guard
                && matches!(step.guard, GuardDecl::None)
                && let Some(d) = self.diagnostics.last_mut()
            {
                d.help = Some("guards are written in brackets: `[…]`".into());
            }
        }
        false
    }

    /// The names that a step can use: those of the process, and those from earlier steps. These are placeholders until it
    /// is known which of them need a hidden variable.
    fn scope_of_step<'p>(&mut self, process: &'p ProcessScope, carried: &[Carried]) -> Scope<'p> {
        let mut scope = Scope { process: Some(process), ..Scope::default() };
        for (i, c) in carried.iter().enumerate() {
            let term = self.terms.param(CARRIED + i as u32, self.sorts.base(c.sort));
            let typed = c.known.then_some(Typed { term, sort: c.sort });
            scope.locals.push(Local { name: c.name.clone(), span: c.span, typed, used: Cell::new(false) });
        }
        scope
    }

    /// Whether a name means something before its label binds it.
    fn is_known(&self, scope: &Scope<'_>, name: &str) -> bool {
        let of_process = |p: &ProcessScope| p.vars.contains_key(name) || p.params.contains_key(name);
        scope.locals.iter().any(|l| l.name == name)
            || scope.process.is_some_and(of_process)
            || self.global_value(name).is_some()
    }

    /// A label in the wrong direction: only where what stands in its brackets is right the other way round does a sign
    /// mend it.
    fn mend_direction(&mut self, labelled: &Labelled<'_>, scope: &Scope<'_>) {
        let label = labelled.decl;
        let is_input = label.kind == LabelKind::Output;
        let fits = label.args.iter().all(|arg| match arg {
            ArgDecl::Ignored(_) => is_input,
            ArgDecl::Any(_) => !is_input,
            ArgDecl::Term(Expr { kind: ExprKind::Name(name), .. }) => self.is_known(scope, name) != is_input,
            ArgDecl::Term(_) => !is_input,
        });
        let told = self.diagnostics.iter_mut().rfind(|d| d.code == Code::WrongDirection);
        if let Some(d) = told.filter(|_| !fits) {
            d.fix = None;
            let gate = &label.name.name;
            let params: Vec<&str> = labelled.declared.into_iter().flatten().map(|p| p.name.as_str()).collect();
            d.help = Some(match is_input {
                true => {
                    let params = params.join(", ");
                    format!(
                        "an input names the values that it receives; compare them in the guard: \
                             `?{gate}({params}) […]`"
                    )
                }
                false => {
                    let params = params.join(", any ");
                    format!("an output needs values: write them, or `!{gate}(any {params})`")
                }
            });
        }
    }

    /// The parameters that the arguments of a label are, without their terms; these come back by the number of their
    /// argument. Whether nothing is wrong.
    fn arguments(&mut self, step: &'a StepDecl, labelled: &Labelled<'_>, scope: &mut Scope<'_>) -> Arguments<'a> {
        let (mut params, mut terms, mut good) = (Vec::new(), Vec::new(), true);
        for (i, arg) in step.label.args.iter().enumerate() {
            let declared = labelled.param(i);
            let sort = declared.and_then(|p| p.sort);
            let mut param = SwitchParam {
                name: declared.map_or_else(|| format!("p{i}"), |p| p.name.clone()),
                sort: sort.unwrap_or(self.sorts.bool),
                term: None,
                tolerance: declared.and_then(|p| p.tolerance.clone()),
            };
            good &= sort.is_some();
            match self.argument(arg, i, labelled, scope, &mut param) {
                Argument::Bound => {}
                Argument::Term(e) => terms.push((i, e)),
                Argument::Wrong => good = false,
            }
            params.push(param);
        }
        (params, terms, good)
    }

    /// Brings the name of an argument into scope, and names its parameter like this.
    fn bind_argument(
        &mut self,
        name: &Ident,
        i: usize,
        sort: Option<SortId>,
        scope: &mut Scope<'_>,
        param: &mut SwitchParam,
    ) {
        let typed = self.typed_param(i, sort);
        self.bind(scope, name, typed);
        if name.name != "_" {
            param.name.clone_from(&name.name);
        }
    }

    fn typed_param(&mut self, i: usize, sort: Option<SortId>) -> Option<Typed> {
        sort.map(|sort| {
            let base = self.sorts.base(sort);
            Typed { term: self.terms.param(i as u32, base), sort }
        })
    }

    /// What an argument that is no name should have been called, so that its uses are not wrong as well.
    fn stand_in(&mut self, scope: &mut Scope<'_>, name: &str, span: Span, sort: Option<SortId>, i: usize) {
        if !self.is_known(scope, name) {
            let typed = self.typed_param(i, sort);
            scope.locals.push(Local { name: name.to_owned(), span, typed, used: Cell::new(true) });
        }
    }

    /// An argument; in the wrong direction, it is whatever makes sense.
    fn argument(
        &mut self,
        arg: &'a ArgDecl,
        i: usize,
        labelled: &Labelled<'_>,
        scope: &mut Scope<'_>,
        param: &mut SwitchParam,
    ) -> Argument<'a> {
        let (label, binds, wrong_way) = (labelled.decl, labelled.binds(), labelled.wrong_way);
        let declared = labelled.param(i);
        let sort = declared.and_then(|p| p.sort);
        match arg {
            ArgDecl::Ignored(span) if !binds && !wrong_way => {
                let d = if label.kind == LabelKind::Send {
                    Diagnostic::new(Code::BadAny, *span, "a send needs a value here")
                        .help("write a value; to choose one freely, use `tau any` before it")
                } else {
                    Diagnostic::new(Code::BadAny, *span, "an output needs a value here")
                        .help("write a value, or `any p` if the system may choose it")
                };
                self.report(d);
                Argument::Wrong
            }
            ArgDecl::Ignored(_) => Argument::Bound,
            ArgDecl::Any(name) if binds => {
                self.report(
                    Diagnostic::new(Code::BadAny, name.span, "the system does not choose the values that it receives")
                        .help(format!("write just `{}`, without `any`", name.name)),
                );
                self.bind_argument(name, i, sort, scope, param);
                Argument::Wrong
            }
            ArgDecl::Any(name) if label.kind == LabelKind::Send => {
                self.report(
                    Diagnostic::new(Code::BadAny, name.span, "a send needs a value here")
                        .help("write a value; to choose one freely, use `tau any` before it"),
                );
                self.bind_argument(name, i, sort, scope, param);
                Argument::Wrong
            }
            ArgDecl::Any(name) => {
                self.bind_argument(name, i, sort, scope, param);
                Argument::Bound
            }
            ArgDecl::Term(Expr { kind: ExprKind::Name(name), span })
                if (binds && self.constructor_span(name).is_none()) || (wrong_way && !self.is_known(scope, name)) =>
            {
                let ident = Ident { name: name.clone(), span: *span };
                let before = self.diagnostics.len();
                self.bind_argument(&ident, i, sort, scope, param);
                let of_process = |p: &ProcessScope| p.vars.contains_key(name) || p.params.contains_key(name);
                if scope.process.is_some_and(of_process)
                    && let Some(d) = self.diagnostics.get_mut(before)
                {
                    let way = if label.kind == LabelKind::Input { "?" } else { "recv " };
                    let p = declared.map(|p| p.name.clone()).filter(|p| p != name);
                    let p = p.unwrap_or_else(|| format!("{name}_in"));
                    let written = match label.args.len() {
                        1 => format!("{way}{}({p}) ", label.name.name),
                        _ => String::new(),
                    };
                    d.help = Some(format!(
                        "choose another name for the received value; to compare it, write `{written}[{p} == {name}]`"
                    ));
                    self.stand_in(scope, &p, *span, sort, i);
                }
                Argument::Bound
            }
            ArgDecl::Term(e) if binds => {
                if !matches!(e.kind, ExprKind::Error) {
                    let input = label.kind == LabelKind::Input;
                    let (what, way) = if input { ("an input", "?") } else { ("a receive", "recv ") };
                    let (gate, p) = (&label.name.name, &param.name);
                    let message = format!("{what} names the values that it receives");
                    self.report(
                        Diagnostic::new(Code::InputBinder, e.span, message)
                            .label("expected a name or `_`")
                            .help(format!("compare it in the guard: `{way}{gate}({p}) [{p} == …]`")),
                    );
                    self.stand_in(scope, p, e.span, sort, i);
                }
                Argument::Wrong
            }
            ArgDecl::Term(e) => Argument::Term(e),
        }
    }

    /// The values that `tau any` chooses, as parameters after the others; whether their types are right.
    fn choices_of_step(&mut self, step: &'a StepDecl, scope: &mut Scope<'_>, params: &mut Vec<SwitchParam>) -> bool {
        let mut good = true;
        let not_yet = self.not_yet.len();
        self.not_yet.extend(step.label.choices.iter().map(|c| c.name.name.as_str()));
        for (i, choice) in step.label.choices.iter().enumerate() {
            if let Some(tolerance) = &choice.tolerance {
                let d = Diagnostic::new(Code::BadTolerance, tolerance.span, "a tolerance is not allowed here");
                self.report(d.help(TOLERANCE));
            }
            let sort = self.resolve_type(&choice.ty);
            let typed = self.typed_param(i, sort);
            self.bind(scope, &choice.name, typed);
            good &= sort.is_some();
            let sort = sort.unwrap_or(self.sorts.bool);
            params.push(SwitchParam { name: choice.name.name.clone(), sort, term: None, tolerance: None });
        }
        self.not_yet.truncate(not_yet);
        good
    }

    /// Lowers the terms of arguments; whether they are right.
    fn terms_of_arguments(
        &mut self,
        terms: Vec<(usize, &'a Expr)>,
        labelled: &Labelled<'_>,
        scope: &mut Scope<'_>,
        params: &mut [SwitchParam],
    ) -> bool {
        let mut good = true;
        for (i, e) in terms {
            let sort = labelled.param(i).and_then(|p| p.sort);
            let typed = self.expr(e, sort, scope);
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
        good
    }

    /// The guard of a step.
    fn guard_of_step(&mut self, step: &'a StepDecl, index: usize, scope: &mut Scope<'_>) -> Guard {
        match &step.guard {
            GuardDecl::None => Guard { term: Some(self.terms.bool(&self.sorts, true)), span: None, is_else: false },
            GuardDecl::Else(span) => {
                if matches!(step.label.kind, LabelKind::Send | LabelKind::Recv) || index > 0 {
                    self.report(
                        Diagnostic::new(Code::BadElse, *span, "`else` has no meaning here")
                            .help("use it on an input, an output or `tau`, as the first step of a switch"),
                    );
                }
                Guard { term: Some(self.terms.bool(&self.sorts, true)), span: Some(*span), is_else: true }
            }
            GuardDecl::Expr(e) => {
                let typed = self.expr(e, Some(self.sorts.bool), scope);
                if let Some(t) = typed
                    && t.sort != self.sorts.bool
                {
                    let found = a(&self.sorts.name(t.sort));
                    self.report(
                        Diagnostic::new(
                            Code::GuardNotBool,
                            e.span,
                            format!("a guard is a `Bool`, but this is {found}"),
                        )
                        .label("neither true nor false")
                        .help("compare it with a value, as in `[x > 0]`"),
                    );
                }
                let term = typed.filter(|t| t.sort == self.sorts.bool).map(|t| t.term);
                Guard { term, span: Some(e.span), is_else: false }
            }
        }
    }

    /// The assignments of a step.
    fn assignments(&mut self, step: &'a StepDecl, process: &ProcessScope, scope: &mut Scope<'_>) -> Assignments {
        let (mut good, mut update, mut spans) = (true, Vec::new(), Vec::new());
        let mut seen: FxHashMap<&str, &'a AssignDecl> = FxHashMap::default();
        for a in &step.update {
            let name = a.target.name.as_str();
            let var = process.vars.get(name).copied();
            let first = match seen.get(name) {
                Some(first) if !name.is_empty() => Some(*first),
                _ => None,
            };
            // Parts of one variable are changed together, and were where the first one stands.
            if let Some(first) = first.filter(|first| a.path.is_empty() || first.path.is_empty()) {
                let whole = a.path.is_empty() && first.path.is_empty();
                let what = if whole {
                    format!("`{name}` is assigned twice")
                } else {
                    format!("`{name}` and a part of it are assigned")
                };
                self.report(
                    Diagnostic::new(Code::AssignedTwice, place(a), what)
                        .label("assigned again here")
                        .also(place(first), "first assigned here")
                        .help("all right-hand sides are evaluated first, so the order of assignments does not matter"),
                );
                good = false;
            } else if first.is_some() {
                continue;
            }
            seen.insert(name, a);
            if var.is_none() && !name.is_empty() {
                self.not_assignable(&a.target, scope, process);
                good = false;
            }
            scope.assigning = var;
            let sort = var.and_then(|v| process.var_sorts[v]);
            let parts: Vec<&'a AssignDecl> =
                step.update.iter().filter(|b| b.target.name == name && !b.path.is_empty()).collect();
            let (typed, last) = if a.path.is_empty() {
                (self.expr(&a.value, sort, scope), a)
            } else {
                let whole = match (var, sort) {
                    (Some(var), Some(sort)) => {
                        let base = self.sorts.base(sort);
                        Some(Typed { term: self.terms.var(id::<VarId>(var), base), sort })
                    }
                    _ => None,
                };
                let written: Vec<Written<'a>> =
                    parts.iter().map(|b| Written { path: &b.path, value: &b.value, place: place(b) }).collect();
                (self.changed(whole, &written, scope), parts.last().copied().unwrap_or(a))
            };
            scope.assigning = None;
            let term = match (typed, sort) {
                (Some(t), Some(sort)) => self.coerce_expr(t, sort, &a.value, &format!("the new value of `{name}`")),
                _ => None,
            };
            good &= term.is_some();
            if let (Some(var), Some(term)) = (var, term) {
                update.push((var, term));
                spans.push(a.target.span.to(last.value.span));
            }
        }
        (good.then_some(update), spans)
    }

    /// Takes the names that a step binds on to the next one.
    fn carry_on(&mut self, mut scope: Scope<'_>, inherited: usize, index: usize, carried: &mut Vec<Carried>) {
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
    }

    /// Reports an assignment to something that is not a variable.
    pub(in crate::check) fn not_assignable(&mut self, target: &Ident, scope: &Scope<'_>, process: &ProcessScope) {
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
                .help("it is fixed for the instance; copy it to a variable: `var x: … = …`")
        } else if let Some(c) = self.globals.consts.get(name) {
            d(message("a constant"))
                .also(c.decl.name.span, "declared here")
                .help("a constant never changes; declare a variable with `var` in the process")
        } else {
            let near = self.near(name, process.vars.keys().map(String::as_str));
            let d = d(format!("there is no variable `{name}` to assign"));
            suggest_or(d, target, near, || format!("declare it in the process: `var {name}: … = …`"))
        };
        self.report(d);
    }

    /// The label, the parameters that its gate or channel declares, and whether it is used in the wrong direction.
    pub(in crate::check) fn label(
        &mut self,
        label: &'a LabelDecl,
    ) -> Option<(Label, Option<Vec<ResolvedParam>>, bool)> {
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
                            .help("directions are seen from the system under test: it receives `?` and sends `!`")
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
}

/// The place that is assigned.
fn place(a: &AssignDecl) -> Span {
    a.path.last().map_or(a.target.span, |step| a.target.span.to(step.span()))
}

/// Whether this can only be meant as a guard.
pub(in crate::check) fn is_condition(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Chain(_, rest) => rest.first().is_some_and(|(op, _, _)| op.level() <= BinOp::Eq.level()),
        ExprKind::Not(_) | ExprKind::Is(..) | ExprKind::Bool(_) => true,
        ExprKind::Paren(inner) => is_condition(inner),
        _ => false,
    }
}

/// The names that the labels of a process bind.
pub(in crate::check) fn switch_params(decl: &ProcessDecl) -> Vec<(&str, Span)> {
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

pub(in crate::check) fn arg_span(arg: &ArgDecl) -> Span {
    match arg {
        ArgDecl::Any(name) => name.span,
        ArgDecl::Ignored(span) => *span,
        ArgDecl::Term(e) => e.span,
    }
}
