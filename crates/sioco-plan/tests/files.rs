//! Plans as files: what is written is read, and what does not fit is said.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod plans;

use plans::{examples, model, planned, plans, small, walker};
use serde_json::{Value as Json, json};
use sioco_model::{Id, Model};
use sioco_plan::file::{self, FileError, Loaded, Misfit};
use sioco_plan::{Cover, PlanOptions};

fn written(model: &Model, options: &PlanOptions) -> Json {
    let (plan, cases) = planned(model, options);
    file::document(model, options, &plan, &cases)
}

#[test]
fn what_is_written_is_read() {
    for (name, model) in examples() {
        for options in plans(&name, &model) {
            let what = format!("{name} {}", options.cover);
            let (plan, cases) = planned(&model, &options);
            let text = serde_json::to_string_pretty(&file::document(&model, &options, &plan, &cases)).unwrap();
            let mut loaded = file::read(&text, &model).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(format!("{:?}", loaded.plan), format!("{plan:?}"), "{what}");
            assert_eq!(loaded.cases, cases, "{what}");
            assert!(loaded.same && loaded.misfits.is_empty(), "{what}: {:?}", loaded.misfits);
            file::retake(&mut loaded, &mut walker(&model));
            assert_eq!(loaded.misfits, [], "{what}");
            assert_eq!(loaded.plan.purposes, plan.purposes, "{what}");
        }
    }
}

/// A plan that version 1 wrote, with its model: it is out there, and has to mean the same for ever.
#[test]
fn a_plan_of_version_1_is_read() {
    let model = sioco_lang::check_text("plan-1.sts", include_str!("formats/plan-1.sts")).model.unwrap().model;
    let text = include_str!("formats/plan-1.json");
    let mut loaded = file::read(text, &model).unwrap();
    assert!(loaded.same && loaded.misfits.is_empty(), "{:?}", loaded.misfits);
    file::retake(&mut loaded, &mut walker(&model));
    assert_eq!(loaded.misfits, []);
    let kept: Json = serde_json::from_str(text).unwrap();
    assert_eq!(loaded.plan.cover.to_string(), kept["cover"]);
    assert_eq!(loaded.plan.purposes.len(), kept["purposes"].as_array().unwrap().len());
    // What was read is written as it was, but for what only whoever has the file knows.
    let mut options = PlanOptions::new(loaded.plan.cover.clone());
    options.data = true;
    let again = file::document(&model, &options, &loaded.plan, &loaded.cases);
    for field in ["format", "version", "cover", "purposes", "coverage", "length", "steering", "stop", "counts"] {
        assert_eq!(again[field], kept[field], "{field}");
    }
    for (goal, kept) in again["goals"].as_array().unwrap().iter().zip(kept["goals"].as_array().unwrap()) {
        goal.as_object().unwrap().iter().for_each(|(field, value)| assert_eq!(*value, kept[field], "{field}"));
    }
}

/// A newer sioco may add fields anywhere, and reasons: an older one reads the rest.
#[test]
fn what_a_later_sioco_adds_is_passed_over() {
    fn add(json: &mut Json, within: &str) {
        match json {
            // The names in these come from the model.
            Json::Object(_) if matches!(within, "args" | "values" | "gates" | "start") => {}
            Json::Object(fields) => {
                fields.iter_mut().for_each(|(name, value)| add(value, name));
                fields.insert("weather".to_owned(), json!({ "fine": true }));
            }
            Json::Array(items) => items.iter_mut().for_each(|item| add(item, within)),
            _ => {}
        }
    }
    let model = sioco_lang::check_text("plan-1.sts", include_str!("formats/plan-1.sts")).model.unwrap().model;
    let text = include_str!("formats/plan-1.json");
    let mut newer: Json = serde_json::from_str(text).unwrap();
    add(&mut newer, "");
    let (newer, older) = (file::read(&newer.to_string(), &model).unwrap(), file::read(text, &model).unwrap());
    assert_eq!(format!("{:?}", newer.plan), format!("{:?}", older.plan));
    assert_eq!(newer.cases, older.cases);
    assert!(newer.misfits.is_empty(), "{:?}", newer.misfits);
}

