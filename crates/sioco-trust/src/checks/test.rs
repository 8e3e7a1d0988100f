//! `test`: whole campaigns. A conforming system never fails, a failure is one by the oracle, nothing is sent that the
//! model does not define, and the journal gives the same verdicts again.

use std::time::Duration;

use sioco_exec::record::End;
use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::verdict::{Cause, OpenCause, Verdict as Theirs};
use sioco_exec::{Clock, Driver, Record, Settings, Stamped, Summary, Sut, drive};
use sioco_plan::plan::Counts;
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::values::Choice;
use sioco_symbolic::explore::Stop;

use super::judge::{cause, verdict};
use super::records::{Run, runs};
use super::solvers::Solvers;
use crate::case::{Case, KNOWS};
use crate::oracle;
use crate::oracle::TooLarge;
use crate::oracle::belief::World;
use crate::oracle::judge::Verdict;
use crate::rng::Rng;
use crate::shrink::{Pair, shrink};
use crate::spec::{Line, Order, Spec};
use crate::systems::mutate;
use crate::systems::sut::{Habit, Played};
use crate::tally::{Finding, Tally};

/// A run ends although the system has to say something.
const OWED: &str = "ends while something is owed";

/// The tester sends something that it should not.
const SENDS: &str = "sends";

/// A campaign of so few steps is over long before; a longer one hangs.
const LONGEST: Duration = Duration::from_secs(10);

/// A clock that counts how often it is asked: what goes on for ever ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting(u32);

impl Clock for Counting {
    fn now(&mut self) -> Duration {
        self.0 += 1;
        Duration::from_millis(self.0.into())
    }
}

/// How a campaign is led.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// What is planned; nothing: only walks.
    pub cover: Option<Cover>,
    /// The settings.
    pub settings: Settings,
}

impl Strategy {
    /// One of all strategies.
    pub fn any(rng: &mut Rng) -> Strategy {
        let covers = [
            None,
            None,
            Some(Cover::Switch),
            Some(Cover::Switch),
            Some(Cover::Location),
            Some(Cover::Traces(2)),
            Some(Cover::Paths(2)),
            Some(Cover::Inclusion(1)),
            Some(Cover::Reduced),
            Some(Cover::Random(3)),
            Some(Cover::Inputs(3)),
        ];
        let cover = rng.pick(&covers).clone();
        let walks = match cover {
            None => *rng.pick(&[Walks::Random, Walks::Guided]),
            Some(_) => *rng.pick(&[Walks::None, Walks::Random, Walks::Guided, Walks::Again]),
        };
        let settings = Settings {
            seed: rng.next(),
            values: *rng.pick(&[Choice::Min, Choice::Max, Choice::Middle, Choice::Boundary, Choice::Random(1)]),
            walks,
            max_steps: Some(30),
            walk: *rng.pick(&[5, 10, 20]),
            interaction: *rng.pick(&[None, Some(Interaction::Eager), Some(Interaction::Fair)]),
            time: Some(LONGEST),
            // Nothing depends on how long things take.
            pause: LONGEST * 2,
            ..Settings::default()
        };
        Strategy { cover, settings }
    }

    fn plan(&self, case: &Case, solvers: &Solvers) -> Plan {
        let make = || solvers.make();
        let nothing = Plan {
            cover: Cover::Random(1),
            strict: false,
            goals: Vec::new(),
            purposes: Vec::new(),
            length: None,
            steering: None,
            stop: Stop::Complete,
            counts: Counts::default(),
        };
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
                // Some covers are not for every model, such as those with free variables.
                plan(&case.read.model, &make, &options, &mut |_| {}).unwrap_or(nothing)
            }
            None => nothing,
        }
    }

    /// Runs a campaign.
    pub fn run(&self, case: &Case, solvers: &Solvers, sut: &mut dyn Sut) -> (Summary, Vec<Stamped>) {
        let plan = self.plan(case, solvers);
        let make = || solvers.make();
        let oracle = solvers.oracle(&case.read.model);
        let mut tester = Driver::with(&case.read.model, &make, &plan, self.settings.clone(), oracle);
        let mut records = Vec::new();
        let summary = drive(&mut tester, sut, &mut Counting::default(), &mut |s: &Stamped| records.push(s.clone()));
        (summary, records)
    }
}

