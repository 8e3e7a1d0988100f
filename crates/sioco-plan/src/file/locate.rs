//! The line of a document at which a value stands. The text has been parsed before, so it is JSON.

/// A part of the way to a value: the name of a field, or a number in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Key {
    Field(&'static str),
    Item(usize),
}

/// The way to a value for people: `purposes[0].nodes[3].parent`.
pub(super) fn name(keys: &[Key]) -> String {
    let mut text = String::new();
    for key in keys {
        match key {
            Key::Field(field) if text.is_empty() => text.push_str(field),
            Key::Field(field) => text.push_str(&format!(".{field}")),
            Key::Item(i) => text.push_str(&format!("[{i}]")),
        }
    }
    text
}

/// The line (from 1) of a value; of the innermost one around it that is there.
pub(super) fn line(text: &str, keys: &[Key]) -> usize {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    let mut found = 0;
    for key in keys {
        scan.blank();
        found = scan.at;
        if !scan.enter(key) {
            break;
        }
        scan.blank();
        found = scan.at;
    }
    1 + text.as_bytes()[..found.min(text.len())].iter().filter(|b| **b == b'\n').count()
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn blank(&mut self) {
        while self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    /// Goes to the value with a key in the object or list that begins here; says whether there is one.
    fn enter(&mut self, key: &Key) -> bool {
        if !matches!(self.peek(), b'{' | b'[') {
            return false;
        }
        let is_object = self.peek() == b'{';
        self.at += 1;
        for i in 0.. {
            self.blank();
            if matches!(self.peek(), b'}' | b']' | 0) {
                return false;
            }
            let hit = match (key, is_object) {
                (Key::Field(field), true) => {
                    let start = self.at + 1;
                    self.string();
                    let hit = self.bytes.get(start..self.at - 1) == Some(field.as_bytes());
                    self.blank();
                    self.at += 1;
                    self.blank();
                    hit
                }
                (Key::Item(n), false) => *n == i,
                _ => return false,
            };
            if hit {
                return true;
            }
            self.value();
            self.blank();
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        false
    }

    fn string(&mut self) {
        self.at += 1;
        while !matches!(self.peek(), b'"' | 0) {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }

    fn value(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek() {
                b'"' => {
                    self.string();
                    if depth == 0 {
                        return;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth <= 1 => {
                    self.at += usize::from(depth == 1);
                    return;
                }
                b'}' | b']' => depth -= 1,
                b',' if depth == 0 => return,
                0 => return,
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_they_stand() {
        let text = "{\n \"a\": [1, {\"x\": \"}\\\"]\"},\n  [2,\n   3]],\n \"b\": {\n  \"c\": null\n }\n}";
        let (f, i) = (Key::Field, Key::Item);
        for (keys, expected) in [
            (vec![], 1),
            (vec![f("a")], 2),
            (vec![f("a"), i(1), f("x")], 2),
            (vec![f("a"), i(2), i(1)], 4),
            (vec![f("b"), f("c")], 6),
            (vec![f("b"), f("missing")], 5),
            (vec![f("a"), f("wrong")], 2),
            (vec![f("nothing")], 1),
        ] {
            assert_eq!(line(text, &keys), expected, "{}", name(&keys));
        }
    }
}
