//! The sender of the Bounded Retransmission Protocol, S0 section 6.

use std::collections::BTreeSet;

use sioco_model::model::{Direction, Label};
use sioco_model::{SwitchId, Value};
use sioco_solve::back_end::BackEnd;
use sioco_solve::values::Bounds;
use sioco_symbolic::{ExploreOptions, Merge, Stop};

use crate::load;
use crate::semantics::{State, World};
use crate::symbolic::builtin;

fn brp(name: &str) -> World {
    let mut world = load(&format!("brp/{name}.sts"));
    world.integers = vec![0, 1];
    world
}

fn start(w: &World) -> State {
    w.start(&[]).state().clone()
}

/// The only output of a state, with the state after it.
fn answer(w: &World, state: &State) -> (String, Vec<Value>, State) {
    let outputs = w.enabled(state, Direction::Output);
    assert_eq!(outputs.len(), 1);
    let (switch, values) = outputs.into_iter().next().expect("one output");
    let next = w.successor(state, switch, &values).expect("enabled");
    (w.label(switch), values, next)
}

/// The states before inputs and before outputs, with messages 0 and 1.
fn reachable(w: &World) -> BTreeSet<State> {
    let mut seen: BTreeSet<State> = [start(w)].into();
    let mut new: Vec<State> = seen.iter().cloned().collect();
    while let Some(state) = new.pop() {
        let steps = [Direction::Input, Direction::Output].map(|d| w.enabled(&state, d)).concat();
        for (switch, values) in steps {
            let next = w.successor(&state, switch, &values).expect("enabled");
            if seen.insert(next.clone()) {
                new.push(next);
            }
        }
    }
    seen
}

/// The number of inputs after which a mutant first answers otherwise than the specification.
fn shortest_kill(spec: &World, mutant: &World) -> usize {
    let mut seen: BTreeSet<(State, State)> = [(start(spec), start(mutant))].into();
    let mut layer: Vec<_> = seen.iter().cloned().collect();
    for inputs in 1.. {
        assert!(!layer.is_empty(), "no difference");
        let mut next = Vec::new();
        for (s, m) in &layer {
            for (switch, values) in spec.enabled(s, Direction::Input) {
                let s = spec.successor(s, switch, &values).expect("enabled");
                let gate = spec.label(switch);
                let twin = mutant.enabled(m, Direction::Input);
                let twin: Vec<&(SwitchId, Vec<Value>)> =
                    twin.iter().filter(|(t, v)| mutant.label(*t) == gate && *v == values).collect();
                assert_eq!(twin.len(), 1);
                let m = mutant.successor(m, twin[0].0, &values).expect("enabled");
                let (s_gate, s_values, s) = answer(spec, &s);
                let (m_gate, m_values, m) = answer(mutant, &m);
                if (s_gate, s_values) != (m_gate, m_values) {
                    return inputs;
                }
                if seen.insert((s.clone(), m.clone())) {
                    next.push((s, m));
                }
            }
        }
        layer = next;
    }
    unreachable!("the loop returns or panics")
}

/// The number of inputs and outputs of a trace after which the mutant no longer follows.
fn killed_at(mutant: &World, trace: &[String]) -> Option<usize> {
    (1..=trace.len()).find(|n| !mutant.can(&trace[..*n].join(" ")))
}

#[test]
fn brp_parts() {
    let w = brp("brp");
    assert_eq!((w.model.locations.len(), w.model.switches.len()), (6, 16));
    // No guard of an input reads a parameter: changing the values changes nothing.
    for state in reachable(&w) {
        for (switch, _) in w.enabled(&state, Direction::Input) {
            let count = w.model.switches[switch].params.len();
            for value in [-7, 0, 1_000_000] {
                assert!(w.successor(&state, switch, &vec![Value::Int(value); count]).is_some());
            }
        }
    }
}

