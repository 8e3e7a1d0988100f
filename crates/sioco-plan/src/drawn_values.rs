//! Values along legs that are drawn step by step, forwards, without a solver.
//!
//! Each input takes values that its guard allows in the state that the steps before it led to. Mostly these values
//! reach the end of the legs. Then they are as good as those of a solver, and much cheaper (S1 section 5.2.4: nothing slow
//! while the system waits). If a later guard needs certain values of earlier inputs, they fail, and a solver is asked.

use sioco_model::Value;
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::state::State;
use sioco_solve::values::{AnySize, Random};
use sioco_symbolic::step::Step;

use crate::purpose::Leg;

/// Values are drawn this often for the same legs. Where two draws fail, the guards leave few values, and a solver is
/// faster.
const TRIES: u64 = 2;
/// After this many failures in a row, besides the successes before, nothing more is drawn: it is not worth the effort.
const PATIENCE: u64 = 16;

/// Draws, as long as that pays.
#[derive(Clone, Debug, Default)]
pub struct Drawer {
    found: u64,
    failed: u64,
}

impl Drawer {
    /// The steps with values that lead along legs from a state whose values are known; nothing if none were found, which
    /// says nothing about whether there are some.
    pub fn along(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        state: &State,
        legs: &[&Leg],
        random: &mut Random,
    ) -> Option<Vec<(Step, Vec<Value>)>> {
        if self.failed > self.found + PATIENCE || !legs.iter().all(|leg| is_plain(leg)) {
            return None;
        }
        for _ in 0..TRIES {
            if let Some(found) = once(interpreter, state, legs, random) {
                self.found += 1;
                return Some(found);
            }
            self.failed += 1;
        }
        None
    }
}

/// Whether a leg can be followed with values alone: one switch, and nothing that is wanted besides.
fn is_plain(leg: &Leg) -> bool {
    matches!(leg.step, Step::Switch(_)) && leg.wants.is_empty()
}

fn once(
    interpreter: &mut Interpreter<'_>,
    state: &State,
    legs: &[&Leg],
    random: &mut Random,
) -> Option<Vec<(Step, Vec<Value>)>> {
    let mut state = state.clone();
    let mut found = Vec::with_capacity(legs.len());
    for leg in legs {
        let Step::Switch(switch) = leg.step else { return None };
        let args = interpreter.sample(&state, switch, &mut AnySize(random))?;
        if !interpreter.fire(&mut state, switch, &args).ok()? {
            return None;
        }
        found.push((leg.step, args));
    }
    Some(found)
}
