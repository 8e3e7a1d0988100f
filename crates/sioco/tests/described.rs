//! Systems that `sioco.toml` describes: the examples of the documents pass, and fail with their mistake switched on.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::path::PathBuf;

use support::{Folder, sioco, sioco_in};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of an example, in a folder of their own: what is tested leaves journals behind.
fn copied(name: &str) -> Folder {
    let folder = Folder::new(&format!("described-{name}"));
    for entry in fs::read_dir(root().join("examples/adapters").join(name)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            folder.write(path.file_name().unwrap().to_str().unwrap(), &fs::read_to_string(&path).unwrap());
        }
    }
    folder
}

fn example(name: &str) {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3, which runs the server of examples/adapters/{name}");
        return;
    }
    let folder = copied(name);
    let test = |sut: &str, more: &[&str]| {
        let args = ["test", "tank.sts", "--sut", sut, "--seed", "1", "--max-steps", "200", "--solver", "builtin"];
        sioco_in(&[&args[..], more].concat(), &folder.path(""))
    };
    let passed = test("tank", &["--gate", "surely switch>=100%"]);
    passed.exits(0).stdout_has("PASS  Tank against `tank`");
    let failed = test("buggy", &["--no-shrink"]);
    failed.exits(1).stdout_has("FAIL  Tank against `buggy`").stdout_has("error[sioco::V001]");
    failed.stdout_has("allowed here: !refused(why = TooFull)");
}

#[test]
fn the_server_with_plain_text_passes_and_fails() {
    example("text");
}

#[test]
fn the_server_with_torxakis_lines_passes_and_fails() {
    example("torxakis");
}

#[test]
fn the_server_with_http_passes_and_fails() {
    example("http");
}

/// The document shows the files that are tested here.
#[test]
fn the_document_has_the_files() {
    let text = |path: &str| fs::read_to_string(root().join(path)).unwrap().replace("\r\n", "\n");
    let page = text("docs/adapters.md");
    for name in ["text", "torxakis", "http"] {
        let file = text(&format!("examples/adapters/{name}/sioco.toml"));
        // The one with the mistake is for this test.
        let shown = file.split("\n[sut.buggy]").next().unwrap();
        assert!(page.contains(&format!("```toml\n{shown}```")), "{name}: the page shows something else than\n{shown}");
        assert!(page.contains(&format!("(../examples/adapters/{name})")), "{name}");
    }
}

const MODEL: &str = "input get(n: Int in 0..9)\noutput ok(n: Int)\noutput no\nprocess P {\n  var x: Int = 0\n\n  init l {\n    ?get(n) / x := n -> m\n  }\n  state m {\n    !ok(x) -> l\n    !no -> l\n  }\n}\n";

const FILE: &str = r#"
[test]
seed = 1
[profile.ci]
max-steps = 5
[dialect.d.inputs]
get = "GET {n}"
[dialect.d.outputs]
ok = "OK {n}"
no = "NO"
[sut.s]
dialect = "d"
connect = "tcp://127.0.0.1:1"
"#;

/// The file, and the model with the file, after something in the file was replaced.
fn checked(name: &str, from: &str, to: &str) -> [support::Run; 2] {
    let folder = Folder::new(&format!("described-{name}"));
    assert!(FILE.contains(from), "{from}");
    folder.write("sioco.toml", &FILE.replace(from, to));
    folder.write("m.sts", MODEL);
    ["sioco.toml", "m.sts"].map(|file| sioco_in(&["check", file], &folder.path("")))
}

