//! Models, solvers and scripted systems for tests.
#![allow(dead_code)]

pub mod scene;
pub mod told;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sioco_exec::{
    Clock, Crash, Driver, Fault, GateValue, NoClock, Observation, Order, Polled, Record, RunNumber, Settings, Stamped,
    Summary, Sut, SutEvent, drive,
};
use sioco_lang::check::{CheckOptions, check_file, check_text};
use sioco_lang::source::FsLoader;
use sioco_model::{Model, SymbolId, TermId, Value};
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::values::Bounds;
use sioco_solve::{Answer, BackEnd, Limits, Reason, Solver, Terms};

pub fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// A solver that answers nothing.
pub fn ignorant() -> Box<dyn Bounds> {
    Box::new(Ignorant)
}

struct Ignorant;

impl Solver for Ignorant {
    fn name(&self) -> String {
        "ignorant".into()
    }

    fn push(&mut self) {}

    fn pop(&mut self) {}

    fn assert(&mut self, _: Terms<'_>, _: TermId) {}

    fn check(&mut self, _: Terms<'_>, _: &Limits, _: bool) -> Answer {
        Answer::Unknown(Reason::Resources)
    }
}

impl Bounds for Ignorant {
    fn bounds(&mut self, _: SymbolId) -> (Option<i64>, Option<i64>) {
        (None, None)
    }
}

/// The built-in solver, which leaves one question open: the one with this number.
pub fn forgetful(number: u64, asked: &Arc<AtomicU64>) -> Box<dyn Bounds> {
    Box::new(Forgetful { inner: builtin(), number, asked: asked.clone() })
}

struct Forgetful {
    inner: Box<dyn Bounds>,
    number: u64,
    asked: Arc<AtomicU64>,
}

impl Forgetful {
    fn forgets(&self) -> Option<Answer> {
        let forgets = self.asked.fetch_add(1, Ordering::Relaxed) == self.number;
        forgets.then(|| Answer::Unknown(Reason::Undecided("forgotten".into())))
    }
}

impl Solver for Forgetful {
    fn name(&self) -> String {
        "forgetful".into()
    }

    fn push(&mut self) {
        self.inner.push();
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        self.inner.assert(terms, conjunct);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, witness: bool) -> Answer {
        self.forgets().unwrap_or_else(|| self.inner.check(terms, limits, witness))
    }

    fn check_afresh(&mut self, terms: Terms<'_>, limits: &Limits, witness: bool) -> Answer {
        self.forgets().unwrap_or_else(|| self.inner.check_afresh(terms, limits, witness))
    }
}

impl Bounds for Forgetful {
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>) {
        self.inner.bounds(symbol)
    }
}

/// A model of the examples, by folder and name.
pub fn example(name: &str) -> Model {
    example_with(name, &[])
}

/// The same with constants.
pub fn example_with(name: &str, consts: &[(&str, &str)]) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.sts"));
    let consts = consts.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    let checked = check_file(&path, &FsLoader, &CheckOptions { consts, system: None });
    checked.model.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics)).model
}

