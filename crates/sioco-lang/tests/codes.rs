//! The explanations of the codes: their examples do what they say, and every code is produced by some test here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sioco_lang::check::CheckOptions;
use sioco_lang::diagnostic::{Diagnostic, Severity};
use sioco_lang::source::{FsLoader, LoadError, Loader, MAX_FILE_BYTES, MemoryLoader, decode, read_at_most};
use sioco_lang::{Checked, Code, check_file, check_text};

/// The blocks of an explanation with this tag.
fn blocks<'a>(explanation: &'a str, tag: &str) -> Vec<&'a str> {
    let open = format!("```{tag}\n");
    let mut found = Vec::new();
    let mut rest = explanation;
    while let Some((_, after)) = rest.split_once(&open) {
        let (block, after) = after.split_once("\n```").expect("a block ends");
        found.push(block);
        rest = after;
    }
    found
}

fn wrong(code: Code) -> Vec<&'static str> {
    blocks(code.explanation(), "sts wrong")
}

fn right(code: Code) -> Vec<&'static str> {
    blocks(code.explanation(), "sts right")
}

type Make = fn() -> Checked;

/// The codes whose examples need several files, bytes, or more text than one wants to read.
const BY_HAND: &[(Code, Make)] = &[
    (Code::Unreadable, a_missing_import),
    (Code::NotUtf8, a_file_in_latin_1),
    (Code::Binary, a_program),
    (Code::TooLarge, a_huge_file),
    (Code::ImportCycle, a_circle_of_imports),
    (Code::ImportOutsideRoot, an_import_from_above),
    (Code::TooDeep, many_brackets),
    (Code::TooManyErrors, a_web_page),
];

fn one(checked: &Checked, code: Code) -> &Diagnostic {
    let found: Vec<&Diagnostic> = checked.diagnostics.iter().filter(|d| d.code == code).collect();
    assert_eq!(found.len(), 1, "{:#?}", checked.diagnostics);
    found[0]
}

