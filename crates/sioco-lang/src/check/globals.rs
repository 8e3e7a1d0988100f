//! The declarations of all files: types, constants, functions, gates, channels, processes, systems.

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::eval;
use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sort::{Constructor, DataType, Field, Sort};
use sioco_model::{DataId, Id, SortId, TermId, Value};

use super::expr::{Scope, Typed};
use super::{Checker, Options, listed};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::ast::*;
use crate::syntax::parser::parse_expr;

/// How many circles of declarations are reported.
const MAX_CIRCLES: usize = 20;

/// The declarations, by name. Types, values (constants and constructors), functions, gates with channels, and
/// processes with systems each have names of their own.
#[derive(Default)]
pub(super) struct Globals<'a> {
    pub(super) types: FxHashMap<&'a str, Global<&'a TypeDecl, SortId>>,
    pub(super) consts: FxHashMap<&'a str, Global<&'a ConstDecl, (Value, SortId)>>,
    pub(super) funs: FxHashMap<&'a str, Global<&'a FunDecl, Function>>,
    /// Constructor to (type, position).
    pub(super) constructors: FxHashMap<&'a str, (&'a str, u32)>,
    pub(super) gates: Vec<GateEntry<'a>>,
    pub(super) channels: Vec<ChannelEntry<'a>>,
    pub(super) gate_names: FxHashMap<&'a str, GateOrChannel>,
    pub(super) processes: Vec<(FileId, &'a ProcessDecl)>,
    pub(super) process_names: FxHashMap<&'a str, usize>,
    /// Where each name of a process or system was declared first.
    process_or_system: FxHashMap<&'a str, Span>,
    pub(super) systems: Vec<(FileId, &'a SystemDecl)>,
    /// The declared types, constants and functions, in order.
    order: Vec<Node<'a>>,
    /// How many parts each data type has, its fields' types included.
    parts: Vec<u64>,
    /// Calls already expanded.
    pub(super) expanded: FxHashMap<(&'a str, Box<[TermId]>), TermId>,
}

/// A declaration with what it was resolved to; `None` if it is wrong, and that was reported.
pub(super) struct Global<D, R> {
    pub(super) decl: D,
    pub(super) result: Option<R>,
    pub(super) used: Cell<bool>,
    pub(super) file: FileId,
}

/// A function: its parameters' sorts and its body over [`Term::Param`](sioco_model::term::Term::Param).
#[derive(Clone)]
pub(super) struct Function {
    pub(super) params: Vec<SortId>,
    pub(super) result: SortId,
    pub(super) body: TermId,
}

pub(super) struct GateEntry<'a> {
    pub(super) decl: &'a GateDecl,
    pub(super) params: Vec<ResolvedParam>,
    pub(super) used: Cell<bool>,
    pub(super) file: FileId,
}

pub(super) struct ChannelEntry<'a> {
    pub(super) decl: &'a ChannelDecl,
    pub(super) params: Vec<ResolvedParam>,
    pub(super) used: Cell<bool>,
    pub(super) file: FileId,
}

