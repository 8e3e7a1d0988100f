//! Lines that would be an output if only their values were different. They are used in messages only.

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use super::error::RegexError;
use super::matcher::bytes;
use super::room::Room;
use super::template::Piece;

/// A template for a line, with any text for its values.
pub(super) struct Nearly {
    regex: Regex,
    /// The parameters, in their order in the line, and whether each is in quotes.
    values: Vec<(usize, bool)>,
    /// How many characters of the line do not depend on values.
    pub(super) literals: usize,
}

impl Nearly {
    /// For a template that is written as `text`; nothing if it has no values, or nothing else.
    pub(super) fn new(pieces: &[Piece], text: &str, room: &mut Room) -> Result<Option<Nearly>, RegexError> {
        let (mut pattern, mut values, mut literals) = (String::new(), Vec::new(), 0);
        for piece in pieces {
            match piece {
                Piece::Literal(text) => {
                    literals += text.chars().filter(|c| !c.is_whitespace()).count();
                    pattern.push_str(&regex_syntax::escape(text));
                }
                Piece::Length(_) => pattern.push_str("[^\\r\\n]*?"),
                Piece::Value(at) | Piece::Quoted(at) => {
                    values.push((*at, matches!(piece, Piece::Quoted(_))));
                    pattern.push_str("([^\\r\\n]*?)");
                }
            }
        }
        if literals == 0 || values.is_empty() {
            return Ok(None);
        }
        let regex = room.build(Regex::builder().syntax(bytes()), &format!("(?:{pattern})\\z"), text)?;
        Ok(Some(Nearly { regex, values, literals }))
    }

    /// What stands for each value in a line without its end, if the rest fits.
    pub(super) fn values(&self, line: &str) -> Option<Vec<(usize, bool, String)>> {
        let mut captures = self.regex.create_captures();
        self.regex.captures(Input::new(line).anchored(Anchored::Yes), &mut captures);
        let text = |i: usize| line.get(captures.get_group(i + 1)?.range()).map(str::to_owned);
        self.values.iter().enumerate().map(|(i, (at, quoted))| Some((*at, *quoted, text(i)?))).collect()
    }
}
