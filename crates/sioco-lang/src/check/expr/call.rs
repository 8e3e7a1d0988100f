//! Calls: functions, constructors and the functions of the language.

use rustc_hash::FxHashMap;
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term, TermPool, item_sort};
use sioco_model::{SortId, TermId, Value};

use super::{
    BUILTIN_FUNCTIONS, EACH_FUNCTIONS, FIRST_FUNCTIONS, MAX_EXPANDED, MAX_TERMS, Scope, Typed, count, expected_item,
};
use crate::check::Checker;
use crate::check::globals::{Function, suggest_or};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    pub(in crate::check) fn call(
        &mut self,
        name: &'a Ident,
        args: &'a [Expr],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let declared = self.globals.funs.contains_key(name.name.as_str());
        if FIRST_FUNCTIONS.contains(&name.name.as_str()) {
            return self.builtin(name, args, span, expected, scope);
        }
        if BUILTIN_FUNCTIONS.contains(&name.name.as_str()) && !declared {
            return self.later_function(name, args, span, expected, scope);
        }
        if let Some((&key, entry)) = self.globals.funs.get_key_value(name.name.as_str()) {
            entry.used.set(true);
            let decl = entry.decl;
            let (result, of_itself) = self.called(key);
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
            if of_itself {
                let term = self.call_of_itself(key, &terms, function.result);
                return Some(Typed { term, sort: function.result });
            }
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
        let near = self.near(&name.name, known);
        if EACH_FUNCTIONS.contains(&name.name.as_str()) {
            let message = format!("`{}` names the items that it goes through", name.name);
            let d = Diagnostic::new(Code::UnknownFunction, name.span, message);
            let e = if name.name == "fold" { "x in c, acc = start: e" } else { "x in c: e" };
            self.report(d.help(format!("write `{}({e})`", name.name)));
            return None;
        }
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

    /// The function that is called, and whether that is done in the body of one that it calls itself.
    fn called(&mut self, name: &'a str) -> (Option<Function>, bool) {
        if !self.globals.circles.contains_key(name) {
            return (self.globals.funs[name].result.clone(), false);
        }
        if self.globals.inside.is_none_or(|f| !self.same_circle(f, name)) {
            return (self.unrolled(name), false);
        }
        // The body is not known yet.
        let body = self.terms.bool(&self.sorts, true);
        (self.signature(name).map(|(params, result)| Function { params, result, body }), true)
    }

    pub(in crate::check) fn construct(&mut self, index: u32, fields: &[TermId], sort: SortId) -> TermId {
        if fields.is_empty() {
            return self.terms.constant(Value::Enum(index), sort);
        }
        self.apply(Op::Construct(index), fields, sort)
    }

    /// The body of a function with its parameters replaced.
    pub(in crate::check) fn expand(&mut self, name: &'a str, body: &TermId, args: Vec<TermId>) -> TermId {
        if args.is_empty() || self.terms.len() > MAX_TERMS || self.expanded > MAX_EXPANDED {
            return *body;
        }
        let key = (name, args.into_boxed_slice());
        if let Some(&term) = self.globals.expanded.get(&key) {
            return term;
        }
        let (args, mut looked_at) = (&key.1, FxHashMap::default());
        let param = &mut |_: &mut TermPool, leaf: &Term| match leaf {
            Term::Param(i, _) => args.get(*i as usize).copied(),
            _ => None,
        };
        let term = self.terms.replace_in(*body, param, &mut looked_at);
        // What the body shares with others is not new, but takes its time.
        self.expanded += looked_at.len();
        self.globals.expanded.insert(key, term);
        term
    }

    pub(in crate::check) fn arity(
        &mut self,
        what: &str,
        want: usize,
        found: usize,
        span: Span,
        declared: Option<Span>,
    ) {
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

    pub(in crate::check) fn builtin(
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
                self.report(d.help(format!("write `{}(a, b)`, or give it more arguments", name.name)));
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
        // A loop, not an iterator: in a debug build that would take much more of the stack.
        let mut typed: Vec<Option<Typed>> = Vec::new();
        for arg in args {
            let guide = match (name.name.as_str(), typed.first()) {
                // The item looked for is of the type of the items.
                ("contains", Some(Some(c))) => match self.sorts.get(c.sort) {
                    Sort::Seq(item) | Sort::Set(item) | Sort::Map(item, _) => Some(self.sorts.base(*item)),
                    _ => None,
                },
                _ => expected_item(&name.name, expected),
            };
            typed.push(self.expr(arg, guide, scope));
        }
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
                let sort = self.sorts.intern(Sort::Int { lo: Some(0.into()), hi: None });
                if matches!(self.sorts.get(typed[0].sort), Sort::Set(_) | Sort::Map(..)) {
                    return Some(Typed { term: self.apply(Op::Size, &[typed[0].term], int), sort });
                }
                self.needs_items(typed[0], args[0].span, "len")?;
                Some(Typed { term: self.apply(Op::Len, &[typed[0].term], int), sort })
            }
            "contains" => {
                if let Sort::Set(item) | Sort::Map(item, _) = *self.sorts.get(typed[0].sort) {
                    let base = self.sorts.base(item);
                    let item = self.coerce(typed[1], base, args[1].span, "the item looked for")?;
                    let term = self.apply(Op::Has, &[typed[0].term, item], self.sorts.bool);
                    return Some(self.bool(term));
                }
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
    pub(in crate::check) fn needs_items(&mut self, t: Typed, span: Span, what: &str) -> Option<SortId> {
        if let Some(item) = item_sort(&self.sorts, t.sort) {
            return Some(item);
        }
        let name = self.sorts.name(t.sort);
        self.report(Diagnostic::new(Code::OperatorType, span, format!("`{what}` does not take `{name}`")).label(
            if matches!(what, "len" | "contains") {
                "expected String, Seq, Set or Map"
            } else {
                "expected String or Seq"
            },
        ));
        None
    }
}
