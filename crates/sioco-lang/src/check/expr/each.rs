//! Operations over collections: `sum(x in c: e)`.

use sioco_model::number;
use sioco_model::simplify::{self, operation};
use sioco_model::sort::Sort;
use sioco_model::term::{Each, Op, Term};
use sioco_model::{BinderId, SortId, TermId};

use super::{EACH_FUNCTIONS, Scope, Typed, a};
use crate::check::Checker;
use crate::check::globals::suggest_or;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::*;

/// What an operation over a collection is made of.
struct Parts {
    over: Typed,
    /// Where a fold starts.
    start: Option<(TermId, SortId)>,
    body: Typed,
}

impl<'a> Checker<'a> {
    pub(in crate::check) fn each(
        &mut self,
        e: &'a EachExpr,
        expected: Option<SortId>,
        scope: &mut Scope<'_>,
    ) -> Option<Typed> {
        let asked = self.asked(&e.name);
        let over = self.collection(e, scope);
        let start = e.acc.as_ref().map(|(_, start)| self.expr(start, expected, scope));
        let sorts = over.map(|over| self.names_of(over.sort, e));
        // The names are bound even if something is wrong, so that their uses are not one more problem each.
        let mut binders: Vec<BinderId> = Vec::new();
        let keep = scope.locals.len();
        for (i, name) in e.names.iter().enumerate() {
            let sort = sorts.as_ref().and_then(|s| s.as_ref()).and_then(|s| s.get(i).copied());
            let typed = sort.map(|sort| self.bind_new(sort, &mut binders));
            self.bind(scope, name, typed);
        }
        let mut carried = None;
        if let (Some((name, at)), Some(start)) = (&e.acc, start) {
            let real = expected.is_some_and(|s| self.sorts.base(s) == self.sorts.real);
            let start = start.and_then(|t| {
                let base = self.sorts.base(t.sort);
                let want = if real && base == self.sorts.int { self.sorts.real } else { base };
                Some((self.coerce(t, want, at.span, "the start")?, want))
            });
            // A result has no range but that of the place where it goes.
            let typed = start.map(|(_, sort)| self.bind_new(sort, &mut binders));
            self.bind(scope, name, typed);
            carried = start;
        }
        let inner = match asked {
            Some(Each::Fold) => carried.map(|(_, sort)| sort),
            Some(Each::Map | Each::Sum) => {
                expected.and_then(|s| self.item_expected(s)).filter(|_| asked == Some(Each::Map))
            }
            Some(Each::Least | Each::Greatest) | None => None,
            Some(_) => Some(self.sorts.bool),
        };
        let body = self.expr(&e.body, inner, scope);
        self.unbind(scope, keep);
        let asked = asked?;
        let (fold, has_start) = (asked == Each::Fold, e.acc.is_some());
        if fold != has_start {
            let message = if fold { "a fold needs a start" } else { "only a fold has a start" };
            let d = Diagnostic::new(Code::Arity, e.name.span, message);
            self.report(d.help("write `fold(x in c, acc = start: e)`"));
            return None;
        }
        let (over, _) = over.zip(sorts.flatten())?;
        let body = body?;
        self.finish(asked, e, Parts { over, start: carried, body }, &binders)
    }

    /// What is asked of each item.
    fn asked(&mut self, name: &Ident) -> Option<Each> {
        Some(match name.name.as_str() {
            "exists" => Each::Any,
            "all" => Each::All,
            "count" => Each::Count,
            "sum" => Each::Sum,
            "filter" => Each::Filter,
            "map" => Each::Map,
            "firstIndex" => Each::FirstIndex,
            "least" => Each::Least,
            "greatest" => Each::Greatest,
            "fold" => Each::Fold,
            other => {
                let meant = match other {
                    "any" | "some" | "anyOf" => Some("exists".to_string()),
                    "forall" | "forAll" | "every" | "each" => Some("all".to_string()),
                    "reduce" | "foldl" => Some("fold".to_string()),
                    "select" | "where" => Some("filter".to_string()),
                    "min" | "minBy" => Some("least".to_string()),
                    "max" | "maxBy" => Some("greatest".to_string()),
                    "indexOf" | "find" => Some("firstIndex".to_string()),
                    _ => self.near(other, EACH_FUNCTIONS),
                };
                let message = format!("`{other}` is nothing that can be asked of each item of a collection");
                let d = Diagnostic::new(Code::UnknownFunction, name.span, message);
                self.report(suggest_or(d, name, meant, || format!("there are: {}", EACH_FUNCTIONS.join(", "))));
                return None;
            }
        })
    }

