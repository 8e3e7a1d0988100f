//! The last steps of a run as a sequence: who sends what, and when.

use std::time::Duration;

use sioco_exec::event::{Action, Observation};
use sioco_exec::log::LoggedStep;
use sioco_model::model::Model;

use super::Page;
use super::words::{named, observation, short};

/// At most this many steps of a run are shown, the last ones: half a screen, so that the reason of the verdict stays in
/// sight.
const STEPS: usize = 12;
/// A failing run with at most this many steps is shown as a whole: it may well be the shortest that fails, and fits a
/// screen.
const WHOLE: usize = 20;
/// Longer texts on an arrow are cut, unless the page is wide: with the names at both sides, they fill a line of 80
/// columns.
const TEXT: usize = 46;
/// An arrow has at least this many dashes, so that it is seen as one beside a long text.
const DASHES: usize = 6;

/// The last steps, each with the time since the one before, or since the run began; the last one with a cross if it is what
/// was not allowed.
pub(super) fn sequence(
    model: &Model,
    steps: &[LoggedStep],
    begun: Option<Duration>,
    wrong: bool,
    page: Page,
) -> String {
    let shown = if wrong && steps.len() <= WHOLE { WHOLE } else { STEPS };
    let first = steps.len().saturating_sub(shown);
    let most = page.width.saturating_sub(40).max(TEXT);
    let texts = (first..steps.len()).map(|i| short(&text(model, steps, i), most));
    let texts: Vec<String> = texts.collect();
    let width = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0) + DASHES;
    let timed = steps[first..].iter().any(|s| s.at.is_some());
    let mut out = String::new();
    if first > 0 {
        let s = if first == 1 { "" } else { "s" };
        out.push_str(&format!("   {}\n", page.style.dim(format!("… {first} step{s} before"))));
    }
    for (i, (step, text)) in steps.iter().zip(&texts_with_offset(first, &texts)).enumerate().skip(first) {
        let line = "─".repeat(width.saturating_sub(text.chars().count()));
        let arrow = match &step.action {
            Action::Input(_) => format!("── {text} {line}▶"),
            Action::Seen(Observation::Delta) => {
                let room = width + 5;
                format!("{text:^room$}")
            }
            Action::Seen(_) => format!("◀{line} {text} ──"),
        };
        // How long somebody thought about the first input is of no interest.
        let begun = begun.filter(|_| matches!(step.action, Action::Seen(_)));
        let before = i.checked_sub(1).map_or(begun, |b| steps[b].at);
        let when = step.at.map(|at| format!("+{}", time(at.saturating_sub(before.unwrap_or(at))))).unwrap_or_default();
        let last = i + 1 == steps.len() && wrong;
        let mark = if last { page.style.red("✗") } else { String::new() };
        // Times stand below each other, in front of the cross.
        let tail = match (mark.is_empty(), timed) {
            (true, _) => when,
            (false, true) => format!("{when:<10} {mark}"),
            (false, false) => mark,
        };
        out.push_str(format!("   tester {arrow} SUT    {tail}").trim_end());
        out.push('\n');
    }
    out
}

/// The texts at the places of their steps.
fn texts_with_offset(first: usize, texts: &[String]) -> Vec<String> {
    std::iter::repeat_n(String::new(), first).chain(texts.iter().cloned()).collect()
}

fn text(model: &Model, steps: &[LoggedStep], i: usize) -> String {
    let delta = |s: &&LoggedStep| s.action == Action::Seen(Observation::Delta);
    let next = steps[i..].iter().find(|s| !delta(s)).map(|s| &s.action);
    match &steps[i].action {
        Action::Input(input) => named(model, input, "="),
        // What comes after it shows that there was none.
        Action::Seen(Observation::Delta) if steps[i].timed.is_some() && matches!(next, Some(Action::Seen(_))) => {
            "(silence, withdrawn)".into()
        }
        Action::Seen(Observation::Delta) => "(silence)".into(),
        Action::Seen(seen) => observation(model, seen),
    }
}

/// A time for people: `1.4 ms`, `2.5 s`, `12 min`.
pub fn time(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    match ms {
        ..100.0 => format!("{ms:.1} ms"),
        ..1000.0 => format!("{ms:.0} ms"),
        ..120_000.0 => format!("{:.1} s", ms / 1000.0),
        _ => format!("{:.0} min", ms / 60_000.0),
    }
}