fn codes(checked: &Checked) -> Vec<Code> {
    checked.diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn explanations_have_a_heading_words_and_examples() {
    for &code in Code::ALL {
        let text = code.explanation();
        let mut lines = text.lines();
        assert!(lines.next().is_some_and(|l| l.starts_with("# ")), "{code}: starts with a heading");
        assert_eq!(lines.next(), Some(""), "{code}: an empty line after the heading");
        assert!(!code.title().contains(code.short()), "{code}: the heading says what it is in words");
        assert!(!code.title().ends_with('.'), "{code}: a heading has no full stop");
        let words = text.split("```").step_by(2).flat_map(str::split_whitespace).count();
        assert!((30..300).contains(&words), "{code}: {words} words");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{code}: ends with one line break");
        assert_eq!(text.matches("\n```").count() % 2, 0, "{code}: every block ends");
        let by_hand = BY_HAND.iter().any(|(c, _)| *c == code);
        assert_eq!(wrong(code).is_empty(), by_hand, "{code}: a wrong example, or a test by hand");
        assert_eq!(right(code).is_empty(), by_hand, "{code}: a right example, or a test by hand");
        assert!(!by_hand || !blocks(text, "text").is_empty(), "{code}: shows the situation");
    }
}

#[test]
fn titles_are_different() {
    let titles: BTreeSet<&str> = Code::ALL.iter().map(|c| c.title()).collect();
    assert_eq!(titles.len(), Code::ALL.len());
}

#[test]
fn wrong_examples_give_their_code_and_no_other() {
    for &code in Code::ALL {
        for text in wrong(code) {
            let checked = check_text("example.sts", text);
            let found: BTreeSet<Code> = codes(&checked).into_iter().collect();
            assert_eq!(found, BTreeSet::from([code]), "{code}\n{text}\n{:#?}", checked.diagnostics);
            assert_eq!(checked.has_errors(), code.severity() == Severity::Error);
        }
    }
}

#[test]
fn right_examples_are_clean() {
    for &code in Code::ALL {
        for text in right(code) {
            let checked = check_text("example.sts", text);
            assert_eq!(checked.diagnostics, [], "{code}\n{text}");
            assert!(checked.require_model().is_ok(), "{code}: can be run\n{text}");
        }
    }
}

#[test]
fn every_code_is_produced() {
    let mut produced = BTreeSet::new();
    for (code, make) in BY_HAND {
        let checked = make();
        assert!(codes(&checked).contains(code), "{code}\n{:#?}", checked.diagnostics);
        produced.insert(*code);
    }
    for &code in Code::ALL {
        produced.extend(wrong(code).iter().flat_map(|text| codes(&check_text("example.sts", text))));
    }
    assert_eq!(produced, Code::ALL.iter().copied().collect());
}

#[test]
fn fixes_mend_what_they_promise_to() {
    let mut fixes = 0;
    for &code in Code::ALL {
        for text in wrong(code) {
            let checked = check_text("example.sts", text);
            for d in &checked.diagnostics {
                let Some(fix) = &d.fix else { continue };
                fixes += 1;
                let mut mended = text.to_string();
                mended.replace_range(fix.span.range(), &fix.replacement);
                let after = check_text("example.sts", &mended);
                assert!(
                    after.diagnostics.len() < checked.diagnostics.len(),
                    "{d:#?}\n{mended}\n{:#?}",
                    after.diagnostics
                );
            }
        }
    }
    assert!(fixes > 10, "only {fixes} of the examples offer a fix");
}

#[test]
fn messages_are_written_alike() {
    for &code in Code::ALL {
        let by_hand = BY_HAND.iter().filter(|(c, _)| *c == code).map(|(_, make)| make());
        let examples = wrong(code).into_iter().map(|text| check_text("example.sts", text));
        for checked in by_hand.chain(examples) {
            for d in &checked.diagnostics {
                let texts = [Some(&d.message), d.primary.as_ref().map(|p| &p.text), d.help.as_ref()];
                for text in texts.into_iter().flatten().chain(&d.notes).chain(d.secondary.iter().map(|l| &l.text)) {
                    assert!(!text.ends_with(['.', '!', ' ']), "{code}: {text}");
                    assert!(!text.starts_with(|c: char| c.is_uppercase()), "{code}: {text}");
                }
                assert!(!d.message.is_empty());
                let labelled = d.primary.as_ref().is_some_and(|p| !p.text.is_empty());
                assert!(d.help.is_some() || labelled, "{code}: says nothing that helps\n{d:#?}");
            }
        }
    }
}

// The codes by hand.

fn files(files: &[(&str, &str)]) -> MemoryLoader {
    MemoryLoader(files.iter().map(|(path, text)| (PathBuf::from(path), text.to_string())).collect())
}

const MODEL: &str = "output o\nprocess P { init l { !o -> l } }\n";

/// A loader with one file, made of bytes.
struct Bytes(Vec<u8>);

impl Loader for Bytes {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        if path.ends_with("m.sts") { decode(self.0.clone()) } else { Err(LoadError::Unreadable("no such file".into())) }
    }
}

fn a_missing_import() -> Checked {
    let text = format!("import \"comon.sts\"\n{MODEL}");
    check_file(Path::new("models/lift.sts"), &files(&[("models/lift.sts", &text)]), &CheckOptions::default())
}

