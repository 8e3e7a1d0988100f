//! Test purposes: finite subtrees of the symbolic execution with accepts as leaves (T-P1; S3 definition 13). A path (S0
//! definition 16) is one without branches.

use sioco_model::model::{Direction, Model};
use sioco_model::{Id, SwitchId, Value};
use sioco_solve::Reason;
use sioco_symbolic::step::Step;

use crate::event::Event;
use crate::want::Want;

/// A step of a purpose, with what it asks for besides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leg {
    /// The step.
    pub step: Step,
    /// Conditions on the values before the step and on its arguments, all of which are to hold.
    pub wants: Wants,
}

/// What a leg asks for besides its step: mostly nothing, and there may be millions of legs.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[allow(clippy::box_collection, reason = "one word where there is nothing, instead of three")]
pub struct Wants(Option<Box<Vec<Want>>>);

impl Wants {
    /// More of them.
    pub fn extend(&mut self, wants: impl IntoIterator<Item = Want>) {
        *self = std::mem::take(self).0.into_iter().flat_map(|own| *own).chain(wants).collect();
    }
}

impl FromIterator<Want> for Wants {
    fn from_iter<I: IntoIterator<Item = Want>>(wants: I) -> Self {
        let wants: Vec<Want> = wants.into_iter().collect();
        Wants((!wants.is_empty()).then(|| Box::new(wants)))
    }
}

impl std::ops::Deref for Wants {
    type Target = [Want];

    fn deref(&self) -> &[Want] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl Leg {
    /// The values that its step is to have, if it asks for some.
    pub fn values(&self) -> Option<&[Value]> {
        self.wants.iter().find_map(|w| match w {
            Want::Values(values) => Some(&values[..]),
            _ => None,
        })
    }
}

impl From<Step> for Leg {
    fn from(step: Step) -> Self {
        Leg { step, wants: Wants::default() }
    }
}

/// A node of a purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Where it comes from; the initial state has none.
    pub parent: Option<usize>,
    /// How; nothing for the initial state.
    pub leg: Option<Leg>,
    /// Whether the purpose is reached here (T-P2).
    pub accept: bool,
    /// Whether it is one of several answers to the last stimulus: the system chooses, so it covers nothing beforehand.
    pub answer: bool,
    /// Why the step to this node is only perhaps possible, if it is.
    pub doubt: Option<Box<Reason>>,
}

sioco_model::ids! {
    /// A purpose of a plan, by its place in it.
    PurposeId "purpose";
}

impl PurposeId {
    /// Its number for people, who count from 1.
    pub fn number(self) -> usize {
        self.index() + 1
    }
}

/// A purpose: node 0 is the initial state, and parents come before their children. A node that is no accept has an
/// accept below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Purpose {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The goals that it is there for, by their place in the plan.
    pub goals: Vec<usize>,
    /// Values that lead to it, where they were found beforehand (S1: the test case of a trace): those of all parameters of
    /// the steps that can be observed, one after the other, up to the last of them that the tester decides about.
    pub test: Option<Box<[Value]>>,
    /// Inputs that are sent after it was reached although the specification does not define them (S2 definition 19, case
    /// 3): what the system does then is told, and not judged.
    pub probe: Vec<Event>,
}

impl Default for Purpose {
    fn default() -> Self {
        let root = Node { parent: None, leg: None, accept: false, answer: false, doubt: None };
        Purpose { nodes: vec![root], goals: Vec::new(), test: None, probe: Vec::new() }
    }
}

impl Purpose {
    /// Whether it says which values inputs have.
    pub fn has_values(&self) -> bool {
        !self.probe.is_empty() || self.nodes.iter().any(|n| n.leg.as_ref().is_some_and(|leg| leg.values().is_some()))
    }

    /// Whether there is nothing to reach before its probe: then there is nothing to judge.
    pub fn is_only_probe(&self) -> bool {
        self.nodes.len() == 1 && !self.probe.is_empty()
    }

    /// Adds a node.
    pub fn add(&mut self, parent: usize, leg: Leg, doubt: Option<Reason>) -> usize {
        self.nodes.push(Node {
            parent: Some(parent),
            leg: Some(leg),
            accept: false,
            answer: false,
            doubt: doubt.map(Box::new),
        });
        self.nodes.len() - 1
    }

    /// The child of a node with this step and these wants; a new one if there is none.
    pub fn child(&mut self, parent: usize, leg: &Leg, doubt: Option<Reason>) -> usize {
        let known = self.children(parent).find(|c| self.nodes[*c].leg.as_ref() == Some(leg));
        known.unwrap_or_else(|| self.add(parent, leg.clone(), doubt))
    }

    /// The children of a node, in order.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (node + 1..self.nodes.len()).filter(move |c| self.nodes[*c].parent == Some(node))
    }

    /// The legs from the initial state to a node.
    pub fn line(&self, node: usize) -> Vec<&Leg> {
        let mut legs = Vec::new();
        let mut at = Some(node);
        while let Some(n) = at {
            legs.extend(&self.nodes[n].leg);
            at = self.nodes[n].parent;
        }
        legs.reverse();
        legs
    }

    /// The accepting nodes.
    pub fn accepts(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|n| self.nodes[*n].accept)
    }

    /// The switches that are taken on the way to the accepts; of answers that the system chooses between, none.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> + '_ {
        let legs = self.nodes.iter().filter(|n| !n.answer).filter_map(|n| n.leg.as_ref());
        legs.flat_map(|leg| leg.step.switches())
    }

    /// The greatest number of observable steps to an accept.
    pub fn length(&self, model: &Model) -> usize {
        let mut lengths = vec![0; self.nodes.len()];
        for (i, n) in self.nodes.iter().enumerate() {
            if let (Some(p), Some(leg)) = (n.parent, &n.leg) {
                lengths[i] = lengths[p] + usize::from(leg.step.is_observable(model));
            }
        }
        self.accepts().map(|n| lengths[n]).max().unwrap_or(0)
    }

    /// How many inputs, and how many outputs and silences, the longest way to an accept has.
    pub fn inputs_and_outputs(&self, model: &Model) -> (usize, usize) {
        let Some(longest) = self.accepts().max_by_key(|n| (self.line(*n).len(), usize::MAX - *n)) else {
            return (0, 0);
        };
        let line = self.line(longest);
        let observable = line.iter().filter(|l| l.step.is_observable(model)).count();
        let input = |l: &&&Leg| l.step.switches().any(|s| model.direction(s) == Some(Direction::Input));
        let inputs = line.iter().filter(input).count();
        (inputs, observable - inputs)
    }

    /// Whether some way to an accept is only perhaps possible.
    pub fn rests_on_unknown(&self) -> bool {
        self.nodes.iter().any(|n| n.doubt.is_some())
    }

    /// One purpose per accept (S3, after definition 18).
    pub fn split(&self) -> Vec<Purpose> {
        let one = |accept: usize| {
            let mut purpose = Purpose { goals: self.goals.clone(), probe: self.probe.clone(), ..Purpose::default() };
            let mut ways = Vec::new();
            let mut up = Some(accept);
            while let Some(n) = up {
                ways.push(n);
                up = self.nodes[n].parent;
            }
            let mut at = 0;
            for n in ways.into_iter().rev() {
                if let Some(leg) = &self.nodes[n].leg {
                    at = purpose.add(at, leg.clone(), self.nodes[n].doubt.as_deref().cloned());
                    purpose.nodes[at].answer = self.nodes[n].answer;
                }
            }
            purpose.nodes[at].accept = true;
            purpose
        };
        self.accepts().map(one).collect()
    }
}
