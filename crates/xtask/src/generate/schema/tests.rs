//! Files that are out there, and the examples, are as the schemas say.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::checker::check;
use super::schemas;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema(name: &str) -> Json {
    schemas().into_iter().find(|(is, _)| *is == name).unwrap_or_else(|| panic!("no schema {name}")).1
}

/// Holds each line of a file to a schema, or all of it.
fn hold(name: &str, path: &Path) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema = schema(name);
    for (i, line) in text.lines().enumerate() {
        let json: Json = serde_json::from_str(line).unwrap();
        assert_eq!(check(&schema, &json), None, "{}, line {}", path.display(), i + 1);
    }
}

#[test]
fn files_of_version_1_are_as_the_schemas_say() {
    for (name, path) in [
        ("journal", "sioco-exec/tests/formats/journal-1.jsonl"),
        ("plan", "sioco-plan/tests/formats/plan-1.json"),
        ("protocol-tester", "sioco-adapter/tests/formats/tester-1.jsonl"),
        ("protocol-adapter", "sioco-adapter/tests/formats/adapter-1.jsonl"),
        ("explore", "sioco-report/tests/formats/explore-1.jsonl"),
        ("compare", "sioco-report/tests/formats/compare-1.jsonl"),
        ("analyze", "sioco-report/tests/formats/analyze-1.jsonl"),
        ("check", "sioco-report/tests/formats/diagnostic-1.jsonl"),
        ("test", "sioco-report/tests/formats/test-1.jsonl"),
    ] {
        hold(name, &root().join("crates").join(path));
    }
}

#[test]
fn journals_of_the_examples_are_as_the_schema_says() {
    let mut journals = 0;
    for example in ["redis", "smtp"] {
        for entry in std::fs::read_dir(root().join("examples").join(example).join("deviations")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                hold("journal", &path);
                journals += 1;
            }
        }
    }
    assert!(journals > 5, "only {journals}");
}

/// A schema of something that is written no more would say that it is.
#[test]
fn every_schema_is_one_of_these() {
    let mut there: Vec<String> = std::fs::read_dir(root().join(super::FOLDER))
        .unwrap()
        .map(|entry| format!("{}/{}", super::FOLDER, entry.unwrap().file_name().to_string_lossy()))
        .collect();
    let mut generated: Vec<String> = super::files().into_iter().map(|(path, _)| path).collect();
    there.sort();
    generated.sort();
    assert_eq!(there, generated);
}

/// What does not fit is found: otherwise the tests above would say nothing.
#[test]
fn what_is_not_as_the_schema_says_is_found() {
    let journal = schema("journal");
    let good = json!({ "at": 1, "type": "accepted", "id": 1 });
    assert_eq!(check(&journal, &good), None);
    for (bad, what) in [
        (json!({ "at": 1, "type": "accepted" }), "has no \"id\""),
        (json!({ "at": 1, "type": "accepted", "id": "1" }), "not of type"),
        (json!({ "at": 1, "type": "accepted", "id": -1 }), "-1 < 0"),
        (json!({ "at": 1, "type": "weather" }), "fits nothing"),
        (json!({ "at": 1, "type": "accepted", "id": 1, "more": 2 }), "no schema describes `more`"),
        (json!({ "at": 1, "type": "end", "why": "bored", "stale": 0 }), "is not \"done\""),
    ] {
        let found = check(&journal, &bad).unwrap_or_default();
        assert!(found.contains(what), "{bad}: {found}");
    }
}
