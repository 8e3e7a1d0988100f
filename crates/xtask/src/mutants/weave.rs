//! All mutants of a file in one text: each behind a switch that is off until it is chosen at run time.

use std::ops::Range;

use super::find::{Shape, Site};

/// The module that each crate with mutants gets, and the variables that it reads.
pub const MODULE: &str = "mutant_switch";
/// The number of the mutant that is switched on.
pub const CHOSEN: &str = "SIOCO_MUTANT";
/// The file that gets the numbers of all mutants that are reached.
pub const TRACE: &str = "SIOCO_MUTANT_TRACE";

/// The switch, to be appended to the root of a crate. The environment is read once.
pub fn switch() -> String {
    format!(
        r#"
#[doc(hidden)]
#[allow(missing_docs, clippy::all)]
mod {MODULE} {{
    use std::io::Write as _;
    use std::sync::{{LazyLock, Mutex}};
    enum Mode {{
        One(usize),
        Trace(Mutex<(std::fs::File, Vec<bool>)>),
    }}
    static MODE: LazyLock<Mode> = LazyLock::new(|| match std::env::var_os("{TRACE}") {{
        Some(path) => {{
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            Mode::Trace(Mutex::new((file.expect("the trace can be written"), Vec::new())))
        }}
        None => Mode::One(std::env::var("{CHOSEN}").ok().and_then(|n| n.parse().ok()).unwrap_or(0)),
    }});
    pub fn on(number: usize) -> bool {{
        match &*MODE {{
            Mode::One(chosen) => *chosen == number,
            Mode::Trace(trace) => {{
                let (file, seen) = &mut *trace.lock().unwrap_or_else(|e| e.into_inner());
                if seen.len() <= number {{
                    seen.resize(number + 1, false);
                }}
                if !seen[number] {{
                    seen[number] = true;
                    let _ = file.write_all(format!("{{number}}\n").as_bytes());
                }}
                false
            }}
        }}
    }}
}}
"#
    )
}

/// A text with mutants in it.
#[derive(Debug)]
pub struct Woven {
    pub text: String,
    /// Which bytes of the text belong to which mutants: those that switch or replace, and those of the whole site.
    pub own: Vec<(Range<usize>, usize)>,
    pub around: Vec<(Range<usize>, Vec<usize>)>,
}

/// What stands before, and behind, the text of a site.
struct Frame {
    range: Range<usize>,
    before: Vec<(String, Option<usize>)>,
    after: &'static str,
    numbers: Vec<usize>,
}

/// Puts mutants into a text: `number` says which one has which number; those without are left out.
///
/// Only one mutant is on at a time, so that what replaces an expression needs no mutants itself.
pub fn weave(text: &str, sites: &[Site], mut number: impl FnMut(usize, usize) -> Option<usize>) -> Woven {
    let mut frames = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        let numbers: Vec<(usize, usize)> = (0..site.mutants.len()).filter_map(|i| Some((i, number(at, i)?))).collect();
        if !numbers.is_empty() {
            frames.push(frame(site, &numbers));
        }
    }
    // Behind one another at the same place: ends, the inner one first; then points; then starts, the outer one first.
    let mut events: Vec<(usize, u8, i64, usize)> = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        let order = at as i64;
        if frame.range.is_empty() {
            events.push((frame.range.start, 1, order, at));
        } else {
            events.push((frame.range.start, 2, order, at));
            events.push((frame.range.end, 0, -order, at));
        }
    }
    events.sort_unstable();
    let mut woven = Woven { text: String::new(), own: Vec::new(), around: Vec::new() };
    let mut starts = vec![0; frames.len()];
    let mut done = 0;
    for (place, kind, _, at) in events {
        woven.text.push_str(&text[done..place]);
        done = place;
        let frame = &frames[at];
        if kind > 0 {
            starts[at] = woven.text.len();
            for (piece, mutant) in &frame.before {
                let start = woven.text.len();
                woven.text.push_str(piece);
                woven.own.extend(mutant.map(|m| (start..woven.text.len(), m)));
            }
        }
        if kind < 2 {
            woven.text.push_str(frame.after);
            woven.around.push((starts[at]..woven.text.len(), frame.numbers.clone()));
        }
    }
    woven.text.push_str(&text[done..]);
    woven
}

