//! Responses as outputs.

use std::borrow::Cow;
use std::fmt;

use regex_automata::meta::Regex;
use serde_json::Value as Json;
use sioco_exec::Observation;
use sioco_model::model::{Direction, Gate, Model, Param};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{GateId, Value};

use super::error::{FormError, TooDeep};
use super::{gates, output};
use crate::config::{OutputConfig, Recognized};
use crate::lines::excerpt;
use crate::text::{Dialect, Mistake, NoGate, NoParameter, Room, Words, output_gate, read, set_value};
use crate::values::{Misread, argument, keep_digits};

/// A response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, excerpt(&String::from_utf8_lossy(&self.body)))
    }
}

/// Which response is which output.
pub(super) struct Recognizer {
    outputs: Vec<Output>,
    other: Option<GateId>,
    words: Words,
}

struct Output {
    gate: GateId,
    status: Status,
    regex: Option<Regex>,
    /// The same as it was written.
    pattern: Option<String>,
    args: Vec<Arg>,
    after: Option<Vec<GateId>>,
    /// In words, for messages.
    text: String,
}

#[derive(Clone, Copy)]
enum Status {
    Any,
    Exactly(u16),
    /// The first digit.
    Class(u16),
}

impl Status {
    /// Whether it takes everything that another one does.
    fn covers(self, other: Status) -> bool {
        match (self, other) {
            (Status::Any, _) => true,
            (Status::Exactly(a), Status::Exactly(b)) | (Status::Class(a), Status::Class(b)) => a == b,
            (Status::Class(class), Status::Exactly(status)) => class == status / 100,
            (Status::Exactly(_), _) | (Status::Class(_), Status::Any) => false,
        }
    }
}

#[derive(Clone)]
enum Arg {
    Status,
    Group(String),
    /// A JSON pointer.
    Pointer(String),
    Fixed(Value),
}

/// What is wrong with a response for a template.
enum Misfit {
    /// It is meant for another one.
    Other,
    /// It is meant for this one, and has wrong values.
    Malformed(String),
    /// It may be meant for this one, and cannot be read.
    TooDeep,
}

impl Recognizer {
    pub(super) fn new(model: &Model, dialect: &Dialect, wrong: &mut Vec<Mistake>) -> Recognizer {
        let config = &dialect.config;
        let (mut outputs, mut room) = (Vec::new(), Room::new());
        for (name, templates) in &config.outputs.0 {
            let id = match output_gate(model, name) {
                Ok(id) => id,
                Err(why) => {
                    wrong.push(Mistake::NoGate(why));
                    continue;
                }
            };
            for template in &templates.0 {
                if room.is_full() {
                    break;
                }
                match compile(model, id, template, &mut room) {
                    Ok(output) => outputs.push(output),
                    Err(why) => wrong.push(Mistake::Response { name: name.clone(), why }),
                }
            }
        }
        let other = dialect.other(model, wrong);
        Recognizer { outputs, other, words: config.words.clone() }
    }

    /// Templates that never count, since an earlier one takes whatever they take, in words. What a later one takes only
    /// in part is meant: the special case stands first.
    pub(super) fn hidden(&self) -> Vec<String> {
        let of = |(at, hidden): (usize, &Output)| {
            let taken = self.outputs[..at].iter().find(|earlier| earlier.hides(hidden))?;
            Some(format!(
                "the template {} hides {} below it: every response that fits the second one also fits the first, \
                 and the first one counts; use `json`, `regex` or `after` to distinguish them",
                taken.text, hidden.text
            ))
        };
        self.outputs.iter().enumerate().filter_map(of).collect()
    }

