//! What is wrong with a dialect whatever the model is: templates that cannot be read, and lines without an end.

use regex_automata::meta::Regex;

use super::dialect::{Dialect, describes_messages};
use super::error::{DialectError, Mistake, TemplateError};
use super::room::Room;
use super::template::well_formed;
use crate::config::{InputConfig, OutputConfig};

impl Dialect {
    /// Everything that is wrong with it for any model.
    pub fn mistakes(&self) -> Vec<DialectError> {
        let config = &self.config;
        let http = self.is_http();
        let (mut wrong, mut room) = (if http { Vec::new() } else { self.endless() }, Room::new());
        for (name, input) in &config.inputs.0 {
            let texts: Vec<&String> = match input {
                InputConfig::Text(text) => vec![text],
                InputConfig::Request(request) => {
                    [&request.path].into_iter().chain(request.headers.values()).chain(&request.body).collect()
                }
            };
            let found = texts.into_iter().filter_map(|text| well_formed(text).err());
            wrong.extend(found.map(|why| Mistake::Input { name: name.clone(), why }));
        }
        for (name, outputs) in &config.outputs.0 {
            if outputs.0.is_empty() && config.other.as_ref() != Some(name) {
                wrong.push(Mistake::NoTemplate(name.clone()));
            }
            for output in &outputs.0 {
                if room.is_full() {
                    break;
                }
                let found = check(output, http, &mut room).err();
                wrong.extend(found.map(|why| Mistake::Output { name: name.clone(), why }));
            }
        }
        wrong.into_iter().map(|what| self.error(what)).collect()
    }

    /// That something is wrong with it.
    pub(crate) fn error(&self, what: Mistake) -> DialectError {
        DialectError { dialect: self.name.clone(), what }
    }

    /// Whether it has requests, or responses.
    fn is_http(&self) -> bool {
        let response = |output: &OutputConfig| match output {
            OutputConfig::Full(full) => full.status.is_some() || !full.json.is_empty() || full.after.is_some(),
            OutputConfig::Line(_) => false,
        };
        self.config.inputs.0.iter().any(|(_, input)| matches!(input, InputConfig::Request(_)))
            || self.config.outputs.0.iter().any(|(_, all)| all.0.iter().any(response))
    }

    /// Lines that nothing ends: the last value would go on for ever, or be over after its first character.
    pub(super) fn endless(&self) -> Vec<Mistake> {
        let line = |output: &OutputConfig| match output {
            OutputConfig::Line(_) => true,
            OutputConfig::Full(full) => full.line.is_some(),
        };
        let lines = self.config.outputs.0.iter().filter(|(_, all)| all.0.iter().any(line));
        let why = |(name, _): &(String, _)| Mistake::Endless(name.clone());
        if self.config.line_end.is_empty() { lines.map(why).collect() } else { Vec::new() }
    }
}

fn check(output: &OutputConfig, http: bool, room: &mut Room) -> Result<(), TemplateError> {
    let full = match output {
        OutputConfig::Line(line) => return well_formed(line),
        OutputConfig::Full(full) => full,
    };
    if let Some(line) = &full.line {
        well_formed(line)?;
    }
    match &full.regex {
        Some(regex) if http => Ok(room.build(&Regex::builder(), regex, regex).map(|_| ())?),
        Some(regex) => describes_messages(regex, regex),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn mistakes(text: &str) -> Vec<String> {
        let config: Config = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
        Dialect { name: "d".into(), config: config.dialect["d"].clone() }
            .mistakes()
            .iter()
            .map(DialectError::to_string)
            .collect()
    }

    #[test]
    fn what_is_wrong_for_any_model_is_told() {
        for (text, expected) in [
            ("inputs.a = 'A {n'", "the input `a`: in `A {n`, a `{` is not closed"),
            ("inputs.a = 'A {twice(n)}'", "`twice` is unknown"),
            ("inputs.a = 'A {}'", "`` is not a valid parameter name"),
            ("inputs.a = { method = 'GET', path = '/}' }", "the input `a`: in `/}`, a `}`"),
            ("outputs.o = []", "the output `o` has no template"),
            ("outputs.o = ['x', 'O {n']", "the output `o`: in `O {n`"),
            ("outputs.o = { line = '{' }", "the output `o`: in `{`"),
            ("outputs.o = { regex = '(' }", "`(` is not a regular expression"),
            ("outputs.o = { regex = '' }", "`` also matches the empty text"),
            ("outputs.o = { regex = 'a$' }", "has `^`, `$` or"),
            ("outputs.o = { status = 200, regex = '(' }", "`(` is not a regular expression"),
            ("line-end = ''\noutputs.o = 'O {n}'", "the output `o` is a line, but `line-end` is empty"),
        ] {
            let found = mistakes(&format!("[dialect.d]\n{text}"));
            assert!(matches!(&found[..], [why] if why.contains(expected)), "{text}: {found:?}");
        }
        for text in [
            "outputs.o = []\nother = 'o'",
            "line-end = ''\noutputs.o = { regex = 'x' }",
            "inputs.a = { method = 'GET', path = '/{n}' }\noutputs.o = { status = 200, regex = '^$' }",
            "line-end = ''\noutputs.o = { status = 200 }",
        ] {
            let text = match text.split_once("\nother") {
                Some((outputs, other)) => format!("other{other}\n{outputs}"),
                None => text.to_owned(),
            };
            assert_eq!(mistakes(&format!("[dialect.d]\n{text}")), [""; 0], "{text}");
        }
    }
}
