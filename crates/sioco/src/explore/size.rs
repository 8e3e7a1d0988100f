//! Sizes on the command line: `512M`, `2G`, `65536`.

use std::fmt;

/// Why a text is no size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeError {
    /// It is written in another way.
    Form,
    /// It is more than this machine can count.
    TooLarge,
    /// It is nothing.
    Zero,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SizeError::Form => "write a number of bytes, such as 512M or 2G",
            SizeError::TooLarge => "that is too large for this machine",
            SizeError::Zero => "write more than 0 bytes",
        })
    }
}

impl std::error::Error for SizeError {}

/// Reads a number of bytes; `K`, `M`, `G` and `T` count in steps of 1024.
pub fn parse(text: &str) -> Result<usize, SizeError> {
    let plain = text.trim().trim_end_matches(['b', 'B']);
    let plain = plain.strip_suffix(['i', 'I']).unwrap_or(plain);
    let (digits, power) = match plain.chars().last() {
        Some('k' | 'K') => (&plain[..plain.len() - 1], 1),
        Some('m' | 'M') => (&plain[..plain.len() - 1], 2),
        Some('g' | 'G') => (&plain[..plain.len() - 1], 3),
        Some('t' | 'T') => (&plain[..plain.len() - 1], 4),
        _ => (plain, 0),
    };
    let digits = digits.trim();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(SizeError::Form);
    }
    let bytes = digits.parse::<usize>().ok().and_then(|n| n.checked_mul(1024usize.checked_pow(power)?));
    match bytes {
        None => Err(SizeError::TooLarge),
        Some(0) => Err(SizeError::Zero),
        Some(bytes) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("1", 1),
            ("4096", 4096),
            ("64k", 64 << 10),
            ("512M", 512 << 20),
            ("512 MB", 512 << 20),
            ("2GiB", 2 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "0G", "M", "-1", "1.5G", "2X", "99999999999999999999", "99999999999T", "é"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
