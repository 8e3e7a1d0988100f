//! What a campaign came to, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::case::KNOWS;
use crate::driver::read;
use crate::generate::Feature;
use crate::lines::{FindingLine, SlowLine};
use crate::work::Part;

/// At most this many findings of a kind are shown whole: the others have mostly the same cause.
const SHOWN: usize = 2;

/// Everything that was found, and whether it is nothing.
pub fn table(folder: &Path) -> (String, bool) {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut findings: BTreeMap<(String, String), Vec<FindingLine>> = BTreeMap::new();
    let mut slow: Vec<SlowLine> = Vec::new();
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes everything");
    for part in Part::ALL {
        let blocks = read(folder, part);
        let cases: u64 = blocks.iter().map(|b| b.count).sum();
        let first = blocks.iter().map(|b| b.first).min();
        if let Some(first) = first {
            line(format!("{:<10} {cases} cases from seed {first} on", part.name()));
        }
        for block in blocks {
            for (name, n) in block.counts {
                *counts.entry(name).or_default() += n;
            }
            for finding in block.findings {
                findings.entry((finding.check.clone(), finding.kind.clone())).or_default().push(finding);
            }
            slow.extend(block.slow);
        }
    }
    let count = |name: &str| counts.get(name).copied().unwrap_or(0);
    line(format!("\n{:<18} {:>9} {:>9} {:>10} {:>10}", "check", "seeds", "findings", "mean ms", "too large"));
    for (name, seeds) in counts.iter().filter(|(name, _)| name.starts_with("checks: ")) {
        let check = &name["checks: ".len()..];
        let found: usize = findings.iter().filter(|((c, _), _)| c == check).map(|(_, f)| f.len()).sum();
        let mean = count(&format!("micros: {check}")) as f64 / 1000.0 / (*seeds).max(1) as f64;
        let large = count(&format!("{check}: too large"));
        line(format!("{check:<18} {seeds:>9} {found:>9} {mean:>10.2} {large:>10}"));
    }
    let share = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
    line("\nfeatures of the models".into());
    let models = count("model: all");
    for feature in Feature::ALL {
        let n = count(&format!("feature: {feature:?}"));
        let known = feature != Feature::Crashed || KNOWS.crashed;
        let note = match share(n, models) < 5.0 {
            true if known => "   below 5 %",
            true => "   not known to this engine",
            false => "",
        };
        line(format!("  {:<18} {:>6.1} %{note}", format!("{feature:?}"), share(n, models)));
    }
    line("\nwhat is right for the logs that were judged".into());
    for (name, n) in counts.iter().filter(|(name, _)| name.starts_with("right: ") && *name != "right: all") {
        line(format!("  {:<28} {:>6.1} %", &name["right: ".len()..], share(*n, count("right: all"))));
    }
    line("\nwhat else was counted".into());
    let others = ["checks: ", "micros: ", "feature: ", "right: ", "model: "];
    for (name, n) in counts.iter().filter(|(name, _)| !others.iter().any(|o| name.starts_with(o))) {
        line(format!("  {name:<34} {n:>10}"));
    }
    slow.sort_by_key(|s| std::cmp::Reverse(s.micros));
    line("\nthe slowest".into());
    for s in slow.iter().take(10) {
        let ms = s.micros / 1000;
        line(format!("  {ms:>7} ms  seed {} check {:?} ({} questions)", s.seed, s.check, s.asked));
    }
    let none = findings.is_empty();
    line(format!("\nfindings: {}", findings.values().map(Vec::len).sum::<usize>()));
    for ((check, kind), all) in &mut findings {
        all.sort_by_key(|f| (f.model.len(), f.seed));
        line(format!("\n== {check}: {kind}: {}", all.len()));
        let seeds: Vec<String> = all.iter().take(12).map(|f| f.seed.to_string()).collect();
        line(format!("seeds {}", seeds.join(" ")));
        for finding in all.iter().take(SHOWN) {
            line(format!("-- {}\n{}\n{}", finding.again.trim_end(), finding.why.trim_end(), finding.model.trim_end()));
            if let Some(log) = &finding.log {
                line(format!("order {:?}: {}", log.order, log.lines.join("; ")));
            }
        }
    }
    (out, none)
}
