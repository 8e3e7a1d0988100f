//! Walks: what to do next where no purpose says so.
//!
//! A random walk takes any input with any values. A guided walk prefers what was done least: new pairs of
//! reactions, found by a [search](crate::seek); the same input many times, since some faults need a counter to run up; and
//! silence where no run has waited for it. An input that ends the walk is rarely sent again.

use rustc_hash::FxHashMap;
use sioco_model::model::{Direction, Label, Model};
use sioco_model::{Id, LocationId, SwitchId, Value};
use sioco_plan::walker::Walker;
use sioco_solve::values::{Choice, Random};

use super::{Chosen, Controller, Situation};
use crate::account::Bits;
use crate::belief::{Hypothesis, HypothesisState};
use crate::course::{Ahead, Course};
use crate::event::GateValue;
use crate::farewell::farewells;
use crate::inputs::{Inputs, Taste};
use crate::position::Position;
use crate::record::Why;
use crate::run::Mode;
use crate::seek::{Had, seek};
use crate::settings::Walks;
use crate::tools::Tools;
use crate::verdict::Cause;

/// What to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Move {
    /// Send an input.
    Send(GateValue),
    /// Wait for what the system does, or for silence.
    Wait,
    /// Nothing can be done any more.
    Stuck,
    /// There is more to be found from the start than here.
    Enough,
}

/// A walk waits for silence, where nothing else may come, once in this many times. Each wait takes the quiescence time,
/// which is far longer than a step; with a smaller chance, outputs that nobody expects are found later.
const SILENCE: u64 = 16;
/// Where the location is not known, a walk waits for silence as if it had done so this often in it: the middle between
/// a new place and a well-known one.
const USUAL_SILENCES: u32 = 8;
/// Values of an input are looked for at no more hypotheses than this: the first few usually allow the same inputs, and
/// each may take a question to a solver.
const PLACES: usize = 8;
/// The same input is sent several times in a row once in this many times: some faults show only after repetitions
/// (counters, buffers); more often, less else would be tried.
const PERSIST: u64 = 4;
/// It is sent at most this often in a row: past the retries and small buffers of most systems, and still a small part
/// of a walk.
const REPEATS: u64 = 12;

/// This many steps before its end, a walk may as well end by an input: such inputs would otherwise be tried
/// [seldom](SELDOM), and now they cost nothing.
const CLOSING: u64 = 3;

/// An input that ends the walk is this many times less likely than others, once it was tried: otherwise most walks
/// would be short.
const SELDOM: u64 = 10;

/// A search that finds nothing is the last one, until something new was had, once in this many times: four searches on
/// average. To give up after the first would miss what only other values lead to; never to give up would search at
/// every step.
const SEEK: u64 = 4;

/// What a guided walk is after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Style {
    /// Reactions in a row that are new.
    #[default]
    Seek,
    /// The same input several times in a row.
    Persist,
    /// What was tried least.
    Free,
}

/// See the [module](self).
#[derive(Debug, Default)]
pub struct WalkController {
    style: Style,
    /// How often reactions were had in a row.
    had: Had,
    /// How often pairs and switches were tried: where several hypotheses are left, it is not known what was taken, and
    /// what can never be known to be taken must not come first for ever.
    tried: FxHashMap<(u64, SwitchId), u32>,
    tries: Vec<u32>,
    /// The inputs that end a walk.
    farewells: Bits,
    /// Whether the walk is about to end anyway.
    closing: bool,
    /// How often silence was waited for, by location of the first process.
    silences: FxHashMap<LocationId, u32>,
    /// Whether nobody announces silence: then each wait for it takes time that many inputs could be sent in.
    slow: bool,
    /// A way to something new.
    course: Option<Course>,
    /// An input that is sent again, and how often.
    again: Option<(SwitchId, u64)>,
    /// How many reactions in a row were known when a search found nothing, by where it began.
    barren: FxHashMap<Box<[LocationId]>, usize>,
    /// Room for candidates and for the places of one, used again.
    room: (Vec<Candidate>, Vec<usize>),
}

/// An input switch, with the place of the first hypothesis that it leaves.
type Candidate = (usize, SwitchId);

impl Controller<Situation<'_, '_>> for WalkController {
    fn start(&mut self, at: &mut Situation<'_, '_>) {
        self.style = match at.tools.random.below(4) {
            0..=1 => Style::Seek,
            2 => Style::Persist,
            _ => Style::Free,
        };
        self.course = None;
        self.again = None;
    }

    fn select(&mut self, at: &mut Situation<'_, '_>) -> Option<Chosen> {
        if at.run.mode != Mode::Walk {
            return None;
        }
        if at.run.steps >= at.run.walk_end {
            // What the last input led to is seen only if somebody looks.
            return Some(if at.run.owed { Chosen::Wait } else { Chosen::End(Cause::Reached) });
        }
        self.closing = at.run.steps + CLOSING >= at.run.walk_end;
        Some(match self.next(at) {
            Move::Send(input) => Chosen::Send(input, Why::Walk),
            Move::Wait => Chosen::Wait,
            Move::Enough => Chosen::End(Cause::Reached),
            Move::Stuck => {
                at.look_for_deadlock();
                Chosen::End(Cause::Reached)
            }
        })
    }

