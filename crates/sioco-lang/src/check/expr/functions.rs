//! The functions of the language on sequences, sets, maps and texts.

use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::text::{self, PatternError};
use sioco_model::{SortId, TermId, Value};

use super::{Scope, Typed, count};
use crate::check::Checker;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

/// How a function is called.
const USAGES: [(&str, &str); 25] = [
    ("get", "get(m, k, d)"),
    ("keys", "keys(m)"),
    ("values", "values(m)"),
    ("toSeq", "toSeq(s)"),
    ("toSet", "toSet(q)"),
    ("union", "union(a, b)"),
    ("intersection", "intersection(a, b)"),
    ("difference", "difference(a, b)"),
    ("subset", "subset(a, b)"),
    ("merge", "merge(a, b)"),
    ("add", "add(s, x)"),
    ("remove", "remove(c, x)"),
    ("insertAt", "insertAt(q, i, v)"),
    ("removeAt", "removeAt(q, i)"),
    ("text", "text(n)"),
    ("isNumber", "isNumber(t)"),
    ("number", "number(t)"),
    ("byteLen", "byteLen(t)"),
    ("matches", "matches(t, \"regex\")"),
    ("split", "split(t, separator)"),
    ("join", "join(q, separator)"),
    ("startsWith", "startsWith(t, start)"),
    ("endsWith", "endsWith(t, end)"),
    ("upper", "upper(t)"),
    ("lower", "lower(t)"),
];

/// A call whose arguments are looked up.
struct Called<'a, 'c> {
    name: &'c str,
    args: &'a [Expr],
    first: Typed,
    /// The others.
    rest: &'c [Typed],
    /// How it is called.
    usage: &'static str,
}

impl<'a> Checker<'a> {
    /// A call of one of the functions that [`USAGES`] lists.
    pub(in crate::check) fn later_function(
        &mut self,
        name: &Ident,
        args: &'a [Expr],
        span: Span,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let usage = USAGES.iter().find(|(n, _)| *n == name.name).map_or("", |(_, usage)| usage);
        let wanted = 1 + usage.matches(',').count();
        if args.len() != wanted {
            let message = format!("`{}` takes {}, found {}", name.name, count(wanted, "argument"), args.len());
            self.report(Diagnostic::new(Code::Arity, span, message).help(format!("write `{usage}`")));
            for arg in args {
                self.expr(arg, None, scope);
            }
            return None;
        }
        // A loop, not an iterator: in a debug build that would take much more of the stack.
        let first = match name.name.as_str() {
            "union" | "intersection" | "difference" | "merge" | "add" | "remove" | "insertAt" | "removeAt" => expected,
            "get" => None,
            "text" => Some(self.sorts.int),
            "toSet" => expected
                .and_then(|s| match self.sorts.get(s) {
                    Sort::Set(item) => Some(*item),
                    _ => None,
                })
                .map(|item| self.sorts.seq(item)),
            _ => None,
        };
        let first = self.expr(&args[0], first, scope);
        let sort = first.map(|t| self.sorts.get(t.sort).clone());
        let mut rest: Vec<Option<Typed>> = Vec::new();
        for (i, arg) in args.iter().enumerate().skip(1) {
            let guide = match (name.name.as_str(), &sort, i) {
                ("get", Some(Sort::Map(key, _)), 1) => Some(self.sorts.base(*key)),
                ("get", Some(Sort::Map(_, value) | Sort::Seq(value)), 2) => Some(*value),
                ("add" | "remove", Some(Sort::Set(item)), 1) => Some(*item),
                ("remove", Some(Sort::Map(key, _)), 1) => Some(self.sorts.base(*key)),
                ("insertAt", Some(Sort::Seq(item)), 2) => Some(*item),
                ("union" | "intersection" | "difference" | "subset" | "merge", _, 1) => first.map(|t| t.sort),
                _ => None,
            };
            rest.push(self.expr(arg, guide, scope));
        }
        let rest: Vec<Typed> = rest.into_iter().collect::<Option<_>>()?;
        let call = Called { name: name.name.as_str(), args, first: first?, rest: &rest, usage };
        match call.name {
            "get" | "keys" | "values" | "toSeq" | "toSet" => self.reading(&call),
            "text" | "isNumber" | "number" | "byteLen" | "upper" | "lower" | "startsWith" | "endsWith" | "split"
            | "join" | "matches" => self.of_texts(&call),
            _ => self.changing(&call),
        }
    }

