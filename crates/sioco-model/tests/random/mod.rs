//! Random well-sorted terms, values and models, from an explicit seed.

use sioco_model::model::{
    Channel, Direction, Gate, Label, Location, Model, Param, Process, Switch, SwitchParam, Variable,
};
use sioco_model::number::{self, BigInt};
use sioco_model::sort::{Constructor, DataType, Field, Sort, Sorts};
use sioco_model::term::{Each, Op, TermPool};
use sioco_model::{BinderId, Id, IdVec, SortId, TermId, Value, VarId};

mod rng;

pub use rng::{Rng, seeds};

/// The sorts that random models use.
pub struct Kit {
    pub sorts: Sorts,
    pub all: Vec<SortId>,
    pub seq: SortId,
    pub set: SortId,
    pub map: SortId,
    pub data: SortId,
    pub small: SortId,
}

pub fn kit() -> Kit {
    let mut sorts = Sorts::default();
    let small = sorts.intern(Sort::Int { lo: Some((-3).into()), hi: Some(5.into()) });
    let seq = sorts.seq(sorts.int);
    let data = sorts.data.push(DataType {
        name: "D".into(),
        record: false,
        constructors: vec![
            Constructor { name: "A".into(), fields: vec![] },
            Constructor { name: "B".into(), fields: vec![] },
            Constructor {
                name: "C".into(),
                fields: vec![Field { name: "n".into(), sort: sorts.int }, Field { name: "b".into(), sort: sorts.bool }],
            },
        ],
    });
    let data = sorts.data_sort(data);
    let (set, map) = (sorts.set(sorts.int), sorts.map(sorts.int, sorts.int));
    let all = vec![sorts.int, sorts.bool, sorts.int, data, sorts.real, sorts.string, seq, set, map];
    Kit { sorts, all, seq, set, map, data, small }
}

impl Kit {
    /// A value: mostly small, sometimes where 64 bits end, sometimes beyond.
    pub fn value(&self, rng: &mut Rng, sort: SortId) -> Value {
        match self.sorts.get(sort) {
            Sort::Bool => Value::Bool(rng.one_in(2)),
            Sort::Int { lo: Some(_), .. } => {
                let n = self.sorts.cardinality(sort).expect("a range");
                self.sorts.nth_value(sort, rng.next() % n).expect("inside")
            }
            Sort::Int { .. } => match rng.below(12) {
                0 => Value::Int(i64::MAX - rng.below(3) as i64),
                1 => Value::Int(i64::MIN + rng.below(3) as i64),
                2 => number::int(BigInt::from(i64::MAX) * BigInt::from(rng.below(9) as i64 - 4) + BigInt::from(7)),
                _ => Value::Int(rng.below(13) as i64 - 6),
            },
            Sort::Real { .. } => {
                let (n, d) = (rng.below(13) as i64 - 6, rng.below(5) as i64 + 1);
                Value::real(number::rational(n.into(), d.into()).expect("not zero"))
            }
            Sort::String => Value::string(&"abé"[..[0, 1, 2, 4][rng.below(4)]]),
            Sort::Seq(item) => {
                let len = rng.below(4);
                Value::seq((0..len).map(|_| self.value(rng, *item)).collect())
            }
            Sort::Set(item) => {
                let len = rng.below(4);
                Value::set((0..len).map(|_| self.value(rng, *item)).collect())
            }
            Sort::Map(key, value) => {
                let len = rng.below(4);
                let entries = (0..len).map(|_| (self.value(rng, *key), self.value(rng, *value))).collect();
                Value::map(entries).unwrap_or_else(|_| self.sorts.default_value(sort))
            }
            Sort::Data(d) => {
                let constructors = &self.sorts.data[*d].constructors;
                let c = rng.below(constructors.len());
                let fields = constructors[c].fields.iter().map(|f| self.value(rng, f.sort)).collect();
                Value::data(c as u32, fields)
            }
        }
    }

