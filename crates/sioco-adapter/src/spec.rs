//! What `--sut` says: where the system under test is.

use std::fmt;
use std::path::PathBuf;

use sioco_solve::smt::process::{CommandLineError, words};

use crate::child::Program;
use crate::tcp::Tcp;
use crate::transport::Connector;
use crate::ws::Ws;

/// Where the system under test is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SutSpec {
    /// A program that is started: anything that is none of the others.
    Program(Program),
    /// A server: `tcp://HOST:PORT`.
    Tcp(Tcp),
    /// A server: `ws://HOST:PORT/PATH`.
    Ws(Ws),
    /// A model that plays the system: `model:FILE`.
    Model(PathBuf),
}

impl SutSpec {
    /// What opens connections to it; a model is played by somebody else.
    pub fn connector(self) -> Result<Box<dyn Connector>, PathBuf> {
        match self {
            SutSpec::Program(program) => Ok(Box::new(program)),
            SutSpec::Tcp(tcp) => Ok(Box::new(tcp)),
            SutSpec::Ws(ws) => Ok(Box::new(ws)),
            SutSpec::Model(file) => Err(file),
        }
    }
}

/// Why a text does not say where a system is. Whoever wrote it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecError {
    /// It says nothing.
    Empty,
    /// It names no file of a model.
    NoModel,
    /// It is no address of a server.
    Address {
        /// The whole text.
        text: String,
        /// How servers are reached: `tcp` or `ws`.
        scheme: &'static str,
        /// What is wrong with the address.
        why: AddressError,
    },
    /// It needs TLS.
    Tls,
    /// Systems are not reached in this way.
    Scheme(String),
    /// The slashes are missing.
    Slashes {
        /// How servers are reached.
        scheme: &'static str,
        /// What follows.
        rest: String,
    },
    /// It is no command line.
    Command(CommandLineError),
}

/// Why a text is no address of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AddressError {
    /// A bracket is not closed.
    Bracket,
    /// What stands in brackets is no IPv6 address.
    NoIpv6(String),
    /// An IPv6 address stands without brackets.
    BareIpv6(String),
    /// The host is missing.
    NoHost,
    /// The port is missing.
    NoPort,
    /// This is no port.
    Port(String),
    /// Something follows the port.
    Path(String),
    /// What follows the port is no path.
    NoPath,
    /// A character in the path has to be written otherwise.
    Character(char),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Empty => f.write_str(
                "it is empty: write a command that starts the system, `tcp://HOST:PORT`, `ws://HOST:PORT/PATH` or \
                 `model:FILE`",
            ),
            SpecError::NoModel => f.write_str("write the file of the model after `model:`, as in `model:sut.sts`"),
            SpecError::Address { text, scheme, why } => {
                let form = match *scheme {
                    "tcp" => "`tcp://HOST:PORT`, as in `tcp://127.0.0.1:7000`",
                    _ => "`ws://HOST:PORT/PATH`, as in `ws://127.0.0.1:7000/sut`",
                };
                write!(f, "`{text}` is not an address: {why}; write {form}")
            }
            SpecError::Tls => f.write_str(
                "`wss://` needs TLS, which sioco does not support; run a TLS proxy, such as `socat \
                 TCP-LISTEN:7000,bind=127.0.0.1,reuseaddr,fork OPENSSL:HOST:443`, and write \
                 `ws://127.0.0.1:7000/PATH`",
            ),
            SpecError::Scheme(scheme) => {
                write!(f, "sioco cannot connect to `{scheme}://`; write `tcp://HOST:PORT` or `ws://HOST:PORT/PATH`")
            }
            SpecError::Slashes { scheme, rest } => write!(f, "write `{scheme}://{rest}`"),
            SpecError::Command(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for SpecError {}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::Bracket => f.write_str("a `[` is not closed"),
            AddressError::NoIpv6(host) => write!(f, "`{host}` is not an IPv6 address"),
            AddressError::BareIpv6(host) => write!(f, "write an IPv6 address in brackets: `[{host}]`"),
            AddressError::NoHost => f.write_str("the host is missing"),
            AddressError::NoPort => f.write_str("the port is missing"),
            AddressError::Port(port) => write!(f, "the port must be a number from 1 to 65535, not `{port}`"),
            AddressError::Path(path) => write!(f, "nothing may follow the port, but here `/{path}` does"),
            AddressError::NoPath => f.write_str("only a path, which begins with `/`, may follow the port"),
            AddressError::Character(bad) => {
                let mut bytes = [0; 4];
                let written: String = bad.encode_utf8(&mut bytes).bytes().map(|b| format!("%{b:02X}")).collect();
                write!(f, "in a path, write `{written}` instead of `{}`", bad.escape_debug())
            }
        }
    }
}

impl std::error::Error for AddressError {}

