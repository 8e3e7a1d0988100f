//! From terms to constraints.
//!
//! A literal is a Bool term with the value that it has to have: "true" means that the reference evaluator says
//! `Ok(true)`, "false" that it says `Ok(false)`; an undefined term is neither. Whatever is evaluated on the way must
//! be defined, so `Checked` and `Field` inside of a literal become constraints of their own, and short circuits keep
//! their order where something may be undefined.
//!
//! The constraints of a conjunct are always implied by it. Where they are also enough, the conjunct is *exact*;
//! otherwise the reference evaluator has the last word once values are chosen.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{SymbolId, TermId, Value};

use super::constraint::{All, any, linear, never};
use super::linear::{Linear, Relation};
use super::place::{PlaceId, Places};
use super::store::{NO_HI, NO_LO};
use crate::query::Terms;

/// How many literals a conjunct may unfold to: shared terms could unfold to exponentially many.
const MAX_LITERALS: u32 = 2_000;
/// How many side conditions an integer term may have.
const MAX_SIDES: usize = 32;
/// How deep equality of data looks.
const MAX_NESTING: u32 = 3;
/// How many conjuncts are remembered.
const MAX_REMEMBERED: usize = 1 << 17;

/// A conjunct as constraints.
#[derive(Debug)]
pub(crate) struct Normal {
    pub constraints: All,
    /// Its symbols, ordered.
    pub symbols: Box<[SymbolId]>,
    /// Whether the constraints say all of it.
    pub exact: bool,
}

/// An integer term: its form, and what must hold for the form to be right and the term defined.
#[derive(Clone)]
struct Whole {
    /// Over symbols, as far as possible.
    form: Linear,
    /// The same with names for sums that other sums are made of.
    named: Linear,
    sides: All,
    exact: bool,
}

impl Whole {
    fn constant(n: i128) -> Option<Whole> {
        Linear::constant(n).map(Whole::from)
    }

    /// `self - other + constant`. Names tie sums of one path together, where bounds would be lost between two long
    /// sums; but what cancels out should, so a short difference has no names.
    fn minus(&self, other: &Whole, constant: i128) -> Option<Linear> {
        let constant = Linear { terms: Vec::new(), constant };
        let plain = self.form.add(&other.form, -1)?.add(&constant, 1)?;
        if plain.terms.len() <= 2 {
            return Some(plain);
        }
        self.named.add(&other.named, -1)?.add(&constant, 1)
    }
}

impl From<Linear> for Whole {
    fn from(form: Linear) -> Whole {
        Whole { named: form.clone(), form, sides: All::new(), exact: true }
    }
}

/// One side of an equality.
#[derive(Clone, Copy)]
enum Operand<'a> {
    Term(TermId),
    Place(PlaceId),
    Value(&'a Value),
}

/// Makes and remembers normal forms.
#[derive(Default)]
pub(crate) struct Normaliser {
    pub places: Places,
    normals: FxHashMap<TermId, Arc<Normal>>,
    wholes: FxHashMap<TermId, Whole>,
    literals: u32,
    exact: bool,
}

impl Normaliser {
    /// The constraints of a conjunct.
    pub fn normal(&mut self, terms: Terms<'_>, conjunct: TermId) -> Arc<Normal> {
        if let Some(normal) = self.normals.get(&conjunct) {
            return Arc::clone(normal);
        }
        if self.normals.len() >= MAX_REMEMBERED {
            self.normals.clear();
        }
        if self.wholes.len() >= MAX_REMEMBERED {
            self.wholes.clear();
        }
        let mut symbols = Vec::new();
        terms.pool.visit(conjunct, &mut |_, t| {
            if let Term::Symbol(y, _) = t {
                symbols.push(*y);
            }
        });
        symbols.sort_unstable();
        symbols.dedup();
        for y in &symbols {
            self.places.root(terms, *y);
        }
        self.literals = 0;
        self.exact = true;
        let mut constraints = All::new();
        self.literal(terms, conjunct, true, &mut constraints);
        let normal = Arc::new(Normal { constraints, symbols: symbols.into(), exact: self.exact });
        self.normals.insert(conjunct, Arc::clone(&normal));
        normal
    }

    /// Says nothing about the literal.
    fn opaque(&mut self) {
        self.exact = false;
    }

    /// A literal in an alternative of its own.
    fn alternative(&mut self, terms: Terms<'_>, parts: &[(TermId, bool)]) -> All {
        let mut out = All::new();
        for (term, positive) in parts {
            self.literal(terms, *term, *positive, &mut out);
        }
        out
    }

