//! Looking for a way from where the run is to something that was not done yet: two [reactions](crate::reaction) in a row
//! that no run has had. Steps are symbolic, so that a way is found whatever values it needs.

use rustc_hash::FxHashMap;
use sioco_model::model::{Direction, Model};
use sioco_model::semantics::state::State;
use sioco_plan::Leg;
use sioco_plan::walker::Walker;
use sioco_solve::values::{Choice, Random};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::course::Course;
use crate::reaction::Reactions;

/// At most this many steps are tried in one search. Measured: half and twice as many change no verdict and no coverage
/// of the examples within 2,000 steps.
const TRIED: usize = 300;
/// A way may have at most this many inputs. The next one is always near where a search is worth it; each further input
/// multiplies the ways.
const INPUTS: usize = 3;
/// A way may have at most this many steps in all: three inputs with answers of up to seven steps.
const LONGEST: usize = 24;

/// How often reactions were had in a row.
pub type Had = FxHashMap<Reactions, u32>;

/// A way with few inputs to reactions in a row that were never had, as far as was looked.
pub fn seek(
    walker: &mut Walker<'_>,
    state: &State,
    from: Reactions,
    had: &Had,
    choice: Choice,
    random: &mut Random,
) -> Option<Course> {
    let mut search = Search { had, left: TRIED, turn: random.below(1 << 16) as usize };
    for inputs in 1..=INPUTS {
        walker.start_at(state);
        if search.deepen(walker, from, inputs, LONGEST) {
            let (turn, choice) = (choice.turn(random), choice.anew(random));
            let solved = walker.path.solve_in_turn(choice, turn).ok()?;
            return Some(Course::of(walker.path.model(), solved.steps));
        }
        if search.left == 0 {
            return None;
        }
    }
    None
}

struct Search<'a> {
    had: &'a Had,
    left: usize,
    /// Where the list of steps begins: ties are broken in another way each time.
    turn: usize,
}

impl Search<'_> {
    /// Whether a path with so many more inputs ends in something new; then the walker is at its end.
    fn deepen(&mut self, walker: &mut Walker<'_>, at: Reactions, inputs: usize, steps: usize) -> bool {
        let model = walker.path.model();
        let mut next: Vec<Step> = Vec::new();
        walker.path.outgoing(&mut next);
        let is_input = |s: &Step| is_input(model, *s);
        // A reaction may be over where the next input can come, or nothing at all.
        let over = next.is_empty() || next.iter().any(is_input);
        if inputs == 0 && over && !walker.path.is_empty() && !self.had.contains_key(&at) {
            return true;
        }
        if steps == 0 || next.is_empty() {
            return false;
        }
        let first = self.turn % next.len();
        next.rotate_left(first);
        for step in next {
            let uses = usize::from(is_input(&step));
            if self.left == 0 {
                return false;
            }
            if uses > inputs {
                continue;
            }
            self.left -= 1;
            let sure = match walker.take(&Leg::from(step)) {
                Possible::No => continue,
                Possible::Yes => true,
                Possible::Unknown(_) => false,
            };
            if sure && self.deepen(walker, at.step(model, step), inputs - uses, steps - 1) {
                return true;
            }
            walker.back();
        }
        false
    }
}

fn is_input(model: &Model, step: Step) -> bool {
    step.switches().any(|s| model.direction(s) == Some(Direction::Input))
}
