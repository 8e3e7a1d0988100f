//! What a purpose can name: the variables, locations and switches of a system.

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Hints, Why};
use crate::check::expr::{ProcessScope, Scope, Typed};
use crate::check::globals::{id, suggest_or};
use crate::check::process::Template;
use crate::check::system::Planned;
use crate::check::{Checker, listed};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

/// A system, as a purpose sees it.
#[derive(Default)]
pub(super) struct World {
    /// The variables of all instances, numbered as in the model. Those whose name is unique can be used without the
    /// process.
    pub(super) scope: ProcessScope,
    /// The locations that were written.
    pub(super) locations: Vec<Named>,
    pub(super) switches: Vec<Named>,
    /// Where the instances start.
    pub(super) initial: FxHashSet<usize>,
    /// The names of variables that several instances have, with all ways to say which.
    pub(super) ambiguous: FxHashMap<String, Vec<String>>,
    /// Something is missing because it was not understood.
    pub(super) silent: bool,
    /// Switches are missing because something is wrong with them.
    incomplete: bool,
}

/// A location or switch of an instance.
pub(super) struct Named {
    instance: String,
    process: String,
    pub(super) name: String,
    pub(super) id: usize,
}

impl Named {
    /// How to write it where its name alone does not say which.
    fn written(&self) -> String {
        written(&self.instance, &self.process, &self.name)
    }
}

/// Instances without a name of their own cannot be told apart.
fn written(instance: &str, process: &str, name: &str) -> String {
    format!("{}.{name}", if instance.contains('#') { process } else { instance })
}

impl World {
    /// That of a file without a system to look at.
    pub(super) fn unknown() -> World {
        World { silent: true, incomplete: true, ..World::default() }
    }
}

impl<'a> Checker<'a> {
    pub(super) fn world(&self, planned: &Planned, templates: &[Template<'a>]) -> World {
        let mut world = World::default();
        let mut vars: Vec<(String, String, String, usize)> = Vec::new();
        let (mut locations, mut switches) = (0, 0);
        for instance in &planned.instances {
            let t = &templates[instance.template];
            let (own, process) = (&instance.name, &t.decl.name.name);
            world.silent |= self.is_broken(t.decl);
            world.incomplete |= t.incomplete;
            for (i, v) in t.vars.iter().enumerate() {
                let scope = &mut world.scope;
                if !v.hidden {
                    vars.push((own.clone(), process.clone(), v.name.clone(), scope.var_sorts.len()));
                }
                scope.var_sorts.push(t.scope.var_sorts.get(i).copied().flatten());
                scope.var_spans.push(t.scope.var_spans.get(i).copied().unwrap_or(v.span));
                scope.var_used.push(Cell::new(false));
            }
            let named = |name: &str, id: usize| Named {
                instance: own.clone(),
                process: process.clone(),
                name: name.to_owned(),
                id,
            };
            let written = t.locations.iter().enumerate().filter(|(_, l)| !l.hidden && !l.name.is_empty());
            world.locations.extend(written.map(|(i, l)| named(&l.name, locations + i)));
            world.initial.extend(t.initial.map(|l| locations + l));
            world.switches.extend(t.switches.iter().enumerate().map(|(i, s)| named(&s.name, switches + i)));
            locations += t.locations.len();
            switches += t.switches.len();
        }
        let mut named: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, (own, process, name, index)) in vars.iter().enumerate() {
            named.entry(name).or_default().push(i);
            let owned = &mut world.scope.owned;
            if own != process {
                // The process itself will do for its only instance.
                let of_process = owned.entry(process.clone()).or_default();
                of_process.entry(name.clone()).and_modify(|i| *i = None).or_insert(Some(*index));
            }
        }
        for (own, _, name, index) in &vars {
            world.scope.owned.entry(own.clone()).or_default().insert(name.clone(), Some(*index));
        }
        for (name, all) in named {
            if let [only] = all[..] {
                world.scope.vars.insert(name.to_owned(), vars[only].3);
                continue;
            }
            let mut ways: Vec<String> = all.iter().map(|i| written(&vars[*i].0, &vars[*i].1, name)).collect();
            ways.dedup();
            world.ambiguous.insert(name.to_owned(), ways);
        }
        world
    }