#[test]
fn files_are_checked() {
    for run in checked("right", "", "") {
        run.exits(0).stdout_is("checked 1 file: no problems\n").stderr_is("");
    }
    for (i, (from, to, expected)) in [
        ("seed = 1", "sed = 1", "`sioco.toml`, [test]: `sioco test` has no option `sed`; did you mean `seed`?"),
        ("seed = 1", "quiescence = -1", "`sioco.toml`, [test]: `quiescence`: invalid value '-1'"),
        ("max-steps = 5", "for = \"soon\"", "`sioco.toml`, [profile.ci]: `for`: invalid value 'soon'"),
        ("GET {n}", "GET {n", "`sioco.toml`: dialect `d`: the input `get`: in `GET {n`, a `{` is not closed"),
        ("\"NO\"", "{ regex = '(' }", "`sioco.toml`: dialect `d`: the output `no`: `(` is not a regular expression"),
        ("\"NO\"", "[]", "`sioco.toml`: dialect `d`: the output `no` has no template"),
        ("max-steps", "max-step", "`sioco.toml`, [profile.ci]: `sioco test` has no option `max-step`"),
        ("dialect = \"d\"", "dialect = \"e\"", "`sioco.toml`, [sut.s]: there is no dialect `e`"),
        ("connect = ", "conect = ", "unknown field `conect`"),
        ("connect = \"tcp://127.0.0.1:1\"", "", "[sut.s]: it needs `command` or `connect`"),
        ("tcp://127.0.0.1:1", "tcp://127.0.0.1:{port}", "there is no `start` that could use the port"),
        (
            "connect = \"tcp://127.0.0.1:1\"",
            "command = \"a {port}\"",
            "[sut.s]: `{port}` is only for servers with `start`",
        ),
        ("tcp://127.0.0.1:1", "ws://127.0.0.1:1/", "WebSocket is only for adapters, without a `dialect`"),
        ("dialect = \"d\"", "dialect = \"d\"\ndirectory = \"x\"", "need a `command` or a `start`"),
        ("dialect = \"d\"", "dialect = \"d\"\norder = \"any\"", "`order` must be \"sut\" or \"sent\""),
        ("dialect = \"d\"", "dialect = \"d\"\nconfig = { a = 1 }", "`config` is for adapters"),
        ("dialect = \"d\"", "dialect = \"d\"\nbefore = [{ status = 200 }]", "needs `send`, `expect` or both"),
        ("dialect = \"d\"", "reset = \"keep\"", "works only for connections that carry text"),
        ("dialect = \"d\"", "order = \"sut\"", "an adapter gives it in its `hello`"),
        (
            "connect = \"tcp://127.0.0.1:1\"",
            "connect = \"http://127.0.0.1:1\"\nbefore = [{ send = \"x\" }]",
            "needs a `request`, and may have a `status`",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let [file, _] = checked(&format!("wrong-{i}"), from, to);
        file.exits(2).stdout_has("error: `sioco.toml`").stdout_has(expected).stdout_has("checked 1 file: 1 error\n");
    }
}

#[test]
fn dialects_are_compared_with_models() {
    // Templates that take the same bytes.
    let [file, model] = checked("overlap", "no = \"NO\"", "no = { regex = '[A-Z]+ [0-9]\\n' }");
    file.exits(0);
    model.exits(0).stdout_has("warning: `sioco.toml`: dialect `d`: the templates `OK {n}` of `ok` and ");
    model.stdout_has("overlap, for example on \"OK 0\\n\"").stdout_has("checked 1 file: 1 warning\n");
    // Responses of which only the first counts.
    let folder = Folder::new("described-hidden");
    let file = FILE.replace("\"GET {n}\"", "{ method = \"GET\", path = \"/{n}\" }").replace("tcp://", "http://");
    let file = file.replace("\"OK {n}\"", "{ status = 200, json = { n = \"\" } }");
    folder.write("m.sts", MODEL);
    for no in ["201", "200", "\"2xx\""] {
        folder.write("sioco.toml", &file.replace("\"NO\"", &format!("{{ status = {no} }}")));
        sioco_in(&["check", "m.sts"], &folder.path("")).exits(0).stdout_has("no problems");
    }
    let file = file.replace("ok = {", "no = { status = \"2xx\" }\nok = {").replace("no = \"NO\"\n", "");
    folder.write("sioco.toml", &file);
    let run = sioco_in(&["check", "m.sts"], &folder.path(""));
    run.exits(0)
        .stdout_has("warning: `sioco.toml`: dialect `d`: the template `no` (status \"2xx\") hides `ok` (status 200)");
    // An input that is the same whatever its value is.
    let unplaced = "dialect `d`: the template of the input `get` has no place for `n`: every value sends the same";
    let [_, model] = checked("unplaced", "GET {n}", "GET");
    model.exits(0).stdout_has(unplaced).stdout_has("checked 1 file: 1 warning\n");
    folder.write(
        "sioco.toml",
        &FILE
            .replace("\"GET {n}\"", "{ method = \"GET\", path = \"/\" }")
            .replace("tcp://", "http://")
            .replace("\"OK {n}\"", "{ status = 200, json = { n = \"\" } }")
            .replace("\"NO\"", "{ status = 404 }"),
    );
    sioco_in(&["check", "m.sts"], &folder.path("")).exits(0).stdout_has(unplaced).stdout_has("1 warning\n");
    // A gate or a parameter with another name.
    let [file, model] = checked("typo", "ok = \"OK {n}\"", "okk = \"OK {n}\"");
    file.exits(0);
    model.exits(2).stdout_has(
        "error: `sioco.toml`: dialect `d`: `okk` is not an output of the model; did you mean \
                               `ok`?",
    );
    model.stdout_has("the output `ok` of the model has no template").stdout_has("checked 1 file: 2 errors\n");
    let [_, model] = checked("parameter", "GET {n}", "GET {m}");
    model.exits(2).stdout_has("`m` is not a parameter");
    // One that is meant for another model.
    let folder = Folder::new("described-other");
    folder.write("sioco.toml", &FILE.replace("get = ", "put = ").replace("ok = ", "done = "));
    let path = folder.write("m.sts", MODEL);
    sioco(&["check", &path]).exits(0).stdout_is("checked 1 file: no problems\n");
    // As JSON, and with a file that cannot be read.
    folder.write("sioco.toml", "[sut");
    let run = sioco(&["check", "--format", "json", &path]);
    run.exits(2).stdout_has("\"type\":\"project\"").stdout_has("\"severity\":\"error\"").stdout_has("\"errors\":1");
    sioco(&["check", &folder.path("no/sioco.toml")]).exits(2).stdout_has("error: cannot read `");
}

/// What is said comes back.
const ECHO: &str = "input say(t: String)\ninput tell(t: String, n: Int in 0..9)\noutput said(t: String)\noutput told(t: String)\nprocess Echo {\n  var last: String = \"\"\n\n  init l {\n    ?say(t) / last := t -> m\n    ?tell(t, n) [n > 4] / last := t -> o\n    ?tell(t, _) [else] / last := t -> m\n  }\n  state m {\n    !said(last) -> l\n  }\n  state o {\n    !told(last) -> l\n  }\n}\n";

const ECHO_FILE: &str = r#"
[dialect.d.inputs]
say = "SAY {t}"
tell = "TELL {n} {quoted(t)}"
[dialect.d.outputs]
said = "SAID {quoted(t)}"
told = "TOLD {quoted(t)}"
[sut.s]
dialect = "d"
command = "python3 echo.py"
reset = "keep"
"#;

/// Reads and writes lines, and knows JSON; an unknown line is answered by a line that is no output.
const ECHO_SERVER: &str = r#"import json, sys
for line in sys.stdin.buffer:
    line = line.decode().removesuffix("\n")
    if line.startswith("SAY "):
        print("SAID", json.dumps(line[4:]), flush=True)
    elif line.startswith("TELL "):
        n, text = line[5:].split(" ", 1)
        print("TOLD" if int(n) > 4 else "SAID", json.dumps(json.loads(text)), flush=True)
    else:
        print("what?", flush=True)
"#;

/// A text with a line end is not one line, so it is not sent as one: a system that does what the model says passes.
#[test]
fn texts_with_line_ends_are_not_sent_as_lines() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3, which runs the server of this test");
        return;
    }
    let folder = Folder::new("described-lines");
    folder.write("sioco.toml", ECHO_FILE);
    folder.write("echo.py", ECHO_SERVER);
    folder.write("m.sts", ECHO);
    let run = |args: &[&str]| sioco_in(args, &folder.path(""));
    run(&["check", "m.sts", "sioco.toml"]).exits(0).stdout_has("no problems");
    let check = run(&["adapter", "check", "m.sts", "--sut", "s", "--steps", "60", "--solver", "builtin"]);
    check.exits(0).stdout_has("strings with a line end are never sent as t of ?say\n");
    for seed in ["1", "2", "3"] {
        let args = ["test", "m.sts", "--sut", "s", "--seed", seed, "--journal", "j.jsonl", "--solver", "builtin"];
        let test = run(&[&args[..], &["--cover", "switch", "--again", "--max-steps", "400"]].concat());
        test.exits(0).stdout_has("PASS  Echo against `s`");
        let journal = fs::read_to_string(folder.path("j.jsonl")).unwrap();
        let sent = |gate: &str| journal.lines().filter(|l| l.contains(&format!("\"{gate}\""))).collect::<Vec<_>>();
        assert!(sent("say").iter().any(|line| line.contains("\\\"")), "texts with quotes were sent");
        // A backslash before an `n` is no line end.
        let ends = |line: &&str| line.replace(r"\\", "").contains(r"\n");
        assert!(!sent("say").iter().any(ends), "{:#?}", sent("say"));
        assert!(sent("tell").iter().any(ends), "what is in quotes may have line ends");
        // The journal belongs to the model as it was written.
        run(&["judge", "m.sts", "j.jsonl"]).exits(0).stderr_is("");
    }
}

