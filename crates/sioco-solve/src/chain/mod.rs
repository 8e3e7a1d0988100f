//! The chain of cheap answers in front of a solver.
//!
//! Most questions of symbolic execution are easy in one of a few ways. Each way is a layer with its own switch and
//! counters; a question goes from the cheapest to the dearest until one of them answers:
//!
//! 1. *simplification*: the truth of the condition is plain to see, or its negation is on the stack;
//! 2. *the last witness*, which is often still right;
//! 3. *the built-in solver*;
//! 4. *few values*: all of them are tried;
//! 5. *independent groups*: only conditions that share symbols with the new one are asked about;
//! 6. *the cache* of answers that the back-end gave before;
//! 7. *the back-end*, if there is one.
//!
//! Every witness that leaves the chain is complete and was evaluated: the values of the built-in solver by
//! `quick`, which agrees with the reference evaluator, those of the back-end by the reference evaluator
//! itself. For quantifiers over more values than these try, the word of the back-end counts, which confirms them with
//! all values put in.

mod cache;
mod few;
mod groups;
mod memory;
mod mirror;
mod ration;
mod simplify;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::term::{Op, Term};
use sioco_model::{Id, TermId, Value};

pub use self::cache::{Cache, Remembered};
pub use self::groups::Groups;
use self::mirror::{Level, Mirror};
pub use self::simplify::{Seen, Simplifier};
use crate::builtin::{Builtin, Extent};
use crate::cancellation::Cancellation;
use crate::finite::{Finite, put};
use crate::query::{Answer, Limits, Reason, Solver, Terms, Witness};
use crate::quick;

/// How often a layer was asked, and what came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Questions that reached the layer.
    pub asked: u64,
    /// Answered with *sat*.
    pub sat: u64,
    /// Answered with *unsat*.
    pub unsat: u64,
    /// Passed on to the next layer.
    pub passed_on: u64,
}

impl Counters {
    fn count(&mut self, answer: Option<&Answer>) {
        self.asked += 1;
        match answer {
            Some(Answer::Sat(_)) => self.sat += 1,
            Some(Answer::Unsat(_)) => self.unsat += 1,
            Some(Answer::Unknown(_)) | None => self.passed_on += 1,
        }
    }
}

/// Counters of all layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChainCounters {
    /// Simplification.
    pub simplification: Counters,
    /// The last witness.
    pub witness: Counters,
    /// The built-in solver.
    pub builtin: Counters,
    /// Trying few values.
    pub few: Counters,
    /// The cache.
    pub cache: Counters,
    /// The back-end.
    pub back_end: Counters,
    /// Questions of which only an independent group went on.
    pub grouped: u64,
    /// Questions that the back-end had no answer to when somebody gave up.
    pub unanswered: u64,
}

/// Which layers are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switches {
    /// Simplification.
    pub simplification: bool,
    /// The last witness.
    pub witness: bool,
    /// The built-in solver.
    pub builtin: bool,
    /// Trying few values.
    pub few: bool,
    /// Independent groups.
    pub groups: bool,
    /// The cache.
    pub cache: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches { simplification: true, witness: true, builtin: true, few: true, groups: true, cache: true }
    }
}

/// The built-in solver may do this much work before the back-end is asked: about what a back-end costs. Measured,
/// 20,000 nodes of Redis: with half of it, one step stays open that no solver decides; with twice as much nothing
/// changes, and the time stays the same within a tenth.
const BUILTIN_WORK: u64 = 1_500;

/// It may do this much before the back-end is opened: opening one costs as much as many questions. Measured: half and
/// twice as much give the same plans for SMTP and the speed monitor.
const BUILTIN_WORK_UNOPENED: u64 = 10_000;

/// The built-in solver may do this much where there is no back-end to ask: a tenth of a second. With less, more stays
/// open; with more, what it cannot decide at all takes longer.
const BUILTIN_WORK_ALONE: u64 = 50_000;

/// After this many breakdowns in a row the back-end is left alone: one that hangs costs seconds each time. One may be
/// by chance.
const BREAKDOWNS: u32 = 2;

