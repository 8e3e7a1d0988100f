//! Switches: their names, their answers, and what is carried from an input to its answers.

use rustc_hash::FxHashMap;
use sioco_model::term::{Term, TermPool};
use sioco_model::{SortId, TermId, VarId};

use super::{Step, Template, TemplateInitial, TemplateLocation, TemplateSwitch, TemplateVar};
use crate::check::Checker;
use crate::check::expr::UNREAD;
use crate::check::globals::{id, suggest_or};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    pub(in crate::check) fn switch(
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
                        .help("after `;` comes the immediate answer of the system"),
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

    pub(in crate::check) fn unknown_location(
        &mut self,
        target: &Ident,
        decl: &ProcessDecl,
        locations: &FxHashMap<&'a str, usize>,
    ) {
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
    pub(in crate::check) fn carry(&mut self, carried: &[Carried], steps: &mut [Step], template: &mut Template<'a>) {
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
    pub(in crate::check) fn switch_name(&mut self, s: &SwitchDecl, location: &str, names: &mut Names) -> String {
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
}

/// Parameters from here on stand for what is carried over from earlier steps of the switch: far beyond the number of
/// parameters that a gate may have.
pub(in crate::check) const CARRIED: u32 = 1 << 20;

/// A parameter of an earlier step that an answer may use.
pub(in crate::check) struct Carried {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) sort: SortId,
    /// Whether its type is right.
    pub(super) known: bool,
    pub(super) step: usize,
    pub(super) param: u32,
    /// Its own step reads it.
    pub(super) read: bool,
    /// An answer reads it.
    pub(super) read_later: bool,
}

/// The names of the switches of a process.
#[derive(Default)]
pub(in crate::check) struct Names {
    given: FxHashMap<String, Span>,
    taken: FxHashMap<String, usize>,
}

impl Names {
    /// The name itself, or with `#2`, `#3` where it is taken.
    pub(in crate::check) fn fresh(&mut self, base: String) -> String {
        let count = self.taken.entry(base.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { base } else { format!("{base}#{count}") }
    }
}
