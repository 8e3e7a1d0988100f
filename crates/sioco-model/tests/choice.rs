//! Which values of the parameters make a guard true, against trying the values of a window: "no values" must never be
//! said where there are some, or where the guard is undefined for some, and a model error only where there is one. A
//! failure prints the seed.

#[path = "random/rng.rs"]
mod rng;

use rng::{Rng, seeds};
use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::number;
use sioco_model::semantics::choice::{self, Failed, Unknown};
use sioco_model::semantics::program::{Context, Memory, Program};
use sioco_model::sort::{Constructor, DataType, Field, Sort, Sorts};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, SortId, TermId, Value, VarId};

struct Kit {
    sorts: Sorts,
    /// The sorts that parameters have.
    params: Vec<SortId>,
    small: SortId,
    enumeration: SortId,
    /// Those of which few values are left once numbers and lengths are bounded.
    few: Vec<SortId>,
}

fn kit() -> Kit {
    let mut sorts = Sorts::default();
    let mut range =
        |lo: Option<i64>, hi: Option<i64>| sorts.intern(Sort::Int { lo: lo.map(Into::into), hi: hi.map(Into::into) });
    let (small, from, to) = (range(Some(-2), Some(3)), range(Some(1), None), range(None, Some(2)));
    let wide = range(Some(i64::MIN), Some(i64::MAX));
    let real = sorts.intern(Sort::Real { lo: Some(0.into()), hi: Some(2.into()) });
    let mut data = |name: &str, constructors: &[(&str, Option<SortId>)]| {
        let constructors = constructors.iter().map(|(name, field)| Constructor {
            name: (*name).into(),
            fields: field.iter().map(|sort| Field { name: "n".into(), sort: *sort }).collect(),
        });
        let constructors = constructors.collect();
        let id = sorts.data.push(DataType { name: name.into(), record: false, constructors });
        sorts.data_sort(id)
    };
    let enumeration = data("E", &[("A", None), ("B", None), ("C", None)]);
    let finite = data("F", &[("N", None), ("S", Some(small))]);
    let infinite = data("I", &[("Z", None), ("W", Some(from))]);
    let (int, bool, string) = (sorts.int, sorts.bool, sorts.string);
    let [flags, letters, numbers] = [bool, enumeration, small].map(|item| sorts.seq(item));
    let params = vec![
        int,
        int,
        small,
        small,
        from,
        to,
        wide,
        sorts.real,
        real,
        bool,
        string,
        enumeration,
        finite,
        infinite,
        flags,
        letters,
        numbers,
    ];
    Kit { sorts, params, small, enumeration, few: vec![int, small, bool, enumeration, finite, flags, letters, numbers] }
}

impl Kit {
    /// Values of a sort to try.
    fn window(&self, sort: SortId) -> Vec<Value> {
        let base = self.sorts.base(sort);
        let mut found: Vec<Value> = match self.sorts.get(base) {
            Sort::Int { .. } => (-20..=20).chain([-1000, 1000, i64::MIN, i64::MAX]).map(Value::Int).collect(),
            Sort::Real { .. } => (-18..=18)
                .map(|n| number::rational(n.into(), 2.into()))
                .chain([number::rational(1.into(), 3.into()), number::rational(1000.into(), 1.into())])
                .map(|r| Value::real(r.expect("not zero")))
                .collect(),
            Sort::String => ["", "a", "b", "aa", "aaa", "ab", "aaaaaaaa"].map(Value::string).to_vec(),
            Sort::Seq(_) => {
                let Sort::Seq(item) = self.sorts.get(sort) else { unreachable!("its base is a sequence") };
                let mut items = self.window(*item);
                items.truncate(3);
                let mut all = vec![Vec::new()];
                for from in [0, 1, 1 + items.len()] {
                    let longest = all[from..].to_vec();
                    all.extend(
                        longest.iter().flat_map(|s: &Vec<Value>| items.iter().map(|i| [&s[..], &[i.clone()]].concat())),
                    );
                }
                all.extend(items.first().map(|i| vec![i.clone(); 8]));
                all.into_iter().map(Value::seq).collect()
            }
            Sort::Data(d) => {
                let constructors = self.sorts.data[*d].constructors.iter().enumerate();
                let of = |(i, c): (usize, &Constructor)| match c.fields.first() {
                    None => vec![Value::Enum(i as u32)],
                    Some(f) => self.window(f.sort).into_iter().map(|v| Value::data(i as u32, vec![v])).collect(),
                };
                constructors.flat_map(of).collect()
            }
            _ => (0..2).filter_map(|n| self.sorts.nth_value(sort, n)).collect(),
        };
        found.retain(|v| self.sorts.contains(sort, v));
        found
    }

