//! Changes of inputs: of bytes, of tokens, of lines, and of whole parts of the syntax.

mod json;
mod lines;
mod words;

use sioco_lang::source::{FileId, Span};
use sioco_lang::syntax::lexer::lex;
use sioco_lang::syntax::parser::parse;

use crate::walk;

const ODD: [&str; 16] = [
    "\0",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{2028}",
    "\u{200d}",
    "\u{301}",
    "\u{10ffff}",
    "\u{85}",
    "\t",
    "\u{c}",
    "\n\n\n",
    "// c\n",
    "\n// é\n",
    " ",
    "\n",
];

const NESTING: [(&str, &str); 12] = [
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("!", ""),
    ("-", ""),
    ("if x then ", " else 1"),
    ("let x = ", " in x"),
    ("match ", " { _ => 1 }"),
    ("Seq<", ">"),
    ("f(", ")"),
    ("<a>", "</a>"),
    ("1 + ", ""),
];

const OPERATORS: [&str; 16] =
    ["implies", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "++", "+", "-", "*", "/", "div", "mod"];

/// Random numbers (SplitMix64): fast, and the same everywhere.
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    /// Numbers that follow from a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next one.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, or 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.number() % n as u64) as usize }
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

/// What inputs look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Models.
    Model,
    /// Register automata in XML.
    Xml,
    /// Lines of JSON, or one document.
    Json,
    /// `sioco.toml`.
    Toml,
    /// Lines of text.
    Text,
    /// Responses of HTTP.
    Http,
    /// Lines of text or of JSON.
    Log,
}

/// Makes new inputs from old ones.
#[derive(Clone, Copy)]
pub struct Mutator {
    /// What they look like.
    pub kind: Kind,
}

impl Mutator {
    /// A new input, at most `max` bytes long, from those of the corpus.
    pub fn next(self, corpus: &[Vec<u8>], rng: &mut Rng, max: usize) -> Vec<u8> {
        // Those found last are more often worth it.
        let recent = corpus.len().saturating_sub(64);
        let from = if rng.below(3) == 0 { recent + rng.below(corpus.len() - recent) } else { rng.below(corpus.len()) };
        let base = corpus.get(from).map_or(&[][..], |b| b);
        let other = rng.pick(corpus).map_or(&[][..], |b| b);
        self.change(base, other, rng, max)
    }

    /// Changes an input, sometimes with parts of another one.
    pub fn change(self, base: &[u8], other: &[u8], rng: &mut Rng, max: usize) -> Vec<u8> {
        let mut data = base.to_vec();
        // Mostly few changes, sometimes many.
        let rounds = 1 + (rng.number().trailing_zeros() as usize).min(6);
        for _ in 0..rounds {
            data = match (rng.below(8), self.kind) {
                (0, _) => self.bytes(data, rng),
                (5.., Kind::Model) => parts(&data, other, rng),
                (_, Kind::Model | Kind::Xml) | (1..=2, _) => self.tokens(&data, other, rng),
                (3..=4, Kind::Json | Kind::Log | Kind::Http) => json::change(&data, other, self.word(rng), rng),
                (3, _) => self.glued(data, rng),
                _ => lines::change(&data, other, rng),
            };
            data.truncate(max);
        }
        data
    }

    /// A long input from a short one: a part of it again and again. What takes too long on such an input takes more than
    /// its share.
    pub fn stretched(self, base: &[u8], rng: &mut Rng, length: usize) -> Vec<u8> {
        if rng.below(2) == 0 {
            return lines::stretch(base, rng, length);
        }
        // A word again and again, with or without spaces.
        let word = format!("{}{}", self.word(rng), rng.pick(&["", " ", "\n"]).unwrap_or(&""));
        let mut data = base.to_vec();
        let at = rng.below(data.len() + 1);
        let times = length.saturating_sub(data.len()) / word.len() + 1;
        data.splice(at..at, word.repeat(times).bytes());
        data
    }

    /// Puts a word right into the input, without spaces around it.
    fn glued(self, mut data: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
        let at = rng.below(data.len() + 1);
        let word = self.word(rng).replace("\\r", "\r").replace("\\n", "\n");
        let gone = if rng.below(2) == 0 { (at + word.len()).min(data.len()) } else { at };
        data.splice(at..gone, word.bytes());
        data
    }

