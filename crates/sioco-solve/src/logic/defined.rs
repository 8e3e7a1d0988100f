//! Where terms are defined, as terms (S0 section 2.2: terms denote partial functions here).
//!
//! Three conditions belong to a Bool term: that it is *defined*, that it *holds* (defined and true), and that it
//! *fails* (defined and false). They follow the order of evaluation: `And`, `Or` and `Ite` ask only for what they
//! evaluate, and `Exists` holds where the body holds for some values, whatever it is for others. All three are total.
//!
//! They come in two styles. The plain one relies on order as well: `y != 0 && x div y > 2` evaluates the quotient only
//! behind its guard. The classical one does not, so that its parts may be moved about: whatever has bound variables
//! in it and could be undefined has a value of its own, as in `y != 0 && (if y == 0 then 0 else x div y) > 2`.

use rustc_hash::FxHashMap;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{MAX_SPAN, Op, Term, TermPool};
use sioco_model::{BinderId, SortId, TermId, Value};

use super::fold::app;
use super::inside::{inside, is_position};
use super::stack::with_room;

/// Which of the three conditions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Of {
    Defined,
    Holds,
    Fails,
}

/// The conditions of terms, remembered for every term that was looked at.
pub(super) struct Meaning<'a> {
    pub pool: &'a mut TermPool,
    pub sorts: &'a Sorts,
    classical: bool,
    conditions: FxHashMap<(Of, TermId), TermId>,
    values: FxHashMap<TermId, TermId>,
    bound: FxHashMap<TermId, bool>,
}

impl<'a> Meaning<'a> {
    /// In the plain style.
    pub fn plain(pool: &'a mut TermPool, sorts: &'a Sorts) -> Self {
        Meaning::new(pool, sorts, false)
    }

    /// In the classical style.
    pub fn classical(pool: &'a mut TermPool, sorts: &'a Sorts) -> Self {
        Meaning::new(pool, sorts, true)
    }

    fn new(pool: &'a mut TermPool, sorts: &'a Sorts, classical: bool) -> Self {
        Meaning {
            pool,
            sorts,
            classical,
            conditions: FxHashMap::default(),
            values: FxHashMap::default(),
            bound: FxHashMap::default(),
        }
    }

    /// The condition that the term is defined.
    pub fn defined(&mut self, t: TermId) -> TermId {
        self.condition(Of::Defined, t)
    }

    /// The condition that a Bool term is defined and true.
    pub fn holds(&mut self, t: TermId) -> TermId {
        self.condition(Of::Holds, t)
    }

    /// The condition that a Bool term is defined and false.
    pub fn fails(&mut self, t: TermId) -> TermId {
        self.condition(Of::Fails, t)
    }

    fn condition(&mut self, of: Of, t: TermId) -> TermId {
        if let Some(known) = self.conditions.get(&(of, t)) {
            return *known;
        }
        let result = match of {
            Of::Defined => self.find_defined(t),
            _ => self.find_truth(t, of == Of::Holds),
        };
        self.conditions.insert((of, t), result);
        result
    }

    fn is_total(&mut self, t: TermId) -> bool {
        let defined = self.defined(t);
        self.pool.as_const(defined) == Some(&Value::Bool(true))
    }

    fn truth(&mut self, value: bool) -> TermId {
        self.pool.bool(self.sorts, value)
    }

