//! Expressions: from syntax to terms, with their types checked on the way.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use sioco_model::sort::Sort;
use sioco_model::term::{MAX_DEPTH, Op, Term, item_sort};
use sioco_model::{SortId, TermId, Value, VarId, eval, number};

use super::Checker;
use super::globals::{BUILTIN_TYPES, literal_int, suggest_or};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Label, did_you_mean};
use crate::source::Span;
use crate::syntax::ast::*;

/// The functions that need no declaration.
pub(super) const BUILTIN_FUNCTIONS: [&str; 7] = ["min", "max", "abs", "floor", "len", "contains", "slice"];

/// How many terms a model may have: expansion of functions must end somewhere.
const MAX_TERMS: usize = 4_000_000;

/// A term with its sort. The sort keeps a range where one is known, so that it need not be checked again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typed {
    pub(super) term: TermId,
    pub(super) sort: SortId,
}

/// The names that an expression can use besides the global ones.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub(super) locals: Vec<Local>,
    pub(super) process: Option<&'a ProcessScope>,
    /// The variable whose new value this is: reading it for itself alone is no use of it.
    pub(super) assigning: Option<usize>,
}

/// A parameter, or a name bound by `let` or `match`.
pub(super) struct Local {
    pub(super) name: String,
    pub(super) span: Span,
    /// `None` if its declaration is wrong.
    pub(super) typed: Option<Typed>,
    pub(super) used: Cell<bool>,
}

/// The variables and parameters of a process.
#[derive(Default)]
pub(super) struct ProcessScope {
    pub(super) vars: FxHashMap<String, usize>,
    pub(super) var_sorts: Vec<Option<SortId>>,
    pub(super) var_spans: Vec<Span>,
    pub(super) var_used: Vec<Cell<bool>>,
    pub(super) params: FxHashMap<String, usize>,
    pub(super) param_sorts: Vec<Option<SortId>>,
    pub(super) param_spans: Vec<Span>,
    pub(super) param_used: Vec<Cell<bool>>,
}

impl<'a> Checker<'a> {
    /// Brings a name into scope; hiding another name is refused.
    pub(super) fn bind(&mut self, scope: &mut Scope<'_>, name: &Ident, typed: Option<Typed>) {
        if name.name.is_empty() || name.name == "_" {
            return;
        }
        let hidden = scope
            .locals
            .iter()
            .find(|l| l.name == name.name)
            .map(|l| ("another parameter or name", l.span))
            .or_else(|| {
                let process = scope.process?;
                let var = process.vars.get(&name.name).map(|i| ("a variable", process.var_spans[*i]));
                var.or_else(|| process.params.get(&name.name).map(|i| ("a process parameter", process.param_spans[*i])))
            })
            .or_else(|| self.global_value(&name.name));
        if let Some((what, span)) = hidden {
            self.report(
                Diagnostic::new(Code::Shadowing, name.span, format!("`{}` is already the name of {what}", name.name))
                    .also(span, "declared here")
                    .help("choose another name"),
            );
        }
        let used = Cell::new(hidden.is_some());
        scope.locals.push(Local { name: name.name.clone(), span: name.span, typed, used });
    }

    /// What a global name for a value is, and where it was declared.
    pub(super) fn global_value(&self, name: &str) -> Option<(&'static str, Span)> {
        let constant = self.globals.consts.get(name).map(|c| ("a constant", c.decl.name.span));
        constant.or_else(|| self.constructor_span(name).map(|span| ("a constructor", span)))
    }

    /// Takes the names beyond the first `keep` out of scope; those that nothing read are reported.
    pub(super) fn unbind(&mut self, scope: &mut Scope<'_>, keep: usize) {
        for local in scope.locals.drain(keep..) {
            if !local.used.get() && !local.name.starts_with('_') {
                self.report(
                    Diagnostic::new(Code::UnusedParameter, local.span, format!("nothing reads `{}`", local.name))
                        .help(UNREAD),
                );
            }
        }
    }

    /// Lowers an expression. `expected` guides what cannot be known otherwise; the caller still coerces.
    pub(super) fn expr(&mut self, e: &'a Expr, expected: Option<SortId>, scope: &mut Scope<'_>) -> Option<Typed> {
        let typed = self.expr_inner(e, expected, scope)?;
        if self.terms.depth(typed.term) > MAX_DEPTH || self.terms.len() > MAX_TERMS {
            let note = if self.terms.depth(typed.term) > MAX_DEPTH {
                format!("with all functions replaced by their bodies, it is more than {MAX_DEPTH} levels deep")
            } else {
                format!("with all functions replaced by their bodies, the model has more than {MAX_TERMS} parts")
            };
            if !std::mem::replace(&mut self.too_large, true) {
                self.report(
                    Diagnostic::new(Code::TooLargeTerm, e.span, "this expression grows too large")
                        .note(note)
                        .help("do the work in several steps: a loop of switches, with a variable for what is done"),
                );
            }
            return None;
        }
        Some(typed)
    }

