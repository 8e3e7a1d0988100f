//! Questions about symbolic paths in words: what they say, and whether they can be taken.

#[path = "../../../sioco-symbolic/tests/support/scripted.rs"]
#[allow(dead_code)]
pub mod scripted;

use sioco_model::Value;
use sioco_solve::back_end::BackEnd;
use sioco_solve::values::{Bounds, Choice};
use sioco_symbolic::{
    Exploration, ExploreOptions, Graph, NodeId, Origin, Path, Reach, SolverFactory, Step, explore, named_steps, reach,
};

use crate::semantics::World;

/// The built-in solver, which is always there.
pub fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// Z3, for real numbers and for what has many cases.
pub fn z3() -> Box<dyn Bounds> {
    Box::new(BackEnd::Z3.chain())
}

/// Whether there is a Z3; if not, the test says what it leaves out.
pub fn has_z3(what: &str) -> bool {
    let found = BackEnd::Z3.open().is_ok();
    if !found {
        eprintln!("skipped: {what}: there is no Z3 here");
    }
    found
}

/// A symbolic state, as text.
pub struct Symbolic {
    /// The locations, such as `a0,b1`.
    pub at: String,
    /// What the guards on the path say, such as `p#1 >= 1 && p#1 <= 10`, or `true`.
    pub condition: String,
    /// The conditions that values are defined and in their ranges.
    pub defined: String,
    /// The variables with their values.
    pub values: Vec<String>,
    /// The parameters of every step.
    pub args: Vec<String>,
}

impl World {
    /// The steps with these names.
    pub fn steps(&self, names: &str) -> Vec<Step> {
        named_steps(self.model, &words(names)).unwrap_or_else(|e| panic!("{names}: {e}"))
    }

    /// The state at the end of a path, whether it can be taken or not.
    pub fn walk(&self, steps: &[Step]) -> Symbolic {
        let mut path = Path::new(self.model, &builtin);
        path.record();
        for step in steps {
            path.advance(*step);
        }
        let locations: Vec<_> = path.locations().iter().map(|l| self.model.locations[*l].name.clone()).collect();
        let conditions = path.written_out();
        let shown = |defined: bool| {
            let wanted = conditions.iter().filter(|c| matches!(c.origin, Origin::Defined(..)) == defined);
            let texts: Vec<_> = wanted.map(|c| path.show(c.term)).collect();
            if texts.is_empty() { "true".into() } else { texts.join(" && ") }
        };
        let (condition, defined) = (shown(false), shown(true));
        let values = path.state();
        let values = values.iter().map(|(v, t)| format!("{} = {}", self.model.variables[*v].name, path.show(*t)));
        let values = values.collect();
        let args = (0..steps.len()).map(|i| {
            let args = path.shown_args(i);
            args.iter().map(|t| path.show(*t)).collect::<Vec<_>>().join(", ")
        });
        let args = args.collect();
        Symbolic { at: locations.join(","), condition, defined, values, args }
    }

    /// Whether a path can be taken.
    pub fn reach(&self, steps: &[Step], choice: Choice) -> Reach {
        reach(&mut Path::new(self.model, &builtin), steps, choice)
    }

    /// The values with which a path can be taken; none, if that is impossible.
    pub fn values_for(&self, steps: &[Step], choice: Choice) -> Option<Vec<Vec<Value>>> {
        match self.reach(steps, choice) {
            Reach::Reachable(solved) => Some(solved.steps.into_iter().map(|(_, values)| values).collect()),
            Reach::Impossible { .. } => None,
            Reach::Unknown { reason, .. } => panic!("unknown: {reason:?}"),
        }
    }

    /// The step at which a path becomes impossible, and the conditions that clash there.
    pub fn clash(&self, names: &str) -> (usize, Vec<String>) {
        match self.reach(&self.steps(names), Choice::Min) {
            Reach::Impossible { at, clash } => (at, clash.into_iter().map(|c| c.text).collect()),
            other => panic!("{names}: {other:?}"),
        }
    }

    /// The symbolic execution graph.
    pub fn explore(&self, solvers: SolverFactory<'_>, options: &ExploreOptions) -> Exploration {
        explore(self.model, solvers, options, &mut |_| {})
    }

    /// The names of the steps to a node.
    pub fn path_to(&self, graph: &Graph, node: NodeId) -> String {
        graph.path(node).iter().map(|s| s.name(self.model)).collect::<Vec<_>>().join(" ")
    }
}

fn words(names: &str) -> Vec<&str> {
    names.split_whitespace().collect()
}
