//! `sioco explain`: more about a code, a kind of finding, or a term.

use std::borrow::Cow;

use clap::Args;
use sioco_lang::Code;
use sioco_lang::diagnostic::{Severity, did_you_mean};
use sioco_report::run::code::Code as Verdict;
use sioco_report::run::word::Word;
use sioco_report::topic::TopicLine;
use sioco_symbolic::analysis::Kind;

use crate::analyze::kinds;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::glossary::{self, Entry};
use crate::markdown;
use crate::output::{Format, Output};
use crate::style::Style;

/// Explain a code, a kind of finding, or a term such as `probe`
///
/// Codes come from `sioco check` and `sioco test`, kinds of findings from `sioco analyze`; both have examples. Terms are
/// those of docs/glossary.md. A number such as T-B2 is a definition of docs/theory.md. Without an argument, lists all
/// codes, kinds and terms.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco explain N001
  sioco explain sioco::n001
  sioco explain deadlock
  sioco explain DistDeg
  sioco explain T-G5
  sioco explain | grep -i guard")]
pub struct Explain {
    /// A code such as `N001` or `sioco::N001`, a kind of finding such as `deadlock`, a term such as `probe`, or a number
    /// such as `T-B2`
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,

    /// Output format: text for people, or JSON (one object per line)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Explain {
    /// Explains one topic, or lists all.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let style = out.style();
        match (&self.topic, self.format) {
            (Some(text), Format::Human) => {
                let topic = find(text)?;
                out.line(topic.head(style));
                out.print(&markdown::render(&topic.page(), style, out.width()));
            }
            (Some(text), Format::Json) => {
                let topic = find(text)?;
                out.object(&TopicLine { explanation: Some(topic.page().to_string()), ..topic.object() });
            }
            (None, Format::Human) => {
                for topic in all() {
                    out.line(format_args!("{}  {}", style.bold(topic.name()), topic.title()));
                }
            }
            (None, Format::Json) => {
                for topic in all() {
                    out.object(&topic.object());
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
    /// A term of the glossary.
    Term(Entry),
    /// A definition or rule of the theory.
    Rule(Entry),
}

fn all() -> impl Iterator<Item = Topic> {
    let codes = Code::ALL.iter().map(|code| Topic::Code(*code));
    let others = Verdict::ALL.map(Topic::Verdict).into_iter().chain(Word::ALL.map(Topic::Word));
    // A term that is also a word or a kind has a page of its own there.
    let is_new = |term: &Entry| term.names().all(|name| Word::parse(name).is_none() && kinds::parse(name).is_none());
    let terms = glossary::terms().filter(is_new).map(Topic::Term);
    codes.chain(others).chain(Kind::ALL.map(Topic::Kind)).chain(terms)
}

impl Topic {
    fn name(self) -> &'static str {
        match self {
            Topic::Code(code) => code.short(),
            Topic::Kind(kind) => kind.name(),
            Topic::Verdict(code) => code.short(),
            Topic::Word(word) => word.name(),
            Topic::Term(entry) | Topic::Rule(entry) => entry.heading(),
        }
    }

    fn title(self) -> Cow<'static, str> {
        match self {
            Topic::Code(code) => code.title().into(),
            Topic::Kind(kind) => kinds::title(kind).into(),
            Topic::Verdict(code) => code.title().into(),
            Topic::Word(word) => word.title().into(),
            Topic::Term(entry) => entry.sentence().into(),
            Topic::Rule(entry) => entry.heading().into(),
        }
    }

    fn page(self) -> Cow<'static, str> {
        match self {
            Topic::Code(code) => code.explanation().into(),
            Topic::Kind(kind) => kinds::page(kind).into(),
            Topic::Verdict(code) => code.page().into(),
            Topic::Word(word) => word.page().into(),
            Topic::Term(entry) | Topic::Rule(entry) => entry.page().into(),
        }
    }

    /// How bad it is, where it is something that may be wrong.
    fn severity(self) -> Option<&'static str> {
        match self {
            Topic::Code(code) => match code.severity() {
                Severity::Error => Some("error"),
                Severity::Warning => Some("warning"),
            },
            Topic::Kind(kind) => Some(kinds::severity(kind)),
            Topic::Verdict(_) => Some("error"),
            Topic::Word(word) => Some(word.severity()),
            Topic::Term(_) | Topic::Rule(_) => None,
        }
    }

    fn head(self, style: Style) -> String {
        let Some(severity) = self.severity() else { return style.bold(self.name()) };
        let head = match self {
            Topic::Code(code) => format!("{severity}[{code}]"),
            Topic::Verdict(code) => format!("{severity}[{code}]"),
            Topic::Kind(_) | Topic::Word(_) | Topic::Term(_) | Topic::Rule(_) => format!("{severity}[{}]", self.name()),
        };
        if severity == "error" { style.red(head) } else { style.bold(head) }
    }

    fn object(self) -> TopicLine {
        let line = TopicLine { severity: self.severity(), title: self.title().to_string(), ..TopicLine::default() };
        match self {
            Topic::Code(code) => TopicLine { code: Some(code.to_string()), ..line },
            Topic::Kind(kind) => TopicLine { kind: Some(kind.to_string()), ..line },
            Topic::Verdict(code) => TopicLine { code: Some(code.to_string()), ..line },
            Topic::Word(word) => TopicLine { word: Some(word.name().to_owned()), ..line },
            Topic::Term(entry) => TopicLine { term: Some(entry.heading().to_owned()), ..line },
            Topic::Rule(entry) => TopicLine { rule: Some(entry.heading().to_owned()), ..line },
        }
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
    let found = found.or_else(|| glossary::rule(text).map(Topic::Rule));
    let found = found.or_else(|| glossary::term(text).map(Topic::Term));
    found.ok_or_else(|| {
        let failure = Failure::usage(format!("there is no code, no kind of finding and no term `{text}`"));
        let codes = Code::ALL.iter().map(|code| code.short()).chain(Verdict::ALL.map(Verdict::short));
        let near = did_you_mean(short, codes);
        let words = || Word::ALL.map(Word::name).into_iter().chain(Kind::ALL.iter().map(|kind| kind.name()));
        let near = near.or_else(|| did_you_mean(&text.to_lowercase(), words()));
        match near.or_else(|| did_you_mean(text, glossary::terms().flat_map(Entry::names))) {
            Some(near) => failure.help(format!("did you mean `{near}`? `sioco explain` lists all of them")),
            None => failure.help("`sioco explain` lists all of them"),
        }
    })
}
