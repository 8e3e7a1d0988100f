//! A path that goes along the legs of purposes.

use sioco_model::TermId;
use sioco_model::semantics::state::State;
use sioco_symbolic::path::{Path, Possible};
use sioco_symbolic::reach::Clash;
use sioco_symbolic::step::Step;

use crate::purpose::Leg;
use crate::want::{Want, atoms, have_values, param_sorts, side_of};

/// See the [module](self).
pub struct Walker<'m> {
    /// The path; it is recorded.
    pub path: Path<'m>,
    at: Vec<Leg>,
}

impl<'m> Walker<'m> {
    /// At the initial state.
    pub fn new(mut path: Path<'m>) -> Self {
        path.record();
        Walker { path, at: Vec::new() }
    }

    /// Goes to a state whose values are all known, from where legs are taken.
    pub fn start_at(&mut self, state: &State) {
        self.path.start_at(state);
        self.at.clear();
    }

    /// Goes back to the initial state of the model.
    pub fn start(&mut self) {
        self.path.start();
        self.at.clear();
    }

    /// Whether a leg is possible from here; if it is not impossible, it is taken.
    pub fn take(&mut self, leg: &Leg) -> Possible {
        let mut answer = self.path.probe(leg.step);
        if answer == Possible::No {
            return answer;
        }
        let before: Vec<Option<TermId>> =
            leg.wants.iter().map(|w| if w.is_after() { None } else { self.now(w, leg.step) }).collect();
        self.path.advance(leg.step);
        for (want, term) in leg.wants.iter().zip(before) {
            // A want that names nothing of this model asks for nothing.
            let Some(term) = term.or_else(|| if want.is_after() { self.now(want, leg.step) } else { None }) else {
                continue;
            };
            match self.assume(want, term) {
                Possible::No => {
                    self.path.retreat();
                    return Possible::No;
                }
                Possible::Unknown(reason) => answer = Possible::Unknown(reason),
                Possible::Yes => {}
            }
        }
        self.at.push(leg.clone());
        answer
    }

    /// What is wanted, with the values that variables have now; parameters and slots stay.
    fn now(&mut self, want: &Want, step: Step) -> Option<TermId> {
        let term = match want {
            Want::Atom { switch, atom, side } => {
                let atom = *atoms(self.path.model(), *switch).get(*atom)?;
                self.path.build(|pool, sorts| side_of(pool, sorts, atom, *side))?
            }
            Want::Values(values) => {
                let sorts = param_sorts(self.path.model(), step);
                self.path.build(|pool, all| have_values(pool, all, &sorts, values))
            }
            Want::Written { condition, negated, .. } => {
                self.path.build(|pool, sorts| if *negated { pool.not(sorts, *condition) } else { *condition })
            }
        };
        Some(self.path.with_values(term))
    }

    fn assume(&mut self, want: &Want, term: TermId) -> Possible {
        let last = self.path.len() - 1;
        let args: Vec<(u32, TermId)> = match want {
            Want::Atom { .. } | Want::Values(_) => (0..).zip(self.path.args(last).iter().copied()).collect(),
            Want::Written { slots, .. } => {
                let of = |(slot, step, arg): &(u32, usize, usize)| {
                    self.path.args(*step).get(*arg).map(|value| (*slot, *value))
                };
                slots.iter().filter_map(of).collect()
            }
        };
        let term = self.path.with_params(term, &|k| args.iter().find(|(i, _)| *i == k).map(|(_, value)| *value));
        self.path.assume(term)
    }

    /// Whether conditions may hold here, all together: for those about values of variables alone.
    pub fn may_hold(&mut self, wants: &[Want]) -> Possible {
        let terms: Vec<TermId> = wants.iter().filter_map(|w| self.now(w, Step::Delta)).collect();
        let all = self.path.build(|pool, sorts| pool.and(sorts, &terms));
        self.path.may_hold(all)
    }

    /// Why a leg is impossible from here: the conditions that clash.
    pub fn clash(&mut self, leg: &Leg) -> Vec<Clash> {
        if self.path.probe(leg.step) == Possible::No {
            return self.path.clash(leg.step);
        }
        let before: Vec<Option<TermId>> =
            leg.wants.iter().map(|w| if w.is_after() { None } else { self.now(w, leg.step) }).collect();
        self.path.advance(leg.step);
        for (want, term) in leg.wants.iter().zip(before) {
            if let Some(term) = term.or_else(|| if want.is_after() { self.now(want, leg.step) } else { None }) {
                self.assume(want, term);
            }
        }
        let clash = self.path.contradiction();
        self.path.retreat();
        clash
    }

    /// Takes the last leg back.
    pub fn back(&mut self) {
        self.path.retreat();
        self.at.pop();
    }

    /// Goes where legs lead, over what they have in common with the path so far. They must be possible.
    pub fn follow<'l>(&mut self, legs: impl IntoIterator<Item = &'l Leg>) -> bool {
        let mut common = 0;
        let mut legs = legs.into_iter().peekable();
        while let Some(leg) = legs.peek() {
            if self.at.get(common) != Some(leg) {
                break;
            }
            common += 1;
            legs.next();
        }
        while self.at.len() > common {
            self.back();
        }
        legs.all(|leg| {
            if leg.wants.is_empty() {
                // It was asked before.
                self.path.advance(leg.step);
                self.at.push(leg.clone());
                return true;
            }
            self.take(leg) != Possible::No
        })
    }

    /// The legs to here.
    pub fn legs(&self) -> &[Leg] {
        &self.at
    }
}
