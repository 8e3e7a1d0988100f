//! Questions that no solver answers: a verdict that rests on one is inconclusive and names it, and a verdict that does not
//! need the answer stays.

mod support;

use std::sync::Arc;
use std::time::Duration;

use sioco_exec::judge::{Judged, judge};
use sioco_exec::log::{LoggedRun, Runs};
use sioco_exec::record::End;
use sioco_exec::reliance::Reliance;
use sioco_exec::settings::Walks;
use sioco_exec::verdict::{Cause, Failure, OpenCause};
use sioco_exec::{Observation, Order, Record, Referee, RunNumber, Settings, Stamped, Verdict, drive};
use sioco_model::{Id, Model};
use support::{Scripted, Ticking, builtin, campaign, event, forgetful, ignorant, model, planned, tester};

/// Whether there are such cubes is nothing that the built-in solver finds out, and nobody else is asked.
const CUBES: &str = "input i\noutput o(p: Int, q: Int)\nprocess P {\n  init l0 {\n    \
    cubes: !o(any a, any b) [a*a*a + b*b*b == 42*a*b + 1729111] -> l0\n    ?i -> l0\n  }\n}\n";

/// The same beside an output that comes otherwise.
const OTHERWISE: &str = "input i\noutput o(p: Int, q: Int)\nprocess P {\n  init l0 {\n    \
    cubes: !o(any a, any b) [a*a*a + b*b*b == 42*a*b + 1729111] -> l0\n    \
    otherwise: !o(1, 2) [else] -> l0\n    ?i -> l0\n  }\n}\n";

/// A recorded run out of words: `delta` is quiescence by the clock, `quiescent` is announced.
fn logged(model: &Model, order: Order, words: &str) -> LoggedRun {
    let mut runs = Runs::default();
    runs.begin(LoggedRun { order: Some(order), ..LoggedRun::new(RunNumber(1), 1) });
    for (line, word) in words.split_whitespace().enumerate() {
        match word {
            "delta" => runs.timed_out(Reliance::Full, line, None),
            "quiescent" => runs.seen(Observation::Delta, line, None),
            "closed" => runs.seen(Observation::Closed, line, None),
            word if word.starts_with('?') => {
                runs.sent(line as u64, event(model, word));
                runs.accepted(line as u64, line, None);
            }
            word => runs.seen(Observation::Output(event(model, word)), line, None),
        }
    }
    runs.done.pop().expect("a run was begun")
}

fn judged(model: &Model, order: Order, words: &str) -> (Judged, Vec<String>) {
    let mut referee = Referee::new(model, &builtin, order);
    let judged = judge(&mut referee, &logged(model, order, words), order);
    let surely = referee.account().0;
    let names = model.switches.iter().filter(|(id, _)| surely.has(id.index())).map(|(_, s)| s.name.clone());
    (judged, names.collect())
}

#[test]
fn a_verdict_that_rests_on_an_open_question_is_inconclusive() {
    let model = model(CUBES);
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        for words in ["delta", "quiescent", "?i delta", "delta ?i", "?i quiescent ?i"] {
            let (judged, surely) = judged(&model, order, words);
            let Cause::Open(OpenCause::Undecided(question)) = &judged.cause else { panic!("{words}: {judged:?}") };
            assert!(question.contains("it is unknown whether `cubes` is enabled"), "{question}");
            assert_eq!((judged.verdict, judged.doubt), (Verdict::Inconclusive, true));
            assert_eq!(surely, Vec::<String>::new(), "{words}");
        }
        // Nobody needs the answer.
        let (judged, surely) = judged(&model, order, "?i ?i");
        assert_eq!((judged.verdict, judged.doubt), (Verdict::Pass, false));
        // Where it is only known that inputs were sent, the last one may not be taken yet.
        assert!(order == Order::Sent || surely == ["l0?i"], "{surely:?}");
    }
    // The delta is withdrawn, so that nothing rests on it; and these are no such cubes.
    let (judged, _) = judged(&model, Order::Sut, "?i delta !o(1,1)");
    assert_eq!(judged.verdict, Verdict::Fail, "{judged:?}");
}

