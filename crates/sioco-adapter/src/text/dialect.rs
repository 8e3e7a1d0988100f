//! A dialect for a model: every template compiled, every mistake told.

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};
use sioco_exec::{GateValue, Observation};
use sioco_model::model::{Direction, Gate, Model, is_end};
use sioco_model::names::did_you_mean;
use sioco_model::sort::Sort;
use sioco_model::{GateId, Value};

use super::error::{DialectError, Mistake, NoGate, NoParameter, RegexError, TemplateError};
use super::matcher::{Match, Matcher, Trail, bytes};
use super::nearly::Nearly;
use super::room::Room;
use super::template::{Piece, render, template, unplaced};
use super::value::{Words, pattern, read};
use crate::config::{DialectConfig, InputConfig, OutputConfig, Recognized};
use crate::lines::{MAX_LINE, excerpt};
use crate::values::{Misread, argument};

/// How to speak to a system, as a project describes it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Dialect {
    /// What it is called, for messages.
    pub name: String,
    /// What it says.
    pub config: DialectConfig,
}

/// A dialect for one model.
pub struct Compiled {
    words: Words,
    line_end: String,
    /// By input gate.
    inputs: Vec<(GateId, Vec<Piece>)>,
    outputs: Vec<Output>,
    matcher: Option<Matcher>,
    other: Option<GateId>,
    last: Vec<GateId>,
    /// What may not be meant like this, in words.
    pub remarks: Vec<String>,
}

/// A template for an output.
struct Output {
    gate: GateId,
    /// As it was written.
    text: String,
    /// Matches the whole message, with a group for each parameter.
    regex: Regex,
    /// Where the value of each parameter comes from.
    args: Vec<Arg>,
    /// If it is a line: what would be one but for its values.
    nearly: Option<Nearly>,
}

#[derive(Clone)]
enum Arg {
    /// A group, which may be in quotes.
    Group(String, bool),
    /// Always the same.
    Fixed(Value),
}

/// What bytes turned out to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// So many of them are this.
    Message(usize, Observation),
    /// Nothing yet.
    Partial,
}

impl Dialect {
    /// Compiles it for a model, or says everything that is wrong with it.
    pub fn compile(&self, model: &Model) -> Result<Compiled, Vec<DialectError>> {
        let mut wrong = Vec::new();
        let config = &self.config;
        let words = config.words.clone();
        let inputs = self.inputs(model, &mut wrong);
        let mut patterns = Vec::new();
        let outputs = self.outputs(model, &mut patterns, &mut wrong);
        wrong.extend(self.endless());
        let gate = |name: &String| match output_gate(model, name) {
            Ok(gate) => Some(gate),
            Err(why) => {
                wrong.push(Mistake::NoGate(why));
                None
            }
        };
        let last: Vec<GateId> = config.last.iter().filter_map(gate).collect();
        let other = self.other(model, &mut wrong);
        if !wrong.is_empty() {
            return Err(wrong.into_iter().map(|what| self.error(what)).collect());
        }
        // An automaton of no templates matches nothing.
        let matcher = (!patterns.is_empty()).then(|| Matcher::new(&patterns)).transpose();
        let matcher = matcher.map_err(|why| vec![self.error(Mistake::Together(why))])?;
        let overlap = |o: super::matcher::Overlap| {
            let show = |at: usize| format!("`{}` of `{}`", outputs[at].text, model.gates[outputs[at].gate].name);
            format!(
                "dialect `{}`: the templates {} and {} overlap, for example on \"{}\"; the first one counts",
                self.name,
                show(o.taken),
                show(o.hidden),
                o.example.escape_ascii()
            )
        };
        let (overlaps, all) = matcher.as_ref().map_or_else(|| (Vec::new(), true), Matcher::overlaps);
        let mut remarks: Vec<String> = overlaps.into_iter().map(overlap).collect();
        if !all {
            let name = &self.name;
            remarks.push(format!("dialect `{name}`: the templates are too large or too many to find all overlaps"));
        }
        for (id, pieces) in &inputs {
            let gate = &model.gates[*id];
            let unplaced = unplaced(&gate.name, &gate.params, pieces.iter());
            remarks.extend(unplaced.map(|why| format!("dialect `{}`: {why}", self.name)));
        }
        Ok(Compiled { words, line_end: config.line_end.clone(), inputs, outputs, matcher, other, last, remarks })
    }

