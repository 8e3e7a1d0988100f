//! What `docs/adapters.md` shows is true.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value as Json;
use sioco_adapter::child::Program;
use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::gates::differences;
use sioco_adapter::lines::Interrupt;
use sioco_adapter::protocol::{AdapterMessage, TesterMessage, observation};
use sioco_adapter::spec::SutSpec;
use sioco_adapter::values::argument;
use sioco_exec::{FaultKind, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::{Model, Value};

const LONG: Duration = Duration::from_secs(20);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/adapters.md")).expect("the page").replace("\r\n", "\n")
}

fn model() -> Model {
    let text = std::fs::read_to_string(root().join("examples/accumulator/accumulator.sts")).expect("the example");
    sioco_lang::check_text("accumulator.sts", &text).model.expect("a model").model
}

/// The blocks of the page with a tag.
fn blocks(tag: &str) -> Vec<String> {
    let start = format!("```{tag}\n");
    page().split(&start).skip(1).map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_messages_are_messages() {
    let model = model();
    let mut kinds = std::collections::BTreeSet::new();
    for line in blocks("json-lines").iter().flat_map(|block| block.lines()) {
        let json: Json = serde_json::from_str(&line[2..]).expect(line);
        kinds.insert(format!("{} {}", &line[..1], json["type"].as_str().expect(line)));
        match line.split_at(2) {
            ("> ", text) => {
                let message = TesterMessage::parse(text).expect(line).expect(line);
                // Nothing is sent that is not shown, and in this form.
                assert_eq!(message.line(), text);
                if let TesterMessage::Input { gate, .. } = message {
                    assert!(model.gate(&gate).is_some(), "{line}");
                }
            }
            ("< ", text) => match AdapterMessage::parse(text).expect(line).expect(line) {
                AdapterMessage::Hello(hello) => {
                    assert_eq!(differences(&model, &hello), Vec::<String>::new(), "{line}");
                    assert!(hello.reset && hello.name.is_some());
                }
                AdapterMessage::Output { gate, args, raw, .. } => {
                    let seen = observation(&model, &gate, args.as_ref(), raw.as_deref(), text);
                    assert!(matches!(seen, Ok(Observation::Output(_))), "{line}: {seen:?}");
                }
                _ => {}
            },
            _ => panic!("{line}: who says this?"),
        }
    }
    let all = "< accepted,< closed,< crashed,< error,< hello,< output,< quiescent,< ready,< refused,> bye,> hello,> input,> reset";
    assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(","), all);
    assert!(!blocks("json-lines").is_empty() && blocks("json").is_empty(), "every block of JSON is checked");
}

#[test]
fn the_values_are_values() {
    let page = page();
    let types = blocks("sts").concat();
    let section = page.split("## Values").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let mut rows = 0;
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(|c| c.trim().trim_matches('`')).collect();
        let [sort, value, json] = cells[..] else { panic!("{row}") };
        let text = format!("{types}\noutput o(p: {sort})\nprocess P {{ init l {{ !o(any p) -> l }} }}");
        let model = sioco_lang::check_text("m.sts", &text).model.expect(row).model;
        let param = &model.gates.values().next().unwrap().params[0];
        let value = sioco_lang::value::parse_value(&model.sorts, param.sort, value).expect(row);
        let json: Json = serde_json::from_str(json).expect(row);
        assert_eq!(argument(&model.sorts, param, &json), Ok(value.clone()), "{row}");
        assert_eq!(sioco_plan::value::json(&model.sorts, param.sort, &value), json, "{row}");
        rows += 1;
    }
    assert_eq!(rows, 13);
}

#[test]
fn the_places_are_places() {
    let page = page();
    let rows = page.lines().skip_while(|line| !line.starts_with("| `--sut` |")).skip(2);
    let places: Vec<String> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('`').nth(1).unwrap().trim_matches('\'').to_owned())
        .collect();
    assert_eq!(places.len(), 4);
    assert!(matches!(places[0].parse(), Ok(SutSpec::Program(program)) if program.words == ["python3", "adapter.py"]));
    assert!(matches!(places[1].parse(), Ok(SutSpec::Tcp(_))));
    assert!(matches!(places[2].parse(), Ok(SutSpec::Ws(_))));
    assert!(matches!(places[3].parse(), Ok(SutSpec::Model(_))));
}

