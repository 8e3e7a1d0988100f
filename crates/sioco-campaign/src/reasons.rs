//! Why runs were inconclusive: the reasons, each with how many runs it ended.

use sioco_exec::reliance::Reliance;
use sioco_exec::verdict::{Cause, OpenCause};

/// At most this many different reasons are told apart. A summary shows some; a campaign with more has a text in each
/// that differs every time.
const KINDS: usize = 50;

/// Why runs were inconclusive, each reason with how many runs it ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reasons(Vec<(OpenCause, u64)>);

impl Reasons {
    /// A run ended; nothing is kept of it unless it was inconclusive.
    pub fn add(&mut self, cause: &Cause) {
        let Cause::Open(open) = cause else { return };
        match self.0.iter().position(|(other, _)| alike(other, open)) {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < KINDS => self.0.push((open.clone(), 1)),
            None => {}
        }
    }

    /// The reasons, the most frequent first.
    pub fn most_frequent_first(&self) -> Vec<(&OpenCause, u64)> {
        let mut all: Vec<(&OpenCause, u64)> = self.0.iter().map(|(open, runs)| (open, *runs)).collect();
        all.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
        all
    }
}

/// Whether two reasons are the same but for the values of the moment.
fn alike(a: &OpenCause, b: &OpenCause) -> bool {
    match (a, b) {
        (OpenCause::Unspecified(a), OpenCause::Unspecified(b)) => a.gate == b.gate,
        (OpenCause::Silence(Reliance::Starved(_)), OpenCause::Silence(Reliance::Starved(_))) => true,
        (a, b) => a == b,
    }
}
