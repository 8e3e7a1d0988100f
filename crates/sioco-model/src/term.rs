//! Hash-consed terms (S0 section 2.2): what guards, updates and arguments are made of.
//!
//! A [`TermPool`] owns all terms of a model; equal terms have equal ids, so a term is a graph without repetitions and
//! comparing two terms is comparing two integers. Functions, `let` and `match` are gone here: the checker has
//! expanded them, which sharing makes cheap.
//!
//! Evaluation goes from left to right and stops as soon as the answer is known: `And`, `Or`, `Ite` evaluate only
//! what they need, so `y != 0 && x div y > 2` is defined for `y == 0`.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::id::{BinderId, Id, IdVec, SortId, SymbolId, TermId, VarId};
use crate::sort::{Sort, Sorts};
use crate::value::Value;

/// Terms may nest at most this deep. Everything that walks terms recurses, and must fit the 2 MiB stack of any thread:
/// two kilobytes for each level. It is ten times what the parser reads, as functions and updates put terms into each
/// other.
pub const MAX_DEPTH: u32 = 1_000;

/// So many integers, at least, are too many for [`Op::Span`].
pub const MAX_SPAN: i64 = 10_000;

/// A term: a leaf, or an operation applied to terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A constant of a sort.
    Const(Value, SortId),
    /// A variable of a process instance.
    Var(VarId, SortId),
    /// The n-th parameter of the switch, or of the function while its body is being built.
    Param(u32, SortId),
    /// The n-th parameter of the process; gone once the process is instantiated.
    ProcessParam(u32, SortId),
    /// A variable bound by an enclosing [`Op::Exists`] or [`Op::Each`].
    Bound(BinderId, SortId),
    /// A value that symbolic execution leaves open: one occurrence of a parameter on a path, or a free initial value
    /// (S0 definition 10, which writes primes).
    Symbol(SymbolId, SortId),
    /// An operation applied to its arguments.
    App(Op, Box<[TermId]>),
}

