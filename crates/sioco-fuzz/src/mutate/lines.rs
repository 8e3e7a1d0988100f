//! Changes of lines, and of whatever else is one after the other.

use super::Rng;

/// Leaves out, repeats, moves or exchanges lines, or takes some from another input.
pub(super) fn change(data: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = data.split_inclusive(|b| *b == b'\n').collect();
    if lines.is_empty() {
        return other.to_vec();
    }
    let (at, to) = (rng.below(lines.len()), rng.below(lines.len()));
    match rng.below(7) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(to, lines[at]),
        2 => lines.swap(at, to),
        3 => drop(lines.drain(at.min(to)..at.max(to))),
        4 => lines.truncate(at),
        _ => {
            let theirs: Vec<&[u8]> = other.split_inclusive(|b| *b == b'\n').collect();
            let from = rng.below(theirs.len());
            let upto = (from + 1 + rng.below(4)).min(theirs.len());
            let new = theirs.get(from..upto).unwrap_or_default().to_vec();
            let gone = if rng.below(2) == 0 { (at + 1).min(lines.len()) } else { at };
            lines.splice(at..gone, new);
        }
    }
    lines.concat()
}

/// A part of the input, in its place, so often that the whole gets this long.
pub(super) fn stretch(data: &[u8], rng: &mut Rng, length: usize) -> Vec<u8> {
    if data.is_empty() {
        return vec![b'x'; length];
    }
    let (from, to) = match rng.below(3) {
        // A few bytes,
        0 => {
            let from = rng.below(data.len());
            (from, (from + 1 + rng.below(4)).min(data.len()))
        }
        // whole lines,
        1 => {
            let ends: Vec<usize> = [0]
                .into_iter()
                .chain(data.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1))
                .collect();
            let (a, b) = (rng.below(ends.len()), rng.below(ends.len()));
            let (from, to) = (ends[a.min(b)], ends[a.max(b)]);
            if from < to { (from, to) } else { (from.min(data.len() - 1), data.len()) }
        }
        // or anything.
        _ => {
            let (a, b) = (rng.below(data.len()), rng.below(data.len()));
            (a.min(b), a.max(b) + 1)
        }
    };
    let part = &data[from..to];
    let times = length.saturating_sub(data.len()) / part.len() + 1;
    [&data[..from], &part.repeat(times), &data[to..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_stretched_as_far_as_was_asked() {
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let long = stretch(b"ab\ncd\nef", &mut rng, 1000);
            assert!((990..=1020).contains(&long.len()), "{}", long.len());
            assert!(long.starts_with(b"a") && long.ends_with(b"f"));
        }
    }
}
