//! Reactions to inputs, and the classes that their case distinctions divide the inputs into.

use sioco_model::model::{Direction, Label};
use sioco_model::term::{Term, TermPool};
use sioco_model::{LocationId, SwitchId, TermId};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use super::{Key, Known, Part, distinctions, name};
use crate::event::Event;
use crate::plan::{Counts, PlanOptions};
use crate::purpose::Leg;
use crate::walker::Walker;
use crate::want::{Side, side_of};

/// More classes of one reaction are not looked at: each takes questions to a solver, and a test of its own.
const CLASSES: usize = 200;

/// A case distinction: as the model has it, and over the symbols of the path.
#[derive(Clone, Copy)]
struct Distinction {
    written: TermId,
    term: TermId,
}

/// A class of inputs.
pub(super) struct Class {
    /// The steps to its state, and those of its reaction, silence at the end.
    legs: Vec<Leg>,
    pub reaction: Vec<Step>,
    at: Vec<LocationId>,
    /// The sides of the distinctions.
    sides: Vec<(Distinction, bool)>,
    /// All of them together.
    condition: TermId,
    /// Why it is not divided further, and perhaps not there at all.
    open: Option<Reason>,
}

/// A search for the classes of a state. The walker is there.
pub(super) struct Reactions<'a, 'm> {
    pub walker: &'a mut Walker<'m>,
    pub options: &'a PlanOptions,
    pub counts: &'a mut Counts,
    pub found: Vec<Class>,
}

/// A reaction under way.
struct Under {
    at: Vec<LocationId>,
    reaction: Vec<Step>,
    distinctions: Vec<Distinction>,
    /// The arguments of the input.
    args: Vec<TermId>,
}