/// What a level goes back to.
struct Saved {
    level: Level,
    witness: Option<Arc<Witness>>,
    covered: usize,
    contradiction: Option<Vec<TermId>>,
}

/// What is known of the back-end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reply {
    /// It has not been asked yet.
    Open,
    /// It is there and works.
    Some,
    /// There is none, or it does not work.
    None,
}

/// The back-end, behind all other layers.
struct Behind {
    reply: Reply,
    solver: Option<Mirror>,
    /// Why there is none, where there is none.
    without: Reason,
    /// How often in a row it has broken down.
    breakdowns: u32,
}

/// The chain.
pub struct Chain {
    switches: Switches,
    counters: ChainCounters,
    simplifier: Simplifier,
    builtin: Builtin,
    finite: Finite,
    groups: Groups,
    cache: Cache,
    behind: Behind,
    /// Work that the built-in solver may do.
    builtin_work: u64,
    /// What ends all its questions.
    cancellation: Option<Cancellation>,
    /// The work of built-in solvers that were asked without a past.
    afresh: u64,
    conjuncts: Vec<TermId>,
    /// How often each conjunct is on the stack.
    present: FxHashMap<TermId, u32>,
    /// The base level, and one per push.
    saved: Vec<Saved>,
    serial: u64,
    /// The last witness, and how many conjuncts it is known to satisfy.
    witness: Option<Arc<Witness>>,
    covered: usize,
    /// Conjuncts that clash, found without looking for values.
    contradiction: Option<Vec<TermId>>,
}

impl Chain {
    /// All layers, in front of the back-end; without one the built-in layers are all there is.
    pub fn new(back_end: Option<Box<dyn Solver>>) -> Self {
        Self::with(back_end, Switches::default())
    }

    /// Some of the layers.
    pub fn with(back_end: Option<Box<dyn Solver>>, switches: Switches) -> Self {
        let base = Saved { level: Level { serial: 0, start: 0 }, witness: None, covered: 0, contradiction: None };
        let behind = Behind {
            reply: if back_end.is_some() { Reply::Open } else { Reply::None },
            solver: back_end.map(Mirror::new),
            without: Reason::NoSolver,
            breakdowns: 0,
        };
        Chain {
            switches,
            counters: ChainCounters::default(),
            simplifier: Simplifier::default(),
            builtin: Builtin::new(),
            finite: Finite::default(),
            groups: Groups::default(),
            cache: Cache::default(),
            behind,
            builtin_work: BUILTIN_WORK,
            cancellation: None,
            afresh: 0,
            conjuncts: Vec::new(),
            present: FxHashMap::default(),
            saved: vec![base],
            serial: 0,
            witness: None,
            covered: 0,
            contradiction: None,
        }
    }

    /// The same, and all its questions end with this cancellation, besides their own limits.
    pub fn on(mut self, cancellation: Option<&Cancellation>) -> Self {
        self.cancellation = cancellation.cloned();
        self
    }

    /// The limits of a question.
    fn limits(&self, limits: &Limits) -> Limits {
        let cancellation = match &self.cancellation {
            Some(own) => own.and(&limits.cancellation),
            None => limits.cancellation.clone(),
        };
        Limits { cancellation, ..limits.clone() }
    }

    /// What the layers did so far.
    pub fn counters(&self) -> ChainCounters {
        self.counters
    }

    /// Asks the back-end nothing from here on; questions that would reach it are *unknown* for this reason.
    pub fn leave_back_end(&mut self, why: Reason) {
        self.behind.solver = None;
        self.behind.reply = Reply::None;
        self.behind.without = why;
    }

    /// Why the back-end is left alone, if it has broken down too often.
    pub fn given_up(&self) -> Option<&Reason> {
        (self.behind.solver.is_none() && matches!(self.behind.without, Reason::Broken { .. }))
            .then_some(&self.behind.without)
    }

