//! Parsing and checking generated models of 1,000, 10,000 and 100,000 switches: time per switch, which must not grow.
//!
//! `cargo bench -p sioco-lang --bench check`; with `-- --count SWITCHES` it checks one model once, for counting
//! instructions: `cargo xtask bench` does that under callgrind.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use sioco_lang::check_text;
use sioco_lang::source::FileId;
use sioco_lang::syntax::parser::parse;

/// A chain of locations with inputs, outputs, guards, updates, answers and internal steps.
fn generate(switches: usize) -> String {
    let mut text = String::from(
        "input  a(p: Int in 0..100, q: Bool)\noutput b(p: Int)\noutput c\nconst N = 10\ntype Mode = Idle | Busy | Off\nfun twice(n: Int): Int = n + n\n\nprocess P {\n  var x: Int = 0\n  var y: Int in 0..1000 = 1\n  var m: Mode = Idle\n",
    );
    for l in 0..switches / 5 {
        let keyword = if l == 0 { "init" } else { "state" };
        let next = (l + 1) % (switches / 5);
        let _ = write!(
            text,
            "  {keyword} l{l} {{\n    in{l}: ?a(p, q) [q && p > {l} mod N && x < {l}] / x := x + p, y := p -> l{next}\n    ?a(p, q) [!q && twice(p) > x - {l}] / m := Busy -> l{l}\n    out{l}: !b(x + {l}) [m == Idle || y > {l}] -> l{next}\n    !b(any r) [x <= r <= y + {l}] / x := r -> l{next}\n    tau [m == Busy && x > {l}] / m := Off -> l{next}\n  }}\n",
        );
    }
    text.push_str("  state end { !c -> end }\n}\n");
    // The last location must be reachable for a clean model.
    text.replacen("  state end", "  final end", 1).replacen("-> l1\n", "-> end\n", 1)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, switches] = &args[..]
        && flag == "--count"
    {
        let text = generate(switches.parse().expect("a number of switches"));
        assert!(!black_box(check_text("generated.sts", &text)).has_errors());
        return;
    }
    println!(
        "{:>9} {:>8} {:>11} {:>11} {:>14} {:>14}",
        "switches", "MB", "parse", "parse+check", "µs per switch", "vs 1,000"
    );
    let mut first = None;
    for switches in [1_000, 10_000, 100_000] {
        let text = generate(switches);
        // The best of a few runs: the rest is other work on the machine.
        let best = |f: &dyn Fn()| {
            (0..5)
                .map(|_| {
                    let begin = Instant::now();
                    f();
                    begin.elapsed().as_secs_f64()
                })
                .fold(f64::MAX, f64::min)
        };
        let parse_only = best(&|| {
            black_box(parse(FileId(0), &text).file.items.len());
        });
        let both = best(&|| {
            let checked = check_text("generated.sts", &text);
            assert!(!checked.has_errors(), "{:?}", checked.diagnostics.first());
            assert_eq!(checked.model.expect("a model").model.switches.len(), switches + 1);
        });
        let per_switch = both / switches as f64 * 1e6;
        let base = *first.get_or_insert(per_switch);
        println!(
            "{switches:>9} {:>8.2} {:>8.1} ms {:>8.1} ms {per_switch:>14.2} {:>13.2}x",
            text.len() as f64 / 1e6,
            parse_only * 1e3,
            both * 1e3,
            per_switch / base
        );
    }
}
