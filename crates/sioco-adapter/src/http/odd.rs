//! Odd features of responses that affect no verdict. They are reported, since other programs may misread such
//! responses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::request::Outgoing;

/// What can be odd.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Oddity {
    /// More follows a response than belongs to it: a second response, perhaps.
    More,
    /// Its length is said in two ways.
    TwoLengths,
}

/// How often something was odd, and the request of the first time.
type Noted = BTreeMap<Oddity, (u64, String)>;

/// See the [module](self).
#[derive(Clone, Default, Debug)]
pub(super) struct Odd(Arc<Mutex<Kept>>);

#[derive(Default, Debug)]
struct Kept {
    noted: Noted,
    /// Whether a connection that ended had something left.
    more: bool,
}

impl Odd {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something is odd about the response to a request.
    pub(super) fn note(&self, what: Oddity, request: &Outgoing) {
        self.kept().noted.entry(what).or_insert_with(|| (0, request.to_string())).0 += 1;
    }

    /// A connection ends, and something came over it that nobody has read.
    pub(super) fn more(&self) {
        self.kept().more = true;
    }

    /// Whether that happened since this was asked last.
    pub(super) fn had_more(&self) -> bool {
        std::mem::take(&mut self.kept().more)
    }

    /// What is told about all of them.
    pub(super) fn remarks(&self) -> Vec<String> {
        let remark = |(what, (count, first)): (&Oddity, &(u64, String))| {
            let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
            match what {
                Oddity::More => format!(
                    "{times}, the server sent extra data after a response, perhaps a second response, first after \
                     {first}; only the first response is judged"
                ),
                Oddity::TwoLengths => format!(
                    "{times}, a response had both `Content-Length` and `Transfer-Encoding`, first after {first}; \
                     sioco read the chunks, but other programs may read something else"
                ),
            }
        };
        self.kept().noted.iter().map(remark).collect()
    }
}
