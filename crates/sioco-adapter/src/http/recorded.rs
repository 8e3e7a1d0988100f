//! Responses that were recorded, read by the same code as those of a server.
//!
//! No network is needed, and it is known in which pieces the bytes arrive. This is for tests, and for finding out
//! what untrusted bytes do.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use sioco_exec::Observation;
use sioco_model::{GateId, Model};
use ureq::Agent;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport};

use super::error::{NoResponse, TooDeep};
use super::odd::Odd;
use super::request::Outgoing;
use super::response::{Recognizer, Response};
use super::{Broken, ask, compile, settings};
use crate::text::{Dialect, DialectError};

/// Reading a recorded conversation may take this long. All of it is in memory, so nobody waits for anything; the time
/// only has to be one that no machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a dialect makes of responses.
pub struct Recorded<'m> {
    model: &'m Model,
    recognizer: Recognizer,
}

impl<'m> Recorded<'m> {
    /// For a model and a dialect, or everything that is wrong with the dialect.
    pub fn new(model: &'m Model, dialect: &Dialect) -> Result<Self, Vec<DialectError>> {
        let (_, recognizer) = compile(model, dialect)?;
        Ok(Recorded { model, recognizer })
    }

    /// The status and the body of a response that comes in these pieces, after which the server closes the connection;
    /// why there is none.
    pub fn read(pieces: Vec<Vec<u8>>) -> Result<(u16, Vec<u8>), NoResponse> {
        let agent = Agent::with_parts(settings(PATIENCE), Server(Mutex::new(pieces.into())), Nowhere);
        let request = Outgoing { method: "GET".into(), path: "/".into(), headers: Vec::new(), body: None };
        match ask(&agent, "http://recorded", &request, &Odd::default()) {
            Ok(response) => Ok((response.status, response.body)),
            Err(Broken::Dropped) => Err(NoResponse::Dropped),
            Err(Broken::Late | Broken::Unfinished) => Err(NoResponse::Late),
            Err(Broken::Unreachable(why) | Broken::Wrong(why)) => Err(NoResponse::Wrong(why)),
        }
    }

    /// What a response to a request of a gate is, or why that cannot be found out.
    pub fn observation(&self, after: GateId, status: u16, body: Vec<u8>) -> Result<Observation, TooDeep> {
        self.recognizer.observation(self.model, after, &Response { status, body })
    }
}

/// What takes the place of a server: the pieces that it sends.
struct Server(Mutex<VecDeque<Vec<u8>>>);

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Server")
    }
}

impl Connector for Server {
    type Out = Pieces;

    fn connect(&self, details: &ConnectionDetails, _: Option<()>) -> Result<Option<Pieces>, ureq::Error> {
        let pieces = self.0.lock().map(|mut pieces| std::mem::take(&mut *pieces)).unwrap_or_default();
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Pieces { pieces, buffers }))
    }
}

/// A connection on which these pieces arrive, one with each read, as far as there is room.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    buffers: LazyBuffers,
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pieces")
    }
}

impl Transport for Pieces {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, _: usize, _: NextTimeout) -> Result<(), ureq::Error> {
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, ureq::Error> {
        let Some(mut piece) = self.pieces.pop_front() else { return Ok(false) };
        let room = self.buffers.input_append_buf();
        let amount = piece.len().min(room.len());
        room[..amount].copy_from_slice(&piece[..amount]);
        self.buffers.input_appended(amount);
        if amount < piece.len() {
            self.pieces.push_front(piece.split_off(amount));
        }
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        !self.pieces.is_empty()
    }
}

/// There is nothing to look up.
#[derive(Debug)]
struct Nowhere;

impl Resolver for Nowhere {
    fn resolve(&self, _: &Uri, _: &ureq::config::Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut found = self.empty();
        found.push(([127, 0, 0, 1], 1).into());
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, size: usize) -> Result<(u16, Vec<u8>), NoResponse> {
        Recorded::read(text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect())
    }

    #[test]
    fn pieces_are_one_response() {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        for size in 1..text.len() + 1 {
            assert_eq!(read(text, size), Ok((200, b"abcde".to_vec())), "{size}");
        }
        assert_eq!(read("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno", 1000), Ok((404, b"no".to_vec())));
        assert_eq!(read("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nno", 7), Err(NoResponse::Dropped));
        assert_eq!(read("", 1), Err(NoResponse::Dropped));
        assert!(read("SSH-2.0-OpenSSH\r\n", 3).is_err());
    }
}
