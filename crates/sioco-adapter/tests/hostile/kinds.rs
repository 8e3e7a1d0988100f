//! What a system may do wrong, and what that has to come to.

/// How a system is reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Over {
    Child,
    Tcp,
}

const BOTH: &[Over] = &[Over::Child, Over::Tcp];
const CHILD: &[Over] = &[Over::Child];
const TCP: &[Over] = &[Over::Tcp];

/// What it is tested against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Specification {
    /// It has to answer each input with the sum.
    Prompt,
    /// It may answer.
    Lazy,
    /// It may end instead of answering.
    Closing,
}

impl Specification {
    pub fn text(self) -> &'static str {
        match self {
            Specification::Prompt => {
                "
input inX(p: Int in 1..10)
output outX(p: Int)
process P {
  var x: Int = 0
  init l { ?inX(p) / x := x + p -> m }
  state m { !outX(x) -> l }
}
"
            }
            Specification::Lazy => {
                "
input inX(p: Int in 1..10)
output outX(p: Int)
process P {
  var x: Int = 0
  init l { ?inX(p) / x := x + p -> m }
  state m { !outX(x) -> l   tau -> n }
  state n { ?inX(p) / x := x + p -> m }
}
"
            }
            Specification::Closing => {
                "
input inX(p: Int in 1..10)
output outX(p: Int)
output closed
process P {
  var x: Int = 0
  init l { ?inX(p) / x := x + p -> m }
  state m { !outX(x) -> l   !closed -> e }
  final e
}
"
            }
        }
    }
}

/// The time-out that is short, since it is meant to run out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    Hello,
    Reset,
    Patience,
    Quiescence,
}

/// What the rules say about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Nothing is wrong with it.
    Good,
    /// The same, with outputs of older runs that are dropped.
    Old,
    /// The same, with silence that is withdrawn.
    Withdrawn,
    /// It ends, which is allowed, though it may not be what a purpose wants.
    Closed,
    /// It does not conform.
    Fail(&'static str),
    /// Nothing is said about the system.
    Error(&'static str),
    /// The same; which of the two is found first is a matter of time.
    Either(&'static str, &'static str),
}

/// A way to be wrong.
#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    pub over: &'static [Over],
    pub expected: Expected,
    pub spec: Specification,
    pub short: Option<Time>,
}

const fn kind(name: &'static str, over: &'static [Over], expected: Expected) -> Kind {
    Kind { name, over, expected, spec: Specification::Prompt, short: None }
}

const fn timed(name: &'static str, over: &'static [Over], expected: Expected, short: Time) -> Kind {
    Kind { name, over, expected, spec: Specification::Prompt, short: Some(short) }
}

const DIED: Expected = Expected::Error("died");
const PROTOCOL: Expected = Expected::Error("protocol");
const TIMEOUT: Expected = Expected::Error("timeout");
const START: Expected = Expected::Error("start");
const RESET: Expected = Expected::Error("reset");
const REPORTED: Expected = Expected::Error("reported");

/// All of them.
pub const KINDS: &[Kind] = &[
    kind("well", BOTH, Expected::Good),
    kind("stubborn", CHILD, Expected::Good),
    kind("endless-stderr", CHILD, Expected::Good),
    // It crashes.
    kind("exit-at-once", BOTH, DIED),
    kind("crash", BOTH, DIED),
    kind("abort", CHILD, DIED),
    kind("fork", CHILD, DIED),
    kind("crash-after", BOTH, DIED),
    kind("crash-at-reset", BOTH, DIED),
    // It hangs.
    timed("hang-at-hello", BOTH, TIMEOUT, Time::Hello),
    timed("drip", BOTH, TIMEOUT, Time::Hello),
    timed("hang-at-reset", BOTH, TIMEOUT, Time::Reset),
    timed("hang", BOTH, TIMEOUT, Time::Patience),
    // It sends garbage.
    kind("garbage-json", BOTH, PROTOCOL),
    kind("garbage-bytes", BOTH, PROTOCOL),
    kind("garbage-type", TCP, PROTOCOL),
    kind("garbage-id", BOTH, PROTOCOL),
    kind("garbage-number", CHILD, PROTOCOL),
    kind("unknown-gate", BOTH, PROTOCOL),
    kind("wrong-direction", TCP, PROTOCOL),
    kind("future", CHILD, PROTOCOL),
    kind("hello-again", TCP, PROTOCOL),
    kind("no-hello", CHILD, PROTOCOL),
    kind("accepted-twice", BOTH, PROTOCOL),
    kind("gates", BOTH, PROTOCOL),
    kind("version", TCP, PROTOCOL),
    // It sends without end.
    kind("long-line", BOTH, PROTOCOL),
    timed("endless-logs-at-hello", BOTH, TIMEOUT, Time::Hello),
    timed("endless-logs", BOTH, TIMEOUT, Time::Patience),
    timed("endless-at-reset", BOTH, TIMEOUT, Time::Reset),
    timed("endless-old", BOTH, Expected::Either("protocol", "timeout"), Time::Patience),
    kind("endless-outputs", BOTH, Expected::Fail("unexpected output")),
    // It closes half-way.
    kind("half", BOTH, DIED),
    kind("close", BOTH, Expected::Fail("closed")),
    kind("close-and-stay", BOTH, Expected::Fail("closed")),
    Kind { spec: Specification::Closing, ..kind("close-allowed", BOTH, Expected::Closed) },
    kind("nobody", TCP, START),
    // It answers wrong, late or not at all.
    kind("malformed", BOTH, Expected::Fail("malformed")),
    kind("malformed-none", BOTH, Expected::Fail("malformed")),
    kind("wrong", BOTH, Expected::Fail("unexpected output")),
    timed("silent", BOTH, Expected::Fail("unexpected silence"), Time::Quiescence),
    kind("silent-said", BOTH, Expected::Fail("unexpected silence")),
    timed("late-demanded", BOTH, Expected::Fail("unexpected silence"), Time::Quiescence),
    Kind { spec: Specification::Lazy, ..timed("late", BOTH, Expected::Withdrawn, Time::Quiescence) },
    kind("old", BOTH, Expected::Old),
    // It refuses, or says that something else is wrong.
    kind("refuse", BOTH, Expected::Error("refused")),
    kind("report", BOTH, REPORTED),
    kind("report-fatal", BOTH, REPORTED),
    kind("refuse-reset", CHILD, Expected::Good),
    kind("refuse-reset", TCP, RESET),
    kind("no-reset", CHILD, Expected::Good),
    kind("no-reset", TCP, RESET),
    kind("fail-reset", BOTH, RESET),
];