const MODEL: &str = "\
input  inX(p: Int in 1..10)
output outX(p: Int)
output done
output never

process Accumulator {
  var x: Int = 0
  init l0 {
    add:    ?inX(p)          / x := x + p -> l1
    finish: !done   [x > 15]              -> l2
    no:     !never  [x > 3 && x < 2]      -> l2
  }
  state l1 { tell: !outX(x) -> l0 }
  final l2
}
";

fn read_changed(old: &str, new: &str) -> (Loaded, Model) {
    assert!(MODEL.contains(old), "{old}");
    let document = written(&model(MODEL), &small(Cover::Switch));
    let changed = model(&MODEL.replace(old, new));
    let mut loaded = file::read(&document.to_string(), &changed).unwrap();
    file::retake(&mut loaded, &mut walker(&changed));
    (loaded, changed)
}

fn told(loaded: &Loaded, model: &Model) -> Vec<String> {
    loaded.misfits.iter().map(|m| m.describe(model)).collect()
}

#[test]
fn a_model_that_has_changed_is_noticed() {
    for (old, new, expected) in [
        ("[x > 15]", "[x > 12]", &[][..]),
        (
            "tell: !outX(x)",
            "say: !outX(x)",
            &[
                "the model no longer has a switch `tell`",
                "purpose 1: the model no longer has a switch `tell`",
                "the switch `say` is new: the plan does not cover it",
            ],
        ),
        ("-> l1\n", "-> l0\n", &["purpose 1: step 2, `tell`, no longer leaves `l0`"]),
        (
            "[x > 15]",
            "[x > 15 && x < 2]",
            &["purpose 1: step 5, `finish`, can no longer be taken after `add tell add tell`"],
        ),
        (
            "1..10",
            "1..12",
            &[
                "the gate `inX` has other parameters: it was `?inX(p: Int in 1..10)`, and is now `?inX(p: Int in 1..12)`",
            ],
        ),
        ("output done\n", "output done\noutput other\n", &[]),
    ] {
        let (loaded, changed) = read_changed(old, new);
        assert_eq!(told(&loaded, &changed), expected, "{old} -> {new}");
        assert!(!loaded.same);
        // What fits is there, and what does not is not.
        let broken = loaded.misfits.iter().any(|m| m.purpose().is_some());
        assert_eq!(loaded.plan.purposes.len(), usize::from(!broken));
        assert_eq!(loaded.numbers.len(), loaded.plan.purposes.len());
        assert_eq!(loaded.cases.len(), loaded.plan.purposes.len());
        // Nothing is proved of another model.
        assert_eq!((loaded.plan.coverage().infeasible, &loaded.plan.steering), (0, &None));
        assert_eq!(loaded.plan.goals.iter().any(|(_, s)| s.is_covered()), !broken);
    }
}

/// A path that is still possible, but not with the values in the file: they are dropped, and the purpose stays.
#[test]
fn values_are_tried_again() {
    let (loaded, changed) = read_changed("[x > 15]", "[x > 18]");
    let says = "purpose 1: step 5, `finish`, is not possible with the values of the plan";
    assert_eq!(told(&loaded, &changed), [says]);
    assert_eq!(loaded.plan.purposes.len(), 1);
    let values: Vec<bool> = loaded.cases[0].nodes.iter().skip(1).map(|n| n.values.is_some()).collect();
    assert_eq!(values, [true, true, true, true, false]);
}

#[test]
fn what_clashes_is_told() {
    let (loaded, changed) = read_changed("[x > 15]", "[x > 15 && x < 2]");
    let [Misfit::Impossible { purpose, path, clash }] = &loaded.misfits[..] else { panic!("{:?}", loaded.misfits) };
    assert_eq!(purpose.index(), 0);
    assert_eq!(path.len(), 5);
    let texts: Vec<&str> = clash.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, ["p#1 + p#3 < 2"]);
    assert!(loaded.misfits[0].describe(&changed).contains("`finish`"));
}

