//! What a person or a script asks the stepper for, one request a line.

use std::fmt;

use sioco_model::visible::shortened;

/// Why a line is no request. Whoever wrote it is to blame; what is repeated of it is short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// No request has this name.
    Unknown(String),
    /// What follows the name of a switch is not what the switch does.
    NoEvent(String),
    /// It is no number.
    NoNumber(String),
    /// Nothing else can be listed.
    List(String),
    /// It does not say about what.
    WhyNothing,
    /// It does not say which variable gets which value.
    Set,
    /// It does not say where to.
    SaveNowhere,
    /// The two switches of a handshake are written otherwise.
    Handshake(String),
    /// An event lacks its bracket.
    Bracket(String),
    /// An event names no gate.
    NoGate(String),
    /// Brackets or quotes do not fit together.
    Unbalanced(String),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Unknown(word) => write!(f, "`:{word}` is not a request; `help` lists all requests"),
            RequestError::NoEvent(name) => {
                write!(f, "write what the switch does after `{name}:`, such as `?gate(1)`")
            }
            RequestError::NoNumber(text) => write!(f, "`{text}` is not a number"),
            RequestError::List(what) => write!(f, "`list {what}`: write `list` or `list all`"),
            RequestError::WhyNothing => f.write_str("why not what? Name a switch: `why SWITCH`"),
            RequestError::Set => f.write_str("write `set NAME=VALUE`"),
            RequestError::SaveNowhere => f.write_str("save where? Name a file: `save FILE`"),
            RequestError::Handshake(word) => write!(f, "`{word}`: a handshake is written `send/receive`"),
            RequestError::Bracket(line) => write!(f, "`{line}` lacks its closing `)`"),
            RequestError::NoGate(line) => write!(f, "`{line}` names no gate"),
            RequestError::Unbalanced(text) => write!(f, "`{text}` has a bracket or quote too many or too few"),
        }
    }
}

impl std::error::Error for RequestError {}

/// A text of a stranger, in short.
fn short(text: &str) -> String {
    shortened(text).into_owned()
}

/// A request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// `2` or `2 p=6`: takes an option of the list.
    Option(usize, Vec<Given>),
    /// `add 6`: takes a switch.
    Switch(String, Vec<Given>),
    /// `send/receive` or `send/receive 6`, also written `send & receive`: takes a handshake of two switches.
    Handshake(String, String, Vec<Given>),
    /// `?inX(6)`, `!outX(6)`: whatever switch does that.
    Event(String, Vec<Given>),
    /// `delta`: observes silence.
    Delta,
    /// `undo` or `undo 3`.
    Undo(usize),
    /// `reset`: back to the start.
    Reset,
    /// `state`.
    State,
    /// `list`: what can be done; `list all` also shows what cannot.
    List {
        /// Whether to show the switches that are not enabled.
        all: bool,
    },
    /// `trace`: what was done.
    Trace,
    /// `why finish`, `why not add 11`: why a switch is not enabled.
    Why(String, Vec<Given>),
    /// `why !outX(7)`: why an event is not possible.
    WhyEvent(String, Vec<Given>),
    /// `set x=3`: the value of a variable that is free at the start.
    Set(Vec<Given>),
    /// `save FILE`: the trace, as a script.
    Save(String),
    /// `random 10`: so many steps at random.
    Random(usize),
    /// `help`.
    Help,
    /// `quit`.
    Quit,
    /// Nothing, or a comment.
    Nothing,
}

impl Request {
    /// Whether its first word is that of a request, which a switch may have for its name.
    fn is_named(&self) -> bool {
        !matches!(
            self,
            Request::Option(..) | Request::Switch(..) | Request::Handshake(..) | Request::Event(..) | Request::Nothing
        )
    }
}

/// The word of a request that does not say whether it means that or a switch of this name.
pub fn ambiguous<'l>(line: &'l str, request: &Request) -> Option<&'l str> {
    let word = line.split_whitespace().next().filter(|_| request.is_named())?;
    (!word.starts_with(':')).then_some(word)
}

/// A value for a parameter, by position or by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The parameter, if it was named.
    pub name: Option<String>,
    /// The value, as written.
    pub value: String,
}

/// What can be asked for, as help.
pub const HELP: &str = "\x20 2            take option 2; `2 6, true` or `2 p=6, q=true` gives values
  add 6        take the switch `add`, here with a value
  a/b 6        take the handshake of two switches, here only if 6 is sent; `a 6` if the partner is plain
  ?inX(6)      give an input, or see an output: `!outX(6)`
  set x=3      before the first step: the value of a variable that is free at the start
  delta        see silence
  undo, u [N]  take back the last step, or the last N
  reset        back to the start
  list, l      what can be done; `list all` shows what cannot, too
  why add 6    why a switch is not enabled, here for a value; `why !outX(7)` asks about an event
  state, s     where we are
  trace, t     what was done
  save FILE    write what was done, as a script for `sioco simulate`
  random, r    a step at random; `random N` makes N
  help, h      this
  quit, q      end
  :undo        the request, where a switch has its name; `undo:` is the switch";

