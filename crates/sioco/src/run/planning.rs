//! The plan of a campaign: made for it, or read from a file.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sioco_lang::diagnostic::did_you_mean;
use sioco_plan::file;
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, Options, Plan, PlanError, Purpose, plan};
use sioco_report::analysis::Source;
use sioco_report::plan::{Page, misfits};
use sioco_report::run::{Clock, shorter};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{BackEnd, Cancellation, Limits};
use sioco_symbolic::path::{Path as Symbolic, Shortcuts};
use sioco_symbolic::{Progress, Stop};

use crate::budget::{Budget, within};
use crate::commands::plan::DEPTH;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::model::shell_word;
use crate::output::{Output, count};
use crate::plan::check;

/// How long planning takes; what was found by then is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time {
    /// The search ends.
    search: Duration,
    /// Questions about what was found end, too.
    all: Duration,
    /// The whole campaign ends, if it ends by the clock.
    campaign: Option<Duration>,
}

impl Default for Time {
    fn default() -> Self {
        Time { search: Duration::from_secs(20), all: Duration::from_secs(30), campaign: None }
    }
}

impl Time {
    /// How long one question may take: there are others.
    fn question(self) -> Duration {
        let usual = Limits::default().wall;
        if self.search == Time::default().search { usual } else { usual.min(self.search / 4) }
    }

    /// Planning that does not listen takes time from the campaign, and ends with it.
    fn budget(self, memory: usize) -> Budget {
        Budget { search: self.search, all: self.all, last: self.campaign, memory }
    }

    /// Where the whole campaign has so much time: half of it is for testing.
    pub fn of(campaign: Option<Duration>) -> Time {
        let usual = Time::default();
        match campaign {
            None => usual,
            Some(all) => Time { search: usual.search.min(all / 3), all: usual.all.min(all / 2), campaign: Some(all) },
        }
    }
}

/// How many nodes are looked at. Somebody waits for the first test, and the clock must not decide what is planned.
const NODES: usize = 1_000;
/// How much there usually is, in bytes.
pub const MEMORY: usize = 2 << 30;
/// How often progress is shown.
const PROGRESS: Duration = Duration::from_millis(100);
/// So many misfits of a plan are shown.
const MISFITS: usize = 10;

/// A plan without anything in it.
pub fn nothing(cover: Cover) -> Plan {
    Plan {
        cover,
        strict: false,
        goals: Vec::new(),
        purposes: Vec::new(),
        length: None,
        steering: None,
        stop: Stop::Complete,
        counts: Default::default(),
    }
}

/// What to plan.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What to cover.
    pub cover: Cover,
    /// Whether the sides of guards are goals, too.
    pub data: bool,
    /// Whether purposes stop right after a last input.
    pub strict: bool,
    /// The seed of random walks.
    pub seed: u64,
    /// How values are chosen.
    pub values: Choice,
    /// How much memory all traces of a length may take, in bytes.
    pub memory: usize,
    /// How much memory the whole program may use, in bytes.
    pub resident: usize,
}

/// Makes a plan. What it does not cover is told in a line.
pub fn make(
    wanted: &Wanted,
    source: Source<'_>,
    back_end: &BackEnd,
    time: Time,
    interrupted: &Arc<AtomicBool>,
    out: &mut Output,
) -> Result<(Plan, Clock), Failure> {
    let cancellation = Cancellation::default();
    let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain().on(Some(&cancellation))) };
    let begun = Instant::now();
    let mut last = begun;
    let (found, enough) = within(time.budget(wanted.resident), interrupted, |flags| {
        let default = Options::new(wanted.cover.clone());
        let traces = matches!(wanted.cover, Cover::Traces(_));
        let options = Options {
            data: wanted.data,
            strict: wanted.strict,
            depth: Some(DEPTH),
            // Where all traces of a length are wanted, memory is the limit.
            nodes: if traces { usize::MAX } else { NODES },
            memory: traces.then_some(wanted.memory),
            tests: (traces || wanted.cover == Cover::Classes).then_some(wanted.values),
            // A tree would be reached with the first of its accepts, be it silence at the start.
            split: is_tree(&wanted.cover),
            seed: wanted.seed,
            steering: false,
            enough: Some(flags.enough.clone()),
            // Nothing is run when somebody interrupts: then nobody needs what could still be found.
            limits: Limits {
                cancellation: Cancellation::new([flags.stop, interrupted.clone()], None),
                wall: time.question(),
                ..Limits::default()
            },
            ..default
        };
        let mut progress = |p: Progress| {
            if out.shows_progress() && last.elapsed() >= PROGRESS {
                last = Instant::now();
                out.progress(format_args!("planning: {} nodes, depth {}, {} open", p.nodes, p.depth, p.open));
            }
        };
        let found = plan(&source.checked.model, &solvers, &options, &mut progress);
        (found, flags.enough.load(Ordering::Relaxed))
    });
    out.progress("");
    let plan = found.map_err(|why| {
        let failure = Failure::usage(why.to_string());
        let near = match &why {
            PlanError::NoSuchPurpose { name, known } => did_you_mean(name, known.iter().map(String::as_str)),
            _ => None,
        };
        match near {
            Some(near) => failure.help(format!("did you mean `--cover purpose:{near}`?")),
            None => failure,
        }
    })?;
    // Whoever interrupts knows why there is no more.
    let is_interrupted = interrupted.load(Ordering::Relaxed);
    let ended = (enough && !is_interrupted).then(|| begun.elapsed());
    let clock = Clock { planning: ended, questions: cancellation.late() };
    if let Some(text) = too_short(&plan, time).filter(|_| !is_interrupted) {
        out.say(text);
    }
    let coverage = plan.coverage();
    let open = coverage.not_reached + coverage.unknown;
    if open > 0 && !is_interrupted {
        let goals = count(open, "goal");
        let why = match time.search < Time::default().search && begun.elapsed() >= time.search {
            true => "planning had half of `--for`, and a longer one covers more",
            false => match wanted.data {
                true => "`sioco plan --cover switch --data boundary` says which and why",
                false => "`sioco plan` says which and why",
            },
        };
        out.say(format_args!("the plan leaves {goals} uncovered; {why}"));
    }
    Ok((plan, clock))
}

