//! The transition composition of two models (T-G3; S2 definition 17): what they share, and what only one of them
//! takes, which is followed further.
//!
//! A state of it is a pair of symbolic states under one path condition; where one model does not define an input, its part
//! is S2's `err_s` or `err_t`. A transition is an input with the answers of both, and its condition is what the conditions
//! of both have in common. Outputs do not decide what is composed. They only split a transition whose answer has
//! several cases, so that each case has a degree.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::model::Direction;
use sioco_model::semantics::live::Live;
use sioco_model::{GateId, Id, LocationId, TermId};
use sioco_solve::Reason;
use sioco_symbolic::explore::Stop;
use sioco_symbolic::graph::NodeId;
use sioco_symbolic::inclusion::Inclusion;
use sioco_symbolic::key::Key;
use sioco_symbolic::path::Possible;

use super::join::{Joined, Side};
use super::polynomial::{NoDegree, Reader, Space};
use super::walk::{Ends, Halt, Move, Out, Walk};
use super::{CompareOptions, CompareProgress, Cover, Stage};
use crate::event::Event;

/// An answer is divided into two to the power of this many cases at most. Each case is a test of its own; a chain of
/// undecided conditions would otherwise double them without end.
const SPLITS: usize = 6;

/// A state of the composition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Where the specification is; nothing if it does not define what happened (`err_s`).
    pub spec: Option<Vec<LocationId>>,
    /// Where the implementation model is; nothing if it does not define what happened (`err_t`).
    pub implementation: Option<Vec<LocationId>>,
    /// The transition that led there first; the first state has none.
    pub by: Option<usize>,
    /// How many inputs lead there.
    pub depth: usize,
    /// Whether it is not followed further, since the outputs on the way there differ whatever the inputs are.
    pub ends: bool,
}

/// Who defines a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defined {
    /// Both models.
    Both,
    /// The specification alone: the implementation model does not take the input.
    Spec,
    /// The implementation model alone: a probe.
    Impl,
}

/// A transition of the composition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Where it starts.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// The gate of its input.
    pub gate: GateId,
    /// Who defines it.
    pub defined: Defined,
    /// Why it is only perhaps possible.
    pub doubt: Option<Reason>,
    /// What must hold for it, if anybody asked: conditions over the parameters of this and earlier inputs.
    pub condition: Vec<String>,
    pub(crate) moves: Vec<Move>,
    pub(crate) spec: Vec<Out>,
    pub(crate) implementation: Vec<Out>,
    /// The polynomials that the outputs may be, or why they are none.
    pub(crate) spaces: Result<Vec<Space>, Lack>,
}

/// An output without a degree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lack {
    pub gate: GateId,
    /// The part that has none, and what it is.
    pub part: TermId,
    pub why: &'static str,
    /// Whether there is a degree, or there are cases that have one, and only a bound keeps us from them.
    pub large: bool,
}

/// What two models do together (S2 definition 17).
#[derive(Clone, Debug)]
pub struct Composition {
    /// Its states; the first one is the initial one.
    pub pairs: Vec<Pair>,
    /// Its transitions, in the order found.
    pub transitions: Vec<Transition>,
    /// All transitions from states with fewer inputs than this are there.
    pub length: usize,
    /// What ended the search.
    pub stop: Stop,
    /// What both do before the first input.
    pub(crate) start: Vec<Vec<Move>>,
}

impl Transition {
    /// How many tests tell the outputs of both models apart (T-G5: DistDeg), if their degree is known: as many as the
    /// polynomials in question have coefficients, or fewer where the inputs are fewer. One where only one model defines it.
    pub fn dist_deg(&self) -> Option<usize> {
        let spaces = self.spaces.as_ref().ok()?;
        Some(spaces.iter().map(Space::size).max().unwrap_or(1).max(1))
    }
}

impl Composition {
    /// The transitions from the start to the end of one.
    pub fn path(&self, transition: usize) -> Vec<usize> {
        let mut path = vec![transition];
        let mut at = self.transitions[transition].from;
        while let Some(by) = self.pairs[at].by {
            path.push(by);
            at = self.transitions[by].from;
        }
        path.reverse();
        path
    }

    /// All that is done on the way to the end of a transition.
    pub(crate) fn moves(&self, transition: usize) -> Vec<Move> {
        let path = self.path(transition);
        let first = path.first().map_or(0, |t| self.transitions[*t].from);
        let mut moves = self.start[first].clone();
        moves.extend(path.iter().flat_map(|t| self.transitions[*t].moves.iter().cloned()));
        moves
    }

