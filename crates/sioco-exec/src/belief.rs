//! The belief: all hypotheses that explain what was observed so far (T-B2; S0: the set C; S3: the set of
//! contexts SC).
//!
//! A hypothesis (T-B1) is a state of the model, where it stands in the purposes, and what it took. As long as
//! everything is determined, states are known and nothing here asks a solver. States that do the same for ever are merged.
//!
//! In the order `sent`, it is not known when the system took an input. Then there is a group of hypotheses for every
//! possible order of the inputs and the observed outputs.

mod closure;
mod narrowed;
mod start;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::model::{Direction, Label, Model};
use sioco_model::semantics::interpreter::{Interpreter, Quiescence, StepError};
use sioco_model::semantics::live::Live;
use sioco_model::semantics::sides::{Seen, Sides};
use sioco_model::semantics::state::State;
use sioco_model::{GateId, Id, LocationId, SwitchId, Value, VarId};
use sioco_solve::{Cancellation, Reason};
use sioco_symbolic::key::Key;
use sioco_symbolic::path::{Path, Possible, Shortcuts, SolverFactory};
use sioco_symbolic::step::Step;

use crate::account::{Account, Bits};
use crate::event::GateValue;
use crate::explanation::Narrowed;
use crate::reaction::Reactions;
use crate::suite::{self, Mark, Suite, Taken};
use crate::symbolic_hypothesis::{Breaks, Tracker, Trail};

/// At most this many orders of inputs and outputs are followed at once. Each input that is under way may multiply them;
/// with more, runs are cut and nothing rests on them (T-V7), while each order costs a belief of its own.
const GROUPS: usize = 64;
/// At most this many hypotheses without a known state are followed at once. Measured on a model with an unbounded
/// variable and three internal ways after each input: 60 steps take 0.06 s of computing with half as many, 0.08 s with
/// this, and 0.21 s with twice as many. No run of the examples has that many.
const OPEN_HYPOTHESES: usize = 256;

/// Where a hypothesis is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HypothesisState {
    /// In a state.
    Known(State),
    /// In one of many.
    Open(Trail),
}

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hypothesis {
    /// Where it is.
    pub place: HypothesisState,
    /// Where it stands in the purposes.
    pub marks: Vec<Mark>,
    /// What it has taken.
    pub account: Account,
    /// What it had taken when something was observed last: internal steps since then may not have happened yet.
    pub settled: Account,
    /// What it did last, on one of the ways that were merged into it.
    pub reactions: Reactions,
    /// The question that was left open, if it is only perhaps a hypothesis.
    pub doubt: Option<Doubt>,
    /// Whether it stands for states that differ from its own in variables that do not matter any more.
    pub blurred: bool,
}

/// A question that no solver answered, in words. What rests on it is inconclusive (T-V8).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doubt(Arc<str>);

impl Doubt {
    /// Whether a switch is enabled.
    fn about(model: &Model, switch: SwitchId, why: &dyn std::fmt::Display) -> Doubt {
        Doubt(format!("it is unknown whether `{}` is enabled: {why}", model.switches[switch].name).into())
    }

    /// Whether the model says anything about an event.
    fn of_event(model: &Model, gate: GateId, args: &[Value]) -> Doubt {
        let event = GateValue { gate, args: args.to_vec() };
        Doubt(format!("the model may be undefined for `{}`", event.show(model)).into())
    }

    /// Whether a step of a state that is not known can be taken.
    fn of_step(model: &Model, step: Step, why: &Reason) -> Doubt {
        match step.switches().next() {
            Some(switch) => Doubt::about(model, switch, why),
            None => Doubt(format!("it is unknown whether quiescence is allowed: {why}").into()),
        }
    }
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Hypothesis {
    /// The state, if it is known.
    pub fn state(&self) -> Option<&State> {
        match &self.place {
            HypothesisState::Known(state) => Some(state),
            HypothesisState::Open(_) => None,
        }
    }

    /// Another way to the same place, up to what does not matter any more (T-B4); says whether it changes anything.
    fn merge(&mut self, other: &Hypothesis) -> bool {
        let mut changed = self.account.merge(&other.account);
        changed |= self.settled.merge(&other.settled);
        changed |= suite::merge(&mut self.marks, &other.marks);
        let blurred = self.blurred || other.blurred || self.state() != other.state();
        changed |= blurred && !self.blurred;
        self.blurred = blurred;
        if self.doubt.is_some() && other.doubt.is_none() {
            // The way that is only perhaps possible may be none, and nothing can follow it then.
            self.place = other.place.clone();
            self.doubt = None;
            changed = true;
        }
        changed
    }
}

/// A step of a hypothesis, and where it leads.
struct Move<'a> {
    step: Step,
    args: &'a [Value],
    /// The state before it, if that is known.
    before: Option<&'a State>,
    place: HypothesisState,
    /// The question that was left open, if the step is only perhaps possible.
    doubt: Option<Doubt>,
}

