//! Strings and sequences: the shortest, the longest, of middle length, random ones.
//!
//! Conditions on texts are hard to solve but easy to check. So this module tries candidates: random texts, and small
//! changes of a text that is known to be possible. Questions about lengths are questions about integers.

use sioco_model::random::Random;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::Op;
use sioco_model::{SortId, TermId, Value};

use super::free::inner;
use super::other::random_character;
use super::session::ValueSearch;
use super::whole::Whole;

/// A string or sequence that is to be chosen.
#[derive(Clone, Copy)]
pub(super) struct Text {
    pub term: TermId,
    pub sort: SortId,
}

/// What can be this long has no longest value: nobody wants to read a longer one.
const LONG: usize = 1000;
/// At most this many candidates of each kind are tried at random: each may take a question.
const TRIES: usize = 8;
/// At most this many small changes are tried one after the other, for the same reason.
const CHANGES: usize = 24;

impl Text {
    fn length(&self, session: &mut ValueSearch<'_>) -> Whole {
        let term = session.pool.app(Op::Len, &[self.term], session.sorts.int);
        Whole { term, sort: session.sorts.int, symbol: None, least: Some(0), most: None }
    }

    /// How long it is for the witness.
    pub fn length_now(&self, session: &ValueSearch<'_>) -> usize {
        session.value(self.term).map_or(0, |v| size(&v))
    }

    /// Narrows to a shortest value.
    pub fn shortest(&self, session: &mut ValueSearch<'_>) {
        let empty = session.sorts.default_value(self.sort);
        if size(&empty) == 0 && session.fix(self.term, empty) {
            return;
        }
        self.length(session).extreme(session, 1);
        self.plain(session, 'a');
    }

    /// Narrows to the empty value or else one that is at hand: cheap, since it is asked for everywhere.
    pub fn plainest(&self, session: &mut ValueSearch<'_>) {
        let empty = session.sorts.default_value(self.sort);
        if !session.fix(self.term, empty) {
            self.plain(session, 'a');
        }
    }

    /// Narrows to a longest value; `false` if there is none, and then to a shortest one.
    pub fn longest(&self, session: &mut ValueSearch<'_>) -> bool {
        let endless = self.is_endless(session);
        if endless == Some(true) {
            self.shortest(session);
            return false;
        }
        self.stretch(session);
        self.bounded_length(session, endless).extreme(session, -1);
        self.plain(session, 'z');
        true
    }

    /// Narrows to a value of the length half way between shortest and longest; `false` if there is no longest, and then
    /// to a shortest one.
    pub fn middle(&self, session: &mut ValueSearch<'_>) -> bool {
        let endless = self.is_endless(session);
        if endless == Some(true) {
            self.shortest(session);
            return false;
        }
        self.bounded_length(session, endless).middle(session);
        self.plain(session, 'm');
        true
    }

    /// The length, which is below [`LONG`] if that was shown.
    fn bounded_length(&self, session: &mut ValueSearch<'_>, endless: Option<bool>) -> Whole {
        let most = match endless {
            Some(false) => LONG as i64 - 1,
            // Where that is not known, nothing longer than what is at hand is looked for; the session knows.
            _ => self.length_now(session) as i64,
        };
        Whole { most: Some(most), ..self.length(session) }
    }

    /// Narrows strings to plain characters if they can be such, and not to the whims of a solver.
    fn plain(&self, session: &mut ValueSearch<'_>, character: char) {
        if !matches!(session.sorts.get(self.sort), Sort::String) {
            return;
        }
        let length = self.length_now(session);
        let unsure = session.uncertain;
        let plain: String = std::iter::repeat_n(character, length).collect();
        if !session.fix(self.term, Value::string(&plain))
            && let Some(value) = session.value(self.term)
        {
            session.fix(self.term, value);
        }
        session.uncertain = unsure;
    }

    /// Whether there are values of any length; `None` if that is not known, and then the session is uncertain.
    fn is_endless(&self, session: &mut ValueSearch<'_>) -> Option<bool> {
        let (start, unsure) = (session.mark(), session.uncertain);
        let candidates = self.stretched(session, LONG);
        if candidates.into_iter().any(|c| session.fix(self.term, c)) {
            session.back(start);
            session.uncertain = unsure;
            return Some(true);
        }
        session.uncertain = false;
        let possible = self.length(session).limit(session, &LONG.into(), -1);
        let known = possible || !session.uncertain;
        session.back(start);
        session.uncertain = unsure || !known;
        known.then_some(possible)
    }