/// A parameter of a gate or channel; the sort is `None` if its type is wrong.
#[derive(Clone)]
pub(super) struct ResolvedParam {
    pub(super) name: String,
    pub(super) sort: Option<SortId>,
    pub(super) tolerance: Option<Rational>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GateOrChannel {
    Gate(usize),
    Channel(usize),
}

/// A type, constant or function, for ordering.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node<'a> {
    Type(&'a str),
    Const(&'a str),
    Fun(&'a str),
}

/// The types that need no declaration.
pub(super) const BUILTIN_TYPES: [&str; 5] = ["Bool", "Int", "Real", "String", "Seq"];

/// Types of other languages, and what they are here.
const TYPE_SYNONYMS: [(&str, &str); 7] = [
    ("Integer", "Int"),
    ("Boolean", "Bool"),
    ("Float", "Real"),
    ("Double", "Real"),
    ("Decimal", "Real"),
    ("Text", "String"),
    ("Str", "String"),
];

/// Where a tolerance may stand.
pub(super) const TOLERANCE: &str = "only a Real parameter of an `output` can have one";

/// How many parts a type may have: a few that double from one to the next would otherwise fill any memory.
const MAX_PARTS: u64 = 10_000;

/// `--const` options, parsed.
pub(super) type Overrides = Vec<(String, Expr)>;

/// Parses the values of `--const` options; each becomes a source of its own, so that problems can point into it.
pub(super) fn parse_overrides(
    sources: &mut SourceMap,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Overrides {
    let mut all: Overrides = Vec::new();
    for (name, text) in &options.consts {
        let file = sources.add(format!("--const {name}"), text.clone());
        let (expr, problems) = parse_expr(file, text);
        diagnostics.extend(problems);
        if let Some((_, first)) = all.iter().find(|(n, _)| n == name) {
            diagnostics.push(
                Diagnostic::new(Code::Duplicate, expr.span, format!("`--const {name}` is given twice"))
                    .label("given again here")
                    .also(first.span, "first given here")
                    .help("give each constant one value"),
            );
            continue;
        }
        all.push((name.clone(), expr));
    }
    all
}

impl<'a> Checker<'a> {
    /// Enters every declaration under its name.
    pub(super) fn collect(&mut self, files: &'a [(FileId, File)]) {
        for (file, tree) in files {
            for item in &tree.items {
                self.collect_item(*file, item);
            }
        }
    }

    fn collect_item(&mut self, file: FileId, item: &'a Item) {
        fn global<D, R>(decl: D, file: FileId) -> Global<D, R> {
            Global { decl, result: None, used: Cell::new(false), file }
        }
        match &item.kind {
            ItemKind::Import(_) => {}
            ItemKind::Type(decl) => {
                let name = decl.name.name.as_str();
                if name.is_empty() {
                    return;
                }
                if BUILTIN_TYPES.contains(&name) {
                    let message = format!("`{name}` is a type of the language");
                    self.report(Diagnostic::new(Code::Reserved, decl.name.span, message).help("choose another name"));
                    return;
                }
                if let Some(first) = self.globals.types.get(name) {
                    let first = first.decl.name.span;
                    self.duplicate("type", &decl.name, first);
                    return;
                }
                self.globals.types.insert(name, global(decl, file));
                self.globals.order.push(Node::Type(name));
                if let TypeBody::Variants(variants) = &decl.body {
                    for (i, variant) in variants.iter().enumerate() {
                        let ctor = variant.name.name.as_str();
                        let value = self.globals.consts.get(ctor).map(|c| c.decl.name.span);
                        let fun = self.globals.funs.get(ctor).map(|f| f.decl.name.span);
                        if let Some(first) = self.constructor_span(ctor) {
                            self.duplicate("constructor", &variant.name, first);
                        } else if let Some(first) = value.or(fun) {
                            self.duplicate("name", &variant.name, first);
                        } else {
                            self.globals.constructors.insert(ctor, (name, i as u32));
                        }
                    }
                }
            }
            ItemKind::Const(decl) => {
                let name = decl.name.name.as_str();
                if name.is_empty() {
                    return;
                }
                if let Some(first) = self.globals.consts.get(name) {
                    let first = first.decl.name.span;
                    self.duplicate("constant", &decl.name, first);
                    return;
                }
                if let Some(first) = self.constructor_span(name) {
                    self.duplicate("name", &decl.name, first);
                    return;
                }
                self.globals.consts.insert(name, global(decl, file));
                self.globals.order.push(Node::Const(name));
            }
            ItemKind::Fun(decl) => {
                let name = decl.name.name.as_str();
                if name.is_empty() {
                    return;
                }
                if super::expr::BUILTIN_FUNCTIONS.contains(&name) {
                    let message = format!("`{name}` is a function of the language");
                    self.report(Diagnostic::new(Code::Reserved, decl.name.span, message).help("choose another name"));
                    return;
                }
                if let Some(first) = self.globals.funs.get(name) {
                    let first = first.decl.name.span;
                    self.duplicate("function", &decl.name, first);
                    return;
                }
                if let Some(first) = self.constructor_span(name) {
                    self.duplicate("name", &decl.name, first);
                    return;
                }
                self.globals.funs.insert(name, global(decl, file));
                self.globals.order.push(Node::Fun(name));
            }
            ItemKind::Gate(decl) => {
                if !self.new_gate_name(&decl.name, GateOrChannel::Gate(self.globals.gates.len())) {
                    return;
                }
                self.globals.gates.push(GateEntry { decl, params: Vec::new(), used: Cell::new(false), file });
            }
            ItemKind::Channel(decl) => {
                if !self.new_gate_name(&decl.name, GateOrChannel::Channel(self.globals.channels.len())) {
                    return;
                }
                self.globals.channels.push(ChannelEntry { decl, params: Vec::new(), used: Cell::new(false), file });
            }
            ItemKind::Process(decl) => {
                if self.new_process_name(&decl.name) {
                    self.globals.process_names.insert(&decl.name.name, self.globals.processes.len());
                }
                self.globals.processes.push((file, decl));
            }
            ItemKind::System(decl) => {
                self.new_process_name(&decl.name);
                self.globals.systems.push((file, decl));
            }
        }
    }

    fn new_gate_name(&mut self, name: &'a Ident, entry: GateOrChannel) -> bool {
        if name.name.is_empty() {
            return false;
        }
        if let Some(&first) = self.globals.gate_names.get(name.name.as_str()) {
            let first = self.gate_name(first).span;
            self.duplicate("gate or channel", name, first);
            return false;
        }
        self.globals.gate_names.insert(&name.name, entry);
        true
    }

    fn new_process_name(&mut self, name: &'a Ident) -> bool {
        if name.name.is_empty() {
            return true;
        }
        if let Some(&first) = self.globals.process_or_system.get(name.name.as_str()) {
            self.duplicate("process or system", name, first);
            return false;
        }
        self.globals.process_or_system.insert(&name.name, name.span);
        true
    }

    pub(super) fn gate_name(&self, entry: GateOrChannel) -> &'a Ident {
        match entry {
            GateOrChannel::Gate(i) => &self.globals.gates[i].decl.name,
            GateOrChannel::Channel(i) => &self.globals.channels[i].decl.name,
        }
    }

    pub(super) fn constructor_span(&self, name: &str) -> Option<Span> {
        let (ty, index) = self.globals.constructors.get(name)?;
        match &self.globals.types.get(ty)?.decl.body {
            TypeBody::Variants(all) => Some(all[*index as usize].name.span),
            _ => None,
        }
    }

    /// Reports that a name was declared before.
    pub(super) fn duplicate(&mut self, what: &str, name: &Ident, first: Span) {
        if name.name.is_empty() {
            return;
        }
        self.report(
            Diagnostic::new(Code::Duplicate, name.span, format!("the {what} `{}` is declared twice", name.name))
                .label("declared again here")
                .also(first, "first declared here")
                .help("rename one of them, or take it out"),
        );
    }

    /// Resolves all types, constants, functions, gates and channels.
    pub(super) fn resolve_globals(&mut self, overrides: &'a Overrides) {
        for (name, expr) in overrides {
            if !self.globals.consts.contains_key(name.as_str()) {
                let d =
                    Diagnostic::new(Code::UnknownName, expr.span, format!("there is no constant `{name}` to override"));
                let near = self.near(name, self.globals.consts.keys().copied());
                let all: Vec<&str> = {
                    let mut all: Vec<&str> = self.globals.consts.keys().copied().collect();
                    all.sort_unstable();
                    all
                };
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if all.is_empty() => "the model declares no constants".into(),
                    None => format!("the constants are: {}", listed(&all, ", ")),
                };
                self.report(d.help(help));
            }
        }
        for node in self.dependency_order(overrides) {
            match node {
                Node::Type(name) => {
                    let sort = self.resolve_type_decl(self.globals.types[name].decl);
                    self.globals.types.get_mut(name).expect("collected").result = sort;
                }
                Node::Const(name) => {
                    let decl = self.globals.consts[name].decl;
                    let value = overrides.iter().rev().find(|(n, _)| n == name).map_or(&decl.value, |(_, e)| e);
                    let result = self.resolve_const(decl, value);
                    self.globals.consts.get_mut(name).expect("collected").result = result;
                }
                Node::Fun(name) => {
                    let result = self.resolve_fun(self.globals.funs[name].decl);
                    self.globals.funs.get_mut(name).expect("collected").result = result;
                }
            }
        }
        for i in 0..self.globals.gates.len() {
            let decl = self.globals.gates[i].decl;
            let params = self.resolve_params(&decl.params, !decl.input);
            if decl.name.name == sioco_model::model::CLOSED && (decl.input || !decl.params.is_empty()) {
                self.report(
                    Diagnostic::new(Code::Reserved, decl.name.span, "`closed` is the end of the system under test")
                        .help("declare it as `output closed`, without parameters, or choose another name"),
                );
            }
            self.globals.gates[i].params = params;
        }
        for i in 0..self.globals.channels.len() {
            let params = self.resolve_params(&self.globals.channels[i].decl.params, false);
            self.globals.channels[i].params = params;
        }
    }

    /// The declarations in an order in which each comes after those it needs; circles are reported and cut.
    fn dependency_order(&mut self, overrides: &'a Overrides) -> Vec<Node<'a>> {
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
                    references.local.extend(decl.params.iter().map(|p| p.name.name.as_str()));
                    references.expr(&decl.body);
                }
            }
            needs.insert(node, references.found);
        }
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
                if let Some(&position) = on_path.get(&target) {
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

    fn report_circle(&mut self, circle: &[Node<'a>]) {
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
                .help("describe it flat: a `Seq` of records, say, that name each other by position")
        } else {
            let what = match circle[0] {
                Node::Fun(_) => "the function",
                Node::Const(_) => "the constant",
                Node::Type(_) => "the type",
            };
            let help = if circle.iter().any(|n| matches!(n, Node::Fun(_))) {
                "a function is replaced by its body where it is called, so it cannot call itself; use a loop of switches"
            } else {
                "give one of them a value that does not depend on the others"
            };
            Diagnostic::new(Code::RecursiveFunction, first.span, format!("{what} `{}` needs itself", first.name))
                .help(help)
        };
        let d = if circle.len() > 1 { d.note(format!("the circle: {path}")) } else { d };
        self.report(d);
    }

    fn resolve_type_decl(&mut self, decl: &'a TypeDecl) -> Option<SortId> {
        let (constructors, record) = match &decl.body {
            TypeBody::Alias(ty) => return self.resolve_type(ty),
            TypeBody::Record(fields) => {
                let constructor = Constructor { name: decl.name.name.clone(), fields: self.resolve_fields(fields)? };
                (vec![constructor], true)
            }
            TypeBody::Variants(variants) => {
                let mut constructors = Vec::new();
                for v in variants {
                    constructors
                        .push(Constructor { name: v.name.name.clone(), fields: self.resolve_fields(&v.fields)? });
                }
                (constructors, false)
            }
        };
        let fields = constructors.iter().flat_map(|c| &c.fields);
        let parts = fields.fold(1u64, |sum, f| sum.saturating_add(self.parts(f.sort)));
        if parts > MAX_PARTS {
            self.report(
                Diagnostic::new(
                    Code::TooLargeTerm,
                    decl.name.span,
                    format!("`{}` is too large a type", decl.name.name),
                )
                .note(format!("with its fields, and theirs, it has more than {MAX_PARTS} parts"))
                .help("a sequence `Seq<T>` has as many items as it needs"),
            );
            return None;
        }
        let data: DataId = self.sorts.data.push(DataType { name: decl.name.name.clone(), record, constructors });
        self.globals.parts.push(parts);
        Some(self.sorts.data_sort(data))
    }

    /// How many parts a value of a sort can have, sequences counted as one.
    fn parts(&self, sort: SortId) -> u64 {
        match self.sorts.get(sort) {
            Sort::Data(data) => self.globals.parts[data.index()],
            _ => 1,
        }
    }

    fn resolve_fields(&mut self, fields: &'a [ParamDecl]) -> Option<Vec<Field>> {
        let params = self.resolve_params(fields, false);
        params.into_iter().map(|p| Some(Field { name: p.name, sort: p.sort? })).collect()
    }

    /// Resolves parameters or fields; duplicate names and misplaced tolerances are reported.
    pub(super) fn resolve_params(&mut self, params: &'a [ParamDecl], tolerance_allowed: bool) -> Vec<ResolvedParam> {
        let mut resolved: Vec<ResolvedParam> = Vec::new();
        for (i, p) in params.iter().enumerate() {
            if let Some(first) = params[..i].iter().find(|q| q.name.name == p.name.name) {
                self.duplicate("parameter", &p.name, first.name.span);
            }
            let sort = self.resolve_type(&p.ty);
            let mut tolerance = None;
            if let Some(expr) = &p.tolerance {
                let real = sort.is_none_or(|s| matches!(self.sorts.get(s), Sort::Real { .. }));
                if !tolerance_allowed || !real {
                    self.report(
                        Diagnostic::new(Code::BadTolerance, expr.span, "a tolerance cannot stand here").help(TOLERANCE),
                    );
                } else if let Some((value, _)) = self.constant(expr, Some(self.sorts.real)) {
                    let value = number::to_rational(&value).expect("a Real");
                    if value < Rational::ZERO {
                        let d = Diagnostic::new(Code::BadTolerance, expr.span, "a tolerance cannot be negative");
                        self.report(d.help("give the greatest distance that is allowed, in either direction"));
                    } else {
                        tolerance = Some(value);
                    }
                }
            }
            resolved.push(ResolvedParam { name: p.name.name.clone(), sort, tolerance });
        }
        resolved
    }

    /// The sort of a type as written.
    pub(super) fn resolve_type(&mut self, ty: &'a TypeExpr) -> Option<SortId> {
        match &ty.kind {
            TypeExprKind::Error => None,
            TypeExprKind::Name(name) => match name.name.as_str() {
                "Bool" => Some(self.sorts.bool),
                "Int" => Some(self.sorts.int),
                "Real" => Some(self.sorts.real),
                "String" => Some(self.sorts.string),
                other => {
                    if let Some(entry) = self.globals.types.get(other) {
                        entry.used.set(true);
                        return entry.result;
                    }
                    let d = Diagnostic::new(Code::UnknownType, name.span, format!("there is no type `{other}`"));
                    let known = BUILTIN_TYPES.iter().copied().chain(self.globals.types.keys().copied());
                    let synonym = TYPE_SYNONYMS.iter().find(|(word, _)| word.eq_ignore_ascii_case(other));
                    let near = match synonym {
                        Some((_, meant)) => Some((*meant).to_string()),
                        None => self.near(other, known),
                    };
                    let lists = ["List", "Array", "Vec", "Vector"];
                    let d = if lists.iter().any(|l| l.eq_ignore_ascii_case(other)) {
                        d.help("sequences are written `Seq<T>`, such as `Seq<Int>`")
                    } else if near.as_deref() == Some("Seq") {
                        d.help("did you mean `Seq<…>`?")
                    } else {
                        suggest_or(d, name, near, || format!("declare it: `type {other} = …`"))
                    };
                    self.report(d);
                    None
                }
            },
            TypeExprKind::Seq(item) => {
                let item = self.resolve_type(item)?;
                Some(self.sorts.seq(item))
            }
            TypeExprKind::Range(base, lo, hi) => {
                let sort = self.resolve_type(base)?;
                let base_sort = self.sorts.base(sort);
                if !self.sorts.is_numeric(base_sort) {
                    let name = self.sorts.name(sort);
                    self.report(
                        Diagnostic::new(Code::TypeMismatch, base.span, format!("`{name}` has no ranges"))
                            .help("ranges are for Int and Real"),
                    );
                    return None;
                }
                let mut bound = |e: &'a Option<Box<Expr>>| -> Option<Option<Value>> {
                    match e {
                        None => Some(None),
                        Some(e) => self.constant(e, Some(base_sort)).map(|(v, _)| Some(v)),
                    }
                };
                let (lo, hi) = (bound(lo), bound(hi));
                self.range(sort, lo?, hi?, ty.span)
            }
        }
    }

    fn range(&mut self, outer: SortId, lo: Option<Value>, hi: Option<Value>, span: Span) -> Option<SortId> {
        fn tighter<T: PartialOrd + Clone>(a: Option<T>, b: &Option<T>, low: bool) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(if (a < *b) == low { b.clone() } else { a }),
                (a, b) => a.or_else(|| b.clone()),
            }
        }
        let (sort, empty) = match self.sorts.get(outer) {
            Sort::Int { lo: olo, hi: ohi } => {
                let lo = tighter(lo.as_ref().and_then(number::to_big), olo, true);
                let hi = tighter(hi.as_ref().and_then(number::to_big), ohi, false);
                let empty = matches!((&lo, &hi), (Some(lo), Some(hi)) if lo > hi);
                (Sort::Int { lo, hi }, empty)
            }
            Sort::Real { lo: olo, hi: ohi } => {
                let lo = tighter(lo.as_ref().and_then(number::to_rational), olo, true);
                let hi = tighter(hi.as_ref().and_then(number::to_rational), ohi, false);
                let empty = matches!((&lo, &hi), (Some(lo), Some(hi)) if lo > hi);
                (Sort::Real { lo, hi }, empty)
            }
            _ => return None,
        };
        if empty {
            self.report(
                Diagnostic::new(Code::EmptyRange, span, "this range has no values")
                    .help("the lower bound comes first: `lo..hi`, both included"),
            );
            return None;
        }
        Some(self.sorts.intern(sort))
    }

    fn resolve_const(&mut self, decl: &'a ConstDecl, value: &'a Expr) -> Option<(Value, SortId)> {
        let sort = match &decl.ty {
            Some(ty) => Some(self.resolve_type(ty)?),
            None => None,
        };
        self.constant(value, sort)
    }

    fn resolve_fun(&mut self, decl: &'a FunDecl) -> Option<Function> {
        let params = self.resolve_params(&decl.params, false);
        let result = self.resolve_type(&decl.result);
        let mut scope = Scope::default();
        for (i, (p, d)) in params.iter().zip(&decl.params).enumerate() {
            if params[..i].iter().any(|q| q.name == p.name) {
                continue;
            }
            let typed = p.sort.map(|sort| {
                let base = self.sorts.base(sort);
                Typed { term: self.terms.param(i as u32, base), sort }
            });
            self.bind(&mut scope, &d.name, typed);
        }
        let body = self.expr(&decl.body, result, &mut scope);
        self.unbind(&mut scope, 0);
        let body = self.coerce(body?, result?, decl.body.span, "the body of the function")?;
        let params: Option<Vec<SortId>> = params.iter().map(|p| p.sort).collect();
        Some(Function { params: params?, result: result?, body })
    }

    /// The value of a constant expression.
    pub(super) fn constant(&mut self, expr: &'a Expr, expected: Option<SortId>) -> Option<(Value, SortId)> {
        let mut scope = Scope::default();
        let typed = self.expr(expr, expected, &mut scope)?;
        let sort = expected.unwrap_or(typed.sort);
        let term = self.coerce_expr(typed, sort, expr, "this constant")?;
        let value = self.evaluate(term, expr.span)?;
        Some((value, sort))
    }

    /// The value of a term without variables.
    pub(super) fn evaluate(&mut self, term: TermId, span: Span) -> Option<Value> {
        match eval::eval(&self.terms, &self.sorts, term, eval::Env::default()) {
            Ok(value) => Some(value),
            Err(eval::EvalError::OutOfRange { value, sort }) => {
                self.out_of_range(&value, sort, span);
                None
            }
            Err(error) => {
                let what = error.describe(&self.sorts);
                let message = format!("this constant expression has no value: {what}");
                let d = Diagnostic::new(Code::UndefinedConstant, span, message).label("computed before the model runs");
                self.report(d.help("correct it, or the constants that it uses"));
                None
            }
        }
    }

    pub(super) fn out_of_range(&mut self, value: &Value, sort: SortId, span: Span) {
        let shown = self.sorts.show(self.sorts.base(sort), value);
        let range = self.sorts.name(sort);
        let message = format!("{shown} is outside of `{range}`");
        let d = Diagnostic::new(Code::OutOfRange, span, message).label("this value");
        self.report(d.help("use a value of the range, or widen the range where the type is given"));
    }

    /// The data type and position of a constructor, whose type is then in use.
    pub(super) fn constructor(&self, name: &str) -> Option<(SortId, DataId, u32)> {
        let (ty, index) = self.globals.constructors.get(name)?;
        let entry = self.globals.types.get(ty)?;
        entry.used.set(true);
        let sort = entry.result?;
        match self.sorts.get(sort) {
            Sort::Data(data) => Some((sort, *data, *index)),
            _ => None,
        }
    }
}

