//! Inclusion of symbolic states (T-X6; S3 definition 10, S4 section 2.2): every valuation of the live variables that is
//! possible in A is possible in B, so whatever can happen from A can happen from B.
//!
//! "Possible in B" is `exists symbols of B. the variables have these values, and the path condition of B holds`. Most
//! symbols are just the value of a variable: substituting the value in A removes them. Other symbols are eliminated where
//! possible, and the remaining condition is a question to the solver. If the solver has no answer, or the question would
//! need a quantifier, and only few values are possible, these are compared one by one. *Unknown* means: not included.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::eval::EvalError;
use sioco_model::simplify;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{LocationId, Model, SymbolId, TermId, Value, VarId};
use sioco_solve::logic;
use sioco_solve::{Answer, Limits, Terms, Witness, quick};

use crate::graph::NodeId;
use crate::path::Path;
use crate::prepare::leaves;
use crate::symbols::symbols_of;
use sioco_model::semantics::live::Live;

/// A state is compared with at most this many earlier states at the same locations. Measured, 20,000 nodes of Redis:
/// with half as many 5,286 states are left out, in 2.5 s of computing; with this 5,343 in 2.7 s; with twice as many
/// 5,383 in 4.3 s.
const CANDIDATES: usize = 64;

/// And with at most this many where comparing has been of little use. Measured: half and twice as many change nothing
/// for Redis, SMTP and the speed monitor.
const FEW_CANDIDATES: usize = 4;
/// Comparing counts as of little use after this many comparisons: fewer say little.
const PATIENCE: u64 = 128;
/// If fewer than one in this many found anything then. One state that is left out saves all that follows it, so that
/// even few are worth it.
const USEFUL: u64 = 32;

/// A state whose condition keeps a quantifier is compared at most this often: such questions are dear.
const QUANTIFIED_ATTEMPTS: u32 = 2;

/// After this many of them at some locations, they go on only if one in four found something.
const QUANTIFIED: u64 = 12;

/// A comparison only saves work, so it is given up sooner than other questions. Measured, 20,000 nodes of Redis: half
/// and twice as much leave out the same 5,343 states; with a tenth it is 5,334.
const RESOURCES: u64 = 20_000;
/// And after this time by the clock, for a solver that does not count its work.
const WALL: Duration = Duration::from_secs(2);
/// After this many that were given up, states at these locations are not compared any more: they differ by what the
/// solver cannot decide.
const GIVEN_UP: u64 = 8;

/// After this many in all, nothing is compared any more unless more comparisons found something: each takes its whole
/// limit.
const GIVEN_UP_IN_ALL: u64 = 16;

/// States with more conditions are not compared: such questions are seldom decided within their limit.
const MOST_CONDITIONS: usize = 40;

/// An elimination may make a condition grow to at most this many terms: with more, the question is harder than with the
/// quantifier.
const ELIMINATION: usize = 300;

/// A state that others may be included in.
#[derive(Clone, Debug)]
struct Summary {
    node: NodeId,
    vars: Vec<(VarId, Result<Value, TermId>)>,
    symbols: Vec<SymbolId>,
    conditions: Vec<TermId>,
    /// Whether values of the variables are possible here, as a condition over the variables. Made when it is first
    /// needed.
    member: Option<TermId>,
    /// How often it may still be compared.
    attempts: u32,
    /// The values that the variables can have together, if they are few; looked for when they are first needed.
    rows: Option<Rows>,
}

/// Values of variables, if they are few.
type Rows = Option<Arc<FxHashSet<Vec<Value>>>>;

/// The states that were kept at some locations, and what comparing with them was good for.
#[derive(Debug, Default)]
struct Kept {
    states: Vec<Summary>,
    compared: u64,
    included: u64,
    unknown: u64,
    /// Of these, with a quantifier.
    quantified: u64,
    quantified_included: u64,
}

/// How often states were compared, and what came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InclusionCounters {
    /// Comparisons of two states that are not equal.
    pub compared: u64,
    /// Of these, included.
    pub included: u64,
    /// Questions to a solver.
    pub asked: u64,
    /// Of these, `unknown`: not included.
    pub unknown: u64,
}

/// The states that were kept.
#[derive(Debug)]
pub struct Inclusion {
    by_locations: FxHashMap<Vec<LocationId>, Kept>,
    counters: InclusionCounters,
}

impl Inclusion {
    /// None yet.
    pub fn new(_: &Model) -> Self {
        Inclusion { by_locations: FxHashMap::default(), counters: InclusionCounters::default() }
    }

    /// How often states were compared.
    pub fn counters(&self) -> InclusionCounters {
        self.counters
    }

    /// Keeps the state at the end of the path. Where all variables have values, only equal states are included, and
    /// those are found by their words.
    pub fn keep(&mut self, path: &mut Path<'_>, live: &Live, node: NodeId) {
        let locations = path.locations().to_vec();
        let open = locations.iter().flat_map(|l| live.at(*l)).any(|v| path.value(*v).is_none());
        if !open {
            return;
        }
        let kept = &mut self.by_locations.entry(locations).or_default().states;
        if kept.len() < CANDIDATES {
            kept.extend(summary(path, live, node));
        }
    }

