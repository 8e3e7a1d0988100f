//! A course: steps with values that lead from where a run is to where it should be (T-B5; S0 lines 6-22: values on the
//! fly, so that everything observed so far is taken into account).

use sioco_model::model::Model;
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::state::State;
use sioco_model::{GateId, Value};
use sioco_plan::Leg;
use sioco_plan::walker::Walker;
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues, Random};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::event::GateValue;
use crate::pattern::Patterns;

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Course {
    /// The steps that can be observed, each with the values that are foreseen; nothing if whatever comes will do.
    pub steps: Vec<(Step, Option<Vec<Value>>)>,
    /// How many of them are done.
    pub done: usize,
    /// Whether something came at the right gate with other values than were foreseen (S1 section 3.2.2): what is left may
    /// still work, or not.
    pub shaken: bool,
    /// Whether it is only perhaps one: the solver did not decide about the rest of the path.
    pub guess: bool,
}

/// Why there is no course.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoCourse {
    /// No values lead there.
    Impossible,
    /// The solver did not decide, and values of the next input alone were not found, or lead nowhere (S0 lines 16 and 22).
    Unknown(Reason),
}

/// What the next step of a course is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ahead {
    /// The tester sends this.
    Input(GateId, Vec<Value>),
    /// The system does something, or is silent.
    Own,
    /// Nothing is left.
    End,
}

impl Course {
    /// A course of steps with values, those that nobody sees among them.
    pub fn new(model: &Model, steps: impl IntoIterator<Item = (Step, Option<Vec<Value>>)>) -> Course {
        let steps = steps.into_iter().filter(|(step, _)| step.is_observable(model)).collect();
        Course { steps, done: 0, shaken: false, guess: false }
    }

    pub(crate) fn of(model: &Model, solved: impl IntoIterator<Item = (Step, Vec<Value>)>) -> Course {
        Course::new(model, solved.into_iter().map(|(step, values)| (step, Some(values))))
    }

    /// What comes next.
    pub fn ahead(&self, model: &Model) -> Ahead {
        let Some((step, values)) = self.steps.get(self.done) else { return Ahead::End };
        match gate_of(model, *step) {
            Some(gate) if !step.is_own(model) => Ahead::Input(gate, values.clone().unwrap_or_default()),
            _ => Ahead::Own,
        }
    }

    /// Something was observed or sent; `None` for silence. Says whether the course has it next, be it with other values.
    pub fn advance(&mut self, model: &Model, event: Option<(GateId, &[Value])>) -> bool {
        let Some((step, values)) = self.steps.get(self.done) else { return false };
        self.done += 1;
        match event {
            None => step.is_silence(),
            Some((gate, args)) => {
                self.shaken |= values.as_ref().is_some_and(|v| v != args);
                gate_of(model, *step) == Some(gate)
            }
        }
    }

    /// The values that are left.
    pub fn left(&self) -> impl Iterator<Item = Option<&[Value]>> + Clone {
        self.steps[self.done.min(self.steps.len())..].iter().map(|(_, values)| values.as_deref())
    }
}

/// The gate of a step.
pub fn gate_of(model: &Model, step: Step) -> Option<GateId> {
    match step {
        Step::Switch(s) => match model.switches[s].label {
            sioco_model::model::Label::Gate(gate) => Some(gate),
            _ => None,
        },
        _ => None,
    }
}

/// Finds values for legs from a state, where borders are chosen, another one for each turn; where there are patterns, with equal and different values as they say, as far as
/// that is possible.
pub fn solve(
    walker: &mut Walker<'_>,
    state: &State,
    legs: &[&Leg],
    (choice, turn): (Choice, u64),
    random: &mut Random,
    patterns: Option<&Patterns>,
) -> Result<Course, NoCourse> {
    if let Some(patterns) = patterns
        && let Some(course) = solve_with(walker, state, legs, random, patterns)
    {
        return Ok(course);
    }
    solve_plainly(walker, state, legs, (choice, turn), random)
}

