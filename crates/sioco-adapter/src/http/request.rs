//! Inputs as requests.

use std::fmt;

use sioco_exec::GateValue;
use sioco_model::GateId;
use sioco_model::model::{Direction, Model, Param};

use super::error::FormError;
use super::gates;
use crate::config::{InputConfig, Request};
use crate::lines::MAX_LINE;
use crate::text::{Dialect, Mistake, NoGate, Piece, Words, render, template, unplaced};

/// A request with places for values.
pub(super) struct Template {
    method: String,
    path: Vec<Piece>,
    headers: Vec<(String, Vec<Piece>)>,
    body: Option<Vec<Piece>>,
    words: Words,
}

/// A request that can be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outgoing {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<Vec<u8>>,
}

impl fmt::Display for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{} {}`", self.method, self.path)
    }
}

impl Outgoing {
    /// A request without places.
    pub(super) fn fixed(request: &Request) -> Outgoing {
        Outgoing {
            method: request.method.to_uppercase(),
            path: request.path.clone(),
            headers: request.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            body: request.body.as_ref().map(|body| body.clone().into_bytes()),
        }
    }
}

/// A template for every input of the model.
pub(super) fn inputs(model: &Model, dialect: &Dialect, wrong: &mut Vec<Mistake>) -> Vec<(GateId, Template)> {
    let mut found = Vec::new();
    let config = &dialect.config;
    for (name, input) in &config.inputs.0 {
        let Some((id, gate)) = gates(model, Direction::Input).find(|(_, g)| g.name == *name) else {
            wrong.push(Mistake::NoGate(NoGate::new(model, name, Direction::Input)));
            continue;
        };
        match input {
            InputConfig::Text(_) => wrong.push(Mistake::InputIsText(name.clone())),
            InputConfig::Request(request) => match compile(request, &gate.params, &config.words) {
                Ok(template) => found.push((id, template)),
                Err(why) => wrong.push(Mistake::Request { name: name.clone(), why }),
            },
        }
    }
    for (_, gate) in gates(model, Direction::Input) {
        if config.inputs.0.iter().all(|(name, _)| *name != gate.name) {
            wrong.push(Mistake::NoRequest(gate.name.clone()));
        }
    }
    found
}

fn compile(request: &Request, params: &[Param], words: &Words) -> Result<Template, FormError> {
    let method = request.method.to_uppercase();
    if !method.bytes().all(|b| b.is_ascii_alphabetic()) || method.is_empty() {
        return Err(FormError::Method(request.method.clone()));
    }
    if !request.path.starts_with('/') {
        return Err(FormError::Path(request.path.clone()));
    }
    // Each header may be short and stand for a long text.
    let mut length = 0;
    let header = |(name, value): (&String, &String)| {
        let pieces = template(value, params)?;
        length += pieces.iter().map(|p| if let Piece::Literal(text) = p { text.len() } else { 0 }).sum::<usize>();
        match length <= MAX_LINE {
            true => Ok((name.clone(), pieces)),
            false => Err(FormError::Headers),
        }
    };
    Ok(Template {
        method,
        path: template(&request.path, params)?,
        headers: request.headers.iter().map(header).collect::<Result<_, FormError>>()?,
        body: request.body.as_ref().map(|body| template(body, params)).transpose()?,
        words: words.clone(),
    })
}

/// A value as a part of a path.
fn percent(value: String) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    value.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

impl Template {
    /// The parameters of its gate that it has no place for, in words.
    pub(super) fn unplaced(&self, name: &str, params: &[Param]) -> Option<String> {
        let texts = self.headers.iter().map(|(_, value)| value).chain([&self.path]).chain(&self.body);
        unplaced(name, params, texts.flatten())
    }

    /// The request for an input.
    pub(super) fn fill(&self, model: &Model, input: &GateValue) -> Outgoing {
        let plain = |pieces: &Vec<Piece>| render(model, &self.words, pieces, input, &|value| value);
        Outgoing {
            method: self.method.clone(),
            path: render(model, &self.words, &self.path, input, &percent),
            headers: self.headers.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
            body: self.body.as_ref().map(|body| plain(body).into_bytes()),
        }
    }
}
