//! One campaign against a mutant, until it is found out.

use sioco_exec::player::{Manners, Player};
use sioco_exec::record::End;
use sioco_exec::settings::Walks;
use sioco_exec::{Driver, NoClock, Settings, Verdict, drive};
use sioco_model::Model;
use sioco_plan::{Cover, Leg, Plan, PlanOptions, Purpose, plan};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;
use sioco_symbolic::step::Step;

pub fn solvers() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// What a tester does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The six purposes of S0 for the Bounded Retransmission Protocol, again and again with new values.
    Paper,
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

pub const STRICT: Strategy = Strategy::Switch { strict: true };
pub const SWITCH: Strategy = Strategy::Switch { strict: false };

impl Strategy {
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Paper => "purposes of S0, strict",
            STRICT => "switch, strict",
            Strategy::Switch { .. } => "switch",
            Strategy::Random => "random",
            Strategy::Auto => "auto",
        }
    }

    /// The plan for a model.
    pub fn plan(self, model: &Model) -> Plan {
        let strict = matches!(self, STRICT | Strategy::Paper);
        let data = self == Strategy::Auto;
        let options =
            PlanOptions { strict, data, steering: false, workers: 1, nodes: 4_000, ..PlanOptions::new(Cover::Switch) };
        let mut made = plan(model, &solvers, &options, &mut |_| {}).expect("switches can be covered");
        match self {
            Strategy::Random => made.purposes.clear(),
            Strategy::Paper => made.purposes = paper_purposes(model),
            Strategy::Switch { .. } | Strategy::Auto => {}
        }
        made
    }
}

/// S0, section 5: six purposes with 18, 14, 8, 4, 2 and 1 inputs and outputs, which stop right after a last input; the
/// longest first. The paper gives their number and their sum, 47; these are the shortest paths to switches that are not yet
/// covered, from the one that is farthest away on.
fn paper_purposes(model: &Model) -> Vec<Purpose> {
    let again = |steps: &str| format!("{steps} ").repeat(5);
    let whole = "request first_frame ack middle_frame ack last_frame";
    let paths = [
        format!("{whole} {} give_up perhaps", again("retransmit last_frame")),
        format!("request first_frame {} give_up not_delivered", again("retransmit first_frame")),
        format!("{whole} last_ack delivered"),
        "request first_frame busy_request busy_nok".into(),
        "idle_ack idle_nok".into(),
        "idle_timeout".into(),
    ];
    let switch = |name: &str| model.switches.iter().find(|(_, s)| s.name == name).expect("a switch of BRP").0;
    paths
        .iter()
        .map(|path| {
            let mut purpose = Purpose::default();
            let last = path.split_whitespace().fold(0, |at, name| {
                let leg = Leg::from(Step::Switch(switch(name)));
                purpose.add(at, leg, None)
            });
            purpose.nodes[last].accept = true;
            purpose
        })
        .collect()
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
    let manners = Manners { waits: 0, ..Manners::default() };
    let mut player = Player::new(played).with_manners(manners);
    let walks = match strategy {
        Strategy::Switch { .. } | Strategy::Paper => Walks::Again,
        Strategy::Random => Walks::Random,
        Strategy::Auto => Walks::Guided,
    };
    // Seeds of runs follow each other; those of campaigns must not meet.
    let seed = seed * 1_000_000_000;
    let settings = Settings { seed, walks, max_steps: Some(most), fail_fast: true, ..Settings::default() };
    let mut tester = Driver::new(spec, &solvers, plan, settings);
    let summary = drive(&mut tester, &mut player, &mut NoClock, &mut |_| {});
    Trial { verdict: summary.verdict, steps: summary.steps, broken: summary.end == End::Broken }
}
