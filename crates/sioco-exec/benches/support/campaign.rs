//! One campaign against a mutant, until it is found out.

use sioco_exec::player::{Manners, Player, Unspecified};
use sioco_exec::record::End;
use sioco_exec::settings::Walks;
use sioco_exec::{NoClock, Settings, Tester, Verdict, drive};
use sioco_model::Model;
use sioco_plan::{Cover, Options, Plan, plan};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

pub fn solvers() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// What a tester does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The plan that covers every switch, again and again with new values (S0).
    Switch {
        /// Whether purposes stop right after a last input.
        strict: bool,
    },
    /// Random walks only.
    Random,
    /// A plan that covers every switch and the sides of guards, then guided walks: what `sioco test` does by itself.
    Auto,
}

pub const PAPER: Strategy = Strategy::Switch { strict: true };
pub const SWITCH: Strategy = Strategy::Switch { strict: false };

impl Strategy {
    pub fn name(self) -> &'static str {
        match self {
            PAPER => "switch, strict",
            Strategy::Switch { .. } => "switch",
            Strategy::Random => "random",
            Strategy::Auto => "auto",
        }
    }

    /// The plan for a model.
    pub fn plan(self, model: &Model) -> Plan {
        let strict = self == PAPER;
        let data = self == Strategy::Auto;
        let options =
            Options { strict, data, steering: false, workers: 1, nodes: 4_000, ..Options::new(Cover::Switch) };
        let mut made = plan(model, &solvers, &options, &mut |_| {}).expect("switches can be covered");
        if self == Strategy::Random {
            made.purposes.clear();
        }
        made
    }
}

/// What a campaign came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// Inputs, outputs and silences up to and with the one that shows the fault, or all.
    pub steps: u64,
    /// Whether the system broke down for good.
    pub broken: bool,
}

impl Trial {
    /// After how many steps the fault was found.
    pub fn found(&self) -> Option<u64> {
        (self.verdict == Some(Verdict::Fail)).then_some(self.steps)
    }
}

/// A campaign of at most so many steps.
pub fn trial(spec: &Model, plan: &Plan, played: &Model, strategy: Strategy, seed: u64, most: u64) -> Trial {
    let manners = Manners { unspecified: Unspecified::Ignore, ..Manners::default() };
    let mut player = Player::new(played).with_manners(manners);
    let walks = match strategy {
        Strategy::Switch { .. } => Walks::None,
        Strategy::Random => Walks::Random,
        Strategy::Auto => Walks::Guided,
    };
    let mut trial = Trial { verdict: None, steps: 0, broken: false };
    for round in 0.. {
        let settings = Settings {
            // Seeds of runs follow each other, those of rounds and campaigns must not meet.
            seed: (seed * 1_000 + round) * 1_000_000,
            walks,
            max_steps: Some(most - trial.steps),
            fail_fast: true,
            ..Settings::default()
        };
        let mut tester = Tester::new(spec, &solvers, plan, settings);
        let summary = drive(&mut tester, &mut player, &mut NoClock, &mut |_| {});
        trial.verdict = trial.verdict.max(summary.verdict);
        trial.steps += summary.steps;
        trial.broken = summary.end == End::Broken;
        let again = matches!(strategy, Strategy::Switch { .. }) && summary.end == End::Done && summary.steps > 0;
        if !again || trial.verdict == Some(Verdict::Fail) || trial.steps >= most {
            break;
        }
    }
    trial
}
