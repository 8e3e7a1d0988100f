//! Sorts and values.

use super::Spec;

/// A sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers of a range.
    Int(i64, i64),
    /// All integers. Only compared, never computed with, so that [few values](WIDE) stand for all.
    Wide,
    /// Texts. Only compared, so that [few values](TEXTS) stand for all.
    Text,
    /// A declared type, by its place.
    Data(usize),
    /// Sequences.
    Seq(Box<Sort>),
}

/// The integers that stand for all where nothing but comparisons with small numbers (−1 to 4) and equality between at
/// most three such values matters: three lie above and three below.
pub const WIDE: (i64, i64) = (-4, 7);

/// The texts that stand for all where nothing but equality and `contains(_, "a")`, `contains(_, "b")` matters.
pub const TEXTS: [&str; 12] = ["", "a", "b", "ab", "c", "aa", "bb", "ba", "cc", "ca", "cb", "abc"];

/// The longest sequences that are tried where one is chosen. Guards of such choices bound the length below this.
pub const LONGEST: usize = 2;

/// A constructor of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: String,
    /// The sorts of its fields; their names are `f0`, `f1` and so on, with the place of the constructor before it.
    pub fields: Vec<Sort>,
}

/// A declared type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// Its name.
    pub name: String,
    /// Whether it is a record: then there is one constructor.
    pub record: bool,
    /// Its constructors.
    pub constructors: Vec<Constructor>,
}

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Val {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
    /// A constructor with its fields.
    Data(usize, Vec<Val>),
    /// A sequence.
    Seq(Vec<Val>),
}

impl Val {
    /// Whether it belongs to a sort.
    pub fn fits(&self, sort: &Sort, types: &[Type]) -> bool {
        match (self, sort) {
            (Val::Bool(_), Sort::Bool) | (Val::Int(_), Sort::Wide) | (Val::Text(_), Sort::Text) => true,
            (Val::Int(n), Sort::Int(low, high)) => low <= n && n <= high,
            (Val::Data(c, fields), Sort::Data(t)) => types[*t].constructors.get(*c).is_some_and(|c| {
                c.fields.len() == fields.len() && c.fields.iter().zip(fields).all(|(s, v)| v.fits(s, types))
            }),
            (Val::Seq(items), Sort::Seq(item)) => items.iter().all(|v| v.fits(item, types)),
            _ => false,
        }
    }

    /// Every value of a sort that has to be tried.
    pub fn all(sort: &Sort, spec: &Spec) -> Vec<Val> {
        match sort {
            Sort::Bool => vec![Val::Bool(false), Val::Bool(true)],
            Sort::Int(low, high) => (*low..=*high).map(Val::Int).collect(),
            Sort::Wide => {
                let usual = (WIDE.0..=WIDE.1).map(Val::Int);
                usual.chain(spec.seen.iter().filter(|v| matches!(v, Val::Int(_))).cloned()).collect()
            }
            Sort::Text => {
                let usual = TEXTS.iter().map(|t| Val::Text((*t).into()));
                usual.chain(spec.seen.iter().filter(|v| matches!(v, Val::Text(_))).cloned()).collect()
            }
            Sort::Data(t) => {
                let mut all = Vec::new();
                for (c, constructor) in spec.types[*t].constructors.iter().enumerate() {
                    all.extend(Val::tuples(&constructor.fields, spec).into_iter().map(|fields| Val::Data(c, fields)));
                }
                all
            }
            Sort::Seq(item) => {
                let items = Val::all(item, spec);
                let mut all = vec![Val::Seq(Vec::new())];
                let mut last: Vec<Vec<Val>> = vec![Vec::new()];
                for _ in 0..LONGEST {
                    let longer = |s: &Vec<Val>| -> Vec<Vec<Val>> {
                        items.iter().map(|i| s.iter().chain([i]).cloned().collect()).collect()
                    };
                    last = last.iter().flat_map(longer).collect();
                    all.extend(last.iter().cloned().map(Val::Seq));
                }
                all
            }
        }
    }

    /// Every tuple of values of these sorts.
    pub fn tuples(sorts: &[Sort], spec: &Spec) -> Vec<Vec<Val>> {
        let mut all: Vec<Vec<Val>> = vec![Vec::new()];
        for sort in sorts {
            let values = Val::all(sort, spec);
            all = (all.iter())
                .flat_map(|front| values.iter().map(move |v| front.iter().chain([v]).cloned().collect()))
                .collect();
        }
        all
    }
}
