//! Compiled terms: straight code with jumps on registers, in place of a walk over the term.
//!
//! Operands name a register, a variable, a parameter or a constant directly, so nothing is looked up or copied, and on
//! booleans, enumerations and integers that fit 64 bits nothing is allocated. An operation that leaves 64 bits goes on
//! with big integers; nothing wraps around. Operations on other sorts take the slow way of the reference evaluator.
//!
//! Terms are graphs: a subterm used twice is computed once, into a register of its own. Where the first use stands in a
//! branch that may be skipped, later uses cannot rely on it; then the subterm becomes a subroutine that remembers
//! whether it has run. Without that, code could grow exponentially with nested `if`s.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::choice;
use crate::collection;
use crate::eval::{Env, EvalError, apply, bounded, eval};
use crate::id::{BinderId, Id, SortId, TermId};
use crate::number;
use crate::sort::{Sort, Sorts};
use crate::term::{Each, Op, Term, TermPool};
use crate::value::Value;

/// An operand: two bits of kind, the rest an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Arg(u32);

const REGISTER: u32 = 0;
const VARIABLE: u32 = 1;
const PARAMETER: u32 = 2;
const CONSTANT: u32 = 3;

impl Arg {
    fn new(kind: u32, index: u32) -> Arg {
        assert!(index < 1 << 30, "a program has fewer than 2^30 operands of one kind");
        Arg(index << 2 | kind)
    }
}

/// A register.
type Reg = u32;

#[derive(Clone, Debug)]
enum Instr {
    Move(Reg, Arg),
    Not(Reg, Arg),
    Eq(Reg, Arg, Arg),
    Lt(Reg, Arg, Arg),
    Le(Reg, Arg, Arg),
    Add(Reg, Arg, Arg),
    Sub(Reg, Arg, Arg),
    Mul(Reg, Arg, Arg),
    Div(Reg, Arg, Arg),
    Mod(Reg, Arg, Arg),
    Is(Reg, Arg, u32),
    /// An integer inside small bounds.
    Range(Reg, Arg, i64, i64, SortId),
    Checked(Reg, Arg, SortId),
    Jump(u32),
    JumpIf(bool, Arg, u32),
    /// Jumps unless the comparison holds: the common case of a guard, without a register in between.
    UnlessLt(Arg, Arg, u32),
    UnlessLe(Arg, Arg, u32),
    UnlessEq(Arg, Arg, u32),
    /// Runs a subroutine, unless the flag says that it has run.
    Call(u32, u32),
    Return(u32),
    /// Any other operation.
    Apply(Reg, Op, Box<[Arg]>, Option<SortId>),
    /// A quantifier, decided on the term.
    Exists(Reg, BinderId, u32, TermId),
    /// An operation over a collection.
    Each(Reg, Box<Loop>),
    /// Any term, by the reference evaluator.
    Eval(Reg, TermId),
}

/// An operation over a collection: its body is a program of its own. The first of its parameters are the variables that
/// it binds, then come those around it that it reads, then those of the switch.
#[derive(Clone, Debug)]
struct Loop {
    each: Each,
    over: Arg,
    start: Option<Arg>,
    count: usize,
    real: bool,
    /// The bound variables around it that it reads.
    free: Box<[Arg]>,
    /// Where the parameters of the switch begin, here.
    outside: usize,
    /// The same operation at several places has one.
    body: Arc<Program>,
}

/// The bodies of operations over collections that were compiled, by the operation.
type Bodies = Rc<RefCell<FxHashMap<TermId, Arc<Program>>>>;

/// A compiled term.
#[derive(Clone, Debug)]
pub struct Program {
    term: TermId,
    code: Vec<Instr>,
    constants: Vec<Value>,
    result: Arg,
    registers: u32,
    flags: u32,
}

/// The memory of running programs, reused from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    registers: Vec<Value>,
    flags: Vec<u32>,
    epoch: u32,
    returns: Vec<u32>,
    /// That of the body of an operation over a collection.
    inner: Option<Box<Memory>>,
}

/// What programs need besides the values of the leaves.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The terms, for quantifiers.
    pub terms: &'a TermPool,
    /// The sorts, for range checks.
    pub sorts: &'a Sorts,
}

impl Program {
    /// Compiles a term.
    pub fn compile(terms: &TermPool, sorts: &Sorts, term: TermId) -> Program {
        Program::within(terms, sorts, term, &[], &Bodies::default())
    }

