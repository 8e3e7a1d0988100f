//! Models in the oracle's own terms. Nothing here comes from the engine, which sees only the [text](mod@print).

pub mod print;
pub mod sort;
pub mod term;
pub mod walk;

pub use sort::{Constructor, Sort, Type, Val};
pub use term::{Arm, Compare, Term};

/// A variable of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its sort.
    pub sort: Sort,
    /// Its value at the start; without one it is free: any value.
    pub initial: Option<Val>,
}

/// A named, typed interaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// The sorts of its parameters; they are called `p0`, `p1` and so on.
    pub params: Vec<Sort>,
}

/// What an output carries at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Carried {
    /// This value.
    Term(Term),
    /// What the system chooses: the parameter of the switch with this number.
    Any(usize),
}

/// The label of a switch; gates and channels by their place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    /// An input: the parameters of the switch are those of the gate.
    Input(usize),
    /// An output.
    Output(usize, Vec<Carried>),
    /// An internal step, with hidden choices of these sorts.
    Tau(Vec<Sort>),
    /// One side of a handshake, which sends these values.
    Send(usize, Vec<Term>),
    /// The other side: the parameters of the switch are those of the channel.
    Receive(usize),
}

/// A guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// All of these hold; they are read from left to right, as far as needed.
    All(Vec<Term>),
    /// No other switch of its group can be taken.
    Else,
}

/// A switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// The location that it leaves.
    pub source: usize,
    /// What is done.
    pub label: Label,
    /// When.
    pub guard: Guard,
    /// New values of variables, at most one for each.
    pub update: Vec<(usize, Term)>,
    /// The location that it enters.
    pub target: usize,
}

/// A process; it starts in location 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// How many locations it has.
    pub locations: usize,
    /// Those where ending is no deadlock.
    pub finals: Vec<usize>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Its switches, in the order of the text: by location.
    pub switches: Vec<Switch>,
}

/// A model: one process, or several in parallel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spec {
    /// Declared types.
    pub types: Vec<Type>,
    /// Inputs.
    pub inputs: Vec<Gate>,
    /// Outputs; `closed` and `crashed` are among them if they are declared.
    pub outputs: Vec<Gate>,
    /// Channels.
    pub channels: Vec<Gate>,
    /// Processes.
    pub processes: Vec<Process>,
    /// Integers and texts without bounds that a log has: they have to be tried, too. Not a part of the model.
    pub seen: Vec<Val>,
}

/// The output that is the orderly end of the system.
pub const CLOSED: &str = "closed";
/// The output that is its abnormal end.
pub const CRASHED: &str = "crashed";

impl Spec {
    /// The sorts of the parameters that a switch with this label binds or chooses.
    pub fn params(&self, label: &Label) -> Vec<Sort> {
        match label {
            Label::Input(g) => self.inputs[*g].params.clone(),
            Label::Output(g, carried) => {
                let mut sorts = Vec::new();
                for (place, carried) in carried.iter().enumerate() {
                    if let Carried::Any(_) = carried {
                        sorts.push(self.outputs[*g].params[place].clone());
                    }
                }
                sorts
            }
            Label::Tau(sorts) => sorts.clone(),
            Label::Send(..) => Vec::new(),
            Label::Receive(c) => self.channels[*c].params.clone(),
        }
    }

    /// The same model, to be held against logs with these lines.
    pub fn with_values_of<'l>(&self, lines: impl IntoIterator<Item = &'l Line>) -> Spec {
        let mut spec = self.clone();
        for line in lines {
            let (event, gate) = match line {
                Line::Input(event) => (event, &self.inputs[event.gate]),
                Line::Output(event) => (event, &self.outputs[event.gate]),
                _ => continue,
            };
            for (value, sort) in event.args.iter().zip(&gate.params) {
                let usual = match (value, sort) {
                    (Val::Int(n), Sort::Wide) => (sort::WIDE.0..=sort::WIDE.1).contains(n),
                    (Val::Text(text), Sort::Text) => sort::TEXTS.contains(&text.as_str()),
                    _ => true,
                };
                if !usual && !spec.seen.contains(value) {
                    spec.seen.push(value.clone());
                }
            }
        }
        spec
    }

    /// The place of the output with this name.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|g| g.name == name)
    }
}

/// A gate with values: what is sent or seen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Event {
    /// The place of the gate among the inputs or the outputs.
    pub gate: usize,
    /// One value per parameter.
    pub args: Vec<Val>,
}

/// A line of a log.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Line {
    /// The tester sent an input.
    Input(Event),
    /// The system gave an output, `closed` and `crashed` apart.
    Output(Event),
    /// Silence by the clock.
    Delta,
    /// Silence that the adapter announced.
    Announced,
    /// The system ended in order.
    Closed,
    /// The system crashed.
    Crashed,
    /// Values that do not fit the output gate.
    Malformed(usize),
}

/// What the order of the lines means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// As the system took and gave.
    Sut,
    /// As the tester sent and received.
    Sent,
    /// As [`Order::Sut`]; nobody has to promise it.
    Certain,
}
