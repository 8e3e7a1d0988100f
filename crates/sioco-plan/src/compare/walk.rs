//! One path through two models: one input with its whole answer at a time (T-G1; S2 definition 1: an input
//! and an output).

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::model::{Direction, Label};
use sioco_model::semantics::live::Live;
use sioco_model::term::Term;
use sioco_model::{GateId, LocationId, SwitchId, SymbolId, TermId, Value, print};
use sioco_solve::Reason;
use sioco_symbolic::key::Key;
use sioco_symbolic::path::{Path, Possible};
use sioco_symbolic::step::Step;

use super::join::{Joined, Side};

/// An answer that is only perhaps possible may have at most this many steps: each asks a question that was not answered
/// before.
const PERHAPS: usize = 12;

/// All answers to an input may have at most this many steps together: with two ways to go on, there are twice as many
/// answers of each length as of the one before. A comparison that is cut says so.
const TOGETHER: usize = 20_000;

/// Something that is done on the path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    /// A step, with new symbols for what it leaves open.
    Take(Step),
    /// A switch at a gate with arguments that another model had.
    Given(Step, Arc<[TermId]>),
    /// Something is to hold from here on.
    Where(TermId),
}

/// An output on the path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Out {
    pub gate: GateId,
    pub switch: SwitchId,
    pub args: Vec<TermId>,
}

/// Why a walk ends before it is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// Somebody has seen enough.
    Over,
    /// The specification has several states that explain the same outputs: it has to be followed in another way.
    Several,
    /// The answer to an input never ends: the model, and the switches that lead back to the same state.
    Endless(Side, Vec<SwitchId>),
    /// The answer to an input has more steps than it may have: the model, and the last switches, up to where they repeat.
    Long(Side, Vec<SwitchId>),
    /// The answers to an input have more steps together than are followed, and go on: likewise.
    Many(Side, Vec<SwitchId>),
}

/// Where an answer ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// The model waits.
    Waits,
    /// The model has no value for what it should do next: an error of the model.
    Breaks,
}

/// What is done with a path at a place.
pub(crate) type Visit<'v, 'm> = &'v mut dyn FnMut(&mut Walk<'m>, &[Out]) -> Result<(), Halt>;

/// The same, wherever an answer ends.
type VisitEach<'v, 'm> = &'v mut dyn FnMut(&mut Walk<'m>, &[Out], Ends) -> Result<(), Halt>;

/// See the [module](self).
pub(crate) struct Walk<'m> {
    pub joined: &'m Joined,
    pub path: Path<'m>,
    at: Vec<(Move, Option<Reason>)>,
    /// How many steps an answer may have.
    internal: usize,
    /// Why an answer was not followed to its end: a solver left open whether it goes on.
    pub cut: Option<Reason>,
    /// Set from outside when it is enough.
    pub over: &'m (dyn Fn() -> bool + Sync),
}

/// Locations, and the values of all variables with the conditions on them.
type Standing = (Box<[LocationId]>, Vec<TermId>);

impl<'m> Walk<'m> {
    pub fn new(joined: &'m Joined, mut path: Path<'m>, internal: usize, over: &'m (dyn Fn() -> bool + Sync)) -> Self {
        path.record();
        Walk { joined, path, at: Vec::new(), internal, cut: None, over }
    }

    /// Whether a move is possible; if it is not impossible, it is made.
    pub fn make(&mut self, to: Move) -> Possible {
        let answer = match &to {
            Move::Take(step) => match self.path.probe(*step) {
                Possible::No => return Possible::No,
                answer => {
                    self.path.advance(*step);
                    answer
                }
            },
            Move::Given(step, args) => match self.path.probe_given(*step, args) {
                Possible::No => return Possible::No,
                answer => {
                    self.path.advance_given(*step, args);
                    answer
                }
            },
            Move::Where(term) => {
                if self.path.pool().as_const(*term) == Some(&Value::Bool(false)) {
                    return Possible::No;
                }
                self.path.advance(Step::Switch(self.joined.mark));
                match self.path.assume(*term) {
                    Possible::No => {
                        self.path.retreat();
                        return Possible::No;
                    }
                    answer => answer,
                }
            }
        };
        let doubt = match &answer {
            Possible::Unknown(reason) => Some(reason.clone()),
            _ => None,
        };
        self.at.push((to, doubt));
        answer
    }