    /// Compiles a term that may have bound variables: their values come before those of the parameters.
    fn within(terms: &TermPool, sorts: &Sorts, term: TermId, bound: &[BinderId], bodies: &Bodies) -> Program {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        terms.visit(term, &mut |_, t| {
            if let Term::App(op, args) = t
                && !matches!(op, Op::Exists { .. } | Op::Defined)
            {
                let outside = if matches!(op, Op::Each { .. }) { &args[..args.len() - 1] } else { args };
                for a in outside {
                    *uses.entry(*a).or_default() += 1;
                }
            }
        });
        let mut c = Compiler {
            terms,
            sorts,
            bound,
            bodies,
            uses,
            code: Vec::new(),
            constants: Vec::new(),
            constant_index: FxHashMap::default(),
            available: FxHashMap::default(),
            undo: Vec::new(),
            branch: 0,
            registers: 0,
            subroutines: Vec::new(),
            subroutine_index: FxHashMap::default(),
        };
        let result = c.value(term);
        c.finish(term, result)
    }

    /// Runs the program.
    #[inline]
    pub fn run(&self, memory: &mut Memory, context: Context<'_>, env: Env<'_>) -> Result<Value, EvalError> {
        self.execute(memory, context, &env)?;
        Ok(self.operand(self.result, memory, &env).clone())
    }

    /// Runs the program and compares its result.
    #[inline]
    pub fn gives(
        &self,
        memory: &mut Memory,
        context: Context<'_>,
        env: Env<'_>,
        accept: impl FnOnce(&Value) -> bool,
    ) -> Result<bool, EvalError> {
        self.execute(memory, context, &env)?;
        Ok(accept(self.operand(self.result, memory, &env)))
    }

    /// Runs a program whose result is a truth value.
    #[inline]
    pub fn run_bool(&self, memory: &mut Memory, context: Context<'_>, env: Env<'_>) -> Result<bool, EvalError> {
        match self.execute(memory, context, &env) {
            Ok(()) => Ok(truth(self.operand(self.result, memory, &env))),
            // Another part may decide, whatever a solver would say.
            Err(EvalError::NeedsSolver(_)) => choice::decide(context, self.term, env),
            Err(error) => Err(error),
        }
    }