fn frame(site: &Site, numbers: &[(usize, usize)]) -> Frame {
    let on = |number: usize| format!("crate::{MODULE}::on({number})");
    let mut before: Vec<(String, Option<usize>)> = Vec::new();
    let after = match site.shape {
        Shape::Expression => {
            before.push(("(".into(), None));
            for (i, n) in numbers {
                before.push((format!("if {} {{ {} }} else ", on(*n), site.mutants[*i].text), Some(*n)));
            }
            before.push(("{ ".into(), None));
            " })"
        }
        Shape::Condition => {
            before.push(("(".into(), None));
            for (i, n) in numbers {
                let piece = match site.mutants[*i].text.as_str() {
                    "true" => format!("{} || ", on(*n)),
                    _ => format!("!{} && ", on(*n)),
                };
                before.push((piece, Some(*n)));
            }
            before.push(("(".into(), None));
            "))"
        }
        Shape::Arm => {
            before.extend(numbers.iter().map(|(_, n)| (format!(" if !{}", on(*n)), Some(*n))));
            ""
        }
        Shape::Body => {
            for (i, n) in numbers {
                before.push((format!(" if {} {{ return {}; }}", on(*n), site.mutants[*i].text), Some(*n)));
            }
            ""
        }
    };
    Frame { range: site.range.clone(), before, after, numbers: numbers.iter().map(|(_, n)| *n).collect() }
}

impl Woven {
    /// The mutants that are to blame for an error of the compiler at these bytes: the one that says so itself, or else those
    /// of the smallest site around it.
    pub fn blamed(&self, places: &[Range<usize>]) -> Vec<usize> {
        let inside = |outer: &Range<usize>, inner: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        let own = self.own.iter().filter(|(range, _)| places.iter().any(|p| inside(range, p)));
        if let Some((_, number)) = own.min_by_key(|(range, _)| range.len()) {
            return vec![*number];
        }
        let around = self.around.iter().filter(|(range, _)| places.iter().any(|p| inside(range, p)));
        around.min_by_key(|(range, _)| range.len()).map(|(_, numbers)| numbers.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::find::find;
    use super::*;

    /// Woven with short switches, all mutants numbered in order.
    fn woven(text: &str) -> (Woven, String) {
        let sites = find(text).unwrap().sites;
        let mut next = 0;
        let woven = weave(text, &sites, |_, _| {
            next += 1;
            Some(next)
        });
        let short = woven.text.replace("crate::mutant_switch::on", "m");
        (woven, short)
    }

    #[test]
    fn every_shape_is_switched() {
        let cases = [
            ("fn f() { g() }", "fn f() { if m(1) { return (); } g() }"),
            ("fn f() -> &T { a == b }", "fn f() -> &T { (if m(1) { (a) != (b) } else { a == b }) }"),
            ("fn f() -> &T { if a { } }", "fn f() -> &T { if (m(1) || !m(2) && (a)) { } }"),
            ("fn f() -> &T { match a { A => 1, _ => 2 } }", "fn f() -> &T { match a { A if !m(1) => 1, _ => 2 } }"),
            (
                "fn f() -> &T { if a<b{} }",
                "fn f() -> &T { if (m(1) || !m(2) && ((if m(3) { (a) == (b) } else if m(4) { (a) > (b) } else \
                 if m(5) { (a) <= (b) } else { a<b }))){} }",
            ),
            (
                "fn f() -> &T { !a&&b }",
                "fn f() -> &T { (if m(1) { (!a) || (b) } else { (if m(2) { a } else { !a })&&b }) }",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(woven(text).1, expected);
            syn::parse_file(&woven(text).0.text).unwrap();
        }
    }

    #[test]
    fn mutants_may_be_left_out() {
        let text = "fn f() -> &T { if a<b { } }";
        let sites = find(text).unwrap().sites;
        let woven = weave(text, &sites, |site, i| (site == 1 && i == 2).then_some(7));
        assert_eq!(woven.text, "fn f() -> &T { if (if crate::mutant_switch::on(7) { (a) <= (b) } else { a<b }) { } }");
        assert_eq!(weave(text, &sites, |_, _| None).text, text);
    }

    #[test]
    fn errors_are_blamed_on_mutants() {
        let (woven, _) = woven("fn f() -> &T { if x { } a + b; c }");
        let at = |what: &str| {
            let start = woven.text.find(what).unwrap();
            start..start + what.len()
        };
        // 1 and 2 are the condition, 3 and 4 the sum.
        assert_eq!(woven.blamed(&[at("(a) * (b)")]), [4]);
        assert_eq!(woven.blamed(&[at("{ a + b })")]), [3, 4]);
        assert_eq!(woven.blamed(&[at("c }")]), [0; 0]);
    }

    #[test]
    fn the_switch_is_rust() {
        syn::parse_file(&switch()).unwrap();
    }
}
