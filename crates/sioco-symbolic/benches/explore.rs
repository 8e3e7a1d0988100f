//! How fast the symbolic execution graph is built, against the same exploration that asks Z3 for everything.
//!
//! `cargo bench -p sioco-symbolic --bench explore` prints all tables; times are only compared within one run. With
//! `--count NODES` it only builds the tree of BRP with so many nodes, for counting instructions; with `--merge RUNS` it
//! only explores the generated model with merging, and with `--workers N breadth|depth` BRP to depth 24, for profiles.

use std::fmt::Write;
use std::path::Path as FilePath;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use sioco_lang::check::{check_file, check_text};
use sioco_lang::source::FsLoader;
use sioco_model::term::TermPool;
use sioco_model::{Model, Value};
use sioco_solve::back_end::BackEnd;
use sioco_solve::smt::z3;
use sioco_solve::values::Bounds;
use sioco_solve::{Limits, Symbols, Terms};
use sioco_symbolic::{Exploration, ExploreOptions, Merge, Order, Shortcuts, Stop, explore};

fn example(name: &str) -> Model {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    check_file(&file, &FsLoader, &Default::default()).model.expect("an example is a model").model
}

/// Phases with data: in each, numbers are added up until the sum lies in a band, and a switch of the phase is only
/// possible for certain sums. Four switches per phase.
fn generated(phases: usize) -> Model {
    let mut text = String::from(
        "input add(p: Int in 1..10)\ninput skip\noutput sum(s: Int)\noutput next\nprocess G {\n  var x: Int = 0\n",
    );
    for i in 0..phases {
        let word = if i == 0 { "init" } else { "state" };
        let (low, high) = (12 * i + 6, 12 * i + 14);
        writeln!(text, "  {word} a{i} {{").expect("a string takes any text");
        writeln!(text, "    add{i}: ?add(p) [x + p <= {high}] / x := x + p -> b{i}").expect("a string");
        writeln!(text, "    skip{i}: ?skip [x + 4 > {low}] -> b{i}\n  }}").expect("a string");
        writeln!(text, "  state b{i} {{").expect("a string");
        writeln!(text, "    tell{i}: !sum(x) [x < {low}] -> a{i}").expect("a string");
        writeln!(text, "    next{i}: !next [x >= {low}] -> {}\n  }}", target(i + 1, phases)).expect("a string");
    }
    text.push_str("  final end\n}\n");
    check_text("generated.sts", &text).model.expect("the generated text is a model").model
}

fn target(i: usize, phases: usize) -> String {
    if i == phases { "end".into() } else { format!("a{i}") }
}

fn chain() -> Box<dyn Bounds> {
    Box::new(BackEnd::Auto.chain())
}

fn plain() -> Box<dyn Bounds> {
    Box::new(BackEnd::Auto.plain())
}

/// The best of some runs.
fn timed(runs: usize, run: &dyn Fn() -> Exploration) -> (Duration, Exploration) {
    let mut best: Option<(Duration, Exploration)> = None;
    for _ in 0..runs {
        let start = Instant::now();
        let found = run();
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(t, _)| time < *t) {
            best = Some((time, found));
        }
    }
    best.expect("at least one run")
}

fn tree() -> ExploreOptions {
    ExploreOptions { merge: Merge::Nothing, workers: 1, nodes: 4_000_000, bytes: 8 << 30, ..ExploreOptions::default() }
}

fn rate(found: &Exploration, time: Duration) -> f64 {
    found.graph.len() as f64 / time.as_secs_f64()
}

/// Time until every switch has been taken.
fn coverage(name: &str, model: &Model, z3: bool) {
    let merged = ExploreOptions { merge: Merge::Included, until_covered: true, ..tree() };
    let alone = ExploreOptions { until_covered: true, ..tree() };
    let bare = ExploreOptions { shortcuts: Shortcuts { evaluation: false, independence: false }, ..alone.clone() };
    let (merged_time, with_merging) = timed(5, &|| explore(model, &chain, &merged, &mut |_| {}));
    let (tree_time, without) = timed(5, &|| explore(model, &chain, &alone, &mut |_| {}));
    println!("{name}: {} switches", model.switches.len());
    println!("  merging  {:>8} nodes {:>12.3?}", with_merging.graph.len(), merged_time);
    println!(
        "  tree     {:>8} nodes {:>12.3?}   {:.0} nodes/s; merging alone gains {:.1} times",
        without.graph.len(),
        tree_time,
        rate(&without, tree_time),
        tree_time.as_secs_f64() / merged_time.as_secs_f64()
    );
    for (what, found) in [("merging", &with_merging), ("tree", &without)] {
        assert!(matches!(found.stop, Stop::Covered | Stop::Complete), "{what}: {:?}", found.stop);
    }
    if z3 {
        let (time, found) = timed(5, &|| explore(model, &plain, &bare, &mut |_| {}));
        assert_eq!(found.graph.len(), without.graph.len(), "the same tree");
        // And with merging, which asks it even more.
        let bare_merged = ExploreOptions { merge: Merge::Included, ..bare.clone() };
        let (merged_plain, _) = timed(3, &|| explore(model, &plain, &bare_merged, &mut |_| {}));
        // Once more with solvers that have answered before, so that nothing of the time goes into opening Z3.
        let warm = (0..5).map(|_| warm_time(model, &bare)).min().expect("some runs");
        let ratio = |time: Duration, ours: Duration| time.as_secs_f64() / ours.as_secs_f64();
        println!(
            "  plain Z3 {:>8} nodes {time:>12.3?}   {:.0} times the tree, {:.0} times merging",
            found.graph.len(),
            ratio(time, tree_time),
            ratio(time, merged_time)
        );
        println!(
            "    already open           {warm:>12.3?}   {:.0} times the tree, {:.0} times merging",
            ratio(warm, tree_time),
            ratio(warm, merged_time)
        );
        println!(
            "    merging, too           {merged_plain:>12.3?}   {:.0} times merging",
            ratio(merged_plain, merged_time)
        );
    }
}