/// False and unknown is false, whichever comes first.
#[test]
fn what_is_false_stays_false_beside_an_open_question() {
    let model = model(OTHERWISE);
    for order in [Order::Sut, Order::Sent] {
        let (judged, surely) = judged(&model, order, "!o(0,0)");
        assert!(matches!(judged.cause, Cause::Failure(Failure::Output(_))), "{judged:?}");
        assert_eq!(surely, Vec::<String>::new());
        let (judged, surely) = self::judged(&model, order, "!o(1,2)");
        assert_eq!(judged.verdict, Verdict::Inconclusive, "{judged:?}");
        assert_eq!(surely, Vec::<String>::new());
    }
}

/// Campaigns of every kind: what was observed may not be allowed, so that nothing passes.
#[test]
fn campaigns_do_not_pass_by_open_questions() {
    let model = model(CUBES);
    for walks in [Walks::Random, Walks::Guided] {
        let plan = planned(&model, "switch", false);
        let settings = Settings { walks, max_steps: Some(60), ..Settings::default() };
        let mut sut = Scripted::new(&model, |_| Vec::new());
        let (records, summary) = campaign(&mut tester(&model, &plan, settings), &mut sut);
        let waited = records.iter().any(|r| *r == Record::Observed(Observation::Delta));
        assert!(waited && summary.unknown > 0, "{summary:?}");
        assert_eq!(summary.verdict, Some(Verdict::Inconclusive), "{walks:?}: {summary:?}");
    }
}

/// A free variable makes the state unknown, and the order `sent` leaves a place where the input was not taken yet. What may
/// be undefined there, or could be if `match` did not look first, is no reason to leave a failure open.
#[test]
fn required_outputs_are_missed_where_states_are_not_known() {
    let model = model(
        "input bad\noutput ack(code: Int)\noutput closed\ntype Owe = Nothing | Con(code: Int)\nprocess P {\n  \
         var a: Int = any\n  var owe: Owe = Nothing\n  \
         init up {\n    ack: !ack(any code) [match owe { Con(c) => c == code, _ => false }] -> up\n    bad: ?bad -> closing\n  }\n  \
         state closing { close: !closed [a == a] -> up }\n}\n",
    );
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        let (judged, _) = judged(&model, order, "?bad delta");
        assert_eq!(judged.cause, Cause::Failure(Failure::Silence), "{order:?}");
        let (judged, _) = self::judged(&model, order, "?bad closed ?bad closed");
        assert_eq!(judged.verdict, Verdict::Pass, "{order:?}: {judged:?}");
        let (judged, _) = self::judged(&model, order, "?bad !ack(1)");
        assert!(matches!(judged.cause, Cause::Failure(Failure::Output(_))), "{order:?}: {judged:?}");
    }
}

/// Where the model really may be undefined for what was observed, that is said.
#[test]
fn what_may_be_undefined_is_no_failure() {
    let model = model(
        "input go\noutput o(p: Int)\nprocess P {\n  var a: Int = any\n  init l0 { ?go -> l1 }\n  \
         state l1 { !o(any p) [6 div a == p] -> l0 }\n}\n",
    );
    let (judged, _) = judged(&model, Order::Sut, "?go delta");
    assert_eq!(judged.verdict, Verdict::Inconclusive, "{judged:?}");
    // If `a` is zero, the guard has no value for any `p`.
    for words in ["?go !o(7)", "?go !o(2)"] {
        let (judged, _) = self::judged(&model, Order::Sut, words);
        assert_eq!(judged.verdict, Verdict::Error, "{judged:?}");
    }
}

/// While something is owed, a run goes on until one more thing was seen, also where it has left its purpose.
#[test]
fn what_is_owed_is_waited_for() {
    let model = model(
        "input a\noutput x\noutput y\noutput z\nprocess P {\n  init l0 { ?a -> l1 }\n  \
         state l1 { wanted: !x -> l0   other: !y -> l2 }\n  state l2 { !z -> l0 }\n}\n",
    );
    let mut plan = planned(&model, "switch", false);
    let wanted = model.switch("wanted").expect("it is declared");
    plan.purposes
        .retain(|p| p.switches().any(|s| s == wanted) && !p.switches().any(|s| model.switches[s].name == "other"));
    assert_eq!(plan.purposes.len(), 1);
    for (answers, verdict) in
        [(vec!["!y".to_owned()], Verdict::Fail), (vec!["!y".into(), "!z".into()], Verdict::Inconclusive)]
    {
        let mut sut = Scripted::new(&model, |inputs| if inputs.is_empty() { Vec::new() } else { answers.clone() });
        let settings = Settings { walks: Walks::None, ..Settings::default() };
        let (_, summary) = campaign(&mut tester(&model, &plan, settings), &mut sut);
        assert_eq!(summary.verdict, Some(verdict), "{answers:?}: {summary:?}");
    }
}