    /// The bounds that the built-in solver knows for an `Int` symbol (see [`Builtin::bounds`]).
    pub fn bounds(&mut self, symbol: sioco_model::SymbolId) -> (Option<i64>, Option<i64>) {
        if self.switches.builtin { self.builtin.bounds(symbol) } else { (None, None) }
    }

    /// The bounds that the built-in solver knows for a `Real` symbol (see [`Builtin::extent`]).
    pub fn extent(&mut self, terms: Terms<'_>, symbol: sioco_model::SymbolId) -> Option<Extent> {
        if self.switches.builtin { self.builtin.extent(terms, symbol) } else { None }
    }

    /// For each symbol whether a conjunct speaks of it.
    pub fn mentioned(&mut self, terms: Terms<'_>) -> Vec<bool> {
        let mut found = vec![false; terms.symbols.len()];
        for c in &self.conjuncts {
            for y in self.groups.symbols(terms, *c).iter() {
                found[y.index()] = true;
            }
        }
        found
    }

    /// Whether these values satisfy all conjuncts, by evaluating them; they are the last witness then.
    pub fn offer(&mut self, terms: Terms<'_>, witness: &[Value]) -> bool {
        let satisfied = self.conjuncts.iter().all(|c| quick::truth(terms.pool, terms.sorts, *c, witness) == Ok(true));
        if satisfied {
            self.keep(witness);
        }
        satisfied
    }

    /// The last witness on the new conjuncts. Symbols that are new since then have some value of their sort.
    fn last_witness(&mut self, terms: Terms<'_>, want_witness: bool) -> Option<Answer> {
        let witness = self.witness.as_mut()?;
        for symbol in &terms.symbols.as_slice()[witness.len()..] {
            Arc::make_mut(witness).push(terms.sorts.default_value(symbol.sort));
        }
        while self.covered < self.conjuncts.len() {
            if quick::truth(terms.pool, terms.sorts, self.conjuncts[self.covered], witness) != Ok(true) {
                return None;
            }
            self.covered += 1;
        }
        Some(Answer::Sat(want_witness.then(|| Witness::clone(witness))))
    }

    fn ask_builtin(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        // Opening a back-end costs as much as many questions.
        let allowed = if self.behind.reply == Reply::Open {
            self.builtin_work.max(BUILTIN_WORK_UNOPENED)
        } else {
            self.builtin_work
        };
        let work = limits.resources.min(allowed);
        let limits = Limits { resources: work, ..limits.clone() };
        self.builtin.check(terms, &limits, want_witness)
    }

    /// The values that are known to satisfy the most conjuncts from the first on, and how many.
    fn known_values(&self) -> (Option<&[Value]>, usize) {
        let (values, confirmed) = self.builtin.confirmed();
        if self.switches.builtin && confirmed >= self.covered {
            (Some(values), confirmed)
        } else {
            (self.witness.as_deref().map(Vec::as_slice), self.covered)
        }
    }

