//! What follows from the times that were measured: how long to wait before silence is silence (T-Q1:
//! quiescence is a timer).

use std::collections::BTreeMap;
use std::time::Duration;

use sioco_model::GateId;

use super::timed::Answer;

/// The suggested time is this many times the slowest answer: the machine may be busier another time. A smaller one
/// risks failures that are none, a larger one makes every silence slower.
const MULTIPLE: u32 = 5;
/// The same for answers that are slow on purpose, where a pause dwarfs what the machine adds.
const SLOW_MULTIPLE: u32 = 2;
/// The shortest time that is suggested: no machine keeps shorter ones for certain.
const LEAST: Duration = Duration::from_millis(20);
/// Answers are much later than others if they take this many times longer,
const LATER_FACTOR: u32 = 5;
/// and this much longer, more than once: by chance a machine is late once, or by a few milliseconds,
const LONGER: Duration = Duration::from_millis(30);
/// or if they take this much longer even once: no machine is that late by chance, unless it is overloaded.
const MUCH_LONGER: Duration = Duration::from_millis(200);

/// The least, the middle and the greatest of some times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// The least.
    pub least: Duration,
    /// The middle one.
    pub median: Duration,
    /// The greatest.
    pub most: Duration,
    /// How many there are.
    pub count: usize,
}

impl Spread {
    /// Of some times, if there are any.
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Option<Spread> {
        let mut times: Vec<Duration> = times.into_iter().collect();
        times.sort();
        let (least, most) = (*times.first()?, *times.last()?);
        Some(Spread { least, median: times[times.len() / 2], most, count: times.len() })
    }
}

/// Answers to the same input by the same output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The input.
    pub input: GateId,
    /// The output.
    pub output: GateId,
    /// How long they took.
    pub spread: Spread,
    /// If they are much later than the others: the time to wait for them.
    pub slow: Option<Duration>,
}

/// How long to wait before silence is silence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// All kinds of answers, the slowest first.
    pub kinds: Vec<Kind>,
    /// The slowest answer that is not late on purpose.
    pub slowest: Duration,
    /// The time for it.
    pub quiescence: Duration,
    /// The time that is enough for the late ones as well.
    pub all: Duration,
    /// The first outputs of runs that begin with one, and if they are much later than answers, the time to wait for them.
    pub greeting: Option<(Spread, Option<Duration>)>,
}

impl Advice {
    /// From answers, and from the times of first outputs of runs, if there are any of either.
    pub fn from(answers: &[Answer], greetings: &[Duration]) -> Option<Advice> {
        let mut groups: BTreeMap<(GateId, GateId), Vec<Duration>> = BTreeMap::new();
        for answer in answers {
            groups.entry((answer.input, answer.output)).or_default().push(answer.took);
        }
        let mut kinds: Vec<Kind> = groups
            .into_iter()
            .filter_map(|((input, output), times)| Some(Kind { input, output, spread: Spread::of(times)?, slow: None }))
            .collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.spread.median));
        // From the fastest on, whoever is much later than all before is late on purpose, and everybody after it.
        let mut usual: Option<Duration> = None;
        for kind in kinds.iter_mut().rev() {
            let median = kind.spread.median;
            let late = usual.is_some_and(|usual| {
                let longer = median.saturating_sub(usual);
                median > usual * LATER_FACTOR && (longer >= MUCH_LONGER || (longer >= LONGER && kind.spread.count > 1))
            });
            if late {
                kind.slow = Some(round_up(kind.spread.most * SLOW_MULTIPLE));
            } else {
                usual = Some(usual.unwrap_or_default().max(median));
            }
        }
        let answer = kinds.iter().filter(|kind| kind.slow.is_none()).map(|kind| kind.spread.most).max();
        let greeting = Spread::of(greetings.iter().copied()).map(|spread| {
            // A system that is started for each run says its first word when it is there.
            let late = answer.is_some_and(|usual| spread.most > usual * LATER_FACTOR && spread.most >= usual + LONGER);
            (spread, late.then(|| round_up(spread.most * SLOW_MULTIPLE)))
        });
        let usual = greeting.filter(|(_, slow)| slow.is_none()).map(|(spread, _)| spread.most);
        let slowest = answer.max(usual)?;
        let quiescence = round_up((slowest * MULTIPLE).max(LEAST));
        let slow = kinds.iter().filter_map(|kind| kind.slow).chain(greeting.and_then(|(_, slow)| slow));
        let all = slow.max().unwrap_or_default().max(quiescence);
        Some(Advice { kinds, slowest, quiescence, all, greeting })
    }

    /// The reasoning, in words.
    pub fn reason(&self, show: impl Fn(Duration) -> String) -> String {
        let slowest = show(self.slowest);
        if self.slowest * MULTIPLE < LEAST {
            return format!("the slowest answer took {slowest}; {} is the least that machines keep", show(LEAST));
        }
        format!("{MULTIPLE} times the slowest answer, {slowest}, rounded up: the machine may be busier another time")
    }
}

