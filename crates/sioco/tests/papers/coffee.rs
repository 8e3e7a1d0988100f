//! The coffee machines of S1, chapter 2.

use sioco_model::Value;
use sioco_solve::values::Choice;

use crate::load;

#[test]
fn coffee_free() {
    let w = load("coffee/coffee-free.sts");
    let pressed = w.run("?coffee_button_pressed");
    assert_eq!(pressed.outputs(), "!dispense_cup");
    assert_eq!(pressed.after("!dispense_cup").outputs(), "!dispense_coffee");
    assert_eq!(pressed.after("!dispense_cup !dispense_coffee").outputs(), "");
}

#[test]
fn coffee_money() {
    let w = load("coffee/coffee.sts");
    for (coin, taken) in [(-1, false), (0, false), (1, true), (1_000_000, true)] {
        assert_eq!(w.can(&format!("?input_coin({coin})")), taken, "{coin}");
    }
    for enough in ["?input_coin(40)", "?input_coin(50)", "?input_coin(20) ?coffee_button_pressed ?input_coin(20)"] {
        let pressed = w.run(enough).after("?coffee_button_pressed");
        assert_eq!((pressed.at(), pressed.outputs()), ("s2".into(), "!dispense_cup".into()), "{enough}");
        assert_eq!(pressed.after("!dispense_cup").outputs(), "!dispense_coffee");
    }
    let less = w.run("?input_coin(39) ?coffee_button_pressed");
    assert_eq!((less.at(), less.outputs(), less.inputs()), ("s0 s2".into(), "".into(), "?input_coin".into()));
}

#[test]
fn coffee_symbolic() {
    let w = load("coffee/coffee.sts");
    let first = |path: &str, choice| w.values_for(&w.steps(path), choice).map(|v| v[0].clone());
    let int = |n| Some(vec![Value::Int(n)]);
    assert_eq!(w.walk(&w.steps("insert press cup")).condition, "_coin#1 > 0 && _coin#1 >= 40");
    assert_eq!(first("insert press cup", Choice::Min), int(40));
    assert_eq!((first("insert press more", Choice::Min), first("insert press more", Choice::Max)), (int(1), int(39)));
    // Coins add up.
    let again = "insert press more insert press cup";
    assert_eq!(w.walk(&w.steps(again)).values, ["money = _coin#1 + _coin#4"]);
    assert_eq!(w.values_for(&w.steps(again), Choice::Min).map(|v| v[3].clone()), int(39));
}
