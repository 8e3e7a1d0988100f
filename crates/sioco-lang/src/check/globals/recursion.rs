//! Functions that call themselves: unrolled as far as their bound goes.
//!
//! The body of such a function is read once, with its calls inside of the circle as [`Op::Beyond`] that have the arguments
//! of the call behind the name and the bound. To unroll it, they are replaced by the body again and again; those that are
//! left stay, without arguments, and have no value.

use rustc_hash::FxHashMap;
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, Id, SortId, TermId, Value};

use super::Function;
use crate::check::Checker;
use crate::check::expr::{MAX_EXPANDED, MAX_TERMS};
use crate::code::Code;
use crate::diagnostic::Diagnostic;

/// The greatest bound of a function that calls itself.
pub(in crate::check) const MAX_BOUND: u32 = 500;

/// Unrolled bodies do not nest deeper while they are made.
const DEEPEST: u32 = 1_000;

impl<'a> Checker<'a> {
    /// The parameters and the result of a function that calls itself, whose body may not be read yet.
    pub(in crate::check) fn signature(&mut self, name: &'a str) -> Option<(Vec<SortId>, SortId)> {
        if let Some(known) = self.globals.signatures.get(name) {
            return known.clone();
        }
        let decl = self.globals.funs[name].decl;
        let before = self.diagnostics.len();
        let errors = self.errors;
        let params: Vec<_> = decl.params.iter().map(|p| self.resolve_type(&p.ty)).collect();
        let result = self.resolve_type(&decl.result);
        // What is wrong with them is told where the function is declared.
        self.diagnostics.truncate(before);
        self.errors = errors;
        let signature = params.into_iter().collect::<Option<Vec<SortId>>>().zip(result);
        self.globals.signatures.insert(name, signature.clone());
        signature
    }

    /// A call inside of the circle, to be replaced later.
    pub(in crate::check) fn call_of_itself(&mut self, name: &str, args: &[TermId], result: SortId) -> TermId {
        let base = self.sorts.base(result);
        let mut all = vec![
            self.terms.constant(Value::string(name), self.sorts.string),
            self.terms.constant(Value::Int(0), self.sorts.int),
        ];
        all.extend(args);
        self.terms.app(Op::Beyond, &all, base)
    }

    /// A function that calls itself, unrolled.
    pub(in crate::check) fn unrolled(&mut self, name: &'a str) -> Option<Function> {
        if let Some(done) = &self.globals.funs[name].result {
            return Some(done.clone());
        }
        let function = self.globals.bodies.get(name)?.clone();
        let bound = self.bound_of(name)?;
        let args: Vec<TermId> = function
            .params
            .iter()
            .enumerate()
            .map(|(i, sort)| {
                let base = self.sorts.base(*sort);
                self.terms.param(i as u32, base)
            })
            .collect();
        let mut unrolling = Unrolling { bound, failed: false };
        let body = unrolling.body(self, name, Call { args: &args, number: 1, deep: 0 });
        if unrolling.failed {
            if !std::mem::replace(&mut self.too_large, true) {
                let span = self.globals.funs[name].decl.name.span;
                self.report(
                    Diagnostic::new(Code::TooLargeTerm, span, format!("`{name}` grows too large"))
                        .note("the function is replaced by its body as often as its bound says")
                        .help("choose a smaller bound, or use a fold or a loop of switches"),
                );
            }
            self.globals.bodies.remove(name);
            return None;
        }
        let done = Function { body, ..function };
        self.globals.funs.get_mut(name).expect("collected").result = Some(done.clone());
        Some(done)
    }

    fn bound_of(&mut self, name: &'a str) -> Option<u32> {
        let expr = self.globals.funs[name].decl.bound.as_ref()?;
        let (value, _) = self.constant(expr, Some(self.sorts.int))?;
        let bound = match value {
            Value::Int(n) => u32::try_from(n).ok().filter(|n| (1..=MAX_BOUND).contains(n)),
            _ => None,
        };
        if bound.is_none() {
            self.report(
                Diagnostic::new(Code::RecursiveFunction, expr.span, format!("a bound is from 1 to {MAX_BOUND}"))
                    .help("it is how many calls may stand inside of each other"),
            );
            self.globals.bodies.remove(name);
        }
        bound
    }
}

struct Unrolling {
    bound: u32,
    failed: bool,
}

/// One call of a function, inside of others.
#[derive(Clone, Copy)]
struct Call<'t> {
    args: &'t [TermId],
    /// Which one it is, from the outside.
    number: u32,
    /// How deep the term nests that is being made.
    deep: u32,
}

impl Call<'_> {
    fn deeper(self) -> Self {
        Call { deep: self.deep + 1, ..self }
    }
}

impl Unrolling {
    /// The body of a function, for one of its calls.
    fn body(&mut self, c: &mut Checker<'_>, name: &str, call: Call<'_>) -> TermId {
        let Some(body) = c.globals.bodies.get(name).map(|f| f.body) else {
            // It is wrong, and that was reported.
            self.failed = true;
            return call.args.first().copied().unwrap_or_else(|| c.terms.bool(&c.sorts, false));
        };
        self.term(c, body, call, &mut FxHashMap::default())
    }

    fn term(
        &mut self,
        c: &mut Checker<'_>,
        term: TermId,
        call: Call<'_>,
        done: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        c.expanded += 1;
        self.failed |= call.deep > DEEPEST || c.terms.len() > MAX_TERMS || c.expanded > MAX_EXPANDED;
        if self.failed {
            return term;
        }
        if let Some(&result) = done.get(&term) {
            return result;
        }
        let (op, parts) = match c.terms.get(term) {
            Term::Param(i, _) => return call.args.get(*i as usize).copied().unwrap_or(term),
            Term::App(op, parts) => (*op, parts.clone()),
            _ => return term,
        };
        let sort = c.terms.sort(term);
        let result = match op {
            Op::Beyond => {
                let name = match c.terms.as_const(parts[0]) {
                    Some(Value::Str(name)) => name.to_string(),
                    _ => String::new(),
                };
                let new: Vec<TermId> = parts[2..].iter().map(|a| self.term(c, *a, call.deeper(), done)).collect();
                if call.number < self.bound {
                    self.body(c, &name, Call { args: &new, number: call.number + 1, deep: call.deep + 1 })
                } else {
                    let bound = c.terms.constant(Value::Int(i64::from(self.bound)), c.sorts.int);
                    c.terms.app(Op::Beyond, &[parts[0], bound], sort)
                }
            }
            Op::Each { each, first, count } => {
                // New names, since the same body is about to stand inside of itself.
                let sorts: Vec<SortId> =
                    (0..count as usize).map(|i| c.terms.binders[BinderId::from_index(first.index() + i)]).collect();
                let fresh: Vec<BinderId> = sorts.iter().map(|s| c.terms.binders.push(*s)).collect();
                let names: Vec<TermId> = fresh.iter().map(|b| c.terms.bound(&c.sorts, *b)).collect();
                let (body, outside) = parts.split_last().expect("an operation over a collection has a body");
                let mut new: Vec<TermId> = outside.iter().map(|a| self.term(c, *a, call.deeper(), done)).collect();
                let body = c.terms.replace_bound(*body, first, &names);
                new.push(self.term(c, body, call.deeper(), done));
                c.terms.each(&c.sorts, each, &fresh, &new, sort)
            }
            _ => {
                let new: Vec<TermId> = parts.iter().map(|a| self.term(c, *a, call.deeper(), done)).collect();
                c.terms.app(op, &new, sort)
            }
        };
        done.insert(term, result);
        result
    }
}
