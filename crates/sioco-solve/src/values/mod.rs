//! Choosing values: which of the values that satisfy a path condition are tried.
//!
//! S0 section 2.2 takes any values (`getValues`), but a good choice makes tests better. Questions to a solver find all
//! values. The path condition is on the stack of this solver, and the stack is unchanged afterwards. The conditions of
//! these questions are terms in the caller's pool.

mod boundary;
mod far;
mod free;
mod other;
mod real;
mod session;
mod text;
mod whole;

use sioco_model::number::{self, BigInt, Rational};
pub use sioco_model::random::Random;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, TermPool};
use sioco_model::{SortId, SymbolId, TermId, Value};

pub use self::boundary::boundary_conditions;
use self::boundary::range_conditions;
pub use self::free::AnySize;
use self::real::Real;
pub use self::session::NoValues;
use self::session::ValueSearch;
use self::text::Text;
use self::whole::Whole;
use crate::builtin::{Builtin, Extent};
use crate::chain::Chain;
use crate::query::{Limits, Solver, Symbols, Terms, Witness};

/// A solver that knows bounds of integers without being asked a question.
pub trait Bounds: Solver {
    /// Bounds of an `Int` symbol that the conjuncts imply, `None` where none is known.
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>);

    /// The same of a `Real` symbol, each with whether it is excluded; nothing if little is known of it.
    fn extent(&mut self, _: Terms<'_>, _: SymbolId) -> Option<Extent> {
        None
    }

    /// For each symbol whether a conjunct speaks of it; nothing if that is not known.
    fn mentioned(&mut self, _: Terms<'_>) -> Option<Vec<bool>> {
        None
    }

    /// Whether these values are known to satisfy all conjuncts, without a search; they are kept then.
    fn offer(&mut self, _: Terms<'_>, _: &[Value]) -> bool {
        false
    }
}

impl Bounds for Builtin {
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>) {
        Builtin::bounds(self, symbol)
    }

    fn extent(&mut self, terms: Terms<'_>, symbol: SymbolId) -> Option<Extent> {
        Builtin::extent(self, terms, symbol)
    }
}

impl Bounds for Chain {
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>) {
        Chain::bounds(self, symbol)
    }

    fn extent(&mut self, terms: Terms<'_>, symbol: SymbolId) -> Option<Extent> {
        Chain::extent(self, terms, symbol)
    }

    fn mentioned(&mut self, terms: Terms<'_>) -> Option<Vec<bool>> {
        Some(Chain::mentioned(self, terms))
    }

    fn offer(&mut self, terms: Terms<'_>, witness: &[Value]) -> bool {
        Chain::offer(self, terms, witness)
    }
}

impl Bounds for Box<dyn Solver> {
    /// Any other solver has to be asked.
    fn bounds(&mut self, _: SymbolId) -> (Option<i64>, Option<i64>) {
        (None, None)
    }
}

/// How values are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// The least, symbol by symbol in the order given; of texts and sequences the shortest. Where a side has no end, the
    /// value nearest to zero, and of texts and sequences a shortest one.
    Min,
    /// The greatest.
    Max,
    /// Half way between the least and the greatest.
    Middle,
    /// At random, by a seed; close to uniform over the solutions where they are finitely many, otherwise of many sizes.
    Random(u64),
    /// Where an atom of the guard is about to flip.
    Boundary,
}

impl Choice {
    /// The same, once more: random values are drawn anew.
    pub fn anew(self, random: &mut Random) -> Choice {
        match self {
            Choice::Random(_) => Choice::Random(random.bits()),
            other => other,
        }
    }

    /// Which border comes next; only where borders are chosen does that take a random number.
    pub fn turn(self, random: &mut Random) -> u64 {
        if self == Choice::Boundary { random.bits() } else { 0 }
    }
}

/// What is wanted.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The symbols to choose, in this order; the others take what comes.
    pub symbols: &'a [SymbolId],
    /// How.
    pub choice: Choice,
    /// Values that were used before and may be used again where random values are chosen from an unbounded set.
    pub used: &'a [Value],
    /// The guard whose borders [`Choice::Boundary`] looks at.
    pub guard: Option<TermId>,
    /// Limits of each question to the solver.
    pub limits: &'a Limits,
}

/// The values that were chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// One value per symbol that was asked for.
    pub values: Vec<Value>,
    /// Values of all symbols.
    pub witness: Witness,
    /// Symbols whose set of values has no end on the side asked for, or does not reach it (`x > 7.5` has no least
    /// value); theirs is the value nearest to zero, one next to the end, or some.
    pub unbounded: Vec<SymbolId>,
    /// Whether the solver left a question open, so that there may be a better value.
    pub uncertain: bool,
}

/// Chooses values for symbols under the conditions on the solver's stack, which is as before afterwards.
pub fn choose(
    solver: &mut dyn Bounds,
    pool: &mut TermPool,
    sorts: &Sorts,
    symbols: &Symbols,
    request: Request<'_>,
) -> Result<Chosen, NoValues> {
    choose_in_turn(solver, pool, sorts, symbols, request, 0)
}

