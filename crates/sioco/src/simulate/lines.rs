//! Where requests come from.

use std::io::{BufRead, Read};

use crate::files::MAX_REQUEST_BYTES;
use crate::output::Output;

/// Where requests come from: a terminal with line editing and history, or a script.
pub enum Lines {
    /// A terminal.
    Terminal(Box<rustyline::DefaultEditor>),
    /// Standard input.
    Script(std::io::StdinLock<'static>),
}

impl Lines {
    /// A terminal if somebody sits there.
    pub fn new(interactive: bool) -> Lines {
        // Without line editing a terminal is still read line by line.
        match interactive.then(rustyline::DefaultEditor::new) {
            Some(Ok(editor)) => Lines::Terminal(Box::new(editor)),
            _ => Lines::Script(std::io::stdin().lock()),
        }
    }

    /// The next line; `None` at the end, and where the person wants to leave.
    pub fn next(&mut self, out: &mut Output, prompt: &str) -> Option<String> {
        out.flush();
        match self {
            Lines::Terminal(editor) => {
                let line = editor.readline(prompt).ok()?;
                if !line.trim().is_empty() {
                    // A line that cannot be remembered can still be used.
                    let _ = editor.add_history_entry(line.as_str());
                }
                Some(line)
            }
            Lines::Script(input) => {
                let mut bytes = Vec::new();
                match input.take(MAX_REQUEST_BYTES).read_until(b'\n', &mut bytes) {
                    Ok(0) | Err(_) => None,
                    Ok(_) => Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()),
                }
            }
        }
    }
}