    /// The collection that is looked at.
    fn collection(&mut self, e: &'a EachExpr, scope: &mut Scope<'_>) -> Option<Typed> {
        let int = self.sorts.int;
        let Some(to) = &e.to else {
            let over = self.expr(&e.over, None, scope)?;
            if matches!(self.sorts.get(over.sort), Sort::Seq(_) | Sort::Set(_) | Sort::Map(..)) {
                return Some(over);
            }
            let name = self.sorts.name(over.sort);
            let d =
                Diagnostic::new(Code::OperatorType, e.over.span, format!("this is {}, which has no items", a(&name)));
            let d = d.label("expected Seq, Set, Map or a range");
            self.report(match self.sorts.get(over.sort) {
                Sort::Int { .. } => d.help("a range is written `x in 0..9`, both ends included"),
                Sort::String => d.help("the characters of a text: `i in 0..len(t) - 1`, and `t[i]`"),
                _ => d.help("`x in c` goes through the items of a collection, or the numbers of a range"),
            });
            return None;
        };
        let (from, to) = (self.expr(&e.over, Some(int), scope), self.expr(to, Some(int), scope).map(|t| (t, to.span)));
        let (to, to_span) = to?;
        let from = self.coerce(from?, int, e.over.span, "the first number of a range")?;
        let to = self.coerce(to, int, to_span, "the last number of a range")?;
        let ends =
            (self.terms.as_const(from).and_then(number::to_big), self.terms.as_const(to).and_then(number::to_big));
        let item = match ends {
            (Some(lo), Some(hi)) if lo <= hi => self.sorts.intern(Sort::Int { lo: Some(lo), hi: Some(hi) }),
            _ => int,
        };
        let (sort, base) = (self.sorts.seq(item), self.sorts.seq(int));
        Some(Typed { term: self.terms.app(Op::Span, &[from, to], base), sort })
    }

    /// The types of the names; too many of them are reported.
    fn names_of(&mut self, over: SortId, e: &EachExpr) -> Option<Vec<SortId>> {
        let index = self.sorts.intern(Sort::Int { lo: Some(0.into()), hi: None });
        let sorts = match (self.sorts.get(over), e.names.len()) {
            (Sort::Seq(item) | Sort::Set(item), 1) => vec![*item],
            (Sort::Seq(item), _) => vec![index, *item],
            (Sort::Map(key, _), 1) => vec![*key],
            (Sort::Map(key, value), _) => vec![*key, *value],
            _ => {
                let d = Diagnostic::new(Code::Arity, e.names[1].span, "an item of a set has one name");
                self.report(
                    d.help("sequences have positions and items, `i, x in q`; maps keys and values, `k, v in m`"),
                );
                return None;
            }
        };
        Some(sorts)
    }

    fn bind_new(&mut self, sort: SortId, binders: &mut Vec<BinderId>) -> Typed {
        let binder = self.terms.binders.push(sort);
        binders.push(binder);
        Typed { term: self.terms.bound(&self.sorts, binder), sort }
    }

    fn item_expected(&self, collection: SortId) -> Option<SortId> {
        match self.sorts.get(collection) {
            Sort::Seq(item) | Sort::Set(item) | Sort::Map(_, item) => Some(*item),
            _ => None,
        }
    }

