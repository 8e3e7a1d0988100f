//! Conformance to a specification whose state the observations do not determine. All its states that explain the
//! outputs so far are followed together (T-B2: belief).
//!
//! The implementation model goes first, for a whole sequence of inputs; then the specification follows, on every path
//! with the same outputs. Each path is a condition on what the implementation model leaves open. If the input is defined
//! and no condition holds, the models differ.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use sioco_model::model::Direction;
use sioco_model::semantics::live::Live;
use sioco_model::{GateId, LocationId, Model, TermId, Value, VarId};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};
use sioco_symbolic::explore::Stop;
use sioco_symbolic::key::Key;
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use super::conform::{Conformance, Difference, Work, conforms, has_no_value, leave_open};
use super::join::Side;
use super::trace::{self, Exchange, Says};
use super::walk::{Ends, Halt, Move, Out, Walk};
use super::{CompareOptions, CompareProgress, Stage};

/// An input with the outputs of the implementation model; at the start there is no input.
#[derive(Clone)]
struct Answered {
    input: Option<(GateId, Arc<[TermId]>)>,
    outs: Vec<Out>,
}

/// A path of the implementation model.
struct Node {
    moves: Vec<Move>,
    answered: Vec<Answered>,
}

/// A state of the specification whose values are all known.
type KnownPlace = (Vec<LocationId>, Vec<Value>);

/// What the specification may be doing after a path of the implementation model.
#[derive(Default)]
struct Ways {
    /// Conditions under which it defines the last input.
    defined: Vec<TermId>,
    /// Conditions under which it explains the last answer, too.
    explained: Vec<TermId>,
    /// The states that it may be in then, as long as all of them are known whatever the inputs are.
    places: Option<BTreeSet<KnownPlace>>,
}

struct Search<'s> {
    spec: &'s Model,
    live: Live,
    seen: FxHashSet<(Key, BTreeSet<KnownPlace>)>,
    open: Option<(Reason, usize)>,
    no_value: Option<Vec<Exchange>>,
    found: Option<Difference>,
    steps: usize,
}

/// Searches for a difference, following all states of the specification together.
pub(crate) fn conform(
    walk: &mut Walk<'_>,
    spec: &Model,
    options: &CompareOptions,
    progress: &mut dyn FnMut(CompareProgress),
) -> Result<(Conformance, Work), Halt> {
    walk.follow(&[]);
    let live = Live::of(&walk.joined.model);
    let mut search =
        Search { spec, live, seen: FxHashSet::default(), open: None, no_value: None, found: None, steps: 0 };
    let mut queue: VecDeque<Node> = VecDeque::new();
    let mut paths = 0;
    let mut stop = Stop::Complete;
    let mut length = 0;
    let mut halted = walk
        .settle_each(Side::Impl, &mut Vec::new(), &mut |walk, outs, ends| {
            queue.extend(search.look_at(walk, vec![Answered { input: None, outs: outs.to_vec() }], ends)?);
            Ok(())
        })
        .err();
    while let Some(node) = queue.pop_front().filter(|_| halted.is_none() && search.found.is_none()) {
        length = node.answered.len() - 1;
        if options.most().is_some_and(|most| length >= most) {
            stop = Stop::Depth;
            break;
        }
        if paths >= options.nodes {
            stop = Stop::Nodes;
            break;
        }
        paths += 1;
        progress(CompareProgress {
            stage: Stage::Comparing,
            pairs: paths,
            depth: length,
            open: queue.len(),
            steps: search.steps,
        });
        walk.follow(&node.moves);
        halted = search.expand(walk, &node, &mut queue).err();
        length += usize::from(halted.is_none());
    }
    walk.follow(&[]);
    let work = Work { pairs: paths, steps: search.steps, together: true };
    match halted {
        Some(Halt::Over) => stop = Stop::Cancelled,
        Some(halt) => return Err(halt),
        None => {}
    }
    let cut = walk.cut.clone().map(|reason| (reason, 1));
    let found = match (search.found, search.open.or(cut)) {
        (Some(mut difference), open) => {
            difference.perhaps_longer = open.is_some_and(|(_, depth)| depth < difference.inputs);
            Conformance::Differs(difference)
        }
        (None, Some((reason, depth))) => Conformance::Unknown { reason, length: depth.saturating_sub(1) },
        (None, None) => conforms(length, stop, search.no_value),
    };
    Ok((found, work))
}