    /// A term of a sort. Terms made before are used again often, so that there is sharing.
    pub fn term(
        &self,
        rng: &mut Rng,
        pool: &mut TermPool,
        leaves: &[TermId],
        made: &mut Vec<TermId>,
        sort: SortId,
        depth: u32,
    ) -> TermId {
        if rng.one_in(4) {
            let again: Vec<TermId> =
                made.iter().copied().filter(|t| pool.sort(*t) == sort && pool.depth(*t) <= depth + 2).collect();
            if !again.is_empty() {
                return again[rng.below(again.len())];
            }
        }
        let fitting: Vec<TermId> = leaves.iter().copied().filter(|t| pool.sort(*t) == sort).collect();
        if depth == 0 || rng.one_in(6) {
            if !fitting.is_empty() && !rng.one_in(4) {
                return fitting[rng.below(fitting.len())];
            }
            let value = self.value(rng, sort);
            return pool.constant(value, sort);
        }
        if rng.one_in(8)
            && let Some(term) = self.each(rng, pool, leaves, sort, depth)
        {
            return term;
        }
        let s = &self.sorts;
        let mut sub =
            |rng: &mut Rng, pool: &mut TermPool, sort: SortId| self.term(rng, pool, leaves, made, sort, depth - 1);
        let (op, args): (Op, Vec<TermId>) = if sort == s.bool {
            match rng.below(17) {
                12 => (Op::Has, vec![sub(rng, pool, self.set), sub(rng, pool, s.int)]),
                13 => (Op::Has, vec![sub(rng, pool, self.map), sub(rng, pool, s.int)]),
                14 => (Op::Subset, vec![sub(rng, pool, self.set), sub(rng, pool, self.set)]),
                15 => match rng.below(4) {
                    0 => (Op::IsNumber, vec![sub(rng, pool, s.string)]),
                    1 => (Op::StartsWith, vec![sub(rng, pool, s.string), sub(rng, pool, s.string)]),
                    2 => (Op::EndsWith, vec![sub(rng, pool, s.string), sub(rng, pool, s.string)]),
                    _ => {
                        let text = sub(rng, pool, s.string);
                        (Op::Matches, vec![text, pool.constant(Value::string("a*b?"), s.string)])
                    }
                },
                16 => (Op::Defined, vec![sub(rng, pool, s.int)]),
                0 => (Op::Not, vec![sub(rng, pool, s.bool)]),
                1 | 2 => {
                    let n = 1 + rng.below(4);
                    let op = if rng.one_in(2) { Op::And } else { Op::Or };
                    (op, (0..n).map(|_| sub(rng, pool, s.bool)).collect())
                }
                3 => {
                    let of = self.all[rng.below(self.all.len())];
                    (Op::Eq, vec![sub(rng, pool, of), sub(rng, pool, of)])
                }
                4 => (Op::Is(rng.below(3) as u32), vec![sub(rng, pool, self.data)]),
                5 => (Op::Contains, vec![sub(rng, pool, self.seq), sub(rng, pool, s.int)]),
                6 => (Op::Field(2, 1), vec![sub(rng, pool, self.data)]),
                9 => (Op::Contains, vec![sub(rng, pool, s.string), sub(rng, pool, s.string)]),
                10 => {
                    // What is made of the bound variable must not be used outside.
                    let binder = pool.binders.push(self.small);
                    let mut leaves = leaves.to_vec();
                    leaves.extend([pool.bound(s, binder); 3]);
                    let body = self.term(rng, pool, &leaves, &mut Vec::new(), s.bool, depth - 1);
                    (Op::Exists { first: binder, count: 1 }, vec![body])
                }
                n => {
                    let of = if rng.one_in(3) { s.real } else { s.int };
                    (if n % 2 == 1 { Op::Lt } else { Op::Le }, vec![sub(rng, pool, of), sub(rng, pool, of)])
                }
            }
        } else if sort == s.int {
            match rng.below(20) {
                13 => (Op::Size, vec![sub(rng, pool, self.set)]),
                14 => (Op::Size, vec![sub(rng, pool, self.map)]),
                15 | 16 => (Op::Lookup, vec![sub(rng, pool, self.map), sub(rng, pool, s.int)]),
                17 => (Op::ByteLen, vec![sub(rng, pool, s.string)]),
                18 => (Op::Number, vec![sub(rng, pool, s.string)]),
                19 => (Op::Apart, (0..1 + rng.below(3)).map(|_| sub(rng, pool, s.int)).collect()),
                0 | 1 => (Op::Add, (0..1 + rng.below(3)).map(|_| sub(rng, pool, s.int)).collect()),
                2 => (Op::Sub, vec![sub(rng, pool, s.int), sub(rng, pool, s.int)]),
                3 => (Op::Mul, (0..1 + rng.below(3)).map(|_| sub(rng, pool, s.int)).collect()),
                4 => (Op::Div, vec![sub(rng, pool, s.int), sub(rng, pool, s.int)]),
                5 => (Op::Mod, vec![sub(rng, pool, s.int), sub(rng, pool, s.int)]),
                6 => {
                    let op = if rng.one_in(2) { Op::Min } else { Op::Max };
                    (op, (0..1 + rng.below(3)).map(|_| sub(rng, pool, s.int)).collect())
                }
                7 => (if rng.one_in(2) { Op::Abs } else { Op::Neg }, vec![sub(rng, pool, s.int)]),
                8 => (Op::Len, vec![if rng.one_in(2) { sub(rng, pool, s.string) } else { sub(rng, pool, self.seq) }]),
                9 => (Op::Index, vec![sub(rng, pool, self.seq), sub(rng, pool, s.int)]),
                10 => (Op::Checked(self.small), vec![sub(rng, pool, s.int)]),
                11 => (Op::Field(2, 0), vec![sub(rng, pool, self.data)]),
                _ => (Op::Floor, vec![sub(rng, pool, s.real)]),
            }
        } else if sort == s.real {
            match rng.below(7) {
                0 => (Op::Add, vec![sub(rng, pool, s.real), sub(rng, pool, s.real)]),
                1 => (Op::Mul, vec![sub(rng, pool, s.real), sub(rng, pool, s.real)]),
                2 => (Op::Quot, vec![sub(rng, pool, s.real), sub(rng, pool, s.real)]),
                3 => (Op::Sub, vec![sub(rng, pool, s.real), sub(rng, pool, s.real)]),
                4 => {
                    let op = if rng.one_in(2) { Op::Min } else { Op::Max };
                    (op, (0..1 + rng.below(3)).map(|_| sub(rng, pool, s.real)).collect())
                }
                5 => (if rng.one_in(2) { Op::Abs } else { Op::Neg }, vec![sub(rng, pool, s.real)]),
                _ => (Op::ToReal, vec![sub(rng, pool, s.int)]),
            }
        } else if sort == self.data {
            match rng.below(2) {
                0 => (Op::Construct(2), vec![sub(rng, pool, s.int), sub(rng, pool, s.bool)]),
                _ => (Op::Ite, vec![sub(rng, pool, s.bool), sub(rng, pool, sort), sub(rng, pool, sort)]),
            }
        } else if sort == self.set {
            match rng.below(8) {
                0 | 1 => (Op::SetLit, (0..rng.below(4)).map(|_| sub(rng, pool, s.int)).collect()),
                2 => (Op::Include, vec![sub(rng, pool, sort), sub(rng, pool, s.int)]),
                3 => (Op::Exclude, vec![sub(rng, pool, sort), sub(rng, pool, s.int)]),
                4 => (Op::Keys, vec![sub(rng, pool, self.map)]),
                5 => (Op::ToSet, vec![sub(rng, pool, self.seq)]),
                _ => {
                    let op = [Op::Union, Op::Intersection, Op::Difference][rng.below(3)];
                    (op, vec![sub(rng, pool, sort), sub(rng, pool, sort)])
                }
            }
        } else if sort == self.map {
            match rng.below(6) {
                0 => (Op::MapLit, (0..2 * rng.below(3)).map(|_| sub(rng, pool, s.int)).collect()),
                1 | 2 => (Op::Put, vec![sub(rng, pool, sort), sub(rng, pool, s.int), sub(rng, pool, s.int)]),
                3 => (Op::Exclude, vec![sub(rng, pool, sort), sub(rng, pool, s.int)]),
                4 => (Op::Merge, vec![sub(rng, pool, sort), sub(rng, pool, sort)]),
                _ => (Op::Ite, vec![sub(rng, pool, s.bool), sub(rng, pool, sort), sub(rng, pool, sort)]),
            }
        } else if sort == self.seq && rng.one_in(2) {
            match rng.below(6) {
                0 => (Op::Replace, vec![sub(rng, pool, sort), sub(rng, pool, s.int), sub(rng, pool, s.int)]),
                1 => (Op::InsertAt, vec![sub(rng, pool, sort), sub(rng, pool, s.int), sub(rng, pool, s.int)]),
                2 => (Op::RemoveAt, vec![sub(rng, pool, sort), sub(rng, pool, s.int)]),
                3 => (Op::Values, vec![sub(rng, pool, self.map)]),
                4 => (Op::ToSeq, vec![sub(rng, pool, self.set)]),
                _ => {
                    let ends = [0, 1].map(|_| {
                        let end = sub(rng, pool, s.int);
                        pool.app(Op::Checked(self.small), &[end], s.int)
                    });
                    (Op::Span, ends.to_vec())
                }
            }
        } else if sort == s.string && rng.one_in(4) {
            match rng.below(3) {
                0 => (Op::Text, vec![sub(rng, pool, s.int)]),
                1 => (Op::Upper, vec![sub(rng, pool, sort)]),
                _ => (Op::Lower, vec![sub(rng, pool, sort)]),
            }
        } else {
            match rng.below(4) {
                0 => (Op::Concat, (0..1 + rng.below(3)).map(|_| sub(rng, pool, sort)).collect()),
                3 if sort == self.seq => (Op::SeqLit, (0..1 + rng.below(3)).map(|_| sub(rng, pool, s.int)).collect()),
                3 => (Op::Index, vec![sub(rng, pool, sort), sub(rng, pool, s.int)]),
                1 => (Op::Slice, vec![sub(rng, pool, sort), sub(rng, pool, s.int), sub(rng, pool, s.int)]),
                _ => (Op::Ite, vec![sub(rng, pool, s.bool), sub(rng, pool, sort), sub(rng, pool, sort)]),
            }
        };
        let term = if rng.one_in(5) {
            let args = [
                self.term(rng, pool, leaves, made, s.bool, depth - 1),
                self.term(rng, pool, leaves, made, sort, depth - 1),
                self.term(rng, pool, leaves, made, sort, depth - 1),
            ];
            pool.app(Op::Ite, &args, sort)
        } else {
            pool.app(op, &args, sort)
        };
        made.push(term);
        term
    }