/// Hypotheses that agree on when the inputs were taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// How many of the inputs that were sent are taken.
    pub taken: usize,
    /// The hypotheses, never none.
    pub hypotheses: Vec<Hypothesis>,
}

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Belief {
    /// The groups; just one unless inputs may be under way.
    pub groups: Vec<Group>,
    /// Whether hypotheses were left out: nothing that no other explains is a failure.
    pub cut: bool,
    /// Whether the system may have taken an input where the model does not say what happens then: nothing that follows
    /// is a failure.
    pub crossed: bool,
    /// Why it may have taken an input that the model does not specify: no hypothesis surely takes it, or the model may be
    /// undefined for it. What follows is a failure only if the answer to this question is the right one (T-V8).
    pub unsure: Option<Doubt>,
    /// What was sent and seen, where values of free variables stand for others.
    pub seen: Seen,
}

impl Belief {
    /// All hypotheses.
    pub fn hypotheses(&self) -> impl Iterator<Item = &Hypothesis> + '_ {
        self.groups.iter().flat_map(|g| &g.hypotheses)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|g| g.hypotheses.len()).sum()
    }

    /// Whether nothing explains what was observed.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The question that everything rests on: no hypothesis is certain.
    pub fn doubt(&self) -> Option<&Doubt> {
        doubt(self.hypotheses())
    }

    /// Whether all hypotheses are only perhaps some.
    pub fn is_doubtful(&self) -> bool {
        self.doubt().is_some()
    }

    /// The switches that every hypothesis surely took, and those that one possibly took. Where no hypothesis is certain,
    /// nothing was surely taken.
    pub fn account(&self, switches: usize) -> (Bits, Bits) {
        let mut all = self.hypotheses();
        let Some(first) = all.next() else { return (Bits::new(switches), Bits::new(switches)) };
        let (mut surely, mut possibly) = (first.settled.surely().clone(), first.account.possibly().clone());
        for h in all {
            surely.intersect(h.settled.surely());
            possibly.unite(h.account.possibly());
        }
        match self.is_doubtful() {
            true => (Bits::new(switches), possibly),
            false => (surely, possibly),
        }
    }
}

/// The question that all of these rest on, if none is certain.
fn doubt<'h>(hypotheses: impl IntoIterator<Item = &'h Hypothesis>) -> Option<&'h Doubt> {
    let mut doubts = hypotheses.into_iter().map(|h| h.doubt.as_ref());
    let first = doubts.next()??;
    doubts.all(|d| d.is_some()).then_some(first)
}

/// What changes a belief.
pub struct Mind<'m> {
    model: &'m Model,
    /// Steps through known states.
    pub interpreter: Interpreter<'m>,
    solvers: SolverFactory<'m>,
    tracker: Option<Box<Tracker<'m>>>,
    /// How many hypotheses are followed in a group.
    limit: usize,
    /// Comes when everything has to end: closures are cut then.
    pub end: Cancellation,
    /// Questions that were left open.
    pub unknown: u64,
    /// An event for which the model may be undefined, in a hypothesis without a known state: symbolic steps leave out
    /// what is undefined, where a known state is a model error.
    undefined: Option<Doubt>,
    /// Whether each hypothesis before an event took no step with it.
    ended: Vec<bool>,
    /// What the last input ended, if only some hypotheses took it.
    narrowed: Option<Narrowed>,
    enabled: Vec<SwitchId>,
    unsure: Vec<(SwitchId, String)>,
    marks: Vec<Mark>,
    /// Where every run begins, with marks for all purposes, if nothing is open there.
    first: Option<Belief>,
    /// Free variables whose values stand for others.
    sides: Vec<Sides>,
    /// Which variables matter, for purposes that read these.
    live: Option<(FxHashSet<VarId>, Arc<Live>)>,
}

