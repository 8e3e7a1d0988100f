//! Just enough understanding of Rust text for the checks that read it.

/// The code without comments and without the content of literals; lines stay where they are.
pub fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_or_comment(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            let end = end.min(chars.len());
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { c } else { ' ' }));
            at = end;
        }
    }
    out
}

/// The end of the comment or literal that starts here, or `at` if none does.
fn literal_or_comment(chars: &[char], at: usize) -> usize {
    let peek = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    match (chars[at], peek(1)) {
        ('/', '/') => chars[at..].iter().position(|&c| c == '\n').map_or(chars.len(), |length| at + length),
        ('/', '*') => block_comment(chars, at),
        ('"', _) => quoted(chars, at + 1, '"'),
        // Otherwise it is a lifetime.
        ('\'', next) if next == '\\' || peek(2) == '\'' => quoted(chars, at + 1, '\''),
        ('r', '"' | '#') if !inside_name(chars, at) => raw_string(chars, at),
        _ => at,
    }
}

fn block_comment(chars: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (at, depth) = (at + 2, depth + 1),
            ('*', Some('/')) => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(chars: &[char], mut at: usize, quote: char) -> usize {
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn raw_string(chars: &[char], start: usize) -> usize {
    let hashes = chars[start + 1..].iter().take_while(|&&c| c == '#').count();
    let open = start + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        // A raw identifier.
        return start;
    }
    let closes = |at: usize| chars[at] == '"' && chars[at + 1..].iter().take_while(|&&c| c == '#').count() >= hashes;
    (open + 1..chars.len()).find(|&at| closes(at)).map_or(chars.len(), |at| at + 1 + hashes)
}

/// Whether the `r` here belongs to a longer name; `br` and `cr` are prefixes of literals as well.
fn inside_name(chars: &[char], at: usize) -> bool {
    let name = |at: usize| chars.get(at).is_some_and(|&c| is_name(c));
    let prefixed = |at: usize| matches!(chars[at], 'b' | 'c') && (at == 0 || !name(at - 1));
    at > 0 && name(at - 1) && !prefixed(at - 1)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// [`code_only`] code without the items that only exist in tests.
pub fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.to_owned();
    while let Some(start) = out.find(MARK) {
        let body = start + MARK.len();
        let end = match out[body..].find(['{', ';']) {
            Some(at) if out[body + at..].starts_with('{') => closing_brace(&out, body + at),
            Some(at) => body + at + 1,
            None => out.len(),
        };
        let blank: String = out[start..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        out.replace_range(start..end, &blank);
    }
    out
}

fn closing_brace(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return open + at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// The paths into the standard library in [`code_only`] code, each with its line, `use` groups taken apart.
pub fn std_paths(code: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("std::") {
        if code[..at].ends_with(is_name) {
            continue;
        }
        let line = line_of(code, at);
        let mut rest = &code[at + "std::".len()..];
        let mut found = Vec::new();
        take_tree(&mut rest, "std", &mut found);
        paths.extend(found.into_iter().map(|path| (line, path)));
    }
    paths
}

/// The line of a byte position, counted from one.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn take_tree(rest: &mut &str, before: &str, paths: &mut Vec<String>) {
    *rest = rest.trim_start();
    if let Some(group) = rest.strip_prefix('{') {
        *rest = group;
        loop {
            *rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
            if !rest.starts_with(|c: char| is_name(c) || c == '*' || c == '{') {
                *rest = rest.strip_prefix('}').unwrap_or(rest);
                return;
            }
            take_tree(rest, before, paths);
            let renamed = rest.trim_start().strip_prefix("as ");
            *rest = renamed.map_or(*rest, |name| name.trim_start().trim_start_matches(is_name));
        }
    }
    let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(length);
    // `self` and `*` stand for the module.
    if matches!(name, "" | "self") {
        paths.push(before.to_owned());
        *rest = after.strip_prefix('*').unwrap_or(after);
        return;
    }
    let path = format!("{before}::{name}");
    *rest = after;
    match after.trim_start().strip_prefix("::") {
        Some(deeper) => {
            *rest = deeper;
            take_tree(rest, &path, paths);
        }
        None => paths.push(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_code(text: &str, expected: &str) {
        let code = code_only(text);
        assert_eq!(code.chars().count(), text.chars().count());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn comments_and_literals_go() {
        check_code("a // b\nc", "a c");
        check_code("a /* b /* c */ d */ e", "a e");
        check_code("a(\"b \\\" c\", d)", "a( , d)");
        check_code("a r#\"b \" c\"# d", "a d");
        check_code("a br\"b\" for\"c\" d", "a b for d");
        check_code("r#type 'a' '\\'' <'a> '\"' b", "r#type <'a> b");
        check_code("a \"never closed", "a");
        check_code("a /* never closed", "a");
    }

    #[test]
    fn tests_go() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { c } }\n#[cfg(test)]\nmod d;\nfn e() {}";
        let code = without_tests(text);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["fn", "a()", "{}", "fn", "e()", "{}"]);
        assert_eq!(code.matches('\n').count(), text.matches('\n').count());
    }

    #[track_caller]
    fn check_paths(code: &str, expected: &[&str]) {
        let paths: Vec<String> = std_paths(code).into_iter().map(|(_, path)| path).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn paths_are_taken_apart() {
        check_paths("use std::fs;", &["std::fs"]);
        check_paths(
            "use std::{fmt, time::{self, Instant as I, Duration}, net::*};",
            &["std::fmt", "std::time", "std::time::Instant", "std::time::Duration", "std::net"],
        );
        check_paths("let x = std::vec::Vec::<u8>::new(); mystd::fs", &["std::vec::Vec"]);
        check_paths("std::", &["std"]);
        check_paths("use std::{a, ?};", &["std::a"]);
        assert_eq!(std_paths("\n\n std::fs::read()"), [(3, "std::fs::read".to_owned())]);
    }
}
