use std::time::{Duration, Instant};

use insta::assert_snapshot;
use sioco_lang::code::Code;

use super::*;
use crate::style::print;

fn sources(texts: &[(&str, &str)]) -> SourceMap {
    let mut map = SourceMap::default();
    for (name, text) in texts {
        map.add(*name, *text);
    }
    map
}

/// The span of the `n`-th occurrence of a text in a file.
fn find(map: &SourceMap, file: u32, what: &str, n: usize) -> Span {
    let text = &map.file(FileId(file)).text;
    let start = text.match_indices(what).nth(n).expect("the text occurs").0 as u32;
    Span { file: FileId(file), start, end: start + what.len() as u32 }
}

fn span(start: u32, end: u32) -> Span {
    Span { file: FileId(0), start, end }
}

const MODEL: &str =
    "output outX(p: Int)\n\nprocess P {\n  var total: Int = 0\n  init l0 {\n    tell: !outX(totl) -> l0\n  }\n}\n";

#[test]
fn a_problem_with_everything() {
    let map = sources(&[("model.sts", MODEL), ("common.sts", "// shared\nconst totl2: Int = 4\n")]);
    let at = find(&map, 0, "totl", 0);
    let d = Diagnostic::new(Code::UnknownName, at, "nothing is named `totl`")
        .label("not declared")
        .also(find(&map, 0, "total", 0), "this variable has a similar name")
        .also(find(&map, 1, "totl2", 0), "so has this constant")
        .note("names are declared before or after their use")
        .help("did you mean `total`?")
        .fix(at, "total");
    assert_snapshot!(render(&map, &d, Style::PLAIN), @r#"
    error[sioco::N001]: nothing is named `totl`
      ╭▸ model.sts:6:17
      │
    4 │   var total: Int = 0
      │       ───── this variable has a similar name
    5 │   init l0 {
    6 │     tell: !outX(totl) -> l0
      │                 ━━━━ not declared
      │
      ⸬  common.sts:2:7
      │
    2 │ const totl2: Int = 4
      │       ───── so has this constant
      │
      ╰ note: names are declared before or after their use
    help: did you mean `total`?
      ╭╴
    6 │     tell: !outX(total) -> l0
      ╰╴                   +
    "#);
    assert_snapshot!(json(&map, &d), @r#"
    {"code":"sioco::N001","column":17,"end_column":21,"end_line":6,"file":"model.sts","fix":{"column":17,"end":86,"end_column":21,"end_line":6,"file":"model.sts","line":6,"replacement":"total","start":82},"help":"did you mean `total`?","label":"not declared","labels":[{"column":7,"end_column":12,"end_line":4,"file":"model.sts","line":4,"text":"this variable has a similar name"},{"column":7,"end_column":12,"end_line":2,"file":"common.sts","line":2,"text":"so has this constant"}],"line":6,"message":"nothing is named `totl`","notes":["names are declared before or after their use"],"severity":"error"}
    "#);
    let coloured = render(&map, &d, Style { on: true });
    assert!(print(&coloured).contains("\u{1b}[") && !render(&map, &d, Style::PLAIN).contains('\u{1b}'));
}

/// Text of others is in every part of a diagnostic, and none of it is obeyed.
#[test]
fn nothing_but_the_emphasis_is_obeyed() {
    const EVIL: &str = "\u{1b}[32mPASS\u{1b}[0m\u{9b}2J\u{7f}\u{202e}";
    let mut map = SourceMap::default();
    let text = format!("const A = \"{EVIL}\"\n");
    let file = map.add(format!("{EVIL}\nmodel.sts"), text.clone());
    let span = Span { file, start: 6, end: text.len() as u32 - 1 };
    let d = Diagnostic::new(Code::UnknownName, span, format!("nothing is named `{EVIL}`"))
        .label(format!("here {EVIL}"))
        .note(format!("note {EVIL}"))
        .help(format!("help {EVIL}"));
    for (colour, fix) in [(true, false), (false, false), (true, true), (false, true)] {
        let fix = fix.then(|| Fix { span, replacement: EVIL.into() });
        let d = Diagnostic { fix, ..d.clone() };
        let shown = print(&render(&map, &d, Style { on: colour })).into_owned();
        // What the renderer emphasises begins with a space or a word of its own, and is never green.
        assert!(!shown.contains("\u{1b}[32mPASS") && !shown.contains("[0m\u{9b}"), "{shown:?}");
        let hidden = |c: char| sioco_model::visible::is_hidden(c) && c != '\n' && c != '\u{1b}';
        assert!(!shown.contains(hidden), "{shown:?}");
        assert!(colour || !shown.contains('\u{1b}'), "{shown:?}");
        assert!(shown.contains("\\nmodel.sts"), "a name stays on its line: {shown}");
    }
}

#[test]
fn warnings_and_problems_without_a_place() {
    let map = sources(&[("model.sts", MODEL)]);
    let d = Diagnostic::new(Code::UnusedVariable, find(&map, 0, "total", 0), "nothing reads `total`").help("remove it");
    assert_snapshot!(render(&map, &d, Style::PLAIN), @r#"
    warning[sioco::W001]: nothing reads `total`
      ╭▸ model.sts:4:7
      │
    4 │   var total: Int = 0
      │       ━━━━━
      │
      ╰ help: remove it
    "#);
    let d = Diagnostic::global(Code::Unreadable, "cannot read `nowhere.sts`: no such file").note("looked in `.`");
    assert_snapshot!(render(&map, &d, Style::PLAIN), @r#"
    error[sioco::F001]: cannot read `nowhere.sts`: no such file
     │
     ╰ note: looked in `.`
    "#);
    assert_snapshot!(json(&map, &d), @r#"
    {"code":"sioco::F001","column":null,"end_column":null,"end_line":null,"file":null,"fix":null,"help":null,"label":"","labels":[],"line":null,"message":"cannot read `nowhere.sts`: no such file","notes":["looked in `.`"],"severity":"error"}
    "#);
}

#[test]
fn spans_over_several_lines() {
    let map = sources(&[("model.sts", MODEL)]);
    let all = find(&map, 0, "process P", 0).to(find(&map, 0, "}", 1));
    let d = Diagnostic::new(Code::NoInitial, all, "the process has no initial location").label("in here");
    assert_snapshot!(render(&map, &d, Style::PLAIN), @r#"
    error[sioco::M002]: the process has no initial location
      ╭▸ model.sts:3:1
      │
    3 │ ┏ process P {
    4 │ ┃   var total: Int = 0
    5 │ ┃   init l0 {
    6 │ ┃     tell: !outX(totl) -> l0
    7 │ ┃   }
    8 │ ┃ }
      ╰╴┗━┛ in here
    "#);
}

#[test]
fn an_insertion_at_the_end() {
    let text = "process P {\n  init l0";
    let map = sources(&[("model.sts", text)]);
    let end = span(text.len() as u32, text.len() as u32);
    let d =
        Diagnostic::new(Code::UnexpectedToken, end, "the process is not closed").label("expected `}`").fix(end, " }");
    assert_snapshot!(render(&map, &d, Style::PLAIN), @r#"
    error[sioco::P001]: the process is not closed
      ╭▸ model.sts:2:10
      │
    2 │   init l0
      │          ━ expected `}`
      ╰╴
    help: this fixes it
      ╭╴
    2 │   init l0 }
      ╰╴          +
    "#);
}

#[test]
fn characters_of_several_bytes() {
    let map = sources(&[("modèle.sts", "const s = \"é日本\" + 1\nconst t = 2\n")]);
    let d = Diagnostic::new(Code::OperatorType, find(&map, 0, "+", 0), "`+` does not take `String`").label("use `++`");
    assert_snapshot!(render(&map, &d, Style::PLAIN), @r#"
    error[sioco::T004]: `+` does not take `String`
      ╭▸ modèle.sts:1:17
      │
    1 │ const s = "é日本" + 1
      ╰╴                  ━ use `++`
    "#);
    assert!(json(&map, &d).contains("\"column\":17"), "{}", json(&map, &d));
}

#[test]
fn long_lines_are_cut_around_the_labels() {
    let mut text = "x + ".repeat(1_000);
    text.push_str("wrong");
    text.push_str(&" + y".repeat(1_000));
    let map = sources(&[("long.sts", &text)]);
    let at = find(&map, 0, "wrong", 0);
    let d = Diagnostic::new(Code::UnknownName, at, "nothing is named `wrong`").label("here").fix(at, "right");
    assert_snapshot!(render(&map, &d, Style::PLAIN), @r#"
    error[sioco::N001]: nothing is named `wrong`
      ╭▸ long.sts:1:4001
      │
      ⸬  
    1 │ …x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + wrong + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y …
      │                                                              ━━━━━ here
      ╰╴
    help: this fixes it
      ╭╴
    1 - …x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + wrong + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y…
    1 + …x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + right + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y…
      ╰╴
    "#);
}

#[test]
fn no_span_is_too_strange() {
    for text in ["", "\n", "é", "a\r\nb\r\n", "\t日本\u{202e}x\n\n", &"é".repeat(500), &"a\n".repeat(100)] {
        let map = sources(&[("a.sts", text), ("b.sts", "")]);
        let len = text.len() as u32;
        for start in [0, 1, 2, 3, len / 2, len.saturating_sub(1), len, len + 1, u32::MAX] {
            for end in [0, 1, 2, len / 2, len, len + 7, u32::MAX] {
                for file in [0, 1, 2, u32::MAX] {
                    let strange = Span { file: FileId(file), start, end };
                    let d = Diagnostic::new(Code::UnexpectedToken, strange, "strange")
                        .label("here")
                        .also(span(0, 1), "and here")
                        .fix(strange, "mended");
                    render(&map, &d, Style { on: true });
                    json(&map, &d);
                }
            }
        }
    }
}

#[test]
fn huge_files_are_no_problem() {
    let one_line = "x + ".repeat(7 << 20);
    let many_lines = "x + y\n".repeat(5 << 20);
    for text in [one_line, many_lines] {
        let len = text.len() as u32;
        let map = sources(&[("huge.sts", &text)]);
        for (start, end) in [(0, len), (len / 2, len / 2 + 1), (len, len), (5, len - 5)] {
            let d = Diagnostic::new(Code::UnknownName, span(start, end), "huge")
                .also(span(len / 3, len / 3 + 1), "far away")
                .fix(span(start, end), "y");
            let before = Instant::now();
            let text = render(&map, &d, Style::PLAIN);
            assert!(text.len() < 10_000, "{} bytes", text.len());
            // Generous, for machines under load: walking the whole file in the renderer takes minutes.
            assert!(before.elapsed() < Duration::from_secs(20), "{:?}", before.elapsed());
        }
    }
}
