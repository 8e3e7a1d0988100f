//! S2's theorems on thousands of random pairs of small models, judged by trying everything.

mod mealy;
#[path = "../benches/support/mod.rs"]
mod support;

use std::time::Duration;

use mealy::Pair;
use mealy::generate::Kind;
use mealy::judge::{inputs, judge, outputs};
use sioco_exec::player::{Manners, Player, Unspecified};
use sioco_exec::sut::{Fault, Order, Polled};
use sioco_exec::{Driver, GateValue, NoClock, RunNumber, Settings, Summary, Sut, Verdict, drive};
use sioco_model::Model;
use sioco_model::model::Label;
use sioco_model::semantics::{Interpreter, State};
use sioco_plan::compare::{CompareOptions, Compared, Conformance, Cover, Defined, compare, compose, join};
use sioco_plan::{Event, Plan};
use sioco_symbolic::Stop;
use support::campaign::solvers;

const LENGTH: usize = 3;

fn compared(spec: &Model, imp: &Model, cover: Cover) -> Compared {
    let options = CompareOptions { cover, ..CompareOptions::default() };
    compare(spec, imp, &solvers, &options, &mut |_| {}).expect("they can be compared")
}

/// A model that plays a system and refuses what it does not define.
fn player(system: &Model) -> Player<'_> {
    Player::new(system).with_manners(Manners { unspecified: Unspecified::Refuse, ..Manners::default() })
}

/// Runs a plan against a model that plays the system.
fn run(spec: &Model, plan: &Plan, system: &Model) -> Summary {
    let mut tester = Driver::new(spec, &solvers, plan, Settings::default());
    drive(&mut tester, &mut player(system), &mut NoClock, &mut |_| {})
}

/// A player that announces silence as soon as it is silent, asked or not, as some adapters do.
struct Telling<'m>(Player<'m>);

impl Sut for Telling<'_> {
    fn order(&self) -> Order {
        self.0.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.0.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.0.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        self.0.poll(wait.max(Duration::from_millis(1)))
    }
}

/// The same as [`run`], with silences that nobody asks for.
fn run_telling(spec: &Model, plan: &Plan, system: &Model) -> Summary {
    let mut tester = Driver::new(spec, &solvers, plan, Settings { attempts: 1, ..Settings::default() });
    drive(&mut tester, &mut Telling(player(system)), &mut NoClock, &mut |_| {})
}

/// Whether nothing speaks against a system. What was a probe and nothing else says nothing.
fn passes(summary: &Summary) -> bool {
    let only_probes = summary.runs == [0; 5] && summary.probing > 0;
    summary.verdict.is_none_or(|v| v <= Verdict::WeakPass || only_probes && v == Verdict::Inconclusive)
}

/// How many inputs show the difference, or why a solver left it open.
fn found(compared: &Compared) -> Result<Option<usize>, String> {
    match &compared.conformance {
        Conformance::Conforms { .. } => Ok(None),
        Conformance::Differs(difference) => Ok(Some(difference.inputs)),
        Conformance::Unknown { reason, .. } => Err(reason.to_string()),
    }
}

/// The shortest sequence of inputs after which an implementation does what the specification does not allow after the
/// same observations, or does not take what it defines then in every state that explains them: by trying everything.
fn observed(spec: &Model, imp: &Model, all: &[GateValue], length: usize) -> Option<usize> {
    let (mut s, mut t) = (Interpreter::new(spec), Interpreter::new(imp));
    let start = (s.closure(vec![s.initial_default()]).expect("a start").states, t.initial_default());
    let mut layer = vec![start];
    let mut next = Vec::new();
    for depth in 0..=length {
        for (states, at) in layer {
            for (outs, settled) in answers(&mut t, imp, at) {
                let mut left = states.clone();
                for out in &outs {
                    left = s.after(left, out.gate, &out.args).expect("defined").states;
                }
                left = s.after_delta(left).expect("defined").states;
                if left.is_empty() {
                    return Some(depth);
                }
                next.push((left, settled));
            }
        }
        layer = Vec::new();
        if depth == length {
            break;
        }
        let mut refused = false;
        for (states, at) in next.drain(..) {
            for input in all {
                let taken = s.after(states.clone(), input.gate, &input.args).expect("defined").states;
                if taken.is_empty() {
                    continue;
                }
                let of_imp = t.successors(&at, input.gate, &input.args).expect("defined");
                // Whoever may be in a state that does not define it need not take it.
                let all_take = states.iter().all(|state| {
                    !s.after(vec![state.clone()], input.gate, &input.args).expect("defined").states.is_empty()
                });
                refused |= of_imp.is_empty() && all_take;
                layer.extend(of_imp.into_iter().map(|(_, to)| (taken.clone(), to)));
            }
        }
        if refused {
            return Some(depth + 1);
        }
    }
    None
}

