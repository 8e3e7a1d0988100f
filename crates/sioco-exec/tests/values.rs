//! Nothing is sent that the model does not define, whoever chooses the values: every input is a gate value (S0 definition
//! 6) that some hypothesis takes. Gates have several parameters with ranges of their own, small and beyond 64 bits, also
//! inside records, variants and sequences.

mod support;

use std::cell::RefCell;
use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::racer::Wires;
use sioco_exec::replay::Patience;
use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::shrink::{Budget, Failed, shrink};
use sioco_exec::verdict::{Cause, Failure, OpenCause};
use sioco_exec::{
    Action, Driver, Fault, GateValue, NoClock, Observation, Order, Player, Polled, Racer, Record, Referee, RunNumber,
    Settings, Sut, SutEvent, Verdict,
};
use sioco_model::Model;
use sioco_model::model::Direction;
use sioco_model::semantics::interpreter::Interpreter;
use sioco_plan::{Cover, Event, Plan, PlanOptions, Purpose, plan};
use sioco_solve::BackEnd;
use sioco_solve::values::{Bounds, Choice, Random};
use support::{builtin, campaign, event, model, planned};

fn pick<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.below(list.len() as u64) as usize]
}

/// Ranges that have something in common, or nothing, of all sizes.
const INTS: [&str; 12] = [
    "Int in 1..31",
    "Int in 1..12",
    "Int in -3..3",
    "Int in 100..200",
    "Int in 5..",
    "Int in ..-5",
    "Int",
    "Int in 0..9223372036854775808",
    "Int in -9223372036854775809..9223372036854775807",
    "Int in 18446744073709551610..18446744073709551620",
    "Int in -1267650600228229401496703205376..1267650600228229401496703205376",
    "Int in 1267650600228229401496703205376..",
];
const REALS: [&str; 5] = ["Real in 0.5..2.5", "Real in ..1.0", "Real in 1.5..", "Real in 2.0..100.0", "Real"];

fn sort(random: &mut Random) -> String {
    match random.below(12) {
        0..=5 => pick(random, &INTS).to_owned(),
        6 => pick(random, &REALS).to_owned(),
        7 => pick(random, &["Bool", "String"]).to_owned(),
        8 => format!("Seq<{}>", pick(random, &INTS)),
        9 => "Pair".to_owned(),
        10 => "Choice".to_owned(),
        _ => format!("Seq<{}>", pick(random, &["Pair", "Choice", "Real in 0.5..2.5"])),
    }
}

/// A guard that many values satisfy.
fn guard(random: &mut Random, sorts: &[String]) -> String {
    let is = |i: usize, what: &str| sorts[i].starts_with(what);
    let (i, j) = (random.below(sorts.len() as u64) as usize, random.below(sorts.len() as u64) as usize);
    let text = match random.below(6) {
        0 if is(i, "Int") && is(j, "Int") => format!("p{i} != p{j}"),
        1 if is(i, "Int") && is(j, "Int") => format!("p{i} <= p{j}"),
        2 if is(i, "Int") => format!("p{i} mod 3 != 1"),
        3 if is(i, "Seq") => format!("len(p{i}) < 3"),
        4 if is(i, "Pair") => format!("p{i}.a >= 2"),
        5 if is(i, "Choice") => format!("match p{i} {{ Con(c) => c != 7, _ => true }}"),
        _ => return String::new(),
    };
    format!(" [{text}]")
}

/// A model of two inputs with several parameters, whose values it remembers, and tells now and then.
fn text(random: &mut Random) -> String {
    let (a, b) = (pick(random, &INTS), pick(random, &INTS));
    let mut out = format!(
        "type Pair = {{ a: Int in 1..9, b: {a}, s: Seq<Int in 2..4> }}\ntype Choice = Nothing | Con(code: Int in 5..9) | Two(x: {b}, y: Real in 0.5..2.5)\n"
    );
    let (mut vars, mut switches) = (String::new(), String::new());
    for gate in 0..2 {
        let sorts: Vec<String> = (0..1 + random.below(4)).map(|_| sort(random)).collect();
        let params: Vec<String> = sorts.iter().enumerate().map(|(i, s)| format!("p{i}: {s}")).collect();
        out += &format!("input in{gate}({})\noutput out{gate}(q: {})\n", params.join(", "), sorts[0]);
        vars += &format!("  var v{gate}: {} = any\n", sorts[0]);
        let names: Vec<String> = (0..sorts.len()).map(|i| format!("p{i}")).collect();
        let guard = guard(random, &sorts);
        switches += &format!("    take{gate}: ?in{gate}({}){guard} / v{gate} := p0 -> m{gate}\n", names.join(", "));
        let tells = pick(random, &["!out{g}(v{g})", "!out{g}(any q)", "!ack"]).replace("{g}", &gate.to_string());
        switches += &format!("    more{gate}: ?in{gate}({}){guard} / v{gate} := p0 ; {tells} -> s\n", names.join(", "));
    }
    // A variable that is free at the start makes states that are not known.
    if random.below(4) > 0 {
        vars = String::new();
        switches = switches.replace(" / v0 := p0", "").replace(" / v1 := p0", "");
        for gate in 0..2 {
            switches = switches.replace(&format!("!out{gate}(v{gate})"), "!ack");
        }
    }
    out += &format!("output ack\nprocess P {{\n{vars}  init s {{\n{switches}  }}\n");
    for gate in 0..2 {
        out += &format!("  state m{gate} {{\n    back{gate}: !ack -> s\n  }}\n");
    }
    out + "}\n"
}

