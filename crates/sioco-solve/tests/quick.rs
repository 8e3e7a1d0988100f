//! The quick evaluator says what the reference evaluator says, for all values of small symbols.

mod support;

use sioco_model::Value;
use sioco_model::eval::{Env, eval};
use sioco_solve::quick::truth;
use support::{Rng, World, seeds};

#[test]
fn quick_and_reference_evaluation_agree() {
    let mut compared = 0u64;
    for seed in seeds(0, 60) {
        let mut rng = Rng(seed);
        let mut world = World::new(2, 1, 1, seed % 2 == 0);
        let all = world.all();
        for _ in 0..4 {
            let condition = world.bool_term(&mut rng, 4, seed % 3 != 0);
            for values in &all {
                let env = Env { symbols: values, ..Env::default() };
                let reference = eval(&world.pool, &world.sorts, condition, env).map(|v| v == Value::Bool(true));
                let quick = truth(&world.pool, &world.sorts, condition, values);
                assert_eq!(quick, reference, "seed {seed}, values {values:?}");
                compared += 1;
            }
        }
    }
    println!("{compared} comparisons");
}
