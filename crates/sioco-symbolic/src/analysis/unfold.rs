//! All internal paths from a state on, as far as they go: whether one comes back to the same values, or all of them end.

use sioco_model::{LocationId, TermId, VarId};
use sioco_solve::Reason;
use sioco_solve::values::NoValues;

use super::states::way;
use super::witness::Witness;
use crate::path::{Path, Possible};
use crate::step::Step;
use sioco_model::semantics::live::Live;

/// What became of internal paths.
pub(super) enum Unfolded {
    /// One comes back to where it began, with the same values.
    Endless(Vec<Step>, Option<Witness>),
    /// All of them end.
    Ends,
    /// One is as long as is tolerated; it is at these locations then, and these are the steps since they were there
    /// before.
    Long(Vec<LocationId>, Vec<Step>, Option<Witness>),
    /// It was not found out; a path that was left open.
    Unknown(Reason, Vec<Step>),
}

/// A path that is not the end of it.
type OpenUnfolding = Option<Unfolded>;

/// Follows all internal paths from the end of this one, up to a number of steps, and while there is work left. The path
/// is as before afterwards.
pub(super) fn unfold(path: &mut Path<'_>, live: &Live, steps: usize, work: &mut usize) -> Unfolded {
    let start = path.len();
    let places = path.locations().to_vec();
    let vars: Vec<VarId> = places.iter().flat_map(|l| live.at(*l)).copied().collect();
    let values: Vec<TermId> = vars.iter().map(|v| path.term(*v)).collect();
    let mut open: OpenUnfolding = None;
    let mut doubt = None;
    let mut levels = vec![internal_steps(path)];
    let found = loop {
        let Some(level) = levels.last_mut() else { break None };
        let Some(step) = level.pop() else {
            levels.pop();
            if !levels.is_empty() {
                path.retreat();
            }
            continue;
        };
        if *work == 0 || path.solvers.limits.cancelled() {
            let taken = taken(path, start).chain([step]).collect();
            open.get_or_insert(Unfolded::Unknown(Reason::Resources, taken));
            break None;
        }
        *work -= 1;
        match path.probe(step) {
            Possible::No => continue,
            Possible::Yes => {}
            Possible::Unknown(reason) => {
                let taken = taken(path, start).chain([step]).collect::<Vec<Step>>();
                doubt.get_or_insert((reason, taken));
            }
        }
        path.advance(step);
        if path.locations() == places {
            match comes_back(path, &vars, &values) {
                Ok(witness) => break Some(Unfolded::Endless(taken(path, start).collect(), witness)),
                Err(NoValues::Impossible) => {}
                Err(NoValues::Unknown(reason)) => {
                    doubt.get_or_insert((reason, taken(path, start).collect()));
                }
            }
        }
        if path.len() - start < steps {
            levels.push(internal_steps(path));
            continue;
        }
        if open.is_none() {
            let witness = way(path);
            open = Some(Unfolded::Long(path.locations().to_vec(), last_round(path, start), witness));
        }
        path.retreat();
    };
    while path.len() > start {
        path.retreat();
    }
    // Where a solver did not know, the path that goes on and on may be none.
    let doubt = doubt.map(|(reason, taken)| Unfolded::Unknown(reason, taken));
    found.or(doubt).or(open).unwrap_or(Unfolded::Ends)
}

/// The internal steps that leave the state, the first one last.
fn internal_steps(path: &Path<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    path.outgoing(&mut steps);
    steps.retain(|s| !s.is_observable(path.model));
    steps.reverse();
    steps
}

fn taken<'a>(path: &'a Path<'_>, start: usize) -> impl Iterator<Item = Step> + 'a {
    path.steps().skip(start)
}

/// Values for which the variables that matter are what they were.
fn comes_back(path: &mut Path<'_>, vars: &[VarId], values: &[TermId]) -> Result<Option<Witness>, NoValues> {
    let sorts = &path.model.sorts;
    let mut same = Vec::new();
    for (v, old) in vars.iter().zip(values) {
        let new = path.term(*v);
        if new != *old {
            same.push(path.pool.eq(sorts, *old, new));
        }
    }
    let (solved, _) = path.solve_also(&same, &[])?;
    let state = path.replay(&solved);
    Ok(Some(Witness { path: solved, state, values: Vec::new() }))
}

/// The last steps since the locations at the end were there before; the path stays.
fn last_round(path: &mut Path<'_>, start: usize) -> Vec<Step> {
    let here = path.locations().to_vec();
    let mut round = Vec::new();
    while path.len() > start {
        round.extend(path.step(path.len() - 1));
        path.retreat();
        if path.locations() == here {
            break;
        }
    }
    round.reverse();
    round.iter().for_each(|step| path.advance(*step));
    round
}
