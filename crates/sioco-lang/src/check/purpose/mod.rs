//! Purposes: each is lowered for every system of the files, since a purpose speaks of the processes of a system.
//!
//! A purpose belongs to every system that has all the names it uses. If a purpose fits no system, it is reported for
//! the system that it fits best.
//!
//! The condition of an event can read the names that the event binds. So can everything after the event on the same
//! way. After a choice, a name can be read only if every way binds it. After a repetition that may happen zero times,
//! none of the names from inside it can be read. So a condition never reads an empty slot. A name has one slot, even
//! if several ways bind it.

mod event;
mod names;

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::purpose::{Pattern, Purpose, Slot};
use sioco_model::term::Term;
use sioco_model::{Id, LocationId};

use super::expr::{Local, Scope, UNREAD};
use super::globals::id;
use super::process::Template;
use super::system::Planned;
use super::{Checker, is_unknown};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::source::Span;
use crate::syntax::ast::*;

use names::World;

/// A purpose, lowered, with the place of its name.
pub(in crate::check) type Lowered = (Purpose, Span);

/// What a purpose knows about names that its conditions cannot use.
#[derive(Default)]
pub(in crate::check) struct Hints {
    /// Something was not understood: what is not known may be there.
    pub(in crate::check) silent: bool,
    /// Names that events bind, where, and why they cannot be used here.
    pub(in crate::check) unbound: FxHashMap<String, (Span, Why)>,
    /// Names of variables that several processes have, and how to say which.
    pub(in crate::check) ambiguous: FxHashMap<String, Vec<String>>,
}

/// Why a name cannot be used, although an event binds it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum Why {
    /// It is bound further on.
    Later,
    /// Other ways of a choice do not bind it.
    Choice,
    /// The repetition that binds it may not happen at all.
    Repetition,
    /// The ways of a choice bind it to values of different types.
    Types,
    /// This is a reject.
    Reject,
}

/// A purpose on its way.
struct Work {
    slots: Vec<Slot>,
    /// The names that were bound, where, and to which slot.
    binders: Vec<(String, Span, u32)>,
    /// The slots that a condition reads.
    read: FxHashSet<u32>,
    /// The slots of names that other ways of an enclosing choice bind.
    shared: FxHashMap<String, u32>,
}