    /// An operation over a collection that gives a value of the sort, if there is one.
    fn each(&self, rng: &mut Rng, pool: &mut TermPool, leaves: &[TermId], sort: SortId, depth: u32) -> Option<TermId> {
        let s = &self.sorts;
        let any = [self.seq, self.set, self.map][rng.below(3)];
        let (each, over, inner) = if sort == s.bool {
            ([Each::Any, Each::All][rng.below(2)], any, s.bool)
        } else if sort == s.int {
            match rng.below(6) {
                0 => (Each::Count, any, s.bool),
                1 => (Each::Sum, any, s.int),
                2 => (Each::FirstIndex, self.seq, s.bool),
                3 => (Each::Least, any, [s.int, self.data, s.string][rng.below(3)]),
                4 => (Each::Greatest, any, [s.int, self.data, s.real][rng.below(3)]),
                _ => (Each::Fold, any, s.int),
            }
        } else if sort == s.real {
            (Each::Sum, any, s.real)
        } else if [self.seq, self.set, self.map].contains(&sort) {
            match rng.below(3) {
                0 => (Each::Filter, sort, s.bool),
                1 => (Each::Map, sort, s.int),
                _ => (Each::Fold, any, sort),
            }
        } else {
            return None;
        };
        let names = if over == self.set { 1 } else { 1 + rng.below(2) };
        let mut binders: Vec<BinderId> = (0..names).map(|_| pool.binders.push(s.int)).collect();
        let mut args = vec![self.term(rng, pool, leaves, &mut Vec::new(), over, depth - 1)];
        if each == Each::Fold {
            binders.push(pool.binders.push(sort));
            args.push(self.term(rng, pool, leaves, &mut Vec::new(), sort, depth - 1));
        }
        // What is made of the bound variables must not be used outside.
        let mut inside = leaves.to_vec();
        for b in &binders {
            inside.extend([pool.bound(s, *b); 4]);
        }
        args.push(self.term(rng, pool, &inside, &mut Vec::new(), inner, depth - 1));
        Some(pool.each(s, each, &binders, &args, sort))
    }

