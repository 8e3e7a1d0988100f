//! Output expressions as polynomials over symbols, with exact coefficients: their degree says how many inputs tell two of
//! them apart (T-G5: DistDeg; S2 definition 10).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sioco_model::number::{self, BigInt, Rational};
use sioco_model::term::{Op, Term};
use sioco_model::{Id, SymbolId, TermId, Value};
use sioco_solve::Witness;
use sioco_symbolic::Origin;
use sioco_symbolic::path::Path;

/// Symbols with their powers, in order.
pub(crate) type Monomial = Vec<(SymbolId, u32)>;

/// A polynomial may have at most this many parts before it counts as having none. The number of tests grows with them
/// (T-G5).
const PARTS: usize = 400;
/// And at most this degree: 13 tests for one variable. Outputs of people have a degree of one or two; a product in a
/// loop would otherwise grow without end.
const DEGREE: u32 = 12;

/// Values of other sorts are told apart one by one if they are at most this many: each takes tests of its own.
const VALUES: u64 = 16;

/// A polynomial: no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Polynomial(BTreeMap<Monomial, Rational>);

/// Why an expression is no polynomial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NoDegree {
    /// It is one on each side of this condition.
    Split(TermId),
    /// It has no degree: this part of it, and what it is.
    None(TermId, &'static str),
    /// It is a polynomial with more parts, or of a higher degree, than anybody wants to compute with.
    Large(TermId),
}

impl Polynomial {
    fn constant(value: Rational) -> Self {
        let mut p = Polynomial::default();
        p.add(Vec::new(), value);
        p
    }

    fn symbol(y: SymbolId) -> Self {
        Polynomial([(vec![(y, 1)], Rational::ONE)].into())
    }

    fn add(&mut self, monomial: Monomial, value: Rational) {
        let sum = self.0.get(&monomial).map_or(value.clone(), |known| known + &value);
        match sum.is_zero() {
            true => self.0.remove(&monomial),
            false => self.0.insert(monomial, sum),
        };
    }

    fn plus(mut self, other: &Polynomial, factor: &Rational) -> Self {
        for (m, c) in &other.0 {
            self.add(m.clone(), c * factor);
        }
        self
    }

    fn times(&self, other: &Polynomial) -> Option<Self> {
        let mut product = Polynomial::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                product.add(times(a, b), x * y);
            }
            if product.0.len() > PARTS {
                return None;
            }
        }
        (product.degree() <= DEGREE).then_some(product)
    }

    fn as_constant(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    /// Its degree; that of a constant is 0.
    fn degree(&self) -> u32 {
        self.0.keys().map(|m| m.iter().map(|(_, n)| n).sum()).max().unwrap_or(0)
    }

    /// Its degree in some symbols, and those of them that it depends on.
    fn degree_in(&self, symbols: &BTreeSet<SymbolId>) -> (u32, BTreeSet<SymbolId>) {
        let of = |m: &Monomial| m.iter().filter(|(y, _)| symbols.contains(y)).map(|(_, n)| n).sum();
        let degree = self.0.keys().map(of).max().unwrap_or(0);
        (degree, self.0.keys().flatten().map(|(y, _)| *y).filter(|y| symbols.contains(y)).collect())
    }
}

fn times(a: &[(SymbolId, u32)], b: &[(SymbolId, u32)]) -> Monomial {
    let mut all: BTreeMap<SymbolId, u32> = a.iter().copied().collect();
    for (y, n) in b {
        *all.entry(*y).or_default() += n;
    }
    all.into_iter().collect()
}

/// All polynomials of a degree in some symbols: what output expressions may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Space {
    pub symbols: BTreeSet<SymbolId>,
    pub degree: u32,
}

impl Space {
    /// The monomials: C(k + d, d) of them for k symbols and degree d.
    pub fn monomials(&self) -> Vec<Monomial> {
        let mut found: Vec<Monomial> = vec![Vec::new()];
        for y in &self.symbols {
            let mut next = Vec::new();
            for m in &found {
                let used: u32 = m.iter().map(|(_, n)| n).sum();
                for power in 0..=self.degree - used {
                    let mut new = m.clone();
                    if power > 0 {
                        new.push((*y, power));
                    }
                    next.push(new);
                }
            }
            found = next;
        }
        found
    }

