//! Equality: of numbers, of tokens, of truth values, and of data with fields.

use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{TermId, Value};

use super::constraint::{All, any, linear, never};
use super::linear::{Linear, Relation};
use super::normal::{Normaliser, Whole};
use super::place::PlaceId;
use super::store::{NO_HI, NO_LO};
use super::text;
use crate::query::Terms;

/// Equality of data looks at most this deep: each level has all fields of the one above. What is deeper is left to
/// others.
pub(super) const MAX_NESTING: u32 = 3;

/// One side of an equality.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a> {
    Term(TermId),
    Place(PlaceId),
    Value(&'a Value),
}

/// Two things of one sort are equal, or are not.
#[derive(Clone, Copy)]
pub(super) struct Equality<T> {
    pub a: T,
    pub b: T,
    pub positive: bool,
    /// In how many data they are.
    pub depth: u32,
}

impl<T> Equality<T> {
    /// The same claim about parts of both.
    fn inside<U>(&self, a: U, b: U) -> Equality<U> {
        Equality { a, b, positive: self.positive, depth: self.depth + 1 }
    }
}

impl Normaliser {
    /// Two operands are equal, or are not.
    pub(super) fn equal(&mut self, terms: Terms<'_>, claim: Equality<Operand<'_>>, out: &mut All) {
        let Equality { a, b, positive, .. } = claim;
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
                self.same_data(terms, claim, out);
            }
            Sort::Real { .. } => self.same_real(terms, a, b, positive, out),
            Sort::Data(_) | Sort::String | Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) => {
                if positive && matches!(terms.sorts.get(sort), Sort::String | Sort::Seq(_)) {
                    self.same_length(terms, a, b, out);
                }
                let forms = self.coded(terms, a, out).zip(self.coded(terms, b, out));
                match forms.and_then(|(a, b)| a.add(&b, -1)) {
                    Some(form) => linear(&form, relation, out),
                    None => self.opaque(),
                }
            }
        }
    }

    /// Strings and sequences that are equal are equally long.
    fn same_length(&mut self, terms: Terms<'_>, a: Operand<'_>, b: Operand<'_>, out: &mut All) {
        let [Some(a), Some(b)] = [a, b].map(|operand| self.length(terms, operand, out)) else { return };
        if let Some(form) = a.add(&b, -1) {
            linear(&form, Relation::Eq, out);
        }
    }

    fn length(&mut self, terms: Terms<'_>, operand: Operand<'_>, out: &mut All) -> Option<Linear> {
        let value = match operand {
            Operand::Value(v) => Some(v),
            Operand::Term(t) => terms.pool.as_const(t),
            Operand::Place(_) => None,
        };
        if let Some(value) = value {
            return Linear::constant(i128::from(text::length(value)?));
        }
        let place = match operand {
            Operand::Place(p) => p,
            Operand::Term(t) => self.place(terms, t, out)?,
            Operand::Value(_) => return None,
        };
        self.places.length(terms.sorts, place).map(Linear::var)
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
    fn same_data(&mut self, terms: Terms<'_>, claim: Equality<Operand<'_>>, out: &mut All) {
        let Equality { a, b, positive, depth } = claim;
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
            (None, None) => {
                let places = place(self, a, out).zip(place(self, b, out));
                return match places {
                    Some((a, b)) => self.same_places(terms, Equality { a, b, positive, depth }, out),
                    None => self.opaque(),
                };
            }
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
            let fields = claim.inside(Operand::Place(field), other);
            if positive {
                self.equal(terms, fields, out);
            } else {
                let mut all = All::new();
                self.tag(place, constructor, true, &mut all);
                self.equal(terms, fields, &mut all);
                alternatives.push(all);
            }
        }
        if !positive {
            any(alternatives, out);
        }
    }

    /// Equality of two places of a data type: for some constructor both are made by it, and the fields are equal.
    fn same_places(&mut self, terms: Terms<'_>, claim: Equality<PlaceId>, out: &mut All) {
        let Equality { a, b, positive, .. } = claim;
        let Sort::Data(d) = terms.sorts.get(self.places.places[a as usize].sort) else { return self.opaque() };
        let numbers = [a, b].map(|p| self.places.places[p as usize].var.map(Linear::var));
        let [Some(left), Some(right)] = numbers else { return self.opaque() };
        let Some(difference) = left.add(&right, -1) else { return self.opaque() };
        let mut alternatives = Vec::new();
        if positive {
            linear(&difference, Relation::Eq, out);
        } else {
            let mut all = All::new();
            linear(&difference, Relation::Ne, &mut all);
            alternatives.push(all);
        }
        for (c, constructor) in terms.sorts.data[*d].constructors.iter().enumerate() {
            let mut equal = All::new();
            self.tag(a, c as u32, true, &mut equal);
            self.tag(b, c as u32, true, &mut equal);
            for i in 0..constructor.fields.len() {
                let fields = [a, b].map(|p| self.places.field(terms.sorts, p, c as u32, i as u32));
                let [Some(left), Some(right)] = fields.map(|f| f.map(Operand::Place)) else { return self.opaque() };
                if positive {
                    self.equal(terms, claim.inside(left, right), &mut equal);
                } else {
                    let mut differ = equal.clone();
                    self.equal(terms, claim.inside(left, right), &mut differ);
                    alternatives.push(differ);
                }
            }
            if positive {
                alternatives.push(equal);
            }
        }
        any(alternatives, out);
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
