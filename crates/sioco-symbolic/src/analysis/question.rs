//! A question about a state: whether conditions on its variables, and on values that are left open, can be true.
//!
//! A question is made once and asked in many states. Most are settled before that: if the conditions cannot be true in
//! any state at all, reachable or not, nobody needs to ask again.

use std::time::Duration;

use rustc_hash::FxHashMap;
use sioco_model::eval::{Env, eval};
use sioco_model::semantics::interpreter::Part;
use sioco_model::simplify;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{SwitchId, TermId, Value, VarId};
use sioco_solve::values::{Choice, NoValues, Request, choose};
use sioco_solve::{Answer, Limits, Reason, Terms};

use super::witness::Witness;
use crate::describe::Solved;
use crate::path::{Path, Possible};
use crate::prepare::{Origin, conjuncts, leaves};
use crate::step::Step;
use crate::symbols::symbols_of;
use sioco_solve::logic;

/// Values, where they are defined.
type Values = Vec<Option<Value>>;

/// Symbols for open values of questions are numbered like those of steps that no path is long enough to have.
pub(crate) const FIRST: u32 = u32::MAX;
/// The same for a second step, whose values are others.
pub(crate) const SECOND: u32 = u32::MAX - 1;

/// At most this many cases of an undecided question are told apart: six conditions that are true or false each. Every
/// case is a question of its own.
const CASES: usize = 64;

/// Each case gets this part of the work that the whole question may take, and the cases end when this many of them have
/// used it up: together they take about as much as the whole did. Most cases are decided at once.
const PART: usize = 8;

/// That a question is never answered with yes only saves asking it, so finding that out is given up soon: after a
/// fiftieth of what a question may take by default.
const RESOURCES: u64 = 200_000;
/// And after this time by the clock, for a solver that does not count its work.
const WALL: Duration = Duration::from_secs(1);

/// A step over variables and symbols for its open parameters.
#[derive(Clone, Debug)]
pub(crate) struct StepTerms {
    /// What must hold for it to be enabled, in the order in which it is evaluated.
    pub guards: Vec<(Option<SwitchId>, TermId)>,
    /// What must hold for the rest to be defined, by part.
    pub checks: Vec<(SwitchId, Part, TermId)>,
    /// The values of the parameters of the label.
    pub args: Vec<TermId>,
    /// The new values of variables.
    pub updates: Vec<TermId>,
    /// That its guard is false, whatever the parameters are; without symbols.
    pub silent: TermId,
    /// A parameter has a sort without values.
    pub impossible: bool,
}

impl StepTerms {
    /// All that must hold for the step to be taken.
    pub fn all(&self) -> Vec<TermId> {
        self.guards.iter().map(|(_, t)| *t).chain(self.checks.iter().map(|(_, _, t)| *t)).collect()
    }
}