    /// How many monomials there are, as far as that can be counted.
    pub fn size(&self) -> usize {
        let k = self.symbols.len() as u64;
        let d = u64::from(self.degree);
        let mut size: u64 = 1;
        for i in 1..=d {
            size = size.saturating_mul(k + i) / i;
        }
        usize::try_from(size).unwrap_or(usize::MAX)
    }
}

/// The value of a monomial; nothing where a symbol has no number.
pub(crate) fn evaluate(monomial: &[(SymbolId, u32)], witness: &Witness) -> Option<Rational> {
    let mut product = Rational::ONE;
    for (y, n) in monomial {
        let value = number::to_rational(witness.get(y.index())?)?;
        for _ in 0..*n {
            product *= &value;
        }
    }
    Some(product)
}

/// Reads the terms of a path.
pub(crate) struct Reader<'p, 'm> {
    path: &'p mut Path<'m>,
    definitions: FxHashMap<SymbolId, TermId>,
    /// What a tester chooses. Whatever else there is, the system does: no test can have it otherwise.
    inputs: &'p BTreeSet<SymbolId>,
    /// Conditions that are known to hold, or not to, on this part of the path.
    decided: &'p [(TermId, bool)],
    done: FxHashMap<TermId, Polynomial>,
}

impl<'p, 'm> Reader<'p, 'm> {
    pub fn new(path: &'p mut Path<'m>, inputs: &'p BTreeSet<SymbolId>, decided: &'p [(TermId, bool)]) -> Self {
        let mut definitions = FxHashMap::default();
        for c in path.conditions() {
            if let (Origin::Definition(_), Term::App(Op::Eq, args)) = (c.origin, path.pool().get(c.term))
                && let Term::Symbol(y, _) = path.pool().get(args[0])
            {
                definitions.insert(*y, args[1]);
            }
        }
        Reader { path, definitions, inputs, decided, done: FxHashMap::default() }
    }

    fn is_decided(&self, condition: TermId) -> Option<bool> {
        if let Some(value) = self.path.pool().as_const(condition) {
            return value.as_bool();
        }
        self.decided.iter().find(|(t, _)| *t == condition).map(|(_, is)| *is)
    }

    /// Whether the value of a term depends on what a tester chooses.
    fn depends(&mut self, term: TermId) -> bool {
        let written = self.path.written(term);
        let mut found = false;
        self.path.pool().visit(written, &mut |_, t| {
            found |= matches!(t, Term::Symbol(y, _) if self.inputs.contains(y));
        });
        found
    }

    /// The spaces of two output expressions, of which each must be a polynomial: one for every number in them.
    pub fn spaces(&mut self, a: TermId, b: TermId, found: &mut Vec<Space>) -> Result<(), NoDegree> {
        if !self.depends(a) && !self.depends(b) {
            // Whatever they are, no other input would show more.
            return Ok(());
        }
        let (a, b) = (self.chosen(a)?, self.chosen(b)?);
        let sorts = &self.path.model().sorts;
        if sorts.is_numeric(self.path.pool().sort(a)) {
            let (p, q) = (self.polynomial(a)?, self.polynomial(b)?);
            let ((d, mut symbols), (e, others)) = (p.degree_in(self.inputs), q.degree_in(self.inputs));
            symbols.extend(others);
            found.push(Space { symbols, degree: d.max(e) });
            return Ok(());
        }
        if self.path.pool().sort(a) == sorts.bool {
            for t in [a, b] {
                if self.is_decided(t).is_none() && self.depends(t) {
                    return Err(NoDegree::Split(t));
                }
            }
            return Ok(());
        }
        let pool = self.path.pool();
        match (pool.get(a), pool.get(b)) {
            (Term::Const(..), Term::Const(..)) => Ok(()),
            (Term::App(Op::Construct(c), x), Term::App(Op::Construct(d), y)) if c == d => {
                let pairs: Vec<(TermId, TermId)> = x.iter().copied().zip(y.iter().copied()).collect();
                pairs.into_iter().try_for_each(|(x, y)| self.spaces(x, y, found))
            }
            // Different constructors: any input tells.
            (Term::App(Op::Construct(_), _), Term::App(Op::Construct(_), _)) => Ok(()),
            _ => {
                self.other(a)?;
                self.other(b)
            }
        }
    }

