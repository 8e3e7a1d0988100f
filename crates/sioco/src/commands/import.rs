//! `sioco import`: models of other tools.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sioco_lang::check_text;
use sioco_lang::import::{Order, raxml_with};
use sioco_lang::source::FileId;
use sioco_lang::syntax::format::format;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::model::{deliver, read_text};
use crate::output::Output;

/// Convert a model from another format
///
/// The result is checked and formatted, and goes to standard output or to a file with --output. Changes and assumptions
/// are listed on standard error and in the first lines of the result.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco import protocol.xml -o protocol.sts
  sioco import --assignments at-once learned.xml")]
pub struct Import {
    /// The file to import
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of the file
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "raxml")]
    from: From,

    /// How the assignments of one transition are meant; the files do not say
    #[arg(long, value_enum, value_name = "ORDER", default_value = "auto")]
    assignments: Assignments,
}

/// The formats that can be imported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum From {
    /// Register automata in the XML format of RaLib and the Automata Wiki
    Raxml,
}

/// How assignments are executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Assignments {
    /// At once, unless a variable would then be read before anything is assigned to it; which it is, is told
    Auto,
    /// One after the other, as in handwritten files and those of the Automata Wiki
    InOrder,
    /// All at once on the old values, as RaLib reads and writes them
    AtOnce,
}

impl Import {
    /// Imports the file.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let shown = self.file.shown();
        let text = read_text(&self.file, out).ok_or(Failure::reported(Exit::Usage))?;
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let order = match self.assignments {
            Assignments::Auto => Order::Auto,
            Assignments::InOrder => Order::InOrder,
            Assignments::AtOnce => Order::AtOnce,
        };
        let imported = match self.from {
            From::Raxml => raxml_with(&text, &name, order),
        };
        let imported = imported.map_err(|error| {
            let separator = if error.place().is_some() { ":" } else { ": " };
            Failure::usage(format!("{shown}{separator}{error}"))
        })?;
        let model = finished(&imported.text, &self.file, out)?;
        for note in &imported.notes {
            out.say(format_args!("{}: {note}", out.err_style().bold("note")));
        }
        deliver(&model, self.output.as_ref(), out)?;
        Ok(Exit::Ok)
    }
}

/// The imported text, formatted, if it is a model without errors.
fn finished(text: &str, from: &Path, out: &mut Output) -> Result<String, Failure> {
    let name = from.with_extension("sts").file_name().unwrap_or_default().to_string_lossy().into_owned();
    let checked = check_text(&name, text);
    if checked.has_errors() {
        for problem in &checked.diagnostics {
            out.diagnostic(&checked.sources, problem);
        }
        let failure = Failure::usage(format!("what was made of `{}` is not a correct model", from.shown()));
        return Err(failure.help("fix the file at the places that these errors come from; nothing was written"));
    }
    Ok(format(FileId(0), text).expect("a text without errors can be formatted"))
}
