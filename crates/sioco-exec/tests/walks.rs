//! Walks: which of several inputs they choose, and where they wait for silence.

mod support;

use std::collections::BTreeSet;

use sioco_exec::controller::walk::WalkController;
use sioco_exec::controller::{Chosen, Controller};
use sioco_exec::record::Why;
use sioco_exec::settings::Walks;
use sioco_exec::verdict::Cause;
use sioco_model::model::Model;
use support::scene::Scene;

/// Three inputs at one place, and two of them at another.
const THREE: &str = "input a\ninput b\ninput c\nprocess P {\n  init l { ?a -> l  ?b -> l  ?c -> m }\n  \
                     state m { ?a -> m  ?c -> l }\n}\n";

/// Four inputs at one place.
const FOUR: &str =
    "input a\ninput b\ninput c\ninput d\nprocess P {\n  init l { ?a -> l  ?b -> l  ?c -> l  ?d -> l }\n}\n";

/// A walk in a campaign with this seed.
fn walking<'m>(model: &'m Model, walks: Walks, seed: u64) -> (Scene<'m>, WalkController) {
    let mut scene = Scene::with(model, &support::planned(model, "switch", false), seed);
    scene.settings.walks = walks;
    scene.run.walk_end = 10_000;
    let mut walk = WalkController::new(model);
    walk.start(&mut scene.situation());
    (scene, walk)
}

/// What it sends next, by name, and how often it waited for silence before.
fn sends(scene: &mut Scene<'_>, walk: &mut WalkController) -> (String, usize) {
    for waits in 0..1_000 {
        match scene.ask(walk) {
            // It is silent.
            Some(Chosen::Wait) => walk.update(&mut scene.situation(), None),
            Some(Chosen::Send(input, Why::Walk)) => return (scene.model.gates[input.gate].name.clone(), waits),
            // There is more to be found from the start than here.
            Some(Chosen::End(Cause::Reached)) => {
                scene.position.start().expect("a defined beginning");
                walk.start(&mut scene.situation());
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("it waits for ever");
}

/// The inputs of so many steps of a walk, by name.
fn steps(scene: &mut Scene<'_>, walk: &mut WalkController, most: usize) -> Vec<String> {
    let mut names = Vec::new();
    for _ in 0..most {
        let (name, _) = sends(scene, walk);
        match name.as_str() {
            // The next walk begins at the same place.
            "bye" => walk.start(&mut scene.situation()),
            name => {
                walk.ended(&scene.position);
                scene.happens(walk, &format!("?{name}"));
            }
        }
        names.push(name);
    }
    names
}

fn count(names: &[String], name: &str) -> usize {
    names.iter().filter(|n| *n == name).count()
}

/// How often silence is waited for, if it is so often decided what comes next.
fn silences(scene: &mut Scene<'_>, walk: &mut WalkController, most: usize) -> usize {
    (0..most).filter(|_| scene.ask(walk) == Some(Chosen::Wait)).count()
}

#[test]
fn every_input_of_a_place_is_tried_and_no_other() {
    let model = support::model(THREE);
    for (walks, seed) in (0..10).flat_map(|seed| [(Walks::Random, seed), (Walks::Guided, seed)]) {
        let (mut scene, mut walk) = walking(&model, walks, seed);
        // That each of them can happen is seen by the position.
        let names = steps(&mut scene, &mut walk, 300);
        let counts = ["a", "b", "c"].map(|name| count(&names, name));
        assert!(counts.iter().all(|n| *n >= 30), "{walks:?}, seed {seed}: {counts:?}");
    }
}

/// T-P13: what was done least comes first, and so do reactions in a row that are new.
#[test]
fn guided_walks_have_every_input_after_every_other_sooner_than_random_ones() {
    let model = support::model(FOUR);
    let steps = |walks: Walks| -> usize {
        let of = |seed| {
            let (mut scene, mut walk) = walking(&model, walks, seed);
            let names = steps(&mut scene, &mut walk, 400);
            let mut pairs = BTreeSet::new();
            let all = names.windows(2).position(|pair| {
                pairs.insert(pair);
                pairs.len() == 16
            });
            all.unwrap_or_else(|| panic!("{walks:?}, seed {seed}: {pairs:?}"))
        };
        (0..40).map(of).sum()
    };
    let (random, guided) = (steps(Walks::Random), steps(Walks::Guided));
    println!("random {random}, guided {guided}");
    assert!(guided * 10 < random * 9, "random {random}, guided {guided}");
}

/// What would end the walk is seldom tried again, except where the walk is about to end anyway.
#[test]
fn what_ends_a_walk_is_put_off_once_it_was_tried() {
    let model =
        support::model("input stay\ninput bye\nprocess P {\n  init l { ?stay -> l  ?bye -> m }\n  final m\n}\n");
    for walks in [Walks::Random, Walks::Guided] {
        let byes = |closing: bool| -> usize {
            let of = |seed| {
                let (mut scene, mut walk) = walking(&model, walks, seed);
                let mut step = || {
                    scene.run.walk_end = scene.run.steps + if closing { 1 } else { 100 };
                    count(&steps(&mut scene, &mut walk, 1), "bye")
                };
                (0..100).map(|_| step()).sum::<usize>()
            };
            (0..10).map(of).sum()
        };
        let (early, closing) = (byes(false), byes(true));
        println!("{walks:?}: {early} and {closing} of 1000");
        assert!(early >= 10 && early * 3 < closing, "{walks:?}: {early} and {closing} of 1000");
    }
}

/// Two places where nothing but silence can come.
const PLACES: &str = "input go\ninput back\nprocess P {\n  init l { ?go -> m }\n  state m { ?back -> l }\n}\n";

#[test]
fn guided_walks_wait_for_silence_once_at_each_place() {
    let model = support::model(PLACES);
    for seed in 0..10 {
        let (mut scene, mut walk) = walking(&model, Walks::Guided, seed);
        assert_eq!(scene.ask(&mut walk), Some(Chosen::Wait), "seed {seed}");
        assert_eq!(sends(&mut scene, &mut walk).0, "go");
        scene.happens(&mut walk, "?go");
        assert_eq!(scene.ask(&mut walk), Some(Chosen::Wait), "another place, seed {seed}");
        assert_eq!(sends(&mut scene, &mut walk).0, "back");
    }
    // Later only now and then.
    let (mut scene, mut walk) = walking(&model, Walks::Guided, 1);
    let waits = silences(&mut scene, &mut walk, 1_600);
    assert!((60..=150).contains(&waits), "{waits}");
}

#[test]
fn the_more_silence_costs_and_the_more_often_it_was_seen_at_a_place_the_less_it_is_waited_for() {
    let model = support::model(PLACES);
    let (mut quick, mut here, mut still_here, mut there) = (0, 0, 0, 0);
    for seed in 0..10 {
        let (mut scene, mut walk) = walking(&model, Walks::Random, seed);
        quick += silences(&mut scene, &mut walk, 1_600);
        let (mut scene, mut walk) = walking(&model, Walks::Random, seed);
        walk.silence_takes_time();
        here += silences(&mut scene, &mut walk, 1_600);
        still_here += silences(&mut scene, &mut walk, 200);
        scene.happens(&mut walk, "?go");
        there += silences(&mut scene, &mut walk, 200);
    }
    println!("{quick} and {here} of 16000, then {still_here} and at another place {there} of 2000");
    assert!((800..=1_200).contains(&quick), "{quick}");
    assert!(here * 5 < quick, "{here} of {quick}");
    assert!(there > 2 * still_here, "{there} and {still_here}");
}
