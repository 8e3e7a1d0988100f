//! Quiescence by divergence (T-L8): the state lies on a round (a cycle of internal steps) whose states have no outputs.
//!
//! If all values are known, or only a few are possible, the concrete semantics decides. Otherwise this module looks for
//! a round that leads back to the same values of the variables that matter. Such a round goes on for ever for all values
//! that satisfy its conditions, as long as its steps can choose values that lead back. The module also rules rounds out:
//! no internal steps lead back to these values, or an output is always possible on the way. All other cases are
//! *perhaps* possible.
//!
//! This module does not compute a closure of states (`sioco_model::semantics::closure`). A round is a path, and the
//! conditions of the path count. The search for locations that steps may lead back to ignores values.

use rustc_hash::FxHashSet;
use sioco_model::{Id, LocationId, SymbolId, TermId, Value, VarId};
use sioco_solve::Reason;

use crate::path::{Path, PathCondition, Possible};
use crate::prepare::{Origin, conjuncts, has_quantifiers};
use crate::step::Step;
use sioco_model::semantics::live::Live;

/// At most this many combinations of locations are looked at. Models of a few processes have fewer; with more,
/// divergence stays possible.
const LOCATIONS: usize = 1_000;

/// Rounds of at most this many steps are tried: a circle of internal steps that people write has a few.
const STEPS: usize = 8;
/// And at most this many steps in all, each of which may be a question.
const PROBES: usize = 64;

/// After a step that ties what it chooses to what is known, this many more are tried: every question has more
/// conditions then.
const TIED_STEPS: usize = 2;

/// At most this many rounds are told apart by what they ask of values: their conditions become one disjunction.
const MOST_ROUNDS: usize = 16;

/// From which locations to which.
pub(crate) type FromTo = (Box<[LocationId]>, Box<[LocationId]>);

/// Where a way goes by: locations, and the values that matter.
type Way = Vec<(Box<[LocationId]>, Vec<TermId>)>;

/// A round that is looked for.
struct Round {
    start: Box<[LocationId]>,
    values: Vec<TermId>,
    /// The symbols that the path and its values have.
    known: FxHashSet<SymbolId>,
    /// How many steps and conditions the path has.
    steps: usize,
    conditions: usize,
}

/// For which values that are possible internal steps go on for ever.
pub(crate) enum Rounds {
    /// For none.
    None,
    /// For all.
    All,
    /// For those that fulfil a condition.
    If(TermId),
    /// That was not found out.
    Open,
}

