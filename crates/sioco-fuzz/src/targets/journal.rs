//! Journals, whole, cut and changed.

use std::time::Duration;

use sioco_exec::crash::Crash;
use sioco_exec::journal::{self, About, Header, Journal, ReadError};
use sioco_exec::log::Log;
use sioco_exec::record::{Aim, End, Why};
use sioco_exec::reliance::Reliance;
use sioco_exec::shrink::Rate;
use sioco_exec::verdict::{Cause, Failure, Verdict};
use sioco_exec::{Fault, FaultKind, GateValue, Observation, Order, Record, RunNumber, Stamped};
use sioco_model::{Id, Model, Value};
use sioco_plan::PurposeId;

use super::{assert_judged, assert_told, changed, cuts, model, shape};
use crate::Seen;

/// What is read is what would be written. A journal that is cut anywhere, or damaged somewhere, has all the records that
/// stand before. What is refused is told with its line. Runs can be judged.
pub fn run(data: &[u8], seen: &mut Seen) {
    let text = match journal::decode(data) {
        Ok(text) => text,
        Err(error) => {
            let text = String::from_utf8_lossy(data);
            assert_told(&text, error.line, &error.what, &error.help);
            seen.add("no text");
            return;
        }
    };
    for model in [model(), changed()] {
        match journal::read(text, model) {
            Ok(found) => whole(text, model, &found, seen),
            Err(error) => refused(text, model, &error, seen),
        }
    }
}

fn whole(text: &str, model: &Model, found: &Journal, seen: &mut Seen) {
    let lines = text.lines().count();
    assert!(found.records.len() < lines.max(1), "{} records in {lines} lines", found.records.len());
    assert!(found.records.is_sorted_by_key(|(line, _)| *line) && found.remarks.len() <= lines + 2);
    for (_, stamped) in &found.records {
        seen.add((found.same, shape(&format!("{:?}", stamped.record)), std::mem::discriminant(&stamped.record)));
    }
    for remark in &found.remarks {
        assert!(!remark.what.is_empty() && remark.line.is_none_or(|line| line <= lines), "{remark}");
        seen.add(("remark", shape(&remark.what)));
    }
    let mut header = found.header.clone();
    assert_eq!(journal::read_header(&header.line()), Ok(header.clone()), "the first line, written again");
    // The model need not be the one that was tested; what is written is about this one.
    header.model = About::new(model, &header.model.file, None, &[]);
    let again: String = found.records.iter().map(|(_, stamped)| journal::line(model, stamped)).collect();
    let again =
        journal::read(&(header.line() + &again), model).unwrap_or_else(|e| panic!("written again: {e}\n{again}"));
    let records = |journal: &Journal| journal.records.iter().map(|(_, stamped)| stamped.clone()).collect::<Vec<_>>();
    assert_eq!(records(&again), records(found), "written and read again");
    for at in cuts(text.as_bytes(), 4) {
        cut(text, model, found, at);
    }
    let log = Log::of(found);
    let steps: usize = log.runs.iter().map(|run| run.steps.len()).sum();
    // An input counts where it was sent or where it was accepted.
    assert!(log.runs.len() <= lines && steps <= 2 * lines, "{steps} steps in {lines} lines");
    assert_judged(model, &log.runs, seen);
}

/// A journal that ends here, in the middle of anything: every line that is whole counts.
fn cut(text: &str, model: &Model, found: &Journal, at: usize) {
    let Some(text) = text.get(..at) else { return };
    let Some(end) = text.rfind('\n') else { return };
    let whole = text[..end].lines().count();
    let less = journal::read(text, model).unwrap_or_else(|e| panic!("cut at byte {at}: {e}"));
    let expected: Vec<_> = found.records.iter().filter(|(line, _)| *line <= whole).collect();
    // The last line may be whole but for its end.
    let kept = less.records.get(..expected.len()).unwrap_or_else(|| panic!("cut at byte {at}, records are missing"));
    assert!(kept.iter().eq(expected), "cut at byte {at}");
}

