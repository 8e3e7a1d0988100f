//! What is wrong or odd about a model, found on its symbolic execution graph.
//!
//! - [`switches`]: which switches are taken, and which never;
//! - `states`: the walk over the states, which asks in each about deadlocks, nondeterminism, input gaps and model
//!   errors, a file for each;
//! - [`divergence`]: internal steps without end;
//! - [`control`]: whether a tester can steer the model whatever the initial values are.
//!
//! Answers stay three-valued. What was found has a [`Witness`]; what is proved says so; what a solver left open is
//! reported as such and never claimed. The graph follows every edge that is not impossible, so it has at least the
//! states that can be reached: where it is complete, what it does not have does not exist.

pub mod control;
mod deadlock;
pub mod divergence;
mod errors;
mod gaps;
mod loops;
mod nondeterminism;
mod pairs;
pub(crate) mod question;
mod states;
pub mod switches;
mod unfold;
pub mod witness;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sioco_model::semantics::StepError;
use sioco_model::semantics::interpreter::Part;
use sioco_model::{GateId, LocationId, Model, SwitchId};
use sioco_solve::{Limits, Reason};

pub use self::control::Control;
pub use self::switches::Reached;
pub use self::witness::Witness;
use crate::explore::{Cursor, Exploration, ExploreProgress, Explorer, Merge, Stop};
use crate::graph::NodeId;
use crate::path::{Path, Possible, Shortcuts, SolverFactory};
use crate::reach::Clash;
use crate::step::Step;

/// What a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A value is undefined or outside its range where it is needed.
    ModelError,
    /// Nothing can happen, though not all processes are at a final location.
    Deadlock,
    /// An output whose values the system chooses, and no value will do.
    UnsatisfiableOutput,
    /// A switch that is never taken.
    Unreachable,
    /// Two switches with the same label and values.
    Nondeterminism,
    /// Internal steps without end.
    Divergence,
    /// An input that is not specified.
    InputGap,
}

impl Kind {
    /// All kinds, the most serious first.
    pub const ALL: [Kind; 7] = [
        Kind::ModelError,
        Kind::Deadlock,
        Kind::UnsatisfiableOutput,
        Kind::Unreachable,
        Kind::Nondeterminism,
        Kind::Divergence,
        Kind::InputGap,
    ];

    /// Its name on command lines and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::ModelError => "model-error",
            Kind::Deadlock => "deadlock",
            Kind::UnsatisfiableOutput => "unsatisfiable-output",
            Kind::Unreachable => "unreachable",
            Kind::Nondeterminism => "nondeterminism",
            Kind::Divergence => "divergence",
            Kind::InputGap => "input-gap",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The model has a defect.
    Error,
    /// Probably not meant, or not found out.
    Warning,
    /// Good to know.
    Information,
}

/// What is known about a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// There is a witness.
    Shown,
    /// It holds of all states that can be reached.
    Proved,
    /// As far as was looked.
    Bounded,
    /// A solver left it open.
    Undecided(Reason),
}

/// Why a switch is not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WhyNot {
    /// Its own conditions contradict each other, whatever the state is.
    Contradiction(Vec<Clash>),
    /// No path of locations leads to its source, or to that of a partner.
    NoWay,
    /// Its source is never reached, since nothing that leads there can be taken.
    SourceNotReached,
    /// It is not enabled in any of the states at its source; the conditions that clash in the first of them, at the
    /// end of this path.
    NeverEnabled {
        /// How many symbolic states there are.
        states: usize,
        /// The way to the first of them.
        path: Vec<Step>,
        /// The conditions.
        clash: Vec<Clash>,
    },
    /// No other process ever offers the channel at the same time.
    NoPartner,
    /// The exploration was cut.
    Cut(Stop),
    /// It is reached only over steps that a solver left open.
    Doubt,
}