    /// The gate that takes what fits nothing else, if there is one. Tells which outputs have no template, and which words
    /// mean nothing.
    pub(crate) fn other(&self, model: &Model, wrong: &mut Vec<Mistake>) -> Option<GateId> {
        let config = &self.config;
        let written = |name: &str| config.outputs.0.iter().any(|(n, all)| n == name && !all.0.is_empty());
        let has = |name: &str| written(name) || config.other.as_deref() == Some(name);
        for gate in model.gates.values().filter(|g| g.direction == Direction::Output && !is_end(&g.name)) {
            if !has(&gate.name) {
                wrong.push(Mistake::NoOutput(gate.name.clone()));
            }
        }
        let names = || model.sorts.data.values().flat_map(|d| &d.constructors).map(|c| c.name.as_str());
        for word in config.words.keys().filter(|word| names().all(|name| name != *word)) {
            wrong.push(Mistake::NoConstructor { name: word.clone(), near: did_you_mean(word, names()) });
        }
        let name = config.other.as_ref()?;
        match output_gate(model, name).map(|gate| (gate, &model.gates[gate].params[..])) {
            Ok((gate, [only])) if *model.sorts.get(only.sort) == Sort::String => return Some(gate),
            Ok(_) => wrong.push(Mistake::OtherForm(name.clone())),
            Err(why) => wrong.push(Mistake::Other(why)),
        }
        None
    }

    fn inputs(&self, model: &Model, wrong: &mut Vec<Mistake>) -> Vec<(GateId, Vec<Piece>)> {
        let mut found = Vec::new();
        let gates = || model.gates.iter().filter(|(_, g)| g.direction == Direction::Input);
        for (name, config) in &self.config.inputs.0 {
            let Some((id, gate)) = gates().find(|(_, g)| g.name == *name) else {
                wrong.push(Mistake::NoGate(NoGate::new(model, name, Direction::Input)));
                continue;
            };
            match config {
                InputConfig::Text(text) => match template(text, &gate.params) {
                    Ok(pieces) => found.push((id, pieces)),
                    Err(why) => wrong.push(Mistake::Input { name: name.clone(), why }),
                },
                InputConfig::Request(_) => wrong.push(Mistake::InputIsRequest(name.clone())),
            }
        }
        for (_, gate) in gates().filter(|(_, g)| self.config.inputs.0.iter().all(|(name, _)| *name != g.name)) {
            wrong.push(Mistake::NoInput(gate.name.clone()));
        }
        found
    }

    fn outputs(&self, model: &Model, patterns: &mut Vec<String>, wrong: &mut Vec<Mistake>) -> Vec<Output> {
        let (mut found, mut room) = (Vec::new(), Room::new());
        for (name, templates) in &self.config.outputs.0 {
            let id = match output_gate(model, name) {
                Ok(id) => id,
                Err(why) => {
                    wrong.push(Mistake::NoGate(why));
                    continue;
                }
            };
            for config in &templates.0 {
                match self.output(model, id, config, &mut room) {
                    Ok((pattern, output)) => {
                        patterns.push(pattern);
                        found.push(output);
                    }
                    Err(why) => wrong.push(Mistake::Output { name: name.clone(), why }),
                }
                if room.is_full() {
                    return found;
                }
            }
        }
        found
    }

