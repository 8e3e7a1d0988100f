//! Why there is no WebSocket connection. The other side is to blame, or the surroundings; never the system under test.

use std::fmt;
use std::time::Duration;

/// Why there is no handshake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoHandshake {
    /// The operating system does not let it.
    Io(String),
    /// A server says nothing in this time.
    NoAnswer(Duration),
    /// A server does not come to an end in time.
    Unfinished {
        /// How long it was waited for.
        patience: Duration,
        /// What it sent, in short.
        answer: String,
    },
    /// A server speaks HTTP, and refuses.
    Refused {
        /// What it sent, in short.
        answer: String,
        /// What it means.
        refusal: Refusal,
        /// The path that was asked for.
        path: String,
    },
    /// A server closed the connection without a word.
    Closed,
    /// A server sends something else.
    NoServer {
        /// What is wrong with it.
        why: String,
        /// What it sent, in short.
        answer: String,
    },
    /// A client does not shake hands in this time.
    NoClient(Duration),
    /// A client sends something else.
    Strange {
        /// What is wrong with it.
        why: String,
        /// What it sent, in short.
        sent: String,
    },
}

/// How a server refuses a handshake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is nothing at this path.
    NotFound,
    /// It is somewhere else, if it says where.
    Elsewhere(Option<String>),
    /// In another way.
    Other,
}

impl NoHandshake {
    /// A failure of the operating system.
    pub(crate) fn io(error: std::io::Error) -> NoHandshake {
        NoHandshake::Io(error.to_string())
    }
}

impl fmt::Display for NoHandshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = "for lines of JSON over plain TCP, write `tcp://HOST:PORT`";
        match self {
            NoHandshake::Io(why) => f.write_str(why),
            NoHandshake::NoAnswer(patience) => {
                let time = patience.as_secs_f64();
                write!(f, "it did not answer the WebSocket handshake within {time} s; {plain}")
            }
            NoHandshake::Unfinished { patience, answer } => {
                let time = patience.as_secs_f64();
                write!(f, "it did not finish the WebSocket handshake within {time} s, and sent {answer}; {plain}")
            }
            NoHandshake::Refused { answer, refusal, path } => {
                write!(f, "it refuses the WebSocket handshake with {answer}; ")?;
                match refusal {
                    Refusal::NotFound => write!(f, "is the path `{path}` right?"),
                    Refusal::Elsewhere(Some(to)) => write!(f, "it has moved to {to}"),
                    Refusal::Elsewhere(None) => f.write_str("it has moved"),
                    Refusal::Other => write!(f, "does it serve WebSockets at `{path}`?"),
                }
            }
            NoHandshake::Closed => {
                write!(f, "it closed the connection instead of answering the WebSocket handshake; {plain}")
            }
            NoHandshake::NoServer { why, answer } => {
                write!(f, "it is not a WebSocket server ({why}): it sent {answer}; {plain}")
            }
            NoHandshake::NoClient(patience) => {
                write!(f, "there was no WebSocket handshake within {} s", patience.as_secs_f64())
            }
            NoHandshake::Strange { why, sent } => write!(f, "no WebSocket handshake ({why}): it sent {sent}"),
        }
    }
}

impl std::error::Error for NoHandshake {}
