//! Systems that `sioco.toml` describes: the examples of the documents pass, and fail with their mistake switched on.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::path::PathBuf;

use support::{Folder, sioco_in};

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