/// Names shorter than this are too easily near to each other for a fix that is certain.
const SURE: usize = 4;

/// Adds "did you mean"; and the fix, where the name is long enough for the guess to be sure.
pub(super) fn suggest(d: Diagnostic, name: &Ident, near: Option<String>) -> Diagnostic {
    match near {
        Some(near) if name.name.chars().count() >= SURE || near.eq_ignore_ascii_case(&name.name) => {
            d.help(format!("did you mean `{near}`?")).fix(name.span, near)
        }
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d,
    }
}

/// Like [`suggest`], with other help if no name is near.
pub(super) fn suggest_or(
    d: Diagnostic,
    name: &Ident,
    near: Option<String>,
    otherwise: impl FnOnce() -> String,
) -> Diagnostic {
    if near.is_some() { suggest(d, name, near) } else { d.help(otherwise()) }
}

impl<'a> Checker<'a> {
    /// Whether the value of an expression depends on constants, itself or through the functions that it calls.
    pub(super) fn mentions_constant(&self, expr: &'a Expr) -> bool {
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

/// Collects the types, constants and functions that a declaration refers to.
struct References<'a, 'g> {
    globals: &'g Globals<'a>,
    found: Vec<Node<'a>>,
    local: FxHashSet<&'a str>,
}

impl<'a> References<'a, '_> {
    fn name(&mut self, name: &'a str) {
        if self.local.contains(name) {
            return;
        }
        if let Some((&name, _)) = self.globals.consts.get_key_value(name) {
            self.found.push(Node::Const(name));
        } else if let Some((ty, _)) = self.globals.constructors.get(name) {
            self.found.push(Node::Type(ty));
        }
    }

    fn type_name(&mut self, name: &str) {
        if let Some((&name, _)) = self.globals.types.get_key_value(name) {
            self.found.push(Node::Type(name));
        }
    }

    fn types(&mut self, types: impl Iterator<Item = &'a TypeExpr>) {
        for ty in types {
            match &ty.kind {
                TypeExprKind::Name(name) => self.type_name(&name.name),
                TypeExprKind::Seq(item) => self.types([&**item].into_iter()),
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

    fn type_body(&mut self, body: &'a TypeBody) {
        match body {
            TypeBody::Alias(ty) => self.types([ty].into_iter()),
            TypeBody::Record(fields) => self.types(fields.iter().map(|f| &f.ty)),
            TypeBody::Variants(all) => self.types(all.iter().flat_map(|v| v.fields.iter().map(|f| &f.ty))),
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
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
            ExprKind::With(base, fields) => {
                self.expr(base);
                fields.iter().for_each(|f| self.expr(&f.value));
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
            ExprKind::Seq(items) => items.iter().for_each(|e| self.expr(e)),
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

/// The integer of a literal.
pub(super) fn literal_int(text: &str) -> Option<BigInt> {
    number::parse_integer(text)
}

/// Ids of entities that are counted from zero.
pub(super) fn id<I: Id>(index: usize) -> I {
    I::from_index(index)
}
