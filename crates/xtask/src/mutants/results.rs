//! What is known of each mutant, kept in a file with a line for every answer, so that an interrupted run goes on.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

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
        writeln!(self.file, "{}", write(key, hash, outcome.clone()))
            .map_err(|error| format!("the results: {error}"))?;
        self.known.insert(key.to_owned(), (hash.to_owned(), outcome));
        Ok(())
    }
}

/// A line of the file. Its fields stand in the order of their names.
#[derive(Serialize, Deserialize)]
struct Line {
    /// The test that notices the mutant.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// The mutant.
    mutant: String,
    outcome: Kind,
    /// The hashes of the programs whose tests all pass, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<BTreeMap<String, String>>,
    /// The hash of the source file.
    source: String,
}

/// The outcome of a line, in a word.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Caught,
    #[serde(rename = "timed out")]
    TimedOut,
    Survived,
    Unbuildable,
}

fn write(key: &str, hash: &str, outcome: Outcome) -> String {
    let (outcome, by, passed) = match outcome {
        Outcome::Caught(by) => (Kind::Caught, Some(by), None),
        Outcome::TimedOut(by) => (Kind::TimedOut, Some(by), None),
        Outcome::Survived(passed) => (Kind::Survived, None, Some(passed)),
        Outcome::Unbuildable => (Kind::Unbuildable, None, None),
    };
    let line = Line { by, mutant: key.to_owned(), outcome, passed, source: hash.to_owned() };
    serde_json::to_string(&line).expect("texts can be written")
}

fn read(line: &str) -> Option<(String, (String, Outcome))> {
    let line: Line = serde_json::from_str(line).ok()?;
    let outcome = match line.outcome {
        Kind::Caught => Outcome::Caught(line.by?),
        Kind::TimedOut => Outcome::TimedOut(line.by?),
        Kind::Survived => Outcome::Survived(line.passed?),
        Kind::Unbuildable => Outcome::Unbuildable,
    };
    Some((line.mutant, (line.source, outcome)))
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