/// A purpose that quiescence reached is open again if an output comes after all.
#[test]
fn what_a_withdrawn_silence_reached_is_taken_back() {
    let model = model(
        "input a\noutput x\nprocess P {\n  init l0 { ?a -> l1 }\n  state l1 { tau -> quiet   !x -> l0 }\n  \
         state quiet { ?a -> quiet }\n}\n",
    );
    let plan = planned(&model, "location", false);
    let settings = Settings { walks: Walks::Guided, attempts: 1, max_steps: Some(30), ..Settings::default() };
    let mut sut = Scripted::new(&model, |_| Vec::new());
    let mut records = Vec::new();
    // The output comes when the tester is about to end the run, or to send something.
    let mut late = Late { inner: &mut sut, polls: 0 };
    let mut tester = tester(&model, &plan, settings);
    let summary = drive(&mut tester, &mut late, &mut Ticking::default(), &mut |s: &Stamped| {
        records.push(s.record.clone());
    });
    let back = records.iter().any(|r| match r {
        Record::Purpose { cause: Cause::Open(OpenCause::Other(why)), .. } => why.contains("came after all"),
        _ => false,
    });
    assert!(back && summary.withdrawn > 0, "{records:?}");
}

/// A model that is undefined before anything happens is so in every run.
#[test]
fn a_campaign_ends_where_the_model_has_no_beginning() {
    let model =
        model("input a\nprocess P {\n  var x: Int in 0..1 = 0\n  init l0 { tau [1 div x > 0] -> l0   ?a -> l0 }\n}\n");
    let plan = planned(&model, "random", false);
    let settings = Settings { walks: Walks::Random, max_steps: Some(30), ..Settings::default() };
    let mut sut = Scripted::new(&model, |_| Vec::new());
    let (_, summary) = campaign(&mut tester(&model, &plan, settings), &mut sut);
    assert_eq!((summary.verdict, summary.end.clone()), (Some(Verdict::Error), End::Undefined), "{summary:?}");
    assert_eq!(summary.all_runs(), 3);
}

/// Gives an output when it is asked for the second time after an input.
struct Late<'a, 'm> {
    inner: &'a mut Scripted<'m>,
    polls: u32,
}

impl sioco_exec::Sut for Late<'_, '_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), sioco_exec::Fault> {
        self.polls = 0;
        self.inner.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &sioco_exec::GateValue) -> Result<(), sioco_exec::Fault> {
        self.polls = 0;
        self.inner.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<sioco_exec::Polled, sioco_exec::Fault> {
        self.polls += 1;
        match self.polls {
            3 => Ok(sioco_exec::Polled::Event(sioco_exec::SutEvent::Observed(Observation::Output(event(
                self.inner.model,
                "!x",
            ))))),
            _ => self.inner.poll(wait),
        }
    }
}

/// Hidden values that change nothing need not be tried one by one, however many there are.
#[test]
fn hidden_values_that_change_nothing_leave_nothing_open() {
    for values in ["String", "Seq<Int>", "Int", "Real"] {
        let model = model(&format!(
            "input a\noutput o\nprocess P {{\n  init l0 {{ ?a -> l1 }}\n  state l1 {{ tau any k: {values} -> l1 }}\n}}\n"
        ));
        let (found, surely) = judged(&model, Order::Sut, "?a delta");
        assert_eq!((found.verdict, found.doubt), (Verdict::Pass, false), "{values}: {found:?}");
        assert_eq!(surely, ["l0?a"]);
        let (found, _) = judged(&model, Order::Sut, "?a !o");
        assert_eq!(found.verdict, Verdict::Fail, "{values}: {found:?}");
    }
}

