//! Plans: the purposes and what they cover for people, and the document for programs.

mod fit;
mod goals;
mod json;
mod misfits;
mod notes;
mod steps;
mod tree;

use crate::words::MAX_NAMES;
use sioco_lang::check::CheckedModel;
use sioco_model::Id;
use sioco_model::model::Model;
use sioco_plan::case::Case;
use sioco_plan::walker::Walker;
use sioco_plan::{Coverage, Goal, Intent, Kind, Plan, PlanOptions, PurposeId, State};
use sioco_solve::Reason;

pub use self::fit::{MisfitLine, PlanCheckLine};
pub use self::goals::missing;
pub(crate) use self::goals::name as goal_name;
pub use self::json::document;
pub use self::misfits::misfits;
pub(crate) use self::notes::cut;
pub use self::notes::notes;
use crate::analysis::Source;
use crate::explore::{count, summary::wrap};
use crate::style::Style;

/// What is said where the time was too short.
const TIME: &str = "the time limit was reached; raise `--time`";

/// A plan with what is needed to speak about it.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// The model with its texts.
    pub source: Source<'a>,
    /// What was asked for.
    pub options: &'a PlanOptions,
    /// The plan.
    pub plan: &'a Plan,
    /// Whether somebody interrupted the work.
    pub interrupted: bool,
}

/// How text is set.
#[derive(Clone, Copy)]
pub struct Page {
    /// How wide it may be.
    pub width: usize,
    /// The emphasis.
    pub style: Style,
    /// So many lines of a purpose are shown.
    pub lines: usize,
}

