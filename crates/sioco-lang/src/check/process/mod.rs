//! Processes: each is lowered once, to a template over its parameters and variables.
//!
//! In a template, variables and locations are numbered from zero, hidden ones (of answered inputs) after the written
//! ones. Making an instance replaces parameters by values and shifts the numbers.

mod otherwise;
mod step;
mod switch;

use std::cell::Cell;

use rustc_hash::FxHashMap;
use sioco_model::model::{Label, SwitchParam};
use sioco_model::{SortId, TermId};

use step::switch_params;
use switch::Names;

use crate::check::expr::{ProcessScope, Scope};
use crate::check::globals::ResolvedParam;
use crate::check::{Checker, SwitchSpans};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::syntax::ast::*;

/// A process, lowered.
pub(in crate::check) struct Template<'a> {
    pub(in crate::check) decl: &'a ProcessDecl,
    pub(in crate::check) file: FileId,
    pub(in crate::check) params: Vec<ResolvedParam>,
    pub(in crate::check) vars: Vec<TemplateVar>,
    pub(in crate::check) locations: Vec<TemplateLocation>,
    pub(in crate::check) initial: Option<usize>,
    pub(in crate::check) switches: Vec<TemplateSwitch>,
    pub(in crate::check) scope: ProcessScope,
    /// A part of it was not understood, and is missing here.
    pub(in crate::check) incomplete: bool,
}

pub(in crate::check) struct TemplateVar {
    pub(in crate::check) name: String,
    pub(in crate::check) span: Span,
    pub(in crate::check) sort: SortId,
    pub(in crate::check) initial: TemplateInitial,
    pub(in crate::check) hidden: bool,
}

/// The initial value of a variable, as a term over the process parameters.
#[derive(Clone, Copy)]
pub(in crate::check) enum TemplateInitial {
    Free,
    Term(TermId, Span),
    Default,
}

pub(in crate::check) struct TemplateLocation {
    pub(in crate::check) name: String,
    pub(in crate::check) span: Span,
    pub(in crate::check) is_final: bool,
    pub(in crate::check) hidden: bool,
}

pub(in crate::check) struct TemplateSwitch {
    pub(in crate::check) name: String,
    pub(in crate::check) named: bool,
    pub(in crate::check) tags: Vec<String>,
    pub(in crate::check) source: usize,
    pub(in crate::check) label: Label,
    pub(in crate::check) params: Vec<SwitchParam>,
    pub(in crate::check) guard: TermId,
    pub(in crate::check) is_else: bool,
    /// An `else` without another switch that it could be the rest of.
    pub(in crate::check) lone_else: bool,
    /// The guard is always true or always false because of constants, which may be given other values.
    pub(in crate::check) by_constant: bool,
    pub(in crate::check) update: Vec<(usize, TermId)>,
    pub(in crate::check) target: usize,
    pub(in crate::check) spans: SwitchSpans,
}

/// A step of a switch, lowered but not yet placed.
pub(in crate::check) struct Step {
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
    pub(in crate::check) fn templates(&mut self) -> Vec<Template<'a>> {
        let processes = self.globals.processes.clone();
        processes.into_iter().map(|(file, decl)| self.template(file, decl)).collect()
    }

    pub(in crate::check) fn template(&mut self, file: FileId, decl: &'a ProcessDecl) -> Template<'a> {
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
    pub(in crate::check) fn is_broken(&self, decl: &ProcessDecl) -> bool {
        let start = decl.name.span;
        let next = self.globals.processes.iter().map(|(_, p)| p.name.span);
        let next = next.chain(self.globals.purposes.iter().map(|p| p.name.span));
        let next = next.filter(|s| s.file == start.file && s.start > start.start).map(|s| s.start).min();
        self.diagnostics.iter().filter(|d| d.code == Code::UnexpectedToken && d.fix.is_none()).any(|d| {
            let place = d.primary.as_ref().map(|p| p.span).filter(|s| s.file == start.file);
            place.is_some_and(|s| s.start >= start.start && next.is_none_or(|next| s.start < next))
        })
    }

    pub(in crate::check) fn not_a_constant(&mut self, name: &Ident) {
        if let Some((what, span)) = self.global_value(&name.name) {
            self.report(
                Diagnostic::new(Code::Shadowing, name.span, format!("`{}` is already the name of {what}", name.name))
                    .also(span, "declared here")
                    .help("choose another name"),
            );
        }
    }

    pub(in crate::check) fn variable(&mut self, v: &'a VarDecl, scope: &mut ProcessScope) -> Option<TemplateVar> {
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
                        .help("write `= …`, or `= any` if it may start with any value"),
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
}
