//! Whether the paths of a plan that was read are still possible.

use sioco_model::Id;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use super::read::covered;
use super::{Loaded, Misfit};
use crate::case::{Case, Keep, ancestors, fix};
use crate::goal::State;
use crate::purpose::{Purpose, PurposeId};
use crate::walker::Walker;

/// Takes every path again. Purposes with one that is impossible now leave the plan and become misfits.
pub fn retake(loaded: &mut Loaded, walker: &mut Walker<'_>) {
    let mut new = Vec::new();
    let mut kept = 0;
    for (i, purpose) in loaded.plan.purposes.iter().enumerate() {
        match impossible(walker, purpose, loaded.numbers[i]) {
            Some(misfit) => {
                loaded.misfits.push(misfit);
                new.push(None);
            }
            None => {
                new.push(Some(PurposeId::from_index(kept)));
                kept += 1;
                if !loaded.same
                    && let Some(case) = loaded.cases.get_mut(i)
                {
                    loaded.misfits.extend(other_values(walker, purpose, case, loaded.numbers[i]));
                }
            }
        }
    }
    let mut stays = new.iter().map(Option::is_some);
    loaded.plan.purposes.retain(|_| stays.next().unwrap_or(true));
    let mut stays = new.iter().map(Option::is_some);
    loaded.cases.retain(|_| stays.next().unwrap_or(true));
    let mut stays = new.iter().map(Option::is_some);
    loaded.numbers.retain(|_| stays.next().unwrap_or(true));
    for (_, state) in &mut loaded.plan.goals {
        if let State::Covered { by, doubt } = state {
            *state = covered(by.iter().filter_map(|p| new[p.index()]).collect(), *doubt);
        }
    }
}

fn impossible(walker: &mut Walker<'_>, purpose: &Purpose, number: PurposeId) -> Option<Misfit> {
    for node in 1..purpose.nodes.len() {
        let line = purpose.line(node);
        let Some((last, before)) = line.split_last() else { continue };
        // All of these were found possible: parents stand before their children.
        if !walker.follow(before.iter().copied()) {
            return None;
        }
        if walker.take(last) != Possible::No {
            continue;
        }
        let clash = walker.clash(last);
        let path: Vec<Step> = line.iter().map(|l| l.step).collect();
        return Some(Misfit::Impossible { purpose: number, path, clash });
    }
    None
}

/// Whether the values of a case still go with its purpose; those that do not are dropped.
fn other_values(walker: &mut Walker<'_>, purpose: &Purpose, case: &mut Case, number: PurposeId) -> Option<Misfit> {
    let model = walker.path.model();
    let mut first = None;
    for node in 1..purpose.nodes.len().min(case.nodes.len()) {
        let line = ancestors(purpose, node);
        let valued = line.iter().all(|n| case.nodes[*n].values.is_some() && !case.nodes[*n].apart);
        if !valued || !walker.follow(purpose.line(node)) {
            continue;
        }
        let fits = fix(walker, case, &line, Keep::All, false);
        // Away with what was assumed.
        walker.back();
        if !fits {
            let step = purpose.nodes[node].leg.as_ref().map(|leg| leg.step.name(model)).unwrap_or_default();
            first.get_or_insert(Misfit::Values { purpose: number, at: line.len(), step });
            case.nodes[node].values = None;
        } else if purpose.nodes[node].parent.is_some_and(|p| p != 0 && case.nodes[p].values.is_none()) {
            case.nodes[node].values = None;
        }
    }
    first
}
