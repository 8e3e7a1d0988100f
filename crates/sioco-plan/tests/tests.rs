//! Values of traces: they lead along the trace, whoever found them, and are the same on any number of cores.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sioco_model::model::Model;
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::{SymbolId, TermId, Value};
use sioco_plan::drawn_values::Drawer;
use sioco_plan::{Cover, Leg, Plan, PlanOptions, plan};
use sioco_solve::values::{Bounds, Choice, Random};
use sioco_solve::{Answer, Cancellation, Limits, Reason, Solver, Terms};
use support::{builtin, example, model};

fn planned(model: &Model, length: usize, seed: u64, workers: usize) -> Plan {
    let tests = Some(Choice::Random(0));
    let options = PlanOptions {
        strict: true,
        steering: false,
        tests,
        seed,
        workers,
        nodes: 1_000_000,
        ..PlanOptions::new(Cover::Traces(length))
    };
    plan(model, &builtin, &options, &mut |_| {}).expect("traces can be planned")
}

/// Follows the values of a purpose along its legs.
fn check(model: &Model, plan: &Plan, purpose: usize) {
    let purpose = &plan.purposes[purpose];
    let mut interpreter = Interpreter::new(model);
    let mut state = interpreter.initial_default();
    let mut left: &[Value] = purpose.test.as_deref().expect("it has values");
    for leg in purpose.line(purpose.accepts().next().expect("an accept")) {
        let switch = leg.step.switches().next().expect("a switch");
        let count = model.switches[switch].params.len();
        let args: Vec<Value> = match leg.step.is_observable(model) {
            true => {
                let (these, rest) = left.split_at(count);
                left = rest;
                these.to_vec()
            }
            false => Vec::new(),
        };
        let name = &model.switches[switch].name;
        assert_eq!(interpreter.fire(&mut state, switch, &args), Ok(true), "{name} {args:?}");
    }
    assert!(left.is_empty(), "all values are used");
}

/// Later guards ask for values of earlier inputs: seldom drawn, so a solver finds them.
const LATER: &str = "input a(x: Int in 0..100_000)\ninput b(y: Int in 0..3)\noutput c(z: Int)\nprocess P {\n  \
    var s: Int = 0\n  init l0 { first: ?a(x) / s := x -> l1 }\n  \
    state l1 { rare: ?b(y) [s * 2 == 2468 + y] -> l2  usual: ?b(y) [y != s] -> l1 }\n  \
    state l2 { out: !c(s) -> l0 }\n}\n";

/// Many traces of that kind.
const MANY: &str = "input a(x: Int in 0..1000)\ninput b\ninput c\ninput d\ninput e\ninput f\nprocess P {\n  \
    var s: Int = 0\n  init l0 { ?a(x) / s := x -> l1 }\n  state l1 { ?b [s == 100] -> l0  ?c [s == 200] -> l0  \
    ?d [s == 300] -> l0  ?e [s == 400] -> l0  ?f [s == 500] -> l0 }\n}\n";

#[test]
fn the_values_of_a_trace_lead_along_it() {
    for (model, length) in
        [(example("brp/brp"), 8), (model(LATER), 5), (example("prepaid-card/spec"), 5), (example("coffee/coffee"), 6)]
    {
        for seed in 0..3 {
            let plan = planned(&model, length, seed, 2);
            assert!(plan.purposes.len() > 2, "{}", plan.purposes.len());
            (0..plan.purposes.len()).for_each(|p| check(&model, &plan, p));
        }
    }
}

#[test]
fn a_plan_of_traces_does_not_depend_on_the_number_of_cores() {
    for (model, length) in [(example("prepaid-card/spec"), 14), (model(MANY), 9)] {
        let [alone, together] = [1, 3].map(|workers| planned(&model, length, 7, workers));
        // There are several pieces to share.
        assert!(alone.purposes.len() > 600, "{}", alone.purposes.len());
        assert!(together.purposes == alone.purposes && together.counts == alone.counts);
        let [one, other] = [7, 8].map(|seed| planned(&model, 3, seed, 2));
        assert_ne!(one.purposes, other.purposes, "another seed");
    }
}

