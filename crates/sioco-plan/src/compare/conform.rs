//! Whether one model conforms to another (T-G2; S2 definitions 6, 9), and if not, a shortest sequence to show it.
//!
//! The specification follows the implementation model: it gets the same inputs and has to find the same outputs. Pairs of
//! states are looked at input by input, so the first difference is one of the shortest. A pair that is included in an
//! earlier one shows nothing new: when no pair is left, there is no difference, whatever the length.
//!
//! An input counts only if the specification defines it after the observations so far. For deterministic specifications
//! this is S2's definition. For others it is `ioco` (T-L10), so no test fails if no difference was found here.

use rustc_hash::FxHashMap;
use sioco_model::model::Direction;
use sioco_model::semantics::live::Live;
use sioco_model::{Id, Model};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};
use sioco_symbolic::explore::Stop;
use sioco_symbolic::graph::NodeId;
use sioco_symbolic::inclusion::Inclusion;
use sioco_symbolic::key::Key;
use sioco_symbolic::path::Possible;

use super::join::Side;
use super::trace::{self, Exchange, Says};
use super::walk::{Ends, Halt, Move, Out, Walk};
use super::{CompareOptions, CompareProgress, Stage};

/// What became of the comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conformance {
    /// No difference was found.
    Conforms {
        /// Whether there is none, whatever the length: every pair of states was looked at.
        proved: bool,
        /// All sequences with so many inputs were looked at.
        length: usize,
        /// What ended the search.
        stop: Stop,
        /// What leads to where the implementation model has no value for what it should do, though the specification
        /// defines the input: what it does there is unknown. Nothing if no such place was found.
        no_value: Option<Vec<Exchange>>,
    },
    /// They differ: these inputs show it, and none that are fewer.
    Differs(Difference),
    /// A solver left open whether they do.
    Unknown {
        /// Why.
        reason: Reason,
        /// All shorter sequences show no difference.
        length: usize,
    },
}

/// A difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What happened; the last exchange shows it.
    pub trace: Vec<Exchange>,
    /// How many inputs it has.
    pub inputs: usize,
    /// Whether some shorter sequence was left open by a solver.
    pub perhaps_longer: bool,
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Pairs of states, those that are included in others left out.
    pub pairs: usize,
    /// Inputs with their answers.
    pub steps: usize,
    /// Whether the specification has several states that explain the same outputs, so that these were followed together.
    pub together: bool,
}

struct Node {
    moves: Vec<Move>,
    depth: usize,
}

/// What the search has so far.
pub(crate) struct Search {
    nodes: Vec<Node>,
    next: usize,
    keys: FxHashMap<Key, usize>,
    inclusion: Inclusion,
    live: Live,
    /// A candidate for a difference, with its depth.
    found: Option<Difference>,
    open: Option<(Reason, usize)>,
    no_value: Option<Vec<Exchange>>,
    /// A pair that does not fit, though something else explains the same outputs.
    pub several: bool,
    steps: usize,
}

/// Searches for a difference.
pub(crate) fn conform(
    walk: &mut Walk<'_>,
    spec: &Model,
    options: &CompareOptions,
    progress: &mut dyn FnMut(CompareProgress),
) -> Result<(Conformance, Work, bool), Halt> {
    let model = &walk.joined.model;
    let mut search = Search {
        nodes: Vec::new(),
        next: 0,
        keys: FxHashMap::default(),
        inclusion: Inclusion::new(model),
        live: Live::of(model),
        found: None,
        open: None,
        no_value: None,
        several: false,
        steps: 0,
    };
    let mut stop = Stop::Complete;
    let mut length = usize::MAX;
    let result = search.start(walk, spec);
    let mut halted = result.err();
    while halted.is_none() && search.found.is_none() && !search.several && search.next < search.nodes.len() {
        let at = search.next;
        let depth = search.nodes[at].depth;
        if options.most().is_some_and(|most| depth >= most) {
            (stop, length) = (Stop::Depth, depth);
            break;
        }
        if search.nodes.len() >= options.nodes {
            (stop, length) = (Stop::Nodes, depth);
            break;
        }
        progress(CompareProgress {
            stage: Stage::Comparing,
            pairs: search.nodes.len(),
            depth,
            open: search.nodes.len() - at,
            steps: search.steps,
        });
        search.next += 1;
        let moves = search.nodes[at].moves.clone();
        walk.follow(&moves);
        if let Err(halt) = search.expand(walk, spec, depth) {
            length = depth;
            halted = Some(halt);
        }
    }
    walk.follow(&[]);
    let work = Work { pairs: search.nodes.len(), steps: search.steps, together: false };
    match halted {
        // Be it before anything was looked at.
        Some(Halt::Over) => stop = Stop::Cancelled,
        Some(Halt::Several) => {}
        Some(halt) => return Err(halt),
        None => {}
    }
    let deepest = search.nodes.last().map_or(0, |n| n.depth);
    let length = length.min(deepest);
    let cut = walk.cut.clone().map(|reason| (reason, 1));
    let found = match (search.found, search.open.or(cut)) {
        (Some(mut difference), open) => {
            difference.perhaps_longer = open.is_some_and(|(_, depth)| depth < difference.inputs);
            Conformance::Differs(difference)
        }
        (None, Some((reason, depth))) => Conformance::Unknown { reason, length: depth.saturating_sub(1) },
        (None, None) => conforms(length, stop, search.no_value),
    };
    Ok((found, work, search.several))
}

