//! Switches made ready for symbolic execution: once for each, the conditions for taking it, what it changes, and the
//! condition that it cannot be taken.

use rustc_hash::FxHashMap;
use sioco_model::model::{Model, SwitchParam};
use sioco_model::semantics::interpreter::Part;
use sioco_model::semantics::program::Program;
use sioco_model::simplify;
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, LocationId, ProcessId, SortId, SwitchId, TermId, VarId};
use sioco_solve::logic;

use crate::step::Step;

/// Where a condition of a path comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The n-th conjunct of the guard.
    Guard(SwitchId, usize),
    /// A value that the switch computes must be defined and inside its range.
    Defined(SwitchId, Part),
    /// The value that is sent must be the one that the receiver expects.
    Agreement(SwitchId, SwitchId),
    /// A name for the value that a variable has from here on.
    Definition(VarId),
    /// The step (by its sending switch, if it is a handshake) must not be possible.
    Silent(SwitchId),
    /// Internal steps must go on for ever, and give no output.
    Rounds,
    /// The model does not ask for it, but somebody does.
    Wanted,
}

/// A condition over variables and the free parameters of a step.
#[derive(Debug)]
pub(crate) struct Condition {
    pub term: TermId,
    pub origin: Origin,
    pub reads: Box<[VarId]>,
    /// For conditions without parameters: they can be decided where the variables have values.
    pub program: Option<Program>,
    /// Whether it has a quantifier.
    pub quantified: bool,
}

/// A new value of a variable.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub var: VarId,
    pub term: TermId,
    pub reads: Box<[VarId]>,
    /// The value is just this parameter.
    pub copies: Option<u32>,
    pub program: Option<Program>,
}

/// A parameter whose value the step leaves open.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Free {
    pub switch: SwitchId,
    /// Its position among the parameters of the switch.
    pub param: usize,
    pub sort: SortId,
}

/// A step, ready for execution.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The parameters that are open; `Term::Param(k)` is the k-th of these.
    pub free: Vec<Free>,
    /// Their sorts, as a number: equal numbers, equal sorts.
    pub signature: u32,
    /// What must hold for the step: first that it is enabled, then that what it computes is defined.
    pub conditions: Vec<Condition>,
    pub assignments: Vec<Assignment>,
    /// The values of all parameters of the label, over variables and free parameters.
    pub args: Vec<TermId>,
    pub moves: Vec<(ProcessId, LocationId)>,
    /// A parameter has a sort without values.
    pub impossible: bool,
    /// The guard is false for all values of the parameters.
    pub silent: Condition,
}

/// The parts of a switch over the free parameters of the whole step.
struct Parts {
    args: Vec<TermId>,
    guard: TermId,
    update: Vec<(VarId, TermId)>,
}

/// Prepares a step; not for silence, which is made of the others.
pub(crate) fn prepare(model: &Model, pool: &mut TermPool, step: Step, signatures: &mut Signatures) -> Prepared {
    let sorts = &model.sorts;
    let mut free = Vec::new();
    let mut conditions = Vec::new();
    let mut checks = Vec::new();
    let mut assignments = Vec::new();
    let mut moves = Vec::new();
    let first = step.switches().next().expect("silence is not prepared");
    let parts = own_parts(model, pool, first, &mut free);
    let args = parts.args.clone();
    let mut all = vec![(first, parts)];
    if let Step::Handshake { send, receive } = step {
        let other = received_parts(model, pool, receive, &args);
        for (k, p) in model.switches[receive].params.iter().enumerate() {
            if p.term.is_some() {
                let same = pool.eq(sorts, args[k], other.args[k]);
                conditions.push(condition(pool, sorts, same, Origin::Agreement(send, receive)));
            }
        }
        all.push((receive, other));
    }
    for (switch, parts) in &all {
        let s = &model.switches[*switch];
        for (i, conjunct) in conjuncts(pool, parts.guard).into_iter().enumerate() {
            // What is sent is often known: `Answer(true) is Answer` is true.
            let conjunct = simplify::simplify(pool, sorts, conjunct, &mut FxHashMap::default());
            let conjunct = without_quantifiers(pool, sorts, conjunct);
            for part in parts_of(pool, sorts, conjunct) {
                conditions.push(condition(pool, sorts, part, Origin::Guard(*switch, i)));
            }
        }
        let mut check = |pool: &mut TermPool, term: TermId, part: Part| {
            if pool.is_partial(term) {
                let defined = logic::defined(pool, sorts, term);
                for conjunct in conjuncts(pool, defined) {
                    checks.push(condition(pool, sorts, conjunct, Origin::Defined(*switch, part)));
                }
            }
        };
        for (i, p) in s.params.iter().enumerate() {
            if p.term.is_some() {
                check(pool, parts.args[i], Part::Argument(i));
            }
        }
        for (i, (var, term)) in parts.update.iter().enumerate() {
            check(pool, *term, Part::Update(i));
            // The checks are conditions of the step; where it is taken, they have been passed.
            let plain = without_checks(pool, *term, &mut FxHashMap::default());
            assignments.push(assignment(pool, sorts, *var, plain));
        }
        moves.push((s.process, s.target));
    }
    let is_true = |c: &Condition| pool.as_const(c.term) == Some(&sioco_model::Value::Bool(true));
    conditions.retain(|c| !is_true(c));
    checks.retain(|c| !is_true(c));
    if let Step::Handshake { send, .. } = step {
        // What is sent is put into what the receiver computes, with its checks: once is enough, and the sender's.
        let of_sender = |c: &Condition| matches!(c.origin, Origin::Defined(s, Part::Argument(_)) if s == send);
        let sent: Vec<TermId> = checks.iter().filter(|c| of_sender(c)).map(|c| c.term).collect();
        checks.retain(|c| of_sender(c) || !sent.contains(&c.term));
    }
    let silent = never(model, pool, &free, &conditions);
    let silent = condition(pool, sorts, silent, Origin::Silent(first));
    conditions.extend(checks);
    let impossible = free.iter().any(|f| !sorts.contains(f.sort, &sorts.default_value(f.sort)));
    let signature = signatures.of(free.iter().map(|f| f.sort).collect());
    Prepared { free, signature, conditions, assignments, args, moves, impossible, silent }
}