    fn word(self, rng: &mut Rng) -> &'static str {
        let words = match self.kind {
            Kind::Model => words::MODEL,
            Kind::Xml => words::XML,
            Kind::Json => words::JSON,
            Kind::Toml => words::TOML,
            Kind::Text => words::TEXT,
            Kind::Http => words::HTTP,
            Kind::Log => *rng.pick(&[words::JSON, words::TEXT]).unwrap_or(&""),
        };
        let count = words.split_ascii_whitespace().count();
        words.split_ascii_whitespace().nth(rng.below(count)).unwrap_or_default()
    }

    fn bytes(self, mut data: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
        let at = rng.below(data.len() + 1);
        match rng.below(6) {
            0 => data.insert(at, rng.number() as u8),
            1 if at < data.len() => data[at] ^= 1 << rng.below(8),
            2 if at < data.len() => drop(data.remove(at)),
            3 => {
                let odd = rng.pick(&ODD).copied().unwrap_or_default();
                data.splice(at..at, odd.bytes());
            }
            4 if rng.below(10) == 0 => {
                data = String::from_utf8_lossy(&data).replace('\n', "\r\n").into_bytes();
            }
            _ => data.truncate(at),
        }
        data
    }

    fn tokens(self, data: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
        let text = String::from_utf8_lossy(data);
        let tokens = spans(&text);
        let Some(at) = rng.pick(&tokens).copied() else { return self.word(rng).into() };
        let here = |s: Span| text.get(s.range()).unwrap_or_default();
        // A few tokens in a row, from `at` on.
        let upto = |rng: &mut Rng, text: &str, tokens: &[Span], at: Span| {
            let first = tokens.partition_point(|s| s.start < at.start);
            let last = tokens.get(first + rng.below(12).min(rng.below(12))).copied().unwrap_or(at);
            text.get(at.start as usize..last.end as usize).unwrap_or_default().to_owned()
        };
        let (range, new) = match rng.below(12) {
            0 => (at.range(), String::new()),
            1 => (at.range(), self.word(rng).to_owned()),
            2 => (at.start as usize..at.start as usize, format!("{} ", self.word(rng))),
            3 => {
                let run = upto(rng, &text, &tokens, at);
                (at.start as usize..at.start as usize + run.len(), String::new())
            }
            4 => {
                let run = upto(rng, &text, &tokens, at);
                let to = rng.pick(&tokens).map_or(0, |s| s.start as usize);
                (to..to, format!("{run} "))
            }
            5 => {
                let with = rng.pick(&tokens).copied().unwrap_or(at);
                let (a, b) = if at.start < with.start { (at, with) } else { (with, at) };
                let middle = text.get(a.end as usize..b.start as usize).unwrap_or_default();
                (a.start as usize..b.end as usize, format!("{} {middle} {}", here(b), here(a)))
            }
            6 | 7 => (at.range(), rng.pick(&tokens).map_or("", |s| here(*s)).to_owned()),
            8 | 9 => {
                let other = String::from_utf8_lossy(other);
                let theirs = spans(&other);
                let run = rng.pick(&theirs).map(|s| upto(rng, &other, &theirs, *s)).unwrap_or_default();
                let end = if rng.below(2) == 0 { at.end } else { at.start };
                (at.start as usize..end as usize, format!("{run} "))
            }
            10 => {
                let (open, close) = rng.pick(&NESTING).copied().unwrap_or_default();
                let depth = if rng.below(8) == 0 { 1 + rng.below(300) } else { 1 + rng.below(3) };
                let close = if rng.below(4) == 0 { "" } else { close };
                (at.range(), format!("{}{}{}", open.repeat(depth), here(at), close.repeat(depth)))
            }
            _ => {
                let digits = 1 + rng.below(40);
                let number: String = (0..digits).map(|_| char::from(b'0' + rng.below(10) as u8)).collect();
                let odd = rng.pick(&ODD).copied().unwrap_or_default();
                if rng.below(2) == 0 {
                    (at.range(), number)
                } else {
                    (at.start as usize..at.start as usize, odd.into())
                }
            }
        };
        let mut text = text.into_owned();
        text.replace_range(range, &new);
        text.into_bytes()
    }
}

fn spans(text: &str) -> Vec<Span> {
    let lexed = lex(FileId(0), text);
    lexed.tokens.iter().map(|t| t.span).filter(|s| s.start < s.end).collect()
}

/// Puts a part of the syntax (an expression, a type, a switch, …) in the place of another one of its class, or beside
/// it, or leaves it out.
fn parts(data: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(data).into_owned();
    let ours = nodes(&text);
    let Some((class, span)) = rng.pick(&ours).copied() else { return text.into_bytes() };
    let theirs = String::from_utf8_lossy(other);
    let of_class = |text: &str, nodes: &[(&str, Span)], rng: &mut Rng| {
        let same: Vec<Span> = nodes.iter().filter(|n| n.0 == class).map(|n| n.1).collect();
        rng.pick(&same).and_then(|s| text.get(s.range())).map(str::to_owned)
    };
    let foreign = if rng.below(2) == 0 { of_class(&theirs, &nodes(&theirs), rng) } else { None };
    let Some(new) = foreign.or_else(|| of_class(&text, &ours, rng)) else { return text.into_bytes() };
    match rng.below(6) {
        0 => text.replace_range(span.range(), ""),
        1 => {
            let between = if matches!(class, "expr" | "type" | "name" | "param") { ", " } else { "\n" };
            text.insert_str(span.start as usize, &format!("{new}{between}"));
        }
        2 if class == "expr" => {
            let old = text.get(span.range()).unwrap_or_default();
            let op = rng.pick(&OPERATORS).copied().unwrap_or_default();
            let both = if rng.below(2) == 0 { format!("({old} {op} {new})") } else { format!("{old} {op} {new}") };
            text.replace_range(span.range(), &both);
        }
        _ => text.replace_range(span.range(), &new),
    }
    text.into_bytes()
}

fn nodes(text: &str) -> Vec<(&'static str, Span)> {
    let parsed = parse(FileId(0), text);
    let mut found = Vec::new();
    walk::file(&parsed.file, &mut |node| {
        if node.span.start < node.span.end {
            found.push((node.class, node.span));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use sioco_lang::syntax::lexer::{Tok, lex};

    use super::*;

    #[test]
    fn the_words_are_tokens() {
        let keywords = words::MODEL.split_ascii_whitespace().take_while(|w| *w != "{");
        for word in keywords {
            assert!(lex(FileId(0), word).tokens[0].tok.is_keyword(), "{word}");
        }
        assert_eq!(lex(FileId(0), "x").tokens[0].tok, Tok::Ident);
    }

    #[test]
    fn the_same_seed_gives_the_same_inputs() {
        let corpus = crate::seeds::models();
        let inputs = |seed| {
            let mut rng = Rng::new(seed);
            (0..50).map(|_| Mutator { kind: Kind::Model }.next(&corpus, &mut rng, 1000)).collect::<Vec<_>>()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
    }
}