/// All that a model may do by itself until it waits.
fn answers(run: &mut Interpreter<'_>, model: &Model, state: State) -> Vec<(Vec<GateValue>, State)> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), state)];
    while let Some((outs, at)) = open.pop() {
        let internal = run.internal_steps(&at).expect("defined");
        let outputs: Vec<_> = run.outputs_at(&at).collect();
        let mut waits = internal.is_empty();
        open.extend(internal.into_iter().map(|(_, to)| (outs.clone(), to)));
        for switch in outputs {
            let Label::Gate(gate) = model.switches[switch].label else { continue };
            for args in run.choices(&at, switch).expect("few") {
                waits = false;
                let mut to = at.clone();
                run.take(&mut to, switch, &args).expect("defined");
                let more: Vec<GateValue> = outs.iter().cloned().chain([GateValue { gate, args }]).collect();
                open.push((more, to));
            }
        }
        if waits {
            found.push((outs, at));
        }
    }
    found
}

/// Specifications that may choose: what they allow after the same observations.
#[test]
fn specifications_may_choose() {
    let seeds = seeds(100);
    let (mut differ, mut same, mut unknown, mut together) = (0, 0, 0, 0);
    for internal in [false, true] {
        for seed in 0..seeds {
            let pair = Pair::new(seed, Kind { choices: true, internal });
            let (spec, imp) = pair.models();
            let known = observed(&spec, &imp, &inputs(&spec), LENGTH);
            let compared = compared(&spec, &imp, Cover::Length(LENGTH));
            match found(&compared) {
                Ok(found) => assert_eq!(found, known, "{:?}\n{}", compared.conformance, pair.show()),
                Err(_) => unknown += 1,
            }
            // Whatever they choose, and whatever only some of the states define that they may be in.
            let itself = self::compared(&spec, &spec, Cover::Length(LENGTH));
            assert!(
                !matches!(itself.conformance, Conformance::Differs(_)),
                "{:?}\n{}",
                itself.conformance,
                pair.show()
            );
            together += u64::from(compared.work.together);
            differ += u64::from(known.is_some());
            same += u64::from(known.is_none());
            let Ok(suite) = &compared.suite else { panic!("{:?}\n{}", compared.suite, pair.show()) };
            let summary = run(&spec, &suite.plan, &imp);
            let fails = summary.verdict == Some(Verdict::Fail);
            assert!(!fails || known.is_some(), "{summary:?}\n{}", pair.show());
            let own = run(&spec, &suite.plan, &spec);
            // Whoever makes other allowed choices than a test has is not left open.
            assert!(passes(&own), "{own:?}\n{}", pair.show());
            let conforms = known.is_none() && found(&compared) == Ok(None);
            assert!(!conforms || passes(&summary), "{summary:?}\n{}", pair.show());
        }
    }
    println!("{differ} differ, {same} do not, {unknown} unknown; {together} took all states together");
    assert!(together > seeds / 10, "{together}");
    assert!(differ > seeds / 4 && same > seeds / 4 && unknown * 200 <= differ + same, "{differ} {same} {unknown}");
}

/// Differences that one test on a path does not show, or only who waits: outputs that agree for some inputs, and answers
/// that are longer or shorter than they should be.
#[test]
fn differences_that_hide_are_found() {
    let gates = "input a(x: Int in 0..9)\ninput b\noutput u(y: Int)\noutput v\n";
    let cases = [
        ("init l { ?a(x) ; !u(x) -> l }", "init l { ?a(x) ; !u(2 * x) -> l }", 1),
        ("init l { ?a(x) ; !u(x + 1) -> l }", "init l { ?a(x) ; !u(1) -> l }", 1),
        // They agree for 1 and 2, and for 0 and 9.
        ("init l { ?a(x) ; !u(x * x) -> l }", "init l { ?a(x) ; !u(3 * x - 2) -> l }", 1),
        ("init l { ?a(x) ; !u(x * x) -> l }", "init l { ?a(x) ; !u(9 * x) -> l }", 1),
        // They agree for 0, 1 and 9.
        ("init l { ?a(x) ; !u(x * x * x + 9 * x) -> l }", "init l { ?a(x) ; !u(10 * x * x) -> l }", 1),
        // In the input before.
        (
            "var n: Int = 0 init l { ?a(x) / n := x ; !v -> m } state m { ?b ; !u(n) -> l }",
            "var n: Int = 0 init l { ?a(x) / n := 3 * x ; !v -> m } state m { ?b ; !u(n) -> l }",
            2,
        ),
        ("init l { ?b ; !v -> l }", "init l { ?b ; !v ; !v -> l }", 1),
        ("init l { ?b ; !v ; !v -> l }", "init l { ?b ; !v -> l }", 1),
        ("init l { ?b -> l  ?a(x) ; !v -> l }", "init l { ?b ; !v -> l  ?a(x) ; !v -> l }", 1),
        ("init l { ?b ; !v -> l  ?a(x) ; !v -> l }", "init l { ?b -> l  ?a(x) ; !v -> l }", 1),
        // The last one is refused, and what comes after it.
        ("init l { ?a(x) ; !u(x) -> l }", "init l { ?a(x) [x < 9] ; !u(x) -> l }", 1),
        ("init l { ?b ; !v -> m } state m { ?b ; !v -> l }", "init l { ?b ; !v -> m } state m { }", 2),
    ];
    for (spec, imp, inputs) in cases {
        let of = |process: &str| mealy::model(&format!("{gates}process P {{ {process} }}"));
        let (s, t) = (of(spec), of(imp));
        let compared = compared(&s, &t, Cover::Transitions);
        assert_eq!(found(&compared), Ok(Some(inputs)), "{spec}\n{imp}");
        let suite = compared.suite.expect("the outputs have a degree");
        assert_eq!(run(&s, &suite.plan, &t).verdict, Some(Verdict::Fail), "{spec}\n{imp}");
        assert_eq!(run(&s, &suite.plan, &s).verdict, Some(Verdict::Pass), "{spec}\n{imp}");
    }
}

