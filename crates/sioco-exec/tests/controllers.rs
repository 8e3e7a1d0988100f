//! The controllers, each on its own: no referee and no ledger. Walks are in `walks.rs`, and listening in `runs.rs`.

mod support;

use sioco_exec::RunNumber;
use sioco_exec::controller::probe::ProbeController;
use sioco_exec::controller::purpose::PurposeController;
use sioco_exec::controller::repeat::RepeatController;
use sioco_exec::controller::replay::ReplayController;
use sioco_exec::controller::trial::TrialController;
use sioco_exec::controller::walk::WalkController;
use sioco_exec::controller::{Chosen, Controller, Follower};
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::ledger::Note;
use sioco_exec::log::{LoggedRun, LoggedStep};
use sioco_exec::record::{Aim, Record, Why};
use sioco_exec::reliance::Reliance;
use sioco_exec::run::Mode;
use sioco_exec::settings::Walks;
use sioco_exec::shrink::candidate::Candidate;
use sioco_exec::suite::NodeId;
use sioco_exec::summary::Probed;
use sioco_exec::sut::Order;
use sioco_exec::verdict::{Cause, OpenCause};
use sioco_model::model::{Label, Model};
use sioco_model::{GateId, Id, Value};
use sioco_plan::inputs::purpose as test_of;
use sioco_plan::{Event, Plan, PurposeId};
use support::scene::{Scene, id};

/// `go` opens the way; after it the system says on which side it is, and only one of them takes `end`.
const SIDES: &str = "input go\ninput end\noutput left\noutput right\nprocess P {\n  init l { ?go -> m }\n  \
                     state m { !left -> n   !right -> o }\n  state n { ?end -> p }\n  state o { }\n  final p\n}\n";

const MODEL: &str = "input a(x: Int in 0..9)\nprocess P {\n  init l { ?a(x) -> l }\n}\n";

fn a(x: i64) -> Event {
    Event { gate: GateId::from_index(0), args: vec![Value::Int(x)] }
}

fn sent(x: i64) -> GateValue {
    GateValue { gate: GateId::from_index(0), args: vec![Value::Int(x)] }
}

fn probes() -> ProbeController {
    ProbeController::of(vec![Vec::new(), vec![a(1), a(2)], vec![a(10)]])
}

/// The probe of a purpose begins in a run with this number.
fn begun<'m>(model: &'m Model, probe: &mut ProbeController, purpose: PurposeId, run: u64) -> Scene<'m> {
    let mut scene = Scene::new(model);
    probe.start(&mut scene.situation());
    scene.run.number = RunNumber(run);
    scene.run.plan(Mode::Purpose(purpose), Aim::Purpose(purpose), false);
    assert!(probe.reached(&mut scene.situation(), purpose) && probe.is_on());
    scene
}

fn input(x: i64) -> Record {
    Record::Input { id: 1, input: sent(x), why: Why::Probe(id(1)) }
}

const ACCEPTED: Record = Record::Accepted { id: 1 };
const SILENCE: Record = Record::TimedOut(Reliance::Full);

fn probing(x: i64, purpose: PurposeId) -> Option<Chosen> {
    Some(Chosen::Send(sent(x), Why::Probe(purpose)))
}

#[test]
fn each_input_waits_until_its_answer_is_complete() {
    let (model, mut probe) = (support::model(MODEL), probes());
    let mut scene = Scene::new(&model);
    assert!(probe.reached(&mut scene.situation(), id(0)) && !probe.is_on(), "it is there for no probe");
    assert_eq!(probe.select(&mut scene.situation()), None);
    let mut scene = begun(&model, &mut probe, id(1), 7);
    assert_eq!(scene.ask(&mut probe), probing(1, id(1)));
    scene.sees(&mut probe, &[input(1), ACCEPTED]);
    assert_eq!(scene.ask(&mut probe), Some(Chosen::Wait));
    scene.sees(&mut probe, &[Record::Observed(Observation::Output(sent(5)))]);
    assert_eq!(scene.ask(&mut probe), Some(Chosen::Wait), "there may be more");
    scene.sees(&mut probe, &[SILENCE]);
    assert_eq!(scene.ask(&mut probe), probing(2, id(1)));
    scene.sees(&mut probe, &[input(2), ACCEPTED, Record::Observed(Observation::Closed)]);
    assert_eq!(scene.ask(&mut probe), Some(Chosen::End(Cause::Reached)));
    let seen = vec![(sent(1), vec![Observation::Output(sent(5))]), (sent(2), vec![Observation::Closed])];
    let expected = Probed { purpose: id(1), run: RunNumber(7), seen, refused: None };
    assert_eq!(scene.notes, [Note::Probed(expected)]);
    assert!(!probe.is_on());
}

