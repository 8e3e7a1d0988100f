//! The declarations of all files: types, constants, functions, gates, channels, processes, systems.

mod order;
pub(in crate::check) mod recursion;
mod types;

use std::cell::Cell;

use rustc_hash::FxHashMap;
use sioco_model::eval;
use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sort::Sort;
use sioco_model::{DataId, Id, SortId, TermId, Value};

use order::Node;

use crate::check::expr::{Scope, Typed};
use crate::check::{CheckOptions, Checker, listed};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::ast::*;
use crate::syntax::parser::parse_expr;

/// The declarations, by name. Types, values (constants and constructors), functions, gates with channels, and
/// processes with systems each have names of their own.
#[derive(Default)]
pub(in crate::check) struct Globals<'a> {
    pub(in crate::check) types: FxHashMap<&'a str, Global<&'a TypeDecl, SortId>>,
    pub(in crate::check) consts: FxHashMap<&'a str, Global<&'a ConstDecl, (Value, SortId)>>,
    pub(in crate::check) funs: FxHashMap<&'a str, Global<&'a FunDecl, Function>>,
    /// Constructor to (type, position).
    pub(in crate::check) constructors: FxHashMap<&'a str, (&'a str, u32)>,
    pub(in crate::check) gates: Vec<GateEntry<'a>>,
    pub(in crate::check) channels: Vec<ChannelEntry<'a>>,
    pub(in crate::check) gate_names: FxHashMap<&'a str, GateOrChannel>,
    pub(in crate::check) processes: Vec<(FileId, &'a ProcessDecl)>,
    pub(in crate::check) process_names: FxHashMap<&'a str, usize>,
    /// Where each name of a process or system was declared first.
    process_or_system: FxHashMap<&'a str, Span>,
    pub(in crate::check) systems: Vec<(FileId, &'a SystemDecl)>,
    /// Purposes have names of their own, too.
    pub(in crate::check) purposes: Vec<&'a PurposeDecl>,
    /// The declared types, constants and functions, in order.
    order: Vec<Node<'a>>,
    /// How many parts each data type has, its fields' types included.
    parts: Vec<u64>,
    /// Functions that call each other in a circle and have a bound, each with a number of its circle.
    pub(in crate::check) circles: FxHashMap<&'a str, usize>,
    /// The bodies of these, with calls inside of the circle not yet replaced.
    pub(in crate::check) bodies: FxHashMap<&'a str, Function>,
    /// Their parameters and results.
    pub(in crate::check) signatures: FxHashMap<&'a str, Option<(Vec<SortId>, SortId)>>,
    /// The circle of the function whose body is being read.
    pub(in crate::check) inside: Option<&'a str>,
    /// Calls already expanded.
    pub(in crate::check) expanded: FxHashMap<(&'a str, Box<[TermId]>), TermId>,
}

/// A declaration with what it was resolved to; `None` if it is wrong, and that was reported.
pub(in crate::check) struct Global<D, R> {
    pub(in crate::check) decl: D,
    pub(in crate::check) result: Option<R>,
    pub(in crate::check) used: Cell<bool>,
    pub(in crate::check) file: FileId,
}

impl<D, R> Global<D, R> {
    /// One that nobody has resolved or used yet.
    fn new(decl: D, file: FileId) -> Self {
        Global { decl, result: None, used: Cell::new(false), file }
    }
}

/// A function: its parameters' sorts and its body over [`Term::Param`](sioco_model::term::Term::Param).
#[derive(Clone)]
pub(in crate::check) struct Function {
    pub(in crate::check) params: Vec<SortId>,
    pub(in crate::check) result: SortId,
    pub(in crate::check) body: TermId,
}

pub(in crate::check) struct GateEntry<'a> {
    pub(in crate::check) decl: &'a GateDecl,
    pub(in crate::check) params: Vec<ResolvedParam>,
    pub(in crate::check) used: Cell<bool>,
    pub(in crate::check) file: FileId,
}

pub(in crate::check) struct ChannelEntry<'a> {
    pub(in crate::check) decl: &'a ChannelDecl,
    pub(in crate::check) params: Vec<ResolvedParam>,
    pub(in crate::check) used: Cell<bool>,
    pub(in crate::check) file: FileId,
}