impl<'m> Mind<'m> {
    /// For a model.
    pub fn new(model: &'m Model, interpreter: Interpreter<'m>, solvers: SolverFactory<'m>, limit: usize) -> Self {
        Mind {
            model,
            interpreter,
            solvers,
            tracker: None,
            limit,
            end: Cancellation::default(),
            unknown: 0,
            undefined: None,
            ended: Vec::new(),
            narrowed: None,
            enabled: Vec::new(),
            unsure: Vec::new(),
            marks: Vec::new(),
            first: None,
            sides: Vec::new(),
            live: None,
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Which variables matter, those that purposes read included.
    pub(crate) fn live(&mut self, suite: &Suite) -> Arc<Live> {
        match &self.live {
            Some((beside, live)) if beside == suite.read() => live.clone(),
            _ => {
                let live = Arc::new(Live::beside(self.model, &|var| suite.reads(var)));
                self.live = Some((suite.read().clone(), live.clone()));
                live
            }
        }
    }

    /// Follows hypotheses without a known state.
    pub fn tracker(&mut self) -> &mut Tracker<'m> {
        let (model, solvers) = (self.model, self.solvers);
        self.tracker.get_or_insert_with(|| {
            let path = Path::with(model, solvers, Shortcuts::default(), sioco_solve::Limits::default());
            Box::new(Tracker::new(path))
        })
    }

    /// The belief at the start of a run.
    pub fn start(&mut self, suite: &Suite) -> Result<Belief, StepError> {
        if let Some(first) = &self.first {
            let mut belief = first.clone();
            if suite.start().is_empty() {
                belief.groups.iter_mut().flat_map(|g| &mut g.hypotheses).for_each(|h| h.marks.clear());
            }
            return Ok(belief);
        }
        let places = self.initial_places(suite);
        // A variable that does not matter has some value, which tells nothing.
        let live = self.live(suite);
        let at: Vec<LocationId> = self.model.processes.values().map(|p| p.initial).collect();
        let blurred = self.model.free_variables().any(|var| !at.iter().any(|l| live.at(*l).contains(&var)));
        let account = Account::new(self.model.switches.len());
        let first = |place| Hypothesis {
            place,
            marks: suite.start(),
            account: account.clone(),
            settled: account.clone(),
            reactions: Reactions::default(),
            doubt: None,
            blurred,
        };
        let mut cut = false;
        self.undefined = None;
        let hypotheses = self.close(suite, places.into_iter().map(first).collect(), &mut cut)?;
        let belief = Belief {
            groups: vec![Group { taken: 0, hypotheses }],
            cut,
            crossed: false,
            unsure: self.undefined.take(),
            seen: Seen::default(),
        };
        // A mark that leads nowhere any more does no harm, but one that is missing would.
        if suite.is_all_open() && belief.hypotheses().all(|h| h.state().is_some()) {
            self.first = Some(belief.clone());
        }
        Ok(belief)
    }

    /// The one step that most runs are made of: one hypothesis, one switch, nothing internal. Says whether that was so;
    /// otherwise nothing was changed.
    #[inline]
    fn single(&mut self, suite: &Suite, belief: &mut Belief, event: &GateValue) -> Result<bool, StepError> {
        let [group] = &mut belief.groups[..] else { return Ok(false) };
        let [h] = &mut group.hypotheses[..] else { return Ok(false) };
        let HypothesisState::Known(state) = &mut h.place else { return Ok(false) };
        self.enabled.clear();
        self.unsure.clear();
        let (enabled, unsure) = (&mut self.enabled, &mut self.unsure);
        self.interpreter.enabled_switches(state, event.gate, &event.args, enabled, unsure)?;
        let ([switch], true) = (&self.enabled[..], self.unsure.is_empty()) else { return Ok(false) };
        let switch = *switch;
        let target = self.model.switches[switch].target;
        if self.model.locations[target]
            .outgoing
            .iter()
            .any(|s| matches!(self.model.switches[*s].label, Label::Internal | Label::Send(_)))
            || state.locations().len() > 1
        {
            return Ok(false);
        }
        if h.marks.is_empty() {
            self.interpreter.take(state, switch, &event.args)?;
        } else {
            let before = state.clone();
            self.interpreter.take(state, switch, &event.args)?;
            self.marks.clear();
            let taken = Taken {
                step: Step::Switch(switch),
                internal: false,
                args: &event.args,
                before: Some(&before),
                after: Some(state),
            };
            suite.follow(self.model, &h.marks, taken, &mut self.marks);
            std::mem::swap(&mut h.marks, &mut self.marks);
        }
        h.account.take(switch.index());
        h.settled = h.account.clone();
        h.reactions = h.reactions.take(self.model, switch);
        Ok(true)
    }

    /// The belief after an input that was taken, or an output (T-B3). `false` if nothing explains it; the belief
    /// is then as before.
    pub fn step(&mut self, suite: &Suite, belief: &mut Belief, event: &GateValue) -> Result<bool, StepError> {
        self.tell_apart(belief, event);
        if self.single(suite, belief, event)? {
            return Ok(true);
        }
        // Where somebody else broke off, it may be left over.
        self.undefined = None;
        self.ended.clear();
        let mut groups: Vec<Group> = Vec::new();
        let mut cut = belief.cut;
        for group in &belief.groups {
            let hypotheses = self.next(suite, &group.hypotheses, event, &mut cut)?;
            if !hypotheses.is_empty() {
                self.add_group(suite, &mut groups, Group { taken: group.taken, hypotheses });
            }
        }
        belief.cut = cut;
        belief.unsure = belief.unsure.take().or(self.undefined.take());
        if groups.is_empty() {
            return Ok(false);
        }
        let before = std::mem::replace(&mut belief.groups, groups);
        if self.model.gates[event.gate].direction == Direction::Input && self.ended.contains(&true) {
            self.narrowed = self.narrowed(&before, &self.ended, &belief.seen, event);
        }
        Ok(true)
    }

    /// What the last input ended that was [taken](Self::take), if only some hypotheses took it.
    pub fn last_narrowed(&mut self) -> Option<Narrowed> {
        self.narrowed.take()
    }

    /// The belief after an input that was taken; see [`step`](Self::step).
    pub fn take(&mut self, suite: &Suite, belief: &mut Belief, input: &GateValue) -> Result<bool, StepError> {
        self.narrowed = None;
        let taken = self.step(suite, belief, input)?;
        let doubt = belief.doubt().cloned();
        belief.unsure = belief.unsure.take().or(doubt);
        Ok(taken)
    }

    /// An input was sent: it may be taken now or between the outputs that follow. `queue` are all inputs that were sent,
    /// with this one.
    pub fn sent(&mut self, suite: &Suite, belief: &mut Belief, queue: &[GateValue]) -> Result<(), StepError> {
        if let Some(input) = queue.last() {
            self.tell_apart(belief, input);
        }
        // Where inputs before it are not taken yet, those that take them now are among the groups since these were sent.
        self.take_queued(suite, belief, queue, queue.len().saturating_sub(1))
    }

    /// An output was observed while inputs may be under way.
    pub fn overtaken(
        &mut self,
        suite: &Suite,
        belief: &mut Belief,
        queue: &[GateValue],
        event: &GateValue,
    ) -> Result<bool, StepError> {
        if !self.step(suite, belief, event)? {
            return Ok(false);
        }
        self.take_queued(suite, belief, queue, 0)?;
        Ok(true)
    }

    /// Adds, for every group that has not taken all inputs but at least so many, the one that takes the next of them now.
    fn take_queued(
        &mut self,
        suite: &Suite,
        belief: &mut Belief,
        queue: &[GateValue],
        least: usize,
    ) -> Result<(), StepError> {
        let mut at = 0;
        self.undefined = None;
        while at < belief.groups.len() {
            let taken = belief.groups[at].taken;
            if let Some(input) = queue.get(taken).filter(|_| taken >= least) {
                let mut cut = belief.cut;
                self.ended.clear();
                let hypotheses = self.next(suite, &belief.groups[at].hypotheses, input, &mut cut)?;
                belief.cut = cut;
                let doubt = doubt(&hypotheses).cloned().or(self.undefined.take());
                belief.unsure = belief.unsure.take().or(doubt);
                if hypotheses.is_empty() {
                    belief.crossed = true;
                } else if belief.groups.len() < GROUPS && !too_open(belief) {
                    self.add_group(suite, &mut belief.groups, Group { taken: taken + 1, hypotheses });
                } else {
                    belief.cut = true;
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// The belief after silence: all inputs were taken. `false` if nothing explains it; the belief is then as before.
    pub fn delta(&mut self, suite: &Suite, belief: &mut Belief, sent: usize) -> Result<bool, StepError> {
        let mut groups: Vec<Group> = Vec::new();
        let mut cut = belief.cut;
        for group in belief.groups.iter().filter(|g| g.taken == sent) {
            let hypotheses = self.next_after_delta(suite, &group.hypotheses, &mut cut)?;
            if !hypotheses.is_empty() {
                self.add_group(suite, &mut groups, Group { taken: group.taken, hypotheses });
            }
        }
        belief.cut = cut;
        if groups.is_empty() {
            return Ok(false);
        }
        belief.groups = groups;
        Ok(true)
    }

    fn silent(&mut self, suite: &Suite, h: &Hypothesis, quiet: &mut Vec<Hypothesis>) -> Result<(), StepError> {
        let after = |suite: &Suite, place: HypothesisState, state: Option<&State>, doubt: Option<Doubt>| {
            // Silence changes nothing, so that what comes after it in a purpose may come all the same.
            let mut marks = h.marks.clone();
            let taken = Taken { step: Step::Delta, internal: false, args: &[], before: state, after: state };
            suite.follow(self.model, &h.marks, taken, &mut marks);
            Hypothesis { place, marks, settled: h.account.clone(), doubt: h.doubt.clone().or(doubt), ..h.clone() }
        };
        match &h.place {
            HypothesisState::Known(state) => match self.interpreter.quiescence(state)? {
                Quiescence::Quiescent | Quiescence::Diverging => {
                    quiet.push(after(suite, h.place.clone(), Some(state), None));
                }
                Quiescence::Active(_) => {}
                Quiescence::Unknown { switch, why } => {
                    // Values that nobody can try one by one may have nothing to do with it.
                    let ways = self.ways_of_silence(&Trail::at(state.clone()))?;
                    if ways.is_empty() {
                        return Ok(());
                    }
                    let open = ways.iter().all(|(_, doubt)| doubt.is_some());
                    self.unknown += u64::from(open);
                    let doubt = open.then(|| Doubt::about(self.model, switch, &why));
                    quiet.push(after(suite, h.place.clone(), Some(state), doubt));
                }
            },
            HypothesisState::Open(trail) => {
                for (step, doubt) in self.ways_of_silence(trail)? {
                    self.unknown += u64::from(doubt.is_some());
                    let place = self.settled(trail.with(step, None));
                    quiet.push(after(suite, place, None, doubt));
                }
            }
        }
        Ok(())
    }

    /// In which ways a state that is not known explains silence. If an output is undefined in one of the states, that is
    /// a model error, as where the state is known (T-M9).
    fn ways_of_silence(&mut self, trail: &Trail) -> Result<Vec<(Step, Option<Doubt>)>, StepError> {
        let model = self.model;
        let ways = self.tracker().silence(trail);
        if ways.is_empty() {
            return Ok(Vec::new());
        }
        let is_output = |step: Step| {
            let gate = |s: SwitchId| match model.switches[s].label {
                Label::Gate(gate) => Some(gate),
                _ => None,
            };
            step.switches().filter_map(gate).any(|g| model.gates[g].direction == Direction::Output)
        };
        let undefined = match self.tracker().breaks(trail, &is_output, None) {
            Breaks::No => None,
            Breaks::Yes(error) => return Err(error),
            Breaks::Unknown => Some(Doubt("the model may be undefined for quiescence".into())),
        };
        let doubt = |(step, reason): (Step, Option<Reason>)| {
            let doubt = reason.map(|why| Doubt::of_step(model, step, &why)).or_else(|| undefined.clone());
            (step, doubt)
        };
        Ok(ways.into_iter().map(doubt).collect())
    }

    /// A trail, or the state if only one is left.
    fn settled(&mut self, trail: Trail) -> HypothesisState {
        match self.tracker().settle(&trail) {
            Some(state) => HypothesisState::Known(state),
            None => HypothesisState::Open(trail),
        }
    }

    /// Where an interaction leads from a hypothesis.
    fn interact(
        &mut self,
        suite: &Suite,
        h: &Hypothesis,
        gate: GateId,
        args: &[Value],
        found: &mut Vec<Hypothesis>,
    ) -> Result<(), StepError> {
        let before = found.len();
        match &h.place {
            HypothesisState::Known(state) => {
                self.enabled.clear();
                self.unsure.clear();
                let (enabled, unsure) = (&mut self.enabled, &mut self.unsure);
                self.interpreter.enabled_switches(state, gate, args, enabled, unsure)?;
                self.unknown += self.unsure.len() as u64;
                let unsure = self.unsure.iter().map(|(s, why)| (*s, Some(Doubt::about(self.model, *s, why))));
                let switches: Vec<(SwitchId, Option<Doubt>)> =
                    self.enabled.iter().map(|s| (*s, None)).chain(unsure).collect();
                for (switch, doubt) in switches {
                    let mut next = state.clone();
                    self.interpreter.take(&mut next, switch, args)?;
                    let step = Step::Switch(switch);
                    let to = Move { step, args, before: Some(state), place: HypothesisState::Known(next), doubt };
                    found.push(self.moved(suite, h, to));
                }
            }
            HypothesisState::Open(trail) => {
                let label = Label::Gate(gate);
                let of_event = |s: Step| s.switches().any(|s| self.model.switches[s].label == label);
                let breaks = self.tracker().breaks(trail, &of_event, Some(args));
                let steps = self.tracker().next(trail, gate, args);
                let mut undefined = None;
                match breaks {
                    Breaks::No => {}
                    Breaks::Yes(error) => return Err(error),
                    Breaks::Unknown => {
                        let of_event = Doubt::of_event(self.model, gate, args);
                        let switches: Vec<SwitchId> = steps.iter().map(|(s, _)| *s).collect();
                        let defined = self.tracker().may_be_defined(trail, &switches, args);
                        undefined = (defined != Possible::Yes).then(|| of_event.clone());
                        self.undefined.get_or_insert(of_event);
                    }
                }
                for (switch, reason) in steps {
                    self.unknown += u64::from(reason.is_some());
                    let step = Step::Switch(switch);
                    let place = self.settled(trail.with(step, Some(args.to_vec())));
                    let doubt = reason.map(|why| Doubt::of_step(self.model, step, &why)).or(undefined.clone());
                    found.push(self.moved(suite, h, Move { step, args, before: None, place, doubt }));
                }
            }
        }
        self.ended.push(found.len() == before);
        Ok(())
    }

    /// A hypothesis after a step.
    fn moved(&self, suite: &Suite, h: &Hypothesis, to: Move<'_>) -> Hypothesis {
        let Move { step, args, before, place, doubt } = to;
        let internal = !step.is_observable(self.model);
        let mut marks = Vec::new();
        if !h.marks.is_empty() {
            let after = match &place {
                HypothesisState::Known(state) => Some(state),
                HypothesisState::Open(_) => None,
            };
            suite.follow(self.model, &h.marks, Taken { step, internal, args, before, after }, &mut marks);
        }
        let mut account = h.account.clone();
        step.switches().for_each(|s| account.take(s.index()));
        let settled = if internal { h.settled.clone() } else { account.clone() };
        let reactions = h.reactions.step(self.model, step);
        Hypothesis { place, marks, account, settled, reactions, doubt: h.doubt.clone().or(doubt), blurred: h.blurred }
    }

    /// Adds a group, unless there is an equal one: what follows is the same for both.
    fn add_group(&mut self, suite: &Suite, groups: &mut Vec<Group>, group: Group) {
        let at = (0..groups.len()).find_map(|at| Some((at, self.matching(suite, &groups[at], &group)?)));
        let Some((at, places)) = at else { return groups.push(group) };
        for (place, h) in places.into_iter().zip(&group.hypotheses) {
            groups[at].hypotheses[place].merge(h);
        }
    }

    /// For each hypothesis of a group the place of the equal one in another; nothing if the groups are not equal.
    fn matching(&mut self, suite: &Suite, known: &Group, group: &Group) -> Option<Vec<usize>> {
        if known.taken != group.taken || known.hypotheses.len() != group.hypotheses.len() {
            return None;
        }
        let live = self.live(suite);
        let mut states: FxHashMap<u64, Vec<(&State, usize)>> = FxHashMap::default();
        let mut keys: FxHashMap<Key, usize> = FxHashMap::default();
        for (at, h) in known.hypotheses.iter().enumerate() {
            match &h.place {
                HypothesisState::Known(state) => states.entry(live.hash(state)).or_default().push((state, at)),
                HypothesisState::Open(trail) => drop(keys.insert(self.tracker().key(trail)?, at)),
            }
        }
        let place = |h: &Hypothesis| match &h.place {
            HypothesisState::Known(state) => {
                let alike = states.get(&live.hash(state))?;
                alike.iter().find(|(known, _)| live.same(known, state)).map(|(_, at)| *at)
            }
            HypothesisState::Open(trail) => keys.get(&self.tracker().key(trail)?).copied(),
        };
        group.hypotheses.iter().map(place).collect()
    }
}

/// Whether there are so many hypotheses without a known state that every event would take long.
fn too_open(belief: &Belief) -> bool {
    belief.hypotheses().filter(|h| h.state().is_none()).count() > OPEN_HYPOTHESES
}