/// The same; where a border of the guard is chosen, another one for each turn.
pub fn choose_in_turn(
    solver: &mut dyn Bounds,
    pool: &mut TermPool,
    sorts: &Sorts,
    symbols: &Symbols,
    request: Request<'_>,
    turn: u64,
) -> Result<Chosen, NoValues> {
    let mut session = ValueSearch::start(solver, pool, sorts, symbols, request.limits)?;
    let mut chooser = Chooser {
        request,
        random: Random::new(match request.choice {
            Choice::Random(seed) => seed,
            _ => 0,
        }),
        unbounded: Vec::new(),
    };
    if let (Choice::Boundary, Some(guard)) = (request.choice, request.guard) {
        let mut conditions = boundary_conditions(session.pool, sorts, guard);
        conditions.extend(range_conditions(session.pool, sorts, symbols, request.symbols));
        let unsure = session.uncertain;
        if !conditions.is_empty() {
            let first = (turn % conditions.len() as u64) as usize;
            conditions.rotate_left(first);
        }
        for condition in conditions {
            if session.narrow_to_border(condition) {
                break;
            }
        }
        // Any border will do.
        session.uncertain = unsure;
    }
    chooser.all(&mut session);
    let unbounded = chooser.unbounded;
    let (witness, uncertain) = session.finish();
    let values = request.symbols.iter().map(|y| witness[sioco_model::Id::index(*y)].clone()).collect();
    Ok(Chosen { values, witness, unbounded, uncertain })
}

/// One choice for every border of the guard that the conditions on the solver's stack allow.
pub fn boundaries(
    solver: &mut dyn Bounds,
    pool: &mut TermPool,
    sorts: &Sorts,
    symbols: &Symbols,
    request: Request<'_>,
) -> Result<Vec<Chosen>, NoValues> {
    let Some(guard) = request.guard else { return Ok(vec![choose(solver, pool, sorts, symbols, request)?]) };
    let mut found: Vec<Chosen> = Vec::new();
    for condition in boundary_conditions(pool, sorts, guard) {
        solver.push();
        solver.assert(Terms { pool, sorts, symbols }, condition);
        let inner = Request { choice: Choice::Middle, ..request };
        let chosen = choose(solver, pool, sorts, symbols, inner);
        solver.pop();
        match chosen {
            Ok(chosen) if !found.iter().any(|f| f.values == chosen.values) => found.push(chosen),
            Ok(_) | Err(NoValues::Impossible) => {}
            Err(unknown) => return Err(unknown),
        }
    }
    Ok(found)
}

/// At most this many items of a sequence are chosen one by one: each takes questions. The others stay as the solver has
/// them.
const ITEMS: usize = 16;
/// Values of all symbols are drawn at once this often before they are chosen one after the other: a draw only evaluates
/// the conditions, while choosing asks questions. Measured: half and twice as many give the same plans for SMTP and the
/// speed monitor.
const JOINT_DRAWS: u32 = 24;

struct Chooser<'a> {
    request: Request<'a>,
    random: Random,
    unbounded: Vec<SymbolId>,
}