/// How long an exploration takes with plain solvers that are open before it starts.
fn warm_time(model: &Model, options: &ExploreOptions) -> Duration {
    let open: Mutex<Vec<Box<dyn Bounds>>> = Mutex::new((0..2).map(|_| plain()).collect());
    let mut pool = TermPool::default();
    let symbol = pool.constant(Value::Bool(true), model.sorts.bool);
    for solver in open.lock().expect("nobody panicked").iter_mut() {
        let terms = Terms { pool: &pool, sorts: &model.sorts, symbols: &Symbols::default() };
        solver.push();
        solver.assert(terms, symbol);
        solver.check(terms, &Limits::default(), true);
        solver.pop();
    }
    let take = || open.lock().expect("nobody panicked").pop().expect("a path takes two");
    let start = Instant::now();
    explore(model, &take, options, &mut |_| {});
    start.elapsed()
}

/// Nodes per second near a depth: depth-first, so that nearly all nodes are there.
fn depths(name: &str, model: &Model, nodes: usize) {
    let mut first = None;
    for depth in [10, 20, 40] {
        let options = ExploreOptions { order: Order::DepthFirst, depth: Some(depth), nodes, ..tree() };
        let (time, found) = timed(3, &|| explore(model, &chain, &options, &mut |_| {}));
        let rate = rate(&found, time);
        let ratio = first.get_or_insert(rate).max(1.0) / rate;
        println!(
            "  {name}, depth {depth}: {:>7} nodes, {rate:.0} nodes/s, {ratio:.2} times as slow",
            found.graph.len()
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let ["--count", nodes] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let nodes = nodes.parse().expect("a number of nodes");
        explore(&example("brp/brp.sts"), &chain, &ExploreOptions { nodes, ..tree() }, &mut |_| {});
        return;
    }
    if let ["--workers", workers, order] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let order = if order == "depth" { Order::DepthFirst } else { Order::BreadthFirst };
        let options =
            ExploreOptions { workers: workers.parse().expect("a number of workers"), depth: Some(24), order, ..tree() };
        explore(&example("brp/brp.sts"), &chain, &options, &mut |_| {});
        return;
    }
    if let ["--merge", runs] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let (model, options) = (generated(4), ExploreOptions { merge: Merge::Included, until_covered: true, ..tree() });
        for _ in 0..runs.parse().expect("a number of runs") {
            let found = explore(&model, &chain, &options, &mut |_| {});
            eprintln!("{:?}", found.counters);
        }
        return;
    }
    let z3 = z3::find().0.is_some();
    println!("time to full switch coverage, one core");
    coverage("S0 figure 1", &example("accumulator/accumulator.sts"), z3);
    coverage("BRP", &example("brp/brp.sts"), z3);
    coverage("generated", &generated(4), z3);
    if !z3 {
        println!("  plain Z3: skipped, no Z3 was found");
    }

    println!("speed by depth, one core");
    depths("BRP", &example("brp/brp.sts"), 200_000);
    depths("generated", &generated(8), 10_000);

    println!("BRP to depth 20");
    let brp = example("brp/brp.sts");
    for (name, merge) in [("tree", Merge::Nothing), ("equal", Merge::Equal), ("included", Merge::Included)] {
        let options = ExploreOptions { merge, depth: Some(20), ..tree() };
        let (time, found) = timed(3, &|| explore(&brp, &chain, &options, &mut |_| {}));
        println!(
            "  {name:<8} {:>8} nodes {time:>12.3?}, {} bytes per node, {:.1} % of {} answers without the back-end",
            found.graph.len(),
            found.bytes / found.graph.len(),
            100.0 - 100.0 * found.counters.chain.back_end.asked as f64 / found.counters.total().max(1) as f64,
            found.counters.total()
        );
    }

    println!("BRP, a million nodes and more");
    for (name, order) in [("breadth-first", Order::BreadthFirst), ("depth-first", Order::DepthFirst)] {
        cores(name, &brp, order);
    }
}

/// What a second core gains, beside what it would gain if the two had nothing to do with each other.
fn cores(name: &str, model: &Model, order: Order) {
    let mut one = None;
    for workers in [1, 2] {
        let options = ExploreOptions { depth: Some(24), workers, order, ..tree() };
        let (time, found) = timed(5, &|| explore(model, &chain, &options, &mut |_| {}));
        let factor = one.get_or_insert(time).as_secs_f64() / time.as_secs_f64();
        println!(
            "  {name}, {workers} workers: {} nodes {time:.3?}, {:.2} million nodes/s, {factor:.2} times one worker",
            found.graph.len(),
            rate(&found, time) / 1e6
        );
    }
    let options = ExploreOptions { depth: Some(24), workers: 1, order, ..tree() };
    let run = || explore(model, &chain, &options, &mut |_| {});
    let apart = (0..5).map(|_| {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(run);
            }
        });
        start.elapsed()
    });
    let apart = apart.min().expect("some runs");
    let limit = 2.0 * one.expect("it was measured").as_secs_f64() / apart.as_secs_f64();
    println!("  {name}, two of them at once, each on its own: {apart:.3?}; {limit:.2} times one worker");
}
