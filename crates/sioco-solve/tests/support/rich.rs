//! Random conditions over enumerations, variants, records, sequences and texts, with quantifiers, and what brute force
//! says about them. Everything is small: sequences have up to two items, texts are some of four.

use sioco_model::eval::{Env, eval};
use sioco_model::sort::{Constructor, DataType, Field, Sort, Sorts};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{BinderId, Id, SortId, TermId, Value};
use sioco_solve::{Symbol, Symbols, Terms};

use super::Rng;

/// Terms under construction.
pub struct Rich {
    pub pool: TermPool,
    pub sorts: Sorts,
    pub symbols: Symbols,
    /// The sorts that symbols and bound variables have.
    of: Vec<SortId>,
    small: SortId,
}

/// A leaf that conditions are made of, with its sort.
type Leaf = (TermId, SortId);

const TEXTS: [&str; 4] = ["", "a", "ab", "b"];

impl Rich {
    pub fn new() -> Rich {
        let mut sorts = Sorts::default();
        let small = sorts.intern(Sort::Int { lo: Some((-1).into()), hi: Some(2.into()) });
        let mut data = |name: &str, record: bool, constructors: &[(&str, &[SortId])]| {
            let constructors = constructors.iter().map(|(name, fields)| Constructor {
                name: (*name).into(),
                fields: fields.iter().enumerate().map(|(i, s)| Field { name: format!("f{i}"), sort: *s }).collect(),
            });
            let data = sorts.data.push(DataType { name: name.into(), record, constructors: constructors.collect() });
            sorts.data_sort(data)
        };
        let letter = data("Letter", false, &[("A", &[]), ("B", &[]), ("C", &[])]);
        let bool = Sorts::default().bool;
        let reply = data("Reply", false, &[("None", &[]), ("Code", &[small]), ("Both", &[bool, letter])]);
        let point = data("Point", true, &[("Point", &[small, bool])]);
        let [flags, letters, numbers] = [sorts.bool, letter, small].map(|item| sorts.seq(item));
        let of = vec![small, sorts.bool, letter, reply, point, flags, letters, numbers, sorts.string];
        Rich { pool: TermPool::new(), sorts, symbols: Symbols::new(), of, small }
    }