    /// A model of one or two processes with gates, channels and internal switches.
    pub fn model(&self, rng: &mut Rng) -> Model {
        let mut m = Model {
            name: "random".into(),
            sorts: self.sorts.clone(),
            terms: TermPool::new(),
            gates: IdVec::new(),
            channels: IdVec::new(),
            processes: IdVec::new(),
            variables: IdVec::new(),
            locations: IdVec::new(),
            switches: IdVec::new(),
            purposes: IdVec::new(),
            written: Default::default(),
        };
        let param = |sort| Param { name: "p".into(), sort, tolerance: None };
        for (name, direction) in
            [("i", Direction::Input), ("j", Direction::Input), ("o", Direction::Output), ("u", Direction::Output)]
        {
            let sort = if rng.one_in(2) { self.small } else { self.all[rng.below(self.all.len())] };
            m.gates.push(Gate { name: name.into(), direction, params: vec![param(sort)] });
        }
        m.channels.push(Channel { name: "c".into(), params: vec![param(self.sorts.int)] });
        for p in 0..1 + rng.below(2) {
            let process = m.processes.next_id();
            let (first_var, first_location) = (m.variables.len(), m.locations.len());
            let mut variables = Vec::new();
            for v in 0..3 {
                let sort = if v == 0 { self.small } else { self.all[rng.below(self.all.len())] };
                let initial = Some(self.value(rng, sort));
                variables.push(m.variables.push(Variable {
                    name: format!("v{v}"),
                    process,
                    sort,
                    initial,
                    hidden: false,
                }));
            }
            let locations: Vec<_> = (0..3)
                .map(|l| {
                    m.locations.push(Location {
                        name: format!("l{l}"),
                        process,
                        is_final: false,
                        hidden: false,
                        outgoing: vec![],
                    })
                })
                .collect();
            let mut switches = Vec::new();
            for n in 0..8 {
                let label = match rng.below(8) {
                    k @ 0..4 => Label::Gate(sioco_model::GateId::from_index(k)),
                    4 => Label::Send(sioco_model::ChannelId::from_index(0)),
                    5 => Label::Receive(sioco_model::ChannelId::from_index(0)),
                    _ => Label::Internal,
                };
                let param_sort = match label {
                    Label::Gate(g) => Some(m.gates[g].params[0].sort),
                    Label::Send(_) | Label::Receive(_) => Some(self.sorts.int),
                    Label::Internal => rng.one_in(3).then_some(self.small),
                };
                let fixed = match label {
                    Label::Gate(g) => m.gates[g].direction == Direction::Output && rng.one_in(2),
                    Label::Send(_) => true,
                    _ => false,
                };
                let mut leaves: Vec<TermId> = Vec::new();
                for (i, v) in variables.iter().enumerate() {
                    let sort = self.sorts.base(m.variables[*v].sort);
                    leaves.push(m.terms.var(VarId::from_index(first_var + i), sort));
                }
                if let (Some(sort), false) = (param_sort, fixed) {
                    leaves.push(m.terms.param(0, self.sorts.base(sort)));
                }
                let mut made = Vec::new();
                let mut fit = |rng: &mut Rng, m: &mut Model, sort: SortId, depth: u32, leaves: &[TermId]| {
                    let base = self.sorts.base(sort);
                    let t = self.term(rng, &mut m.terms, leaves, &mut made, base, depth);
                    if base == sort { t } else { m.terms.app(Op::Checked(sort), &[t], base) }
                };
                let guard = fit(rng, &mut m, self.sorts.bool, 3, &leaves);
                let term = (param_sort.filter(|_| fixed)).map(|sort| fit(rng, &mut m, sort, 2, &leaves));
                let mut update = Vec::new();
                for v in &variables {
                    if rng.one_in(3) {
                        let sort = m.variables[*v].sort;
                        let t = fit(rng, &mut m, sort, 3, &leaves);
                        update.push((*v, t));
                    }
                }
                let source = locations[rng.below(3)];
                let params = param_sort.map(|sort| SwitchParam { name: "p".into(), sort, term, tolerance: None });
                let switch = m.switches.push(Switch {
                    name: format!("p{p}s{n}"),
                    named: true,
                    tags: vec![],
                    process,
                    source,
                    label,
                    params: params.into_iter().collect(),
                    guard,
                    is_else: false,
                    update,
                    target: locations[rng.below(3)],
                });
                m.locations[source].outgoing.push(switch);
                switches.push(switch);
            }
            m.processes.push(Process {
                name: format!("P{p}"),
                template: "P".into(),
                args: vec![],
                initial: sioco_model::LocationId::from_index(first_location),
                locations,
                variables,
                switches,
            });
        }
        m
    }
}
