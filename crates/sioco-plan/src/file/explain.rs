//! Reasons in a document: what is unknown and why, what clashes, what a run may come to.

use serde::Serialize;
use serde_json::Value as Json;
use sioco_model::model::Model;
use sioco_model::semantics::interpreter::Part;
use sioco_model::{SwitchId, VarId};
use sioco_solve::Reason;
use sioco_symbolic::Origin;
use sioco_symbolic::analysis::{Control, Determinism, WhyNot};
use sioco_symbolic::explore::Stop;
use sioco_symbolic::reach::Clash;
use sioco_symbolic::step::Step;

use super::shape::SteeringLine;
use super::wrong::{Read, field, is, list, number, optional, text, word, wrong};
use crate::goal::Infeasible;
use crate::plan::Steering;
use crate::value::{self, Named, Valued};

pub(super) const STOPS: [(&str, Stop); 7] = [
    ("complete", Stop::Complete),
    ("covered", Stop::Covered),
    ("depth", Stop::Depth),
    ("nodes", Stop::Nodes),
    ("memory", Stop::Memory),
    ("interrupted", Stop::Cancelled),
    // By the clock, as whoever writes the file knows.
    ("time", Stop::Cancelled),
];

pub(super) fn stop(stop: Stop) -> &'static str {
    STOPS.iter().find(|(_, s)| *s == stop).map_or("complete", |(name, _)| name)
}

/// A step, by the names of its switches.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Step"))]
pub enum StepLine<'a> {
    /// A switch.
    Switch {
        /// Its name.
        switch: &'a str,
    },
    /// A handshake.
    Handshake {
        /// The switch that sends.
        send: &'a str,
        /// The switch that receives.
        receive: &'a str,
    },
    /// Silence: `delta`, or `divergence` because internal steps go on for ever.
    Silence(&'static str),
}

/// A step as it is written.
pub fn step(model: &Model, step: Step) -> StepLine<'_> {
    let name = |s: SwitchId| model.switches[s].name.as_str();
    match step {
        Step::Switch(s) => StepLine::Switch { switch: name(s) },
        Step::Handshake { send, receive } => StepLine::Handshake { send: name(send), receive: name(receive) },
        Step::Delta => StepLine::Silence("delta"),
        Step::Divergence => StepLine::Silence("divergence"),
    }
}

/// A switch that the model does not have, by its name: the plan was made for another model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NoSwitch(pub(super) String);

/// A step whose switches may be missing: then the first that is.
pub(super) fn read_step(model: &Model, json: &Json) -> Read<Result<Step, NoSwitch>> {
    let find = |name: &str| find_switch(model, name).ok_or_else(|| NoSwitch(name.to_owned()));
    if let Some(silence) = json.as_str() {
        return match silence {
            "delta" => Ok(Ok(Step::Delta)),
            "divergence" => Ok(Ok(Step::Divergence)),
            _ => wrong("must be \"delta\", \"divergence\" or an object"),
        };
    }
    if let Some(name) = optional(json, "switch", text)? {
        return Ok(find(name).map(Step::Switch));
    }
    let (send, receive) = (field(json, "send", text)?, field(json, "receive", text)?);
    Ok(find(send).and_then(|send| Ok(Step::Handshake { send, receive: find(receive)? })))
}

pub(super) fn find_switch(model: &Model, name: &str) -> Option<SwitchId> {
    model.switches.iter().find(|(_, s)| s.name == name).map(|(id, _)| id)
}

fn known_step(model: &Model, json: &Json) -> Read<Step> {
    read_step(model, json)?
        .or_else(|NoSwitch(name)| wrong(format!("names a switch `{name}` that the model does not have")))
}

fn known_switch(model: &Model, json: &Json) -> Read<SwitchId> {
    let name = text(json)?;
    find_switch(model, name).map_or_else(|| wrong(format!("names a switch `{name}` that the model does not have")), Ok)
}