/// A parameter of a gate or channel; the sort is `None` if its type is wrong.
#[derive(Clone)]
pub(in crate::check) struct ResolvedParam {
    pub(in crate::check) name: String,
    pub(in crate::check) sort: Option<SortId>,
    pub(in crate::check) tolerance: Option<Rational>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum GateOrChannel {
    Gate(usize),
    Channel(usize),
}

/// The types that need no declaration.
pub(in crate::check) const BUILTIN_TYPES: [&str; 15] = [
    "Bool", "Int", "Real", "String", "Seq", "Set", "Map", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16",
    "UInt32", "UInt64",
];

/// Where a tolerance may stand.
pub(in crate::check) const TOLERANCE: &str = "only a Real parameter of an `output` can have a tolerance";

/// `--const` options, parsed.
pub(in crate::check) type Overrides = Vec<(String, Expr)>;

/// Parses the values of `--const` options; each becomes a source of its own, so that problems can point into it.
pub(in crate::check) fn parse_overrides(
    sources: &mut SourceMap,
    options: &CheckOptions,
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
    pub(in crate::check) fn collect(&mut self, files: &'a [(FileId, File)]) {
        for (file, tree) in files {
            for item in &tree.items {
                self.collect_item(*file, item);
            }
        }
    }

    pub(in crate::check) fn collect_item(&mut self, file: FileId, item: &'a Item) {
        match &item.kind {
            ItemKind::Import(_) => {}
            ItemKind::Type(decl) => self.collect_type(file, decl),
            ItemKind::Const(decl) => self.collect_const(file, decl),
            ItemKind::Fun(decl) => self.collect_fun(file, decl),
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
            ItemKind::Purpose(decl) => self.globals.purposes.push(decl),
        }
    }

    fn collect_type(&mut self, file: FileId, decl: &'a TypeDecl) {
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
        self.globals.types.insert(name, Global::new(decl, file));
        self.globals.order.push(Node::Type(name));
        let TypeBody::Variants(variants) = &decl.body else { return };
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

    fn collect_const(&mut self, file: FileId, decl: &'a ConstDecl) {
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
        self.globals.consts.insert(name, Global::new(decl, file));
        self.globals.order.push(Node::Const(name));
    }

    fn collect_fun(&mut self, file: FileId, decl: &'a FunDecl) {
        let name = decl.name.name.as_str();
        if name.is_empty() {
            return;
        }
        if super::expr::FIRST_FUNCTIONS.contains(&name) {
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
        self.globals.funs.insert(name, Global::new(decl, file));
        self.globals.order.push(Node::Fun(name));
    }

    pub(in crate::check) fn new_gate_name(&mut self, name: &'a Ident, entry: GateOrChannel) -> bool {
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

    pub(in crate::check) fn new_process_name(&mut self, name: &'a Ident) -> bool {
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

    pub(in crate::check) fn gate_name(&self, entry: GateOrChannel) -> &'a Ident {
        match entry {
            GateOrChannel::Gate(i) => &self.globals.gates[i].decl.name,
            GateOrChannel::Channel(i) => &self.globals.channels[i].decl.name,
        }
    }

    pub(in crate::check) fn constructor_span(&self, name: &str) -> Option<Span> {
        let (ty, index) = self.globals.constructors.get(name)?;
        match &self.globals.types.get(ty)?.decl.body {
            TypeBody::Variants(all) => Some(all[*index as usize].name.span),
            _ => None,
        }
    }

    /// Reports that a name was declared before.
    pub(in crate::check) fn duplicate(&mut self, what: &str, name: &Ident, first: Span) {
        if name.name.is_empty() {
            return;
        }
        self.report(
            Diagnostic::new(Code::Duplicate, name.span, format!("the {what} `{}` is declared twice", name.name))
                .label("declared again here")
                .also(first, "first declared here")
                .help("rename or remove one of them"),
        );
    }

    /// A text on the command line that should be a string has no quotes, most likely: shells take them away.
    pub(in crate::check) fn find_missing_quotes(&mut self, overrides: &Overrides, options: &CheckOptions) {
        for (name, expr) in overrides {
            let Some((_, text)) = options.consts.iter().find(|(n, _)| n == name) else { continue };
            let Some(constant) = self.globals.consts.get(name.as_str()) else { continue };
            let decl = constant.decl;
            if constant.result.is_some() || text.trim_start().starts_with('"') || !self.is_string(decl) {
                continue;
            }
            let is_about = |d: &Diagnostic| d.primary.as_ref().is_some_and(|p| p.span.file == expr.span.file);
            // The name of a constant that is there may be misspelt.
            if self
                .diagnostics
                .iter()
                .any(|d| is_about(d) && d.help.iter().any(|help| help.starts_with("did you mean")))
            {
                continue;
            }
            self.diagnostics.retain(|d| !is_about(d));
            let span = Span { file: expr.span.file, start: 0, end: text.len() as u32 };
            let word = crate::shell::word(&format!("{name}={}", sioco_model::value::quote(text)));
            let message = format!("`{name}` is a String, and strings have double quotes");
            let d = Diagnostic::new(Code::TypeMismatch, span, message).label("this has none");
            self.report(d.help(format!("the shell removes quotes unless they are quoted: write `--const {word}`")));
        }
    }

    /// Whether a constant is declared as a string, as far as that can be seen without its value.
    fn is_string(&mut self, decl: &'a ConstDecl) -> bool {
        match &decl.ty {
            Some(ty) => {
                let before = self.diagnostics.len();
                let sort = self.resolve_type(ty);
                // What is wrong with the type was told before.
                self.diagnostics.truncate(before);
                sort == Some(self.sorts.string)
            }
            None => matches!(decl.value.kind, ExprKind::Str(_)),
        }
    }

    /// Resolves all types, constants, functions, gates and channels.
    pub(in crate::check) fn resolve_globals(&mut self, overrides: &'a Overrides) {
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
                Node::Fun(name) if self.globals.circles.contains_key(name) => {
                    self.globals.inside = Some(name);
                    let body = self.resolve_fun(self.globals.funs[name].decl);
                    self.globals.inside = None;
                    self.globals.bodies.extend(body.map(|body| (name, body)));
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
            let name = decl.name.name.as_str();
            if sioco_model::model::is_end(name) && (decl.input || !decl.params.is_empty()) {
                let what = if name == sioco_model::model::CRASHED { "a crash" } else { "the end" };
                self.report(
                    Diagnostic::new(
                        Code::Reserved,
                        decl.name.span,
                        format!("`{name}` is {what} of the system under test"),
                    )
                    .help(format!("declare it as `output {name}`, without parameters, or choose another name")),
                );
            }
            self.globals.gates[i].params = params;
        }
        for i in 0..self.globals.channels.len() {
            let params = self.resolve_params(&self.globals.channels[i].decl.params, false);
            self.globals.channels[i].params = params;
        }
    }

    pub(in crate::check) fn resolve_const(&mut self, decl: &'a ConstDecl, value: &'a Expr) -> Option<(Value, SortId)> {
        let sort = match &decl.ty {
            Some(ty) => Some(self.resolve_type(ty)?),
            None => None,
        };
        self.constant(value, sort)
    }

    pub(in crate::check) fn resolve_fun(&mut self, decl: &'a FunDecl) -> Option<Function> {
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
    pub(in crate::check) fn constant(&mut self, expr: &'a Expr, expected: Option<SortId>) -> Option<(Value, SortId)> {
        let mut scope = Scope::default();
        let typed = self.expr(expr, expected, &mut scope)?;
        let sort = expected.unwrap_or(typed.sort);
        let term = self.coerce_expr(typed, sort, expr, "this constant")?;
        let value = self.evaluate(term, expr.span)?;
        Some((value, sort))
    }

    /// The value of a term without variables.
    pub(in crate::check) fn evaluate(&mut self, term: TermId, span: Span) -> Option<Value> {
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
                self.report(d.help("correct this expression, or the constants that it uses"));
                None
            }
        }
    }

    pub(in crate::check) fn out_of_range(&mut self, value: &Value, sort: SortId, span: Span) {
        let shown = self.sorts.show(self.sorts.base(sort), value);
        let range = self.sorts.name(sort);
        let message = format!("{shown} is outside of `{range}`");
        let d = Diagnostic::new(Code::OutOfRange, span, message).label("this value");
        self.report(d.help("use a value of the range, or widen the range where the type is given"));
    }

    /// The data type and position of a constructor, whose type is then in use.
    pub(in crate::check) fn constructor(&self, name: &str) -> Option<(SortId, DataId, u32)> {
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

/// Names shorter than this are too easily near to each other for a fix that is certain: one letter is a third of `in2`.
pub(in crate::check) const SURE_LENGTH: usize = 4;

/// Adds "did you mean"; and the fix, where the name is long enough for the guess to be sure.
pub(in crate::check) fn suggest(d: Diagnostic, name: &Ident, near: Option<String>) -> Diagnostic {
    match near {
        Some(near) if name.name.chars().count() >= SURE_LENGTH || near.eq_ignore_ascii_case(&name.name) => {
            d.help(format!("did you mean `{near}`?")).fix(name.span, near)
        }
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d,
    }
}

/// Like [`suggest`], with other help if no name is near.
pub(in crate::check) fn suggest_or(
    d: Diagnostic,
    name: &Ident,
    near: Option<String>,
    otherwise: impl FnOnce() -> String,
) -> Diagnostic {
    if near.is_some() { suggest(d, name, near) } else { d.help(otherwise()) }
}

/// The integer of a literal.
pub(in crate::check) fn literal_int(text: &str) -> Option<BigInt> {
    number::parse_integer(text)
}

/// Ids of entities that are counted from zero.
pub(in crate::check) fn id<I: Id>(index: usize) -> I {
    I::from_index(index)
}
