//! Questions about concrete states.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sioco_model::semantics::choice::Unknown;
use sioco_model::semantics::{Oracle, Question, Unanswered};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, TermPool};
use sioco_model::{Id, SortId, TermId, Value, VarId};
use sioco_solve::values::Choice;
use sioco_solve::{BackEnd, Cancellation, Reason, StateOracle};

/// Conditions on a variable `x` and a parameter `p`, both `Int`.
struct Terms {
    pool: TermPool,
    sorts: Sorts,
    x: TermId,
    p: TermId,
}

impl Terms {
    fn new() -> Terms {
        let (mut pool, sorts) = (TermPool::new(), Sorts::default());
        let x = pool.var(VarId::from_index(0), sorts.int);
        let p = pool.param(0, sorts.int);
        Terms { pool, sorts, x, p }
    }

    fn int(&mut self, n: i64) -> TermId {
        self.pool.constant(Value::Int(n), self.sorts.int)
    }

    fn arith(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.pool.app(op, args, self.sorts.int)
    }

    fn test(&mut self, op: Op, left: TermId, right: TermId) -> TermId {
        self.pool.app(op, &[left, right], self.sorts.bool)
    }

    fn and(&mut self, parts: &[TermId]) -> TermId {
        self.pool.and(&self.sorts, parts)
    }

    /// `p * p == x`.
    fn square(&mut self) -> TermId {
        let square = self.arith(Op::Mul, &[self.p, self.p]);
        self.test(Op::Eq, square, self.x)
    }

    fn oracle(&self, back_end: BackEnd) -> StateOracle {
        StateOracle::new(&self.pool, &self.sorts, back_end)
    }
}

fn question<'a>(condition: TermId, unknowns: &'a [(Unknown, SortId)], vars: &'a [Value]) -> Question<'a> {
    Question { condition, unknowns, vars, params: &[] }
}

/// The back-ends that are there.
fn back_ends() -> Vec<BackEnd> {
    match BackEnd::Z3.open() {
        Ok(_) => vec![BackEnd::Z3],
        Err(why) => {
            eprintln!("skipped: {why}");
            vec![]
        }
    }
}

#[test]
fn values_are_found_listed_and_chosen() {
    for back_end in back_ends() {
        let mut t = Terms::new();
        let square = t.square();
        let unknowns = [(Unknown::Param(0), t.sorts.int)];
        let mut oracle = t.oracle(back_end);
        let [yes, no] = [[Value::Int(49)], [Value::Int(50)]];
        let (yes, no) = (question(square, &unknowns, &yes), question(square, &unknowns, &no));
        for _ in 0..2 {
            assert_eq!(oracle.witness(&yes), Ok(Some(vec![Value::Int(7)])));
            assert_eq!(oracle.witness(&no), Ok(None));
            assert_eq!(oracle.all(&yes), Ok(vec![vec![Value::Int(-7)], vec![Value::Int(7)]]));
            assert_eq!(oracle.all(&no), Ok(vec![]));
            assert_eq!(oracle.choose(&yes, Choice::Min), Ok(Some(vec![Value::Int(-7)])));
            assert_eq!(oracle.choose(&yes, Choice::Max), Ok(Some(vec![Value::Int(7)])));
            assert_eq!(oracle.clash(&yes), Ok(vec![]));
            assert_eq!(oracle.clash(&no), Ok(vec![square]));
            oracle.refill();
        }
        // With values for the parameters there is only yes or no.
        for (n, holds) in [(7, true), (6, false)] {
            let (vars, params) = ([Value::Int(49)], [Value::Int(n)]);
            let given = Question { condition: square, unknowns: &[], vars: &vars, params: &params };
            assert_eq!(oracle.witness(&given).map(|w| w.is_some()), Ok(holds));
            assert_eq!(oracle.all(&given).map(|w| w.len()), Ok(usize::from(holds)));
        }
    }
}

/// Conditions are computed as far as the state is known, also inside of quantifiers, so that no solver is needed for what
/// shows then: no text differs from itself.
#[test]
fn what_shows_takes_no_solver() {
    let mut t = Terms::new();
    let first = t.pool.binders.push(t.sorts.string);
    let text = t.pool.bound(&t.sorts, first);
    let same = t.test(Op::Eq, text, text);
    let other = t.pool.not(&t.sorts, same);
    let exists = t.pool.app(Op::Exists { first, count: 1 }, &[other], t.sorts.bool);
    let none = t.pool.not(&t.sorts, exists);
    let mut oracle = t.oracle(BackEnd::BuiltIn);
    assert_eq!(oracle.witness(&question(none, &[], &[Value::Int(0)])), Ok(Some(vec![])));
    assert_eq!(oracle.witness(&question(exists, &[], &[Value::Int(0)])), Ok(None));
}

#[test]
fn only_what_clashes_is_named() {
    for back_end in back_ends() {
        let mut t = Terms::new();
        let [ten, hundred, low] = [10, 100, -100].map(|n| t.int(n));
        let square = t.arith(Op::Mul, &[t.p, t.p]);
        let cube = t.arith(Op::Mul, &[t.p, t.p, t.p]);
        let small = t.test(Op::Lt, square, ten);
        let above = t.test(Op::Lt, low, t.p);
        let large = t.test(Op::Lt, hundred, cube);
        let condition = t.and(&[small, above, large]);
        let unknowns = [(Unknown::Param(0), t.sorts.int)];
        let vars = [Value::Int(0)];
        let mut oracle = t.oracle(back_end);
        assert_eq!(oracle.clash(&question(condition, &unknowns, &vars)), Ok(vec![small, large]));
    }
}

