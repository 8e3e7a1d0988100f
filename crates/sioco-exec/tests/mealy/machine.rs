//! Models that answer every input with one output (S2 definition 1), with variables besides, as in S2's prepaid card.

use std::fmt::Write;

/// From and to.
pub type Range = (i64, i64);

/// A sum of multiples of parameters and variables, and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Affine {
    pub constant: i64,
    pub params: Vec<i64>,
    pub variables: Vec<i64>,
}

/// How a sum is compared with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    AtMost,
    Less,
    Equal,
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cond {
    Always,
    Atom(Affine, Compare),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Not(Box<Cond>),
}

/// What an input may lead to: new values, then an output, whose values are over the new ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub cond: Cond,
    pub update: Vec<(usize, Affine)>,
    pub output: usize,
    pub args: Vec<Affine>,
    pub target: usize,
}

/// What follows an input at a location.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// The first case whose condition holds is taken; if there is none, the input is not defined.
    pub cases: Vec<Case>,
    /// Every case whose condition holds may be taken: the system chooses.
    pub any: bool,
    /// Whether the cases are told apart by internal switches after the input. Then the last of them has no condition.
    pub internal: bool,
}

/// What the guards tell of an input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Signature {
    pub input: usize,
    pub taken: usize,
    pub conditions: Vec<bool>,
}

/// A model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The ranges of the parameters of each input.
    pub inputs: Vec<Vec<Range>>,
    /// How many parameters each output has.
    pub outputs: Vec<usize>,
    /// Where each variable starts.
    pub variables: Vec<i64>,
    /// By location and input.
    pub choices: Vec<Vec<Choice>>,
}

impl Machine {
    /// Where there is a case: location, input and place.
    pub fn places(&self) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for (l, inputs) in self.choices.iter().enumerate() {
            for (i, choice) in inputs.iter().enumerate() {
                found.extend((0..choice.cases.len()).map(|c| (l, i, c)));
            }
        }
        found
    }

    /// Of a model without variables: which case an input takes, and which of the conditions there hold; and where that
    /// leads. Nothing if the input is not defined.
    pub fn signature(&self, location: usize, input: usize, args: &[i64]) -> Option<(Signature, usize)> {
        let cases = &self.choices[location][input].cases;
        let taken = cases.iter().position(|c| c.cond.holds(args))?;
        let conditions = cases
            .iter()
            .flat_map(|c| c.cond.clone().sums().iter().map(|(s, c)| compare(s, **c, args)).collect::<Vec<_>>());
        Some((Signature { input, taken, conditions: conditions.collect() }, cases[taken].target))
    }

    /// In the language.
    pub fn text(&self, name: &str) -> String {
        let mut text = String::new();
        for (i, ranges) in self.inputs.iter().enumerate() {
            let params = ranges.iter().enumerate().map(|(k, (lo, hi))| format!("x{k}: Int in {lo}..{hi}"));
            let _ = writeln!(text, "input i{i}{}", list(params.collect()));
        }
        for (o, params) in self.outputs.iter().enumerate() {
            let params = (0..*params).map(|k| format!("y{k}: Int"));
            let _ = writeln!(text, "output o{o}{}", list(params.collect()));
        }
        let _ = writeln!(text, "process {name} {{");
        for (v, initial) in self.variables.iter().enumerate() {
            let _ = writeln!(text, "  var v{v}: Int = {initial}");
        }
        // What internal switches read of an input.
        let most = self.inputs.iter().map(Vec::len).max().unwrap_or(0);
        if self.choices.iter().flatten().any(|c| c.internal) {
            (0..most).for_each(|k| {
                let _ = writeln!(text, "  var x{k}: Int = 0");
            });
        }
        for (l, inputs) in self.choices.iter().enumerate() {
            let _ = writeln!(text, "  {} l{l} {{", if l == 0 { "init" } else { "state" });
            let mut inner = String::new();
            for (i, choice) in inputs.iter().enumerate() {
                self.choice(&mut text, &mut inner, l, i, choice);
            }
            let _ = writeln!(text, "  }}");
            text.push_str(&inner);
        }
        text.push_str("}\n");
        text
    }

    fn choice(&self, text: &mut String, inner: &mut String, l: usize, i: usize, choice: &Choice) {
        let params = self.inputs[i].len();
        // Internal switches read what the input left in variables.
        let param = if choice.internal { "x" } else { "p" };
        let got = list((0..params).map(|k| format!("p{k}")).collect());
        if choice.internal {
            let keep: Vec<String> = (0..params).map(|k| format!("x{k} := p{k}")).collect();
            let keep = if keep.is_empty() { String::new() } else { format!(" / {}", keep.join(", ")) };
            let _ = writeln!(text, "    ?i{i}{got}{keep} -> l{l}i{i}");
            let _ = writeln!(inner, "  state l{l}i{i} {{");
        }
        let mut answers = String::new();
        let mut before: Vec<String> = Vec::new();
        for (c, case) in choice.cases.iter().enumerate() {
            let own = case.cond.text(param);
            let mut parts = if choice.any { Vec::new() } else { before.clone() };
            parts.extend((case.cond != Cond::Always).then(|| own.clone()));
            let guard = if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join(" && ")) };
            before.push(format!("!({own})"));
            let update: Vec<String> = case.update.iter().map(|(v, e)| format!("v{v} := {}", e.text(param))).collect();
            let update = if update.is_empty() { String::new() } else { format!(" / {}", update.join(", ")) };
            let output = format!("!o{}{}", case.output, list(case.args.iter().map(|a| a.text(param)).collect()));
            let to = case.target;
            if choice.internal {
                let _ = writeln!(inner, "    tau{guard}{update} -> l{l}i{i}c{c}");
                let _ = writeln!(answers, "  state l{l}i{i}c{c} {{\n    {output} -> l{to}\n  }}");
            } else {
                let _ = writeln!(text, "    ?i{i}{got}{guard}{update} ; {output} -> l{to}");
            }
        }
        if choice.internal {
            let _ = writeln!(inner, "  }}");
            inner.push_str(&answers);
        }
    }
}

