//! What a campaign is to cover, on the command line.

use std::fmt;

use sioco_lang::diagnostic::did_you_mean;
use sioco_plan::Cover;

use crate::plan::cover;

/// What a campaign does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Covered {
    /// Switches and the sides of guards by a plan, then guided walks.
    Auto,
    /// Random walks without a plan; so many of them, if that is said.
    Random(Option<usize>),
    /// A plan, and nothing else.
    Plan(Cover),
}

/// So many walks are planned for, if nobody says how many.
const WALKS: usize = 10;

impl Covered {
    /// Reads it; what is mistyped comes back with what was probably meant.
    pub fn parse(text: &str) -> Result<Covered, String> {
        match text.trim() {
            "auto" => Ok(Covered::Auto),
            "random" => Ok(Covered::Random(None)),
            other => match cover::parse(other) {
                Ok(Cover::Random(walks)) => Ok(Covered::Random(Some(walks))),
                Ok(cover) => Ok(Covered::Plan(cover)),
                Err(_) if did_you_mean(other, ["auto"]).is_some() => {
                    Err(format!("`{other}` is nothing to cover; did you mean `auto`?"))
                }
                // It lists what a plan can cover.
                Err(why) => Err(why.replacen("; there is ", "; there is `auto`, ", 1)),
            },
        }
    }
}

impl Covered {
    /// How many random walks there are at most, if that is said.
    pub fn most_walks(&self) -> Option<u64> {
        match self {
            Covered::Random(walks) => walks.map(|walks| walks as u64),
            _ => None,
        }
    }

    /// What a campaign without a plan covers.
    pub fn walks(walks: Option<usize>) -> Cover {
        Cover::Random(walks.unwrap_or(WALKS))
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Covered::Auto => f.write_str("auto"),
            Covered::Random(None) => f.write_str("random"),
            Covered::Random(Some(walks)) => write!(f, "random:{walks}"),
            Covered::Plan(cover) => write!(f, "{cover}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_are_read() {
        assert_eq!(Covered::parse("auto"), Ok(Covered::Auto));
        assert_eq!(Covered::parse("random"), Ok(Covered::Random(None)));
        assert_eq!(Covered::parse("random:3"), Ok(Covered::Random(Some(3))));
        assert_eq!(Covered::parse("paths:3"), Ok(Covered::Plan(Cover::Paths(3))));
        assert!(Covered::parse("everything").expect_err("no cover").contains("; there is `auto`, `switch`"));
        assert!(Covered::parse("atuo").expect_err("mistyped").contains("`auto`"));
        assert!(Covered::parse("swich").expect_err("mistyped").contains("`switch`"));
    }
}