impl Chooser<'_> {
    fn all(&mut self, session: &mut ValueSearch<'_>) {
        let random = matches!(self.request.choice, Choice::Random(_));
        let tied = if random { self.settle(session) } else { self.request.symbols.to_vec() };
        if random && tied.len() > 1 && self.joint(session, &tied) {
            return;
        }
        for y in tied {
            let sort = session.symbols[y].sort;
            let term = session.pool.symbol(y, session.sorts.base(sort));
            if !self.one(session, term, sort, Some(y), 0) {
                self.unbounded.push(y);
            }
        }
    }

    /// Draws the values of symbols that no condition speaks of; the other ones are left.
    fn settle(&mut self, session: &mut ValueSearch<'_>) -> Vec<SymbolId> {
        let terms = Terms { pool: session.pool, sorts: session.sorts, symbols: session.symbols };
        let Some(mentioned) = session.solver.mentioned(terms) else { return self.request.symbols.to_vec() };
        let mut tied = Vec::new();
        for y in self.request.symbols {
            let drawn = match mentioned[sioco_model::Id::index(*y)] {
                true => None,
                false => free::draw(session.sorts, session.symbols[*y].sort, &mut self.random, self.request.used),
            };
            let Some((value, bounded)) = drawn else {
                tied.push(*y);
                continue;
            };
            session.settle(*y, value);
            if !bounded {
                self.unbounded.push(*y);
            }
        }
        tied
    }

    /// Draws from the product of the domains: whatever passes is uniform over the solutions of all symbols, which
    /// choosing them one after the other is not.
    fn joint(&mut self, session: &mut ValueSearch<'_>, tied: &[SymbolId]) -> bool {
        let mut domains = Vec::new();
        for y in tied {
            let sort = session.symbols[*y].sort;
            let term = session.pool.symbol(*y, session.sorts.base(sort));
            let domain = match session.sorts.get(sort) {
                Sort::Int { .. } => Whole { term, sort, symbol: Some(*y), least: None, most: None }.interval(session),
                _ => session.sorts.cardinality(sort).map(|n| (BigInt::ZERO, BigInt::from(n) - BigInt::ONE)),
            };
            let Some(domain) = domain else { return false };
            domains.push((term, sort, domain));
        }
        for _ in 0..JOINT_DRAWS {
            let mut parts = Vec::new();
            let mut drawn = Vec::new();
            for (term, sort, (lo, hi)) in &domains {
                let n = self.random.whole(lo, hi);
                let value = match session.sorts.get(*sort) {
                    Sort::Int { .. } => Some(number::int(n)),
                    _ => u64::try_from(n).ok().and_then(|n| session.sorts.nth_value(*sort, n)),
                };
                let Some(value) = value else { return false };
                drawn.push((*term, value.clone()));
                let constant = session.pool.constant(value, session.sorts.base(*sort));
                parts.push(session.test(Op::Eq, *term, constant));
            }
            let condition = session.pool.and(session.sorts, &parts);
            if session.narrow_to(condition, &drawn) {
                return true;
            }
        }
        false
    }

    /// Narrows a term to one value; `false` if its set of values has no end on the side asked for, or does not reach it.
    fn one(
        &mut self,
        session: &mut ValueSearch<'_>,
        term: TermId,
        sort: SortId,
        symbol: Option<SymbolId>,
        depth: u32,
    ) -> bool {
        let choice = self.request.choice;
        match session.sorts.get(sort) {
            Sort::Int { .. } => {
                let whole = Whole { term, sort, symbol, least: None, most: None };
                match choice {
                    Choice::Min | Choice::Max => {
                        let sign = if choice == Choice::Min { 1 } else { -1 };
                        let found = whole.extreme(session, sign);
                        if !found {
                            whole.nearest(session, &BigInt::ZERO);
                        }
                        found
                    }
                    Choice::Middle => whole.middle(session),
                    Choice::Random(_) => whole.random(session, &mut self.random, self.request.used),
                    Choice::Boundary => {
                        whole.nearest(session, &BigInt::ZERO);
                        true
                    }
                }
            }
            _ if session.sorts.cardinality(sort).is_some_and(|n| n <= other::FEW) => {
                other::of_few(session, term, sort, choice, &mut self.random);
                true
            }
            Sort::Data(d) => {
                let count = session.sorts.data[*d].constructors.len() as u32;
                let Some(c) = other::constructor(session, term, count, choice, &mut self.random) else { return true };
                if depth > 3 {
                    // Deep inside a recursive type: as the witness has it.
                    if let Some(value) = session.value(term) {
                        session.fix(term, value);
                    }
                    return true;
                }
                let fields = &session.sorts.data[*d].constructors[c as usize].fields;
                let mut bounded = true;
                for (i, f) in fields.iter().enumerate() {
                    let base = session.sorts.base(f.sort);
                    let field = session.pool.app(Op::Field(c, i as u32), &[term], base);
                    bounded &= self.one(session, field, f.sort, None, depth + 1);
                }
                bounded
            }
            Sort::Real { .. } => {
                let real = Real { term, sort, symbol };
                match choice {
                    Choice::Min => real.extreme(session, 1),
                    Choice::Max => real.extreme(session, -1),
                    Choice::Middle => real.middle(session),
                    Choice::Random(_) => real.random(session, &mut self.random, self.request.used),
                    Choice::Boundary => {
                        real.nearest(session, &Rational::ZERO);
                        true
                    }
                }
            }
            Sort::String | Sort::Seq(_) => {
                let text = Text { term, sort };
                let bounded = match choice {
                    Choice::Min => {
                        text.shortest(session);
                        true
                    }
                    Choice::Boundary => {
                        text.plainest(session);
                        true
                    }
                    Choice::Max => text.longest(session),
                    Choice::Middle => text.middle(session),
                    Choice::Random(_) => return text.random(session, &mut self.random, self.request.used),
                };
                self.items(session, text, depth) && bounded
            }
            // As the witness has it: nobody looks for the smallest, or for another one.
            Sort::Set(_) | Sort::Map(..) => {
                if let Some(value) = session.value(term) {
                    session.fix(term, value);
                }
                choice == Choice::Boundary
            }
            Sort::Bool => true,
        }
    }

    /// Narrows the items of a sequence, whose length is settled.
    fn items(&mut self, session: &mut ValueSearch<'_>, text: Text, depth: u32) -> bool {
        let mut bounded = true;
        if let (Sort::Seq(item), false) = (session.sorts.get(text.sort), self.request.choice == Choice::Boundary) {
            let base = session.sorts.base(*item);
            for i in 0..text.length_now(session).min(ITEMS) {
                if depth > 3 {
                    break;
                }
                let index = session.pool.constant(Value::Int(i as i64), session.sorts.int);
                let term = session.pool.app(Op::Index, &[text.term, index], base);
                bounded &= self.one(session, term, *item, None, depth + 1);
            }
        }
        if let Some(value) = session.value(text.term) {
            session.fix(text.term, value);
        }
        bounded
    }
}
