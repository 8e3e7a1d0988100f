//! Which parts of sioco answered how many questions, and at what cost.

use std::fmt::Write;
use std::time::Duration;

use sioco_solve::chain::Counters as Layer;

use super::{Explored, bytes, count};
use crate::style::Style;

/// The layers of the chain, in the order in which they are asked.
pub(super) fn layers(explored: &Explored<'_>) -> [(&'static str, Layer); 6] {
    let chain = &explored.found.counters.chain;
    [
        ("simplification", chain.simplification),
        ("last witness", chain.witness),
        ("built-in solver", chain.builtin),
        ("few values", chain.few),
        ("cache", chain.cache),
        ("back-end", chain.back_end),
    ]
}

/// The share of all questions that were answered before the back-end, in percent.
pub fn before_back_end(explored: &Explored<'_>) -> f64 {
    let counters = &explored.found.counters;
    let all = questions(explored);
    100.0 - share(counters.chain.back_end.asked.min(all), all)
}

/// All questions: whether steps are possible, and whether states are included in others.
fn questions(explored: &Explored<'_>) -> u64 {
    explored.found.counters.total() + explored.found.counters.inclusion.asked
}

/// The statistics, for people. In both tables, the lines add up to the last one.
pub fn statistics(explored: &Explored<'_>, time: Duration, style: Style) -> String {
    let counters = &explored.found.counters;
    let mut out = String::new();
    let total = questions(explored);
    let _ = writeln!(out, "{}", style.bold("questions"));
    for (who, n) in [
        ("yes by evaluation", counters.evaluated),
        ("no by evaluation", counters.refuted),
        ("remembered", counters.remembered),
        ("asked about steps", counters.asked),
        ("asked about inclusion", counters.inclusion.asked),
        ("total", total),
    ] {
        let _ = writeln!(out, "  {who:<24}{n:>10}  {:>5.1} %", share(n, total));
    }
    let heading = format!("{:<26}{:>10}{:>10}{:>10}", "answers, by layer", "sat", "unsat", "total");
    let _ = writeln!(out, "{}", style.bold(heading));
    let layers = layers(explored);
    let all = layers.iter().fold(Layer::default(), |sum, (_, l)| Layer {
        sat: sum.sat + l.sat,
        unsat: sum.unsat + l.unsat,
        ..Layer::default()
    });
    for (name, Layer { sat, unsat, .. }) in layers.into_iter().chain([("total", all)]) {
        let _ = writeln!(out, "  {name:<24}{sat:>10}{unsat:>10}{:>10}", sat + unsat);
    }
    let who = explored.solver.unwrap_or("there is none");
    let _ = writeln!(out, "  never reached the back-end ({who}): {:.2} %", before_back_end(explored));
    let inclusion = &counters.inclusion;
    let _ = writeln!(
        out,
        "{}: {}, {} included; {} questions, {} of them unknown",
        style.bold("inclusion"),
        count(usize::try_from(inclusion.compared).unwrap_or(usize::MAX), "comparison"),
        inclusion.included,
        inclusion.asked,
        inclusion.unknown
    );
    let (nodes, used) = (explored.found.graph.len(), explored.found.bytes);
    let _ = writeln!(
        out,
        "{}: {:.3} s, {:.0} nodes per second, {} bytes per node ({} in all)",
        style.bold("cost"),
        time.as_secs_f64(),
        per_second(nodes, time),
        used / nodes.max(1),
        bytes(used)
    );
    out
}

/// How many in a second.
pub(super) fn per_second(n: usize, time: Duration) -> f64 {
    n as f64 / time.as_secs_f64().max(1e-9)
}

fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 }
}