/// A system that looks at what is sent to it.
struct Strict<'a, S> {
    model: &'a Model,
    sut: S,
    sent: &'a RefCell<Vec<GateValue>>,
    /// After so many inputs of a run, an output has a value too many.
    wrong: Option<u64>,
    count: u64,
}

impl<S: Sut> Sut for Strict<'_, S> {
    fn order(&self) -> Order {
        self.sut.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.count = 0;
        self.sut.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let gate = &self.model.gates[input.gate];
        let fits = gate.params.iter().zip(&input.args).all(|(p, v)| self.model.sorts.contains(p.sort, v));
        let fits = fits && gate.params.len() == input.args.len() && gate.direction == Direction::Input;
        assert!(fits, "{} was sent", input.show(self.model));
        self.sent.borrow_mut().push(input.clone());
        self.count += 1;
        self.sut.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        let mut polled = self.sut.poll(wait)?;
        if let Polled::Event(SutEvent::Observed(Observation::Output(output))) = &mut polled
            && self.wrong.is_some_and(|n| self.count >= n)
        {
            output.args.push(sioco_model::Value::Bool(true));
        }
        Ok(polled)
    }
}

/// Every input of every run was specified, as the referee of a recorded run sees it.
fn all_specified(model: &Model, records: &[Record], what: &str) {
    for record in records {
        if let Record::Verdict { cause, verdict, .. } = record {
            let unspecified = matches!(cause, Cause::Open(OpenCause::Unspecified(_)));
            assert!(!unspecified && *verdict < Verdict::Error, "{what}: {cause:?}");
        }
    }
    // Where there is nothing free, by the interpreter alone.
    if model.free_variables().next().is_some() {
        return;
    }
    let mut run = Interpreter::new(model);
    let mut states = vec![run.initial_default()];
    for record in records {
        let gate_value = match record {
            Record::Run { .. } => {
                states = vec![run.initial_default()];
                continue;
            }
            Record::Input { input, .. } => input,
            Record::Observed(Observation::Output(output)) => output,
            _ => continue,
        };
        let mut next = Vec::new();
        for state in &states {
            let all = run.successors(state, gate_value.gate, &gate_value.args).expect("defined");
            next.extend(all.into_iter().map(|(_, state)| state));
        }
        next.dedup();
        assert!(!next.is_empty(), "{what}: {} is not enabled", gate_value.show(model));
        states = next;
    }
}

const CHOICES: [Choice; 5] = [Choice::Random(0), Choice::Min, Choice::Max, Choice::Middle, Choice::Boundary];
const COVERS: [&str; 6] = ["switch", "traces:2", "inputs:3", "random:3", "classes", "location"];

