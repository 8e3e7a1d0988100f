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
use super::equality::{Equality, MAX_NESTING, Operand};
use super::linear::{Linear, Relation};
use super::place::{PlaceId, Places};
use super::real::Real;
use super::says::{Says, says};
use super::store::{NO_HI, NO_LO};
use crate::query::Terms;

/// A conjunct may unfold to at most this many literals: shared terms could unfold to exponentially many. A guard of
/// people has some dozen.
const MAX_LITERALS: u32 = 2_000;
/// An integer term may have at most this many side conditions: each conditional or division in it adds some, and each
/// is decided for itself.
const MAX_SIDES: usize = 32;
/// At most this many conjuncts are remembered. When there are more, all are forgotten, and those that are needed are
/// made again: it only bounds the memory.
const MAX_REMEMBERED: usize = 1 << 17;

/// A conjunct as constraints.
#[derive(Debug)]
pub(crate) struct Normal {
    pub constraints: All,
    /// Its symbols, ordered.
    pub symbols: Box<[SymbolId]>,
    /// Whether the constraints say all of it.
    pub exact: bool,
    /// What it says of one symbol directly.
    pub says: Box<[Says]>,
}

/// An integer term: its form, and what must hold for the form to be right and the term defined.
#[derive(Clone)]
pub(super) struct Whole {
    /// Over symbols, as far as possible.
    form: Linear,
    /// The same with names for sums that other sums are made of.
    named: Linear,
    sides: All,
    exact: bool,
}

impl Whole {
    pub(super) fn constant(n: i128) -> Option<Whole> {
        Linear::constant(n).map(Whole::from)
    }

    pub(super) fn form(&self) -> &Linear {
        &self.form
    }

    /// `self - other + constant`. Names tie sums of one path together, where bounds would be lost between two long
    /// sums; but what cancels out should, so a short difference has no names.
    pub(super) fn minus(&self, other: &Whole, constant: i128) -> Option<Linear> {
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

/// Makes and remembers normal forms.
#[derive(Default)]
pub(crate) struct Normaliser {
    pub places: Places,
    normals: FxHashMap<TermId, Arc<Normal>>,
    wholes: FxHashMap<TermId, Whole>,
    /// The same of terms of reals.
    pub(super) reals: FxHashMap<TermId, Real>,
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
        if self.reals.len() >= MAX_REMEMBERED {
            self.reals.clear();
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
        if !self.exact {
            for y in &symbols {
                let place = self.places.root(terms, *y);
                self.places.unfold(terms.sorts, place, MAX_NESTING);
            }
        }
        let says = says(terms, conjunct);
        let normal = Arc::new(Normal { constraints, symbols: symbols.into(), exact: self.exact, says });
        self.normals.insert(conjunct, Arc::clone(&normal));
        normal
    }

    /// Says nothing about the literal.
    pub(super) fn opaque(&mut self) {
        self.exact = false;
    }

    /// Begins to look whether the constraints of a part say all of it; what was known before.
    pub(super) fn begin_exact(&mut self) -> bool {
        std::mem::replace(&mut self.exact, true)
    }

    /// Whether they do so far.
    pub(super) fn is_exact_so_far(&self) -> bool {
        self.exact
    }

    /// The part is done.
    pub(super) fn end_exact(&mut self, outer: bool) {
        self.exact &= outer;
    }

    /// Whether the conjunct is too large to go on with.
    pub(super) fn gave_up(&self) -> bool {
        self.literals > MAX_LITERALS
    }

    /// A literal in an alternative of its own.
    pub(super) fn alternative(&mut self, terms: Terms<'_>, parts: &[(TermId, bool)]) -> All {
        let mut out = All::new();
        for (term, positive) in parts {
            self.literal(terms, *term, *positive, &mut out);
        }
        out
    }

    pub(super) fn literal(&mut self, terms: Terms<'_>, term: TermId, positive: bool, out: &mut All) {
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
            (Op::Eq, _) => {
                let (a, b) = (Operand::Term(args[0]), Operand::Term(args[1]));
                self.equal(terms, Equality { a, b, positive, depth: 0 }, out);
            }
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
            (Op::Lt | Op::Le, _) if terms.pool.sort(args[0]) == terms.sorts.real => {
                let (left, right) = if positive { (args[0], args[1]) } else { (args[1], args[0]) };
                self.ordered(terms, left, right, (op == Op::Lt) == positive, out);
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

    pub(super) fn truth(&mut self, place: PlaceId, positive: bool, out: &mut All) {
        self.tag(place, u32::from(positive), true, out);
    }

    /// Whether the number of a place is this one.
    pub(super) fn tag(&mut self, place: PlaceId, tag: u32, positive: bool, out: &mut All) {
        let Some(var) = self.places.places[place as usize].var else { return self.opaque() };
        let relation = if positive { Relation::Eq } else { Relation::Ne };
        linear(&Linear { terms: vec![(var, 1)], constant: -i128::from(tag) }, relation, out);
    }

    /// The place that a term denotes, with what must hold for it to be defined.
    pub(super) fn place(&mut self, terms: Terms<'_>, term: TermId, out: &mut All) -> Option<PlaceId> {
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

    /// The linear form of an integer term; what is not linear gets a helper variable, about which little is known.
    pub(super) fn whole(&mut self, terms: Terms<'_>, term: TermId, out: &mut All) -> Whole {
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
            Op::Floor => self.floor(terms, args[0], sides),
            Op::Len => {
                let place = self.place(terms, args[0], sides)?;
                // The constraints do not say all that a token and its length have to do with each other.
                self.exact = false;
                self.places.length(terms.sorts, place).map(Linear::var)
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