    /// The locations that are meant.
    pub(super) fn location(&mut self, path: &PathDecl, world: &World) -> Option<Vec<usize>> {
        self.named(path, &world.locations, "location", Code::UnknownLocation, world.silent)
    }

    /// The switches that are meant.
    pub(super) fn take(&mut self, path: &PathDecl, world: &World) -> Option<Vec<usize>> {
        self.named(path, &world.switches, "switch", Code::UnknownSwitch, world.silent || world.incomplete)
    }

    fn named(&mut self, path: &PathDecl, all: &[Named], what: &str, code: Code, silent: bool) -> Option<Vec<usize>> {
        let name = path.name.name.as_str();
        if name.is_empty() {
            return None;
        }
        let Some(owner) = &path.owner else {
            let full = |n: &Named| name.strip_prefix(&n.instance).and_then(|n| n.strip_prefix('.')) == Some(&n.name);
            let found: Vec<&Named> = match all.iter().find(|n| full(n)) {
                Some(exact) => vec![exact],
                None => all.iter().filter(|n| n.name == name).collect(),
            };
            match &found[..] {
                [only] => return Some(vec![only.id]),
                [] if silent => {}
                [] => {
                    let near = self.near(name, all.iter().map(|n| n.name.as_str()));
                    let d = Diagnostic::new(code, path.name.span, format!("there is no {what} `{name}`"));
                    let plural = if what == "switch" { "switches" } else { "locations" };
                    let mut names: Vec<&str> = all.iter().map(|n| n.name.as_str()).collect();
                    names.dedup();
                    self.report(suggest_or(d, &path.name, near, || {
                        format!("the {plural} are: {}", listed(&names, ", "))
                    }));
                }
                several => {
                    let mut ways: Vec<String> = several.iter().map(|n| n.written()).collect();
                    ways.dedup();
                    let message = format!("several processes have a {what} `{name}`");
                    let d = Diagnostic::new(Code::Ambiguous, path.span, message);
                    self.report(d.help(say_which(&ways)));
                }
            }
            return None;
        };
        let own: Vec<&Named> = match all.iter().any(|n| n.instance == owner.name) {
            true => all.iter().filter(|n| n.instance == owner.name).collect(),
            false => all.iter().filter(|n| n.process == owner.name).collect(),
        };
        if own.is_empty() {
            self.unknown_owner(owner, all.iter().map(|n| n.instance.as_str()), silent);
            return None;
        }
        let found: Vec<usize> = own.iter().filter(|n| n.name == name).map(|n| n.id).collect();
        if found.is_empty() && !silent {
            let near = self.near(name, own.iter().map(|n| n.name.as_str()));
            let d = Diagnostic::new(code, path.name.span, format!("`{}` has no {what} `{name}`", owner.name));
            self.report(suggest_or(d, &path.name, near, || {
                let mut names: Vec<&str> = own.iter().map(|n| n.name.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                format!("it has: {}", listed(&names, ", "))
            }));
        }
        (!found.is_empty()).then_some(found)
    }

    fn unknown_owner<'n>(&mut self, owner: &Ident, known: impl Iterator<Item = &'n str>, silent: bool) {
        if owner.name.is_empty() || silent {
            return;
        }
        let declared = self.globals.process_names.contains_key(owner.name.as_str());
        let near = if declared { None } else { self.near(&owner.name, known) };
        let message = format!("no process of the system is called `{}`", owner.name);
        let d = Diagnostic::new(Code::UnknownProcess, owner.span, message);
        self.report(suggest_or(d, owner, near, || {
            if declared {
                "a purpose can name only processes that the system runs".into()
            } else {
                "write a process of the system before the `.`".into()
            }
        }));
    }

