//! The last lines: whether runs can be inconclusive, and how far was looked.

use crate::words::FEW_NAMES;
use sioco_model::model::Label;
use sioco_plan::plan::Counts;
use sioco_plan::{Intent, Kind, Steering};
use sioco_symbolic::Stop;
use sioco_symbolic::analysis::{Control, Determinism};

use super::{Page, Planned, TIME};
use crate::explore::{count, summary::wrap};

/// The notes below a plan.
pub fn notes(planned: &Planned<'_>, page: Page) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    if let Some(steering) = &planned.plan.steering {
        rows.push(("runs", runs(planned, steering)));
    }
    rows.push(("looked at", looked_at(planned)));
    if let Some((asked, reached)) = planned.asked().zip(planned.plan.length).filter(|(a, r)| r < a) {
        let what = planned.plan.intent().kind.noun();
        let text = match planned.is_cut() {
            true => format!("all {what} up to {reached} steps are planned, not up to {asked}: {}", help(planned)),
            false => format!("no {what} are longer than these; you asked for {}", count(asked, "step")),
        };
        rows.push(("length", text));
    }
    let empty = planned.plan.counts.impossible;
    if let (Intent { kind: Kind::Inputs, drawn: Some(asked), .. }, true) = (planned.plan.intent(), empty > 0) {
        let text = format!(
            "{empty} of {}: the model does not take the first input that was drawn; try another `--seed` or a \
             larger number",
            count(asked, "sequence")
        );
        rows.push(("left out", text));
    }
    rows.extend(cut(planned.plan.counts));
    let mut out = String::new();
    for (heading, text) in rows {
        let mut heading = heading;
        for line in wrap(&text, page.width.saturating_sub(13)) {
            out.push_str(&format!("  {heading:<11}{line}\n"));
            heading = "";
        }
    }
    out
}

/// What is missing at the ends of purposes, or behind internal steps, and why.
pub(crate) fn cut(counts: Counts) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if counts.cut > 0 {
        let places = count(counts.cut, "place");
        rows.push(("cut", format!("internal steps were not followed to their end in {places}")));
    }
    if counts.unfinished > 0 {
        let purposes = count(counts.unfinished, "purpose");
        rows.push(("unfinished", format!("{purposes} without the answers to the last input: the time ran out")));
    }
    rows
}

fn looked_at(planned: &Planned<'_>) -> String {
    let plan = planned.plan;
    let nodes = count(plan.counts.nodes, "node");
    let how = match plan.stop {
        Stop::Complete => match plan.intent().kind {
            Kind::Paths | Kind::Traces => "all of that length".to_owned(),
            Kind::Walks => "on the walks".to_owned(),
            Kind::Inputs => "reached by the inputs".to_owned(),
            Kind::Goals | Kind::Edges => "complete: everything reachable".to_owned(),
        },
        Stop::Covered => "until everything was covered".to_owned(),
        Stop::Cancelled if planned.interrupted => "interrupted: these are the results so far".to_owned(),
        _ => format!("not all: {}", help(planned)),
    };
    // Whoever interrupts later than that misses values.
    let how = match plan.stop {
        Stop::Cancelled => how,
        _ if planned.interrupted => format!("{how}; interrupted after that"),
        _ => how,
    };
    match plan.counts.candidates {
        _ if plan.intent().kind == Kind::Inputs => format!("{nodes}, {how}"),
        0 => format!("{nodes}, {how}"),
        n => format!("{nodes}, {how}; of {} checked, {} impossible", count(n, "step"), plan.counts.impossible),
    }
}

/// What ended the search, and what to do about it.
fn help(planned: &Planned<'_>) -> &'static str {
    match planned.plan.stop {
        Stop::Depth => "the depth limit was reached; raise `--depth`",
        Stop::Nodes => "the limit on nodes was reached; raise `--nodes`",
        Stop::Memory => "the memory limit was reached",
        Stop::Cancelled if planned.interrupted => "it was interrupted",
        Stop::Cancelled => TIME,
        Stop::Complete | Stop::Covered => "",
    }
}

fn runs(planned: &Planned<'_>, steering: &Steering) -> String {
    let model = planned.model();
    if steering.is_certain() {
        return "none can be inconclusive: the model is deterministic (proved), and only the tester makes choices"
            .into();
    }
    let mut why = Vec::new();
    let hidden = steering.values.iter().any(|s| model.switches[*s].label == Label::Internal);
    match steering.determinism {
        Determinism::Proved => {}
        // What the system decides is named below; `analyze` tells of steps with the same label only.
        Determinism::No if steering.choice.is_some() || hidden => why.push("the model is nondeterministic".to_owned()),
        Determinism::No => why.push("the model is nondeterministic (`sioco analyze` shows where)".to_owned()),
        Determinism::NotFound => why.push("the model is not proved deterministic".into()),
        Determinism::Undecided => why.push("it is undecided whether the model is deterministic".into()),
        Determinism::Undefined(s) => {
            why.push(format!(
                "the guard of `{}` can be undefined where another switch competes",
                model.switches[s].name
            ));
        }
    }
    match &steering.control {
        Control::NothingFree | Control::Proved => {}
        Control::NotFound => why.push("it is not proved that free initial values do not matter".into()),
        Control::No { variable, switch, .. } => why.push(format!(
            "whether `{}` is possible depends on the initial `{}`",
            model.switches[*switch].name,
            model.variable_name(*variable)
        )),
    }
    if steering.choices > 0 {
        let states = count(steering.choices, "state");
        let example = steering.choice.map(|(a, b)| format!(", for example `{}` or `{}`", a.name(model), b.name(model)));
        why.push(format!("the system chooses what happens next in {states}{}", example.unwrap_or_default()));
    }
    if !steering.values.is_empty() {
        let names = steering.values.iter().take(FEW_NAMES).map(|s| format!("`{}`", model.switches[*s].name));
        let names: Vec<String> = names.collect();
        let more = if steering.values.len() > FEW_NAMES { ", …" } else { "" };
        why.push(format!("the system chooses the values of {}{more}", names.join(", ")));
    }
    let open = matches!(steering.determinism, Determinism::NotFound | Determinism::Undecided);
    let open = usize::from(open) + usize::from(steering.control == Control::NotFound);
    if why.len() == open {
        // Nothing was found by which one can be.
        if !steering.complete {
            why.push("not all states were explored".into());
        }
        return format!("it was not found out whether runs can be inconclusive: {}", why.join("; "));
    }
    format!("can be inconclusive: {}", why.join("; "))
}
