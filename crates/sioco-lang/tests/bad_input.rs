//! Inputs that no one writes, or everyone by mistake: each ends in a clear diagnostic or a model, soon, and on a small
//! stack.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sioco_lang::check::{CheckOptions, check_file};
use sioco_lang::source::{FileId, FsLoader, MemoryLoader};
use sioco_lang::syntax::format::format;
use sioco_lang::{Checked, check_text};

/// The stack of a thread that asks for nothing else.
const STACK: usize = 2 << 20;

/// How large "large" is. A debug build is some twenty times slower; what grows with the square is found anyway.
const SCALE: usize = if cfg!(debug_assertions) { 5_000 } else { 100_000 };

/// Generous: the tests are to find what takes minutes, on slow machines too.
const LIMIT: Duration = Duration::from_secs(60);

fn on_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let start = Instant::now();
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("no panic")
    });
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
    result
}

/// The codes of the diagnostics, each once. A text that can be formatted is, too.
#[track_caller]
fn codes(text: &str) -> Vec<&'static str> {
    let (checked, clean) = on_small_stack(|| {
        let start = Instant::now();
        let checked = check_text("m.sts", text);
        let time = start.elapsed();
        let start = Instant::now();
        let formatted = format(FileId(0), text);
        eprintln!("checked in {time:.2?}, formatted in {:.2?}", start.elapsed());
        (checked, formatted.is_ok())
    });
    assert!(clean || checked.has_errors());
    codes_of(&checked)
}

#[track_caller]
fn codes_of(checked: &Checked) -> Vec<&'static str> {
    assert!(checked.model.is_some() || !checked.diagnostics.is_empty() || checked.require_model().is_err());
    for d in &checked.diagnostics {
        // What was written so long is shown so long.
        if d.primary.as_ref().is_some_and(|p| p.span.end - p.span.start > 1000) {
            continue;
        }
        assert!(d.message.len() < 1000 && d.notes.iter().all(|n| n.len() < 2000), "too long to read: {:?}", d.code);
        assert!(d.help.as_ref().is_none_or(|h| h.len() < 2000), "too long to read: {:?}", d.code);
    }
    let mut codes: Vec<&str> = checked.diagnostics.iter().map(|d| d.code.short()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// A model around an expression of type Int or Bool.
fn with_const(expr: &str) -> String {
    format!("const c = {expr}\noutput o\nprocess P {{ init a {{ !o [c == c] -> a }} }}\n")
}

fn repeat(n: usize, mut line: impl FnMut(&mut String, usize)) -> String {
    let mut text = String::new();
    for i in 0..n {
        line(&mut text, i);
    }
    text
}

const LOOP: &str = "output o\nprocess P { init a { !o -> a } }\n";

#[test]
fn no_text_at_all() {
    assert_eq!(codes(""), ["M001"]);
    assert_eq!(codes("\u{feff} \r\n\t"), ["M001"]);
    assert_eq!(codes(" \r\n\t\u{feff}"), ["M001", "W010"]);
    assert!(codes("// nothing").contains(&"M001"));
}

#[test]
fn files_that_are_no_models() {
    let folder = empty_folder("files");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    let check = |path: &Path| {
        let checked = on_small_stack(|| check_file(path, &FsLoader, &CheckOptions::default()));
        codes_of(&checked)
    };
    assert_eq!(check(&file("binary.sts", b"\x7fELF\0\0\x01")), ["F003"]);
    assert_eq!(check(&file("latin.sts", b"// caf\xe9")), ["F002"]);
    assert_eq!(check(&folder), ["F001"]);
    assert_eq!(check(&folder.join("missing.sts")), ["F001"]);
    let large = std::fs::File::create(folder.join("large.sts")).expect("created");
    large.set_len(100 << 20).expect("a sparse file");
    assert_eq!(check(&folder.join("large.sts")), ["F004"]);
}

#[test]
fn a_large_file_of_garbage() {
    // Far below the limit, so that the test is fast; the work per byte is the same.
    for unit in ["§ ", "\" \n", "( ", "x\n", "process ", "\"\\q\" ", "0 "] {
        let text = unit.repeat((SCALE * 4) / unit.len());
        assert!(codes(&text).contains(&"P007") || codes(&text).len() <= 3, "{unit}: {:?}", codes(&text));
    }
    let found = on_small_stack(|| check_text("m.sts", &"§ ".repeat(100_000)));
    assert!(found.diagnostics.len() <= 101, "{} diagnostics", found.diagnostics.len());
}

#[test]
fn deep_nesting() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("!", ""),
        ("-", ""),
        ("if true then ", " else 1"),
        ("if ", " then 1 else 1"),
        ("let x = ", " in x"),
        ("match ", " { _ => 1 }"),
        ("match 1 { _ => ", " }"),
        ("f(", ")"),
        ("R { x: ", "}"),
        ("[1][", "]"),
    ] {
        for closed in [true, false] {
            let close = if closed { close.repeat(10_000) } else { String::new() };
            let found = codes(&with_const(&format!("{}1{close}", open.repeat(10_000))));
            assert!(found.contains(&"P005") || found.contains(&"P001"), "{open}: {found:?}");
        }
    }
    for after in [".f", "[0]", " is A", " with { x: 1 }"] {
        let found = codes(&with_const(&format!("x{}", after.repeat(10_000))));
        assert!(found.contains(&"P005"), "{after}: {found:?}");
    }
    let found = codes(&format!("type T = {}Int{}\n{LOOP}", "Seq<".repeat(10_000), ">".repeat(10_000)));
    assert!(found.contains(&"P005"), "{found:?}");
    let found = codes(&format!("type T = Int{}\n{LOOP}", " in 0..1".repeat(10_000)));
    assert!(!found.is_empty(), "{found:?}");
    for open in ["process P { ", "process P { init l { ", "process P { init l { ?a(", "input a(", "type T = {"] {
        assert!(!codes(&open.repeat(10_000)).is_empty());
    }
}

