//! The internal closure (T-L5) and *after* (T-L7), for whoever follows a set of states along its steps.
//!
//! There is one traversal. It is breadth first, so that the result is the same everywhere; it keeps equal members once; and a
//! stated bound ends it (T-L9). [`Follow`] says how one member of the set is stepped. For the interpreter, the played model
//! and the search for silent cycles, the members are states. For the tester they are hypotheses, some of which stand for
//! many states at once.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::interpreter::StepError;
use super::live::Live;
use super::state::State;
use crate::id::{GateId, SwitchId};
use crate::value::Value;

/// A closure or a search for internal cycles visits at most this many states before it is cut (T-L9). A step takes
/// about a microsecond, so that an event takes some ten milliseconds at worst. With fewer, more runs rest on nothing;
/// with more, the tester is slower than the usual quiescence time.
pub const CLOSURE_LIMIT: usize = 10_000;

/// And these states may take this much room together, by their [weight](State::weight): where each of them is large,
/// there are fewer. With ten thousand states there is room for a weight of some two hundred each.
pub const CLOSURE_ROOM: usize = 1 << 21;

/// What internal steps lead to.
#[derive(Clone, Debug)]
pub struct Closure<M = State> {
    /// The states, those that were given first, then in the order found.
    pub states: Vec<M>,
    /// Whether there are more: the search was cut.
    pub cut: bool,
}

/// How the members of a set are followed along internal steps.
pub trait Follow {
    /// A state, or what stands for one or more.
    type Member;

    /// Whether a closure that is full goes on all the same, without new members: another way to a member that is known may
    /// tell something new.
    const GOES_ON: bool = false;

    /// Whether the members that are given stay apart even if they are the same: somebody draws one by its number.
    const KEEPS_GIVEN: bool = false;

    /// The state of a member, if it is known.
    fn state<'m>(&self, member: &'m Self::Member) -> Option<&'m State>;

    /// Which variables tell states apart; all of them if this is nothing.
    fn live(&mut self) -> Option<Arc<Live>> {
        None
    }

    /// How many members there may be, where so many are given.
    fn limit(&self, given: usize) -> usize {
        given + CLOSURE_LIMIT
    }

    /// How much room the states may take that steps lead to.
    fn room(&self) -> usize {
        CLOSURE_ROOM
    }

    /// Whether it is plain that no internal step leaves a member.
    fn stays(&self, member: &Self::Member) -> bool;

    /// Where internal steps lead from a member, which is the n-th. Nothing if the closure has to end here.
    fn internal(&mut self, at: usize, member: &Self::Member) -> Result<Option<Vec<Self::Member>>, StepError>;

    /// The internal switch that is all that can happen to a member, where nobody can tell that it is there: it is taken
    /// along before it counts.
    fn passing(&mut self, _member: &Self::Member) -> Option<SwitchId> {
        None
    }

    /// Takes a member along such a switch.
    fn pass(&mut self, _member: &mut Self::Member, _switch: SwitchId) -> Result<(), StepError> {
        Ok(())
    }

    /// A member that a new one adds nothing to, if it is found otherwise than by a known state.
    fn known(&mut self, _found: &[Self::Member], _member: &Self::Member) -> Option<usize> {
        None
    }

    /// Whether a new member may be added to so many.
    fn admits(&mut self, _count: usize, _member: &Self::Member) -> bool {
        true
    }

    /// The n-th member is added.
    fn added(&mut self, _at: usize, _member: &Self::Member) {}

    /// Another way leads to the n-th member. Says whether this changes what internal steps lead to from there.
    fn merge(&mut self, _at: usize, _known: &mut Self::Member, _other: &Self::Member) -> bool {
        false
    }

    /// A step leads from one member to another one, or to one that was left out.
    fn leads(&mut self, _from: usize, _to: Option<usize>) {}
}

/// How the members of a set are followed along what is observed.
pub trait Observe: Follow {
    /// Where an interaction leads from a member.
    fn interact(
        &mut self,
        member: &Self::Member,
        gate: GateId,
        args: &[Value],
        found: &mut Vec<Self::Member>,
    ) -> Result<(), StepError>;

    /// What is left of a member when silence was observed.
    fn quiet(&mut self, member: &Self::Member, found: &mut Vec<Self::Member>) -> Result<(), StepError>;