/// The next time that is 1, 2 or 5 with zeros, in milliseconds.
fn round_up(time: Duration) -> Duration {
    let wanted = time.as_micros().div_ceil(1000);
    let mut power: u128 = 1;
    loop {
        for digit in [1, 2, 5] {
            if digit * power >= wanted {
                return Duration::from_millis(u64::try_from(digit * power).unwrap_or(u64::MAX));
            }
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sioco_model::Id;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn answers(all: &[(usize, usize, &[u64])]) -> Vec<Answer> {
        let gate = GateId::from_index;
        let of = |(input, output, times): &(usize, usize, &[u64])| {
            let (input, output) = (gate(*input), gate(*output));
            times.iter().map(|t| Answer { input, output, took: ms(*t) }).collect::<Vec<_>>()
        };
        all.iter().flat_map(of).collect()
    }

    #[test]
    fn times_are_rounded_up() {
        for (time, rounded) in [(0, 1), (1, 1), (3, 5), (20, 20), (21, 50), (51, 100), (101, 200), (4999, 5000)] {
            assert_eq!(round_up(ms(time)), ms(rounded), "{time}");
        }
        assert_eq!(round_up(Duration::from_micros(1001)), ms(2));
    }

    #[test]
    fn the_slowest_answer_counts() {
        assert_eq!(Advice::from(&[], &[]), None);
        let advice = Advice::from(&answers(&[(0, 1, &[1, 1, 2]), (0, 2, &[3, 12])]), &[]).unwrap();
        assert_eq!((advice.slowest, advice.quiescence, advice.all), (ms(12), ms(100), ms(100)));
        assert!(advice.kinds.iter().all(|kind| kind.slow.is_none()));
        let advice = Advice::from(&answers(&[(0, 1, &[1])]), &[]).unwrap();
        assert_eq!(advice.quiescence, ms(20));
        assert!(advice.reason(|t| format!("{t:?}")).contains("20ms is the least"));
    }

    #[test]
    fn first_outputs_count_too() {
        let prompt = answers(&[(0, 1, &[1, 2])]);
        let advice = Advice::from(&prompt, &[ms(6), ms(12)]).unwrap();
        assert_eq!((advice.slowest, advice.quiescence, advice.greeting.unwrap().1), (ms(12), ms(100), None));
        // A program takes its time to start, and answers at once then.
        let advice = Advice::from(&prompt, &[ms(250), ms(300)]).unwrap();
        assert_eq!((advice.slowest, advice.quiescence, advice.all), (ms(2), ms(20), ms(1000)));
        assert_eq!(advice.greeting.unwrap().1, Some(ms(1000)));
        let alone = Advice::from(&[], &[ms(30)]).unwrap();
        assert_eq!((alone.slowest, alone.quiescence, alone.kinds.len()), (ms(30), ms(200), 0));
    }

    #[test]
    fn answers_that_are_late_on_purpose_are_kept_apart() {
        let advice =
            Advice::from(&answers(&[(0, 1, &[1, 2, 4]), (0, 2, &[900, 1000, 1100]), (3, 1, &[2])]), &[]).unwrap();
        assert_eq!((advice.slowest, advice.quiescence, advice.all), (ms(4), ms(20), ms(5000)));
        let slow: Vec<_> =
            advice.kinds.iter().filter_map(|k| Some((k.input.index(), k.output.index(), k.slow?))).collect();
        assert_eq!(slow, [(0, 2, ms(5000))]);
        // Once is no proof, unless it is far off; and what is slow everywhere is nowhere late.
        let slow = |all: &[(usize, usize, &[u64])]| {
            Advice::from(&answers(all), &[]).unwrap().kinds.iter().filter(|kind| kind.slow.is_some()).count()
        };
        assert_eq!(slow(&[(0, 1, &[1, 2, 4]), (0, 2, &[50])]), 0);
        assert_eq!(slow(&[(0, 1, &[1, 2, 4]), (0, 2, &[50, 60])]), 1);
        assert_eq!(slow(&[(0, 1, &[1, 2, 4]), (0, 2, &[300])]), 1);
        assert_eq!(slow(&[(0, 1, &[300, 301]), (0, 2, &[400, 900])]), 0);
        // Ever later ones.
        assert_eq!(slow(&[(0, 1, &[1]), (1, 1, &[300]), (2, 1, &[5000])]), 2);
    }
}
