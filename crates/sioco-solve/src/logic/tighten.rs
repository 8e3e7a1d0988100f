//! Conjunctions without redundant parts. Of several bounds of one linear form, only the tightest stays. Bounds that
//! contradict each other make the whole conjunction false; so do a literal and its negation.

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::TermId;
use sioco_model::number::Rational;

use super::formula::{Context, FALSE, Formula, and};
use super::linear::{Compare, Linear, Relation};

/// A bound, whether it is strict, and the conjunct that says so.
type Limit = (Rational, bool, usize);

/// What is known of a linear form without its constant.
#[derive(Default)]
struct Known {
    lower: Option<Limit>,
    upper: Option<Limit>,
    equal: Option<(Rational, usize)>,
    different: Vec<(Rational, usize)>,
    real: bool,
}

impl Context<'_> {
    /// An equivalent conjunction.
    pub fn tightened(&mut self, conjuncts: Vec<Formula>) -> Formula {
        let mut forms: FxHashMap<Vec<(TermId, Rational)>, Known> = FxHashMap::default();
        let mut order = Vec::new();
        let mut keep = vec![true; conjuncts.len()];
        let mut literals = FxHashSet::default();
        for (i, c) in conjuncts.iter().enumerate() {
            let Formula::Lit(t) = c else { continue };
            if literals.contains(&self.negate_literal(*t)) {
                return FALSE;
            }
            literals.insert(*t);
            let Some(relation) = self.relation(*t) else { continue };
            let Ok(Relation { form, compare, real }) = relation.canonical() else { continue };
            // form + constant ~ 0; the first coefficient is made positive.
            let positive = form.terms[0].1 > Rational::ZERO;
            let sign = if positive { Rational::ONE } else { -Rational::ONE };
            let form = form.scale(&sign);
            let limit = -&form.constant;
            let known = forms.entry(form.terms.clone()).or_insert_with(|| {
                order.push(form.terms.clone());
                Known { real, ..Known::default() }
            });
            match compare {
                Compare::Ne => known.different.push((limit, i)),
                Compare::Eq => match &known.equal {
                    Some((other, _)) if *other != limit => return FALSE,
                    Some(_) => keep[i] = false,
                    None => known.equal = Some((limit, i)),
                },
                Compare::Le | Compare::Lt => {
                    let strict = compare == Compare::Lt;
                    let place = if positive { &mut known.upper } else { &mut known.lower };
                    let tighter = place.as_ref().is_none_or(|(old, old_strict, _)| {
                        let inside = if positive { limit < *old } else { limit > *old };
                        inside || (limit == *old && strict && !old_strict)
                    });
                    match (tighter, place.as_ref().map(|p| p.2)) {
                        (false, _) => keep[i] = false,
                        (true, Some(old)) => keep[old] = false,
                        (true, None) => {}
                    }
                    if tighter {
                        *place = Some((limit, strict, i));
                    }
                }
            }
        }
        let mut added = Vec::new();
        for terms in order {
            let known = &forms[&terms];
            if known.contradicts() {
                return FALSE;
            }
            known.drop_implied(&mut keep);
            if let Some((value, at)) = known.meets() {
                // Bounds that meet determine the value.
                at.iter().for_each(|i| keep[*i] = false);
                let form = Linear { terms, constant: -value };
                added.push(self.of_relation(Relation { form, compare: Compare::Eq, real: known.real }));
            }
        }
        let kept = conjuncts.into_iter().zip(keep).filter(|(_, k)| *k).map(|(c, _)| c);
        and(kept.chain(added).collect())
    }
}

impl Known {
    fn allows(&self, value: &Rational) -> bool {
        let low = self.lower.as_ref().is_none_or(|(l, strict, _)| l < value || (l == value && !strict));
        let high = self.upper.as_ref().is_none_or(|(u, strict, _)| value < u || (u == value && !strict));
        low && high
    }

    fn contradicts(&self) -> bool {
        if let Some((value, _)) = &self.equal {
            return !self.allows(value) || self.different.iter().any(|(d, _)| d == value);
        }
        match (&self.lower, &self.upper) {
            (Some((l, ls, _)), Some((u, us, _))) => l > u || (l == u && (*ls || *us)),
            _ => false,
        }
    }

    fn drop_implied(&self, keep: &mut [bool]) {
        for (value, i) in &self.different {
            if self.equal.is_some() || !self.allows(value) {
                keep[*i] = false;
            }
        }
        if self.equal.is_some() {
            for (_, _, i) in self.lower.iter().chain(&self.upper) {
                keep[*i] = false;
            }
        }
    }

    /// The value that two bounds leave, and these bounds.
    fn meets(&self) -> Option<(Rational, [usize; 2])> {
        match (&self.lower, &self.upper) {
            (Some((l, _, i)), Some((u, _, j))) if l == u && self.equal.is_none() => Some((l.clone(), [*i, *j])),
            _ => None,
        }
    }
}