/// A campaign: the system, and how it is led.
pub struct Campaign {
    /// The model that the system plays.
    pub played: Spec,
    /// Whether it conforms.
    pub conforms: bool,
    /// What it does wrong besides.
    pub habit: Habit,
    /// What the order of events means.
    pub order: Order,
    /// The strategy.
    pub strategy: Strategy,
    /// The choices of the system.
    pub seed: u64,
    /// Whether it makes the same choices in every run.
    pub steady: bool,
}

impl Campaign {
    /// A campaign of a model.
    pub fn any(spec: &Spec, rng: &mut Rng) -> Campaign {
        let order = *rng.pick(&[Order::Sut, Order::Sut, Order::Sent, Order::Certain]);
        let strategy = Strategy::any(rng);
        let seed = rng.next();
        let after = rng.below(5);
        let kind = rng.below(100);
        let habit = match rng.below(5) {
            _ if kind < 75 => Habit::Good,
            0 => Habit::Mute(after),
            1 if KNOWS.crashed && after.is_multiple_of(2) => Habit::Crashes(after),
            1 => Habit::Closes(after),
            2 => Habit::Late(40),
            _ => Habit::Babbles(after),
        };
        let played = if (40..75).contains(&kind) { mutate(spec, rng) } else { spec.clone() };
        Campaign { played, conforms: kind < 40, habit, order, strategy, seed, steady: rng.chance(30) }
    }

    /// Runs it.
    pub fn run(&self, case: &Case, solvers: &Solvers) -> Result<Outcome, TooLarge> {
        let world = World::new(&self.played);
        let sut = Played::new(&world, &case.read, self.order, self.habit, self.seed);
        let mut sut = if self.steady { sut.steady() } else { sut };
        let (summary, records) = self.strategy.run(case, solvers, &mut sut);
        if sut.too_large {
            return Err(TooLarge);
        }
        Ok(Outcome { summary, records, conforms: self.conforms && !sut.stuck })
    }
}

/// What came of a campaign.
pub struct Outcome {
    /// The summary.
    pub summary: Summary,
    /// The records.
    pub records: Vec<Stamped>,
    /// Whether the system did only what the model allows.
    pub conforms: bool,
}

/// What is wrong about a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// In a few words.
    pub kind: String,
    /// In more.
    pub why: String,
    /// The lines up to where it is wrong.
    pub lines: Vec<Line>,
    /// What their order means.
    pub order: Order,
}