/// The operations. Comments name the sorts: `num` is `Int` or `Real`, `seq` is `String` or a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Negation.
    Not,
    /// Conjunction of any number, stopping at the first `false`.
    And,
    /// Disjunction of any number, stopping at the first `true`.
    Or,
    /// `if c then a else b`.
    Ite,
    /// Equality of two values of one sort.
    Eq,
    /// `num < num`.
    Lt,
    /// `num <= num`.
    Le,
    /// Sum of any number of `num`.
    Add,
    /// `num - num`.
    Sub,
    /// `-num`.
    Neg,
    /// Product of any number of `num`.
    Mul,
    /// Euclidean quotient of integers; undefined for zero.
    Div,
    /// Euclidean remainder of integers; undefined for zero.
    Mod,
    /// Exact quotient of reals; undefined for zero.
    Quot,
    /// The real that an integer is.
    ToReal,
    /// The greatest integer not above a real.
    Floor,
    /// Least of any number of `num`.
    Min,
    /// Greatest of any number of `num`.
    Max,
    /// Absolute value.
    Abs,
    /// Length of a `seq`.
    Len,
    /// Concatenation of any number of `seq`.
    Concat,
    /// `s[i]`: the item, or the string of one character; undefined outside.
    Index,
    /// Whether a sequence has an item, or a string a substring.
    Contains,
    /// `slice(s, from, to)`: from inclusive, to exclusive; undefined unless `0 <= from <= to <= len(s)`.
    Slice,
    /// A sequence of its arguments.
    SeqLit,
    /// A constructor applied to its fields; the sort of the term says of which type.
    Construct(u32),
    /// Whether the value was made by this constructor.
    Is(u32),
    /// A field, by constructor and position; undefined for another constructor.
    Field(u32, u32),
    /// The argument itself if it is an element of the sort; undefined otherwise.
    Checked(SortId),
    /// Whether values of the bound variables (`first..first + count`) make the argument true; undefined if none do, and
    /// the argument is undefined for some.
    Exists {
        /// The first bound variable.
        first: BinderId,
        /// How many there are.
        count: u32,
    },
    /// A set of its arguments, some of them perhaps equal.
    SetLit,
    /// A map of its arguments: key, value, key, value; undefined if two keys are equal.
    MapLit,
    /// How many items a set has, or entries a map.
    Size,
    /// Whether a set has an item, or a map a key.
    Has,
    /// `m[k]`: the value of a key; undefined if the map does not have it.
    Lookup,
    /// `s with { [i]: v }`: the sequence with another item; undefined outside.
    Replace,
    /// `m with { [k]: v }`: the map with this entry.
    Put,
    /// `add(s, x)`: the set with this item.
    Include,
    /// `remove(c, x)`: the set without this item, the map without this key.
    Exclude,
    /// `insertAt(q, i, v)`: the sequence with one item more; undefined unless `0 <= i <= len(q)`.
    InsertAt,
    /// `removeAt(q, i)`: the sequence without an item; undefined outside.
    RemoveAt,
    /// The union of two sets.
    Union,
    /// The intersection of two sets.
    Intersection,
    /// The items of the first set that are not in the second.
    Difference,
    /// Whether all items of the first set are in the second.
    Subset,
    /// The entries of two maps; where both have a key, those of the second.
    Merge,
    /// The keys of a map, as a set.
    Keys,
    /// The values of a map, as a sequence in the order of the keys.
    Values,
    /// The items of a set, as a sequence in the fixed order.
    ToSeq,
    /// The items of a sequence, as a set.
    ToSet,
    /// The integers from the first to the second, both included, as a sequence; undefined if they are too many.
    Span,
    /// The first argument; undefined if it equals another one: what two updates of one step change must not be one.
    Apart,
    /// A call deeper than the bound of its function: always undefined. The arguments are the name and the bound.
    Beyond,
    /// Whether the argument has a value; always defined. The language does not write it: it says what else a condition
    /// says besides that it is true.
    Defined,
    /// The decimal text of an integer.
    Text,
    /// Whether a text is an integer in decimal: `-?[0-9]+`.
    IsNumber,
    /// The integer that a text is; undefined if it is none.
    Number,
    /// How many bytes of UTF-8 a text has.
    ByteLen,
    /// Whether the whole text matches a regular expression, which is a constant.
    Matches,
    /// The parts of a text between separators; undefined for the empty separator.
    Split,
    /// The texts of a sequence with a separator in between.
    Join,
    /// Whether a text starts with another one.
    StartsWith,
    /// Whether a text ends with another one.
    EndsWith,
    /// A text in upper case.
    Upper,
    /// A text in lower case.
    Lower,
    /// Something of each item of a collection, the first argument. The last argument is a term over the bound variables
    /// (`first..first + count`): the item of a sequence or set, or the key of a map; of two, the position and the item, or
    /// the key and the value. [`Each::Fold`] has one more at the end, and its start as the second argument.
    Each {
        /// What is asked.
        each: Each,
        /// The first bound variable.
        first: BinderId,
        /// How many there are.
        count: u32,
    },
}

/// What is asked about the items of a collection, from the first one to the last in the fixed order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Each {
    /// Whether the term is true for one of them; stops there.
    Any,
    /// Whether it is true for all of them; stops where it is not.
    All,
    /// For how many it is true.
    Count,
    /// The sum of the term.
    Sum,
    /// The items for which it is true, as a collection of the same kind.
    Filter,
    /// The values of the term: of a sequence a sequence, of a set a set, of a map a map with the same keys.
    Map,
    /// The position of the first item of a sequence for which it is true; undefined if there is none.
    FirstIndex,
    /// The first item, or key, for which the term is least; undefined if there is no item.
    Least,
    /// The first item, or key, for which it is greatest; undefined if there is no item.
    Greatest,
    /// The term after the last item, each with the result of the one before.
    Fold,
}

