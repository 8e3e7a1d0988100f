//! What can happen next: a switch, a handshake of two, or silence.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::{Id, LocationId, SwitchId};

/// A step of symbolic execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Step {
    /// One process takes a switch at a gate, or an internal one.
    Switch(SwitchId),
    /// Two processes take a send and a receive together (S4 section 2.1).
    Handshake {
        /// The sending switch.
        send: SwitchId,
        /// The receiving switch.
        receive: SwitchId,
    },
    /// Nothing can be observed (S3 definition 4: enrichment by quiescence).
    Delta,
    /// Nothing is observed since internal steps go on for ever, over states without outputs (T-L8). To
    /// the outside it is the same silence.
    Divergence,
}

impl Step {
    /// The switches that are taken: none, one or two.
    pub fn switches(self) -> impl Iterator<Item = SwitchId> {
        let (a, b) = match self {
            Step::Switch(s) => (Some(s), None),
            Step::Handshake { send, receive } => (Some(send), Some(receive)),
            Step::Delta | Step::Divergence => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Whether the outside sees it: switches at gates, and silence.
    pub fn is_observable(self, model: &Model) -> bool {
        match self {
            Step::Switch(s) => matches!(model.switches[s].label, Label::Gate(_)),
            Step::Handshake { .. } => false,
            Step::Delta | Step::Divergence => true,
        }
    }

    /// Whether the system does it by itself: outputs and internal steps.
    pub fn is_own(self, model: &Model) -> bool {
        match self {
            Step::Switch(s) => model.direction(s) != Some(Direction::Input),
            Step::Handshake { .. } => true,
            Step::Delta | Step::Divergence => false,
        }
    }

    /// Its name for people: the switch, `send/receive`, or `delta`.
    pub fn name(self, model: &Model) -> String {
        match self {
            Step::Switch(s) => model.switches[s].name.clone(),
            Step::Handshake { send, receive } => {
                format!("{}/{}", model.switches[send].name, model.switches[receive].name)
            }
            Step::Delta | Step::Divergence => "delta".into(),
        }
    }

    /// Whether it is silence, for whatever reason.
    pub fn is_silence(self) -> bool {
        matches!(self, Step::Delta | Step::Divergence)
    }
}

/// The switches that leave each location, by what they do; in the order written.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// Gates and internal ones.
    alone: Vec<Vec<SwitchId>>,
    sends: Vec<Vec<SwitchId>>,
    receives: Vec<Vec<SwitchId>>,
}

impl Outgoing {
    pub(crate) fn new(model: &Model) -> Self {
        let none = || vec![Vec::new(); model.locations.len()];
        let mut out = Outgoing { alone: none(), sends: none(), receives: none() };
        for (location, l) in model.locations.iter() {
            for &switch in &l.outgoing {
                let list = match model.switches[switch].label {
                    Label::Gate(_) | Label::Internal => &mut out.alone,
                    Label::Send(_) => &mut out.sends,
                    Label::Receive(_) => &mut out.receives,
                };
                list[location.index()].push(switch);
            }
        }
        out
    }

    /// The steps that leave the locations, enabled or not: process by process, then the handshakes. Silence is not
    /// among them.
    pub(crate) fn steps(&self, model: &Model, locations: &[LocationId], steps: &mut Vec<Step>) {
        steps.clear();
        for location in locations {
            steps.extend(self.alone[location.index()].iter().map(|s| Step::Switch(*s)));
        }
        if locations.len() == 1 {
            return;
        }
        for (p, location) in locations.iter().enumerate() {
            for &send in &self.sends[location.index()] {
                let Label::Send(channel) = model.switches[send].label else { continue };
                for (q, partner) in locations.iter().enumerate() {
                    let fits = |r: &&SwitchId| model.switches[**r].label == Label::Receive(channel);
                    if p != q {
                        let partners = self.receives[partner.index()].iter().filter(fits);
                        steps.extend(partners.map(|r| Step::Handshake { send, receive: *r }));
                    }
                }
            }
        }
    }
}
