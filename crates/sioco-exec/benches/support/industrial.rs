//! A model with the shape of the industrial one of S1 section 5.3, which is not published: 651 switches, 618 of them
//! internal, loops, unbounded data.
//!
//! What the tables of S1 tell about it is enough to build one with the same counts. Of 15 traces of length 1, two are
//! impossible; the 13 others have 3,454 extensions, of which 21 are possible, and so again in each round. The 27,835 traces
//! of length 3 say that 1,741 of the 3,461 of length 2 end where there are 15 ways to go on, and 1,720 where there is one.
//! Those of length 5 and 6 say that 439 of 441 possible traces of length 4 end at the former place, and two at different
//! ones of the latter kind. And the shares of covered transitions are 84, 119, 139, 146 and 170 in 651.
//!
//! So it goes like this. After it has started (`boot`), the system takes one of 13 commands; two more are declared that it
//! never takes. Then follow seven decisions that the data make (`decide`), or, for eight of the commands, a way around
//! them, and an answer that leads back to where there are commands again (`ready`). After two pairs of commands there is a
//! warning instead, which has to be switched off. All other ways are there and closed.

use std::fmt::Write;

/// The commands that are possible.
const COMMANDS: usize = 13;

/// What decides. All of it is true with the values that there can be, but for the last, which is false from the second
/// round on.
const DECISIONS: [&str; 7] =
    ["x > y", "command > 0", "x + y > 0", "round >= 1", "x > command", "2 * x > y", "round == 1"];

/// The pairs of commands that lead to warnings.
const WARNED: &str = "first == 9 && second == 7 && round == 2";
const ODD: &str = "first == 10 && second == 11 && round == 2";

/// The switches, with the locations in the order in which they come up.
#[derive(Default)]
struct Switches {
    locations: Vec<(String, Vec<String>)>,
    switches: usize,
    /// How many ways there are that are closed.
    closed: usize,
}

impl Switches {
    fn at(&mut self, name: &str) -> usize {
        let known = self.locations.iter().position(|(n, _)| n == name);
        known.unwrap_or_else(|| {
            self.locations.push((name.to_owned(), Vec::new()));
            self.locations.len() - 1
        })
    }

    fn add(&mut self, from: &str, label: &str, to: &str) {
        self.switches += 1;
        let switch = format!("s{}: {label} -> {to}", self.switches);
        let from = self.at(from);
        self.at(to);
        self.locations[from].1.push(switch);
    }

    /// Internal steps in a row, of which the first has a label of its own.
    fn chain(&mut self, from: &str, first: &str, steps: usize, name: &str, to: &str) {
        let mut at = from.to_owned();
        for i in 1..=steps {
            let next = if i == steps { to.to_owned() } else { format!("{name}_{i}") };
            self.add(&at, if i == 1 { first } else { "tau" }, &next);
            at = next;
        }
    }

    /// Internal steps and an output.
    fn way(&mut self, from: &str, first: &str, steps: usize, name: &str, output: &str, to: &str) {
        let end = format!("{name}_end");
        self.chain(from, first, steps, name, &end);
        self.add(&end, output, to);
    }

    /// A way whose guard is never true: together they make 651 switches.
    fn closed(&mut self, from: &str, guard: &str, to: &str) {
        self.closed += 1;
        let steps = if self.closed == 1 { 12 } else { 13 };
        self.way(from, &format!("tau [{guard}]"), steps, &format!("way{}", self.closed), "!other(x)", to);
    }
}

/// A command: its value is greater than the last one.
fn command(k: usize, note: &str) -> String {
    format!("?cmd{k}(v) [v > x + {k}] / y := x, x := v, command := {k}, round := round + 1, {note}")
}

/// Nine commands come to a place of their own first.
fn target(k: usize) -> &'static str {
    if k <= 9 { "work" } else { "begin" }
}

