//! Every operation on sets, maps, sequences and texts against a slow reference on lists. A failure prints the seed.

#[allow(dead_code)]
mod random;

use random::{Rng, seeds};
use sioco_model::collection::MAX_ROUNDS;
use sioco_model::eval::{Env, EvalError, eval};
use sioco_model::sort::{Constructor, DataType, Field, Sort, Sorts};
use sioco_model::term::{Each, Op, TermPool};
use sioco_model::{BinderId, SortId, Value, number, text};

fn int(n: i64) -> Value {
    Value::Int(n)
}

/// A list without repetitions, in order: what a set is.
fn set(list: &[i64]) -> Value {
    let mut items: Vec<i64> = Vec::new();
    for n in -100..100 {
        if list.contains(&n) {
            items.push(n);
        }
    }
    Value::Set(items.into_iter().map(int).collect::<Vec<_>>().into())
}

/// A list of entries in which the last one with a key counts.
fn map(list: &[(i64, i64)]) -> Value {
    let last = |k: i64| list.iter().rev().find(|(other, _)| *other == k).map(|(_, v)| *v);
    let entries = (-100..100).filter_map(|k| Some((int(k), int(last(k)?))));
    Value::Map(entries.collect::<Vec<_>>().into())
}

fn seq(list: &[i64]) -> Value {
    Value::seq(list.iter().map(|n| int(*n)).collect())
}

fn lookup(list: &[(i64, i64)], k: i64) -> Option<i64> {
    list.iter().rev().find(|(other, _)| *other == k).map(|(_, v)| *v)
}

/// The items of a list, in order, each once.
fn once(list: &[i64]) -> Vec<i64> {
    (-100..100).filter(|n| list.contains(n)).collect()
}

/// An operation, its arguments with their sorts, the sort of its value, and the value that it should have.
type Row = (Op, Vec<(Value, SortId)>, SortId, Option<Value>);

struct World {
    sorts: Sorts,
    pool: TermPool,
}

impl World {
    fn apply(&mut self, op: Op, args: &[(Value, SortId)], sort: SortId) -> Result<Value, EvalError> {
        let args: Vec<_> = args.iter().map(|(v, sort)| self.pool.constant(v.clone(), *sort)).collect();
        let term = self.pool.app(op, &args, sort);
        eval(&self.pool, &self.sorts, term, Env::default())
    }
}

