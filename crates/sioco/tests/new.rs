//! `sioco new`: the projects it makes run at once, pass, and fail with the mistake that they bring along.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use support::{Folder, Run, sioco_in};

fn new(folder: &Folder, args: &[&str]) -> Run {
    sioco_in(&[&["new"], args].concat(), &folder.path(""))
}

/// Whether there is a Python; if not, what is not tried is said.
fn python(what: &str) -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        println!("there is no python3: {what} was not run");
    }
    found
}

fn read(folder: &Folder, path: &str) -> String {
    fs::read_to_string(folder.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Takes away what comments out the mistake of a project.
fn make_mistake(folder: &Folder, path: &str, comment: &str) {
    let text = read(folder, path);
    let marked: Vec<&str> = text.lines().filter(|line| line.contains("A mistake: without the first ")).collect();
    let [line] = marked[..] else { panic!("{path} has {} lines with a mistake", marked.len()) };
    folder.write(path, &text.replace(line, &line.replacen(comment, "", 1)));
}

/// What every project has, whatever it is for.
fn is_whole(folder: &Folder, name: &str, files: &[&str]) {
    for file in files {
        let text = read(folder, &format!("{name}/{file}"));
        assert!(text.ends_with('\n') && !text.contains("{name}") && !text.contains("{path}"), "{file}: {text}");
    }
    let readme = read(folder, &format!("{name}/README.md"));
    assert!(readme.starts_with(&format!("# {name}\n")), "{readme}");
    for file in files.iter().filter(|file| !file.contains('/') || file.ends_with(".rs")) {
        let known = ["README.md", ".gitignore", "Cargo.toml"].contains(file);
        assert!(known || readme.contains(&format!("| `{file}` |")), "{file} is not in the README");
    }
    let model = format!("{name}/model.sts");
    sioco_in(&["check", &model], &folder.path("")).exits(0).stdout_has("no problems");
    sioco_in(&["fmt", "--check", &model], &folder.path("")).exits(0);
}

#[test]
fn the_python_project_runs() {
    let folder = Folder::new("new-python");
    let run = new(&folder, &["my-tank"]);
    run.exits(0).stderr_is("");
    run.stdout_has("made a project in my-tank\n").stdout_has("next:\n  cd my-tank\n  sioco check model.sts\n");
    run.stdout_has("  sioco test model.sts --sut 'python3 adapter.py'\n");
    let files = ["model.sts", "tank.py", "adapter.py", "sioco.toml", "README.md", ".gitignore"];
    is_whole(&folder, "my-tank", &[&files[..], &[".github/workflows/test.yml"]].concat());
    let adapter = read(&folder, "my-tank/adapter.py");
    let lines = adapter.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 25, "{lines} lines");
    if !python("the adapter of the project") {
        return;
    }
    let project = folder.path("my-tank");
    let sut = ["--sut", "python3 adapter.py", "--solver", "builtin"];
    let check = sioco_in(&[&["adapter", "check", "model.sts", "--steps", "20"], &sut[..]].concat(), &project);
    check.exits(0).stdout_has("2 inputs and 2 outputs, those of the model");
    let test = [&["test", "model.sts", "--seed", "1"], &sut[..]].concat();
    sioco_in(&test, &project).exits(0).stdout_has("PASS  Tank").stdout_has("6 of 6 switches surely taken (100%)");
    by_name(&project);
    crashes(&folder, "my-tank", "adapter.py", &test);
    make_mistake(&folder, "my-tank/tank.py", "# ");
    let run = sioco_in(&test, &project);
    run.exits(1).stdout_has("FAIL  Tank").stdout_has("this output is not allowed here");
}

/// The tank, which raises an exception if somebody drains more than there is, unless it is empty.
fn fragile(tank: &str) -> String {
    let line = "        if litres > self.content:\n";
    assert!(tank.contains(line));
    tank.replace(line, &format!("{line}            if self.content: raise ValueError(f\"only {{self.content}}\")\n"))
}

/// An exception of the tank is a crash and a failure, one of the adapter an error.
fn crashes(folder: &Folder, name: &str, adapter: &str, test: &[&str]) {
    let project = folder.path(name);
    let (tank, file) = (format!("{name}/tank.py"), format!("{name}/{adapter}"));
    let (good, connected) = (read(folder, &tank), read(folder, &file));
    // Each message has other values; all of them are one cause.
    folder.write(&tank, &fragile(&good));
    let run = sioco_in(test, &project);
    run.exits(1).stdout_has("error[sioco::V006]: the SUT crashed: ValueError: only 1\n");
    run.stdout_has("   │     if self.content: raise ValueError(f\"only {self.content}\")\n")
        .stdout_has("   │ ValueError: only 1\n");
    run.stdout_has(", shrunk ").stdout_has("fails in 5 of 5 runs\n").stdout_has("?drain(litres=2)");
    assert_eq!(run.stdout.matches(" FAIL  run").count(), 1, "{}", run.stdout);
    assert!(!run.stdout.contains("more group") && !run.stdout.contains(" ERROR "), "{}", run.stdout);
    let last = run.stdout.lines().last().unwrap();
    let id = last.split("sioco replay ").nth(1).unwrap_or_else(|| panic!("{last}")).to_owned();
    let replay = sioco_in(&["replay", &id, "--solver", "builtin"], &project);
    replay.exits(1).stdout_has("FAILED  run").stdout_has("with the same failure").stdout_has("ValueError: only 1");
    folder.write(&tank, &good);
    sioco_in(&["replay", &id, "--solver", "builtin"], &project).exits(0).stdout_has("FIXED  run");
    for (from, to, what) in [
        ("[\"litres\"]", "[\"liters\"]", "KeyError: 'liters'"),
        ("\"drain\": tank.drain", "\"drian\": tank.drain", "KeyError: 'drain'"),
        ("tank = Tank()", "tank = Tank(7)", "TypeError: "),
        ("**output)", "**output, more=object())", "TypeError: Object of type object is not JSON serializable"),
    ] {
        assert!(connected.contains(from), "{from}");
        folder.write(&file, &connected.replace(from, to));
        let run = sioco_in(test, &project);
        run.exits(5).stdout_has("error[adapter]: ").stdout_has(what).stdout_has("ERROR  Tank");
        assert!(!run.stdout.contains("crashed"), "{from}: {}", run.stdout);
    }
    folder.write(&file, &connected);
}

/// The system that `sioco.toml` describes is tested by its name.
fn by_name(project: &str) {
    let args = ["test", "model.sts", "--sut", "tank", "--seed", "1", "--solver", "builtin", "--max-steps", "100"];
    sioco_in(&args, project).exits(0).stdout_has("PASS  Tank against `tank`");
    let args = ["adapter", "check", "model.sts", "--sut", "tank", "--solver", "builtin", "--steps", "10"];
    sioco_in(&args, project).exits(0).stdout_has("those of the model");
}

/// A program that ends with the test, whatever happens.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the server of a project, at a port that is free, and says where it is.
fn serve(project: &str) -> (Running, String) {
    let mut command = Command::new("python3");
    command.args(["server.py", "0"]).current_dir(project).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening at ").unwrap_or_else(|| panic!("{line}")).to_owned();
    (running, address)
}

#[test]
fn the_tcp_project_runs() {
    let folder = Folder::new("new-tcp");
    new(&folder, &["--template", "tcp", "tank_2"]).exits(0).stdout_has("  sioco test model.sts --sut tank\n");
    let files = ["model.sts", "tank.py", "server.py", "sioco.toml", "README.md", ".gitignore"];
    is_whole(&folder, "tank_2", &[&files[..], &[".github/workflows/test.yml"]].concat());
    if !python("the server of the project") {
        return;
    }
    let project = folder.path("tank_2");
    let test = |address: &str| {
        let args = ["test", "model.sts", "--seed", "1", "--solver", "builtin", "--max-steps", "300", "--sut", address];
        sioco_in(&args, &project)
    };
    {
        let (_server, address) = serve(&project);
        // One tester after the other.
        let check = ["adapter", "check", "model.sts", "--solver", "builtin", "--steps", "20", "--sut", &address];
        sioco_in(&check, &project).exits(0).stdout_has("those of the model");
        test(&address).exits(0).stdout_has("PASS  Tank");
    }
    by_name(&project);
    let by_name = [
        "test",
        "model.sts",
        "--sut",
        "tank",
        "--seed",
        "1",
        "--solver",
        "builtin",
        "--max-steps",
        "300",
        "--shrink-for",
        "5m",
    ];
    crashes(&folder, "tank_2", "server.py", &by_name);
    make_mistake(&folder, "tank_2/tank.py", "# ");
    let (_server, address) = serve(&project);
    test(&address).exits(1).stdout_has("FAIL  Tank");
}

/// A server that was not written for sioco, which needs no adapter.
fn described(template: &str, address: &str) {
    let folder = Folder::new(&format!("new-{template}"));
    let run = new(&folder, &["--template", template, "tank"]);
    run.exits(0).stderr_is("").stdout_has("  sioco check model.sts\n  sioco adapter check model.sts --sut tank\n");
    let files = ["model.sts", "tank.py", "server.py", "sioco.toml", "README.md", ".gitignore"];
    is_whole(&folder, "tank", &[&files[..], &[".github/workflows/test.yml"]].concat());
    let server = read(&folder, "tank/server.py");
    assert!(!server.contains("sioco") && !server.contains("hello"), "{server}");
    let project = folder.path("tank");
    sioco_in(&["check", "model.sts", "sioco.toml"], &project).exits(0).stdout_has("2 files: no problems");
    if !python("the server of the project") {
        return;
    }
    let check = ["adapter", "check", "model.sts", "--sut", "tank", "--solver", "builtin", "--steps", "20"];
    sioco_in(&check, &project).exits(0).stdout_has("for 4 gates of the model").stdout_has("next: sioco test model.sts");
    let args = ["test", "model.sts", "--sut", "tank", "--seed", "1", "--solver", "builtin", "--max-steps", "300"];
    let test = || sioco_in(&args, &project);
    test().exits(0).stdout_has("PASS  Tank against `tank`").stdout_has("6 of 6 switches surely taken (100%)");
    // One that runs already, as the README says.
    {
        let (_server, there) = serve(&project);
        assert!(there.starts_with(address), "{there}");
        let file = read(&folder, "tank/sioco.toml");
        let lines = file.lines().filter(|line| !line.starts_with("start = "));
        let lines =
            lines.map(|line| if line.starts_with("connect") { format!("connect = \"{there}\"") } else { line.into() });
        folder.write("tank/sioco.toml", &(lines.collect::<Vec<_>>().join("\n") + "\n"));
        test().exits(0).stdout_has("PASS  Tank against `tank`");
        folder.write("tank/sioco.toml", &file);
    }
    // A handler that raises something: over HTTP the request has no response, which is a crash; over a connection that stays,
    // the end of it. Either way there is one cause, with what the server wrote to standard error.
    let good = read(&folder, "tank/tank.py");
    folder.write("tank/tank.py", &fragile(&good));
    let run = test();
    run.exits(1)
        .stdout_has("   │ ValueError: only ")
        .stdout_has("   │     if self.content: raise ValueError(f\"only {self.content}\")\n");
    match template {
        "http" => run.stdout_has("error[sioco::V006]: the SUT crashed: ValueError: only 1\n"),
        _ => run.stdout_has("error[sioco::V003]: the SUT ended, which is not allowed here\n"),
    };
    run.stdout_has("?drain(litres=2)").stdout_has("fails in 5 of 5 runs\n");
    assert_eq!(run.stdout.matches(" FAIL  run").count(), 1, "{}", run.stdout);
    assert!(!run.stdout.contains(" ERROR "), "{}", run.stdout);
    folder.write("tank/tank.py", &good);
    make_mistake(&folder, "tank/tank.py", "# ");
    test().exits(1).stdout_has("FAIL  Tank").stdout_has("this output is not allowed here");
}

#[test]
fn the_text_project_runs() {
    described("text", "tcp://127.0.0.1:");
}

#[test]
fn the_http_project_runs() {
    described("http", "http://127.0.0.1:");
}

/// Its code is tested here without building sioco once more, which takes minutes: by the test `template`.
#[test]
fn the_rust_project_is_whole() {
    let folder = Folder::new("new-rust");
    new(&folder, &["tank", "--template", "rust"]).exits(0).stdout_has("  cargo test\n");
    let files = ["model.sts", "Cargo.toml", "src/lib.rs", "tests/conforms.rs", "sioco.toml", "README.md", ".gitignore"];
    is_whole(&folder, "tank", &[&files[..], &[".github/workflows/test.yml"]].concat());
    assert_eq!(read(&folder, "tank/src/lib.rs"), include_str!("../templates/rust/src/lib.rs"));
    assert_eq!(read(&folder, "tank/tests/conforms.rs"), include_str!("../templates/rust/tests/conforms.rs"));
    // Found, since this is where the program was built; and where somebody says it is.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    new(&folder, &["other", "--template", "rust", "--sioco-path", root]).exits(0);
    for name in ["tank", "other"] {
        let manifest = read(&folder, &format!("{name}/Cargo.toml"));
        let path = manifest.split("sioco-test = { path = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(
            fs::canonicalize(path).unwrap(),
            fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../sioco-test")).unwrap()
        );
        assert!(manifest.starts_with(&format!("[package]\nname = \"{name}\"\n")), "{manifest}");
    }
    let read = Command::new("cargo").args(["read-manifest", "--offline"]).current_dir(folder.path("tank")).output();
    match read {
        Ok(read) => assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr)),
        Err(_) => println!("there is no cargo: the manifest was not read"),
    }
}

