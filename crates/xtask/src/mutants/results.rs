//! What is known of each mutant, kept in a file with a line for every answer, so that an interrupted run goes on.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

/// What became of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A test fails.
    Caught(String),
    /// A test does not end.
    TimedOut(String),
    /// All tests of these programs pass that reach it, by name and hash.
    Survived(BTreeMap<String, String>),
    /// It is no program: the compiler refuses it.
    Unbuildable,
}

/// The outcomes by mutant.
pub struct Results {
    file: File,
    /// With the hash of the source file that it was found for.
    known: BTreeMap<String, (String, Outcome)>,
}

impl Results {
    /// Reads what is known, and writes what becomes known to the same file. A line that was cut off is passed over.
    pub fn open(path: &Path, fresh: bool) -> Result<Results, String> {
        let trouble = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = if fresh { String::new() } else { fs::read_to_string(path).unwrap_or_default() };
        let known = text.lines().filter_map(read).collect();
        let mut options = OpenOptions::new();
        options.create(true).write(true);
        let mut file = if fresh { options.truncate(true) } else { options.append(true) }.open(path).map_err(trouble)?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file).map_err(trouble)?;
        }
        Ok(Results { file, known })
    }

    /// What is known of a mutant, if its source file is still the same.
    pub fn get(&self, key: &str, hash: &str) -> Option<&Outcome> {
        self.known.get(key).filter(|(h, _)| h == hash).map(|(_, outcome)| outcome)
    }

    pub fn put(&mut self, key: &str, hash: &str, outcome: Outcome) -> Result<(), String> {
        writeln!(self.file, "{}", write(key, hash, &outcome)).map_err(|error| format!("the results: {error}"))?;
        self.known.insert(key.to_owned(), (hash.to_owned(), outcome));
        Ok(())
    }
}

fn write(key: &str, hash: &str, outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Caught(by) => json!({ "mutant": key, "source": hash, "outcome": "caught", "by": by }),
        Outcome::TimedOut(by) => json!({ "mutant": key, "source": hash, "outcome": "timed out", "by": by }),
        Outcome::Survived(passed) => json!({ "mutant": key, "source": hash, "outcome": "survived", "passed": passed }),
        Outcome::Unbuildable => json!({ "mutant": key, "source": hash, "outcome": "unbuildable" }),
    }
}

fn read(line: &str) -> Option<(String, (String, Outcome))> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let outcome = match value["outcome"].as_str()? {
        "caught" => Outcome::Caught(text("by")?),
        "timed out" => Outcome::TimedOut(text("by")?),
        "survived" => {
            let passed = value["passed"].as_object()?.iter();
            Outcome::Survived(passed.filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned()))).collect())
        }
        "unbuildable" => Outcome::Unbuildable,
        _ => return None,
    };
    Some((text("mutant")?, (text("source")?, outcome)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_back() {
        let path = std::env::temp_dir().join(format!("sioco-mutants-results-{}", std::process::id()));
        let passed = BTreeMap::from([("a/traces".to_owned(), "12".to_owned())]);
        let outcomes = [
            Outcome::Caught("t".into()),
            Outcome::TimedOut("t".into()),
            Outcome::Survived(passed),
            Outcome::Unbuildable,
        ];
        let mut results = Results::open(&path, true).unwrap();
        results.put("0", "h", Outcome::Unbuildable).unwrap();
        for (at, outcome) in outcomes.iter().enumerate() {
            results.put(&at.to_string(), "h", outcome.clone()).unwrap();
        }
        // As if it had been interrupted.
        write!(results.file, "{{\"mutant\":").unwrap();
        for _ in 0..2 {
            let mut results = Results::open(&path, false).unwrap();
            for (at, outcome) in outcomes.iter().enumerate() {
                assert_eq!(results.get(&at.to_string(), "h"), Some(outcome));
                assert_eq!(results.get(&at.to_string(), "another"), None);
            }
            results.put("last", "h", Outcome::Unbuildable).unwrap();
        }
        assert!(Results::open(&path, false).unwrap().get("last", "h").is_some());
        assert!(Results::open(&path, true).unwrap().get("0", "h").is_none());
        fs::remove_file(&path).unwrap();
    }
}
