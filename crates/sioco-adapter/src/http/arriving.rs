//! Whether a response has begun to arrive: from its first byte on, the system is not quiescent any more.
//!
//! The HTTP library reports nothing before all headers are there, so this module watches the bytes that the library
//! reads. It uses traits that the library calls unversioned.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ureq::Error;
use ureq::unversioned::transport::time::Duration;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

use super::odd::Odd;

/// Set as soon as the first byte of a response is there.
pub(super) type Arriving = Arc<AtomicBool>;

/// Something that comes after a response, and does not belong there, is waited for this long. Each response pays this
/// time: it finds what was sent together with the response, and no more.
const TRAILING_WAIT: Duration = Duration::from_millis(1);

/// Adds itself to connections that others make.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) arriving: Arriving,
    pub(super) odd: Odd,
}

impl<In: Transport> Connector<In> for Watch {
    type Out = Watched<In>;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<Watched<In>>, Error> {
        Ok(chained.map(|inner| Watched { inner, arriving: self.arriving.clone(), odd: self.odd.clone() }))
    }
}

/// A connection that tells when something arrives.
#[derive(Debug)]
pub(super) struct Watched<T: Transport> {
    inner: T,
    arriving: Arriving,
    odd: Odd,
}

/// A response that was read leaves nothing behind. Each connection has one request only.
impl<T: Transport> Drop for Watched<T> {
    fn drop(&mut self) {
        let wait = NextTimeout { after: TRAILING_WAIT, ..NextTimeout::default() };
        let more = !self.inner.buffers().input().is_empty() || self.inner.await_input(wait).is_ok_and(|more| more);
        if more {
            self.odd.more();
        }
    }
}

impl<T: Transport> Transport for Watched<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let found = self.inner.await_input(timeout);
        if let Ok(true) = found {
            self.arriving.store(true, Ordering::SeqCst);
        }
        found
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