    /// The cheap part: everything before groups, cache and back-end. Nothing if those have to be asked.
    fn ask_layers(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Option<Answer> {
        if limits.cancelled() {
            return Some(Answer::Unknown(Reason::Cancelled));
        }
        if self.switches.simplification {
            let answer = self.contradiction.clone().map(|core| Answer::Unsat(Some(core)));
            self.counters.simplification.count(answer.as_ref());
            if answer.is_some() {
                return answer;
            }
        }
        if self.switches.witness {
            let answer = self.last_witness(terms, want_witness);
            self.counters.witness.count(answer.as_ref());
            if answer.is_some() {
                return answer;
            }
        }
        if limits.is_late() {
            return Some(Answer::Unknown(Reason::Time));
        }
        if limits.is_spent() {
            return Some(Answer::Unknown(Reason::Spent));
        }
        if self.switches.builtin {
            let answer = self.ask_builtin(terms, limits, want_witness);
            self.counters.builtin.count(Some(&answer));
            match answer {
                Answer::Sat(witness) => {
                    self.note(witness.as_ref());
                    return Some(Answer::Sat(witness));
                }
                Answer::Unsat(core) => return Some(Answer::Unsat(core)),
                Answer::Unknown(why @ (Reason::Cancelled | Reason::Time)) => return Some(Answer::Unknown(why)),
                Answer::Unknown(_) => {}
            }
        }
        self.ask_few(terms, limits, want_witness)
    }

    /// Takes over the values that the built-in solver found. Without any, it has a newer witness of its own.
    fn note(&mut self, witness: Option<&Witness>) {
        match witness {
            Some(witness) => self.keep(witness),
            None => {
                self.witness = None;
                self.covered = 0;
            }
        }
    }

    /// The dear part: groups, cache, back-end. One that breaks down again and again is left alone.
    fn ask_back_end(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        let before = self.counters.back_end.asked;
        let answer = self.ask_group(terms, limits, want_witness);
        match &answer {
            _ if self.counters.back_end.asked == before => {}
            Answer::Unknown(why @ Reason::Broken { .. }) => {
                self.behind.breakdowns += 1;
                if self.behind.breakdowns >= BREAKDOWNS {
                    self.leave_back_end(why.clone());
                }
            }
            _ => self.behind.breakdowns = 0,
        }
        answer
    }

    fn ask_group(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        let (_, first_new) = self.known_values();
        let group = if self.switches.groups {
            self.groups.connected(terms, &self.conjuncts, first_new)
        } else {
            self.conjuncts.clone()
        };
        let partial = group.len() < self.conjuncts.len();
        self.counters.grouped += u64::from(partial);
        let key = Cache::key(&group);
        if self.switches.cache {
            let answer = match self.cache.get(&key) {
                Some(Remembered::Unsat) => Some(Answer::Unsat(Some(group.clone()))),
                Some(Remembered::Sat(values)) => {
                    let mut witness = self.base_values(terms);
                    for (y, v) in values {
                        witness[y.index()] = v.clone();
                    }
                    self.accept(terms, witness, want_witness)
                }
                _ => None,
            };
            self.counters.cache.count(answer.as_ref());
            if let Some(answer) = answer {
                return answer;
            }
        }
        let Some(back_end) = &mut self.behind.solver else { return Answer::Unknown(self.behind.without.clone()) };
        let wanted = !limits.cancelled();
        let answer = if partial {
            // Its word alone is not enough: a *sat* is believed when its values have been tried.
            back_end.check_only(terms, &group, limits, true)
        } else {
            let levels: Vec<Level> = self.saved.iter().map(|s| s.level).collect();
            back_end.check(terms, &self.conjuncts, &levels, limits, true)
        };
        self.counters.back_end.count(Some(&answer));
        self.counters.unanswered += u64::from(wanted && answer == Answer::Unknown(Reason::Cancelled));
        match &answer {
            // One that has worked before may work again.
            Answer::Unknown(why @ (Reason::NoSolver | Reason::Broken { .. })) if self.behind.reply == Reply::Open => {
                self.behind.reply = Reply::None;
                self.behind.without = why.clone();
            }
            Answer::Unknown(Reason::NoSolver | Reason::Broken { .. }) => {}
            _ => self.behind.reply = Reply::Some,
        }
        let name = back_end.name();
        match answer {
            Answer::Sat(witness) => {
                let broken = |what: &str| Answer::Unknown(Reason::Broken { solver: name.clone(), what: what.into() });
                let Some(given) = witness.filter(|w| w.len() == terms.symbols.len()) else {
                    return broken("it gave no complete witness");
                };
                let mut witness = if partial { self.base_values(terms) } else { given.clone() };
                let mut values = Vec::new();
                for c in &group {
                    for y in self.groups.symbols(terms, *c).iter() {
                        witness[y.index()] = given[y.index()].clone();
                        values.push((*y, given[y.index()].clone()));
                    }
                }
                match self.accept(terms, witness, want_witness) {
                    Some(answer) => {
                        values.sort_unstable();
                        values.dedup();
                        self.cache.put(key, Remembered::Sat(values));
                        answer
                    }
                    None => broken("its witness does not satisfy the conditions"),
                }
            }
            Answer::Unsat(core) => {
                self.cache.put(key, Remembered::Unsat);
                Answer::Unsat(core.or(Some(group)))
            }
            unknown => unknown,
        }
    }

    /// Values to start from: those that are known, or some of the sorts.
    fn base_values(&self, terms: Terms<'_>) -> Witness {
        let mut values = self.known_values().0.map(<[Value]>::to_vec).unwrap_or_default();
        for symbol in &terms.symbols.as_slice()[values.len()..] {
            values.push(terms.sorts.default_value(symbol.sort));
        }
        values
    }

    /// Takes a witness that satisfies all conjuncts, as far as they can be evaluated. For the others, which quantify over
    /// too many values, the word of the back-end counts: it has confirmed the group with these values, and the rest has
    /// the values that it was confirmed with before.
    fn accept(&mut self, terms: Terms<'_>, witness: Witness, want_witness: bool) -> Option<Answer> {
        terms.unsettled(&witness, &self.conjuncts)?;
        self.builtin.adopt(terms, &witness);
        self.keep(&witness);
        Some(Answer::Sat(want_witness.then_some(witness)))
    }

    /// Remembers a witness of all conjuncts, if witnesses are used.
    fn keep(&mut self, witness: &[Value]) {
        if self.switches.witness {
            self.covered = self.conjuncts.len();
            self.witness = Some(Arc::new(witness.to_vec()));
        }
    }
}

impl Solver for Chain {
    fn counters(&self) -> Option<ChainCounters> {
        Some(self.counters)
    }