    /// The operation, once its parts are known.
    fn finish(&mut self, asked: Each, e: &'a EachExpr, parts: Parts, binders: &[BinderId]) -> Option<Typed> {
        let Parts { over, start, body } = parts;
        let at = e.body.span;
        let over_sort = self.sorts.get(over.sort).clone();
        let bool = self.sorts.bool;
        let position = self.sorts.intern(Sort::Int { lo: Some(0.into()), hi: None });
        let (body, sort) = match asked {
            Each::Any | Each::All => (self.coerce(body, bool, at, "the condition")?, bool),
            Each::Count => (self.coerce(body, bool, at, "the condition")?, position),
            Each::Filter => (self.coerce(body, bool, at, "the condition")?, over.sort),
            Each::FirstIndex => {
                if !matches!(over_sort, Sort::Seq(_)) {
                    let name = self.sorts.name(over.sort);
                    let d = Diagnostic::new(Code::OperatorType, e.over.span, format!("{} has no positions", a(&name)));
                    self.report(d.label("expected Seq").help("`least(x in c: …)` chooses an item of any collection"));
                    return None;
                }
                (self.coerce(body, bool, at, "the condition")?, position)
            }
            Each::Sum => (body.term, self.numeric(body, at, "sum")?),
            Each::Map => {
                let sort = match over_sort {
                    Sort::Set(_) => self.sorts.set(body.sort),
                    Sort::Map(key, _) => self.sorts.map(key, body.sort),
                    _ => self.sorts.seq(body.sort),
                };
                (body.term, sort)
            }
            Each::Least | Each::Greatest => {
                if !self.has_order(body.sort) {
                    let name = self.sorts.name(body.sort);
                    let d = Diagnostic::new(Code::OperatorType, at, format!("{} is no key to compare by", a(&name)));
                    let d = d.label("expected numbers, texts, truth values, enumerations, or records of them");
                    self.report(d.help("compare by something of the item, such as one of its fields"));
                    return None;
                }
                let item = match over_sort {
                    Sort::Set(item) | Sort::Seq(item) => item,
                    Sort::Map(key, _) => key,
                    _ => return None,
                };
                (body.term, item)
            }
            Each::Fold => {
                let (_, sort) = start?;
                (self.coerce(body, sort, at, "the result of a round")?, sort)
            }
        };
        let base = self.sorts.base(sort);
        let mut args = vec![over.term];
        args.extend(start.map(|(t, _)| t));
        args.push(body);
        let term = self.terms.each(&self.sorts, asked, binders, &args, base);
        Some(Typed { term: self.computed(term), sort })
    }

    /// The operation as a constant, if nothing in it is open.
    fn computed(&mut self, term: TermId) -> TermId {
        let Term::App(op, args) = self.terms.get(term).clone() else { return term };
        let mut constant = self.terms.free(term).is_empty();
        self.terms.visit(term, &mut |_, t| match t {
            Term::App(op, _) => constant &= !matches!(op, Op::Exists { .. } | Op::Beyond),
            Term::Const(..) | Term::Bound(..) => {}
            _ => constant = false,
        });
        // The collection may be a range, which stands as it is.
        if !constant || !args[..args.len() - 1].iter().all(|a| self.is_constant_range(*a)) {
            return term;
        }
        let mut args = args.to_vec();
        for arg in &mut args[..1] {
            if let Term::App(Op::Span, ends) = self.terms.get(*arg).clone() {
                let sort = self.terms.sort(*arg);
                *arg = operation(&mut self.terms, &self.sorts, Op::Span, &ends, sort, simplify::Parts::AsTheyAre);
            }
        }
        let sort = self.terms.sort(term);
        let simple = operation(&mut self.terms, &self.sorts, op, &args, sort, simplify::Parts::AsTheyAre);
        if self.terms.as_const(simple).is_some() { simple } else { term }
    }

    fn is_constant_range(&self, term: TermId) -> bool {
        match self.terms.get(term) {
            Term::Const(..) => true,
            Term::App(Op::Span, ends) => ends.iter().all(|e| self.terms.as_const(*e).is_some()),
            _ => false,
        }
    }

    /// Whether values of a type can be compared by `least` and `greatest`.
    fn has_order(&self, sort: SortId) -> bool {
        match self.sorts.get(sort) {
            Sort::Bool | Sort::Int { .. } | Sort::Real { .. } | Sort::String => true,
            Sort::Data(d) => {
                let fields = self.sorts.data[*d].constructors.iter().flat_map(|c| &c.fields);
                fields.into_iter().all(|f| self.has_order(f.sort))
            }
            Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) => false,
        }
    }
}
