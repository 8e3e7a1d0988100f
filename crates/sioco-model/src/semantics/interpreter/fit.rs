//! Which values a parameter of a switch can have, prepared so that asking costs next to nothing.

use crate::id::SwitchId;
use crate::model::Model;
use crate::sort::Sort;
use crate::value::Value;

/// See the [module](self).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// Integers between two small ones.
    Between(i64, i64),
    /// Any integer.
    Whole,
    /// Whatever the parameter of the model takes.
    Param(SwitchId, usize),
}

impl Fit {
    /// For a parameter of a switch, by its position.
    pub fn of(model: &Model, switch: SwitchId, at: usize) -> Fit {
        let small = |b: Option<&crate::number::BigInt>| b.and_then(|b| i64::try_from(b).ok());
        match model.sorts.get(model.switches[switch].params[at].sort) {
            Sort::Int { lo: None, hi: None } => Fit::Whole,
            Sort::Int { lo, hi } => match (small(lo.as_ref()), small(hi.as_ref())) {
                (Some(lo), Some(hi)) => Fit::Between(lo, hi),
                _ => Fit::Param(switch, at),
            },
            _ => Fit::Param(switch, at),
        }
    }

    /// Whether it can have this value.
    #[inline]
    pub fn takes(self, model: &Model, value: &Value) -> bool {
        match (self, value) {
            (Fit::Between(lo, hi), Value::Int(n)) => lo <= *n && *n <= hi,
            (Fit::Between(..), _) => false,
            (Fit::Whole, value) => matches!(value, Value::Int(_) | Value::BigInt(_)),
            (Fit::Param(switch, at), value) => model.switches[switch].params[at].takes(&model.sorts, value),
        }
    }
}
