//! What a model has, so that it can be counted.

use crate::spec::{CLOSED, CRASHED, Carried, Guard, Label, Sort, Spec, Switch, Term};

/// A feature of a model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Feature {
    /// A gate with two parameters or more of different sorts.
    DifferentRanges,
    /// An input with a range of ten values or more.
    LargeRange,
    /// A `match` on a variant with fields.
    VariantMatch,
    /// An enumeration in a variable or parameter.
    Enumeration,
    /// A record in a variable or parameter.
    Record,
    /// A sequence in a variable or parameter.
    Sequence,
    /// A sequence or text that the system chooses.
    ChosenSequence,
    /// A text in a variable or parameter.
    Text,
    /// A value without bounds that the system chooses, and that a guard compares with a free variable and something else.
    ChosenCompared,
    /// A free variable with more values than are tried one by one, with which internal steps compute.
    Computed,
    /// A free variable with bounds.
    Free,
    /// A free variable without bounds.
    FreeWide,
    /// An internal step with a hidden choice.
    HiddenChoice,
    /// An internal step.
    Internal,
    /// Internal steps that lead back to the same location.
    InternalCycle,
    /// `else` on an input.
    ElseInput,
    /// `else` on an output.
    ElseOutput,
    /// `else` on an internal step.
    ElseInternal,
    /// An output with a value that the system chooses.
    ChosenOutput,
    /// A guard that never holds.
    NeverGuard,
    /// `closed`.
    Closed,
    /// `crashed`.
    Crashed,
    /// Two processes with a channel.
    Channel,
    /// Something may be undefined.
    ModelError,
    /// A final location.
    Final,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 25] = [
        Feature::DifferentRanges,
        Feature::LargeRange,
        Feature::VariantMatch,
        Feature::Enumeration,
        Feature::Record,
        Feature::Sequence,
        Feature::ChosenSequence,
        Feature::Text,
        Feature::ChosenCompared,
        Feature::Computed,
        Feature::Free,
        Feature::FreeWide,
        Feature::HiddenChoice,
        Feature::Internal,
        Feature::InternalCycle,
        Feature::ElseInput,
        Feature::ElseOutput,
        Feature::ElseInternal,
        Feature::ChosenOutput,
        Feature::NeverGuard,
        Feature::Closed,
        Feature::Crashed,
        Feature::Channel,
        Feature::ModelError,
        Feature::Final,
    ];
}

/// The features of a model.
pub fn features(spec: &Spec) -> Vec<Feature> {
    Feature::ALL.into_iter().filter(|f| has(spec, *f)).collect()
}

