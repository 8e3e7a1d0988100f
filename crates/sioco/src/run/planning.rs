//! The plan of a campaign, with what there is to say about it: made for it, or read from a file.

use crate::output::PROGRESS_INTERVAL;
use std::path::Path;
use std::time::Instant;

use sioco_campaign::cover::Covered;
use sioco_campaign::planning::{NODES, Planned, Planner, Time, Wanted, near};
use sioco_plan::{Plan, PlanError};
use sioco_report::analysis::Source;
use sioco_report::plan::{Page, misfits};
use sioco_report::run::shorter;
use sioco_symbolic::{ExploreProgress, Stop};

use crate::failure::Failure;
use crate::files::ShownPath;
use crate::model::shell_word;
use crate::output::{Output, count};
use crate::plan::check;

/// At most this many misfits of a plan are shown, a line each: the first ones show that it is a plan of another model.
const MISFITS: usize = 10;

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        let failure = Failure::usage(error.to_string());
        match near(&error) {
            Some(near) => failure.help(format!("did you mean `--cover purpose:{near}`?")),
            None => failure,
        }
    }
}

/// Makes a plan, and shows how far that is.
pub fn make(planner: &Planner<'_>, covered: &Covered, wanted: &Wanted, out: &mut Output) -> Result<Planned, Failure> {
    let mut last = Instant::now();
    let mut progress = |p: ExploreProgress| {
        if out.shows_progress() && last.elapsed() >= PROGRESS_INTERVAL {
            last = Instant::now();
            out.progress(format_args!("planning: {} nodes, depth {}, {} open", p.nodes, p.depth, p.open));
        }
    };
    let planned = planner.make(covered, wanted, &mut progress);
    out.progress("");
    Ok(planned?)
}

/// Says in a line what a plan does not cover. The command makes plans of the same model.
pub fn tell(planned: &Planned, covered: &Covered, time: Time, command: &str, out: &mut Output) {
    if let Some(text) = too_short(&planned.plan, time) {
        out.say(text);
    }
    let coverage = planned.plan.coverage();
    let open = coverage.not_reached + coverage.unknown;
    if open > 0 {
        let goals = count(open, "goal");
        let why = match covered {
            _ if planned.spent => "planning gets half of `--for`; raise it to cover more".to_owned(),
            // With more nodes it may cover more.
            Covered::Auto => format!("`{command} --data boundary --nodes {NODES}` shows which and why"),
            Covered::Plan(cover) => format!("`{command} --cover {cover} --nodes {NODES}` shows which and why"),
            Covered::Random(_) => return,
        };
        out.say(format_args!("the plan leaves {goals} uncovered; {why}"));
    }
}

/// What to say of a plan with shorter traces than were asked for, and what helps.
fn too_short(plan: &Plan, time: Time) -> Option<String> {
    let shorter = shorter(plan)?;
    let help = match plan.stop {
        Stop::Cancelled if time.is_short() => "planning gets half of `--for`; raise it",
        Stop::Cancelled => "make a plan with more time, `sioco plan --time`, and run it with `--plan`",
        Stop::Memory => "raise `--memory`",
        _ => "make a plan with more nodes, `sioco plan --nodes`, and run it with `--plan`",
    };
    Some(format!("{shorter}; {help}"))
}

/// What a plan was made for, and the command on its model that tells more about it.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The file.
    pub path: &'a Path,
    /// The model with its texts.
    pub source: Source<'a>,
    /// The command, without its options.
    pub command: &'a str,
}

/// Reads a plan. What of it does not fit the model any more is told and left out; the command tells more about that.
pub fn load(planner: &Planner<'_>, given: Given<'_>, memory: usize, out: &mut Output) -> Result<Planned, Failure> {
    let Given { path, source, command } = given;
    let (mut loaded, _) = check::read(path, source)?;
    let begun = Instant::now();
    let clock = planner.retake(&mut loaded, memory);
    let took = begun.elapsed();
    if !loaded.misfits.is_empty() {
        let page = Page { width: out.width(), style: out.err_style(), lines: MISFITS };
        let all = format!("`{command} --check {} --all`", shell_word(&path.display().to_string()));
        out.say(misfits(source, &loaded.misfits, MISFITS, &all, page).trim_end());
        let usable = count(loaded.plan.purposes.len(), "purpose");
        out.say(format_args!("{} no longer fits the model: {usable} of it can still be used", path.shown()));
    }
    Ok(Planned { plan: loaded.plan, clock, took, spent: false })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sioco_plan::Cover;

    use super::*;

    #[test]
    fn shorter_traces_are_told_with_what_helps() {
        let of = |cover, length, stop, time| too_short(&Plan { length, stop, ..Plan::new(cover) }, time);
        let usual = Time::default();
        let short = Time::of(Some(Duration::from_secs(4)));
        for (cover, length, stop, time, text) in [
            (
                Cover::Traces(9),
                3,
                Stop::Memory,
                usual,
                "all traces of up to 3 steps are planned, but not up to 9: not enough memory; raise `--memory`",
            ),
            (
                Cover::Traces(9),
                0,
                Stop::Cancelled,
                short,
                "no traces can be tested, not even those of 1 step: not enough time; planning gets half of `--for`; \
                 raise it",
            ),
            (
                Cover::Traces(2),
                1,
                Stop::Cancelled,
                usual,
                "all traces of up to 1 step are planned, but not up to 2: not enough time; make a plan with more \
                 time, `sioco plan --time`, and run it with `--plan`",
            ),
            (
                Cover::Paths(9),
                3,
                Stop::Nodes,
                usual,
                "all paths of up to 3 steps are planned, but not up to 9: not enough room; make a plan with more \
                 nodes, `sioco plan --nodes`, and run it with `--plan`",
            ),
        ] {
            assert_eq!(of(cover, Some(length), stop, time).as_deref(), Some(text));
        }
        // Nothing is missing.
        assert_eq!(of(Cover::Traces(3), Some(3), Stop::Complete, usual), None);
        assert_eq!(of(Cover::Traces(3), Some(2), Stop::Complete, usual), None);
        assert_eq!(of(Cover::Switch, None, Stop::Nodes, usual), None);
    }
}