    /// All that an observation leads to was found; internal steps are not followed yet.
    fn arrange(&mut self, _found: &mut Vec<Self::Member>) {}
}

/// All that internal steps lead to from these, themselves included (T-L5; S1 definition 2).
pub fn close<F: Follow>(follow: &mut F, given: Vec<F::Member>) -> Result<Closure<F::Member>, StepError> {
    if (F::KEEPS_GIVEN || given.len() <= 1) && given.iter().all(|member| follow.stays(member)) {
        return Ok(Closure { states: given, cut: false });
    }
    let mut traversal = Traversal::new(follow);
    for mut member in given {
        traversal.pass_by(&mut member)?;
        let known = if F::KEEPS_GIVEN { None } else { traversal.find(&member) };
        match known {
            Some(at) => traversal.merge(at, &member),
            None => traversal.add(member),
        }
    }
    traversal.follow_all()
}

/// The set after an interaction (T-L7), of one that is closed: itself closed.
pub fn after<F: Observe>(
    follow: &mut F,
    closed: &[F::Member],
    gate: GateId,
    args: &[Value],
) -> Result<Closure<F::Member>, StepError> {
    let mut found = Vec::new();
    for member in closed {
        follow.interact(member, gate, args, &mut found)?;
    }
    follow.arrange(&mut found);
    close(follow, found)
}

/// What is left of a closed set when silence was observed. Where internal steps go on for ever, they do so after the
/// silence, too, and may lead elsewhere: these are not followed here.
pub fn quiet<F: Observe>(follow: &mut F, closed: &[F::Member]) -> Result<Vec<F::Member>, StepError> {
    let mut found = Vec::new();
    for member in closed {
        follow.quiet(member, &mut found)?;
    }
    Ok(found)
}

/// The set after silence (T-L7), of one that is closed: itself closed.
pub fn after_delta<F: Observe>(follow: &mut F, closed: &[F::Member]) -> Result<Closure<F::Member>, StepError> {
    let mut quiet = quiet(follow, closed)?;
    follow.arrange(&mut quiet);
    close(follow, quiet)
}

/// A closure that is being made.
struct Traversal<'f, F: Follow> {
    follow: &'f mut F,
    live: Option<Arc<Live>>,
    found: Vec<F::Member>,
    /// For the hash of a state the last member that has it, and for each of them the one before: states are not kept
    /// twice.
    last: FxHashMap<u64, u32>,
    before: Vec<u32>,
    /// The members that are to be followed, those first that were found first.
    open: VecDeque<usize>,
    waiting: FxHashSet<usize>,
    cut: bool,
}

/// No member.
const NONE: u32 = u32::MAX;

impl<'f, F: Follow> Traversal<'f, F> {
    fn new(follow: &'f mut F) -> Self {
        Traversal {
            live: follow.live(),
            follow,
            found: Vec::new(),
            last: FxHashMap::default(),
            before: Vec::new(),
            open: VecDeque::new(),
            waiting: FxHashSet::default(),
            cut: false,
        }
    }

