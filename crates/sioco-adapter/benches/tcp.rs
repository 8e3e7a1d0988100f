//! How fast a system at the other end of a socket is tested: steps per second over the loopback, with a model that is
//! played by the server of this crate.
//!
//! `cargo bench -p sioco-adapter --bench tcp` prints the table. Times are those of a clock on the wall, since most of
//! the work is waking threads up: on a busy machine they say little.

// Lints know tests by their attribute.
#![allow(clippy::unwrap_used)]

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::server::{Serving, listen};
use sioco_adapter::tcp::Tcp;
use sioco_exec::settings::Walks;
use sioco_exec::{Clock, Driver, Player, Settings, Summary, Verdict, drive};
use sioco_model::Model;
use sioco_plan::{Cover, Plan};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

struct Wall(Instant);

impl Clock for Wall {
    fn now(&mut self) -> Duration {
        self.0.elapsed()
    }
}

/// One run with so many steps, and how long it took after the connection was there.
fn walk(model: &Model, plan: &Plan, walks: Walks, steps: u64) -> (Summary, Duration) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let interrupt = &Interrupt::default();
    std::thread::scope(|scope| {
        let tester = scope.spawn(move || {
            let settings = Settings { walks, max_steps: Some(steps), walk: u64::MAX, seed: 1, ..Settings::default() };
            let tcp = Box::new(Tcp::new("127.0.0.1", port));
            let mut client = Client::new(model, tcp, ConnectionOptions::default(), Interrupt::default());
            client.connect().unwrap();
            let mut tester = Driver::new(model, &builtin, plan, settings);
            let start = Instant::now();
            let mut last = start;
            let summary = drive(&mut tester, &mut client, &mut Wall(start), &mut |_| last = Instant::now());
            interrupt.end_at(Some(Instant::now()));
            (summary, last - start)
        });
        listen(&listener, model, &mut Player::new(model), &Serving::default(), interrupt, &mut |_| {}).unwrap();
        tester.join().unwrap()
    })
}

fn main() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/brp/brp.sts");
    let checked = sioco_lang::check::check_file(&path, &sioco_lang::source::FsLoader, &Default::default());
    let model = checked.model.expect("the example is a model").model;
    let options = sioco_plan::PlanOptions { steering: false, ..sioco_plan::PlanOptions::new(Cover::Switch) };
    let mut plan = sioco_plan::plan(&model, &builtin, &options, &mut |_| {}).expect("switches can be covered");
    let switch = plan.clone();
    plan.purposes.clear();
    println!("BRP over the loopback; `solved` is the plan that covers every switch, again and again with new values");
    for (name, walks) in [("random walk", Walks::Random), ("guided walk", Walks::Guided), ("solved", Walks::Again)] {
        let plan = if walks == Walks::Again { &switch } else { &plan };
        for steps in [1_000, 10_000, 50_000] {
            let (summary, time) = walk(&model, plan, walks, steps);
            assert!(summary.verdict == Some(Verdict::Pass) && summary.steps + 2 > steps, "{summary:?}");
            let each = time.as_secs_f64() / steps as f64;
            let inputs = summary.inputs;
            println!("  {name} {steps:>9} steps ({inputs} inputs) {time:>11.3?} {:>9.0} steps/s", 1.0 / each);
        }
    }
}