fn has(spec: &Spec, feature: Feature) -> bool {
    let gates = || spec.inputs.iter().chain(&spec.outputs).chain(&spec.channels);
    let variables = || spec.processes.iter().flat_map(|p| &p.variables);
    let sorts = || gates().flat_map(|g| &g.params).chain(variables().map(|v| &v.sort));
    let is_else = |s: &Switch| s.guard == Guard::Else;
    match feature {
        Feature::DifferentRanges => gates().any(|g| g.params.iter().any(|p| *p != g.params[0])),
        Feature::LargeRange => {
            spec.inputs.iter().flat_map(|g| &g.params).any(|s| matches!(s, Sort::Int(a, b) if b - a >= 9))
        }
        Feature::VariantMatch => spec.has(&|t| matches!(t, Term::Match(_, of, ..) if with_fields(spec, *of))),
        Feature::Enumeration => sorts().any(|s| matches!(s, Sort::Data(t) if !with_fields(spec, *t))),
        Feature::Record => sorts().any(|s| matches!(s, Sort::Data(t) if spec.types[*t].record)),
        Feature::Sequence => sorts().any(|s| matches!(s, Sort::Seq(_))),
        Feature::ChosenSequence => spec.switches().any(|s| {
            matches!(s.label, Label::Output(..) | Label::Tau(_))
                && spec.params(&s.label).iter().any(|s| matches!(s, Sort::Seq(_) | Sort::Text))
        }),
        Feature::Text => sorts().any(|s| *s == Sort::Text),
        Feature::ChosenCompared => spec.outputs.iter().any(|g| g.name == super::compared::CHOSEN),
        Feature::Computed => spec.outputs.iter().any(|g| g.name == super::computed::SHOWN),
        Feature::Free => variables().any(|v| v.initial.is_none() && v.sort != Sort::Wide),
        Feature::FreeWide => variables().any(|v| v.initial.is_none() && v.sort == Sort::Wide),
        Feature::HiddenChoice => spec.switches().any(|s| matches!(&s.label, Label::Tau(c) if !c.is_empty())),
        Feature::Internal => spec.switches().any(|s| matches!(&s.label, Label::Tau(_))),
        Feature::InternalCycle => spec.processes.iter().any(|p| {
            let taus = || p.switches.iter().filter(|s| matches!(s.label, Label::Tau(_)));
            (0..p.locations).any(|start| {
                let mut reached: Vec<usize> = taus().filter(|s| s.source == start).map(|s| s.target).collect();
                let mut at = 0;
                while at < reached.len() {
                    let more: Vec<usize> = taus().filter(|s| s.source == reached[at]).map(|s| s.target).collect();
                    more.into_iter().for_each(|l| {
                        if !reached.contains(&l) {
                            reached.push(l)
                        }
                    });
                    at += 1;
                }
                reached.contains(&start)
            })
        }),
        Feature::ElseInput => spec.switches().any(|s| is_else(s) && matches!(s.label, Label::Input(_))),
        Feature::ElseOutput => spec.switches().any(|s| is_else(s) && matches!(s.label, Label::Output(..))),
        Feature::ElseInternal => spec.switches().any(|s| is_else(s) && matches!(s.label, Label::Tau(_))),
        Feature::ChosenOutput => spec.switches().any(
            |s| matches!(&s.label, Label::Output(_, carried) if carried.iter().any(|c| matches!(c, Carried::Any(_)))),
        ),
        Feature::NeverGuard => spec.switches().any(|s| match &s.guard {
            Guard::All(parts) => parts.iter().any(never),
            Guard::Else => false,
        }),
        Feature::Closed => gives(spec, CLOSED),
        Feature::Crashed => gives(spec, CRASHED),
        Feature::Channel => {
            spec.switches().any(|s| matches!(s.label, Label::Send(..)))
                && spec.switches().any(|s| matches!(s.label, Label::Receive(_)))
        }
        Feature::ModelError => may_be_undefined(spec),
        Feature::Final => spec.processes.iter().any(|p| !p.finals.is_empty()),
    }
}

fn gives(spec: &Spec, name: &str) -> bool {
    spec.switches().any(|s| matches!(&s.label, Label::Output(g, _) if spec.outputs[*g].name == name))
}

fn with_fields(spec: &Spec, t: usize) -> bool {
    spec.types[t].constructors.iter().any(|c| !c.fields.is_empty())
}

fn never(part: &Term) -> bool {
    match part {
        Term::Value(value, _) => *value == crate::spec::Val::Bool(false),
        Term::Compare(crate::spec::Compare::Less, a, b) => {
            a == b || matches!((&**a, &**b), (Term::Value(a, _), Term::Value(b, _)) if a >= b)
        }
        _ => false,
    }
}

/// Whether a term has no value somewhere, by its form: a quotient by something that is no number, an item or part of a
/// sequence, a field of a variant, or a number that is written where a range has to hold.
pub fn may_be_undefined(spec: &Spec) -> bool {
    let risky = |t: &Term| match t {
        Term::Div(_, by) | Term::Mod(_, by) => !matches!(**by, Term::Value(..)),
        Term::Field(_, t, ..) => !spec.types[*t].record,
        _ => false,
    };
    let overflows = |(p, s): (usize, &Switch)| {
        let variables = &spec.processes[p].variables;
        s.update.iter().any(|(v, t)| {
            matches!(variables[*v].sort, Sort::Int(..))
                && matches!(t, Term::Add(_, b) if matches!(**b, Term::Value(..)))
        })
    };
    spec.has(&risky)
        || spec.processes.iter().enumerate().flat_map(|(i, p)| p.switches.iter().map(move |s| (i, s))).any(overflows)
}