#[test]
fn missing_files() {
    let checked = a_missing_import();
    let d = one(&checked, Code::Unreadable);
    assert_eq!(checked.sources.text(d.primary.as_ref().unwrap().span), "\"comon.sts\"");
    assert!(d.message.contains("models") && d.message.contains("comon.sts"), "{}", d.message);
    // A file beside it with a name that is near was meant.
    let text = format!("import \"sub/comon.sts\"\nimport \"door\"\n{MODEL}");
    let near = files(&[("lift.sts", &text), ("sub/common.sts", ""), ("common.sts", ""), ("door.sts", "")]);
    let checked = check_file(Path::new("lift.sts"), &near, &CheckOptions::default());
    let help: Vec<Option<&str>> = checked.diagnostics.iter().map(|d| d.help.as_deref()).collect();
    assert_eq!(help, [Some("did you mean `common.sts`?"), Some("did you mean `door.sts`?")]);
    // The first file itself has no place that asks for it, and nothing else is said about it.
    let checked = check_file(Path::new("no-such-folder/no-such-file.sts"), &FsLoader, &CheckOptions::default());
    assert_eq!(codes(&checked), [Code::Unreadable]);
    assert_eq!(checked.diagnostics[0].primary, None);
    assert!(checked.model.is_none());
    // A missing import of a file that was given by a relative path does not leave the project.
    let folder = format!("target-of-missing-files-{}", std::process::id());
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(format!("{folder}/lift.sts"), format!("import \"comon.sts\"\nimport \"no/x.sts\"\n{MODEL}"))
        .unwrap();
    std::fs::write(format!("{folder}/common.sts"), "").unwrap();
    let checked = check_file(&Path::new(&folder).join("lift.sts"), &FsLoader, &CheckOptions::default());
    let mistyped = check_file(&Path::new(&folder).join("lfit.sts"), &FsLoader, &CheckOptions::default());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(codes(&checked), [Code::Unreadable; 2], "{:#?}", checked.diagnostics);
    assert_eq!(checked.diagnostics[0].help.as_deref(), Some("did you mean `common.sts`?"));
    assert_eq!(mistyped.diagnostics[0].help.as_deref(), Some("did you mean `lift.sts`?"));
    // A folder is not a file.
    let checked = check_file(Path::new("tests"), &FsLoader, &CheckOptions::default());
    assert_eq!(codes(&checked), [Code::Unreadable]);
}

fn a_file_in_latin_1() -> Checked {
    check_file(Path::new("m.sts"), &Bytes(b"const C = \"caf\xe9\"\n".to_vec()), &CheckOptions::default())
}

#[test]
fn other_encodings() {
    let checked = a_file_in_latin_1();
    assert_eq!(codes(&checked), [Code::NotUtf8]);
    assert!(checked.diagnostics[0].message.contains("byte 14"), "{}", checked.diagnostics[0].message);
    let utf8 = format!("// café\n{MODEL}").into_bytes();
    assert_eq!(check_file(Path::new("m.sts"), &Bytes(utf8), &CheckOptions::default()).diagnostics, []);
}

fn a_program() -> Checked {
    check_file(Path::new("m.sts"), &Bytes(b"\x7fELF\x02\x01\x01\0\0\0\0\0\xff".to_vec()), &CheckOptions::default())
}

#[test]
fn files_that_are_not_text() {
    assert_eq!(codes(&a_program()), [Code::Binary]);
    let utf16: Vec<u8> = MODEL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(codes(&check_file(Path::new("m.sts"), &Bytes(utf16), &CheckOptions::default())), [Code::Binary]);
}

/// A loader that says how large the file is, and does not read it.
struct Huge(u64);

impl Loader for Huge {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        if path.ends_with("m.sts") {
            Err(LoadError::TooLarge { bytes: Some(self.0), limit: MAX_FILE_BYTES })
        } else {
            Err(LoadError::Unreadable("no such file".into()))
        }
    }
}

fn a_huge_file() -> Checked {
    check_file(Path::new("m.sts"), &Huge(210 << 20), &CheckOptions::default())
}

#[test]
fn large_files() {
    let checked = a_huge_file();
    assert_eq!(codes(&checked), [Code::TooLarge]);
    assert!(checked.diagnostics[0].message.contains("210 MiB"), "{}", checked.diagnostics[0].message);
    // One byte too many is not "32 MiB, more than 32 MiB".
    let checked = check_file(Path::new("m.sts"), &Huge(MAX_FILE_BYTES + 1), &CheckOptions::default());
    assert_eq!(codes(&checked), [Code::TooLarge]);
    assert_eq!(checked.diagnostics[0].message.matches("32 MiB").count(), 1, "{}", checked.diagnostics[0].message);
    assert_eq!(read_at_most(std::io::repeat(b' '), 10), Err(LoadError::TooLarge { bytes: None, limit: 10 }));
    assert_eq!(read_at_most(&b"1234567890"[..], 10).map(|bytes| bytes.len()), Ok(10));
}

