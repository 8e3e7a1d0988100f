//! What is wrong with how a project describes a system: always the fault of whoever wrote the file.

use std::fmt;

use sioco_adapter::host::PORT;
use sioco_adapter::spec::SpecError;
use sioco_solve::smt::process::CommandLineError;

/// Why a description does not say how a system is reached, or says what has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum WayError {
    /// HTTP without a dialect.
    HttpWithoutDialect,
    /// `before` for an adapter.
    BeforeOfAdapter,
    /// Something else than requests in `before`, for HTTP.
    BeforeOfHttp,
    /// Something else than texts in `before`, for text.
    BeforeOfText,
    /// `order` for HTTP.
    OrderOfHttp,
    /// `order` for an adapter.
    OrderOfAdapter,
    /// A connection is kept that carries no text.
    Keep,
    /// `config` for a system with a dialect.
    ConfigOfDialect,
    /// A dialect over WebSocket.
    TextOverWebSocket,
    /// An environment, and nothing that is started.
    NothingStarted,
    /// A command cannot be read.
    Command {
        /// Which.
        key: &'static str,
        /// What is wrong with it.
        why: CommandLineError,
    },
    /// A command is empty.
    EmptyCommand(&'static str),
    /// A free port for a program that needs none.
    PortOfCommand,
    /// A server that somebody else started is to be started anew.
    RestartWithoutStart,
    /// A free port, and nothing that is started.
    PortWithoutStart,
    /// A free port that the server does not learn.
    PortUnknown {
        /// How the server is started.
        start: String,
    },
    /// HTTP with TLS.
    Tls,
    /// A server that is started is reached in another way.
    ConnectToStarted {
        /// As it is written.
        connect: String,
    },
    /// This is no server.
    ConnectToNothing {
        /// As it is written.
        connect: String,
    },
    /// This is no address.
    Address(SpecError),
    /// A server is started, and nobody knows where it is.
    StartWithoutConnect,
    /// It says nothing.
    Nothing,
    /// A program and a server at once.
    CommandAndServer,
}

impl fmt::Display for WayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WayError::HttpWithoutDialect => "a system that speaks HTTP needs a `dialect` that describes its messages",
            WayError::BeforeOfAdapter => "`before` works only with a `dialect`; an adapter does this at its reset",
            WayError::BeforeOfHttp => "with HTTP, each entry of `before` needs a `request`, and may have a `status`",
            WayError::BeforeOfText => {
                "each entry of `before` needs `send`, `expect` or both; requests are only for systems at `http://…`"
            }
            WayError::OrderOfHttp => "`order` has no effect with HTTP, which always keeps the order of the system",
            WayError::OrderOfAdapter => "`order` works only with a `dialect`; an adapter gives it in its `hello`",
            WayError::Keep => "`reset = \"keep\"` works only for connections that carry text",
            WayError::ConfigOfDialect => "`config` is for adapters, but a system with a `dialect` has no adapter",
            WayError::TextOverWebSocket => {
                "WebSocket is only for adapters, without a `dialect`; for text, use `tcp://…`"
            }
            WayError::NothingStarted => "`environment` and `directory` need a `command` or a `start`",
            WayError::RestartWithoutStart => {
                "`reset = \"restart\"` needs `start`: sioco can restart only what it started"
            }
            WayError::Tls => {
                "`https://` needs TLS, which sioco does not support; run a TLS proxy and write `http://127.0.0.1:PORT`"
            }
            WayError::StartWithoutConnect => {
                "`start` says how to start the server; add `connect`, which says where it listens"
            }
            WayError::Nothing => "it needs `command` or `connect`",
            WayError::CommandAndServer => {
                "sioco talks to a `command` over standard input and output; for a server, use `start` and `connect`"
            }
            WayError::Command { key, why } => return write!(f, "`{key}`: {why}"),
            WayError::EmptyCommand(key) => return write!(f, "`{key}` is empty"),
            WayError::PortOfCommand => {
                return write!(
                    f,
                    "`{PORT}` is only for servers with `start` and `connect`; sioco talks to a `command` over \
                     standard input and output"
                );
            }
            WayError::PortWithoutStart => {
                return write!(f, "`connect` has `{PORT}`, but there is no `start` that could use the port");
            }
            WayError::PortUnknown { start } => {
                return write!(f, "`connect` has `{PORT}`, but `start` does not: `{start}` would not know the port");
            }
            WayError::ConnectToStarted { connect } => {
                return write!(
                    f,
                    "`connect` is `{connect}`; for a server with `start`, write `tcp://HOST:PORT` or \
                     `http://HOST:PORT`"
                );
            }
            WayError::ConnectToNothing { connect } => {
                return write!(
                    f,
                    "`connect` is `{connect}`; write `tcp://HOST:PORT`, `ws://HOST:PORT/PATH` or `http://HOST:PORT`"
                );
            }
            WayError::Address(why) => return why.fmt(f),
        })
    }
}

impl std::error::Error for WayError {}
