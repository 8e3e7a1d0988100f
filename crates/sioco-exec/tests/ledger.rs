//! The ledger on its own (T-C2, T-C3, T-V10): records go in, a summary comes out. No belief, no system, no tester.

mod support;

use sioco_exec::RunNumber;
use sioco_exec::account::Bits;
use sioco_exec::event::{GateValue, Observation};
use sioco_exec::explanation::Explanation;
use sioco_exec::ledger::Ledger;
use sioco_exec::record::{Aim, End, Record, Waiting, Why};
use sioco_exec::reliance::Reliance;
use sioco_exec::settings::{Settings, Walks};
use sioco_exec::suite::Suite;
use sioco_exec::summary::{Probed, Summary};
use sioco_exec::sut::{Fault, FaultKind, Order};
use sioco_exec::verdict::{Cause, Failure, OpenCause, Verdict};
use sioco_model::Id;
use sioco_model::model::Model;
use sioco_plan::{Intent, PurposeId};

const MODEL: &str = "input a\noutput o\nprocess P {\n  init l { one: ?a -> m }\n  state m { two: !o -> l }\n}\n";

fn id(place: usize) -> PurposeId {
    PurposeId::from_index(place)
}

fn model() -> Model {
    support::model(MODEL)
}

/// The ledger after these records; with so many purposes, of which some are there for a probe.
fn after(probes: &[bool], records: &[Record]) -> Ledger {
    let mut ledger = Ledger::new(2, probes.to_vec());
    records.iter().for_each(|record| ledger.add(record));
    ledger
}

fn summary(ledger: &Ledger, settings: &Settings, intent: Intent) -> Summary {
    let model = model();
    let suite = Suite::new(&model, &support::planned(&model, "switch", false));
    ledger.summary(&model, &suite, settings, intent)
}

fn plain(ledger: &Ledger) -> Summary {
    summary(ledger, &Settings::default(), Intent::default())
}

fn begins(run: u64, aim: Aim) -> Record {
    Record::Run { run: RunNumber(run), seed: run, aim, order: Order::Sut }
}

fn input(why: Why) -> Record {
    Record::Input { id: 1, input: a(), why }
}

fn a() -> GateValue {
    GateValue { gate: model().gate("a").expect("it is declared"), args: Vec::new() }
}

fn output() -> Record {
    Record::Observed(Observation::Output(GateValue {
        gate: model().gate("o").expect("it is declared"),
        args: Vec::new(),
    }))
}

fn ends(verdict: Verdict, cause: Cause, steps: u64) -> Record {
    Record::Verdict { verdict, cause, steps, doubt: false }
}

fn purpose(purpose: usize, verdict: Verdict, cause: Cause) -> Record {
    Record::Purpose { purpose: id(purpose), verdict, cause, alone: true, doubt: false }
}

fn end(why: End, waiting: Option<Waiting>) -> Record {
    Record::End { why, stale: 0, waiting }
}

fn deviation() -> Cause {
    Cause::Open(OpenCause::Deviation)
}

fn fault() -> Fault {
    Fault { kind: FaultKind::Died, message: "it ended".into(), stderr: Vec::new(), again: true }
}

