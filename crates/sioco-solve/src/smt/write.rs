//! Terms as SMT-LIB 2 text.
//!
//! A conjunct is written so that exactly the valuations for which the reference evaluator gives `true` satisfy it.
//! SMT-LIB's functions are total, so every term has two translations: its *value*, which is some value where the term
//! is undefined, and, where a term can be undefined, a condition that it is *defined*, which follows the order of
//! evaluation: `And`, `Or` and `Ite` ask only for what they evaluate.
//!
//! Terms are graphs. A term that is used twice gets a name: a constant with an equation (`v7`, and `d7` for its
//! definedness), or a `let` if it has bound variables. So the text is linear in the graph, and a path condition
//! that grows step by step names the values of the variables step by step.

mod defined;
mod quantify;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, DataId, Id, SortId, SymbolId, TermId};

use self::quantify::{Scope, binders};
use super::sorts::{self, Unwritable, put};
use crate::query::Terms;

/// What a text uses, which decides the logic that the solver is told.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Features {
    /// Reals.
    pub real: bool,
    /// Integers.
    pub int: bool,
    /// Products or quotients of two open values.
    pub nonlinear: bool,
    /// Strings, sequences or data types.
    pub structured: bool,
    /// Quantifiers.
    pub quantified: bool,
}

impl Features {
    /// What either uses.
    pub fn or(self, other: Features) -> Features {
        Features {
            real: self.real | other.real,
            int: self.int | other.int,
            nonlinear: self.nonlinear | other.nonlinear,
            structured: self.structured | other.structured,
            quantified: self.quantified | other.quantified,
        }
    }

    /// The least logic that has all of this, among those that make a difference.
    pub fn logic(self) -> &'static str {
        match (self.nonlinear || self.structured, self.quantified, self.int, self.real) {
            (true, ..) => "ALL",
            (_, false, true, true) => "QF_LIRA",
            (_, false, _, true) => "QF_LRA",
            (_, false, _, false) => "QF_LIA",
            (_, true, true, true) => "ALL",
            (_, true, _, true) => "LRA",
            (_, true, _, false) => "LIA",
        }
    }
}

/// A conjunct as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Commands: declarations, then one `assert` of the conjunct.
    pub text: String,
    /// Where in the text the asserted formula is.
    pub formula: std::ops::Range<usize>,
    /// What it uses.
    pub features: Features,
}

impl Written {
    /// The commands before the `assert`.
    pub fn before(&self) -> &str {
        let end = self.formula.start.saturating_sub(ASSERT.len());
        &self.text[..end]
    }
}

const ASSERT: &str = "(assert ";

/// What must be known of a term before it is written.
#[derive(Clone, Default)]
struct Info {
    /// Whether it can be undefined.
    partial: bool,
    /// Whether there is a quantifier in it.
    quantified: bool,
    /// The variables it uses without binding them.
    free: Vec<BinderId>,
}

/// Something that holds until its level is closed.
enum Entry {
    Symbol(SymbolId),
    Data(DataId),
    Seen(TermId),
    Named(TermId),
}

/// The writer: it knows what was declared on which level.
#[derive(Default)]
pub struct Writer {
    info: FxHashMap<TermId, Info>,
    symbols: FxHashSet<SymbolId>,
    data: FxHashSet<DataId>,
    seen: FxHashSet<TermId>,
    named: FxHashSet<TermId>,
    trail: Vec<Entry>,
    levels: Vec<usize>,
    order: Vec<SymbolId>,
}

impl Writer {
    /// Opens a level.
    pub fn push(&mut self) {
        self.levels.push(self.trail.len());
    }

    /// Closes the last level: what was declared on it is forgotten.
    pub fn pop(&mut self) {
        let start = self.levels.pop().unwrap_or(0);
        self.undo(start);
    }

    fn undo(&mut self, start: usize) {
        for entry in self.trail.drain(start..) {
            match entry {
                Entry::Symbol(y) => {
                    self.symbols.remove(&y);
                    self.order.pop();
                }
                Entry::Data(d) => {
                    self.data.remove(&d);
                }
                Entry::Seen(t) => {
                    self.seen.remove(&t);
                }
                Entry::Named(t) => {
                    self.named.remove(&t);
                }
            }
        }
    }