    /// What an `if` comes to here, and what a symbol stands for.
    fn chosen(&mut self, term: TermId) -> Result<TermId, NoDegree> {
        let mut term = term;
        loop {
            term = match self.path.pool().get(term) {
                Term::App(Op::Ite, args) => {
                    let (c, a, b) = (args[0], args[1], args[2]);
                    match self.is_decided(c) {
                        Some(true) => a,
                        Some(false) => b,
                        None => return Err(NoDegree::Split(c)),
                    }
                }
                Term::App(Op::Checked(_), args) => args[0],
                Term::Symbol(y, _) => match self.definitions.get(y) {
                    Some(value) => *value,
                    None => return Ok(term),
                },
                _ => return Ok(term),
            };
        }
    }

    /// A value that is no number: an enumeration is told apart value by value.
    fn other(&mut self, term: TermId) -> Result<(), NoDegree> {
        if !self.depends(term) {
            return Ok(());
        }
        let sorts = &self.path.model().sorts;
        let sort = self.path.pool().sort(term);
        let why = match sorts.get(sort) {
            sioco_model::sort::Sort::String => "a text",
            sioco_model::sort::Sort::Seq(_) => "a sequence",
            _ => "a value with parts",
        };
        let Some(count) = sorts.cardinality(sort).filter(|n| *n <= VALUES) else {
            return Err(NoDegree::None(term, why));
        };
        for i in 0..count {
            let Some(value) = sorts.nth_value(sort, i) else { break };
            let is = self.path.have_values(&[term], &[value]);
            match self.is_decided(is) {
                // It is this value and nothing else.
                Some(true) => break,
                Some(false) => {}
                None => return Err(NoDegree::Split(is)),
            }
        }
        Ok(())
    }

    fn polynomial(&mut self, term: TermId) -> Result<Polynomial, NoDegree> {
        if let Some(known) = self.done.get(&term) {
            return Ok(known.clone());
        }
        let large = NoDegree::Large(term);
        let found = match self.path.pool().get(term).clone() {
            Term::Const(value, _) => match number::to_rational(&value) {
                Some(value) => Polynomial::constant(value),
                None => return Err(NoDegree::None(term, "no number")),
            },
            Term::Symbol(y, _) => match self.definitions.get(&y).copied() {
                Some(definition) => self.polynomial(definition)?,
                None => Polynomial::symbol(y),
            },
            Term::App(Op::Add, args) => {
                let mut sum = Polynomial::default();
                for a in args.iter() {
                    sum = sum.plus(&self.polynomial(*a)?, &Rational::ONE);
                }
                sum
            }
            Term::App(Op::Sub, args) => self.polynomial(args[0])?.plus(&self.polynomial(args[1])?, &-Rational::ONE),
            Term::App(Op::Neg, args) => Polynomial::default().plus(&self.polynomial(args[0])?, &-Rational::ONE),
            Term::App(Op::Mul, args) => {
                let mut product = Polynomial::constant(Rational::ONE);
                for a in args.iter() {
                    product = product.times(&self.polynomial(*a)?).ok_or_else(|| large.clone())?;
                }
                product
            }
            Term::App(Op::Quot, args) => {
                let divisor = self.polynomial(args[1])?.as_constant().filter(|d| !d.is_zero());
                let Some(divisor) = divisor else { return Err(NoDegree::None(term, "a quotient")) };
                Polynomial::default().plus(&self.polynomial(args[0])?, &(Rational::ONE / divisor))
            }
            Term::App(Op::ToReal | Op::Checked(_), args) => self.polynomial(args[0])?,
            Term::App(Op::Ite, _) => {
                let chosen = self.chosen(term)?;
                self.polynomial(chosen)?
            }
            Term::App(op @ (Op::Min | Op::Max), args) => {
                let mut best = args[0];
                for &other in &args[1..] {
                    let (a, b) = if op == Op::Min { (best, other) } else { (other, best) };
                    best = if self.at_most(a, b)? { best } else { other };
                }
                self.polynomial(best)?
            }
            Term::App(Op::Abs, args) => {
                let sort = self.path.pool().sort(args[0]);
                let zero = self.path.model().sorts.default_value(sort);
                let zero = self.path.build(|pool, _| pool.constant(zero, sort));
                let sign = if self.at_most(zero, args[0])? { Rational::ONE } else { -Rational::ONE };
                Polynomial::default().plus(&self.polynomial(args[0])?, &sign)
            }
            Term::App(op, _) => {
                let why = match op {
                    Op::Div => "a quotient of integers (`div`)",
                    Op::Mod => "a remainder (`mod`)",
                    Op::Floor => "a rounded number (`floor`)",
                    Op::Len => "a length",
                    Op::Field(..) => "a field",
                    Op::Index => "an item of a sequence",
                    _ => "no polynomial",
                };
                return Err(NoDegree::None(term, why));
            }
            _ => return Err(NoDegree::None(term, "no polynomial")),
        };
        if found.0.len() > PARTS || found.degree() > DEGREE {
            return Err(large);
        }
        self.done.insert(term, found.clone());
        Ok(found)
    }

