//! Journals: what was written can be read and judged, cut at any byte.

use sioco_exec::journal::{About, Header, line, read};
use sioco_exec::judge::{Judged, judge};
use sioco_exec::log::{Log, LoggedRun};
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, OpenCause};
use sioco_exec::{Order as EngineOrder, Referee, Stamped};

use super::judge::verdict;
use super::records::runs;
use super::solvers::Solvers;
use super::test::{Campaign, Outcome};
use crate::case::Case;
use crate::oracle;
use crate::oracle::belief::World;
use crate::oracle::judge::Verdict;
use crate::spec::Line;
use crate::tally::{Finding, Tally};

/// A journal of records.
pub fn text(case: &Case, records: &[Stamped]) -> String {
    let model = &case.read.model;
    let about = About::new(model, "case.sts", None, &[]);
    let header = Header { sioco: "0.1.0".into(), model: about, sut: "a played model".into(), ..Header::default() };
    let mut text = header.line();
    for stamped in records {
        let line = line(model, stamped);
        text.push_str(line.trim_end_matches('\n'));
        text.push('\n');
    }
    text
}

/// Its runs.
pub fn log(case: &Case, text: &str) -> Result<Log, String> {
    read(text, &case.read.model).map(|journal| Log::of(&journal)).map_err(|why| format!("{why:?}"))
}

/// The verdict on one of them.
pub fn judged(case: &Case, run: &LoggedRun, solvers: &Solvers) -> Judged {
    let make = || solvers.make();
    let (model, oracle) = (&case.read.model, solvers.oracle(&case.read.model));
    let mut referee = Referee::with(model, &make, EngineOrder::Sut, Suite::default(), oracle, 10_000);
    judge(&mut referee, run, EngineOrder::Sut)
}

/// Cuts the journal of a campaign at every byte.
pub fn run(case: &Case, solvers: &Solvers, tally: &mut Tally) {
    let mut rng = case.rng(300);
    let campaign = Campaign::any(&case.spec, &mut rng);
    let Ok(Outcome { records, .. }) = campaign.run(case, solvers) else {
        tally.count("journal: too large");
        return;
    };
    let whole = text(case, &records);
    tally.count("journal: cases");
    tally.add("journal: bytes", whole.len() as u64);
    let find = |tally: &mut Tally, kind: &str, why: String| {
        let kind = kind.into();
        tally.find(Finding { check: "journal", kind, why, spec: case.spec.clone(), log: None });
    };
    let header = whole.find('\n').unwrap_or(whole.len());
    let all = runs(&case.read, records.iter().map(|s| &s.record));
    let lines: Vec<Line> = all.iter().flat_map(|run| run.all_lines()).collect();
    let spec = case.spec.with_values_of(&lines);
    let world = World::new(&spec);
    for cut in 0..=whole.len() {
        if !whole.is_char_boundary(cut) {
            continue;
        }
        let part = &whole[..cut];
        let log = match log(case, part) {
            Ok(log) => log,
            // Without a first line there is no journal.
            Err(_) if cut <= header => continue,
            Err(why) => return find(tally, "a cut journal cannot be read", format!("at byte {cut}: {why}")),
        };
        if cut < header {
            continue;
        }
        // What is complete is kept.
        let lines = part.matches('\n').count().saturating_sub(1);
        let kept = runs(&case.read, records[..lines].iter().map(|s| &s.record));
        let complete = kept.iter().filter(|r| r.verdict.is_some()).count();
        let told = log.runs.iter().filter(|r| r.verdict.is_some()).count();
        // A last line without its line break may count or not.
        if told < complete || told > complete + 1 {
            return find(tally, "a cut journal loses a run", format!("at byte {cut}: {told} of {complete} runs"));
        }
        if !part.ends_with('\n') {
            continue;
        }
        // The last run may be cut: its verdict is one that its lines have.
        let (Some(last), Some(ours)) = (log.runs.last(), kept.last()) else { continue };
        if ours.verdict.is_some() || ours.foreign || ours.overtaken || last.unanswered.is_some() {
            continue;
        }
        let Ok(right) = oracle::judge::judge(&world, &ours.lines, ours.order) else { continue };
        let judged = judged(case, last, solvers);
        // A silence that would be a failure has to come again (T-Q10), and the run in which it does is cut off.
        if right.verdicts.contains(&Verdict::Fail) && matches!(judged.cause, Cause::Open(OpenCause::Silence(_))) {
            tally.count("journal: silences that came once");
            continue;
        }
        let theirs = verdict(judged.verdict);
        if !right.verdicts.contains(&theirs) {
            let lines = case.spec.lines(&ours.lines);
            let why = format!("at byte {cut}: {:?} expected, got {theirs:?}: {lines}", right.verdicts);
            return find(tally, "a cut journal is judged wrongly", why);
        }
    }
}
