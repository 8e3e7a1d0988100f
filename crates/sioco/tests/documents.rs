//! What the documents show is what the program prints.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::sioco_in;

/// The commands of the examples in a document, each with what is shown below it.
fn examples(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for line in block.lines() {
            match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push((command.to_owned(), String::new())),
                (None, Some((_, shown))) => *shown += &format!("{line}\n"),
                (None, None) => panic!("{line}: no command before it"),
            }
        }
    }
    found
}

/// The words of a command, with quotes as in a shell.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in command.split('\'').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn documents(root: &Path) -> Vec<PathBuf> {
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = docs.filter(|p| p.extension().is_some_and(|e| e == "md")).collect();
    all.push(root.join("README.md"));
    all.sort();
    all
}

#[test]
fn examples_show_the_whole_output() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tried = 0;
    for path in documents(&root) {
        let text = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        for (command, shown) in examples(&text) {
            let words = words(&command);
            // A command without its output says what to type.
            if shown.is_empty() || words[0] != "sioco" {
                continue;
            }
            let mut args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            // The same on every machine.
            args.extend(["--solver", "builtin"]);
            let run = sioco_in(&args, root.to_str().unwrap());
            assert_eq!(run.stdout, shown, "{}: `{command}` prints something else", path.display());
            tried += 1;
        }
    }
    assert!(tried >= 3, "{tried}");
}

/// The first model of the README is the one that its commands are about.
#[test]
fn the_first_model_is_the_shipped_one() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap().replace("\r\n", "\n");
    let readme = read("README.md");
    let shown = readme.split_once("```sts\n").unwrap().1.split_once("```").unwrap().0;
    let shipped = read("examples/accumulator/accumulator.sts");
    assert!(shipped.ends_with(&format!("\n\n{shown}")), "{shown}");
}