/// The parts of a switch that acts: its parameters without a term are free.
fn own_parts(model: &Model, pool: &mut TermPool, switch: SwitchId, free: &mut Vec<Free>) -> Parts {
    let s = &model.switches[switch];
    let base = |p: &SwitchParam| model.sorts.base(p.sort);
    let mut args: Vec<Option<TermId>> = Vec::new();
    for (i, p) in s.params.iter().enumerate() {
        args.push(p.term.is_none().then(|| {
            let k = free.len() as u32;
            free.push(Free { switch, param: i, sort: p.sort });
            pool.param(k, base(p))
        }));
    }
    // Terms of outputs may use the parameters that the same output chooses.
    let known = args.clone();
    for (i, p) in s.params.iter().enumerate() {
        if let Some(term) = p.term {
            args[i] = Some(with_params(pool, term, &known));
        }
    }
    finish(model, pool, switch, args.into_iter().flatten().collect())
}

/// The parts of a receiving switch, for the values that are sent.
fn received_parts(model: &Model, pool: &mut TermPool, switch: SwitchId, sent: &[TermId]) -> Parts {
    let s = &model.switches[switch];
    let known: Vec<Option<TermId>> = sent.iter().map(|t| Some(*t)).collect();
    let terms: Vec<Option<TermId>> = s.params.iter().map(|p| p.term.map(|t| with_params(pool, t, &known))).collect();
    let mut parts = finish(model, pool, switch, sent.to_vec());
    for (arg, term) in parts.args.iter_mut().zip(terms) {
        *arg = term.unwrap_or(*arg);
    }
    parts
}

fn finish(model: &Model, pool: &mut TermPool, switch: SwitchId, args: Vec<TermId>) -> Parts {
    let s = &model.switches[switch];
    let known: Vec<Option<TermId>> = args.iter().map(|t| Some(*t)).collect();
    let guard = with_params(pool, s.guard, &known);
    let update = s.update.iter().map(|(v, t)| (*v, with_params(pool, *t, &known))).collect();
    Parts { args, guard, update }
}

fn with_params(pool: &mut TermPool, term: TermId, args: &[Option<TermId>]) -> TermId {
    pool.replace(term, &mut |_, leaf| match leaf {
        Term::Param(i, _) => args[*i as usize],
        _ => None,
    })
}

/// The term without checks of ranges and of keys: the same value wherever it is defined.
fn without_checks(pool: &mut TermPool, term: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
    let Term::App(op, args) = pool.get(term) else { return term };
    if let Some(&result) = done.get(&term) {
        return result;
    }
    let (op, args) = (*op, args.clone());
    let new: Vec<TermId> = args.iter().map(|a| without_checks(pool, *a, done)).collect();
    let result = match op {
        // That keys are apart is one of the conditions of the step, like ranges.
        Op::Checked(_) | Op::Apart => new[0],
        _ if new[..] == args[..] => term,
        _ => {
            let sort = pool.sort(term);
            pool.app(op, &new, sort)
        }
    };
    done.insert(term, result);
    result
}

/// The conjuncts of a condition: it is true exactly where all of them are.
pub(crate) fn conjuncts(pool: &TermPool, term: TermId) -> Vec<TermId> {
    match pool.get(term) {
        Term::App(Op::And, args) => args.iter().flat_map(|a| conjuncts(pool, *a)).collect(),
        _ => vec![term],
    }
}