fn refused(text: &str, model: &Model, error: &ReadError, seen: &mut Seen) {
    seen.add(("refused", shape(&error.what)));
    assert_told(text, error.line, &error.what, &error.help);
    // What stands above can be used, as the help says.
    let Some(line) = error.line.filter(|line| *line > 1) else { return };
    let above: String = text.split_inclusive('\n').take(line - 1).collect();
    let found = journal::read(&above, model).unwrap_or_else(|e| panic!("above line {line}, which is wrong: {e}"));
    assert!(found.cut || found.records.iter().any(|(_, s)| matches!(s.record, Record::End { .. })));
}

/// Journals to start from: one with a record of every kind.
pub fn seeds() -> Vec<Vec<u8>> {
    let model = model();
    let header = Header { sut: "python3 sut.py".into(), sioco: "0.1.0".into(), ..Header::default() };
    let model_about = About::new(model, "fuzz.sts", None, &[("N".into(), "5".into())]);
    let header = Header { model: model_about, cover: Some("switch".into()), purposes: 3, ..header };
    let gate = |name: &str| model.gate(name).expect("a gate");
    let a = GateValue { gate: gate("a"), args: vec![Value::Int(6), Value::Enum(1)] };
    let oa = GateValue { gate: gate("oa"), ..a.clone() };
    let text = GateValue { gate: gate("s"), args: vec![Value::string("é\u{202e}\"x"), Value::Bool(true)] };
    let fault = Fault { kind: FaultKind::Died, message: "it died".into(), stderr: vec!["oh".into()], again: true };
    let crash = Crash::new("ValueError: 3\nin f").at("a.py:3").ended("exit status: 1").with(["Traceback".into()]);
    let silence = Cause::Failure(Failure::Silence);
    let malformed = Observation::Malformed { gate: Some(gate("oa")), why: "`p` is 7".into(), raw: "{}".into() };
    let purpose = PurposeId::from_index;
    let records = [
        Record::Fault(fault),
        Record::Run { run: RunNumber(1), seed: 7, aim: Aim::Purpose(purpose(0)), order: Order::Sut },
        Record::Input { id: 1, input: a.clone(), why: Why::Purpose(purpose(0)) },
        Record::Accepted { id: 1 },
        Record::Observed(Observation::Output(oa.clone())),
        Record::Purpose {
            purpose: purpose(0),
            verdict: Verdict::Pass,
            cause: Cause::Reached,
            alone: true,
            doubt: false,
        },
        Record::Verdict { verdict: Verdict::Pass, cause: Cause::Reached, steps: 2, doubt: false },
        Record::Run { run: RunNumber(2), seed: 8, aim: Aim::Walk, order: Order::Sent },
        Record::Input { id: 1, input: text, why: Why::Walk },
        Record::Refused { id: 1, why: "no".into() },
        Record::TimedOut(Reliance::Full),
        Record::TimedOut(Reliance::Once),
        Record::TimedOut(Reliance::Starved(Duration::from_millis(120))),
        Record::Hurried,
        Record::Observed(Observation::Delta),
        Record::Observed(malformed),
        Record::Verdict { verdict: Verdict::Fail, cause: silence, steps: 3, doubt: true },
        Record::Run { run: RunNumber(3), seed: 9, aim: Aim::Replay, order: Order::Sut },
        Record::Input { id: 1, input: a.clone(), why: Why::Probe(purpose(1)) },
        Record::Observed(Observation::Closed),
        Record::Run { run: RunNumber(4), seed: 9, aim: Aim::Walk, order: Order::Sut },
        Record::Input { id: 1, input: a, why: Why::Guess(purpose(2)) },
        Record::Observed(Observation::Output(oa)),
        Record::Observed(Observation::Crashed(crash)),
        Record::End { why: End::Done, stale: 1, waiting: None },
        Record::Again { run: RunNumber(4), rate: Rate { failed: 3, of: 5 } },
        Record::Run { run: RunNumber(5), seed: 9, aim: Aim::Shrunk(RunNumber(4)), order: Order::Sut },
        Record::Verdict { verdict: Verdict::Pass, cause: Cause::Reached, steps: 0, doubt: false },
    ];
    let mut lines = header.line();
    for (i, record) in records.into_iter().enumerate() {
        lines.push_str(&journal::line(model, &Stamped { at: Duration::from_micros(i as u64 * 10), record }));
    }
    let short: String = lines.split_inclusive('\n').take(6).collect();
    vec![lines.into_bytes(), short.into_bytes()]
}
