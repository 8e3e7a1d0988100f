//! Times on the command line: `20`, `0.5`, `1.5s`, `500ms`, `2m`, `1h`.

use std::fmt;
use std::time::Duration;

/// The units, the longer names first: `ms` ends in `s`.
const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];

/// Why a text is no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeError {
    /// It is written in another way.
    Form,
    /// It is longer than can be measured.
    TooLong,
    /// It is no time at all, where that makes no sense.
    Zero,
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeError::Form => {
                "write a number of seconds, such as 20 or 0.5, or with a unit: `500ms`, `90s`, `2m`, `1h`"
            }
            TimeError::TooLong => "that is too long",
            TimeError::Zero => "that is too short: write at least `1ms`",
        })
    }
}

impl std::error::Error for TimeError {}

/// Reads a time, which may have decimals; a bare number is seconds.
pub fn parse(text: &str) -> Result<Duration, TimeError> {
    let plain = text.trim();
    let found = UNITS.iter().find_map(|(unit, seconds)| Some((plain.strip_suffix(unit)?.trim_end(), *seconds)));
    let (plain, unit) = found.unwrap_or((plain, 1.0));
    let (whole, part) = plain.split_once('.').unwrap_or((plain, "0"));
    // What floats are written like besides, such as `1e3` and `inf`, is more likely a slip.
    if [whole, part].iter().any(|p| p.is_empty() || !p.bytes().all(|b| b.is_ascii_digit())) {
        return Err(TimeError::Form);
    }
    let seconds = plain.parse::<f64>().map_err(|_| TimeError::Form)? * unit;
    Duration::try_from_secs_f64(seconds).map_err(|_| TimeError::TooLong)
}

/// The same, where no time at all would make no sense.
pub fn some(text: &str) -> Result<Duration, TimeError> {
    let time = parse(text)?;
    if time.is_zero() { Err(TimeError::Zero) } else { Ok(time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, millis) in [
            ("0", 0),
            ("20", 20_000),
            ("0.5", 500),
            ("1.25s", 1250),
            (" 3 s ", 3000),
            ("500ms", 500),
            ("90s", 90_000),
            ("1m", 60_000),
            ("1.5 m", 90_000),
            ("2h", 7_200_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "ms", ".", "5.", ".5", "-1", "1e3", "inf", "NaN", "1d", "1.2.3", "1m30s", "soon"] {
            assert!(parse(text).is_err_and(|why| why.to_string().contains("`500ms`")), "{text}");
        }
        assert!(parse("999999999999999999999999").is_err() && parse("9999999999999999999h").is_err());
        assert!(some("0").is_err() && some("0ms").is_err() && some("1ms").is_ok());
    }
}