    /// The truth value, if the program is a constant.
    pub fn constant(&self) -> Option<&Value> {
        (self.code.is_empty() && self.result.0 & 3 == CONSTANT).then(|| &self.constants[(self.result.0 >> 2) as usize])
    }

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether there is nothing to run: the result is a leaf.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    #[inline]
    fn operand<'v>(&'v self, arg: Arg, memory: &'v Memory, env: &Env<'v>) -> &'v Value {
        let i = (arg.0 >> 2) as usize;
        match arg.0 & 3 {
            REGISTER => &memory.registers[i],
            VARIABLE => &env.vars[i],
            PARAMETER => &env.params[i],
            _ => &self.constants[i],
        }
    }

    #[inline]
    fn execute(&self, memory: &mut Memory, context: Context<'_>, env: &Env<'_>) -> Result<(), EvalError> {
        if self.code.is_empty() { Ok(()) } else { self.execute_code(memory, context, env) }
    }

    fn execute_code(&self, memory: &mut Memory, context: Context<'_>, env: &Env<'_>) -> Result<(), EvalError> {
        if memory.registers.len() < self.registers as usize {
            memory.registers.resize(self.registers as usize, Value::Bool(false));
        }
        if self.flags > 0 {
            memory.prepare_flags(self.flags as usize);
        }
        let mut pc = 0usize;
        macro_rules! get {
            ($a:expr) => {
                self.operand(*$a, memory, env)
            };
        }
        while let Some(instr) = self.code.get(pc) {
            pc += 1;
            let (reg, value) = match instr {
                Instr::Move(r, a) => (*r, get!(a).clone()),
                Instr::Not(r, a) => (*r, Value::Bool(!truth(get!(a)))),
                Instr::Eq(r, a, b) => (*r, Value::Bool(equal(get!(a), get!(b)))),
                Instr::Lt(r, a, b) => (*r, Value::Bool(less(get!(a), get!(b)))),
                Instr::Le(r, a, b) => (*r, Value::Bool(!less(get!(b), get!(a)))),
                Instr::Add(r, a, b) => (*r, bounded(number::add(get!(a), get!(b)).expect("integers"))?),
                Instr::Sub(r, a, b) => (*r, bounded(number::sub(get!(a), get!(b)).expect("integers"))?),
                Instr::Mul(r, a, b) => (*r, bounded(number::mul(get!(a), get!(b)).expect("integers"))?),
                Instr::Div(r, a, b) => (*r, number::div(get!(a), get!(b)).ok_or(EvalError::DivisionByZero)?),
                Instr::Mod(r, a, b) => (*r, number::modulo(get!(a), get!(b)).ok_or(EvalError::DivisionByZero)?),
                Instr::Is(r, a, c) => (*r, Value::Bool(get!(a).constructor() == Some(*c))),
                Instr::Range(r, a, lo, hi, sort) => match get!(a) {
                    Value::Int(n) if lo <= n && n <= hi => (*r, Value::Int(*n)),
                    other => return Err(EvalError::OutOfRange { value: other.clone(), sort: *sort }),
                },
                Instr::Checked(r, a, sort) => {
                    let value = get!(a);
                    if !context.sorts.contains(*sort, value) {
                        return Err(EvalError::OutOfRange { value: value.clone(), sort: *sort });
                    }
                    (*r, value.clone())
                }
                Instr::Jump(to) => {
                    pc = *to as usize;
                    continue;
                }
                Instr::JumpIf(when, a, to) => {
                    if truth(get!(a)) == *when {
                        pc = *to as usize;
                    }
                    continue;
                }
                Instr::UnlessLt(a, b, to) => {
                    if !less(get!(a), get!(b)) {
                        pc = *to as usize;
                    }
                    continue;
                }
                Instr::UnlessLe(a, b, to) => {
                    if less(get!(b), get!(a)) {
                        pc = *to as usize;
                    }
                    continue;
                }
                Instr::UnlessEq(a, b, to) => {
                    if !equal(get!(a), get!(b)) {
                        pc = *to as usize;
                    }
                    continue;
                }
                Instr::Call(flag, to) => {
                    if memory.flags[*flag as usize] != memory.epoch {
                        memory.returns.push(pc as u32);
                        pc = *to as usize;
                    }
                    continue;
                }
                Instr::Return(flag) => {
                    memory.flags[*flag as usize] = memory.epoch;
                    pc = memory.returns.pop().expect("a return follows a call") as usize;
                    continue;
                }
                Instr::Apply(r, op, args, sort) => {
                    let values: Vec<Value> = args.iter().map(|a| get!(a).clone()).collect();
                    (*r, apply(context.sorts, *op, &values, *sort)?)
                }
                Instr::Exists(r, first, count, body) => {
                    let found = choice::exists(context, *first, *count, *body, *env)?;
                    (*r, Value::Bool(found))
                }
                Instr::Each(r, each) => {
                    let over = get!(&each.over).clone();
                    let start = each.start.as_ref().map(|a| get!(a).clone());
                    (*r, each.run(over, start, memory, context, env)?)
                }
                Instr::Eval(r, term) => (*r, eval(context.terms, context.sorts, *term, *env)?),
            };
            memory.registers[reg as usize] = value;
        }
        Ok(())
    }
}

impl Loop {
    fn run(
        &self,
        over: Value,
        start: Option<Value>,
        memory: &mut Memory,
        context: Context<'_>,
        env: &Env<'_>,
    ) -> Result<Value, EvalError> {
        let rounds = collection::rounds(env.rounds, &over)?;
        let mut params = vec![Value::Bool(false); self.count];
        params.extend(self.free.iter().map(|a| env.params[(a.0 >> 2) as usize].clone()));
        params.extend_from_slice(&env.params[self.outside..]);
        let mut inner = memory.inner.take().unwrap_or_default();
        let result = collection::each(self.each, &over, start, self.count, self.real, &mut |values| {
            params[..self.count].clone_from_slice(values);
            self.body.run(&mut inner, context, Env { params: &params, rounds, ..*env })
        });
        memory.inner = Some(inner);
        result
    }
}

impl Memory {
    /// All flags down, without touching them: a flag is up if it shows the current epoch.
    fn prepare_flags(&mut self, count: usize) {
        self.returns.clear();
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.flags.fill(0);
            self.epoch = 1;
        }
        if self.flags.len() < count {
            self.flags.resize(count, 0);
        }
    }
}

