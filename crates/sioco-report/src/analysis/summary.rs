//! The last lines: what was looked at, and what is known of the model as a whole.

use sioco_lang::check::CheckedModel;
use sioco_symbolic::Stop;
use sioco_symbolic::analysis::{Analysis, Control, Determinism, Reached, Severity};

use super::Denied;

/// `1 error`, `2 errors`.
fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// The summary for people.
pub fn summary(checked: &CheckedModel, file: &str, analysis: &Analysis, denied: Denied<'_>) -> String {
    let model = &checked.model;
    let mut lines = Vec::new();
    let of = |severity: Severity| analysis.findings.iter().filter(|f| denied.severity(f) == severity).count();
    let (errors, warnings, info) = (of(Severity::Error), of(Severity::Warning), of(Severity::Information));
    let mut found = Vec::new();
    let raised = analysis.findings.iter().filter(|f| denied.raises(f)).count();
    match raised {
        _ if errors == 0 => {}
        0 => found.push(count(errors, "error")),
        n => found.push(format!("{} ({n} denied)", count(errors, "error"))),
    }
    if warnings > 0 {
        found.push(count(warnings, "warning"));
    }
    if info > 0 {
        found.push(format!("{info} for information"));
    }
    if found.is_empty() {
        found.push("no findings".into());
    }
    lines.push(format!("analyzed {file}: {}", found.join(", ")));
    let graph = &analysis.exploration.graph;
    let nodes = count(graph.len(), "node");
    lines.push(match analysis.exploration.stop {
        _ if analysis.late => {
            format!("  explored       {nodes}; not all questions about them were asked in time: raise `--time`")
        }
        _ if analysis.cancelled => format!("  explored       {nodes}, interrupted: the findings cover only these"),
        Stop::Complete => format!("  explored       {nodes}, complete: everything reachable"),
        Stop::Depth => format!("  explored       {nodes}, not complete: raise `--depth`"),
        Stop::Nodes => format!("  explored       {nodes}, not complete: raise `--nodes`"),
        Stop::Cancelled => format!("  explored       {nodes}, not complete: raise `--time`"),
        _ => format!("  explored       {nodes}, not complete"),
    });
    if !analysis.switches.is_empty() {
        let of = |test: fn(&Reached) -> bool| analysis.switches.iter().filter(|r| test(r)).count();
        let taken = of(|r| matches!(r, Reached::Taken(_)));
        let mut line = format!("  switches       {taken} of {} taken", analysis.switches.len());
        for (number, what) in [
            (of(|r| *r == Reached::Never), "never (proved)"),
            (of(|r| *r == Reached::NotWithin), "not reached"),
            (of(|r| matches!(r, Reached::Unknown(_))), "undecided"),
        ] {
            if number > 0 {
                line.push_str(&format!(", {number} {what}"));
            }
        }
        lines.push(line);
    }
    if let Some(determinism) = analysis.determinism {
        let internal = match analysis.internal_choices {
            0 => String::new(),
            n => format!("; {}", count(n, "internal choice")),
        };
        let what = match determinism {
            Determinism::Proved => "yes, proved".to_owned(),
            Determinism::No => "no".to_owned(),
            Determinism::NotFound => "as far as explored".to_owned(),
            Determinism::Undecided => "not decided".to_owned(),
            Determinism::Undefined(switch) => {
                format!("not decided: the guard of `{}` can be undefined", model.switches[switch].name)
            }
        };
        lines.push(format!("  deterministic  {what}{internal}"));
    }
    if let Some(control) = &analysis.control {
        let what = match control {
            Control::NothingFree => "yes, no variable is free at the start".to_owned(),
            Control::Proved => "yes, proved: free initial values do not matter".to_owned(),
            Control::NotFound => "as far as explored".to_owned(),
            Control::No { variable, switch, .. } => format!(
                "no: whether `{}` is possible depends on the initial `{}`",
                model.switches[*switch].name,
                model.variable_name(*variable)
            ),
        };
        lines.push(format!("  controllable   {what}"));
    }
    lines.join("\n") + "\n"
}