#[test]
fn the_worst_run_counts() {
    use Verdict::{Error, Fail, Inconclusive, Pass, WeakPass};
    let silence = || Cause::Failure(Failure::Silence);
    for (runs, expected) in [
        (vec![], None),
        (vec![(Pass, Cause::Reached)], Some(Pass)),
        (vec![(Pass, Cause::Reached), (WeakPass, Cause::Reached)], Some(WeakPass)),
        (vec![(Pass, Cause::Reached), (Fail, silence()), (WeakPass, Cause::Reached)], Some(Fail)),
        // An output that crossed an input takes nothing away from the other runs; alone it shows nothing.
        (vec![(Pass, Cause::Reached), (Inconclusive, Cause::Open(OpenCause::Crossed))], Some(Pass)),
        (vec![(Inconclusive, Cause::Open(OpenCause::Crossed))], Some(Inconclusive)),
        // A silence that came once stays open, whatever the others show.
        (
            vec![(Pass, Cause::Reached), (Inconclusive, Cause::Open(OpenCause::Silence(Reliance::Once)))],
            Some(Inconclusive),
        ),
        (vec![(Pass, Cause::Reached), (Inconclusive, Cause::Open(OpenCause::Cut))], Some(Inconclusive)),
    ] {
        let records: Vec<Record> = (1..)
            .zip(&runs)
            .flat_map(|(run, (verdict, cause))| [begins(run, Aim::Walk), ends(*verdict, cause.clone(), 1)])
            .collect();
        assert_eq!(plain(&after(&[], &records)).verdict, expected, "{runs:?}");
    }
    let mut broken = after(&[], &[begins(1, Aim::Walk), ends(Pass, Cause::Reached, 2)]);
    broken.resets(RunNumber(2));
    broken.add(&Record::Fault(fault()));
    let found = plain(&broken);
    assert_eq!((found.verdict, found.unbegun, found.bad[0].run), (Some(Error), 1, RunNumber(2)));
}

#[test]
fn what_was_never_tried_or_cut_off_is_no_pass() {
    let passed = [begins(1, Aim::Walk), ends(Verdict::Pass, Cause::Reached, 3)];
    assert_eq!(plain(&after(&[], &passed)).verdict, Some(Verdict::Pass));
    // One purpose, and no run was for it.
    assert_eq!(plain(&after(&[false], &passed)).verdict, Some(Verdict::Inconclusive));
    // Ended by the time while the first run was being prepared.
    let none = [end(End::Time, Some(Waiting::Reset))];
    assert_eq!(plain(&after(&[], &none)).verdict, Some(Verdict::Inconclusive));
    assert_eq!(plain(&after(&[], &[end(End::Done, None)])).verdict, None);
}

#[test]
fn a_run_that_is_cut_while_something_is_overdue_takes_the_pass_away() {
    let stopped = || Cause::Open(OpenCause::Stopped);
    let cut = |waiting| {
        let mut records = vec![begins(1, Aim::Walk), ends(Verdict::Pass, Cause::Reached, 3), begins(2, Aim::Walk)];
        records.extend([input(Why::Walk), ends(Verdict::Inconclusive, stopped(), 1), end(End::Interrupted, waiting)]);
        plain(&after(&[], &records))
    };
    let (idle, overdue) = (cut(None), cut(Some(Waiting::Observed)));
    assert_eq!((idle.verdict, idle.last_input), (Some(Verdict::Pass), None));
    assert_eq!((overdue.verdict, overdue.last_input), (Some(Verdict::Inconclusive), Some(a())));
}

#[test]
fn steps_and_inputs_are_counted_once() {
    let mut ledger = after(&[], &[begins(1, Aim::Walk), input(Why::Walk)]);
    ledger.took_input();
    for record in [Record::Accepted { id: 1 }, output(), ends(Verdict::Pass, Cause::Reached, 2)] {
        ledger.add(&record);
    }
    assert_eq!(ledger.steps(), 2, "with the verdict, since the run counts its own");
    // A refused input is a step of the campaign, and none of its run.
    let refused = Record::Refused { id: 1, why: "no".into() };
    for record in [begins(2, Aim::Walk), input(Why::Walk), refused, ends(Verdict::Error, deviation(), 0)] {
        ledger.add(&record);
    }
    let found = plain(&ledger);
    assert_eq!((found.steps, found.inputs, found.runs), (3, 1, [1, 0, 0, 1, 0]));
}

#[test]
fn a_purpose_that_rests_on_a_withdrawn_silence_is_open_again() {
    let mut ledger = Ledger::new(2, vec![false]);
    assert_eq!((ledger.attempt(id(0)), ledger.attempt(id(0))), (0, 1));
    for record in [begins(1, Aim::Purpose(id(0))), purpose(0, Verdict::Pass, Cause::Reached)] {
        ledger.add(&record);
    }
    assert_eq!((ledger.result(id(0)).verdict, ledger.result(id(0)).run), (Some(Verdict::Pass), Some(RunNumber(1))));
    ledger.add(&purpose(0, Verdict::Inconclusive, Cause::Open(OpenCause::withdrawn())));
    assert_eq!((ledger.result(id(0)).verdict, ledger.result(id(0)).attempts), (None, 2));
    // The run then goes elsewhere.
    ledger.add(&purpose(0, Verdict::Inconclusive, deviation()));
    ledger.add(&ends(Verdict::Inconclusive, deviation(), 4));
    assert_eq!(ledger.result(id(0)).cause, Some(deviation()));
}

