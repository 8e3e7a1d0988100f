//! What there is to say of an adapter: its hello, its gates, its resets, the walk and its repetition, what it prints.

use std::time::Duration;

use sioco_adapter::gates::differences;
use sioco_adapter::protocol::Hello;
use sioco_campaign::resets::Again;
use sioco_exec::record::{End, Waiting};
use sioco_exec::verdict::Failure::Silence;
use sioco_exec::verdict::{Cause, Trouble};
use sioco_exec::{Order, Summary, Verdict};
use sioco_model::Model;
use sioco_report::adapter::{HelloLine, Printed, WalkLine, milliseconds};
use sioco_report::run::{cause_in_words, overdue, time};

use super::list::{List, Mark, SHOWN, last_words};
use super::timed::{Malformed, Timed};
use crate::output::count;

/// A hello that takes longer than this is worth a word: every restart pays for it.
const LATE: Duration = Duration::from_secs(1);

/// What it says of itself.
pub fn about_hello(hello: &Hello, took: Duration, list: &mut List<'_, '_>) {
    let name = hello.name.as_deref().map_or_else(|| "without a name".into(), |name| format!("`{name}`"));
    let order = match hello.order {
        Order::Sut | Order::Certain => {
            "order `sut`: its lines are in the order in which the system took and gave things"
        }
        Order::Sent => "order `sent`: inputs and outputs may cross; `sut` is more precise, where it is true",
    };
    let (mark, late) = match took > LATE {
        true => (Mark::Warn, vec!["that is long: a campaign that starts it for every run waits each time".to_owned()]),
        false => (Mark::Ok, Vec::new()),
    };
    let text = format!("{name}, protocol {}, {} from start to hello", hello.protocol, time(took));
    list.add(mark, "hello", text, late.into_iter().chain([order.to_owned()]).collect());
    list.facts.hello = Some(HelloLine {
        name: hello.name.clone(),
        protocol: hello.protocol,
        order: hello.order.name(),
        reset: hello.reset,
        inputs: hello.inputs.clone(),
        outputs: hello.outputs.clone(),
        ms: milliseconds(took),
    });
}

/// Compares the gates; whether they fit.
pub fn about_gates(model: &Model, hello: &Hello, list: &mut List<'_, '_>) -> bool {
    let differences = differences(model, hello);
    list.facts.differences = Some(differences.clone());
    if !differences.is_empty() {
        list.add(Mark::Fail, "gates", format!("not those of {}", model.name), differences);
        return false;
    }
    let missing = match (&hello.inputs, &hello.outputs) {
        (None, None) => "`inputs` and `outputs`",
        (None, _) => "`inputs`",
        (_, None) => "`outputs`",
        (Some(inputs), Some(outputs)) => {
            let text =
                format!("{} and {}, those of the model", count(inputs.len(), "input"), count(outputs.len(), "output"));
            list.add(Mark::Ok, "gates", text, Vec::new());
            return true;
        }
    };
    let text = format!("its hello has no {missing}: what is spelled differently is found only when it is sent");
    list.add(Mark::Warn, "gates", text, Vec::new());
    true
}

/// How long resets took.
pub fn about_resets(list: &mut List<'_, '_>) {
    let text = how_long_resets_took(list);
    list.add(Mark::Ok, "reset", text, Vec::new());
}

/// How long resets took of an adapter that says that it cannot reset, so that it is started anew each time.
pub fn about_restarts(list: &mut List<'_, '_>) {
    let text = how_long_resets_took(list);
    let more = vec!["it says that it cannot reset: it is restarted for every run, which takes as long".into()];
    list.add(Mark::Note, "reset", text, more);
}

fn how_long_resets_took(list: &List<'_, '_>) -> String {
    let shown: Vec<String> = list.facts.resets_ms.iter().map(|t| time(Duration::from_secs_f64(t / 1000.0))).collect();
    format!("twice, in {}", shown.join(" and "))
}