/// If nobody knows whether the model specifies an input, what follows may be anything, and is no failure.
#[test]
fn an_input_that_is_perhaps_not_specified_excuses_what_follows() {
    let model = model(
        "input a(p: Int in -1..1)\noutput closed\noutput o\nprocess P {\n  var v: Int = any\n  \
         init l0 { ?a(p) [0 < p && v == v] -> l1 }\n  state l1 { !o [v > v - 1] -> l0 }\n}\n",
    );
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        for words in ["?a(0) closed", "?a(0) delta", "?a(0) quiescent", "?a(1) closed"] {
            let mut referee = Referee::new(&model, &ignorant, order);
            let judged = judge(&mut referee, &logged(&model, order, words), order);
            let undecided = matches!(judged.cause, Cause::Open(OpenCause::Undecided(_)));
            assert!(undecided, "{order:?} {words}: {judged:?}");
        }
        // Without the input, there is no excuse.
        let mut referee = Referee::new(&model, &ignorant, order);
        let judged = judge(&mut referee, &logged(&model, order, "closed"), order);
        assert_eq!(judged.cause, Cause::Failure(Failure::Closed), "{order:?}");
    }
}

/// A free variable that nothing reads, or that has few values, does not keep the state from being known.
#[test]
fn free_variables_leave_open_only_what_depends_on_them() {
    let model = model(
        "output w\noutput u\nprocess P {\n  var v0: Int in 0..3 = any\n  var v1: Int in 0..3 = 2\n  \
         var v2: Int = any\n  init l0 { tau -> l1 }\n  \
         state l1 { tau / v0 := (if (v1 + v0) <= 2 then 0 else 2) -> l1   !u [v2 == v2 + 1] -> l0 }\n}\n",
    );
    for order in [Order::Sut, Order::Sent] {
        let (judged, _) = judged(&model, order, "!w");
        assert!(matches!(judged.cause, Cause::Failure(Failure::Output(_))), "{order:?}: {judged:?}");
    }
}

/// A variable that may have any value, where internal steps go on for ever: what they ask of the value does not make a
/// hypothesis of its own each time, and quiescence that only asks something of the value is decided.
#[test]
fn rounds_with_values_that_are_not_known_are_decided() {
    let round = |steps: &str| {
        model(&format!(
            "input a\noutput u\noutput w\nprocess P {{\n  var x: Int = any\n  init l0 {{ {steps} }}\n  state l1 {{ back: tau [x > 2] -> l0 }}\n}}\n"
        ))
    };
    let pass = |words: &str, steps: &str| {
        for order in [Order::Sut, Order::Sent, Order::Certain] {
            let (judged, _) = judged(&round(steps), order, words);
            assert_eq!(judged.verdict, Verdict::Pass, "{order:?}: {words}: {steps}: {judged:?}");
        }
    };
    let fail = |words: &str, steps: &str| {
        for order in [Order::Sut, Order::Sent, Order::Certain] {
            let (judged, _) = judged(&round(steps), order, words);
            assert_eq!(judged.verdict, Verdict::Fail, "{order:?}: {words}: {steps}: {judged:?}");
        }
    };
    let say = "say: !u [x == 4] -> l0";
    pass("delta delta", &format!("tau -> l0   {say}"));
    // The output shows the value, and then silence is not allowed any more.
    fail("!u delta", &format!("tau -> l0   {say}"));
    fail("delta !u", &format!("tau -> l0   {say}").replace("x == 4", "x == 4 && x == 5"));
    let choice = "choose: tau any p: Int in -1..1 [0 <= p || 3 < x] -> l0";
    fail("!w", &format!("{choice}   {say}"));
    pass("!u !u", &format!("{choice}   {say}"));
    // A choice that is kept as the value of a variable is the same choice each time, by another name.
    let kept = model(
        "input a\noutput u\noutput w\nprocess P {\n  var x: Int = any\n  var y: Int in 0..2 = 0\n  \
         init l0 { keep: tau any p: Int in 0..2, any q: Int in 0..2 [q <= x] / y := q -> l0   say: !u [y == 2] -> l0 }\n}\n",
    );
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        assert_eq!(judged(&kept, order, "!w").0.verdict, Verdict::Fail, "{order:?}");
        assert_eq!(judged(&kept, order, "!u !u").0.verdict, Verdict::Pass, "{order:?}");
    }
    // Over two locations.
    fail("!w", "go: tau any p: Int in 0..9 [p < x] -> l1   say: !u -> l0");
    let between = "go: tau any p: Int in 0..9 [p < x] -> l1   say: !u [x > 5] -> l0";
    fail("!u delta", between);
    pass("delta delta", between);
    fail("delta !u delta", &between.replace("-> l0", "-> l1"));
}

