//! The published register automata of the Bounded Retransmission Protocol and our models of it have the same traces:
//! a product search over inputs with data {0, 1}, twelve steps deep, for the reference and each mutant. And the search
//! can fail: it tells every mutant from the reference.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use sioco_lang::check::{CheckOptions, check_file};
use sioco_lang::source::FsLoader;
use sioco_lang::{check_text, import};
use sioco_model::semantics::{Interpreter, State};
use sioco_model::{GateId, Model, Value};

const DEPTH: usize = 12;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder with the published files, if it is there.
fn published() -> Option<PathBuf> {
    let folder = project().join("../shared/bench/brp/raxml");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is not there", folder.display());
    None
}

fn ours(name: &str) -> Model {
    let path = project().join("examples/brp").join(name);
    let checked = check_file(&path, &FsLoader, &CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{name}: {:#?}", checked.diagnostics);
    checked.model.expect("a model").model
}

fn theirs(folder: &Path, name: &str) -> Model {
    let xml = std::fs::read_to_string(folder.join(name)).expect("readable");
    let imported = import::raxml(&xml, name).expect("imports");
    let checked = check_text(name, &imported.text);
    assert!(checked.diagnostics.is_empty(), "{name}: {:#?}", checked.diagnostics);
    checked.model.expect("a model").model
}

/// A gate by name, with values.
type Event = (String, Vec<Value>);

/// The states of one side, and what can be observed in them.
struct Side<'m> {
    interpreter: Interpreter<'m>,
}

impl<'m> Side<'m> {
    fn new(model: &'m Model) -> Self {
        Side { interpreter: Interpreter::new(model) }
    }

    fn start(&mut self) -> Vec<State> {
        let state = self.interpreter.initial_default();
        self.interpreter.closure(vec![state]).expect("finite").states
    }

    fn gate(&self, name: &str) -> GateId {
        self.interpreter.model().gate(name).expect("both sides have the same gates")
    }

    fn after(&mut self, states: &[State], event: &Event) -> Vec<State> {
        let gate = self.gate(&event.0);
        let closure = self.interpreter.after(states.to_vec(), gate, &event.1).expect("finite");
        assert!(!closure.cut);
        let mut states = closure.states;
        states.sort();
        states
    }

    fn outputs(&mut self, states: &[State]) -> Vec<Event> {
        let model = self.interpreter.model();
        let mut events = Vec::new();
        for state in states {
            for offer in self.interpreter.outputs(state).expect("defined") {
                assert!(offer.fixed, "the protocol leaves no values open");
                let sioco_model::model::Label::Gate(gate) = model.switches[offer.switch].label else {
                    unreachable!("outputs are at gates")
                };
                events.push((model.gates[gate].name.clone(), offer.args));
            }
        }
        events.sort();
        events.dedup();
        events
    }
}

fn inputs() -> Vec<Event> {
    let mut all = vec![("IACK".to_string(), vec![]), ("ITIMEOUT".to_string(), vec![])];
    for n in 0..8 {
        all.push(("IREQ".into(), (0..3).map(|bit| Value::Int(n >> bit & 1)).collect()));
    }
    all
}

/// A shortest trace that only one of the two models has, up to the depth.
fn difference(a: &Model, b: &Model) -> Option<Vec<Event>> {
    let (mut a, mut b) = (Side::new(a), Side::new(b));
    let start = (a.start(), b.start());
    let mut seen = HashSet::from([start.clone()]);
    let mut open = VecDeque::from([(start, Vec::new())]);
    while let Some(((sa, sb), trace)) = open.pop_front() {
        if trace.len() == DEPTH {
            continue;
        }
        let mut events = inputs();
        events.extend(a.outputs(&sa));
        events.extend(b.outputs(&sb));
        events.dedup();
        for event in events {
            let next = (a.after(&sa, &event), b.after(&sb, &event));
            let mut trace = trace.clone();
            trace.push(event);
            match (next.0.is_empty(), next.1.is_empty()) {
                (true, true) => {}
                (false, false) => {
                    if seen.insert(next.clone()) {
                        open.push_back((next, trace));
                    }
                }
                _ => return Some(trace),
            }
        }
    }
    None
}

#[test]
fn the_reference_agrees_with_the_published_automata() {
    let Some(folder) = published() else { return };
    let ours = ours("brp.sts");
    for file in ["BRP_reference.register.xml", "BRP_reference.register_typed.xml"] {
        assert_eq!(difference(&ours, &theirs(&folder, file)), None, "{file}");
    }
}

#[test]
fn each_mutant_agrees_with_its_published_automaton() {
    let Some(folder) = published() else { return };
    for n in 1..=6 {
        let found =
            difference(&ours(&format!("mutant-{n}.sts")), &theirs(&folder, &format!("BRP_mutant{n}.register.xml")));
        assert_eq!(found, None, "mutant {n}");
    }
}

#[test]
fn the_search_tells_each_mutant_from_the_reference() {
    // Input/output pairs until the difference shows, from the description of the benchmark; 5 and 6 within the depth
    // only if it reaches that far.
    let reference = ours("brp.sts");
    for (n, pairs) in [(1, 2), (2, 6), (3, 2), (4, 3), (6, 3)] {
        let trace = difference(&reference, &ours(&format!("mutant-{n}.sts"))).unwrap_or_else(|| panic!("mutant {n}"));
        assert_eq!(trace.len(), 2 * pairs, "mutant {n}: {trace:?}");
    }
    // Mutant 5 needs nine pairs.
    assert_eq!(difference(&reference, &ours("mutant-5.sts")), None);
}
