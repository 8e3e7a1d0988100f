// The tank does what the model says.

use sioco_test::{Args, Conformance, Output, System, glue};
use tank::Tank;

/// The tank, as sioco sees it.
#[derive(Default)]
struct Tested {
    tank: Tank,
    answer: Option<Output>,
}

impl System for Tested {
    fn reset(&mut self) {
        *self = Tested::default();
    }

    fn input(&mut self, gate: &str, args: Args<'_>) {
        let litres = args.get::<i64>("litres");
        let done = match gate {
            "fill" => self.tank.fill(litres),
            "drain" => self.tank.drain(litres),
            // A panic of the tank is a crash, and found. This is about the test, and not about the tank.
            other => glue(|| panic!("the input `{other}` is not connected")),
        };
        self.answer = Some(match done {
            true => Output::new("level", self.tank.content()),
            false => Output::new("refused", ()),
        });
    }

    fn output(&mut self) -> Option<Output> {
        self.answer.take()
    }
}

#[test]
fn conforms() {
    Conformance::to("model.sts").assert(Tested::default);
}
