//! Names of files with `*`.

/// Whether a path fits a pattern: `*` is any part of a name, `**` any part of a path.
pub fn fits(pattern: &str, path: &str) -> bool {
    fn at(pattern: &[u8], path: &[u8]) -> bool {
        match (pattern, path) {
            ([], []) => true,
            ([b'*', b'*', rest @ ..], _) => (0..=path.len()).any(|n| at(rest, &path[n..])),
            ([b'*', rest @ ..], _) => {
                let name = path.iter().position(|c| *c == b'/').unwrap_or(path.len());
                (0..=name).any(|n| at(rest, &path[n..]))
            }
            ([p, rest @ ..], [c, path @ ..]) if p == c => at(rest, path),
            _ => false,
        }
    }
    at(pattern.as_bytes(), path.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_names_and_paths() {
        for (pattern, path, expected) in [
            ("a/b.rs", "a/b.rs", true),
            ("a/b.rs", "a/bb.rs", false),
            ("a/*.rs", "a/b.rs", true),
            ("a/*.rs", "a/b/c.rs", false),
            ("a/**.rs", "a/b/c.rs", true),
            ("**/c.rs", "a/b/c.rs", true),
            ("a/*", "a/", true),
            ("*", "a/b", false),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }
}