impl Reactions<'_, '_> {
    /// Finds the classes of all inputs; says whether the model waits here at all.
    pub fn find(&mut self) -> bool {
        let model = self.walker.path.model();
        let mut steps = Vec::new();
        self.walker.path.outgoing(&mut steps);
        let (own, inputs): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|s| s.is_own(model));
        if inputs.is_empty() || own.iter().any(|s| self.walker.path.probe(*s) != Possible::No) {
            return false;
        }
        for step in inputs {
            self.input(step);
        }
        true
    }

    /// The reactions to an input by one of its switches.
    fn input(&mut self, step: Step) {
        let model = self.walker.path.model();
        let Some(switch) = step.switches().next() else { return };
        let s = &model.switches[switch];
        // Its own guard, and those of the switches that do not take the input.
        let rivals = model.locations[s.source].outgoing.iter().filter(|o| model.switches[**o].label == s.label);
        let guards: Vec<TermId> = rivals.map(|o| model.written_guard(*o)).collect();
        let written = self.written(&guards, &self.computed(switch));
        let before: Vec<TermId> = written.iter().map(|w| self.walker.path.with_values(*w)).collect();
        let at = self.walker.path.locations().to_vec();
        self.counts.candidates += 1;
        let answer = self.walker.take(&Leg::from(step));
        if answer == Possible::No {
            self.counts.impossible += 1;
            return;
        }
        let args = self.walker.path.args(self.walker.path.len() - 1).to_vec();
        let mut under = Under { at, reaction: vec![step], distinctions: Vec::new(), args: args.clone() };
        for (written, term) in written.into_iter().zip(before) {
            let term = self.walker.path.with_params(term, &|k| args.get(k as usize).copied());
            under.distinctions.push(Distinction { written, term });
        }
        match answer {
            Possible::Unknown(reason) => self.leave_open(&under, reason),
            _ => self.react(&mut under),
        }
        self.walker.back();
    }

    /// The terms that a switch computes: new values, and values of an output.
    fn computed(&self, switch: SwitchId) -> Vec<TermId> {
        let s = &self.walker.path.model().switches[switch];
        s.update.iter().map(|(_, t)| *t).chain(s.params.iter().filter_map(|p| p.term)).collect()
    }

    /// The distinctions of conditions and of values.
    fn written(&mut self, conditions: &[TermId], values: &[TermId]) -> Vec<TermId> {
        self.walker.path.build(|pool, sorts| {
            let mut found = Vec::new();
            conditions.iter().for_each(|c| distinctions::of_condition(pool, sorts, *c, &mut found));
            values.iter().for_each(|v| distinctions::of_value(pool, sorts, *v, &mut found));
            found
        })
    }

    /// What the model does by itself, until it waits.
    fn react(&mut self, under: &mut Under) {
        let model = self.walker.path.model();
        if self.options.is_over() {
            return;
        }
        if under.reaction.len() > self.options.internal {
            self.counts.cut += 1;
            return;
        }
        let mut own = Vec::new();
        self.walker.path.outgoing(&mut own);
        own.retain(|s| s.is_own(model));
        let asked = under.distinctions.len();
        let switches: Vec<SwitchId> = own.iter().flat_map(|s| s.switches()).collect();
        let guards: Vec<TermId> = switches.iter().map(|s| model.written_guard(*s)).collect();
        let written = self.written(&guards, &[]);
        self.distinguish(under, written);
        for step in own.into_iter().chain([Step::Delta]) {
            let computed: Vec<TermId> = step.switches().flat_map(|s| self.computed(s)).collect();
            let written = self.written(&[], &computed);
            let here = under.distinctions.len();
            self.distinguish(under, written);
            self.counts.candidates += 1;
            let answer = self.walker.take(&Leg::from(step));
            if answer == Possible::No {
                self.counts.impossible += 1;
            } else {
                under.reaction.push(step);
                match answer {
                    Possible::Unknown(reason) => self.leave_open(under, reason),
                    _ if step.is_silence() => self.classes(under),
                    _ => self.react(under),
                }
                under.reaction.pop();
                self.walker.back();
            }
            under.distinctions.truncate(here);
        }
        under.distinctions.truncate(asked);
    }

    /// A reaction that is only perhaps possible is not followed: it would only lead to more of that kind.
    fn leave_open(&mut self, under: &Under, reason: Reason) {
        let condition = self.walker.path.build(|pool, sorts| pool.bool(sorts, true));
        self.add(under, &[], condition, Some(reason));
    }

    fn add(&mut self, under: &Under, sides: &[(Distinction, bool)], condition: TermId, open: Option<Reason>) {
        let legs = self.walker.legs().to_vec();
        let (reaction, at) = (under.reaction.clone(), under.at.clone());
        self.found.push(Class { legs, reaction, at, sides: sides.to_vec(), condition, open });
    }

    /// Adds distinctions over the values that variables have now. What is about values that the system chooses says nothing
    /// about inputs.
    fn distinguish(&mut self, under: &mut Under, written: Vec<TermId>) {
        for written in written {
            if !has(self.walker.path.pool(), written, &|t| matches!(t, Term::Param(..))) {
                let term = self.walker.path.with_values(written);
                under.distinctions.push(Distinction { written, term });
            }
        }
    }

    /// The classes of a reaction that has come to its end.
    fn classes(&mut self, under: &Under) {
        let mut distinctions: Vec<Distinction> = Vec::new();
        for d in &under.distinctions {
            // What is about earlier inputs alone tells states apart, not inputs.
            let plain = self.walker.path.written(d.term);
            let mut of_input = false;
            self.walker.path.pool().visit(plain, &mut |id, _| of_input |= under.args.contains(&id));
            if of_input && distinctions.iter().all(|known| known.term != d.term) {
                distinctions.push(*d);
            }
        }
        let all = self.walker.path.build(|pool, sorts| pool.bool(sorts, true));
        let mut sides = Vec::new();
        self.split(under, &distinctions, all, &mut sides, &mut 0);
    }

    fn split(
        &mut self,
        under: &Under,
        left: &[Distinction],
        condition: TermId,
        sides: &mut Vec<(Distinction, bool)>,
        number: &mut usize,
    ) {
        let Some((first, left)) = left.split_first() else {
            *number += 1;
            self.add(under, sides, condition, None);
            return;
        };
        let mut one = false;
        for side in [true, false] {
            if self.options.is_over() {
                return;
            }
            let both = self.walker.path.build(|pool, sorts| {
                let term = if side { first.term } else { pool.not(sorts, first.term) };
                pool.and(sorts, &[condition, term])
            });
            // If it cannot be true, it is false.
            let answer = if side || one { self.walker.path.may_hold(both) } else { Possible::Yes };
            let open = match answer {
                Possible::No => continue,
                Possible::Yes if *number < CLASSES => None,
                Possible::Yes => Some(Reason::Undecided(format!("its reaction has more than {CLASSES} classes"))),
                Possible::Unknown(reason) => Some(reason),
            };
            one = true;
            sides.push((*first, side));
            match open {
                None => self.split(under, left, both, sides, number),
                Some(reason) => {
                    *number += 1;
                    self.add(under, sides, both, Some(reason));
                }
            }
            sides.pop();
        }
    }
}

impl Class {
    /// What makes it the same in another state.
    pub fn key(&self) -> Key {
        (self.reaction.clone(), self.sides.iter().map(|(d, side)| (d.written, *side)).collect())
    }