    fn update(&mut self, at: &mut Situation<'_, '_>, event: Option<&GateValue>) {
        let event = event.map(|e| (e.gate, &e.args[..]));
        if self.course.as_mut().is_some_and(|c| !c.advance(at.position.model(), event)) {
            self.course = None;
        }
    }
}

impl WalkController {
    /// For a model.
    pub fn new(model: &Model) -> WalkController {
        WalkController {
            tries: vec![0; model.switches.len()],
            farewells: farewells(model),
            ..WalkController::default()
        }
    }

    /// Somebody had to wait for silence.
    pub fn silence_takes_time(&mut self) {
        self.slow = true;
    }

    /// Whatever a walk was after is given up.
    pub fn lose_course(&mut self) {
        self.course = None;
    }

    /// A reaction is over: something else is sent.
    pub fn ended(&mut self, position: &Position<'_>) {
        if let Some(h) = settled(position) {
            *self.had.entry(h.reactions).or_default() += 1;
        }
    }

    /// What a walk does next.
    fn next(&mut self, at: &mut Situation<'_, '_>) -> Move {
        let mut room = std::mem::take(&mut self.room);
        let next = self.choose(at, &mut room);
        self.room = room;
        next
    }

    fn choose(&mut self, at: &mut Situation<'_, '_>, (candidates, places): &mut (Vec<Candidate>, Vec<usize>)) -> Move {
        let (guided, choice, fair) = (at.settings.walks == Walks::Guided, at.settings.values, at.is_fair());
        let Situation { position, tools: Tools { walker, inputs, random, .. }, .. } = at;
        let model = position.model();
        let may_act = position.may_act();
        if may_act && fair {
            return Move::Wait;
        }
        find_candidates(position, candidates);
        if candidates.is_empty() {
            return if may_act || !position.is_quiet() { Move::Wait } else { Move::Stuck };
        }
        if may_act && random.below(2) == 0 {
            return Move::Wait;
        }
        if !may_act && !position.is_quiet() && self.wants_silence(position, random, guided) {
            return Move::Wait;
        }
        if guided && let Some(m) = self.follow_course(position) {
            return m;
        }
        let taste = if guided { Taste::Keen } else { Taste::Plain };
        if guided {
            self.order(position, candidates, random);
            if self.style == Style::Seek
                && let Some(h) = settled(position)
                && let Some(state) = h.state()
                && !self.is_barren(state.locations())
            {
                self.course = seek(walker, state, h.reactions, &self.had, choice, random);
                if self.course.is_none() && random.below(SEEK) == 0 {
                    self.barren.insert(state.locations().into(), self.had.len());
                    let start: Vec<LocationId> = model.processes.values().map(|p| p.initial).collect();
                    if !self.is_barren(&start) {
                        return Move::Enough;
                    }
                }
                if let Some(m) = self.follow_course(position) {
                    return m;
                }
            }
        } else {
            shuffle(candidates, random);
            self.put_off(candidates, random);
        }
        for &mut (first, switch) in candidates {
            find_places(position, (first, switch), random, places);
            let drawn = places.iter().find_map(|&at| {
                let args = draw(position, walker, inputs, (at, switch), (choice, taste), random)?;
                Some((at, args))
            });
            let Some((at, args)) = drawn else { continue };
            let Label::Gate(gate) = model.switches[switch].label else { continue };
            let persists = self.style == Style::Persist || !self.barren.is_empty();
            if guided && persists && self.again.is_none() && random.below(PERSIST) == 0 {
                self.again = Some((switch, 1 + random.below(REPEATS)));
            }
            let last = position.belief().hypotheses().nth(at).map_or(0, |h| h.reactions.now);
            *self.tried.entry((last, switch)).or_default() += 1;
            self.tries[switch.index()] += 1;
            return Move::Send(GateValue { gate, args });
        }
        if may_act || !position.is_quiet() { Move::Wait } else { Move::Stuck }
    }

    /// Whether a search from here found nothing, and nothing new was had since.
    fn is_barren(&self, at: &[LocationId]) -> bool {
        self.barren.get(at) == Some(&self.had.len())
    }

    /// Whether it is worth waiting for silence.
    fn wants_silence(&mut self, position: &Position<'_>, random: &mut Random, guided: bool) -> bool {
        let often = |seen: u32| if self.slow { SILENCE * (1 + u64::from(seen)) } else { SILENCE };
        let Some(at) = location(position) else { return random.below(often(USUAL_SILENCES)) == 0 };
        let seen = self.silences.entry(at).or_default();
        let wanted = (guided && *seen == 0) || random.below(often(*seen)) == 0;
        *seen += u32::from(wanted);
        wanted
    }

    fn follow_course(&mut self, position: &mut Position<'_>) -> Option<Move> {
        match self.course.as_ref()?.ahead(position.model()) {
            Ahead::Input(gate, args) => {
                let input = GateValue { gate, args };
                if position.takes(&input) {
                    return Some(Move::Send(input));
                }
                // Silence has ruled out what it was for.
                self.course = None;
                None
            }
            Ahead::Own => Some(Move::Wait),
            Ahead::End => {
                self.course = None;
                None
            }
        }
    }

