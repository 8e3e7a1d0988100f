//! Systems: instances of processes, and the [`Model`] they make together.

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::model::{Channel, Direction, Gate, Label, Location, Param, Process, Switch, SwitchParam, Variable};
use sioco_model::term::Term;
use sioco_model::{Id, IdVec, Model, SortId, TermId, Value};

use super::expr::Scope;
use super::globals::{ResolvedParam, id, suggest_or};
use super::process::{Template, TemplateInitial};
use super::purpose::Lowered;
use super::{CheckOptions, CheckedModel, Checker, Spans, SwitchSpans, listed};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::source::{FileId, Span};
use crate::syntax::ast::*;

/// A system that is to be made.
pub(super) struct Planned {
    name: String,
    pub(super) instances: Vec<Instance>,
    /// Whether it is the one that is asked for.
    chosen: bool,
}

/// What a system consists of.
pub(super) struct Instance {
    pub(super) name: String,
    pub(super) template: usize,
    args: Vec<Value>,
    span: Span,
}

impl<'a> Checker<'a> {
    /// Makes every system, for its diagnostics, and gives the model of the one that is asked for.
    pub(super) fn systems(
        &mut self,
        planned: &[Planned],
        templates: &[Template<'a>],
        purposes: Vec<Vec<Lowered>>,
    ) -> Option<CheckedModel> {
        let mut model = None;
        let mut parts = 0;
        for (i, (system, purposes)) in planned.iter().zip(purposes).enumerate() {
            if let Some(too_many) = too_many_parts(system, templates, &mut parts) {
                let all = "variables, locations and switches";
                let note =
                    format!("its instances, with those of the systems before it, have more than {MAX_PARTS} {all}");
                self.grows(system, too_many, note);
                return None;
            }
            let built = self.model(system, templates, purposes, i + 1 == planned.len());
            if system.chosen {
                model = built;
            }
        }
        model
    }

    fn grows(&mut self, system: &Planned, instance: Span, note: String) {
        let message = format!("the system `{}` grows too large", system.name);
        let d = Diagnostic::new(Code::TooLargeTerm, instance, message).note(note);
        self.report(d.help("use fewer instances, or simpler processes"));
    }

    /// The systems that the files declare, or mean, and the names that can be chosen from.
    pub(super) fn plan(
        &mut self,
        files: &[(FileId, File)],
        templates: &[Template<'a>],
        options: &CheckOptions,
    ) -> (Vec<Planned>, Vec<String>) {
        let root = files.first().map(|(file, _)| *file);
        let declared: Vec<(FileId, &'a SystemDecl)> = self.globals.systems.clone();
        // Systems of imported files count only where the first file has none of its own.
        let own: Vec<&'a SystemDecl> = declared.iter().filter(|(f, _)| Some(*f) == root).map(|(_, s)| *s).collect();
        let systems: Vec<&'a SystemDecl> =
            if own.is_empty() { declared.iter().map(|(_, s)| *s).collect() } else { own };
        let names: Vec<String> = systems.iter().map(|s| s.name.name.clone()).collect();
        if let Some(wanted) = &options.system
            && !names.contains(wanted)
        {
            let d = Diagnostic::global(Code::WhichSystem, format!("there is no system `{wanted}`"));
            let help = match self.near(wanted, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "the model declares no systems".into(),
                None => format!("the systems are: {}", listed(&names, ", ")),
            };
            self.report(d.help(help));
        }
        if systems.is_empty() {
            let implied = self.implied_system(root, templates).map(|instances| {
                let name = templates[instances[0].template].decl.name.name.clone();
                Planned { name, instances, chosen: true }
            });
            return (implied.into_iter().collect(), names);
        }
        let mut planned = Vec::new();
        for system in &systems {
            let Some(instances) = self.instances(system, templates) else { continue };
            let chosen = match &options.system {
                Some(wanted) => *wanted == system.name.name,
                None => systems.len() == 1,
            };
            planned.push(Planned { name: system.name.name.clone(), instances, chosen });
        }
        (planned, names)
    }

    /// Without a `system`, the one process is meant.
    fn implied_system(&mut self, root: Option<FileId>, templates: &[Template<'a>]) -> Option<Vec<Instance>> {
        let own: Vec<usize> = (0..templates.len()).filter(|i| Some(templates[*i].file) == root).collect();
        let candidates = if own.is_empty() { (0..templates.len()).collect() } else { own };
        let [only] = candidates[..] else {
            if let [first, second, ..] = candidates[..] {
                let all: Vec<&str> = candidates.iter().map(|i| templates[*i].decl.name.name.as_str()).collect();
                self.report(
                    Diagnostic::new(
                        Code::WhichSystem,
                        templates[second].decl.name.span,
                        "there are several processes, but no `system` says which of them run",
                    )
                    .also(templates[first].decl.name.span, "another process")
                    .help(format!("declare what runs, such as `system S = {}`", listed(&all, " || "))),
                );
            }
            return None;
        };
        let decl = templates[only].decl;
        if !decl.params.is_empty() {
            self.report(
                Diagnostic::new(
                    Code::WhichSystem,
                    decl.name.span,
                    format!("`{}` has parameters, but no `system` gives them values", decl.name.name),
                )
                .help(format!("give them: `system S = {}(…)`", decl.name.name)),
            );
            return None;
        }
        Some(vec![Instance { name: decl.name.name.clone(), template: only, args: Vec::new(), span: decl.name.span }])
    }

    fn instances(&mut self, system: &'a SystemDecl, templates: &[Template<'a>]) -> Option<Vec<Instance>> {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for i in &system.instances {
            *counts.entry(&i.process.name).or_default() += usize::from(i.name.is_none());
        }
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let mut taken: FxHashMap<String, Span> = FxHashMap::default();
        let mut all = Vec::new();
        let mut good = true;
        for i in &system.instances {
            let Some(&template) = self.globals.process_names.get(i.process.name.as_str()) else {
                good = false;
                if i.process.name.is_empty() {
                    continue;
                }
                let near = self.near(&i.process.name, self.globals.process_names.keys().copied());
                let message = format!("there is no process `{}`", i.process.name);
                let d = Diagnostic::new(Code::UnknownProcess, i.process.span, message);
                let is_system = self.globals.systems.iter().any(|(_, s)| s.name.name == i.process.name);
                self.report(suggest_or(d, &i.process, near, || {
                    if is_system {
                        "a system is made of processes, not of other systems".into()
                    } else {
                        format!("declare it: `process {} {{ … }}`", i.process.name)
                    }
                }));
                continue;
            };
            let t = &templates[template];
            if t.params.len() != i.args.len() {
                let what = format!("`{}`", i.process.name);
                self.arity(&what, t.params.len(), i.args.len(), i.span, Some(t.decl.name.span));
                good = false;
            }
            let mut args = Vec::new();
            for (p, arg) in t.params.iter().zip(&i.args) {
                let mut scope = Scope::default();
                let typed = self.expr(arg, p.sort, &mut scope);
                let term = typed.zip(p.sort).and_then(|(t, sort)| {
                    self.coerce(t, sort, arg.span, &format!("the process parameter `{}`", p.name))
                });
                match term.and_then(|t| self.evaluate(t, arg.span)) {
                    Some(value) => args.push(value),
                    None => good = false,
                }
            }
            let name = match &i.name {
                Some(name) => name.name.clone(),
                None if counts[i.process.name.as_str()] > 1 => {
                    let n = numbers.entry(&i.process.name).or_insert(0);
                    *n += 1;
                    format!("{}#{n}", i.process.name)
                }
                None => i.process.name.clone(),
            };
            let span = i.name.as_ref().map_or(i.process.span, |n| n.span);
            if let Some(first) = taken.insert(name.clone(), span) {
                self.duplicate("instance", &Ident { name: name.clone(), span }, first);
                good = false;
            }
            all.push(Instance { name, template, args, span: i.span });
        }
        good.then_some(all)
    }

    /// The model of some instances.
    fn model(
        &mut self,
        planned: &Planned,
        templates: &[Template<'a>],
        purposes: Vec<Lowered>,
        last: bool,
    ) -> Option<CheckedModel> {
        let instances = &planned.instances[..];
        // A switch that is not there because it is wrong may be the partner.
        if !instances.iter().any(|i| templates[i.template].incomplete) {
            self.partners(instances, templates);
        }
        if has_errors(&self.diagnostics) {
            // Initial values can still be wrong, and are worth a report.
            for instance in instances {
                self.initial_values(instance, &templates[instance.template]);
            }
            return None;
        }
        if !planned.chosen {
            instances.iter().for_each(|i| drop(self.initial_values(i, &templates[i.template])));
            return None;
        }
        let gates = self.globals.gates.iter().map(|g| Gate {
            name: g.decl.name.name.clone(),
            direction: if g.decl.input { Direction::Input } else { Direction::Output },
            params: params(&g.params, self.sorts.bool),
        });
        let channels = self.globals.channels.iter();
        let channels =
            channels.map(|c| Channel { name: c.decl.name.name.clone(), params: params(&c.params, self.sorts.bool) });
        let mut model = Model {
            name: planned.name.clone(),
            sorts: self.sorts.clone(),
            gates: gates.collect(),
            channels: channels.collect(),
            terms: std::mem::take(&mut self.terms),
            processes: IdVec::new(),
            variables: IdVec::new(),
            locations: IdVec::new(),
            switches: IdVec::new(),
            purposes: IdVec::new(),
            written: Default::default(),
        };
        let mut spans = Spans {
            gates: self.globals.gates.iter().map(|g| g.decl.name.span).collect(),
            channels: self.globals.channels.iter().map(|c| c.decl.name.span).collect(),
            ..Spans::default()
        };
        let several = instances.len() > 1;
        for instance in instances {
            let template = &templates[instance.template];
            self.terms = std::mem::take(&mut model.terms);
            let initial = self.initial_values(instance, template);
            model.terms = std::mem::take(&mut self.terms);
            instantiate(&mut model, &mut spans, instance, template, initial, several);
            if model.terms.len() > MAX_TERMS {
                let note =
                    format!("its instances, up to this one, have conditions and values of more than {MAX_TERMS} parts");
                self.grows(planned, instance.span, note);
                return None;
            }
        }
        for (purpose, span) in purposes {
            model.purposes.push(purpose);
            spans.purposes.push(span);
        }
        if !last {
            // The other systems of the file go on with the same terms.
            self.terms = model.terms.clone();
        }
        debug_assert_eq!(sioco_model::verify::verify(&model), Vec::<String>::new());
        Some(CheckedModel { model, spans })
    }

    /// The values at the start; `None` for free ones and for those that are wrong, which is reported.
    fn initial_values(&mut self, instance: &Instance, template: &Template<'a>) -> Vec<Option<Value>> {
        let mut values = Vec::new();
        for v in &template.vars {
            values.push(match v.initial {
                TemplateInitial::Free => None,
                TemplateInitial::Default => Some(self.sorts.default_value(v.sort)),
                TemplateInitial::Term(term, span) => {
                    let args = &instance.args;
                    if args.len() != template.params.len() {
                        continue;
                    }
                    let term = self.terms.replace(term, &mut |pool, leaf| match leaf {
                        Term::ProcessParam(i, sort) => Some(pool.constant(args[*i as usize].clone(), *sort)),
                        _ => None,
                    });
                    self.evaluate(term, span)
                }
            });
        }
        values
    }

    /// Every send needs a receive in another instance, and the other way round.
    fn partners(&mut self, instances: &[Instance], templates: &[Template<'a>]) {
        let mut users: FxHashMap<Label, Vec<usize>> = FxHashMap::default();
        for (i, instance) in instances.iter().enumerate() {
            let mut seen = FxHashSet::default();
            for s in &templates[instance.template].switches {
                if matches!(s.label, Label::Send(_) | Label::Receive(_)) && seen.insert(s.label) {
                    users.entry(s.label).or_default().push(i);
                }
            }
        }
        let mut reported = FxHashSet::default();
        for (i, instance) in instances.iter().enumerate() {
            for s in &templates[instance.template].switches {
                let (channel, partner, does, lacks) = match s.label {
                    Label::Send(c) => (c, Label::Receive(c), "sends", "receives"),
                    Label::Receive(c) => (c, Label::Send(c), "receives", "sends"),
                    _ => continue,
                };
                let found = users.get(&partner).is_some_and(|all| all.iter().any(|j| *j != i));
                if found || !reported.insert(s.label) {
                    continue;
                }
                let name = &self.globals.channels[channel.index()].decl.name;
                let message =
                    format!("`{}` {does} on `{}`, but no other process {lacks} on it", instance.name, name.name);
                let d = Diagnostic::new(Code::NoPartner, s.spans.label, message)
                    .label("can never happen")
                    .also(name.span, "the channel")
                    .also(instance.span, "the instance");
                self.report(d.help("a handshake needs a send and a receive in two different processes of the system"));
            }
        }
    }
}

/// The terms of a system may have at most this many parts. It is twice what a [file](super::expr) may have, as several
/// instances of a process share nothing.
const MAX_TERMS: usize = 2_000_000;

/// The systems of a file may have at most this many variables, locations and switches together: a few instances of
/// large processes are soon more than memory takes. The largest model of the benchmarks has a tenth of it.
const MAX_PARTS: usize = 1_000_000;

/// The instance with which there are too many parts, if there is one; `parts` are those of the systems before.
fn too_many_parts(system: &Planned, templates: &[Template<'_>], parts: &mut usize) -> Option<Span> {
    let instance = system.instances.iter().find(|instance| {
        let t = &templates[instance.template];
        *parts += 1 + t.vars.len() + t.locations.len() + t.switches.len();
        *parts > MAX_PARTS
    });
    instance.map(|instance| instance.span)
}

fn params(resolved: &[ResolvedParam], fallback: SortId) -> Vec<Param> {
    resolved
        .iter()
        .map(|p| Param { name: p.name.clone(), sort: p.sort.unwrap_or(fallback), tolerance: p.tolerance.clone() })
        .collect()
}

/// Adds an instance to the model.
fn instantiate(
    model: &mut Model,
    spans: &mut Spans,
    instance: &Instance,
    template: &Template<'_>,
    initial: Vec<Option<Value>>,
    several: bool,
) {
    let process = model.processes.next_id();
    let (first_var, first_location) = (model.variables.len(), model.locations.len());
    let mut variables = Vec::new();
    for (v, initial) in template.vars.iter().zip(initial) {
        let variable = Variable { name: v.name.clone(), process, sort: v.sort, initial, hidden: v.hidden };
        variables.push(model.variables.push(variable));
        spans.variables.push(v.span);
    }
    let mut locations = Vec::new();
    for l in &template.locations {
        locations.push(model.locations.push(Location {
            name: l.name.clone(),
            process,
            is_final: l.is_final,
            hidden: l.hidden,
            outgoing: Vec::new(),
        }));
        spans.locations.push(l.span);
    }
    // Most terms are shared between switches: each is moved once.
    let mut moved: FxHashMap<TermId, TermId> = FxHashMap::default();
    let as_it_is = first_var == 0 && instance.args.is_empty();
    let mut place = |terms: &mut sioco_model::term::TermPool, term: TermId| {
        if as_it_is {
            return term;
        }
        *moved.entry(term).or_insert_with(|| {
            terms.replace(term, &mut |pool, leaf| match leaf {
                Term::Var(v, sort) => Some(pool.var(id(first_var + v.index()), *sort)),
                Term::ProcessParam(i, sort) => Some(pool.constant(instance.args[*i as usize].clone(), *sort)),
                _ => None,
            })
        })
    };
    let mut switches = Vec::new();
    for s in &template.switches {
        let params =
            s.params.iter().map(|p| SwitchParam { term: p.term.map(|t| place(&mut model.terms, t)), ..p.clone() });
        let switch = Switch {
            name: if several { format!("{}.{}", instance.name, s.name) } else { s.name.clone() },
            named: s.named,
            tags: s.tags.clone(),
            process,
            source: id(first_location + s.source),
            label: s.label,
            params: params.collect(),
            guard: place(&mut model.terms, s.guard),
            is_else: s.is_else,
            update: s.update.iter().map(|(v, t)| (id(first_var + v), place(&mut model.terms, *t))).collect(),
            target: id(first_location + s.target),
        };
        let source = switch.source;
        let switch = model.switches.push(switch);
        model.locations[source].outgoing.push(switch);
        switches.push(switch);
        spans.switches.push(SwitchSpans { ..s.spans.clone() });
    }
    let args =
        template.params.iter().zip(&instance.args).filter_map(|(p, v)| Some((p.name.clone(), p.sort?, v.clone())));
    let added = model.processes.push(Process {
        name: instance.name.clone(),
        template: template.decl.name.name.clone(),
        args: args.collect(),
        initial: id(first_location + template.initial.expect("a process without initial location is an error")),
        locations,
        variables,
        switches,
    });
    debug_assert_eq!(added, process);
}