    /// Its parts that are not known, each with values: the borders that belong to it, and what is left.
    pub fn parts(
        self,
        walker: &mut Walker<'_>,
        choice: &mut dyn FnMut() -> Choice,
        known: &mut Known,
        options: &PlanOptions,
    ) -> Vec<Part> {
        let model = walker.path.model();
        let about = format!("{}, class {}", name(model, &self.at, &self.reaction), known.number);
        if let Some(reason) = &self.open {
            if std::mem::replace(&mut known.inside, true) {
                return Vec::new();
            }
            walker.follow(&self.legs);
            // Values may be found all the same.
            let silent = self.legs.last().is_some_and(|leg| leg.step.is_silence());
            let found = if silent {
                self.values(walker, self.condition, choice())
            } else {
                Err(NoValues::Unknown(reason.clone()))
            };
            let inputs = match found {
                Err(NoValues::Impossible) => return Vec::new(),
                found => found.map_err(|_| reason.clone()),
            };
            return vec![Part { name: format!("{about}, not divided"), inputs }];
        }
        // By the place of the distinction, so that a border is the same in every state.
        let mut borders: Vec<(usize, TermId)> = Vec::new();
        for (i, (d, side)) in self.sides.iter().enumerate() {
            let side = if *side { Side::LastTrue } else { Side::FirstFalse };
            let border = walker.path.build(|pool, sorts| side_of(pool, sorts, d.term, side));
            borders.extend(border.filter(|b| borders.iter().all(|(_, known)| known != b)).map(|b| (i, b)));
        }
        if known.inside && borders.iter().all(|(i, _)| known.borders.contains(i)) {
            return Vec::new();
        }
        walker.follow(&self.legs);
        let inside = walker.path.build(|pool, sorts| {
            let mut all: Vec<TermId> = borders.iter().map(|(_, b)| pool.not(sorts, *b)).collect();
            all.insert(0, self.condition);
            pool.and(sorts, &all)
        });
        let mut parts = vec![(None, inside)];
        for (at, (i, border)) in borders.iter().enumerate() {
            // The same border may be written in two ways, as in `a <= 3` and `a > 3`.
            let twice = borders[..at].iter().any(|(_, other)| {
                let apart = walker.path.build(|pool, sorts| {
                    let not = pool.not(sorts, *other);
                    pool.and(sorts, &[self.condition, *border, not])
                });
                walker.path.may_hold(apart) == Possible::No
            });
            if !twice {
                let border = walker.path.build(|pool, sorts| pool.and(sorts, &[self.condition, *border]));
                parts.push((Some(*i), border));
            }
        }
        let mut found = Vec::new();
        for (border, condition) in parts {
            if options.limits.cancelled() {
                break;
            }
            let is_known = border.map_or(known.inside, |i| known.borders.contains(&i));
            if is_known || walker.path.may_hold(condition) == Possible::No {
                continue;
            }
            let inputs = match self.values(walker, condition, choice()) {
                Ok(inputs) => Ok(inputs),
                Err(NoValues::Impossible) => continue,
                Err(NoValues::Unknown(reason)) => Err(reason),
            };
            let name = match border {
                None => {
                    known.inside = true;
                    format!("{about}, inside")
                }
                Some(i) => {
                    known.borders.insert(i);
                    format!("{about}, border {}", self.border(walker, i))
                }
            };
            found.push(Part { name, inputs });
        }
        found
    }

    /// The number of a border, from 1, among the distinctions that have one: the same in every state.
    fn border(&self, walker: &mut Walker<'_>, at: usize) -> usize {
        let mut has_one = |(d, side): &(Distinction, bool)| {
            let side = if *side { Side::LastTrue } else { Side::FirstFalse };
            walker.path.build(|pool, sorts| side_of(pool, sorts, d.written, side)).is_some()
        };
        self.sides[..=at].iter().filter(|s| has_one(s)).count()
    }

    /// Inputs with values that lead into a part.
    fn values(&self, walker: &mut Walker<'_>, part: TermId, choice: Choice) -> Result<Vec<Event>, NoValues> {
        let model = walker.path.model();
        // Conditions belong to the last step, which is silence here: with it they are taken back.
        let last = self.legs.last().expect("silence is the last one");
        walker.back();
        walker.path.advance(last.step);
        walker.path.assume(part);
        let solved = walker.path.solve_with(choice);
        walker.path.retreat();
        walker.follow(&self.legs);
        let input = |(step, args): (Step, Vec<_>)| {
            let switch = step.switches().next()?;
            match model.switches[switch].label {
                Label::Gate(gate) if model.gates[gate].direction == Direction::Input => Some(Event { gate, args }),
                _ => None,
            }
        };
        Ok(solved?.steps.into_iter().filter_map(input).collect())
    }
}

/// Whether a term has a part of some kind.
fn has(pool: &TermPool, term: TermId, is: &dyn Fn(&Term) -> bool) -> bool {
    let mut found = false;
    pool.visit(term, &mut |_, t| found |= is(t));
    found
}