#[test]
fn nesting_as_deep_as_allowed() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("if true then ", " else 1"),
        ("if 1 == ", " then 1 else 1"),
        ("let x = 1 in x + (", ")"),
        ("match 1 { _ => ", " }"),
        ("min(1, ", ")"),
        ("1 + 2 * (", ")"),
        ("abs(if true || 1 == 1 then -(", ") else 1)"),
    ] {
        for depth in [20, 49, 99, 100] {
            codes(&with_const(&format!("{}1{}", open.repeat(depth), close.repeat(depth))));
        }
    }
}

#[test]
fn long_chains() {
    const N: usize = SCALE;
    for op in ["+", "-", "*", "/", "++", "&&", "||", "implies", "==", "<", "<=", "div", "mod", "!="] {
        let item = match op {
            "&&" | "||" | "implies" => "true",
            "++" => "\"\"",
            _ => "1",
        };
        let found = codes(&with_const(&format!("{item}{}", format!(" {op} {item}").repeat(N))));
        assert!(!found.iter().any(|c| c.starts_with('P') && *c != "P006"), "{op}: {found:?}");
        // The same of variables, which is not computed away.
        let (ty, guard) = match op {
            "&&" | "||" | "implies" => ("Bool", format!("x{}", format!(" {op} x").repeat(N))),
            "++" => ("String", format!("x{} == x", format!(" {op} x").repeat(N))),
            "==" | "!=" | "<" | "<=" => ("Int", format!("x{}", format!(" {op} x").repeat(N))),
            _ => ("Int", format!("x{} == x", format!(" {op} x").repeat(N))),
        };
        let found = codes(&format!("output o\nprocess P {{ var x: {ty} = any\n init a {{ !o [{guard}] -> a }} }}\n"));
        assert!(!found.iter().any(|c| c.starts_with('P') && *c != "P006"), "{op}: {found:?}");
    }
}

#[test]
fn long_alternatives() {
    let condition = "if 1 == 2 then 1 else ";
    assert_eq!(codes(&with_const(&format!("{}1", condition.repeat(SCALE)))), [""; 0]);
    let text = format!("fun f(x: Int): Int = {}1\n{LOOP}", "if x == 2 then 1 else ".repeat(SCALE));
    assert!(!codes(&text).iter().any(|c| c.starts_with('P')));
    let arms = repeat(SCALE / 10, |t, i| write!(t, "{i} => {i}, ").expect("written"));
    let text = format!("fun f(x: Int): Int = match x {{ {arms} _ => 0 }}\n{LOOP}");
    assert!(!codes(&text).iter().any(|c| c.starts_with('P')));
    let lets = repeat(SCALE / 50, |t, i| write!(t, "let x{i} = {i} in ").expect("written"));
    assert!(!codes(&with_const(&format!("{lets} 1"))).iter().any(|c| c.starts_with('P')));
}

