//! Random logs: what a conforming system may have done, and the same with mistakes in it.

use crate::oracle::TooLarge;
use crate::oracle::belief::World;
use crate::oracle::step::{self, State};
use crate::rng::Rng;
use crate::spec::sort::{TEXTS, WIDE};
use crate::spec::{CLOSED, CRASHED, Event, Line, Order, Sort, Spec, Val};

/// How a random log comes about.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How many events there are at most.
    pub length: usize,
    /// What the order of its lines means.
    pub order: Order,
    /// In how many of a hundred places the clock says that nothing comes although something does.
    pub slow: u64,
    /// Whether silence is announced.
    pub announces: bool,
    /// How many mistakes there are.
    pub mistakes: usize,
    /// Whether a log may say `crashed`.
    pub crashes: bool,
}

/// A random value of a sort.
pub fn value(rng: &mut Rng, sort: &Sort, spec: &Spec) -> Val {
    match sort {
        Sort::Wide => Val::Int(rng.between(WIDE.0 + 1, WIDE.1 - 1)),
        Sort::Text => Val::Text((*rng.pick(&TEXTS)).into()),
        Sort::Int(low, high) => Val::Int(rng.between(*low, *high)),
        Sort::Bool => Val::Bool(rng.chance(50)),
        Sort::Data(t) => {
            let c = rng.below(spec.types[*t].constructors.len());
            Val::Data(c, spec.types[*t].constructors[c].fields.iter().map(|s| value(rng, s, spec)).collect())
        }
        Sort::Seq(item) => {
            let length = *rng.pick(&[0, 0, 1, 1, 1, 2, 2, 3]);
            Val::Seq((0..length).map(|_| value(rng, item, spec)).collect())
        }
    }
}

fn event(rng: &mut Rng, spec: &Spec, gate: usize, sorts: &[Sort]) -> Event {
    Event { gate, args: sorts.iter().map(|s| value(rng, s, spec)).collect() }
}

/// A random input.
pub fn input(rng: &mut Rng, spec: &Spec) -> Event {
    let gate = rng.below(spec.inputs.len());
    event(rng, spec, gate, &spec.inputs[gate].params)
}

/// A random output, as a line of a log.
pub fn output(rng: &mut Rng, spec: &Spec) -> Line {
    let gate = rng.below(spec.outputs.len());
    seen(spec, event(rng, spec, gate, &spec.outputs[gate].params))
}

/// An output as a line of a log.
pub fn seen(spec: &Spec, event: Event) -> Line {
    match spec.outputs[event.gate].name.as_str() {
        CLOSED => Line::Closed,
        CRASHED => Line::Crashed,
        _ => Line::Output(event),
    }
}

/// A random log.
pub fn log(world: &World<'_>, rng: &mut Rng, manner: &Manner) -> Result<Vec<Line>, TooLarge> {
    let mut lines = conforming(world, rng, manner)?;
    for _ in 0..manner.mistakes {
        mistake(world.spec, rng, manner, &mut lines);
    }
    // Nothing comes after the end of the system.
    if let Some(end) = lines.iter().position(|l| matches!(l, Line::Closed | Line::Crashed | Line::Malformed(_))) {
        lines.truncate(end + 1);
    }
    Ok(lines)
}