impl Op {
    /// Whether it is an operation on sets, maps, changed sequences or texts that can be undefined for arguments that are not.
    pub fn is_partial_on_data(self) -> bool {
        matches!(
            self,
            Op::Lookup
                | Op::Replace
                | Op::InsertAt
                | Op::RemoveAt
                | Op::Apart
                | Op::MapLit
                | Op::Number
                | Op::Split
                | Op::Span
                | Op::Beyond
        )
    }

    /// The variables that the operation binds in its last argument.
    pub fn binders(self) -> Option<(BinderId, u32)> {
        match self {
            Op::Exists { first, count } | Op::Each { first, count, .. } => Some((first, count)),
            _ => None,
        }
    }

    /// Whether a variable is one of those that the operation binds in its last argument.
    pub fn binds(self, binder: BinderId) -> bool {
        self.binders()
            .is_some_and(|(first, count)| (first.index()..first.index() + count as usize).contains(&binder.index()))
    }
}

/// A term and what is known of it once and for all.
#[derive(Clone, Debug)]
struct Entry {
    term: Term,
    sort: SortId,
    depth: u32,
    partial: bool,
    /// The bound variables in it that nothing in it binds, in order; `None` if there are none.
    free: Option<Box<[BinderId]>>,
}

/// Owner of all terms of a model.
#[derive(Clone, Debug, Default)]
pub struct TermPool {
    terms: IdVec<TermId, Entry>,
    /// Finds a term by its hash; the terms themselves are held once.
    index: HashTable<TermId>,
    /// The sorts of the variables that quantifiers bind, with their ranges.
    pub binders: IdVec<BinderId, SortId>,
    /// The variables that [`Op::Each`] binds, by their sorts and by how many of these operations stand inside of one
    /// another: equal operations are equal terms, and none binds a variable that one around it binds.
    levels: FxHashMap<(Box<[SortId]>, u32), BinderId>,
    /// How many of these operations stand inside of the one that binds the variable.
    level: FxHashMap<BinderId, u32>,
}