#[test]
fn long_chains_of_declarations() {
    const N: usize = SCALE / 2;
    let call = |i: usize, n: usize| if i + 1 < n { format!("f{}(x) + 1", i + 1) } else { "x".into() };
    let funs = repeat(N, |t, i| writeln!(t, "fun f{i}(x: Int): Int = {}", call(i, N)).expect("written"));
    assert_eq!(codes(&format!("{funs}{LOOP}")), ["T013"]);
    // Without growing, any length is fine.
    let same = |i: usize| if i + 1 < N { format!("f{}(x)", i + 1) } else { "x".into() };
    let funs = repeat(N, |t, i| writeln!(t, "fun f{i}(x: Int): Int = {}", same(i)).expect("written"));
    assert_eq!(codes(&format!("{funs}{LOOP}")), ["W003"]);
    let value = |i: usize| if i + 1 < N { format!("c{} + 1", i + 1) } else { "0".into() };
    let consts = repeat(N, |t, i| writeln!(t, "const c{i} = {}", value(i)).expect("written"));
    assert_eq!(codes(&format!("{consts}{LOOP}")), ["W003"]);
    let ty = |i: usize| if i + 1 < N { format!("T{}", i + 1) } else { "Int".into() };
    let types = repeat(N, |t, i| writeln!(t, "type T{i} = {}", ty(i)).expect("written"));
    assert_eq!(codes(&format!("{types}{LOOP}")), ["W003"]);
}

#[test]
fn nested_types() {
    // Each contains the one before: as deep as a chain of declarations is long.
    let types = repeat(5_000, |t, i| {
        let inner = if i == 0 { "Int".into() } else { format!("Seq<T{}>", i - 1) };
        writeln!(t, "type T{i} = {inner}").expect("written");
    });
    codes(&format!("{types}output o(t: T4999)\nprocess P {{ var x: T4999 = any\n init a {{ !o(x) -> a }} }}\n"));
    let types = repeat(5_000, |t, i| {
        let inner = if i == 0 { "Int".into() } else { format!("R{}", i - 1) };
        writeln!(t, "type R{i} = {{ x: {inner} }}").expect("written");
    });
    codes(&format!("{types}output o(t: R4999)\nprocess P {{ var x: R4999 = any\n init a {{ !o(x) -> a }} }}\n"));
    // Each has the one before twice: the values grow beyond all bounds.
    let types = repeat(60, |t, i| {
        let inner = if i == 0 { "Int".into() } else { format!("D{}", i - 1) };
        writeln!(t, "type D{i} = {{ x: {inner}, y: {inner} }}").expect("written");
    });
    codes(&format!("{types}output o(t: D59)\nprocess P {{ var x: D59 = any\n init a {{ !o(x) -> a }} }}\n"));
}

#[test]
fn growing_values() {
    let consts = repeat(60, |t, i| {
        let value = if i == 0 { "\"ab\"".into() } else { format!("c{0} ++ c{0}", i - 1) };
        writeln!(t, "const c{i} = {value}").expect("written");
    });
    codes(&format!("{consts}{LOOP}"));
    let consts = repeat(60, |t, i| {
        let value = if i == 0 { "7".into() } else { format!("c{0} * c{0}", i - 1) };
        writeln!(t, "const c{i} = {value}").expect("written");
    });
    codes(&format!("{consts}{LOOP}"));
    let funs = repeat(60, |t, i| {
        let value = if i == 0 { "x + 1".into() } else { format!("f{0}(f{0}(x))", i - 1) };
        writeln!(t, "fun f{i}(x: Int): Int = {value}").expect("written");
    });
    codes(&format!("{funs}{LOOP}"));
    let lets = repeat(60, |t, i| write!(t, "let x{} = x{i} + x{i} in ", i + 1).expect("written"));
    codes(&format!("fun f(x0: Int): Int = {lets} x60\n{LOOP}"));
}

#[test]
fn circles() {
    const N: usize = SCALE / 5;
    for (keyword, ty) in [("const", ""), ("fun", "(): Int")] {
        let call = if keyword == "fun" { "()" } else { "" };
        let text = repeat(N, |t, i| {
            writeln!(t, "{keyword} n{i}{ty} = n{}{call} + n0{call}", (i + 1) % N).expect("written");
        });
        assert_eq!(codes(&format!("{text}{LOOP}")), ["T011"]);
    }
    let text = repeat(N, |t, i| writeln!(t, "type T{i} = {{ x: T{}, y: T0 }}", (i + 1) % N).expect("written"));
    assert_eq!(codes(&format!("{text}{LOOP}")), ["T010"]);
}

