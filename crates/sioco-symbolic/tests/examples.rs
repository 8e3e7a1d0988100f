//! Every example is explored: with Z3 nothing stays unknown, the graphs are as large as they were, and the built-in
//! layers alone never contradict Z3.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as FilePath, PathBuf};

use sioco_lang::check::check_file;
use sioco_lang::source::FsLoader;
use sioco_model::{Id, Model};
use sioco_symbolic::{Exploration, ExploreOptions, Merge, Order, SolverFactory, Step, Stop, explore};
use support::{builtin, has_z3, limits, z3};

/// Nodes of the graph, merged by inclusion. Those that never end are cut at this depth.
const CUT: usize = 12;
const NODES: &[(&str, usize, Stop)] = &[
    ("accumulator/accumulator", 17, Stop::Depth),
    ("atm/atm", 8, Stop::Complete),
    ("atm/atm-two-processes", 10, Stop::Complete),
    ("brp/brp", 197, Stop::Complete),
    ("brp/mutant-1", 161, Stop::Complete),
    ("brp/mutant-2", 167, Stop::Complete),
    ("brp/mutant-3", 197, Stop::Complete),
    ("brp/mutant-4", 197, Stop::Complete),
    ("brp/mutant-5", 197, Stop::Complete),
    ("brp/mutant-6", 197, Stop::Complete),
    ("ceiling-speed-monitor/csm", 26, Stop::Complete),
    ("ceiling-speed-monitor/impl-1", 39, Stop::Complete),
    ("ceiling-speed-monitor/impl-2", 39, Stop::Complete),
    ("ceiling-speed-monitor/impl-3", 37, Stop::Complete),
    ("ceiling-speed-monitor/impl-4", 39, Stop::Complete),
    ("ceiling-speed-monitor/impl-5", 39, Stop::Complete),
    ("ceiling-speed-monitor/impl-6", 39, Stop::Complete),
    ("ceiling-speed-monitor/mutant-ex1", 28, Stop::Complete),
    ("ceiling-speed-monitor/mutant-ex2", 30, Stop::Complete),
    ("ceiling-speed-monitor/mutant-ex3", 30, Stop::Complete),
    ("coffee/coffee", 7, Stop::Complete),
    ("coffee/coffee-free", 4, Stop::Complete),
    ("prepaid-card/impl", 26, Stop::Complete),
    ("prepaid-card/spec", 17, Stop::Complete),
    ("trace-figures/fig-3-01", 2, Stop::Complete),
    ("trace-figures/fig-3-02", 2, Stop::Complete),
    ("trace-figures/fig-3-03", 6, Stop::Complete),
    ("trace-figures/fig-3-04", 7, Stop::Complete),
    ("trace-figures/fig-3-05", 2, Stop::Complete),
    ("trace-figures/fig-3-06", 21, Stop::Depth),
    ("trace-figures/fig-3-07", 4, Stop::Complete),
    ("trace-figures/fig-3-08", 8, Stop::Complete),
    ("trace-figures/fig-3-09", 10, Stop::Complete),
    ("trace-figures/fig-3-10", 9, Stop::Complete),
    ("trace-figures/fig-3-11", 6, Stop::Complete),
    ("trace-figures/fig-3-12", 6, Stop::Complete),
    ("trace-figures/fig-3-13", 10, Stop::Complete),
    ("trace-figures/fig-3-14", 8, Stop::Complete),
    ("trace-figures/fig-3-15-spec", 4, Stop::Complete),
    ("trace-figures/fig-3-15-sut", 3, Stop::Complete),
    ("trace-figures/fig-3-16-spec", 5, Stop::Complete),
    ("trace-figures/fig-3-16-sut", 5, Stop::Complete),
    ("trace-figures/fig-5-01", 3, Stop::Complete),
    ("trace-figures/fig-5-02", 22, Stop::Depth),
    ("trace-figures/fig-5-11", 7, Stop::Complete),
    ("trace-figures/fig-5-12", 12, Stop::Complete),
];

fn folder() -> PathBuf {
    FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn example(name: &str) -> Model {
    let checked = check_file(&folder().join(format!("{name}.sts")), &FsLoader, &Default::default());
    checked.model.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics)).model
}

fn graph(model: &Model, solvers: SolverFactory<'_>, options: ExploreOptions) -> Exploration {
    explore(model, solvers, &options, &mut |_| {})
}

/// Merged by inclusion, to the end where there is one.
fn merged(model: &Model, solvers: SolverFactory<'_>, stop: Stop) -> Exploration {
    let depth = (stop == Stop::Depth).then_some(CUT);
    graph(model, solvers, ExploreOptions { depth, ..ExploreOptions::default() })
}

#[test]
fn every_example_is_in_the_list() {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder()).expect("the examples").map(|e| e.expect("an entry").path()) {
        // Those of real systems are explored by their own tests.
        if entry.join("sioco.toml").exists() {
            continue;
        }
        let files = fs::read_dir(&entry).into_iter().flatten().map(|e| e.expect("an entry").path());
        // What models share, and purposes for them, are no models of their own.
        let is_model = |p: &PathBuf| {
            p.extension().is_some_and(|e| e == "sts") && !p.ends_with("common.sts") && !p.ends_with("purposes.sts")
        };
        for file in files.filter(is_model) {
            let name = [&entry, &file].map(|p| p.file_stem().expect("a name").to_string_lossy().into_owned());
            found.push(name.join("/"));
        }
    }
    found.sort();
    let mut listed: Vec<&str> = NODES.iter().map(|(name, ..)| *name).collect();
    listed.sort_unstable();
    assert_eq!(found, listed);
}

