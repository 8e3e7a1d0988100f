//! Which run comes next, and how runs are listened to at their end (T-B10, T-P13, T-Q9): the schedule and the listening,
//! each on its own.

mod support;

use sioco_exec::controller::{Chosen, Controller};
use sioco_exec::ledger::Ledger;
use sioco_exec::listening::Listening;
use sioco_exec::record::{Aim, Record};
use sioco_exec::run::Mode;
use sioco_exec::schedule::{Next, Schedule};
use sioco_exec::settings::{Settings, Walks};
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, Failure, OpenCause, Verdict};
use sioco_model::model::Model;
use sioco_plan::PurposeId;
use sioco_solve::values::Random;
use support::scene::{Scene, id};

/// Three ways from the start: three purposes.
const THREE: &str = "input a\ninput b\ninput c\nprocess P {\n  init l { ?a -> m  ?b -> n  ?c -> o }\n  \
                     final m\n  final n\n  final o\n}\n";

/// A campaign in which nothing is run.
struct Campaign {
    schedule: Schedule,
    suite: Suite,
    ledger: Ledger,
    settings: Settings,
    random: Random,
}

impl Campaign {
    fn new(model: &Model, walks: Walks, attempts: u32) -> Campaign {
        let suite = Suite::new(model, &support::planned(model, "switch", false));
        let settings = Settings { walks, attempts, ..Settings::default() };
        assert_eq!(suite.len(), 3);
        let ledger = Ledger::new(model.switches.len(), vec![false; suite.len()]);
        Campaign { schedule: Schedule::new(suite.len(), attempts), suite, ledger, settings, random: Random::new(1) }
    }

    fn next(&mut self) -> Option<Next> {
        self.schedule.next(&mut self.suite, &mut self.ledger, &self.settings, &mut self.random)
    }

    /// The purpose that the next run is for.
    fn purpose(&mut self) -> Option<PurposeId> {
        let Next { mode, aim, repeated } = self.next()?;
        let Mode::Purpose(purpose) = mode else { panic!("a walk") };
        assert!(aim == Aim::Purpose(purpose) && !repeated, "{aim:?}");
        Some(purpose)
    }

    /// The purpose that the next run goes through again.
    fn again(&mut self) -> Option<PurposeId> {
        let Next { mode, aim, repeated } = self.next()?;
        let Mode::Purpose(purpose) = mode else { panic!("a walk") };
        assert!(aim == Aim::Walk && repeated, "{aim:?}");
        Some(purpose)
    }

    /// A run ended after a step.
    fn runs(&mut self) {
        let cause = Cause::Reached;
        self.ledger.add(&Record::Verdict { verdict: Verdict::Pass, cause, steps: 1, doubt: false });
    }

    fn open(&self) -> Vec<usize> {
        (0..self.suite.len()).filter(|place| self.suite.is_open(id(*place))).collect()
    }
}

#[test]
fn what_was_tried_least_comes_first_and_each_purpose_has_its_attempts() {
    let model = support::model(THREE);
    let mut campaign = Campaign::new(&model, Walks::None, 2);
    let order: Vec<Option<PurposeId>> = (0..7).map(|_| campaign.purpose()).collect();
    assert_eq!(order, [Some(id(0)), Some(id(1)), Some(id(2)), Some(id(0)), Some(id(1)), Some(id(2)), None]);
    assert!(campaign.ledger.results().iter().all(|(_, result)| result.attempts == 2));
    assert_eq!(Campaign::new(&model, Walks::None, 0).next(), None);
}

#[test]
fn purposes_that_were_reached_are_not_tried_again() {
    let model = support::model(THREE);
    let mut campaign = Campaign::new(&model, Walks::None, 2);
    assert_eq!(campaign.purpose(), Some(id(0)));
    // On the way to it, the run reached the next one.
    campaign.suite.close(id(1));
    assert_eq!([campaign.purpose(), campaign.purpose()], [Some(id(2)), Some(id(0))]);
    campaign.suite.close(id(2));
    assert_eq!(campaign.purpose(), None);
}

#[test]
fn walks_follow_the_purposes_and_have_none_of_their_own() {
    let model = support::model(THREE);
    let mut campaign = Campaign::new(&model, Walks::Random, 1);
    campaign.settings.max_walks = Some(2);
    (0..3).for_each(|_| assert!(campaign.purpose().is_some()));
    assert_eq!(campaign.open(), [0, 1, 2]);
    let walk = Next { mode: Mode::Walk, aim: Aim::Walk, repeated: false };
    assert_eq!([campaign.next(), campaign.next(), campaign.next()], [Some(walk.clone()), Some(walk), None]);
    assert!(campaign.open().is_empty());
}

#[test]
fn a_guided_walk_begins_with_a_purpose_now_and_then() {
    let model = support::model(THREE);
    let mut campaign = Campaign::new(&model, Walks::Guided, 0);
    let mut begun = [0; 3];
    for _ in 0..400 {
        let Next { mode, aim, repeated } = campaign.next().expect("walks never end");
        assert!(aim == Aim::Walk && repeated == (mode != Mode::Walk));
        match mode {
            Mode::Walk => assert!(campaign.open().is_empty()),
            Mode::Purpose(purpose) => {
                let open = campaign.open();
                assert_eq!(open.iter().copied().map(id).collect::<Vec<_>>(), [purpose], "it may be reached again");
                begun[open[0]] += 1;
            }
        }
    }
    // One in four, and each of them.
    assert!((60..=140).contains(&begun.iter().sum::<u32>()) && begun.iter().all(|n| *n > 10), "{begun:?}");
    let mut empty = Schedule::new(0, 1);
    let Campaign { suite, ledger, settings, random, .. } = &mut campaign;
    let walks = (0..100).map(|_| empty.next(suite, ledger, settings, random).map(|next| next.mode));
    assert!(walks.into_iter().all(|mode| mode == Some(Mode::Walk)));
}

