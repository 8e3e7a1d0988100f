//! Narrowing: which values unknowns can have where conditions are true, as [shapes](super::shape).
//!
//! Terms are walked twice. Upwards, every subterm gets a shape from the shapes of its arguments; downwards, what is
//! required of a term is required of its arguments. A disjunction is taken apart into its alternatives, each narrowed
//! alone and then joined, and a quantifier that has to be true brings its own unknowns. Nothing that makes the conditions
//! true is ever left out: where the work runs out, shapes just stay larger.
//!
//! What is *required* of a term is that it is defined and has a value in a shape. So nothing is required
//! of a term that may be undefined, where a short circuit may skip it.

mod downwards;
mod undefined;
mod upwards;

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::choice::Unknown;
use super::program::Context;
use super::shape::Shape;
use crate::eval::Env;
use crate::id::{BinderId, Id, TermId};
use crate::term::{Op, Term};
use crate::value::Value;

/// Conditions are walked at most this often while they still narrow something. Chains of equations need as many rounds
/// as they are long in the wrong direction; bounds that creep towards each other would need too many. What is not
/// narrowed is only tried more often.
const ROUNDS: usize = 8;

/// Disjunctions inside of each other are taken apart at most this deep: each level multiplies the alternatives.
const DEPTH: u32 = 3;

/// More values than this are worth more than a first look: fewer are tried as fast as they are narrowed.
const MANY: u64 = 64;

/// Disjunctions with more alternatives are left alone: each is narrowed for itself. An enumeration, or a choice of some
/// sizes, has fewer.
const ALTERNATIVES: usize = 24;

/// A term and what is required of its value.
type Demand = (TermId, Shape);

/// One of several ways to fulfil a demand.
#[derive(Clone, Debug)]
struct Alternative {
    demands: Vec<Demand>,
    /// The bound variables of a quantifier, from the first on.
    binders: Option<(BinderId, u32)>,
}

/// Narrows shapes of unknowns.
pub struct Narrowing<'a> {
    context: Context<'a>,
    env: Env<'a>,
    /// The unknowns, whose shapes are given; behind them those of quantifiers around.
    unknowns: Vec<Unknown>,
    /// What is known of conditions, see [`Narrowing::plain`].
    plain: FxHashMap<TermId, Option<Range<usize>>>,
    /// How much was done: terms that were looked at, and combinations of values that were computed.
    pub work: u64,
    limit: u64,
}

/// The terms of conditions, with what is known of each.
struct Nodes {
    /// Arguments before what is made of them.
    order: Vec<TermId>,
    at: FxHashMap<TermId, usize>,
    shapes: Vec<Shape>,
    required: Vec<bool>,
    /// What has to be taken apart.
    cases: Vec<Vec<Alternative>>,
}

impl Nodes {
    fn shape(&self, term: TermId) -> &Shape {
        &self.shapes[self.at[&term]]
    }
}

/// No values fulfil what is required.
struct Contradiction;

impl<'a> Narrowing<'a> {
    /// For these unknowns; everything else has its value in `env`. At most so much work.
    pub fn new(context: Context<'a>, env: Env<'a>, unknowns: Vec<Unknown>, limit: u64) -> Self {
        Narrowing { context, env, unknowns, plain: FxHashMap::default(), work: 0, limit }
    }

    /// Narrows the shapes, one for each unknown, by conditions that are true; `false` if they cannot be. Disjunctions inside
    /// of each other are only taken apart as long as some unknown has many values.
    pub fn narrow(&mut self, shapes: &mut [Shape], conditions: &[TermId]) -> bool {
        let demands: Vec<Demand> = conditions.iter().map(|c| (*c, Shape::truth(true))).collect();
        self.deepen(shapes, &demands).is_ok()
    }

    fn deepen(&mut self, shapes: &mut [Shape], demands: &[Demand]) -> Result<(), Contradiction> {
        for depth in 1..=DEPTH {
            self.fulfil(shapes, demands, depth)?;
            let many = |s: &Shape| s.count().is_none_or(|n| n > MANY);
            if self.work >= self.limit || !shapes.iter().any(many) {
                break;
            }
        }
        Ok(())
    }

