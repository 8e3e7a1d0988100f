//! Models played as systems under test: references never fail, mutants do.

mod support;

use sioco_exec::player::Player;
use sioco_exec::record::End;
use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::{GateValue, Observation, Order, Record, Referee, Settings, Verdict};
use sioco_model::Id;
use sioco_plan::{Leg, Purpose};
use sioco_solve::values::Bounds;
use sioco_symbolic::step::Step;
use support::{Scripted, builtin, campaign, example, model as model_of, planned};

/// Every example passes against itself, with its switch plan and with walks.
#[test]
fn every_example_conforms_to_itself() {
    for name in ["accumulator/accumulator", "brp/brp", "atm/atm", "atm/atm-two-processes", "coffee/coffee"] {
        let model = example(name);
        let plan = planned(&model, "switch", false);
        for seed in 0..5 {
            for walks in [Walks::None, Walks::Random, Walks::Guided, Walks::Again] {
                let settings = Settings { seed, walks, max_steps: Some(500), ..Settings::default() };
                let mut tester = sioco_exec::Driver::new(&model, &builtin, &plan, settings);
                let mut player = Player::new(&model);
                let (_, summary) = campaign(&mut tester, &mut player);
                let bad = summary.bad.first();
                assert!(summary.verdict < Some(Verdict::Error), "{name}, seed {seed}, {walks:?}: {bad:?}");
            }
        }
    }
}

/// The mutants of the BRP are found by the plan and guided walks.
#[test]
fn mutants_of_the_brp_fail() {
    let model = example("brp/brp");
    let plan = planned(&model, "switch", false);
    for m in 1..=6 {
        let mutant = example(&format!("brp/mutant-{m}"));
        let settings =
            Settings { seed: 1, walks: Walks::Guided, max_steps: Some(5_000), fail_fast: true, ..Settings::default() };
        let mut tester = sioco_exec::Driver::new(&model, &builtin, &plan, settings);
        let mut player = Player::new(&mutant);
        let (_, summary) = campaign(&mut tester, &mut player);
        println!("mutant {m}: {:?} after {} steps, run {:?}", summary.verdict, summary.steps, summary.runs);
        assert_eq!(summary.verdict, Some(Verdict::Fail), "mutant {m}");
    }
}

/// A plan that is run again takes the purposes in their order, with other values, and a round in which nothing happens is
/// the last.
#[test]
fn a_plan_is_run_again_with_other_values() {
    let model = example("accumulator/accumulator");
    let plan = planned(&model, "switch", false);
    let settings = Settings { seed: 1, walks: Walks::Again, max_steps: Some(300), ..Settings::default() };
    let mut tester = sioco_exec::Driver::new(&model, &builtin, &plan, settings);
    let (records, summary) = campaign(&mut tester, &mut Player::new(&model));
    assert_eq!((summary.verdict, &summary.end), (Some(Verdict::Pass), &End::Steps), "{summary:?}");
    assert!(summary.purposes.iter().all(|p| p.verdict == Some(Verdict::Pass) && p.attempts == 1), "{summary:?}");
    let mut runs: Vec<Vec<String>> = Vec::new();
    for record in &records {
        match record {
            Record::Run { .. } => runs.push(Vec::new()),
            Record::Input { input, .. } => runs.last_mut().expect("a run has begun").push(input.show(&model)),
            _ => {}
        }
    }
    assert!(runs.len() > 20, "{runs:?}");
    // There are 15 pairs with a sum above 15: all of them come.
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), 15, "{runs:?}");

    // Nothing can be reached here: there is no second round, and the campaign ends.
    let stuck = model_of("input a\noutput u\nprocess P {\n  init s { ?a -> t }\n  state t { !u -> t }\n}\n");
    let plan = planned(&stuck, "switch", false);
    let mut silent = Scripted::new(&stuck, |_| vec!["closed".into()]);
    let settings = Settings { seed: 1, walks: Walks::Again, attempts: 2, ..Settings::default() };
    let (_, summary) = campaign(&mut sioco_exec::Driver::new(&stuck, &builtin, &plan, settings), &mut silent);
    assert_eq!((summary.verdict, &summary.end), (Some(Verdict::Fail), &End::Done), "{summary:?}");
}

