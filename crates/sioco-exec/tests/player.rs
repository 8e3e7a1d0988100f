//! A model played as a system under test does only what the model allows.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sioco_exec::player::{Manners, Unspecified};
use sioco_exec::{Action, FaultKind, GateValue, Observation, Player, Polled, RunNumber, Sut, SutEvent};
use sioco_lang::check::{check_file, check_text};
use sioco_lang::source::FsLoader;
use sioco_model::model::{Direction, Label, Model};
use sioco_model::semantics::{Interpreter, State};
use sioco_model::{SwitchId, Value};
use sioco_solve::values::Random;
use sioco_solve::{BackEnd, StateOracle};

const WAIT: Duration = Duration::from_secs(1);

fn model(text: &str) -> Model {
    let checked = check_text("played.sts", text);
    assert!(checked.model.is_some(), "{:?}", checked.diagnostics);
    checked.model.expect("it was there").model
}

fn examples() -> Vec<(PathBuf, Model)> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).expect("the examples are there") {
            let path = entry.expect("the examples can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "sts")
                && let Some(checked) = check_file(&path, &FsLoader, &Default::default()).model
            {
                found.push((path, checked.model));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() > 30, "{}", found.len());
    found
}

/// An input that some state specifies.
fn some_input(model: &Model, run: &mut Interpreter<'_>, states: &[State], random: &mut Random) -> Option<GateValue> {
    let mut found = Vec::new();
    for state in states {
        for (id, s) in model.switches.iter() {
            let Label::Gate(gate) = s.label else { continue };
            if model.gates[gate].direction != Direction::Input || state.location(s.process) != s.source {
                continue;
            }
            for _ in 0..4 {
                let args = s.params.iter().map(|p| match model.sorts.cardinality(p.sort) {
                    Some(n) if n < 1_000 => model.sorts.nth_value(p.sort, random.below(n)).expect("below the size"),
                    _ if p.sort == model.sorts.real => Value::real(random.between(-3, 300).into()),
                    _ => Value::Int(random.between(-3, 300)),
                });
                let args: Vec<Value> = args.collect();
                if run.is_gate_value(gate, &args) && run.enabled(state, id, &args) == Ok(true) {
                    found.push(GateValue { gate, args });
                }
            }
            if let Ok(Some(args)) = run.example(state, id) {
                found.push(GateValue { gate, args });
            }
        }
    }
    let chosen = random.below(found.len() as u64) as usize;
    (!found.is_empty()).then(|| found.swap_remove(chosen))
}

/// What was seen in some runs of a model: outputs, silences, inputs.
#[derive(Default)]
struct Seen {
    outputs: u64,
    silences: u64,
    inputs: u64,
}

/// Plays a model against its own semantics.
fn play(name: &str, model: &Model, manners: &Manners, seed: u64, steps: u32, seen: &mut Seen) {
    let mut player = Player::new(model).with_manners(manners.clone());
    let mut run = Interpreter::new(model);
    let mut random = Random::new(seed);
    player.reset(RunNumber(1), seed).expect("the model has an initial state");
    let mut states = run.closure(vec![player.states()[0].clone()]).expect("internal steps can be followed").states;
    let mut sent: Option<GateValue> = None;
    for step in 0..steps {
        let at = || format!("{name}, seed {seed}, {manners:?}, step {step}");
        if sent.is_none() && random.below(2) == 0 {
            sent = some_input(model, &mut run, &states, &mut random);
            if let Some(input) = &sent {
                player.send(u64::from(step), input).expect("an input can be sent");
            }
        }
        let wait = if random.below(4) == 0 { Duration::ZERO } else { WAIT };
        let mut taken = false;
        let after = match player.poll(wait).unwrap_or_else(|e| panic!("{}: {e}", at())) {
            Polled::Event(SutEvent::Accepted { .. }) => {
                seen.inputs += 1;
                taken = true;
                let input = sent.take().expect("an input was sent");
                run.after(states.clone(), input.gate, &input.args)
            }
            Polled::Event(SutEvent::Observed(Observation::Output(output))) => {
                seen.outputs += 1;
                assert!(run.is_gate_value(output.gate, &output.args), "{}: {}", at(), output.show(model));
                run.after(states.clone(), output.gate, &output.args)
            }
            Polled::Event(SutEvent::Observed(Observation::Delta)) => {
                assert!(!wait.is_zero() && sent.is_none(), "{}", at());
                seen.silences += 1;
                run.after_delta(states.clone())
            }
            Polled::Event(SutEvent::Observed(Observation::Closed)) => {
                let closed = model.gate("closed").unwrap_or_else(|| panic!("{}: it ended", at()));
                let after =
                    run.after(states, closed, &[]).unwrap_or_else(|e| panic!("{}: {}", at(), e.describe(model)));
                assert!(!after.states.is_empty(), "{}: the end is not allowed", at());
                return;
            }
            Polled::Nothing => continue,
            other => panic!("{}: {other:?}", at()),
        };
        let after = after.unwrap_or_else(|e| panic!("{}: {}", at(), e.describe(model)));
        if after.states.is_empty() {
            assert!(taken, "{}: not allowed", at());
            // Outputs overtook the input, and it is not specified any more: after that, anything may happen.
            return;
        }
        states = after.states;
    }
}

#[test]
fn examples_conform_to_themselves() {
    let all = [
        Manners::default(),
        Manners { silence: 100, outputs_first: 0, prompt: 0, waits: 0, unspecified: Unspecified::Ignore },
        Manners { silence: 0, outputs_first: 100, prompt: 50, waits: 100, unspecified: Unspecified::Ignore },
    ];
    let mut seen = Seen::default();
    for (path, model) in examples() {
        for seed in 0..8 {
            for manners in &all {
                play(&path.display().to_string(), &model, manners, seed, 60, &mut seen);
            }
        }
    }
    assert!(seen.outputs > 5_000 && seen.silences > 1_000 && seen.inputs > 5_000);
}

const BRANCHES: &str = "
input a(p: Int in 0..9)
output o(x: Int)
output other
process P {
  var x: Int = 0
  init s {
    ?a(p)               / x := p -> s
    tau [x > 5]                  -> t
    tau any k: Int in 0..3 [k <= x] / x := x - k -> u
    !other [x == 2]              -> s
  }
  state t {
    !o(any p) [p > x && p < x + 4] / x := 0 -> s
    tau                                     -> v
  }
  state u {
    !o(x) / x := 0       -> s
    ?a(p) [p > 3]        -> t
    tau                  -> s
  }
  state v {
    tau    -> w
    ?a(p)  -> v
  }
  state w {
    tau    -> v
    tau    -> t
  }
}
";

#[test]
fn internal_steps_and_hidden_choices() {
    let model = model(BRANCHES);
    let mut seen = Seen::default();
    for seed in 0..200 {
        play("branches", &model, &Manners::default(), seed, 60, &mut seen);
    }
    assert!(seen.outputs > 1_000 && seen.silences > 100, "{} {}", seen.outputs, seen.silences);
}

/// The next event of a player that is waited for.
fn next(player: &mut Player<'_>) -> SutEvent {
    match player.poll(WAIT).expect("the model goes on") {
        Polled::Event(event) => event,
        other => panic!("{other:?}"),
    }
}

fn output(player: &mut Player<'_>) -> Option<GateValue> {
    match next(player) {
        SutEvent::Observed(Observation::Output(output)) => Some(output),
        SutEvent::Observed(Observation::Delta) => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn silence_and_outputs_where_both_are_allowed() {
    let model = model("output o\nprocess P {\n  init s { tau -> t\n tau -> u }\n  state t { !o -> u }\n  final u\n}\n");
    let silences = |silence| {
        let mut player = Player::new(&model).with_manners(Manners { silence, ..Manners::default() });
        let silent = |seed: &u64| {
            player.reset(RunNumber(1), *seed).expect("an initial state");
            output(&mut player).is_none()
        };
        (0..200).filter(silent).count()
    };
    assert_eq!((silences(0), silences(100)), (0, 200));
    assert!((60..140).contains(&silences(50)), "{}", silences(50));
}

#[test]
fn values_that_the_system_chooses_are_spread() {
    let model = model(
        "output few(p: Int)\noutput many(p: Int)\noutput hard(p: Int, q: Int)\nprocess P {\n  var x: Int = 40\n  init s { !few(any p) [x < p <= x + 3] -> t }\n  state t { !many(any p) [p > x] -> u }\n  state u { !hard(any p, any q) [p * q == 1_001 && p > 1 && q > 1 && p < 1_000 && q < 1_000] -> u }\n}\n",
    );
    let mut drawn: [Vec<GateValue>; 3] = Default::default();
    let oracle = StateOracle::new(&model.terms, &model.sorts, BackEnd::Auto);
    let mut player = Player::new(&model).with_oracle(Arc::new(Mutex::new(oracle)));
    for seed in 0..40 {
        player.reset(RunNumber(1), seed).expect("an initial state");
        for drawn in &mut drawn {
            drawn.push(output(&mut player).unwrap_or_else(|| panic!("an output, seed {seed}")));
        }
    }
    for (drawn, least) in drawn.iter_mut().zip([3, 5, 2]) {
        drawn.sort();
        drawn.dedup();
        assert!(drawn.len() >= least, "{drawn:?}");
    }
    // Without anybody to ask, too.
    let mut player = Player::new(&model);
    player.reset(RunNumber(1), 7).expect("an initial state");
    assert!(output(&mut player).is_some() && output(&mut player).is_some());
    let fault = player.poll(WAIT).expect_err("whether it is silent cannot be told");
    assert!(fault.message.contains("it is unknown whether it gives an output here or is quiescent"), "{fault}");
    assert_eq!(fault.kind, FaultKind::Solver);
}

#[test]
fn inputs_that_nothing_specifies() {
    let text = "input a\ninput b\noutput o\nprocess P {\n  init s { ?a -> t }\n  state t { !o -> u }\n  state u { ?b -> s }\n}\n";
    let model = model(text);
    let (a, b) = (model.gate("a").expect("declared"), model.gate("b").expect("declared"));
    let (a, b) = (GateValue { gate: a, args: vec![] }, GateValue { gate: b, args: vec![] });
    let start = |unspecified, waits| {
        let manners = Manners { unspecified, waits, outputs_first: 0, ..Manners::default() };
        let mut player = Player::new(&model).with_manners(manners);
        player.reset(RunNumber(1), 0).expect("an initial state");
        player.send(1, &a).expect("sent");
        assert_eq!(next(&mut player), SutEvent::Accepted { id: 1 });
        player.send(2, &b).expect("sent");
        player
    };
    let mut waits = start(Unspecified::Ignore, 100);
    assert!(matches!(next(&mut waits), SutEvent::Observed(Observation::Output(_))));
    assert_eq!(next(&mut waits), SutEvent::Accepted { id: 2 });
    assert_eq!(waits.states()[0].locations(), &[model.location("s").expect("declared")]);
    assert_eq!(next(&mut waits), SutEvent::Observed(Observation::Delta));
    assert_eq!(waits.poll(WAIT), Ok(Polled::Nothing), "silence is announced once");
    waits.send(3, &b).expect("sent");
    assert_eq!(next(&mut waits), SutEvent::Accepted { id: 3 });

    let mut ignores = start(Unspecified::Ignore, 0);
    assert_eq!(next(&mut ignores), SutEvent::Accepted { id: 2 });
    assert!(output(&mut ignores).is_some());

    // What it takes is asked for where it waits.
    let mut refuses = start(Unspecified::Refuse, 0);
    assert!(matches!(next(&mut refuses), SutEvent::Observed(Observation::Output(_))));
    assert_eq!(next(&mut refuses), SutEvent::Accepted { id: 2 });
    refuses.send(3, &b).expect("sent");
    assert!(matches!(next(&mut refuses), SutEvent::Refused { id: 3, .. }));
    refuses.send(3, &GateValue { gate: a.gate, args: vec![Value::Int(1)] }).expect("sent");
    assert!(matches!(next(&mut refuses), SutEvent::Refused { id: 3, .. }), "one value too many");
}

#[test]
fn values_of_free_variables_fit_what_was_sent() {
    // The right guess of the tester is specified for one value of `x` only.
    let text = "input guess(p: Int)\noutput yes(x: Int)\nprocess P {\n  var x: Int = any\n  init s { ?guess(p) [p == x] -> t }\n  state t { !yes(x) -> t }\n}\n";
    let model = model(text);
    let gate = model.gate("guess").expect("declared");
    let mut player = Player::new(&model);
    for seed in 0..50 {
        player.reset(RunNumber(1), seed).expect("an initial state");
        player.send(1, &GateValue { gate, args: vec![Value::Int(77)] }).expect("sent");
        assert_eq!(next(&mut player), SutEvent::Accepted { id: 1 }, "seed {seed}");
        assert_eq!(output(&mut player).map(|o| o.args), Some(vec![Value::Int(77)]), "seed {seed}");
        // That cannot be, whatever the value of `x`: it changes nothing.
        player.send(2, &GateValue { gate, args: vec![Value::Int(78)] }).expect("sent");
        let taken = (0..1_000).map(|_| next(&mut player)).find(|e| !matches!(e, SutEvent::Observed(_)));
        assert_eq!(taken, Some(SutEvent::Accepted { id: 2 }), "seed {seed}");
        assert_eq!(output(&mut player).map(|o| o.args), Some(vec![Value::Int(77)]), "seed {seed}");
    }
}

/// Also where they are none that anybody would guess, and several are left: it goes on with one of them.
#[test]
fn values_that_nobody_guesses_are_solved_for() {
    let model = model(
        "input guess(p: Int)\noutput yes(x: Int)\nprocess P {\n  var x: Int = any\n  \
         init s { ?guess(p) [1_000 * p < x <= 1_000 * p + 5] -> t }\n  state t { !yes(x) -> t }\n}\n",
    );
    let gate = model.gate("guess").expect("declared");
    let mut player = Player::new(&model);
    for seed in 0..20 {
        player.reset(RunNumber(1), seed).expect("an initial state");
        player.send(1, &GateValue { gate, args: vec![Value::Int(77_123)] }).expect("sent");
        assert_eq!(next(&mut player), SutEvent::Accepted { id: 1 }, "seed {seed}");
        assert_eq!(player.states()[0].locations(), &[model.location("t").expect("declared")], "seed {seed}");
        let given = output(&mut player).map(|o| o.args);
        let Some([Value::Int(x)]) = given.as_deref() else { panic!("seed {seed}: {given:?}") };
        assert!((77_123_001..=77_123_005).contains(x), "seed {seed}: {x}");
    }
}

/// Whatever the model keeps to itself, what becomes of an input that nothing specifies is the same: with known states, with
/// free variables of few values and of many, with hidden choices, behind a cycle of internal steps.
#[test]
fn what_is_hidden_changes_nothing_about_unspecified_inputs() {
    let process = |variables: &str, states: &str| {
        format!("input a(p: Int)\ninput b\noutput o(x: Int)\nprocess P {{\n  {variables}\n  {states}\n}}\n")
    };
    let hidden = "tau any k: Int [k > 0] / x := k -> t";
    let t = "state t { ?a(p) [p == x] -> u }\n  state u { !o(x) -> t }";
    let texts = [
        ("known", process("var x: Int = 7", &format!("init s {{ tau -> t }}\n  {t}"))),
        ("few values", process("var x: Int in 0..9 = any", &format!("init s {{ tau -> t }}\n  {t}"))),
        ("many values", process("var x: Int = any", &format!("init s {{ tau -> t }}\n  {t}"))),
        (
            "two variables",
            process("var x: Int = any\n  var y: Int = any", &format!("init s {{ tau [x > y] -> t }}\n  {t}")),
        ),
        ("hidden choice", process("var x: Int = 0", &format!("init s {{ {hidden} }}\n  {t}"))),
        ("internal cycle", process("var x: Int = any", &format!("init s {{ tau -> s\n tau -> t }}\n  {t}"))),
        (
            "too many steps",
            process("var x: Int = 0", &format!("init s {{ tau / x := x + 1 -> s\n tau [x == 7] -> t }}\n  {t}")),
        ),
    ];
    for (name, text) in texts {
        let model = model(&text);
        let gate = |name: &str| model.gate(name).expect("declared");
        let (a, b) = (gate("a"), GateValue { gate: gate("b"), args: vec![] });
        let a = |n: i64| GateValue { gate: a, args: vec![Value::Int(n)] };
        for unspecified in [Unspecified::Ignore, Unspecified::Refuse] {
            let mut player = Player::new(&model).with_manners(Manners { unspecified, ..Manners::default() });
            for seed in 0..20 {
                let at = format!("{name}, {unspecified:?}, seed {seed}");
                player.reset(RunNumber(1), seed).expect("an initial state");
                let mut send = |id: u64, input: &GateValue| {
                    player.send(id, input).expect("sent");
                    player.poll(WAIT).map_err(|fault| fault.message)
                };
                let ends = if unspecified == Unspecified::Ignore {
                    |id: u64, polled: &Polled| *polled == Polled::Event(SutEvent::Accepted { id })
                } else {
                    |id: u64, polled: &Polled| matches!(polled, Polled::Event(SutEvent::Refused { id: r, .. }) if *r == id)
                };
                // Nothing takes `b`, ever. Internal steps that never end cannot all be followed.
                let polled = send(1, &b);
                match name {
                    "too many steps" => {
                        let why = polled.expect_err(&at);
                        assert!(why.contains("it is unknown whether it takes ?b here"), "{at}: {why}");
                        continue;
                    }
                    _ => assert!(ends(1, polled.as_ref().expect(&at)), "{at}: {polled:?}"),
                }
                // It takes what some value specifies, and then only that.
                let polled = send(2, &a(7));
                assert_eq!(polled, Ok(Polled::Event(SutEvent::Accepted { id: 2 })), "{at}");
                let polled = send(3, &b);
                let polled = match polled.as_ref().expect(&at) {
                    Polled::Event(SutEvent::Observed(_)) => player.poll(WAIT).map_err(|fault| fault.message),
                    _ => polled,
                };
                assert!(ends(3, polled.as_ref().expect(&at)), "{at}: {polled:?}");
                while output(&mut player).is_some() {}
                player.send(4, &a(8)).expect("sent");
                let polled = player.poll(WAIT);
                assert!(ends(4, polled.as_ref().expect(&at)), "{at}: {polled:?}");
                player.send(5, &a(7)).expect("sent");
                assert_eq!(next(&mut player), SutEvent::Accepted { id: 5 }, "{at}");
                assert_eq!(output(&mut player).map(|o| o.args), Some(vec![Value::Int(7)]), "{at}");
            }
        }
    }
}

/// Where outputs never end, an input that nothing specifies is taken after some of them: now after none, now after a few.
#[test]
fn outputs_that_never_end_do_not_keep_an_input_waiting() {
    for text in [
        "input a\noutput tick\nprocess P {\n  init s { !tick -> s }\n}\n",
        "input a\noutput tick(n: Int)\nprocess P {\n  var n: Int = 0\n  init s { !tick(n) / n := n + 1 -> s }\n}\n",
        "input a\noutput tick(n: Int)\nprocess P {\n  var n: Int = any\n  init s { !tick(n) / n := n + 1 -> s }\n}\n",
    ] {
        let model = model(text);
        let a = GateValue { gate: model.gate("a").expect("declared"), args: vec![] };
        let mut player = Player::new(&model);
        let counts = (0..300).map(|seed| {
            player.reset(RunNumber(1), seed).expect("an initial state");
            player.send(1, &a).expect("sent");
            let outputs = (0..200).map(|_| next(&mut player)).position(|e| e == SutEvent::Accepted { id: 1 });
            outputs.unwrap_or_else(|| panic!("seed {seed}: not taken\n{text}"))
        });
        let counts: Vec<usize> = counts.collect();
        let of = |outputs: std::ops::Range<usize>| counts.iter().filter(|n| outputs.contains(n)).count();
        assert!(of(0..1) > 10 && of(1..10) > 100 && of(50..200) < 10, "{counts:?}\n{text}");
    }
}

#[test]
fn model_errors_are_faults() {
    let text = "input a(p: Int)\noutput o(x: Int)\nprocess P {\n  var x: Int = 0\n  init s { take: ?a(p) [10 div p > 1] / x := p -> t }\n  state t { tell: !o(x) -> s }\n}\n";
    let model = model(text);
    let gate = model.gate("a").expect("declared");
    let places = |switch: SwitchId| format!("played.sts:{}", model.switches[switch].name);
    let mut player = Player::new(&model).with_places(places);
    for run in 1..3 {
        player.reset(RunNumber(run), 0).expect("an initial state");
        player.send(1, &GateValue { gate, args: vec![Value::Int(0)] }).expect("sent");
        let fault = player.poll(WAIT).expect_err("a division by zero");
        assert_eq!((fault.kind, fault.again), (FaultKind::Played, true));
        assert!(fault.message.contains("played.sts:take") && fault.message.contains("zero"), "{}", fault.message);
    }
}

#[test]
fn a_system_can_end() {
    let model = model("input a\noutput closed\nprocess P {\n  init s { !closed -> t }\n  final t\n}\n");
    let mut player = Player::new(&model);
    player.reset(RunNumber(1), 0).expect("an initial state");
    assert_eq!(next(&mut player), SutEvent::Observed(Observation::Closed));
    assert_eq!(player.poll(WAIT), Ok(Polled::Nothing));
    player.send(1, &GateValue { gate: model.gate("a").expect("declared"), args: vec![] }).expect("sent");
    assert!(matches!(next(&mut player), SutEvent::Refused { id: 1, .. }));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let model = model(BRANCHES);
    let gate = model.gate("a").expect("declared");
    let run = |seed| {
        let mut player = Player::new(&model);
        player.reset(RunNumber(1), seed).expect("an initial state");
        let mut events = Vec::new();
        for i in 0..20 {
            player.send(i, &GateValue { gate, args: vec![Value::Int(i as i64 % 10)] }).expect("sent");
            events.extend((0..3).map(|_| player.poll(WAIT)));
        }
        events
    };
    assert_eq!(run(3), run(3));
    assert!((0..10).any(|seed| run(seed) != run(3)));
}

/// A player that follows a recorded run does the same again, whatever its seed; also where that takes other values of what
/// is hidden than it drew.
#[test]
fn what_was_recorded_is_done_again() {
    let free = "input a(p: Int in 0..9)\noutput o(x: Int)\noutput closed\nprocess P {\n  var x: Int = any\n  var y: Int in 0..3 = any\n  init s {\n    ?a(p) / x := x + p -> s\n    !o(x) -> s\n    !o(any k) [k > x] -> s\n    tau [y > 1] -> t\n    tau any k: Int [k > y] / x := k -> t\n  }\n  state t {\n    ?a(p) [p != y] -> s\n    !closed [y > 0] -> u\n    !o(y) -> s\n  }\n  final u\n}\n";
    let (mut outputs, mut silences, mut ends) = (0, 0, 0);
    for (name, text) in [("branches", BRANCHES), ("free", free)] {
        let model = model(text);
        let gate = model.gate("a").expect("declared");
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let mut player = Player::new(&model);
            player.reset(RunNumber(1), seed).expect("an initial state");
            let mut recorded: Vec<Action> = Vec::new();
            let mut waiting: Option<GateValue> = None;
            for id in 1..20 {
                if waiting.is_none() && random.below(2) == 0 {
                    let input = GateValue { gate, args: vec![Value::Int(random.between(0, 9))] };
                    player.send(id, &input).expect("sent");
                    waiting = Some(input);
                }
                match player.poll(WAIT).expect("the model goes on") {
                    Polled::Event(SutEvent::Accepted { .. }) => recorded.extend(waiting.take().map(Action::Input)),
                    Polled::Event(SutEvent::Observed(seen)) => recorded.push(Action::Seen(seen)),
                    // It has ended, or says once that it is silent.
                    Polled::Event(SutEvent::Refused { .. }) | Polled::Nothing => break,
                    other => panic!("{name}, seed {seed}: {other:?}"),
                }
            }
            for other in [seed + 1, seed + 1_000] {
                player.reset(RunNumber(2), other).expect("an initial state");
                player.follow(&recorded);
                for (at, action) in recorded.iter().enumerate() {
                    let polled = match action {
                        Action::Input(input) => {
                            player.send(at as u64, input).expect("sent");
                            player.poll(WAIT)
                        }
                        Action::Seen(_) => player.poll(WAIT),
                    };
                    let expected = match action {
                        Action::Input(_) => SutEvent::Accepted { id: at as u64 },
                        Action::Seen(seen) => SutEvent::Observed(seen.clone()),
                    };
                    let at = format!("{name}, seed {seed} by seed {other}, step {at} of {recorded:?}");
                    assert_eq!(polled, Ok(Polled::Event(expected)), "{at}");
                    assert_eq!(player.follows(), Some(true), "{at}");
                }
            }
            let count = |wanted: fn(&Observation) -> bool| {
                recorded.iter().filter(|a| matches!(a, Action::Seen(seen) if wanted(seen))).count()
            };
            outputs += count(|seen| matches!(seen, Observation::Output(_)));
            silences += count(|seen| *seen == Observation::Delta);
            ends += count(|seen| *seen == Observation::Closed);
        }
    }
    assert!(outputs > 200 && silences > 20 && ends > 10, "{outputs} {silences} {ends}");
}

/// What the model does not allow, it does not do again: it goes on by itself, and is sure that it cannot.
#[test]
fn what_is_impossible_is_not_done_again() {
    for variables in ["var x: Int in 0..3 = any", "var x: Int = any"] {
        let text = format!("output o(x: Int)\nprocess P {{\n  {variables}\n  init s {{ !o(2 * x) -> s }}\n}}\n");
        let model = model(&text);
        let o = |n| GateValue { gate: model.gate("o").expect("declared"), args: vec![Value::Int(n)] };
        let again = |n| Action::Seen(Observation::Output(o(n)));
        let mut player = Player::new(&model);
        for seed in 0..20 {
            player.reset(RunNumber(1), seed).expect("an initial state");
            player.follow(&[again(4), again(5), again(7)]);
            assert_eq!(output(&mut player), Some(o(4)), "seed {seed}");
            // No value of `x` gives 5; that it gave 4 is remembered.
            assert_eq!(output(&mut player), Some(o(4)), "seed {seed}");
            assert_eq!(player.follows(), Some(true), "{variables}, seed {seed}");
        }
    }
}