#[test]
fn nothing_is_overwritten() {
    let folder = Folder::new("new-there");
    folder.folder("full");
    folder.write("full/model.sts", "mine");
    folder.folder("empty");
    folder.write("file", "mine");
    new(&folder, &["full"]).exits(2).stderr_has("`full` already exists and is not empty").stderr_has("help: choose");
    new(&folder, &["file"]).exits(2).stderr_has("is a file");
    new(&folder, &["file/tank"]).exits(2).stderr_has("is a file");
    assert_eq!(read(&folder, "full/model.sts"), "mine");
    assert_eq!(read(&folder, "file"), "mine");
    new(&folder, &["empty"]).exits(0);
    new(&folder, &["empty"]).exits(2).stderr_has("is not empty");
    // Folders on the way are made.
    new(&folder, &["a/b/tank"]).exits(0).stdout_has("  cd a/b/tank\n");
    assert_eq!(folder.names(), ["a", "empty", "file", "full"]);
}

#[test]
fn names_that_are_none_are_told() {
    let folder = Folder::new("new-names");
    let long = "x".repeat(65);
    for (name, part) in [
        ("", "a value is required"),
        (".", "its last part has to be one"),
        ("..", "its last part has to be one"),
        ("my tank", "` ` cannot be part of it"),
        ("tänk", "`ä` cannot be part of it"),
        ("a\nb", "`\\n` cannot be part of it"),
        ("2tanks", "does not begin with a letter"),
        ("_x", "does not begin with a letter"),
        (&long, "longer than 64"),
    ] {
        new(&folder, &["--", name]).exits(2).stderr_has(part);
    }
    new(&folder, &["std", "--template", "rust"]).exits(2).stderr_has("something else is called that in Rust");
    new(&folder, &["tank", "--template", "cobol"])
        .exits(2)
        .stderr_has("[possible values: python, text, http, tcp, rust]");
    new(&folder, &["tank", "--sioco-path", "."]).exits(2).stderr_has("is for `--template rust`");
    let run = new(&folder, &["tank", "--template", "rust", "--sioco-path", "nowhere"]);
    run.exits(2).stderr_has("`nowhere` is not the source of sioco");
    new(&folder, &[]).exits(2).stderr_has("<NAME>");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}