#[test]
fn too_many_values_are_not_listed() {
    let mut t = Terms::new();
    let above = t.test(Op::Lt, t.x, t.p);
    let mut oracle = t.oracle(BackEnd::BuiltIn);
    let vars = [Value::Int(5)];
    let unknowns = [(Unknown::Param(0), t.sorts.int)];
    let why = oracle.all(&question(above, &unknowns, &vars)).expect_err("there is no end of them");
    assert_eq!(why.to_string(), "there are more than 64 values to choose from");
    let range = t.sorts.intern(Sort::Int { lo: Some(0.into()), hi: Some(9.into()) });
    let unknowns = [(Unknown::Param(0), range)];
    let mut oracle = t.oracle(BackEnd::BuiltIn);
    let all = oracle.all(&question(above, &unknowns, &vars)).expect("four");
    assert_eq!(all, [6, 7, 8, 9].map(|n| vec![Value::Int(n)]));
}

/// `p * p * p + p * p == x` for an `x` for which that is hard to see.
#[test]
fn a_broken_solver_is_named_and_asked_only_so_often() {
    let mut t = Terms::new();
    let (square, cube) = (t.arith(Op::Mul, &[t.p, t.p]), t.arith(Op::Mul, &[t.p, t.p, t.p]));
    let sum = t.arith(Op::Add, &[square, cube]);
    let hard = t.test(Op::Eq, sum, t.x);
    let unknowns = [(Unknown::Param(0), t.sorts.int)];
    let mut oracle = t.oracle(BackEnd::Command("sioco-no-such-solver".into()));
    for n in 0..5 {
        let vars = [Value::Int(1_000_000_007 + n)];
        let why = oracle.witness(&question(hard, &unknowns, &vars)).expect_err("nobody can tell");
        assert!(why.to_string().contains("`sioco-no-such-solver` is not on the path"), "{why}");
        oracle.refill();
    }
    let mut oracle = t.oracle(BackEnd::BuiltIn);
    let vars = [Value::Int(1_000_000_007)];
    let why = oracle.witness(&question(hard, &unknowns, &vars)).expect_err("it is too hard");
    assert_eq!(why.to_string(), "the built-in solver cannot decide it, and no other solver was allowed");
    // A value that is missing is no reason to fall over.
    assert!(oracle.witness(&question(hard, &unknowns, &[])).is_err());
    assert!(oracle.witness(&question(hard, &[], &vars)).is_err());
}

#[test]
fn what_is_undefined_for_some_values_is_found() {
    for back_end in back_ends() {
        let mut t = Terms::new();
        let (zero, no) = (t.int(0), t.pool.bool(&t.sorts, false));
        let quotient = t.arith(Op::Div, &[t.x, t.p]);
        let positive = t.test(Op::Lt, zero, quotient);
        let same = t.test(Op::Eq, zero, t.p);
        let other = t.pool.not(&t.sorts, same);
        // `pool.and` would fold the constant.
        let first = t.pool.app(Op::And, &[positive, no], t.sorts.bool);
        let behind = t.pool.app(Op::And, &[no, positive], t.sorts.bool);
        let guarded = t.pool.app(Op::And, &[other, positive], t.sorts.bool);
        let unknowns = [(Unknown::Param(0), t.sorts.int)];
        let vars = [Value::Int(6)];
        let mut oracle = t.oracle(back_end);
        for (condition, expected) in
            [(first, Some(vec![Value::Int(0)])), (positive, Some(vec![Value::Int(0)])), (behind, None), (guarded, None)]
        {
            assert_eq!(oracle.undefined(&question(condition, &unknowns, &vars)), Ok(expected));
        }
    }
}

/// Questions end with their cancellation, whoever asks them; when it is let go, they are answered as ever.
#[test]
fn a_cancellation_ends_questions() {
    for back_end in back_ends() {
        let mut terms = Terms::new();
        let condition = terms.square();
        let unknowns = [(Unknown::Param(0), terms.sorts.int)];
        let vars = [Value::Int(144)];
        let question = question(condition, &unknowns, &vars);
        let cancellation = Cancellation::new([], None);
        let mut oracle = terms.oracle(back_end).on(&cancellation);
        cancellation.hurry(Some(Duration::ZERO));
        assert_eq!(oracle.witness(&question), Err(Unanswered::Undecided(Reason::Time.to_string())));
        cancellation.hurry(None);
        oracle.refill();
        assert!(oracle.witness(&question).is_ok_and(|found| found.is_some()));
        let stopped = Cancellation::new([Arc::new(AtomicBool::new(true))], None);
        let mut oracle = terms.oracle(BackEnd::BuiltIn).on(&stopped);
        assert_eq!(oracle.witness(&question), Err(Unanswered::Undecided(Reason::Cancelled.to_string())));
    }
}
