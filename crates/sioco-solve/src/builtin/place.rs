//! Places: symbols and their fields, each with a variable of the store that says something about its value.
//!
//! A truth value is 0 or 1; an integer is itself; so is a real, whose variable has rational bounds instead of whole ones;
//! an element of a data type is the position of its constructor, and its fields are places of their own. A string or a
//! sequence is a *token*: a number that is the same for equal values and different for different values. Equality needs
//! no more than that. The length of a string or a sequence is a separate variable. From a token and a length that satisfy
//! the constraints, `text` makes a value.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::number::{BigInt, Rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{Id, SortId, SymbolId, Value};

use super::constraint::{Constraint, linear};
use super::interval::{End, Interval};
use super::linear::{Linear, Relation, Var};
use super::store::{NO_HI, NO_LO, Store};
use super::text;
use crate::query::Terms;
use crate::ratio::Ratio;

/// A symbol, or a field of a place.
pub(crate) type PlaceId = u32;

/// What a place knows.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its sort, with its range.
    pub sort: SortId,
    /// What stands for it in the store.
    pub var: Option<Var>,
    /// What stands for its length, if it is a string or a sequence and somebody asked.
    pub length: Option<Var>,
    /// The symbol that it is (part of).
    pub symbol: SymbolId,
    /// The fields that somebody asked for, by constructor and position.
    pub fields: Vec<((u32, u32), PlaceId)>,
}

/// What stands for a value, or for a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// Of anything but a real.
    Whole(i64),
    /// Of a real.
    Real(Ratio),
}

/// Numbers of all variables.
pub(crate) trait Read {
    /// That of a variable that is no real.
    fn whole(&self, var: Var) -> i64;

    /// That of a real.
    fn real(&self, var: Var) -> Option<Ratio>;
}

/// The variables of the store and what they stand for.
#[derive(Default)]
pub(crate) struct Places {
    pub places: Vec<Place>,
    roots: Vec<Option<PlaceId>>,
    /// The first bounds of every variable.
    pub bounds: Vec<(i64, i64)>,
    /// The variables that are reals, in order, with their first bounds.
    pub reals: Vec<(Var, Interval)>,
    /// The symbol whose value depends on a variable; helper variables have none.
    pub symbol_of: Vec<Option<SymbolId>>,
    /// Whether halving the interval of a variable would be no use: the order of tokens means nothing, and one length is as
    /// good as another.
    pub undivided: Vec<bool>,
    /// The definitions of helpers that are nothing but names: always satisfiable, whatever else holds.
    pub definitions: Vec<Option<Arc<Constraint>>>,
    tokens: FxHashMap<Value, i64>,
    values: Vec<Value>,
}

impl Places {
    /// A helper variable: a value that is determined by others.
    pub fn helper(&mut self, lo: i64, hi: i64) -> Var {
        self.variable(lo, hi, None)
    }

    /// The same that is a real, with any value.
    pub fn real_helper(&mut self) -> Var {
        self.real_variable(Interval::default(), None)
    }

    fn real_variable(&mut self, interval: Interval, symbol: Option<SymbolId>) -> Var {
        let var = self.variable(NO_LO, NO_HI, symbol);
        self.undivided[var as usize] = true;
        self.reals.push((var, interval));
        var
    }

    /// Whether a variable is a real.
    pub fn is_real(&self, var: Var) -> bool {
        self.reals.binary_search_by_key(&var, |r| r.0).is_ok()
    }

    /// A helper that is a name for a form.
    pub fn name(&mut self, form: &Linear) -> Option<Linear> {
        let helper = Linear::var(self.helper(NO_LO, NO_HI));
        let mut all = Vec::new();
        linear(&form.add(&helper, -1)?, Relation::Eq, &mut all);
        let &[(var, _)] = &helper.terms[..] else { return None };
        self.definitions[var as usize] = all.pop();
        Some(helper)
    }

    fn variable(&mut self, lo: i64, hi: i64, symbol: Option<SymbolId>) -> Var {
        self.bounds.push((lo, hi));
        self.symbol_of.push(symbol);
        self.definitions.push(None);
        self.undivided.push(false);
        (self.bounds.len() - 1) as Var
    }

    /// The place of a symbol, if somebody asked for it.
    pub fn known(&self, symbol: SymbolId) -> Option<PlaceId> {
        self.roots.get(symbol.index()).copied().flatten()
    }

    /// The place of a symbol.
    pub fn root(&mut self, terms: Terms<'_>, symbol: SymbolId) -> PlaceId {
        let i = symbol.index();
        if self.roots.len() <= i {
            self.roots.resize(i + 1, None);
        }
        if let Some(place) = self.roots[i] {
            return place;
        }
        let place = self.add(terms.sorts, terms.symbols[symbol].sort, symbol);
        self.roots[i] = Some(place);
        place
    }