fn known_variable(model: &Model, name: &str) -> Read<VarId> {
    let found = model.variables.ids().find(|v| model.variable_name(*v) == name);
    found.map_or_else(|| wrong(format!("names a variable `{name}` that the model does not have")), Ok)
}

/// Why something is unknown: a word, and the whole reason for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Reason"))]
pub struct ReasonLine<'a> {
    /// What exactly was asked, or is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<&'a str>,
    /// Why, in a word.
    pub kind: &'static str,
    /// The solver that broke down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<&'a str>,
    /// Why, in words for people.
    pub text: String,
}

/// A reason as it stands in files.
pub fn reason(reason: &Reason) -> ReasonLine<'_> {
    let kind = match reason {
        Reason::Resources => "work",
        Reason::Time => "time",
        Reason::Spent => "pause",
        Reason::Cancelled => "cancelled",
        Reason::TooLarge => "too large",
        Reason::Divergence => "divergence",
        Reason::Undecided(_) => "undecided",
        Reason::NoSolver => "no solver",
        Reason::BuiltInAlone => "built-in alone",
        Reason::Broken { .. } => "broken",
    };
    let (detail, solver) = match reason {
        Reason::Undecided(detail) => (Some(detail.as_str()), None),
        Reason::Broken { solver, what } => (Some(what.as_str()), Some(solver.as_str())),
        _ => (None, None),
    };
    ReasonLine { detail, kind, solver, text: reason.to_string() }
}

/// The reason that [`reason`] wrote; nothing if it is none.
pub fn parse_reason(json: &Json) -> Option<Reason> {
    read_reason(json).ok()
}

pub(super) fn read_reason(json: &Json) -> Read<Reason> {
    let detail = |json| Ok(optional(json, "detail", text)?.unwrap_or_default().to_owned());
    Ok(match field(json, "kind", text)? {
        "work" => Reason::Resources,
        "time" => Reason::Time,
        "pause" => Reason::Spent,
        "cancelled" => Reason::Cancelled,
        "too large" => Reason::TooLarge,
        "divergence" => Reason::Divergence,
        "no solver" => Reason::NoSolver,
        "built-in alone" => Reason::BuiltInAlone,
        "broken" => Reason::Broken { solver: field(json, "solver", text)?.to_owned(), what: detail(json)? },
        // What a later version knows is at least a reason.
        _ => Reason::Undecided(detail(json)?),
    })
}

/// Where a condition comes from.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Origin"))]
pub enum OriginLine<'a> {
    /// A condition of a guard.
    Guard {
        /// The switch.
        switch: &'a str,
        /// Which condition, from 0.
        number: usize,
    },
    /// A part of a switch has a value at all.
    Defined {
        /// The switch.
        switch: &'a str,
        /// The part.
        part: &'static str,
        /// Which of these, from 0.
        number: usize,
    },
    /// Sender and receiver of a handshake agree.
    Agreement {
        /// The switch that sends.
        send: &'a str,
        /// The switch that receives.
        receive: &'a str,
    },
    /// The range of a variable.
    Definition {
        /// The variable.
        variable: String,
    },
    /// A switch cannot be taken, or there would be no silence.
    Silent {
        /// The switch.
        switch: &'a str,
    },
    /// Internal steps go on for ever.
    Rounds,
    /// A purpose wants it.
    Wanted,
}

fn origin(model: &Model, origin: Origin) -> OriginLine<'_> {
    let name = |s: SwitchId| model.switches[s].name.as_str();
    match origin {
        Origin::Guard(s, number) => OriginLine::Guard { switch: name(s), number },
        Origin::Defined(s, part) => {
            let (part, number) = match part {
                Part::Guard => ("guard", 0),
                Part::Argument(i) => ("argument", i),
                Part::Update(i) => ("update", i),
            };
            OriginLine::Defined { switch: name(s), part, number }
        }
        Origin::Agreement(send, receive) => OriginLine::Agreement { send: name(send), receive: name(receive) },
        Origin::Definition(v) => OriginLine::Definition { variable: model.variable_name(v) },
        Origin::Silent(s) => OriginLine::Silent { switch: name(s) },
        Origin::Rounds => OriginLine::Rounds,
        Origin::Wanted => OriginLine::Wanted,
    }
}