#[test]
fn other_values_leave_the_purpose() {
    // A text is no number: the values go, the purpose stays.
    let document = written(&model(MODEL), &small(Cover::Switch)).to_string();
    let changed = model(&MODEL.replace("outX(p: Int)", "outX(p: Real)").replace("var x: Int", "var x: Real"));
    let loaded = file::read(&document, &changed).unwrap();
    assert_eq!(loaded.plan.purposes.len(), 1);
    let [Misfit::Gate { gate, .. }] = &loaded.misfits[..] else { panic!("{:?}", loaded.misfits) };
    assert_eq!(gate, "outX");
}

fn error(text: &str) -> FileError {
    file::read(text, &model(MODEL)).expect_err("it is wrong")
}

#[test]
fn files_that_are_no_plans() {
    let good = serde_json::to_string_pretty(&written(&model(MODEL), &small(Cover::Switch))).unwrap();
    assert!(file::read(&good, &model(MODEL)).is_ok());
    for (text, line, what) in [
        ("", None, "the file is empty"),
        (" \n", None, "the file is empty"),
        ("init l0 {", Some(1), "this is not JSON: expected value"),
        (&good[..good.len() / 2], Some(good[..good.len() / 2].lines().count()), "is truncated"),
        ("[]", Some(1), "this is not a plan: it has no `\"format\": \"sioco-plan\"`"),
        ("{\n\"a\": 1,\n\"format\": \"sioco-explore\"}", Some(3), "this is a `sioco-explore` file, not a plan"),
        (
            "{\"format\": \"sioco-plan\",\n\"version\": 2}",
            Some(2),
            "format version 2; this sioco reads up to version 1",
        ),
        ("{\"format\": \"sioco-plan\"}", Some(1), "`version` is missing"),
        ("{\"format\": \"sioco-plan\", \"version\": \"1\"}", Some(1), "`version` must be a whole number"),
    ] {
        let found = error(text);
        assert_eq!(found.line, line, "{text}: {found}");
        assert!(found.what.contains(what), "{text}: {found}");
        assert!(!found.help.is_empty());
    }
}