    fn find_defined(&mut self, t: TermId) -> TermId {
        let Term::App(op, args) = self.pool.get(t).clone() else { return self.truth(true) };
        match op {
            Op::And | Op::Or => self.defined_junction(op, &args),
            Op::Ite => {
                let [c, a, b] = [0, 1, 2].map(|i| self.defined(args[i]));
                if self.is_total(args[1]) && self.is_total(args[2]) {
                    return c;
                }
                let (yes, no) = (self.holds(args[0]), self.fails(args[0]));
                let yes = self.pool.and(self.sorts, &[yes, a]);
                let no = self.pool.and(self.sorts, &[no, b]);
                self.pool.or(self.sorts, &[yes, no])
            }
            Op::Defined => self.truth(true),
            // Which rounds are evaluated depends on those before: it is asked as a whole.
            Op::Each { .. } if self.pool.is_partial(t) => self.pool.app(Op::Defined, &[t], self.sorts.bool),
            Op::Each { .. } => self.truth(true),
            Op::Exists { .. } if self.is_total(args[0]) => self.truth(true),
            Op::Exists { .. } => {
                let (holds, fails) = (self.holds(t), self.fails(t));
                self.pool.or(self.sorts, &[holds, fails])
            }
            _ => {
                let mut parts: Vec<TermId> = args.iter().map(|a| self.defined(*a)).collect();
                let raw = !self.splits(t);
                let values: Vec<TermId> = args.iter().map(|a| if raw { *a } else { self.value(*a) }).collect();
                let Some(demand) = self.demand(op, &values) else { return self.pool.and(self.sorts, &parts) };
                if self.classical && raw {
                    let before = self.pool.and(self.sorts, &parts);
                    return self.behind(before, demand);
                }
                parts.push(demand);
                self.pool.and(self.sorts, &parts)
            }
        }
    }

    /// `guard && t`, in a way that keeps the two together.
    fn behind(&mut self, guard: TermId, t: TermId) -> TermId {
        let no = self.truth(false);
        self.pool.ite(guard, t, no)
    }

    /// In halves, so that long junctions do not become deep terms.
    fn defined_junction(&mut self, op: Op, parts: &[TermId]) -> TermId {
        match parts {
            [] => self.truth(true),
            [only] => self.defined(*only),
            _ => {
                let (left, right) = parts.split_at(parts.len() / 2);
                let (l, r) = (self.defined_junction(op, left), self.defined_junction(op, right));
                let stop = self.truth_junction(op, left, op == Op::Or);
                let r = self.pool.or(self.sorts, &[stop, r]);
                self.pool.and(self.sorts, &[l, r])
            }
        }
    }

    fn find_truth(&mut self, t: TermId, wanted: bool) -> TermId {
        match self.pool.get(t).clone() {
            Term::App(Op::Not, args) => self.condition(if wanted { Of::Fails } else { Of::Holds }, args[0]),
            Term::App(op @ (Op::And | Op::Or), args) => self.truth_junction(op, &args, wanted),
            Term::App(Op::Ite, args) => {
                let of = if wanted { Of::Holds } else { Of::Fails };
                let (yes, no) = (self.holds(args[0]), self.fails(args[0]));
                let (a, b) = (self.condition(of, args[1]), self.condition(of, args[2]));
                let yes = self.pool.and(self.sorts, &[yes, a]);
                let no = self.pool.and(self.sorts, &[no, b]);
                self.pool.or(self.sorts, &[yes, no])
            }
            Term::App(Op::Exists { first, count }, args) => {
                if wanted {
                    let holds = self.holds(args[0]);
                    self.exists(first, count, holds)
                } else {
                    // Nothing is true and nothing undefined.
                    let fails = self.fails(args[0]);
                    let other = self.pool.not(self.sorts, fails);
                    let some = self.exists(first, count, other);
                    self.pool.not(self.sorts, some)
                }
            }
            _ => {
                let defined = self.defined(t);
                let splits = self.splits(t);
                let value = if splits { self.value(t) } else { t };
                let value = if wanted { value } else { self.pool.not(self.sorts, value) };
                if self.classical && !splits {
                    return self.behind(defined, value);
                }
                self.pool.and(self.sorts, &[defined, value])
            }
        }
    }

