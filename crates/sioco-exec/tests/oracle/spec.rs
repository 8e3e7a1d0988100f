//! Specifications over small ranges of integers, and their text as models of sioco.
//!
//! Nothing is shared with the engine: it gets the text. Whatever is built here is defined everywhere: terms stay within
//! the range of what they are assigned to, by construction.

use std::fmt::Write;

/// The least and the greatest value of a variable or parameter.
pub type Range = (i64, i64);

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    Const(i64),
    /// A variable of the process.
    Var(usize),
    /// The parameter of the switch.
    Param,
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    /// The remainder, never negative.
    Mod(Box<Expr>, i64),
    If(Box<Cond>, Box<Expr>, Box<Expr>),
}

/// How two terms are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    Equal,
    Different,
    Less,
    LessOrEqual,
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cond {
    True,
    Compare(Compare, Expr, Expr),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Not(Box<Cond>),
    /// `else`; only as a whole guard.
    Else,
}

/// What an output carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Carried {
    /// The gate has no parameter.
    Nothing,
    /// This value.
    Term(Expr),
    /// What the system chooses, within the guard.
    Any,
}

/// The label of a switch; gates by their place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    Input(usize),
    Output(usize, Carried),
    /// An internal step, perhaps with a hidden choice.
    Tau(Option<Range>),
    /// Over the channel.
    Send(Expr),
    Receive,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    pub source: usize,
    pub label: Label,
    pub guard: Cond,
    /// New values of variables.
    pub update: Vec<(usize, Expr)>,
    pub target: usize,
}

/// The output that is the end of the system.
pub const CLOSED: &str = "closed";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gate {
    pub name: String,
    /// The range of its parameter, if it has one.
    pub param: Option<Range>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub range: Range,
    /// `None` is free: any value.
    pub initial: Option<i64>,
}

/// A process; it starts in location 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    pub locations: usize,
    pub variables: Vec<Variable>,
    pub switches: Vec<Switch>,
}

/// A specification: one process or several, and the gates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    pub inputs: Vec<Gate>,
    pub outputs: Vec<Gate>,
    /// The range of what the one channel carries.
    pub channel: Range,
    pub processes: Vec<Process>,
}

impl Spec {
    /// The range of the parameter that a switch with this label binds or chooses.
    pub fn param(&self, label: &Label) -> Option<Range> {
        match label {
            Label::Input(g) => self.inputs[*g].param,
            Label::Output(g, Carried::Any) => self.outputs[*g].param,
            Label::Output(..) | Label::Send(_) => None,
            Label::Tau(choice) => *choice,
            Label::Receive => Some(self.channel),
        }
    }

    /// The model as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "{text}").expect("a string takes everything");
        let param = |p: &Option<Range>| p.map_or(String::new(), |(a, b)| format!("(p: Int in {a}..{b})"));
        for g in &self.inputs {
            line(format!("input  {}{}", g.name, param(&g.param)));
        }
        for g in &self.outputs {
            line(format!("output {}{}", g.name, param(&g.param)));
        }
        if self.processes.len() > 1 {
            line(format!("channel c(m: Int in {}..{})", self.channel.0, self.channel.1));
        }
        for (i, process) in self.processes.iter().enumerate() {
            line(format!("process P{i} {{"));
            for (v, variable) in process.variables.iter().enumerate() {
                let (a, b) = variable.range;
                let initial = variable.initial.map_or("any".into(), |n| n.to_string());
                line(format!("  var {}: Int in {a}..{b} = {initial}", VARIABLES[v]));
            }
            for l in 0..process.locations {
                line(format!("  {} l{l} {{", if l == 0 { "init" } else { "state" }));
                for switch in process.switches.iter().filter(|s| s.source == l) {
                    line(format!("    {}", self.switch(switch)));
                }
                line("  }".into());
            }
            line("}".into());
        }
        if self.processes.len() > 1 {
            let names: Vec<String> = (0..self.processes.len()).map(|i| format!("P{i}")).collect();
            line(format!("system S = {}", names.join(" || ")));
        }
        out
    }

    fn switch(&self, switch: &Switch) -> String {
        let mut text = match &switch.label {
            Label::Input(g) => {
                let gate = &self.inputs[*g];
                format!("?{}{}", gate.name, if gate.param.is_some() { "(p)" } else { "" })
            }
            Label::Output(g, carried) => {
                let carried = match carried {
                    Carried::Nothing => String::new(),
                    Carried::Term(e) => format!("({})", term(e)),
                    Carried::Any => "(any p)".into(),
                };
                format!("!{}{carried}", self.outputs[*g].name)
            }
            Label::Tau(None) => "tau".into(),
            Label::Tau(Some((a, b))) => format!("tau any p: Int in {a}..{b}"),
            Label::Send(e) => format!("send c({})", term(e)),
            Label::Receive => "recv c(p)".into(),
        };
        if switch.guard != Cond::True {
            text.push_str(&format!(" [{}]", condition(&switch.guard)));
        }
        for (i, (v, e)) in switch.update.iter().enumerate() {
            text.push_str(&format!("{} {} := {}", if i == 0 { " /" } else { "," }, VARIABLES[*v], term(e)));
        }
        text.push_str(&format!(" -> l{}", switch.target));
        text
    }
}

const VARIABLES: [&str; 3] = ["x", "y", "z"];

fn term(e: &Expr) -> String {
    match e {
        Expr::Const(n) if *n < 0 => format!("({n})"),
        Expr::Const(n) => n.to_string(),
        Expr::Var(v) => VARIABLES[*v].into(),
        Expr::Param => "p".into(),
        Expr::Add(a, b) => format!("({} + {})", term(a), term(b)),
        Expr::Sub(a, b) => format!("({} - {})", term(a), term(b)),
        Expr::Mod(a, n) => format!("({} mod {n})", term(a)),
        Expr::If(c, a, b) => format!("(if {} then {} else {})", condition(c), term(a), term(b)),
    }
}

fn condition(c: &Cond) -> String {
    match c {
        Cond::True => "true".into(),
        Cond::Compare(how, a, b) => {
            let how = match how {
                Compare::Equal => "==",
                Compare::Different => "!=",
                Compare::Less => "<",
                Compare::LessOrEqual => "<=",
            };
            format!("{} {how} {}", term(a), term(b))
        }
        Cond::And(a, b) => format!("({} && {})", condition(a), condition(b)),
        Cond::Or(a, b) => format!("({} || {})", condition(a), condition(b)),
        Cond::Not(a) => format!("!({})", condition(a)),
        Cond::Else => "else".into(),
    }
}
