//! Texts that are sent unchanged: which values a line, or a header, cannot carry.
//!
//! With a name of two lines, `USER {name}` would be two lines, and the second is not an input of the model. A tester
//! that took it for an input would blame the system. So such values are not inputs at all: see [`Dialect::plain`].

use sioco_model::GateId;
use sioco_model::model::{Direction, Model};
use sioco_model::sort::Sort;

use super::dialect::Dialect;
use super::template::{Piece, template};
use crate::config::InputConfig;

/// What always ends a line.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// What else a header of HTTP cannot carry: all other control characters but the tab (RFC 9110, section 5.5).
fn controls() -> impl Iterator<Item = char> {
    ('\0'..' ').chain(['\x7f']).filter(|c| !LINE_ENDS.contains(c) && *c != '\t')
}

/// A parameter of an input whose text goes out as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plain {
    /// The gate.
    pub gate: GateId,
    /// Which of its parameters.
    pub param: usize,
    /// The characters that its values cannot have.
    pub without: Vec<char>,
}

impl Dialect {
    /// The parameters of inputs whose texts go out as they are, in a line or in a header of HTTP. A line says where a
    /// text ends if it has its length, and a text in quotes has no line ends.
    pub fn plain(&self, model: &Model) -> Vec<Plain> {
        let mut found = Vec::new();
        for (gate, about) in model.gates.iter().filter(|(_, g)| g.direction == Direction::Input) {
            let Some((_, input)) = self.config.inputs.0.iter().find(|(name, _)| *name == about.name) else { continue };
            let (texts, line_end): (Vec<&String>, &str) = match input {
                // Without a line end, there are no lines.
                InputConfig::Text(_) if self.config.line_end.is_empty() => continue,
                InputConfig::Text(text) => (vec![text], &self.config.line_end),
                InputConfig::Request(request) => (request.headers.values().collect(), ""),
            };
            // What is wrong with a template is told elsewhere.
            let pieces = texts.iter().map(|text| template(text, &about.params).unwrap_or_default());
            let pieces: Vec<Vec<Piece>> = pieces.collect();
            let mut without = LINE_ENDS.to_vec();
            without.extend(line_end.chars().filter(|c| !LINE_ENDS.contains(c)));
            if matches!(input, InputConfig::Request(_)) {
                without.extend(controls());
            }
            for (param, p) in about.params.iter().enumerate() {
                let is_plain = |pieces: &Vec<Piece>| {
                    let framed = matches!(input, InputConfig::Text(_)) && pieces.contains(&Piece::Length(param));
                    pieces.contains(&Piece::Value(param)) && !framed
                };
                if *model.sorts.get(p.sort) == Sort::String && pieces.iter().any(is_plain) {
                    found.push(Plain { gate, param, without: without.clone() });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const MODEL: &str = "type K = A | B\ninput i(a: String, b: String, n: Int, k: K, s: Seq<String>)\nprocess Q { init l { ?i(a, b, n, k, s) -> l } }";

    /// The names of the parameters, and what their values cannot have.
    fn plain(line_end: &str, input: &str) -> Vec<(String, String)> {
        let model = sioco_lang::check_text("m.sts", MODEL).model.expect("a model").model;
        let config = format!("[dialect.d]\nline-end = {line_end}\n[dialect.d.inputs]\ni = {input}");
        let config: Config = config.parse().unwrap_or_else(|why| panic!("{why}"));
        let dialect = Dialect { name: "d".into(), config: config.dialect["d"].clone() };
        let name = |p: &Plain| model.gates[p.gate].params[p.param].name.clone();
        dialect.plain(&model).iter().map(|p| (name(p), p.without.iter().collect())).collect()
    }

    #[test]
    fn texts_that_could_break_a_line_are_found() {
        let of = |name: &str, without: &str| (name.to_owned(), without.to_owned());
        assert_eq!(plain(r#""\n""#, r#""I {a} {b} {n} {k} {s}""#), [of("a", "\n\r"), of("b", "\n\r")]);
        assert_eq!(plain(r#"";\r\n""#, r#""I {a} {quoted(b)}""#), [of("a", "\n\r;")]);
        assert_eq!(plain(r#""\n""#, r#""I {len(a)} {a} {quoted(b)}""#), []);
        assert_eq!(plain(r#""""#, r#""I {a}""#), []);
        // A path and a body carry anything; a header is a line, whatever its length is.
        let request = r#"{ method = "GET", path = "/{a}", headers = { x = "{len(b)} {b}" }, body = "{a}" }"#;
        let [(name, without)] = &plain(r#""\n""#, request)[..] else { panic!("one parameter") };
        assert!(name == "b" && without.starts_with("\n\r"), "{without:?}");
        assert!(('\0'..='\u{ff}').all(|c| without.contains(c) == (c.is_ascii_control() && c != '\t')), "{without:?}");
    }
}