    fn literal(&mut self, terms: Terms<'_>, term: TermId, positive: bool, out: &mut All) {
        self.literals += 1;
        if self.literals > MAX_LITERALS {
            return self.opaque();
        }
        let (op, args) = match terms.pool.get(term) {
            Term::Const(Value::Bool(b), _) => {
                if *b != positive {
                    out.push(never());
                }
                return;
            }
            Term::App(op, args) => (*op, &**args),
            _ => match self.place(terms, term, out) {
                Some(place) => return self.truth(place, positive, out),
                None => return self.opaque(),
            },
        };
        match (op, positive) {
            (Op::Not, _) => self.literal(terms, args[0], !positive, out),
            (Op::And, true) | (Op::Or, false) => {
                for a in args {
                    self.literal(terms, *a, positive, out);
                }
            }
            (Op::And | Op::Or, _) => self.junction(terms, args, positive, out),
            (Op::Ite, _) => {
                let alternatives = vec![
                    self.alternative(terms, &[(args[0], true), (args[1], positive)]),
                    self.alternative(terms, &[(args[0], false), (args[2], positive)]),
                ];
                any(alternatives, out);
            }
            (Op::Eq, _) => self.equal(terms, Operand::Term(args[0]), Operand::Term(args[1]), positive, 0, out),
            (Op::Lt | Op::Le, _) if terms.pool.sort(args[0]) == terms.sorts.int => {
                // a <= b is a - b <= 0, its negation is b - a + 1 <= 0; likewise a < b.
                let (left, right) = if positive { (args[0], args[1]) } else { (args[1], args[0]) };
                let strict = (op == Op::Lt) == positive;
                let left = self.whole(terms, left, out);
                let right = self.whole(terms, right, out);
                match left.minus(&right, i128::from(strict)) {
                    Some(form) => linear(&form, Relation::Le, out),
                    None => self.opaque(),
                }
            }
            (Op::Is(c), _) => match self.place(terms, args[0], out) {
                Some(place) => self.tag(place, c, positive, out),
                None => self.opaque(),
            },
            (Op::Field(..) | Op::Checked(_), _) => match self.place(terms, term, out) {
                Some(place) => self.truth(place, positive, out),
                None => self.opaque(),
            },
            _ => self.opaque(),
        }
    }

    /// A disjunction of literals: the first that decides, with those before it defined and the other way round.
    fn junction(&mut self, terms: Terms<'_>, args: &[TermId], positive: bool, out: &mut All) {
        let mut before: Vec<(TermId, bool)> = Vec::new();
        let mut alternatives = Vec::with_capacity(args.len());
        let mut partial = false;
        for a in args {
            let parts = if partial { &before[..] } else { &[] };
            let mut alternative = self.alternative(terms, parts);
            self.literal(terms, *a, positive, &mut alternative);
            alternatives.push(alternative);
            before.push((*a, !positive));
            partial |= terms.pool.is_partial(*a);
        }
        any(alternatives, out);
    }

    fn truth(&mut self, place: PlaceId, positive: bool, out: &mut All) {
        self.tag(place, u32::from(positive), true, out);
    }

    /// Whether the number of a place is this one.
    fn tag(&mut self, place: PlaceId, tag: u32, positive: bool, out: &mut All) {
        let Some(var) = self.places.places[place as usize].var else { return self.opaque() };
        let relation = if positive { Relation::Eq } else { Relation::Ne };
        linear(&Linear { terms: vec![(var, 1)], constant: -i128::from(tag) }, relation, out);
    }

    /// The place that a term denotes, with what must hold for it to be defined.
    fn place(&mut self, terms: Terms<'_>, term: TermId, out: &mut All) -> Option<PlaceId> {
        match terms.pool.get(term) {
            Term::Symbol(y, _) => Some(self.places.root(terms, *y)),
            Term::App(Op::Field(c, i), args) => {
                let parent = self.place(terms, args[0], out)?;
                self.tag(parent, *c, true, out);
                self.places.field(terms.sorts, parent, *c, *i)
            }
            Term::App(Op::Checked(sort), args) => {
                let place = self.place(terms, args[0], out)?;
                // The sort of the place may already say it; otherwise the evaluator has to.
                if !terms.sorts.includes(*sort, self.places.places[place as usize].sort) {
                    self.opaque();
                }
                Some(place)
            }
            _ => None,
        }
    }