#[test]
fn brp_deterministic() {
    let w = brp("brp");
    let mut taken = BTreeSet::new();
    for state in reachable(&w) {
        let inputs = w.enabled(&state, Direction::Input);
        let outputs = w.enabled(&state, Direction::Output);
        assert!(outputs.len() + usize::from(!inputs.is_empty()) == 1, "an output, or inputs");
        for (switch, values) in &inputs {
            let same = inputs.iter().filter(|(s, v)| w.label(*s) == w.label(*switch) && v == values);
            assert_eq!(same.count(), 1);
        }
        taken.extend(inputs.iter().chain(&outputs).map(|(s, _)| *s));
    }
    assert_eq!(taken.len(), 16, "every switch can be taken");
    assert!(w.model.switches.values().all(|s| matches!(s.label, Label::Gate(_))));
}

#[test]
fn brp_retransmission() {
    for (max_rn, file) in [(5, "brp"), (4, "mutant-2")] {
        let w = brp(file);
        let frame = "!OFRAME(1, 0, 0, 7)";
        let mut trace = format!("?IREQ(7, 8, 9) {frame}");
        for _ in 0..max_rn {
            trace += &format!(" ?ITIMEOUT {frame}");
        }
        assert_eq!(w.run(&trace).after("?ITIMEOUT").output_values(), "!OCONF(0)", "{file}");
    }
}

#[test]
fn brp_mutants() {
    let spec = brp("brp");
    let mutants: Vec<World> = (1..=6).map(|n| brp(&format!("mutant-{n}"))).collect();
    let kills: Vec<usize> = mutants.iter().map(|m| shortest_kill(&spec, m)).collect();
    assert_eq!(kills, [2, 6, 2, 3, 9, 3]);

    // The longest purpose of S0: to "perhaps", by giving up on the last frame.
    let mut long: Vec<String> =
        ["?IREQ(7, 8, 9)", "!OFRAME(1, 0, 0, 7)", "?IACK", "!OFRAME(0, 0, 1, 8)", "?IACK"].map(String::from).to_vec();
    for _ in 0..6 {
        long.extend(["!OFRAME(0, 1, 0, 9)".into(), "?ITIMEOUT".into()]);
    }
    long.push("!OCONF(2)".into());
    assert_eq!(long.len(), 18);
    assert_eq!(killed_at(&spec, &long), None);
    let killed: Vec<_> = mutants.iter().map(|m| killed_at(m, &long)).collect();
    assert_eq!(killed, [None, Some(16), Some(8), Some(6), Some(18), None]);

    let short = ["?IREQ(7, 8, 9)", "!OFRAME(1, 0, 0, 7)", "?IREQ(7, 8, 9)", "!ONOK"].map(String::from);
    assert_eq!((killed_at(&spec, &short), killed_at(&mutants[0], &short)), (None, Some(4)));

    // Mutant 6 needs equal messages.
    let equal =
        ["?IREQ(7, 7, 9)", "!OFRAME(1, 0, 0, 7)", "?IACK", "!OFRAME(0, 0, 1, 7)", "?IACK", "!OFRAME(0, 1, 0, 9)"]
            .map(String::from);
    assert_eq!((killed_at(&spec, &equal), killed_at(&mutants[5], &equal)), (None, Some(6)));
}

#[test]
fn brp_symbolic() {
    let w = brp("brp");
    // The best solver that is there.
    let best = || -> Box<dyn Bounds> { Box::new(BackEnd::Auto.chain()) };
    for merge in [Merge::Included, Merge::Equal, Merge::Nothing] {
        let depth = if merge == Merge::Nothing { 14 } else { 20 };
        let found = w.explore(&best, &ExploreOptions { merge, depth: Some(depth), ..ExploreOptions::default() });
        assert_eq!((found.stop, found.doubts.len()), (Stop::Depth, 0));
        let counters = found.counters;
        assert!(counters.total() > 200);
        assert!(counters.chain.back_end.asked * 20 <= counters.total(), "{counters:?}");
    }
    // Merged, the graph ends, with every switch on it.
    let found = w.explore(&builtin, &ExploreOptions::default());
    assert_eq!((found.stop, found.graph.len(), found.doubts.len()), (Stop::Complete, 197, 0));
    assert_eq!(found.graph.taken(w.model), [Some(true); 16]);
    assert_eq!(found.graph.ids().filter(|n| found.graph.included_in(*n).is_none()).count(), 120);
}
