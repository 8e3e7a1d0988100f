//! Random walks: the baseline that others have to beat.

use sioco_solve::values::Random;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::close::close;
use crate::plan::{Counts, PlanOptions};
use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;

/// Walks that take one of the possible steps at a time, all with the same chance, until they are long enough or nothing
/// follows.
pub(crate) fn walks(walker: &mut Walker<'_>, options: &PlanOptions, walks: usize, counts: &mut Counts) -> Vec<Purpose> {
    let model = walker.path.model();
    let mut random = Random::new(options.seed);
    let length = options.depth.unwrap_or(options.walk);
    let mut found = Vec::new();
    for _ in 0..walks {
        if options.is_over() || counts.nodes >= options.nodes {
            break;
        }
        walker.follow([]);
        let mut purpose = Purpose::default();
        let (mut at, mut seen) = (0, 0);
        // Internal steps without end must come to an end.
        for _ in 0..length.saturating_mul(options.internal.max(1)) {
            if seen >= length || options.is_over() {
                break;
            }
            let mut steps: Vec<Step> = Vec::new();
            walker.path.outgoing(&mut steps);
            let mut possible = Vec::new();
            for step in steps {
                counts.candidates += 1;
                match walker.path.probe(step) {
                    Possible::No => counts.impossible += 1,
                    Possible::Yes => possible.push((step, None)),
                    Possible::Unknown(reason) => possible.push((step, Some(reason))),
                }
            }
            if possible.is_empty() {
                break;
            }
            let (step, doubt) = possible.swap_remove(random.below(possible.len() as u64) as usize);
            let leg = Leg::from(step);
            walker.take(&leg);
            seen += usize::from(step.is_observable(model));
            at = purpose.add(at, leg, doubt);
            counts.nodes += 1;
        }
        if at == 0 {
            break;
        }
        counts.cut += usize::from(!close(walker, &mut purpose, at, options.strict));
        found.push(purpose);
    }
    found
}
