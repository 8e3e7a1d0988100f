//! Pass and weak pass (T-V4, T-V5): which purposes are reached, by all hypotheses or by some.

use rustc_hash::FxHashMap;
use sioco_plan::PurposeId;

use crate::position::Position;
use crate::verdict::Verdict;

/// A purpose that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    /// Which one.
    pub purpose: PurposeId,
    /// Pass if all hypotheses are at an accept, weak pass if only some are.
    pub verdict: Verdict,
    /// Whether there is just one hypothesis.
    pub alone: bool,
}

/// A purpose that hypotheses accept.
struct Accepting {
    purpose: PurposeId,
    /// How many are surely there.
    sure: usize,
    /// The number of the last of these.
    last: usize,
    /// Whether one of those that accept rests on no open question.
    certain: bool,
}

impl Position<'_> {
    /// The open purposes that are reached here (S3 rules 4 and 5): by all hypotheses, or by some. A hypothesis that rests on
    /// an open question does not reach anything by itself.
    pub fn reached(&self) -> Vec<Reached> {
        let (suite, belief) = (&self.suite, &self.belief);
        // In the order in which purposes come up.
        let mut places: FxHashMap<PurposeId, usize> = FxHashMap::default();
        let mut found: Vec<Accepting> = Vec::new();
        let mut all = 0;
        for h in belief.hypotheses() {
            all += 1;
            for mark in &h.marks {
                for purpose in suite.accepted(mark.node) {
                    let place = *places.entry(purpose).or_insert_with(|| {
                        found.push(Accepting { purpose, sure: 0, last: 0, certain: false });
                        found.len() - 1
                    });
                    let accepting = &mut found[place];
                    accepting.certain |= h.doubt.is_none();
                    if mark.sure && accepting.last != all {
                        (accepting.sure, accepting.last) = (accepting.sure + 1, all);
                    }
                }
            }
        }
        let of = |a: Accepting| Reached {
            purpose: a.purpose,
            verdict: if a.sure == all { Verdict::Pass } else { Verdict::WeakPass },
            alone: a.sure == all && belief.len() == 1,
        };
        found.into_iter().filter(|a| a.certain).map(of).collect()
    }
}