#[test]
fn a_withdrawn_silence_takes_back_only_what_it_gave() {
    let mut ledger = Ledger::new(2, vec![false, false]);
    let earlier = [begins(1, Aim::Purpose(id(0))), purpose(0, Verdict::WeakPass, Cause::Reached)];
    for record in earlier.into_iter().chain([ends(Verdict::WeakPass, Cause::Reached, 2)]) {
        ledger.add(&record);
    }
    let before = ledger.result(id(0)).clone();
    let withdrawn = |number| purpose(number, Verdict::Inconclusive, Cause::Open(OpenCause::withdrawn()));
    // A repeated run that comes there again has nothing new to say about it.
    for record in [begins(2, Aim::Walk), withdrawn(0)] {
        ledger.add(&record);
    }
    assert_eq!(*ledger.result(id(0)), before);
    // Two in one block, one of which was reached better before.
    for record in
        [begins(3, Aim::Walk), purpose(0, Verdict::Pass, Cause::Reached), purpose(1, Verdict::Pass, Cause::Reached)]
    {
        ledger.add(&record);
    }
    assert_eq!((ledger.result(id(0)).run, ledger.result(id(1)).run), (Some(RunNumber(3)), Some(RunNumber(3))));
    for record in [withdrawn(1), withdrawn(0)] {
        ledger.add(&record);
    }
    assert_eq!((ledger.result(id(0)), ledger.result(id(1)).verdict), (&before, None));
}

#[test]
fn what_is_still_to_come_when_a_probe_begins_belongs_to_the_probe() {
    let mut ledger = Ledger::new(2, vec![true]);
    // The output came before its input was accepted, and reached the purpose.
    for record in [begins(1, Aim::Purpose(id(0))), input(Why::Purpose(id(0))), output()] {
        ledger.add(&record);
    }
    ledger.add(&purpose(0, Verdict::Pass, Cause::Reached));
    for record in [Record::Accepted { id: 1 }, Record::TimedOut(Reliance::Full)] {
        ledger.add(&record);
    }
    assert_eq!(ledger.steps(), 2, "the run does not count these");
    let refused = Record::Refused { id: 2, why: "no".into() };
    for record in [input(Why::Probe(id(0))), refused, ends(Verdict::Pass, Cause::Reached, 1)] {
        ledger.add(&record);
    }
    let found = plain(&ledger);
    assert_eq!((found.steps, found.inputs, found.runs[0], found.probing), (4, 2, 1, 0));
}

#[test]
fn what_the_system_never_does_is_left_to_it() {
    let mut ledger = Ledger::new(2, vec![false]);
    let settings = |walks| Settings { walks, attempts: 2, ..Settings::default() };
    let guided = |ledger: &Ledger| summary(ledger, &settings(Walks::Guided), Intent::default());
    for attempt in 1..=2 {
        ledger.attempt(id(0));
        let left = [purpose(0, Verdict::Inconclusive, deviation()), ends(Verdict::Inconclusive, deviation(), 2)];
        ledger.add(&begins(attempt, Aim::Purpose(id(0))));
        left.iter().for_each(|record| ledger.add(record));
        assert_eq!(guided(&ledger).purposes[0].otherwise, attempt == 2, "only after all attempts");
    }
    let all = Intent { all_allowed: true, ..Intent::default() };
    assert!(summary(&ledger, &settings(Walks::None), all).purposes[0].otherwise);
    let plain = summary(&ledger, &settings(Walks::None), Intent::default());
    assert!(!plain.purposes[0].otherwise, "whoever asks for a purpose wants to know");
    // A deadlock on the way excuses only tests of what the model allows.
    let stuck = Cause::Open(OpenCause::Deadlock { state: "m".into() });
    ledger.add(&purpose(0, Verdict::Inconclusive, stuck));
    assert!(!guided(&ledger).purposes[0].otherwise);
    let compared = Intent { compared: true, ..Intent::default() };
    assert!(summary(&ledger, &settings(Walks::None), compared).purposes[0].otherwise);
}