    fn constant(&self, rng: &mut Rng, pool: &mut TermPool, sort: SortId) -> TermId {
        let values = self.window(sort);
        let value =
            values[if rng.one_in(2) { rng.below(values.len()) } else { rng.below(values.len().min(12)) }].clone();
        pool.constant(value, sort)
    }

    fn number(&self, rng: &mut Rng, pool: &mut TermPool, leaves: &[TermId], sort: SortId, depth: u32) -> TermId {
        let fitting: Vec<TermId> = leaves.iter().copied().filter(|t| pool.sort(*t) == sort).collect();
        if depth == 0 || rng.one_in(3) {
            return if !fitting.is_empty() && !rng.one_in(3) {
                fitting[rng.below(fitting.len())]
            } else {
                self.constant(rng, pool, sort)
            };
        }
        let s = &self.sorts;
        let sub = |rng: &mut Rng, pool: &mut TermPool| self.number(rng, pool, leaves, sort, depth - 1);
        let (op, args) = match rng.below(9) {
            0 | 1 => (Op::Add, (0..1 + rng.below(3)).map(|_| sub(rng, pool)).collect()),
            2 | 3 => (Op::Sub, vec![sub(rng, pool), sub(rng, pool)]),
            4 => (Op::Neg, vec![sub(rng, pool)]),
            5 => (Op::Mul, vec![sub(rng, pool), sub(rng, pool)]),
            6 if sort == s.int => (Op::Div, vec![sub(rng, pool), sub(rng, pool)]),
            6 => (Op::ToReal, vec![self.number(rng, pool, leaves, s.int, depth - 1)]),
            // The field of a variant.
            7 if rng.one_in(2)
                && let Some(data) = leaves.iter().find(|t| self.has_number(pool, **t, sort)) =>
            {
                (Op::Field(1, 0), vec![*data])
            }
            7 if sort == s.int => (Op::Checked(self.small), vec![sub(rng, pool)]),
            7 => (Op::Quot, vec![sub(rng, pool), sub(rng, pool)]),
            _ => {
                let c = self.condition(rng, pool, leaves, depth - 1);
                (Op::Ite, vec![c, sub(rng, pool), sub(rng, pool)])
            }
        };
        pool.app(op, &args, sort)
    }

    /// Whether a variant has a field of this sort.
    fn has_number(&self, pool: &TermPool, term: TermId, sort: SortId) -> bool {
        let Sort::Data(d) = self.sorts.get(pool.sort(term)) else { return false };
        let last = self.sorts.data[*d].constructors.last().expect("some constructors");
        last.fields.first().is_some_and(|f| self.sorts.base(f.sort) == sort)
    }

    /// A text or a sequence made of leaves.
    fn text(&self, rng: &mut Rng, pool: &mut TermPool, leaves: &[TermId], sort: SortId, depth: u32) -> TermId {
        let fitting: Vec<TermId> = leaves.iter().copied().filter(|t| pool.sort(*t) == sort).collect();
        if depth == 0 || rng.one_in(2) {
            return if rng.one_in(3) { self.constant(rng, pool, sort) } else { fitting[rng.below(fitting.len())] };
        }
        let sub = |rng: &mut Rng, pool: &mut TermPool| self.text(rng, pool, leaves, sort, depth - 1);
        let (op, args) = match (rng.below(3), self.sorts.get(sort)) {
            (0, Sort::Seq(item)) => {
                let item = *item;
                let items = (0..rng.below(3)).map(|_| self.constant(rng, pool, item)).collect();
                (Op::SeqLit, items)
            }
            (1, _) => {
                let ends = [0, 1, 2].map(|n| pool.constant(Value::Int(n), self.sorts.int));
                let from = rng.below(2);
                (Op::Slice, vec![sub(rng, pool), ends[from], ends[from + rng.below(2)]])
            }
            _ => (Op::Concat, vec![sub(rng, pool), sub(rng, pool)]),
        };
        pool.app(op, &args, sort)
    }

