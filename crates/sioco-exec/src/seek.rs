//! Looking for a way from where the run is to something that was not done yet: the nearest pair of switches in a row that
//! no run has taken. Steps are symbolic, so that a way is found whatever values it needs.

use rustc_hash::FxHashMap;
use sioco_model::SwitchId;
use sioco_model::semantics::state::State;
use sioco_plan::Leg;
use sioco_plan::walker::Walker;
use sioco_solve::values::{Choice, Random};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::course::Course;

/// How many steps are tried in one search.
const TRIED: usize = 400;
/// How long a way may be.
const LONGEST: usize = 12;

/// How often each pair of switches at gates was taken in a row; nothing before the first.
pub type Pairs = FxHashMap<(Option<SwitchId>, SwitchId), u32>;

/// The shortest way to a pair that was never taken, as far as was looked.
pub fn seek(
    walker: &mut Walker<'_>,
    state: &State,
    last: Option<SwitchId>,
    pairs: &Pairs,
    random: &mut Random,
) -> Option<Course> {
    let mut search = Search { pairs, left: TRIED, turn: random.below(1 << 16) as usize };
    for length in 1..=LONGEST {
        walker.start_at(state);
        let before = search.left;
        if search.deepen(walker, last, length) {
            let solved = walker.path.solve_with(Choice::Random(random.bits())).ok()?;
            return Some(Course { steps: solved.steps, done: 0, guess: false });
        }
        // Nothing is left to try, or there is nowhere to go.
        if search.left == 0 || before - search.left == 0 {
            return None;
        }
    }
    None
}

struct Search<'a> {
    pairs: &'a Pairs,
    left: usize,
    /// Where the list of steps begins: ties are broken in another way each time.
    turn: usize,
}

impl Search<'_> {
    /// Whether a path with so many more steps ends in a new pair; then the walker is at its end.
    fn deepen(&mut self, walker: &mut Walker<'_>, last: Option<SwitchId>, length: usize) -> bool {
        let model = walker.path.model();
        let mut steps: Vec<Step> = Vec::new();
        walker.path.outgoing(&mut steps);
        if steps.is_empty() {
            return false;
        }
        let first = self.turn % steps.len();
        steps.rotate_left(first);
        for step in steps {
            if self.left == 0 {
                return false;
            }
            let seen = match step {
                Step::Switch(s) if step.is_observable(model) => Some(s),
                _ => None,
            };
            let new = seen.is_some_and(|s| !self.pairs.contains_key(&(last, s)));
            if length == 1 && !new {
                continue;
            }
            self.left -= 1;
            let sure = match walker.take(&Leg::from(step)) {
                Possible::No => continue,
                Possible::Yes => true,
                Possible::Unknown(_) => false,
            };
            if sure && (length == 1 || self.deepen(walker, seen.or(last), length - 1)) {
                return true;
            }
            walker.back();
        }
        false
    }
}