/// Whichever question is left open, what is allowed is no failure, and what is not allowed is no pass. So of two ways to
/// the same state, one of which is only perhaps possible, the other one is followed.
#[test]
fn one_open_question_changes_no_verdict_into_another() {
    let ways = model(
        "input b(p: Int)\noutput u(q: Int)\nprocess P {\n  var x: Int = any\n  init l0 {\n    \
         others: ?b(p) [else] -> l1\n    half: ?b(p) [p == p div 2] -> l1\n  }\n  \
         state l1 { !u(any q) [q < x] -> l0   tau any k: Int [k > x] -> l1 }\n}\n",
    );
    let mut open = 0;
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        for (words, right) in
            [("?b(0) !u(7) ?b(3) !u(5) ?b(0) !u(3)", Verdict::Pass), ("?b(0) !u(7) ?b(3) !u(5) !u(4)", Verdict::Fail)]
        {
            for number in 0..60 {
                let asked = Arc::default();
                let solver = || forgetful(number, &asked);
                let mut referee = Referee::new(&ways, &solver, order);
                let judged = judge(&mut referee, &logged(&ways, order, words), order);
                open += usize::from(judged.verdict == Verdict::Inconclusive);
                let fine = judged.verdict == right || judged.verdict == Verdict::Inconclusive;
                assert!(fine, "{order:?}, question {number}, {words}: {judged:?}");
            }
        }
    }
    assert!(open > 0, "no question matters");
}

/// Nobody can say whether the silence is allowed, and then an output shows that it was none: that the run came so far rests
/// on the same question.
#[test]
fn a_silence_in_doubt_counts_for_what_is_withdrawn_later() {
    let model = model(
        "input a(p: Int in 0..1, q: Int)\noutput u\nprocess P {\n  var v: Int = any\n  init l0 {\n    \
         keep: ?a(p, q) / v := q -> l0\n    !u -> l0\n    \
         turn: ?a(p, q) [3 != v + v && (if p div p < p then true else true)] -> l1\n  }\n  state l1 { ?a(p, q) -> l1 }\n}\n",
    );
    for order in [Order::Sut, Order::Sent] {
        let mut referee = Referee::new(&model, &ignorant, order);
        let judged = judge(&mut referee, &logged(&model, order, "?a(0,4) delta ?a(0,1) !u"), order);
        assert!(matches!(judged.verdict, Verdict::Inconclusive | Verdict::Error), "{order:?}: {judged:?}");
    }
}

/// The model is undefined for each state that explains the run, and another switch explains it all the same.
#[test]
fn what_is_undefined_beside_what_is_allowed_is_no_pass() {
    let text = "output u(p: Int)\noutput v\nprocess P {\n  var n: Int in 0..2 = 0\n  var m: Int = any\n  \
                init l0 { !u(m + 1) -> l1 }\n  state l1 { !v [n div n != 3] -> l1   !v / n := 2 -> l1 }\n}\n";
    let model = model(text);
    for solver in [builtin as fn() -> _, ignorant] {
        let mut referee = Referee::new(&model, &solver, Order::Sut);
        let judged = judge(&mut referee, &logged(&model, Order::Sut, "!u(0) !v !v"), Order::Sut);
        assert!(matches!(judged.verdict, Verdict::Inconclusive | Verdict::Error), "{judged:?}");
    }
    // As soon as one state that explains the run has no value, whether it is known or not.
    for sort in ["Int in 0..3", "Int"] {
        let model = self::model(&format!(
            "input a\noutput o\nprocess P {{\n  var d: {sort} = any\n  init l0 {{ ?a [d > 1 || d <= 1 && 6 div d >= 0] -> l1 }}\n  \
             state l1 {{ !o -> l0 }}\n}}\n"
        ));
        let judged = judged(&model, Order::Sut, "?a !o").0;
        assert_eq!(judged.verdict, Verdict::Error, "{sort}: {judged:?}");
    }
}