#[test]
fn long_names_and_numbers() {
    let name = "n".repeat(1_000_000);
    let found = codes(&format!("const {name} = {}\n{LOOP}", "7".repeat(100_000)));
    assert_eq!(found, ["W003"]);
    codes(&format!("const a = {name}\n{LOOP}"));
    codes(&format!("{name} {LOOP}"));
    codes(&with_const(&format!("0.{}", "3".repeat(20_000))));
    codes(&with_const(&format!("\"{}\"", "é\\t".repeat(100_000))));
    codes(&format!(
        "type T = Int in 0..{}\noutput o(t: T)\nprocess P {{ init a {{ !o(any t) -> a }} }}",
        "9".repeat(10_000)
    ));
    codes(&format!("@{name}\n//{name}\n\"{name}"));
}

#[test]
fn many_locations_and_switches() {
    const N: usize = SCALE;
    let locations = repeat(N, |t, i| {
        let keyword = if i == 0 { "init" } else { "state" };
        writeln!(t, "  {keyword} l{i} {{ !o -> l{} }}", (i + 1) % N).expect("written");
    });
    assert_eq!(codes(&format!("output o\nprocess P {{\n{locations}}}\n")), [""; 0]);
    let switches = repeat(N, |t, _| t.push_str("    !o -> l\n"));
    assert_eq!(codes(&format!("output o\nprocess P {{\n  init l {{\n{switches}  }}\n}}\n")), [""; 0]);
    let switches = repeat(SCALE / 50, |t, i| writeln!(t, "    ?a(p) [p == {i}] -> l").expect("written"));
    let rest = "    ?a(_) [else] -> l\n".repeat(100);
    codes(&format!("input a(p: Int)\nprocess P {{\n  init l {{\n{switches}{rest}  }}\n}}\n"));
}

#[test]
fn many_of_everything() {
    const N: usize = SCALE / 5;
    let instances = vec!["P"; N].join(" || ");
    assert_eq!(codes(&format!("{LOOP}system S = {instances}\n")), [""; 0]);
    let with_parameter = repeat(N, |t, i| write!(t, "{}P({i})", if i == 0 { "" } else { " || " }).expect("written"));
    let process = "output o(n: Int)\nprocess P(n: Int) { var x: Int = n\n init a { !o(x + n) -> a } }";
    assert_eq!(codes(&format!("{process}\nsystem S = {with_parameter}\n")), [""; 0]);
    let processes = repeat(N, |t, i| writeln!(t, "process P{i} {{ init a {{ !o -> a }} }}").expect("written"));
    let all: Vec<String> = (0..N).map(|i| format!("P{i}")).collect();
    assert_eq!(codes(&format!("output o\n{processes}system S = {}\n", all.join(" || "))), [""; 0]);
    assert_eq!(codes(&format!("output o\n{processes}")), ["M012"]);
    let systems = repeat(SCALE / 50, |t, i| writeln!(t, "system S{i} = P").expect("written"));
    codes(&format!("{LOOP}{systems}"));
    let params: Vec<String> = (0..N).map(|i| format!("p{i}: Int")).collect();
    let args: Vec<String> = (0..N).map(|i| format!("p{i}")).collect();
    let [params, args] = [params.join(", "), args.join(", ")];
    codes(&format!("input a({params})\nprocess P {{ init l {{ ?a({args}) -> l }} }}\n"));
    codes(&format!("type R = {{ {params} }}\n{LOOP}"));
    let vars = repeat(N, |t, i| writeln!(t, "  var x{i}: Int = {i}").expect("written"));
    codes(&format!("output o\nprocess P {{\n{vars}  init l {{ !o -> l }}\n}}\n"));
    let types: Vec<String> = (0..N).map(|i| format!("A{i}")).collect();
    codes(&format!("type T = {}\noutput o(t: T)\nprocess P {{ init l {{ !o(any _t) -> l }} }}\n", types.join(" | ")));
}

