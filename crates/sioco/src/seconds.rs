//! Times on the command line: `20`, `0.5`, `1.5s`.

use std::time::Duration;

/// Reads a number of seconds, which may have decimals.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number of seconds, such as 20 or 0.5".to_owned();
    let plain = text.trim();
    let plain = plain.strip_suffix('s').unwrap_or(plain).trim_end();
    let (whole, part) = plain.split_once('.').unwrap_or((plain, "0"));
    // What floats are written like besides, such as `1e3` and `inf`, is more likely a slip.
    if [whole, part].iter().any(|p| p.is_empty() || !p.bytes().all(|b| b.is_ascii_digit())) {
        return Err(wrong());
    }
    let seconds = plain.parse::<f64>().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "that is longer than can be measured".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read() {
        for (text, millis) in [("0", 0), ("20", 20_000), ("0.5", 500), ("1.25s", 1250), (" 3 s ", 3000)] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", ".", "5.", ".5", "-1", "1e3", "inf", "NaN", "1m", "1.2.3", "999999999999999999999999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