impl TermPool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// The term of an id.
    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id].term
    }

    /// The sort of a term, without ranges.
    pub fn sort(&self, id: TermId) -> SortId {
        self.terms[id].sort
    }

    /// How deep the term nests; a leaf has depth 1.
    pub fn depth(&self, id: TermId) -> u32 {
        self.terms[id].depth
    }

    /// How many different terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn intern(&mut self, term: Term, sort: SortId) -> TermId {
        let hash = hash(&term);
        match self.index.find(hash, |id| self.terms[*id].term == term && self.terms[*id].sort == sort) {
            Some(id) => *id,
            None => self.insert(hash, term, sort),
        }
    }

    fn insert(&mut self, hash: u64, term: Term, sort: SortId) -> TermId {
        let (depth, partial) = match &term {
            Term::App(op, args) => {
                let depth = 1 + args.iter().map(|a| self.terms[*a].depth).max().unwrap_or(0);
                let inside = *op != Op::Defined && args.iter().any(|a| self.terms[*a].partial);
                (depth, inside || self.may_be_undefined(*op, args))
            }
            _ => (1, false),
        };
        let free = self.free_of(&term);
        self.terms.push(Entry { term, sort, depth, partial, free });
        let id = TermId::from_len(self.terms.len());
        let terms = &self.terms;
        self.index.insert_unique(hash, id, |id| self::hash(&terms[*id].term));
        id
    }

    fn free_of(&self, term: &Term) -> Option<Box<[BinderId]>> {
        let (op, args) = match term {
            Term::Bound(b, _) => return Some([*b].into()),
            Term::App(op, args) if args.iter().any(|a| self.terms[*a].free.is_some()) => (*op, args),
            _ => return None,
        };
        let mut all: Vec<BinderId> = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let inside = i + 1 == args.len();
            all.extend(self.free(*arg).iter().filter(|b| !(inside && op.binds(**b))));
        }
        all.sort_unstable();
        all.dedup();
        (!all.is_empty()).then(|| all.into())
    }

    /// The bound variables of a term that nothing in it binds.
    pub fn free(&self, term: TermId) -> &[BinderId] {
        self.terms[term].free.as_deref().unwrap_or_default()
    }

    /// Whether the operation can be undefined for arguments that are not.
    pub fn may_be_undefined(&self, op: Op, args: &[TermId]) -> bool {
        match op {
            Op::Div | Op::Mod => !matches!(self.as_const(args[1]), Some(Value::Int(n)) if *n != 0),
            Op::Quot => !matches!(self.as_const(args[1]), Some(Value::Real(r)) if !r.is_zero()),
            Op::Index | Op::Slice | Op::Checked(_) | Op::Field(..) => true,
            Op::Lookup | Op::Replace | Op::InsertAt | Op::RemoveAt | Op::Beyond | Op::Number => true,
            Op::MapLit => {
                let keys = || args.iter().step_by(2).map(|k| self.as_const(*k));
                keys()
                    .enumerate()
                    .any(|(i, k)| (i > 0 && k.is_none()) || keys().take(i).any(|other| other.is_none() || other == k))
            }
            Op::Apart => match self.as_const(args[0]) {
                Some(key) => args[1..].iter().any(|a| self.as_const(*a).is_none_or(|other| other == key)),
                None => args.len() > 1,
            },
            Op::Split => !matches!(self.as_const(args[1]), Some(Value::Str(s)) if !s.is_empty()),
            Op::Span => match (self.as_const(args[0]), self.as_const(args[1])) {
                (Some(Value::Int(a)), Some(Value::Int(b))) => b.saturating_sub(*a) >= MAX_SPAN,
                _ => true,
            },
            Op::Each { each, .. } => matches!(each, Each::FirstIndex | Each::Least | Each::Greatest),
            _ => false,
        }
    }

    /// An operation over a collection. The variables are new ones, which the last argument alone has; they are given up for
    /// others, so that equal operations are equal terms.
    pub fn each(&mut self, sorts: &Sorts, each: Each, binders: &[BinderId], args: &[TermId], sort: SortId) -> TermId {
        let body = args[args.len() - 1];
        let mut level = 0;
        self.visit(body, &mut |_, t| {
            let inner = match t {
                Term::Bound(b, _) => self.level.get(b),
                Term::App(Op::Each { first, .. }, _) => self.level.get(first),
                _ => None,
            };
            level = level.max(inner.map_or(0, |n| n + 1));
        });
        let key: Box<[SortId]> = binders.iter().map(|b| self.binders[*b]).collect();
        let first = match self.levels.get(&(key.clone(), level)) {
            Some(first) => *first,
            None => {
                let first = self.binders.next_id();
                for sort in &key {
                    let binder = self.binders.push(*sort);
                    self.level.insert(binder, level);
                }
                self.levels.insert((key, level), first);
                first
            }
        };
        let new: Vec<TermId> =
            (0..binders.len()).map(|i| self.bound(sorts, BinderId::from_index(first.index() + i))).collect();
        let body = self.replace(body, &mut |_, leaf| match leaf {
            Term::Bound(b, _) => binders.iter().position(|x| x == b).map(|i| new[i]),
            _ => None,
        });
        let mut args = args.to_vec();
        *args.last_mut().expect("an operation over a collection has arguments") = body;
        self.app(Op::Each { each, first, count: binders.len() as u32 }, &args, sort)
    }

    /// The term with variables that [`Op::Each`] binds, from the first on, replaced; not where they are bound again.
    pub fn replace_bound(&mut self, term: TermId, first: BinderId, by: &[TermId]) -> TermId {
        self.replace_bound_in(term, first, by, &mut FxHashMap::default())
    }

    fn replace_bound_in(
        &mut self,
        term: TermId,
        first: BinderId,
        by: &[TermId],
        done: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        let which = |b: &BinderId| b.index().checked_sub(first.index()).and_then(|i| by.get(i)).copied();
        if !self.free(term).iter().any(|b| which(b).is_some()) {
            return term;
        }
        if let Some(&result) = done.get(&term) {
            return result;
        }
        let result = match self.get(term) {
            Term::Bound(b, _) => which(b).unwrap_or(term),
            Term::App(op, args) => {
                let (op, mut new) = (*op, args.to_vec());
                let outside = if op.binds(first) { new.len() - 1 } else { new.len() };
                for arg in &mut new[..outside] {
                    *arg = self.replace_bound_in(*arg, first, by, done);
                }
                let sort = self.sort(term);
                self.app(op, &new, sort)
            }
            _ => term,
        };
        done.insert(term, result);
        result
    }

    /// How deep the operations over collections stand in one another, by their variables: for whoever copies terms.
    pub fn copy_levels(&mut self, from: &TermPool, binder: impl Fn(BinderId) -> BinderId) {
        self.level.extend(from.level.iter().map(|(b, level)| (binder(*b), *level)));
    }

    /// A constant; `sort` without ranges.
    pub fn constant(&mut self, value: Value, sort: SortId) -> TermId {
        self.intern(Term::Const(value, sort), sort)
    }

    /// A truth value.
    pub fn bool(&mut self, sorts: &Sorts, value: bool) -> TermId {
        self.constant(Value::Bool(value), sorts.bool)
    }

    /// A variable; `sort` without ranges.
    pub fn var(&mut self, var: VarId, sort: SortId) -> TermId {
        self.intern(Term::Var(var, sort), sort)
    }

    /// A parameter; `sort` without ranges.
    pub fn param(&mut self, index: u32, sort: SortId) -> TermId {
        self.intern(Term::Param(index, sort), sort)
    }

    /// A process parameter; `sort` without ranges.
    pub fn process_param(&mut self, index: u32, sort: SortId) -> TermId {
        self.intern(Term::ProcessParam(index, sort), sort)
    }

    /// A bound variable.
    pub fn bound(&mut self, sorts: &Sorts, binder: BinderId) -> TermId {
        let sort = sorts.base(self.binders[binder]);
        self.intern(Term::Bound(binder, sort), sort)
    }

    /// A symbol; `sort` without ranges.
    pub fn symbol(&mut self, symbol: SymbolId, sort: SortId) -> TermId {
        self.intern(Term::Symbol(symbol, sort), sort)
    }

    /// An operation as it is, without simplification. The caller vouches for the sorts.
    pub fn app(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        let hash = hash_app(op, args);
        // Types may have constructors that look the same: the first one with a number, say.
        let same = |id: &TermId| {
            matches!(self.get(*id), Term::App(o, a) if *o == op && **a == *args) && self.sort(*id) == sort
        };
        match self.index.find(hash, same) {
            Some(id) => *id,
            None => self.insert(hash, Term::App(op, args.into()), sort),
        }
    }

    /// The constant value of a term, if it is a constant.
    pub fn as_const(&self, id: TermId) -> Option<&Value> {
        match self.get(id) {
            Term::Const(v, _) => Some(v),
            _ => None,
        }
    }

    fn is_bool(&self, id: TermId, value: bool) -> bool {
        matches!(self.get(id), Term::Const(Value::Bool(b), _) if *b == value)
    }

    /// Negation; a double one vanishes.
    pub fn not(&mut self, sorts: &Sorts, a: TermId) -> TermId {
        match self.get(a) {
            Term::Const(Value::Bool(b), _) => {
                let value = !*b;
                self.bool(sorts, value)
            }
            Term::App(Op::Not, args) => args[0],
            _ => self.app(Op::Not, &[a], sorts.bool),
        }
    }

    /// Conjunction, flattened; what stands behind a `false` is never evaluated and so dropped.
    pub fn and(&mut self, sorts: &Sorts, parts: &[TermId]) -> TermId {
        self.junction(sorts, Op::And, parts)
    }

    /// Disjunction, flattened.
    pub fn or(&mut self, sorts: &Sorts, parts: &[TermId]) -> TermId {
        self.junction(sorts, Op::Or, parts)
    }

    fn junction(&mut self, sorts: &Sorts, op: Op, parts: &[TermId]) -> TermId {
        let unit = op == Op::And;
        let mut flat: Vec<TermId> = Vec::with_capacity(parts.len());
        for &part in parts {
            let nested: &[TermId] = match self.get(part) {
                Term::App(o, args) if *o == op => args,
                _ => &[part],
            };
            flat.extend(nested.iter().copied().filter(|p| !self.is_bool(*p, unit)));
        }
        if let Some(end) = flat.iter().position(|p| self.is_bool(*p, !unit)) {
            flat.truncate(end + 1);
        }
        // A conjunct that stands earlier already decides: the repetition adds nothing, not even undefinedness.
        let mut seen = rustc_hash::FxHashSet::default();
        flat.retain(|p| seen.insert(*p));
        match flat.len() {
            0 => self.bool(sorts, unit),
            1 => flat[0],
            _ => self.app(op, &flat, sorts.bool),
        }
    }

    /// `if c then a else b`, decided where the condition is a constant.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if self.is_bool(c, true) {
            a
        } else if self.is_bool(c, false) {
            b
        } else {
            let sort = self.sort(a);
            self.app(Op::Ite, &[c, a, b], sort)
        }
    }

    /// Equality of two terms of one sort.
    pub fn eq(&mut self, sorts: &Sorts, a: TermId, b: TermId) -> TermId {
        self.app(Op::Eq, &[a, b], sorts.bool)
    }

    /// The term with leaves replaced. `leaf` is asked once for every different leaf; `None` keeps it.
    pub fn replace(&mut self, term: TermId, leaf: &mut dyn FnMut(&mut TermPool, &Term) -> Option<TermId>) -> TermId {
        self.replace_in(term, leaf, &mut FxHashMap::default())
    }

    /// The same; `done` has every term that was looked at, with what became of it.
    pub fn replace_in(
        &mut self,
        term: TermId,
        leaf: &mut dyn FnMut(&mut TermPool, &Term) -> Option<TermId>,
        done: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        if let Some(&result) = done.get(&term) {
            return result;
        }
        let result = match self.get(term).clone() {
            Term::App(op, args) => {
                let new: Box<[TermId]> = args.iter().map(|a| self.replace_in(*a, leaf, done)).collect();
                if new == args {
                    term
                } else {
                    let sort = self.sort(term);
                    self.app(op, &new, sort)
                }
            }
            Term::Const(..) => term,
            other => leaf(self, &other).unwrap_or(term),
        };
        done.insert(term, result);
        result
    }

    /// Visits every different subterm once, arguments first.
    pub fn visit(&self, term: TermId, visit: &mut dyn FnMut(TermId, &Term)) {
        self.visit_in(term, visit, &mut Seen::default());
    }

    fn visit_in(&self, term: TermId, visit: &mut dyn FnMut(TermId, &Term), seen: &mut Seen) {
        if !seen.insert(term) {
            return;
        }
        if let Term::App(_, args) = self.get(term) {
            for arg in args {
                self.visit_in(*arg, visit, seen);
            }
        }
        visit(term, self.get(term));
    }

    /// The number of different subterms, counted up to a limit.
    pub fn size_up_to(&self, term: TermId, limit: usize) -> usize {
        let mut seen: Vec<TermId> = Vec::with_capacity(limit + 1);
        let mut open = vec![term];
        while let Some(t) = open.pop() {
            if seen.contains(&t) {
                continue;
            }
            seen.push(t);
            if seen.len() > limit {
                break;
            }
            if let Term::App(_, args) = self.get(t) {
                open.extend(args.iter().copied());
            }
        }
        seen.len()
    }

    /// Whether a parameter is in the term.
    pub fn reads_param(&self, term: TermId) -> bool {
        let mut found = false;
        self.visit(term, &mut |_, t| found |= matches!(t, Term::Param(..)));
        found
    }

    /// Whether evaluating the term can be undefined for some values of its leaves.
    pub fn is_partial(&self, term: TermId) -> bool {
        self.terms[term].partial
    }
}

