//! Expressions: from syntax to terms, with their types checked on the way.

mod branches;
mod call;
mod collection;
mod data;
mod each;
mod functions;
mod operators;
mod path;
mod shorter;

use std::cell::Cell;

pub(in crate::check) use path::Written;

use rustc_hash::FxHashMap;
use sioco_model::term::{MAX_DEPTH, Op};
use sioco_model::{SortId, TermId, Value, VarId, eval, number};

use crate::check::Checker;
use crate::check::globals::{BUILTIN_TYPES, literal_int, suggest_or};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Fix};
use crate::source::Span;
use crate::syntax::ast::*;

/// The functions that need no declaration.
pub(in crate::check) const BUILTIN_FUNCTIONS: [&str; 32] = [
    "min",
    "max",
    "abs",
    "floor",
    "len",
    "contains",
    "slice",
    "get",
    "keys",
    "values",
    "toSeq",
    "toSet",
    "union",
    "intersection",
    "difference",
    "subset",
    "merge",
    "add",
    "remove",
    "insertAt",
    "removeAt",
    "text",
    "isNumber",
    "number",
    "byteLen",
    "matches",
    "split",
    "join",
    "startsWith",
    "endsWith",
    "upper",
    "lower",
];

/// Those of them whose names no function of a model can have. The others came later: a function of a model with such a
/// name is that function.
pub(in crate::check) const FIRST_FUNCTIONS: [&str; 7] = ["min", "max", "abs", "floor", "len", "contains", "slice"];

/// What can be asked of each item of a collection.
pub(in crate::check) const EACH_FUNCTIONS: [&str; 10] =
    ["exists", "all", "count", "sum", "filter", "map", "firstIndex", "least", "greatest", "fold"];

/// A model may have at most this many terms: expansion of functions must end somewhere. Models of people have some
/// thousand; a few functions that call each other twice would fill the memory.
pub(in crate::check) const MAX_TERMS: usize = 1_000_000;

/// At most this many terms may be looked at for that, each time they are. What is looked at again and again without
/// growing would otherwise take for ever.
pub(in crate::check) const MAX_EXPANDED: usize = 5_000_000;

/// A term with its sort. The sort keeps a range where one is known, so that it need not be checked again.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Typed {
    pub(in crate::check) term: TermId,
    pub(in crate::check) sort: SortId,
}

/// The names that an expression can use besides the global ones.
#[derive(Default)]
pub(in crate::check) struct Scope<'a> {
    pub(in crate::check) locals: Vec<Local>,
    pub(in crate::check) process: Option<&'a ProcessScope>,
    /// The variable whose new value this is: reading it for itself alone is no use of it.
    pub(in crate::check) assigning: Option<usize>,
}

/// A parameter, or a name bound by `let` or `match`.
pub(in crate::check) struct Local {
    pub(in crate::check) name: String,
    pub(in crate::check) span: Span,
    /// `None` if its declaration is wrong.
    pub(in crate::check) typed: Option<Typed>,
    pub(in crate::check) used: Cell<bool>,
}

/// The variables and parameters of a process.
#[derive(Default)]
pub(in crate::check) struct ProcessScope {
    pub(in crate::check) vars: FxHashMap<String, usize>,
    pub(in crate::check) var_sorts: Vec<Option<SortId>>,
    pub(in crate::check) var_spans: Vec<Span>,
    pub(in crate::check) var_used: Vec<Cell<bool>>,
    pub(in crate::check) params: FxHashMap<String, usize>,
    pub(in crate::check) param_sorts: Vec<Option<SortId>>,
    pub(in crate::check) param_spans: Vec<Span>,
    pub(in crate::check) param_used: Vec<Cell<bool>>,
    /// For purposes: variables by the process before the `.`; `None` if it does not say which.
    pub(in crate::check) owned: FxHashMap<String, FxHashMap<String, Option<usize>>>,
}

