//! Shapes: what is known of a value, as a set that it certainly is in.
//!
//! A shape lists its values where they are few; otherwise it bounds numbers and lengths, and says which constructors
//! are left, with a shape for every field. Shapes are made smaller by [narrowing](super::narrow); one whose values can
//! all be listed makes a search exhaustive.

use super::range::{Number, Range};
use crate::id::SortId;
use crate::number::{self, Rational};
use crate::sort::{Sort, Sorts};
use crate::value::Value;

/// More values than this are not kept one by one, but by their bounds. Sequences of up to two items out of three, or a
/// variant with a few fields, have fewer.
const FEW: usize = 64;

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape(Kind);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One of these, in order and each once.
    Few(Vec<Value>),
    Int(Range<i128>),
    Real(Range<Rational>),
    /// A text, by its length.
    Text(Range<i128>),
    /// A sequence of items, by its length.
    Seq(Range<i128>, Box<Shape>),
    /// A set of items.
    Set(Box<Shape>),
    /// A map from keys to values.
    Map(Box<Shape>, Box<Shape>),
    /// For every constructor that is left, its fields.
    Data(Vec<Option<Vec<Shape>>>),
}

impl Shape {
    /// All values of a sort.
    pub fn of(sorts: &Sorts, sort: SortId) -> Shape {
        Shape(match sorts.get(sort) {
            Sort::Bool => Kind::Few(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::Int { lo, hi } => {
                // An end that 64 bits do not hold is as good as none, or leaves nothing but what is not listed anyway.
                let end = |n: &Option<number::BigInt>| n.as_ref().and_then(|n| i128::try_from(n).ok());
                return Shape::whole(Range::new(end(lo), end(hi)));
            }
            Sort::Real { lo, hi } => return Shape::real(Range::new(lo.clone(), hi.clone())),
            Sort::String => Kind::Text(LENGTHS),
            Sort::Seq(item) => return Shape::sequence(LENGTHS, Shape::of(sorts, *item)),
            Sort::Set(item) => Kind::Set(Box::new(Shape::of(sorts, *item))),
            Sort::Map(key, value) => Kind::Map(Box::new(Shape::of(sorts, *key)), Box::new(Shape::of(sorts, *value))),
            Sort::Data(d) => {
                let constructors = sorts.data[*d].constructors.iter();
                let fields = constructors.map(|c| c.fields.iter().map(|f| Shape::of(sorts, f.sort)).collect());
                return Shape::data(fields.map(Some).collect());
            }
        })
    }

    /// One value.
    pub fn only(value: Value) -> Shape {
        Shape(Kind::Few(vec![value]))
    }

    /// No value.
    pub fn nothing() -> Shape {
        Shape(Kind::Few(Vec::new()))
    }

    /// These values.
    pub fn these(mut values: Vec<Value>) -> Shape {
        values.sort_unstable();
        values.dedup();
        if values.len() > FEW { Shape::hull(&values) } else { Shape(Kind::Few(values)) }
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.0
    }

    pub(super) fn truth(value: bool) -> Shape {
        Shape::only(Value::Bool(value))
    }

    pub(super) fn whole(range: Range<i128>) -> Shape {
        Shape(Kind::Int(range)).checked()
    }

    pub(super) fn real(range: Range<Rational>) -> Shape {
        Shape(Kind::Real(range)).checked()
    }

    pub(super) fn text(length: &Range<i128>) -> Shape {
        Shape(Kind::Text(length.meet(&LENGTHS))).checked()
    }

    pub(super) fn sequence(length: Range<i128>, item: Shape) -> Shape {
        let mut length = length.meet(&LENGTHS);
        if item.is_nothing() {
            length = length.meet(&Range { lo: Some(0), hi: Some(0) });
        }
        Shape(Kind::Seq(length, Box::new(item))).checked()
    }

    pub(super) fn data(mut constructors: Vec<Option<Vec<Shape>>>) -> Shape {
        for c in &mut constructors {
            if c.as_ref().is_some_and(|fields| fields.iter().any(Shape::is_nothing)) {
                *c = None;
            }
        }
        Shape(Kind::Data(constructors)).checked()
    }

    /// The same; nothing is always a list without values.
    fn checked(self) -> Shape {
        let nothing = match &self.0 {
            // The empty one is always there.
            Kind::Few(_) | Kind::Set(_) | Kind::Map(..) => false,
            Kind::Int(r) | Kind::Text(r) | Kind::Seq(r, _) => r.is_empty(),
            Kind::Real(r) => r.is_empty(),
            Kind::Data(constructors) => constructors.iter().all(Option::is_none),
        };
        if nothing { Shape::nothing() } else { self }
    }

    /// Whether there is no value.
    pub fn is_nothing(&self) -> bool {
        matches!(&self.0, Kind::Few(values) if values.is_empty())
    }

    /// The only value, if it is listed.
    pub fn as_only(&self) -> Option<&Value> {
        match &self.0 {
            Kind::Few(values) => match &values[..] {
                [only] => Some(only),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a truth value is possible.
    pub(super) fn may_be(&self, truth: bool) -> bool {
        self.contains(&Value::Bool(truth))
    }

    /// Whether the value is inside.
    pub fn contains(&self, value: &Value) -> bool {
        let between = |r: &Range<i128>, n: i128| r.lo.is_none_or(|lo| lo <= n) && r.hi.is_none_or(|hi| n <= hi);
        match (&self.0, value) {
            (Kind::Few(values), _) => values.binary_search(value).is_ok(),
            (Kind::Int(r), Value::Int(n)) => between(r, i128::from(*n)),
            (Kind::Int(r), Value::BigInt(n)) => {
                let below = **n < number::BigInt::ZERO;
                if below { r.lo.is_none() } else { r.hi.is_none() }
            }
            (Kind::Real(r), Value::Real(n)) => {
                r.lo.as_ref().is_none_or(|lo| *lo <= **n) && r.hi.as_ref().is_none_or(|hi| **n <= *hi)
            }
            (Kind::Text(r), Value::Str(s)) => between(r, s.chars().count() as i128),
            (Kind::Seq(r, item), Value::Seq(items)) => {
                between(r, items.len() as i128) && items.iter().all(|i| item.contains(i))
            }
            (Kind::Set(item), Value::Set(items)) => items.iter().all(|i| item.contains(i)),
            (Kind::Map(key, value), Value::Map(entries)) => {
                entries.iter().all(|(k, v)| key.contains(k) && value.contains(v))
            }
            (Kind::Data(constructors), Value::Enum(c)) => {
                matches!(constructors.get(*c as usize), Some(Some(fields)) if fields.is_empty())
            }
            (Kind::Data(constructors), Value::Data(d)) => match constructors.get(d.constructor as usize) {
                Some(Some(fields)) => {
                    fields.len() == d.fields.len() && fields.iter().zip(&*d.fields).all(|(f, v)| f.contains(v))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// What is in both.
    pub fn meet(&self, other: &Shape) -> Shape {
        match (&self.0, &other.0) {
            (Kind::Few(values), _) => Shape(Kind::Few(values.iter().filter(|v| other.contains(v)).cloned().collect())),
            (_, Kind::Few(_)) => other.meet(self),
            (Kind::Int(a), Kind::Int(b)) => Shape::whole(a.meet(b)),
            (Kind::Real(a), Kind::Real(b)) => Shape::real(a.meet(b)),
            (Kind::Text(a), Kind::Text(b)) => Shape::text(&a.meet(b)),
            (Kind::Seq(a, x), Kind::Seq(b, y)) => Shape::sequence(a.meet(b), x.meet(y)),
            (Kind::Set(x), Kind::Set(y)) => Shape(Kind::Set(Box::new(x.meet(y)))),
            (Kind::Map(k, x), Kind::Map(l, y)) => Shape(Kind::Map(Box::new(k.meet(l)), Box::new(x.meet(y)))),
            (Kind::Data(a), Kind::Data(b)) => {
                let both = a.iter().zip(b).map(|(a, b)| {
                    let (a, b) = (a.as_ref()?, b.as_ref()?);
                    Some(a.iter().zip(b).map(|(x, y)| x.meet(y)).collect())
                });
                Shape::data(both.collect())
            }
            // Terms are well sorted, so that this does not happen; the larger set is always right.
            _ => self.clone(),
        }
    }

    /// What is in one of them, and perhaps more.
    pub fn join(&self, other: &Shape) -> Shape {
        match (&self.0, &other.0) {
            (Kind::Few(a), _) if a.is_empty() => other.clone(),
            (_, Kind::Few(b)) if b.is_empty() => self.clone(),
            (Kind::Few(a), Kind::Few(b)) => Shape::these(a.iter().chain(b).cloned().collect()),
            (Kind::Few(values), _) if values.iter().all(|v| other.contains(v)) => other.clone(),
            (_, Kind::Few(values)) if values.iter().all(|v| self.contains(v)) => self.clone(),
            (Kind::Few(values), _) => Shape::hull(values).join_bounds(other),
            (_, Kind::Few(values)) => self.join_bounds(&Shape::hull(values)),
            _ => self.join_bounds(other),
        }
    }

    fn join_bounds(&self, other: &Shape) -> Shape {
        match (&self.0, &other.0) {
            (Kind::Int(a), Kind::Int(b)) => Shape::whole(a.join(b)),
            (Kind::Real(a), Kind::Real(b)) => Shape::real(a.join(b)),
            (Kind::Text(a), Kind::Text(b)) => Shape::text(&a.join(b)),
            (Kind::Seq(a, x), Kind::Seq(b, y)) => Shape::sequence(a.join(b), x.join(y)),
            (Kind::Set(x), Kind::Set(y)) => Shape(Kind::Set(Box::new(x.join(y)))),
            (Kind::Map(k, x), Kind::Map(l, y)) => Shape(Kind::Map(Box::new(k.join(l)), Box::new(x.join(y)))),
            (Kind::Data(a), Kind::Data(b)) => {
                // The bounds of values do not know how many constructors their type has: those behind the last are not left.
                let of = |c: &[Option<Vec<Shape>>], i: usize| c.get(i).cloned().flatten();
                let either = (0..a.len().max(b.len())).map(|i| match (of(a, i), of(b, i)) {
                    (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(x, y)| x.join(y)).collect()),
                    (a, b) => a.or(b),
                });
                Shape::data(either.collect())
            }
            // A list of truth values, which are two at the most.
            (Kind::Few(a), Kind::Few(b)) => Shape::these(a.iter().chain(b).cloned().collect()),
            _ => self.clone(),
        }
    }

    /// Bounds of values of one sort, of which there is at least one.
    pub(super) fn hull(values: &[Value]) -> Shape {
        let bound = |value: &Value| match value {
            Value::Bool(_) => Shape::only(value.clone()),
            Value::Int(n) => Shape::whole(Range { lo: Some(i128::from(*n)), hi: Some(i128::from(*n)) }),
            Value::BigInt(n) => {
                let (least, greatest) = (i128::from(i64::MIN), i128::from(i64::MAX));
                let below = **n < number::BigInt::ZERO;
                let range =
                    if below { Range { lo: None, hi: Some(least) } } else { Range { lo: Some(greatest), hi: None } };
                Shape::whole(range)
            }
            Value::Real(r) => {
                let (lo, hi) = (r.as_ref().clone().end(false), r.as_ref().clone().end(true));
                Shape::real(Range { lo, hi })
            }
            Value::Str(s) => {
                let length = s.chars().count() as i128;
                Shape::text(&Range { lo: Some(length), hi: Some(length) })
            }
            Value::Seq(items) => {
                let length = items.len() as i128;
                Shape::sequence(Range { lo: Some(length), hi: Some(length) }, Shape::these(items.to_vec()))
            }
            Value::Set(items) => Shape(Kind::Set(Box::new(Shape::these(items.to_vec())))),
            Value::Map(entries) => {
                let (keys, values) = entries.iter().cloned().unzip();
                Shape(Kind::Map(Box::new(Shape::these(keys)), Box::new(Shape::these(values))))
            }
            Value::Enum(c) => constructed(*c, &[]),
            Value::Data(d) => constructed(d.constructor, &d.fields),
        };
        let mut all = values.iter().map(bound);
        let first = all.next().unwrap_or_else(Shape::nothing);
        all.fold(first, |joined, one| joined.join_bounds(&one))
    }

    /// The length of a text or sequence.
    pub(super) fn length(&self) -> Range<i128> {
        let of = |value: &Value| match value {
            Value::Str(s) => s.chars().count() as i128,
            Value::Seq(items) => items.len() as i128,
            _ => 0,
        };
        match &self.0 {
            Kind::Text(r) | Kind::Seq(r, _) => r.clone(),
            Kind::Few(values) => {
                Range { lo: values.iter().map(of).min(), hi: values.iter().map(of).max() }.meet(&LENGTHS)
            }
            _ => LENGTHS,
        }
    }

    /// The items of a sequence; nothing if there are none.
    pub(super) fn items(&self) -> Shape {
        match &self.0 {
            Kind::Seq(_, item) => item.as_ref().clone(),
            Kind::Few(values) => {
                let items = values.iter().flat_map(|v| match v {
                    Value::Seq(items) => &items[..],
                    _ => &[],
                });
                Shape::these(items.cloned().collect())
            }
            _ => Shape::nothing(),
        }
    }

    /// Whether a value may be made by a constructor.
    pub(super) fn may_be_made_by(&self, constructor: u32) -> bool {
        match &self.0 {
            Kind::Few(values) => values.iter().any(|v| v.constructor() == Some(constructor)),
            Kind::Data(c) => c.get(constructor as usize).is_some_and(Option::is_some),
            _ => true,
        }
    }

    /// Those values that a constructor makes, or all but those.
    pub(super) fn made_by(&self, constructor: u32, it: bool) -> Shape {
        match &self.0 {
            Kind::Few(values) => {
                let fits = |v: &&Value| (v.constructor() == Some(constructor)) == it;
                Shape(Kind::Few(values.iter().filter(fits).cloned().collect()))
            }
            Kind::Data(c) => {
                let left = c.iter().enumerate().map(|(i, f)| f.clone().filter(|_| (i as u32 == constructor) == it));
                Shape::data(left.collect())
            }
            _ => self.clone(),
        }
    }

    /// A field of the values that a constructor makes; nothing if there are none.
    pub(super) fn field(&self, constructor: u32, index: u32) -> Shape {
        match &self.0 {
            Kind::Few(values) => {
                let fields = values.iter().filter_map(|v| match v {
                    Value::Data(d) if d.constructor == constructor => d.fields.get(index as usize).cloned(),
                    _ => None,
                });
                Shape::these(fields.collect())
            }
            Kind::Data(c) => match c.get(constructor as usize) {
                Some(Some(fields)) => fields.get(index as usize).cloned().unwrap_or_else(Shape::nothing),
                _ => Shape::nothing(),
            },
            _ => Shape::nothing(),
        }
    }

    /// Those values that a constructor makes with such a field.
    pub(super) fn with_field(&self, constructor: u32, index: u32, field: &Shape) -> Shape {
        match &self.0 {
            Kind::Few(values) => {
                let fits = |v: &&Value| match v {
                    Value::Data(d) if d.constructor == constructor => {
                        d.fields.get(index as usize).is_some_and(|f| field.contains(f))
                    }
                    _ => false,
                };
                Shape(Kind::Few(values.iter().filter(fits).cloned().collect()))
            }
            Kind::Data(_) => {
                let Shape(Kind::Data(mut c)) = self.made_by(constructor, true) else { return Shape::nothing() };
                if let Some(Some(fields)) = c.get_mut(constructor as usize)
                    && let Some(old) = fields.get_mut(index as usize)
                {
                    *old = old.meet(field);
                }
                Shape::data(c)
            }
            _ => self.clone(),
        }
    }

    /// The same without a value, where that can be said.
    pub(super) fn without(&self, value: &Value) -> Shape {
        match (&self.0, value) {
            (Kind::Few(values), _) => Shape(Kind::Few(values.iter().filter(|v| *v != value).cloned().collect())),
            (Kind::Int(r), Value::Int(n)) => {
                let n = i128::from(*n);
                let lo = if r.lo == Some(n) { Some(n + 1) } else { r.lo };
                let hi = if r.hi == Some(n) { Some(n - 1) } else { r.hi };
                Shape::whole(Range::new(lo, hi))
            }
            (Kind::Data(c), Value::Enum(e)) if c.get(*e as usize).is_some_and(Option::is_some) => {
                self.made_by(*e, false)
            }
            _ => self.clone(),
        }
    }

    /// How many values there are, if they can be listed and are not too many to count.
    pub fn count(&self) -> Option<u64> {
        match &self.0 {
            Kind::Few(values) => Some(values.len() as u64),
            Kind::Int(r) => u64::try_from(r.hi? - r.lo? + 1).ok(),
            Kind::Real(r) => r.only().map(|_| 1),
            Kind::Text(r) => (r.hi == Some(0)).then_some(1),
            Kind::Seq(r, item) => {
                let (least, most) = (u32::try_from(r.lo?).ok()?, u32::try_from(r.hi?).ok()?);
                let items = if most == 0 { 0 } else { item.count()? };
                // One or none would make long sequences count as few, and listing them would still take long.
                if most > LONGEST {
                    return None;
                }
                (least..=most).try_fold(0u64, |sum, length| sum.checked_add(items.checked_pow(length)?))
            }
            Kind::Set(item) => item.count().filter(|n| *n < 63).map(|n| 1 << n),
            Kind::Map(key, value) => {
                let keys = key.count().and_then(|n| u32::try_from(n).ok())?;
                // No keys leave the empty map alone.
                if keys == 0 { Some(1) } else { value.count()?.checked_add(1)?.checked_pow(keys) }
            }
            Kind::Data(constructors) => constructors.iter().flatten().try_fold(0u64, |sum, fields| {
                let product = fields.iter().try_fold(1u64, |product, f| product.checked_mul(f.count()?))?;
                sum.checked_add(product)
            }),
        }
    }

    /// All values, in a fixed order, if there are no more than so many.
    pub fn list(&self, most: u64) -> Option<Vec<Value>> {
        let count = self.count().filter(|n| *n <= most)? as usize;
        let mut all = Vec::with_capacity(count);
        match &self.0 {
            Kind::Few(values) => all.extend(values.iter().cloned()),
            Kind::Int(r) => {
                for n in r.lo?..=r.hi? {
                    all.push(Value::Int(i64::try_from(n).ok()?));
                }
            }
            Kind::Real(r) => all.push(Value::real(r.only()?.clone())),
            Kind::Text(_) => all.push(Value::string("")),
            Kind::Seq(r, item) => {
                let items = if r.hi == Some(0) { Vec::new() } else { item.list(most.max(1))? };
                for length in r.lo?..=r.hi? {
                    let places = vec![&items[..]; usize::try_from(length).ok()?];
                    combinations(&places, &mut |values| all.push(Value::seq(values)));
                }
            }
            Kind::Set(item) => {
                let items = item.list(most)?;
                for n in 0..1u64 << items.len() {
                    let inside = items.iter().enumerate().filter(|(i, _)| n >> i & 1 == 1);
                    all.push(Value::set(inside.map(|(_, v)| v.clone()).collect()));
                }
            }
            Kind::Map(key, value) => {
                let keys = key.list(most)?;
                // No value, or one of them.
                let values = if keys.is_empty() { Vec::new() } else { value.list(most)? };
                let absent = Value::seq(Vec::new());
                let choices: Vec<Value> =
                    [absent].into_iter().chain(values.into_iter().map(|v| Value::seq(vec![v]))).collect();
                combinations(&vec![&choices[..]; keys.len()], &mut |chosen| {
                    let entries = keys.iter().zip(chosen).filter_map(|(k, v)| match v {
                        Value::Seq(one) => one.first().map(|v| (k.clone(), v.clone())),
                        _ => None,
                    });
                    all.extend(Value::map(entries.collect()));
                });
            }
            Kind::Data(constructors) => {
                for (c, fields) in constructors.iter().enumerate() {
                    let Some(fields) = fields else { continue };
                    let lists: Vec<Vec<Value>> = fields.iter().map(|f| f.list(most)).collect::<Option<_>>()?;
                    let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
                    combinations(&places, &mut |values| all.push(Value::data(c as u32, values)));
                }
            }
        }
        Some(all)
    }

    /// Some values, where they cannot all be listed: those that conditions speak of, small ones, and what is made of them.
    /// No more than so many.
    pub fn some(&self, spoken_of: &[Value], most: usize) -> Vec<Value> {
        if let Some(all) = self.list(most as u64) {
            return all;
        }
        let mut found: Vec<Value> = Vec::new();
        let mut add = |value: Value| {
            if found.len() < most && self.contains(&value) && !found.contains(&value) {
                found.push(value);
            }
        };
        spoken_of.iter().for_each(|v| add(v.clone()));
        match &self.0 {
            Kind::Few(values) => values.iter().for_each(|v| add(v.clone())),
            Kind::Int(r) => {
                let near = |n: i128| [n, n + 1, n - 1];
                let spoken = spoken_of.iter().filter_map(|v| match v {
                    Value::Int(n) => Some(i128::from(*n)),
                    _ => None,
                });
                let ends = [Some(0), r.lo, r.hi].into_iter().flatten();
                for n in ends.chain(spoken).flat_map(near) {
                    if let Ok(n) = i64::try_from(n) {
                        add(Value::Int(n));
                    }
                }
            }
            Kind::Real(r) => {
                let one = Rational::from(1);
                let two = Rational::from(2);
                let middle = r.lo.as_ref().zip(r.hi.as_ref()).map(|(lo, hi)| (lo + hi) / &two);
                let ends = [Some(Rational::ZERO), r.lo.clone(), r.hi.clone()].into_iter().flatten();
                let near = ends.flat_map(|n| [n.clone(), &n + &one, &n - &one]);
                near.chain(middle).for_each(|n| add(Value::real(n)));
            }
            Kind::Text(r) => {
                let least = usize::try_from(r.lo.unwrap_or(0)).unwrap_or(usize::MAX);
                // Two of those that are spoken of, and all: conditions may want each inside.
                let texts: Vec<&str> = spoken_of.iter().filter_map(text_of).take(SOME).collect();
                for (first, second) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
                    add(Value::string(&[*first, *second].concat()));
                }
                add(Value::string(&texts.concat()));
                if least <= LONGEST as usize {
                    // As long as they have to be, and no longer.
                    for text in texts {
                        let missing = least.saturating_sub(text.chars().count());
                        add(Value::string(&[text, &"a".repeat(missing)].concat()));
                    }
                    (least..least + 3).for_each(|length| add(Value::string(&"a".repeat(length))));
                }
            }
            Kind::Seq(r, item) => {
                let least = usize::try_from(r.lo.unwrap_or(0)).unwrap_or(usize::MAX);
                let items = item.some(spoken_of, SOME);
                if least <= LONGEST as usize {
                    for length in least..least + 3 {
                        // As many of them as there is room for: the first places vary most.
                        let mut room = most;
                        first_combinations(&vec![&items[..]; length], &mut |values| {
                            add(Value::seq(values));
                            room -= 1;
                            room > 0
                        });
                    }
                }
            }
            Kind::Set(item) => {
                add(Value::set(Vec::new()));
                let items = item.some(spoken_of, SOME);
                items.iter().for_each(|i| add(Value::set(vec![i.clone()])));
                items.windows(2).for_each(|pair| add(Value::set(pair.to_vec())));
                add(Value::set(items));
            }
            Kind::Map(key, value) => {
                let (keys, values) = (key.some(spoken_of, SOME), value.some(spoken_of, SOME));
                let of = |keys: &[Value], v: &Value| Value::map(keys.iter().map(|k| (k.clone(), v.clone())).collect());
                of(&[], &Value::Bool(false)).into_iter().for_each(&mut add);
                for v in &values {
                    keys.iter().for_each(|k| of(std::slice::from_ref(k), v).into_iter().for_each(&mut add));
                    of(&keys, v).into_iter().for_each(&mut add);
                }
            }
            Kind::Data(constructors) => {
                for (c, fields) in constructors.iter().enumerate() {
                    let Some(fields) = fields else { continue };
                    let lists: Vec<Vec<Value>> = fields.iter().map(|f| f.some(spoken_of, SOME)).collect();
                    let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
                    let mut room = most;
                    first_combinations(&places, &mut |values| {
                        add(Value::data(c as u32, values));
                        room -= 1;
                        room > 0
                    });
                }
            }
        }
        found
    }
}

/// Lengths are not negative.
const LENGTHS: Range<i128> = Range { lo: Some(0), hi: None };

/// Longer sequences are not listed: more than [this many values](FEW) are kept by their bounds anyway.
const LONGEST: u32 = 64;

/// At most this many values of a part are tried where the whole cannot be listed: those that conditions speak of come
/// first, and each multiplies the combinations.
const SOME: usize = 8;

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Str(text) => Some(text),
        _ => None,
    }
}

/// The shape of what a constructor makes of fields.
fn constructed(constructor: u32, fields: &[Value]) -> Shape {
    let mut all = vec![None; constructor as usize + 1];
    all[constructor as usize] = Some(fields.iter().map(|f| Shape::only(f.clone())).collect());
    Shape(Kind::Data(all))
}

/// Every way to take one value for each place; the first place varies most.
fn combinations(places: &[&[Value]], visit: &mut dyn FnMut(Vec<Value>)) {
    first_combinations(places, &mut |values| {
        visit(values);
        true
    });
}

/// The same until `visit` says that it is enough.
pub fn first_combinations(places: &[&[Value]], visit: &mut dyn FnMut(Vec<Value>) -> bool) {
    if places.iter().any(|p| p.is_empty()) {
        return;
    }
    let mut at = vec![0usize; places.len()];
    loop {
        if !visit(at.iter().zip(places).map(|(i, place)| place[*i].clone()).collect()) {
            return;
        }
        let Some(next) = (0..at.len()).find(|p| at[*p] + 1 < places[*p].len()) else { return };
        at[next] += 1;
        at[..next].fill(0);
    }
}
