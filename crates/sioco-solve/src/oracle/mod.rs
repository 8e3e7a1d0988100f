//! A solver that answers questions about concrete states: the variables have values, the parameters are open.

mod asker;
mod step;

use std::time::Duration;

use rustc_hash::FxHashMap;
use sioco_model::semantics::choice::Unknown;
use sioco_model::semantics::{Oracle, Question, Unanswered};
use sioco_model::simplify;
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, IdVec, SortId, SymbolId, TermId, Value};

use self::asker::Asker;
pub use self::step::StepQuestion;
use crate::back_end::BackEnd;
use crate::cancellation::Cancellation;
use crate::logic;
use crate::query::{Answer, Limits, Reason, Solver, Symbol, Symbols, Terms, Witness};
use crate::values::{self, Choice, Chosen, NoValues, Request};

/// More values than this are not listed one by one: each takes a question.
const MANY: usize = 64;
/// A contradiction of at most this many conjuncts is made smaller, by leaving out one after the other. Each takes a
/// question, and a person reads what is left; a longer one is shown as it is. Measured: half and twice as many give the
/// same plan for SMTP.
const MINIMISED: usize = 16;
/// At most this many terms may be made before everything is forgotten: a long walk has ever new values. With fewer,
/// answers are forgotten that are soon asked for again.
const MANY_TERMS: usize = 1 << 16;

/// Answers by a chain of solvers. The same questions in the same order get the same answers.
pub struct StateOracle {
    /// The terms of the model, and behind them those of the questions.
    pool: TermPool,
    of_model: TermPool,
    sorts: Sorts,
    symbols: Symbols,
    by_place: FxHashMap<(usize, SortId), SymbolId>,
    asker: Asker,
    known: FxHashMap<Key, Option<Vec<Value>>>,
    listed: FxHashMap<Key, Result<Vec<Vec<Value>>, Unanswered>>,
    /// What stayed open, why, and whether it would stay so if it was asked again.
    open: FxHashMap<Key, (Unanswered, bool)>,
    /// How often it was refilled.
    generation: u64,
}

/// What a question is known by: its condition, with values and symbols put in, and the symbols.
type Key = (TermId, Vec<SymbolId>);

/// A question in the solver's terms.
struct Prepared {
    conjuncts: Vec<TermId>,
    whole: TermId,
    symbols: Vec<SymbolId>,
}

impl Prepared {
    fn key(&self) -> Key {
        (self.whole, self.symbols.clone())
    }
}

/// What is wanted to know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Verdict,
    Witness,
    Core,
}

/// The value nearest to zero, the shortest text: what is easiest to read.
const PLAINEST: Choice = Choice::Boundary;

impl StateOracle {
    /// An oracle for the states of a model with these terms and sorts.
    pub fn new(terms: &TermPool, sorts: &Sorts, back_end: BackEnd) -> Self {
        StateOracle {
            pool: terms.clone(),
            of_model: terms.clone(),
            sorts: sorts.clone(),
            symbols: IdVec::new(),
            by_place: FxHashMap::default(),
            asker: Asker::new(back_end),
            known: FxHashMap::default(),
            listed: FxHashMap::default(),
            open: FxHashMap::default(),
            generation: 0,
        }
    }

    /// The same, and all its questions end with this cancellation.
    pub fn on(mut self, cancellation: &Cancellation) -> Self {
        self.asker.end_with(cancellation);
        self
    }

    /// Allows as much work as at the beginning. To be called when a person or a program asks for something new, so
    /// that no single request takes too long.
    pub fn refill(&mut self) {
        self.asker.refill();
        self.generation += 1;
        self.open.retain(|_, (_, lasting)| *lasting);
        if self.pool.len() > MANY_TERMS + self.of_model.len() {
            self.pool = self.of_model.clone();
            self.symbols = IdVec::new();
            self.by_place.clear();
            self.known.clear();
            self.listed.clear();
            self.open.clear();
            self.asker.restart();
        }
    }

    /// Values of the unknowns for which the condition is true, chosen in a certain way; nothing if there are none.
    pub fn choose(&mut self, question: &Question<'_>, choice: Choice) -> Result<Option<Vec<Value>>, Unanswered> {
        let prepared = self.prepare(question)?;
        let guard = (choice == Choice::Boundary).then_some((prepared.whole, 0));
        Ok(self.chosen(&prepared, choice, guard, question.vars)?.map(|chosen| chosen.values))
    }

