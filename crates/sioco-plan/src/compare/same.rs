//! Redundant tests. A test is redundant if another one sends the same inputs on the same path, apart from values that
//! the system chooses, or if it is a prefix of another one.

use rustc_hash::FxHashMap;
use sioco_model::{GateId, Value};
use sioco_symbolic::step::Step;

use crate::purpose::Purpose;

/// A place in the tree of all ways: the one before it, the step, and the values that it asks for.
type SeenStep = (usize, Step, Option<Vec<Value>>);

/// What is sent after a way.
type Probe = Vec<(GateId, Vec<Value>)>;

/// For each of some tests, itself, or another one that shows all that it does.
pub(crate) fn instead(tests: &[Purpose]) -> Vec<usize> {
    let mut places: FxHashMap<SeenStep, usize> = FxHashMap::default();
    // A place that follows each, if there is one.
    let mut after: Vec<Option<usize>> = vec![None];
    let mut ends: Vec<usize> = Vec::with_capacity(tests.len());
    for test in tests {
        let mut at = 0;
        for leg in test.nodes.iter().filter_map(|n| n.leg.as_ref()) {
            let place = (at, leg.step, leg.values().map(<[Value]>::to_vec));
            let next = *places.entry(place).or_insert_with(|| {
                after.push(None);
                after.len() - 1
            });
            after[at] = after[at].or(Some(next));
            at = next;
        }
        ends.push(at);
    }
    let probe = |test: &Purpose| -> Probe { test.probe.iter().map(|e| (e.gate, e.args.clone())).collect() };
    // The first test that ends at a place: with this probe, and with any.
    let mut first: FxHashMap<(usize, Probe), usize> = FxHashMap::default();
    let mut any: FxHashMap<usize, usize> = FxHashMap::default();
    for (i, (test, end)) in tests.iter().zip(&ends).enumerate() {
        first.entry((*end, probe(test))).or_insert(i);
        let known = any.entry(*end).or_insert(i);
        // One with a probe shows what one without does.
        if tests[*known].probe.is_empty() && !test.probe.is_empty() {
            *known = i;
        }
    }
    let of = |(test, end): (&Purpose, &usize)| {
        if !test.probe.is_empty() {
            return first[&(*end, probe(test))];
        }
        let mut at = *end;
        while let Some(next) = after[at] {
            at = next;
        }
        any[&at]
    };
    tests.iter().zip(&ends).map(of).collect()
}
