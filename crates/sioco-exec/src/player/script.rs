//! A recorded run that is done again, as long as the model allows what was recorded.

use crate::event::Action;

/// See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct Script {
    actions: Vec<Action>,
    /// How many of them happened again.
    at: usize,
    /// Whether something else happened.
    left: bool,
    /// Whether that was since it is not known if what was recorded is allowed.
    lost: bool,
}

impl Script {
    pub fn new(actions: &[Action]) -> Script {
        Script { actions: actions.to_vec(), at: 0, left: false, lost: false }
    }

    /// What happened next when it was recorded, if everything happened again until here.
    pub fn next(&mut self) -> Option<Action> {
        self.actions.get(self.at).filter(|_| !self.left).cloned()
    }

    /// It happened again.
    pub fn done(&mut self) {
        self.at += 1;
    }

    /// Something else happens from here on.
    pub fn leave(&mut self) {
        self.left = true;
    }

    /// The same, and perhaps what was recorded is allowed.
    pub fn lose(&mut self) {
        (self.left, self.lost) = (true, true);
    }

    /// Whether whatever did not happen again is not allowed.
    pub fn is_sure(&self) -> bool {
        !self.lost
    }
}