    fn equal(&mut self, terms: Terms<'_>, a: Operand<'_>, b: Operand<'_>, positive: bool, depth: u32, out: &mut All) {
        let sort = match (a, b) {
            (Operand::Term(t), _) | (_, Operand::Term(t)) => terms.pool.sort(t),
            (Operand::Place(p), _) | (_, Operand::Place(p)) => self.places.places[p as usize].sort,
            (Operand::Value(x), Operand::Value(y)) => {
                if (x == y) != positive {
                    out.push(never());
                }
                return;
            }
        };
        let relation = if positive { Relation::Eq } else { Relation::Ne };
        match terms.sorts.get(sort) {
            Sort::Bool => self.same_truth(terms, a, b, positive, out),
            Sort::Int { .. } => {
                let forms = self.operand(terms, a, out).zip(self.operand(terms, b, out));
                match forms.and_then(|(a, b)| a.minus(&b, 0)) {
                    Some(form) => linear(&form, relation, out),
                    None => self.opaque(),
                }
            }
            Sort::Data(_) if !self.places.is_scalar(terms.sorts, sort) => {
                self.same_data(terms, a, b, positive, depth, out);
            }
            Sort::Data(_) | Sort::Real { .. } | Sort::String | Sort::Seq(_) => {
                let forms = self.coded(terms, a, out).zip(self.coded(terms, b, out));
                match forms.and_then(|(a, b)| a.add(&b, -1)) {
                    Some(form) => linear(&form, relation, out),
                    None => self.opaque(),
                }
            }
        }
    }

    /// The integer of an operand.
    fn operand(&mut self, terms: Terms<'_>, operand: Operand<'_>, out: &mut All) -> Option<Whole> {
        match operand {
            Operand::Term(t) => Some(self.whole(terms, t, out)),
            Operand::Place(p) => self.places.places[p as usize].var.map(|v| Linear::var(v).into()),
            Operand::Value(Value::Int(n)) => Whole::constant(i128::from(*n)),
            Operand::Value(_) => None,
        }
    }

    /// The number that stands for an operand: a constant, or a place.
    fn coded(&mut self, terms: Terms<'_>, operand: Operand<'_>, out: &mut All) -> Option<Linear> {
        let place = match operand {
            Operand::Value(v) => return Linear::constant(i128::from(self.places.encode(v)?)),
            Operand::Place(p) => p,
            Operand::Term(t) => match terms.pool.get(t) {
                Term::Const(v, _) => return Linear::constant(i128::from(self.places.encode(v)?)),
                Term::App(Op::Construct(c), args) if args.is_empty() => return Linear::constant(i128::from(*c)),
                Term::App(Op::Ite, args) => {
                    // A helper that is one of the two.
                    let helper = self.places.helper(NO_LO, NO_HI);
                    let mut alternatives = Vec::new();
                    for (branch, positive) in [(args[1], true), (args[2], false)] {
                        let mut all = self.alternative(terms, &[(args[0], positive)]);
                        let form = self.coded(terms, Operand::Term(branch), &mut all)?;
                        linear(&form.add(&Linear::var(helper), -1)?, Relation::Eq, &mut all);
                        alternatives.push(all);
                    }
                    any(alternatives, out);
                    return Some(Linear::var(helper));
                }
                _ => self.place(terms, t, out)?,
            },
        };
        self.places.places[place as usize].var.map(Linear::var)
    }