impl<'a> Checker<'a> {
    /// Brings a name into scope; hiding another name is refused.
    pub(in crate::check) fn bind(&mut self, scope: &mut Scope<'_>, name: &Ident, typed: Option<Typed>) {
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
    pub(in crate::check) fn global_value(&self, name: &str) -> Option<(&'static str, Span)> {
        let constant = self.globals.consts.get(name).map(|c| ("a constant", c.decl.name.span));
        constant.or_else(|| self.constructor_span(name).map(|span| ("a constructor", span)))
    }

    /// Takes the names beyond the first `keep` out of scope; those that nothing read are reported.
    pub(in crate::check) fn unbind(&mut self, scope: &mut Scope<'_>, keep: usize) {
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
    pub(in crate::check) fn expr(
        &mut self,
        e: &'a Expr,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let typed = self.expr_inner(e, expected, scope)?;
        let (deep, many) = (self.terms.depth(typed.term) > MAX_DEPTH, self.terms.len() > MAX_TERMS);
        if deep || many || self.expanded > MAX_EXPANDED {
            let note = if deep {
                format!("with all function calls expanded, it is more than {MAX_DEPTH} levels deep")
            } else if many {
                format!("with all function calls expanded, the model has more than {MAX_TERMS} parts")
            } else {
                format!("expanding all function calls takes more than {MAX_EXPANDED} parts")
            };
            if !std::mem::replace(&mut self.too_large, true) {
                self.report(
                    Diagnostic::new(Code::TooLargeTerm, e.span, "this expression grows too large")
                        .note(note)
                        .help("split the work into steps: use a loop of switches, and keep the progress in a variable"),
                );
            }
            return None;
        }
        Some(typed)
    }

    pub(in crate::check) fn expr_inner(
        &mut self,
        e: &'a Expr,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
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
            ExprKind::With(base, changes) => self.with(base, changes, scope),
            ExprKind::Set(items) => self.set(items, e.span, expected, scope),
            ExprKind::Map(entries) => self.map(entries, e, expected, scope),
            ExprKind::Each(each) => self.each(each, expected, scope),
            ExprKind::Field(base, field) => self.field(base, field, scope),
            ExprKind::Index(base, index) => {
                let seq = self.expr(base, None, scope);
                let wanted = seq.map_or(self.sorts.int, |s| self.key_sort(s.sort));
                let index_typed = self.expr(index, Some(wanted), scope);
                let seq = seq?;
                let item = self.item_at(seq.sort, base.span)?;
                let key = self.coerce(index_typed?, wanted, index.span, self.key_name(seq.sort))?;
                Some(self.read(seq, key, item))
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

    pub(in crate::check) fn literal(&mut self, value: Value, sort: SortId) -> Typed {
        Typed { term: self.terms.constant(value, sort), sort }
    }

    pub(in crate::check) fn bool(&self, term: TermId) -> Typed {
        Typed { term, sort: self.sorts.bool }
    }

    /// An operation; computed right away where all arguments are constants.
    pub(in crate::check) fn apply(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        let term = self.terms.app(op, args, sort);
        if args.iter().all(|a| self.terms.as_const(*a).is_some())
            && !matches!(op, Op::Exists { .. } | Op::Beyond)
            && let Ok(value) = eval::eval(&self.terms, &self.sorts, term, eval::Env::default())
        {
            return self.terms.constant(value, sort);
        }
        term
    }

    pub(in crate::check) fn name(&mut self, name: &str, span: Span, scope: &Scope<'_>) -> Option<Typed> {
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
                    format!("write `{name}({})`; to test for this constructor, write `… is {name}`", names.join(", "));
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
                .help("initial values and bounds use constants; initial values may also use process parameters")
        } else if let Some(known) = self.purpose_name(name, span) {
            known?
        } else if let Some((_, bound)) = self.switch_params.iter().find(|(n, _)| *n == name) {
            d.also(*bound, "this name exists only in its own switch")
                .help(format!("store the value in a variable there: `/ x := {name}`, and read the variable here"))
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
            let near = self.near(name, locals.chain(process).chain(globals).chain(["true", "false"]));
            let owner = self.globals.processes.iter().find(|(_, p)| p.vars.iter().any(|v| v.name.name == name));
            let in_purpose = self.hints.is_some();
            suggest_or(d, &ident, near, || match (scope.process, owner) {
                (_, Some((_, p))) if in_purpose => {
                    format!("`{name}` is a variable of `{}`, which is not part of the system", p.name.name)
                }
                (_, None) if in_purpose => {
                    "a condition can use values that events bind, variables of processes, and constants".into()
                }
                (None, Some((_, p))) => {
                    let process = &p.name.name;
                    format!("`{name}` is a variable of the process `{process}`; pass it to the function as an argument")
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

    /// Brings a term to a sort: widens Int to Real, and checks a range where it is not known to hold.
    pub(in crate::check) fn coerce(&mut self, t: Typed, want: SortId, span: Span, what: &str) -> Option<TermId> {
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

    /// Like [`Checker::coerce`]; says what to do about a literal of another type.
    pub(in crate::check) fn coerce_expr(&mut self, t: Typed, want: SortId, e: &Expr, what: &str) -> Option<TermId> {
        let before = self.diagnostics.len();
        let term = self.coerce(t, want, e.span, what);
        if term.is_none()
            && let Some((help, replacement)) = self.as_literal_of(e, want)
            && let Some(d) = self.diagnostics.get_mut(before).filter(|d| d.code == Code::TypeMismatch)
        {
            d.help = Some(help.into());
            d.fix = Some(Fix { span: e.span, replacement });
        }
        term
    }

    /// A literal written as one of another type.
    fn as_literal_of(&self, e: &Expr, want: SortId) -> Option<(&'static str, String)> {
        let base = self.sorts.base(want);
        match &e.kind {
            ExprKind::Str(text) if base == self.sorts.int && literal_int(text).is_some() => {
                Some(("write a number without quotes", text.clone()))
            }
            ExprKind::Str(text) if base == self.sorts.real && number::parse_decimal(text).is_some() => {
                Some(("write a number without quotes", text.clone()))
            }
            ExprKind::Str(text) if base == self.sorts.bool && matches!(text.as_str(), "true" | "false") => {
                Some(("write `true` and `false` without quotes", text.clone()))
            }
            ExprKind::Int(text) | ExprKind::Real(text) if base == self.sorts.string => {
                Some(("write a string in quotes", format!("\"{text}\"")))
            }
            ExprKind::Int(text) if base == self.sorts.bool && matches!(text.as_str(), "0" | "1") => {
                let value = if text == "0" { "false" } else { "true" };
                Some(("the truth values are `true` and `false`", value.into()))
            }
            _ => None,
        }
    }

    pub(in crate::check) fn mismatch(&mut self, want: &str, found: SortId, span: Span, what: &str) {
        let found_name = self.sorts.name(found);
        let d = Diagnostic::new(Code::TypeMismatch, span, format!("expected `{want}`, found `{found_name}`"))
            .label(what.to_string());
        let d = if want.starts_with("Int") && self.sorts.base(found) == self.sorts.real {
            d.help("`floor(…)` rounds down to an Int; `div` divides integers")
        } else {
            d
        };
        self.report(d);
    }
}

/// What to do about a name that nothing reads.
pub(in crate::check) const UNREAD: &str = "if this is intended, write `_`, or start the name with `_`";

/// A type with its article: "a `Bool`", "an `Int`".
pub(in crate::check) fn a(ty: &str) -> String {
    let article = if ty.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} `{ty}`")
}

/// The fields that there are, for a field that there is not.
pub(in crate::check) fn fields_are(mut names: Vec<&str>) -> String {
    names.dedup();
    match names[..] {
        [] => "it has no fields".into(),
        [only] => format!("its field is `{only}`"),
        _ => format!("its fields are: {}", names.join(", ")),
    }
}

/// What an argument of a built-in function is expected to be, from what its result is expected to be.
pub(in crate::check) fn expected_item(name: &str, expected: Option<SortId>) -> Option<SortId> {
    match name {
        "min" | "max" | "abs" => expected,
        _ => None,
    }
}

/// `1 argument`, `2 arguments`.
pub(in crate::check) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