    fn expr_inner(&mut self, e: &'a Expr, expected: Option<SortId>, scope: &mut Scope<'_>) -> Option<Typed> {
        match &e.kind {
            ExprKind::Error => None,
            ExprKind::Paren(inner) => self.expr(inner, expected, scope),
            ExprKind::Int(text) => {
                let value = number::int(literal_int(text)?);
                Some(self.literal(value, self.sorts.int))
            }
            ExprKind::Real(text) => {
                let value = Value::real(number::parse_decimal(text)?);
                Some(self.literal(value, self.sorts.real))
            }
            ExprKind::Str(text) => Some(self.literal(Value::string(text), self.sorts.string)),
            ExprKind::Bool(b) => Some(self.literal(Value::Bool(*b), self.sorts.bool)),
            ExprKind::Name(name) => self.name(name, e.span, scope),
            ExprKind::Call(name, args) => self.call(name, args, e.span, expected, scope),
            ExprKind::Record(name, fields) => self.record(name, fields, e.span, scope),
            ExprKind::With(base, fields) => self.with(base, fields, scope),
            ExprKind::Field(base, field) => self.field(base, field, scope),
            ExprKind::Index(base, index) => {
                let seq = self.expr(base, None, scope);
                let index_typed = self.expr(index, Some(self.sorts.int), scope);
                let seq = seq?;
                let Some(item) = item_sort(&self.sorts, seq.sort) else {
                    let name = self.sorts.name(seq.sort);
                    self.report(
                        Diagnostic::new(Code::OperatorType, base.span, format!("`{name}` has no items to index"))
                            .help("`s[i]` is for String and Seq"),
                    );
                    return None;
                };
                let index = self.coerce(index_typed?, self.sorts.int, index.span, "an index")?;
                let base_item = self.sorts.base(item);
                Some(Typed { term: self.apply(Op::Index, &[seq.term, index], base_item), sort: item })
            }
            ExprKind::Seq(items) => self.sequence(items, e.span, expected, scope),
            ExprKind::Is(base, name) => {
                let value = self.expr(base, None, scope);
                let (sort, _, index) = self.known_constructor(name, value.map(|v| v.sort))?;
                let value = value?;
                if value.sort != sort {
                    let (owner, found) = (self.sorts.name(sort), self.sorts.name(value.sort));
                    let message = format!("`{}` is a constructor of `{owner}`, this is {}", name.name, a(&found));
                    let d =
                        Diagnostic::new(Code::TypeMismatch, base.span, message).label(format!("expected `{owner}`"));
                    self.report(d);
                    return None;
                }
                let term = self.apply(Op::Is(index), &[value.term], self.sorts.bool);
                Some(self.bool(term))
            }
            ExprKind::Not(inner) => {
                let t = self.condition(inner, scope, "the operand of `!`")?;
                let term = self.terms.not(&self.sorts, t);
                Some(self.bool(term))
            }
            ExprKind::Neg(inner) => {
                let t = self.expr(inner, expected, scope)?;
                let base = self.numeric(t, inner.span, "-")?;
                Some(Typed { term: self.apply(Op::Neg, &[t.term], base), sort: base })
            }
            ExprKind::Chain(first, rest) => self.chain(first, rest, expected, scope),
            ExprKind::If(arms, otherwise) => self.if_expr(arms, otherwise, expected, scope),
            ExprKind::Let(bindings, body) => {
                let keep = scope.locals.len();
                for (name, value) in bindings {
                    let typed = self.expr(value, None, scope);
                    self.bind(scope, name, typed);
                }
                let result = self.expr(body, expected, scope);
                self.unbind(scope, keep);
                result
            }
            ExprKind::Match(scrutinee, arms) => self.match_expr(scrutinee, arms, e.span, expected, scope),
        }
    }

    fn literal(&mut self, value: Value, sort: SortId) -> Typed {
        Typed { term: self.terms.constant(value, sort), sort }
    }

    fn bool(&self, term: TermId) -> Typed {
        Typed { term, sort: self.sorts.bool }
    }

    /// An operation; computed right away where all arguments are constants.
    pub(super) fn apply(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        let term = self.terms.app(op, args, sort);
        if args.iter().all(|a| self.terms.as_const(*a).is_some())
            && !matches!(op, Op::Exists { .. })
            && let Ok(value) = eval::eval(&self.terms, &self.sorts, term, eval::Env::default())
        {
            return self.terms.constant(value, sort);
        }
        term
    }

    fn name(&mut self, name: &str, span: Span, scope: &Scope<'_>) -> Option<Typed> {
        if let Some(local) = scope.locals.iter().rev().find(|l| l.name == name) {
            local.used.set(true);
            return local.typed;
        }
        if let Some(process) = scope.process {
            if let Some(&i) = process.vars.get(name) {
                if scope.assigning != Some(i) {
                    process.var_used[i].set(true);
                }
                let sort = process.var_sorts[i]?;
                let base = self.sorts.base(sort);
                return Some(Typed { term: self.terms.var(super::globals::id::<VarId>(i), base), sort });
            }
            if let Some(&i) = process.params.get(name) {
                process.param_used[i].set(true);
                let sort = process.param_sorts[i]?;
                let base = self.sorts.base(sort);
                return Some(Typed { term: self.terms.process_param(i as u32, base), sort });
            }
        }
        if let Some(entry) = self.globals.consts.get(name) {
            entry.used.set(true);
            let (value, sort) = entry.result.clone()?;
            let base = self.sorts.base(sort);
            return Some(Typed { term: self.terms.constant(value, base), sort });
        }
        if self.globals.constructors.contains_key(name) {
            let (sort, data, index) = self.constructor(name)?;
            let fields = &self.sorts.data[data].constructors[index as usize].fields;
            if !fields.is_empty() {
                let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
                let message = format!("`{name}` needs {}", count(fields.len(), "argument"));
                let help =
                    format!("write `{name}({})`; to ask whether a value is one, `… is {name}`", names.join(", "));
                let d = Diagnostic::new(Code::Arity, span, message).help(help);
                let declared = self.constructor_span(name);
                self.report(declared.into_iter().fold(d, |d, span| d.also(span, "declared here")));
                return None;
            }
            return Some(self.literal(Value::Enum(index), sort));
        }
        let ident = Ident { name: name.into(), span };
        let d = Diagnostic::new(Code::UnknownName, span, format!("nothing here is called `{name}`"));
        let d = if self.not_yet.contains(&name) {
            Diagnostic::new(Code::NotConstant, span, format!("`{name}` has no value before the model runs"))
                .label("must be known in advance")
                .help("initial values and bounds are made of constants; initial values also of process parameters")
        } else if self.globals.funs.contains_key(name) || BUILTIN_FUNCTIONS.contains(&name) {
            d.help(format!("`{name}` is a function: write `{name}(…)`"))
        } else if self.globals.types.contains_key(name) || BUILTIN_TYPES.contains(&name) {
            d.help(format!("`{name}` is a type, not a value"))
        } else if self.globals.gate_names.contains_key(name) {
            d.help(format!("`{name}` is a gate or channel, not a value"))
        } else {
            let locals = scope.locals.iter().map(|l| l.name.as_str());
            let process =
                scope.process.into_iter().flat_map(|p| p.vars.keys().chain(p.params.keys()).map(String::as_str));
            let globals = self.globals.consts.keys().chain(self.globals.constructors.keys()).copied();
            let near = did_you_mean(name, locals.chain(process).chain(globals).chain(["true", "false"]));
            let owner = self.globals.processes.iter().find(|(_, p)| p.vars.iter().any(|v| v.name.name == name));
            suggest_or(d, &ident, near, || match (scope.process, owner) {
                (None, Some((_, p))) => {
                    let process = &p.name.name;
                    format!("`{name}` is a variable of the process `{process}`; a function gets it as an argument")
                }
                (Some(_), Some((_, p))) => {
                    format!(
                        "`{name}` is a variable of another process, `{}`; send its value over a channel",
                        p.name.name
                    )
                }
                (Some(_), None) => format!("declare it in the process: `var {name}: … = …`"),
                (None, None) => format!("declare it: `const {name} = …`"),
            })
        };
        self.report(d);
        None
    }