/// Theorems 1 and 2: whatever inputs one of the models takes, there is a path of the composition for them, which says who
/// takes them; and a path of the composition takes only such inputs.
#[test]
fn the_composition_covers_both_models_and_nothing_else() {
    let seeds = seeds(60);
    let mut counts = [0, 0, 0];
    for internal in [false, true] {
        for seed in 0..seeds {
            let pair = Pair::new(seed, Kind { choices: false, internal });
            let (spec, imp) = pair.models();
            let joined = join(&spec, &imp).expect("they can be compared");
            let all = inputs(&spec);
            let one = all.iter().map(|a| vec![a.clone()]);
            let two = all.iter().flat_map(|a| all.iter().map(|b| vec![a.clone(), b.clone()]));
            let sequences: Vec<Vec<GateValue>> = one.chain(two).collect();
            let event = |i: &GateValue| Event { gate: i.gate, args: i.args.clone() };
            let events: Vec<Vec<Event>> = sequences.iter().map(|s| s.iter().map(event).collect()).collect();
            let options = CompareOptions { cover: Cover::Length(2), ..CompareOptions::default() };
            let (composition, taken) = compose(&joined, &solvers, &options, &events).expect("they can be composed");
            for (sequence, taken) in sequences.iter().zip(taken) {
                let takes = |model: &Model| !outputs(&spec, model, sequence).is_empty();
                let expected = match (takes(&spec), takes(&imp)) {
                    (true, true) => Some(Defined::Both),
                    (true, false) => Some(Defined::Spec),
                    (false, true) => Some(Defined::Impl),
                    (false, false) => None,
                };
                let found: Vec<Defined> = taken.iter().map(|t| composition.transitions[*t].defined).collect();
                assert_eq!(found, Vec::from_iter(expected), "{sequence:?}\n{}", pair.show());
                if let Some(by) = expected {
                    counts[by as usize] += 1;
                }
            }
        }
    }
    println!("inputs of both, of the specification, of the implementation: {counts:?}");
    assert!(counts.iter().all(|n| *n > 10), "{counts:?}");
}

