//! Register automata in the XML format of RaLib and the Automata Wiki.
//!
//! The format has a schema but no description of its meaning. This import follows the two programs that come with the
//! benchmarks (RaLib, and the reader in the raxml repository). Beyond that, it does what the files need to make
//! sense:
//!
//! - A name is looked for among the parameters of the transition, then the registers, then the constants. A constant
//!   may also be referred to by its value.
//! - Guards are evaluated before the assignments. Those of outputs see registers and constants only.
//! - The parameters of an output are evaluated **after** the assignments of the same transition: `OGet(out)` with
//!   `out := r0` gives `r0`. Both programs do so, and the queues and stacks among the benchmarks depend on it.
//! - Assignments come in two dialects, see [`Order`].
//! - `x := __fresh__` on an output that has `x` as a parameter lets the system choose a value that differs from every
//!   register and constant of that data type and from the other parameters.

mod expr;
mod names;
mod prune;
mod read;
mod reading;
#[cfg(test)]
mod tests;
mod write;

use roxmltree::{Document, ParsingOptions};
use rustc_hash::FxHashSet;

use self::expr::{Expr, Ref};
use self::read::Reader;
use self::reading::Guess;
use super::{FilePosition, ImportError, Imported};
use crate::source::MAX_FILE_BYTES;

/// At most this many nodes of XML are read: far more than the largest automaton needs. The file itself is
/// [bounded](crate::source::MAX_FILE_BYTES), so that this is about half as many nodes as it can hold at most.
const MAX_NODES: u32 = 4_000_000;

/// An element may have at most this many attributes: the time to read them grows with the square of their number. An
/// automaton has a few for each.
const MAX_ATTRIBUTES: usize = 1000;

/// A note lists at most this many names: some lines of a terminal.
const MAX_LISTED: usize = 20;

/// How the assignments of one transition are executed. The files do not say; there are two dialects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// As RaLib does, at once, unless what the file reads shows that it means the other.
    #[default]
    Auto,
    /// One after the other: `t := x; x := y; y := t` swaps. Handwritten files and those of the Automata Wiki, such as
    /// the Bounded Retransmission Protocol, mean this.
    InOrder,
    /// All at once on the old values: `x := y; y := x` swaps. RaLib's own loader does this.
    AtOnce,
}

/// Turns a register automaton into text of our language, with assignments executed as the file seems to mean them.
///
/// `name` is the name of the file, for the header and the name of the process.
pub fn raxml(xml: &str, name: &str) -> Result<Imported, ImportError> {
    raxml_with(xml, name, Order::default())
}

/// Turns a register automaton into text of our language.
pub fn raxml_with(xml: &str, name: &str, order: Order) -> Result<Imported, ImportError> {
    if xml.len() as u64 > MAX_FILE_BYTES {
        return Err(ImportError::TooLarge { what: format!("{} bytes", xml.len()) });
    }
    if let Some(count) = most_attributes(xml).filter(|count| *count > MAX_ATTRIBUTES) {
        return Err(ImportError::TooLarge { what: format!("an element with {count} attributes") });
    }
    // No document type: entities could make a small file arbitrarily large.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let doc = Document::parse_with_options(xml, options).map_err(xml_error)?;
    let first = if order == Order::Auto { Order::AtOnce } else { order };
    let mut reader = Reader::new(&doc, first);
    let mut automaton = reader.read()?;
    if order == Order::Auto {
        reader.notes.guessed = reading::guess(&automaton);
        if let Some(Guess::InOrder(why)) = reader.notes.guessed {
            reader = Reader::new(&doc, Order::InOrder);
            automaton = reader.read()?;
            let (name, at) = (&automaton.registers[why.register].name, reader.place(why.at));
            reader.notes.not_at_once = Some(match why.twice {
                true => format!("`{name}`, which is assigned again at {at}, is assigned in vain"),
                false => format!("`{name}` is read at {at} before anything is assigned to it"),
            });
            reader.notes.guessed = Some(Guess::InOrder(why));
        }
    }
    let automaton = automaton.pruned(&mut reader.notes);
    Ok(write::write(&automaton, name, reader.notes))
}

/// The number of attributes of the element that has most; roughly, as this is before the XML is known to be any.
fn most_attributes(xml: &str) -> Option<usize> {
    let count = |tag: &str| {
        let (mut count, mut quote) = (0, None);
        for b in tag.bytes() {
            match quote {
                Some(q) if q == b => quote = None,
                Some(_) => {}
                None if b == b'>' => break,
                None if b == b'"' || b == b'\'' => {
                    count += 1;
                    quote = Some(b);
                }
                None => {}
            }
        }
        count
    };
    // A tag ends at the latest where the next one begins: no attribute has a `<` in it.
    xml.split('<').skip(1).map(count).max()
}