    /// A name of a transition: its number, from 1, and where it leads from and to. States that differ in the values of
    /// variables alone look the same.
    pub(crate) fn name(&self, joined: &Joined, transition: usize) -> String {
        let t = &self.transitions[transition];
        let place = |at: usize| {
            let of = |side: Side, locations: &Option<Vec<LocationId>>, lost: &str| match locations {
                Some(at) => at.iter().map(|l| joined.location_name(side, *l)).collect::<Vec<_>>().join(","),
                None => lost.to_owned(),
            };
            let pair = &self.pairs[at];
            let spec = of(Side::Spec, &pair.spec, "err_s");
            format!("({spec}, {})", of(Side::Impl, &pair.implementation, "err_t"))
        };
        let gate = &joined.model.gates[t.gate].name;
        format!("transition {}: {} ?{gate} -> {}", transition + 1, place(t.from), place(t.to))
    }

    /// All that is done on the way to a state.
    pub(crate) fn moves_to(&self, pair: usize) -> Vec<Move> {
        match self.pairs[pair].by {
            Some(by) => self.moves(by),
            None => self.start[pair].clone(),
        }
    }

    /// The transitions at whose end a sequence of inputs may be (S2 definition 18): of a deterministic pair of models, at
    /// most one.
    pub(crate) fn taken_by(&self, walk: &mut Walk<'_>, inputs: &[Event]) -> Vec<usize> {
        let mut found = Vec::new();
        for t in 0..self.transitions.len() {
            let path = self.path(t);
            let gates = path.iter().map(|t| self.transitions[*t].gate);
            if !gates.eq(inputs.iter().map(|e| e.gate)) {
                continue;
            }
            let moves = self.moves(t);
            walk.follow(&moves);
            let mut at = moves.len() - path.iter().map(|t| self.transitions[*t].moves.len()).sum::<usize>();
            let mut same = Vec::new();
            for (t, input) in path.iter().zip(inputs) {
                // A transition begins with its input.
                let args = walk.path.args(at).to_vec();
                same.push(walk.path.have_values(&args, &input.args));
                at += self.transitions[*t].moves.len();
            }
            let same = walk.path.build(|pool, sorts| pool.and(sorts, &same));
            if walk.make(Move::Where(same)) != Possible::No {
                found.push(t);
                walk.back();
            }
        }
        found
    }

    /// Finds out what must hold for the transitions, in words.
    pub(crate) fn describe(&mut self, walk: &mut Walk<'_>) {
        for t in 0..self.transitions.len() {
            let before = self.moves_to(self.transitions[t].from).len();
            walk.follow(&self.moves(t));
            let own: Vec<TermId> =
                walk.path.written_out().into_iter().filter(|c| c.step > before).map(|c| c.term).collect();
            let inputs = walk.input_frames();
            let mut texts = walk.fixed(before, &inputs);
            for term in own {
                let text = walk.show(term, &inputs);
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            self.transitions[t].condition = texts;
        }
        walk.follow(&[]);
    }

    /// Whether a side takes inputs and answers none of them with an output.
    pub(crate) fn is_silent(&self, side: Side) -> bool {
        let (alone, of): (Defined, fn(&Transition) -> &[Out]) = match side {
            Side::Spec => (Defined::Impl, |t| &t.spec),
            Side::Impl => (Defined::Spec, |t| &t.implementation),
        };
        let mut own = self.transitions.iter().filter(|t| t.defined != alone).peekable();
        own.peek().is_some() && own.all(|t| of(t).is_empty())
    }

    /// How many transitions are defined by whom.
    pub fn count(&self, defined: Defined) -> usize {
        self.transitions.iter().filter(|t| t.defined == defined).count()
    }
}

struct Composer {
    found: Composition,
    cover: Cover,
    until_different: bool,
    keys: FxHashMap<Key, Vec<usize>>,
    inclusion: Inclusion,
    live: Live,
}

/// What a transition is made of, until it is one.
struct TransitionDraft<'f> {
    from: usize,
    begun: usize,
    gate: GateId,
    spec: Option<&'f [Out]>,
    implementation: Option<&'f [Out]>,
}