/// How many pairs: more if somebody wants to wait.
fn seeds(usual: u64) -> u64 {
    let seeds = std::env::var("SIOCO_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    println!("seeds 0..{seeds}");
    seeds
}

/// Theorem 3 for deterministic models with affine outputs, and definition 6: the comparison finds a difference exactly
/// where there is one, and one of the shortest; the suite fails exactly those that do not conform.
#[test]
fn suites_are_sound_and_exhaustive() {
    let seeds = seeds(200);
    let (mut killed, mut passed, mut unknown) = (0, 0, 0);
    for internal in [false, true] {
        for seed in 0..seeds {
            let pair = Pair::new(seed, Kind { choices: false, internal });
            let (spec, imp) = pair.models();
            let judgement = judge(&spec, &imp, &inputs(&spec), LENGTH);
            let compared = compared(&spec, &imp, Cover::Length(LENGTH));
            let known = judgement.inputs().map(<[_]>::len);
            match found(&compared) {
                Ok(found) => assert_eq!(found, known, "{judgement:?}\n{}", pair.show()),
                Err(_) => unknown += 1,
            }
            let suite = compared.suite.unwrap_or_else(|none| panic!("{none:?}"));
            let summary = run(&spec, &suite.plan, &imp);
            let fails = summary.verdict == Some(Verdict::Fail);
            // What a solver left open may be missing, and nothing else.
            if suite.open.is_empty() || fails {
                assert_eq!(fails, known.is_some(), "{judgement:?} {summary:?}\n{}", pair.show());
            }
            assert_ne!(summary.verdict, Some(Verdict::Error), "{summary:?}\n{}", pair.show());
            let own = run(&spec, &suite.plan, &spec);
            assert!(passes(&own), "{own:?}\n{}", pair.show());
            // A silence that is announced and that no test asks for leads away from none.
            let told = run_telling(&spec, &suite.plan, &spec);
            assert!(passes(&told), "{told:?}\n{}", pair.show());
            killed += u64::from(fails);
            passed += u64::from(!fails);
        }
    }
    println!("{killed} killed, {passed} passed, {unknown} unknown");
    assert!(
        killed > seeds / 4 && passed > seeds / 4 && unknown * 200 <= killed + passed,
        "{killed} {passed} {unknown}"
    );
}

/// The same for a path to every transition: states that are included in others need not be followed again. What is
/// proved to conform does so at any length that can be tried.
#[test]
fn a_path_to_every_transition_is_enough() {
    let seeds = seeds(40);
    let (mut proved, mut killed) = (0, 0);
    for internal in [false, true] {
        for seed in 0..seeds {
            let pair = Pair::new(seed, Kind { choices: false, internal });
            let (spec, imp) = pair.models();
            let options = CompareOptions { length: Some(6), nodes: 80, ..CompareOptions::default() };
            let compared = compare(&spec, &imp, &solvers, &options, &mut |_| {}).expect("they can be compared");
            let known = judge(&spec, &imp, &inputs(&spec), 4);
            let proves = matches!(compared.conformance, Conformance::Conforms { proved: true, .. });
            assert!(!proves || known.conforms(), "{known:?}\n{}", pair.show());
            if let Ok(Some(found)) = found(&compared) {
                let known = known.inputs().map(<[_]>::len);
                assert!(if found <= 4 { known == Some(found) } else { known.is_none() }, "{found} {}", pair.show());
            }
            proved += u64::from(proves);
            let suite = compared.suite.unwrap_or_else(|none| panic!("{none:?}"));
            let summary = run(&spec, &suite.plan, &imp);
            let fails = summary.verdict == Some(Verdict::Fail);
            let differs = matches!(compared.conformance, Conformance::Differs(_));
            let whole = compared.composition.stop == Stop::Complete && suite.open.is_empty();
            assert!(!fails || differs, "{summary:?}\n{}", pair.show());
            assert!(fails || !differs || !whole, "{summary:?}\n{}", pair.show());
            killed += u64::from(fails);
        }
    }
    println!("{proved} proved, {killed} killed");
    assert!(proved > seeds / 8 && killed > seeds / 8, "{proved} {killed}");
}

/// A system that makes another allowed choice than a test has gets the rest of the inputs all the same: what it does wrong
/// after them is found.
#[test]
fn the_inputs_of_a_test_are_sent_whatever_is_chosen() {
    let gates = "input a\ninput b\noutput u\noutput v\n";
    let of = |process: &str| mealy::model(&format!("{gates}process P {{ {process} }}"));
    let spec = of("init l { ?a -> c } state c { !u -> m  !v -> m } state m { ?b ; !u -> l }");
    let imp = of("init l { ?a ; !u -> m } state m { ?b ; !u -> l }");
    let other = of("init l { ?a ; !v -> m } state m { ?b ; !u -> l }");
    let wrong = of("init l { ?a ; !v -> m } state m { ?b ; !v -> l }");
    let mut suite = compared(&spec, &imp, Cover::Transitions).suite.expect("a suite");
    // Only the ways of `u`.
    let u = spec.gate("u").expect("a gate");
    suite.plan.purposes.retain(|p| {
        let first = p.nodes[0..].iter().filter_map(|n| n.leg.as_ref()?.step.switches().next()).nth(1);
        first.is_some_and(|s| spec.switches[s].label == Label::Gate(u))
    });
    assert!(suite.plan.purposes.iter().any(|p| p.nodes.len() > 3), "{:?}", suite.plan.purposes);
    assert_eq!(run(&spec, &suite.plan, &imp).verdict, Some(Verdict::Pass));
    let summary = run(&spec, &suite.plan, &other);
    assert_eq!(summary.verdict, Some(Verdict::Pass), "{summary:?}");
    assert!(summary.purposes.iter().all(|p| p.otherwise), "{summary:?}");
    assert_eq!(run(&spec, &suite.plan, &wrong).verdict, Some(Verdict::Fail));
}