    /// A condition on a text or a sequence.
    fn about_text(&self, rng: &mut Rng, pool: &mut TermPool, leaves: &[TermId], leaf: TermId) -> TermId {
        let s = &self.sorts;
        let sort = pool.sort(leaf);
        let whole = self.text(rng, pool, leaves, sort, 2);
        let item = match s.get(sort) {
            Sort::Seq(item) => s.base(*item),
            _ => sort,
        };
        let (op, args) = match rng.below(5) {
            0 | 1 => {
                let length = pool.app(Op::Len, &[whole], s.int);
                let other = pool.constant(Value::Int(rng.below(4) as i64), s.int);
                ([Op::Eq, Op::Lt, Op::Le][rng.below(3)], [length, other])
            }
            2 => (Op::Contains, [whole, self.constant(rng, pool, item)]),
            3 => {
                let index = pool.constant(Value::Int(rng.below(2) as i64), s.int);
                let at = pool.app(Op::Index, &[whole, index], item);
                (Op::Eq, [at, self.constant(rng, pool, item)])
            }
            _ => (Op::Eq, [whole, self.text(rng, pool, leaves, sort, 2)]),
        };
        let reverse = op != Op::Contains && rng.one_in(2);
        pool.app(op, &if reverse { [args[1], args[0]] } else { args }, s.bool)
    }

    fn condition(&self, rng: &mut Rng, pool: &mut TermPool, leaves: &[TermId], depth: u32) -> TermId {
        let s = &self.sorts;
        if depth > 0 && !rng.one_in(3) {
            let n = 1 + rng.below(4);
            let sub = |rng: &mut Rng, pool: &mut TermPool| self.condition(rng, pool, leaves, depth - 1);
            let (op, args) = match rng.below(8) {
                0..=3 => (Op::And, (0..n).map(|_| sub(rng, pool)).collect()),
                4 | 5 => (Op::Or, (0..n).map(|_| sub(rng, pool)).collect::<Vec<_>>()),
                6 => (Op::Ite, (0..3).map(|_| sub(rng, pool)).collect()),
                _ => (Op::Not, vec![sub(rng, pool)]),
            };
            return pool.app(op, &args, s.bool);
        }
        let leaf = leaves[rng.below(leaves.len())];
        let sort = pool.sort(leaf);
        if sort == s.bool && rng.one_in(2) {
            return leaf;
        }
        if s.is_numeric(sort) {
            let op = [Op::Eq, Op::Lt, Op::Le, Op::Le][rng.below(4)];
            let plain = rng.one_in(2);
            let mut args =
                [if plain { leaf } else { self.number(rng, pool, leaves, sort, 2) }, self.constant(rng, pool, sort)];
            if !plain && rng.one_in(2) {
                args[1] = self.number(rng, pool, leaves, sort, 2);
            }
            if rng.one_in(2) {
                args.reverse();
            }
            return pool.app(op, &args, s.bool);
        }
        if matches!(s.get(sort), Sort::String | Sort::Seq(_)) && !rng.one_in(4) {
            return self.about_text(rng, pool, leaves, leaf);
        }
        if matches!(s.get(sort), Sort::Data(_)) && sort != self.enumeration && rng.one_in(2) {
            return pool.app(Op::Is(rng.below(2) as u32), &[leaf], s.bool);
        }
        if sort == self.enumeration && rng.one_in(2) {
            return pool.app(Op::Is(rng.below(3) as u32), &[leaf], s.bool);
        }
        let fitting: Vec<TermId> = leaves.iter().copied().filter(|t| pool.sort(*t) == sort).collect();
        let other = if rng.one_in(3) { fitting[rng.below(fitting.len())] } else { self.constant(rng, pool, sort) };
        let args = if rng.one_in(2) { [leaf, other] } else { [other, leaf] };
        pool.app(Op::Eq, &args, s.bool)
    }

    /// Bounds on the parameters that have none, so that trying all values is possible; before the condition, or (if it may
    /// be undefined elsewhere) between or behind its parts.
    fn bounded(
        &self,
        rng: &mut Rng,
        pool: &mut TermPool,
        params: &[TermId],
        condition: TermId,
        before: bool,
    ) -> TermId {
        let s = &self.sorts;
        let mut parts = Vec::new();
        for &p in params {
            if matches!(s.get(pool.sort(p)), Sort::Seq(_)) {
                let length = pool.app(Op::Len, &[p], s.int);
                let most = pool.constant(Value::Int(rng.below(3) as i64), s.int);
                parts.push(pool.app(Op::Le, &[length, most], s.bool));
            }
            if pool.sort(p) != s.int {
                continue;
            }
            let lo = pool.constant(Value::Int(-(rng.below(4) as i64)), s.int);
            let hi = pool.constant(Value::Int(rng.below(4) as i64), s.int);
            parts.push(pool.app(Op::Le, &[lo, p], s.bool));
            parts.push(pool.app(Op::Le, &[p, hi], s.bool));
        }
        let at = if !before && rng.one_in(3) { rng.below(parts.len() + 1) } else { parts.len() };
        parts.insert(at, condition);
        pool.app(Op::And, &parts, s.bool)
    }
}

