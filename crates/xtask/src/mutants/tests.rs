use super::*;

#[test]
fn options_are_read() {
    let all = options(&[]).unwrap();
    assert_eq!((all.files.len(), all.list, all.jobs, all.only), (FILES.len(), false, 1, None));
    let some = options(&["--files", "a.rs", "b/*.rs", "--only", "3,17", "--jobs", "2", "--fresh"]).unwrap();
    assert_eq!((some.files.len(), some.only, some.jobs, some.fresh), (2, Some(vec![3, 17]), 2, true));
    assert!(options(&["--quick"]).unwrap().quick && !some.quick);
    assert!(options(&["--list"]).unwrap().list);
    for wrong in [&["--files"][..], &["--files", "--list"], &["--only"], &["--only", "x"], &["--jobs", "0"], &["x"]] {
        assert!(options(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn the_files_of_this_workspace_have_mutants() {
    let project = Project::load().unwrap();
    let patterns: Vec<String> = FILES.iter().map(|&f| f.to_owned()).collect();
    let (sources, _) = sources(&project, &patterns).unwrap();
    let all = listed(&sources);
    assert!(all.len() > 300 && all.iter().enumerate().all(|(at, m)| m.number == at + 1));
    let keys: BTreeSet<&str> = all.iter().map(|m| m.key.as_str()).collect();
    assert_eq!(keys.len(), all.len(), "each is known by a name of its own");
    // Whatever is woven is still Rust.
    let mut results = Results::open(&temporary("files"), true).unwrap();
    let place = project.target.join("mutants");
    let session = Session {
        project: &project,
        place: &place,
        sources: &sources,
        all: &all,
        jobs: 1,
        quick: false,
        excuses: &[],
        reached: BTreeSet::new(),
    };
    for woven in session.woven(&results) {
        syn::parse_file(&woven.text).unwrap();
        assert!(woven.text.contains("mutant_switch::on"));
    }
    // One that cannot be built is left out.
    results.put(&all[0].key, &all[0].hash, Outcome::Unbuildable).unwrap();
    assert!(!session.woven(&results)[0].text.contains("mutant_switch::on(1)"));
    assert!(self::sources(&project, &["no/such.rs".to_owned()]).is_err());
    assert!(self::sources(&project, &["README.md".to_owned()]).unwrap().0.is_empty());
    std::fs::remove_file(temporary("files")).unwrap();
}

#[test]
fn who_uses_a_crate_is_found() {
    let project = Project::load().unwrap();
    let users = users(&project, &BTreeSet::from(["sioco-exec"]));
    assert!(users.contains(&"sioco") && users.contains(&"sioco-adapter"), "{users:?}");
    assert!(!users.contains(&"sioco-exec") && !users.contains(&"sioco-lang") && !users.contains(&"xtask"));
    assert_eq!(package(Path::new("crates/a/src/b/c.rs")), Some("a"));
    assert_eq!(package(Path::new("crates/a/tests/c.rs")), None);
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("sioco-mutants-{}-{name}.jsonl", std::process::id()))
}

/// Four mutants of one function with an outcome each.
#[test]
fn the_report_counts_and_complains() {
    let text = "fn f() -> bool { a && b; c == d }";
    let sources = vec![Source {
        path: PathBuf::from("crates/a/src/b.rs"),
        text: text.to_owned(),
        sites: find::find(text).unwrap().sites,
        first: 1,
    }];
    let all = listed(&sources);
    assert_eq!(all.len(), 4);
    let path = temporary("report");
    let mut results = Results::open(&path, true).unwrap();
    let outcomes = [
        Outcome::Unbuildable,
        Outcome::Caught("t".into()),
        Outcome::TimedOut("t".into()),
        Outcome::Survived(BTreeMap::new()),
    ];
    for (m, outcome) in all.iter().zip(outcomes) {
        results.put(&m.key, &m.hash, outcome).unwrap();
    }
    let mutants: Vec<&Listed> = all.iter().collect();
    let excuse = |change: &str| Excuse {
        file: "crates/a/src/b.rs".into(),
        function: "f".into(),
        change: change.into(),
        reason: "of this".into(),
    };
    let reached = BTreeSet::from([2, 3]);
    let complaints =
        |excuses: &[Excuse]| Report { mutants: &mutants, results: &results, reached: &reached, excuses }.findings();
    let report = Report { mutants: &mutants, results: &results, reached: &reached, excuses: &[] };
    let counts = report.counts(None);
    assert_eq!((counts.all, counts.caught, counts.timed_out, counts.unbuildable), (3, 1, 1, 1));
    assert_eq!((counts.survived, counts.unreached, counts.explained), (1, 1, 0));
    assert!(report.text().contains("survived (no test gets there):    4  crates/a/src/b.rs:1  f: `c [== -> !=] d`"));
    assert!(report.text().ends_with("33.3 % survived\n"));
    assert_eq!(
        complaints(&[]),
        ["crates/a/src/b.rs:1: f: no test notices: `c [== -> !=] d`", "33.3 % of the mutants survive; at most 5 % may"]
    );
    let explained = complaints(&[excuse("`c [== -> !=] d`")]);
    assert_eq!(explained, ["33.3 % of the mutants survive; at most 5 % may"]);
    let stale = complaints(&[excuse("`c [== -> !=] d`"), excuse("`a [&& -> ||] b`"), excuse("other")]);
    assert!(stale[1].ends_with("it does not survive any more") && stale[2].ends_with("there is no such mutant"));
    std::fs::remove_file(&path).unwrap();
}

/// A workspace of one crate, from its sources to the complaints about its tests.
#[test]
fn a_small_workspace_is_looked_at() {
    let root = std::env::temp_dir().join(format!("sioco-mutants-{}-workspace", std::process::id()));
    let files = [
        ("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/a\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        (
            "crates/a/src/lib.rs",
            "pub struct Plain;\npub fn greater(a: u32, b: u32) -> u32 {\n    if a < b { b } else { a }\n}\n\
             pub fn lonely(a: bool) -> bool {\n    !a\n}\npub fn plain() -> Plain {\n    Plain\n}\n\
             pub fn half(x: u32) -> Option<u32> {\n    match x {\n        0 => None,\n        n => Some(n / 2),\n    }\n}\n",
        ),
        (
            "crates/a/tests/all.rs",
            "#[test]\nfn one_is_greater() {\n    assert_eq!((a::greater(1, 2), a::greater(4, 3)), (2, 4));\n}\n\
             #[test]\nfn halves() {\n    a::plain();\n    assert_eq!((a::half(0), a::half(6)), (None, Some(3)));\n}\n\
             #[test]\nfn nonsense() {\n    assert_eq!(1, 2);\n}\n",
        ),
    ];
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let a = project::Crate { name: "a".into(), dir: root.join("crates/a"), dependencies: Vec::new() };
    let project = Project { root: root.clone(), target: root.join("target"), crates: vec![a] };
    let look = || match main(&project, &["--files", "crates/a/src/*.rs"]) {
        Ok(findings) => findings,
        Err(Stop::Trouble(message) | Stop::Usage(message)) => panic!("{message}"),
        Err(Stop::Failed) => panic!("it failed"),
    };
    let expected = [
        // It is the same whichever of two equal numbers is given.
        "crates/a/src/lib.rs:3: greater: no test notices: `a [< -> <=] b`",
        "crates/a/src/lib.rs:5: lonely: no test notices: return `true`",
        "crates/a/src/lib.rs:5: lonely: no test notices: return `false`",
        "crates/a/src/lib.rs:6: lonely: no test notices: delete `!` of `!a`",
        "25.0 % of the mutants survive; at most 5 % may",
    ];
    assert_eq!(look(), expected);
    let results = || std::fs::read_to_string(root.join("target/mutants/results.jsonl")).unwrap();
    assert!(results().contains("plain|return `Default::default()`") && results().contains("unbuildable"));
    // What is known is not tried again: only the survivors are, and only with tests that are new.
    let lines = results().lines().count();
    assert_eq!(look(), expected);
    assert_eq!(results().lines().count(), lines + 4);
    // A test that was missing catches one of them.
    let mut tests = std::fs::read_to_string(root.join("crates/a/tests/all.rs")).unwrap();
    tests += "#[test]\nfn lonely() {\n    assert!(a::lonely(false) && !a::lonely(true));\n}\n";
    std::fs::write(root.join("crates/a/tests/all.rs"), tests).unwrap();
    assert_eq!(look(), [expected[0], "6.2 % of the mutants survive; at most 5 % may"]);
    std::fs::remove_dir_all(&root).unwrap();
}