    /// The first state that the one at the end of the path is included in.
    pub fn find(&mut self, path: &mut Path<'_>, fits: &dyn Fn(NodeId) -> bool) -> Option<NodeId> {
        let kept = self.by_locations.get_mut(path.locations())?;
        let useless = kept.compared >= PATIENCE && kept.included * USEFUL < kept.compared;
        let most = if useless { FEW_CANDIDATES } else { CANDIDATES };
        // Values that are possible here: where the other state does not have them, it does not include this one.
        let mut known: Vec<Witness> = Vec::new();
        let mut solved = false;
        // All values that are possible here, if a comparison takes them.
        let mut rows: Option<Rows> = None;
        for other in kept.states.iter_mut().take(most) {
            let InclusionCounters { included, unknown, .. } = self.counters;
            if kept.unknown >= GIVEN_UP || (unknown >= GIVEN_UP_IN_ALL && included < unknown) {
                return None;
            }
            if other.attempts == 0 || !fits(other.node) || !agrees(path, other) {
                continue;
            }
            kept.compared += 1;
            self.counters.compared += 1;
            let member = match other.member {
                Some(member) => member,
                None => {
                    let member = membership(path, other);
                    if has_quantifier(&path.pool, member) {
                        other.attempts = QUANTIFIED_ATTEMPTS;
                    }
                    *other.member.insert(member)
                }
            };
            let quantified = other.attempts != u32::MAX;
            if quantified && let Some(included) = by_values(path, other, &mut rows) {
                if included {
                    kept.included += 1;
                    self.counters.included += 1;
                    return Some(other.node);
                }
                continue;
            }
            if quantified {
                if kept.quantified >= QUANTIFIED && kept.quantified_included * 4 < kept.quantified {
                    continue;
                }
                kept.quantified += 1;
                other.attempts -= 1;
            }
            let goal = with_values(path, member);
            let answer = match path.pool.as_const(goal) {
                Some(value) => Some(*value == Value::Bool(true)),
                None => {
                    if !std::mem::replace(&mut solved, true)
                        && let Answer::Sat(Some(values)) = path.solve()
                    {
                        known.push(values);
                    }
                    match known.iter().any(|w| refuted(path, goal, w)) {
                        true => Some(false),
                        false => entailed(path, goal, &mut known, &mut self.counters),
                    }
                }
            };
            let answer = answer.or_else(|| by_values(path, other, &mut rows));
            if answer.is_none() {
                self.counters.unknown += 1;
                kept.unknown += 1;
            }
            let included = answer == Some(true);
            if included {
                kept.quantified_included += u64::from(quantified);
                kept.included += 1;
                self.counters.included += 1;
                return Some(other.node);
            }
        }
        None
    }
}

/// None where too many conditions have to do with the state: eliminating their symbols would take too long.
fn summary(path: &mut Path<'_>, live: &Live, node: NodeId) -> Option<Summary> {
    let locations = path.locations().to_vec();
    let mut vars = Vec::new();
    let mut symbols = Vec::new();
    for &var in locations.iter().flat_map(|l| live.at(*l)) {
        let value = match path.value(var) {
            Some(value) => Ok(value.clone()),
            None => {
                let term = path.term(var);
                symbols_of(path.pool(), term, &mut symbols);
                Err(term)
            }
        };
        vars.push((var, value));
    }
    let conditions = path.relevant(&symbols, MOST_CONDITIONS)?;
    for c in &conditions {
        symbols_of(path.pool(), *c, &mut symbols);
    }
    Some(Summary { node, vars, symbols, conditions, member: None, attempts: u32::MAX, rows: None })
}

/// Whether the state at the end of the path is included in another one, where the values are few in both.
fn by_values(path: &mut Path<'_>, other: &mut Summary, rows: &mut Option<Rows>) -> Option<bool> {
    // At the same locations, the same variables are live.
    let here = rows.get_or_insert_with(|| {
        let vars: Vec<VarId> = other.vars.iter().map(|(var, _)| *var).collect();
        path.possible_values(&vars).map(|rows| Arc::new(rows.into_iter().collect()))
    });
    let here = here.clone()?;
    let there = other.rows.get_or_insert_with(|| {
        let vars: Vec<Result<Value, TermId>> = other.vars.iter().map(|(_, value)| value.clone()).collect();
        path.rows(&vars, &other.conditions).map(|rows| Arc::new(rows.into_iter().collect()))
    });
    there.as_ref().map(|there| here.is_subset(there))
}

/// Whether known values are the same: that settles most cases.
fn agrees(path: &Path<'_>, other: &Summary) -> bool {
    other.vars.iter().all(|(var, value)| value.as_ref().map_or(true, |v| path.value(*var) == Some(v)))
}

