//! Goals in words, and why some are not covered.

use sioco_lang::diagnostic::Label;
use sioco_lang::source::Span;
use sioco_plan::want::atoms;
use sioco_plan::{Goal, Infeasible, Side, State};
use sioco_symbolic::Stop;

use super::{Page, Planned};
use crate::analysis::{clashing, cut, never};
use crate::diagnostic::{Finding, render_finding};
use crate::words::Words;

/// A goal in a list.
pub(crate) fn name(words: Words<'_>, goal: &Goal) -> String {
    let model = words.model();
    match goal {
        Goal::Switch(s) => model.switches[*s].name.clone(),
        Goal::Location(l) => model.location_name(*l),
        Goal::Atom { switch, atom, side } => {
            let text = atoms(model, *switch).get(*atom).map(|t| words.conjunct(*switch, *t));
            let side = match side {
                Side::True => "true",
                Side::False => "false",
                Side::LastTrue => "just true",
                Side::FirstFalse => "just false",
            };
            format!("`{}` of {} {side}", text.unwrap_or_default(), model.switches[*switch].name)
        }
        Goal::Class(name) | Goal::Transition(name) => name.clone(),
        Goal::Written(i) => model.purposes.get(*i).map(|p| p.name.clone()).unwrap_or_default(),
    }
}

/// Where the thing that a goal is about was written.
pub(super) fn span(planned: &Planned<'_>, goal: &Goal) -> Option<Span> {
    let spans = &planned.checked().spans;
    match goal {
        Goal::Switch(s) => spans.switches.get(*s).map(|s| s.label),
        Goal::Location(l) => spans.locations.get(*l).copied(),
        Goal::Atom { switch, .. } => spans.switches.get(*switch).map(|s| s.guard.unwrap_or(s.label)),
        Goal::Class(_) | Goal::Transition(_) => None,
        Goal::Written(i) => spans.purposes.get(*i).copied(),
    }
}

/// Why a goal cannot be reached, at its place.
fn infeasible(planned: &Planned<'_>, goal: &Goal, why: &Infeasible) -> Finding {
    let model = planned.model();
    let name = name(planned.source.words(), goal);
    let mut finding = match (goal, why) {
        (Goal::Switch(switch), Infeasible::Switch(why)) => never(planned.source, *switch, why),
        _ => {
            let (message, text, notes) = match why {
                Infeasible::Values { states, clash } => {
                    let (text, before) = match states {
                        None => ("whatever the state is".to_owned(), String::new()),
                        Some(1) => ("in the one node where it is asked".to_owned(), String::new()),
                        Some(n) => (format!("in none of the {n} nodes where it is asked"), "in the first, ".to_owned()),
                    };
                    let note = (!clash.is_empty()).then(|| format!("{before}{}", clashing(clash)));
                    (format!("{name}: no value will do"), text, note.into_iter().collect())
                }
                Infeasible::Written { path, clash } => {
                    let message = format!("no path fits the purpose `{name}` (all paths were tried)");
                    let names: Vec<String> = path.iter().map(|s| format!("`{}`", s.name(model))).collect();
                    let note = names.split_last().map(|(last, before)| {
                        let after = if before.is_empty() {
                            "at the start".into()
                        } else {
                            format!("after {}", before.join(" "))
                        };
                        let why = if clash.is_empty() { String::new() } else { format!(": {}", clashing(clash)) };
                        format!("{last} would come next {after}, but cannot be taken{why}")
                    });
                    (message, String::new(), note.into_iter().collect())
                }
                _ => {
                    let text = "no switch that leads here is ever taken".to_owned();
                    (format!("`{name}` is never reached"), text, Vec::new())
                }
            };
            let labels = span(planned, goal).map(|span| Label { span, text }).into_iter().collect();
            Finding { kind: String::new(), message, labels, notes }
        }
    };
    finding.kind = "infeasible".into();
    finding
}

/// Every goal that is not covered, with why; at most so many of each kind as `most` says.
pub fn missing(planned: &Planned<'_>, most: usize, page: Page) -> String {
    let style = page.style;
    let mut out = String::new();
    let mut proved = 0;
    for (goal, state) in &planned.plan.goals {
        if let State::Infeasible(why) = state {
            proved += 1;
            if proved <= most {
                let finding = infeasible(planned, goal, why);
                out.push_str(&render_finding(planned.source.sources, &finding, style));
                out.push('\n');
            }
        }
    }
    let mut lines = Vec::new();
    for (goal, state) in &planned.plan.goals {
        let (kind, why) = match state {
            State::NotReached(Stop::Cancelled) if planned.interrupted => {
                ("not reached", "before the interrupt".to_owned())
            }
            State::NotReached(stop) => {
                let (what, option) = cut(*stop);
                let help = option.map(|o| format!(": raise `{o}`")).unwrap_or_default();
                ("not reached", format!("{what}{help}"))
            }
            State::Unknown(reason) => ("unknown", planned.reason(reason)),
            State::Covered { .. } | State::Infeasible(_) => continue,
        };
        let place = span(planned, goal).map(|s| format!(" ({})", planned.source.sources.show(s))).unwrap_or_default();
        lines.push(format!(
            "{}: {}{place}: {}\n",
            style.yellow(kind),
            name(planned.source.words(), goal),
            why.trim_start()
        ));
    }
    let shown = lines.len().min(most);
    out.extend(lines[..shown].iter().map(String::as_str));
    let hidden = proved.saturating_sub(most) + lines.len() - shown;
    if hidden > 0 {
        out.push_str(&format!("… and {hidden} more that are not covered (`--all` shows them)\n"));
    }
    if shown > 0 || hidden > 0 {
        out.push('\n');
    }
    out
}
