//! Whether the paths of a plan that was read are still possible.

use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use super::read::covered;
use super::{Loaded, Misfit};
use crate::goal::State;
use crate::purpose::Purpose;
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
                new.push(Some(kept));
                kept += 1;
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
            *state = covered(by.iter().filter_map(|p| new[*p]).collect(), *doubt);
        }
    }
}

fn impossible(walker: &mut Walker<'_>, purpose: &Purpose, number: usize) -> Option<Misfit> {
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
