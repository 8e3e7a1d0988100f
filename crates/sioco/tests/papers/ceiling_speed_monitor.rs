//! The Ceiling Speed Monitor, S2 section 6.

use sioco_symbolic::{ExploreOptions, Stop};

use crate::semantics::World;
use crate::symbolic::{has_z3, z3};
use crate::{load, load_with};

/// The mode and the outputs after inputs `speed allowed revoke`, from the start.
fn drive(w: &World, inputs: &[(&str, &str, bool)]) -> (String, String) {
    let mut belief = w.start(&[]);
    let mut outputs = String::new();
    for (est, mrsp, revoke) in inputs {
        let after = belief.after(&format!("?inputs({est}, {mrsp}, {revoke})"));
        outputs = after.output_values();
        assert_eq!(outputs.matches('!').count(), 1, "one output: {outputs}");
        belief = after.after(&outputs);
        assert!(belief.may_be_quiescent());
    }
    (belief.at(), outputs.trim_start_matches("!outputs").to_string())
}

fn mode(w: &World, est: &str, mrsp: &str) -> String {
    drive(w, &[(est, mrsp, false)]).0
}

#[test]
fn csm_functions() {
    let w = load("ceiling-speed-monitor/csm.sts");
    // Each row: the allowed speed, and the last speed of overspeed, warning and service brake.
    for (v, warning, sbi, ebi) in [
        ("0", "4", "5.5", "7.5"),
        ("110", "114", "115.5", "117.5"),
        ("111", "3451/30", "116.545", "118.575"),
        ("120", "373/3", "125.95", "128.25"),
        ("140", "145", "146.85", "149.75"),
        ("200", "205", "209.55", "214.25"),
        ("210", "215", "220", "225"),
        ("300", "305", "310", "315"),
    ] {
        let above = |x: &str| match x.split_once('/') {
            Some((n, d)) => format!("{}/{}", n.parse::<i64>().unwrap() * 1000 + 1, d.parse::<i64>().unwrap() * 1000),
            None => format!("{x}{}0001", if x.contains('.') { "" } else { "." }),
        };
        assert_eq!(mode(&w, v, v), "NORMAL");
        for (limit, below, beyond) in [
            (v, "NORMAL", "OVERSPEED"),
            (warning, "OVERSPEED", "WARNING"),
            (sbi, "WARNING", "SERVICE_BRAKE"),
            (ebi, "SERVICE_BRAKE", "EMER_BRAKE"),
        ] {
            assert_eq!((mode(&w, limit, v), mode(&w, &above(limit), v)), (below.into(), beyond.into()), "{v} {limit}");
        }
    }
}

#[test]
fn csm_run_to_completion() {
    let w = load("ceiling-speed-monitor/csm.sts");
    for (est, at, outputs) in [
        ("100", "NORMAL", "(0, false, 0)"),
        ("102", "OVERSPEED", "(2, true, 0)"),
        ("105", "WARNING", "(3, true, 0)"),
        ("107", "SERVICE_BRAKE", "(4, true, 1)"),
        ("108", "EMER_BRAKE", "(4, true, 2)"),
    ] {
        assert_eq!(drive(&w, &[(est, "100", false)]), (at.into(), outputs.into()));
        // And back, if the mode allows it.
        let back = drive(&w, &[(est, "100", false), ("100", "100", false)]);
        let stays = at == "EMER_BRAKE";
        assert_eq!(back.0, if stays { "EMER_BRAKE" } else { "NORMAL" });
        assert_eq!(back.1, if stays { "(4, true, 2)" } else { "(0, false, 0)" });
    }
    // A mode is kept between its limit and the allowed speed.
    assert_eq!(
        drive(&w, &[("107", "100", false), ("101", "100", false)]),
        ("SERVICE_BRAKE".into(), "(4, true, 1)".into())
    );
    assert_eq!(drive(&w, &[("105", "100", false), ("101", "100", false)]), ("WARNING".into(), "(3, true, 0)".into()));
}

#[test]
fn csm_emergency() {
    let w = load("ceiling-speed-monitor/csm.sts");
    let brake = ("200", "100", false);
    for (then, at) in [
        (("100", "100", false), "EMER_BRAKE"),
        (("100", "100", true), "NORMAL"),
        (("101", "100", true), "EMER_BRAKE"),
        (("0", "100", false), "NORMAL"),
        (("0", "0", false), "NORMAL"),
    ] {
        assert_eq!(drive(&w, &[brake, then]).0, at, "{then:?}");
    }
}

#[test]
fn csm_no_service_brake() {
    let w = load_with("ceiling-speed-monitor/csm.sts", &[("SBAvailable", "false")]);
    assert_eq!(drive(&w, &[("107", "100", false)]), ("SERVICE_BRAKE".into(), "(4, true, 2)".into()));
}

#[test]
fn csm_mutants() {
    let w = load("ceiling-speed-monitor/csm.sts");
    for (mutant, inputs) in [
        ("ex1", vec![("102", "100", false), ("100", "100", false)]),
        ("ex2", vec![("102", "100", false), ("100", "100", false), ("102", "100", false)]),
        ("ex3", vec![("105", "100", false), ("100", "100", false), ("102", "100", false)]),
    ] {
        let m = load(&format!("ceiling-speed-monitor/mutant-{mutant}.sts"));
        assert_ne!(drive(&w, &inputs).1, drive(&m, &inputs).1, "{mutant}");
        let shorter = &inputs[..inputs.len() - 1];
        assert_eq!(drive(&w, shorter).1, drive(&m, shorter).1, "{mutant}");
    }
}