#[test]
fn silence_before_an_input_is_accepted_answers_nothing() {
    let model = support::model(MODEL);
    for silence in [SILENCE, Record::Observed(Observation::Delta)] {
        let mut probe = probes();
        let mut scene = begun(&model, &mut probe, id(1), 1);
        scene.sees(&mut probe, &[input(1), silence.clone(), ACCEPTED]);
        assert_eq!(scene.ask(&mut probe), Some(Chosen::Wait));
        scene.sees(&mut probe, &[silence]);
        assert_eq!(scene.ask(&mut probe), probing(2, id(1)));
    }
}

#[test]
fn a_refusal_ends_a_probe_and_an_input_outside_of_its_range_is_not_sent() {
    let (model, mut probe) = (support::model(MODEL), probes());
    let mut scene = begun(&model, &mut probe, id(1), 1);
    scene.sees(&mut probe, &[input(1), Record::Refused { id: 1, why: "busy".into() }]);
    assert_eq!(scene.ask(&mut probe), Some(Chosen::End(Cause::Reached)));
    let [Note::Probed(found)] = &scene.notes[..] else { panic!("{:?}", scene.notes) };
    assert_eq!((found.seen.len(), found.refused.as_deref()), (1, Some("busy")));
    let mut scene = begun(&model, &mut probe, id(2), 2);
    assert_eq!(scene.ask(&mut probe), Some(Chosen::End(Cause::Reached)));
    let [Note::Dropped, Note::Probed(found)] = &scene.notes[..] else { panic!("{:?}", scene.notes) };
    assert!(found.seen.is_empty());
}

#[test]
fn a_probe_begins_only_in_a_run_for_it_and_after_the_answer_to_what_came_before() {
    let (model, mut probe) = (support::model(MODEL), probes());
    let mut scene = Scene::new(&model);
    for (mode, repeated) in [(Mode::Walk, false), (Mode::Purpose(id(2)), false), (Mode::Purpose(id(1)), true)] {
        scene.run.plan(mode, Aim::Walk, repeated);
        assert!(!probe.reached(&mut scene.situation(), id(1)) && !probe.is_on(), "{mode:?}");
        assert_eq!(probe.select(&mut scene.situation()), None);
    }
    scene.intent.compared = true;
    scene.run.plan(Mode::Purpose(id(1)), Aim::Purpose(id(1)), false);
    scene.run.owed = true;
    assert!(!probe.reached(&mut scene.situation(), id(1)) && !probe.is_on());
    assert_eq!(scene.ask(&mut probe), Some(Chosen::Wait));
    assert_eq!(probe.select(&mut scene.situation()), None, "it waits for one thing at a time");
    scene.run.owed = false;
    assert!(probe.reached(&mut scene.situation(), id(1)) && probe.is_on());
    assert!(!probe.reached(&mut scene.situation(), id(1)), "it has begun");
    assert_eq!(scene.ask(&mut probe), probing(1, id(1)));
    probe.start(&mut scene.situation());
    assert_eq!(probe.select(&mut scene.situation()), None, "another run");
}

