//! What is fuzzed: a file for each reader of bytes.

pub mod http;
pub mod journal;
pub mod language;
pub mod log;
pub mod plan;
pub mod project;
pub mod protocol;
pub mod text;

use std::sync::LazyLock;

use sioco_exec::judge::judge;
use sioco_exec::log::LoggedRun;
use sioco_exec::{GateValue, Order, Referee};
use sioco_model::Model;
use sioco_solve::chain::Chain;
use sioco_solve::values::Bounds;

use crate::Seen;

/// A model with values of every sort, for whoever reads messages.
const MODEL: &str = r#"type Colour = Red | Green | Blue
type Reply = Balance(amount: Int, ok: Bool) | Refused
type Point = { x: Int, y: Real in ..350 }
input a(p: Int in 0..1000, c: Colour)
input s(t: String, b: Bool)
input pt(p: Point, q: Seq<Int>)
input go
output oa(p: Int in 0..1000, c: Colour)
output os(t: String, b: Bool)
output v(r: Real tolerance 0.01, n: Int)
output r(r: Reply)
output opt(p: Point, q: Seq<Int>)
output line(text: String)
output done
output closed
process P {
  var n: Int in 0..1000 = 0
  var k: Colour = Red
  init l {
    take: ?a(p, c) / n := p, k := c -> m
    text: ?s(t, b) [b] -> l
    point: ?pt(p, q) [len(q) < 3] -> l
    go: ?go -> m
    free: !v(any r, any i) [r > 0 && i == n] -> l
    bye: !closed -> e
  }
  state m {
    say: !oa(n, k) -> l
    other: !os(any t, any b) [b] -> l
    reply: !r(any r) [r is Balance implies r.amount == n] -> l
    put: !opt(any p, any q) [p.x == n] -> l
    rest: !line(any t) [len(t) > 0] -> l
    end: !done -> e
  }
  final e
}
"#;

/// The same, a little later.
fn changed_text() -> String {
    MODEL
        .replace("Int in 0..1000", "Int in 0..500")
        .replace("text: ?s", "txt: ?s")
        .replace("output done\n", "")
        .replace("    end: !done -> e\n", "    end: tau -> e\n")
}

fn checked(text: &str) -> Model {
    let found = sioco_lang::check_text("fuzz.sts", text);
    found.model.unwrap_or_else(|| panic!("{:?}", found.diagnostics)).model
}

/// The model that inputs are about.
pub fn model() -> &'static Model {
    static FOUND: LazyLock<Model> = LazyLock::new(|| checked(MODEL));
    &FOUND
}

/// A model that was changed since.
pub fn changed() -> &'static Model {
    static FOUND: LazyLock<Model> = LazyLock::new(|| checked(&changed_text()));
    &FOUND
}

/// The solver without any other program.
pub fn builtin() -> Box<dyn Bounds> {
    Box::new(Chain::new(None))
}

/// What is wrong is told in no more characters than this, a few screens, whatever the input was: a message that repeats
/// its input without end is a fault.
const MOST_WORDS: usize = 20_000;

/// An error that is told with its line.
fn assert_told(text: &str, line: Option<usize>, what: &str, help: &str) {
    assert!(!what.trim().is_empty() && !help.trim().is_empty(), "an error without words: {what:?}, {help:?}");
    assert!(what.len() <= MOST_WORDS, "{} bytes of words: {}", what.len(), what.chars().take(200).collect::<String>());
    let lines = text.matches('\n').count() + 1;
    match line {
        Some(line) => assert!((1..=lines).contains(&line), "line {line} of {lines}: {what}"),
        None => assert!(text.trim().is_empty(), "a text that is not empty is refused without a line: {what}"),
    }
}

/// The words of a message without what came from outside, as a number: what kind of message it is. Not all that came from
/// outside can be told from our words, so there are only so many kinds: otherwise every input would reach something new.
fn shape(message: &str) -> u64 {
    const KINDS: u64 = 256;
    let ours = message.split(['`', '"']).step_by(2).flat_map(str::split_ascii_whitespace);
    let is_word = |word: &&str| word.len() <= 12 && word.bytes().all(|b| b.is_ascii_lowercase());
    crate::hash(ours.filter(is_word).take(5).collect::<String>()) % KINDS
}

/// Judging recorded runs comes to an end, whatever was recorded. Only the beginning: a run may be long.
fn assert_judged(model: &Model, runs: &[LoggedRun], seen: &mut Seen) {
    for run in runs.iter().take(3) {
        let steps: Vec<_> = run.steps.iter().take(20).cloned().collect();
        let whole = steps.len() == run.steps.len();
        let unanswered = run.unanswered.clone().filter(|(at, _)| *at <= steps.len());
        let run = LoggedRun { steps, unanswered, trouble: run.trouble.clone().filter(|_| whole), ..run.clone() };
        for order in [Order::Sut, Order::Sent] {
            let judged = judge(&mut Referee::new(model, &builtin, order), &run, order);
            assert!(judged.steps <= run.steps.len(), "{} steps of {} were judged", judged.steps, run.steps.len());
            seen.add(("judged", judged.verdict, std::mem::discriminant(&judged.cause)));
        }
    }
}

/// Places to cut some bytes at, which follow from the bytes: the same for the same input.
fn cuts(data: &[u8], count: usize) -> Vec<usize> {
    let mut rng = crate::mutate::Rng::new(crate::hash(data));
    let mut found: Vec<usize> = (0..count).map(|_| rng.below(data.len() + 1)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The bytes in pieces: cut at a few places, and byte by byte if they are few.
fn in_pieces(data: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut ways = Vec::new();
    let mut pieces = Vec::new();
    let mut from = 0;
    for to in cuts(data, 8).into_iter().chain([data.len()]) {
        pieces.push(data[from..to].to_vec());
        from = to;
    }
    pieces.retain(|piece| !piece.is_empty());
    ways.push(pieces);
    if data.len() <= 200 {
        ways.push(data.iter().map(|byte| vec![*byte]).collect());
    }
    ways
}

/// Whether the values of a gate value fit.
fn assert_fits(model: &Model, value: &GateValue) {
    let gate = &model.gates[value.gate];
    assert_eq!(gate.params.len(), value.args.len(), "the values of `{}`", gate.name);
    for (param, arg) in gate.params.iter().zip(&value.args) {
        assert!(param.takes(&model.sorts, arg), "`{}` of `{}` became {arg}", param.name, gate.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_only_so_many_kinds_of_messages() {
        let word = |i: usize| String::from_utf8(vec![b'a' + (i % 26) as u8; 1 + i / 26 % 12]).expect("letters");
        let shapes: std::collections::BTreeSet<u64> =
            (0..20_000).map(|i| shape(&format!("{} {} is no {}", word(i), word(i / 312), word(i / 7)))).collect();
        assert!((100..=256).contains(&shapes.len()), "{} kinds", shapes.len());
        assert_eq!(shape("line 3: `x` is no gate"), shape("line 4: `y z` is no gate"));
        assert_ne!(shape("`x` is no gate"), shape("`x` is missing"));
    }
}
