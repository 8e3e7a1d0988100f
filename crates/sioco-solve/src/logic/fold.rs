//! Operations on parts that are defined wherever it matters.

use sioco_model::simplify::{self, Parts};
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, TermPool};
use sioco_model::{BinderId, Id, SortId, TermId};

/// The binders of an [`Op::Exists`].
pub(super) fn binders(first: BinderId, count: u32) -> impl Iterator<Item = BinderId> + Clone {
    (first.index()..first.index() + count as usize).map(BinderId::from_index)
}

/// An operation on total terms. Where the operation is undefined, so is the result.
pub(super) fn app(pool: &mut TermPool, sorts: &Sorts, op: Op, args: &[TermId], sort: SortId) -> TermId {
    simplify::operation(pool, sorts, op, args, sort, Parts::Defined)
}