/// Composes the two models of a walk.
pub(crate) fn compose(
    walk: &mut Walk<'_>,
    options: &CompareOptions,
    progress: &mut dyn FnMut(CompareProgress),
) -> Result<Composition, Halt> {
    let model = &walk.joined.model;
    let found =
        Composition { pairs: Vec::new(), transitions: Vec::new(), length: 0, stop: Stop::Complete, start: Vec::new() };
    let (inclusion, live) = (Inclusion::new(model), Live::of(model));
    let until_different = options.until_different;
    let mut composer =
        Composer { found, cover: options.cover, until_different, keys: FxHashMap::default(), inclusion, live };
    walk.follow(&[]);
    let mut halted = walk
        .settle(Side::Spec, &mut Vec::new(), &mut |walk, _| {
            walk.settle(Side::Impl, &mut Vec::new(), &mut |walk, _| {
                composer.begin(walk);
                Ok(())
            })
        })
        .err();
    let mut next = 0;
    while halted.is_none() && next < composer.found.pairs.len() {
        let depth = composer.found.pairs[next].depth;
        composer.found.length = depth;
        if options.most().is_some_and(|most| depth >= most) {
            composer.found.stop = Stop::Depth;
            break;
        }
        if composer.found.transitions.len() >= options.nodes {
            composer.found.stop = Stop::Nodes;
            break;
        }
        let (pairs, steps) = (composer.found.pairs.len(), composer.found.transitions.len());
        progress(CompareProgress { stage: Stage::Composing, pairs, depth, open: pairs - next, steps });
        if !composer.found.pairs[next].ends {
            walk.follow(&composer.found.moves_to(next));
            halted = composer.expand(walk, next).err();
        }
        next += 1;
        composer.found.length = depth + 1;
    }
    walk.follow(&[]);
    match halted {
        Some(Halt::Over) => composer.found.stop = Stop::Cancelled,
        Some(halt) => return Err(halt),
        None => {}
    }
    Ok(composer.found)
}

impl Composer {
    fn begin(&mut self, walk: &mut Walk<'_>) {
        let (pair, is_new) = self.target(walk, None, 0, false);
        if is_new {
            debug_assert_eq!(pair, self.found.start.len());
            self.found.start.push(walk.since(0));
        }
    }

    /// All inputs in a state.
    fn expand(&mut self, walk: &mut Walk<'_>, from: usize) -> Result<(), Halt> {
        let model = &walk.joined.model;
        let begun = walk.len();
        let gates: Vec<GateId> =
            model.gates.iter().filter(|(_, g)| g.direction == Direction::Input).map(|(id, _)| id).collect();
        for gate in gates {
            let of_impl = walk.inputs(Side::Impl, gate);
            for step in walk.inputs(Side::Spec, gate) {
                if walk.make(Move::Take(step)) == Possible::No {
                    continue;
                }
                let args = walk.last_args();
                let result = walk.settle(Side::Spec, &mut Vec::new(), &mut |walk, spec| {
                    for step in &of_impl {
                        if walk.make(Move::Given(*step, args.clone())) == Possible::No {
                            continue;
                        }
                        let result = walk.settle_each(Side::Impl, &mut Vec::new(), &mut |walk, outs, ends| {
                            let before = walk.len();
                            let (spec, implementation) = (Some(spec), (ends == Ends::Waits).then_some(outs));
                            if ends == Ends::Breaks {
                                walk.leave(Side::Impl);
                            }
                            self.add(
                                walk,
                                &TransitionDraft { from, begun, gate, spec, implementation },
                                &mut Vec::new(),
                            );
                            walk.back_to(before);
                            Ok(())
                        });
                        walk.back();
                        result?;
                    }
                    // What only the specification takes, or has values for.
                    self.alone(walk, Side::Impl, gate, &args, &mut |composer, walk| {
                        let found = TransitionDraft { from, begun, gate, spec: Some(spec), implementation: None };
                        composer.add(walk, &found, &mut Vec::new());
                        Ok(())
                    })
                });
                walk.back();
                result?;
            }
            for step in of_impl {
                if walk.make(Move::Take(step)) == Possible::No {
                    continue;
                }
                let args = walk.last_args();
                // What only the implementation model takes.
                let result = self.alone(walk, Side::Spec, gate, &args, &mut |composer, walk| {
                    walk.settle(Side::Impl, &mut Vec::new(), &mut |walk, implementation| {
                        let found =
                            TransitionDraft { from, begun, gate, spec: None, implementation: Some(implementation) };
                        composer.add(walk, &found, &mut Vec::new());
                        Ok(())
                    })
                });
                walk.back();
                result?;
            }
        }
        Ok(())
    }

    /// What follows where a side does not take an input: it leaves the comparison.
    fn alone<'m>(
        &mut self,
        walk: &mut Walk<'m>,
        lost: Side,
        gate: GateId,
        args: &Arc<[TermId]>,
        visit: &mut dyn FnMut(&mut Composer, &mut Walk<'m>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let before = walk.len();
        let undefined = match lost {
            Side::Spec => walk.undefined(lost, gate, args),
            // An error of the implementation model says nothing about the system: what the specification says is tested.
            Side::Impl => walk.untaken(lost, gate, args),
        };
        if walk.make(Move::Where(undefined)) == Possible::No {
            return Ok(());
        }
        walk.leave(lost);
        let result = visit(self, walk);
        walk.back_to(before);
        result
    }