#[test]
fn csm_implementations() {
    let w = load("ceiling-speed-monitor/csm.sts");
    let (overspeed, warning, service, brake) =
        (("102", "100", false), ("105", "100", false), ("107", "100", false), ("200", "100", false));
    // Inputs after which both differ; then such as are near them, after which they do not.
    for (number, inputs, near) in [
        (1, vec![overspeed, ("104", "100", false)], vec!["103.999", "104.001"]),
        (2, vec![("44", "40", false)], vec!["40", "44.001"]),
        (3, vec![warning, ("106", "100", false)], vec!["105.5", "107.501"]),
        (4, vec![service, ("214.26", "200", false)], vec!["214.25", "214.271"]),
        (5, vec![brake, ("0.05", "100", false)], vec!["0", "0.051"]),
        (6, vec![brake], vec!["107.5"]),
    ] {
        let imp = load(&format!("ceiling-speed-monitor/impl-{number}.sts"));
        assert_ne!(drive(&w, &inputs).1, drive(&imp, &inputs).1, "{number}");
        let (last, before) = inputs.split_last().expect("there is an input");
        let others = near.into_iter().map(|est| before.iter().copied().chain([(est, last.1, last.2)]).collect());
        for other in others.chain([before.to_vec()]) {
            let other: Vec<(&str, &str, bool)> = other;
            assert_eq!(drive(&w, &other), drive(&imp, &other), "{number} {other:?}");
        }
    }
}

/// One input at an allowed speed of 100, in tenths: the mode, what is wrong (0: nothing), and the mode after it.
fn table(mode: &str, fault: u32, est: i64, allow: bool) -> &'static str {
    let (back, warning, service, emergency) = (est <= 1000, est > 1040, est > 1055, est > 1075);
    let next = match mode {
        "NORMAL" if !back => "OVERSPEED",
        "OVERSPEED" if back => ["NORMAL", "EMER_BRAKE", "NORMAL_2", "NORMAL"][fault as usize],
        "OVERSPEED" if warning => "WARNING",
        "WARNING" if back => ["NORMAL", "NORMAL", "NORMAL", "NORMAL_2"][fault as usize],
        "WARNING" if service => "SERVICE_BRAKE",
        "SERVICE_BRAKE" if back => "NORMAL",
        "SERVICE_BRAKE" if emergency => "EMER_BRAKE",
        "EMER_BRAKE" if back && allow || est == 0 => "NORMAL",
        "NORMAL_2" if fault == 2 && emergency => "EMER_BRAKE",
        "NORMAL_2" if fault == 3 && warning => "WARNING",
        "NORMAL" => return "NORMAL",
        "OVERSPEED" => return "OVERSPEED",
        "WARNING" => return "WARNING",
        "SERVICE_BRAKE" => return "SERVICE_BRAKE",
        "EMER_BRAKE" => return "EMER_BRAKE",
        _ => return "NORMAL_2",
    };
    table(next, fault, est, allow)
}

#[test]
fn csm_table() {
    let outputs = |mode: &str| match mode {
        "OVERSPEED" => "(2, true, 0)",
        "WARNING" => "(3, true, 0)",
        "SERVICE_BRAKE" => "(4, true, 1)",
        "EMER_BRAKE" => "(4, true, 2)",
        _ => "(0, false, 0)",
    };
    let speeds = [0, 1, 500, 1000, 1001, 1040, 1041, 1055, 1056, 1075, 1076];
    for (fault, file) in ["csm", "mutant-ex1", "mutant-ex2", "mutant-ex3"].into_iter().enumerate() {
        let w = load(&format!("ceiling-speed-monitor/{file}.sts"));
        // The modes found so far, each with the inputs that lead there.
        let mut modes: Vec<(&str, Vec<(String, bool)>)> = vec![("NORMAL", Vec::new())];
        let mut at = 0;
        while at < modes.len() {
            let (mode, inputs) = modes[at].clone();
            for (est, allow) in speeds.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                let expected = table(mode, fault as u32, est, allow);
                let mut inputs = inputs.clone();
                inputs.push((format!("{}.{}", est / 10, est % 10), allow));
                let driven: Vec<_> = inputs.iter().map(|(e, a)| (e.as_str(), "100", *a)).collect();
                assert_eq!(drive(&w, &driven), (expected.into(), outputs(expected).into()), "{file} {inputs:?}");
                if modes.iter().all(|(m, _)| *m != expected) {
                    modes.push((expected, inputs));
                }
            }
            at += 1;
        }
        assert_eq!(modes.len(), if fault < 2 { 5 } else { 6 });
    }
}

#[test]
fn csm_switches() {
    if !has_z3("real numbers") {
        return;
    }
    for (file, brake, count) in [
        ("csm", "true", 18),
        ("csm", "false", 18),
        ("mutant-ex1", "true", 18),
        ("mutant-ex2", "true", 21),
        ("mutant-ex3", "true", 21),
        // Each with its answer.
        ("impl-1", "true", 38),
        ("impl-2", "true", 38),
        ("impl-3", "true", 36),
        ("impl-4", "true", 38),
        ("impl-5", "true", 38),
        ("impl-6", "false", 38),
    ] {
        let w = load_with(&format!("ceiling-speed-monitor/{file}.sts"), &[("SBAvailable", brake)]);
        let found = w.explore(&z3, &ExploreOptions::default());
        assert_eq!((found.stop, found.doubts.len()), (Stop::Complete, 0), "{file}");
        assert_eq!(found.graph.taken(w.model), vec![Some(true); count], "{file}");
    }
}