    /// A junction that is defined and has the value; in halves as above.
    fn truth_junction(&mut self, op: Op, parts: &[TermId], wanted: bool) -> TermId {
        let of = if wanted { Of::Holds } else { Of::Fails };
        if wanted == (op == Op::And) {
            // All parts decide, and all are evaluated.
            let all: Vec<TermId> = parts.iter().map(|p| self.condition(of, *p)).collect();
            return self.pool.and(self.sorts, &all);
        }
        let partial = parts.iter().any(|p| !self.is_total(*p));
        if !partial || parts.len() < 2 {
            // One part decides, whichever.
            let any: Vec<TermId> = parts.iter().map(|p| self.condition(of, *p)).collect();
            return self.pool.or(self.sorts, &any);
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let (l, mut r) = (self.truth_junction(op, left, wanted), self.truth_junction(op, right, wanted));
        if left.iter().any(|p| !self.is_total(*p)) {
            let passed = self.truth_junction(op, left, !wanted);
            r = self.pool.and(self.sorts, &[passed, r]);
        }
        self.pool.or(self.sorts, &[l, r])
    }

    fn exists(&mut self, first: BinderId, count: u32, body: TermId) -> TermId {
        if count == 0 || self.pool.as_const(body) == Some(&Value::Bool(false)) {
            return body;
        }
        self.pool.app(Op::Exists { first, count }, &[body], self.sorts.bool)
    }

    /// What an operation demands of its arguments, which are defined.
    fn demand(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        let (pool, sorts) = (&mut *self.pool, self.sorts);
        match op {
            Op::Div | Op::Mod | Op::Quot => {
                let zero = zero(pool, sorts, op);
                if let Some(divisor) = pool.as_const(args[1]) {
                    let is_zero = Some(divisor) == pool.as_const(zero);
                    return is_zero.then(|| pool.bool(sorts, false));
                }
                let is_zero = pool.eq(sorts, args[1], zero);
                Some(pool.not(sorts, is_zero))
            }
            Op::Index => Some(is_position(pool, sorts, args[0], args[1])),
            Op::Slice => {
                let zero = pool.constant(Value::Int(0), sorts.int);
                let len = app(pool, sorts, Op::Len, &[args[0]], sorts.int);
                let parts = [(zero, args[1]), (args[1], args[2]), (args[2], len)];
                let parts = parts.map(|(a, b)| app(pool, sorts, Op::Le, &[a, b], sorts.bool));
                Some(pool.and(sorts, &parts))
            }
            Op::Field(c, _) => match sorts.get(pool.sort(args[0])) {
                Sort::Data(d) if sorts.data[*d].constructors.len() > 1 => {
                    Some(app(pool, sorts, Op::Is(c), args, sorts.bool))
                }
                _ => None,
            },
            Op::Checked(sort) => inside(pool, sorts, sort, args[0], self.classical),
            Op::Lookup => Some(app(pool, sorts, Op::Has, &[args[0], args[1]], sorts.bool)),
            Op::Replace | Op::RemoveAt => Some(is_position(pool, sorts, args[0], args[1])),
            Op::InsertAt => {
                let zero = pool.constant(Value::Int(0), sorts.int);
                let len = app(pool, sorts, Op::Len, &[args[0]], sorts.int);
                let parts = [(zero, args[1]), (args[1], len)];
                let parts = parts.map(|(a, b)| app(pool, sorts, Op::Le, &[a, b], sorts.bool));
                Some(pool.and(sorts, &parts))
            }
            Op::Apart => Some(unlike(pool, sorts, args[0], &args[1..])),
            Op::MapLit => {
                let keys: Vec<TermId> = args.iter().step_by(2).copied().collect();
                let parts: Vec<TermId> = (1..keys.len()).map(|i| unlike(pool, sorts, keys[i], &keys[..i])).collect();
                Some(pool.and(sorts, &parts))
            }
            Op::Number => Some(app(pool, sorts, Op::IsNumber, args, sorts.bool)),
            Op::Split => {
                let empty = pool.constant(Value::string(""), sorts.string);
                Some(unlike(pool, sorts, args[1], &[empty]))
            }
            Op::Span => {
                let least = pool.constant(Value::Int(MAX_SPAN), sorts.int);
                let width = app(pool, sorts, Op::Sub, &[args[1], args[0]], sorts.int);
                Some(app(pool, sorts, Op::Lt, &[width, least], sorts.bool))
            }
            Op::Beyond => Some(pool.bool(sorts, false)),
            _ => None,
        }
    }

    /// Whether the condition of a term may be torn from the term.
    fn splits(&mut self, t: TermId) -> bool {
        self.classical && self.has_bound(t)
    }

    fn has_bound(&mut self, t: TermId) -> bool {
        if let Some(known) = self.bound.get(&t) {
            return *known;
        }
        let found = match self.pool.get(t) {
            Term::Bound(..) => true,
            Term::App(_, args) => args.clone().iter().any(|a| self.has_bound(*a)),
            _ => false,
        };
        self.bound.insert(t, found);
        found
    }

    /// The term where it is defined, and some value elsewhere.
    fn value(&mut self, t: TermId) -> TermId {
        if let Some(known) = self.values.get(&t) {
            return *known;
        }
        let result = match self.pool.get(t).clone() {
            Term::App(Op::Exists { .. }, _) => self.holds(t),
            Term::App(Op::Defined, _) => t,
            Term::App(op, args) => {
                let args: Vec<TermId> = args.iter().map(|a| self.value(*a)).collect();
                let sort = self.pool.sort(t);
                self.value_of(op, &args, sort)
            }
            _ => t,
        };
        self.values.insert(t, result);
        result
    }

    fn value_of(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        let demand = match op {
            Op::Checked(_) => return args[0],
            Op::Div | Op::Mod | Op::Quot | Op::Index | Op::Slice | Op::Field(..) => self.demand(op, args),
            op if op.is_partial_on_data() => self.demand(op, args),
            Op::Each { .. } => {
                let raw = self.pool.app(op, args, sort);
                self.pool.is_partial(raw).then(|| self.pool.app(Op::Defined, &[raw], self.sorts.bool))
            }
            _ => None,
        };
        let raw = match op {
            Op::Each { .. } => self.pool.app(op, args, sort),
            _ => app(self.pool, self.sorts, op, args, sort),
        };
        match demand {
            None => raw,
            Some(demand) => {
                let other = self.pool.constant(self.sorts.default_value(sort), sort);
                self.pool.ite(demand, raw, other)
            }
        }
    }
}

/// The condition that a value is none of the others.
fn unlike(pool: &mut TermPool, sorts: &Sorts, value: TermId, others: &[TermId]) -> TermId {
    let mut parts = Vec::new();
    for other in others {
        let same = app(pool, sorts, Op::Eq, &[value, *other], sorts.bool);
        parts.push(pool.not(sorts, same));
    }
    pool.and(sorts, &parts)
}

fn zero(pool: &mut TermPool, sorts: &Sorts, op: Op) -> TermId {
    match op {
        Op::Quot => pool.constant(sorts.default_value(sorts.real), sorts.real),
        _ => pool.constant(Value::Int(0), sorts.int),
    }
}

/// A Bool term that is never undefined, and true exactly where `term` is defined.
///
/// *Defined* is what the reference evaluator says, except for its own limits: numbers and values that are too large to
/// compute with count as defined, and so do quantifiers over more values than it tries. The result nests about three
/// times as deep as `term`, at
/// most: of a term that is nearly [`MAX_DEPTH`](sioco_model::term::MAX_DEPTH) deep, it may be too deep for others.
pub fn defined(pool: &mut TermPool, sorts: &Sorts, term: TermId) -> TermId {
    if !pool.is_partial(term) {
        return pool.bool(sorts, true);
    }
    with_room(pool.depth(term), || Meaning::plain(pool, sorts).defined(term))
}

/// A Bool term that is never undefined, and true exactly where the Bool term `term` is defined and true.
pub fn total(pool: &mut TermPool, sorts: &Sorts, term: TermId) -> TermId {
    if !pool.is_partial(term) {
        return term;
    }
    with_room(pool.depth(term), || Meaning::plain(pool, sorts).holds(term))
}

/// A Bool term that is never undefined, and true exactly where the Bool term `term` is false or undefined.
pub fn not_true(pool: &mut TermPool, sorts: &Sorts, term: TermId) -> TermId {
    let holds = total(pool, sorts, term);
    pool.not(sorts, holds)
}