/// An output that is enabled settles `else`, whatever other guards are.
#[test]
fn else_is_settled_by_what_is_enabled() {
    let model = model(
        "type V = V0 | V1(a: Int in 0..2) | V2(b: Int in 0..2, c: Int in 0..2)\noutput v(p: V)\noutput w\nprocess P {\n  \
         var n: Int in 0..1 = 1\n  init l0 { !w / n := 0 -> l1 }\n  state l1 {\n    !v(V1(0)) [0 < n div n] -> l1\n    \
         !v(any p) [match p { V0 => false, V1(x) => true, V2(x, y) => y < 1 }] -> l1\n    tau [else] -> l1\n  }\n}\n",
    );
    assert_eq!(judged(&model, Order::Certain, "!w").0.verdict, Verdict::Pass);
}

/// Internal steps go on for ever as far as anybody can tell: what they change is never read.
#[test]
fn rounds_look_at_what_matters() {
    let changes = "type E = E0 | E1\ninput a(p: Int)\noutput w\nprocess P {\n  var v: E = E1\n  var m: Int = any\n  init l0 {\n    \
                   tau any k: E [m + m != 8] -> l1\n    ?a(p) / v := (if m != p then v else E1) -> l0\n    tau -> l1\n  }\n  \
                   state l1 { tau / v := E0 -> l0 }\n}\n";
    let leaves = "input a(p: Int)\noutput w\nprocess P {\n  var m: Int = any\n  init l0 {\n    tau [m + m != 8] -> l0\n    \
                  ?a(p) -> l0\n    tau -> l1\n  }\n  state l1 { tau -> l1 }\n}\n";
    let chosen = "input a(p: Int)\noutput w\nprocess P {\n  var t: String = \"b\"\n  \
                  init l0 { tau any s: String / t := s -> l0   ?a(p) -> l0 }\n}\n";
    for text in [changes, leaves, chosen] {
        let model = self::model(text);
        for words in ["delta", "quiescent", "?a(4) delta ?a(1) ?a(4) delta", "?a(3) ?a(4) quiescent"] {
            let judged = judged(&model, Order::Sut, words).0;
            assert_eq!(judged.verdict, Verdict::Pass, "{words}: {judged:?}\n{text}");
        }
    }
}

/// What the steps of a round choose is tied to a value that nobody knows: the round goes on for the values for which the
/// choice exists, and for no others.
#[test]
fn rounds_whose_choices_are_tied_to_unknown_values_are_decided() {
    for sort in ["Int", "String"] {
        let [some, other] = if sort == "Int" { ["3", "4"] } else { ["\"a\"", "\"\""] };
        let round = |guard: &str| {
            let guard = guard.replace("SOME", some).replace("OTHER", other);
            model(&format!(
                "input i\noutput u\noutput w\nprocess P {{\n  var x: {sort} = any\n  init l0 {{\n    \
                 tau any p: {sort} [{guard}] -> l0\n    !w [else] -> l0\n    ?i -> l1\n  }}\n  \
                 state l1 {{ !u [x == {some}] -> l1 }}\n}}\n"
            ))
        };
        let verdict = |guard: &str, order: Order, words: &str| judged(&round(guard), order, words).0.verdict;
        for order in [Order::Sut, Order::Certain] {
            // Whatever the value is, there is one that equals it, and one that differs.
            for guard in ["p == x", "p != x", "p != x && p != SOME", "p == x || p == SOME"] {
                for (words, right) in [
                    ("delta", Verdict::Pass),
                    ("quiescent ?i !u", Verdict::Pass),
                    ("quiescent ?i quiescent", Verdict::Pass),
                    ("!w", Verdict::Fail),
                ] {
                    assert_eq!(verdict(guard, order, words), right, "{sort} {guard} {order:?} {words}");
                }
            }
            // Here there is none for one value.
            for guard in ["p == x && p != SOME", "p == OTHER && p == x", "p != SOME && p == x || p == OTHER && p == x"]
            {
                for (words, right) in [
                    ("quiescent", Verdict::Pass),
                    ("!w !w ?i !u", Verdict::Pass),
                    ("!w quiescent", Verdict::Fail),
                    ("quiescent ?i !u", Verdict::Fail),
                ] {
                    assert_eq!(verdict(guard, order, words), right, "{sort} {guard} {order:?} {words}");
                }
            }
        }
    }
}

