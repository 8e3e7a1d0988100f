//! The events of a purpose: what happens, which values get a name, and the condition.

use sioco_model::purpose::{Event, EventLabel, Slot};
use sioco_model::{GateId, SortId, SwitchId, TermId, Value};

use super::Work;
use super::names::World;
use crate::check::Checker;
use crate::check::expr::{Scope, Typed, a};
use crate::check::globals::{GateOrChannel, ResolvedParam, id, suggest_or};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Fix};
use crate::source::Span;
use crate::syntax::ast::*;

/// The gate of an event.
struct EventGate<'g> {
    /// Its name, where it stands in the event.
    name: &'g Ident,
    /// The sign of its direction.
    sign: char,
    /// What it declares.
    params: &'g [ResolvedParam],
}

impl<'a> Checker<'a> {
    /// The event; several for a switch that several instances have.
    pub(super) fn event(
        &mut self,
        event: &'a EventDecl,
        world: &World,
        work: &mut Work,
        scope: &mut Scope<'_>,
    ) -> Option<Vec<Event>> {
        let labels = match &event.kind {
            EventKind::Any => Some(vec![(EventLabel::Any, Vec::new())]),
            EventKind::Delta => Some(vec![(EventLabel::Delta, Vec::new())]),
            EventKind::Take(path) => self.take(path, world).map(|switches| {
                switches.into_iter().map(|s| (EventLabel::Switch(id::<SwitchId>(s)), Vec::new())).collect()
            }),
            EventKind::Gate(label) => self.gate_event(label, work, scope).map(|event| vec![event]),
        };
        let condition = self.purpose_condition(&event.condition, scope);
        let (labels, condition) = (labels?, condition?);
        Some(labels.into_iter().map(|(label, binds)| Event { label, binds, condition }).collect())
    }

    /// A reject; it must be one event.
    pub(super) fn reject(
        &mut self,
        way: &'a WayDecl,
        world: &World,
        work: &mut Work,
        scope: &mut Scope<'_>,
    ) -> Vec<Event> {
        let mut inner = way;
        while let WayKind::Group(group) = &inner.kind {
            inner = group;
        }
        let (message, help) = match &inner.kind {
            WayKind::Event(EventDecl { kind: EventKind::Any, condition: GuardDecl::None, .. }) => {
                ("this rejects every step", "say which steps must not happen: `reject any [condition]`")
            }
            WayKind::Event(event) => return self.event(event, world, work, scope).unwrap_or_default(),
            WayKind::Error => return Vec::new(),
            WayKind::Choice(_) => ("a `reject` names one event", "write a `reject` for each of them"),
            WayKind::At(..) => (
                "a `reject` names one event",
                "reject the steps from there with `reject any [condition]`, or the switches that lead there",
            ),
            _ => ("a `reject` names one event", "it holds from the start until the purpose is fulfilled"),
        };
        self.report(Diagnostic::new(Code::BadReject, way.span, message).help(help));
        // What else is wrong in it is worth a word.
        if !matches!(inner.kind, WayKind::Event(_)) {
            self.way(inner, world, work, scope);
        }
        Vec::new()
    }

    /// A condition as a term: the outer `None` if it is wrong, the inner one if there is none.
    pub(super) fn purpose_condition(
        &mut self,
        condition: &'a GuardDecl,
        scope: &mut Scope<'_>,
    ) -> Option<Option<TermId>> {
        let e = match condition {
            GuardDecl::None => return Some(None),
            GuardDecl::Else(span) => {
                let d = Diagnostic::new(Code::BadElse, *span, "`else` has no meaning in a purpose");
                self.report(d.help("write the condition"));
                return None;
            }
            GuardDecl::Expr(e) => e,
        };
        let typed = self.expr(e, Some(self.sorts.bool), scope)?;
        if typed.sort != self.sorts.bool {
            let found = a(&self.sorts.name(typed.sort));
            let message = format!("a condition is a `Bool`, but this is {found}");
            let d = Diagnostic::new(Code::GuardNotBool, e.span, message).label("neither true nor false");
            self.report(d.help("compare it with a value, as in `[x > 0]`"));
            return None;
        }
        match self.terms.as_const(typed.term) {
            Some(Value::Bool(true)) => return Some(None),
            Some(_) if !self.mentions_constant(e) => {
                let d = Diagnostic::new(Code::NeverEnabled, e.span, "this condition is never true");
                self.report(d.label("this can never happen").help("correct the condition"));
            }
            _ => {}
        }
        Some(Some(typed.term))
    }