#[test]
fn a_purpose_is_gone_after_step_by_step_and_given_up_where_the_system_leaves_it() {
    let model = support::model(SIDES);
    for (side, expected) in [("!left", "?end"), ("!right", "")] {
        let mut scene = Scene::new(&model);
        let mut purpose = PurposeController::default();
        // The one that ends by `end`.
        let long = (0..scene.position.suite.len()).map(id).find(|p| {
            let suite = &scene.position.suite;
            suite
                .accepts_of(*p)
                .iter()
                .any(|accept| suite.line(NodeId::ROOT, *accept).is_some_and(|line| line.len() > 2))
        });
        scene.run.plan(Mode::Purpose(long.expect("it takes three steps")), Aim::Purpose(id(0)), false);
        let Mode::Purpose(number) = scene.run.mode else { unreachable!() };
        assert_eq!(scene.ask(&mut purpose), scene.sends("?go", Why::Purpose(number)));
        scene.happens(&mut purpose, "?go");
        assert_eq!(scene.ask(&mut purpose), Some(Chosen::Wait), "the system chooses the side");
        scene.happens(&mut purpose, side);
        let chosen = scene.ask(&mut purpose);
        match expected.is_empty() {
            false => assert_eq!(chosen, scene.sends(expected, Why::Purpose(number))),
            // Nothing can be done on the other side, which the model does not call an end.
            true => {
                let Some(Chosen::End(Cause::Open(OpenCause::Deadlock { state }))) = chosen else {
                    panic!("{chosen:?}")
                };
                assert_eq!(scene.notes, [Note::Deadlock(state)]);
            }
        }
    }
}

/// Where the system goes the other way, the rest of the test can be sent all the same.
const EITHER: &str = "input go\ninput end\ninput off\noutput left\noutput right\noutput done\nprocess P {\n  \
                      init l { ?go -> m   ?off -> l }\n  state m { !left -> n   !right -> o }\n  \
                      state n { ?end -> p }\n  state o { ?end; !done -> o }\n  final p\n}\n";

/// A test of a comparison: the purpose that ends by `end`, after the system went left.
fn compared(model: &Model) -> (Scene<'_>, PurposeController, PurposeId) {
    let mut scene = Scene::new(model);
    let suite = &scene.position.suite;
    let line = |p: &PurposeId| suite.line(NodeId::ROOT, suite.accepts_of(*p)[0]).expect("a way");
    let gate = |switch| match model.switches[switch].label {
        Label::Gate(gate) => Some(model.gates[gate].name.as_str()),
        _ => None,
    };
    let is_long = |p: &PurposeId| {
        let legs = line(p).into_iter().filter_map(|node| suite.leg(node));
        legs.flat_map(|leg| leg.step.switches()).filter_map(gate).eq(["go", "left", "end"])
    };
    let long = (0..suite.len()).map(id).find(is_long).expect("it takes three steps");
    scene.intent.compared = true;
    scene.run.plan(Mode::Purpose(long), Aim::Purpose(long), false);
    (scene, PurposeController::default(), long)
}

#[test]
fn the_rest_of_a_test_is_sent_where_the_system_goes_another_way() {
    let model = support::model(EITHER);
    let (mut scene, mut purpose, long) = compared(&model);
    let rest = |scene: &mut Scene<'_>, purpose: &mut PurposeController| purpose.rest(&mut scene.situation());
    assert_eq!(rest(&mut scene, &mut purpose), scene.sends("?go", Why::Purpose(long)));
    scene.happens(&mut purpose, "?go");
    assert_eq!(rest(&mut scene, &mut purpose), Some(Chosen::Wait), "the answer belongs to the input before");
    scene.happens(&mut purpose, "!right");
    assert_eq!(rest(&mut scene, &mut purpose), scene.sends("?end", Why::Purpose(long)));
    assert_eq!(scene.ask(&mut purpose), scene.sends("?end", Why::Purpose(long)), "nothing else leads on");
    scene.happens(&mut purpose, "?end");
    assert_eq!(rest(&mut scene, &mut purpose), Some(Chosen::Wait), "the last answer is to be seen");
    scene.happens(&mut purpose, "!done");
    assert_eq!(rest(&mut scene, &mut purpose), Some(Chosen::End(Cause::Reached)), "these were all its inputs");
    assert_eq!(scene.notes, []);
}

#[test]
fn the_rest_of_a_test_waits_also_where_no_answer_is_to_come() {
    let model = support::model(
        "input go\ninput end\nprocess P {\n  init l { ?go -> m }\n  state m { ?end -> n }\n  final n\n}\n",
    );
    let (mut scene, mut purpose) = (Scene::new(&model), PurposeController::default());
    scene.intent.compared = true;
    scene.run.plan(Mode::Purpose(id(0)), Aim::Purpose(id(0)), false);
    scene.happens(&mut purpose, "?go");
    assert_eq!(purpose.rest(&mut scene.situation()), Some(Chosen::Wait), "that nothing comes is an answer, too");
    scene.run.owed = false;
    assert_eq!(purpose.rest(&mut scene.situation()), scene.sends("?end", Why::Purpose(id(0))));
}