/// The details of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A switch is not taken.
    NotTaken {
        /// The switch.
        switch: SwitchId,
        /// Why.
        why: WhyNot,
    },
    /// Nothing can happen here.
    Deadlock {
        /// Where the processes are.
        locations: Vec<LocationId>,
    },
    /// Both switches are enabled for the values of the witness.
    Overlap {
        /// The one written first.
        first: SwitchId,
        /// The other.
        second: SwitchId,
    },
    /// These internal steps can be repeated for ever, or go on as far as was looked.
    Divergence {
        /// Where the processes are when it begins.
        locations: Vec<LocationId>,
        /// The steps of one round; of a path that keeps making new states, the last ones.
        cycle: Vec<Step>,
        /// Whether it certainly has no end.
        endless: bool,
    },
    /// No switch of these input gates leaves the locations.
    NoInput {
        /// Where the processes are.
        locations: Vec<LocationId>,
        /// The gates.
        gates: Vec<GateId>,
    },
    /// No switch of the gate is enabled for the values of the witness.
    InputGap {
        /// Where the processes are.
        locations: Vec<LocationId>,
        /// The gate.
        gate: GateId,
        /// Its switches there.
        switches: Vec<SwitchId>,
    },
    /// A value is undefined or outside its range.
    Undefined {
        /// The switch.
        switch: SwitchId,
        /// Which value.
        part: Part,
        /// The step that is being taken.
        step: Step,
    },
}

/// Something that was found, or that could not be found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What it is about.
    pub kind: Kind,
    /// What is known.
    pub status: Status,
    /// The details.
    pub what: What,
    /// A path that shows it; for what is undecided, a path to where the question arose.
    pub witness: Option<Witness>,
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        let error = matches!(self.status, Status::Shown | Status::Proved);
        match self.kind {
            Kind::InputGap => Severity::Information,
            Kind::Nondeterminism | Kind::Divergence => Severity::Warning,
            Kind::Unreachable | Kind::UnsatisfiableOutput if self.status == Status::Bounded => Severity::Information,
            _ if error => Severity::Error,
            _ => Severity::Warning,
        }
    }

    /// The switches that it is about.
    pub fn switches(&self) -> Vec<SwitchId> {
        match &self.what {
            What::NotTaken { switch, .. } | What::Undefined { switch, .. } => vec![*switch],
            What::Overlap { first, second } => vec![*first, *second],
            What::Divergence { cycle, .. } => cycle.iter().flat_map(|s| s.switches()).collect(),
            What::InputGap { switches, .. } => switches.clone(),
            What::Deadlock { .. } | What::NoInput { .. } => Vec::new(),
        }
    }

    /// The locations that it is about.
    pub fn locations(&self) -> &[LocationId] {
        match &self.what {
            What::Deadlock { locations }
            | What::Divergence { locations, .. }
            | What::NoInput { locations, .. }
            | What::InputGap { locations, .. } => locations,
            _ => &[],
        }
    }
}

/// Whether a model is deterministic: whether what was observed always tells which state it is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Determinism {
    /// In all states that can be reached, no two steps compete, and no internal step has a choice of its own.
    Proved,
    /// Some do.
    No,
    /// As far as was looked, no two steps compete.
    NotFound,
    /// A solver left it open.
    Undecided,
    /// The guard of this switch is undefined in some state where another step competes: a model error.
    Undefined(SwitchId),
}

/// What is looked for, and how far.
#[derive(Clone, Debug)]
pub struct AnalysisOptions {
    /// The kinds to look for.
    pub kinds: Vec<Kind>,
    /// The greatest number of steps on a path.
    pub depth: Option<usize>,
    /// The greatest number of nodes of the graph.
    pub nodes: usize,
    /// So many internal steps in a row, each to a new state, are a possible divergence.
    pub internal: usize,
    /// How many workers explore.
    pub workers: usize,
    /// Set from outside when the exploration has taken long enough: what it has is then analysed.
    pub enough: Option<Arc<AtomicBool>>,
    /// The limits of each question to a solver; its `cancel` ends the analysis with what was found.
    pub limits: Limits,
}

