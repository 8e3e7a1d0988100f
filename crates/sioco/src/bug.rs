//! What is shown when sioco itself is wrong.

use std::panic::PanicHookInfo;

use sioco_model::visible;

/// Makes a panic say that it is not the user's fault, and what to report.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let arguments: Vec<String> =
            std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
        let text = report(&message(info), info.location().map(ToString::to_string), &arguments);
        // Where even this cannot be written, there is nobody left to tell.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), visible::text(&text).as_bytes());
    }));
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

fn report(message: &str, place: Option<String>, arguments: &[String]) -> String {
    format!(
        "\
error: this is a bug in sioco, not in your model
  what:    {message}
  where:   {}
  version: sioco {} on {} {}
  command: sioco {}
  Please report these lines, together with the model if you can share it.
",
        place.as_deref().unwrap_or("unknown"),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        arguments.join(" "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_is_told_with_all_that_is_needed_to_find_it() {
        let text = report("index out of bounds", Some("a.rs:1:2".into()), &["check".into(), "m.sts".into()]);
        for part in ["this is a bug in sioco", "index out of bounds", "a.rs:1:2", "sioco check m.sts", "sioco 0."] {
            assert!(text.contains(part), "{text}");
        }
    }
}
