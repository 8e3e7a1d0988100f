//! The Ceiling Speed Monitor, S2 section 6.

use crate::semantics::World;
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