#[test]
fn operations_agree_with_lists() {
    let mut sorts = Sorts::default();
    let (i, b, q) = (sorts.int, sorts.bool, sorts.seq(sorts.int));
    let (s, m) = (sorts.set(i), sorts.map(i, i));
    let mut w = World { sorts, pool: TermPool::new() };
    for seed in 0..seeds(2_000) {
        let mut rng = Rng::new(seed);
        let number = |rng: &mut Rng| rng.below(6) as i64 - 2;
        let list = |rng: &mut Rng| -> Vec<i64> { (0..rng.below(6)).map(|_| number(rng)).collect() };
        let pairs =
            |rng: &mut Rng| -> Vec<(i64, i64)> { (0..rng.below(6)).map(|_| (number(rng), number(rng))).collect() };
        let (x, y, l) = (list(&mut rng), list(&mut rng), list(&mut rng));
        let (e, f) = (pairs(&mut rng), pairs(&mut rng));
        let (k, v) = (number(&mut rng), number(&mut rng));
        let (sx, sy, me, mf, ql, ik, iv) =
            ((set(&x), s), (set(&y), s), (map(&e), m), (map(&f), m), (seq(&l), q), (int(k), i), (int(v), i));
        let inside = |room: usize| usize::try_from(k).ok().filter(|at| *at < room);
        let keys: Vec<i64> = once(&e.iter().map(|(k, _)| *k).collect::<Vec<_>>());
        let both: Vec<(i64, i64)> = e.iter().chain(&f).copied().collect();
        let without: Vec<(i64, i64)> = e.iter().filter(|(other, _)| *other != k).copied().collect();
        let put: Vec<(i64, i64)> = e.iter().copied().chain([(k, v)]).collect();
        let changed = |change: &dyn Fn(&mut Vec<i64>, usize), more: usize| {
            inside(l.len() + more).map(|at| {
                let mut new = l.clone();
                change(&mut new, at);
                seq(&new)
            })
        };
        let numbers = |keep: &dyn Fn(i64) -> bool| set(&(-100..100).filter(|n| keep(*n)).collect::<Vec<_>>());
        let table: Vec<Row> = vec![
            (Op::SetLit, l.iter().map(|n| (int(*n), i)).collect(), s, Some(set(&l))),
            (Op::Size, vec![sx.clone()], i, Some(int(once(&x).len() as i64))),
            (Op::Size, vec![me.clone()], i, Some(int(keys.len() as i64))),
            (Op::Has, vec![sx.clone(), ik.clone()], b, Some(Value::Bool(x.contains(&k)))),
            (Op::Has, vec![me.clone(), ik.clone()], b, Some(Value::Bool(keys.contains(&k)))),
            (Op::Lookup, vec![me.clone(), ik.clone()], i, lookup(&e, k).map(int)),
            (Op::Put, vec![me.clone(), ik.clone(), iv.clone()], m, Some(map(&put))),
            (Op::Exclude, vec![me.clone(), ik.clone()], m, Some(map(&without))),
            (Op::Include, vec![sx.clone(), ik.clone()], s, Some(numbers(&|n| x.contains(&n) || n == k))),
            (Op::Exclude, vec![sx.clone(), ik.clone()], s, Some(numbers(&|n| x.contains(&n) && n != k))),
            (Op::Union, vec![sx.clone(), sy.clone()], s, Some(numbers(&|n| x.contains(&n) || y.contains(&n)))),
            (Op::Intersection, vec![sx.clone(), sy.clone()], s, Some(numbers(&|n| x.contains(&n) && y.contains(&n)))),
            (Op::Difference, vec![sx.clone(), sy.clone()], s, Some(numbers(&|n| x.contains(&n) && !y.contains(&n)))),
            (Op::Subset, vec![sx.clone(), sy.clone()], b, Some(Value::Bool(x.iter().all(|n| y.contains(n))))),
            (Op::Merge, vec![me.clone(), mf.clone()], m, Some(map(&both))),
            (Op::Keys, vec![me.clone()], s, Some(set(&keys))),
            (
                Op::Values,
                vec![me.clone()],
                q,
                Some(seq(&keys.iter().map(|k| lookup(&e, *k).unwrap()).collect::<Vec<_>>())),
            ),
            (Op::ToSeq, vec![sx.clone()], q, Some(seq(&once(&x)))),
            (Op::ToSet, vec![ql.clone()], s, Some(set(&l))),
            (Op::Replace, vec![ql.clone(), ik.clone(), iv.clone()], q, changed(&|new, at| new[at] = v, 0)),
            (Op::InsertAt, vec![ql.clone(), ik.clone(), iv.clone()], q, changed(&|new, at| new.insert(at, v), 1)),
            (Op::RemoveAt, vec![ql.clone(), ik.clone()], q, changed(&|new, at| _ = new.remove(at), 0)),
            (Op::Span, vec![ik.clone(), iv.clone()], q, Some(seq(&(k..=v).collect::<Vec<_>>()))),
            (Op::Apart, vec![ik.clone(), iv.clone()], i, (k != v).then(|| int(k))),
        ];
        for (op, args, sort, expected) in table {
            let found = w.apply(op, &args, sort);
            assert_eq!(found.as_ref().ok(), expected.as_ref(), "seed {seed}: {op:?} of {args:?} is {found:?}");
        }
    }
}

