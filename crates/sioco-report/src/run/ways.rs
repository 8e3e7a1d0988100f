//! Names for traces, by their switches. A plan for all traces of a length has no goals that could name a purpose.

use sioco_model::model::Model;
use sioco_plan::Plan;

/// At most this many switches at the beginning and at the end of a trace are named: the whole fits two lines.
const ENDS: usize = 5;

/// The switches on the way of a purpose, in order, where that is what it is there for.
pub(super) fn names<'m>(model: &'m Model, plan: Option<&Plan>, purpose: usize) -> Option<Vec<&'m str>> {
    let plan = plan.filter(|plan| plan.intent().all_allowed)?;
    Some(plan.purposes.get(purpose)?.switches().map(|s| model.switches[s].name.as_str()).collect())
}

/// The same for people; the middle of a long one is left out.
pub(super) fn shown(model: &Model, plan: Option<&Plan>, purpose: usize) -> Option<String> {
    let names = names(model, plan, purpose).filter(|names| !names.is_empty())?;
    Some(match names.len() > 2 * ENDS + 1 {
        true => format!("{} … {}", names[..ENDS].join(" "), names[names.len() - ENDS..].join(" ")),
        false => names.join(" "),
    })
}