/// The terms that were visited: most have so few parts that looking through them is quicker than hashing.
#[derive(Default)]
struct Seen {
    few: [Option<TermId>; Self::FEW],
    len: usize,
    many: FxHashSet<TermId>,
}

impl Seen {
    const FEW: usize = 16;

    fn insert(&mut self, term: TermId) -> bool {
        if self.few[..self.len].contains(&Some(term)) {
            return false;
        }
        if self.len < Self::FEW {
            self.few[self.len] = Some(term);
            self.len += 1;
            return true;
        }
        self.many.insert(term)
    }
}

fn hash(term: &Term) -> u64 {
    if let Term::App(op, args) = term {
        return hash_app(*op, args);
    }
    let mut hasher = FxHasher::default();
    term.hash(&mut hasher);
    hasher.finish()
}

fn hash_app(op: Op, args: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    args.hash(&mut hasher);
    hasher.finish()
}

impl TermId {
    fn from_len(len: usize) -> TermId {
        crate::id::Id::from_index(len - 1)
    }
}

/// The sort that an index into `seq` gives: the item sort, or `String` for strings.
pub fn item_sort(sorts: &Sorts, seq: SortId) -> Option<SortId> {
    match sorts.get(seq) {
        Sort::String => Some(seq),
        Sort::Seq(item) => Some(*item),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_the_same_term() {
        let sorts = Sorts::default();
        let mut pool = TermPool::new();
        let p = pool.param(0, sorts.int);
        let one = pool.constant(Value::Int(1), sorts.int);
        let a = pool.app(Op::Add, &[p, one], sorts.int);
        let b = pool.app(Op::Add, &[p, one], sorts.int);
        assert_eq!(a, b);
        assert_eq!(pool.len(), 3);
        assert_eq!(pool.depth(a), 2);
    }

    #[test]
    fn constructors_of_two_types_are_two_terms() {
        let sorts = Sorts::default();
        let mut pool = TermPool::new();
        let p = pool.param(0, sorts.string);
        // Any two sorts will do.
        let [a, b] = [sorts.int, sorts.real].map(|sort| pool.app(Op::Construct(1), &[p], sort));
        assert_eq!([a, b].map(|t| pool.sort(t)), [sorts.int, sorts.real]);
        assert_eq!(pool.app(Op::Construct(1), &[p], sorts.int), a);
    }

    #[test]
    fn junctions_are_flat_and_keep_their_order() {
        let sorts = Sorts::default();
        let mut pool = TermPool::new();
        let [a, b, c] = [0, 1, 2].map(|i| pool.param(i, sorts.bool));
        let (t, f) = (pool.bool(&sorts, true), pool.bool(&sorts, false));
        let ab = pool.and(&sorts, &[a, t, b]);
        let abc = pool.and(&sorts, &[ab, c, a]);
        assert_eq!(pool.get(abc), &Term::App(Op::And, [a, b, c].into()));
        assert_eq!(pool.and(&sorts, &[]), t);
        assert_eq!(pool.or(&sorts, &[a, t, b]), pool.or(&sorts, &[a, t]));
        assert_eq!(pool.and(&sorts, &[f, a]), f);
        let na = pool.not(&sorts, a);
        assert_eq!(pool.not(&sorts, na), a);
    }

    #[test]
    fn sharing_keeps_repeated_substitution_small() {
        let sorts = Sorts::default();
        let mut pool = TermPool::new();
        let p = pool.param(0, sorts.int);
        let mut t = pool.app(Op::Add, &[p, p], sorts.int);
        for _ in 0..60 {
            let arg = t;
            let body = pool.app(Op::Add, &[p, p], sorts.int);
            t = pool.replace(body, &mut |_, leaf| matches!(leaf, Term::Param(0, _)).then_some(arg));
        }
        assert!(pool.len() < 100, "2^61 occurrences, {} terms", pool.len());
    }
}
