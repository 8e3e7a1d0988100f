//! What `--sut` says: where the system under test is.

use std::path::PathBuf;

use sioco_solve::smt::process::words;

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

impl std::str::FromStr for SutSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<SutSpec, String> {
        let text = text.trim();
        if let Some(file) = text.strip_prefix("model:") {
            if file.trim().is_empty() {
                return Err("`model:` is followed by the file of the model, as in `model:sut.sts`".into());
            }
            return Ok(SutSpec::Model(file.trim().into()));
        }
        if let Some(address) = text.strip_prefix("tcp://") {
            return tcp(address).map(SutSpec::Tcp).map_err(|why| {
                format!("`{text}` is no address: {why}; write `tcp://HOST:PORT`, as in `tcp://127.0.0.1:7000`")
            });
        }
        if let Some(address) = text.strip_prefix("ws://") {
            return ws(address).map(SutSpec::Ws).map_err(|why| {
                format!("`{text}` is no address: {why}; write `ws://HOST:PORT/PATH`, as in `ws://127.0.0.1:7000/sut`")
            });
        }
        if text.starts_with("wss://") {
            return Err("`wss://` needs TLS, which sioco does not speak; start a program that does, such as \
                        `socat TCP-LISTEN:7000,bind=127.0.0.1,reuseaddr,fork OPENSSL:HOST:443`, and write \
                        `ws://127.0.0.1:7000/PATH`"
                .into());
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        if let Some(scheme) = scheme.filter(|s| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric())) {
            return Err(format!(
                "`{scheme}://` is no way to reach a system; there are `tcp://HOST:PORT` and `ws://HOST:PORT/PATH`"
            ));
        }
        for scheme in ["tcp", "ws"] {
            if let Some(rest) = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(':')) {
                return Err(format!("write `{scheme}://{}`", rest.trim_start_matches('/')));
            }
        }
        let words = words(text)?;
        if words.iter().all(String::is_empty) {
            return Err(
                "it is empty: write a command that starts the system, `tcp://HOST:PORT`, `ws://HOST:PORT/PATH` or \
                        `model:FILE`"
                    .into(),
            );
        }
        Ok(SutSpec::Program(Program::new(words)))
    }
}

fn ws(address: &str) -> Result<Ws, String> {
    let (address, path) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
    let tcp = tcp(address)?;
    if !path.is_empty() && !path.starts_with('/') {
        return Err("a path, which begins with `/`, follows the port".into());
    }
    if let Some(bad) = path.chars().find(|c| !c.is_ascii_graphic() || r##""#<>\^`{|}"##.contains(*c)) {
        let mut bytes = [0; 4];
        let written: String = bad.encode_utf8(&mut bytes).bytes().map(|b| format!("%{b:02X}")).collect();
        return Err(format!("the path has `{}` in it, which is written `{written}`", bad.escape_debug()));
    }
    Ok(Ws { tcp, path: path.into() })
}

/// The server at `HOST:PORT`.
pub(crate) fn tcp(address: &str) -> Result<Tcp, String> {
    let address = address.strip_suffix('/').unwrap_or(address);
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or("a `[` is not closed")?;
            host.parse::<std::net::Ipv6Addr>().map_err(|_| format!("`{host}` is no IPv6 address"))?;
            (host, rest.strip_prefix(':').ok_or("the port is missing")?)
        }
        None => {
            let (host, port) = address.rsplit_once(':').ok_or("the port is missing")?;
            if host.contains(':') {
                return Err(format!("an IPv6 address is written in brackets: `[{host}]`"));
            }
            (host, port)
        }
    };
    if host.is_empty() {
        return Err("the host is missing".into());
    }
    if let Some((_, path)) = port.split_once('/') {
        return Err(format!("nothing follows the port, and here `/{path}` does"));
    }
    let number = port.parse::<u16>().ok().filter(|n| *n > 0 && port.bytes().all(|b| b.is_ascii_digit()));
    let number = number.ok_or_else(|| format!("the port is a number from 1 to 65535, and not `{port}`"))?;
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
            ("model:", "followed by the file"),
            ("tcp://localhost", "the port is missing"),
            ("tcp://:7000", "the host is missing"),
            ("tcp://::1:7000", "in brackets"),
            ("tcp://[::1]7000", "the port is missing"),
            ("tcp://[::1", "not closed"),
            ("tcp://[x]:1", "no IPv6 address"),
            ("tcp://a:0", "from 1 to 65535"),
            ("tcp://a:+1", "from 1 to 65535"),
            ("tcp://a:70000", "from 1 to 65535"),
            ("tcp://a:7000/path", "nothing follows the port"),
            ("tcp:a:7000", "write `tcp://a:7000`"),
            ("ws:a:7000/x", "write `ws://a:7000/x`"),
            ("ws://a/x", "the port is missing"),
            ("ws://a:7000?x", "begins with `/`"),
            ("ws://a:7000/x y", "`%20`"),
            ("ws://a:7000/ü", "`%C3%BC`"),
            ("ws://a:7000/#x", "`%23`"),
            ("wss://a:7000", "needs TLS"),
            ("gopher://a:7000", "`gopher://` is no way"),
            ("http://a", "`tcp://HOST:PORT`"),
        ] {
            let why = text.parse::<SutSpec>().unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