    /// Adds a transition that ends where the walk is, or several where its outputs have cases.
    fn add(&mut self, walk: &mut Walk<'_>, found: &TransitionDraft<'_>, decided: &mut Vec<(TermId, bool)>) {
        let spaces = match (found.spec, found.implementation) {
            (Some(a), Some(b)) => spaces(walk, a, b, decided),
            _ => Ok(Vec::new()),
        };
        let spaces = match spaces {
            Ok(spaces) => Ok(spaces),
            Err((_, NoDegree::Split(condition))) if decided.len() < SPLITS => {
                for is in [true, false] {
                    let side = match is {
                        true => condition,
                        false => walk.path.build(|pool, sorts| pool.not(sorts, condition)),
                    };
                    if walk.make(Move::Where(side)) == Possible::No {
                        continue;
                    }
                    decided.push((condition, is));
                    self.add(walk, found, decided);
                    decided.pop();
                    walk.back();
                }
                return;
            }
            Err((gate, NoDegree::Split(part))) => {
                Err(Lack { gate, part, why: "an answer with many cases", large: true })
            }
            Err((gate, NoDegree::Large(part))) => Err(Lack { gate, part, why: "too large", large: true }),
            Err((gate, NoDegree::None(part, why))) => Err(Lack { gate, part, why, large: false }),
        };
        let id = self.found.transitions.len();
        let (moves, doubt) = (walk.since(found.begun), walk.doubt_since(found.begun));
        let ends = match (found.spec, found.implementation) {
            (Some(a), Some(b)) => self.until_different && walk.surely_differ(a, b),
            _ => false,
        };
        let (to, is_new) = self.target(walk, Some(id), found.from, ends);
        if is_new {
            self.found.start.push(Vec::new());
        }
        self.found.transitions.push(Transition {
            from: found.from,
            to,
            gate: found.gate,
            defined: match (found.spec.is_some(), found.implementation.is_some()) {
                (true, true) => Defined::Both,
                (true, false) => Defined::Spec,
                _ => Defined::Impl,
            },
            doubt,
            condition: Vec::new(),
            moves,
            spec: found.spec.unwrap_or_default().to_vec(),
            implementation: found.implementation.unwrap_or_default().to_vec(),
            spaces,
        });
    }

    /// The state at the end of the walk: a known one that includes it, or a new one.
    fn target(&mut self, walk: &mut Walk<'_>, by: Option<usize>, from: usize, ends: bool) -> (usize, bool) {
        let depth = by.map_or(0, |_| self.found.pairs[from].depth + 1);
        let merges = self.cover.merges() && !ends;
        let key = if merges { walk.path.key(&self.live) } else { None };
        let Composer { found, cover, keys, inclusion, live, .. } = self;
        // Only what is on the way, unless one place to look at a state from is enough.
        let fits = |node: usize| match cover {
            Cover::Inclusion => by.is_some() && is_before(found, node, from),
            _ => true,
        };
        if merges {
            let equal = key.as_ref().and_then(|k| keys.get(k)?.iter().copied().find(|n| fits(*n)));
            let known = equal.or_else(|| inclusion.find(&mut walk.path, &|n| fits(n.index())).map(|n| n.index()));
            if let Some(known) = known {
                return (known, false);
            }
        }
        let id = found.pairs.len();
        if merges {
            if let Some(key) = key {
                keys.entry(key).or_default().push(id);
            }
            inclusion.keep(&mut walk.path, live, NodeId::from_index(id));
        }
        let locations = |side: Side| -> Option<Vec<LocationId>> {
            let at = walk.joined.processes(side).map(|p| walk.path.locations()[p]);
            at.map(|l| walk.joined.own_location(side, l)).collect()
        };
        let (spec, implementation) = (locations(Side::Spec), locations(Side::Impl));
        found.pairs.push(Pair { spec, implementation, by, depth, ends });
        (id, true)
    }
}

/// Whether a state is on the way to another, or that one itself.
fn is_before(found: &Composition, node: usize, at: usize) -> bool {
    let mut at = at;
    loop {
        if at == node {
            return true;
        }
        match found.pairs[at].by {
            Some(by) => at = found.transitions[by].from,
            None => return false,
        }
    }
}

/// The polynomials that the outputs of both may be. Where they differ in number or gates, any input tells.
fn spaces(
    walk: &mut Walk<'_>,
    spec: &[Out],
    implementation: &[Out],
    decided: &[(TermId, bool)],
) -> Result<Vec<Space>, (GateId, NoDegree)> {
    let mut found = Vec::new();
    if !spec.iter().map(|o| o.gate).eq(implementation.iter().map(|o| o.gate)) {
        return Ok(found);
    }
    let inputs = walk.input_symbols();
    let mut reader = Reader::new(&mut walk.path, &inputs, decided);
    for (a, b) in spec.iter().zip(implementation) {
        for (x, y) in a.args.iter().zip(&b.args) {
            reader.spaces(*x, *y, &mut found).map_err(|why| (a.gate, why))?;
        }
    }
    Ok(found)
}