/// The operations over collections, on the sequences, sets and maps of small numbers.
#[test]
fn operations_over_collections_agree_with_loops() {
    let mut sorts = Sorts::default();
    let (i, b, q) = (sorts.int, sorts.bool, sorts.seq(sorts.int));
    let (s, m) = (sorts.set(i), sorts.map(i, i));
    let mut pool = TermPool::new();
    for seed in 0..seeds(1_000) {
        let mut rng = Rng::new(seed);
        let number = |rng: &mut Rng| rng.below(6) as i64 - 2;
        let l: Vec<i64> = (0..rng.below(6)).map(|_| number(&mut rng)).collect();
        let e: Vec<(i64, i64)> = (0..rng.below(5)).map(|_| (number(&mut rng), number(&mut rng))).collect();
        let limit = number(&mut rng);
        let keys = once(&e.iter().map(|(k, _)| *k).collect::<Vec<_>>());
        for (over, sort, items) in [(seq(&l), q, l.clone()), (set(&l), s, once(&l)), (map(&e), m, keys.clone())] {
            let mut ask = |each: Each, sort_of: SortId, real: bool| -> Result<Value, EvalError> {
                let x = pool.binders.push(i);
                let name = pool.bound(&sorts, x);
                let limit = pool.constant(int(limit), i);
                let mut binders = vec![x];
                let mut args = vec![pool.constant(over.clone(), sort)];
                let square = pool.app(Op::Mul, &[name, name], i);
                let body = match each {
                    Each::Fold => {
                        let acc = pool.binders.push(i);
                        binders.push(acc);
                        args.push(limit);
                        let acc = pool.bound(&sorts, acc);
                        let twice = pool.app(Op::Add, &[acc, acc], i);
                        pool.app(Op::Sub, &[twice, name], i)
                    }
                    Each::Map | Each::Least | Each::Greatest => square,
                    Each::Sum if real => pool.app(Op::ToReal, &[square], sorts.real),
                    Each::Sum => square,
                    _ => pool.app(Op::Lt, &[name, limit], b),
                };
                args.push(body);
                let term = pool.each(&sorts, each, &binders, &args, sort_of);
                eval(&pool, &sorts, term, Env::default())
            };
            let below: Vec<i64> = items.iter().copied().filter(|n| *n < limit).collect();
            let squares: Vec<i64> = items.iter().map(|n| n * n).collect();
            let total: i64 = squares.iter().sum();
            let kept: Vec<(i64, i64)> = e.iter().copied().filter(|(k, _)| *k < limit).collect();
            let (filtered, mapped) = if sort == q {
                (seq(&below), seq(&squares))
            } else if sort == s {
                (set(&below), set(&squares))
            } else {
                (map(&kept), map(&keys.iter().map(|k| (*k, k * k)).collect::<Vec<_>>()))
            };
            let best = |better: &dyn Fn(i64, i64) -> bool| {
                let mut best: Option<i64> = None;
                for n in &items {
                    if best.is_none_or(|b| better(n * n, b * b)) {
                        best = Some(*n);
                    }
                }
                best.map(int)
            };
            let folded = items.iter().fold(limit, |acc, n| 2 * acc - n);
            let place = format!("seed {seed}: {over}, limit {limit}");
            assert_eq!(ask(Each::Any, b, false), Ok(Value::Bool(!below.is_empty())), "{place}");
            assert_eq!(ask(Each::All, b, false), Ok(Value::Bool(below.len() == items.len())), "{place}");
            assert_eq!(ask(Each::Count, i, false), Ok(int(below.len() as i64)), "{place}");
            assert_eq!(ask(Each::Sum, i, false), Ok(int(total)), "{place}");
            let real = Value::real(number::Rational::from(total));
            assert_eq!(ask(Each::Sum, sorts.real, true), Ok(real), "{place}");
            assert_eq!(ask(Each::Filter, sort, false), Ok(filtered), "{place}");
            assert_eq!(ask(Each::Map, sort, false), Ok(mapped), "{place}");
            assert_eq!(ask(Each::Fold, i, false), Ok(int(folded)), "{place}");
            assert_eq!(ask(Each::Least, i, false).ok(), best(&|a, b| a < b), "{place}");
            assert_eq!(ask(Each::Greatest, i, false).ok(), best(&|a, b| a > b), "{place}");
            if sort == q {
                let first = l.iter().position(|n| *n < limit).map(|at| int(at as i64));
                assert_eq!(ask(Each::FirstIndex, i, false).ok(), first, "{place}");
            }
        }
    }
}