/// Values with equal and different ones as patterns say; nothing if the legs do not allow that.
fn solve_with(
    walker: &mut Walker<'_>,
    state: &State,
    legs: &[&Leg],
    random: &mut Random,
    patterns: &Patterns,
) -> Option<Course> {
    let model = walker.path.model();
    let mut sent: Vec<GateId> = Vec::new();
    let mut any = false;
    walker.start_at(state);
    for leg in legs {
        if walker.take(leg) != Possible::Yes {
            return None;
        }
        let Some(gate) = gate_of(model, leg.step).filter(|_| !leg.step.is_own(model)) else { continue };
        let before = sent.iter().filter(|g| **g == gate).count();
        sent.push(gate);
        let Some(pair) = patterns.pair(gate, before) else { continue };
        let args = walker.path.args(walker.path.len() - 1).to_vec();
        let condition = walker.path.build(|pool, sorts| {
            let mut all = Vec::new();
            for &(i, j) in patterns.pairs(gate) {
                let same = pool.eq(sorts, args[i], args[j]);
                all.push(if (i, j) == pair { same } else { pool.not(sorts, same) });
            }
            pool.and(sorts, &all)
        });
        if walker.path.may_hold(condition) == Possible::Yes {
            walker.path.assume(condition);
            any = true;
        }
    }
    if !any {
        return None;
    }
    let solved = walker.path.solve_with(Choice::Random(random.bits())).ok()?;
    Some(Course::of(model, solved.steps))
}

fn solve_plainly(
    walker: &mut Walker<'_>,
    state: &State,
    legs: &[&Leg],
    (choice, turn): (Choice, u64),
    random: &mut Random,
) -> Result<Course, NoCourse> {
    walker.start_at(state);
    let mut open: Option<Reason> = None;
    for leg in legs {
        match walker.take(leg) {
            Possible::Yes => {}
            Possible::No => return Err(NoCourse::Impossible),
            Possible::Unknown(reason) => open = open.or(Some(reason)),
        }
    }
    if open.is_none() {
        match walker.path.solve_in_turn(choice.anew(random), turn) {
            Ok(solved) => return Ok(Course::of(walker.path.model(), solved.steps)),
            Err(NoValues::Impossible) => return Err(NoCourse::Impossible),
            Err(NoValues::Unknown(reason)) => open = Some(reason),
        }
    }
    let reason = open.expect("the way out above was not taken");
    guess(walker, state, legs, choice.anew(random)).ok_or(NoCourse::Unknown(reason))
}

/// Values for the guard of the next step alone, if the rest may still be possible with them (S0 lines 12 to 20). Nothing
/// if there are none.
fn guess(walker: &mut Walker<'_>, state: &State, legs: &[&Leg], choice: Choice) -> Option<Course> {
    let model = walker.path.model();
    let seen = legs.iter().position(|l| l.step.is_observable(model))?;
    walker.start_at(state);
    for leg in &legs[..=seen] {
        if walker.take(leg) == Possible::No {
            return None;
        }
    }
    let solved = walker.path.solve_with(choice).ok()?;
    // With these values, is the rest impossible? (Line 15.) Put in, they may leave nothing to ask.
    let mut next = state.clone();
    let mut interpreter = Interpreter::new(model);
    let concrete = legs[..=seen].iter().zip(&solved.steps).all(|(leg, (_, values))| {
        let mut switches = leg.step.switches();
        switches.all(|s| interpreter.take(&mut next, s, values).is_ok()) && leg.wants.is_empty()
    });
    if concrete {
        walker.start_at(&next);
    } else {
        let args = walker.path.args(seen).to_vec();
        let same = walker.path.have_values(&args, &solved.steps[seen].1);
        if walker.path.assume(same) == Possible::No {
            return None;
        }
    }
    for leg in &legs[seen + 1..] {
        if walker.take(leg) == Possible::No {
            return None;
        }
    }
    Some(Course { guess: true, ..Course::of(model, solved.steps) })
}

