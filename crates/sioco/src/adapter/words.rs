//! Times as they are told.

use std::time::Duration;

use serde_json::{Value as Json, json};
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
pub fn spread_json(spread: Spread) -> Json {
    json!({
        "count": spread.count,
        "min_ms": ms(spread.least),
        "median_ms": ms(spread.median),
        "max_ms": ms(spread.most),
    })
}

/// A time that was suggested: a round number.
pub fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// Milliseconds, to the microsecond.
pub fn ms(time: Duration) -> Json {
    json!((time.as_secs_f64() * 1_000_000.0).round() / 1000.0)
}
