//! One symbol after the other is eliminated: what conditions say about it becomes a table over the symbols that are
//! left.

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::eval::{Env, EvalError};
use sioco_model::semantics::choice::Unknown;
use sioco_model::semantics::narrow::Narrowing;
use sioco_model::semantics::program::Context;
use sioco_model::semantics::shape::Shape;
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{Id, SymbolId, TermId, Value};

use super::component::{Component, Part, Scope, symbols_of};
use crate::query::Terms;
use crate::quick::{self, Quantifiers};

/// Symbols with more values are not listed: a table of two of them would have a quarter of a million rows.
pub(super) const MOST_VALUES: u64 = 512;

/// At most this many values are tried of a symbol that has too many to try all: that none of them will do is no answer.
const SAMPLES: usize = 16;
/// And with at most this much work, as much as a whole [component](crate::chain) may take.
const SAMPLED_WORK: u64 = 2_000;

/// Components with more symbols are left alone: their conditions alone take long to walk.
const MOST_SYMBOLS: usize = 256;

/// A quantifier inside of a condition may have at most this many combinations of values to be tried: with more, one
/// evaluation would use up the work of a component.
const COMBINATIONS: u64 = 1 << 12;

/// This many terms that narrowing looks at are as much work as evaluating a condition.
const TERMS: u64 = 8;
/// And so are this many rows of tables.
const ROWS: u64 = 8;

/// One in this many parts of the work may go into narrowing: it makes the rest smaller, but decides nothing.
const NARROWING: u64 = 2;
/// One in this many where reals are among the symbols, whose values can hardly ever be listed.
const REALS: u64 = 32;

/// A variable of the problem: a symbol, or a term whose values are asked for.
pub(super) type Var = usize;

/// What ties variables to each other.
struct Relation {
    /// Its variables, in order, and what one step of each is worth in the number of a row.
    scope: Vec<(Var, u64)>,
    says: Says,
    /// How much work it is to look at a row.
    cost: u64,
}

enum Says {
    /// The condition is true; rows that were looked at are remembered.
    Condition(TermId, FxHashMap<u64, bool>),
    /// The term has the value of the variable; it is remembered, by the row without the variable.
    Value(TermId, Var, FxHashMap<u64, Option<u32>>),
    /// The row is one of these.
    Table(FxHashSet<u64>),
}

/// Somebody ran out of work.
pub(super) struct Spent;

/// A component with the values of its symbols.
pub(super) struct Problem<'a> {
    pub(super) terms: Terms<'a>,
    /// Room for the values of all symbols.
    values: &'a mut Vec<Value>,
    /// The symbol of each variable; none for terms whose values are asked for.
    symbols: Vec<Option<SymbolId>>,
    pub(super) lists: Vec<Vec<Value>>,
    relations: Vec<Relation>,
    /// For each variable, the relations that tie it to others and still count.
    uses: Vec<Vec<usize>>,
    /// Where each variable stands in the row that is looked at.
    at: Vec<u32>,
    /// No values fulfil the conditions.
    contradiction: bool,
    /// A condition was not decided for some values, and taken to be true there.
    doubt: bool,
    /// Some symbols have more values than those that are listed: that none of these will do says nothing.
    sampled: bool,
    /// The values of some symbols stand for others.
    represented: bool,
    quantifiers: Quantifiers,
    work: u64,
    limit: u64,
}

/// Variables in the order in which they were eliminated, each with the tables that it was in.
type Eliminated = Vec<(Var, Vec<usize>)>;