    fn output(
        &self,
        model: &Model,
        id: GateId,
        config: &OutputConfig,
        room: &mut Room,
    ) -> Result<(String, Output), TemplateError> {
        let gate = &model.gates[id];
        let plain = Recognized::default();
        let (line, full) = match config {
            OutputConfig::Line(line) => (Some(line), &plain),
            OutputConfig::Full(full) => (full.line.as_ref(), full),
        };
        if full.status.is_some() || !full.json.is_empty() || full.after.is_some() {
            return Err(TemplateError::NotHttp);
        }
        let build = |room: &mut Room, pattern: &str, text: &str| {
            room.build(Regex::builder().syntax(bytes()), &format!("(?:{pattern})\\z"), text)
        };
        let (text, pattern, regex, mut args, nearly) = match (line, &full.regex) {
            (Some(line), None) => {
                let (pattern, args) = self.line(model, gate, line)?;
                let regex = build(room, &pattern, line)?;
                (line.clone(), pattern, regex, args, Nearly::new(&template(line, &gate.params)?, line, room)?)
            }
            (None, Some(text)) => {
                readable(text)?;
                let regex = build(room, text, text)?;
                let args = groups(gate, &regex)?;
                (text.clone(), text.clone(), regex, args, None)
            }
            _ => return Err(TemplateError::LineOrRegex),
        };
        fixed(model, gate, full, &mut args)?;
        let args = args
            .into_iter()
            .zip(&gate.params)
            .map(|(arg, p)| arg.ok_or_else(|| TemplateError::Unsaid { text: text.clone(), parameter: p.name.clone() }));
        let args = args.collect::<Result<Vec<_>, _>>()?;
        describes_messages(&text, &pattern)?;
        Ok((pattern, Output { gate: id, text, regex, args, nearly }))
    }

    /// The regular expression of a line in the short form, and where its values are.
    fn line(&self, model: &Model, gate: &Gate, line: &str) -> Result<(String, Vec<Option<Arg>>), TemplateError> {
        let mut args: Vec<Option<Arg>> = vec![None; gate.params.len()];
        let mut all = String::new();
        for piece in template(line, &gate.params)? {
            let (at, quoted) = match piece {
                Piece::Literal(text) => {
                    all.push_str(&regex_syntax::escape(&text));
                    continue;
                }
                Piece::Length(_) => {
                    all.push_str("[0-9]+");
                    continue;
                }
                Piece::Value(at) => (at, false),
                Piece::Quoted(at) => (at, true),
            };
            let param = &gate.params[at];
            if args[at].is_some() {
                return Err(TemplateError::Twice { line: line.to_owned(), parameter: param.name.clone() });
            }
            let group = format!("p{at}");
            let plain = pattern(&model.sorts, &self.config.words, param.sort, quoted);
            let pattern =
                if quoted && *model.sorts.get(param.sort) != Sort::String { format!("\"{plain}\"") } else { plain };
            all.push_str(&format!("(?<{group}>{pattern})"));
            args[at] = Some(Arg::Group(group, quoted));
        }
        all.push_str(match self.config.line_end.as_str() {
            // Who writes one may well send the other.
            "\n" => r"\r?\n",
            "\r\n" => r"\r\n",
            other => return Ok((all + &regex_syntax::escape(other), args)),
        });
        Ok((all, args))
    }
}

/// Sees to it that a template, with its regular expression, describes whole messages.
pub(super) fn describes_messages(text: &str, pattern: &str) -> Result<(), TemplateError> {
    let hir = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern);
    let hir = hir.map_err(|error| unreadable(text, &error.to_string()))?;
    if !hir.properties().look_set().is_empty() {
        return Err(TemplateError::Looks(text.to_owned()));
    }
    if hir.properties().minimum_len() == Some(0) {
        return Err(TemplateError::Empty(text.to_owned()));
    }
    Ok(())
}

/// Sees to it that a text is a regular expression by itself, and not only in brackets.
fn readable(text: &str) -> Result<(), RegexError> {
    let parsed = regex_syntax::ast::parse::Parser::new().parse(text);
    parsed.map(|_| ()).map_err(|error| unreadable(text, &error.to_string()))
}

/// Where the groups of a regular expression are, by parameters.
fn groups(gate: &Gate, compiled: &Regex) -> Result<Vec<Option<Arg>>, NoParameter> {
    let mut args = vec![None; gate.params.len()];
    for name in compiled.group_info().pattern_names(regex_automata::PatternID::ZERO).flatten() {
        let at = gate.params.iter().position(|p| p.name == name).ok_or_else(|| NoParameter::new(name, &gate.params))?;
        args[at] = Some(Arg::Group(name.to_owned(), false));
    }
    Ok(args)
}

