//! `sioco explain`: more about a code, or about a kind of finding.

use clap::Args;
use serde_json::{Value, json};
use sioco_lang::Code;
use sioco_lang::diagnostic::{Severity, did_you_mean};
use sioco_report::run::code::Code as Verdict;
use sioco_report::run::word::Word;
use sioco_symbolic::analysis::Kind;

use crate::analyze::kinds;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::markdown;
use crate::output::{Format, Output};
use crate::style::Style;

/// Say more about a code of `sioco check` or `sioco test`, or a kind of `sioco analyze`, with examples
///
/// Without one, lists all of them.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco explain N001
  sioco explain sioco::n001
  sioco explain deadlock
  sioco explain | grep -i guard")]
pub struct Explain {
    /// The code, such as `N001` or `sioco::N001`, or the kind of finding, such as `deadlock`
    #[arg(value_name = "CODE")]
    code: Option<String>,

    /// Whom the output is for; as JSON, it is one object per line
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Explain {
    /// Explains one code or kind, or lists all.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let style = out.style();
        match (&self.code, self.format) {
            (Some(text), Format::Human) => {
                let topic = find(text)?;
                out.line(topic.head(style));
                out.print(&markdown::render(topic.page(), style, out.width()));
            }
            (Some(text), Format::Json) => {
                let topic = find(text)?;
                let mut object = topic.object();
                object["explanation"] = topic.page().into();
                out.line(object);
            }
            (None, Format::Human) => {
                for topic in all() {
                    out.line(format_args!("{}  {}", style.bold(topic.name()), topic.title()));
                }
            }
            (None, Format::Json) => {
                for topic in all() {
                    out.line(topic.object());
                }
            }
        }
        Ok(Exit::Ok)
    }
}

/// What there is a page about.
#[derive(Clone, Copy)]
enum Topic {
    /// A code of the checker.
    Code(Code),
    /// A kind of finding.
    Kind(Kind),
    /// A way in which a system does not conform.
    Verdict(Verdict),
    /// What is no verdict.
    Word(Word),
}

fn all() -> impl Iterator<Item = Topic> {
    let codes = Code::ALL.iter().map(|code| Topic::Code(*code));
    codes.chain(Verdict::ALL.map(Topic::Verdict)).chain(Word::ALL.map(Topic::Word)).chain(Kind::ALL.map(Topic::Kind))
}

impl Topic {
    fn name(self) -> &'static str {
        match self {
            Topic::Code(code) => code.short(),
            Topic::Kind(kind) => kind.name(),
            Topic::Verdict(code) => code.short(),
            Topic::Word(word) => word.name(),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Topic::Code(code) => code.title(),
            Topic::Kind(kind) => kinds::title(kind),
            Topic::Verdict(code) => code.title(),
            Topic::Word(word) => word.title(),
        }
    }

    fn page(self) -> &'static str {
        match self {
            Topic::Code(code) => code.explanation(),
            Topic::Kind(kind) => kinds::page(kind),
            Topic::Verdict(code) => code.page(),
            Topic::Word(word) => word.page(),
        }
    }

    fn severity(self) -> &'static str {
        match self {
            Topic::Code(code) => match code.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            Topic::Kind(kind) => kinds::severity(kind),
            Topic::Verdict(_) => "error",
            Topic::Word(word) => word.severity(),
        }
    }

    fn head(self, style: Style) -> String {
        let severity = self.severity();
        let head = match self {
            Topic::Code(code) => format!("{severity}[{code}]"),
            Topic::Kind(kind) => format!("{severity}[{kind}]"),
            Topic::Verdict(code) => format!("{severity}[{code}]"),
            Topic::Word(word) => format!("{severity}[{}]", word.name()),
        };
        if severity == "error" { style.red(head) } else { style.bold(head) }
    }

    fn object(self) -> Value {
        let (key, name) = match self {
            Topic::Code(code) => ("code", code.to_string()),
            Topic::Kind(kind) => ("kind", kind.to_string()),
            Topic::Verdict(code) => ("code", code.to_string()),
            Topic::Word(word) => ("word", word.name().to_owned()),
        };
        json!({ key: name, "severity": self.severity(), "title": self.title() })
    }
}

fn find(text: &str) -> Result<Topic, Failure> {
    let text = text.trim();
    // Case and prefix do not matter, as little as they do for codes that exist.
    let upper = text.to_uppercase();
    let short = upper.strip_prefix("SIOCO::").unwrap_or(&upper);
    let found = Code::parse(short).map(Topic::Code).or_else(|| Verdict::parse(short).map(Topic::Verdict));
    let found = found.or_else(|| Word::parse(text).map(Topic::Word));
    let found = found.or_else(|| kinds::parse(text).map(Topic::Kind));
    found.ok_or_else(|| {
        let failure = Failure::usage(format!("there is no code and no kind of finding `{text}`"));
        let codes = Code::ALL.iter().map(|code| code.short()).chain(Verdict::ALL.map(Verdict::short));
        let near = did_you_mean(short, codes);
        let words = || Word::ALL.map(Word::name).into_iter().chain(Kind::ALL.iter().map(|kind| kind.name()));
        match near.or_else(|| did_you_mean(&text.to_lowercase(), words())) {
            Some(near) => failure.help(format!("did you mean `{near}`? `sioco explain` lists all of them")),
            None => failure.help("`sioco explain` lists all of them"),
        }
    })
}