/// Values that are drawn are of all sizes that there are, and those that the guard does not allow are not among them.
#[test]
fn values_are_drawn_from_what_guards_allow() {
    let model = model(
        "input a(x: Int in 1..1000, y: Int, b: Bool)\nprocess P {\n  init l0 { go: ?a(x, y, b) [10 < x && x <= 20 && \
         x != 15 && y > 100 && b] -> l0 }\n}\n",
    );
    let go = model.switches.ids().next().expect("a switch");
    let leg = Leg::from(sioco_symbolic::step::Step::Switch(go));
    let mut interpreter = Interpreter::new(&model);
    let state = interpreter.initial_default();
    let (mut drawer, mut random) = (Drawer::default(), Random::new(1));
    let mut seen = [0; 21];
    let mut large = 0;
    for _ in 0..1000 {
        let steps = drawer.along(&mut interpreter, &state, &[&leg], &mut random).expect("all of it is plain");
        let [Value::Int(x), Value::Int(y), Value::Bool(true)] = steps[0].1[..] else { panic!("{steps:?}") };
        assert!((11..=20).contains(&x) && x != 15 && y > 100, "{x} {y}");
        seen[x as usize] += 1;
        large += u32::from(y > 10_000);
    }
    assert!((11..=20).all(|x| x == 15 || seen[x] > 70), "{seen:?}");
    assert!((200..800).contains(&large), "{large}");
}

/// Texts are drawn, too: any, of a length, one of a few, and others than those that there are.
#[test]
fn texts_are_drawn_from_what_guards_allow() {
    for guard in [
        "true",
        "len(s) <= 3",
        "len(s) > 2 && 5 >= len(s)",
        "len(s) == 40",
        "s == \"a\" || s == \"b\"",
        "(s == \"a\" || \"bc\" == s || s == t) && len(s) > 1",
        "s != t && s != \"\" && len(s) < 3",
        "!contains(s, \"a\") && len(s) + 1 > 3",
    ] {
        let model = model(&format!(
            "input a(s: String)\nprocess P {{\n  var t: String = \"x\"\n  \
             init l0 {{ go: ?a(s) [{guard}] / t := s -> l0 }}\n}}\n"
        ));
        let go = Leg::from(sioco_symbolic::step::Step::Switch(model.switches.ids().next().expect("a switch")));
        let mut interpreter = Interpreter::new(&model);
        let state = interpreter.initial_default();
        let (mut drawer, mut random) = (Drawer::default(), Random::new(1));
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..100 {
            // Each of them was tried by the interpreter.
            let steps = drawer.along(&mut interpreter, &state, &[&go, &go, &go], &mut random);
            seen.insert(steps.unwrap_or_else(|| panic!("{guard}"))[0].1.clone());
        }
        assert!(seen.len() > 1 || guard.contains("bc"), "{guard}: {seen:?}");
    }
}

/// Who finds nothing again and again stops trying: a solver is asked at once then.
#[test]
fn drawing_in_vain_ends() {
    let model = model(LATER);
    let switch = |name: &str| {
        let found = model.switches.iter().find(|(_, s)| s.name == name);
        Leg::from(sioco_symbolic::step::Step::Switch(found.expect("it is there").0))
    };
    let (first, rare) = (switch("first"), switch("rare"));
    let mut interpreter = Interpreter::new(&model);
    let state = interpreter.initial_default();
    let (mut drawer, mut random) = (Drawer::default(), Random::new(1));
    for _ in 0..20 {
        assert!(drawer.along(&mut interpreter, &state, &[&first, &rare], &mut random).is_none());
    }
    let before = random.clone().bits();
    assert!(drawer.along(&mut interpreter, &state, &[&first], &mut random).is_none());
    assert_eq!(random.bits(), before, "nothing was drawn");
}

