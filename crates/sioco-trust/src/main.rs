//! First driver.
use std::collections::BTreeMap;
use std::time::Instant;

use sioco_solve::BackEnd;
use sioco_trust::checks::engine::Read;
use sioco_trust::checks::judge;
use sioco_trust::generate::wish::{Knows, Wish};
use sioco_trust::generate::{features, spec};
use sioco_trust::oracle;
use sioco_trust::oracle::belief::World;
use sioco_trust::rng::Rng;
use sioco_trust::spec::Order;
use sioco_trust::systems::trace::{Manner, log};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let first: u64 = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(0);
    let count: u64 = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(200);
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    let began = Instant::now();
    let mut slowest: Vec<(u128, u64)> = Vec::new();
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let wish = Wish::any(&mut rng, Knows { crashed: false });
        let spec = spec(&mut rng, &wish);
        for f in features(&spec) {
            *shares.entry(format!("feature {f:?}")).or_default() += 1;
        }
        let read = match Read::new(&spec) {
            Ok(read) => read,
            Err(why) => {
                println!("seed {seed}: not read: {why}\n{}", spec.text());
                continue;
            }
        };
        let t = Instant::now();
        let world = World::new(&spec);
        for _ in 0..4 {
            let order = *rng.pick(&[Order::Sut, Order::Sut, Order::Sent, Order::Sent, Order::Certain]);
            let manner = Manner {
                length: 1 + rng.below(8),
                order,
                slow: *rng.pick(&[0, 0, 5, 20]),
                announces: rng.chance(30),
                mistakes: *rng.pick(&[0, 0, 1, 1, 2]),
                crashes: false,
            };
            let Ok(lines) = log(&world, &mut rng, &manner) else {
                *shares.entry("too large".into()).or_default() += 1;
                break;
            };
            let Ok(right) = oracle::judge::judge(&world, &lines, order) else {
                *shares.entry("too large".into()).or_default() += 1;
                break;
            };
            *shares.entry(format!("right {:?}", right.verdicts)).or_default() += 1;
            *shares.entry("logs".into()).or_default() += 1;
            if right.hypotheses > 1 {
                *shares.entry("many hypotheses".into()).or_default() += 1;
            }
            let judged = judge::engine(&read, &lines, order, &BackEnd::BuiltIn);
            if let Some(why) = judge::compare(&right, &judged) {
                let kind = why.split(':').next().unwrap_or("").to_owned();
                let n = shares.entry(format!("finding {kind} {order:?}")).or_default();
                *n += 1;
                if *n <= 4 {
                    println!("seed {seed} {order:?}: {why}\n{}\n{}\n", spec.text(), spec.lines(&lines));
                }
            }
        }
        slowest.push((t.elapsed().as_micros(), seed));
    }
    slowest.sort();
    println!("{shares:#?}\nslowest {:?}\n{:?}", &slowest[slowest.len().saturating_sub(10)..], began.elapsed());
}