#[test]
fn rounds_repeat_what_does_not_fail_for_as_long_as_anything_happens() {
    let model = support::model(THREE);
    let mut campaign = Campaign::new(&model, Walks::Again, 1);
    (0..3).for_each(|_| assert!(campaign.purpose().is_some()));
    campaign.suite.close_all();
    let failed = Record::Purpose {
        purpose: id(1),
        verdict: Verdict::Fail,
        cause: Cause::Failure(Failure::Silence),
        alone: false,
        doubt: false,
    };
    campaign.ledger.add(&failed);
    campaign.runs();
    assert_eq!(campaign.again(), Some(id(0)));
    assert_eq!(campaign.open(), [0, 2], "all of the round");
    campaign.runs();
    assert_eq!(campaign.again(), Some(id(2)));
    campaign.suite.close_all();
    assert_eq!(campaign.again(), Some(id(0)), "the next round");
    // One run did for both.
    campaign.suite.close_all();
    assert_eq!(campaign.next(), None, "nothing happened in it");
    campaign.runs();
    assert_eq!(campaign.again(), Some(id(0)));
}

/// `a` is answered, and after `bye` nothing can be sent any more.
const BYE: &str = "input a\ninput bye\noutput o\nprocess P {\n  init l { ?a -> m  ?bye -> n }\n  \
                   state m { !o -> l }\n  final n\n}\n";

/// Listening to a system that goes on by itself, after a step.
fn listening(model: &Model) -> (Scene<'_>, Listening) {
    let (mut scene, mut listening) = (Scene::new(model), Listening::new(model));
    listening.start(&mut scene.situation());
    listening.may_be_late();
    scene.run.steps = 1;
    (scene, listening)
}

/// How many of so many runs are listened to before they end.
fn listened(scene: &mut Scene<'_>, listening: &mut Listening, runs: u64) -> usize {
    let mut hears = |run| {
        scene.run.number = run;
        listening.listens(&mut scene.situation(), &Cause::Reached)
    };
    (1..=runs).filter(|run| hears(sioco_exec::RunNumber(*run))).count()
}

#[test]
fn the_first_runs_are_listened_to_and_then_one_in_four() {
    let model = support::model(BYE);
    let (mut scene, mut listening) = listening(&model);
    assert_eq!(listened(&mut scene, &mut listening, 5), 5);
    let later = listened(&mut scene, &mut listening, 400);
    assert!((60..=140).contains(&later), "{later} of 400");
}

#[test]
fn only_runs_that_are_done_are_listened_to_and_only_where_silence_is_all_that_may_come() {
    let model = support::model(BYE);
    let (mut scene, mut late) = listening(&model);
    for (cause, expected) in [
        (Cause::Reached, true),
        (Cause::Open(OpenCause::Deviation), true),
        (Cause::Open(OpenCause::Stopped), false),
        (Cause::Failure(Failure::Silence), false),
    ] {
        assert_eq!(late.listens(&mut scene.situation(), &cause), expected, "{cause:?}");
    }
    scene.run.steps = 0;
    assert_eq!(listened(&mut scene, &mut late, 1), 0, "nothing has happened");
    assert_eq!(listened(&mut listening(&model).0, &mut Listening::new(&model), 1), 0, "its answers are never late");
    let (mut scene, mut late) = listening(&model);
    scene.happens(&mut late, "?a");
    assert_eq!(listened(&mut scene, &mut late, 1), 0, "an answer may come");
    scene.happens(&mut late, "!o");
    assert_eq!(listened(&mut scene, &mut late, 1), 1);
}

#[test]
fn the_last_input_of_a_run_is_listened_before() {
    let model = support::model(BYE);
    let (mut scene, mut late) = listening(&model);
    for (input, last) in [("?bye", true), ("?a", false)] {
        let input = support::event(&model, input);
        assert_eq!(late.listens_before(&mut scene.situation(), &input), last);
    }
    let bye = support::event(&model, "?bye");
    assert!(!Listening::new(&model).listens_before(&mut scene.situation(), &bye), "its answers are never late");
}

#[test]
fn a_run_that_was_listened_to_ends_as_it_was_to_unless_its_purpose_was_reached_meanwhile() {
    let model = support::model(BYE);
    let (mut scene, mut listening) = listening(&model);
    scene.run.plan(Mode::Purpose(id(0)), Aim::Purpose(id(0)), false);
    assert_eq!(listening.select(&mut scene.situation()), None);
    let deviation = Cause::Open(OpenCause::Deviation);
    for (reached, expected) in [(None, deviation.clone()), (Some(Verdict::WeakPass), Cause::Reached)] {
        scene.run.reached = reached;
        listening.put_off(deviation.clone());
        assert_eq!(listening.select(&mut scene.situation()), Some(Chosen::End(expected)));
        assert_eq!(listening.select(&mut scene.situation()), None, "once");
    }
    listening.put_off(deviation);
    listening.then = Some((support::event(&model, "?a"), sioco_exec::record::Why::Walk));
    listening.start(&mut scene.situation());
    assert_eq!((listening.select(&mut scene.situation()), &listening.then), (None, &None), "another run");
}