/// Ways to the same states by different hidden choices are one hypothesis: what the conditions say of choices that are
/// gone keeps none of them apart.
#[test]
fn choices_that_are_gone_keep_no_hypotheses_apart() {
    let model = model(
        "type R = { b: Bool, n: Int in 0..2 }\noutput z(p: Int)\noutput w\nprocess P {\n  var n: Int in 0..2 = 1\n  \
         var m: Int = any\n  init l0 { tau -> l1 }\n  state l1 {\n    \
         tau any r: R [n != r.n] / n := r.n -> l0\n    say: !z(any p) [p == m && p <= 1] -> l1\n  }\n}\n",
    );
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        let verdict = |words: &str| judged(&model, order, words).0.verdict;
        assert_eq!(verdict("!w"), Verdict::Fail, "{order:?}");
        assert_eq!(verdict("!z(1) !z(1) !w"), Verdict::Fail, "{order:?}");
        assert_eq!(verdict("!z(1) !z(0)"), Verdict::Fail, "{order:?}");
        assert_eq!(verdict("!z(-4) !z(-4) !z(-4)"), Verdict::Pass, "{order:?}");
    }
}

/// A round may choose what leads back to the values that it started with. That holds for the values that it can choose, and
/// for no others.
#[test]
fn rounds_that_choose_their_way_back_are_decided() {
    let round = |update: &str| {
        model(&format!(
            "input i\noutput u\noutput w\nprocess P {{\n  var x: Int = any\n  var y: Int = 0\n  init l0 {{\n    {update} -> l0\n    \
             !w [else] -> l0\n    ?i -> l1\n  }}\n  state l1 {{ !u [x == 3 && y == 0] -> l1 }}\n}}\n"
        ))
    };
    let verdict = |update: &str, order: Order, words: &str| judged(&round(update), order, words).0.verdict;
    for order in [Order::Sut, Order::Certain] {
        // Each value can be chosen again.
        for update in ["tau any p: Int / x := p", "tau any p: Int [p != 3 || x == 3] / x := p"] {
            for (words, right) in [("quiescent", Verdict::Pass), ("!w", Verdict::Fail)] {
                assert_eq!(verdict(update, order, words), right, "{update} {order:?} {words}");
            }
        }
        // Whatever is chosen is another value: nothing leads back.
        let update = "tau any p: Int [p > x] / x := p";
        assert_ne!(verdict(update, order, "quiescent"), Verdict::Pass, "{order:?}");
        assert_eq!(verdict(update, order, "!w"), Verdict::Fail, "{order:?}");
        // So it is here, and the states that internal steps lead to have no end.
        assert_eq!(verdict("tau / x := x + 1", order, "quiescent"), Verdict::Inconclusive, "{order:?}");
        // Only 3 can be chosen again, and everything leads there.
        let update = "tau any p: Int [p == 3] / x := p";
        assert_eq!(verdict(update, order, "quiescent"), Verdict::Pass, "{order:?}");
        assert_eq!(verdict(update, order, "quiescent ?i quiescent"), Verdict::Fail, "{order:?}");
        assert_eq!(verdict(update, order, "quiescent ?i !u"), Verdict::Pass, "{order:?}");
    }
}

/// What internal steps choose and nothing else depends on is no question, whatever its sort.
#[test]
fn choices_that_nothing_depends_on_are_no_question() {
    let around = model(
        "input a\ninput y(p: String)\noutput v\nprocess P {\n  var x: String = any\n  init l0 {\n    ?a -> l1\n    \
         tau any p: Seq<Int in 0..1> [len(p) <= 1] -> l0\n  }\n  state l1 { ?y(p) [p == x] -> l1 }\n}\n",
    );
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        assert_eq!(judged(&around, order, "quiescent ?a !v").0.verdict, Verdict::Fail, "{order:?}");
        assert_eq!(judged(&around, order, "quiescent ?a quiescent").0.verdict, Verdict::Pass, "{order:?}");
    }
}
