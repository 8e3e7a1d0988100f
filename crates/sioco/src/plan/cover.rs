//! What to cover, on the command line.

use sioco_lang::diagnostic::did_you_mean;
use sioco_plan::Cover;

/// The ways that need nothing but their name, and those that do.
const NAMES: [&str; 8] = ["switch", "location", "paths", "inclusion", "reduced", "traces", "random", "purpose"];

/// Reads a cover; what is mistyped comes back with what was probably meant.
pub fn parse(text: &str) -> Result<Cover, String> {
    Cover::parse(text).map_err(|why| {
        let name = text.split(':').next().unwrap_or(text);
        match did_you_mean(name, NAMES).filter(|_| !NAMES.contains(&name)) {
            Some(near) => format!("{why}; did you mean `{near}`?"),
            None => why,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mistyped_is_guessed() {
        assert_eq!(parse("paths:3"), Ok(Cover::Paths(3)));
        for (text, near) in
            [("swich", "switch"), ("locations", "location"), ("trace:3", "traces"), ("Random", "random")]
        {
            let error = parse(text).expect_err(text);
            assert!(error.ends_with(&format!("; did you mean `{near}`?")), "{error}");
        }
        assert!(!parse("everything").expect_err("no cover").contains("did you mean"));
        assert!(!parse("paths:0").expect_err("nothing").contains("did you mean"));
    }
}
