//! Holds JSON to a schema, as far as our own schemas go. Unlike other validators, it also finds fields that no schema
//! describes.

use std::collections::BTreeSet;

use serde_json::Value as Json;

/// What it understands. Another keyword is a mistake: it would be passed over.
const KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "prefixItems",
    "properties",
    "required",
    "title",
    "type",
];

/// What is wrong with some JSON, by a schema; nothing if it is as it should be.
pub fn check(root: &Json, json: &Json) -> Option<String> {
    matches(root, root, json, "").and_then(|()| described(root, &[root], json, "")).err()
}

type Checked = Result<(), String>;

fn definition<'a>(root: &'a Json, name: &Json) -> Result<&'a Json, String> {
    let pointer = name.as_str().and_then(|name| name.strip_prefix('#'));
    pointer.and_then(|pointer| root.pointer(pointer)).ok_or_else(|| format!("there is no {name}"))
}

/// Whether it is as the schema says.
fn matches(root: &Json, schema: &Json, json: &Json, at: &str) -> Checked {
    let wrong = |what: String| Err(format!("{at}: {what}"));
    let Some(rules) = schema.as_object() else {
        return if *schema == Json::Bool(true) { Ok(()) } else { wrong("nothing is allowed here".into()) };
    };
    for (keyword, rule) in rules {
        if !KEYWORDS.contains(&keyword.as_str()) {
            return wrong(format!("the schema has `{keyword}`, which is not understood"));
        }
        match keyword.as_str() {
            "$ref" => matches(root, definition(root, rule)?, json, at)?,
            "allOf" => list(rule).iter().try_for_each(|one| matches(root, one, json, at))?,
            "const" if rule != json => return wrong(format!("{json} is not {rule}")),
            "enum" if !list(rule).contains(json) => return wrong(format!("{json} is none of {rule}")),
            "type" if !is_type(rule, json) => return wrong(format!("{json} is not of type {rule}")),
            "minimum" if json.as_f64() < rule.as_f64() && json.is_number() => return wrong(format!("{json} < {rule}")),
            "maximum" if json.as_f64() > rule.as_f64() && json.is_number() => return wrong(format!("{json} > {rule}")),
            "anyOf" | "oneOf" => {
                let found: Vec<Checked> = list(rule).iter().map(|one| matches(root, one, json, at)).collect();
                let fit = found.iter().filter(|checked| checked.is_ok()).count();
                if fit == 0 {
                    let why: Vec<String> = found.into_iter().filter_map(Checked::err).collect();
                    return wrong(format!("fits nothing of {}: {}", why.len(), why.join("; ")));
                }
                if keyword == "oneOf" && fit > 1 {
                    return wrong("fits more than one".into());
                }
            }
            "required" => {
                let fields = json.as_object();
                let missing = list(rule).iter().find(|name| {
                    fields.is_some_and(|fields| !name.as_str().is_some_and(|name| fields.contains_key(name)))
                });
                if let Some(name) = missing {
                    return wrong(format!("has no {name}"));
                }
            }
            _ => {}
        }
    }
    parts(root, schema, json, at)
}

/// Whether the parts of it are as the schema says.
fn parts(root: &Json, schema: &Json, json: &Json, at: &str) -> Checked {
    for (i, item) in json.as_array().into_iter().flatten().enumerate() {
        let rule = schema["prefixItems"].get(i).or(schema.get("items"));
        rule.map_or(Ok(()), |rule| matches(root, rule, item, &format!("{at}/{i}")))?;
    }
    for (name, value) in json.as_object().into_iter().flatten() {
        let rule = schema["properties"].get(name).or(schema.get("additionalProperties"));
        rule.map_or(Ok(()), |rule| matches(root, rule, value, &format!("{at}/{name}")))?;
    }
    Ok(())
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn is_type(rule: &Json, json: &Json) -> bool {
    let one = |name: &Json| match name.as_str() {
        Some("null") => json.is_null(),
        Some("boolean") => json.is_boolean(),
        Some("integer") => json.is_i64() || json.is_u64(),
        Some("number") => json.is_number(),
        Some("string") => json.is_string(),
        Some("array") => json.is_array(),
        Some("object") => json.is_object(),
        _ => false,
    };
    rule.as_array().map_or_else(|| one(rule), |names| names.iter().any(one))
}

/// Every schema that says something about the same value: those it refers to, and those of its alternatives that fit.
fn all<'a>(root: &'a Json, schema: &'a Json, json: &Json, found: &mut Vec<&'a Json>) -> Checked {
    found.push(schema);
    if let Some(name) = schema.get("$ref") {
        all(root, definition(root, name)?, json, found)?;
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for one in schema.get(keyword).map_or(&[][..], list) {
            if matches(root, one, json, "").is_ok() {
                all(root, one, json, found)?;
            }
        }
    }
    Ok(())
}

/// Whether some schema describes every field.
fn described(root: &Json, schemas: &[&Json], json: &Json, at: &str) -> Checked {
    let mut about = Vec::new();
    for schema in schemas {
        all(root, schema, json, &mut about)?;
    }
    for (i, item) in json.as_array().into_iter().flatten().enumerate() {
        let rules: Vec<&Json> =
            about.iter().filter_map(|schema| schema["prefixItems"].get(i).or(schema.get("items"))).collect();
        described(root, &rules, item, &format!("{at}/{i}"))?;
    }
    // What may have any fields is described by that, such as a value of the model.
    let free = about.iter().all(|schema| schema.get("properties").is_none());
    let names: BTreeSet<&String> =
        about.iter().filter_map(|schema| schema["properties"].as_object()).flat_map(|fields| fields.keys()).collect();
    for (name, value) in json.as_object().into_iter().flatten() {
        if !free && !names.contains(name) {
            return Err(format!("{at}: no schema describes `{name}`"));
        }
        let rules = about.iter();
        let rules: Vec<&Json> =
            rules.filter_map(|schema| schema["properties"].get(name).or(schema.get("additionalProperties"))).collect();
        described(root, &rules, value, &format!("{at}/{name}"))?;
    }
    Ok(())
}