    fn same_truth(&mut self, terms: Terms<'_>, a: Operand<'_>, b: Operand<'_>, positive: bool, out: &mut All) {
        let side = |this: &mut Self, operand: Operand<'_>, value: bool, out: &mut All| match operand {
            Operand::Term(t) => this.literal(terms, t, value, out),
            Operand::Place(p) => this.truth(p, value, out),
            Operand::Value(v) => {
                if *v != Value::Bool(value) {
                    out.push(never());
                }
            }
        };
        let alternatives = [true, false].map(|value| {
            let mut all = All::new();
            side(self, a, value, &mut all);
            side(self, b, value == positive, &mut all);
            all
        });
        any(alternatives.into(), out);
    }

    /// Equality of data with fields: the same constructor, and equal fields.
    fn same_data(
        &mut self,
        terms: Terms<'_>,
        a: Operand<'_>,
        b: Operand<'_>,
        positive: bool,
        depth: u32,
        out: &mut All,
    ) {
        if depth >= MAX_NESTING {
            return self.opaque();
        }
        // A place on one side, and something whose constructor is known on the other.
        let place = |this: &mut Self, operand, out: &mut All| match operand {
            Operand::Place(p) => Some(p),
            Operand::Term(t) => this.place(terms, t, out),
            Operand::Value(_) => None,
        };
        let known = |operand| match operand {
            Operand::Value(v) => Some((v.constructor()?, Fields::Values(value_fields(v)))),
            Operand::Term(t) => match terms.pool.get(t) {
                Term::Const(v, _) => Some((v.constructor()?, Fields::Values(value_fields(v)))),
                Term::App(Op::Construct(c), args) => Some((*c, Fields::Terms(args))),
                _ => None,
            },
            Operand::Place(_) => None,
        };
        let (place, (constructor, fields)) = match (known(a), known(b)) {
            (None, Some(k)) => match place(self, a, out) {
                Some(p) => (p, k),
                None => return self.opaque(),
            },
            (Some(k), None) => match place(self, b, out) {
                Some(p) => (p, k),
                None => return self.opaque(),
            },
            _ => return self.opaque(),
        };
        let count = match &fields {
            Fields::Values(v) => v.len(),
            Fields::Terms(t) => t.len(),
        };
        // Partial arguments are evaluated even where the constructors differ.
        if !positive && matches!(fields, Fields::Terms(t) if t.iter().any(|t| terms.pool.is_partial(*t))) {
            return self.opaque();
        }
        let mut alternatives = Vec::new();
        if positive {
            self.tag(place, constructor, true, out);
        } else {
            let mut all = All::new();
            self.tag(place, constructor, false, &mut all);
            alternatives.push(all);
        }
        for i in 0..count {
            let Some(field) = self.places.field(terms.sorts, place, constructor, i as u32) else {
                return self.opaque();
            };
            let other = match &fields {
                Fields::Values(v) => Operand::Value(&v[i]),
                Fields::Terms(t) => Operand::Term(t[i]),
            };
            if positive {
                self.equal(terms, Operand::Place(field), other, true, depth + 1, out);
            } else {
                let mut all = All::new();
                self.tag(place, constructor, true, &mut all);
                self.equal(terms, Operand::Place(field), other, false, depth + 1, &mut all);
                alternatives.push(all);
            }
        }
        if !positive {
            any(alternatives, out);
        }
    }

    /// The linear form of an integer term; what is not linear gets a helper variable, about which little is known.
    fn whole(&mut self, terms: Terms<'_>, term: TermId, out: &mut All) -> Whole {
        if let Some(whole) = self.wholes.get(&term) {
            out.extend(whole.sides.iter().cloned());
            self.exact &= whole.exact;
            return whole.clone();
        }
        let outer = std::mem::replace(&mut self.exact, true);
        let mut sides = All::new();
        let mut whole = self.arithmetic(terms, term, &mut sides).unwrap_or_else(|| {
            self.exact = false;
            let least = if matches!(terms.pool.get(term), Term::App(Op::Len, _)) { 0 } else { NO_LO };
            Linear::var(self.places.helper(least, NO_HI)).into()
        });
        for side in sides {
            if !whole.sides.iter().any(|k| Arc::ptr_eq(k, &side) || k == &side) {
                whole.sides.push(side);
            }
            if whole.sides.len() >= MAX_SIDES {
                self.exact = false;
                break;
            }
        }
        whole.exact = self.exact;
        out.extend(whole.sides.iter().cloned());
        // A literal that gave up inside would give up elsewhere: do not remember it.
        if self.literals <= MAX_LITERALS {
            self.wholes.insert(term, whole.clone());
        }
        self.exact &= outer;
        whole
    }

    /// A sum with the sums that it is made of named, and itself if it is one that others may be made of.
    fn sum(&mut self, terms: Terms<'_>, args: &[TermId], wholes: &[Whole], factor: i64) -> Option<Whole> {
        let mut form = wholes[0].form.clone();
        let mut named = wholes[0].named.clone();
        for w in &wholes[1..] {
            form = form.add(&w.form, factor)?;
            named = named.add(&w.named, factor)?;
        }
        let nested = args.iter().any(|a| matches!(terms.pool.get(*a), Term::App(Op::Add | Op::Sub, _)));
        if form.terms.len() <= 2 {
            named = form.clone();
        }
        if nested && form.terms.len() >= 2 && named.terms.len() >= 2 {
            named = self.places.name(&named)?;
        }
        Some(Whole { form, named, sides: All::new(), exact: true })
    }

    fn arithmetic(&mut self, terms: Terms<'_>, term: TermId, sides: &mut All) -> Option<Whole> {
        let (op, args) = match terms.pool.get(term) {
            Term::Const(Value::Int(n), _) => return Whole::constant(i128::from(*n)),
            Term::Const(Value::BigInt(n), _) => return Whole::constant(i128::try_from(n.as_ref()).ok()?),
            Term::Symbol(y, _) => {
                let place = self.places.root(terms, *y);
                return self.places.places[place as usize].var.map(|v| Linear::var(v).into());
            }
            Term::App(op, args) => (*op, &**args),
            _ => return None,
        };
        // Every argument that is evaluated must be defined, even if the form cannot be had.
        let mut wholes = Vec::new();
        if matches!(op, Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::Div | Op::Mod | Op::Min | Op::Max | Op::Abs)
            || matches!(op, Op::Checked(_))
        {
            wholes = args.iter().map(|a| self.whole(terms, *a, sides)).collect();
        }
        let forms: Vec<&Linear> = wholes.iter().map(|w| &w.form).collect();
        let form = match op {
            Op::Add => return self.sum(terms, args, &wholes, 1),
            Op::Sub => return self.sum(terms, args, &wholes, -1),
            Op::Neg => forms[0].scale(-1),
            Op::Mul => forms[1..].iter().try_fold(forms[0].clone(), |product, f| {
                match (product.as_constant(), f.as_constant()) {
                    (_, Some(k)) => product.scale(k),
                    (Some(k), _) => f.scale(k),
                    _ => None,
                }
            }),
            Op::Div | Op::Mod => {
                // dividend == divisor * quotient + remainder, 0 <= remainder < |divisor|.
                if forms[1].as_constant().is_none() {
                    linear(forms[1], Relation::Ne, sides);
                }
                let divisor = forms[1].as_constant().filter(|d| *d != 0)?;
                let last = i64::try_from(divisor.abs() - 1).ok()?;
                let remainder = Linear::var(self.places.helper(0, last));
                let quotient = Linear::var(self.places.helper(NO_LO, NO_HI));
                let form = forms[0].add(&quotient.scale(divisor)?, -1)?.add(&remainder, -1)?;
                linear(&form, Relation::Eq, sides);
                Some(if op == Op::Div { quotient } else { remainder })
            }
            Op::Min | Op::Max => {
                let sign = if op == Op::Max { 1 } else { -1 };
                self.one_of(&forms, sign, sides)
            }
            Op::Abs => {
                let both = [forms[0].clone(), forms[0].scale(-1)?];
                self.one_of(&[&both[0], &both[1]], 1, sides)
            }
            Op::Ite => {
                let helper = Linear::var(self.places.helper(NO_LO, NO_HI));
                let mut alternatives = Vec::new();
                for (branch, positive) in [(args[1], true), (args[2], false)] {
                    let mut all = self.alternative(terms, &[(args[0], positive)]);
                    let form = self.whole(terms, branch, &mut all).form;
                    linear(&form.add(&helper, -1)?, Relation::Eq, &mut all);
                    alternatives.push(all);
                }
                any(alternatives, sides);
                Some(helper)
            }
            Op::Checked(sort) => {
                let Sort::Int { lo, hi } = terms.sorts.get(sort) else { return None };
                for (bound, sign) in [(lo, -1), (hi, 1)] {
                    let Some(bound) = bound else { continue };
                    // sign * (form - bound) <= 0
                    let limit = i128::try_from(bound).ok().and_then(Linear::constant);
                    match limit.and_then(|b| forms[0].add(&b, -1)?.scale(sign)) {
                        Some(form) => linear(&form, Relation::Le, sides),
                        None => self.exact = false,
                    }
                }
                let Whole { form, named, .. } = wholes.swap_remove(0);
                return Some(Whole { form, named, sides: All::new(), exact: true });
            }
            Op::Field(..) => {
                let place = self.place(terms, term, sides)?;
                self.places.places[place as usize].var.map(Linear::var)
            }
            _ => None,
        };
        form.map(Whole::from)
    }

    /// A helper that is one of the forms, and (`sign` 1) at least or (-1) at most each of them.
    fn one_of(&mut self, forms: &[&Linear], sign: i64, sides: &mut All) -> Option<Linear> {
        let helper = Linear::var(self.places.helper(NO_LO, NO_HI));
        let mut alternatives = Vec::new();
        for f in forms {
            let difference = f.add(&helper, -1)?;
            let mut all = All::new();
            linear(&difference, Relation::Eq, &mut all);
            alternatives.push(all);
            linear(&difference.scale(i128::from(sign))?, Relation::Le, sides);
        }
        any(alternatives, sides);
        Some(helper)
    }
}

enum Fields<'a> {
    Values(&'a [Value]),
    Terms(&'a [TermId]),
}

fn value_fields(value: &Value) -> &[Value] {
    match value {
        Value::Data(d) => &d.fields,
        _ => &[],
    }
}