impl Path<'_> {
    /// Whether internal steps may lead back to the locations of this state, whatever their guards are.
    pub fn may_diverge(&mut self) -> bool {
        let here: Box<[LocationId]> = self.locations().into();
        self.may_lead(here.clone(), here)
    }

    /// Whether internal steps, at least one, may lead from some locations to others, whatever their guards are.
    fn may_lead(&mut self, from: Box<[LocationId]>, to: Box<[LocationId]>) -> bool {
        let key = (from, to);
        if let Some(&known) = self.divergence.rounds.get(&key) {
            return known;
        }
        let mut seen: FxHashSet<Box<[LocationId]>> = FxHashSet::default();
        let mut open = vec![key.0.clone()];
        let mut steps = Vec::new();
        let mut found = false;
        while let Some(at) = open.pop() {
            self.outgoing_of(&at, &mut steps);
            for step in steps.iter().filter(|s| !s.is_observable(self.model)) {
                let mut next = at.clone();
                for switch in step.switches() {
                    let switch = &self.model.switches[switch];
                    next[switch.process.index()] = switch.target;
                }
                found |= next == key.1;
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
            // Too many to tell; then it may be.
            found |= seen.len() > LOCATIONS;
            if found {
                break;
            }
        }
        self.divergence.rounds.insert(key, found);
        found
    }

    pub(crate) fn probe_divergence(&mut self) -> Possible {
        if !self.may_diverge() {
            return Possible::No;
        }
        if let Some(rounds) = self.rounds_by_values() {
            return if rounds.diverging.is_empty() { Possible::No } else { Possible::Yes };
        }
        let quiet = self.may_be_quiet();
        if quiet == Possible::No {
            return Possible::No;
        }
        self.divergence.in_rounds = true;
        self.advance_as(Step::Divergence, None);
        let rounds = self.proved_rounds();
        self.retreat();
        self.divergence.in_rounds = false;
        match rounds {
            Rounds::None => Possible::No,
            Rounds::All => quiet,
            // Internal steps were found that lead back.
            Rounds::If(_) => Possible::Yes,
            Rounds::Open => Possible::Unknown(Reason::Divergence),
        }
    }

    /// For which of the values that are possible here a round of internal steps leads back over states without outputs.
    /// That this state is silent has to be a condition of the path already.
    ///
    /// A round that leads back to the values that matter goes on for ever for all values that fulfil its conditions. If no
    /// others lead back, these are all.
    pub(crate) fn proved_rounds(&mut self) -> Rounds {
        let start: Box<[LocationId]> = self.locations().into();
        let values = self.live_values();
        let conditions = self.conditions().len();
        let mut known: FxHashSet<SymbolId> = FxHashSet::default();
        for i in 0..conditions {
            known.extend(self.symbols_in(self.conditions()[i].term).iter().copied());
        }
        for value in &values {
            known.extend(self.symbols_in(*value).iter().copied());
        }
        let round = Round { start, values, known, steps: self.len(), conditions };
        let mut found = Vec::new();
        self.plain_rounds(&round, STEPS, &mut { PROBES }, &mut found);
        if found.iter().any(Vec::is_empty) {
            return Rounds::All;
        }
        if found.is_empty() {
            return match self.may_come_back(&round, &mut Vec::new(), &mut { PROBES }) {
                true => Rounds::Open,
                false => Rounds::None,
            };
        }
        let one = self.build(|pool, sorts| {
            let each: Vec<TermId> = found.iter().map(|conditions| pool.and(sorts, conditions)).collect();
            pool.or(sorts, &each)
        });
        let none = self.build(|pool, sorts| pool.not(sorts, one));
        self.advance_as(Step::Divergence, None);
        self.add_condition(PathCondition { term: none, origin: Origin::Rounds, step: self.len() });
        let others = self.may_come_back(&round, &mut Vec::new(), &mut { PROBES });
        self.retreat();
        if others { Rounds::Open } else { Rounds::If(one) }
    }

    /// Looks for rounds that lead back to the values that matter, and what each of them asks of these values: what the steps
    /// choose themselves has to exist for them.
    fn plain_rounds(&mut self, round: &Round, steps: usize, probes: &mut usize, found: &mut Vec<Vec<TermId>>) {
        let mut here = Vec::new();
        self.outgoing(&mut here);
        here.retain(|s| s.is_own(self.model));
        // An undefined guard is a model error, and no silence.
        let breaks = |path: &mut Self, s: Step| path.may_break(s, None) != Possible::No;
        if steps == 0 || here.iter().any(|s| breaks(self, *s)) {
            return;
        }
        here.retain(|s| !s.is_observable(self.model));
        for step in here {
            if *probes == 0 || self.solvers.limits.cancelled() || found.len() >= MOST_ROUNDS {
                return;
            }
            *probes -= 1;
            if self.probe(step) != Possible::Yes {
                continue;
            }
            self.advance_as(step, None);
            if self.is_written_down() {
                let mut steps = steps - 1;
                if self.ties(round) {
                    steps = steps.min(TIED_STEPS);
                }
                let back = if self.locations() == &round.start[..] { self.same_as(&round.values) } else { None };
                let exactly = back.as_ref().is_some_and(Vec::is_empty);
                if let Some(same) = back {
                    found.extend(self.asked_of(round, same));
                }
                if !exactly && self.may_be_quiet() == Possible::Yes {
                    self.advance_as(Step::Divergence, None);
                    if self.is_written_down() {
                        self.plain_rounds(round, steps, probes, found);
                    }
                    self.retreat();
                }
            }
            self.retreat();
        }
    }

    /// Whether a condition of the last step is about what was known from the start together with what was chosen since.
    fn ties(&mut self, round: &Round) -> bool {
        (self.last_step().0..self.conditions().len()).any(|i| {
            let symbols = self.symbols_in(self.conditions()[i].term);
            let known = symbols.iter().filter(|y| round.known.contains(y)).count();
            known > 0 && known < symbols.len()
        })
    }

    /// Whether the conditions of the last step are all there: none was too large to be kept.
    fn is_written_down(&self) -> bool {
        self.last_step().1 != Some(Reason::TooLarge)
    }

    /// What was asked of the values since the start of a round, together with what makes its end the same as its start, if
    /// that can be said without what its steps chose.
    fn asked_of(&mut self, round: &Round, same: Vec<TermId>) -> Option<Vec<TermId>> {
        let before: Vec<TermId> = self.conditions()[..round.conditions].iter().map(|c| c.term).collect();
        let since = self.written_out().into_iter().filter(|c| c.step > round.steps).map(|c| c.term);
        let since = since.chain(same);
        let (mut asked, about_chosen): (Vec<TermId>, Vec<TermId>) =
            since.partition(|t| self.symbols_in(*t).iter().all(|y| round.known.contains(y)));
        let about_chosen = self.tied(round, about_chosen);
        if !about_chosen.is_empty() {
            // Several conditions together may tie what is chosen to the values.
            let exists = self.exist(&about_chosen, &round.known);
            if has_quantifiers(self.pool(), exists) {
                return None;
            }
            asked.extend(conjuncts(self.pool(), exists));
        }
        asked.retain(|t| !before.contains(t) && self.pool().as_const(*t) != Some(&Value::Bool(true)));
        asked.sort_unstable();
        asked.dedup();
        Some(asked)
    }

    /// Of conditions about what was chosen, those that say something of the values, alone or by way of others. The rest can
    /// be met whatever the values are, since all of them together can.
    fn tied(&mut self, round: &Round, mut conditions: Vec<TermId>) -> Vec<TermId> {
        let mut reached = round.known.clone();
        let mut tied = Vec::new();
        loop {
            let (more, rest): (Vec<TermId>, Vec<TermId>) =
                conditions.into_iter().partition(|t| self.symbols_in(*t).iter().any(|y| reached.contains(y)));
            if more.is_empty() {
                return tied;
            }
            for condition in &more {
                reached.extend(self.symbols_in(*condition).iter().copied());
            }
            tied.extend(more);
            conditions = rest;
        }
    }

    /// The values that matter: where states are merged, those of the variables that something may still read.
    fn live_values(&mut self) -> Vec<TermId> {
        let model = self.model;
        if !self.divergence.merging {
            return model.variables.ids().map(|v| self.term(v)).collect();
        }
        let locations = self.locations().to_vec();
        let live = self.concrete.live.get_or_insert_with(|| Live::of(model));
        let vars: Vec<VarId> = locations.iter().flat_map(|l| live.at(*l)).copied().collect();
        vars.into_iter().map(|v| self.term(v)).collect()
    }

    /// Whether there may be no output here.
    fn may_be_quiet(&mut self) -> Possible {
        let (mut open, mut alone): (Vec<TermId>, bool) = (Vec::new(), true);
        if self.silence(false, &mut |path, condition| path.look(condition, &mut open, &mut alone)).is_none() {
            return Possible::No;
        }
        match open.is_empty() {
            true => Possible::Yes,
            false if self.is_opaque(&open) => Possible::Unknown(Reason::TooLarge),
            false => self.ask_on_path(0, &open),
        }
    }

    /// Whether internal steps may lead back to a state, over states without outputs. Where that takes too long, they
    /// may. Nobody has to come by where the way was before.
    fn may_come_back(&mut self, round: &Round, way: &mut Way, probes: &mut usize) -> bool {
        let mut here = Vec::new();
        self.outgoing(&mut here);
        here.retain(|s| !s.is_observable(self.model));
        for step in here {
            if way.len() == STEPS || *probes == 0 || self.solvers.limits.cancelled() {
                return true;
            }
            *probes -= 1;
            if self.probe(step) == Possible::No {
                continue;
            }
            self.advance(step);
            let found = self.is_back(round, way, probes);
            self.retreat();
            if found {
                return true;
            }
        }
        false
    }

    /// Whether the last step came back to where a round starts, or others may lead there.
    fn is_back(&mut self, round: &Round, way: &mut Way, probes: &mut usize) -> bool {
        if self.locations() == &round.start[..] && self.may_have(&round.values) {
            return true;
        }
        let here = (self.locations().into(), self.live_values());
        if way.contains(&here)
            || !self.may_lead(here.0.clone(), round.start.clone())
            || self.may_be_quiet() == Possible::No
        {
            return false;
        }
        way.push(here);
        self.advance_as(Step::Divergence, None);
        let found = self.may_come_back(round, way, probes);
        self.retreat();
        way.pop();
        found
    }

    /// Whether the variables may have these values.
    fn may_have(&mut self, values: &[TermId]) -> bool {
        let same = self.equations(values);
        same.is_empty() || self.is_opaque(&same) || self.ask_on_path(0, &same) != Possible::No
    }

    /// The conditions that the variables have these values, if they surely can have them. Helper symbols are written out:
    /// what they stand for is no choice of anybody.
    fn same_as(&mut self, values: &[TermId]) -> Option<Vec<TermId>> {
        let same = self.equations(values);
        let can = same.is_empty() || !self.is_opaque(&same) && self.ask_on_path(0, &same) == Possible::Yes;
        can.then(|| same.into_iter().map(|equation| self.written(equation)).collect())
    }

    /// One for each variable whose value is not obviously the same.
    fn equations(&mut self, values: &[TermId]) -> Vec<TermId> {
        let now = self.live_values();
        let sorts = &self.model.sorts;
        let different = now.iter().zip(values).filter(|(a, b)| a != b);
        different.map(|(a, b)| self.pool.eq(sorts, *a, *b)).collect()
    }
}