/// The condition, over the variables that are open in the other state, that their values are possible there.
fn membership(path: &mut Path<'_>, other: &Summary) -> TermId {
    let model = path.model;
    let sorts = &model.sorts;
    let mut put: FxHashMap<SymbolId, TermId> = FxHashMap::default();
    let mut goals: Vec<TermId> = Vec::new();
    let mut later: Vec<(TermId, TermId)> = Vec::new();
    for (var, value) in &other.vars {
        let Err(term) = value else { continue };
        let own = path.pool.var(*var, sorts.base(model.variables[*var].sort));
        match path.pool.get(*term) {
            Term::Symbol(y, _) if !put.contains_key(y) => {
                let (y, sort) = (*y, path.names.symbols[*y].sort);
                put.insert(y, own);
                if !sorts.includes(sort, model.variables[*var].sort) {
                    let base = sorts.base(sort);
                    let inside = path.pool.app(Op::Checked(sort), &[own], base);
                    goals.push(logic::defined(&mut path.pool, sorts, inside));
                }
            }
            _ => later.push((own, *term)),
        }
    }
    let left: Vec<SymbolId> = other.symbols.iter().copied().filter(|y| !put.contains_key(y)).collect();
    let mut binders = Vec::new();
    for y in &left {
        let sort = path.names.symbols[*y].sort;
        let binder = path.pool.binders.push(sort);
        binders.push(binder);
        let bound = path.pool.bound(sorts, binder);
        put.insert(*y, bound);
    }
    let mut parts = Vec::new();
    for (own, term) in later {
        let theirs = replace(path, term, &put);
        parts.push(path.pool.eq(sorts, own, theirs));
    }
    for c in &other.conditions {
        parts.push(replace(path, *c, &put));
    }
    // Some values make all of them defined and true: what others do is of no interest.
    for part in &mut parts {
        *part = logic::total(&mut path.pool, sorts, *part);
    }
    if left.is_empty() {
        goals.extend(parts);
    } else {
        let body = path.pool.and(sorts, &parts);
        let op = Op::Exists { first: binders[0], count: binders.len() as u32 };
        let exists = path.pool.app(op, &[body], sorts.bool);
        goals.push(logic::eliminate(&mut path.pool, sorts, exists, ELIMINATION));
    }
    path.pool.and(sorts, &goals)
}

fn has_quantifier(pool: &TermPool, term: TermId) -> bool {
    let mut found = false;
    pool.visit(term, &mut |_, t| found |= matches!(t, Term::App(Op::Exists { .. }, _)));
    found
}

/// A condition over variables, with the values that they have at the end of the path.
fn with_values(path: &mut Path<'_>, condition: TermId) -> TermId {
    let (reads, _) = leaves(&path.pool, condition);
    path.instance(condition, &reads)
}

/// Whether values that are possible make the condition not true.
fn refuted(path: &Path<'_>, goal: TermId, witness: &Witness) -> bool {
    let truth = quick::truth(&path.pool, &path.model.sorts, goal, witness);
    !matches!(truth, Ok(true) | Err(EvalError::NeedsSolver(_)))
}

fn replace(path: &mut Path<'_>, term: TermId, put: &FxHashMap<SymbolId, TermId>) -> TermId {
    let mut leaf = |_: &mut TermPool, leaf: &Term| match leaf {
        Term::Symbol(y, _) => put.get(y).copied(),
        _ => None,
    };
    simplify::substitute(&mut path.pool, &path.model.sorts, term, &mut FxHashMap::default(), &mut leaf)
}

/// Whether the path condition implies the goal, if that is found out. Values that show that it does not are kept: they may do the same for
/// the next state. Each part of the goal is a question of its own, since a part is easily negated, and the whole is not.
fn entailed(
    path: &mut Path<'_>,
    goal: TermId,
    known: &mut Vec<Witness>,
    counters: &mut InclusionCounters,
) -> Option<bool> {
    let sorts = &path.model.sorts;
    let parts: Box<[TermId]> = match path.pool.get(goal) {
        // A part after one that is undefined does not count.
        Term::App(Op::And, parts) if !path.pool.is_partial(goal) => parts.clone(),
        _ => [goal].into(),
    };
    path.sync();
    let limits = Limits {
        resources: path.solvers.limits.resources.min(RESOURCES),
        wall: path.solvers.limits.wall.min(WALL),
        ..path.solvers.limits.clone()
    };
    for part in parts {
        let negation = logic::not_true(&mut path.pool, sorts, part);
        let terms = Terms { pool: &path.pool, sorts, symbols: &path.names.symbols };
        path.solvers.main.push();
        path.solvers.main.assert(terms, negation);
        let answer = path.solvers.main.check_afresh(terms, &limits, true);
        path.solvers.main.pop();
        counters.asked += 1;
        match answer {
            Answer::Unsat(_) => {}
            Answer::Sat(values) => {
                known.extend(values);
                return Some(false);
            }
            Answer::Unknown(_) => return None,
        }
    }
    Some(true)
}
