//! Whole campaigns through this crate: what conforms is never failed, what does not is, and faults are no verdicts.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::in_process::{Args, InProcess, Output, System};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::server::{Serving, listen};
use sioco_adapter::tcp::Tcp;
use sioco_exec::settings::Walks;
use sioco_exec::{Clock, Driver, NoClock, Player, Settings, Summary, Sut, Verdict, drive};
use sioco_model::Model;
use sioco_plan::Cover;
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

fn example(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.sts"));
    let options = sioco_lang::check::CheckOptions::default();
    sioco_lang::check::check_file(&path, &sioco_lang::source::FsLoader, &options).model.expect(name).model
}

struct Wall(Instant);

impl Clock for Wall {
    fn now(&mut self) -> Duration {
        self.0.elapsed()
    }
}

fn campaign(model: &Model, sut: &mut dyn Sut, clock: &mut dyn Clock, settings: Settings) -> Summary {
    let options =
        sioco_plan::PlanOptions { steering: false, ..sioco_plan::PlanOptions::new(Cover::parse("switch").unwrap()) };
    let plan = sioco_plan::plan(model, &builtin, &options, &mut |_| {}).unwrap();
    drive(&mut Driver::new(model, &builtin, &plan, settings), sut, clock, &mut |_| {})
}

/// A campaign against a played model at the other end of a socket.
fn over_tcp(model: &Model, played: &Model, settings: Settings) -> Summary {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let interrupt = &Interrupt::default();
    std::thread::scope(|scope| {
        let tester = scope.spawn(move || {
            let tested = std::panic::catch_unwind(|| {
                let tcp = Box::new(Tcp::new("127.0.0.1", port));
                let mut client = Client::new(model, tcp, ConnectionOptions::default(), Interrupt::default());
                campaign(model, &mut client, &mut Wall(Instant::now()), settings)
            });
            interrupt.end_at(Some(Instant::now()));
            tested
        });
        listen(&listener, played, &mut Player::new(played), &Serving::default(), interrupt, &mut |_| {}).unwrap();
        tester.join().unwrap().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn examples_conform_to_themselves_at_the_other_end_of_a_socket() {
    for name in ["accumulator/accumulator", "coffee/coffee", "brp/brp"] {
        let model = example(name);
        let settings = Settings { seed: 3, walks: Walks::Random, max_steps: Some(300), ..Settings::default() };
        let summary = over_tcp(&model, &model, settings);
        assert!(summary.verdict < Some(Verdict::Error), "{name}: {:?}", summary.bad);
        assert!(summary.steps >= 250, "{name}: {} steps", summary.steps);
    }
}

#[test]
fn a_mutant_fails_at_the_other_end_of_a_socket() {
    let settings =
        Settings { seed: 1, walks: Walks::Guided, max_steps: Some(5000), fail_fast: true, ..Settings::default() };
    let summary = over_tcp(&example("brp/brp"), &example("brp/mutant-1"), settings);
    assert_eq!(summary.verdict, Some(Verdict::Fail), "{summary:?}");
}

/// The accumulator, right or wrong.
#[derive(Clone, Default)]
struct Accumulator {
    /// From which sum on it tells one too many.
    wrong_from: Option<i64>,
    /// From which sum on it panics.
    breaks_at: Option<i64>,
    /// From which sum on its argument is read by a wrong name.
    misread_from: Option<i64>,
    sum: i64,
    answers: Vec<Output>,
}

impl System for Accumulator {
    fn reset(&mut self) {
        self.sum = 0;
        self.answers.clear();
    }

    fn input(&mut self, _: &str, args: Args<'_>) {
        let name = if self.misread_from.is_some_and(|from| self.sum >= from) { "q" } else { "p" };
        self.sum += args.get::<i64>(name);
        assert!(self.breaks_at.is_none_or(|at| self.sum < at), "out of order");
        if self.sum > 15 {
            self.answers.push(Output::new("done", ()));
        }
        let more = i64::from(self.wrong_from.is_some_and(|from| self.sum >= from));
        self.answers.push(Output::new("outX", self.sum + more));
    }

    fn output(&mut self) -> Option<Output> {
        self.answers.pop()
    }
}

#[test]
fn rust_code_is_tested_in_its_own_process() {
    let model = example("accumulator/accumulator");
    let settings = Settings { seed: 5, walks: Walks::Guided, max_steps: Some(500), ..Settings::default() };
    let test = |system: Accumulator| {
        campaign(&model, &mut InProcess::new(&model, || system.clone()), &mut NoClock, settings.clone())
    };
    let good = test(Accumulator::default());
    // The last walk may have been cut short.
    assert!(good.verdict < Some(Verdict::Error) && good.runs[0] > 10, "{good:?}");
    assert!(good.steps >= 450, "{} steps", good.steps);
    let bad = test(Accumulator { wrong_from: Some(12), ..Accumulator::default() });
    assert_eq!(bad.verdict, Some(Verdict::Fail), "{bad:?}");
    let crashing = test(Accumulator { breaks_at: Some(12), ..Accumulator::default() });
    assert_eq!(crashing.verdict, Some(Verdict::Fail), "{crashing:?}");
    assert!(crashing.runs[3] == 0 && crashing.runs[4] > 10, "{:?}", crashing.runs);
    let broken = test(Accumulator { misread_from: Some(12), ..Accumulator::default() });
    assert_eq!(broken.verdict, Some(Verdict::Error), "{broken:?}");
}