#[test]
fn the_rest_of_a_test_ends_where_the_specification_says_nothing_about_it() {
    let model = support::model(&EITHER.replace("?off -> l", "").replace("state o { ?end; !done -> o }", "state o { }"));
    let (mut scene, mut purpose, _) = compared(&model);
    scene.happens(&mut purpose, "?go");
    scene.happens(&mut purpose, "!right");
    assert_eq!(purpose.rest(&mut scene.situation()), Some(Chosen::End(Cause::Reached)));
    assert!(matches!(scene.notes[..], [Note::Deadlock(_)]), "{:?}", scene.notes);
}

#[test]
fn only_a_test_of_a_comparison_that_went_as_planned_so_far_has_a_rest() {
    let model = support::model(EITHER);
    let (mut scene, mut purpose, long) = compared(&model);
    scene.intent.compared = false;
    assert_eq!(purpose.rest(&mut scene.situation()), None);
    scene.intent.compared = true;
    scene.run.aim = Aim::Walk;
    assert_eq!(purpose.rest(&mut scene.situation()), None);
    scene.run.aim = Aim::Purpose(long);
    scene.position.suite.close(long);
    assert_eq!(purpose.rest(&mut scene.situation()), None, "it was reached");
    scene.position.suite.reopen(long);
    assert!(purpose.rest(&mut scene.situation()).is_some());
    scene.happens(&mut purpose, "?off");
    assert_eq!(purpose.rest(&mut scene.situation()), None, "another input was sent");
}

#[test]
fn the_rest_of_a_test_has_the_values_of_the_plan() {
    let model = support::model("input a(x: Int in 0..9)\noutput u\nprocess P {\n  init l { ?a(x); !u -> l }\n}\n");
    let planned = support::planned(&model, "switch", false);
    let test = test_of(&model, &[a(4), a(7)]).expect("the model takes them");
    for (first, expected) in [(4, true), (5, false)] {
        let plan = Plan { purposes: vec![test.clone()], ..planned.clone() };
        let (mut scene, mut purpose) = (Scene::with(&model, &plan, 1), PurposeController::default());
        scene.intent.compared = true;
        scene.run.plan(Mode::Purpose(id(0)), Aim::Purpose(id(0)), false);
        assert_eq!(purpose.rest(&mut scene.situation()), scene.sends("?a(4)", Why::Purpose(id(0))));
        scene.happens(&mut purpose, &format!("?a({first})"));
        scene.happens(&mut purpose, "!u");
        let next = scene.sends("?a(7)", Why::Purpose(id(0))).filter(|_| expected);
        assert_eq!(purpose.rest(&mut scene.situation()), next, "{first}");
    }
    // A plan without values has no inputs to go on with.
    let mut scene = Scene::with(&model, &planned, 1);
    scene.intent.compared = true;
    scene.run.plan(Mode::Purpose(id(0)), Aim::Purpose(id(0)), false);
    assert_eq!(PurposeController::default().rest(&mut scene.situation()), None);
}

#[test]
fn a_guided_walk_follows_a_purpose_that_was_reached() {
    let model = support::model(SIDES);
    let mut scene = Scene::new(&model);
    let mut purpose = PurposeController::default();
    scene.settings.walks = Walks::Guided;
    scene.run.plan(Mode::Purpose(id(0)), Aim::Purpose(id(0)), false);
    for number in 0..scene.position.suite.len() {
        scene.position.suite.close(id(number));
    }
    scene.run.reached = Some(sioco_exec::Verdict::Pass);
    assert_eq!(purpose.select(&mut scene.situation()), Some(Chosen::Again));
    assert!(scene.run.mode == Mode::Walk && (2..=11).contains(&scene.run.walk_end), "{:?}", scene.run);
    assert_eq!(purpose.select(&mut scene.situation()), None, "somebody else acts");
}