    fn name(&self) -> String {
        match &self.behind.solver {
            Some(back_end) => format!("built-in, then {}", back_end.name()),
            None => "built-in".into(),
        }
    }

    fn push(&mut self) {
        self.serial += 1;
        self.builtin.push();
        self.saved.push(Saved {
            level: Level { serial: self.serial, start: self.conjuncts.len() },
            witness: self.witness.clone(),
            covered: self.covered,
            contradiction: self.contradiction.clone(),
        });
    }

    fn pop(&mut self) {
        if self.saved.len() == 1 {
            return;
        }
        let Some(saved) = self.saved.pop() else { return };
        self.builtin.pop();
        for c in self.conjuncts.drain(saved.level.start..) {
            if let Some(n) = self.present.get_mut(&c) {
                *n -= 1;
                if *n == 0 {
                    self.present.remove(&c);
                }
            }
        }
        // A witness of the closed level is one of the level below it.
        if saved.covered < saved.level.start && self.covered >= saved.level.start {
            self.covered = saved.level.start;
        } else {
            self.witness = saved.witness;
            self.covered = saved.covered;
        }
        self.contradiction = saved.contradiction;
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        if self.switches.simplification {
            match self.simplifier.look(terms, conjunct) {
                // What is always true says nothing.
                Seen::True => return,
                Seen::False | Seen::NeverTrue => self.contradiction = Some(vec![conjunct]),
                Seen::Open => {
                    if let Term::App(Op::Not, args) = terms.pool.get(conjunct)
                        && self.present.contains_key(&args[0])
                    {
                        self.contradiction = Some(vec![args[0], conjunct]);
                    }
                }
            }
        }
        self.conjuncts.push(conjunct);
        *self.present.entry(conjunct).or_insert(0) += 1;
        // It follows along also where it is not asked.
        self.builtin.assert(terms, conjunct);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.rationed(limits, |chain, limits| chain.ask(terms, limits, want_witness))
    }

    fn check_afresh(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.rationed(limits, |chain, limits| chain.ask_afresh(terms, limits, want_witness))
    }

    /// The layers give their own; only where the back-end had to decide is it asked once more.
    fn core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        self.rationed(limits, |chain, limits| chain.ask_core(terms, limits))
    }
}

