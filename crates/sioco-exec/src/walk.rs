//! Walks: what to do next where no purpose says so.
//!
//! A random walk takes any input with any values. A guided one favours what was done least: pairs of switches in a row
//! that are new, found by a [search](crate::seek) where none is next; the same input again and again, since counters
//! hide faults; and silence where it was never waited for.

use rustc_hash::FxHashMap;
use sioco_model::model::{Direction, Label, Model};
use sioco_model::{Id, LocationId, SwitchId, Value};
use sioco_plan::walker::Walker;
use sioco_solve::values::Random;

use crate::belief::Place;
use crate::course::{Ahead, Course};
use crate::event::GateValue;
use crate::inputs::{Inputs, Taste};
use crate::referee::Referee;
use crate::seek::{Pairs, seek};

/// What to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// Send an input.
    Send(GateValue),
    /// Wait for what the system does, or for silence.
    Wait,
    /// Nothing can be done any more.
    Stuck,
}

/// How likely a walk waits for silence where nothing else may come: once in so many.
const SILENCE: u64 = 16;
/// How likely the same input is sent several times in a row: once in so many.
const PERSIST: u64 = 4;
/// How often at most.
const REPEATS: u64 = 12;

/// See the [module](self).
#[derive(Debug, Default)]
pub struct Walks {
    /// How often pairs of switches were taken.
    pub pairs: Pairs,
    /// How often each switch was taken.
    counts: Vec<u32>,
    /// How often pairs and switches were tried: where several hypotheses are left, it is not known what was taken, and
    /// what can never be known to be taken must not come first for ever.
    tried: Pairs,
    tries: Vec<u32>,
    /// How often silence was waited for, by location of the first process.
    silences: FxHashMap<LocationId, u32>,
    /// A way to something new.
    course: Option<Course>,
    /// An input that is sent again, and how often.
    again: Option<(SwitchId, u64)>,
    /// Whether the last search found nothing, and how many pairs were known then.
    barren: Option<usize>,
}

impl Walks {
    /// For a model.
    pub fn new(model: &Model) -> Walks {
        Walks { counts: vec![0; model.switches.len()], tries: vec![0; model.switches.len()], ..Walks::default() }
    }

    /// A run begins.
    pub fn start(&mut self) {
        self.course = None;
        self.again = None;
    }

    /// A switch was taken after another one, as far as that is known.
    pub fn took(&mut self, last: Option<SwitchId>, switch: SwitchId) {
        *self.pairs.entry((last, switch)).or_default() += 1;
        self.counts[switch.index()] += 1;
    }

    /// Something was sent or observed; `None` for silence.
    pub fn happened(&mut self, model: &Model, event: Option<&GateValue>) {
        let event = event.map(|e| (e.gate, &e.args[..]));
        if self.course.as_mut().is_some_and(|c| !c.advance(model, event)) {
            self.course = None;
        }
    }

    /// What a walk does next.
    #[allow(clippy::too_many_arguments)]
    pub fn next(
        &mut self,
        referee: &mut Referee<'_>,
        walker: &mut Walker<'_>,
        inputs: &mut Inputs,
        random: &mut Random,
        guided: bool,
        fair: bool,
    ) -> Move {
        let model = referee.model();
        let may_act = referee.may_act();
        if may_act && fair {
            return Move::Wait;
        }
        let mut candidates = candidates(referee);
        if candidates.is_empty() {
            return if may_act || !referee.is_quiet() { Move::Wait } else { Move::Stuck };
        }
        if may_act && random.below(2) == 0 {
            return Move::Wait;
        }
        if !may_act && !referee.is_quiet() && self.wants_silence(referee, random, guided) {
            return Move::Wait;
        }
        if guided && let Some(m) = self.follow_course(model) {
            return m;
        }
        let taste = if guided { Taste::Keen } else { Taste::Plain };
        if guided {
            self.order(referee, &mut candidates, random);
            if self.is_stale(referee, &candidates)
                && let Some(state) = only_state(referee)
                && self.barren != Some(self.pairs.len())
            {
                let last = referee.belief().hypotheses().next().and_then(|h| h.last);
                self.course = seek(walker, &state, last, &self.pairs, random);
                if self.course.is_none() && random.below(8) == 0 {
                    self.barren = Some(self.pairs.len());
                }
                if let Some(m) = self.follow_course(model) {
                    return m;
                }
            }
        } else {
            shuffle(&mut candidates, random);
        }
        for (at, switch) in candidates {
            let Some(args) = draw(referee, walker, inputs, at, switch, taste, random) else { continue };
            let Label::Gate(gate) = model.switches[switch].label else { continue };
            if guided && self.again.is_none() && random.below(PERSIST) == 0 {
                self.again = Some((switch, 1 + random.below(REPEATS)));
            }
            let last = referee.belief().hypotheses().nth(at).and_then(|h| h.last);
            *self.tried.entry((last, switch)).or_default() += 1;
            self.tries[switch.index()] += 1;
            return Move::Send(GateValue { gate, args });
        }
        if may_act || !referee.is_quiet() { Move::Wait } else { Move::Stuck }
    }

