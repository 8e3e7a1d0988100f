//! Texts with places for values: `ADD {p}`.
//!
//! `{p}` is the value of the parameter `p`, `{len(p)}` how many bytes that has, and `{quoted(p)}` the value in double
//! quotes. `{repeat(x, 100)}` is a text again and again. A brace itself is written twice.

use sioco_exec::GateValue;
use sioco_model::Model;
use sioco_model::model::Param;

use super::error::{NoParameter, PlaceError, TemplateError};
use super::value::{Words, quote, show};
use crate::lines::MAX_LINE;

/// A part of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// This text.
    Literal(String),
    /// The value of a parameter.
    Value(usize),
    /// The value of a parameter, in double quotes.
    Quoted(usize),
    /// How many bytes the value of a parameter has.
    Length(usize),
}

/// Reads a template with these parameters.
pub(crate) fn template(text: &str, params: &[Param]) -> Result<Vec<Piece>, TemplateError> {
    let find = |name: &str| params.iter().position(|p| p.name == name);
    pieces(text, &|name| find(name).ok_or_else(|| PlaceError::Parameter(NoParameter::new(name, params))))
}

/// What is wrong with a template, whatever the parameters are.
pub(super) fn well_formed(text: &str) -> Result<(), TemplateError> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let any = |name: &str| if is_name(name) { Ok(0) } else { Err(PlaceError::NoName(name.to_owned())) };
    pieces(text, &any).map(|_| ())
}

/// The parameters that no piece has a place for, in words.
pub(crate) fn unplaced<'p>(name: &str, params: &[Param], pieces: impl Iterator<Item = &'p Piece>) -> Option<String> {
    let placed: Vec<usize> = pieces
        .filter_map(|piece| match piece {
            Piece::Value(at) | Piece::Quoted(at) | Piece::Length(at) => Some(*at),
            Piece::Literal(_) => None,
        })
        .collect();
    let missing = params.iter().enumerate().filter(|(at, _)| !placed.contains(at));
    let missing: Vec<String> = missing.map(|(_, p)| format!("`{}`", p.name)).collect();
    (!missing.is_empty()).then(|| {
        let all = missing.join(", ");
        format!("the template of the input `{name}` has no place for {all}: every value sends the same text")
    })
}

fn pieces(text: &str, find: &dyn Fn(&str) -> Result<usize, PlaceError>) -> Result<Vec<Piece>, TemplateError> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut left = text;
    let mut length = text.len();
    while let Some(at) = left.find(['{', '}']) {
        literal.push_str(&left[..at]);
        let (brace, rest) = (&left[at..=at], &left[at + 1..]);
        if let Some(rest) = rest.strip_prefix(brace) {
            literal.push_str(brace);
            left = rest;
            continue;
        }
        if brace == "}" {
            return Err(TemplateError::NotOpened(text.to_owned()));
        }
        let Some((inside, rest)) = rest.split_once('}') else {
            return Err(TemplateError::NotClosed(text.to_owned()));
        };
        if !literal.is_empty() {
            pieces.push(Piece::Literal(std::mem::take(&mut literal)));
        }
        let piece = place(inside.trim(), find).map_err(|why| TemplateError::Place { text: text.to_owned(), why })?;
        if let Piece::Literal(literal) = &piece {
            length += literal.len();
        }
        if length > MAX_LINE {
            return Err(TemplateError::TooLong(text.to_owned()));
        }
        pieces.push(piece);
        left = rest;
    }
    literal.push_str(left);
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    Ok(pieces)
}

fn place(inside: &str, find: &dyn Fn(&str) -> Result<usize, PlaceError>) -> Result<Piece, PlaceError> {
    type Make = fn(usize) -> Piece;
    let (make, name): (Make, &str) = match inside.split_once('(') {
        None => (Piece::Value, inside),
        Some((function, rest)) => {
            let name = rest.strip_suffix(')').ok_or_else(|| PlaceError::Bracket(inside.to_owned()))?.trim();
            match function.trim() {
                "len" => (Piece::Length, name),
                "quoted" => (Piece::Quoted, name),
                "repeat" => return repeat(name),
                other => return Err(PlaceError::Function(other.to_owned())),
            }
        }
    };
    Ok(make(find(name)?))
}

/// A text again and again, for lines that are too long for somebody.
fn repeat(inside: &str) -> Result<Piece, PlaceError> {
    let parts = inside.rsplit_once(',').and_then(|(text, n)| Some((text, n.trim().parse::<usize>().ok()?)));
    let (text, n) = parts.ok_or_else(|| PlaceError::Repeat(inside.to_owned()))?;
    match text.len().checked_mul(n).filter(|length| *length <= MAX_LINE) {
        Some(_) => Ok(Piece::Literal(text.repeat(n))),
        None => Err(PlaceError::TooLong(inside.to_owned())),
    }
}

/// The text of a template for an input. Each value goes through a function on its way.
pub(crate) fn render(
    model: &Model,
    words: &Words,
    pieces: &[Piece],
    input: &GateValue,
    escape: &dyn Fn(String) -> String,
) -> String {
    let params = &model.gates[input.gate].params;
    let text = |at: usize| show(&model.sorts, words, params[at].sort, &input.args[at]);
    let piece = |piece: &Piece| match piece {
        Piece::Literal(literal) => literal.clone(),
        Piece::Value(at) => escape(text(*at)),
        Piece::Quoted(at) => escape(quote(&text(*at))),
        Piece::Length(at) => text(*at).len().to_string(),
    };
    pieces.iter().map(piece).collect()
}
