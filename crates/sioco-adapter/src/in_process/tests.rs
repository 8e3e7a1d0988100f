use super::*;

const LONG: Duration = Duration::from_secs(20);

fn model() -> Model {
    let text = "type C = Red | Blue | Mix(a: Int)\ntype P = { x: Real }\ninput i(n: Int, b: Bool, t: String, r: Real, c: C, s: Seq<Int>, p: P)\ninput go\noutput o(n: Int, b: Bool, t: String, r: Real, c: C, s: Seq<Int>, p: P)\noutput small(n: Int in 0..9)\noutput done\noutput nested(s: Seq<Seq<String>>)\nprocess Q { init l { ?i(_, _, _, _, _, _, _) -> l\n?go -> l } state m { !o(any n, any b, any t, any r, any c, any s, any p) -> l\n!small(any n) -> l\n!nested(any s) -> l\n!done -> l } }";
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

/// Gives back what it gets, or what it was told to.
#[derive(Default)]
struct Echo {
    plan: Vec<Output>,
    out: VecDeque<Output>,
    lazy: bool,
}

impl System for Echo {
    fn reset(&mut self) {
        self.out.clear();
    }

    fn input(&mut self, gate: &str, args: Args<'_>) {
        if gate == "go" {
            self.out.extend(self.plan.clone());
            return;
        }
        let small: u8 = args.get("n");
        let text: String = args.get("t");
        let color: String = args.at(4);
        assert_eq!(args.len(), 7);
        let (r, s): (f64, Vec<i32>) = (args.get("r"), args.get("s"));
        let output = (small, args.get::<bool>("b"), text, r, color, s, args.get::<Json>("p"));
        self.out.push_back(Output::new("o", output));
    }

    fn output(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn settles(&self) -> bool {
        !self.lazy
    }
}

fn input(model: &Model, gate: &str, text: &[&str]) -> GateValue {
    let gate = model.gate(gate).unwrap();
    let params = model.gates[gate].params.iter().zip(text);
    let args = params.map(|(p, t)| sioco_lang::value::parse_value(&model.sorts, p.sort, t).expect(t)).collect();
    GateValue { gate, args }
}

fn seen(polled: Result<Polled, Fault>) -> Observation {
    match polled {
        Ok(Polled::Event(SutEvent::Observed(seen))) => seen,
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_become_rust_and_back() {
    let model = model();
    let mut sut = InProcess::new(&model, Echo::default);
    sut.reset(RunNumber(1), 7).unwrap();
    let values = ["250", "true", "\"a\\\"é\"", "0.1", "Blue", "[1, -2]", "P { x: 1 / 3 }"];
    sut.send(1, &input(&model, "i", &values)).unwrap();
    assert_eq!(sut.poll(LONG), Ok(Polled::Event(SutEvent::Accepted { id: 1 })));
    let Observation::Output(out) = seen(sut.poll(LONG)) else { panic!("no output") };
    assert_eq!(out, input(&model, "o", &values));
    assert_eq!(seen(sut.poll(LONG)), Observation::Delta);
    assert_eq!(sut.poll(Duration::ZERO), Ok(Polled::Nothing));
}

#[test]
fn panics_of_the_glue_are_faults() {
    let model = model();
    let mut sut = InProcess::new(&model, Echo::default);
    sut.reset(RunNumber(1), 7).unwrap();
    let values = ["256", "true", "\"\"", "0.1", "Red", "[]", "P { x: 0 }"];
    let fault = sut.send(1, &input(&model, "i", &values)).unwrap_err();
    assert_eq!((fault.kind, fault.again), (FaultKind::Glue, true));
    assert!(fault.message.contains("`n` of `i` is 256, which is not a value of type u8"), "{fault}");
    sut.reset(RunNumber(2), 7).unwrap();
}

/// Panics at a call of its own choice, and counts what is made and dropped of it.
struct Fragile<'a> {
    panics: &'static str,
    counts: &'a [std::cell::Cell<u32>; 2],
    inputs: u32,
}

impl System for Fragile<'_> {
    fn reset(&mut self) {
        assert!(self.panics != "reset", "no reset");
        self.inputs = 0;
    }

    fn input(&mut self, _: &str, _: Args<'_>) {
        self.inputs += 1;
        if self.panics == "glue" {
            glue(|| "x".parse::<u32>().expect("no number"));
        }
        assert!(!["input", "drop"].contains(&self.panics) || self.inputs < 2, "input {}", self.inputs);
    }

    fn output(&mut self) -> Option<Output> {
        assert!(self.panics != "output" || self.inputs < 2, "no output");
        (self.panics == "told" && self.inputs > 1).then(|| Output::crashed("told\nin two lines"))
    }

    fn settles(&self) -> bool {
        assert!(self.panics != "settles", "not settled");
        true
    }
}

impl Drop for Fragile<'_> {
    fn drop(&mut self) {
        self.counts[1].set(self.counts[1].get() + 1);
        assert!(self.panics != "drop" || self.inputs < 2, "no end");
    }
}

/// What comes of a call that panics, in each of two runs; and how many systems were made and dropped.
fn run(panics: &'static str) -> (Vec<String>, [u32; 2]) {
    let model = model();
    let counts = [const { std::cell::Cell::new(0) }; 2];
    let make = || {
        counts[0].set(counts[0].get() + 1);
        assert!(panics != "make", "not made");
        Fragile { panics, counts: &counts, inputs: 0 }
    };
    let mut sut = InProcess::new(&model, make);
    let go = input(&model, "go", &[]);
    let mut runs = Vec::new();
    for number in 1..3 {
        let mut found = Vec::new();
        let mut one = || -> Result<(), Fault> {
            sut.reset(RunNumber(number), 7)?;
            for id in 1..3 {
                sut.send(id, &go)?;
                loop {
                    match sut.poll(LONG)? {
                        Polled::Event(SutEvent::Observed(Observation::Delta)) => break,
                        Polled::Event(SutEvent::Observed(Observation::Crashed(crash))) => {
                            let place = if crash.place.is_some() { " at" } else { "" };
                            // There may be a backtrace.
                            let more = crash.details.iter().filter(|line| line.contains("two lines")).count();
                            found.push(format!("crashed: {}{place} {more}", crash.message));
                            return Ok(());
                        }
                        Polled::Event(SutEvent::Accepted { id }) => found.push(format!("{id}")),
                        other => found.push(format!("{other:?}")),
                    }
                }
            }
            Ok(())
        };
        let result = one();
        found.extend(result.err().map(|fault| format!("{}: {}", fault.kind.name(), fault.message)));
        // Nothing comes any more.
        runs.push(found.join(" "));
    }
    drop(sut);
    (runs, counts.map(|count| count.get()))
}

/// The next run begins with a new system, and only a panic of the system is a crash.
#[test]
fn panics_of_the_system_are_crashes() {
    for (panics, expected, counts) in [
        ("nothing", "1 2", [1, 1]),
        ("input", "1 2 crashed: input 2 at 0", [2, 2]),
        // It panics once more when it is dropped.
        ("drop", "1 2 crashed: input 2 at 0", [2, 2]),
        ("output", "1 2 crashed: no output at 0", [2, 2]),
        ("told", "1 2 crashed: told 1", [1, 1]),
        ("glue", "glue: the code that connects the system broke down at the input ?go: no number", [2, 2]),
        ("reset", "glue: cannot reset the system: no reset (at ", [2, 2]),
        ("make", "glue: cannot make a new system: not made (at ", [2, 0]),
        ("settles", "1 glue: `settles` panicked: not settled (at ", [1, 1]),
    ] {
        let (runs, found) = run(panics);
        assert!(runs.iter().all(|run| run.starts_with(expected)), "{panics}: {runs:?}");
        assert_eq!(found, counts, "{panics}");
    }
}

/// Sets and maps of Rust are those of the model.
#[test]
fn sets_and_maps_come_and_go() {
    type Table = BTreeMap<String, HashSet<u8>>;
    #[derive(Default)]
    struct Swap(VecDeque<Output>);
    impl System for Swap {
        fn reset(&mut self) {
            self.0.clear();
        }
        fn input(&mut self, _: &str, args: Args<'_>) {
            let (table, set): (Table, BTreeSet<i64>) = (args.get("t"), args.get("s"));
            let again: HashMap<String, BTreeSet<u8>> = args.get("t");
            assert_eq!(again.len(), table.len());
            let of = |n: i64| (n, set.iter().map(|m| m * n).collect::<HashSet<i64>>());
            let squares: HashMap<i64, HashSet<i64>> = set.iter().map(|n| of(*n)).collect();
            self.0.push_back(Output::new("o", (table, squares)));
            self.0.push_back(Output::new("o", (BTreeMap::from([("a", vec![1])]), squares_of(&set))));
        }
        fn output(&mut self) -> Option<Output> {
            self.0.pop_front()
        }
    }
    fn squares_of(set: &BTreeSet<i64>) -> BTreeMap<i64, BTreeSet<i64>> {
        set.iter().map(|n| (*n, set.clone())).collect()
    }
    let text = "input i(t: Map<String, Set<UInt8>>, s: Set<Int>)\noutput o(t: Map<String, Set<UInt8>>, q: Map<Int, Set<Int>>)\nprocess Q { init l { ?i(_, _) -> l } state m { !o(any t, any q) -> m } }";
    let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
    let mut sut = InProcess::new(&model, Swap::default);
    sut.reset(RunNumber(1), 7).unwrap();
    sut.send(1, &input(&model, "i", &["{\"b\": {1, 255}, \"a\": {}}", "{2, -1}"])).unwrap();
    sut.poll(LONG).unwrap();
    let Observation::Output(found) = seen(sut.poll(LONG)) else { panic!("an output") };
    let params = &model.gates[found.gate].params;
    let shown: Vec<String> = params.iter().zip(&found.args).map(|(p, v)| model.sorts.show(p.sort, v)).collect();
    assert_eq!(shown, ["{\"a\": {}, \"b\": {1, 255}}", "{-1: {-2, 1}, 2: {-2, 4}}"]);
    // A sequence is no set.
    match seen(sut.poll(LONG)) {
        Observation::Malformed { why, .. } if why.contains("a value of t") && why.contains("a sequence") => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn outputs_are_checked() {
    let model = model();
    let plan = vec![
        Output::new("small", 9u64),
        Output::new("small", 10),
        Output::new("small", "x"),
        Output::new("small", (1, 2)),
        Output::new("small", ()),
        Output::new("done", ()),
        Output::new("nested", vec![vec![], vec!["a"]]),
        Output::new("nested", vec![vec![1]]),
        Output::new("smal", 1),
        Output::closed(),
    ];
    let mut sut = InProcess::new(&model, || Echo { plan: plan.clone(), ..Echo::default() });
    sut.reset(RunNumber(1), 7).unwrap();
    sut.send(1, &input(&model, "go", &[])).unwrap();
    sut.poll(LONG).unwrap();
    let (small, done) = (model.gate("small").unwrap(), model.gate("done").unwrap());
    assert_eq!(seen(sut.poll(LONG)), Observation::Output(GateValue { gate: small, args: vec![Value::Int(9)] }));
    for part in ["`n` is 10, but must be Int in 0..9", "`n` is `\"x\"`", "2 values", "0 values"] {
        match seen(sut.poll(LONG)) {
            Observation::Malformed { gate, why, .. } if gate == Some(small) && why.contains(part) => {}
            other => panic!("{part}: {other:?}"),
        }
    }
    assert_eq!(seen(sut.poll(LONG)), Observation::Output(GateValue { gate: done, args: vec![] }));
    assert_eq!(seen(sut.poll(LONG)), Observation::Output(input(&model, "nested", &["[[], [\"a\"]]"])));
    assert!(matches!(seen(sut.poll(LONG)), Observation::Malformed { why, .. } if why.contains("`s[0][0]` is 1")));
    let fault = sut.poll(LONG).unwrap_err();
    assert!(fault.kind == FaultKind::Glue && fault.message.contains("did you mean `small`?"), "{fault}");
    assert_eq!(seen(sut.poll(LONG)), Observation::Closed);
}

#[test]
fn what_is_there_already_comes_before_an_input() {
    let model = model();
    let plan = vec![Output::new("done", ())];
    let mut sut = InProcess::new(&model, || Echo { plan: plan.clone(), ..Echo::default() });
    sut.reset(RunNumber(1), 7).unwrap();
    sut.send(1, &input(&model, "go", &[])).unwrap();
    sut.send(2, &input(&model, "go", &[])).unwrap();
    assert_eq!(sut.poll(LONG), Ok(Polled::Event(SutEvent::Accepted { id: 1 })));
    assert!(matches!(seen(sut.poll(LONG)), Observation::Output(_)));
    assert_eq!(sut.poll(LONG), Ok(Polled::Event(SutEvent::Accepted { id: 2 })));
    assert!(matches!(seen(sut.poll(LONG)), Observation::Output(_)));
}

#[test]
fn a_system_may_need_time() {
    let model = model();
    let interrupt = Interrupt::default();
    let lazy = || Echo { lazy: true, ..Echo::default() };
    let mut sut = InProcess::new(&model, lazy).interrupted_by(interrupt.clone());
    sut.reset(RunNumber(1), 7).unwrap();
    assert_eq!(sut.poll(Duration::from_millis(10)), Ok(Polled::Nothing));
    interrupt.end_at(Some(Instant::now()));
    assert_eq!(sut.poll(LONG), Ok(Polled::Interrupted));
}
