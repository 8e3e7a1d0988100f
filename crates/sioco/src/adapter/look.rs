//! Looking at an adapter, or at a system that needs none: everything in order, until something keeps the rest from being
//! looked at.

use std::time::{Duration, Instant};

use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::transport::Connector;
use sioco_campaign::drive::{Drive, Since};
use sioco_campaign::engine::Engine;
use sioco_campaign::resets::{Again, Repeat};
use sioco_exec::record::{End, Stamped};
use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::{Fault, RunNumber, Settings, Summary, Sut};
use sioco_model::Model;
use sioco_model::model::is_end;
use sioco_plan::{Cover, Plan};
use sioco_report::adapter::milliseconds;
use sioco_solve::values::Choice;
use sioco_solve::{BackEnd, Cancellation};

use super::about::{
    Speaks, about_gates, about_hello, about_lines, about_muteness, about_repeat, about_resets, about_restarts,
    about_walk,
};
use super::list::{List, Mark};
use super::may_answer::may_greet;
use super::timed::{Mute, Spoken, Timed};
use super::times::about_times;
use crate::output::count;
use crate::permission::Permitted;
use crate::run::described::Described;
use crate::run::sendable;

/// There are this many steps between two resets: a look takes seconds, and has to reset several times to see whether
/// that works.
const WALK: u64 = 25;

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Of all random choices.
    pub seed: u64,
    /// The greatest number of steps of the walk.
    pub steps: u64,
    /// How long the walk may take.
    pub time: Duration,
    /// How long to wait for an output that may come.
    pub wait: Duration,
    /// How long the adapter may take for what it has to do.
    pub patience: Duration,
}

/// Looks at an adapter.
pub struct Look<'a> {
    /// How much.
    pub scope: Scope,
    /// The model.
    pub model: &'a Model,
    /// Whether the model is one of the user's: gates and times mean nothing without it.
    pub real: bool,
    /// What answers questions.
    pub back_end: &'a BackEnd,
    /// What ends it.
    pub cancellation: &'a Cancellation,
}