    /// A field of a place whose value was made by the constructor.
    pub fn field(&mut self, sorts: &Sorts, place: PlaceId, constructor: u32, index: u32) -> Option<PlaceId> {
        let key = (constructor, index);
        let parent = &self.places[place as usize];
        if let Some((_, field)) = parent.fields.iter().find(|(k, _)| *k == key) {
            return Some(*field);
        }
        let Sort::Data(data) = sorts.get(parent.sort) else { return None };
        let sort = sorts.data[*data].constructors.get(constructor as usize)?.fields.get(index as usize)?.sort;
        let symbol = parent.symbol;
        let field = self.add(sorts, sort, symbol);
        self.places[place as usize].fields.push((key, field));
        Some(field)
    }

    fn add(&mut self, sorts: &Sorts, sort: SortId, symbol: SymbolId) -> PlaceId {
        let symbol_var = Some(symbol);
        let var = match sorts.get(sort) {
            Sort::Bool => Some(self.variable(0, 1, symbol_var)),
            Sort::Int { lo, hi } => Some(self.variable(lower(lo.as_ref()), upper(hi.as_ref()), symbol_var)),
            Sort::Data(d) => {
                let last = sorts.data[*d].constructors.len() as i64 - 1;
                Some(self.variable(0, last, symbol_var))
            }
            Sort::Real { lo, hi } => {
                // An end that does not fit is left to the evaluator.
                let end = |at: &Rational| Some(End { at: Ratio::of(at)?, open: false });
                let [lo, hi] = [lo, hi].map(|bound| bound.as_ref().and_then(end));
                Some(self.real_variable(Interval { lo, hi }, symbol_var))
            }
            Sort::String | Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) => {
                let var = self.variable(NO_LO, NO_HI, symbol_var);
                self.undivided[var as usize] = true;
                Some(var)
            }
        };
        self.places.push(Place { sort, var, length: None, symbol, fields: Vec::new() });
        (self.places.len() - 1) as PlaceId
    }

    /// The length of a place; none if it has no length.
    pub fn length(&mut self, sorts: &Sorts, place: PlaceId) -> Option<Var> {
        let Place { sort, symbol, length, .. } = self.places[place as usize];
        if length.is_some() || !matches!(sorts.get(sort), Sort::String | Sort::Seq(_)) {
            return length;
        }
        let var = self.variable(0, NO_HI, Some(symbol));
        self.undivided[var as usize] = true;
        self.places[place as usize].length = Some(var);
        Some(var)
    }

    /// The token of a value.
    pub fn token(&mut self, value: &Value) -> i64 {
        if let Some(&token) = self.tokens.get(value) {
            return token;
        }
        let token = self.values.len() as i64;
        self.tokens.insert(value.clone(), token);
        self.values.push(value.clone());
        token
    }

    /// The number that stands for a value in the store.
    pub fn encode(&mut self, value: &Value) -> Option<i64> {
        match value {
            Value::Bool(b) => Some(i64::from(*b)),
            Value::Int(n) => Some(*n),
            Value::Enum(c) => Some(i64::from(*c)),
            Value::Data(d) => Some(i64::from(d.constructor)),
            Value::Real(_) | Value::Str(_) | Value::Seq(_) | Value::Set(_) | Value::Map(_) => Some(self.token(value)),
            Value::BigInt(_) => None,
        }
    }

    /// Sets the numbers of a place and its fields to those that stand for a value.
    pub fn write(&mut self, place: PlaceId, value: &Value, set: &mut impl FnMut(Var, Number)) {
        if let Some(var) = self.places[place as usize].var {
            let number = match value {
                Value::Real(r) => Ratio::of(r).map(Number::Real),
                _ => self.encode(value).map(Number::Whole),
            };
            if let Some(number) = number {
                set(var, number);
            }
        }
        if let Some(var) = self.places[place as usize].length
            && let Some(n) = text::length(value)
        {
            set(var, Number::Whole(n));
        }
        if let Value::Data(d) = value {
            for i in 0..self.places[place as usize].fields.len() {
                let ((c, field), child) = self.places[place as usize].fields[i];
                if c == d.constructor {
                    self.write(child, &d.fields[field as usize], set);
                }
            }
        }
    }

    /// The value that the numbers of a place and its fields stand for; what they leave open is as in `before`.
    pub fn read(&self, sorts: &Sorts, place: PlaceId, numbers: &impl Read, before: &Value) -> Value {
        self.guess(sorts, place, numbers, before, &|_| true)
    }

    /// The same, for looking whether the value will do: where it is not settled which token a string or a sequence is,
    /// it may be another one, of the length that its number says.
    pub fn guess(
        &self,
        sorts: &Sorts,
        place: PlaceId,
        numbers: &impl Read,
        before: &Value,
        settled: &dyn Fn(Var) -> bool,
    ) -> Value {
        let place = &self.places[place as usize];
        let Some(var) = place.var else { return before.clone() };
        let n = match sorts.get(place.sort) {
            Sort::Real { .. } => return numbers.real(var).map_or_else(|| before.clone(), Ratio::value),
            _ => numbers.whole(var),
        };
        match sorts.get(place.sort) {
            Sort::Bool => Value::Bool(n != 0),
            Sort::Int { .. } => Value::Int(n),
            Sort::Real { .. } => before.clone(),
            Sort::Data(d) => {
                let tag = n as u32;
                let Some(constructor) = sorts.data[*d].constructors.get(tag as usize) else { return before.clone() };
                let fields = constructor.fields.iter().enumerate().map(|(i, field)| {
                    let old = match before {
                        Value::Data(b) if b.constructor == tag => b.fields[i].clone(),
                        _ => sorts.default_value(field.sort),
                    };
                    match place.fields.iter().find(|(key, _)| *key == (tag, i as u32)) {
                        Some((_, child)) => self.guess(sorts, *child, numbers, &old, settled),
                        None => old,
                    }
                });
                Value::data(tag, fields.collect())
            }
            // Another one than those that are known is not looked for.
            Sort::Set(_) | Sort::Map(..) => self.token_value(n).unwrap_or_else(|| before.clone()),
            Sort::String | Sort::Seq(_) => {
                let known = self.token_value(n);
                let length = place.length.map(|v| numbers.whole(v)).filter(|_| !settled(var));
                match (known, length) {
                    (Some(value), None) => value,
                    (Some(value), Some(length)) if text::length(&value) == Some(length) => value,
                    (_, Some(length)) => {
                        // Another value that is known has another token.
                        let fits = |v: &Value| self.tokens.get(v).is_none_or(|t| *t == n);
                        text::of_length(sorts, place.sort, length, n, &fits).unwrap_or_else(|| before.clone())
                    }
                    (None, None) => text::of_token(sorts, place.sort, n),
                }
            }
        }
    }

    fn token_value(&self, token: i64) -> Option<Value> {
        usize::try_from(token).ok().and_then(|t| self.values.get(t)).cloned()
    }

    /// Whether the elements of a sort are given by one number.
    pub fn is_scalar(&self, sorts: &Sorts, sort: SortId) -> bool {
        match sorts.get(sort) {
            Sort::Bool | Sort::Int { .. } => true,
            Sort::Data(d) => sorts.data[*d].constructors.iter().all(|c| c.fields.is_empty()),
            Sort::Real { .. } | Sort::String | Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) => false,
        }
    }

    /// Whether one value is left for a place, its fields included.
    pub fn is_settled(&self, sorts: &Sorts, store: &Store, place: PlaceId) -> bool {
        let place = &self.places[place as usize];
        let Some(var) = place.var else { return false };
        if let Sort::Real { .. } = sorts.get(place.sort) {
            return store.is_point(var);
        }
        if !store.is_fixed(var) {
            return false;
        }
        let n = store.lo[var as usize];
        match sorts.get(place.sort) {
            Sort::Bool | Sort::Int { .. } | Sort::Real { .. } => true,
            Sort::String | Sort::Seq(_) | Sort::Set(_) | Sort::Map(..) => self.token_value(n).is_some(),
            Sort::Data(d) => {
                let Some(constructor) = sorts.data[*d].constructors.get(n as usize) else { return false };
                (0..constructor.fields.len() as u32).all(|i| {
                    let field = place.fields.iter().find(|(key, _)| *key == (n as u32, i));
                    field.is_some_and(|(_, child)| self.is_settled(sorts, store, *child))
                })
            }
        }
    }

    /// Calls `f` for the variables of a place and its fields.
    pub fn vars(&self, place: PlaceId, f: &mut impl FnMut(Var)) {
        let place = &self.places[place as usize];
        place.var.into_iter().chain(place.length).for_each(&mut *f);
        for (_, child) in &place.fields {
            self.vars(*child, f);
        }
    }

    /// Makes places for all fields, so deep: then the search can decide them.
    pub fn unfold(&mut self, sorts: &Sorts, place: PlaceId, depth: u32) {
        let Sort::Data(d) = sorts.get(self.places[place as usize].sort) else { return };
        if depth == 0 {
            return;
        }
        for (c, constructor) in sorts.data[*d].constructors.iter().enumerate() {
            for i in 0..constructor.fields.len() {
                if let Some(child) = self.field(sorts, place, c as u32, i as u32) {
                    self.unfold(sorts, child, depth - 1);
                }
            }
        }
    }
}

/// A lower bound as the store has it.
pub(crate) fn lower(bound: Option<&BigInt>) -> i64 {
    bound.map_or(NO_LO, |b| i64::try_from(b).unwrap_or(if *b > BigInt::ZERO { i64::MAX } else { NO_LO }))
}

/// An upper bound as the store has it.
pub(crate) fn upper(bound: Option<&BigInt>) -> i64 {
    bound.map_or(NO_HI, |b| i64::try_from(b).unwrap_or(if *b > BigInt::ZERO { NO_HI } else { i64::MIN }))
}
