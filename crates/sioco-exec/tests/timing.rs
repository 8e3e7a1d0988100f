//! Answers that come late, or are told before the input that they answer.

mod support;

use std::collections::VecDeque;
use std::time::Duration;

use sioco_exec::verdict::{Cause, Failure, Trouble};
use sioco_exec::{Fault, FaultKind, GateValue, Observation, Order, Polled, Settings, Summary, Sut, SutEvent, Verdict};
use sioco_model::Model;
use support::{campaign, event, model, planned, tester};

const ECHO: &str = "input a(p: Int in 0..9)\noutput b(p: Int)\n\
                    process P {\n  var x: Int = 0\n  init l0 { take: ?a(p) / x := p -> l1 }\n  state l1 { give: !b(x) -> l0 }\n}\n";

/// Echoes inputs, with `late` waits that bring nothing before each answer; or with the answer before `accepted`.
struct Echo<'m> {
    model: &'m Model,
    order: Order,
    late: usize,
    early: bool,
    wrong: i64,
    events: VecDeque<Option<SutEvent>>,
}

impl Sut for Echo<'_> {
    fn order(&self) -> Order {
        self.order
    }

    fn reset(&mut self, _: u64, _: u64) -> Result<(), Fault> {
        self.events.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let sioco_model::Value::Int(p) = input.args[0] else { panic!("{input:?}") };
        let answer = event(self.model, &format!("!b({})", p + self.wrong));
        let answer = Some(SutEvent::Observed(Observation::Output(answer)));
        self.events.push_back(Some(SutEvent::Accepted { id }));
        self.events.extend(std::iter::repeat_n(None, self.late));
        match self.early {
            true => self.events.push_front(answer),
            false => self.events.push_back(answer),
        }
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        Ok(self.events.pop_front().flatten().map_or(Polled::Nothing, Polled::Event))
    }
}

fn tested(order: Order, late: usize, early: bool, wrong: i64) -> Summary {
    let model = model(ECHO);
    let plan = planned(&model, "switch", false);
    let mut sut = Echo { model: &model, order, late, early, wrong, events: VecDeque::new() };
    campaign(&mut tester(&model, &plan, Settings::default()), &mut sut).1
}

/// Where silence would be a failure, it is waited for a little longer; but not for ever.
#[test]
fn slow_answers_are_no_failures() {
    let prompt = tested(Order::Sut, 0, false, 0);
    assert_eq!((prompt.verdict, prompt.withdrawn), (Some(Verdict::Pass), 0));
    let slow = tested(Order::Sut, 1, false, 0);
    assert_eq!((slow.verdict, slow.withdrawn), (Some(Verdict::Pass), 1), "and it is told that something came late");
    let silent = tested(Order::Sut, 2, false, 0);
    assert_eq!(silent.bad[0].cause, Cause::Failure(Failure::Silence));
}

/// An answer before `accepted`: where the order is that of the system, the adapter has mixed them up, and that says
/// nothing about the system; where inputs are only known to be sent, it is an answer like any other.
#[test]
fn answers_before_their_input_was_accepted() {
    let mixed = tested(Order::Sut, 0, true, 0);
    let cause = &mixed.bad[0].cause;
    assert_eq!(mixed.verdict, Some(Verdict::Error));
    assert!(matches!(cause, Cause::Trouble(Trouble::Fault { kind: FaultKind::Protocol, .. })), "{cause:?}");
    assert_eq!(tested(Order::Sent, 0, true, 0).verdict, Some(Verdict::Pass));
    // A wrong answer is one, whenever it comes.
    for order in [Order::Sut, Order::Sent] {
        assert_eq!(tested(order, 0, true, 1).verdict, Some(Verdict::Fail), "{order:?}");
    }
}
