//! `sioco graph`: a picture of a model.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sioco_lang::diagnostic::did_you_mean;
use sioco_model::{Model, ProcessId};
use sioco_report::graph;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::{Choices, deliver, load};
use crate::output::Output;
use crate::switch_text::as_written;

/// Draw a model
///
/// Writes the picture to standard output, or to a file with --output. SVG needs no other program; DOT is for Graphviz,
/// and Mermaid for web pages that support it.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco graph model.sts > model.svg
  sioco graph model.sts -o model.dot
  sioco graph model.sts --format mermaid --process Sender")]
pub struct Graph {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    choices: Choices,

    /// The kind of picture [default: by the name of the output file, otherwise SVG]
    #[arg(long, value_enum)]
    format: Option<Picture>,

    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Draws only this process of the system, or this instance
    #[arg(long, value_name = "NAME")]
    process: Option<String>,
}

/// The kinds of pictures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Picture {
    /// A picture for browsers and documents.
    Svg,
    /// A graph for Graphviz.
    Dot,
    /// A flowchart for Mermaid.
    Mermaid,
}

impl Graph {
    /// Draws the model.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let (checked, model) = load(&self.file, &self.choices, out)?;
        let only = match &self.process {
            Some(name) => Some(process(&model.model, name)?),
            None => None,
        };
        let options = graph::PictureOptions { only, ..graph::PictureOptions::default() };
        let text = as_written(&checked.sources, &model);
        let picture = match self.picture()? {
            Picture::Svg => graph::svg(&model.model, &text, &options),
            Picture::Dot => graph::dot(&model.model, &text, &options),
            Picture::Mermaid => graph::mermaid(&model.model, &text, &options),
        };
        deliver(&picture, self.output.as_ref(), out)?;
        Ok(Exit::Ok)
    }

    fn picture(&self) -> Result<Picture, Failure> {
        let extension = self.output.as_ref().and_then(|path| path.extension()).and_then(|extension| extension.to_str());
        Ok(match (self.format, extension) {
            (Some(format), _) => format,
            (None, Some("dot" | "gv")) => Picture::Dot,
            (None, Some("mmd" | "mermaid")) => Picture::Mermaid,
            (None, Some("svg") | None) => Picture::Svg,
            (None, Some(other)) => {
                let failure = Failure::usage(format!("pictures of the kind `.{other}` cannot be written"));
                return Err(failure.help("name the file `.svg`, `.dot` or `.mmd`, or give `--format`"));
            }
        })
    }
}

fn process(model: &Model, name: &str) -> Result<ProcessId, Failure> {
    // The name of an instance, or of a process, of which the first instance is drawn.
    let named = model.processes.iter().find(|(_, process)| process.name == name);
    let found = named.or_else(|| model.processes.iter().find(|(_, process)| process.template == name));
    found.map(|(id, _)| id).ok_or_else(|| {
        let names: Vec<&str> = model.processes.values().map(|process| process.name.as_str()).collect();
        let failure = Failure::usage(format!("there is no process `{name}` in `{}`", model.name));
        match did_you_mean(name, names.iter().copied()) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help(format!("the processes are: {}", names.join(", "))),
        }
    })
}