#[test]
fn probes_are_counted_apart() {
    let probe = |ledger: &mut Ledger, run| {
        ledger.add(&begins(run, Aim::Purpose(id(0))));
        ledger.add(&purpose(0, Verdict::Pass, Cause::Reached));
        for record in [input(Why::Probe(id(0))), Record::Accepted { id: 1 }, output()] {
            ledger.add(&record);
        }
        ledger.probed(Probed { purpose: id(0), run: RunNumber(run), seen: Vec::new(), refused: None });
        ledger.add(&ends(Verdict::Pass, Cause::Reached, 0));
    };
    let mut ledger = Ledger::new(2, vec![true]);
    probe(&mut ledger, 1);
    let found = plain(&ledger);
    assert_eq!((found.runs, found.probing, found.steps, found.inputs), ([0; 5], 1, 2, 1));
    assert_eq!(found.verdict, Some(Verdict::Inconclusive), "nothing was judged");
    // What was judged before the probe makes the run one as any other.
    let mut judged = Ledger::new(2, vec![true]);
    judged.add(&begins(1, Aim::Purpose(id(0))));
    judged.add(&output());
    judged.add(&purpose(0, Verdict::Pass, Cause::Reached));
    judged.add(&input(Why::Probe(id(0))));
    judged.add(&ends(Verdict::Pass, Cause::Reached, 1));
    let found = plain(&judged);
    assert_eq!((found.runs[0], found.probing, found.verdict), (1, 0, Some(Verdict::Pass)));
}

#[test]
fn failures_are_explained_and_faults_are_not() {
    let explained = |verdict, cause| {
        let mut ledger = after(&[], &[begins(1, Aim::Walk), ends(verdict, cause, 1)]);
        let mut asked = 0;
        ledger.explain(|| {
            asked += 1;
            Explanation::default()
        });
        assert_eq!(plain(&ledger).bad.iter().filter(|b| b.explanation.is_some()).count(), asked);
        asked
    };
    assert_eq!(explained(Verdict::Fail, Cause::Failure(Failure::Silence)), 1);
    assert_eq!(explained(Verdict::Inconclusive, deviation()), 0);
    let refused = sioco_exec::verdict::Trouble::Refused { input: a(), why: "no".into() };
    assert_eq!(explained(Verdict::Error, Cause::Trouble(refused)), 1);
    // A run that is not bad leaves the explanation of the one before alone.
    let silence = || ends(Verdict::Fail, Cause::Failure(Failure::Silence), 1);
    let records = [begins(1, Aim::Walk), silence(), begins(2, Aim::Walk), ends(Verdict::Pass, Cause::Reached, 1)];
    let mut ledger = after(&[], &records);
    ledger.explain(|| panic!("nobody asks"));
    assert!(plain(&ledger).bad[0].explanation.is_none());
    let Fault { kind, message, stderr, .. } = fault();
    let trouble = sioco_exec::verdict::Trouble::Fault { kind, message, stderr };
    assert_eq!(explained(Verdict::Error, Cause::Trouble(trouble)), 0);
}

#[test]
fn coverage_is_united_over_runs() {
    let mut ledger = after(&[], &[begins(1, Aim::Walk), ends(Verdict::Pass, Cause::Reached, 1)]);
    let bits = |switches: &[usize]| {
        let mut bits = Bits::new(2);
        switches.iter().for_each(|s| bits.set(*s));
        bits
    };
    ledger.cover(&(bits(&[0]), bits(&[0, 1])));
    assert_eq!(plain(&ledger).switches, [(true, true), (false, true)]);
    ledger.cover(&(bits(&[1]), bits(&[1])));
    let found = plain(&ledger);
    assert_eq!((found.switches, found.locations), (vec![(true, true); 2], vec![(true, true); 2]));
}