    fn at_most(&mut self, a: TermId, b: TermId) -> Result<bool, NoDegree> {
        let condition = self.path.build(|pool, sorts| pool.app(Op::Le, &[a, b], sorts.bool));
        self.is_decided(condition).ok_or(NoDegree::Split(condition))
    }
}

/// The term of a polynomial: monomials with coefficients, which are made whole.
pub(crate) fn term(path: &mut Path<'_>, monomials: &[Monomial], coefficients: &[Rational]) -> TermId {
    let whole = coefficients.iter().fold(BigInt::ONE, |all, c| {
        let d = BigInt::from(c.denominator().clone());
        &all / gcd(all.clone(), d.clone()) * d
    });
    let symbols = path.symbols();
    let sorts = &path.model().sorts;
    let is_int = |y: &SymbolId| sorts.base(symbols[*y].sort) == sorts.int;
    let all_int = monomials.iter().flatten().all(|(y, _)| is_int(y));
    let of: FxHashMap<SymbolId, bool> = monomials.iter().flatten().map(|(y, _)| (*y, is_int(y))).collect();
    path.build(|pool, sorts| {
        let sort = if all_int { sorts.int } else { sorts.real };
        let mut parts = Vec::new();
        for (m, c) in monomials.iter().zip(coefficients).filter(|(_, c)| !c.is_zero()) {
            let scaled = c * Rational::from(whole.clone());
            let value = match all_int {
                true => number::int(scaled.numerator().clone()),
                false => Value::real(scaled),
            };
            let mut factors = vec![pool.constant(value, sort)];
            for (y, n) in m {
                let own = if of[y] { sorts.int } else { sorts.real };
                let mut symbol = pool.symbol(*y, own);
                if of[y] && !all_int {
                    symbol = pool.app(Op::ToReal, &[symbol], sorts.real);
                }
                factors.extend(std::iter::repeat_n(symbol, *n as usize));
            }
            parts.push(if factors.len() == 1 { factors[0] } else { pool.app(Op::Mul, &factors, sort) });
        }
        match parts.len() {
            0 => pool.constant(if all_int { Value::Int(0) } else { Value::real(Rational::ZERO) }, sort),
            1 => parts[0],
            _ => pool.app(Op::Add, &parts, sort),
        }
    })
}

fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while !b.is_zero() {
        (a, b) = (b.clone(), &a % &b);
    }
    a
}