fn a_circle_of_imports() -> Checked {
    let door = format!("import \"lift.sts\"\n{MODEL}");
    let loader = files(&[("door.sts", &door), ("lift.sts", "import \"door.sts\"\nconst N = 1\n")]);
    check_file(Path::new("door.sts"), &loader, &CheckOptions::default())
}

#[test]
fn import_circles() {
    let checked = a_circle_of_imports();
    assert_eq!(codes(&checked), [Code::ImportCycle]);
    assert_eq!(checked.diagnostics[0].notes, ["door.sts → lift.sts → door.sts"]);
    // A file that imports itself.
    let itself = format!("import \"./m.sts\"\n{MODEL}");
    let checked = check_file(Path::new("m.sts"), &files(&[("m.sts", &itself)]), &CheckOptions::default());
    assert_eq!(codes(&checked), [Code::ImportCycle]);
    // A file that is imported twice is read once, and that is fine.
    let lift = format!("import \"common.sts\"\nimport \"door.sts\"\n{MODEL}");
    let loader = files(&[
        ("lift.sts", &lift),
        ("door.sts", "import \"common.sts\"\nconst DOORS: Count = 2\n"),
        ("common.sts", "type Count = Int in 0..9\n"),
    ]);
    let checked = check_file(Path::new("lift.sts"), &loader, &CheckOptions::default());
    assert_eq!(checked.diagnostics, []);
    assert_eq!(checked.sources.files().count(), 3);
}

fn an_import_from_above() -> Checked {
    let text = format!("import \"../common.sts\"\n{MODEL}");
    let loader = files(&[("models/lift/lift.sts", &text), ("models/common.sts", "const N = 1\n")]);
    check_file(Path::new("models/lift/lift.sts"), &loader, &CheckOptions::default())
}

#[test]
fn imports_from_outside() {
    assert_eq!(codes(&an_import_from_above()), [Code::ImportOutsideRoot]);
    // A project file above makes room.
    let text = format!("import \"../common.sts\"\n{MODEL}");
    let loader =
        files(&[("models/sioco.toml", ""), ("models/lift/lift.sts", &text), ("models/common.sts", "const N = 1\n")]);
    let checked = check_file(Path::new("models/lift/lift.sts"), &loader, &CheckOptions::default());
    assert_eq!(checked.diagnostics, []);
    // Absolute paths never stay inside.
    let text = format!("import \"/common.sts\"\n{MODEL}");
    let loader = files(&[("m.sts", &text), ("/common.sts", "const N = 1\n")]);
    assert_eq!(codes(&check_file(Path::new("m.sts"), &loader, &CheckOptions::default())), [Code::ImportOutsideRoot]);
}

fn many_brackets() -> Checked {
    check_text("m.sts", &format!("const DEEP = {}1{}\n{MODEL}", "(".repeat(300), ")".repeat(300)))
}

#[test]
fn deep_nesting() {
    assert_eq!(codes(&many_brackets()), [Code::TooDeep]);
    let chain = vec!["1"; 10_000].join(" + ");
    let text = format!("const _LONG = {chain}\n{MODEL}");
    assert_eq!(check_text("m.sts", &text).diagnostics, []);
}

fn a_web_page() -> Checked {
    check_text("m.sts", &"Not a model</p>\nprocess {\n".repeat(400))
}

#[test]
fn many_errors() {
    let checked = a_web_page();
    let last = one(&checked, Code::TooManyErrors);
    assert!(last.message.contains("100"), "{}", last.message);
    assert!(checked.diagnostics.len() <= 101, "{}", checked.diagnostics.len());
    // Up to a hundred are all shown.
    let hundred = check_text("m.sts", &format!("{}{MODEL}", "const = 1\n".repeat(100)));
    assert_eq!(codes(&hundred), [Code::UnexpectedToken; 100]);
    let more = check_text("m.sts", &format!("{}{MODEL}", "const = 1\n".repeat(101)));
    assert_eq!(codes(&more).last(), Some(&Code::TooManyErrors));
}
