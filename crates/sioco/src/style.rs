//! Colour and emphasis on a terminal.

use clap::ValueEnum;

pub use sioco_report::style::Style;

/// When to use colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColourChoice {
    /// Whether to use colour: the option decides, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal.
    ///
    /// The two variables count when they are not empty; `FORCE_COLOR=0` asks for none.
    pub fn decide(self, terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        match self {
            ColourChoice::Always => true,
            ColourChoice::Never => false,
            ColourChoice::Auto if set("NO_COLOR").is_some() => false,
            ColourChoice::Auto => match set("FORCE_COLOR") {
                Some(value) => value != "0",
                None => terminal && set("TERM").is_none_or(|term| term != "dumb"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_decides_about_colour() {
        use ColourChoice::*;
        for (choice, terminal, variables, colour) in [
            (Auto, true, "", true),
            (Auto, false, "", false),
            (Auto, true, "TERM=dumb", false),
            (Auto, true, "NO_COLOR=1", false),
            (Auto, true, "NO_COLOR=", true),
            (Auto, false, "FORCE_COLOR=1", true),
            (Auto, true, "FORCE_COLOR=0", false),
            (Auto, false, "FORCE_COLOR=1 NO_COLOR=1", false),
            (Always, false, "NO_COLOR=1", true),
            (Never, true, "FORCE_COLOR=1", false),
        ] {
            let variable = |name: &str| {
                let pairs = variables.split(' ').filter_map(|pair| pair.split_once('='));
                pairs.filter(|(n, _)| *n == name).map(|(_, value)| value.to_owned()).next()
            };
            assert_eq!(choice.decide(terminal, variable), colour, "{choice:?} {terminal} {variables}");
        }
    }
}