impl Default for AnalysisOptions {
    fn default() -> Self {
        let explore = crate::explore::ExploreOptions::default();
        AnalysisOptions {
            kinds: Kind::ALL.to_vec(),
            depth: None,
            nodes: 20_000,
            internal: 100,
            workers: explore.workers,
            enough: None,
            limits: Limits::default(),
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The findings, the most serious first, then by kind and by place in the model.
    pub findings: Vec<Finding>,
    /// What is known about each switch, by id; empty if nobody asked.
    pub switches: Vec<Reached>,
    /// Whether the model is deterministic; nothing if nobody asked.
    pub determinism: Option<Determinism>,
    /// Pairs of steps that the system chooses between by itself, an internal one among them; and internal steps that lead
    /// to different states by values that nobody sees.
    pub internal_choices: usize,
    /// Whether a tester can steer the model whatever the initial values are; nothing if nobody asked.
    pub control: Option<Control>,
    /// The graph on which all this was found.
    pub exploration: Exploration,
    /// Whether it was given up before the end.
    pub cancelled: bool,
    /// Whether that was because of the time, and nobody interrupted it; who sets limits says so.
    pub late: bool,
}

impl Analysis {
    /// Whether the graph has every state that can be reached.
    pub fn complete(&self) -> bool {
        self.exploration.stop == Stop::Complete && !self.cancelled
    }
}

/// Analyses a model.
pub fn analyze(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &AnalysisOptions,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Analysis {
    let explore = crate::explore::ExploreOptions {
        merge: Merge::Included,
        depth: options.depth,
        nodes: options.nodes,
        workers: options.workers,
        limits: options.limits.until(options.enough.as_ref()),
        ..Default::default()
    };
    let exploration = Explorer::new(model, solvers, explore).run(progress);
    examine(model, solvers, options, exploration)
}

/// Analyses a model on a graph that is there already; its limits are those of the graph.
pub fn examine(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &AnalysisOptions,
    exploration: Exploration,
) -> Analysis {
    let mut path = Path::with(model, solvers, Shortcuts::default(), options.limits.clone());
    path.record();
    let mut cursor = Cursor::new(path);
    let wants = |kind: Kind| options.kinds.contains(&kind);
    let mut findings = Vec::new();
    let places = states::Places::new(model, &exploration.graph);
    let walked = states::walk(&exploration, usize::MAX, &places, &mut cursor, options, &mut findings);
    let mut reached = Vec::new();
    if wants(Kind::Unreachable) || wants(Kind::UnsatisfiableOutput) {
        reached = switches::look(model, &exploration, &places, &mut cursor, options, &mut findings);
    }
    if wants(Kind::Divergence) {
        divergence::look(model, &exploration, &places, &mut cursor, options, &mut findings);
    }
    let control = wants(Kind::Nondeterminism).then(|| control::look(model, &exploration, &mut cursor, options));
    let cancelled = options.limits.cancelled();
    findings.sort_by_key(|f| (f.severity(), f.kind, f.switches().first().copied(), f.locations().to_vec()));
    let cut = cancelled || exploration.stop != Stop::Complete;
    Analysis {
        findings,
        switches: reached,
        determinism: wants(Kind::Nondeterminism).then(|| walked.determinism(cut)),
        internal_choices: walked.internal_choices,
        control,
        exploration,
        cancelled,
        late: false,
    }
}

/// See [`model_errors`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelErrors {
    /// The switches.
    pub switches: Vec<SwitchId>,
    /// Whether somebody gave up before all of these nodes were looked at: there may be more.
    pub cut: bool,
}

/// The switches that make a model error in one of the first nodes of a graph, in their order. A small part of an
/// analysis, for those who only want to know whether to ask for one: what is left open is not told.
pub fn model_errors(
    model: &Model,
    exploration: &Exploration,
    nodes: usize,
    solvers: SolverFactory<'_>,
    limits: &Limits,
) -> ModelErrors {
    let options =
        AnalysisOptions { kinds: vec![Kind::ModelError], limits: limits.clone(), ..AnalysisOptions::default() };
    let mut path = Path::with(model, solvers, Shortcuts::default(), limits.clone());
    path.record();
    let mut cursor = Cursor::new(path);
    let mut findings = Vec::new();
    // However large the graph is: whoever interrupted its exploration does not wait long.
    let last = kept(&exploration.graph).take(nodes).last().unwrap_or(exploration.graph.root());
    let places = states::Places::up_to(model, &exploration.graph, last);
    states::walk(exploration, nodes, &places, &mut cursor, &options, &mut findings);
    findings.retain(|f| f.status == Status::Shown);
    let mut found: Vec<SwitchId> = findings.iter().flat_map(Finding::switches).collect();
    found.sort_unstable();
    found.dedup();
    ModelErrors { switches: found, cut: limits.cancelled() }
}

/// The model error that a step can be at the end of a recorded path that can be taken, on values that show it.
pub fn error_of_step(path: &mut Path<'_>, step: Step) -> Option<StepError> {
    let model = path.model();
    let questions = errors::questions(path, step);
    questions.iter().find_map(|(_, question)| {
        let is_one = question.ask(path, false) == Possible::Yes;
        is_one.then(|| question.witness(path).ok()?.undefined(model, step)).flatten()
    })
}

/// The nodes that stand for all others: those that are not included in another.
fn kept(graph: &crate::graph::Graph) -> impl Iterator<Item = NodeId> + '_ {
    graph.ids().filter(|n| graph.included_in(*n).is_none())
}