    /// Follows everything that is open.
    fn follow_all(mut self) -> Result<Closure<F::Member>, StepError> {
        let (limit, mut room) = (self.follow.limit(self.found.len()), self.follow.room());
        'all: while let Some(at) = self.open.pop_front() {
            self.waiting.remove(&at);
            if self.follow.stays(&self.found[at]) {
                continue;
            }
            let Some(next) = self.follow.internal(at, &self.found[at])? else {
                self.cut = true;
                break;
            };
            for mut member in next {
                self.pass_by(&mut member)?;
                if let Some(known) = self.find(&member) {
                    self.merge(known, &member);
                    self.follow.leads(at, Some(known));
                } else if room > 0 && self.found.len() < limit && self.follow.admits(self.found.len(), &member) {
                    room = room.saturating_sub(self.follow.state(&member).map_or(0, State::weight));
                    self.follow.leads(at, Some(self.found.len()));
                    self.add(member);
                } else {
                    self.cut = true;
                    self.follow.leads(at, None);
                    if !F::GOES_ON {
                        break 'all;
                    }
                }
            }
        }
        Ok(Closure { states: self.found, cut: self.cut })
    }

    fn pass_by(&mut self, member: &mut F::Member) -> Result<(), StepError> {
        while let Some(switch) = self.follow.passing(member) {
            self.follow.pass(member, switch)?;
        }
        Ok(())
    }

    /// The member that is the same.
    fn find(&mut self, member: &F::Member) -> Option<usize> {
        let Some(state) = self.follow.state(member) else { return self.follow.known(&self.found, member) };
        let mut at = *self.last.get(&self.hash(state))?;
        while at != NONE {
            if self.follow.state(&self.found[at as usize]).is_some_and(|other| self.same(other, state)) {
                return Some(at as usize);
            }
            at = self.before[at as usize];
        }
        None
    }

    fn add(&mut self, member: F::Member) {
        let at = self.found.len();
        let before = match self.follow.state(&member) {
            Some(state) => self.last.insert(self.hash(state), at as u32).unwrap_or(NONE),
            None => NONE,
        };
        self.before.push(before);
        self.follow.added(at, &member);
        self.found.push(member);
        self.put_in_line(at);
    }

    fn merge(&mut self, at: usize, member: &F::Member) {
        // What changed goes on to where internal steps lead from here.
        if self.follow.merge(at, &mut self.found[at], member) {
            self.put_in_line(at);
        }
    }

    fn put_in_line(&mut self, at: usize) {
        // Where nothing is looked at twice, nothing has to be known of what waits.
        if !F::GOES_ON || self.waiting.insert(at) {
            self.open.push_back(at);
        }
    }

    fn hash(&self, state: &State) -> u64 {
        match &self.live {
            Some(live) => live.hash(state),
            None => {
                let mut hasher = FxHasher::default();
                state.hash(&mut hasher);
                hasher.finish()
            }
        }
    }

    fn same(&self, one: &State, other: &State) -> bool {
        match &self.live {
            Some(live) => live.same(one, other),
            None => one == other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph whose members are numbers, each with the least length of a way to it: what another way tells.
    struct Plain<const GOES_ON: bool, const KEEPS_GIVEN: bool> {
        edges: &'static [&'static [u32]],
        limit: usize,
        /// What is passed by, and where that leads.
        passes: &'static [(u32, u32)],
        looked: Vec<u32>,
        led: Vec<(usize, Option<usize>)>,
        ends_at: Option<u32>,
    }

    type Way = (u32, u32);

    impl<const GOES_ON: bool, const KEEPS_GIVEN: bool> Follow for Plain<GOES_ON, KEEPS_GIVEN> {
        type Member = Way;
        const GOES_ON: bool = GOES_ON;
        const KEEPS_GIVEN: bool = KEEPS_GIVEN;

        fn state<'m>(&self, _: &'m Way) -> Option<&'m State> {
            None
        }

        fn limit(&self, given: usize) -> usize {
            given.max(self.limit)
        }

        fn stays(&self, member: &Way) -> bool {
            self.edges[member.0 as usize].is_empty()
        }

        fn internal(&mut self, _: usize, (n, length): &Way) -> Result<Option<Vec<Way>>, StepError> {
            self.looked.push(*n);
            let next = || self.edges[*n as usize].iter().map(|next| (*next, length + 1)).collect();
            Ok((self.ends_at != Some(*n)).then(next))
        }

        fn passing(&mut self, member: &Way) -> Option<SwitchId> {
            let first = crate::id::Id::from_index(0);
            self.passes.iter().any(|(n, _)| *n == member.0).then_some(first)
        }

        fn pass(&mut self, member: &mut Way, _: SwitchId) -> Result<(), StepError> {
            let (_, to) = self.passes.iter().find(|(n, _)| *n == member.0).expect("one that is passed by");
            *member = (*to, member.1);
            Ok(())
        }

        fn known(&mut self, found: &[Way], member: &Way) -> Option<usize> {
            found.iter().position(|(n, _)| *n == member.0)
        }

        fn merge(&mut self, _: usize, known: &mut Way, other: &Way) -> bool {
            let shorter = GOES_ON && other.1 < known.1;
            known.1 = if shorter { other.1 } else { known.1 };
            shorter
        }

        fn leads(&mut self, from: usize, to: Option<usize>) {
            self.led.push((from, to));
        }
    }

    fn plain<const GOES_ON: bool, const KEEPS_GIVEN: bool>(
        edges: &'static [&'static [u32]],
        limit: usize,
    ) -> Plain<GOES_ON, KEEPS_GIVEN> {
        Plain { edges, limit, passes: &[], looked: Vec::new(), led: Vec::new(), ends_at: None }
    }

    fn numbers(closure: &Closure<Way>) -> Vec<u32> {
        closure.states.iter().map(|(n, _)| *n).collect()
    }

    const DIAMOND: &[&[u32]] = &[&[1, 2], &[3], &[3, 0], &[4], &[]];

    /// Breadth first, each member once, those that were given first.
    #[test]
    fn everything_is_found_once_and_in_order() {
        let mut follow = plain::<false, false>(DIAMOND, 100);
        let closure = close(&mut follow, vec![(0, 0)]).expect("nothing is undefined");
        assert_eq!((numbers(&closure), closure.cut), (vec![0, 1, 2, 3, 4], false));
        assert_eq!(follow.looked, [0, 1, 2, 3], "where nothing leads away is not looked at");
        let led = [(0, Some(1)), (0, Some(2)), (1, Some(3)), (2, Some(3)), (2, Some(0)), (3, Some(4))];
        assert_eq!(follow.led, led);
        let given = || vec![(3, 0), (1, 0), (3, 0)];
        let merged = close(&mut plain::<false, false>(DIAMOND, 100), given()).expect("nothing is undefined");
        assert_eq!(numbers(&merged), [3, 1, 4]);
        let kept = close(&mut plain::<false, true>(DIAMOND, 100), given()).expect("nothing is undefined");
        assert_eq!(numbers(&kept), [3, 1, 3, 4]);
    }

    /// T-L9: the bound ends it, at once or when all ways between what was found are known.
    #[test]
    fn a_closure_that_is_full_is_cut() {
        let mut stops = plain::<false, false>(DIAMOND, 3);
        let closure = close(&mut stops, vec![(0, 0)]).expect("nothing is undefined");
        assert_eq!((numbers(&closure), closure.cut), (vec![0, 1, 2], true));
        assert_eq!(stops.looked, [0, 1]);
        let mut goes_on = plain::<true, false>(DIAMOND, 3);
        let closure = close(&mut goes_on, vec![(0, 0)]).expect("nothing is undefined");
        assert_eq!((numbers(&closure), closure.cut), (vec![0, 1, 2], true));
        assert_eq!(goes_on.looked, [0, 1, 2]);
        assert!(goes_on.led.contains(&(2, Some(0))) && goes_on.led.contains(&(2, None)));
        // Those that were given all have a place.
        let given = vec![(0, 0), (1, 0), (2, 0)];
        assert_eq!(numbers(&close(&mut plain::<false, false>(DIAMOND, 1), given).expect("defined")), [0, 1, 2]);
        // Somebody may end it.
        let mut ended = Plain { ends_at: Some(1), ..plain::<false, false>(DIAMOND, 100) };
        let closure = close(&mut ended, vec![(0, 0)]).expect("nothing is undefined");
        assert_eq!((numbers(&closure), closure.cut), (vec![0, 1, 2], true));
    }

    /// What another way tells goes on to all that follows.
    #[test]
    fn news_go_on() {
        // To 1 directly, and to 1 over 2 and 3; both were given, the longer way first.
        const EDGES: &[&[u32]] = &[&[1], &[2], &[3], &[]];
        let closure = close(&mut plain::<true, false>(EDGES, 100), vec![(1, 9), (0, 0)]).expect("defined");
        assert_eq!(closure.states, [(1, 1), (0, 0), (2, 2), (3, 3)]);
    }

    /// What is only passed by is no member.
    #[test]
    fn members_that_are_passed_by_are_left_out() {
        const EDGES: &[&[u32]] = &[&[1], &[], &[1, 3], &[4], &[]];
        let mut follow = Plain { passes: &[(0, 2), (3, 4)], ..plain::<false, false>(EDGES, 100) };
        let closure = close(&mut follow, vec![(0, 0)]).expect("nothing is undefined");
        assert_eq!(numbers(&closure), [2, 1, 4]);
    }
}
