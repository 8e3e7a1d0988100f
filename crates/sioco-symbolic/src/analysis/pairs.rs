//! Which pairs of steps were looked at, and which questions are left of them.
//!
//! In a composition of many processes, each place has many pairs of steps. Nearly all of these pairs occurred at earlier
//! places and have no open questions. So a place costs a few words for each of its steps. All other cost depends only on
//! the number of new pairs and questions.

use rustc_hash::FxHashMap;

use crate::step::Step;

/// See the [module](self).
#[derive(Default)]
pub(super) struct Pairs {
    /// Steps are numbered as they turn up.
    numbers: FxHashMap<Step, usize>,
    /// For each step, a bit for each that it was paired with, and for itself.
    known: Vec<Vec<u64>>,
    /// For each step, those after it that there are questions about.
    kept: Vec<Vec<(usize, Vec<usize>)>>,
}

/// Steps that are together at a place.
pub(super) struct Together<'a> {
    steps: &'a [Step],
    numbers: Vec<usize>,
    /// The place in the list for each number.
    at: FxHashMap<usize, usize>,
}

impl Pairs {
    /// Looks at steps; those that are new get numbers.
    pub fn together<'a>(&mut self, steps: &'a [Step]) -> Together<'a> {
        let mut numbers = Vec::with_capacity(steps.len());
        for step in steps {
            let next = self.known.len();
            let number = *self.numbers.entry(*step).or_insert(next);
            if number == next {
                let mut itself = Vec::new();
                set(&mut itself, number);
                self.known.push(itself);
                self.kept.push(Vec::new());
            }
            numbers.push(number);
        }
        let at = numbers.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        Together { steps, numbers, at }
    }

    /// Has `make` find the questions about pairs that were not together before, in their order, until it gives none at all.
    pub fn make(&mut self, together: &Together<'_>, mut make: impl FnMut(Step, Step) -> Option<Vec<usize>>) {
        let mut here = Vec::new();
        together.numbers.iter().for_each(|n| set(&mut here, *n));
        let mut new = Vec::new();
        for (i, &a) in together.numbers.iter().enumerate() {
            new.clear();
            for (w, word) in here.iter().enumerate() {
                let mut bits = word & !self.known[a].get(w).copied().unwrap_or(0);
                while bits != 0 {
                    new.push(together.at[&(w * 64 + bits.trailing_zeros() as usize)]);
                    bits &= bits - 1;
                }
            }
            new.sort_unstable();
            for &j in &new {
                let b = together.numbers[j];
                let Some(questions) = make(together.steps[i], together.steps[j]) else { return };
                set(&mut self.known[a], b);
                set(&mut self.known[b], a);
                if !questions.is_empty() {
                    self.kept[a].push((b, questions));
                }
            }
        }
    }

    /// The questions about pairs of these steps, in their order. Those that are over are forgotten.
    pub fn list(&mut self, together: &Together<'_>, is_over: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        for &a in &together.numbers {
            self.kept[a].retain_mut(|(_, questions)| {
                questions.retain(|q| !is_over(*q));
                !questions.is_empty()
            });
            let here = self.kept[a].iter().filter_map(|(b, questions)| Some((*together.at.get(b)?, questions)));
            let mut here: Vec<(usize, &Vec<usize>)> = here.collect();
            here.sort_unstable_by_key(|(j, _)| *j);
            found.extend(here.iter().flat_map(|(_, questions)| questions.iter().copied()));
        }
        found
    }
}

fn set(bits: &mut Vec<u64>, n: usize) {
    if bits.len() <= n / 64 {
        bits.resize(n / 64 + 1, 0);
    }
    bits[n / 64] |= 1 << (n % 64);
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use sioco_model::{Id, SwitchId};

    use super::*;

    /// Every pair, one by one.
    #[derive(Default)]
    struct Plain(HashMap<(Step, Step), Vec<usize>>);

    impl Plain {
        fn at(&mut self, steps: &[Step], mut make: impl FnMut(Step, Step) -> Vec<usize>) -> Vec<usize> {
            let mut found = Vec::new();
            for (i, &a) in steps.iter().enumerate() {
                for &b in &steps[i + 1..] {
                    found.extend(self.0.entry((a, b)).or_insert_with(|| make(a, b)).iter());
                }
            }
            found
        }
    }

    #[test]
    fn pairs_are_the_same_as_one_by_one_and_in_the_same_order() {
        let mut seed = 1_u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let (mut listed, mut calls) = (0, 0);
        for round in 0..40 {
            let universe: Vec<Step> = (0..20 + 5 * round).map(|n| Step::Switch(SwitchId::from_index(n))).collect();
            let (mut pairs, mut plain) = (Pairs::default(), Plain::default());
            let (mut made, mut plainly) = (Vec::new(), Vec::new());
            let mut over: Vec<bool> = Vec::new();
            for _ in 0..30 {
                let steps: Vec<Step> = universe.iter().copied().filter(|_| below(3) == 0).collect();
                let salt = round as u64;
                let count = |a: Step, b: Step| match (a, b) {
                    (Step::Switch(a), Step::Switch(b)) => {
                        let mix = (a.index() as u64 * 31 + b.index() as u64 * 17 + salt) % 11;
                        usize::from(mix == 0) + usize::from(mix < 2)
                    }
                    _ => 0,
                };
                let add = |made: &mut Vec<(Step, Step)>, a, b| {
                    let first = made.len();
                    made.extend((0..count(a, b)).map(|_| (a, b)));
                    (first..made.len()).collect::<Vec<usize>>()
                };
                let together = pairs.together(&steps);
                pairs.make(&together, |a, b| {
                    calls += 1;
                    Some(add(&mut made, a, b))
                });
                let expected = plain.at(&steps, |a, b| add(&mut plainly, a, b));
                assert_eq!(made, plainly, "questions are numbered alike");
                over.resize(made.len(), false);
                let expected: Vec<usize> = expected.into_iter().filter(|q| !over[*q]).collect();
                assert_eq!(pairs.list(&together, |q| over[q]), expected);
                listed += expected.len();
                over.iter_mut().for_each(|q| *q |= below(9) == 0);
            }
            assert_eq!(calls, plain.0.len(), "no pair is looked at twice");
            calls = 0;
        }
        assert!(listed > 10_000, "{listed}");
    }
}