/// Parameters whose value does not depend on what is received.
fn fixed(model: &Model, gate: &Gate, full: &Recognized, args: &mut [Option<Arg>]) -> Result<(), TemplateError> {
    for (name, value) in &full.set {
        let at =
            gate.params.iter().position(|p| p.name == *name).ok_or_else(|| NoParameter::new(name, &gate.params))?;
        if args[at].is_some() {
            return Err(TemplateError::PlaceAndSet(name.clone()));
        }
        args[at] = Some(Arg::Fixed(set_value(model, gate, at, value)?));
    }
    Ok(())
}

/// A value in `set`.
pub(crate) fn set_value(model: &Model, gate: &Gate, at: usize, value: &toml::Value) -> Result<Value, TemplateError> {
    let json = serde_json::to_value(value).map_err(|error| TemplateError::Unwritable(error.to_string()))?;
    argument(&model.sorts, &gate.params[at], &json).map_err(TemplateError::Set)
}

/// What is wrong with a regular expression, from an error that draws a picture: its last line.
fn unreadable(text: &str, error: &str) -> RegexError {
    let last = error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(error);
    RegexError::Unreadable { text: text.to_owned(), why: last.trim_start_matches("error: ").to_owned() }
}

/// The output gate with a name.
pub(crate) fn output_gate(model: &Model, name: &str) -> Result<GateId, NoGate> {
    let found = model.gates.iter().find(|(_, g)| g.direction == Direction::Output && g.name == name && !is_end(name));
    found.map(|(id, _)| id).ok_or_else(|| NoGate::new(model, name, Direction::Output))
}

impl Compiled {
    /// The bytes for an input.
    pub fn write(&self, model: &Model, input: &GateValue) -> Vec<u8> {
        let (_, pieces) = self.inputs.iter().find(|(gate, _)| *gate == input.gate).expect("every input has a template");
        let mut text = render(model, &self.words, pieces, input, &|value| value);
        text.push_str(&self.line_end);
        text.into_bytes()
    }

    /// What ends a line.
    pub(super) fn line_end(&self) -> &str {
        &self.line_end
    }

    /// Whether the end of the connection is no news after this.
    pub(super) fn is_last(&self, seen: &Observation) -> bool {
        matches!(seen, Observation::Output(output) if self.last.contains(&output.gate))
    }

    /// What the beginning of some bytes is, with what is known of them. Whoever gets a message takes its bytes away, and
    /// forgets what is known if others go.
    pub fn read(&self, model: &Model, bytes: &[u8], trail: &mut Trail) -> Heard {
        if bytes.is_empty() {
            return Heard::Partial;
        }
        let heard = match self.matcher.as_ref().map_or(Match::Nothing, |matcher| matcher.find_on(bytes, trail)) {
            Match::Message { end, template } => {
                Heard::Message(end, self.outputs[template].observation(model, &self.words, &bytes[..end]))
            }
            Match::Partial if bytes.len() <= MAX_LINE => Heard::Partial,
            Match::Partial => Heard::Message(bytes.len(), self.malformed(bytes, "a message without an end")),
            Match::Nothing => match bytes.iter().position(|b| *b == b'\n') {
                Some(end) => Heard::Message(end + 1, self.unknown(model, &bytes[..=end])),
                None if bytes.len() <= MAX_LINE => Heard::Partial,
                None => Heard::Message(bytes.len(), self.malformed(bytes, "a line without an end")),
            },
        };
        if let Heard::Message(length, _) = &heard {
            trail.taken(*length);
        }
        heard
    }

    /// A line that fits no template.
    fn unknown(&self, model: &Model, line: &[u8]) -> Observation {
        if let (Some(gate), Ok(text)) = (self.other, std::str::from_utf8(line)) {
            let text = Value::string(text.trim_end_matches(['\r', '\n']));
            return Observation::Output(GateValue { gate, args: vec![text] });
        }
        match self.other_end(line).or_else(|| self.other_values(model, line)) {
            Some(why) => Observation::Malformed { gate: None, why, raw: raw(line) },
            None => self.malformed(line, "something that fits no template"),
        }
    }