impl Look<'_> {
    /// Looks at a system that is spoken to without an adapter.
    pub fn described(&self, described: &Permitted<Described>, list: &mut List<'_, '_>) {
        let model = self.model;
        let gates = model.gates.values().filter(|g| !is_end(&g.name)).count();
        let plain = sendable::remark(model, &described.plain(model));
        list.add(
            Mark::Ok,
            "templates",
            format!("for {} of the model", count(gates, "gate")),
            plain.into_iter().collect(),
        );
        for remark in described.remarks(model).unwrap_or_default() {
            list.add(Mark::Warn, "templates", remark, Vec::new());
        }
        let mut sut = Mute(described.open(model, self.scope.patience, self.cancellation));
        if self.reset_twice(&mut sut, list) {
            about_resets(list);
            let (timed, found, again) = self.walk(&mut sut);
            about_walk(model, &timed, &found, list);
            let speaks = if described.is_started_program() { Speaks::Program } else { Speaks::Server };
            about_muteness(&timed, &found, speaks, list);
            about_repeat(model, &again, &described.how_to_reset(), list);
            about_times(self.scope.wait, model, &timed, list);
        }
    }

    /// Whether it could be reset, twice.
    fn reset_twice(&self, sut: &mut dyn Sut, list: &mut List<'_, '_>) -> bool {
        for (run, seed) in
            [(RunNumber::FIRST, self.scope.seed), (RunNumber::FIRST.next(), self.scope.seed.wrapping_add(1))]
        {
            let begun = Instant::now();
            if let Err(fault) = sut.reset(run, seed) {
                let which = if run == RunNumber::FIRST { "the first reset" } else { "the second reset" };
                let fault = Fault { message: format!("{which}: {}", fault.message), ..fault };
                list.fault("reset", &fault);
                return false;
            }
            if self.cancellation.is_over() {
                return false;
            }
            list.facts.resets_ms.push(milliseconds(begun.elapsed()));
        }
        true
    }

    /// Looks at everything, in order, until something keeps the rest from being looked at.
    pub fn adapter(&self, connector: Box<dyn Connector>, list: &mut List<'_, '_>) {
        let (model, real) = (self.model, self.real);
        let patience = self.scope.patience;
        let options = ConnectionOptions {
            hello: patience,
            reset: patience,
            write: patience,
            compare: false,
            ..ConnectionOptions::default()
        };
        let starts = connector.starts_afresh();
        let mut client = Client::new(model, connector, options, self.cancellation.clone());
        let begun = Instant::now();
        let hello = match client.connect() {
            Ok(Some(hello)) => hello.clone(),
            Ok(None) => return,
            Err(fault) => return list.fault("hello", &fault),
        };
        about_hello(&hello, begun.elapsed(), list);
        let fits = !real || about_gates(model, &hello, list);
        if !self.reset_twice(&mut client, list) {
            return;
        }
        match starts && !hello.reset {
            true => about_restarts(list),
            false => about_resets(list),
        }
        let (logs, stderr) = if real && fits {
            let (timed, found, again) = self.walk(&mut client);
            about_walk(model, &timed, &found, list);
            about_muteness(&timed, &found, Speaks::Adapter, list);
            let advice = how_to_reset(hello.reset, starts);
            about_repeat(model, &again, advice, list);
            about_times(self.scope.wait, model, &timed, list);
            (timed.logs, timed.stderr)
        } else {
            let why = match real {
                true => "not looked at: the gates are not those of the model",
                false => "not looked at: give the model, as in `sioco adapter check model.sts -- …`",
            };
            list.add(Mark::Note, "inputs", why, Vec::new());
            (client.logs(), client.stderr())
        };
        about_lines(&logs, &stderr, list);
    }

    /// A walk through the model, with the stop-watch in hand, and what comes of running a run of it again.
    fn walk<'c>(&self, client: &'c mut dyn Spoken) -> (Timed<'c>, Summary, Again) {
        let (model, scope, cancellation) = (self.model, self.scope, self.cancellation);
        let settings = Settings {
            seed: scope.seed,
            values: Choice::Random(scope.seed),
            walks: Walks::Guided,
            max_steps: Some(scope.steps),
            walk: WALK,
            time: Some(scope.time),
            quiescence: scope.wait,
            patience: scope.patience,
            // What comes is to be seen before the next input, whatever the adapter says about the order.
            interaction: Some(Interaction::Fair),
            ..Settings::default()
        };
        // Questions and waits end with the time.
        cancellation.end_at(Instant::now().checked_add(scope.time));
        let engine = Engine::new(self.back_end, cancellation);
        let plan = Plan::new(Cover::Random(1));
        let drive = Drive { model, plan: &plan, settings: &settings, engine, cancellation };
        let mut timed = Timed::new(client, 2, may_greet(model));
        let mut records = Vec::new();
        let mut keep = |stamped: &Stamped| records.push(stamped.clone());
        let found = drive.run(&mut timed, &mut Since(Instant::now()), &mut keep);
        let repeat =
            Repeat { model, back_end: self.back_end, wait: scope.wait, patience: scope.patience, time: scope.time / 2 };
        cancellation.end_at(Instant::now().checked_add(repeat.time));
        let again = match found.end {
            End::Interrupted | End::Broken => Again::Nothing,
            // Who hangs would hang again.
            _ if found.waiting.is_some() => Again::Nothing,
            _ => {
                let (client, next) = timed.client();
                let again = repeat.run(&records, client, next);
                client.stop();
                again
            }
        };
        (timed, found, again)
    }
}

/// What the adapter has to do at a reset.
fn how_to_reset(resets: bool, starts: bool) -> &'static str {
    match (resets, starts) {
        (false, true) => "it is restarted for every run, so it must keep its state elsewhere, perhaps in a file",
        (true, true) => {
            "at `reset`, the adapter must bring the system back to its initial state before it answers `ready`; \
             with `\"reset\": false` in its hello, it is restarted for every run instead"
        }
        (_, false) => {
            "at `reset`, the adapter must bring the system back to its initial state before it answers `ready`"
        }
    }
}