/// A tester that waits for outputs sends something all the same where they never stop.
#[test]
fn systems_that_talk_all_the_time_are_stimulated() {
    let talker = |value: &str| {
        model_of(&format!(
            "input set(m: Int in 0..9)\noutput val(n: Int)\nprocess P {{\n  var n: Int = 0\n  \
             init l0 {{ tell: !val({value}) -> l0   set: ?set(m) / n := m -> l0 }}\n}}\n"
        ))
    };
    let (spec, wrong) = (talker("n"), talker("if n == 9 then 8 else n"));
    for walks in [Walks::Random, Walks::Guided] {
        let interaction = Some(Interaction::Fair);
        let settings = Settings { seed: 1, walks, max_steps: Some(500), interaction, ..Settings::default() };
        let plan = planned(&spec, "switch", false);
        let (_, right) =
            campaign(&mut sioco_exec::Driver::new(&spec, &builtin, &plan, settings.clone()), &mut Player::new(&spec));
        assert!(right.verdict < Some(Verdict::Error) && right.inputs > 20, "{right:?}");
        let (_, found) =
            campaign(&mut sioco_exec::Driver::new(&spec, &builtin, &plan, settings), &mut Player::new(&wrong));
        assert_eq!(found.verdict, Some(Verdict::Fail), "{found:?}");
    }
}

/// Where the system chooses, one certain way is seldom gone; `auto` is content if everything on it was done elsewhere.
#[test]
fn what_is_covered_otherwise_need_not_be_reached() {
    let model = model_of(
        "input go\noutput a\noutput b\nprocess P {\n  var n: Int in 0..12 = 0\n  \
         init l0 { start: ?go [n < 12] / n := n + 1 -> l1 }\n  state l1 { left: !a -> l0   right: !b -> l0 }\n}\n",
    );
    // Twelve times the same choice: hardly a run does that.
    let mut plan = planned(&model, "switch", false);
    let switch = |name: &str| model.switches.iter().find(|(_, s)| s.name == name).expect("a switch").0;
    let mut purpose = Purpose::default();
    let steps = ["start", "left"].repeat(12);
    let last = steps.iter().fold(0, |at, name| purpose.add(at, Leg::from(Step::Switch(switch(name))), None));
    purpose.nodes[last].accept = true;
    plan.purposes = vec![purpose];
    for (walks, verdict) in [(Walks::Guided, Verdict::Pass), (Walks::None, Verdict::Inconclusive)] {
        let settings = Settings { seed: 1, walks, max_steps: Some(200), ..Settings::default() };
        let mut tester = sioco_exec::Driver::new(&model, &builtin, &plan, settings);
        let (_, summary) = campaign(&mut tester, &mut Player::new(&model));
        assert_eq!(summary.purposes[0].verdict, Some(Verdict::Inconclusive), "{summary:?}");
        assert_eq!(summary.verdict, Some(verdict), "{summary:?}");
    }
}

/// A choice that the system has and never makes is no reason for doubt once it was tried often enough, in a campaign that
/// nobody asked to reach it (S1 section 3.2.4).
#[test]
fn choices_that_are_never_made_are_left_to_the_system() {
    let with = |right: &str| {
        model_of(&format!(
            "input go\noutput a\noutput b\nprocess P {{\n  init l0 {{ start: ?go -> l1 }}\n  \
             state l1 {{ left: !a -> l0   {right} }}\n}}\n"
        ))
    };
    let (model, decided) = (with("right: !b -> l0"), with(""));
    let plan = planned(&model, "switch", false);
    let run = |walks, attempts, most| {
        let settings = Settings { seed: 1, walks, attempts, max_steps: Some(most), ..Settings::default() };
        let mut tester = sioco_exec::Driver::new(&model, &builtin, &plan, settings);
        let (_, summary) = campaign(&mut tester, &mut Player::new(&decided));
        let otherwise = summary.purposes.iter().filter(|p| p.otherwise).count();
        let open = summary.purposes.iter().filter(|p| p.verdict == Some(Verdict::Inconclusive)).count();
        assert_eq!(open, 1, "{summary:?}");
        (summary.verdict, otherwise)
    };
    assert_eq!(run(Walks::Guided, 3, 100), (Some(Verdict::Pass), 1));
    assert_eq!(run(Walks::None, 3, 100), (Some(Verdict::Inconclusive), 0));
    // It was not tried as often as it should have been.
    assert_eq!(run(Walks::Guided, 30, 8), (Some(Verdict::Inconclusive), 0));
}

