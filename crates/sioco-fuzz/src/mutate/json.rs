//! Changes of JSON that leave it JSON: of a document, or of one line.

use serde_json::Value as Json;

use super::Rng;

/// Changes a value somewhere in a line of JSON, or in the whole if it is one document.
pub(super) fn change(data: &[u8], other: &[u8], word: &str, rng: &mut Rng) -> Vec<u8> {
    let text = String::from_utf8_lossy(data);
    // What is in front of it: marks of a log, or the headers of a response.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_json = |line: &&str| line.trim_start_matches(['<', '>', ' ']).starts_with(['{', '[']);
    let places: Vec<usize> = (0..lines.len()).filter(|i| is_json(&lines[*i])).collect();
    let Some(at) = rng.pick(&places).copied() else { return data.to_vec() };
    let line = lines[at];
    let start = line.find(['{', '[']).unwrap_or(0);
    // A document over several lines is taken as a whole.
    let rest: String = if lines.len() > 1 && at == 0 { text[start..].to_owned() } else { line[start..].to_owned() };
    let (mut json, whole) = match (serde_json::from_str::<Json>(&rest), serde_json::from_str::<Json>(&line[start..])) {
        (Ok(json), _) if at == 0 => (json, true),
        (_, Ok(json)) => (json, false),
        _ => return data.to_vec(),
    };
    let theirs = donor(other, rng);
    let mut target = rng.below(size(&json).max(1));
    edit(&mut json, &mut target, word, &theirs, rng);
    let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let head = &line[..start];
    if whole {
        out.truncate(at);
        out.push(format!("{head}{json}"));
    } else {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        out[at] = format!("{head}{json}{end}");
    }
    out.concat().into_bytes()
}

/// A value from another input.
fn donor(other: &[u8], rng: &mut Rng) -> Json {
    let text = String::from_utf8_lossy(other);
    let whole = serde_json::from_str::<Json>(&text).ok();
    let line = || {
        let lines: Vec<&str> = text.lines().filter(|line| line.contains('{')).collect();
        let line = rng.clone().pick(&lines).copied().unwrap_or_default();
        serde_json::from_str::<Json>(line.trim_start_matches(['<', '>', ' '])).ok()
    };
    let json = whole.or_else(line).unwrap_or(Json::Null);
    let mut all = Vec::new();
    collect(&json, &mut all);
    rng.pick(&all).map(|json| (*json).clone()).unwrap_or_default()
}

fn collect<'a>(json: &'a Json, all: &mut Vec<&'a Json>) {
    if all.len() > 2000 {
        return;
    }
    all.push(json);
    match json {
        Json::Array(items) => items.iter().for_each(|item| collect(item, all)),
        Json::Object(fields) => fields.values().for_each(|field| collect(field, all)),
        _ => {}
    }
}

fn size(json: &Json) -> usize {
    1 + match json {
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Object(fields) => fields.values().map(size).sum(),
        _ => 0,
    }
}

/// Changes the value that comes after so many others.
fn edit(json: &mut Json, left: &mut usize, word: &str, theirs: &Json, rng: &mut Rng) -> bool {
    if *left == 0 {
        *json = changed(json, word, theirs, rng);
        return true;
    }
    *left -= 1;
    match json {
        Json::Array(items) => items.iter_mut().any(|item| edit(item, left, word, theirs, rng)),
        Json::Object(fields) => fields.values_mut().any(|field| edit(field, left, word, theirs, rng)),
        _ => false,
    }
}

fn changed(json: &Json, word: &str, theirs: &Json, rng: &mut Rng) -> Json {
    let new = serde_json::from_str::<Json>(word).unwrap_or_else(|_| Json::from(word));
    match (json, rng.below(8)) {
        (_, 0..=1) => theirs.clone(),
        (Json::Object(fields), 2..=4) => {
            let mut fields = fields.clone();
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = rng.pick(&names).cloned().unwrap_or_default();
            match rng.below(3) {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(word.trim_matches('"').to_owned(), theirs.clone())),
                _ => drop(fields.insert(name, new)),
            }
            Json::Object(fields)
        }
        (Json::Array(items), 2..=4) if !items.is_empty() => {
            let mut items = items.clone();
            let (at, to) = (rng.below(items.len()), rng.below(items.len()));
            match rng.below(4) {
                0 => drop(items.remove(at)),
                1 => items.insert(to, items[at].clone()),
                2 => items.swap(at, to),
                _ => items.insert(to, theirs.clone()),
            }
            Json::Array(items)
        }
        (Json::Number(n), 2..=4) => match n.as_i64() {
            Some(n) => Json::from(
                *rng.pick(&[n.wrapping_add(1), n.wrapping_sub(1), -n.wrapping_abs(), n / 2, 0]).unwrap_or(&0),
            ),
            None => new,
        },
        (Json::String(text), 2..=4) => {
            let mut chars: Vec<char> = text.chars().collect();
            let at = rng.below(chars.len() + 1);
            match rng.below(3) {
                0 => chars.insert(at, *rng.pick(&['\0', '\u{202e}', '"', '\\', '\n', 'é', 'x', ' ']).unwrap_or(&'x')),
                1 if at < chars.len() => drop(chars.remove(at)),
                _ => chars.truncate(at),
            }
            Json::from(chars.into_iter().collect::<String>())
        }
        (_, 5) => Json::Array(vec![json.clone()]),
        _ => new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_json() {
        let mut rng = Rng::new(5);
        let data = b"log\n< {\"a\":[1,{\"b\":\"c\"}],\"d\":2.5}\n{\"e\":null}\n";
        let mut other = 0;
        for _ in 0..300 {
            let new = change(data, b"{\"z\":[7]}", "\"word\"", &mut rng);
            let text = String::from_utf8(new).expect("text");
            for line in text.lines().skip(1) {
                let line = line.trim_start_matches("< ");
                assert!(serde_json::from_str::<Json>(line).is_ok(), "{text}");
            }
            other += usize::from(text.as_bytes() != data);
        }
        assert!(other > 200, "{other} changes");
    }
}
