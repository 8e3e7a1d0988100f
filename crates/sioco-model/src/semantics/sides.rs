//! Free variables that the model only compares.
//!
//! Some variables are only compared with values of small ranges, and with values that are sent or seen. For these it
//! matters only on which side of the other values they lie. Two states on the same side behave the same until a value is
//! sent or seen that lies between them. So one value on each side stands for all others,
//! and a variable without bounds has few values that matter
//! (T-B4). What is sent and seen makes new [sides](Sides::split).

mod line;
mod reader;

pub use self::line::Seen;
use self::line::{Line, Numbers};
use self::reader::Reader;
use crate::id::VarId;
use crate::model::Model;
use crate::number::BigInt;
use crate::sort::Sort;
use crate::value::Value;

/// The values of a free variable that matter, each with what it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sides {
    /// The variable.
    pub var: VarId,
    /// One value for each side at the start.
    pub values: Vec<Value>,
    /// Whether it is compared with what is sent and seen.
    pub follows: bool,
    line: Line,
}

impl Sides {
    /// The sides of a free variable; nothing if it is not only compared, or if there are more than so many.
    pub fn of(model: &Model, var: VarId, most: u64) -> Option<Sides> {
        let sort = model.variables[var].sort;
        let mut reader = Reader::new(model, var, most);
        reader.read_all()?;
        let follows = reader.follows;
        let line = match (model.sorts.get(sort), follows || !reader.numbers.is_empty() || !reader.texts.is_empty()) {
            // Nothing tells its values apart.
            (_, false) => Line::All(model.sorts.default_value(sort)),
            (Sort::Int { lo, hi }, true) => {
                let points = std::mem::take(&mut reader.numbers);
                let numbers = Numbers { points, least: lo.clone(), greatest: hi.clone() };
                if reader.ordered { Line::Ordered(numbers) } else { Line::Numbers(numbers) }
            }
            (Sort::String, true) => Line::Texts(std::mem::take(&mut reader.texts)),
            _ => return None,
        };
        let values = line.values();
        (values.len() as u64 <= most).then_some(Sides { var, values, follows, line })
    }

    /// The values that stand for what a value stood for before something was sent or seen: what was seen since then is
    /// not among the others any more. Nothing if it stands for the same as before.
    pub fn split(&self, value: &Value, seen: &Seen, new: &Value) -> Option<Vec<Value>> {
        self.line.split(value, seen, new)
    }

    /// The values that a value stands for: the least and the greatest one where it has both and nothing is missing between
    /// them. Nothing if it stands for itself alone.
    pub fn extent(&self, value: &Value, seen: &Seen) -> Option<Option<(BigInt, BigInt)>> {
        self.line.extent(value, seen)
    }

    /// What a value stands for, with the name of the variable: `x = 3`, `x > 5`.
    pub fn show(&self, model: &Model, value: &Value, seen: &Seen) -> String {
        let show = |v: &Value| model.sorts.show(model.variables[self.var].sort, v);
        self.line.show(&model.variable_name(self.var), value, seen, &show)
    }
}