#[test]
fn a_walk_takes_what_is_possible_and_waits_for_what_is_owed() {
    let model = support::model(SIDES);
    for walks in [Walks::Random, Walks::Guided] {
        let mut scene = Scene::new(&model);
        scene.settings.walks = walks;
        let mut walk = WalkController::new(&model);
        walk.start(&mut scene.situation());
        // Silence may be waited for at first, but not for ever.
        let first = (0..1_000).map(|_| scene.ask(&mut walk)).find(|chosen| *chosen != Some(Chosen::Wait));
        assert_eq!(first, Some(scene.sends("?go", Why::Walk)));
        scene.happens(&mut walk, "?go");
        assert_eq!(scene.ask(&mut walk), Some(Chosen::Wait));
        scene.happens(&mut walk, "!right");
        scene.run.walk_end = 2;
        assert_eq!(scene.ask(&mut walk), Some(Chosen::End(Cause::Reached)), "it has had its steps");
        scene.run.owed = true;
        assert_eq!(scene.ask(&mut walk), Some(Chosen::Wait), "the answer to the last input is to be seen");
        scene.run.mode = Mode::Purpose(id(0));
        assert_eq!(walk.select(&mut scene.situation()), None);
    }
}

#[test]
fn a_run_that_fell_silent_once_is_repeated_twice() {
    let model = support::model(SIDES);
    let mut scene = Scene::new(&model);
    let mut repeat = RepeatController::default();
    let once = Cause::Open(OpenCause::Silence(Reliance::Once));
    let go = support::event(&model, "?go");
    assert_eq!(repeat.next(&mut scene.run), None);
    let (seed, mut times) = (scene.run.seed, 0);
    loop {
        repeat.start(&mut scene.situation());
        let spot = scene.position.spot(None);
        repeat.sent(&go);
        repeat.saw(&Observation::Delta);
        assert_eq!(repeat.fell_silent_at(&spot), times > 0, "the first one repeats nothing");
        repeat.ended(&once, &scene.run, spot);
        let Some(again) = repeat.next(&mut scene.run) else { break };
        assert_eq!(again, seed);
        repeat.start(&mut scene.situation());
        assert!(repeat.is_on());
        assert_eq!(scene.ask(&mut repeat), scene.sends("?go", Why::Replay));
        times += 1;
    }
    assert_eq!(times, 2);
    // What ends otherwise is not repeated.
    repeat.ended(&Cause::Open(OpenCause::Deviation), &scene.run, None);
    assert_eq!(repeat.next(&mut scene.run), None);
}

#[test]
fn a_repeated_run_is_left_where_the_model_takes_its_inputs_no_more() {
    let model = support::model(SIDES);
    let mut scene = Scene::new(&model);
    let mut repeat = RepeatController::default();
    repeat.sent(&support::event(&model, "?end"));
    repeat.ended(&Cause::Open(OpenCause::Silence(Reliance::Once)), &scene.run, None);
    assert!(repeat.next(&mut scene.run).is_some() && repeat.is_on());
    assert_eq!(repeat.select(&mut scene.situation()), None);
    assert!(!repeat.is_on());
}

/// What was sent and seen.
fn actions(model: &Model, text: &str) -> Vec<Action> {
    let of = |word: &str| match word {
        "delta" => Action::Seen(Observation::Delta),
        word if word.starts_with('?') => Action::Input(support::event(model, word)),
        word => Action::Seen(Observation::Output(support::event(model, word))),
    };
    text.split_whitespace().map(of).collect()
}

/// Follows something: each word is what happens then, and before it what the controller chooses.
struct Followed<'m> {
    scene: Scene<'m>,
    order: Order,
    chosen: Vec<String>,
}