    /// `Process.x` in a condition of a purpose; `None` if this is something else.
    pub(in crate::check) fn owned_variable(
        &mut self,
        base: &Expr,
        field: &Ident,
        scope: &Scope<'_>,
    ) -> Option<Option<Typed>> {
        let (ExprKind::Name(owner), Some(process)) = (&base.kind, scope.process) else { return None };
        let known = scope.locals.iter().any(|l| l.name == *owner)
            || process.vars.contains_key(owner)
            || self.global_value(owner).is_some();
        let vars = process.owned.get(owner).filter(|_| !known)?;
        if let Some(Some(i)) = vars.get(&field.name) {
            process.var_used[*i].set(true);
            return Some(process.var_sorts[*i].map(|sort| {
                let base = self.sorts.base(sort);
                Typed { term: self.terms.var(id(*i), base), sort }
            }));
        }
        if field.name.is_empty() || self.hints.as_ref().is_some_and(|h| h.silent) {
            return Some(None);
        }
        let span = base.span.to(field.span);
        let d = if vars.contains_key(&field.name) {
            let message = format!("several instances of `{owner}` have a variable `{}`", field.name);
            let d = Diagnostic::new(Code::Ambiguous, span, message);
            d.help(name_instances(owner, &field.name))
        } else {
            let near = self.near(&field.name, vars.keys().map(String::as_str));
            let d =
                Diagnostic::new(Code::UnknownName, field.span, format!("`{owner}` has no variable `{}`", field.name));
            suggest_or(d, field, near, || {
                let mut names: Vec<&str> = vars.keys().map(String::as_str).collect();
                names.sort_unstable();
                format!("its variables are: {}", listed(&names, ", "))
            })
        };
        self.report(d);
        Some(None)
    }

    /// What is wrong with a name in a condition of a purpose, if that is known: `Some(None)` is nothing to speak of.
    pub(in crate::check) fn purpose_name(&self, name: &str, span: Span) -> Option<Option<Diagnostic>> {
        let hints: &Hints = self.hints.as_ref()?;
        if hints.silent {
            return Some(None);
        }
        if let Some((bound, why)) = hints.unbound.get(name) {
            let (message, place, help) = match why {
                Why::Later => (
                    "has no value yet",
                    "gets its value here",
                    "a condition can use only values that \
                                                                           were bound before it",
                ),
                Why::Choice => (
                    "has no value on some ways to this place",
                    "gets its value only in this branch",
                    "bind it in every branch of the choice",
                ),
                Why::Repetition => (
                    "may have no value here",
                    "gets its value in a repetition that may not happen",
                    "repeat it at least once: `+` or `{1..}`",
                ),
                Why::Types => (
                    "has different types on the ways to this place",
                    "gets its value here, and elsewhere",
                    "choose different names",
                ),
                Why::Reject => (
                    "has no value in a `reject`",
                    "gets its value on the way",
                    "a `reject` holds from the start: it can use only the values of its own event, and variables",
                ),
            };
            let d = Diagnostic::new(Code::NotBound, span, format!("`{name}` {message}"));
            return Some(Some(d.also(*bound, place).help(help)));
        }
        let ways = hints.ambiguous.get(name)?;
        let d = Diagnostic::new(Code::Ambiguous, span, format!("several processes have a variable `{name}`"));
        Some(Some(match &ways[..] {
            // Instances without names of their own.
            [way] => d.help(name_instances(way.trim_end_matches(name).trim_end_matches('.'), name)),
            ways => d.help(say_which(ways)),
        }))
    }
}

fn name_instances(process: &str, variable: &str) -> String {
    format!("name the instances in the system: `system S = a: {process} || …`, and write `a.{variable}`")
}

fn say_which(ways: &[String]) -> String {
    let ways: Vec<String> = ways.iter().map(|w| format!("`{w}`")).collect();
    format!("say which: {}", listed(&ways, ", "))
}