#[test]
fn many_mistakes() {
    const N: usize = SCALE / 5;
    let locations = repeat(N, |t, i| writeln!(t, "  state loc{i} {{ !o -> lok{i} }}").expect("written"));
    assert!(codes(&format!("output o\nprocess P {{\n{locations}}}\n")).contains(&"N004"));
    let consts = repeat(N, |t, i| writeln!(t, "const name{i} = nema{i}").expect("written"));
    assert!(codes(&format!("{consts}{LOOP}")).contains(&"N001"));
    let gates = repeat(N, |t, i| writeln!(t, "output gate{i}").expect("written"));
    let switches = repeat(N, |t, i| writeln!(t, "!gaet{i}(gate{i}) [x{i} + y] / z := 1 -> l").expect("written"));
    assert!(codes(&format!("{gates}\nprocess P {{ init l {{\n{switches}}} }}\n")).contains(&"N003"));
    let twice = "const c = 1\n".repeat(N);
    assert!(codes(&format!("{twice}{LOOP}")).contains(&"N009"));
    let vars = repeat(N / 4, |t, i| writeln!(t, "  var x{i}: Int = y{i}").expect("written"));
    assert!(codes(&format!("output o\nprocess P {{\n{vars}  init l {{ !o -> l }}\n}}\n")).contains(&"N001"));
}

/// An empty folder.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad_input").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("removed");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn loader(files: impl IntoIterator<Item = (String, String)>) -> MemoryLoader {
    MemoryLoader(files.into_iter().map(|(name, text)| (name.into(), text)).collect())
}

fn check_files(files: &MemoryLoader, first: &str) -> Vec<&'static str> {
    codes_of(&on_small_stack(|| check_file(Path::new(first), files, &CheckOptions::default())))
}

#[test]
fn long_chains_of_imports() {
    const N: usize = if cfg!(debug_assertions) { 500 } else { 2_000 };
    let import = |i: usize| format!("import \"f{i}.sts\"\n");
    let chain = |last: String| {
        let last = move |i: usize| if i + 1 < N { import(i + 1) } else { last.clone() };
        loader((0..N).map(move |i| (format!("f{i}.sts"), last(i))))
    };
    assert_eq!(check_files(&chain(LOOP.into()), "f0.sts"), [""; 0]);
    assert_eq!(check_files(&chain(format!("import \"f0.sts\"\n{LOOP}")), "f0.sts"), ["F005"]);
    // Each file imports all others: every one of them is read once.
    let all: String = (0..300).map(import).collect();
    let files = loader((0..300).map(|i| (format!("f{i}.sts"), all.clone())));
    assert_eq!(check_files(&files, "f0.sts"), ["F005"]);
    let many = import(1).repeat(SCALE / 2);
    let files = loader([("f0.sts".into(), format!("{many}{LOOP}")), ("f1.sts".into(), "const c = 1".into())]);
    assert_eq!(check_files(&files, "f0.sts"), [""; 0]);
    assert_eq!(check_files(&loader([("a.sts".into(), "import \"a.sts\"".into())]), "a.sts"), ["F005"]);
}

