//! Times as they are told.

use std::time::Duration;

use sioco_report::adapter::{SpreadLine, milliseconds as precise};
use sioco_report::run::time;

use super::advice::Spread;

/// How long answers took, in words.
pub fn spread_text(spread: Spread) -> String {
    match spread.count {
        1 => format!("in {}", time(spread.most)),
        _ => format!("in {} to {}, half of them within {}", time(spread.least), time(spread.most), time(spread.median)),
    }
}

/// The same for programs.
pub fn spread_line(spread: Spread) -> SpreadLine {
    SpreadLine {
        count: spread.count,
        min_ms: precise(spread.least),
        median_ms: precise(spread.median),
        max_ms: precise(spread.most),
    }
}

/// A time that was suggested: a round number.
pub fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
