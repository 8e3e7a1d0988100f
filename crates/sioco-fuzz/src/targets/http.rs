//! Responses of a system that speaks HTTP.

use std::sync::LazyLock;

use sioco_adapter::config::Config;
use sioco_adapter::http::{NoResponse, Recorded};
use sioco_adapter::text::Dialect;
use sioco_exec::Observation;

use super::{assert_fits, in_pieces, model, shape};
use crate::Seen;

pub(super) const DIALECT: &str = r#"
[dialect.d]
words = { Red = "r", Refused = "NO" }
[dialect.d.inputs]
a = { method = "PUT", path = "/a/{p}", body = '{{"c": {c}}}' }
s = { method = "POST", path = "/s?t={t}", body = "{b}" }
pt = { method = "POST", path = "/pt", body = '{{"p": {p}, "q": {q}}}' }
go = { method = "GET", path = "/go" }
[dialect.d.outputs]
oa = { status = 200, json = { p = "/p", c = "/colour" } }
os = { status = 201, json = { t = "/t", b = "/b" }, after = ["s"] }
opt = { status = 200, json = { p = "/at", q = "/all" } }
v = { status = "{n}", regex = 'v=(?<r>-?[0-9.]+)', after = ["go"] }
r = { status = "2xx", json = { r = "" } }
line = { status = 404, regex = '(?s)(?<text>.*)' }
done = { status = 204 }
"#;

fn recorded() -> &'static Recorded<'static> {
    static FOUND: LazyLock<Recorded<'static>> = LazyLock::new(|| {
        let config: Config = DIALECT.parse().unwrap_or_else(|why| panic!("{why}"));
        let dialect = Dialect { name: "d".into(), config: config.dialect["d"].clone() };
        Recorded::new(model(), &dialect).unwrap_or_else(|why| panic!("{why:?}"))
    });
    &FOUND
}

/// A response is the same in whatever pieces it comes. Its body is no longer than what was received, and only gate values
/// of the model become outputs.
pub fn run(data: &[u8], seen: &mut Seen) {
    let whole = Recorded::read(vec![data.to_vec()]);
    for pieces in in_pieces(data) {
        let count = pieces.len();
        let found = Recorded::read(pieces);
        // What follows a `100 Continue` counts as one header as long as it was not looked at, so how much of it came at once
        // decides whether that is too much.
        let too_big = |found: &Result<_, NoResponse>| {
            found.as_ref().is_err_and(|why| why.to_string().contains("header is too big"))
        };
        if !too_big(&found) && !too_big(&whole) {
            assert_eq!(found, whole, "another response in {count} pieces");
        }
    }
    let (status, body) = match whole {
        Ok(found) => found,
        Err(why) => {
            let why = why.to_string();
            assert!(!why.is_empty() && why.len() < 5000, "{} bytes of words", why.len());
            seen.add(("none", shape(&why)));
            return;
        }
    };
    assert!((100..1000).contains(&status), "status {status}");
    assert!(body.len() <= data.len(), "a body of {} bytes in {}", body.len(), data.len());
    seen.add(("response", status / 100, body.len().min(4)));
    for name in ["a", "s", "go"] {
        let after = model().gate(name).expect("a gate");
        match recorded().observation(after, status, body.clone()) {
            Ok(Observation::Output(output)) => {
                seen.add(("output", name, output.gate));
                assert_fits(model(), &output);
            }
            Ok(Observation::Malformed { gate, why, raw }) => {
                seen.add(("malformed", gate, shape(&why)));
                assert!(!why.is_empty() && why.len() < 5000 && raw.len() < 5000, "{} {}", why.len(), raw.len());
            }
            Ok(other) => panic!("a response said {other:?}"),
            Err(why) => {
                let why = why.to_string();
                assert!(!why.is_empty() && why.len() < 5000, "{} bytes of words", why.len());
                seen.add(("fault", shape(&why)));
            }
        }
    }
}