    /// The symbols that are declared, oldest first.
    pub fn symbols(&self) -> &[SymbolId] {
        &self.order
    }

    /// A conjunct on the current level.
    pub fn conjunct(&mut self, terms: Terms<'_>, conjunct: TermId) -> Result<Written, Unwritable> {
        let start = self.trail.len();
        let mut text = Text { writer: self, terms, refs: FxHashMap::default(), order: Vec::new(), scopes: Vec::new() };
        let written = text.conjunct(conjunct);
        if written.is_err() {
            self.undo(start);
        }
        written
    }
}

/// The name of a symbol.
pub fn symbol_name(y: SymbolId) -> String {
    format!("y{}", y.index())
}

/// One conjunct that is being written.
struct Text<'a> {
    writer: &'a mut Writer,
    terms: Terms<'a>,
    /// How often each operation is used.
    refs: FxHashMap<TermId, u32>,
    /// The operations, arguments first.
    order: Vec<TermId>,
    scopes: Vec<Scope>,
}

type Wrote = Result<(), Unwritable>;

impl Text<'_> {
    fn conjunct(&mut self, conjunct: TermId) -> Result<Written, Unwritable> {
        let mut features = Features::default();
        let mut out = String::new();
        self.info(conjunct, &mut features);
        // The parts of a conjunction are written one by one, without regard to those before them.
        match self.terms.pool.get(conjunct) {
            Term::App(Op::And, args) => {
                for arg in args {
                    self.count(*arg, 1, &mut features, &mut out)?;
                }
            }
            _ => self.count(conjunct, 1, &mut features, &mut out)?,
        }
        for t in std::mem::take(&mut self.order) {
            let info = &self.writer.info[&t];
            if !info.free.is_empty() {
                continue;
            }
            let (partial, quantified) = (info.partial, info.quantified);
            if self.is_shared(t) || (self.writer.seen.contains(&t) && self.is_worth_a_name(t)) {
                self.name(t, partial, quantified, &mut out)?;
            } else if self.writer.seen.insert(t) {
                self.writer.trail.push(Entry::Seen(t));
            }
        }
        out.push_str(ASSERT);
        let start = out.len();
        self.holds(conjunct, &mut out)?;
        let formula = start..out.len();
        out.push_str(")\n");
        Ok(Written { text: out, formula, features })
    }

    /// Gives a term a name in the solver.
    fn name(&mut self, t: TermId, partial: bool, quantified: bool, out: &mut String) -> Wrote {
        let n = t.index();
        for (prefix, wanted) in [('v', true), ('d', partial)] {
            if !wanted {
                continue;
            }
            // An equation would make a quantifier count in both directions; a definition is only an abbreviation.
            out.push_str(if quantified { "(define-fun " } else { "(declare-const " });
            put(out, format_args!("{prefix}{n} "));
            out.push_str(if quantified { "() " } else { "" });
            let sort = if prefix == 'v' { self.terms.pool.sort(t) } else { self.terms.sorts.bool };
            sorts::sort(self.terms.sorts, sort, out);
            if quantified {
                out.push(' ');
            } else {
                put(out, format_args!(")\n(assert (= {prefix}{n} "));
            }
            if prefix == 'v' {
                self.value(t, out)?
            } else {
                self.defined(t, out)?
            }
            out.push_str(if quantified { ")\n" } else { "))\n" });
        }
        self.writer.named.insert(t);
        self.writer.trail.push(Entry::Named(t));
        Ok(())
    }

    fn is_shared(&self, t: TermId) -> bool {
        self.refs.get(&t).is_some_and(|n| *n > 1) && self.is_worth_a_name(t)
    }

    fn is_worth_a_name(&self, t: TermId) -> bool {
        !matches!(self.terms.pool.get(t), Term::App(Op::Not | Op::Checked(_), _)) && self.terms.pool.depth(t) > 1
    }

    /// Counts the uses of `t` and what is below, and declares its symbols and data types.
    fn count(&mut self, t: TermId, weight: u32, features: &mut Features, out: &mut String) -> Wrote {
        let pool = self.terms.pool;
        let (op, args) = match pool.get(t) {
            Term::App(op, args) => (*op, args),
            Term::Symbol(y, _) => return self.declare(*y, features, out),
            Term::Const(_, sort) | Term::Bound(_, sort) => {
                self.feature(*sort, features);
                return self.declare_data(*sort, out);
            }
            Term::Var(..) | Term::Param(..) | Term::ProcessParam(..) => {
                return Err(Unwritable("a condition has variables or parameters that were not replaced".into()));
            }
        };
        if self.writer.named.contains(&t) {
            return Ok(());
        }
        let refs = self.refs.entry(t).or_default();
        *refs += weight;
        if *refs > weight {
            return Ok(());
        }
        self.feature(pool.sort(t), features);
        self.declare_data(pool.sort(t), out)?;
        if let Some(why) = unwritten(op) {
            return Err(Unwritable(why.into()));
        }
        match op {
            Op::Mul => features.nonlinear |= args.iter().filter(|a| pool.as_const(**a).is_none()).count() > 1,
            Op::Div | Op::Mod | Op::Quot => features.nonlinear |= pool.as_const(args[1]).is_none(),
            Op::Exists { first, count } => {
                features.quantified = true;
                for b in binders(first, count) {
                    self.declare_data(pool.binders[b], out)?;
                    self.feature(pool.binders[b], features);
                }
            }
            _ => {}
        }
        let weight = if self.info(t, features).partial { 2 } else { 1 };
        for arg in args {
            self.count(*arg, weight, features, out)?;
        }
        self.order.push(t);
        Ok(())
    }

    fn feature(&self, sort: SortId, features: &mut Features) {
        match self.terms.sorts.get(sort) {
            Sort::Bool => {}
            Sort::Int { .. } => features.int = true,
            Sort::Real { .. } => features.real = true,
            Sort::Data(d) if sorts::is_enumeration(self.terms.sorts, *d) => features.int = true,
            Sort::String | Sort::Data(_) | Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) => features.structured = true,
        }
    }

    fn declare(&mut self, y: SymbolId, features: &mut Features, out: &mut String) -> Wrote {
        let Some(symbol) = self.terms.symbols.get(y) else {
            return Err(Unwritable("a condition has a symbol that is not known".into()));
        };
        self.feature(symbol.sort, features);
        if self.writer.symbols.contains(&y) {
            return Ok(());
        }
        // A symbol that cannot be declared stays unknown: the next conjunct must not take it for declared.
        self.declare_data(symbol.sort, out)?;
        self.writer.symbols.insert(y);
        self.writer.trail.push(Entry::Symbol(y));
        self.writer.order.push(y);
        let name = symbol_name(y);
        put(out, format_args!("(declare-const {name} "));
        sorts::sort(self.terms.sorts, symbol.sort, out);
        out.push_str(")\n");
        if let Some(inside) = sorts::range(self.terms.sorts, symbol.sort, &name, 0, &mut features.quantified) {
            put(out, format_args!("(assert {inside})\n"));
        }
        Ok(())
    }

    fn declare_data(&mut self, sort: SortId, out: &mut String) -> Wrote {
        if sorts::has_collection(self.terms.sorts, sort) {
            let name = self.terms.sorts.name(sort);
            return Err(Unwritable(format!("SMT-LIB has no finite sets and maps, so `{name}` cannot be written")));
        }
        if !matches!(self.terms.sorts.get(sort), Sort::Data(_) | Sort::Seq(_)) {
            return Ok(());
        }
        let mut found = Vec::new();
        sorts::data_types(self.terms.sorts, sort, &mut found);
        for d in found {
            if self.writer.data.insert(d) {
                self.writer.trail.push(Entry::Data(d));
                sorts::declaration(self.terms.sorts, d, out);
            }
        }
        Ok(())
    }

    fn info(&mut self, t: TermId, features: &mut Features) -> Info {
        if let Some(info) = self.writer.info.get(&t) {
            features.quantified |= info.quantified;
            return info.clone();
        }
        let pool = self.terms.pool;
        let mut info = Info::default();
        match pool.get(t) {
            Term::Bound(b, _) => info.free.push(*b),
            Term::App(op, args) => {
                for arg in args {
                    let inner = self.info(*arg, features);
                    info.partial |= inner.partial;
                    info.quantified |= inner.quantified;
                    for b in inner.free {
                        if !info.free.contains(&b) {
                            info.free.push(b);
                        }
                    }
                }
                info.partial |= self.own_definedness(t, &mut info.quantified).is_some();
                if let Op::Exists { first, count } = op {
                    info.quantified = true;
                    info.free.retain(|b| !binders(*first, *count).any(|bound| bound == *b));
                }
            }
            _ => {}
        }
        features.quantified |= info.quantified;
        self.writer.info.insert(t, info.clone());
        info
    }

    /// The name of a term, if it has one here.
    fn has_name(&self, t: TermId) -> bool {
        match self.scope_of(t) {
            None => self.writer.named.contains(&t),
            Some(scope) => self.scopes[scope].named.contains(&t),
        }
    }

    fn is_string(&self, t: TermId) -> bool {
        *self.terms.sorts.get(self.terms.pool.sort(t)) == Sort::String
    }

    /// The value of a term.
    fn value(&mut self, t: TermId, out: &mut String) -> Wrote {
        match self.terms.pool.get(t) {
            Term::Const(v, sort) => sorts::literal(self.terms.sorts, *sort, v, out),
            Term::Symbol(y, _) => {
                put(out, format_args!("y{}", y.index()));
                Ok(())
            }
            Term::Bound(b, _) => {
                if !self.scopes.iter().any(|s| s.binders.contains(b)) {
                    return Err(Unwritable("a bound variable stands outside of its quantifier".into()));
                }
                put(out, format_args!("b{}", b.index()));
                Ok(())
            }
            Term::App(op, args) if !self.has_name(t) => self.app(t, *op, args, out),
            Term::App(..) => {
                put(out, format_args!("v{}", t.index()));
                Ok(())
            }
            Term::Var(..) | Term::Param(..) | Term::ProcessParam(..) => {
                Err(Unwritable("a condition has variables or parameters that were not replaced".into()))
            }
        }
    }

    fn app(&mut self, t: TermId, op: Op, args: &[TermId], out: &mut String) -> Wrote {
        let (pool, all) = (self.terms.pool, self.terms.sorts);
        let text = args.first().is_some_and(|a| self.is_string(*a));
        let data = |id: TermId| match all.get(pool.sort(id)) {
            Sort::Data(d) => Ok(*d),
            _ => Err(Unwritable("a constructor of something that is no data type".into())),
        };
        let either = |of_text, of_seq| if text { of_text } else { of_seq };
        let head = match op {
            Op::Not => "not",
            Op::And | Op::Or if args.is_empty() => {
                out.push_str(if op == Op::And { "true" } else { "false" });
                return Ok(());
            }
            // SMT-LIB wants two arguments or more.
            Op::And | Op::Or | Op::Add | Op::Mul | Op::Concat | Op::Min | Op::Max if args.len() == 1 => {
                return self.value(args[0], out);
            }
            Op::And => "and",
            Op::Or => "or",
            Op::Ite => "ite",
            Op::Eq => "=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Add => "+",
            Op::Sub | Op::Neg => "-",
            Op::Mul => "*",
            Op::Div => "div",
            Op::Mod => "mod",
            Op::Quot => "/",
            Op::ToReal => "to_real",
            Op::Floor => "to_int",
            Op::Min | Op::Max | Op::Abs => return self.selection(t, op, args, out),
            Op::Len => either("str.len", "seq.len"),
            Op::Concat => either("str.++", "seq.++"),
            Op::Index => either("str.at", "seq.nth"),
            Op::Contains if text => "str.contains",
            Op::Contains => {
                out.push_str("(seq.contains ");
                self.value(args[0], out)?;
                out.push_str(" (seq.unit ");
                self.value(args[1], out)?;
                out.push_str("))");
                return Ok(());
            }
            Op::Slice => {
                out.push_str(either("(str.substr ", "(seq.extract "));
                self.value(args[0], out)?;
                out.push(' ');
                self.value(args[1], out)?;
                out.push_str(" (- ");
                self.value(args[2], out)?;
                out.push(' ');
                self.value(args[1], out)?;
                out.push_str("))");
                return Ok(());
            }
            Op::SeqLit => {
                return sorts::sequence(all, pool.sort(t), args.len(), out, &mut |i, out| self.value(args[i], out));
            }
            Op::Construct(c) => {
                let d = data(t)?;
                if sorts::is_enumeration(all, d) {
                    put(out, format_args!("{c}"));
                    return Ok(());
                }
                let name = sorts::constructor(d, c as usize);
                if args.is_empty() {
                    out.push_str(&name);
                    return Ok(());
                }
                return self.call(&name, args, out);
            }
            Op::Is(c) => {
                let d = data(args[0])?;
                if sorts::is_enumeration(all, d) {
                    put(out, format_args!("(= {c} "));
                    self.value(args[0], out)?;
                    out.push(')');
                    return Ok(());
                }
                return self.call(&format!("(_ is {})", sorts::constructor(d, c as usize)), args, out);
            }
            Op::Field(c, f) => {
                return self.call(&sorts::field(data(args[0])?, c as usize, f as usize), args, out);
            }
            Op::StartsWith | Op::EndsWith => {
                let head = if op == Op::StartsWith { "str.prefixof" } else { "str.suffixof" };
                return self.call(head, &[args[1], args[0]], out);
            }
            other if unwritten(other).is_some() => {
                return Err(Unwritable(unwritten(other).unwrap_or_default().into()));
            }
            Op::Checked(_) => return self.value(args[0], out),
            Op::Exists { first, count } => return self.exists(first, count, args[0], out),
            _ => return Err(Unwritable("an operation that SMT-LIB does not have".into())),
        };
        self.call(head, args, out)
    }

    fn call(&mut self, head: &str, args: &[TermId], out: &mut String) -> Wrote {
        put(out, format_args!("({head}"));
        for arg in args {
            out.push(' ');
            self.value(*arg, out)?;
        }
        out.push(')');
        Ok(())
    }

    /// `Min`, `Max` and `Abs`, with names for what is used twice.
    fn selection(&mut self, t: TermId, op: Op, args: &[TermId], out: &mut String) -> Wrote {
        out.push_str("(let ((m0 ");
        self.value(args[0], out)?;
        out.push_str(")) ");
        if op == Op::Abs {
            let real = self.terms.pool.sort(t) == self.terms.sorts.real;
            put(out, format_args!("(ite (<= {} m0) m0 (- m0)))", if real { "0.0" } else { "0" }));
            return Ok(());
        }
        let first = if op == Op::Min { "(<= m0 m1)" } else { "(<= m1 m0)" };
        for arg in &args[1..] {
            out.push_str("(let ((m1 ");
            self.value(*arg, out)?;
            put(out, format_args!(")) (let ((m0 (ite {first} m0 m1))) "));
        }
        out.push_str("m0");
        out.extend(std::iter::repeat_n(')', 2 * args.len() - 1));
        Ok(())
    }
}

/// Why an operation is not written, if it is not.
fn unwritten(op: Op) -> Option<&'static str> {
    match op {
        Op::SetLit
        | Op::MapLit
        | Op::Size
        | Op::Has
        | Op::Lookup
        | Op::Put
        | Op::Include
        | Op::Exclude
        | Op::Union
        | Op::Intersection
        | Op::Difference
        | Op::Subset
        | Op::Merge
        | Op::Keys
        | Op::Values
        | Op::ToSeq
        | Op::ToSet => Some("SMT-LIB has no finite sets and maps"),
        Op::Replace | Op::InsertAt | Op::RemoveAt | Op::Span | Op::Each { .. } => {
            Some("an operation over a collection is left open, and SMT-LIB has none")
        }
        Op::Text
        | Op::IsNumber
        | Op::Number
        | Op::ByteLen
        | Op::Matches
        | Op::Split
        | Op::Join
        | Op::Upper
        | Op::Lower => Some("an operation on texts that SMT-LIB does not have, or not with this meaning"),
        Op::Apart | Op::Beyond | Op::Defined => Some("whether a term has a value is left open"),
        _ => None,
    }
}