    /// Where a border is chosen, that of the guard, for this turn.
    fn chosen(
        &mut self,
        prepared: &Prepared,
        choice: Choice,
        guard: Option<(TermId, u64)>,
        used: &[Value],
    ) -> Result<Option<Chosen>, Unanswered> {
        let key = prepared.key();
        if let Some((why, _)) = self.open.get(&key) {
            return Err(why.clone());
        }
        self.asker.push();
        let terms = Terms { pool: &self.pool, sorts: &self.sorts, symbols: &self.symbols };
        prepared.conjuncts.iter().for_each(|c| self.asker.assert(terms, *c));
        let limits = Limits { resources: 3_000_000, wall: Duration::from_secs(2), ..Limits::default() };
        let (guard, turn) = guard.map_or((None, 0), |(guard, turn)| (Some(guard), turn));
        let request = Request { symbols: &prepared.symbols, choice, used, guard, limits: &limits };
        let StateOracle { pool, sorts, symbols, asker, .. } = self;
        let chosen = values::choose_in_turn(asker, pool, sorts, symbols, request, turn);
        self.asker.pop();
        match chosen {
            Ok(chosen) => Ok(Some(chosen)),
            Err(NoValues::Impossible) => Ok(None),
            Err(NoValues::Unknown(why)) => Err(self.unknown(key, &why)),
        }
    }

    /// Values of the symbols for which the conjuncts are true, the plainest ones.
    fn witness_of(&mut self, prepared: Prepared) -> Result<Option<Vec<Value>>, Unanswered> {
        let key = prepared.key();
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = match prepared.symbols.is_empty() {
            // Nothing to choose, only whether.
            true => self.ask(&prepared, &prepared.conjuncts, Wanted::Verdict)?.map(|_| Vec::new()),
            false => self.chosen(&prepared, PLAINEST, None, &[])?.map(|chosen| chosen.values),
        };
        self.known.insert(key, found.clone());
        Ok(found)
    }

    /// Why an answer is not known; it is remembered.
    fn unknown(&mut self, key: Key, why: &Reason) -> Unanswered {
        let why = Unanswered::Undecided(why.to_string());
        self.open.insert(key, (why.clone(), self.asker.was_patient()));
        why
    }

    /// Values of all symbols for which conjuncts of the question are true together, none if only the verdict is
    /// wanted; nothing if they cannot be.
    fn ask(
        &mut self,
        prepared: &Prepared,
        conjuncts: &[TermId],
        wanted: Wanted,
    ) -> Result<Option<Witness>, Unanswered> {
        match self.answer(prepared, conjuncts, wanted)? {
            Ok(witness) => Ok(Some(witness)),
            Err(_) => Ok(None),
        }
    }

    /// The same; if they cannot be true together, which of them clash.
    fn answer(
        &mut self,
        prepared: &Prepared,
        conjuncts: &[TermId],
        wanted: Wanted,
    ) -> Result<Result<Witness, Vec<TermId>>, Unanswered> {
        if let Some((why, _)) = self.open.get(&prepared.key()) {
            return Err(why.clone());
        }
        let limits = Limits { wall: Duration::from_secs(3), ..Limits::default() };
        self.asker.push();
        let terms = Terms { pool: &self.pool, sorts: &self.sorts, symbols: &self.symbols };
        conjuncts.iter().for_each(|c| self.asker.assert(terms, *c));
        let answer = match wanted {
            Wanted::Core => self.asker.core(terms, &limits),
            _ => self.asker.check(terms, &limits, wanted == Wanted::Witness),
        };
        self.asker.pop();
        match answer {
            Answer::Sat(None) if wanted == Wanted::Witness => Err(Unanswered::NoValues),
            Answer::Sat(witness) => Ok(Ok(witness.unwrap_or_default())),
            Answer::Unsat(core) => Ok(Err(core.unwrap_or_else(|| conjuncts.to_vec()))),
            Answer::Unknown(why) => Err(self.unknown(prepared.key(), &why)),
        }
    }

    /// Puts the values into the condition, and symbols for the unknowns.
    fn prepare(&mut self, question: &Question<'_>) -> Result<Prepared, Unanswered> {
        let symbols: Vec<SymbolId> =
            question.unknowns.iter().enumerate().map(|(i, (_, sort))| self.symbol(i, *sort)).collect();
        let mut conjuncts = Vec::new();
        for conjunct in parts(&self.pool, question.condition) {
            conjuncts.push(self.put_in(question, &symbols, conjunct)?);
        }
        let whole = self.pool.and(&self.sorts, &conjuncts);
        Ok(Prepared { conjuncts, whole, symbols })
    }

    fn symbol(&mut self, place: usize, sort: SortId) -> SymbolId {
        let symbols = &mut self.symbols;
        *self.by_place.entry((place, sort)).or_insert_with(|| {
            let name = format!("p{place}");
            symbols.push(Symbol { name, sort })
        })
    }