    /// What a response to a request of a gate is, or why that cannot be found out.
    pub(super) fn observation(
        &self,
        model: &Model,
        after: GateId,
        response: &Response,
    ) -> Result<Observation, TooDeep> {
        let text = String::from_utf8_lossy(&response.body).into_owned();
        let json = keep_digits(&text).map_or(Body::Other, |kept| Body::of(&kept));
        for template in self.outputs.iter().filter(|o| o.after.as_ref().is_none_or(|all| all.contains(&after))) {
            match template.args(model, &self.words, response, &json) {
                Ok(args) => return Ok(output(template.gate, args)),
                Err(Misfit::Other) => {}
                Err(Misfit::Malformed(why)) => {
                    let gate = Some(template.gate);
                    return Ok(Observation::Malformed { gate, why, raw: response.to_string() });
                }
                // That it cannot be read here is no fault of who sent it.
                Err(Misfit::TooDeep) => return Err(TooDeep { response: response.to_string() }),
            }
        }
        if let (Some(gate), Ok(body)) = (self.other, std::str::from_utf8(&response.body)) {
            return Ok(output(gate, vec![Value::string(&format!("{} {body}", response.status))]));
        }
        let tried: Vec<&str> = self.outputs.iter().map(|o| o.text.as_str()).collect();
        let why = format!("the response fits no template; these were tried: {}", tried.join(", "));
        Ok(Observation::Malformed { gate: None, why, raw: response.to_string() })
    }
}

/// The body of a response, for those who look for JSON in it.
enum Body {
    Json(Json),
    /// It is JSON as far as it could be read.
    TooDeep,
    /// It is something else.
    Other,
}

impl Body {
    fn of(text: &str) -> Body {
        match serde_json::from_str(text) {
            Ok(json) => Body::Json(json),
            // The library does not tell this apart in any other way.
            Err(error) if error.to_string().starts_with("recursion limit exceeded") => Body::TooDeep,
            Err(_) => Body::Other,
        }
    }
}

fn compile(model: &Model, id: GateId, config: &OutputConfig, room: &mut Room) -> Result<Output, FormError> {
    let OutputConfig::Full(full) = config else {
        return Err(FormError::Line);
    };
    if full.line.is_some() {
        return Err(FormError::HasLine);
    }
    let gate = &model.gates[id];
    let mut args: Vec<Option<Arg>> = vec![None; gate.params.len()];
    let status = status(full, gate, &mut args)?;
    let regex = match &full.regex {
        None => None,
        Some(text) => {
            let regex = room.build(&Regex::builder(), text, text)?;
            for name in regex.group_info().pattern_names(regex_automata::PatternID::ZERO).flatten() {
                put(gate, &mut args, name, Arg::Group(name.to_owned()))?;
            }
            Some(regex)
        }
    };
    for (name, pointer) in &full.json {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(FormError::Pointer(pointer.clone()));
        }
        put(gate, &mut args, name, Arg::Pointer(pointer.clone()))?;
    }
    for (name, value) in &full.set {
        let at =
            gate.params.iter().position(|p| p.name == *name).ok_or_else(|| NoParameter::new(name, &gate.params))?;
        put(gate, &mut args, name, Arg::Fixed(set_value(model, gate, at, value)?))?;
    }
    let all = args.into_iter().zip(&gate.params);
    let all = all.map(|(arg, p)| arg.ok_or_else(|| FormError::Nowhere(p.name.clone())));
    let after = full.after.as_ref().map(|names| {
        let of = |name: &String| {
            let found = gates(model, Direction::Input).find(|(_, g)| g.name == *name);
            found.map(|(id, _)| id).ok_or_else(|| FormError::Gate(NoGate::new(model, name, Direction::Input)))
        };
        names.iter().map(of).collect::<Result<Vec<_>, _>>()
    });
    let shown = full.status.as_ref().map_or("any status".into(), |s| format!("status {s}"));
    let text = format!("`{}` ({shown})", gate.name);
    let pattern = full.regex.clone();
    Ok(Output {
        gate: id,
        status,
        regex,
        pattern,
        args: all.collect::<Result<_, _>>()?,
        after: after.transpose()?,
        text,
    })
}

