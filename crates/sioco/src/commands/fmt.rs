//! `sioco fmt`: one layout for all models.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use similar::TextDiff;
use sioco_lang::source::{MAX_FILE_BYTES, SourceMap, decode, read_at_most};
use sioco_lang::syntax::format::format;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::files::ShownPath;
use crate::model::{read_text, tell_load_error};
use crate::output::{Output, count};
use crate::style::Style;

/// Comparing takes at most this long; after that the differences are shown less finely. Files of people take
/// milliseconds; two that have nothing in common grow with the square of their length.
const DIFF_LIMIT: Duration = Duration::from_secs(5);

/// Format models
///
/// Changes files in place, and only if their layout differs. A file with syntax errors is left alone. With --check
/// nothing is written: the changes go to standard output as a unified diff, and the exit code is 2 if there are any.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco fmt model.sts
  sioco fmt --check models/*.sts
  sioco fmt --stdin < model.sts")]
pub struct Fmt {
    /// The models
    #[arg(required_unless_present = "stdin", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Only shows what would change
    #[arg(long)]
    check: bool,

    /// Formats standard input to standard output
    #[arg(long, conflicts_with = "files")]
    stdin: bool,
}

/// What became of a file.
enum Outcome {
    Formatted,
    Unchanged,
    Wrong,
}

impl Fmt {
    /// Formats all files.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        if self.stdin {
            return self.standard_input(out);
        }
        let (mut formatted, mut unchanged, mut wrong) = (0, 0, 0);
        for path in &self.files {
            match self.file(path, out)? {
                Outcome::Formatted => formatted += 1,
                Outcome::Unchanged => unchanged += 1,
                Outcome::Wrong => wrong += 1,
            }
        }
        let mut parts = Vec::new();
        if formatted > 0 {
            let verb = if self.check { "would be formatted" } else { "formatted" };
            parts.push(format!("{} {verb}", count(formatted, "file")));
        }
        if unchanged > 0 {
            parts.push(format!("{} already formatted", count(unchanged, "file")));
        }
        if wrong > 0 {
            parts.push(format!("{} not understood", count(wrong, "file")));
        }
        out.say(parts.join(", "));
        let bad = wrong > 0 || self.check && formatted > 0;
        Ok(if bad { Exit::Usage } else { Exit::Ok })
    }

    fn file(&self, path: &Path, out: &mut Output) -> Result<Outcome, Failure> {
        let Some(text) = read_text(path, out) else { return Ok(Outcome::Wrong) };
        let shown = path.shown();
        let Some(result) = formatted(&shown, &text, out) else { return Ok(Outcome::Wrong) };
        if result == text {
            return Ok(Outcome::Unchanged);
        }
        if self.check {
            out.print(&diff(&shown, &text, &result, out.style()));
        } else {
            files::rewrite(path, &result).map_err(|error| Failure::write(path, &error))?;
            out.say(format_args!("formatted {shown}"));
        }
        Ok(Outcome::Formatted)
    }

    fn standard_input(&self, out: &mut Output) -> Result<Exit, Failure> {
        let read = read_at_most(std::io::stdin().lock(), MAX_FILE_BYTES);
        let text = read.and_then(decode).map_err(|error| {
            tell_load_error("<stdin>", &error, out);
            Failure::reported(Exit::Usage)
        })?;
        let Some(result) = formatted("<stdin>", &text, out) else { return Err(Failure::reported(Exit::Usage)) };
        if !self.check {
            out.data(&result);
            return Ok(Exit::Ok);
        }
        out.print(&diff("<stdin>", &text, &result, out.style()));
        Ok(if result == text { Exit::Ok } else { Exit::Usage })
    }
}

/// The text formatted, or `None` if it is wrong, which is told here.
fn formatted(name: &str, text: &str, out: &mut Output) -> Option<String> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    match format(file, text) {
        Ok(result) => Some(result),
        Err(problems) => {
            for problem in &problems {
                out.diagnostic(&sources, problem);
            }
            None
        }
    }
}

fn diff(name: &str, old: &str, new: &str, style: Style) -> String {
    if old == new {
        return String::new();
    }
    let diff = TextDiff::configure().timeout(DIFF_LIMIT).diff_lines(old, new);
    let text = diff.unified_diff().header(name, &format!("{name} (formatted)")).to_string();
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        shown.push_str(&match line.as_bytes().first() {
            Some(b'+') => style.green(content),
            Some(b'-') => style.red(content),
            Some(b'@') => style.cyan(content),
            _ => content.to_owned(),
        });
        shown.push_str(&line[content.len()..]);
    }
    shown
}