#[inline]
fn truth(v: &Value) -> bool {
    matches!(v, Value::Bool(true))
}

#[inline]
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Enum(x), Value::Enum(y)) => x == y,
        _ => a == b,
    }
}

#[inline]
fn less(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => x < y,
        _ => number::compare(a, b).expect("numbers of one sort").is_lt(),
    }
}

struct Compiler<'a> {
    terms: &'a TermPool,
    sorts: &'a Sorts,
    /// The bound variables whose values come before those of the parameters.
    bound: &'a [BinderId],
    bodies: &'a Bodies,
    uses: FxHashMap<TermId, u32>,
    code: Vec<Instr>,
    constants: Vec<Value>,
    constant_index: FxHashMap<TermId, u32>,
    /// Terms whose value certainly stands in a register here.
    available: FxHashMap<TermId, Reg>,
    /// What became available inside the current branches, to be forgotten at their ends.
    undo: Vec<TermId>,
    /// How many enclosing branches may be skipped.
    branch: u32,
    registers: u32,
    /// Shared terms that were first met inside a branch.
    subroutines: Vec<(TermId, Reg)>,
    subroutine_index: FxHashMap<TermId, u32>,
}

impl Compiler<'_> {
    fn register(&mut self) -> Reg {
        self.registers += 1;
        self.registers - 1
    }

    /// Code for the value of a term, and where it then is.
    fn value(&mut self, term: TermId) -> Arg {
        match self.terms.get(term) {
            Term::Const(value, _) => {
                let index = *self.constant_index.entry(term).or_insert_with(|| {
                    self.constants.push(value.clone());
                    self.constants.len() as u32 - 1
                });
                return Arg::new(CONSTANT, index);
            }
            Term::Var(v, _) => return Arg::new(VARIABLE, v.index() as u32),
            Term::Param(i, _) => return Arg::new(PARAMETER, self.bound.len() as u32 + *i),
            Term::Bound(b, _) if self.bound.contains(b) => {
                let at = self.bound.iter().position(|x| x == b).expect("it is there");
                return Arg::new(PARAMETER, at as u32);
            }
            Term::ProcessParam(..) | Term::Bound(..) | Term::Symbol(..) => {
                panic!("programs are made of guards, updates and arguments")
            }
            Term::App(..) => {}
        }
        if let Some(&reg) = self.available.get(&term) {
            return Arg::new(REGISTER, reg);
        }
        if let Some(&index) = self.subroutine_index.get(&term) {
            return self.call(term, index);
        }
        let shared = self.uses.get(&term).is_some_and(|n| *n > 1);
        if shared && self.branch > 0 {
            let reg = self.register();
            let index = self.subroutines.len() as u32;
            self.subroutines.push((term, reg));
            self.subroutine_index.insert(term, index);
            return self.call(term, index);
        }
        let reg = self.register();
        self.compute(term, reg);
        self.now_available(term, reg);
        Arg::new(REGISTER, reg)
    }

    fn now_available(&mut self, term: TermId, reg: Reg) {
        self.available.insert(term, reg);
        if self.branch > 0 {
            self.undo.push(term);
        }
    }

    fn call(&mut self, term: TermId, index: u32) -> Arg {
        let reg = self.subroutines[index as usize].1;
        // The address is the number of the subroutine until all of them are placed.
        self.code.push(Instr::Call(index, index));
        self.now_available(term, reg);
        Arg::new(REGISTER, reg)
    }

    /// Runs `f` for code that may be skipped.
    fn in_branch<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.undo.len();
        self.branch += 1;
        let result = f(self);
        self.branch -= 1;
        for term in self.undo.drain(mark..) {
            self.available.remove(&term);
        }
        result
    }

    /// Code that puts the value of an operation into a register.
    fn compute(&mut self, term: TermId, r: Reg) {
        let Term::App(op, args) = self.terms.get(term) else { unreachable!("leaves need no code") };
        let (op, args) = (*op, args.clone());
        let int = args.first().is_some_and(|a| matches!(self.sorts.get(self.terms.sort(*a)), Sort::Int { .. }));
        match op {
            Op::And | Op::Or => {
                let stop = op == Op::Or;
                let mut exits = Vec::new();
                self.test(args[0], stop, &mut exits);
                self.in_branch(|c| {
                    for a in &args[1..] {
                        c.test(*a, stop, &mut exits);
                    }
                });
                let through = self.boolean(!stop);
                let stopped = self.boolean(stop);
                self.code.push(Instr::Move(r, through));
                let end = self.code.len();
                self.code.push(Instr::Jump(0));
                self.land(&exits);
                self.code.push(Instr::Move(r, stopped));
                self.land(&[end]);
            }
            Op::Ite => {
                let mut exits = Vec::new();
                self.test(args[0], false, &mut exits);
                self.in_branch(|c| {
                    let a = c.value(args[1]);
                    c.code.push(Instr::Move(r, a));
                });
                let end = self.code.len();
                self.code.push(Instr::Jump(0));
                self.land(&exits);
                self.in_branch(|c| {
                    let b = c.value(args[2]);
                    c.code.push(Instr::Move(r, b));
                });
                self.land(&[end]);
            }
            Op::Not => {
                let a = self.value(args[0]);
                self.code.push(Instr::Not(r, a));
            }
            Op::Eq | Op::Lt | Op::Le => {
                let (a, b) = (self.value(args[0]), self.value(args[1]));
                self.code.push(match op {
                    Op::Eq => Instr::Eq(r, a, b),
                    Op::Lt => Instr::Lt(r, a, b),
                    _ => Instr::Le(r, a, b),
                });
            }
            Op::Add | Op::Mul if int => {
                let mut acc = self.value(args[0]);
                for a in &args[1..] {
                    let b = self.value(*a);
                    self.code.push(if op == Op::Add { Instr::Add(r, acc, b) } else { Instr::Mul(r, acc, b) });
                    acc = Arg::new(REGISTER, r);
                }
                if args.len() == 1 {
                    self.code.push(Instr::Move(r, acc));
                }
            }
            Op::Sub | Op::Div | Op::Mod if int => {
                let (a, b) = (self.value(args[0]), self.value(args[1]));
                self.code.push(match op {
                    Op::Sub => Instr::Sub(r, a, b),
                    Op::Div => Instr::Div(r, a, b),
                    _ => Instr::Mod(r, a, b),
                });
            }
            Op::Is(constructor) => {
                let a = self.value(args[0]);
                self.code.push(Instr::Is(r, a, constructor));
            }
            Op::Checked(sort) => {
                let a = self.value(args[0]);
                self.code.push(match small_bounds(self.sorts, sort) {
                    Some((lo, hi)) => Instr::Range(r, a, lo, hi, sort),
                    None => Instr::Checked(r, a, sort),
                });
            }
            Op::Exists { first, count } => self.code.push(Instr::Exists(r, first, count, args[0])),
            // A quantifier inside is decided on terms, with the values of the parameters where terms have them.
            Op::Each { .. } if self.bound.is_empty() && self.quantifies(term) => self.code.push(Instr::Eval(r, term)),
            Op::Defined => self.code.push(Instr::Eval(r, term)),
            Op::Each { each, first, count } => self.each(term, r, each, (first, count), &args),
            _ => {
                let values: Box<[Arg]> = args.iter().map(|a| self.value(*a)).collect();
                let sort = args.first().map(|a| self.terms.sort(*a));
                self.code.push(Instr::Apply(r, op, values, sort));
            }
        }
    }

    /// Code for an operation over a collection.
    fn each(&mut self, term: TermId, r: Reg, each: Each, (first, count): (BinderId, u32), args: &[TermId]) {
        let over = self.value(args[0]);
        let start = (args.len() == 3).then(|| self.value(args[1]));
        let body = self.body(term, args[args.len() - 1], first, count as usize);
        let place = |b: &BinderId| self.bound.iter().position(|x| x == b).expect("it is bound around");
        let free = self.terms.free(term).iter().map(|b| Arg::new(PARAMETER, place(b) as u32)).collect();
        let real = self.terms.sort(term) == self.sorts.real;
        let outside = self.bound.len();
        let each = Loop { each, over, start, count: count as usize, real, free, outside, body };
        self.code.push(Instr::Each(r, Box::new(each)));
    }

    /// Code that jumps away, to a place filled in later, if the truth value is `when`.
    fn test(&mut self, term: TermId, when: bool, exits: &mut Vec<usize>) {
        let known = self.available.contains_key(&term) || self.uses.get(&term).is_some_and(|n| *n > 1);
        if let Term::App(op, args) = self.terms.get(term)
            && !known
            && !when
        {
            let args = args.clone();
            match op {
                Op::Lt | Op::Le | Op::Eq => {
                    let op = *op;
                    let (a, b) = (self.value(args[0]), self.value(args[1]));
                    exits.push(self.code.len());
                    self.code.push(match op {
                        Op::Lt => Instr::UnlessLt(a, b, 0),
                        Op::Le => Instr::UnlessLe(a, b, 0),
                        _ => Instr::UnlessEq(a, b, 0),
                    });
                    return;
                }
                Op::And => {
                    // All conjuncts leave to the same place: no register in between.
                    self.test(args[0], false, exits);
                    self.in_branch(|c| {
                        for a in &args[1..] {
                            c.test(*a, false, exits);
                        }
                    });
                    return;
                }
                _ => {}
            }
        }
        let a = self.value(term);
        exits.push(self.code.len());
        self.code.push(Instr::JumpIf(when, a, 0));
    }

    /// The program of the body of an operation over a collection.
    fn body(&self, each: TermId, body: TermId, first: BinderId, count: usize) -> Arc<Program> {
        if let Some(known) = self.bodies.borrow().get(&each) {
            return Arc::clone(known);
        }
        let mut bound: Vec<BinderId> = (0..count).map(|i| BinderId::from_index(first.index() + i)).collect();
        bound.extend(self.terms.free(each));
        let body = Arc::new(Program::within(self.terms, self.sorts, body, &bound, self.bodies));
        self.bodies.borrow_mut().insert(each, Arc::clone(&body));
        body
    }

    fn quantifies(&self, term: TermId) -> bool {
        let mut found = false;
        self.terms.visit(term, &mut |_, t| found |= matches!(t, Term::App(Op::Exists { .. } | Op::Defined, _)));
        found
    }

    fn boolean(&mut self, value: bool) -> Arg {
        let found = self.constants.iter().position(|c| *c == Value::Bool(value));
        let index = found.unwrap_or_else(|| {
            self.constants.push(Value::Bool(value));
            self.constants.len() - 1
        });
        Arg::new(CONSTANT, index as u32)
    }

    /// Makes the jumps at these places lead here.
    fn land(&mut self, jumps: &[usize]) {
        let here = self.code.len() as u32;
        for &at in jumps {
            match &mut self.code[at] {
                Instr::Jump(to)
                | Instr::JumpIf(_, _, to)
                | Instr::UnlessLt(_, _, to)
                | Instr::UnlessLe(_, _, to)
                | Instr::UnlessEq(_, _, to) => *to = here,
                other => unreachable!("{other:?} is not a jump"),
            }
        }
    }

    fn finish(mut self, term: TermId, result: Arg) -> Program {
        let main_end = self.code.len();
        if !self.subroutines.is_empty() {
            // Over the subroutines to the end.
            self.code.push(Instr::Jump(0));
        }
        let mut addresses = Vec::new();
        let mut next = 0;
        while next < self.subroutines.len() {
            let (term, reg) = self.subroutines[next];
            addresses.push(self.code.len() as u32);
            // A subroutine may run before or after any other code: it can rely on nothing but other subroutines.
            self.available.clear();
            self.branch = 1;
            self.undo.clear();
            self.compute(term, reg);
            self.code.push(Instr::Return(next as u32));
            next += 1;
        }
        if !self.subroutines.is_empty() {
            self.land(&[main_end]);
            for instr in &mut self.code {
                if let Instr::Call(_, to) = instr {
                    *to = addresses[*to as usize];
                }
            }
        }
        Program {
            term,
            code: self.code,
            constants: self.constants,
            result,
            registers: self.registers,
            flags: self.subroutines.len() as u32,
        }
    }
}

/// The bounds of an integer range, widened to all of `i64` where open, if they fit.
fn small_bounds(sorts: &Sorts, sort: SortId) -> Option<(i64, i64)> {
    match sorts.get(sort) {
        // An open end admits big integers, which the small check would refuse.
        Sort::Int { lo: Some(lo), hi: Some(hi) } => Some((i64::try_from(lo).ok()?, i64::try_from(hi).ok()?)),
        _ => None,
    }
}