impl<'m> Followed<'m> {
    fn new(model: &'m Model, order: Order) -> Followed<'m> {
        Followed { scene: Scene::new(model), order, chosen: Vec::new() }
    }

    /// What it chooses, in words.
    fn ask(&mut self, follower: &mut dyn Follower<'m>) -> String {
        match follower.select(&mut self.scene.position) {
            Some(Chosen::Send(input, Why::Replay)) => input.show(self.scene.model),
            Some(Chosen::Wait) => "wait".into(),
            Some(Chosen::Look) => "look".into(),
            Some(Chosen::End(cause)) => format!("{cause:?}"),
            other => panic!("{other:?}"),
        }
    }

    /// Follows until the end, with a system that does this: inputs are accepted, and `-` is nothing, for which nobody has
    /// waited.
    fn follow(&mut self, follower: &mut dyn Follower<'m>, happens: &str) {
        let mut words = happens.split_whitespace();
        loop {
            let chosen = self.ask(follower);
            self.chosen.push(chosen.clone());
            assert!(self.chosen.len() < 20, "it never ends: {:?}", self.chosen);
            match chosen.as_str() {
                "wait" | "look" => self.sees(follower, words.next().unwrap_or("-")),
                end if end.starts_with(|c: char| c.is_uppercase()) => break,
                _ => {
                    // What comes before it is accepted has a star.
                    while let Some(word) = words.clone().next().and_then(|word| word.strip_prefix('*')) {
                        words.next();
                        self.sees(follower, word);
                    }
                    follower.sees(&mut self.scene.position, self.order, &Record::Accepted { id: 1 });
                    let event = support::event(self.scene.model, &chosen);
                    assert_eq!(self.scene.position.after(&event), Ok(true), "{chosen}");
                }
            }
        }
        assert_eq!(words.next(), None, "nobody asked for it: {:?}", self.chosen);
    }

    fn sees(&mut self, follower: &mut dyn Follower<'m>, word: &str) {
        let position = &mut self.scene.position;
        match word {
            "-" => {}
            "delta" => follower.sees(position, self.order, &Record::TimedOut(Reliance::Full)),
            word => {
                let event = support::event(self.scene.model, word);
                follower.sees(position, self.order, &Record::Observed(Observation::Output(event.clone())));
                assert_eq!(position.after(&event), Ok(true), "{word}");
            }
        }
    }
}

/// Asks for a token, which it remembers, and says now and then that it is busy.
const TOKENS: &str = "input ask\noutput token(t: Int in 0..9)\noutput busy\nprocess P {\n  \
                      var t: Int in 0..9 = 0\n  init l0 { ?ask -> l1  !busy -> l0 }\n  \
                      state l1 { !token(any k) / t := k -> l0  !busy -> l1  ?ask -> l1 }\n}\n";

fn recorded(model: &Model, text: &str) -> LoggedRun {
    let step = |action| LoggedStep { line: 1, at: None, action, waited: 0, timed: None };
    LoggedRun { steps: actions(model, text).into_iter().map(step).collect(), ..LoggedRun::new(RunNumber(1), 1) }
}

#[test]
fn a_replay_sends_what_was_sent_and_compares_what_comes() {
    let model = support::model(TOKENS);
    let run = recorded(&model, "?ask !token(1) ?ask !token(2)");
    let waits = ["look", "?ask", "wait", "look", "?ask", "wait"];
    for (happens, more, any, elsewhere, different) in [
        ("- !token(1) - !token(2)", 0, false, false, false),
        // The last step may be another one: that is where the run failed.
        ("- !token(1) - !token(3)", 0, true, false, false),
        ("- !token(3) - !token(2)", 0, true, false, true),
        // More may come before the input, and then what was recorded comes after that.
        ("- !token(1) !busy !token(2) delta", 1, true, true, false),
        ("- !busy - !busy !token(1) delta", 2, true, true, true),
    ] {
        let mut followed = Followed::new(&model, Order::Sut);
        let mut replay = ReplayController::new(&run);
        assert_eq!(Follower::script(&replay), Some(&actions(&model, "?ask !token(1) ?ask !token(2)")[..]));
        followed.follow(&mut replay, happens);
        let after = std::iter::repeat_n("wait", more);
        let expected: Vec<&str> = waits.into_iter().chain(after).chain(["Reached"]).collect();
        assert_eq!(followed.chosen, expected, "{happens}");
        let found = replay.deviation();
        assert_eq!((found.any, found.elsewhere, found.different), (any, elsewhere, different), "{happens}");
        assert_eq!(found.arrived.is_some(), different, "{happens}");
        assert_eq!(found.is_none_before_last(), !elsewhere && !different, "{happens}");
        assert!(found.last.is_some(), "{happens}");
    }
}

#[test]
fn what_comes_before_an_input_is_accepted_has_its_place_only_in_the_order_of_the_tester() {
    let model = support::model(TOKENS);
    let run = recorded(&model, "?ask !busy");
    for (order, happens, chosen) in [
        (Order::Sut, "- *!busy !busy delta", &["look", "?ask", "wait", "wait", "Reached"][..]),
        (Order::Sent, "- *!busy", &["look", "?ask", "Reached"]),
    ] {
        let mut followed = Followed::new(&model, order);
        let mut replay = ReplayController::new(&run);
        followed.follow(&mut replay, happens);
        assert_eq!(replay.deviation().elsewhere, order == Order::Sut);
        assert_eq!(followed.chosen, chosen, "{order:?}");
    }
    // An input that was not accepted then is none of the steps: what came after it has its place.
    let run = LoggedRun { unanswered: Some((0, support::event(&model, "?ask"))), ..recorded(&model, "!busy !busy") };
    let mut followed = Followed::new(&model, Order::Sut);
    let mut replay = ReplayController::new(&run);
    followed.follow(&mut replay, "- *!busy *!busy");
    assert_eq!(followed.chosen, ["look", "?ask", "Reached"]);
    assert!(!replay.deviation().elsewhere);
}

#[test]
fn a_replay_expects_what_was_recorded_and_passes_over_quiescence_before_inputs() {
    let model = support::model(TOKENS);
    let mut followed = Followed::new(&model, Order::Sut);
    let mut replay = ReplayController::new(&recorded(&model, "!busy delta ?ask"));
    assert!(replay.expects_something());
    assert_eq!(followed.ask(&mut replay), "wait");
    followed.sees(&mut replay, "!busy");
    assert!(!replay.expects_something(), "silence is no reason to wait longer");
    assert!(replay.passes_over_quiescence(&mut followed.scene.position));
}

#[test]
fn a_trial_sends_only_what_the_model_takes() {
    let model = support::model(SIDES);
    let follow = |text: &str, happens: &str| {
        let mut followed = Followed::new(&model, Order::Sut);
        followed.follow(&mut TrialController::new(&Candidate::of(&actions(&model, text))), happens);
        followed.chosen.join(" ")
    };
    assert_eq!(follow("?go !left ?end", "- !left"), "look ?go wait look ?end Reached");
    // On the other side it cannot be sent, and nothing can come that would change that.
    let unspecified = "Open(Other(\"an input cannot be sent here\"))";
    assert_eq!(follow("?go !left ?end", "- !right"), format!("look ?go wait look {unspecified}"));
    // The side has to come first, though the candidate does not wait for it.
    assert_eq!(follow("?go ?end", "- - !left"), "look ?go look wait look ?end Reached");
    assert_eq!(follow("?go ?end", "- !left"), "look ?go look look ?end Reached");
    assert_eq!(follow("?end", ""), format!("look {unspecified}"));
    // What is missing may still come.
    assert_eq!(follow("?go", "- !left"), "look ?go wait Reached");
}

#[test]
fn a_trial_passes_over_quiescence_only_before_an_input_that_can_be_sent() {
    let model = support::model(SIDES);
    for (text, passes) in [("?go", true), ("?end", false), ("!left", false)] {
        let mut followed = Followed::new(&model, Order::Sut);
        let mut trial = TrialController::new(&Candidate::of(&actions(&model, text)));
        assert_eq!(trial.passes_over_quiescence(&mut followed.scene.position), passes, "{text}");
        assert!(Follower::script(&trial).is_none() && !trial.expects_something());
    }
}

#[test]
fn a_trial_takes_only_so_many_outputs_before_an_input() {
    let model = support::model("input a\noutput tick\nprocess P {\n  init l { ?a -> l  !tick -> l }\n}\n");
    let mut followed = Followed::new(&model, Order::Sut);
    let mut trial = TrialController::new(&Candidate::of(&actions(&model, "?a")));
    for _ in 0..5 {
        assert_eq!(followed.ask(&mut trial), "look");
        followed.sees(&mut trial, "!tick");
    }
    assert_eq!(followed.ask(&mut trial), "?a");
}