#[test]
fn imports_stay_inside() {
    let folder = empty_folder("imports");
    let root = folder.join("project");
    std::fs::create_dir(&root).expect("a folder");
    let outside = folder.join("outside.sts");
    std::fs::write(&outside, "const c = 1").expect("written");
    let check = |text: &str| {
        std::fs::write(root.join("m.sts"), format!("{text}\n{LOOP}")).expect("written");
        let checked = on_small_stack(|| check_file(&root.join("m.sts"), &FsLoader, &CheckOptions::default()));
        codes_of(&checked)
    };
    assert_eq!(check("import \"../outside.sts\""), ["F006"]);
    assert_eq!(check(&format!("import {outside:?}")), ["F006"]);
    assert_eq!(check("import \"x/../../outside.sts\""), ["F006"]);
    assert_eq!(check("import \".\""), ["F001"]);
    assert_eq!(check("import \"missing.sts\""), ["F001"]);
    assert_eq!(check("import \"./m.sts\""), ["F005"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(&outside, root.join("link.sts")).expect("a link");
        symlink(root.join("m.sts"), root.join("self.sts")).expect("a link");
        symlink(root.join("round.sts"), root.join("round.sts")).expect("a link");
        symlink(&folder, root.join("up")).expect("a link");
        assert_eq!(check("import \"link.sts\""), ["F006"]);
        assert_eq!(check("import \"up/outside.sts\""), ["F006"]);
        assert_eq!(check("import \"self.sts\""), ["F005"]);
        assert_eq!(check("import \"round.sts\""), ["F001"]);
    }
}

#[test]
fn types_that_double_are_refused() {
    let mut text = String::from("type T0 = { a: Int, b: Int }\n");
    for n in 1..60 {
        text.push_str(&format!("type T{n} = {{ a: T{}, b: T{} }}\n", n - 1, n - 1));
    }
    text.push_str("input i(p: T59)\noutput o(p: T59)\nprocess P { init l { ?i(p) ; !o(p) -> l } }\n");
    let checked = sioco_lang::check_text("m.sts", &text);
    assert_eq!(checked.diagnostics.len(), 1, "{:#?}", checked.diagnostics);
    assert_eq!(checked.diagnostics[0].code.short(), "T013");
}

/// What other languages write for `if` is understood, and so nests like everything else.
#[test]
fn choices_of_other_languages_nest_only_so_deep() {
    for choice in ["1 ? ", "1 ? 2 : ", "f(1) ? (2) : ", "true ? 1 : 2 ? "] {
        let text = with_const(&format!("{}1", choice.repeat(SCALE)));
        let found = codes(&text);
        assert!(found.contains(&"P005"), "{choice}: {found:?}");
    }
}

/// A few instances of large processes are more than memory takes, and so are a few systems of them.
#[test]
fn systems_that_multiply_are_refused() {
    let process = |n: usize| {
        let switches = repeat(n, |t, i| writeln!(t, "?a(p) [p > {i} && x > {i}] -> l").expect("written"));
        format!("input a(p: Int)\nprocess P {{ var x: Int = 0\ninit l {{\n{switches}}} }}\n")
    };
    let instances = |n: usize| (0..n).map(|i| format!("p{i}: P")).collect::<Vec<_>>().join(" || ");
    let one = format!("{}system S = {}\n", process(1000), instances(10_000));
    assert_eq!(codes(&one), ["T013"]);
    let few = instances(20);
    let many = repeat(500, |t, i| writeln!(t, "system S{i} = {few}").expect("written"));
    assert_eq!(codes(&format!("{}{many}", process(1000))), ["T013"]);
    // Little is written in each switch, and much meant.
    let long = vec!["x * x"; 500].join(" > 0 && x + p > ");
    let text = format!("input a(p: Int)\nprocess P {{ var x: Int = 0\ninit l {{ ?a(p) [{long} > 0] -> l }} }}\n");
    let _ = codes(&format!("{text}system S = {}\n", instances(5000)));
}

/// Each `else` of a gate leaves the same over, however many there are.
#[test]
fn many_switches_with_else() {
    let inputs = repeat(2000, |t, i| writeln!(t, "?a(p) [p > {i}] -> l\n?a(p) [else] -> l").expect("written"));
    let outputs = repeat(2000, |t, i| writeln!(t, "!b(any q) [q > {i}] -> l\ntau [else] -> l").expect("written"));
    for switches in [inputs, outputs] {
        let text = format!("input a(p: Int)\noutput b(p: Int)\nprocess P {{ init l {{\n{switches}}} }}\n");
        let found = codes(&text);
        assert!(found.iter().all(|code| code.starts_with('W')), "{found:?}");
        let model = check_text("m.sts", &text).model.expect("a model").model;
        assert!(model.terms.len() < 30 * 4000, "{} terms", model.terms.len());
    }
}

/// What functions share is not counted as terms, but takes its time wherever they are called.
#[test]
fn functions_of_much_that_is_shared() {
    let big = repeat(1000, |t, i| write!(t, "y * {} + ", i + 2).expect("written"));
    let calls = repeat(6000, |t, i| write!(t, " + f(v + {i}, v)").expect("written"));
    let text = format!(
        "fun f(x: Int, y: Int): Int = {big}x\noutput b(p: Int)\nprocess P {{ var v: Int = 1\ninit l {{ !b(0{calls}) -> l }} }}\n"
    );
    assert_eq!(codes(&text), ["T013"]);
    let grows = repeat(100, |t, i| {
        let i = i + 1;
        writeln!(t, "fun f{i}(x: Int, y: Int): Int = f{}(y, x) * f{}(x + y, x - y)", i - 1, i - 1).expect("written");
    });
    let text = format!("fun f0(x: Int, y: Int): Int = x + y\n{grows}{LOOP}");
    assert_eq!(codes(&text), ["T013"]);
}
