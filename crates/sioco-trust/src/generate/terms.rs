//! Random terms and conditions of a sort.

use crate::rng::Rng;
use crate::spec::sort::TEXTS;
use crate::spec::{Arm, Compare, Sort, Term, Type, Val};

/// What a term may be about.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// The declared types.
    pub types: &'a [Type],
    /// Variables, parameters and names, with their sorts.
    pub known: Vec<(Term, Sort)>,
    /// Whether it may be undefined.
    pub errors: bool,
    /// The next number of a name in a `match`.
    pub names: usize,
}

fn boxed(term: Term) -> Box<Term> {
    Box::new(term)
}

impl Scope<'_> {
    fn of(&self, is: impl Fn(&Sort) -> bool) -> Vec<Term> {
        self.known.iter().filter(|(_, s)| is(s)).map(|(t, _)| t.clone()).collect()
    }

    /// A value of a sort.
    pub fn value(&self, rng: &mut Rng, sort: &Sort) -> Val {
        match sort {
            Sort::Wide => Val::Int(rng.between(-1, 4)),
            Sort::Text => Val::Text((*rng.pick(&TEXTS[..4])).into()),
            Sort::Int(low, high) => Val::Int(rng.between(*low, *high)),
            Sort::Bool => Val::Bool(rng.chance(50)),
            Sort::Data(t) => {
                let c = rng.below(self.types[*t].constructors.len());
                let fields = &self.types[*t].constructors[c].fields;
                Val::Data(c, fields.iter().map(|s| self.value(rng, s)).collect())
            }
            Sort::Seq(item) => {
                let length = rng.below(3);
                Val::Seq((0..length).map(|_| self.value(rng, item)).collect())
            }
        }
    }

    fn literal(&self, rng: &mut Rng, sort: &Sort) -> Term {
        Term::Value(self.value(rng, sort), sort.clone())
    }

    /// A term of a sort; it keeps to its range unless errors are wanted.
    pub fn term(&mut self, rng: &mut Rng, sort: &Sort, depth: usize) -> Term {
        let fits = |s: &Sort| match (s, sort) {
            (Sort::Int(a, b), Sort::Int(low, high)) => low <= a && b <= high,
            (a, b) => a == b,
        };
        let mut leaves = self.of(fits);
        leaves.extend(leaves.clone());
        leaves.push(self.literal(rng, sort));
        if depth == 0 || rng.chance(45) {
            return rng.pick(&leaves).clone();
        }
        if rng.chance(15) {
            let (a, b) = (self.term(rng, sort, 0), self.term(rng, sort, 0));
            return Term::If(boxed(self.condition(rng, 0)), boxed(a), boxed(b));
        }
        match sort {
            Sort::Int(low, high) => {
                if self.errors && rng.chance(60) {
                    return self.risky(rng);
                }
                let rest = Term::Mod(boxed(self.number(rng, depth)), boxed(Term::int(high - low + 1)));
                if *low == 0 { rest } else { Term::Add(boxed(Term::int(*low)), boxed(rest)) }
            }
            Sort::Bool => self.condition(rng, depth - 1),
            Sort::Data(t) if self.types[*t].record => {
                let f = rng.below(self.types[*t].constructors[0].fields.len());
                let record = self.of(|s| s == sort);
                let field = self.types[*t].constructors[0].fields[f].clone();
                match record.is_empty() || rng.chance(40) {
                    true => self.made(rng, *t, 0),
                    false => Term::With(boxed(rng.pick(&record).clone()), *t, f, boxed(self.term(rng, &field, 1))),
                }
            }
            Sort::Data(t) => {
                let c = rng.below(self.types[*t].constructors.len());
                self.made(rng, *t, c)
            }
            Sort::Seq(item) => {
                let sequences = self.of(|s| s == sort);
                if sequences.is_empty() || rng.chance(30) {
                    let length = rng.below(3);
                    return Term::Seq((0..length).map(|_| self.term(rng, item, 0)).collect());
                }
                let q = rng.pick(&sequences).clone();
                let (short, len) = (boxed(q.clone()), Term::Len(boxed(q.clone())));
                if rng.chance(60) {
                    let more = Term::Seq(vec![self.term(rng, item, 0)]);
                    let more = match rng.chance(70) {
                        true => Term::Concat(short.clone(), boxed(more)),
                        false => Term::Concat(boxed(more), short.clone()),
                    };
                    let room = Term::compare(Compare::Less, len, Term::int(2));
                    return Term::If(boxed(room), boxed(more), short);
                }
                let rest = Term::Slice(short.clone(), boxed(Term::int(1)), boxed(len.clone()));
                let some = Term::compare(Compare::Less, Term::int(0), len);
                if self.errors && rng.chance(50) { rest } else { Term::If(boxed(some), boxed(rest), short) }
            }
            Sort::Wide | Sort::Text => rng.pick(&leaves).clone(),
        }
    }

    fn made(&mut self, rng: &mut Rng, t: usize, c: usize) -> Term {
        let fields = self.types[t].constructors[c].fields.clone();
        Term::Make(t, c, fields.iter().map(|s| self.term(rng, s, 1)).collect())
    }

    /// A number that may be undefined, or leave a range.
    fn risky(&mut self, rng: &mut Rng) -> Term {
        // What is wrong with constants is an error of the text.
        let numbers = self.of(|s| matches!(s, Sort::Int(..)));
        if numbers.is_empty() {
            return Term::int(1);
        }
        let (number, by) = (rng.pick(&numbers).clone(), rng.pick(&numbers).clone());
        let sequences: Vec<(Term, Sort)> = self.known.iter().filter(|(_, s)| is_numbers(s)).cloned().collect();
        match rng.below(5) {
            0 => Term::Div(boxed(number), boxed(by)),
            1 => Term::Mod(boxed(number), boxed(by)),
            2 if !sequences.is_empty() => Term::Index(boxed(rng.pick(&sequences).0.clone()), boxed(by)),
            3 => self.field(rng).unwrap_or(Term::Add(boxed(number), boxed(Term::int(1)))),
            _ => Term::Add(boxed(number), boxed(Term::int(1))),
        }
    }

    /// A numeric field of a variant, whatever its constructor is.
    fn field(&self, rng: &mut Rng) -> Option<Term> {
        let mut fields = Vec::new();
        for (term, sort) in &self.known {
            let Sort::Data(t) = sort else { continue };
            for (c, constructor) in self.types[*t].constructors.iter().enumerate() {
                for (f, sort) in constructor.fields.iter().enumerate() {
                    if matches!(sort, Sort::Int(..)) {
                        fields.push(Term::Field(boxed(term.clone()), *t, c, f));
                    }
                }
            }
        }
        if fields.is_empty() { None } else { Some(rng.pick(&fields).clone()) }
    }

    /// Any number; it has a value unless errors are wanted.
    pub fn number(&mut self, rng: &mut Rng, depth: usize) -> Term {
        let mut leaves = vec![Term::int(rng.between(-1, 3))];
        let numbers = self.of(|s| matches!(s, Sort::Int(..)));
        leaves.extend(numbers.iter().chain(&numbers).cloned());
        leaves.extend(self.of(|s| matches!(s, Sort::Seq(_))).into_iter().map(|q| Term::Len(boxed(q))));
        for (term, sort) in &self.known {
            let Sort::Data(t) = sort else { continue };
            if !self.types[*t].record {
                continue;
            }
            for (f, sort) in self.types[*t].constructors[0].fields.iter().enumerate() {
                if matches!(sort, Sort::Int(..)) {
                    leaves.push(Term::Field(boxed(term.clone()), *t, 0, f));
                }
            }
        }
        if depth == 0 || rng.chance(40) {
            return rng.pick(&leaves).clone();
        }
        if self.errors && rng.chance(20) {
            return self.risky(rng);
        }
        let (a, b) = (boxed(self.number(rng, depth - 1)), boxed(self.number(rng, depth - 1)));
        match rng.below(10) {
            0..5 => Term::Add(a, b),
            5..8 => Term::Sub(a, b),
            8 => Term::Mul(a, b),
            _ => Term::Div(a, boxed(Term::int(2))),
        }
    }

    /// A condition.
    pub fn condition(&mut self, rng: &mut Rng, depth: usize) -> Term {
        if depth > 0 && rng.chance(40) {
            let (a, b) = (boxed(self.condition(rng, depth - 1)), boxed(self.condition(rng, depth - 1)));
            return match rng.below(7) {
                0..2 => Term::And(a, b),
                2..4 => Term::Or(a, b),
                4 => Term::Implies(a, b),
                5 => Term::If(boxed(self.condition(rng, 0)), a, b),
                _ => Term::Not(a),
            };
        }
        let subjects: Vec<(Term, Sort)> =
            self.known.iter().filter(|(_, s)| !matches!(s, Sort::Int(..))).cloned().collect();
        let numbers = self.of(|s| matches!(s, Sort::Int(..)));
        if subjects.is_empty() || (!numbers.is_empty() && rng.chance(45)) {
            let how = *rng.pick(&[Compare::Equal, Compare::Different, Compare::Less, Compare::LessOrEqual]);
            let (a, b) = (self.number(rng, 1), self.number(rng, depth.min(1)));
            return Term::compare(how, a, b);
        }
        let (subject, sort) = rng.pick(&subjects).clone();
        self.about(rng, subject, &sort, depth)
    }

    /// A condition about something that is no number of a range.
    fn about(&mut self, rng: &mut Rng, subject: Term, sort: &Sort, depth: usize) -> Term {
        let equal = *rng.pick(&[Compare::Equal, Compare::Equal, Compare::Different]);
        if rng.chance(25) || *sort == Sort::Text {
            if *sort == Sort::Text && rng.chance(40) {
                let part = Term::Value(Val::Text((*rng.pick(&["a", "b"])).into()), Sort::Text);
                return Term::Contains(boxed(subject), boxed(part));
            }
            let other = self.term(rng, sort, 0);
            return Term::compare(equal, subject, other);
        }
        match sort {
            Sort::Bool => subject,
            Sort::Wide => {
                let mut small = vec![Term::int(rng.between(-1, 4))];
                small.extend(self.of(|s| matches!(s, Sort::Int(low, high) if *low >= -1 && *high <= 4)));
                let other = rng.pick(&small).clone();
                let how = *rng.pick(&[Compare::Equal, Compare::Different, Compare::Less, Compare::LessOrEqual]);
                if rng.chance(50) { Term::compare(how, subject, other) } else { Term::compare(how, other, subject) }
            }
            Sort::Data(t) if self.types[*t].record => {
                let f = rng.below(self.types[*t].constructors[0].fields.len());
                let field = self.types[*t].constructors[0].fields[f].clone();
                let value = self.term(rng, &field, 0);
                Term::compare(equal, Term::Field(boxed(subject), *t, 0, f), value)
            }
            Sort::Data(t) => {
                let constructors = self.types[*t].constructors.len();
                if rng.chance(35) {
                    return Term::Is(boxed(subject), *t, rng.below(constructors));
                }
                self.matched(rng, subject, *t, depth)
            }
            Sort::Seq(item) => {
                let len = Term::Len(boxed(subject.clone()));
                match rng.below(10) {
                    0..4 => {
                        let how = *rng.pick(&[Compare::Equal, Compare::Less, Compare::LessOrEqual, Compare::Different]);
                        Term::compare(how, len, Term::int(rng.between(0, 2)))
                    }
                    4..7 => Term::Contains(boxed(subject), boxed(self.term(rng, item, 0))),
                    _ => {
                        let first = Term::Index(boxed(subject), boxed(Term::int(0)));
                        let is = Term::compare(equal, first, self.term(rng, item, 0));
                        if self.errors && rng.chance(40) {
                            return is;
                        }
                        Term::And(boxed(Term::compare(Compare::Less, Term::int(0), len)), boxed(is))
                    }
                }
            }
            Sort::Int(..) | Sort::Text => Term::compare(equal, subject.clone(), self.literal(rng, sort)),
        }
    }

    fn matched(&mut self, rng: &mut Rng, subject: Term, t: usize, depth: usize) -> Term {
        let mut arms = Vec::new();
        let mut rest = None;
        for (c, constructor) in self.types[t].constructors.iter().enumerate() {
            let names: Vec<usize> = (0..constructor.fields.len()).map(|i| self.names + i).collect();
            self.names += names.len();
            let known = self.known.len();
            self.known.extend(names.iter().map(|n| Term::Name(*n)).zip(constructor.fields.iter().cloned()));
            let value = match names.is_empty() && rng.chance(60) {
                true => Term::bool(rng.chance(40)),
                false => self.condition(rng, depth.saturating_sub(1)),
            };
            self.known.truncate(known);
            if c + 1 == self.types[t].constructors.len() && c > 0 && names.is_empty() {
                rest = Some(boxed(value));
            } else {
                arms.push(Arm { constructor: c, names, value });
            }
        }
        Term::Match(boxed(subject), t, arms, rest)
    }
}

fn is_numbers(sort: &Sort) -> bool {
    matches!(sort, Sort::Seq(item) if matches!(**item, Sort::Int(..)))
}