impl<'a> Checker<'a> {
    /// Lowers every purpose for every system.
    pub(in crate::check) fn purposes(&mut self, planned: &[Planned], templates: &[Template<'a>]) -> Vec<Vec<Lowered>> {
        let declared: Vec<&'a PurposeDecl> = self.globals.purposes.clone();
        let mut result: Vec<Vec<Lowered>> = planned.iter().map(|_| Vec::new()).collect();
        if declared.is_empty() {
            return result;
        }
        let worlds: Vec<World> = match planned {
            [] => vec![World::unknown()],
            _ => planned.iter().map(|p| self.world(p, templates)).collect(),
        };
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for decl in declared {
            if self.too_many_errors(decl.name.span) {
                break;
            }
            let name = decl.name.name.as_str();
            if let Some(first) = seen.insert(name, decl.name.span) {
                self.duplicate("purpose", &decl.name, first);
            }
            let mut tries = Vec::new();
            for world in &worlds {
                let (before, errors) = (self.diagnostics.len(), self.errors);
                let lowered = self.purpose(decl, world);
                let found = self.diagnostics.split_off(before);
                self.errors = errors;
                tries.push((lowered, found));
            }
            let fits = tries.iter().any(|(_, found)| !has_errors(found));
            let best = (0..tries.len()).min_by_key(|i| tries[*i].1.iter().filter(|d| is_error(d)).count());
            for (i, (lowered, found)) in tries.into_iter().enumerate() {
                // What one system does not have is left to the others.
                let foreign = |d: &Diagnostic| fits && is_error(d) && is_foreign(d.code);
                let report = if fits { !found.iter().any(foreign) } else { Some(i) == best };
                if report {
                    found.into_iter().for_each(|d| self.report(d));
                }
                if let (Some(lowered), Some(purposes)) = (lowered, result.get_mut(i)) {
                    purposes.push((lowered, decl.name.span));
                }
            }
        }
        // A variable that only a purpose reads is in use.
        for (world, planned) in worlds.iter().zip(planned) {
            let mut used = world.scope.var_used.iter();
            for template in planned.instances.iter().map(|i| &templates[i.template]) {
                for (i, read) in used.by_ref().take(template.vars.len()).enumerate() {
                    if let Some(own) = template.scope.var_used.get(i).filter(|_| read.get()) {
                        own.set(true);
                    }
                }
            }
        }
        result
    }

    /// A purpose for one system; `None` if something is wrong with it.
    fn purpose(&mut self, decl: &'a PurposeDecl, world: &World) -> Option<Purpose> {
        let mut all = Vec::new();
        binders(&decl.pattern, &mut all);
        self.hints = Some(Hints {
            silent: world.silent || !decl.closed || is_broken(&decl.pattern),
            unbound: all.iter().map(|(name, span)| ((*name).to_owned(), (*span, Why::Later))).collect(),
            ambiguous: world.ambiguous.clone(),
        });
        let before = self.diagnostics.len();
        let mut work =
            Work { slots: Vec::new(), binders: Vec::new(), read: FxHashSet::default(), shared: FxHashMap::default() };
        let mut scope = Scope { process: Some(&world.scope), ..Scope::default() };
        let pattern = self.way(&decl.pattern, world, &mut work, &mut scope);
        self.forget(&mut work, &mut scope, 0);
        if let Some(hints) = &mut self.hints {
            hints.unbound.values_mut().for_each(|(_, why)| *why = Why::Reject);
        }
        let mut rejects = Vec::new();
        for reject in &decl.rejects {
            if let Some(hints) = &mut self.hints {
                hints.silent |= is_broken(&reject.event);
            }
            rejects.extend(self.reject(&reject.event, world, &mut work, &mut scope));
            self.forget(&mut work, &mut scope, 0);
        }
        self.hints = None;
        for (name, span, slot) in &work.binders {
            if !name.starts_with('_') && !work.read.contains(slot) {
                let message = format!("nothing reads `{name}`");
                self.report(Diagnostic::new(Code::UnusedParameter, *span, message).help(UNREAD));
            }
        }
        needless(&decl.pattern, true, &mut self.diagnostics);
        let pattern = pattern?;
        if let Some(place) = world.holds_at_once(&pattern) {
            let message = "this purpose is fulfilled before anything happens";
            let d = Diagnostic::new(Code::HoldsAtOnce, decl.name.span, message);
            self.report(match place {
                Some(name) => d.help(format!(
                    "the process starts in `{name}`; to require that it comes back, write what \
                                    happens before"
                )),
                None => d.help("require at least one step, such as `any`"),
            });
        }
        if has_errors(&self.diagnostics[before..]) || decl.name.name.is_empty() || !decl.closed {
            return None;
        }
        Some(Purpose { name: decl.name.name.clone(), pattern, rejects, slots: work.slots })
    }

    /// Takes the names beyond the first `keep` out of scope.
    fn forget(&mut self, work: &mut Work, scope: &mut Scope<'_>, keep: usize) -> Vec<Local> {
        let gone: Vec<Local> = scope.locals.drain(keep..).collect();
        for local in &gone {
            if let Some(slot) = self.slot(local).filter(|_| local.used.get()) {
                work.read.insert(slot);
            }
        }
        gone
    }

    /// The slot of a name that an event binds.
    fn slot(&self, local: &Local) -> Option<u32> {
        match self.terms.get(local.typed?.term) {
            Term::Param(slot, _) => Some(*slot),
            _ => None,
        }
    }

    fn unbound(&mut self, gone: &[Local], why: Why) {
        let Some(hints) = &mut self.hints else { return };
        for local in gone {
            hints.unbound.insert(local.name.clone(), (local.span, why));
        }
    }

    fn way(&mut self, way: &'a WayDecl, world: &World, work: &mut Work, scope: &mut Scope<'_>) -> Option<Pattern> {
        match &way.kind {
            WayKind::Error => None,
            WayKind::Anything => Some(Pattern::Anything),
            WayKind::Group(inner) => self.way(inner, world, work, scope),
            WayKind::Event(event) => {
                let mut events: Vec<Pattern> =
                    self.event(event, world, work, scope)?.into_iter().map(Pattern::Event).collect();
                if events.len() == 1 { events.pop() } else { Some(Pattern::Choice(events)) }
            }
            WayKind::At(path, condition) => {
                let locations = self.location(path, world);
                let condition = self.purpose_condition(condition, scope);
                Some(Pattern::At {
                    locations: locations?.into_iter().map(id::<LocationId>).collect(),
                    condition: condition?,
                })
            }
            WayKind::Sequence(parts) => {
                // What is wrong with one part says nothing about the others.
                let parts: Vec<Option<Pattern>> = parts.iter().map(|part| self.way(part, world, work, scope)).collect();
                Some(Pattern::Sequence(parts.into_iter().collect::<Option<_>>()?))
            }
            WayKind::Choice(ways) => self.choice(ways, world, work, scope),
            WayKind::Repeat(body, times) => {
                let keep = scope.locals.len();
                let pattern = self.way(body, world, work, scope);
                let bounds = self.bounds(times);
                if times.least.value == Some(0) {
                    let gone = self.forget(work, scope, keep);
                    self.unbound(&gone, Why::Repetition);
                }
                let pattern = pattern?;
                if pattern.may_be_empty() {
                    let message = "this repeats a part that may take no step";
                    let d = Diagnostic::new(Code::BadRepetition, body.span, message).label("needs no step");
                    self.report(
                        d.help("`..` already stands for any number of steps; each round must take at least one"),
                    );
                    return None;
                }
                let (least, most) = bounds?;
                Some(Pattern::Repeat { body: Box::new(pattern), least, most })
            }
        }
    }

    fn choice(
        &mut self,
        ways: &'a [WayDecl],
        world: &World,
        work: &mut Work,
        scope: &mut Scope<'_>,
    ) -> Option<Pattern> {
        let keep = scope.locals.len();
        let outer = work.shared.clone();
        let mut patterns = Vec::new();
        let mut bound: Vec<Vec<Local>> = Vec::new();
        for way in ways {
            patterns.push(self.way(way, world, work, scope));
            let gone = self.forget(work, scope, keep);
            self.unbound(&gone, Why::Choice);
            for local in &gone {
                if let Some(slot) = self.slot(local) {
                    work.shared.entry(local.name.clone()).or_insert(slot);
                }
            }
            bound.push(gone);
        }
        work.shared = outer;
        let mut bound = bound.into_iter();
        let first = bound.next().unwrap_or_default();
        let others: Vec<Vec<Local>> = bound.collect();
        for mut local in first {
            let slot = self.slot(&local);
            let same: Vec<Option<&Local>> =
                others.iter().map(|way| way.iter().find(|l| l.name == local.name)).collect();
            if !same.iter().all(Option::is_some) {
                continue;
            }
            if same.iter().flatten().all(|l| self.slot(l) == slot) {
                if let (Some(typed), Some(slot)) = (&mut local.typed, slot) {
                    // The ways may have different ranges.
                    typed.sort = work.slots[slot as usize].sort;
                }
                local.used = Cell::new(false);
                scope.locals.push(local);
            } else {
                self.unbound(&[local], Why::Types);
            }
        }
        Some(Pattern::Choice(patterns.into_iter().collect::<Option<_>>()?))
    }

    fn bounds(&mut self, times: &RepeatDecl) -> Option<(u32, Option<u32>)> {
        for count in [Some(&times.least), times.most.as_ref()].into_iter().flatten() {
            if count.value.is_none() {
                let message = format!("a repetition has at most {} rounds", u32::MAX);
                let d = Diagnostic::new(Code::BadRepetition, count.span, message).label("too large");
                self.report(d.help("leave the upper bound out: `{1..}`"));
                return None;
            }
        }
        let (least, most) = (times.least.value?, times.most.as_ref().and_then(|m| m.value));
        if most == Some(0) {
            let d = Diagnostic::new(Code::BadRepetition, times.span, "this never happens");
            self.report(d.label("at most 0 times").help("remove it; to forbid an event, write a `reject`"));
            return None;
        }
        if most.is_some_and(|most| most < least) {
            let most = most.unwrap_or_default();
            let message = format!("at least {least} and at most {most} times is impossible");
            let d = Diagnostic::new(Code::BadRepetition, times.span, message).help("write the lower bound first");
            self.report(d.fix(times.span, format!("{{{most}..{least}}}")));
            return None;
        }
        Some((least, most))
    }
}

/// Whether what is missing may be in another system.
fn is_foreign(code: Code) -> bool {
    is_unknown(code) || matches!(code, Code::UnknownLocation | Code::UnknownSwitch | Code::Ambiguous | Code::Shadowing)
}

fn is_error(d: &Diagnostic) -> bool {
    d.severity() == crate::diagnostic::Severity::Error
}

/// Whether a part could not be read.
fn is_broken(way: &WayDecl) -> bool {
    match &way.kind {
        WayKind::Error => true,
        WayKind::Event(EventDecl { kind: EventKind::Gate(label), .. }) => label.name.name.is_empty(),
        WayKind::Event(_) | WayKind::At(..) | WayKind::Anything => false,
        WayKind::Sequence(parts) | WayKind::Choice(parts) => parts.iter().any(is_broken),
        WayKind::Repeat(inner, _) | WayKind::Group(inner) => is_broken(inner),
    }
}

/// The names that the events of a pattern bind.
fn binders<'a>(way: &'a WayDecl, found: &mut Vec<(&'a str, Span)>) {
    match &way.kind {
        WayKind::Event(EventDecl { kind: EventKind::Gate(label), .. }) => {
            for arg in &label.args {
                match arg {
                    ArgDecl::Any(name) => found.push((&name.name, name.span)),
                    ArgDecl::Term(Expr { kind: ExprKind::Name(name), span }) => found.push((name, *span)),
                    _ => {}
                }
            }
        }
        WayKind::Event(_) | WayKind::At(..) | WayKind::Anything | WayKind::Error => {}
        WayKind::Sequence(parts) | WayKind::Choice(parts) => parts.iter().for_each(|part| binders(part, found)),
        WayKind::Repeat(inner, _) | WayKind::Group(inner) => binders(inner, found),
    }
}

/// Finds every `..` that adds nothing: at the end, where the purpose is fulfilled without it, and after another.
fn needless(way: &WayDecl, at_end: bool, found: &mut Vec<Diagnostic>) {
    match &way.kind {
        WayKind::Sequence(parts) => {
            for (i, part) in parts.iter().enumerate() {
                let last = at_end && i + 1 == parts.len();
                let after = i.checked_sub(1).map(|before| &parts[before]);
                let twice = after.is_some_and(|b| matches!(b.kind, WayKind::Anything));
                match (&part.kind, after) {
                    (WayKind::Anything, Some(after)) if last || twice => {
                        let (message, help) = if twice {
                            ("this `..` adds nothing to the one before", "one `..` stands for any number of steps")
                        } else {
                            ("this `..` adds nothing", "a purpose is fulfilled as soon as its last part has happened")
                        };
                        let gone = after.span.at_end().to(part.span);
                        let d = Diagnostic::new(Code::NeedlessAnything, part.span, message);
                        found.push(d.help(help).fix(gone, ""));
                    }
                    _ => needless(part, last, found),
                }
            }
        }
        WayKind::Choice(ways) => ways.iter().for_each(|way| needless(way, at_end, found)),
        WayKind::Group(inner) => needless(inner, at_end, found),
        WayKind::Repeat(inner, _) => needless(inner, false, found),
        WayKind::Event(_) | WayKind::At(..) | WayKind::Anything | WayKind::Error => {}
    }
}

impl World {
    /// Whether a pattern certainly holds at the start: with the location that makes it so, if there is one.
    fn holds_at_once(&self, pattern: &Pattern) -> Option<Option<String>> {
        match pattern {
            Pattern::Event(_) => None,
            Pattern::Anything => Some(None),
            Pattern::At { locations, condition: None } => {
                let start = locations.iter().find(|l| self.initial.contains(&l.index()))?;
                self.locations.iter().find(|p| p.id == start.index()).map(|p| Some(p.name.clone()))
            }
            Pattern::At { .. } => None,
            Pattern::Sequence(parts) => {
                let all: Vec<Option<String>> = parts.iter().map(|p| self.holds_at_once(p)).collect::<Option<_>>()?;
                Some(all.into_iter().flatten().next())
            }
            Pattern::Choice(parts) => parts.iter().find_map(|p| self.holds_at_once(p)),
            Pattern::Repeat { least: 0, .. } => Some(None),
            Pattern::Repeat { body, .. } => self.holds_at_once(body),
        }
    }
}