    /// Whether it is worth waiting for silence.
    fn wants_silence(&mut self, referee: &Referee<'_>, random: &mut Random, guided: bool) -> bool {
        let Some(at) = location(referee) else { return random.below(SILENCE) == 0 };
        let seen = self.silences.entry(at).or_default();
        let wanted = (guided && *seen == 0) || random.below(SILENCE) == 0;
        *seen += u32::from(wanted);
        wanted
    }

    fn follow_course(&mut self, model: &Model) -> Option<Move> {
        match self.course.as_ref()?.ahead(model) {
            Ahead::Input(gate, args) => Some(Move::Send(GateValue { gate, args })),
            Ahead::Own => Some(Move::Wait),
            Ahead::End => {
                self.course = None;
                None
            }
        }
    }

    /// Whether everything that could be sent was sent here before.
    fn is_stale(&self, referee: &Referee<'_>, candidates: &[(usize, SwitchId)]) -> bool {
        let last = |at: usize| referee.belief().hypotheses().nth(at).and_then(|h| h.last);
        candidates.iter().all(|(at, s)| self.pairs.contains_key(&(last(*at), *s)))
    }

    /// Puts what was done least first; the input that is repeated before everything.
    fn order(&mut self, referee: &Referee<'_>, candidates: &mut Vec<(usize, SwitchId)>, random: &mut Random) {
        shuffle(candidates, random);
        if random.below(4) > 0 {
            let lasts: Vec<Option<SwitchId>> = referee.belief().hypotheses().map(|h| h.last).collect();
            candidates.sort_by_key(|(at, s)| {
                let pair = (lasts[*at], *s);
                let often = |of: &Pairs| of.get(&pair).copied().unwrap_or(0);
                let count = self.counts[s.index()].max(self.tries[s.index()]);
                u64::from(often(&self.pairs).max(often(&self.tried))) * 4 + u64::from(count)
            });
        }
        if let Some((switch, left)) = self.again {
            self.again = (left > 1).then(|| (switch, left - 1));
            let model = referee.model();
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

/// The input switches that leave the hypotheses, each once, with the place of the first hypothesis.
fn candidates(referee: &mut Referee<'_>) -> Vec<(usize, SwitchId)> {
    let mut found: Vec<(usize, SwitchId)> = Vec::new();
    let mut open = Vec::new();
    for (at, h) in referee.ready() {
        match &h.place {
            Place::Known(state) => {
                for switch in referee.mind.interpreter.inputs_at(state) {
                    if !found.iter().any(|(_, s)| *s == switch) {
                        found.push((at, switch));
                    }
                }
            }
            Place::Open(trail) => open.push((at, trail.clone())),
        }
    }
    let model = referee.model();
    for (at, trail) in open {
        for switch in referee.mind.tracker().enabled(&trail) {
            if model.direction(switch) == Some(Direction::Input) && !found.iter().any(|(_, s)| *s == switch) {
                found.push((at, switch));
            }
        }
    }
    found
}

/// Values for an input of a hypothesis.
fn draw(
    referee: &mut Referee<'_>,
    walker: &mut Walker<'_>,
    inputs: &mut Inputs,
    at: usize,
    switch: SwitchId,
    taste: Taste,
    random: &mut Random,
) -> Option<Vec<Value>> {
    // The belief is not changed by drawing values.
    let place = referee.belief().hypotheses().nth(at)?.place.clone();
    match place {
        Place::Known(state) => inputs.draw(&mut referee.mind.interpreter, walker, &state, switch, taste, random),
        Place::Open(trail) => referee.mind.tracker().values(&trail, switch, random.bits()),
    }
}

/// The state, if there is only one hypothesis.
fn only_state(referee: &Referee<'_>) -> Option<sioco_model::semantics::State> {
    let mut all = referee.belief().hypotheses();
    let first = all.next()?.state()?.clone();
    all.next().is_none().then_some(first)
}

/// Where the first process is, in the first hypothesis whose state is known.
fn location(referee: &Referee<'_>) -> Option<LocationId> {
    referee.belief().hypotheses().find_map(|h| h.state()?.locations().first().copied())
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for i in (1..list.len()).rev() {
        list.swap(i, random.below(i as u64 + 1) as usize);
    }
}
