//! Random inputs for everything that reads bytes of others: what must hold of any bytes at all.
//!
//! Each target is a function that panics if something does not hold. The driver in `main.rs` needs nothing but Rust and
//! steers by what a target has [`Seen`] on the way; `bin/sioco-libfuzzer.rs` steers by coverage. `cargo xtask fuzz` runs all
//! targets.

pub mod corpus;
pub mod mutate;
pub mod seeds;
pub mod targets;
mod walk;

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use sioco_lang::diagnostic::Diagnostic;
use sioco_lang::syntax::ast;

use mutate::Kind;
use targets::{http, journal, language, log, plan, project, protocol, text};

/// A target by its name.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Panics if something does not hold for these bytes.
    pub run: fn(&[u8], &mut Seen),
    /// What its inputs look like.
    pub kind: Kind,
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The longest inputs: what takes work in proportion is quick on them, and what takes its square is not.
    pub longest: usize,
}

/// All targets.
pub const TARGETS: [Target; 11] = [
    Target { name: "parser", run: language::parser, kind: Kind::Model, seeds: seeds::models, longest: 256 << 10 },
    Target { name: "format", run: language::format, kind: Kind::Model, seeds: seeds::models, longest: 256 << 10 },
    Target { name: "check", run: language::check, kind: Kind::Model, seeds: seeds::models, longest: 256 << 10 },
    Target { name: "import", run: language::import, kind: Kind::Xml, seeds: seeds::automata, longest: 256 << 10 },
    Target { name: "protocol", run: protocol::run, kind: Kind::Json, seeds: log::conversations, longest: 4 << 20 },
    Target { name: "text", run: text::run, kind: Kind::Text, seeds: seeds::texts, longest: 512 << 10 },
    Target { name: "http", run: http::run, kind: Kind::Http, seeds: seeds::responses, longest: 4 << 20 },
    Target { name: "journal", run: journal::run, kind: Kind::Json, seeds: journal::seeds, longest: 4 << 20 },
    Target { name: "plan", run: plan::run, kind: Kind::Json, seeds: plan::seeds, longest: 1 << 20 },
    Target { name: "log", run: log::run, kind: Kind::Log, seeds: log::seeds, longest: 4 << 20 },
    Target { name: "project", run: project::run, kind: Kind::Toml, seeds: project::seeds, longest: 256 << 10 },
];

/// The target of a name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|t| t.name == name)
}

/// A number for some bytes, the same everywhere.
fn hash(data: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    data.hash(&mut hasher);
    hasher.finish()
}

/// What an input reached, roughly: codes of diagnostics, pairs of a syntax node and one right below it, outcomes of
/// steps, kinds of messages and of errors. An input that reached something new is worth to be changed further.
#[derive(Default)]
pub struct Seen(pub FxHashSet<u64>);

impl Seen {
    fn add(&mut self, what: impl Hash) {
        self.0.insert(hash(what));
    }

    fn codes(&mut self, diagnostics: &[Diagnostic]) {
        for d in diagnostics {
            self.add((d.code, d.help.is_some(), d.secondary.len().min(3)));
        }
    }

    fn tree(&mut self, file: &ast::File) {
        walk::file(file, &mut |node| self.add((node.parent, node.kind)));
    }
}

#[cfg(test)]
mod tests {
    use sioco_lang::import::{Order, raxml_with};

    use super::*;
    use crate::mutate::{Mutator, Rng};

    /// The targets keep working, and find nothing in a short run that is the same every time.
    fn short_run(name: &str, inputs: usize, expected: usize) {
        const SEED: u64 = 1;
        const LONGEST: usize = 8 << 10;
        println!("{name}: seed {SEED}, {inputs} inputs");
        let target = target(name).expect("a target");
        let mut corpus = (target.seeds)();
        let mutator = Mutator { kind: target.kind };
        let mut rng = Rng::new(SEED);
        let mut seen = Seen::default();
        for seed in &corpus {
            (target.run)(seed, &mut seen);
        }
        for i in 0..inputs {
            let input = match i % 50 {
                49 => {
                    let base = rng.pick(&corpus).cloned().unwrap_or_default();
                    mutator.stretched(&base, &mut rng, 2 * LONGEST)
                }
                _ => mutator.next(&corpus, &mut rng, LONGEST),
            };
            let before = seen.0.len();
            (target.run)(&input, &mut seen);
            if seen.0.len() > before && input.len() <= LONGEST {
                corpus.push(input);
            }
        }
        assert!(seen.0.len() > expected, "{} things seen", seen.0.len());
    }

    #[test]
    fn parser_runs() {
        short_run("parser", 2000, 50);
    }

    #[test]
    fn format_runs() {
        short_run("format", 2000, 50);
    }

    #[test]
    fn check_runs() {
        short_run("check", 2000, 50);
    }

    #[test]
    fn import_runs() {
        short_run("import", 2000, 50);
    }

    #[test]
    fn protocol_runs() {
        short_run("protocol", 1000, 50);
    }

    #[test]
    fn text_runs() {
        short_run("text", 2000, 50);
    }

    #[test]
    fn http_runs() {
        short_run("http", 1000, 30);
    }

    #[test]
    fn journal_runs() {
        short_run("journal", 500, 50);
    }

    #[test]
    fn plan_runs() {
        short_run("plan", 300, 30);
    }

    #[test]
    fn log_runs() {
        short_run("log", 500, 50);
    }

    #[test]
    fn project_runs() {
        short_run("project", 200, 30);
    }

    #[test]
    fn seeds_are_what_they_should_be() {
        for seed in seeds::models() {
            let text = String::from_utf8(seed).expect("text");
            let found = sioco_lang::check_text("seed.sts", &text);
            assert!(found.model.is_some(), "{text}\n{:?}", found.diagnostics);
        }
        for seed in seeds::automata() {
            raxml_with(std::str::from_utf8(&seed).expect("text"), "seed.xml", Order::InOrder).expect("an automaton");
        }
    }
}