/// A model from its text.
pub fn model(text: &str) -> Model {
    let checked = check_text("test.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

/// A plan for a model.
pub fn planned(model: &Model, cover: &str, strict: bool) -> Plan {
    let options = PlanOptions { strict, steering: false, ..PlanOptions::new(Cover::parse(cover).expect("a cover")) };
    plan(model, &builtin, &options, &mut |_| {}).expect("a plan")
}

/// `?inX(6)`, `!done`, with values of `Int` gates.
pub fn event(model: &Model, text: &str) -> GateValue {
    let text = text.trim_start_matches(['?', '!']);
    let (name, args) = text.split_once('(').unwrap_or((text, ""));
    let gate = model.gates.iter().find(|(_, g)| g.name == name).unwrap_or_else(|| panic!("no gate {name}")).0;
    let args = args.trim_end_matches(')');
    let args = args.split(',').map(str::trim).filter(|a| !a.is_empty());
    let value = |(a, p): (&str, &sioco_model::model::Param)| {
        sioco_lang::value::parse_value(&model.sorts, p.sort, a).unwrap_or_else(|e| panic!("{a}: {e}"))
    };
    let args: Vec<Value> = args.zip(&model.gates[gate].params).map(value).collect();
    GateValue { gate, args }
}

/// `!done`, `delta`, `closed`, or `crashed: why`.
pub fn observation(model: &Model, text: &str) -> Observation {
    match text {
        "closed" => Observation::Closed,
        "delta" => Observation::Delta,
        _ => match text.strip_prefix("crashed") {
            Some(why) => Observation::Crashed(Crash::new(why.trim_start_matches(": "))),
            None => Observation::Output(event(model, text)),
        },
    }
}

/// What a scripted system says, given all inputs so far.
type Answers<'m> = Box<dyn FnMut(&[GateValue]) -> Vec<String> + 'm>;

/// A system that answers inputs by a script: after the n-th input come the n-th outputs, those of place 0 at the start.
pub struct Scripted<'m> {
    pub model: &'m Model,
    pub order: Order,
    pub answers: Answers<'m>,
    got: Vec<GateValue>,
    events: VecDeque<SutEvent>,
}

impl<'m> Scripted<'m> {
    /// Answers by a function of all inputs so far; it is asked at the start and after each input.
    pub fn new(model: &'m Model, answers: impl FnMut(&[GateValue]) -> Vec<String> + 'm) -> Self {
        Scripted { model, order: Order::Sut, answers: Box::new(answers), got: Vec::new(), events: VecDeque::new() }
    }

    fn answer(&mut self) {
        for text in (self.answers)(&self.got) {
            self.events.push_back(SutEvent::Observed(observation(self.model, &text)));
        }
    }
}

impl Sut for Scripted<'_> {
    fn order(&self) -> Order {
        self.order
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.got.clear();
        self.events.clear();
        self.answer();
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.got.push(input.clone());
        self.events.push_back(SutEvent::Accepted { id });
        self.answer();
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        Ok(self.events.pop_front().map_or(Polled::Nothing, Polled::Event))
    }
}

/// Runs a campaign, and gives back its records and what it came to.
pub fn campaign(tester: &mut Driver<'_>, sut: &mut dyn Sut) -> (Vec<Record>, Summary) {
    let mut records = Vec::new();
    let summary = drive(tester, sut, &mut NoClock, &mut |s: &Stamped| records.push(s.record.clone()));
    (records, summary)
}

/// A clock that goes on whenever somebody looks.
#[derive(Default)]
pub struct Ticking(Duration);

impl Clock for Ticking {
    fn now(&mut self) -> Duration {
        self.0 += Duration::from_millis(1);
        self.0
    }
}

/// A tester of a plan with the least values.
pub fn tester<'m>(model: &'m Model, plan: &Plan, settings: Settings) -> Driver<'m> {
    Driver::new(model, &builtin, plan, settings)
}

/// The trace of the first run, as one writes it.
pub fn trace(model: &Model, records: &[Record]) -> Vec<String> {
    let mut found = Vec::new();
    let mut inputs: Vec<(u64, String)> = Vec::new();
    for r in records {
        match r {
            Record::Input { id, input, .. } => inputs.push((*id, input.show(model))),
            Record::Accepted { id } => {
                found.extend(inputs.iter().find(|(i, _)| i == id).map(|(_, text)| text.clone()));
            }
            Record::Observed(Observation::Output(output)) => found.push(output.show(model)),
            Record::Observed(Observation::Delta) => found.push("delta".into()),
            Record::Observed(Observation::Closed) => found.push("closed".into()),
            Record::Observed(Observation::Crashed(crash)) => found.push(format!("crashed: {}", crash.message)),
            Record::Observed(Observation::Malformed { raw, .. }) => found.push(format!("malformed {raw}")),
            Record::Verdict { .. } => break,
            _ => {}
        }
    }
    found
}