/// What to say of a plan with shorter traces than were asked for, and what helps.
fn too_short(plan: &Plan, time: Time) -> Option<String> {
    let shorter = shorter(plan)?;
    let help = match plan.stop {
        Stop::Cancelled if time.search < Time::default().search => "planning has half of `--for`: give more",
        Stop::Cancelled => "`sioco plan --time` may take longer, and `--plan` runs what it finds",
        Stop::Memory => "`--memory` gives more",
        _ => "`sioco plan --nodes` looks further, and `--plan` runs what it finds",
    };
    Some(format!("{shorter}; {help}"))
}

/// Reads a plan. What of it does not fit the model any more is told and left out; the command tells more about that.
#[allow(clippy::too_many_arguments)]
pub fn load(
    path: &Path,
    command: &str,
    source: Source<'_>,
    back_end: &BackEnd,
    time: Time,
    memory: usize,
    interrupted: &Arc<AtomicBool>,
    out: &mut Output,
) -> Result<(Plan, Clock), Failure> {
    let (mut loaded, _) = check::read(path, source)?;
    let cancellation = Cancellation::default();
    let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain().on(Some(&cancellation))) };
    let begun = Instant::now();
    let ended = within(time.budget(memory), interrupted, |flags| {
        let cancellation = Cancellation::new([flags.stop.clone(), interrupted.clone()], None);
        let limits = Limits { cancellation, wall: time.question(), ..Limits::default() };
        let mut walker = Walker::new(Symbolic::with(&source.checked.model, &solvers, Shortcuts::default(), limits));
        file::retake(&mut loaded, &mut walker);
        flags.stop.load(Ordering::Relaxed)
    });
    let ended = (ended && !interrupted.load(Ordering::Relaxed)).then(|| begun.elapsed());
    let clock = Clock { planning: ended, questions: cancellation.late() };
    if is_tree(&loaded.plan.cover) {
        loaded.plan.purposes = loaded.plan.purposes.iter().flat_map(Purpose::split).collect();
    }
    if !loaded.misfits.is_empty() {
        let page = Page { width: out.width(), style: out.err_style(), lines: MISFITS };
        let all = format!("`{command} --check {} --all`", shell_word(&path.display().to_string()));
        out.say(misfits(source, &loaded.misfits, MISFITS, &all, page).trim_end());
        let usable = count(loaded.plan.purposes.len(), "purpose");
        out.say(format_args!("{} does not fit the model any more: {usable} of it can still be used", path.shown()));
    }
    Ok((loaded.plan, clock))
}

/// Whether the plan of a cover is a tree of which every end is wanted.
fn is_tree(cover: &Cover) -> bool {
    matches!(cover, Cover::Paths(_) | Cover::Inclusion(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_traces_are_told_with_what_helps() {
        let of = |cover, length, stop, time| too_short(&Plan { length, stop, ..nothing(cover) }, time);
        let usual = Time::default();
        let short = Time::of(Some(Duration::from_secs(4)));
        for (cover, length, stop, time, text) in [
            (
                Cover::Traces(9),
                3,
                Stop::Memory,
                usual,
                "all traces of up to 3 steps are planned, and not of 9: there was not enough memory for these; `--memory` \
                 gives more",
            ),
            (
                Cover::Traces(9),
                0,
                Stop::Cancelled,
                short,
                "no traces can be tested, not even those of 1 step: there was not enough time for them; planning has half \
                 of `--for`: give more",
            ),
            (
                Cover::Traces(2),
                1,
                Stop::Cancelled,
                usual,
                "all traces of up to 1 step are planned, and not of 2: there was not enough time for these; `sioco plan \
                 --time` may take longer, and `--plan` runs what it finds",
            ),
            (
                Cover::Paths(9),
                3,
                Stop::Nodes,
                usual,
                "all paths of up to 3 steps are planned, and not of 9: there was not enough room for these; `sioco plan \
                 --nodes` looks further, and `--plan` runs what it finds",
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
