//! Random values of sorts as they are written.

use sioco_model::Value;
use sioco_model::sample::{Plain, Random, value};

/// Every value that is drawn is one of the sort, also beyond 64 bits and inside other values, and they are not all the
/// same where there are many.
#[test]
fn drawn_values_fit_and_differ() {
    let two_to_100 = "1267650600228229401496703205376";
    let sorts = [
        ("Int in 0..9223372036854775807", 90),
        ("Int in 0..9223372036854775808", 90),
        ("Int in -9223372036854775809..0", 90),
        ("Int in 18446744073709551615..18446744073709551616", 2),
        ("Int in 18446744073709551616..", 20),
        ("Int in ..-18446744073709551616", 20),
        (&format!("Int in -{two_to_100}..{two_to_100}"), 90),
        (&format!("Int in {two_to_100}.."), 20),
        ("Int in 3..5", 3),
        ("Int", 20),
        ("Real in ..1.0", 20),
        ("Real in 1.5..", 20),
        (&format!("Real in -{two_to_100}.0..{two_to_100}.0"), 80),
        (&format!("Seq<Int in -{two_to_100}..{two_to_100}>"), 40),
        ("P", 90),
        ("V", 30),
    ];
    for (sort, least) in sorts {
        let text = format!(
            "type P = {{ a: Int in 1..9, b: Int in 0..{two_to_100} }}\ntype V = N | C(x: Int in 5..9) | D(y: Real in ..-2.5, z: P)\ninput i(p: {sort})\nprocess Q {{ init l {{ ?i(_) -> l }} }}"
        );
        let model = sioco_lang::check_text("m.sts", &text).model.expect("a model").model;
        let sort_id = model.gates.values().next().expect("a gate").params[0].sort;
        let mut random = Random::new(1);
        let drawn: Vec<Value> = (0..97).map(|_| value(&model.sorts, sort_id, &mut Plain(&mut random))).collect();
        assert!(drawn.iter().all(|v| model.sorts.contains(sort_id, v)), "{sort}: {drawn:?}");
        let mut different = drawn.clone();
        different.sort();
        different.dedup();
        assert!(different.len() >= least, "{sort}: {} different values of 97", different.len());
    }
}