fn read_origin(model: &Model, json: &Json) -> Read<Origin> {
    let switch = |name| field(json, name, |j| known_switch(model, j));
    Ok(match field(json, "kind", text)? {
        "guard" => Origin::Guard(switch("switch")?, field(json, "number", number)?),
        "defined" => {
            let i = field(json, "number", number)?;
            let parts = [("guard", Part::Guard), ("argument", Part::Argument(i)), ("update", Part::Update(i))];
            Origin::Defined(switch("switch")?, field(json, "part", |j| word(j, &parts))?)
        }
        "agreement" => Origin::Agreement(switch("send")?, switch("receive")?),
        "definition" => Origin::Definition(field(json, "variable", |j| known_variable(model, text(j)?))?),
        "silent" => Origin::Silent(switch("switch")?),
        "rounds" => Origin::Rounds,
        "wanted" => Origin::Wanted,
        other => return wrong(format!("has an unknown kind \"{other}\"")),
    })
}

/// A condition that is not true together with others.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Clash"))]
pub struct ClashLine<'a> {
    /// The condition, as it is written.
    text: &'a str,
    /// The step that brings it, from 1.
    step: usize,
    /// Where it comes from.
    origin: OriginLine<'a>,
    /// The values of the variables that it reads, as far as they are known.
    values: Named<String, Valued<'a>>,
}

/// Conditions that are not true together.
pub(super) fn clash<'a>(model: &'a Model, clash: &'a [Clash]) -> Vec<ClashLine<'a>> {
    let of = |c: &'a Clash| {
        let value = |(v, value): &'a (VarId, sioco_model::Value)| {
            (model.variable_name(*v), Valued { sorts: &model.sorts, sort: model.variables[*v].sort, value })
        };
        let values = Named::new(c.values.iter().map(value).collect());
        // Steps are counted from 1, like everywhere people look.
        ClashLine { text: &c.text, step: c.step + 1, origin: origin(model, c.origin), values }
    };
    clash.iter().map(of).collect()
}

fn read_clash(model: &Model, json: &Json) -> Read<Vec<Clash>> {
    list(json, |json| {
        let values = field(json, "values", |json| read_values(model, json))?;
        Ok(Clash {
            step: field(json, "step", number)?.saturating_sub(1),
            origin: field(json, "origin", |j| read_origin(model, j))?,
            text: field(json, "text", text)?.to_owned(),
            values,
        })
    })
}

/// Values of variables, in the order of the model.
pub(super) fn read_values(model: &Model, json: &Json) -> Read<Vec<(VarId, sioco_model::Value)>> {
    let Some(object) = json.as_object() else { return wrong("must be an object") };
    let mut values = Vec::new();
    for (name, json) in object {
        let var = known_variable(model, name)?;
        match value::read(&model.sorts, model.variables[var].sort, json) {
            Some(value) => values.push((var, value)),
            None => {
                let sort = model.sorts.name(model.variables[var].sort);
                return wrong(format!("has {json} for `{name}`, which is not a value of `{sort}`"));
            }
        }
    }
    values.sort_by_key(|(var, _)| *var);
    Ok(values)
}