    /// A part of a collection, or all of it as another kind.
    fn reading(&mut self, call: &Called<'a, '_>) -> Option<Typed> {
        let Called { name: called, args, first, rest, usage } = *call;
        let spans: Vec<Span> = args.iter().map(|a| a.span).collect();
        let int = self.sorts.int;
        match (called, self.sorts.get(first.sort).clone()) {
            ("get", Sort::Map(key, value)) => {
                let key = self.sorts.base(key);
                let key = self.coerce(rest[0], key, spans[1], "a key")?;
                let has = self.apply(Op::Has, &[first.term, key], self.sorts.bool);
                let item = self.read(first, key, value);
                self.or_else(has, item, rest[1], spans[2])
            }
            ("get", Sort::Seq(item)) => {
                let index = self.coerce(rest[0], int, spans[1], "an index")?;
                let zero = self.terms.constant(Value::Int(0), int);
                let length = self.apply(Op::Len, &[first.term], int);
                let least = self.apply(Op::Le, &[zero, index], self.sorts.bool);
                let most = self.apply(Op::Lt, &[index, length], self.sorts.bool);
                let inside = self.terms.and(&self.sorts, &[least, most]);
                // A constant index outside stays unread.
                let item = self.read(first, index, item);
                self.or_else(inside, item, rest[1], spans[2])
            }
            ("keys", Sort::Map(key, _)) => {
                let sort = self.sorts.set(key);
                self.result(Op::Keys, &[first.term], sort)
            }
            ("values", Sort::Map(_, value)) => {
                let sort = self.sorts.seq(value);
                self.result(Op::Values, &[first.term], sort)
            }
            ("toSeq", Sort::Set(item)) => {
                let sort = self.sorts.seq(item);
                self.result(Op::ToSeq, &[first.term], sort)
            }
            ("toSet", Sort::Seq(item)) => {
                let sort = self.sorts.set(item);
                self.result(Op::ToSet, &[first.term], sort)
            }
            _ => {
                self.not_for(called, first.sort, spans[0], usage);
                None
            }
        }
    }

    /// A collection made of others, or changed.
    fn changing(&mut self, call: &Called<'a, '_>) -> Option<Typed> {
        let Called { name: called, args, first, rest, usage } = *call;
        let spans: Vec<Span> = args.iter().map(|a| a.span).collect();
        let int = self.sorts.int;
        match (called, self.sorts.get(first.sort).clone()) {
            ("union" | "intersection" | "difference" | "subset", Sort::Set(_)) | ("merge", Sort::Map(..)) => {
                let base = self.sorts.base(first.sort);
                let second = self.coerce(rest[0], base, spans[1], &format!("the second argument of `{called}`"))?;
                let (op, sort) = match called {
                    "union" => (Op::Union, if rest[0].sort == first.sort { first.sort } else { base }),
                    "intersection" => (Op::Intersection, first.sort),
                    "difference" => (Op::Difference, first.sort),
                    "merge" => (Op::Merge, if rest[0].sort == first.sort { first.sort } else { base }),
                    _ => (Op::Subset, self.sorts.bool),
                };
                self.result(op, &[first.term, second], sort)
            }
            ("add", Sort::Set(item)) => {
                let inside = self.sorts.includes(item, rest[0].sort);
                let base = self.sorts.base(item);
                let item = self.coerce(rest[0], base, spans[1], "the item")?;
                let sort = if inside { first.sort } else { self.sorts.base(first.sort) };
                self.result(Op::Include, &[first.term, item], sort)
            }
            ("remove", Sort::Set(item)) => {
                let base = self.sorts.base(item);
                let item = self.coerce(rest[0], base, spans[1], "the item")?;
                self.result(Op::Exclude, &[first.term, item], first.sort)
            }
            ("remove", Sort::Map(key, _)) => {
                let base = self.sorts.base(key);
                let key = self.coerce(rest[0], base, spans[1], "a key")?;
                self.result(Op::Exclude, &[first.term, key], first.sort)
            }
            ("insertAt", Sort::Seq(item)) => {
                let index = self.coerce(rest[0], int, spans[1], "an index")?;
                let inside = self.sorts.includes(item, rest[1].sort);
                let base = self.sorts.base(item);
                let value = self.coerce(rest[1], base, spans[2], "the item")?;
                let sort = if inside { first.sort } else { self.sorts.base(first.sort) };
                self.result(Op::InsertAt, &[first.term, index, value], sort)
            }
            ("removeAt", Sort::Seq(_)) => {
                let index = self.coerce(rest[0], int, spans[1], "an index")?;
                self.result(Op::RemoveAt, &[first.term, index], first.sort)
            }
            _ => {
                self.not_for(called, first.sort, spans[0], usage);
                None
            }
        }
    }