    /// That a line would fit if it ended otherwise.
    fn other_end(&self, line: &[u8]) -> Option<String> {
        let (found, other) = match line.strip_suffix(b"\r\n") {
            Some(text) => ("\\r\\n", [text, b"\n"].concat()),
            None => ("\\n", [line.strip_suffix(b"\n")?, b"\r\n"].concat()),
        };
        let Match::Message { end, template } = self.matcher.as_ref()?.find(&other) else { return None };
        let text = excerpt(&raw(self.outputs[template].text.as_bytes()));
        let line_end = raw(self.line_end.as_bytes());
        let why = format!(
            "the system sent something that fits no template: {text} would fit with another line end; this ends \
             with \"{found}\", but `line-end` of the dialect is \"{line_end}\""
        );
        (end == other.len()).then_some(why)
    }

    /// That a line would fit if its values were others. The template that has most in common with it counts.
    fn other_values(&self, model: &Model, line: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(line).ok()?;
        let text = text.strip_suffix(&self.line_end).unwrap_or(text).trim_end_matches(['\r', '\n']);
        let near = self.outputs.iter().filter_map(|o| Some((o, o.nearly.as_ref()?)));
        let near = near.filter_map(|(o, nearly)| Some((o, nearly.literals, nearly.values(text)?)));
        let (output, _, values) = near.max_by_key(|(_, literals, _)| *literals)?;
        let params = &model.gates[output.gate].params;
        let wrong = |(at, quoted, value): &(usize, bool, String)| {
            let param = &params[*at];
            let words = match model.sorts.get(param.sort) {
                Sort::Data(_) => "; in the dialect, `words` says how constructors are written",
                _ => "",
            };
            let why = read(&model.sorts, &self.words, param, value, *quoted).err()?;
            Some(format!("{why}{words}"))
        };
        let wrong = values.iter().find_map(wrong)?;
        let shown = excerpt(&raw(output.text.as_bytes()));
        let gate = &model.gates[output.gate].name;
        Some(format!("the system sent something that fits no template: {shown} of `{gate}` would fit, but {wrong}"))
    }

    /// What is no output. What was tried is told.
    pub(super) fn malformed(&self, bytes: &[u8], what: &str) -> Observation {
        let tried: Vec<String> = self.outputs.iter().map(|o| excerpt(&raw(o.text.as_bytes()))).collect();
        let why = format!("the system sent {what}; these were tried: {}", tried.join(", "));
        Observation::Malformed { gate: None, why, raw: raw(bytes) }
    }
}

/// Bytes as they can be shown.
pub(super) fn raw(bytes: &[u8]) -> String {
    /// At most this many bytes of a list of templates are shown: a screen or two. What follows is more of the same.
    const SHOWN: usize = 4000;
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let more = if bytes.len() > SHOWN { "…" } else { "" };
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    shown.chars().map(escape).collect::<String>() + more
}

