//! How long things took, and which quiescence time follows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sioco_model::{GateId, Model};
use sioco_report::adapter::{AnswerLine, whole_milliseconds};
use sioco_report::run::time;

use super::advice::{Advice, Spread};
use super::list::{List, Mark};
use super::may_answer::may_answer;
use super::timed::Timed;
use super::words::{milliseconds, spread_line, spread_text};

/// The quiescence time that `sioco test` takes if nothing is said: far longer than a program on the same machine takes
/// to answer, and short enough to wait for at each silence. `sioco adapter` suggests one that was measured.
pub const USUAL: Duration = Duration::from_millis(100);

/// How long things took, and what follows.
pub fn about_times(wait: Duration, model: &Model, timed: &Timed<'_>, list: &mut List<'_, '_>) {
    let name = |gate| &model.gates[gate].name;
    match Spread::of(timed.accepted.iter().copied()) {
        Some(spread) => {
            list.facts.times.accepted = Some(spread_line(spread));
            list.add(Mark::Ok, "inputs", format!("{} accepted, {}", spread.count, spread_text(spread)), Vec::new());
        }
        None => {
            let text = "none was sent: no input is possible in the model, or nothing was reached in time";
            list.add(Mark::Warn, "inputs", text, Vec::new());
        }
    }
    let Some(advice) = Advice::from(&timed.answers, &timed.greetings) else {
        let text = format!("no output came within {} of an input, so there is no time to suggest", time(wait));
        return list.add(Mark::Warn, "answers", text, vec!["`--wait` waits longer for them".into()]);
    };
    let times = |spread: Spread| if spread.count == 1 { "once".to_owned() } else { format!("{} times", spread.count) };
    let kinds = advice.kinds.iter().map(|kind| {
        let late = if kind.slow.is_some() { ", much later than the others" } else { "" };
        let (input, output) = (name(kind.input), name(kind.output));
        format!("?{input} !{output}: {}, {}{late}", times(kind.spread), spread_text(kind.spread))
    });
    if let Some(all) = Spread::of(timed.answers.iter().map(|answer| answer.took)) {
        let text = format!("{} first outputs after inputs, {}", all.count, spread_text(all));
        list.add(Mark::Ok, "answers", text, kinds.collect());
    }
    if let Some((spread, slow)) = advice.greeting {
        let late = if slow.is_some() { ", much later than answers" } else { "" };
        let text = format!("{} the first output of a run, {}{late}", times(spread), spread_text(spread));
        list.add(Mark::Ok, "start", text, Vec::new());
        list.facts.times.first_outputs = Some(spread_line(spread));
    }
    let slow = about_late(model, &advice, list);
    let reason = advice.reason(time);
    let enough = enough(advice.quiescence, timed.announces);
    let others = if slow { " for the others" } else { "" };
    let text = format!("{}{others}: {enough}", milliseconds(advice.quiescence));
    list.add(Mark::Note, "quiescence", text, vec![reason]);
    let answers = advice.kinds.iter().map(|kind| AnswerLine {
        input: name(kind.input).clone(),
        output: name(kind.output).clone(),
        spread: spread_line(kind.spread),
        late_quiescence_ms: kind.slow.map(whole_milliseconds),
    });
    let times = &mut list.facts.times;
    times.quiescence_ms = Some(whole_milliseconds(advice.quiescence));
    times.quiescence_for_all_ms = Some(whole_milliseconds(advice.all));
    times.answers = Some(answers.collect());
}

/// How this quiescence time compares with the usual one. Where silence is announced, nobody waits for it.
fn enough(wanted: Duration, announces: bool) -> String {
    let option = format!("--quiescence {}", wanted.as_millis());
    if wanted > USUAL {
        return format!("`sioco test … {option}`");
    }
    let usual = format!("what `sioco test` takes, {}, is enough", milliseconds(USUAL));
    match USUAL.as_millis() / wanted.as_millis().max(1) {
        times @ 2.. if !announces => format!("{usual}; with `{option}`, waits for silence are {times} times shorter"),
        _ => usual,
    }
}

/// Where more time is needed than elsewhere; whether it is anywhere.
fn about_late(model: &Model, advice: &Advice, list: &mut List<'_, '_>) -> bool {
    let name = |gate| &model.gates[gate].name;
    let mut at: BTreeMap<String, Duration> = BTreeMap::new();
    let mut lines = Vec::new();
    let mut suggest = |name: &str, wait: Duration| {
        let known = at.entry(name.to_owned()).or_default();
        *known = wait.max(*known);
        format!("`--quiescence-at {name}={}ms`", wait.as_millis())
    };
    let seen = |input, output| advice.kinds.iter().any(|kind| (kind.input, kind.output) == (input, output));
    let mut unseen: BTreeMap<(GateId, GateId), Duration> = BTreeMap::new();
    for (kind, wait) in advice.kinds.iter().filter_map(|kind| Some((kind, kind.slow?))) {
        let option = suggest(name(kind.input), wait);
        let (input, output) = (name(kind.input), name(kind.output));
        lines.push(format!("after ?{input}, wait {} ms for !{output}: {option}", wait.as_millis()));
        // The walk does not see everything: the model says where the same output may come as well.
        for input in may_answer(model, kind.output).into_iter().filter(|input| !seen(*input, kind.output)) {
            let known = unseen.entry((input, kind.output)).or_default();
            *known = wait.max(*known);
        }
    }
    for ((input, output), wait) in unseen {
        let option = suggest(name(input), wait);
        let (input, output) = (name(input), name(output));
        lines.push(format!("!{output} may answer ?{input}, too, which was not seen: {option}"));
    }
    if let Some(wait) = advice.greeting.and_then(|(_, slow)| slow) {
        let starts = model.processes.values().map(|process| &model.locations[process.initial].name);
        for start in starts.collect::<BTreeSet<_>>() {
            let option = suggest(start, wait);
            lines.push(format!("at the beginning of a run, wait {} ms: {option}", wait.as_millis()));
        }
    }
    if lines.is_empty() {
        return false;
    }
    lines.push(format!("or {} everywhere", milliseconds(advice.all)));
    list.facts.times.quiescence_at_ms = at.into_iter().map(|(name, wait)| (name, whole_milliseconds(wait))).collect();
    list.add(Mark::Warn, "late", "some outputs come much later than others, perhaps on purpose", lines);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_time_is_told_with_what_it_saves() {
        let told = |ms, announces| enough(Duration::from_millis(ms), announces);
        let usual = "what `sioco test` takes, 100 ms, is enough";
        assert_eq!(told(20, false), format!("{usual}; with `--quiescence 20`, waits for silence are 5 times shorter"));
        assert_eq!((told(20, true), told(100, false)), (usual.to_owned(), usual.to_owned()));
        assert_eq!(told(200, false), "`sioco test … --quiescence 200`");
    }
}