fn boot(s: &mut Switches) {
    s.chain("boot", "tau / x := 1", 12, "boot", "choose");
    for k in 1..=COMMANDS {
        s.chain("choose", "tau", if k <= 6 { 4 } else { 5 }, &format!("wait{k}"), &format!("first{k}"));
        s.add(&format!("first{k}"), &command(k, &format!("first := {k}")), target(k));
    }
    for k in [14, 15] {
        s.chain("choose", "tau [x < 1]", 6, &format!("wait{k}"), &format!("first{k}"));
        s.add(&format!("first{k}"), &command(k, &format!("first := {k}")), &format!("never{k}"));
    }
}

fn work(s: &mut Switches) {
    s.add("work", "tau", "begin");
    s.closed("work", "x < y", "ready");
    s.add("begin", &format!("tau [!({ODD})]"), "decide1");
    for (d, guard) in (1..).zip(DECISIONS) {
        let (here, next) = (format!("decide{d}"), format!("decide{}", d + 1));
        s.chain(&here, &format!("tau [{guard}]"), 3, &format!("left{d}"), &next);
        s.chain(&here, &format!("tau [!({guard})]"), 3, &format!("right{d}"), &next);
    }
    s.chain("decide8", "tau", 2, "decided", "answer");
    s.add("answer", &format!("!ack(x) [!({WARNED})]"), "ready");
    s.add("answer", &format!("!warn(second) [{WARNED}]"), "warned1");
    s.way("begin", "tau [command <= 8]", 8, "skip", "!skipped(y)", "ready");
    s.way("begin", &format!("tau [{ODD}]"), 2, "odd", "!warn(x)", "warned2");
    for (i, to) in ["ready", "ready", "ready", "ready", "warned1", "warned2", "warned1"].into_iter().enumerate() {
        s.closed("begin", &format!("x + y < -{i}"), to);
    }
    for (from, to) in [
        ("never14", ["ready", "warned1", "warned1"].as_slice()),
        ("never15", &["ready", "ready", "warned1", "warned1"]),
    ] {
        for (i, to) in to.iter().enumerate() {
            s.closed(from, &format!("x > {i}"), to);
        }
    }
}

fn again(s: &mut Switches) {
    let places: [&[usize]; 7] = [&[1, 2, 14], &[3, 15], &[4, 5], &[6, 7], &[8, 9], &[10, 11], &[12, 13]];
    for (i, commands) in places.into_iter().enumerate() {
        let place = format!("ready{}", i + 1);
        s.add("ready", "tau", &place);
        for &k in commands {
            match k <= COMMANDS {
                true => s.add(&place, &command(k, &format!("second := if round == 1 then {k} else second")), target(k)),
                false => s.add(&place, &format!("?cmd{k}(v) [v > x && v < x - y] / x := v"), &format!("never{k}")),
            }
        }
    }
    for (i, ways) in [(1, 8), (2, 9)] {
        s.chain(&format!("warned{i}"), "tau", 11, &format!("alarm{i}"), &format!("off{i}"));
        s.add(&format!("off{i}"), "?off(v) [v > x] / x := v", &format!("over{i}"));
        for j in 0..ways {
            let guard = if j == 0 { "x > 0".to_owned() } else { format!("y > x + {j}") };
            s.closed(&format!("over{i}"), &guard, "ready");
        }
    }
}

/// The text of the model.
pub fn industrial() -> String {
    let mut s = Switches::default();
    boot(&mut s);
    work(&mut s);
    again(&mut s);
    let mut text = String::new();
    for k in 1..=15 {
        let _ = writeln!(text, "input cmd{k}(v: Int)");
    }
    text.push_str(
        "input off(v: Int)\noutput ack(v: Int)\noutput warn(v: Int)\noutput skipped(v: Int)\noutput other(v: Int)\n",
    );
    text.push_str("\nprocess Industrial {\n");
    for name in ["x", "y", "command", "first", "second", "round"] {
        let _ = writeln!(text, "  var {name}: Int = 0");
    }
    for (i, (name, switches)) in s.locations.iter().enumerate() {
        let kind = if i == 0 { "init" } else { "state" };
        let _ = writeln!(text, "  {kind} {name} {{\n    {}\n  }}", switches.join("\n    "));
    }
    text.push_str("}\n");
    text
}