#[test]
fn values_are_found_exactly_where_there_are_some() {
    let kit = kit();
    let (mut some, mut none, mut undefined, mut undecided) = (0, 0, 0, 0);
    for seed in 0..seeds(3_000) {
        // Every third question is a small one, which is always decided.
        let small = seed % 3 == 0;
        let rng = &mut Rng::new(seed);
        let pool = &mut TermPool::new();
        let of = if small { &kit.few } else { &kit.params };
        let sorts: Vec<SortId> = (0..1 + rng.below(2)).map(|_| of[rng.below(of.len())]).collect();
        let params: Vec<TermId> =
            sorts.iter().enumerate().map(|(i, s)| pool.param(i as u32, kit.sorts.base(*s))).collect();
        let mut leaves = params.clone();
        leaves.push(pool.var(VarId::from_index(0), kit.sorts.int));
        leaves.push(pool.var(VarId::from_index(1), kit.sorts.bool));
        let vars = [Value::Int(rng.below(5) as i64 - 2), Value::Bool(rng.one_in(2))];
        let mut guard = kit.condition(rng, pool, &leaves, 3);
        if small {
            guard = kit.bounded(rng, pool, &params, guard, true);
        } else if rng.one_in(2) {
            guard = kit.bounded(rng, pool, &params, guard, false);
        }
        // The same question as a quantifier.
        let binders: Vec<_> = sorts.iter().map(|s| pool.binders.push(*s)).collect();
        let body = pool.replace(guard, &mut |pool, leaf| match leaf {
            Term::Param(i, _) => Some(pool.bound(&kit.sorts, binders[*i as usize])),
            _ => None,
        });
        let exists = Op::Exists { first: binders[0], count: binders.len() as u32 };
        let exists = pool.app(exists, &[body], kit.sorts.bool);

        let context = Context { terms: pool, sorts: &kit.sorts };
        let unknowns: Vec<_> = sorts.iter().enumerate().map(|(i, s)| (Unknown::Param(i as u32), *s)).collect();
        let env = Env { vars: &vars, ..Env::default() };
        let decide = |params: &[Value]| eval(pool, &kit.sorts, guard, Env { params, ..env });
        let windows: Vec<Vec<Value>> = sorts.iter().map(|s| kit.window(*s)).collect();
        let mut tried: Vec<Vec<Value>> = vec![vec![]];
        for window in &windows {
            let longer = |t: &Vec<Value>, v: &Value| t.iter().chain([v]).cloned().collect();
            tried = tried.iter().flat_map(|t| window.iter().map(|v| longer(t, v)).collect::<Vec<_>>()).collect();
        }
        let results: Vec<_> = tried.iter().map(|t| decide(t)).collect();
        let holds: Vec<&Vec<Value>> =
            tried.iter().zip(&results).filter(|(_, r)| **r == Ok(Value::Bool(true))).map(|(t, _)| t).collect();
        let errs = results.iter().any(Result::is_err);
        // Outside of the window, it has to be told where.
        let is_undefined = |failed: &Failed| errs || failed.at.as_ref().is_some_and(|at| decide(at).is_err());
        let say = || format!("seed {seed}: {} with {vars:?}", show(pool, guard));

        let witness = choice::witness(context, &unknowns, guard, env);
        match &witness {
            Ok(Some(values)) => {
                some += 1;
                assert_eq!(decide(values), Ok(Value::Bool(true)), "{}: {values:?}", say());
                assert!(sorts.iter().zip(values).all(|(s, v)| kit.sorts.contains(*s, v)), "{}: {values:?}", say());
            }
            Ok(None) => {
                none += 1;
                assert!(holds.is_empty(), "{}: nothing found, but {:?} holds", say(), holds[0]);
                assert!(!errs, "{}: said to be false, but it is undefined for some values", say());
            }
            Err(Failed { error: EvalError::NeedsSolver(_), .. }) => {
                undecided += 1;
                assert!(!small, "{}: undecided, though there are few values", say());
            }
            Err(failed) => {
                undefined += 1;
                assert!(is_undefined(failed), "{}: {failed:?}, but all values are fine", say());
                assert!(holds.is_empty(), "{}: {failed:?}, but {:?} holds", say(), holds[0]);
            }
        }
        let compiled = Program::compile(pool, &kit.sorts, exists).run(&mut Memory::default(), context, env);
        // The reference tries values in a fixed order, or else says that it needs a solver.
        match eval(pool, &kit.sorts, exists, env) {
            Err(EvalError::NeedsSolver(_)) => {
                let found = witness.map(|w| Value::Bool(w.is_some())).map_err(|failed| failed.error);
                assert_eq!(compiled, found, "{}", say());
            }
            reference => assert_eq!(compiled, reference, "{}", say()),
        }
        match choice::all(context, &unknowns, guard, env) {
            Ok(all) => {
                for values in &all {
                    assert_eq!(decide(values), Ok(Value::Bool(true)), "{}: {values:?}", say());
                    assert_eq!(all.iter().filter(|v| *v == values).count(), 1, "{}: {values:?} twice", say());
                }
                assert!(!errs, "{}: all values are listed, but it is undefined for some", say());
                for values in &holds {
                    assert!(all.contains(values), "{}: {values:?} is missing", say());
                }
            }
            Err(Failed { error: EvalError::NeedsSolver(_), .. }) => {}
            Err(failed) => assert!(is_undefined(&failed), "{}: {failed:?}, but all values are fine", say()),
        }
    }
    assert!(
        some > 500 && none > 200 && undefined > 30 && undecided > 20,
        "{some} with values, {none} without, {undefined} undefined, {undecided} undecided"
    );
}