/// A name that is misspelled, and a file that cannot be read: what is wrong is told before anything is started.
#[test]
fn names_and_files_that_are_wrong_are_told() {
    let folder = Folder::new("described-names");
    folder.write("m.sts", MODEL);
    folder.write("sioco.toml", &FILE.replace("[sut.s]", "[sut.login]"));
    for command in [&["test"][..], &["adapter", "check"]] {
        let run = |sut: &str| sioco_in(&[command, &["m.sts", "--sut", sut]].concat(), &folder.path(""));
        let near = run("logn");
        near.exits(2)
            .stderr_has("error: `--sut`: `logn` is neither a program in the PATH nor a name in `sioco.toml`\n");
        near.stderr_has("help: did you mean `login`?\n");
        run("nothing_of_the_kind").exits(2).stderr_has("help: `sioco.toml` has `login`\n");
        // A path, and a command with arguments, are no names.
        assert!(!run("./logn").stderr.contains("PATH"));
        assert!(!run("logn 1").stderr.contains("nor a name in"));
    }
    folder.write("sioco.toml", "[sut.login]\nconnect = \"tcp\n");
    let run = sioco_in(&["test", "m.sts", "--sut", "login"], &folder.path(""));
    run.exits(2).stderr_has("error: `sioco.toml` is wrong: TOML parse error at line 2, column ");
    run.stderr_has("\n  |\n2 | connect = \"tcp\n");
    assert!(!run.stderr.contains('\u{fffd}'), "{}", run.stderr);
}