/// The adapter in Python, if there is a Python to run it.
#[test]
fn the_adapter_works() {
    let blocks = blocks("python");
    let [text, _] = &blocks[..] else { panic!("{} adapters", blocks.len()) };
    assert!(text.lines().count() <= 22, "{} lines", text.lines().count());
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        println!("there is no python3: the adapter of the page was not run");
        return;
    }
    let model = model();
    let program = Program::new(vec!["python3".into(), "-c".into(), text.clone()]);
    let options = ConnectionOptions { hello: LONG, reset: LONG, ..ConnectionOptions::default() };
    let mut client = Client::new(&model, Box::new(program), options, Interrupt::default());
    let value = |gate: &str, args: &[i64]| GateValue {
        gate: model.gate(gate).unwrap(),
        args: args.iter().map(|n| Value::Int(*n)).collect(),
    };
    for run in 1..3 {
        client.reset(RunNumber(run), 42).unwrap();
        assert_eq!(client.order(), Order::Sut);
        let mut seen = Vec::new();
        for (id, sum) in [(1, 10), (2, 20)] {
            client.send(id, &value("inX", &[10])).unwrap();
            assert_eq!(client.poll(LONG), Ok(Polled::Event(SutEvent::Accepted { id })));
            seen.push(client.poll(LONG));
            let output = Observation::Output(value("outX", &[sum]));
            assert_eq!(seen.pop(), Some(Ok(Polled::Event(SutEvent::Observed(output)))));
        }
        let done = Observation::Output(value("done", &[]));
        assert_eq!(client.poll(LONG), Ok(Polled::Event(SutEvent::Observed(done))));
    }
}

/// The part that tells crashes of the system from those of the adapter, in the place of the one that does not.
#[test]
fn the_adapter_that_knows_crashes_works() {
    let blocks = blocks("python");
    let [text, part] = &blocks[..] else { panic!("{} adapters", blocks.len()) };
    let (head, rest) = text.split_once("    elif message[\"type\"] == \"input\":\n").expect("a part for inputs");
    let (_, tail) = rest.split_once("    elif message[\"type\"] == \"bye\":\n").expect("a part for the end");
    let system = "import traceback\nclass Accumulator:\n    total = 0\n    def add(self, p):\n        self.total += p\n        \
                  assert self.total < 20, f\"the sum is {self.total}\"\n        return self.total\n";
    let head = head.replace("total = 0", "accumulator = Accumulator()");
    let adapter = format!("{system}{head}{part}    elif message[\"type\"] == \"bye\":\n{tail}");
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        println!("there is no python3: the adapter of the page was not run");
        return;
    }
    let model = model();
    let start = |text: String| {
        let program = Program::new(vec!["python3".into(), "-c".into(), text]);
        let options = ConnectionOptions { hello: LONG, reset: LONG, ..ConnectionOptions::default() };
        Client::new(&model, Box::new(program), options, Interrupt::default())
    };
    let ten = GateValue { gate: model.gate("inX").unwrap(), args: vec![Value::Int(10)] };
    let mut client = start(adapter.clone());
    for run in 1..3 {
        client.reset(RunNumber(run), 42).unwrap();
        client.send(1, &ten).unwrap();
        client.send(2, &ten).unwrap();
        for expected in ["Accepted", "Output", "Accepted"] {
            let found = format!("{:?}", client.poll(LONG));
            assert!(found.contains(expected), "{found}");
        }
        let Ok(Polled::Event(SutEvent::Observed(Observation::Crashed(crash)))) = client.poll(LONG) else {
            panic!("no crash")
        };
        assert_eq!(crash.message, "AssertionError('the sum is 20')");
        assert!(crash.details[0].starts_with("Traceback") && crash.details.len() > 3, "{:?}", crash.details);
    }
    // The adapter reads something that is not there.
    let mut client = start(adapter.replace("[\"p\"]", "[\"q\"]"));
    client.reset(RunNumber(1), 42).unwrap();
    client.send(1, &ten).unwrap();
    let fault = client.poll(LONG).unwrap_err();
    assert!(fault.kind == FaultKind::Died && fault.stderr.iter().any(|line| line == "KeyError: 'q'"), "{fault:?}");
}