    /// Takes the last move back.
    pub fn back(&mut self) {
        self.path.retreat();
        self.at.pop();
    }

    /// Takes moves back until there are so many.
    pub fn back_to(&mut self, count: usize) {
        while self.at.len() > count {
            self.back();
        }
    }

    /// How many moves there are.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// The moves after some.
    pub fn since(&self, from: usize) -> Vec<Move> {
        self.at[from..].iter().map(|(m, _)| m.clone()).collect()
    }

    /// Why one of the moves after some is only perhaps possible.
    pub fn doubt_since(&self, from: usize) -> Option<Reason> {
        self.at[from..].iter().find_map(|(_, doubt)| doubt.clone())
    }

    /// Goes where moves lead, over what they have in common with those so far. They were made before.
    pub fn follow(&mut self, moves: &[Move]) {
        let common = self.at.iter().zip(moves).take_while(|((a, _), b)| a == *b).count();
        while self.at.len() > common {
            self.back();
        }
        for m in &moves[common..] {
            match m {
                Move::Take(step) => self.path.advance(*step),
                Move::Given(step, args) => self.path.advance_given(*step, args),
                Move::Where(term) => {
                    self.path.advance(Step::Switch(self.joined.mark));
                    self.path.suppose(*term);
                }
            }
            self.at.push((m.clone(), None));
        }
    }

    /// The steps of a side that leave its locations.
    fn steps(&self, side: Side) -> Vec<Step> {
        let mut steps = Vec::new();
        self.path.outgoing(&mut steps);
        let model = &self.joined.model;
        let of =
            |s: &Step| s.switches().next().is_some_and(|s| self.joined.has_process(side, model.switches[s].process));
        steps.retain(of);
        steps
    }

    /// What a side may do by itself: outputs and internal steps.
    pub fn own(&self, side: Side) -> Vec<Step> {
        let mut steps = self.steps(side);
        steps.retain(|s| s.is_own(&self.joined.model));
        steps
    }

    /// The switches of a side that take an input at a gate.
    pub fn inputs(&self, side: Side, gate: GateId) -> Vec<Step> {
        let mut steps = self.steps(side);
        steps.retain(|s| matches!(s, Step::Switch(s) if self.joined.model.switches[*s].label == Label::Gate(gate)));
        steps
    }

    /// A side leaves the comparison (S2: `err_s`, `err_t`).
    pub fn leave(&mut self, side: Side) {
        for p in self.joined.processes(side) {
            let at = self.path.locations()[p];
            if let Some(switch) = self.joined.lost(side, at) {
                let to = Move::Take(Step::Switch(switch));
                self.path.advance(Step::Switch(switch));
                self.at.push((to, None));
            }
        }
    }

    /// The output that the last move was, if it was one.
    fn out(&self, step: Step) -> Option<Out> {
        let Step::Switch(switch) = step else { return None };
        let Label::Gate(gate) = self.joined.model.switches[switch].label else { return None };
        let args = self.path.args(self.path.len() - 1).to_vec();
        (self.joined.model.gates[gate].direction == Direction::Output).then_some(Out { gate, switch, args })
    }

    /// The arguments of the last move.
    pub fn last_args(&self) -> Arc<[TermId]> {
        self.path.args(self.path.len() - 1).into()
    }

    fn all(&mut self, terms: &[TermId]) -> TermId {
        self.path.build(|pool, sorts| pool.and(sorts, terms))
    }

    /// Lets a side do all it can by itself, in every way that is possible, and visits the places where it waits, each with
    /// the outputs on the way.
    pub fn settle(&mut self, side: Side, outs: &mut Vec<Out>, visit: Visit<'_, 'm>) -> Result<(), Halt> {
        self.settle_in(side, self.at.len(), &mut { TOGETHER }, outs, &mut |walk, outs, ends| match ends {
            Ends::Waits => visit(walk, outs),
            Ends::Breaks => Ok(()),
        })
    }

