//! Terms.

use super::sort::{Sort, Val};

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// `==`
    Equal,
    /// `!=`
    Different,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
}

/// A case of a `match`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    /// The constructor.
    pub constructor: usize,
    /// The numbers of the names that the fields get; a number is used once in a term.
    pub names: Vec<usize>,
    /// What the `match` is then.
    pub value: Term,
}

/// A term. Conditions are terms, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A value of a sort.
    Value(Val, Sort),
    /// A variable of the process.
    Variable(usize),
    /// A parameter of the switch.
    Param(usize),
    /// A name of a case of a `match` around it.
    Name(usize),
    /// Sum.
    Add(Box<Term>, Box<Term>),
    /// Difference.
    Sub(Box<Term>, Box<Term>),
    /// Product.
    Mul(Box<Term>, Box<Term>),
    /// Euclidean division.
    Div(Box<Term>, Box<Term>),
    /// Euclidean remainder.
    Mod(Box<Term>, Box<Term>),
    /// Comparison.
    Compare(Compare, Box<Term>, Box<Term>),
    /// Conjunction; the right side only if it is needed.
    And(Box<Term>, Box<Term>),
    /// Disjunction, likewise.
    Or(Box<Term>, Box<Term>),
    /// Implication, likewise.
    Implies(Box<Term>, Box<Term>),
    /// Negation.
    Not(Box<Term>),
    /// Choice; only one side is evaluated.
    If(Box<Term>, Box<Term>, Box<Term>),
    /// Cases of a type, and what holds for all other constructors (`_`) unless all are there.
    Match(Box<Term>, usize, Vec<Arm>, Option<Box<Term>>),
    /// Whether a value of a type has this constructor.
    Is(Box<Term>, usize, usize),
    /// A field of a constructor of a type.
    Field(Box<Term>, usize, usize, usize),
    /// A record of a type with another value in a field.
    With(Box<Term>, usize, usize, Box<Term>),
    /// A constructor of a type with fields.
    Make(usize, usize, Vec<Term>),
    /// A sequence of these items.
    Seq(Vec<Term>),
    /// Concatenation.
    Concat(Box<Term>, Box<Term>),
    /// Length of a sequence.
    Len(Box<Term>),
    /// An item.
    Index(Box<Term>, Box<Term>),
    /// Whether a sequence has an item, or a text a part.
    Contains(Box<Term>, Box<Term>),
    /// A part of a sequence.
    Slice(Box<Term>, Box<Term>, Box<Term>),
}

impl Term {
    /// An integer.
    pub fn int(n: i64) -> Term {
        Term::Value(Val::Int(n), Sort::Wide)
    }

    /// A truth value.
    pub fn bool(b: bool) -> Term {
        Term::Value(Val::Bool(b), Sort::Bool)
    }

    /// A comparison.
    pub fn compare(how: Compare, a: Term, b: Term) -> Term {
        Term::Compare(how, Box::new(a), Box::new(b))
    }

    /// The terms right inside this one.
    pub fn parts(&self) -> Vec<&Term> {
        use Term::*;
        match self {
            Value(..) | Variable(_) | Param(_) | Name(_) => Vec::new(),
            Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Div(a, b)
            | Mod(a, b)
            | Compare(_, a, b)
            | And(a, b)
            | Or(a, b)
            | Implies(a, b)
            | Concat(a, b)
            | Index(a, b)
            | Contains(a, b)
            | With(a, _, _, b) => vec![a, b],
            Not(a) | Is(a, ..) | Field(a, ..) | Len(a) => vec![a],
            If(a, b, c) | Slice(a, b, c) => vec![a, b, c],
            Match(a, _, arms, rest) => {
                let mut parts: Vec<&Term> = vec![a];
                parts.extend(arms.iter().map(|arm| &arm.value));
                parts.extend(rest.as_deref());
                parts
            }
            Make(_, _, parts) | Seq(parts) => parts.iter().collect(),
        }
    }

    /// The same, to change them.
    pub fn parts_mut(&mut self) -> Vec<&mut Term> {
        use Term::*;
        match self {
            Value(..) | Variable(_) | Param(_) | Name(_) => Vec::new(),
            Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Div(a, b)
            | Mod(a, b)
            | Compare(_, a, b)
            | And(a, b)
            | Or(a, b)
            | Implies(a, b)
            | Concat(a, b)
            | Index(a, b)
            | Contains(a, b)
            | With(a, _, _, b) => vec![a, b],
            Not(a) | Is(a, ..) | Field(a, ..) | Len(a) => vec![a],
            If(a, b, c) | Slice(a, b, c) => vec![a, b, c],
            Match(a, _, arms, rest) => {
                let mut parts: Vec<&mut Term> = vec![a];
                parts.extend(arms.iter_mut().map(|arm| &mut arm.value));
                parts.extend(rest.as_deref_mut());
                parts
            }
            Make(_, _, parts) | Seq(parts) => parts.iter_mut().collect(),
        }
    }

    /// Whether this holds for it or a term inside it.
    pub fn has(&self, what: &dyn Fn(&Term) -> bool) -> bool {
        what(self) || self.parts().into_iter().any(|part| part.has(what))
    }
}
