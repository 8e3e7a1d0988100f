//! Guard-checked steps per second on S0's Figure 1, and on the same model with five switches per gate.
//!
//! `cargo bench -p sioco-lang --bench interpreter [-- STEPS]` prints steps per second. With `--count STEPS` it only runs
//! the steps, for counting instructions: `cargo xtask bench` does that under callgrind, with two different numbers of
//! steps, so that start-up falls out of the difference.

use std::hint::black_box;
use std::time::Instant;

use sioco_lang::check_text;
use sioco_model::Value;
use sioco_model::semantics::Interpreter;

const FIGURE_1: &str = "
input  inX(p: Int)
output outX(p: Int)
output done
process Accumulator {
  var x: Int = 0
  init l0 {
    r0: ?inX(p) [1 <= p <= 10] / x := x + p -> l1
    r2: !done   [x > 15]                    -> l2
  }
  state l1 {
    r1: !outX(x)                            -> l0
  }
  final l2
}";

/// Runs `?inX !outX ?inX !outX !done` again and again; every step looks up the gate's switches and checks the guards.
fn run(steps: u64) -> u64 {
    let checked = check_text("figure-1.sts", FIGURE_1);
    let model = checked.model.expect("a model").model;
    let [in_x, out_x, done] = ["inX", "outX", "done"].map(|g| model.gate(g).expect("a gate"));
    let mut interpreter = Interpreter::new(&model);
    let start = interpreter.initial_default();
    let mut state = start.clone();
    let mut taken = 0;
    let mut args = [Value::Int(0)];
    while taken < steps {
        for p in [6, 10] {
            args[0] = Value::Int(black_box(p));
            assert!(matches!(interpreter.step(&mut state, in_x, &args), Ok(Some(_))));
            args[0] = state.values()[0].clone();
            assert!(matches!(interpreter.step(&mut state, out_x, &args), Ok(Some(_))));
        }
        assert!(matches!(interpreter.step(&mut state, done, &[]), Ok(Some(_))));
        taken += 5;
        state.clone_from(&start);
    }
    black_box(&state);
    taken
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--count", steps] => {
            run(steps.parse().expect("a number of steps"));
        }
        [] | [_] => {
            let steps = args.first().map_or(20_000_000, |n| n.parse().expect("a number of steps"));
            let begin = Instant::now();
            let taken = run(steps);
            let seconds = begin.elapsed().as_secs_f64();
            println!(
                "{taken} guard-checked steps of S0 Figure 1 in {seconds:.2} s: {:.1} million per second",
                taken as f64 / seconds / 1e6
            );
        }
        _ => eprintln!("usage: interpreter [STEPS | --count STEPS]"),
    }
}
