//! `sioco.toml`: its form, and what it means for a model.

use std::path::Path;

use sioco::permission::Standing;
use sioco::project::Project;
use sioco_adapter::config::{Config, ConfigError};

use super::{model, shape};
use crate::Seen;

/// A file is read, or refused with its line. What is wrong with its options, its systems and its dialects is told in words,
/// for a model and without one, and nothing is started on the way.
pub fn run(data: &[u8], seen: &mut Seen) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let config: Config = match text.parse() {
        Ok(config) => config,
        Err(why) => {
            let why = ConfigError::to_string(&why);
            let lines = text.lines().count() + 1;
            // Whatever the text has in it, the place is told first.
            let line = why.strip_prefix("TOML parse error at line ");
            let line = line.and_then(|rest| rest.split([',', '\n']).next()?.parse::<usize>().ok());
            assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "no line of {lines} is named: {why}");
            assert!(why.len() < 2000 + 4 * longest_line(text), "{} bytes of words", why.len());
            seen.add(("refused", shape(why.lines().last().unwrap_or_default())));
            return;
        }
    };
    seen.add((
        config.sut.len().min(2),
        config.dialect.len().min(2),
        config.test.len().min(3),
        config.profile.len().min(2),
    ));
    let project = Project { root: Path::new("/nowhere").into(), config, standing: Standing::Own, unread: None };
    for failure in project.mistakes() {
        let words = failure.message.unwrap_or_default();
        assert!(words.contains("sioco.toml"), "the file is not named: {words}");
        assert_short(&words, text);
        seen.add(("mistake", shape(&words)));
    }
    let (wrong, remarks) = project.for_model(model());
    for words in wrong.iter().chain(&remarks) {
        assert!(words.contains("sioco.toml"), "the file is not named: {words}");
        assert_short(words, text);
        seen.add(("model", shape(words)));
    }
}

fn longest_line(text: &str) -> usize {
    text.lines().map(str::len).max().unwrap_or_default()
}

fn assert_short(words: &str, text: &str) {
    assert!(!words.is_empty() && words.len() <= 20_000 + 20 * text.len(), "{} bytes of words", words.len());
}

const PROJECT: &str = r#"[test]
sut = "python3 sut.py"
max-steps = 100
for = "2s"
const = ["N=3", "M=4"]
gate = "switch>=95%"
quiescence-at = ["a=2s"]
fail-fast = true
solver = "z3"
[profile.ci]
seed = 1
cover = "switch"
[sut.adapter]
command = "python3 adapter.py 'a b'"
directory = "x"
environment = { A = "1" }
config = { depth = 3, names = ["x"] }
[sut.text]
start = "server --port {port}"
connect = "tcp://127.0.0.1:{port}"
dialect = "d"
order = "sent"
reset = "restart"
before = [{ send = "HELLO", expect = "OK" }]
[sut.web]
connect = "http://localhost:80/x"
dialect = "h"
before = [{ request = { method = "GET", path = "/" }, status = 200 }]
[sut.ws]
connect = "ws://localhost:80/x"
[sut.torxakis]
connect = "tcp://localhost:7000"
dialect = "torxakis"
"#;

/// Projects to start from, with dialects of both kinds.
pub fn seeds() -> Vec<Vec<u8>> {
    let http = super::http::DIALECT.replace("dialect.d", "dialect.h");
    let both = format!("{PROJECT}{}{http}", super::text::DIALECT);
    let text = format!("[sut.s]\ncommand = \"x\"\ndialect = \"d\"\n{}", super::text::DIALECT);
    let web = format!("[sut.s]\nconnect = \"http://x:1\"\ndialect = \"h\"\n{http}");
    [both.as_str(), &text, &web, PROJECT].iter().map(|s| s.as_bytes().to_vec()).collect()
}