#[test]
fn texts_agree_with_characters() {
    let mut sorts = Sorts::default();
    let (i, b, t) = (sorts.int, sorts.bool, sorts.string);
    let texts = sorts.seq(t);
    let mut w = World { sorts, pool: TermPool::new() };
    let of = |s: &str| (Value::string(s), t);
    for (op, args, sort, expected) in [
        (Op::Text, vec![(int(-12), i)], t, Some(Value::string("-12"))),
        (Op::Number, vec![of("-0012")], i, Some(int(-12))),
        (Op::Number, vec![of("+1")], i, None),
        (Op::Number, vec![of("")], i, None),
        (Op::Number, vec![of("1_0")], i, None),
        (Op::Number, vec![of("-")], i, None),
        (
            Op::Number,
            vec![of("9223372036854775808")],
            i,
            Some(number::int(number::parse_integer("9223372036854775808").unwrap())),
        ),
        (Op::IsNumber, vec![of("-7")], b, Some(Value::Bool(true))),
        (Op::IsNumber, vec![of("7.0")], b, Some(Value::Bool(false))),
        (Op::IsNumber, vec![of("٣")], b, Some(Value::Bool(false))),
        (Op::ByteLen, vec![of("aé☃")], i, Some(int(6))),
        (Op::Matches, vec![of("abc"), of("a|abc")], b, Some(Value::Bool(true))),
        (Op::Matches, vec![of("abcd"), of("abc")], b, Some(Value::Bool(false))),
        (Op::Matches, vec![of("a\nb"), of("a.b")], b, Some(Value::Bool(false))),
        (Op::Matches, vec![of("A1"), of("(?x) [A-Z] [0-9] # a comment")], b, Some(Value::Bool(true))),
        (Op::Split, vec![of("a,,b"), of(",")], texts, Some(Value::seq(["a", "", "b"].map(Value::string).to_vec()))),
        (Op::Split, vec![of(""), of(",")], texts, Some(Value::seq(vec![Value::string("")]))),
        (Op::Split, vec![of("a"), of("")], texts, None),
        (
            Op::Join,
            vec![(Value::seq(["a", "b"].map(Value::string).to_vec()), texts), of("--")],
            t,
            Some(Value::string("a--b")),
        ),
        (Op::Join, vec![(Value::seq(vec![]), texts), of("--")], t, Some(Value::string(""))),
        (Op::StartsWith, vec![of("abc"), of("ab")], b, Some(Value::Bool(true))),
        (Op::EndsWith, vec![of("abc"), of("ab")], b, Some(Value::Bool(false))),
        (Op::EndsWith, vec![of("abc"), of("")], b, Some(Value::Bool(true))),
        (Op::Upper, vec![of("aß")], t, Some(Value::string("ASS"))),
        (Op::Lower, vec![of("ÄB")], t, Some(Value::string("äb"))),
    ] {
        let found = w.apply(op, &args, sort);
        assert_eq!(found.as_ref().ok(), expected.as_ref(), "{op:?} of {args:?} is {found:?}");
    }
}

/// The fixed order, which is not the one that values had by how they are kept.
#[test]
fn values_have_a_fixed_order() {
    let big = |text: &str| number::int(number::parse_integer(text).unwrap());
    let data = |c: u32, fields: &[i64]| Value::data(c, fields.iter().map(|n| int(*n)).collect());
    for ordered in [
        vec![Value::Bool(false), Value::Bool(true)],
        vec![big("-99999999999999999999"), int(i64::MIN), int(-1), int(0), int(i64::MAX), big("99999999999999999999")],
        vec![
            Value::string(""),
            Value::string("Z"),
            Value::string("a"),
            Value::string("é"),
            Value::string("☃"),
            Value::string("😀"),
        ],
        vec![data(0, &[]), data(1, &[5]), data(2, &[]), data(3, &[1, 9]), data(3, &[2, 0])],
        // Of several types: nothing of the language compares them, but lists of all values there are do.
        vec![data(0, &[]), data(0, &[1]), data(0, &[2]), data(1, &[]), data(1, &[0])],
        vec![seq(&[]), seq(&[1]), seq(&[1, 2]), seq(&[2])],
        vec![set(&[]), set(&[1]), set(&[1, 2]), set(&[2])],
        vec![map(&[]), map(&[(1, 5)]), map(&[(1, 5), (2, 0)]), map(&[(1, 6)]), map(&[(2, 0)])],
    ] {
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} and {b}");
            }
        }
    }
}