#[test]
fn damaged_fields_are_named_with_their_lines() {
    let good = written(&model(MODEL), &small(Cover::Switch));
    for (pointer, value, what) in [
        ("/cover", json!("everything"), "`cover` is not a value of `--cover`: `--cover` has no value `everything`"),
        ("/stop", json!("later"), "`stop` must be one of \"complete\""),
        ("/goals", json!({}), "`goals` must be a list"),
        ("/goals/1/state", json!("open"), "`goals[1]` has an unknown state \"open\""),
        ("/goals/0/by/0", json!(7), "`goals[0].by` names purpose 7, but there are only 1"),
        ("/goals/0/by/0", json!(-1), "`goals[0].by[0]` must be a whole number"),
        ("/goals/2/why/clash/0/origin/switch", json!("gone"), "names a switch `gone` that the model does not have"),
        ("/purposes/0/goals/0", json!(99), "`purposes[0].goals[0]` is goal 99, but there are only 4"),
        ("/purposes/0/nodes", json!([]), "`purposes[0]` has no nodes"),
        ("/purposes/0/nodes/5/accept", json!("yes"), "`purposes[0].nodes[5].accept` must be true or false"),
        ("/purposes/0/nodes/5/accept", json!(false), "`purposes[0]` has no node with `accept`"),
        (
            "/purposes/0/nodes/2/parent",
            json!(2),
            "`purposes[0].nodes[2]` has the parent 2, which does not come before it",
        ),
        ("/purposes/0/nodes/2/parent", json!(null), "`purposes[0].nodes[2]` has no `parent`, but is not the first"),
        ("/purposes/0/nodes/2/step", json!("omega"), "`purposes[0].nodes[2].step` must be \"delta\""),
        ("/purposes/0/nodes/2/step", json!({}), "`purposes[0].nodes[2].step.send` is missing"),
        ("/purposes/0/nodes/1/args/p", json!(11), "`purposes[0].nodes[1].args` has no value of `Int in 1..10` for `p`"),
        ("/steering/deterministic", json!(1), "`steering.deterministic` must be an object"),
        ("/model/gates/inX", json!(1), "`model.gates` must be a string"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        let text = serde_json::to_string_pretty(&bad).unwrap();
        let found = error(&text);
        assert!(found.what.contains(what), "{pointer}: {found}");
        let line = found.line.unwrap();
        assert!(line > 1 && line <= text.lines().count(), "{pointer}: {found}");
    }
    // What nobody knows does no harm.
    let mut more = good.clone();
    more["purposes"][0]["nodes"][1]["colour"] = json!({ "of": ["money"] });
    more["later"] = json!(true);
    assert!(file::read(&more.to_string(), &model(MODEL)).is_ok());
}

/// Conditions of a written purpose take values of steps: those have to be there, and of the right sort.
#[test]
fn values_that_conditions_take_are_on_the_way() {
    let text = MODEL.replace("outX(p: Int)", "outX(p: Int, t: String)").replace("!outX(x)", "!outX(x, \"\")")
        + "purpose Two { ?inX(a) [a > 3]; !outX(b, _) [b >= a] }\n";
    let model = model(&text);
    let good = written(&model, &small(Cover::Purpose("Two".into())));
    let place = "/purposes/0/nodes/2/wants/0/written/slots";
    let slots = good.pointer(place).unwrap_or_else(|| panic!("{good:#}")).clone();
    assert!(slots.as_array().is_some_and(|slots| slots.len() >= 2), "{slots}");
    let with = |new: Json| {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap() = new;
        file::read(&bad.to_string(), &model)
    };
    assert!(with(slots.clone()).unwrap().misfits.is_empty());
    for (step, arg) in [(2, 0), (0, 1), (99, 0)] {
        let mut other = slots.clone();
        other[0][1] = json!(step);
        other[0][2] = json!(arg);
        let error = with(other).expect_err("no such value");
        assert!(error.what.contains("which is not on the path"), "{error}");
    }
    // A text is no number.
    let texts: Vec<Json> = slots.as_array().unwrap().iter().map(|slot| json!([slot[0], 1, 1])).collect();
    let mut loaded = with(json!(texts)).unwrap();
    assert!(matches!(&loaded.misfits[..], [Misfit::Written { .. }]), "{:?}", loaded.misfits);
    file::retake(&mut loaded, &mut walker(&model));
}

/// What stands in a file is not repeated in full.
#[test]
fn messages_about_files_are_short() {
    let found = error(&json!({ "format": "x".repeat(1 << 20) }).to_string());
    assert!(found.what.len() < 3000 && found.what.ends_with('…'), "{}", found.what.len());
}

#[test]
fn any_cut_is_an_error_and_no_crash() {
    let good = written(&model(MODEL), &small(Cover::Switch)).to_string();
    for end in (0..good.len()).step_by(7).filter(|end| good.is_char_boundary(*end)) {
        error(&good[..end]);
    }
    // Any one field gone: an error, or one that need not be there; never a crash.
    fn without(json: &Json, found: &mut Vec<Json>, whole: &dyn Fn(Json) -> Json) {
        match json {
            Json::Object(object) => {
                for (key, value) in object {
                    let mut less = object.clone();
                    less.remove(key);
                    found.push(whole(Json::Object(less)));
                    without(value, found, &|inner| {
                        let mut same = object.clone();
                        same[key] = inner;
                        whole(Json::Object(same))
                    });
                }
            }
            Json::Array(items) => {
                for (i, value) in items.iter().enumerate() {
                    without(value, found, &|inner| {
                        let mut same = items.clone();
                        same[i] = inner;
                        whole(Json::Array(same))
                    });
                }
            }
            _ => found.push(whole(Json::Null)),
        }
    }
    let mut all = Vec::new();
    without(&serde_json::from_str(&good).unwrap(), &mut all, &|json| json);
    let model = model(MODEL);
    let bad = all.iter().filter(|json| file::read(&json.to_string(), &model).is_err()).count();
    assert!(bad > 50 && bad < all.len(), "{bad} of {}", all.len());
}