/// A campaign with all that there is to choose drawn at random.
fn try_one(seed: u64, solvers: &(dyn Fn() -> Box<dyn Bounds> + Sync)) -> (u64, u64) {
    let mut random = Random::new(seed);
    let text = text(&mut random);
    let model = model(&text);
    let what = format!("seed {seed}\n{text}");
    let cover = pick(&mut random, &COVERS);
    // Some covers are only for models whose states are known, or that answer in few ways.
    let options = PlanOptions { steering: false, ..PlanOptions::new(Cover::parse(cover).expect("a cover")) };
    let plan = match random.below(4) {
        0 => nothing(&model),
        _ => plan(&model, &solvers, &options, &mut |_| {}).unwrap_or_else(|_| nothing(&model)),
    };
    let walks = [Walks::Guided, Walks::Random, Walks::Again, Walks::None][random.below(4) as usize];
    let settings = Settings {
        seed,
        walks: if plan.purposes.is_empty() { [Walks::Guided, Walks::Random][seed as usize % 2] } else { walks },
        values: CHOICES[random.below(5) as usize],
        max_steps: Some(120),
        walk: 30,
        interaction: [None, Some(Interaction::Eager), Some(Interaction::Fair)][random.below(3) as usize],
        ..Settings::default()
    };
    let sent = RefCell::new(Vec::new());
    let strict = |sut| Strict { model: &model, sut, sent: &sent, wrong: None, count: 0 };
    let mut tester = Driver::new(&model, solvers, &plan, settings);
    let crossing = random.below(4) == 0;
    let (records, summary) = match crossing {
        true => campaign(&mut tester, &mut Racer::new(strict(Player::new(&model)), Wires::default())),
        false => campaign(&mut tester, &mut strict(Player::new(&model))),
    };
    assert!(summary.verdict.is_none_or(|v| v <= Verdict::Inconclusive), "{what}{summary:?}");
    assert_eq!(tester.dropped(), 0, "{what}");
    if !crossing {
        all_specified(&model, &records, &what);
    }
    let all = sent.borrow().len() as u64;
    (all, if seed.is_multiple_of(4) { shrink_one(&model, &what, seed) } else { 0 })
}

/// A system that fails sooner or later; what is tried to make that shorter.
fn shrink_one(model: &Model, what: &str, seed: u64) -> u64 {
    let sent = RefCell::new(Vec::new());
    let mut sut = Strict { model, sut: Player::new(model), sent: &sent, wrong: Some(4), count: 0 };
    let settings = Settings { seed, walks: Walks::Guided, max_steps: Some(60), ..Settings::default() };
    let mut tester = Driver::new(model, &builtin, &nothing(model), settings);
    let (records, summary) = campaign(&mut tester, &mut sut);
    let Some(bad) = summary.bad.iter().find(|b| b.verdict == Verdict::Fail) else { return 0 };
    let begins = records.iter().position(|r| matches!(r, Record::Run { run, .. } if *run == bad.run)).expect(what);
    let actions: Vec<Action> = (records[begins..].iter())
        .take_while(|r| !matches!(r, Record::Verdict { .. }))
        .filter_map(|r| match r {
            Record::Input { input, .. } => Some(Action::Input(input.clone())),
            Record::Observed(seen) => Some(Action::Seen(seen.clone())),
            _ => None,
        })
        .collect();
    let Cause::Failure(failure @ Failure::Malformed { .. }) = &bad.cause else { panic!("{what}{:?}", bad.cause) };
    let failed = Failed {
        run: bad.run,
        seed,
        actions: &actions,
        failure,
        steps: bad.steps,
        next: RunNumber(1_000),
        wanted: &|_, _| true,
    };
    let mut referee = Referee::new(model, &builtin, Order::Certain);
    let patience = Patience { quiescence: Duration::ZERO, slower: None, accepted: Duration::from_secs(1) };
    sent.borrow_mut().clear();
    let budget = Budget { runs: 60, time: Duration::from_secs(60) };
    shrink(&mut referee, Bench { sut: &mut sut, clock: &mut NoClock }, failed, patience, budget, &mut |_| {});
    let sent = sent.borrow().len();
    sent as u64
}

#[test]
fn everything_that_is_sent_is_a_gate_value_that_the_model_takes() {
    let (mut all, mut shrunk) = (0, 0);
    for seed in 0..80 {
        let (sent, tried) = try_one(seed, &builtin);
        all += sent;
        shrunk += tried;
    }
    println!("{all} inputs, {shrunk} more to shrink");
    assert!(all > 2_000 && shrunk > 200, "{all} inputs, {shrunk} more to shrink");
}

#[test]
fn also_what_a_solver_finds() {
    let Ok(z3) = BackEnd::parse("z3") else { return };
    let solvers = move || -> Box<dyn Bounds> { Box::new(z3.chain()) };
    let sent: u64 = (1_000..1_024).map(|seed| try_one(seed, &solvers).0).sum();
    assert!(sent > 200, "{sent} inputs");
}

const DATES: &str = "input day(d: Int in 1..31, m: Int in 1..12)\noutput ok\nprocess P {\n  init s {\n    go: ?day(d, m) ; !ok -> s\n  }\n}\n";

