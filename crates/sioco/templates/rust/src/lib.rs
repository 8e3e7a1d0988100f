//! A water tank: the system under test. Yours takes its place.

/// What it holds.
pub const SIZE: i64 = 100;

/// A tank, empty at first.
#[derive(Default)]
pub struct Tank {
    content: i64,
}

impl Tank {
    /// What is in it.
    pub fn content(&self) -> i64 {
        self.content
    }

    /// Fills in so much; whether that was possible.
    pub fn fill(&mut self, litres: i64) -> bool {
        if self.content + litres > SIZE {
            return false;
        }
        self.content += litres;
        true
    }

    /// Drains so much; whether that was possible.
    pub fn drain(&mut self, litres: i64) -> bool {
        // if litres == self.content { return false } // A mistake: without the first `//`, the test finds it.
        if litres > self.content {
            return false;
        }
        self.content -= litres;
        true
    }
}
