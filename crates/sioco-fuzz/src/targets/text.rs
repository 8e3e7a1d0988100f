//! What a system that speaks plain text sends.

use std::sync::LazyLock;

use sioco_adapter::config::Config;
use sioco_adapter::lines::MAX_LINE;
use sioco_adapter::text::{Compiled, Dialect, Heard, Trail};
use sioco_exec::{GateValue, Observation};

use super::{assert_fits, in_pieces, model, shape};
use crate::Seen;

/// Every kind of template. What is sent for `a`, `s` and `pt` has the form of what is received as `oa`, `os` and `opt`.
pub(super) const DIALECT: &str = r#"
[dialect.d]
line-end = "\r\n"
other = "line"
words = { Red = "r", Green = "g", Refused = "NO" }
[dialect.d.inputs]
a = "A {p} {c}"
s = "S {quoted(t)} {b}"
pt = "P {p} {q}"
go = "GO"
[dialect.d.outputs]
oa = "A {p} {c}"
os = "S {quoted(t)} {b}"
opt = "P {p} {q}"
v = ["V {r} {n}", { regex = 'w(?<r>-?[0-9.]+)\r\n', set = { n = 7 } }, { regex = '(?:[0-9]{3}-.*\r\n)*(?<n>[0-9]{3}) (?<r>.*)\r\n' }]
r = "R {r}"
done = ["DONE", { regex = '\$-1\r\n' }]
"#;

fn compiled() -> &'static Compiled {
    static FOUND: LazyLock<Compiled> = LazyLock::new(|| {
        let config: Config = DIALECT.parse().unwrap_or_else(|why| panic!("{why}"));
        let dialect = Dialect { name: "d".into(), config: config.dialect["d"].clone() };
        dialect.compile(model()).unwrap_or_else(|why| panic!("{why:?}"))
    });
    &FOUND
}

/// Bytes of a system become the same messages in whatever pieces they come, together they are all of the bytes, and
/// values that were read are the values that would be sent.
pub fn run(data: &[u8], seen: &mut Seen) {
    let (whole, rest) = heard(&[data.to_vec()]);
    for pieces in in_pieces(data) {
        assert_eq!(heard(&pieces), (whole.clone(), rest), "other messages in {} pieces", pieces.len());
    }
    let length: usize = whole.iter().map(|(length, _)| length).sum();
    assert_eq!(length + rest, data.len(), "bytes got lost, or were made up");
    assert!(rest <= MAX_LINE, "{rest} bytes wait for more");
    for (length, message) in &whole {
        assert!(*length > 0, "a message of nothing: {message:?}");
        match message {
            Observation::Output(output) => {
                let arg = output.args.iter().map(|arg| arg.to_string().len().min(8)).max();
                seen.add(("output", output.gate, (*length).min(12), arg));
                assert_fits(model(), output);
                written(output);
            }
            Observation::Malformed { gate, why, raw } => {
                seen.add(("malformed", *gate, shape(why)));
                assert!(!why.is_empty() && why.len() < 5000 + 4 * length, "{} bytes of words for {length}", why.len());
                assert!(raw.len() <= 60_000, "{} bytes of what was received", raw.len());
            }
            other => panic!("the system said {other:?}"),
        }
    }
    seen.add(("rest", rest.min(3)));
}

/// The messages, each with its length, and how many bytes are left.
fn heard(pieces: &[Vec<u8>]) -> (Vec<(usize, Observation)>, usize) {
    let (mut bytes, mut found, mut trail) = (Vec::new(), Vec::new(), Trail::default());
    for piece in pieces {
        bytes.extend_from_slice(piece);
        let mut taken = 0;
        while let Heard::Message(length, message) = compiled().read(model(), &bytes[taken..], &mut trail) {
            assert!(length <= bytes.len() - taken, "a message of {length} bytes");
            found.push((length, message));
            taken += length;
        }
        bytes.drain(..taken);
    }
    (found, bytes.len())
}

/// Sends values back that were received, in the same form: they are received again.
fn written(output: &GateValue) {
    let model = model();
    let name = model.gates[output.gate].name.as_str();
    let Some(gate) = name.strip_prefix('o').and_then(|name| model.gate(name)) else { return };
    let bytes = compiled().write(model, &GateValue { gate, args: output.args.clone() });
    let again = compiled().read(model, &bytes, &mut Trail::default());
    let expected = Heard::Message(bytes.len(), Observation::Output(output.clone()));
    assert_eq!(again, expected, "sent as {}", bytes.escape_ascii());
}