    /// The values that are known of terms in the conditions, without those of truth values: what unknowns may be compared
    /// with.
    pub fn spoken_of(&mut self, shapes: &[Shape], conditions: &[TermId]) -> Vec<Value> {
        let nodes = self.upwards(shapes, conditions);
        let known = nodes.shapes.iter().filter_map(Shape::as_only);
        let mut found: Vec<Value> = known.filter(|v| v.as_bool().is_none()).cloned().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn fulfil(&mut self, shapes: &mut [Shape], demands: &[Demand], depth: u32) -> Result<(), Contradiction> {
        // Conditions inside of others whose truth follows: one round finds them, and the next one uses them elsewhere.
        let mut known = demands.to_vec();
        for _ in 0..ROUNDS {
            let before = (shapes.to_vec(), known.len());
            self.round(shapes, &mut known, depth)?;
            if (&before.0[..], before.1) == (&*shapes, known.len()) || self.work >= self.limit {
                break;
            }
        }
        Ok(())
    }

    fn round(&mut self, shapes: &mut [Shape], known: &mut Vec<Demand>, depth: u32) -> Result<(), Contradiction> {
        let terms: Vec<TermId> = known.iter().map(|(t, _)| *t).collect();
        let mut nodes = self.upwards(shapes, &terms);
        for (term, shape) in known.iter() {
            require(&mut nodes, *term, shape)?;
        }
        for i in (0..nodes.order.len()).rev() {
            if nodes.required[i] {
                self.downwards(&mut nodes, i)?;
            }
        }
        let asked: FxHashSet<TermId> = terms.into_iter().collect();
        for (i, term) in nodes.order.iter().enumerate().filter(|(i, _)| nodes.required[*i]) {
            let leaf = self.context.terms.get(*term);
            if let Some(unknown) = self.unknown(leaf) {
                shapes[unknown] = shapes[unknown].meet(&nodes.shapes[i]);
                if shapes[unknown].is_nothing() {
                    return Err(Contradiction);
                }
            } else if matches!(leaf, Term::App(..))
                && matches!(nodes.shapes[i].as_only(), Some(Value::Bool(_)))
                && !asked.contains(term)
            {
                known.push((*term, nodes.shapes[i].clone()));
            }
        }
        let cases = std::mem::take(&mut nodes.cases);
        drop(nodes);
        if depth > 0 {
            for alternatives in cases {
                self.one_of(shapes, &alternatives, known, depth - 1)?;
            }
        }
        Ok(())
    }

    /// One of the alternatives holds: what is left is what one of them leaves.
    fn one_of(
        &mut self,
        shapes: &mut [Shape],
        alternatives: &[Alternative],
        known: &[Demand],
        depth: u32,
    ) -> Result<(), Contradiction> {
        if self.work >= self.limit {
            return Ok(());
        }
        let mut joined: Option<Vec<Shape>> = None;
        for alternative in alternatives {
            let mut own = shapes.to_vec();
            let outside = self.unknowns.len();
            let mut demands = alternative.demands.clone();
            // What is known counts here, too, but nothing is taken apart again for every alternative.
            for demand in known {
                if self.is_plain(demand.0, alternative.binders) {
                    demands.push(demand.clone());
                }
            }
            if let Some((first, count)) = alternative.binders {
                for i in 0..count as usize {
                    let binder = BinderId::from_index(first.index() + i);
                    self.unknowns.push(Unknown::Bound(binder));
                    own.push(Shape::of(self.context.sorts, self.context.terms.binders[binder]));
                }
            }
            let possible = !own.iter().any(Shape::is_nothing) && self.fulfil(&mut own, &demands, depth).is_ok();
            self.unknowns.truncate(outside);
            own.truncate(outside);
            if possible {
                joined = Some(match joined {
                    None => own,
                    Some(other) => other.iter().zip(&own).map(|(a, b)| a.join(b)).collect(),
                });
            }
        }
        let joined = joined.ok_or(Contradiction)?;
        for (shape, joined) in shapes.iter_mut().zip(joined) {
            *shape = shape.meet(&joined);
        }
        Ok(())
    }

    /// Whether nothing in a condition has to be taken apart, and it is not about variables that are bound anew.
    fn is_plain(&mut self, term: TermId, binders: Option<(BinderId, u32)>) -> bool {
        match (self.plain(term), binders) {
            (None, _) => false,
            (Some(bound), Some((first, count))) => {
                bound.end <= first.index() || first.index() + count as usize <= bound.start
            }
            (Some(_), None) => true,
        }
    }

    /// The bound variables of a condition in which nothing has to be taken apart: all of them are in this range.
    fn plain(&mut self, term: TermId) -> Option<Range<usize>> {
        if let Some(known) = self.plain.get(&term) {
            return known.clone();
        }
        let terms = self.context.terms;
        let found = match terms.get(term) {
            Term::App(Op::And | Op::Or | Op::Not | Op::Ite | Op::Exists { .. } | Op::Each { .. } | Op::Defined, _) => {
                None
            }
            Term::App(_, args) => args.iter().try_fold(0..0, |all: Range<usize>, a| {
                let own = self.plain(*a)?;
                Some(match (all.is_empty(), own.is_empty()) {
                    (true, _) => own,
                    (_, true) => all,
                    _ => all.start.min(own.start)..all.end.max(own.end),
                })
            }),
            Term::Bound(b, _) => Some(b.index()..b.index() + 1),
            _ => Some(0..0),
        };
        self.plain.insert(term, found.clone());
        found
    }

    /// Which unknown a leaf is.
    fn unknown(&self, leaf: &Term) -> Option<usize> {
        let unknown = match leaf {
            Term::Param(i, _) => Unknown::Param(*i),
            Term::Bound(b, _) => Unknown::Bound(*b),
            Term::Symbol(y, _) => Unknown::Symbol(*y),
            _ => return None,
        };
        self.unknowns.iter().rposition(|u| *u == unknown)
    }

    /// All terms of the conditions except what is inside of quantifiers and operations over collections, each with a shape.
    fn upwards(&mut self, shapes: &[Shape], conditions: &[TermId]) -> Nodes {
        let mut nodes = Nodes {
            order: Vec::new(),
            at: FxHashMap::default(),
            shapes: Vec::new(),
            required: Vec::new(),
            cases: Vec::new(),
        };
        for condition in conditions {
            self.visit(*condition, shapes, &mut nodes);
        }
        nodes.required = vec![false; nodes.order.len()];
        nodes
    }

    fn visit(&mut self, term: TermId, unknowns: &[Shape], nodes: &mut Nodes) {
        if nodes.at.contains_key(&term) {
            return;
        }
        let terms = self.context.terms;
        if let Term::App(op, args) = terms.get(term)
            && op.binders().is_none()
            && *op != Op::Defined
        {
            for a in args {
                self.visit(*a, unknowns, nodes);
            }
        }
        self.work += 1;
        let shape = match terms.get(term) {
            Term::App(op, args) => self.computed(*op, args, term, nodes),
            leaf => match self.unknown(leaf) {
                Some(i) => unknowns[i].clone(),
                None => self.known(leaf).map_or_else(|| Shape::of(self.context.sorts, terms.sort(term)), Shape::only),
            },
        };
        nodes.at.insert(term, nodes.order.len());
        nodes.order.push(term);
        nodes.shapes.push(shape);
    }

    /// The value of a leaf that is no unknown, if there is one.
    fn known(&self, leaf: &Term) -> Option<Value> {
        match leaf {
            Term::Const(v, _) => Some(v.clone()),
            Term::Var(v, _) => self.env.vars.get(v.index()).cloned(),
            Term::Param(i, _) => self.env.params.get(*i as usize).cloned(),
            Term::Symbol(y, _) => self.env.symbols.get(y.index()).cloned(),
            Term::Bound(b, _) => self.env.bound.iter().rev().find(|(id, _)| id == b).map(|(_, v)| v.clone()),
            Term::ProcessParam(..) | Term::App(..) => None,
        }
    }
}

/// Requires that a term is defined, with a value in the shape.
fn require(nodes: &mut Nodes, term: TermId, shape: &Shape) -> Result<(), Contradiction> {
    let i = nodes.at[&term];
    nodes.required[i] = true;
    let met = nodes.shapes[i].meet(shape);
    let nothing = met.is_nothing();
    nodes.shapes[i] = met;
    if nothing { Err(Contradiction) } else { Ok(()) }
}