fn xml_error(error: roxmltree::Error) -> ImportError {
    let at = FilePosition { line: error.pos().row, column: error.pos().col };
    match error {
        roxmltree::Error::NodesLimitReached => {
            ImportError::TooLarge { what: format!("more than {MAX_NODES} elements and texts") }
        }
        roxmltree::Error::DtdDetected => ImportError::NotXml {
            message: "it has a document type, which is not read: remove `<!DOCTYPE …>`".into(),
            at,
        },
        roxmltree::Error::NoRootNode => ImportError::NotXml { message: "it is empty".into(), at },
        other => {
            // The parser's own message ends with the place, which is said already.
            let text = other.to_string();
            let message = text.rsplit_once(" at ").map_or(text.as_str(), |(message, _)| message);
            ImportError::NotXml { message: message.into(), at }
        }
    }
}

/// What is to be told, gathered while reading and pruning.
#[derive(Default)]
struct Notes {
    /// Elements, attributes and texts that are not understood: what, and where first.
    ignored: Vec<(String, FilePosition)>,
    /// Data types that are taken as Int.
    types: Vec<String>,
    /// Something declared twice without harm.
    twice: Vec<String>,
    /// Transitions whose assignments would mean something else in the other order: how many, and where first.
    order: Option<(usize, FilePosition)>,
    /// Outputs with parameters that the same transition assigns: how many, and where first.
    after: Option<(usize, FilePosition)>,
    /// Outputs of fresh values: how many, and where first.
    fresh: Option<(usize, FilePosition)>,
    /// What is left out because nothing uses it: what, and which.
    dropped: Vec<(&'static str, Vec<String>)>,
    /// Locations without a way out.
    sinks: Vec<String>,
    /// Names that were changed: what, from, to.
    renamed: Vec<(&'static str, String, String)>,
    /// The same, to tell each once.
    seen: FxHashSet<(&'static str, String, String)>,
    /// How assignments were executed.
    executed: Order,
    /// Why, if nobody asked for it.
    guessed: Option<Guess>,
    /// What would happen at once, where that shows that it is not meant.
    not_at_once: Option<String>,
}

/// A type of our language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Bool,
    Int,
    Real,
    String,
}

impl Type {
    fn text(self) -> &'static str {
        match self {
            Type::Bool => "Bool",
            Type::Int => "Int",
            Type::Real => "Real",
            Type::String => "String",
        }
    }
}

/// A parameter of a symbol.
struct Param {
    name: String,
    ty: Type,
    /// The type as the file calls it: RaLib never takes values of two of them as equal.
    data_type: String,
}

/// An input or output.
struct Symbol {
    name: String,
    input: bool,
    params: Vec<Param>,
    at: usize,
}

/// A register or constant.
struct Value {
    name: String,
    ty: Type,
    data_type: String,
    /// The value in our language.
    value: Expr,
    /// The value as written.
    written: String,
    at: usize,
    /// Where it is declared again with another value.
    conflict: Option<(String, usize)>,
}

/// A location.
struct Location {
    name: String,
}

/// An argument of an output.
enum Arg {
    Term(Expr),
    /// The system chooses the value.
    Any,
}

/// A transition.
struct Transition {
    from: usize,
    to: usize,
    symbol: usize,
    /// The names of the parameters here.
    names: Vec<String>,
    /// Of an output.
    args: Vec<Arg>,
    guard: Option<Expr>,
    /// One assignment for each variable, all at once.
    update: Vec<(usize, Expr)>,
    /// What its assignments tell about the order that they are meant in.
    order: reading::Evidence,
}

/// The automaton. Lists keep the order of the file.
struct Automaton {
    symbols: Vec<Symbol>,
    constants: Vec<Value>,
    registers: Vec<Value>,
    locations: Vec<Location>,
    initial: usize,
    transitions: Vec<Transition>,
}

impl Transition {
    /// Calls `f` for every name in guard, arguments and update.
    fn visit(&self, f: &mut impl FnMut(Ref)) {
        self.guard.iter().for_each(|g| g.visit(f));
        for arg in &self.args {
            if let Arg::Term(term) = arg {
                term.visit(f);
            }
        }
        self.update.iter().for_each(|(_, value)| value.visit(f));
    }
}
