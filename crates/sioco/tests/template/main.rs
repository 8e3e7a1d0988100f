//! The code of `sioco new --template rust`, compiled as it is and tested against its model, without building sioco once
//! more as the new project would.

// A project has it as a library, whose items nobody has to use.
#[allow(dead_code)]
#[path = "../../templates/rust/src/lib.rs"]
mod tank;

/// The same crate, which finds the model of the template.
mod sioco_test {
    pub use ::sioco_test::{Args, Output, System, glue};

    pub struct Conformance;

    impl Conformance {
        pub fn to(file: &str) -> ::sioco_test::Conformance {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates/");
            ::sioco_test::Conformance::to(format!("{folder}{file}"))
        }
    }
}

include!("../../templates/rust/tests/conforms.rs");

/// The mistake in the comment is found.
#[test]
fn the_mistake_is_found() {
    /// As the line in the comment has it.
    #[derive(Default)]
    struct Mistaken(Tested);

    impl System for Mistaken {
        fn reset(&mut self) {
            self.0.reset();
        }

        fn input(&mut self, gate: &str, args: Args<'_>) {
            if gate == "drain" && args.get::<i64>("litres") == self.0.tank.content() {
                self.0.answer = Some(Output::new("refused", ()));
            } else {
                self.0.input(gate, args);
            }
        }

        fn output(&mut self) -> Option<Output> {
            self.0.output()
        }
    }

    let text = include_str!("../../templates/rust/src/lib.rs");
    assert!(text.contains("// if litres == self.content { return false } // A mistake: "), "{text}");
    let report = Conformance::to("model.sts").check(Mistaken::default).expect("a report");
    assert!(!report.is_pass() && report.text.contains("FAIL"), "{}", report.text);
}