/// Holds a run against the oracle. With a weary solver, nothing definite is no finding.
pub fn hold(world: &World<'_>, run: &Run, weary: bool) -> Result<Option<Wrong>, TooLarge> {
    let wrong = |kind: &str, why: String, lines: &[Line]| {
        Ok(Some(Wrong { kind: kind.into(), why, lines: lines.to_vec(), order: run.order }))
    };
    for sent in run.sent.iter().filter(|s| !s.probe) {
        let params = &world.spec.inputs[sent.event.gate].params;
        let mut lines = run.lines[..sent.after.min(run.lines.len())].to_vec();
        let fits = params.len() == sent.event.args.len()
            && params.iter().zip(&sent.event.args).all(|(s, v)| v.fits(s, &world.spec.types));
        lines.push(Line::Input(sent.event.clone()));
        if !fits {
            return wrong(&format!("{SENDS} a value outside of its range"), world.spec.lines(&lines), &lines);
        }
        let before = oracle::judge::judge(world, &lines[..lines.len() - 1], run.order)?;
        let right = oracle::judge::judge(world, &lines, run.order)?;
        let only = |v: Verdict| right.verdicts.len() == 1 && right.verdicts.contains(&v);
        if only(Verdict::Inconclusive) && before.verdicts.contains(&Verdict::Pass) && !weary {
            return wrong(&format!("{SENDS} what the model does not specify"), world.spec.lines(&lines), &lines);
        }
    }
    let Some((theirs, why)) = &run.verdict else { return Ok(None) };
    if run.foreign {
        return Ok(None);
    }
    let right = oracle::judge::judge(world, &run.lines, run.order)?;
    let told = format!("{:?} expected, got {theirs:?} ({})", right.verdicts, cause(why));
    let ours = verdict(*theirs);
    let only_fail = right.verdicts.len() == 1 && right.verdicts.contains(&Verdict::Fail);
    match ours {
        Verdict::Fail | Verdict::Pass if !right.verdicts.contains(&ours) => {
            let kind = if ours == Verdict::Fail { "wrong fail" } else { "wrong pass" };
            return wrong(kind, told, &run.lines);
        }
        Verdict::Error if !right.verdicts.contains(&Verdict::Error) && !run.overtaken => {
            return wrong("wrong error", told, &run.lines);
        }
        // A silence by the clock has to come again before it fails (T-Q10).
        Verdict::Inconclusive
            if matches!(why, Cause::Open(OpenCause::Silence(_))) && right.verdicts.contains(&Verdict::Fail) => {}
        Verdict::Inconclusive if only_fail && !weary => return wrong("missed failure", told, &run.lines),
        Verdict::Inconclusive if !right.verdicts.contains(&ours) && !weary => {
            let open = |open: &OpenCause| {
                use OpenCause::{Cut, Other, Silence, Unknown, Unspecified};
                matches!(open, Unspecified(_) | Cut | Unknown(_) | Other(_) | Silence(_))
            };
            if matches!(why, Cause::Open(o) if open(o)) {
                return wrong("inconclusive where the oracle knows", told, &run.lines);
            }
        }
        _ => {}
    }
    let stopped = matches!(why, Cause::Open(OpenCause::Stopped));
    let ends = matches!(run.lines.last(), Some(Line::Input(_)));
    if matches!(theirs, Theirs::Pass | Theirs::WeakPass | Theirs::Inconclusive) && ends && !stopped && !weary {
        let mut lines = run.lines.clone();
        lines.push(Line::Announced);
        let silent = oracle::judge::judge(world, &lines, run.order)?;
        if silent.verdicts.len() == 1 && silent.verdicts.contains(&Verdict::Fail) {
            return wrong(OWED, told, &run.lines);
        }
    }
    Ok(None)
}

/// Runs a campaign and holds it against the oracle.
pub fn run(case: &Case, solvers: &Solvers, check: &'static str, tally: &mut Tally) {
    let campaign = |case: &Case| Campaign::any(&case.spec, &mut case.rng(200));
    held(case, &campaign, solvers, check, tally);
}

/// The same for a way to make campaigns. What is found is made small.
pub fn held(
    case: &Case,
    campaign: &dyn Fn(&Case) -> Campaign,
    solvers: &Solvers,
    check: &'static str,
    tally: &mut Tally,
) {
    let Some(finding) = look(case, &campaign(case), solvers, check, tally) else { return };
    // Mostly the log alone shows it.
    if let Some((lines, order)) = &finding.log
        && !finding.kind.starts_with(SENDS)
        && super::judge::one(case, lines, *order, solvers, check, tally)
    {
        return;
    }
    let again = |pair: &Pair| -> Option<Finding> {
        let small = Case::with(case.seed, pair.0.clone()).ok()?;
        look(&small, &campaign(&small), &solvers.fresh(), check, &mut Tally::default())
    };
    let still = &mut |pair: &Pair| again(pair).is_some_and(|other| other.kind == finding.kind);
    let small = shrink((case.spec.clone(), Vec::new()), still);
    tally.find(again(&small).unwrap_or(finding));
}

