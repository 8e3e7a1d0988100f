//! All nodes of a syntax tree.

use sioco_lang::source::Span;
use sioco_lang::syntax::ast::*;

/// A node of a syntax tree.
pub struct Node {
    /// The kind of the node above.
    pub parent: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// What it could be replaced by: nodes of the same class.
    pub class: &'static str,
    /// Where it is.
    pub span: Span,
}

/// Calls `f` for every node of a file.
pub fn file(file: &File, f: &mut dyn FnMut(Node)) {
    let mut walk = Walk { f };
    for item in &file.items {
        walk.item(item);
    }
}

struct Walk<'a> {
    f: &'a mut dyn FnMut(Node),
}

impl Walk<'_> {
    fn node(&mut self, parent: &'static str, kind: &'static str, class: &'static str, span: Span) {
        (self.f)(Node { parent, kind, class, span });
    }

    fn ident(&mut self, parent: &'static str, ident: &Ident) {
        self.node(parent, if ident.name.is_empty() { "missing name" } else { "name" }, "name", ident.span);
    }

    fn item(&mut self, item: &Item) {
        let kind = match &item.kind {
            ItemKind::Import(_) => "import",
            ItemKind::Type(_) => "type",
            ItemKind::Const(_) => "const",
            ItemKind::Fun(_) => "fun",
            ItemKind::Gate(_) => "gate",
            ItemKind::Channel(_) => "channel",
            ItemKind::Process(_) => "process",
            ItemKind::System(_) => "system",
            ItemKind::Purpose(_) => "purpose",
        };
        self.node("file", kind, "item", item.span);
        match &item.kind {
            ItemKind::Import(path) => self.node(kind, "path", "path", path.span),
            ItemKind::Type(t) => {
                self.ident(kind, &t.name);
                match &t.body {
                    TypeBody::Alias(ty) => self.ty("alias", ty),
                    TypeBody::Record(fields) => self.params("record type", fields),
                    TypeBody::Variants(all) => {
                        for v in all {
                            self.ident("variant", &v.name);
                            self.params("variant", &v.fields);
                        }
                    }
                }
            }
            ItemKind::Const(c) => {
                self.ident(kind, &c.name);
                if let Some(ty) = &c.ty {
                    self.ty(kind, ty);
                }
                self.expr(kind, &c.value);
            }
            ItemKind::Fun(fun) => {
                self.ident(kind, &fun.name);
                self.params(kind, &fun.params);
                self.ty(kind, &fun.result);
                self.expr(kind, &fun.body);
            }
            ItemKind::Gate(g) => {
                self.ident(kind, &g.name);
                self.params(kind, &g.params);
            }
            ItemKind::Channel(c) => {
                self.ident(kind, &c.name);
                self.params(kind, &c.params);
            }
            ItemKind::Process(p) => {
                self.ident(kind, &p.name);
                self.params(kind, &p.params);
                self.process(p);
            }
            ItemKind::System(s) => {
                self.ident(kind, &s.name);
                for i in &s.instances {
                    self.node(kind, "instance", "instance", i.span);
                    i.name.iter().for_each(|n| self.ident("instance name", n));
                    self.ident("instance", &i.process);
                    i.args.iter().for_each(|a| self.expr("instance", a));
                }
            }
            ItemKind::Purpose(p) => {
                self.ident(kind, &p.name);
                self.way(kind, &p.pattern);
                for reject in &p.rejects {
                    self.node(kind, "reject", "reject", reject.span);
                    self.way("reject", &reject.event);
                }
            }
        }
    }

    fn process(&mut self, p: &ProcessDecl) {
        for v in &p.vars {
            self.node("process", "var", "member", v.span);
            self.ident("var", &v.name);
            self.ty("var", &v.ty);
            match &v.init {
                Initial::Value(e) => self.expr("var", e),
                Initial::Free(span) => self.node("var", "free", "expr", *span),
                Initial::Missing => {}
            }
        }
        for l in &p.locations {
            let kind = match (l.init, l.is_final) {
                (true, true) => "init final",
                (true, false) => "init",
                (false, true) => "final",
                (false, false) => "state",
            };
            self.node("process", kind, "member", l.span);
            self.ident(kind, &l.name);
            for s in &l.switches {
                self.node(kind, "switch", "switch", s.span);
                s.name.iter().for_each(|n| self.ident("switch name", n));
                s.tags.iter().for_each(|t| self.node("switch", "tag", "tag", t.span));
                self.ident("switch", &s.target);
                s.steps.iter().for_each(|step| self.step(step));
            }
        }
    }

    fn way(&mut self, parent: &'static str, way: &WayDecl) {
        let kind = match &way.kind {
            WayKind::Event(_) => "event",
            WayKind::At(..) => "at",
            WayKind::Sequence(_) => "steps",
            WayKind::Choice(_) => "choice",
            WayKind::Repeat(..) => "repeat",
            WayKind::Group(_) => "group",
            WayKind::Anything => "..",
            WayKind::Error => "no way",
        };
        self.node(parent, kind, "way", way.span);
        match &way.kind {
            WayKind::Event(event) => {
                match &event.kind {
                    EventKind::Gate(label) => self.label(label),
                    EventKind::Take(path) => self.path("take", path),
                    EventKind::Any => self.node(kind, "any", "label", event.label),
                    EventKind::Delta => self.node(kind, "delta", "label", event.label),
                }
                self.guard(kind, &event.condition);
            }
            WayKind::At(path, condition) => {
                self.path("at", path);
                self.guard(kind, condition);
            }
            WayKind::Sequence(all) | WayKind::Choice(all) => all.iter().for_each(|way| self.way(kind, way)),
            WayKind::Repeat(inner, times) => {
                self.way(kind, inner);
                self.node(kind, "times", "times", times.span);
            }
            WayKind::Group(inner) => self.way(kind, inner),
            WayKind::Anything | WayKind::Error => {}
        }
    }

    fn path(&mut self, parent: &'static str, path: &PathDecl) {
        path.owner.iter().for_each(|owner| self.ident("owner", owner));
        self.ident(parent, &path.name);
    }

    fn guard(&mut self, parent: &'static str, guard: &GuardDecl) {
        match guard {
            GuardDecl::None => {}
            GuardDecl::Else(span) => self.node(parent, "[else]", "guard", *span),
            GuardDecl::Expr(e) => self.expr("guard", e),
        }
    }

    fn step(&mut self, step: &StepDecl) {
        self.node("switch", "step", "step", step.span);
        self.label(&step.label);
        self.guard("step", &step.guard);
        for a in &step.update {
            self.ident("update", &a.target);
            self.steps("update", &a.path);
            self.expr("update", &a.value);
        }
    }

    fn label(&mut self, label: &LabelDecl) {
        let kind = match label.kind {
            LabelKind::Input => "?",
            LabelKind::Output => "!",
            LabelKind::Send => "send",
            LabelKind::Recv => "recv",
            LabelKind::Tau => "tau",
        };
        self.node("step", kind, "label", label.span);
        if label.kind != LabelKind::Tau {
            self.ident(kind, &label.name);
        }
        for arg in &label.args {
            match arg {
                ArgDecl::Any(name) => self.ident("any", name),
                ArgDecl::Ignored(span) => self.node(kind, "_", "expr", *span),
                ArgDecl::Term(e) => self.expr(kind, e),
            }
        }
        self.params(kind, &label.choices);
    }

    fn params(&mut self, parent: &'static str, params: &[ParamDecl]) {
        for p in params {
            self.ident("param", &p.name);
            self.node(parent, "param", "param", p.name.span.to(p.ty.span));
            self.ty(parent, &p.ty);
            p.tolerance.iter().for_each(|e| self.expr("tolerance", e));
        }
    }

    fn ty(&mut self, parent: &'static str, ty: &TypeExpr) {
        let kind = match &ty.kind {
            TypeExprKind::Name(_) => "type name",
            TypeExprKind::Range(..) => "range",
            TypeExprKind::Seq(_) => "Seq",
            TypeExprKind::Set(_) => "Set",
            TypeExprKind::Map(..) => "Map",
            TypeExprKind::Error => "no type",
        };
        self.node(parent, kind, "type", ty.span);
        match &ty.kind {
            TypeExprKind::Range(base, lo, hi) => {
                self.ty(kind, base);
                lo.iter().for_each(|e| self.expr("lo", e));
                hi.iter().for_each(|e| self.expr("hi", e));
            }
            TypeExprKind::Seq(item) | TypeExprKind::Set(item) => self.ty(kind, item),
            TypeExprKind::Map(key, value) => {
                self.ty(kind, key);
                self.ty(kind, value);
            }
            TypeExprKind::Name(_) | TypeExprKind::Error => {}
        }
    }

    fn each(&mut self, kind: &'static str, each: &EachExpr) {
        self.ident("asked", &each.name);
        each.names.iter().for_each(|n| self.ident("item", n));
        self.expr("over", &each.over);
        each.to.iter().for_each(|e| self.expr("to", e));
        if let Some((name, start)) = &each.acc {
            self.ident("so far", name);
            self.expr("start", start);
        }
        self.expr(kind, &each.body);
    }

    fn steps(&mut self, parent: &'static str, path: &[PathStep]) {
        for step in path {
            match step {
                PathStep::Field(name) => self.ident(parent, name),
                PathStep::Item(key, _) => self.expr("index of", key),
            }
        }
    }

    fn fields(&mut self, parent: &'static str, fields: &[FieldInit]) {
        for f in fields {
            self.ident("field init", &f.name);
            self.expr(parent, &f.value);
        }
    }

    fn expr(&mut self, parent: &'static str, e: &Expr) {
        let kind = match &e.kind {
            ExprKind::Int(_) => "int",
            ExprKind::Real(_) => "real",
            ExprKind::Str(_) => "string",
            ExprKind::Bool(_) => "bool",
            ExprKind::Name(_) => "name",
            ExprKind::Call(..) => "call",
            ExprKind::Record(..) => "record",
            ExprKind::With(..) => "with",
            ExprKind::Field(..) => "field",
            ExprKind::Index(..) => "index",
            ExprKind::Seq(_) => "sequence",
            ExprKind::Set(_) => "set",
            ExprKind::Map(_) => "map",
            ExprKind::Each(_) => "each",
            ExprKind::Is(..) => "is",
            ExprKind::Not(_) => "not",
            ExprKind::Neg(_) => "neg",
            ExprKind::Chain(_, rest) => rest.first().map_or("chain", |(op, _, _)| op.text()),
            ExprKind::If(..) => "if",
            ExprKind::Let(..) => "let",
            ExprKind::Match(..) => "match",
            ExprKind::Paren(_) => "paren",
            ExprKind::Error => "no expression",
        };
        self.node(parent, kind, "expr", e.span);
        match &e.kind {
            ExprKind::Call(name, args) => {
                self.ident(kind, name);
                args.iter().for_each(|a| self.expr(kind, a));
            }
            ExprKind::Record(name, fields) => {
                self.ident(kind, name);
                self.fields(kind, fields);
            }
            ExprKind::With(base, changes) => {
                self.expr(kind, base);
                for change in changes {
                    self.steps(kind, &change.path);
                    self.expr(kind, &change.value);
                }
            }
            ExprKind::Map(entries) => {
                for (key, value) in entries {
                    self.expr("key", key);
                    self.expr(kind, value);
                }
            }
            ExprKind::Each(each) => self.each(kind, each),
            ExprKind::Field(base, name) | ExprKind::Is(base, name) => {
                self.expr(kind, base);
                self.ident(kind, name);
            }
            ExprKind::Index(base, index) => {
                self.expr(kind, base);
                self.expr("index of", index);
            }
            ExprKind::Seq(items) | ExprKind::Set(items) => items.iter().for_each(|e| self.expr(kind, e)),
            ExprKind::Not(inner) | ExprKind::Neg(inner) | ExprKind::Paren(inner) => self.expr(kind, inner),
            ExprKind::Chain(first, rest) => {
                self.expr(kind, first);
                for (op, span, e) in rest {
                    self.node(kind, op.text(), "operator", *span);
                    self.expr(op.text(), e);
                }
            }
            ExprKind::If(arms, otherwise) => {
                for (c, e) in arms {
                    self.expr("condition", c);
                    self.expr(kind, e);
                }
                self.expr("else", otherwise);
            }
            ExprKind::Let(bindings, body) => {
                for (name, e) in bindings {
                    self.ident(kind, name);
                    self.expr("binding", e);
                }
                self.expr(kind, body);
            }
            ExprKind::Match(scrutinee, arms) => {
                self.expr(kind, scrutinee);
                for arm in arms {
                    self.pattern(&arm.pattern);
                    self.expr("arm", &arm.body);
                }
            }
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Error => {}
        }
    }

    fn pattern(&mut self, p: &Pattern) {
        let kind = match &p.kind {
            PatternKind::Wildcard => "wildcard",
            PatternKind::Constructor(..) => "constructor",
            PatternKind::Literal(_) => "literal",
            PatternKind::Error => "no pattern",
        };
        self.node("match", kind, "pattern", p.span);
        match &p.kind {
            PatternKind::Constructor(name, fields) => {
                self.ident(kind, name);
                for (_, span) in fields {
                    self.node(kind, "pattern field", "name", *span);
                }
            }
            PatternKind::Literal(e) => self.expr(kind, e),
            PatternKind::Wildcard | PatternKind::Error => {}
        }
    }
}