impl Path<'_> {
    /// A step over variables and symbols of its own.
    pub(crate) fn step_terms(&mut self, step: Step, slot: u32) -> StepTerms {
        let prepared = self.prepared(step);
        let of: Vec<_> = prepared.free.iter().map(|f| f.sort).collect();
        let sorts = &self.model.sorts;
        let symbols = self.names.of_params(&mut self.pool, sorts, slot, prepared.signature, &of);
        let put = |pool: &mut TermPool, term: TermId| {
            pool.replace(term, &mut |_, leaf| match leaf {
                Term::Param(k, _) => Some(symbols[*k as usize]),
                _ => None,
            })
        };
        let (mut guards, mut checks) = (Vec::new(), Vec::new());
        for c in &prepared.conditions {
            let term = put(&mut self.pool, c.term);
            match c.origin {
                Origin::Defined(switch, part) => checks.push((switch, part, term)),
                Origin::Guard(switch, _) => guards.push((Some(switch), term)),
                _ => guards.push((None, term)),
            }
        }
        let args = prepared.args.iter().map(|t| put(&mut self.pool, *t)).collect();
        let updates = prepared.assignments.iter().map(|a| put(&mut self.pool, a.term)).collect();
        StepTerms { guards, checks, args, updates, silent: prepared.silent.term, impossible: prepared.impossible }
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct Question {
    parts: Vec<(TermId, Box<[VarId]>)>,
    /// Terms whose values are wanted, where the answer is yes.
    shown: Vec<(TermId, Box<[VarId]>)>,
}

impl Question {
    pub fn new(path: &mut Path<'_>, conditions: &[TermId], shown: &[TermId]) -> Question {
        // Handshakes put what is sent into what is received: much of that is settled whatever the state is.
        let (sorts, mut done) = (&path.model.sorts, FxHashMap::default());
        let simple = conditions.iter().map(|c| simplify::simplify(&mut path.pool, sorts, *c, &mut done));
        let conditions: Vec<TermId> = simple.collect();
        let pool = path.pool();
        let with_reads = |t: TermId| (t, leaves(pool, t).0);
        let mut parts: Vec<(TermId, Box<[VarId]>)> = Vec::new();
        for t in conditions.iter().flat_map(|c| conjuncts(pool, *c)) {
            let is_true = pool.as_const(t) == Some(&Value::Bool(true));
            if !is_true && !parts.iter().any(|(known, _)| *known == t) {
                parts.push(with_reads(t));
            }
        }
        Question { parts, shown: shown.iter().map(|t| with_reads(*t)).collect() }
    }

    /// Whether the answer is no in every state, reachable or not: each variable may have any value of its sort.
    pub fn never(&self, path: &mut Path<'_>) -> bool {
        let terms: Vec<TermId> = self.parts.iter().map(|(t, _)| *t).collect();
        path.contradict(&terms)
    }

    /// Whether the answer is yes for some values in the state at the end of the path. If the path itself is `sure` to
    /// be possible, it is not solved again where nothing is open.
    pub fn ask(&self, path: &mut Path<'_>, sure: bool) -> Possible {
        let Some(open) = self.open(path) else { return Possible::No };
        if open.is_empty() && sure {
            return Possible::Yes;
        }
        match path.ask(&open) {
            Answer::Sat(_) => Possible::Yes,
            Answer::Unsat(_) => Possible::No,
            Answer::Unknown(why) => Possible::Unknown(why),
        }
    }

    /// What is left of the conditions in this state; nothing if one of them is false.
    fn open(&self, path: &mut Path<'_>) -> Option<Vec<TermId>> {
        let mut open = Vec::new();
        for (term, reads) in &self.parts {
            let term = path.instance(*term, reads);
            // What has no symbols is decided by its value.
            let known = match path.symbols_in(term).is_empty() {
                true => eval(&path.pool, &path.model.sorts, term, Env::default()).ok(),
                false => path.pool.as_const(term).cloned(),
            };
            match known.map(|value| value == Value::Bool(true)) {
                Some(true) => {}
                Some(false) => return None,
                None => open.push(term),
            }
        }
        Some(open)
    }

    /// The path with values for which the answer is yes, and the values of the terms that are wanted.
    pub fn witness(&self, path: &mut Path<'_>) -> Result<Witness, NoValues> {
        let open = self.open(path).ok_or(NoValues::Impossible)?;
        let shown: Vec<TermId> = self.shown.iter().map(|(t, reads)| path.instance(*t, reads)).collect();
        let (solved, values) = path.solve_also(&open, &shown)?;
        let state = path.replay(&solved);
        Ok(Witness { path: solved, state, values })
    }
}

/// What is left for the cases of a question.
struct Cases {
    left: usize,
    /// How many used up what they had.
    exhausted: usize,
    /// The whole question, with all its cases, has the time of one.
    limits: Limits,
}

impl Cases {
    /// For a question that begins now.
    fn new(limits: &Limits) -> Cases {
        let limits = Limits { resources: (limits.resources / PART as u64).max(1), ..limits.shared() };
        Cases { left: CASES, exhausted: 0, limits }
    }

    /// The limits of the next case, if there is one.
    fn next(&mut self) -> Option<Limits> {
        if self.limits.is_used_up() || self.exhausted >= PART {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        Some(self.limits.clone())
    }
}

impl Path<'_> {
    /// Whether conditions over the symbols of this path can be true at its end.
    pub(crate) fn ask(&mut self, conditions: &[TermId]) -> Answer {
        if self.is_opaque(conditions) {
            return Answer::Unknown(Reason::TooLarge);
        }
        self.sync();
        let limits = self.solvers.limits.clone();
        self.decide(false, conditions.to_vec(), &limits)
    }

    /// Asks the solver of the path, or the one beside it. Where it has no answer, cases are told apart: conditions that
    /// no step takes are disjunctions, which the cheap layers do not take apart by themselves.
    fn decide(&mut self, beside: bool, conditions: Vec<TermId>, limits: &Limits) -> Answer {
        let mut cases = Cases::new(limits);
        let answer = self.decide_whole(beside, &conditions, limits);
        self.decide_cases(beside, conditions, answer, &mut cases)
    }

    fn decide_whole(&mut self, beside: bool, conditions: &[TermId], limits: &Limits) -> Answer {
        let solver = if beside { &mut self.solvers.side } else { &mut self.solvers.main };
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        solver.push();
        conditions.iter().for_each(|c| solver.assert(terms, *c));
        let answer = solver.check(terms, limits, false);
        solver.pop();
        answer
    }

    /// Goes on where the answer to the whole was not known.
    fn decide_cases(&mut self, beside: bool, conditions: Vec<TermId>, answer: Answer, cases: &mut Cases) -> Answer {
        let open = matches!(
            answer,
            Answer::Unknown(Reason::Undecided(_) | Reason::NoSolver | Reason::BuiltInAlone | Reason::Resources)
        );
        if !open {
            return answer;
        }
        let Some((at, branches)) = conditions.iter().enumerate().find_map(|(i, c)| Some((i, self.branches(*c)?)))
        else {
            return answer;
        };
        let mut open = None;
        for branch in branches {
            let Some(limits) = cases.next() else { return answer };
            let mut parts = conditions.clone();
            parts.splice(at..=at, branch);
            let found = self.decide_whole(beside, &parts, &limits);
            cases.exhausted += usize::from(found == Answer::Unknown(Reason::Resources));
            match self.decide_cases(beside, parts, found, cases) {
                Answer::Sat(witness) => return Answer::Sat(witness),
                Answer::Unsat(_) => {}
                Answer::Unknown(why) => open = Some(why),
            }
        }
        open.map_or(Answer::Unsat(None), Answer::Unknown)
    }

    /// The cases of a disjunction, each with what it takes to get to it: parts are evaluated in order.
    fn branches(&mut self, condition: TermId) -> Option<Vec<Vec<TermId>>> {
        let sorts = &self.model.sorts;
        let (parts, negated) = match self.pool.get(condition) {
            Term::App(Op::Or, parts) => (parts.clone(), false),
            Term::App(Op::Not, inner) => match self.pool.get(inner[0]) {
                Term::App(Op::And, parts) => (parts.clone(), true),
                _ => return None,
            },
            _ => return None,
        };
        let mut before: Vec<TermId> = Vec::new();
        let mut branches = Vec::new();
        for part in parts {
            let opposite = self.pool.not(sorts, part);
            let (taken, passed) = if negated { (opposite, part) } else { (part, opposite) };
            let mut branch = before.clone();
            branch.extend(conjuncts(&self.pool, taken));
            branches.push(branch);
            before.extend(conjuncts(&self.pool, passed));
        }
        Some(branches)
    }

    /// Whether conditions over variables and symbols cannot be true together, whatever the variables are.
    pub(crate) fn contradict(&mut self, conditions: &[TermId]) -> bool {
        let model = self.model;
        let mut done = FxHashMap::default();
        let mut free = Vec::new();
        for &condition in conditions {
            let names = &mut self.names;
            let mut leaf = |pool: &mut TermPool, leaf: &Term| match leaf {
                // Any value of its sort is what a free variable has at the start.
                Term::Var(v, _) => Some(names.of_variable(pool, &model.sorts, 0, *v, model.variables[*v].sort)),
                _ => None,
            };
            let term = simplify::substitute(&mut self.pool, &model.sorts, condition, &mut done, &mut leaf);
            match self.pool.as_const(term) {
                Some(Value::Bool(true)) => {}
                Some(_) => return true,
                None => free.push(term),
            }
        }
        if free.is_empty() {
            return false;
        }
        let limits = Limits {
            resources: self.solvers.limits.resources.min(RESOURCES),
            wall: self.solvers.limits.wall.min(WALL),
            ..self.solvers.limits.clone()
        };
        matches!(self.decide(true, free, &limits), Answer::Unsat(_))
    }

    /// The path with values for which further conditions hold at its end, and the values that terms over symbols then
    /// have; nothing where one is undefined. The path must be recorded.
    pub(crate) fn solve_also(&mut self, also: &[TermId], shown: &[TermId]) -> Result<(Solved, Values), NoValues> {
        if self.is_opaque(also) {
            return Err(NoValues::Unknown(Reason::TooLarge));
        }
        self.sync();
        self.solvers.main.push();
        let found = self.solve_here(also, shown);
        self.solvers.main.pop();
        found
    }

    fn solve_here(&mut self, also: &[TermId], shown: &[TermId]) -> Result<(Solved, Values), NoValues> {
        let sorts = &self.model.sorts;
        let mut wanted = self.open_symbols();
        also.iter().chain(shown).for_each(|t| symbols_of(&self.pool, *t, &mut wanted));
        for condition in also {
            let terms = Terms { pool: &self.pool, sorts, symbols: &self.names.symbols };
            self.solvers.main.assert(terms, *condition);
        }
        let limits = self.solvers.limits.clone();
        let request = Request { symbols: &wanted, choice: Choice::Min, used: &[], guard: None, limits: &limits };
        let chosen = choose(&mut *self.solvers.main, &mut self.pool, sorts, &self.names.symbols, request)?;
        // With these values, the path has no choice any more.
        for (y, value) in wanted.iter().zip(&chosen.values) {
            let sort = sorts.base(self.names.symbols[*y].sort);
            let (symbol, value) = (self.pool.symbol(*y, sort), self.pool.constant(value.clone(), sort));
            let same = self.pool.eq(sorts, symbol, value);
            let terms = Terms { pool: &self.pool, sorts, symbols: &self.names.symbols };
            self.solvers.main.assert(terms, same);
        }
        let solved = self.solve_with(Choice::Min)?;
        let env = Env { symbols: &chosen.witness, ..Env::default() };
        let values = shown.iter().map(|t| eval(&self.pool, sorts, *t, env).ok()).collect();
        Ok((solved, values))
    }

    /// That not all of the conditions are true: one is false or undefined.
    pub(crate) fn not_all(&mut self, conditions: &[TermId]) -> TermId {
        let sorts = &self.model.sorts;
        let all = self.pool.and(sorts, conditions);
        logic::not_true(&mut self.pool, sorts, all)
    }

    /// That the conditions are false together, evaluated in their order: one is false, and none before it undefined.
    pub(crate) fn false_of(&mut self, conditions: &[TermId]) -> TermId {
        let sorts = &self.model.sorts;
        let all = self.pool.and(sorts, conditions);
        let not = self.pool.not(sorts, all);
        logic::total(&mut self.pool, sorts, not)
    }

    /// That a term has no value.
    pub(crate) fn undefined(&mut self, term: TermId) -> TermId {
        let sorts = &self.model.sorts;
        let defined = logic::defined(&mut self.pool, sorts, term);
        self.pool.not(sorts, defined)
    }

    /// That two values are equal, or no farther apart than a tolerance.
    pub fn near(&mut self, a: TermId, b: TermId, tolerance: Option<TermId>) -> TermId {
        let sorts = &self.model.sorts;
        let Some(tolerance) = tolerance else { return self.pool.eq(sorts, a, b) };
        let sort = self.pool.sort(a);
        let mut parts = Vec::new();
        for (x, y) in [(a, b), (b, a)] {
            let distance = self.pool.app(Op::Sub, &[x, y], sort);
            parts.push(self.pool.app(Op::Le, &[distance, tolerance], sorts.bool));
        }
        self.pool.and(sorts, &parts)
    }
}
