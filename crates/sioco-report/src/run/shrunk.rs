//! What became of a failing run that was shrunk, for people and for programs.

use sioco_campaign::failing::FailingRun;
use sioco_campaign::shrink::Shortened;
use sioco_campaign::trails::Trails;
use sioco_exec::journal;
use sioco_exec::shrink::{Ended, Rate, Shrunk};
use sioco_exec::verdict::Cause;
use sioco_plan::value::tree;

use super::json::explained;
use super::shape::{RateLine, ShrunkLine};
use super::words::{cause as in_words, short};
use crate::analysis::Source;

/// Why a run may not fail again.
const MOODS: &str =
    "it may depend on timing, or on state that the SUT keeps between runs; `sioco adapter check` tests for that";

/// What shrinking has to say about a run that did not pass, on lines.
pub fn notes(run: &FailingRun<'_>) -> Vec<String> {
    run.shortened.map(told).unwrap_or_default()
}

/// What the steps of another run have to say about those of a failing one.
pub fn hint(trails: &Trails, run: &FailingRun<'_>) -> Option<String> {
    let other = trails.otherwise(run.steps)?;
    Some(format!(
        "the same inputs got another answer in run {other}: does a reset bring the SUT back to its initial state? \
         `sioco adapter check` tests that"
    ))
}

/// What else there is to say about the failure, on lines.
fn told(shortened: &Shortened) -> Vec<String> {
    let Shrunk { again, reproduced, ended, .. } = &shortened.found;
    let mut notes = Vec::new();
    match (reproduced, ended) {
        (Some(Rate { failed: 0, of }), _) => {
            notes.push(format!("failed, but not again in {}: {MOODS}", count(*of)));
        }
        (Some(rate), _) => notes.push(format!("fails in {}", runs(*rate))),
        (None, Ended::Gone) => {
            notes.push(format!("did not fail again in {}: {MOODS}", count(again.of)));
        }
        (None, _) if again.of > 0 => notes.push(format!("failed again in {}", runs(*again))),
        (None, _) => {}
    }
    match ended {
        Ended::Done | Ended::Gone => {}
        Ended::Time => {
            let more = "raise `--shrink-for`, or wait less for quiescence: `sioco adapter check` suggests a time for \
                        `--quiescence`";
            notes.push(format!("there may be a simpler form: the time for shrinking ran out; {more}"));
        }
        Ended::Runs => {
            notes.push("there may be a simpler form: the limit on runs for shrinking was reached".to_owned())
        }
        Ended::Interrupted => notes.push("shrinking was interrupted".to_owned()),
        Ended::Broken(fault) => notes.push(format!("shrinking was given up: {}", short(&fault.message, 400))),
    }
    notes
}

/// In the summary: `run 17 from 23 to 4 steps, in 57 runs`.
pub(super) fn row(shortened: &Shortened) -> String {
    let Shrunk { run, from, shortest, runs, ended, .. } = &shortened.found;
    let tried = match ended {
        Ended::Time => format!("{}; its time ran out", count(*runs)),
        _ => count(*runs),
    };
    match shortest {
        Some(found) if found.steps < *from => format!("run {run} from {from} to {} steps, in {tried}", found.steps),
        Some(_) => format!("run {run} to simpler values, in {tried}"),
        None if *ended == Ended::Done => {
            format!("run {run} is the shortest form: nothing can be left out, as {tried} showed")
        }
        None if *ended == Ended::Gone => format!("run {run} was not shrunk: it did not fail again in {tried}"),
        None => format!("run {run} was not shrunk, after {tried}"),
    }
}

/// For programs.
pub(super) fn json<'a>(shortened: &'a Shortened, source: Source<'a>) -> ShrunkLine<'a> {
    let model = &source.checked.model;
    let Shrunk { from, shortest, runs, again, reproduced, ended, .. } = &shortened.found;
    let rate = |rate: &Rate| RateLine { failed: rate.failed, of: rate.of };
    let failure = shortest.as_ref().map(|s| Cause::Failure(s.failure.clone()));
    ShrunkLine {
        from: *from,
        to: shortest.as_ref().map_or(*from, |s| s.steps),
        runs: *runs,
        again: rate(again),
        reproduced: reproduced.as_ref().map(rate),
        end: ended.name(),
        run: shortest.as_ref().map(|_| shortened.number),
        cause: failure.as_ref().map(|c| tree(&journal::cause(model, c))),
        message: failure.as_ref().map(|c| in_words(model, c)),
        explanation: shortest.as_ref().and_then(|s| s.explanation.as_ref()).map(|e| explained(source, e)),
    }
}

fn runs(rate: Rate) -> String {
    format!("{} of {}", rate.failed, count(rate.of))
}

fn count(runs: u64) -> String {
    crate::explore::count(usize::try_from(runs).unwrap_or(usize::MAX), "run")
}

#[cfg(test)]
mod tests {
    use sioco_exec::shrink::Shortest;
    use sioco_exec::verdict::Failure;
    use sioco_exec::{Fault, FaultKind, RunNumber};

    use super::*;

    fn shortened(ended: Ended, steps: Option<u64>, reproduced: Option<Rate>) -> Shortened {
        let of = |steps| Shortest { failure: Failure::Silence, explanation: None, steps, records: Vec::new() };
        let again = Rate { failed: if ended == Ended::Gone { 0 } else { 2 }, of: 6 };
        let found =
            Shrunk { run: RunNumber(17), from: 23, shortest: steps.map(of), runs: 57, again, reproduced, ended };
        Shortened { number: RunNumber(161), found }
    }

    #[test]
    fn what_came_of_it_is_told() {
        let rate = Some(Rate { failed: 4, of: 5 });
        let done = shortened(Ended::Done, Some(4), rate);
        assert_eq!(told(&done), ["fails in 4 of 5 runs"]);
        assert_eq!(row(&done), "run 17 from 23 to 4 steps, in 57 runs");
        assert_eq!(row(&shortened(Ended::Done, Some(23), rate)), "run 17 to simpler values, in 57 runs");
        assert_eq!(
            row(&shortened(Ended::Done, None, rate)),
            "run 17 is the shortest form: nothing can be left out, \
                                                              as 57 runs showed"
        );
        assert_eq!(row(&shortened(Ended::Time, None, rate)), "run 17 was not shrunk, after 57 runs; its time ran out");
        assert_eq!(row(&shortened(Ended::Gone, None, None)), "run 17 was not shrunk: it did not fail again in 57 runs");
        let never = shortened(Ended::Done, Some(4), Some(Rate { failed: 0, of: 5 }));
        assert!(told(&never)[0].starts_with("failed, but not again in 5 runs: it may depend"), "{:?}", told(&never));
        let gone = told(&shortened(Ended::Gone, None, None));
        assert!(gone.len() == 1 && gone[0].starts_with("did not fail again in 6 runs: "), "{gone:?}");
        let late = told(&shortened(Ended::Time, None, None));
        assert!(late[0] == "failed again in 2 of 6 runs" && late[1].contains("`--shrink-for`"), "{late:?}");
        let message = "the adapter\nended".to_owned();
        let fault = Fault { kind: FaultKind::Died, message, stderr: Vec::new(), again: true };
        assert_eq!(told(&shortened(Ended::Broken(fault), None, None))[1], "shrinking was given up: the adapter ended");
        assert_eq!(told(&shortened(Ended::Interrupted, Some(9), None))[1], "shrinking was interrupted");
        assert!(
            told(&shortened(Ended::Runs, Some(9), None))[1].contains("the limit on runs for shrinking was reached")
        );
    }
}
