//! The list of what was looked at.

use sioco_exec::Fault;
use sioco_model::visible;
use sioco_report::adapter::{AdapterCheck, CheckLine, Facts};

use crate::exit::Exit;
use crate::output::{Format, Output};

/// At most this many lines of an adapter, and as many outputs, are shown: enough to see what they are.
pub const SHOWN: usize = 5;

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// As it should be.
    Ok,
    /// Worth knowing, neither good nor bad.
    Note,
    /// To be looked at.
    Warn,
    /// Wrong.
    Fail,
}

impl Mark {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Ok => "ok",
            Mark::Note => "note",
            Mark::Warn => "warn",
            Mark::Fail => "fail",
        }
    }
}

/// The list of what was looked at, shown as it grows.
pub struct List<'o, 'w> {
    /// Where it is shown.
    pub out: &'o mut Output<'w>,
    format: Format,
    items: Vec<CheckLine>,
    marks: Vec<Mark>,
    /// What was found out, for programs.
    pub facts: Facts,
}

impl<'o, 'w> List<'o, 'w> {
    /// With nothing in it, about an adapter of this name.
    pub fn new(out: &'o mut Output<'w>, format: Format, adapter: &str) -> Self {
        let facts = Facts { adapter: adapter.to_owned(), ..Facts::default() };
        List { out, format, items: Vec::new(), marks: Vec::new(), facts }
    }

    /// Adds something, and shows it.
    pub fn add(&mut self, mark: Mark, what: &'static str, text: impl Into<String>, more: Vec<String>) {
        let item = CheckLine {
            status: mark.name(),
            check: what,
            message: visible::line(&text.into()).into_owned(),
            details: more.iter().map(|m| visible::line(m).into_owned()).collect(),
        };
        if self.format == Format::Human {
            let style = self.out.style();
            let name = format!("{:<4}", mark.name());
            let name = match mark {
                Mark::Ok => style.green(name),
                Mark::Note => style.dim(name),
                Mark::Warn => style.yellow(name),
                Mark::Fail => style.red(name),
            };
            self.out.line(format_args!("  {name}  {:<11} {}", what, item.message));
            for line in &item.details {
                self.out.line(format_args!("  {:<4}  {:<11} {line}", "", ""));
            }
            self.out.flush();
        }
        self.items.push(item);
        self.marks.push(mark);
    }

    /// Adds a fault, with the last words of the adapter.
    pub fn fault(&mut self, what: &'static str, fault: &Fault) {
        self.add(Mark::Fail, what, fault.message.clone(), last_words(&fault.stderr));
    }

    /// How many are so.
    pub fn count(&self, mark: Mark) -> usize {
        self.marks.iter().filter(|m| **m == mark).count()
    }

    /// All of it, for programs.
    pub fn finished(self, exit: Exit) -> (AdapterCheck, &'o mut Output<'w>) {
        let check = AdapterCheck { ok: exit == Exit::Ok, exit: exit as u8, checks: self.items, facts: self.facts };
        (check, self.out)
    }
}

/// The last lines on standard error.
pub fn last_words(stderr: &[String]) -> Vec<String> {
    stderr.iter().rev().take(SHOWN).rev().map(|line| format!("stderr: {line}")).collect()
}