/// If there is no time for the tests of the greatest length, those of the greatest one are there for which there was, all
/// of them with values.
#[test]
fn the_greatest_length_with_tests_is_taken() {
    let model = model(LATER);
    // After the search, each length has two solvers of its own: that of 4 steps first, then those of 1, 2, ….
    for (enough_at, stop_at, length) in [(99, 99, 4), (1, 99, 4), (1, 9, 3), (1, 7, 2), (1, 5, 1), (1, 3, 1)] {
        let (enough, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let made = AtomicUsize::new(100);
        let solvers = || {
            let made = made.fetch_add(1, Ordering::Relaxed) + 1;
            enough.fetch_or(made == enough_at, Ordering::Relaxed);
            stop.fetch_or(made == stop_at, Ordering::Relaxed);
            builtin()
        };
        let options = PlanOptions {
            strict: true,
            steering: false,
            tests: Some(Choice::Random(0)),
            workers: 1,
            enough: Some(enough.clone()),
            limits: Limits { cancellation: Cancellation::by(stop.clone()), ..Limits::default() },
            ..PlanOptions::new(Cover::Traces(4))
        };
        let found = plan(&model, &solvers, &options, &mut |_| made.store(0, Ordering::Relaxed));
        let found = found.expect("traces can be planned");
        let told = format!("{enough_at} {stop_at}: {:?}", found.stop);
        assert_eq!((found.length, found.shorter().is_some()), (Some(length), length < 4), "{told}");
        assert_eq!(found.purposes.len(), planned(&model, length, 0, 1).purposes.len(), "{told}");
        assert_eq!(found.purposes.iter().all(|p| p.test.is_some()), stop_at > 3, "{told}");
    }
}

/// The built-in solver; but what it does not decide lasts until somebody gives up: the search, if it can, and otherwise
/// everything.
struct Endless {
    solver: Box<dyn Bounds>,
    enough: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

impl Solver for Endless {
    fn name(&self) -> String {
        "endless".into()
    }

    fn push(&mut self) {
        self.solver.push();
    }

    fn pop(&mut self) {
        self.solver.pop();
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        self.solver.assert(terms, conjunct);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        match self.solver.check(terms, limits, want_witness) {
            Answer::Unknown(_) => {
                self.enough.store(true, Ordering::Relaxed);
                self.stop.fetch_or(!limits.cancelled(), Ordering::Relaxed);
                Answer::Unknown(Reason::Cancelled)
            }
            answer => answer,
        }
    }
}

impl Bounds for Endless {
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>) {
        self.solver.bounds(symbol)
    }
}

/// A question that takes all the time of the search leaves that for the tests of what was found before it.
#[test]
fn a_hard_question_leaves_time_for_shorter_tests() {
    let model = model(
        "input b\ninput c(p: Int, r: Int, w: Int)\noutput x(q: Int)\nprocess P {\n  var s: Int = 0\n  \
         init l0 { ?b -> l1 }\n  state l1 { !x(any q) / s := q -> l2 }\n  \
         state l2 { ?c(p, r, w) [p*p*p + r*r*r == w*w + 33 && p > s && w > 1000] -> l0 }\n}\n",
    );
    let (enough, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let solvers =
        || -> Box<dyn Bounds> { Box::new(Endless { solver: builtin(), enough: enough.clone(), stop: stop.clone() }) };
    let options = PlanOptions {
        steering: false,
        tests: Some(Choice::Min),
        workers: 1,
        enough: Some(enough.clone()),
        limits: Limits { cancellation: Cancellation::by(stop.clone()), ..Limits::default() },
        ..PlanOptions::new(Cover::Traces(3))
    };
    let found = plan(&model, &solvers, &options, &mut |_| {}).expect("traces can be planned");
    assert!(enough.load(Ordering::Relaxed), "the question is a hard one");
    assert_eq!((found.length, found.shorter().is_some()), (Some(2), true));
    assert!(found.purposes.len() == 1 && found.purposes[0].test.is_some(), "{:?}", found.purposes);
}