impl<'a> Problem<'a> {
    /// Nothing if the values of some symbol cannot be listed.
    pub fn new(
        terms: Terms<'a>,
        values: &'a mut Vec<Value>,
        scopes: &FxHashMap<TermId, Scope>,
        component: &Component,
        limit: u64,
    ) -> Option<Problem<'a>> {
        if component.symbols.len() > MOST_SYMBOLS {
            return None;
        }
        let mut problem = Problem {
            terms,
            values,
            symbols: component.symbols.iter().copied().map(Some).collect(),
            lists: vec![Vec::new(); component.symbols.len()],
            relations: Vec::new(),
            uses: vec![Vec::new(); component.symbols.len()],
            at: vec![0; component.symbols.len()],
            contradiction: false,
            doubt: false,
            sampled: false,
            represented: false,
            quantifiers: Quantifiers::default(),
            work: 0,
            limit,
        };
        let parts: Vec<&Part> = component.conditions.iter().flat_map(|c| scopes[c].parts.iter()).collect();
        let conditions: Vec<TermId> = parts.iter().map(|p| p.term).collect();
        problem.list(&component.symbols, &conditions)?;
        if problem.contradiction {
            return Some(problem);
        }
        let mut seen = FxHashSet::default();
        for Part { term: condition, symbols, cost } in parts {
            if !seen.insert(*condition) {
                continue;
            }
            let vars: Vec<Var> =
                symbols.iter().map(|y| component.symbols.binary_search(y).expect("one of the component")).collect();
            let says = match problem.definition(*condition, &vars) {
                Some((term, var)) => Says::Value(term, var, FxHashMap::default()),
                None => Says::Condition(*condition, FxHashMap::default()),
            };
            problem.relate(vars, says, *cost)?;
        }
        Some(problem)
    }

    /// Lists the values that the conditions leave for each symbol.
    fn list(&mut self, symbols: &[SymbolId], conditions: &[TermId]) -> Option<()> {
        let Terms { pool, sorts, .. } = self.terms;
        let mut shapes: Vec<Shape> = symbols.iter().map(|y| Shape::of(sorts, self.terms.symbols[*y].sort)).collect();
        if shapes.iter().any(Shape::is_nothing) {
            return None;
        }
        let unknowns = symbols.iter().map(|y| Unknown::Symbol(*y)).collect();
        let context = Context { terms: pool, sorts };
        let dense = symbols.iter().any(|y| matches!(sorts.get(self.terms.symbols[*y].sort), Sort::Real { .. }));
        let share = if dense { REALS } else { NARROWING };
        let mut narrowing = Narrowing::new(context, Env::default(), unknowns, self.limit * TERMS / share);
        self.contradiction = !narrowing.narrow(&mut shapes, conditions);
        self.spend(narrowing.work / TERMS).ok()?;
        if self.contradiction {
            return Some(());
        }
        let mut open = Vec::new();
        for (i, shape) in shapes.iter().enumerate() {
            match shape.list(MOST_VALUES) {
                Some(list) => self.lists[i] = list,
                None => open.push(i),
            }
        }
        // What is defined by others has their values.
        while !open.is_empty() && !self.contradiction {
            let before = open.len();
            for i in std::mem::take(&mut open) {
                let defined = conditions.iter().find_map(|c| self.values_of_definition(*c, i, symbols, &shapes[i]));
                match defined {
                    Some(list) => self.lists[i] = list,
                    None => open.push(i),
                }
                if self.work >= self.limit {
                    return None;
                }
            }
            if open.len() == before {
                if self.represent(symbols, &open, conditions).is_some() {
                    self.represented = true;
                    break;
                }
                // One of them is tried with some of its values; others may be defined by it. Numbers are the business of
                // the built-in solver.
                let i = open.remove(0);
                if sorts.is_numeric(self.terms.symbols[symbols[i]].sort) {
                    return None;
                }
                self.limit = self.limit.min(self.work + SAMPLED_WORK);
                let unknowns = symbols.iter().map(|y| Unknown::Symbol(*y)).collect();
                let mut narrowing = Narrowing::new(context, Env::default(), unknowns, self.limit * TERMS);
                let spoken_of = narrowing.spoken_of(&shapes, conditions);
                self.spend(narrowing.work / TERMS).ok()?;
                self.lists[i] = shapes[i].some(&spoken_of, SAMPLES);
                self.sampled = true;
                if self.lists[i].is_empty() {
                    return None;
                }
            }
        }
        Some(())
    }

    /// The values of a variable that a condition defines by a term over variables with values.
    fn values_of_definition(
        &mut self,
        condition: TermId,
        var: Var,
        symbols: &[SymbolId],
        shape: &Shape,
    ) -> Option<Vec<Value>> {
        let Term::App(Op::Eq, sides) = self.terms.pool.get(condition) else { return None };
        let own = |t: TermId| matches!(self.terms.pool.get(t), Term::Symbol(y, _) if *y == symbols[var]);
        let term = match (own(sides[0]), own(sides[1])) {
            (true, false) => sides[1],
            (false, true) => sides[0],
            _ => return None,
        };
        let vars: Vec<Var> = symbols_of(self.terms, term)
            .iter()
            .map(|y| symbols.binary_search(y).expect("one of the component"))
            .collect();
        if vars.contains(&var) || vars.iter().any(|v| self.lists[*v].is_empty()) {
            return None;
        }
        let mut list = self.values_of(term, &vars)?;
        list.retain(|v| shape.contains(v));
        // Nothing at all would look as if it was not known.
        if list.is_empty() {
            self.contradiction = true;
        }
        Some(list)
    }

    /// All values of a term; nothing if there are too many, or if it cannot be evaluated.
    pub(super) fn values_of(&mut self, term: TermId, vars: &[Var]) -> Option<Vec<Value>> {
        let total = vars.iter().try_fold(1u64, |n, v| n.checked_mul(self.lists[*v].len() as u64))?;
        if total > self.limit - self.work.min(self.limit) {
            return None;
        }
        let mut found = FxHashSet::default();
        let mut row = vec![0u32; vars.len()];
        for _ in 0..total {
            vars.iter().zip(&row).for_each(|(v, i)| self.at[*v] = *i);
            self.put(vars.iter().copied());
            self.spend(1).ok()?;
            match quick::value(self.terms.pool, self.terms.sorts, term, self.values) {
                Ok(value) => {
                    found.insert(value);
                }
                Err(EvalError::NeedsSolver(_) | EvalError::TooLarge) => return None,
                Err(_) => {}
            }
            if found.len() as u64 > MOST_VALUES {
                return None;
            }
            for (i, v) in row.iter_mut().zip(vars) {
                *i += 1;
                if (*i as usize) < self.lists[*v].len() {
                    break;
                }
                *i = 0;
            }
        }
        let mut found: Vec<Value> = found.into_iter().collect();
        found.sort_unstable();
        Some(found)
    }

    /// The term that a condition says a variable has the value of.
    fn definition(&self, condition: TermId, vars: &[Var]) -> Option<(TermId, Var)> {
        let Term::App(Op::Eq, sides) = self.terms.pool.get(condition) else { return None };
        for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            if let Term::Symbol(y, _) = self.terms.pool.get(side)
                && let Some(var) = vars.iter().copied().find(|v| self.symbols[*v] == Some(*y))
                && !symbols_of(self.terms, other).contains(y)
            {
                return Some((other, var));
            }
        }
        None
    }

    /// Adds a relation; nothing if it has too many rows to number them.
    fn relate(&mut self, vars: Vec<Var>, says: Says, cost: u64) -> Option<()> {
        let mut step = 1u64;
        let mut scope = Vec::with_capacity(vars.len());
        for v in vars {
            scope.push((v, step));
            step = step.checked_mul(self.lists[v].len() as u64)?;
        }
        self.add(Relation { scope, says, cost });
        Some(())
    }

    fn add(&mut self, relation: Relation) {
        for (v, _) in &relation.scope {
            self.uses[*v].push(self.relations.len());
        }
        self.relations.push(relation);
    }

    pub(super) fn spend(&mut self, work: u64) -> Result<(), Spent> {
        self.work += work;
        if self.work > self.limit { Err(Spent) } else { Ok(()) }
    }

    /// Puts the values of the row that is looked at in place.
    fn put(&mut self, vars: impl Iterator<Item = Var>) {
        for v in vars {
            if let Some(y) = self.symbols[v] {
                self.values[y.index()] = self.lists[v][self.at[v] as usize].clone();
            }
        }
    }

    /// Whether a relation allows the row that is looked at.
    fn allows(&mut self, relation: usize) -> Result<bool, Spent> {
        let Relation { scope, says, cost } = &self.relations[relation];
        let cost = *cost;
        let number: u64 = scope.iter().map(|(v, step)| u64::from(self.at[*v]) * step).sum();
        let (key, known) = match says {
            Says::Table(rows) => return Ok(rows.contains(&number)),
            Says::Condition(_, known) => (number, known.get(&number).copied()),
            Says::Value(_, var, known) => {
                let step = scope.iter().find(|(v, _)| v == var).map_or(0, |(_, step)| *step);
                let key = number - u64::from(self.at[*var]) * step;
                (key, known.get(&key).map(|value| *value == Some(self.at[*var])))
            }
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let vars: Vec<Var> = scope.iter().map(|(v, _)| *v).collect();
        self.put(vars.into_iter());
        let Terms { pool, sorts, .. } = self.terms;
        match &self.relations[relation].says {
            Says::Condition(condition, _) => {
                let memo = &mut self.quantifiers;
                let (truth, work) = quick::truth_remembering(pool, sorts, *condition, self.values, COMBINATIONS, memo);
                self.spend(work.max(cost))?;
                // What is not decided may be true.
                let open = matches!(truth, Err(EvalError::NeedsSolver(_) | EvalError::TooLarge));
                self.doubt |= open;
                let allowed = open || truth == Ok(true);
                if let Says::Condition(_, known) = &mut self.relations[relation].says {
                    known.insert(key, allowed);
                }
                Ok(allowed)
            }
            Says::Value(term, var, _) => {
                let var = *var;
                let value = quick::value(pool, sorts, *term, self.values);
                self.spend(cost)?;
                if matches!(value, Err(EvalError::NeedsSolver(_) | EvalError::TooLarge)) {
                    self.doubt = true;
                    return Ok(true);
                }
                let place = value.ok().and_then(|v| self.lists[var].iter().position(|own| *own == v));
                let place = place.map(|p| p as u32);
                if let Says::Value(_, _, known) = &mut self.relations[relation].says {
                    known.insert(key, place);
                }
                Ok(place == Some(self.at[var]))
            }
            Says::Table(_) => unreachable!("looked up above"),
        }
    }

    /// Calls `visit` for every row over the variables that all relations allow, until it says that it is enough.
    fn rows(&mut self, vars: &[Var], relations: &[usize], visit: &mut dyn FnMut(&[u32]) -> bool) -> Result<(), Spent> {
        // A relation is looked at as soon as all its variables have values.
        let mut ready: Vec<Vec<usize>> = vec![Vec::new(); vars.len()];
        for r in relations {
            let places = self.relations[*r].scope.iter().map(|(v, _)| vars.iter().position(|w| w == v).unwrap_or(0));
            match places.max() {
                Some(last) => ready[last].push(*r),
                // A relation without variables.
                None => {
                    if !self.allows(*r)? {
                        return Ok(());
                    }
                }
            }
        }
        if vars.is_empty() {
            visit(&[]);
            return Ok(());
        }
        let mut row = vec![0u32; vars.len()];
        let mut depth = 0;
        let mut count = 0u64;
        loop {
            if row[depth] as usize >= self.lists[vars[depth]].len() {
                row[depth] = 0;
                if depth == 0 {
                    return Ok(());
                }
                depth -= 1;
                row[depth] += 1;
                continue;
            }
            self.at[vars[depth]] = row[depth];
            count += 1;
            if count.is_multiple_of(ROWS) {
                self.spend(1)?;
            }
            let mut allowed = true;
            for r in &ready[depth] {
                if !self.allows(*r)? {
                    allowed = false;
                    break;
                }
            }
            if !allowed {
                row[depth] += 1;
            } else if depth + 1 < vars.len() {
                depth += 1;
            } else {
                if !visit(&row) {
                    return Ok(());
                }
                row[depth] += 1;
            }
        }
    }

    /// The variables that relations tie to one, without it.
    fn neighbours(&self, var: Var) -> Vec<Var> {
        let tied = self.uses[var].iter().flat_map(|r| self.relations[*r].scope.iter().map(|(v, _)| *v));
        let mut tied: Vec<Var> = tied.filter(|v| *v != var).collect();
        tied.sort_unstable();
        tied.dedup();
        tied
    }

    /// How many rows a table over these variables may have.
    fn size(&self, vars: &[Var]) -> f64 {
        vars.iter().map(|v| self.lists[*v].len() as f64).product()
    }

    /// Eliminates the variables, those first that make the smallest tables; `false` if there are no values. The buckets
    /// are kept: with them the values can be found backwards.
    fn eliminate(&mut self, mut open: Vec<Var>) -> Result<Option<Eliminated>, Spent> {
        let mut done = Vec::new();
        while !open.is_empty() {
            let cost = |v: &Var| self.size(&self.neighbours(*v)) * self.lists[*v].len() as f64;
            let costs: Vec<f64> = open.iter().map(cost).collect();
            let best = (0..open.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).expect("some are left");
            let var = open.remove(best);
            let left = self.neighbours(var);
            let with = std::mem::take(&mut self.uses[var]);
            self.spend(open.len() as u64 / ROWS)?;
            // Each row once, however many values of the variable it goes with: the variable comes last.
            let mut vars = left.clone();
            vars.push(var);
            let mut rows: FxHashSet<u64> = FxHashSet::default();
            let mut steps = Vec::with_capacity(left.len());
            let mut step = 1u64;
            for v in &left {
                steps.push(step);
                step = step.checked_mul(self.lists[*v].len() as u64).ok_or(Spent)?;
            }
            self.rows(&vars, &with, &mut |row| {
                rows.insert(row.iter().zip(&steps).map(|(i, step)| u64::from(*i) * step).sum());
                true
            })?;
            if rows.is_empty() {
                return Ok(None);
            }
            for v in &left {
                self.uses[*v].retain(|r| !with.contains(r));
            }
            if !left.is_empty() {
                self.add(Relation { scope: left.into_iter().zip(steps).collect(), says: Says::Table(rows), cost: 0 });
            }
            done.push((var, with));
        }
        Ok(Some(done))
    }

    /// Values of the symbols for which all conditions are true, or none; nothing if that was not found out.
    pub fn solve(self) -> Option<Option<Vec<(SymbolId, Value)>>> {
        let sampled = self.sampled;
        self.solve_listed().filter(|found| found.is_some() || !sampled)
    }

    /// The same for the values that are listed.
    fn solve_listed(mut self) -> Option<Option<Vec<(SymbolId, Value)>>> {
        if self.contradiction {
            return Some(None);
        }
        // A condition without symbols.
        for r in 0..self.relations.len() {
            if self.relations[r].scope.is_empty() && !self.allows(r).ok()? {
                return Some(None);
            }
        }
        let all = (0..self.lists.len()).collect();
        let Some(buckets) = self.eliminate(all).ok()? else { return Some(None) };
        // Backwards, each variable has a value for the values that those after it have.
        for (var, with) in buckets.into_iter().rev() {
            let mut found = false;
            for i in 0..self.lists[var].len() {
                self.at[var] = i as u32;
                found = true;
                for r in &with {
                    if !self.allows(*r).ok()? {
                        found = false;
                        break;
                    }
                }
                if found {
                    break;
                }
            }
            if !found {
                return None;
            }
        }
        if self.doubt {
            return None;
        }
        let value = |v: Var| Some((self.symbols[v]?, self.lists[v][self.at[v] as usize].clone()));
        Some(Some((0..self.lists.len()).filter_map(value).collect()))
    }

    /// All values that the terms can have together, in order; nothing if there are more than so many, or if that was not
    /// found out.
    pub fn valuations(mut self, of: &[TermId], most: usize) -> Option<Vec<Vec<Value>>> {
        if self.sampled || self.represented {
            return None;
        }
        if self.contradiction {
            return Some(Vec::new());
        }
        let mut wanted = Vec::new();
        for term in of {
            wanted.push(self.variable(*term)?);
        }
        let mut kept = wanted.clone();
        kept.sort_unstable();
        kept.dedup();
        let others = (0..self.lists.len()).filter(|v| !kept.contains(v)).collect();
        if self.eliminate(others).ok()?.is_none() {
            return Some(Vec::new());
        }
        let mut live: Vec<usize> = kept.iter().flat_map(|v| self.uses[*v].iter().copied()).collect();
        live.sort_unstable();
        live.dedup();
        let mut found: Vec<Vec<u32>> = Vec::new();
        self.rows(&kept, &live, &mut |row| {
            found.push(row.to_vec());
            found.len() <= most
        })
        .ok()?;
        if found.len() > most || self.doubt {
            return None;
        }
        let place = |v: &Var| kept.binary_search(v).expect("it was kept");
        let mut all: Vec<Vec<Value>> = found
            .iter()
            .map(|row| wanted.iter().map(|v| self.lists[*v][row[place(v)] as usize].clone()).collect())
            .collect();
        all.sort_unstable();
        Some(all)
    }

    /// The variable that stands for a term.
    fn variable(&mut self, term: TermId) -> Option<Var> {
        if let Term::Symbol(y, _) = self.terms.pool.get(term)
            && let Some(var) = self.symbols.iter().position(|s| *s == Some(*y))
        {
            return Some(var);
        }
        let vars: Vec<Var> = symbols_of(self.terms, term)
            .iter()
            .map(|y| self.symbols.iter().position(|s| *s == Some(*y)))
            .collect::<Option<_>>()?;
        let list = self.values_of(term, &vars)?;
        let var = self.lists.len();
        self.lists.push(list);
        self.symbols.push(None);
        self.uses.push(Vec::new());
        self.at.push(0);
        let mut scope = vars;
        scope.push(var);
        self.relate(scope, Says::Value(term, var, FxHashMap::default()), 1)?;
        Some(var)
    }
}