/// What the walk came to, besides its times.
pub fn about_walk(model: &Model, timed: &Timed<'_>, found: &Summary, list: &mut List<'_, '_>) {
    let raw = timed.malformed.iter().map(|m| m.raw.clone()).collect();
    list.facts.walk = Some(WalkLine { steps: found.steps, inputs: found.inputs, malformed: raw, left_over: None });
    let malformed = |(i, m): (usize, &Malformed)| {
        let raw: String = m.raw.chars().take(200).collect();
        let gate = m.gate.map_or_else(String::new, |gate| format!("!{}: ", model.gates[gate].name));
        (i < SHOWN).then(|| format!("{gate}{}; received {raw}", m.why))
    };
    if !timed.malformed.is_empty() {
        let lines = timed.malformed.iter().enumerate().filter_map(malformed).collect();
        let all = count(timed.malformed.len(), "output");
        list.add(Mark::Fail, "outputs", format!("{all} with values that do not fit the gate"), lines);
    }
    for bad in found.bad.iter().filter(|bad| bad.verdict == Verdict::Error).take(SHOWN) {
        let text = format!("run {} of the walk broke down: {}", bad.run, cause_in_words(model, &bad.cause));
        let stderr = if let Cause::Trouble(Trouble::Fault { stderr, .. }) = &bad.cause { &stderr[..] } else { &[] };
        list.add(Mark::Fail, "walk", text, last_words(stderr));
    }
    if let Some(waiting) = found.waiting.filter(|_| found.end == End::Time) {
        let text = format!("the time ran out while {}", overdue(model, waiting, found.last_input.as_ref()));
        list.add(Mark::Fail, "walk", text, vec!["raise `--for` to see whether it is only slow".into()]);
    }
    let fails = found.bad.iter().find(|bad| bad.verdict == Verdict::Fail);
    if let Some(bad) = fails.filter(|_| timed.malformed.is_empty()) {
        let text = "something that the model does not allow: the system or the adapter is wrong, or the model";
        let why = format!("in run {}, step {}: {}", bad.run, bad.steps, cause_in_words(model, &bad.cause));
        list.add(Mark::Warn, "walk", text, vec![why, "`sioco test` explains it".into()]);
    }
    if found.stale > 0 {
        let text = format!(
            "{} of older runs came in later ones, and were dropped",
            count(usize::try_from(found.stale).unwrap_or(usize::MAX), "output")
        );
        list.add(Mark::Warn, "stale", text, Vec::new());
    }
}

/// What speaks for a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaks {
    /// A program that was started, in its dialect.
    Program,
    /// A server that runs, in its dialect.
    Server,
    /// An adapter.
    Adapter,
}

/// Whether nothing came of a system that has to say something.
pub fn about_muteness(timed: &Timed<'_>, found: &Summary, speaks: Speaks, list: &mut List<'_, '_>) {
    let overdue = match found.waiting {
        Some(Waiting::Observed) => true,
        // A run has begun, so that it was the first answer that did not come.
        Some(Waiting::Reset) => found.all_runs() > 0,
        Some(Waiting::Accepted) | None => false,
    };
    let silent = overdue || found.bad.iter().any(|bad| bad.cause == Cause::Failure(Silence));
    if timed.heard || !silent {
        return;
    }
    let text = match speaks {
        Speaks::Program | Speaks::Server => "nothing was ever received, though the model requires an output",
        Speaks::Adapter => "no output was ever received, though the model requires one",
    };
    let flush = "does it flush its output after every line";
    let more = match speaks {
        Speaks::Program | Speaks::Adapter => {
            format!("{flush}? in Python `print(…, flush=True)` or `python3 -u`, in C `setlinebuf(stdout)`")
        }
        Speaks::Server => format!("{flush}, and is it the server that listens at this port?"),
    };
    let ends = "does it take lines that end as `line-end` of the dialect says?".to_owned();
    let lines = [more].into_iter().chain((speaks != Speaks::Adapter).then_some(ends));
    // It does its part as far as that was seen, and the system behind it may be slow.
    let mark = if speaks == Speaks::Adapter { Mark::Warn } else { Mark::Fail };
    list.add(mark, "outputs", text, lines.collect());
}

/// Whether a run was answered as before when it was run again.
pub fn about_repeat(model: &Model, again: &Again, advice: &str, list: &mut List<'_, '_>) {
    match again {
        Again::Nothing => {}
        Again::Same { run, times, tells } => {
            let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
            let again = format!("inputs of run {run} again, {times}, after a reset");
            if *tells {
                list.add(Mark::Ok, "repeat", format!("{again}: nothing is left over"), Vec::new());
            } else {
                let text = format!("{again}: answered as before, which does not show whether anything is left over");
                let why = "a system that is not reset would have answered so, too: as far as the model knows, these runs \
                           changed nothing that could be seen in the next one; `--steps` and `--seed` try others";
                list.add(Mark::Note, "repeat", text, vec![why.to_owned()]);
            }
        }
        Again::Differs { run, step, cause } => {
            let text = "the state of the last run seems to be left over after a reset";
            let why = format!(
                "run {run} passed; the same inputs again fail in step {step}: {}",
                cause_in_words(model, cause)
            );
            list.add(Mark::Fail, "repeat", text, vec![why, advice.to_owned()]);
        }
    }
    let left_over = match again {
        Again::Nothing | Again::Same { tells: false, .. } => None,
        Again::Same { tells: true, .. } => Some(false),
        Again::Differs { .. } => Some(true),
    };
    if let Some(walk) = &mut list.facts.walk {
        walk.left_over = left_over;
    }
}

/// What it printed besides messages.
pub fn about_lines(logs: &[String], stderr: &[String], list: &mut List<'_, '_>) {
    let last = |lines: &[String]| lines.iter().rev().take(SHOWN).rev().cloned().collect::<Vec<_>>();
    if !logs.is_empty() {
        let text = format!("{} on its output besides messages; at the end:", count(logs.len(), "line"));
        list.add(Mark::Note, "logs", text, last(logs));
    }
    if !stderr.is_empty() {
        let text = format!("{} on its standard error; at the end:", count(stderr.len(), "line"));
        list.add(Mark::Note, "stderr", text, last(stderr));
    }
    list.facts.printed = Some(Printed { logs: logs.to_vec(), stderr: stderr.to_vec() });
}