/// Conjuncts are evaluated from left to right: what stands behind an undefined one does not count, what stands before
/// it does.
#[test]
fn an_undefined_conjunct_is_not_stepped_over() {
    let kit = kit();
    let pool = &mut TermPool::new();
    let s = &kit.sorts;
    let number = |pool: &mut TermPool, n: i64| pool.constant(Value::Int(n), s.int);
    let small = pool.param(0, s.int);
    let (zero, one, seven) = (number(pool, 0), number(pool, 1), number(pool, 7));
    let quotient = pool.app(Op::Div, &[one, small], s.int);
    let undefined = pool.app(Op::Lt, &[zero, quotient], s.bool);
    let no = pool.bool(s, false);
    let above = pool.app(Op::Lt, &[seven, small], s.bool);
    let one_only = pool.app(Op::Eq, &[small, one], s.bool);
    let zero_only = pool.app(Op::Eq, &[small, zero], s.bool);
    let (is_small, is_int) = (kit.small, s.int);
    let division = Err(EvalError::DivisionByZero);
    let one_is = |n: i64| Ok(Some(vec![Value::Int(n)]));
    for (name, parts, sort, expected) in [
        ("undefined && false", vec![undefined, no], is_small, division.clone()),
        ("false && undefined", vec![no, undefined], is_small, Ok(None)),
        ("undefined && p > 7", vec![undefined, above], is_small, division.clone()),
        ("p > 7 && undefined", vec![above, undefined], is_small, Ok(None)),
        ("p == 0 && undefined", vec![zero_only, undefined], is_int, division.clone()),
        ("undefined && p == 1", vec![undefined, one_only], is_int, one_is(1)),
        ("undefined && p == 0", vec![undefined, zero_only], is_int, division.clone()),
        ("undefined && false, for all integers", vec![undefined, no], is_int, division.clone()),
        ("undefined", vec![undefined], is_small, one_is(1)),
    ] {
        let guard = pool.app(Op::And, &parts, s.bool);
        let context = Context { terms: pool, sorts: s };
        let unknowns = [(Unknown::Param(0), sort)];
        let found = choice::witness(context, &unknowns, guard, Env::default());
        assert_eq!(found.map_err(|failed| failed.error), expected, "{name}");
    }
}

fn show(pool: &TermPool, term: TermId) -> String {
    match pool.get(term) {
        Term::Const(v, _) => v.to_string(),
        Term::Var(v, _) => format!("v{}", v.index()),
        Term::Param(i, _) => format!("p{i}"),
        Term::App(op, args) => {
            let args: Vec<String> = args.iter().map(|a| show(pool, *a)).collect();
            format!("{op:?}({})", args.join(", "))
        }
        other => format!("{other:?}"),
    }
}