#[test]
fn every_example_is_explored_and_decided() {
    if !has_z3() {
        eprintln!("skipped: there is no Z3 here");
        return;
    }
    let found: Vec<(&str, usize, Stop)> = NODES
        .iter()
        .map(|(name, _, stop)| {
            let found = merged(&example(name), &z3, *stop);
            assert_eq!(found.doubts, [], "{name}");
            assert!(found.graph.ids().all(|n| !found.graph.rests_on_unknown(n)), "{name}");
            (*name, found.graph.len(), found.stop)
        })
        .collect();
    assert_eq!(found, NODES);
}

/// With silence, too.
#[test]
fn every_example_is_decided_with_silence() {
    if !has_z3() {
        eprintln!("skipped: there is no Z3 here");
        return;
    }
    for (name, _, stop) in NODES {
        let model = example(name);
        let depth = (*stop == Stop::Depth).then_some(CUT);
        let found = graph(&model, &z3, ExploreOptions { depth, delta: true, ..ExploreOptions::default() });
        assert_eq!((found.stop, &found.doubts[..]), (*stop, &[][..]), "{name}");
    }
}

/// Without merging, in the same order, the built-in layers have every path that Z3 has; what they have besides is
/// marked; and what is sure for them is there for Z3.
#[test]
fn the_built_in_layers_never_contradict_z3() {
    if !has_z3() {
        eprintln!("skipped: there is no Z3 here");
        return;
    }
    for (name, ..) in NODES {
        let model = example(name);
        for delta in [false, true] {
            let options = ExploreOptions {
                merge: Merge::Nothing,
                depth: Some(5),
                delta,
                limits: limits(),
                ..ExploreOptions::default()
            };
            let paths = |found: Exploration| -> BTreeMap<Vec<Step>, bool> {
                let graph = &found.graph;
                graph.ids().map(|n| (graph.path(n), !graph.rests_on_unknown(n))).collect()
            };
            let (weak, strong) = (graph(&model, &builtin, options.clone()), graph(&model, &z3, options));
            assert_eq!((weak.stop == Stop::Nodes, strong.stop == Stop::Nodes), (false, false), "{name}");
            let (weak, strong) = (paths(weak), paths(strong));
            for (one, other, who) in [(&weak, &strong, "built-in layers"), (&strong, &weak, "Z3")] {
                for (path, sure) in one {
                    let names = || path.iter().map(|s| s.name(&model)).collect::<Vec<_>>();
                    assert!(!sure || other.contains_key(path), "{name}: only the {who}: {:?}", names());
                }
            }
        }
    }
}

/// Merged, too: the built-in layers know of no switch that Z3 says is never taken, and miss none that is. They decide
/// everything, and the graph is the same.
#[test]
fn the_built_in_layers_find_the_same_switches() {
    let with_z3 = has_z3();
    if !with_z3 {
        eprintln!("skipped: there is no Z3 here to compare with");
    }
    let mut decided = 0;
    for (name, nodes, stop) in NODES {
        let model = example(name);
        let weak = merged(&model, &builtin, *stop);
        if weak.doubts.is_empty() {
            decided += 1;
            assert_eq!((weak.graph.len(), weak.stop), (*nodes, *stop), "{name}");
        }
        if !with_z3 {
            continue;
        }
        let strong = merged(&model, &z3, *stop);
        let (weak, strong) = (weak.graph.taken(&model), strong.graph.taken(&model));
        for (id, switch) in model.switches.iter() {
            let (weak, strong) = (weak[id.index()], strong[id.index()]);
            assert!(weak != Some(true) || strong.is_some(), "{name}: {}", switch.name);
            assert!(strong != Some(true) || weak.is_some(), "{name}: {}", switch.name);
        }
    }
    eprintln!("{decided} of {} decided", NODES.len());
    assert_eq!(decided, NODES.len(), "all of them, also those with real numbers");
}

/// Trees that are large enough for workers to share them, in both orders, also where a limit cuts them.
#[test]
fn workers_share_large_trees() {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/brp/brp.sts");
    let model = check_file(&file, &FsLoader, &Default::default()).model.expect("an example is a model").model;
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        for nodes in [6_000, 100_000] {
            let run = |workers| {
                let options = ExploreOptions {
                    order,
                    nodes,
                    workers,
                    merge: Merge::Nothing,
                    depth: Some(16),
                    ..ExploreOptions::default()
                };
                let found = explore(&model, &builtin, &options, &mut |_| {});
                let all: Vec<_> = found
                    .graph
                    .ids()
                    .map(|n| (found.graph.parent(n), found.graph.step(n), found.graph.is_expanded(n)))
                    .collect();
                (found.stop, all)
            };
            let one = run(1);
            assert!(one.1.len() >= 6_000);
            for workers in [2, 3] {
                assert!(run(workers) == one, "{order:?}, at most {nodes} nodes, {workers} workers");
            }
        }
    }
}