    /// Something of a text.
    fn of_texts(&mut self, call: &Called<'a, '_>) -> Option<Typed> {
        let Called { name: called, args, first, rest, usage } = *call;
        let spans: Vec<Span> = args.iter().map(|a| a.span).collect();
        let (int, string) = (self.sorts.int, self.sorts.string);
        match (called, self.sorts.get(first.sort).clone()) {
            ("text", Sort::Int { .. }) => self.result(Op::Text, &[first.term], string),
            ("isNumber", Sort::String) => self.result(Op::IsNumber, &[first.term], self.sorts.bool),
            ("number", Sort::String) => self.result(Op::Number, &[first.term], int),
            ("byteLen", Sort::String) => {
                let sort = self.sorts.intern(Sort::Int { lo: Some(0.into()), hi: None });
                self.result(Op::ByteLen, &[first.term], sort)
            }
            ("upper", Sort::String) => self.result(Op::Upper, &[first.term], string),
            ("lower", Sort::String) => self.result(Op::Lower, &[first.term], string),
            ("startsWith" | "endsWith", Sort::String) => {
                let op = if called == "startsWith" { Op::StartsWith } else { Op::EndsWith };
                let second = self.coerce(rest[0], string, spans[1], "a text")?;
                self.result(op, &[first.term, second], self.sorts.bool)
            }
            ("split", Sort::String) => {
                let separator = self.coerce(rest[0], string, spans[1], "a text")?;
                if matches!(self.terms.as_const(separator), Some(Value::Str(s)) if s.is_empty()) {
                    let d =
                        Diagnostic::new(Code::UndefinedConstant, spans[1], "a text cannot be split at an empty one");
                    self.report(d.help("the characters of a text are `t[i]`"));
                    return None;
                }
                let sort = self.sorts.seq(string);
                self.result(Op::Split, &[first.term, separator], sort)
            }
            ("join", Sort::Seq(item)) if self.sorts.base(item) == string => {
                let separator = self.coerce(rest[0], string, spans[1], "a text")?;
                self.result(Op::Join, &[first.term, separator], string)
            }
            ("matches", Sort::String) => {
                let pattern = self.coerce(rest[0], string, spans[1], "a text")?;
                self.is_pattern(pattern, &args[1])?;
                self.result(Op::Matches, &[first.term, pattern], self.sorts.bool)
            }
            _ => {
                self.not_for(called, first.sort, spans[0], usage);
                None
            }
        }
    }

    fn result(&mut self, op: Op, args: &[TermId], sort: SortId) -> Option<Typed> {
        let base = self.sorts.base(sort);
        Some(Typed { term: self.apply(op, args, base), sort })
    }

    /// The item if there is one, or what stands for it.
    fn or_else(&mut self, there: TermId, item: Typed, otherwise: Typed, span: Span) -> Option<Typed> {
        let base = self.sorts.base(item.sort);
        let inside = self.sorts.includes(item.sort, otherwise.sort);
        let otherwise = self.coerce(otherwise, base, span, "the default")?;
        let term = self.terms.ite(there, item.term, otherwise);
        Some(Typed { term, sort: if inside { item.sort } else { base } })
    }

    /// A constant regular expression.
    fn is_pattern(&mut self, pattern: TermId, e: &Expr) -> Option<()> {
        let Some(Value::Str(written)) = self.terms.as_const(pattern) else {
            let d = Diagnostic::new(Code::NotConstant, e.span, "a regular expression is a constant");
            self.report(d.help("write it in quotes, or give it a name with `const`"));
            return None;
        };
        let error = match text::pattern(written) {
            Ok(()) => return Some(()),
            Err(error) => error,
        };
        let span = match (&error, &e.kind) {
            // Without escapes, places in the text are places in the file.
            (PatternError::Syntax { at: (from, to), .. }, ExprKind::Str(text))
                if (e.span.end - e.span.start) as usize == text.len() + 2 =>
            {
                let start = e.span.start + 1 + *from as u32;
                Span { start, end: (start + (to - from).max(1) as u32).min(e.span.end), ..e.span }
            }
            _ => e.span,
        };
        let (message, help) = match &error {
            PatternError::Syntax { why, .. } => (
                format!("this is no regular expression: {why}"),
                "write classes out, such as `[0-9]` or `[a-zA-Z_]`: `\\d`, `\\w`, `\\p{…}` and flags are not supported",
            ),
            PatternError::TooLarge => (
                "this regular expression stands for too much".to_string(),
                "repetitions of repetitions grow quickly; check a length with `len(t)`",
            ),
        };
        self.report(Diagnostic::new(Code::BadPattern, span, message).help(help));
        None
    }

    /// Reports that a function is not for a type.
    fn not_for(&mut self, called: &str, sort: SortId, span: Span, usage: &str) {
        let name = self.sorts.name(sort);
        let expected = match called {
            "get" => "Map or Seq",
            "keys" | "values" | "merge" => "Map",
            "toSeq" | "union" | "intersection" | "difference" | "subset" | "add" => "Set",
            "toSet" | "insertAt" | "removeAt" => "Seq",
            "remove" => "Set or Map",
            "text" => "Int",
            "join" => "Seq<String>",
            _ => "String",
        };
        let d = Diagnostic::new(Code::OperatorType, span, format!("`{called}` does not take `{name}`"));
        let d = d.label(format!("expected {expected}"));
        let help = match (called, self.sorts.get(sort)) {
            ("add", Sort::Seq(_)) => "an item at the end of a sequence: `q ++ [x]`".to_string(),
            ("add", Sort::Map(..)) => "an entry of a map: `m with { [k]: v }`".into(),
            ("remove", Sort::Seq(_)) => "`removeAt(q, i)`, or `filter(x in q: …)`".into(),
            ("union", Sort::Map(..)) => "`merge(a, b)` joins maps".into(),
            ("merge", Sort::Set(_)) => "`union(a, b)` joins sets".into(),
            ("text", Sort::String) => "it is a text already".into(),
            _ => format!("it is called `{usage}`"),
        };
        self.report(d.help(help));
    }
}