/// That no difference was found.
pub(crate) fn conforms(length: usize, stop: Stop, no_value: Option<Vec<Exchange>>) -> Conformance {
    Conformance::Conforms { proved: stop == Stop::Complete && no_value.is_none(), length, stop, no_value }
}

/// Keeps the reason why a difference after so few inputs is left open.
pub(crate) fn leave_open(open: &mut Option<(Reason, usize)>, reason: Reason, depth: usize) {
    if open.as_ref().is_none_or(|(_, d)| depth < *d) {
        *open = Some((reason, depth));
    }
}

/// The walk is where the implementation model has no value for what it should do: keeps a way there, if it is the first.
pub(crate) fn has_no_value(
    walk: &mut Walk<'_>,
    spec: &Model,
    depth: usize,
    no_value: &mut Option<Vec<Exchange>>,
    open: &mut Option<(Reason, usize)>,
) {
    if no_value.is_some() {
        return;
    }
    match walk.path.solve_with(Choice::Min) {
        Ok(solved) => *no_value = Some(trace::without_value(walk.joined, spec, &solved)),
        Err(NoValues::Impossible) => {}
        Err(NoValues::Unknown(reason)) => leave_open(open, reason, depth),
    }
}

impl Search {
    /// Before the first input, both may do something by themselves.
    fn start(&mut self, walk: &mut Walk<'_>, spec: &Model) -> Result<(), Halt> {
        let joined = walk.joined;
        walk.settle_each(Side::Impl, &mut Vec::new(), &mut |walk, outs, ends| {
            debug_assert!(std::ptr::eq(joined, walk.joined));
            match ends {
                Ends::Waits => self.follow(walk, spec, outs, 0),
                Ends::Breaks => {
                    self.has_no_value(walk, spec, 0);
                    Ok(())
                }
            }
        })
    }

