//! Models to look at and to test with.

use std::fmt::Write;

use sioco_lang::check_text;
use sioco_model::Model;

/// The model of a text.
pub(super) fn model(text: &str) -> Model {
    let checked = check_text("sample.sts", text);
    match checked.require_model() {
        Ok(checked) => checked.model.clone(),
        Err(_) => panic!("{:#?}", checked.diagnostics),
    }
}

/// The accumulator of the language page.
pub(super) const ACCUMULATOR: &str = "
input  inX(p: Int)
output outX(p: Int)
output done
process Accumulator {
  var x: Int = 0
  init l0 {
    add:    ?inX(p) [1 <= p <= 10] / x := x + p  -> l1
    finish: !done [x > 15] -> l2
  }
  state l1 { tell: !outX(x) -> l0 }
  final l2
}";

/// The sender of the Bounded Retransmission Protocol.
pub(super) const BRP: &str = "
input IREQ(p0: Int, p1: Int, p2: Int)
input IACK
input ITIMEOUT
output OFRAME(first: Int, last: Int, toggle: Int, message: Int)
output OCONF(how: Int)
output ONOK
process Sender {
  var m1: Int = 0
  var m2: Int = 0
  var m3: Int = 0
  var n: Int = 0
  var rn: Int = 0
  var tg: Int = 0
  init INIT {
    request: ?IREQ(p0, p1, p2) / m1 := p0, m2 := p1, m3 := p2, n := 0, rn := 0 -> SF
    stray_ack: ?IACK -> NI
    stray_timeout: ?ITIMEOUT -> NI
  }
  state NI { refuse: !ONOK -> INIT }
  state SF {
    first: !OFRAME(1, 0, tg, m1) [n == 0] / rn := rn + 1 -> WA
    second: !OFRAME(0, 0, tg, m2) [n == 1] / rn := rn + 1 -> WA
    third: !OFRAME(0, 1, tg, m3) [n == 2] / rn := rn + 1 -> WA
  }
  state WA {
    ack: ?IACK [n < 2] / n := n + 1, rn := 0, tg := 1 - tg -> SF
    last_ack: ?IACK [n == 2] / n := 3, rn := 0, tg := 1 - tg -> SC
    again: ?ITIMEOUT [rn <= 5] -> SF
    give_up: ?ITIMEOUT [rn > 5] -> SC
    busy: ?IREQ(_, _, _) -> NW
  }
  state NW { refuse_busy: !ONOK -> WA }
  state SC {
    failed: !OCONF(0) [n < 2] -> INIT
    unsure: !OCONF(2) [n == 2] -> INIT
    done: !OCONF(1) [n == 3] -> INIT
  }
}";

const BUSY: &str = "
input poll
input set(k: Int)
input start(p: Int)
input resume
input kick
input query(q: Int)
input fork
output heartbeat(n: Int)
output ready(n: Int)
output woke
output reply(n: Int)
output left
output right
process Busy {
  var count: Int = 0
  var limit: Int = any
  init idle {
    poll: ?poll -> idle
    set: ?set(k) [0 <= k <= 99] / limit := k -> idle
    beat: !heartbeat(count) / count := count + 1 -> idle
    tau [count > 100] / count := 0 -> idle
    a: ?start(p) [p < 10] / count := p -> work
    b: ?start(p) [p == 10] -> work
    c: ?resume -> work
    d: ?kick [limit > 3] / limit := limit - 1, count := count + limit -> work
    !woke -> work
  }
  state work {
    !ready(count) -> idle
    ask: ?query(q) / count := count + q ; !reply(q + limit) -> work
    fork: ?fork -> split
    crash: tau -> gone
  }
  state split {
    !left -> idle
    !right -> gone
  }
  final gone
}";

/// Loops of all kinds, parallel switches in both directions, an answered input, and a hidden location with two ways
/// out, as an importer may make it.
pub(super) fn busy() -> Model {
    let mut model = model(BUSY);
    let split = model.location("split").expect("there is one");
    model.locations[split].hidden = true;
    model
}

/// Two processes with a channel.
pub(super) const PAIR: &str = "
input order(p: Int)
output ship(p: Int)
channel ci(v: Int)
process Client {
  var x: Int = 0
  init ready { order: ?order(p) [p > 0] / x := p -> waiting }
  state waiting { send ci(x) -> ready }
}
process Server(size: Int) {
  var y: Int = any
  init empty {
    recv ci(v) / y := v -> full
    tau [y > size] -> closed
  }
  state full { ship: !ship(y) -> empty }
  final closed
}
system Pair = Client || back: Server(100)";

/// A random model, always the same for the same numbers.
pub(super) fn random(locations: usize, switches: usize, seed: u64) -> Model {
    let mut state = seed;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit.max(1)
    };
    let mut bodies = vec![String::new(); locations];
    for i in 0..switches {
        // Most switches lead a little ahead, some back, some anywhere: like written models.
        let from = if i + 1 < locations { i / 2 + next(i / 2 + 1) } else { next(locations) };
        let to = match next(10) {
            _ if i + 1 < locations => i + 1,
            0 => next(locations),
            1..=3 => from.saturating_sub(1 + next(4)),
            _ => (from + 1 + next(5)).min(locations - 1),
        };
        let label = ["?get(_)", "!out(x)", "tau"][next(3)];
        let guard = ["", "[x < 3]", "[x > 12]"][next(3)];
        let update = ["", "/ x := x + 1"][next(2)];
        let _ = writeln!(bodies[from], "{label} {guard} {update} -> s{to}");
    }
    let mut text = String::from("input get(p: Int) output out(p: Int) process Random { var x: Int = 0\n");
    for (i, body) in bodies.iter().enumerate() {
        let word = if i == 0 { "init" } else { "state" };
        let _ = writeln!(text, "{word} s{i} {{ {body} }}");
    }
    text.push('}');
    model(&text)
}
