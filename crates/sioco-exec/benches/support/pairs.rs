//! Pairs of models of any size, a specification and an implementation of it, for the time that a comparison takes.
//!
//! Locations come in twos, with five inputs and their answers together: ten switches. Each divides the inputs by one or
//! two limits, over the input or over its difference to the one before. Where a tree has its children, the first two
//! parts lead; so every location is a few inputs away from the start, and what is the same in both models stays so.

use std::fmt::Write;

/// How the implementation differs from the specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Differences {
    /// In one of so many locations, it divides a part of the inputs in two that it treats in the same way.
    pub split_one_in: Option<usize>,
    /// The location with the greatest number answers with one more.
    pub output: bool,
    /// In the location with the greatest number, the first limit is one higher: then both models are in different
    /// locations, and so on from there.
    pub limit: bool,
}

/// A specification with so many switches, a multiple of ten, and an implementation.
pub fn pair(switches: usize, differences: Differences) -> (String, String) {
    assert!(switches >= 10 && switches.is_multiple_of(10), "ten switches belong together");
    (text("Spec", switches, Differences::default()), text("Impl", switches, differences))
}

fn text(name: &str, switches: usize, differences: Differences) -> String {
    let locations = switches / 5;
    let mut text = String::from("input ask(x: Int in 0..99)\noutput answer(y: Int)\n\n");
    let _ = writeln!(text, "process {name} {{\n  var v: Int = 0\n");
    for l in 0..locations {
        let last = l + 1 == locations;
        let _ = writeln!(text, "  {} l{l} {{", if l == 0 { "init" } else { "state" });
        let measure = if l % 4 == 3 { "x - v" } else { "x" };
        let low = 10 + (l * 37) % 50 + usize::from(differences.limit && last);
        let high = 70 + (l * 13) % 20;
        let (left, right) = ((2 * l + 1) % locations, (2 * l + 2) % locations);
        let more = usize::from(differences.output && last);
        let first = format!("{measure} <= {low}");
        let split = differences.split_one_in.is_some_and(|n| l % n == 0);
        let parts = if split { vec![" && x > 5", " && x <= 5"] } else { vec![""] };
        for part in parts {
            let _ = writeln!(text, "    ?ask(x) [{first}{part}] / v := x ; !answer(x + {}) -> l{left}", l + more);
        }
        // Every other location has a third part.
        let second = if l % 2 == 0 { format!(" && {measure} <= {high}") } else { String::new() };
        let _ = writeln!(text, "    ?ask(x) [{measure} > {low}{second}] ; !answer(2 * x - v) -> l{right}");
        if l % 2 == 0 {
            let _ = writeln!(text, "    ?ask(x) [{measure} > {high}] ; !answer({l}) -> l{l}");
        }
        let _ = writeln!(text, "  }}");
    }
    text.push_str("}\n");
    text
}
