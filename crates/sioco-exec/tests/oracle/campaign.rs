//! Whole campaigns of the tester, judged by the oracle from their records.

use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::verdict::{Cause, OpenCause};
use sioco_exec::{Driver, NoClock, Order, Record, Settings, Stamped, Summary, Sut, Verdict, drive};
use sioco_plan::plan::Counts;
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::BackEnd;
use sioco_solve::values::{Bounds, Choice};
use sioco_symbolic::explore::Stop;

use super::cases::Case;
use super::crossing::Known;
use super::lts::Act;
use super::machine::Machine;
use super::rng::Rng;
use super::sut::Played;

/// The solver without other programs.
pub fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// How a campaign is led.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// What is planned; nothing: only walks.
    pub cover: Option<Cover>,
    pub settings: Settings,
    pub order: Order,
}

impl Strategy {
    /// One of all strategies. Where states are not known, every step takes a solver: then there are fewer of them, and
    /// none while messages may cross.
    pub fn any(case: &Case, rng: &mut Rng) -> Strategy {
        let covers = [None, Some(Cover::Switch), Some(Cover::Location), Some(Cover::Traces(2)), Some(Cover::Random(4))];
        let cover = rng.pick(&covers).clone();
        let walks = match cover {
            None => *rng.pick(&[Walks::Random, Walks::Guided]),
            Some(_) => *rng.pick(&[Walks::None, Walks::Random, Walks::Guided, Walks::Again]),
        };
        let settings = Settings {
            seed: rng.next(),
            values: *rng.pick(&[Choice::Min, Choice::Max, Choice::Middle, Choice::Boundary, Choice::Random(1)]),
            walks,
            max_steps: Some(if case.is_wide() { 8 } else { 60 }),
            walk: *rng.pick(&[5, 15, 100]),
            interaction: *rng.pick(&[None, Some(Interaction::Eager), Some(Interaction::Fair)]),
            ..Settings::default()
        };
        let order = if case.is_wide() { Order::Sut } else { *rng.pick(&[Order::Sut, Order::Sent]) };
        Strategy { cover, settings, order }
    }

    /// The strategy that is to find what is wrong.
    pub fn search(seed: u64, steps: u64) -> Strategy {
        let settings = Settings {
            seed,
            walks: Walks::Guided,
            max_steps: Some(steps),
            walk: 30,
            fail_fast: true,
            ..Settings::default()
        };
        Strategy { cover: None, settings, order: Order::Sut }
    }

    fn plan(&self, case: &Case) -> Plan {
        match &self.cover {
            Some(cover) => {
                let options = PlanOptions {
                    nodes: 60,
                    internal: 10,
                    walk: 6,
                    workers: 1,
                    steering: false,
                    seed: self.settings.seed,
                    ..PlanOptions::new(cover.clone())
                };
                plan(&case.model, &builtin, &options, &mut |_| {}).expect("no purpose is named")
            }
            None => Plan {
                cover: Cover::Random(1),
                strict: false,
                goals: Vec::new(),
                purposes: Vec::new(),
                length: None,
                steering: None,
                stop: Stop::Complete,
                counts: Counts::default(),
            },
        }
    }

    /// Runs a campaign against a machine.
    pub fn run(&self, case: &Case, machine: &Machine, seed: u64) -> (Summary, Vec<Record>) {
        self.run_with(case, &mut Played::new(machine, case.names.clone(), self.order, seed))
    }

    /// Runs a campaign against any system.
    pub fn run_with(&self, case: &Case, sut: &mut dyn Sut) -> (Summary, Vec<Record>) {
        let plan = self.plan(case);
        let mut tester = Driver::new(&case.model, &builtin, &plan, self.settings.clone());
        let mut records = Vec::new();
        let mut sink = |s: &Stamped| records.push(s.record.clone());
        let summary = drive(&mut tester, sut, &mut NoClock, &mut sink);
        (summary, records)
    }
}

/// Judges every run from its records: the verdict must be *fail* exactly where something was observed that the oracle does
/// not allow. Says whether a run failed.
pub fn judge(case: &Case, order: Order, records: &[Record]) -> Result<bool, String> {
    let mut known = Known::at_start(&case.lts);
    let mut trace: Vec<Act> = Vec::new();
    let mut inputs: Vec<(u64, Act)> = Vec::new();
    // The input that is under way: in the order `sent`, it counts as soon as something is seen after it was sent.
    let mut waiting: Option<u64> = None;
    // Whether something was seen since it was sent.
    let mut overtaken = false;
    let mut wrong = false;
    // Whether what is wrong came while an input was under way: then it may be the adapter that mixed them up, and the run
    // goes on until that is ruled out.
    let mut loose = false;
    // Whether what is wrong came right after silence that was announced: then that was a mistake.
    let mut announced = false;
    let mut failed = false;
    for record in records {
        match record {
            Record::Run { .. } => {
                known = Known::at_start(&case.lts);
                trace.clear();
                inputs.clear();
                waiting = None;
                (wrong, loose, announced) = (false, false, false);
            }
            Record::Input { id, input, .. } => {
                let input = case.names.act(input);
                // Where states are not known, silence on an internal cycle is only perhaps ruled out.
                if !known.now.specifies(input) && !wrong && !case.is_wide() {
                    return Err(format!("{trace:?}: sends {input:?}, but that is not specified"));
                }
                inputs.push((*id, input));
                waiting = Some(*id);
                overtaken = false;
            }
            Record::Accepted { id } if waiting.take() == Some(*id) => {
                let (_, input) = inputs.iter().find(|(i, _)| i == id).expect("it was sent");
                trace.push(*input);
                known.input(*input, order);
            }
            Record::Accepted { .. } => {}
            Record::Observed(seen) => {
                if order == Order::Sent
                    && let Some(id) = waiting.take()
                {
                    let (_, input) = inputs.iter().find(|(i, _)| *i == id).expect("it was sent");
                    trace.push(*input);
                    known.input(*input, order);
                }
                let act = case.names.seen(seen);
                overtaken = true;
                if wrong && loose {
                    continue;
                }
                if wrong {
                    return Err(format!("{trace:?} {act:?}: goes on, but it failed"));
                }
                trace.push(act);
                let quiet = known.quiet;
                wrong = !known.see(act);
                announced = wrong && quiet;
                loose = wrong && order == Order::Sut && waiting.is_some();
            }
            Record::Verdict { verdict, cause, .. } => {
                let undecided = || matches!(cause, Cause::Open(OpenCause::Cut | OpenCause::Other(_))) && case.is_wide();
                match verdict {
                    Verdict::Fail if wrong && !announced => failed = true,
                    Verdict::Fail => return Err(format!("{trace:?}: all is allowed, but {cause:?}")),
                    Verdict::Error if loose || announced => {}
                    Verdict::Error => return Err(format!("{trace:?}: nothing broke, but {cause:?}")),
                    _ if wrong && !undecided() => {
                        return Err(format!("{trace:?}: the last is not allowed, but {verdict:?} {cause:?}"));
                    }
                    _ => {}
                }
            }
            // An output overtook it, and the model does not say what it does now.
            Record::Refused { id, .. }
                if overtaken && inputs.iter().any(|(i, input)| i == id && !known.now.specifies(*input)) => {}
            Record::Refused { .. } | Record::Fault(_) => return Err(format!("nothing broke, but {record:?}")),
            // Nothing here takes any time.
            Record::TimedOut(_) => panic!("silence by the clock"),
            Record::Hurried => {}
            Record::Purpose { .. } | Record::Again { .. } | Record::End { .. } => {}
        }
    }
    Ok(failed)
}