/// What a conforming system may have done.
fn conforming(world: &World<'_>, rng: &mut Rng, manner: &Manner) -> Result<Vec<Line>, TooLarge> {
    let spec = world.spec;
    let mut state = rng.pick(&step::initial(spec)?).clone();
    let mut lines = Vec::new();
    let mut idle = 0;
    while lines.len() < manner.length && idle < 20 {
        let before = lines.len();
        if rng.chance(manner.slow) {
            lines.push(Line::Delta);
        }
        match rng.below(100) {
            0..45 => take_input(world, rng, &mut state, &mut lines),
            45..85 => {
                let (outputs, _) = step::outputs(spec, &state);
                if !outputs.is_empty() {
                    let (event, step) = rng.pick(&outputs).clone();
                    lines.push(seen(spec, event));
                    state = step.to;
                }
            }
            85..92 if world.may_be_silent(&state)? => {
                lines.push(if manner.announces { Line::Announced } else { Line::Delta });
            }
            _ => {
                let alone = world.alone(&state)?;
                if !alone.internal.steps.is_empty() {
                    state = rng.pick(&alone.internal.steps).to.clone();
                }
            }
        }
        idle = if lines.len() > before { 0 } else { idle + 1 };
        if matches!(lines.last(), Some(Line::Closed | Line::Crashed)) {
            break;
        }
    }
    // What is owed comes, or the end of the log is silent.
    if rng.chance(30) && !matches!(lines.last(), Some(Line::Closed | Line::Crashed)) {
        lines.push(if manner.announces { Line::Announced } else { Line::Delta });
    }
    if manner.order == Order::Sent {
        cross(rng, &mut lines);
    }
    Ok(lines)
}

fn take_input(world: &World<'_>, rng: &mut Rng, state: &mut State, lines: &mut Vec<Line>) {
    let spec = world.spec;
    for _ in 0..8 {
        let event = input(rng, spec);
        let steps = step::input(spec, state, &event).steps;
        if !steps.is_empty() {
            *state = rng.pick(&steps).to.clone();
            lines.push(Line::Input(event));
            return;
        }
        if rng.chance(2) {
            lines.push(Line::Input(event));
            return;
        }
    }
}

/// Inputs were sent earlier than the system took them.
fn cross(rng: &mut Rng, lines: &mut [Line]) {
    for at in 1..lines.len() {
        let mut here = at;
        while here > 0
            && matches!(lines[here], Line::Input(_))
            && matches!(lines[here - 1], Line::Output(_))
            && rng.chance(40)
        {
            lines.swap(here, here - 1);
            here -= 1;
        }
    }
}

/// Changes a log.
fn mistake(spec: &Spec, rng: &mut Rng, manner: &Manner, lines: &mut Vec<Line>) {
    let at = rng.below(lines.len() + 1);
    let outputs: Vec<usize> = (0..lines.len()).filter(|i| matches!(lines[*i], Line::Output(_))).collect();
    let silence = if manner.announces { Line::Announced } else { Line::Delta };
    match rng.below(100) {
        // Another value.
        0..25 if !outputs.is_empty() => {
            let i = *rng.pick(&outputs);
            if let Line::Output(event) = &mut lines[i]
                && !event.args.is_empty()
            {
                let place = rng.below(event.args.len());
                event.args[place] = value(rng, &spec.outputs[event.gate].params[place], spec);
            }
        }
        // Another output.
        25..35 if !outputs.is_empty() => {
            let i = *rng.pick(&outputs);
            lines[i] = output(rng, spec);
        }
        // A dropped line.
        35..55 if !lines.is_empty() => {
            lines.remove(at.min(lines.len() - 1));
        }
        // Silence, once or several times.
        55..68 => {
            for _ in 0..1 + rng.below(2) {
                lines.insert(at, silence.clone());
            }
        }
        68..85 => lines.insert(at, output(rng, spec)),
        85..89 => lines.insert(at, Line::Input(input(rng, spec))),
        89..94 => lines.insert(at, Line::Closed),
        94..97 if manner.crashes => lines.insert(at, Line::Crashed),
        97..99 if lines.len() > 1 => {
            let i = at.min(lines.len() - 2);
            lines.swap(i, i + 1);
        }
        _ => {
            let with_values: Vec<usize> =
                (0..spec.outputs.len()).filter(|g| !spec.outputs[*g].params.is_empty()).collect();
            if !with_values.is_empty() {
                let gate = *rng.pick(&with_values);
                lines.insert(at, Line::Malformed(gate));
            }
        }
    }
}