impl Chain {
    fn ask(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        if let Some(answer) = self.ask_layers(terms, limits, want_witness) {
            return answer;
        }
        let answer = self.ask_back_end(terms, limits, want_witness);
        if !matches!(answer, Answer::Unknown(Reason::NoSolver | Reason::BuiltInAlone | Reason::Broken { .. }))
            || !self.switches.builtin
        {
            return answer;
        }
        // Nobody else will answer, so the built-in solver may take its time.
        self.builtin_work = BUILTIN_WORK_ALONE;
        let second = self.ask_builtin(terms, limits, want_witness);
        self.builtin_work = BUILTIN_WORK;
        match second {
            Answer::Sat(witness) => {
                self.counters.builtin.sat += 1;
                self.counters.builtin.passed_on -= 1;
                self.note(witness.as_ref());
                Answer::Sat(witness)
            }
            Answer::Unsat(core) => {
                self.counters.builtin.unsat += 1;
                self.counters.builtin.passed_on -= 1;
                Answer::Unsat(core)
            }
            Answer::Unknown(_) => answer,
        }
    }

    /// An answer is a truth, whoever gives it and whatever was asked before; what depends on the past is whether there is
    /// one. A back-end decides nearly everything. Without one, the built-in solver may have luck with the values that it
    /// happens to remember, so it is asked without any where luck matters, and again where its work was not enough.
    fn ask_afresh(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        if !self.switches.builtin || self.contradiction.is_some() {
            return self.ask(terms, limits, want_witness);
        }
        // What is remembered does not count here, so that all of them take work.
        if limits.is_spent() {
            return Answer::Unknown(Reason::Spent);
        }
        let (rest, values) = match self.afresh_by_few(terms, limits, want_witness) {
            Ok(answer) => return answer,
            Err(rest) => rest,
        };
        let mut open = None;
        if self.behind.reply != Reply::None {
            if self.behind.reply == Reply::Some || self.builtin.is_exact() {
                let answer = self.ask_layers(terms, limits, want_witness);
                if let Some(answer) = answer {
                    return answer;
                }
            }
            let answer = self.ask_back_end(terms, limits, want_witness);
            if self.behind.reply != Reply::None && !is_open(&answer) {
                return answer;
            }
            open = Some(answer);
        } else if self.builtin.is_exact()
            && let Some(answer) = self.ask_layers(terms, limits, want_witness)
        {
            return answer;
        }
        let mut fresh = Builtin::new();
        // One conjunct after the other: values that satisfy the first ones are a good start for the next.
        let little = Limits { resources: limits.resources.min(BUILTIN_WORK), ..limits.clone() };
        for c in &rest {
            fresh.assert(terms, *c);
            fresh.check(terms, &little, false);
        }
        let limits = Limits { resources: limits.resources.min(BUILTIN_WORK_ALONE), ..limits.clone() };
        let answer = fresh.check(terms, &limits, want_witness);
        self.afresh += fresh.work();
        self.counters.builtin.count(Some(&answer));
        match answer {
            Answer::Sat(Some(mut witness)) => {
                put(&mut witness, &values);
                Answer::Sat(Some(witness))
            }
            Answer::Unknown(Reason::Cancelled | Reason::Time) => answer,
            // The reason of who knows more.
            Answer::Unknown(_) => open.unwrap_or_else(|| Answer::Unknown(self.behind.without.clone())),
            _ => answer,
        }
    }

    fn ask_core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        if let Some(answer) = self.ask_layers(terms, limits, false) {
            return answer;
        }
        match (self.ask_back_end(terms, limits, false), &mut self.behind.solver) {
            (Answer::Unsat(Some(group)), Some(back_end)) if group.len() > 1 => {
                match back_end.core(terms, &group, limits) {
                    Answer::Unsat(Some(core)) => Answer::Unsat(Some(core)),
                    // They clash all the same.
                    _ => Answer::Unsat(Some(group)),
                }
            }
            (answer, _) => answer,
        }
    }
}

/// Whether somebody else may still decide it: the back-end did not, and there is time.
fn is_open(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(why) if !matches!(why, Reason::Cancelled | Reason::Time | Reason::Spent))
}