impl<'a> Planned<'a> {
    fn model(&self) -> &'a Model {
        &self.source.checked.model
    }

    fn checked(&self) -> &'a CheckedModel {
        self.source.checked
    }

    /// The length that was asked for, where the cover is about lengths.
    fn asked(&self) -> Option<usize> {
        self.plan.intent().length
    }

    /// Whether everything that was asked for is there, as far as it is not proved to be impossible.
    pub fn is_whole(&self) -> bool {
        let Coverage { not_reached, unknown, .. } = self.plan.coverage();
        let cut = self.plan.goals.is_empty() && self.is_cut();
        not_reached + unknown == 0 && !cut
    }

    /// Why something is unknown. Questions are cancelled by Ctrl-C, or when the time is up.
    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Cancelled if self.interrupted => "it was interrupted".into(),
            Reason::Cancelled => TIME.into(),
            Reason::Time => format!("{reason}; raise `--patience`"),
            _ => reason.to_string(),
        }
    }

    /// Whether a bound ended the search.
    fn is_cut(&self) -> bool {
        use sioco_symbolic::Stop;
        !matches!(self.plan.stop, Stop::Complete | Stop::Covered)
    }

    fn goal(&self, number: usize) -> String {
        self.plan.goals.get(number).map(|(goal, _)| goals::name(self.source.words(), goal)).unwrap_or_default()
    }

    /// What a goal of the cover is called, with its number.
    fn things(&self, n: usize) -> String {
        let thing = match self.plan.goals.first() {
            _ if self.plan.goals.iter().any(|(g, _)| matches!(g, Goal::Atom { .. })) => "goal",
            Some((Goal::Switch(_), _)) => "switch",
            Some((Goal::Location(_), _)) => "location",
            Some((Goal::Written(_), _)) => "purpose",
            Some((Goal::Class(_), _)) => "part",
            Some((Goal::Transition(_), _)) => "transition",
            _ => "goal",
        };
        count(n, thing)
    }

    /// What is covered beforehand, in a line or two.
    pub fn headline(&self, style: Style) -> String {
        let (plan, model) = (self.plan, self.model());
        let purposes = count(plan.purposes.len(), "purpose");
        let steps = count(plan.steps(model), "step");
        // Of several, it is the sum of their longest ways.
        let length = if plan.purposes.len() == 1 { "at most" } else { "in total" };
        let name = style.bold(&model.name);
        if plan.goals.is_empty() {
            let taken = plan.switches(model).iter().filter(|t| **t).count();
            let all = count(model.switches.len(), "switch");
            // Where nothing is longer, all that was asked for is there.
            let reached = if self.is_cut() { plan.length } else { self.asked().or(plan.length) };
            let Intent { kind, inclusion, .. } = plan.intent();
            let what = match (kind, reached) {
                (Kind::Paths, Some(n)) if let Some(k) = inclusion => {
                    let times = if k == 1 { "as long as".to_owned() } else { format!("{k} times as long as") };
                    format!("all paths of up to {}, {times} the restriction by inclusion", count(n, "step"))
                }
                (Kind::Paths | Kind::Traces, Some(n)) => format!("all {} of up to {}", kind.noun(), count(n, "step")),
                (Kind::Edges, _) => "every redirected edge of the reduced graph".into(),
                (Kind::Walks, _) => format!("random walks (seed {})", self.options.seed),
                (Kind::Inputs, _) => format!("random inputs (seed {})", self.options.seed),
                _ => format!("`{}`", plan.cover),
            };
            let ways: usize = plan.purposes.iter().map(|p| p.accepts().count()).sum();
            let ways =
                if ways == plan.purposes.len() { String::new() } else { format!(" with {}", count(ways, "accept")) };
            let first = format!("{name}: {purposes}{ways} for {what}\n");
            return match plan.purposes.is_empty() {
                true => first,
                false => format!("{first}  {taken} of {all} taken, {steps} {length}\n"),
            };
        }
        let coverage = plan.coverage();
        if coverage.feasible() == 0 {
            // A share of nothing says nothing.
            return match &plan.goals[..] {
                [(Goal::Written(_), _)] => {
                    format!("{name}: the purpose `{}` cannot be reached (proved)\n", self.goal(0))
                }
                [_] => format!("{name}: nothing to cover: {} is infeasible (proved)\n", self.goal(0)),
                goals => {
                    format!("{name}: nothing to cover: all {} are infeasible (proved)\n", self.things(goals.len()))
                }
            };
        }
        let covered = format!("{} of {} covered", coverage.covered, self.things(coverage.feasible()));
        let percent = format!("{}%", percent(coverage.percent()));
        let share = if coverage.covered == coverage.feasible() { style.green(percent) } else { style.yellow(percent) };
        let mut text = format!("{name}: {covered} ({share}) by {purposes} with {steps}\n");
        let mut rest = Vec::new();
        for (n, what) in [
            (coverage.perhaps, "of these only possibly"),
            (coverage.infeasible, "more infeasible (proved)"),
            (coverage.not_reached, "not reached"),
            (coverage.unknown, "unknown"),
        ] {
            if n > 0 {
                rest.push(format!("{n} {what}"));
            }
        }
        if !rest.is_empty() {
            text.push_str(&format!("  {}\n", rest.join(", ")));
        }
        text
    }

    /// A purpose with its values.
    pub fn purpose(&self, number: usize, case: &Case, walker: &mut Walker<'_>, page: Page) -> String {
        let Some(purpose) = self.plan.purposes.get(number) else { return String::new() };
        let model = self.model();
        let style = page.style;
        let title = format!("{}. {}", number + 1, count(purpose.length(model), "step"));
        let mut what = title.clone();
        let (alone, also): (Vec<usize>, Vec<usize>) = purpose.goals.iter().partition(|g| {
            let by = self.plan.goals.get(**g).map(|(_, state)| state);
            matches!(by, Some(State::Covered { by, .. }) if *by == [PurposeId::from_index(number)])
        });
        let names = |goals: &[usize]| {
            let names: Vec<String> = (goals.iter().take(MAX_NAMES))
                // A condition is not broken in the middle.
                .filter_map(|g| {
                    Some(goals::name(self.source.words(), &self.plan.goals.get(*g)?.0).replace(' ', "\u{a0}"))
                })
                .collect();
            let more = goals.len().saturating_sub(MAX_NAMES);
            if more == 0 { names.join(", ") } else { format!("{}, … and {more} more", names.join(", ")) }
        };
        match (alone.is_empty(), also.is_empty()) {
            (false, false) => what.push_str(&format!(" for {}; also {}", names(&alone), names(&also))),
            (false, true) => what.push_str(&format!(" for {}", names(&alone))),
            (true, false) => what.push_str(&format!(" for {}", names(&also))),
            (true, true) => {}
        }
        let mut text = wrap(&what, page.width.saturating_sub(3)).join("\n   ").replace('\u{a0}', " ");
        text = text.replacen(&title, &style.bold(&title), 1);
        text.push('\n');
        text.push_str(&steps::start(model, case, style));
        text.push_str(&tree::tree(model, purpose, case, walker, page));
        if let Some(why) = &case.unknown {
            let what =
                if case.nodes.iter().any(|n| n.values.is_some()) { "not all values were found" } else { "no values" };
            let lines = wrap(&format!("{what}: {}", self.reason(why)), page.width.saturating_sub(3));
            text.push_str(&format!("   {}\n", lines.join("\n   ")));
        }
        text
    }
}

/// A share in whole percents, 100 only for all and 0 only for nothing.
pub(crate) fn percent(percent: f64) -> String {
    match percent.round() {
        100.0.. if percent < 100.0 => ">99".into(),
        ..1.0 if percent > 0.0 => "<1".into(),
        rounded => rounded.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_is_a_hundred_percent() {
        for (share, text) in
            [(100.0, "100"), (99.99, ">99"), (92.857, "93"), (50.0, "50"), (0.0, "0"), (0.2, "<1"), (66.666, "67")]
        {
            assert_eq!(percent(share), text);
        }
    }
}