/// Reads a request.
pub fn parse(line: &str) -> Result<Request, RequestError> {
    let line = without_comment(line).trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(Request::Nothing);
    }
    if line.starts_with(['?', '!']) {
        return event(line);
    }
    // Only a request, even where a switch has its name.
    if let Some(rest) = line.strip_prefix(':') {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let none = || Err(RequestError::Unknown(short(word)));
        // Once is enough, and a line of nothing else has no end that could be reached.
        if rest.trim_start().starts_with(':') {
            return none();
        }
        return match parse(rest) {
            Ok(request) if !request.is_named() => none(),
            other => other,
        };
    }
    // In quotes, it is part of a value.
    if let Some((send, receive)) = line.split_once(" & ").filter(|(send, _)| !send.contains('"')) {
        let receive = receive.trim();
        let (receive, values) = receive.split_once(char::is_whitespace).unwrap_or((receive, ""));
        return Ok(Request::Handshake(send.trim().into(), receive.into(), given(values)?));
    }
    let (word, rest) = match line.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (line, ""),
    };
    // `add: ?inX(6)` is how traces are saved: the switch decides, the event tells its values.
    if let Some(name) = word.strip_suffix(':') {
        if let Some(values) = rest.strip_prefix("tau").filter(|r| r.is_empty() || r.starts_with(char::is_whitespace)) {
            return Ok(Request::Switch(name.into(), given(values)?));
        }
        let wrong = || Err(RequestError::NoEvent(short(name)));
        // A second name is no event either.
        if rest.split_whitespace().next().is_some_and(|word| word.starts_with(':') || word.ends_with(':')) {
            return wrong();
        }
        return match parse(rest)? {
            Request::Event(_, given) => Ok(Request::Switch(name.into(), given)),
            Request::Nothing => Ok(Request::Switch(name.into(), Vec::new())),
            _ => wrong(),
        };
    }
    let number = |default: usize| {
        if rest.is_empty() { Ok(default) } else { rest.parse().map_err(|_| RequestError::NoNumber(short(rest))) }
    };
    Ok(match word {
        "delta" if rest.is_empty() => Request::Delta,
        "undo" | "u" => Request::Undo(number(1)?),
        "reset" if rest.is_empty() => Request::Reset,
        "state" | "s" if rest.is_empty() => Request::State,
        "list" | "ls" | "l" => match rest {
            "" => Request::List { all: false },
            "all" => Request::List { all: true },
            other => return Err(RequestError::List(short(other))),
        },
        "trace" | "t" if rest.is_empty() => Request::Trace,
        "why" => {
            let rest = rest.strip_prefix("not ").unwrap_or(rest).trim();
            if rest.starts_with(['?', '!']) {
                return match event(rest)? {
                    Request::Event(name, given) => Ok(Request::WhyEvent(name, given)),
                    other => Ok(other),
                };
            }
            let (name, values) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            if name.is_empty() {
                return Err(RequestError::WhyNothing);
            }
            Request::Why(name.into(), given(values)?)
        }
        "set" => {
            let given = given(rest)?;
            if given.is_empty() || given.iter().any(|g| g.name.is_none()) {
                return Err(RequestError::Set);
            }
            Request::Set(given)
        }
        "save" => {
            if rest.is_empty() {
                return Err(RequestError::SaveNowhere);
            }
            Request::Save(rest.into())
        }
        "random" | "r" => Request::Random(number(1)?),
        "help" | "h" => Request::Help,
        "quit" | "q" | "exit" => Request::Quit,
        // `inX(6)`: the gate knows its direction.
        _ if line.contains('(')
            && line.ends_with(')')
            && !word.starts_with('(')
            && line.find('(') < line.find(' ').or(Some(line.len())) =>
        {
            return event(line);
        }
        _ if word.contains('/') => match word.split_once('/') {
            Some((send, receive)) if !send.is_empty() && !receive.is_empty() => {
                Request::Handshake(send.into(), receive.into(), given(rest)?)
            }
            _ => return Err(RequestError::Handshake(short(word))),
        },
        _ => match word.parse() {
            Ok(option) => Request::Option(option, given(rest)?),
            Err(_) => Request::Switch(word.into(), given(rest)?),
        },
    })
}

/// The line up to a `//` that does not stand in a string.
fn without_comment(line: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    for (i, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '/' if !quoted && line[i..].starts_with("//") => return &line[..i],
            _ => {}
        }
    }
    line
}