/// Goes along legs from a state with values that were found before, for each step that can be observed, as long as there
/// are any (S1 section 3.2.2, cases 1 and 3). This takes no solver: what the system computes is computed, and where it
/// chooses, the choice that was foreseen is expected. Nothing if the values do not lead there, or if that cannot be told.
pub fn along<'v>(
    interpreter: &mut Interpreter<'_>,
    state: &State,
    legs: &[&Leg],
    mut foreseen: impl Iterator<Item = Option<&'v [Value]>>,
) -> Option<Course> {
    let model = interpreter.model();
    let mut state = state.clone();
    let mut steps = Vec::new();
    let mut blind = false;
    for leg in legs {
        if leg.step.is_silence() {
            steps.push((leg.step, None));
            foreseen.next();
            continue;
        }
        let Step::Switch(switch) = leg.step else { return None };
        let wanted = leg.values();
        if leg.wants.len() > usize::from(wanted.is_some()) {
            return None;
        }
        let seen = leg.step.is_observable(model);
        let free = model.switches[switch].params.iter().filter(|p| p.term.is_none()).count();
        let values = if seen { foreseen.next().flatten() } else { None };
        let values = wanted.or(values);
        // From here on it depends on a choice that nobody foresaw.
        blind |= values.is_none() && free > 0;
        if blind {
            if !leg.step.is_own(model) {
                return None;
            }
            steps.extend(seen.then_some((leg.step, None)));
            continue;
        }
        let params = model.switches[switch].params.iter().zip(values.unwrap_or_default());
        let chosen: Vec<Value> = params.filter(|(p, _)| p.term.is_none()).map(|(_, v)| v.clone()).collect();
        let args = interpreter.complete(&state, switch, &chosen).ok()?;
        if wanted.is_some_and(|values| values != args) || !interpreter.fire(&mut state, switch, &args).ok()? {
            return None;
        }
        steps.extend(seen.then_some((leg.step, Some(args))));
    }
    Some(Course::new(model, steps))
}

/// The same where the state is not known, or where legs speak of what happened before: from the initial state on, with
/// the legs that were taken and what was observed of them.
pub fn solve_after(
    walker: &mut Walker<'_>,
    before: &[&Leg],
    trace: &[Option<GateValue>],
    legs: &[&Leg],
    (choice, turn): (Choice, u64),
    random: &mut Random,
) -> Result<Course, NoCourse> {
    let model = walker.path.model();
    walker.start();
    let mut seen = trace.iter();
    let mut open: Option<Reason> = None;
    for leg in before {
        if walker.take(leg) == Possible::No {
            return Err(NoCourse::Impossible);
        }
        if !leg.step.is_observable(model) || leg.step.is_silence() {
            continue;
        }
        // Silence that no leg has changes nothing.
        let Some(event) = seen.by_ref().flatten().next() else { return Err(NoCourse::Impossible) };
        let args = walker.path.args(walker.path.len() - 1).to_vec();
        let same = walker.path.have_values(&args, &event.args);
        match walker.path.assume(same) {
            Possible::No => return Err(NoCourse::Impossible),
            Possible::Yes => {}
            Possible::Unknown(reason) => open = Some(reason),
        }
    }
    let done = walker.path.len();
    for leg in legs {
        match walker.take(leg) {
            Possible::Yes => {}
            Possible::No => return Err(NoCourse::Impossible),
            Possible::Unknown(reason) => open = open.or(Some(reason)),
        }
    }
    match walker.path.solve_in_turn(choice.anew(random), turn) {
        Ok(solved) => Ok(Course { guess: open.is_some(), ..Course::of(model, solved.steps.into_iter().skip(done)) }),
        Err(NoValues::Impossible) => Err(NoCourse::Impossible),
        Err(NoValues::Unknown(reason)) => Err(NoCourse::Unknown(reason)),
    }
}