    fn put_in(&mut self, question: &Question<'_>, symbols: &[SymbolId], term: TermId) -> Result<TermId, Unanswered> {
        let mut missing = false;
        let mut leaf = |pool: &mut TermPool, leaf: &Term| match leaf {
            Term::Var(v, sort) => match question.vars.get(v.index()) {
                Some(value) => Some(pool.constant(value.clone(), *sort)),
                None => {
                    missing = true;
                    None
                }
            },
            Term::Param(i, sort) => {
                let unknown = question.unknowns.iter().position(|(u, _)| *u == Unknown::Param(*i));
                let value = question.params.get(*i as usize);
                match (unknown.and_then(|n| symbols.get(n)), value) {
                    (Some(symbol), _) => Some(pool.symbol(*symbol, *sort)),
                    (None, Some(value)) => Some(pool.constant(value.clone(), *sort)),
                    (None, None) => {
                        missing = true;
                        None
                    }
                }
            }
            _ => None,
        };
        // With the values of the state, much can be computed: what is left is easier to decide.
        let term = simplify::substitute(&mut self.pool, &self.sorts, term, &mut FxHashMap::default(), &mut leaf);
        let term = simplify::simplify(&mut self.pool, &self.sorts, term, &mut FxHashMap::default());
        if missing { Err(Unanswered::Unbound) } else { Ok(term) }
    }
}

impl Oracle for StateOracle {
    fn witness(&mut self, question: &Question<'_>) -> Result<Option<Vec<Value>>, Unanswered> {
        let prepared = self.prepare(question)?;
        self.witness_of(prepared)
    }

    fn undefined(&mut self, question: &Question<'_>) -> Result<Option<Vec<Value>>, Unanswered> {
        let prepared = self.prepare(question)?;
        let defined = logic::defined(&mut self.pool, &self.sorts, prepared.whole);
        let undefined = self.pool.not(&self.sorts, defined);
        // A question of its own, with the same symbols.
        self.witness_of(Prepared { conjuncts: vec![undefined], whole: undefined, symbols: prepared.symbols })
    }

    fn all(&mut self, question: &Question<'_>) -> Result<Vec<Vec<Value>>, Unanswered> {
        let prepared = self.prepare(question)?;
        if prepared.symbols.is_empty() {
            return Ok(self.witness(question)?.into_iter().collect());
        }
        let key = prepared.key();
        if let Some(listed) = self.listed.get(&key) {
            return listed.clone();
        }
        let mut conjuncts = prepared.conjuncts.clone();
        let mut found: Vec<Vec<Value>> = Vec::new();
        while let Some(witness) = self.ask(&prepared, &conjuncts, Wanted::Witness)? {
            if found.len() == MANY {
                let many = Err(Unanswered::TooMany(MANY));
                self.listed.insert(key, many.clone());
                return many;
            }
            let values: Vec<Value> = prepared.symbols.iter().map(|y| witness[y.index()].clone()).collect();
            let mut same = Vec::new();
            for (y, value) in prepared.symbols.iter().zip(&values) {
                let sort = self.sorts.base(self.symbols[*y].sort);
                let (left, right) = (self.pool.symbol(*y, sort), self.pool.constant(value.clone(), sort));
                same.push(self.pool.eq(&self.sorts, left, right));
            }
            let same = self.pool.and(&self.sorts, &same);
            conjuncts.push(self.pool.not(&self.sorts, same));
            found.push(values);
        }
        found.sort();
        self.listed.insert(key, Ok(found.clone()));
        Ok(found)
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn clash(&mut self, question: &Question<'_>) -> Result<Vec<TermId>, Unanswered> {
        let prepared = self.prepare(question)?;
        let mut core = match self.answer(&prepared, &prepared.conjuncts, Wanted::Core)? {
            Ok(_) => return Ok(Vec::new()),
            Err(core) => core,
        };
        core.sort_unstable();
        core.dedup();
        // What is left out here is one thing less to read.
        let mut next = 0;
        while next < core.len() && core.len() > 1 && core.len() <= MINIMISED {
            let mut fewer = core.clone();
            fewer.remove(next);
            match self.ask(&prepared, &fewer, Wanted::Verdict) {
                Ok(None) => core = fewer,
                Ok(Some(_)) => next += 1,
                // They clash all the same; the question itself has been answered.
                Err(_) => {
                    self.open.remove(&prepared.key());
                    next += 1;
                }
            }
        }
        let originals = parts(&self.of_model, question.condition);
        let clashing = originals.iter().zip(&prepared.conjuncts).filter(|(_, c)| core.contains(c));
        let mut clashing: Vec<TermId> = clashing.map(|(original, _)| *original).collect();
        if clashing.is_empty() {
            clashing = originals;
        }
        Ok(clashing)
    }
}

/// The conjuncts of a condition, in order.
fn parts(pool: &TermPool, condition: TermId) -> Vec<TermId> {
    match pool.get(condition) {
        Term::App(Op::And, args) => args.to_vec(),
        _ => vec![condition],
    }
}
