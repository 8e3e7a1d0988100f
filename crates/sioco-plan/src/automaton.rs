//! Written purposes as automata: what a pattern allows next.
//!
//! A pattern becomes a nondeterministic automaton (Thompson's construction), whose moves are events, places that have to
//! be passed, or free. It is made once; what the model does with it is unfolded step by step.

use sioco_model::purpose::{Event, Pattern};
use sioco_model::{LocationId, TermId};

/// With more states than this a purpose is too large. Written ones have some dozen; a repetition in a repetition could
/// otherwise fill the memory.
const MOST_STATES: usize = 10_000;

/// And with more ways to pass places without a step: each step of the search tries all of them.
const MOST_PLACES: usize = 500;

/// A place that a process has to be at, and a condition on the data there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AtCondition {
    pub locations: Vec<LocationId>,
    pub condition: Option<TermId>,
}

/// A move without a step, or with one.
#[derive(Clone, Debug)]
enum Move {
    Free(usize),
    At(AtCondition, usize),
    Step(Option<Event>, usize),
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Automaton {
    moves: Vec<Vec<Move>>,
    end: usize,
    /// What each state stands for where nothing happens.
    settled: Vec<Vec<(usize, Vec<AtCondition>)>>,
}

impl Automaton {
    /// The automaton of a pattern; none if it would be too large.
    pub fn new(pattern: &Pattern) -> Option<Automaton> {
        let mut made = Automaton { moves: vec![Vec::new()], end: 0, settled: Vec::new() };
        made.end = made.add(pattern, 0)?;
        for state in 0..made.moves.len() {
            let settled = made.find_settled(state)?;
            made.settled.push(settled);
        }
        Some(made)
    }

    /// Where everything begins.
    pub fn start(&self) -> usize {
        0
    }

    fn state(&mut self) -> Option<usize> {
        self.moves.push(Vec::new());
        (self.moves.len() <= MOST_STATES).then_some(self.moves.len() - 1)
    }

    /// Adds a pattern that begins at a state; gives the state where it ends.
    fn add(&mut self, pattern: &Pattern, from: usize) -> Option<usize> {
        match pattern {
            Pattern::Event(event) => {
                let to = self.state()?;
                self.moves[from].push(Move::Step(Some(event.clone()), to));
                Some(to)
            }
            Pattern::Anything => {
                // A state of its own, so that whatever led to `from` does not go round with it.
                let to = self.state()?;
                self.moves[from].push(Move::Free(to));
                self.moves[to].push(Move::Step(None, to));
                Some(to)
            }
            Pattern::At { locations, condition } => {
                let to = self.state()?;
                let place = AtCondition { locations: locations.clone(), condition: *condition };
                self.moves[from].push(Move::At(place, to));
                Some(to)
            }
            Pattern::Sequence(parts) => parts.iter().try_fold(from, |at, part| self.add(part, at)),
            Pattern::Choice(parts) => {
                let to = self.state()?;
                for part in parts {
                    let begin = self.state()?;
                    self.moves[from].push(Move::Free(begin));
                    let end = self.add(part, begin)?;
                    self.moves[end].push(Move::Free(to));
                }
                Some(to)
            }
            Pattern::Repeat { body, least, most } => {
                let to = self.state()?;
                let mut at = from;
                for _ in 0..*least {
                    at = self.add(body, at)?;
                }
                match most {
                    Some(most) => {
                        for _ in *least..*most {
                            self.moves[at].push(Move::Free(to));
                            at = self.add(body, at)?;
                        }
                    }
                    None => {
                        let round = self.state()?;
                        self.moves[at].push(Move::Free(round));
                        let end = self.add(body, round)?;
                        self.moves[end].push(Move::Free(round));
                        at = round;
                    }
                }
                self.moves[at].push(Move::Free(to));
                Some(to)
            }
        }
    }

    /// The states that a state stands for where nothing happens: with the places that have to be passed for it.
    pub fn settle(&self, state: usize) -> Vec<(usize, Vec<AtCondition>)> {
        self.settled[state].clone()
    }

    /// Nothing if there are too many ways: alternatives of places multiply.
    fn find_settled(&self, state: usize) -> Option<Vec<(usize, Vec<AtCondition>)>> {
        let mut seen: Vec<(usize, Vec<AtCondition>)> = vec![(state, Vec::new())];
        let mut i = 0;
        while let Some((at, places)) = seen.get(i).cloned() {
            i += 1;
            for m in &self.moves[at] {
                let reached = match m {
                    Move::Step(..) => continue,
                    Move::Free(to) => (*to, places.clone()),
                    Move::At(place, to) => {
                        let mut places = places.clone();
                        // A round without a step asks for nothing new.
                        if !places.contains(place) {
                            places.push(place.clone());
                        }
                        (*to, places)
                    }
                };
                if !seen.contains(&reached) {
                    seen.push(reached);
                }
                if seen.len() > MOST_PLACES {
                    return None;
                }
            }
        }
        // A state with nothing but free moves has passed its part on.
        let leads = |at: usize| at == self.end || self.moves[at].iter().any(|m| !matches!(m, Move::Free(_)));
        seen.retain(|(at, _)| leads(*at));
        Some(seen)
    }

    /// The events that lead on from a state; none stands for any observable step.
    pub fn steps(&self, state: usize) -> impl Iterator<Item = (Option<&Event>, usize)> {
        self.moves[state].iter().filter_map(|m| match m {
            Move::Step(event, to) => Some((event.as_ref(), *to)),
            Move::Free(_) | Move::At(..) => None,
        })
    }

    /// Whether the pattern is complete.
    pub fn is_end(&self, state: usize) -> bool {
        state == self.end
    }
}
