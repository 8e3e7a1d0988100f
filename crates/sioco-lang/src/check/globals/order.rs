//! The order in which declarations are resolved: each after what it needs, circles reported.

use crate::check::MAX_CIRCLES;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Globals, Overrides};
use crate::check::{Checker, listed};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    /// The declarations in an order in which each comes after those it needs; circles are reported and cut.
    pub(in crate::check) fn dependency_order(&mut self, overrides: &'a Overrides) -> Vec<Node<'a>> {
        let nodes = self.globals.order.clone();
        let mut needs: FxHashMap<Node<'a>, Vec<Node<'a>>> = FxHashMap::default();
        for &node in &nodes {
            let mut references = References { globals: &self.globals, found: Vec::new(), local: FxHashSet::default() };
            match node {
                Node::Type(name) => references.type_body(&self.globals.types[name].decl.body),
                Node::Const(name) => {
                    let decl = self.globals.consts[name].decl;
                    references.types(decl.ty.iter());
                    let value = overrides.iter().rev().find(|(n, _)| n == name).map_or(&decl.value, |(_, e)| e);
                    references.expr(value);
                }
                Node::Fun(name) => {
                    let decl = self.globals.funs[name].decl;
                    references.types(decl.params.iter().map(|p| &p.ty).chain([&decl.result]));
                    if let Some(bound) = &decl.bound {
                        references.expr(bound);
                    }
                    references.local.extend(decl.params.iter().map(|p| p.name.name.as_str()));
                    references.expr(&decl.body);
                }
            }
            needs.insert(node, references.found);
        }
        self.find_circles(&nodes, &mut needs);
        let mut order = Vec::new();
        let mut done: FxHashSet<Node<'a>> = FxHashSet::default();
        let mut open: Vec<(Node<'a>, usize)> = Vec::new();
        let mut on_path: FxHashMap<Node<'a>, usize> = FxHashMap::default();
        let mut reported: FxHashSet<Node<'a>> = FxHashSet::default();
        for &start in &nodes {
            if done.contains(&start) {
                continue;
            }
            on_path.insert(start, 0);
            open.push((start, 0));
            while let Some((node, next)) = open.last_mut() {
                let node = *node;
                let Some(&target) = needs[&node].get(*next) else {
                    open.pop();
                    on_path.remove(&node);
                    done.insert(node);
                    order.push(node);
                    continue;
                };
                *next += 1;
                let bounded = matches!((node, target), (Node::Fun(a), Node::Fun(b)) if self.same_circle(a, b));
                if let Some(&position) = on_path.get(&target) {
                    if bounded && self.all_bounded(&open[position..]) {
                        continue;
                    }
                    // One circle through each declaration says enough.
                    if reported.len() < MAX_CIRCLES && reported.insert(target) {
                        let circle: Vec<Node<'a>> = open[position..].iter().map(|(n, _)| *n).collect();
                        self.report_circle(&circle);
                    }
                } else if !done.contains(&target) {
                    on_path.insert(target, open.len());
                    open.push((target, 0));
                }
            }
        }
        order
    }

    /// Which functions with a bound call each other in a circle; those need the types of all of them.
    fn find_circles(&mut self, nodes: &[Node<'a>], needs: &mut FxHashMap<Node<'a>, Vec<Node<'a>>>) {
        let bounded = |node: &Node<'a>| match node {
            Node::Fun(name) if self.globals.funs[name].decl.bound.is_some() => Some(*name),
            _ => None,
        };
        let names: Vec<&'a str> = nodes.iter().filter_map(bounded).collect();
        let reach = |from: &'a str| {
            let (mut seen, mut open): (FxHashSet<&'a str>, Vec<Node<'a>>) =
                (FxHashSet::default(), vec![Node::Fun(from)]);
            while let Some(node) = open.pop() {
                for target in &needs[&node] {
                    if let Some(name) = bounded(target)
                        && seen.insert(name)
                    {
                        open.push(*target);
                    }
                }
            }
            seen
        };
        let reached: FxHashMap<&'a str, FxHashSet<&'a str>> = names.iter().map(|n| (*n, reach(n))).collect();
        let mut circles: FxHashMap<&'a str, usize> = FxHashMap::default();
        for (i, name) in names.iter().enumerate().filter(|(_, n)| reached[*n].contains(*n)) {
            let first = names[..i].iter().find(|n| reached[*n].contains(name) && reached[name].contains(*n));
            let circle = first.and_then(|n| circles.get(n)).copied().unwrap_or(i);
            circles.insert(name, circle);
        }
        for name in circles.keys() {
            for other in circles.keys().filter(|o| *o != name && circles[*o] == circles[name]) {
                let decl = self.globals.funs[other].decl;
                let mut references =
                    References { globals: &self.globals, found: Vec::new(), local: FxHashSet::default() };
                references.types(decl.params.iter().map(|p| &p.ty).chain([&decl.result]));
                if let Some(all) = needs.get_mut(&Node::Fun(name)) {
                    all.splice(0..0, references.found);
                }
            }
        }
        self.globals.circles = circles;
    }

    /// Whether two functions call each other, directly or not, and all in between have a bound.
    pub(in crate::check) fn same_circle(&self, a: &str, b: &str) -> bool {
        let circles = &self.globals.circles;
        circles.get(a).is_some_and(|a| circles.get(b) == Some(a))
    }

    fn all_bounded(&self, path: &[(Node<'a>, usize)]) -> bool {
        path.iter().all(|(node, _)| matches!(node, Node::Fun(name) if self.globals.circles.contains_key(name)))
    }

    pub(in crate::check) fn report_circle(&mut self, circle: &[Node<'a>]) {
        let ident = |node: &Node<'a>| -> &'a Ident {
            match node {
                Node::Type(name) => &self.globals.types[name].decl.name,
                Node::Const(name) => &self.globals.consts[name].decl.name,
                Node::Fun(name) => &self.globals.funs[name].decl.name,
            }
        };
        let first = ident(&circle[0]);
        let names: Vec<String> = circle.iter().chain(&circle[..1]).map(|n| format!("`{}`", ident(n).name)).collect();
        let path = listed(&names, " → ");
        let all_types = circle.iter().all(|n| matches!(n, Node::Type(_)));
        let d = if all_types {
            Diagnostic::new(Code::RecursiveType, first.span, format!("the type `{}` contains itself", first.name))
                .help("make the type flat: for example, a `Seq` of records that refer to each other by position")
        } else {
            let what = match circle[0] {
                Node::Fun(_) => "the function",
                Node::Const(_) => "the constant",
                Node::Type(_) => "the type",
            };
            let help = if circle.iter().any(|n| matches!(n, Node::Fun(_))) {
                "say how many calls may be inside one another, before the `=`: `bound 50`"
            } else {
                "give one of them a value that does not depend on the others"
            };
            Diagnostic::new(Code::RecursiveFunction, first.span, format!("{what} `{}` depends on itself", first.name))
                .help(help)
        };
        let d = if circle.len() > 1 { d.note(format!("the circle: {path}")) } else { d };
        self.report(d);
    }
}

/// A type, constant or function, for ordering.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::check) enum Node<'a> {
    Type(&'a str),
    Const(&'a str),
    Fun(&'a str),
}

/// Collects the types, constants and functions that a declaration refers to.
pub(in crate::check) struct References<'a, 'g> {
    globals: &'g Globals<'a>,
    found: Vec<Node<'a>>,
    local: FxHashSet<&'a str>,
}

impl<'a> References<'a, '_> {
    pub(in crate::check) fn name(&mut self, name: &'a str) {
        if self.local.contains(name) {
            return;
        }
        if let Some((&name, _)) = self.globals.consts.get_key_value(name) {
            self.found.push(Node::Const(name));
        } else if let Some((ty, _)) = self.globals.constructors.get(name) {
            self.found.push(Node::Type(ty));
        }
    }

    pub(in crate::check) fn type_name(&mut self, name: &str) {
        if let Some((&name, _)) = self.globals.types.get_key_value(name) {
            self.found.push(Node::Type(name));
        }
    }

    pub(in crate::check) fn types(&mut self, types: impl Iterator<Item = &'a TypeExpr>) {
        for ty in types {
            match &ty.kind {
                TypeExprKind::Name(name) => self.type_name(&name.name),
                TypeExprKind::Seq(item) | TypeExprKind::Set(item) => self.types([&**item].into_iter()),
                TypeExprKind::Map(key, value) => self.types([&**key, &**value].into_iter()),
                TypeExprKind::Range(base, lo, hi) => {
                    self.types([&**base].into_iter());
                    for bound in lo.iter().chain(hi) {
                        self.expr(bound);
                    }
                }
                TypeExprKind::Error => {}
            }
        }
    }

    pub(in crate::check) fn type_body(&mut self, body: &'a TypeBody) {
        match body {
            TypeBody::Alias(ty) => self.types([ty].into_iter()),
            TypeBody::Record(fields) => self.types(fields.iter().map(|f| &f.ty)),
            TypeBody::Variants(all) => self.types(all.iter().flat_map(|v| v.fields.iter().map(|f| &f.ty))),
        }
    }

    fn path(&mut self, path: &'a [PathStep]) {
        for step in path {
            if let PathStep::Item(key, _) = step {
                self.expr(key);
            }
        }
    }

    pub(in crate::check) fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Call(name, args) => {
                if let Some((&name, _)) = self.globals.funs.get_key_value(name.name.as_str()) {
                    self.found.push(Node::Fun(name));
                } else {
                    self.name(&name.name);
                }
                args.iter().for_each(|a| self.expr(a));
            }
            ExprKind::Record(name, fields) => {
                self.type_name(&name.name);
                fields.iter().for_each(|f| self.expr(&f.value));
            }
            ExprKind::With(base, changes) => {
                self.expr(base);
                for change in changes {
                    self.path(&change.path);
                    self.expr(&change.value);
                }
            }
            ExprKind::Map(entries) => {
                for (key, value) in entries {
                    self.expr(key);
                    self.expr(value);
                }
            }
            ExprKind::Each(each) => {
                self.expr(&each.over);
                each.to.iter().for_each(|to| self.expr(to));
                self.local.extend(each.names.iter().map(|n| n.name.as_str()));
                if let Some((name, start)) = &each.acc {
                    self.expr(start);
                    self.local.insert(&name.name);
                }
                self.expr(&each.body);
            }
            ExprKind::Field(base, _) | ExprKind::Not(base) | ExprKind::Neg(base) | ExprKind::Paren(base) => {
                self.expr(base);
            }
            ExprKind::Is(base, name) => {
                self.expr(base);
                self.name(&name.name);
            }
            ExprKind::Index(base, index) => {
                self.expr(base);
                self.expr(index);
            }
            ExprKind::Seq(items) | ExprKind::Set(items) => items.iter().for_each(|e| self.expr(e)),
            ExprKind::Chain(first, rest) => {
                self.expr(first);
                rest.iter().for_each(|(_, _, e)| self.expr(e));
            }
            ExprKind::If(arms, otherwise) => {
                for (c, e) in arms {
                    self.expr(c);
                    self.expr(e);
                }
                self.expr(otherwise);
            }
            ExprKind::Let(bindings, body) => {
                for (name, value) in bindings {
                    self.expr(value);
                    self.local.insert(&name.name);
                }
                self.expr(body);
            }
            ExprKind::Match(scrutinee, arms) => {
                self.expr(scrutinee);
                for arm in arms {
                    if let PatternKind::Constructor(name, fields) = &arm.pattern.kind {
                        self.name(&name.name);
                        self.local.extend(fields.iter().filter_map(|(n, _)| n.as_ref()).map(|n| n.name.as_str()));
                    }
                    self.expr(&arm.body);
                }
            }
            ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Str(_) | ExprKind::Bool(_) | ExprKind::Error => {}
        }
    }
}

impl<'a> Checker<'a> {
    /// Whether the value of an expression depends on constants, itself or through the functions that it calls.
    pub(in crate::check) fn mentions_constant(&self, expr: &'a Expr) -> bool {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            let mut references = References { globals: &self.globals, found: Vec::new(), local: FxHashSet::default() };
            references.expr(expr);
            for node in references.found {
                match node {
                    Node::Const(_) => return true,
                    Node::Fun(name) if seen.insert(name) => open.push(&self.globals.funs[name].decl.body),
                    _ => {}
                }
            }
        }
        false
    }
}
