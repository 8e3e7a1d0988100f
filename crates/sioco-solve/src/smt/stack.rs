//! The stack of conjuncts as text, and the part of it that a solver has received.
//!
//! Nothing is sent before it is needed: a level that closes before the next question costs nothing. The text is kept, so
//! that a restarted solver can be brought back to its former state.

use rustc_hash::FxHashMap;
use sioco_model::{SymbolId, TermId};

use super::sorts::Unwritable;
use super::write::{Features, Writer};
use crate::query::Terms;

/// The stack.
pub struct Stack {
    writer: Writer,
    levels: Vec<Level>,
}

#[derive(Default)]
struct Level {
    text: String,
    conjuncts: Vec<Conjunct>,
    features: Features,
}

struct Conjunct {
    term: TermId,
    /// Where in the text of its level its formula is, or why there is none.
    formula: Result<std::ops::Range<usize>, Unwritable>,
}

impl Default for Stack {
    fn default() -> Self {
        Stack { writer: Writer::default(), levels: vec![Level::default()] }
    }
}

impl Stack {
    /// Opens a level.
    pub fn push(&mut self) {
        self.writer.push();
        self.levels.push(Level::default());
    }

    /// Closes the last level; the first one stays.
    pub fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.writer.pop();
            self.levels.pop();
        }
    }

    /// Adds a conjunct.
    pub fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        let level = self.levels.last_mut().expect("the first level stays");
        let formula = match self.writer.conjunct(terms, conjunct) {
            Err(why) => Err(why),
            Ok(written) => {
                let start = level.text.len();
                level.text.push_str(&written.text);
                level.features = level.features.or(written.features);
                Ok(start + written.formula.start..start + written.formula.end)
            }
        };
        level.conjuncts.push(Conjunct { term: conjunct, formula });
    }

    /// How many levels there are, the first one included.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// What the conjuncts use.
    pub fn features(&self) -> Features {
        self.levels.iter().fold(Features::default(), |all, level| all.or(level.features))
    }

    /// The conjuncts.
    pub fn conjuncts(&self) -> Vec<TermId> {
        self.levels.iter().flat_map(|l| &l.conjuncts).map(|c| c.term).collect()
    }

    /// Why one of the conjuncts could not be written.
    pub fn trouble(&self) -> Option<&Unwritable> {
        self.levels.iter().flat_map(|l| &l.conjuncts).find_map(|c| c.formula.as_ref().err())
    }

    /// The symbols that have been declared.
    pub fn symbols(&self) -> &[SymbolId] {
        self.writer.symbols()
    }

    /// All of it, without levels.
    pub fn flat(&self, out: &mut String) {
        for level in &self.levels {
            out.push_str(&level.text);
        }
    }

    /// All of it, without levels, and each conjunct with a name; gives what the names mean.
    pub fn named(&self, out: &mut String) -> FxHashMap<String, TermId> {
        let mut names = FxHashMap::default();
        for level in &self.levels {
            let mut done = 0;
            for conjunct in &level.conjuncts {
                let Ok(formula) = &conjunct.formula else { continue };
                let name = format!("c{}", names.len());
                out.push_str(&level.text[done..formula.start]);
                out.push_str("(! ");
                out.push_str(&level.text[formula.clone()]);
                out.push_str(" :named ");
                out.push_str(&name);
                out.push(')');
                done = formula.end;
                names.insert(name, conjunct.term);
            }
            out.push_str(&level.text[done..]);
        }
        names
    }
}

/// What of the stack a solver has.
#[derive(Default)]
pub struct Sent {
    /// How much of each level's text.
    levels: Vec<usize>,
    /// How many levels it has that are closed.
    closed: usize,
}

impl Sent {
    /// To be called when the stack has closed a level.
    pub fn pop(&mut self, stack: &Stack) {
        if self.levels.len() > stack.depth() {
            self.levels.pop();
            self.closed += 1;
        }
    }

    /// Whether the solver has nothing.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Takes note that the solver was restarted.
    pub fn clear(&mut self) {
        *self = Sent::default();
    }

    /// The commands that bring the solver up to date.
    pub fn update(&mut self, stack: &Stack, out: &mut String) {
        if self.closed > 0 {
            out.push_str(&format!("(pop {})\n", self.closed));
            self.closed = 0;
        }
        for (i, level) in stack.levels.iter().enumerate() {
            if i == self.levels.len() {
                self.levels.push(0);
                out.push_str(if i > 0 { "(push 1)\n" } else { "" });
            }
            out.push_str(&level.text[self.levels[i]..]);
            self.levels[i] = level.text.len();
        }
    }
}