    /// All inputs in the state where the walk is.
    fn expand(&mut self, walk: &mut Walk<'_>, spec: &Model, depth: usize) -> Result<(), Halt> {
        let model = &walk.joined.model;
        let inputs: Vec<_> =
            model.gates.iter().filter(|(_, g)| g.direction == Direction::Input).map(|(id, _)| id).collect();
        for gate in inputs {
            let of_spec = walk.inputs(Side::Spec, gate);
            if of_spec.is_empty() {
                // Nothing is said about it.
                continue;
            }
            for step in walk.inputs(Side::Impl, gate) {
                if walk.make(Move::Take(step)) == Possible::No {
                    continue;
                }
                let args = walk.last_args();
                let result = walk.settle_each(Side::Impl, &mut Vec::new(), &mut |walk, outs, ends| {
                    for step in &of_spec {
                        if walk.make(Move::Given(*step, args.clone())) == Possible::No {
                            continue;
                        }
                        let result = match ends {
                            Ends::Waits => self.follow(walk, spec, outs, depth + 1),
                            Ends::Breaks => {
                                self.has_no_value(walk, spec, depth + 1);
                                Ok(())
                            }
                        };
                        walk.back();
                        result?;
                        if self.found.is_some() {
                            break;
                        }
                    }
                    Ok(())
                });
                walk.back();
                result?;
                if self.found.is_some() {
                    return Ok(());
                }
            }
            // What the specification takes and the implementation model does not (definition 6, first part).
            for step in &of_spec {
                if walk.make(Move::Take(*step)) == Possible::No {
                    continue;
                }
                let args = walk.last_args();
                if let Some(breaks) = walk.breaks(Side::Impl, gate, &args)
                    && walk.make(Move::Where(breaks)) != Possible::No
                {
                    self.has_no_value(walk, spec, depth + 1);
                    walk.back();
                }
                let refused = walk.undefined(Side::Impl, gate, &args);
                let result = match walk.make(Move::Where(refused)) {
                    Possible::No => Ok(()),
                    _ => {
                        let result = self.differs(walk, spec, depth + 1);
                        walk.back();
                        result
                    }
                };
                walk.back();
                result?;
                if self.found.is_some() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The specification follows outputs.
    fn follow(&mut self, walk: &mut Walk<'_>, spec: &Model, outs: &[Out], depth: usize) -> Result<(), Halt> {
        self.steps += 1;
        let begun = walk.len();
        let mut waiting: Vec<Vec<Move>> = Vec::new();
        let mut stuck: Vec<Vec<Move>> = Vec::new();
        let common = walk.since(0);
        walk.shadow(
            outs,
            begun,
            &mut |walk| {
                waiting.push(walk.since(begun));
                Ok(())
            },
            &mut |walk| {
                stuck.push(walk.since(begun));
                Ok(())
            },
        )?;
        for moves in stuck {
            let mut all = common.clone();
            all.extend(moves);
            walk.follow(&all);
            let result = self.differs(walk, spec, depth);
            walk.follow(&common);
            result?;
            if self.found.is_some() {
                return Ok(());
            }
        }
        for moves in waiting {
            let mut all = common.clone();
            all.extend(moves);
            walk.follow(&all);
            self.keep(walk, all, depth);
            walk.follow(&common);
        }
        Ok(())
    }

    fn has_no_value(&mut self, walk: &mut Walk<'_>, spec: &Model, depth: usize) {
        has_no_value(walk, spec, depth, &mut self.no_value, &mut self.open);
    }

    /// A pair of states, unless it is known.
    fn keep(&mut self, walk: &mut Walk<'_>, moves: Vec<Move>, depth: usize) {
        let key = walk.path.key(&self.live);
        if key.as_ref().is_some_and(|k| self.keys.contains_key(k)) {
            return;
        }
        if self.inclusion.find(&mut walk.path, &|_| true).is_some() {
            return;
        }
        let id = self.nodes.len();
        if let Some(key) = key {
            self.keys.insert(key, id);
        }
        self.inclusion.keep(&mut walk.path, &self.live, NodeId::from_index(id));
        self.nodes.push(Node { moves, depth });
    }

    /// The path shows a difference, if values are found for it and nothing else explains them.
    fn differs(&mut self, walk: &mut Walk<'_>, spec: &Model, depth: usize) -> Result<(), Halt> {
        let solved = match walk.path.solve_with(Choice::Min) {
            Ok(solved) => solved,
            Err(NoValues::Impossible) => return Ok(()),
            Err(NoValues::Unknown(reason)) => {
                leave_open(&mut self.open, reason, depth);
                return Ok(());
            }
        };
        let mut trace = trace::exchanges(walk.joined, &solved);
        match trace::run(spec, &trace) {
            Ok(Says::Forbids(at)) => {
                trace.truncate(at + 1);
                trace::tell(spec, &mut trace);
                let inputs = trace.iter().filter(|e| e.input.is_some()).count();
                self.found = Some(Difference { trace, inputs, perhaps_longer: false });
            }
            // Something else explains it: the specification is nondeterministic, and has to be followed in another way.
            Ok(Says::Allows | Says::Undefined(_)) => {
                self.several = true;
                return Err(Halt::Several);
            }
            Err(error) => leave_open(&mut self.open, Reason::Undecided(error.describe(spec)), depth),
        }
        Ok(())
    }
}