    /// `?gate(x)` or `!gate(_)`
    fn gate_event(
        &mut self,
        label: &'a LabelDecl,
        work: &mut Work,
        scope: &mut Scope<'_>,
    ) -> Option<(EventLabel, Vec<u32>)> {
        let name = &label.name;
        if name.name.is_empty() {
            return None;
        }
        let Some(gate) = self.observed_gate(label) else {
            // Its names stay names.
            for arg in &label.args {
                if let ArgDecl::Term(Expr { kind: ExprKind::Name(name), span }) = arg {
                    self.bind(scope, &Ident { name: name.clone(), span: *span }, None);
                }
            }
            return None;
        };
        let entry = &self.globals.gates[gate];
        let (input, declared, params) = (entry.decl.input, entry.decl.name.span, entry.params.clone());
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
        }
        let mut good = params.iter().all(|p| p.sort.is_some());
        if params.len() != label.args.len() {
            // A declaration that was not understood does not say how many there are.
            if good {
                self.arity(&format!("`{}`", name.name), params.len(), label.args.len(), label.span, Some(declared));
                let place = name.span.at_end();
                if let Some(d) = self.diagnostics.last_mut().filter(|_| label.span.end == place.end) {
                    let all = format!("({})", vec!["_"; params.len()].join(", "));
                    d.help = Some("`_` stands for a value without a name".into());
                    d.fix = Some(Fix { span: place, replacement: all });
                }
            }
            good = false;
        }
        let gate_of_event = EventGate { name, sign: if input { '?' } else { '!' }, params: &params };
        let mut binds = Vec::new();
        for (i, arg) in label.args.iter().enumerate() {
            match self.event_arg(arg, &gate_of_event, i, work, scope) {
                Some(slot) => binds.push(slot),
                None => good = false,
            }
        }
        good.then_some((EventLabel::Gate(id::<GateId>(gate)), binds))
    }

    /// The gate that a label names, if there is one.
    fn observed_gate(&mut self, label: &'a LabelDecl) -> Option<usize> {
        let name = &label.name;
        match self.globals.gate_names.get(name.name.as_str()).copied() {
            Some(GateOrChannel::Gate(i)) => Some(i),
            Some(GateOrChannel::Channel(i)) => {
                let declared = self.globals.channels[i].decl.name.span;
                let message = format!("`{}` is a channel, not a gate", name.name);
                self.report(
                    Diagnostic::new(Code::WrongDirection, label.span, message)
                        .also(declared, "declared here")
                        .help("a handshake cannot be observed; name a switch that takes part in it: `take NAME`"),
                );
                None
            }
            None => {
                let near = self.near(&name.name, self.globals.gates.iter().map(|g| g.decl.name.name.as_str()));
                let d = Diagnostic::new(Code::UnknownGate, name.span, format!("there is no gate `{}`", name.name));
                let word = if label.kind == LabelKind::Input { "input" } else { "output" };
                self.report(suggest_or(d, name, near, || format!("declare it: `{word} {}`", name.name)));
                None
            }
        }
    }

    /// The slot of an argument of an event; nothing if something is wrong with it.
    fn event_arg(
        &mut self,
        arg: &'a ArgDecl,
        gate: &EventGate<'_>,
        i: usize,
        work: &mut Work,
        scope: &mut Scope<'_>,
    ) -> Option<u32> {
        let EventGate { name, sign, params } = *gate;
        let param = params.get(i);
        let sort = param.and_then(|p| p.sort);
        match arg {
            ArgDecl::Ignored(_) => Some(self.new_slot(work, "_", sort)),
            ArgDecl::Any(given) => {
                self.report(
                    Diagnostic::new(Code::BadAny, given.span, "a purpose does not choose values")
                        .help(format!("write just `{}`, without `any`", given.name)),
                );
                self.bind_slot(work, scope, given, sort);
                None
            }
            ArgDecl::Term(Expr { kind: ExprKind::Name(given), span }) if self.constructor_span(given).is_none() => {
                let ident = Ident { name: given.clone(), span: *span };
                let before = self.diagnostics.len();
                let slot = self.bind_slot(work, scope, &ident, sort);
                if let (Some(d), Some(p)) = (self.diagnostics.get_mut(before), param) {
                    let p = if p.name == *given { format!("{given}_2") } else { p.name.clone() };
                    let event = if params.len() == 1 { format!("{sign}{}({p}) ", name.name) } else { String::new() };
                    d.help =
                        Some(format!("choose another name; to compare the value, write `{event}[{p} == {given}]`"));
                }
                Some(slot)
            }
            ArgDecl::Term(e) => {
                if !matches!(e.kind, ExprKind::Error) {
                    let p = param.map_or("x", |p| p.name.as_str());
                    self.report(
                        Diagnostic::new(Code::InputBinder, e.span, "an event names its values")
                            .label("expected a name or `_`")
                            .help(format!("compare in the condition: `{sign}{}({p}) [{p} == …]`", name.name)),
                    );
                }
                None
            }
        }
    }

    fn new_slot(&mut self, work: &mut Work, name: &str, sort: Option<SortId>) -> u32 {
        work.slots.push(Slot { name: name.into(), sort: sort.unwrap_or(self.sorts.bool) });
        work.slots.len() as u32 - 1
    }

    /// A slot for a name, which is brought into scope: that of the same name on another way, if its type is the same.
    fn bind_slot(&mut self, work: &mut Work, scope: &mut Scope<'_>, name: &Ident, sort: Option<SortId>) -> u32 {
        let same = work.shared.get(&name.name).copied().filter(|slot| {
            let of_slot = work.slots[*slot as usize].sort;
            sort.is_some_and(|sort| self.sorts.base(sort) == self.sorts.base(of_slot))
        });
        let slot = match same {
            Some(slot) => {
                let of_slot = &mut work.slots[slot as usize].sort;
                if sort != Some(*of_slot) {
                    *of_slot = self.sorts.base(*of_slot);
                }
                slot
            }
            None => self.new_slot(work, &name.name, sort),
        };
        let typed = sort.map(|sort| {
            let base = self.sorts.base(sort);
            Typed { term: self.terms.param(slot, base), sort }
        });
        let before = scope.locals.len();
        let reported = self.diagnostics.len();
        self.bind(scope, name, typed);
        let clean = self.diagnostics.len() == reported;
        if scope.locals.len() > before && clean {
            work.binders.push((name.name.clone(), name.span, slot));
        }
        slot
    }
}