    /// Puts what would end the walk last, most of the time: what it has shown once it shows each time, and whatever else a
    /// longer walk would find is lost.
    fn put_off(&self, candidates: &mut [Candidate], random: &mut Random) {
        let ends = |(_, s): &Candidate| self.farewells.has(s.index()) && self.tries[s.index()] > 0;
        let some = candidates.iter().filter(|c| ends(c)).count();
        if self.closing || some == 0 || some == candidates.len() {
            return;
        }
        match random.below(SELDOM) {
            0 => shuffle(candidates, random),
            _ => candidates.sort_by_key(ends),
        }
    }

    /// Puts what was done least first; the input that is repeated before everything.
    fn order(&mut self, position: &Position<'_>, candidates: &mut Vec<Candidate>, random: &mut Random) {
        shuffle(candidates, random);
        if random.below(4) > 0 {
            let lasts: Vec<u64> = position.belief().hypotheses().map(|h| h.reactions.now).collect();
            candidates.sort_by_key(|(at, s)| {
                let often = self.tried.get(&(lasts[*at], *s)).copied().unwrap_or(0);
                u64::from(often) * 4 + u64::from(self.tries[s.index()])
            });
        }
        self.put_off(candidates, random);
        if let Some((switch, left)) = self.again {
            self.again = (left > 1).then(|| (switch, left - 1));
            let model = position.model();
            let gate = |s: SwitchId| model.switches[s].label;
            if let Some(i) = candidates.iter().position(|(_, s)| gate(*s) == gate(switch)) {
                let same = candidates.remove(i);
                candidates.insert(0, same);
            } else {
                self.again = None;
            }
        }
    }
}

/// Finds the input switches that leave the hypotheses, each once, with the place of the first hypothesis; see
/// [`find_places`].
fn find_candidates(position: &mut Position<'_>, found: &mut Vec<Candidate>) {
    found.clear();
    let mut open = Vec::new();
    for (at, h) in position.ready() {
        match &h.place {
            HypothesisState::Known(state) => {
                for switch in position.mind.interpreter.inputs_at(state) {
                    if !found.iter().any(|(_, s)| *s == switch) {
                        found.push((at, switch));
                    }
                }
            }
            HypothesisState::Open(trail) => open.push((at, trail.clone())),
        }
    }
    let model = position.model();
    for (at, trail) in open {
        for switch in position.mind.tracker().enabled(&trail) {
            if model.direction(switch) == Some(Direction::Input) && !found.iter().any(|(_, s)| *s == switch) {
                found.push((at, switch));
            }
        }
    }
}

/// Finds the hypotheses that a switch leaves, in any order: what one of them takes, others may not.
fn find_places(position: &Position<'_>, (first, switch): Candidate, random: &mut Random, found: &mut Vec<usize>) {
    let source = position.model().switches[switch].source;
    let stands = |h: &Hypothesis| h.state().is_some_and(|s| s.locations().contains(&source));
    found.clear();
    found.extend(position.ready().filter(|(_, h)| stands(h)).map(|(at, _)| at));
    if !found.contains(&first) {
        found.push(first);
    }
    if found.len() > 1 {
        shuffle(found, random);
        found.truncate(PLACES);
    }
}

/// Values for an input of a hypothesis.
fn draw(
    position: &mut Position<'_>,
    walker: &mut Walker<'_>,
    inputs: &mut Inputs,
    (at, switch): (usize, SwitchId),
    (choice, taste): (Choice, Taste),
    random: &mut Random,
) -> Option<Vec<Value>> {
    let Position { belief, mind, .. } = position;
    match &belief.hypotheses().nth(at)?.place {
        HypothesisState::Known(state) => {
            inputs.draw(&mut mind.interpreter, walker, (state, switch), (choice, taste), random)
        }
        HypothesisState::Open(trail) => {
            let (turn, choice) = (choice.turn(random), choice.anew(random));
            mind.tracker().values(trail, switch, choice, turn)
        }
    }
}

/// The hypothesis that did all it could by itself, if there is only one: the others are on their way there.
fn settled<'a>(position: &'a Position<'_>) -> Option<&'a Hypothesis> {
    let interpreter = &position.mind.interpreter;
    let mut all = position.ready().map(|(_, h)| h);
    let first = all.next()?;
    if all.next().is_none() {
        return Some(first);
    }
    let still = |h: &&Hypothesis| h.state().is_some_and(|s| !interpreter.may_move_alone(s));
    let mut still = position.ready().map(|(_, h)| h).filter(still);
    let found = still.next()?;
    still.next().is_none().then_some(found)
}

/// Where the first process is, in the first hypothesis whose state is known.
fn location(position: &Position<'_>) -> Option<LocationId> {
    position.belief().hypotheses().find_map(|h| h.state()?.locations().first().copied())
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for i in (1..list.len()).rev() {
        list.swap(i, random.below(i as u64 + 1) as usize);
    }
}