/// An internal step that may not have happened yet is only possibly taken, though nobody can tell where the model is
/// meanwhile; what is observed then tells that it was (T-C3).
#[test]
fn steps_that_may_not_have_happened_are_not_surely_taken() {
    let model = model_of(
        "input go\noutput x\nprocess P {\n  init s { go: ?go -> p }\n  state p { first: tau -> q }\n  \
         state q { second: tau -> r }\n  state r { !x -> t }\n  state t { third: tau -> u }\n  state u { ?go -> u }\n}\n",
    );
    let mut referee = Referee::new(&model, &builtin, Order::Sut);
    let is = |referee: &Referee<'_>, name: &str| {
        let (surely, possibly) = referee.account();
        let switch = model.switch(name).expect("a switch");
        (surely.has(switch.index()), possibly.has(switch.index()))
    };
    let value = |name: &str| GateValue { gate: model.gate(name).expect("a gate"), args: Vec::new() };
    assert_eq!(referee.start(), None);
    assert_eq!(referee.input(&value("go")), None);
    assert_eq!(
        [is(&referee, "go"), is(&referee, "first"), is(&referee, "second")],
        [(true, true), (false, true), (false, true)]
    );
    assert_eq!(referee.observe(&Observation::Output(value("x"))), None);
    assert_eq!(
        [is(&referee, "first"), is(&referee, "second"), is(&referee, "third")],
        [(true, true), (true, true), (false, true)]
    );
    // It is silent only after the last of them.
    assert_eq!(referee.observe(&Observation::Delta), None);
    assert_eq!(is(&referee, "third"), (true, true));
    // And nothing else can come then.
    assert_eq!(referee.belief().len(), 1);
}

/// Judging asks no solver as long as the states of all hypotheses are known.
#[test]
fn known_states_are_judged_without_a_solver() {
    for name in ["accumulator/accumulator", "brp/brp", "coffee/coffee", "ceiling-speed-monitor/csm"] {
        let model = example(name);
        let mut plan = planned(&model, "switch", false);
        plan.purposes.clear();
        let settings = Settings { seed: 3, walks: Walks::Random, max_steps: Some(300), ..Settings::default() };
        let mut tester = sioco_exec::Driver::new(&model, &builtin, &plan, settings);
        let (records, _) = campaign(&mut tester, &mut Player::new(&model));
        let nobody = || -> Box<dyn Bounds> { panic!("a solver is asked about {name}") };
        let mut referee = Referee::new(&model, &nobody, Order::Sut);
        let mut sent = None;
        let mut steps = 0;
        for record in &records {
            let cause = match record {
                Record::Run { .. } => referee.start(),
                Record::Input { input, .. } => {
                    sent = Some(input.clone());
                    None
                }
                Record::Accepted { .. } => referee.input(sent.as_ref().expect("an input was sent")),
                Record::Observed(seen) => referee.observe(seen),
                _ => None,
            };
            steps += u32::from(matches!(record, Record::Accepted { .. } | Record::Observed(_)));
            assert_eq!(cause, None, "{name}");
        }
        assert!(steps > 100, "{name}: {steps}");
        referee.explain();
    }
}

/// An input that ends the run is tried, and after that seldom: walks are there for what comes in between.
#[test]
fn walks_do_not_end_themselves_all_the_time() {
    let model = model_of(
        "input a\ninput c\ninput quit\noutput b\noutput bye\nprocess P {\n  init l0 {\n    ?a ; !b -> l0\n    \
         ?c ; !b -> l1\n    ?quit ; !bye -> over\n  }\n  state l1 {\n    ?a ; !b -> l0\n    ?quit ; !bye -> over\n  }\n  \
         final over\n}\n",
    );
    for (walks, seed) in [Walks::Random, Walks::Guided].into_iter().flat_map(|w| (0..5).map(move |seed| (w, seed))) {
        let settings = Settings { seed, walks, max_steps: Some(2000), ..Settings::default() };
        let plan = sioco_plan::Plan { purposes: Vec::new(), ..planned(&model, "switch", false) };
        let mut tester = sioco_exec::Driver::new(&model, &builtin, &plan, settings);
        let (records, found) = campaign(&mut tester, &mut Player::new(&model));
        let quit = model.gate("quit");
        let quits = records.iter().filter(|r| matches!(r, Record::Input { input, .. } if Some(input.gate) == quit));
        let quits = quits.count() as u64;
        assert!(
            found.verdict == Some(Verdict::Pass) && found.switches.iter().all(|s| s.0),
            "{walks:?} {seed}: {found:?}"
        );
        assert!(quits > 0 && quits * 8 < found.inputs, "{walks:?} {seed}: {quits} of {} inputs", found.inputs);
    }
}
