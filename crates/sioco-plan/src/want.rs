//! What a purpose asks of the values of a step, besides that the step is possible.

use sioco_model::model::Model;
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{SortId, SwitchId, TermId, Value, WrittenId};
use sioco_symbolic::assume::has_value;
use sioco_symbolic::step::Step;

/// Which side of an atom of a guard is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// It holds.
    True,
    /// It does not.
    False,
    /// It holds, and would not if a number were the next one.
    LastTrue,
    /// It does not hold, and would if a number were the next one.
    FirstFalse,
}

impl Side {
    /// All sides.
    pub const ALL: [Side; 4] = [Side::True, Side::False, Side::LastTrue, Side::FirstFalse];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Side::True => "true",
            Side::False => "false",
            Side::LastTrue => "last-true",
            Side::FirstFalse => "first-false",
        }
    }

    /// The side with a name.
    pub fn named(name: &str) -> Option<Side> {
        Side::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Whether the atom holds on this side.
    pub fn holds(self) -> bool {
        matches!(self, Side::True | Side::LastTrue)
    }
}

/// A condition on a step.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Want {
    /// An atom of the guard of a switch (its own, or another one with the same source) is on a side.
    Atom {
        /// The switch whose guard it is.
        switch: SwitchId,
        /// Which atom, in the order of the guard.
        atom: usize,
        /// The side.
        side: Side,
    },
    /// The arguments of the step are these values, and no others. Tests along one path that differ only in their values are
    /// different purposes by this: each of them is run.
    Values(Vec<Value>),
    /// What a written purpose asks for at one of its events.
    Written {
        /// The purpose.
        purpose: WrittenId,
        /// The condition: a term over variables and slots.
        condition: TermId,
        /// Where the values of its slots come from: the slot, the step on the path (from 0), and its argument.
        slots: Vec<(u32, usize, usize)>,
        /// Whether it must be false: it belongs to something that must not happen.
        negated: bool,
        /// Whether it is about the values of the variables after the step, not before it.
        after: bool,
    },
}

impl Want {
    /// Whether it is about the values of the variables after the step.
    pub fn is_after(&self) -> bool {
        matches!(self, Want::Written { after: true, .. })
    }
}

/// The condition on the parameters of a step that they have these values.
pub fn have_values(pool: &mut TermPool, sorts: &Sorts, params: &[SortId], values: &[Value]) -> TermId {
    let all = (0..).zip(params.iter().zip(values));
    let all = all.map(|(i, (sort, value))| {
        let param = pool.param(i, sorts.base(*sort));
        has_value(pool, sorts, param, value)
    });
    let all: Vec<TermId> = all.collect();
    pool.and(sorts, &all)
}

/// The sorts of the parameters of a step.
pub fn param_sorts(model: &Model, step: Step) -> Vec<SortId> {
    let switch = step.switches().next();
    switch.map(|s| model.switches[s].params.iter().map(|p| p.sort).collect()).unwrap_or_default()
}

/// The atoms of a guard as it was written: what is left of it when connectives are taken apart, each once, in order.
pub fn atoms(model: &Model, switch: SwitchId) -> Vec<TermId> {
    let mut found = Vec::new();
    collect(&model.terms, model.written_guard(switch), &mut found);
    found
}

fn collect(pool: &TermPool, term: TermId, found: &mut Vec<TermId>) {
    match pool.get(term) {
        Term::App(Op::And | Op::Or | Op::Not, args) => {
            for a in args.iter() {
                collect(pool, *a, found);
            }
        }
        Term::App(Op::Ite, args) if pool.sort(args[1]) == pool.sort(term) => {
            for a in args.iter() {
                collect(pool, *a, found);
            }
        }
        Term::Const(..) => {}
        _ if found.contains(&term) => {}
        _ => found.push(term),
    }
}

/// The condition that an atom is on a side; none where it has no such side.
pub fn side_of(pool: &mut TermPool, sorts: &Sorts, atom: TermId, side: Side) -> Option<TermId> {
    let (op, a, b) = match pool.get(atom) {
        Term::App(op @ (Op::Lt | Op::Le | Op::Eq), args) => (Some(*op), args[0], args[1]),
        _ => (None, atom, atom),
    };
    match side {
        Side::True => return Some(atom),
        Side::False => return Some(pool.not(sorts, atom)),
        Side::LastTrue | Side::FirstFalse => {}
    }
    let op = op?;
    let number = pool.sort(a);
    let next = |pool: &mut TermPool, t: TermId, by: i64| {
        if let Some(n) = pool.as_const(t).and_then(|v| if let Value::Int(n) = v { n.checked_add(by) } else { None }) {
            return pool.constant(Value::Int(n), sorts.int);
        }
        let by = pool.constant(Value::Int(by), sorts.int);
        pool.app(Op::Add, &[t, by], sorts.int)
    };
    if number == sorts.int {
        return match (op, side) {
            // a < b: last true at a + 1 == b, first false at a == b.
            (Op::Lt, Side::LastTrue) => {
                let a = next(pool, a, 1);
                Some(pool.eq(sorts, a, b))
            }
            (Op::Lt, _) | (Op::Le, Side::LastTrue) => Some(pool.eq(sorts, a, b)),
            (Op::Le, _) => {
                let b = next(pool, b, 1);
                Some(pool.eq(sorts, a, b))
            }
            // Equality is true in one place only; it is about to be false there, and just false beside it.
            (_, Side::LastTrue) => None,
            _ => {
                let (above, below) = (next(pool, b, 1), next(pool, b, -1));
                let (above, below) = (pool.eq(sorts, a, above), pool.eq(sorts, a, below));
                Some(pool.or(sorts, &[above, below]))
            }
        };
    }
    if number == sorts.real {
        // Reals have no next number: the border itself belongs to one side.
        return match (op, side) {
            (Op::Lt, Side::FirstFalse) | (Op::Le, Side::LastTrue) => Some(pool.eq(sorts, a, b)),
            _ => None,
        };
    }
    None
}
