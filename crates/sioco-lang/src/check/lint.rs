//! Warnings: what is allowed, but probably not meant.
//!
//! Only the file that the user asked for gets warnings: an imported file may well declare more than any one importer
//! needs. A file without processes is taken for such a file.

use rustc_hash::FxHashSet;
use sioco_model::model::Label;
use sioco_model::{Id, Value};

use super::Checker;
use super::process::{Template, TemplateSwitch};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::FileId;

const UNUSED: &str = "use it, remove it, or start its name with `_`";

impl<'a> Checker<'a> {
    /// The warnings about a model as a whole; those about single names were found on the way.
    pub(super) fn lint(&self, templates: &[Template<'a>]) -> Vec<Diagnostic> {
        let root = FileId(0);
        let mut found = Vec::new();
        for t in templates.iter().filter(|t| t.file == root) {
            self.lint_template(t, &mut found);
        }
        if !templates.is_empty() {
            self.lint_items(root, &mut found);
            self.lint_processes(root, &mut found);
        }
        found
    }

    fn lint_template(&self, t: &Template<'a>, found: &mut Vec<Diagnostic>) {
        for (i, v) in t.vars.iter().enumerate() {
            if !v.hidden && !t.scope.var_used[i].get() && !v.name.starts_with('_') {
                found.push(
                    Diagnostic::new(Code::UnusedVariable, t.scope.var_spans[i], format!("nothing reads `{}`", v.name))
                        .help(UNUSED),
                );
            }
        }
        for (i, p) in t.params.iter().enumerate() {
            if !t.scope.param_used[i].get() && !p.name.starts_with('_') {
                let span = t.scope.param_spans[i];
                found.push(
                    Diagnostic::new(Code::UnusedParameter, span, format!("nothing reads `{}`", p.name)).help(UNUSED),
                );
            }
        }
        // A guard that is false whatever the values leads nowhere. One that is false because of a constant is a part
        // of the model that is switched off, and may be switched on with `--const`.
        let never =
            |s: &TemplateSwitch| !s.by_constant && matches!(self.terms.as_const(s.guard), Some(Value::Bool(false)));
        let mut reached = vec![false; t.locations.len()];
        let mut open: Vec<usize> = t.initial.into_iter().collect();
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); t.locations.len()];
        for s in t.switches.iter().filter(|s| !never(s)) {
            leaving[s.source].push(s.target);
        }
        while let Some(l) = open.pop() {
            if !std::mem::replace(&mut reached[l], true) {
                open.extend(&leaving[l]);
            }
        }
        for (l, _) in t.locations.iter().zip(&reached).filter(|(l, reached)| !**reached && !l.hidden) {
            found.push(
                Diagnostic::new(Code::UnreachableLocation, l.span, format!("no path leads to `{}`", l.name))
                    .help("add a switch that leads there, or remove it"),
            );
        }
        for s in t.switches.iter().filter(|s| s.lone_else) {
            let (other, help) = match s.label {
                Label::Gate(g) if self.globals.gates[g.index()].decl.input => {
                    let gate = &self.globals.gates[g.index()].decl.name.name;
                    (
                        format!("no other switch of `{gate}`"),
                        "remove `[else]`, or add the switch that it is the alternative to",
                    )
                }
                _ => (
                    "no other output or `tau`".into(),
                    "remove `[else]`, or write the guard; the `else` of an output or `tau` ignores inputs",
                ),
            };
            let span = s.spans.guard.unwrap_or(s.spans.label);
            let d = Diagnostic::new(Code::LoneElse, span, "this `else` always holds");
            found.push(d.label(format!("this location has {other}")).help(help));
        }
        for s in t.switches.iter().filter(|s| never(s)) {
            let span = s.spans.guard.unwrap_or(s.spans.label);
            let (what, help) = if s.is_else {
                ("the other switches leave nothing for this `else`", "remove this switch, or give the others guards")
            } else {
                ("this guard is never true", "correct the guard, or remove the switch")
            };
            let d = Diagnostic::new(Code::NeverEnabled, span, what).label("the switch can never be taken");
            found.push(d.help(help));
        }
    }

    fn lint_items(&self, root: FileId, found: &mut Vec<Diagnostic>) {
        let globals = &self.globals;
        let mut unused = |what: &str, name: &crate::syntax::ast::Ident| {
            if !name.name.starts_with('_') {
                let message = format!("nothing uses the {what} `{}`", name.name);
                found.push(Diagnostic::new(Code::UnusedItem, name.span, message).help(UNUSED));
            }
        };
        for c in globals.consts.values().filter(|c| c.file == root && !c.used.get()) {
            unused("constant", &c.decl.name);
        }
        for f in globals.funs.values().filter(|f| f.file == root && !f.used.get()) {
            unused("function", &f.decl.name);
        }
        for t in globals.types.values().filter(|t| t.file == root && !t.used.get()) {
            unused("type", &t.decl.name);
        }
        for g in globals.gates.iter().filter(|g| g.file == root && !g.used.get()) {
            let message = format!("no switch uses the gate `{}`", g.decl.name.name);
            found.push(
                Diagnostic::new(Code::UnusedGate, g.decl.name.span, message).help("use it in a switch, or remove it"),
            );
        }
        for c in globals.channels.iter().filter(|c| c.file == root && !c.used.get()) {
            let message = format!("no switch uses the channel `{}`", c.decl.name.name);
            found.push(
                Diagnostic::new(Code::UnusedGate, c.decl.name.span, message).help("use it in a switch, or remove it"),
            );
        }
    }

    fn lint_processes(&self, root: FileId, found: &mut Vec<Diagnostic>) {
        let systems = &self.globals.systems;
        if systems.is_empty() {
            return;
        }
        let used: FxHashSet<&str> =
            systems.iter().flat_map(|(_, s)| s.instances.iter().map(|i| i.process.name.as_str())).collect();
        for (_, p) in self.globals.processes.iter().filter(|(file, _)| *file == root) {
            if !used.contains(p.name.name.as_str()) && !p.name.name.starts_with('_') {
                let message = format!("no system runs the process `{}`", p.name.name);
                found.push(Diagnostic::new(Code::UnusedItem, p.name.span, message).help(UNUSED));
            }
        }
    }
}