/// Runs a campaign. What is wrong about it, if something is.
fn look(
    case: &Case,
    campaign: &Campaign,
    solvers: &Solvers,
    check: &'static str,
    tally: &mut Tally,
) -> Option<Finding> {
    let finding = |kind: &str, why: String, log: Option<(Vec<Line>, Order)>| {
        Some(Finding { check, kind: kind.into(), why, spec: case.spec.clone(), log })
    };
    let Ok(Outcome { summary, records, conforms }) = campaign.run(case, solvers) else {
        tally.count(format!("{check}: too large"));
        return None;
    };
    if summary.end == End::Time {
        let why = format!("after {} runs and {} steps", summary.all_runs(), summary.steps);
        return finding("a campaign does not end", why, None);
    }
    let weary = solvers.is_weary();
    let found = runs(&case.read, records.iter().map(|s| &s.record));
    let lines: Vec<Line> = found.iter().flat_map(|run| run.all_lines()).collect();
    let spec = case.spec.with_values_of(&lines);
    let world = World::new(&spec);
    tally.count(format!("{check}: cases"));
    tally.add(format!("{check}: runs"), found.len() as u64);
    let mut failed = false;
    for (at, run) in found.iter().enumerate() {
        // The steps of a campaign may end anywhere.
        let last = at + 1 == found.len();
        let fails = matches!(&run.verdict, Some((Theirs::Fail, _)));
        failed |= fails;
        let came_once = |run: &Run| matches!(&run.verdict, Some((_, Cause::Open(OpenCause::Silence(_)))));
        if came_once(run) {
            tally.count(format!("{check}: silences that came once"));
            let again = |next: &Run| next.seed == run.seed && next.lines == run.lines;
            if found.get(at + 1).is_some_and(|next| came_once(next) && again(next)) {
                let log = Some((run.lines.clone(), run.order));
                return finding("a silence that comes again does not fail", format!("{:?}", run.verdict), log);
            }
        }
        match hold(&world, run, weary) {
            Err(TooLarge) => tally.count(format!("{check}: too large")),
            Ok(None) if conforms && fails && !run.overtaken => {
                let why = format!("{:?}", run.verdict);
                return finding("a conforming system fails", why, Some((run.lines.clone(), run.order)));
            }
            Ok(None) => {}
            Ok(Some(wrong)) if last && wrong.kind == OWED => {}
            Ok(Some(wrong)) => {
                let why = format!("{} (cover {:?}, {:?})", wrong.why, campaign.strategy.cover, campaign.habit);
                return finding(&wrong.kind, why, Some((wrong.lines, wrong.order)));
            }
        }
    }
    if failed {
        tally.count(format!("{check}: campaigns that fail"));
    }
    if weary {
        return None;
    }
    let why = judged_again(case, &records, solvers)?;
    finding("the journal is judged otherwise", why, None)
}

/// Judges the journal of a campaign; what differs, if something does.
fn judged_again(case: &Case, records: &[Stamped], solvers: &Solvers) -> Option<String> {
    let text = super::journal::text(case, records);
    let log = match super::journal::log(case, &text) {
        Ok(log) => log,
        Err(why) => return Some(format!("the journal cannot be read: {why}")),
    };
    let mut then: Vec<(Theirs, Cause)> = Vec::new();
    for stamped in records {
        if let Record::Verdict { verdict, cause, .. } = &stamped.record {
            then.push((*verdict, cause.clone()));
        }
    }
    for (run, (theirs, why)) in log.runs.iter().zip(then) {
        let judged = super::journal::judged(case, run, solvers);
        let (old, new) = (verdict(theirs), verdict(judged.verdict));
        let same = match old {
            // What is inconclusive about a purpose is a pass of the log.
            Verdict::Inconclusive => new == old || new == Verdict::Pass,
            _ => old == new,
        };
        if !same {
            return Some(format!(
                "run {}: {old:?} ({}), then {new:?} ({})",
                run.number,
                cause(&why),
                cause(&judged.cause)
            ));
        }
    }
    None
}
