//! Silence since internal steps go on for ever (T-L8): the state lies on a round of internal steps whose
//! states have no outputs.
//!
//! Where all values are known, or few are possible, the concrete semantics tells. Otherwise a round that asks nothing of
//! what is not known, but that this state is silent, is a proof for all values at once. And it is found out that a round is out of the question, since no
//! internal steps lead back to these values or an output is always possible on the way. What is left is *perhaps*
//! possible.

use rustc_hash::FxHashSet;
use sioco_model::{Id, LocationId, SymbolId, TermId, Value};
use sioco_solve::Reason;

use crate::path::{Path, Possible};
use crate::step::Step;

/// So many combinations of locations are looked at.
const LOCATIONS: usize = 1_000;

/// Rounds of so many steps are tried, and so many steps in all.
const STEPS: usize = 8;
const PROBES: usize = 64;

/// A round that is looked for.
struct Round {
    start: Box<[LocationId]>,
    values: Vec<TermId>,
    /// The symbols that the path and its values have.
    known: FxHashSet<SymbolId>,
}

impl Path<'_> {
    /// Whether internal steps may lead back to the locations of this state, whatever their guards are.
    pub fn may_diverge(&mut self) -> bool {
        if let Some(&known) = self.rounds.get(self.locations()) {
            return known;
        }
        let start: Box<[LocationId]> = self.locations().into();
        let mut seen: FxHashSet<Box<[LocationId]>> = FxHashSet::default();
        let mut open = vec![start.clone()];
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
                found |= next == start;
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
        self.rounds.insert(start, found);
        found
    }

    pub(crate) fn probe_divergence(&mut self) -> Possible {
        if !self.may_diverge() {
            return Possible::No;
        }
        if let Some(rounds) = self.rounds_by_values() {
            return match (rounds.open, rounds.diverging.is_empty()) {
                // Which values are left after the silence is known only if it is known of all.
                (true, _) => Possible::Unknown(Reason::Divergence),
                (false, true) => Possible::No,
                (false, false) => Possible::Yes,
            };
        }
        let quiet = self.may_be_quiet();
        if quiet == Possible::No {
            return Possible::No;
        }
        let start: Box<[LocationId]> = self.locations().into();
        let values = self.all_values();
        self.in_rounds = true;
        self.advance_as(Step::Divergence, None);
        let possible = match self.is_on_plain_round() {
            true => quiet,
            false if self.may_come_back(&start, &values, STEPS, &mut { PROBES }) => {
                Possible::Unknown(Reason::Divergence)
            }
            false => Possible::No,
        };
        self.retreat();
        self.in_rounds = false;
        possible
    }

    /// Whether a round of internal steps leads back here over states without outputs, for all values that are possible
    /// here: its steps leave them as they are, and ask nothing of them that is not a condition of the path already. So
    /// what the silence of this state asks of them has to be one.
    pub(crate) fn is_on_plain_round(&mut self) -> bool {
        if !self.may_diverge() {
            return false;
        }
        let start: Box<[LocationId]> = self.locations().into();
        let (values, conditions) = (self.all_values(), self.conditions().len());
        let mut known: FxHashSet<SymbolId> = FxHashSet::default();
        for i in 0..conditions {
            known.extend(self.symbols_in(self.conditions()[i].term).iter().copied());
        }
        for value in &values {
            known.extend(self.symbols_in(*value).iter().copied());
        }
        self.comes_back_plainly(&Round { start, values, known }, STEPS, &mut { PROBES })
    }

    fn comes_back_plainly(&mut self, round: &Round, steps: usize, probes: &mut usize) -> bool {
        if steps == 0 || !self.is_plainly_quiet() {
            return false;
        }
        let mut here = Vec::new();
        self.outgoing(&mut here);
        here.retain(|s| s.is_own(self.model));
        // An undefined guard is a model error, and no silence.
        let breaks = |path: &mut Self, s: Step| path.may_break(s, None, !s.is_observable(path.model)) != Possible::No;
        if here.iter().any(|s| breaks(self, *s)) {
            return false;
        }
        here.retain(|s| !s.is_observable(self.model));
        for step in here {
            if *probes == 0 || self.limits.cancelled() {
                return false;
            }
            *probes -= 1;
            if self.probe(step) != Possible::Yes {
                continue;
            }
            let before = self.conditions().len();
            self.advance_as(step, None);
            // What a step asks of the values that it chooses itself can be met, since it is possible.
            let free = (before..self.conditions().len()).all(|i| {
                let term = self.conditions()[i].term;
                let holds = self.conditions()[..before].iter().any(|c| c.term == term);
                holds || self.symbols_in(term).iter().all(|y| !round.known.contains(y))
            });
            let found = free
                && match self.locations() == &round.start[..] && self.all_values() == round.values {
                    true => true,
                    false => self.comes_back_plainly(round, steps - 1, probes),
                };
            self.retreat();
            if found {
                return true;
            }
        }
        false
    }

    /// Whether there is no output here, for all values that are possible.
    fn is_plainly_quiet(&mut self) -> bool {
        let quiet = self.silence(false, &mut |path, condition| {
            let term = path.instance(condition.term, &condition.reads);
            let plain = path.is_true(condition)
                || path.pool.as_const(term) == Some(&Value::Bool(true))
                || path.conditions().iter().any(|c| c.term == term);
            plain.then_some(())
        });
        quiet.is_some()
    }

    fn all_values(&mut self) -> Vec<TermId> {
        self.model.variables.ids().map(|v| self.term(v)).collect()
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
    /// may.
    fn may_come_back(&mut self, start: &[LocationId], values: &[TermId], steps: usize, probes: &mut usize) -> bool {
        let mut here = Vec::new();
        self.outgoing(&mut here);
        here.retain(|s| !s.is_observable(self.model));
        for step in here {
            if steps == 0 || *probes == 0 || self.limits.cancelled() {
                return true;
            }
            *probes -= 1;
            if self.probe(step) == Possible::No {
                continue;
            }
            self.advance(step);
            let found = (self.locations() == start && self.may_have(values))
                || (self.may_be_quiet() != Possible::No && {
                    self.advance_as(Step::Divergence, None);
                    let found = self.may_come_back(start, values, steps - 1, probes);
                    self.retreat();
                    found
                });
            self.retreat();
            if found {
                return true;
            }
        }
        false
    }

    /// Whether the variables may have these values.
    fn may_have(&mut self, values: &[TermId]) -> bool {
        let now = self.all_values();
        let sorts = &self.model.sorts;
        let different = now.iter().zip(values).filter(|(a, b)| a != b);
        let same: Vec<TermId> = different.map(|(a, b)| self.pool.eq(sorts, *a, *b)).collect();
        same.is_empty() || self.is_opaque(&same) || self.ask_on_path(0, &same) != Possible::No
    }
}