/// Why a goal cannot be reached.
#[derive(Debug, Serialize)]
#[serde(tag = "kind")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Infeasible"))]
pub enum InfeasibleLine<'a> {
    /// No switch that can be taken leads there.
    #[serde(rename = "location")]
    Location,
    /// What was written contradicts the model.
    #[serde(rename = "written")]
    Written {
        /// The steps that come nearest to it.
        path: Vec<StepLine<'a>>,
        /// What clashes after them.
        clash: Vec<ClashLine<'a>>,
    },
    /// No value will do.
    #[serde(rename = "values")]
    Values {
        /// In how many states; nothing if it is so whatever the state is.
        states: Option<usize>,
        /// What clashes in the first of them.
        clash: Vec<ClashLine<'a>>,
    },
    /// The guard contradicts itself.
    #[serde(rename = "contradiction")]
    Contradiction {
        /// What clashes.
        clash: Vec<ClashLine<'a>>,
    },
    /// Nothing leads there.
    #[serde(rename = "no way")]
    NoWay,
    /// Its source is never reached.
    #[serde(rename = "source not reached")]
    SourceNotReached,
    /// It is enabled in no state.
    #[serde(rename = "never enabled")]
    NeverEnabled {
        /// In how many states that was asked.
        states: usize,
        /// The way to the first of them.
        path: Vec<StepLine<'a>>,
        /// What clashes there.
        clash: Vec<ClashLine<'a>>,
    },
    /// Nobody takes part in the handshake.
    #[serde(rename = "no partner")]
    NoPartner,
    /// The search ended before it was reached.
    #[serde(rename = "cut")]
    Cut {
        /// Why.
        stop: &'static str,
    },
    /// A solver left the question open.
    #[serde(rename = "doubt")]
    Doubt,
}

/// Why a goal cannot be reached, as it is written.
pub(super) fn infeasible<'a>(model: &'a Model, why: &'a Infeasible) -> InfeasibleLine<'a> {
    let steps = |path: &[Step]| path.iter().map(|s| step(model, *s)).collect();
    match why {
        Infeasible::Location => InfeasibleLine::Location,
        Infeasible::Written { path, clash: c } => InfeasibleLine::Written { path: steps(path), clash: clash(model, c) },
        Infeasible::Values { states, clash: c } => InfeasibleLine::Values { states: *states, clash: clash(model, c) },
        Infeasible::Switch(why) => match why {
            WhyNot::Contradiction(c) => InfeasibleLine::Contradiction { clash: clash(model, c) },
            WhyNot::NoWay => InfeasibleLine::NoWay,
            WhyNot::SourceNotReached => InfeasibleLine::SourceNotReached,
            WhyNot::NeverEnabled { states, path, clash: c } => {
                InfeasibleLine::NeverEnabled { states: *states, path: steps(path), clash: clash(model, c) }
            }
            WhyNot::NoPartner => InfeasibleLine::NoPartner,
            WhyNot::Cut(s) => InfeasibleLine::Cut { stop: stop(*s) },
            WhyNot::Doubt => InfeasibleLine::Doubt,
        },
    }
}

pub(super) fn read_infeasible(model: &Model, json: &Json) -> Read<Infeasible> {
    let clash = || field(json, "clash", |j| read_clash(model, j));
    Ok(match field(json, "kind", text)? {
        "location" => Infeasible::Location,
        "written" => {
            Infeasible::Written { path: field(json, "path", |j| list(j, |j| known_step(model, j)))?, clash: clash()? }
        }
        "values" => Infeasible::Values { states: optional(json, "states", number)?, clash: clash()? },
        "contradiction" => Infeasible::Switch(WhyNot::Contradiction(clash()?)),
        "no way" => Infeasible::Switch(WhyNot::NoWay),
        "source not reached" => Infeasible::Switch(WhyNot::SourceNotReached),
        "never enabled" => Infeasible::Switch(WhyNot::NeverEnabled {
            states: field(json, "states", number)?,
            path: field(json, "path", |j| list(j, |j| known_step(model, j)))?,
            clash: clash()?,
        }),
        "no partner" => Infeasible::Switch(WhyNot::NoPartner),
        "cut" => Infeasible::Switch(WhyNot::Cut(field(json, "stop", |j| word(j, &STOPS))?)),
        "doubt" => Infeasible::Switch(WhyNot::Doubt),
        other => return wrong(format!("has an unknown kind \"{other}\"")),
    })
}