    /// The same, and visits the places where the side breaks down, too.
    pub fn settle_each(&mut self, side: Side, outs: &mut Vec<Out>, visit: VisitEach<'_, 'm>) -> Result<(), Halt> {
        self.settle_in(side, self.at.len(), &mut { TOGETHER }, outs, visit)
    }

    fn settle_in(
        &mut self,
        side: Side,
        begun: usize,
        left: &mut usize,
        outs: &mut Vec<Out>,
        visit: VisitEach<'_, 'm>,
    ) -> Result<(), Halt> {
        if (self.over)() {
            return Err(Halt::Over);
        }
        let own = self.own(side);
        if own.is_empty() {
            return visit(self, outs, Ends::Waits);
        }
        if self.is_too_long(side, begun)? {
            return Ok(());
        }
        if *left == 0 {
            return Err(match self.endless(side, begun) {
                Halt::Long(side, last) => Halt::Many(side, last),
                halt => halt,
            });
        }
        *left -= 1;
        for step in &own {
            if self.make(Move::Take(*step)) == Possible::No {
                continue;
            }
            let out = self.out(*step);
            let count = outs.len();
            outs.extend(out);
            let result = self.settle_in(side, begun, left, outs, visit);
            outs.truncate(count);
            self.back();
            result?;
        }
        let quiet: Vec<TermId> = own.iter().map(|s| self.path.silent(*s)).collect();
        let quiet = self.all(&quiet);
        let undefined: Vec<TermId> = own.iter().filter_map(|s| self.path.breaks(*s)).collect();
        let undefined = self.path.build(|pool, sorts| pool.or(sorts, &undefined));
        for (place, ends) in [(quiet, Ends::Waits), (undefined, Ends::Breaks)] {
            if self.make(Move::Where(place)) != Possible::No {
                let result = visit(self, outs, ends);
                self.back();
                result?;
            }
        }
        Ok(())
    }

    /// Whether an answer is longer than it may be. One that is only perhaps possible is not followed any further; any other
    /// is the end.
    fn is_too_long(&mut self, side: Side, begun: usize) -> Result<bool, Halt> {
        let length = self.at.len() - begun;
        match self.doubt_since(begun) {
            Some(reason) if length >= self.internal.min(PERHAPS) => {
                self.cut.get_or_insert(reason);
                Ok(true)
            }
            None if length >= self.internal => Err(self.endless(side, begun)),
            _ => Ok(false),
        }
    }

    /// Why an answer that is too long is: it goes round in a circle, which a state shows that comes again, or nobody knows.
    fn endless(&mut self, side: Side, begun: usize) -> Halt {
        let moves = self.since(0);
        let live = Live::of(&self.joined.model);
        let mut seen: FxHashMap<Key, usize> = FxHashMap::default();
        let mut circle = None;
        for at in begun..=moves.len() {
            self.follow(&moves[..at]);
            if let Some(before) = self.path.key(&live).and_then(|key| seen.insert(key, at)) {
                circle = Some(before..at);
                break;
            }
        }
        self.follow(&moves);
        let switches = |moves: &[Move]| -> Vec<SwitchId> {
            let taken = moves.iter().filter_map(|m| if let Move::Take(step) = m { Some(*step) } else { None });
            taken.flat_map(|step| step.switches().collect::<Vec<_>>()).collect()
        };
        if let Some(circle) = circle {
            return Halt::Endless(side, switches(&moves[circle]));
        }
        let all = switches(&moves[begun..]);
        let mut last: Vec<SwitchId> = Vec::new();
        for s in all.into_iter().rev() {
            if last.contains(&s) {
                break;
            }
            last.push(s);
        }
        last.reverse();
        Halt::Long(side, last)
    }