impl std::str::FromStr for SutSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<SutSpec, SpecError> {
        let text = text.trim();
        if let Some(file) = text.strip_prefix("model:") {
            if file.trim().is_empty() {
                return Err(SpecError::NoModel);
            }
            return Ok(SutSpec::Model(file.trim().into()));
        }
        let no_address = |scheme| move |why| SpecError::Address { text: text.to_owned(), scheme, why };
        if let Some(address) = text.strip_prefix("tcp://") {
            return tcp(address).map(SutSpec::Tcp).map_err(no_address("tcp"));
        }
        if let Some(address) = text.strip_prefix("ws://") {
            return ws(address).map(SutSpec::Ws).map_err(no_address("ws"));
        }
        if text.starts_with("wss://") {
            return Err(SpecError::Tls);
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        if let Some(scheme) = scheme.filter(|s| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric())) {
            return Err(SpecError::Scheme(scheme.to_owned()));
        }
        for scheme in ["tcp", "ws"] {
            if let Some(rest) = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(':')) {
                return Err(SpecError::Slashes { scheme, rest: rest.trim_start_matches('/').to_owned() });
            }
        }
        let words = words(text).map_err(SpecError::Command)?;
        if words.iter().all(String::is_empty) {
            return Err(SpecError::Empty);
        }
        Ok(SutSpec::Program(Program::new(words)))
    }
}

fn ws(address: &str) -> Result<Ws, AddressError> {
    let (address, path) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
    let tcp = tcp(address)?;
    if !path.is_empty() && !path.starts_with('/') {
        return Err(AddressError::NoPath);
    }
    if let Some(bad) = path.chars().find(|c| !c.is_ascii_graphic() || r##""#<>\^`{|}"##.contains(*c)) {
        return Err(AddressError::Character(bad));
    }
    Ok(Ws { tcp, path: path.into() })
}

/// The server at `HOST:PORT`.
pub(crate) fn tcp(address: &str) -> Result<Tcp, AddressError> {
    let address = address.strip_suffix('/').unwrap_or(address);
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or(AddressError::Bracket)?;
            host.parse::<std::net::Ipv6Addr>().map_err(|_| AddressError::NoIpv6(host.to_owned()))?;
            (host, rest.strip_prefix(':').ok_or(AddressError::NoPort)?)
        }
        None => {
            let (host, port) = address.rsplit_once(':').ok_or(AddressError::NoPort)?;
            if host.contains(':') {
                return Err(AddressError::BareIpv6(host.to_owned()));
            }
            (host, port)
        }
    };
    if host.is_empty() {
        return Err(AddressError::NoHost);
    }
    if let Some((_, path)) = port.split_once('/') {
        return Err(AddressError::Path(path.to_owned()));
    }
    let number = port.parse::<u16>().ok().filter(|n| *n > 0 && port.bytes().all(|b| b.is_ascii_digit()));
    let number = number.ok_or_else(|| AddressError::Port(port.to_owned()))?;
    Ok(Tcp::new(host, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let program = |words: &[&str]| SutSpec::Program(Program::new(words.iter().map(|w| w.to_string()).collect()));
        for (text, expected) in [
            ("python3 sut.py --port '1 2'", program(&["python3", "sut.py", "--port", "1 2"])),
            ("./sut http://localhost:80/", program(&["./sut", "http://localhost:80/"])),
            (" tcp://127.0.0.1:7000 ", SutSpec::Tcp(Tcp::new("127.0.0.1", 7000))),
            ("tcp://[::1]:7000/", SutSpec::Tcp(Tcp::new("::1", 7000))),
            ("tcp://sut.example.org:65535", SutSpec::Tcp(Tcp::new("sut.example.org", 65535))),
            ("ws://127.0.0.1:7000", SutSpec::Ws(Ws::new("127.0.0.1", 7000, ""))),
            ("ws://[::1]:7000/a/b?c=d", SutSpec::Ws(Ws::new("::1", 7000, "/a/b?c=d"))),
            ("model:a b.sts", SutSpec::Model("a b.sts".into())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn places_are_connected_to_by_their_names() {
        for text in ["python3 sut.py", "tcp://[::1]:7000", "tcp://localhost:7000", "ws://[::1]:7000/a", "ws://a:7000"] {
            assert_eq!(text.parse::<SutSpec>().unwrap().connector().ok().map(|c| c.name()), Some(text.to_owned()));
        }
        let model = "model:a.sts".parse::<SutSpec>().unwrap();
        assert_eq!(model.connector().err(), Some("a.sts".into()));
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("", "it is empty"),
            ("''", "it is empty"),
            ("sut 'a", "not closed"),
            ("model:", "write the file of the model after"),
            ("tcp://localhost", "the port is missing"),
            ("tcp://:7000", "the host is missing"),
            ("tcp://::1:7000", "in brackets"),
            ("tcp://[::1]7000", "the port is missing"),
            ("tcp://[::1", "not closed"),
            ("tcp://[x]:1", "not an IPv6 address"),
            ("tcp://a:0", "from 1 to 65535"),
            ("tcp://a:+1", "from 1 to 65535"),
            ("tcp://a:70000", "from 1 to 65535"),
            ("tcp://a:7000/path", "nothing may follow the port"),
            ("tcp:a:7000", "write `tcp://a:7000`"),
            ("ws:a:7000/x", "write `ws://a:7000/x`"),
            ("ws://a/x", "the port is missing"),
            ("ws://a:7000?x", "begins with `/`"),
            ("ws://a:7000/x y", "`%20`"),
            ("ws://a:7000/ü", "`%C3%BC`"),
            ("ws://a:7000/#x", "`%23`"),
            ("wss://a:7000", "needs TLS"),
            ("gopher://a:7000", "cannot connect to `gopher://`"),
            ("http://a", "`tcp://HOST:PORT`"),
        ] {
            let why = text.parse::<SutSpec>().unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