    /// The value of the witness, made longer in several ways.
    fn stretched(&self, session: &ValueSearch<'_>, length: usize) -> Vec<Value> {
        match session.value(self.term) {
            Some(Value::Str(s)) => {
                let more = length.saturating_sub(s.chars().count());
                let last = s.chars().last().unwrap_or('a');
                let fill = |c: char| std::iter::repeat_n(c, more).collect::<String>();
                vec![
                    Value::string(&format!("{s}{}", fill('a'))),
                    Value::string(&format!("{}{s}", fill('a'))),
                    Value::string(&format!("{s}{}", fill(last))),
                ]
            }
            Some(Value::Seq(items)) => {
                let Sort::Seq(item) = session.sorts.get(self.sort) else { return Vec::new() };
                let more = length.saturating_sub(items.len());
                let last = items.last().cloned();
                let fill = |v: Value| Value::seq(items.iter().cloned().chain(vec![v; more]).collect());
                [Some(session.sorts.default_value(*item)), last].into_iter().flatten().map(fill).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Finds a long value by trying, so that less is left to solve.
    fn stretch(&self, session: &mut ValueSearch<'_>) {
        let unsure = session.uncertain;
        let mut step = LONG / 2;
        while step > 0 {
            let length = self.length_now(session) + step;
            let candidates = self.stretched(session, length);
            if !candidates.into_iter().any(|c| self.try_out(session, c)) {
                step /= 2;
            }
        }
        session.uncertain = unsure;
    }

    /// Makes a value that of the witness, if it is possible, without narrowing to it.
    fn try_out(&self, session: &mut ValueSearch<'_>, value: Value) -> bool {
        let start = session.mark();
        if !session.fix(self.term, value) {
            return false;
        }
        let witness = session.witness.clone();
        session.back((start.0, witness));
        true
    }

    /// Narrows to a random value; `false` if there are values of any length. Any value will do, so no answer is missed.
    pub fn random(&self, session: &mut ValueSearch<'_>, random: &mut Random, used: &[Value]) -> bool {
        let unsure = session.uncertain;
        let endless = self.is_endless(session);
        if !self.any(session, random, used) {
            self.any_length(session, random, endless);
            self.any_of_length(session, random);
        }
        session.uncertain = unsure;
        endless != Some(true)
    }

    /// Narrows to a value that was used before, or any other, if one of a few is possible.
    fn any(&self, session: &mut ValueSearch<'_>, random: &mut Random, used: &[Value]) -> bool {
        let sorts = session.sorts;
        let fitting: Vec<&Value> = used.iter().filter(|v| sorts.contains(self.sort, v)).collect();
        (0..TRIES).any(|_| {
            let value = match random.below(5) {
                0 if !fitting.is_empty() => fitting[random.below(fitting.len() as u64) as usize].clone(),
                _ => inner(sorts, self.sort, random, 0),
            };
            session.fix(self.term, value)
        })
    }

    /// Narrows to a random length.
    fn any_length(&self, session: &mut ValueSearch<'_>, random: &mut Random, endless: Option<bool>) {
        let length = self.length(session);
        if endless == Some(false) {
            self.bounded_length(session, endless).random(session, random, &[]);
            return;
        }
        // A little longer than what is at hand, or shorter, if that can be asked for.
        let now = self.length_now(session) as i64;
        let wish = random.between((now - 4).max(0), now + 8);
        let _ = session.fix(length.term, Value::Int(wish));
    }

    /// Narrows to a random value near the witness: another solution now and then, and small changes of it.
    fn any_of_length(&self, session: &mut ValueSearch<'_>, random: &mut Random) {
        for _ in 0..random.below(3) {
            if let Some(now) = session.value(self.term) {
                let constant = session.pool.constant(now, session.pool.sort(self.term));
                let same = session.test(Op::Eq, self.term, constant);
                let other = session.pool.not(session.sorts, same);
                let start = session.mark();
                if session.narrow(other) {
                    let witness = session.witness.clone();
                    session.back((start.0, witness));
                }
            }
        }
        for n in 0..CHANGES {
            let Some(mut value) = session.value(self.term) else { break };
            // At first much at once.
            for _ in 0..(if n < TRIES { size(&value).max(1) } else { 1 }) {
                value = changed(session.sorts, self.sort, &value, random);
            }
            self.try_out(session, value);
        }
        if let Some(value) = session.value(self.term) {
            session.fix(self.term, value);
        }
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Str(s) => s.chars().count(),
        Value::Seq(items) => items.len(),
        _ => 0,
    }
}

/// The same value with a small change: mostly one that keeps the length.
fn changed(sorts: &Sorts, sort: SortId, value: &Value, random: &mut Random) -> Value {
    match (value, sorts.get(sort)) {
        (Value::Str(s), _) => {
            let mut text: Vec<char> = s.chars().collect();
            change(&mut text, random, &mut |random, _| random_character(random));
            Value::string(&text.into_iter().collect::<String>())
        }
        (Value::Seq(items), Sort::Seq(item)) => {
            let mut items = items.to_vec();
            change(&mut items, random, &mut |random, old| match old {
                Some(old @ (Value::Str(_) | Value::Seq(_))) => changed(sorts, *item, old, random),
                _ => inner(sorts, *item, random, 1),
            });
            Value::seq(items)
        }
        _ => value.clone(),
    }
}

fn change<T: Clone>(items: &mut Vec<T>, random: &mut Random, new: &mut dyn FnMut(&mut Random, Option<&T>) -> T) {
    let at = random.below(items.len() as u64) as usize;
    match random.below(8) {
        _ if items.is_empty() => items.push(new(random, None)),
        0 => items.insert(random.below(items.len() as u64 + 1) as usize, new(random, None)),
        1 => {
            items.remove(at);
        }
        2 => {
            let other = random.below(items.len() as u64) as usize;
            items.swap(at, other);
        }
        _ => items[at] = new(random, Some(&items[at].clone())),
    }
}