/// `?gate(1, x)` or `!gate`.
fn event(line: &str) -> Result<Request, RequestError> {
    let (gate, args) = match line.find('(') {
        None => (line, ""),
        Some(open) => {
            let inner = line[open + 1..].strip_suffix(')');
            (line[..open].trim(), inner.ok_or_else(|| RequestError::Bracket(short(line)))?)
        }
    };
    if gate.trim_start_matches(['?', '!']).is_empty() {
        return Err(RequestError::NoGate(short(line)));
    }
    Ok(Request::Event(gate.into(), given(args)?))
}

/// Values, separated by commas outside of brackets and strings; `p=6` names the parameter.
fn given(text: &str) -> Result<Vec<Given>, RequestError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut parts = vec![String::new()];
    let (mut depth, mut quoted, mut escaped) = (0i32, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("never empty").push(c);
    }
    if quoted || depth != 0 {
        return Err(RequestError::Unbalanced(short(text)));
    }
    let read = |part: &String| {
        let part = part.trim();
        let named = part.split_once('=').filter(|(name, _)| {
            let name = name.trim();
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.#".contains(c))
        });
        match named {
            Some((name, value)) => Given { name: Some(name.trim().into()), value: value.trim().into() },
            None => Given { name: None, value: part.into() },
        }
    };
    Ok(parts.iter().map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(values: &[&str]) -> Vec<Given> {
        values.iter().map(|v| Given { name: None, value: v.to_string() }).collect()
    }

    /// A stranger's line does not end the program by its depth, and is not repeated in full.
    #[test]
    fn a_long_line_is_no_request() {
        for line in [":".repeat(1 << 20), ": ".repeat(1 << 19), "a: ".repeat(1 << 19), "a: :".repeat(1 << 18)] {
            let why = parse(&line).expect_err("no request").to_string();
            assert!(why.len() < 1000, "{}", why.len());
        }
        let long = format!("?{}", "x".repeat(1 << 20));
        for line in [format!("{long}("), format!("undo {long}"), format!("list {long}"), format!("{long}(\")")] {
            assert!(parse(&line).expect_err("no request").to_string().len() < 1000);
        }
    }

    #[test]
    fn requests_are_read() {
        for (line, request) in [
            ("", Request::Nothing),
            ("  // a comment", Request::Nothing),
            ("3", Request::Option(3, vec![])),
            ("3 6, true // six", Request::Option(3, values(&["6", "true"]))),
            ("add 6", Request::Switch("add".into(), values(&["6"]))),
            ("add p = 6", Request::Switch("add".into(), vec![Given { name: Some("p".into()), value: "6".into() }])),
            ("add: ?inX(6)", Request::Switch("add".into(), values(&["6"]))),
            (
                "?inX(P { a: 1, b: \"x,)\" }, [1, 2])",
                Request::Event("?inX".into(), values(&["P { a: 1, b: \"x,)\" }", "[1, 2]"])),
            ),
            ("!done", Request::Event("!done".into(), vec![])),
            ("l0?inX 3", Request::Switch("l0?inX".into(), values(&["3"]))),
            ("A.send/B.recv", Request::Handshake("A.send".into(), "B.recv".into(), vec![])),
            ("a/b 6", Request::Handshake("a".into(), "b".into(), values(&["6"]))),
            ("A.send & B.recv", Request::Handshake("A.send".into(), "B.recv".into(), vec![])),
            ("a & b 6, \"c & d\"", Request::Handshake("a".into(), "b".into(), values(&["6", "\"c & d\""]))),
            ("why not add 11", Request::Why("add".into(), values(&["11"]))),
            ("why !outX(7)", Request::WhyEvent("!outX".into(), values(&["7"]))),
            ("inX(6, [1, 2])", Request::Event("inX".into(), values(&["6", "[1, 2]"]))),
            ("set a.x = 3", Request::Set(vec![Given { name: Some("a.x".into()), value: "3".into() }])),
            ("undo 3", Request::Undo(3)),
            ("save a b.txt", Request::Save("a b.txt".into())),
            // What stands in a string is no comment and no handshake.
            ("?get(\"http://x\") // go", Request::Event("?get".into(), values(&["\"http://x\""]))),
            ("say: ?say(\"a & b\")", Request::Switch("say".into(), values(&["\"a & b\""]))),
            ("add \"\\\"//\"", Request::Switch("add".into(), values(&["\"\\\"//\""]))),
            // A switch whose name is a request.
            ("quit: tau", Request::Switch("quit".into(), vec![])),
            ("random: tau 3", Request::Switch("random".into(), values(&["3"]))),
            ("delta: !done", Request::Switch("delta".into(), vec![])),
            ("undo:", Request::Switch("undo".into(), vec![])),
            // And the request, for certain.
            (":quit", Request::Quit),
            (": undo 3", Request::Undo(3)),
        ] {
            assert_eq!(parse(line), Ok(request), "{line}");
        }
        for line in [
            "undo x",
            "why",
            "save",
            "?inX(6",
            "?",
            "add \"x",
            "list some",
            "add: 3",
            "set",
            "set 3",
            ":",
            ":add",
            ":3",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