impl Search<'_> {
    /// All inputs after a path.
    fn expand(&mut self, walk: &mut Walk<'_>, node: &Node, queue: &mut VecDeque<Node>) -> Result<(), Halt> {
        let model = &walk.joined.model;
        let gates: Vec<GateId> =
            model.gates.iter().filter(|(_, g)| g.direction == Direction::Input).map(|(id, _)| id).collect();
        for gate in gates {
            for step in walk.inputs(Side::Impl, gate) {
                if walk.make(Move::Take(step)) == Possible::No {
                    continue;
                }
                let args = walk.last_args();
                let result = walk.settle_each(Side::Impl, &mut Vec::new(), &mut |walk, outs, ends| {
                    let mut answered = node.answered.clone();
                    answered.push(Answered { input: Some((gate, args.clone())), outs: outs.to_vec() });
                    queue.extend(self.look_at(walk, answered, ends)?);
                    Ok(())
                });
                walk.back();
                result?;
                if self.found.is_some() {
                    return Ok(());
                }
            }
            self.refused(walk, node, gate)?;
            if self.found.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// What there is to say where an answer of the implementation model ends.
    fn look_at(&mut self, walk: &mut Walk<'_>, answered: Vec<Answered>, ends: Ends) -> Result<Option<Node>, Halt> {
        if ends == Ends::Waits {
            return self.look(walk, answered);
        }
        let mut taken: Vec<Vec<Move>> = Vec::new();
        each(walk, &answered, 0, &mut |walk| taken.push(walk.since(0)), &mut |_| Ok(()))?;
        self.no_value_after(walk, &taken, answered.len() - 1);
        Ok(None)
    }

    /// The implementation model has no value after these moves, with which the specification has taken the last input.
    fn no_value_after(&mut self, walk: &mut Walk<'_>, ways: &[Vec<Move>], depth: usize) {
        let here = walk.since(0);
        for way in ways {
            walk.follow(way);
            has_no_value(walk, self.spec, depth, &mut self.no_value, &mut self.open);
        }
        walk.follow(&here);
    }

    /// What the specification says to a path of the implementation model, which the walk is on. If it may be followed
    /// further, the path comes back.
    fn look(&mut self, walk: &mut Walk<'_>, answered: Vec<Answered>) -> Result<Option<Node>, Halt> {
        self.steps += 1;
        let depth = answered.len() - 1;
        let base = walk.len();
        let known = walk.path.known_symbols();
        let mut ways = Ways { places: Some(BTreeSet::new()), ..Ways::default() };
        let Ways { defined, explained, places } = &mut ways;
        each(walk, &answered, 0, &mut |walk| defined.push(walk.path.since(base, &known)), &mut |walk| {
            explained.push(walk.path.since(base, &known));
            match (&mut *places, place(walk)) {
                (Some(places), Some(place)) => {
                    places.insert(place);
                }
                (places, _) => *places = None,
            }
            Ok(())
        })?;
        let wrong = walk.path.build(|pool, sorts| {
            let defined = pool.or(sorts, &ways.defined);
            let explained = pool.or(sorts, &ways.explained);
            let not = pool.not(sorts, explained);
            pool.and(sorts, &[defined, not])
        });
        if walk.make(Move::Where(wrong)) != Possible::No {
            self.differs(walk, depth);
            walk.back();
        }
        if ways.explained.is_empty() {
            return Ok(None);
        }
        let always = ways.explained.iter().all(|t| walk.path.pool().as_const(*t) == Some(&Value::Bool(true)));
        if let (true, Some(places), Some(key)) = (always, ways.places, walk.path.key(&self.live))
            && !self.seen.insert((key, places))
        {
            return Ok(None);
        }
        Ok(Some(Node { moves: walk.since(0), answered }))
    }

    /// An input that every state takes in which the specification may be after a path, and that the implementation model
    /// does not take. Where one of these states does not define it, nobody can say that it has to be taken.
    fn refused(&mut self, walk: &mut Walk<'_>, node: &Node, gate: GateId) -> Result<(), Halt> {
        let Some(any) = walk.joined.any(gate) else { return Ok(()) };
        let before = walk.len();
        if walk.make(Move::Take(Step::Switch(any))) == Possible::No {
            return Ok(());
        }
        let args = walk.last_args();
        if let Some(breaks) = walk.breaks(Side::Impl, gate, &args)
            && walk.make(Move::Where(breaks)) != Possible::No
        {
            let mut taken: Vec<Vec<Move>> = Vec::new();
            let result = each(walk, &node.answered, 0, &mut |_| {}, &mut |walk| {
                for step in walk.inputs(Side::Spec, gate) {
                    if walk.make(Move::Given(step, args.clone())) != Possible::No {
                        taken.push(walk.since(0));
                        walk.back();
                    }
                }
                Ok(())
            });
            self.no_value_after(walk, &taken, node.answered.len());
            walk.back();
            if result.is_err() {
                walk.back_to(before);
                return result;
            }
        }
        let refused = walk.undefined(Side::Impl, gate, &args);
        if walk.make(Move::Where(refused)) != Possible::No {
            let base = walk.len();
            let known = walk.path.known_symbols();
            let (mut takes, mut leaves) = (Vec::new(), Vec::new());
            let result = each(walk, &node.answered, 0, &mut |_| {}, &mut |walk| {
                for step in walk.inputs(Side::Spec, gate) {
                    if walk.make(Move::Given(step, args.clone())) != Possible::No {
                        takes.push(walk.path.since(base, &known));
                        walk.back();
                    }
                }
                let undefined = walk.undefined(Side::Spec, gate, &args);
                if walk.make(Move::Where(undefined)) != Possible::No {
                    leaves.push(walk.path.since(base, &known));
                    walk.back();
                }
                Ok(())
            });
            if result.is_ok() {
                let wrong = walk.path.build(|pool, sorts| {
                    let takes = pool.or(sorts, &takes);
                    let leaves = pool.or(sorts, &leaves);
                    let not = pool.not(sorts, leaves);
                    pool.and(sorts, &[takes, not])
                });
                if walk.make(Move::Where(wrong)) != Possible::No {
                    self.differs(walk, node.answered.len());
                    walk.back();
                }
            }
            walk.back_to(before);
            return result;
        }
        walk.back_to(before);
        Ok(())
    }

    fn differs(&mut self, walk: &mut Walk<'_>, depth: usize) {
        let reason = match walk.path.solve_with(Choice::Min) {
            Ok(solved) => {
                let mut trace = trace::exchanges(walk.joined, &solved);
                match trace::run(self.spec, &trace) {
                    Ok(Says::Forbids(at)) => {
                        trace.truncate(at + 1);
                        trace::tell(self.spec, &mut trace);
                        let inputs = trace.iter().filter(|e| e.input.is_some()).count();
                        self.found.get_or_insert(Difference { trace, inputs, perhaps_longer: false });
                        return;
                    }
                    Ok(_) => Reason::Undecided("the specification explains the values that were found".into()),
                    Err(error) => Reason::Undecided(error.describe(self.spec)),
                }
            }
            Err(NoValues::Impossible) => return,
            Err(NoValues::Unknown(reason)) => reason,
        };
        leave_open(&mut self.open, reason, depth);
    }
}

/// The specification goes after the implementation model: visits every state that it may be in after all exchanges, and
/// before that, those in which it has taken the last input.
fn each<'m>(
    walk: &mut Walk<'m>,
    answered: &[Answered],
    at: usize,
    taken: &mut dyn FnMut(&mut Walk<'m>),
    visit: &mut dyn FnMut(&mut Walk<'m>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    let Some(next) = answered.get(at) else { return visit(walk) };
    let mut follow = |walk: &mut Walk<'m>| {
        if at + 1 == answered.len() {
            taken(walk);
        }
        let begun = walk.len();
        walk.shadow(&next.outs, begun, &mut |walk| each(walk, answered, at + 1, taken, visit), &mut |_| Ok(()))
    };
    let Some((gate, args)) = &next.input else { return follow(walk) };
    for step in walk.inputs(Side::Spec, *gate) {
        if walk.make(Move::Given(step, args.clone())) == Possible::No {
            continue;
        }
        let result = follow(walk);
        walk.back();
        result?;
    }
    Ok(())
}

/// Where the specification is, if its values are known.
fn place(walk: &Walk<'_>) -> Option<KnownPlace> {
    let joined = walk.joined;
    let locations = joined.processes(Side::Spec).map(|p| walk.path.locations()[p]).collect();
    let own = |v: &VarId| joined.has_process(Side::Spec, joined.model.variables[*v].process);
    let vars = joined.model.variables.ids().filter(own);
    let values: Option<Vec<Value>> = vars.map(|v| walk.path.value(v).cloned()).collect();
    Some((locations, values?))
}