impl Output {
    fn observation(&self, model: &Model, words: &Words, message: &[u8]) -> Observation {
        let mut captures = self.regex.create_captures();
        self.regex.captures(Input::new(message).anchored(Anchored::Yes), &mut captures);
        let gate = &model.gates[self.gate];
        let value = |(arg, param): (&Arg, &sioco_model::model::Param)| match arg {
            Arg::Fixed(value) => Ok(value.clone()),
            Arg::Group(name, quoted) => {
                let span = captures.get_group_by_name(name);
                let bytes = span.map(|span| &message[span.range()]);
                let bytes = bytes.ok_or_else(|| Misread::Misfit(format!("`{}` is missing", param.name)))?;
                let text = std::str::from_utf8(bytes)
                    .map_err(|_| Misread::Misfit(format!("`{}` is not UTF-8", param.name)))?;
                let text = match *quoted && *model.sorts.get(param.sort) != Sort::String {
                    true => text.trim_matches('"'),
                    false => text,
                };
                read(&model.sorts, words, param, text, *quoted)
            }
        };
        match self.args.iter().zip(&gate.params).map(value).collect() {
            Ok(args) => Observation::Output(GateValue { gate: self.gate, args }),
            Err(why) => {
                let why: Misread = why;
                Observation::Malformed { gate: Some(self.gate), why: why.to_string(), raw: raw(message) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::text::torxakis;

    const MODEL: &str = "type Key = A | B\ntype Why = ERR | WRONGTYPE\ninput set(key: Key, text: String)\ninput get(key: Key)\noutput ok\noutput int(n: Int in 0..100)\noutput error(why: Why)\noutput bulk(text: String)\noutput any_line(line: String)\noutput closed\nprocess Q { init l { ?set(key, text) -> l\n?get(key) -> l\n!ok -> l\n!int(any n) -> l\n!error(any why) -> l\n!bulk(any text) -> l\n!any_line(any line) -> l\n!closed -> l } }";

    const DIALECT: &str = r#"
        [dialect.d]
        line-end = "\r\n"
        words = { A = "key:a" }
        last = ["ok"]
        [dialect.d.inputs]
        set = "*3\r\n$3\r\nSET\r\n${len(key)}\r\n{key}\r\n${len(text)}\r\n{text}"
        get = "GET {key} {{x}}{repeat(ab, 3)}"
        [dialect.d.outputs]
        ok = "+OK"
        int = ":{n}"
        error = [{ regex = '-(?<why>[A-Z]+)[^\r\n]*\r\n' }, { line = "!wrong", set = { why = "ERR" } }]
        bulk = { regex = '\$[0-9]+\r\n(?<text>[^\r\n]*)\r\n' }
        any_line = "%{line}"
    "#;

    fn model() -> Model {
        let checked = sioco_lang::check_text("m.sts", MODEL);
        checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
    }

    fn dialect(text: &str) -> Dialect {
        let config: Config = text.parse().unwrap_or_else(|why| panic!("{why}"));
        Dialect { name: "d".into(), config: config.dialect["d"].clone() }
    }

    fn heard(compiled: &Compiled, model: &Model, bytes: &[u8]) -> String {
        match compiled.read(model, bytes, &mut Trail::default()) {
            Heard::Partial => "…".into(),
            Heard::Message(n, Observation::Output(output)) => format!("{n} {}", output.show(model)),
            Heard::Message(n, Observation::Malformed { gate, why, raw }) => {
                format!("{n} {} {why} [{raw}]", gate.map_or("?", |gate| &model.gates[gate].name))
            }
            Heard::Message(_, other) => format!("{other:?}"),
        }
    }

    #[test]
    fn inputs_become_bytes_and_bytes_become_outputs() {
        let model = model();
        let compiled = dialect(DIALECT).compile(&model).unwrap_or_else(|why| panic!("{why:?}"));
        assert_eq!(compiled.remarks, [""; 0]);
        let set = model.gate("set").unwrap();
        let input = GateValue { gate: set, args: vec![Value::Enum(0), Value::string("é!")] };
        let bytes = compiled.write(&model, &input);
        assert_eq!(String::from_utf8(bytes).unwrap(), "*3\r\n$3\r\nSET\r\n$5\r\nkey:a\r\n$3\r\né!\r\n");
        let input = GateValue { gate: model.gate("get").unwrap(), args: vec![Value::Enum(1)] };
        assert_eq!(compiled.write(&model, &input), b"GET B {x}ababab\r\n");
        for (bytes, expected) in [
            (&b""[..], "…"),
            (b"+O", "…"),
            (b"+OK\r\n:1\r\n", "5 !ok"),
            (b":42\r\n", "5 !int(42)"),
            (b":101\r\n", "6 int `n` is 101, but must be Int in 0..100 [:101\\r\\n]"),
            (b"-WRONGTYPE Operation against a key\r\n", "36 !error(WRONGTYPE)"),
            (b"-OOM no\r\n", "9 error `why` is `OOM`, but must be Why [-OOM no\\r\\n]"),
            (b"!wrong\r\n", "8 !error(ERR)"),
            (b"$5\r\nhello\r\n", "11 !bulk(\"hello\")"),
            (b"$1\r\n\xff\r\n", "7 bulk `text` is not UTF-8 [$1\\r\\n\u{fffd}\\r\\n]"),
            (b"%a b\r\n", "6 !any_line(\"a b\")"),
            (b"nonsense", "…"),
        ] {
            assert_eq!(heard(&compiled, &model, bytes), expected);
        }
        let unknown = heard(&compiled, &model, b"nonsense\r\n+OK\r\n");
        assert!(
            unknown
                .starts_with("10 ? the system sent something that fits no template; these were tried: `+OK`, `:{n}`, ")
        );
        assert!(unknown.ends_with(" [nonsense\\r\\n]"), "{unknown}");
        let endless = vec![b'x'; MAX_LINE + 1];
        assert!(heard(&compiled, &model, &endless).contains("a line without an end"));
        assert!(compiled.is_last(&Observation::Output(GateValue { gate: model.gate("ok").unwrap(), args: vec![] })));
    }

    #[test]
    fn what_nearly_fits_is_told() {
        let model = model();
        let compiled = dialect(DIALECT).compile(&model).unwrap_or_else(|why| panic!("{why:?}"));
        let fits = "the system sent something that fits no template: ";
        for (bytes, expected) in [
            (
                &b"+OK\n"[..],
                "`+OK` would fit with another line end; this ends with \"\\n\", but `line-end` of the dialect is \"\\r\\n\"",
            ),
            (b"-ERR no\n", "`-(?<why>[A-Z]+)[^\\r\\n]*\\r\\n` would fit with another line end"),
            (b":1x\r\n", "`:{n}` of `int` would fit, but `n` is `1x`, but must be Int in 0..100 [:1x"),
        ] {
            let told = heard(&compiled, &model, bytes);
            assert!(told.contains(&format!(" ? {fits}{expected}")), "{told}");
        }
        // Nothing to say about what is far from everything, and about values that are right.
        for bytes in [&b"nonsense\n"[..], b"nonsense\r\n", b":\xff\r\n"] {
            let told = heard(&compiled, &model, bytes);
            assert!(told.contains("these were tried: `+OK`"), "{told}");
        }
        let text = DIALECT.replace("\\r\\n\"\n        words", "\\n\"\n        words");
        let text = text.replace("[{ regex = '-(?<why>[A-Z]+)[^\\r\\n]*\\r\\n' }, ", "[\"-{why}\", ");
        let compiled = dialect(&text).compile(&model).unwrap_or_else(|why| panic!("{why:?}"));
        let told = heard(&compiled, &model, b"-oom\n");
        let expected = "`-{why}` of `error` would fit, but `why` is `oom`, but must be Why; in the dialect, `words` \
                        says how constructors are written [-oom\\n]";
        assert_eq!(told, format!("5 ? {fits}{expected}"));
    }

    #[test]
    fn a_gate_may_take_what_fits_nothing_else() {
        let model = model();
        let text = DIALECT.replace("last =", "other = \"any_line\"\nlast =").replace("any_line = \"%{line}\"", "");
        let compiled = dialect(&text).compile(&model).unwrap_or_else(|why| panic!("{why:?}"));
        assert_eq!(heard(&compiled, &model, b"nonsense\r\n"), "10 !any_line(\"nonsense\")");
    }

    #[test]
    fn templates_that_overlap_are_told() {
        let model = model();
        let text = DIALECT.replace("\"%{line}\"", "\"{line}\"");
        let compiled = dialect(&text).compile(&model).unwrap_or_else(|why| panic!("{why:?}"));
        let expected = "dialect `d`: the templates `+OK` of `ok` and `{line}` of `any_line` overlap, for example on \
                        \"+OK\\r\\n\"; the first one counts";
        assert!(compiled.remarks.contains(&expected.to_owned()), "{:#?}", compiled.remarks);
    }

    #[test]
    fn torxakis_writes_gates_with_values() {
        let model = model();
        let compiled = torxakis(&model).compile(&model).unwrap_or_else(|why| panic!("{why:?}"));
        let input = GateValue { gate: model.gate("set").unwrap(), args: vec![Value::Enum(0), Value::string("a\"b")] };
        assert_eq!(compiled.write(&model, &input), b"set(A,\"a\\\"b\")\n");
        assert_eq!(heard(&compiled, &model, b"bulk(\"x\\\\y\")\n"), "13 !bulk(\"x\\\\y\")");
        assert_eq!(heard(&compiled, &model, b"int(7)\r\n"), "8 !int(7)");
        assert_eq!(heard(&compiled, &model, b"ok\n"), "3 !ok");
    }

    #[test]
    fn mistakes_are_told_all_at_once() {
        let model = model();
        for (from, to, expected) in [
            ("get = \"GET", "got = \"GET", "`got` is not an input of the model; did you mean `get`?"),
            ("get = \"GET", "got = \"GET", "the input `get` of the model has no template in `inputs`"),
            ("{len(text)}", "{length(text)}", "`length` is unknown; write `len(p)`, `quoted(p)` or `repeat(text, n)`"),
            ("{{x}}{repeat(ab, 3)}", "{x", "a `{` is not closed"),
            ("{{x}}", "x}", "a `}` has no `{`"),
            ("GET {key}", "GET {repeat(a)}", "write `repeat(x, 100)`"),
            ("GET {key}", "GET {kee}", "`kee` is not a parameter; did you mean `key`?"),
            ("ok = \"+OK\"", "okk = \"+OK\"", "`okk` is not an output of the model; did you mean `ok`?"),
            ("ok = \"+OK\"", "", "the output `ok` of the model has no template in `outputs`"),
            (
                "ok = \"+OK\"",
                "ok = \"+OK\"\nclosed = \"x\"",
                "`closed` is not an output of the model; `closed`, the end of the connection",
            ),
            ("ok = \"+OK\"", "ok = []", "the output `ok` of the model has no template in `outputs`"),
            ("line-end = \"\\r\\n\"", "line-end = \"\"", "the output `ok` is a line, but `line-end` is empty"),
            ("int = \":{n}\"", "int = \":\"", "`:` has no place for the parameter `n`"),
            ("int = \":{n}\"", "int = \":{n}{n}\"", "`n` has more than one place"),
            ("(?<why>[A-Z]+)", "(?<why>[A-Z+)", "is not a regular expression: "),
            ("(?<why>[A-Z]+)", "(?<wy>[A-Z]+)", "`wy` is not a parameter; did you mean `why`?"),
            ("(?<text>[^\\r\\n]*)\\r\\n", "(?<text>.*)$", "a template always describes a whole message"),
            ("'\\$[0-9]+\\r\\n(?<text>[^\\r\\n]*)\\r\\n'", "'(?<text>a*)'", "also matches the empty text"),
            ("why = \"ERR\"", "why = \"Err\"", "`set`: `why` is `\"Err\"`"),
            ("line = \"!wrong\", ", "", "either `line` or `regex`"),
            ("line = \"!wrong\"", "status = 404, line = \"!wrong\"", "need HTTP"),
            ("words = { A", "words = { a", "`words` has `a`, which is not a constructor of the model"),
            ("last = [\"ok\"]", "last = [\"bye\"]", "`bye` is not an output"),
            ("last = [\"ok\"]", "other = \"int\"", "must have one parameter, a String"),
            (
                "\"GET {key} {{x}}{repeat(ab, 3)}\"",
                "{ method = \"GET\", path = \"/\" }",
                "is a request, but this system does not use HTTP",
            ),
        ] {
            assert!(DIALECT.contains(from), "{from}");
            let why = dialect(&DIALECT.replace(from, to)).compile(&model).err().expect("a mistake");
            let why: Vec<String> = why.iter().map(DialectError::to_string).collect();
            assert!(why.iter().any(|w| w.starts_with("dialect `d`: ") && w.contains(expected)), "{expected}: {why:#?}");
        }
    }
}