/// The same with the conjuncts of what is negated: `!(a || b)` is `!a` and `!b`. What each of them says alone is easier to
/// find values for.
fn parts_of(pool: &mut TermPool, sorts: &Sorts, term: TermId) -> Vec<TermId> {
    let negated = |pool: &TermPool| match pool.get(term) {
        Term::App(Op::Not, args) => match pool.get(args[0]) {
            Term::App(Op::Or, parts) => Some(parts.to_vec()),
            _ => None,
        },
        _ => None,
    };
    if let Some(parts) = negated(pool) {
        let each: Vec<TermId> = parts.into_iter().map(|part| pool.not(sorts, part)).collect();
        return each.into_iter().flat_map(|part| parts_of(pool, sorts, part)).collect();
    }
    match conjuncts(pool, term) {
        parts if parts.len() > 1 => parts.into_iter().flat_map(|part| parts_of(pool, sorts, part)).collect(),
        parts => parts,
    }
}

/// The same condition without quantifiers, which come from `else`, if there is one. Where it may be undefined, it stays as it
/// is: elimination would make it false there.
fn without_quantifiers(pool: &mut TermPool, sorts: &Sorts, term: TermId) -> TermId {
    if pool.is_partial(term) || !has_quantifiers(pool, term) {
        return term;
    }
    let plain = logic::eliminate(pool, sorts, term, ELIMINATION);
    if has_quantifiers(pool, plain) || pool.is_partial(plain) { term } else { plain }
}

pub(crate) fn has_quantifiers(pool: &TermPool, term: TermId) -> bool {
    let mut found = false;
    pool.visit(term, &mut |_, t| found |= matches!(t, Term::App(Op::Exists { .. }, _)));
    found
}

/// The condition that the guard of a step is false, whatever its parameters are: where it is undefined for some, that is
/// a model error and no silence. Quantifiers are eliminated where possible.
fn never(model: &Model, pool: &mut TermPool, free: &[Free], guards: &[Condition]) -> TermId {
    let sorts = &model.sorts;
    let parts: Vec<TermId> = guards.iter().map(|c| c.term).collect();
    let guard = pool.and(sorts, &parts);
    let negation = pool.not(sorts, guard);
    let not_false = logic::not_true(pool, sorts, negation);
    not_possible(model, pool, free, not_false)
}

/// The condition that something is true for no values of the parameters.
fn not_possible(model: &Model, pool: &mut TermPool, free: &[Free], what: TermId) -> TermId {
    let sorts = &model.sorts;
    let possible = if free.is_empty() {
        what
    } else {
        let binders: Vec<_> = free.iter().map(|f| pool.binders.push(f.sort)).collect();
        let bound: Vec<TermId> = binders.iter().map(|b| pool.bound(sorts, *b)).collect();
        let body = pool.replace(what, &mut |_, leaf| match leaf {
            Term::Param(k, _) => Some(bound[*k as usize]),
            _ => None,
        });
        let op = Op::Exists { first: binders[0], count: binders.len() as u32 };
        let exists = pool.app(op, &[body], sorts.bool);
        logic::eliminate(pool, sorts, exists, ELIMINATION)
    };
    logic::not_true(pool, sorts, possible)
}

/// An elimination of quantifiers may make a condition of the model grow to at most this many terms: less than for one
/// [on a path](crate::path), since it is used on all of them.
const ELIMINATION: usize = 200;

pub(crate) fn condition(pool: &TermPool, sorts: &Sorts, term: TermId, origin: Origin) -> Condition {
    let (reads, has_params) = leaves(pool, term);
    let program = (!has_params).then(|| Program::compile(pool, sorts, term));
    let quantified = has_quantifiers(pool, term);
    Condition { term, origin, reads, program, quantified }
}

fn assignment(pool: &TermPool, sorts: &Sorts, var: VarId, term: TermId) -> Assignment {
    let (reads, has_params) = leaves(pool, term);
    let program = (!has_params).then(|| Program::compile(pool, sorts, term));
    let copies = match pool.get(term) {
        Term::Param(k, _) => Some(*k),
        _ => None,
    };
    Assignment { var, term, reads, copies, program }
}

/// The variables that a term reads, in order, and whether it has parameters.
pub(crate) fn leaves(pool: &TermPool, term: TermId) -> (Box<[VarId]>, bool) {
    let mut reads = Vec::new();
    let mut has_params = false;
    pool.visit(term, &mut |_, t| match t {
        Term::Var(v, _) => reads.push(*v),
        Term::Param(..) => has_params = true,
        _ => {}
    });
    reads.sort_unstable_by_key(|v| v.index());
    (reads.into(), has_params)
}

/// Lists of sorts by number.
#[derive(Default, Debug)]
pub(crate) struct Signatures {
    lists: Vec<Vec<SortId>>,
}

impl Signatures {
    fn of(&mut self, sorts: Vec<SortId>) -> u32 {
        let known = self.lists.iter().position(|l| *l == sorts);
        known.unwrap_or_else(|| {
            self.lists.push(sorts);
            self.lists.len() - 1
        }) as u32
    }

    pub(crate) fn sorts(&self, signature: u32) -> &[SortId] {
        &self.lists[signature as usize]
    }
}