/// The JSON of a value, with the constructor's own name where a word stands for it.
fn named<'a>(sorts: &Sorts, words: &Words, param: &Param, json: &'a Json) -> Cow<'a, Json> {
    let (Json::String(text), Sort::Data(data)) = (json, sorts.get(param.sort)) else { return Cow::Borrowed(json) };
    let all = &sorts.data[*data].constructors;
    let found = all.iter().find(|c| words.get(&c.name).is_some_and(|word| word == text));
    found.map_or(Cow::Borrowed(json), |c| Cow::Owned(Json::from(c.name.clone())))
}

fn put(gate: &Gate, args: &mut [Option<Arg>], name: &str, arg: Arg) -> Result<(), FormError> {
    let at = gate.params.iter().position(|p| p.name == name).ok_or_else(|| NoParameter::new(name, &gate.params))?;
    match args[at].replace(arg) {
        None => Ok(()),
        Some(_) => Err(FormError::Twice(name.to_owned())),
    }
}

fn status(full: &Recognized, gate: &Gate, args: &mut [Option<Arg>]) -> Result<Status, FormError> {
    match &full.status {
        None => Ok(Status::Any),
        Some(toml::Value::Integer(n)) => {
            let n = u16::try_from(*n).ok().filter(|n| (100..1000).contains(n));
            n.map(Status::Exactly).ok_or(FormError::Digits)
        }
        Some(toml::Value::String(text)) => {
            if let Some(name) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                put(gate, args, name, Arg::Status)?;
                return Ok(Status::Any);
            }
            let class = text.strip_suffix("xx").and_then(|digit| digit.parse().ok()).filter(|d| (1..=9).contains(d));
            class.map(Status::Class).ok_or_else(|| FormError::Status(format!("\"{text}\"")))
        }
        Some(other) => Err(FormError::Status(other.to_string())),
    }
}

impl Output {
    /// Whether it takes everything that another one does.
    fn hides(&self, other: &Output) -> bool {
        fn pointers(output: &Output) -> impl Iterator<Item = &String> {
            output.args.iter().filter_map(|arg| if let Arg::Pointer(pointer) = arg { Some(pointer) } else { None })
        }
        self.status.covers(other.status)
            && (self.pattern.is_none() || self.pattern == other.pattern)
            && pointers(self).all(|pointer| pointers(other).any(|known| known == pointer))
            && match (&self.after, &other.after) {
                (None, _) => true,
                (Some(all), Some(others)) => others.iter().all(|gate| all.contains(gate)),
                (Some(_), None) => false,
            }
    }

    fn args(&self, model: &Model, words: &Words, response: &Response, body: &Body) -> Result<Vec<Value>, Misfit> {
        let fits = match self.status {
            Status::Any => true,
            Status::Exactly(status) => status == response.status,
            Status::Class(class) => class == response.status / 100,
        };
        if !fits {
            return Err(Misfit::Other);
        }
        let mut captures = None;
        if let Some(regex) = &self.regex {
            let mut found = regex.create_captures();
            regex.captures(&response.body, &mut found);
            if !found.is_match() {
                return Err(Misfit::Other);
            }
            captures = Some(found);
        }
        let sorts = &model.sorts;
        let malformed = |why: Misread| Misfit::Malformed(why.to_string());
        let of_json =
            |param: &Param, json: &Json| argument(sorts, param, &named(sorts, words, param, json)).map_err(malformed);
        let value = |(arg, param): (&Arg, &Param)| match arg {
            Arg::Fixed(value) => Ok(value.clone()),
            Arg::Status => of_json(param, &Json::from(response.status)),
            Arg::Pointer(pointer) => {
                let found = match body {
                    Body::Json(json) => json.pointer(pointer),
                    Body::TooDeep => return Err(Misfit::TooDeep),
                    Body::Other => None,
                };
                of_json(param, found.ok_or(Misfit::Other)?)
            }
            Arg::Group(name) => {
                let span = captures.as_ref().and_then(|c| c.get_group_by_name(name)).ok_or(Misfit::Other)?;
                let text = String::from_utf8_lossy(&response.body[span.range()]);
                read(sorts, words, param, &text, false).map_err(malformed)
            }
        };
        let params = &model.gates[self.gate].params;
        self.args.iter().zip(params).map(value).collect()
    }
}
