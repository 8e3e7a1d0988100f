//! What a campaign came to, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value as Json;

use crate::case::KNOWS;
use crate::driver::read;
use crate::generate::Feature;
use crate::work::Part;

/// So many findings of a kind are shown whole.
const SHOWN: usize = 2;

/// Everything that was found, and whether it is nothing.
pub fn table(folder: &Path) -> (String, bool) {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut findings: BTreeMap<(String, String), Vec<Json>> = BTreeMap::new();
    let mut slow: Vec<Json> = Vec::new();
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes everything");
    for part in Part::ALL {
        let blocks = read(folder, part);
        let cases: u64 = blocks.iter().filter_map(|b| b["count"].as_u64()).sum();
        let first = blocks.iter().filter_map(|b| b["first"].as_u64()).min();
        if let Some(first) = first {
            line(format!("{:<10} {cases} cases from seed {first} on", part.name()));
        }
        for block in blocks {
            for (name, n) in block["counts"].as_object().into_iter().flatten() {
                *counts.entry(name.clone()).or_default() += n.as_u64().unwrap_or(0);
            }
            for finding in block["findings"].as_array().into_iter().flatten() {
                let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
                findings.entry((text("check"), text("kind"))).or_default().push(finding.clone());
            }
            slow.extend(block["slow"].as_array().into_iter().flatten().cloned());
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
    slow.sort_by_key(|s| std::cmp::Reverse(s["micros"].as_u64()));
    line("\nthe slowest".into());
    for s in slow.iter().take(10) {
        let ms = s["micros"].as_u64().unwrap_or(0) / 1000;
        line(format!("  {ms:>7} ms  seed {} check {} ({} questions)", s["seed"], s["check"], s["asked"]));
    }
    let none = findings.is_empty();
    line(format!("\nfindings: {}", findings.values().map(Vec::len).sum::<usize>()));
    for ((check, kind), all) in &mut findings {
        all.sort_by_key(|f| (f["model"].as_str().map_or(0, str::len), f["seed"].as_u64()));
        line(format!("\n== {check}: {kind}: {}", all.len()));
        let seeds: Vec<String> = all.iter().take(12).map(|f| f["seed"].to_string()).collect();
        line(format!("seeds {}", seeds.join(" ")));
        for finding in all.iter().take(SHOWN) {
            let text = |name: &str| finding[name].as_str().unwrap_or_default().trim_end().to_owned();
            line(format!("-- {}\n{}\n{}", text("again"), text("why"), text("model")));
            if let Some(lines) = finding["log"]["lines"].as_array() {
                let lines: Vec<&str> = lines.iter().filter_map(Json::as_str).collect();
                line(format!("order {}: {}", finding["log"]["order"], lines.join("; ")));
            }
        }
    }
    (out, none)
}