/// Whether a sum without variables compares so with 0.
fn compare(sum: &Affine, compare: Compare, args: &[i64]) -> bool {
    let value = sum.constant + sum.params.iter().zip(args).map(|(f, a)| f * a).sum::<i64>();
    match compare {
        Compare::AtMost => value <= 0,
        Compare::Less => value < 0,
        Compare::Equal => value == 0,
    }
}

fn list(parts: Vec<String>) -> String {
    if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) }
}

impl Affine {
    pub fn constant(constant: i64) -> Affine {
        Affine { constant, ..Affine::default() }
    }

    fn text(&self, param: &str) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (name, factors) in [(param, &self.params), ("v", &self.variables)] {
            for (k, factor) in factors.iter().enumerate() {
                match factor {
                    0 => {}
                    1 => parts.push(format!("{name}{k}")),
                    n => parts.push(format!("{n} * {name}{k}")),
                }
            }
        }
        if self.constant != 0 || parts.is_empty() {
            parts.push(self.constant.to_string());
        }
        parts.join(" + ")
    }
}

impl Cond {
    fn text(&self, param: &str) -> String {
        match self {
            Cond::Always => "true".into(),
            Cond::Atom(sum, compare) => {
                let compare = match compare {
                    Compare::AtMost => "<=",
                    Compare::Less => "<",
                    Compare::Equal => "==",
                };
                format!("{} {compare} 0", sum.text(param))
            }
            Cond::And(a, b) => format!("({} && {})", a.text(param), b.text(param)),
            Cond::Or(a, b) => format!("({} || {})", a.text(param), b.text(param)),
            Cond::Not(a) => format!("!({})", a.text(param)),
        }
    }

    /// Whether it holds, without variables.
    pub fn holds(&self, args: &[i64]) -> bool {
        match self {
            Cond::Always => true,
            Cond::Atom(sum, how) => compare(sum, *how, args),
            Cond::And(a, b) => a.holds(args) && b.holds(args),
            Cond::Or(a, b) => a.holds(args) || b.holds(args),
            Cond::Not(a) => !a.holds(args),
        }
    }

    /// The sums that it compares.
    pub fn sums(&mut self) -> Vec<(&mut Affine, &mut Compare)> {
        match self {
            Cond::Always => Vec::new(),
            Cond::Atom(sum, compare) => vec![(sum, compare)],
            Cond::And(a, b) | Cond::Or(a, b) => {
                let mut found = a.sums();
                found.extend(b.sums());
                found
            }
            Cond::Not(a) => a.sums(),
        }
    }
}