    pub fn terms(&self) -> Terms<'_> {
        Terms { pool: &self.pool, sorts: &self.sorts, symbols: &self.symbols }
    }

    /// A new symbol of a random sort, with the condition that it has one of its [values](Self::values).
    pub fn symbol(&mut self, rng: &mut Rng) -> (Leaf, Option<TermId>) {
        let sort = self.of[rng.below(self.of.len() as u64) as usize];
        let y = self.symbols.push(Symbol { name: format!("y{}", self.symbols.len()), sort });
        let term = self.pool.symbol(y, self.sorts.base(sort));
        let bound = self.bound(rng, (term, sort));
        ((term, sort), bound)
    }

    /// All values that are considered of a sort.
    pub fn values(&self, sort: SortId) -> Vec<Value> {
        match self.sorts.get(sort) {
            Sort::String => TEXTS.map(Value::string).to_vec(),
            Sort::Seq(item) => {
                let items = self.values(*item);
                let one = items.iter().map(|i| vec![i.clone()]);
                let two = items.iter().flat_map(|i| items.iter().map(|j| vec![i.clone(), j.clone()]));
                std::iter::once(Vec::new()).chain(one).chain(two).map(Value::seq).collect()
            }
            _ => {
                let count = self.sorts.cardinality(sort).expect("a finite sort");
                (0..count).map(|n| self.sorts.nth_value(sort, n).expect("below the cardinality")).collect()
            }
        }
    }

    /// The condition that leaves these values, where the sort has more; said in one way or another.
    fn bound(&mut self, rng: &mut Rng, (leaf, sort): Leaf) -> Option<TermId> {
        match self.sorts.get(sort) {
            Sort::String => {
                let cases: Vec<TermId> = TEXTS.map(|t| self.constant(Value::string(t), sort)).to_vec();
                if rng.below(2) == 0 {
                    let cases: Vec<TermId> = cases.into_iter().map(|c| self.test(Op::Eq, &[leaf, c])).collect();
                    return Some(self.test(Op::Or, &cases));
                }
                // All parts of a text.
                let whole = self.constant(Value::string("ab"), sort);
                Some(self.test(Op::Contains, &[whole, leaf]))
            }
            Sort::Seq(_) => {
                let length = self.pool.app(Op::Len, &[leaf], self.sorts.int);
                let (two, three) = (self.int(2), self.int(3));
                Some(match rng.below(3) {
                    0 => self.test(Op::Le, &[length, two]),
                    1 => self.test(Op::Lt, &[length, three]),
                    _ => {
                        let longer = self.test(Op::Le, &[three, length]);
                        self.test(Op::Not, &[longer])
                    }
                })
            }
            _ => None,
        }
    }

    fn int(&mut self, n: i64) -> TermId {
        self.constant(Value::Int(n), self.sorts.int)
    }

    fn constant(&mut self, value: Value, sort: SortId) -> TermId {
        let base = self.sorts.base(sort);
        self.pool.constant(value, base)
    }

    fn test(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.pool.app(op, args, self.sorts.bool)
    }

    fn literal(&mut self, rng: &mut Rng, sort: SortId) -> TermId {
        let values = self.values(sort);
        let value = values[rng.below(values.len() as u64) as usize].clone();
        self.constant(value, sort)
    }

    /// A term of a sort.
    fn term(&mut self, rng: &mut Rng, leaves: &[Leaf], sort: SortId, depth: u32) -> TermId {
        let base = self.sorts.base(sort);
        let fitting: Vec<TermId> = leaves.iter().map(|l| l.0).filter(|t| self.pool.sort(*t) == base).collect();
        if depth == 0 || rng.below(3) == 0 {
            return match fitting.is_empty() || rng.below(3) == 0 {
                true => self.literal(rng, sort),
                false => fitting[rng.below(fitting.len() as u64) as usize],
            };
        }
        let sub = |rich: &mut Rich, rng: &mut Rng, sort| rich.term(rng, leaves, sort, depth - 1);
        if rng.below(5) == 0 {
            let c = self.condition(rng, leaves, depth - 1);
            let (a, b) = (sub(self, rng, sort), sub(self, rng, sort));
            return self.pool.app(Op::Ite, &[c, a, b], base);
        }
        match self.sorts.get(sort).clone() {
            Sort::Int { .. } => {
                let op = [Op::Add, Op::Sub, Op::Mul, Op::Mod, Op::Div, Op::Min, Op::Len][rng.below(7) as usize];
                if op == Op::Len {
                    let seq = self.of[5 + rng.below(4) as usize];
                    let seq = sub(self, rng, seq);
                    return self.pool.app(Op::Len, &[seq], base);
                }
                let (a, b) = (sub(self, rng, sort), sub(self, rng, sort));
                self.pool.app(op, &[a, b], base)
            }
            Sort::Data(d) => {
                let c = rng.below(self.sorts.data[d].constructors.len() as u64) as u32;
                let fields: Vec<SortId> =
                    self.sorts.data[d].constructors[c as usize].fields.iter().map(|f| f.sort).collect();
                if fields.is_empty() {
                    return self.constant(Value::Enum(c), sort);
                }
                let mut args = Vec::new();
                for field in fields {
                    let term = sub(self, rng, field);
                    // What may leave its range is checked, as in models.
                    let numeric = field == self.small;
                    let own = self.sorts.base(field);
                    args.push(if numeric { self.pool.app(Op::Checked(field), &[term], own) } else { term });
                }
                self.pool.app(Op::Construct(c), &args, base)
            }
            Sort::Set(_) | Sort::Map(..) => self.literal(rng, sort),
            Sort::Seq(item) => match rng.below(3) {
                0 => {
                    let items: Vec<TermId> = (0..rng.below(3)).map(|_| self.term(rng, leaves, item, 0)).collect();
                    self.pool.app(Op::SeqLit, &items, base)
                }
                1 => {
                    let (a, b) = (sub(self, rng, sort), sub(self, rng, sort));
                    self.pool.app(Op::Concat, &[a, b], base)
                }
                _ => {
                    let whole = sub(self, rng, sort);
                    let (from, to) = (self.int(rng.below(2) as i64), self.int(1 + rng.below(2) as i64));
                    self.pool.app(Op::Slice, &[whole, from, to], base)
                }
            },
            Sort::String => {
                let (a, b) = (sub(self, rng, sort), sub(self, rng, sort));
                self.pool.app(Op::Concat, &[a, b], base)
            }
            Sort::Bool => self.condition(rng, leaves, 0),
            Sort::Real { .. } => self.literal(rng, sort),
        }
    }

    /// A condition.
    pub fn condition(&mut self, rng: &mut Rng, leaves: &[Leaf], depth: u32) -> TermId {
        if depth > 0 {
            let sub = |rich: &mut Rich, rng: &mut Rng| rich.condition(rng, leaves, depth - 1);
            match rng.below(10) {
                0 | 1 => {
                    let parts: Vec<TermId> = (0..2 + rng.below(2)).map(|_| sub(self, rng)).collect();
                    return self.test(Op::And, &parts);
                }
                2 | 3 => {
                    let parts: Vec<TermId> = (0..2 + rng.below(2)).map(|_| sub(self, rng)).collect();
                    return self.test(Op::Or, &parts);
                }
                4 => {
                    let part = sub(self, rng);
                    return self.pool.not(&self.sorts, part);
                }
                5 => return self.quantified(rng, leaves, depth - 1),
                6 => {
                    let parts = [sub(self, rng), sub(self, rng), sub(self, rng)];
                    return self.test(Op::Ite, &parts);
                }
                _ => {}
            }
        }
        let (leaf, sort) = leaves[rng.below(leaves.len() as u64) as usize];
        let one = |rich: &mut Rich, rng: &mut Rng| rich.term(rng, leaves, sort, 1);
        match self.sorts.get(sort).clone() {
            Sort::Bool if rng.below(2) == 0 => leaf,
            Sort::Int { .. } => {
                let (a, b) = (one(self, rng), one(self, rng));
                self.test([Op::Eq, Op::Lt, Op::Le][rng.below(3) as usize], &[a, b])
            }
            Sort::Data(d) if rng.below(2) == 0 => {
                let c = rng.below(self.sorts.data[d].constructors.len() as u64) as u32;
                let fields = &self.sorts.data[d].constructors[c as usize].fields;
                if fields.is_empty() || rng.below(2) == 0 {
                    return self.test(Op::Is(c), &[leaf]);
                }
                let i = rng.below(fields.len() as u64) as u32;
                let own = fields[i as usize].sort;
                let field = self.pool.app(Op::Field(c, i), &[leaf], self.sorts.base(own));
                let other = self.term(rng, leaves, own, 1);
                self.test(Op::Eq, &[field, other])
            }
            Sort::Seq(item) if rng.below(3) > 0 => {
                let whole = one(self, rng);
                let part = self.term(rng, leaves, item, 0);
                if rng.below(2) == 0 {
                    return self.test(Op::Contains, &[whole, part]);
                }
                let index = self.int(rng.below(2) as i64);
                let at = self.pool.app(Op::Index, &[whole, index], self.sorts.base(item));
                self.test(Op::Eq, &[at, part])
            }
            Sort::String if rng.below(2) == 0 => {
                let (a, b) = (one(self, rng), one(self, rng));
                self.test(Op::Contains, &[a, b])
            }
            _ => {
                let (a, b) = (one(self, rng), one(self, rng));
                self.test(Op::Eq, &[a, b])
            }
        }
    }

    /// A quantifier, or its negation, over one or two variables.
    fn quantified(&mut self, rng: &mut Rng, leaves: &[Leaf], depth: u32) -> TermId {
        let mut own: Vec<Leaf> = leaves.to_vec();
        let mut parts = Vec::new();
        let count = 1 + rng.below(2) as u32;
        let mut first = None;
        for _ in 0..count {
            let sort = self.of[rng.below(self.of.len() as u64) as usize];
            let binder = self.pool.binders.push(sort);
            first.get_or_insert(binder);
            let leaf = (self.pool.bound(&self.sorts, binder), sort);
            own.push(leaf);
            parts.extend(self.bound(rng, leaf));
        }
        parts.push(self.condition(rng, &own, depth));
        let body = self.test(Op::And, &parts);
        let exists = self.test(Op::Exists { first: first.expect("at least one"), count }, &[body]);
        if rng.below(2) == 0 { self.pool.not(&self.sorts, exists) } else { exists }
    }

    /// All assignments of the values that are considered.
    pub fn all(&self) -> Vec<Vec<Value>> {
        let mut all = vec![Vec::new()];
        for symbol in self.symbols.values() {
            let values = self.values(symbol.sort);
            all = all
                .iter()
                .flat_map(|a: &Vec<Value>| values.iter().map(|v| [&a[..], std::slice::from_ref(v)].concat()))
                .collect();
        }
        all
    }

    /// Whether a condition is true, with all values tried for quantifiers; `None` if it is undefined.
    pub fn truth(&self, term: TermId, env: Env<'_>) -> Option<bool> {
        let Term::App(op, args) = self.pool.get(term) else { return self.plain(term, env) };
        match op {
            Op::And | Op::Or => {
                for a in args {
                    if self.truth(*a, env)? != (*op == Op::And) {
                        return Some(*op == Op::Or);
                    }
                }
                Some(*op == Op::And)
            }
            Op::Not => self.truth(args[0], env).map(|b| !b),
            Op::Ite if self.pool.sort(term) == self.sorts.bool => {
                let branch = if self.truth(args[0], env)? { args[1] } else { args[2] };
                self.truth(branch, env)
            }
            Op::Exists { first, count } => self.exists(first.index(), *count as usize, args[0], env),
            _ => self.plain(term, env),
        }
    }

    fn exists(&self, first: usize, count: usize, body: TermId, env: Env<'_>) -> Option<bool> {
        if count == 0 {
            return self.truth(body, env);
        }
        let binder = BinderId::from_index(first);
        let mut defined = true;
        for value in self.values(self.pool.binders[binder]) {
            let bound = [env.bound, &[(binder, value)]].concat();
            match self.exists(first + 1, count - 1, body, Env { bound: &bound, ..env }) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => defined = false,
            }
        }
        defined.then_some(false)
    }

    fn plain(&self, term: TermId, env: Env<'_>) -> Option<bool> {
        self.value(term, env).map(|v| v == Value::Bool(true))
    }

    /// Quantifiers may also stand inside of terms, as conditions of them.
    fn value(&self, term: TermId, env: Env<'_>) -> Option<Value> {
        let Term::App(op, args) = self.pool.get(term) else {
            return eval(&self.pool, &self.sorts, term, env).ok();
        };
        match op {
            Op::And | Op::Or | Op::Not | Op::Exists { .. } => self.truth(term, env).map(Value::Bool),
            Op::Ite => {
                let branch = if self.truth(args[0], env)? { args[1] } else { args[2] };
                self.value(branch, env)
            }
            _ => {
                let values = args.iter().map(|a| self.value(*a, env)).collect::<Option<Vec<Value>>>()?;
                let sort = args.first().map(|a| self.pool.sort(*a));
                sioco_model::eval::apply(&self.sorts, *op, &values, sort).ok()
            }
        }
    }

    /// A term in words, for messages.
    pub fn show(&self, term: TermId) -> String {
        match self.pool.get(term) {
            Term::Const(v, _) => v.to_string(),
            Term::Symbol(y, _) => self.symbols[*y].name.clone(),
            Term::Bound(b, _) => format!("b{}", b.index()),
            Term::App(op, args) => {
                let args: Vec<String> = args.iter().map(|a| self.show(*a)).collect();
                format!("{op:?}({})", args.join(", "))
            }
            other => format!("{other:?}"),
        }
    }
}