#[test]
fn finite_sets_and_maps_are_enumerated_without_repetition() {
    let mut sorts = Sorts::default();
    let small = sorts.intern(Sort::Int { lo: Some(1.into()), hi: Some(3.into()) });
    let (set, map) = (sorts.set(small), sorts.map(small, sorts.bool));
    let nested = sorts.map(sorts.bool, set);
    for (sort, count) in [(set, 8), (map, 27), (nested, 81)] {
        assert_eq!(sorts.cardinality(sort), Some(count));
        let mut all: Vec<Value> = (0..count).map(|i| sorts.nth_value(sort, i).unwrap()).collect();
        assert!(all.iter().all(|v| sorts.contains(sort, v)));
        all.sort();
        all.dedup();
        assert_eq!(all.len() as u64, count);
        assert_eq!(sorts.nth_value(sort, count), None);
    }
    assert_eq!(sorts.cardinality(sorts.int), None);
    let wide = sorts.set(sorts.int);
    assert_eq!(sorts.cardinality(wide), None);
    let records = DataType {
        name: "R".into(),
        record: true,
        constructors: vec![Constructor { name: "R".into(), fields: vec![Field { name: "s".into(), sort: set }] }],
    };
    let data = sorts.data.push(records);
    let record = sorts.data_sort(data);
    assert_eq!(sorts.cardinality(record), Some(8));
}

/// What grows too large, or takes too long, is an error, and soon.
#[test]
fn nothing_grows_without_end() {
    let mut sorts = Sorts::default();
    let (i, q) = (sorts.int, sorts.seq(sorts.int));
    let (m, s) = (sorts.map(i, i), sorts.set(i));
    let million = 1_000_000;
    let entries: Vec<(Value, Value)> = (0..million).map(|n| (int(n), int(n))).collect();
    let large = Value::map(entries).unwrap();
    let mut w = World { sorts, pool: TermPool::new() };
    let one = (int(-1), i);
    assert_eq!(w.apply(Op::Put, &[(large.clone(), m), one.clone(), one.clone()], m), Err(EvalError::TooLarge));
    let items: Vec<Value> = (0..1 << 20).map(int).collect();
    assert_eq!(w.apply(Op::Include, &[(Value::set(items), s), one], s), Err(EvalError::TooLarge));
    let ends = [(int(1), i), (int(10_001), i)];
    assert_eq!(w.apply(Op::Span, &ends, q), Err(EvalError::TooManyNumbers));
    assert!(w.apply(Op::Span, &[(int(1), i), (int(10_000), i)], q).is_ok());
    let far = number::int(number::parse_integer("-99999999999999999999").unwrap());
    assert_eq!(w.apply(Op::Span, &[(far, i), (int(0), i)], q), Err(EvalError::TooManyNumbers));
    // A sum over a million entries, and loops inside of each other.
    let pool = &mut w.pool;
    let each =
        |pool: &mut TermPool, sorts: &Sorts, over, body: &dyn Fn(&mut TermPool, BinderId) -> sioco_model::TermId| {
            let x = pool.binders.push(i);
            let body = body(pool, x);
            pool.each(sorts, Each::Sum, &[x], &[over, body], i)
        };
    let over = pool.constant(large, m);
    let sum = each(pool, &w.sorts, over, &|pool, x| pool.bound(&Sorts::default(), x));
    assert_eq!(eval(pool, &w.sorts, sum, Env::default()), Err(EvalError::TooManyRounds));
    let ends = [1, 400].map(|n| pool.constant(int(n), i));
    let range = pool.app(Op::Span, &ends, q);
    let inner = each(pool, &w.sorts, range, &|pool, x| pool.bound(&Sorts::default(), x));
    let outer = each(pool, &w.sorts, range, &|pool, x| {
        let x = pool.bound(&Sorts::default(), x);
        pool.app(Op::Add, &[x, inner], i)
    });
    assert_eq!(eval(pool, &w.sorts, inner, Env::default()), Ok(int(400 * 401 / 2)));
    assert_eq!(eval(pool, &w.sorts, outer, Env::default()), Err(EvalError::TooManyRounds));
    assert_ne!(400u64.pow(2).max(MAX_ROUNDS), MAX_ROUNDS);
}

#[test]
fn regular_expressions_are_bounded() {
    assert_eq!(text::pattern("[a-z]{1,50}"), Ok(()));
    assert!(matches!(text::pattern("[a-z"), Err(text::PatternError::Syntax { at: (0, 1), .. })));
    for explodes in ["((a{1,999}){1,999}){1,999}", "(?:x{1000}){1000}", &"a".repeat(20_000)] {
        assert_eq!(text::pattern(explodes), Err(text::PatternError::TooLarge), "{explodes:.20}");
    }
    assert!(text::pattern(&"(".repeat(1_000)).is_err());
}