    fn call(
        &mut self,
        name: &'a Ident,
        args: &'a [Expr],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        if BUILTIN_FUNCTIONS.contains(&name.name.as_str()) {
            return self.builtin(name, args, span, expected, scope);
        }
        if let Some((&key, entry)) = self.globals.funs.get_key_value(name.name.as_str()) {
            entry.used.set(true);
            let (result, decl) = (entry.result.clone(), entry.decl);
            if args.len() != decl.params.len() {
                self.arity(&format!("`{}`", name.name), decl.params.len(), args.len(), span, Some(decl.name.span));
            }
            let wanted: Vec<Option<SortId>> = match &result {
                Some(f) => f.params.iter().map(|p| Some(*p)).collect(),
                None => vec![None; decl.params.len()],
            };
            let mut terms = Vec::new();
            for (i, arg) in args.iter().enumerate() {
                let want = wanted.get(i).copied().flatten();
                let typed = self.expr(arg, want, scope);
                terms.push(match (typed, want) {
                    (Some(t), Some(want)) => self.coerce(t, want, arg.span, &format!("argument {}", i + 1)),
                    _ => None,
                });
            }
            let function = result?;
            let terms: Option<Vec<TermId>> = terms.into_iter().collect();
            let terms = terms.filter(|t| t.len() == function.params.len())?;
            return Some(Typed { term: self.expand(key, &function.body, terms), sort: function.result });
        }
        if self.globals.constructors.contains_key(name.name.as_str()) {
            let Some((sort, data, index)) = self.constructor(&name.name) else {
                // The type is wrong; its arguments may still have problems of their own.
                for arg in args {
                    self.expr(arg, None, scope);
                }
                return None;
            };
            let fields = self.sorts.data[data].constructors[index as usize].fields.clone();
            if fields.len() != args.len() {
                let declared = self.constructor_span(&name.name);
                self.arity(&format!("`{}`", name.name), fields.len(), args.len(), span, declared);
            }
            let mut terms = Vec::new();
            for (i, arg) in args.iter().enumerate() {
                let want = fields.get(i).map(|f| f.sort);
                let typed = self.expr(arg, want, scope);
                terms.push(match (typed, want) {
                    (Some(t), Some(want)) => self.coerce(t, want, arg.span, &format!("the field `{}`", fields[i].name)),
                    _ => None,
                });
            }
            let terms: Option<Vec<TermId>> = terms.into_iter().collect();
            let terms = terms.filter(|t| t.len() == fields.len())?;
            return Some(Typed { term: self.construct(index, &terms, sort), sort });
        }
        for arg in args {
            self.expr(arg, None, scope);
        }
        let known = self.globals.funs.keys().chain(self.globals.constructors.keys()).copied().chain(BUILTIN_FUNCTIONS);
        let near = did_you_mean(&name.name, known);
        let d = Diagnostic::new(Code::UnknownFunction, name.span, format!("there is no function `{}`", name.name));
        let text = name.name.as_str();
        let is_value = scope.locals.iter().any(|l| l.name == text)
            || scope.process.is_some_and(|p| p.vars.contains_key(text) || p.params.contains_key(text))
            || self.globals.consts.contains_key(text);
        let is_record = self.globals.types.get(text).is_some_and(|t| matches!(t.decl.body, TypeBody::Record(_)));
        let d = if is_record {
            d.help(format!("`{text}` is a record: write `{text} {{ … }}`, with the names of the fields"))
        } else if is_value {
            d.help(format!("`{text}` is a value; an item of a sequence is written `{text}[i]`"))
        } else if text == "not" {
            d.help("write `!` for “not”").fix(name.span, "!")
        } else {
            suggest_or(d, name, near, || format!("declare it: `fun {text}(…): … = …`"))
        };
        self.report(d);
        None
    }

    fn construct(&mut self, index: u32, fields: &[TermId], sort: SortId) -> TermId {
        if fields.is_empty() {
            return self.terms.constant(Value::Enum(index), sort);
        }
        self.apply(Op::Construct(index), fields, sort)
    }

    /// The body of a function with its parameters replaced.
    fn expand(&mut self, name: &'a str, body: &TermId, args: Vec<TermId>) -> TermId {
        if args.is_empty() || self.terms.len() > MAX_TERMS {
            return *body;
        }
        let key = (name, args.into_boxed_slice());
        if let Some(&term) = self.globals.expanded.get(&key) {
            return term;
        }
        let args = &key.1;
        let term = self.terms.replace(*body, &mut |_, leaf| match leaf {
            Term::Param(i, _) => args.get(*i as usize).copied(),
            _ => None,
        });
        self.globals.expanded.insert(key, term);
        term
    }

    pub(super) fn arity(&mut self, what: &str, want: usize, found: usize, span: Span, declared: Option<Span>) {
        let message = format!("{what} takes {}, found {found}", count(want, "argument"));
        let d = Diagnostic::new(Code::Arity, span, message).label(if found < want {
            format!("{} missing", want - found)
        } else {
            format!("{} too many", found - want)
        });
        let d = match declared {
            Some(declared) => d.also(declared, "declared here"),
            None => d,
        };
        self.report(d);
    }

    fn builtin(
        &mut self,
        name: &Ident,
        args: &'a [Expr],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let shown = format!("`{}`", name.name);
        let (least, most) = match name.name.as_str() {
            "min" | "max" => (2, usize::MAX),
            "contains" => (2, 2),
            "slice" => (3, 3),
            _ => (1, 1),
        };
        let fits = (least..=most).contains(&args.len());
        if !fits {
            if most == usize::MAX {
                let message = format!("{shown} takes at least {least} arguments, found {}", args.len());
                let d = Diagnostic::new(Code::Arity, span, message);
                self.report(d.help(format!("write `{}(a, b)`, or with more of them", name.name)));
            } else {
                let message = format!("{shown} takes {}, found {}", count(least, "argument"), args.len());
                let usage = match name.name.as_str() {
                    "contains" => "contains(s, e)",
                    "slice" => "slice(s, from, to)",
                    "len" => "len(s)",
                    "floor" => "floor(r)",
                    _ => "abs(a)",
                };
                self.report(Diagnostic::new(Code::Arity, span, message).help(format!("write `{usage}`")));
            }
        }
        let typed: Vec<Option<Typed>> =
            args.iter().map(|a| self.expr(a, expected_item(&name.name, expected), scope)).collect();
        let typed: Option<Vec<Typed>> = typed.into_iter().collect();
        let typed = typed.filter(|_| fits)?;
        let int = self.sorts.int;
        match name.name.as_str() {
            "min" | "max" => {
                let op = if name.name == "min" { Op::Min } else { Op::Max };
                let (terms, sort) = self.unify_numbers(&typed, args.iter().map(|a| a.span), &name.name)?;
                Some(Typed { term: self.apply(op, &terms, sort), sort })
            }
            "abs" => {
                let sort = self.numeric(typed[0], args[0].span, "abs")?;
                Some(Typed { term: self.apply(Op::Abs, &[typed[0].term], sort), sort })
            }
            "floor" => {
                let term = self.coerce(typed[0], self.sorts.real, args[0].span, "the argument of `floor`")?;
                Some(Typed { term: self.apply(Op::Floor, &[term], int), sort: int })
            }
            "len" => {
                self.needs_items(typed[0], args[0].span, "len")?;
                let sort = self.sorts.intern(Sort::Int { lo: Some(0.into()), hi: None });
                Some(Typed { term: self.apply(Op::Len, &[typed[0].term], int), sort })
            }
            "contains" => {
                let item = self.needs_items(typed[0], args[0].span, "contains")?;
                let base = self.sorts.base(item);
                let item = self.coerce(typed[1], base, args[1].span, "the item looked for")?;
                let term = self.apply(Op::Contains, &[typed[0].term, item], self.sorts.bool);
                Some(self.bool(term))
            }
            _ => {
                self.needs_items(typed[0], args[0].span, "slice")?;
                let from = self.coerce(typed[1], int, args[1].span, "where the slice starts")?;
                let to = self.coerce(typed[2], int, args[2].span, "where the slice ends")?;
                let base = self.sorts.base(typed[0].sort);
                Some(Typed { term: self.apply(Op::Slice, &[typed[0].term, from, to], base), sort: typed[0].sort })
            }
        }
    }

    /// The item sort of a String or Seq; anything else is reported.
    fn needs_items(&mut self, t: Typed, span: Span, what: &str) -> Option<SortId> {
        if let Some(item) = item_sort(&self.sorts, t.sort) {
            return Some(item);
        }
        let name = self.sorts.name(t.sort);
        self.report(
            Diagnostic::new(Code::OperatorType, span, format!("`{what}` is not for `{name}`"))
                .label("expected String or Seq"),
        );
        None
    }

    fn record(&mut self, name: &'a Ident, fields: &'a [FieldInit], span: Span, scope: &mut Scope<'_>) -> Option<Typed> {
        let entry = self.globals.types.get(name.name.as_str());
        let Some(entry) = entry else {
            for f in fields {
                self.expr(&f.value, None, scope);
            }
            let near = did_you_mean(&name.name, self.globals.types.keys().copied());
            let d = Diagnostic::new(Code::UnknownType, name.span, format!("there is no record type `{}`", name.name));
            self.report(suggest_or(d, name, near, || format!("declare it: `type {} = {{ … }}`", name.name)));
            return None;
        };
        entry.used.set(true);
        let sort = entry.result;
        let data = sort.and_then(|s| match self.sorts.get(s) {
            Sort::Data(d) if self.sorts.data[*d].record => Some(*d),
            _ => None,
        });
        let Some(data) = data else {
            if sort.is_some() {
                let message = format!("`{}` is not a record", name.name);
                let d = Diagnostic::new(Code::TypeMismatch, name.span, message);
                self.report(d.help("`{ … }` with names of fields is for records; constructors are called: `C(…)`"));
            }
            return None;
        };
        let declared = self.sorts.data[data].constructors[0].fields.clone();
        let given = self.field_values(fields, &name.name, &declared, scope);
        let missing: Vec<String> = declared
            .iter()
            .filter(|f| !fields.iter().any(|g| g.name.name == f.name))
            .map(|f| format!("`{}`", f.name))
            .collect();
        if !missing.is_empty() {
            // A field with a misspelt name is not missing as well.
            if fields.iter().all(|f| declared.iter().any(|d| d.name == f.name.name)) {
                let message = format!("the record lacks {}", missing.join(", "));
                let d = Diagnostic::new(Code::Arity, span, message);
                let declared = self.globals.types.get(name.name.as_str()).map(|t| t.decl.name.span);
                let d = declared.into_iter().fold(d, |d, span| d.also(span, "declared here"));
                self.report(d.help("give all fields, or change some of another record: `r with { f: e }`"));
            }
            return None;
        }
        let given = given?;
        let terms: Vec<TermId> = declared.iter().filter_map(|f| given.get(&f.name).copied()).collect();
        let sort = sort?;
        Some(Typed { term: self.construct(0, &terms, sort), sort })
    }

    /// The values given for fields, by name.
    fn field_values(
        &mut self,
        fields: &'a [FieldInit],
        ty: &str,
        declared: &[sioco_model::sort::Field],
        scope: &mut Scope<'_>,
    ) -> Option<FxHashMap<String, TermId>> {
        let mut given = FxHashMap::default();
        let mut good = true;
        for (i, f) in fields.iter().enumerate() {
            if let Some(first) = fields[..i].iter().find(|g| g.name.name == f.name.name) {
                self.duplicate("field", &f.name, first.name.span);
            }
            let field = declared.iter().find(|d| d.name == f.name.name);
            if field.is_none() && !f.name.name.is_empty() {
                let near = did_you_mean(&f.name.name, declared.iter().map(|d| d.name.as_str()));
                let message = format!("`{ty}` has no field `{}`", f.name.name);
                let d = Diagnostic::new(Code::UnknownField, f.name.span, message);
                self.report(suggest_or(d, &f.name, near, || {
                    fields_are(declared.iter().map(|d| d.name.as_str()).collect())
                }));
            }
            let typed = self.expr(&f.value, field.map(|f| f.sort), scope);
            let term = match (typed, field) {
                (Some(t), Some(field)) => {
                    self.coerce(t, field.sort, f.value.span, &format!("the field `{}`", field.name))
                }
                _ => None,
            };
            match term {
                Some(term) => {
                    given.insert(f.name.name.clone(), term);
                }
                None => good = false,
            }
        }
        good.then_some(given)
    }

    fn with(&mut self, base: &'a Expr, fields: &'a [FieldInit], scope: &mut Scope<'_>) -> Option<Typed> {
        let record = self.expr(base, None, scope);
        let data = record.and_then(|r| match self.sorts.get(r.sort) {
            Sort::Data(d) if self.sorts.data[*d].record => Some(*d),
            _ => None,
        });
        let Some(data) = data else {
            for f in fields {
                self.expr(&f.value, None, scope);
            }
            let sort = record?.sort;
            let message = format!("`{}` is not a record", self.sorts.name(sort));
            self.report(Diagnostic::new(Code::OperatorType, base.span, message).help("`with` is for records"));
            return None;
        };
        let declared = self.sorts.data[data].constructors[0].fields.clone();
        let name = self.sorts.data[data].name.clone();
        let given = self.field_values(fields, &name, &declared, scope)?;
        let record = record?;
        let mut terms = Vec::new();
        for (i, f) in declared.iter().enumerate() {
            let base_sort = self.sorts.base(f.sort);
            terms.push(match given.get(&f.name) {
                Some(term) => *term,
                None => self.apply(Op::Field(0, i as u32), &[record.term], base_sort),
            });
        }
        Some(Typed { term: self.construct(0, &terms, record.sort), sort: record.sort })
    }

    fn field(&mut self, base: &'a Expr, field: &Ident, scope: &mut Scope<'_>) -> Option<Typed> {
        let value = self.expr(base, None, scope)?;
        if field.name.is_empty() {
            return None;
        }
        let Sort::Data(data) = *self.sorts.get(value.sort) else {
            let message = format!("`{}` has no fields", self.sorts.name(value.sort));
            let d = Diagnostic::new(Code::UnknownField, field.span, message);
            let counted = item_sort(&self.sorts, value.sort).is_some();
            self.report(if counted && ["len", "length", "size", "count"].contains(&field.name.as_str()) {
                d.help("write `len(…)`")
            } else {
                d.help("records and constructors have fields")
            });
            return None;
        };
        let data = self.sorts.data[data].clone();
        // Every constructor that has the field, with its sort.
        let mut owners: Vec<(u32, u32, SortId)> = Vec::new();
        for (c, constructor) in data.constructors.iter().enumerate() {
            for (i, f) in constructor.fields.iter().enumerate() {
                if f.name == field.name {
                    owners.push((c as u32, i as u32, f.sort));
                }
            }
        }
        let Some(&(last_c, last_i, sort)) = owners.last() else {
            let known = data.constructors.iter().flat_map(|c| c.fields.iter().map(|f| f.name.as_str()));
            let near = did_you_mean(&field.name, known.clone());
            let message = format!("`{}` has no field `{}`", data.name, field.name);
            let d = Diagnostic::new(Code::UnknownField, field.span, message);
            self.report(suggest_or(d, field, near, || fields_are(known.collect())));
            return None;
        };
        let base_sort = self.sorts.base(sort);
        if owners.iter().any(|(_, _, s)| self.sorts.base(*s) != base_sort) {
            let message = format!("the constructors of `{}` give `{}` different types", data.name, field.name);
            self.report(Diagnostic::new(Code::TypeMismatch, field.span, message).help("use `match`"));
            return None;
        }
        let mut term = self.apply(Op::Field(last_c, last_i), &[value.term], base_sort);
        for &(c, i, _) in owners[..owners.len() - 1].iter().rev() {
            let is = self.apply(Op::Is(c), &[value.term], self.sorts.bool);
            let get = self.apply(Op::Field(c, i), &[value.term], base_sort);
            term = self.terms.ite(is, get, term);
        }
        let sort = if owners.len() == 1 { sort } else { base_sort };
        Some(Typed { term, sort })
    }

    fn sequence(
        &mut self,
        items: &'a [Expr],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let wanted = expected.and_then(|s| match self.sorts.get(s) {
            Sort::Seq(item) => Some(*item),
            _ => None,
        });
        let typed: Vec<Option<Typed>> = items.iter().map(|e| self.expr(e, wanted, scope)).collect();
        let typed: Option<Vec<Typed>> = typed.into_iter().collect();
        let typed = typed?;
        let item = match (wanted, typed.first()) {
            (Some(wanted), _) => self.sorts.base(wanted),
            (None, Some(first)) => {
                let real = typed.iter().any(|t| self.sorts.base(t.sort) == self.sorts.real);
                let base = self.sorts.base(first.sort);
                if real && base == self.sorts.int { self.sorts.real } else { base }
            }
            (None, None) => {
                self.report(
                    Diagnostic::new(Code::UnknownItemType, span, "the type of the items of `[]` cannot be known here")
                        .help("use it where the type is given: a variable, a parameter, the result of a function"),
                );
                return None;
            }
        };
        let mut terms = Vec::new();
        for (t, e) in typed.iter().zip(items) {
            terms.push(self.coerce(*t, item, e.span, "an item of the sequence")?);
        }
        let sort = self.sorts.seq(item);
        if terms.is_empty() {
            return Some(self.literal(Value::seq(Vec::new()), sort));
        }
        Some(Typed { term: self.apply(Op::SeqLit, &terms, sort), sort })
    }

    /// The constructor of this name; unknown ones are reported. `of` is the type that it should be of, if known.
    pub(super) fn known_constructor(
        &mut self,
        name: &Ident,
        of: Option<SortId>,
    ) -> Option<(SortId, sioco_model::DataId, u32)> {
        if name.name.is_empty() {
            return None;
        }
        if self.globals.constructors.contains_key(name.name.as_str()) {
            return self.constructor(&name.name);
        }
        let near = did_you_mean(&name.name, self.globals.constructors.keys().copied());
        let d =
            Diagnostic::new(Code::UnknownConstructor, name.span, format!("there is no constructor `{}`", name.name));
        let data = of.and_then(|sort| match self.sorts.get(sort) {
            Sort::Data(data) => Some(&self.sorts.data[*data]),
            _ => None,
        });
        let d = suggest_or(d, name, near, || match data {
            Some(data) => {
                let all: Vec<String> = data.constructors.iter().map(|c| format!("`{}`", c.name)).collect();
                format!("the constructors of `{}` are: {}; `_` is any other case", data.name, all.join(", "))
            }
            None => "constructors are the alternatives that a `type` declares".into(),
        });
        self.report(d);
        None
    }

    /// A condition: a Bool.
    fn condition(&mut self, e: &'a Expr, scope: &mut Scope<'_>, what: &str) -> Option<TermId> {
        let typed = self.expr(e, Some(self.sorts.bool), scope)?;
        self.coerce(typed, self.sorts.bool, e.span, what)
    }

    fn chain(
        &mut self,
        first: &'a Expr,
        rest: &'a [(BinOp, Span, Expr)],
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let (op, _, _) = rest.first()?;
        match op {
            BinOp::Implies | BinOp::Or | BinOp::And => {
                let what = format!("an operand of `{}`", op.text());
                let mut terms = vec![self.condition(first, scope, &what)];
                for (_, _, e) in rest {
                    terms.push(self.condition(e, scope, &what));
                }
                let terms: Option<Vec<TermId>> = terms.into_iter().collect();
                let terms = terms?;
                let term = match op {
                    BinOp::And => self.terms.and(&self.sorts, &terms),
                    BinOp::Or => self.terms.or(&self.sorts, &terms),
                    _ => {
                        // `a implies b implies c` is `!a || !b || c`.
                        let mut parts: Vec<TermId> =
                            terms[..terms.len() - 1].iter().map(|t| self.terms.not(&self.sorts, *t)).collect();
                        parts.push(terms[terms.len() - 1]);
                        self.terms.or(&self.sorts, &parts)
                    }
                };
                Some(self.bool(term))
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                self.comparison(first, rest, scope)
            }
            BinOp::Concat => {
                let mut typed = vec![self.expr(first, expected, scope)];
                let guide = expected.or(typed[0].map(|t| t.sort));
                for (_, _, e) in rest {
                    typed.push(self.expr(e, guide, scope));
                }
                let typed: Option<Vec<Typed>> = typed.into_iter().collect();
                let typed = typed?;
                self.needs_items(typed[0], first.span, "++")?;
                let base = self.sorts.base(typed[0].sort);
                let mut terms = vec![typed[0].term];
                for (t, (_, _, e)) in typed[1..].iter().zip(rest) {
                    terms.push(self.coerce(*t, base, e.span, "an operand of `++`")?);
                }
                let sort = if typed.iter().all(|t| t.sort == typed[0].sort) { typed[0].sort } else { base };
                Some(Typed { term: self.apply(Op::Concat, &terms, base), sort })
            }
            BinOp::Add | BinOp::Sub => {
                let (terms, sort) = self.number_operands(first, rest, scope)?;
                if let ([a, b], BinOp::Sub) = (&terms[..], op) {
                    return Some(Typed { term: self.apply(Op::Sub, &[*a, *b], sort), sort });
                }
                let mut parts = vec![terms[0]];
                for (t, (op, _, _)) in terms[1..].iter().zip(rest) {
                    parts.push(if *op == BinOp::Sub { self.apply(Op::Neg, &[*t], sort) } else { *t });
                }
                Some(Typed { term: self.apply(Op::Add, &parts, sort), sort })
            }
            BinOp::Mul | BinOp::Quot | BinOp::Div | BinOp::Mod => self.products(first, rest, scope),
        }
    }

    fn number_operands(
        &mut self,
        first: &'a Expr,
        rest: &'a [(BinOp, Span, Expr)],
        scope: &mut Scope<'_>,
    ) -> Option<(Vec<TermId>, SortId)> {
        let mut typed = vec![self.expr(first, None, scope)];
        for (_, _, e) in rest {
            typed.push(self.expr(e, None, scope));
        }
        let typed: Option<Vec<Typed>> = typed.into_iter().collect();
        let typed = typed?;
        let base = self.sorts.base(typed[0].sort);
        if rest.iter().all(|(op, _, _)| *op == BinOp::Add)
            && item_sort(&self.sorts, base).is_some()
            && typed.iter().all(|t| self.sorts.base(t.sort) == base)
        {
            let what = if matches!(self.sorts.get(base), Sort::String) { "texts" } else { "sequences" };
            let d = Diagnostic::new(Code::OperatorType, rest[0].1, format!("`+` adds numbers, these are {what}"))
                .help(format!("write `++` to join {what}"));
            self.report(if rest.len() == 1 { d.fix(rest[0].1, "++") } else { d });
            return None;
        }
        let spans = [first.span].into_iter().chain(rest.iter().map(|(_, _, e)| e.span));
        self.unify_numbers(&typed, spans, rest[0].0.text())
    }

    /// Left to right: `a * b div c`. Neighbouring products become one.
    fn products(&mut self, first: &'a Expr, rest: &'a [(BinOp, Span, Expr)], scope: &mut Scope<'_>) -> Option<Typed> {
        let mut left = self.expr(first, None, scope);
        let mut left_span = first.span;
        let mut product: Vec<TermId> = Vec::new();
        for (op, _, e) in rest {
            let right = self.expr(e, None, scope);
            let (Some(l), Some(r)) = (left, right) else {
                left = None;
                continue;
            };
            let spans = [left_span, e.span];
            left_span = left_span.to(e.span);
            let was_product = std::mem::take(&mut product);
            left = match op {
                BinOp::Mul => self.unify_numbers(&[l, r], spans.into_iter(), "*").map(|(terms, sort)| {
                    // `a * b * c` with one sort throughout is one product of three.
                    product = if !was_product.is_empty() && terms[0] == l.term { was_product } else { vec![terms[0]] };
                    product.push(terms[1]);
                    let parts = product.clone();
                    Typed { term: self.apply(Op::Mul, &parts, sort), sort }
                }),
                BinOp::Quot => {
                    let real = self.sorts.real;
                    let a = self.coerce(l, real, spans[0], "an operand of `/`");
                    let b = self.coerce(r, real, spans[1], "an operand of `/`");
                    match (a, b) {
                        (Some(a), Some(b)) => Some(Typed { term: self.apply(Op::Quot, &[a, b], real), sort: real }),
                        _ => None,
                    }
                }
                _ => {
                    let int = self.sorts.int;
                    let what = format!("an operand of `{}`", op.text());
                    let a = self.coerce(l, int, spans[0], &what);
                    let b = self.coerce(r, int, spans[1], &what);
                    let op = if *op == BinOp::Div { Op::Div } else { Op::Mod };
                    match (a, b) {
                        (Some(a), Some(b)) => Some(Typed { term: self.apply(op, &[a, b], int), sort: int }),
                        _ => None,
                    }
                }
            };
        }
        left
    }

    fn comparison(&mut self, first: &'a Expr, rest: &'a [(BinOp, Span, Expr)], scope: &mut Scope<'_>) -> Option<Typed> {
        let equality = matches!(rest[0].0, BinOp::Eq | BinOp::Ne);
        if equality {
            let (op, op_span, second) = &rest[0];
            // The side whose type is known guides the other: `s == []`, `[] == s`.
            let is_empty = |e: &Expr| matches!(&e.kind, ExprKind::Seq(items) if items.is_empty());
            let (left, right) = if is_empty(first) {
                let right = self.expr(second, None, scope);
                (self.expr(first, Some(right?.sort), scope), right)
            } else {
                let left = self.expr(first, None, scope);
                if left.is_none() && is_empty(second) {
                    return None;
                }
                (left, self.expr(second, left.map(|t| t.sort), scope))
            };
            let (x, y) = (left?, right?);
            let (xbase, ybase) = (self.sorts.base(x.sort), self.sorts.base(y.sort));
            let (x, y) = if xbase == ybase {
                (x.term, y.term)
            } else if self.sorts.is_numeric(xbase) && self.sorts.is_numeric(ybase) {
                (self.widen(x.term), self.widen(y.term))
            } else {
                let message = format!(
                    "`{}` compares {} with {}",
                    op.text(),
                    a(&self.sorts.name(x.sort)),
                    a(&self.sorts.name(y.sort))
                );
                self.report(
                    Diagnostic::new(Code::OperatorType, *op_span, message)
                        .label("both sides must have the same type")
                        .also(first.span, format!("this is {}", a(&self.sorts.name(x.sort))))
                        .also(second.span, format!("this is {}", a(&self.sorts.name(y.sort)))),
                );
                return None;
            };
            let eq = self.apply(Op::Eq, &[x, y], self.sorts.bool);
            let term = if *op == BinOp::Ne { self.terms.not(&self.sorts, eq) } else { eq };
            return Some(self.bool(term));
        }
        let (terms, _) = self.number_operands(first, rest, scope)?;
        let mut parts = Vec::new();
        for (i, (op, _, _)) in rest.iter().enumerate() {
            let (a, b) = (terms[i], terms[i + 1]);
            let bool = self.sorts.bool;
            parts.push(match op {
                BinOp::Lt => self.apply(Op::Lt, &[a, b], bool),
                BinOp::Le => self.apply(Op::Le, &[a, b], bool),
                BinOp::Gt => self.apply(Op::Lt, &[b, a], bool),
                _ => self.apply(Op::Le, &[b, a], bool),
            });
        }
        let term = self.terms.and(&self.sorts, &parts);
        Some(self.bool(term))
    }

    /// Operands that are all Int, or all Real once the Ints among them are widened.
    fn unify_numbers(
        &mut self,
        typed: &[Typed],
        spans: impl Iterator<Item = Span>,
        what: &str,
    ) -> Option<(Vec<TermId>, SortId)> {
        let mut problem: Option<usize> = None;
        for (t, span) in typed.iter().zip(spans) {
            if self.sorts.is_numeric(t.sort) {
                continue;
            }
            // All operands that are no numbers are one problem.
            if let Some(d) = problem.and_then(|at| self.diagnostics.get_mut(at)) {
                let name = a(&self.sorts.name(t.sort));
                d.secondary.push(Label { span, text: format!("this is {name}") });
            } else {
                problem = Some(self.diagnostics.len());
                self.numeric(*t, span, what);
            }
        }
        if problem.is_some() {
            return None;
        }
        if typed.iter().all(|t| self.sorts.base(t.sort) == self.sorts.int) {
            return Some((typed.iter().map(|t| t.term).collect(), self.sorts.int));
        }
        Some((typed.iter().map(|t| self.widen(t.term)).collect(), self.sorts.real))
    }

    /// The base sort of a number; anything else is reported.
    fn numeric(&mut self, t: Typed, span: Span, what: &str) -> Option<SortId> {
        if self.sorts.is_numeric(t.sort) {
            return Some(self.sorts.base(t.sort));
        }
        let name = self.sorts.name(t.sort);
        let d = Diagnostic::new(Code::OperatorType, span, format!("`{what}` is for numbers, this is {}", a(&name)))
            .label("expected Int or Real");
        let text = matches!(self.sorts.get(t.sort), Sort::String | Sort::Seq(_));
        self.report(if what == "+" && text {
            d.help("`++` joins texts and sequences; there is no text of a number")
        } else {
            d
        });
        None
    }

    fn widen(&mut self, term: TermId) -> TermId {
        if self.terms.sort(term) == self.sorts.real { term } else { self.apply(Op::ToReal, &[term], self.sorts.real) }
    }

    fn if_expr(
        &mut self,
        arms: &'a [(Expr, Expr)],
        otherwise: &'a Expr,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let mut conditions = Vec::new();
        let mut results: Vec<(Option<Typed>, Span)> = Vec::new();
        for (c, e) in arms {
            conditions.push(self.condition(c, scope, "the condition of `if`"));
            results.push((self.expr(e, expected, scope), e.span));
        }
        results.push((self.expr(otherwise, expected, scope), otherwise.span));
        let (terms, sort) = self.join(&results, "the branches")?;
        let conditions: Option<Vec<TermId>> = conditions.into_iter().collect();
        let mut term = *terms.last()?;
        for (c, t) in conditions?.into_iter().zip(&terms).rev() {
            term = self.terms.ite(c, *t, term);
        }
        Some(Typed { term, sort })
    }

    /// Alternatives brought to one sort.
    fn join(&mut self, results: &[(Option<Typed>, Span)], what: &str) -> Option<(Vec<TermId>, SortId)> {
        let typed: Vec<(Typed, Span)> = results.iter().filter_map(|(t, s)| t.map(|t| (t, *s))).collect();
        let (first, first_span) = *typed.first()?;
        let base = self.sorts.base(first.sort);
        let numeric = typed.iter().all(|(t, _)| self.sorts.is_numeric(t.sort));
        let real = numeric && typed.iter().any(|(t, _)| self.sorts.base(t.sort) == self.sorts.real);
        let base = if real { self.sorts.real } else { base };
        let mut terms = Vec::new();
        let mut good = typed.len() == results.len();
        for (t, span) in &typed {
            if self.sorts.base(t.sort) == base {
                terms.push(t.term);
            } else if real {
                terms.push(self.widen(t.term));
            } else {
                let (want, found) = (self.sorts.name(base), self.sorts.name(t.sort));
                self.report(
                    Diagnostic::new(Code::TypeMismatch, *span, format!("{what} have different types"))
                        .label(format!("this is {}", a(&found)))
                        .also(first_span, format!("this is {}", a(&want))),
                );
                good = false;
            }
        }
        let sort = if typed.iter().all(|(t, _)| t.sort == first.sort) { first.sort } else { base };
        good.then_some((terms, sort))
    }

    fn match_expr(
        &mut self,
        scrutinee: &'a Expr,
        arms: &'a [MatchArm],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let value = self.expr(scrutinee, None, scope);
        let mut conditions: Vec<Option<TermId>> = Vec::new();
        let mut results: Vec<(Option<Typed>, Span)> = Vec::new();
        let mut covered: Vec<(Value, Span)> = Vec::new();
        let mut wildcard: Option<Span> = None;
        for arm in arms {
            let keep = scope.locals.len();
            if let Some(before) = wildcard {
                self.report(
                    Diagnostic::new(Code::UnreachableArm, arm.pattern.span, "this case can never be taken")
                        .also(before, "this takes everything")
                        .help("move `_` to the end, or take this case out"),
                );
            }
            let condition = self.pattern(&arm.pattern, value, &mut covered, &mut wildcard, scope);
            conditions.push(condition);
            results.push((self.expr(&arm.body, expected, scope), arm.body.span));
            self.unbind(scope, keep);
        }
        let value = value?;
        // A case that is wrong may be any of the missing ones.
        if wildcard.is_none() && conditions.iter().all(Option::is_some) {
            let missing = self.missing_cases(value.sort, &covered);
            if !missing.is_empty() {
                self.report(
                    Diagnostic::new(Code::NotExhaustive, span, format!("this match forgets {}", missing.join(", ")))
                        .help("add the cases, or `_ => …` for all others"),
                );
                return None;
            }
        }
        let (terms, sort) = self.join(&results, "the cases")?;
        let conditions: Option<Vec<TermId>> = conditions.into_iter().collect();
        let conditions = conditions?;
        // The cases are complete, so the last one needs no test.
        let mut term = *terms.last()?;
        for (c, t) in conditions[..conditions.len() - 1].iter().zip(&terms).rev() {
            term = self.terms.ite(*c, *t, term);
        }
        Some(Typed { term, sort })
    }

    /// The condition under which a pattern matches; binds its names.
    fn pattern(
        &mut self,
        pattern: &'a Pattern,
        value: Option<Typed>,
        covered: &mut Vec<(Value, Span)>,
        wildcard: &mut Option<Span>,
        scope: &mut Scope<'_>,
    ) -> Option<TermId> {
        let reported = wildcard.is_some();
        let mut cover = |checker: &mut Self, key: Value| {
            let before = covered.iter().find(|(k, _)| *k == key).map(|(_, span)| *span);
            if let Some(before) = before.filter(|_| !reported) {
                checker.report(
                    Diagnostic::new(Code::UnreachableArm, pattern.span, "this case can never be taken")
                        .also(before, "the same case, before")
                        .help("take one of them out"),
                );
            }
            covered.push((key, pattern.span));
        };
        match &pattern.kind {
            PatternKind::Error => None,
            PatternKind::Wildcard => {
                *wildcard = Some(pattern.span);
                Some(self.terms.bool(&self.sorts, true))
            }
            PatternKind::Literal(e) => {
                let typed = self.expr(e, value.map(|v| v.sort), scope)?;
                let value = value?;
                let base = self.sorts.base(value.sort);
                let term = self.coerce(typed, base, e.span, "this case")?;
                let key = self.terms.as_const(term).cloned()?;
                cover(self, key);
                Some(self.apply(Op::Eq, &[value.term, term], self.sorts.bool))
            }
            PatternKind::Constructor(name, binders) => {
                let known = self.known_constructor(name, value.map(|v| v.sort));
                let fields = match known {
                    Some((_, data, index)) => self.sorts.data[data].constructors[index as usize].fields.clone(),
                    None => Vec::new(),
                };
                let fits = known.zip(value).is_some_and(|((sort, _, _), v)| sort == v.sort);
                if let (Some((sort, _, _)), Some(v), false) = (known, value, fits) {
                    let want = self.sorts.name(v.sort);
                    self.mismatch(&want, sort, pattern.span, "this case");
                }
                if known.is_some() && binders.len() != fields.len() {
                    let declared = self.constructor_span(&name.name);
                    self.arity(&format!("`{}`", name.name), fields.len(), binders.len(), pattern.span, declared);
                }
                for (i, (binder, _)) in binders.iter().enumerate() {
                    let Some(binder) = binder else { continue };
                    let typed = match (known, value, fields.get(i)) {
                        (Some((_, _, index)), Some(v), Some(field)) if fits => {
                            let base = self.sorts.base(field.sort);
                            let term = self.apply(Op::Field(index, i as u32), &[v.term], base);
                            Some(Typed { term, sort: field.sort })
                        }
                        _ => None,
                    };
                    self.bind(scope, binder, typed);
                }
                let (_, _, index) = known?;
                let value = value.filter(|_| fits)?;
                cover(self, Value::Enum(index));
                Some(self.apply(Op::Is(index), &[value.term], self.sorts.bool))
            }
        }
    }

    /// The cases that a match without `_` does not handle, as texts.
    fn missing_cases(&self, sort: SortId, covered: &[(Value, Span)]) -> Vec<String> {
        let covered: Vec<&Value> = covered.iter().map(|(value, _)| value).collect();
        match self.sorts.get(sort) {
            Sort::Data(data) => self.sorts.data[*data]
                .constructors
                .iter()
                .enumerate()
                .filter(|(i, _)| !covered.contains(&&Value::Enum(*i as u32)))
                .map(|(_, c)| format!("`{}`", c.name))
                .collect(),
            Sort::Bool => [true, false]
                .into_iter()
                .filter(|b| !covered.contains(&&Value::Bool(*b)))
                .map(|b| format!("`{b}`"))
                .collect(),
            _ => match self.sorts.cardinality(sort) {
                Some(n) if n <= 1_000 => (0..n)
                    .filter_map(|i| self.sorts.nth_value(sort, i))
                    .filter(|v| !covered.contains(&v))
                    .take(3)
                    .map(|v| format!("`{}`", self.sorts.show(sort, &v)))
                    .collect(),
                _ => vec!["all other values".into()],
            },
        }
    }

    /// Brings a term to a sort: widens Int to Real, and checks a range where it is not known to hold.
    pub(super) fn coerce(&mut self, t: Typed, want: SortId, span: Span, what: &str) -> Option<TermId> {
        let (base, want_base) = (self.sorts.base(t.sort), self.sorts.base(want));
        let term = if base == want_base {
            t.term
        } else if want_base == self.sorts.real && base == self.sorts.int {
            self.widen(t.term)
        } else {
            let name = self.sorts.name(want);
            self.mismatch(&name, t.sort, span, what);
            return None;
        };
        if self.sorts.includes(want, t.sort) || want == want_base {
            return Some(term);
        }
        if let Some(value) = self.terms.as_const(term) {
            if self.sorts.contains(want, value) {
                return Some(term);
            }
            let value = value.clone();
            self.out_of_range(&value, want, span);
            return None;
        }
        Some(self.terms.app(Op::Checked(want), &[term], want_base))
    }

    pub(super) fn mismatch(&mut self, want: &str, found: SortId, span: Span, what: &str) {
        let found_name = self.sorts.name(found);
        let d = Diagnostic::new(Code::TypeMismatch, span, format!("expected `{want}`, found `{found_name}`"))
            .label(what.to_string());
        let d = if want.starts_with("Int") && self.sorts.base(found) == self.sorts.real {
            d.help("`floor(…)` gives the greatest Int below; `div` divides integers")
        } else {
            d
        };
        self.report(d);
    }
}

/// What to do about a name that nothing reads.
pub(super) const UNREAD: &str = "if that is meant, write `_`, or let the name start with `_`";

/// A type with its article: "a `Bool`", "an `Int`".
pub(super) fn a(ty: &str) -> String {
    let article = if ty.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} `{ty}`")
}

/// The fields that there are, for a field that there is not.
fn fields_are(mut names: Vec<&str>) -> String {
    names.dedup();
    match names[..] {
        [] => "it has no fields".into(),
        [only] => format!("its field is `{only}`"),
        _ => format!("its fields are: {}", names.join(", ")),
    }
}

/// What an argument of a built-in function is expected to be, from what its result is expected to be.
fn expected_item(name: &str, expected: Option<SortId>) -> Option<SortId> {
    match name {
        "min" | "max" | "abs" => expected,
        _ => None,
    }
}

/// `1 argument`, `2 arguments`.
fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