/// A model against itself by the default campaign: ranges that differ, and equal values where both can have them.
#[test]
fn parameters_with_other_ranges_are_equal_within_both() {
    let model = model(DATES);
    for seed in 0..8 {
        let sent = RefCell::new(Vec::new());
        let mut sut = Strict { model: &model, sut: Player::new(&model), sent: &sent, wrong: None, count: 0 };
        let settings = Settings { seed, walks: Walks::Guided, max_steps: Some(400), ..Settings::default() };
        let mut tester = Driver::new(&model, &builtin, &planned(&model, "switch", false), settings);
        let (_, summary) = campaign(&mut tester, &mut sut);
        assert_eq!((summary.verdict, tester.dropped()), (Some(Verdict::Pass), 0), "seed {seed}: {summary:?}");
        let equal = sent.borrow().iter().filter(|input| input.args[0] == input.args[1]).count();
        assert!(equal > 20 && equal < sent.borrow().len() - 20, "seed {seed}: {equal} of {}", sent.borrow().len());
    }
}

/// Whatever a plan asks for, an input that is none of the model is not sent.
#[test]
fn an_input_outside_its_ranges_never_leaves() {
    let model = model(DATES);
    let good = event(&model, "?day(3, 4)");
    let wrong = GateValue { gate: good.gate, args: [13, 13].map(sioco_model::Value::Int).to_vec() };
    let probe = |input: &GateValue| Event { gate: input.gate, args: input.args.clone() };
    let purpose = |probes: &[&GateValue]| Purpose { probe: probes.iter().map(|p| probe(p)).collect(), ..only_probe() };
    for (probes, expected) in [(vec![&good, &wrong], 1), (vec![&wrong], 0), (vec![&good, &good], 2)] {
        let plan = Plan { purposes: vec![purpose(&probes)], ..nothing(&model) };
        let sent = RefCell::new(Vec::new());
        let mut sut = Strict { model: &model, sut: Player::new(&model), sent: &sent, wrong: None, count: 0 };
        let mut tester = Driver::new(&model, &builtin, &plan, Settings { attempts: 1, ..Settings::default() });
        campaign(&mut tester, &mut sut);
        assert_eq!(sent.borrow().len(), expected, "{probes:?}");
        assert_eq!(tester.dropped(), u64::from(probes.contains(&&wrong)));
    }
}

/// A plan without purposes.
fn nothing(model: &Model) -> Plan {
    Plan { purposes: Vec::new(), ..planned(model, "switch", false) }
}

fn only_probe() -> Purpose {
    let mut purpose = Purpose::default();
    purpose.nodes[0].accept = true;
    purpose
}

/// What comes back and does not fit is malformed, also where nobody judges it.
#[test]
fn an_output_outside_its_ranges_is_malformed_at_the_border() {
    let text = "input go\noutput o(x: Int in 0..9)\nprocess P {\n  init s {\n    go: ?go -> t\n  }\n  state t {\n    o: !o(any x) -> s\n  }\n}\n";
    let model = model(text);
    let go = event(&model, "?go");
    let answer = GateValue { gate: model.gate("o").expect("a gate"), args: vec![sioco_model::Value::Int(10)] };
    struct Answering(Option<SutEvent>, GateValue);
    impl Sut for Answering {
        fn order(&self) -> Order {
            Order::Sut
        }
        fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
            Ok(())
        }
        fn send(&mut self, id: u64, _: &GateValue) -> Result<(), Fault> {
            self.0 = Some(SutEvent::Accepted { id });
            Ok(())
        }
        fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
            Ok(match self.0.take() {
                Some(SutEvent::Accepted { id }) => {
                    self.0 = Some(SutEvent::Observed(Observation::Output(self.1.clone())));
                    Polled::Event(SutEvent::Accepted { id })
                }
                Some(event) => Polled::Event(event),
                None => Polled::Nothing,
            })
        }
    }
    let probe = Purpose { probe: vec![Event { gate: go.gate, args: Vec::new() }], ..only_probe() };
    let plan = Plan { purposes: vec![probe], ..nothing(&model) };
    let mut tester = Driver::new(&model, &builtin, &plan, Settings { attempts: 1, ..Settings::default() });
    let (records, summary) = campaign(&mut tester, &mut Answering(None, answer.clone()));
    let malformed = |seen: &Observation| matches!(seen, Observation::Malformed { gate, why, .. } if *gate == Some(answer.gate) && why.contains("Int in 0..9"));
    assert!(records.iter().any(|r| matches!(r, Record::Observed(seen) if malformed(seen))), "{records:?}");
    assert!(summary.probes[0].seen[0].1.iter().any(malformed), "{:?}", summary.probes);
    let settings = Settings { walks: Walks::Random, max_steps: Some(20), ..Settings::default() };
    let mut tester = Driver::new(&model, &builtin, &nothing(&model), settings);
    let (_, summary) = campaign(&mut tester, &mut Answering(None, answer.clone()));
    assert_eq!(summary.verdict, Some(Verdict::Fail));
}
