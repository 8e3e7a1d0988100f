//! What a model hides from the player. If it hides anything, the player may follow only some of the possible states.

use sioco_model::model::{Direction, Label, Model, Switch};
use sioco_model::term::{Op, Term};
use sioco_model::{Id, TermId};

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub(super) struct Hidden {
    /// Whether anything is hidden.
    pub any: bool,
    /// Whether other values of it can be drawn.
    pub drawn: bool,
}

impl Hidden {
    pub fn of(model: &Model) -> Hidden {
        Hidden { any: is_any(model), drawn: is_drawn(model) }
    }
}

/// Whether there are free variables, hidden choices, or guards that take a solver.
fn is_any(model: &Model) -> bool {
    let exists = |i: usize| matches!(model.terms.get(TermId::from_index(i)), Term::App(Op::Exists { .. }, ..));
    let hidden = |s: &Switch| match s.label {
        Label::Internal | Label::Send(_) => true,
        Label::Gate(gate) => {
            model.gates[gate].direction == Direction::Output && s.params.iter().any(|p| p.term.is_none())
        }
        Label::Receive(_) => false,
    };
    model.free_variables().next().is_some() || model.switches.values().any(hidden) || (0..model.terms.len()).any(exists)
}

/// Whether there are free variables, or hidden choices with values.
fn is_drawn(model: &Model) -> bool {
    let hidden =
        |s: &Switch| matches!(s.label, Label::Internal | Label::Send(_)) && s.params.iter().any(|p| p.term.is_none());
    model.free_variables().next().is_some() || model.switches.values().any(hidden)
}
