//! Rust code tested from `cargo test`.

use std::collections::VecDeque;

use sioco::conformance::{Args, Conformance, Output, System};
use sioco_exec::Verdict;

/// An accumulator; `slip` is added to what it tells from the third input on.
#[derive(Default)]
struct Accumulator {
    slip: i64,
    inputs: u32,
    sum: i64,
    answers: VecDeque<Output>,
}

impl System for Accumulator {
    fn reset(&mut self) {
        *self = Accumulator { slip: self.slip, ..Accumulator::default() };
    }

    fn input(&mut self, gate: &str, args: Args<'_>) {
        assert_eq!(gate, "inX");
        self.sum += args.get::<i64>("p");
        self.inputs += 1;
        let slip = if self.inputs > 2 { self.slip } else { 0 };
        self.answers.push_back(Output::new("outX", self.sum + slip));
        if self.sum > 15 {
            self.answers.push_back(Output::new("done", ()));
        }
    }

    fn output(&mut self) -> Option<Output> {
        self.answers.pop_front()
    }
}

fn test() -> Conformance {
    Conformance::to("../../examples/accumulator/accumulator.sts").max_steps(300)
}

#[test]
fn what_conforms_never_fails() {
    for cover in ["auto", "random", "switch"] {
        let report = test().cover(cover).check(Accumulator::default).expect("a report");
        assert_eq!(report.summary.verdict, Some(Verdict::Pass), "{}", report.text);
    }
    test().cover("random").assert(Accumulator::default);
}

#[test]
fn what_does_not_conform_is_explained() {
    let report = test().check(|| Accumulator { slip: 1, ..Accumulator::default() }).expect("a report");
    assert_eq!(report.summary.verdict, Some(Verdict::Fail));
    assert!(!report.is_pass());
    assert!(report.text.contains("this output is not allowed here"), "{}", report.text);
    // Three inputs are needed, and none of them has to be more than 1.
    assert!(report.text.contains(", step 6, shrunk "), "{}", report.text);
    assert!(report.text.contains("?inX(p=1)") && report.text.contains("is 3, the SUT sent 4"), "{}", report.text);
    assert!(report.text.contains("fails in 5 of 5 runs"), "{}", report.text);
    let mut again = test().check(|| Accumulator { slip: 1, ..Accumulator::default() }).expect("a report");
    // How long something took is another matter.
    (again.summary.pauses.longest, again.summary.pauses.at) = (report.summary.pauses.longest, report.summary.pauses.at);
    assert_eq!(report.summary, again.summary, "the same test again");
}

#[test]
#[should_panic(expected = "the system does not pass")]
fn an_assertion_fails() {
    test().assert(|| Accumulator { slip: 1, ..Accumulator::default() });
}

#[test]
fn what_cannot_be_run_is_said() {
    let missing = Conformance::to("no-such-model.sts").check(Accumulator::default).expect_err("no model");
    assert!(missing.contains("no-such-model.sts"), "{missing}");
    let cover = test().cover("everything").check(Accumulator::default).expect_err("no cover");
    assert!(cover.contains("everything"), "{cover}");
}