/// Whether what was observed always tells the state.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Determinism"))]
pub enum DeterminismLine<'a> {
    /// It is proved.
    Proved,
    /// It does not.
    No,
    /// Nothing was found that speaks against it, as far as was looked.
    Bounded,
    /// A solver left the question open.
    Undecided,
    /// A switch has no value for something.
    Undefined {
        /// The switch.
        switch: &'a str,
    },
}

/// Whether free initial values decide anything.
#[derive(Debug, Serialize)]
#[serde(tag = "state")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Control"))]
pub enum ControlLine<'a> {
    /// There are none.
    #[serde(rename = "nothing free")]
    NothingFree,
    /// It is proved that they decide nothing.
    #[serde(rename = "proved")]
    Proved,
    /// Nothing was found that they decide, as far as was looked.
    #[serde(rename = "bounded")]
    Bounded,
    /// They decide something.
    #[serde(rename = "no")]
    No {
        /// The variable.
        variable: String,
        /// What it decides: whether this switch is taken.
        switch: &'a str,
        /// The way there.
        path: Vec<StepLine<'a>>,
    },
}

/// Whether a run can be inconclusive.
pub(super) fn steering<'a>(model: &'a Model, s: &'a Steering) -> SteeringLine<'a> {
    let name = |s: SwitchId| model.switches[s].name.as_str();
    let deterministic = match s.determinism {
        Determinism::Proved => DeterminismLine::Proved,
        Determinism::No => DeterminismLine::No,
        Determinism::NotFound => DeterminismLine::Bounded,
        Determinism::Undecided => DeterminismLine::Undecided,
        Determinism::Undefined(switch) => DeterminismLine::Undefined { switch: name(switch) },
    };
    let controllable = match &s.control {
        Control::NothingFree => ControlLine::NothingFree,
        Control::Proved => ControlLine::Proved,
        Control::NotFound => ControlLine::Bounded,
        Control::No { variable, switch, path } => ControlLine::No {
            variable: model.variable_name(*variable),
            switch: name(*switch),
            path: path.iter().map(|s| step(model, *s)).collect(),
        },
    };
    SteeringLine {
        certain: s.is_certain(),
        deterministic,
        controllable,
        choices: s.choices,
        choice: s.choice.map(|(a, b)| [step(model, a), step(model, b)]),
        values: s.values.iter().map(|s| name(*s)).collect(),
        complete: s.complete,
    }
}

pub(super) fn read_steering(model: &Model, json: &Json) -> Read<Steering> {
    let switch = |json: &Json| field(json, "switch", |j| known_switch(model, j));
    let determinism = field(json, "deterministic", |json| {
        Ok(match field(json, "state", text)? {
            "proved" => Determinism::Proved,
            "no" => Determinism::No,
            "bounded" => Determinism::NotFound,
            "undefined" => Determinism::Undefined(switch(json)?),
            _ => Determinism::Undecided,
        })
    })?;
    let control = field(json, "controllable", |json| {
        Ok(match field(json, "state", text)? {
            "nothing free" => Control::NothingFree,
            "proved" => Control::Proved,
            "no" => Control::No {
                variable: field(json, "variable", |j| known_variable(model, text(j)?))?,
                switch: switch(json)?,
                path: field(json, "path", |j| list(j, |j| known_step(model, j)))?,
            },
            _ => Control::NotFound,
        })
    })?;
    Ok(Steering {
        determinism,
        control,
        choices: field(json, "choices", number)?,
        choice: match json.get("choice").filter(|j| !j.is_null()) {
            Some(pair) => match list(pair, |j| known_step(model, j))?[..] {
                [a, b] => Some((a, b)),
                _ => None,
            },
            None => None,
        },
        values: field(json, "values", |j| list(j, |j| known_switch(model, j)))?,
        complete: is(json, "complete")?,
    })
}
