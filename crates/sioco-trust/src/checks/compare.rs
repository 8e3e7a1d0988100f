//! `compare`: a model against a changed one. A difference is one by the oracle; where none is proved to be, random runs of
//! the changed model do not fail.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sioco_plan::compare::{CompareOptions, Conformance, Exchange, compare};
use sioco_solve::Limits;

use super::engine::Read;
use super::solvers::Solvers;
use crate::case::Case;
use crate::oracle::TooLarge;
use crate::oracle::belief::World;
use crate::oracle::judge::{Verdict, judge};
use crate::oracle::space::explore;
use crate::oracle::step;
use crate::rng::Rng;
use crate::spec::{CLOSED, CRASHED, Line, Order, Spec};
use crate::systems::{mutate, trace};
use crate::tally::{Finding, Tally};

/// At most this many random runs of the changed model are tried: a difference that they do not meet is only not checked
/// for this seed.
const RUNS: usize = 25;

/// Compares.
pub fn run(case: &Case, solvers: &Solvers, tally: &mut Tally) {
    let mut rng = case.rng(500);
    let free = case.spec.processes.iter().flat_map(|p| &p.variables).any(|v| v.initial.is_none());
    if free || case.spec.output(CLOSED).is_some() || case.spec.output(CRASHED).is_some() {
        return tally.count("compare: not for this model");
    }
    let changed = if rng.chance(20) { case.spec.clone() } else { mutate(&case.spec, &mut rng) };
    let world = World::new(&case.spec);
    let (Ok(space), Ok(other)) = (explore(&world), explore(&World::new(&changed))) else {
        return tally.count("compare: too large");
    };
    if space.undefined || other.undefined {
        return tally.count("compare: undefined");
    }
    let Ok(read) = Read::new(&changed) else { return tally.count("compare: not read") };
    let make = || solvers.make();
    let options = CompareOptions {
        length: Some(4),
        nodes: 400,
        enough: Some(Arc::new(AtomicBool::new(false))),
        limits: Limits::default(),
        ..CompareOptions::default()
    };
    let Ok(compared) = compare(&case.read.model, &read.model, &make, &options, &mut |_| {}) else {
        return tally.count("compare: refused");
    };
    tally.count("compare: cases");
    let small = space.states.len() <= 40 && other.states.len() <= 40;
    let wrong = match &compared.conformance {
        Conformance::Differs(difference) => {
            tally.count("compare: differ");
            confirmed(case, &world, &difference.trace)
        }
        Conformance::Conforms { proved: true, .. } => {
            tally.count("compare: proved");
            refuted(&world, &changed, &mut rng)
        }
        Conformance::Conforms { .. } => Ok(None),
        Conformance::Unknown { reason, .. } if small => {
            Ok(Some(("compare does not know".into(), format!("{reason:?}; {} states", space.states.len()))))
        }
        Conformance::Unknown { .. } => Ok(None),
    };
    if let Ok(Some((kind, why))) = wrong {
        let why = format!("{why}\nagainst\n{}", changed.text());
        tally.find(Finding { check: "compare", kind, why, spec: case.spec.clone(), log: None });
    }
}

/// Whether the oracle sees the difference.
fn confirmed(case: &Case, world: &World<'_>, exchanges: &[Exchange]) -> Result<Option<(String, String)>, TooLarge> {
    // An answer is everything up to quiescence. That tells states apart, so that the log with it may fail where the log
    // without it does not.
    let (mut lines, mut quiet) = (Vec::new(), Vec::new());
    for (number, exchange) in exchanges.iter().enumerate() {
        if number > 0 {
            quiet.push(Line::Announced);
        }
        let mut add = |line: Line| {
            quiet.push(line.clone());
            lines.push(line);
        };
        if let Some(input) = &exchange.input {
            let value = sioco_exec::GateValue { gate: input.gate, args: input.args.clone() };
            add(Line::Input(case.read.event(&value).1));
        }
        let Some(answer) = &exchange.implementation else {
            // The implementation model does not take the input at all.
            return Ok(None);
        };
        for output in answer {
            let value = sioco_exec::GateValue { gate: output.gate, args: output.args.clone() };
            add(Line::Output(case.read.event(&value).1));
        }
    }
    let silent: Vec<Line> = lines.iter().cloned().chain([Line::Announced]).collect();
    let spec = case.spec.with_values_of(&lines);
    let world = if spec.seen.is_empty() { world } else { &World::new(&spec) };
    let fails = |lines: &[Line]| Ok(judge(world, lines, Order::Sut)?.verdicts.contains(&Verdict::Fail));
    if fails(&lines)? || fails(&silent)? || fails(&quiet)? {
        return Ok(None);
    }
    Ok(Some(("compare tells of a difference that is none".into(), case.spec.lines(&silent))))
}

/// A run of the changed model that the specification does not allow.
fn refuted(world: &World<'_>, changed: &Spec, rng: &mut Rng) -> Result<Option<(String, String)>, TooLarge> {
    let theirs = World::new(changed);
    for _ in 0..RUNS {
        let Some(mut state) = step::initial(changed)?.into_iter().next() else { return Ok(None) };
        let mut lines = Vec::new();
        for _ in 0..30 {
            let (outputs, _) = step::outputs(changed, &state);
            let internal = &theirs.alone(&state)?.internal.steps;
            if outputs.is_empty() && internal.is_empty() {
                // Quiescent: silence is told, then comes an input that the specification defines.
                lines.push(Line::Announced);
                if judge(world, &lines, Order::Sut)?.verdicts.contains(&Verdict::Fail) {
                    return Ok(Some(("compare proves what is not so".into(), world.spec.lines(&lines))));
                }
                let event = trace::input(rng, changed);
                let steps = step::input(changed, &state, &event).steps;
                lines.push(Line::Input(event));
                let right = judge(world, &lines, Order::Sut)?;
                if steps.is_empty() || !right.verdicts.contains(&Verdict::Pass) {
                    break;
                }
                state = rng.pick(&steps).to.clone();
            } else if !outputs.is_empty() && (internal.is_empty() || rng.chance(60)) {
                let (event, step) = rng.pick(&outputs).clone();
                lines.push(trace::seen(changed, event));
                state = step.to;
                if judge(world, &lines, Order::Sut)?.verdicts.contains(&Verdict::Fail) {
                    return Ok(Some(("compare proves what is not so".into(), world.spec.lines(&lines))));
                }
            } else {
                state = rng.pick(internal).to.clone();
            }
            if lines.len() > 12 {
                break;
            }
        }
    }
    Ok(None)
}
