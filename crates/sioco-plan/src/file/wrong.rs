//! Reading JSON by hand: what is wrong, and where.

use serde_json::Value as Json;

use super::locate::Key;

/// A value that is not what it should be.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The way to it, the innermost key first.
    pub keys: Vec<Key>,
    /// What is wrong with it.
    pub what: String,
}

pub(super) type Read<T> = Result<T, Wrong>;

pub(super) fn wrong<T>(what: impl Into<String>) -> Read<T> {
    Err(Wrong { keys: Vec::new(), what: what.into() })
}

fn within<T>(key: Key, read: Read<T>) -> Read<T> {
    read.map_err(|mut wrong| {
        wrong.keys.push(key);
        wrong
    })
}

/// A field that must be there.
pub(super) fn field<'j, T>(json: &'j Json, name: &'static str, read: impl FnOnce(&'j Json) -> Read<T>) -> Read<T> {
    let found = match json.as_object() {
        None => return wrong("must be an object"),
        Some(object) => object.get(name),
    };
    within(Key::Field(name), found.map_or_else(|| wrong("is missing"), read))
}

/// A field that may be missing, or `null`.
pub(super) fn optional<'j, T>(
    json: &'j Json,
    name: &'static str,
    read: impl FnOnce(&'j Json) -> Read<T>,
) -> Read<Option<T>> {
    match json.as_object() {
        None => wrong("must be an object"),
        Some(object) => match object.get(name).filter(|found| !found.is_null()) {
            None => Ok(None),
            Some(found) => within(Key::Field(name), read(found)).map(Some),
        },
    }
}

/// All items of a list.
pub(super) fn list<'j, T>(json: &'j Json, mut read: impl FnMut(&'j Json) -> Read<T>) -> Read<Vec<T>> {
    let Some(items) = json.as_array() else { return wrong("must be a list") };
    items.iter().enumerate().map(|(i, item)| within(Key::Item(i), read(item))).collect()
}

pub(super) fn text(json: &Json) -> Read<&str> {
    json.as_str().map_or_else(|| wrong("must be a string"), Ok)
}

pub(super) fn number(json: &Json) -> Read<usize> {
    let number = json.as_u64().and_then(|n| usize::try_from(n).ok());
    number.map_or_else(|| wrong("must be a whole number"), Ok)
}

pub(super) fn flag(json: &Json) -> Read<bool> {
    json.as_bool().map_or_else(|| wrong("must be true or false"), Ok)
}

/// A flag that is false where it is missing.
pub(super) fn is(json: &Json, name: &'static str) -> Read<bool> {
    Ok(optional(json, name, flag)?.unwrap_or(false))
}

/// One of some words.
pub(super) fn word<T: Copy>(json: &Json, words: &[(&str, T)]) -> Read<T> {
    let found = text(json)?;
    let known = words.iter().find(|(word, _)| *word == found).map(|(_, value)| *value);
    known.map_or_else(
        || {
            let words: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            wrong(format!("must be one of {}, but is \"{found}\"", words.join(", ")))
        },
        Ok,
    )
}