    /// Lets the specification follow outputs that the implementation model gave: visits the places where it waits after
    /// them, and those where it can neither follow nor go on by itself. The latter show a difference if nothing else
    /// explains the same outputs.
    pub fn shadow(
        &mut self,
        expected: &[Out],
        begun: usize,
        waits: &mut dyn FnMut(&mut Walk<'m>) -> Result<(), Halt>,
        stuck: &mut dyn FnMut(&mut Walk<'m>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        self.shadow_in(expected, begun, &mut FxHashSet::default(), waits, stuck)
    }

    /// The same, where nobody has to come by a second time: what follows is the same by whatever way.
    fn shadow_in(
        &mut self,
        expected: &[Out],
        begun: usize,
        been: &mut FxHashSet<(usize, Standing)>,
        waits: &mut dyn FnMut(&mut Walk<'m>) -> Result<(), Halt>,
        stuck: &mut dyn FnMut(&mut Walk<'m>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if (self.over)() {
            return Err(Halt::Over);
        }
        let standing = self.standing();
        if !been.insert((expected.len(), standing)) {
            return Ok(());
        }
        let own = self.own(Side::Spec);
        if own.is_empty() && expected.is_empty() {
            return waits(self);
        }
        if self.is_too_long(Side::Spec, begun)? {
            return Ok(());
        }
        let model = &self.joined.model;
        let (seen, internal): (Vec<Step>, Vec<Step>) = own.iter().partition(|s| s.is_observable(model));
        // What it would have to do differently.
        let mut otherwise: Vec<TermId> = Vec::new();
        for step in internal {
            otherwise.push(self.path.silent(step));
            if self.make(Move::Take(step)) != Possible::No {
                let result = self.shadow_in(expected, begun, been, waits, stuck);
                self.back();
                result?;
            }
        }
        match expected.split_first() {
            Some((next, rest)) => {
                let args: Arc<[TermId]> = next.args.clone().into();
                let fits =
                    |s: &&Step| matches!(s, Step::Switch(s) if model.switches[*s].label == Label::Gate(next.gate));
                for step in seen.iter().filter(fits) {
                    otherwise.push(self.path.not_given(*step, &args));
                    if self.make(Move::Given(*step, args.clone())) != Possible::No {
                        let result = self.shadow_in(rest, begun, been, waits, stuck);
                        self.back();
                        result?;
                    }
                }
            }
            None => {
                let quiet: Vec<TermId> = seen.iter().map(|s| self.path.silent(*s)).collect();
                let quiet = self.all(&quiet);
                let mut still = otherwise.clone();
                still.push(quiet);
                let still = self.all(&still);
                if self.make(Move::Where(still)) != Possible::No {
                    let result = waits(self);
                    self.back();
                    result?;
                }
                otherwise.push(self.path.build(|pool, sorts| pool.not(sorts, quiet)));
            }
        }
        let otherwise = self.all(&otherwise);
        if self.make(Move::Where(otherwise)) != Possible::No {
            let result = stuck(self);
            self.back();
            result?;
        }
        Ok(())
    }

    /// Where both models are, with all that is known of it.
    fn standing(&mut self) -> Standing {
        let model = &self.joined.model;
        let mut terms: Vec<TermId> = model.variables.ids().map(|v| self.path.term(v)).collect();
        terms.extend(self.path.conditions().iter().map(|c| c.term));
        (self.path.locations().into(), terms)
    }

    /// That outputs at the same gates are farther apart than the gates tolerate; nothing if none tolerates anything.
    pub fn beyond_tolerance(&mut self, a: &[Out], b: &[Out]) -> Option<TermId> {
        let model = &self.joined.model;
        if !a.iter().map(|o| o.gate).eq(b.iter().map(|o| o.gate)) {
            return None;
        }
        let mut near = Vec::new();
        for (x, y) in a.iter().zip(b) {
            for (param, (x, y)) in model.gates[x.gate].params.iter().zip(x.args.iter().zip(&y.args)) {
                let Some(tolerance) = param.tolerance.clone() else { continue };
                let tolerance = self.path.build(|pool, sorts| pool.constant(Value::real(tolerance), sorts.real));
                near.push(self.path.near(*x, *y, Some(tolerance)));
            }
        }
        if near.is_empty() {
            return None;
        }
        let near = self.all(&near);
        Some(self.path.build(|pool, sorts| pool.not(sorts, near)))
    }

    /// Whether outputs differ whatever the inputs on this path are.
    pub fn surely_differ(&mut self, a: &[Out], b: &[Out]) -> bool {
        if !a.iter().map(|o| o.gate).eq(b.iter().map(|o| o.gate)) {
            return true;
        }
        let pairs = a.iter().zip(b).flat_map(|(a, b)| a.args.iter().zip(&b.args));
        let same: Vec<TermId> = pairs.map(|(x, y)| self.path.same(*x, *y)).collect();
        let same = self.all(&same);
        self.path.may_hold(same) == Possible::No
    }

    /// The places of the inputs on the path, each once.
    pub fn input_frames(&self) -> Vec<usize> {
        let model = &self.joined.model;
        let input = |m: &Move| match m {
            Move::Take(Step::Switch(s)) => model.direction(*s) == Some(Direction::Input),
            _ => false,
        };
        (0..).zip(&self.at).filter(|(_, (m, _))| input(m)).map(|(i, _)| i).collect()
    }

    /// A term over symbols for people: the parameter of the n-th input is `p#n`.
    pub fn show(&self, term: TermId, inputs: &[usize]) -> String {
        let name = |y| {
            let name = self.path.symbol_name(y);
            let number = name.rsplit_once('#').and_then(|(p, at)| {
                let at: usize = at.parse().ok()?;
                Some(format!("{p}#{}", inputs.iter().position(|i| i + 1 == at)? + 1))
            });
            number.unwrap_or(name)
        };
        print::term_in(&self.joined.model, self.path.pool(), None, &name, term)
    }

    /// The parameters of an input that a condition left no choice for, as conditions: a path has their values in their
    /// places, so that it knows no such condition any more.
    pub fn fixed(&mut self, frame: usize, inputs: &[usize]) -> Vec<String> {
        let Some(number) = inputs.iter().position(|i| *i == frame) else { return Vec::new() };
        let args = self.path.shown_args(frame);
        let Some((Move::Take(Step::Switch(switch)), _)) = self.at.get(frame) else { return Vec::new() };
        let switch = &self.joined.model.switches[*switch];
        let Label::Gate(gate) = switch.label else { return Vec::new() };
        // As symbols are named: by the switch, unless it has no name for it.
        let declared = &self.joined.model.gates[gate].params;
        let params = switch.params.iter().zip(declared).map(|(p, d)| if p.name == "_" { &d.name } else { &p.name });
        let own = params.map(|name| format!("{name}#{}", number + 1));
        let shown = own.zip(args).map(|(own, arg)| (own, self.show(arg, inputs)));
        shown.filter(|(own, arg)| own != arg).map(|(own, arg)| format!("{own} == {arg}")).collect()
    }

    /// The condition that no switch of a side can be taken with an input with these arguments: none is enabled, or what
    /// those compute is undefined.
    pub fn untaken(&mut self, side: Side, gate: GateId, args: &[TermId]) -> TermId {
        let steps = self.inputs(side, gate);
        let parts: Vec<TermId> = steps.into_iter().map(|s| self.path.not_taken(s, args)).collect();
        self.all(&parts)
    }

    /// The condition that a switch of a side is enabled with these arguments, and what it computes is undefined: an error
    /// of the model. Nothing if none computes such values.
    pub fn breaks(&mut self, side: Side, gate: GateId, args: &[TermId]) -> Option<TermId> {
        let mut parts = Vec::new();
        for step in self.inputs(side, gate) {
            let (untaken, disabled) = (self.path.not_taken(step, args), self.path.not_given(step, args));
            if untaken != disabled {
                parts.push(self.path.build(|pool, sorts| {
                    let enabled = pool.not(sorts, disabled);
                    pool.and(sorts, &[untaken, enabled])
                }));
            }
        }
        (!parts.is_empty()).then(|| self.path.build(|pool, sorts| pool.or(sorts, &parts)))
    }

    /// The symbols of the inputs on the path: what a tester chooses.
    pub fn input_symbols(&self) -> BTreeSet<SymbolId> {
        let mut found = BTreeSet::new();
        for frame in self.input_frames() {
            for arg in self.path.args(frame) {
                if let Term::Symbol(y, _) = self.path.pool().get(*arg) {
                    found.insert(*y);
                }
            }
        }
        found
    }

    /// The condition that no switch of a side takes an input with these arguments.
    pub fn undefined(&mut self, side: Side, gate: GateId, args: &[TermId]) -> TermId {
        let steps = self.inputs(side, gate);
        let parts: Vec<TermId> = steps.into_iter().map(|s| self.path.not_given(s, args)).collect();
        self.all(&parts)
    }
}
